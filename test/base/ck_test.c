/* Goal: a formula in struct ck is exact, or refused; and refused for ever after.
 * Method: random formulas beside the same formulas in numbers too wide to overflow; divisions beside
 * counting; scales beside a long multiplication and a long division, one bit at a time. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/attr.h"
#include "base/ck.h"
#include "support/chance.h"

/* ---- Models. */

/* A number as it is, while it fits 64 bits; from then on only the fact that it did not. */
struct wide {
    kvc_u128 value;
    bool over;
};

static struct wide wide_of(kvc_u128 value, bool over)
{
    return (struct wide){ .value = value, .over = over || value > UINT64_MAX };
}

/* a * numerator / denominator: 128 product bits by shifting and adding, then a quotient bit by bit,
 * with the remainder's 65th bit kept apart. */
static struct wide scale_slowly(uint64_t a, uint64_t numerator, uint64_t denominator, bool up)
{
    uint64_t high = 0, low = 0;
    for (unsigned bit = 64; bit-- > 0;) {
        high = high << 1 | low >> 63;
        low <<= 1;
        if ((numerator >> bit & 1) != 0) {
            low += a;
            high += low < a;
        }
    }
    uint64_t rest = 0;
    struct wide quotient = { 0 };
    for (unsigned bit = 128; bit-- > 0;) {
        bool carry = rest >> 63 != 0;
        rest = rest << 1 | ((bit >= 64 ? high >> (bit - 64) : low >> bit) & 1);
        bool fits = carry || rest >= denominator;
        if (fits)
            rest -= denominator;
        quotient.value = quotient.value << 1 | fits;
    }
    quotient.value += up && rest != 0;
    quotient.over = quotient.value > UINT64_MAX;
    return quotient;
}

static void check_same(const struct chance *chance, struct ck ours, struct wide model)
{
    chance_check(chance, ours.over == model.over);
    chance_check(chance, ours.over || ours.value == (uint64_t)model.value);
}

static uint64_t divisor(struct chance *chance)
{
    uint64_t value = chance_edgy(chance);
    return value == 0 ? 1 : value;
}

/* One step of both, where a number that is over stays so. */
static void step(struct chance *chance, struct ck *ours, struct wide *model)
{
    uint64_t x = chance_edgy(chance), unit = divisor(chance);
    kvc_u128 value = model->over ? 0 : model->value;
    bool over = model->over;
    switch (chance_below(chance, 7)) {
    case 0:
        *ours = ck_add(*ours, ck_u64(x));
        *model = wide_of(value + x, over);
        break;
    case 1:
        *ours = chance_one_in(chance, 2) ? ck_mul(*ours, ck_u64(x)) : ck_mul(ck_u64(x), *ours);
        *model = wide_of(value * x, over);
        break;
    case 2:
        *ours = ck_div_ceil(*ours, unit);
        *model = wide_of(value / unit + (value % unit != 0), over);
        break;
    case 3:
        *ours = ck_div_floor(*ours, unit);
        *model = wide_of(value / unit, over);
        break;
    case 4:
        *ours = chance_one_in(chance, 2) ? ck_min(*ours, ck_u64(x)) : ck_min(ck_u64(x), *ours);
        *model = wide_of(value < x ? value : x, over);
        break;
    case 5:
        *ours = ck_scale_ceil(*ours, x, unit);
        *model = scale_slowly((uint64_t)value, x, unit, true);
        model->over = model->over || over;
        break;
    default:
        *ours = ck_scale_floor(*ours, x, unit);
        *model = scale_slowly((uint64_t)value, x, unit, false);
        model->over = model->over || over;
        break;
    }
}

/* ---- Tests. */

static void formulas_are_exact_or_over_for_ever(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    uint64_t overs = 0, cases = 60000;
    for (uint64_t i = 0; i < cases; i++) {
        uint64_t begin = chance_edgy(&chance);
        struct ck ours = ck_u64(begin);
        struct wide model = { .value = begin };
        for (uint64_t steps = 1 + chance_below(&chance, 6); steps > 0; steps--) {
            step(&chance, &ours, &model);
            check_same(&chance, ours, model);
        }
        overs += ours.over;
    }
    /* Both ends must really be visited. */
    chance_check(&chance, overs > cases / 10 && overs < cases * 9 / 10);
}

