/* by_layer.c - attention whose heads, head sizes or windows differ from layer to layer.  Declared in
 * layers.h. */

#include "shape/mixed.h"

/* ---- Multi-query switches of old families. */

static kvcap_code all_alike(struct kvc_config *config, const struct kvc_heads *heads)
{
    struct kvc_mixed mixed;
    kvcap_code rc = kvc_mixed_begin(config, &mixed);
    if (rc != KVCAP_OK)
        return rc;
    kvc_layer_of_heads(&mixed.kinds[0], heads, NULL);
    return kvc_mixed_end(config, &mixed, NULL);
}

/* One KV head, where multi_query says so; it is true where a class's file is silent. */
static kvcap_code find_one_head(struct kvc_config *config, bool is_grouped)
{
    struct kvc_heads heads = { 0 };
    bool multi_query;
    kvcap_code rc = kvc_config_flag(config, "multi_query", true, &multi_query);
    if (rc == KVCAP_OK)
        rc = kvc_find_heads(config, &heads);
    if (rc != KVCAP_OK)
        return rc;
    if (multi_query && !is_grouped)
        heads.kv_heads = kvc_config_has(config, "multi_query")
                             ? kvc_config_derived(config, 1, "multi_query", "")
                             : kvc_config_default(config, "multi_query", 1);
    return all_alike(config, &heads);
}

kvcap_code kvc_find_bigcode(struct kvc_config *config)
{
    return find_one_head(config, false);
}

/* The new decoder architecture keeps as many heads as num_kv_heads says; so did the first form of
 * Falcon-40B, which had no such switch but counted them as n_head_kv. */
kvcap_code kvc_find_falcon(struct kvc_config *config)
{
    bool is_new;
    kvcap_code rc = kvc_config_flag(config, "new_decoder_architecture", false, &is_new);
    bool is_first_form = !kvc_config_has(config, "new_decoder_architecture") &&
                         kvc_config_said(config, "n_head_kv") != NULL;
    return rc == KVCAP_OK ? find_one_head(config, is_new || is_first_form) : rc;
}

/* MPT names its kind of attention; grouped queries bring a count. */
kvcap_code kvc_find_mpt(struct kvc_config *config)
{
    const struct kvc_value *type = kvc_config_said(config, "attn_config/attn_type");
    struct kvc_heads heads = { 0 };
    kvcap_code rc = kvc_find_heads(config, &heads);
    if (rc == KVCAP_OK && type != NULL && kvc_span_is(type->text, "multiquery_attention"))
        heads.kv_heads = kvc_config_derived(config, 1, "attn_config/attn_type", "");
    else if (rc == KVCAP_OK && type != NULL && !kvc_span_is(type->text, "multihead_attention") &&
             !kvc_span_is(type->text, "grouped_query_attention"))
        rc = kvc_config_fail(config, KVC_METADATA_NOT_KNOWN, "attn_config/attn_type",
                             "the family is not known to have this kind of attention");
    return rc == KVCAP_OK ? all_alike(config, &heads) : rc;
}

/* multi_query_group_num counts with multi_query_attention alone. */
kvcap_code kvc_find_chatglm(struct kvc_config *config)
{
    struct kvc_heads heads = { 0 };
    bool grouped;
    kvcap_code rc = kvc_config_flag(config, "multi_query_attention", false, &grouped);
    if (rc == KVCAP_OK)
        rc = kvc_find_heads(config, &heads);
    if (rc == KVCAP_OK && !grouped)
        rc = kvc_find_query_heads(config, &heads.kv_heads);
    return rc == KVCAP_OK ? all_alike(config, &heads) : rc;
}

/* ---- Llama 4: local layers attend within chunks, every fourth (without rope) to all tokens. */

enum { FULL, LOCAL };

