/* inspect.c - the verb inspect: what each layer of a model keeps.  Declared in verbs.h. */

#include <string.h>

#include "base/unit.h"
#include "bytes/logical.h"
#include "face/cli/verbs.h"

struct inspection {
    const struct kvc_call *call;
    const kvcap_record *model;
    struct kvc_cache cache;
    uint64_t tokens;
    kvcap_error *err;
};

static uint64_t number_at(const struct kvc_value *tree, const char *key, uint64_t absent)
{
    const struct kvc_value *value = kvc_value_member(tree, key);
    uint64_t number = absent;
    if (value != NULL)
        kvc_span_u64(value->text, &number);
    return number;
}

static void print_recurrent(const struct kvc_state *s)
{
    const struct kvc_rule_row *row = kvc_rule_row(s->rule);
    printf("%s", row->name);
    for (unsigned i = 0; i < KVC_RULE_DIMS_MAX && row->fields[i] != NULL; i++)
        printf(", %s %u", row->fields[i], (unsigned)s->dims[i]);
    if (row->has_state && s->state_format != KVC_FORMAT_NONE)
        printf("; state in %s", kvc_format_name(s->state_format));
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
        print_recurrent(s);
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
                              const char *layers)
{
    char token[KVC_UNIT_ROOM], sequence[KVC_UNIT_ROOM];
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
    bool keeps = state->kind != KVC_STATE_NONE;
    printf("  %-11s %-9s  %14s  %18s%s", layers, kvc_state_name(state->kind), token, sequence,
           keeps ? "  " : "");
    print_shape(state);
    printf("\n");
    return KVCAP_OK;
}

/* ---- Layers, type by type: a model of a hundred layers has few of them. */

struct runs {
    const struct kvc_run *list;
    uint32_t count, first; /* the first layer's number */
};

static void range_text(uint32_t first, uint32_t count, char *ret_text, size_t room)
{
    if (count == 1)
        snprintf(ret_text, room, "%u", (unsigned)first);
    else
        snprintf(ret_text, room, "%u-%u", (unsigned)first, (unsigned)(first + count - 1));
}

/* "0-31" where the type's layers stand together, else how many there are. */
static uint32_t label_of(const struct runs *runs, uint32_t type, char *ret_text, size_t room)
{
    uint32_t layer = runs->first, layers = 0, ranges = 0;
    for (uint32_t i = 0; i < runs->count; layer += runs->list[i++].count) {
        if (runs->list[i].type != type)
            continue;
        if (ranges++ == 0)
            range_text(layer, runs->list[i].count, ret_text, room);
        layers += runs->list[i].count;
    }
    if (ranges > 1)
        snprintf(ret_text, room, "%u layers", (unsigned)layers);
    return ranges;
}

#define LINE_WIDTH 100

static void print_ranges(const struct runs *runs, uint32_t type)
{
    uint32_t layer = runs->first;
    int width = 0;
    for (uint32_t i = 0; i < runs->count; layer += runs->list[i++].count) {
        char range[32];
        if (runs->list[i].type != type)
            continue;
        range_text(layer, runs->list[i].count, range, sizeof range);
        if (width == 0 || width + (int)strlen(range) + 2 > LINE_WIDTH)
            width = printf("%s              ", width == 0 ? "" : ",\n") - (width != 0 ? 2 : 0);
        else
            width += printf(", ");
        width += printf("%s", range);
    }
    printf("\n");
}

static bool is_first_of_its_type(const struct runs *runs, uint32_t run)
{
    for (uint32_t i = 0; i < run; i++) {
        if (runs->list[i].type == runs->list[run].type)
            return false;
    }
    return true;
}

