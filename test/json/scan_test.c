/* Goal: the scanner takes what RFC 8259 takes, less what a record must not hold, and names the rest;
 * a refusal leaves no trace.
 * Method: a table of broken texts; every beginning of a whole text; random values in random
 * spellings, and spoiled ones, beside jansson; memory that refuses at every point there is. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "support/chance.h"
#include "support/faulty_memory.h"
#include "support/jansson_oracle.h"
#include "support/random_json.h"
#include "json/broken_texts.h"
#include "json/scan.h"

#define BYTES_MAX ((size_t)1 << 20)

struct fixture {
    struct faulty_memory memory;
    struct kvc_arena arena;
    kvcap_error err;
    struct kvc_value *root;
};

static struct kvc_value UNTOUCHED;

static void begin(struct fixture *f)
{
    faulty_memory_begin(&f->memory, 0);
    kvc_arena_from(&f->arena, &f->memory.memory, SIZE_MAX);
    memset(&f->err, 0, sizeof f->err);
    f->root = &UNTOUCHED;
}

static void end(struct fixture *f)
{
    kvc_arena_drop(&f->arena);
    assert_int_equal(f->memory.blocks, 0);
}

/* The text is scanned where it ends at the end of its block, so that a sanitizer sees a byte read
 * past it.  The block is freed: results that borrow it must not be looked at. */
static kvcap_code scan_exactly(struct fixture *f, struct kvc_span text, enum kvc_scan_mode mode)
{
    char *copy = malloc(text.length > 0 ? text.length : 1);
    assert_non_null(copy);
    if (text.length > 0)
        memcpy(copy, text.text, text.length);
    struct kvc_span exact = { text.length > 0 ? copy : NULL, text.length };
    kvcap_code rc = kvc_scan(&f->arena, exact, BYTES_MAX, mode, &f->root, &f->err);
    free(copy);
    return rc;
}

static kvcap_code scan(struct fixture *f, struct kvc_span text, enum kvc_scan_mode mode)
{
    return kvc_scan(&f->arena, text, BYTES_MAX, mode, &f->root, &f->err);
}

/* ---- What is refused. */

static void check_refused(struct kvc_span text, enum kvc_scan_mode mode, const char *slug,
                          const char *at)
{
    struct fixture f;
    begin(&f);
    kvcap_code rc = scan_exactly(&f, text, mode);
    if (rc == KVCAP_OK || strcmp(f.err.slug, slug) != 0 || strcmp(f.err.at, at) != 0)
        fail_msg("%.*s\nis %d, %s at \"%s\", not %s at \"%s\"", (int)text.length, text.text,
                 (int)rc, f.err.slug, f.err.at, slug, at);
    assert_int_equal(rc, f.err.code);
    assert_int_equal(rc, mode == KVC_SCAN_RECORD ? KVCAP_E_RECORD : KVCAP_E_METADATA);
    assert_true(f.err.text[0] != '\0');
    assert_ptr_equal(f.root, &UNTOUCHED);
    /* The same without anybody to tell. */
    assert_int_equal(kvc_scan(&f.arena, text, BYTES_MAX, mode, &f.root, NULL), rc);
    assert_ptr_equal(f.root, &UNTOUCHED);
    end(&f);
}

static void broken_texts_are_refused_by_name_and_place(void **state)
{
    (void)state;
    assert_true(BROKEN_TEXTS_COUNT >= 60);
    for (size_t i = 0; i < BROKEN_TEXTS_COUNT; i++)
        check_refused((struct kvc_span){ BROKEN_TEXTS[i].text, BROKEN_TEXTS[i].length },
                      KVC_SCAN_RECORD, BROKEN_TEXTS[i].slug, BROKEN_TEXTS[i].at);
}

