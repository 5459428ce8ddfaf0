/* format.c - see format.h for the room and its promises. */

#include "shape/format.h"

static const char *const NAMES[KVC_FORMAT_COUNT] = { [KVC_FORMAT_NONE] = "none",
#define XX(name, text) [KVC_FORMAT_##name] = text,
                                                     KVC_FORMAT_MAP(XX)
#undef XX
};

const char *kvc_format_name(enum kvc_format format)
{
    return NAMES[format];
}

const char *kvc_format_words(void)
{
#define XX(name, text) " " text
    return &(KVC_FORMAT_MAP(XX))[1]; /* after the first space */
#undef XX
}

bool kvc_format_named(struct kvc_span name, enum kvc_format *ret_format)
{
    for (unsigned i = KVC_FORMAT_NONE + 1; i < KVC_FORMAT_COUNT; i++) {
        if (kvc_span_is(name, NAMES[i])) {
            *ret_format = (enum kvc_format)i;
            return true;
        }
    }
    return false;
}

bool kvc_format_said(struct kvc_span word, enum kvc_format *ret_format)
{
    /* vllm/config/cache.py, CacheDType, and torch's names of types. */
    static const struct {
        const char *word;
        enum kvc_format format;
    } WORDS[] = {
        { "fp8", KVC_FORMAT_FP8_E4M3 },
        { "fp8_inc", KVC_FORMAT_FP8_E4M3 },
        { "float32", KVC_FORMAT_F32 },
        { "float", KVC_FORMAT_F32 },
        { "float16", KVC_FORMAT_F16 },
        { "half", KVC_FORMAT_F16 },
        { "bfloat16", KVC_FORMAT_BF16 },
        { "fp8_per_token_head", KVC_FORMAT_FP8_TOKEN_HEAD },
        { "int8_per_token_head", KVC_FORMAT_INT8_TOKEN_HEAD },
        { "int4_per_token_head", KVC_FORMAT_INT4_TOKEN_HEAD },
    };
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        if (kvc_span_is(word, WORDS[i].word)) {
            *ret_format = WORDS[i].format;
            return true;
        }
    }
    return kvc_format_named(word, ret_format);
}
