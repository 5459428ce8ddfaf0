/* Goal: base/decimal.c lands on the same bits and the same text as the C library, and on Python's
 * where Python differs from C.
 * Method: random cases from one seed, in mixes that lean to where rounding is hard, held against
 * strtod, strtof and snprintf; then facts taken from CPython. */

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

#include "base/decimal.h"
#include "support/chance.h"
#include "support/ieee_cases.h"

/* ---- Cases and comparisons ----------------------------------------------------------------- */

static double any_finite(struct chance *chance)
{
    double x;
    do
        x = any_double(chance);
    while (x - x != 0);
    return x;
}

static void expect_text(const struct chance *chance, const char *what, double x, const char *got,
                        size_t length, const char *want)
{
    if (strcmp(got, want) != 0 || length != strlen(want))
        fail_msg("seed %" PRIu64 ": %s of %a is \"%s\" (%zu), not \"%s\"", chance->seed, what, x,
                 got, length, want);
}

static void check_text(const struct chance *chance, const char *text)
{
    struct kvc_f64 got;
    struct kvc_f32 got_float;
    if (!kvc_f64_from_text(kvc_span_of(text), &got) ||
        !kvc_f32_from_text(kvc_span_of(text), &got_float))
        fail_msg("seed %" PRIu64 ": \"%s\" is refused", chance->seed, text);
    if (got.bits != bits_of(strtod(text, NULL)))
        fail_msg("seed %" PRIu64 ": \"%s\" is read as %a", chance->seed, text, double_of(got.bits));
    if (got_float.bits != bits_of_float(strtof(text, NULL)))
        fail_msg("seed %" PRIu64 ": \"%s\" is read as float %a", chance->seed, text,
                 (double)float_of(got_float.bits));
}

/* ---- From text ----------------------------------------------------------------------------- */

static void printed_doubles_are_read_back(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    char text[512];
    for (int i = 0; i < 100000; i++) {
        double x = any_finite(&chance);
        (void)snprintf(text, sizeof text, "%.17g", x);
        check_text(&chance, text);
        (void)snprintf(text, sizeof text, "%.*e", (int)chance_below(&chance, 20), x);
        check_text(&chance, text);
        struct kvc_f64 got;
        (void)snprintf(text, sizeof text, "%.16e", x);
        assert_true(kvc_f64_from_text(kvc_span_of(text), &got));
        expect_f64(&chance, "reading back", x, 0, got, x);
    }
}

static void random_digits_are_read_as_strtod_does(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    char text[1300];
    for (int i = 0; i < 100000; i++) {
        size_t most = chance_one_in(&chance, 64) ? 1200 : 24;
        size_t count = 1 + chance_below(&chance, most), at = 0;
        size_t point = chance_below(&chance, count + 1);
        size_t zeros = chance_one_in(&chance, 4) ? chance_below(&chance, count) : 0;
        if (chance_below(&chance, 4) == 0)
            text[at++] = chance_below(&chance, 2) != 0 ? '-' : '+';
        for (size_t digit = 0; digit < count; digit++) {
            if (digit == point)
                text[at++] = '.';
            text[at++] = digit < zeros ? '0' : (char)('0' + chance_below(&chance, 10));
        }
        int exponent = (int)chance_below(&chance, 700) - 350;
        if (chance_below(&chance, 2) != 0)
            (void)snprintf(text + at, sizeof text - at, "%c%+d",
                           chance_below(&chance, 2) != 0 ? 'e' : 'E', exponent);
        else
            text[at] = '\0';
        check_text(&chance, text);
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
    struct chance chance = chance_begin();
    char tie[1024], text[1200], zeros[100];
    memset(zeros, '0', sizeof zeros);
    zeros[98] = '1';
    zeros[99] = '\0';
    for (int i = 0; i < 3000; i++) {
        uint64_t bits = chance_next(&chance) >> 1;
        double x =
            double_of(chance_one_in(&chance, 4) ? bits >> (11 + chance_below(&chance, 40)) : bits);
        double next = double_of(bits_of(x) + 1);
        if (next - next != 0)
            continue;
        (void)snprintf(tie, sizeof tie, "%.800Le", ((long double)x + (long double)next) / 2);
        check_text(&chance, tie);
        insert_tail(text, sizeof text, tie, zeros);
        check_text(&chance, text);
        char *last = strchr(tie, 'e') - 1;
        while (*last == '0')
            *last-- = '9';
        *last = (char)(*last - 1);
        check_text(&chance, tie);
        (void)snprintf(tie, sizeof tie, "%.800Le",
                       (long double)float_of((uint32_t)(bits_of(x) >> 33)) * (1 + 0x1p-24L));
        check_text(&chance, tie);
    }
}

static void edges_of_the_text_range(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    /* clang-format off */
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
    /* clang-format on */
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++)
        check_text(&chance, TEXTS[i]);
}

/* 0.000...01 e+big and 1000...0 e-big, where only zeros and exponent together say how large. */
static void long_runs_of_zeros_count(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    enum { ZEROS = 5000 };
    static char text[ZEROS + 64];
    memset(text, '0', ZEROS);
    text[1] = '.';
    (void)snprintf(text + ZEROS, 64, "125e%d", ZEROS + 4);
    check_text(&chance, text);
    memset(text, '0', ZEROS);
    text[0] = '7';
    (void)snprintf(text + ZEROS, 64, "e-%d", ZEROS - 3);
    check_text(&chance, text);
    memset(text, '0', ZEROS);
    memcpy(text, "9007199254740993", 16);
    (void)snprintf(text + ZEROS, 64, "1e-%d", ZEROS);
    check_text(&chance, text);
    (void)snprintf(text + ZEROS, 64, "0e-%d", ZEROS);
    check_text(&chance, text);
}

