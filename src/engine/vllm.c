/* vllm.c - the engine vLLM.  Declared in engine.h; the steps in vllm.h. */

#include "engine/vllm.h"

#include <inttypes.h>

#include "base/ck.h"
#include "base/decimal.h"
#include "engine/vllm_changes.h"
#include "engine/vllm_lines.h"

#define KV_UTILS "vllm/v1/core/kv_cache_utils.py @ 017e9f4"

/* ---- How many tokens are in flight. */

static uint64_t concurrent_batches(const struct kvc_vllm_fit *fit)
{
    if (fit->set.pp > 1)
        return fit->set.pp;
    return fit->async ? 2 : 1;
}

struct kvc_vllm_request kvc_vllm_request_of(struct kvc_vllm_fit *fit,
                                            const struct kvc_vllm_grouping *grouping)
{
    uint64_t batches =
        kvc_vllm_since(fit->q->day, KVC_VLLM_IN_FLIGHT_BATCHES) ? concurrent_batches(fit) : 1;
    bool forgets = false;
    for (uint32_t i = 0; i < fit->found.layers.specs_count && grouping->specs != NULL; i++) {
        enum kvc_vllm_kind kind = grouping->specs[i].kind;
        bool used = grouping->specs[i].block_size != 0;
        forgets = forgets || (used && (kind == KVC_VLLM_SLIDING || kind == KVC_VLLM_SLIDING_MLA ||
                                       kind == KVC_VLLM_CHUNKED));
    }
    if (forgets && fit->unsure_extra)
        kvc_vllm_cannot_say(fit, "speculative_config",
                            "whether a window keeps tokens for several modules of drafts is not "
                            "known");
    if (forgets && fit->batched_tokens == 0)
        kvc_vllm_cannot_say(fit, "max_num_batched_tokens",
                            "its default is 2,048, 8,192 or 16,384 by the device's memory, and a "
                            "window holds what is in flight: give it, or the device");
    return (struct kvc_vllm_request){
        .tokens = fit->set.max_model_len,
        .in_flight = fit->batched_tokens * batches,
        .dcp = fit->set.dcp,
        .encoder_tokens = fit->encoder_tokens,
    };
}

/* ---- The answer's parts. */

static void put_groups(struct kvc_vllm_fit *fit, const struct kvc_vllm_grouping *grouping,
                       const struct kvc_vllm_pool *pool)
{
    struct kvc_answer *answer = fit->answer;
    for (uint32_t i = 0; i < grouping->groups_count; i++) {
        const struct kvc_vllm_group *group = &grouping->groups[i];
        struct kvc_answer_group *entry = kvc_answer_group(answer);
        *entry = (struct kvc_answer_group){
            .kind = group->holds_several ? "uniform_type" : kvc_vllm_kind_name(group->spec.kind),
            .layers = group->layers,
            .block_tokens = group->spec.block_size,
            .page_bytes =
                group->holds_several ? group->bytes_of[0] : kvc_vllm_page(&group->spec).value,
            .blocks_per_request = kvc_said(pool->blocks_per_request[i]),
        };
    }
}

static uint64_t least_block_tokens(const struct kvc_vllm_grouping *grouping)
{
    uint64_t least = grouping->groups[0].spec.block_size;
    for (uint32_t i = 1; i < grouping->groups_count; i++) {
        uint64_t block_size = grouping->groups[i].spec.block_size;
        least = block_size < least ? block_size : least;
    }
    return least;
}

/* Bytes over all ranks of a stage times their number: what one request holds, and the pool. */
static void put_reserved(struct kvc_vllm_fit *fit, const struct kvc_vllm_pool *pool)
{
    struct ck block = ck_u64(0);
    for (uint64_t stage = 0; stage < fit->set.pp; stage++)
        block = ck_add(block, ck_u64(pool->block_bytes[stage]));
    block = ck_mul(block, ck_u64(fit->set.tp));
    struct ck sequence = ck_mul(block, ck_u64(pool->request_blocks));
    if (!sequence.over)
        fit->answer->reserved_sequence_bytes = kvc_said(sequence.value);
    struct ck total = ck_mul(block, ck_u64(pool->num_blocks.value));
    if (pool->num_blocks.said && !total.over)
        fit->answer->reserved_total_bytes = kvc_said(total.value);
}

