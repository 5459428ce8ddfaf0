/* shared.c - layers that read an earlier layer's cache.  Declared in layers.h.
 *
 * Gemma 3n and Gemma 4: a layer from layers - num_kv_shared_layers on keeps nothing.  It reads the last layer before that
 * whose type is its own.  Where no layer would be left, none shares.  (transformers at 0185480,
 * gemma3n; at 008e574, gemma4.) */

#include "shape/layers.h"

struct sharing {
    struct kvc_heads sliding, full;
    struct kvc_windows windows;
    struct kvc_origin first; /* layer that shares; value is also the count of those that do not */
    bool is_gemma4;          /* its last layer is full, whatever layer_types says */
};

/* Gemma 4's full layers have a head size of their own, and with attention_k_eq_v their own count;
 * keys and values are then made from one projection, but kept both. */
static kvcap_code find_full_heads(struct kvc_config *config, struct sharing *s)
{
    bool equal;
    s->full = s->sliding;
    if (!s->is_gemma4)
        return KVCAP_OK;
    kvcap_code rc = kvc_config_flag(config, "attention_k_eq_v", false, &equal);
    if (rc == KVCAP_OK && equal && kvc_config_said(config, "num_global_key_value_heads") != NULL)
        rc = kvc_config_count(config, "num_global_key_value_heads", &s->full.kv_heads);
    uint64_t dim;
    if (rc == KVCAP_OK)
        rc = kvc_config_whole(config, "global_head_dim", 0, &dim);
    if (rc == KVCAP_OK && (dim > 0 || !kvc_config_has(config, "global_head_dim")))
        rc = kvc_config_count_or(config, "global_head_dim", 512, &s->full.head_dim);
    s->full.value_dim = s->full.head_dim;
    return rc;
}

static kvcap_code find_first_shared(struct kvc_config *config, const struct kvc_origin *layers,
                                    struct sharing *s)
{
    static const char KEY[] = "num_kv_shared_layers";
    uint64_t shared;
    bool has = kvc_config_said(config, KEY) != NULL;
    kvcap_code rc = kvc_config_whole(config, KEY, s->is_gemma4 ? 0 : 15, &shared);
    if (rc != KVCAP_OK)
        return rc;
    if (shared >= layers->value)
        shared = 0;
    s->first = has ? kvc_config_derived(config, layers->value - shared, KEY, "")
                   : kvc_config_default(config, KEY, layers->value - shared);
    return KVCAP_OK;
}

/* 1: slides, 0: full, -1: strange. */
static int kind_of(const struct sharing *s, const struct kvc_value *listed, uint64_t layer,
                   uint64_t layers)
{
    if (s->is_gemma4 && layer + 1 == layers)
        return 0;
    if (listed == NULL)
        return kvc_slides(&s->windows, layer);
    if (kvc_span_is(listed->text, "full_attention"))
        return 0;
    return kvc_span_is(listed->text, "sliding_attention") ? 1 : -1;
}

static void make_layer(const struct sharing *s, int kind, const int64_t read[2], uint64_t number,
                       struct kvc_layer_found *layer)
{
    layer->states_count = 0;
    if (number >= s->first.value && read[kind] >= 0) {
        struct kvc_origin origin = s->first;
        struct kvc_state_found *state = kvc_layer_state(layer, KVC_STATE_SHARED);
        origin.value = (uint64_t)read[kind];
        kvc_state_put(state, "layer", &state->state.layer, &origin);
        return;
    }
    if (number >= s->first.value) {
        kvc_layer_unknown(layer, s->first.from,
                          kvc_span_of("no earlier layer of its type keeps a cache to share"));
        return;
    }
    bool has_window = kind == 1 && s->windows.tokens.value > 0;
    kvc_layer_of_heads(layer, kind == 1 ? &s->sliding : &s->full,
                       has_window ? &s->windows.tokens : NULL);
}

