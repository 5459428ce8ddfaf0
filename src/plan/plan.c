/* plan.c - see plan.h for the room and its promises. */

#include "plan/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static kvcap_code no_memory(kvcap_error *err)
{
    return kvc_fail(err, KVC_MEMORY_FULL, "", "the figures of the plan need more memory");
}

/* A number that is to stand in the record, at `at`. */
static kvcap_code take(struct ck number, const char *at, uint64_t *ret_number, kvcap_error *err)
{
    if (!ck_is_safe(number))
        return kvc_fail(err, KVC_PLAN_TOTAL_OVERFLOW, at,
                        "this total of the window is past 2^53-1");
    *ret_number = number.value;
    return KVCAP_OK;
}

static kvcap_code take_of_rank(struct ck number, uint32_t entry, const char *member,
                               uint64_t *ret_number, kvcap_error *err)
{
    char at[80];
    snprintf(at, sizeof at, "/ranks/%u/%s", (unsigned)entry, member);
    return take(number, at, ret_number, err);
}

/* ---- One rank. */

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static kvcap_code sum_raw(const struct kvc_plan_inputs *in, const struct kvc_stage *stage,
                          uint32_t entry, uint64_t *ret_blocks, uint64_t *ret_raw, kvcap_error *err)
{
    struct ck raw = ck_mul(in->window->all.sequences, ck_u64(stage->state_bytes));
    for (uint32_t i = 0; i < stage->groups_count; i++) {
        uint32_t rule = kvc_stages_rule(in->stages, &stage->groups[i]);
        struct ck blocks = in->window->all.blocks[rule];
        char member[40];
        snprintf(member, sizeof member, "groups/%u/blocks", (unsigned)i);
        kvcap_code rc = take_of_rank(blocks, entry, member, &ret_blocks[i], err);
        if (rc != KVCAP_OK)
            return rc;
        raw = ck_add(raw, ck_mul(blocks, ck_u64(stage->groups[i].block_bytes)));
    }
    return take_of_rank(raw, entry, "raw_bytes", ret_raw, err);
}

/* Pool blocks of the longest sequence that the contract allows. */
static struct ck longest_sequence(const struct kvc_plan_inputs *in, const struct kvc_stage *stage,
                                  const struct kvc_rank_figures *rank)
{
    struct ck sum = ck_u64(stage->state_bytes / rank->pool_block_bytes);
    for (uint32_t i = 0; i < stage->groups_count; i++) {
        struct ck blocks =
            kvc_blocks_of_sequence(&stage->groups[i].rule, in->contract->sequence_tokens_max);
        sum = ck_add(sum, ck_mul(blocks, ck_u64(rank->pool_blocks_each[i])));
    }
    return sum;
}

/* The engine's; without one, the largest of which every group's block and the state are multiples. */
static uint64_t pool_block_bytes(const struct kvc_stage *stage)
{
    uint64_t bytes = stage->state_bytes;
    if (stage->pool_block_bytes > 0)
        return stage->pool_block_bytes;
    for (uint32_t i = 0; i < stage->groups_count; i++)
        bytes = greatest_common_divisor(bytes, stage->groups[i].block_bytes);
    return bytes;
}

static kvcap_code figure_pool(const struct kvc_plan_inputs *in, const struct kvc_stage *stage,
                              uint32_t entry, uint64_t *pool_blocks_each,
                              struct kvc_rank_figures *rank, kvcap_error *err)
{
    uint64_t charged = 10000 + in->contract->overhead_bps;
    kvcap_code rc = take_of_rank(ck_scale_ceil(ck_u64(rank->raw_bytes), charged, 10000), entry,
                                 "required_bytes", &rank->required_bytes, err);
    if (rc != KVCAP_OK)
        return rc;
    rank->pool_bytes = ck_scale_floor(ck_u64(rank->budget.available_bytes), 10000, charged).value;
    rank->pool_block_bytes = pool_block_bytes(stage);
    rank->pool_blocks = kvc_blocks_in_pool(rank->pool_bytes, rank->pool_block_bytes);
    for (uint32_t i = 0; i < stage->groups_count; i++)
        pool_blocks_each[i] = stage->groups[i].block_bytes / rank->pool_block_bytes;
    rank->pool_blocks_each = pool_blocks_each;
    rc = take_of_rank(longest_sequence(in, stage, rank), entry, "sequence_blocks_max",
                      &rank->sequence_blocks_max, err);
    if (rc != KVCAP_OK)
        return rc;
    rank->sequences_max = kvc_sequences_in_pool(rank->pool_blocks, rank->sequence_blocks_max);
    if (in->stages->slots.said && in->stages->slots.value < rank->sequences_max)
        rank->sequences_max = in->stages->slots.value;
    return KVCAP_OK;
}

