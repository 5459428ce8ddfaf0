/* Goal: one value has one text, that of RFC 8785; and that text reads back as the value.
 * Method: the RFC's own examples as far as they are integers and texts; random trees, spelled in all
 * ways that JSON allows, must all come out as the same bytes, once and again. */

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
#include "json/scan.h"
#include "json/write.h"

struct fixture {
    struct faulty_memory memory;
    struct kvc_arena arena;
};

static void begin(struct fixture *f)
{
    faulty_memory_begin(&f->memory, 0);
    kvc_arena_from(&f->arena, &f->memory.memory, SIZE_MAX);
}

static void end(struct fixture *f)
{
    kvc_arena_drop(&f->arena);
    assert_int_equal(f->memory.blocks, 0);
}

static struct kvc_value *scanned(struct fixture *f, struct kvc_span text)
{
    struct kvc_value *root = NULL;
    kvcap_error err;
    kvcap_code rc = kvc_scan(&f->arena, text, 1 << 20, KVC_SCAN_RECORD, &root, &err);
    if (rc != KVCAP_OK)
        fail_msg("%s at \"%s\": %s", err.slug, err.at, err.text);
    return root;
}

static struct kvc_span written(struct fixture *f, const struct kvc_value *value,
                               const char *without)
{
    struct kvc_text text = { .arena = &f->arena };
    struct kvc_sink sink = kvc_text_sink(&text);
    kvc_write(value, without, &sink);
    assert_false(text.full);
    assert_int_equal(text.text[text.length], '\0');
    return (struct kvc_span){ text.text, text.length };
}

static void check_canonical(const char *text, const char *due)
{
    struct fixture f;
    begin(&f);
    assert_string_equal(written(&f, scanned(&f, kvc_span_of(text)), NULL).text, due);
    assert_string_equal(written(&f, scanned(&f, kvc_span_of(due)), NULL).text, due);
    end(&f);
}

/* Section 3.2.2, its string: a euro sign by escape, a control character, a line feed by its long
 * escape, letters by escape, a quotation mark, a backslash by number, by name, and a solidus. */
