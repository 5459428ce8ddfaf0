/* model.c - kv-model: what each layer keeps, and the digest of the artefact that says so.
 * Declared in record.h. */

#include <string.h>

#include "bytes/elem.h"
#include "record/id.h"
#include "record/record.h"
#include "shape/check.h"

static const struct kvc_key MODEL_KEYS[] = {
    KVC_HEAD_KEYS,
    { "name", false },
    { "revision", false },
    { "artefact", false },
    { "family", false },
    { "dtype", false },
    { "context_tokens", true },
    { "query_heads", true },
    { "weights_bytes", true },
    { "architecture", false },
    { "architecture_digest", false },
    { "sources", false },
};

/* ---- States. */

struct state_row {
    enum kvc_state_kind kind;
    struct kvc_key keys[8]; /* "state" included; a NULL name ends them */
};

static const struct state_row STATES[] = {
    { KVC_STATE_KV, { { "state", 0 }, { "kv_heads", 0 }, { "key_dim", 0 }, { "value_dim", 0 } } },
    { KVC_STATE_KV_WINDOW,
      { { "state", 0 },
        { "kv_heads", 0 },
        { "key_dim", 0 },
        { "value_dim", 0 },
        { "window_tokens", 0 },
        { "window", 0 } } },
    { KVC_STATE_LATENT,
      { { "state", 0 },
        { "latent_dim", 0 },
        { "rope_dim", 1 },
        { "window_tokens", 1 },
        { "compress_ratio", 1 } } },
    { KVC_STATE_INDEX,
      { { "state", 0 },
        { "index_dim", 0 },
        { "format", 0 },
        { "value_dim", 1 },
        { "compress_ratio", 1 } } },
    { KVC_STATE_CROSS,
      { { "state", 0 }, { "kv_heads", 0 }, { "key_dim", 0 }, { "value_dim", 0 } } },
    { KVC_STATE_SHARED, { { "state", 0 }, { "layer", 0 } } },
    { KVC_STATE_NONE, { { "state", 0 } } },
    { KVC_STATE_UNKNOWN, { { "state", 0 }, { "key", 0 }, { "reason", 0 } } },
};

static size_t keys_in(const struct kvc_key *keys, size_t room)
{
    size_t count = 0;
    while (count < room && keys[count].name != NULL)
        count++;
    return count;
}

/* An optional dim, or what its absence means. */
static uint32_t dim_or(struct kvc_reader *r, const struct kvc_value *object, const char *key,
                       uint32_t absent)
{
    return kvc_has(object, key) ? kvc_read_dim(r, object, key) : absent;
}

static uint32_t read_ratio(struct kvc_reader *r, const struct kvc_value *object)
{
    if (!kvc_has(object, "compress_ratio"))
        return 1;
    return (uint32_t)kvc_read_u64(r, object, "compress_ratio", 2, KVC_DIM_MAX);
}

static void read_heads(struct kvc_reader *r, const struct kvc_value *object,
                       struct kvc_state *state)
{
    state->kv_heads = kvc_read_dim(r, object, "kv_heads");
    state->key_dim = kvc_read_dim(r, object, "key_dim");
    state->value_dim = kvc_read_dim(r, object, "value_dim");
}

