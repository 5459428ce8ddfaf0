/* Goal: the layers of a GGUF model are what llama.cpp 0.4.0 caches for them.
 * Method: a row or more for each way in which architectures differ.  What is due was derived by hand
 * from src/models/<architecture>.cpp (load_arch_hparams), src/llama-hparams.cpp (n_embd_r, n_embd_s,
 * set_swa_pattern) and llama_model::create_memory of src/llama-model.cpp, for models small enough to
 * do so; most have an embedding of 64, 4 heads and 2 KV heads, so heads of 16.
 *
 * Keys stand without the architecture before them.  Layers are written as
 *   kv(heads,key,value)  window(heads,key,value;tokens)  chunk(...)  latent(dim+rope;tokens/ratio)
 *   index(dim;value/ratio)  rule(dims)  shared(layer)  none  unknown(key)
 * with the states of a layer joined by "+", and draft layers after "|". */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "support/gguf_model.h"

/* ---- A shape as text. */

struct text {
    char bytes[4096];
    size_t length;
};

static void say(struct text *text, const char *format, ...) KVC_PRINTF(2, 3);

static void say(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int used =
        vsnprintf(text->bytes + text->length, sizeof text->bytes - text->length, format, args);
    va_end(args);
    assert_true(used >= 0 && (size_t)used < sizeof text->bytes - text->length);
    text->length += (size_t)used;
}

static void say_recurrent(struct text *text, const struct kvc_state *state)
{
    const struct kvc_rule_row *row = kvc_rule_row(state->rule);
    say(text, "%s(", row->name);
    for (size_t i = 0; i < KVC_RULE_DIMS_MAX && row->fields[i] != NULL; i++)
        say(text, "%s%u", i == 0 ? "" : ",", state->dims[i]);
    say(text, ")");
    assert_int_equal(state->conv_format, row->has_conv ? KVC_FORMAT_F32 : KVC_FORMAT_NONE);
    assert_int_equal(state->state_format, row->has_state ? KVC_FORMAT_F32 : KVC_FORMAT_NONE);
}

static void say_state(struct text *text, const struct kvc_state *state)
{
    switch (state->kind) {
    case KVC_STATE_KV:
        say(text, "kv(%u,%u,%u)", state->kv_heads, state->key_dim, state->value_dim);
        break;
    case KVC_STATE_KV_WINDOW:
        say(text, "%s(%u,%u,%u;%u)", state->chunked ? "chunk" : "window", state->kv_heads,
            state->key_dim, state->value_dim, (unsigned)state->window_tokens);
        break;
    case KVC_STATE_LATENT:
        say(text, "latent(%u+%u", state->latent_dim, state->rope_dim);
        if (state->window_tokens > 0)
            say(text, ";%u", (unsigned)state->window_tokens);
        say(text, state->compress_ratio > 1 ? "/%u)" : ")", state->compress_ratio);
        break;
    case KVC_STATE_INDEX:
        assert_false(state->index_fp8);
        say(text, "index(%u", state->index_dim);
        if (state->value_dim > 0)
            say(text, ";%u", state->value_dim);
        say(text, state->compress_ratio > 1 ? "/%u)" : ")", state->compress_ratio);
        break;
    case KVC_STATE_RECURRENT:
        say_recurrent(text, state);
        break;
    case KVC_STATE_SHARED:
        say(text, "shared(%u)", state->layer);
        break;
    case KVC_STATE_UNKNOWN:
        say(text, "unknown(%.*s)", (int)state->key.length, state->key.text);
        break;
    default:
        say(text, "%s", kvc_state_name(state->kind));
    }
}

static void say_runs(struct text *text, const struct kvc_shape *shape, const struct kvc_run *runs,
                     uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct kvc_layer_type *type = &shape->types[runs[i].type];
        say(text, "%s%u*", i == 0 ? "" : " ", runs[i].count);
        for (uint32_t k = 0; k < type->states_count; k++) {
            say(text, "%s", k == 0 ? "" : "+");
            say_state(text, &type->states[k]);
        }
    }
}

