/* mamba2.h - the state of a Mamba-2 layer, by whatever names a family gives its counts.
 *
 * Room:   shape/ - pure.
 * In:     the keys of a family.
 * Out:    a recurrent state, each of its numbers with its origin.
 * Knows:  base/, json/, meta/.
 */
#ifndef KVC_SHAPE_MAMBA2_H
#define KVC_SHAPE_MAMBA2_H

#include "shape/mixed.h"

struct kvc_mamba2_keys {
    const char *kernel, *inner, *expand, *groups, *state, *heads, *head_dim;
    uint32_t groups_default, state_default, heads_default; /* 0: the key must be there */
    bool heads_make_inner; /* the inner size is heads * head_dim, whatever expand says */
};

/* Another state of the layer; `format` is that of its state where mamba_ssm_cache_dtype is silent. */
kvcap_code kvc_put_mamba2(struct kvc_config *config, const struct kvc_mamba2_keys *keys,
                          enum kvc_format format, struct kvc_layer_found *layer);

#endif /* KVC_SHAPE_MAMBA2_H */
