/* linear.c - recurrent layers that are no state-space models: gated delta nets, Kimi delta
 * attention, lightning attention, short convolutions, RWKV.  Declared in layers.h. */

#include <string.h>

#include "shape/mixed.h"

enum { ATTENTION, RECURRENT };

/* Attention in every n-th layer: those with (i + 1) mod n = 0. */
static void every_nth(struct kvc_mixed *mixed, uint64_t n)
{
    for (uint64_t i = 0; i < mixed->layers.value; i++)
        mixed->kind_of[i] = (i + 1) % n == 0 ? ATTENTION : RECURRENT;
}

/* Lightning attention: a square matrix a head. */
static void put_lightning(struct kvc_layer_found *layer, const struct kvc_origin *heads,
                          const struct kvc_origin *head_dim)
{
    struct kvc_state_found *state = kvc_layer_state(layer, KVC_STATE_RECURRENT);
    state->state.rule = KVC_RULE_LINEAR;
    kvc_state_put_dim(state, 0, heads);
    kvc_state_put_dim(state, 1, head_dim);
}

/* ---- Qwen3-Next, Qwen3.5. */

kvcap_code kvc_find_gated_delta(struct kvc_config *config)
{
    static const char *const KEYS[] = { "linear_conv_kernel_dim", "linear_num_key_heads",
                                        "linear_key_head_dim", "linear_num_value_heads",
                                        "linear_value_head_dim" };
    static const uint32_t DEFAULTS[] = { 4, 16, 128, 32, 128 };
    static const char *const WORDS[] = { "full_attention", "linear_attention" };
    struct kvc_mixed mixed;
    struct kvc_heads heads = { 0 };
    struct kvc_origin every, dim;
    bool listed = false;
    kvcap_code rc = kvc_mixed_begin(config, &mixed);
    if (rc == KVCAP_OK)
        rc = kvc_find_heads(config, &heads);
    if (rc == KVCAP_OK)
        rc = kvc_mixed_listed(config, &mixed, "layer_types", WORDS, 2, &listed);
    if (rc == KVCAP_OK)
        rc = kvc_config_count_or(config, "full_attention_interval", 4, &every);
    if (rc != KVCAP_OK)
        return rc;
    if (!listed) {
        every_nth(&mixed, every.value);
        mixed.key = "full_attention_interval";
    }
    kvc_layer_of_heads(&mixed.kinds[ATTENTION], &heads, NULL);
    struct kvc_state_found *state = kvc_layer_state(&mixed.kinds[RECURRENT], KVC_STATE_RECURRENT);
    state->state.rule = KVC_RULE_GATED_DELTA_NET;
    for (unsigned i = 0; i < 5 && rc == KVCAP_OK; i++) {
        rc = kvc_config_count_or(config, KEYS[i], DEFAULTS[i], &dim);
        if (rc == KVCAP_OK)
            kvc_state_put_dim(state, i, &dim);
    }
    if (rc == KVCAP_OK)
        rc = kvc_find_state_format(config, "mamba_ssm_dtype", KVC_FORMAT_NONE, state);
    return rc == KVCAP_OK ? kvc_mixed_end(config, &mixed, &mixed.kinds[ATTENTION]) : rc;
}

/* Latent attention where the file has a rank for it, plain otherwise. */
static kvcap_code put_full_layer(struct kvc_config *config, struct kvc_layer_found *layer)
{
    struct kvc_heads heads = { 0 };
    if (kvc_config_said(config, "kv_lora_rank") != NULL)
        return kvc_find_latent_layer(config, layer);
    kvcap_code rc = kvc_find_heads(config, &heads);
    if (rc == KVCAP_OK)
        kvc_layer_of_heads(layer, &heads, NULL);
    return rc;
}

/* ---- Kimi-Linear: lists of layers that count from 1. */

