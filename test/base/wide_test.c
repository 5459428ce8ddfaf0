/* Goal: the steps in 128 bits and the big integers of base/wide.c compute what they say.
 * Method: widths by halving, rounding by looking at both neighbours; big integers beside 128 bits
 * while they fit, and beyond that by undoing each step with another one. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>

#include "base/attr.h"
#include "base/wide.h"
#include "support/chance.h"

/* ---- 128 bits ------------------------------------------------------------------------------ */

static kvc_u128 any_wide(struct chance *chance, uint32_t bits_max)
{
    kvc_u128 value = (kvc_u128)chance_edgy(chance) << 64 | chance_edgy(chance);
    return value >> (128 - bits_max + chance_below(chance, bits_max));
}

static uint32_t count_halvings(kvc_u128 value)
{
    uint32_t count = 0;
    for (; value != 0; value >>= 1)
        count++;
    return count;
}

static void width_is_the_number_of_halvings(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 200000; i++) {
        kvc_u128 value = any_wide(&chance, 128);
        chance_check(&chance, kvc_wide_width(value) == count_halvings(value));
    }
    assert_int_equal(kvc_wide_width(0), 0);
}

/* Of the two neighbours the nearer, of two as near the even one. */
static void shift_goes_to_the_nearer_neighbour(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 200000; i++) {
        kvc_u128 value = any_wide(&chance, 126);
        uint32_t shift = (uint32_t)chance_below(&chance, 126);
        kvc_u128 below = value >> shift, step = (kvc_u128)1 << shift;
        kvc_u128 from_below = value - below * step, from_above = step - from_below;
        bool up = from_above < from_below || (from_above == from_below && below % 2 == 1);
        chance_check(&chance, kvc_wide_shift_to_nearest(value, shift) == below + up);
    }
    assert_true(kvc_wide_shift_to_nearest((kvc_u128)1 << 126, 127) == 0); /* a tie */
    assert_true(kvc_wide_shift_to_nearest(((kvc_u128)1 << 126) + 1, 127) == 1);
    assert_true(kvc_wide_shift_to_nearest(((kvc_u128)1 << 127) - 1, 128) == 0);
    assert_true(kvc_wide_shift_to_nearest(((kvc_u128)1 << 127) - 1, UINT32_MAX) == 0);
}

static void division_jams_what_is_left_over(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 200000; i++) {
        uint64_t divisor = chance_edgy(&chance);
        divisor += divisor == 0;
        kvc_u128 value = any_wide(&chance, 128);
        value -= chance_one_in(&chance, 2) ? value % divisor : 0;
        kvc_u128 due = value / divisor;
        due += value % divisor != 0 && due % 2 == 0;
        chance_check(&chance, kvc_wide_divide_and_jam(value, divisor) == due);
    }
}

/* ---- Big integers -------------------------------------------------------------------------- */

static bool is_wide(const struct kvc_big *a, kvc_u128 value)
{
    struct kvc_big due;
    kvc_big_set(&due, value);
    return kvc_big_compare(a, &due) == 0;
}

static int order_of(kvc_u128 a, kvc_u128 b)
{
    return (a > b) - (a < b);
}

static void small_ones_are_the_same_in_128_bits(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 100000; i++) {
        kvc_u128 x = any_wide(&chance, 127), y = any_wide(&chance, 127);
        uint64_t divisor = chance_edgy(&chance);
        divisor += divisor == 0;
        struct kvc_big a, b;
        kvc_big_set(&a, x);
        kvc_big_set(&b, y);
        chance_check(&chance, kvc_big_width(&a) == kvc_wide_width(x));
        chance_check(&chance, kvc_big_compare(&a, &b) == order_of(x, y));
        kvc_big_add(&a, &b);
        chance_check(&chance, is_wide(&a, x + y));
        kvc_big_subtract(&a, &b);
        chance_check(&chance, is_wide(&a, x));
        chance_check(&chance, kvc_big_divide(&a, divisor) == x % divisor);
        chance_check(&chance, is_wide(&a, x / divisor));
        kvc_big_multiply_add(&a, divisor, (uint64_t)(x % divisor));
        chance_check(&chance, is_wide(&a, x));
        kvc_big_subtract(&b, &b);
        chance_check(&chance, b.count == 0 && kvc_big_width(&b) == 0);
    }
}

/* Up to 60 limbs, so that a step up still fits. */
static void any_big(struct chance *chance, struct kvc_big *a)
{
    kvc_big_set(a, chance_edgy(chance));
    for (uint64_t left = chance_below(chance, 60); left > 0; left--)
        kvc_big_multiply_add(a, chance_edgy(chance) | 1, chance_edgy(chance));
}

static void large_ones_come_back(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 20000; i++) {
        struct kvc_big a, b, was;
        any_big(&chance, &a);
        any_big(&chance, &b);
        kvc_big_copy(&was, &a);

        kvc_big_add(&a, &b);
        chance_check(&chance, kvc_big_compare(&a, &b) >= 0 && kvc_big_compare(&a, &was) >= 0);
        kvc_big_subtract(&a, &b);
        chance_check(&chance, kvc_big_compare(&a, &was) == 0);

        uint64_t factor = chance_edgy(&chance);
        factor += factor == 0;
        uint64_t addend = chance_below(&chance, factor);
        kvc_big_multiply_add(&a, factor, addend);
        chance_check(&chance, kvc_big_compare(&a, &was) >= 0);
        chance_check(&chance, kvc_big_divide(&a, factor) == addend);
        chance_check(&chance, kvc_big_compare(&a, &was) == 0);
    }
}

static void shifting_is_doubling(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 20000; i++) {
        struct kvc_big a, doubled;
        kvc_big_set(&a, any_wide(&chance, 128));
        kvc_big_copy(&doubled, &a);
        uint32_t width = kvc_big_width(&a), bits = (uint32_t)chance_below(&chance, 300);
        for (uint32_t left = bits; left > 0; left--)
            kvc_big_multiply_add(&doubled, 2, 0);
        kvc_big_shift_left(&a, bits);
        chance_check(&chance, kvc_big_compare(&a, &doubled) == 0);
        chance_check(&chance, kvc_big_width(&a) == (width == 0 ? 0 : width + bits));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(width_is_the_number_of_halvings),
        cmocka_unit_test(shift_goes_to_the_nearer_neighbour),
        cmocka_unit_test(division_jams_what_is_left_over),
        cmocka_unit_test(small_ones_are_the_same_in_128_bits),
        cmocka_unit_test(large_ones_come_back),
        cmocka_unit_test(shifting_is_doubling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
