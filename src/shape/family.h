/* family.h - the model families whose layers are known, one row each.
 *
 * Room:   shape/ - pure.
 * In:     a model_type, or the name of a model's class.
 * Out:    how its config.json is to be read; defaults are those of the class that reads it.
 * Knows:  base/.
 *
 * To add a plain decoder: one row, with the source of each default.  A family whose layers are of
 * several kinds gets a function (layers.h) in a file of its own.
 */
#ifndef KVC_SHAPE_FAMILY_H
#define KVC_SHAPE_FAMILY_H

#include <stdint.h>

#include "base/span.h"
#include "kvcap.h"

struct kvc_config;

/* Which layers keep a window, where the file does not list it by layer.  Layers count from 0. */
enum kvc_window_rule {
    KVC_WINDOW_NEVER,       /* the family has no window */
    KVC_WINDOW_ALL,         /* sliding_window, unless null or 0, in every layer */
    KVC_WINDOW_IF_USED,     /* only with use_sliding_window, in layers from max_window_layers on */
    KVC_WINDOW_IF_USED_ALL, /* only with use_sliding_window, in every layer */
    KVC_WINDOW_IF_USED_ODD, /* with it, in every other layer, from 0, below max_window_layers */
    KVC_WINDOW_FROM_LAYER,  /* in layers from max_window_layers on */
    KVC_WINDOW_PATTERN,     /* in all but every n-th layer: those with (i + 1) mod n = 0 are full */
};

struct kvc_family {
    const char *model_type;
    /* Where the defaults below were read: a configuration class of transformers, or with a colon
     * the class of a model's own code. */
    const char *config_class;

    /* The class's sizes; 0: it has no default that a config could rely on.  head_dim 0 is
     * hidden_size / heads, kv_heads 0 is as many as query heads. */
    uint32_t layers, hidden, heads, kv_heads, head_dim;

    enum kvc_window_rule window;
    uint32_t window_default; /* tokens when the key is absent; 0: none */
    uint32_t window_every;   /* the default of max_window_layers; PATTERN: n */

    kvcap_code (*find)(struct kvc_config *config); /* its layers; NULL: plain */
    const char *draft_key; /* how many draft (MTP) layers the file states; NULL: none */
    const char *ignores;   /* keys that bear on the cache elsewhere, not here, between bars */
};

/* The row of a model_type, or NULL. */
const struct kvc_family *kvc_family_named(struct kvc_span model_type);

/* The row of a class's name, as `architectures` lists it ("LlamaForCausalLM"), or NULL. */
const struct kvc_family *kvc_family_of_class(struct kvc_span class_name);

/* The decoder's row of a wrapper (a vision or audio model) whose nested config does not say its own
 * model_type, or NULL. */
const struct kvc_family *kvc_family_within(struct kvc_span model_type);

/* Whether a model_type is an encoder's, which keeps no cache. */
bool kvc_family_is_encoder(struct kvc_span model_type);

#endif /* KVC_SHAPE_FAMILY_H */
