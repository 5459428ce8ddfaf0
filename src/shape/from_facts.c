/* from_facts.c - see from_facts.h for the room and its promises. */

#include "shape/from_facts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "shape/check.h"
#include "shape/family.h"

struct finder {
    const struct kvc_facts *facts;
    const struct kvc_family *family;
    struct kvc_arena *arena;
    struct kvc_found *found;
    size_t sources_room;
    kvcap_error *err;
};

/* A number with where it came from. */
struct origin {
    uint64_t value;
    const char *how;
    struct kvc_span from;
};

/* ---- Looking up. */

static const struct kvc_fact *fact_at(const struct kvc_facts *facts, const char *key)
{
    for (size_t i = 0; i < facts->list_count; i++) {
        if (kvc_span_is(facts->list[i].key, key))
            return &facts->list[i];
    }
    return NULL;
}

/* A fact that says something: present and not null. */
static const struct kvc_fact *said(const struct finder *f, const char *key)
{
    const struct kvc_fact *fact = fact_at(f->facts, key);
    return fact == NULL || fact->type == KVC_FACT_NULL ? NULL : fact;
}

static kvcap_code no_memory(const struct finder *f)
{
    return kvc_fail(f->err, KVC_MEMORY_FULL, "", "the shape of the model needs more memory");
}

static struct kvc_span text_of(const struct finder *f, const char *format, ...) KVC_PRINTF(2, 3);

static struct kvc_span text_of(const struct finder *f, const char *format, ...)
{
    char text[512]; /* longer than any source: a name of a record has at most 256 bytes */
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return kvc_arena_copy(f->arena, kvc_span_of(text));
}

static struct kvc_span place_of(const struct finder *f, const char *key)
{
    return text_of(f, "%s:%s", f->facts->artefact, key);
}

/* A count of at least 1 and below 2^32. */
static kvcap_code count_at(const struct finder *f, const char *key, struct origin *ret_origin)
{
    const struct kvc_fact *fact = said(f, key);
    if (fact == NULL)
        return kvc_fail(f->err, KVC_METADATA_MISSING_KEY, key, "the key %s is missing", key + 1);
    if (fact->type != KVC_FACT_COUNT)
        return kvc_fail(f->err, KVC_METADATA_WRONG_TYPE, key, "%s is not a whole number", key + 1);
    if (fact->count == 0 || fact->count > UINT32_MAX)
        return kvc_fail(f->err, KVC_METADATA_OUT_OF_RANGE, key, "%s is not within 1 and 2^32-1",
                        key + 1);
    *ret_origin = (struct origin){ .value = fact->count, .how = "read", .from = place_of(f, key) };
    return ret_origin->from.text == NULL ? no_memory(f) : KVCAP_OK;
}

static struct origin class_default(const struct finder *f, const char *member, uint64_t value)
{
    return (struct origin){ .value = value,
                            .how = "default",
                            .from =
                                text_of(f, "transformers:%s.%s", f->family->config_class, member) };
}

/* ---- Sources. */

static kvcap_code add_source(struct finder *f, struct kvc_span at, const char *how,
                             struct kvc_span from)
{
    struct kvc_found *found = f->found;
    if (at.text == NULL || from.text == NULL)
        return no_memory(f);
    if (found->sources_count == f->sources_room) {
        size_t room = f->sources_room == 0 ? 32 : f->sources_room * 2;
        struct kvc_source *bigger = kvc_arena_array(f->arena, room, sizeof *bigger);
        if (bigger == NULL)
            return no_memory(f);
        if (found->sources_count > 0)
            memcpy(bigger, found->sources, found->sources_count * sizeof *bigger);
        found->sources = bigger;
        f->sources_room = room;
    }
    size_t i = found->sources_count;
    while (i > 0 && kvc_span_compare(found->sources[i - 1].at, at) > 0)
        i--;
    memmove(&found->sources[i + 1], &found->sources[i],
            (found->sources_count - i) * sizeof *found->sources);
    found->sources[i] = (struct kvc_source){ .at = at, .how = how, .from = from };
    found->sources_count++;
    return KVCAP_OK;
}

static kvcap_code add_origin(struct finder *f, struct kvc_span at, const struct origin *origin)
{
    return add_source(f, at, origin->how, origin->from);
}

/* ---- Heads. */

struct heads {
    struct origin kv_heads, head_dim;
};