static uint64_t least_available(const struct kvc_vllm_fit *fit,
                                const struct kvc_vllm_budget *budget)
{
    uint64_t least = UINT64_MAX;
    for (uint64_t i = 0; i < fit->set.pp; i++)
        least = budget->available_bytes[i] < least ? budget->available_bytes[i] : least;
    return least;
}

static void explain(struct kvc_vllm_fit *fit, const struct kvc_vllm_grouping *grouping,
                    const struct kvc_vllm_pool *pool)
{
    static const char *const FORMS[] = { "nothing is kept", "all layers merge: one group",
                                         "one type, unlike pages: one group of their sum",
                                         "tuples in one packed slab",
                                         "groups of one size share the pool" };
    struct kvc_answer *a = fit->answer;
    if (!a->explain)
        return;
    kvc_answer_step(a, "grouping", KV_UTILS ", get_kv_cache_groups",
                    kvc_answer_text(a, "%u groups", (unsigned)grouping->groups_count), "%s",
                    FORMS[grouping->form]);
    kvc_answer_step(a, "bytes_per_block", KV_UTILS, kvc_answer_grouped(a, pool->block_bytes[0]),
                    "of stage 0: page %" PRIu64
                    " times the layers of the widest group, or the sum of "
                    "its pages",
                    grouping->page_bytes);
    kvc_answer_step(
        a, "in_flight", "vllm/config/scheduler.py", kvc_answer_grouped(a, fit->batched_tokens),
        "max_num_batched_tokens; %" PRIu64 " batches may be in flight", concurrent_batches(fit));
    kvc_answer_step(a, "blocks_per_request", KV_UTILS ", max_memory_usage_bytes",
                    kvc_answer_grouped(a, pool->request_blocks),
                    "over all groups, for %" PRIu64 " tokens", pool->max_model_len);
    if (!pool->num_blocks.said)
        return;
    kvc_answer_step(a, "num_blocks", KV_UTILS ", get_num_blocks",
                    kvc_answer_grouped(a, pool->num_blocks.value),
                    "floor(available / bytes_per_block), the least of all workers");
    kvc_answer_step(a, "tokens", KV_UTILS ", get_kv_cache_capacity",
                    kvc_answer_grouped(a, a->tokens.value),
                    kvc_vllm_since(fit->q->day, KVC_VLLM_TOKENS_FROM_CONCURRENCY)
                        ? "trunc(concurrency * max_model_len), concurrency = num_blocks / "
                          "blocks_per_request"
                        : "num_blocks / groups * the smallest block");
}

/* ---- The first engine: whole layers, blocks of 16, host memory for swapped ones. */

