/* main.c - kvcap against llama.cpp itself, in two steps with kvcap between them:
 *
 *   live write FOLDER [how]        writes the models there, and one question a context
 *   live compare LIB FOLDER [how]  reads kvcap's answers, asks the engine in LIB, and says what agrees
 *
 *   --model=NAME  that one alone    --seed=N  contexts that are drawn    --lines  of what agrees, too
 *
 * Goal:   what kvcap predicts is what the engine logs, letter by letter, and what it allocates, byte by
 *         byte, for each model and context.
 * Method: the lines of both have to be the same, all of them in their order, and the bytes of each cache.
 *         A context that the engine refuses, by a word or by an assertion that ends it, has to be refused
 *         in the same words.  A refusal of one side alone is a difference. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/models.h"
#include "live/said.h"
#include "live/write_model.h"
#include "json/scan.h"

#define LINE_BYTES_MAX ((size_t)1 << 20)

struct how {
    const char *model; /* NULL: all */
    uint64_t seed;     /* 0: the table's contexts */
    bool show_lines;
};
#define ENGINE_VERSION "0.4.0" /* what the questions are about */

static void model_path(const char *folder, size_t model, char *ret_path, size_t room)
{
    snprintf(ret_path, room, "%s/%s.gguf", folder, live_models[model].name);
}

/* ---- Questions. */

static void ask_count(const char *name, uint32_t value)
{
    if (value != 0)
        printf(",\"%s\":%u", name, value);
}

static void ask_text(const char *name, const char *value)
{
    if (value != NULL)
        printf(",\"%s\":\"%s\"", name, value);
}

static const char *truth(bool value)
{
    return value ? "true" : "false";
}

static void write_question(const char *path, size_t model, const struct live_options *options)
{
    static const char *const FLASH[] = { "auto", "on", "off" };
    printf("{\"id\":\"%s %s\",\"engine\":\"llama.cpp@" ENGINE_VERSION
           "\",\"model\":{\"gguf\":\"%s\"}",
           live_models[model].name, options->name, path);
    printf(",\"settings\":{\"n_ctx\":%u,\"flash_attn\":\"%s\",\"kv_unified\":%s,\"swa_full\":%s",
           options->n_ctx, FLASH[options->flash], truth(options->is_unified),
           truth(options->swa_full));
    ask_count("n_seq_max", options->n_seq_max);
    ask_count("n_batch", options->n_batch);
    ask_count("n_ubatch", options->n_ubatch);
    ask_count("n_rs_seq", options->n_rs_seq);
    ask_text("type_k", options->type_k);
    ask_text("type_v", options->type_v);
    printf("},\"explain\":true}\n"); /* the lines of the context, too */
}

static bool is_wanted(size_t model, const struct how *how)
{
    return how->model == NULL || strcmp(live_models[model].name, how->model) == 0;
}

static int write_all(const char *folder, const struct how *how)
{
    char path[1024];
    for (size_t i = 0; i < live_models_count; i++) {
        if (!is_wanted(i, how))
            continue;
        model_path(folder, i, path, sizeof path);
        live_write_model(&live_models[i], path);
        for (size_t k = 0; k < LIVE_CONTEXTS; k++) {
            struct live_options options = live_options(how->seed, i, k);
            write_question(path, i, &options);
        }
    }
    return 0;
}

static struct kvc_value *read_answer(struct kvc_arena *arena, char **line)
{
    struct kvc_value *answer;
    kvcap_error err;
    size_t room = 0;
    ssize_t length = getline(line, &room, stdin);
    if (length <= 0) {
        fprintf(stderr, "live: there are fewer answers than questions\n");
        exit(2);
    }
    struct kvc_span text = { .text = *line, .length = (size_t)length };
    if (kvc_scan(arena, text, LINE_BYTES_MAX, KVC_SCAN_FOREIGN, &answer, &err) != KVCAP_OK) {
        fprintf(stderr, "live: an answer is not JSON: %.*s\n", (int)length, *line);
        exit(2);
    }
    return answer;
}

/* ---- The comparison. */

struct context {
    char *line; /* of kvcap's answers */
    struct kvc_value *answer;
    struct live_report report;
    struct live_said predicted, logged;
    char letter;
    char memory[1 << 18];
};

struct tally {
    size_t models, archs, equal, refused, ended, different;
};

/* One letter of the table. */
static char judge(struct tally *tally, const struct live_said *predicted,
                  const struct live_said *logged, enum live_outcome outcome)
{
    if (!live_same(predicted, logged)) {
        tally->different++;
        return 'X';
    }
    tally->equal++;
    tally->refused += outcome == LIVE_NO_CONTEXT;
    tally->ended += outcome == LIVE_ENDED;
    return outcome == LIVE_ENDED ? 'a' : logged->is_refused ? 'r' : '=';
}

