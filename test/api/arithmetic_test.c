/* Goal: the arithmetic without records is exact, refuses what it cannot say, and then leaves its
 * result alone.
 * Method: figures of published models by hand; all widths; each count at 0; overflow at each step;
 * texts of GiB around their ties; sequences counted by giving blocks out one by one. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "support/fixture.h"

static kvcap_cache_shape llama(void)
{
    return (kvcap_cache_shape){ .struct_size = sizeof(kvcap_cache_shape),
                                .layers = 32,
                                .kv_heads = 8,
                                .key_dim = 128,
                                .value_dim = 128,
                                .key_bytes = 2,
                                .value_bytes = 2,
                                .block_tokens = 16,
                                .tokens = 4096,
                                .sequences = 1 };
}

static void must_be(kvcap_cache_shape shape, uint64_t per_token, uint64_t per_sequence,
                    uint64_t total)
{
    kvcap_cache_size size = { .struct_size = sizeof size, .reserved = 9 };
    kvcap_error err;
    must(kvcap_cache_bytes(&shape, &size, &err), &err);
    assert_int_equal(size.struct_size, sizeof size);
    assert_int_equal(size.bytes_per_token, per_token);
    assert_int_equal(size.bytes_per_sequence, per_sequence);
    assert_int_equal(size.bytes_total, total);
}

static void bytes_of_published_models_come_out(void **state)
{
    (void)state;
    kvcap_cache_shape shape = llama();
    must_be(shape, 131072, UINT64_C(536870912), UINT64_C(536870912));
    shape.sequences = 32;
    must_be(shape, 131072, UINT64_C(536870912), UINT64_C(17179869184));
    shape.tokens = 4097; /* one token more is one block more, for every sequence */
    must_be(shape, 131072, UINT64_C(538968064), UINT64_C(17246978048));
    shape.block_tokens = 1;
    must_be(shape, 131072, UINT64_C(537001984), UINT64_C(17184063488));
    shape = llama();
    shape.layers = 36;
    shape.kv_heads = 2;
    must_be(shape, 36864, 150994944, 150994944);
    shape.sequences = 4;
    must_be(shape, 36864, 150994944, 603979776);
    shape.value_dim = 64;
    shape.value_bytes = 1;
    must_be(shape, 36 * 2 * (256 + 64), 4096 * 23040, UINT64_C(4) * 4096 * 23040);
}

static void must_be_refused(kvcap_cache_shape shape, const char *slug, const char *at)
{
    kvcap_cache_size size = { .struct_size = sizeof size,
                              .reserved = 1,
                              .bytes_per_token = 2,
                              .bytes_per_sequence = 3,
                              .bytes_total = 4 };
    kvcap_cache_size before = size;
    kvcap_error err;
    must_refuse(kvcap_cache_bytes(&shape, &size, &err), &err, slug, at);
    assert_memory_equal(&size, &before, sizeof size);
    assert_int_equal(kvcap_cache_bytes(&shape, &size, NULL), err.code);
    assert_memory_equal(&size, &before, sizeof size);
}

static void elements_are_1_2_or_4_bytes_wide(void **state)
{
    (void)state;
    for (uint32_t width = 0; width <= 70; width++) {
        kvcap_cache_shape key = llama(), value = llama();
        key.key_bytes = width;
        value.value_bytes = width;
        if (width == 1 || width == 2 || width == 4) {
            uint64_t token = UINT64_C(32) * 8 * 128 * (2 + width);
            must_be(key, token, token * 4096, token * 4096);
            must_be(value, token, token * 4096, token * 4096);
            continue;
        }
        must_be_refused(key, "usage.out_of_range", "key_bytes");
        must_be_refused(value, "usage.out_of_range", "value_bytes");
    }
}

static void counts_are_at_least_1(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t offset, bytes;
    } COUNTS[] = {
#define COUNT(field)                                                                               \
    { #field, offsetof(kvcap_cache_shape, field), sizeof(((kvcap_cache_shape *)0)->field) }
        COUNT(layers),       COUNT(kv_heads), COUNT(key_dim),   COUNT(value_dim),
        COUNT(block_tokens), COUNT(tokens),   COUNT(sequences),
    };
    for (size_t i = 0; i < sizeof COUNTS / sizeof COUNTS[0]; i++) {
        kvcap_cache_shape shape = llama();
        memset((char *)&shape + COUNTS[i].offset, 0, COUNTS[i].bytes);
        must_be_refused(shape, "usage.out_of_range", COUNTS[i].name);
    }
}

