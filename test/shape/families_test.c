/* Goal: each family's config.json gives the layers that its class builds.
 * Method: small models of each kind - the keys are the published ones, the counts small enough to
 * work out by hand - with the layers that the rule of the family gives.  The rule and where it was
 * read stands beside each row; commits are of huggingface/transformers (T) or vllm-project/vllm (V).
 *
 * Layers are written as runs:  3 kv 2/64/64 | 1 kv_window 2/64/64/16
 * and the states of one layer with + between them; draft layers stand after "drafts". */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "face/api/handle.h"
#include "support/fixture.h"

/* ---- Layers as text. */

struct text {
    char text[4096];
    size_t length;
};

static void put(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int added = vsnprintf(t->text + t->length, sizeof t->text - t->length, format, args);
    va_end(args);
    t->length += (size_t)added;
    assert_true(t->length < sizeof t->text);
}

static void put_dims(struct text *t, const struct kvc_state *s)
{
    const struct kvc_rule_row *row = kvc_rule_row(s->rule);
    put(t, " %s", row->name);
    for (unsigned i = 0; i < KVC_RULE_DIMS_MAX && row->fields[i] != NULL; i++)
        put(t, "%c%u", i == 0 ? ' ' : '/', (unsigned)s->dims[i]);
    if (row->has_conv && s->conv_format != KVC_FORMAT_NONE)
        put(t, " conv %s", kvc_format_name(s->conv_format));
    if (row->has_state && s->state_format != KVC_FORMAT_NONE)
        put(t, " %s", kvc_format_name(s->state_format));
}

static void put_state(struct text *t, const struct kvc_state *s)
{
    put(t, "%s", kvc_state_name(s->kind));
    switch (s->kind) {
    case KVC_STATE_KV:
    case KVC_STATE_KV_WINDOW:
    case KVC_STATE_CROSS:
        put(t, " %u/%u/%u", (unsigned)s->kv_heads, (unsigned)s->key_dim, (unsigned)s->value_dim);
        break;
    case KVC_STATE_LATENT:
        put(t, " %u/%u", (unsigned)s->latent_dim, (unsigned)s->rope_dim);
        break;
    case KVC_STATE_INDEX:
        put(t, " %u%s", (unsigned)s->index_dim, s->index_fp8 ? " fp8" : "");
        break;
    case KVC_STATE_RECURRENT:
        put_dims(t, s);
        break;
    case KVC_STATE_SHARED:
        put(t, " %u", (unsigned)s->layer);
        break;
    case KVC_STATE_UNKNOWN:
        put(t, " %.*s", (int)s->key.length, s->key.text);
        break;
    default:
        break;
    }
    if (s->window_tokens != 0)
        put(t, "%s%llu", s->chunked ? " chunk " : " window ", (unsigned long long)s->window_tokens);
    if (s->compress_ratio > 1)
        put(t, " 1:%u", (unsigned)s->compress_ratio);
}

static void put_runs(struct text *t, const struct kvc_shape *shape, const struct kvc_run *runs,
                     uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct kvc_layer_type *type = &shape->types[runs[i].type];
        put(t, "%s%u ", i == 0 ? "" : " | ", (unsigned)runs[i].count);
        for (uint32_t j = 0; j < type->states_count; j++) {
            put(t, "%s", j == 0 ? "" : " + ");
            put_state(t, &type->states[j]);
        }
    }
}

static void layers_of(const char *config, struct text *ret_text)
{
    kvcap_record *record = NULL;
    kvcap_error err;
    *ret_text = (struct text){ .length = 0 };
    must(kvcap_model_from_config(config, strlen(config), "model", NULL, &record, &err), &err);
    const struct kvc_shape *shape = &record->record.model.shape;
    put_runs(ret_text, shape, shape->runs, shape->runs_count);
    if (shape->draft_runs_count > 0)
        put(ret_text, " drafts ");
    put_runs(ret_text, shape, shape->draft_runs, shape->draft_runs_count);
    kvcap_record_free(record);
}

/* ---- The rows. */

/* Four query heads of 32, two KV heads, in a model of the given layers. */
#define PLAIN(type, layers)                                                                        \
    "\"model_type\":\"" type "\",\"num_hidden_layers\":" #layers ",\"hidden_size\":128,"           \
    "\"num_attention_heads\":4,\"num_key_value_heads\":2,\"torch_dtype\":\"bfloat16\""
#define KV "kv 2/32/32"
#define W8 "kv_window 2/32/32 window 8"
#define MLA "\"kv_lora_rank\":48,\"qk_rope_head_dim\":16,\"qk_nope_head_dim\":32,\"v_head_dim\":32"

