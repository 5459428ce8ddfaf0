/* heads.c - the counts of plain attention.  Declared in layers.h. */

#include <inttypes.h>
#include <stdio.h>

#include "shape/layers.h"

/* Families name the same counts differently, and transformers reads any of them (attribute_map of
 * the configuration classes).  The first that stands in the file counts. */
static const char *const LAYERS[] = { "num_hidden_layers", "n_layer", "n_layers", "num_layers",
                                      NULL };
static const char *const HIDDEN[] = {
    "hidden_size", "n_embd", "d_model", "model_dim", "dim", NULL
};
static const char *const HEADS[] = { "num_attention_heads", "n_head", "n_heads", "num_heads",
                                     NULL };
static const char *const KV_HEADS[] = { "num_key_value_heads",
                                        "num_kv_heads",
                                        "n_head_kv",
                                        "multi_query_group_num",
                                        "n_kv_heads",
                                        "num_attention_groups",
                                        "attn_config/kv_n_heads",
                                        NULL };
static const char *const HEAD_DIM[] = { "head_dim", "kv_channels", "attention_head_dim",
                                        "hidden_size_per_head", NULL };

/* The name that says something, or the first. */
static const char *said_name(struct kvc_config *config, const char *const *names)
{
    for (size_t i = 0; names[i] != NULL; i++) {
        if (kvc_config_said(config, names[i]) != NULL)
            return names[i];
    }
    return names[0];
}

kvcap_code kvc_find_layers_count(struct kvc_config *config, struct kvc_origin *ret_layers)
{
    const char *key = said_name(config, LAYERS);
    kvcap_code rc = kvc_config_size(config, key, config->family->layers, ret_layers);
    if (rc == KVCAP_OK && ret_layers->value > KVC_LAYERS_MAX)
        return kvc_config_fail(config, KVC_METADATA_OUT_OF_RANGE, key,
                               "a model has at most 4,096 layers");
    return rc;
}

/* BLOOM's and Falcon's classes let the old name n_embed go before the new one. */
kvcap_code kvc_find_hidden(struct kvc_config *config, struct kvc_origin *ret_hidden)
{
    if (kvc_config_said(config, "n_embed") != NULL)
        return kvc_config_count(config, "n_embed", ret_hidden);
    return kvc_config_size(config, said_name(config, HIDDEN), config->family->hidden, ret_hidden);
}

kvcap_code kvc_find_query_heads(struct kvc_config *config, struct kvc_origin *ret_heads)
{
    kvcap_code rc =
        kvc_config_size(config, said_name(config, HEADS), config->family->heads, ret_heads);
    if (rc != KVCAP_OK || config->finder.found.query_heads != 0)
        return rc;
    config->finder.found.query_heads = (uint32_t)ret_heads->value;
    return kvc_find_source(&config->finder, kvc_span_of("/query_heads"), ret_heads->how,
                           ret_heads->from);
}

/* An absent key is the class's default, a null one is as many as query heads. */
kvcap_code kvc_find_kv_heads(struct kvc_config *config, const struct kvc_origin *query_heads,
                             struct kvc_origin *ret_origin)
{
    const char *key = said_name(config, KV_HEADS);
    if (kvc_config_said(config, key) != NULL)
        return kvc_config_count(config, key, ret_origin);
    if (config->family->kv_heads > 0 && !kvc_config_has(config, key)) {
        *ret_origin = kvc_config_default(config, key, config->family->kv_heads);
        return KVCAP_OK;
    }
    *ret_origin = *query_heads;
    if (query_heads->how[0] == 'r')
        ret_origin->how = "derived";
    return KVCAP_OK;
}

static kvcap_code find_head_dim(struct kvc_config *config, const struct kvc_origin *query_heads,
                                struct kvc_origin *ret_origin)
{
    const char *key = said_name(config, HEAD_DIM);
    struct kvc_origin hidden;
    if (kvc_config_said(config, key) != NULL &&
        !kvc_span_is(kvc_config_said(config, key)->text, "0")) /* 0 is as good as null */
        return kvc_config_count(config, key, ret_origin);
    if (config->family->head_dim > 0 && !kvc_config_has(config, key)) {
        *ret_origin = kvc_config_default(config, key, config->family->head_dim);
        return KVCAP_OK;
    }
    kvcap_code rc = kvc_find_hidden(config, &hidden);
    if (rc != KVCAP_OK)
        return rc;
    /* Some classes refuse this, others drop the rest: it is a broken file. */
    if (hidden.value % query_heads->value != 0) {
        char sentence[120];
        snprintf(sentence, sizeof sentence,
                 "%" PRIu64 " attention heads do not divide a hidden size of %" PRIu64,
                 query_heads->value, hidden.value);
        return kvc_config_fail(config, KVC_METADATA_OUT_OF_RANGE, said_name(config, HIDDEN),
                               sentence);
    }
    char formula[80];
    snprintf(formula, sizeof formula, "/ /%s", said_name(config, HEADS));
    *ret_origin = kvc_config_derived(config, hidden.value / query_heads->value,
                                     said_name(config, HIDDEN), formula);
    return KVCAP_OK;
}

kvcap_code kvc_find_heads(struct kvc_config *config, struct kvc_heads *ret_heads)
{
    struct kvc_origin query_heads;
    kvcap_code rc = kvc_find_query_heads(config, &query_heads);
    if (rc == KVCAP_OK)
        rc = kvc_find_kv_heads(config, &query_heads, &ret_heads->kv_heads);
    if (rc == KVCAP_OK && query_heads.value % ret_heads->kv_heads.value != 0)
        rc = kvc_config_fail(config, KVC_METADATA_OUT_OF_RANGE, said_name(config, KV_HEADS),
                             "the KV heads do not divide the query heads");
    if (rc == KVCAP_OK)
        rc = find_head_dim(config, &query_heads, &ret_heads->head_dim);
    if (rc == KVCAP_OK)
        ret_heads->value_dim = ret_heads->head_dim;
    return rc;
}

kvcap_code kvc_find_drafts_count(struct kvc_config *config, struct kvc_origin *ret_drafts)
{
    const char *key = config->family->draft_key;
    uint64_t count = 0;
    *ret_drafts = (struct kvc_origin){ .value = 0 };
    kvcap_code rc = key == NULL ? KVCAP_OK : kvc_config_whole(config, key, 0, &count);
    return rc != KVCAP_OK || count == 0 ? rc : kvc_config_count(config, key, ret_drafts);
}

void kvc_layer_of_heads(struct kvc_layer_found *layer, const struct kvc_heads *heads,
                        const struct kvc_origin *window)
{
    struct kvc_state_found *s =
        kvc_layer_state(layer, window == NULL ? KVC_STATE_KV : KVC_STATE_KV_WINDOW);
    kvc_state_put(s, "kv_heads", &s->state.kv_heads, &heads->kv_heads);
    kvc_state_put(s, "key_dim", &s->state.key_dim, &heads->head_dim);
    kvc_state_put(s, "value_dim", &s->state.value_dim, &heads->value_dim);
    if (window != NULL)
        kvc_state_put_window(s, window);
}
