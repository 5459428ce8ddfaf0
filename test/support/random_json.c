/* random_json.c - see random_json.h. */

#include "support/random_json.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Values. */

static struct kvc_span random_text(struct chance *chance, struct kvc_arena *arena, bool with_nul)
{
    char bytes[4 * 12];
    size_t used = 0;
    for (uint64_t left = chance_below(chance, 12); left > 0; left--) {
        uint32_t point = chance_code_point(chance);
        if (point != 0 || with_nul)
            used += chance_put_utf8(point, bytes + used);
    }
    struct kvc_span text = kvc_arena_copy(arena, (struct kvc_span){ bytes, used });
    assert(text.text != NULL);
    return text;
}

/* Keys that collide, nest as prefixes, and mean something to pointers - or any text. */
static const char *random_key(struct chance *chance, struct kvc_arena *arena)
{
    static const char *const KEYS[] = { "",
                                        "a",
                                        "aa",
                                        "ab",
                                        "b",
                                        "~",
                                        "/",
                                        "~0",
                                        "~1",
                                        "~01",
                                        "0",
                                        "1",
                                        "01",
                                        "-",
                                        "id",
                                        "a/b",
                                        "<<",
                                        "null",
                                        "\xC3\xA9",
                                        "\xC3\xAA",
                                        "\xEF\xAC\xB3",
                                        "\xF0\x9F\x98\x80",
                                        "true",
                                        "12",
                                        " " };
    if (!chance_one_in(chance, 3))
        return KEYS[chance_below(chance, sizeof KEYS / sizeof KEYS[0])];
    return random_text(chance, arena, false).text;
}

static struct kvc_span random_integer(struct chance *chance, struct kvc_arena *arena)
{
    uint64_t magnitude = chance_edgy(chance) & ((UINT64_C(1) << 53) - 1);
    bool negative = magnitude != 0 && chance_one_in(chance, 3);
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%s%" PRIu64, negative ? "-" : "", magnitude);
    return kvc_arena_copy(arena, (struct kvc_span){ digits, (size_t)length });
}

static void fill(struct chance *chance, struct kvc_build *build, struct kvc_value *value,
                 unsigned depth_left);

static void add_child(struct chance *chance, struct kvc_build *build, struct kvc_value *parent,
                      unsigned depth_left)
{
    const char *key = NULL;
    if (parent->type == KVC_OBJECT) {
        key = random_key(chance, build->arena);
        if (kvc_value_member(parent, key) != NULL)
            return;
    }
    uint64_t kinds = depth_left == 0 ? KVC_ARRAY : KVC_OBJECT + 1;
    enum kvc_type type = (enum kvc_type)chance_below(chance, kinds);
    struct kvc_value *child = kvc_build_node(build, parent, key, type);
    assert(child != NULL);
    fill(chance, build, child, depth_left);
}

static void fill(struct chance *chance, struct kvc_build *build, struct kvc_value *value,
                 unsigned depth_left)
{
    if (value->type == KVC_NUMBER)
        value->text = random_integer(chance, build->arena);
    if (value->type == KVC_STRING)
        value->text = random_text(chance, build->arena, true);
    if (value->type != KVC_ARRAY && value->type != KVC_OBJECT)
        return;
    for (uint64_t left = chance_below(chance, 6); left > 0; left--)
        add_child(chance, build, value, depth_left - 1);
}

struct kvc_value *random_tree(struct chance *chance, struct kvc_arena *arena, unsigned depth_max)
{
    struct kvc_build build = { .arena = arena };
    uint64_t scalar = depth_max == 0 || chance_one_in(chance, 8);
    enum kvc_type type = scalar ? (enum kvc_type)chance_below(chance, KVC_ARRAY)
                                : (enum kvc_type)(KVC_ARRAY + chance_below(chance, 2));
    struct kvc_value *root = kvc_build_node(&build, NULL, NULL, type);
    assert(root != NULL);
    fill(chance, &build, root, depth_max);
    return root;
}

/* ---- JSON. */

static void spell_space(struct chance *chance, FILE *out)
{
    while (chance_one_in(chance, 4))
        fputc(" \t\n\r"[chance_below(chance, 4)], out);
}

static void spell_unit(struct chance *chance, uint32_t unit, FILE *out)
{
    fprintf(out, chance_one_in(chance, 2) ? "\\u%04" PRIx32 : "\\u%04" PRIX32, unit);
}

static void spell_json_point(struct chance *chance, uint32_t point, FILE *out)
{
    static const char CODES[] = "\"\\/\b\f\n\r\t", NAMES[] = "\"\\/bfnrt";
    const char *found = point != 0 && point < 0x80 ? strchr(CODES, (int)point) : NULL;
    bool must = point < 0x20 || point == '"' || point == '\\';
    if (found != NULL && chance_one_in(chance, 2)) {
        fprintf(out, "\\%c", NAMES[found - CODES]);
    } else if (!must && !chance_one_in(chance, 4)) {
        char bytes[4];
        fwrite(bytes, 1, chance_put_utf8(point, bytes), out);
    } else if (point < 0x10000) {
        spell_unit(chance, point, out);
    } else {
        spell_unit(chance, 0xD800 + (point - 0x10000) / 0x400, out);
        spell_unit(chance, 0xDC00 + (point - 0x10000) % 0x400, out);
    }
}

