/* unit.c - see unit.h for the room and its promises. */

#include "base/unit.h"

#include <inttypes.h>
#include <stdio.h>

struct unit_row {
    const char *name;
    uint64_t bytes;
};

static const struct unit_row BYTE_UNITS[] = {
    { "", 1 },
    { "B", 1 },
    { "KiB", UINT64_C(1) << 10 },
    { "MiB", UINT64_C(1) << 20 },
    { "GiB", UINT64_C(1) << 30 },
    { "TiB", UINT64_C(1) << 40 },
    { "KB", 1000 },
    { "MB", 1000000 },
    { "GB", 1000000000 },
    { "TB", UINT64_C(1000000000000) },
};

static const struct unit_row COUNT_UNITS[] = {
    { "", 1 },
    { "k", UINT64_C(1) << 10 },
    { "K", UINT64_C(1) << 10 },
    { "m", UINT64_C(1) << 20 },
    { "M", UINT64_C(1) << 20 },
};

static size_t digits_from(struct kvc_span text, size_t begin)
{
    size_t end = begin;
    while (end < text.length && text.text[end] >= '0' && text.text[end] <= '9')
        end++;
    return end;
}

static struct kvc_span part(struct kvc_span text, size_t begin, size_t end)
{
    return (struct kvc_span){ .text = text.text + begin, .length = end - begin };
}

/* The fraction's digits as an exact number of `unit` parts: 0.5 of 1024 is 512; 0.3 of it is not
 * whole and refused.  More than 18 digits cannot be needed: 2^40 has 40 binary places, but no
 * person writes them, and 10^18 is the last power of ten below 2^64. */
static bool fraction_of(struct kvc_span digits, uint64_t unit, uint64_t *ret_part)
{
    if (digits.length == 0 || digits.length > 18)
        return false;
    uint64_t numerator = 0, denominator = 1;
    for (size_t i = 0; i < digits.length; i++) {
        numerator = numerator * 10 + (uint64_t)(digits.text[i] - '0');
        denominator *= 10;
    }
    kvc_u128 product = (kvc_u128)numerator * unit;
    *ret_part = (uint64_t)(product / denominator);
    return product % denominator == 0;
}

static bool quantity(struct kvc_span text, const struct unit_row *units, size_t units_count,
                     uint64_t *ret_value)
{
    if (text.length == 0)
        return false; /* its text may be NULL */
    size_t whole_end = digits_from(text, 0);
    size_t number_end = whole_end;
    if (whole_end < text.length && text.text[whole_end] == '.')
        number_end = digits_from(text, whole_end + 1);
    size_t unit_begin = number_end;
    if (unit_begin > 0 && unit_begin + 1 < text.length && text.text[unit_begin] == ' ')
        unit_begin++;
    struct kvc_span unit_text = part(text, unit_begin, text.length);

    for (size_t i = 0; i < units_count; i++) {
        if (!kvc_span_is(unit_text, units[i].name))
            continue;
        if (unit_text.length == 0 && number_end > whole_end)
            return false; /* a part of a byte, however it is written */
        uint64_t whole, fraction = 0;
        if (!kvc_span_u64(part(text, 0, whole_end), &whole))
            return false;
        if (number_end > whole_end &&
            !fraction_of(part(text, whole_end + 1, number_end), units[i].bytes, &fraction))
            return false;
        return !__builtin_mul_overflow(whole, units[i].bytes, ret_value) &&
               !__builtin_add_overflow(*ret_value, fraction, ret_value);
    }
    return false;
}

#define ROWS_OF(table) (sizeof(table) / sizeof((table)[0]))

kvcap_code kvc_unit_bytes(struct kvc_span text, const char *at, uint64_t *ret_bytes,
                          kvcap_error *err)
{
    uint64_t bytes;
    if (!quantity(text, BYTE_UNITS, ROWS_OF(BYTE_UNITS), &bytes))
        return kvc_fail(err, KVC_USAGE_BAD_VALUE, at,
                        "\"%.*s\" is not a whole number of bytes such as 80GiB or 4096",
                        (int)(text.length < 40 ? text.length : 40), text.text);
    *ret_bytes = bytes;
    return KVCAP_OK;
}

kvcap_code kvc_unit_count(struct kvc_span text, const char *at, uint64_t *ret_count,
                          kvcap_error *err)
{
    uint64_t count;
    if (!quantity(text, COUNT_UNITS, ROWS_OF(COUNT_UNITS), &count))
        return kvc_fail(err, KVC_USAGE_BAD_VALUE, at,
                        "\"%.*s\" is not a count such as 4096 or 128k",
                        (int)(text.length < 40 ? text.length : 40), text.text);
    *ret_count = count;
    return KVCAP_OK;
}

/* bytes * 1000 / 2^shift, to nearest, ties to even. */
static uint64_t thousandths_of(uint64_t bytes, unsigned shift)
{
    kvc_u128 scaled = (kvc_u128)bytes * 1000;
    uint64_t thousandths = (uint64_t)(scaled >> shift);
    kvc_u128 rest = scaled - ((kvc_u128)thousandths << shift), half = (kvc_u128)1 << (shift - 1);
    if (rest > half || (rest == half && thousandths % 2 == 1))
        thousandths++;
    return thousandths;
}

void kvc_unit_gib(uint64_t bytes, char ret_text[KVC_UNIT_ROOM])
{
    uint64_t thousandths = thousandths_of(bytes, 30);
    snprintf(ret_text, KVC_UNIT_ROOM, "%" PRIu64 ".%03u", thousandths / 1000,
             (unsigned)(thousandths % 1000));
}

void kvc_unit_readable(uint64_t bytes, char ret_text[KVC_UNIT_ROOM])
{
    static const char *const NAMES[] = { "B", "KiB", "MiB", "GiB", "TiB" };
    unsigned step = 0;
    while (step < 4 && bytes >> (10 * (step + 1)) != 0)
        step++;
    if (step == 0) {
        snprintf(ret_text, KVC_UNIT_ROOM, "%" PRIu64 " B", bytes);
        return;
    }
    uint64_t thousandths = thousandths_of(bytes, 10 * step);
    unsigned decimals = (unsigned)(thousandths % 1000), digits = 3;
    for (; digits > 0 && decimals % 10 == 0; digits--)
        decimals /= 10;
    if (digits == 0)
        snprintf(ret_text, KVC_UNIT_ROOM, "%" PRIu64 " %s", thousandths / 1000, NAMES[step]);
    else
        snprintf(ret_text, KVC_UNIT_ROOM, "%" PRIu64 ".%0*u %s", thousandths / 1000, (int)digits,
                 decimals, NAMES[step]);
}

void kvc_unit_exact(uint64_t bytes, char ret_text[KVC_UNIT_ROOM])
{
    static const char *const NAMES[] = { "B", "KiB", "MiB", "GiB", "TiB" };
    unsigned step = 0;
    uint64_t value = bytes;
    while (step < 4 && value != 0 && value % 1024 == 0) {
        value /= 1024;
        step++;
    }
    snprintf(ret_text, KVC_UNIT_ROOM, "%" PRIu64 " %s", value, NAMES[step]);
}

void kvc_unit_thousands(uint64_t value, char ret_text[KVC_UNIT_ROOM])
{
    char digits[KVC_UNIT_ROOM];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, value);
    char *out = ret_text;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *out++ = ',';
        *out++ = digits[i];
    }
    *out = '\0';
}
