/* plain.c - decoders whose layers all keep keys and values, some within a window.  Declared in
 * layers.h. */

#include <stdio.h>

#include "shape/layers.h"

/* ---- Windows. */

/* Whether the family's switch, where it has one, lets layers slide; and from which layer on. */
static kvcap_code find_used(struct kvc_config *config, bool *ret_used, struct kvc_windows *windows)
{
    const struct kvc_family *family = config->family;
    uint64_t edge = 0;
    bool from_layer =
        family->window == KVC_WINDOW_IF_USED || family->window == KVC_WINDOW_FROM_LAYER;
    kvcap_code rc = KVCAP_OK;
    *ret_used = true;
    if (family->window == KVC_WINDOW_IF_USED || family->window == KVC_WINDOW_IF_USED_ALL ||
        family->window == KVC_WINDOW_IF_USED_ODD)
        rc = kvc_config_flag(config, "use_sliding_window", false, ret_used);
    if (rc != KVCAP_OK || !*ret_used)
        return rc;
    if (from_layer || family->window == KVC_WINDOW_IF_USED_ODD)
        rc = kvc_config_whole(config, "max_window_layers", family->window_every, &edge);
    if (from_layer)
        windows->first_layer = edge;
    if (family->window == KVC_WINDOW_IF_USED_ODD) {
        windows->every = 2;
        windows->end_layer = edge;
        *ret_used = edge > 0;
    }
    return rc;
}

/* "LLLG": local layers, and a global one at the end. */
static bool is_local_but_last(struct kvc_span word)
{
    for (size_t i = 0; i + 1 < word.length; i++) {
        if (word.text[i] != 'L')
            return false;
    }
    return kvc_span_ends(word, "G");
}

/* The pattern is a number, or a word such as "LLLG" whose length it is and which ends in the full
 * layer; the class's own list (layer_types) goes before it. */
static kvcap_code find_every(struct kvc_config *config, uint64_t *ret_every)
{
    const struct kvc_value *pattern = kvc_config_said(config, "sliding_window_pattern");
    if (pattern == NULL)
        pattern = kvc_config_said(config, "_sliding_window_pattern");
    *ret_every = config->family->window_every;
    if (pattern == NULL)
        return KVCAP_OK;
    if (pattern->type == KVC_STRING && is_local_but_last(pattern->text)) {
        *ret_every = pattern->text.length;
        return KVCAP_OK;
    }
    if (pattern->type == KVC_STRING)
        return kvc_config_fail(config, KVC_METADATA_NOT_KNOWN, "sliding_window_pattern",
                               "the pattern is not one of local layers before a global one");
    struct kvc_origin every;
    kvcap_code rc = kvc_config_count_of(config, pattern, &every);
    if (rc == KVCAP_OK)
        *ret_every = every.value;
    return rc;
}

kvcap_code kvc_find_windows(struct kvc_config *config, struct kvc_windows *ret_windows)
{
    const struct kvc_family *family = config->family;
    bool used;
    *ret_windows = (struct kvc_windows){ .tokens = { .value = 0 } };
    if (family->window == KVC_WINDOW_NEVER)
        return KVCAP_OK;
    kvc_config_heed(config, "sliding_window"); /* heeded, be it used or not */
    kvcap_code rc = find_used(config, &used, ret_windows);
    if (rc == KVCAP_OK && family->window == KVC_WINDOW_PATTERN)
        rc = find_every(config, &ret_windows->every);
    if (rc != KVCAP_OK || !used)
        return rc;
    if (!kvc_config_has(config, "sliding_window")) {
        if (family->window_default > 0)
            ret_windows->tokens =
                kvc_config_default(config, "sliding_window", family->window_default);
        return KVCAP_OK;
    }
    uint64_t tokens;
    rc = kvc_config_whole(config, "sliding_window", 0, &tokens);
    return rc != KVCAP_OK || tokens == 0
               ? rc
               : kvc_config_count(config, "sliding_window", &ret_windows->tokens);
}

/* ---- Layers. */

bool kvc_slides(const struct kvc_windows *windows, uint64_t layer)
{
    if (windows->tokens.value == 0 || layer < windows->first_layer ||
        (windows->end_layer > 0 && layer >= windows->end_layer))
        return false;
    return windows->every == 0 || (layer + 1) % windows->every != 0;
}

static void layer_of(struct kvc_config *config, const struct kvc_heads *heads,
                     const struct kvc_windows *windows, const struct kvc_value *listed,
                     uint64_t number, struct kvc_layer_found *layer)
{
    bool does_slide = kvc_slides(windows, number);
    layer->states_count = 0;
    if (listed != NULL) {
        does_slide = kvc_span_is(listed->text, "sliding_attention");
        if ((!does_slide && !kvc_span_is(listed->text, "full_attention")) ||
            (does_slide && windows->tokens.value == 0)) {
            kvc_layer_unknown(layer, kvc_config_place_of(config, listed),
                              kvc_span_of("the family is not known to have this layer type"));
            return;
        }
    }
    kvc_layer_of_heads(layer, heads, does_slide ? &windows->tokens : NULL);
}

/* Where only some layers slide, what tells them apart. */
static void note_which_slide(struct kvc_config *config, const struct kvc_windows *windows,
                             const struct kvc_value *list, struct kvc_origin *layers)
{
    if (list != NULL)
        kvc_config_layers_by(config, layers, "layer_types");
    else if (windows->tokens.value > 0 && config->family->window == KVC_WINDOW_PATTERN)
        kvc_config_layers_by(config, layers, "sliding_window_pattern");
    else if (windows->tokens.value > 0 && (windows->first_layer > 0 || windows->end_layer > 0))
        kvc_config_layers_by(config, layers, "max_window_layers");
}

kvcap_code kvc_find_plain(struct kvc_config *config)
{
    struct kvc_heads heads = { 0 };
    struct kvc_windows windows;
    struct kvc_origin layers, drafts = { .value = 0 };
    const struct kvc_value *list;
    struct kvc_layer_found layer = { .states_count = 0 };
    kvcap_code rc = kvc_find_layers_count(config, &layers);
    if (rc == KVCAP_OK)
        rc = kvc_find_heads(config, &heads);
    if (rc == KVCAP_OK)
        rc = kvc_find_windows(config, &windows);
    if (rc == KVCAP_OK)
        rc = kvc_config_list(config, "layer_types", layers.value, KVC_STRING, &list);
    if (rc == KVCAP_OK)
        note_which_slide(config, &windows, list, &layers);
    const struct kvc_value *listed = rc == KVCAP_OK && list != NULL ? list->first : NULL;
    for (uint64_t i = 0; rc == KVCAP_OK && i < layers.value; i++) {
        layer_of(config, &heads, &windows, listed, i, &layer);
        rc = kvc_find_layers(&config->finder, &layer, 1, "/num_hidden_layers");
        listed = listed == NULL ? NULL : listed->next;
    }
    if (rc == KVCAP_OK)
        rc = kvc_find_drafts_count(config, &drafts);
    if (rc == KVCAP_OK && drafts.value > 0) {
        layer.states_count = 0;
        kvc_layer_of_heads(&layer, &heads, NULL);
        rc =
            kvc_find_draft_layers(&config->finder, &layer, drafts.value, config->family->draft_key);
    }
    return rc == KVCAP_OK ? kvc_find_end(&config->finder, &layers, &drafts) : rc;
}
