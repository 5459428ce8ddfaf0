/* Goal: the id that a text states is found without reading the text as a record, and nothing else is
 * taken for it: not an id that is nested, quoted, or only mentioned.
 * Method: texts whose answer was decided when they were written; texts put together from pieces, of
 * which exactly one states the id; and every beginning of a text, in memory that ends where it ends. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/stated.h"
#include "support/chance.h"

#define NOTHING ""

struct stated_row {
    const char *text;
    const char *id;
};

static void expect_stated(struct kvc_span (*stated)(struct kvc_span text), const char *text,
                          const char *id)
{
    struct kvc_span found = stated(kvc_span_of(text));
    if (!kvc_span_is(found, id))
        fail_msg("%s\nstates \"%.*s\", not \"%s\"", text, (int)found.length, found.text, id);
}

static void json_states_the_id_one_level_deep(void **state)
{
    static const struct stated_row ROWS[] = {
        { "{\"id\":\"x\"}", "x" },
        { " \t\r\n{ \"id\" \n:\t \"x\" }", "x" },
        { "{\"a\":1,\"id\":\"x\",\"b\":2}", "x" },
        { "{\"a\":[1,{\"b\":[]}],\"id\":\"x\"}", "x" },
        { "{\"a\":{},\"id\":\"x\"}", "x" },
        { "{\"a\":null,\"b\":true,\"c\":-1.5e3,\"id\":\"x\"}", "x" },
        { "{\"id\":\"x\",\"id\":\"y\"}", "x" },
        { "{\"id\":\"x\"}\n{\"id\":\"y\"}", "x" },
        { "{\"id\":\"a\\\"b\"}", "a\\\"b" }, /* as it is written: no id of ours has an escape */
        /* Nested, or of something else. */
        { "{\"a\":{\"id\":\"x\"}}", NOTHING },
        { "{\"a\":[{\"id\":\"x\"}]}", NOTHING },
        { "[{\"id\":\"x\"}]", NOTHING },
        { "[\n{\"id\":\"x\"}\n]", NOTHING },
        { "{\"a\":{\"id\":\"x\"},\"id\":\"y\"}", "y" },
        { "{\"pool\":{\"id\":\"x\"},\"a\":[{\"id\":\"z\"}],\"id\":\"y\"}", "y" },
        { "{\"ids\":\"x\"}", NOTHING },
        { "{\"i\\u0064\":\"x\"}", NOTHING },
        { "{\"Id\":\"x\"}", NOTHING },
        { "{\"\":\"x\"}", NOTHING },
        /* In strings. */
        { "{\"a\":\"\\\"id\\\":\\\"x\\\"\"}", NOTHING },
        { "{\"a\":\"{\\\"id\\\":\\\"x\\\"}\",\"id\":\"y\"}", "y" },
        { "{\"a\":\"}}]]\",\"id\":\"y\"}", "y" },
        { "{\"a\":\"{{[[\",\"id\":\"y\"}", "y" },
        { "{\"a\":\"\\\\\",\"id\":\"y\"}", "y" },
        { "{\"a\":\"\\\\\\\"\",\"id\":\"y\"}", "y" },
        { "{\"{\":\"[\",\"id\":\"y\"}", "y" },
        { "{\"a\":\"id\",\"b\":\"x\"}", NOTHING },
        { "{\"id\":\"id\",\"b\":\"x\"}", "id" },
        /* An id that is no text. */
        { "{\"id\":5,\"a\":\"x\"}", NOTHING },
        { "{\"id\":null,\"a\":\"x\"}", NOTHING },
        { "{\"id\":[\"x\"]}", NOTHING },
        { "{\"id\":{\"a\":\"x\"}}", NOTHING },
        { "{\"id\":{\"id\":\"x\"},\"id\":\"y\"}", "y" },
        { "{\"id\":\"\"}", NOTHING },
        /* Broken before, after, within. */
        { "{\"id\":\"x\"", "x" },
        { "{\"id\":\"x\",", "x" },
        { "{\"id\":\"x\"}}}]", "x" },
        { "{\"id\":\"x\",\"a\":{\"b\":", "x" },
        { "{\"id\":\"x\" garbage \001\002", "x" },
        { "{\"id\":\"x", NOTHING },
        { "{\"id\":\"x\\", NOTHING },
        { "{\"id\":\"x\\\"", NOTHING },
        { "{\"id\":", NOTHING },
        { "{\"id\"", NOTHING },
        { "{\"id", NOTHING },
        { "{\"", NOTHING },
        { "{", NOTHING },
        { "", NOTHING },
        { "\"", NOTHING },
        { "\\", NOTHING },
        { "id", NOTHING },
        { "]]}}{\"id\":\"x\"}", "x" },
        { "\"id\":\"x\"", NOTHING },
        { "}\"id\":\"x\"", NOTHING },
    };
    (void)state;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++)
        expect_stated(kvc_stated_json, ROWS[i].text, ROWS[i].id);
}

