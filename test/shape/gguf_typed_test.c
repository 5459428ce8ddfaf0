/* gguf_typed_test.c - Goal: key-values that were written down as JSON are the facts of the file, plain or
 * typed, and what no file could hold is refused at its place.
 * Method: small objects; the facts are compared with what gguf_facts makes of such a value. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shape/gguf_typed.h"
#include "json/scan.h"

static char room[1 << 20];
static struct kvc_arena arena;
static kvcap_error err;

static kvcap_code read(const char *text, struct kvc_facts *facts)
{
    struct kvc_value *tree;
    kvc_arena_over(&arena, room, sizeof room);
    assert_int_equal(
        kvc_scan(&arena, kvc_span_of(text), sizeof room, KVC_SCAN_FOREIGN, &tree, &err), KVCAP_OK);
    return kvc_gguf_facts_of_json(tree, &arena, facts, &err);
}

static void expect(const char *text, const char *key, enum kvc_type type, const char *value)
{
    struct kvc_facts facts;
    assert_int_equal(read(text, &facts), KVCAP_OK);
    assert_string_equal(facts.artefact, "gguf");
    const struct kvc_value *member = kvc_value_member(facts.tree, key);
    if (value == NULL && type == KVC_OBJECT) {
        assert_null(member);
        return;
    }
    assert_non_null(member);
    assert_int_equal(member->type, type);
    if (value != NULL)
        assert_true(kvc_span_is(member->text, value));
}

static void plain_and_typed_values_are_the_same_facts(void **state)
{
    (void)state;
    expect("{\"llama.block_count\":32}", "llama.block_count", KVC_NUMBER, "32");
    expect("{\"a\":{\"t\":\"u32\",\"v\":32}}", "a", KVC_NUMBER, "32");
    expect("{\"a\":{\"t\":\"i32\",\"v\":-5}}", "a", KVC_NUMBER, "-5");
    expect("{\"a\":-5}", "a", KVC_NUMBER, "-5");
    expect("{\"a\":\"llama\"}", "a", KVC_STRING, "llama");
    expect("{\"a\":{\"t\":\"str\",\"v\":\"llama\"}}", "a", KVC_STRING, "llama");
    expect("{\"a\":{\"t\":\"bool\",\"v\":true}}", "a", KVC_TRUE, NULL);
    expect("{\"a\":false}", "a", KVC_FALSE, NULL);
    expect("{\"a\":{\"t\":\"u64\",\"v\":18446744073709551615}}", "a", KVC_NUMBER,
           "18446744073709551615");
}

static void floats_are_null_as_in_the_facts_of_a_file(void **state)
{
    (void)state;
    expect("{\"a\":{\"t\":\"f32\",\"v\":1e-05}}", "a", KVC_NULL, NULL);
    expect("{\"a\":{\"t\":\"f64\",\"v\":1}}", "a", KVC_NULL, NULL);
    expect("{\"a\":0.5}", "a", KVC_NULL, NULL);
}

static void lists_keep_their_elements(void **state)
{
    (void)state;
    struct kvc_facts facts;
    assert_int_equal(read("{\"a\":{\"t\":\"arr:bool\",\"v\":[true,false]},\"b\":[1,2,3]}", &facts),
                     KVCAP_OK);
    const struct kvc_value *a = kvc_value_member(facts.tree, "a");
    const struct kvc_value *b = kvc_value_member(facts.tree, "b");
    assert_int_equal(a->count, 2);
    assert_int_equal(a->first->type, KVC_TRUE);
    assert_int_equal(b->count, 3);
    assert_true(kvc_span_is(b->last->text, "3"));
}

static void the_tokenizer_is_left_out(void **state)
{
    (void)state;
    expect("{\"tokenizer.ggml.model\":\"no_vocab\"}", "tokenizer.ggml.model", KVC_OBJECT, NULL);
}

static void refused(const char *text, const char *slug, const char *at)
{
    struct kvc_facts facts;
    assert_int_not_equal(read(text, &facts), KVCAP_OK);
    assert_string_equal(err.slug, slug);
    assert_string_equal(err.at, at);
}

static void what_no_file_holds_is_refused_at_its_place(void **state)
{
    (void)state;
    refused("{\"a\":null}", "metadata.wrong_type", "/a");
    refused("{\"a\":{\"t\":\"u8\",\"v\":256}}", "metadata.wrong_type", "/a/v");
    refused("{\"a\":{\"t\":\"u32\",\"v\":-1}}", "metadata.wrong_type", "/a/v");
    refused("{\"a\":{\"t\":\"i8\",\"v\":-129}}", "metadata.wrong_type", "/a/v");
    refused("{\"a\":{\"t\":\"u32\",\"v\":1.5}}", "metadata.wrong_type", "/a/v");
    refused("{\"a\":{\"t\":\"u32\",\"v\":\"32\"}}", "metadata.wrong_type", "/a/v");
    refused("{\"a\":{\"t\":\"str\",\"v\":32}}", "metadata.wrong_type", "/a/v");
    refused("{\"a\":{\"t\":\"u33\",\"v\":32}}", "metadata.out_of_range", "/a/t");
    refused("{\"a\":{\"t\":\"u32\"}}", "metadata.wrong_type", "/a");
    refused("{\"a\":{\"t\":\"u32\",\"v\":1,\"w\":2}}", "metadata.wrong_type", "/a");
    refused("{\"a\":{\"t\":\"arr:u32\",\"v\":1}}", "metadata.wrong_type", "/a/v");
    refused("{\"a\":{\"t\":\"arr:u32\",\"v\":[1,-1]}}", "metadata.wrong_type", "/a/v/1");
    refused("{\"a\":[[1]]}", "metadata.wrong_type", "/a/0");
    refused("[]", "metadata.wrong_type", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_and_typed_values_are_the_same_facts),
        cmocka_unit_test(floats_are_null_as_in_the_facts_of_a_file),
        cmocka_unit_test(lists_keep_their_elements),
        cmocka_unit_test(the_tokenizer_is_left_out),
        cmocka_unit_test(what_no_file_holds_is_refused_at_its_place),
    };
    return cmocka_run_group_tests_name("gguf_typed", tests, NULL, NULL);
}
