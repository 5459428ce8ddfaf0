/* Goal: every number that is found in a GGUF file has its source, and what is missing or bent is
 * refused at its key.
 * Method: one model of each kind of layer, its sources beside the fields that its states have; and
 * rows of files that llama.cpp refuses too, or that no record can carry. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "shape/from_gguf.h"
#include "support/fixture.h"
#include "support/gguf_model.h"
#include "json/scan.h"

static char arena_room[1 << 20];

/* ---- Sources. */

static const struct kvc_source *source_at(const struct kvc_found *found, const char *at)
{
    for (size_t i = 0; i < found->sources_count; i++) {
        if (kvc_span_is(found->sources[i].at, at))
            return &found->sources[i];
    }
    return NULL;
}

static void must_have_source(const struct kvc_found *found, const char *at, const char *how,
                             const char *from)
{
    const struct kvc_source *source = source_at(found, at);
    if (source == NULL)
        fail_msg("no source at %s", at);
    if (strcmp(source->how, how) != 0 || !kvc_span_is(source->from, from))
        fail_msg("%s: %s %.*s, where %s %s is due", at, source->how, (int)source->from.length,
                 source->from.text, how, from);
}

/* A field that is not 0 has a source below its state. */
static void check_field(const struct kvc_found *found, unsigned type, unsigned state,
                        const char *field, uint64_t value)
{
    char at[160];
    snprintf(at, sizeof at, "/architecture/layer_types/%u/states/%u/%s", type, state, field);
    const struct kvc_source *source = source_at(found, at);
    if ((value != 0) != (source != NULL) && strcmp(field, "layer") != 0)
        fail_msg("%s is %llu, and has %s source", at, (unsigned long long)value,
                 source == NULL ? "no" : "a");
    if (source == NULL)
        return;
    bool is_read = strcmp(source->how, "read") == 0,
         is_derived = strcmp(source->how, "derived") == 0;
    assert_true(
        kvc_span_starts(source->from, is_read || is_derived ? "gguf:" : "llama.cpp 0.4.0:"));
    assert_true(source->from.length <= 256);
}

static void check_state(const struct kvc_found *found, unsigned type, unsigned index,
                        const struct kvc_state *state)
{
    const struct kvc_rule_row *row = kvc_rule_row(state->rule);
    bool recurs = state->kind == KVC_STATE_RECURRENT; /* rules have fields of these names too */
    for (unsigned i = 0; recurs && i < KVC_RULE_DIMS_MAX && row->fields[i] != NULL; i++)
        check_field(found, type, index, row->fields[i], state->dims[i]);
    if (recurs)
        return;
    check_field(found, type, index, "kv_heads", state->kv_heads);
    check_field(found, type, index, "key_dim", state->key_dim);
    check_field(found, type, index, "value_dim", state->value_dim);
    check_field(found, type, index, "window_tokens", state->window_tokens);
    check_field(found, type, index, "latent_dim", state->latent_dim);
    check_field(found, type, index, "rope_dim", state->rope_dim);
    check_field(found, type, index, "index_dim", state->index_dim);
    check_field(found, type, index, "layer", state->layer);
    check_field(found, type, index, "compress_ratio",
                state->compress_ratio == 1 ? 0 : state->compress_ratio);
}

