/* vllm_pool.h - blocks, tokens and concurrency that vLLM reports of a pool; what it needs to start.
 *
 * Room:   engine/ - pure.
 * In:     groups, and what is available on each worker.
 * Out:    the numbers of its log lines; whether it starts, and the longest context with which it would.
 * Knows:  base/, engine/.
 *
 * Read in vllm/v1/core/kv_cache_utils.py at 017e9f4 (2026-08-17).  Concurrency is a double there, and is
 * one here (base/ieee.h): printed with "%.2f", times max_model_len truncated to tokens.
 */
#ifndef KVC_ENGINE_VLLM_POOL_H
#define KVC_ENGINE_VLLM_POOL_H

#include "base/ieee.h"
#include "engine/answer.h"
#include "engine/vllm_groups.h"

struct kvc_vllm_pool_question {
    const struct kvc_vllm_grouping *grouping;
    const struct kvc_vllm_layers *layers; /* as the grouping was made of */
    uint32_t day;
    struct kvc_vllm_request request;  /* of the longest sequence */
    const uint64_t *available_bytes;  /* one a worker; NULL: not compared */
    struct kvc_maybe override_blocks; /* num_gpu_blocks_override */
    bool auto_fit;                    /* max_model_len is reduced until it fits */
    bool prefix_caching;
    bool has_connector;
    uint64_t prefix_match_unit; /* 0: not stated */
};

enum kvc_vllm_start {
    KVC_VLLM_STARTS,
    KVC_VLLM_NO_MEMORY, /* nothing is available */
    KVC_VLLM_TOO_LONG,  /* one request of max_model_len does not fit */
    KVC_VLLM_NO_TOKEN,  /* max_model_len is auto, and a request of one token does not fit */
};

struct kvc_vllm_pool {
    enum kvc_vllm_start start;
    uint32_t deciding_worker; /* the first that refuses, or the one with the fewest blocks */
    uint64_t needed_bytes, available_bytes; /* of that worker; its checked budget */
    struct kvc_maybe estimated;             /* TOO_LONG: the longest context, where there is one */
    uint64_t max_model_len;                 /* as it ended up */

    uint64_t *block_bytes;        /* on each worker; 0: it keeps none */
    struct kvc_maybe num_blocks;  /* without what is available or an override: not said */
    uint64_t *blocks_per_request; /* of each group */
    uint64_t request_blocks;      /* their sum */
    uint64_t tokens, legacy_tokens;
    struct kvc_f64 concurrency;
    uint64_t scheduler_block_size, hash_block_size; /* 0: past 64 bits */
};

/* Lists come from the arena.  Of layers that are not grouped, where vLLM objects to that, `start` alone says
 * something: whether it refuses for want of memory before it comes to the groups. */
kvcap_code kvc_vllm_pool(const struct kvc_vllm_pool_question *question, struct kvc_arena *arena,
                         struct kvc_vllm_pool *ret_pool, kvcap_error *err);

#endif /* KVC_ENGINE_VLLM_POOL_H */
