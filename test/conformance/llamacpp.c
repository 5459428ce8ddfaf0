/* llamacpp.c - what llama.cpp 0.4.0 allocated and printed, against what the engine says it would.
 *
 * Two suites.  `llamacpp` runs each row of llamacpp/golden.jsonl on the model that its id names in
 * llamacpp/models.jsonl; `archs_tiny` runs each result of llamacpp/archs_tiny.jsonl, whose rows bring
 * their models along.  Every member of a row is compared; a row of another member is broken. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/llamacpp.h"
#include "os/os.h"
#include "shape/from_gguf.h"
#include "shape/gguf_typed.h"
#include "suite.h"

#define MODELS "llamacpp/models.jsonl"
#define GOLDEN "llamacpp/golden.jsonl"
#define ARCHS "llamacpp/archs_tiny.jsonl"
#define DAY 20260912 /* v0.4.0 */

struct run {
    struct report *report;
    struct kvc_arena *arena;   /* models */
    struct kvc_arena *scratch; /* one case */
    const char *path;
    char id[160];
    struct kvc_answer *answer;
    const struct kvc_llamacpp_plan *plan;
    bool has_failed;
};

/* ---- Lines of a file. */

static const struct kvc_value *next_row(struct kvc_arena *arena, const char *path,
                                        struct kvc_span *rest)
{
    while (rest->length > 0) {
        const char *end = memchr(rest->text, '\n', rest->length);
        size_t length = end == NULL ? rest->length : (size_t)(end - rest->text);
        struct kvc_span line = { rest->text, length };
        rest->text += length + (end != NULL);
        rest->length -= length + (end != NULL);
        if (length > 0)
            return parsed(arena, path, line);
    }
    return NULL;
}

static const struct kvc_value *member(const char *path, const struct kvc_value *object,
                                      const char *key, enum kvc_type type)
{
    const struct kvc_value *value = kvc_value_member(object, key);
    if (value == NULL || value->type != type)
        broken(path, key);
    return value;
}

/* ---- One expectation after the other; the first that fails is told. */

static void expect(struct run *run, bool is_due, const char *what, const char *expected,
                   const char *got)
{
    char text[400];
    if (is_due || run->has_failed)
        return;
    run->has_failed = true;
    snprintf(text, sizeof text, "%.60s %.300s", what, expected);
    fail(run->report, run->id, text, "%s", got);
}

static void expect_number(struct run *run, const struct kvc_value *value, const char *what,
                          uint64_t got)
{
    char digits[24], text[64] = "";
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)got);
    if (value != NULL)
        snprintf(text, sizeof text, "%.*s", (int)value->text.length, value->text.text);
    expect(run, value != NULL && value->type == KVC_NUMBER && strcmp(text, digits) == 0, what, text,
           digits);
}

static void expect_text(struct run *run, const struct kvc_value *value, const char *what,
                        const char *got)
{
    char text[300] = "";
    if (value != NULL)
        snprintf(text, sizeof text, "%.*s", (int)value->text.length, value->text.text);
    expect(run, value != NULL && value->type == KVC_STRING && strcmp(text, got) == 0, what, text,
           got);
}

static const char *line_at(const struct run *run, uint32_t i, char room[512])
{
    snprintf(room, 512, "%.*s", (int)run->answer->lines[i].length, run->answer->lines[i].text);
    return room;
}

/* How often a line is printed. */
static size_t printed(const struct run *run, struct kvc_span line)
{
    size_t count = 0;
    for (uint32_t i = 0; i < run->answer->lines_count; i++)
        count += kvc_span_equal(run->answer->lines[i], line);
    return count;
}

/* ---- Members that a row may have: another one is no row of ours. */

static void expect_members(const char *path, const struct kvc_value *object,
                           const char *const *names)
{
    for (const struct kvc_value *e = object->first; e != NULL; e = e->next) {
        bool is_known = false;
        for (size_t i = 0; names[i] != NULL; i++)
            is_known = is_known || kvc_span_is(e->key, names[i]);
        if (!is_known)
            broken(path, "a member that the suite does not compare");
    }
}

