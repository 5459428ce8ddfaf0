/* fits.c - what `kvcap fit` costs, beside what its lines cost whoever only scans or copies them.
 *
 * A batch runs with one job, so that CPU time is that of one core.  In the same minute this process takes the
 * same lines through the scanner, which any answer has to begin with, and `cat` copies them and
 * the answers: what is left of the time is the engines' rules and the writing. */

#define _DEFAULT_SOURCE

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/bench.h"
#include "os/os.h"
#include "json/scan.h"

#define RUNS 5
#define SHAPES 200000u /* lines of a batch from shapes */
#define CONFIGS 20000u /* and of one from config.json */

/* ---- Questions. */

static void put_shape(FILE *file, unsigned i)
{
    fprintf(file,
            "{\"record\":{\"dtype\":\"bf16\",\"family\":\"llama\",\"context_tokens\":131072,"
            "\"query_heads\":32,\"architecture\":{\"layer_types\":[{\"states\":[{\"state\":\"kv\","
            "\"kv_heads\":%u,\"key_dim\":%u,\"value_dim\":%u}]}],\"layers\":[[%u,0]]}}}",
            2u << i % 3, 64u << i % 2, 64u << i % 2, 16 + i % 65);
}

static void put_config(FILE *file, unsigned i)
{
    fprintf(
        file,
        "{\"config_json\":{\"architectures\":[\"Qwen3ForCausalLM\"],\"attention_bias\":false,"
        "\"attention_dropout\":0.0,\"bos_token_id\":151643,\"eos_token_id\":151645,\"head_dim\":"
        "128,"
        "\"hidden_act\":\"silu\",\"hidden_size\":4096,\"initializer_range\":0.02,"
        "\"intermediate_size\":12288,\"max_position_embeddings\":40960,\"max_window_layers\":36,"
        "\"model_type\":\"qwen3\",\"num_attention_heads\":32,\"num_hidden_layers\":%u,"
        "\"num_key_value_heads\":8,\"rms_norm_eps\":1e-06,\"rope_scaling\":null,"
        "\"rope_theta\":1000000,\"sliding_window\":null,\"tie_word_embeddings\":false,"
        "\"torch_dtype\":\"bfloat16\",\"transformers_version\":\"4.51.0\",\"use_cache\":true,"
        "\"use_sliding_window\":false,\"vocab_size\":151936}}",
        16 + i % 65);
}

static void put_vllm(FILE *file, unsigned i)
{
    fprintf(file,
            ",\"settings\":{\"max_model_len\":%u,\"tensor_parallel_size\":%u},"
            "\"memory\":{\"available_kv_bytes\":%llu}}\n",
            2048u << i % 4, 1u << i / 4 % 2, (unsigned long long)(10 + i % 71) << 30);
}

static void put_llamacpp(FILE *file, unsigned i)
{
    fprintf(file, ",\"settings\":{\"n_ctx\":%u,\"n_seq_max\":%u,\"type_k\":\"%s\"}}\n",
            2048u << i % 4, 1u << i / 4 % 3, i % 5 == 0 ? "q8_0" : "f16");
}

static void put_paged(FILE *file, unsigned i)
{
    fprintf(file,
            ",\"settings\":{\"max_model_len\":%u},\"memory\":{\"available_kv_bytes\":%llu}}\n",
            2048u << i % 4, (unsigned long long)(10 + i % 71) << 30);
}

struct batch {
    const char *name, *engine;
    void (*put_model)(FILE *file, unsigned i);
    void (*put_rest)(FILE *file, unsigned i);
    unsigned lines;
    double goal; /* cases a CPU second */
};

static void write_batch(const char *path, const struct batch *batch, unsigned lines)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        bench_die(path);
    for (unsigned i = 0; i < lines; i++) {
        fprintf(file, "{\"id\":\"case-%u\",\"engine\":\"%s\",\"model\":", i, batch->engine);
        batch->put_model(file, i);
        batch->put_rest(file, i);
    }
    if (fclose(file) != 0)
        bench_die(path);
}

/* ---- The scanner alone. */

