/* latent.c - multi-head latent attention, with an indexer beside it or without; and an indexer beside
 * plain heads.  Declared in layers.h. */

#include <string.h>

#include "shape/mixed.h"

/* One row of kv_lora_rank + qk_rope_head_dim, for all heads.  Defaults: DeepseekV3Config. */
kvcap_code kvc_find_latent_layer(struct kvc_config *config, struct kvc_layer_found *layer)
{
    struct kvc_origin latent, rope, query_heads;
    kvcap_code rc = kvc_find_query_heads(config, &query_heads);
    if (rc == KVCAP_OK)
        rc = kvc_config_size(config, "kv_lora_rank", 512, &latent);
    if (rc == KVCAP_OK)
        rc = kvc_config_size(config, "qk_rope_head_dim", 64, &rope);
    if (rc != KVCAP_OK)
        return rc;
    struct kvc_state_found *state = kvc_layer_state(layer, KVC_STATE_LATENT);
    kvc_state_put(state, "latent_dim", &state->state.latent_dim, &latent);
    kvc_state_put(state, "rope_dim", &state->state.rope_dim, &rope);
    kvc_config_heed(config, "v_head_dim"); /* values are made of the latent */
    return KVCAP_OK;
}

/* Files of sparse attention list it; what is cached is the same. */
static kvcap_code check_layer_types(struct kvc_config *config)
{
    const struct kvc_value *list = kvc_config_said(config, "layer_types");
    if (list == NULL)
        return KVCAP_OK;
    for (const struct kvc_value *e = list->first; e != NULL; e = e->next) {
        if (!kvc_span_is(e->text, "full_attention") &&
            !kvc_span_is(e->text, "deepseek_sparse_attention"))
            return kvc_config_fail(config, KVC_METADATA_NOT_KNOWN, "layer_types",
                                   "the family is not known to have these layer types");
    }
    return KVCAP_OK;
}

/* ---- Indexers (DeepSeek-V3.2, GLM-5). */

enum { WITHOUT_INDEX, WITH_INDEX };

static kvcap_code find_index(struct kvc_config *config, struct kvc_layer_found *layer)
{
    struct kvc_origin dim;
    kvcap_code rc = kvc_config_count(config, "index_head_dim", &dim);
    if (rc != KVCAP_OK)
        return rc;
    struct kvc_state_found *index = kvc_layer_state(layer, KVC_STATE_INDEX);
    kvc_state_put(index, "index_dim", &index->state.index_dim, &dim);
    kvc_state_put_index_fp8(index, "vllm:models/deepseek_v32/attention.py at 1ba45af");
    return KVCAP_OK;
}

/* A layer that shares an earlier one's choice has no indexer and keeps no keys for it
 * (vllm/models/deepseek_v32/attention.py at 1ba45af). */
static kvcap_code find_indexed_layers(struct kvc_config *config, struct kvc_mixed *mixed)
{
    static const char *const WORDS[] = { "shared", "full" };
    uint64_t every, offset;
    bool listed;
    const struct kvc_value *pattern = kvc_config_said(config, "index_topk_pattern");
    kvcap_code rc = kvc_mixed_listed(config, mixed, "indexer_types", WORDS, 2, &listed);
    if (rc != KVCAP_OK || listed)
        return rc;
    rc = kvc_config_whole(config, "index_topk_freq", 1, &every);
    if (rc == KVCAP_OK)
        rc = kvc_config_whole(config, "index_skip_topk_offset", 2, &offset);
    if (rc != KVCAP_OK)
        return rc;
    bool is_word = pattern != NULL && pattern->type == KVC_STRING;
    struct kvc_span word = { NULL, 0 };
    if (is_word)
        word = pattern->text;
    if (pattern != NULL || every > 1)
        mixed->key = pattern != NULL ? "index_topk_pattern" : "index_topk_freq";
    for (uint64_t i = 0; i < mixed->layers.value; i++) {
        uint64_t since = i + 1 > offset ? i + 1 - offset : 0;
        bool shares = every > 1 && since % every != 0;
        /* A layer past the word's end has an indexer. */
        char letter = i < word.length ? word.text[i] : 'F';
        if (is_word)
            shares = letter == 'S';
        mixed->kind_of[i] = shares ? WITHOUT_INDEX : WITH_INDEX;
        if (pattern != NULL && (!is_word || (letter != 'S' && letter != 'F')))
            mixed->kind_of[i] = KVC_KIND_STRANGE;
    }
    return KVCAP_OK;
}