static void other_text_is_refused(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "",    "+",        "-",     ".",   "-.",    "e5",  ".e5", "1e",   "1e+",
        "1e-", "1e5.",     "1.2.3", " 1",  "1 ",    "--1", "+-1", "0x10", "inf",
        "nan", "Infinity", "1_0",   "1,5", "1e5e5", "1f",  "e",   "1e 5", "1-",
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
    struct chance chance = chance_begin();
    char got[KVC_F64_FIXED_ROOM], want[400];
    for (int i = 0; i < 250000; i++) {
        double x = any_double(&chance);
        uint32_t places = chance_below(&chance, 3) == 0 ? 2 : (uint32_t)chance_below(&chance, 10);
        size_t length = kvc_f64_fixed(f64(x), places, got);
        (void)snprintf(want, sizeof want, "%.*f", (int)places, x);
        expect_text(&chance, "fixed text", x, got, length, x != x ? "nan" : want);
    }
    assert_int_equal(kvc_f64_fixed(f64(-0x1.fffffffffffffp1023), 9, got), 320);
    assert_int_equal(kvc_f64_fixed(f64(1.0), 4000000000u, got), 11);
    assert_string_equal(got, "1.000000000");
}

/* CPython's round(x, n) is correctly rounded text read back, and so is this. */
static void rounding_is_printf_and_strtod_s(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    char text[400];
    for (int i = 0; i < 250000; i++) {
        double x = any_finite(&chance);
        uint32_t places = (uint32_t)chance_below(&chance, chance_below(&chance, 4) == 0 ? 10 : 5);
        (void)snprintf(text, sizeof text, "%.*f", (int)places, x);
        expect_f64(&chance, "rounding", x, places, kvc_f64_round(f64(x), places),
                   strtod(text, NULL));
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
static void shortest_by_trial(const struct chance *chance, double x, char *text, size_t size)
{
    for (int more = 0; more < 17; more++) {
        (void)snprintf(text, size, "%.*e", more, x);
        if (bits_of(strtod(text, NULL)) == bits_of(x))
            return;
        bool can_rise = raise_last_digit(text);
        if (can_rise && bits_of(strtod(text, NULL)) == bits_of(x))
            return;
    }
    fail_msg("seed %" PRIu64 ": %a has no short text", chance->seed, x);
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

static void check_repr(const struct chance *chance, double x)
{
    char got[KVC_F64_REPR_ROOM], trial[64], want[64];
    size_t length = kvc_f64_repr(f64(x), got);
    if (bits_of(strtod(got, NULL)) != bits_of(x))
        fail_msg("seed %" PRIu64 ": repr of %a is %s, which reads otherwise", chance->seed, x, got);
    shortest_by_trial(chance, x, trial, sizeof trial);
    lay_out_as_python(trial, want, sizeof want);
    expect_text(chance, "repr", x, got, length, want);
}

static void repr_is_the_shortest_that_reads_back(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 50000; i++)
        check_repr(&chance, any_finite(&chance));
    for (uint64_t field = 0; field < 2047; field++) /* every bottom of a binade, and both sides */
        for (uint64_t beside = 0; beside < 3; beside++)
            check_repr(&chance, double_of((field << 52) + 1 - beside + (field == 0 ? 1 : 0)));
}

static void repr_of_powers_of_ten_and_neighbours(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    char text[32];
    for (int power = -323; power <= 308; power++) {
        (void)snprintf(text, sizeof text, "1e%d", power);
        double x = strtod(text, NULL);
        check_repr(&chance, x);
        check_repr(&chance, double_of(bits_of(x) + 1));
        check_repr(&chance, double_of(bits_of(x) - 1));
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
    assert_int_equal(kvc_f64_repr(x, got), strlen(want));
    assert_string_equal(got, want);
}

static void expect_round(const char *text, uint32_t places, const char *want)
{
    expect_repr(kvc_f64_round(read_f64(text), places), want);
}

static void python_computes_so(void **state)
{
    (void)state;
    uint64_t integer;
    assert_true(
        kvc_f64_truncate(kvc_f64_multiply(kvc_f64_from_u64(100), read_f64("0.29")), &integer));
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
    /* clang-format off */
    static const char *const SAME[] = {
        "0.0", "-0.0", "1.0", "0.1", "100.0", "0.0001", "1e-05", "1.5e-05", "0.00012", "1e+16",
        "1e+22", "1e+23", "1e+100", "1.5e+300", "9999999999999998.0", "1234567890123456.0",
        "123456789012345.6", "1.2345678901234568e+16", "5e-324", "1e-323",
        "1.7976931348623157e+308", "2.2250738585072014e-308", "9007199254740992.0",
        "5.684341886080802e-14", "9.5367431640625e-07", "-2.5",
    };
    /* clang-format on */
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
        cmocka_unit_test(printed_doubles_are_read_back),
        cmocka_unit_test(random_digits_are_read_as_strtod_does),
        cmocka_unit_test(ties_in_text_go_to_even),
        cmocka_unit_test(edges_of_the_text_range),
        cmocka_unit_test(long_runs_of_zeros_count),
        cmocka_unit_test(other_text_is_refused),
        cmocka_unit_test(fixed_text_is_printf_s),
        cmocka_unit_test(rounding_is_printf_and_strtod_s),
        cmocka_unit_test(repr_is_the_shortest_that_reads_back),
        cmocka_unit_test(repr_of_powers_of_ten_and_neighbours),
        cmocka_unit_test(python_computes_so),
        cmocka_unit_test(python_rounds_so),
        cmocka_unit_test(python_writes_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
