/* claim.c - see claim.h for the room and its promises. */

#include "plan/claim.h"

static void put_text(struct kvc_build *b, struct kvc_value *parent, const char *key,
                     const char *text)
{
    kvc_build_text(b, parent, key, kvc_span_of(text));
}

static void put_group(struct kvc_build *b, struct kvc_value *list, const struct kvc_group *group,
                      uint64_t blocks, uint64_t pool_blocks_each)
{
    struct kvc_value *object = kvc_build_object(b, list, NULL);
    bool is_window = group->rule.window_tokens != KVC_WINDOW_NONE;
    put_text(b, object, "holds", is_window ? "window" : "all");
    if (is_window)
        kvc_build_u64(b, object, "window_tokens", group->rule.window_tokens);
    if (group->rule.ahead_tokens > 0) {
        kvc_build_u64(b, object, "ahead_tokens", group->rule.ahead_tokens);
        kvc_build_u64(b, object, "slots_max", group->rule.slots_max);
    }
    if (group->compress_ratio > 1)
        kvc_build_u64(b, object, "compress_ratio", group->compress_ratio);
    kvc_build_u64(b, object, "block_tokens", group->rule.block_tokens);
    kvc_build_u64(b, object, "layers", group->layers);
    kvc_build_u64(b, object, "bytes_per_token", group->token_bytes);
    kvc_build_u64(b, object, "block_bytes", group->block_bytes);
    kvc_build_u64(b, object, "blocks", blocks);
    kvc_build_u64(b, object, "pool_blocks_each", pool_blocks_each);
}

static void put_budget(struct kvc_build *b, struct kvc_value *object,
                       const struct kvc_budget *budget)
{
    struct kvc_value *non_cache = kvc_build_object(b, object, "non_cache");
    for (size_t i = 0; i < KVC_NON_CACHE_COUNT; i++)
        kvc_build_u64(b, non_cache, kvc_non_cache_name(i), budget->non_cache[i]);
    kvc_build_u64(b, object, "device_bytes", budget->device_bytes);
    kvc_build_u64(b, object, "budget_bytes", budget->budget_bytes);
    kvc_build_u64(b, object, "reported_bytes", budget->reported_bytes);
    kvc_build_u64(b, object, "available_bytes", budget->available_bytes);
}

/* Differences are never signed: free or short, exactly one. */
static void put_slack(struct kvc_build *b, struct kvc_value *object, uint64_t required,
                      uint64_t available)
{
    if (required <= available)
        kvc_build_u64(b, object, "free_bytes", available - required);
    else
        kvc_build_u64(b, object, "short_bytes", required - available);
}

static void put_rank(struct kvc_build *b, struct kvc_value *list, const struct kvc_stages *stages,
                     const struct kvc_rank_figures *rank)
{
    const struct kvc_stage *stage = &stages->stages[rank->stage];
    struct kvc_value *object = kvc_build_object(b, list, NULL);
    kvc_build_u64(b, object, "count", rank->count);
    struct kvc_value *groups = kvc_build_array(b, object, "groups");
    for (uint32_t i = 0; i < stage->groups_count; i++)
        put_group(b, groups, &stage->groups[i], rank->blocks[i], rank->pool_blocks_each[i]);
    kvc_build_u64(b, object, "state_bytes_per_sequence", stage->state_bytes);
    kvc_build_u64(b, object, "raw_bytes", rank->raw_bytes);
    kvc_build_u64(b, object, "required_bytes", rank->required_bytes);
    put_budget(b, object, &rank->budget);
    kvc_build_u64(b, object, "pool_bytes", rank->pool_bytes);
    kvc_build_u64(b, object, "pool_block_bytes", rank->pool_block_bytes);
    kvc_build_u64(b, object, "pool_blocks", rank->pool_blocks);
    kvc_build_u64(b, object, "sequence_blocks_max", rank->sequence_blocks_max);
    kvc_build_u64(b, object, "sequences_max", rank->sequences_max);
    put_slack(b, object, rank->required_bytes, rank->budget.available_bytes);
}

