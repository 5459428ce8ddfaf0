/* Goal: each model that is known by name is a row that the reader understands, with a source that can
 * be looked up; a name means at most one row, however it is written; and the bytes are those of the
 * published model.
 * Method: every row made into a record and looked at; names compared pairwise; and for a good number
 * of models the bytes of a token worked out by hand, from the layers as their papers and cards tell
 * them, in the formula beside the number. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "bytes/logical.h"
#include "face/api/handle.h"
#include "meta/builtin.h"
#include "meta/name.h"
#include "support/fixture.h"
#include "support/place_text.h"

static kvcap_record *model_of(const char *name)
{
    kvcap_record *model = NULL;
    kvcap_error err;
    must(kvcap_model_builtin(name, &model, &err), &err);
    return model;
}

static struct kvc_logical weighed(const kvcap_record *record)
{
    const struct kvc_model *model = &record->record.model;
    struct kvc_cache cache = { .k = model->dtype, .v = model->dtype, .dtype = model->dtype };
    struct kvc_logical logical = { 0 };
    kvcap_error err;
    must(kvc_logical_of(&model->shape, &cache, 1, &logical, &err), &err);
    return logical;
}

/* ---- Rows. */

static void every_row_is_a_model_whose_layers_are_known(void **state)
{
    (void)state;
    const char *name;
    for (size_t i = 0; (name = kvcap_builtin_name(i)) != NULL; i++) {
        kvcap_record *model = model_of(name);
        uint32_t layer;
        const struct kvc_state *unknown = kvc_logical_unknown(&model->record.model.shape, &layer);
        if (unknown != NULL)
            fail_msg("%s, layer %u: %.*s: %.*s", name, (unsigned)layer, (int)unknown->key.length,
                     unknown->key.text, (int)unknown->reason.length, unknown->reason.text);
        assert_string_equal(name, model->record.model.name.text);
        kvcap_record_free(model);
    }
    assert_true(kvc_builtin_models_count > 200); /* README: "over 200" */
}

static void rows_are_not_one_model_under_many_names(void **state)
{
    (void)state;
    size_t distinct = 0;
    for (size_t i = 0; i < kvc_builtin_models_count; i++) {
        size_t j = 0;
        while (j < i && strcmp(kvc_builtin_models[i].facts, kvc_builtin_models[j].facts) != 0)
            j++;
        distinct += j == i;
    }
    assert_true(distinct >= 100);
}

static void every_row_says_where_its_facts_can_be_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < kvc_builtin_models_count; i++) {
        const struct kvc_builtin_model *row = kvc_builtin_model_at(i);
        if (!has_address(row->source) || !has_revision(row->source))
            fail_msg("%s: nobody can look up \"%s\"", row->name, row->source);
    }
}

static void the_record_repeats_it_whole_and_whether_it_was_read(void **state)
{
    (void)state;
    size_t inferred = 0;
    for (size_t i = 0; i < kvc_builtin_models_count; i++) {
        const struct kvc_builtin_model *row = kvc_builtin_model_at(i);
        bool read = strncmp(row->source, "inferred: ", 10) != 0;
        char due[512];
        kvcap_record *model = model_of(row->name);
        snprintf(due, sizeof due,
                 "{\"at\":\"/artefact\",\"from\":\"facts of huggingface.co/%s, %s%s\","
                 "\"how\":\"declared\"}",
                 row->name, read ? "read at " : "", row->source);
        if (strstr(kvcap_record_json(model), due) == NULL)
            fail_msg("%s has no source %s", row->name, due);
        kvcap_record_free(model);
        inferred += !read;
    }
    assert_true(inferred > 0 && inferred < 20);
}

