/* ieee.c - see ieee.h for the room and its promises.
 *
 * Everything finite takes one road: unpack() to an integer and a power of two, an exact step in 128
 * bits, jammed where it cannot be exact (base/wide.h), and pack(), which rounds.
 */

#include "base/ieee.h"

#include "base/wide.h"

struct layout {
    uint32_t fraction_bits;
    uint32_t sign_bit; /* its index */
    int32_t lowest;    /* the power of two that the last bit of a subnormal stands for */
};

static const struct layout F64 = { .fraction_bits = KVC_F64_FRACTION_BITS,
                                   .sign_bit = 63,
                                   .lowest = KVC_F64_EXPONENT_MIN };
static const struct layout F32 = { .fraction_bits = 23, .sign_bit = 31, .lowest = -149 };

/* ---- Packing and rounding ------------------------------------------------------------------ */

static uint64_t bit(uint32_t index)
{
    return UINT64_C(1) << index;
}

static uint64_t pack_sign(const struct layout *layout, bool negative)
{
    return negative ? bit(layout->sign_bit) : 0;
}

static uint64_t pack_infinity(const struct layout *layout, bool negative)
{
    return pack_sign(layout, negative) | (bit(layout->sign_bit) - bit(layout->fraction_bits));
}

static uint64_t pack_nan(const struct layout *layout)
{
    return pack_infinity(layout, false) | bit(layout->fraction_bits - 1);
}

/* significand * 2^exponent, rounded into the layout; significand is below 2^127.
 *
 * The hidden bit, being added rather than masked off, raises the exponent field from 0 to 1; a
 * carry out of the rounding raises it once more, up to the infinity itself. */
static uint64_t pack(const struct layout *layout, bool negative, kvc_u128 significand,
                     int32_t exponent)
{
    if (significand == 0)
        return pack_sign(layout, negative);
    int32_t last =
        exponent + (int32_t)kvc_wide_width(significand) - 1 - (int32_t)layout->fraction_bits;
    if (last < layout->lowest)
        last = layout->lowest;
    uint64_t field = (uint64_t)(last - layout->lowest);
    if (field + 2 >= bit(layout->sign_bit - layout->fraction_bits))
        return pack_infinity(layout, negative);
    kvc_u128 kept = last <= exponent
                        ? significand << (exponent - last)
                        : kvc_wide_shift_to_nearest(significand, (uint32_t)(last - exponent));
    return pack_sign(layout, negative) | ((field << layout->fraction_bits) + (uint64_t)kept);
}

static struct kvc_number unpack(const struct layout *layout, uint64_t bits)
{
    uint64_t magnitude = bits & (bit(layout->sign_bit) - 1);
    uint64_t infinity = pack_infinity(layout, false);
    uint64_t field = magnitude >> layout->fraction_bits;
    uint64_t fraction = magnitude - (field << layout->fraction_bits);
    bool hidden = field != 0;
    return (struct kvc_number){
        .kind = magnitude < infinity    ? KVC_NUMBER_FINITE
                : magnitude == infinity ? KVC_NUMBER_INFINITE
                                        : KVC_NUMBER_NAN,
        .negative = bits != magnitude,
        .exponent = layout->lowest + (int32_t)(field - hidden),
        .significand = hidden ? fraction | bit(layout->fraction_bits) : fraction,
    };
}

struct kvc_f64 kvc_f64_pack(bool negative, kvc_u128 significand, int32_t exponent)
{
    return (struct kvc_f64){ pack(&F64, negative, significand, exponent) };
}

struct kvc_f32 kvc_f32_pack(bool negative, kvc_u128 significand, int32_t exponent)
{
    return (struct kvc_f32){ (uint32_t)pack(&F32, negative, significand, exponent) };
}

struct kvc_number kvc_f64_unpack(struct kvc_f64 x)
{
    return unpack(&F64, x.bits);
}

static bool is_zero(struct kvc_number a)
{
    return a.kind == KVC_NUMBER_FINITE && a.significand == 0;
}

/* ---- Arithmetic ---------------------------------------------------------------------------- */

/* The larger exponent is a's.  When they are more than 64 apart, b is under 2^53 / 2^65 of a's last
 * bit: too little to reach half way to a neighbour, even below a power of two.  So a stays; it is
 * not 0, which has the lowest exponent. */
