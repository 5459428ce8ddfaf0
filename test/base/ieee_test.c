/* Goal: base/ieee.c lands on the same bits and the same text as the hardware and the C library, for
 * every operation, and on Python's where Python differs from C.
 * Method: random cases by the million from one seed, in mixes that lean to where rounding is hard,
 * held against doubles and floats, strtod, strtof and snprintf; then facts taken from CPython.
 *
 * IEEE_TEST_SEED in the environment sets another seed; a failure prints the one that was used. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ieee.h"

#define SEED UINT64_C(20240611)

static uint64_t seed, state_now;

/* ---- Cases --------------------------------------------------------------------------------- */

/* splitmix64 */
static uint64_t next_random(void)
{
    uint64_t z = state_now += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static uint64_t below(uint64_t bound)
{
    return next_random() % bound;
}

/* Each test starts from the seed anew, so that any of them can be repeated alone. */
static int start_from_seed(void **state)
{
    (void)state;
    const char *wish = getenv("IEEE_TEST_SEED");
    seed = wish != NULL ? strtoull(wish, NULL, 10) : SEED;
    state_now = seed;
    return 0;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static struct kvc_f64 f64(double value)
{
    return (struct kvc_f64){ bits_of(value) };
}

static struct kvc_f32 f32(float value)
{
    return (struct kvc_f32){ bits_of_float(value) };
}

/* Few bits at the top, few at the bottom: sums and products of such are often ties. */
static uint64_t sparse_fraction(uint32_t bits)
{
    uint64_t top = below(16) << (bits - 4), bottom = below(4), middle = below(bits);
    uint64_t run = below(2) != 0 ? (UINT64_C(1) << middle) - 1 : UINT64_C(1) << middle;
    return (top ^ bottom ^ run) & ((UINT64_C(1) << bits) - 1);
}

static uint64_t special_bits(void)
{
    static const uint64_t SPECIALS[] = {
        UINT64_C(0),                  UINT64_C(1),
        UINT64_C(2),                  UINT64_C(0x000FFFFFFFFFFFFF),
        UINT64_C(0x0010000000000000), UINT64_C(0x0010000000000001),
        UINT64_C(0x3FE0000000000000), UINT64_C(0x3FF0000000000000),
        UINT64_C(0x4330000000000000), UINT64_C(0x43F0000000000000),
        UINT64_C(0x43EFFFFFFFFFFFFF), UINT64_C(0x7FEFFFFFFFFFFFFF),
        UINT64_C(0x7FF0000000000000), UINT64_C(0x7FF8000000000000),
        UINT64_C(0x7FF0000000000001), UINT64_C(0x47EFFFFFF0000000),
    };
    return SPECIALS[below(sizeof SPECIALS / sizeof SPECIALS[0])] | below(2) << 63;
}

static double any_double(void)
{
    uint64_t sign = below(2) << 63;
    switch (below(10)) {
    case 0: return double_of(next_random());
    case 1: return double_of(special_bits());
    case 2: return double_of(sign | (next_random() >> (12 + below(52)))); /* subnormal */
    case 3: return (double)below(1000);
    case 4: return (double)below(UINT64_C(1) << (1 + below(63)));
    case 5: return (double)below(1000) / 100.0; /* as 0.29 */
    case 6: return (double)below(100000) / 1000.0 * (double)below(1000);
    case 7: return double_of(sign | (1023 + below(70) - 35) << 52 | sparse_fraction(52));
    case 8: return double_of(sign | (1 + below(2046)) << 52 | sparse_fraction(52));
    default: return (double)below(4000) / 8.0 + (double)below(3) * 0.0625;
    }
}

/* Near the first one half of the time: sums then cancel, and ratios are near 1. */
static double any_second(double first)
{
    switch (below(6)) {
    case 0: return double_of(bits_of(first) ^ below(8));
    case 1: return double_of(bits_of(first) ^ below(4) ^ (below(64) << 52) ^ (below(2) << 63));
    case 2: return double_of((bits_of(first) & (UINT64_C(0xFFF) << 52)) | sparse_fraction(52));
    default: return any_double();
    }
}

static float any_float(void)
{
    uint32_t sign = (uint32_t)below(2) << 31;
    switch (below(7)) {
    case 0: return float_of((uint32_t)next_random());
    case 1: return (float)double_of(special_bits());
    case 2: return float_of(sign | (uint32_t)(next_random() >> (41 + below(23))));
    case 3: return (float)below(1000);
    case 4: return (float)below(1000) / 100.0f;
    case 5: return float_of(sign | (uint32_t)(127 + below(40) - 20) << 23 |
                            (uint32_t)sparse_fraction(23));
    default: return float_of(sign | (uint32_t)(1 + below(254)) << 23 |
                             (uint32_t)sparse_fraction(23));
    }
}

static float any_second_float(float first)
{
    switch (below(4)) {
    case 0: return float_of(bits_of_float(first) ^ (uint32_t)below(8));
    case 1: return float_of(bits_of_float(first) ^ (uint32_t)(below(4) | below(32) << 23));
    default: return any_float();
    }
}

/* ---- Comparisons --------------------------------------------------------------------------- */

/* A NaN's sign and payload are the machine's business; ours is always the same one. */
static void expect_f64(const char *what, double a, double b, struct kvc_f64 got, double want)
{
    bool same = want != want ? got.bits == UINT64_C(0x7FF8000000000000) : got.bits == bits_of(want);
    if (!same)
        fail_msg("seed %" PRIu64 ": %s of %a and %a gives %a, not %a", seed, what, a, b,
                 double_of(got.bits), want);
}

static void expect_f32(const char *what, double a, double b, struct kvc_f32 got, float want)
{
    bool same = want != want ? got.bits == UINT32_C(0x7FC00000) : got.bits == bits_of_float(want);
    if (!same)
        fail_msg("seed %" PRIu64 ": %s of %a and %a gives %a, not %a", seed, what, a, b,
                 (double)float_of(got.bits), (double)want);
}

static void expect_text(const char *what, double x, const char *got, size_t length,
                        const char *want)
{
    if (strcmp(got, want) != 0 || length != strlen(want))
        fail_msg("seed %" PRIu64 ": %s of %a is \"%s\" (%zu), not \"%s\"", seed, what, x, got,
                 length, want);
}

static void expect_integer(const char *what, double x, bool ok, uint64_t got, bool want_ok,
                           uint64_t want)
{
    if (ok != want_ok || (ok && got != want))
        fail_msg("seed %" PRIu64 ": %s of %a is %d:%" PRIu64 ", not %d:%" PRIu64, seed, what, x, ok,
                 got, want_ok, want);
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
    for (int i = 0; i < 2000000; i++) {
        double a = any_double(), b = any_second(a);
        expect_f64("sum", a, b, kvc_f64_add(f64(a), f64(b)), a + b);
        expect_f64("difference", a, b, kvc_f64_subtract(f64(a), f64(b)), a - b);
        expect_f64("product", a, b, kvc_f64_multiply(f64(a), f64(b)), a * b);
        expect_f64("quotient", a, b, kvc_f64_divide(f64(a), f64(b)), a / b);
        if (kvc_f64_compare(f64(a), f64(b)) != order_of(a, b))
            fail_msg("seed %" PRIu64 ": order of %a and %a", seed, a, b);
    }
}

static void floats_are_the_hardware_s(void **state)
{
    (void)state;
    for (int i = 0; i < 1000000; i++) {
        float a = any_float(), b = any_second_float(a);
        double x = (double)a, y = (double)b;
        expect_f32("float sum", x, y, kvc_f32_add(f32(a), f32(b)), a + b);
        expect_f32("float difference", x, y, kvc_f32_subtract(f32(a), f32(b)), a - b);
        expect_f32("float product", x, y, kvc_f32_multiply(f32(a), f32(b)), a * b);
        expect_f32("float quotient", x, y, kvc_f32_divide(f32(a), f32(b)), a / b);
        if (kvc_f32_compare(f32(a), f32(b)) != order_of(x, y))
            fail_msg("seed %" PRIu64 ": order of floats %a and %a", seed, x, y);
    }
}

/* Quotients and products that lie next to a tie: a result of 54 or 25 bits, taken apart again. */
static void near_ties_round_as_the_hardware_does(void **state)
{
    (void)state;
    for (int i = 0; i < 500000; i++) {
        double b = (double)(below(UINT64_C(1) << 26) | 1);
        double a = (double)((below(UINT64_C(1) << 27) << 1) | 1);
        double product = a * b;
        double power = double_of((1023 - below(1100) % 1022) << 52);
        expect_f64("tied product", a, b, kvc_f64_multiply(f64(a), f64(b)), product);
        expect_f64("tied quotient", product, b, kvc_f64_divide(f64(product), f64(b)), product / b);
        expect_f64("small product", a, power, kvc_f64_multiply(f64(a), f64(power * 0x1p-52)),
                   a * (power * 0x1p-52));
        expect_f64("small quotient", a, b, kvc_f64_divide(f64(power * 0x1p-30), f64(b)),
                   power * 0x1p-30 / b);
    }
}

static void conversions_are_the_hardware_s(void **state)
{
    (void)state;
    for (int i = 0; i < 1000000; i++) {
        double x = any_double();
        float y = any_float();
        uint64_t n = next_random() >> below(64);
        n = below(4) == 0 ? (n & ~UINT64_C(0x7FF)) | UINT64_C(0x400) : n;
        expect_f32("narrowing", x, 0, kvc_f32_from_f64(f64(x)), (float)x);
        expect_f64("widening", (double)y, 0, kvc_f64_from_f32(f32(y)), (double)y);
        expect_f64("double of integer", (double)n, 0, kvc_f64_from_u64(n), (double)n);
        expect_f32("float of integer", (double)n, 0, kvc_f32_from_u64(n), (float)n);

        double tied = double_of(bits_of((double)y) ^ UINT64_C(0x10000000) ^ below(2));
        expect_f32("tied narrowing", tied, 0, kvc_f32_from_f64(f64(tied)), (float)tied);
    }
}

/* The integer is known from the truncation, and from whether that changed anything. */
static void check_integers_of(double x)
{
    uint64_t got = 0, whole = 0;
    bool fits = x > -1.0 && x < 0x1p64;
    if (fits)
        whole = x < 0 ? 0 : (uint64_t)x;
    bool cut = fits && (double)whole != x;

    bool ok = kvc_f64_truncate(f64(x), &got);
    expect_integer("truncation", x, ok, got, fits, whole);
    ok = kvc_f64_floor(f64(x), &got);
    expect_integer("floor", x, ok, got, fits && !(x < 0), whole);
    ok = kvc_f64_ceil(f64(x), &got);
    expect_integer("ceiling", x, ok, got, fits, whole + (cut && x > 0));
}

static void integers_are_taken_as_c_casts(void **state)
{
    (void)state;
    for (int i = 0; i < 1000000; i++)
        check_integers_of(any_double());

    uint64_t untouched = 7;
    assert_false(kvc_f64_truncate(f64(-1.0), &untouched));
    assert_false(kvc_f64_floor(f64(-0.5), &untouched));
    assert_false(kvc_f64_ceil(f64(0x1p64), &untouched));
    assert_int_equal(untouched, 7);
}

/* ---- From text ----------------------------------------------------------------------------- */

static void check_text(const char *text)
{
    struct kvc_f64 got;
    struct kvc_f32 got_float;
    if (!kvc_f64_from_text(kvc_span_of(text), &got) ||
        !kvc_f32_from_text(kvc_span_of(text), &got_float))
        fail_msg("seed %" PRIu64 ": \"%s\" is refused", seed, text);
    if (got.bits != bits_of(strtod(text, NULL)))
        fail_msg("seed %" PRIu64 ": \"%s\" is read as %a", seed, text, double_of(got.bits));
    if (got_float.bits != bits_of_float(strtof(text, NULL)))
        fail_msg("seed %" PRIu64 ": \"%s\" is read as float %a", seed, text,
                 (double)float_of(got_float.bits));
}

static double any_finite(void)
{
    double x;
    do
        x = any_double();
    while (x - x != 0);
    return x;
}

static void printed_doubles_are_read_back(void **state)
{
    (void)state;
    char text[512];
    for (int i = 0; i < 100000; i++) {
        double x = any_finite();
        (void)snprintf(text, sizeof text, "%.17g", x);
        check_text(text);
        (void)snprintf(text, sizeof text, "%.*e", (int)below(20), x);
        check_text(text);
        struct kvc_f64 got;
        (void)snprintf(text, sizeof text, "%.16e", x);
        assert_true(kvc_f64_from_text(kvc_span_of(text), &got));
        expect_f64("reading back", x, 0, got, x);
    }
}

static void random_digits_are_read_as_strtod_does(void **state)
{
    (void)state;
    char text[1300];
    for (int i = 0; i < 100000; i++) {
        size_t count = 1 + (below(64) == 0 ? below(1200) : below(24)), at = 0;
        size_t point = below(count + 1), zeros = below(4) == 0 ? below(count) : 0;
        if (below(4) == 0)
            text[at++] = below(2) != 0 ? '-' : '+';
        for (size_t digit = 0; digit < count; digit++) {
            if (digit == point)
                text[at++] = '.';
            text[at++] = digit < zeros ? '0' : (char)('0' + below(10));
        }
        int exponent = (int)below(700) - 350;
        if (below(2) != 0)
            (void)snprintf(text + at, sizeof text - at, "%c%+d", below(2) != 0 ? 'e' : 'E',
                           exponent);
        else
            text[at] = '\0';
        check_text(text);
    }
}

/* Writes tail after the digits of text, before its exponent. */
static void insert_tail(char *room, size_t size, const char *text, const char *tail)
{
    const char *exponent = strchr(text, 'e');
    (void)snprintf(room, size, "%.*s%s%s", (int)(exponent - text), text, tail, exponent);
}

/* long double holds a bit more than a double, so the point half way to the next double can be
 * printed exactly: at most 767 digits, and with a little more or less it is a tie no more. */
static void ties_in_text_go_to_even(void **state)
{
    (void)state;
    char tie[1024], text[1200], zeros[100];
    memset(zeros, '0', sizeof zeros);
    zeros[98] = '1';
    zeros[99] = '\0';
    for (int i = 0; i < 3000; i++) {
        double x = double_of(next_random() >> (1 + (below(4) == 0 ? 11 + below(40) : 0)));
        double next = double_of(bits_of(x) + 1);
        if (next - next != 0)
            continue;
        (void)snprintf(tie, sizeof tie, "%.800Le", ((long double)x + (long double)next) / 2);
        check_text(tie);
        insert_tail(text, sizeof text, tie, zeros);
        check_text(text);
        char *last = strchr(tie, 'e') - 1;
        while (*last == '0')
            *last-- = '9';
        *last = (char)(*last - 1);
        check_text(tie);
        (void)snprintf(tie, sizeof tie, "%.800Le",
                       (long double)float_of((uint32_t)(bits_of(x) >> 33)) * (1 + 0x1p-24L));
        check_text(tie);
    }
}

static void edges_of_the_text_range(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "0", "-0", "+0", "0.0", ".0", "0.", "00", "0e0", "-0e999999999999999999999999", "0e-5", "1",
        "1.", ".5", "-.5e1", "007", "1E5", "1e+5", "1e05", "1e-05", "1e308", "1e309", "-1e309",
        "1e310", "1e311", "1e99999999999999999999", "1e-99999999999999999999", "1e-323", "1e-324",
        "4.9e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "1e-330", "9e-331",
        "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308",
        "179769313486231580793e289", "2.2250738585072011e-308", "2.2250738585072012e-308",
        "2.2250738585072014e-308", "9007199254740993", "9007199254740992.99999999999999999999",
        "9007199254740993.00000000000000000001", "18446744073709551615", "18446744073709551616",
        "3.4028235e38", "3.4028236e38", "1.17549435e-38", "7.0064923216240854e-46", "1e23",
        "8.5e22",
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++)
        check_text(TEXTS[i]);
}

/* 0.000...01 e+big and 1000...0 e-big, where only zeros and exponent together say how large. */
static void long_runs_of_zeros_count(void **state)
{
    (void)state;
    enum { ZEROS = 5000 };
    static char text[ZEROS + 64];
    memset(text, '0', ZEROS);
    text[1] = '.';
    (void)snprintf(text + ZEROS, 64, "125e%d", ZEROS + 4);
    check_text(text);
    memset(text, '0', ZEROS);
    text[0] = '7';
    (void)snprintf(text + ZEROS, 64, "e-%d", ZEROS - 3);
    check_text(text);
    memset(text, '0', ZEROS);
    memcpy(text, "9007199254740993", 16);
    (void)snprintf(text + ZEROS, 64, "1e-%d", ZEROS);
    check_text(text);
    (void)snprintf(text + ZEROS, 64, "0e-%d", ZEROS);
    check_text(text);
}

static void other_text_is_refused(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "", "+", "-", ".", "-.", "e5", ".e5", "1e", "1e+", "1e-", "1e5.", "1.2.3", " 1", "1 ",
        "--1", "+-1", "0x10", "inf", "nan", "Infinity", "1_0", "1,5", "1e5e5", "1f", "e", "1e 5",
        "1-",
    };
    struct kvc_f64 untouched = { 7 };
    struct kvc_f32 untouched_float = { 7 };
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
        if (kvc_f64_from_text(kvc_span_of(TEXTS[i]), &untouched) ||
            kvc_f32_from_text(kvc_span_of(TEXTS[i]), &untouched_float))
            fail_msg("\"%s\" is taken for a number", TEXTS[i]);
    }
    struct kvc_span with_nul = { .text = "1\0", .length = 2 };
    struct kvc_span none = { .text = NULL, .length = 0 };
    assert_false(kvc_f64_from_text(with_nul, &untouched));
    assert_false(kvc_f64_from_text(none, &untouched));
    assert_int_equal(untouched.bits, 7);
    assert_int_equal(untouched_float.bits, 7);

    struct kvc_span part = { .text = "123", .length = 2 }; /* nothing past the length is read */
    assert_true(kvc_f64_from_text(part, &untouched));
    assert_int_equal(untouched.bits, bits_of(12.0));
}

