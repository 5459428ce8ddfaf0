/* Goal: what a GGUF header says is found where it stands, whatever part of the file is at hand.
 * Method: files from a writer of our own (test/support/gguf_writer.h), so that what was put in is
 * known; each file in a piece of memory of exactly its length, so that a sanitizer sees the first
 * byte past it. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meta/gguf.h"
#include "meta/gguf_names.h"
#include "meta/gguf_value.h"
#include "support/chance.h"
#include "support/fixture.h"
#include "support/gguf_writer.h"

static char arena_room[1 << 20];

static struct kvc_arena fresh_arena(void)
{
    struct kvc_arena arena;
    kvc_arena_over(&arena, arena_room, sizeof arena_room);
    return arena;
}

/* Reads the first `length` bytes of a file, in memory of their own. */
static kvcap_code read_head(struct kvc_span file, size_t length, uint64_t file_bytes,
                            struct kvc_gguf *gguf, uint64_t *needed, kvcap_error *err)
{
    struct kvc_arena arena = fresh_arena();
    char *copy = malloc(length == 0 ? 1 : length);
    assert_non_null(copy);
    if (length > 0)
        memcpy(copy, file.text, length);
    kvcap_code rc =
        kvc_gguf_read((struct kvc_span){ copy, length }, file_bytes, &arena, gguf, needed, err);
    free(copy);
    return rc;
}

/* Reads a whole file; values are looked at in place. */
static struct kvc_gguf read_whole(struct kvc_span file, struct kvc_arena *arena)
{
    struct kvc_gguf gguf;
    uint64_t needed = 1;
    kvcap_error err;
    must(kvc_gguf_read(file, file.length, arena, &gguf, &needed, &err), &err);
    assert_int_equal(needed, 0);
    return gguf;
}

static void put_small(struct gguf_writer *w, uint32_t version)
{
    static const char *const TEXTS[] = { "a", "", "\xFF\xFE" };
    static const uint64_t NUMBERS[] = { 1, 0, 65535 };
    static const uint64_t FLAGS[] = { 1, 0, 1 };
    gguf_begin(w, version);
    gguf_put_text(w, "general.architecture", "llama");
    gguf_put(w, "u8", KVC_GGUF_U8, 255);
    gguf_put(w, "i8", KVC_GGUF_I8, (uint64_t)-1);
    gguf_put(w, "u16", KVC_GGUF_U16, 65535);
    gguf_put(w, "i16", KVC_GGUF_I16, 32767);
    gguf_put(w, "u32", KVC_GGUF_U32, 4294967295);
    gguf_put(w, "i32", KVC_GGUF_I32, (uint64_t)-2);
    gguf_put_f32(w, "f32", 1.5f);
    gguf_put(w, "bool", KVC_GGUF_BOOL, 1);
    gguf_put(w, "u64", KVC_GGUF_U64, UINT64_MAX);
    gguf_put(w, "i64", KVC_GGUF_I64, INT64_MAX);
    gguf_put(w, "f64", KVC_GGUF_F64, 0);
    gguf_put_texts(w, "texts", TEXTS, 3);
    gguf_put_list(w, "u16s", KVC_GGUF_U16, NUMBERS, 3);
    gguf_put_list(w, "flags", KVC_GGUF_BOOL, FLAGS, 3);
    gguf_put_list(w, "none", KVC_GGUF_U64, NUMBERS, 0);
    gguf_tensor(w, "token_embd.weight", 8, 64, 3);
    gguf_tensor(w, "output_norm.weight", 0, 3, 1);
}

/* ---- Reading. */

