/* text.c - see text.h for the room and its promises. */

#include "fit/text.h"

#include <string.h>

#include "base/ck.h"
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

void kvc_fit_put(struct kvc_fit_text *text, const char *bytes, size_t length)
{
    if (text->room - text->length < length && (text->full || !grow(text, length)))
        return;
    if (length == 0)
        return;
    memcpy(text->text + text->length, bytes, length);
    text->length += length;
}

/* A value is due: after another one, a comma goes before it. */
static void separate(struct kvc_fit_text *text)
{
    char last = text->length == 0 ? '{' : text->text[text->length - 1];
    if (last != '{' && last != '[' && last != ':')
        kvc_fit_put(text, ",", 1);
}

void kvc_fit_put_key_of(struct kvc_fit_text *text, struct kvc_span key)
{
    separate(text);
    if (key.text == NULL)
        return;
    kvc_fit_put(text, "\"", 1);
    kvc_fit_put(text, key.text, key.length);
    kvc_fit_put(text, "\":", 2);
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

static bool needs_escape(struct kvc_span value)
{
    for (size_t i = 0; i < value.length; i++) {
        unsigned char c = (unsigned char)value.text[i];
        if (c < 0x20 || c == '"' || c == '\\')
            return true;
    }
    return false;
}

void kvc_fit_put_text(struct kvc_fit_text *text, const char *key, struct kvc_span value)
{
    struct kvc_sink sink = { put, text };
    kvc_fit_put_key(text, key);
    if (needs_escape(value)) {
        kvc_write_string(value, &sink);
        return;
    }
    kvc_fit_put(text, "\"", 1);
    kvc_fit_put(text, value.text, value.length);
    kvc_fit_put(text, "\"", 1);
}

void kvc_fit_put_bool(struct kvc_fit_text *text, const char *key, bool value)
{
    kvc_fit_put_key(text, key);
    kvc_fit_put(text, value ? "true" : "false", value ? 4 : 5);
}