/* ---- To text and to places ----------------------------------------------------------------- */

static void fixed_text_is_printf_s(void **state)
{
    (void)state;
    char got[KVC_F64_FIXED_ROOM], want[400];
    for (int i = 0; i < 250000; i++) {
        double x = any_double();
        uint32_t places = below(3) == 0 ? 2 : (uint32_t)below(10);
        size_t length = kvc_f64_fixed(f64(x), places, got);
        (void)snprintf(want, sizeof want, "%.*f", (int)places, x);
        expect_text("fixed text", x, got, length, x != x ? "nan" : want);
    }
    assert_int_equal(kvc_f64_fixed(f64(-0x1.fffffffffffffp1023), 9, got), 320);
    assert_int_equal(kvc_f64_fixed(f64(1.0), 4000000000u, got), 11);
    assert_string_equal(got, "1.000000000");
}

/* CPython's round(x, n) is correctly rounded text read back, and so is this. */
static void rounding_is_printf_and_strtod_s(void **state)
{
    (void)state;
    char text[400];
    for (int i = 0; i < 250000; i++) {
        double x = any_finite();
        uint32_t places = (uint32_t)below(below(4) == 0 ? 10 : 5);
        (void)snprintf(text, sizeof text, "%.*f", (int)places, x);
        expect_f64("rounding", x, places, kvc_f64_round(f64(x), places), strtod(text, NULL));
    }
    assert_int_equal(kvc_f64_round((struct kvc_f64){ 0x7FF0000000000000 }, 2).bits,
                     0x7FF0000000000000);
    assert_int_equal(kvc_f64_round((struct kvc_f64){ 0xFFF8000000000001 }, 2).bits,
                     0xFFF8000000000001);
}