/* A file of the family whose every latent size is 0 or null describes plain heads (as vLLM's
 * deepseek_v2.py takes it: DeepSeek-OCR). */
static bool has_no_latent(struct kvc_config *config)
{
    static const char *const SIZES[] = { "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim" };
    for (size_t i = 0; i < 3; i++) {
        const struct kvc_value *size = kvc_config_said(config, SIZES[i]);
        if (!kvc_config_has(config, SIZES[i]) || (size != NULL && !kvc_span_is(size->text, "0")))
            return false;
    }
    return true;
}

kvcap_code kvc_find_latent(struct kvc_config *config)
{
    struct kvc_mixed mixed;
    kvc_config_heed(config, "v_head_dim");
    if (has_no_latent(config))
        return kvc_find_plain(config);
    kvcap_code rc = kvc_mixed_begin(config, &mixed);
    if (rc == KVCAP_OK)
        rc = check_layer_types(config);
    if (rc == KVCAP_OK)
        rc = kvc_find_latent_layer(config, &mixed.kinds[WITHOUT_INDEX]);
    if (rc != KVCAP_OK || kvc_config_said(config, "index_head_dim") == NULL)
        return rc == KVCAP_OK ? kvc_mixed_end(config, &mixed, &mixed.kinds[WITHOUT_INDEX]) : rc;
    mixed.kinds[WITH_INDEX] = mixed.kinds[WITHOUT_INDEX];
    rc = find_index(config, &mixed.kinds[WITH_INDEX]);
    if (rc == KVCAP_OK)
        rc = find_indexed_layers(config, &mixed);
    /* A draft layer always has its own indexer. */
    return rc == KVCAP_OK ? kvc_mixed_end(config, &mixed, &mixed.kinds[WITH_INDEX]) : rc;
}

/* ---- LongCat-Flash: num_layers decoder layers of two attentions each, so two rows a token.  Where
 * the file counts attentions (num_hidden_layers, twice as many), num_layers still says the layers. */

kvcap_code kvc_find_two_latents(struct kvc_config *config)
{
    struct kvc_mixed mixed;
    struct kvc_layer_found draft = { .states_count = 0 };
    kvcap_code rc = kvc_mixed_begin(config, &mixed);
    if (rc == KVCAP_OK && kvc_config_said(config, "num_layers") != NULL)
        rc = kvc_config_count(config, "num_layers", &mixed.layers);
    if (rc == KVCAP_OK && mixed.layers.value > KVC_LAYERS_MAX)
        rc = kvc_config_fail(config, KVC_METADATA_OUT_OF_RANGE, "num_layers",
                             "a model has at most 4,096 layers");
    if (rc == KVCAP_OK)
        rc = kvc_find_latent_layer(config, &mixed.kinds[0]);
    if (rc == KVCAP_OK)
        rc = kvc_find_latent_layer(config, &mixed.kinds[0]);
    if (rc == KVCAP_OK)
        rc = kvc_find_latent_layer(config, &draft);
    if (rc != KVCAP_OK)
        return rc;
    mixed.kind_of = kvc_arena_array(config->finder.arena, (size_t)mixed.layers.value, 1);
    return mixed.kind_of == NULL ? kvc_find_no_memory(&config->finder)
                                 : kvc_mixed_end(config, &mixed, &draft);
}

/* ---- MiniCPM3: low-rank projections, but whole keys and values in the cache. */

