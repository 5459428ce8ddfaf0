/* why.c - see why.h for the room and its promises. */

#include "plan/why.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

struct telling {
    void (*show)(void *context, const struct kvc_step *step);
    void *context;
};

static void input(const struct telling *t, unsigned depth, const char *name, uint64_t value,
                  const char *source)
{
    struct kvc_step step = {
        .depth = depth, .name = name, .value = value, .formula = "", .source = source
    };
    t->show(t->context, &step);
}

static void result(const struct telling *t, unsigned depth, const char *name, uint64_t value,
                   const char *format, ...) KVC_PRINTF(5, 6);

static void result(const struct telling *t, unsigned depth, const char *name, uint64_t value,
                   const char *format, ...)
{
    char formula[320];
    va_list args;
    va_start(args, format);
    vsnprintf(formula, sizeof formula, format, args);
    va_end(args);
    struct kvc_step step = {
        .depth = depth, .name = name, .value = value, .formula = formula, .source = ""
    };
    t->show(t->context, &step);
}

/* Of an engine whole blocks count, the same number on every rank. */
static void tell_available(const struct telling *t, const struct kvc_stages *stages,
                           const struct kvc_rank_figures *rank)
{
    const struct kvc_budget *b = &rank->budget;
    if (!stages->is_bound) {
        result(t, 2, "available_bytes", b->available_bytes,
               "the smaller of budget_bytes %" PRIu64 " and reported_bytes %" PRIu64,
               b->budget_bytes, b->reported_bytes);
        return;
    }
    uint64_t block_bytes = stages->stages[rank->stage].pool_block_bytes;
    result(t, 2, "available_bytes", b->available_bytes,
           "%" PRIu64 " blocks that serve on every rank * %" PRIu64
           " bytes, in the smaller of budget_bytes %" PRIu64 " and reported_bytes %" PRIu64,
           b->available_bytes / block_bytes, block_bytes, b->budget_bytes, b->reported_bytes);
    if (stages->idle_blocks > 0)
        result(t, 3, "idle_blocks", stages->idle_blocks,
               "of the pool, and never a sequence's: the null block");
    if (stages->blocks.said)
        result(t, 3, "blocks", stages->blocks.value,
               stages->blocks_are_fixed ? "all are made at start" : "not more, by the settings");
}

static void tell_budget(const struct telling *t, const struct kvc_stages *stages,
                        const struct kvc_rank_figures *rank)
{
    const struct kvc_budget *b = &rank->budget;
    char source[80];
    tell_available(t, stages, rank);
    result(t, 3, "budget_bytes", b->budget_bytes,
           "device_bytes %" PRIu64 " - weights %" PRIu64 " - workspaces %" PRIu64
           " - buffers %" PRIu64 " - graphs %" PRIu64 " - monitoring %" PRIu64
           " - headroom %" PRIu64,
           b->device_bytes, b->non_cache[4], b->non_cache[5], b->non_cache[0], b->non_cache[1],
           b->non_cache[3], b->non_cache[2]);
    input(t, 4, "device_bytes", b->device_bytes, "contract:/pool/device_bytes");
    for (size_t i = 0; i < KVC_NON_CACHE_COUNT; i++) {
        snprintf(source, sizeof source, "contract:/non_cache/%s", kvc_non_cache_name(i));
        input(t, 4, kvc_non_cache_name(i), b->non_cache[i], source);
    }
    snprintf(source, sizeof source, "evidence:/reported/cache_bytes_by_rank/%u",
             (unsigned)rank->first);
    input(t, 3, "reported_bytes", b->reported_bytes, source);
}

/* An engine's window is longer than the model's by what is in flight, and its blocks may be padded. */
static void tell_bound_group(const struct telling *t, const struct kvc_group *group)
{
    if (group->rule.window_tokens != KVC_WINDOW_NONE)
        result(t, 5, "window_tokens", group->rule.window_tokens,
               "tokens that the engine holds at its worst moment, by its rules");
    if (group->rule.ahead_tokens > 0)
        result(t, 5, "ahead_tokens", group->rule.ahead_tokens,
               "slots past the last token, for speculation, up to %" PRIu64, group->rule.slots_max);
    result(t, 4, "block_bytes", group->block_bytes,
           "a block of the engine's pool: %" PRIu64 " tokens, %" PRIu64
           " bytes_per_token, and padding",
           group->rule.block_tokens, group->token_bytes);
}

static void tell_group(const struct telling *t, const struct kvc_stages *stages,
                       const struct kvc_group *group, uint64_t blocks)
{
    const char *holds = group->rule.window_tokens == KVC_WINDOW_NONE ? "all tokens" : "a window";
    result(t, 4, "blocks", blocks, "held by all requests together; %u layers keep %s",
           (unsigned)group->layers, holds);
    if (stages->is_bound) {
        tell_bound_group(t, group);
        return;
    }
    if (group->rule.window_tokens != KVC_WINDOW_NONE)
        input(t, 5, "window_tokens", group->rule.window_tokens, "model:/architecture/layer_types");
    result(t, 4, "block_bytes", group->block_bytes,
           "block_tokens %" PRIu64 " / compress_ratio %u * bytes_per_token %" PRIu64,
           group->rule.block_tokens, (unsigned)group->compress_ratio, group->token_bytes);
    result(t, 5, "bytes_per_token", group->token_bytes,
           "sum over %u layers of the rows of K and V on this rank", (unsigned)group->layers);
}

