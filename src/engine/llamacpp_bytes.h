/* llamacpp_bytes.h - what each cache of a llama.cpp context weighs.
 *
 * Room:   engine/ - pure.
 * In:     caches of a model, a context.
 * Out:    bytes, as the tensors of each cache have them.
 * Knows:  base/, bytes/.
 */
#ifndef KVC_ENGINE_LLAMACPP_BYTES_H
#define KVC_ENGINE_LLAMACPP_BYTES_H

#include "engine/llamacpp_context.h"

struct kvc_llamacpp_weight {
    const struct kvc_llamacpp_cache *cache;
    uint64_t cells;                     /* of one stream; recurrent: sequences; state: 0 */
    uint64_t k_bytes, v_bytes;          /* kv */
    uint64_t r_bytes, s_bytes, p_bytes; /* recurrent */
    uint64_t bytes;                     /* all of it */
};

struct kvc_llamacpp_weights {
    struct kvc_llamacpp_weight list[KVC_LLAMACPP_CACHES_MAX];
    uint32_t count;
    uint64_t bytes;
    bool is_undivided; /* a row of a quantised type is no whole number of blocks */
};

kvcap_code kvc_llamacpp_weigh(const struct kvc_llamacpp_params *params,
                              const struct kvc_llamacpp_model *model,
                              const struct kvc_llamacpp_context *context, uint32_t day,
                              struct kvc_llamacpp_weights *ret_weights, kvcap_error *err);

/* Elements of a cell's values in layers of a cache: without flash attention those of the widest. */
uint64_t kvc_llamacpp_v_elements(const struct kvc_llamacpp_cache *cache,
                                 const struct kvc_llamacpp_context *context,
                                 const struct kvc_llamacpp_rows *rows);

/* Of that, the bytes of one layer; false for one that is not in the cache. */
bool kvc_llamacpp_layer_bytes(const struct kvc_llamacpp_params *params,
                              const struct kvc_llamacpp_context *context,
                              const struct kvc_llamacpp_weight *weight, uint32_t layer,
                              uint64_t *ret_bytes);

#endif /* KVC_ENGINE_LLAMACPP_BYTES_H */
