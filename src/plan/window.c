/* window.c - see window.h for the room and its promises. */

#include "plan/window.h"

static bool make_tally(struct kvc_tally *tally, uint32_t rules_count, struct kvc_arena *arena)
{
    tally->blocks = kvc_arena_array(arena, rules_count, sizeof *tally->blocks);
    return tally->blocks != NULL;
}

static kvcap_code no_memory(kvcap_error *err)
{
    return kvc_fail(err, KVC_MEMORY_FULL, "", "the sums of the window need more memory");
}

kvcap_code kvc_window_begin(struct kvc_window *window, const struct kvc_stages *stages,
                            struct kvc_arena *arena, kvcap_error *err)
{
    *window = (struct kvc_window){ .stages = stages, .arena = arena };
    window->cohorts = kvc_arena_array(arena, KVC_COHORTS_MAX, sizeof *window->cohorts);
    if (window->cohorts == NULL || !make_tally(&window->all, stages->rules_count, arena))
        return no_memory(err);
    return KVCAP_OK;
}

/* ---- One request. */

struct share {
    uint64_t sequences;
    uint64_t
        prefix_tokens; /* held in common: whole blocks of every group; 0 without a counted prefix */
    bool carries_prefix; /* first of its prefix: holds those blocks, once */
};

static void add(struct ck *sum, struct ck more)
{
    *sum = ck_add(*sum, more);
}

/* sequences * (blocks - prefix) + prefix once */
static struct ck held(const struct share *share, uint64_t prefix_blocks, struct ck blocks)
{
    struct ck own = blocks;
    own.value -= prefix_blocks;
    struct ck sum = ck_mul(ck_u64(share->sequences), own);
    return share->carries_prefix ? ck_add(sum, ck_u64(prefix_blocks)) : sum;
}

/* Blocks of all the request's sequences under a rule: only a group that holds all tokens still has the
 * prefix that it could share. */
static struct ck held_under(const struct share *share, const struct kvc_block_rule *rule,
                            uint64_t tokens)
{
    bool shares = rule->window_tokens == KVC_WINDOW_NONE;
    uint64_t prefix = shares ? kvc_whole_blocks(share->prefix_tokens, rule->block_tokens) : 0;
    return held(share, prefix, kvc_blocks_of_sequence(rule, tokens));
}

static void add_to_tally(struct kvc_tally *tally, const struct kvc_stages *stages,
                         const struct share *share, uint64_t tokens)
{
    const struct kvc_block_rule rounded = { .block_tokens = stages->block_tokens,
                                            .window_tokens = KVC_WINDOW_NONE };
    add(&tally->requests, ck_u64(1));
    add(&tally->sequences, ck_u64(share->sequences));
    add(&tally->reserve_tokens, ck_mul(ck_u64(share->sequences), ck_u64(tokens)));
    add(&tally->reserved_blocks, held_under(share, &rounded, tokens));
    for (uint32_t i = 0; i < stages->rules_count; i++)
        add(&tally->blocks[i], held_under(share, &stages->by_rule[i], tokens));
}

/* Whole blocks of the largest: what is found again ends where all groups have a block's edge. */
static uint64_t shared_tokens(const struct kvc_stages *stages, uint64_t prefix_tokens)
{
    return kvc_whole_blocks(prefix_tokens, stages->block_tokens) * stages->block_tokens;
}

kvcap_code kvc_window_add(struct kvc_window *window, const struct kvc_request *request,
                          const struct kvc_taken *taken, kvcap_error *err)
{
    struct share share = { .sequences = request->sequences,
                           .carries_prefix = taken->carries_prefix };
    /* Within sequence_tokens_max, and so within 2^53. */
    uint64_t tokens = request->prompt_tokens + request->max_output_tokens;
    if (taken->counts_prefix && window->stages->shares_prefixes)
        share.prefix_tokens = shared_tokens(window->stages, request->prefix_tokens);
    struct kvc_tally *tally = &window->cohorts[taken->cohort];
    if (tally->blocks == NULL && !make_tally(tally, window->stages->rules_count, window->arena))
        return no_memory(err);
    add_to_tally(tally, window->stages, &share, tokens);
    add_to_tally(&window->all, window->stages, &share, tokens);
    return KVCAP_OK;
}