static void scales_round_as_long_division_does(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 60000; i++) {
        uint64_t a = chance_edgy(&chance), n = chance_edgy(&chance), d = divisor(&chance);
        check_same(&chance, ck_scale_ceil(ck_u64(a), n, d), scale_slowly(a, n, d, true));
        check_same(&chance, ck_scale_floor(ck_u64(a), n, d), scale_slowly(a, n, d, false));
    }
}

static void divisions_round_the_way_they_say(void **state)
{
    (void)state;
    for (uint64_t unit = 1; unit < 40; unit++) {
        uint64_t whole = 0, begun = 0; /* units in a, by counting up to a */
        for (uint64_t a = 0; a < 400; a++) {
            assert_int_equal(ck_div_floor(ck_u64(a), unit).value, whole);
            assert_int_equal(ck_div_ceil(ck_u64(a), unit).value, begun);
            begun += a % unit == 0;
            whole += a % unit == unit - 1;
        }
    }
    assert_true(ck_div_ceil(ck_u64(UINT64_MAX), 2).value == UINT64_C(1) << 63);
    assert_true(ck_div_ceil(ck_u64(UINT64_MAX), UINT64_MAX).value == 1);
    assert_false(ck_div_ceil(ck_u64(UINT64_MAX), 1).over);
}

static void overflow_survives_every_later_step(void **state)
{
    (void)state;
    struct ck over = ck_add(ck_u64(UINT64_MAX), ck_u64(1));
    struct ck zero = ck_u64(0);
    assert_true(over.over);
    assert_true(ck_mul(over, zero).over);
    assert_true(ck_mul(zero, over).over);
    assert_true(ck_add(over, zero).over);
    assert_true(ck_add(zero, over).over);
    assert_true(ck_min(over, zero).over);
    assert_true(ck_min(zero, over).over);
    assert_true(ck_div_ceil(over, UINT64_MAX).over);
    assert_true(ck_div_floor(over, UINT64_MAX).over);
    assert_true(ck_scale_ceil(over, 0, 1).over);
    assert_true(ck_scale_floor(over, 0, 1).over);
    assert_false(ck_is_safe(over));
}

static void overflow_is_refused_and_leaves_the_result_alone(void **state)
{
    (void)state;
    uint64_t result = 77;
    kvcap_error err;
    memset(&err, 0x5A, sizeof err);
    struct ck over = ck_mul(ck_u64(UINT64_C(1) << 32), ck_u64(UINT64_C(1) << 32));
    assert_int_equal(ck_take(over, "pool_bytes", &result, &err), KVCAP_E_RANGE);
    assert_int_equal(result, 77);
    assert_int_equal(err.code, KVCAP_E_RANGE);
    assert_string_equal(err.slug, "range.overflow");
    assert_string_equal(err.at, "pool_bytes");
    assert_string_equal(err.text, "pool_bytes does not fit in 64 bits");
    assert_int_equal(ck_take(over, "pool_bytes", &result, NULL), KVCAP_E_RANGE);
    assert_int_equal(result, 77);
}

static void what_fits_is_taken_and_leaves_the_error_alone(void **state)
{
    (void)state;
    uint64_t result = 0;
    kvcap_error err = { .code = -1 };
    assert_int_equal(ck_take(ck_u64(UINT64_MAX), "all", &result, &err), KVCAP_OK);
    assert_true(result == UINT64_MAX);
    assert_int_equal(err.code, -1);
}

static void safe_ends_at_two_to_the_53_less_one(void **state)
{
    (void)state;
    assert_true(KVC_SAFE_MAX == (UINT64_C(1) << 53) - 1);
    assert_true(ck_is_safe(ck_u64(0)));
    assert_true(ck_is_safe(ck_u64(KVC_SAFE_MAX)));
    assert_false(ck_is_safe(ck_u64(KVC_SAFE_MAX + 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_are_exact_or_over_for_ever),
        cmocka_unit_test(scales_round_as_long_division_does),
        cmocka_unit_test(divisions_round_the_way_they_say),
        cmocka_unit_test(overflow_survives_every_later_step),
        cmocka_unit_test(overflow_is_refused_and_leaves_the_result_alone),
        cmocka_unit_test(what_fits_is_taken_and_leaves_the_error_alone),
        cmocka_unit_test(safe_ends_at_two_to_the_53_less_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
