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

/* Where a look through JSON stands: objects one after the other, as in a bundle. */
struct look {
    struct kvc_span text;
    size_t at;
    uint32_t depth; /* brackets that are open */
};

/* The next id that an object states one level deep; length 0 at the end of the text. */
static struct kvc_span next_stated(struct look *look)
{
    struct kvc_span text = look->text;
    bool key_was_id = false;
    for (; look->at < text.length; look->at++) {
        char c = text.text[look->at];
        if (c == '{' || c == '[')
            look->depth++;
        else if ((c == '}' || c == ']') && look->depth > 0)
            look->depth--;
        if (c == ',' || c == '{')
            key_was_id = false;
        if (c != '"')
            continue;
        size_t end = string_end(text, look->at);
        struct kvc_span string = part(text, look->at + 1, end);
        look->at = end;
        if (look->depth == 1 && key_was_id && string.length > 0 && end < text.length) {
            look->at++;
            return string;
        }
        size_t after = skip_space(text, end + 1);
        key_was_id = look->depth == 1 && kvc_span_is(string, "id") && after < text.length &&
                     text.text[after] == ':';
    }
    return NONE;
}

struct kvc_span kvc_stated_json(struct kvc_span text)
{
    struct look look = { .text = text };
    return next_stated(&look);
}

/* A plain value ends at a blank, before which a comment cannot begin; a quoted one at its quote. */
static struct kvc_span yaml_value(struct kvc_span line, size_t begin)
{
    while (begin < line.length && (line.text[begin] == ' ' || line.text[begin] == '\t'))
        begin++;
    char quote = begin < line.length ? line.text[begin] : '\0';
    bool quoted = quote == '"' || quote == '\'';
    begin += quoted;
    size_t end = begin;
    while (end < line.length &&
           (quoted ? line.text[end] != quote : memchr(" \t\r", line.text[end], 3) == NULL))
        end++;
    return part(line, begin, end);
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
    static const char *const KEYS[] = { "id:", "\"id\":", "'id':" };
    size_t first = skip_space(text, 0);
    if (first < text.length && text.text[first] == '{')
        return kvc_stated_json(text);
    while (text.length > 0) {
        struct kvc_span line = next_line(&text);
        for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++) {
            if (kvc_span_starts(line, KEYS[i]))
                return yaml_value(line, strlen(KEYS[i]));
        }
    }
    return NONE;
}

bool kvc_states_id(struct kvc_span text, bool is_yaml, struct kvc_span id)
{
    if (is_yaml)
        return kvc_span_equal(kvc_stated_yaml(text), id);
    struct look look = { .text = text };
    struct kvc_span stated;
    while ((stated = next_stated(&look)).length > 0) {
        if (kvc_span_equal(stated, id))
            return true;
    }
    return false;
}
