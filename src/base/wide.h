/* wide.h - integers of more than 64 bits, for results that are rounded once.
 *
 * Room:   base/ - pure: integers only, no allocation.
 * In:     integers.
 * Out:    integers.
 * Knows:  base/attr.h.
 *
 * Whoever rounds once needs the exact value first.  What two doubles make of each other fits 128
 * bits; a decimal text, or a double written out, wants a big integer.
 *
 * A step that cannot keep all bits jams them: the last bit kept is set when anything nonzero was
 * dropped.  With three bits or more below the last bit of the result, that cannot change how the
 * value rounds: a jammed value is neither on a tie nor on the other side of one.
 *
 * There are no signs.  Nothing checks at run time that a big integer stays within its limbs: who
 * uses one proves it beforehand (see base/decimal.c).
 */
#ifndef KVC_BASE_WIDE_H
#define KVC_BASE_WIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"

/* ---- 128 bits ------------------------------------------------------------------------------ */

/* Index of the highest bit that is set, plus 1; 0 for 0. */
uint32_t kvc_wide_width(kvc_u128 value);

/* value / 2^shift to nearest, ties to even; value is below 2^127.  All rounding ends here. */
kvc_u128 kvc_wide_shift_to_nearest(kvc_u128 value, uint32_t shift);

/* The quotient with its last bit jammed; divisor is not 0. */
kvc_u128 kvc_wide_divide_and_jam(kvc_u128 value, uint64_t divisor);

/* ---- Big integers -------------------------------------------------------------------------- */

enum { KVC_BIG_LIMBS = 64, KVC_BIG_BITS = KVC_BIG_LIMBS * 64 };

struct kvc_big {
    uint32_t count;               /* limbs in use; the highest of them is not 0 */
    uint64_t limb[KVC_BIG_LIMBS]; /* lowest first */
};

void kvc_big_set(struct kvc_big *a, kvc_u128 value);

/* A struct copy would move the unused limbs too. */
void kvc_big_copy(struct kvc_big *to, const struct kvc_big *from);

void kvc_big_multiply_add(struct kvc_big *a, uint64_t factor, uint64_t addend);
void kvc_big_shift_left(struct kvc_big *a, uint32_t bits);
void kvc_big_add(struct kvc_big *a, const struct kvc_big *b);

/* b is not more than a. */
void kvc_big_subtract(struct kvc_big *a, const struct kvc_big *b);

/* Leaves the quotient, returns the remainder; divisor is not 0. */
uint64_t kvc_big_divide(struct kvc_big *a, uint64_t divisor);

/* Below 0, 0, above 0. */
int kvc_big_compare(const struct kvc_big *a, const struct kvc_big *b);

/* Index of the highest bit that is set, plus 1; 0 for 0. */
uint32_t kvc_big_width(const struct kvc_big *a);

#endif /* KVC_BASE_WIDE_H */
