/* text.c - see text.h for the room and its promises. */

#include "fit/text.h"

#include <string.h>

#include "base/ck.h"
#include "json/plain.h"
#include "json/write.h"

void kvc_fit_text_begin(struct kvc_fit_text *text, struct kvc_arena *arena)
{
    *text = (struct kvc_fit_text){ .arena = arena };
}

static bool grow(struct kvc_fit_text *text, size_t more)
{
    size_t room = text->room == 0 ? 4096 : text->room * 2;
    while (room < text->length + more)
        room *= 2;
    char *grown = kvc_arena_take(text->arena, room);
    if (grown == NULL) {
        text->full = true;
        return false;
    }
    if (text->length > 0)
        memcpy(grown, text->text, text->length);
    text->text = grown;
    text->room = room;
    return true;
}

/* Where `bytes` more have room, NULL where they have none.  What is written there counts once the length
 * says so. */
static char *reserve(struct kvc_fit_text *text, size_t bytes)
{
    if (text->room - text->length < bytes && (text->full || !grow(text, bytes)))
        return NULL;
    return text->text + text->length;
}

void kvc_fit_put(struct kvc_fit_text *text, const char *bytes, size_t length)
{
    char *at = reserve(text, length);
    if (at == NULL || length == 0)
        return;
    memcpy(at, bytes, length);
    text->length += length;
}

/* A value is due: after another one, a comma goes before it. */
static bool needs_comma(const struct kvc_fit_text *text)
{
    char last = text->length == 0 ? '{' : text->text[text->length - 1];
    return last != '{' && last != '[' && last != ':';
}

void kvc_fit_put_key_of(struct kvc_fit_text *text, struct kvc_span key)
{
    char *begin = reserve(text, key.length + 4), *at = begin;
    if (begin == NULL)
        return;
    if (needs_comma(text))
        *at++ = ',';
    if (key.text != NULL) {
        *at++ = '"';
        memcpy(at, key.text, key.length);
        at += key.length;
        *at++ = '"';
        *at++ = ':';
    }
    text->length += (size_t)(at - begin);
}

void kvc_fit_open(struct kvc_fit_text *text, const char *key, char bracket)
{
    kvc_fit_put_key(text, key);
    kvc_fit_put(text, &bracket, 1);
}

void kvc_fit_close(struct kvc_fit_text *text, char bracket)
{
    kvc_fit_put(text, &bracket, 1);
}

void kvc_fit_put_u64(struct kvc_fit_text *text, const char *key, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    text->unsafe = text->unsafe || value > KVC_SAFE_MAX;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    kvc_fit_put_key(text, key);
    kvc_fit_put(text, &digits[at], sizeof digits - at);
}

static void put(void *context, const char *bytes, size_t length)
{
    kvc_fit_put(context, bytes, length);
}

void kvc_fit_put_text(struct kvc_fit_text *text, const char *key, struct kvc_span value)
{
    struct kvc_sink sink = { put, text };
    kvc_fit_put_key(text, key);
    if (kvc_plain_length(value.text, value.length) < value.length) {
        kvc_write_string(value, &sink);
        return;
    }
    char *at = reserve(text, value.length + 2);
    if (at == NULL)
        return;
    *at++ = '"';
    if (value.length > 0)
        memcpy(at, value.text, value.length);
    at[value.length] = '"';
    text->length += value.length + 2;
}

void kvc_fit_put_bool(struct kvc_fit_text *text, const char *key, bool value)
{
    kvc_fit_put_key(text, key);
    kvc_fit_put(text, value ? "true" : "false", value ? 4 : 5);
}
