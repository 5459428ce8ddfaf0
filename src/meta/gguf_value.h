/* gguf_value.h - key-values of a GGUF file, looked up and typed.
 *
 * Room:   meta/ - no I/O.
 * In:     a header that was read.
 * Out:    numbers, truths and texts; false where the value is of another type.
 * Knows:  base/.
 *
 * Writers differ in the width they give a number, so any integer type will do for a count.
 */
#ifndef KVC_META_GGUF_VALUE_H
#define KVC_META_GGUF_VALUE_H

#include "meta/gguf.h"

/* NULL when there is no such key. */
const struct kvc_gguf_kv *kvc_gguf_find(const struct kvc_gguf *gguf, const char *key);

/* A value of any integer type that is no array and not negative. */
bool kvc_gguf_u64(const struct kvc_gguf_kv *kv, uint64_t *ret_value);

/* Element i of an array, or the value itself for 0; false past its end.  A text costs i hops, and is
 * as it stands in the file: not checked to be UTF-8. */
bool kvc_gguf_element_u64(const struct kvc_gguf_kv *kv, uint64_t i, uint64_t *ret_value);
bool kvc_gguf_element_bool(const struct kvc_gguf_kv *kv, uint64_t i, bool *ret_value);
bool kvc_gguf_element_text(const struct kvc_gguf_kv *kv, uint64_t i, struct kvc_span *ret_text);

bool kvc_gguf_is_integer(enum kvc_gguf_type type);

/* The same of any integer type but u64; 0 for what is none. */
int64_t kvc_gguf_element_i64(const struct kvc_gguf_kv *kv, uint64_t i);

/* A little-endian integer of 1 to 8 bytes, at any address. */
uint64_t kvc_gguf_load(const unsigned char *bytes, unsigned width);

/* The same of 8, which compilers turn into one load: a long list is hops and nothing else. */
static inline uint64_t kvc_gguf_load_8(const unsigned char *at)
{
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
           (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 |
           (uint64_t)at[7] << 56;
}

#endif /* KVC_META_GGUF_VALUE_H */
