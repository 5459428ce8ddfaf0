/* vllm_spec.c - see vllm_spec.h for the room and its promises. */

#include "engine/vllm_spec.h"

#include <assert.h>

const char *kvc_vllm_kind_name(enum kvc_vllm_kind kind)
{
    static const char *const NAMES[] = {
        [KVC_VLLM_FULL] = "full",
        [KVC_VLLM_SINK_FULL] = "sink_full",
        [KVC_VLLM_MLA] = "mla",
        [KVC_VLLM_SLIDING] = "sliding_window",
        [KVC_VLLM_SLIDING_MLA] = "sliding_window_mla",
        [KVC_VLLM_CHUNKED] = "chunked_local",
        [KVC_VLLM_CROSS] = "cross",
        [KVC_VLLM_ENCODER_ONLY] = "encoder_only",
        [KVC_VLLM_MAMBA] = "mamba",
    };
    return NAMES[kind];
}

bool kvc_vllm_is_full(enum kvc_vllm_kind kind)
{
    return kind == KVC_VLLM_FULL || kind == KVC_VLLM_SINK_FULL || kind == KVC_VLLM_MLA;
}

struct ck kvc_vllm_page(const struct kvc_vllm_spec *spec)
{
    if (spec->padded_bytes != 0)
        return ck_u64(spec->padded_bytes);
    if (spec->kind == KVC_VLLM_MAMBA)
        return ck_u64(spec->state_bytes);
    struct ck stored = ck_u64(spec->block_size / spec->compress_ratio);
    struct ck page = ck_mul(ck_mul(stored, ck_u64(spec->head_slots)), ck_u64(spec->content_bytes));
    if (spec->alignment > 1)
        page = ck_mul(ck_div_ceil(page, spec->alignment), ck_u64(spec->alignment));
    return page;
}

bool kvc_vllm_spec_equal(const struct kvc_vllm_spec *a, const struct kvc_vllm_spec *b)
{
    return a->kind == b->kind && a->block_size == b->block_size && a->head_slots == b->head_slots &&
           a->content_bytes == b->content_bytes && a->compress_ratio == b->compress_ratio &&
           a->alignment == b->alignment && a->window == b->window && a->chunk == b->chunk &&
           a->state_bytes == b->state_bytes && a->mode == b->mode &&
           a->speculative_blocks == b->speculative_blocks && a->padded_bytes == b->padded_bytes &&
           a->may_be_padded == b->may_be_padded && a->heads == b->heads &&
           a->key_dim == b->key_dim && a->value_dim == b->value_dim && a->format == b->format &&
           a->mark == b->mark;
}

/* Tokens that a layer keeps at once, in whole blocks; what is in flight has not left the window. */
static struct ck kept(const struct kvc_vllm_spec *spec, const struct kvc_vllm_request *r,
                      struct ck tokens)
{
    struct ck capped = ck_min(tokens, ck_u64(r->tokens));
    return ck_div_ceil(capped, spec->block_size);
}

static struct ck mamba_blocks(const struct kvc_vllm_spec *spec, const struct kvc_vllm_request *r)
{
    struct ck speculative = ck_u64(spec->speculative_blocks);
    switch (spec->mode) {
    case KVC_VLLM_MAMBA_NONE:
        return ck_add(ck_u64(1), speculative);
    case KVC_VLLM_MAMBA_ALIGN:
        return ck_add(ck_u64(2), speculative);
    default:
        return ck_add(ck_div_ceil(ck_u64(r->tokens), spec->block_size), speculative);
    }
}

struct ck kvc_vllm_blocks(const struct kvc_vllm_spec *spec, const struct kvc_vllm_request *r)
{
    struct ck window;
    switch (spec->kind) {
    case KVC_VLLM_FULL:
    case KVC_VLLM_SINK_FULL:
    case KVC_VLLM_MLA:
        return ck_div_ceil(ck_div_ceil(ck_u64(r->tokens), r->dcp), spec->block_size);
    case KVC_VLLM_SLIDING:
    case KVC_VLLM_SLIDING_MLA:
        /* One block more: a window may begin within a block.  It stands outside the cap. */
        assert(spec->window > 0);
        window = ck_add(ck_u64(spec->window - 1), ck_add(ck_u64(r->extra), ck_u64(r->in_flight)));
        return ck_add(kept(spec, r, window), ck_u64(1));
    case KVC_VLLM_CHUNKED:
        return kept(spec, r, ck_add(ck_u64(spec->chunk), ck_u64(r->in_flight)));
    case KVC_VLLM_CROSS:
        return ck_div_ceil(ck_u64(r->encoder_tokens), spec->block_size);
    case KVC_VLLM_ENCODER_ONLY:
        return ck_u64(0);
    default:
        return mamba_blocks(spec, r);
    }
}
