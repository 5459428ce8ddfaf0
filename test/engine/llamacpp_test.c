/* llamacpp_test.c - Goal: what llama.cpp allocates, prints and refuses follows from its rules, where they
 * surprise too: rounding up, slots, windows, compressed rows, recurrent state, devices, the fit step and
 * the rules of earlier days.
 * Method: small models as key-values or shapes, one question each; expected numbers are worked out by
 * hand in the comment beside them. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/llamacpp.h"
#include "shape/gguf_typed.h"
#include "json/scan.h"

#define TODAY 20260912
#define MIB (UINT64_C(1) << 20)

static char room[4 << 20];
static struct kvc_arena arena;
static struct kvc_settings settings;
static struct kvc_answer answer;
static struct kvc_llamacpp_plan plan;
static struct kvc_engine_memory memory;
static kvcap_error err;

static const struct kvc_value *json(const char *text)
{
    struct kvc_value *tree;
    assert_int_equal(kvc_scan(&arena, kvc_span_of(text), 1 << 20, KVC_SCAN_FOREIGN, &tree, &err),
                     KVCAP_OK);
    return tree;
}

/* Memory that a test told before asking. */
static void no_memory(void)
{
    memory = (struct kvc_engine_memory){ .given = false };
}

static int begin(void **state)
{
    (void)state;
    kvc_arena_over(&arena, room, sizeof room);
    no_memory();
    return 0;
}

static bool plain; /* the answer is not to explain */

static kvcap_code ask_of(const struct kvc_engine_model *model, const char *options,
                         const char *front, uint32_t day)
{
    struct kvc_engine_question question = {
        .model = model,
        .day = day,
        .settings = &settings,
        .memory = &memory,
        .front = { .text = front, .length = front == NULL ? 0 : strlen(front) },
        .arena = &arena
    };
    kvc_answer_begin(&answer, &arena, !plain);
    kvc_settings_begin(&settings, json(options), kvc_engine_llamacpp.settings,
                       kvc_engine_llamacpp.settings_count, "/settings", &arena, &err);
    kvcap_code rc = kvc_llamacpp_make(&question, &answer, &plan, &err);
    assert_false(answer.full);
    return rc;
}

static kvcap_code ask(const char *kv, const char *options, const char *front, uint32_t day)
{
    struct kvc_facts *facts = kvc_arena_array(&arena, 1, sizeof *facts);
    static struct kvc_engine_model model;
    assert_int_equal(kvc_gguf_facts_of_json(json(kv), &arena, facts, &err), KVCAP_OK);
    model =
        (struct kvc_engine_model){ .facts = facts, .is_gguf = true, .weights_bytes = 6400 * MIB };
    return ask_of(&model, options, front, day);
}

static void asked(const char *kv, const char *options)
{
    assert_int_equal(ask(kv, options, NULL, TODAY), KVCAP_OK);
}

static bool has_line(const char *line)
{
    for (uint32_t i = 0; i < answer.lines_count; i++) {
        if (kvc_span_is(answer.lines[i], line))
            return true;
    }
    return false;
}

static void expect_line(const char *line)
{
    if (has_line(line))
        return;
    for (uint32_t i = 0; i < answer.lines_count; i++)
        print_message("%.*s\n", (int)answer.lines[i].length, answer.lines[i].text);
    fail_msg("no line: %s", line);
}

static bool has_note(const char *code)
{
    for (size_t i = 0; i < answer.notes.count; i++) {
        if (strcmp(answer.notes.list[i].code, code) == 0)
            return true;
    }
    return false;
}

static void expect_refusal(const char *text)
{
    assert_int_equal(answer.decision, KVC_DECISION_REFUSED);
    if (!kvc_span_is(answer.refusal_text, text))
        fail_msg("refused with: %.*s", (int)answer.refusal_text.length, answer.refusal_text.text);
    assert_int_equal(answer.caches_count, 0);
}

/* 16 layers of 8 heads of 64: a row of 512 elements, keys and values 2 x 1024 B a cell and layer. */
#define PLAIN                                                                                      \
    "{\"general.architecture\":\"llama\",\"llama.block_count\":16,"                                \
    "\"llama.context_length\":131072,\"llama.embedding_length\":2048,"                             \
    "\"llama.attention.head_count\":32,\"llama.attention.head_count_kv\":8}"

#define GEMMA                                                                                      \
    "{\"general.architecture\":\"gemma3\",\"gemma3.block_count\":6,"                               \
    "\"gemma3.context_length\":8192,\"gemma3.embedding_length\":256,"                              \
    "\"gemma3.attention.head_count\":4,\"gemma3.attention.sliding_window\":512}"

/* ---- Geometry. */

static void a_context_that_does_not_divide_is_rounded_up(void **state)
{
    (void)state;
    asked(PLAIN, "{\"n_ctx\":10000,\"n_seq_max\":3}");
    /* pad256(10240 / 3 = 3413) = 3584 */
    assert_int_equal(plan.context.n_ctx_seq, 3584);
    assert_int_equal(answer.tokens.value, 10752);
    expect_line("llama_context: n_ctx is not divisible by n_seq_max - rounding down to 10752");
    asked(PLAIN, "{\"n_ctx\":1}");
    assert_int_equal(answer.tokens.value, 256);
    asked(PLAIN, "{\"n_ctx\":100,\"n_seq_max\":8}");
    assert_int_equal(answer.tokens.value, 2048);
}

static void a_small_context_shrinks_the_batch_before_it_is_rounded(void **state)
{
    (void)state;
    asked(PLAIN, "{\"n_ctx\":600}");
    assert_int_equal(plan.context.n_ctx, 768);
    assert_int_equal(plan.context.n_batch, 600);
    assert_int_equal(plan.context.n_ubatch, 512);
    asked(PLAIN, "{\"n_ctx\":4096,\"n_batch\":128,\"n_ubatch\":0}");
    assert_int_equal(plan.context.n_ubatch, 128);
}

static void plain_rows_weigh_what_the_log_says(void **state)
{
    (void)state;
    asked(PLAIN, "{\"n_ctx\":32768,\"n_seq_max\":4,\"type_k\":\"q8_0\",\"type_v\":\"q4_0\"}");
    /* 512 elements: 16 blocks of 34 and of 18 bytes; 16 layers, 32768 cells */
    assert_int_equal(answer.caches[0].k_bytes.value, UINT64_C(16) * 34 * 16 * 32768);
    assert_int_equal(answer.caches[0].v_bytes.value, UINT64_C(16) * 18 * 16 * 32768);
    assert_int_equal(answer.caches[0].cells.value, 8192);
    assert_int_equal(answer.caches[0].streams.value, 4);
    expect_line(
        "llama_kv_cache: size =  416.00 MiB (  8192 cells,  16 layers,  4/4 seqs), K (q8_0): "
        " 272.00 MiB, V (q4_0):  144.00 MiB");
    assert_int_equal(answer.reserved_total_bytes.value, 416 * MIB);
    assert_int_equal(answer.reserved_sequence_bytes.value, 104 * MIB);
    assert_int_equal(answer.decision, KVC_DECISION_NONE);
}

static void the_default_context_of_the_library_is_512_and_swa_full(void **state)
{
    (void)state;
    asked(GEMMA, "{}");
    assert_int_equal(answer.tokens.value, 512);
    assert_int_equal(answer.caches[1].cells.value, 512);
    asked(GEMMA, "{\"n_ctx\":0,\"swa_full\":true}");
    assert_int_equal(answer.caches[1].cells.value, 8192);
}

