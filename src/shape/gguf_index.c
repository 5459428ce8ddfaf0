/* gguf_index.c - indexers' keys and compressed rows of a GGUF model.  Declared in gguf_model.h. */

#include "shape/gguf_model.h"

#define INDEX_DIM "attention.indexer.key_length"
#define TYPES "attention.indexer.types"
#define KEY_DIM "attention.key_length"
#define RATIOS "attention.compress_ratios"

/* ---- Which layers have an indexer. */

/* glm-dsa.cpp: where the file lists none, models of less than 1,048,576 tokens (GLM 5, 5.1) have one
 * in each layer, later ones (GLM 5.2) in layers 0 and 1 and each fourth from 2 to 74. */
static void index_as_glm(struct kvc_gguf_model *model, uint64_t context_tokens)
{
    for (uint32_t i = 0; i < model->drafts_first; i++)
        model->indexed[i] = context_tokens < 1048576 || i < 2 || (i < 78 && (i - 2) % 4 == 0);
}

static kvcap_code index_by_types(struct kvc_gguf_model *model, bool must_be_list)
{
    struct kvc_gguf_per_layer types;
    struct kvc_origin context;
    kvcap_code rc = kvc_gguf_per_layer(model, TYPES, model->drafts_first, !must_be_list, &types);
    if (rc != KVCAP_OK)
        return rc;
    if (must_be_list && types.of_layer == NULL)
        return kvc_gguf_fail(model, KVC_METADATA_MISSING_KEY, TYPES, "the key is missing");
    if (must_be_list && !types.is_list)
        return kvc_gguf_fail(model, KVC_METADATA_WRONG_TYPE, TYPES, "this is no list");
    if (types.of_layer == NULL) {
        rc = kvc_gguf_number(model, "context_length", &context);
        if (rc == KVCAP_OK)
            index_as_glm(model, context.value);
        return rc;
    }
    for (uint32_t i = 0; i < model->drafts_first; i++)
        model->indexed[i] = types.of_layer[i] != 0;
    return KVCAP_OK;
}

static kvcap_code index_after_dense(struct kvc_gguf_model *model)
{
    struct kvc_origin dense;
    kvcap_code rc = kvc_gguf_number_or(model, "leading_dense_block_count", 0, &dense);
    for (uint32_t i = 0; i < model->layers_count && rc == KVCAP_OK; i++)
        model->indexed[i] = i >= dense.value;
    return rc;
}

kvcap_code kvc_gguf_find_index(struct kvc_gguf_model *model)
{
    if (model->arch->index == KVC_GGUF_INDEX_NEVER)
        return KVCAP_OK;
    model->indexed = kvc_gguf_flags(model);
    if (model->indexed == NULL)
        return kvc_find_no_memory(&model->finder);
    kvcap_code rc = kvc_gguf_at_least(model, INDEX_DIM, 1, &model->index_dim);
    if (rc != KVCAP_OK)
        return rc;
    switch (model->arch->index) {
    case KVC_GGUF_INDEX_TYPES:
        return index_by_types(model, true);
    case KVC_GGUF_INDEX_TYPES_GLM:
        return index_by_types(model, false);
    case KVC_GGUF_INDEX_AFTER_DENSE:
        return index_after_dense(model);
    default:
        for (uint32_t i = 0; i < model->drafts_first; i++)
            model->indexed[i] = !model->recurs[i];
        return KVCAP_OK;
    }
}

/* The indexer's cache is made as the main one is, of one head: without values where the main one has
 * none, and in a layer that slides with that layer's key length (llama_kv_cache_dsa). */
kvcap_code kvc_gguf_add_index(struct kvc_gguf_model *model, uint32_t i,
                              struct kvc_layer_found *layer)
{
    if (model->indexed == NULL || !model->indexed[i])
        return KVCAP_OK;
    const struct kvc_origin *dim = model->slides[i] ? &model->sliding_key_dim : &model->index_dim;
    if (dim->value == 0)
        return KVCAP_OK;
    struct kvc_state_found *state = kvc_layer_state(layer, KVC_STATE_INDEX);
    kvc_state_put(state, "index_dim", &state->state.index_dim, dim);
    if (!model->is_mla && model->value_dim.value > 0)
        kvc_state_put(state, "value_dim", &state->state.value_dim, &model->value_dim);
    return KVCAP_OK;
}