/* ---- Caches. */

/* A number for all layers, or a list of one for each. */
static void expect_rows(struct run *run, const struct kvc_value *value, const char *what,
                        const struct kvc_llamacpp_cache *cache, bool is_v)
{
    uint32_t at = 0;
    if (value == NULL || (value->type == KVC_ARRAY && value->count != cache->layers))
        expect(run, false, what, "a number a layer", "another number of layers");
    for (uint32_t i = 0; i < cache->rows_count && !run->has_failed; i++) {
        const struct kvc_llamacpp_rows *rows = &cache->rows[i];
        uint64_t got = is_v ? kvc_llamacpp_v_elements(cache, &run->plan->context, rows) : rows->k;
        for (uint32_t j = 0; j < rows->count; j++)
            expect_number(run, value->type == KVC_ARRAY ? kvc_value_element(value, at++) : value,
                          what, got);
    }
}

/* Told where layers are not the first ones without a gap. */
static void expect_layers(struct run *run, const struct kvc_value *list,
                          const struct kvc_llamacpp_cache *cache)
{
    uint32_t at = 0;
    if (list != NULL && list->count != cache->layers)
        expect(run, false, "layer_ids", "one a layer", "another number of layers");
    for (uint32_t i = 0; i < cache->rows_count && !run->has_failed; i++) {
        for (uint32_t j = 0; j < cache->rows[i].count; j++, at++) {
            if (list != NULL)
                expect_number(run, kvc_value_element(list, at), "layer_ids",
                              cache->rows[i].first + j);
            else
                expect(run, cache->rows[i].first + j == at, "layer_ids", "the first ones",
                       "others");
        }
    }
}

static void expect_kv(struct run *run, const struct kvc_value *due,
                      const struct kvc_llamacpp_weight *weight,
                      const struct kvc_answer_cache *entry)
{
    static const char *const NAMES[] = { "kind",    "line",   "cells",     "layers",  "seqs",
                                         "streams", "type_k", "type_v",    "k_bytes", "v_bytes",
                                         "k_row",   "v_row",  "layer_ids", NULL };
    const struct kvc_llamacpp_context *context = &run->plan->context;
    const struct kvc_llamacpp_params *params = &run->plan->wanted.params;
    expect_members(run->path, due, NAMES);
    expect_number(run, kvc_value_member(due, "cells"), "cells", entry->cells.value);
    expect_number(run, kvc_value_member(due, "layers"), "layers", entry->layers.value);
    expect_number(run, kvc_value_member(due, "seqs"), "seqs", context->n_seq_max);
    expect_number(run, kvc_value_member(due, "streams"), "streams", entry->streams.value);
    expect_text(run, kvc_value_member(due, "type_k"), "type_k", kvc_format_name(params->type_k));
    expect_text(run, kvc_value_member(due, "type_v"), "type_v", kvc_format_name(params->type_v));
    expect_number(run, kvc_value_member(due, "k_bytes"), "k_bytes", entry->k_bytes.value);
    expect_number(run, kvc_value_member(due, "v_bytes"), "v_bytes", entry->v_bytes.value);
    expect_rows(run, kvc_value_member(due, "k_row"), "k_row", weight->cache, false);
    expect_rows(run, kvc_value_member(due, "v_row"), "v_row", weight->cache, true);
    expect_layers(run, kvc_value_member(due, "layer_ids"), weight->cache);
}