/* ---- Windows. */

static void a_window_is_as_large_as_a_micro_batch_more_and_each_sequence_of_one_pool(void **state)
{
    (void)state;
    asked(GEMMA, "{\"n_ctx\":8192,\"swa_full\":false}");
    assert_int_equal(answer.caches[0].layers.value, 1); /* the sixth */
    assert_int_equal(answer.caches[1].layers.value, 5);
    assert_int_equal(answer.caches[1].cells.value, 1024); /* 512 + 512 */
    expect_line("llama_kv_cache_iswa: creating     SWA KV cache, size = 1024 cells");
    asked(GEMMA, "{\"n_ctx\":8192,\"swa_full\":false,\"n_seq_max\":4,\"kv_unified\":true}");
    assert_int_equal(answer.caches[1].cells.value, 2560); /* 4 * 512 + 512 */
    asked(GEMMA, "{\"n_ctx\":8192,\"swa_full\":false,\"n_seq_max\":4}");
    assert_int_equal(answer.caches[1].cells.value, 1024);
    assert_int_equal(answer.caches[1].streams.value, 4);
    asked(GEMMA, "{\"n_ctx\":8192,\"swa_full\":false,\"n_batch\":128}");
    assert_int_equal(answer.caches[1].cells.value, 768); /* pad256(512 + 128) */
}

static void phi3_and_mistral_do_not_slide(void **state)
{
    (void)state;
    asked("{\"general.architecture\":\"phi3\",\"phi3.block_count\":2,\"phi3.context_length\":4096,"
          "\"phi3.embedding_length\":64,\"phi3.attention.head_count\":2,"
          "\"phi3.attention.sliding_window\":512}",
          "{\"n_ctx\":4096,\"swa_full\":false}");
    assert_int_equal(answer.caches_count, 1);
    assert_int_equal(answer.caches[0].cells.value, 4096);
}

static void llama4_slides_by_8192_whatever_the_file_says_unless_it_says_0(void **state)
{
    (void)state;
#define LLAMA4(window)                                                                             \
    "{\"general.architecture\":\"llama4\",\"llama4.block_count\":4,"                               \
    "\"llama4.context_length\":65536,\"llama4.embedding_length\":64,"                              \
    "\"llama4.attention.head_count\":2,\"llama4.attention.sliding_window\":" window "}"
    asked(LLAMA4("512"), "{\"n_ctx\":65536,\"swa_full\":false}");
    assert_int_equal(answer.caches[1].cells.value, 8192 + 512);
    asked(LLAMA4("0"), "{\"n_ctx\":65536,\"swa_full\":false}");
    assert_int_equal(answer.caches_count, 1);
}

static void exaone4_slides_only_with_64_layers(void **state)
{
    (void)state;
#define EXAONE4(layers)                                                                            \
    "{\"general.architecture\":\"exaone4\",\"exaone4.block_count\":" layers ","                    \
    "\"exaone4.context_length\":65536,\"exaone4.embedding_length\":64,"                            \
    "\"exaone4.attention.head_count\":2,\"exaone4.attention.sliding_window\":512}"
    asked(EXAONE4("32"), "{\"n_ctx\":4096,\"swa_full\":false}");
    assert_int_equal(answer.caches_count, 1);
    asked(EXAONE4("64"), "{\"n_ctx\":4096,\"swa_full\":false}");
    assert_int_equal(answer.caches_count, 2);
    assert_int_equal(answer.caches[0].layers.value, 16);
}

static void gemma3n_keeps_20_layers_whatever_it_shares(void **state)
{
    (void)state;
    asked("{\"general.architecture\":\"gemma3n\",\"gemma3n.block_count\":30,"
          "\"gemma3n.context_length\":32768,\"gemma3n.embedding_length\":64,"
          "\"gemma3n.attention.head_count\":2,\"gemma3n.attention.sliding_window\":512,"
          "\"gemma3n.attention.shared_kv_layers\":15}",
          "{\"n_ctx\":4096,\"swa_full\":false}");
    assert_int_equal(answer.caches[0].layers.value + answer.caches[1].layers.value, 20);
    assert_int_equal(answer.caches[0].layers.value, 4); /* each fifth */
}

/* ---- Draft layers. */

static void unused_draft_layers_are_cached_by_glm4moe_and_not_by_step35(void **state)
{
    (void)state;
    asked("{\"general.architecture\":\"glm4moe\",\"glm4moe.block_count\":5,"
          "\"glm4moe.nextn_predict_layers\":1,\"glm4moe.context_length\":4096,"
          "\"glm4moe.embedding_length\":64,\"glm4moe.attention.head_count\":2}",
          "{\"n_ctx\":256}");
    assert_int_equal(answer.caches[0].layers.value, 5);
    asked("{\"general.architecture\":\"hy_v3\",\"hy_v3.block_count\":5,"
          "\"hy_v3.nextn_predict_layers\":1,\"hy_v3.context_length\":4096,"
          "\"hy_v3.embedding_length\":64,\"hy_v3.attention.head_count\":2}",
          "{\"n_ctx\":256}");
    assert_int_equal(answer.caches[0].layers.value, 4);
}

/* ---- Compressed rows. */

#define MLA                                                                                        \
    "{\"general.architecture\":\"deepseek2\",\"deepseek2.block_count\":3,"                         \
    "\"deepseek2.context_length\":4096,\"deepseek2.embedding_length\":128,"                        \
    "\"deepseek2.attention.head_count\":16,\"deepseek2.attention.head_count_kv\":1,"               \
    "\"deepseek2.attention.key_length\":576,\"deepseek2.attention.value_length\":512,"             \
    "\"deepseek2.attention.kv_lora_rank\":512,\"deepseek2.attention.key_length_mla\":192,"         \
    "\"deepseek2.attention.value_length_mla\":128}"

static void compressed_rows_have_no_values_and_one_type(void **state)
{
    (void)state;
    asked(MLA, "{\"n_ctx\":4096}");
    assert_int_equal(answer.caches[0].k_bytes.value, UINT64_C(576) * 2 * 3 * 4096);
    assert_true(answer.caches[0].v_bytes.said);
    assert_int_equal(answer.caches[0].v_bytes.value, 0);
    asked(MLA, "{\"n_ctx\":4096,\"type_k\":\"q8_0\"}");
    expect_refusal("llama_init_from_model: model does not support different K (q8_0) and V (f16) "
                   "cache types");
}

static void without_the_mla_keys_keys_and_values_are_cached_whole(void **state)
{
    (void)state;
    asked("{\"general.architecture\":\"deepseek2\",\"deepseek2.block_count\":3,"
          "\"deepseek2.context_length\":4096,\"deepseek2.embedding_length\":128,"
          "\"deepseek2.attention.head_count\":16,\"deepseek2.attention.head_count_kv\":16,"
          "\"deepseek2.attention.key_length\":192,\"deepseek2.attention.value_length\":128,"
          "\"deepseek2.attention.kv_lora_rank\":512}",
          "{\"n_ctx\":4096}");
    assert_int_equal(answer.caches[0].k_bytes.value, UINT64_C(16) * 192 * 2 * 3 * 4096);
    assert_int_equal(answer.caches[0].v_bytes.value, UINT64_C(16) * 128 * 2 * 3 * 4096);
}

