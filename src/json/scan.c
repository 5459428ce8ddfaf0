/* scan.c - see scan.h for the room and its promises. */

#include "json/scan.h"

#include <assert.h>
#include <string.h>

struct scanner {
    const char *text;
    size_t at, length;
    struct kvc_arena *arena;
    enum kvc_scan_mode mode;
    uint32_t values;
    kvcap_error *err;
};

/* The slugs that exist for both modes, by what happened. */
enum trouble {
    SYNTAX,
    DUPLICATE_KEY,
    BAD_UTF8,
    LONE_SURROGATE,
    TRAILING_BYTES,
    TOO_DEEP,
    TOO_LARGE,
    EMPTY,
};

static const enum kvc_slug SLUGS[][2] = {
    [SYNTAX] = { KVC_RECORD_SYNTAX, KVC_JSON_SYNTAX },
    [DUPLICATE_KEY] = { KVC_RECORD_DUPLICATE_KEY, KVC_JSON_DUPLICATE_KEY },
    [BAD_UTF8] = { KVC_RECORD_BAD_UTF8, KVC_JSON_BAD_UTF8 },
    [LONE_SURROGATE] = { KVC_RECORD_LONE_SURROGATE, KVC_JSON_LONE_SURROGATE },
    [TRAILING_BYTES] = { KVC_RECORD_TRAILING_BYTES, KVC_JSON_TRAILING_BYTES },
    [TOO_DEEP] = { KVC_RECORD_TOO_DEEP, KVC_JSON_TOO_DEEP },
    [TOO_LARGE] = { KVC_RECORD_TOO_LARGE, KVC_JSON_TOO_LARGE },
    [EMPTY] = { KVC_RECORD_EMPTY, KVC_JSON_EMPTY },
};

static enum kvc_slug slug_of(enum trouble trouble, enum kvc_scan_mode mode)
{
    return SLUGS[trouble][mode == KVC_SCAN_FOREIGN];
}

/* Refuses at the node being read (or the root) and tells the byte. */
static kvcap_code refuse(struct scanner *s, enum trouble trouble, const struct kvc_value *node,
                         const char *what)
{
    char pointer[KVC_POINTER_ROOM];
    kvc_value_pointer(node, pointer);
    return kvc_fail(s->err, slug_of(trouble, s->mode), pointer, "%s at byte %zu", what, s->at);
}

static kvcap_code no_memory(struct scanner *s)
{
    return kvc_fail(s->err, KVC_MEMORY_FULL, "", "the text at byte %zu needs more memory", s->at);
}

static int peek(const struct scanner *s)
{
    return s->at < s->length ? (unsigned char)s->text[s->at] : -1;
}

static void skip_space(struct scanner *s)
{
    while (s->at < s->length) {
        char c = s->text[s->at];
        if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
            return;
        s->at++;
    }
}

static bool take(struct scanner *s, char expected)
{
    if (s->at >= s->length || s->text[s->at] != expected)
        return false;
    s->at++;
    return true;
}

static bool take_word(struct scanner *s, const char *word)
{
    size_t length = strlen(word);
    if (s->length - s->at < length || memcmp(s->text + s->at, word, length) != 0)
        return false;
    s->at += length;
    return true;
}

/* ---- Strings. */

static bool take_hex4(struct scanner *s, uint32_t *ret_unit)
{
    if (s->length - s->at < 4)
        return false;
    uint32_t unit = 0;
    for (size_t i = 0; i < 4; i++) {
        unsigned c = (unsigned char)s->text[s->at + i];
        unsigned digit = c - '0', letter = (c | 0x20) - 'a';
        if (digit > 9 && letter > 5)
            return false;
        unit = unit << 4 | (digit <= 9 ? digit : letter + 10);
    }
    s->at += 4;
    *ret_unit = unit;
    return true;
}