static void expect_recurrent(struct run *run, const struct kvc_value *due,
                             const struct kvc_llamacpp_weight *weight,
                             const struct kvc_answer_cache *entry)
{
    static const char *const NAMES[] = { "kind",          "line",    "cells",   "layers",
                                         "layers_logged", "r_bytes", "s_bytes", "p_bytes",
                                         "rows",          "r_row",   "s_row",   NULL };
    const struct kvc_llamacpp_context *context = &run->plan->context;
    expect_members(run->path, due, NAMES);
    expect_number(run, kvc_value_member(due, "cells"), "cells", entry->cells.value);
    expect_number(run, kvc_value_member(due, "layers_logged"), "layers_logged",
                  entry->layers.value);
    expect_number(run, kvc_value_member(due, "layers"), "layers", weight->cache->layers);
    expect_number(run, kvc_value_member(due, "r_bytes"), "r_bytes", entry->r_bytes.value);
    expect_number(run, kvc_value_member(due, "s_bytes"), "s_bytes", entry->s_bytes.value);
    expect_number(run, kvc_value_member(due, "p_bytes"), "p_bytes", weight->p_bytes);
    expect_number(run, kvc_value_member(due, "rows"), "rows",
                  (uint64_t)context->n_seq_max * (1 + context->n_rs_seq));
    expect_number(run, kvc_value_member(due, "r_row"), "r_row", weight->cache->r);
    expect_number(run, kvc_value_member(due, "s_row"), "s_row", weight->cache->s);
}

/* The next weight with a line of its own, past `*at`, and the answer's entry for it. */
static const struct kvc_llamacpp_weight *next_cache(const struct run *run, uint32_t *at,
                                                    uint32_t *entry)
{
    while (*at < run->plan->weights.count &&
           run->plan->weights.list[*at].cache->kind == KVC_LLAMACPP_STATE)
        ++*at;
    while (*entry < run->answer->caches_count &&
           strcmp(run->answer->caches[*entry].kind, "state") == 0)
        ++*entry;
    return *at < run->plan->weights.count && *entry < run->answer->caches_count
               ? &run->plan->weights.list[(*at)++]
               : NULL;
}

/* The line of a cache, in the order of the log: the next one of its kind. */
static void expect_line(struct run *run, const struct kvc_value *line, uint32_t *from)
{
    char room[512] = "no line of a cache";
    for (; *from < run->answer->lines_count; ++*from) {
        if (strstr(line_at(run, *from, room), ": size = ") != NULL)
            break;
    }
    expect_text(run, line, "line", room);
    ++*from;
}

static void expect_caches(struct run *run, const struct kvc_value *list)
{
    uint32_t at = 0, entry = 0;
    uint32_t from = 0;
    for (const struct kvc_value *due = list->first; due != NULL && !run->has_failed;
         due = due->next) {
        const struct kvc_llamacpp_weight *weight = next_cache(run, &at, &entry);
        const struct kvc_value *line = kvc_value_member(due, "line");
        expect(run, weight != NULL, "caches", "one more", "no more");
        if (weight == NULL)
            return;
        const struct kvc_answer_cache *got = &run->answer->caches[entry++];
        expect_text(run, kvc_value_member(due, "kind"), "kind", got->kind);
        if (weight->cache->kind == KVC_LLAMACPP_KV)
            expect_kv(run, due, weight, got);
        else
            expect_recurrent(run, due, weight, got);
        if (line != NULL)
            expect_line(run, line, &from);
    }
    expect(run, run->has_failed || next_cache(run, &at, &entry) == NULL, "caches", "no more",
           "one more");
}

/* ---- Warnings and refusals. */

static bool is_warning(const char *line)
{
    return strstr(line, "rounding down to") != NULL || strstr(line, "padding V cache to") != NULL ||
           strstr(line, "forcing off") != NULL;
}

/* Each as often as it is printed, and no other of the kinds that are recorded. */
static void expect_warnings(struct run *run, const struct kvc_value *list)
{
    size_t due = 0, got = 0;
    char room[512];
    for (const struct kvc_value *e = list == NULL ? NULL : list->first; e != NULL; e = e->next) {
        size_t wanted = 0;
        for (const struct kvc_value *other = list->first; other != NULL; other = other->next)
            wanted += kvc_span_equal(other->text, e->text);
        due++;
        snprintf(room, sizeof room, "%.*s", (int)e->text.length, e->text.text);
        expect(run, printed(run, e->text) == wanted, "warning", room,
               "no such line, or more of it");
    }
    for (uint32_t i = 0; i < run->answer->lines_count; i++)
        got += is_warning(line_at(run, i, room));
    expect(run, due == got, "warnings", "no other", "one more");
}

static bool has_note(const struct run *run, const char *code)
{
    for (size_t i = 0; i < run->answer->notes.count; i++) {
        if (strcmp(run->answer->notes.list[i].code, code) == 0)
            return true;
    }
    return false;
}

