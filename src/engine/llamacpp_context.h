/* llamacpp_context.h - the geometry of a llama.cpp context: cells, streams, batches, or why it is refused.
 *
 * Room:   engine/ - pure.
 * In:     context parameters by the library's names, a model's caches, the day.
 * Out:    what llama_context has after it was made, and the cells of each cache.
 * Knows:  base/, shape/.
 *
 * llama_init_from_model checks, then llama_context::llama_context (src/llama-context.cpp) rounds:
 *
 *   n_batch    min(n_ctx, n_batch)  by n_ctx before it is rounded
 *   n_ctx      a multiple of 256
 *   n_ctx_seq  n_ctx where sequences share one stream, else n_ctx / n_seq_max, a multiple of 256 - so
 *              that the total may become larger than what was asked for
 */
#ifndef KVC_ENGINE_LLAMACPP_CONTEXT_H
#define KVC_ENGINE_LLAMACPP_CONTEXT_H

#include "engine/llamacpp_caches.h"
#include "shape/format.h"

#define KVC_LLAMACPP_SEQ_MAX 256 /* LLAMA_MAX_SEQ, src/llama-cparams.h */

enum kvc_llamacpp_flash { KVC_LLAMACPP_FLASH_OFF, KVC_LLAMACPP_FLASH_ON, KVC_LLAMACPP_FLASH_AUTO };

/* struct llama_context_params, as far as it sizes. */
struct kvc_llamacpp_params {
    uint64_t n_ctx, n_batch, n_ubatch, n_seq_max, n_rs_seq;
    uint64_t n_outputs_max; /* 0: as many as the batch of the context */
    enum kvc_format type_k, type_v;
    enum kvc_llamacpp_flash flash;
    bool kv_unified, swa_full, offload_kqv;
    bool split_by_tensor; /* LLAMA_SPLIT_MODE_TENSOR */
    bool is_embedding;    /* no causal attention, by the user's word */
};

struct kvc_llamacpp_context {
    uint64_t n_ctx, n_ctx_seq, n_batch, n_ubatch;
    uint64_t n_ctx_printed,
        n_ctx_seq_printed; /* as the log tells them, until 2025-10 before rounding */
    uint32_t n_seq_max, n_rs_seq, streams;
    enum kvc_llamacpp_flash flash; /* as the log tells it */
    bool kv_unified;
    bool is_rounded;      /* "n_ctx is not divisible by n_seq_max" */
    bool is_v_transposed; /* flash attention is off */
    bool is_v_widened;    /* values of each layer have the widest row, since PR 14363 */
    bool is_v_kept;       /* of compressed rows too, as before PR 19067 */
    bool is_refused;      /* the refusal is in the answer */
};

/* A refusal goes into the answer, with the engine's words. */
void kvc_llamacpp_context_make(const struct kvc_llamacpp_params *params,
                               const struct kvc_llamacpp_model *model, uint32_t day,
                               struct kvc_answer *answer, struct kvc_llamacpp_context *ret_context);

/* Cells of a sequence or stream in a cache of keys and values. */
uint64_t kvc_llamacpp_cells_of(const struct kvc_llamacpp_cache *cache,
                               const struct kvc_llamacpp_params *params,
                               const struct kvc_llamacpp_model *model,
                               const struct kvc_llamacpp_context *context, uint32_t day);

bool kvc_llamacpp_is_quantized(enum kvc_format format);

#endif /* KVC_ENGINE_LLAMACPP_CONTEXT_H */
