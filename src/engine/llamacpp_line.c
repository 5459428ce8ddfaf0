/* llamacpp_line.c - see llamacpp_line.h for the room and its promises. */

#include "engine/llamacpp_line.h"

#include <string.h>

#include "base/ieee.h"

void kvc_llamacpp_put_text(struct kvc_llamacpp_line *line, const char *text)
{
    size_t length = strlen(text);
    if (length > sizeof line->text - line->length)
        length = sizeof line->text - line->length;
    memcpy(line->text + line->length, text, length);
    line->length += length;
}

void kvc_llamacpp_put_padded(struct kvc_llamacpp_line *line, const char *text, size_t width)
{
    size_t end = line->length + width;
    kvc_llamacpp_put_text(line, text);
    if (end > sizeof line->text)
        end = sizeof line->text;
    if (line->length < end) {
        memset(line->text + line->length, ' ', end - line->length);
        line->length = end;
    }
}

void kvc_llamacpp_put_count(struct kvc_llamacpp_line *line, uint64_t count, size_t width)
{
    char digits[24];
    size_t at = sizeof digits - 1;
    digits[at] = '\0';
    do {
        digits[--at] = (char)('0' + count % 10);
        count /= 10;
    } while (count > 0);
    while (at > 0 && sizeof digits - 1 - at < width)
        digits[--at] = ' ';
    kvc_llamacpp_put_text(line, digits + at);
}

void kvc_llamacpp_put_mib(struct kvc_llamacpp_line *line, uint64_t bytes, size_t width)
{
    kvc_u128 hundreds = (kvc_u128)bytes * 100;
    uint64_t whole = (uint64_t)(hundreds >> 20), rest = (uint64_t)(hundreds & 0xFFFFF);
    whole += rest > 0x80000 || (rest == 0x80000 && whole % 2 == 1);
    char cents[4] = { '.', (char)('0' + whole / 10 % 10), (char)('0' + whole % 10), '\0' };
    kvc_llamacpp_put_count(line, whole / 100, width - 3);
    kvc_llamacpp_put_text(line, cents);
}

void kvc_llamacpp_put_float_mib(struct kvc_llamacpp_line *line, uint64_t bytes)
{
    uint64_t rounded = bytes; /* below 2^24 a float has every integer */
    if (bytes >= UINT64_C(1) << 24)
        kvc_f64_truncate(kvc_f64_from_f32(kvc_f32_from_u64(bytes)), &rounded);
    kvc_llamacpp_put_mib(line, rounded, 7);
}
