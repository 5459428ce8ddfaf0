/* head.c - see head.h for the room and its promises. */

#include "face/net/head.h"

#include <string.h>

#include "base/ck.h"

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct kvc_span trimmed(struct kvc_span text)
{
    while (text.length > 0 && is_blank(text.text[text.length - 1]))
        text.length--;
    while (text.length > 0 && is_blank(text.text[0])) {
        text.text++;
        text.length--;
    }
    return text;
}

/* Header names know no case; `name` is written in lower case. */
static bool is_named(struct kvc_span text, const char *name)
{
    if (text.length != strlen(name))
        return false;
    for (size_t i = 0; i < text.length; i++) {
        if (lower(text.text[i]) != name[i])
            return false;
    }
    return true;
}

/* What stands before the first `mark`, taken off with it; false when there is none. */
static bool split(struct kvc_span *rest, char mark, struct kvc_span *ret_before)
{
    const char *at = rest->length == 0 ? NULL : memchr(rest->text, mark, rest->length);
    if (at == NULL)
        return false;
    size_t before = (size_t)(at - rest->text);
    *ret_before = (struct kvc_span){ .text = rest->text, .length = before };
    *rest = (struct kvc_span){ .text = at + 1, .length = rest->length - before - 1 };
    return true;
}

static bool is_size(struct kvc_span text, uint64_t *ret_value)
{
    return kvc_span_u64(text, ret_value) && *ret_value <= KVC_SAFE_MAX;
}

static void read_range(struct kvc_head *head, struct kvc_span value)
{
    struct kvc_span unit, first, last;
    bool twice = head->range != KVC_RANGE_ABSENT;
    head->range = KVC_RANGE_BAD;
    if (twice || !split(&value, ' ', &unit) || !is_named(unit, "bytes") ||
        !split(&value, '-', &first) || !split(&value, '/', &last))
        return;
    if (!is_size(first, &head->first) || !is_size(last, &head->last) || head->last < head->first)
        return;
    head->total = 0;
    if (!kvc_span_is(value, "*") && (!is_size(value, &head->total) || head->total <= head->last))
        return;
    head->range = KVC_RANGE_GOOD;
}

/* "<64 hex>", quoted or not, weak or not; anything else is no digest. */
static void read_etag(struct kvc_span value, char ret_hex[KVC_SHA256_HEX + 1])
{
    if (kvc_span_starts(value, "W/"))
        value = (struct kvc_span){ value.text + 2, value.length - 2 };
    if (value.length >= 2 && value.text[0] == '"' && value.text[value.length - 1] == '"')
        value = (struct kvc_span){ value.text + 1, value.length - 2 };
    ret_hex[0] = '\0';
    if (value.length != KVC_SHA256_HEX)
        return;
    for (size_t i = 0; i < value.length; i++) {
        char c = lower(value.text[i]);
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) {
            ret_hex[0] = '\0';
            return;
        }
        ret_hex[i] = c;
    }
    ret_hex[KVC_SHA256_HEX] = '\0';
}

/* Printable text, for a sentence.  One too long is dropped, not cut: half a secret is still one. */
static void read_text(struct kvc_span value, char *out, size_t room)
{
    out[0] = '\0';
    for (size_t i = 0; i < value.length; i++) {
        if (value.text[i] < 0x20 || value.text[i] >= 0x7F)
            return;
    }
    if (value.length < room) {
        memcpy(out, value.text, value.length);
        out[value.length] = '\0';
    }
}

void kvc_head_line(struct kvc_head *head, struct kvc_span line)
{
    struct kvc_span name;
    uint64_t bytes = head->bytes + line.length;
    if (kvc_span_starts(line, "HTTP/"))
        *head = (struct kvc_head){ 0 };
    head->bytes = bytes;
    if (!split(&line, ':', &name))
        return;
    struct kvc_span value = trimmed(line);
    if (is_named(name, "content-range"))
        read_range(head, value);
    else if (is_named(name, "content-length"))
        head->has_length = is_size(value, &head->length);
    else if (is_named(name, "x-linked-size"))
        head->has_linked_bytes = is_size(value, &head->linked_bytes);
    else if (is_named(name, "x-linked-etag"))
        read_etag(value, head->linked);
    else if (is_named(name, "etag"))
        read_etag(value, head->etag);
    else if (is_named(name, "x-error-code"))
        read_text(value, head->error, sizeof head->error);
    else if (is_named(name, "retry-after"))
        read_text(value, head->retry_after, sizeof head->retry_after);
    else if (is_named(name, "content-encoding"))
        head->encoded = value.length > 0 && !is_named(value, "identity");
}