static void an_indexer_is_a_second_cache(void **state)
{
    (void)state;
    asked("{\"general.architecture\":\"minimax-m3\",\"minimax-m3.block_count\":4,"
          "\"minimax-m3.context_length\":4096,\"minimax-m3.embedding_length\":64,"
          "\"minimax-m3.attention.head_count\":2,\"minimax-m3.leading_dense_block_count\":1,"
          "\"minimax-m3.attention.indexer.key_length\":16}",
          "{\"n_ctx\":256}");
    assert_int_equal(answer.caches_count, 2);
    assert_int_equal(answer.caches[1].layers.value, 3);
    assert_int_equal(answer.caches[1].k_bytes.value, 16 * 2 * 3 * 256); /* one head */
    assert_int_equal(answer.caches[1].v_bytes.value, 32 * 2 * 3 * 256); /* of value_length */
    expect_line("llama_kv_cache_msa: creating indexer KV cache, size = 256 cells");
}

static void deepseek4_has_five_caches_and_state_that_no_line_of_cells_shows(void **state)
{
    (void)state;
    asked("{\"general.architecture\":\"deepseek4\",\"deepseek4.block_count\":3,"
          "\"deepseek4.context_length\":65536,\"deepseek4.embedding_length\":64,"
          "\"deepseek4.attention.head_count\":2,\"deepseek4.attention.head_count_kv\":1,"
          "\"deepseek4.attention.key_length\":32,\"deepseek4.attention.value_length\":32,"
          "\"deepseek4.attention.sliding_window\":128,"
          "\"deepseek4.attention.indexer.key_length\":16,"
          "\"deepseek4.attention.compress_ratios\":[0,4,128]}",
          "{\"n_ctx\":65536,\"n_seq_max\":2,\"kv_unified\":true,\"swa_full\":false}");
    /* kv_unified: each sequence has a stream of its own, of the whole n_ctx */
    assert_int_equal(answer.caches_count, 8);
    assert_int_equal(answer.caches[0].layers.value, 0);
    assert_int_equal(answer.caches[0].cells.value, 65536);
    assert_int_equal(answer.caches[1].cells.value, 768); /* pad256(128 + 512) */
    assert_int_equal(answer.caches[2].cells.value, 16384);
    assert_int_equal(answer.caches[3].cells.value, 512);
    assert_int_equal(answer.caches[4].k_bytes.value, UINT64_C(16) * 2 * 16384 * 2);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(answer.caches[i].streams.value, 2);
    assert_string_equal(answer.caches[5].kind, "state");
    assert_int_equal(answer.caches[5].bytes.value, 2 * 4 * (2 * 32) * 8 * 2);
    assert_int_equal(answer.caches[6].bytes.value, 2 * 4 * 32 * 128 * 2);
    assert_int_equal(answer.caches[7].bytes.value, 2 * 4 * (2 * 16) * 8 * 2);
    expect_line("llama_kv_cache_dsv4: creating DSV4 CSA compressor state");
    expect_line("llama_kv_cache_dsv4: creating DSV4 HCA compressor state");
    expect_line("llama_kv_cache_dsv4: creating DSV4 lightning-indexer compressor state");
}

static void the_third_cache_of_qwen4exp_is_announced_by_a_lambda(void **state)
{
    (void)state;
    asked("{\"general.architecture\":\"qwen4exp\",\"qwen4exp.block_count\":4,"
          "\"qwen4exp.context_length\":4096,\"qwen4exp.embedding_length\":64,"
          "\"qwen4exp.attention.head_count\":2,\"qwen4exp.ssm.conv_kernel\":4,"
          "\"qwen4exp.ssm.inner_size\":64,\"qwen4exp.ssm.state_size\":16,"
          "\"qwen4exp.ssm.time_step_rank\":4,\"qwen4exp.ssm.group_count\":2,"
          "\"qwen4exp.attention.indexer.key_length\":16,"
          "\"qwen4exp.attention.indexer.head_count\":2,\"qwen4exp.attention.indexer.top_k\":8,"
          "\"qwen4exp.attention.compress_ratios\":[4,4,4,4]}",
          "{\"n_ctx\":512}");
    assert_int_equal(answer.caches_count, 3);
    assert_int_equal(answer.caches[2].k_bytes.value, 16 * 2 * 512);
    expect_line("operator(): creating indexer KV cache, size = 512 cells");
}

/* ---- Recurrent state. */

#define JAMBA                                                                                      \
    "{\"general.architecture\":\"jamba\",\"jamba.block_count\":4,"                                 \
    "\"jamba.context_length\":4096,\"jamba.embedding_length\":64,"                                 \
    "\"jamba.attention.head_count\":4,\"jamba.attention.head_count_kv\":[0,2,0,0],"                \
    "\"jamba.ssm.conv_kernel\":4,\"jamba.ssm.inner_size\":128,\"jamba.ssm.state_size\":16,"        \
    "\"jamba.ssm.time_step_rank\":4}"

static void recurrent_state_is_f32_a_sequence_and_its_line_counts_all_layers(void **state)
{
    (void)state;
    asked(JAMBA, "{\"n_ctx\":512,\"n_seq_max\":2,\"type_k\":\"q8_0\",\"n_rs_seq\":3,"
                 "\"flash_attn\":\"off\"}");
    assert_int_equal(answer.caches[0].layers.value, 1);
    assert_string_equal(answer.caches[1].kind, "recurrent");
    assert_int_equal(answer.caches[1].cells.value, 2);
    assert_int_equal(answer.caches[1].layers.value, 4); /* as logged */
    /* 3 layers keep it; jamba takes nothing back, so n_rs_seq is 0 */
    assert_int_equal(plan.context.n_rs_seq, 0);
    assert_int_equal(answer.caches[1].r_bytes.value, 4 * 3 * 128 * 2 * 3);
    assert_int_equal(answer.caches[1].s_bytes.value, 4 * 16 * 128 * 2 * 3);
    expect_line("llama_memory_recurrent: size =    0.06 MiB (     2 cells,   4 layers,  2 seqs  0 "
                "rs_seq), R (f32):    0.01 MiB, S (f32):    0.05 MiB, P (f32):    0.00 MiB");
}

static void steps_to_take_back_multiply_recurrent_state(void **state)
{
    (void)state;
    asked("{\"general.architecture\":\"lfm2\",\"lfm2.block_count\":2,\"lfm2.context_length\":4096,"
          "\"lfm2.embedding_length\":64,\"lfm2.attention.head_count\":4,"
          "\"lfm2.attention.head_count_kv\":[0,2],\"lfm2.shortconv.l_cache\":3}",
          "{\"n_ctx\":256,\"n_rs_seq\":3}");
    assert_int_equal(answer.caches[1].r_bytes.value, 4 * 64 * 2 * (1 + 3));
    assert_int_equal(answer.caches[1].s_bytes.value, 0);
}