static void put_cohort(struct kvc_build *b, struct kvc_value *list,
                       const struct kvc_cohort_figures *cohort)
{
    struct kvc_value *object = kvc_build_object(b, list, NULL);
    kvc_build_text(b, object, "cohort", cohort->cohort);
    kvc_build_u64(b, object, "requests", cohort->requests);
    kvc_build_u64(b, object, "sequences", cohort->sequences);
    kvc_build_u64(b, object, "reserve_tokens", cohort->reserve_tokens);
    kvc_build_u64(b, object, "reserved_tokens", cohort->reserved_tokens);
    kvc_build_u64(b, object, "raw_bytes", cohort->raw_bytes);
}

static void put_undetermined(struct kvc_build *b, struct kvc_value *plan,
                             const struct kvc_stages *stages)
{
    struct kvc_value *list = kvc_build_array(b, plan, "undetermined");
    for (uint32_t i = 0; i < stages->undetermined_count; i++) {
        struct kvc_value *object = kvc_build_object(b, list, NULL);
        if (stages->undetermined[i].of_layer)
            kvc_build_u64(b, object, "layer", stages->undetermined[i].layer);
        kvc_build_text(b, object, "key", stages->undetermined[i].key);
        kvc_build_text(b, object, "reason", stages->undetermined[i].reason);
    }
}

static void put_figures(struct kvc_build *b, struct kvc_value *plan,
                        const struct kvc_plan_figures *figures)
{
    kvc_build_u64(b, plan, "reserved_tokens", figures->reserved_tokens);
    kvc_build_u64(b, plan, "raw_bytes", figures->raw_bytes);
    kvc_build_u64(b, plan, "required_bytes", figures->required_bytes);
    kvc_build_u64(b, plan, "available_bytes", figures->available_bytes);
    kvc_build_u64(b, plan, "decided_by_rank", figures->decided_by_rank);
    if (figures->counts_prefixes)
        kvc_build_u64(b, plan, "prefixes", figures->prefixes);
    if (figures->stages->slots.said)
        kvc_build_u64(b, plan, "slots", figures->stages->slots.value);
    struct kvc_value *ranks = kvc_build_array(b, plan, "ranks");
    for (uint32_t i = 0; i < figures->ranks_count; i++)
        put_rank(b, ranks, figures->stages, &figures->ranks[i]);
    struct kvc_value *cohorts = kvc_build_array(b, plan, "cohorts");
    for (uint32_t i = 0; i < figures->cohorts_count; i++)
        put_cohort(b, cohorts, &figures->cohorts[i]);
}

struct kvc_value *kvc_claim(const struct kvc_plan_figures *figures,
                            const struct kvc_plan_names *names, struct kvc_arena *arena)
{
    struct kvc_build b = { .arena = arena };
    struct kvc_value *plan = kvc_build_object(&b, NULL, NULL);
    put_text(&b, plan, "kind", "kv-capacity-plan");
    kvc_build_u64(&b, plan, "version", 1);
    put_text(&b, plan, "contract_version", KVC_CONTRACT_VERSION);
    put_text(&b, plan, "claim", KVC_CLAIM_OF_PLAN);
    put_text(&b, plan, "rules", figures->stages->rules);
    kvc_build_text(&b, plan, "model", names->model);
    kvc_build_text(&b, plan, "contract", names->contract);
    kvc_build_text(&b, plan, "evidence", names->evidence);
    put_text(&b, plan, "decision", kvc_decision_name(figures->decision));
    kvc_build_u64(&b, plan, "requests", figures->requests);
    kvc_build_u64(&b, plan, "sequences", figures->sequences);
    kvc_build_u64(&b, plan, "reserve_tokens", figures->reserve_tokens);
    if (figures->decision == KVC_DECISION_UNDETERMINED)
        put_undetermined(&b, plan, figures->stages);
    else
        put_figures(&b, plan, figures);
    return b.full ? NULL : plan;
}
