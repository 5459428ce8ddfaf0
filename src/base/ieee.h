/* ieee.h - binary64 and binary32 arithmetic, done in integers.
 *
 * Room:   base/ - pure: integers only, no allocation; at most about 3 KiB of stack.
 * In:     bit patterns, integers, decimal text.
 * Out:    bit patterns, integers, decimal text.
 * Knows:  base/span.h.
 *
 * Engines compute sizes with doubles: int(100 * 0.29) is 28 in Python, not 29.  To land on their
 * integer we round where they round, and a pure room may use no float.  So the formats are done
 * here, as IEEE 754 says: every result is the exact one rounded once, to nearest, ties to even.
 *
 *     f64   | sign 1 | exponent 11 | fraction 52 |      f32   | sign 1 | exponent 8 | fraction 23 |
 *
 * Subnormals, infinities and signed zeros are kept.  Every NaN that is made is the same quiet one,
 * positive: payloads are not carried.  There are no flags and no other rounding directions.
 */
#ifndef KVC_BASE_IEEE_H
#define KVC_BASE_IEEE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

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

enum {
    KVC_F64_PLACES_MAX = 9,   /* decimal places that can be asked for */
    KVC_F64_REPR_ROOM = 32,   /* bytes that hold any repr, with its NUL */
    KVC_F64_FIXED_ROOM = 328, /* sign, 309 digits, point, 9 places, NUL: 321 */
};

/* ---- Into the format ----------------------------------------------------------------------- */

struct kvc_f64 kvc_f64_from_u64(uint64_t value);
struct kvc_f32 kvc_f32_from_u64(uint64_t value);
struct kvc_f64 kvc_f64_from_f32(struct kvc_f32 value); /* always exact */
struct kvc_f32 kvc_f32_from_f64(struct kvc_f64 value);

/* The number nearest to a decimal text of any length:
 *
 *     [+-] (digits [. [digits]] | . digits) [(e|E) [+-] digits]
 *
 * False for all other text: "inf", "nan", hexadecimal, blanks and underscores too.  A number past
 * the range becomes an infinity, and one too small a zero with its sign, as in Python and C. */
bool kvc_f64_from_text(struct kvc_span text, struct kvc_f64 *ret_value);
bool kvc_f32_from_text(struct kvc_span text, struct kvc_f32 *ret_value);

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

/* Python's round(x, places): the exact binary value rounded to `places` decimals, half to even, and
 * the double nearest to that.  NaN and infinities are left alone.  `places` over 9 count as 9. */
struct kvc_f64 kvc_f64_round(struct kvc_f64 x, uint32_t places);

/* ---- Out of the format --------------------------------------------------------------------- */

/* To an integer; false when that integer is not within 0 and 2^64-1, or when x is no number.  It is
 * the result that counts: -0.5 truncates to 0, as in int(-0.5), but has no floor here.  For an f32,
 * widen it first. */
bool kvc_f64_truncate(struct kvc_f64 x, uint64_t *ret_value);
bool kvc_f64_floor(struct kvc_f64 x, uint64_t *ret_value);
bool kvc_f64_ceil(struct kvc_f64 x, uint64_t *ret_value);

/* Python's repr(x): the shortest digits that read back as x, and of these the nearest to it: "0.1",
 * "1e+16", "5.0", "-0.0", "inf", "nan".  Returns the length without the NUL. */
size_t kvc_f64_repr(struct kvc_f64 x, char ret_text[static KVC_F64_REPR_ROOM]);

/* C's "%.<places>f", exact at any size, but that every NaN is "nan".  `places` over 9 count as 9.
 * Returns the length without the NUL. */
size_t kvc_f64_fixed(struct kvc_f64 x, uint32_t places, char ret_text[static KVC_F64_FIXED_ROOM]);

#endif /* KVC_BASE_IEEE_H */
