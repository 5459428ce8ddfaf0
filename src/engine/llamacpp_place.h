/* llamacpp_place.h - which bytes of a llama.cpp process lie on which device.
 *
 * Room:   engine/ - pure.
 * In:     devices with their memory, how a model is split, caches that were weighed.
 * Out:    bytes a device, the host last.
 * Knows:  base/.
 *
 * llama_model_base::load_tensors (src/llama-model.cpp, 0.4.0) gives each layer a device; the output is one
 * layer more behind them, the input stays on the host.  -ngl N moves the last N of all that:
 *
 *   layer    0 ... i_gpu_start - 1 | i_gpu_start ......................... n_layer_all (output)
 *   on       host                  | devices, by the split: float(i - i_gpu_start) / N
 *
 * A layer's cache lies where its weights do, or with -nkvo on the host.
 */
#ifndef KVC_ENGINE_LLAMACPP_PLACE_H
#define KVC_ENGINE_LLAMACPP_PLACE_H

#include "engine/engine.h"
#include "engine/llamacpp_bytes.h"

#define KVC_LLAMACPP_DEVICES_MAX 16 /* GGML_CUDA_MAX_DEVICES, llama_max_devices() */

struct kvc_llamacpp_split {
    uint64_t gpu_layers; /* KVC_SETTING_MINUS_ONE: all, the output too */
    bool by_row, is_none;
    uint32_t main_device;                           /* is_none: the one that is used */
    struct kvc_f32 parts[KVC_LLAMACPP_DEVICES_MAX]; /* tensor_split */
    bool has_parts;                                 /* else by free memory */
};

struct kvc_llamacpp_place {
    struct kvc_span name;
    uint64_t free_bytes, total_bytes; /* of the host: both its total; 0: not said */
    uint64_t of_cache[KVC_LLAMACPP_CACHES_MAX];
    uint32_t layers_of_cache[KVC_LLAMACPP_CACHES_MAX];
    uint64_t cache_bytes;
    uint64_t weights_bytes; /* in proportion to layers */
    uint32_t layers;        /* the output layer too */
};

struct kvc_llamacpp_places {
    struct kvc_llamacpp_place list[KVC_LLAMACPP_DEVICES_MAX + 1]; /* the host is the last */
    uint32_t count;
    bool are_named; /* by the names that the engine has for them */
};

/* Devices that are used, and the host. */
void kvc_llamacpp_find_places(const struct kvc_engine_memory *memory,
                              const struct kvc_llamacpp_split *split,
                              struct kvc_llamacpp_places *ret_places);

/* Puts every layer somewhere. */
void kvc_llamacpp_place(const struct kvc_llamacpp_params *params,
                        const struct kvc_llamacpp_split *split,
                        const struct kvc_llamacpp_model *model,
                        const struct kvc_llamacpp_context *context,
                        const struct kvc_llamacpp_weights *weights, uint64_t weights_bytes,
                        struct kvc_llamacpp_places *places);

#endif /* KVC_ENGINE_LLAMACPP_PLACE_H */
