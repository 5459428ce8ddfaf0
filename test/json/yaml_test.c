/* Goal: YAML means what the same record in JSON means, or is refused by name; nothing that a reader
 * of the file sees can mean something else.
 * Method: random values written as YAML by a speller that knows nothing of libyaml; tables of texts
 * that mean this and of tricks that are refused; memory that refuses at every point, ours and
 * libyaml's. */

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
#include "support/random_json.h"
#include "json/yaml.h"

#define BYTES_MAX ((size_t)1 << 20)

/* ---- libyaml's memory.  It allocates through these four, which a program may define for itself;
 * so its want of memory can be tried as ours can. */

static uint64_t yaml_gets, yaml_refuse_at; /* 0: none */
static size_t yaml_blocks;

__attribute__((visibility("default"))) void *yaml_malloc(size_t bytes);
__attribute__((visibility("default"))) void *yaml_realloc(void *block, size_t bytes);
__attribute__((visibility("default"))) void yaml_free(void *block);
__attribute__((visibility("default"))) unsigned char *yaml_strdup(const unsigned char *text);

void *yaml_realloc(void *block, size_t bytes)
{
    if (++yaml_gets == yaml_refuse_at)
        return NULL;
    void *bigger = realloc(block, bytes == 0 ? 1 : bytes);
    yaml_blocks += block == NULL && bigger != NULL;
    return bigger;
}

void *yaml_malloc(size_t bytes)
{
    return yaml_realloc(NULL, bytes);
}

void yaml_free(void *block)
{
    yaml_blocks -= block != NULL;
    free(block);
}

unsigned char *yaml_strdup(const unsigned char *text)
{
    if (text == NULL)
        return NULL;
    size_t bytes = strlen((const char *)text) + 1;
    unsigned char *copy = yaml_malloc(bytes);
    return copy == NULL ? NULL : memcpy(copy, text, bytes);
}

/* ---- */

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
    yaml_gets = yaml_refuse_at = 0;
}

static void end(struct fixture *f)
{
    kvc_arena_drop(&f->arena);
    assert_int_equal(f->memory.blocks, 0);
    assert_int_equal(yaml_blocks, 0);
}

/* The text ends at the end of its block and is gone afterwards: the tree holds copies. */
static kvcap_code read_yaml(struct fixture *f, struct kvc_span text)
{
    char *copy = malloc(text.length + 1);
    assert_non_null(copy);
    char *exact = copy + 1; /* so that even an empty text has an address of its own */
    if (text.length > 0)
        memcpy(exact, text.text, text.length);
    kvcap_code rc =
        kvc_yaml(&f->arena, (struct kvc_span){ exact, text.length }, BYTES_MAX, &f->root, &f->err);
    memset(copy, '?', text.length + 1);
    free(copy);
    return rc;
}

static const struct kvc_value *read_json(struct fixture *f, struct kvc_span text)
{
    struct kvc_value *root = NULL;
    assert_int_equal(kvc_scan(&f->arena, text, BYTES_MAX, KVC_SCAN_RECORD, &root, NULL), KVCAP_OK);
    return root;
}

/* ---- What it means. */

struct meaning {
    const char *yaml, *json;
};

static void check_meaning(const char *yaml, size_t length, const char *json)
{
    struct fixture f;
    begin(&f);
    kvcap_code rc = read_yaml(&f, (struct kvc_span){ yaml, length });
    if (rc != KVCAP_OK)
        fail_msg("%s\nis refused: %s at \"%s\", %s", yaml, f.err.slug, f.err.at, f.err.text);
    const struct kvc_value *differing;
    if (!kvc_value_equal(read_json(&f, kvc_span_of(json)), f.root, &differing))
        fail_msg("%s\nis not %s", yaml, json);
    end(&f);
}

