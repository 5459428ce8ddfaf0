/* gguf.c - GGUF headers: those called bad-* are refused, the rest are read; and one that a row of
 * llamacpp/models.jsonl describes has that row's key-values, each with its type.  A header of a known
 * architecture also gives a shape that holds together. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meta/gguf_value.h"
#include "os/os.h"
#include "suite.h"

#define MODELS "llamacpp/models.jsonl"

struct run {
    struct report *report;
    struct kvc_arena *arena;
    struct kvc_arena scratch;
    struct kvc_span models; /* text NULL: there are none */
    size_t rows, compared;
};

/* ---- A value beside its row: {"t": "u32", "v": 32}, {"t": "arr:u32", "v": [...]}. */

static bool is_type(enum kvc_gguf_type type, struct kvc_span word)
{
    static const char *const WORDS[KVC_GGUF_TYPE_COUNT] = {
        [KVC_GGUF_U8] = "u8",     [KVC_GGUF_I8] = "i8",     [KVC_GGUF_U16] = "u16",
        [KVC_GGUF_I16] = "i16",   [KVC_GGUF_U32] = "u32",   [KVC_GGUF_I32] = "i32",
        [KVC_GGUF_F32] = "f32",   [KVC_GGUF_BOOL] = "bool", [KVC_GGUF_TEXT] = "str",
        [KVC_GGUF_ARRAY] = "arr", [KVC_GGUF_U64] = "u64",   [KVC_GGUF_I64] = "i64",
        [KVC_GGUF_F64] = "f64",
    };
    return kvc_span_is(word, WORDS[type]);
}

/* A float as the file has it, beside the decimal of the row: the same bits once rounded. */
static bool is_float(const unsigned char *bytes, enum kvc_gguf_type type, struct kvc_span text)
{
    char decimal[64];
    snprintf(decimal, sizeof decimal, "%.*s", (int)text.length, text.text);
    if (type == KVC_GGUF_F32) {
        float value;
        memcpy(&value, bytes, sizeof value);
        return value == (float)strtod(decimal, NULL);
    }
    double value;
    memcpy(&value, bytes, sizeof value);
    return value == strtod(decimal, NULL);
}

static bool is_scalar(const struct kvc_gguf_kv *kv, uint64_t i, const struct kvc_value *due)
{
    enum kvc_gguf_type type = kv->element_type;
    struct kvc_span text;
    bool truth;
    char digits[24];
    switch (type) {
    case KVC_GGUF_TEXT:
        return kvc_gguf_element_text(kv, i, &text) && due->type == KVC_STRING &&
               kvc_span_equal(text, due->text);
    case KVC_GGUF_BOOL:
        return kvc_gguf_element_bool(kv, i, &truth) && due->type == (truth ? KVC_TRUE : KVC_FALSE);
    case KVC_GGUF_F32:
    case KVC_GGUF_F64:
        return due->type == KVC_NUMBER &&
               is_float(kv->bytes + i * kvc_gguf_type_bytes(type), type, due->text);
    case KVC_GGUF_U64:
        snprintf(digits, sizeof digits, "%llu",
                 (unsigned long long)kvc_gguf_load(kv->bytes + i * 8, 8));
        break;
    default:
        snprintf(digits, sizeof digits, "%lld", (long long)kvc_gguf_element_i64(kv, i));
        break;
    }
    return due->type == KVC_NUMBER && kvc_span_is(due->text, digits);
}

static bool is_value(const struct kvc_gguf_kv *kv, const struct kvc_value *due)
{
    const struct kvc_value *type = kvc_value_member(due, "t"), *value = kvc_value_member(due, "v");
    if (type == NULL || value == NULL)
        return false;
    if (!kvc_span_starts(type->text, "arr:"))
        return kv->type != KVC_GGUF_ARRAY && is_type(kv->type, type->text) &&
               is_scalar(kv, 0, value);
    struct kvc_span element = { type->text.text + 4, type->text.length - 4 };
    if (kv->type != KVC_GGUF_ARRAY || value->type != KVC_ARRAY || kv->count != value->count ||
        !is_type(kv->element_type, element))
        return false;
    for (const struct kvc_value *e = value->first; e != NULL; e = e->next) {
        if (!is_scalar(kv, e->index, e))
            return false;
    }
    return true;
}

/* Every key of the row, and no other. */
static void compare(struct run *run, const char *path, const struct kvc_gguf *gguf,
                    const struct kvc_value *row)
{
    const struct kvc_value *due = kvc_value_member(row, "kv");
    run->compared++;
    char key[256];
    for (const struct kvc_value *e = due->first; e != NULL; e = e->next) {
        snprintf(key, sizeof key, "%.*s", (int)e->key.length, e->key.text);
        const struct kvc_gguf_kv *kv = kvc_gguf_find(gguf, key);
        if (kv == NULL || !is_value(kv, e)) {
            fail(run->report, path, key, kv == NULL ? "no such key" : "another value or type");
            return;
        }
    }
    judge(run->report, path, gguf->kvs_count == due->count, "the keys of its row and no other",
          "more keys");
}