static void read_fields(struct kvc_reader *r, const struct kvc_value *object,
                        struct kvc_state *state)
{
    static const char *const WINDOWS[] = { "sliding", "chunked" };
    static const char *const INDEX_FORMATS[] = { "cache_k", "fp8_index" };
    switch (state->kind) {
    case KVC_STATE_KV_WINDOW:
        state->window_tokens = kvc_read_n1(r, object, "window_tokens");
        state->chunked = kvc_read_word(r, object, "window", WINDOWS, 2) == 1;
        read_heads(r, object, state);
        break;
    case KVC_STATE_KV:
    case KVC_STATE_CROSS:
        read_heads(r, object, state);
        break;
    case KVC_STATE_LATENT:
        state->latent_dim = kvc_read_dim(r, object, "latent_dim");
        state->rope_dim = dim_or(r, object, "rope_dim", 0);
        if (kvc_has(object, "window_tokens"))
            state->window_tokens = kvc_read_n1(r, object, "window_tokens");
        state->compress_ratio = read_ratio(r, object);
        break;
    case KVC_STATE_INDEX:
        state->index_dim = kvc_read_dim(r, object, "index_dim");
        state->index_fp8 = kvc_read_word(r, object, "format", INDEX_FORMATS, 2) == 1;
        state->value_dim = dim_or(r, object, "value_dim", 0);
        state->compress_ratio = read_ratio(r, object);
        break;
    case KVC_STATE_SHARED:
        state->layer = (uint32_t)kvc_read_u64(r, object, "layer", 0, KVC_LAYERS_MAX);
        break;
    case KVC_STATE_UNKNOWN:
        state->key = kvc_read_name(r, object, "key");
        state->reason = kvc_read_name(r, object, "reason");
        break;
    default:
        break;
    }
}

/* A format of plain elements: neither whole tokens nor scales a head. */
static enum kvc_format read_element_format(struct kvc_reader *r, const struct kvc_value *object,
                                           const char *key)
{
    enum kvc_format format = kvc_read_format(r, object, key);
    const struct kvc_layout *layout = kvc_layout_of(format);
    if (r->rc == KVCAP_OK && (layout->group_elements == 0 || layout->head_bytes != 0))
        kvc_refuse_member(r, KVC_MODEL_FORMAT, object, key,
                          "%s has no meaning for elements without heads", kvc_format_name(format));
    return format;
}

/* The same, or the model's own dtype, which is NONE here. */
static enum kvc_format read_state_format(struct kvc_reader *r, const struct kvc_value *object,
                                         const char *key)
{
    if (kvc_span_is(kvc_read_text(r, object, key), "model"))
        return KVC_FORMAT_NONE;
    return read_element_format(r, object, key);
}

static void read_recurrent(struct kvc_reader *r, const struct kvc_value *object,
                           struct kvc_state *state)
{
    struct kvc_span name = kvc_read_text(r, object, "rule");
    if (r->rc != KVCAP_OK)
        return;
    if (!kvc_rule_named(name, &state->rule)) {
        kvc_refuse_member(r, KVC_RECORD_UNKNOWN_WORD, object, "rule", "no rule has this name");
        return;
    }
    const struct kvc_rule_row *row = kvc_rule_row(state->rule);
    struct kvc_key keys[KVC_RULE_DIMS_MAX + 4] = { { "state", false }, { "rule", false } };
    size_t count = 2;
    for (size_t i = 0; i < KVC_RULE_DIMS_MAX && row->fields[i] != NULL; i++)
        keys[count++] = (struct kvc_key){ row->fields[i], false };
    if (row->has_conv)
        keys[count++] = (struct kvc_key){ "conv_format", false };
    if (row->has_state)
        keys[count++] = (struct kvc_key){ "state_format", false };
    object = kvc_read_keys(r, object, keys, count);
    for (size_t i = 0; i < KVC_RULE_DIMS_MAX && row->fields[i] != NULL; i++)
        state->dims[i] = kvc_read_dim(r, object, row->fields[i]);
    if (row->has_conv)
        state->conv_format = read_state_format(r, object, "conv_format");
    if (row->has_state)
        state->state_format = read_state_format(r, object, "state_format");
}

static void read_state(struct kvc_reader *r, const struct kvc_value *value, struct kvc_state *state)
{
    state->compress_ratio = 1;
    if (value->type != KVC_OBJECT) {
        kvc_refuse(r, KVC_RECORD_WRONG_TYPE, value, "an object is due here");
        return;
    }
    struct kvc_span kind = kvc_read_text(r, value, "state");
    if (r->rc != KVCAP_OK)
        return;
    if (kvc_span_is(kind, "recurrent")) {
        state->kind = KVC_STATE_RECURRENT;
        read_recurrent(r, value, state);
        return;
    }
    for (size_t i = 0; i < KVC_COUNT_OF(STATES); i++) {
        if (!kvc_span_is(kind, kvc_state_name(STATES[i].kind)))
            continue;
        state->kind = STATES[i].kind;
        size_t keys = keys_in(STATES[i].keys, KVC_COUNT_OF(STATES[i].keys));
        if (kvc_read_keys(r, value, STATES[i].keys, keys) != NULL)
            read_fields(r, value, state);
        return;
    }
    kvc_refuse_member(r, KVC_RECORD_UNKNOWN_WORD, value, "state", "no state has this name");
}

