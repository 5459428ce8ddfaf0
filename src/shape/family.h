/* family.h - the model families whose layers are known, one row each.
 *
 * Room:   shape/ - pure.
 * In:     a model_type.
 * Out:    how its config.json is to be read; defaults are those of the class that reads it.
 * Knows:  base/.
 *
 * To add a plain decoder: one row, with the source of each default.
 */
#ifndef KVC_SHAPE_FAMILY_H
#define KVC_SHAPE_FAMILY_H

#include <stdint.h>

#include "base/span.h"

/* Which layers keep a window, where the file does not list it by layer. */
enum kvc_window_rule {
    KVC_WINDOW_NEVER,   /* the family has no window */
    KVC_WINDOW_ALL,     /* sliding_window, unless null or 0, in every layer */
    KVC_WINDOW_IF_USED, /* only with use_sliding_window, in layers from max_window_layers on */
};

struct kvc_family {
    const char *model_type;
    const char *config_class;  /* in transformers: where the defaults below were read */
    uint32_t kv_heads_default; /* when the key is absent; 0: as many as query heads */
    uint32_t head_dim_default; /* when the key is absent; 0: hidden_size / heads */
    enum kvc_window_rule window;
    uint32_t window_default;            /* tokens when the key is absent; 0: none */
    uint32_t max_window_layers_default; /* IF_USED */
};

/* The row of a model_type, or NULL. */
const struct kvc_family *kvc_family_named(struct kvc_span model_type);

#endif /* KVC_SHAPE_FAMILY_H */
