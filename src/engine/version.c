/* version.c - see version.h for the room and its promises. */

#include "engine/version.h"

#define NUMBER_MAX UINT32_C(99999999)
#define KINDS                                                                                      \
    UINT32_C(100000000) /* room for the number of a candidate, between two kinds of them */

static void skip(struct kvc_span *rest, size_t bytes)
{
    rest->text += bytes;
    rest->length -= bytes;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool take_number(struct kvc_span *rest, uint32_t *ret_number)
{
    size_t digits = 0;
    uint32_t number = 0;
    while (digits < rest->length && is_digit(rest->text[digits])) {
        number = number * 10 + (uint32_t)(rest->text[digits++] - '0');
        if (number > NUMBER_MAX)
            return false;
    }
    skip(rest, digits);
    *ret_number = number;
    return digits > 0;
}

/* A word, with or without a dot before it, and its number; the number may be left out. */
static bool take_word(struct kvc_span *rest, const char *word, uint32_t *ret_number)
{
    struct kvc_span at = *rest;
    if (at.length > 0 && at.text[0] == '.')
        skip(&at, 1);
    if (!kvc_span_starts(at, word))
        return false;
    skip(&at, kvc_span_of(word).length);
    *ret_number = 0;
    if (at.length > 0 && is_digit(at.text[0]) && !take_number(&at, ret_number))
        return false;
    *rest = at;
    return true;
}

/* "rc2", ".post1", ".dev18", each at most once and in this order; then a local part, which is free. */
static bool read_suffixes(struct kvc_span rest, struct kvc_version *version)
{
    static const char *const CANDIDATES[] = { "a", "b", "rc" };
    uint32_t number;
    for (uint32_t i = 0; i < 3 && version->before == UINT32_MAX; i++) {
        if (take_word(&rest, CANDIDATES[i], &number))
            version->before = 1 + i * KINDS + number;
    }
    if (take_word(&rest, "post", &number))
        version->post = number + 1;
    if (take_word(&rest, "dev", &number)) {
        version->is_dev = true;
        version->dev = number;
        if (version->before == UINT32_MAX && version->post == 0)
            version->before = 0;
    }
    return rest.length == 0 || rest.text[0] == '+' || rest.text[0] == '-';
}

/* "0.8.5" up to what is no number behind a dot; "x" closes an open one. */
static bool read_parts(struct kvc_span *rest, struct kvc_version *version)
{
    while (version->parts_count < KVC_VERSION_PARTS &&
           take_number(rest, &version->parts[version->parts_count])) {
        version->parts_count++;
        if (version->is_build || rest->length < 2 || rest->text[0] != '.')
            return true;
        if (kvc_span_is(*rest, ".x")) {
            version->is_open = true;
            skip(rest, 2);
            return true;
        }
        if (!is_digit(rest->text[1]))
            return true;
        skip(rest, 1);
    }
    return false;
}

bool kvc_version_read(struct kvc_span text, struct kvc_version *ret_version)
{
    struct kvc_version version = { .before = UINT32_MAX, .dev = UINT32_MAX };
    if (text.length > 1 && text.text[0] == 'v')
        skip(&text, 1);
    version.is_build = text.length > 1 && text.text[0] == 'b';
    if (version.is_build)
        skip(&text, 1);
    if (!read_parts(&text, &version) || !read_suffixes(text, &version))
        return false;
    *ret_version = version;
    return true;
}

static int order_of(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

int kvc_version_compare(const struct kvc_version *a, const struct kvc_version *b)
{
    int order = 0;
    for (unsigned i = 0; i < KVC_VERSION_PARTS && order == 0; i++)
        order = order_of(a->parts[i], b->parts[i]);
    if (order == 0)
        order = order_of(a->before, b->before);
    if (order == 0)
        order = order_of(a->post, b->post);
    return order == 0 ? order_of(a->dev, b->dev) : order;
}

bool kvc_version_within(const struct kvc_version *version, const struct kvc_version *open)
{
    for (unsigned i = 0; i < open->parts_count; i++) {
        if (version->parts[i] != open->parts[i])
            return false;
    }
    return true;
}
