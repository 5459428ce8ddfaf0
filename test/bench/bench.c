/* bench.c - what the program costs, as ratios to what the machine must do anyway.
 *
 *   kvcap-bench PROGRAM RESULT.json
 *
 * Each figure is a whole process, measured by the kernel (wait4): the smallest of several runs, since
 * noise only ever adds.  Beside it stands `cat` of the same bytes in the same minute, so that a slow
 * or busy machine shows in both and not in their ratio.  One line a figure; the same as JSON.
 * (One header of a GGUF file is also read within this process, since its cost is below a start.) */

#define _DEFAULT_SOURCE

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench.h"
#include "meta/gguf_facts.h"
#include "shape/from_gguf.h"
#include "support/gguf_writer.h"

#define REQUESTS 1000000

void bench_die(const char *what)
{
    perror(what);
    exit(4);
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static double ms_of(struct timeval t)
{
    return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

struct cost bench_run_once(char *const argv[], const char *input, const char *output)
{
    double begin = now_ms();
    pid_t child = fork();
    if (child < 0)
        bench_die("fork");
    if (child == 0) {
        int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        int in = input == NULL ? STDIN_FILENO : open(input, O_RDONLY);
        if (out < 0 || in < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(in, STDIN_FILENO) < 0)
            _exit(127);
        execvp(argv[0], argv);
        _exit(127);
    }
    struct rusage usage;
    int status;
    if (wait4(child, &status, 0, &usage) != child)
        bench_die("wait4");
    return (struct cost){ .wall_ms = now_ms() - begin,
                          .cpu_ms = ms_of(usage.ru_utime) + ms_of(usage.ru_stime),
                          .peak_kib = usage.ru_maxrss,
                          .status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 };
}

/* `due` is the exit that is expected. */
static struct cost run_to(char *const argv[], int runs, const char *output, int due)
{
    struct cost best = bench_run_once(argv, NULL, output);
    for (int i = 1; i < runs; i++) {
        struct cost next = bench_run_once(argv, NULL, output);
        best.wall_ms = next.wall_ms < best.wall_ms ? next.wall_ms : best.wall_ms;
        best.cpu_ms = next.cpu_ms < best.cpu_ms ? next.cpu_ms : best.cpu_ms;
        best.peak_kib = next.peak_kib > best.peak_kib ? next.peak_kib : best.peak_kib;
    }
    if (best.status != due) {
        fprintf(stderr, "bench: %s %s ended with %d\n", argv[0], argv[1], best.status);
        exit(4);
    }
    return best;
}

static struct cost run(char *const argv[], int runs, const char *output)
{
    return run_to(argv, runs, output, 0);
}

/* ---- Inputs. */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
        bench_die(path);
}

static void write_window(const char *path, const char *contract, unsigned requests)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        bench_die(path);
    fprintf(file,
            "{\"kind\":\"kv-reservation-evidence\",\"version\":1,\"contract\":\"%s\","
            "\"captured_by\":\"bench\",\"reported\":{\"device_bytes\":9007199254740991,"
            "\"cache_bytes_by_rank\":[9007199254740991]},\"window\":{\"start\":"
            "\"2026-08-11T09:00:00Z\",\"end\":\"2026-08-11T09:05:00Z\"}}\n",
            contract);
    for (unsigned i = 0; i < requests; i++)
        fprintf(file,
                "{\"cohort\":\"%s\",\"max_output_tokens\":%u,\"prompt_tokens\":%u,\"request_id\":"
                "\"request-%08u\",\"sequences\":1,\"tenant\":\"tenant-%02u\"}\n",
                i % 3 == 0 ? "batch" : "chat", i % 977, 1 + i % 4001, i, i % 17);
    if (fclose(file) != 0)
        bench_die(path);
}

/* The last id of its kind that a file states. */
static void id_in(const char *path, const char *kind, char ret_id[128])
{
    static char text[1 << 16];
    char key[64];
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        bench_die(path);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    snprintf(key, sizeof key, "\"id\":\"%s@", kind);
    const char *found = strstr(text, key);
    if (found == NULL || sscanf(found, "\"id\":\"%127[^\"]", ret_id) != 1)
        bench_die("no id");
}