static void yaml_states_the_id_at_the_left_edge(void **state)
{
    static const struct stated_row ROWS[] = {
        { "id: x", "x" },
        { "id: x\n", "x" },
        { "id: x\r\n", "x" },
        { "id:x\n", "x" },
        { "id:  \t x \t \n", "x" },
        { "kind: k\nid: x\nversion: 1\n", "x" },
        { "id: 'x'\n", "x" },
        { "id: \"x\"\n", "x" },
        { "'id': x\n", "x" },
        { "\"id\": \"x\"\n", "x" },
        { "id: x # sealed\n", "x" },
        { "id: \"x\"   # sealed\n", "x" },
        { "id: 'x'# no comment, but its quote has ended\n", "x" },
        { "# id: y\nid: x\n", "x" },
        { "a: id\nid: x\n", "x" },
        { "id: x\nid: y\n", "x" },
        { "a:\n  id: y\nid: x\n", "x" },
        { "id: \"x\n", "x" }, /* not closed: no id of ours, and no record either */
        { "a:\n  id: x\n", NOTHING },
        { "- id: x\n", NOTHING },
        { " id: x\n", NOTHING },
        { "ids: x\n", NOTHING },
        { "# id: x\n", NOTHING },
        { "a: id: x\n", NOTHING },
        { "id\n", NOTHING },
        { "id:", NOTHING },
        { "id:\n", NOTHING },
        { "id: ''\n", NOTHING },
        { "", NOTHING },
        { "\n\n\n", NOTHING },
        /* YAML that begins as JSON does. */
        { "{\"id\": \"x\", a: b}", "x" },
        { "\n  {\"a\": {\"id\": \"y\"}, \"id\": \"x\"}", "x" },
        { "{\nid: x\n}", NOTHING },
    };
    (void)state;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++)
        expect_stated(kvc_stated_yaml, ROWS[i].text, ROWS[i].id);
}

static void expect_states(const char *text, bool is_yaml, const char *id, bool states)
{
    if (kvc_states_id(kvc_span_of(text), is_yaml, kvc_span_of(id)) != states)
        fail_msg("%s\n%s \"%s\"", text, states ? "does not state" : "states", id);
}

static void a_bundle_states_the_id_of_each_of_its_records(void **state)
{
    static const char BUNDLE[] = "{\"a\":{\"id\":\"n\"},\"id\":\"x\"}\r\n\n"
                                 "{\"id\":\"y\",\"a\":[{\"id\":\"n\"}]}\n"
                                 "{\"kind\":\"stream header without id\"}\n"
                                 "{\"request_id\":\"n\"}\n"
                                 "{\"id\":\"z\"}";
    (void)state;
    expect_states(BUNDLE, false, "x", true);
    expect_states(BUNDLE, false, "y", true);
    expect_states(BUNDLE, false, "z", true);
    expect_states(BUNDLE, false, "n", false);
    expect_states(BUNDLE, false, "", false);
    expect_states("", false, "x", false);
    /* One object over several lines is one object. */
    expect_states("{\n\"a\":[\n{\"id\":\"n\"}\n],\n\"id\":\"x\"\n}\n", false, "x", true);
    expect_states("{\n\"a\":[\n{\"id\":\"n\"}\n],\n\"id\":\"x\"\n}\n", false, "n", false);
    expect_states("[\n{\"id\":\"n\"},\n{\"id\":\"n\"}\n]\n", false, "n", false);
    /* What comes after a broken line is of no bundle that could be read. */
    expect_states("{\"a\":[\n{\"id\":\"x\"}\n", false, "x", false);
}