static kvcap_code print_layers(const struct inspection *in, const struct runs *runs)
{
    const struct kvc_shape *shape = &in->model->record.model.shape;
    for (uint32_t i = 0; i < runs->count; i++) {
        char label[32];
        uint32_t t = runs->list[i].type;
        if (!is_first_of_its_type(runs, i))
            continue;
        uint32_t ranges = label_of(runs, t, label, sizeof label);
        for (uint32_t j = 0; j < shape->types[t].states_count; j++) {
            kvcap_code rc = print_state(in, &shape->types[t].states[j], j == 0 ? label : "");
            if (rc != KVCAP_OK)
                return rc;
        }
        if (ranges > 1)
            print_ranges(runs, t);
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
}

/* ---- Where the sums come from. */

static void print_elements(const struct kvc_state *s, const struct kvc_cache *cache)
{
    const char *k = kvc_format_name(cache->k), *v = kvc_format_name(cache->v);
    if (s->kind == KVC_STATE_LATENT)
        printf("(%u + %u) elements in %s", (unsigned)s->latent_dim, (unsigned)s->rope_dim, k);
    else if (s->kind == KVC_STATE_INDEX)
        printf("%u elements in %s", (unsigned)s->index_dim, s->index_fp8 ? "fp8 with scales" : k);
    else
        printf("%u heads x (%u in %s + %u in %s)", (unsigned)s->kv_heads, (unsigned)s->key_dim, k,
               (unsigned)s->value_dim, v);
}

/* "18 layers x 2 heads x (128 in bf16 + 128 in bf16) = 18 x 1,024 = 18,432 bytes a token". */
static kvcap_code print_sum(const struct inspection *in, const struct kvc_state *s, uint32_t layers)
{
    char each[KVC_UNIT_ROOM], all[KVC_UNIT_ROOM], sequences[KVC_UNIT_ROOM], total[KVC_UNIT_ROOM];
    struct kvc_logical one = { 0 };
    kvcap_code rc = kvc_logical_of_state(s, &in->cache, in->tokens, &one, in->err);
    bool is_constant = s->kind == KVC_STATE_RECURRENT;
    if (rc != KVCAP_OK || (!is_constant && !kvc_state_keeps_rows(s)))
        return rc;
    kvc_unit_thousands(one.token_bytes, each);
    kvc_unit_thousands(one.token_bytes * layers, all);
    kvc_unit_thousands(one.sequence_bytes, sequences);
    kvc_unit_thousands(one.sequence_bytes * layers, total);
    printf("  %u layers, %s: ", (unsigned)layers, kvc_state_name(s->kind));
    if (!is_constant) {
        print_elements(s, &in->cache);
        printf(" = %s bytes a token%s, %s in all; ", each,
               s->compress_ratio > 1 ? " (a row's share, rounded up)" : "", all);
    }
    printf("%s bytes a sequence, %s in all\n", sequences, total);
    return KVCAP_OK;
}

static kvcap_code print_sums(const struct inspection *in)
{
    const struct kvc_shape *shape = &in->model->record.model.shape;
    printf(
        "\nhow the sums come about, at %llu tokens; a window keeps its newest, recurrent state is "
        "constant,\ndraft layers and cross attention are in no sum\n",
        (unsigned long long)in->tokens);
    for (uint32_t t = 0; t < shape->types_count; t++) {
        uint32_t layers = 0;
        for (uint32_t i = 0; i < shape->runs_count; i++)
            layers += shape->runs[i].type == t ? shape->runs[i].count : 0;
        for (uint32_t j = 0; j < shape->types[t].states_count && layers > 0; j++) {
            kvcap_code rc = print_sum(in, &shape->types[t].states[j], layers);
            if (rc != KVCAP_OK)
                return rc;
        }
    }
    return KVCAP_OK;
}

static void print_totals(const struct inspection *in, const struct kvc_logical *all)
{
    char token[KVC_UNIT_ROOM], sequence[KVC_UNIT_ROOM], tokens[KVC_UNIT_ROOM], exact[KVC_UNIT_ROOM],
        state[KVC_UNIT_ROOM];
    kvc_unit_thousands(all->token_bytes, token);
    kvc_unit_thousands(all->sequence_bytes, sequence);
    kvc_unit_thousands(in->tokens, tokens);
    kvc_unit_readable(all->sequence_bytes, exact);
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

/* A checkpoint that does not say its element type is loaded in the class's, and that is twice what most
 * engines store: both are said. */
static void print_other_type(const struct inspection *in)
{
    struct kvc_cache half = { .k = KVC_FORMAT_F16, .v = KVC_FORMAT_F16, .dtype = KVC_FORMAT_F16 };
    struct kvc_logical all;
    char token[KVC_UNIT_ROOM], sequence[KVC_UNIT_ROOM];
    printf("the file states no dtype: f32 is what its class takes");
    if (in->cache.k == KVC_FORMAT_F32 && in->cache.v == KVC_FORMAT_F32 &&
        kvc_logical_of(&in->model->record.model.shape, &half, in->tokens, &all, NULL) == KVCAP_OK) {
        kvc_unit_thousands(all.token_bytes, token);
        kvc_unit_thousands(all.sequence_bytes, sequence);
        printf("; in bf16 or f16 it is %s bytes a token, %s a sequence", token, sequence);
    }
    printf("\n");
}

/* What the file did not say, and what was taken for it. */
static void print_assumed(const struct inspection *in, bool unknown)
{
    struct kvc_span how, from = kvc_source_of(in->model, "/dtype", &how);
    bool is_default = kvc_span_is(how, "default");
    if (is_default && kvc_span_starts(from, "transformers:") && !unknown)
        print_other_type(in);
    else if (is_default && !kvc_span_starts(from, "transformers:"))
        printf("the file states no dtype: %s by %.*s\n",
               kvc_format_name(in->model->record.model.dtype), (int)from.length, from.text);
    uint64_t context = number_at(in->model->record.tree, "context_tokens", 0);
    char stated[KVC_UNIT_ROOM];
    kvc_unit_thousands(context, stated);
    if (context == 0 && !kvc_given(in->call, "tokens"))
        printf("the model states no context: 4,096 tokens are taken\n");
    if (context != 0 && in->tokens > context)
        printf("the model states a context of %s tokens, fewer than these\n", stated);
}

static bool has_cross(const struct kvc_shape *shape)
{
    for (uint32_t t = 0; t < shape->types_count; t++) {
        for (uint32_t j = 0; j < shape->types[t].states_count; j++) {
            if (shape->types[t].states[j].kind == KVC_STATE_CROSS)
                return true;
        }
    }
    return false;
}

static kvcap_code print_inspection(const struct inspection *in, bool unknown)
{
    const struct kvc_model *model = &in->model->record.model;
    struct kvc_logical all = { 0 };
    kvcap_code rc =
        unknown ? KVCAP_OK : kvc_logical_of(&model->shape, &in->cache, in->tokens, &all, in->err);
    if (rc != KVCAP_OK)
        return rc;
    char layers[32];
    struct kvc_span how;
    kvc_source_of(in->model, "/architecture/layers", &how);
    if (unknown && kvc_span_is(how, "default"))
        snprintf(layers, sizeof layers, "layers not stated");
    else
        snprintf(layers, sizeof layers, "%u layer%s", (unsigned)model->shape.layers_count,
                 model->shape.layers_count == 1 ? "" : "s");
    printf("%.*s: %s, family %.*s, dtype %s\n", (int)model->name.length, model->name.text, layers,
           (int)kvc_value_member(in->model->record.tree, "family")->text.length,
           kvc_value_member(in->model->record.tree, "family")->text.text,
           kvc_format_name(model->dtype));
    printf("cache K %s, V %s; logical: what the mathematics needs, one rank, no blocks\n",
           kvc_format_name(in->cache.k), kvc_format_name(in->cache.v));
    if (unknown)
        printf("decision=UNDETERMINED: a layer keeps state that is not known\n");
    else
        print_totals(in, &all);
    if (has_cross(&model->shape))
        printf("keys and values of an encoder's tokens are in no sum: a plan that needs them is "
               "UNDETERMINED\n");
    print_assumed(in, unknown);
    if (in->cache.k != model->dtype || in->cache.v != model->dtype)
        printf("capacity only: quality, kernel support and latency of %s/%s are not assessed\n",
               kvc_format_name(in->cache.k), kvc_format_name(in->cache.v));
    printf("\n  %-11s %-9s  %14s  %18s  each layer keeps\n", "layers", "state", "bytes a token",
           "bytes a sequence");
    struct runs runs = { model->shape.runs, model->shape.runs_count, 0 };
    rc = print_layers(in, &runs);
    if (rc == KVCAP_OK && model->shape.draft_runs_count > 0) {
        printf("  draft layers, in no sum\n");
        runs = (struct runs){ model->shape.draft_runs, model->shape.draft_runs_count,
                              model->shape.layers_count };
        rc = print_layers(in, &runs);
    }
    if (rc == KVCAP_OK && kvc_given(in->call, "explain"))
        print_sources(in->model);
    if (rc == KVCAP_OK && kvc_given(in->call, "explain") && !unknown)
        rc = print_sums(in);
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
    bool is_record = call->json || kvc_given(call, "o");
    rc = is_record ? kvc_write_text(kvc_value_of(call, "o"), entry->handle->json, err)
                   : print_inspection(&in, *ret_unknown);
    if (rc == KVCAP_OK && !is_record && kvcap_record_note(entry->handle, 0, NULL, NULL) != NULL)
        printf("\n");
    if (rc == KVCAP_OK)
        kvc_print_notes(entry->handle, is_record ? stderr : stdout);
    return rc;
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
