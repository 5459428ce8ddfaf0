/* blocks.h - how many cache blocks a sequence holds, and what they weigh.
 *
 * Room:   bytes/ - pure: integers only, no I/O, no allocation, no clock.
 * In:     token counts, and an allocator's rule as plain numbers.
 * Out:    blocks, then bytes.
 * Knows:  base/.  Never engine/: an engine hands its numbers down, it is not asked.
 *
 * Every engine hands out cache in blocks of a fixed number of tokens.  Most wrong capacity
 * figures are a rounding done in the wrong place: on bytes where the allocator rounds tokens, or
 * once for the batch where it rounds once per sequence.  So rounding lives here and nowhere else,
 * and it is always: one sequence, in tokens, upward.
 */
#ifndef KVC_BYTES_BLOCKS_H
#define KVC_BYTES_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ck.h"

/* A group of layers that never forgets.  Not 0: a window of no tokens is an error, not a wish. */
#define KVC_WINDOW_NONE UINT64_MAX

/* How one group of layers is given its blocks.  All are per sequence. */
struct kvc_block_rule {
    uint64_t block_tokens;  /* tokens that one block stands for; at least 1 */
    uint64_t window_tokens; /* the newest tokens kept, or KVC_WINDOW_NONE; at least 1 */
    uint64_t ahead_tokens;  /* slots held past the last token, for speculation; usually 0 */
    uint64_t slots_max;     /* what is held ahead ends here; 0: it ends nowhere */
};

bool kvc_block_rule_equal(const struct kvc_block_rule *a, const struct kvc_block_rule *b);

/* The most blocks that a sequence of `tokens` holds at one moment under `rule`.
 *
 * This is an upper bound over where the sequence's window may begin, and it is tight: some
 * beginning reaches it.  A sequence of no tokens holds no block, unless the rule runs ahead. */
struct ck kvc_blocks_of_sequence(const struct kvc_block_rule *rule, uint64_t tokens);

/* Blocks that tokens fill whole.  Rounds down: a block that is shared holds shared tokens alone. */
uint64_t kvc_whole_blocks(uint64_t tokens, uint64_t block_tokens);

/* Sequences of so many blocks in a pool.  Rounds down.  sequence_blocks must not be 0. */
uint64_t kvc_sequences_in_pool(uint64_t pool_blocks, uint64_t sequence_blocks);

/* Whole blocks in a pool.  Rounds down, because part of a block serves nobody.
 * block_bytes must not be 0: a block that weighs nothing is our bug, not the caller's. */
uint64_t kvc_blocks_in_pool(uint64_t pool_bytes, uint64_t block_bytes);

#endif /* KVC_BYTES_BLOCKS_H */