static void what_was_put_in_is_found(void **state)
{
    (void)state;
    for (uint32_t version = 2; version <= 3; version++) {
        struct gguf_writer w;
        put_small(&w, version);
        size_t header = w.length;
        struct kvc_span file = gguf_bytes(&w, true);
        struct kvc_arena arena = fresh_arena();
        struct kvc_gguf gguf = read_whole(file, &arena);
        assert_int_equal(gguf.version, version);
        assert_int_equal(gguf.alignment, 32);
        assert_int_equal(gguf.kvs_count, 16);
        assert_int_equal(gguf.header_bytes, header);
        assert_int_equal(gguf.data_offset, (header + 31) / 32 * 32);
        assert_false(gguf.is_split);
        assert_false(gguf.is_header_alone);

        /* 6 blocks of 34 bytes (q8_0), then at the next multiple of 32 three f32. */
        assert_int_equal(gguf.tensors_count, 2);
        assert_true(kvc_span_is(gguf.tensors[0].name, "token_embd.weight"));
        assert_int_equal(gguf.tensors[0].dims_count, 2);
        assert_int_equal(gguf.tensors[0].dims[0], 64);
        assert_int_equal(gguf.tensors[0].dims[1], 3);
        assert_int_equal(gguf.tensors[0].dims[2], 1);
        assert_int_equal(gguf.tensors[0].bytes, 6 * 34);
        assert_int_equal(gguf.tensors[1].offset, 224);
        assert_int_equal(gguf.tensors[1].bytes, 12);
        assert_int_equal(gguf.tensor_bytes, 6 * 34 + 12);
        assert_int_equal(gguf.tensor_bytes_by_type[8], 6 * 34);
        assert_int_equal(gguf.tensor_bytes_by_type[0], 12);
        assert_int_equal(gguf.tensor_bytes_by_type[1], 0);
        gguf_end(&w);
    }
}

static void values_are_typed(void **state)
{
    (void)state;
    struct gguf_writer w;
    put_small(&w, 3);
    struct kvc_span file = gguf_bytes(&w, true);
    struct kvc_arena arena = fresh_arena();
    struct kvc_gguf gguf = read_whole(file, &arena);
    static const struct {
        const char *key;
        uint64_t value;
        bool is_count;
    } NUMBERS[] = {
        { "u8", 255, true },         { "i8", 0, false },
        { "u16", 65535, true },      { "i16", 32767, true },
        { "u32", 4294967295, true }, { "i32", 0, false },
        { "f32", 0, false },         { "bool", 0, false },
        { "u64", UINT64_MAX, true }, { "f64", 0, false },
        { "i64", INT64_MAX, true },  { "texts", 0, false },
        { "u16s", 0, false },        { "general.architecture", 0, false },
    };
    for (size_t i = 0; i < sizeof NUMBERS / sizeof NUMBERS[0]; i++) {
        const struct kvc_gguf_kv *kv = kvc_gguf_find(&gguf, NUMBERS[i].key);
        uint64_t value = 0;
        assert_non_null(kv);
        assert_int_equal(kvc_gguf_u64(kv, &value), NUMBERS[i].is_count);
        assert_true(value == NUMBERS[i].value);
    }
    bool flag = false;
    assert_true(kvc_gguf_element_bool(kvc_gguf_find(&gguf, "bool"), 0, &flag) && flag);
    assert_false(kvc_gguf_element_bool(kvc_gguf_find(&gguf, "u8"), 0, &flag));
    struct kvc_span text;
    assert_true(kvc_gguf_element_text(kvc_gguf_find(&gguf, "general.architecture"), 0, &text));
    assert_true(kvc_span_is(text, "llama"));
    assert_false(kvc_gguf_element_text(kvc_gguf_find(&gguf, "bool"), 0, &text));
    assert_int_equal(kvc_gguf_element_i64(kvc_gguf_find(&gguf, "i8"), 0), -1);
    assert_int_equal(kvc_gguf_element_i64(kvc_gguf_find(&gguf, "i32"), 0), -2);
    assert_null(kvc_gguf_find(&gguf, "u"));
    assert_null(kvc_gguf_find(&gguf, "zz"));
    gguf_end(&w);
}

static void elements_are_reached_and_not_past_the_end(void **state)
{
    (void)state;
    struct gguf_writer w;
    put_small(&w, 3);
    struct kvc_span file = gguf_bytes(&w, true);
    struct kvc_arena arena = fresh_arena();
    struct kvc_gguf gguf = read_whole(file, &arena);
    const struct kvc_gguf_kv *texts = kvc_gguf_find(&gguf, "texts");
    const struct kvc_gguf_kv *numbers = kvc_gguf_find(&gguf, "u16s");
    const struct kvc_gguf_kv *flags = kvc_gguf_find(&gguf, "flags");
    struct kvc_span text;
    uint64_t number;
    bool flag;
    assert_int_equal(texts->count, 3);
    assert_true(kvc_gguf_element_text(texts, 0, &text) && kvc_span_is(text, "a"));
    assert_true(kvc_gguf_element_text(texts, 1, &text) && text.length == 0);
    assert_true(kvc_gguf_element_text(texts, 2, &text) && kvc_span_is(text, "\xFF\xFE"));
    assert_false(kvc_gguf_element_text(texts, 3, &text));
    assert_true(kvc_gguf_element_u64(numbers, 2, &number) && number == 65535);
    assert_false(kvc_gguf_element_u64(numbers, 3, &number));
    assert_false(kvc_gguf_element_u64(kvc_gguf_find(&gguf, "none"), 0, &number));
    assert_true(kvc_gguf_element_bool(flags, 1, &flag) && !flag);
    assert_false(kvc_gguf_element_bool(flags, 3, &flag));
    assert_false(kvc_gguf_element_bool(numbers, 0, &flag));
    gguf_end(&w);
}

