/* decimal.c - see decimal.h for the room and its promises.
 *
 * Values are exact, as big integers, up to the one place that rounds: on the way in that is
 * kvc_f64_pack() or kvc_f32_pack(), on the way out the last digit.
 */

#include "base/decimal.h"

#include <string.h>

#include "base/wide.h"

/* ---- Powers of ten ------------------------------------------------------------------------- */

/* clang-format off */
static const uint64_t TEN_TO[] = {
    UINT64_C(1), UINT64_C(10), UINT64_C(100), UINT64_C(1000), UINT64_C(10000), UINT64_C(100000),
    UINT64_C(1000000), UINT64_C(10000000), UINT64_C(100000000), UINT64_C(1000000000),
    UINT64_C(10000000000), UINT64_C(100000000000), UINT64_C(1000000000000),
    UINT64_C(10000000000000), UINT64_C(100000000000000), UINT64_C(1000000000000000),
    UINT64_C(10000000000000000), UINT64_C(100000000000000000), UINT64_C(1000000000000000000),
    UINT64_C(10000000000000000000)
};
/* clang-format on */

enum { TENS_A_LIMB = 19 };

static void multiply_ten_to(struct kvc_big *a, uint32_t power)
{
    for (; power > TENS_A_LIMB; power -= TENS_A_LIMB)
        kvc_big_multiply_add(a, TEN_TO[TENS_A_LIMB], 0);
    kvc_big_multiply_add(a, TEN_TO[power], 0);
}

/* ---- From decimal text --------------------------------------------------------------------- */

/* No double, and no point half way between two, has more than 767 significant digits.  So of the
 * digits after the first 800 only this matters: whether any of them is not 0.  One digit 1 then
 * stands for them all.  Values of 10^310 and above are infinite, those under 10^-330 are zero, and
 * the largest power of ten that is left divides 801 digits down to there. */
enum { DIGITS_KEPT = 800, POINT_MAX = 310, POINT_MIN = -330 };

/* 10^n has fewer than 10n / 3 + 1 bits; the division moves it up by one more. */
_Static_assert((DIGITS_KEPT + 1 - POINT_MIN) * 10 / 3 + 2 < KVC_BIG_BITS, "decimals fit a big");

#define EXPONENT_FAR INT64_C(100000000000000000) /* more than any text has digits to make up for */

