/* mixed.c - see mixed.h for the room and its promises. */

#include "shape/mixed.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

kvcap_code kvc_mixed_begin(struct kvc_config *config, struct kvc_mixed *mixed)
{
    *mixed = (struct kvc_mixed){ .key = NULL };
    kvcap_code rc = kvc_find_layers_count(config, &mixed->layers);
    if (rc != KVCAP_OK)
        return rc;
    mixed->kind_of = kvc_arena_array(config->finder.arena, (size_t)mixed->layers.value, 1);
    return mixed->kind_of == NULL ? kvc_find_no_memory(&config->finder) : KVCAP_OK;
}

/* Whether a text is one of the words between bars.  No words at all are nobody's name: a file that
 * writes "" must not get the kind that has none. */
static bool is_among(struct kvc_span text, const char *words)
{
    if (text.length == 0)
        return false;
    for (const char *bar; (bar = strchr(words, '|')) != NULL; words = bar + 1) {
        struct kvc_span word = { words, (size_t)(bar - words) };
        if (kvc_span_equal(text, word))
            return true;
    }
    return kvc_span_is(text, words);
}

kvcap_code kvc_mixed_listed(struct kvc_config *config, struct kvc_mixed *mixed, const char *key,
                            const char *const *words, unsigned words_count, bool *ret_listed)
{
    const struct kvc_value *list;
    kvcap_code rc = kvc_config_list(config, key, mixed->layers.value, KVC_STRING, &list);
    *ret_listed = rc == KVCAP_OK && list != NULL;
    if (!*ret_listed)
        return rc;
    mixed->key = key;
    for (const struct kvc_value *e = list->first; e != NULL; e = e->next) {
        uint8_t kind = 0;
        while (kind < words_count && !is_among(e->text, words[kind]))
            kind++;
        mixed->kind_of[e->index] = kind < words_count ? kind : KVC_KIND_STRANGE;
    }
    return KVCAP_OK;
}

kvcap_code kvc_mixed_numbered(struct kvc_config *config, struct kvc_mixed *mixed, const char *key,
                              uint64_t first, uint8_t kind, bool *ret_listed)
{
    const struct kvc_value *list = kvc_config_said(config, key);
    *ret_listed = list != NULL;
    if (list == NULL)
        return KVCAP_OK;
    if (list->type != KVC_ARRAY)
        return kvc_config_fail(config, KVC_METADATA_WRONG_TYPE, key, "a list of layers is due");
    mixed->key = key;
    for (const struct kvc_value *e = list->first; e != NULL; e = e->next) {
        uint64_t layer;
        if (e->type != KVC_NUMBER || !kvc_span_u64(e->text, &layer))
            return kvc_config_fail(config, KVC_METADATA_WRONG_TYPE, key,
                                   "an entry is not a whole number");
        if (layer < first || layer - first >= mixed->layers.value)
            return kvc_config_fail(config, KVC_METADATA_OUT_OF_RANGE, key,
                                   "an entry names a layer that the model does not have");
        mixed->kind_of[layer - first] = kind;
    }
    return KVCAP_OK;
}

/* An entry that is not understood: the layer is unknown, and the entry says why. */
static void strange(struct kvc_config *config, const struct kvc_mixed *mixed, uint64_t layer,
                    struct kvc_layer_found *ret_layer)
{
    const struct kvc_value *list = kvc_config_said(config, mixed->key); /* strange by a key alone */
    const struct kvc_value *entry = kvc_value_element(list, (uint32_t)layer);
    kvc_layer_unknown(ret_layer,
                      entry == NULL ? kvc_config_place(config, mixed->key)
                                    : kvc_config_place_of(config, entry),
                      kvc_span_of("the family is not known to have this layer type"));
}

kvcap_code kvc_mixed_end(struct kvc_config *config, const struct kvc_mixed *mixed,
                         const struct kvc_layer_found *draft)
{
    struct kvc_layer_found unknown;
    struct kvc_origin drafts, layers = mixed->layers;
    assert(draft != NULL || config->family->draft_key == NULL);
    if (mixed->key != NULL)
        kvc_config_layers_by(config, &layers, mixed->key);
    for (uint64_t i = 0; i < mixed->layers.value; i++) {
        uint8_t kind = mixed->kind_of[i];
        if (kind == KVC_KIND_STRANGE)
            strange(config, mixed, i, &unknown);
        kvcap_code rc = kvc_find_layers(&config->finder,
                                        kind == KVC_KIND_STRANGE ? &unknown : &mixed->kinds[kind],
                                        1, "/num_hidden_layers");
        if (rc != KVCAP_OK)
            return rc;
    }
    kvcap_code rc = kvc_find_drafts_count(config, &drafts);
    if (rc == KVCAP_OK && drafts.value > 0)
        rc = kvc_find_draft_layers(&config->finder, draft, drafts.value, config->family->draft_key);
    return rc == KVCAP_OK ? kvc_find_end(&config->finder, &layers, &drafts) : rc;
}

kvcap_code kvc_find_recurrent(struct kvc_config *config, struct kvc_layer_found *layer,
                              enum kvc_rule rule, const char *const *rule_keys,
                              struct kvc_state_found **ret_state)
{
    struct kvc_state_found *state = kvc_layer_state(layer, KVC_STATE_RECURRENT);
    const struct kvc_rule_row *row = kvc_rule_row(rule);
    state->state.rule = rule;
    for (unsigned i = 0; i < KVC_RULE_DIMS_MAX && row->fields[i] != NULL; i++) {
        struct kvc_origin origin;
        if (rule_keys[i] == NULL)
            continue;
        kvcap_code rc = kvc_config_count(config, rule_keys[i], &origin);
        if (rc != KVCAP_OK)
            return rc;
        kvc_state_put_dim(state, i, &origin);
    }
    *ret_state = state;
    return KVCAP_OK;
}

kvcap_code kvc_find_state_format(struct kvc_config *config, const char *key, enum kvc_format absent,
                                 struct kvc_state_found *state)
{
    const struct kvc_value *value = kvc_config_said(config, key);
    struct kvc_origin origin;
    if (absent != KVC_FORMAT_NONE && value == NULL) {
        struct kvc_span from = kvc_config_default(config, key, 0).from;
        if (from.text == NULL)
            return kvc_find_no_memory(&config->finder);
        kvc_state_put_format(state, "state_format", absent, from.text);
    }
    if (value == NULL || (value->type == KVC_STRING && kvc_span_is(value->text, "auto")))
        return KVCAP_OK;
    kvcap_code rc = kvc_config_format(config, value, &state->state.state_format, &origin);
    if (rc == KVCAP_OK)
        kvc_state_from(state, "state_format", &origin);
    return rc;
}