static kvcap_code add_layers(struct kvc_config *config, const struct sharing *s,
                             const struct kvc_value *listed, uint64_t layers)
{
    int64_t read[2] = { -1, -1 }; /* the last full and the last sliding layer with a cache */
    struct kvc_layer_found layer;
    for (uint64_t i = 0; i < layers; i++) {
        int kind = kind_of(s, listed, i, layers);
        if (kind < 0)
            kvc_layer_unknown(&layer, kvc_config_place_of(config, listed),
                              kvc_span_of("the family is not known to have this layer type"));
        else
            make_layer(s, kind, read, i, &layer);
        if (kind >= 0 && i < s->first.value)
            read[kind] = (int64_t)i;
        kvcap_code rc = kvc_find_layers(&config->finder, &layer, 1, "/num_hidden_layers");
        if (rc != KVCAP_OK)
            return rc;
        listed = listed == NULL ? NULL : listed->next;
    }
    return KVCAP_OK;
}

static kvcap_code find_shared(struct kvc_config *config, bool is_gemma4)
{
    struct sharing s = { .is_gemma4 = is_gemma4 };
    struct kvc_origin layers;
    const struct kvc_value *list;
    kvcap_code rc = kvc_find_layers_count(config, &layers);
    if (rc == KVCAP_OK)
        rc = kvc_find_heads(config, &s.sliding);
    if (rc == KVCAP_OK)
        rc = find_full_heads(config, &s);
    if (rc == KVCAP_OK)
        rc = kvc_find_windows(config, &s.windows);
    if (rc == KVCAP_OK)
        rc = find_first_shared(config, &layers, &s);
    if (rc == KVCAP_OK)
        rc = kvc_config_list(config, "layer_types", layers.value, KVC_STRING, &list);
    if (rc == KVCAP_OK)
        rc = add_layers(config, &s, list == NULL ? NULL : list->first, layers.value);
    if (rc == KVCAP_OK)
        kvc_config_layers_by(config, &layers, "layer_types");
    return rc == KVCAP_OK ? kvc_find_end(&config->finder, &layers, NULL) : rc;
}

kvcap_code kvc_find_gemma3n(struct kvc_config *config)
{
    return find_shared(config, false);
}

kvcap_code kvc_find_gemma4(struct kvc_config *config)
{
    return find_shared(config, true);
}

/* ---- Hunyuan: with use_cla, of each cla_share_factor layers the first keeps a cache and the others
 * read it (vllm/model_executor/models/hunyuan_v1.py: layer_id mod the factor). */

kvcap_code kvc_find_hunyuan(struct kvc_config *config)
{
    struct kvc_heads heads = { 0 };
    struct kvc_origin layers, factor;
    bool shares;
    kvcap_code rc = kvc_config_flag(config, "use_cla", false, &shares);
    if (rc != KVCAP_OK || !shares)
        return rc == KVCAP_OK ? kvc_find_plain(config) : rc;
    rc = kvc_find_layers_count(config, &layers);
    if (rc == KVCAP_OK)
        rc = kvc_find_heads(config, &heads);
    if (rc == KVCAP_OK)
        rc = kvc_config_count(config, "cla_share_factor", &factor);
    for (uint64_t i = 0; rc == KVCAP_OK && i < layers.value; i++) {
        struct kvc_layer_found layer = { .states_count = 0 };
        struct kvc_origin read = factor;
        read.value = i - i % factor.value;
        read.how = "derived";
        if (read.value == i) {
            kvc_layer_of_heads(&layer, &heads, NULL);
        } else {
            struct kvc_state_found *state = kvc_layer_state(&layer, KVC_STATE_SHARED);
            kvc_state_put(state, "layer", &state->state.layer, &read);
        }
        rc = kvc_find_layers(&config->finder, &layer, 1, "/num_hidden_layers");
    }
    if (rc == KVCAP_OK)
        kvc_config_layers_by(config, &layers, "cla_share_factor");
    return rc == KVCAP_OK ? kvc_find_end(&config->finder, &layers, NULL) : rc;
}