static uint64_t add_finite(const struct layout *layout, struct kvc_number a, struct kvc_number b)
{
    uint32_t apart = (uint32_t)(a.exponent - b.exponent);
    if (apart > 64)
        return pack(layout, a.negative, a.significand, a.exponent);
    int32_t exponent = a.exponent - (int32_t)apart;
    kvc_u128 left = (kvc_u128)a.significand << apart, right = b.significand;
    if (a.negative == b.negative)
        return pack(layout, a.negative, left + right, exponent);
    if (left == right)
        return pack_sign(layout, false);
    return left > right ? pack(layout, a.negative, left - right, exponent)
                        : pack(layout, b.negative, right - left, exponent);
}

static uint64_t add(const struct layout *layout, uint64_t a_bits, uint64_t b_bits)
{
    struct kvc_number a = unpack(layout, a_bits), b = unpack(layout, b_bits);
    if (a.kind == KVC_NUMBER_NAN || b.kind == KVC_NUMBER_NAN)
        return pack_nan(layout);
    if (a.kind == KVC_NUMBER_INFINITE && b.kind == KVC_NUMBER_INFINITE && a.negative != b.negative)
        return pack_nan(layout);
    if (a.kind == KVC_NUMBER_INFINITE || b.kind == KVC_NUMBER_INFINITE)
        return a.kind == KVC_NUMBER_INFINITE ? a_bits : b_bits;
    return a.exponent >= b.exponent ? add_finite(layout, a, b) : add_finite(layout, b, a);
}

static uint64_t subtract(const struct layout *layout, uint64_t a_bits, uint64_t b_bits)
{
    return add(layout, a_bits, b_bits ^ bit(layout->sign_bit));
}

static uint64_t multiply(const struct layout *layout, uint64_t a_bits, uint64_t b_bits)
{
    struct kvc_number a = unpack(layout, a_bits), b = unpack(layout, b_bits);
    bool negative = a.negative != b.negative;
    if (a.kind == KVC_NUMBER_NAN || b.kind == KVC_NUMBER_NAN)
        return pack_nan(layout);
    if ((a.kind == KVC_NUMBER_INFINITE && is_zero(b)) ||
        (is_zero(a) && b.kind == KVC_NUMBER_INFINITE))
        return pack_nan(layout);
    if (a.kind == KVC_NUMBER_INFINITE || b.kind == KVC_NUMBER_INFINITE)
        return pack_infinity(layout, negative);
    return pack(layout, negative, (kvc_u128)a.significand * b.significand, a.exponent + b.exponent);
}

/* a is moved up to 127 bits and b has 53 at most, so the quotient has at least 74 bits. */
static uint64_t divide_finite(const struct layout *layout, struct kvc_number a, struct kvc_number b)
{
    uint32_t shift = 127 - kvc_wide_width(a.significand);
    kvc_u128 quotient = kvc_wide_divide_and_jam((kvc_u128)a.significand << shift, b.significand);
    int32_t exponent = a.exponent - b.exponent - (int32_t)shift;
    return pack(layout, a.negative != b.negative, quotient, exponent);
}

static uint64_t divide(const struct layout *layout, uint64_t a_bits, uint64_t b_bits)
{
    struct kvc_number a = unpack(layout, a_bits), b = unpack(layout, b_bits);
    bool negative = a.negative != b.negative;
    if (a.kind == KVC_NUMBER_NAN || b.kind == KVC_NUMBER_NAN)
        return pack_nan(layout);
    if ((a.kind == KVC_NUMBER_INFINITE && b.kind == KVC_NUMBER_INFINITE) ||
        (is_zero(a) && is_zero(b)))
        return pack_nan(layout);
    if (a.kind == KVC_NUMBER_INFINITE || is_zero(b))
        return pack_infinity(layout, negative);
    if (b.kind == KVC_NUMBER_INFINITE || is_zero(a))
        return pack_sign(layout, negative);
    return divide_finite(layout, a, b);
}

struct kvc_f64 kvc_f64_add(struct kvc_f64 a, struct kvc_f64 b)
{
    return (struct kvc_f64){ add(&F64, a.bits, b.bits) };
}

struct kvc_f64 kvc_f64_subtract(struct kvc_f64 a, struct kvc_f64 b)
{
    return (struct kvc_f64){ subtract(&F64, a.bits, b.bits) };
}

struct kvc_f64 kvc_f64_multiply(struct kvc_f64 a, struct kvc_f64 b)
{
    return (struct kvc_f64){ multiply(&F64, a.bits, b.bits) };
}