static void falcon_h1_keeps_both_in_each_layer_and_nemotron_h_neither_in_some(void **state)
{
    (void)state;
    asked("{\"general.architecture\":\"falcon-h1\",\"falcon-h1.block_count\":2,"
          "\"falcon-h1.context_length\":4096,\"falcon-h1.embedding_length\":64,"
          "\"falcon-h1.attention.head_count\":4,\"falcon-h1.ssm.conv_kernel\":4,"
          "\"falcon-h1.ssm.inner_size\":128,\"falcon-h1.ssm.state_size\":16,"
          "\"falcon-h1.ssm.time_step_rank\":4,\"falcon-h1.ssm.group_count\":1}",
          "{\"n_ctx\":256}");
    assert_int_equal(answer.caches[0].layers.value, 2);
    assert_int_equal(answer.caches[1].r_bytes.value, 4 * 3 * (128 + 2 * 16) * 2);
    asked("{\"general.architecture\":\"nemotron_h\",\"nemotron_h.block_count\":3,"
          "\"nemotron_h.context_length\":4096,\"nemotron_h.embedding_length\":64,"
          "\"nemotron_h.attention.head_count\":4,\"nemotron_h.attention.head_count_kv\":[0,2,0],"
          "\"nemotron_h.feed_forward_length\":[0,0,256],\"nemotron_h.ssm.conv_kernel\":4,"
          "\"nemotron_h.ssm.inner_size\":128,\"nemotron_h.ssm.state_size\":16,"
          "\"nemotron_h.ssm.time_step_rank\":4,\"nemotron_h.ssm.group_count\":1}",
          "{\"n_ctx\":256}");
    assert_int_equal(answer.caches[0].layers.value, 1);
    assert_int_equal(plan.model.caches[1].layers, 1);
}

/* ---- Flash attention and values. */

static void without_flash_attention_each_row_of_values_is_the_widest(void **state)
{
    (void)state;
#define OPENELM                                                                                    \
    "{\"general.architecture\":\"openelm\",\"openelm.block_count\":2,"                             \
    "\"openelm.context_length\":4096,\"openelm.embedding_length\":256,"                            \
    "\"openelm.attention.head_count\":[4,4],\"openelm.attention.head_count_kv\":[1,2]}"
    asked(OPENELM, "{\"n_ctx\":256}");
    assert_int_equal(answer.caches[0].v_bytes.value, (64 + 128) * 2 * 256);
    asked(OPENELM, "{\"n_ctx\":256,\"flash_attn\":\"off\"}");
    assert_int_equal(answer.caches[0].v_bytes.value, (128 + 128) * 2 * 256);
    expect_line("llama_kv_cache: the V embeddings have different sizes across layers and FA is not "
                "enabled - padding V cache to 128");
}

static void quantised_types_are_refused_in_the_engines_order_and_words(void **state)
{
    (void)state;
#define PHI2                                                                                       \
    "{\"general.architecture\":\"phi2\",\"phi2.block_count\":2,\"phi2.context_length\":2048,"      \
    "\"phi2.embedding_length\":2560,\"phi2.attention.head_count\":32}"
    asked(PLAIN, "{\"type_v\":\"q8_0\",\"flash_attn\":\"off\"}");
    expect_refusal("llama_init_from_model: quantized V cache requires flash_attn to be enabled");
    asked(PHI2, "{\"type_k\":\"q8_0\"}"); /* heads of 80 */
    expect_refusal("llama_init_from_model: K cache type q8_0 with block size 32 does not divide "
                   "n_embd_head_k=80");
    asked(PHI2, "{\"type_v\":\"q4_0\"}");
    expect_refusal("llama_init_from_model: V cache type q4_0 with block size 32 does not divide "
                   "n_embd_head_v=80");
    asked(PHI2, "{\"type_k\":\"q8_0\",\"flash_attn\":\"off\",\"n_ctx\":256}");
    assert_int_equal(answer.caches[0].k_bytes.value, 2560 / 32 * 34 * 2 * 256);
}

static void a_quantised_v_turns_flash_attention_on(void **state)
{
    (void)state;
    asked(PLAIN, "{\"type_v\":\"q8_0\"}");
    assert_int_equal(plan.context.flash, KVC_LLAMACPP_FLASH_ON);
    expect_line("llama_context: flash_attn            = enabled");
}

static void grok_has_no_flash_attention(void **state)
{
    (void)state;
#define GROK                                                                                       \
    "{\"general.architecture\":\"grok\",\"grok.block_count\":2,\"grok.context_length\":2048,"      \
    "\"grok.embedding_length\":256,\"grok.attention.head_count\":4}"
    asked(GROK, "{}");
    expect_line("llama_init_from_model: flash_attn is not compatible with Grok - forcing off");
    assert_true(plan.context.is_v_transposed);
    asked(GROK, "{\"type_v\":\"q8_0\"}");
    expect_refusal("llama_init_from_model: quantized V cache requires flash_attn to be enabled");
}

/* ---- What the graph does not survive. */

static void graphs_that_assert_are_told(void **state)
{
    (void)state;
#define T5                                                                                         \
    "{\"general.architecture\":\"t5\",\"t5.block_count\":2,\"t5.context_length\":512,"             \
    "\"t5.embedding_length\":256,\"t5.attention.head_count\":4}"
    asked(T5, "{\"n_seq_max\":2}");
    assert_true(has_note("engine.assertion"));
    assert_int_equal(answer.decision, KVC_DECISION_REFUSED);
    asked(T5, "{\"n_seq_max\":2,\"kv_unified\":true}");
    assert_false(has_note("engine.assertion"));
#define MINIMAX(layers)                                                                            \
    "{\"general.architecture\":\"minimax-01\",\"minimax-01.block_count\":" layers ","              \
    "\"minimax-01.context_length\":4096,\"minimax-01.embedding_length\":256,"                      \
    "\"minimax-01.attention.head_count\":4,\"minimax-01.attention.head_count_kv\":2}"
    asked(MINIMAX("16"), "{\"n_ctx\":4096,\"n_seq_max\":3}"); /* 3 does not divide 512 */
    assert_true(has_note("engine.assertion"));
    assert_true(kvc_span_is(answer.refusal_text, "GGML_ASSERT(ggml_can_repeat(b, a)) failed"));
    asked(MINIMAX("16"),
          "{\"n_ctx\":4096,\"n_seq_max\":4,\"n_ubatch\":3}"); /* a stream without tokens */
    assert_true(kvc_span_is(answer.refusal_text,
                            "GGML_ASSERT(ggml_nelements(a) == ne0*ne1*ne2*ne3) failed"));
    asked(MINIMAX("16"), "{\"n_ctx\":4096,\"n_seq_max\":4}");
    assert_false(has_note("engine.assertion"));
    asked(MINIMAX("8"),
          "{\"n_ctx\":4096,\"n_seq_max\":3}"); /* attention is in the last layer alone */
    assert_false(has_note("engine.assertion"));
}

static void each_sequence_has_an_output_and_the_batch_holds_them(void **state)
{
    (void)state;
    asked(PLAIN, "{\"n_ctx\":4096,\"n_seq_max\":8,\"n_batch\":8}");
    assert_false(has_note("engine.assertion"));
    asked(PLAIN, "{\"n_ctx\":4096,\"n_seq_max\":8,\"n_batch\":7}");
    assert_true(has_note("engine.assertion"));
    expect_refusal("GGML_ASSERT(n_outputs_max <= cparams.n_outputs_max) failed");
    asked(PLAIN,
          "{\"n_ctx\":7,\"n_seq_max\":8}"); /* n_ctx bounds the batch, before it is rounded */
    expect_refusal("GGML_ASSERT(n_outputs_max <= cparams.n_outputs_max) failed");
}