static const struct row {
    const char *name, *config, *layers;
} ROWS[] = {
    /* -- Windows. */
    { "Mixtral: in all layers, unless null (T 008e574 MixtralConfig)",
      "{" PLAIN("mixtral", 3) ",\"sliding_window\":8}", "3 " W8 },
    { "Gemma 2: layers 0, 2, 4 ... slide (T 008e574 Gemma2Config)",
      "{" PLAIN("gemma2", 4) ",\"head_dim\":32,\"sliding_window\":8}",
      "1 " W8 " | 1 " KV " | 1 " W8 " | 1 " KV },
    { "Gemma 3: every sixth is full (T d98ac17 Gemma3TextConfig)",
      "{" PLAIN("gemma3_text", 8) ",\"head_dim\":32,\"sliding_window\":8}",
      "5 " W8 " | 1 " KV " | 2 " W8 },
    { "Gemma 3 with a pattern of its own",
      "{" PLAIN("gemma3_text", 4) ",\"head_dim\":32,\"sliding_window\":8,"
                                  "\"sliding_window_pattern\":2}",
      "1 " W8 " | 1 " KV " | 1 " W8 " | 1 " KV },
    { "Gemma 3 nested: what the class has as default is left out (T d98ac17)",
      "{\"model_type\":\"gemma3\",\"torch_dtype\":\"bfloat16\",\"text_config\":{"
      "\"model_type\":\"gemma3_text\",\"hidden_size\":2560,\"num_hidden_layers\":6,"
      "\"sliding_window\":1024}}",
      "5 kv_window 4/256/256 window 1024 | 1 kv 4/256/256" },
    { "Cohere 2: every fourth is full (T 008e574 Cohere2Config)",
      "{" PLAIN("cohere2", 5) ",\"sliding_window\":8}", "3 " W8 " | 1 " KV " | 1 " W8 },
    { "EXAONE 4: the pattern as letters (published EXAONE-4.0-32B)",
      "{" PLAIN("exaone4", 4) ",\"sliding_window\":8,\"sliding_window_pattern\":\"LLG\"}",
      "2 " W8 " | 1 " KV " | 1 " W8 },
    { "OLMo 3: every fourth is full, the class's window (T 008e574 Olmo3Config)",
      "{" PLAIN("olmo3", 4) "}", "3 kv_window 2/32/32 window 4096 | 1 " KV },
    { "gpt-oss: layer 0 slides (T 02b8f42 GptOssConfig)",
      "{" PLAIN("gpt_oss", 3) ",\"head_dim\":32,\"sliding_window\":8}",
      "1 " W8 " | 1 " KV " | 1 " W8 },
    { "Qwen2-MoE: every other layer below max_window_layers (T 008e574 Qwen2MoeConfig)",
      "{" PLAIN("qwen2_moe", 5) ",\"use_sliding_window\":true,\"sliding_window\":8,"
                                "\"max_window_layers\":3}",
      "1 " W8 " | 1 " KV " | 1 " W8 " | 2 " KV },
    { "Qwen3-MoE: all layers, once used (T 008e574 Qwen3MoeConfig)",
      "{" PLAIN("qwen3_moe", 2) ",\"use_sliding_window\":true,\"sliding_window\":8}", "2 " W8 },
    { "Qwen3-MoE: not used", "{" PLAIN("qwen3_moe", 2) ",\"sliding_window\":8}", "2 " KV },
    { "dots1: from a layer on, without a switch (T 008e574 Dots1Config)",
      "{" PLAIN("dots1", 3) ",\"sliding_window\":8,\"max_window_layers\":2}", "2 " KV " | 1 " W8 },
    { "SmolLM3: no_rope_layers is not about the cache (T 008e574 SmolLM3Config)",
      "{" PLAIN("smollm3", 2) ",\"no_rope_layers\":[1,0],\"use_sliding_window\":false}", "2 " KV },
    { "Llama 4: chunks but in every fourth layer (T 008e574 Llama4TextConfig)",
      "{\"model_type\":\"llama4\",\"text_config\":{" PLAIN(
          "llama4_text", 5) ",\"head_dim\":32,\"attention_chunk_size\":8,\"no_rope_layers\":[]}}",
      "3 kv_window 2/32/32 chunk 8 | 1 " KV " | 1 kv_window 2/32/32 chunk 8" },
    { "Llama 4: listed",
      "{" PLAIN("llama4_text", 3) ",\"head_dim\":32,\"attention_chunk_size\":8,"
                                  "\"no_rope_layers\":[0,1,1]}",
      "1 " KV " | 2 kv_window 2/32/32 chunk 8" },

    /* -- Heads under other names, or by layer. */
    { "GPT-2: n_embd, n_head, n_layer (T 01ae98a GPT2Config)",
      "{\"model_type\":\"gpt2\",\"n_layer\":3,\"n_embd\":128,\"n_head\":4}", "3 kv 4/32/32" },
    { "GPT-BigCode: one KV head (T 05ff2e9 GPTBigCodeConfig)",
      "{\"model_type\":\"gpt_bigcode\",\"n_layer\":3,\"n_embd\":128,\"n_head\":4}",
      "3 kv 1/32/32" },
    { "GPT-BigCode without multi-query",
      "{\"model_type\":\"gpt_bigcode\",\"n_layer\":3,\"n_embd\":128,\"n_head\":4,"
      "\"multi_query\":false}",
      "3 kv 4/32/32" },
    { "Falcon-7B: multi-query (T 0558553 FalconConfig)",
      "{\"model_type\":\"falcon\",\"num_hidden_layers\":2,\"hidden_size\":128,"
      "\"num_attention_heads\":4,\"multi_query\":true,\"new_decoder_architecture\":false}",
      "2 kv 1/32/32" },
    { "Falcon-40B: grouped, by its own count",
      "{\"model_type\":\"falcon\",\"num_hidden_layers\":2,\"hidden_size\":128,"
      "\"num_attention_heads\":4,\"multi_query\":true,\"new_decoder_architecture\":true,"
      "\"num_kv_heads\":2}",
      "2 " KV },
    { "Falcon-40B in its first form: n_head_kv (tiiuae/falcon-40b, RWConfig)",
      "{\"model_type\":\"RefinedWeb\",\"n_layer\":2,\"hidden_size\":128,\"n_head\":4,"
      "\"n_head_kv\":2}",
      "2 " KV },
    { "Falcon-7B in its first form (tiiuae/falcon-7b, RWConfig)",
      "{\"model_type\":\"RefinedWebModel\",\"n_layer\":2,\"hidden_size\":128,\"n_head\":4,"
      "\"multi_query\":true}",
      "2 kv 1/32/32" },
    { "MPT: multi-query attention by its name (llm-foundry, attention.py)",
      "{\"model_type\":\"mpt\",\"n_layers\":2,\"d_model\":128,\"n_heads\":4,"
      "\"attn_config\":{\"attn_type\":\"multiquery_attention\"}}",
      "2 kv 1/32/32" },
    { "MPT: grouped queries",
      "{\"model_type\":\"mpt\",\"n_layers\":2,\"d_model\":128,\"n_heads\":4,"
      "\"attn_config\":{\"attn_type\":\"grouped_query_attention\",\"kv_n_heads\":2}}",
      "2 " KV },
    { "BLOOM: n_embed goes before hidden_size (T 04efa88 BloomConfig)",
      "{\"model_type\":\"bloom\",\"n_layer\":2,\"n_embed\":128,\"hidden_size\":64,"
      "\"n_head\":4}",
      "2 kv 4/32/32" },
    { "a head_dim of 0 is none (V model_arch_config_convertor.py 00bb6f5)",
      "{" PLAIN("llama", 2) ",\"head_dim\":0}", "2 " KV },
    { "ChatGLM: groups count with multi_query_attention alone (THUDM/chatglm3-6b)",
      "{\"model_type\":\"chatglm\",\"num_layers\":2,\"hidden_size\":128,\"kv_channels\":32,"
      "\"num_attention_heads\":4,\"multi_query_attention\":true,\"multi_query_group_num\":2}",
      "2 " KV },
    { "ChatGLM without multi-query",
      "{\"model_type\":\"chatglm\",\"num_layers\":2,\"hidden_size\":128,\"kv_channels\":32,"
      "\"num_attention_heads\":4,\"multi_query_attention\":false,\"multi_query_group_num\":2}",
      "2 kv 4/32/32" },
    { "DBRX: attn_config has the KV heads (T 032b32a DbrxConfig)",
      "{\"model_type\":\"dbrx\",\"n_layers\":2,\"d_model\":128,\"n_heads\":4,"
      "\"attn_config\":{\"kv_n_heads\":2}}",
      "2 " KV },
    { "Nemotron NAS: heads by block (V model_arch_config_convertor.py 00bb6f5)",
      "{\"model_type\":\"nemotron-nas\",\"num_hidden_layers\":4,\"hidden_size\":128,"
      "\"num_attention_heads\":4,\"block_configs\":["
      "{\"attention\":{\"n_heads_in_group\":2,\"no_op\":false,\"replace_with_linear\":false}},"
      "{\"attention\":{\"n_heads_in_group\":null,\"no_op\":true,\"replace_with_linear\":false}},"
      "{\"attention\":{\"n_heads_in_group\":null,\"no_op\":false,\"replace_with_linear\":true}},"
      "{\"attention\":{\"n_heads_in_group\":4,\"no_op\":false,\"replace_with_linear\":false}}]}",
      "1 " KV " | 2 none | 1 kv 1/32/32" },
    { "OpenELM: a list of KV heads (apple/OpenELM)",
      "{\"model_type\":\"openelm\",\"num_transformer_layers\":3,\"head_dim\":32,"
      "\"model_dim\":128,\"num_query_heads\":[4,4,8],\"num_kv_heads\":[1,1,2]}",
      "2 kv 1/32/32 | 1 " KV },
    { "Step-3.5: sliding layers have heads of their own (V step3p5.py 01b50b9)",
      "{\"model_type\":\"step3p5\",\"num_hidden_layers\":3,\"hidden_size\":128,\"head_dim\":32,"
      "\"num_attention_heads\":4,\"num_attention_groups\":2,\"sliding_window\":8,"
      "\"layer_types\":[\"full_attention\",\"sliding_attention\",\"sliding_attention\","
      "\"sliding_attention\"],\"attention_other_setting\":{\"attention_type\":"
      "\"sliding_attention\",\"num_attention_heads\":8,\"num_attention_groups\":4,"
      "\"head_dim\":32},\"num_nextn_predict_layers\":1}",
      "1 " KV " | 2 kv_window 4/32/32 window 8 drafts 1 kv_window 4/32/32 window 8" },
    { "MiMo-V2: keys and values of two sizes (XiaomiMiMo/MiMo-V2-Flash)",
      "{\"model_type\":\"mimo_v2_flash\",\"num_hidden_layers\":2,\"hidden_size\":128,"
      "\"num_attention_heads\":4,\"num_key_value_heads\":2,\"head_dim\":48,\"v_head_dim\":32,"
      "\"swa_num_key_value_heads\":4,\"swa_head_dim\":48,\"swa_v_head_dim\":32,"
      "\"sliding_window\":8,\"hybrid_layer_pattern\":[0,1],\"attention_chunk_size\":128,"
      "\"num_nextn_predict_layers\":1}",
      "1 kv 2/48/32 | 1 kv_window 4/48/32 window 8 drafts 1 kv_window 4/48/32 window 8" },

    /* -- Layers that read another's cache. */
    { "Gemma 3n: the last 15 read the last of their type before (T 0185480 Gemma3nTextConfig)",
      "{\"model_type\":\"gemma3n_text\",\"num_hidden_layers\":7,\"hidden_size\":128,"
      "\"num_attention_heads\":4,\"num_key_value_heads\":2,\"head_dim\":32,\"sliding_window\":8,"
      "\"num_kv_shared_layers\":2}",
      "4 " W8 " | 1 " KV " | 2 shared 3" },
    { "Gemma 3n where no layer would be left to read: none shares (T 0185480)",
      "{\"model_type\":\"gemma3n_text\",\"num_hidden_layers\":2,\"hidden_size\":128,"
      "\"num_attention_heads\":4,\"num_key_value_heads\":2,\"head_dim\":32,\"sliding_window\":8,"
      "\"num_kv_shared_layers\":2}",
      "2 " W8 },
    { "Gemma 4: wide full layers, the last is full, none shares by default (T 008e574)",
      "{" PLAIN("gemma4_text", 4) ",\"head_dim\":32,\"global_head_dim\":64,\"sliding_window\":8,"
                                  "\"layer_types\":[\"sliding_attention\",\"full_attention\","
                                  "\"sliding_attention\",\"sliding_attention\"]}",
      "1 " W8 " | 1 kv 2/64/64 | 1 " W8 " | 1 kv 2/64/64" },
    { "Gemma 4: with K = V the full layers count their own heads, and keep both (T 008e574)",
      "{" PLAIN("gemma4_text", 2) ",\"head_dim\":32,\"global_head_dim\":64,\"sliding_window\":8,"
                                  "\"attention_k_eq_v\":true,\"num_global_key_value_heads\":1}",
      "1 " W8 " | 1 kv 1/64/64" },
    { "Gemma 4: sharing reaches both kinds",
      "{" PLAIN("gemma4_text", 4) ",\"head_dim\":32,\"global_head_dim\":null,\"sliding_window\":8,"
                                  "\"num_kv_shared_layers\":2,\"layer_types\":["
                                  "\"sliding_attention\",\"full_attention\","
                                  "\"sliding_attention\",\"full_attention\"]}",
      "1 " W8 " | 1 " KV " | 1 shared 0 | 1 shared 1" },

    { "Hunyuan: of each factor layers the first keeps a cache (V hunyuan_v1.py)",
      "{" PLAIN("hunyuan_v1_moe", 4) ",\"use_cla\":true,\"cla_share_factor\":2}",
      "1 " KV " | 1 shared 0 | 1 " KV " | 1 shared 2" },
    { "Hunyuan without", "{" PLAIN("hunyuan_v1_moe", 4) ",\"use_cla\":false}", "4 " KV },

    /* -- Latents. */
    { "DeepSeek-OCR: latent sizes of 0 are plain heads (V deepseek_v2.py)",
      "{\"model_type\":\"deepseek_vl_v2\",\"language_config\":{\"num_hidden_layers\":2,"
      "\"hidden_size\":128,\"num_attention_heads\":4,\"num_key_value_heads\":2,"
      "\"use_mla\":false,\"kv_lora_rank\":null,\"qk_nope_head_dim\":0,"
      "\"qk_rope_head_dim\":0,\"v_head_dim\":0}}",
      "2 " KV },
    { "DeepSeek-V3: one latent row, draft layers apart (V deepseek_v2.py)",
      "{" PLAIN("deepseek_v3", 3) "," MLA ",\"num_nextn_predict_layers\":1}",
      "3 latent 48/16 drafts 1 latent 48/16" },
    { "DeepSeek-V3.2: an indexer beside it (V deepseek_v32/attention.py 1ba45af)",
      "{" PLAIN("deepseek_v32", 2) "," MLA ",\"index_head_dim\":128}",
      "2 latent 48/16 + index 128 fp8" },
    { "GLM-5.2: some layers share an indexer (V deepseek_v32/attention.py 1ba45af)",
      "{" PLAIN("glm_moe_dsa", 4) "," MLA ",\"index_head_dim\":128,\"indexer_types\":[\"full\","
                                  "\"shared\",\"shared\",\"full\"],"
                                  "\"num_nextn_predict_layers\":1}",
      "1 latent 48/16 + index 128 fp8 | 2 latent 48/16 | 1 latent 48/16 + index 128 fp8"
      " drafts 1 latent 48/16 + index 128 fp8" },
    { "GLM-5.2 by frequency: max(i - 3 + 1, 0) mod 4 (the same file)",
      "{" PLAIN("glm_moe_dsa", 8) "," MLA ",\"index_head_dim\":128,\"index_topk_freq\":4,"
                                  "\"index_skip_topk_offset\":3}",
      "3 latent 48/16 + index 128 fp8 | 3 latent 48/16 | 1 latent 48/16 + index 128 fp8"
      " | 1 latent 48/16" },
    { "LongCat-Flash: two attentions a layer (T 008e574 LongcatFlashConfig)",
      "{\"model_type\":\"longcat_flash\",\"num_layers\":2,\"hidden_size\":128,"
      "\"num_attention_heads\":4," MLA "}",
      "2 latent 48/16 + latent 48/16" },
    { "MiniCPM3: low-rank weights, whole keys and values (openbmb/MiniCPM3-4B)",
      "{\"model_type\":\"minicpm3\",\"num_hidden_layers\":2,\"hidden_size\":128,"
      "\"num_attention_heads\":4,\"num_key_value_heads\":4," MLA "}",
      "2 kv 4/48/32" },
    { "MiniMax-M3: an indexer key in sparse layers (T 01a05aa minimax_m3_vl)",
      "{" PLAIN("minimax_m3", 3) ",\"head_dim\":32,\"sparse_attention_config\":{"
                                 "\"use_sparse_attention\":true,\"sparse_index_dim\":16,"
                                 "\"sparse_attention_freq\":[0,1,1]},\"num_mtp_modules\":1}",
      "1 " KV " | 2 " KV " + index 16 drafts 1 " KV " + index 16" },
    { "DeepSeek-V4: a window, and compressed rows by ratio (V deepseek_v4 e6643ec, 91fe050)",
      "{\"model_type\":\"deepseek_v4\",\"num_hidden_layers\":3,\"hidden_size\":128,"
      "\"num_attention_heads\":4,\"head_dim\":64,\"qk_rope_head_dim\":16,\"sliding_window\":8,"
      "\"index_head_dim\":32,\"compress_ratios\":[0,4,128,0],\"num_nextn_predict_layers\":1}",
      "1 latent 48/16 window 8"
      " | 1 latent 48/16 window 8 + latent 48/16 1:4 + index 32 fp8 1:4"
      " + recurrent plain 1536/1536 conv f32 f32"
      " | 1 latent 48/16 window 8 + latent 48/16 1:128 + recurrent plain 8192/8192 conv f32 f32"
      " drafts 1 latent 48/16 window 8" },

    /* -- State spaces.  Sizes: V mamba_utils.py 02d7108. */
    { "Mamba: expand * hidden_size",
      "{\"model_type\":\"mamba\",\"num_hidden_layers\":2,"
      "\"hidden_size\":128,\"expand\":2,\"state_size\":16,"
      "\"conv_kernel\":4}",
      "2 recurrent mamba1 4/256/16" },
    { "Mamba-2",
      "{\"model_type\":\"mamba2\",\"num_hidden_layers\":2,\"hidden_size\":128,"
      "\"expand\":2,\"state_size\":64,\"conv_kernel\":4,\"n_groups\":1,"
      "\"num_heads\":8,\"head_dim\":32}",
      "2 recurrent mamba2 4/256/1/64/8/32" },
    { "Jamba: i mod period = offset attends (T 008f5c8 JambaConfig)",
      "{" PLAIN("jamba", 5) ",\"attn_layer_period\":4,\"attn_layer_offset\":2,"
                            "\"mamba_d_state\":16,\"mamba_d_conv\":4,\"mamba_expand\":2}",
      "2 recurrent mamba1 4/256/16 | 1 " KV " | 2 recurrent mamba1 4/256/16" },
    { "Bamba: listed attention layers (T 001f85b BambaConfig)",
      "{" PLAIN("bamba", 3) ",\"attn_layer_indices\":[1],\"mamba_n_heads\":8,"
                            "\"mamba_d_head\":\"auto\",\"mamba_n_groups\":1,\"mamba_d_state\":64,"
                            "\"mamba_d_conv\":4,\"mamba_expand\":2}",
      "1 recurrent mamba2 4/256/1/64/8/32 | 1 " KV " | 1 recurrent mamba2 4/256/1/64/8/32" },
    { "Granite 4: a word a layer (T 008f5c8 GraniteMoeHybridConfig)",
      "{" PLAIN("granitemoehybrid", 2) ",\"layer_types\":[\"mamba\",\"attention\"],"
                                       "\"mamba_n_heads\":8,\"mamba_d_head\":32,"
                                       "\"mamba_n_groups\":1,\"mamba_d_state\":64,"
                                       "\"mamba_d_conv\":4,\"mamba_expand\":2}",
      "1 recurrent mamba2 4/256/1/64/8/32 | 1 " KV },
    { "Granite 4 of attention alone: its Mamba keys mean nothing",
      "{" PLAIN("granitemoehybrid", 2) ",\"layer_types\":[\"attention\",\"attention\"],"
                                       "\"mamba_d_state\":64}",
      "2 " KV },
    { "Falcon-H1: both in every layer (T 020a37d FalconH1Config)",
      "{" PLAIN("falcon_h1", 2) ",\"mamba_d_ssm\":192,\"mamba_n_heads\":6,\"mamba_d_head\":32,"
                                "\"mamba_n_groups\":1,\"mamba_d_state\":64,\"mamba_d_conv\":4}",
      "2 " KV " + recurrent mamba2 4/192/1/64/6/32" },
    { "Zamba 2: Mamba-2 in every layer, wide shared attention in some (T 02f5807 Zamba2Config)",
      "{\"model_type\":\"zamba2\",\"num_hidden_layers\":3,\"hidden_size\":128,"
      "\"num_attention_heads\":4,\"layers_block_type\":[\"mamba\",\"hybrid\",\"mamba\"],"
      "\"n_mamba_heads\":8,\"mamba_d_state\":64,\"mamba_d_conv\":4,\"mamba_expand\":2,"
      "\"mamba_ngroups\":1}",
      "1 recurrent mamba2 4/256/1/64/8/32 | 1 kv 4/64/64 + recurrent mamba2 4/256/1/64/8/32"
      " | 1 recurrent mamba2 4/256/1/64/8/32" },
    { "Zamba 2: the hybrid layers by their numbers",
      "{\"model_type\":\"zamba2\",\"num_hidden_layers\":2,\"hidden_size\":128,"
      "\"num_attention_heads\":4,\"attention_head_dim\":48,\"hybrid_layer_ids\":[1],"
      "\"n_mamba_heads\":8,\"mamba_d_state\":64,\"mamba_d_conv\":4,\"mamba_expand\":2}",
      "1 recurrent mamba2 4/256/1/64/8/32 | 1 kv 4/48/48 + recurrent mamba2 4/256/1/64/8/32" },
    { "Zamba 2: a layer of no word is not understood",
      "{\"model_type\":\"zamba2\",\"num_hidden_layers\":2,\"hidden_size\":128,"
      "\"num_attention_heads\":4,\"layers_block_type\":[\"mamba\",\"\"],"
      "\"n_mamba_heads\":8,\"mamba_d_state\":64,\"mamba_d_conv\":4,\"mamba_expand\":2}",
      "1 recurrent mamba2 4/256/1/64/8/32 | 1 unknown config.json:/layers_block_type/1" },
    { "Nemotron-H: a letter a layer, f32 state by default (T 13923c6 NemotronHConfig)",
      "{" PLAIN("nemotron_h", 4) ",\"head_dim\":32,\"hybrid_override_pattern\":\"M-*E\","
                                 "\"mamba_num_heads\":8,\"mamba_head_dim\":32,\"n_groups\":2,"
                                 "\"ssm_state_size\":64,\"conv_kernel\":4}",
      "1 recurrent mamba2 4/256/2/64/8/32 f32 | 1 none | 1 " KV " | 1 none" },
    { "Nemotron-H: draft modules have a pattern of their own (V speculative.py 002e77c)",
      "{" PLAIN("nemotron_h", 2) ",\"head_dim\":32,\"hybrid_override_pattern\":\"M*\","
                                 "\"mamba_num_heads\":8,\"mamba_head_dim\":32,\"n_groups\":2,"
                                 "\"ssm_state_size\":64,\"conv_kernel\":4,"
                                 "\"mamba_ssm_cache_dtype\":\"float16\","
                                 "\"num_nextn_predict_layers\":1,"
                                 "\"mtp_hybrid_override_pattern\":\"*E\"}",
      "1 recurrent mamba2 4/256/2/64/8/32 f16 | 1 " KV " drafts 1 " KV " | 1 none" },

    { "Nemotron-H: words, and a draft whose kind the model does not have",
      "{" PLAIN("nemotron_h", 2) ",\"head_dim\":32,\"layers_block_type\":[\"attention\",\"moe\"],"
                                 "\"num_nextn_predict_layers\":1,"
                                 "\"mtp_hybrid_override_pattern\":\"M\"}",
      "1 " KV " | 1 none drafts 1 unknown config.json:/mtp_hybrid_override_pattern" },

    /* -- Other recurrences. */
    { "Qwen3-Next: every fourth layer attends (T 008e574 Qwen3NextConfig)",
      "{" PLAIN("qwen3_next", 4) ",\"head_dim\":32,\"linear_conv_kernel_dim\":4,"
                                 "\"linear_num_key_heads\":2,\"linear_key_head_dim\":16,"
                                 "\"linear_num_value_heads\":4,\"linear_value_head_dim\":8}",
      "3 recurrent gated_delta_net 4/2/16/4/8 | 1 " KV },
    { "Qwen3.5: state in f32 where the file says so, draft layers attend (T 008e574)",
      "{\"model_type\":\"qwen3_5\",\"text_config\":{" PLAIN(
          "qwen3_5_text",
          2) ",\"head_dim\":32,\"layer_types\":[\"linear_attention\",\"full_attention\"],"
             "\"linear_conv_kernel_dim\":4,\"linear_num_key_heads\":2,\"linear_key_head_dim\":16,"
             "\"linear_num_value_heads\":4,\"linear_value_head_dim\":8,"
             "\"mamba_ssm_dtype\":\"float32\",\"mtp_num_hidden_layers\":1}}",
      "1 recurrent gated_delta_net 4/2/16/4/8 f32 | 1 " KV " drafts 1 " KV },
    { "Kimi-Linear: lists count from 1, state in f32 (V kimi_linear.py 6b06599)",
      "{" PLAIN("kimi_linear", 3) "," MLA ",\"linear_attn_config\":{\"kda_layers\":[1,2],"
                                  "\"full_attn_layers\":[3],\"num_heads\":4,\"head_dim\":32,"
                                  "\"short_conv_kernel_size\":4}}",
      "2 recurrent kda 4/4/32 f32 | 1 latent 48/16" },
    { "MiniMax-Text-01: attn_type_list (MiniMaxAI/MiniMax-Text-01)",
      "{" PLAIN("minimax_text_01", 3) ",\"head_dim\":32,\"attn_type_list\":[0,0,1]}",
      "2 recurrent linear 4/32 | 1 " KV },
    { "Bailing: the last of each group attends, and so does a group cut short (Ring-2.5)",
      "{" PLAIN("bailing_hybrid", 5) "," MLA ",\"head_dim\":32,\"layer_group_size\":2}",
      "1 recurrent linear 4/32 | 1 latent 48/16 | 1 recurrent linear 4/32 | 2 latent 48/16" },
    { "MiniMax-M2: attention alone (MiniMaxAI/MiniMax-M2.5)",
      "{" PLAIN("minimax_m2", 2) ",\"head_dim\":32,\"attn_type_list\":[1,1]}", "2 " KV },
    { "LFM2: words, short convolutions between (T 05cd1ec Lfm2Config)",
      "{" PLAIN("lfm2", 3) ",\"layer_types\":[\"conv\",\"full_attention\",\"conv\"],"
                           "\"conv_L_cache\":3}",
      "1 recurrent short_conv 3/128 | 1 " KV " | 1 recurrent short_conv 3/128" },
    { "LFM2: numbers of the attention layers",
      "{" PLAIN("lfm2", 3) ",\"full_attn_idxs\":[1],\"conv_L_cache\":3}",
      "1 recurrent short_conv 3/128 | 1 " KV " | 1 recurrent short_conv 3/128" },
    { "RWKV-5: token shifts, and a matrix a head in f32 (V RWKV5.py 11af8fd)",
      "{\"model_type\":\"rwkv5\",\"num_hidden_layers\":2,\"hidden_size\":128,"
      "\"attention_hidden_size\":128,\"head_size\":64}",
      "2 recurrent rwkv 2/128/64 f32" },
    { "RWKV-4: two inputs, and sum, weight and maximum in f32 (T 053f59e RwkvConfig)",
      "{\"model_type\":\"rwkv\",\"num_hidden_layers\":2,\"hidden_size\":128,"
      "\"attention_hidden_size\":null}",
      "2 recurrent plain 256/384 f32" },

    /* -- Encoders beside the decoder. */
    { "BART: the decoder's own counts (T 0171fcd BartConfig)",
      "{\"model_type\":\"bart\",\"is_encoder_decoder\":true,\"decoder_layers\":2,"
      "\"encoder_layers\":6,\"num_hidden_layers\":6,\"d_model\":128,"
      "\"decoder_attention_heads\":4,\"encoder_attention_heads\":8}",
      "2 kv 4/32/32 + cross 4/32/32" },
    { "T5: heads of a size of their own (T 038869d T5Config)",
      "{\"model_type\":\"t5\",\"is_encoder_decoder\":true,\"num_layers\":2,\"d_model\":128,"
      "\"num_heads\":4,\"d_kv\":64}",
      "2 kv 4/64/64 + cross 4/64/64" },
    { "Mllama: some layers attend to the picture alone (T 032b32a MllamaTextConfig)",
      "{\"model_type\":\"mllama\",\"text_config\":{" PLAIN("mllama_text_model",
                                                           3) ",\"cross_attention_layers\":[1]}}",
      "1 " KV " | 1 cross 2/32/32 | 1 " KV },

    /* -- What cannot be said. */
    { "Step-3.5: a draft layer is of the type that the list goes on with",
      "{\"model_type\":\"step3p5\",\"num_hidden_layers\":1,\"hidden_size\":128,\"head_dim\":32,"
      "\"num_attention_heads\":4,\"num_attention_groups\":2,\"sliding_window\":8,"
      "\"layer_types\":[\"sliding_attention\",\"full_attention\"],\"num_nextn_predict_layers\":1}",
      "1 " W8 " drafts 1 " KV },
    { "Step-3.5: layers that slide without a window",
      "{\"model_type\":\"step3p5\",\"num_hidden_layers\":1,\"hidden_size\":128,\"head_dim\":32,"
      "\"num_attention_heads\":4,\"num_attention_groups\":2,"
      "\"layer_types\":[\"sliding_attention\"]}",
      "1 unknown config.json:/sliding_window" },
    { "a pattern of letters that is not local layers before a global one",
      "{" PLAIN("exaone4", 4) ",\"sliding_window\":8,\"sliding_window_pattern\":\"GGLG\"}",
      "4 unknown config.json:/sliding_window_pattern" },
    { "an indexer's pattern with another letter",
      "{" PLAIN("deepseek_v32", 2) "," MLA ",\"index_head_dim\":128,\"index_topk_pattern\":\"FX\"}",
      "1 latent 48/16 + index 128 fp8 | 1 unknown config.json:/index_topk_pattern" },
    { "null is not absent: the class's default is for an absent key",
      "{" PLAIN("llama4_text", 1) ",\"head_dim\":32,\"attention_chunk_size\":null}",
      "1 unknown config.json:/attention_chunk_size" },
    { "layer types that a latent family does not have",
      "{" PLAIN("deepseek_v3", 2) "," MLA
                                  ",\"layer_types\":[\"full_attention\",\"linear_attention\"]}",
      "2 unknown config.json:/layer_types" },
    { "RWKV with attention in some layers",
      "{\"model_type\":\"rwkv7\",\"num_hidden_layers\":2,\"hidden_size\":128,\"head_dim\":64,"
      "\"attn\":{\"layers\":[1]}}",
      "2 unknown config.json:/attn" },
    { "a context of 0 tokens is none, and no reason to refuse the model",
      "{" PLAIN("llama", 2) ",\"max_position_embeddings\":0}", "2 " KV },
    { "a word that is not known is that layer's alone",
      "{" PLAIN("lfm2", 2) ",\"layer_types\":[\"conv\",\"fourier\"],\"conv_L_cache\":3}",
      "1 recurrent short_conv 3/128 | 1 unknown config.json:/layer_types/1" },
    { "a ratio that is not known",
      "{\"model_type\":\"deepseek_v4\",\"num_hidden_layers\":1,\"hidden_size\":128,"
      "\"num_attention_heads\":4,\"head_dim\":64,\"qk_rope_head_dim\":16,\"sliding_window\":8,"
      "\"index_head_dim\":32,\"compress_ratios\":[16]}",
      "1 unknown config.json:/compress_ratios/0" },
    { "a nested file without a model_type is of its wrapper's family",
      "{\"model_type\":\"llava\",\"text_config\":{\"num_hidden_layers\":2,\"hidden_size\":128,"
      "\"num_attention_heads\":4}}",
      "2 kv 4/32/32" },
    { "a class's name stands in where there is no model_type",
      "{\"architectures\":[\"LlamaForCausalLM\"],\"num_hidden_layers\":2,\"hidden_size\":128,"
      "\"num_attention_heads\":4}",
      "2 kv 4/32/32" },
};

