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

/* Room for so many more bytes; false once memory was refused. */
static bool has_room(struct kvc_fit_text *text, size_t more)
{
    return text->room - text->length >= more || (!text->full && grow(text, more));
}

/* Appends where there is room already. */
static void append(struct kvc_fit_text *text, const char *bytes, size_t length)
{
    memcpy(text->text + text->length, bytes, length);
    text->length += length;
}

void kvc_fit_put(struct kvc_fit_text *text, const char *bytes, size_t length)
{
    if (length > 0 && has_room(text, length))
        append(text, bytes, length);
}

/* A value is due: after another one, a comma goes before it, for which there is room. */
static void separate(struct kvc_fit_text *text)
{
    char last = text->length == 0 ? '{' : text->text[text->length - 1];
    if (last != '{' && last != '[' && last != ':')
        text->text[text->length++] = ',';
}

/* The comma, the quotes, the colon: room for all of them is asked for with the key. */
#define AROUND_KEY 4

void kvc_fit_put_key_of(struct kvc_fit_text *text, struct kvc_span key)
{
    if (!has_room(text, key.length + AROUND_KEY))
        return;
    separate(text);
    if (key.text == NULL)
        return;
    append(text, "\"", 1);
    append(text, key.text, key.length);
    append(text, "\":", 2);
}

/* "00" to "99": two digits a division. */
static const char PAIRS[] = "00010203040506070809101112131415161718192021222324"
                            "25262728293031323334353637383940414243444546474849"
                            "50515253545556575859606162636465666768697071727374"
                            "75767778798081828384858687888990919293949596979899";

void kvc_fit_put_u64_of(struct kvc_fit_text *text, struct kvc_span key, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    text->unsafe = text->unsafe || value > KVC_SAFE_MAX;
    while (value >= 100) {
        at -= 2;
        memcpy(&digits[at], &PAIRS[value % 100 * 2], 2);
        value /= 100;
    }
    if (value >= 10)
        digits[--at] = PAIRS[value * 2 + 1];
    digits[--at] = PAIRS[value * 2 + (value < 10)];
    kvc_fit_put_key_of(text, key);
    kvc_fit_put(text, &digits[at], sizeof digits - at);
}

static void put(void *context, const char *bytes, size_t length)
{
    kvc_fit_put(context, bytes, length);
}

/* Quotes, backslashes and control characters do; what is not ASCII stands for itself. */
static bool needs_escape(struct kvc_span value)
{
    for (size_t i = 0; (i = kvc_span_plain_until(value, i)) < value.length; i++) {
        unsigned char c = (unsigned char)value.text[i];
        if (c < 0x20 || c == '"' || c == '\\')
            return true;
    }
    return false;
}

void kvc_fit_put_text_of(struct kvc_fit_text *text, struct kvc_span key, struct kvc_span value)
{
    struct kvc_sink sink = { put, text };
    kvc_fit_put_key_of(text, key);
    if (needs_escape(value)) {
        kvc_write_string(value, &sink);
        return;
    }
    if (!has_room(text, value.length + 2))
        return;
    append(text, "\"", 1);
    if (value.length > 0)
        append(text, value.text, value.length);
    append(text, "\"", 1);
}

void kvc_fit_put_bool(struct kvc_fit_text *text, const char *key, bool value)
{
    kvc_fit_put_key(text, key);
    kvc_fit_put(text, value ? "true" : "false", value ? 4 : 5);
}
