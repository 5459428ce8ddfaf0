/* model.h - what an engine is told of a model.
 *
 * Room:   engine/ - pure.
 * In:     a kv-model, or what a reader found in a file; and the file's own words, where there is one.
 * Out:    plain borrowed members.
 * Knows:  base/, json/, meta/, shape/.
 *
 * A kv-model alone is enough for every number that follows from the shape.  What an engine reads
 * beside it (a checkpoint's quantisation, a chunk size, the keys of a GGUF file that name cells) it
 * takes from `facts`, and says so where they are not there.
 */
#ifndef KVC_ENGINE_MODEL_H
#define KVC_ENGINE_MODEL_H

#include "meta/facts.h"
#include "shape/shape.h"

/* What a checkpoint says of the cache, beside its weights. */
enum kvc_asks {
    KVC_ASKS_NOTHING,
    KVC_ASKS_FORMAT,  /* a format that is known */
    KVC_ASKS_STRANGE, /* one that is not */
};

struct kvc_engine_model {
    const struct kvc_shape *shape;
    struct kvc_span family;        /* model_type, or general.architecture of a GGUF file */
    enum kvc_format dtype;         /* the model's own */
    uint64_t context_tokens;       /* 0: not stated */
    uint32_t query_heads;          /* 0: not stated */
    uint64_t weights_bytes;        /* exact, from headers; 0: not known */
    const struct kvc_facts *facts; /* of the config.json, or the GGUF key-values; NULL: a record */
    bool is_gguf;                  /* facts are key-values of a GGUF file */

    /* The cache format that a checkpoint asks for. */
    enum kvc_asks asks;
    enum kvc_format asked; /* FORMAT */
};

#endif /* KVC_ENGINE_MODEL_H */
