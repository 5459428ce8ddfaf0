/* vllm_lines.c - see vllm_lines.h for the room and its promises. */

#include "engine/vllm_lines.h"

#include <inttypes.h>

#include "base/decimal.h"
#include "engine/vllm_changes.h"

struct kvc_span kvc_vllm_gib(struct kvc_answer *answer, uint32_t day, uint64_t bytes)
{
    char text[KVC_F64_FIXED_ROOM];
    struct kvc_f64 gib =
        kvc_f64_divide(kvc_f64_from_u64(bytes), kvc_f64_from_u64(UINT64_C(1) << 30));
    if (kvc_vllm_since(day, KVC_VLLM_GIB_BY_STR))
        kvc_f64_repr(kvc_f64_round(gib, 2), text);
    else
        kvc_f64_fixed(gib, 2, text);
    struct kvc_span copy = kvc_arena_copy(answer->arena, kvc_span_of(text));
    answer->full = answer->full || copy.text == NULL;
    return copy;
}

/* NULL texts of an answer that is full end a line early; it is not whole anyway. */
#define LINE(answer, ...)                                                                          \
    kvc_answer_line_of_parts((answer), (const char *const[]){ __VA_ARGS__, NULL })

void kvc_vllm_put_available(struct kvc_answer *answer, uint32_t day, uint64_t bytes)
{
    if (kvc_vllm_since(day, KVC_VLLM_AVAILABLE_LINE))
        LINE(answer, "Available KV cache memory: ", kvc_vllm_gib(answer, day, bytes).text, " GiB");
}

static const char *times_of(struct kvc_f64 concurrency, char ret_text[KVC_F64_FIXED_ROOM])
{
    kvc_f64_fixed(concurrency, 2, ret_text);
    return ret_text;
}

void kvc_vllm_put_capacity(struct kvc_answer *answer, uint32_t day, uint64_t tokens,
                           uint64_t max_model_len, struct kvc_f64 concurrency)
{
    char times[KVC_F64_FIXED_ROOM];
    const char *size = kvc_answer_grouped(answer, tokens).text;
    const char *length = kvc_answer_grouped(answer, max_model_len).text;
    times_of(concurrency, times);
    if (kvc_vllm_since(day, KVC_VLLM_ONE_LINE_LOG)) {
        LINE(answer, "GPU KV cache size: ", size, " tokens, Maximum concurrency for ", length,
             " tokens per request: ", times, "x");
        return;
    }
    LINE(answer, "GPU KV cache size: ", size, " tokens");
    LINE(answer, "Maximum concurrency for ", length, " tokens per request: ", times, "x");
}

void kvc_vllm_put_v0_capacity(struct kvc_answer *answer, uint64_t gpu_blocks, uint64_t cpu_blocks,
                              uint64_t max_model_len, struct kvc_f64 concurrency)
{
    char times[KVC_F64_FIXED_ROOM];
    kvc_answer_line(answer, "# GPU blocks: %" PRIu64 ", # CPU blocks: %" PRIu64, gpu_blocks,
                    cpu_blocks);
    kvc_answer_line(answer, "Maximum concurrency for %" PRIu64 " tokens per request: %sx",
                    max_model_len, times_of(concurrency, times));
}

/* ---- Hybrid models (vllm/model_executor/models/config.py of v0.11.0, later vllm/platforms/interface.py). */

void kvc_vllm_put_attention_block(struct kvc_answer *answer, uint64_t tokens)
{
    kvc_answer_line(answer,
                    "Setting attention block size to %" PRIu64
                    " tokens to ensure that attention page "
                    "size is >= mamba page size.",
                    tokens);
}

void kvc_vllm_put_state_padding(struct kvc_answer *answer, uint64_t state_bytes,
                                uint64_t page_bytes)
{
    char percent[KVC_F64_FIXED_ROOM];
    struct kvc_f64 more = kvc_f64_from_u64(100 * (page_bytes - state_bytes));
    kvc_f64_fixed(kvc_f64_divide(more, kvc_f64_from_u64(state_bytes)), 2, percent);
    kvc_answer_line(
        answer,
        "Padding mamba page size by %s%% to ensure that mamba page size and attention page "
        "size are exactly equal.",
        percent);
}

