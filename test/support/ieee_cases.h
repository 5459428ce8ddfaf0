/* ieee_cases.h - doubles and floats by chance, and the same numbers as the two structs of
 * base/ieee.h.
 *
 * In:     a struct chance.
 * Out:    numbers in mixes that lean to where rounding is hard; a failure that tells the seed.
 *
 * Tests hold the hardware and the C library against base/ieee.c and base/decimal.c with it, so
 * nothing of those two is called here.
 */
#ifndef KVC_TEST_IEEE_CASES_H
#define KVC_TEST_IEEE_CASES_H

#include <stdint.h>

#include "base/ieee.h"
#include "support/chance.h"

uint64_t bits_of(double value);
double double_of(uint64_t bits);
uint32_t bits_of_float(float value);
float float_of(uint32_t bits);
struct kvc_f64 f64(double value);
struct kvc_f32 f32(float value);

/* Infinities and NaN too. */
double any_double(struct chance *chance);
float any_float(struct chance *chance);

/* Few bits at the top, few at the bottom: sums and products of such are often ties. */
uint64_t sparse_fraction(struct chance *chance, uint32_t bits);

/* A NaN's sign and payload are the machine's business; ours is always the same one. */
void expect_f64(const struct chance *chance, const char *what, double a, double b,
                struct kvc_f64 got, double want);

#endif /* KVC_TEST_IEEE_CASES_H */
