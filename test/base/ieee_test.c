/* Goal: base/ieee.c lands on the same bits as the hardware, for every operation.
 * Method: random cases by the million from one seed, in mixes that lean to where rounding is hard,
 * held against doubles and floats. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdbool.h>

#include "base/ieee.h"
#include "support/chance.h"
#include "support/ieee_cases.h"

/* ---- Cases --------------------------------------------------------------------------------- */

/* Near the first one half of the time: sums then cancel, and ratios are near 1. */
static double any_second(struct chance *chance, double first)
{
    switch (chance_below(chance, 6)) {
    case 0:
        return double_of(bits_of(first) ^ chance_below(chance, 8));
    case 1:
        return double_of(bits_of(first) ^ chance_below(chance, 4) ^
                         (chance_below(chance, 64) << 52) ^ (chance_below(chance, 2) << 63));
    case 2:
        return double_of((bits_of(first) & (UINT64_C(0xFFF) << 52)) | sparse_fraction(chance, 52));
    default:
        return any_double(chance);
    }
}

static float any_second_float(struct chance *chance, float first)
{
    switch (chance_below(chance, 4)) {
    case 0:
        return float_of(bits_of_float(first) ^ (uint32_t)chance_below(chance, 8));
    case 1:
        return float_of(bits_of_float(first) ^
                        (uint32_t)(chance_below(chance, 4) | chance_below(chance, 32) << 23));
    default:
        return any_float(chance);
    }
}

/* ---- Comparisons --------------------------------------------------------------------------- */

static void expect_f32(const struct chance *chance, const char *what, double a, double b,
                       struct kvc_f32 got, float want)
{
    bool same = want != want ? got.bits == UINT32_C(0x7FC00000) : got.bits == bits_of_float(want);
    if (!same)
        fail_msg("seed %" PRIu64 ": %s of %a and %a gives %a, not %a", chance->seed, what, a, b,
                 (double)float_of(got.bits), (double)want);
}

static void expect_integer(const struct chance *chance, const char *what, double x, bool ok,
                           uint64_t got, bool want_ok, uint64_t want)
{
    if (ok != want_ok || (ok && got != want))
        fail_msg("seed %" PRIu64 ": %s of %a is %d:%" PRIu64 ", not %d:%" PRIu64, chance->seed,
                 what, x, ok, got, want_ok, want);
}

static enum kvc_order order_of(double a, double b)
{
    if (a != a || b != b)
        return KVC_ORDER_NONE;
    return a < b ? KVC_ORDER_LESS : a > b ? KVC_ORDER_GREATER : KVC_ORDER_EQUAL;
}

/* ---- Arithmetic ---------------------------------------------------------------------------- */

static void doubles_are_the_hardware_s(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 2000000; i++) {
        double a = any_double(&chance), b = any_second(&chance, a);
        expect_f64(&chance, "sum", a, b, kvc_f64_add(f64(a), f64(b)), a + b);
        expect_f64(&chance, "difference", a, b, kvc_f64_subtract(f64(a), f64(b)), a - b);
        expect_f64(&chance, "product", a, b, kvc_f64_multiply(f64(a), f64(b)), a * b);
        expect_f64(&chance, "quotient", a, b, kvc_f64_divide(f64(a), f64(b)), a / b);
        if (kvc_f64_compare(f64(a), f64(b)) != order_of(a, b))
            fail_msg("seed %" PRIu64 ": order of %a and %a", chance.seed, a, b);
    }
}

static void floats_are_the_hardware_s(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 1000000; i++) {
        float a = any_float(&chance), b = any_second_float(&chance, a);
        double x = (double)a, y = (double)b;
        expect_f32(&chance, "float sum", x, y, kvc_f32_add(f32(a), f32(b)), a + b);
        expect_f32(&chance, "float difference", x, y, kvc_f32_subtract(f32(a), f32(b)), a - b);
        expect_f32(&chance, "float product", x, y, kvc_f32_multiply(f32(a), f32(b)), a * b);
        expect_f32(&chance, "float quotient", x, y, kvc_f32_divide(f32(a), f32(b)), a / b);
        if (kvc_f32_compare(f32(a), f32(b)) != order_of(x, y))
            fail_msg("seed %" PRIu64 ": order of floats %a and %a", chance.seed, x, y);
    }
}