static void plain_words_mean_themselves(void **state)
{
    (void)state;
    static const struct meaning ROWS[] = {
        { "1", "1" },
        { "0", "0" },
        { "-12", "-12" },
        { "9007199254740991", "9007199254740991" },
        { "true", "true" },
        { "false", "false" },
        { "null", "null" },
        { "---\n", "null" },
        { "a:", "{\"a\":null}" },
        { "a: # remark", "{\"a\":null}" },
        { "- \n- 1", "[null,1]" },
        { "{a: , b}", "{\"a\":null,\"b\":null}" },
        /* What YAML 1.1 or 1.2 would read as something else is text. */
        { "no", "\"no\"" },
        { "yes", "\"yes\"" },
        { "on", "\"on\"" },
        { "y", "\"y\"" },
        { "True", "\"True\"" },
        { "FALSE", "\"FALSE\"" },
        { "Null", "\"Null\"" },
        { "~", "\"~\"" },
        { "0x10", "\"0x10\"" },
        { "0o17", "\"0o17\"" },
        { "0b11", "\"0b11\"" },
        { "01", "\"01\"" },
        { "-01", "\"-01\"" },
        { "00", "\"00\"" },
        { "+1", "\"+1\"" },
        { "--1", "\"--1\"" },
        { "1_000", "\"1_000\"" },
        { "1,000", "\"1,000\"" },
        { "1.5", "\"1.5\"" },
        { "1.0", "\"1.0\"" },
        { "1.", "\"1.\"" },
        { ".5", "\".5\"" },
        { "1e3", "\"1e3\"" },
        { ".inf", "\".inf\"" },
        { ".nan", "\".nan\"" },
        { "NaN", "\"NaN\"" },
        { "190:20:30", "\"190:20:30\"" },
        { "2026-01-01", "\"2026-01-01\"" },
        { "2026-01-01T00:00:00Z", "\"2026-01-01T00:00:00Z\"" },
        { "1 2", "\"1 2\"" },
        { "1\n- 2", "\"1 - 2\"" }, /* a plain text goes on, and is no list */
        { "=", "\"=\"" },
        /* Whatever stands in quotes or in a block is text. */
        { "\"1\"", "\"1\"" },
        { "'1'", "\"1\"" },
        { "'true'", "\"true\"" },
        { "\"null\"", "\"null\"" },
        { "''", "\"\"" },
        { "|\n  12\n", "\"12\\n\"" },
        { "|-\n  12", "\"12\"" },
        { ">-\n  a\n  b", "\"a b\"" },
        { "'it''s'", "\"it's\"" },
        { "\"a\\x41\\u00e9\\U0001F600\\n\\0\"", "\"aA\\u00e9\\ud83d\\ude00\\n\\u0000\"" },
        { "\"\\/\"", "\"/\"" },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++)
        check_meaning(ROWS[i].yaml, strlen(ROWS[i].yaml), ROWS[i].json);
}

static void blocks_and_flows_mean_objects_and_lists(void **state)
{
    (void)state;
    static const struct meaning ROWS[] = {
        { "b: 1\na: [x, 2, {c: d}]\n", "{\"a\":[\"x\",2,{\"c\":\"d\"}],\"b\":1}" },
        { "a:\n- 1\n- b: 2\n  c: 3\n", "{\"a\":[1,{\"b\":2,\"c\":3}]}" },
        { "- - 1\n  - 2\n-\n  - 3\n", "[[1,2],[3]]" },
        { "{}", "{}" },
        { "a: {}\nb: []", "{\"a\":{},\"b\":[]}" },
        { "? a\n: 1\n", "{\"a\":1}" },
        { "? a\n", "{\"a\":null}" },
        { "[a: 1]", "[{\"a\":1}]" },
        { "%YAML 1.1\n---\na: 1\n...\n", "{\"a\":1}" },
        { "\xEF\xBB\xBF"
          "a: 1",
          "{\"a\":1}" },
        { "a: b#c", "{\"a\":\"b#c\"}" },
        { "a: b #c", "{\"a\":\"b\"}" },
        { "a: http://x", "{\"a\":\"http://x\"}" },
        { "a:\tb", "{\"a\":\"b\"}" },
        { "a: 1\r\nb: 2\r\n", "{\"a\":1,\"b\":2}" },
        /* Keys are text, whatever they look like. */
        { "1: a\ntrue: b\nnull: c\n2.5: d\n'': e", "{\"1\":\"a\",\"true\":\"b\",\"null\":\"c\","
                                                   "\"2.5\":\"d\",\"\":\"e\"}" },
        { "-0: a", "{\"-0\":\"a\"}" },
        { "9007199254740993: a", "{\"9007199254740993\":\"a\"}" },
        { "\"<<\": 1", "{\"<<\":1}" },
        { "'<<': 1", "{\"<<\":1}" },
        { "a: <<", "{\"a\":\"<<\"}" },
        { "a: '*b'", "{\"a\":\"*b\"}" },
        /* JSON is YAML. */
        { "{\"a\":1,\"b\":[true,null,-5,\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"]}",
          "{\"a\":1,\"b\":[true,null,-5,\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"]}" },
        { "{\n\t\"a\":\t1\n}", "{\"a\":1}" },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++)
        check_meaning(ROWS[i].yaml, strlen(ROWS[i].yaml), ROWS[i].json);
}

