/* quant.h - the cache format that a checkpoint asks for.
 *
 * Room:   meta/ - no I/O.
 * In:     config.json (or params.json), and ModelOpt's hf_quant_config.json.
 * Out:    whether K and V are asked to be stored in a format of their own, which, and where it says so.
 * Knows:  base/, json/.
 *
 * It is a wish: whether an engine's `auto` heeds it is that engine's rule, not said here.
 *
 * | key                                     | written by          | values                          |
 * | quantization_config/kv_cache_scheme     | compressed-tensors, | null, "FP8", {num_bits, type}   |
 * |                                         | ModelOpt            |                                 |
 * | quantization_config/kv_cache_quant_algo | ModelOpt            | null, "FP8", "NVFP4", "INT8"    |
 * | quantization/kv_cache_quant_algo        | hf_quant_config.json| the same                        |
 * | quantization_config/kv_cache_group      | Quark               | [], or names: not read here     |
 *
 * The words are those of NVIDIA ModelOpt (modelopt/torch/export/model_config.py), compressed-tensors
 * (quantization/quant_config.py) and vLLM (vllm/utils/torch_utils.py, get_kv_cache_quant_algo_string);
 * FP8 is e4m3 in all three.  awq, gptq, mxfp4, fp8 and bitsandbytes say nothing of the cache.
 */
#ifndef KVC_META_QUANT_H
#define KVC_META_QUANT_H

#include <stdbool.h>

#include "json/tree.h"

enum kvc_asked {
    KVC_ASKED_NOTHING, /* no key says anything of the cache */
    KVC_ASKED_NONE,    /* a key says that the cache is not quantised */
    KVC_ASKED_FORMAT,  /* `format` */
    KVC_ASKED_UNKNOWN, /* something that is not known: `said` */
};

struct kvc_quant {
    struct kvc_span
        method; /* how the weights are stored, as the file says; length 0: as they are */
    enum kvc_asked asked;
    const char *format;   /* a cache format of a record ("fp8_e4m3", "nvfp4"), or "int8", which has
                             no layout there */
    struct kvc_span said; /* the value as written, or "an object" */
    const struct kvc_value *at; /* the value; NULL when nothing was asked */
};

/* Of one file.  `tree` is its object; what is no object asks for nothing. */
void kvc_quant_read(const struct kvc_value *tree, struct kvc_quant *ret_quant);

/* Whether two files ask for the same; one that says nothing agrees with any. */
bool kvc_quant_agree(const struct kvc_quant *a, const struct kvc_quant *b);

/* What is asked, as words: "fp8_e4m3", "an unquantised cache", "\"FP6\", which is not known". */
#define KVC_QUANT_WORDS 96
void kvc_quant_words(const struct kvc_quant *quant, char ret_words[KVC_QUANT_WORDS]);

#endif /* KVC_META_QUANT_H */
