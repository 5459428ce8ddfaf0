/* tree.h - a JSON value in memory, whoever wrote it: the scanner, YAML, or ourselves.
 *
 * Room:   json/ - pure.
 * In:     nodes made by scan.c and yaml.c, or by the builder below.
 * Out:    members by key, the JSON pointer of any node, equality.
 * Knows:  base/.
 *
 *   object --first--> member --next--> member        every node knows its parent, so the pointer
 *      ^                |parent                      of an error is told from the node alone
 *      +----------------+
 *
 * Strings are decoded; numbers keep their text, so nothing is lost to a double.  The members of a
 * finished object stand in canonical order (RFC 8785: by UTF-16 code units of the key), so writing
 * one needs neither memory nor sorting.
 */
#ifndef KVC_JSON_TREE_H
#define KVC_JSON_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"

enum kvc_type {
    KVC_NULL,
    KVC_FALSE,
    KVC_TRUE,
    KVC_NUMBER,
    KVC_STRING,
    KVC_ARRAY,
    KVC_OBJECT,
};

struct kvc_value {
    struct kvc_span key;  /* decoded; only when the parent is an object */
    struct kvc_span text; /* a string decoded, or a number as written */
    struct kvc_value *parent, *next, *first, *last;
    uint32_t count;  /* of children */
    uint32_t index;  /* among the elements of an array, from 0 */
    uint32_t offset; /* byte of the text where it began; 0 for built values */
    enum kvc_type type;
};

/* The member of an object, or NULL: also when `object` is NULL or no object. */
struct kvc_value *kvc_value_member_of(const struct kvc_value *object, struct kvc_span key);
static inline struct kvc_value *kvc_value_member(const struct kvc_value *object, const char *key)
{
    return kvc_value_member_of(object, kvc_span_of(key));
}

/* The element of an array, or NULL. */
struct kvc_value *kvc_value_element(const struct kvc_value *array, uint32_t index);

/* Room for a pointer; one longer is cut to "..." and its end, as kvcap_error.at does. */
#define KVC_POINTER_ROOM 400

/* RFC 6901: "" for the root, "/requests/3/tenant" below it. */
void kvc_value_pointer(const struct kvc_value *value, char ret_pointer[KVC_POINTER_ROOM]);

/* The pointer of a member that is not there. */
void kvc_value_pointer_below(const struct kvc_value *object, const char *key,
                             char ret_pointer[KVC_POINTER_ROOM]);

/* The node that a pointer names below `root`, or NULL. */
const struct kvc_value *kvc_value_at(const struct kvc_value *root, struct kvc_span pointer);

/* The order of RFC 8785 between two keys: below 0, 0, above 0.  Both must be UTF-8. */
int kvc_key_compare(struct kvc_span a, struct kvc_span b);

/* Puts an object's members in canonical order, in place.  Equal keys keep the order in which they
 * stood.  Not for what lies below: whoever fills an object calls this when it is full. */
void kvc_value_sort(struct kvc_value *object);

/* The later of two members with one key, or NULL.  The object must be sorted. */
struct kvc_value *kvc_value_duplicate(const struct kvc_value *object);

/* Whether two trees have the same canonical text.  When not, *ret_differing is the first node of
 * `b` (or the parent in `b` of one that is missing there) that differs. */
bool kvc_value_equal(const struct kvc_value *a, const struct kvc_value *b,
                     const struct kvc_value **ret_differing);

/* ---- Building.  The first full arena makes every later step do nothing: look at `full` once. */

struct kvc_build {
    struct kvc_arena *arena;
    bool full;
};

/* A node without a parent, or (with one) its new child: last in an array, at the place of its key in
 * an object.  `key` is for objects, else NULL, and is borrowed.  NULL when full. */
struct kvc_value *kvc_build_node(struct kvc_build *build, struct kvc_value *parent, const char *key,
                                 enum kvc_type type);

struct kvc_value *kvc_build_object(struct kvc_build *build, struct kvc_value *parent,
                                   const char *key);
struct kvc_value *kvc_build_array(struct kvc_build *build, struct kvc_value *parent,
                                  const char *key);
void kvc_build_u64(struct kvc_build *build, struct kvc_value *parent, const char *key,
                   uint64_t value);
void kvc_build_bool(struct kvc_build *build, struct kvc_value *parent, const char *key, bool value);
/* The text is borrowed: it must live as long as the tree. */
void kvc_build_text(struct kvc_build *build, struct kvc_value *parent, const char *key,
                    struct kvc_span text);
/* A copy of the whole value, its texts too, as a new child. */
void kvc_build_copy(struct kvc_build *build, struct kvc_value *parent, const char *key,
                    const struct kvc_value *value);

/* Links a node made elsewhere as the last child.  An object is then to be sorted. */
void kvc_value_append(struct kvc_value *parent, struct kvc_value *child);

/* Takes a member out of its object. */
void kvc_value_remove(struct kvc_value *object, struct kvc_value *member);

#endif /* KVC_JSON_TREE_H */
