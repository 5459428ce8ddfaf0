/* model.c - a model however it is given, and the verb inspect.  Declared in verbs.h. */

#include <stdlib.h>
#include <string.h>

#include "base/unit.h"
#include "bytes/logical.h"
#include "face/cli/verbs.h"
#include "meta/hf.h"
#include "os/os.h"
#include "store/folder.h"

/* ---- Reading. */

/* The folder's name for NAME/config.json, else the file's without its ending. */
static struct kvc_span name_of(const char *path)
{
    struct kvc_span span = kvc_span_of(path);
    if (kvc_span_is(span, "config.json") || kvc_span_ends(span, "/config.json"))
        span.length -= strlen("config.json");
    while (span.length > 1 && span.text[span.length - 1] == '/')
        span.length--;
    size_t begin = span.length;
    while (begin > 0 && span.text[begin - 1] != '/')
        begin--;
    span = (struct kvc_span){ span.text + begin, span.length - begin };
    if (kvc_span_ends(span, ".json"))
        span.length -= strlen(".json");
    bool says_something = span.length > 0 && !kvc_span_is(span, ".") && !kvc_span_is(span, "..");
    return says_something ? span : kvc_span_of("config");
}

/* Our own records say what they are; anything else in JSON is taken for a config.json. */
static bool is_record(struct kvc_span text, struct kvc_arena *scratch)
{
    struct kvc_mark mark = kvc_arena_mark(scratch);
    struct kvc_value *tree;
    bool is =
        kvc_scan(scratch, text, KVC_RECORD_BYTES_MAX, KVC_SCAN_FOREIGN, &tree, NULL) != KVCAP_OK
            ? false
            : kvc_kind_of(tree) != KVC_KIND_NONE;
    kvc_arena_rewind(scratch, mark);
    return is;
}

static kvcap_code add_made(struct kvc_library *library, const char *path, kvcap_record *handle,
                           struct kvc_entry **ret_entry, kvcap_error *err)
{
    struct kvc_entry *entry = kvc_library_add(library, path, handle);
    if (entry == NULL) {
        kvcap_record_free(handle);
        return kvc_fail(err, KVC_MEMORY_FULL, path, "the model needs more memory");
    }
    *ret_entry = entry;
    return KVCAP_OK;
}

/* A record that came through a pipe, and so cannot be read again. */
static kvcap_code from_pipe(struct kvc_library *library, const char *path, struct kvc_span text,
                            struct kvc_entry **ret_entry, kvcap_error *err)
{
    kvcap_record *handle;
    int32_t syntax = kvc_text_is_yaml(path, text) ? KVCAP_YAML : KVCAP_JSON;
    kvcap_code rc = kvcap_record_read(text.text, text.length, syntax, &handle, err);
    if (rc != KVCAP_OK)
        return kvc_in_file(path, 0, rc, err);
    if (handle->record.kind == KVC_KIND_MODEL)
        return add_made(library, path, handle, ret_entry, err);
    kvcap_record_free(handle);
    return kvc_fail(err, KVC_USAGE_WRONG_KIND, path, "the file holds no %s",
                    kvc_kind_name(KVC_KIND_MODEL));
}

static kvcap_code from_config(struct kvc_library *library, const char *path, struct kvc_span text,
                              const char *name, const char *revision, struct kvc_entry **ret_entry,
                              kvcap_error *err)
{
    kvcap_record *handle;
    struct kvc_span found = kvc_arena_copy(&library->arena, name_of(path));
    if (found.text == NULL)
        return kvc_fail(err, KVC_MEMORY_FULL, path, "the model needs more memory");
    kvcap_code rc = kvcap_model_from_config(
        text.text, text.length, name == NULL ? found.text : name, revision, &handle, err);
    if (rc != KVCAP_OK)
        return kvc_in_file(path, 0, rc, err);
    return add_made(library, path, handle, ret_entry, err);
}