/* ---- Files. */

/* The next line of the table, or NULL past the last. */
static const struct kvc_value *next_row(struct run *run, struct kvc_span *rest)
{
    while (rest->length > 0) {
        const char *end = memchr(rest->text, '\n', rest->length);
        size_t length = end == NULL ? rest->length : (size_t)(end - rest->text);
        struct kvc_span line = { rest->text, length };
        rest->text += length + (end != NULL);
        rest->length -= length + (end != NULL);
        if (length == 0)
            continue;
        const struct kvc_value *row = parsed(&run->scratch, MODELS, line);
        const struct kvc_value *id = kvc_value_member(row, "id"), *kv = kvc_value_member(row, "kv");
        if (id == NULL || id->type != KVC_STRING || kv == NULL || kv->type != KVC_OBJECT)
            broken(MODELS, "each line is due an id that is text, and an object kv");
        run->rows++;
        return row;
    }
    return NULL;
}

/* The one row of that name. */
static const struct kvc_value *row_named(struct run *run, const char *stem)
{
    struct kvc_span rest = run->models;
    const struct kvc_value *found = NULL, *row;
    while ((row = next_row(run, &rest)) != NULL) {
        if (!kvc_span_is(kvc_value_member(row, "id")->text, stem))
            continue;
        if (found != NULL)
            broken(MODELS, "two lines have one id");
        found = row;
    }
    return found;
}

/* The model that the file is, if it is one by itself: what has no architecture only tests headers,
 * and a later part of a split model has none. */
static bool is_model(const struct kvc_gguf *gguf)
{
    return kvc_gguf_find(gguf, "general.architecture") != NULL &&
           (!gguf->is_split || gguf->split_count == 1);
}

static bool gives_shape(struct run *run, const char *path, struct kvc_span text)
{
    kvcap_record *record;
    kvcap_error err;
    kvcap_model_file file = { .struct_size = sizeof file,
                              .name = "model.gguf",
                              .bytes = text.text,
                              .length = text.length,
                              .file_bytes = text.length };
    if (kvcap_model_from_files(&file, 1, "model", NULL, &record, &err) == KVCAP_OK) {
        kvcap_record_free(record);
        return true;
    }
    if (strcmp(err.slug, "metadata.no_cache") == 0)
        return true;
    fail(run->report, path, "a shape", "%s at %s: %s", err.slug, err.at, err.text);
    return false;
}

static void visit(void *context, const char *name)
{
    struct run *run = context;
    char path[512], stem[256];
    struct kvc_gguf gguf;
    uint64_t needed;
    kvcap_error err;
    struct kvc_mark mark = kvc_arena_mark(&run->scratch);
    snprintf(path, sizeof path, "gguf/%.400s", name);
    snprintf(stem, sizeof stem, "%.*s", (int)(strlen(name) - strlen(".gguf")), name);
    struct kvc_span text = file_text(&run->scratch, run->report->dir, path);
    kvcap_code rc = kvc_gguf_read(text, text.length, &run->scratch, &gguf, &needed, &err);
    if (starts(name, "bad-")) {
        judge(run->report, path, rc != KVCAP_OK, "a refusal", "a header");
    } else if (rc != KVCAP_OK) {
        fail(run->report, path, "a header", "%s at %s: %s", err.slug, err.at, err.text);
    } else if (!is_model(&gguf) || gives_shape(run, path, text)) {
        const struct kvc_value *row = row_named(run, stem);
        if (row == NULL)
            pass(run->report);
        else
            compare(run, path, &gguf, row);
    }
    kvc_arena_rewind(&run->scratch, mark);
}

static void run_gguf(struct report *report)
{
    struct kvc_arena arena;
    struct run run = { .report = report, .arena = &arena };
    kvc_arena_from(&arena, &kvc_os_memory, (size_t)1 << 30);
    kvc_arena_from(&run.scratch, &kvc_os_memory, (size_t)1 << 30);
    run.models = file_text(&arena, report->dir, MODELS);
    if (run.models.text != NULL && row_named(&run, "") == NULL && run.rows == 0)
        broken(MODELS, "it holds no line");
    each_file(&arena, report->dir, "gguf", ".gguf", visit, &run);
    snprintf(report->detail, sizeof report->detail, "%zu held against their rows", run.compared);
    kvc_arena_drop(&run.scratch);
    kvc_arena_drop(&arena);
}

static bool knows(const char *path)
{
    return strcmp(path, MODELS) == 0 || (starts(path, "gguf/") && ends(path, ".gguf"));
}

const struct suite GGUF_SUITE = { "gguf", run_gguf, knows };
