/* vllm_changes.h - the days on which vLLM's accounting changed, and what changed.
 *
 * Room:   engine/ - pure, a table.
 * In:     a day, YYYYMMDD.
 * Out:    whether a change was in force.
 * Knows:  base/, engine/.
 *
 * The day is that of the commit on main; a release follows the rules of the day on which it was cut.
 * Every dated rule in the code asks here, so that a table of changes can be printed, and a difference
 * between two versions can be told by the change that made it.
 */
#ifndef KVC_ENGINE_VLLM_CHANGES_H
#define KVC_ENGINE_VLLM_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"

/* name in C, day, name, what changed, where it can be read; ascending */
/* clang-format off */
#define KVC_VLLM_CHANGE_MAP(XX) \
    XX(LATENTS, 20250201, "latents", "compressed rows (MLA) are cached as such; before, DeepSeek's heads were, padded to 256 elements", "v0.7.1; v0.6.6 vllm/config.py, get_head_size") \
    XX(V1_DEFAULT, 20250318, "v1_default", "the second engine (V1) is the default where it supports the model", "v0.8.0 release notes") \
    XX(ESTIMATE_IN_REFUSAL, 20250414, "estimate_in_refusal", "a refusal estimates the longest context that would fit", "v0.8.4, vllm/v1/core/kv_cache_utils.py") \
    XX(AVAILABLE_LINE, 20250501, "available_line", "the available cache memory is logged", "v0.9.0, vllm/v1/worker/gpu_worker.py; the day is that of the release's branch or before") \
    XX(BATCH_BY_MEMORY, 20250515, "batch_by_memory", "a device of 70 GiB that is no A100 has 8,192 tokens a step; before, it went by the device's name", "PR 17885, v0.9.0") \
    XX(HYBRID_MANAGER, 20250606, "hybrid_manager", "layers that slide are grouped apart and hold less; tokens are those of one group", "v0.9.1, vllm/v1/core/kv_cache_coordinator.py") \
    XX(CHUNKS_TOGETHER, 20250728, "chunks_together", "layers that attend in chunks are held whole unless a variable asks for groups", "PR 21761") \
    XX(CACHE_MEMORY_BYTES, 20250911, "kv_cache_memory_bytes", "the memory of the cache can be given in bytes", "main of that day, v0.11.0") \
    XX(STRIDED_GROUPS, 20250919, "strided_groups", "a group takes every so many-th layer of its kind, not a run of them", "v0.11.0, _get_kv_cache_groups_uniform_page_size; v0.10.0 took runs") \
    XX(V1_ONLY, 20250920, "v1_only", "the first engine (V0) is gone", "main of that day, v0.11.0") \
    XX(UNIFORM_TYPE_GROUPS, 20250924, "uniform_type_groups", "layers of one type with unlike pages make one group", "v0.11.0, UniformTypeKVCacheSpecs; v0.10.0 had none") \
    XX(UNIFY_PAGES, 20250925, "unify_pages", "blocks grow until all pages have one size", "v0.11.0, unify_kv_cache_spec_page_size; v0.10.0 refused") \
    XX(WINDOW_BLOCKS, 20251002, "window_blocks", "layers that slide have the smallest block of their backend, whatever block_size says", "main of 2026-08-17; v0.10.0 had block_size: the day between is not known, v0.11.0's is taken") \
    XX(MAMBA_ALL_MODE, 20251003, "mamba_all", "where the class supports it, enable_prefix_caching keeps a recurrent state a block", "PR 25752 (Mamba 2), PR 26377 (Mamba 1), v0.11.1") \
    XX(CPU_BLOCKS, 20251118, "cpu_blocks", "a CPU has blocks of 128 and keeps the hybrid manager", "vllm/platforms/cpu.py of v0.12.0; the day is that of v0.11.1") \
    XX(PREFILL_CONTEXT, 20251119, "prefill_context", "ranks that share a prompt divide the tokens of attention too", "main of 2025-11, v0.12.0; undone on 2026-04-28") \
    XX(GROUPING_1_25, 20251124, "grouping_1_25", "groups are as large as the largest kind where that is less than 1.25 times the smallest", "main of that day") \
    XX(GIB_BY_STR, 20251201, "gib_by_str", "GiB are rounded and told without trailing zeros", "logs of v0.12 and after; v0.11 printed %.2f") \
    XX(PLACE_IN_REFUSAL, 20251201, "place_in_refusal", "a refusal for want of memory names a page of the documentation", "PR 28051, reviewed on 2025-11-17; a log of v0.15.2rc1 has it (issue 34076)") \
    XX(CHECK_BY_GROUPS, 20251223, "check_by_groups", "the check at start counts padded groups, and max_model_len may be auto", "main of that day, _max_memory_usage_bytes_from_groups") \
    XX(ASYNC_DEFAULT, 20251229, "async_default", "async scheduling is on by default", "PR 27614") \
    XX(ASYNC_SPECULATIVE, 20260109, "async_speculative", "and with speculative decoding", "main of that day") \
    XX(MAMBA_ALIGN_MODE, 20260123, "mamba_align", "hybrid models cache prefixes in the mode align: two blocks a request and group", "PR 30877") \
    XX(CHUNKS_APART, 20260131, "chunks_apart", "and are grouped apart again by default; the day lies between 2025-11-27 and this one", "PR 29627; PR 46553 of 2026-06-24 tells that the default is 1") \
    XX(GRAPH_ESTIMATE_OPT_IN, 20260307, "graph_estimate_opt_in", "an estimate of CUDA graphs can be subtracted", "main of that day") \
    XX(GROUPING_1_5, 20260312, "grouping_1_5", "the same where it is less than 1.5 times", "main of that day") \
    XX(ALIGNED_AFTER_LOAD, 20260331, "aligned_after_load", "a hybrid model's block is a multiple of the one that the backend or the user has, not of 16", "PR 37467 of 2026-03-18, told as merged on 2026-03-31") \
    XX(UTILIZATION_092, 20260421, "utilization_092", "gpu_memory_utilization is 0.92 by default, and the estimate of CUDA graphs is subtracted", "PR 38284, first released in v0.20.0") \
    XX(ALIGN_WITH_DRAFTS, 20260421, "align_with_drafts", "with speculative decoding the mode is align whatever the class supports", "commit f819265a") \
    XX(TOKENS_FROM_CONCURRENCY, 20260428, "tokens_from_concurrency", "tokens are concurrency times max_model_len; an override of blocks is checked by its bytes", "PR 41069, first released in v0.20.1") \
    XX(CONNECTOR_KEEPS_GROUPS, 20260506, "connector_keeps_groups", "a connector that can handle groups keeps the hybrid manager", "PR 41847; the day is that of its number, v0.22.0 has it") \
    XX(MODELS_SPELLING, 20260515, "models_spelling", "the refusal says model's, and no more models's", "logs of 2026-04-19 and of 2026-06-19; the day is taken between them") \
    XX(CPU_IN_REFUSAL, 20260615, "cpu_in_refusal", "a refusal for want of memory tells that gpu_memory_utilization is of a CPU too", "logs of 2026-05-25 and of 2026-07-01; the day is taken between them") \
    XX(PADDED_PAGES, 20260619, "padded_pages", "pages that do not divide are padded where the backend addresses blocks by their stride", "PR 45181, v0.24.0") \
    XX(IN_FLIGHT_BATCHES, 20260708, "in_flight_batches", "a window holds what all batches in flight may add, not one batch", "PR 47728, v0.26.0") \
    XX(CONCURRENCY_FROM_BLOCKS, 20260721, "concurrency_from_blocks", "concurrency is blocks over the blocks of a request, group by group", "main of 2026-07-21") \
    XX(V4_PACKED, 20260722, "v4_packed", "compressed models lie in one packed slab", "main of 2026-07-22") \
    XX(ONE_LINE_LOG, 20260804, "one_line_log", "tokens and concurrency are logged in one line", "PR 50462") \
    XX(BATCH_OF_160_GIB, 20260811, "batch_of_160_gib", "a device of 160 GiB has 16,384 tokens a step", "PR 51726, v0.28.0") \
    XX(HYBRID_PREFIX_CACHING, 20260811, "hybrid_prefix_caching", "hybrid models cache prefixes by default", "PR 50991; v0.27.1 has it not and v0.28.0 has it")
/* clang-format on */

enum kvc_vllm_change {
#define XX(id, day, name, sentence, source) KVC_VLLM_##id = day,
    KVC_VLLM_CHANGE_MAP(XX)
#undef XX
};

static inline bool kvc_vllm_since(uint32_t day, enum kvc_vllm_change change)
{
    return day >= (uint32_t)change;
}

/* The same as rows. */
extern const struct kvc_engine_change kvc_vllm_change_rows[];
#define KVC_VLLM_CHANGES_COUNT 40

#endif /* KVC_ENGINE_VLLM_CHANGES_H */
