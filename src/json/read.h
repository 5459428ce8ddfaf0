/* read.h - members of a strict record, by type and bound.
 *
 * Room:   json/ - pure.
 * In:     a tree of a record, and what its schema says.
 * Out:    plain values; the first refusal, with the pointer of the member.
 * Knows:  base/.
 *
 * The reader is sticky, like struct ck: after the first refusal every call does nothing and returns
 * a zero, so a schema is written down as a list of reads and checked once, at its end.
 */
#ifndef KVC_JSON_READ_H
#define KVC_JSON_READ_H

#include "base/ck.h"
#include "base/fail.h"
#include "json/tree.h"

struct kvc_reader {
    kvcap_code rc;
    kvcap_error *err; /* may be NULL */
};

struct kvc_key {
    const char *name;
    bool optional;
};

#define KVC_NAME_BYTES_MAX 256
#define KVC_LONG_TEXT_BYTES_MAX 4096
#define KVC_DIM_MAX UINT64_C(4294967295)

/* Refuses at a node, unless something was refused before. */
void kvc_refuse(struct kvc_reader *r, enum kvc_slug slug, const struct kvc_value *at,
                const char *format, ...) KVC_PRINTF(4, 5);

/* Refuses at a member that is not there, or at one that is. */
void kvc_refuse_member(struct kvc_reader *r, enum kvc_slug slug, const struct kvc_value *object,
                       const char *key, const char *format, ...) KVC_PRINTF(5, 6);

/* The value must be an object with exactly these keys; the optional ones may be absent.  Returns it
 * for chaining, or NULL once refused. */
const struct kvc_value *kvc_read_keys(struct kvc_reader *r, const struct kvc_value *value,
                                      const struct kvc_key *keys, size_t keys_count);

/* The member, which must be an object with exactly these keys. */
const struct kvc_value *kvc_read_object(struct kvc_reader *r, const struct kvc_value *object,
                                        const char *key, const struct kvc_key *keys,
                                        size_t keys_count);

/* The member, which must be an array of count_min to count_max elements. */
const struct kvc_value *kvc_read_array(struct kvc_reader *r, const struct kvc_value *object,
                                       const char *key, uint32_t count_min, uint32_t count_max);

bool kvc_has(const struct kvc_value *object, const char *key);

/* An integer within bounds.  The first is for a value at hand, the second for a member. */
uint64_t kvc_read_value_u64(struct kvc_reader *r, const struct kvc_value *value, uint64_t min,
                            uint64_t max);
uint64_t kvc_read_u64(struct kvc_reader *r, const struct kvc_value *object, const char *key,
                      uint64_t min, uint64_t max);

/* Spellings of the common bounds: see the table of types in doc/records.md. */
uint32_t kvc_read_dim(struct kvc_reader *r, const struct kvc_value *object, const char *key);
uint64_t kvc_read_n0(struct kvc_reader *r, const struct kvc_value *object, const char *key);
uint64_t kvc_read_n1(struct kvc_reader *r, const struct kvc_value *object, const char *key);

/* Text of any content; text that is a name; a name or other text of up to `bytes_max` bytes. */
struct kvc_span kvc_read_text(struct kvc_reader *r, const struct kvc_value *object,
                              const char *key);
struct kvc_span kvc_read_name(struct kvc_reader *r, const struct kvc_value *object,
                              const char *key);
struct kvc_span kvc_read_value_name(struct kvc_reader *r, const struct kvc_value *value,
                                    size_t bytes_max);
bool kvc_is_name(struct kvc_span text, size_t bytes_max);

/* One of the words; its index.  0 once refused. */
size_t kvc_read_word(struct kvc_reader *r, const struct kvc_value *object, const char *key,
                     const char *const *words, size_t words_count);

#define KVC_COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

#endif /* KVC_JSON_READ_H */
