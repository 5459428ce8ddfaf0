/* blocks.c - see blocks.h for the room and its promises. */

#include "bytes/blocks.h"

#include <assert.h>

/* The most blocks that a run of slots can touch when it may begin anywhere in a block.  The
 * first slot touches one block; after it, every block_tokens slots can cross one more edge. */
static struct ck blocks_touched(uint64_t run, uint64_t block_tokens)
{
    assert(run > 0);
    return ck_add(ck_u64(1), ck_div_ceil(ck_u64(run - 1), block_tokens));
}

bool kvc_block_rule_equal(const struct kvc_block_rule *a, const struct kvc_block_rule *b)
{
    return a->block_tokens == b->block_tokens && a->window_tokens == b->window_tokens &&
           a->ahead_tokens == b->ahead_tokens && a->slots_max == b->slots_max;
}

/* Slots of a sequence of so many tokens: what is held ahead never makes them fewer. */
static struct ck slots_of(const struct kvc_block_rule *rule, uint64_t tokens)
{
    struct ck slots = ck_add(ck_u64(tokens), ck_u64(rule->ahead_tokens));
    if (rule->slots_max == 0)
        return slots;
    return ck_min(slots, ck_u64(tokens > rule->slots_max ? tokens : rule->slots_max));
}

struct ck kvc_blocks_of_sequence(const struct kvc_block_rule *rule, uint64_t tokens)
{
    assert(rule->block_tokens > 0 && rule->window_tokens > 0);

    /* Until it slides, a sequence begins on a block's edge and straddles nothing. */
    struct ck slots = slots_of(rule, tokens);
    struct ck whole = ck_div_ceil(slots, rule->block_tokens);
    if (slots.value <= rule->window_tokens)
        return whole;

    /* Once it slides it may begin anywhere - but it holds no block that it never filled, so the
     * straddling block is counted only if the sequence is long enough to have one. */
    return ck_min(whole, blocks_touched(rule->window_tokens, rule->block_tokens));
}

uint64_t kvc_blocks_in_pool(uint64_t pool_bytes, uint64_t block_bytes)
{
    assert(block_bytes > 0);
    return pool_bytes / block_bytes;
}

uint64_t kvc_whole_blocks(uint64_t tokens, uint64_t block_tokens)
{
    assert(block_tokens > 0);
    return tokens / block_tokens;
}

uint64_t kvc_sequences_in_pool(uint64_t pool_blocks, uint64_t sequence_blocks)
{
    assert(sequence_blocks > 0);
    return pool_blocks / sequence_blocks;
}