static void yaml_and_json_of_one_value_give_equal_trees(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 3000; i++) {
        struct fixture f;
        begin(&f);
        const struct kvc_value *tree = random_tree(&chance, &f.arena, 5), *differing;
        struct spelled yaml, json;
        spelled_begin(&yaml);
        spell_yaml(&chance, tree, yaml.out);
        spelled_begin(&json);
        spell_json(&chance, tree, json.out);
        kvcap_code rc = read_yaml(&f, spelled_end(&yaml));
        if (rc != KVCAP_OK)
            print_error("%s at \"%s\", %s\n%s\n", f.err.slug, f.err.at, f.err.text, yaml.text);
        chance_check(&chance, rc == KVCAP_OK);
        const struct kvc_value *twin = read_json(&f, spelled_end(&json));
        bool equal = kvc_value_equal(twin, f.root, &differing);
        if (!equal)
            print_error("%s\n", yaml.text);
        chance_check(&chance, equal && kvc_value_equal(f.root, twin, &differing));
        free(yaml.text);
        free(json.text);
        end(&f);
    }
}

/* ---- What is refused. */

static void check_refused(struct kvc_span text, const char *slug, const char *at)
{
    struct fixture f;
    begin(&f);
    kvcap_code rc = read_yaml(&f, text);
    if (rc == KVCAP_OK || strcmp(f.err.slug, slug) != 0 || strcmp(f.err.at, at) != 0)
        fail_msg("%.*s\nis %d, %s at \"%s\" (%s), not %s at \"%s\"", (int)text.length, text.text,
                 (int)rc, f.err.slug, f.err.at, f.err.text, slug, at);
    assert_int_equal(rc, KVCAP_E_RECORD);
    assert_int_equal(f.err.code, rc);
    assert_ptr_equal(f.root, &UNTOUCHED);
    assert_int_equal(kvc_yaml(&f.arena, text, BYTES_MAX, &f.root, NULL), rc);
    end(&f);
}

struct trick {
    const char *text;
    size_t length;
    const char *slug, *at;
};

#define TRICK(text, slug, at)                                                                      \
    {                                                                                              \
        text, sizeof(text) - 1, slug, at                                                           \
    }

