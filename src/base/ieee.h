/* ieee.h - binary64 and binary32 arithmetic, done in integers.
 *
 * Room:   base/ - pure: integers only, no allocation.
 * In:     bit patterns, integers.
 * Out:    bit patterns, integers.
 * Knows:  base/attr.h, base/wide.h.
 *
 * Engines compute sizes with doubles: int(100 * 0.29) is 28 in Python, not 29.  To land on their
 * integer we round where they round, and a pure room may use no float.  So the formats are done
 * here, as IEEE 754 says: every result is the exact one rounded once, to nearest, ties to even.
 *
 *     f64   | sign 1 | exponent 11 | fraction 52 |      f32   | sign 1 | exponent 8 | fraction 23 |
 *
 * Subnormals, infinities and signed zeros are kept.  Every NaN that is made is the same quiet one,
 * positive: payloads are not carried.  There are no flags and no other rounding directions.  Text,
 * and rounding to decimal places, are in base/decimal.h.
 */
#ifndef KVC_BASE_IEEE_H
#define KVC_BASE_IEEE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"

struct kvc_f64 {
    uint64_t bits; /* a double's, as memory holds it */
};

struct kvc_f32 {
    uint32_t bits; /* a float's */
};

enum kvc_order {
    KVC_ORDER_LESS = -1,
    KVC_ORDER_EQUAL = 0,
    KVC_ORDER_GREATER = 1,
    KVC_ORDER_NONE = 2 /* a NaN is neither less, nor equal, nor greater */
};

/* ---- Into the format ----------------------------------------------------------------------- */

struct kvc_f64 kvc_f64_from_u64(uint64_t value);
struct kvc_f32 kvc_f32_from_u64(uint64_t value);
struct kvc_f64 kvc_f64_from_f32(struct kvc_f32 value); /* always exact */
struct kvc_f32 kvc_f32_from_f64(struct kvc_f64 value);

/* ---- Arithmetic ---------------------------------------------------------------------------- */

struct kvc_f64 kvc_f64_add(struct kvc_f64 a, struct kvc_f64 b);
struct kvc_f64 kvc_f64_subtract(struct kvc_f64 a, struct kvc_f64 b);
struct kvc_f64 kvc_f64_multiply(struct kvc_f64 a, struct kvc_f64 b);
struct kvc_f64 kvc_f64_divide(struct kvc_f64 a, struct kvc_f64 b);
enum kvc_order kvc_f64_compare(struct kvc_f64 a, struct kvc_f64 b);

struct kvc_f32 kvc_f32_add(struct kvc_f32 a, struct kvc_f32 b);
struct kvc_f32 kvc_f32_subtract(struct kvc_f32 a, struct kvc_f32 b);
struct kvc_f32 kvc_f32_multiply(struct kvc_f32 a, struct kvc_f32 b);
struct kvc_f32 kvc_f32_divide(struct kvc_f32 a, struct kvc_f32 b);
enum kvc_order kvc_f32_compare(struct kvc_f32 a, struct kvc_f32 b);

/* ---- Out of the format --------------------------------------------------------------------- */

/* To an integer; false when that integer is not within 0 and 2^64-1, or when x is no number.  It is
 * the result that counts: -0.5 truncates to 0, as in int(-0.5), but has no floor here.  For an f32,
 * widen it first. */
bool kvc_f64_truncate(struct kvc_f64 x, uint64_t *ret_value);
bool kvc_f64_floor(struct kvc_f64 x, uint64_t *ret_value);
bool kvc_f64_ceil(struct kvc_f64 x, uint64_t *ret_value);

/* ---- Apart and together, for base/decimal.c ------------------------------------------------ */

enum {
    KVC_F64_FRACTION_BITS = 52,
    KVC_F64_EXPONENT_MIN = -1074, /* 2 to this is the smallest subnormal */
};

enum kvc_number_kind { KVC_NUMBER_FINITE, KVC_NUMBER_INFINITE, KVC_NUMBER_NAN };

/* (-1)^negative * significand * 2^exponent when finite. */
struct kvc_number {
    enum kvc_number_kind kind;
    bool negative;
    int32_t exponent;     /* the format's lowest or more; exactly that for zero and subnormals */
    uint64_t significand; /* with the hidden bit: below 2^(fraction bits + 1) */
};

struct kvc_number kvc_f64_unpack(struct kvc_f64 x);

/* (-1)^negative * significand * 2^exponent, rounded: an infinity when it is too large.  The
 * significand is below 2^127; its last bit may be jammed (base/wide.h) when it has three bits more
 * than the format.  The exponent is within +-2^30. */
struct kvc_f64 kvc_f64_pack(bool negative, kvc_u128 significand, int32_t exponent);
struct kvc_f32 kvc_f32_pack(bool negative, kvc_u128 significand, int32_t exponent);

#endif /* KVC_BASE_IEEE_H */