/* One higher in the last place of "d.ddde+xx"; false when that would carry out of the front. */
static bool raise_last_digit(char *text)
{
    char *at = strchr(text, 'e') - 1;
    for (; at >= text && (*at == '9' || *at == '.'); at--)
        if (*at == '9')
            *at = '0';
    if (at < text || *at == '-')
        return false;
    ++*at;
    return true;
}

/* The shortest "%.*e" that reads back.  At the bottom of a binade the gap above is twice the one
 * below: there the nearest text may lie too far below x, while the next one above it reads back. */
static void shortest_by_trial(double x, char *text, size_t size)
{
    for (int more = 0; more < 17; more++) {
        (void)snprintf(text, size, "%.*e", more, x);
        if (bits_of(strtod(text, NULL)) == bits_of(x))
            return;
        bool can_rise = raise_last_digit(text);
        if (can_rise && bits_of(strtod(text, NULL)) == bits_of(x))
            return;
    }
    fail_msg("seed %" PRIu64 ": %a has no short text", seed, x);
}

/* "d.ddde+xx" laid out as Python does: digits without trailing zeros, a point or an exponent. */
static void lay_out_as_python(const char *text, char *room, size_t size)
{
    char digits[20];
    int count = 0, power = atoi(strchr(text, 'e') + 1);
    const char *sign = text[0] == '-' ? "-" : "";
    for (const char *at = text; *at != 'e'; at++)
        if (*at >= '0' && *at <= '9')
            digits[count++] = *at;
    while (count > 1 && digits[count - 1] == '0')
        count--;
    digits[count] = '\0';
    if (power < -4 || power >= 16)
        (void)snprintf(room, size, "%s%c%s%se%c%02d", sign, digits[0], count > 1 ? "." : "",
                       digits + 1, power < 0 ? '-' : '+', abs(power));
    else if (power < 0)
        (void)snprintf(room, size, "%s0.%.*s%s", sign, -power - 1, "000", digits);
    else if (count <= power + 1)
        (void)snprintf(room, size, "%s%s%.*s.0", sign, digits, power + 1 - count,
                       "0000000000000000");
    else
        (void)snprintf(room, size, "%s%.*s.%s", sign, power + 1, digits, digits + power + 1);
}

