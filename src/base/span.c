/* span.c - see span.h for the room and its promises. */

#include "base/span.h"

#include <string.h>

bool kvc_span_ends(struct kvc_span a, const char *c_string)
{
    size_t length = strlen(c_string);
    return a.length >= length &&
           (length == 0 || memcmp(a.text + a.length - length, c_string, length) == 0);
}

int kvc_span_compare(struct kvc_span a, struct kvc_span b)
{
    size_t shared = a.length < b.length ? a.length : b.length;
    int order = shared == 0 ? 0 : memcmp(a.text, b.text, shared);
    if (order != 0)
        return order;
    return a.length < b.length ? -1 : a.length > b.length;
}

bool kvc_span_u64(struct kvc_span a, uint64_t *ret_value)
{
    if (a.length == 0 || (a.text[0] == '0' && a.length > 1))
        return false;
    uint64_t value = 0;
    for (size_t i = 0; i < a.length; i++) {
        unsigned digit = (unsigned)(unsigned char)a.text[i] - '0';
        if (digit > 9 || __builtin_mul_overflow(value, 10u, &value) ||
            __builtin_add_overflow(value, digit, &value))
            return false;
    }
    *ret_value = value;
    return true;
}

static unsigned byte_at(struct kvc_span a, size_t i)
{
    return (unsigned char)a.text[i];
}

/* ---- Eight bytes at once. */

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* The top bit of each byte that is 0; of ASCII no other is set, for nothing is carried into a byte below
 * the first 0. */
static uint64_t zeros_of(uint64_t word)
{
    return (word - EACH(1)) & ~word & EACH(0x80);
}

/* Not 0 where some byte is not plain: a top bit, below a blank, a quote, a backslash, DEL. */
static uint64_t odd_ones_of(uint64_t word)
{
    return (((word - EACH(0x20)) | word) & EACH(0x80)) | zeros_of(word ^ EACH('"')) |
           zeros_of(word ^ EACH('\\')) | zeros_of(word ^ EACH(0x7F));
}

size_t kvc_span_plain_until(struct kvc_span a, size_t from)
{
    uint64_t word;
    size_t i = from;
    for (; i + sizeof word <= a.length; i += sizeof word) {
        memcpy(&word, a.text + i, sizeof word);
        if (odd_ones_of(word) != 0)
            break;
    }
    while (i < a.length && byte_at(a, i) >= ' ' && byte_at(a, i) < 0x7F && a.text[i] != '"' &&
           a.text[i] != '\\')
        i++;
    return i;
}

/* Bytes of the well-formed sequence that begins at `i`, or 0.  The bounds of the second byte are
 * those of Unicode's table 3-7: they are what excludes overlong forms and surrogates. */
static size_t sequence_length(struct kvc_span a, size_t i)
{
    unsigned lead = byte_at(a, i);
    if (lead < 0x80)
        return 1;
    size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    if (length == 0 || a.length - i < length)
        return 0;
    unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (byte_at(a, i + 1) < low || byte_at(a, i + 1) > high)
        return 0;
    for (size_t k = 2; k < length; k++) {
        if ((byte_at(a, i + k) & 0xC0) != 0x80)
            return 0;
    }
    return length;
}

bool kvc_span_is_utf8(struct kvc_span a, size_t *ret_offset)
{
    for (size_t i = kvc_span_plain_until(a, 0); i < a.length;) {
        size_t length = sequence_length(a, i);
        if (length == 0) {
            if (ret_offset != NULL)
                *ret_offset = i;
            return false;
        }
        i += length;
    }
    return true;
}

uint32_t kvc_span_code_point(struct kvc_span a, size_t *offset)
{
    unsigned lead = byte_at(a, *offset);
    size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    uint32_t point = length == 1 ? lead : lead & (0x7Fu >> length);
    for (size_t k = 1; k < length; k++)
        point = point << 6 | (byte_at(a, *offset + k) & 0x3F);
    *offset += length;
    return point;
}

#define DISTANCE_MAX 64

unsigned kvc_span_distance(struct kvc_span a, struct kvc_span b)
{
    if (a.length > DISTANCE_MAX || b.length > DISTANCE_MAX)
        return DISTANCE_MAX;

    /* Three rows of the edit table are enough: a swap of neighbours looks two rows back. */
    unsigned rows[3][DISTANCE_MAX + 1];
    for (size_t j = 0; j <= b.length; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= a.length; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b.length; j++) {
            unsigned replaced = above[j - 1] + (a.text[i - 1] != b.text[j - 1]);
            unsigned best = above[j] + 1 < row[j - 1] + 1 ? above[j] + 1 : row[j - 1] + 1;
            best = replaced < best ? replaced : best;
            if (i > 1 && j > 1 && a.text[i - 1] == b.text[j - 2] &&
                a.text[i - 2] == b.text[j - 1] && above2[j - 2] + 1 < best)
                best = above2[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[a.length % 3][b.length];
}