static void every_number_has_a_source(void **state)
{
    (void)state;
    static const char *const MODELS[][2] = {
        { "llama", BASE(2) },
        { "gemma2", BASE(3) },
        { "llama4", BASE(5) },
        { "gemma3n", BASE(25) WINDOW(64) },
        { "glm-dsa", MLA(3) INDEXER(8) DRAFTS(1) ",\"context_length\":202752" },
        { "minimax-m3", BASE(3) INDEXER(8) ",\"leading_dense_block_count\":1" },
        { "deepseek4", "\"block_count\":4," SIZES ",\"attention.head_count_kv\":1" WINDOW(64)
                           INDEXER(8) ",\"attention.compress_ratios\":[0,4,128,4]" },
        { "mamba", NO_HEADS(2) SSM },
        { "mamba2", NO_HEADS(2) SSM GROUPS(2) },
        { "mamba2",
          NO_HEADS(1) ",\"ssm.conv_kernel\":4,\"ssm.inner_size\":128,\"ssm.state_size\":16,"
                      "\"ssm.time_step_rank\":5,\"ssm.group_count\":2" },
        { "qwen3next", BASE(5) SSM GROUPS(2) DRAFTS(1) },
        { "rwkv7", NO_HEADS(2) ",\"wkv.head_size\":16" },
        { "minimax-01", BASE(9) },
        { "lfm2", KV_HEADS(2, "[0,2]") ",\"shortconv.l_cache\":3" },
        { "graniteswitch", BASE(3) },
        { "nanbeige", BASE(3) ",\"num_loops\":2" },
    };
    for (size_t m = 0; m < sizeof MODELS / sizeof MODELS[0]; m++) {
        struct kvc_found found;
        kvcap_error err;
        must(gguf_model_find(MODELS[m][0], MODELS[m][1], &found, &err), &err);
        for (uint32_t i = 0; i < found.shape.types_count; i++) {
            for (uint32_t k = 0; k < found.shape.types[i].states_count; k++)
                check_state(&found, i, k, &found.shape.types[i].states[k]);
        }
        assert_non_null(source_at(&found, "/architecture/layers"));
        assert_int_equal(source_at(&found, "/architecture/draft_layers") != NULL,
                         found.shape.draft_runs_count > 0);
        for (size_t i = 1; i < found.sources_count; i++)
            assert_true(kvc_span_compare(found.sources[i - 1].at, found.sources[i].at) < 0);
    }
}

static void sources_say_which_key_or_whose_default(void **state)
{
    (void)state;
    struct kvc_arena arena;
    struct kvc_found found;
    kvcap_error err;
    kvc_arena_over(&arena, arena_room, sizeof arena_room);
    struct kvc_facts facts = gguf_model_facts("gemma2", BASE(2) ",\"context_length\":8192", &arena);
    must(kvc_shape_from_gguf(&facts, 12345, &arena, &found, &err), &err);
    assert_true(kvc_span_is(found.family, "gemma2"));
    assert_int_equal(found.dtype, KVC_FORMAT_F16);
    assert_int_equal(found.context_tokens, 8192);
    assert_int_equal(found.query_heads, 4);
    assert_int_equal(found.weights_bytes, 12345);
    static const char *const ROWS[][3] = {
        { "/architecture/layer_types/0/states/0/kv_heads", "read",
          "gguf:gemma2.attention.head_count_kv" },
        { "/architecture/layer_types/0/states/0/key_dim", "derived",
          "gguf:gemma2.embedding_length / gemma2.attention.head_count" },
        { "/architecture/layer_types/0/states/0/window_tokens", "default",
          "llama.cpp 0.4.0:gemma2 n_swa" },
        { "/architecture/layers", "read", "gguf:gemma2.block_count" },
        { "/context_tokens", "read", "gguf:gemma2.context_length" },
        { "/dtype", "default", "llama.cpp 0.4.0:type_k, type_v default f16" },
        { "/query_heads", "read", "gguf:gemma2.attention.head_count" },
        { "/weights_bytes", "derived", "gguf:tensors" },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++)
        must_have_source(&found, ROWS[i][0], ROWS[i][1], ROWS[i][2]);
    must(gguf_model_find("llama", "\"block_count\":2," SIZES, &found, &err), &err);
    must_have_source(&found, "/architecture/layer_types/0/states/0/kv_heads", "derived",
                     "gguf:llama.attention.head_count");
    must(gguf_model_find("deepseek2", MLA(2), &found, &err), &err);
    must_have_source(&found, "/architecture/layer_types/0/states/0/latent_dim", "read",
                     "gguf:deepseek2.attention.kv_lora_rank");
    must_have_source(&found, "/architecture/layer_types/0/states/0/rope_dim", "derived",
                     "gguf:deepseek2.attention.key_length - deepseek2.attention.kv_lora_rank");
    assert_int_equal(found.weights_bytes, 0);
    assert_null(source_at(&found, "/weights_bytes"));
}

/* ---- Refusals. */