static void every_family_gives_its_layers(void **state)
{
    (void)state;
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        struct text text;
        layers_of(ROWS[i].config, &text);
        if (strcmp(text.text, ROWS[i].layers) == 0)
            continue;
        print_error("%s\n  due %s\n  got %s\n", ROWS[i].name, ROWS[i].layers, text.text);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

/* Of three families that read few of them: a key that bears on the cache is never passed over. */
static void keys_that_nobody_looked_up_make_layers_unknown(void **state)
{
    (void)state;
    static const char *const KEYS[] = {
        "attention_other_setting",
        "attention_types",
        "attn_layer_indices",
        "attn_layer_period",
        "block_configs",
        "compress_ratios",
        "cross_attention_layers",
        "global_head_dim",
        "full_attention_interval",
        "hybrid_layer_pattern",
        "hybrid_override_pattern",
        "layer_group_size",
        "linear_attn_config",
        "mamba_d_ssm",
        "num_kv_shared_layers",
        "num_global_key_value_heads",
        "swa_head_dim",
        "sparse_attention_config",
        "ssm_state_size",
        "use_cla",
        "num_key_value_heads_per_layer",
        "is_encoder_decoder",
        "window_size",
    };
    static const char *const CONFIGS[] = {
        "{" PLAIN("llama", 2),
        "{" PLAIN("deepseek_v3", 2) "," MLA,
        "{" PLAIN("falcon", 2),
    };
    for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++) {
        for (size_t j = 0; j < sizeof CONFIGS / sizeof CONFIGS[0]; j++) {
            char config[600], due[120];
            struct text text;
            snprintf(config, sizeof config, "%s,\"%s\":7}", CONFIGS[j], KEYS[i]);
            snprintf(due, sizeof due, "2 unknown config.json:/%s", KEYS[i]);
            layers_of(config, &text);
            assert_string_equal(text.text, due);
        }
    }
}

static void encoders_keep_no_cache_and_are_refused(void **state)
{
    (void)state;
    static const char *const TYPES[] = { "bert", "roberta", "modernbert", "siglip", "deberta-v2" };
    for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++) {
        char config[128];
        kvcap_record *record = NULL;
        kvcap_error err;
        snprintf(config, sizeof config, "{\"model_type\":\"%s\",\"num_hidden_layers\":2}",
                 TYPES[i]);
        assert_int_equal(
            kvcap_model_from_config(config, strlen(config), "model", NULL, &record, &err),
            KVCAP_E_METADATA);
        assert_string_equal(err.slug, "metadata.no_cache");
        assert_string_equal(err.at, "/model_type");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_family_gives_its_layers),
        cmocka_unit_test(keys_that_nobody_looked_up_make_layers_unknown),
        cmocka_unit_test(encoders_keep_no_cache_and_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
