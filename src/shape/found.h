/* found.h - what a reader found of a model: its shape, and where each number of it comes from.
 *
 * Room:   shape/ - pure.
 * In:     layers, one after the other, from a reader that knows an artefact and its rules.
 * Out:    the shape in its one spelling, and a source for every number in it.
 * Knows:  base/.
 *
 * A reader fills a kvc_layer_found - states whose numbers each carry their origin - and adds it as
 * often as the model has it.  The first layer of a type brings the sources of the type.
 *
 *   origin    how: read, derived, default     from: "config.json:/num_key_value_heads"
 */
#ifndef KVC_SHAPE_FOUND_H
#define KVC_SHAPE_FOUND_H

#include "base/arena.h"
#include "base/fail.h"
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
    uint64_t weights_bytes;     /* 0: not known exactly */
    struct kvc_source *sources; /* sorted by at, each once */
    size_t sources_count;
};

/* A number with where it came from. */
struct kvc_origin {
    uint64_t value;
    const char *how;
    struct kvc_span from;
};

#define KVC_STATE_FIELDS_MAX 10

struct kvc_state_found {
    struct kvc_state state;
    struct {
        const char *field; /* its name in the record */
        struct kvc_origin origin;
    } fields[KVC_STATE_FIELDS_MAX];
    size_t fields_count;
};

struct kvc_layer_found {
    struct kvc_state_found states[KVC_STATES_MAX];
    uint32_t states_count;
};

struct kvc_finder {
    struct kvc_arena *arena;
    kvcap_error *err;
    struct kvc_found found; /* the answer, once kvc_find_end was OK */
    struct kvc_shape_builder builder;
    size_t sources_room;
};

/* Everything that is found comes from the arena. */
void kvc_find_begin(struct kvc_finder *finder, struct kvc_arena *arena, kvcap_error *err);

/* A text in the arena; its `text` is NULL when there is no memory, which kvc_find_source and
 * kvc_find_layer refuse.  At most 511 bytes, all sources and names are shorter. */
struct kvc_span kvc_find_text(struct kvc_finder *finder, const char *format, ...) KVC_PRINTF(2, 3);

kvcap_code kvc_find_no_memory(const struct kvc_finder *finder);

kvcap_code kvc_find_source(struct kvc_finder *finder, struct kvc_span at, const char *how,
                           struct kvc_span from);

/* Another state of a layer; at most KVC_STATES_MAX of them. */
struct kvc_state_found *kvc_layer_state(struct kvc_layer_found *layer, enum kvc_state_kind kind);

/* Sets a number of a state and remembers its origin.  The value must be below 2^32, which all counts
 * are that a reader took from an artefact. */
void kvc_state_put(struct kvc_state_found *state, const char *field, uint32_t *ret_number,
                   const struct kvc_origin *origin);
void kvc_state_put_window(struct kvc_state_found *state, const struct kvc_origin *tokens);
/* Remembers where a member that is no number comes from. */
void kvc_state_from(struct kvc_state_found *state, const char *field,
                    const struct kvc_origin *origin);
/* The format of a part of a recurrent state that is not the model's own, and who has it so. */
void kvc_state_put_format(struct kvc_state_found *state, const char *part, enum kvc_format format,
                          const char *from);
/* An indexer's keys in the fp8 layout of their own. */
void kvc_state_put_index_fp8(struct kvc_state_found *state, const char *from);
/* The field of a recurrent rule by its place in the rule's row. */
void kvc_state_put_dim(struct kvc_state_found *state, unsigned index,
                       const struct kvc_origin *origin);

/* Layers that keep nothing; layers of which it cannot be said what they keep. */
void kvc_layer_none(struct kvc_layer_found *layer);
void kvc_layer_unknown(struct kvc_layer_found *layer, struct kvc_span key, struct kvc_span reason);

/* Adds layers behind those that are there; draft layers come after all others.  `where` is the
 * artefact's key that bounds them, for a refusal: more than 4,096 layers or 256 types. */
kvcap_code kvc_find_layers(struct kvc_finder *finder, const struct kvc_layer_found *layer,
                           uint64_t count, const char *where);
kvcap_code kvc_find_draft_layers(struct kvc_finder *finder, const struct kvc_layer_found *layer,
                                 uint64_t count, const char *where);

/* Checks the shape and hands it over.  The origins say where the numbers of layers come from;
 * `drafts` is NULL where there are none. */
kvcap_code kvc_find_end(struct kvc_finder *finder, const struct kvc_origin *layers,
                        const struct kvc_origin *drafts);

/* The whole answer in one: `layers` of them, of which it cannot be said what they keep; `where` as for
 * kvc_find_layers. */
kvcap_code kvc_find_all_unknown(struct kvc_finder *finder, const struct kvc_origin *layers,
                                struct kvc_span key, struct kvc_span reason, const char *where);

#endif /* KVC_SHAPE_FOUND_H */
