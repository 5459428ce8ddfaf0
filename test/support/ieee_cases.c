/* ieee_cases.c - see ieee_cases.h. */

#include "support/ieee_cases.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

/* ---- Bits ---------------------------------------------------------------------------------- */

uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint32_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

struct kvc_f64 f64(double value)
{
    return (struct kvc_f64){ bits_of(value) };
}

struct kvc_f32 f32(float value)
{
    return (struct kvc_f32){ bits_of_float(value) };
}

/* ---- Cases --------------------------------------------------------------------------------- */

uint64_t sparse_fraction(struct chance *chance, uint32_t bits)
{
    uint64_t top = chance_below(chance, 16) << (bits - 4);
    uint64_t bottom = chance_below(chance, 4), middle = UINT64_C(1) << chance_below(chance, bits);
    uint64_t run = chance_below(chance, 2) != 0 ? middle - 1 : middle;
    return (top ^ bottom ^ run) & ((UINT64_C(1) << bits) - 1);
}

static uint64_t special_bits(struct chance *chance)
{
    /* clang-format off */
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
    /* clang-format on */
    return SPECIALS[chance_below(chance, sizeof SPECIALS / sizeof SPECIALS[0])] |
           chance_below(chance, 2) << 63;
}

double any_double(struct chance *chance)
{
    uint64_t sign = chance_below(chance, 2) << 63;
    switch (chance_below(chance, 10)) {
    case 0:
        return double_of(chance_next(chance));
    case 1:
        return double_of(special_bits(chance));
    case 2: /* subnormal */
        return double_of(sign | (chance_next(chance) >> (12 + chance_below(chance, 52))));
    case 3:
        return (double)chance_below(chance, 1000);
    case 4:
        return (double)chance_below(chance, UINT64_C(1) << (1 + chance_below(chance, 63)));
    case 5: /* as 0.29 */
        return (double)chance_below(chance, 1000) / 100.0;
    case 6:
        return (double)chance_below(chance, 100000) / 1000.0 * (double)chance_below(chance, 1000);
    case 7:
        return double_of(sign | (1023 + chance_below(chance, 70) - 35) << 52 |
                         sparse_fraction(chance, 52));
    case 8:
        return double_of(sign | (1 + chance_below(chance, 2046)) << 52 |
                         sparse_fraction(chance, 52));
    default:
        return (double)chance_below(chance, 4000) / 8.0 + (double)chance_below(chance, 3) * 0.0625;
    }
}

float any_float(struct chance *chance)
{
    uint32_t sign = (uint32_t)chance_below(chance, 2) << 31;
    switch (chance_below(chance, 7)) {
    case 0:
        return float_of((uint32_t)chance_next(chance));
    case 1:
        return (float)double_of(special_bits(chance));
    case 2:
        return float_of(sign | (uint32_t)(chance_next(chance) >> (41 + chance_below(chance, 23))));
    case 3:
        return (float)chance_below(chance, 1000);
    case 4:
        return (float)chance_below(chance, 1000) / 100.0f;
    case 5:
        return float_of(sign | (uint32_t)(127 + chance_below(chance, 40) - 20) << 23 |
                        (uint32_t)sparse_fraction(chance, 23));
    default:
        return float_of(sign | (uint32_t)(1 + chance_below(chance, 254)) << 23 |
                        (uint32_t)sparse_fraction(chance, 23));
    }
}

/* ---- Comparison ---------------------------------------------------------------------------- */

void expect_f64(const struct chance *chance, const char *what, double a, double b,
                struct kvc_f64 got, double want)
{
    bool same = want != want ? got.bits == UINT64_C(0x7FF8000000000000) : got.bits == bits_of(want);
    if (!same)
        fail_msg("seed %" PRIu64 ": %s of %a and %a gives %a, not %a", chance->seed, what, a, b,
                 double_of(got.bits), want);
}
