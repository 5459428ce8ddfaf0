/* gguf_attention.c - heads of a GGUF model, and the rows that they keep.  Declared in
 * gguf_model.h. */

#include "shape/gguf_model.h"

#define HEADS "attention.head_count"
#define KV_HEADS "attention.head_count_kv"
#define KEY_DIM "attention.key_length"
#define VALUE_DIM "attention.value_length"
#define LATENT_DIM "attention.kv_lora_rank"

/* ---- Heads. */

/* A list that the key must fill, one entry a layer, or `absent` for each. */
static kvcap_code find_per_layer(struct kvc_gguf_model *model, const char *suffix,
                                 struct kvc_gguf_per_layer *ret_numbers)
{
    kvcap_code rc =
        kvc_gguf_per_layer(model, suffix, (uint32_t)model->layers.value, true, ret_numbers);
    if (rc != KVCAP_OK || ret_numbers->of_layer != NULL)
        return rc;
    ret_numbers->origin = kvc_gguf_default(model, 0, suffix);
    ret_numbers->of_layer = kvc_arena_array(model->finder.arena, KVC_GGUF_LAYERS_MAX + 1,
                                            sizeof *ret_numbers->of_layer);
    return ret_numbers->of_layer == NULL ? kvc_find_no_memory(&model->finder) : KVCAP_OK;
}

static kvcap_code find_counts(struct kvc_gguf_model *model)
{
    kvcap_code rc = find_per_layer(model, HEADS, &model->heads);
    if (rc == KVCAP_OK)
        rc = find_per_layer(model, "feed_forward_length", &model->feed_forward);
    if (rc == KVCAP_OK && kvc_gguf_said(model, KV_HEADS) != NULL)
        return find_per_layer(model, KV_HEADS, &model->kv_heads);
    model->kv_heads = model->heads; /* as many, where the key is absent */
    if (kvc_gguf_said(model, HEADS) != NULL)
        model->kv_heads.origin = kvc_gguf_derived(model, 0, "", HEADS, NULL);
    return rc;
}

/* The dimension of a head, by its key, or the embedding divided among the heads of layer 0 - which
 * alone counts.  Where it has none there is no attention, and the key is not read (but by plamo2). */
static kvcap_code find_dim(struct kvc_gguf_model *model, const char *suffix,
                           struct kvc_origin *ret_dim)
{
    uint32_t heads = model->heads.of_layer[0];
    bool reads_anyway = kvc_span_is(kvc_span_of(model->arch->name), "plamo2");
    if (kvc_gguf_said(model, suffix) != NULL && (heads > 0 || reads_anyway))
        return kvc_gguf_number(model, suffix, ret_dim);
    struct kvc_origin embedding = { .value = 0 };
    if (heads > 0) {
        kvcap_code rc = kvc_gguf_number(model, "embedding_length", &embedding);
        if (rc != KVCAP_OK)
            return rc;
    }
    *ret_dim = kvc_gguf_derived(model, heads == 0 ? 0 : embedding.value / heads, " / ",
                                "embedding_length", HEADS);
    return KVCAP_OK;
}

static kvcap_code find_sliding_dim(struct kvc_gguf_model *model, const char *suffix,
                                   const struct kvc_origin *full, struct kvc_origin *ret_dim)
{
    *ret_dim = *full;
    return kvc_gguf_said(model, suffix) == NULL ? KVCAP_OK
                                                : kvc_gguf_number(model, suffix, ret_dim);
}

static kvcap_code find_dims(struct kvc_gguf_model *model)
{
    kvcap_code rc = find_dim(model, KEY_DIM, &model->key_dim);
    if (rc == KVCAP_OK)
        rc = find_dim(model, VALUE_DIM, &model->value_dim);
    if (rc == KVCAP_OK)
        rc = find_sliding_dim(model, KEY_DIM "_swa", &model->key_dim, &model->sliding_key_dim);
    if (rc == KVCAP_OK)
        rc =
            find_sliding_dim(model, VALUE_DIM "_swa", &model->value_dim, &model->sliding_value_dim);
    return rc;
}

/* ---- Compressed rows. */

static kvcap_code find_mla_number(struct kvc_gguf_model *model, const char *suffix,
                                  struct kvc_origin *ret_origin)
{
    return model->arch->mla == KVC_GGUF_MLA_SAID ? kvc_gguf_number(model, suffix, ret_origin)
                                                 : kvc_gguf_number_or(model, suffix, 0, ret_origin);
}

static kvcap_code find_mla(struct kvc_gguf_model *model)
{
    struct kvc_origin key, value;
    /* llama_kv_cache_dsv4 makes its caches as if there were MLA, whatever the keys say. */
    model->is_mla = model->arch->keeps == KVC_GGUF_KEEPS_COMPRESSED;
    if (model->arch->mla == KVC_GGUF_MLA_NEVER)
        return KVCAP_OK;
    kvcap_code rc = find_mla_number(model, KEY_DIM "_mla", &key);
    if (rc == KVCAP_OK)
        rc = find_mla_number(model, VALUE_DIM "_mla", &value);
    if (rc == KVCAP_OK && (key.value == 0) != (value.value == 0))
        return kvc_gguf_fail(model, KVC_METADATA_OUT_OF_RANGE, KEY_DIM "_mla",
                             "this and value_length_mla are both 0 or neither");
    if (rc == KVCAP_OK)
        rc = kvc_gguf_number_or(model, LATENT_DIM, 0, &model->latent_dim);
    if (rc == KVCAP_OK)
        rc = kvc_gguf_number_or(model, LATENT_DIM "_swa", 0, &model->sliding_latent_dim);
    model->is_mla = rc == KVCAP_OK && key.value > 0;
    /* kimi-k3.cpp: older files have no value_length, and the latent is what is checked. */
    if (rc == KVCAP_OK && kvc_span_is(kvc_span_of(model->arch->name), "kimi-k3"))
        model->value_dim = model->latent_dim;
    return rc;
}

