/* mamba.c - selective state-space layers, alone or mixed with attention.  Declared in layers.h and mamba2.h.
 *
 * Sizes as in vllm/model_executor/layers/mamba/mamba_utils.py at 02d7108: a convolution of
 * (kernel - 1) columns, and a state that the rule gives. */

#include <string.h>

#include "shape/mamba2.h"

enum { ATTENTION, MAMBA, NOTHING, BOTH };

/* The inner size: as the file says it, or expand * hidden_size. */
static kvcap_code find_inner(struct kvc_config *config, const char *inner_key,
                             const char *expand_key, struct kvc_origin *ret_inner)
{
    struct kvc_origin hidden, expand;
    if (inner_key != NULL && kvc_config_said(config, inner_key) != NULL)
        return kvc_config_count(config, inner_key, ret_inner);
    kvcap_code rc = kvc_find_hidden(config, &hidden);
    if (rc == KVCAP_OK)
        rc = kvc_config_count_or(config, expand_key, 2, &expand);
    if (rc != KVCAP_OK)
        return rc;
    if (hidden.value > UINT32_MAX / expand.value)
        return kvc_config_fail(config, KVC_METADATA_OUT_OF_RANGE, expand_key,
                               "the inner size is too large");
    *ret_inner = kvc_config_derived(config, hidden.value * expand.value, "hidden_size", "* expand");
    return KVCAP_OK;
}

/* ---- Mamba-1: Mamba, Falcon-Mamba, Jamba. */

struct mamba1_keys {
    const char *kernel, *inner, *expand, *state;
};

static kvcap_code put_mamba1(struct kvc_config *config, const struct mamba1_keys *keys,
                             struct kvc_layer_found *layer)
{
    struct kvc_origin kernel, inner, dim;
    kvcap_code rc = kvc_config_count_or(config, keys->kernel, 4, &kernel);
    if (rc == KVCAP_OK)
        rc = find_inner(config, keys->inner, keys->expand, &inner);
    if (rc == KVCAP_OK)
        rc = kvc_config_count_or(config, keys->state, 16, &dim);
    if (rc != KVCAP_OK)
        return rc;
    struct kvc_state_found *state = kvc_layer_state(layer, KVC_STATE_RECURRENT);
    state->state.rule = KVC_RULE_MAMBA1;
    kvc_state_put_dim(state, 0, &kernel);
    kvc_state_put_dim(state, 1, &inner);
    kvc_state_put_dim(state, 2, &dim);
    return kvc_find_state_format(config, "mamba_ssm_cache_dtype", KVC_FORMAT_NONE, state);
}

/* ---- Mamba-2. */

/* head_dim may be "auto" or absent: the inner size over the heads. */
static kvcap_code find_mamba_head_dim(struct kvc_config *config, const struct kvc_mamba2_keys *keys,
                                      const struct kvc_origin *inner,
                                      const struct kvc_origin *heads, struct kvc_origin *ret_dim)
{
    const struct kvc_value *value = kvc_config_said(config, keys->head_dim);
    if (value != NULL && value->type != KVC_STRING)
        return kvc_config_count_of(config, value, ret_dim);
    if (inner->value % heads->value != 0)
        return kvc_config_fail(config, KVC_METADATA_OUT_OF_RANGE, keys->heads,
                               "the heads do not divide the inner size");
    *ret_dim = *inner;
    ret_dim->value = inner->value / heads->value;
    ret_dim->how = "derived";
    return KVCAP_OK;
}

static kvcap_code find_mamba2_inner(struct kvc_config *config, const struct kvc_mamba2_keys *keys,
                                    const struct kvc_origin *heads, struct kvc_origin *ret_inner)
{
    struct kvc_origin dim;
    if (!keys->heads_make_inner)
        return find_inner(config, keys->inner, keys->expand, ret_inner);
    kvcap_code rc = kvc_config_count(config, keys->head_dim, &dim);
    if (rc == KVCAP_OK && dim.value > UINT32_MAX / heads->value)
        return kvc_config_fail(config, KVC_METADATA_OUT_OF_RANGE, keys->head_dim,
                               "the inner size is too large");
    if (rc == KVCAP_OK)
        *ret_inner =
            kvc_config_derived(config, dim.value * heads->value, keys->heads, "* head size");
    return rc;
}