static void the_record_says_that_it_is_built_in(void **state)
{
    (void)state;
    kvcap_record *model = model_of("Qwen/Qwen3-8B");
    const char *json = kvcap_record_json(model);
    assert_non_null(strstr(json, "\"artefact\":{\"format\":\"built_in\"}"));
    assert_non_null(strstr(json, "\"name\":\"Qwen/Qwen3-8B\""));
    assert_non_null(strstr(json, "\"revision\":\"unknown\""));
    assert_non_null(strstr(json, "\"from\":\"built_in:/num_hidden_layers\""));
    assert_non_null(strstr(json, "\"from\":\"built_in:/head_dim\""));
    kvcap_record *again = NULL;
    kvcap_error err;
    must(kvcap_record_read(json, strlen(json), KVCAP_JSON, &again, &err), &err);
    assert_string_equal(kvcap_record_id(again), kvcap_record_id(model));
    kvcap_record_free(again);
    kvcap_record_free(model);
}

/* ---- Names. */

static void names_are_sorted_and_mean_one_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < kvc_builtin_models_count; i++) {
        const struct kvc_builtin_model *row = &kvc_builtin_models[i];
        const char *slash = strchr(row->name, '/');
        assert_non_null(slash);
        assert_ptr_equal(kvc_builtin_model_named(kvc_span_of(row->name)), row);
        if (kvc_builtin_model_named(kvc_span_of(slash + 1)) != row)
            fail_msg("%s without its owner means another row", row->name);
        if (i > 0 && kvc_name_compare(kvc_span_of(row[-1].name), kvc_span_of(row->name)) >= 0)
            fail_msg("%s does not stand in order", row->name);
    }
    for (size_t i = 0; i < kvc_builtin_aliases_count; i++) {
        const struct kvc_builtin_alias *alias = &kvc_builtin_aliases[i];
        const struct kvc_builtin_model *row = kvc_builtin_model_named(kvc_span_of(alias->alias));
        if (row == NULL || strcmp(row->name, alias->name) != 0)
            fail_msg("%s does not mean %s", alias->alias, alias->name);
    }
    assert_null(kvcap_builtin_name(kvc_builtin_models_count));
}

static void a_name_is_found_in_any_case_and_without_its_owner(void **state)
{
    (void)state;
    static const char *const WORDS[] = {
        "meta-llama/Llama-3.1-8B-Instruct",
        "META-LLAMA/LLAMA-3.1-8b-INSTRUCT",
        "llama-3.1-8b-instruct",
        "meta-llama/Meta-Llama-3.1-8B-Instruct",
        "meta-llama-3.1-8b-instruct",
    };
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        kvcap_record *model = model_of(WORDS[i]);
        assert_string_equal(model->record.model.name.text, "meta-llama/Llama-3.1-8B-Instruct");
        kvcap_record_free(model);
    }
}

static void a_name_that_none_has_is_refused_with_the_nearest(void **state)
{
    (void)state;
    static const struct {
        const char *word, *told;
    } ROWS[] = {
        { "qwen3-8", "Qwen/Qwen3-8B" },
        { "qwne3-8b", "Qwen/Qwen3-8B" },
        { "Qwen/Qwen3_8B", "Qwen/Qwen3-8B" },
        { "gpt-oss", "openai/gpt-oss-120b, openai/gpt-oss-20b" },
        { "meta-lama/Llama-3.1-8B-Instruct", "meta-llama/Llama-3.1-8B-Instruct" },
    };
    kvcap_record *model = NULL;
    kvcap_error err;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        must_refuse(kvcap_model_builtin(ROWS[i].word, &model, &err), &err, "usage.unknown_name",
                    "");
        if (strstr(err.text, ROWS[i].told) == NULL)
            fail_msg("%s: %s", ROWS[i].word, err.text);
    }
    must_refuse(kvcap_model_builtin("", &model, &err), &err, "usage.unknown_name", "");
    assert_string_equal(err.text, "no built-in model is called \"\"");
    char longest[400];
    memset(longest, 'q', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    must_refuse(kvcap_model_builtin(longest, &model, &err), &err, "usage.unknown_name", "");
    must_refuse(kvcap_model_builtin(NULL, &model, &err), &err, "usage.null_argument", "name");
    must_refuse(kvcap_model_builtin("x", NULL, &err), &err, "usage.null_argument", "ret_model");
    assert_null(model);
}