/* ---- Figures. */

static FILE *result;

void bench_begin(const char *name)
{
    static int figures;
    printf("bench %s", name);
    fprintf(result, "%s{\"name\":\"%s\"", figures++ == 0 ? "[\n" : ",\n", name);
}

void bench_figure(const char *key, double value)
{
    printf(" %s=%.3f", key, value);
    fprintf(result, ",\"%s\":%.3f", key, value);
}

void bench_end(void)
{
    printf("\n");
    fprintf(result, "}");
    fflush(stdout);
}

void bench_small(const char *name, char *const argv[], char *const plain[])
{
    struct cost own = run(argv, 40, "out"), other = run(plain, 40, "plain");
    bench_begin(name);
    bench_figure("wall_ms", own.wall_ms);
    bench_figure("cpu_ms", own.cpu_ms);
    bench_figure("plain_read_wall_ms", other.wall_ms);
    bench_figure("wall_ratio_to_plain_read", own.wall_ms / other.wall_ms);
    bench_figure("goal_wall_ms", 5);
    bench_end();
}

static void window(char *program, char *deployment)
{
    char *argv[] = { program, "plan", deployment, "window.jsonl", NULL };
    char *tiny[] = { program, "plan", deployment, "tiny.jsonl", NULL };
    char *plain[] = { "cat", "window.jsonl", NULL };
    struct stat about;
    struct cost own = run(argv, 5, "out"), least = run(tiny, 5, "out"),
                other = run(plain, 5, "plain");
    if (stat("window.jsonl", &about) != 0)
        bench_die("window.jsonl");
    bench_begin("plan_window_of_1000000");
    bench_figure("cpu_s", own.cpu_ms / 1e3);
    bench_figure("wall_s", own.wall_ms / 1e3);
    bench_figure("window_mb", (double)about.st_size / 1e6);
    bench_figure("requests_per_cpu_s", REQUESTS / (own.cpu_ms / 1e3));
    bench_figure("plain_read_cpu_s", other.cpu_ms / 1e3);
    bench_figure("cpu_ratio_to_plain_read", own.cpu_ms / other.cpu_ms);
    bench_figure("bytes_of_memory_a_request",
                 (double)(own.peak_kib - least.peak_kib) * 1024 / REQUESTS);
    bench_figure("goal_cpu_s", 2);
    bench_figure("goal_bytes_a_request", 64);
    bench_end();
}

/* ---- A GGUF header, within this process: what reading it costs beside reading its bytes. */

#define HEADER_RUNS 200

double bench_cpu_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static double cost_of_layers(struct kvc_span file, void *room, size_t room_bytes)
{
    struct kvc_arena arena;
    struct kvc_gguf gguf;
    struct kvc_facts facts;
    struct kvc_found found;
    uint64_t needed = 0;
    kvcap_error err = { .code = KVCAP_OK };
    double begin = bench_cpu_ms();
    kvc_arena_over(&arena, room, room_bytes);
    kvcap_code rc = kvc_gguf_read(file, file.length, &arena, &gguf, &needed, &err);
    if (rc == KVCAP_OK)
        rc = kvc_gguf_facts(&gguf, &arena, &facts, &err);
    if (rc == KVCAP_OK)
        rc = kvc_shape_from_gguf(&facts, gguf.tensor_bytes, &arena, &found, &err);
    if (rc != KVCAP_OK || needed != 0 || found.shape.layers_count != 36) {
        fprintf(stderr, "bench: the large header is refused: %s\n", err.text);
        exit(4);
    }
    return bench_cpu_ms() - begin;
}

/* One pass over the bytes, a word at a time. */
static double cost_of_pass(struct kvc_span file)
{
    volatile uint64_t sink;
    uint64_t sum = 0;
    double begin = bench_cpu_ms();
    for (size_t i = 0; i + 8 <= file.length; i += 8) {
        uint64_t word;
        memcpy(&word, file.text + i, sizeof word);
        sum += word;
    }
    sink = sum;
    (void)sink;
    return bench_cpu_ms() - begin;
}

