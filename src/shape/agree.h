/* agree.h - what was found of a model, held against its weights.
 *
 * Room:   shape/ - pure.
 * In:     a shape from a description, and what the tensors' names and shapes tell.
 * Out:    the same; or with all layers unknown, where the two contradict each other on the cache.
 * Knows:  base/, meta/.
 *
 * | what                                   | where they differ                                        |
 * |----------------------------------------|----------------------------------------------------------|
 * | layers: the highest number and one     | unknown, but for draft layers that the shape has         |
 * | rows of k_proj: kv_heads * key_dim     | unknown                                                  |
 * | rows of v_proj: kv_heads * value_dim   | unknown                                                  |
 * | rows of kv_a_proj: latent + rope       | unknown                                                  |
 * | element type of attention              | the description's: loaders convert to it                 |
 * | another description, in this folder    | unknown                                                  |
 * | the same in another folder             | the first: loaders of this folder do not read the other  |
 *
 * An engine allocates the cache by the description and fails to load the tensors, or loads them and
 * keeps another cache than it was asked about: neither number may be told as the answer.  Quantised
 * weights have another type than the cache, and are not compared.
 */
#ifndef KVC_SHAPE_AGREE_H
#define KVC_SHAPE_AGREE_H

#include "base/note.h"
#include "meta/facts.h"
#include "meta/weights.h"
#include "shape/found.h"

struct kvc_agree {
    const struct kvc_weights *weights;
    bool is_whole;     /* the weights are all there */
    bool is_quantised; /* the checkpoint says how its weights are quantised */
    struct kvc_notes *notes;
    struct kvc_arena *arena;
    kvcap_error *err;
};

/* The shape that a description tells.  Of a file in another format than config.json's, all layers are
 * unknown where its family's keys are not known in that format, and the source of an element type that
 * it does not say is what is taken instead. */
kvcap_code kvc_found_of_facts(const struct kvc_facts *facts, struct kvc_arena *arena,
                              struct kvc_found *ret_found, kvcap_error *err);

/* Changes *found where the weights say more or other. */
kvcap_code kvc_agree_with_weights(const struct kvc_agree *agree, struct kvc_found *found);

/* Holds what was `said` by the file `artefact` against another description of the model, layer by
 * layer; the first difference is told.  Changes *found, which is `said` or what came of it, where the
 * other lies in the same folder: some engines read the one and some the other.  One that cannot be
 * read, or not all of it, is told of and passed over.  What the rival says lies in `scratch`. */
kvcap_code kvc_agree_with_rival(const struct kvc_agree *agree, const char *artefact,
                                const struct kvc_found *said, const struct kvc_facts *rival,
                                struct kvc_arena *scratch, struct kvc_found *found);

/* What tensors alone tell: no shape, so all layers are unknown; the element type of attention. */
kvcap_code kvc_found_of_weights(const struct kvc_weights *weights, bool is_whole,
                                struct kvc_arena *arena, struct kvc_found *ret_found,
                                kvcap_error *err);

/* Makes all layers unknown for a reason; both texts are names of a record and live as long as the
 * arena. */
kvcap_code kvc_found_doubt(struct kvc_found *found, struct kvc_span key, struct kvc_span reason,
                           struct kvc_arena *arena, kvcap_error *err);

#endif /* KVC_SHAPE_AGREE_H */