/* ---- Sharing. */

/* gemma3n.cpp sets n_layer_kv_from_start to 20; gemma4.cpp to block_count - shared_kv_layers. */
static kvcap_code find_sharing(struct kvc_gguf_model *model)
{
    struct kvc_origin shared;
    model->sharing_first = model->layers_count;
    if (model->arch->shares == KVC_GGUF_SHARES_FROM_20 && model->layers_count > 20)
        model->sharing_first = 20;
    if (model->arch->shares != KVC_GGUF_SHARES_LAST)
        return KVCAP_OK;
    kvcap_code rc = kvc_gguf_number_or(model, "attention.shared_kv_layers", 0, &shared);
    if (rc != KVCAP_OK)
        return rc;
    if (shared.value > 0 && shared.value + 2 > model->layers_count)
        return kvc_gguf_fail(model, KVC_METADATA_OUT_OF_RANGE, "attention.shared_kv_layers",
                             "two layers at least must keep a cache of their own");
    model->sharing_first = model->layers_count - (uint32_t)shared.value;
    return KVCAP_OK;
}

kvcap_code kvc_gguf_find_heads(struct kvc_gguf_model *model)
{
    kvcap_code rc = find_counts(model);
    if (rc == KVCAP_OK)
        rc = find_dims(model);
    if (rc == KVCAP_OK)
        rc = find_mla(model);
    return rc == KVCAP_OK ? find_sharing(model) : rc;
}

/* ---- Rows of a layer. */

/* With one head a row is the latent and its rotated part, where the file says how long the latent
 * is. */
static void put_latent(struct kvc_gguf_model *model, bool slides, uint64_t kv_heads,
                       struct kvc_state_found *state)
{
    const struct kvc_origin *row = slides ? &model->sliding_key_dim : &model->key_dim;
    struct kvc_origin latent = slides ? model->sliding_latent_dim : model->latent_dim;
    const char *suffix = slides ? KEY_DIM "_swa" : KEY_DIM;
    const char *latent_suffix = slides ? LATENT_DIM "_swa" : LATENT_DIM;
    bool is_whole = kv_heads != 1 || latent.value == 0 || latent.value > row->value;
    if (kv_heads != 1)
        latent = kvc_gguf_derived(model, row->value * kv_heads, " * ", suffix, KV_HEADS);
    else if (is_whole)
        latent = *row;
    kvc_state_put(state, "latent_dim", &state->state.latent_dim, &latent);
    if (is_whole || latent.value == row->value)
        return;
    struct kvc_origin rope =
        kvc_gguf_derived(model, row->value - latent.value, " - ", suffix, latent_suffix);
    kvc_state_put(state, "rope_dim", &state->state.rope_dim, &rope);
}

kvcap_code kvc_gguf_add_latent(struct kvc_gguf_model *model, uint32_t i,
                               const struct kvc_origin *kv_heads, const struct kvc_origin *ratio,
                               struct kvc_layer_found *layer)
{
    bool slides = model->slides[i];
    const struct kvc_origin *row = slides ? &model->sliding_key_dim : &model->key_dim;
    if (kv_heads->value == 0 || row->value == 0)
        return KVCAP_OK;
    if (kv_heads->value > UINT32_MAX / row->value)
        return kvc_gguf_fail(model, KVC_METADATA_OUT_OF_RANGE, KV_HEADS,
                             "a row is past 2^32-1 elements");
    struct kvc_state_found *state = kvc_layer_state(layer, KVC_STATE_LATENT);
    put_latent(model, slides, kv_heads->value, state);
    if (ratio != NULL)
        kvc_state_put(state, "compress_ratio", &state->state.compress_ratio, ratio);
    else if (slides)
        kvc_state_put_window(state, &model->window);
    return KVCAP_OK;
}

kvcap_code kvc_gguf_add_attention(struct kvc_gguf_model *model, uint32_t i,
                                  const struct kvc_origin *kv_heads, struct kvc_layer_found *layer)
{
    if (model->is_mla)
        return kvc_gguf_add_latent(model, i, kv_heads, NULL, layer);
    bool slides = model->slides[i];
    const struct kvc_origin *key_dim = slides ? &model->sliding_key_dim : &model->key_dim;
    const struct kvc_origin *value_dim = slides ? &model->sliding_value_dim : &model->value_dim;
    if (kv_heads->value == 0 || (key_dim->value == 0 && value_dim->value == 0))
        return KVCAP_OK;
    if (key_dim->value == 0 || value_dim->value == 0)
        return kvc_gguf_fail(model, KVC_METADATA_OUT_OF_RANGE,
                             key_dim->value == 0 ? KEY_DIM : VALUE_DIM,
                             "keys and values have both 0 elements or neither");
    struct kvc_state_found *state =
        kvc_layer_state(layer, slides ? KVC_STATE_KV_WINDOW : KVC_STATE_KV);
    kvc_state_put(state, "kv_heads", &state->state.kv_heads, kv_heads);
    kvc_state_put(state, "key_dim", &state->state.key_dim, key_dim);
    kvc_state_put(state, "value_dim", &state->state.value_dim, value_dim);
    if (slides) {
        kvc_state_put_window(state, &model->window);
        state->state.chunked = model->arch->chunked;
    }
    return KVCAP_OK;
}