/* Quotients and products that lie next to a tie: a result of 54 or 25 bits, taken apart again. */
static void near_ties_round_as_the_hardware_does(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 500000; i++) {
        double b = (double)(chance_below(&chance, UINT64_C(1) << 26) | 1);
        double a = (double)((chance_below(&chance, UINT64_C(1) << 27) << 1) | 1);
        double product = a * b;
        double power = double_of((1023 - chance_below(&chance, 1100) % 1022) << 52);
        expect_f64(&chance, "tied product", a, b, kvc_f64_multiply(f64(a), f64(b)), product);
        expect_f64(&chance, "tied quotient", product, b, kvc_f64_divide(f64(product), f64(b)),
                   product / b);
        expect_f64(&chance, "small product", a, power,
                   kvc_f64_multiply(f64(a), f64(power * 0x1p-52)), a * (power * 0x1p-52));
        expect_f64(&chance, "small quotient", a, b, kvc_f64_divide(f64(power * 0x1p-30), f64(b)),
                   power * 0x1p-30 / b);
    }
}

/* ---- Conversions --------------------------------------------------------------------------- */

static void conversions_are_the_hardware_s(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 1000000; i++) {
        double x = any_double(&chance);
        float y = any_float(&chance);
        uint64_t n = chance_next(&chance) >> chance_below(&chance, 64);
        n = chance_below(&chance, 4) == 0 ? (n & ~UINT64_C(0x7FF)) | UINT64_C(0x400) : n;
        expect_f32(&chance, "narrowing", x, 0, kvc_f32_from_f64(f64(x)), (float)x);
        expect_f64(&chance, "widening", (double)y, 0, kvc_f64_from_f32(f32(y)), (double)y);
        expect_f64(&chance, "double of integer", (double)n, 0, kvc_f64_from_u64(n), (double)n);
        expect_f32(&chance, "float of integer", (double)n, 0, kvc_f32_from_u64(n), (float)n);

        double tied =
            double_of(bits_of((double)y) ^ UINT64_C(0x10000000) ^ chance_below(&chance, 2));
        expect_f32(&chance, "tied narrowing", tied, 0, kvc_f32_from_f64(f64(tied)), (float)tied);
    }
}

/* The integer is known from the truncation, and from whether that changed anything. */
static void check_integers_of(const struct chance *chance, double x)
{
    uint64_t got = 0, whole = 0;
    bool fits = x > -1.0 && x < 0x1p64;
    if (fits)
        whole = x < 0 ? 0 : (uint64_t)x;
    bool cut = fits && (double)whole != x;

    bool ok = kvc_f64_truncate(f64(x), &got);
    expect_integer(chance, "truncation", x, ok, got, fits, whole);
    ok = kvc_f64_floor(f64(x), &got);
    expect_integer(chance, "floor", x, ok, got, fits && !(x < 0), whole);
    ok = kvc_f64_ceil(f64(x), &got);
    expect_integer(chance, "ceiling", x, ok, got, fits, whole + (cut && x > 0));
}

static void integers_are_taken_as_c_casts(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 1000000; i++)
        check_integers_of(&chance, any_double(&chance));

    uint64_t untouched = 7;
    assert_false(kvc_f64_truncate(f64(-1.0), &untouched));
    assert_false(kvc_f64_floor(f64(-0.5), &untouched));
    assert_false(kvc_f64_ceil(f64(0x1p64), &untouched));
    assert_int_equal(untouched, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_are_the_hardware_s),
        cmocka_unit_test(floats_are_the_hardware_s),
        cmocka_unit_test(near_ties_round_as_the_hardware_does),
        cmocka_unit_test(conversions_are_the_hardware_s),
        cmocka_unit_test(integers_are_taken_as_c_casts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