kvcap_code kvc_model_of(struct kvc_library *library, const char *path, const char *name,
                        const char *revision, struct kvc_entry **ret_entry, bool *ret_made,
                        kvcap_error *err)
{
    struct kvc_span text;
    *ret_made = false;
    if (kvc_path_is_folder(path)) {
        char joined[4096];
        if (snprintf(joined, sizeof joined, "%s/config.json", path) >= (int)sizeof joined)
            return kvc_fail(err, KVC_FILE_OPEN, path, "the path is too long");
        path = kvc_arena_copy(&library->arena, kvc_span_of(joined)).text;
        if (path == NULL)
            return kvc_fail(err, KVC_MEMORY_FULL, "", "the model needs more memory");
    }
    if (kvc_path_is_yaml(path) || kvc_span_ends(kvc_span_of(path), ".jsonl"))
        return kvc_library_take(library, path, KVC_KIND_MODEL, ret_entry, err);
    kvcap_code rc = kvc_file_whole(path, KVC_CONFIG_BYTES_MAX, &library->arena, &text, err);
    if (rc != KVCAP_OK)
        return rc;
    bool ours = kvc_text_is_yaml(path, text) || is_record(text, &library->scratch);
    if (ours && kvc_path_is_regular(path))
        return kvc_library_take(library, path, KVC_KIND_MODEL, ret_entry, err);
    *ret_made = true;
    return ours ? from_pipe(library, path, text, ret_entry, err)
                : from_config(library, path, text, name, revision, ret_entry, err);
}

/* ---- inspect. */

struct inspection {
    const struct kvc_call *call;
    const kvcap_record *model;
    struct kvc_cache cache;
    uint64_t tokens;
    kvcap_error *err;
};

static kvcap_code format_flag(const struct kvc_call *call, const char *flag,
                              enum kvc_format *format, kvcap_error *err)
{
    const char *value = kvc_value_of(call, flag);
    char at[40];
    if (value == NULL || strcmp(value, "auto") == 0)
        return KVCAP_OK;
    snprintf(at, sizeof at, "--%s", flag);
    if (!kvc_format_named(kvc_span_of(value), format))
        return kvc_fail(err, KVC_USAGE_BAD_VALUE, at, "no format is called \"%.48s\"; there are %s",
                        value, kvc_format_words());
    return KVCAP_OK;
}

kvcap_code kvc_cache_flags(const struct kvc_call *call, struct kvc_cache *cache, kvcap_error *err)
{
    if (kvc_given(call, "cache-type") && kvc_given(call, "cache-k") && kvc_given(call, "cache-v"))
        return kvc_fail(err, KVC_USAGE_CONFLICT, "--cache-type",
                        "--cache-k and --cache-v say all that --cache-type says");
    kvcap_code rc = format_flag(call, "cache-type", &cache->k, err);
    cache->v = kvc_given(call, "cache-type") ? cache->k : cache->v;
    if (rc == KVCAP_OK)
        rc = format_flag(call, "cache-k", &cache->k, err);
    return rc == KVCAP_OK ? format_flag(call, "cache-v", &cache->v, err) : rc;
}

static uint64_t number_at(const struct kvc_value *tree, const char *key, uint64_t absent)
{
    const struct kvc_value *value = kvc_value_member(tree, key);
    uint64_t number = absent;
    if (value != NULL)
        kvc_span_u64(value->text, &number);
    return number;
}

static void print_shape(const struct kvc_state *s)
{
    switch (s->kind) {
    case KVC_STATE_KV:
    case KVC_STATE_CROSS:
    case KVC_STATE_KV_WINDOW:
        printf("%u KV heads, key %u, value %u", (unsigned)s->kv_heads, (unsigned)s->key_dim,
               (unsigned)s->value_dim);
        break;
    case KVC_STATE_LATENT:
        printf("latent %u + rope %u", (unsigned)s->latent_dim, (unsigned)s->rope_dim);
        break;
    case KVC_STATE_INDEX:
        printf("index %u%s", (unsigned)s->index_dim, s->index_fp8 ? ", fp8" : "");
        break;
    case KVC_STATE_RECURRENT:
        printf("%s", kvc_rule_row(s->rule)->name);
        break;
    case KVC_STATE_SHARED:
        printf("reads layer %u", (unsigned)s->layer);
        break;
    case KVC_STATE_UNKNOWN:
        printf("%.*s: %.*s", (int)s->key.length, s->key.text, (int)s->reason.length,
               s->reason.text);
        break;
    default:
        break;
    }
    if (s->window_tokens != 0)
        printf(", %s %llu tokens", s->chunked ? "chunk" : "window",
               (unsigned long long)s->window_tokens);
    if (s->compress_ratio > 1)
        printf(", 1 row for %u tokens", (unsigned)s->compress_ratio);
}

