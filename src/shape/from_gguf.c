/* from_gguf.c - see from_gguf.h for the room and its promises. */

#include "shape/from_gguf.h"

#include "shape/gguf_model.h"

#define ARCHITECTURE "general.architecture"
#define LAYERS "block_count"
#define DRAFTS "nextn_predict_layers"

/* ---- What the file is of. */

/* Text that a record can carry as the name of a family. */
static bool is_family_name(const struct kvc_value *value)
{
    if (value->type != KVC_STRING)
        return false;
    for (size_t i = 0; i < value->text.length;) {
        uint32_t point = kvc_span_code_point(value->text, &i);
        if (point < 0x20 || (point >= 0x7F && point <= 0x9F))
            return false;
    }
    return value->text.length >= 1 && value->text.length <= 64;
}

static kvcap_code find_architecture(struct kvc_gguf_model *model)
{
    kvcap_error *err = model->finder.err;
    const struct kvc_value *value = kvc_value_member(model->facts->tree, ARCHITECTURE);
    if (value == NULL)
        return kvc_fail(err, KVC_METADATA_MISSING_KEY, ARCHITECTURE,
                        "the file does not say its architecture");
    if (!is_family_name(value))
        return kvc_fail(err, KVC_METADATA_WRONG_TYPE, ARCHITECTURE,
                        "the architecture is no text of 1 to 64 bytes");
    model->finder.found.family = value->text;
    model->arch = kvc_gguf_arch_named(value->text);
    if (model->arch != NULL && model->arch->keeps == KVC_GGUF_KEEPS_NOTHING &&
        !model->may_keep_nothing)
        return kvc_fail(err, KVC_METADATA_NO_CACHE, ARCHITECTURE, "%s keeps no cache in llama.cpp",
                        model->arch->name);
    return KVCAP_OK;
}

/* ---- Layers of which it cannot be said what they keep. */

/* The name of an architecture without a row is the file's, and so is its block_count. */
static bool layers_said(const struct kvc_gguf_model *model, uint64_t *ret_layers)
{
    struct kvc_span family = model->finder.found.family;
    for (const struct kvc_value *value = model->facts->tree->first; value != NULL;
         value = value->next) {
        struct kvc_span rest = { .length = value->key.length - family.length };
        if (value->key.length <= family.length || value->type != KVC_NUMBER)
            continue;
        rest.text = value->key.text + family.length;
        struct kvc_span begin = { .text = value->key.text, .length = family.length };
        uint64_t layers;
        if (!kvc_span_equal(begin, family) || !kvc_span_is(rest, "." LAYERS) ||
            !kvc_span_u64(value->text, &layers) || layers < 1 || layers > KVC_GGUF_LAYERS_MAX)
            continue;
        *ret_layers = layers;
        return true;
    }
    return false;
}

static kvcap_code find_unknown(struct kvc_gguf_model *model, struct kvc_span reason)
{
    struct kvc_finder *finder = &model->finder;
    struct kvc_span key = kvc_find_text(finder, "%s:" ARCHITECTURE, model->facts->artefact);
    struct kvc_origin layers = { .value = 1, .how = "default", .from = key };
    if (layers_said(model, &layers.value)) {
        layers.how = "read";
        layers.from = kvc_find_text(finder, "%s:%.*s." LAYERS, model->facts->artefact,
                                    (int)finder->found.family.length, finder->found.family.text);
    }
    return kvc_find_all_unknown(finder, &layers, key, reason, LAYERS);
}

/* ---- How many layers. */

static kvcap_code find_counts(struct kvc_gguf_model *model)
{
    kvcap_code rc = kvc_gguf_at_least(model, LAYERS, 1, &model->layers);
    if (rc == KVCAP_OK && model->layers.value > KVC_GGUF_LAYERS_MAX)
        return kvc_gguf_fail(model, KVC_METADATA_OUT_OF_RANGE, LAYERS,
                             "llama.cpp loads at most 512 layers");
    if (rc == KVCAP_OK)
        rc = kvc_gguf_number_or(model, DRAFTS, 0, &model->drafts);
    if (rc == KVCAP_OK && model->drafts.value >= model->layers.value)
        return kvc_gguf_fail(model, KVC_METADATA_OUT_OF_RANGE, DRAFTS,
                             "there are no layers but draft layers");
    if (rc != KVCAP_OK)
        return rc;
    model->layers_count = (uint32_t)model->layers.value;
    model->drafts_first = model->layers_count - (uint32_t)model->drafts.value;
    return KVCAP_OK;
}