/* In foreign text the same texts are refused as json.*, but for numbers and Python's words. */
static void foreign_text_is_refused_alike_but_for_its_numbers(void **state)
{
    (void)state;
    size_t numbers = 0;
    for (size_t i = 0; i < BROKEN_TEXTS_COUNT; i++) {
        const struct broken_text *row = &BROKEN_TEXTS[i];
        struct kvc_span text = { row->text, row->length };
        bool number = strstr(row->slug, "integer") != NULL || strstr(row->slug, "zero") != NULL ||
                      strstr(row->text, "Infinity") != NULL || strcmp(row->text, "NaN") == 0;
        numbers += number;
        if (number)
            continue;
        char slug[48];
        snprintf(slug, sizeof slug, "json.%s", row->slug + strlen("record."));
        check_refused(text, KVC_SCAN_FOREIGN, slug, row->at);
    }
    assert_in_range(numbers, 15, 25);
    check_refused(kvc_span_of("1.5.5"), KVC_SCAN_FOREIGN, "json.trailing_bytes", "");
    check_refused(kvc_span_of("Infinit"), KVC_SCAN_FOREIGN, "json.syntax", "");
    check_refused(kvc_span_of("+Infinity"), KVC_SCAN_FOREIGN, "json.syntax", "");
    check_refused(kvc_span_of("-NaN"), KVC_SCAN_FOREIGN, "json.syntax", "");
    check_refused(kvc_span_of("[nan]"), KVC_SCAN_FOREIGN, "json.syntax", "/0");
}

static void foreign_numbers_keep_their_text(void **state)
{
    (void)state;
    static const char *const NUMBERS[] = {
        "NaN",
        "Infinity",
        "-Infinity",
        "1.5",
        "1e3",
        "1E+2",
        "1e-05",
        "-0",
        "-0.0",
        "0.50",
        "1e999",
        "9007199254740993",
        "123456789012345678901234567890",
        "-1.0e-0",
    };
    for (size_t i = 0; i < sizeof NUMBERS / sizeof NUMBERS[0]; i++) {
        struct fixture f;
        begin(&f);
        char text[64];
        snprintf(text, sizeof text, "{\"a\":[ %s ]}", NUMBERS[i]);
        assert_int_equal(scan(&f, kvc_span_of(text), KVC_SCAN_FOREIGN), KVCAP_OK);
        const struct kvc_value *number = f.root->first->first;
        assert_int_equal(number->type, KVC_NUMBER);
        assert_true(kvc_span_is(number->text, NUMBERS[i]));
        end(&f);
    }
}

/* Goal: no beginning of a text passes for the whole.  Method: a text with all that can be cut. */
static void a_text_cut_anywhere_is_refused(void **state)
{
    (void)state;
    static const char WHOLE[] =
        "{\"kind\":\"kv-model\",\"\xC3\xA9\\u00e9\\ud83d\\ude00\":[null,true,false,-12,0],"
        "\"b\\\"\\\\\":{\"c\":{},\"d\":[],\"e\":\"\xF0\x9F\x98\x80\"}}";
    struct fixture f;
    begin(&f);
    assert_int_equal(scan(&f, kvc_span_of(WHOLE), KVC_SCAN_RECORD), KVCAP_OK);
    end(&f);
    for (size_t length = 0; length < sizeof WHOLE - 1; length++) {
        begin(&f);
        struct kvc_span text = { WHOLE, length };
        assert_int_equal(scan_exactly(&f, text, KVC_SCAN_RECORD), KVCAP_E_RECORD);
        assert_string_equal(f.err.slug, length == 0 ? "record.empty" : "record.syntax");
        assert_int_equal(scan_exactly(&f, text, KVC_SCAN_FOREIGN), KVCAP_E_METADATA);
        assert_ptr_equal(f.root, &UNTOUCHED);
        end(&f);
    }
}

static void a_refusal_tells_the_byte(void **state)
{
    (void)state;
    static const char *const ROWS[][2] = {
        { "[1, x]", "at byte 4" },
        { "[1 2]", "at byte 3" },
        { "{\"a\":1} x", "at byte 8" },
        { "[\"ab\xFF\"]", "at byte 4" },
        { "[01]", "at byte 1" },
        { "{\"a\" 1}", "at byte 5" },
        { "{\"a\":1,\"a\":22}", "at byte 11" },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        struct fixture f;
        begin(&f);
        assert_int_equal(scan(&f, kvc_span_of(ROWS[i][0]), KVC_SCAN_RECORD), KVCAP_E_RECORD);
        size_t length = strlen(f.err.text), due = strlen(ROWS[i][1]);
        assert_true(length > due);
        assert_string_equal(f.err.text + length - due, ROWS[i][1]);
        end(&f);
    }
}

/* ---- Limits. */