/* The list of attention layers names just those that the list of delta layers leaves. */
static kvcap_code check_full_list(struct kvc_config *config, const struct kvc_mixed *mixed)
{
    static const char KEY[] = "linear_attn_config/full_attn_layers";
    struct kvc_mixed other = *mixed;
    bool listed, same = true;
    other.kind_of = kvc_arena_array(config->finder.arena, (size_t)mixed->layers.value, 1);
    if (other.kind_of == NULL)
        return kvc_find_no_memory(&config->finder);
    memset(other.kind_of, RECURRENT, (size_t)mixed->layers.value);
    kvcap_code rc = kvc_mixed_numbered(config, &other, KEY, 1, ATTENTION, &listed);
    for (uint64_t i = 0; rc == KVCAP_OK && listed && i < mixed->layers.value; i++)
        same = same && mixed->kind_of[i] == other.kind_of[i];
    return rc != KVCAP_OK || same
               ? rc
               : kvc_config_fail(config, KVC_METADATA_OUT_OF_RANGE, KEY,
                                 "it and kda_layers do not name each layer once");
}

kvcap_code kvc_find_kimi_linear(struct kvc_config *config)
{
    static const char *const KEYS[] = { "linear_attn_config/short_conv_kernel_size",
                                        "linear_attn_config/num_heads",
                                        "linear_attn_config/head_dim" };
    struct kvc_mixed mixed;
    struct kvc_state_found *state;
    bool listed = false;
    kvcap_code rc = kvc_mixed_begin(config, &mixed);
    if (rc == KVCAP_OK)
        rc = put_full_layer(config, &mixed.kinds[ATTENTION]);
    if (rc != KVCAP_OK)
        return rc;
    if (kvc_config_said(config, "linear_attn_config") == NULL)
        return kvc_mixed_end(config, &mixed, &mixed.kinds[ATTENTION]);
    rc = kvc_mixed_numbered(config, &mixed, "linear_attn_config/kda_layers", 1, RECURRENT, &listed);
    if (rc == KVCAP_OK && !listed)
        rc = kvc_config_fail(config, KVC_METADATA_MISSING_KEY, "linear_attn_config/kda_layers",
                             "the list of delta layers is missing");
    if (rc == KVCAP_OK)
        rc = check_full_list(config, &mixed);
    if (rc == KVCAP_OK)
        rc = kvc_find_recurrent(config, &mixed.kinds[RECURRENT], KVC_RULE_KDA, KEYS, &state);
    if (rc != KVCAP_OK)
        return rc;
    kvc_state_put_format(state, "state_format", KVC_FORMAT_F32,
                         "vllm:model_executor/layers/mamba/mamba_utils.py at 02d7108");
    return kvc_mixed_end(config, &mixed, &mixed.kinds[ATTENTION]);
}

/* ---- MiniMax: attn_type_list has 1 for attention and 0 for lightning attention. */

static kvcap_code find_lightning_layers(struct kvc_config *config, struct kvc_mixed *mixed,
                                        bool *ret_listed)
{
    static const char *const WORDS[] = { "full_attention", "linear_attention" };
    const struct kvc_value *list = NULL;
    kvcap_code rc = kvc_mixed_listed(config, mixed, "layer_types", WORDS, 2, ret_listed);
    if (rc == KVCAP_OK)
        rc = kvc_config_list(config, "attn_type_list", mixed->layers.value, KVC_NUMBER, &list);
    if (rc != KVCAP_OK || *ret_listed || list == NULL)
        return rc;
    *ret_listed = true;
    mixed->key = "attn_type_list";
    for (const struct kvc_value *e = list->first; e != NULL; e = e->next)
        mixed->kind_of[e->index] = kvc_span_is(e->text, "1")   ? ATTENTION
                                   : kvc_span_is(e->text, "0") ? RECURRENT
                                                               : KVC_KIND_STRANGE;
    return KVCAP_OK;
}

static kvcap_code begin_lightning(struct kvc_config *config, struct kvc_mixed *mixed,
                                  bool *ret_listed)
{
    struct kvc_heads heads = { 0 };
    struct kvc_origin query_heads;
    kvcap_code rc = kvc_mixed_begin(config, mixed);
    if (rc == KVCAP_OK)
        rc = kvc_find_heads(config, &heads);
    if (rc == KVCAP_OK)
        rc = kvc_find_query_heads(config, &query_heads);
    if (rc != KVCAP_OK)
        return rc;
    kvc_layer_of_heads(&mixed->kinds[ATTENTION], &heads, NULL);
    put_lightning(&mixed->kinds[RECURRENT], &query_heads, &heads.head_dim);
    return find_lightning_layers(config, mixed, ret_listed);
}