static kvcap_code find_local_layers(struct kvc_config *config, struct kvc_mixed *mixed)
{
    static const char *const WORDS[] = { "full_attention", "chunked_attention" };
    const struct kvc_value *ropes = kvc_config_said(config, "no_rope_layers");
    bool listed;
    kvcap_code rc = kvc_mixed_listed(config, mixed, "layer_types", WORDS, 2, &listed);
    if (rc != KVCAP_OK || listed)
        return rc;
    bool is_empty = ropes != NULL && ropes->type == KVC_ARRAY && ropes->count == 0;
    if (ropes != NULL && !is_empty) {
        rc = kvc_config_list(config, "no_rope_layers", mixed->layers.value, KVC_NUMBER, &ropes);
        for (const struct kvc_value *e = rc == KVCAP_OK ? ropes->first : NULL; e != NULL;
             e = e->next)
            mixed->kind_of[e->index] = kvc_span_is(e->text, "0") ? FULL : LOCAL;
        mixed->key = "no_rope_layers";
        return rc;
    }
    struct kvc_origin every;
    mixed->key = "no_rope_layer_interval";
    rc = kvc_config_count_or(config, mixed->key, 4, &every);
    for (uint64_t i = 0; rc == KVCAP_OK && i < mixed->layers.value; i++)
        mixed->kind_of[i] = (i + 1) % every.value == 0 ? FULL : LOCAL;
    return rc;
}

kvcap_code kvc_find_chunked(struct kvc_config *config)
{
    struct kvc_mixed mixed;
    struct kvc_heads heads = { 0 };
    struct kvc_origin chunk;
    kvcap_code rc = kvc_mixed_begin(config, &mixed);
    if (rc == KVCAP_OK)
        rc = kvc_find_heads(config, &heads);
    if (rc == KVCAP_OK)
        rc = find_local_layers(config, &mixed);
    if (rc == KVCAP_OK)
        rc = kvc_config_count_or(config, "attention_chunk_size", 8192, &chunk);
    if (rc != KVCAP_OK)
        return rc;
    kvc_layer_of_heads(&mixed.kinds[FULL], &heads, NULL);
    kvc_layer_of_heads(&mixed.kinds[LOCAL], &heads, &chunk);
    mixed.kinds[LOCAL].states[0].state.chunked = true;
    return kvc_mixed_end(config, &mixed, NULL);
}

/* ---- Nemotron NAS: each block says how many query heads share a KV head, or has no attention. */

static kvcap_code block_heads(struct kvc_config *config, const struct kvc_value *attention,
                              const struct kvc_origin *query_heads, struct kvc_heads *heads)
{
    const struct kvc_value *direct = kvc_value_member(attention, "num_key_value_heads");
    const struct kvc_value *shared = kvc_value_member(attention, "n_heads_in_group");
    struct kvc_origin group;
    if (direct != NULL && direct->type != KVC_NULL)
        return kvc_config_count_of(config, direct, &heads->kv_heads);
    if (shared == NULL || shared->type == KVC_NULL)
        return kvc_config_fail(config, KVC_METADATA_MISSING_KEY, "block_configs",
                               "a block with attention does not say its n_heads_in_group");
    kvcap_code rc = kvc_config_count_of(config, shared, &group);
    if (rc == KVCAP_OK &&
        (group.value > query_heads->value || query_heads->value % group.value != 0))
        return kvc_config_fail(config, KVC_METADATA_OUT_OF_RANGE, "block_configs",
                               "a block's n_heads_in_group does not divide the query heads");
    if (rc != KVCAP_OK)
        return rc;
    heads->kv_heads = group;
    heads->kv_heads.value = query_heads->value / group.value;
    heads->kv_heads.how = "derived";
    return KVCAP_OK;
}

static kvcap_code block_layer(struct kvc_config *config, const struct kvc_value *block,
                              const struct kvc_origin *query_heads, struct kvc_heads *heads,
                              struct kvc_layer_found *layer)
{
    const struct kvc_value *attention = kvc_value_member(block, "attention");
    const struct kvc_value *none = kvc_value_member(attention, "no_op");
    const struct kvc_value *replaced = kvc_value_member(attention, "replace_with_linear");
    const struct kvc_value *window = kvc_value_member(attention, "window_length");
    layer->states_count = 0;
    if (attention == NULL || attention->type != KVC_OBJECT) {
        kvc_layer_unknown(layer, kvc_config_place_of(config, block),
                          kvc_span_of("the block does not describe its attention"));
        return KVCAP_OK;
    }
    if ((none != NULL && none->type == KVC_TRUE) ||
        (replaced != NULL && replaced->type == KVC_TRUE)) {
        kvc_layer_none(layer);
        return KVCAP_OK;
    }
    if (window != NULL && window->type != KVC_NULL) {
        kvc_layer_unknown(layer, kvc_config_place_of(config, window),
                          kvc_span_of("blocks of this family are not known to have windows"));
        return KVCAP_OK;
    }
    kvcap_code rc = block_heads(config, attention, query_heads, heads);
    if (rc == KVCAP_OK)
        kvc_layer_of_heads(layer, heads, NULL);
    return rc;
}

