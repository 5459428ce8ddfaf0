/* vllm_memory.c - what of a device becomes cache, and where all bytes are.  Declared in vllm.h.
 *
 * Read in vllm/v1/worker/gpu_worker.py (determine_available_memory, request_memory) at 017e9f4 (2026-08-17):
 *
 *   requested = ceil(total * gpu_memory_utilization), in doubles; refused where less is free at start
 *   available = requested - weights - activation peak - what lies outside of torch - graphs, as estimated
 *
 * Until 2026-04-21 the estimate of CUDA graphs was not subtracted. */

#include <inttypes.h>
#include <string.h>

#include "base/ck.h"
#include "base/decimal.h"
#include "engine/vllm.h"
#include "engine/vllm_changes.h"
#include "engine/vllm_lines.h"

#define GIB (UINT64_C(1) << 30)

static kvcap_code no_memory(const struct kvc_vllm_fit *fit)
{
    return kvc_fail(fit->err, KVC_MEMORY_FULL, "", "the budget needs more memory");
}

/* Weights of one rank: as given, or the model's shared out evenly, which is an estimate. */
static struct kvc_maybe weights_of_rank(const struct kvc_vllm_fit *fit)
{
    const struct kvc_engine_memory *memory = fit->q->memory;
    uint64_t bytes = fit->q->model->weights_bytes, ranks = fit->set.tp * fit->set.pp;
    if (memory->weights_bytes.said || bytes == 0)
        return memory->weights_bytes;
    return kvc_said(bytes / ranks + (bytes % ranks != 0));
}

static struct kvc_span utilization_of(struct kvc_vllm_fit *fit)
{
    bool more = kvc_vllm_since(fit->q->day, KVC_VLLM_UTILIZATION_092);
    return kvc_setting_text(fit->q->settings, "gpu_memory_utilization", more ? "0.92" : "0.9");
}

/* Whether graphs are subtracted: by default since they are, before that where a variable asks for it. */
static bool subtracts_graphs(struct kvc_vllm_fit *fit)
{
    bool on = kvc_vllm_since(fit->q->day, KVC_VLLM_UTILIZATION_092);
    if (!kvc_vllm_since(fit->q->day, KVC_VLLM_GRAPH_ESTIMATE_OPT_IN))
        return false;
    return kvc_setting_count(fit->q->settings, "vllm_memory_profiler_estimate_cudagraphs", on) == 1;
}

bool kvc_vllm_requested(struct kvc_span utilization, uint32_t day, uint64_t device_bytes,
                        uint64_t *ret_requested)
{
    struct kvc_f64 share;
    if (!kvc_f64_from_text(utilization, &share) || share.bits == 0)
        return false;
    struct kvc_f64 asked = kvc_f64_multiply(kvc_f64_from_u64(device_bytes), share);
    bool by_ceil = kvc_vllm_since(day, KVC_VLLM_CACHE_MEMORY_BYTES);
    bool in_range =
        by_ceil ? kvc_f64_ceil(asked, ret_requested) : kvc_f64_truncate(asked, ret_requested);
    return in_range && *ret_requested <= device_bytes;
}

/* The share of the device, or a refusal at start. */
static kvcap_code find_requested(struct kvc_vllm_fit *fit, uint64_t *ret_requested,
                                 bool *ret_refused)
{
    const struct kvc_engine_memory *memory = fit->q->memory;
    struct kvc_span utilization = utilization_of(fit);
    if (!kvc_vllm_requested(utilization, fit->q->day, memory->device_total_bytes.value,
                            ret_requested))
        return kvc_fail(fit->err, KVC_USAGE_BAD_SETTING, "gpu_memory_utilization",
                        "a share between 0 and 1 is due");
    if (!memory->device_free_bytes.said || memory->device_free_bytes.value >= *ret_requested)
        return KVCAP_OK;
    *ret_refused = true;
    fit->answer->decision = KVC_DECISION_REFUSED;
    fit->answer->needed_bytes = kvc_said(*ret_requested);
    fit->answer->available_bytes = memory->device_free_bytes;
    kvc_vllm_put_not_free(fit->answer, fit->q->day, memory->device_free_bytes.value,
                          memory->device_total_bytes.value, utilization, *ret_requested);
    return KVCAP_OK;
}