/* The last line of an error is the refusal, those before are printed; an assertion that ended the
 * process is a note. */
static void expect_refusal(struct run *run, const struct kvc_value *error)
{
    const struct kvc_value *last = error->last;
    char text[300];
    snprintf(text, sizeof text, "%.*s", (int)run->answer->refusal_text.length,
             run->answer->refusal_text.text == NULL ? "" : run->answer->refusal_text.text);
    if (last == NULL || last->type != KVC_STRING)
        broken(run->path, "an error is a list of lines");
    if (kvc_span_starts(last->text, "crash")) {
        expect(run, has_note(run, "engine.assertion"), "note", "engine.assertion", "none");
        return;
    }
    expect(run, run->answer->decision == KVC_DECISION_REFUSED, "decision", "REFUSED", "another");
    expect_text(run, last, "refusal", text);
    for (const struct kvc_value *e = error->first; e != last; e = e->next)
        expect(run, printed(run, e->text) == 1, "line", "before the refusal", "none");
}

static void expect_result(struct run *run, const struct kvc_value *row)
{
    const struct kvc_llamacpp_context *context = &run->plan->context;
    const struct kvc_value *ok = kvc_value_member(row, "ok");
    static const struct {
        const char *name;
        size_t at;
    } MEMBERS[] = { { "n_ctx", 0 },   { "n_ctx_seq", 1 }, { "n_seq_max", 2 },
                    { "n_batch", 3 }, { "n_ubatch", 4 },  { "n_rs_seq", 5 } };
    const uint64_t got[] = { context->n_ctx,   context->n_ctx_seq, context->n_seq_max,
                             context->n_batch, context->n_ubatch,  context->n_rs_seq };
    if (ok == NULL || (ok->type != KVC_TRUE && ok->type != KVC_FALSE))
        broken(run->path, "ok is due, true or false");
    if (ok->type == KVC_FALSE) {
        expect_refusal(run, member(run->path, row, "error", KVC_ARRAY));
        return;
    }
    expect(run, run->answer->decision == KVC_DECISION_NONE, "decision", "none", "one");
    for (size_t i = 0; i < sizeof MEMBERS / sizeof MEMBERS[0]; i++) {
        const struct kvc_value *value = kvc_value_member(row, MEMBERS[i].name);
        if (value != NULL)
            expect_number(run, value, MEMBERS[i].name, got[MEMBERS[i].at]);
    }
    expect_caches(run, member(run->path, row, "caches", KVC_ARRAY));
    expect_number(run, kvc_value_member(row, "context_bytes"), "context_bytes",
                  run->answer->reserved_total_bytes.value);
}

/* ---- A case. */

/* The row's options as settings: it has 1 for true, and swa_full off where it says nothing. */
static const struct kvc_value *settings_of(struct run *run, const struct kvc_value *opt)
{
    struct kvc_build build = { .arena = run->scratch };
    struct kvc_value *object = kvc_build_object(&build, NULL, NULL);
    static const char *const TRUTHS[] = { "kv_unified", "swa_full" };
    for (const struct kvc_value *e = opt->first; e != NULL; e = e->next) {
        char *key = kvc_arena_array(run->scratch, e->key.length + 1, 1);
        memcpy(key, e->key.text, e->key.length);
        if (strcmp(key, "kv_unified") != 0 && strcmp(key, "swa_full") != 0)
            kvc_build_copy(&build, object, key, e);
    }
    for (size_t i = 0; i < 2; i++) {
        const struct kvc_value *said = kvc_value_member(opt, TRUTHS[i]);
        kvc_build_bool(&build, object, TRUTHS[i], said != NULL && kvc_span_is(said->text, "1"));
    }
    return object;
}