static kvcap_code figure_rank(const struct kvc_plan_inputs *in, uint32_t number, uint32_t entry,
                              uint64_t serving_blocks, struct kvc_arena *arena,
                              struct kvc_rank_figures *rank, kvcap_error *err)
{
    *rank = (struct kvc_rank_figures){ .count = 1,
                                       .first = number,
                                       .stage = number / in->contract->tp };
    const struct kvc_stage *stage = &in->stages->stages[rank->stage];
    uint64_t *blocks = kvc_arena_array(arena, stage->groups_count, sizeof *blocks);
    uint64_t *pool_blocks_each =
        kvc_arena_array(arena, stage->groups_count, sizeof *pool_blocks_each);
    if (blocks == NULL || pool_blocks_each == NULL)
        return no_memory(err);
    kvcap_code rc = kvc_budget_of_rank(in->contract, in->evidence, number, &rank->budget, err);
    /* Not more than the memory that they were counted in, and so no overflow. */
    if (rc == KVCAP_OK && in->stages->is_bound)
        rank->budget.available_bytes = serving_blocks * stage->pool_block_bytes;
    if (rc == KVCAP_OK)
        rc = sum_raw(in, stage, entry, blocks, &rank->raw_bytes, err);
    rank->blocks = blocks;
    return rc != KVCAP_OK ? rc : figure_pool(in, stage, entry, pool_blocks_each, rank, err);
}

/* ---- All ranks. */

static bool groups_alike(const struct kvc_stage *a, const struct kvc_stage *b)
{
    for (uint32_t i = 0; i < a->groups_count; i++) {
        const struct kvc_group *x = &a->groups[i], *y = &b->groups[i];
        if (!kvc_block_rule_equal(&x->rule, &y->rule) || x->compress_ratio != y->compress_ratio ||
            x->layers != y->layers || x->token_bytes != y->token_bytes ||
            x->block_bytes != y->block_bytes)
            return false;
    }
    return true;
}

/* Everything else of a rank follows from these. */
static bool ranks_alike(const struct kvc_stages *stages, const struct kvc_rank_figures *a,
                        const struct kvc_rank_figures *b)
{
    const struct kvc_stage *x = &stages->stages[a->stage], *y = &stages->stages[b->stage];
    return a->budget.reported_bytes == b->budget.reported_bytes &&
           memcmp(a->budget.non_cache, b->budget.non_cache, sizeof a->budget.non_cache) == 0 &&
           (x == y || (x->state_bytes == y->state_bytes && x->groups_count == y->groups_count &&
                       groups_alike(x, y)));
}

/* Entries are kept as found; a rank that is like the one before only counts it. */
static kvcap_code figure_ranks(const struct kvc_plan_inputs *in, struct kvc_arena *arena,
                               struct kvc_plan_figures *figures, kvcap_error *err)
{
    uint32_t ranks = in->contract->tp * in->contract->pp;
    uint64_t serving_blocks = 0;
    figures->ranks = kvc_arena_array(arena, ranks, sizeof *figures->ranks);
    if (figures->ranks == NULL)
        return no_memory(err);
    if (in->stages->is_bound) {
        kvcap_code rc =
            kvc_budget_blocks(in->contract, in->evidence, in->stages, &serving_blocks, err);
        if (rc != KVCAP_OK)
            return rc;
    }
    for (uint32_t number = 0; number < ranks; number++) {
        struct kvc_rank_figures *next = &figures->ranks[figures->ranks_count];
        struct kvc_mark mark = kvc_arena_mark(arena);
        kvcap_code rc =
            figure_rank(in, number, figures->ranks_count, serving_blocks, arena, next, err);
        if (rc != KVCAP_OK)
            return rc;
        bool alike = figures->ranks_count > 0 && ranks_alike(in->stages, next - 1, next);
        if (alike) {
            (next - 1)->count++;
            kvc_arena_rewind(arena, mark);
        } else {
            figures->ranks_count++;
        }
    }
    return KVCAP_OK;
}

