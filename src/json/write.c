/* write.c - see write.h for the room and its promises. */

#include "json/write.h"

#include <string.h>

static void put(const struct kvc_sink *sink, const char *text)
{
    sink->put(sink->context, text, strlen(text));
}

/* The escape of one byte, or how many bytes it is: 0 when it stands for itself. */
static size_t escape_of(unsigned char c, char ret_escape[6])
{
    static const char SHORT[] = "\"\\\b\f\n\r\t";
    static const char NAMES[] = "\"\\bfnrt";
    static const char HEX[] = "0123456789abcdef";
    const char *found = c == 0 ? NULL : strchr(SHORT, c);
    ret_escape[0] = '\\';
    if (found != NULL) {
        ret_escape[1] = NAMES[found - SHORT];
        return 2;
    }
    if (c >= 0x20)
        return 0;
    memcpy(ret_escape + 1, "u00", 3);
    ret_escape[4] = HEX[c >> 4];
    ret_escape[5] = HEX[c & 15];
    return 6;
}

void kvc_write_string(struct kvc_span text, const struct kvc_sink *sink)
{
    put(sink, "\"");
    size_t begin = 0;
    for (size_t i = 0; (i = kvc_span_plain_until(text, i)) < text.length; i++) {
        char escape[6];
        size_t length = escape_of((unsigned char)text.text[i], escape);
        if (length == 0)
            continue;
        if (i > begin)
            sink->put(sink->context, text.text + begin, i - begin);
        sink->put(sink->context, escape, length);
        begin = i + 1;
    }
    if (text.length > begin)
        sink->put(sink->context, text.text + begin, text.length - begin);
    put(sink, "\"");
}

static void write_object(const struct kvc_value *object, const char *without,
                         const struct kvc_sink *sink)
{
    bool first = true;
    put(sink, "{");
    for (const struct kvc_value *member = object->first; member != NULL; member = member->next) {
        if (without != NULL && kvc_span_is(member->key, without))
            continue;
        if (!first)
            put(sink, ",");
        first = false;
        kvc_write_string(member->key, sink);
        put(sink, ":");
        kvc_write(member, NULL, sink);
    }
    put(sink, "}");
}

static void write_array(const struct kvc_value *array, const struct kvc_sink *sink)
{
    put(sink, "[");
    for (const struct kvc_value *element = array->first; element != NULL; element = element->next) {
        if (element != array->first)
            put(sink, ",");
        kvc_write(element, NULL, sink);
    }
    put(sink, "]");
}

void kvc_write(const struct kvc_value *value, const char *without, const struct kvc_sink *sink)
{
    switch (value->type) {
    case KVC_OBJECT:
        write_object(value, without, sink);
        break;
    case KVC_ARRAY:
        write_array(value, sink);
        break;
    case KVC_STRING:
        kvc_write_string(value->text, sink);
        break;
    case KVC_NUMBER:
        sink->put(sink->context, value->text.text, value->text.length);
        break;
    case KVC_TRUE:
        put(sink, "true");
        break;
    case KVC_FALSE:
        put(sink, "false");
        break;
    case KVC_NULL:
        put(sink, "null");
        break;
    }
}

/* Doubles into a new piece; the old ones stay in the arena, together less than the new one. */
static bool grow(struct kvc_text *text, size_t more)
{
    size_t room = text->room < 256 ? 256 : text->room;
    while (room - text->length <= more) {
        if (room > SIZE_MAX / 4)
            return false;
        room *= 2;
    }
    if (room == text->room)
        return true;
    char *bigger = kvc_arena_take(text->arena, room);
    if (bigger == NULL)
        return false;
    if (text->length > 0)
        memcpy(bigger, text->text, text->length);
    text->text = bigger;
    text->room = room;
    return true;
}

static void put_text(void *context, const char *bytes, size_t length)
{
    struct kvc_text *text = context;
    if (text->full || !grow(text, length)) {
        text->full = true;
        return;
    }
    memcpy(text->text + text->length, bytes, length);
    text->length += length;
    text->text[text->length] = '\0';
}

struct kvc_sink kvc_text_sink(struct kvc_text *text)
{
    return (struct kvc_sink){ .put = put_text, .context = text };
}
