/* logs.c - the lines of logs/: what people's engines printed, against what follows from the rest of the row.
 *
 * Counts rows of vLLM, llama.cpp, ik_llama.cpp and calculators that are determined; names the others. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "logs.h"
#include "os/os.h"

enum engine_at { AT_VLLM, AT_LLAMACPP, AT_IK, AT_CALCULATOR, ENGINES };

static const char *const NAMES[ENGINES] = { "vllm", "llama.cpp", "ik_llama.cpp", "calculator" };

struct unknown {
    char name[40];
    size_t count;
};

#define UNKNOWN_MAX 16

struct run {
    struct report *report;
    struct kvc_arena arena, rows;
    struct log_asker asker;
    const char *path;
    size_t total[ENGINES], determined[ENGINES];
    struct unknown unknown[UNKNOWN_MAX];
    size_t unknown_count, files, line; /* the line of the file */
};

/* ---- A row. */

static const struct kvc_value *due(const struct run *run, const struct kvc_value *row,
                                   const char *key, enum kvc_type type)
{
    const struct kvc_value *value = kvc_value_member(row, key);
    if (value == NULL || value->type != type) {
        char what[100];
        snprintf(what, sizeof what, "%s: line %zu: the member is missing or of another type", key,
                 run->line);
        broken(run->path, what);
    }
    return value;
}

static void count_unknown(struct run *run, struct kvc_span engine)
{
    size_t i = 0;
    while (i < run->unknown_count && !kvc_span_is(engine, run->unknown[i].name))
        i++;
    if (i == UNKNOWN_MAX)
        broken(run->path, "more engines than the suite can name");
    if (i == run->unknown_count)
        snprintf(run->unknown[run->unknown_count++].name, sizeof run->unknown[i].name, "%.*s",
                 (int)engine.length, engine.text);
    run->unknown[i].count++;
}

static void one_row(struct run *run, const struct kvc_value *tree)
{
    struct kvc_span engine = due(run, tree, "engine", KVC_STRING)->text;
    struct kvc_span id = due(run, tree, "id", KVC_STRING)->text;
    struct log_row row = {
        .version = due(run, tree, "engine_version", KVC_STRING)->text,
        .model = due(run, tree, "model", KVC_STRING)->text,
        .settings = due(run, tree, "settings", KVC_OBJECT),
        .inputs = due(run, tree, "inputs", KVC_OBJECT),
        .reported = due(run, tree, "reported", KVC_OBJECT),
    };
    struct log_outcome outcome = { .compared = 0 };
    char told[240] = "";
    size_t at = 0;
    snprintf(row.id, sizeof row.id, "%.*s", (int)id.length, id.text);
    while (at < ENGINES && !kvc_span_is(engine, NAMES[at]))
        at++;
    if (at == ENGINES) {
        count_unknown(run, engine);
        return;
    }
    if (at == AT_VLLM)
        log_vllm_row(&run->asker, &row, &outcome);
    else if (at == AT_LLAMACPP)
        log_llamacpp_row(&run->asker, &row, &outcome);
    else if (at == AT_IK)
        log_ik_row(&run->asker, &row, &outcome);
    else
        log_calculator_row(&run->asker, &row, &outcome, told);
    run->total[at]++;
    if (told[0] != '\0')
        fprintf(stderr, "  %s: %s\n", row.id, told);
    if (outcome.compared == 0 && !outcome.differs) {
        if (told[0] == '\0')
            fprintf(stderr, "  undetermined: %s: %s\n", row.id, outcome.missing);
        return;
    }
    run->determined[at]++;
    if (outcome.differs)
        fail(run->report, row.id, outcome.expected, "%s", outcome.got);
    else
        pass(run->report);
}

/* ---- Files. */

static void visit(void *context, const char *name)
{
    struct run *run = context;
    char path[300];
    snprintf(path, sizeof path, "logs/%.200s", name);
    struct kvc_span rest = file_text(&run->arena, run->report->dir, path), line;
    run->path = path;
    run->files++;
    run->line = 0;
    while (next_line(&rest, &line)) {
        run->line++;
        struct kvc_mark mark = kvc_arena_mark(&run->rows);
        one_row(run, parsed(&run->rows, path, line));
        kvc_arena_rewind(&run->rows, mark);
    }
}

static void tell(struct run *run)
{
    char others[120] = "";
    size_t length = 0;
    size_t total = run->total[AT_VLLM] + run->total[AT_LLAMACPP];
    size_t determined = run->determined[AT_VLLM] + run->determined[AT_LLAMACPP];
    for (size_t i = 0; i < run->unknown_count && length < sizeof others; i++)
        length += (size_t)snprintf(others + length, sizeof others - length, "%s%zu %s",
                                   i == 0 ? "; not yet known: " : ", ", run->unknown[i].count,
                                   run->unknown[i].name);
    snprintf(
        run->report->detail, sizeof run->report->detail,
        "determined: %zu of %zu rows of vLLM and llama.cpp (%zu %%), %zu of %zu of ik_llama.cpp%s",
        determined, total, total == 0 ? 0 : 100 * determined / total, run->determined[AT_IK],
        run->total[AT_IK], others);
}

static void run_logs(struct report *report)
{
    struct run *run = calloc(1, sizeof *run);
    if (run == NULL)
        broken("logs", "no memory");
    run->report = report;
    kvc_arena_from(&run->arena, &kvc_os_memory, (size_t)1 << 30);
    kvc_arena_from(&run->rows, &kvc_os_memory, (size_t)1 << 30);
    log_asker_begin(&run->asker);
    each_file(&run->arena, report->dir, "logs", ".jsonl", visit, run);
    if (run->files > 0)
        tell(run);
    log_asker_end(&run->asker);
    kvc_arena_drop(&run->rows);
    kvc_arena_drop(&run->arena);
    free(run);
}

static bool knows(const char *path)
{
    return starts(path, "logs/") && ends(path, ".jsonl");
}

const struct suite LOGS_SUITE = { "logs", run_logs, knows };
