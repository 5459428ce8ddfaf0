/* configs.c - published config.json files: each becomes a shape that holds together, or is unknown
 * with the key that says why, or is refused with the key at fault; side files of quantisation say
 * what they ask of the cache.  Where vLLM's own view of a model is recorded
 * (vllm_model_arch_groundtruth.json), ours agrees with it. */

#include <stdio.h>
#include <string.h>

#include "face/api/handle.h"
#include "meta/quant.h"
#include "os/os.h"
#include "suite.h"

#define TRUTHS "vllm_model_arch_groundtruth.json"

struct run {
    struct report *report;
    struct kvc_arena *arena;  /* of the whole run */
    struct kvc_arena scratch; /* of one file */
    const char *folder;
    const struct kvc_value *truths; /* NULL: there are none */
    size_t shapes, compared, unknown, refused, side_files;
};

/* ---- vLLM's view. */

static uint64_t number(const struct kvc_value *object, const char *key)
{
    const struct kvc_value *value = kvc_value_member(object, key);
    uint64_t count = UINT64_MAX;
    if (value != NULL && value->type == KVC_NUMBER)
        kvc_span_u64(value->text, &count);
    return count;
}

/* The first state that attention keeps, or NULL. */
static const struct kvc_state *attention_of(const struct kvc_shape *shape)
{
    for (uint32_t i = 0; i < shape->runs_count; i++) {
        const struct kvc_layer_type *type = &shape->types[shape->runs[i].type];
        for (uint32_t j = 0; j < type->states_count; j++) {
            enum kvc_state_kind kind = type->states[j].kind;
            if (kind == KVC_STATE_KV || kind == KVC_STATE_KV_WINDOW || kind == KVC_STATE_LATENT)
                return &type->states[j];
        }
    }
    return NULL;
}

/* Heads that vLLM counts for a latent are those of the weights: a latent has none. */
static void compare(struct run *run, const char *id, const struct kvc_value *truth,
                    const struct kvc_shape *shape)
{
    char due[200], got[200];
    const struct kvc_value *mla = kvc_value_member(truth, "is_deepseek_mla");
    if (mla == NULL || (mla->type != KVC_TRUE && mla->type != KVC_FALSE))
        broken(TRUTHS, "is_deepseek_mla is neither true nor false");
    const struct kvc_state *state = attention_of(shape);
    bool is_mla = mla != NULL && mla->type == KVC_TRUE;
    bool ours_is_mla = state != NULL && state->kind == KVC_STATE_LATENT;
    uint64_t heads = state == NULL ? 0 : state->kv_heads;
    uint64_t size = state == NULL ? 0
                    : ours_is_mla ? (uint64_t)state->latent_dim + state->rope_dim
                                  : state->key_dim;
    uint64_t due_heads = is_mla ? 0 : number(truth, "total_num_kv_heads");
    snprintf(due, sizeof due, "%llu layers, head size %llu, %llu KV heads, MLA %d",
             (unsigned long long)number(truth, "total_num_hidden_layers"),
             (unsigned long long)number(truth, "head_size"), (unsigned long long)due_heads, is_mla);
    snprintf(got, sizeof got, "%u layers, head size %llu, %llu KV heads, MLA %d",
             (unsigned)shape->layers_count, (unsigned long long)size, (unsigned long long)heads,
             ours_is_mla);
    judge(run->report, id, strcmp(due, got) == 0, due, got);
}

/* "ORG__NAME.json" is the config of "ORG/NAME". */
static const struct kvc_value *truth_of(const struct run *run, const char *name)
{
    char id[256];
    const char *gap = strstr(name, "__");
    if (run->truths == NULL || gap == NULL || strcmp(run->folder, "configs") != 0)
        return NULL;
    snprintf(id, sizeof id, "%.*s/%.*s", (int)(gap - name), name,
             (int)(strlen(gap + 2) - strlen(".json")), gap + 2);
    return kvc_value_member(run->truths, id);
}

/* ---- A file. */

/* Whether a pointer's value stands in the file. */
static bool stands(struct run *run, const char *path, struct kvc_span text, const char *pointer)
{
    return pointer[0] == '/' &&
           kvc_value_at(parsed(&run->scratch, path, text), kvc_span_of(pointer)) != NULL;
}

static void check_refusal(struct run *run, const char *path, struct kvc_span text,
                          const kvcap_error *err, const struct kvc_value *truth)
{
    run->refused++;
    bool is_json = !starts(err->slug, "json.");
    bool names_key = is_json && stands(run, path, text, err->at);
    bool no_layers = truth == NULL || number(truth, "total_num_hidden_layers") == 0;
    if (names_key && no_layers)
        pass(run->report);
    else
        fail(run->report, path, "a shape, UNDETERMINED, or a refusal at a key of the file",
             "%s at \"%s\": %s", err->slug, err->at, err->text);
}

static const struct kvc_state *unknown_of(const struct kvc_shape *shape)
{
    for (uint32_t i = 0; i < shape->types_count; i++) {
        for (uint32_t j = 0; j < shape->types[i].states_count; j++) {
            if (shape->types[i].states[j].kind == KVC_STATE_UNKNOWN)
                return &shape->types[i].states[j];
        }
    }
    return NULL;
}

