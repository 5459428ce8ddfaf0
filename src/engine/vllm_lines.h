/* vllm_lines.h - the words that vLLM prints of its cache, as those of a day.
 *
 * Room:   engine/ - pure.
 * In:     numbers.
 * Out:    lines and refusals in an answer, to the letter, without the logger's prefix.
 * Knows:  base/, engine/.
 *
 * Read in vllm/v1/core/kv_cache_utils.py and vllm/v1/worker/gpu_worker.py (tags v0.8.5, v0.10.0, main of
 * 2026-08-17), vllm/worker/worker.py and vllm/executor/executor_base.py (v0.6.6) for the first engine.
 */
#ifndef KVC_ENGINE_VLLM_LINES_H
#define KVC_ENGINE_VLLM_LINES_H

#include "base/ieee.h"
#include "engine/answer.h"

/* "%.2f" until GiB were rounded by round() and told by str(): "20.00", then "20.0". */
struct kvc_span kvc_vllm_gib(struct kvc_answer *answer, uint32_t day, uint64_t bytes);

void kvc_vllm_put_available(struct kvc_answer *answer, uint32_t day, uint64_t bytes);

/* Two lines, or since 2026-08-04 one. */
void kvc_vllm_put_capacity(struct kvc_answer *answer, uint32_t day, uint64_t tokens,
                           uint64_t max_model_len, struct kvc_f64 concurrency);

/* The first engine's (V0). */
void kvc_vllm_put_v0_capacity(struct kvc_answer *answer, uint64_t gpu_blocks, uint64_t cpu_blocks,
                              uint64_t max_model_len, struct kvc_f64 concurrency);

/* A hybrid model's block of attention, as long as its state is wide; and by how much a state grows to that
 * block's bytes. */
void kvc_vllm_put_attention_block(struct kvc_answer *answer, uint64_t tokens);
void kvc_vllm_put_state_padding(struct kvc_answer *answer, uint64_t state_bytes,
                                uint64_t page_bytes);

struct kvc_vllm_refusal {
    uint32_t day;
    bool is_v0;
    uint64_t max_model_len;
    uint64_t needed_bytes, available_bytes;
    uint64_t stored_tokens;     /* V0 */
    struct kvc_maybe estimated; /* the longest context that fits */
};

void kvc_vllm_put_too_long(struct kvc_answer *answer, const struct kvc_vllm_refusal *refusal);
void kvc_vllm_put_no_memory(struct kvc_answer *answer, uint32_t day);
/* max_model_len is auto. */
void kvc_vllm_put_no_token(struct kvc_answer *answer);

/* Less is free at start than is asked for. */
void kvc_vllm_put_not_free(struct kvc_answer *answer, uint32_t day, uint64_t free_bytes,
                           uint64_t total_bytes, struct kvc_span utilization,
                           uint64_t requested_bytes);

#endif /* KVC_ENGINE_VLLM_LINES_H */
