/* layer.c - see layer.h for the room and its promises. */

#include "bytes/layer.h"

#include "base/ck.h"
#include "bytes/elem.h"
#include "bytes/recurrent.h"

#define AT_K "/cache/k"
#define AT_V "/cache/v"

kvcap_code kvc_heads_on_rank(uint32_t kv_heads, uint32_t tp, uint32_t *ret_heads, kvcap_error *err)
{
    if (kv_heads % tp == 0)
        *ret_heads = kv_heads / tp;
    else if (tp % kv_heads == 0)
        *ret_heads = 1;
    else
        return kvc_fail(err, KVC_CONTRACT_TP, "/parallel/tp",
                        "tp %u neither divides %u KV heads nor is a multiple of them", (unsigned)tp,
                        (unsigned)kv_heads);
    return KVCAP_OK;
}

static kvcap_code refuse_ds_mla(kvcap_error *err, const char *at, const char *what)
{
    return kvc_fail(err, KVC_CONTRACT_FORMAT_STATE, at, "fp8_ds_mla cannot hold %s", what);
}

static kvcap_code add_rows(uint64_t k_bytes, uint64_t v_bytes, uint64_t *ret_bytes,
                           kvcap_error *err)
{
    return ck_take(ck_add(ck_u64(k_bytes), ck_u64(v_bytes)), "bytes of a token", ret_bytes, err);
}

static kvcap_code weigh_kv(const struct kvc_state *state, const struct kvc_cache *cache,
                           uint32_t tp, uint64_t *ret_bytes, kvcap_error *err)
{
    uint32_t heads = 0;
    uint64_t k_bytes, v_bytes;
    if (cache->k == KVC_FORMAT_FP8_DS_MLA || cache->v == KVC_FORMAT_FP8_DS_MLA)
        return refuse_ds_mla(err, cache->k == KVC_FORMAT_FP8_DS_MLA ? AT_K : AT_V,
                             "keys and values by heads");
    kvcap_code rc = kvc_heads_on_rank(state->kv_heads, tp, &heads, err);
    if (rc != KVCAP_OK)
        return rc;
    rc = kvc_row_bytes(cache->k, heads, state->key_dim, AT_K, &k_bytes, err);
    if (rc != KVCAP_OK)
        return rc;
    rc = kvc_row_bytes(cache->v, heads, state->value_dim, AT_V, &v_bytes, err);
    return rc != KVCAP_OK ? rc : add_rows(k_bytes, v_bytes, ret_bytes, err);
}

static kvcap_code weigh_latent(const struct kvc_state *state, const struct kvc_cache *cache,
                               uint64_t *ret_bytes, kvcap_error *err)
{
    if (cache->k != KVC_FORMAT_FP8_DS_MLA)
        return kvc_row_bytes(cache->k, 1, (uint64_t)state->latent_dim + state->rope_dim, AT_K,
                             ret_bytes, err);
    uint64_t bytes = kvc_ds_mla_token_bytes(state->latent_dim, state->rope_dim);
    if (bytes == 0)
        return refuse_ds_mla(err, AT_K, "a latent that is not 512 + 64 or 448 + 64");
    if (cache->latent_token_bytes != 0 && cache->latent_token_bytes != bytes)
        return kvc_fail(err, KVC_CONTRACT_FORMAT_LAYOUT, AT_K "/token_bytes",
                        "a token of this latent has %u bytes", (unsigned)bytes);
    *ret_bytes = bytes;
    return KVCAP_OK;
}

static kvcap_code weigh_index(const struct kvc_state *state, const struct kvc_cache *cache,
                              uint64_t *ret_bytes, kvcap_error *err)
{
    uint64_t k_bytes, v_bytes = 0;
    kvcap_code rc = KVCAP_OK;
    if (state->index_fp8)
        k_bytes = kvc_index_fp8_bytes(state->index_dim);
    else if (cache->k == KVC_FORMAT_FP8_DS_MLA)
        return refuse_ds_mla(err, AT_K, "an indexer's keys");
    else
        rc = kvc_row_bytes(cache->k, 1, state->index_dim, AT_K, &k_bytes, err);
    if (rc != KVCAP_OK)
        return rc;
    if (state->value_dim > 0 && cache->v == KVC_FORMAT_FP8_DS_MLA)
        return refuse_ds_mla(err, AT_V, "an indexer's values");
    if (state->value_dim > 0)
        rc = kvc_row_bytes(cache->v, 1, state->value_dim, AT_V, &v_bytes, err);
    return rc != KVCAP_OK ? rc : add_rows(k_bytes, v_bytes, ret_bytes, err);
}

kvcap_code kvc_state_weight(const struct kvc_state *state, const struct kvc_cache *cache,
                            uint32_t tp, struct kvc_weight *ret_weight, kvcap_error *err)
{
    struct kvc_weight weight = { 0 };
    kvcap_code rc = KVCAP_OK;
    switch (state->kind) {
    case KVC_STATE_KV:
    case KVC_STATE_KV_WINDOW:
        rc = weigh_kv(state, cache, tp, &weight.token_bytes, err);
        break;
    case KVC_STATE_LATENT:
        rc = weigh_latent(state, cache, &weight.token_bytes, err);
        break;
    case KVC_STATE_INDEX:
        rc = weigh_index(state, cache, &weight.token_bytes, err);
        break;
    case KVC_STATE_RECURRENT:
        rc = kvc_recurrent_bytes(state, cache->dtype, tp, &weight.state_bytes, err);
        break;
    default:
        break;
    }
    if (rc == KVCAP_OK)
        *ret_weight = weight;
    return rc;
}