static void more_than_256_sequences_are_refused(void **state)
{
    (void)state;
    asked(PLAIN, "{\"n_seq_max\":257}");
    expect_refusal("llama_init_from_model: failed to initialize the context: n_seq_max must be <= "
                   "256");
    asked(PLAIN, "{\"n_seq_max\":256,\"n_ctx\":65536}");
    assert_int_equal(answer.max_running_requests.value, 256);
    asked(PLAIN, "{\"n_batch\":0,\"n_ubatch\":0}");
    expect_refusal("llama_init_from_model: n_batch and n_ubatch cannot both be zero");
}

/* ---- Models that cannot be said. */

static void an_architecture_without_a_row_is_undetermined(void **state)
{
    (void)state;
    asked("{\"general.architecture\":\"novel\",\"novel.block_count\":2}", "{}");
    assert_int_equal(answer.decision, KVC_DECISION_UNDETERMINED);
    assert_int_equal(answer.undetermined_count, 1);
    assert_int_equal(answer.caches_count, 0);
}

static void an_encoder_has_no_cache_at_all(void **state)
{
    (void)state;
    asked("{\"general.architecture\":\"bert\",\"bert.block_count\":2,\"bert.context_length\":512}",
          "{}");
    assert_int_equal(answer.caches_count, 0);
    assert_int_equal(answer.reserved_total_bytes.value, 0);
}

/* ---- The server. */

static void no_number_of_slots_is_four_that_share_one_pool(void **state)
{
    (void)state;
    assert_int_equal(ask(PLAIN, "{\"n_ctx\":16384}", "llama-server", TODAY), KVCAP_OK);
    assert_int_equal(answer.max_running_requests.value, 4);
    assert_int_equal(answer.max_model_len.value, 16384);
    expect_line("srv    load_model: initializing, n_slots = 4, n_ctx_slot = 16384, kv_unified = "
                "'true'");
    assert_int_equal(ask(PLAIN, "{\"ctx_size\":16384,\"parallel\":4}", "llama-server", TODAY),
                     KVCAP_OK);
    assert_int_equal(answer.max_model_len.value, 4096);
    expect_line("srv    load_model: initializing, n_slots = 4, n_ctx_slot = 4096, kv_unified = "
                "'false'");
}

static void the_fit_step_gives_each_slot_the_models_own_context(void **state)
{
    (void)state;
    assert_int_equal(ask(PLAIN, "{\"n_seq_max\":4}", "llama-server", TODAY), KVCAP_OK);
    assert_int_equal(answer.tokens.value, UINT64_C(4) * 131072);
    assert_int_equal(ask(PLAIN, "{\"n_seq_max\":4,\"fit\":\"off\"}", "llama-server", TODAY),
                     KVCAP_OK);
    assert_int_equal(answer.tokens.value, 131072);
    assert_int_equal(answer.max_model_len.value, 32768);
    /* Before August 2026 all slots together got it. */
    assert_int_equal(ask(PLAIN, "{\"n_seq_max\":4}", "llama-server", 20260801), KVCAP_OK);
    assert_int_equal(answer.tokens.value, 131072);
    /* And before there was a fit step, or four slots. */
    assert_int_equal(ask(PLAIN, "{}", "llama-server", 20251001), KVCAP_OK);
    assert_int_equal(answer.max_running_requests.value, 1);
    assert_int_equal(answer.tokens.value, 131072);
}

static void the_server_slides_by_windows_and_caps_a_slot_at_the_models_context(void **state)
{
    (void)state;
    assert_int_equal(ask(GEMMA, "{\"n_ctx\":16384,\"n_seq_max\":1}", "llama-server", TODAY),
                     KVCAP_OK);
    assert_int_equal(answer.caches[1].cells.value, 1024);
    assert_int_equal(answer.tokens.value, 16384);
    assert_int_equal(answer.max_model_len.value, 8192);
    assert_true(has_note("engine.prompt_cache"));
    assert_int_equal(
        ask(GEMMA, "{\"kv_unified_per_slot\":2048,\"cache_ram\":0}", "llama-server", TODAY),
        KVCAP_OK);
    assert_int_equal(answer.tokens.value, 8192); /* 4 slots of 2048 */
    assert_int_equal(answer.max_model_len.value, 2048);
    assert_false(has_note("engine.prompt_cache"));
}

static void kinds_of_speculation_keep_state_that_can_be_taken_back(void **state)
{
    (void)state;
    assert_int_equal(ask("{\"general.architecture\":\"lfm2\",\"lfm2.block_count\":2,"
                         "\"lfm2.context_length\":4096,\"lfm2.embedding_length\":64,"
                         "\"lfm2.attention.head_count\":4,\"lfm2.attention.head_count_kv\":[0,2],"
                         "\"lfm2.shortconv.l_cache\":3}",
                         "{\"n_ctx\":256,\"n_seq_max\":1,\"spec_type\":\"ngram-mod,draft-mtp\","
                         "\"spec_draft_n_max\":5}",
                         "llama-server", TODAY),
                     KVCAP_OK);
    assert_int_equal(plan.context.n_rs_seq, 5);
}

static void a_preset_sets_several_at_once(void **state)
{
    (void)state;
    assert_int_equal(
        ask(PLAIN, "{\"gpt_oss_20b_default\":true,\"n_batch\":4096}", "llama-server", TODAY),
        KVCAP_OK);
    assert_int_equal(answer.tokens.value, 262144);
    assert_int_equal(answer.max_running_requests.value, 2);
    assert_int_equal(plan.context.n_ubatch, 2048);
    assert_int_equal(plan.context.n_batch, 4096);
    assert_false(plan.context.kv_unified);
}

static void a_setting_by_two_names_is_refused(void **state)
{
    (void)state;
    assert_int_not_equal(ask(PLAIN, "{\"n_ctx\":4096,\"ctx_size\":8192}", NULL, TODAY), KVCAP_OK);
    assert_string_equal(err.at, "/settings/ctx_size");
}

/* ---- Places. */

static struct kvc_engine_device devices[3];

static void with_devices(uint32_t count, uint64_t free_mib)
{
    static const char *const NAMES[] = { "CUDA0", "CUDA1", "CUDA2" };
    for (uint32_t i = 0; i < count; i++)
        devices[i] = (struct kvc_engine_device){ .name = kvc_span_of(NAMES[i]),
                                                 .free_bytes = free_mib * MIB,
                                                 .total_bytes = free_mib * MIB };
    memory = (struct kvc_engine_memory){ .given = true,
                                         .devices = devices,
                                         .devices_count = count,
                                         .host_total_bytes = kvc_said(65536 * MIB) };
}

static void the_last_layers_go_to_the_device(void **state)
{
    (void)state;
    with_devices(1, 24576);
    assert_int_equal(ask(PLAIN, "{\"n_ctx\":4096,\"n_gpu_layers\":5}", NULL, TODAY), KVCAP_OK);
    /* of 16 + 1: the output and 4 layers, 8 MiB of cache each */
    assert_int_equal(answer.devices_count, 2);
    assert_string_equal(answer.devices[0].name, "CUDA0");
    assert_int_equal(answer.devices[0].layers.value, 4);
    assert_int_equal(answer.devices[0].cache_bytes.value, 32 * MIB);
    assert_string_equal(answer.devices[1].name, "CPU");
    assert_int_equal(answer.devices[1].cache_bytes.value, 96 * MIB);
    expect_line("llama_kv_cache:      CUDA0 KV buffer size =    32.00 MiB");
    expect_line("llama_kv_cache:        CPU KV buffer size =    96.00 MiB");
    assert_int_equal(answer.decision, KVC_DECISION_FIT);
    assert_true(has_note("engine.compute_unknown"));
    with_devices(1, 24576);
    assert_int_equal(ask(PLAIN, "{\"n_ctx\":4096,\"offload_kqv\":false}", NULL, TODAY), KVCAP_OK);
    assert_int_equal(answer.devices[0].cache_bytes.value, 0);
    assert_int_equal(answer.devices[1].cache_bytes.value, 128 * MIB);
    assert_true(answer.devices[0].weights_bytes.value > 0);
}