static void ask(struct run *run, const struct kvc_engine_model *model, const struct kvc_value *row)
{
    kvcap_error err;
    const struct kvc_value *opt = member(run->path, row, "opt", KVC_OBJECT);
    const struct kvc_engine *engine = &kvc_engine_llamacpp;
    struct kvc_settings *settings = kvc_arena_array(run->scratch, 1, sizeof *settings);
    struct kvc_engine_memory memory = { .given = false };
    struct kvc_answer *answer = kvc_arena_array(run->scratch, 1, sizeof *answer);
    struct kvc_llamacpp_plan *plan = kvc_arena_array(run->scratch, 1, sizeof *plan);
    struct kvc_engine_question question = {
        .model = model, .day = DAY, .settings = settings, .memory = &memory, .arena = run->scratch
    };
    kvc_answer_begin(answer, run->scratch, false);
    kvc_settings_begin(settings, settings_of(run, opt), engine->settings, engine->settings_count,
                       "", run->scratch, &err);
    run->answer = answer;
    run->plan = plan;
    kvcap_code rc = kvc_llamacpp_make(&question, answer, plan, &err);
    expect(run, rc == KVCAP_OK, "an answer", "", rc == KVCAP_OK ? "" : err.text);
    expect(run, rc != KVCAP_OK || plan->model.arch != NULL, "an answer", "", "UNDETERMINED");
    if (!run->has_failed)
        expect_result(run, row);
}

/* From the key-values, and from the shape alone that they give: what a record of the model says. */
static void run_case(struct run *run, const struct kvc_facts *facts, const struct kvc_value *row)
{
    struct kvc_found found;
    kvcap_error err;
    struct kvc_engine_model model = { .facts = facts, .is_gguf = true };
    run->has_failed = false;
    ask(run, &model, row);
    kvcap_code rc = kvc_shape_from_gguf_or_none(facts, 0, run->scratch, &found, &err);
    if (rc != KVCAP_OK) {
        expect(run, false, "a shape", "", err.text);
    } else if (!run->has_failed) {
        model = (struct kvc_engine_model){ .shape = &found.shape,
                                           .family = found.family,
                                           .context_tokens = found.context_tokens };
        snprintf(run->id + strlen(run->id), sizeof run->id - strlen(run->id), " (shape)");
        ask(run, &model, row);
    }
    if (!run->has_failed)
        pass(run->report);
}

static void name_case(struct run *run, const char *id, const struct kvc_value *opt)
{
    size_t length = (size_t)snprintf(run->id, sizeof run->id, "%.60s", id);
    for (const struct kvc_value *e = opt->first; e != NULL && length + 40 < sizeof run->id;
         e = e->next)
        length +=
            (size_t)snprintf(run->id + length, sizeof run->id - length, " %.*s=%.*s",
                             (int)e->key.length, e->key.text, (int)e->text.length, e->text.text);
}

/* ---- llamacpp. */

struct model {
    struct kvc_span id;
    struct kvc_facts facts;
    struct model *next;
};

static struct kvc_facts facts_of(struct kvc_arena *arena, const char *path,
                                 const struct kvc_value *row)
{
    struct kvc_facts facts;
    kvcap_error err;
    const struct kvc_value *kv = kvc_value_member(row, "kv");
    if (kv == NULL || kvc_gguf_facts_of_json(kv, arena, &facts, &err) != KVCAP_OK)
        broken(path, kv == NULL ? "kv is due" : err.text);
    return facts;
}

static struct model *read_models(struct run *run)
{
    struct kvc_span rest = file_text(run->arena, run->report->dir, MODELS);
    struct model *models = NULL;
    const struct kvc_value *row;
    while ((row = next_row(run->arena, MODELS, &rest)) != NULL) {
        struct model *one = kvc_arena_array(run->arena, 1, sizeof *one);
        one->id = member(MODELS, row, "id", KVC_STRING)->text;
        one->facts = facts_of(run->arena, MODELS, row);
        one->next = models;
        models = one;
    }
    return models;
}

static const struct model *model_named(const struct model *models, struct kvc_span id)
{
    for (; models != NULL; models = models->next) {
        if (kvc_span_equal(models->id, id))
            return models;
    }
    broken(GOLDEN, "a row names a model that models.jsonl has not");
}