static kvcap_code find_kv_heads(struct finder *f, const struct origin *query_heads,
                                struct origin *ret_origin)
{
    const struct kvc_fact *fact = fact_at(f->facts, "/num_key_value_heads");
    if (fact != NULL && fact->type != KVC_FACT_NULL)
        return count_at(f, "/num_key_value_heads", ret_origin);
    if (fact == NULL && f->family->kv_heads_default > 0) {
        *ret_origin = class_default(f, "num_key_value_heads", f->family->kv_heads_default);
        return KVCAP_OK;
    }
    *ret_origin = *query_heads;
    ret_origin->how = "derived";
    return KVCAP_OK;
}

static kvcap_code find_head_dim(struct finder *f, const struct origin *query_heads,
                                struct origin *ret_origin)
{
    const struct kvc_fact *fact = fact_at(f->facts, "/head_dim");
    struct origin hidden;
    if (fact != NULL && fact->type != KVC_FACT_NULL)
        return count_at(f, "/head_dim", ret_origin);
    if (fact == NULL && f->family->head_dim_default > 0) {
        *ret_origin = class_default(f, "head_dim", f->family->head_dim_default);
        return KVCAP_OK;
    }
    kvcap_code rc = count_at(f, "/hidden_size", &hidden);
    if (rc != KVCAP_OK)
        return rc;
    /* The class divides and drops the rest; no published model has one, so it is a broken file. */
    if (hidden.value % query_heads->value != 0)
        return kvc_fail(f->err, KVC_METADATA_OUT_OF_RANGE, "/hidden_size",
                        "%" PRIu64 " attention heads do not divide a hidden_size of %" PRIu64,
                        query_heads->value, hidden.value);
    *ret_origin = (struct origin){ .value = hidden.value / query_heads->value,
                                   .how = "derived",
                                   .from = text_of(f, "%s:/hidden_size / /num_attention_heads",
                                                   f->facts->artefact) };
    return KVCAP_OK;
}

static kvcap_code find_heads(struct finder *f, struct heads *ret_heads)
{
    struct origin query_heads;
    kvcap_code rc = count_at(f, "/num_attention_heads", &query_heads);
    if (rc == KVCAP_OK)
        rc = find_kv_heads(f, &query_heads, &ret_heads->kv_heads);
    if (rc == KVCAP_OK)
        rc = find_head_dim(f, &query_heads, &ret_heads->head_dim);
    if (rc == KVCAP_OK)
        f->found->query_heads = (uint32_t)query_heads.value;
    if (rc == KVCAP_OK)
        rc = add_origin(f, kvc_span_of("/query_heads"), &query_heads);
    return rc;
}

/* ---- Windows. */

struct window {
    struct origin tokens; /* value 0: no layer has one */
    uint64_t first_layer; /* where layer_types does not say */
};

static kvcap_code find_window(struct finder *f, struct window *window)
{
    const struct kvc_fact *fact = fact_at(f->facts, "/sliding_window");
    const struct kvc_fact *used = said(f, "/use_sliding_window");
    const struct kvc_fact *from_layer = said(f, "/max_window_layers");
    *window = (struct window){ .tokens = { .value = 0 } };
    if (f->family->window == KVC_WINDOW_NEVER)
        return KVCAP_OK;
    if (f->family->window == KVC_WINDOW_IF_USED) {
        if (used != NULL && used->type != KVC_FACT_TRUE && used->type != KVC_FACT_FALSE)
            return kvc_fail(f->err, KVC_METADATA_WRONG_TYPE, "/use_sliding_window",
                            "use_sliding_window is not true or false");
        if (used == NULL || used->type == KVC_FACT_FALSE)
            return KVCAP_OK;
        if (from_layer != NULL && from_layer->type != KVC_FACT_COUNT)
            return kvc_fail(f->err, KVC_METADATA_WRONG_TYPE, "/max_window_layers",
                            "max_window_layers is not a whole number");
        window->first_layer =
            from_layer != NULL ? from_layer->count : f->family->max_window_layers_default;
    }
    if (fact == NULL) {
        window->tokens = class_default(f, "sliding_window", f->family->window_default);
        return KVCAP_OK;
    }
    if (fact->type != KVC_FACT_NULL && fact->type != KVC_FACT_COUNT)
        return kvc_fail(f->err, KVC_METADATA_WRONG_TYPE, "/sliding_window",
                        "sliding_window is not a whole number");
    return fact->count == 0 ? KVCAP_OK : count_at(f, "/sliding_window", &window->tokens);
}

