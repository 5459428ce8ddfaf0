/* Goal: each format of the records has its one name, and no other text is a format.
 * Method: the list of the specification written out, held against both directions. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shape/format.h"

static const struct {
    enum kvc_format format;
    const char *name;
} FORMATS[] = {
    { KVC_FORMAT_F32, "f32" },
    { KVC_FORMAT_F16, "f16" },
    { KVC_FORMAT_BF16, "bf16" },
    { KVC_FORMAT_FP8_E4M3, "fp8_e4m3" },
    { KVC_FORMAT_FP8_E5M2, "fp8_e5m2" },
    { KVC_FORMAT_FP8_DS_MLA, "fp8_ds_mla" },
    { KVC_FORMAT_NVFP4, "nvfp4" },
    { KVC_FORMAT_INT8_TOKEN_HEAD, "int8_token_head" },
    { KVC_FORMAT_FP8_TOKEN_HEAD, "fp8_token_head" },
    { KVC_FORMAT_INT4_TOKEN_HEAD, "int4_token_head" },
    { KVC_FORMAT_Q8_0, "q8_0" },
    { KVC_FORMAT_Q5_1, "q5_1" },
    { KVC_FORMAT_Q5_0, "q5_0" },
    { KVC_FORMAT_Q4_1, "q4_1" },
    { KVC_FORMAT_Q4_0, "q4_0" },
    { KVC_FORMAT_IQ4_NL, "iq4_nl" },
};

#define FORMATS_COUNT (sizeof FORMATS / sizeof *FORMATS)

static void every_format_is_in_the_list_above(void **state)
{
    (void)state;
    assert_int_equal(KVC_FORMAT_COUNT - 1, FORMATS_COUNT); /* all but NONE */
    for (size_t i = 0; i < FORMATS_COUNT; i++)
        assert_int_equal(FORMATS[i].format, i + 1);
}

static void a_name_leads_to_its_format_and_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORMATS_COUNT; i++) {
        enum kvc_format found = KVC_FORMAT_NONE;
        assert_true(kvc_format_named(kvc_span_of(FORMATS[i].name), &found));
        assert_int_equal(found, FORMATS[i].format);
        assert_string_equal(kvc_format_name(FORMATS[i].format), FORMATS[i].name);
    }
    assert_string_equal(kvc_format_name(KVC_FORMAT_NONE), "none");
}

static void other_text_names_no_format_and_leaves_the_result_alone(void **state)
{
    (void)state;
    static const struct kvc_span OTHERS[] = { { NULL, 0 },       { "none", 4 },  { "F16", 3 },
                                              { "f16 ", 4 },     { "f1", 2 },    { "f161", 4 },
                                              { "fp8", 3 },      { "model", 5 }, { "q8", 2 },
                                              { "float16", 7 },  { "f16\0", 4 }, { "auto", 4 },
                                              { "2", 1 },        { "int8", 4 },  { "q4_0_4_4", 8 },
                                              { "bfloat16", 8 }, { "nvfp4x", 6 } };
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++) {
        enum kvc_format found = KVC_FORMAT_Q5_1;
        assert_false(kvc_format_named(OTHERS[i], &found));
        assert_int_equal(found, KVC_FORMAT_Q5_1);
    }
}

static void a_name_is_read_to_its_length_and_no_further(void **state)
{
    (void)state;
    enum kvc_format found = KVC_FORMAT_NONE;
    assert_true(kvc_format_named((struct kvc_span){ "q8_0 and more", 4 }, &found));
    assert_int_equal(found, KVC_FORMAT_Q8_0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_is_in_the_list_above),
        cmocka_unit_test(a_name_leads_to_its_format_and_back),
        cmocka_unit_test(other_text_names_no_format_and_leaves_the_result_alone),
        cmocka_unit_test(a_name_is_read_to_its_length_and_no_further),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