static void spell_json_text(struct chance *chance, struct kvc_span text, FILE *out)
{
    fputc('"', out);
    for (size_t i = 0; i < text.length;)
        spell_json_point(chance, kvc_span_code_point(text, &i), out);
    fputc('"', out);
}

/* The children in an order of chance for objects; free it. */
static const struct kvc_value **shuffled(struct chance *chance, const struct kvc_value *parent)
{
    const struct kvc_value **list = calloc(parent->count + 1, sizeof *list);
    assert(list != NULL);
    uint32_t used = 0;
    for (const struct kvc_value *child = parent->first; child != NULL; child = child->next) {
        uint64_t i = parent->type == KVC_OBJECT ? chance_below(chance, used + 1) : used;
        list[used++] = list[i];
        list[i] = child;
    }
    return list;
}

static void spell_json_children(struct chance *chance, const struct kvc_value *parent, FILE *out)
{
    const struct kvc_value **list = shuffled(chance, parent);
    fputc(parent->type == KVC_OBJECT ? '{' : '[', out);
    spell_space(chance, out);
    for (uint32_t i = 0; i < parent->count; i++) {
        if (i > 0)
            fputc(',', out);
        if (parent->type == KVC_OBJECT) {
            spell_space(chance, out);
            spell_json_text(chance, list[i]->key, out);
            spell_space(chance, out);
            fputc(':', out);
        }
        spell_json(chance, list[i], out);
    }
    fputc(parent->type == KVC_OBJECT ? '}' : ']', out);
    free(list);
}

static void spell_word(const struct kvc_value *value, FILE *out)
{
    if (value->type == KVC_NUMBER)
        fwrite(value->text.text, 1, value->text.length, out);
    else
        fputs(value->type == KVC_NULL ? "null" : value->type == KVC_TRUE ? "true" : "false", out);
}

void spell_json(struct chance *chance, const struct kvc_value *value, FILE *out)
{
    spell_space(chance, out);
    if (value->type == KVC_OBJECT || value->type == KVC_ARRAY)
        spell_json_children(chance, value, out);
    else if (value->type == KVC_STRING)
        spell_json_text(chance, value->text, out);
    else
        spell_word(value, out);
    spell_space(chance, out);
}

/* ---- YAML. */

static void spell_yaml_point(struct chance *chance, uint32_t point, FILE *out)
{
    bool plain = point >= 0x20 && point < 0x7F && point != '"' && point != '\\';
    bool letter = (point >= 0xA0 && point < 0xD800 && point != 0x2028 && point != 0x2029) ||
                  (point >= 0x10000 && (point & 0xFFFE) != 0xFFFE);
    if ((plain || letter) && !chance_one_in(chance, 5)) {
        char bytes[4];
        fwrite(bytes, 1, chance_put_utf8(point, bytes), out);
    } else if (point < 0x100 && chance_one_in(chance, 2)) {
        fprintf(out, "\\x%02" PRIx32, point);
    } else if (point < 0x10000 && chance_one_in(chance, 2)) {
        fprintf(out, "\\u%04" PRIX32, point);
    } else {
        fprintf(out, "\\U%08" PRIx32, point);
    }
}

/* Letters and digits that YAML reads as text whatever surrounds them. */
static bool is_word(struct kvc_span text)
{
    if (text.length < 2 || text.text[0] < 'a' || text.text[0] > 'm')
        return false; /* so neither null nor true, but still false */
    for (size_t i = 0; i < text.length; i++) {
        char c = text.text[i];
        if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' && c != '/')
            return false;
    }
    return !kvc_span_is(text, "false");
}

static bool is_printable(struct kvc_span text)
{
    for (size_t i = 0; i < text.length; i++) {
        if (text.text[i] < 0x20 || text.text[i] == 0x7F)
            return false;
    }
    return true;
}

static void spell_yaml_text(struct chance *chance, struct kvc_span text, FILE *out)
{
    if (is_word(text) && chance_one_in(chance, 2)) {
        fwrite(text.text, 1, text.length, out);
        return;
    }
    bool single = is_printable(text) && chance_one_in(chance, 3);
    fputc(single ? '\'' : '"', out);
    for (size_t i = 0; i < text.length;) {
        uint32_t point = kvc_span_code_point(text, &i);
        if (!single)
            spell_yaml_point(chance, point, out);
        else if (point == '\'')
            fputs("''", out);
        else
            fputc((int)point, out);
    }
    fputc(single ? '\'' : '"', out);
}

static void spell_indent(unsigned indent, FILE *out)
{
    for (unsigned i = 0; i < indent; i++)
        fputs("  ", out);
}

static void spell_yaml_value(struct chance *chance, const struct kvc_value *value, unsigned indent,
                             bool flow, FILE *out);

