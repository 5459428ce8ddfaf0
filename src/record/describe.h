/* describe.h - a shape that a reader found, as a kv-model.
 *
 * Room:   record/ - no I/O.
 * In:     what shape/found.h found, and what the artefact is called.
 * Out:    the tree of a draft kv-model, to be sealed.
 * Knows:  base/, json/, shape/.
 */
#ifndef KVC_RECORD_DESCRIBE_H
#define KVC_RECORD_DESCRIBE_H

#include "shape/found.h"
#include "json/tree.h"

struct kvc_artefact {
    struct kvc_span name, revision; /* as the publisher writes them */
    const char *format;             /* config_json, gguf, ... */
    struct kvc_span sha256;         /* hex, of the artefact's bytes; NULL text: it has none */
    uint64_t bytes;
};

/* NULL when the arena is full. */
struct kvc_value *kvc_describe_model(const struct kvc_found *found,
                                     const struct kvc_artefact *artefact, struct kvc_arena *arena);

/* The architecture alone, as a member of `parent`. */
void kvc_describe_architecture(struct kvc_build *build, struct kvc_value *parent,
                               const struct kvc_shape *shape);

#endif /* KVC_RECORD_DESCRIBE_H */