static void show(const char *who, const struct live_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        printf("    %s  %.*s\n", who, (int)lines->at[i].length, lines->at[i].text);
}

static void tell(const struct context *context)
{
    static const char *const OUTCOMES[] = { "made", "no model", "no context", "ended itself" };
    const struct kvc_span id = kvc_value_member(context->answer, "id")->text;
    printf("  %.*s: %s (engine: %s)\n", (int)id.length, id.text,
           context->letter == 'X' ? "DIFFERENT" : "equal", OUTCOMES[context->report.outcome]);
    show("kvcap ", &context->predicted.lines);
    show("kvcap ", &context->predicted.bytes);
    show("engine", &context->logged.lines);
    show("engine", &context->logged.bytes);
}

static void compare_context(const struct live_options *options, struct context *context,
                            struct tally *tally)
{
    struct kvc_arena arena;
    kvc_arena_over(&arena, context->memory, sizeof context->memory);
    context->line = NULL;
    context->answer = read_answer(&arena, &context->line);
    live_engine_ask(options, &context->report);
    live_hear_kvcap(context->answer, &arena, &context->predicted);
    live_hear_engine(&context->report, &context->logged);
    context->letter = judge(tally, &context->predicted, &context->logged, context->report.outcome);
}

static bool is_first_of_arch(size_t model)
{
    for (size_t i = 0; i < model; i++) {
        if (strcmp(live_models[i].arch, live_models[model].arch) == 0)
            return false;
    }
    return true;
}

static void compare_model(const char *folder, size_t model, const struct how *how,
                          struct tally *tally)
{
    static struct context contexts[LIVE_CONTEXTS];
    char path[1024];
    model_path(folder, model, path, sizeof path);
    printf("%-16s", live_models[model].name);
    fflush(stdout);
    live_engine_load(path);
    for (size_t k = 0; k < LIVE_CONTEXTS; k++) {
        struct live_options options = live_options(how->seed, model, k);
        compare_context(&options, &contexts[k], tally);
        printf(" %*c", (int)strlen(options.name), contexts[k].letter);
    }
    printf("\n");
    for (size_t k = 0; k < LIVE_CONTEXTS; k++) {
        if (how->show_lines || contexts[k].letter == 'X')
            tell(&contexts[k]);
        free(contexts[k].line);
    }
    tally->models++;
    tally->archs += is_first_of_arch(model);
}

static int compare_all(const char *library, const char *folder, const struct how *how)
{
    struct tally tally = { 0 };
    live_engine_begin(library);
    if (!kvc_span_starts(kvc_span_of(live_engine_version()), ENGINE_VERSION)) {
        fprintf(stderr, "live: the engine in %s is %s\n", library, live_engine_version());
        return 2;
    }
    printf(
        "llama.cpp %s: = the same lines and bytes, r the same refusal, a the same assertion that "
        "ends it, X different\n\n%-16s",
        live_engine_version(), "");
    for (size_t k = 0; k < LIVE_CONTEXTS; k++)
        printf(" %s", live_options(how->seed, 0, k).name);
    printf("\n");
    for (size_t i = 0; i < live_models_count; i++) {
        if (is_wanted(i, how))
            compare_model(folder, i, how, &tally);
    }
    printf("\n%zu models, %zu architectures, %d contexts each\n", tally.models, tally.archs,
           LIVE_CONTEXTS);
    printf("%zu of %zu equal (%zu of them refused, %zu ended by an assertion)\n", tally.equal,
           tally.equal + tally.different, tally.refused, tally.ended);
    return tally.different == 0 && tally.equal > 0 ? 0 : 1;
}

static bool read_how(char **words, struct how *how)
{
    *how = (struct how){ .model = NULL };
    for (; *words != NULL; words++) {
        if (strncmp(*words, "--model=", 8) == 0)
            how->model = *words + 8;
        else if (strncmp(*words, "--seed=", 7) == 0)
            how->seed = strtoull(*words + 7, NULL, 10);
        else if (strcmp(*words, "--lines") == 0)
            how->show_lines = true;
        else
            return false;
    }
    return true;
}

int main(int count, char **words)
{
    struct how how;
    if (count >= 3 && strcmp(words[1], "write") == 0 && read_how(words + 3, &how))
        return write_all(words[2], &how);
    if (count >= 4 && strcmp(words[1], "compare") == 0 && read_how(words + 4, &how))
        return compare_all(words[2], words[3], &how);
    fprintf(stderr, "usage: live write FOLDER | live compare LIB FOLDER\n"
                    "       and [--model=NAME] [--seed=N] [--lines]\n");
    return 2;
}
