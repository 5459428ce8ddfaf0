/* models.c - the verb models: what is known by name, and what it keeps.  Declared in verbs.h. */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/unit.h"
#include "bytes/logical.h"
#include "face/cli/verbs.h"
#include "meta/builtin.h"
#include "meta/name.h"
#include "os/os.h"

/* ---- What the layers of a model keep, in short: "5 kv 8x256 w1024, 1 kv 8x256". */

#define KEPT_ROOM 96
#define KEPT_KINDS_MAX 4

struct kept {
    struct {
        char text[KEPT_ROOM];
        uint32_t layers;
    } kinds[KEPT_KINDS_MAX];
    size_t kinds_count;
    bool more; /* kinds that found no room */
};

static void write_state(const struct kvc_state *s, char *text, size_t room)
{
    char shape[48] = "", window[32] = "", ratio[24] = "";
    if (s->kind == KVC_STATE_KV || s->kind == KVC_STATE_KV_WINDOW || s->kind == KVC_STATE_CROSS)
        snprintf(shape, sizeof shape, s->key_dim == s->value_dim ? " %ux%u" : " %ux%u/%u",
                 (unsigned)s->kv_heads, (unsigned)s->key_dim, (unsigned)s->value_dim);
    if (s->kind == KVC_STATE_LATENT)
        snprintf(shape, sizeof shape, s->rope_dim == 0 ? " %u" : " %u+%u", (unsigned)s->latent_dim,
                 (unsigned)s->rope_dim);
    if (s->kind == KVC_STATE_INDEX)
        snprintf(shape, sizeof shape, " %u", (unsigned)s->index_dim);
    if (s->window_tokens != 0)
        snprintf(window, sizeof window, " %c%" PRIu64, s->chunked ? 'c' : 'w', s->window_tokens);
    if (s->compress_ratio > 1)
        snprintf(ratio, sizeof ratio, " 1:%u", (unsigned)s->compress_ratio);
    const char *name = s->kind == KVC_STATE_RECURRENT   ? kvc_rule_row(s->rule)->name
                       : s->kind == KVC_STATE_KV_WINDOW ? kvc_state_name(KVC_STATE_KV)
                                                        : kvc_state_name(s->kind);
    snprintf(text, room, "%s%s%s%s", name, shape, window, ratio);
}

static void write_type(const struct kvc_layer_type *type, char text[KEPT_ROOM])
{
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < type->states_count && length < KEPT_ROOM - 1; i++) {
        if (i > 0)
            snprintf(text + length, KEPT_ROOM - length, " + ");
        length = strlen(text);
        write_state(&type->states[i], text + length, KEPT_ROOM - length);
        length = strlen(text);
    }
}

static void keep_run(struct kept *kept, const char *text, uint32_t layers)
{
    size_t i = 0;
    while (i < kept->kinds_count && strcmp(kept->kinds[i].text, text) != 0)
        i++;
    if (i == KEPT_KINDS_MAX) {
        kept->more = true;
        return;
    }
    if (i == kept->kinds_count) {
        kept->kinds_count++;
        snprintf(kept->kinds[i].text, sizeof kept->kinds[i].text, "%s", text);
    }
    kept->kinds[i].layers += layers;
}

/* ---- A row. */

struct model_row {
    const struct kvc_builtin_model *known;
    char family[64];
    char kept[KEPT_KINDS_MAX * KEPT_ROOM];
    uint32_t layers;
    uint64_t context_tokens; /* 0: not stated */
    bool is_known;           /* no layer keeps state that cannot be said */
    struct kvc_logical logical;
};

static void write_kept(const struct kvc_shape *shape, struct model_row *row)
{
    struct kept kept = { 0 };
    size_t length = 0;
    for (uint32_t i = 0; i < shape->runs_count; i++) {
        char text[KEPT_ROOM];
        write_type(&shape->types[shape->runs[i].type], text);
        keep_run(&kept, text, shape->runs[i].count);
    }
    for (size_t i = 0; i < kept.kinds_count && length < sizeof row->kept - 1; i++) {
        char count[16] = "";
        if (kept.kinds_count > 1 || kept.more)
            snprintf(count, sizeof count, "%u ", (unsigned)kept.kinds[i].layers);
        snprintf(row->kept + length, sizeof row->kept - length, "%s%s%s", i == 0 ? "" : ", ", count,
                 kept.kinds[i].text);
        length = strlen(row->kept);
    }
    if (kept.more)
        snprintf(row->kept + length, sizeof row->kept - length, ", ...");
}

static kvcap_code fill_row(struct model_row *row, kvcap_error *err)
{
    kvcap_record *handle;
    kvcap_code rc = kvcap_model_builtin(row->known->name, &handle, err);
    if (rc != KVCAP_OK)
        return rc;
    const struct kvc_model *model = &handle->record.model;
    const struct kvc_value *context = kvc_value_member(handle->record.tree, "context_tokens");
    struct kvc_span family = kvc_value_member(handle->record.tree, "family")->text;
    struct kvc_cache cache = { .k = model->dtype, .v = model->dtype, .dtype = model->dtype };
    uint32_t layer;
    snprintf(row->family, sizeof row->family, "%.*s", (int)family.length, family.text);
    row->layers = model->shape.layers_count;
    if (context != NULL)
        kvc_span_u64(context->text, &row->context_tokens);
    write_kept(&model->shape, row);
    row->is_known = kvc_logical_unknown(&model->shape, &layer) == NULL;
    if (row->is_known)
        rc = kvc_logical_of(&model->shape, &cache, 1, &row->logical, err);
    kvcap_record_free(handle);
    return rc;
}

