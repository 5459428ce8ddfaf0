/* window.c - see window.h for the room and its promises. */

#include "plan/window.h"

#include <inttypes.h>
#include <stdio.h>

static bool make_tally(struct kvc_tally *tally, uint32_t windows_count, struct kvc_arena *arena)
{
    tally->blocks = kvc_arena_array(arena, windows_count, sizeof *tally->blocks);
    return tally->blocks != NULL;
}

static kvcap_code no_memory(kvcap_error *err)
{
    return kvc_fail(err, KVC_MEMORY_FULL, "", "the sums of the window need more memory");
}

kvcap_code kvc_window_begin(struct kvc_window *window, const struct kvc_stages *stages,
                            const struct kvc_contract *contract, uint32_t cohorts_room,
                            const struct kvc_memory *memory, struct kvc_arena *arena,
                            struct kvc_sha256 *sha, kvcap_error *err)
{
    *window = (struct kvc_window){ .stages = stages,
                                   .counts_prefixes = contract->counts_prefixes,
                                   .arena = arena,
                                   .sha = sha,
                                   .cohorts_room = cohorts_room };
    kvc_seen_begin(&window->prefixes, memory, true);
    window->cohorts = kvc_arena_array(arena, cohorts_room, sizeof *window->cohorts);
    if (window->cohorts == NULL || !make_tally(&window->all, stages->windows_count, arena))
        return no_memory(err);
    return KVCAP_OK;
}

void kvc_window_drop(struct kvc_window *window)
{
    kvc_seen_drop(&window->prefixes);
}

/* ---- One request. */

struct share {
    uint64_t sequences;
    uint64_t prefix_blocks; /* of one sequence; 0 without a counted prefix */
    bool carries_prefix;    /* first of its prefix: holds those blocks, once */
};

static void add(struct ck *sum, struct ck more)
{
    *sum = ck_add(*sum, more);
}

/* sequences * (blocks - prefix) + prefix once */
static struct ck held(const struct share *share, struct ck blocks)
{
    struct ck own = blocks;
    own.value -= share->prefix_blocks;
    struct ck sum = ck_mul(ck_u64(share->sequences), own);
    return share->carries_prefix ? ck_add(sum, ck_u64(share->prefix_blocks)) : sum;
}

static void add_to_tally(struct kvc_tally *tally, const struct kvc_stages *stages,
                         const struct share *share, uint64_t tokens)
{
    struct kvc_block_rule whole = { .block_tokens = stages->block_tokens,
                                    .window_tokens = KVC_WINDOW_NONE };
    add(&tally->requests, ck_u64(1));
    add(&tally->sequences, ck_u64(share->sequences));
    add(&tally->reserve_tokens, ck_mul(ck_u64(share->sequences), ck_u64(tokens)));
    add(&tally->reserved_blocks, held(share, kvc_blocks_of_sequence(&whole, tokens)));
    for (uint32_t i = 0; i < stages->windows_count; i++) {
        struct kvc_block_rule rule = { .block_tokens = stages->block_tokens,
                                       .window_tokens = stages->windows[i] };
        struct ck blocks = kvc_blocks_of_sequence(&rule, tokens);
        bool shares = stages->windows[i] == KVC_WINDOW_NONE;
        add(&tally->blocks[i],
            shares ? held(share, blocks) : ck_mul(ck_u64(share->sequences), blocks));
    }
}

static kvcap_code look_up_prefix(struct kvc_window *window, const struct kvc_request *request,
                                 uint64_t n, struct share *share, kvcap_error *err)
{
    uint64_t tokens = request->prefix_tokens;
    enum kvc_seen_answer answer =
        kvc_seen_add(&window->prefixes, window->sha, request->tenant, request->prefix_id, &tokens);
    if (answer == KVC_SEEN_NO_MEMORY)
        return no_memory(err);
    if (tokens != request->prefix_tokens) {
        char at[64];
        snprintf(at, sizeof at, "/requests/%" PRIu64 "/prefix_tokens", n);
        return kvc_fail(err, KVC_EVIDENCE_PREFIX_DISAGREES, at,
                        "an earlier request of this tenant gave this prefix %" PRIu64 " tokens",
                        tokens);
    }
    share->prefix_blocks = tokens / window->stages->block_tokens;
    share->carries_prefix = answer == KVC_SEEN_NEW;
    return KVCAP_OK;
}

kvcap_code kvc_window_add(struct kvc_window *window, const struct kvc_request *request, uint64_t n,
                          uint32_t cohort, kvcap_error *err)
{
    struct share share = { .sequences = request->sequences };
    /* Within sequence_tokens_max, and so within 2^53. */
    uint64_t tokens = request->prompt_tokens + request->max_output_tokens;
    if (window->counts_prefixes && request->prefix_id.text != NULL) {
        kvcap_code rc = look_up_prefix(window, request, n, &share, err);
        if (rc != KVCAP_OK)
            return rc;
    }
    struct kvc_tally *tally = &window->cohorts[cohort];
    if (tally->blocks == NULL && !make_tally(tally, window->stages->windows_count, window->arena))
        return no_memory(err);
    add_to_tally(tally, window->stages, &share, tokens);
    add_to_tally(&window->all, window->stages, &share, tokens);
    return KVCAP_OK;
}