/* The class alternates where nothing is listed. */
kvcap_code kvc_find_minimax(struct kvc_config *config)
{
    struct kvc_mixed mixed;
    bool listed;
    kvcap_code rc = begin_lightning(config, &mixed, &listed);
    if (rc != KVCAP_OK)
        return rc;
    for (uint64_t i = 0; i < mixed.layers.value && !listed; i++)
        mixed.kind_of[i] = (i + 1) % 2 != 0 ? ATTENTION : RECURRENT;
    if (!listed)
        mixed.key = "attn_type_list";
    return kvc_mixed_end(config, &mixed, NULL);
}

/* The models' own code wants the list. */
kvcap_code kvc_find_minimax_text(struct kvc_config *config)
{
    struct kvc_mixed mixed;
    bool listed;
    kvcap_code rc = begin_lightning(config, &mixed, &listed);
    if (rc == KVCAP_OK && !listed)
        return kvc_config_fail(config, KVC_METADATA_MISSING_KEY, "attn_type_list",
                               "the key attn_type_list is missing");
    return rc == KVCAP_OK ? kvc_mixed_end(config, &mixed, NULL) : rc;
}

/* MiniMax-M2 has attention alone, and lists so or says nothing. */
kvcap_code kvc_find_minimax_m2(struct kvc_config *config)
{
    struct kvc_mixed mixed;
    bool listed;
    kvcap_code rc = begin_lightning(config, &mixed, &listed);
    return rc == KVCAP_OK ? kvc_mixed_end(config, &mixed, NULL) : rc;
}

/* ---- Bailing (Ling, Ring): in each group of layer_group_size layers the last attends, the others are
 * lightning attention; an incomplete group at the end attends. */

kvcap_code kvc_find_grouped(struct kvc_config *config)
{
    struct kvc_mixed mixed;
    struct kvc_heads heads = { 0 };
    struct kvc_origin group, query_heads;
    kvcap_code rc = kvc_mixed_begin(config, &mixed);
    if (rc == KVCAP_OK)
        rc = kvc_config_count(config, "layer_group_size", &group);
    if (rc == KVCAP_OK)
        rc = put_full_layer(config, &mixed.kinds[ATTENTION]);
    if (rc == KVCAP_OK)
        rc = kvc_find_query_heads(config, &query_heads);
    if (rc == KVCAP_OK)
        rc = kvc_find_heads(config, &heads);
    if (rc != KVCAP_OK)
        return rc;
    uint64_t whole = mixed.layers.value / group.value * group.value;
    mixed.key = "layer_group_size";
    for (uint64_t i = 0; i < mixed.layers.value; i++)
        mixed.kind_of[i] = i >= whole || (i + 1) % group.value == 0 ? ATTENTION : RECURRENT;
    put_lightning(&mixed.kinds[RECURRENT], &query_heads, &heads.head_dim);
    return kvc_mixed_end(config, &mixed, &mixed.kinds[ATTENTION]);
}

/* ---- LFM2: layer_types, or the numbers of the attention layers; the rest are short convolutions. */

static kvcap_code find_short_conv(struct kvc_config *config, bool needs_list)
{
    static const char *const WORDS[] = { "full_attention|attention", "conv" };
    struct kvc_mixed mixed;
    struct kvc_heads heads = { 0 };
    struct kvc_origin kernel, width;
    bool listed = false;
    kvcap_code rc = kvc_mixed_begin(config, &mixed);
    if (rc == KVCAP_OK)
        rc = kvc_find_heads(config, &heads);
    if (rc == KVCAP_OK)
        rc = kvc_mixed_listed(config, &mixed, "layer_types", WORDS, 2, &listed);
    if (rc == KVCAP_OK && !listed && kvc_config_said(config, "full_attn_idxs") != NULL) {
        memset(mixed.kind_of, RECURRENT, (size_t)mixed.layers.value);
        rc = kvc_mixed_numbered(config, &mixed, "full_attn_idxs", 0, ATTENTION, &listed);
    }
    kvc_config_heed(config, "full_attn_idxs");
    if (rc == KVCAP_OK && !listed && needs_list)
        rc = kvc_config_fail(config, KVC_METADATA_MISSING_KEY, "layer_types",
                             "the key layer_types is missing");
    if (rc == KVCAP_OK)
        rc = kvc_config_count_or(config, "conv_L_cache", 3, &kernel);
    if (rc == KVCAP_OK)
        rc = kvc_config_said(config, "conv_dim") != NULL
                 ? kvc_config_count(config, "conv_dim", &width)
                 : kvc_find_hidden(config, &width);
    if (rc != KVCAP_OK)
        return rc;
    kvc_layer_of_heads(&mixed.kinds[ATTENTION], &heads, NULL);
    struct kvc_state_found *state = kvc_layer_state(&mixed.kinds[RECURRENT], KVC_STATE_RECURRENT);
    state->state.rule = KVC_RULE_SHORT_CONV;
    kvc_state_put_dim(state, 0, &kernel);
    kvc_state_put_dim(state, 1, &width);
    return kvc_mixed_end(config, &mixed, NULL);
}

