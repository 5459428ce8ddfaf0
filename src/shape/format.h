/* format.h - the names of cache element formats.
 *
 * Room:   shape/ - pure.
 * In:     the words of a record or a command line.
 * Out:    one of the formats below; what each weighs is bytes/elem.h's to say.
 * Knows:  base/.
 */
#ifndef KVC_SHAPE_FORMAT_H
#define KVC_SHAPE_FORMAT_H

#include <stdbool.h>

#include "base/span.h"

/* name in C, name in records */
#define KVC_FORMAT_MAP(XX)                                                                         \
    XX(F32, "f32")                                                                                 \
    XX(F16, "f16")                                                                                 \
    XX(BF16, "bf16")                                                                               \
    XX(FP8_E4M3, "fp8_e4m3")                                                                       \
    XX(FP8_E5M2, "fp8_e5m2")                                                                       \
    XX(FP8_DS_MLA, "fp8_ds_mla")                                                                   \
    XX(NVFP4, "nvfp4")                                                                             \
    XX(INT8_TOKEN_HEAD, "int8_token_head")                                                         \
    XX(FP8_TOKEN_HEAD, "fp8_token_head")                                                           \
    XX(INT4_TOKEN_HEAD, "int4_token_head")                                                         \
    XX(Q8_0, "q8_0")                                                                               \
    XX(Q5_1, "q5_1")                                                                               \
    XX(Q5_0, "q5_0")                                                                               \
    XX(Q4_1, "q4_1")                                                                               \
    XX(Q4_0, "q4_0")                                                                               \
    XX(IQ4_NL, "iq4_nl")

enum kvc_format {
    KVC_FORMAT_NONE, /* no format is named; also "the model's own dtype" where that is allowed */
#define XX(name, text) KVC_FORMAT_##name,
    KVC_FORMAT_MAP(XX)
#undef XX
        KVC_FORMAT_COUNT
};

/* "none" for KVC_FORMAT_NONE.  Static. */
const char *kvc_format_name(enum kvc_format format);

/* All names, a space between them: for a refusal that is to help.  Static. */
const char *kvc_format_words(void);

/* False when no format has this name. */
bool kvc_format_named(struct kvc_span name, enum kvc_format *ret_format);

/* The same, or by the word that an engine has for it: "fp8", "half", "int8_per_token_head". */
bool kvc_format_said(struct kvc_span word, enum kvc_format *ret_format);

#endif /* KVC_SHAPE_FORMAT_H */