/* DeciLM without blocks lists its KV heads. */
static bool has_blocks(struct kvc_config *config)
{
    return kvc_config_said(config, "block_configs") != NULL;
}

kvcap_code kvc_find_by_block(struct kvc_config *config)
{
    struct kvc_origin layers, query_heads;
    struct kvc_heads heads = { 0 };
    struct kvc_layer_found layer;
    const struct kvc_value *blocks;
    if (!has_blocks(config))
        return kvc_find_heads_listed(config);
    kvcap_code rc = kvc_find_layers_count(config, &layers);
    if (rc == KVCAP_OK)
        rc = kvc_find_heads(config, &heads);
    if (rc == KVCAP_OK)
        rc = kvc_find_query_heads(config, &query_heads);
    if (rc == KVCAP_OK)
        rc = kvc_config_list(config, "block_configs", layers.value, KVC_OBJECT, &blocks);
    for (const struct kvc_value *b = rc == KVCAP_OK ? blocks->first : NULL;
         b != NULL && rc == KVCAP_OK; b = b->next) {
        rc = block_layer(config, b, &query_heads, &heads, &layer);
        if (rc == KVCAP_OK)
            rc = kvc_find_layers(&config->finder, &layer, 1, "/block_configs");
    }
    if (rc == KVCAP_OK)
        kvc_config_layers_by(config, &layers, "block_configs");
    return rc == KVCAP_OK ? kvc_find_end(&config->finder, &layers, NULL) : rc;
}

/* ---- OpenELM, DeciLM: lists of heads, one a layer. */

static const char *listed_key(struct kvc_config *config)
{
    static const char *const KEYS[] = { "num_kv_heads", "num_key_value_heads_per_layer" };
    for (size_t i = 0; i < 2; i++) {
        if (kvc_config_said(config, KEYS[i]) != NULL)
            return KEYS[i];
    }
    return KEYS[0];
}

static const char *layers_key(struct kvc_config *config)
{
    return kvc_config_said(config, "num_transformer_layers") != NULL ? "num_transformer_layers"
                                                                     : "num_hidden_layers";
}

/* OpenELM says the size of a head outright; DeciLM's follows from its hidden size. */
static kvcap_code listed_head_dim(struct kvc_config *config, struct kvc_origin *ret_head_dim)
{
    struct kvc_origin hidden, heads;
    if (kvc_config_said(config, "head_dim") != NULL)
        return kvc_config_count(config, "head_dim", ret_head_dim);
    kvcap_code rc = kvc_find_hidden(config, &hidden);
    if (rc == KVCAP_OK)
        rc = kvc_find_query_heads(config, &heads);
    if (rc == KVCAP_OK && hidden.value % heads.value != 0)
        return kvc_config_fail(config, KVC_METADATA_OUT_OF_RANGE, "hidden_size",
                               "the attention heads do not divide the hidden size");
    if (rc == KVCAP_OK)
        *ret_head_dim = kvc_config_derived(config, hidden.value / heads.value, "hidden_size",
                                           "/ /num_attention_heads");
    return rc;
}