/* ---- What a layer keeps. */

static bool attends(const struct kvc_gguf_model *model, uint32_t i)
{
    switch (model->arch->recurs) {
    case KVC_GGUF_RECURS_ALL:
        return false;
    case KVC_GGUF_RECURS_BESIDE:
        return true;
    case KVC_GGUF_RECURS_NO_HEADS_NO_FF:
        return !model->recurs[i] && model->feed_forward.of_layer[i] == 0;
    default:
        return !model->recurs[i];
    }
}

static struct kvc_origin kv_heads_of(const struct kvc_gguf_model *model, uint32_t i)
{
    struct kvc_origin origin = model->kv_heads.origin;
    origin.value = model->kv_heads.of_layer[i];
    return origin;
}

/* Past the first layers with a cache of their own, layers read the last one of their kind: full, or
 * before it the one that slides (create_memory, reuse).  One whose rows are empty is not read. */
static kvcap_code share(struct kvc_gguf_model *model, uint32_t i, struct kvc_layer_found *layer)
{
    uint32_t read = model->sharing_first - (model->slides[i] ? 2 : 1);
    struct kvc_layer_found kept = { .states_count = 0 };
    struct kvc_origin kv_heads = kv_heads_of(model, read);
    if (model->slides[read] != model->slides[i])
        return kvc_gguf_fail(model, KVC_METADATA_OUT_OF_RANGE, "attention.sliding_window_pattern",
                             "a layer would read the cache of a layer of another kind");
    kvcap_code rc = kvc_gguf_add_attention(model, read, &kv_heads, &kept);
    if (rc != KVCAP_OK || kept.states_count == 0)
        return rc;
    struct kvc_origin origin = kvc_gguf_default(model, read, "layer reuse");
    struct kvc_state_found *state = kvc_layer_state(layer, KVC_STATE_SHARED);
    kvc_state_put(state, "layer", &state->state.layer, &origin);
    return KVCAP_OK;
}

static void add_found(struct kvc_layer_found *layer, const struct kvc_layer_found *more)
{
    for (uint32_t i = 0; i < more->states_count; i++)
        layer->states[layer->states_count++] = more->states[i];
}

static kvcap_code find_layer(struct kvc_gguf_model *model, uint32_t i,
                             const struct kvc_origin *kv_heads, struct kvc_layer_found *layer)
{
    kvcap_code rc = KVCAP_OK;
    layer->states_count = 0;
    if (i >= model->sharing_first)
        rc = share(model, i, layer);
    else if (attends(model, i))
        rc = kvc_gguf_add_attention(model, i, kv_heads, layer);
    if (rc == KVCAP_OK && model->arch->keeps == KVC_GGUF_KEEPS_COMPRESSED)
        rc = kvc_gguf_add_compressed(model, i, kv_heads, layer);
    if (rc == KVCAP_OK)
        rc = kvc_gguf_add_index(model, i, layer);
    if (model->recurs[i])
        add_found(layer, &model->recurrent);
    if (i == model->ngram_layer)
        add_found(layer, &model->ngrams);
    if (layer->states_count == 0)
        kvc_layer_none(layer);
    return rc;
}

/* ---- All layers. */

static kvcap_code add_layer(struct kvc_gguf_model *model, uint32_t i, bool is_draft)
{
    struct kvc_layer_found layer;
    struct kvc_origin kv_heads = kv_heads_of(model, i);
    kvcap_code rc = find_layer(model, i, &kv_heads, &layer);
    if (rc != KVCAP_OK)
        return rc;
    return is_draft ? kvc_find_draft_layers(&model->finder, &layer, 1, DRAFTS)
                    : kvc_find_layers(&model->finder, &layer, 1, LAYERS);
}