static void run_golden(struct run *run)
{
    static const char *const NAMES[] = { "model",    "arch",      "opt",       "ok",
                                         "n_ctx",    "n_ctx_seq", "n_seq_max", "n_batch",
                                         "n_ubatch", "n_rs_seq",  "caches",    "context_bytes",
                                         "warnings", "error",     NULL };
    struct kvc_span rest = file_text(run->arena, run->report->dir, GOLDEN);
    const struct model *models = rest.length > 0 ? read_models(run) : NULL;
    const struct kvc_value *row;
    run->path = GOLDEN;
    while (rest.length > 0) {
        struct kvc_mark mark = kvc_arena_mark(run->scratch);
        row = next_row(run->scratch, GOLDEN, &rest);
        if (row == NULL)
            break;
        const struct kvc_value *id = member(GOLDEN, row, "model", KVC_STRING);
        char name[80];
        snprintf(name, sizeof name, "%.*s", (int)id->text.length, id->text.text);
        name_case(run, name, member(GOLDEN, row, "opt", KVC_OBJECT));
        expect_members(GOLDEN, row, NAMES);
        size_t failed = run->report->failed;
        run_case(run, &model_named(models, id->text)->facts, row);
        const struct kvc_value *ok = kvc_value_member(row, "ok");
        if (run->report->failed == failed && ok->type == KVC_TRUE) {
            run->report->passed--; /* not yet: its warnings are left */
            expect_warnings(run, kvc_value_member(row, "warnings"));
            if (!run->has_failed)
                pass(run->report);
        }
        kvc_arena_rewind(run->scratch, mark);
    }
}

/* ---- archs_tiny. */

static void run_archs(struct run *run)
{
    /* extra_state_bytes is no part of a context: the recording counted every tensor whose name has the
     * word state, those of the graph too.  What a context has of them is in context_bytes. */
    static const char *const NAMES[] = {
        "opt", "ok", "n_ctx", "n_ctx_seq", "caches", "context_bytes", "error", "extra_state_bytes",
        NULL
    };
    struct kvc_span rest = file_text(run->arena, run->report->dir, ARCHS);
    const struct kvc_value *row;
    run->path = ARCHS;
    while (rest.length > 0) {
        struct kvc_mark mark = kvc_arena_mark(run->scratch);
        row = next_row(run->scratch, ARCHS, &rest);
        if (row == NULL)
            break;
        struct kvc_facts facts = facts_of(run->scratch, ARCHS, row);
        const struct kvc_value *id = member(ARCHS, row, "id", KVC_STRING);
        char name[80];
        snprintf(name, sizeof name, "%.*s", (int)id->text.length, id->text.text);
        const struct kvc_value *results = member(ARCHS, row, "results", KVC_ARRAY);
        for (const struct kvc_value *e = results->first; e != NULL; e = e->next) {
            expect_members(ARCHS, e, NAMES);
            name_case(run, name, member(ARCHS, e, "opt", KVC_OBJECT));
            run_case(run, &facts, e);
        }
        kvc_arena_rewind(run->scratch, mark);
    }
}

static void with_arenas(struct report *report, void (*go)(struct run *run))
{
    struct kvc_arena arena, scratch;
    kvc_arena_from(&arena, &kvc_os_memory, (size_t)1 << 30);
    kvc_arena_from(&scratch, &kvc_os_memory, (size_t)1 << 30);
    struct run run = { .report = report, .arena = &arena, .scratch = &scratch };
    go(&run);
    kvc_arena_drop(&scratch);
    kvc_arena_drop(&arena);
}

static void run_llamacpp(struct report *report)
{
    with_arenas(report, run_golden);
}

static void run_archs_tiny(struct report *report)
{
    with_arenas(report, run_archs);
}

static bool knows_llamacpp(const char *path)
{
    return strcmp(path, GOLDEN) == 0 || strcmp(path, MODELS) == 0;
}

static bool knows_archs_tiny(const char *path)
{
    return strcmp(path, ARCHS) == 0;
}

const struct suite LLAMACPP_SUITE = { "llamacpp", run_llamacpp, knows_llamacpp };
const struct suite ARCHS_TINY_SUITE = { "archs_tiny", run_archs_tiny, knows_archs_tiny };
