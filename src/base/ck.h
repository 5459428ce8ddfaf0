/* ck.h - checked 64-bit arithmetic that reads like the formula it computes.
 *
 * Room:   base/ - pure, header only.
 * In:     plain integers.
 * Out:    plain integers, or KVCAP_E_RANGE at the one way out.
 * Knows:  base/fail.h.
 *
 * A struct ck is a number that may have gone out of range.  Once it has, it stays so through
 * every later step, and ck_take() - the only way back to a plain integer - refuses it.  So a
 * formula is written whole, and checked once, where its answer is used.
 */
#ifndef KVC_BASE_CK_H
#define KVC_BASE_CK_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/fail.h"

/* The largest integer that a record carries: any JSON reader is exact up to here (RFC 8785). */
#define KVC_SAFE_MAX UINT64_C(9007199254740991)

struct ck {
    uint64_t value; /* meaningless when over */
    bool over;
};

static inline struct ck ck_u64(uint64_t value)
{
    return (struct ck){ .value = value, .over = false };
}

static inline struct ck ck_add(struct ck a, struct ck b)
{
    struct ck sum;
    bool carried = __builtin_add_overflow(a.value, b.value, &sum.value);
    sum.over = carried || a.over || b.over;
    return sum;
}

static inline struct ck ck_mul(struct ck a, struct ck b)
{
    struct ck product;
    bool carried = __builtin_mul_overflow(a.value, b.value, &product.value);
    product.over = carried || a.over || b.over;
    return product;
}

/* Divide and round up, without forming a + unit - 1, which could itself overflow. */
static inline struct ck ck_div_ceil(struct ck a, uint64_t unit)
{
    assert(unit > 0);
    a.value = a.value / unit + (a.value % unit != 0);
    return a;
}

static inline struct ck ck_div_floor(struct ck a, uint64_t unit)
{
    assert(unit > 0);
    a.value = a.value / unit;
    return a;
}

static inline struct ck ck_min(struct ck a, struct ck b)
{
    struct ck least = { .value = a.value < b.value ? a.value : b.value, .over = a.over || b.over };
    return least;
}

/* a * numerator / denominator, the product in 128 bits, rounded up. */
static inline struct ck ck_scale_ceil(struct ck a, uint64_t numerator, uint64_t denominator)
{
    assert(denominator > 0);
    kvc_u128 product = (kvc_u128)a.value * numerator;
    kvc_u128 quotient = product / denominator + (product % denominator != 0);
    return (struct ck){ .value = (uint64_t)quotient, .over = a.over || quotient > UINT64_MAX };
}

/* The same, rounded down. */
static inline struct ck ck_scale_floor(struct ck a, uint64_t numerator, uint64_t denominator)
{
    assert(denominator > 0);
    kvc_u128 quotient = (kvc_u128)a.value * numerator / denominator;
    return (struct ck){ .value = (uint64_t)quotient, .over = a.over || quotient > UINT64_MAX };
}

/* Whether a number may stand in a record. */
static inline bool ck_is_safe(struct ck a)
{
    return !a.over && a.value <= KVC_SAFE_MAX;
}

/* The way out: the number, or KVCAP_E_RANGE naming the quantity that was being computed. */
static inline kvcap_code ck_take(struct ck a, const char *what, uint64_t *ret_value,
                                 kvcap_error *err)
{
    if (a.over)
        return kvc_fail(err, KVC_RANGE_OVERFLOW, what, "%s does not fit in 64 bits", what);
    *ret_value = a.value;
    return KVCAP_OK;
}

#endif /* KVC_BASE_CK_H */