/* One head of the model's key and value length, after all layers but draft layers
 * (granite-switch.cpp). */
static kvcap_code add_router(struct kvc_gguf_model *model)
{
    struct kvc_layer_found layer = { .states_count = 0 };
    struct kvc_origin one = kvc_gguf_default(model, 1, "router layer");
    kvcap_code rc = kvc_gguf_add_attention(model, model->drafts_first, &one, &layer);
    if (layer.states_count == 0)
        kvc_layer_none(&layer);
    model->layers = kvc_gguf_derived(model, model->layers.value, " and a router", LAYERS, NULL);
    return rc == KVCAP_OK ? kvc_find_layers(&model->finder, &layer, 1, LAYERS) : rc;
}

kvcap_code kvc_gguf_find_loops(struct kvc_gguf_model *model, uint64_t *ret_loops)
{
    struct kvc_origin loops = { .value = 1 };
    kvcap_code rc = KVCAP_OK;
    if (model->arch->extra == KVC_GGUF_EXTRA_LOOPS && kvc_gguf_said(model, "num_loops") != NULL)
        rc = kvc_gguf_at_least(model, "num_loops", 1, &loops);
    if (rc == KVCAP_OK && loops.value > KVC_GGUF_LAYERS_MAX / model->drafts_first)
        return kvc_gguf_fail(model, KVC_METADATA_OUT_OF_RANGE, "num_loops",
                             "llama.cpp loads at most 512 layers");
    if (rc == KVCAP_OK && loops.value > 1)
        model->layers = kvc_gguf_derived(model, 0, " * ", LAYERS, "num_loops");
    *ret_loops = loops.value;
    return rc;
}

static kvcap_code add_layers(struct kvc_gguf_model *model)
{
    uint64_t loops = 1;
    kvcap_code rc = kvc_gguf_find_loops(model, &loops);
    bool has_router = model->arch->extra == KVC_GGUF_EXTRA_ROUTER;
    bool apart = model->arch->drafts_apart || has_router || loops > 1;
    uint32_t main_count = apart ? model->drafts_first : model->layers_count;
    for (uint64_t loop = 0; loop < loops && rc == KVCAP_OK; loop++) {
        for (uint32_t i = 0; i < main_count && rc == KVCAP_OK; i++)
            rc = add_layer(model, i, false);
    }
    if (rc == KVCAP_OK && has_router)
        rc = add_router(model);
    for (uint32_t i = main_count;
         i < model->layers_count && model->arch->drafts_apart && rc == KVCAP_OK; i++)
        rc = add_layer(model, i, true);
    return rc == KVCAP_OK ? kvc_find_end(&model->finder, &model->layers, &model->drafts) : rc;
}

kvcap_code kvc_gguf_find_parts(struct kvc_gguf_model *model)
{
    kvcap_code rc = find_counts(model);
    if (rc == KVCAP_OK)
        rc = kvc_gguf_find_heads(model);
    if (rc == KVCAP_OK)
        rc = kvc_gguf_find_recurrent(model);
    if (rc == KVCAP_OK)
        rc = kvc_gguf_find_windows(model);
    if (rc == KVCAP_OK)
        rc = kvc_gguf_find_index(model);
    return rc == KVCAP_OK ? kvc_gguf_find_ratios(model) : rc;
}

/* As many layers as there are, of which none keeps anything. */
static kvcap_code find_nothing(struct kvc_gguf_model *model)
{
    struct kvc_layer_found layer = { .states_count = 0 };
    kvcap_code rc = kvc_gguf_at_least(model, LAYERS, 1, &model->layers);
    kvc_layer_none(&layer);
    if (rc == KVCAP_OK)
        rc = kvc_find_layers(&model->finder, &layer, model->layers.value, LAYERS);
    return rc == KVCAP_OK ? kvc_find_end(&model->finder, &model->layers, NULL) : rc;
}