static void an_alignment_is_followed(void **state)
{
    (void)state;
    static const uint32_t ALIGNMENTS[] = { 1, 8, 64, 4096 };
    for (size_t i = 0; i < 4; i++) {
        struct gguf_writer w;
        gguf_begin(&w, 3);
        gguf_put_alignment(&w, ALIGNMENTS[i]);
        gguf_tensor(&w, "a", 0, 3, 1);
        gguf_tensor(&w, "b", 0, 1, 1);
        struct kvc_span file = gguf_bytes(&w, true);
        struct kvc_arena arena = fresh_arena();
        struct kvc_gguf gguf = read_whole(file, &arena);
        assert_int_equal(gguf.alignment, ALIGNMENTS[i]);
        assert_int_equal(gguf.data_offset % ALIGNMENTS[i], 0);
        assert_int_equal(gguf.data_offset + gguf.tensors[1].offset + 4, file.length);
        gguf_end(&w);
    }
}

static void a_header_that_was_cut_out_is_read(void **state)
{
    (void)state;
    struct gguf_writer w;
    put_small(&w, 3);
    size_t header = w.length;
    struct kvc_span file = gguf_bytes(&w, false);
    struct kvc_gguf gguf;
    uint64_t needed = 1;
    kvcap_error err;
    for (size_t length = header; length <= file.length; length++) {
        must(read_head(file, length, length, &gguf, &needed, &err), &err);
        assert_int_equal(needed, 0);
        assert_true(gguf.is_header_alone);
        assert_int_equal(gguf.tensor_bytes, 6 * 34 + 12);
    }
    /* A byte of the data, and it is a file that was cut.  The place is the tensor's entry: 57 bytes
     * of it and 58 of the other end the header. */
    char at[32];
    snprintf(at, sizeof at, "offset %zu", header - 57 - 58);
    must_refuse(read_head(file, file.length, file.length + 1, &gguf, &needed, &err), &err,
                "gguf.offset_past_end", at);
    gguf_end(&w);
}

static void an_empty_file_of_nothing_but_its_start_is_read(void **state)
{
    (void)state;
    struct gguf_writer w;
    gguf_begin(&w, 3);
    struct kvc_span file = gguf_bytes(&w, false);
    struct kvc_arena arena = fresh_arena();
    struct kvc_gguf gguf = read_whole(file, &arena);
    assert_int_equal(gguf.kvs_count, 0);
    assert_int_equal(gguf.header_bytes, 24);
    assert_int_equal(gguf.data_offset, 24);
    assert_null(kvc_gguf_find(&gguf, "general.architecture"));
    gguf_end(&w);
}

/* ---- Pieces. */

static void a_part_asks_for_more_and_never_for_too_much(void **state)
{
    (void)state;
    struct gguf_writer w;
    put_small(&w, 3);
    size_t header = w.length;
    struct kvc_span file = gguf_bytes(&w, true);
    for (size_t length = 0; length <= file.length; length++) {
        struct kvc_gguf gguf;
        uint64_t needed = 1;
        kvcap_error err;
        must(read_head(file, length, file.length, &gguf, &needed, &err), &err);
        if (length >= header)
            assert_int_equal(needed, 0);
        else
            assert_true(needed > length && needed <= header);
    }
    gguf_end(&w);
}

static void every_file_that_was_cut_is_refused(void **state)
{
    (void)state;
    struct gguf_writer w;
    put_small(&w, 3);
    size_t header = w.length;
    struct kvc_span file = gguf_bytes(&w, true);
    size_t data = (header + 31) / 32 * 32;
    for (size_t length = 0; length < file.length; length++) {
        struct kvc_gguf gguf;
        uint64_t needed = 1;
        kvcap_error err = { .code = KVCAP_OK };
        kvcap_code rc = read_head(file, length, length, &gguf, &needed, &err);
        if (length >= header && length <= data)
            continue; /* a header alone */
        if (rc != KVCAP_E_METADATA || strncmp(err.at, "offset ", 7) != 0)
            fail_msg("cut at %zu: %d %s at %s", length, (int)rc, err.slug, err.at);
    }
    gguf_end(&w);
}