kvcap_code kvc_find_heads_listed(struct kvc_config *config)
{
    struct kvc_origin layers;
    struct kvc_heads heads = { 0 };
    const struct kvc_value *list;
    const char *key = listed_key(config);
    kvcap_code rc = kvc_config_count(config, layers_key(config), &layers);
    if (rc == KVCAP_OK)
        rc = listed_head_dim(config, &heads.head_dim);
    if (rc == KVCAP_OK)
        rc = kvc_config_list(config, key, layers.value, KVC_NUMBER, &list);
    if (rc == KVCAP_OK && list == NULL)
        return kvc_config_fail(config, KVC_METADATA_MISSING_KEY, key,
                               "the list of KV heads is missing");
    if (rc != KVCAP_OK)
        return rc;
    heads.value_dim = heads.head_dim;
    for (const struct kvc_value *e = list->first; e != NULL && rc == KVCAP_OK; e = e->next) {
        struct kvc_layer_found layer = { .states_count = 0 };
        rc = kvc_config_count_of(config, e, &heads.kv_heads);
        if (rc != KVCAP_OK)
            return rc;
        kvc_layer_of_heads(&layer, &heads, NULL);
        rc = kvc_find_layers(&config->finder, &layer, 1, "/num_kv_heads");
    }
    kvc_config_layers_by(config, &layers, key);
    return rc == KVCAP_OK ? kvc_find_end(&config->finder, &layers, NULL) : rc;
}

/* ---- Step-3.5, MiMo-V2: sliding layers have heads of their own. */

/* A count of the sliding layers, or what the full ones have. */
static kvcap_code own_or(struct kvc_config *config, const char *key,
                         const struct kvc_origin *otherwise, struct kvc_origin *ret_origin)
{
    if (kvc_config_said(config, key) != NULL)
        return kvc_config_count(config, key, ret_origin);
    *ret_origin = *otherwise;
    return KVCAP_OK;
}

enum { WIDE, SLIDING };

/* MiMo-V2: hybrid_layer_pattern has 1 for a sliding layer; keys and values differ in size. */
static kvcap_code find_mimo_heads(struct kvc_config *config, struct kvc_heads *full,
                                  struct kvc_heads *sliding)
{
    kvcap_code rc = own_or(config, "v_head_dim", &full->head_dim, &full->value_dim);
    if (rc == KVCAP_OK)
        rc = own_or(config, "swa_num_key_value_heads", &full->kv_heads, &sliding->kv_heads);
    if (rc == KVCAP_OK)
        rc = own_or(config, "swa_head_dim", &full->head_dim, &sliding->head_dim);
    return rc == KVCAP_OK ? own_or(config, "swa_v_head_dim", &full->value_dim, &sliding->value_dim)
                          : rc;
}

static kvcap_code find_mimo_layers(struct kvc_config *config, struct kvc_mixed *mixed)
{
    const struct kvc_value *list = NULL;
    mixed->key = "hybrid_layer_pattern";
    kvcap_code rc = kvc_config_list(config, mixed->key, mixed->layers.value, KVC_NUMBER, &list);
    if (rc == KVCAP_OK && list == NULL)
        return kvc_config_fail(config, KVC_METADATA_MISSING_KEY, mixed->key,
                               "the key hybrid_layer_pattern is missing");
    for (const struct kvc_value *e = rc == KVCAP_OK && list != NULL ? list->first : NULL; e != NULL;
         e = e->next)
        mixed->kind_of[e->index] = kvc_span_is(e->text, "0")   ? WIDE
                                   : kvc_span_is(e->text, "1") ? SLIDING
                                                               : KVC_KIND_STRANGE;
    return rc;
}

/* Step-3.5: attention_other_setting has the heads of the layers whose type it names. */
static kvcap_code find_step_heads(struct kvc_config *config, struct kvc_heads *full,
                                  struct kvc_heads *sliding)
{
    static const char KEY[] = "attention_other_setting/attention_type";
    const struct kvc_value *type = kvc_config_said(config, KEY);
    *sliding = *full;
    if (kvc_config_said(config, "attention_other_setting") == NULL)
        return KVCAP_OK;
    bool is_full = type != NULL && kvc_span_is(type->text, "full_attention");
    if (!is_full && (type == NULL || !kvc_span_is(type->text, "sliding_attention")))
        return kvc_config_fail(config, KVC_METADATA_NOT_KNOWN, KEY,
                               "other heads are given for layers of a type that is not known");
    struct kvc_heads *other = is_full ? full : sliding;
    kvcap_code rc = own_or(config, "attention_other_setting/num_attention_groups", &full->kv_heads,
                           &other->kv_heads);
    if (rc == KVCAP_OK)
        rc = own_or(config, "attention_other_setting/head_dim", &full->head_dim, &other->head_dim);
    other->value_dim = other->head_dim;
    return rc;
}