static void gguf_header(void)
{
    static char room[1 << 20];
    struct gguf_writer w;
    double own = 1e9, pass = 1e9;
    gguf_begin(&w, 3);
    gguf_put_large(&w);
    struct kvc_span file = gguf_bytes(&w, false);
    for (int i = 0; i < HEADER_RUNS; i++) {
        double next = cost_of_layers(file, room, sizeof room), plain = cost_of_pass(file);
        own = next < own ? next : own;
        pass = plain < pass ? plain : pass;
    }
    bench_begin("gguf_header_to_layers");
    bench_figure("cpu_ms", own);
    bench_figure("header_mb", (double)file.length / 1e6);
    bench_figure("plain_pass_cpu_ms", pass);
    bench_figure("goal_cpu_ms", 10);
    bench_end();
    gguf_end(&w);
}

/* A safetensors file without its data: experts by the thousand, which is where headers are long. */
static void write_tensors(const char *path, unsigned tensors)
{
    static const char ENTRY[] =
        "%s\"model.layers.%u.mlp.experts.%u.%s_proj.weight\":{\"dtype\":\"BF16\",\"shape\":"
        "[2048,7168],\"data_offsets\":[%llu,%llu]}";
    const unsigned long long each = 2048ULL * 7168 * 2;
    FILE *file = fopen(path, "wb");
    long length;
    if (file == NULL || fseek(file, 8, SEEK_SET) != 0)
        bench_die(path);
    for (unsigned i = 0; i < tensors; i++)
        fprintf(file, ENTRY, i == 0 ? "{" : ",", i / 1000, i / 2 % 500, i % 2 ? "up" : "down",
                i * each, (i + 1) * each);
    fputc('}', file);
    length = ftell(file) - 8;
    if (length < 0 || fseek(file, 0, SEEK_SET) != 0)
        bench_die(path);
    for (unsigned i = 0; i < 8; i++)
        fputc((int)((unsigned long long)length >> 8 * i & 0xFF), file);
    if (fclose(file) != 0 || truncate(path, 8 + length + (off_t)(tensors * each)) != 0)
        bench_die(path);
}

static void tensors(char *program)
{
    char *argv[] = { program, "inspect", "model.safetensors", NULL };
    char *plain[] = { "head", "-c", "7000000", "model.safetensors", NULL };
    struct cost own = run_to(argv, 10, "out", 3), other = run(plain, 10, "plain");
    bench_begin("header_of_50000_tensors");
    bench_figure("cpu_ms", own.cpu_ms);
    bench_figure("wall_ms", own.wall_ms);
    bench_figure("plain_read_cpu_ms", other.cpu_ms);
    bench_figure("peak_mib", (double)own.peak_kib / 1024);
    bench_figure("goal_cpu_ms", 100);
    bench_end();
}

/* ---- Headers of GGUF files, as whole processes. */

static void put_small(struct gguf_writer *w)
{
    gguf_begin(w, 3);
    gguf_put_text(w, "general.architecture", "llama");
    gguf_put(w, "llama.block_count", KVC_GGUF_U32, 36);
    gguf_put(w, "llama.embedding_length", KVC_GGUF_U32, 4096);
    gguf_put(w, "llama.attention.head_count", KVC_GGUF_U32, 32);
    gguf_put(w, "llama.attention.head_count_kv", KVC_GGUF_U32, 8);
}

/* Four times as many keys or tensors should cost four times as much. */
static void inspect_gguf(char *program, const char *name, struct gguf_writer *w, bool with_data,
                         double goal_cpu_ms)
{
    char *argv[] = { program, "inspect", "model.gguf", NULL };
    char *plain[] = { "cat", "model.gguf", NULL };
    struct kvc_span bytes = gguf_bytes(w, with_data);
    FILE *file = fopen("model.gguf", "wb");
    if (file == NULL || fwrite(bytes.text, 1, bytes.length, file) != bytes.length ||
        fclose(file) != 0)
        bench_die("model.gguf");
    double file_mb = (double)bytes.length / 1e6;
    gguf_end(w); /* before the forks, which would copy its pages */
    struct cost own = run(argv, 10, "out"), other = run(plain, 10, "plain");
    bench_begin(name);
    bench_figure("cpu_ms", own.cpu_ms);
    bench_figure("wall_ms", own.wall_ms);
    bench_figure("file_mb", file_mb);
    bench_figure("plain_read_cpu_ms", other.cpu_ms);
    bench_figure("peak_mib", (double)own.peak_kib / 1024);
    bench_figure("goal_cpu_ms", goal_cpu_ms);
    bench_end();
}