static void what_does_not_fit_in_64_bits_is_refused_by_name(void **state)
{
    (void)state;
    kvcap_cache_shape shape = llama();
    shape.layers = shape.kv_heads = shape.key_dim = UINT32_MAX;
    must_be_refused(shape, "range.overflow", "bytes_per_token");
    shape = llama();
    shape.tokens = UINT64_MAX;
    must_be_refused(shape, "range.overflow", "bytes_per_sequence");
    shape = llama();
    shape.sequences = UINT64_C(1) << 35;
    must_be_refused(shape, "range.overflow", "bytes_total");
    shape.sequences = (UINT64_C(1) << 35) - 1;
    must_be(shape, 131072, UINT64_C(536870912), UINT64_MAX - UINT64_C(536870911));
}

static void structs_of_another_size_are_refused(void **state)
{
    (void)state;
    kvcap_cache_shape shape = llama();
    kvcap_cache_size size = { .struct_size = sizeof size };
    kvcap_error err;
    shape.struct_size = 0;
    must_refuse(kvcap_cache_bytes(&shape, &size, &err), &err, "usage.struct_size", "shape");
    shape.struct_size = sizeof shape + 8;
    must_refuse(kvcap_cache_bytes(&shape, &size, &err), &err, "usage.struct_size", "shape");
    shape = llama();
    size.struct_size = 0;
    must_refuse(kvcap_cache_bytes(&shape, &size, &err), &err, "usage.struct_size", "ret_size");
    must_refuse(kvcap_cache_bytes(NULL, &size, &err), &err, "usage.null_argument", "shape");
    must_refuse(kvcap_cache_bytes(&shape, NULL, &err), &err, "usage.null_argument", "ret_size");
}

/* ---- Rows. */

static void rows_weigh_what_their_format_says(void **state)
{
    (void)state;
    static const struct {
        const char *format;
        uint32_t heads, dim;
        uint64_t bytes;
    } ROWS[] = {
        { "f32", 8, 128, 4096 },
        { "f16", 8, 128, 2048 },
        { "bf16", 1, 1, 2 },
        { "fp8_e4m3", 8, 128, 1024 },
        { "fp8_e5m2", 3, 7, 21 },
        { "q8_0", 8, 128, 1088 },
        { "q5_1", 8, 128, 768 },
        { "q5_0", 8, 128, 704 },
        { "q4_1", 8, 128, 640 },
        { "q4_0", 8, 128, 576 },
        { "iq4_nl", 1, 32, 18 },
        { "nvfp4", 8, 128, 576 },
        { "int8_token_head", 8, 128, 1056 },
        { "fp8_token_head", 1, 128, 132 },
        { "int4_token_head", 8, 128, 544 },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        uint64_t bytes = 0;
        kvcap_error err;
        must(kvcap_row_bytes(ROWS[i].format, ROWS[i].heads, ROWS[i].dim, &bytes, &err), &err);
        assert_int_equal(bytes, ROWS[i].bytes);
    }
}

static void rows_that_cannot_be_are_refused(void **state)
{
    (void)state;
    uint64_t bytes = 7;
    kvcap_error err;
    must_refuse(kvcap_row_bytes("q8_0", 1, 80, &bytes, &err), &err,
                "contract.format_does_not_divide", "format");
    must_refuse(kvcap_row_bytes("fp8_ds_mla", 1, 576, &bytes, &err), &err,
                "contract.format_not_for_state", "format");
    must_refuse(kvcap_row_bytes("fp16", 1, 1, &bytes, &err), &err, "record.unknown_word", "format");
    must_refuse(kvcap_row_bytes("", 1, 1, &bytes, &err), &err, "record.unknown_word", "format");
    must_refuse(kvcap_row_bytes("f16", 0, 1, &bytes, &err), &err, "usage.out_of_range", "heads");
    must_refuse(kvcap_row_bytes("f16", 1, 0, &bytes, &err), &err, "usage.out_of_range", "dim");
    must_refuse(kvcap_row_bytes(NULL, 1, 1, &bytes, &err), &err, "usage.null_argument", "format");
    must_refuse(kvcap_row_bytes("f16", 1, 1, NULL, &err), &err, "usage.null_argument", "ret_bytes");
    assert_int_equal(kvcap_row_bytes("f32", UINT32_MAX, UINT32_MAX, &bytes, &err), KVCAP_E_RANGE);
    assert_int_equal(bytes, 7);
}

/* ---- Sequences in a pool. */