/* ---- Layers. */

static struct kvc_layer_type plain_layer(const struct heads *heads)
{
    struct kvc_layer_type type = { .states_count = 1 };
    type.states[0] = (struct kvc_state){ .kind = KVC_STATE_KV,
                                         .kv_heads = (uint32_t)heads->kv_heads.value,
                                         .key_dim = (uint32_t)heads->head_dim.value,
                                         .value_dim = (uint32_t)heads->head_dim.value };
    return type;
}

static struct kvc_layer_type unknown_layer(struct kvc_span key, struct kvc_span reason)
{
    struct kvc_layer_type type = { .states_count = 1 };
    type.states[0] = (struct kvc_state){ .kind = KVC_STATE_UNKNOWN, .key = key, .reason = reason };
    return type;
}

/* The entries of layer_types, one a layer; NULL where the file has no such list. */
static kvcap_code find_listed_types(const struct finder *f, uint64_t layers,
                                    const struct kvc_fact **ret_listed)
{
    const struct kvc_fact *list = said(f, "/layer_types");
    *ret_listed = NULL;
    if (list == NULL)
        return KVCAP_OK;
    if (list->type != KVC_FACT_LIST)
        return kvc_fail(f->err, KVC_METADATA_WRONG_TYPE, "/layer_types",
                        "layer_types is not a list");
    if (list->count != layers)
        return kvc_fail(f->err, KVC_METADATA_OUT_OF_RANGE, "/layer_types",
                        "layer_types has %" PRIu64 " entries for %" PRIu64 " layers", list->count,
                        layers);
    /* Elements stand behind their list, and texts have nothing behind them. */
    for (uint64_t i = 0; i < layers; i++) {
        if (list[1 + i].type != KVC_FACT_TEXT)
            return kvc_fail(f->err, KVC_METADATA_WRONG_TYPE, "/layer_types",
                            "entry %" PRIu64 " of layer_types is not text", i);
    }
    *ret_listed = list + 1;
    return KVCAP_OK;
}

static struct kvc_layer_type layer_type_of(const struct finder *f, const struct heads *heads,
                                           const struct window *window,
                                           const struct kvc_fact *listed_types, uint64_t layer)
{
    struct kvc_layer_type type = plain_layer(heads);
    bool slides = window->tokens.value > 0 && layer >= window->first_layer;
    if (listed_types != NULL) {
        const struct kvc_fact *listed = &listed_types[layer];
        bool is_full = kvc_span_is(listed->text, "full_attention");
        slides = kvc_span_is(listed->text, "sliding_attention");
        if ((!is_full && !slides) || (slides && window->tokens.value == 0))
            return unknown_layer(text_of(f, "%s:%.*s", f->facts->artefact, (int)listed->key.length,
                                         listed->key.text),
                                 kvc_span_of("the family is not known to have this layer type"));
    }
    if (slides) {
        type.states[0].kind = KVC_STATE_KV_WINDOW;
        type.states[0].window_tokens = window->tokens.value;
    }
    return type;
}

static kvcap_code too_many(const struct finder *f)
{
    return kvc_fail(f->err, KVC_METADATA_OUT_OF_RANGE, "/num_hidden_layers",
                    "a model has at most 4,096 layers of at most 256 types");
}

/* Sources of the fields of one layer type. */
static kvcap_code add_type_sources(struct finder *f, uint32_t type, const struct heads *heads,
                                   const struct window *window)
{
    const struct kvc_state *state = &f->found->shape.types[type].states[0];
    const struct {
        const char *field;
        const struct origin *origin;
    } ROWS[] = {
        { "key_dim", &heads->head_dim },
        { "kv_heads", &heads->kv_heads },
        { "value_dim", &heads->head_dim },
        { "window_tokens", &window->tokens },
    };
    if (state->kind == KVC_STATE_UNKNOWN)
        return KVCAP_OK;
    size_t rows = state->kind == KVC_STATE_KV_WINDOW ? 4 : 3;
    for (size_t i = 0; i < rows; i++) {
        struct kvc_span at =
            text_of(f, "/architecture/layer_types/%u/states/0/%s", (unsigned)type, ROWS[i].field);
        kvcap_code rc = add_origin(f, at, ROWS[i].origin);
        if (rc != KVCAP_OK)
            return rc;
    }
    return KVCAP_OK;
}