/* What is left of the share; names of the terms that were not given, where some were not. */
static kvcap_code find_left(struct kvc_vllm_fit *fit, uint64_t *ret_left, bool *ret_said,
                            bool *ret_refused)
{
    const struct kvc_engine_memory *memory = fit->q->memory;
    struct kvc_maybe weights = weights_of_rank(fit);
    uint64_t requested = 0;
    *ret_said = false;
    if (!memory->device_total_bytes.said) {
        kvc_vllm_cannot_say(fit, "memory",
                            "neither what is available for the cache nor the "
                            "memory of a device was given");
        return KVCAP_OK;
    }
    kvcap_code rc = find_requested(fit, &requested, ret_refused);
    if (rc != KVCAP_OK || *ret_refused)
        return rc;
    if (!weights.said || !memory->activation_bytes.said) {
        bool both = !weights.said && !memory->activation_bytes.said;
        kvc_vllm_cannot_say(fit, "memory", "%s not given, and vLLM measures %s",
                            both           ? "weights_bytes and activation_bytes are"
                            : weights.said ? "activation_bytes is"
                                           : "weights_bytes is",
                            both ? "them" : "it");
        return KVCAP_OK;
    }
    uint64_t taken = weights.value + memory->activation_bytes.value;
    taken += memory->non_torch_bytes.said ? memory->non_torch_bytes.value : 0;
    if (memory->cuda_graph_bytes.said && subtracts_graphs(fit))
        taken += memory->cuda_graph_bytes.value;
    *ret_left = taken < requested ? requested - taken : 0;
    *ret_said = true;
    kvc_answer_step(fit->answer, "available",
                    "vllm/v1/worker/gpu_worker.py, determine_available_memory",
                    kvc_answer_grouped(fit->answer, *ret_left),
                    "requested %" PRIu64 " - weights, activation, non-torch and graphs %" PRIu64,
                    requested, taken);
    return KVCAP_OK;
}

static kvcap_code spread(struct kvc_vllm_fit *fit, uint64_t bytes, struct kvc_vllm_budget *budget)
{
    size_t stages = (size_t)fit->set.pp;
    budget->available_bytes = kvc_arena_array(fit->q->arena, stages, sizeof bytes);
    if (budget->available_bytes == NULL)
        return no_memory(fit);
    for (size_t i = 0; i < stages; i++)
        budget->available_bytes[i] = bytes;
    return KVCAP_OK;
}

/* One number for all, one a stage, or one a rank, of which the least of a stage counts. */
static kvcap_code take_stated(struct kvc_vllm_fit *fit, struct kvc_vllm_budget *budget)
{
    const struct kvc_engine_memory *memory = fit->q->memory;
    uint64_t pp = fit->set.pp, tp = fit->set.tp, count = memory->available_count;
    kvcap_code rc = spread(fit, memory->available_bytes[0], budget);
    if (rc != KVCAP_OK || count == 1)
        return rc;
    bool one_stage = pp == 1;
    if (!one_stage && count != pp && count != pp * tp)
        return kvc_fail(fit->err, KVC_USAGE_BAD_VALUE, "/memory/available_kv_bytes",
                        "%u numbers are neither one a stage nor one a rank", (unsigned)count);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t stage = one_stage ? 0 : count == pp ? i : i / tp;
        if ((count == pp && !one_stage) ||
            memory->available_bytes[i] < budget->available_bytes[stage] ||
            (count != pp && i % tp == 0 && !one_stage))
            budget->available_bytes[stage] = memory->available_bytes[i];
    }
    return KVCAP_OK;
}

