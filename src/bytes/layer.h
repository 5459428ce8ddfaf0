/* layer.h - what one state of a layer weighs on one rank.
 *
 * Room:   bytes/ - pure.
 * In:     a state, the cache formats, how many tensor-parallel ranks divide it.
 * Out:    bytes of a stored token, or bytes of a sequence.
 * Knows:  base/, shape/.
 *
 * Keys and values divide by heads, a latent row does not divide at all, recurrent state divides by
 * its own rule.  Each division is exact or refused; where the model has fewer KV heads than ranks,
 * each head is kept whole on several.
 */
#ifndef KVC_BYTES_LAYER_H
#define KVC_BYTES_LAYER_H

#include <stdint.h>

#include "base/fail.h"
#include "shape/shape.h"

struct kvc_cache {
    enum kvc_format k, v;        /* of cached keys and values */
    enum kvc_format dtype;       /* the model's own, for recurrent state that names none */
    uint64_t latent_token_bytes; /* what fp8_ds_mla must come to; 0: whatever the table says */
};

struct kvc_weight {
    uint64_t token_bytes; /* a stored token's row; 0 for state that has none */
    uint64_t state_bytes; /* a sequence, whatever its length; 0 for state that grows */
};

/* The weight of a state on one of `tp` ranks.  Shared, none, cross and unknown states weigh nothing
 * here: whoever sums must have looked at their kind before. */
kvcap_code kvc_state_weight(const struct kvc_state *state, const struct kvc_cache *cache,
                            uint32_t tp, struct kvc_weight *ret_weight, kvcap_error *err);

/* KV heads on each rank: divided, or one where heads are repeated. */
kvcap_code kvc_heads_on_rank(uint32_t kv_heads, uint32_t tp, uint32_t *ret_heads, kvcap_error *err);

#endif /* KVC_BYTES_LAYER_H */
