/* weights.h - what the names and shapes of a model's tensors tell of its layers.
 *
 * Room:   meta/ - no I/O.
 * In:     the headers of its safetensors files, one after the other.
 * Out:    exact bytes, how many layers the decoder has, and the rows of each layer's K, V and latent
 *         projections: what config.json is then held against (shape/agree.h).
 * Knows:  base/.
 *
 *   model.layers.17.self_attn.k_proj.weight   BF16 [1024, 4096]
 *   `----------' `' `----------------------'        `--'
 *      stack   layer      part                      rows: kv_heads * key_dim
 *
 * Only names of the lists in weights.c are understood; of what has other names nothing is said.
 */
#ifndef KVC_META_WEIGHTS_H
#define KVC_META_WEIGHTS_H

#include "base/arena.h"
#include "base/fail.h"
#include "meta/safetensors.h"

/* As many as a model of a record may have. */
#define KVC_WEIGHTS_LAYERS_MAX 4096

enum kvc_part {
    KVC_PART_KEY,    /* k_proj: kv_heads * key_dim rows */
    KVC_PART_VALUE,  /* v_proj: kv_heads * value_dim rows */
    KVC_PART_LATENT, /* kv_a_proj_with_mqa: latent_dim + rope_dim rows */
    KVC_PART_COUNT
};

struct kvc_layer_weights {
    uint64_t rows[KVC_PART_COUNT];     /* 0: not seen */
    const char *names[KVC_PART_COUNT]; /* "self_attn.k_proj.weight"; static */
    uint16_t files[KVC_PART_COUNT];    /* index in `files` of the tensor's file */
};

struct kvc_weights {
    struct kvc_arena *arena;
    const char **files; /* names, in the order in which they were added */
    uint16_t files_count, files_room;

    uint64_t data_bytes, tensors_count;
    uint64_t type_bytes[KVC_TENSOR_TYPE_COUNT];

    const char *stack;      /* "model.layers."; NULL: no tensor of a known one; static */
    const char *also_stack; /* another one, so that nothing is said of layers; NULL: none */
    struct kvc_layer_weights *layers;
    uint32_t layers_count, layers_room; /* the highest number that was seen, and one */

    const char *attention_type; /* "BF16": of the attention's matrices, if all have one; static */
    bool attention_mixed;       /* they do not */
};

void kvc_weights_begin(struct kvc_weights *weights, struct kvc_arena *arena);

/* Adds a file.  `name` is borrowed; of the header nothing is kept. */
kvcap_code kvc_weights_add(struct kvc_weights *weights, const char *name,
                           const struct kvc_safetensors *header, kvcap_error *err);

/* "BF16 16060522240, F32 1024": bytes by type, the most first; cut where the room ends. */
#define KVC_WEIGHTS_WORDS 320
void kvc_weights_words(const struct kvc_weights *weights, char ret_words[KVC_WEIGHTS_WORDS]);

#endif /* KVC_META_WEIGHTS_H */
