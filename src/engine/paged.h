/* paged.h - the allocator `paged`, version 1: plain blocks, no engine bound.
 *
 * Room:   engine/ - pure.
 * In:     layers of a shape, cache formats, tp, the contract's block_tokens.
 * Out:    the groups of a stage.
 * Knows:  base/, shape/, bytes/.
 *
 * The rule: layers with the same (window, compress ratio) form a group; a block holds block_tokens
 * tokens, which a compressed state keeps as block_tokens / ratio rows; a full layer holds
 * ceil(t / block) blocks of a sequence, a window layer the bound of bytes/blocks.h; recurrent state
 * is constant.  Ranks divide KV heads and repeat latent and index rows whole.
 */
#ifndef KVC_ENGINE_PAGED_H
#define KVC_ENGINE_PAGED_H

#include "bytes/layer.h"
#include "engine/group.h"

#define KVC_PAGED_RULES "paged/1" /* raised whenever the rule gives another number */

struct kvc_paged {
    const struct kvc_shape *shape;
    struct kvc_cache cache;
    uint32_t tp;
    uint64_t block_tokens;
};

/* The stage of layers first .. first + layers - 1.  Its groups come from the arena. */
kvcap_code kvc_paged_stage(const struct kvc_paged *paged, uint32_t first, uint32_t layers,
                           struct kvc_arena *arena, struct kvc_stage *ret_stage, kvcap_error *err);

#endif /* KVC_ENGINE_PAGED_H */