/* `levels` arrays or objects, one in the other, about a 0. */
static char *nested(unsigned levels, const char *open, const char *close)
{
    size_t room = levels * (strlen(open) + strlen(close)) + 2, used = 0;
    char *text = calloc(1, room);
    assert_non_null(text);
    for (unsigned i = 0; i < levels; i++, used += strlen(open))
        memcpy(text + used, open, strlen(open));
    text[used++] = '0';
    for (unsigned i = 0; i < levels; i++, used += strlen(close))
        memcpy(text + used, close, strlen(close));
    return text;
}

static void sixty_four_levels_are_taken_and_no_more(void **state)
{
    (void)state;
    static const char *const PAIRS[][2] = { { "[", "]" },
                                            { "{\"a\":", "}" },
                                            { "[{\"a\":", "}]" } };
    for (size_t i = 0; i < sizeof PAIRS / sizeof PAIRS[0]; i++) {
        unsigned a_pair = i == 2 ? 2 : 1;
        for (int mode = KVC_SCAN_RECORD; mode <= KVC_SCAN_FOREIGN; mode++) {
            struct fixture f;
            begin(&f);
            char *fits = nested(64 / a_pair, PAIRS[i][0], PAIRS[i][1]);
            char *deeper = nested(64 / a_pair + 1, PAIRS[i][0], PAIRS[i][1]);
            char *endless = nested(100000, PAIRS[i][0], "");
            assert_int_equal(scan(&f, kvc_span_of(fits), (enum kvc_scan_mode)mode), KVCAP_OK);
            const char *slug = mode == KVC_SCAN_RECORD ? "record.too_deep" : "json.too_deep";
            assert_int_not_equal(scan(&f, kvc_span_of(deeper), (enum kvc_scan_mode)mode), KVCAP_OK);
            assert_string_equal(f.err.slug, slug);
            assert_int_not_equal(scan(&f, kvc_span_of(endless), (enum kvc_scan_mode)mode),
                                 KVCAP_OK);
            assert_string_equal(f.err.slug, slug);
            end(&f);
            free(fits);
            free(deeper);
            free(endless);
        }
    }
}

/* The pointer of the 65th level has 128 bytes, more than the error has room for. */
static void the_place_of_the_sixty_fifth_level_keeps_both_ends(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    char *deeper = nested(65, "{\"a\":", "}");
    assert_int_equal(scan(&f, kvc_span_of(deeper), KVC_SCAN_RECORD), KVCAP_E_RECORD);
    assert_int_equal(strlen(f.err.at), sizeof f.err.at - 1);
    assert_non_null(strstr(f.err.at, "..."));
    assert_int_equal(strspn(f.err.at, "/a."), strlen(f.err.at));
    end(&f);
    free(deeper);
}

static void a_text_may_be_as_long_as_stated_and_no_longer(void **state)
{
    (void)state;
    static const char TEXT[] = "[1, 2, 3]  ";
    for (size_t limit = 0; limit < 20; limit++) {
        for (int mode = KVC_SCAN_RECORD; mode <= KVC_SCAN_FOREIGN; mode++) {
            struct fixture f;
            begin(&f);
            kvcap_code rc = kvc_scan(&f.arena, kvc_span_of(TEXT), limit, (enum kvc_scan_mode)mode,
                                     &f.root, &f.err);
            if (limit >= sizeof TEXT - 1) {
                assert_int_equal(rc, KVCAP_OK);
            } else {
                bool record = mode == KVC_SCAN_RECORD;
                assert_string_equal(f.err.slug, record ? "record.too_large" : "json.too_large");
                assert_string_equal(f.err.at, "");
                assert_int_equal(f.memory.gets, 0);
            }
            end(&f);
        }
    }
}

static void integers_reach_to_two_to_the_53_less_one(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 20000; i++) {
        uint64_t magnitude = chance_edgy(&chance);
        if (chance_one_in(&chance, 3))
            magnitude = (UINT64_C(1) << 53) - 4 + chance_below(&chance, 8);
        bool negative = chance_one_in(&chance, 2);
        char text[32];
        snprintf(text, sizeof text, "%s%llu", negative ? "-" : "", (unsigned long long)magnitude);
        const char *due = magnitude > 9007199254740991u ? "record.unsafe_integer"
                          : negative && magnitude == 0  ? "record.negative_zero"
                                                        : "";
        struct fixture f;
        begin(&f);
        kvcap_code rc = scan(&f, kvc_span_of(text), KVC_SCAN_RECORD);
        chance_check(&chance, (rc == KVCAP_OK) == (due[0] == '\0'));
        chance_check(&chance, strcmp(f.err.slug, due) == 0);
        chance_check(&chance, rc != KVCAP_OK || kvc_span_is(f.root->text, text));
        end(&f);
    }
}