/* ---- Bytes.  K and V of 2 bytes an element, unless the formula says otherwise. */

static const struct golden {
    const char *name;
    uint64_t token_bytes, late_token_bytes, state_bytes;
} GOLDEN[] = {
    /* layers * 2 * kv_heads * head_dim * 2 */
    { "meta-llama/Llama-2-7b-hf", 32 * 2 * 32 * 128 * 2, 32 * 2 * 32 * 128 * 2, 0 },
    { "meta-llama/Llama-2-13b-hf", 40 * 2 * 40 * 128 * 2, 40 * 2 * 40 * 128 * 2, 0 },
    { "meta-llama/Llama-2-70b-hf", 80 * 2 * 8 * 128 * 2, 80 * 2 * 8 * 128 * 2, 0 },
    { "meta-llama/Meta-Llama-3-8B", 131072, 131072, 0 }, /* 128 KiB */
    { "meta-llama/Llama-3.1-70B-Instruct", 327680, 327680, 0 },
    { "meta-llama/Llama-3.1-405B", 126 * 2 * 8 * 128 * 2, 126 * 2 * 8 * 128 * 2, 0 },
    { "meta-llama/Llama-3.2-1B-Instruct", 16 * 2 * 8 * 64 * 2, 16 * 2 * 8 * 64 * 2, 0 },
    { "meta-llama/Llama-3.2-3B-Instruct", 28 * 2 * 8 * 128 * 2, 28 * 2 * 8 * 128 * 2, 0 },
    { "TinyLlama-1.1B-Chat-v1.0", 22 * 2 * 4 * 64 * 2, 22 * 2 * 4 * 64 * 2, 0 },
    { "01-ai/Yi-34B", 60 * 2 * 8 * 128 * 2, 60 * 2 * 8 * 128 * 2, 0 },
    { "HuggingFaceTB/SmolLM2-135M", 30 * 2 * 3 * 64 * 2, 30 * 2 * 3 * 64 * 2, 0 },
    { "Qwen/Qwen2.5-0.5B-Instruct", 24 * 2 * 2 * 64 * 2, 24 * 2 * 2 * 64 * 2, 0 },
    { "Qwen/Qwen2.5-7B-Instruct", 57344, 57344, 0 }, /* 28 * 2 * 4 * 128 * 2 */
    { "Qwen/Qwen2.5-72B-Instruct", 327680, 327680, 0 },
    { "Qwen/Qwen3-8B", 147456, 147456, 0 },        /* 36 * 2 * 8 * 128 * 2 */
    { "Qwen/Qwen3-32B", 262144, 262144, 0 },       /* 64 * 2 * 8 * 128 * 2 */
    { "Qwen/Qwen3-30B-A3B", 98304, 98304, 0 },     /* 48 * 2 * 4 * 128 * 2 */
    { "Qwen/Qwen3-235B-A22B", 192512, 192512, 0 }, /* 94 * 2 * 4 * 128 * 2 */
    { "Qwen/Qwen3-VL-8B-Instruct", 147456, 147456, 0 },
    { "mistralai/Mistral-Nemo-Instruct-2407", 163840, 163840, 0 }, /* 40 * 2 * 8 * 128 * 2 */
    { "mistralai/Mixtral-8x22B-v0.1", 56 * 2 * 8 * 128 * 2, 56 * 2 * 8 * 128 * 2, 0 },
    { "mistralai/Mistral-Large-Instruct-2407", 360448, 360448, 0 }, /* 88 * 2 * 8 * 128 * 2 */
    { "microsoft/phi-4", 40 * 2 * 10 * 128 * 2, 40 * 2 * 10 * 128 * 2, 0 },
    { "google/gemma-2b", 18 * 2 * 1 * 256 * 2, 18 * 2 * 1 * 256 * 2, 0 },
    { "zai-org/GLM-4.5", 92 * 2 * 8 * 128 * 2, 92 * 2 * 8 * 128 * 2, 0 },
    { "THUDM/glm-4-9b-chat", 40960, 40960, 0 }, /* 40 * 2 * 2 * 128 * 2 */
    { "allenai/OLMo-2-1124-7B", 32 * 2 * 32 * 128 * 4, 32 * 2 * 32 * 128 * 4, 0 }, /* float32 */
    { "tiiuae/falcon-7b", 32 * 2 * 1 * 64 * 2, 32 * 2 * 1 * 64 * 2, 0 },
    { "tiiuae/falcon-40b", 60 * 2 * 8 * 64 * 2, 60 * 2 * 8 * 64 * 2, 0 },
    { "databricks/dbrx-instruct", 40 * 2 * 8 * 128 * 2, 40 * 2 * 8 * 128 * 2, 0 },

    /* Every layer keeps a window: nothing grows once it is full. */
    { "mistralai/Mistral-7B-v0.1", 131072, 0, 0 },

    /* Some do.  Gemma 2: every other layer; Gemma 3: five of six; gpt-oss: every other;
     * EXAONE 4 and OLMo 3: three of four. */
    { "google/gemma-2-9b-it", 42 * 2 * 8 * 256 * 2, 21 * 2 * 8 * 256 * 2, 0 },
    { "google/gemma-3-27b-it", 62 * 2 * 16 * 128 * 2, 10 * 2 * 16 * 128 * 2, 0 },
    { "google/gemma-3-1b-it", 26 * 2 * 1 * 256 * 2, 4 * 2 * 1 * 256 * 2, 0 },
    { "openai/gpt-oss-20b", 24 * 2 * 8 * 64 * 2, 12 * 2 * 8 * 64 * 2, 0 },
    { "openai/gpt-oss-120b", 36 * 2 * 8 * 64 * 2, 18 * 2 * 8 * 64 * 2, 0 },
    { "LGAI-EXAONE/EXAONE-4.0-32B", 64 * 2 * 8 * 128 * 2, 16 * 2 * 8 * 128 * 2, 0 },
    { "allenai/Olmo-3.1-32B-Instruct", 64 * 2 * 8 * 128 * 2, 16 * 2 * 8 * 128 * 2, 0 },
    /* Llama 4: a chunk of 8192 tokens in three layers of four. */
    { "meta-llama/Llama-4-Scout-17B-16E-Instruct", 48 * 2 * 8 * 128 * 2, 12 * 2 * 8 * 128 * 2, 0 },
    /* Gemma 3n: of 35 layers the last 15 keep nothing; of 20, 4 are full. */
    { "google/gemma-3n-E4B-it", 20 * 2 * 2 * 256 * 2, 4 * 2 * 2 * 256 * 2, 0 },
    /* MiMo-V2-Flash: 9 full layers of 4 heads, 39 of a window of 8; keys of 192, values of 128. */
    { "XiaomiMiMo/MiMo-V2-Flash", (9 * 4 + 39 * 8) * (192 + 128) * 2, 9 * 4 * (192 + 128) * 2, 0 },

    /* A latent row: layers * (512 + 64) * 2. */
    { "deepseek-ai/DeepSeek-V3", 70272, 70272, 0 }, /* 61 * 576 * 2 */
    { "deepseek-ai/DeepSeek-V2-Lite", 27 * 576 * 2, 27 * 576 * 2, 0 },
    { "moonshotai/Kimi-K2-Instruct", 70272, 70272, 0 },
    { "zai-org/GLM-4.7-Flash", 47 * 576 * 2, 47 * 576 * 2, 0 },
    /* With an indexer: 128 bytes and a 4-byte scale more a layer. */
    { "deepseek-ai/DeepSeek-V3.2", 61 * (576 * 2 + 132), 61 * (576 * 2 + 132), 0 },

    /* Layers without attention: 49 of 80 have some. */
    { "nvidia/Llama-3_3-Nemotron-Super-49B-v1", 49 * 2 * 8 * 128 * 2, 49 * 2 * 8 * 128 * 2, 0 },

    /* Recurrent layers.  Qwen3-Next: of 48 layers 12 attend (2 heads of 256); 36 keep 3 inputs of
     * 2 * 16 * 128 + 32 * 128 = 8192 channels, and 32 matrices of 128 * 128. */
    { "Qwen/Qwen3-Next-80B-A3B-Instruct", 12 * 2 * 2 * 256 * 2, 12 * 2 * 2 * 256 * 2,
      36 * (3 * 8192 + 32 * 128 * 128) * 2 },
    /* Jamba: 4 of 32 attend; 28 keep (3 + 16) * 8192. */
    { "ai21labs/Jamba-v0.1", 4 * 2 * 8 * 128 * 2, 4 * 2 * 8 * 128 * 2, 28 * (3 + 16) * 8192 * 2 },
    /* Nemotron Nano 2: 4 of 56 attend; 27 keep 3 * (10240 + 2 * 8 * 128) of 2 bytes and
     * 128 * 80 * 128 of 4; the others are feed-forward. */
    { "nvidia/NVIDIA-Nemotron-Nano-9B-v2", 4 * 2 * 8 * 128 * 2, 4 * 2 * 8 * 128 * 2,
      27 * (3 * 12288 * 2 + 128 * 80 * 128 * 4) },
    /* Nemotron 3 Nano: 6 attend (2 heads); 23 keep 3 * (4096 + 2 * 8 * 128) of 2 bytes and
     * 64 * 64 * 128 of 4. */
    { "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", 6 * 2 * 2 * 128 * 2, 6 * 2 * 2 * 128 * 2,
      23 * (3 * 6144 * 2 + 64 * 64 * 128 * 4) },
    /* Mamba: 64 layers, nothing grows: 3 * (8192 + 2 * 8 * 128) and 128 * 64 * 128. */
    { "mistralai/Mamba-Codestral-7B-v0.1", 0, 0, UINT64_C(64) * (3 * 10240 + 128 * 64 * 128) * 2 },
    /* Falcon-H1: each of 44 layers does both: 3 * (3072 + 2 * 256) and 24 * 128 * 256. */
    { "tiiuae/Falcon-H1-7B-Instruct", 44 * 2 * 2 * 128 * 2, 44 * 2 * 2 * 128 * 2,
      44 * (3 * 3584 + 24 * 128 * 256) * 2 },
};

