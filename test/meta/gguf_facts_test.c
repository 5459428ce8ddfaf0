/* Goal: the facts of a GGUF file are its key-values and nothing else; types weigh what ggml says.
 * Method: files from the writer, looked up in the tree; the table of types beside one entered anew. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "meta/gguf_facts.h"
#include "support/fixture.h"
#include "support/gguf_writer.h"

static char arena_room[1 << 20];

static struct kvc_facts facts_of(struct gguf_writer *w, struct kvc_arena *arena)
{
    struct kvc_gguf gguf;
    struct kvc_facts facts;
    uint64_t needed = 0;
    kvcap_error err;
    struct kvc_span file = gguf_bytes(w, true);
    kvc_arena_over(arena, arena_room, sizeof arena_room);
    must(kvc_gguf_read(file, file.length, arena, &gguf, &needed, &err), &err);
    must(kvc_gguf_facts(&gguf, arena, &facts, &err), &err);
    return facts;
}

static void values_become_what_they_are(void **state)
{
    (void)state;
    static const uint64_t NUMBERS[] = { 4, 0, UINT64_MAX };
    static const uint64_t FLAGS[] = { 1, 0 };
    static const char *const TEXTS[] = { "a", "\xC3\xA9", "\xC3" };
    static const struct {
        const char *key;
        enum kvc_type type;
        const char *text; /* of a number or a text */
    } ROWS[] = {
        { "a.count", KVC_NUMBER, "32" },
        { "b.minus", KVC_NUMBER, "-3" },
        { "c.large", KVC_NUMBER, "18446744073709551615" },
        { "d.least", KVC_NUMBER, "-9223372036854775808" },
        { "e.flag", KVC_TRUE, "" },
        { "f.text", KVC_STRING, "llama" },
        { "g.real", KVC_NULL, "" },
        { "h.bad", KVC_NULL, "" },
        { "i.list", KVC_ARRAY, "" },
        { "j.flags", KVC_ARRAY, "" },
        { "k.texts", KVC_ARRAY, "" },
    };
    struct gguf_writer w;
    struct kvc_arena arena;
    gguf_begin(&w, 3);
    gguf_put_texts(&w, "k.texts", TEXTS, 3); /* not in the order of keys */
    gguf_put(&w, "a.count", KVC_GGUF_U16, 32);
    gguf_put(&w, "b.minus", KVC_GGUF_I8, (uint64_t)-3);
    gguf_put(&w, "c.large", KVC_GGUF_U64, UINT64_MAX);
    gguf_put(&w, "d.least", KVC_GGUF_I64, UINT64_C(1) << 63);
    gguf_put(&w, "e.flag", KVC_GGUF_BOOL, 1);
    gguf_put_text(&w, "f.text", "llama");
    gguf_put_f32(&w, "g.real", 0.5f);
    gguf_put_text(&w, "h.bad", "\xFF");
    gguf_put_list(&w, "i.list", KVC_GGUF_U64, NUMBERS, 3);
    gguf_put_list(&w, "j.flags", KVC_GGUF_BOOL, FLAGS, 2);
    struct kvc_facts facts = facts_of(&w, &arena);
    assert_string_equal(facts.artefact, "gguf");
    assert_int_equal(facts.tree->count, 11);
    const struct kvc_value *member = facts.tree->first;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++, member = member->next) {
        assert_true(kvc_span_is(member->key, ROWS[i].key));
        assert_int_equal(member->type, ROWS[i].type);
        if (ROWS[i].text[0] != '\0')
            assert_true(kvc_span_is(member->text, ROWS[i].text));
    }
    const struct kvc_value *list = kvc_value_member(facts.tree, "i.list");
    assert_int_equal(list->count, 3);
    assert_true(kvc_span_is(kvc_value_element(list, 2)->text, "18446744073709551615"));
    list = kvc_value_member(facts.tree, "j.flags");
    assert_int_equal(kvc_value_element(list, 1)->type, KVC_FALSE);
    list = kvc_value_member(facts.tree, "k.texts");
    assert_true(kvc_span_is(kvc_value_element(list, 1)->text, "\xC3\xA9"));
    assert_int_equal(kvc_value_element(list, 2)->type, KVC_NULL);
    gguf_end(&w);
}

static void the_tokenizer_and_long_lists_are_left_out(void **state)
{
    (void)state;
    static uint64_t numbers[KVC_GGUF_LIST_MAX + 1];
    struct gguf_writer w;
    struct kvc_arena arena;
    gguf_begin(&w, 3);
    gguf_put(&w, "tokenizer.ggml.bos_token_id", KVC_GGUF_U32, 1);
    gguf_put_list(&w, "most", KVC_GGUF_U8, numbers, KVC_GGUF_LIST_MAX);
    gguf_put_list(&w, "too.many", KVC_GGUF_U8, numbers, KVC_GGUF_LIST_MAX + 1);
    struct kvc_facts facts = facts_of(&w, &arena);
    assert_int_equal(facts.tree->count, 1);
    assert_int_equal(kvc_value_member(facts.tree, "most")->count, KVC_GGUF_LIST_MAX);
    gguf_end(&w);
}