/* ---- What is accepted. */

static void any_value_may_be_the_root(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum kvc_type type;
    } ROWS[] = {
        { " null ", KVC_NULL }, { "true", KVC_TRUE },     { "\tfalse\n", KVC_FALSE },
        { "0", KVC_NUMBER },    { "-12", KVC_NUMBER },    { "\"\"", KVC_STRING },
        { "[]", KVC_ARRAY },    { "\r\n{}", KVC_OBJECT }, { "{ }", KVC_OBJECT },
        { "[ ]", KVC_ARRAY },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        struct fixture f;
        begin(&f);
        assert_int_equal(scan_exactly(&f, kvc_span_of(ROWS[i].text), KVC_SCAN_RECORD), KVCAP_OK);
        assert_int_equal(f.root->type, ROWS[i].type);
        assert_int_equal(f.root->count, 0);
        end(&f);
    }
}

static void texts_without_escapes_are_borrowed(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    const char *text = "{\"plain\":\"also\",\"\\u0061\":\"b\\n\"}";
    size_t length = strlen(text);
    assert_int_equal(scan(&f, kvc_span_of(text), KVC_SCAN_RECORD), KVCAP_OK);
    const struct kvc_value *decoded = f.root->first, *plain = decoded->next;
    assert_true(plain->key.text > text && plain->key.text < text + length);
    assert_true(plain->text.text > text && plain->text.text < text + length);
    assert_true(decoded->key.text < text || decoded->key.text >= text + length);
    assert_true(kvc_span_is(decoded->key, "a") && kvc_span_is(decoded->text, "b\n"));
    end(&f);
}

/* The byte that a node says it began at shows its type. */
static void check_offsets(const struct chance *chance, struct kvc_span text,
                          const struct kvc_value *value)
{
    static const char *const FIRST[] = { "n", "f", "t", "-0123456789", "\"", "[", "{" };
    chance_check(chance, value->offset < text.length);
    chance_check(chance, strchr(FIRST[value->type], text.text[value->offset]) != NULL);
    for (const struct kvc_value *child = value->first; child != NULL; child = child->next) {
        chance_check(chance, child->offset > value->offset && child->parent == value);
        check_offsets(chance, text, child);
    }
}

static void nodes_know_where_they_began(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 1000; i++) {
        struct fixture f;
        begin(&f);
        struct spelled spelled;
        spelled_begin(&spelled);
        spell_json(&chance, random_tree(&chance, &f.arena, 5), spelled.out);
        struct kvc_span text = spelled_end(&spelled);
        chance_check(&chance, scan(&f, text, KVC_SCAN_RECORD) == KVCAP_OK);
        check_offsets(&chance, text, f.root);
        free(spelled.text);
        end(&f);
    }
}

/* ---- Beside jansson. */

/* What they differ on, with its NULs. */
static void show(int mode, kvcap_code rc, const kvcap_error *err, struct kvc_span text)
{
    print_error("mode %d, %d %s: ", mode, (int)rc, err->slug);
    for (size_t i = 0; i < text.length; i++)
        print_error(text.text[i] >= 0x20 ? "%c" : "<%02X>", (unsigned char)text.text[i]);
    print_error("\n");
}

/* Counts the verdicts, so that the test can see that each entry of the list was met. */
static void ask_jansson(const struct chance *chance, struct kvc_span text, uint64_t *verdicts,
                        uint64_t *accepted)
{
    for (int mode = KVC_SCAN_RECORD; mode <= KVC_SCAN_FOREIGN; mode++) {
        struct fixture f;
        begin(&f);
        kvcap_code rc = scan(&f, text, (enum kvc_scan_mode)mode);
        enum oracle_verdict verdict =
            jansson_verdict(text, (enum kvc_scan_mode)mode, rc, f.root, &f.err);
        if (verdict == ORACLE_DIFFERS)
            show(mode, rc, &f.err, text);
        chance_check(chance, verdict != ORACLE_DIFFERS);
        chance_check(chance, rc == KVCAP_OK || f.root == &UNTOUCHED);
        verdicts[verdict]++;
        *accepted += rc == KVCAP_OK;
        end(&f);
    }
}