kvcap_code kvc_put_mamba2(struct kvc_config *config, const struct kvc_mamba2_keys *keys,
                          enum kvc_format format, struct kvc_layer_found *layer)
{
    struct kvc_origin kernel, inner, groups, dim, heads, head_dim;
    kvcap_code rc = kvc_config_count_or(config, keys->kernel, 4, &kernel);
    if (rc == KVCAP_OK)
        rc = kvc_config_count_or(config, keys->heads, keys->heads_default, &heads);
    if (rc == KVCAP_OK)
        rc = find_mamba2_inner(config, keys, &heads, &inner);
    if (rc == KVCAP_OK)
        rc = kvc_config_count_or(config, keys->groups, keys->groups_default, &groups);
    if (rc == KVCAP_OK)
        rc = kvc_config_count_or(config, keys->state, keys->state_default, &dim);
    if (rc == KVCAP_OK)
        rc = find_mamba_head_dim(config, keys, &inner, &heads, &head_dim);
    if (rc != KVCAP_OK)
        return rc;
    struct kvc_state_found *state = kvc_layer_state(layer, KVC_STATE_RECURRENT);
    const struct kvc_origin *const DIMS[] = { &kernel, &inner, &groups, &dim, &heads, &head_dim };
    state->state.rule = KVC_RULE_MAMBA2;
    for (unsigned i = 0; i < 6; i++)
        kvc_state_put_dim(state, i, DIMS[i]);
    return kvc_find_state_format(config, "mamba_ssm_cache_dtype", format, state);
}

/* Bamba, Granite 4, Falcon-H1 spell the keys alike. */
static const struct kvc_mamba2_keys BAMBA_KEYS = {
    .kernel = "mamba_d_conv",
    .expand = "mamba_expand",
    .groups = "mamba_n_groups",
    .state = "mamba_d_state",
    .heads = "mamba_n_heads",
    .head_dim = "mamba_d_head",
    .groups_default = 1,
    .state_default = 256,
    .heads_default = 128,
};

/* ---- Nothing but state-space layers. */

kvcap_code kvc_find_mamba2(struct kvc_config *config)
{
    static const struct kvc_mamba2_keys KEYS = {
        .kernel = "conv_kernel",
        .inner = "intermediate_size",
        .expand = "expand",
        .groups = "n_groups",
        .state = "state_size",
        .heads = "num_heads",
        .head_dim = "head_dim",
        .groups_default = 8,
        .state_default = 128,
        .heads_default = 128,
    };
    struct kvc_mixed mixed;
    kvcap_code rc = kvc_mixed_begin(config, &mixed);
    if (rc == KVCAP_OK)
        rc = kvc_put_mamba2(config, &KEYS, KVC_FORMAT_NONE, &mixed.kinds[0]);
    return rc == KVCAP_OK ? kvc_mixed_end(config, &mixed, NULL) : rc;
}

/* Some files of Mamba-2 say model_type mamba, and name the class that they are for. */
static bool is_for_mamba2(struct kvc_config *config)
{
    const struct kvc_value *classes = kvc_value_member(config->text, "architectures");
    const struct kvc_value *first = kvc_value_element(classes, 0);
    return first != NULL && first->type == KVC_STRING &&
           kvc_span_is(first->text, "Mamba2ForCausalLM");
}

kvcap_code kvc_find_mamba(struct kvc_config *config)
{
    static const struct mamba1_keys KEYS = { "conv_kernel", "intermediate_size", "expand",
                                             "state_size" };
    struct kvc_mixed mixed;
    if (is_for_mamba2(config))
        return kvc_find_mamba2(config);
    kvcap_code rc = kvc_mixed_begin(config, &mixed);
    if (rc == KVCAP_OK)
        rc = put_mamba1(config, &KEYS, &mixed.kinds[0]);
    return rc == KVCAP_OK ? kvc_mixed_end(config, &mixed, NULL) : rc;
}

