/* stated.c - see stated.h for the room and its promises. */

#include "store/stated.h"

#include <string.h>

static const struct kvc_span NONE = { .text = "", .length = 0 };

/* The end of a string that begins at `i`: the index of its closing quote, or the text's length. */
static size_t string_end(struct kvc_span text, size_t i)
{
    for (i++; i < text.length && text.text[i] != '"'; i++) {
        if (text.text[i] == '\\')
            i++;
    }
    return i < text.length ? i : text.length;
}

static size_t skip_space(struct kvc_span text, size_t i)
{
    while (i < text.length && (text.text[i] == ' ' || text.text[i] == '\t' ||
                               text.text[i] == '\n' || text.text[i] == '\r'))
        i++;
    return i;
}

static struct kvc_span part(struct kvc_span text, size_t begin, size_t end)
{
    return (struct kvc_span){ .text = text.text + begin, .length = end - begin };
}

struct kvc_span kvc_stated_json(struct kvc_span text)
{
    int depth = 0;
    bool key_was_id = false;
    for (size_t i = 0; i < text.length; i++) {
        char c = text.text[i];
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        if (c == ',' || c == '{')
            key_was_id = false;
        if (c != '"')
            continue;
        size_t end = string_end(text, i);
        struct kvc_span string = end > i ? part(text, i + 1, end) : NONE;
        if (depth == 1 && key_was_id && end < text.length)
            return string;
        size_t after = skip_space(text, end + 1);
        key_was_id = depth == 1 && kvc_span_is(string, "id") && after < text.length &&
                     text.text[after] == ':';
        i = end;
    }
    return NONE;
}

static struct kvc_span trimmed(struct kvc_span value)
{
    size_t begin = 0, end = value.length;
    while (begin < end && (value.text[begin] == ' ' || value.text[begin] == '\t'))
        begin++;
    while (end > begin && (value.text[end - 1] == ' ' || value.text[end - 1] == '\t' ||
                           value.text[end - 1] == '\r'))
        end--;
    bool quoted = end - begin >= 2 && (value.text[begin] == '"' || value.text[begin] == '\'') &&
                  value.text[end - 1] == value.text[begin];
    return quoted ? part(value, begin + 1, end - 1) : part(value, begin, end);
}

static struct kvc_span next_line(struct kvc_span *text)
{
    const char *end = text->length == 0 ? NULL : memchr(text->text, '\n', text->length);
    size_t length = end == NULL ? text->length : (size_t)(end - text->text);
    struct kvc_span line = part(*text, 0, length);
    *text = part(*text, end == NULL ? length : length + 1, text->length);
    return line;
}

struct kvc_span kvc_stated_yaml(struct kvc_span text)
{
    size_t first = skip_space(text, 0);
    if (first < text.length && text.text[first] == '{')
        return kvc_stated_json(text);
    while (text.length > 0) {
        struct kvc_span line = next_line(&text);
        static const char *const KEYS[] = { "id:", "\"id\":", "'id':" };
        for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++) {
            if (kvc_span_starts(line, KEYS[i]))
                return trimmed(part(line, strlen(KEYS[i]), line.length));
        }
    }
    return NONE;
}

bool kvc_states_id(struct kvc_span text, bool is_yaml, struct kvc_span id)
{
    if (is_yaml)
        return kvc_span_equal(kvc_stated_yaml(text), id);
    if (kvc_span_equal(kvc_stated_json(text), id))
        return true;
    while (text.length > 0) {
        struct kvc_span line = next_line(&text);
        if (kvc_span_equal(kvc_stated_json(line), id))
            return true;
    }
    return false;
}