static void check_shape(struct run *run, const char *path, const struct kvc_shape *shape,
                        const struct kvc_value *truth)
{
    const struct kvc_state *unknown = unknown_of(shape);
    run->unknown += unknown != NULL;
    if (unknown != NULL)
        fprintf(stderr, "  unknown: %s: %.*s\n", path, (int)unknown->key.length, unknown->key.text);
    run->shapes += unknown == NULL;
    run->compared += truth != NULL;
    if (unknown == NULL && truth != NULL)
        compare(run, path, truth, shape);
    else if (unknown != NULL && truth != NULL)
        fail(run->report, path, "the shape that vLLM sees", "UNDETERMINED: %.*s: %.*s",
             (int)unknown->key.length, unknown->key.text, (int)unknown->reason.length,
             unknown->reason.text);
    else
        judge(run->report, path, unknown == NULL || kvc_span_starts(unknown->key, "config.json:/"),
              "an unknown layer that names a key of the file", "one that does not");
}

/* A side file is no model: it says how the checkpoint's numbers are stored. */
static void check_side_file(struct run *run, const char *path, struct kvc_span text)
{
    struct kvc_quant quant;
    run->side_files++;
    kvc_quant_read(parsed(&run->scratch, path, text), &quant);
    judge(run->report, path, quant.method.length > 0 && quant.asked != KVC_ASKED_UNKNOWN,
          "a quantisation method, and a cache format that is known", "neither");
}

static void visit(void *context, const char *name)
{
    struct run *run = context;
    char path[512];
    kvcap_record *record;
    kvcap_error err;
    struct kvc_mark mark = kvc_arena_mark(&run->scratch);
    snprintf(path, sizeof path, "%s/%s", run->folder, name);
    struct kvc_span text = file_text(&run->scratch, run->report->dir, path);
    const struct kvc_value *truth = truth_of(run, name);
    if (ends(name, ".hf_quant_config.json")) {
        check_side_file(run, path, text);
    } else if (kvcap_model_from_config(text.text, text.length, "model", NULL, &record, &err) ==
               KVCAP_OK) {
        check_shape(run, path, &record->record.model.shape, truth);
        kvcap_record_free(record);
    } else {
        check_refusal(run, path, text, &err, truth);
    }
    kvc_arena_rewind(&run->scratch, mark);
}

/* What vLLM said of a model whose config is not here is held against nothing. */
static void name_truths_without_config(const struct run *run)
{
    const struct kvc_value *truth = run->truths == NULL ? NULL : run->truths->first;
    for (; truth != NULL; truth = truth->next) {
        char path[4096];
        const char *slash = memchr(truth->key.text, '/', truth->key.length);
        size_t org = slash == NULL ? truth->key.length : (size_t)(slash - truth->key.text);
        snprintf(path, sizeof path, "%.2000s/configs/%.*s__%.*s.json", run->report->dir, (int)org,
                 truth->key.text, slash == NULL ? 0 : (int)(truth->key.length - org - 1),
                 slash == NULL ? "" : slash + 1);
        if (!kvc_path_is_regular(path))
            fprintf(stderr, "  no config of %.*s\n", (int)truth->key.length, truth->key.text);
    }
}

static void run_configs(struct report *report)
{
    static const char *const FOLDERS[] = { "configs", "configs/drafts" };
    struct kvc_arena arena;
    struct run run = { .report = report, .arena = &arena };
    kvc_arena_from(&arena, &kvc_os_memory, (size_t)1 << 30);
    kvc_arena_from(&run.scratch, &kvc_os_memory, (size_t)1 << 30);
    struct kvc_span text = file_text(&arena, report->dir, TRUTHS);
    if (text.text != NULL)
        run.truths = parsed(&arena, TRUTHS, text);
    if (run.truths != NULL && (run.truths->type != KVC_OBJECT || run.truths->count == 0))
        broken(TRUTHS, "an object of models is due");
    for (size_t i = 0; i < sizeof FOLDERS / sizeof FOLDERS[0]; i++) {
        run.folder = FOLDERS[i];
        each_file(&arena, report->dir, run.folder, ".json", visit, &run);
    }
    name_truths_without_config(&run);
    snprintf(report->detail, sizeof report->detail,
             "%zu shapes (%zu held against vLLM's), %zu unknown, %zu refused, %zu side files",
             run.shapes, run.compared, run.unknown, run.refused, run.side_files);
    kvc_arena_drop(&run.scratch);
    kvc_arena_drop(&arena);
}

static bool knows(const char *path)
{
    return strcmp(path, TRUTHS) == 0 || strcmp(path, "configs/INDEX.tsv") == 0 ||
           (starts(path, "configs/drafts/") &&
            strchr(path + strlen("configs/drafts/"), '/') == NULL && ends(path, ".json")) ||
           (starts(path, "configs/") && strchr(path + strlen("configs/"), '/') == NULL &&
            ends(path, ".json"));
}

const struct suite CONFIGS_SUITE = { "configs", run_configs, knows };