static void jansson_agrees_on_whole_and_spoiled_texts(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    uint64_t verdicts[ORACLE_VERDICTS_COUNT] = { 0 }, accepted = 0, asked = 0;
    for (int i = 0; i < 6000; i++) {
        struct fixture f;
        begin(&f);
        struct spelled spelled;
        spelled_begin(&spelled);
        spell_json(&chance, random_tree(&chance, &f.arena, 4), spelled.out);
        struct kvc_span text = spelled_end(&spelled);
        ask_jansson(&chance, text, verdicts, &accepted);
        char spoiled[4096];
        for (int k = 0; k < 6 && text.length < sizeof spoiled / 2; k++) {
            memcpy(spoiled, text.text, text.length);
            size_t length = mutate_text(&chance, spoiled, text.length, sizeof spoiled);
            ask_jansson(&chance, (struct kvc_span){ spoiled, length }, verdicts, &accepted);
            asked += 2;
        }
        free(spelled.text);
        end(&f);
    }
    /* Spoiled texts must fall on both sides, or they are not near the border. */
    chance_check(&chance, accepted > asked / 5 && accepted < asked * 4 / 5);
}

static void jansson_agrees_on_the_table_and_its_kin(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    uint64_t verdicts[ORACLE_VERDICTS_COUNT] = { 0 }, accepted = 0;
    for (size_t i = 0; i < BROKEN_TEXTS_COUNT; i++) {
        char spoiled[256];
        struct kvc_span text = { BROKEN_TEXTS[i].text, BROKEN_TEXTS[i].length };
        ask_jansson(&chance, text, verdicts, &accepted);
        for (int k = 0; k < 300; k++) {
            if (text.length > 0)
                memcpy(spoiled, text.text, text.length);
            size_t length = mutate_text(&chance, spoiled, text.length, sizeof spoiled);
            ask_jansson(&chance, (struct kvc_span){ spoiled, length }, verdicts, &accepted);
        }
    }
    char *deep = nested(66, "[", "]"), *levels = nested(64, "{\"a\":", "}");
    ask_jansson(&chance, kvc_span_of(deep), verdicts, &accepted);
    ask_jansson(&chance, kvc_span_of(levels), verdicts, &accepted);
    ask_jansson(&chance, kvc_span_of("[1e999,-1E+400]"), verdicts, &accepted);
    ask_jansson(&chance, kvc_span_of("{\"\\u0000\":1}"), verdicts, &accepted);
    ask_jansson(&chance, kvc_span_of("\"\\u0000\""), verdicts, &accepted);
    ask_jansson(&chance, (struct kvc_span){ "[1\0,true\0]", 10 }, verdicts, &accepted);
    free(deep);
    free(levels);
    for (int verdict = 0; verdict < ORACLE_VERDICTS_COUNT; verdict++)
        chance_check(&chance, verdicts[verdict] > 0);
    chance_check(&chance, accepted > 1000);
}

/* ---- Memory. */

/* With every turn a scanner has: nested, escaped, decoded, sorted. */
static const char RICH[] =
    "{\"b\":[1,{\"\\u0063\":\"d\\n\"},[[]],\"plain\"],\"a\":{\"\\ud83d\\ude00\":"
    "null,\"k\":true,\"j\":false},\"long\\t\":\"\\\"0123456789abcdef\"}";

/* Goal: want of memory at any point is told, and nothing else happens.
 * Method: buffers of every size, until the text passes. */
static void every_buffer_too_small_is_refused_whole(void **state)
{
    (void)state;
    static _Alignas(16) char buffer[16384];
    int refused = 0;
    for (size_t bytes = 0;; bytes += 16) {
        assert_true(bytes < sizeof buffer);
        struct fixture f;
        begin(&f);
        kvc_arena_over(&f.arena, buffer, bytes);
        kvcap_code rc = scan(&f, kvc_span_of(RICH), KVC_SCAN_RECORD);
        if (rc == KVCAP_OK)
            break;
        refused++;
        assert_int_equal(rc, KVCAP_E_NOMEM);
        assert_int_equal(f.err.code, KVCAP_E_NOMEM);
        assert_string_equal(f.err.slug, "memory.full");
        assert_ptr_equal(f.root, &UNTOUCHED);
        assert_int_equal(
            kvc_scan(&f.arena, kvc_span_of(RICH), BYTES_MAX, KVC_SCAN_FOREIGN, &f.root, NULL),
            KVCAP_E_NOMEM);
    }
    assert_true(refused > 60);
}