/* ---- Refusals. */

static void put_v0(struct kvc_answer *answer, const struct kvc_vllm_refusal *refusal)
{
    answer->refusal_text = kvc_answer_text(
        answer,
        "The model's max seq len (%" PRIu64 ") is larger than the maximum number of tokens that "
        "can be stored in KV cache (%" PRIu64 "). Try increasing `gpu_memory_utilization` or "
        "decreasing `max_model_len` when initializing the engine.",
        refusal->max_model_len, refusal->stored_tokens);
}

/* Where it says how to save memory. */
static const char *place_of(uint32_t day)
{
    return kvc_vllm_since(day, KVC_VLLM_PLACE_IN_REFUSAL)
               ? " See https://docs.vllm.ai/en/latest/configuration/conserving_memory/ for more "
                 "details."
               : "";
}

void kvc_vllm_put_too_long(struct kvc_answer *answer, const struct kvc_vllm_refusal *refusal)
{
    uint32_t day = refusal->day;
    bool estimates = kvc_vllm_since(day, KVC_VLLM_ESTIMATE_IN_REFUSAL);
    struct kvc_span estimate = { "", 0 };
    if (refusal->is_v0) {
        put_v0(answer, refusal);
        return;
    }
    answer->estimated_max_model_len = refusal->estimated;
    if (estimates && refusal->estimated.said)
        estimate = kvc_answer_text(
            answer,
            "Based on the available memory, the estimated maximum model length is %" PRIu64 ".",
            refusal->estimated.value);
    answer->refusal_text = kvc_answer_text(
        answer,
        "To serve at least one request with the %s max seq len (%" PRIu64 "), (%s GiB KV cache is "
        "needed, which is larger than the available KV cache memory (%s GiB). %s%sTry increasing "
        "`gpu_memory_utilization`%s or decreasing `max_model_len` when initializing the engine.%s",
        kvc_vllm_since(day, KVC_VLLM_MODELS_SPELLING) ? "model's" : "models's",
        refusal->max_model_len, kvc_vllm_gib(answer, day, refusal->needed_bytes).text,
        kvc_vllm_gib(answer, day, refusal->available_bytes).text,
        estimate.text == NULL ? "" : estimate.text, estimates && estimate.length > 0 ? " " : "",
        kvc_vllm_since(day, KVC_VLLM_CPU_IN_REFUSAL)
            ? " (which also controls CPU memory on the CPU backend)"
            : "",
        place_of(day));
}

void kvc_vllm_put_no_memory(struct kvc_answer *answer, uint32_t day)
{
    answer->refusal_text = kvc_answer_text(
        answer,
        "No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when "
        "initializing the engine%s.%s",
        kvc_vllm_since(day, KVC_VLLM_CPU_IN_REFUSAL)
            ? " (this flag also controls CPU memory reservation on the CPU backend, despite its "
              "name)"
            : "",
        place_of(day));
}

void kvc_vllm_put_no_token(struct kvc_answer *answer)
{
    answer->refusal_text = kvc_span_of(
        "Cannot auto-fit max_model_len: not enough GPU memory available to serve even a "
        "single token. Try increasing `gpu_memory_utilization`.");
}

void kvc_vllm_put_not_free(struct kvc_answer *answer, uint32_t day, uint64_t free_bytes,
                           uint64_t total_bytes, struct kvc_span utilization,
                           uint64_t requested_bytes)
{
    answer->refusal_text = kvc_answer_text(
        answer,
        "Free memory on device (%s/%s GiB) on startup is less than desired GPU memory utilization "
        "(%.*s, %s GiB). Decrease GPU memory utilization or reduce GPU memory used by other "
        "processes.",
        kvc_vllm_gib(answer, day, free_bytes).text, kvc_vllm_gib(answer, day, total_bytes).text,
        (int)utilization.length, utilization.text, kvc_vllm_gib(answer, day, requested_bytes).text);
}
