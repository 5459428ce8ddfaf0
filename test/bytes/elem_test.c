/* Goal: a row weighs what its format's groups and scales weigh, to the byte; what the group does
 * not divide is refused, and so is what does not fit 64 bits.
 * Method: each format's sum by hand for one row; then all small rows of every format against a
 * model that packs elements into groups one by one. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>

#include "bytes/elem.h"

#define AT "/cache/k"
#define UNTOUCHED UINT64_C(0xDEADBEEF)

static const struct {
    enum kvc_format format;
    uint32_t group_elements, group_bytes, head_bytes;
    uint64_t row_bytes;      /* 8 heads of 128 elements, by hand */
    uint64_t elements_bytes; /* 1024 elements without heads, by hand */
} FORMATS[] = {
    { KVC_FORMAT_F32, 1, 4, 0, 4096, 4096 },             /* 1024 * 4 */
    { KVC_FORMAT_F16, 1, 2, 0, 2048, 2048 },             /* 1024 * 2 */
    { KVC_FORMAT_BF16, 1, 2, 0, 2048, 2048 },            /* 1024 * 2 */
    { KVC_FORMAT_FP8_E4M3, 1, 1, 0, 1024, 1024 },        /* 1024 */
    { KVC_FORMAT_FP8_E5M2, 1, 1, 0, 1024, 1024 },        /* 1024 */
    { KVC_FORMAT_NVFP4, 16, 9, 0, 576, 576 },            /* 64 groups * 9 */
    { KVC_FORMAT_INT8_TOKEN_HEAD, 1, 1, 4, 1056, 1024 }, /* 1024 + 8 scales * 4 */
    { KVC_FORMAT_FP8_TOKEN_HEAD, 1, 1, 4, 1056, 1024 },  /* 1024 + 8 scales * 4 */
    { KVC_FORMAT_INT4_TOKEN_HEAD, 2, 1, 4, 544, 512 },   /* 512 + 8 scales * 4 */
    { KVC_FORMAT_Q8_0, 32, 34, 0, 1088, 1088 },          /* 32 groups * 34 */
    { KVC_FORMAT_Q5_1, 32, 24, 0, 768, 768 },            /* 32 groups * 24 */
    { KVC_FORMAT_Q5_0, 32, 22, 0, 704, 704 },            /* 32 groups * 22 */
    { KVC_FORMAT_Q4_1, 32, 20, 0, 640, 640 },            /* 32 groups * 20 */
    { KVC_FORMAT_Q4_0, 32, 18, 0, 576, 576 },            /* 32 groups * 18 */
    { KVC_FORMAT_IQ4_NL, 32, 18, 0, 576, 576 },          /* 32 groups * 18 */
};

#define FORMATS_COUNT (sizeof FORMATS / sizeof *FORMATS)

static uint64_t row_bytes(enum kvc_format format, uint64_t heads, uint64_t dim)
{
    uint64_t bytes = UNTOUCHED;
    assert_int_equal(kvc_row_bytes(format, heads, dim, AT, &bytes, NULL), KVCAP_OK);
    return bytes;
}

static void assert_row_refused(enum kvc_format format, uint64_t heads, uint64_t dim,
                               kvcap_code code, const char *slug, const char *at)
{
    kvcap_error err = { 0 };
    uint64_t bytes = UNTOUCHED;
    assert_int_equal(kvc_row_bytes(format, heads, dim, AT, &bytes, &err), code);
    assert_int_equal(err.code, code);
    assert_string_equal(err.slug, slug);
    assert_string_equal(err.at, at);
    assert_int_equal(bytes, UNTOUCHED);
    assert_int_equal(kvc_row_bytes(format, heads, dim, AT, &bytes, NULL), code);
}

static void assert_indivisible(enum kvc_format format, uint64_t heads, uint64_t dim)
{
    assert_row_refused(format, heads, dim, KVCAP_E_CONTRACT, "contract.format_does_not_divide", AT);
}

static void assert_over(enum kvc_format format, uint64_t heads, uint64_t dim)
{
    assert_row_refused(format, heads, dim, KVCAP_E_RANGE, "range.overflow", "bytes of a row");
}

/* ---- By hand. */