static void what_is_missing_or_bent_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *arch, *members, *slug, *at;
    } ROWS[] = {
        { "bert", BASE(2), "metadata.no_cache", "general.architecture" },
        { "llada-moe", "", "metadata.no_cache", "general.architecture" },
        { "clip", "", "metadata.no_cache", "general.architecture" },
        { "llama", SIZES, "metadata.missing_key", "llama.block_count" },
        { "llama", "\"block_count\":\"2\"," SIZES, "metadata.wrong_type", "llama.block_count" },
        { "llama", "\"block_count\":2.5," SIZES, "metadata.out_of_range", "llama.block_count" },
        { "llama", BASE(0), "metadata.out_of_range", "llama.block_count" },
        { "llama", BASE(513), "metadata.out_of_range", "llama.block_count" },
        { "llama", BASE(4294967297), "metadata.out_of_range", "llama.block_count" },
        { "llama", BASE(2) DRAFTS(2), "metadata.out_of_range", "llama.nextn_predict_layers" },
        { "llama", "\"block_count\":2,\"attention.head_count\":4", "metadata.missing_key",
          "llama.embedding_length" },
        { "llama", KV_HEADS(2, "[1]"), "metadata.out_of_range", "llama.attention.head_count_kv" },
        { "llama", KV_HEADS(2, "[1,2,3]"), "metadata.out_of_range",
          "llama.attention.head_count_kv" },
        { "llama", KV_HEADS(2, "[1,null]"), "metadata.wrong_type",
          "llama.attention.head_count_kv" },
        { "llama", KV_HEADS(2, "[1,-1]"), "metadata.out_of_range",
          "llama.attention.head_count_kv" },
        { "llama", KV_HEADS(2, "\"1\""), "metadata.wrong_type", "llama.attention.head_count_kv" },
        { "llama", BASE(2) ",\"attention.key_length\":0", "metadata.out_of_range",
          "llama.attention.key_length" },
        { "llama", BASE(2) ",\"context_length\":0", "metadata.out_of_range",
          "llama.context_length" },
        { "gpt-oss", BASE(2), "metadata.missing_key", "gpt-oss.attention.sliding_window" },
        { "gpt-oss", BASE(2) WINDOW(0), "metadata.out_of_range",
          "gpt-oss.attention.sliding_window" },
        { "mimo2", BASE(2) WINDOW(64), "metadata.missing_key",
          "mimo2.attention.sliding_window_pattern" },
        { "granite_swa", BASE(2) WINDOW(64) PATTERN("4"), "metadata.wrong_type",
          "granite_swa.attention.sliding_window_pattern" },
        { "mellum", BASE(2) WINDOW(64) PATTERN("[1]"), "metadata.out_of_range",
          "mellum.attention.sliding_window_pattern" },
        { "gemma3n", BASE(21) WINDOW(64) PATTERN("19"), "metadata.out_of_range",
          "gemma3n.attention.sliding_window_pattern" },
        { "gemma4", BASE(4) WINDOW(64) PATTERN("[1,1,0,1]") ",\"attention.shared_kv_layers\":3",
          "metadata.out_of_range", "gemma4.attention.shared_kv_layers" },
        { "gemma4", BASE(4) WINDOW(64) PATTERN("[1,0,1,0]") ",\"attention.shared_kv_layers\":1",
          "metadata.out_of_range", "gemma4.attention.sliding_window_pattern" },
        { "deepseek2", BASE(2) ",\"attention.key_length_mla\":8", "metadata.out_of_range",
          "deepseek2.attention.key_length_mla" },
        { "kimi-linear", BASE(2), "metadata.missing_key", "kimi-linear.attention.key_length_mla" },
        { "deepseek32", BASE(2), "metadata.missing_key",
          "deepseek32.attention.indexer.key_length" },
        { "dots3note", MLA(2) INDEXER(8) WINDOW(64) PATTERN("[0,1]"), "metadata.missing_key",
          "dots3note.attention.indexer.types" },
        { "deepseek4", BASE(2) WINDOW(64) INDEXER(8), "metadata.missing_key",
          "deepseek4.attention.compress_ratios" },
        { "deepseek4", BASE(2) WINDOW(64) INDEXER(8) ",\"attention.compress_ratios\":[4]",
          "metadata.wrong_type", "deepseek4.attention.compress_ratios" },
        { "mamba", NO_HEADS(2), "metadata.missing_key", "mamba.ssm.conv_kernel" },
        { "mamba2", NO_HEADS(2) SSM, "metadata.missing_key", "mamba2.ssm.group_count" },
        { "rwkv7", NO_HEADS(2), "metadata.missing_key", "rwkv7.wkv.head_size" },
        { "qwen35", BASE(2) SSM GROUPS(1) ",\"full_attention_interval\":0", "metadata.out_of_range",
          "qwen35.full_attention_interval" },
        { "qwen4exp", BASE(4) SSM GROUPS(1) INDEXER(8) ",\"ple.layers\":[3]",
          "metadata.out_of_range", "qwen4exp.ple.layers" },
        { "nanbeige", BASE(3) ",\"num_loops\":171", "metadata.out_of_range", "nanbeige.num_loops" },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        struct kvc_found found;
        kvcap_error err;
        kvcap_code rc = gguf_model_find(ROWS[i].arch, ROWS[i].members, &found, &err);
        if (rc == KVCAP_OK)
            fail_msg("accepted: %s {%s}", ROWS[i].arch, ROWS[i].members);
        must_refuse(rc, &err, ROWS[i].slug, ROWS[i].at);
    }
}

