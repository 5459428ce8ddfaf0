/* group.h - layers that are given their blocks together.
 *
 * Room:   engine/ - pure.
 * In:     what an engine's rule says.
 * Out:    plain numbers: a plan carries them, and nobody below asks the engine again.
 * Knows:  base/, bytes/.
 */
#ifndef KVC_ENGINE_GROUP_H
#define KVC_ENGINE_GROUP_H

#include <stdint.h>

#include "bytes/blocks.h"

struct kvc_group {
    struct kvc_block_rule rule;
    uint32_t compress_ratio; /* tokens for one stored row; 1 is none */
    uint32_t layers;         /* that keep a row in this group */
    uint64_t token_bytes;    /* of one stored row, over the layers */
    uint64_t block_bytes;    /* block_tokens / compress_ratio * token_bytes */
};

/* What one pipeline stage keeps on one of its tensor-parallel ranks. */
struct kvc_stage {
    struct kvc_group *groups; /* in the order of their first layer, then of the state */
    uint32_t groups_count;
    uint64_t state_bytes; /* of a sequence, whatever its length */
    uint64_t
        pool_block_bytes; /* of the engine's pool, which all of it is taken from; 0: none is bound */
};

#endif /* KVC_ENGINE_GROUP_H */