static kvcap_code put_v0(struct kvc_vllm_fit *fit, const struct kvc_vllm_budget *budget,
                         struct kvc_vllm_pool *pool)
{
    struct kvc_answer *a = fit->answer;
    uint64_t block = fit->set.block_size, swap = 0, widest = 0;
    for (uint64_t i = 0; i < fit->set.pp; i++) /* the least of all stages is taken */
        widest = pool->block_bytes[i] > widest ? pool->block_bytes[i] : widest;
    struct kvc_f64 gib;
    struct kvc_span space = kvc_setting_text(fit->q->settings, "swap_space", "4");
    struct ck tokens =
        ck_mul(pool->num_blocks.said ? ck_u64(pool->num_blocks.value) : ck_u64(0), ck_u64(block));
    if (!kvc_f64_from_text(space, &gib) ||
        !kvc_f64_truncate(kvc_f64_multiply(gib, kvc_f64_from_u64(UINT64_C(1) << 30)), &swap))
        return kvc_fail(fit->err, KVC_USAGE_BAD_SETTING, "swap_space", "a number of GiB is due");
    if (!pool->num_blocks.said)
        return KVCAP_OK;
    kvcap_code rc = ck_take(tokens, "tokens of the pool", &tokens.value, fit->err);
    if (rc != KVCAP_OK)
        return rc;
    pool->concurrency =
        kvc_f64_divide(kvc_f64_from_u64(tokens.value), kvc_f64_from_u64(fit->set.max_model_len));
    a->tokens = kvc_said(tokens.value);
    a->ratio_over = kvc_said(tokens.value);
    a->ratio_under = kvc_said(fit->set.max_model_len);
    char times[KVC_F64_FIXED_ROOM];
    kvc_f64_fixed(pool->concurrency, 2, times);
    a->max_concurrency = kvc_answer_text(a, "%s", times);
    kvc_vllm_put_v0_capacity(a, pool->num_blocks.value, widest == 0 ? 0 : swap / widest,
                             fit->set.max_model_len, pool->concurrency);
    bool fits = fit->set.max_model_len <= tokens.value;
    a->decision = fits ? KVC_DECISION_FIT : KVC_DECISION_EXCEEDS_CAPACITY;
    if (fits)
        return KVCAP_OK;
    struct ck needed = ck_mul(ck_u64(pool->request_blocks), ck_u64(pool->block_bytes[0]));
    a->needed_bytes = (struct kvc_maybe){ needed.value, !needed.over };
    if (budget->available_bytes != NULL) /* not of blocks that were set */
        a->available_bytes = kvc_said(least_available(fit, budget));
    if (pool->num_blocks.value == 0) {
        kvc_vllm_put_no_memory(a, fit->q->day);
        return KVCAP_OK;
    }
    a->estimated_max_model_len = kvc_said(tokens.value);
    struct kvc_vllm_refusal refusal = { .day = fit->q->day,
                                        .is_v0 = true,
                                        .max_model_len = fit->set.max_model_len,
                                        .stored_tokens = tokens.value };
    kvc_vllm_put_too_long(a, &refusal);
    return KVCAP_OK;
}

/* ---- The second engine. */

static void put_v1(struct kvc_vllm_fit *fit, const struct kvc_vllm_budget *budget,
                   const struct kvc_vllm_pool *pool)
{
    struct kvc_answer *a = fit->answer;
    bool by_concurrency = kvc_vllm_since(fit->q->day, KVC_VLLM_TOKENS_FROM_CONCURRENCY);
    bool grouped = kvc_vllm_since(fit->q->day, KVC_VLLM_HYBRID_MANAGER);
    struct kvc_f64 concurrency = pool->concurrency;
    if (budget->available_bytes != NULL)
        kvc_vllm_put_available(a, fit->q->day, least_available(fit, budget));
    if (pool->start != KVC_VLLM_STARTS) {
        struct kvc_vllm_refusal refusal = { .day = fit->q->day,
                                            .max_model_len = fit->set.max_model_len,
                                            .needed_bytes = pool->needed_bytes,
                                            .available_bytes = pool->available_bytes,
                                            .estimated = pool->estimated };
        a->decision = KVC_DECISION_EXCEEDS_CAPACITY;
        a->needed_bytes = kvc_said(pool->needed_bytes);
        a->available_bytes = kvc_said(pool->available_bytes);
        if (pool->start == KVC_VLLM_NO_MEMORY)
            kvc_vllm_put_no_memory(a, fit->q->day);
        else if (pool->start == KVC_VLLM_NO_TOKEN)
            kvc_vllm_put_no_token(a);
        else
            kvc_vllm_put_too_long(a, &refusal);
        return;
    }
    if (!pool->num_blocks.said)
        return;
    if (budget->available_bytes != NULL)
        a->decision = KVC_DECISION_FIT;
    a->num_blocks = pool->num_blocks;
    a->tokens = kvc_said(by_concurrency ? pool->tokens : pool->legacy_tokens);
    a->ratio_over = pool->num_blocks;
    a->ratio_under = kvc_said(pool->request_blocks);
    if (!grouped) { /* concurrency was tokens over the length */
        concurrency = kvc_f64_divide(kvc_f64_from_u64(pool->legacy_tokens),
                                     kvc_f64_from_u64(pool->max_model_len));
        a->ratio_over = kvc_said(pool->legacy_tokens);
        a->ratio_under = kvc_said(pool->max_model_len);
    }
    kvc_vllm_put_capacity(a, fit->q->day, a->tokens.value, pool->max_model_len, concurrency);
    char times[KVC_F64_FIXED_ROOM];
    kvc_f64_fixed(concurrency, 2, times);
    a->max_concurrency = kvc_answer_text(a, "%s", times);
}

