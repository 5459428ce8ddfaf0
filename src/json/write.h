/* write.h - the one canonical spelling of a value: RFC 8785 within our integer profile.
 *
 * Room:   json/ - pure.
 * In:     a tree whose numbers are integers of a record.
 * Out:    its bytes, in pieces, to whoever takes them: a digest, a buffer, a file.
 * Knows:  base/.
 *
 * Same value, same bytes: no white space, members by UTF-16 code units of their keys, strings with
 * the shortest escapes.  Numbers are written as they stand, since the scanner let only the
 * canonical spelling of an integer pass.
 */
#ifndef KVC_JSON_WRITE_H
#define KVC_JSON_WRITE_H

#include "base/fail.h"
#include "json/tree.h"

/* Who takes the bytes.  A sink that can fail remembers it by itself. */
struct kvc_sink {
    void (*put)(void *context, const char *bytes, size_t length);
    void *context;
};

/* The canonical text of `value`.  When `without` is not NULL and the value is an object, its member
 * of that key is left out: an id covers all but itself. */
void kvc_write(const struct kvc_value *value, const char *without, const struct kvc_sink *sink);

/* One string in quotes, escaped. */
void kvc_write_string(struct kvc_span text, const struct kvc_sink *sink);

/* A sink that collects into an arena: put with kvc_text_sink(), read with .text and .length, which
 * are followed by a NUL.  `full` once memory was refused. */
struct kvc_text {
    struct kvc_arena *arena;
    char *text;
    size_t length, room;
    bool full;
};

struct kvc_sink kvc_text_sink(struct kvc_text *text);

#endif /* KVC_JSON_WRITE_H */