static void yaml_states_one_id(void **state)
{
    (void)state;
    expect_states("id: x\n", true, "x", true);
    expect_states("id: x\nid: y\n", true, "y", false);
    expect_states("{\"id\":\"x\"}\n", true, "x", true);
    expect_states("a: 1\n", true, "", true); /* the caller asks for ids, which are never empty */
}

/* ---- Pieces. */

/* Members that do not state the id "x", whatever stands beside them. */
static const char *const MEMBERS[] = {
    "\"a\":1",
    "\"a\":\"x\"",
    "\"ids\":\"x\"",
    "\"a\":\"\\\"id\\\":\\\"x\\\"\"",
    "\"a\":{\"id\":\"x\"}",
    "\"a\":[\"id\",\"x\",{\"id\":\"x\"}]",
    "\"a\":\"]}{[\\\\\"",
    "\"a\" : [ [ ] , { } ]",
    "\"id \":\"x\"",
    "\"\\\\\":\"\\\\\\\\\"",
};
#define MEMBERS_COUNT (sizeof MEMBERS / sizeof MEMBERS[0])

/* An object of up to seven members, of which the one at `at` states the id; none when it is past
 * them.  *ret_end is where its closing quote ends. */
static void write_object(struct chance *chance, char *text, size_t room, unsigned at,
                         size_t *ret_end)
{
    unsigned count = 1 + (unsigned)chance_below(chance, 7);
    size_t length = (size_t)snprintf(text, room, "{");
    *ret_end = 0;
    for (unsigned i = 0; i < count; i++) {
        const char *comma = i == 0 ? "" : chance_below(chance, 2) == 0 ? "," : " ,\n\t";
        const char *member =
            i == at ? "\"id\":\"x\"" : MEMBERS[chance_below(chance, MEMBERS_COUNT)];
        length += (size_t)snprintf(text + length, room - length, "%s%s", comma, member);
        if (i == at)
            *ret_end = length;
    }
    snprintf(text + length, room - length, "}");
}

static void among_members_of_all_sorts_the_one_is_found(void **state)
{
    struct chance chance = chance_begin();
    char text[1024];
    size_t end;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        write_object(&chance, text, sizeof text, (unsigned)chance_below(&chance, 8), &end);
        expect_stated(kvc_stated_json, text, end > 0 ? "x" : NOTHING);
        expect_states(text, false, "x", end > 0);
    }
}

static void of_every_beginning_of_a_text_nothing_past_its_end_is_read(void **state)
{
    struct chance chance = chance_begin();
    char text[1024];
    size_t end;
    (void)state;
    for (int i = 0; i < 100; i++) {
        write_object(&chance, text, sizeof text, (unsigned)chance_below(&chance, 4), &end);
        for (size_t length = 0; length <= strlen(text); length++) {
            char *copy = malloc(length + 1); /* its last byte is not in the span */
            assert_non_null(copy);
            memcpy(copy, text, length);
            copy[length] = '"';
            struct kvc_span begun = { .text = copy, .length = length };
            bool states = end > 0 && length >= end;
            assert_true(kvc_span_is(kvc_stated_json(begun), states ? "x" : NOTHING));
            assert_int_equal(kvc_states_id(begun, false, kvc_span_of("x")), states);
            (void)kvc_stated_yaml(begun);
            free(copy);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_states_the_id_one_level_deep),
        cmocka_unit_test(yaml_states_the_id_at_the_left_edge),
        cmocka_unit_test(a_bundle_states_the_id_of_each_of_its_records),
        cmocka_unit_test(yaml_states_one_id),
        cmocka_unit_test(among_members_of_all_sorts_the_one_is_found),
        cmocka_unit_test(of_every_beginning_of_a_text_nothing_past_its_end_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
