/* span.h - text as pointer and length.
 *
 * Room:   base/ - pure.
 * In:     bytes that somebody else owns.
 * Out:    comparisons, pieces, integers.
 * Knows:  nothing.
 *
 * What we read is never NUL-terminated and may hold a NUL, so no string function of the C library
 * is used on it.
 */
#ifndef KVC_BASE_SPAN_H
#define KVC_BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct kvc_span {
    const char *text; /* borrowed; may be NULL when length is 0 */
    size_t length;    /* bytes */
};

/* A literal or other C string as a span.  This and the comparisons with one stand here, so that the length
 * of a literal is known where it is used: keys are, all the time. */
static inline struct kvc_span kvc_span_of(const char *c_string)
{
    return (struct kvc_span){ .text = c_string, .length = strlen(c_string) };
}

static inline bool kvc_span_equal(struct kvc_span a, struct kvc_span b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.text, b.text, a.length) == 0);
}

static inline bool kvc_span_is(struct kvc_span a, const char *c_string)
{
    if (a.length > 0 && a.text[0] != c_string[0]) /* mostly; then nobody needs the length */
        return false;
    size_t length = strlen(c_string);
    return a.length == length && (length == 0 || memcmp(a.text, c_string, length) == 0);
}

static inline bool kvc_span_starts(struct kvc_span a, const char *c_string)
{
    size_t length = strlen(c_string);
    return a.length >= length && (length == 0 || memcmp(a.text, c_string, length) == 0);
}

bool kvc_span_ends(struct kvc_span a, const char *c_string);

/* By bytes, then by length: below 0, 0, above 0. */
int kvc_span_compare(struct kvc_span a, struct kvc_span b);

/* Plain decimal digits without leading zero to an integer; false for anything else or past 64
 * bits. */
bool kvc_span_u64(struct kvc_span a, uint64_t *ret_value);

/* The first place from `from` on that is a control character, a quote, a backslash, DEL or not ASCII: what a
 * string of JSON or a line of a log looks at.  The length where all is plain. */
size_t kvc_span_plain_until(struct kvc_span a, size_t from);

/* Whether all of the span is well-formed UTF-8 (no surrogates, nothing over U+10FFFF, no overlong
 * form).  When not, *ret_offset (may be NULL) is the first bad byte. */
bool kvc_span_is_utf8(struct kvc_span a, size_t *ret_offset);

/* The code point at `*offset`, which is moved past it.  The span must be well-formed UTF-8. */
uint32_t kvc_span_code_point(struct kvc_span a, size_t *offset);

/* How many single-byte edits (insert, delete, replace, swap of neighbours) lead from a to b: for
 * "did you mean".  Texts over 64 bytes count as far apart. */
unsigned kvc_span_distance(struct kvc_span a, struct kvc_span b);

#endif /* KVC_BASE_SPAN_H */
