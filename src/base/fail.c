/* fail.c - see fail.h for the room and its promises. */

#include "base/fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/span.h"

struct slug_row {
    const char *text;
    kvcap_code code;
    const char *advice;
};

static const struct slug_row ROWS[KVC_SLUG_COUNT] = {
#define XX(name, text_, code_, advice_)                                                            \
    [KVC_##name] = { .text = text_, .code = KVCAP_##code_, .advice = advice_ },
    KVC_SLUG_MAP(XX)
#undef XX
};

/* Copies `text`, keeping both ends when it is too long: the beginning says which record, the end
 * says which member, and the middle can be found again from the two. */
static void copy_shortened(char *out, size_t size, const char *text)
{
    size_t length = strlen(text);
    if (length < size) {
        memmove(out, text, length + 1);
        return;
    }
    size_t room = size - 1 - 3;
    size_t head = room / 2;
    size_t tail = room - head;
    memmove(out, text, head);
    memcpy(out + head, "...", 3);
    memmove(out + head + 3, text + length - tail, tail);
    out[size - 1] = '\0';
}

/* What was cut, or came from a stranger's bytes, must still be text: a byte that is no UTF-8 becomes
 * '?'.  In a sentence so does a control character, which could steer a reader's terminal; in a place
 * it stands, since a pointer must lead back to its key. */
static void make_text(char *text, bool is_sentence)
{
    size_t bad;
    while (!kvc_span_is_utf8(kvc_span_of(text), &bad))
        text[bad] = '?';
    for (char *c = text; is_sentence && *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7F)
            *c = '?';
    }
}

kvcap_code kvc_fail(kvcap_error *err, enum kvc_slug slug, const char *at, const char *format, ...)
{
    const struct slug_row *row = &ROWS[slug];
    if (err == NULL)
        return row->code;

    err->code = row->code;
    err->reserved = 0;
    copy_shortened(err->slug, sizeof err->slug, row->text);
    copy_shortened(err->at, sizeof err->at, at == NULL ? "" : at);

    va_list args;
    va_start(args, format);
    int written = vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    if (written >= (int)sizeof err->text) {
        memcpy(err->text + sizeof err->text - 4, "...", 4);
    }
    make_text(err->at, false);
    make_text(err->text, true);
    return row->code;
}

void kvc_fail_within(kvcap_error *err, const char *outer)
{
    if (err == NULL)
        return;
    char joined[sizeof err->at * 4];
    snprintf(joined, sizeof joined, "%s%s", outer, err->at);
    copy_shortened(err->at, sizeof err->at, joined);
    make_text(err->at, false);
}

void kvc_fail_add(kvcap_error *err, const char *format, ...)
{
    if (err == NULL)
        return;
    size_t length = strlen(err->text);
    va_list args;
    va_start(args, format);
    vsnprintf(err->text + length, sizeof err->text - length, format, args);
    va_end(args);
    make_text(err->text, true);
}

bool kvc_fail_is(const kvcap_error *err, enum kvc_slug slug)
{
    return strcmp(err->slug, kvc_slug_text(slug)) == 0;
}

const char *kvc_slug_text(enum kvc_slug slug)
{
    return ROWS[slug].text;
}

kvcap_code kvc_slug_code(enum kvc_slug slug)
{
    return ROWS[slug].code;
}

const char *kvc_slug_advice(const char *slug_text)
{
    for (size_t i = 0; i < KVC_SLUG_COUNT; i++) {
        if (strcmp(ROWS[i].text, slug_text) == 0)
            return ROWS[i].advice;
    }
    return "";
}