static size_t put_utf8(char *out, uint32_t point)
{
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    size_t length = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = length; i-- > 1; point >>= 6)
        out[i] = (char)(0x80 | (point & 0x3F));
    static const unsigned LEADS[] = { 0, 0, 0xC0, 0xE0, 0xF0 };
    out[0] = (char)(LEADS[length] | point);
    return length;
}

/* What follows \u: one code point, from one unit or from a surrogate pair. */
static kvcap_code take_unicode(struct scanner *s, const struct kvc_value *node, uint32_t *ret_point)
{
    uint32_t high, low;
    if (!take_hex4(s, &high))
        return refuse(s, SYNTAX, node, "\\u wants four hex digits");
    *ret_point = high;
    if (high < 0xD800 || high > 0xDFFF)
        return KVCAP_OK;
    if (high > 0xDBFF || !take_word(s, "\\u"))
        return refuse(s, LONE_SURROGATE, node, "a surrogate stands alone");
    if (!take_hex4(s, &low))
        return refuse(s, SYNTAX, node, "\\u wants four hex digits");
    if (low < 0xDC00 || low > 0xDFFF)
        return refuse(s, LONE_SURROGATE, node, "a surrogate stands alone");
    *ret_point = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
    return KVCAP_OK;
}

/* One escape, after its backslash. */
static kvcap_code take_escape(struct scanner *s, const struct kvc_value *node, uint32_t *ret_point)
{
    static const char NAMES[] = "\"\\/bfnrt";
    static const char VALUES[] = "\"\\/\b\f\n\r\t";
    int c = peek(s);
    const char *found = c <= 0 ? NULL : strchr(NAMES, c);
    if (c == 'u') {
        s->at++;
        return take_unicode(s, node, ret_point);
    }
    if (found == NULL)
        return refuse(s, SYNTAX, node, "no such escape");
    s->at++;
    *ret_point = (unsigned char)VALUES[found - NAMES];
    return KVCAP_OK;
}

/* Decodes a string whose plain beginning has been walked already, up to its closing quote.  The
 * decoded text is never longer than what is written, so one piece of that size is enough. */
static kvcap_code decode_string(struct scanner *s, size_t begin, size_t end,
                                const struct kvc_value *node, struct kvc_span *ret_text)
{
    char *out = kvc_arena_take(s->arena, end - begin + 1);
    if (out == NULL)
        return no_memory(s);
    size_t used = 0;
    s->at = begin;
    while (s->at < end) {
        if (s->text[s->at] != '\\') {
            out[used++] = s->text[s->at++];
            continue;
        }
        s->at++;
        uint32_t point = 0;
        kvcap_code rc = take_escape(s, node, &point);
        if (rc != KVCAP_OK)
            return rc;
        used += put_utf8(out + used, point);
    }
    *ret_text = (struct kvc_span){ .text = out, .length = used };
    return KVCAP_OK;
}

/* A string from its opening quote on.  Without escapes it borrows the text. */
static kvcap_code take_string(struct scanner *s, const struct kvc_value *node,
                              struct kvc_span *ret_text)
{
    size_t begin = ++s->at;
    bool escaped = false;
    s->at = kvc_span_plain_until((struct kvc_span){ s->text, s->length }, begin);
    bool is_plain = peek(s) == '"'; /* most are: ASCII, and nothing is escaped */
    for (int c = peek(s); c != '"'; c = peek(s)) {
        if (c < 0)
            return refuse(s, SYNTAX, node, "the text ends within a string");
        if (c < 0x20)
            return refuse(s, SYNTAX, node, "a control character stands in a string");
        escaped = escaped || c == '\\';
        s->at += c == '\\' ? 2 : 1;
    }
    if (s->at > s->length)
        return refuse(s, SYNTAX, node, "the text ends within a string");
    size_t end = s->at;
    struct kvc_span raw = { .text = s->text + begin, .length = end - begin };
    size_t bad;
    if (!is_plain && !kvc_span_is_utf8(raw, &bad)) {
        s->at = begin + bad;
        return refuse(s, BAD_UTF8, node, "a string is not UTF-8");
    }
    *ret_text = raw;
    if (escaped) {
        kvcap_code rc = decode_string(s, begin, end, node, ret_text);
        if (rc != KVCAP_OK)
            return rc;
    }
    s->at = end + 1;
    return KVCAP_OK;
}