static void no_memory_is_said(void **state)
{
    (void)state;
    static const uint64_t NUMBERS[] = { 1, 2, 3 };
    struct gguf_writer w;
    struct kvc_arena arena;
    struct kvc_gguf gguf;
    struct kvc_facts facts;
    uint64_t needed = 0;
    kvcap_error err;
    gguf_begin(&w, 3);
    gguf_put_list(&w, "a", KVC_GGUF_U8, NUMBERS, 3);
    gguf_put(&w, "b", KVC_GGUF_U8, 1);
    struct kvc_span file = gguf_bytes(&w, true);
    kvc_arena_over(&arena, arena_room, sizeof arena_room);
    must(kvc_gguf_read(file, file.length, &arena, &gguf, &needed, &err), &err);
    kvcap_code rc = KVCAP_E_NOMEM;
    for (size_t room = 0; rc != KVCAP_OK; room += 16) {
        struct kvc_arena small;
        kvc_arena_over(&small, arena_room + (1 << 19), room);
        rc = kvc_gguf_facts(&gguf, &small, &facts, &err);
        assert_true(rc == KVCAP_OK || rc == KVCAP_E_NOMEM);
        assert_true(room < 4096);
    }
    gguf_end(&w);
}

/* ---- Types. */

/* From ggml/docs/gguf.md and ggml/src/ggml-common.h of ggml 0.23.0: the fields of each block, added
 * up by hand.  K blocks have 256 elements. */
static void tensor_types_weigh_what_their_blocks_hold(void **state)
{
    (void)state;
    static const struct {
        uint32_t type, elements, bytes;
        const char *name;
    } ROWS[] = {
        { 0, 1, 4, "f32" },
        { 1, 1, 2, "f16" },
        { 2, 32, 2 + 16, "q4_0" },
        { 3, 32, 2 + 2 + 16, "q4_1" },
        { 6, 32, 2 + 4 + 16, "q5_0" },
        { 7, 32, 2 + 2 + 4 + 16, "q5_1" },
        { 8, 32, 2 + 32, "q8_0" },
        { 9, 32, 2 + 2 + 32, "q8_1" },
        { 10, 256, 16 + 64 + 2 + 2, "q2_K" },
        { 11, 256, 32 + 64 + 12 + 2, "q3_K" },
        { 12, 256, 2 + 2 + 12 + 128, "q4_K" },
        { 13, 256, 2 + 2 + 12 + 32 + 128, "q5_K" },
        { 14, 256, 128 + 64 + 16 + 2, "q6_K" },
        { 15, 256, 4 + 256 + 16 * 2, "q8_K" },
        { 16, 256, 2 + 32 * 2, "iq2_xxs" },
        { 17, 256, 2 + 32 * 2 + 8, "iq2_xs" },
        { 18, 256, 2 + 3 * 32, "iq3_xxs" },
        { 19, 256, 2 + 32 + 8 * 2, "iq1_s" },
        { 20, 32, 2 + 16, "iq4_nl" },
        { 21, 256, 2 + 64 + 8 + 32 + 4, "iq3_s" },
        { 22, 256, 2 + 64 + 8 + 8, "iq2_s" },
        { 23, 256, 2 + 2 + 4 + 128, "iq4_xs" },
        { 24, 1, 1, "i8" },
        { 25, 1, 2, "i16" },
        { 26, 1, 4, "i32" },
        { 27, 1, 8, "i64" },
        { 28, 1, 8, "f64" },
        { 29, 256, 32 + 16 + 8, "iq1_m" },
        { 30, 1, 2, "bf16" },
        { 34, 256, 48 + 4 + 2, "tq1_0" },
        { 35, 256, 64 + 2, "tq2_0" },
        { 39, 32, 1 + 16, "mxfp4" },
        { 40, 64, 4 + 32, "nvfp4" },
        { 41, 128, 2 + 16, "q1_0" },
        { 42, 64, 2 + 16, "q2_0" },
    };
    size_t known = 0;
    for (uint32_t type = 0; type < 64; type++)
        known += kvc_gguf_block_of(type) != NULL;
    assert_int_equal(known, sizeof ROWS / sizeof ROWS[0]);
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        const struct kvc_gguf_block *block = kvc_gguf_block_of(ROWS[i].type);
        assert_non_null(block);
        assert_string_equal(block->name, ROWS[i].name);
        assert_int_equal(block->elements, ROWS[i].elements);
        assert_int_equal(block->bytes, ROWS[i].bytes);
    }
    assert_null(kvc_gguf_block_of(UINT32_MAX));
}

static void values_weigh_what_their_types_say(void **state)
{
    (void)state;
    static const unsigned BYTES[] = { 1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8 };
    for (unsigned i = 0; i < KVC_GGUF_TYPE_COUNT; i++)
        assert_int_equal(kvc_gguf_type_bytes((enum kvc_gguf_type)i), BYTES[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_become_what_they_are),
        cmocka_unit_test(the_tokenizer_and_long_lists_are_left_out),
        cmocka_unit_test(no_memory_is_said),
        cmocka_unit_test(tensor_types_weigh_what_their_blocks_hold),
        cmocka_unit_test(values_weigh_what_their_types_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