/* Its layer_types go on past the last layer, for the draft layers; where there are none, even layers
 * slide (vllm/transformers_utils/configs/step3p5.py at 4086e80). */
static uint8_t step_kind(const struct kvc_value *list, uint64_t layer)
{
    const struct kvc_value *e = kvc_value_element(list, (uint32_t)layer);
    if (list == NULL)
        return layer % 2 == 0 ? SLIDING : WIDE;
    return e == NULL                                   ? KVC_KIND_STRANGE
           : kvc_span_is(e->text, "sliding_attention") ? SLIDING
           : kvc_span_is(e->text, "full_attention")    ? WIDE
                                                       : KVC_KIND_STRANGE;
}

/* Layers of both kinds; sliding ones need a window. */
static kvcap_code put_two_widths(struct kvc_config *config, struct kvc_mixed *mixed,
                                 const struct kvc_heads *full, const struct kvc_heads *sliding,
                                 const char *window_key)
{
    uint64_t window;
    struct kvc_origin tokens;
    kvcap_code rc = kvc_config_whole(config, window_key, 0, &window);
    if (rc == KVCAP_OK && window > 0)
        rc = kvc_config_count(config, window_key, &tokens);
    if (rc != KVCAP_OK)
        return rc;
    kvc_layer_of_heads(&mixed->kinds[WIDE], full, NULL);
    if (window > 0)
        kvc_layer_of_heads(&mixed->kinds[SLIDING], sliding, &tokens);
    else
        kvc_layer_unknown(&mixed->kinds[SLIDING], kvc_config_place(config, window_key),
                          kvc_span_of("layers slide, and the file does not say how far"));
    return KVCAP_OK;
}

kvcap_code kvc_find_step3p5(struct kvc_config *config)
{
    struct kvc_mixed mixed;
    struct kvc_heads full = { 0 }, sliding = { 0 };
    kvcap_code rc = kvc_mixed_begin(config, &mixed);
    if (rc == KVCAP_OK)
        rc = kvc_find_heads(config, &full);
    if (rc == KVCAP_OK)
        rc = find_step_heads(config, &full, &sliding);
    if (rc == KVCAP_OK)
        rc = put_two_widths(config, &mixed, &full, &sliding, "sliding_window");
    const struct kvc_value *list = kvc_config_said(config, "layer_types");
    if (rc == KVCAP_OK && list != NULL && list->type != KVC_ARRAY)
        rc = kvc_config_fail(config, KVC_METADATA_WRONG_TYPE, "layer_types", "a list is due");
    if (rc != KVCAP_OK)
        return rc;
    mixed.key = "layer_types";
    for (uint64_t i = 0; i < mixed.layers.value; i++)
        mixed.kind_of[i] = step_kind(list, i);
    uint8_t draft = step_kind(list, mixed.layers.value);
    struct kvc_layer_found unknown = { .states_count = 0 };
    kvc_layer_unknown(&unknown, kvc_config_place(config, "layer_types"),
                      kvc_span_of("the list does not say of which type draft layers are"));
    return kvc_mixed_end(config, &mixed,
                         draft == KVC_KIND_STRANGE ? &unknown : &mixed.kinds[draft]);
}

kvcap_code kvc_find_mimo_v2(struct kvc_config *config)
{
    struct kvc_mixed mixed;
    struct kvc_heads full = { 0 }, sliding = { 0 };
    kvcap_code rc = kvc_mixed_begin(config, &mixed);
    if (rc == KVCAP_OK)
        rc = kvc_find_heads(config, &full);
    if (rc == KVCAP_OK)
        rc = find_mimo_heads(config, &full, &sliding);
    if (rc == KVCAP_OK)
        rc = find_mimo_layers(config, &mixed);
    kvc_config_heed(config, "sliding_window"); /* an older name for the same */
    const char *key = kvc_config_said(config, "sliding_window_size") != NULL ? "sliding_window_size"
                                                                             : "sliding_window";
    if (rc == KVCAP_OK)
        rc = put_two_widths(config, &mixed, &full, &sliding, key);
    /* A draft layer slides (vllm/model_executor/models/mimo_v2_mtp.py at 037951a). */
    return rc == KVCAP_OK ? kvc_mixed_end(config, &mixed, &mixed.kinds[SLIDING]) : rc;
}