/* ---- Mixed. */

static kvcap_code begin_with_attention(struct kvc_config *config, struct kvc_mixed *mixed)
{
    struct kvc_heads heads = { 0 };
    kvcap_code rc = kvc_mixed_begin(config, mixed);
    if (rc == KVCAP_OK)
        rc = kvc_find_heads(config, &heads);
    if (rc != KVCAP_OK)
        return rc;
    kvc_layer_of_heads(&mixed->kinds[ATTENTION], &heads, NULL);
    kvc_layer_none(&mixed->kinds[NOTHING]);
    return KVCAP_OK;
}

/* Attention in every attn_layer_period-th layer, from attn_layer_offset on. */
kvcap_code kvc_find_jamba(struct kvc_config *config)
{
    static const struct mamba1_keys KEYS = { "mamba_d_conv", NULL, "mamba_expand",
                                             "mamba_d_state" };
    struct kvc_mixed mixed;
    struct kvc_origin period;
    uint64_t offset;
    kvcap_code rc = begin_with_attention(config, &mixed);
    if (rc == KVCAP_OK)
        rc = kvc_config_count_or(config, "attn_layer_period", 8, &period);
    if (rc == KVCAP_OK)
        rc = kvc_config_whole(config, "attn_layer_offset", 4, &offset);
    if (rc == KVCAP_OK)
        rc = put_mamba1(config, &KEYS, &mixed.kinds[MAMBA]);
    if (rc != KVCAP_OK)
        return rc;
    mixed.key = "attn_layer_period";
    for (uint64_t i = 0; i < mixed.layers.value; i++)
        mixed.kind_of[i] = i % period.value == offset ? ATTENTION : MAMBA;
    kvc_config_heed(config, "sliding_window"); /* the class's layers do not read it */
    return kvc_mixed_end(config, &mixed, NULL);
}

static bool has_mamba(const struct kvc_mixed *mixed)
{
    for (uint64_t i = 0; i < mixed->layers.value; i++) {
        if (mixed->kind_of[i] != ATTENTION)
            return true;
    }
    return false;
}

/* Bamba lists the attention layers' numbers, Granite 4 a word a layer; a Granite without Mamba
 * layers is a plain decoder. */
kvcap_code kvc_find_mamba_hybrid(struct kvc_config *config)
{
    static const char *const WORDS[] = { "attention|full_attention", "mamba" };
    struct kvc_mixed mixed;
    bool listed = false;
    kvcap_code rc = begin_with_attention(config, &mixed);
    if (rc == KVCAP_OK)
        memset(mixed.kind_of, MAMBA, (size_t)mixed.layers.value);
    if (rc == KVCAP_OK)
        rc = kvc_mixed_listed(config, &mixed, "layer_types", WORDS, 2, &listed);
    if (rc == KVCAP_OK && !listed)
        rc = kvc_mixed_listed(config, &mixed, "layers_block_type", WORDS, 2, &listed);
    if (rc == KVCAP_OK && !listed)
        rc = kvc_mixed_numbered(config, &mixed, "attn_layer_indices", 0, ATTENTION, &listed);
    kvc_config_heed(config, "mamba_d_state");
    kvc_config_heed(config, "layers_block_type");
    if (rc == KVCAP_OK && has_mamba(&mixed))
        rc = kvc_put_mamba2(config, &BAMBA_KEYS, KVC_FORMAT_NONE, &mixed.kinds[MAMBA]);
    return rc == KVCAP_OK ? kvc_mixed_end(config, &mixed, NULL) : rc;
}

