/* vllm_spec.h - what vLLM writes down of one layer's cache, and what a block of it weighs.
 *
 * Room:   engine/ - pure.
 * In:     a layer's kind, block size, heads, formats.
 * Out:    the bytes of its page; the blocks that one request holds of it; which specs are alike.
 * Knows:  base/.
 *
 * Named as in vllm/v1/kv_cache_interface.py, read at 017e9f4 (2026-08-17): a page is the bytes that one
 * block takes in one layer.
 *
 *   page = head_slots * (block_size / compress_ratio) * content_bytes, rounded up to `alignment`
 *
 * A Mamba page is its state, whatever the block.  `padded_bytes`, where it is set, goes before all this.
 */
#ifndef KVC_ENGINE_VLLM_SPEC_H
#define KVC_ENGINE_VLLM_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ck.h"

enum kvc_vllm_kind {
    KVC_VLLM_FULL,
    KVC_VLLM_SINK_FULL,
    KVC_VLLM_MLA,
    KVC_VLLM_SLIDING,
    KVC_VLLM_SLIDING_MLA,
    KVC_VLLM_CHUNKED,
    KVC_VLLM_CROSS,
    KVC_VLLM_ENCODER_ONLY,
    KVC_VLLM_MAMBA,
};

enum kvc_vllm_mamba_mode { KVC_VLLM_MAMBA_NONE, KVC_VLLM_MAMBA_ALIGN, KVC_VLLM_MAMBA_ALL };

struct kvc_vllm_spec {
    enum kvc_vllm_kind kind;
    uint64_t block_size; /* tokens; at least 1 */

    /* of all kinds but Mamba */
    uint64_t head_slots;     /* H: KV heads on the rank, twice as many where K and V lie apart */
    uint64_t content_bytes;  /* C: of one slot and token */
    uint64_t compress_ratio; /* tokens for one that is stored; 1: none */
    uint64_t alignment;      /* pages are rounded up to it; 1: they are not */
    uint64_t window,
        chunk; /* 0: none.  A full layer may carry the window that it was promoted with */

    /* of Mamba */
    uint64_t state_bytes;
    enum kvc_vllm_mamba_mode mode;
    uint64_t speculative_blocks;

    uint64_t padded_bytes; /* 0: the page is what it comes to */
    bool may_be_padded;    /* its backend addresses blocks by their stride, whatever a page holds */

    /* What tells two specs of equal pages apart: heads and elements of a head, formats, states. */
    uint64_t heads, key_dim, value_dim, format, mark;
};

/* "full", "sliding_window", ...: as groups are told.  Static. */
const char *kvc_vllm_kind_name(enum kvc_vllm_kind kind);

/* Bytes of one block in one layer. */
struct ck kvc_vllm_page(const struct kvc_vllm_spec *spec);

bool kvc_vllm_spec_equal(const struct kvc_vllm_spec *a, const struct kvc_vllm_spec *b);

/* Whether a kind is of full attention's family: it never forgets. */
bool kvc_vllm_is_full(enum kvc_vllm_kind kind);

/* What the blocks of a request depend on beside the spec. */
struct kvc_vllm_request {
    uint64_t tokens;         /* max_model_len */
    uint64_t in_flight;      /* tokens that may be scheduled and not yet done */
    uint64_t extra;          /* of multi-module MTP: its steps less 1; else 0 */
    uint64_t dcp;            /* ranks that share the tokens of full attention; 1 */
    uint64_t encoder_tokens; /* of cross attention */
};

/* Blocks of one request of so many tokens in one layer. */
struct ck kvc_vllm_blocks(const struct kvc_vllm_spec *spec, const struct kvc_vllm_request *request);

#endif /* KVC_ENGINE_VLLM_SPEC_H */
