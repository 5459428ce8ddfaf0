/* gguf_value.c - see gguf_value.h for the room and its promises. */

#include "meta/gguf_value.h"

uint64_t kvc_gguf_load(const unsigned char *bytes, unsigned width)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

const struct kvc_gguf_kv *kvc_gguf_find(const struct kvc_gguf *gguf, const char *key)
{
    struct kvc_span wanted = kvc_span_of(key);
    uint32_t low = 0, high = gguf->kvs_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct kvc_gguf_kv *kv = &gguf->kvs[gguf->kvs_by_key[middle]];
        int order = kvc_span_compare(kv->key, wanted);
        if (order == 0)
            return kv;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static bool is_signed(enum kvc_gguf_type type)
{
    return type == KVC_GGUF_I8 || type == KVC_GGUF_I16 || type == KVC_GGUF_I32 ||
           type == KVC_GGUF_I64;
}

bool kvc_gguf_is_integer(enum kvc_gguf_type type)
{
    return is_signed(type) || type == KVC_GGUF_U8 || type == KVC_GGUF_U16 || type == KVC_GGUF_U32 ||
           type == KVC_GGUF_U64;
}

bool kvc_gguf_element_u64(const struct kvc_gguf_kv *kv, uint64_t i, uint64_t *ret_value)
{
    if (!kvc_gguf_is_integer(kv->element_type) || i >= kv->count)
        return false;
    unsigned width = kvc_gguf_type_bytes(kv->element_type);
    uint64_t value = kvc_gguf_load(kv->bytes + i * width, width);
    bool is_negative = is_signed(kv->element_type) && value >> (8 * width - 1) != 0;
    if (!is_negative)
        *ret_value = value;
    return !is_negative;
}

int64_t kvc_gguf_element_i64(const struct kvc_gguf_kv *kv, uint64_t i)
{
    uint64_t value;
    if (kvc_gguf_element_u64(kv, i, &value))
        return value > INT64_MAX ? 0 : (int64_t)value;
    if (!is_signed(kv->element_type) || i >= kv->count)
        return 0;
    unsigned width = kvc_gguf_type_bytes(kv->element_type);
    uint64_t ones = width == 8 ? 0 : UINT64_MAX << (8 * width); /* the sign, to the left of it */
    return (int64_t)(kvc_gguf_load(kv->bytes + i * width, width) | ones);
}

bool kvc_gguf_element_bool(const struct kvc_gguf_kv *kv, uint64_t i, bool *ret_value)
{
    if (kv->element_type != KVC_GGUF_BOOL || i >= kv->count)
        return false;
    *ret_value = kv->bytes[i] != 0;
    return true;
}

bool kvc_gguf_element_text(const struct kvc_gguf_kv *kv, uint64_t i, struct kvc_span *ret_text)
{
    if (kv->element_type != KVC_GGUF_TEXT || i >= kv->count)
        return false;
    const unsigned char *at = kv->bytes;
    for (uint64_t hop = 0; hop < i; hop++)
        at += 8 + kvc_gguf_load_8(at);
    *ret_text =
        (struct kvc_span){ .text = (const char *)at + 8, .length = (size_t)kvc_gguf_load_8(at) };
    return true;
}

bool kvc_gguf_u64(const struct kvc_gguf_kv *kv, uint64_t *ret_value)
{
    return kv->type != KVC_GGUF_ARRAY && kvc_gguf_element_u64(kv, 0, ret_value);
}