/* ---- Layers. */

static void read_type(struct kvc_reader *r, const struct kvc_value *value,
                      struct kvc_layer_type *type)
{
    static const struct kvc_key KEYS[] = { { "states", false } };
    value = kvc_read_keys(r, value, KEYS, KVC_COUNT_OF(KEYS));
    const struct kvc_value *states = kvc_read_array(r, value, "states", 1, KVC_STATES_MAX);
    if (states == NULL)
        return;
    for (const struct kvc_value *e = states->first; e != NULL && r->rc == KVCAP_OK; e = e->next)
        read_state(r, e, &type->states[type->states_count++]);
    for (uint32_t i = 0; i < type->states_count && type->states_count > 1; i++) {
        if (type->states[i].kind == KVC_STATE_NONE)
            kvc_refuse(r, KVC_MODEL_STATES, states, "the state none stands alone in its type");
    }
}

/* What is past every limit stays past it, for shape/check.c to refuse by its own name. */
static uint32_t read_count(struct kvc_reader *r, const struct kvc_value *value)
{
    uint64_t count = kvc_read_value_u64(r, value, 0, KVC_SAFE_MAX);
    return count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
}

static struct kvc_run read_run(struct kvc_reader *r, const struct kvc_value *value)
{
    struct kvc_run run = { 0 };
    if (value->type != KVC_ARRAY || value->count != 2) {
        kvc_refuse(r, KVC_RECORD_WRONG_TYPE, value, "a pair [count, type] is due here");
        return run;
    }
    run.count = read_count(r, value->first);
    run.type = read_count(r, value->last);
    return run;
}

/* A list of 1 to count_max entries; a longer one has no canonical spelling. */
static const struct kvc_value *read_list(struct kvc_reader *r, const struct kvc_value *architecture,
                                         const char *key, uint32_t count_max)
{
    const struct kvc_value *list = kvc_read_array(r, architecture, key, 1, UINT32_MAX);
    if (list != NULL && list->count > count_max)
        kvc_refuse(r, KVC_MODEL_LAYERS_NOT_CANONICAL, list,
                   "a model has at most 4,096 layers of at most 256 types");
    return r->rc == KVCAP_OK ? list : NULL;
}

static struct kvc_run *read_runs(struct kvc_reader *r, const struct kvc_reading *reading,
                                 const struct kvc_value *architecture, const char *key,
                                 uint32_t *ret_count)
{
    const struct kvc_value *array = read_list(r, architecture, key, KVC_LAYERS_MAX);
    if (array == NULL)
        return NULL;
    struct kvc_run *runs = kvc_arena_array(reading->arena, array->count, sizeof *runs);
    if (runs == NULL) {
        kvc_refuse(r, KVC_MEMORY_FULL, array, "the layers need more memory");
        return NULL;
    }
    uint32_t i = 0;
    for (const struct kvc_value *e = array->first; e != NULL && r->rc == KVCAP_OK; e = e->next)
        runs[i++] = read_run(r, e);
    *ret_count = array->count;
    return runs;
}