/* The properties that a header has when it was accepted. */
static void check_sound(struct kvc_span file, const struct kvc_gguf *gguf)
{
    for (uint32_t i = 0; i < gguf->kvs_count; i++) {
        const struct kvc_gguf_kv *kv = &gguf->kvs[i];
        assert_true(kv->offset + kv->bytes_length <= file.length);
        assert_true(kv->key.length > 0 && kvc_span_is_utf8(kv->key, NULL));
        if (i > 0)
            assert_true(kvc_span_compare(gguf->kvs[gguf->kvs_by_key[i - 1]].key,
                                         gguf->kvs[gguf->kvs_by_key[i]].key) < 0);
    }
    uint64_t end = 0;
    for (uint32_t i = 0; i < gguf->tensors_count; i++) {
        assert_true(gguf->tensors[i].offset >= end && gguf->tensors[i].bytes > 0);
        end = gguf->tensors[i].offset + gguf->tensors[i].bytes;
    }
    assert_true(gguf->is_header_alone || gguf->tensors_count == 0 ||
                gguf->data_offset + end <= file.length);
}

static void every_changed_byte_is_refused_or_makes_another_sound_header(void **state)
{
    (void)state;
    struct gguf_writer w;
    put_small(&w, 3);
    size_t header = w.length;
    struct kvc_span file = gguf_bytes(&w, true);
    char *copy = malloc(file.length);
    assert_non_null(copy);
    memcpy(copy, file.text, file.length);
    unsigned accepted = 0, refused = 0;
    for (size_t at = 0; at < header; at++) {
        for (unsigned value = 0; value < 256; value++) {
            struct kvc_arena arena = fresh_arena();
            struct kvc_gguf gguf;
            uint64_t needed = 0;
            kvcap_error err;
            copy[at] = (char)value;
            kvcap_code rc = kvc_gguf_read((struct kvc_span){ copy, file.length }, file.length,
                                          &arena, &gguf, &needed, &err);
            assert_int_equal(needed, 0);
            assert_true(rc == KVCAP_OK || rc == KVCAP_E_METADATA);
            if (rc == KVCAP_OK)
                check_sound(file, &gguf);
            accepted += rc == KVCAP_OK;
            refused += rc != KVCAP_OK;
        }
        copy[at] = file.text[at];
    }
    assert_true(accepted > 1000 && refused > 1000);
    free(copy);
    gguf_end(&w);
}

/* ---- Memory. */

static void no_memory_is_said_and_leaves_the_arena_as_it_was(void **state)
{
    (void)state;
    struct gguf_writer w;
    put_small(&w, 3);
    struct kvc_span file = gguf_bytes(&w, true);
    bool was_enough = false;
    for (size_t room = 0; room < 8192 && !was_enough; room += 16) {
        struct kvc_arena arena;
        kvc_arena_over(&arena, arena_room, room);
        struct kvc_mark before = kvc_arena_mark(&arena);
        struct kvc_gguf gguf;
        uint64_t needed = 0;
        kvcap_error err;
        kvcap_code rc = kvc_gguf_read(file, file.length, &arena, &gguf, &needed, &err);
        was_enough = rc == KVCAP_OK;
        assert_true(was_enough || rc == KVCAP_E_NOMEM);
        assert_true(was_enough || arena.at == before.at);
    }
    assert_true(was_enough);
    gguf_end(&w);
}