static void must_be(const char *arch, const char *members, const char *due)
{
    struct kvc_found found;
    struct text text = { .length = 0 };
    kvcap_error err;
    if (gguf_model_find(arch, members, &found, &err) != KVCAP_OK)
        fail_msg("%s {%s}: refused, %s at %s: %s", arch, members, err.slug, err.at, err.text);
    say_runs(&text, &found.shape, found.shape.runs, found.shape.runs_count);
    if (found.shape.draft_runs_count > 0) {
        say(&text, " | ");
        say_runs(&text, &found.shape, found.shape.draft_runs, found.shape.draft_runs_count);
    }
    if (strcmp(text.bytes, due) != 0)
        fail_msg("%s {%s}:\n  %s\nwhere this is due:\n  %s", arch, members, text.bytes, due);
}

struct row {
    const char *arch, *members, *due;
};

static void must_be_all(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        must_be(rows[i].arch, rows[i].members, rows[i].due);
}

#define ALL(rows) must_be_all((rows), sizeof(rows) / sizeof(rows)[0])

/* ---- Keys and values. */

static void plain_layers_keep_keys_and_values(void **state)
{
    (void)state;
    static const struct row ROWS[] = {
        { "llama", BASE(3), "3*kv(2,16,16)" },
        /* head_count_kv is head_count where it is absent. */
        { "llama", "\"block_count\":2," SIZES, "2*kv(4,16,16)" },
        { "llama", BASE(2) ",\"attention.key_length\":24,\"attention.value_length\":20",
          "2*kv(2,24,20)" },
        /* Keys that the architecture does not read. */
        { "llama", BASE(2) WINDOW(4096), "2*kv(2,16,16)" },
        { "phi3", BASE(2) WINDOW(2047), "2*kv(2,16,16)" },
        { "minicpm3",
          BASE(2) ",\"attention.kv_lora_rank\":8,\"attention.key_length_mla\":8,"
                  "\"attention.value_length_mla\":8",
          "2*kv(2,16,16)" },
        { "llama", BASE(2) ",\"attention.key_length_swa\":8", "2*kv(2,16,16)" },
        /* A list has an entry a layer; no KV heads, no rows. */
        { "openelm", "\"block_count\":3," SIZES ",\"attention.head_count_kv\":[1,1,4]",
          "2*kv(1,16,16) 1*kv(4,16,16)" },
        { "deci", "\"block_count\":3," SIZES ",\"attention.head_count_kv\":[2,0,1]",
          "1*kv(2,16,16) 1*none 1*kv(1,16,16)" },
        /* The embedding is divided by the heads of layer 0, and no heads there are none anywhere. */
        { "deci",
          "\"block_count\":2,\"embedding_length\":64,\"attention.head_count\":[8,4],"
          "\"attention.head_count_kv\":2",
          "2*kv(2,8,8)" },
        { "deci",
          "\"block_count\":2,\"embedding_length\":64,\"attention.head_count\":[0,4],"
          "\"attention.key_length\":16,\"attention.head_count_kv\":[0,2]",
          "2*none" },
        /* An integer division, as in C. */
        { "llama", "\"block_count\":1,\"embedding_length\":65,\"attention.head_count\":4",
          "1*kv(4,16,16)" },
        /* The encoder's layers are cached, cross-attention is not. */
        { "t5", BASE(2) ",\"decoder_block_count\":4", "2*kv(2,16,16)" },
        { "t5encoder", BASE(2), "2*kv(2,16,16)" },
        /* A layer of one head after the others; NextN layers are not loaded. */
        { "graniteswitch", BASE(3), "3*kv(2,16,16) 1*kv(1,16,16)" },
        { "graniteswitch", BASE(3) DRAFTS(1), "2*kv(2,16,16) 1*kv(1,16,16)" },
        { "nanbeige", BASE(3) ",\"num_loops\":4", "12*kv(2,16,16)" },
        { "nanbeige", BASE(3), "3*kv(2,16,16)" },
    };
    ALL(ROWS);
}