static kvcap_code add_layers_source(struct finder *f, const struct origin *layers)
{
    return add_origin(f, kvc_span_of("/architecture/layers"), layers);
}

static kvcap_code find_plain_layers(struct finder *f)
{
    struct heads heads;
    struct window window;
    struct origin layers;
    const struct kvc_fact *listed_types = NULL;
    struct kvc_shape_builder builder;
    kvcap_code rc = count_at(f, "/num_hidden_layers", &layers);
    if (rc == KVCAP_OK && layers.value > KVC_LAYERS_MAX)
        rc = too_many(f);
    if (rc == KVCAP_OK)
        rc = find_heads(f, &heads);
    if (rc == KVCAP_OK)
        rc = find_window(f, &window);
    if (rc == KVCAP_OK)
        rc = find_listed_types(f, layers.value, &listed_types);
    if (rc != KVCAP_OK)
        return rc;

    kvc_shape_begin(&builder, f->arena);
    for (uint64_t i = 0; i < layers.value; i++) {
        struct kvc_layer_type type = layer_type_of(f, &heads, &window, listed_types, i);
        if (type.states[0].kind == KVC_STATE_UNKNOWN && type.states[0].key.text == NULL)
            return no_memory(f);
        if (!kvc_shape_add(&builder, &type, 1))
            return builder.shape.types_count == KVC_TYPES_MAX ? too_many(f) : no_memory(f);
    }
    f->found->shape = builder.shape;
    for (uint32_t i = 0; i < builder.shape.types_count && rc == KVCAP_OK; i++)
        rc = add_type_sources(f, i, &heads, &window);
    return rc == KVCAP_OK ? add_layers_source(f, &layers) : rc;
}

/* All layers unknown, for one reason.  How many there are is said where the file says it. */
static kvcap_code find_unknown_layers(struct finder *f, struct kvc_span key, struct kvc_span reason)
{
    struct kvc_shape_builder builder;
    struct kvc_layer_type type = unknown_layer(key, reason);
    const struct kvc_fact *layers = said(f, "/num_hidden_layers");
    struct origin origin = { .value = 1, .how = "default", .from = key };
    if (key.text == NULL || reason.text == NULL)
        return no_memory(f);
    if (layers != NULL && layers->type == KVC_FACT_COUNT && layers->count >= 1 &&
        layers->count <= KVC_LAYERS_MAX) {
        kvcap_code rc = count_at(f, "/num_hidden_layers", &origin);
        if (rc != KVCAP_OK)
            return rc;
    }
    kvc_shape_begin(&builder, f->arena);
    if (!kvc_shape_add(&builder, &type, (uint32_t)origin.value))
        return no_memory(f);
    f->found->shape = builder.shape;
    return add_layers_source(f, &origin);
}

/* ---- What a plain decoder does not have. */

/* Keys that bear on the cache and that no plain family reads.  One of them in a file means that the
 * model is more than its model_type says, so nothing is assumed of it. */
static const char *const FOREIGN_KEYS[] = {
    "/attention_chunk_size",
    "/block_configs",
    "/compress_ratios",
    "/cross_attention_layers",
    "/full_attention_interval",
    "/hybrid_override_pattern",
    "/index_head_dim",
    "/kv_lora_rank",
    "/layers_block_type",
    "/linear_attn_config",
    "/mamba_d_state",
    "/no_rope_layers",
    "/num_kv_shared_layers",
    "/num_nextn_predict_layers",
    "/sliding_window_pattern",
    "/ssm_state_size",
    "/text_config",
};

static const char *foreign_key(const struct finder *f)
{
    for (size_t i = 0; i < sizeof FOREIGN_KEYS / sizeof FOREIGN_KEYS[0]; i++) {
        const struct kvc_fact *fact = said(f, FOREIGN_KEYS[i]);
        bool says_none = fact == NULL || fact->type == KVC_FACT_FALSE ||
                         (fact->type == KVC_FACT_COUNT && fact->count == 0) ||
                         (fact->type == KVC_FACT_LIST && fact->count == 0);
        if (!says_none)
            return FOREIGN_KEYS[i];
    }
    const struct kvc_fact *window = said(f, "/sliding_window");
    bool has_window = window != NULL && window->type == KVC_FACT_COUNT && window->count > 0;
    return has_window && f->family->window == KVC_WINDOW_NEVER ? "/sliding_window" : NULL;
}