/* Below 0 when short: both numbers lie below 2^53, so the difference is exact. */
static int64_t slack_of(const struct kvc_rank_figures *rank)
{
    return (int64_t)rank->budget.available_bytes - (int64_t)rank->required_bytes;
}

static kvcap_code decide(const struct kvc_plan_inputs *in, struct kvc_plan_figures *figures,
                         kvcap_error *err)
{
    struct ck raw = ck_u64(0), required = ck_u64(0), available = ck_u64(0);
    for (uint32_t i = 0; i < figures->ranks_count; i++) {
        const struct kvc_rank_figures *rank = &figures->ranks[i];
        struct ck count = ck_u64(rank->count);
        raw = ck_add(raw, ck_mul(count, ck_u64(rank->raw_bytes)));
        required = ck_add(required, ck_mul(count, ck_u64(rank->required_bytes)));
        available = ck_add(available, ck_mul(count, ck_u64(rank->budget.available_bytes)));
        if (slack_of(rank) < slack_of(&figures->ranks[figures->decided_by]))
            figures->decided_by = i;
    }
    figures->decided_by_rank = figures->ranks[figures->decided_by].first;
    bool fits = slack_of(&figures->ranks[figures->decided_by]) >= 0;
    if (in->stages->slots.said && figures->sequences > in->stages->slots.value)
        fits = false;
    figures->decision = fits ? KVC_DECISION_FIT : KVC_DECISION_EXCEEDS_CAPACITY;

    kvcap_code rc = take(raw, "/raw_bytes", &figures->raw_bytes, err);
    if (rc == KVCAP_OK)
        rc = take(required, "/required_bytes", &figures->required_bytes, err);
    if (rc == KVCAP_OK)
        rc = take(available, "/available_bytes", &figures->available_bytes, err);
    if (rc == KVCAP_OK && figures->required_bytes > in->contract->window_bytes_max)
        return kvc_fail(err, KVC_PLAN_PAST_BOUND, "/required_bytes",
                        "%" PRIu64 " bytes are required, the contract allows %" PRIu64
                        " for a window",
                        figures->required_bytes, in->contract->window_bytes_max);
    return rc;
}

/* ---- Cohorts. */

/* What a block of each rule, and the state of a sequence, weigh over all ranks. */
struct weights {
    struct ck *block_bytes; /* by number of the rule */
    struct ck state_bytes;
};

static void weigh_ranks(const struct kvc_plan_inputs *in, struct weights *weights)
{
    struct ck tp = ck_u64(in->contract->tp);
    for (uint32_t i = 0; i < in->stages->stages_count; i++) {
        const struct kvc_stage *stage = &in->stages->stages[i];
        weights->state_bytes = ck_add(weights->state_bytes, ck_mul(tp, ck_u64(stage->state_bytes)));
        for (uint32_t j = 0; j < stage->groups_count; j++) {
            uint32_t rule = kvc_stages_rule(in->stages, &stage->groups[j]);
            struct ck bytes = ck_mul(tp, ck_u64(stage->groups[j].block_bytes));
            weights->block_bytes[rule] = ck_add(weights->block_bytes[rule], bytes);
        }
    }
}

static struct ck reserved_tokens(const struct kvc_plan_inputs *in, const struct kvc_tally *tally)
{
    return ck_mul(tally->reserved_blocks, ck_u64(in->stages->block_tokens));
}

/* A cohort's numbers are parts of sums that were found to be within bounds, but for its raw bytes
 * where ranks differ; so each is taken with its own check. */