static void check_repr(double x)
{
    char got[KVC_F64_REPR_ROOM], trial[64], want[64];
    size_t length = kvc_f64_repr(f64(x), got);
    if (bits_of(strtod(got, NULL)) != bits_of(x))
        fail_msg("seed %" PRIu64 ": repr of %a is %s, which reads otherwise", seed, x, got);
    shortest_by_trial(x, trial, sizeof trial);
    lay_out_as_python(trial, want, sizeof want);
    expect_text("repr", x, got, length, want);
}

static void repr_is_the_shortest_that_reads_back(void **state)
{
    (void)state;
    for (int i = 0; i < 50000; i++)
        check_repr(any_finite());
    for (uint64_t field = 0; field < 2047; field++) /* every bottom of a binade, and both sides */
        for (uint64_t beside = 0; beside < 3; beside++)
            check_repr(double_of((field << 52) + 1 - beside + (field == 0 ? 1 : 0)));
}

static void repr_of_powers_of_ten_and_neighbours(void **state)
{
    (void)state;
    char text[32];
    for (int power = -323; power <= 308; power++) {
        (void)snprintf(text, sizeof text, "1e%d", power);
        double x = strtod(text, NULL);
        check_repr(x);
        check_repr(double_of(bits_of(x) + 1));
        check_repr(double_of(bits_of(x) - 1));
    }
}