/* Every layer has both. */
kvcap_code kvc_find_falcon_h1(struct kvc_config *config)
{
    struct kvc_mamba2_keys keys = BAMBA_KEYS;
    struct kvc_mixed mixed;
    keys.inner = "mamba_d_ssm";
    kvcap_code rc = begin_with_attention(config, &mixed);
    if (rc == KVCAP_OK && !kvc_config_has(config, "mamba_d_ssm"))
        return kvc_config_fail(config, KVC_METADATA_MISSING_KEY, "mamba_d_ssm",
                               "the key mamba_d_ssm is missing");
    if (rc == KVCAP_OK)
        rc = kvc_put_mamba2(config, &keys, KVC_FORMAT_NONE, &mixed.kinds[ATTENTION]);
    return rc == KVCAP_OK ? kvc_mixed_end(config, &mixed, NULL) : rc;
}

/* Heads over two hidden sizes together. */
static kvcap_code find_wide_heads(struct kvc_config *config, struct kvc_heads *heads)
{
    struct kvc_origin hidden = { .value = 0 }, query_heads = { .value = 0 };
    kvcap_code rc = kvc_find_query_heads(config, &query_heads);
    if (rc == KVCAP_OK)
        rc = kvc_find_kv_heads(config, &query_heads, &heads->kv_heads);
    if (rc == KVCAP_OK)
        rc = kvc_find_hidden(config, &hidden);
    if (rc == KVCAP_OK && kvc_config_said(config, "attention_head_dim") != NULL)
        rc = kvc_config_count(config, "attention_head_dim", &heads->head_dim);
    else if (rc == KVCAP_OK && 2 * hidden.value % query_heads.value != 0)
        rc = kvc_config_fail(config, KVC_METADATA_OUT_OF_RANGE, "hidden_size",
                             "the attention heads do not divide it twice");
    else if (rc == KVCAP_OK)
        heads->head_dim = kvc_config_derived(config, 2 * hidden.value / query_heads.value,
                                             "hidden_size", "* 2 / /num_attention_heads");
    heads->value_dim = heads->head_dim;
    return rc;
}

/* Every layer has Mamba-2; the hybrid ones a shared attention too. */
kvcap_code kvc_find_zamba2(struct kvc_config *config)
{
    static const char *const WORDS[] = { "", "mamba", "", "hybrid" };
    static const struct kvc_mamba2_keys KEYS = {
        .kernel = "mamba_d_conv",
        .expand = "mamba_expand",
        .groups = "mamba_ngroups",
        .state = "mamba_d_state",
        .heads = "n_mamba_heads",
        .head_dim = "mamba_headdim",
        .groups_default = 1,
        .state_default = 64,
        .heads_default = 8,
    };
    struct kvc_mixed mixed;
    struct kvc_heads heads = { 0 };
    bool listed = false;
    kvcap_code rc = kvc_mixed_begin(config, &mixed);
    if (rc == KVCAP_OK)
        rc = find_wide_heads(config, &heads);
    if (rc == KVCAP_OK)
        rc = kvc_mixed_listed(config, &mixed, "layers_block_type", WORDS, 4, &listed);
    if (rc == KVCAP_OK && !listed) {
        memset(mixed.kind_of, MAMBA, (size_t)mixed.layers.value);
        rc = kvc_mixed_numbered(config, &mixed, "hybrid_layer_ids", 0, BOTH, &listed);
    }
    kvc_config_heed(config, "hybrid_layer_ids"); /* the list goes before the numbers */
    if (rc == KVCAP_OK && !listed)
        rc = kvc_config_fail(config, KVC_METADATA_MISSING_KEY, "layers_block_type",
                             "the key layers_block_type is missing");
    if (rc == KVCAP_OK)
        rc = kvc_put_mamba2(config, &KEYS, KVC_FORMAT_NONE, &mixed.kinds[MAMBA]);
    if (rc != KVCAP_OK)
        return rc;
    kvc_layer_of_heads(&mixed.kinds[BOTH], &heads, NULL);
    rc = kvc_put_mamba2(config, &KEYS, KVC_FORMAT_NONE, &mixed.kinds[BOTH]);
    return rc == KVCAP_OK ? kvc_mixed_end(config, &mixed, NULL) : rc;
}