static void layers_are_split_by_free_memory_or_by_shares(void **state)
{
    (void)state;
    with_devices(2, 24576);
    assert_int_equal(ask(PLAIN, "{\"n_ctx\":4096}", NULL, TODAY), KVCAP_OK);
    /* 17 layers: i / 17 < 0.5 for 0 to 8 */
    assert_int_equal(answer.devices[0].layers.value, 9);
    assert_int_equal(answer.devices[1].layers.value, 7);
    with_devices(2, 24576);
    assert_int_equal(ask(PLAIN, "{\"n_ctx\":4096,\"tensor_split\":\"3,1\"}", NULL, TODAY),
                     KVCAP_OK);
    /* i / 17 < 0.75 for 0 to 12 */
    assert_int_equal(answer.devices[0].layers.value, 13);
    with_devices(2, 24576);
    assert_int_equal(
        ask(PLAIN, "{\"n_ctx\":4096,\"split_mode\":\"none\",\"main_gpu\":1}", NULL, TODAY),
        KVCAP_OK);
    assert_int_equal(answer.devices_count, 2);
    assert_string_equal(answer.devices[0].name, "CUDA1");
}

static void what_is_larger_than_a_device_exceeds_it(void **state)
{
    (void)state;
    with_devices(1, 4096);
    assert_int_equal(ask(PLAIN, "{\"n_ctx\":4096}", NULL, TODAY), KVCAP_OK);
    assert_int_equal(answer.decision, KVC_DECISION_EXCEEDS_CAPACITY);
    assert_int_equal(answer.available_bytes.value, 4096 * MIB);
    assert_int_equal(answer.needed_bytes.value, (6400 + 128) * MIB);
}

static void the_fit_step_takes_context_back_by_what_is_missing(void **state)
{
    (void)state;
    /* 32 KiB a cell: 131072 cells are 4096 MiB, 4096 cells 128 MiB.  Free 9216, margin 1024: 8192 may be
     * used; 6400 are weights.  4096 + 126976 * (8192 - 6528) / (10496 - 6528) = 57344, a multiple of
     * 256. */
    with_devices(1, 9216);
    assert_int_equal(ask(PLAIN, "{}", "llama-server", TODAY), KVCAP_OK);
    assert_int_equal(answer.tokens.value, 57344);
    assert_true(has_note("engine.fit_context"));
    assert_int_equal(answer.decision, KVC_DECISION_FIT);
    /* Enough: nothing is taken back. */
    with_devices(1, 10496 + 1024);
    assert_int_equal(ask(PLAIN, "{}", "llama-server", TODAY), KVCAP_OK);
    assert_int_equal(answer.tokens.value, 131072);
    /* A context that somebody set stays; layers go to the host. */
    with_devices(1, 9216);
    assert_int_equal(ask(PLAIN, "{\"n_ctx\":131072}", "llama-server", TODAY), KVCAP_OK);
    assert_int_equal(answer.tokens.value, 131072);
    assert_true(has_note("engine.fit_layers"));
    assert_true(answer.devices[1].layers.value > 0);
    /* Nor do they where somebody set them. */
    with_devices(1, 9216);
    assert_int_equal(
        ask(PLAIN, "{\"n_ctx\":131072,\"n_gpu_layers\":\"all\"}", "llama-server", TODAY), KVCAP_OK);
    assert_false(has_note("engine.fit_layers"));
    assert_int_equal(answer.decision, KVC_DECISION_EXCEEDS_CAPACITY);
}

static void room_for_the_cache_alone_can_be_told(void **state)
{
    (void)state;
    const uint64_t room_bytes[] = { 128 * MIB };
    memory = (struct kvc_engine_memory){ .given = true,
                                         .available_bytes = room_bytes,
                                         .available_count = 1 };
    asked(PLAIN, "{\"n_ctx\":4096}");
    assert_int_equal(answer.decision, KVC_DECISION_FIT);
    asked(PLAIN, "{\"n_ctx\":4097}");
    assert_int_equal(answer.decision, KVC_DECISION_EXCEEDS_CAPACITY);
    assert_int_equal(answer.needed_bytes.value, 136 * MIB);
}

static void without_devices_the_host_is_compared(void **state)
{
    (void)state;
    memory = (struct kvc_engine_memory){ .given = true, .host_total_bytes = kvc_said(9216 * MIB) };
    assert_int_equal(ask(PLAIN, "{}", "llama-server", TODAY), KVCAP_OK);
    assert_int_equal(answer.tokens.value, 57344);
    expect_line("llama_kv_cache:        CPU KV buffer size =  1792.00 MiB");
    assert_int_equal(answer.devices_count, 1);
}

/* ---- Earlier days. */

static void cells_were_rounded_otherwise(void **state)
{
    (void)state;
    /* gpt-oss before November 2025: 128 + 512, rounded to 32 without flash attention */
#define GPT_OSS                                                                                    \
    "{\"general.architecture\":\"gpt-oss\",\"gpt-oss.block_count\":2,"                             \
    "\"gpt-oss.context_length\":8192,\"gpt-oss.embedding_length\":64,"                             \
    "\"gpt-oss.attention.head_count\":2,\"gpt-oss.attention.sliding_window\":128}"
    assert_int_equal(ask(GPT_OSS, "{\"n_ctx\":4096,\"swa_full\":false}", NULL, 20250815), KVCAP_OK);
    expect_line("llama_kv_cache_unified_iswa: creating     SWA KV cache, size = 640 cells");
    assert_int_equal(ask(GPT_OSS, "{\"n_ctx\":4096,\"swa_full\":false}", NULL, TODAY), KVCAP_OK);
    expect_line("llama_kv_cache_iswa: creating     SWA KV cache, size = 768 cells");
    assert_int_equal(ask(PLAIN, "{\"n_ctx\":1000}", NULL, 20251101), KVCAP_OK);
    assert_int_equal(answer.tokens.value, 1000);
    assert_int_equal(ask(PLAIN, "{\"n_ctx\":1000}", NULL, 20250601), KVCAP_OK);
    assert_int_equal(answer.tokens.value, 1024);
}

static void a_quantised_v_was_refused_in_other_words(void **state)
{
    (void)state;
    assert_int_equal(ask(PLAIN, "{\"type_v\":\"q8_0\"}", NULL, 20250301), KVCAP_OK);
    expect_refusal("llama_init_from_model: V cache quantization requires flash_attn");
    assert_int_equal(ask(PLAIN, "{\"type_v\":\"q8_0\"}", NULL, 20240801), KVCAP_OK);
    expect_refusal("llama_new_context_with_model: V cache quantization requires flash_attn");
    assert_int_equal(ask(PLAIN, "{\"type_v\":\"q8_0\"}", NULL, 20251201), KVCAP_OK);
    assert_int_equal(answer.decision, KVC_DECISION_NONE); /* flash attention is auto by then */
}