/* ---- Printing. */

static int wider(int width, const char *text)
{
    return (int)strlen(text) > width ? (int)strlen(text) : width;
}

/* The widest that a column of what layers keep grows; a longer text moves its own source alone. */
#define KEPT_WIDTH 44

static void print_table(const struct model_row *rows, size_t rows_count)
{
    int name = 4, family = 6, kept = 16;
    for (size_t i = 0; i < rows_count; i++) {
        name = wider(name, rows[i].known->name);
        family = wider(family, rows[i].family);
        kept = wider(kept, rows[i].kept);
    }
    kept = kept > KEPT_WIDTH ? KEPT_WIDTH : kept;
    printf("%-*s  %-*s  %6s  %13s  %10s  %10s  %-*s  %s\n", name, "name", family, "family",
           "layers", "bytes a token", "late", "context", kept, "each layer keeps", "source");
    for (size_t i = 0; i < rows_count; i++) {
        const struct model_row *row = &rows[i];
        char token[KVC_UNIT_ROOM] = "?", late[KVC_UNIT_ROOM] = "", context[KVC_UNIT_ROOM] = "?";
        if (row->is_known)
            kvc_unit_thousands(row->logical.token_bytes, token);
        if (row->is_known && row->logical.late_token_bytes != row->logical.token_bytes)
            kvc_unit_thousands(row->logical.late_token_bytes, late);
        if (row->context_tokens != 0)
            kvc_unit_thousands(row->context_tokens, context);
        printf("%-*s  %-*s  %6u  %13s  %10s  %10s  %-*s  %s\n", name, row->known->name, family,
               row->family, (unsigned)row->layers, token, late, context, kept, row->kept,
               row->known->source);
    }
    printf("\nbytes a token at the model's dtype, on one rank; late: once all windows are full\n");
}

static void build_row(struct kvc_build *b, struct kvc_value *list, const struct model_row *row)
{
    struct kvc_value *object = kvc_build_object(b, list, NULL);
    if (row->is_known) {
        kvc_build_u64(b, object, "bytes_per_token", row->logical.token_bytes);
        kvc_build_u64(b, object, "bytes_per_token_late", row->logical.late_token_bytes);
    }
    if (row->context_tokens != 0)
        kvc_build_u64(b, object, "context_tokens", row->context_tokens);
    kvc_build_text(b, object, "family", kvc_span_of(row->family));
    kvc_build_text(b, object, "keeps", kvc_span_of(row->kept));
    kvc_build_u64(b, object, "layers", row->layers);
    kvc_build_text(b, object, "name", kvc_span_of(row->known->name));
    kvc_build_text(b, object, "source", kvc_span_of(row->known->source));
}

static kvcap_code print_json(const struct model_row *rows, size_t rows_count, kvcap_error *err)
{
    struct kvc_arena arena;
    kvc_arena_from(&arena, &kvc_os_memory, KVC_HANDLE_BYTES_MAX);
    struct kvc_build b = { .arena = &arena };
    struct kvc_value *list = kvc_build_array(&b, NULL, NULL);
    for (size_t i = 0; i < rows_count; i++)
        build_row(&b, list, &rows[i]);
    kvcap_code rc = b.full ? kvc_fail(err, KVC_MEMORY_FULL, "", "the table needs memory")
                           : kvc_print_value(list, &arena, err);
    kvc_arena_drop(&arena);
    return rc;
}

/* ---- The verb. */

/* The rows whose names contain the word, or that it names outright; all without a word. */
static kvcap_code find_rows(const struct kvc_call *call, struct model_row *rows, size_t *ret_count,
                            kvcap_error *err)
{
    struct kvc_span part = kvc_span_of(call->words_count == 0 ? "" : call->words[0]);
    const struct kvc_builtin_model *meant = kvc_builtin_model_named(part);
    size_t count = 0;
    kvcap_code rc = KVCAP_OK;
    for (size_t i = 0; i < kvc_builtin_models_count && rc == KVCAP_OK; i++) {
        const struct kvc_builtin_model *known = &kvc_builtin_models[i];
        if (known != meant && !kvc_name_has(kvc_span_of(known->name), part))
            continue;
        rows[count].known = known;
        rc = fill_row(&rows[count++], err);
    }
    *ret_count = count;
    return rc != KVCAP_OK || count > 0 ? rc : kvc_builtin_model_find(part, &meant, err);
}

int kvc_verb_models(const struct kvc_call *call)
{
    kvcap_error error;
    size_t count = 0;
    struct model_row *rows = calloc(kvc_builtin_models_count, sizeof *rows);
    kvcap_code rc = rows == NULL ? kvc_fail(&error, KVC_MEMORY_FULL, "", "the table needs memory")
                                 : find_rows(call, rows, &count, &error);
    if (rc == KVCAP_OK && call->json)
        rc = print_json(rows, count, &error);
    else if (rc == KVCAP_OK)
        print_table(rows, count);
    free(rows);
    return rc == KVCAP_OK ? KVC_EXIT_YES : kvc_refused(call, &error);
}