static void the_string_of_rfc_8785_comes_out(void **state)
{
    (void)state;
    check_canonical("\"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\\"\\/\"",
                    "\"\xE2\x82\xAC$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"");
    check_canonical("{\"string\": \"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\\"\\/\",\n"
                    " \"literals\": [null, true, false]}",
                    "{\"literals\":[null,true,false],"
                    "\"string\":\"\xE2\x82\xAC$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
}

/* Section 3.2.3: what sorts after what, and differs between UTF-8 and UTF-16. */
static void the_keys_of_rfc_8785_sort_as_it_says(void **state)
{
    (void)state;
    check_canonical("{\n"
                    "  \"\\u20ac\": \"Euro Sign\",\n"
                    "  \"\\r\": \"Carriage Return\",\n"
                    "  \"\\ufb33\": \"Hebrew Letter Dalet With Dagesh\",\n"
                    "  \"1\": \"One\",\n"
                    "  \"\\ud83d\\ude00\": \"Emoji: Grinning Face\",\n"
                    "  \"\\u0080\": \"Control\",\n"
                    "  \"\\u00f6\": \"Latin Small Letter O With Diaeresis\"\n"
                    "}",
                    "{\"\\r\":\"Carriage Return\","
                    "\"1\":\"One\","
                    "\"\xC2\x80\":\"Control\","
                    "\"\xC3\xB6\":\"Latin Small Letter O With Diaeresis\","
                    "\"\xE2\x82\xAC\":\"Euro Sign\","
                    "\"\xF0\x9F\x98\x80\":\"Emoji: Grinning Face\","
                    "\"\xEF\xAC\xB3\":\"Hebrew Letter Dalet With Dagesh\"}");
}

/* Its section 3.2.4 and appendix have the same rule for nested values and empty ones. */
static void nested_and_empty_values_have_no_space(void **state)
{
    (void)state;
    check_canonical(
        " { \"b\" : { } , \"a\" : [ ] , \"\" : [ { \"2\" : [ [ ] ] , \"1\" : { } } ] } ",
        "{\"\":[{\"1\":{},\"2\":[[]]}],\"a\":[],\"b\":{}}");
    check_canonical("[ 9007199254740991 , -9007199254740991, 0, -1 ]",
                    "[9007199254740991,-9007199254740991,0,-1]");
    check_canonical(" \"\" ", "\"\"");
    check_canonical("null", "null");
}

/* Every byte below 0x80: five have a name, the other controls a number, two need a backslash, and
 * the rest - DEL too - stand for themselves. */
static void each_control_character_has_one_escape(void **state)
{
    (void)state;
    for (unsigned c = 0; c < 0x80; c++) {
        struct fixture f;
        begin(&f);
        char text[16], due[16];
        static const char CODES[] = "\b\f\n\r\t\"\\", NAMES[] = "bfnrt\"\\";
        const char *found = c == 0 ? NULL : strchr(CODES, (int)c);
        snprintf(text, sizeof text, "\"\\u%04X\"", c);
        snprintf(due, sizeof due,
                 found != NULL ? "\"\\%c\""
                 : c < 0x20    ? "\"\\u%04x\""
                               : "\"%c\"",
                 found != NULL ? (unsigned)NAMES[found - CODES] : c);
        assert_string_equal(written(&f, scanned(&f, kvc_span_of(text)), NULL).text, due);
        end(&f);
    }
}

static void every_spelling_of_a_value_is_written_alike(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 3000; i++) {
        struct fixture f;
        begin(&f);
        const struct kvc_value *tree = random_tree(&chance, &f.arena, 5), *differing;
        struct kvc_span canonical = written(&f, tree, NULL);
        for (int spelling = 0; spelling < 3; spelling++) {
            struct spelled spelled;
            spelled_begin(&spelled);
            spell_json(&chance, tree, spelled.out);
            const struct kvc_value *read = scanned(&f, spelled_end(&spelled));
            chance_check(&chance, kvc_span_equal(written(&f, read, NULL), canonical));
            chance_check(&chance, kvc_value_equal(tree, read, &differing));
            free(spelled.text);
        }
        const struct kvc_value *again = scanned(&f, canonical);
        chance_check(&chance, kvc_span_equal(written(&f, again, NULL), canonical));
        chance_check(&chance, kvc_value_equal(tree, again, &differing));
        end(&f);
    }
}

static void different_values_are_written_differently(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    int equal = 0;
    for (int i = 0; i < 20000; i++) {
        struct fixture f;
        begin(&f);
        const struct kvc_value *a = random_tree(&chance, &f.arena, 1), *differing;
        const struct kvc_value *b = random_tree(&chance, &f.arena, 1);
        bool same = kvc_span_equal(written(&f, a, NULL), written(&f, b, NULL));
        chance_check(&chance, same == kvc_value_equal(a, b, &differing));
        equal += same;
        end(&f);
    }
    chance_check(&chance, equal > 100);
}

static void a_member_is_left_out_at_the_top_alone(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    const struct kvc_value *root =
        scanned(&f, kvc_span_of("{\"id\":\"x\",\"a\":{\"id\":1},\"z\":[{\"id\":2}]}"));
    assert_string_equal(written(&f, root, "id").text, "{\"a\":{\"id\":1},\"z\":[{\"id\":2}]}");
    assert_string_equal(written(&f, root, "a").text, "{\"id\":\"x\",\"z\":[{\"id\":2}]}");
    assert_string_equal(written(&f, root, "z").text, "{\"a\":{\"id\":1},\"id\":\"x\"}");
    assert_string_equal(written(&f, root, "none").text, written(&f, root, NULL).text);
    assert_string_equal(written(&f, scanned(&f, kvc_span_of("{\"id\":1}")), "id").text, "{}");
    assert_string_equal(written(&f, scanned(&f, kvc_span_of("[1]")), "id").text, "[1]");
    end(&f);
}

/* ---- The collecting sink. */

static void pieces_of_any_size_are_collected(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int round = 0; round < 300; round++) {
        struct fixture f;
        begin(&f);
        struct kvc_text text = { .arena = &f.arena };
        struct kvc_sink sink = kvc_text_sink(&text);
        char due[20000], piece[700];
        size_t used = 0;
        for (uint64_t left = chance_below(&chance, 25); left > 0; left--) {
            size_t length =
                chance_one_in(&chance, 4) ? 128 - used % 128 : chance_below(&chance, sizeof piece);
            for (size_t i = 0; i < length; i++)
                due[used + i] = piece[i] = (char)chance_next(&chance);
            sink.put(sink.context, piece, length);
            used += length;
            chance_check(&chance, !text.full && text.length == used && used < text.room);
            chance_check(&chance, memcmp(text.text, due, used) == 0 && text.text[used] == '\0');
        }
        end(&f);
    }
}

static void a_full_arena_makes_the_text_full_and_no_worse(void **state)
{
    (void)state;
    static _Alignas(16) char buffer[4096];
    bool was_full = true, seen_full = false, seen_whole = false;
    for (size_t bytes = 0; bytes <= sizeof buffer; bytes += 16) {
        struct kvc_arena arena;
        kvc_arena_over(&arena, buffer, bytes);
        struct kvc_text text = { .arena = &arena };
        struct kvc_sink sink = kvc_text_sink(&text);
        for (int i = 0; i < 100; i++)
            sink.put(sink.context, "0123456789", 10);
        assert_true(was_full || !text.full); /* what fits a room fits a larger one */
        assert_true(text.full || text.length == 1000);
        assert_int_equal(text.length % 10, 0);
        was_full = text.full;
        seen_full = seen_full || text.full;
        seen_whole = seen_whole || !text.full;
    }
    assert_true(seen_full && seen_whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_string_of_rfc_8785_comes_out),
        cmocka_unit_test(the_keys_of_rfc_8785_sort_as_it_says),
        cmocka_unit_test(nested_and_empty_values_have_no_space),
        cmocka_unit_test(each_control_character_has_one_escape),
        cmocka_unit_test(every_spelling_of_a_value_is_written_alike),
        cmocka_unit_test(different_values_are_written_differently),
        cmocka_unit_test(a_member_is_left_out_at_the_top_alone),
        cmocka_unit_test(pieces_of_any_size_are_collected),
        cmocka_unit_test(a_full_arena_makes_the_text_full_and_no_worse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
