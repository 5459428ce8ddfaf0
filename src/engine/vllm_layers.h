/* vllm_layers.h - from a model's shape to the specs that vLLM writes down of its layers.
 *
 * Room:   engine/ - pure.
 * In:     a shape, and what the settings came to.
 * Out:    specs and runs, one list a pipeline stage; or what keeps them from being said.
 * Knows:  base/, json/, meta/, shape/, bytes/, engine/.
 *
 * Read in vLLM main at 017e9f4 (2026-08-17): model_executor/layers/attention/ and mamba/ (get_kv_cache_spec),
 * distributed/utils.py (get_pp_indices), platforms/interface.py (the blocks of hybrid models).
 */
#ifndef KVC_ENGINE_VLLM_LAYERS_H
#define KVC_ENGINE_VLLM_LAYERS_H

#include "engine/engine.h"
#include "engine/vllm_groups.h"

/* A cache format as vLLM packs it: bytes of one head's keys or values. */
enum kvc_vllm_pack {
    KVC_VLLM_PACK_PLAIN,      /* element_bytes each */
    KVC_VLLM_PACK_TOKEN_HEAD, /* a byte each and a float a head and token, for K and for V */
    KVC_VLLM_PACK_INT4,       /* half a byte each, and the same floats */
    KVC_VLLM_PACK_NVFP4,      /* half a byte each, and a byte for 16 */
    KVC_VLLM_PACK_TURBO, /* turboquant: key_bits and value_bits an element, and what each needs */
};

struct kvc_vllm_cache_type {
    enum kvc_vllm_pack pack;
    uint64_t element_bytes;        /* PLAIN */
    uint64_t key_bits, value_bits; /* TURBO; 8 of a key are fp8 without a scale */
    bool is_quantised;             /* any but the model's own type */
};

struct kvc_vllm_model_settings {
    uint32_t day;
    bool is_v0; /* the first engine: windows forget nothing, recurrent state lies elsewhere */
    uint64_t tp, pp, dcp;
    const uint64_t *pp_layers;  /* pp entries, or NULL: as get_pp_indices has it */
    uint64_t block_size;        /* of full attention, as the backend or the user has it */
    uint64_t window_block_size; /* of layers that slide */
    bool block_said;            /* by the user */
    uint64_t dtype_bytes;       /* of the model's own type */
    bool ds_mla;                /* kv_cache_dtype is fp8_ds_mla by name */
    struct kvc_vllm_cache_type cache;
    uint64_t max_model_len;
    bool prefix_caching;
    bool loads_drafts; /* draft (MTP) layers of the model are loaded, on the last stage */
    uint64_t speculative_tokens;
    enum kvc_vllm_mamba_mode mamba_mode;
    uint64_t mamba_chunk;             /* ALL: tokens of a chunk; 0: not known */
    uint64_t conv_bytes, state_bytes; /* of an element of Mamba state; 0: as the layer says */
    bool no_windows;                  /* disable_sliding_window */
    bool *skipped; /* of each layer: keeps the model's own type; NULL: none does */
    uint64_t latent_heads, latent_head_dim; /* what is kept in place of a latent; 0: the latent */
};

struct kvc_vllm_layers_found {
    struct kvc_vllm_layers layers;
    uint64_t block_size; /* of attention, after it was aligned to Mamba's page */
    bool has_attention, has_mamba, has_window, has_chunk, has_latent, has_cross, has_compressed;
};

/* What cannot be said becomes an entry of the answer, whose decision is then UNDETERMINED. */
kvcap_code kvc_vllm_find_layers(const struct kvc_engine_model *model,
                                const struct kvc_vllm_model_settings *settings,
                                struct kvc_arena *arena, struct kvc_answer *answer,
                                struct kvc_vllm_layers_found *ret_found, kvcap_error *err);

/* Which kinds of state the model has, before any setting. */
void kvc_vllm_look(const struct kvc_shape *shape, struct kvc_vllm_layers_found *ret_found);

#endif /* KVC_ENGINE_VLLM_LAYERS_H */