static void every_format_but_the_token_has_the_layout_of_the_records(void **state)
{
    (void)state;
    assert_int_equal(FORMATS_COUNT, KVC_FORMAT_COUNT - 2); /* neither NONE nor fp8_ds_mla */
    for (size_t i = 0; i < FORMATS_COUNT; i++) {
        const struct kvc_layout *layout = kvc_layout_of(FORMATS[i].format);
        assert_int_equal(layout->group_elements, FORMATS[i].group_elements);
        assert_int_equal(layout->group_bytes, FORMATS[i].group_bytes);
        assert_int_equal(layout->head_bytes, FORMATS[i].head_bytes);
    }
    assert_int_equal(kvc_layout_of(KVC_FORMAT_FP8_DS_MLA)->group_elements, 0);
    assert_int_equal(kvc_layout_of(KVC_FORMAT_NONE)->group_elements, 0);
}

static void a_row_of_8_heads_of_128_weighs_the_sum_done_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORMATS_COUNT; i++)
        assert_int_equal(row_bytes(FORMATS[i].format, 8, 128), FORMATS[i].row_bytes);
}

static void elements_without_heads_have_no_scales_a_head(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORMATS_COUNT; i++) {
        uint64_t bytes = UNTOUCHED;
        assert_int_equal(kvc_elements_bytes(FORMATS[i].format, 1024, AT, &bytes, NULL), KVCAP_OK);
        assert_int_equal(bytes, FORMATS[i].elements_bytes);
    }
}

/* The group runs along the row, not within a head: 2 heads of 80 are 160 elements, 5 groups. */
static void a_group_may_span_heads(void **state)
{
    (void)state;
    assert_int_equal(row_bytes(KVC_FORMAT_Q8_0, 2, 80), 170);          /* 5 * 34 */
    assert_int_equal(row_bytes(KVC_FORMAT_NVFP4, 2, 72), 81);          /* 9 * 9 */
    assert_int_equal(row_bytes(KVC_FORMAT_INT4_TOKEN_HEAD, 2, 3), 11); /* 3 + 2 * 4 */
    assert_indivisible(KVC_FORMAT_Q8_0, 1, 80);
    assert_indivisible(KVC_FORMAT_Q8_0, 3, 80);
}

/* ---- Against the model. */

/* Puts the row's elements into groups one by one, and a scale beside each head.  False when the
 * last group is not full. */
static bool pack(size_t format, uint64_t heads, uint64_t dim, uint64_t *ret_bytes)
{
    uint64_t bytes = 0;
    uint32_t in_group = 0;
    for (uint64_t head = 0; head < heads; head++) {
        for (uint64_t element = 0; element < dim; element++) {
            if (in_group == 0)
                bytes += FORMATS[format].group_bytes;
            if (++in_group == FORMATS[format].group_elements)
                in_group = 0;
        }
        bytes += FORMATS[format].head_bytes;
    }
    *ret_bytes = bytes;
    return in_group == 0;
}

static void all_small_rows_weigh_what_packing_them_does_or_are_refused(void **state)
{
    (void)state;
    for (size_t format = 0; format < FORMATS_COUNT; format++) {
        for (uint64_t heads = 1; heads <= 9; heads++) {
            for (uint64_t dim = 1; dim <= 100; dim++) {
                uint64_t expected;
                if (pack(format, heads, dim, &expected))
                    assert_int_equal(row_bytes(FORMATS[format].format, heads, dim), expected);
                else
                    assert_indivisible(FORMATS[format].format, heads, dim);
            }
        }
    }
}

static void elements_that_leave_a_remainder_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORMATS_COUNT; i++) {
        for (uint64_t count = 0; count <= 100; count++) {
            kvcap_error err = { 0 };
            uint64_t bytes = UNTOUCHED;
            kvcap_code rc =
                kvc_elements_bytes(FORMATS[i].format, count, "/state_format", &bytes, &err);
            if (count % FORMATS[i].group_elements == 0) {
                assert_int_equal(rc, KVCAP_OK);
                assert_int_equal(bytes, count / FORMATS[i].group_elements * FORMATS[i].group_bytes);
            } else {
                assert_int_equal(rc, KVCAP_E_CONTRACT);
                assert_string_equal(err.slug, "contract.format_does_not_divide");
                assert_string_equal(err.at, "/state_format");
                assert_int_equal(bytes, UNTOUCHED);
            }
        }
    }
}

