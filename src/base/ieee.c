/* ieee.c - see ieee.h for the room and its promises.
 *
 * Everything finite takes one road: unpack() to an integer and a power of two, an exact step in 128
 * bits or in a big integer, and pack(), which rounds.
 *
 * A step that cannot keep all bits jams them: the last bit kept is set when anything nonzero was
 * dropped.  With three bits or more below the last bit of the result, that cannot change how
 * pack() rounds: a jammed value is neither on a tie nor on the other side of one.
 */

#include "base/ieee.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide;

struct layout {
    uint32_t fraction_bits;
    uint32_t sign_bit; /* its index */
    int32_t lowest;    /* the power of two that the last bit of a subnormal stands for */
};

static const struct layout F64 = { .fraction_bits = 52, .sign_bit = 63, .lowest = -1074 };
static const struct layout F32 = { .fraction_bits = 23, .sign_bit = 31, .lowest = -149 };

enum kind { FINITE, INFINITE, NOT_A_NUMBER };

/* (-1)^negative * significand * 2^exponent when finite. */
struct number {
    enum kind kind;
    bool negative;
    int32_t exponent;     /* layout->lowest or more; exactly lowest for zero and subnormals */
    uint64_t significand; /* with the hidden bit: below 2^(fraction_bits + 1) */
};

/* ---- Packing and rounding ------------------------------------------------------------------ */

static uint64_t bit(uint32_t index)
{
    return UINT64_C(1) << index;
}

/* Index of the highest bit that is set, plus 1; 0 for 0. */
static uint32_t width_of(wide value)
{
    uint64_t high = (uint64_t)(value >> 64), low = (uint64_t)value;
    if (high != 0)
        return 128 - (uint32_t)__builtin_clzll(high);
    return low == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(low);
}