/* ---- Numbers. */

static size_t digits_end(const struct scanner *s, size_t i)
{
    while (i < s->length && s->text[i] >= '0' && s->text[i] <= '9')
        i++;
    return i;
}

/* RFC 8259's number, as text. */
static kvcap_code take_number(struct scanner *s, struct kvc_value *node)
{
    size_t begin = s->at;
    size_t i = begin + (peek(s) == '-');
    size_t whole = i;
    i = digits_end(s, i);
    if (i == whole || (s->text[whole] == '0' && i - whole > 1)) {
        s->at = whole;
        return refuse(s, SYNTAX, node, "a number is badly written");
    }
    if (i < s->length && s->text[i] == '.') {
        size_t fraction = i + 1;
        i = digits_end(s, fraction);
        s->at = i;
        if (i == fraction)
            return refuse(s, SYNTAX, node, "a fraction wants digits");
    }
    if (i < s->length && (s->text[i] == 'e' || s->text[i] == 'E')) {
        size_t exponent = i + 1;
        if (exponent < s->length && (s->text[exponent] == '+' || s->text[exponent] == '-'))
            exponent++;
        i = digits_end(s, exponent);
        s->at = i;
        if (i == exponent)
            return refuse(s, SYNTAX, node, "an exponent wants digits");
    }
    s->at = i;
    node->type = KVC_NUMBER;
    node->text = (struct kvc_span){ .text = s->text + begin, .length = i - begin };
    return s->mode == KVC_SCAN_FOREIGN ? KVCAP_OK : kvc_scan_check_integer(node, s->err);
}

static bool is_plain(struct kvc_span text)
{
    for (size_t i = 0; i < text.length; i++) {
        if (text.text[i] != '-' && (text.text[i] < '0' || text.text[i] > '9'))
            return false;
    }
    return true;
}

kvcap_code kvc_scan_check_integer(const struct kvc_value *number, kvcap_error *err)
{
    struct kvc_span text = number->text;
    bool negative = text.text[0] == '-';
    struct kvc_span digits = { .text = text.text + negative, .length = text.length - negative };
    uint64_t magnitude;
    bool minus_zero = negative && kvc_span_is(digits, "0");
    if (!minus_zero && kvc_span_u64(digits, &magnitude) && magnitude < UINT64_C(1) << 53)
        return KVCAP_OK;

    char pointer[KVC_POINTER_ROOM];
    kvc_value_pointer(number, pointer);
    if (!is_plain(text))
        return kvc_fail(err, KVC_RECORD_NOT_INTEGER, pointer,
                        "a record holds integers, written without fraction or exponent");
    if (minus_zero)
        return kvc_fail(err, KVC_RECORD_NEGATIVE_ZERO, pointer, "-0 is not an integer of a record");
    return kvc_fail(err, KVC_RECORD_UNSAFE_INTEGER, pointer,
                    "an integer lies beyond 2^53-1, where JSON readers differ");
}

/* ---- Values. */

static kvcap_code take_value(struct scanner *s, struct kvc_value *node, unsigned depth);

static kvcap_code new_node(struct scanner *s, struct kvc_value *parent, struct kvc_span key,
                           struct kvc_value **ret_node)
{
    struct kvc_value *node = kvc_arena_take(s->arena, sizeof *node);
    if (node == NULL)
        return no_memory(s);
    *node = (struct kvc_value){ .offset = (uint32_t)s->at, .key = key };
    if (parent != NULL)
        kvc_value_append(parent, node);
    if (++s->values > KVC_VALUES_MAX)
        return refuse(s, TOO_LARGE, node, "the text holds more than 4,194,304 values");
    *ret_node = node;
    return KVCAP_OK;
}