/* ---- Python's facts ------------------------------------------------------------------------ */

static struct kvc_f64 read_f64(const char *text)
{
    struct kvc_f64 value;
    assert_true(kvc_f64_from_text(kvc_span_of(text), &value));
    return value;
}

static void expect_repr(struct kvc_f64 x, const char *want)
{
    char got[KVC_F64_REPR_ROOM];
    size_t length = kvc_f64_repr(x, got);
    expect_text("repr", double_of(x.bits), got, length, want);
}

static void expect_round(const char *text, uint32_t places, const char *want)
{
    expect_repr(kvc_f64_round(read_f64(text), places), want);
}

static void python_computes_so(void **state)
{
    (void)state;
    uint64_t integer;
    assert_true(kvc_f64_truncate(kvc_f64_multiply(kvc_f64_from_u64(100), read_f64("0.29")),
                                 &integer));
    assert_int_equal(integer, 28);
    assert_true(kvc_f64_truncate(read_f64("-0.5"), &integer));
    assert_int_equal(integer, 0);
    expect_repr(kvc_f64_add(read_f64("0.1"), read_f64("0.2")), "0.30000000000000004");
    expect_repr(kvc_f64_divide(read_f64("1"), read_f64("3")), "0.3333333333333333");
    expect_repr(kvc_f64_from_f32(kvc_f32_from_f64(read_f64("0.9"))), "0.8999999761581421");
}