static void windows_had_no_cache_of_their_own(void **state)
{
    (void)state;
    assert_int_equal(ask(GEMMA, "{\"n_ctx\":4096,\"swa_full\":false}", NULL, 20250501), KVCAP_OK);
    assert_int_equal(answer.caches_count, 1);
    assert_int_equal(answer.caches[0].layers.value, 6);
    assert_int_equal(answer.caches[0].cells.value, 4096);
}

static void compressed_rows_were_kept_twice(void **state)
{
    (void)state;
    assert_int_equal(ask(MLA, "{\"n_ctx\":4096}", NULL, 20260124), KVCAP_OK);
    assert_int_equal(answer.caches[0].v_bytes.value, UINT64_C(512) * 2 * 3 * 4096);
    assert_int_equal(ask(MLA, "{\"n_ctx\":4096}", NULL, 20260125), KVCAP_OK);
    assert_int_equal(answer.caches[0].v_bytes.value, 0);
}

static void an_encoder_had_a_cache_until_8_may_2025(void **state)
{
    (void)state;
#define BERT                                                                                       \
    "{\"general.architecture\":\"bert\",\"bert.block_count\":2,\"bert.context_length\":512,"       \
    "\"bert.embedding_length\":256,\"bert.attention.head_count\":4}"
    assert_int_equal(ask(BERT, "{\"n_ctx\":512}", NULL, 20250507), KVCAP_OK);
    assert_int_equal(answer.caches_count, 1);
    assert_int_equal(answer.caches[0].k_bytes.value, 2 * 512 * 256 * 2);
    assert_int_equal(answer.caches[0].v_bytes.value, 2 * 512 * 256 * 2);
    assert_int_equal(ask(BERT, "{\"n_ctx\":512}", NULL, 20250508), KVCAP_OK);
    assert_int_equal(answer.caches_count, 0);
}

static void rows_of_values_were_their_layers_own_until_16_july_2025(void **state)
{
    (void)state;
    const char *off = "{\"n_ctx\":256,\"flash_attn\":\"off\"}";
    assert_int_equal(ask(OPENELM, off, NULL, 20250715), KVCAP_OK);
    assert_int_equal(answer.caches[0].v_bytes.value, (64 + 128) * 2 * 256);
    assert_int_equal(ask(OPENELM, off, NULL, 20250716), KVCAP_OK);
    assert_int_equal(answer.caches[0].v_bytes.value, (128 + 128) * 2 * 256);
}

static void what_was_not_read_yet_is_undetermined(void **state)
{
    (void)state;
    assert_int_equal(ask(MLA, "{\"n_ctx\":4096}", NULL, 20250414), KVCAP_OK);
    assert_int_equal(answer.decision, KVC_DECISION_UNDETERMINED);
    assert_int_equal(ask(MLA, "{\"n_ctx\":4096}", NULL, 20250415), KVCAP_OK);
    assert_int_equal(answer.decision, KVC_DECISION_NONE);
    assert_int_equal(ask(JAMBA, "{\"n_ctx\":4096}", NULL, 20250618), KVCAP_OK);
    assert_int_equal(answer.decision, KVC_DECISION_UNDETERMINED);
    assert_int_equal(answer.undetermined_count, 1);
}

static void lines_are_those_of_their_day(void **state)
{
    (void)state;
    static const struct {
        uint32_t day;
        const char *line;
    } LINES[] = {
        { 20230601, "llama_init_from_file: kv self size  =  128.00 MB" },
        { 20230901, "llama_new_context_with_model: kv self size  =  128.00 MB" },
        { 20231120, "llama_new_context_with_model: kv self size  =  128.00 MiB" },
        { 20240601,
          "llama_new_context_with_model: KV self size  =  128.00 MiB, K (f16):   64.00 MiB, "
          "V (f16):   64.00 MiB" },
        { 20250201, "llama_init_from_model: KV self size  =  128.00 MiB, K (f16):   64.00 MiB, V "
                    "(f16):   64.00 MiB" },
        { 20250401, "llama_context: KV self size  =  128.00 MiB, K (f16):   64.00 MiB, V (f16):   "
                    "64.00 MiB" },
        { 20250510,
          "llama_kv_cache_unified: kv_size = 4096, type_k = 'f16', type_v = 'f16', n_layer = "
          "16, can_shift = 1, padding = 32" },
        { 20250510, "llama_kv_cache_unified: KV self size  =  128.00 MiB, K (f16):   64.00 MiB, V "
                    "(f16):   64.00 MiB" },
        { 20250606,
          "llama_kv_cache_unified: size =  128.00 MiB (  4096 cells,  16 layers,  1 seqs), K "
          "(f16):   64.00 MiB, V (f16):   64.00 MiB" },
        { 20250721,
          "llama_kv_cache_unified: size =  128.00 MiB (  4096 cells,  16 layers,  1/ 1 seqs), "
          "K (f16):   64.00 MiB, V (f16):   64.00 MiB" },
        { 20250810,
          "llama_kv_cache_unified: size =  128.00 MiB (  4096 cells,  16 layers,  1/1 seqs), "
          "K (f16):   64.00 MiB, V (f16):   64.00 MiB" },
        { 20251001,
          "llama_kv_cache: size =  128.00 MiB (  4096 cells,  16 layers,  1/1 seqs), K (f16): "
          "  64.00 MiB, V (f16):   64.00 MiB" },
        { 20251001, "llama_context: n_ctx_per_seq = 4096" },
        { 20260201, "llama_context: n_ctx_seq     = 4096" },
        { TODAY, "llama_context: n_ctx_seq             = 4096" },
    };
    for (size_t i = 0; i < sizeof LINES / sizeof LINES[0]; i++) {
        assert_int_equal(ask(PLAIN, "{\"n_ctx\":4096}", NULL, LINES[i].day), KVCAP_OK);
        expect_line(LINES[i].line);
    }
}

/* Which those are: what the corpus of llama.cpp's own runs records of a context - its caches' lines and its
 * warnings - and not the members of the context that precede them. */
static void lines_of_no_capacity_are_told_where_the_answer_explains(void **state)
{
    (void)state;
    const char *options = "{\"n_ctx\":10000,\"n_seq_max\":3,\"swa_full\":false}";
    plain = true;
    kvcap_code rc = ask(GEMMA, options, NULL, TODAY);
    plain = false;
    assert_int_equal(rc, KVCAP_OK);
    assert_int_equal(answer.lines_count, 5);
    assert_true(kvc_span_ends(answer.lines[0], "rounding down to 10752"));
    assert_true(kvc_span_ends(answer.lines[1], "creating non-SWA KV cache, size = 3584 cells"));
    assert_true(kvc_span_starts(answer.lines[2], "llama_kv_cache: size = "));
    assert_true(kvc_span_ends(answer.lines[3], "creating     SWA KV cache, size = 1024 cells"));
    assert_true(kvc_span_starts(answer.lines[4], "llama_kv_cache: size = "));
    asked(GEMMA, options);
    assert_int_equal(answer.lines_count,
                     5 + 9); /* eight members, and what the model was trained on */
    expect_line("llama_context: n_seq_max             = 3");
    expect_line("llama_context: n_ctx_seq (3584) < n_ctx_train (8192) -- the full capacity of the "
                "model will not be utilized");
}