struct kvc_f64 kvc_f64_divide(struct kvc_f64 a, struct kvc_f64 b)
{
    return (struct kvc_f64){ divide(&F64, a.bits, b.bits) };
}

struct kvc_f32 kvc_f32_add(struct kvc_f32 a, struct kvc_f32 b)
{
    return (struct kvc_f32){ (uint32_t)add(&F32, a.bits, b.bits) };
}

struct kvc_f32 kvc_f32_subtract(struct kvc_f32 a, struct kvc_f32 b)
{
    return (struct kvc_f32){ (uint32_t)subtract(&F32, a.bits, b.bits) };
}

struct kvc_f32 kvc_f32_multiply(struct kvc_f32 a, struct kvc_f32 b)
{
    return (struct kvc_f32){ (uint32_t)multiply(&F32, a.bits, b.bits) };
}

struct kvc_f32 kvc_f32_divide(struct kvc_f32 a, struct kvc_f32 b)
{
    return (struct kvc_f32){ (uint32_t)divide(&F32, a.bits, b.bits) };
}

/* Bit patterns of one sign are in the order of their magnitudes. */
enum kvc_order kvc_f64_compare(struct kvc_f64 a, struct kvc_f64 b)
{
    struct kvc_number left = unpack(&F64, a.bits), right = unpack(&F64, b.bits);
    if (left.kind == KVC_NUMBER_NAN || right.kind == KVC_NUMBER_NAN)
        return KVC_ORDER_NONE;
    if (a.bits == b.bits || (is_zero(left) && is_zero(right)))
        return KVC_ORDER_EQUAL;
    if (left.negative != right.negative)
        return left.negative ? KVC_ORDER_LESS : KVC_ORDER_GREATER;
    return (a.bits < b.bits) != left.negative ? KVC_ORDER_LESS : KVC_ORDER_GREATER;
}

enum kvc_order kvc_f32_compare(struct kvc_f32 a, struct kvc_f32 b)
{
    return kvc_f64_compare(kvc_f64_from_f32(a), kvc_f64_from_f32(b));
}

/* ---- From and to integers and the other format --------------------------------------------- */

static uint64_t convert(const struct layout *to, const struct layout *from, uint64_t bits)
{
    struct kvc_number value = unpack(from, bits);
    if (value.kind == KVC_NUMBER_NAN)
        return pack_nan(to);
    if (value.kind == KVC_NUMBER_INFINITE)
        return pack_infinity(to, value.negative);
    return pack(to, value.negative, value.significand, value.exponent);
}

struct kvc_f64 kvc_f64_from_u64(uint64_t value)
{
    return kvc_f64_pack(false, value, 0);
}

struct kvc_f32 kvc_f32_from_u64(uint64_t value)
{
    return kvc_f32_pack(false, value, 0);
}

struct kvc_f64 kvc_f64_from_f32(struct kvc_f32 value)
{
    return (struct kvc_f64){ convert(&F64, &F32, value.bits) };
}

struct kvc_f32 kvc_f32_from_f64(struct kvc_f64 value)
{
    return (struct kvc_f32){ (uint32_t)convert(&F32, &F64, value.bits) };
}

/* Toward zero; then, when a fraction was cut off and the sign is the one asked for, one away. */
static bool take_integer(struct kvc_f64 x, bool up, bool down, uint64_t *ret_value)
{
    struct kvc_number value = unpack(&F64, x.bits);
    if (value.kind != KVC_NUMBER_FINITE)
        return false;
    if (value.exponent > 0 && kvc_wide_width(value.significand) + (uint32_t)value.exponent > 64)
        return false;
    uint32_t shift = value.exponent < 0 ? (uint32_t)-value.exponent : 0;
    uint64_t whole = shift > 63 ? 0 : value.significand >> shift;
    bool cut = shift > 63 ? value.significand != 0 : whole << shift != value.significand;
    if (value.exponent > 0)
        whole <<= value.exponent;
    whole += cut && (value.negative ? down : up);
    if (value.negative && whole != 0)
        return false;
    *ret_value = whole;
    return true;
}

bool kvc_f64_truncate(struct kvc_f64 x, uint64_t *ret_value)
{
    return take_integer(x, false, false, ret_value);
}

bool kvc_f64_floor(struct kvc_f64 x, uint64_t *ret_value)
{
    return take_integer(x, false, true, ret_value);
}

bool kvc_f64_ceil(struct kvc_f64 x, uint64_t *ret_value)
{
    return take_integer(x, true, false, ret_value);
}