/* digits * 10^exponent */
struct decimal {
    bool negative;
    bool rest;     /* a digit other than 0 came after those kept */
    uint32_t kept; /* digits kept, from the first that is not 0 */
    int64_t exponent;
    struct kvc_big digits;
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
        kvc_big_multiply_add(&number->digits, 10, digit);
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

/* (-1)^negative * significand * 2^exponent, to be packed into either format.  The significand is
 * exact, or has 65 bits or 66, of which the last is jammed. */
struct unrounded {
    bool negative;
    int32_t exponent;
    kvc_u128 significand;
};

/* above / below; neither is 0.
 *
 * Both are brought to the same width, so that above / below lies between 1/2 and 2; each step of
 * the long division then gives one bit.  66 steps give 65 bits or 66, and what is left over is
 * jammed. */
static struct unrounded divide(bool negative, struct kvc_big *above, struct kvc_big *below)
{
    enum { STEPS = 66 };
    int32_t shift = (int32_t)kvc_big_width(below) - (int32_t)kvc_big_width(above);
    kvc_big_shift_left(above, shift > 0 ? (uint32_t)shift : 0);
    kvc_big_shift_left(below, shift < 0 ? (uint32_t)-shift : 0);
    kvc_u128 quotient = 0;
    for (int i = 0; i < STEPS; i++) {
        bool goes = kvc_big_compare(above, below) >= 0;
        if (goes)
            kvc_big_subtract(above, below);
        quotient = quotient << 1 | goes;
        kvc_big_shift_left(above, 1);
    }
    quotient |= above->count != 0;
    return (struct unrounded){
        .negative = negative,
        .exponent = -shift - (STEPS - 1),
        .significand = quotient,
    };
}

/* What is too small for either format becomes 0; what is too large for either becomes 2^1024, which
 * is packed as an infinity. */
static struct unrounded to_binary(struct decimal *number)
{
    if (number->rest) {
        kvc_big_multiply_add(&number->digits, 10, 1);
        number->kept++;
        number->exponent--;
    }
    int64_t point = number->exponent + number->kept; /* the value is 10^(point-1) or more */
    if (number->kept == 0 || point < POINT_MIN)
        return (struct unrounded){ .negative = number->negative };
    if (point > POINT_MAX)
        return (struct unrounded){
            .negative = number->negative,
            .exponent = 1024,
            .significand = 1,
        };
    struct kvc_big below;
    kvc_big_set(&below, 1);
    if (number->exponent < 0)
        multiply_ten_to(&below, (uint32_t)-number->exponent);
    else
        multiply_ten_to(&number->digits, (uint32_t)number->exponent);
    return divide(number->negative, &number->digits, &below);
}

static bool parse(struct kvc_span text, struct unrounded *ret_value)
{
    struct decimal number;
    number.rest = false;
    number.kept = 0;
    number.exponent = 0;
    kvc_big_set(&number.digits, 0);
    if (!scan_decimal(text, &number))
        return false;
    *ret_value = to_binary(&number);
    return true;
}

bool kvc_f64_from_text(struct kvc_span text, struct kvc_f64 *ret_value)
{
    struct unrounded value;
    if (!parse(text, &value))
        return false;
    *ret_value = kvc_f64_pack(value.negative, value.significand, value.exponent);
    return true;
}

bool kvc_f32_from_text(struct kvc_span text, struct kvc_f32 *ret_value)
{
    struct unrounded value;
    if (!parse(text, &value))
        return false;
    *ret_value = kvc_f32_pack(value.negative, value.significand, value.exponent);
    return true;
}

/* ---- To so many decimal places ------------------------------------------------------------- */

static uint32_t limit_places(uint32_t places)
{
    return places < KVC_F64_PLACES_MAX ? places : KVC_F64_PLACES_MAX;
}

/* |x| * 10^places to the nearest integer, for an x that has bits below the point: under 2^83. */
static kvc_u128 count_places(struct kvc_number x, uint32_t places)
{
    return kvc_wide_shift_to_nearest((kvc_u128)x.significand * TEN_TO[places],
                                     (uint32_t)-x.exponent);
}

struct kvc_f64 kvc_f64_round(struct kvc_f64 x, uint32_t places)
{
    struct kvc_number value = kvc_f64_unpack(x);
    if (value.kind != KVC_NUMBER_FINITE || value.exponent >= 0)
        return x;
    places = limit_places(places);
    kvc_u128 count = count_places(value, places);
    uint32_t shift = 127 - kvc_wide_width(count);
    kvc_u128 quotient = count == 0 ? 0 : kvc_wide_divide_and_jam(count << shift, TEN_TO[places]);
    return kvc_f64_pack(value.negative, quotient, -(int32_t)shift);
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

static char *put_sign(char *to, struct kvc_number value)
{
    return value.negative && value.kind != KVC_NUMBER_NAN ? put(to, "-", 1) : to;
}

static char *put_word(char *to, enum kvc_number_kind kind)
{
    return put(to, kind == KVC_NUMBER_INFINITE ? "inf" : "nan", 3);
}

/* The most that kvc_f64_fixed writes: 309 digits and the places, in whole limbs of digits. */
enum { DECIMAL_ROOM = 18 * TENS_A_LIMB };

/* Writes a backwards from `end`, with at least `digits_min` digits; a is used up.  Returns the
 * first digit. */
static char *write_before(char *end, struct kvc_big *a, size_t digits_min)
{
    char *at = end;
    while (a->count > 0) {
        uint64_t rest = kvc_big_divide(a, TEN_TO[TENS_A_LIMB]);
        for (uint32_t i = 0; i < TENS_A_LIMB && (a->count > 0 || rest > 0); i++, rest /= 10)
            *--at = (char)('0' + rest % 10);
    }
    while ((size_t)(end - at) < digits_min)
        *--at = '0';
    return at;
}

size_t kvc_f64_fixed(struct kvc_f64 x, uint32_t places, char ret_text[static KVC_F64_FIXED_ROOM])
{
    struct kvc_number value = kvc_f64_unpack(x);
    char *at = put_sign(ret_text, value);
    if (value.kind != KVC_NUMBER_FINITE)
        return end_text(ret_text, put_word(at, value.kind));

    places = limit_places(places);
    struct kvc_big count;
    kvc_big_set(&count, value.exponent < 0 ? count_places(value, places) : value.significand);
    if (value.exponent >= 0) {
        kvc_big_shift_left(&count, (uint32_t)value.exponent);
        multiply_ten_to(&count, places);
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
    struct kvc_big at, unit, low, high;
    bool even;     /* whether the ends belong to x */
    int32_t power; /* the next digit counts 10^power */
};

static void times_ten(struct shortener *s)
{
    kvc_big_multiply_add(&s->at, 10, 0);
    kvc_big_multiply_add(&s->low, 10, 0);
    kvc_big_multiply_add(&s->high, 10, 0);
}

/* Sets up x over 4, so that a quarter of the last bit is a whole number: at the bottom of a binade
 * the neighbour below is only half as far away as the one above. */
static void spread(struct shortener *s, struct kvc_number x)
{
    bool narrow =
        x.significand == UINT64_C(1) << KVC_F64_FRACTION_BITS && x.exponent > KVC_F64_EXPONENT_MIN;
    kvc_big_set(&s->at, (kvc_u128)x.significand * 4);
    kvc_big_set(&s->unit, 4);
    kvc_big_set(&s->low, narrow ? 1 : 2);
    kvc_big_set(&s->high, 2);
    s->even = (x.significand & 1) == 0;
    uint32_t up = x.exponent > 0 ? (uint32_t)x.exponent : 0;
    kvc_big_shift_left(&s->at, up);
    kvc_big_shift_left(&s->low, up);
    kvc_big_shift_left(&s->high, up);
    kvc_big_shift_left(&s->unit, x.exponent < 0 ? (uint32_t)-x.exponent : 0);
}

/* Brings at / unit to 1 or more and under 10.  The guess at log10 may be off by one or two, either
 * way; the two loops mend it. */
static void align(struct shortener *s, struct kvc_number x)
{
    int32_t log2 = x.exponent + (int32_t)kvc_wide_width(x.significand) - 1;
    s->power = log2 * 1233 / 4096 - (log2 < 0);
    if (s->power > 0)
        multiply_ten_to(&s->unit, (uint32_t)s->power);
    for (int32_t i = s->power; i < 0; i++)
        times_ten(s);
    for (; kvc_big_compare(&s->at, &s->unit) < 0; s->power--)
        times_ten(s);
    struct kvc_big ten_units;
    kvc_big_copy(&ten_units, &s->unit);
    kvc_big_multiply_add(&ten_units, 10, 0);
    for (; kvc_big_compare(&s->at, &ten_units) >= 0; s->power++) {
        kvc_big_copy(&s->unit, &ten_units);
        kvc_big_multiply_add(&ten_units, 10, 0);
    }
}

static uint32_t next_digit(struct shortener *s)
{
    uint32_t digit = 0;
    for (; kvc_big_compare(&s->at, &s->unit) >= 0; digit++)
        kvc_big_subtract(&s->at, &s->unit);
    return digit;
}

/* Whether the digits so far read back as x. */
static bool may_stop_below(const struct shortener *s)
{
    return kvc_big_compare(&s->at, &s->low) < s->even;
}

/* Whether they do with the last digit one higher. */
static bool may_stop_above(const struct shortener *s)
{
    struct kvc_big reach;
    kvc_big_copy(&reach, &s->at);
    kvc_big_add(&reach, &s->high);
    return kvc_big_compare(&reach, &s->unit) > -(int)s->even;
}

static bool is_above_nearer(const struct shortener *s, uint32_t digit)
{
    struct kvc_big twice;
    kvc_big_copy(&twice, &s->at);
    kvc_big_add(&twice, &s->at);
    return kvc_big_compare(&twice, &s->unit) > -(int)(digit & 1);
}

/* Steele and White's digits, as David Gay's dtoa (mode 0) gives them to Python.  Writes at most 17
 * digits, returns how many; *ret_power is the power of ten of the first.
 *
 * A last digit of 9 that goes up can only be the first one (then 1 of the next power): had x been
 * so near to a round number, the digit before would have stopped above already. */
static size_t shorten(struct kvc_number x, char *digits, int32_t *ret_power)
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
    struct kvc_number value = kvc_f64_unpack(x);
    char *at = put_sign(ret_text, value);
    if (value.kind != KVC_NUMBER_FINITE)
        return end_text(ret_text, put_word(at, value.kind));
    char digits[17] = "0";
    int32_t power = 0;
    size_t count = value.significand == 0 ? 1 : shorten(value, digits, &power);
    if (power < -4 || power >= 16)
        at = put_scientific(at, digits, count, power);
    else if (power < 0)
        at = put_below_one(at, digits, count, power);
    else
        at = put_positional(at, digits, count, power);
    return end_text(ret_text, at);
}
