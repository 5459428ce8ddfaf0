/* gguf_arch.h - what llama.cpp keeps for each architecture of a GGUF file, one row each.
 *
 * Room:   shape/ - pure.
 * In:     a general.architecture.
 * Out:    which of its key-values decide which layer keeps what, and what stands where they are
 *         silent.
 * Knows:  base/, shape/.
 *
 * All rows were read in llama.cpp 0.4.0: load_arch_hparams of src/models/<architecture>.cpp for the
 * keys and their defaults, llama_model::create_memory of src/llama-model.cpp for the caches.  To add
 * an architecture that keeps plain keys and values: its name.
 */
#ifndef KVC_SHAPE_GGUF_ARCH_H
#define KVC_SHAPE_GGUF_ARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "shape/recurrent.h"

enum kvc_gguf_keeps {
    KVC_GGUF_KEEPS_ROWS,       /* keys and values, or what the other columns say */
    KVC_GGUF_KEEPS_NOTHING,    /* no cache is made */
    KVC_GGUF_KEEPS_IN_TARGET,  /* a draft model that reads the cache of its target */
    KVC_GGUF_KEEPS_COMPRESSED, /* a window, compressed rows, an indexer's keys, compressor state */
};

/* Where the tokens of the window come from, and when there is one. */
enum kvc_gguf_window {
    KVC_GGUF_WINDOW_NEVER,
    KVC_GGUF_WINDOW_SAID,          /* attention.sliding_window, which must be there */
    KVC_GGUF_WINDOW_IF_SAID,       /* the key; absent or 0: no window */
    KVC_GGUF_WINDOW_OR_DEFAULT,    /* the key; absent: window_tokens */
    KVC_GGUF_WINDOW_FIXED_IF_SAID, /* window_tokens, whatever the key says; absent or 0: none */
    KVC_GGUF_WINDOW_FIXED,         /* window_tokens, whatever the key says; 0: none */
};

/* Which layers slide, where there is a window. */
enum kvc_gguf_slides {
    KVC_GGUF_SLIDES_PATTERN,   /* a number at attention.sliding_window_pattern, else `every` */
    KVC_GGUF_SLIDES_FLAGS,     /* a flag for each layer but draft layers, or one for all */
    KVC_GGUF_SLIDES_FLAGS_ALL, /* a flag for each layer, draft layers too, or one for all */
    KVC_GGUF_SLIDES_LIST,      /* a list of flags; past its end: no */
    KVC_GGUF_SLIDES_EITHER, /* a number as in PATTERN, or a flag for each layer but draft layers */
    KVC_GGUF_SLIDES_ALWAYS, /* every layer */
    KVC_GGUF_SLIDES_ATTENDING, /* every layer that is not recurrent */
};

/* Which layers are recurrent.  Draft layers never are. */
enum kvc_gguf_recurs {
    KVC_GGUF_RECURS_NEVER,
    KVC_GGUF_RECURS_ALL,
    KVC_GGUF_RECURS_NO_HEADS,       /* those with 0 KV heads */
    KVC_GGUF_RECURS_NO_HEADS_NO_FF, /* those with 0 KV heads and no feed-forward; what has one
                                       keeps nothing */
    KVC_GGUF_RECURS_INTERVAL,       /* all but each so many-th, by full_attention_interval, else
                                  `full_every`; or flags at attention.recurrent_layers */
    KVC_GGUF_RECURS_BESIDE,         /* all, and they attend as well */
};

/* What a recurrent layer keeps: which keys are read.  llama.cpp decides by the keys alone. */
enum kvc_gguf_recurrence {
    KVC_GGUF_MAMBA1, /* ssm.*, no groups */
    KVC_GGUF_MAMBA2, /* ssm.*, with ssm.group_count */
    KVC_GGUF_DELTA,  /* the same keys for a gated delta net */
    KVC_GGUF_KDA,
    KVC_GGUF_LINEAR,
    KVC_GGUF_SHORT_CONV,
    KVC_GGUF_RWKV,
};

/* Whether rows are compressed (MLA): one of key_length, and no values. */
enum kvc_gguf_mla {
    KVC_GGUF_MLA_NEVER,
    KVC_GGUF_MLA_IF_SAID, /* with attention.key_length_mla and value_length_mla */
    KVC_GGUF_MLA_SAID,    /* the two keys must be there */
};

/* Which layers keep an indexer's keys beside. */
enum kvc_gguf_index {
    KVC_GGUF_INDEX_NEVER,
    KVC_GGUF_INDEX_ALL,         /* but draft layers */
    KVC_GGUF_INDEX_TYPES,       /* flags at attention.indexer.types, which must be a list */
    KVC_GGUF_INDEX_TYPES_GLM,   /* the same or one for all; absent: as GLM 5 and GLM 5.2 have it */
    KVC_GGUF_INDEX_AFTER_DENSE, /* from leading_dense_block_count on */
    KVC_GGUF_INDEX_ATTENDING,   /* all that are neither recurrent nor draft layers */
};

/* Layers that read the cache of an earlier one. */
enum kvc_gguf_shares {
    KVC_GGUF_SHARES_NEVER,
    KVC_GGUF_SHARES_FROM_20, /* all from layer 20 on, whatever the file says */
    KVC_GGUF_SHARES_LAST,    /* the last attention.shared_kv_layers */
};

enum kvc_gguf_extra {
    KVC_GGUF_EXTRA_NONE,
    KVC_GGUF_EXTRA_ROUTER, /* a layer of one head at the end; draft layers are not loaded */
    KVC_GGUF_EXTRA_LOOPS,  /* all layers num_loops times, each time with a cache of its own */
    KVC_GGUF_EXTRA_NGRAMS, /* the layer that ple.layers names keeps a second convolution */
    KVC_GGUF_EXTRA_HYPER,  /* with hyper_connection.count, all layers slide by the stated window */
};

struct kvc_gguf_arch {
    const char *name;
    enum kvc_gguf_keeps keeps;
    enum kvc_gguf_window window;
    uint32_t window_tokens;
    uint32_t window_layers; /* a window only in models of so many layers; 0: of any number */
    bool chunked;           /* the window begins anew at multiples of its size */
    enum kvc_gguf_slides slides;
    uint32_t every;   /* PATTERN: of so many layers one is full */
    bool dense_first; /* the first of them, instead of the last */
    enum kvc_gguf_recurs recurs;
    uint32_t full_every;
    enum kvc_gguf_recurrence recurrence;
    enum kvc_gguf_mla mla;
    enum kvc_gguf_index index;
    enum kvc_gguf_shares shares;
    enum kvc_gguf_extra extra;
    bool drafts_apart; /* draft (NextN) layers are left out of the main cache */
    bool rolls_back;   /* recurrent state is kept n_rs_seq times more for speculation
                          (llm_arch_supports_rs_rollback, src/llama-arch.cpp) */
};

/* The row of an architecture, or NULL. */
const struct kvc_gguf_arch *kvc_gguf_arch_named(struct kvc_span name);

#endif /* KVC_SHAPE_GGUF_ARCH_H */