static kvcap_code take_member(struct scanner *s, struct kvc_value *object, unsigned depth)
{
    skip_space(s);
    if (peek(s) != '"')
        return refuse(s, SYNTAX, object, "a key in quotes is due");
    struct kvc_span key;
    struct kvc_value *member;
    kvcap_code rc = take_string(s, object, &key);
    if (rc != KVCAP_OK)
        return rc;
    rc = new_node(s, object, key, &member);
    if (rc != KVCAP_OK)
        return rc;
    skip_space(s);
    if (!take(s, ':'))
        return refuse(s, SYNTAX, member, "a colon is due");
    return take_value(s, member, depth);
}

static kvcap_code take_element(struct scanner *s, struct kvc_value *array, unsigned depth)
{
    struct kvc_value *element;
    kvcap_code rc = new_node(s, array, (struct kvc_span){ 0 }, &element);
    return rc != KVCAP_OK ? rc : take_value(s, element, depth);
}

kvcap_code kvc_scan_close_object(struct kvc_value *object, enum kvc_scan_mode mode,
                                 kvcap_error *err)
{
    kvc_value_sort(object);
    const struct kvc_value *duplicate = kvc_value_duplicate(object);
    if (duplicate == NULL)
        return KVCAP_OK;
    char pointer[KVC_POINTER_ROOM];
    kvc_value_pointer(duplicate, pointer);
    return kvc_fail(err, slug_of(DUPLICATE_KEY, mode), pointer,
                    "the key stands twice, again at byte %u", (unsigned)duplicate->offset);
}

/* Members or elements, with their commas, up to the closing bracket. */
static kvcap_code take_children(struct scanner *s, struct kvc_value *parent, char closing,
                                unsigned depth)
{
    s->at++;
    if (depth >= KVC_DEPTH_MAX)
        return refuse(s, TOO_DEEP, parent, "values nest deeper than 64 levels");
    skip_space(s);
    if (take(s, closing))
        return KVCAP_OK;
    for (;;) {
        kvcap_code rc = parent->type == KVC_OBJECT ? take_member(s, parent, depth + 1)
                                                   : take_element(s, parent, depth + 1);
        if (rc != KVCAP_OK)
            return rc;
        skip_space(s);
        if (take(s, closing))
            return KVCAP_OK;
        if (!take(s, ','))
            return refuse(s, SYNTAX, parent,
                          peek(s) < 0 ? "the text ends too early"
                                      : "a comma or a closing bracket is due");
    }
}

static kvcap_code take_literal(struct scanner *s, struct kvc_value *node)
{
    static const struct {
        const char *word;
        enum kvc_type type;
        bool foreign; /* Python writes these and JSON does not know them: kept as number text */
    } LITERALS[] = {
        { "true", KVC_TRUE, false },      { "false", KVC_FALSE, false },
        { "null", KVC_NULL, false },      { "NaN", KVC_NUMBER, true },
        { "Infinity", KVC_NUMBER, true }, { "-Infinity", KVC_NUMBER, true },
    };
    size_t begin = s->at;
    for (size_t i = 0; i < sizeof LITERALS / sizeof LITERALS[0]; i++) {
        if (LITERALS[i].foreign && s->mode != KVC_SCAN_FOREIGN)
            continue;
        if (!take_word(s, LITERALS[i].word))
            continue;
        node->type = LITERALS[i].type;
        node->text = (struct kvc_span){ .text = s->text + begin, .length = s->at - begin };
        return KVCAP_OK;
    }
    return refuse(s, SYNTAX, node,
                  peek(s) < 0 ? "the text ends where a value is due" : "a value is due");
}