/* The same with chunks: the Nth request is refused, for N = 1, 2, ... until the text passes. */
static void every_refused_chunk_is_told_and_nothing_is_lost(void **state)
{
    (void)state;
    size_t room = 40000 * 8, used = 1;
    char *text = malloc(room);
    assert_non_null(text);
    text[0] = '[';
    for (int i = 0; i < 30000; i++)
        used += (size_t)snprintf(text + used, room - used, i % 3 == 0 ? "%s\"\\n\"" : "%s7",
                                 i == 0 ? "" : ",");
    text[used++] = ']';
    uint64_t refused = 0;
    for (uint64_t refuse_at = 1;; refuse_at++) {
        struct fixture f;
        begin(&f);
        f.memory.refuse_at = refuse_at;
        kvcap_code rc = scan(&f, (struct kvc_span){ text, used }, KVC_SCAN_RECORD);
        if (rc != KVCAP_OK) {
            refused++;
            assert_int_equal(rc, KVCAP_E_NOMEM);
            assert_string_equal(f.err.slug, "memory.full");
            assert_ptr_equal(f.root, &UNTOUCHED);
            assert_int_equal(f.memory.gets, refuse_at); /* it did not go on asking */
        } else {
            assert_int_equal(f.root->count, 30000);
        }
        end(&f);
        if (rc == KVCAP_OK)
            break;
    }
    assert_true(refused >= 5);
    free(text);
}

/* ---- For whoever builds on it. */

static void an_integer_s_text_is_checked_alone(void **state)
{
    (void)state;
    static const char *const ROWS[][2] = {
        { "0", "" },
        { "-1", "" },
        { "9007199254740991", "" },
        { "9007199254740992", "record.unsafe_integer" },
        { "-0", "record.negative_zero" },
        { "1.5", "record.not_integer" },
        { "1e5", "record.not_integer" },
        { "NaN", "record.not_integer" },
        { "-Infinity", "record.not_integer" },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        struct kvc_value number = { .type = KVC_NUMBER, .text = kvc_span_of(ROWS[i][0]) };
        kvcap_error err = { .slug = "" };
        kvcap_code rc = kvc_scan_check_integer(&number, &err);
        assert_int_equal(rc == KVCAP_OK, ROWS[i][1][0] == '\0');
        assert_string_equal(err.slug, ROWS[i][1]);
    }
}

/* ---- Member by member. */

struct taken {
    struct kvc_arena *arena;
    struct kvc_value *copy; /* an object of all members, as kvc_scan makes it */
    struct kvc_build build;
    bool rewinds;
    size_t count;
};

static kvcap_code take_copy(void *context, const struct kvc_value *member, struct kvc_mark mark,
                            kvcap_error *err)
{
    struct taken *taken = context;
    char pointer[KVC_POINTER_ROOM];
    (void)err;
    assert_int_equal(member->parent->type, KVC_OBJECT);
    kvc_value_pointer(member, pointer);
    assert_int_equal(pointer[0], '/');
    taken->count++;
    if (taken->rewinds) {
        kvc_arena_rewind(taken->arena, mark);
        return KVCAP_OK;
    }
    struct kvc_value *node = kvc_arena_take(taken->arena, sizeof *node);
    assert_non_null(node);
    *node = *member;
    node->next = NULL;
    kvc_value_append(taken->copy, node);
    return KVCAP_OK;
}

static kvcap_code scan_members(struct kvc_arena *arena, const char *text, bool rewinds,
                               struct taken *taken, kvcap_error *err)
{
    *taken = (struct taken){ .arena = arena, .rewinds = rewinds, .build = { .arena = arena } };
    taken->copy = kvc_build_object(&taken->build, NULL, NULL);
    struct kvc_member_taker taker = { .take = take_copy, .context = taken };
    return kvc_scan_members(arena, kvc_span_of(text), 1 << 20, KVC_SCAN_FOREIGN,
                            KVC_SAFETENSORS_NOT_OBJECT, &taker, err);
}

/* Read both ways, a text is accepted or refused alike, by the same slug at the same place; but for a
 * key that stands twice, which is the taker's to see. */