static void bytes_are_those_of_the_published_model(void **state)
{
    (void)state;
    bool all_right = true;
    for (size_t i = 0; i < sizeof GOLDEN / sizeof GOLDEN[0]; i++) {
        kvcap_record *model = model_of(GOLDEN[i].name);
        struct kvc_logical found = weighed(model);
        bool right = found.token_bytes == GOLDEN[i].token_bytes &&
                     found.late_token_bytes == GOLDEN[i].late_token_bytes &&
                     found.state_bytes == GOLDEN[i].state_bytes;
        if (!right)
            print_error(
                "%s: %llu, %llu late, %llu of state; due are %llu, %llu, %llu\n", GOLDEN[i].name,
                (unsigned long long)found.token_bytes, (unsigned long long)found.late_token_bytes,
                (unsigned long long)found.state_bytes, (unsigned long long)GOLDEN[i].token_bytes,
                (unsigned long long)GOLDEN[i].late_token_bytes,
                (unsigned long long)GOLDEN[i].state_bytes);
        all_right = all_right && right;
        kvcap_record_free(model);
    }
    assert_true(all_right);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_a_model_whose_layers_are_known),
        cmocka_unit_test(rows_are_not_one_model_under_many_names),
        cmocka_unit_test(every_row_says_where_its_facts_can_be_read),
        cmocka_unit_test(the_record_repeats_it_whole_and_whether_it_was_read),
        cmocka_unit_test(the_record_says_that_it_is_built_in),
        cmocka_unit_test(names_are_sorted_and_mean_one_row),
        cmocka_unit_test(a_name_is_found_in_any_case_and_without_its_owner),
        cmocka_unit_test(a_name_that_none_has_is_refused_with_the_nearest),
        cmocka_unit_test(bytes_are_those_of_the_published_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