static kvcap_code figure_cohort(const struct kvc_plan_inputs *in, const struct weights *weights,
                                uint32_t number, struct kvc_cohort_figures *cohort,
                                kvcap_error *err)
{
    const struct kvc_tally *tally = &in->window->cohorts[number];
    struct ck raw = ck_mul(tally->sequences, weights->state_bytes);
    for (uint32_t i = 0; i < in->stages->rules_count; i++)
        raw = ck_add(raw, ck_mul(tally->blocks[i], weights->block_bytes[i]));
    *cohort = (struct kvc_cohort_figures){ .cohort = in->intake->cohorts[number] };
    const struct {
        struct ck number;
        uint64_t *ret;
    } ROWS[] = {
        { tally->requests, &cohort->requests },
        { tally->sequences, &cohort->sequences },
        { tally->reserve_tokens, &cohort->reserve_tokens },
        { reserved_tokens(in, tally), &cohort->reserved_tokens },
        { raw, &cohort->raw_bytes },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        kvcap_code rc = take(ROWS[i].number, "/cohorts", ROWS[i].ret, err);
        if (rc != KVCAP_OK)
            return rc;
    }
    return KVCAP_OK;
}

/* At most 1,024 names, usually a handful in order: sorting by insertion is enough. */
static void sort_cohorts(struct kvc_cohort_figures *cohorts, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct kvc_cohort_figures moved = cohorts[i];
        uint32_t at = i;
        for (; at > 0 && kvc_span_compare(cohorts[at - 1].cohort, moved.cohort) > 0; at--)
            cohorts[at] = cohorts[at - 1];
        cohorts[at] = moved;
    }
}

static kvcap_code figure_cohorts(const struct kvc_plan_inputs *in, struct kvc_arena *arena,
                                 struct kvc_plan_figures *figures, kvcap_error *err)
{
    struct weights weights = { .block_bytes = kvc_arena_array(arena, in->stages->rules_count,
                                                              sizeof *weights.block_bytes) };
    figures->cohorts = kvc_arena_array(arena, in->intake->cohorts_count, sizeof *figures->cohorts);
    if (weights.block_bytes == NULL || figures->cohorts == NULL)
        return no_memory(err);
    weigh_ranks(in, &weights);
    for (uint32_t i = 0; i < in->intake->cohorts_count; i++) {
        kvcap_code rc = figure_cohort(in, &weights, i, &figures->cohorts[i], err);
        if (rc != KVCAP_OK)
            return rc;
    }
    figures->cohorts_count = in->intake->cohorts_count;
    sort_cohorts(figures->cohorts, figures->cohorts_count);
    return KVCAP_OK;
}

kvcap_code kvc_plan_figure(const struct kvc_plan_inputs *in, struct kvc_arena *arena,
                           struct kvc_plan_figures *ret_figures, kvcap_error *err)
{
    const struct kvc_tally *all = &in->window->all;
    struct kvc_plan_figures figures = { .decision = KVC_DECISION_UNDETERMINED,
                                        .stages = in->stages,
                                        .counts_prefixes = in->intake->counts_prefixes,
                                        .prefixes = in->intake->prefixes.used };
    kvcap_code rc = take(all->requests, "/requests", &figures.requests, err);
    if (rc == KVCAP_OK)
        rc = take(all->sequences, "/sequences", &figures.sequences, err);
    if (rc == KVCAP_OK)
        rc = take(all->reserve_tokens, "/reserve_tokens", &figures.reserve_tokens, err);
    if (rc == KVCAP_OK && in->stages->undetermined_count > 0) {
        /* What is reported is held against the contract even where nothing else can be said. */
        rc = kvc_budgets_check(in->contract, in->evidence, err);
    } else if (rc == KVCAP_OK) {
        rc = take(reserved_tokens(in, all), "/reserved_tokens", &figures.reserved_tokens, err);
        if (rc == KVCAP_OK)
            rc = figure_ranks(in, arena, &figures, err);
        if (rc == KVCAP_OK)
            rc = decide(in, &figures, err);
        if (rc == KVCAP_OK)
            rc = figure_cohorts(in, arena, &figures, err);
    }
    if (rc == KVCAP_OK)
        *ret_figures = figures;
    return rc;
}
