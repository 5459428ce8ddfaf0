/* edit_json.c - see edit_json.h. */

#include "support/edit_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t space_end(struct kvc_span text, size_t at)
{
    while (at < text.length && strchr(" \t\r\n", text.text[at]) != NULL && text.text[at] != '\0')
        at++;
    return at;
}

static size_t string_end(struct kvc_span text, size_t at)
{
    for (at++; text.text[at] != '"'; at++)
        at += text.text[at] == '\\';
    return at + 1;
}

/* Where the value that begins here ends: brackets are counted, strings passed over whole. */
static size_t value_end(struct kvc_span text, size_t at)
{
    unsigned depth = 0;
    do {
        if (text.text[at] == '"') {
            at = string_end(text, at);
            continue;
        }
        depth += text.text[at] == '{' || text.text[at] == '[';
        depth -= text.text[at] == '}' || text.text[at] == ']';
        at++;
    } while (at < text.length && (depth > 0 || strchr(",]} \t\r\n", text.text[at]) == NULL));
    return at;
}

static bool token_matches(struct kvc_span token, struct kvc_span key, unsigned index, bool object)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%u", index);
    return object ? kvc_span_equal(token, key) : kvc_span_is(token, digits);
}

/* The child that a token names, in the value that begins at `at`. */
static bool find_child(struct kvc_span text, size_t at, struct kvc_span token,
                       struct edit_place *ret_place)
{
    bool object = text.text[at] == '{';
    if (!object && text.text[at] != '[')
        return false;
    at = space_end(text, at + 1);
    for (unsigned i = 0; text.text[at] != '}' && text.text[at] != ']'; i++) {
        struct kvc_span key = { 0 };
        ret_place->member_begin = at;
        if (object) {
            size_t key_end = string_end(text, at);
            key = (struct kvc_span){ .text = text.text + at + 1, .length = key_end - at - 2 };
            at = space_end(text, space_end(text, key_end) + 1);
        }
        ret_place->begin = at;
        ret_place->end = value_end(text, at);
        if (token_matches(token, key, i, object))
            return true;
        at = space_end(text, ret_place->end);
        if (text.text[at] == ',')
            at = space_end(text, at + 1);
    }
    return false;
}

bool edit_find(struct kvc_span text, const char *pointer, struct edit_place *ret_place)
{
    size_t begin = space_end(text, 0);
    *ret_place = (struct edit_place){ begin, value_end(text, begin), begin };
    while (*pointer == '/') {
        size_t length = strcspn(pointer + 1, "/");
        struct kvc_span token = { .text = pointer + 1, .length = length };
        if (!find_child(text, ret_place->begin, token, ret_place))
            return false;
        pointer += 1 + length;
    }
    return *pointer == '\0';
}

static struct kvc_span splice(struct kvc_span text, size_t begin, size_t end, struct kvc_span raw)
{
    size_t length = begin + raw.length + text.length - end;
    char *whole = malloc(length + 1);
    memcpy(whole, text.text, begin);
    memcpy(whole + begin, raw.text, raw.length);
    memcpy(whole + begin + raw.length, text.text + end, text.length - end);
    whole[length] = '\0';
    return (struct kvc_span){ .text = whole, .length = length };
}

struct kvc_span edit_replace(struct kvc_span text, const char *pointer, struct kvc_span raw)
{
    struct edit_place place;
    if (!edit_find(text, pointer, &place))
        return (struct kvc_span){ 0 };
    return splice(text, place.begin, place.end, raw);
}

struct kvc_span edit_remove(struct kvc_span text, const char *pointer)
{
    struct edit_place place;
    if (!edit_find(text, pointer, &place))
        return (struct kvc_span){ 0 };
    size_t after = space_end(text, place.end);
    size_t before = place.member_begin;
    while (before > 0 && strchr(" \t\r\n", text.text[before - 1]) != NULL)
        before--;
    if (text.text[after] == ',')
        return splice(text, place.member_begin, after + 1, kvc_span_of(""));
    before -= before > 0 && text.text[before - 1] == ',';
    return splice(text, before, place.end, kvc_span_of(""));
}

struct kvc_span edit_add(struct kvc_span text, const char *pointer, struct kvc_span raw)
{
    struct edit_place place;
    if (!edit_find(text, pointer, &place))
        return (struct kvc_span){ 0 };
    bool empty = space_end(text, place.begin + 1) == place.end - 1;
    char *joined = malloc(raw.length + 2);
    joined[0] = ',';
    memcpy(joined + 1, raw.text, raw.length);
    struct kvc_span piece = { .text = joined + empty, .length = raw.length + !empty };
    struct kvc_span whole = splice(text, place.end - 1, place.end - 1, piece);
    free(joined);
    return whole;
}
