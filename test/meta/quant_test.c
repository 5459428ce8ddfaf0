/* Goal: what a checkpoint asks of its cache is read from each of the files and spellings that
 * publishers use, and what is not known is said to be so.
 * Method: the keys of published checkpoints (Qwen3-32B-FP8-Static-PerTensor, GLM-5.1-NVFP4,
 * DeepSeek-V4-Flash-NVFP4, granite-3.3-8b-instruct-FP8, gpt-oss-20b, Kimi-K2.5, DeepSeek-V3) and of the
 * libraries that write them, as short texts of our own. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "meta/quant.h"
#include "os/os.h"
#include "support/fixture.h"
#include "json/scan.h"

static struct kvc_quant quant_of(const char *text, struct kvc_arena *arena)
{
    struct kvc_value *tree;
    struct kvc_quant quant;
    kvcap_error err;
    must(kvc_scan(arena, kvc_span_of(text), 1 << 20, KVC_SCAN_FOREIGN, &tree, &err), &err);
    kvc_quant_read(tree, &quant);
    return quant;
}

#define CONFIG(rest) "{\"quantization_config\":{" rest "}}"

static const struct {
    const char *text, *method;
    enum kvc_asked asked;
    const char *format, *at;
} ROWS[] = {
    { "{}", "", KVC_ASKED_NOTHING, NULL, NULL },
    { "[]", "", KVC_ASKED_NOTHING, NULL, NULL },
    { "{\"quantization_config\":null}", "", KVC_ASKED_NOTHING, NULL, NULL },
    { "{\"quantization_config\":{}}", "", KVC_ASKED_NOTHING, NULL, NULL },
    { CONFIG("\"quant_method\":\"fp8\",\"fmt\":\"e4m3\""), "fp8", KVC_ASKED_NOTHING, NULL, NULL },
    { CONFIG("\"quant_method\":\"mxfp4\""), "mxfp4", KVC_ASKED_NOTHING, NULL, NULL },
    { CONFIG("\"quant_method\":\"awq\",\"bits\":4"), "awq", KVC_ASKED_NOTHING, NULL, NULL },
    { CONFIG("\"quant_method\":\"gptq\",\"bits\":4"), "gptq", KVC_ASKED_NOTHING, NULL, NULL },
    { CONFIG("\"load_in_4bit\":true"), "unnamed", KVC_ASKED_NOTHING, NULL, NULL },
    { CONFIG("\"quant_method\":\"compressed-tensors\",\"kv_cache_scheme\":null"),
      "compressed-tensors", KVC_ASKED_NONE, NULL, "/quantization_config/kv_cache_scheme" },
    { CONFIG("\"quant_method\":\"compressed-tensors\",\"kv_cache_scheme\":{\"num_bits\":8,"
             "\"type\":\"float\",\"strategy\":\"tensor\",\"symmetric\":true,\"dynamic\":false}"),
      "compressed-tensors", KVC_ASKED_FORMAT, "fp8_e4m3", "/quantization_config/kv_cache_scheme" },
    { CONFIG("\"quant_algo\":\"FP8\",\"kv_cache_scheme\":\"FP8\""), "FP8", KVC_ASKED_FORMAT,
      "fp8_e4m3", "/quantization_config/kv_cache_scheme" },
    { CONFIG("\"quant_algo\":\"NVFP4\",\"quant_method\":\"modelopt\",\"kv_cache_scheme\":"
             "{\"dynamic\":false,\"num_bits\":8,\"type\":\"float\"}"),
      "modelopt", KVC_ASKED_FORMAT, "fp8_e4m3", "/quantization_config/kv_cache_scheme" },
    { CONFIG("\"quant_method\":\"fp8\",\"kv_cache_quant_algo\":null"), "fp8", KVC_ASKED_NONE, NULL,
      "/quantization_config/kv_cache_quant_algo" },
    { CONFIG("\"kv_cache_scheme\":null,\"kv_cache_quant_algo\":\"FP8\""), "unnamed",
      KVC_ASKED_FORMAT, "fp8_e4m3", "/quantization_config/kv_cache_quant_algo" },
    { CONFIG("\"kv_cache_scheme\":\"nvfp4\",\"kv_cache_quant_algo\":null"), "unnamed",
      KVC_ASKED_FORMAT, "nvfp4", "/quantization_config/kv_cache_scheme" },
    { CONFIG("\"kv_cache_scheme\":{\"num_bits\":8,\"type\":\"int\"}"), "unnamed", KVC_ASKED_FORMAT,
      "int8", "/quantization_config/kv_cache_scheme" },
    { CONFIG("\"kv_cache_scheme\":{\"num_bits\":4,\"type\":\"float\",\"group_size\":16}"),
      "unnamed", KVC_ASKED_FORMAT, "nvfp4", "/quantization_config/kv_cache_scheme" },
    { CONFIG("\"kv_cache_scheme\":{\"num_bits\":4,\"type\":\"int\"}"), "unnamed", KVC_ASKED_UNKNOWN,
      NULL, "/quantization_config/kv_cache_scheme" },
    { CONFIG("\"kv_cache_scheme\":{\"num_bits\":8.0,\"type\":\"float\"}"), "unnamed",
      KVC_ASKED_UNKNOWN, NULL, "/quantization_config/kv_cache_scheme" },
    { CONFIG("\"kv_cache_scheme\":{}"), "unnamed", KVC_ASKED_UNKNOWN, NULL,
      "/quantization_config/kv_cache_scheme" },
    { CONFIG("\"kv_cache_scheme\":[8]"), "unnamed", KVC_ASKED_UNKNOWN, NULL,
      "/quantization_config/kv_cache_scheme" },
    { CONFIG("\"kv_cache_scheme\":8"), "unnamed", KVC_ASKED_UNKNOWN, NULL,
      "/quantization_config/kv_cache_scheme" },
    { CONFIG("\"kv_cache_scheme\":\"FP6\""), "unnamed", KVC_ASKED_UNKNOWN, NULL,
      "/quantization_config/kv_cache_scheme" },
    { CONFIG("\"kv_cache_scheme\":\"auto\""), "unnamed", KVC_ASKED_NONE, NULL,
      "/quantization_config/kv_cache_scheme" },
    { CONFIG("\"quant_method\":\"quark\",\"kv_cache_group\":[]"), "quark", KVC_ASKED_NONE, NULL,
      "/quantization_config/kv_cache_group" },
    { CONFIG("\"quant_method\":\"quark\",\"export\":{\"kv_cache_group\":[\"*k_proj\"]}"), "quark",
      KVC_ASKED_UNKNOWN, NULL, "/quantization_config/export/kv_cache_group" },
    /* elsewhere */
    { "{\"quantization\":{\"quant_algo\":\"NVFP4\",\"kv_cache_quant_algo\":\"FP8\"}}", "NVFP4",
      KVC_ASKED_FORMAT, "fp8_e4m3", "/quantization/kv_cache_quant_algo" },
    { "{\"quantization\":{\"quant_algo\":\"INT4_AWQ\",\"kv_cache_quant_algo\":\"INT8\"}}",
      "INT4_AWQ", KVC_ASKED_FORMAT, "int8", "/quantization/kv_cache_quant_algo" },
    { "{\"compression_config\":{\"quant_method\":\"compressed-tensors\"}}", "compressed-tensors",
      KVC_ASKED_NOTHING, NULL, NULL },
    { "{\"text_config\":{\"quantization_config\":{\"quant_method\":\"compressed-tensors\","
      "\"kv_cache_scheme\":null}}}",
      "compressed-tensors", KVC_ASKED_NONE, NULL,
      "/text_config/quantization_config/kv_cache_scheme" },
    { "{\"quantization_config\":{},\"text_config\":{\"quantization_config\":{\"quant_method\":"
      "\"fp8\"}}}",
      "fp8", KVC_ASKED_NOTHING, NULL, NULL },
    { "{\"thinker_config\":{\"text_config\":{\"quantization_config\":{\"kv_cache_scheme\":\"FP8\""
      "}}}}",
      "unnamed", KVC_ASKED_FORMAT, "fp8_e4m3",
      "/thinker_config/text_config/quantization_config/kv_cache_scheme" },
    { "{\"thinker_config\":{\"quantization_config\":{\"kv_cache_scheme\":\"FP8\"},\"text_config\":"
      "{\"model_type\":\"x\"}}}",
      "unnamed", KVC_ASKED_FORMAT, "fp8_e4m3",
      "/thinker_config/quantization_config/kv_cache_scheme" },
    { "{\"thinker_config\":{\"llm_config\":{\"quantization_config\":{\"kv_cache_scheme\":\"FP8\"}}}"
      "}",
      "unnamed", KVC_ASKED_FORMAT, "fp8_e4m3",
      "/thinker_config/llm_config/quantization_config/kv_cache_scheme" },
    { "{\"quantization\":{\"qformat_weight\":\"fp8_e4m3\",\"qscheme_act\":\"TENSOR\"}}", "fp8_e4m3",
      KVC_ASKED_NOTHING, NULL, NULL },
};

