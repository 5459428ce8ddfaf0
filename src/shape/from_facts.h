/* from_facts.h - facts of a model to its shape; what is not known is said, never guessed.
 *
 * Room:   shape/ - pure.
 * In:     facts, as some reader of an artefact found them.
 * Out:    the shape, the element type, and the source of each number.
 * Knows:  base/, meta/.
 *
 * A family that has no row, or a key that bears on the cache and that the family's row does not
 * read, makes the layers `unknown` with that key: a plan of them is UNDETERMINED.
 */
#ifndef KVC_SHAPE_FROM_FACTS_H
#define KVC_SHAPE_FROM_FACTS_H

#include "base/arena.h"
#include "base/fail.h"
#include "meta/facts.h"
#include "shape/shape.h"

struct kvc_source {
    struct kvc_span at; /* JSON pointer to a member of the kv-model */
    const char *how;    /* read, derived, default */
    struct kvc_span from;
};

struct kvc_found {
    struct kvc_shape shape;
    struct kvc_span family;
    enum kvc_format dtype;
    uint64_t context_tokens;    /* 0: not stated */
    uint32_t query_heads;       /* 0: not stated */
    struct kvc_source *sources; /* sorted by at, each once */
    size_t sources_count;
};

/* Everything comes from the arena or is borrowed from the facts. */
kvcap_code kvc_shape_from_facts(const struct kvc_facts *facts, struct kvc_arena *arena,
                                struct kvc_found *ret_found, kvcap_error *err);

#endif /* KVC_SHAPE_FROM_FACTS_H */