static kvcap_code print_state(const struct inspection *in, const struct kvc_state *state,
                              uint32_t first, uint32_t count)
{
    char token[KVC_UNIT_ROOM], sequence[KVC_UNIT_ROOM], layers[32];
    struct kvc_logical one = { 0 };
    kvcap_code rc = kvc_logical_of_state(state, &in->cache, in->tokens, &one, in->err);
    if (rc != KVCAP_OK)
        return rc;
    kvc_unit_thousands(one.token_bytes, token);
    kvc_unit_thousands(one.sequence_bytes, sequence);
    if (state->kind == KVC_STATE_UNKNOWN || state->kind == KVC_STATE_CROSS) {
        snprintf(token, sizeof token, "?");
        snprintf(sequence, sizeof sequence, "?");
    }
    if (count == 1)
        snprintf(layers, sizeof layers, "%u", (unsigned)first);
    else
        snprintf(layers, sizeof layers, "%u-%u", (unsigned)first, (unsigned)(first + count - 1));
    printf("  %-11s %-9s  %14s  %18s  ", layers, kvc_state_name(state->kind), token, sequence);
    print_shape(state);
    printf("\n");
    return KVCAP_OK;
}

static kvcap_code print_layers(const struct inspection *in, const struct kvc_run *runs,
                               uint32_t runs_count, uint32_t first)
{
    const struct kvc_shape *shape = &in->model->record.model.shape;
    for (uint32_t i = 0; i < runs_count; i++) {
        const struct kvc_layer_type *type = &shape->types[runs[i].type];
        for (uint32_t j = 0; j < type->states_count; j++) {
            kvcap_code rc = print_state(in, &type->states[j], first, runs[i].count);
            if (rc != KVCAP_OK)
                return rc;
        }
        first += runs[i].count;
    }
    return KVCAP_OK;
}

static void print_sources(const kvcap_record *model)
{
    const struct kvc_value *sources = kvc_value_member(model->record.tree, "sources");
    printf("\nwhere each number comes from\n");
    for (const struct kvc_value *s = sources->first; s != NULL; s = s->next) {
        struct kvc_span at = kvc_value_member(s, "at")->text;
        struct kvc_span how = kvc_value_member(s, "how")->text;
        struct kvc_span from = kvc_value_member(s, "from")->text;
        const struct kvc_value *value = kvc_value_at(model->record.tree, at);
        bool plain = value->type == KVC_NUMBER || value->type == KVC_STRING;
        printf("  %-52.*s %10.*s  %.*s from %.*s\n", (int)at.length, at.text,
               plain ? (int)value->text.length : 0, plain ? value->text.text : "", (int)how.length,
               how.text, (int)from.length, from.text);
    }
    printf("\nbytes a token and layer = row(K, heads, key) + row(V, heads, value), each row whole "
           "groups of its format;\na window keeps its newest tokens, recurrent state is constant; "
           "sums run over layers, draft layers and cross attention apart\n");
}

static void print_totals(const struct inspection *in, const struct kvc_logical *all)
{
    char token[KVC_UNIT_ROOM], sequence[KVC_UNIT_ROOM], tokens[KVC_UNIT_ROOM], exact[KVC_UNIT_ROOM],
        state[KVC_UNIT_ROOM];
    kvc_unit_thousands(all->token_bytes, token);
    kvc_unit_thousands(all->sequence_bytes, sequence);
    kvc_unit_thousands(in->tokens, tokens);
    kvc_unit_exact(all->sequence_bytes, exact);
    printf("%s bytes a token", token);
    if (all->late_token_bytes != all->token_bytes) {
        kvc_unit_thousands(all->late_token_bytes, token);
        printf(" (%s once its windows are full)", token);
    }
    printf(", %s bytes (%s) a sequence of %s tokens\n", sequence, exact, tokens);
    kvc_unit_thousands(all->state_bytes, state);
    if (all->state_bytes > 0)
        printf("%s of them are state that does not grow\n", state);
}