static double cost_of_lines(struct kvc_span text)
{
    struct kvc_arena arena;
    struct kvc_value *tree;
    kvcap_error err;
    kvc_arena_from(&arena, &kvc_os_memory, (size_t)1 << 24);
    if (kvc_arena_take(&arena, 1) == NULL)
        bench_die("memory");
    struct kvc_mark empty = kvc_arena_mark(&arena);
    double begin = bench_cpu_ms();
    while (text.length > 0) {
        const char *end = memchr(text.text, '\n', text.length);
        size_t length = end == NULL ? text.length : (size_t)(end - text.text);
        kvc_arena_rewind(&arena, empty);
        if (kvc_scan(&arena, (struct kvc_span){ text.text, length }, length, KVC_SCAN_FOREIGN,
                     &tree, &err) != KVCAP_OK)
            bench_die(err.text);
        text.text += length + 1;
        text.length -= length + 1;
    }
    double cost = bench_cpu_ms() - begin;
    kvc_arena_drop(&arena);
    return cost;
}

/* The file is mapped no longer than it takes: a process that is started begins with the peak of ours. */
static double cost_of_scan(const char *path, double *ret_mb)
{
    struct stat about;
    int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &about) != 0)
        bench_die(path);
    size_t length = (size_t)about.st_size;
    char *text = mmap(NULL, length, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    if (text == MAP_FAILED)
        bench_die(path);
    close(file);
    double cost = cost_of_lines((struct kvc_span){ text, length });
    munmap(text, length);
    *ret_mb = (double)length / 1e6;
    return cost;
}

/* ---- Figures. */

static void keep_least(struct cost *least, struct cost next)
{
    if (next.status != 0)
        bench_die("a batch was refused");
    if (next.cpu_ms < least->cpu_ms)
        least->cpu_ms = next.cpu_ms;
    if (next.peak_kib > least->peak_kib)
        least->peak_kib = next.peak_kib;
}

static void run_batch(char *program, const struct batch *batch)
{
    char *argv[] = { program, "fit", "--batch", "--jobs", "1", NULL };
    char *plain[] = { "cat", "cases.jsonl", "answers.jsonl", NULL };
    struct cost own = { .cpu_ms = 1e9 }, tenth = own, copy = own;
    double scan = 1e9, mb = 0;
    write_batch("tenth.jsonl", batch, batch->lines / 10);
    write_batch("cases.jsonl", batch, batch->lines);
    for (int i = 0; i < RUNS; i++) {
        keep_least(&own, bench_run_once(argv, "cases.jsonl", "answers.jsonl"));
        keep_least(&copy, bench_run_once(plain, NULL, "plain"));
        double next = cost_of_scan("cases.jsonl", &mb);
        scan = next < scan ? next : scan;
    }
    keep_least(&tenth, bench_run_once(argv, "tenth.jsonl", "out"));
    bench_begin(batch->name);
    bench_figure("cpu_s", own.cpu_ms / 1e3);
    bench_figure("cases_per_cpu_s", batch->lines / (own.cpu_ms / 1e3));
    bench_figure("cases_mb", mb);
    bench_figure("scan_cpu_s", scan / 1e3);
    bench_figure("cpu_ratio_to_scan", own.cpu_ms / scan);
    bench_figure("plain_copy_cpu_s", copy.cpu_ms / 1e3);
    bench_figure("cpu_ratio_to_plain_copy", own.cpu_ms / copy.cpu_ms);
    bench_figure("peak_mib", (double)own.peak_kib / 1024);
    bench_figure("peak_mib_of_a_tenth", (double)tenth.peak_kib / 1024);
    bench_figure("goal_cases_per_cpu_s", batch->goal);
    bench_end();
}

void bench_fits(char *program)
{
    static const struct batch BATCHES[] = {
        { "fit_batch_of_shapes_vllm", "vllm@0.11.0", put_shape, put_vllm, SHAPES, 2e5 },
        { "fit_batch_of_shapes_llamacpp", "llama.cpp@0.4.0", put_shape, put_llamacpp, SHAPES, 2e5 },
        { "fit_batch_of_shapes_paged", "paged", put_shape, put_paged, SHAPES, 2e5 },
        { "fit_batch_of_configs_vllm", "vllm@0.11.0", put_config, put_vllm, CONFIGS, 1e4 },
    };
    char *one[] = {
        program,          "fit",         "--engine", "vllm@0.11.0",        "--model", "config.json",
        "--available-kv", "53687091200", "--set",    "max_model_len=8192", NULL
    };
    char *plain[] = { "cat", "config.json", NULL };
    bench_small("fit", one, plain);
    for (size_t i = 0; i < sizeof BATCHES / sizeof BATCHES[0]; i++)
        run_batch(program, &BATCHES[i]);
}