/* ---- Compressed attention (llama_kv_cache_dsv4).  A layer of ratio 4 or 128 keeps compressed rows,
 * with ratio 4 an indexer's keys too, and what its compressors have not yet folded in. */

#define RATIO_INDEXED 4
#define RATIO_PLAIN 128

/* Two f32 tensors a compressor, of what is to be folded and of its scores: ratio 4 keeps 8 rows of
 * two latents, and of two index keys; ratio 128 keeps 128 rows of one latent. */
static kvcap_code add_compressors(struct kvc_gguf_model *model, uint32_t ratio,
                                  const struct kvc_origin *index_dim, struct kvc_layer_found *layer)
{
    const struct kvc_origin *key_dim = &model->sliding_key_dim;
    struct kvc_origin elements =
        ratio == RATIO_PLAIN
            ? kvc_gguf_derived(model, key_dim->value * 128, " * 128", KEY_DIM, NULL)
            : kvc_gguf_derived(model, (key_dim->value + index_dim->value) * 16, " * 16 + 16 * ",
                               KEY_DIM, INDEX_DIM);
    if (elements.value > UINT32_MAX)
        return kvc_gguf_fail(model, KVC_METADATA_OUT_OF_RANGE, KEY_DIM,
                             "the compressors' state is past 2^32-1 elements");
    struct kvc_state_found *state = kvc_layer_state(layer, KVC_STATE_RECURRENT);
    state->state.rule = KVC_RULE_PLAIN;
    kvc_state_put_format(state, "conv_format", KVC_FORMAT_F32, KVC_GGUF_STATE_F32);
    kvc_state_put_format(state, "state_format", KVC_FORMAT_F32, KVC_GGUF_STATE_F32);
    kvc_state_put_dim(state, 0, &elements);
    kvc_state_put_dim(state, 1, &elements);
    return KVCAP_OK;
}

kvcap_code kvc_gguf_find_ratios(struct kvc_gguf_model *model)
{
    const struct kvc_value *list = kvc_gguf_said(model, RATIOS);
    if (model->arch->keeps != KVC_GGUF_KEEPS_COMPRESSED)
        return KVCAP_OK;
    if (list == NULL)
        return kvc_gguf_fail(model, KVC_METADATA_MISSING_KEY, RATIOS, "the key is missing");
    if (list->type != KVC_ARRAY || list->count < model->layers_count)
        return kvc_gguf_fail(model, KVC_METADATA_WRONG_TYPE, RATIOS,
                             "this is no list with an entry a layer");
    return kvc_gguf_per_layer(model, RATIOS, model->layers_count, false, &model->ratios);
}

kvcap_code kvc_gguf_add_compressed(struct kvc_gguf_model *model, uint32_t i,
                                   const struct kvc_origin *kv_heads, struct kvc_layer_found *layer)
{
    struct kvc_origin index_dim, ratio = model->ratios.origin;
    ratio.value = model->ratios.of_layer[i];
    if (ratio.value != RATIO_INDEXED && ratio.value != RATIO_PLAIN)
        return KVCAP_OK;
    kvcap_code rc = kvc_gguf_at_least(model, INDEX_DIM, 1, &index_dim);
    if (rc == KVCAP_OK)
        rc = kvc_gguf_add_latent(model, i, kv_heads, &ratio, layer);
    if (rc != KVCAP_OK)
        return rc;
    if (ratio.value == RATIO_INDEXED) {
        struct kvc_state_found *state = kvc_layer_state(layer, KVC_STATE_INDEX);
        kvc_state_put(state, "index_dim", &state->state.index_dim, &index_dim);
        kvc_state_put(state, "compress_ratio", &state->state.compress_ratio, &ratio);
    }
    return add_compressors(model, (uint32_t)ratio.value, &index_dim, layer);
}