static void put_objection(struct kvc_vllm_fit *fit, const struct kvc_vllm_grouping *grouping)
{
    struct kvc_answer *a = fit->answer;
    a->decision = KVC_DECISION_REFUSED;
    if (grouping->objection == KVC_VLLM_WINDOWS_DIFFER)
        a->refusal_text =
            kvc_span_of("All attention layers in the same KV cache group must have the "
                        "same window size.");
    else if (grouping->objection == KVC_VLLM_NOT_ONE_TYPE)
        a->refusal_text = kvc_span_of("Hybrid KV cache manager is disabled but failed to convert "
                                      "the KV cache specs to one unified type.");
    else
        a->refusal_text =
            kvc_span_of("The page size of the layer is not divisible by the maximum page size. "
                        "Cannot unify by adjusting block_size.");
}

/* Pages that do not divide: since they can be padded it depends on the backend whether they are. */
static bool depends_on_backend(const struct kvc_vllm_fit *fit,
                               const struct kvc_vllm_grouping *grouping)
{
    return grouping->objection == KVC_VLLM_PAGES_DIFFER &&
           kvc_vllm_since(fit->q->day, KVC_VLLM_PADDED_PAGES);
}

/* ---- All steps. */

static kvcap_code put_pool(struct kvc_vllm_fit *fit, const struct kvc_vllm_grouping *grouping,
                           const struct kvc_vllm_budget *budget)
{
    struct kvc_answer *a = fit->answer;
    struct kvc_vllm_pool pool;
    struct kvc_vllm_pool_question question = {
        .grouping = grouping,
        .layers = &fit->found.layers,
        .day = fit->q->day,
        .request = kvc_vllm_request_of(fit, grouping),
        .available_bytes = budget->available_bytes,
        .auto_fit = fit->auto_fit,
        .prefix_caching = fit->prefix_caching,
        .has_connector = fit->has_connector,
    };
    if (kvc_setting_said(fit->q->settings, "num_gpu_blocks_override"))
        question.override_blocks =
            kvc_said(kvc_setting_count(fit->q->settings, "num_gpu_blocks_override", 0));
    if (kvc_setting_said(fit->q->settings, "prefix_match_unit"))
        question.prefix_match_unit = kvc_setting_count(fit->q->settings, "prefix_match_unit", 0);
    if (a->decision == KVC_DECISION_UNDETERMINED)
        return KVCAP_OK;
    kvcap_code rc = kvc_vllm_pool(&question, fit->q->arena, &pool, fit->err);
    if (rc != KVCAP_OK)
        return rc;
    if (grouping->objection != KVC_VLLM_NO_OBJECTION) {
        if (pool.start == KVC_VLLM_STARTS)
            put_objection(fit, grouping);
        else
            put_v1(fit, budget, &pool);
        return KVCAP_OK;
    }
    if (fit->is_v0 && pool.start == KVC_VLLM_TOO_LONG) { /* the first engine counts blocks first */
        pool.start = KVC_VLLM_STARTS;
        pool.num_blocks = kvc_said(
            pool.block_bytes[0] == 0 ? 0 : least_available(fit, budget) / pool.block_bytes[0]);
    }
    put_groups(fit, grouping, &pool);
    a->block_tokens = kvc_said(least_block_tokens(grouping));
    a->block_bytes = kvc_said(pool.block_bytes[pool.deciding_worker]);
    a->max_model_len = kvc_said(pool.max_model_len);
    kvc_setting_note_count(fit->q->settings, "max_model_len", pool.max_model_len);
    if (fit->is_v0) {
        a->num_blocks = pool.num_blocks;
        rc = put_v0(fit, budget, &pool);
    } else {
        put_v1(fit, budget, &pool);
    }
    put_reserved(fit, &pool);
    kvc_vllm_put_devices(fit, &pool);
    explain(fit, grouping, &pool);
    return rc;
}

