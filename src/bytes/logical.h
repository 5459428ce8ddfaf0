/* logical.h - what the mathematics needs: the ideal state, without an allocator.
 *
 * Room:   bytes/ - pure.
 * In:     a shape, cache formats, a length.
 * Out:    bytes of a token, of a sequence.
 * Knows:  base/, shape/.
 *
 * One rank, no blocks, windows kept to the token.  Beside it stands what an allocator reserves; the
 * gap between the two is what a user wants to see.  Draft layers and cross attention are listed
 * apart and not summed.
 */
#ifndef KVC_BYTES_LOGICAL_H
#define KVC_BYTES_LOGICAL_H

#include "bytes/layer.h"

#define KVC_LOGICAL_RULES "logical/1"

struct kvc_logical {
    uint64_t token_bytes;      /* growth a token while no window is full, over all layers */
    uint64_t late_token_bytes; /* growth a token once all windows are full */
    uint64_t state_bytes;      /* of a sequence, whatever its length */
    uint64_t sequence_bytes;   /* of `tokens` tokens, state included */
};

/* A compressed state's row stands for compress_ratio tokens; a row that is begun is counted whole.
 * States that cannot be said weigh nothing here: look for them first (kvc_logical_unknown). */
kvcap_code kvc_logical_of(const struct kvc_shape *shape, const struct kvc_cache *cache,
                          uint64_t tokens, struct kvc_logical *ret_logical, kvcap_error *err);

/* One state of one layer, by itself. */
kvcap_code kvc_logical_of_state(const struct kvc_state *state, const struct kvc_cache *cache,
                                uint64_t tokens, struct kvc_logical *ret_logical, kvcap_error *err);

/* The first layer with a state that is unknown, or NULL. */
const struct kvc_state *kvc_logical_unknown(const struct kvc_shape *shape, uint32_t *ret_layer);

#endif /* KVC_BYTES_LOGICAL_H */
