/* paged_fit.c - the allocator `paged` as an engine that can be asked for a fit.  Declared in engine.h.
 *
 * One sequence of max_model_len tokens in plain blocks, on one rank; the pool is what is available. */

#include "engine/engine.h"

#include "base/ck.h"
#include "engine/paged.h"

static const struct kvc_setting_row ROWS[] = {
    { .name = "max_model_len",
      .type = KVC_SETTING_COUNT,
      .min = 1,
      .max = KVC_SAFE_MAX,
      .sizes = true,
      .text = "tokens of the longest sequence" },
    { .name = "kv_cache_dtype",
      .type = KVC_SETTING_TEXT,
      .words = kvc_logical_formats,
      .sizes = true,
      .text = "format of cached keys and values; auto: the model's dtype" },
    { .name = "block_size",
      .type = KVC_SETTING_COUNT,
      .min = 1,
      .max = 1u << 20,
      .sizes = true,
      .text = "tokens of a block" },
    { .name = "tensor_parallel_size",
      .type = KVC_SETTING_COUNT,
      .min = 1,
      .max = 65536,
      .sizes = true,
      .text = "ranks that divide the KV heads" },
};

struct sums {
    struct ck block_bytes, sequence_bytes, sequence_blocks;
};

/* One pool serves all groups: a block of it is what every group needs for block_tokens more tokens. */
static void put_groups(const struct kvc_stage *stage, uint64_t tokens, struct kvc_answer *answer,
                       struct sums *sums)
{
    for (uint32_t i = 0; i < stage->groups_count; i++) {
        const struct kvc_group *group = &stage->groups[i];
        struct ck blocks = kvc_blocks_of_sequence(&group->rule, tokens);
        struct kvc_answer_group *entry = kvc_answer_group(answer);
        *entry = (struct kvc_answer_group){
            .kind = group->rule.window_tokens == KVC_WINDOW_NONE ? "full" : "window",
            .layers = group->layers,
            .block_tokens = group->rule.block_tokens,
            .page_bytes = group->layers == 0 ? 0 : group->block_bytes / group->layers,
            .blocks_per_request = { blocks.value, !blocks.over },
        };
        sums->block_bytes = ck_add(sums->block_bytes, ck_u64(group->block_bytes));
        sums->sequence_bytes =
            ck_add(sums->sequence_bytes, ck_mul(blocks, ck_u64(group->block_bytes)));
    }
    sums->sequence_bytes = ck_add(sums->sequence_bytes, ck_u64(stage->state_bytes));
}

static kvcap_code put_totals(const struct kvc_engine_question *question, const struct sums *sums,
                             uint64_t tokens, struct kvc_answer *answer, kvcap_error *err)
{
    const struct kvc_engine_memory *memory = question->memory;
    uint64_t sequence_bytes = 0;
    kvcap_code rc = ck_take(sums->sequence_bytes, "bytes of a sequence", &sequence_bytes, err);
    if (rc != KVCAP_OK)
        return rc;
    answer->reserved_sequence_bytes = kvc_said(sequence_bytes);
    answer->max_model_len = kvc_said(tokens);
    if (memory->available_bytes == NULL || sequence_bytes == 0)
        return KVCAP_OK;
    uint64_t available = memory->available_bytes[0], sequences;
    for (uint32_t i = 1; i < memory->available_count; i++)
        available = memory->available_bytes[i] < available ? memory->available_bytes[i] : available;
    sequences = available / sequence_bytes;
    answer->available_bytes = kvc_said(available);
    answer->needed_bytes = kvc_said(sequence_bytes);
    answer->max_running_requests = kvc_said(sequences);
    answer->decision = sequences > 0 ? KVC_DECISION_FIT : KVC_DECISION_EXCEEDS_CAPACITY;
    return KVCAP_OK;
}

static kvcap_code fit(const struct kvc_engine_question *question, struct kvc_answer *answer,
                      kvcap_error *err)
{
    struct kvc_settings *settings = question->settings;
    const struct kvc_engine_model *model = question->model;
    struct kvc_span word = kvc_setting_text(settings, "kv_cache_dtype", "auto");
    uint64_t tokens = kvc_setting_count(settings, "max_model_len", model->context_tokens);
    struct kvc_stage stage;
    struct sums sums = { 0 };
    struct kvc_paged paged = {
        .shape = model->shape,
        .cache = { .k = model->dtype, .v = model->dtype, .dtype = model->dtype },
        .block_tokens = kvc_setting_count(settings, "block_size", 16),
        .tp = (uint32_t)kvc_setting_count(settings, "tensor_parallel_size", 1),
    };
    if (tokens == 0)
        return kvc_fail(err, KVC_USAGE_MISSING_FLAG, "max_model_len",
                        "the model states no context: say how many tokens a sequence has");
    if (!kvc_span_is(word, "auto") && !kvc_format_said(word, &paged.cache.k))
        return kvc_fail(err, KVC_USAGE_BAD_SETTING, "kv_cache_dtype", "the format has no layout");
    paged.cache.v = paged.cache.k;
    kvc_answer_unknown(answer, model->shape);
    if (answer->decision == KVC_DECISION_UNDETERMINED)
        return KVCAP_OK;
    kvcap_code rc =
        kvc_paged_stage(&paged, 0, model->shape->layers_count, question->arena, &stage, err);
    if (rc != KVCAP_OK)
        return rc;
    put_groups(&stage, tokens, answer, &sums);
    answer->block_tokens = kvc_said(paged.block_tokens);
    if (!sums.block_bytes.over)
        answer->block_bytes = kvc_said(sums.block_bytes.value);
    return put_totals(question, &sums, tokens, answer, err);
}

const struct kvc_engine kvc_engine_paged = {
    .id = KVC_ENGINE_PAGED,
    .rules = KVC_PAGED_RULES,
    .settings = ROWS,
    .settings_count = sizeof ROWS / sizeof ROWS[0],
    .context_setting = "max_model_len",
    .fit = fit,
};