/* For whoever asks what an engine allocates. */
static void what_keeps_no_cache_can_be_layers_that_keep_nothing(void **state)
{
    (void)state;
    struct kvc_arena arena;
    struct kvc_found found;
    kvcap_error err;
    kvc_arena_over(&arena, arena_room, sizeof arena_room);
    struct kvc_facts facts = gguf_model_facts("bert", BASE(3), &arena);
    must(kvc_shape_from_gguf_or_none(&facts, 0, &arena, &found, &err), &err);
    assert_int_equal(found.shape.layers_count, 3);
    assert_int_equal(found.shape.types_count, 1);
    assert_int_equal(found.shape.types[0].states[0].kind, KVC_STATE_NONE);
    facts = gguf_model_facts("bert", "\"block_count\":\"3\"", &arena);
    must_refuse(kvc_shape_from_gguf_or_none(&facts, 0, &arena, &found, &err), &err,
                "metadata.wrong_type", "bert.block_count");
}

static void an_architecture_is_text(void **state)
{
    (void)state;
    static const struct {
        const char *text, *slug;
    } ROWS[] = {
        { "{}", "metadata.missing_key" },
        { "{\"general.architecture\":7}", "metadata.wrong_type" },
        { "{\"general.architecture\":\"\"}", "metadata.wrong_type" },
        { "{\"general.architecture\":\"ll\\u0007ama\"}", "metadata.wrong_type" },
        { "{\"general.architecture\":\"ll\\u0085ama\"}", "metadata.wrong_type" },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        struct kvc_arena arena;
        struct kvc_facts facts = { .artefact = "gguf" };
        struct kvc_value *tree;
        struct kvc_found found;
        kvcap_error err;
        kvc_arena_over(&arena, arena_room, sizeof arena_room);
        must(kvc_scan(&arena, kvc_span_of(ROWS[i].text), 4096, KVC_SCAN_FOREIGN, &tree, &err),
             &err);
        facts.tree = tree;
        must_refuse(kvc_shape_from_gguf(&facts, 0, &arena, &found, &err), &err, ROWS[i].slug,
                    "general.architecture");
    }
}

static void no_memory_is_said(void **state)
{
    (void)state;
    struct kvc_arena arena;
    kvc_arena_over(&arena, arena_room, sizeof arena_room / 2);
    struct kvc_facts facts = gguf_model_facts(
        "qwen4exp",
        BASE(4) SSM GROUPS(2) INDEXER(8) ",\"ple.layers\":[1],\"ple.ngram_size\":3,"
                                         "\"ple.conv_kernel\":4,\"hyper_connection.count\":2",
        &arena);
    kvcap_code rc = KVCAP_E_NOMEM;
    for (size_t room = 0; rc != KVCAP_OK; room += 16) {
        struct kvc_arena small;
        struct kvc_found found;
        kvcap_error err;
        assert_true(room < sizeof arena_room / 2);
        kvc_arena_over(&small, arena_room + sizeof arena_room / 2, room);
        rc = kvc_shape_from_gguf(&facts, 0, &small, &found, &err);
        assert_true(rc == KVCAP_OK || rc == KVCAP_E_NOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_has_a_source),
        cmocka_unit_test(sources_say_which_key_or_whose_default),
        cmocka_unit_test(what_is_missing_or_bent_is_refused),
        cmocka_unit_test(what_keeps_no_cache_can_be_layers_that_keep_nothing),
        cmocka_unit_test(an_architecture_is_text),
        cmocka_unit_test(no_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