/* ---- Windows. */

static void windows_follow_a_pattern_or_flags(void **state)
{
    (void)state;
    static const struct row ROWS[] = {
        { "gemma2", BASE(3), "1*window(2,16,16;4096) 1*kv(2,16,16) 1*window(2,16,16;4096)" },
        { "gemma2", BASE(3) WINDOW(64), "1*window(2,16,16;64) 1*kv(2,16,16) 1*window(2,16,16;64)" },
        { "gemma3", BASE(7), "7*kv(2,16,16)" },
        { "gemma3", BASE(7) WINDOW(0), "7*kv(2,16,16)" },
        { "gemma3", BASE(7) WINDOW(64), "5*window(2,16,16;64) 1*kv(2,16,16) 1*window(2,16,16;64)" },
        { "gemma3", BASE(4) WINDOW(64) PATTERN("3"),
          "2*window(2,16,16;64) 1*kv(2,16,16) 1*window(2,16,16;64)" },
        /* get_key_or_arr of one number passes over a list. */
        { "gemma3", BASE(7) WINDOW(64) PATTERN("[1,1,1,1,1,1,1]"),
          "5*window(2,16,16;64) 1*kv(2,16,16) 1*window(2,16,16;64)" },
        /* 0: all slide; 1: none does. */
        { "gemma3", BASE(3) WINDOW(64) PATTERN("0"), "3*window(2,16,16;64)" },
        { "gemma3", BASE(3) WINDOW(64) PATTERN("1"), "3*kv(2,16,16)" },
        { "gpt-oss", BASE(2) WINDOW(128), "1*window(2,16,16;128) 1*kv(2,16,16)" },
        { "cohere2", BASE(4) WINDOW(128), "3*window(2,16,16;128) 1*kv(2,16,16)" },
        { "exaone-moe", BASE(4) WINDOW(128), "3*window(2,16,16;128) 1*kv(2,16,16)" },
        { "olmo2", BASE(4), "4*kv(2,16,16)" },
        { "olmo2", BASE(4) WINDOW(128), "3*window(2,16,16;128) 1*kv(2,16,16)" },
        { "plamo3", BASE(8) WINDOW(128), "7*window(2,16,16;128) 1*kv(2,16,16)" },
        { "afmoe", BASE(4) WINDOW(128), "3*window(2,16,16;128) 1*kv(2,16,16)" },
        /* Full layers first. */
        { "laguna", BASE(5) WINDOW(128), "1*kv(2,16,16) 3*window(2,16,16;128) 1*kv(2,16,16)" },
        { "laguna", BASE(5), "5*kv(2,16,16)" },
        { "cohere2moe", BASE(5) WINDOW(128) PATTERN("4"),
          "1*kv(2,16,16) 3*window(2,16,16;128) 1*kv(2,16,16)" },
        { "cohere2moe", BASE(3) WINDOW(128) PATTERN("[true,false,true]"),
          "1*window(2,16,16;128) 1*kv(2,16,16) 1*window(2,16,16;128)" },
        { "muse-glimmer", BASE(4) WINDOW(128) PATTERN("4"), "3*window(2,16,16;128) 1*kv(2,16,16)" },
        { "mellum", BASE(2) WINDOW(128) PATTERN("[0,1]"), "1*kv(2,16,16) 1*window(2,16,16;128)" },
        { "mellum", BASE(2), "2*kv(2,16,16)" },
        /* The engine's own window, whatever the key says. */
        { "smallthinker", BASE(4) WINDOW(100), "1*kv(2,16,16) 3*window(2,16,16;4096)" },
        { "smallthinker", BASE(4), "4*kv(2,16,16)" },
        { "llama4", BASE(5), "3*chunk(2,16,16;8192) 1*kv(2,16,16) 1*chunk(2,16,16;8192)" },
        { "llama4", BASE(4) WINDOW(100), "3*chunk(2,16,16;8192) 1*kv(2,16,16)" },
        { "llama4", BASE(4) WINDOW(0), "4*kv(2,16,16)" },
        /* Only in the model of 64 layers. */
        { "exaone4", BASE(30) WINDOW(128), "30*kv(2,16,16)" },
        { "exaone4", BASE(64) PATTERN("64"), "63*window(2,16,16;4096) 1*kv(2,16,16)" },
        { "exaone4", BASE(64) WINDOW(128) PATTERN("64"), "63*window(2,16,16;128) 1*kv(2,16,16)" },
        /* A list past whose end nothing slides. */
        { "granite_swa", BASE(3) WINDOW(128) PATTERN("[1,0]"),
          "1*window(2,16,16;128) 2*kv(2,16,16)" },
        { "dflash", BASE(2), "2*kv(2,16,16)" },
        { "dflash", BASE(2) WINDOW(64) PATTERN("[0,1]"), "1*kv(2,16,16) 1*window(2,16,16;64)" },
        { "dflash", BASE(2) WINDOW(64) ",\"hyper_connection.count\":4", "2*window(2,16,16;64)" },
        /* Layers that slide have heads of their own size. */
        { "mimo2",
          "\"block_count\":3," SIZES ",\"attention.head_count_kv\":[1,2,2],"
          "\"attention.key_length\":24,\"attention.value_length\":16,"
          "\"attention.key_length_swa\":20" WINDOW(128) PATTERN("[0,1,1]"),
          "1*kv(1,24,16) 2*window(2,20,16;128)" },
    };
    ALL(ROWS);
}