static void a_large_count_costs_nothing_before_its_entries_are_there(void **state)
{
    (void)state;
    struct gguf_writer w;
    struct kvc_gguf gguf;
    uint64_t needed = 0;
    kvcap_error err;
    gguf_begin(&w, 3);
    gguf_raw_text(&w, "key");
    gguf_patch(&w, 16, 1000000, 8);
    struct kvc_span head = { (const char *)w.bytes, w.length };
    struct kvc_arena none;
    kvc_arena_over(&none, arena_room, 0);
    must(kvc_gguf_read(head, UINT64_C(1) << 40, &none, &gguf, &needed, &err), &err);
    assert_int_equal(needed, 24 + 14 * 1000000);

    /* The same of a list of texts: each has 8 bytes at least. */
    gguf_end(&w);
    gguf_begin(&w, 3);
    gguf_raw_text(&w, "key");
    gguf_raw_number(&w, KVC_GGUF_ARRAY, 4);
    gguf_raw_number(&w, KVC_GGUF_TEXT, 4);
    gguf_raw_number(&w, 1000000, 8);
    gguf_raw_text(&w, "first");
    gguf_patch(&w, 16, 1, 8);
    head = (struct kvc_span){ (const char *)w.bytes, w.length };
    struct kvc_arena arena = fresh_arena();
    must(kvc_gguf_read(head, UINT64_C(1) << 40, &arena, &gguf, &needed, &err), &err);
    assert_int_equal(needed, 51 + 8 * 1000000);
    gguf_end(&w);
}

/* ---- The large one. */

static void a_large_header_is_read_in_pieces(void **state)
{
    (void)state;
    struct gguf_writer w;
    gguf_begin(&w, 3);
    gguf_put_large(&w);
    uint64_t header = w.length;
    struct kvc_span file = gguf_bytes(&w, false);
    struct kvc_gguf gguf;
    uint64_t needed = 0, whole = UINT64_C(1) << 33;
    kvcap_error err;
    unsigned reads = 0;
    size_t length = 65536;
    struct kvc_arena arena = fresh_arena();
    do {
        must(kvc_gguf_read((struct kvc_span){ file.text, length }, whole, &arena, &gguf, &needed,
                           &err),
             &err);
        length = length * 2 > needed ? length * 2 : (size_t)needed;
        length = length < file.length ? length : file.length;
        reads++;
    } while (needed > 0);
    assert_true(reads <= 8);
    assert_int_equal(gguf.header_bytes, header);
    assert_int_equal(gguf.tensors_count, 434);
    assert_int_equal(kvc_gguf_find(&gguf, "tokenizer.ggml.tokens")->count, 151936);
    struct kvc_span last;
    assert_true(
        kvc_gguf_element_text(kvc_gguf_find(&gguf, "tokenizer.ggml.merges"), 151386, &last));
    assert_true(kvc_span_is(last, "00151386"));
    gguf_end(&w);
}

/* ---- Names. */

static void names_are_sorted_and_the_first_that_comes_twice_is_told(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    struct kvc_span names[200];
    char texts[200][8];
    for (unsigned round = 0; round < 500; round++) {
        uint32_t count = (uint32_t)chance_below(&chance, 200), first = KVC_NO_DUPLICATE;
        for (uint32_t i = 0; i < count; i++) {
            snprintf(texts[i], sizeof texts[i], "%u", (unsigned)chance_below(&chance, 5000));
            names[i] = kvc_span_of(texts[i]);
            for (uint32_t k = 0; k < i && first == KVC_NO_DUPLICATE; k++) {
                if (kvc_span_equal(names[k], names[i]))
                    first = i;
            }
        }
        struct kvc_arena arena = fresh_arena();
        const uint32_t *order;
        uint32_t duplicate;
        assert_true(kvc_gguf_sort_names(&arena, names, sizeof names[0], count, &order, &duplicate));
        chance_check(&chance, duplicate == first);
        for (uint32_t i = 1; i < count; i++)
            chance_check(&chance, kvc_span_compare(names[order[i - 1]], names[order[i]]) <= 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_in_is_found),
        cmocka_unit_test(values_are_typed),
        cmocka_unit_test(elements_are_reached_and_not_past_the_end),
        cmocka_unit_test(an_alignment_is_followed),
        cmocka_unit_test(a_header_that_was_cut_out_is_read),
        cmocka_unit_test(an_empty_file_of_nothing_but_its_start_is_read),
        cmocka_unit_test(a_part_asks_for_more_and_never_for_too_much),
        cmocka_unit_test(every_file_that_was_cut_is_refused),
        cmocka_unit_test(every_changed_byte_is_refused_or_makes_another_sound_header),
        cmocka_unit_test(no_memory_is_said_and_leaves_the_arena_as_it_was),
        cmocka_unit_test(a_large_count_costs_nothing_before_its_entries_are_there),
        cmocka_unit_test(a_large_header_is_read_in_pieces),
        cmocka_unit_test(names_are_sorted_and_the_first_that_comes_twice_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
