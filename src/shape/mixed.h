/* mixed.h - layers of a few kinds, mixed: attention and recurrent, cached and shared.
 *
 * Room:   shape/ - pure.
 * In:     what a layer of each kind keeps, and which layer is of which kind.
 * Out:    the layers, added to the finder in order.
 * Knows:  base/, json/, meta/.
 */
#ifndef KVC_SHAPE_MIXED_H
#define KVC_SHAPE_MIXED_H

#include "shape/layers.h"

#define KVC_KINDS_MAX 4

/* Which of at most KVC_KINDS_MAX kinds each layer is; KVC_KIND_STRANGE is none of them. */
#define KVC_KIND_STRANGE 255

struct kvc_mixed {
    struct kvc_origin layers;
    const char *key; /* that says which layer is of which kind; NULL: all are of kind 0 */
    uint8_t *kind_of;
    struct kvc_layer_found kinds[KVC_KINDS_MAX];
};

/* Finds how many layers there are and makes room to say of which kind they are: all of kind 0. */
kvcap_code kvc_mixed_begin(struct kvc_config *config, struct kvc_mixed *mixed);

/* From a list of words, one a layer ("attention", "mamba"); words[i] is kind i, and several words of
 * one kind stand between bars: "full_attention|attention".  Any other word is strange.
 * *ret_listed is false, and nothing done, where the key says nothing. */
kvcap_code kvc_mixed_listed(struct kvc_config *config, struct kvc_mixed *mixed, const char *key,
                            const char *const *words, unsigned words_count, bool *ret_listed);

/* Makes the layers that a list of numbers names (counting from `first`) of a kind; a number that is
 * no layer's is refused. */
kvcap_code kvc_mixed_numbered(struct kvc_config *config, struct kvc_mixed *mixed, const char *key,
                              uint64_t first, uint8_t kind, bool *ret_listed);

/* Adds them all, then as many draft layers of a kind as the family's key states, and ends. */
kvcap_code kvc_mixed_end(struct kvc_config *config, const struct kvc_mixed *mixed,
                         const struct kvc_layer_found *draft);

/* recurrent states by config keys; `rule_keys` names the key of each field of the rule. */
kvcap_code kvc_find_recurrent(struct kvc_config *config, struct kvc_layer_found *layer,
                              enum kvc_rule rule, const char *const *rule_keys,
                              struct kvc_state_found **ret_state);

/* The format of the state part from a key, or `absent`. */
kvcap_code kvc_find_state_format(struct kvc_config *config, const char *key, enum kvc_format absent,
                                 struct kvc_state_found *state);

#endif /* KVC_SHAPE_MIXED_H */