/* clang-format off */
static const struct trick TRICKS[] = {
    /* Nothing. */
    TRICK("", "record.empty", ""),
    TRICK(" \n", "record.empty", ""),
    TRICK("# only a remark\n", "record.empty", ""),

    /* What would let a value mean another. */
    TRICK("&x 1", "yaml.anchor", ""),
    TRICK("a: &x 1", "yaml.anchor", "/a"),
    TRICK("a: &x [1]", "yaml.anchor", "/a"),
    TRICK("a: &x {b: 1}", "yaml.anchor", "/a"),
    TRICK("a: &x\nb: 1", "yaml.anchor", "/a"),
    TRICK("&x a: 1", "yaml.anchor", "/a"),
    TRICK("b: {&x a: 1}", "yaml.anchor", "/b/a"),
    TRICK("- 0\n- &x 1", "yaml.anchor", "/1"),
    TRICK("*x", "yaml.alias", ""),
    TRICK("a: *x", "yaml.alias", "/a"),
    TRICK("- *x", "yaml.alias", "/0"),
    TRICK("*x : 1", "yaml.alias", ""),
    TRICK("b: {*x : 1}", "yaml.alias", "/b"),
    TRICK("a: !!str 1", "yaml.tag", "/a"),
    TRICK("a: ! 1", "yaml.tag", "/a"),
    TRICK("a: !x 1", "yaml.tag", "/a"),
    TRICK("a: !<tag:yaml.org,2002:int> \"1\"", "yaml.tag", "/a"),
    TRICK("!!map {a: 1}", "yaml.tag", ""),
    TRICK("a: !!seq [1]", "yaml.tag", "/a"),
    TRICK("!!str a: 1", "yaml.tag", "/a"),
    TRICK("a: !!binary aGk=", "yaml.tag", "/a"),
    TRICK("&x !!str a", "yaml.anchor", ""),
    TRICK("<<: {a: 1}", "yaml.merge_key", ""),
    TRICK("a: {<<: {b: 1}}", "yaml.merge_key", "/a"),
    TRICK("a: 1\n<<: 2", "yaml.merge_key", ""),

    /* Keys that are no text. */
    TRICK("? [1]\n: 2", "yaml.key_not_text", ""),
    TRICK("{[1]: 2}", "yaml.key_not_text", ""),
    TRICK("a: {{b: 1}: 2}", "yaml.key_not_text", "/a"),
    TRICK("? {b: 1}\n: 2", "yaml.key_not_text", ""),

    /* More than one document. */
    TRICK("a: 1\n---\nb: 2", "yaml.several_documents", ""),
    TRICK("--- 1\n--- 2", "yaml.several_documents", ""),
    TRICK("a: 1\n---\n", "yaml.several_documents", ""),
    TRICK("a: 1\n...\n---\nb: 2", "yaml.several_documents", ""),

    /* The rules of a record, which both readers share. */
    TRICK("a: 1\na: 2", "record.duplicate_key", "/a"),
    TRICK("a: 1\n\"a\": 2", "record.duplicate_key", "/a"),
    TRICK("a: 1\n\"\\x61\": 2", "record.duplicate_key", "/a"),
    TRICK("1: 1\n'1': 2", "record.duplicate_key", "/1"),
    TRICK("b:\n- c: {d: 1, e: 2, d: 3}", "record.duplicate_key", "/b/0/c/d"),
    TRICK("{a: 1, a: 2}", "record.duplicate_key", "/a"),
    TRICK("'': 1\n\"\": 2", "record.duplicate_key", "/"),
    TRICK("a: -0", "record.negative_zero", "/a"),
    TRICK("- -0", "record.negative_zero", "/0"),
    TRICK("a: 9007199254740992", "record.unsafe_integer", "/a"),
    TRICK("a: -9007199254740992", "record.unsafe_integer", "/a"),
    TRICK("a: 18446744073709551617", "record.unsafe_integer", "/a"),

    /* Bytes. */
    TRICK("a: \xFF", "record.bad_utf8", ""),
    TRICK("a: \"\xC3(\"", "record.bad_utf8", ""),
    TRICK("a: \xED\xA0\x80", "record.bad_utf8", ""),
    TRICK("a: \xC0\xAF", "record.bad_utf8", ""),
    TRICK("a: \xF4\x90\x80\x80", "record.bad_utf8", ""),
    TRICK("a: \xE2\x82", "record.bad_utf8", ""),
    TRICK("\xFF\xFE" "a\0:\0 \0" "1\0", "record.bad_utf8", ""),
    TRICK("\xFE\xFF\0a\0:\0 \0" "1", "record.bad_utf8", ""),
    TRICK("a\0:\0 \0" "1\0", "yaml.syntax", ""),
    TRICK("a: 1\0", "yaml.syntax", ""),
    TRICK("a: \"\0\"", "yaml.syntax", ""),
    TRICK("\0", "yaml.syntax", ""),
    TRICK("a: \x01", "yaml.syntax", ""),
    TRICK("a: \"\x7F\"", "yaml.syntax", ""),
    TRICK("a: \"\\ud800\"", "record.lone_surrogate", "/a"),
    TRICK("a: \"\\udc00\"", "record.lone_surrogate", "/a"),

    /* Grammar. */
    TRICK("\ta: 1", "yaml.syntax", ""),
    TRICK("a:\n\tb: 1", "yaml.syntax", "/a"),
    TRICK("a: [1", "yaml.syntax", "/a"),
    TRICK("a: [1}", "yaml.syntax", "/a"),
    TRICK("{a: 1", "yaml.syntax", ""),
    TRICK("a: }", "yaml.syntax", "/a"),
    TRICK("a: 'x", "yaml.syntax", "/a"),
    TRICK("a: \"x", "yaml.syntax", "/a"),
    TRICK("a: \"\\q\"", "yaml.syntax", "/a"),
    TRICK("a: \"\\xg0\"", "yaml.syntax", "/a"),
    TRICK("a: @x", "yaml.syntax", "/a"),
    TRICK("a: `x", "yaml.syntax", "/a"),
    TRICK("a: %x", "yaml.syntax", "/a"),
    TRICK("a: - 1", "yaml.syntax", "/a"),
    TRICK("a: b: c", "yaml.syntax", ""),
    TRICK("a: 1\n b: 2", "yaml.syntax", ""),
    TRICK("a: \"x\" y", "yaml.syntax", ""),
    TRICK("a: &", "yaml.syntax", "/a"),
    TRICK("a: *", "yaml.syntax", "/a"),
    TRICK("a: |x\n  b", "yaml.syntax", "/a"),
    TRICK("%YAML 2.0\n---\na: 1", "yaml.syntax", ""),
    TRICK("%UNKNOWN x\n---\na: 1", "yaml.syntax", ""),
    TRICK("%TAG ! tag:example,2026:\n---\na: 1", "yaml.directive", ""),
    TRICK("a: 1\n...\r%TAG !e! tag:example\n---\nb: 1", "yaml.directive", ""),
    TRICK("\xEF\xBB\xBF%TAG !e! tag:example\n---\nb: 1", "yaml.directive", ""),
    TRICK("- 1\n2", "yaml.syntax", ""),
};
/* clang-format on */

