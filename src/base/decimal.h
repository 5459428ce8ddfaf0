/* decimal.h - doubles and floats from decimal text, doubles to text and to decimal places.
 *
 * Room:   base/ - pure: integers only, no allocation; at most about 3 KiB of stack.
 * In:     decimal text, doubles.
 * Out:    doubles, floats, decimal text.
 * Knows:  base/ieee.h, base/span.h, base/wide.h.
 *
 * What an engine computes with comes to it as text, 0.29 say, and what it shows goes out as text.
 * To have the same double, and the same text, we read and write as Python and C do: the exact value
 * rounded once, at any length and size.
 *
 * Nothing here knows of locales, of hexadecimal, or of a float's own shortest text.
 */
#ifndef KVC_BASE_DECIMAL_H
#define KVC_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ieee.h"
#include "base/span.h"

enum {
    KVC_F64_PLACES_MAX = 9,   /* decimal places that can be asked for */
    KVC_F64_REPR_ROOM = 32,   /* bytes that hold any repr, with its NUL */
    KVC_F64_FIXED_ROOM = 328, /* sign, 309 digits, point, 9 places, NUL: 321 */
};

/* The number nearest to a decimal text of any length:
 *
 *     [+-] (digits [. [digits]] | . digits) [(e|E) [+-] digits]
 *
 * False for all other text: "inf", "nan", hexadecimal, blanks and underscores too.  A number past
 * the range becomes an infinity, and one too small a zero with its sign, as in Python and C. */
bool kvc_f64_from_text(struct kvc_span text, struct kvc_f64 *ret_value);
bool kvc_f32_from_text(struct kvc_span text, struct kvc_f32 *ret_value);

/* Python's round(x, places): the exact binary value rounded to `places` decimals, half to even, and
 * the double nearest to that.  NaN and infinities are left alone.  `places` over 9 count as 9. */
struct kvc_f64 kvc_f64_round(struct kvc_f64 x, uint32_t places);

/* Python's repr(x): the shortest digits that read back as x, and of these the nearest to it: "0.1",
 * "1e+16", "5.0", "-0.0", "inf", "nan".  Returns the length without the NUL. */
size_t kvc_f64_repr(struct kvc_f64 x, char ret_text[static KVC_F64_REPR_ROOM]);

/* C's "%.<places>f", exact at any size, but that every NaN is "nan".  `places` over 9 count as 9.
 * Returns the length without the NUL. */
size_t kvc_f64_fixed(struct kvc_f64 x, uint32_t places, char ret_text[static KVC_F64_FIXED_ROOM]);

#endif /* KVC_BASE_DECIMAL_H */