static void changes_stand_in_order_and_settings_have_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < kvc_engine_llamacpp.changes_count; i++) {
        assert_non_null(kvc_engine_llamacpp.changes[i].source);
        if (i > 0)
            assert_true(kvc_engine_llamacpp.changes[i - 1].day <=
                        kvc_engine_llamacpp.changes[i].day);
    }
    for (size_t i = 0; i < kvc_engine_llamacpp.settings_count; i++) {
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(kvc_engine_llamacpp.settings[i].name,
                                    kvc_engine_llamacpp.settings[j].name);
    }
}

/* ---- Shapes. */

static void a_bare_shape_gives_the_caches_of_the_file_that_would_be_written(void **state)
{
    (void)state;
    struct kvc_layer_type types[] = {
        { .states_count = 1,
          .states = { { .kind = KVC_STATE_KV_WINDOW,
                        .kv_heads = 2,
                        .key_dim = 64,
                        .value_dim = 64,
                        .window_tokens = 512 } } },
        { .states_count = 1,
          .states = { { .kind = KVC_STATE_KV, .kv_heads = 2, .key_dim = 64, .value_dim = 64 } } },
    };
    struct kvc_run runs[] = { { 5, 0 }, { 1, 1 } };
    struct kvc_shape shape = { types, 2, runs, 2, NULL, 0, 6 };
    struct kvc_engine_model model = { .shape = &shape, .context_tokens = 8192 };
    model.family = kvc_span_of("gemma3_text");
    assert_int_equal(ask_of(&model, "{\"n_ctx\":4096,\"swa_full\":false}", NULL, TODAY), KVCAP_OK);
    assert_int_equal(answer.caches_count, 2);
    assert_int_equal(answer.caches[0].layers.value, 1);
    assert_int_equal(answer.caches[1].cells.value, 1024);
    assert_true(has_note("engine.converted"));
    model.family = kvc_span_of("mistral"); /* which is converted to llama, and that never slides */
    assert_int_equal(ask_of(&model, "{\"n_ctx\":4096,\"swa_full\":false}", NULL, TODAY), KVCAP_OK);
    assert_int_equal(answer.caches_count, 1);
    assert_int_equal(answer.caches[0].layers.value, 6);
    model.family = kvc_span_of("novel");
    assert_int_equal(ask_of(&model, "{\"n_ctx\":4096}", NULL, TODAY), KVCAP_OK);
    assert_int_equal(answer.decision, KVC_DECISION_UNDETERMINED);
}

static void an_arena_that_is_full_is_said(void **state)
{
    (void)state;
    static char small_room[1 << 16];
    struct kvc_facts facts;
    assert_int_equal(kvc_gguf_facts_of_json(json(GEMMA), &arena, &facts, &err), KVCAP_OK);
    struct kvc_engine_model model = { .facts = &facts, .is_gguf = true };
    const struct kvc_value *options = json("{\"n_ctx\":4096,\"swa_full\":false}");
    size_t refused = 0, cut = 0, whole = 0;
    for (size_t size = 0; whole == 0; size += 64) {
        struct kvc_arena small;
        assert_true(size <= sizeof small_room);
        kvc_arena_over(&small, small_room, size);
        kvc_answer_begin(&answer, &small, true);
        kvc_settings_begin(&settings, options, kvc_engine_llamacpp.settings,
                           kvc_engine_llamacpp.settings_count, "", &small, &err);
        struct kvc_engine_question question = {
            .model = &model, .day = TODAY, .settings = &settings, .memory = &memory, .arena = &small
        };
        kvcap_code rc = kvc_engine_llamacpp.fit(&question, &answer, &err);
        refused += rc == KVCAP_E_NOMEM;
        cut += rc == KVCAP_OK && answer.full;
        whole += rc == KVCAP_OK && !answer.full;
        assert_true(rc == KVCAP_OK || rc == KVCAP_E_NOMEM);
    }
    assert_true(refused > 0 && cut > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup(name, begin)
        T(a_context_that_does_not_divide_is_rounded_up),
        T(a_small_context_shrinks_the_batch_before_it_is_rounded),
        T(plain_rows_weigh_what_the_log_says),
        T(the_default_context_of_the_library_is_512_and_swa_full),
        T(a_window_is_as_large_as_a_micro_batch_more_and_each_sequence_of_one_pool),
        T(phi3_and_mistral_do_not_slide),
        T(llama4_slides_by_8192_whatever_the_file_says_unless_it_says_0),
        T(exaone4_slides_only_with_64_layers),
        T(gemma3n_keeps_20_layers_whatever_it_shares),
        T(unused_draft_layers_are_cached_by_glm4moe_and_not_by_step35),
        T(compressed_rows_have_no_values_and_one_type),
        T(without_the_mla_keys_keys_and_values_are_cached_whole),
        T(an_indexer_is_a_second_cache),
        T(deepseek4_has_five_caches_and_state_that_no_line_of_cells_shows),
        T(the_third_cache_of_qwen4exp_is_announced_by_a_lambda),
        T(recurrent_state_is_f32_a_sequence_and_its_line_counts_all_layers),
        T(steps_to_take_back_multiply_recurrent_state),
        T(falcon_h1_keeps_both_in_each_layer_and_nemotron_h_neither_in_some),
        T(without_flash_attention_each_row_of_values_is_the_widest),
        T(quantised_types_are_refused_in_the_engines_order_and_words),
        T(a_quantised_v_turns_flash_attention_on),
        T(grok_has_no_flash_attention),
        T(graphs_that_assert_are_told),
        T(each_sequence_has_an_output_and_the_batch_holds_them),
        T(more_than_256_sequences_are_refused),
        T(an_architecture_without_a_row_is_undetermined),
        T(an_encoder_has_no_cache_at_all),
        T(no_number_of_slots_is_four_that_share_one_pool),
        T(the_fit_step_gives_each_slot_the_models_own_context),
        T(the_server_slides_by_windows_and_caps_a_slot_at_the_models_context),
        T(kinds_of_speculation_keep_state_that_can_be_taken_back),
        T(a_preset_sets_several_at_once),
        T(a_setting_by_two_names_is_refused),
        T(the_last_layers_go_to_the_device),
        T(layers_are_split_by_free_memory_or_by_shares),
        T(what_is_larger_than_a_device_exceeds_it),
        T(the_fit_step_takes_context_back_by_what_is_missing),
        T(room_for_the_cache_alone_can_be_told),
        T(without_devices_the_host_is_compared),
        T(cells_were_rounded_otherwise),
        T(a_quantised_v_was_refused_in_other_words),
        T(windows_had_no_cache_of_their_own),
        T(compressed_rows_were_kept_twice),
        T(an_encoder_had_a_cache_until_8_may_2025),
        T(rows_of_values_were_their_layers_own_until_16_july_2025),
        T(what_was_not_read_yet_is_undetermined),
        T(lines_are_those_of_their_day),
        T(lines_of_no_capacity_are_told_where_the_answer_explains),
        T(changes_stand_in_order_and_settings_have_names),
        T(an_arena_that_is_full_is_said),
        T(a_bare_shape_gives_the_caches_of_the_file_that_would_be_written),
    };
    return cmocka_run_group_tests_name("llamacpp", tests, NULL, NULL);
}