static kvcap_code find_layers(struct kvc_gguf_model *model)
{
    kvcap_code rc = find_architecture(model);
    if (rc != KVCAP_OK)
        return rc;
    if (model->arch != NULL && model->arch->keeps == KVC_GGUF_KEEPS_NOTHING)
        return find_nothing(model);
    struct kvc_span family = model->finder.found.family;
    if (model->arch == NULL)
        return find_unknown(model,
                            kvc_find_text(&model->finder, "the architecture \"%.*s\" is not known",
                                          (int)family.length, family.text));
    if (model->arch->keeps == KVC_GGUF_KEEPS_IN_TARGET)
        return find_unknown(model, kvc_span_of("a draft model that reads the cache of its target"));
    rc = kvc_gguf_find_parts(model);
    return rc == KVCAP_OK ? add_layers(model) : rc;
}

/* ---- The rest of the record. */

static kvcap_code find_dtype(struct kvc_gguf_model *model)
{
    model->finder.found.dtype = KVC_FORMAT_F16;
    return kvc_find_source(&model->finder, kvc_span_of("/dtype"), "default",
                           kvc_span_of("llama.cpp 0.4.0:type_k, type_v default f16"));
}

static kvcap_code find_context(struct kvc_gguf_model *model)
{
    struct kvc_origin origin;
    if (model->arch == NULL || kvc_gguf_said(model, "context_length") == NULL)
        return KVCAP_OK;
    kvcap_code rc = kvc_gguf_at_least(model, "context_length", 1, &origin);
    if (rc != KVCAP_OK)
        return rc;
    model->finder.found.context_tokens = origin.value;
    return kvc_find_source(&model->finder, kvc_span_of("/context_tokens"), origin.how, origin.from);
}

/* Stated where all layers have as many. */
static kvcap_code find_query_heads(struct kvc_gguf_model *model)
{
    const uint32_t *heads = model->heads.of_layer;
    if (heads == NULL || heads[0] == 0)
        return KVCAP_OK;
    for (uint32_t i = 1; i < model->layers_count; i++) {
        if (heads[i] != heads[0])
            return KVCAP_OK;
    }
    model->finder.found.query_heads = heads[0];
    return kvc_find_source(&model->finder, kvc_span_of("/query_heads"), "read",
                           model->heads.origin.from);
}

static kvcap_code find_weights(struct kvc_gguf_model *model, uint64_t weights_bytes)
{
    model->finder.found.weights_bytes = weights_bytes;
    return weights_bytes == 0 ? KVCAP_OK
                              : kvc_find_source(&model->finder, kvc_span_of("/weights_bytes"),
                                                "derived", kvc_span_of("gguf:tensors"));
}

static kvcap_code find_model(struct kvc_gguf_model *model, uint64_t weights_bytes,
                             struct kvc_arena *arena, struct kvc_found *ret_found, kvcap_error *err)
{
    kvc_find_begin(&model->finder, arena, err);
    kvcap_code rc = find_layers(model);
    if (rc == KVCAP_OK)
        rc = find_dtype(model);
    if (rc == KVCAP_OK)
        rc = find_context(model);
    if (rc == KVCAP_OK)
        rc = find_query_heads(model);
    if (rc == KVCAP_OK)
        rc = find_weights(model, weights_bytes);
    if (rc == KVCAP_OK)
        *ret_found = model->finder.found;
    return rc;
}

kvcap_code kvc_shape_from_gguf(const struct kvc_facts *facts, uint64_t weights_bytes,
                               struct kvc_arena *arena, struct kvc_found *ret_found,
                               kvcap_error *err)
{
    struct kvc_gguf_model model = { .facts = facts };
    return find_model(&model, weights_bytes, arena, ret_found, err);
}

kvcap_code kvc_shape_from_gguf_or_none(const struct kvc_facts *facts, uint64_t weights_bytes,
                                       struct kvc_arena *arena, struct kvc_found *ret_found,
                                       kvcap_error *err)
{
    struct kvc_gguf_model model = { .facts = facts, .may_keep_nothing = true };
    return find_model(&model, weights_bytes, arena, ret_found, err);
}
