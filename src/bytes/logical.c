/* logical.c - see logical.h for the room and its promises. */

#include "bytes/logical.h"

#include "base/ck.h"

/* Tokens of a sequence for which the state keeps a row. */
static uint64_t tokens_kept(const struct kvc_state *state, uint64_t tokens)
{
    bool slides = state->window_tokens != 0 && state->window_tokens < tokens;
    return slides ? state->window_tokens : tokens;
}

kvcap_code kvc_logical_of_state(const struct kvc_state *state, const struct kvc_cache *cache,
                                uint64_t tokens, struct kvc_logical *ret_logical, kvcap_error *err)
{
    struct kvc_weight weight = { 0 };
    struct kvc_logical logical = { 0 };
    kvcap_code rc = kvc_state_weight(state, cache, 1, &weight, err);
    if (rc != KVCAP_OK)
        return rc;
    logical.state_bytes = weight.state_bytes;
    struct ck bytes = ck_u64(weight.state_bytes);
    if (kvc_state_keeps_rows(state)) {
        struct ck rows = ck_div_ceil(ck_u64(tokens_kept(state, tokens)), kvc_state_ratio(state));
        logical.token_bytes = ck_div_ceil(ck_u64(weight.token_bytes), kvc_state_ratio(state)).value;
        logical.late_token_bytes = state->window_tokens == 0 ? logical.token_bytes : 0;
        bytes = ck_add(bytes, ck_mul(rows, ck_u64(weight.token_bytes)));
    }
    rc = ck_take(bytes, "bytes of a sequence", &logical.sequence_bytes, err);
    if (rc == KVCAP_OK)
        *ret_logical = logical;
    return rc;
}

static kvcap_code add_times(uint64_t *sum, uint64_t each, uint32_t layers, kvcap_error *err)
{
    return ck_take(ck_add(ck_u64(*sum), ck_mul(ck_u64(each), ck_u64(layers))),
                   "bytes of a sequence", sum, err);
}

static kvcap_code add_run(const struct kvc_layer_type *type, uint32_t layers,
                          const struct kvc_cache *cache, uint64_t tokens,
                          struct kvc_logical *logical, kvcap_error *err)
{
    for (uint32_t i = 0; i < type->states_count; i++) {
        struct kvc_logical one = { 0 };
        kvcap_code rc = kvc_logical_of_state(&type->states[i], cache, tokens, &one, err);
        if (rc == KVCAP_OK)
            rc = add_times(&logical->token_bytes, one.token_bytes, layers, err);
        if (rc == KVCAP_OK)
            rc = add_times(&logical->late_token_bytes, one.late_token_bytes, layers, err);
        if (rc == KVCAP_OK)
            rc = add_times(&logical->state_bytes, one.state_bytes, layers, err);
        if (rc == KVCAP_OK)
            rc = add_times(&logical->sequence_bytes, one.sequence_bytes, layers, err);
        if (rc != KVCAP_OK)
            return rc;
    }
    return KVCAP_OK;
}

kvcap_code kvc_logical_of(const struct kvc_shape *shape, const struct kvc_cache *cache,
                          uint64_t tokens, struct kvc_logical *ret_logical, kvcap_error *err)
{
    struct kvc_logical logical = { 0 };
    for (uint32_t i = 0; i < shape->runs_count; i++) {
        kvcap_code rc = add_run(&shape->types[shape->runs[i].type], shape->runs[i].count, cache,
                                tokens, &logical, err);
        if (rc != KVCAP_OK)
            return rc;
    }
    *ret_logical = logical;
    return KVCAP_OK;
}

const struct kvc_state *kvc_logical_unknown(const struct kvc_shape *shape, uint32_t *ret_layer)
{
    uint32_t layer = 0;
    for (uint32_t i = 0; i < shape->runs_count; i++) {
        const struct kvc_layer_type *type = &shape->types[shape->runs[i].type];
        for (uint32_t j = 0; j < type->states_count; j++) {
            if (type->states[j].kind != KVC_STATE_UNKNOWN)
                continue;
            *ret_layer = layer;
            return &type->states[j];
        }
        layer += shape->runs[i].count;
    }
    return NULL;
}