static void later_layers_read_the_last_of_their_kind(void **state)
{
    (void)state;
    static const struct row ROWS[] = {
        /* 20 layers keep a cache, whatever shared_kv_layers says; 18 slides, 19 does not. */
        { "gemma3n", BASE(25) WINDOW(64) ",\"attention.shared_kv_layers\":15",
          "4*window(2,16,16;64) 1*kv(2,16,16) 4*window(2,16,16;64) 1*kv(2,16,16) "
          "4*window(2,16,16;64) 1*kv(2,16,16) 4*window(2,16,16;64) 1*kv(2,16,16) "
          "4*shared(18) 1*shared(19)" },
        { "gemma3n", BASE(4) WINDOW(64), "4*window(2,16,16;64)" },
        /* The key counts here: 6 layers less 2. */
        { "gemma4",
          BASE(6) WINDOW(64) PATTERN("[1,1,1,0,1,0]") ",\"attention.shared_kv_layers\":2,"
                                                      "\"attention.key_length_swa\":8,"
                                                      "\"attention.value_length_swa\":8",
          "3*window(2,8,8;64) 1*kv(2,16,16) 1*shared(2) 1*shared(3)" },
        { "gemma4", BASE(2) WINDOW(64) PATTERN("[1,0]"), "1*window(2,16,16;64) 1*kv(2,16,16)" },
        /* Without heads there are no rows to read. */
        { "gemma4", NO_HEADS(3) WINDOW(64) PATTERN("[1,0,0]") ",\"attention.shared_kv_layers\":1",
          "3*none" },
    };
    ALL(ROWS);
}

/* ---- Draft layers. */