kvcap_code kvc_find_expanded(struct kvc_config *config)
{
    struct kvc_mixed mixed;
    struct kvc_heads heads = { 0 };
    struct kvc_origin plain, rope, query_heads;
    kvcap_code rc = kvc_mixed_begin(config, &mixed);
    kvc_config_heed(config, "kv_lora_rank");
    if (rc == KVCAP_OK)
        rc = kvc_find_query_heads(config, &query_heads);
    if (rc == KVCAP_OK)
        rc = kvc_config_count(config, "qk_nope_head_dim", &plain);
    if (rc == KVCAP_OK)
        rc = kvc_config_count(config, "qk_rope_head_dim", &rope);
    if (rc != KVCAP_OK)
        return rc;
    if (plain.value + rope.value > UINT32_MAX)
        return kvc_config_fail(config, KVC_METADATA_OUT_OF_RANGE, "qk_nope_head_dim",
                               "a head is too large");
    heads.kv_heads = query_heads;
    heads.head_dim = kvc_config_derived(config, plain.value + rope.value, "qk_nope_head_dim",
                                        "+ /qk_rope_head_dim");
    /* The class's v_head_dim follows from the hidden size. */
    if (kvc_config_said(config, "v_head_dim") != NULL) {
        rc = kvc_config_count(config, "v_head_dim", &heads.value_dim);
    } else {
        struct kvc_origin hidden;
        rc = kvc_find_hidden(config, &hidden);
        if (rc == KVCAP_OK && hidden.value < query_heads.value)
            rc = kvc_config_fail(config, KVC_METADATA_OUT_OF_RANGE, "hidden_size",
                                 "the hidden size has less than one element a head");
        if (rc == KVCAP_OK)
            heads.value_dim = kvc_config_derived(config, hidden.value / query_heads.value,
                                                 "hidden_size", "/ /num_attention_heads");
    }
    if (rc != KVCAP_OK)
        return rc;
    kvc_layer_of_heads(&mixed.kinds[0], &heads, NULL);
    return kvc_mixed_end(config, &mixed, NULL);
}

/* ---- MiniMax-M3: an indexer's keys beside the keys and values of its sparse layers. */

static kvcap_code find_sparse_layers(struct kvc_config *config, struct kvc_mixed *mixed)
{
    static const char KEY[] = "sparse_attention_config/sparse_attention_freq";
    const struct kvc_value *list;
    kvcap_code rc = kvc_config_list(config, KEY, mixed->layers.value, KVC_NUMBER, &list);
    mixed->key = KEY; /* without a list none is sparse (transformers at 01a05aa) */
    for (const struct kvc_value *e = rc == KVCAP_OK && list != NULL ? list->first : NULL; e != NULL;
         e = e->next)
        mixed->kind_of[e->index] = kvc_span_is(e->text, "0") ? WITHOUT_INDEX : WITH_INDEX;
    return rc;
}

kvcap_code kvc_find_sparse(struct kvc_config *config)
{
    struct kvc_mixed mixed;
    struct kvc_heads heads = { 0 };
    struct kvc_origin dim;
    bool uses_sparse;
    kvcap_code rc = kvc_mixed_begin(config, &mixed);
    if (rc == KVCAP_OK)
        rc = kvc_find_heads(config, &heads);
    if (rc == KVCAP_OK)
        rc = kvc_config_flag(config, "sparse_attention_config/use_sparse_attention", true,
                             &uses_sparse);
    if (rc != KVCAP_OK)
        return rc;
    kvc_layer_of_heads(&mixed.kinds[WITHOUT_INDEX], &heads, NULL);
    if (kvc_config_said(config, "sparse_attention_config") == NULL || !uses_sparse)
        return kvc_mixed_end(config, &mixed, &mixed.kinds[WITHOUT_INDEX]);
    rc = find_sparse_layers(config, &mixed);
    if (rc == KVCAP_OK)
        rc = kvc_config_count(config, "sparse_attention_config/sparse_index_dim", &dim);
    if (rc != KVCAP_OK)
        return rc;
    mixed.kinds[WITH_INDEX] = mixed.kinds[WITHOUT_INDEX];
    struct kvc_state_found *index = kvc_layer_state(&mixed.kinds[WITH_INDEX], KVC_STATE_INDEX);
    kvc_state_put(index, "index_dim", &index->state.index_dim, &dim);
    return kvc_mixed_end(config, &mixed, &mixed.kinds[WITH_INDEX]);
}
