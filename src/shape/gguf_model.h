/* gguf_model.h - the key-values of a GGUF file by the names that llama.cpp gives them.
 *
 * Room:   shape/ - pure.
 * In:     the facts of a GGUF file, and the row of its architecture.
 * Out:    numbers and lists with their origin, or a refusal that names the key.
 * Knows:  base/, json/, meta/, shape/.
 *
 * Keys are named without the architecture before them: "block_count" is "llama.block_count".  What
 * stands where a key is absent has the engine as its source: "llama.cpp 0.4.0:gemma2 ...".
 */
#ifndef KVC_SHAPE_GGUF_MODEL_H
#define KVC_SHAPE_GGUF_MODEL_H

#include "meta/facts.h"
#include "shape/found.h"
#include "shape/gguf_arch.h"

#define KVC_GGUF_KEY_ROOM 160

/* Recurrent state is f32 whatever the cache types are (src/llama-memory-recurrent.cpp). */
#define KVC_GGUF_STATE_F32 "llama.cpp 0.4.0:recurrent state f32"

/* The largest block_count that llama.cpp loads (LLAMA_MAX_LAYERS, src/llama-hparams.h). */
#define KVC_GGUF_LAYERS_MAX 512

/* A number for each layer, from one key. */
struct kvc_gguf_per_layer {
    uint32_t *of_layer;       /* KVC_GGUF_LAYERS_MAX of them; NULL: the key is absent */
    struct kvc_origin origin; /* of any of them, but for its value */
    bool is_list;             /* else one number stands for all */
};

struct kvc_gguf_model {
    struct kvc_finder finder;
    const struct kvc_facts *facts;
    const struct kvc_gguf_arch *arch;
    bool may_keep_nothing; /* an architecture without a cache is no refusal */

    struct kvc_origin layers; /* of the file, draft layers included */
    uint32_t layers_count;    /* that are looked at: as many, but for EXTRA_ROUTER */
    struct kvc_origin drafts; /* value 0: none */
    uint32_t drafts_first;    /* the number of the first draft layer; layers_count: none */

    /* gguf_attention.c */
    struct kvc_gguf_per_layer heads, kv_heads, feed_forward;
    struct kvc_origin key_dim, value_dim;                 /* of a head; 0: nothing is kept */
    struct kvc_origin sliding_key_dim, sliding_value_dim; /* the same in layers that slide */
    struct kvc_origin window;                             /* value 0: no layer slides */
    bool *slides;                                         /* a flag for each layer */
    bool is_mla;
    struct kvc_origin latent_dim, sliding_latent_dim; /* of MLA; value 0: not stated */
    uint32_t sharing_first; /* from this layer on they read earlier ones; layers_count: none */

    /* gguf_recurrent.c */
    bool *recurs;                     /* a flag for each layer */
    struct kvc_layer_found recurrent; /* what one that recurs keeps; no states: nothing */
    uint32_t ngram_layer;             /* also keeps `ngrams`; layers_count: none does */
    struct kvc_layer_found ngrams;

    /* gguf_index.c */
    struct kvc_origin index_dim;
    bool *indexed;                    /* a flag for each layer; NULL: none is */
    struct kvc_gguf_per_layer ratios; /* KEEPS_COMPRESSED */
};

/* "llama.block_count". */
void kvc_gguf_key(const struct kvc_gguf_model *model, const char *suffix,
                  char ret_key[KVC_GGUF_KEY_ROOM]);

/* The value of a key, or NULL. */
const struct kvc_value *kvc_gguf_said(const struct kvc_gguf_model *model, const char *suffix);

/* A refusal at a key. */
kvcap_code kvc_gguf_fail(const struct kvc_gguf_model *model, enum kvc_slug slug, const char *suffix,
                         const char *sentence);

/* A number of 0 to 2^32-1.  _number refuses an absent key, _at_least one below `least` too;
 * _number_or takes `absent`, whose source is then the engine. */
kvcap_code kvc_gguf_number(struct kvc_gguf_model *model, const char *suffix,
                           struct kvc_origin *ret_origin);
kvcap_code kvc_gguf_at_least(struct kvc_gguf_model *model, const char *suffix, uint64_t least,
                             struct kvc_origin *ret_origin);
kvcap_code kvc_gguf_number_or(struct kvc_gguf_model *model, const char *suffix, uint64_t absent,
                              struct kvc_origin *ret_origin);

/* A number for each of `count` layers: a list, or one for all.  A list of another length is refused
 * when `exact`; else missing entries are 0 and further ones passed over.  Flags count as 0 and 1.
 * An absent key gives of_layer NULL. */
kvcap_code kvc_gguf_per_layer(struct kvc_gguf_model *model, const char *suffix, uint32_t count,
                              bool exact, struct kvc_gguf_per_layer *ret_numbers);

/* A number that the engine has for the architecture: "llama.cpp 0.4.0:gemma3n WHAT". */
struct kvc_origin kvc_gguf_default(struct kvc_gguf_model *model, uint64_t value, const char *what);

/* A number that follows from keys; `formula` has "%s" once or twice, for them. */
struct kvc_origin kvc_gguf_derived(struct kvc_gguf_model *model, uint64_t value,
                                   const char *formula, const char *suffix,
                                   const char *other_suffix);

/* Flags for all layers; NULL when the arena is full. */
bool *kvc_gguf_flags(struct kvc_gguf_model *model);

/* Everything below of a model whose facts and arch stand and whose finder has begun: counts, and the
 * parts in their order (from_gguf.c).  The architecture keeps something of its own. */
kvcap_code kvc_gguf_find_parts(struct kvc_gguf_model *model);

/* How often the layers stand one after the other, each time with a cache of its own: 1, but for
 * EXTRA_LOOPS. */
kvcap_code kvc_gguf_find_loops(struct kvc_gguf_model *model, uint64_t *ret_loops);

/* ---- The parts of a model, in the order in which they are found. */

kvcap_code kvc_gguf_find_heads(struct kvc_gguf_model *model);     /* gguf_attention.c */
kvcap_code kvc_gguf_find_recurrent(struct kvc_gguf_model *model); /* gguf_recurrent.c */
kvcap_code kvc_gguf_find_windows(struct kvc_gguf_model *model);   /* gguf_window.c */
kvcap_code kvc_gguf_find_index(struct kvc_gguf_model *model);     /* gguf_index.c */
kvcap_code kvc_gguf_find_ratios(struct kvc_gguf_model *model);    /* gguf_index.c */

/* Adds the rows of keys and values, or the one compressed row; nothing where the engine's rows are
 * empty. */
kvcap_code kvc_gguf_add_attention(struct kvc_gguf_model *model, uint32_t i,
                                  const struct kvc_origin *kv_heads, struct kvc_layer_found *layer);

/* Adds one row of key_length * heads and no values: of the window where the layer slides, or - with
 * a ratio - one for so many tokens of all. */
kvcap_code kvc_gguf_add_latent(struct kvc_gguf_model *model, uint32_t i,
                               const struct kvc_origin *kv_heads, const struct kvc_origin *ratio,
                               struct kvc_layer_found *layer);

/* Adds an indexer's keys, where the layer has them. */
kvcap_code kvc_gguf_add_index(struct kvc_gguf_model *model, uint32_t i,
                              struct kvc_layer_found *layer);

/* Adds what a layer of KEEPS_COMPRESSED keeps besides its window. */
kvcap_code kvc_gguf_add_compressed(struct kvc_gguf_model *model, uint32_t i,
                                   const struct kvc_origin *kv_heads,
                                   struct kvc_layer_found *layer);

#endif /* KVC_SHAPE_GGUF_MODEL_H */
