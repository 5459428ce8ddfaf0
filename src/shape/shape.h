/* shape.h - what each layer of a model keeps for a sequence, in counts; the heart of the words.
 *
 * Room:   shape/ - pure.
 * In:     facts of a model, from whichever reader or hand.
 * Out:    layers as runs of types, types as states.
 * Knows:  base/.
 *
 * A layer keeps up to four states.  Most keep one, `kv`.  A compressed-attention layer keeps a
 * window, a compressed latent, an indexer's keys and a compressor's state at once.
 *
 *   runs     [5 x type 0] [1 x type 1] [5 x type 0] ...     layers number from 0
 *   type 0   { kv_window }      type 1   { kv }
 *
 * One shape has one spelling (kvc_shape_check): types are numbered by first use, all are used, no
 * two are equal, neighbouring runs differ.  So equal shapes have equal digests.
 */
#ifndef KVC_SHAPE_SHAPE_H
#define KVC_SHAPE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "shape/format.h"
#include "shape/recurrent.h"

/* What grows with tokens keeps a row a token; `recurrent` is constant a sequence. */
enum kvc_state_kind {
    KVC_STATE_KV,        /* keys and values of every token */
    KVC_STATE_KV_WINDOW, /* the same, of the newest window_tokens */
    KVC_STATE_LATENT,    /* one compressed row a token, shared by all heads */
    KVC_STATE_INDEX,     /* an indexer's keys beside another state */
    KVC_STATE_RECURRENT, /* convolution and state-space state: constant a sequence */
    KVC_STATE_CROSS,     /* keys and values of encoder tokens */
    KVC_STATE_SHARED,    /* reads another layer's cache, keeps nothing */
    KVC_STATE_NONE,      /* keeps nothing at all */
    KVC_STATE_UNKNOWN,   /* cannot be said: every plan is UNDETERMINED */
    KVC_STATE_KIND_COUNT
};

struct kvc_state {
    enum kvc_state_kind kind;

    /* kv, kv_window, cross; value_dim also of an index that keeps values (0: it does not) */
    uint32_t kv_heads, key_dim, value_dim;

    uint64_t window_tokens; /* kv_window; latent (0: all tokens) */
    bool chunked;           /* kv_window: the window begins anew at multiples of its size */

    uint32_t latent_dim, rope_dim; /* latent; rope_dim may be 0 */
    uint32_t compress_ratio;       /* latent, index: tokens for one stored row; 1 is none */

    uint32_t index_dim; /* index */
    bool index_fp8;     /* index: its own fp8 layout, whatever the cache format is */

    /* recurrent; a format NONE is the model's dtype, and meaningless where the rule has no such
     * part */
    enum kvc_rule rule;
    uint32_t dims[KVC_RULE_DIMS_MAX]; /* in the order of the rule's fields */
    enum kvc_format conv_format, state_format;

    uint32_t layer; /* shared: the earlier layer that is read */

    struct kvc_span key, reason; /* unknown: what stopped us, and why */
};

#define KVC_STATES_MAX 4
#define KVC_TYPES_MAX 256
#define KVC_LAYERS_MAX 4096

struct kvc_layer_type {
    struct kvc_state states[KVC_STATES_MAX];
    uint32_t states_count; /* 1 to 4 */
};

struct kvc_run {
    uint32_t count; /* layers, at least 1 */
    uint32_t type;  /* index of a layer type */
};

struct kvc_shape {
    struct kvc_layer_type *types;
    uint32_t types_count;
    struct kvc_run *runs;
    uint32_t runs_count;
    struct kvc_run *draft_runs; /* draft (MTP) layers: in no sum unless the engine loads them */
    uint32_t draft_runs_count;
    uint32_t layers_count; /* of runs; filled in by kvc_shape_check */
};

const char *kvc_state_name(enum kvc_state_kind kind);

/* The type of a layer; layer must be below layers_count. */
const struct kvc_layer_type *kvc_shape_layer(const struct kvc_shape *shape, uint32_t layer);

/* Whether a state keeps a row for a token of the sequence. */
bool kvc_state_keeps_rows(const struct kvc_state *state);

/* Tokens that one stored row stands for: 1 for all but compressed latent and index states. */
uint32_t kvc_state_ratio(const struct kvc_state *state);

bool kvc_state_equal(const struct kvc_state *a, const struct kvc_state *b);
bool kvc_layer_type_equal(const struct kvc_layer_type *a, const struct kvc_layer_type *b);

/* Builds a shape layer by layer and keeps the one spelling: all layers first, then the draft
 * layers.  `types` and `runs` come from the arena.  False when the arena is full or a limit above is
 * passed; then there is no shape. */
struct kvc_shape_builder {
    struct kvc_shape shape; /* the answer; not yet checked */
    struct kvc_arena *arena;
};

void kvc_shape_begin(struct kvc_shape_builder *builder, struct kvc_arena *arena);
bool kvc_shape_add(struct kvc_shape_builder *builder, const struct kvc_layer_type *type,
                   uint32_t count);
bool kvc_shape_add_draft(struct kvc_shape_builder *builder, const struct kvc_layer_type *type,
                         uint32_t count);

#endif /* KVC_SHAPE_SHAPE_H */
