/* compressed.c - DeepSeek V4: every layer a window of latents, most of them compressed ones too.
 * Declared in layers.h.
 *
 * compress_ratios has an entry a layer; further entries are draft layers', which keep a window alone.
 *
 *   ratio 0, 1   window latent
 *   ratio 4      window latent, latent of 1 row for 4 tokens, indexer keys likewise, compressor state
 *   ratio 128    window latent, latent of 1 row for 128 tokens, compressor state
 *
 * The compressor's state is two f32 matrices (the running values and their scores) of c * ratio rows
 * and c * head_dim columns, where c is 2 for the overlapping ratio 4 and else 1; the indexer has such
 * a pair of its own with index_head_dim (vllm/models/deepseek_v4/compressor.py at 91fe050). */

#include "shape/mixed.h"

static const char COMPRESSOR[] = "vllm:models/deepseek_v4/compressor.py at 91fe050";

struct compression {
    struct kvc_origin plain, rope, window, head_dim, index_dim;
};

/* A row has head_dim elements, the last qk_rope_head_dim of them with rope. */
static kvcap_code find_compression(struct kvc_config *config, struct compression *c)
{
    struct kvc_origin heads;
    kvcap_code rc = kvc_find_query_heads(config, &heads);
    if (rc == KVCAP_OK)
        rc = kvc_config_size(config, "head_dim", 512, &c->head_dim);
    if (rc == KVCAP_OK)
        rc = kvc_config_count(config, "qk_rope_head_dim", &c->rope);
    if (rc == KVCAP_OK)
        rc = kvc_config_count_or(config, "sliding_window", config->family->window_default,
                                 &c->window);
    if (rc != KVCAP_OK)
        return rc;
    if (c->rope.value >= c->head_dim.value)
        return kvc_config_fail(config, KVC_METADATA_OUT_OF_RANGE, "qk_rope_head_dim",
                               "it is not smaller than head_dim");
    c->plain = kvc_config_derived(config, c->head_dim.value - c->rope.value, "head_dim",
                                  "- /qk_rope_head_dim");
    return KVCAP_OK;
}

static struct kvc_state_found *put_latent(struct kvc_layer_found *layer,
                                          const struct compression *c)
{
    struct kvc_state_found *state = kvc_layer_state(layer, KVC_STATE_LATENT);
    kvc_state_put(state, "latent_dim", &state->state.latent_dim, &c->plain);
    kvc_state_put(state, "rope_dim", &state->state.rope_dim, &c->rope);
    return state;
}

/* Elements of one of the two matrices of a compressor. */
static uint64_t matrix(uint64_t ratio, uint64_t dim)
{
    uint64_t c = ratio == 4 ? 2 : 1;
    return c * ratio * c * dim;
}

static kvcap_code put_compressed(struct kvc_config *config, const struct compression *c,
                                 const struct kvc_origin *ratio, struct kvc_layer_found *layer)
{
    struct kvc_state_found *rows = put_latent(layer, c);
    kvc_state_put(rows, "compress_ratio", &rows->state.compress_ratio, ratio);
    uint64_t elements = matrix(ratio->value, c->head_dim.value);
    if (ratio->value == 4) {
        struct kvc_state_found *index = kvc_layer_state(layer, KVC_STATE_INDEX);
        kvc_state_put(index, "index_dim", &index->state.index_dim, &c->index_dim);
        kvc_state_put(index, "compress_ratio", &index->state.compress_ratio, ratio);
        kvc_state_put_index_fp8(index, "vllm:models/deepseek_v4/attention.py at e6643ec");
        elements += matrix(4, c->index_dim.value);
    }
    if (elements > UINT32_MAX)
        return kvc_config_fail(config, KVC_METADATA_OUT_OF_RANGE, "head_dim",
                               "the state of its compressor is too large");
    struct kvc_origin origin = kvc_config_derived(
        config, elements, "head_dim",
        ratio->value == 4 ? "* 4 * ratio + /index_head_dim * 4 * ratio" : "* ratio");
    struct kvc_state_found *state = kvc_layer_state(layer, KVC_STATE_RECURRENT);
    state->state.rule = KVC_RULE_PLAIN;
    kvc_state_put_dim(state, 0, &origin);
    kvc_state_put_dim(state, 1, &origin);
    kvc_state_put_format(state, "conv_format", KVC_FORMAT_F32, COMPRESSOR);
    kvc_state_put_format(state, "state_format", KVC_FORMAT_F32, COMPRESSOR);
    return KVCAP_OK;
}

static kvcap_code make_layer(struct kvc_config *config, const struct compression *c,
                             const struct kvc_value *entry, struct kvc_layer_found *layer)
{
    bool is_none = kvc_span_is(entry->text, "0") || kvc_span_is(entry->text, "1");
    struct kvc_origin ratio;
    layer->states_count = 0;
    kvc_state_put_window(put_latent(layer, c), &c->window);
    if (is_none)
        return KVCAP_OK;
    kvcap_code rc = kvc_config_count_of(config, entry, &ratio);
    if (rc == KVCAP_OK && ratio.value != 4 && ratio.value != 128) {
        kvc_layer_unknown(layer, kvc_config_place_of(config, entry),
                          kvc_span_of("the family is not known to have this ratio"));
        return KVCAP_OK;
    }
    return rc == KVCAP_OK ? put_compressed(config, c, &ratio, layer) : rc;
}

kvcap_code kvc_find_compressed(struct kvc_config *config)
{
    static const char KEY[] = "compress_ratios";
    struct compression c;
    struct kvc_origin layers, drafts;
    struct kvc_layer_found layer;
    kvcap_code rc = kvc_find_layers_count(config, &layers);
    if (rc == KVCAP_OK)
        rc = find_compression(config, &c);
    if (rc == KVCAP_OK)
        rc = kvc_config_count(config, "index_head_dim", &c.index_dim);
    const struct kvc_value *list = kvc_config_said(config, KEY);
    if (rc == KVCAP_OK && list == NULL)
        rc =
            kvc_config_fail(config, KVC_METADATA_MISSING_KEY, KEY, "the list of ratios is missing");
    if (rc == KVCAP_OK && (list->type != KVC_ARRAY || list->count < layers.value))
        rc = kvc_config_fail(config, KVC_METADATA_OUT_OF_RANGE, KEY,
                             "a list of at least one entry a layer is due");
    const struct kvc_value *entry = rc == KVCAP_OK ? list->first : NULL;
    for (uint64_t i = 0; rc == KVCAP_OK && i < layers.value; i++, entry = entry->next) {
        rc = make_layer(config, &c, entry, &layer);
        if (rc == KVCAP_OK)
            rc = kvc_find_layers(&config->finder, &layer, 1, "/compress_ratios");
    }
    if (rc == KVCAP_OK)
        kvc_config_layers_by(config, &layers, KEY);
    if (rc == KVCAP_OK)
        rc = kvc_find_drafts_count(config, &drafts);
    if (rc == KVCAP_OK && drafts.value > 0) {
        layer.states_count = 0;
        kvc_state_put_window(put_latent(&layer, &c), &c.window);
        rc =
            kvc_find_draft_layers(&config->finder, &layer, drafts.value, config->family->draft_key);
    }
    return rc == KVCAP_OK ? kvc_find_end(&config->finder, &layers, &drafts) : rc;
}