/* Text that a record can carry as the name of a family: short, and without control characters. */
static bool is_family_name(struct kvc_span text)
{
    for (size_t i = 0; i < text.length;) {
        uint32_t point = kvc_span_code_point(text, &i);
        if (point < 0x20 || (point >= 0x7F && point <= 0x9F))
            return false;
    }
    return text.length >= 1 && text.length <= 128;
}

static kvcap_code find_layers(struct finder *f)
{
    const struct kvc_fact *model_type = said(f, "/model_type");
    if (model_type == NULL && said(f, "/num_hidden_layers") == NULL)
        return kvc_fail(f->err, KVC_METADATA_NOT_A_MODEL, "",
                        "neither model_type nor num_hidden_layers stands in the file");
    if (model_type == NULL || model_type->type != KVC_FACT_TEXT ||
        !is_family_name(model_type->text)) {
        f->found->family = kvc_span_of("unknown");
        return find_unknown_layers(f, place_of(f, "/model_type"),
                                   kvc_span_of("the file does not say its model_type"));
    }
    f->found->family = model_type->text;
    f->family = kvc_family_named(model_type->text);
    if (f->family == NULL)
        return find_unknown_layers(f, place_of(f, "/model_type"),
                                   text_of(f, "the family \"%.*s\" is not known",
                                           (int)model_type->text.length, model_type->text.text));
    const char *key = foreign_key(f);
    if (key != NULL)
        return find_unknown_layers(
            f, place_of(f, key),
            text_of(f, "the family %s is not known to have this key", f->family->model_type));
    return find_plain_layers(f);
}

/* ---- The rest of the record. */

static kvcap_code find_dtype(struct finder *f)
{
    static const struct {
        const char *name;
        enum kvc_format format;
    } NAMES[] = {
        { "float32", KVC_FORMAT_F32 },       { "float16", KVC_FORMAT_F16 },
        { "bfloat16", KVC_FORMAT_BF16 },     { "torch.float32", KVC_FORMAT_F32 },
        { "torch.float16", KVC_FORMAT_F16 }, { "torch.bfloat16", KVC_FORMAT_BF16 },
        { "half", KVC_FORMAT_F16 },          { "float", KVC_FORMAT_F32 },
    };
    const char *key = said(f, "/torch_dtype") != NULL ? "/torch_dtype" : "/dtype";
    const struct kvc_fact *fact = said(f, key);
    if (fact == NULL) {
        f->found->dtype = KVC_FORMAT_F32;
        return add_source(f, kvc_span_of("/dtype"), "default",
                          kvc_span_of("transformers:PretrainedConfig.dtype (absent: float32)"));
    }
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0] && fact->type == KVC_FACT_TEXT; i++) {
        if (!kvc_span_is(fact->text, NAMES[i].name))
            continue;
        f->found->dtype = NAMES[i].format;
        return add_source(f, kvc_span_of("/dtype"), "read", place_of(f, key));
    }
    return kvc_fail(f->err, KVC_METADATA_WRONG_TYPE, key,
                    "the element type is none of float32, float16 and bfloat16");
}

static kvcap_code find_context(struct finder *f)
{
    const struct kvc_fact *fact = said(f, "/max_position_embeddings");
    struct origin origin;
    if (fact == NULL || fact->type != KVC_FACT_COUNT)
        return KVCAP_OK;
    kvcap_code rc = count_at(f, "/max_position_embeddings", &origin);
    if (rc != KVCAP_OK)
        return rc;
    f->found->context_tokens = origin.value;
    return add_origin(f, kvc_span_of("/context_tokens"), &origin);
}

kvcap_code kvc_shape_from_facts(const struct kvc_facts *facts, struct kvc_arena *arena,
                                struct kvc_found *ret_found, kvcap_error *err)
{
    struct kvc_found found = { 0 };
    struct finder f = { .facts = facts, .arena = arena, .found = &found, .err = err };
    kvcap_code rc = find_layers(&f);
    if (rc == KVCAP_OK)
        rc = find_dtype(&f);
    if (rc == KVCAP_OK)
        rc = find_context(&f);
    if (rc == KVCAP_OK)
        rc = kvc_shape_check(&found.shape, err);
    if (rc == KVCAP_OK)
        *ret_found = found;
    return rc;
}