static void tell_raw(const struct telling *t, const struct kvc_plan_figures *figures,
                     const struct kvc_rank_figures *rank)
{
    const struct kvc_stage *stage = &figures->stages->stages[rank->stage];
    result(t, 3, "raw_bytes", rank->raw_bytes,
           "sum of blocks * block_bytes over %u groups + sequences %" PRIu64
           " * state_bytes_per_sequence %" PRIu64,
           (unsigned)stage->groups_count, figures->sequences, stage->state_bytes);
    for (uint32_t i = 0; i < stage->groups_count; i++)
        tell_group(t, figures->stages, &stage->groups[i], rank->blocks[i]);
}

static void tell_pool(const struct telling *t, const struct kvc_rank_figures *rank,
                      const struct kvc_contract *contract)
{
    result(t, 2, "sequences_max", rank->sequences_max,
           "pool_blocks %" PRIu64 " / sequence_blocks_max %" PRIu64 ", down", rank->pool_blocks,
           rank->sequence_blocks_max);
    result(t, 3, "pool_blocks", rank->pool_blocks,
           "pool_bytes %" PRIu64 " / pool_block_bytes %" PRIu64 ", down", rank->pool_bytes,
           rank->pool_block_bytes);
    result(t, 4, "pool_bytes", rank->pool_bytes,
           "available_bytes %" PRIu64 " * 10000 / (10000 + overhead_bps %" PRIu64 "), down",
           rank->budget.available_bytes, contract->overhead_bps);
    result(t, 3, "sequence_blocks_max", rank->sequence_blocks_max,
           "pool blocks of one sequence of %" PRIu64 " tokens", contract->sequence_tokens_max);
    input(t, 4, "sequence_tokens_max", contract->sequence_tokens_max,
          "contract:/bounds/sequence_tokens_max");
}

static void tell_rank(const struct telling *t, const struct kvc_plan_figures *figures,
                      const struct kvc_rank_figures *rank, const struct kvc_contract *contract)
{
    bool fits = rank->required_bytes <= rank->budget.available_bytes;
    uint64_t slack = fits ? rank->budget.available_bytes - rank->required_bytes
                          : rank->required_bytes - rank->budget.available_bytes;
    result(t, 1, fits ? "free_bytes" : "short_bytes", slack,
           "%s %" PRIu64 " - %s %" PRIu64 ", on each of %u ranks from rank %u",
           fits ? "available_bytes" : "required_bytes",
           fits ? rank->budget.available_bytes : rank->required_bytes,
           fits ? "required_bytes" : "available_bytes",
           fits ? rank->required_bytes : rank->budget.available_bytes, (unsigned)rank->count,
           (unsigned)rank->first);
    result(t, 2, "required_bytes", rank->required_bytes,
           "raw_bytes %" PRIu64 " * (10000 + overhead_bps %" PRIu64 ") / 10000, up",
           rank->raw_bytes, contract->overhead_bps);
    input(t, 3, "overhead_bps", contract->overhead_bps, "contract:/allocator/overhead_bps");
    tell_raw(t, figures, rank);
    tell_budget(t, figures->stages, rank);
    tell_pool(t, rank, contract);
}

void kvc_why(const struct kvc_plan_figures *figures, const struct kvc_contract *contract,
             void (*show)(void *context, const struct kvc_step *step), void *context)
{
    struct telling t = { .show = show, .context = context };
    result(&t, 0, "reserve_tokens", figures->reserve_tokens,
           "sum over %" PRIu64 " requests of sequences * (prompt_tokens + max_output_tokens)",
           figures->requests);
    if (figures->decision == KVC_DECISION_UNDETERMINED)
        return;
    result(&t, 0, "reserved_tokens", figures->reserved_tokens,
           "each sequence rounded up to blocks of %" PRIu64 " tokens%s",
           figures->stages->block_tokens,
           figures->counts_prefixes && figures->stages->shares_prefixes
               ? ", a counted prefix held once"
               : "");
    result(&t, 0, "required_bytes", figures->required_bytes, "sum over ranks");
    result(&t, 0, "available_bytes", figures->available_bytes, "sum over ranks");
    result(&t, 0, "decided_by_rank", figures->decided_by_rank,
           "the first rank with the least available_bytes - required_bytes");
    if (figures->stages->slots.said)
        result(&t, 0, "slots", figures->stages->slots.value,
               "sequences that the engine holds at once; %" PRIu64 " are asked for",
               figures->sequences);
    for (uint32_t i = 0; i < figures->ranks_count; i++)
        tell_rank(&t, figures, &figures->ranks[i], contract);
}
