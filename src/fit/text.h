/* text.h - JSON text, put together piece by piece.
 *
 * Room:   fit/ - no I/O.
 * In:     keys, integers, strings.
 * Out:    one growing text in an arena.
 * Knows:  base/, json/.
 *
 * Commas take care of themselves: a value that does not come first in its object or list is led by one.
 */
#ifndef KVC_FIT_TEXT_H
#define KVC_FIT_TEXT_H

#include "base/arena.h"
#include "base/span.h"

struct kvc_fit_text {
    struct kvc_arena *arena;
    char *text;
    size_t length, room;
    bool full;   /* memory was refused */
    bool unsafe; /* an integer past 2^53-1 was written */
};

void kvc_fit_text_begin(struct kvc_fit_text *text, struct kvc_arena *arena);

void kvc_fit_put(struct kvc_fit_text *text, const char *bytes, size_t length);
/* "key": - with a comma before it where one is due.  NULL: an element of a list. */
void kvc_fit_put_key_of(struct kvc_fit_text *text, struct kvc_span key);
void kvc_fit_put_u64_of(struct kvc_fit_text *text, struct kvc_span key, uint64_t value);
void kvc_fit_put_text_of(struct kvc_fit_text *text, struct kvc_span key, struct kvc_span value);

/* The same by keys that are literals: here, so that their lengths are known where they are put. */
static inline struct kvc_span kvc_fit_key(const char *key)
{
    return (struct kvc_span){ key, key == NULL ? 0 : strlen(key) };
}
static inline void kvc_fit_put_key(struct kvc_fit_text *text, const char *key)
{
    kvc_fit_put_key_of(text, kvc_fit_key(key));
}
static inline void kvc_fit_put_u64(struct kvc_fit_text *text, const char *key, uint64_t value)
{
    kvc_fit_put_u64_of(text, kvc_fit_key(key), value);
}
static inline void kvc_fit_put_text(struct kvc_fit_text *text, const char *key,
                                    struct kvc_span value)
{
    kvc_fit_put_text_of(text, kvc_fit_key(key), value);
}
static inline void kvc_fit_open(struct kvc_fit_text *text, const char *key, char bracket)
{
    kvc_fit_put_key(text, key);
    kvc_fit_put(text, &bracket, 1);
}
static inline void kvc_fit_close(struct kvc_fit_text *text, char bracket)
{
    kvc_fit_put(text, &bracket, 1);
}
void kvc_fit_put_bool(struct kvc_fit_text *text, const char *key, bool value);

#endif /* KVC_FIT_TEXT_H */