static void read_shape(struct kvc_reader *r, const struct kvc_reading *reading,
                       const struct kvc_value *tree, struct kvc_shape *shape)
{
    static const struct kvc_key KEYS[] = { { "layer_types", false },
                                           { "layers", false },
                                           { "draft_layers", true } };
    const struct kvc_value *architecture =
        kvc_read_object(r, tree, "architecture", KEYS, KVC_COUNT_OF(KEYS));
    const struct kvc_value *types = read_list(r, architecture, "layer_types", KVC_TYPES_MAX);
    if (types == NULL)
        return;
    shape->types = kvc_arena_array(reading->arena, types->count, sizeof *shape->types);
    if (shape->types == NULL) {
        kvc_refuse(r, KVC_MEMORY_FULL, types, "the layer types need more memory");
        return;
    }
    for (const struct kvc_value *e = types->first; e != NULL && r->rc == KVCAP_OK; e = e->next)
        read_type(r, e, &shape->types[shape->types_count++]);
    shape->runs = read_runs(r, reading, architecture, "layers", &shape->runs_count);
    if (kvc_has(architecture, "draft_layers"))
        shape->draft_runs =
            read_runs(r, reading, architecture, "draft_layers", &shape->draft_runs_count);
    if (r->rc == KVCAP_OK)
        r->rc = kvc_shape_check(shape, r->err);
}

/* ---- Where the artefact and each number come from. */

static void read_artefact(struct kvc_reader *r, const struct kvc_value *tree)
{
    static const struct kvc_key KEYS[] = { { "format", false },
                                           { "sha256", true },
                                           { "bytes", true } };
    static const char *const FORMATS[] = { "config_json", "gguf",     "safetensors",
                                           "folder",      "built_in", "hand" };
    const struct kvc_value *artefact =
        kvc_read_object(r, tree, "artefact", KEYS, KVC_COUNT_OF(KEYS));
    size_t format = kvc_read_word(r, artefact, "format", FORMATS, KVC_COUNT_OF(FORMATS));
    bool may_lack = format >= 4;
    bool has_digest = kvc_has(artefact, "sha256"), has_bytes = kvc_has(artefact, "bytes");
    if (has_digest != has_bytes)
        kvc_refuse(r, KVC_MODEL_ARTEFACT, artefact, "sha256 and bytes stand together");
    if (!has_digest && !may_lack)
        kvc_refuse(r, KVC_MODEL_ARTEFACT, artefact, "an artefact that was read has its digest");
    if (has_digest) {
        struct kvc_span hex = kvc_read_text(r, artefact, "sha256");
        char joined[KVC_DIGEST_ROOM] = "sha256:";
        bool fits = hex.length == KVC_SHA256_HEX;
        if (fits)
            memcpy(joined + 7, hex.text, KVC_SHA256_HEX);
        if (!fits || !kvc_is_digest(kvc_span_of(joined)))
            kvc_refuse_member(r, KVC_RECORD_BAD_DIGEST, artefact, "sha256",
                              "64 lower-case hex digits are due");
        kvc_read_n1(r, artefact, "bytes");
    }
}

/* Whether some source lies at or above the place.  A source's pointer covers a place when it is a
 * prefix of it that ends at a token's end. */
static bool is_sourced(const struct kvc_value *sources, const char *pointer)
{
    struct kvc_span place = kvc_span_of(pointer);
    for (const struct kvc_value *s = sources->first; s != NULL; s = s->next) {
        struct kvc_span at = kvc_value_member(s, "at")->text;
        if (at.length <= place.length && memcmp(at.text, place.text, at.length) == 0 &&
            (at.length == place.length || place.text[at.length] == '/'))
            return true;
    }
    return false;
}

static void check_sourced(struct kvc_reader *r, const struct kvc_value *value,
                          const struct kvc_value *sources)
{
    if (value->type == KVC_NUMBER) {
        char pointer[KVC_POINTER_ROOM];
        kvc_value_pointer(value, pointer);
        if (!is_sourced(sources, pointer))
            kvc_refuse(r, KVC_MODEL_NO_SOURCE, value, "this number has no source");
        return;
    }
    for (const struct kvc_value *c = value->first; c != NULL && r->rc == KVCAP_OK; c = c->next)
        check_sourced(r, c, sources);
}

/* A number costs a look at every source; both are bounded so that the product is. */
#define SOURCES_MAX 16384

