/* layers.h - how the layers of each kind of family are found; one file a kind.
 *
 * Room:   shape/ - pure.
 * In:     a config.json whose family is known.
 * Out:    its layers, added to the finder, and the finder ended.
 * Knows:  base/, json/, meta/.
 *
 * Every function of this list is what a row of the family table names in `find`.
 */
#ifndef KVC_SHAPE_LAYERS_H
#define KVC_SHAPE_LAYERS_H

#include "shape/config.h"

/* plain.c: keys and values in every layer, windows by layer_types or by the family's rule. */
kvcap_code kvc_find_plain(struct kvc_config *config);

/* by_layer.c: heads, head sizes or windows that differ from layer to layer. */
kvcap_code kvc_find_bigcode(struct kvc_config *config);
kvcap_code kvc_find_falcon(struct kvc_config *config);
kvcap_code kvc_find_mpt(struct kvc_config *config);
kvcap_code kvc_find_chatglm(struct kvc_config *config);
kvcap_code kvc_find_chunked(struct kvc_config *config);      /* Llama 4 */
kvcap_code kvc_find_by_block(struct kvc_config *config);     /* Nemotron NAS: block_configs */
kvcap_code kvc_find_heads_listed(struct kvc_config *config); /* OpenELM: num_kv_heads is a list */
kvcap_code kvc_find_step3p5(struct kvc_config *config);
kvcap_code kvc_find_mimo_v2(struct kvc_config *config);

/* shared.c: layers that read an earlier layer's cache (Gemma 3n, Gemma 4, Hunyuan). */
kvcap_code kvc_find_gemma3n(struct kvc_config *config);
kvcap_code kvc_find_gemma4(struct kvc_config *config);
kvcap_code kvc_find_hunyuan(struct kvc_config *config); /* cross-layer attention, where used */

/* latent.c: one compressed row a token (MLA), with an indexer beside it or without. */
kvcap_code kvc_find_latent(struct kvc_config *config);
kvcap_code kvc_find_two_latents(struct kvc_config *config); /* LongCat: two attentions a layer */
kvcap_code kvc_find_expanded(struct kvc_config *config); /* MiniCPM3: latent weights, whole cache */
kvcap_code kvc_find_sparse(struct kvc_config *config);   /* MiniMax-M3: an indexer beside heads */
/* A layer of MLA; for families that mix it with something else. */
kvcap_code kvc_find_latent_layer(struct kvc_config *config, struct kvc_layer_found *layer);

/* compressed.c: DeepSeek V4. */
kvcap_code kvc_find_compressed(struct kvc_config *config);

/* mamba.c: state-space layers, alone or mixed with attention. */
kvcap_code kvc_find_mamba(struct kvc_config *config);
kvcap_code kvc_find_mamba2(struct kvc_config *config);
kvcap_code kvc_find_jamba(struct kvc_config *config);
kvcap_code kvc_find_mamba_hybrid(struct kvc_config *config); /* Bamba, Granite 4 */
kvcap_code kvc_find_falcon_h1(struct kvc_config *config);
kvcap_code kvc_find_zamba2(struct kvc_config *config);

/* nemotron_h.c: a letter or a word a layer. */
kvcap_code kvc_find_nemotron_h(struct kvc_config *config);

/* linear.c: other recurrent layers, alone or mixed with attention. */
kvcap_code kvc_find_gated_delta(struct kvc_config *config); /* Qwen3-Next, Qwen3.5 */
kvcap_code kvc_find_kimi_linear(struct kvc_config *config);
kvcap_code kvc_find_minimax(struct kvc_config *config);
kvcap_code kvc_find_minimax_text(struct kvc_config *config);
kvcap_code kvc_find_minimax_m2(struct kvc_config *config);
kvcap_code kvc_find_grouped(struct kvc_config *config); /* Bailing */
kvcap_code kvc_find_lfm2(struct kvc_config *config);
kvcap_code kvc_find_lfm2_moe(struct kvc_config *config);
kvcap_code kvc_find_rwkv4(struct kvc_config *config);
kvcap_code kvc_find_rwkv(struct kvc_config *config);

/* cross.c: keys and values of an encoder's tokens beside the decoder's own. */
kvcap_code kvc_find_cross_layers(struct kvc_config *config); /* Mllama */
kvcap_code kvc_find_encoder_decoder(struct kvc_config *config);
kvcap_code kvc_find_t5(struct kvc_config *config);

/* heads.c: the counts of plain attention, under any of the names that families give them. */
struct kvc_heads {
    struct kvc_origin kv_heads, head_dim, value_dim;
};
kvcap_code kvc_find_layers_count(struct kvc_config *config, struct kvc_origin *ret_layers);
kvcap_code kvc_find_hidden(struct kvc_config *config, struct kvc_origin *ret_hidden);
kvcap_code kvc_find_query_heads(struct kvc_config *config, struct kvc_origin *ret_heads);
kvcap_code kvc_find_kv_heads(struct kvc_config *config, const struct kvc_origin *query_heads,
                             struct kvc_origin *ret_origin);
kvcap_code kvc_find_heads(struct kvc_config *config, struct kvc_heads *ret_heads);
/* How many draft (MTP) layers the family's key states; value 0: none. */
kvcap_code kvc_find_drafts_count(struct kvc_config *config, struct kvc_origin *ret_drafts);
/* Another state of the layer: keys and values; window NULL: of all tokens. */
void kvc_layer_of_heads(struct kvc_layer_found *layer, const struct kvc_heads *heads,
                        const struct kvc_origin *window);

/* plain.c: the window that the family's rule and the file give; tokens of value 0: none. */
struct kvc_windows {
    struct kvc_origin tokens;
    uint64_t first_layer; /* earlier layers are full */
    uint64_t end_layer;   /* and so are these and later ones; 0: no end */
    uint64_t every;       /* each so many-th layer is full; 0: no such rule */
};
kvcap_code kvc_find_windows(struct kvc_config *config, struct kvc_windows *ret_windows);
bool kvc_slides(const struct kvc_windows *windows, uint64_t layer);

#endif /* KVC_SHAPE_LAYERS_H */