static void draft_layers_are_cached_or_apart(void **state)
{
    (void)state;
    static const struct row ROWS[] = {
        /* The plain cache loops over all layers. */
        { "glm4moe", BASE(3) DRAFTS(1), "3*kv(2,16,16)" },
        { "llama", BASE(3) DRAFTS(1), "3*kv(2,16,16)" },
        { "hy_v3", BASE(3) DRAFTS(1), "2*kv(2,16,16) | 1*kv(2,16,16)" },
        /* Flags for all layers, draft layers too; or for the others, and draft layers are full. */
        { "step35", BASE(4) DRAFTS(2) WINDOW(64) PATTERN("[0,1,1,0]"),
          "1*kv(2,16,16) 1*window(2,16,16;64) | 1*window(2,16,16;64) 1*kv(2,16,16)" },
        { "mimo2", BASE(3) DRAFTS(1) WINDOW(64) PATTERN("[0,1]"),
          "1*kv(2,16,16) 1*window(2,16,16;64) | 1*kv(2,16,16)" },
    };
    ALL(ROWS);
}

/* ---- Compressed rows and indexers. */

static void compressed_rows_have_no_values(void **state)
{
    (void)state;
    static const struct row ROWS[] = {
        { "deepseek2", MLA(2), "2*latent(32+16)" },
        { "mistral4", MLA(2), "2*latent(32+16)" },
        /* An old file, without the two keys: heads as they are computed. */
        { "deepseek2",
          "\"block_count\":2," SIZES ",\"attention.head_count_kv\":4,\"attention.key_length\":24,"
          "\"attention.value_length\":16,\"attention.kv_lora_rank\":32",
          "2*kv(4,24,16)" },
        /* A row is key_length * head_count_kv, and has two parts only with one head. */
        { "deepseek2",
          "\"block_count\":1," SIZES ",\"attention.head_count_kv\":2,\"attention.key_length\":48,"
          "\"attention.kv_lora_rank\":32,\"attention.key_length_mla\":24,"
          "\"attention.value_length_mla\":16",
          "1*latent(96+0)" },
        { "deepseek2",
          "\"block_count\":1," SIZES ",\"attention.head_count_kv\":1,\"attention.key_length\":48,"
          "\"attention.key_length_mla\":24,\"attention.value_length_mla\":16",
          "1*latent(48+0)" },
        { "deepseek32", MLA(3) INDEXER(8) DRAFTS(1), "2*latent(32+16)+index(8) | 1*latent(32+16)" },
        /* Without the two keys the indexer's cache has values as the main one has. */
        { "deepseek32", BASE(2) INDEXER(8), "2*kv(2,16,16)+index(8;16)" },
        { "glm-dsa", MLA(3) INDEXER(8) ",\"attention.indexer.types\":[1,0,1]",
          "1*latent(32+16)+index(8) 1*latent(32+16) 1*latent(32+16)+index(8)" },
        { "glm-dsa", MLA(3) INDEXER(8) ",\"context_length\":202752", "3*latent(32+16)+index(8)" },
        { "glm-dsa", MLA(8) INDEXER(8) ",\"context_length\":1048576",
          "3*latent(32+16)+index(8) 3*latent(32+16) 1*latent(32+16)+index(8) 1*latent(32+16)" },
        { "dots3note",
          MLA(3) INDEXER(8) WINDOW(64) PATTERN("[0,1]") ",\"attention.indexer.types\":[1,0,0],"
                                                        "\"attention.key_length_swa\":24,"
                                                        "\"attention.kv_lora_rank_swa\":16",
          "1*latent(32+16)+index(8) 1*latent(16+8;64) 1*latent(32+16)" },
        { "minimax-m3", BASE(3) INDEXER(8) ",\"leading_dense_block_count\":1",
          "1*kv(2,16,16) 2*kv(2,16,16)+index(8;16)" },
        /* ratio 4: (16 + 8) * 2 * 8 elements of state and of scores; ratio 128: 16 * 128. */
        { "deepseek4",
          "\"block_count\":4," SIZES ",\"attention.head_count_kv\":1" WINDOW(64)
              INDEXER(8) ",\"attention.compress_ratios\":[0,4,128,4]",
          "1*latent(16+0;64) "
          "1*latent(16+0;64)+latent(16+0/4)+index(8/4)+plain(384,384) "
          "1*latent(16+0;64)+latent(16+0/128)+plain(2048,2048) "
          "1*latent(16+0;64)+latent(16+0/4)+index(8/4)+plain(384,384)" },
    };
    ALL(ROWS);
}