static void read_sources(struct kvc_reader *r, const struct kvc_value *tree)
{
    static const struct kvc_key KEYS[] = { { "at", false }, { "how", false }, { "from", false } };
    static const char *const HOWS[] = { "read", "derived", "default", "declared" };
    const struct kvc_value *sources = kvc_read_array(r, tree, "sources", 1, SOURCES_MAX);
    if (sources == NULL)
        return;
    struct kvc_span before = { 0 };
    for (const struct kvc_value *e = sources->first; e != NULL; e = e->next) {
        const struct kvc_value *source = kvc_read_keys(r, e, KEYS, KVC_COUNT_OF(KEYS));
        struct kvc_span at = kvc_read_text(r, source, "at");
        kvc_read_word(r, source, "how", HOWS, KVC_COUNT_OF(HOWS));
        kvc_read_name(r, source, "from");
        if (r->rc != KVCAP_OK)
            return;
        if (e != sources->first && kvc_span_compare(before, at) >= 0)
            kvc_refuse(r, KVC_RECORD_NOT_SORTED, e, "sources are sorted by `at`, each once");
        if (at.length == 0 || kvc_value_at(tree, at) == NULL)
            kvc_refuse_member(r, KVC_MODEL_SOURCE_NOWHERE, e, "at",
                              "no member of this record lies there");
        before = at;
    }
    if (r->rc == KVCAP_OK)
        check_sourced(r, kvc_value_member(tree, "architecture"), sources);
}

/* What an engine reads of a model beside its identity. */
static void read_content(struct kvc_reader *r, const struct kvc_reading *reading,
                         const struct kvc_value *tree, struct kvc_model *model)
{
    model->dtype = read_element_format(r, tree, "dtype");
    if (kvc_has(tree, "context_tokens"))
        model->context_tokens = kvc_read_n1(r, tree, "context_tokens");
    model->query_heads = dim_or(r, tree, "query_heads", 0);
    if (kvc_has(tree, "weights_bytes"))
        model->weights_bytes = kvc_read_n1(r, tree, "weights_bytes");
    read_shape(r, reading, tree, &model->shape);
}

void kvc_model_read_shape(struct kvc_reader *r, const struct kvc_reading *reading,
                          const struct kvc_value *tree, struct kvc_model *ret_model)
{
    static const struct kvc_key KEYS[] = {
        { "id", true },
        { "kind", true },
        { "version", true },
        { "name", true },
        { "revision", true },
        { "artefact", true },
        { "family", true },
        { "dtype", false },
        { "context_tokens", true },
        { "query_heads", true },
        { "weights_bytes", true },
        { "architecture", false },
        { "architecture_digest", true },
        { "sources", true },
    };
    struct kvc_model model = { 0 };
    tree = kvc_read_keys(r, tree, KEYS, KVC_COUNT_OF(KEYS));
    if (kvc_has(tree, "name"))
        model.name = kvc_read_name(r, tree, "name");
    if (kvc_has(tree, "family"))
        model.family = kvc_read_name(r, tree, "family");
    read_content(r, reading, tree, &model);
    *ret_model = model;
}

void kvc_model_read(struct kvc_reader *r, const struct kvc_reading *reading,
                    const struct kvc_value *tree, struct kvc_model *ret_model)
{
    struct kvc_model model = { 0 };
    tree = kvc_read_keys(r, tree, MODEL_KEYS, KVC_COUNT_OF(MODEL_KEYS));
    model.name = kvc_read_name(r, tree, "name");
    kvc_read_name(r, tree, "revision");
    read_artefact(r, tree);
    model.family = kvc_read_name(r, tree, "family");
    read_content(r, reading, tree, &model);
    model.architecture_digest = kvc_read_digest(r, tree, "architecture_digest");
    read_sources(r, tree);
    *ret_model = model;
}

void kvc_model_check_digest(struct kvc_reader *r, const struct kvc_reading *reading,
                            const struct kvc_value *tree, const struct kvc_model *model)
{
    char digest[KVC_DIGEST_ROOM];
    if (r->rc != KVCAP_OK)
        return;
    r->rc =
        kvc_digest_of(reading->sha, kvc_value_member(tree, "architecture"), NULL, digest, r->err);
    if (r->rc == KVCAP_OK && !kvc_span_is(model->architecture_digest, digest))
        kvc_refuse_member(r, KVC_MODEL_DIGEST, tree, "architecture_digest",
                          "this is not the digest of the architecture");
}