static void spell_yaml_child(struct chance *chance, const struct kvc_value *child, unsigned indent,
                             bool flow, FILE *out)
{
    bool member = child->parent->type == KVC_OBJECT;
    if (!flow)
        spell_indent(indent, out);
    if (member)
        spell_yaml_text(chance, child->key, out);
    fputs(member ? ": " : flow ? "" : "- ", out);
    spell_yaml_value(chance, child, indent + 1, flow, out);
    fputs(flow ? (chance_one_in(chance, 2) ? ", " : ",\n") : "", out);
    if (flow)
        spell_indent(indent + 1, out);
}

/* A block ends its lines itself; what stands on a line is ended by whoever began it. */
static void spell_yaml_value(struct chance *chance, const struct kvc_value *value, unsigned indent,
                             bool flow, FILE *out)
{
    bool children = value->type == KVC_OBJECT || value->type == KVC_ARRAY;
    if (!children) {
        if (value->type == KVC_STRING)
            spell_yaml_text(chance, value->text, out);
        else if (value->type != KVC_NULL || flow || indent == 0 || !chance_one_in(chance, 2))
            spell_word(value, out);
        fputs(flow ? "" : chance_one_in(chance, 6) ? " # a remark\n" : "\n", out);
        return;
    }
    bool within = flow || value->count == 0 || chance_one_in(chance, 4);
    const struct kvc_value **list = shuffled(chance, value);
    if (within)
        fputc(value->type == KVC_OBJECT ? '{' : '[', out);
    else if (indent > 0)
        fputc('\n', out);
    for (uint32_t i = 0; i < value->count; i++)
        spell_yaml_child(chance, list[i], indent, within, out);
    if (within)
        fputc(value->type == KVC_OBJECT ? '}' : ']', out);
    if (within && !flow)
        fputc('\n', out);
    free(list);
}

void spell_yaml(struct chance *chance, const struct kvc_value *value, FILE *out)
{
    if (chance_one_in(chance, 4))
        fputs("# a remark\n---\n", out);
    spell_yaml_value(chance, value, 0, false, out);
    if (chance_one_in(chance, 4))
        fputs("...\n", out);
}

/* ---- Nearly JSON. */

static const char *const PIECES[] = {
    "-0",
    "1.5",
    "1e3",
    "9007199254740992",
    "-9007199254740991",
    "9223372036854775808",
    "1e999",
    "NaN",
    "-Infinity",
    "\\u0000",
    "\\ud800",
    "\\udc00",
    "\\ud83d\\ude00",
    "\xC3\xA9",
    "\xED\xA0\x80",
    "\xC0\x80",
    "\xF4\x90\x80\x80",
    "\"a\":1,",
    "{\"a\":1}",
    "[]",
    "{}",
    "[[[[[[[[",
    "]]]]",
    "\"",
    "\\",
    ",",
    ":",
    "true",
    "null",
    "\x01",
    "\t",
    " ",
    "0",
    "-",
    ".",
    "e",
    "+",
    "\xEF\xBB\xBF",
};

/* Replaces `cut` bytes at `at` by a piece. */
static size_t splice(char *text, size_t length, size_t room, size_t at, size_t cut,
                     struct kvc_span piece)
{
    if (length - cut + piece.length > room)
        return length;
    memmove(text + at + piece.length, text + at + cut, length - at - cut);
    memcpy(text + at, piece.text, piece.length);
    return length - cut + piece.length;
}

static size_t mutate_once(struct chance *chance, char *text, size_t length, size_t room)
{
    size_t at = chance_below(chance, length + 1);
    size_t cut = chance_below(chance, length - at + 1);
    char byte = (char)chance_next(chance), copy[16];
    struct kvc_span again = { copy, cut < sizeof copy ? cut : sizeof copy };
    memcpy(copy, text + at, again.length);
    switch (chance_below(chance, 6)) {
    case 0:
        return splice(text, length, room, at, cut < 4 ? cut : 0, (struct kvc_span){ &byte, 1 });
    case 1:
        return splice(text, length, room, at, cut < 4 ? cut : 1 % (cut + 1),
                      (struct kvc_span){ "", 0 });
    case 2:
        return splice(text, length, room, at + again.length, 0, again);
    case 3:
        return chance_one_in(chance, 4) ? at : length;
    default: {
        const char *piece = PIECES[chance_below(chance, sizeof PIECES / sizeof PIECES[0])];
        return splice(text, length, room, at, cut < 3 ? cut : 0, kvc_span_of(piece));
    }
    }
}

size_t mutate_text(struct chance *chance, char *text, size_t length, size_t room)
{
    for (uint64_t left = 1 + chance_below(chance, 3); left > 0; left--)
        length = mutate_once(chance, text, length, room);
    return length;
}

void spelled_begin(struct spelled *spelled)
{
    spelled->out = open_memstream(&spelled->text, &spelled->length);
    assert(spelled->out != NULL);
}

struct kvc_span spelled_end(struct spelled *spelled)
{
    fclose(spelled->out);
    return (struct kvc_span){ .text = spelled->text, .length = spelled->length };
}