static void each_spelling_asks_for_what_it_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        struct kvc_arena arena;
        kvc_arena_from(&arena, &kvc_os_memory, 1 << 20);
        struct kvc_quant quant = quant_of(ROWS[i].text, &arena);
        if (quant.asked != ROWS[i].asked || !kvc_span_is(quant.method, ROWS[i].method))
            fail_msg("%s asks %d by %.*s", ROWS[i].text, (int)quant.asked, (int)quant.method.length,
                     quant.method.text);
        if (ROWS[i].format == NULL)
            assert_null(quant.format);
        else
            assert_string_equal(quant.format, ROWS[i].format);
        char pointer[KVC_POINTER_ROOM] = "";
        if (quant.at != NULL)
            kvc_value_pointer(quant.at, pointer);
        assert_string_equal(pointer, ROWS[i].at == NULL ? "" : ROWS[i].at);
        kvc_arena_drop(&arena);
    }
}

static void two_files_agree_unless_both_say_something_else(void **state)
{
    static const struct {
        const char *a, *b;
        bool agree;
        const char *words;
    } PAIRS[] = {
        { "{}", CONFIG("\"kv_cache_scheme\":\"FP8\""), true, "an unquantised cache" },
        { CONFIG("\"kv_cache_scheme\":{\"num_bits\":8,\"type\":\"float\"}"),
          "{\"quantization\":{\"kv_cache_quant_algo\":\"FP8\"}}", true, "fp8_e4m3" },
        { CONFIG("\"kv_cache_scheme\":\"FP8\""),
          "{\"quantization\":{\"kv_cache_quant_algo\":\"NVFP4\"}}", false, "fp8_e4m3" },
        { CONFIG("\"kv_cache_scheme\":null"),
          "{\"quantization\":{\"kv_cache_quant_algo\":\"FP8\"}}", false, "an unquantised cache" },
        { CONFIG("\"kv_cache_scheme\":null"), "{\"quantization\":{\"kv_cache_quant_algo\":null}}",
          true, "an unquantised cache" },
        { CONFIG("\"kv_cache_scheme\":\"X\""), "{\"quantization\":{\"kv_cache_quant_algo\":\"X\"}}",
          true, "\"X\", which is not known" },
        { CONFIG("\"kv_cache_scheme\":\"X\""), "{\"quantization\":{\"kv_cache_quant_algo\":\"Y\"}}",
          false, "\"X\", which is not known" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof PAIRS / sizeof PAIRS[0]; i++) {
        struct kvc_arena arena;
        char words[KVC_QUANT_WORDS];
        kvc_arena_from(&arena, &kvc_os_memory, 1 << 20);
        struct kvc_quant a = quant_of(PAIRS[i].a, &arena), b = quant_of(PAIRS[i].b, &arena);
        assert_int_equal(kvc_quant_agree(&a, &b), PAIRS[i].agree);
        assert_int_equal(kvc_quant_agree(&b, &a), PAIRS[i].agree);
        kvc_quant_words(&a, words);
        assert_string_equal(words, PAIRS[i].words);
        kvc_arena_drop(&arena);
    }
}

static void a_long_value_is_cut_in_words(void **state)
{
    (void)state;
    char text[400], value[201];
    memset(value, 'x', 200);
    value[200] = '\0';
    snprintf(text, sizeof text, CONFIG("\"kv_cache_scheme\":\"%s\""), value);
    struct kvc_arena arena;
    char words[KVC_QUANT_WORDS];
    kvc_arena_from(&arena, &kvc_os_memory, 1 << 20);
    struct kvc_quant quant = quant_of(text, &arena);
    kvc_quant_words(&quant, words);
    assert_int_equal(quant.asked, KVC_ASKED_UNKNOWN);
    assert_string_equal(words + 65, "\", which is not known");
    kvc_arena_drop(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_spelling_asks_for_what_it_says),
        cmocka_unit_test(two_files_agree_unless_both_say_something_else),
        cmocka_unit_test(a_long_value_is_cut_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