/* value / 2^shift to nearest, ties to even; value is below 2^127.  All rounding ends here. */
static wide shift_to_nearest(wide value, uint32_t shift)
{
    if (shift == 0)
        return value;
    if (shift > 127) /* below 2^127 / 2^128, so under one half */
        return 0;
    wide kept = value >> shift;
    wide rest = value - (kept << shift);
    wide half = (wide)1 << (shift - 1);
    bool up = rest > half || (rest == half && (kept & 1) != 0);
    return kept + up;
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
static uint64_t pack(const struct layout *layout, bool negative, wide significand, int32_t exponent)
{
    if (significand == 0)
        return pack_sign(layout, negative);
    int32_t last = exponent + (int32_t)width_of(significand) - 1 - (int32_t)layout->fraction_bits;
    if (last < layout->lowest)
        last = layout->lowest;
    uint64_t field = (uint64_t)(last - layout->lowest);
    if (field + 2 >= bit(layout->sign_bit - layout->fraction_bits))
        return pack_infinity(layout, negative);
    wide kept = last <= exponent ? significand << (exponent - last)
                                 : shift_to_nearest(significand, (uint32_t)(last - exponent));
    return pack_sign(layout, negative) | ((field << layout->fraction_bits) + (uint64_t)kept);
}

static struct number unpack(const struct layout *layout, uint64_t bits)
{
    uint64_t magnitude = bits & (bit(layout->sign_bit) - 1);
    uint64_t infinity = pack_infinity(layout, false);
    uint64_t field = magnitude >> layout->fraction_bits;
    uint64_t fraction = magnitude - (field << layout->fraction_bits);
    bool hidden = field != 0;
    return (struct number){
        .kind = magnitude < infinity    ? FINITE
                : magnitude == infinity ? INFINITE
                                        : NOT_A_NUMBER,
        .negative = bits != magnitude,
        .exponent = layout->lowest + (int32_t)(field - hidden),
        .significand = hidden ? fraction | bit(layout->fraction_bits) : fraction,
    };
}

static bool is_zero(struct number a)
{
    return a.kind == FINITE && a.significand == 0;
}

/* ---- Arithmetic ---------------------------------------------------------------------------- */

static wide divide_and_jam(wide value, uint64_t divisor)
{
    wide quotient = value / divisor;
    return quotient | (value != quotient * divisor);
}

/* The larger exponent is a's.  When they are more than 64 apart, b is under 2^53 / 2^65 of a's last
 * bit: too little to reach half way to a neighbour, even below a power of two.  So a stays; it is
 * not 0, which has the lowest exponent. */
static uint64_t add_finite(const struct layout *layout, struct number a, struct number b)
{
    uint32_t apart = (uint32_t)(a.exponent - b.exponent);
    if (apart > 64)
        return pack(layout, a.negative, a.significand, a.exponent);
    int32_t exponent = a.exponent - (int32_t)apart;
    wide left = (wide)a.significand << apart, right = b.significand;
    if (a.negative == b.negative)
        return pack(layout, a.negative, left + right, exponent);
    if (left == right)
        return pack_sign(layout, false);
    return left > right ? pack(layout, a.negative, left - right, exponent)
                        : pack(layout, b.negative, right - left, exponent);
}

static uint64_t add(const struct layout *layout, uint64_t a_bits, uint64_t b_bits)
{
    struct number a = unpack(layout, a_bits), b = unpack(layout, b_bits);
    if (a.kind == NOT_A_NUMBER || b.kind == NOT_A_NUMBER)
        return pack_nan(layout);
    if (a.kind == INFINITE && b.kind == INFINITE && a.negative != b.negative)
        return pack_nan(layout);
    if (a.kind == INFINITE || b.kind == INFINITE)
        return a.kind == INFINITE ? a_bits : b_bits;
    return a.exponent >= b.exponent ? add_finite(layout, a, b) : add_finite(layout, b, a);
}

static uint64_t subtract(const struct layout *layout, uint64_t a_bits, uint64_t b_bits)
{
    return add(layout, a_bits, b_bits ^ bit(layout->sign_bit));
}

static uint64_t multiply(const struct layout *layout, uint64_t a_bits, uint64_t b_bits)
{
    struct number a = unpack(layout, a_bits), b = unpack(layout, b_bits);
    bool negative = a.negative != b.negative;
    if (a.kind == NOT_A_NUMBER || b.kind == NOT_A_NUMBER)
        return pack_nan(layout);
    if ((a.kind == INFINITE && is_zero(b)) || (is_zero(a) && b.kind == INFINITE))
        return pack_nan(layout);
    if (a.kind == INFINITE || b.kind == INFINITE)
        return pack_infinity(layout, negative);
    return pack(layout, negative, (wide)a.significand * b.significand, a.exponent + b.exponent);
}

/* a is moved up to 127 bits and b has 53 at most, so the quotient has at least 74 bits. */
static uint64_t divide_finite(const struct layout *layout, struct number a, struct number b)
{
    uint32_t shift = 127 - width_of(a.significand);
    wide quotient = divide_and_jam((wide)a.significand << shift, b.significand);
    int32_t exponent = a.exponent - b.exponent - (int32_t)shift;
    return pack(layout, a.negative != b.negative, quotient, exponent);
}

static uint64_t divide(const struct layout *layout, uint64_t a_bits, uint64_t b_bits)
{
    struct number a = unpack(layout, a_bits), b = unpack(layout, b_bits);
    bool negative = a.negative != b.negative;
    if (a.kind == NOT_A_NUMBER || b.kind == NOT_A_NUMBER)
        return pack_nan(layout);
    if ((a.kind == INFINITE && b.kind == INFINITE) || (is_zero(a) && is_zero(b)))
        return pack_nan(layout);
    if (a.kind == INFINITE || is_zero(b))
        return pack_infinity(layout, negative);
    if (b.kind == INFINITE || is_zero(a))
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
    struct number left = unpack(&F64, a.bits), right = unpack(&F64, b.bits);
    if (left.kind == NOT_A_NUMBER || right.kind == NOT_A_NUMBER)
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
    struct number value = unpack(from, bits);
    if (value.kind == NOT_A_NUMBER)
        return pack_nan(to);
    if (value.kind == INFINITE)
        return pack_infinity(to, value.negative);
    return pack(to, value.negative, value.significand, value.exponent);
}

struct kvc_f64 kvc_f64_from_u64(uint64_t value)
{
    return (struct kvc_f64){ pack(&F64, false, value, 0) };
}

struct kvc_f32 kvc_f32_from_u64(uint64_t value)
{
    return (struct kvc_f32){ (uint32_t)pack(&F32, false, value, 0) };
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
    struct number value = unpack(&F64, x.bits);
    if (value.kind != FINITE)
        return false;
    if (value.exponent > 0 && width_of(value.significand) + (uint32_t)value.exponent > 64)
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

/* ---- Big integers, for decimals ------------------------------------------------------------ */

/* The largest is a power of ten under a decimal text: see DIGITS_KEPT.  Nothing checks at run time
 * that a number stays within; the assertion there does it beforehand. */
enum { LIMBS = 64, BIG_BITS = LIMBS * 64 };

struct big {
    uint32_t count;       /* limbs in use; the highest of them is not 0 */
    uint64_t limb[LIMBS]; /* lowest first */
};

static const uint64_t TEN_TO[] = { UINT64_C(1),
                                   UINT64_C(10),
                                   UINT64_C(100),
                                   UINT64_C(1000),
                                   UINT64_C(10000),
                                   UINT64_C(100000),
                                   UINT64_C(1000000),
                                   UINT64_C(10000000),
                                   UINT64_C(100000000),
                                   UINT64_C(1000000000),
                                   UINT64_C(10000000000),
                                   UINT64_C(100000000000),
                                   UINT64_C(1000000000000),
                                   UINT64_C(10000000000000),
                                   UINT64_C(100000000000000),
                                   UINT64_C(1000000000000000),
                                   UINT64_C(10000000000000000),
                                   UINT64_C(100000000000000000),
                                   UINT64_C(1000000000000000000),
                                   UINT64_C(10000000000000000000) };

enum { TENS_A_LIMB = 19 };

static void big_set(struct big *a, wide value)
{
    a->limb[0] = (uint64_t)value;
    a->limb[1] = (uint64_t)(value >> 64);
    a->count = a->limb[1] != 0 ? 2 : a->limb[0] != 0;
}

/* A struct copy would move the unused limbs too. */
static void big_copy(struct big *to, const struct big *from)
{
    to->count = from->count;
    memcpy(to->limb, from->limb, from->count * sizeof from->limb[0]);
}

static void big_multiply_add(struct big *a, uint64_t factor, uint64_t addend)
{
    wide carry = addend;
    for (uint32_t i = 0; i < a->count; i++) {
        carry += (wide)a->limb[i] * factor;
        a->limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
    if (carry != 0)
        a->limb[a->count++] = (uint64_t)carry;
}

static void big_multiply_ten_to(struct big *a, uint32_t power)
{
    for (; power > TENS_A_LIMB; power -= TENS_A_LIMB)
        big_multiply_add(a, TEN_TO[TENS_A_LIMB], 0);
    big_multiply_add(a, TEN_TO[power], 0);
}

static void big_shift_left(struct big *a, uint32_t bits)
{
    uint32_t limbs = bits / 64;
    if (a->count == 0)
        return;
    for (uint32_t i = a->count; limbs > 0 && i > 0; i--)
        a->limb[i - 1 + limbs] = a->limb[i - 1];
    memset(a->limb, 0, limbs * sizeof a->limb[0]);
    a->count += limbs;
    big_multiply_add(a, bit(bits % 64), 0);
}

static uint32_t big_width(const struct big *a)
{
    return a->count == 0 ? 0 : (a->count - 1) * 64 + width_of(a->limb[a->count - 1]);
}

static int big_compare(const struct big *a, const struct big *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (uint32_t i = a->count; i > 0; i--)
        if (a->limb[i - 1] != b->limb[i - 1])
            return a->limb[i - 1] < b->limb[i - 1] ? -1 : 1;
    return 0;
}

static void big_add(struct big *a, const struct big *b)
{
    wide carry = 0;
    for (uint32_t i = 0; i < a->count || i < b->count || carry != 0; i++) {
        carry += i < a->count ? a->limb[i] : 0;
        carry += i < b->count ? b->limb[i] : 0;
        a->limb[i] = (uint64_t)carry;
        carry >>= 64;
        if (i >= a->count)
            a->count = i + 1;
    }
}

/* b is not more than a. */
static void big_subtract(struct big *a, const struct big *b)
{
    uint64_t borrow = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        wide take = (wide)(i < b->count ? b->limb[i] : 0) + borrow;
        borrow = take > a->limb[i];
        a->limb[i] -= (uint64_t)take;
    }
    while (a->count > 0 && a->limb[a->count - 1] == 0)
        a->count--;
}

/* Leaves the quotient, returns the remainder. */
static uint64_t big_divide(struct big *a, uint64_t divisor)
{
    wide rest = 0;
    for (uint32_t i = a->count; i > 0; i--) {
        rest = rest << 64 | a->limb[i - 1];
        a->limb[i - 1] = (uint64_t)(rest / divisor);
        rest -= (wide)a->limb[i - 1] * divisor;
    }
    while (a->count > 0 && a->limb[a->count - 1] == 0)
        a->count--;
    return (uint64_t)rest;
}

/* ---- From decimal text --------------------------------------------------------------------- */

/* No double, and no point half way between two, has more than 767 significant digits.  So of the
 * digits after the first 800 only this matters: whether any of them is not 0.  One digit 1 then
 * stands for them all.  Values of 10^310 and above are infinite, those under 10^-330 are zero, and
 * the largest power of ten that is left divides 801 digits down to there. */
enum { DIGITS_KEPT = 800, POINT_MAX = 310, POINT_MIN = -330 };

/* 10^n has fewer than 10n / 3 + 1 bits; the division moves it up by one more. */
_Static_assert((DIGITS_KEPT + 1 - POINT_MIN) * 10 / 3 + 2 < BIG_BITS, "decimals fit a big");

#define EXPONENT_FAR INT64_C(100000000000000000) /* more than any text has digits to make up for */

/* digits * 10^exponent */
struct decimal {
    bool negative;
    bool rest;     /* a digit other than 0 came after those kept */
    uint32_t kept; /* digits kept, from the first that is not 0 */
    int64_t exponent;
    struct big digits;
};

static bool at_any(struct kvc_span text, size_t at, char one, char other)
{
    return at < text.length && (text.text[at] == one || text.text[at] == other);
}

static bool at_digit(struct kvc_span text, size_t at)
{
    return at < text.length && text.text[at] >= '0' && text.text[at] <= '9';
}

static void take_digit(struct decimal *number, uint32_t digit, bool in_fraction)
{
    bool full = number->kept == DIGITS_KEPT;
    if (full)
        number->rest |= digit != 0;
    else
        big_multiply_add(&number->digits, 10, digit);
    number->kept += !full && number->digits.count != 0;
    number->exponent += (int64_t)full - (int64_t)in_fraction;
}

static size_t take_digits(struct kvc_span text, size_t at, bool in_fraction, struct decimal *number)
{
    for (; at_digit(text, at); at++)
        take_digit(number, (uint32_t)(text.text[at] - '0'), in_fraction);
    return at;
}

/* Moves *at past an exponent when there is one; false when there is half of one. */
static bool take_exponent(struct kvc_span text, size_t *at, struct decimal *number)
{
    if (!at_any(text, *at, 'e', 'E'))
        return true;
    size_t first = *at + 1;
    bool negative = at_any(text, first, '-', '-');
    if (at_any(text, first, '-', '+'))
        first++;
    int64_t exponent = 0;
    for (*at = first; at_digit(text, *at); ++*at)
        if (exponent < EXPONENT_FAR)
            exponent = exponent * 10 + (text.text[*at] - '0');
    number->exponent += negative ? -exponent : exponent;
    return *at > first;
}

static bool scan_decimal(struct kvc_span text, struct decimal *number)
{
    size_t first = at_any(text, 0, '-', '+') ? 1 : 0;
    size_t point = take_digits(text, first, false, number);
    size_t at = point;
    if (at_any(text, point, '.', '.'))
        at = take_digits(text, point + 1, true, number);
    bool has_digits = point > first || at > point + 1;
    number->negative = at_any(text, 0, '-', '-');
    return has_digits && take_exponent(text, &at, number) && at == text.length;
}

/* above / below, rounded into the layout; neither is 0.
 *
 * Both are brought to the same width, so that above / below lies between 1/2 and 2; each step of
 * the long division then gives one bit.  66 steps give 65 bits or 66, and what is left over is
 * jammed. */
static uint64_t pack_ratio(const struct layout *layout, bool negative, struct big *above,
                           struct big *below)
{
    enum { STEPS = 66 };
    int32_t shift = (int32_t)big_width(below) - (int32_t)big_width(above);
    big_shift_left(above, shift > 0 ? (uint32_t)shift : 0);
    big_shift_left(below, shift < 0 ? (uint32_t)-shift : 0);
    wide quotient = 0;
    for (int i = 0; i < STEPS; i++) {
        bool goes = big_compare(above, below) >= 0;
        if (goes)
            big_subtract(above, below);
        quotient = quotient << 1 | goes;
        big_shift_left(above, 1);
    }
    quotient |= above->count != 0;
    return pack(layout, negative, quotient, -shift - (STEPS - 1));
}

static uint64_t pack_decimal(const struct layout *layout, struct decimal *number)
{
    if (number->rest) {
        big_multiply_add(&number->digits, 10, 1);
        number->kept++;
        number->exponent--;
    }
    int64_t point = number->exponent + number->kept; /* the value is 10^(point-1) or more */
    if (number->kept == 0 || point < POINT_MIN)
        return pack_sign(layout, number->negative);
    if (point > POINT_MAX)
        return pack_infinity(layout, number->negative);
    struct big below;
    big_set(&below, 1);
    if (number->exponent < 0)
        big_multiply_ten_to(&below, (uint32_t)-number->exponent);
    else
        big_multiply_ten_to(&number->digits, (uint32_t)number->exponent);
    return pack_ratio(layout, number->negative, &number->digits, &below);
}

static bool parse(const struct layout *layout, struct kvc_span text, uint64_t *ret_bits)
{
    struct decimal number;
    number.rest = false;
    number.kept = 0;
    number.exponent = 0;
    big_set(&number.digits, 0);
    if (!scan_decimal(text, &number))
        return false;
    *ret_bits = pack_decimal(layout, &number);
    return true;
}

bool kvc_f64_from_text(struct kvc_span text, struct kvc_f64 *ret_value)
{
    return parse(&F64, text, &ret_value->bits);
}

bool kvc_f32_from_text(struct kvc_span text, struct kvc_f32 *ret_value)
{
    uint64_t bits;
    if (!parse(&F32, text, &bits))
        return false;
    ret_value->bits = (uint32_t)bits;
    return true;
}

/* ---- To so many decimal places ------------------------------------------------------------- */

static uint32_t limit_places(uint32_t places)
{
    return places < KVC_F64_PLACES_MAX ? places : KVC_F64_PLACES_MAX;
}

/* |x| * 10^places to the nearest integer, for an x that has bits below the point: under 2^83. */
static wide count_places(struct number x, uint32_t places)
{
    return shift_to_nearest((wide)x.significand * TEN_TO[places], (uint32_t)-x.exponent);
}

struct kvc_f64 kvc_f64_round(struct kvc_f64 x, uint32_t places)
{
    struct number value = unpack(&F64, x.bits);
    if (value.kind != FINITE || value.exponent >= 0)
        return x;
    places = limit_places(places);
    wide count = count_places(value, places);
    uint32_t shift = 127 - width_of(count);
    wide quotient = count == 0 ? 0 : divide_and_jam(count << shift, TEN_TO[places]);
    return (struct kvc_f64){ pack(&F64, value.negative, quotient, -(int32_t)shift) };
}

/* ---- To text ------------------------------------------------------------------------------- */

static char *put(char *to, const char *text, size_t length)
{
    memcpy(to, text, length);
    return to + length;
}

static char *put_zeros(char *to, size_t count)
{
    memset(to, '0', count);
    return to + count;
}

static size_t end_text(char *text, char *end)
{
    *end = '\0';
    return (size_t)(end - text);
}

static char *put_sign(char *to, struct number value)
{
    return value.negative && value.kind != NOT_A_NUMBER ? put(to, "-", 1) : to;
}

static char *put_word(char *to, enum kind kind)
{
    return put(to, kind == INFINITE ? "inf" : "nan", 3);
}

/* The most that kvc_f64_fixed writes: 309 digits and the places, in whole limbs of digits. */
enum { DECIMAL_ROOM = 18 * TENS_A_LIMB };

/* Writes a backwards from `end`, with at least `digits_min` digits; a is used up.  Returns the
 * first digit. */
static char *write_before(char *end, struct big *a, size_t digits_min)
{
    char *at = end;
    while (a->count > 0) {
        uint64_t rest = big_divide(a, TEN_TO[TENS_A_LIMB]);
        for (uint32_t i = 0; i < TENS_A_LIMB && (a->count > 0 || rest > 0); i++, rest /= 10)
            *--at = (char)('0' + rest % 10);
    }
    while ((size_t)(end - at) < digits_min)
        *--at = '0';
    return at;
}

size_t kvc_f64_fixed(struct kvc_f64 x, uint32_t places, char ret_text[static KVC_F64_FIXED_ROOM])
{
    struct number value = unpack(&F64, x.bits);
    char *at = put_sign(ret_text, value);
    if (value.kind != FINITE)
        return end_text(ret_text, put_word(at, value.kind));

    places = limit_places(places);
    struct big count;
    big_set(&count, value.exponent < 0 ? count_places(value, places) : value.significand);
    if (value.exponent >= 0) {
        big_shift_left(&count, (uint32_t)value.exponent);
        big_multiply_ten_to(&count, places);
    }
    char digits[DECIMAL_ROOM];
    char *end = digits + sizeof digits;
    char *first = write_before(end, &count, (size_t)places + 1);
    at = put(at, first, (size_t)(end - first) - places);
    if (places > 0)
        at = put(put(at, ".", 1), end - places, places);
    return end_text(ret_text, at);
}

/* ---- Shortest digits ----------------------------------------------------------------------- */

/* How far the digits have come.  All are over the same unit, and the value is at / unit:
 *
 *          x - low            x            x + high
 *     --------|---------------|---------------|--------    what lies between reads back as x;
 *                  half way to the neighbours              the two ends do when x is even
 */
struct shortener {
    struct big at, unit, low, high;
    bool even;     /* whether the ends belong to x */
    int32_t power; /* the next digit counts 10^power */
};

static void times_ten(struct shortener *s)
{
    big_multiply_add(&s->at, 10, 0);
    big_multiply_add(&s->low, 10, 0);
    big_multiply_add(&s->high, 10, 0);
}

/* Sets up x over 4, so that a quarter of the last bit is a whole number: at the bottom of a binade
 * the neighbour below is only half as far away as the one above. */
static void spread(struct shortener *s, struct number x)
{
    bool narrow = x.significand == bit(F64.fraction_bits) && x.exponent > F64.lowest;
    big_set(&s->at, (wide)x.significand * 4);
    big_set(&s->unit, 4);
    big_set(&s->low, narrow ? 1 : 2);
    big_set(&s->high, 2);
    s->even = (x.significand & 1) == 0;
    uint32_t up = x.exponent > 0 ? (uint32_t)x.exponent : 0;
    big_shift_left(&s->at, up);
    big_shift_left(&s->low, up);
    big_shift_left(&s->high, up);
    big_shift_left(&s->unit, x.exponent < 0 ? (uint32_t)-x.exponent : 0);
}

/* Brings at / unit to 1 or more and under 10.  The guess at log10 may be off by one or two, either
 * way; the two loops mend it. */
static void align(struct shortener *s, struct number x)
{
    int32_t log2 = x.exponent + (int32_t)width_of(x.significand) - 1;
    s->power = log2 * 1233 / 4096 - (log2 < 0);
    if (s->power > 0)
        big_multiply_ten_to(&s->unit, (uint32_t)s->power);
    for (int32_t i = s->power; i < 0; i++)
        times_ten(s);
    for (; big_compare(&s->at, &s->unit) < 0; s->power--)
        times_ten(s);
    struct big ten_units;
    big_copy(&ten_units, &s->unit);
    big_multiply_add(&ten_units, 10, 0);
    for (; big_compare(&s->at, &ten_units) >= 0; s->power++) {
        big_copy(&s->unit, &ten_units);
        big_multiply_add(&ten_units, 10, 0);
    }
}

static uint32_t next_digit(struct shortener *s)
{
    uint32_t digit = 0;
    for (; big_compare(&s->at, &s->unit) >= 0; digit++)
        big_subtract(&s->at, &s->unit);
    return digit;
}

/* Whether the digits so far read back as x. */
static bool may_stop_below(const struct shortener *s)
{
    return big_compare(&s->at, &s->low) < s->even;
}

/* Whether they do with the last digit one higher. */
static bool may_stop_above(const struct shortener *s)
{
    struct big reach;
    big_copy(&reach, &s->at);
    big_add(&reach, &s->high);
    return big_compare(&reach, &s->unit) > -(int)s->even;
}

static bool is_above_nearer(const struct shortener *s, uint32_t digit)
{
    struct big twice;
    big_copy(&twice, &s->at);
    big_add(&twice, &s->at);
    return big_compare(&twice, &s->unit) > -(int)(digit & 1);
}

/* Steele and White's digits, as David Gay's dtoa (mode 0) gives them to Python.  Writes at most 17
 * digits, returns how many; *ret_power is the power of ten of the first.
 *
 * A last digit of 9 that goes up can only be the first one (then 1 of the next power): had x been
 * so near to a round number, the digit before would have stopped above already. */
static size_t shorten(struct number x, char *digits, int32_t *ret_power)
{
    struct shortener s;
    spread(&s, x);
    align(&s, x);
    *ret_power = s.power;
    for (size_t count = 0;; count++) {
        uint32_t digit = next_digit(&s);
        bool below = may_stop_below(&s), above = may_stop_above(&s);
        bool up = above && (!below || is_above_nearer(&s, digit));
        bool carries = up && digit == 9;
        *ret_power += carries;
        digits[count] = (char)(carries ? '1' : '0' + digit + up);
        if (below || above)
            return count + 1;
        times_ten(&s);
    }
}

static char *put_exponent(char *to, int32_t power)
{
    to = put(to, power < 0 ? "e-" : "e+", 2);
    uint32_t size = power < 0 ? (uint32_t)-power : (uint32_t)power;
    if (size >= 100)
        *to++ = (char)('0' + size / 100);
    *to++ = (char)('0' + size / 10 % 10);
    *to++ = (char)('0' + size % 10);
    return to;
}

static char *put_scientific(char *to, const char *digits, size_t count, int32_t power)
{
    to = put(to, digits, 1);
    if (count > 1)
        to = put(put(to, ".", 1), digits + 1, count - 1);
    return put_exponent(to, power);
}

static char *put_below_one(char *to, const char *digits, size_t count, int32_t power)
{
    to = put_zeros(put(to, "0.", 2), (size_t)(-1 - power));
    return put(to, digits, count);
}

static char *put_positional(char *to, const char *digits, size_t count, int32_t power)
{
    size_t whole = (size_t)power + 1;
    if (count <= whole) {
        to = put_zeros(put(to, digits, count), whole - count);
        return put(to, ".0", 2);
    }
    to = put(put(to, digits, whole), ".", 1);
    return put(to, digits + whole, count - whole);
}

size_t kvc_f64_repr(struct kvc_f64 x, char ret_text[static KVC_F64_REPR_ROOM])
{
    struct number value = unpack(&F64, x.bits);
    char *at = put_sign(ret_text, value);
    if (value.kind != FINITE)
        return end_text(ret_text, put_word(at, value.kind));
    char digits[17] = "0";
    int32_t power = 0;
    size_t count = is_zero(value) ? 1 : shorten(value, digits, &power);
    if (power < -4 || power >= 16)
        at = put_scientific(at, digits, count, power);
    else if (power < 0)
        at = put_below_one(at, digits, count, power);
    else
        at = put_positional(at, digits, count, power);
    return end_text(ret_text, at);
}