static uint64_t given_out(uint64_t pool, uint64_t token, uint64_t block, uint64_t tokens)
{
    uint64_t sequences = 0;
    for (;; sequences++) {
        for (uint64_t held = 0; held < tokens; held += block) {
            if (pool < token * block)
                return sequences;
            pool -= token * block;
        }
    }
}

static void sequences_are_counted_in_whole_blocks(void **state)
{
    (void)state;
    for (uint64_t pool = 0; pool < 700; pool += 13) {
        for (uint64_t token = 1; token < 4; token++) {
            for (uint64_t block = 1; block < 6; block++) {
                for (uint64_t tokens = 1; tokens < 12; tokens++) {
                    uint64_t sequences = 0;
                    kvcap_error err;
                    must(kvcap_sequences_max(pool, token, block, tokens, &sequences, &err), &err);
                    assert_int_equal(sequences, given_out(pool, token, block, tokens));
                }
            }
        }
    }
}

static void sequences_of_nothing_are_refused(void **state)
{
    (void)state;
    uint64_t sequences = 7;
    kvcap_error err;
    must_refuse(kvcap_sequences_max(1, 0, 1, 1, &sequences, &err), &err, "usage.out_of_range",
                "bytes_per_token");
    must_refuse(kvcap_sequences_max(1, 1, 0, 1, &sequences, &err), &err, "usage.out_of_range",
                "block_tokens");
    must_refuse(kvcap_sequences_max(1, 1, 1, 0, &sequences, &err), &err, "usage.out_of_range",
                "sequence_tokens");
    must_refuse(kvcap_sequences_max(1, 1, 1, 1, NULL, &err), &err, "usage.null_argument",
                "ret_sequences");
    assert_int_equal(kvcap_sequences_max(1, UINT64_MAX, 2, 1, &sequences, &err), KVCAP_E_RANGE);
    assert_int_equal(sequences, 7);
    must(kvcap_sequences_max(UINT64_MAX, 1, 1, UINT64_MAX, &sequences, &err), &err);
    assert_int_equal(sequences, 1);
}

/* ---- GiB. */

static void gib_are_rounded_to_nearest_and_ties_to_even(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        const char *text;
    } CASES[] = {
        { 0, "0.000" },
        { 536870, "0.000" },
        { 536871, "0.001" },
        { UINT64_C(14817637172), "13.800" },
        { UINT64_C(18683107737), "17.400" },
        { UINT64_C(42949672960), "40.000" },
        { 67108864, "0.062" },     /* 62.5 thousandths, to 62 */
        { 3 * 67108864, "0.188" }, /* 187.5, to 188 */
        { UINT64_C(5) * 67108864, "0.312" },
        { UINT64_C(7) * 67108864, "0.438" },
        { 67108863, "0.062" },
        { 67108865, "0.063" },
        { UINT64_C(1073204953), "0.999" }, /* 999.4999... thousandths */
        { UINT64_C(1073204954), "1.000" },
        { UINT64_MAX, "17179869184.000" },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char text[16];
        kvcap_error err;
        must(kvcap_gib_text(CASES[i].bytes, text, sizeof text, &err), &err);
        assert_string_equal(text, CASES[i].text);
    }
}

static void gib_that_lack_room_are_refused_whole(void **state)
{
    (void)state;
    char text[16] = "untouched";
    kvcap_error err;
    must_refuse(kvcap_gib_text(UINT64_C(14817637172), text, 6, &err), &err,
                "usage.buffer_too_small", "room");
    must_refuse(kvcap_gib_text(0, text, 0, &err), &err, "usage.buffer_too_small", "room");
    must_refuse(kvcap_gib_text(0, NULL, 16, &err), &err, "usage.null_argument", "ret_text");
    assert_string_equal(text, "untouched");
    must(kvcap_gib_text(UINT64_C(14817637172), text, 7, &err), &err);
    assert_string_equal(text, "13.800");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_of_published_models_come_out),
        cmocka_unit_test(elements_are_1_2_or_4_bytes_wide),
        cmocka_unit_test(counts_are_at_least_1),
        cmocka_unit_test(what_does_not_fit_in_64_bits_is_refused_by_name),
        cmocka_unit_test(structs_of_another_size_are_refused),
        cmocka_unit_test(rows_weigh_what_their_format_says),
        cmocka_unit_test(rows_that_cannot_be_are_refused),
        cmocka_unit_test(sequences_are_counted_in_whole_blocks),
        cmocka_unit_test(sequences_of_nothing_are_refused),
        cmocka_unit_test(gib_are_rounded_to_nearest_and_ties_to_even),
        cmocka_unit_test(gib_that_lack_room_are_refused_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