static void put_keys(struct gguf_writer *w, unsigned keys)
{
    char key[16];
    put_small(w);
    for (unsigned i = 0; i < keys; i++) {
        snprintf(key, sizeof key, "k%u", i);
        gguf_put(w, key, KVC_GGUF_U32, i);
    }
}

static void put_tensors(struct gguf_writer *w, unsigned count)
{
    char name[16];
    put_small(w);
    for (unsigned i = 0; i < count; i++) {
        snprintf(name, sizeof name, "t%u", i);
        gguf_tensor(w, name, 0, 1, 1);
    }
}

static void gguf_files(char *program)
{
    struct gguf_writer w;
    gguf_begin(&w, 3);
    gguf_put_large(&w);
    inspect_gguf(program, "inspect_gguf_of_151936_tokens", &w, false, 10);
    put_keys(&w, 50000);
    inspect_gguf(program, "inspect_gguf_of_50000_keys", &w, false, 50);
    put_keys(&w, 200000);
    inspect_gguf(program, "inspect_gguf_of_200000_keys", &w, false, 200);
    put_tensors(&w, 50000);
    inspect_gguf(program, "inspect_gguf_of_50000_tensors", &w, true, 50);
    put_tensors(&w, 200000);
    inspect_gguf(program, "inspect_gguf_of_200000_tensors", &w, true, 200);
}

static const char CONFIG[] = "{\"model_type\":\"llama\",\"num_hidden_layers\":32,"
                             "\"num_attention_heads\":32,\"num_key_value_heads\":8,"
                             "\"hidden_size\":4096,\"max_position_embeddings\":131072,"
                             "\"torch_dtype\":\"bfloat16\"}\n";

int main(int argc, char **argv)
{
    char folder[] = "/tmp/kvcap-bench-XXXXXX", program[4096], contract[128];
    if (argc != 3 || realpath(argv[1], program) == NULL)
        bench_die("usage: kvcap-bench PROGRAM RESULT.json");
    result = fopen(argv[2], "wb");
    if (result == NULL || mkdtemp(folder) == NULL || chdir(folder) != 0)
        bench_die(argv[2]);

    write_file("config.json", CONFIG);
    char *make_contract[] = { program,
                              "contract",
                              "--model",
                              "config.json",
                              "--device-bytes",
                              "9007199254740991",
                              "--weights",
                              "0",
                              "--requests-max",
                              "100000000",
                              "--window-bytes-max",
                              "9007199254740991",
                              NULL };
    run(make_contract, 1, "deployment.jsonl");
    id_in("deployment.jsonl", "kv-capacity-contract", contract);
    write_window("tiny.draft.jsonl", contract, 2);
    write_window("window.draft.jsonl", contract, REQUESTS);
    char *seal_tiny[] = { program, "seal", "tiny.draft.jsonl", NULL };
    char *seal_window[] = { program, "seal", "window.draft.jsonl", NULL };
    run(seal_tiny, 1, "tiny.jsonl");
    run(seal_window, 1, "window.jsonl");

    char *inspect[] = { program, "inspect", "config.json", NULL };
    char *read_config[] = { "cat", "config.json", NULL };
    char *plan[] = { program, "plan", "deployment.jsonl", "tiny.jsonl", NULL };
    char *read_both[] = { "cat", "deployment.jsonl", "tiny.jsonl", NULL };
    bench_small("inspect", inspect, read_config);
    bench_small("plan_small", plan, read_both);
    window(program, "deployment.jsonl");
    bench_fits(program);
    write_tensors("model.safetensors", 50000);
    tensors(program);
    gguf_header();
    gguf_files(program);

    fprintf(result, "\n]\n");
    if (fclose(result) != 0)
        bench_die(argv[2]);
    if (chdir("/") != 0)
        bench_die("/");
    char *clean[] = { "rm", "-rf", folder, NULL };
    run(clean, 1, "/dev/null");
    return 0;
}