static void tricks_are_refused_by_name_and_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof TRICKS / sizeof TRICKS[0]; i++)
        check_refused((struct kvc_span){ TRICKS[i].text, TRICKS[i].length }, TRICKS[i].slug,
                      TRICKS[i].at);
}

static void an_empty_span_without_text_is_empty_too(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    struct kvc_span none = { NULL, 0 };
    assert_int_equal(kvc_yaml(&f.arena, none, BYTES_MAX, &f.root, &f.err), KVCAP_E_RECORD);
    assert_string_equal(f.err.slug, "record.empty");
    end(&f);
}

static void a_refusal_tells_the_line(void **state)
{
    (void)state;
    static const char *const ROWS[][2] = {
        { "a: 1\nb: &x 2", "line 2" },
        { "a: 1\n\n\nb: [1}", "line 4" },
        { "a: 1\nb:\n  - 1\n  - !!str 2", "line 4" },
        { "a: 1\n---\nb", "line 3" },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        struct fixture f;
        begin(&f);
        assert_int_equal(read_yaml(&f, kvc_span_of(ROWS[i][0])), KVCAP_E_RECORD);
        if (strstr(f.err.text, ROWS[i][1]) == NULL)
            fail_msg("%s: %s", f.err.text, ROWS[i][1]);
        end(&f);
    }
}

/* ---- Limits. */

static size_t nest(char *text, unsigned levels, const char *open, const char *close)
{
    size_t used = 0;
    for (unsigned i = 0; i < levels; i++, used += strlen(open))
        memcpy(text + used, open, strlen(open));
    text[used++] = '0';
    for (unsigned i = 0; i < levels; i++, used += strlen(close))
        memcpy(text + used, close, strlen(close));
    return used;
}

static void sixty_four_levels_are_taken_and_no_more(void **state)
{
    (void)state;
    static const char *const PAIRS[][2] = { { "[", "]" }, { "{a: ", "}" }, { "- ", "" } };
    static char text[2000000];
    for (size_t i = 0; i < sizeof PAIRS / sizeof PAIRS[0]; i++) {
        static const unsigned LEVELS[] = { 64, 65, 1000, 100000 };
        for (size_t k = 0; k < sizeof LEVELS / sizeof LEVELS[0]; k++) {
            struct fixture f;
            begin(&f);
            size_t length = nest(text, LEVELS[k], PAIRS[i][0], PAIRS[i][1]);
            kvcap_code rc = read_yaml(&f, (struct kvc_span){ text, length });
            assert_int_equal(rc == KVCAP_OK, LEVELS[k] == 64);
            if (rc != KVCAP_OK)
                assert_string_equal(f.err.slug,
                                    length > BYTES_MAX ? "record.too_large" : "record.too_deep");
            end(&f);
        }
    }
}

