/* cross.c - keys and values of an encoder's tokens: beside the decoder's own, or in their place.
 * Declared in layers.h. */

#include "shape/mixed.h"

static void put_cross(struct kvc_layer_found *layer, const struct kvc_heads *heads)
{
    struct kvc_state_found *s = kvc_layer_state(layer, KVC_STATE_CROSS);
    kvc_state_put(s, "kv_heads", &s->state.kv_heads, &heads->kv_heads);
    kvc_state_put(s, "key_dim", &s->state.key_dim, &heads->head_dim);
    kvc_state_put(s, "value_dim", &s->state.value_dim, &heads->value_dim);
}

/* ---- Mllama: some of its layers attend to the picture alone. */

enum { SELF, CROSS };

kvcap_code kvc_find_cross_layers(struct kvc_config *config)
{
    struct kvc_mixed mixed;
    struct kvc_heads heads = { 0 };
    bool listed;
    kvcap_code rc = kvc_mixed_begin(config, &mixed);
    if (rc == KVCAP_OK)
        rc = kvc_find_heads(config, &heads);
    if (rc == KVCAP_OK)
        rc = kvc_mixed_numbered(config, &mixed, "cross_attention_layers", 0, CROSS, &listed);
    if (rc == KVCAP_OK && !listed)
        rc = kvc_config_fail(config, KVC_METADATA_MISSING_KEY, "cross_attention_layers",
                             "the key cross_attention_layers is missing");
    if (rc != KVCAP_OK)
        return rc;
    kvc_layer_of_heads(&mixed.kinds[SELF], &heads, NULL);
    put_cross(&mixed.kinds[CROSS], &heads);
    return kvc_mixed_end(config, &mixed, NULL);
}

/* ---- Encoder and decoder: each decoder layer keeps both. */

static kvcap_code add_decoder(struct kvc_config *config, const struct kvc_origin *layers,
                              const struct kvc_heads *heads)
{
    struct kvc_layer_found layer = { .states_count = 0 };
    kvc_config_heed(config, "is_encoder_decoder");
    kvc_layer_of_heads(&layer, heads, NULL);
    put_cross(&layer, heads);
    kvcap_code rc = kvc_find_layers(&config->finder, &layer, layers->value, "/decoder_layers");
    return rc == KVCAP_OK ? kvc_find_end(&config->finder, layers, NULL) : rc;
}

static kvcap_code note_query_heads(struct kvc_config *config, const struct kvc_origin *heads)
{
    config->finder.found.query_heads = (uint32_t)heads->value;
    return kvc_find_source(&config->finder, kvc_span_of("/query_heads"), heads->how, heads->from);
}

kvcap_code kvc_find_encoder_decoder(struct kvc_config *config)
{
    struct kvc_origin layers, width;
    struct kvc_heads heads = { 0 };
    const struct kvc_family *family = config->family;
    kvcap_code rc = kvc_config_size(config, "decoder_layers", family->layers, &layers);
    if (rc == KVCAP_OK)
        rc = kvc_config_size(config, "decoder_attention_heads", family->heads, &heads.kv_heads);
    if (rc == KVCAP_OK)
        rc = kvc_config_size(config, "d_model", family->hidden, &width);
    if (rc == KVCAP_OK && width.value % heads.kv_heads.value != 0)
        rc = kvc_config_fail(config, KVC_METADATA_OUT_OF_RANGE, "d_model",
                             "the attention heads do not divide it");
    if (rc == KVCAP_OK)
        rc = note_query_heads(config, &heads.kv_heads);
    if (rc != KVCAP_OK)
        return rc;
    heads.head_dim = heads.value_dim = kvc_config_derived(
        config, width.value / heads.kv_heads.value, "d_model", "/ /decoder_attention_heads");
    return add_decoder(config, &layers, &heads);
}

/* T5's heads have a size of their own, d_kv; its decoder is as deep as the encoder unless said. */
kvcap_code kvc_find_t5(struct kvc_config *config)
{
    struct kvc_origin layers;
    struct kvc_heads heads = { 0 };
    const struct kvc_family *family = config->family;
    const char *key =
        kvc_config_said(config, "num_decoder_layers") != NULL ? "num_decoder_layers" : "num_layers";
    kvcap_code rc = kvc_config_size(config, key, family->layers, &layers);
    if (rc == KVCAP_OK)
        rc = kvc_config_size(config, "num_heads", family->heads, &heads.kv_heads);
    if (rc == KVCAP_OK)
        rc = kvc_config_count_or(config, "d_kv", family->head_dim, &heads.head_dim);
    if (rc == KVCAP_OK)
        rc = note_query_heads(config, &heads.kv_heads);
    if (rc != KVCAP_OK)
        return rc;
    heads.value_dim = heads.head_dim;
    return add_decoder(config, &layers, &heads);
}