/* What the file did not say, and what was taken for it. */
static void print_assumed(const struct inspection *in)
{
    const struct kvc_value *sources = kvc_value_member(in->model->record.tree, "sources");
    for (const struct kvc_value *s = sources->first; s != NULL; s = s->next) {
        if (kvc_span_is(kvc_value_member(s, "at")->text, "/dtype") &&
            kvc_span_is(kvc_value_member(s, "how")->text, "default"))
            printf("the file states no dtype: %s is what its class takes\n",
                   kvc_format_name(in->model->record.model.dtype));
    }
    uint64_t context = number_at(in->model->record.tree, "context_tokens", 0);
    if (context == 0 && !kvc_given(in->call, "tokens"))
        printf("the model states no context: 4,096 tokens are taken\n");
    if (context != 0 && in->tokens > context)
        printf("the model states a context of %llu tokens, fewer than these\n",
               (unsigned long long)context);
}

static kvcap_code print_inspection(const struct inspection *in, bool unknown)
{
    const struct kvc_model *model = &in->model->record.model;
    struct kvc_logical all = { 0 };
    kvcap_code rc =
        unknown ? KVCAP_OK : kvc_logical_of(&model->shape, &in->cache, in->tokens, &all, in->err);
    if (rc != KVCAP_OK)
        return rc;
    printf("%.*s: %u layers, family %.*s, dtype %s\n", (int)model->name.length, model->name.text,
           (unsigned)model->shape.layers_count,
           (int)kvc_value_member(in->model->record.tree, "family")->text.length,
           kvc_value_member(in->model->record.tree, "family")->text.text,
           kvc_format_name(model->dtype));
    printf("cache K %s, V %s; logical: what the mathematics needs, one rank, no blocks\n",
           kvc_format_name(in->cache.k), kvc_format_name(in->cache.v));
    if (unknown)
        printf("decision=UNDETERMINED: a layer keeps state that is not known\n");
    else
        print_totals(in, &all);
    print_assumed(in);
    if (in->cache.k != model->dtype || in->cache.v != model->dtype)
        printf("capacity only: quality, kernel support and latency of %s/%s are not assessed\n",
               kvc_format_name(in->cache.k), kvc_format_name(in->cache.v));
    printf("\n  %-11s %-9s  %14s  %18s  each layer keeps\n", "layers", "state", "bytes a token",
           "bytes a sequence");
    rc = print_layers(in, model->shape.runs, model->shape.runs_count, 0);
    if (rc == KVCAP_OK && model->shape.draft_runs_count > 0) {
        printf("  draft layers, in no sum\n");
        rc = print_layers(in, model->shape.draft_runs, model->shape.draft_runs_count,
                          model->shape.layers_count);
    }
    if (rc == KVCAP_OK && kvc_given(in->call, "explain"))
        print_sources(in->model);
    return rc;
}

static kvcap_code inspect(struct kvc_library *library, bool *ret_unknown, kvcap_error *err)
{
    const struct kvc_call *call = library->call;
    struct kvc_entry *entry;
    bool made;
    kvcap_code rc = kvc_model_of(library, call->words[0], kvc_value_of(call, "name"),
                                 kvc_value_of(call, "revision"), &entry, &made, err);
    if (rc != KVCAP_OK)
        return rc;
    const struct kvc_model *model = &entry->handle->record.model;
    struct inspection in = {
        .call = call,
        .model = entry->handle,
        .cache = { .k = model->dtype, .v = model->dtype, .dtype = model->dtype },
        .tokens = number_at(entry->handle->record.tree, "context_tokens", 4096),
        .err = err
    };
    uint32_t layer;
    *ret_unknown = kvc_logical_unknown(&model->shape, &layer) != NULL;
    rc = kvc_cache_flags(call, &in.cache, err);
    if (rc == KVCAP_OK)
        rc = kvc_count_flag(call, "tokens", 1, KVC_SAFE_MAX, &in.tokens, err);
    if (rc != KVCAP_OK)
        return rc;
    if (call->json || kvc_given(call, "o"))
        return kvc_write_text(kvc_value_of(call, "o"), entry->handle->json, err);
    return print_inspection(&in, *ret_unknown);
}

int kvc_verb_inspect(const struct kvc_call *call)
{
    struct kvc_library library;
    kvcap_error error;
    bool unknown = false;
    kvc_library_open(&library, call);
    kvcap_code rc = inspect(&library, &unknown, &error);
    int status = rc != KVCAP_OK ? kvc_refused(call, &error)
                 : unknown      ? KVC_EXIT_CANNOT_SAY
                                : KVC_EXIT_YES;
    kvc_library_drop(&library);
    return status;
}
