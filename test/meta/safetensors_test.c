/* Goal: a header gives every tensor and the exact bytes of the weights; whatever is not a header that
 * the format's own reader would take is refused by its own slug at its own place.
 * Method: small files of our own (the sizes of the types are those of huggingface/safetensors,
 * safetensors/src/tensor.rs, Dtype::bitsize); one thing bent at a time; every truncation; and a
 * header of many tensors in an order that was drawn. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meta/safetensors.h"
#include "os/os.h"
#include "support/chance.h"
#include "support/fixture.h"
#include "support/tensor_file.h"

#define LIMIT ((size_t)64 * 1024 * 1024)

static kvcap_code read_file(const struct tensor_file *file, struct kvc_arena *arena,
                            struct kvc_safetensors *ret, uint64_t *ret_needed, kvcap_error *err)
{
    kvc_arena_from(arena, &kvc_os_memory, LIMIT);
    return kvc_safetensors_read(file->head, file->file_bytes, arena, ret, ret_needed, err);
}

static void free_file(struct tensor_file *file)
{
    free((char *)file->head.text);
}

/* ---- What is read. */

static void tensors_come_by_name_with_shape_type_and_bytes(void **state)
{
    (void)state;
    struct tensor_file file =
        tensor_file("{\"__metadata__\":{\"format\":\"pt\"},"
                    "\"model.layers.0.self_attn.k_proj.weight\":"
                    "{\"dtype\":\"BF16\",\"shape\":[2,8],\"data_offsets\":[4,36]},"
                    "\"a\":{\"data_offsets\":[0,4],\"extra\":null,\"shape\":[],\"dtype\":\"F32\"},"
                    "\"b\\u00e9\":{\"dtype\":\"I8\",\"shape\":[3,0,5],\"data_offsets\":[4,4]}}    ",
                    32 + 4);
    struct kvc_arena arena;
    struct kvc_safetensors got;
    uint64_t needed;
    kvcap_error err;
    must(read_file(&file, &arena, &got, &needed, &err), &err);
    assert_int_equal(needed, file.head.length);
    assert_int_equal(got.header_bytes, file.head.length);
    assert_int_equal(got.data_bytes, 36);
    assert_int_equal(got.tensors_count, 3);
    assert_true(kvc_span_is(got.tensors[0].name, "a"));
    assert_int_equal(got.tensors[0].dims_count, 0);
    assert_true(kvc_span_is(got.tensors[1].name, "b\xC3\xA9"));
    assert_int_equal(got.tensors[1].begin, 4);
    assert_int_equal(got.tensors[1].end, 4);
    assert_true(kvc_span_is(got.tensors[2].name, "model.layers.0.self_attn.k_proj.weight"));
    assert_int_equal(got.tensors[2].dims_count, 2);
    assert_int_equal(got.tensors[2].dims[0], 2);
    assert_int_equal(got.tensors[2].dims[1], 8);
    assert_int_equal(got.tensors[2].type, KVC_TENSOR_BF16);
    assert_int_equal(got.type_bytes[KVC_TENSOR_BF16], 32);
    assert_int_equal(got.type_bytes[KVC_TENSOR_F32], 4);
    assert_int_equal(got.type_bytes[KVC_TENSOR_I8], 0);
    kvc_arena_drop(&arena);
    free_file(&file);
}

static void no_tensors_are_a_file_too(void **state)
{
    (void)state;
    struct tensor_file file = tensor_file("{}      ", 0);
    struct kvc_arena arena;
    struct kvc_safetensors got;
    uint64_t needed;
    kvcap_error err;
    must(read_file(&file, &arena, &got, &needed, &err), &err);
    assert_int_equal(got.tensors_count, 0);
    assert_int_equal(got.data_bytes, 0);
    kvc_arena_drop(&arena);
    free_file(&file);
}