/* ---- Recurrent layers. */

static void recurrent_layers_keep_a_state_of_their_rule(void **state)
{
    (void)state;
    static const struct row ROWS[] = {
        { "mamba", NO_HEADS(2) SSM, "2*mamba1(4,128,16)" },
        { "mamba", NO_HEADS(2) SSM GROUPS(2), "2*mamba1(4,128,16)" }, /* not read */
        { "mamba2", NO_HEADS(2) SSM GROUPS(2), "2*mamba2(4,128,2,16,8,16)" },
        { "mamba2", NO_HEADS(2) SSM GROUPS(0), "2*mamba1(4,128,16)" },
        /* 5 heads do not divide 128: (4 - 1) * (128 + 2 * 2 * 16) and 16 * 128 elements. */
        { "mamba2",
          NO_HEADS(1) ",\"ssm.conv_kernel\":4,\"ssm.inner_size\":128,\"ssm.state_size\":16,"
                      "\"ssm.time_step_rank\":5,\"ssm.group_count\":2",
          "1*plain(576,2048)" },
        { "rwkv6", NO_HEADS(2) ",\"wkv.head_size\":16", "2*rwkv(2,64,16)" },
        { "rwkv7", NO_HEADS(2) ",\"wkv.head_size\":16", "2*rwkv(2,64,16)" },
        { "arwkv7", NO_HEADS(2) ",\"wkv.head_size\":16,\"token_shift_count\":1",
          "2*rwkv(1,64,16)" },
        { "jamba", KV_HEADS(3, "[0,0,2]") SSM, "2*mamba1(4,128,16) 1*kv(2,16,16)" },
        { "granitehybrid", KV_HEADS(2, "[0,2]") SSM GROUPS(1),
          "1*mamba2(4,128,1,16,8,16) 1*kv(2,16,16)" },
        { "falcon-h1", BASE(2) SSM GROUPS(1), "2*kv(2,16,16)+mamba2(4,128,1,16,8,16)" },
        /* Layers with a feed-forward keep nothing. */
        { "nemotron_h", KV_HEADS(4, "[0,2,0,2]") SSM GROUPS(1) ",\"feed_forward_length\":[0,0,9,9]",
          "1*mamba2(4,128,1,16,8,16) 1*kv(2,16,16) 2*none" },
        { "lfm2", KV_HEADS(3, "[0,2,0]") ",\"shortconv.l_cache\":3",
          "1*short_conv(3,64) 1*kv(2,16,16) 1*short_conv(3,64)" },
        { "lfm2", KV_HEADS(3, "[0,2,0]") ",\"shortconv.l_cache\":3" WINDOW(64),
          "1*short_conv(3,64) 1*window(2,16,16;64) 1*short_conv(3,64)" },
        { "lfm2moe", KV_HEADS(2, "[0,2]") ",\"shortconv.l_cache\":3" WINDOW(64),
          "1*short_conv(3,64) 1*kv(2,16,16)" },
        /* The key lengths are read although layer 0 has no heads. */
        { "plamo2",
          "\"block_count\":2,\"embedding_length\":64,\"attention.head_count\":[0,4],"
          "\"attention.head_count_kv\":[0,2],\"attention.key_length\":24,"
          "\"attention.value_length\":24" SSM GROUPS(0),
          "1*mamba1(4,128,16) 1*kv(2,24,24)" },
        /* Each fourth layer attends; draft layers do. */
        { "qwen3next", BASE(5) SSM GROUPS(2) DRAFTS(1),
          "3*gated_delta_net(4,2,16,8,16) 1*kv(2,16,16) | 1*kv(2,16,16)" },
        { "qwen35", BASE(2) SSM GROUPS(2) ",\"full_attention_interval\":2",
          "1*gated_delta_net(4,2,16,8,16) 1*kv(2,16,16)" },
        { "qwen35moe", BASE(3) SSM GROUPS(2) ",\"attention.recurrent_layers\":[false,true,false]",
          "1*kv(2,16,16) 1*gated_delta_net(4,2,16,8,16) 1*kv(2,16,16)" },
        /* An indexer where there is attention; (4 - 1) * 3 * 2 * 64 elements of n-gram history. */
        { "qwen4exp",
          BASE(4) SSM GROUPS(2) INDEXER(8) ",\"ple.layers\":[1],\"ple.ngram_size\":3,"
                                           "\"ple.heads_per_ngram\":2,\"ple.conv_kernel\":4,"
                                           "\"hyper_connection.count\":2",
          "1*gated_delta_net(4,2,16,8,16) 1*gated_delta_net(4,2,16,8,16)+short_conv(4,384) "
          "1*gated_delta_net(4,2,16,8,16) 1*kv(2,16,16)+index(8;16)" },
        { "minimax-01", BASE(9), "7*linear(4,16) 1*kv(2,16,16) 1*linear(4,16)" },
        { "kimi-linear",
          "\"block_count\":2,\"embedding_length\":64,\"attention.head_count\":4,"
          "\"attention.head_count_kv\":[0,1],\"attention.key_length\":48,"
          "\"attention.kv_lora_rank\":32,\"attention.key_length_mla\":24,"
          "\"attention.value_length_mla\":16,\"ssm.conv_kernel\":4,\"kda.head_dim\":16",
          "1*kda(4,4,16) 1*latent(32+16)" },
        /* No heads in layer 0, no KDA state; a kernel of 0 counts as 4. */
        { "kimi-k3",
          "\"block_count\":2,\"embedding_length\":64,\"attention.head_count\":[0,4],"
          "\"attention.head_count_kv\":0,\"attention.kv_lora_rank\":32,"
          "\"attention.key_length_mla\":24,\"attention.value_length_mla\":16,"
          "\"ssm.conv_kernel\":4,\"kda.head_dim\":16",
          "2*none" },
        { "bailingmoe3",
          "\"block_count\":3,\"embedding_length\":64,\"attention.head_count\":4,"
          "\"attention.head_count_kv\":[0,1,1],\"attention.key_length\":48,"
          "\"attention.kv_lora_rank\":32,\"attention.key_length_mla\":24,"
          "\"attention.value_length_mla\":16,\"ssm.conv_kernel\":0,\"kda.head_dim\":16" DRAFTS(1),
          "1*kda(4,4,16) 2*latent(32+16)" },
    };
    ALL(ROWS);
}

/* ---- What is not known. */

static void what_cannot_be_said_is_unknown(void **state)
{
    (void)state;
    static const struct row ROWS[] = {
        { "gptj", BASE(3), "3*unknown(gguf:general.architecture)" },
        { "tomorrow", "\"attention.head_count\":4", "1*unknown(gguf:general.architecture)" },
        { "tomorrow", "\"block_count\":5000", "1*unknown(gguf:general.architecture)" },
        { "gemma4-assistant", BASE(2), "2*unknown(gguf:general.architecture)" },
    };
    ALL(ROWS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_layers_keep_keys_and_values),
        cmocka_unit_test(windows_follow_a_pattern_or_flags),
        cmocka_unit_test(later_layers_read_the_last_of_their_kind),
        cmocka_unit_test(draft_layers_are_cached_or_apart),
        cmocka_unit_test(compressed_rows_have_no_values),
        cmocka_unit_test(recurrent_layers_keep_a_state_of_their_rule),
        cmocka_unit_test(what_cannot_be_said_is_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
