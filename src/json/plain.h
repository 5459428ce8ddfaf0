/* plain.h - how much of a text stands for itself in a JSON string.
 *
 * Room:   json/ - pure.
 * In:     bytes.
 * Out:    how many of them, from the first on, are no quote, no backslash and no control character.
 * Knows:  nothing.
 *
 * Eight bytes at a time: strings are most of what is read and written, and nearly all of them are plain.
 * Above 0x7F everything is plain here; whether it is UTF-8 is another question.
 */
#ifndef KVC_JSON_PLAIN_H
#define KVC_JSON_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define KVC_EACH_BYTE UINT64_C(0x0101010101010101)

static inline bool kvc_is_plain(char c)
{
    return (unsigned char)c >= 0x20 && c != '"' && c != '\\';
}

/* The high bit of a byte that is 0 in `word`; perhaps also of one that follows it. */
static inline uint64_t kvc_zero_bytes(uint64_t word)
{
    return (word - KVC_EACH_BYTE) & ~word & (KVC_EACH_BYTE << 7);
}

static inline size_t kvc_plain_length(const char *text, size_t length)
{
    size_t at = 0;
    uint64_t word;
    for (; length - at >= sizeof word; at += sizeof word) {
        memcpy(&word, text + at, sizeof word);
        uint64_t controls = (word - KVC_EACH_BYTE * 0x20) & ~word & (KVC_EACH_BYTE << 7);
        if ((controls | kvc_zero_bytes(word ^ (KVC_EACH_BYTE * '"')) |
             kvc_zero_bytes(word ^ (KVC_EACH_BYTE * '\\'))) != 0)
            break;
    }
    while (at < length && kvc_is_plain(text[at]))
        at++;
    return at;
}

#endif /* KVC_JSON_PLAIN_H */
