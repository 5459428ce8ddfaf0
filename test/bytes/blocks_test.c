/* Goal: kvc_blocks_of_sequence is never below what a sequence holds at any moment, and some moment
 * reaches it.
 * Method: a sequence that grows token by token and a window that walks behind it, with one piece of
 * knowledge: slot i lies in block i / block_tokens.  All blocks of 1 to 9 tokens, windows of 1 to
 * 25 tokens and none, sequences of 0 to 70 tokens. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>

#include "bytes/blocks.h"

/* ---- The walk. */

#define TOKENS_MAX 70

/* Blocks with at least one of the newest `window` of `tokens` slots. */
static uint64_t held_now(uint64_t block_tokens, uint64_t window, uint64_t tokens)
{
    bool has_slot[TOKENS_MAX] = { false };
    for (uint64_t slot = 0; slot < tokens; slot++) {
        bool is_kept = tokens - slot <= window;
        if (is_kept)
            has_slot[slot / block_tokens] = true;
    }
    uint64_t held = 0;
    for (size_t block = 0; block < TOKENS_MAX; block++)
        held += has_slot[block];
    return held;
}

static uint64_t blocks(uint64_t block_tokens, uint64_t window, uint64_t tokens)
{
    struct kvc_block_rule rule = { .block_tokens = block_tokens, .window_tokens = window };
    struct ck answer = kvc_blocks_of_sequence(&rule, tokens);
    assert_false(answer.over);
    return answer.value;
}

static void check_growth(uint64_t block_tokens, uint64_t window)
{
    uint64_t most = 0; /* held at any moment so far */
    for (uint64_t tokens = 0; tokens <= TOKENS_MAX; tokens++) {
        uint64_t now = held_now(block_tokens, window, tokens);
        most = now > most ? now : most;
        uint64_t answer = blocks(block_tokens, window, tokens);
        if (answer < most)
            fail_msg("too low: block %u, window %u, tokens %u", (unsigned)block_tokens,
                     (unsigned)window, (unsigned)tokens);
        if (answer > most)
            fail_msg("never reached: block %u, window %u, tokens %u", (unsigned)block_tokens,
                     (unsigned)window, (unsigned)tokens);
    }
}

static void the_bound_is_never_low_and_always_reached(void **state)
{
    (void)state;
    for (uint64_t block_tokens = 1; block_tokens <= 9; block_tokens++) {
        for (uint64_t window = 1; window <= 25; window++)
            check_growth(block_tokens, window);
        check_growth(block_tokens, KVC_WINDOW_NONE);
    }
}

/* ---- By hand. */

static void published_windows_hold_the_blocks_counted_by_hand(void **state)
{
    (void)state;
    assert_int_equal(blocks(16, KVC_WINDOW_NONE, 0), 0);
    assert_int_equal(blocks(16, KVC_WINDOW_NONE, 1), 1);
    assert_int_equal(blocks(16, KVC_WINDOW_NONE, 16), 1);
    assert_int_equal(blocks(16, KVC_WINDOW_NONE, 17), 2);
    assert_int_equal(blocks(16, KVC_WINDOW_NONE, 8192), 512);
    /* 1024 tokens of window fill 64 blocks, and straddle a 65th once they slide. */
    assert_int_equal(blocks(16, 1024, 1023), 64);
    assert_int_equal(blocks(16, 1024, 1024), 64);
    assert_int_equal(blocks(16, 1024, 1025), 65);
    assert_int_equal(blocks(16, 1024, 131072), 65);
    assert_int_equal(blocks(16, 1, 131072), 1);
    assert_int_equal(blocks(16, 2, 131072), 2);
    assert_int_equal(blocks(1, 1024, 131072), 1024);
}

/* ---- The edge of 64 bits. */

static void the_largest_sequences_do_not_overflow(void **state)
{
    (void)state;
    const uint64_t most = UINT64_MAX;
    assert_int_equal(blocks(1, KVC_WINDOW_NONE, most), most);
    assert_int_equal(blocks(most, KVC_WINDOW_NONE, most), 1);
    assert_int_equal(blocks(most - 1, KVC_WINDOW_NONE, most), 2);
    assert_int_equal(blocks(2, KVC_WINDOW_NONE, most), UINT64_C(1) << 63);
    assert_int_equal(blocks(1, most - 1, most), most - 1);
    assert_int_equal(blocks(1, 7, most), 7);
    assert_int_equal(blocks(most, 7, most), 1);
    assert_int_equal(blocks(most - 1, 7, most), 2);
}

/* ---- The pool. */

static void a_pool_holds_whole_blocks_only(void **state)
{
    (void)state;
    for (uint64_t block_bytes = 1; block_bytes <= 40; block_bytes++) {
        uint64_t whole = 0, room = 0; /* bytes that are in no whole block yet */
        for (uint64_t pool_bytes = 0; pool_bytes <= 500; pool_bytes++) {
            assert_int_equal(kvc_blocks_in_pool(pool_bytes, block_bytes), whole);
            if (++room == block_bytes) {
                whole++;
                room = 0;
            }
        }
    }
    assert_int_equal(kvc_blocks_in_pool(UINT64_MAX, 1), UINT64_MAX);
    assert_int_equal(kvc_blocks_in_pool(UINT64_MAX, UINT64_MAX), 1);
    assert_int_equal(kvc_blocks_in_pool(UINT64_MAX - 1, UINT64_MAX), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bound_is_never_low_and_always_reached),
        cmocka_unit_test(published_windows_hold_the_blocks_counted_by_hand),
        cmocka_unit_test(the_largest_sequences_do_not_overflow),
        cmocka_unit_test(a_pool_holds_whole_blocks_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