static void python_rounds_so(void **state)
{
    (void)state;
    expect_round("2.675", 2, "2.67");
    expect_round("0.5", 0, "0.0");
    expect_round("1.5", 0, "2.0");
    expect_round("2.5", 0, "2.0");
    expect_round("-0.4", 0, "-0.0");
    expect_round("0.125", 2, "0.12");
    expect_round("0.375", 2, "0.38");
    expect_round("1.005", 2, "1.0");
    expect_round("0.00005", 4, "0.0001");
    expect_round("5e-324", 4, "0.0");
    expect_round("1e300", 4, "1e+300");
    expect_round("4503599627370495.5", 0, "4503599627370496.0");
}

static void python_writes_so(void **state)
{
    (void)state;
    static const char *const SAME[] = {
        "0.0", "-0.0", "1.0", "0.1", "100.0", "0.0001", "1e-05", "1.5e-05", "0.00012", "1e+16",
        "1e+22", "1e+23", "1e+100", "1.5e+300", "9999999999999998.0", "1234567890123456.0",
        "123456789012345.6", "1.2345678901234568e+16", "5e-324", "1e-323",
        "1.7976931348623157e+308", "2.2250738585072014e-308", "9007199254740992.0",
        "5.684341886080802e-14", "9.5367431640625e-07", "-2.5",
    };
    for (size_t i = 0; i < sizeof SAME / sizeof SAME[0]; i++)
        expect_repr(read_f64(SAME[i]), SAME[i]);
    expect_repr(read_f64("1e400"), "inf");
    expect_repr(read_f64("-1e400"), "-inf");
    expect_repr((struct kvc_f64){ 0x7FF8000000000000 }, "nan");
    expect_repr((struct kvc_f64){ 0xFFF8000000000000 }, "nan");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(doubles_are_the_hardware_s, start_from_seed),
        cmocka_unit_test_setup(floats_are_the_hardware_s, start_from_seed),
        cmocka_unit_test_setup(near_ties_round_as_the_hardware_does, start_from_seed),
        cmocka_unit_test_setup(conversions_are_the_hardware_s, start_from_seed),
        cmocka_unit_test_setup(integers_are_taken_as_c_casts, start_from_seed),
        cmocka_unit_test_setup(printed_doubles_are_read_back, start_from_seed),
        cmocka_unit_test_setup(random_digits_are_read_as_strtod_does, start_from_seed),
        cmocka_unit_test_setup(ties_in_text_go_to_even, start_from_seed),
        cmocka_unit_test(edges_of_the_text_range),
        cmocka_unit_test(long_runs_of_zeros_count),
        cmocka_unit_test(other_text_is_refused),
        cmocka_unit_test_setup(fixed_text_is_printf_s, start_from_seed),
        cmocka_unit_test_setup(rounding_is_printf_and_strtod_s, start_from_seed),
        cmocka_unit_test_setup(repr_is_the_shortest_that_reads_back, start_from_seed),
        cmocka_unit_test(repr_of_powers_of_ten_and_neighbours),
        cmocka_unit_test(python_computes_so),
        cmocka_unit_test(python_rounds_so),
        cmocka_unit_test(python_writes_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