/* On a CPU: a number of GiB, which is 4 by default until it came to follow the host's memory and its nodes
 * (vllm/platforms/cpu.py). */
#define CPU_SPACE_GIB 4
#define CPU_SPACE_FOLLOWS                                                                          \
    20250718 /* after v0.9.2 (2025-07-07) it may: taken as early as it can be */

static kvcap_code find_host(struct kvc_vllm_fit *fit, struct kvc_vllm_budget *budget)
{
    const char *name = "vllm_cpu_kvcache_space";
    struct kvc_settings *settings = fit->q->settings;
    uint64_t gib = kvc_setting_said(settings, name) ? kvc_setting_count(settings, name, 0) : 0;
    if (gib == 0 && fit->q->day >= CPU_SPACE_FOLLOWS) {
        if (fit->q->memory->given)
            kvc_vllm_cannot_say(fit, name,
                                "its default is a share of the memory of a node of the host");
        return KVCAP_OK;
    }
    return spread(fit, (gib == 0 ? CPU_SPACE_GIB : gib) * GIB, budget);
}

kvcap_code kvc_vllm_find_budget(struct kvc_vllm_fit *fit, struct kvc_vllm_budget *ret_budget)
{
    const struct kvc_engine_memory *memory = fit->q->memory;
    struct kvc_settings *settings = fit->q->settings;
    uint64_t left = 0;
    bool said = false;
    *ret_budget = (struct kvc_vllm_budget){ .refused = false };
    if (kvc_setting_said(settings, "kv_cache_memory_bytes") &&
        kvc_vllm_since(fit->q->day, KVC_VLLM_CACHE_MEMORY_BYTES))
        return spread(fit, kvc_setting_count(settings, "kv_cache_memory_bytes", 0), ret_budget);
    if (memory->available_bytes != NULL)
        return take_stated(fit, ret_budget);
    if (fit->is_cpu)
        return find_host(fit, ret_budget);
    if (!memory->given)
        return KVCAP_OK;
    kvcap_code rc = find_left(fit, &left, &said, &ret_budget->refused);
    return rc == KVCAP_OK && said ? spread(fit, left, ret_budget) : rc;
}

/* ---- Devices. */

#define RANKS_TOLD 64

void kvc_vllm_put_devices(struct kvc_vllm_fit *fit, const struct kvc_vllm_pool *pool)
{
    const struct kvc_engine_memory *memory = fit->q->memory;
    struct kvc_maybe weights = weights_of_rank(fit);
    uint64_t ranks = fit->set.tp * fit->set.pp;
    if ((!weights.said && !memory->device_total_bytes.said) || ranks > RANKS_TOLD)
        return;
    for (uint64_t rank = 0; rank < ranks; rank++) {
        uint64_t stage = rank / fit->set.tp;
        struct kvc_answer_device *device = kvc_answer_device(fit->answer);
        device->name = kvc_answer_text(fit->answer, "rank %" PRIu64, rank).text;
        device->weights_bytes = weights;
        device->total_bytes = memory->device_total_bytes;
        if (pool->num_blocks.said)
            device->cache_bytes = kvc_said(pool->num_blocks.value * pool->block_bytes[stage]);
        device->label = memory->activation_bytes.said ? KVC_LABEL_DECLARED : KVC_LABEL_UNKNOWN;
        if (memory->activation_bytes.said)
            device->compute_bytes =
                kvc_said(memory->activation_bytes.value +
                         (memory->non_torch_bytes.said ? memory->non_torch_bytes.value : 0) +
                         (memory->cuda_graph_bytes.said ? memory->cuda_graph_bytes.value : 0));
    }
    if (weights.said && !memory->weights_bytes.said)
        kvc_answer_note(
            fit->answer, "engine.weights",
            "weights of a rank are the model's bytes divided evenly among the ranks: an "
            "estimate");
}