kvcap_code kvc_vllm_find(struct kvc_vllm_fit *fit)
{
    struct kvc_answer *answer = fit->answer;
    kvc_answer_unknown(answer, fit->q->model->shape);
    kvcap_code rc = kvc_vllm_resolve(fit);
    if (rc == KVCAP_OK && fit->refused && answer->decision != KVC_DECISION_UNDETERMINED) {
        answer->decision = KVC_DECISION_REFUSED;
        return KVCAP_OK;
    }
    answer->refusal_text = (struct kvc_span){ NULL, 0 };
    if (rc == KVCAP_OK && answer->decision != KVC_DECISION_UNDETERMINED)
        rc = kvc_vllm_find_layers(fit->q->model, &fit->set, fit->q->arena, answer, &fit->found,
                                  fit->err);
    return rc;
}

kvcap_code kvc_vllm_find_groups(struct kvc_vllm_fit *fit, bool compares,
                                struct kvc_vllm_grouping *ret_grouping)
{
    struct kvc_vllm_grouping_rules rules = { fit->q->day, fit->hybrid_manager_off };
    kvcap_code rc =
        kvc_vllm_group(&fit->found.layers, &rules, fit->q->arena, ret_grouping, fit->err);
    if (rc != KVCAP_OK)
        return rc;
    bool by_groups = kvc_vllm_since(fit->q->day, KVC_VLLM_CHECK_BY_GROUPS);
    bool alike = ret_grouping->form == KVC_VLLM_NOTHING || ret_grouping->form == KVC_VLLM_ONE;
    if (depends_on_backend(fit, ret_grouping))
        kvc_vllm_cannot_say(fit, "attention_backend",
                            "pages of unlike layers do not divide, and are padded only on backends "
                            "that address blocks by their stride");
    else if (fit->is_v0 && (!alike || ret_grouping->objection != KVC_VLLM_NO_OBJECTION))
        kvc_vllm_cannot_say(fit, "vllm_use_v1",
                            "the first engine weighs all layers alike, and these are not");
    else if (ret_grouping->objection != KVC_VLLM_NO_OBJECTION && (by_groups || !compares))
        put_objection(fit, ret_grouping);
    return KVCAP_OK;
}

kvcap_code kvc_vllm_fit(const struct kvc_engine_question *question, struct kvc_answer *answer,
                        kvcap_error *err)
{
    struct kvc_vllm_fit fit = { .q = question, .answer = answer, .err = err };
    struct kvc_vllm_grouping grouping;
    struct kvc_vllm_budget budget = { .refused = false };
    kvcap_code rc = kvc_vllm_find(&fit);
    if (rc != KVCAP_OK || answer->decision == KVC_DECISION_REFUSED)
        return rc;
    rc = kvc_vllm_find_budget(&fit, &budget);
    if (rc != KVCAP_OK || answer->decision == KVC_DECISION_UNDETERMINED || budget.refused)
        return rc;
    rc = kvc_vllm_find_groups(&fit, budget.available_bytes != NULL, &grouping);
    if (rc != KVCAP_OK || answer->decision == KVC_DECISION_UNDETERMINED ||
        answer->decision == KVC_DECISION_REFUSED)
        return rc;
    if (grouping.form == KVC_VLLM_NOTHING && grouping.objection == KVC_VLLM_NO_OBJECTION) {
        kvc_answer_note(answer, "engine.no_cache",
                        "no layer keeps a cache: vLLM makes one block and logs nothing");
        return KVCAP_OK;
    }
    return put_pool(&fit, &grouping, &budget);
}