static kvcap_code take_value(struct scanner *s, struct kvc_value *node, unsigned depth)
{
    skip_space(s);
    node->offset = (uint32_t)s->at;
    int c = peek(s);
    if (c == '{') {
        node->type = KVC_OBJECT;
        kvcap_code rc = take_children(s, node, '}', depth);
        return rc != KVCAP_OK ? rc : kvc_scan_close_object(node, s->mode, s->err);
    }
    if (c == '[') {
        node->type = KVC_ARRAY;
        return take_children(s, node, ']', depth);
    }
    if (c == '"') {
        node->type = KVC_STRING;
        return take_string(s, node, &node->text);
    }
    bool digit_follows =
        s->at + 1 < s->length && s->text[s->at + 1] >= '0' && s->text[s->at + 1] <= '9';
    if ((c >= '0' && c <= '9') || (c == '-' && digit_follows))
        return take_number(s, node);
    return take_literal(s, node);
}

/* What both ways of reading begin with: the text's length, its first byte, and a root. */
static kvcap_code begin_text(struct scanner *s, size_t bytes_max, struct kvc_value **ret_root)
{
    assert(bytes_max < UINT32_MAX);
    if (s->length > bytes_max)
        return kvc_fail(s->err, slug_of(TOO_LARGE, s->mode), "",
                        "the text is longer than %zu bytes", bytes_max);
    skip_space(s);
    if (s->at == s->length)
        return kvc_fail(s->err, slug_of(EMPTY, s->mode), "", "the text holds no value");
    return new_node(s, NULL, (struct kvc_span){ 0 }, ret_root);
}

static kvcap_code end_text(struct scanner *s, const struct kvc_value *root)
{
    skip_space(s);
    return s->at == s->length ? KVCAP_OK
                              : refuse(s, TRAILING_BYTES, root, "text follows the value");
}

kvcap_code kvc_scan(struct kvc_arena *arena, struct kvc_span text, size_t bytes_max,
                    enum kvc_scan_mode mode, struct kvc_value **ret_root, kvcap_error *err)
{
    struct scanner s = {
        .text = text.text, .length = text.length, .arena = arena, .mode = mode, .err = err
    };
    struct kvc_value *root;
    kvcap_code rc = begin_text(&s, bytes_max, &root);
    if (rc == KVCAP_OK)
        rc = take_value(&s, root, 0);
    if (rc == KVCAP_OK)
        rc = end_text(&s, root);
    if (rc == KVCAP_OK)
        *ret_root = root;
    return rc;
}

static kvcap_code hand_member(struct scanner *s, struct kvc_value *root,
                              const struct kvc_member_taker *taker)
{
    struct kvc_mark mark = kvc_arena_mark(s->arena);
    s->values = 0;
    kvcap_code rc = take_member(s, root, 1);
    const struct kvc_value *member = root->last;
    root->first = root->last = NULL;
    root->count = 0;
    return rc != KVCAP_OK ? rc : taker->take(taker->context, member, mark, s->err);
}

kvcap_code kvc_scan_members(struct kvc_arena *arena, struct kvc_span text, size_t bytes_max,
                            enum kvc_scan_mode mode, enum kvc_slug not_object,
                            const struct kvc_member_taker *taker, kvcap_error *err)
{
    struct scanner s = {
        .text = text.text, .length = text.length, .arena = arena, .mode = mode, .err = err
    };
    struct kvc_value *root;
    kvcap_code rc = begin_text(&s, bytes_max, &root);
    if (rc != KVCAP_OK)
        return rc;
    if (!take(&s, '{'))
        return kvc_fail(err, not_object, "", "the text is no object");
    root->type = KVC_OBJECT;
    skip_space(&s);
    bool closed = take(&s, '}');
    while (!closed) {
        rc = hand_member(&s, root, taker);
        if (rc != KVCAP_OK)
            return rc;
        skip_space(&s);
        closed = take(&s, '}');
        if (!closed && !take(&s, ','))
            return refuse(&s, SYNTAX, root,
                          peek(&s) < 0 ? "the text ends too early"
                                       : "a comma or a closing bracket is due");
    }
    return end_text(&s, root);
}