/* Without a list the class has attention everywhere. */
kvcap_code kvc_find_lfm2(struct kvc_config *config)
{
    return find_short_conv(config, false);
}

kvcap_code kvc_find_lfm2_moe(struct kvc_config *config)
{
    return find_short_conv(config, true);
}

/* ---- RWKV. */

/* RWKV-4: the last inputs of two mixings, and a running sum, its weight and its maximum. */
kvcap_code kvc_find_rwkv4(struct kvc_config *config)
{
    struct kvc_mixed mixed;
    struct kvc_origin hidden, width;
    kvcap_code rc = kvc_mixed_begin(config, &mixed);
    if (rc == KVCAP_OK)
        rc = kvc_find_hidden(config, &hidden);
    if (rc != KVCAP_OK)
        return rc;
    width = hidden;
    if (kvc_config_said(config, "attention_hidden_size") != NULL)
        rc = kvc_config_count(config, "attention_hidden_size", &width);
    if (rc == KVCAP_OK && (hidden.value > UINT32_MAX / 2 || width.value > UINT32_MAX / 3))
        rc = kvc_config_fail(config, KVC_METADATA_OUT_OF_RANGE, "hidden_size",
                             "the state of a layer is too large");
    if (rc != KVCAP_OK)
        return rc;
    hidden.value *= 2;
    width.value *= 3;
    hidden.how = width.how = "derived";
    struct kvc_state_found *state = kvc_layer_state(&mixed.kinds[0], KVC_STATE_RECURRENT);
    state->state.rule = KVC_RULE_PLAIN;
    kvc_state_put_dim(state, 0, &hidden);
    kvc_state_put_dim(state, 1, &width);
    kvc_state_put_format(state, "state_format", KVC_FORMAT_F32,
                         "transformers:RwkvModel (the last three of its states)");
    return kvc_mixed_end(config, &mixed, NULL);
}

/* RWKV-5 to 7: the last inputs of two mixings, and a square matrix a head, kept in f32. */
kvcap_code kvc_find_rwkv(struct kvc_config *config)
{
    static const char *const SIZES[] = { "head_size", "head_dim" };
    struct kvc_mixed mixed;
    struct kvc_origin width, size;
    struct kvc_origin shifts = { .value = 2,
                                 .how = "default",
                                 .from = kvc_span_of("the family: a token shift before each of "
                                                     "time mixing and channel mixing") };
    kvcap_code rc = kvc_mixed_begin(config, &mixed);
    if (rc == KVCAP_OK)
        rc = kvc_find_hidden(config, &width);
    if (rc == KVCAP_OK && kvc_config_said(config, "attention_hidden_size") != NULL)
        rc = kvc_config_count(config, "attention_hidden_size", &width);
    if (rc == KVCAP_OK)
        rc = kvc_config_count_or(config, SIZES[kvc_config_said(config, SIZES[0]) == NULL], 64,
                                 &size);
    if (rc == KVCAP_OK && kvc_config_said(config, "attn") != NULL)
        rc = kvc_config_fail(config, KVC_METADATA_NOT_KNOWN, "attn",
                             "layers with attention among those of RWKV are not known");
    if (rc != KVCAP_OK)
        return rc;
    struct kvc_state_found *state = kvc_layer_state(&mixed.kinds[0], KVC_STATE_RECURRENT);
    state->state.rule = KVC_RULE_RWKV;
    kvc_state_put_dim(state, 0, &shifts);
    kvc_state_put_dim(state, 1, &width);
    kvc_state_put_dim(state, 2, &size);
    kvc_state_put_format(state, "state_format", KVC_FORMAT_F32,
                         "the family: its kernels keep the matrix in float32");
    return kvc_mixed_end(config, &mixed, NULL);
}