/* ---- The edge of 64 bits. */

static void a_row_past_64_bits_is_refused_and_the_last_that_fits_is_not(void **state)
{
    (void)state;
    const uint64_t half = UINT64_C(1) << 63;
    assert_int_equal(row_bytes(KVC_FORMAT_FP8_E4M3, 1, UINT64_MAX), UINT64_MAX);
    assert_int_equal(row_bytes(KVC_FORMAT_F16, half - 1, 1), UINT64_MAX - 1);
    assert_over(KVC_FORMAT_FP8_E4M3, half, 2);        /* the elements */
    assert_over(KVC_FORMAT_F16, half, 1);             /* the groups */
    assert_over(KVC_FORMAT_Q8_0, UINT64_MAX - 31, 1); /* (2^59 - 1) * 34 */
    assert_int_equal(row_bytes(KVC_FORMAT_Q8_0, half, 1), (UINT64_C(1) << 58) * 34);
    assert_over(KVC_FORMAT_INT8_TOKEN_HEAD, half, 1);       /* the scales */
    assert_over(KVC_FORMAT_INT8_TOKEN_HEAD, UINT64_MAX, 1); /* the scales */
    assert_over(KVC_FORMAT_INT8_TOKEN_HEAD, 1, UINT64_MAX); /* their sum */
    assert_int_equal(row_bytes(KVC_FORMAT_INT8_TOKEN_HEAD, 1, UINT64_MAX - 4), UINT64_MAX);
    assert_over(KVC_FORMAT_Q4_0, UINT64_MAX, UINT64_MAX); /* not a refusal to divide what wrapped */
    uint64_t bytes = UNTOUCHED;
    kvcap_error err = { 0 };
    assert_int_equal(kvc_elements_bytes(KVC_FORMAT_F32, half, AT, &bytes, &err), KVCAP_E_RANGE);
    assert_string_equal(err.slug, "range.overflow");
    assert_int_equal(bytes, UNTOUCHED);
}

/* ---- What is no row of groups. */

static void two_latents_have_a_token_of_fp8_ds_mla(void **state)
{
    (void)state;
    for (uint32_t latent = 1; latent <= 700; latent++) {
        for (uint32_t rope = 0; rope <= 130; rope++) {
            uint64_t expected = rope == 64 && latent == 512   ? 656
                                : rope == 64 && latent == 448 ? 584
                                                              : 0;
            assert_int_equal(kvc_ds_mla_token_bytes(latent, rope), expected);
        }
    }
}

/* A byte an element, and a scale begun at every 128th of them. */
static void an_fp8_index_row_has_a_scale_for_every_128(void **state)
{
    (void)state;
    assert_int_equal(kvc_index_fp8_bytes(128), 132);
    assert_int_equal(kvc_index_fp8_bytes(64), 68);
    assert_int_equal(kvc_index_fp8_bytes(129), 137);
    uint64_t expected = 0;
    for (uint32_t dim = 1; dim <= 2000; dim++) {
        expected += (dim - 1) % 128 == 0 ? 1 + 4 : 1;
        assert_int_equal(kvc_index_fp8_bytes(dim), expected);
    }
    /* (2^32 - 1) + 4 * 2^25 */
    assert_int_equal(kvc_index_fp8_bytes(UINT32_MAX), UINT64_C(4429185023));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_but_the_token_has_the_layout_of_the_records),
        cmocka_unit_test(a_row_of_8_heads_of_128_weighs_the_sum_done_by_hand),
        cmocka_unit_test(elements_without_heads_have_no_scales_a_head),
        cmocka_unit_test(a_group_may_span_heads),
        cmocka_unit_test(all_small_rows_weigh_what_packing_them_does_or_are_refused),
        cmocka_unit_test(elements_that_leave_a_remainder_are_refused),
        cmocka_unit_test(a_row_past_64_bits_is_refused_and_the_last_that_fits_is_not),
        cmocka_unit_test(two_latents_have_a_token_of_fp8_ds_mla),
        cmocka_unit_test(an_fp8_index_row_has_a_scale_for_every_128),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