/* 24 elements are whole bytes of every type. */
static void every_type_has_its_size(void **state)
{
    static const struct {
        const char *name;
        unsigned bits;
    } TYPES[] = {
        { "BOOL", 8 },        { "F4", 4 },          { "F6_E2M3", 6 }, { "F6_E3M2", 6 },
        { "U8", 8 },          { "I8", 8 },          { "F8_E5M2", 8 }, { "F8_E4M3", 8 },
        { "F8_E8M0", 8 },     { "F8_E8M0FNU", 8 },  { "I16", 16 },    { "U16", 16 },
        { "F16", 16 },        { "BF16", 16 },       { "I32", 32 },    { "U32", 32 },
        { "F32", 32 },        { "C64", 64 },        { "F64", 64 },    { "I64", 64 },
        { "F8_E4M3FNUZ", 8 }, { "F8_E5M2FNUZ", 8 }, { "U64", 64 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++) {
        char json[160];
        snprintf(json, sizeof json,
                 "{\"w\":{\"dtype\":\"%s\",\"shape\":[3,8],\"data_offsets\":[0,%u]}}",
                 TYPES[i].name, TYPES[i].bits * 3);
        struct tensor_file file = tensor_file(json, TYPES[i].bits * 3);
        struct kvc_arena arena;
        struct kvc_safetensors got;
        uint64_t needed;
        kvcap_error err;
        must(read_file(&file, &arena, &got, &needed, &err), &err);
        assert_int_equal(got.type_bytes[got.tensors[0].type], TYPES[i].bits * 3);
        assert_memory_equal(kvc_tensor_type_name(got.tensors[0].type), TYPES[i].name,
                            strlen(kvc_tensor_type_name(got.tensors[0].type)));
        kvc_arena_drop(&arena);
        free_file(&file);
    }
}

/* Tensors of drawn sizes, listed in a drawn order: their sum and their order are known beforehand. */
static void many_tensors_in_any_order_are_the_same_tensors(void **state)
{
    enum { COUNT = 3000 };
    static unsigned order[COUNT];
    static uint64_t begin[COUNT + 1];
    struct chance chance = chance_begin();
    (void)state;
    size_t room = COUNT * 128, length = 0;
    char *json = malloc(room);
    assert_non_null(json);
    for (unsigned i = 0; i < COUNT; i++) {
        begin[i + 1] = begin[i] + chance_below(&chance, 1000);
        order[i] = i;
        unsigned j = (unsigned)chance_below(&chance, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (unsigned i = 0; i < COUNT; i++) {
        unsigned n = order[i];
        length += (size_t)snprintf(
            json + length, room - length,
            "%s\"t.%04u\":{\"dtype\":\"U8\",\"shape\":[%llu],\"data_offsets\":[%llu,%llu]}",
            i == 0 ? "{" : ",", n, (unsigned long long)(begin[n + 1] - begin[n]),
            (unsigned long long)begin[n], (unsigned long long)begin[n + 1]);
    }
    snprintf(json + length, room - length, "}");
    struct tensor_file file = tensor_file(json, begin[COUNT]);
    struct kvc_arena arena;
    struct kvc_safetensors got;
    uint64_t needed;
    kvcap_error err;
    must(read_file(&file, &arena, &got, &needed, &err), &err);
    assert_int_equal(got.tensors_count, COUNT);
    assert_int_equal(got.data_bytes, begin[COUNT]);
    for (unsigned i = 0; i < COUNT; i++) {
        assert_int_equal(got.tensors[i].begin, begin[i]);
        assert_int_equal(got.tensors[i].end, begin[i + 1]);
    }
    kvc_arena_drop(&arena);
    free_file(&file);
    free(json);
}

/* ---- What is asked for. */

static void a_beginning_asks_for_more_and_says_how_much(void **state)
{
    (void)state;
    struct tensor_file file =
        tensor_file("{\"w\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", 4);
    struct kvc_span whole = file.head;
    for (size_t length = 0; length < whole.length; length++) {
        /* A copy of its own, so that a read past it is seen by the sanitizer. */
        char *copy = malloc(length == 0 ? 1 : length);
        assert_non_null(copy);
        memcpy(copy, whole.text, length);
        file.head = (struct kvc_span){ copy, length };
        struct kvc_arena arena;
        struct kvc_safetensors got = { .tensors_count = 99 };
        uint64_t needed = 0;
        kvcap_error err;
        must(read_file(&file, &arena, &got, &needed, &err), &err);
        assert_int_equal(needed, length < 8 ? 8 : whole.length);
        assert_int_equal(got.tensors_count, 99);
        kvc_arena_drop(&arena);
        free(copy);
    }
    file.head = whole;
    free_file(&file);
}

/* A file that was cut: the header says what should be there. */
static void every_file_that_was_cut_is_refused(void **state)
{
    (void)state;
    struct tensor_file file =
        tensor_file("{\"w\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", 4);
    struct kvc_span whole = file.head;
    for (uint64_t bytes = file.file_bytes; bytes-- > 0;) {
        struct kvc_arena arena;
        struct kvc_safetensors got;
        uint64_t needed;
        kvcap_error err;
        file.file_bytes = bytes;
        file.head.length = bytes < whole.length ? (size_t)bytes : whole.length;
        kvcap_code rc = read_file(&file, &arena, &got, &needed, &err);
        if (bytes < 8)
            must_refuse(rc, &err, "safetensors.too_short", "offset 0");
        else if (bytes < whole.length)
            must_refuse(rc, &err, "safetensors.header_length", "offset 0");
        else
            must_refuse(rc, &err, "safetensors.past_file", "/w");
        kvc_arena_drop(&arena);
    }
    free_file(&file);
}

static void a_length_past_the_limit_or_the_file_is_refused_before_memory_is_asked_for(void **state)
{
    static const struct {
        const char bytes[9];
        uint64_t file_bytes;
        const char *slug;
    } HEADS[] = {
        { "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", UINT64_MAX, "safetensors.header_length" },
        { "\0\0\0\0\0\0\0\x80", UINT64_C(1) << 62, "safetensors.header_length" },
        { "\x01\xE1\xF5\x05\0\0\0\0", UINT64_C(1) << 40, "safetensors.header_length" },
        { "\x01\0\0\0\0\0\0\0", 8, "safetensors.header_length" },
        { "\xF9\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 100, "safetensors.header_length" },
        { "version ", 134, "safetensors.lfs_pointer" },
        { "\0\0\0\0\0\0\0\0", 8, "safetensors.not_object" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof HEADS / sizeof HEADS[0]; i++) {
        struct kvc_arena arena;
        struct kvc_safetensors got;
        uint64_t needed = 0;
        kvcap_error err;
        char nothing[64];
        kvc_arena_over(&arena, nothing, sizeof nothing);
        kvcap_code rc = kvc_safetensors_read((struct kvc_span){ HEADS[i].bytes, 8 },
                                             HEADS[i].file_bytes, &arena, &got, &needed, &err);
        must_refuse(rc, &err, HEADS[i].slug,
                    strcmp(HEADS[i].slug, "safetensors.not_object") == 0 ? "offset 8" : "offset 0");
    }
    /* 100,000,000 itself is asked for. */
    struct kvc_arena arena = { 0 };
    struct kvc_safetensors got;
    uint64_t needed = 0;
    kvcap_error err;
    must(kvc_safetensors_read((struct kvc_span){ "\x00\xE1\xF5\x05\0\0\0\0", 8 }, UINT64_C(1) << 40,
                              &arena, &got, &needed, &err),
         &err);
    assert_int_equal(needed, 100000008);
}

/* ---- What is refused. */

#define W(rest) "{\"w\":{" rest "}}"

static const struct {
    const char *json;
    uint64_t data_bytes;
    const char *slug, *at;
} HOSTILE[] = {
    { "[]", 0, "safetensors.not_object", "offset 8" },
    { " {}", 0, "safetensors.not_object", "offset 8" },
    { "\"text\"", 0, "safetensors.not_object", "offset 8" },
    { "{", 0, "json.syntax", "" },
    { "{}{}", 0, "json.trailing_bytes", "" },
    { "{\"w\"}", 0, "json.syntax", "/w" },
    { "{\"w\":1}", 0, "safetensors.bad_entry", "/w" },
    { "{\"w\":[]}", 0, "safetensors.bad_entry", "/w" },
    { "{\"w\":{},}", 0, "safetensors.bad_entry", "/w" },
    { W("\"shape\":[1],\"data_offsets\":[0,1]"), 1, "safetensors.bad_entry", "/w" },
    { W("\"dtype\":8,\"shape\":[1],\"data_offsets\":[0,1]"), 1, "safetensors.bad_entry",
      "/w/dtype" },
    { W("\"dtype\":\"u8\",\"shape\":[1],\"data_offsets\":[0,1]"), 1, "safetensors.unknown_dtype",
      "/w/dtype" },
    { W("\"dtype\":\"U128\",\"shape\":[1],\"data_offsets\":[0,16]"), 16,
      "safetensors.unknown_dtype", "/w/dtype" },
    { W("\"dtype\":\"U8\",\"data_offsets\":[0,1]"), 1, "safetensors.bad_entry", "/w" },
    { W("\"dtype\":\"U8\",\"shape\":1,\"data_offsets\":[0,1]"), 1, "safetensors.bad_entry",
      "/w/shape" },
    { W("\"dtype\":\"U8\",\"shape\":[-1],\"data_offsets\":[0,1]"), 1, "safetensors.bad_entry",
      "/w/shape/0" },
    { W("\"dtype\":\"U8\",\"shape\":[1,1.0],\"data_offsets\":[0,1]"), 1, "safetensors.bad_entry",
      "/w/shape/1" },
    { W("\"dtype\":\"U8\",\"shape\":[\"1\"],\"data_offsets\":[0,1]"), 1, "safetensors.bad_entry",
      "/w/shape/0" },
    { W("\"dtype\":\"U8\",\"shape\":[18446744073709551616],\"data_offsets\":[0,1]"), 1,
      "safetensors.bad_entry", "/w/shape/0" },
    { W("\"dtype\":\"U8\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]"), 0,
      "safetensors.shape_overflow", "/w/shape" },
    { W("\"dtype\":\"U64\",\"shape\":[288230376151711745],\"data_offsets\":[0,64]"), 64,
      "safetensors.shape_overflow", "/w/shape" },
    { W("\"dtype\":\"U8\",\"shape\":[1]"), 1, "safetensors.bad_entry", "/w" },
    { W("\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0]"), 1, "safetensors.bad_entry",
      "/w/data_offsets" },
    { W("\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1,2]"), 1, "safetensors.bad_entry",
      "/w/data_offsets" },
    { W("\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1e0]"), 1, "safetensors.bad_entry",
      "/w/data_offsets/1" },
    { W("\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[-1,0]"), 1, "safetensors.bad_entry",
      "/w/data_offsets/0" },
    { W("\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[2,1]"), 2, "safetensors.bad_offsets",
      "/w/data_offsets" },
    { W("\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,1]"), 1, "safetensors.bytes_disagree",
      "/w" },
    { W("\"dtype\":\"F4\",\"shape\":[3],\"data_offsets\":[0,1]"), 1, "safetensors.bytes_disagree",
      "/w" },
    { W("\"dtype\":\"F4\",\"shape\":[3],\"data_offsets\":[0,2]"), 2, "safetensors.bytes_disagree",
      "/w" },
    { W("\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,2]"), 2, "safetensors.hole", "/w" },
    { "{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},"
      "\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[1,3]}}",
      3, "safetensors.overlap", "/b" },
    { "{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},"
      "\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]}}",
      2, "safetensors.overlap", "/b" },
    { "{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},"
      "\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[3,5]}}",
      5, "safetensors.hole", "/b" },
    { "{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},"
      "\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[2,4]}}",
      4, "safetensors.duplicate_name", "/a" },
    { "{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},"
      "\"\\u0061\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[2,4]}}",
      4, "safetensors.duplicate_name", "/a" },
    { W("\"dtype\":\"U8\",\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]"), 1,
      "json.duplicate_key", "/w/dtype" },
    { W("\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]"), 3, "safetensors.past_file",
      "/w" },
    { W("\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]"), 5, "safetensors.trailing_bytes",
      "" },
    { "{}", 1, "safetensors.trailing_bytes", "" },
    { W("\"dtype\":\"U8\",\"shape\":[18446744073709551615],"
        "\"data_offsets\":[0,18446744073709551615]"),
      4, "safetensors.shape_overflow", "/w/shape" },
    { "{\"__metadata__\":[]}", 0, "safetensors.bad_entry", "/__metadata__" },
    { "{\"__metadata__\":{\"format\":1}}", 0, "safetensors.bad_entry", "/__metadata__/format" },
    { "{\"w/~\":0}", 0, "safetensors.bad_entry", "/w~1~0" },
    { "{\"\xFF\":0}", 0, "json.bad_utf8", "" },
    { "{\"\\ud800\":0}", 0, "json.lone_surrogate", "" },
};

static void each_broken_header_is_refused_by_slug_and_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof HOSTILE / sizeof HOSTILE[0]; i++) {
        struct tensor_file file = tensor_file(HOSTILE[i].json, HOSTILE[i].data_bytes);
        struct kvc_arena arena;
        struct kvc_safetensors got = { .tensors_count = 99 };
        uint64_t needed;
        kvcap_error err = { 0 };
        kvcap_code rc = read_file(&file, &arena, &got, &needed, &err);
        if (rc != KVCAP_E_METADATA)
            fail_msg("%s: code %d", HOSTILE[i].json, (int)rc);
        must_refuse(rc, &err, HOSTILE[i].slug, HOSTILE[i].at);
        assert_int_equal(got.tensors_count, 99);
        kvc_arena_drop(&arena);
        free_file(&file);
    }
}

static void more_than_64_dimensions_are_refused_and_64_are_not(void **state)
{
    (void)state;
    for (unsigned count = 64; count <= 65; count++) {
        char json[512] = "{\"w\":{\"dtype\":\"U8\",\"data_offsets\":[0,1],\"shape\":[1";
        for (unsigned i = 1; i < count; i++)
            strncat(json, ",1", sizeof json - strlen(json) - 1);
        strncat(json, "]}}", sizeof json - strlen(json) - 1);
        struct tensor_file file = tensor_file(json, 1);
        struct kvc_arena arena;
        struct kvc_safetensors got;
        uint64_t needed;
        kvcap_error err;
        kvcap_code rc = read_file(&file, &arena, &got, &needed, &err);
        if (count == 64)
            must(rc, &err);
        else
            must_refuse(rc, &err, "safetensors.bad_entry", "/w/shape");
        kvc_arena_drop(&arena);
        free_file(&file);
    }
}

/* Every amount of memory, from none to enough: memory is refused, or all is read. */
static void want_of_memory_is_told_as_such(void **state)
{
    (void)state;
    struct tensor_file file =
        tensor_file("{\"__metadata__\":{\"a\":\"b\"},\"w\":{\"dtype\":\"U8\",\"shape\":[4],"
                    "\"data_offsets\":[0,4]},\"\\u0078\":{\"dtype\":\"U8\",\"shape\":[4,1],"
                    "\"data_offsets\":[4,8]}}",
                    8);
    static char buffer[8192];
    bool enough = false;
    for (size_t bytes = 0; bytes <= sizeof buffer; bytes += 16) {
        struct kvc_arena arena;
        struct kvc_safetensors got;
        uint64_t needed;
        kvcap_error err;
        kvc_arena_over(&arena, buffer, bytes);
        kvcap_code rc =
            kvc_safetensors_read(file.head, file.file_bytes, &arena, &got, &needed, &err);
        if (rc != KVCAP_OK)
            assert_string_equal(err.slug, "memory.full");
        else
            assert_int_equal(got.tensors_count, 2);
        enough = rc == KVCAP_OK;
        kvc_arena_drop(&arena);
    }
    assert_true(enough);
    free_file(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_come_by_name_with_shape_type_and_bytes),
        cmocka_unit_test(no_tensors_are_a_file_too),
        cmocka_unit_test(every_type_has_its_size),
        cmocka_unit_test(many_tensors_in_any_order_are_the_same_tensors),
        cmocka_unit_test(a_beginning_asks_for_more_and_says_how_much),
        cmocka_unit_test(every_file_that_was_cut_is_refused),
        cmocka_unit_test(a_length_past_the_limit_or_the_file_is_refused_before_memory_is_asked_for),
        cmocka_unit_test(each_broken_header_is_refused_by_slug_and_place),
        cmocka_unit_test(more_than_64_dimensions_are_refused_and_64_are_not),
        cmocka_unit_test(want_of_memory_is_told_as_such),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