static void a_text_may_be_as_long_as_stated_and_no_longer(void **state)
{
    (void)state;
    static const char TEXT[] = "a: [1, 2]\n";
    for (size_t limit = 0; limit < 16; limit++) {
        struct fixture f;
        begin(&f);
        kvcap_code rc = kvc_yaml(&f.arena, kvc_span_of(TEXT), limit, &f.root, &f.err);
        assert_int_equal(rc == KVCAP_OK, limit >= sizeof TEXT - 1);
        if (rc != KVCAP_OK)
            assert_string_equal(f.err.slug, "record.too_large");
        end(&f);
    }
}

/* ---- Memory. */

static const char RICH[] = "b: [1, {c: \"d\\n\"}, [[]], plain]\na:\n  k: true\n  j: null\n"
                           "long: \"0123456789abcdef0123456789abcdef\"\nblock: |\n  x\n  y\n";

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
        kvcap_code rc = read_yaml(&f, kvc_span_of(RICH));
        assert_int_equal(yaml_blocks, 0);
        if (rc == KVCAP_OK)
            break;
        refused++;
        assert_int_equal(rc, KVCAP_E_NOMEM);
        assert_string_equal(f.err.slug, "memory.full");
        assert_ptr_equal(f.root, &UNTOUCHED);
    }
    assert_true(refused > 60);
}

static void every_refused_chunk_is_told_and_nothing_is_lost(void **state)
{
    (void)state;
    struct spelled list;
    spelled_begin(&list);
    for (int i = 0; i < 8000; i++)
        fputs(i % 2 == 0 ? "- text\n" : "- 7\n", list.out);
    struct kvc_span text = spelled_end(&list);
    uint64_t refused = 0;
    for (uint64_t refuse_at = 1;; refuse_at++) {
        struct fixture f;
        begin(&f);
        f.memory.refuse_at = refuse_at;
        kvcap_code rc = read_yaml(&f, text);
        if (rc != KVCAP_OK) {
            refused++;
            assert_int_equal(rc, KVCAP_E_NOMEM);
            assert_ptr_equal(f.root, &UNTOUCHED);
            assert_int_equal(f.memory.gets, refuse_at);
        }
        end(&f);
        if (rc == KVCAP_OK)
            break;
    }
    assert_true(refused >= 4);
    free(list.text);
}

static void every_refusal_of_libyaml_s_memory_is_told_and_nothing_is_lost(void **state)
{
    (void)state;
    uint64_t refused = 0;
    for (uint64_t refuse_at = 1;; refuse_at++) {
        struct fixture f;
        begin(&f);
        yaml_refuse_at = refuse_at;
        kvcap_code rc = read_yaml(&f, kvc_span_of(RICH));
        if (rc != KVCAP_OK) {
            refused++;
            assert_int_equal(rc, KVCAP_E_NOMEM);
            assert_string_equal(f.err.slug, "memory.full");
            assert_ptr_equal(f.root, &UNTOUCHED);
        }
        end(&f);
        if (rc == KVCAP_OK)
            break;
    }
    assert_true(refused > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_words_mean_themselves),
        cmocka_unit_test(blocks_and_flows_mean_objects_and_lists),
        cmocka_unit_test(yaml_and_json_of_one_value_give_equal_trees),
        cmocka_unit_test(tricks_are_refused_by_name_and_place),
        cmocka_unit_test(an_empty_span_without_text_is_empty_too),
        cmocka_unit_test(a_refusal_tells_the_line),
        cmocka_unit_test(sixty_four_levels_are_taken_and_no_more),
        cmocka_unit_test(a_text_may_be_as_long_as_stated_and_no_longer),
        cmocka_unit_test(every_buffer_too_small_is_refused_whole),
        cmocka_unit_test(every_refused_chunk_is_told_and_nothing_is_lost),
        cmocka_unit_test(every_refusal_of_libyaml_s_memory_is_told_and_nothing_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
