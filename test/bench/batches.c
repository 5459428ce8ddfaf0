/* batches.c - kvcap fit --batch on one core: lines a CPU second, beside a plain read of them. */

#include <stdio.h>

#include "bench/bench.h"

#define LINES 200000
#define CONFIG_LINES 20000

/* Dense and windowed models of several sizes, so that no answer is the one before it. */
static void put_shape(FILE *out, unsigned i)
{
    static const unsigned LAYERS[] = { 24, 32, 36, 48, 60 };
    unsigned layers = LAYERS[i % 5], heads = 2u << (i % 3);
    fprintf(
        out,
        "{\"record\":{\"kind\":\"kv-model\",\"version\":1,\"family\":\"llama\",\"dtype\":\"bf16\","
        "\"context_tokens\":131072,\"query_heads\":32,\"architecture\":{\"layer_types\":["
        "{\"states\":[{\"state\":\"kv\",\"kv_heads\":%u,\"key_dim\":128,\"value_dim\":128}]}",
        heads);
    if (i % 4 == 0)
        fprintf(
            out,
            ",{\"states\":[{\"state\":\"kv_window\",\"window\":\"sliding\",\"window_tokens\":1024,"
            "\"kv_heads\":%u,\"key_dim\":128,\"value_dim\":128}]}],\"layers\":[[%u,0],[%u,1]]}}}",
            heads, layers / 6, layers - layers / 6);
    else
        fprintf(out, "],\"layers\":[[%u,0]]}}}", layers);
}

static void put_config(FILE *out, unsigned i)
{
    fprintf(
        out,
        "{\"config_json\":{\"architectures\":[\"Qwen3MoeForCausalLM\"],\"attention_bias\":false,"
        "\"attention_dropout\":0.0,\"bos_token_id\":151643,\"decoder_sparse_step\":1,"
        "\"eos_token_id\":151645,\"head_dim\":128,\"hidden_act\":\"silu\",\"hidden_size\":2048,"
        "\"initializer_range\":0.02,\"intermediate_size\":6144,"
        "\"max_position_embeddings\":40960,\"max_window_layers\":48,\"mlp_only_layers\":[],"
        "\"model_type\":\"qwen3_moe\",\"moe_intermediate_size\":768,\"norm_topk_prob\":true,"
        "\"num_attention_heads\":32,\"num_experts\":128,\"num_experts_per_tok\":8,"
        "\"num_hidden_layers\":%u,\"num_key_value_heads\":4,\"output_router_logits\":false,"
        "\"rms_norm_eps\":1e-06,\"rope_scaling\":null,\"rope_theta\":1000000.0,"
        "\"router_aux_loss_coef\":0.001,\"sliding_window\":null,\"tie_word_embeddings\":false,"
        "\"torch_dtype\":\"bfloat16\",\"transformers_version\":\"4.51.0\",\"use_cache\":true,"
        "\"use_sliding_window\":false,\"vocab_size\":151936}}",
        24 + i % 25);
}

static void put_rest(FILE *out, const char *engine, unsigned i)
{
    if (engine[0] == 'l')
        fprintf(out, ",\"settings\":{\"n_ctx\":%u,\"n_seq_max\":%u}}\n", 8192u << (i % 3),
                1 + i % 4);
    else
        fprintf(
            out,
            ",\"settings\":{\"max_model_len\":%u%s},\"memory\":{\"available_kv_bytes\":%llu}}\n",
            8192u << (i % 5), engine[0] == 'v' ? ",\"max_num_batched_tokens\":8192" : "",
            (1ULL << 34) + i * 4096ULL);
}

static void write_batch(const char *engine, void (*put_model)(FILE *, unsigned), unsigned lines)
{
    FILE *out = fopen("batch.jsonl", "wb");
    if (out == NULL)
        bench_die("batch.jsonl");
    for (unsigned i = 0; i < lines; i++) {
        fprintf(out, "{\"id\":\"%u\",\"engine\":\"%s\",\"model\":", i, engine);
        put_model(out, i);
        put_rest(out, engine, i);
    }
    if (fclose(out) != 0)
        bench_die("batch.jsonl");
}

static void batch(char *program, const char *name, const char *engine,
                  void (*put_model)(FILE *, unsigned), unsigned lines, double goal)
{
    char *argv[] = { "sh", "-c", "exec \"$0\" fit --batch --jobs 1 <batch.jsonl", program, NULL };
    char *plain[] = { "cat", "batch.jsonl", NULL };
    write_batch(engine, put_model, lines);
    struct cost own = bench_run(argv, 5, "out"), other = bench_run(plain, 5, "plain");
    bench_begin(name);
    bench_figure("lines_per_cpu_second", lines / own.cpu_ms * 1e3);
    bench_figure("cpu_us_a_line", own.cpu_ms * 1e3 / lines);
    bench_figure("cpu_ratio_to_plain_read", own.cpu_ms / other.cpu_ms);
    bench_figure("peak_mib", (double)own.peak_kib / 1024);
    bench_figure("goal_lines_per_cpu_second", goal);
    bench_end();
}

void bench_batches(char *program)
{
    batch(program, "fit_batch_vllm_from_shapes", "vllm@0.11.0", put_shape, LINES, 200000);
    batch(program, "fit_batch_llamacpp_from_shapes", "llama.cpp@0.4.0", put_shape, LINES, 200000);
    batch(program, "fit_batch_paged_from_shapes", "paged", put_shape, LINES, 200000);
    batch(program, "fit_batch_vllm_from_config_json", "vllm@0.11.0", put_config, CONFIG_LINES,
          10000);
}