static void members_one_by_one_are_the_members_of_the_tree(void **state)
{
    static const char *const TEXTS[] = {
        "{}",
        " { } ",
        "{\"a\":1}",
        "{\"a\":{\"b\":[1,2,{\"c\":null}]},\"d\":\"e\"}",
        "{\"\\u0061\":1, \"b\" : [ ] }\n",
        "{",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,",
        "{\"a\":1,}",
        "{\"a\":1 \"b\":2}",
        "{,}",
        "{1:2}",
        "{\"a\":1}x",
        "{\"a\":tru}",
        "{\"a\":{\"b\":1,\"b\":2}}",
        "",
        "  ",
    };
    (void)state;
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
        static char buffer[64 * 1024];
        struct kvc_arena arena;
        struct kvc_value *tree;
        struct taken taken;
        kvcap_error a = { 0 }, b = { 0 };
        kvc_arena_over(&arena, buffer, sizeof buffer);
        kvcap_code whole =
            kvc_scan(&arena, kvc_span_of(TEXTS[i]), 1 << 20, KVC_SCAN_FOREIGN, &tree, &a);
        kvcap_code one_by_one = scan_members(&arena, TEXTS[i], false, &taken, &b);
        assert_int_equal(whole, one_by_one);
        assert_string_equal(a.slug, b.slug);
        assert_string_equal(a.at, b.at);
        assert_string_equal(a.text, b.text);
        if (whole == KVCAP_OK) {
            const struct kvc_value *differing;
            kvc_value_sort(taken.copy);
            assert_true(kvc_value_equal(tree, taken.copy, &differing));
        }
        kvc_arena_drop(&arena);
    }
}

static void only_an_object_has_members(void **state)
{
    static const char *const TEXTS[] = { "[]", "1", "\"a\"", "null", "x" };
    (void)state;
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
        static char buffer[4096];
        struct kvc_arena arena;
        struct taken taken;
        kvcap_error err = { 0 };
        kvc_arena_over(&arena, buffer, sizeof buffer);
        assert_int_equal(scan_members(&arena, TEXTS[i], true, &taken, &err), KVCAP_E_METADATA);
        assert_string_equal(err.slug, "safetensors.not_object");
        assert_int_equal(taken.count, 0);
        kvc_arena_drop(&arena);
    }
}

/* A thousand members pass through memory for a few. */
static void members_that_are_given_back_cost_nothing(void **state)
{
    static char text[64 * 1024], buffer[2048];
    struct kvc_arena arena;
    struct taken taken;
    kvcap_error err;
    size_t length = 1;
    (void)state;
    text[0] = '{';
    for (unsigned i = 0; i < 1000; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s\"key-%u\":[%u,%u]",
                                   i == 0 ? "" : ",", i, i, i);
    snprintf(text + length, sizeof text - length, "}");
    kvc_arena_over(&arena, buffer, sizeof buffer);
    assert_int_equal(scan_members(&arena, text, true, &taken, &err), KVCAP_OK);
    assert_int_equal(taken.count, 1000);
    kvc_arena_drop(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_texts_are_refused_by_name_and_place),
        cmocka_unit_test(foreign_text_is_refused_alike_but_for_its_numbers),
        cmocka_unit_test(foreign_numbers_keep_their_text),
        cmocka_unit_test(a_text_cut_anywhere_is_refused),
        cmocka_unit_test(a_refusal_tells_the_byte),
        cmocka_unit_test(sixty_four_levels_are_taken_and_no_more),
        cmocka_unit_test(the_place_of_the_sixty_fifth_level_keeps_both_ends),
        cmocka_unit_test(a_text_may_be_as_long_as_stated_and_no_longer),
        cmocka_unit_test(integers_reach_to_two_to_the_53_less_one),
        cmocka_unit_test(any_value_may_be_the_root),
        cmocka_unit_test(texts_without_escapes_are_borrowed),
        cmocka_unit_test(nodes_know_where_they_began),
        cmocka_unit_test(jansson_agrees_on_whole_and_spoiled_texts),
        cmocka_unit_test(jansson_agrees_on_the_table_and_its_kin),
        cmocka_unit_test(every_buffer_too_small_is_refused_whole),
        cmocka_unit_test(every_refused_chunk_is_told_and_nothing_is_lost),
        cmocka_unit_test(an_integer_s_text_is_checked_alone),
        cmocka_unit_test(members_one_by_one_are_the_members_of_the_tree),
        cmocka_unit_test(only_an_object_has_members),
        cmocka_unit_test(members_that_are_given_back_cost_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
