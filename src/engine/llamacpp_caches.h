/* llamacpp_caches.h - the caches that llama.cpp makes for a model: which, in which order, of which rows.
 *
 * Room:   engine/ - pure.
 * In:     the key-values of a GGUF file, or the shape of a model of which one would be written.
 * Out:    caches, with runs of layers; nothing of a context yet.
 * Knows:  base/, json/, meta/, shape/, bytes/.
 *
 * llama_model::create_memory (src/llama-model.cpp, 0.4.0) makes one of these sets; a line stands for a
 * cache, from the first that is logged to the last:
 *
 *   kv                                    most models
 *   kv, window                            some layers slide (llama_kv_cache_iswa)
 *   recurrent                             Mamba, RWKV
 *   kv, recurrent                         hybrids; or kv, window, recurrent
 *   kv, recurrent, index                  qwen4exp
 *   kv, index                             deepseek32, glm-dsa, minimax-m3
 *   kv, index, window                     dots3note
 *   kv (of no layer), window, ratio 4, ratio 128, index of ratio 4, three states     deepseek4
 *
 * Rows are in elements.  A layer whose rows are empty counts all the same.
 */
#ifndef KVC_ENGINE_LLAMACPP_CACHES_H
#define KVC_ENGINE_LLAMACPP_CACHES_H

#include "base/fail.h"
#include "engine/answer.h"
#include "engine/model.h"

enum kvc_llamacpp_kind {
    KVC_LLAMACPP_KV,
    KVC_LLAMACPP_RECURRENT,
    KVC_LLAMACPP_STATE, /* of a compressor: it has no cells */
};

/* How many cells a cache of keys and values has. */
enum kvc_llamacpp_cells {
    KVC_LLAMACPP_ALL,    /* those of a sequence */
    KVC_LLAMACPP_WINDOW, /* the window and a micro-batch */
    KVC_LLAMACPP_RATIO,  /* one for `ratio` tokens */
};

/* The line that announces a cache, before it is made. */
enum kvc_llamacpp_announced {
    KVC_LLAMACPP_SILENT,
    KVC_LLAMACPP_ISWA_BASE,
    KVC_LLAMACPP_ISWA_WINDOW,
    KVC_LLAMACPP_DSA_MAIN,
    KVC_LLAMACPP_DSA_INDEX,
    KVC_LLAMACPP_DSA_ISWA_MAIN, /* two lines */
    KVC_LLAMACPP_DSA_ISWA_WINDOW,
    KVC_LLAMACPP_MSA_MAIN,
    KVC_LLAMACPP_MSA_INDEX,
    KVC_LLAMACPP_HYBRID_INDEX,
    KVC_LLAMACPP_DSV4_RAW, /* two lines */
    KVC_LLAMACPP_DSV4_CSA,
    KVC_LLAMACPP_DSV4_HCA,
    KVC_LLAMACPP_DSV4_INDEX,
};

/* Layers that follow one another and have the same rows. */
struct kvc_llamacpp_rows {
    uint32_t first, count;
    uint64_t k, v; /* elements of a cell; of a state: elements a row, and rows */
};

struct kvc_llamacpp_cache {
    enum kvc_llamacpp_kind kind;
    enum kvc_llamacpp_cells cells;
    enum kvc_llamacpp_announced announced;
    struct kvc_llamacpp_rows *rows;
    uint32_t rows_count, rows_room;
    uint32_t layers;

    /* kv */
    bool has_v;
    bool is_mla;       /* there is none because rows are compressed; until PR 19067 there was */
    uint64_t v_widest; /* of all layers of the model, also those that have no cache here */
    bool v_varies;     /* among them */
    uint32_t ratio;

    /* recurrent: elements of a row of one layer, in f32 */
    uint64_t r, s, p;
    uint32_t p_layers, p_layer; /* how many keep p, and which */
    uint32_t layers_logged;     /* the line counts all layers */

    const char *state; /* "csa": its name in lines */
};

/* Dimensions of a head, against which the block of a quantised format is checked. */
struct kvc_llamacpp_heads {
    uint64_t k, v;
};

/* Graphs whose reservation fails in some contexts. */
enum kvc_llamacpp_graph {
    KVC_LLAMACPP_GRAPH_PLAIN,
    KVC_LLAMACPP_GRAPH_T5,
    KVC_LLAMACPP_GRAPH_MINIMAX_01,
};

#define KVC_LLAMACPP_CACHES_MAX 8

struct kvc_llamacpp_model {
    const char *arch; /* general.architecture; NULL: not known */
    struct kvc_llamacpp_cache caches[KVC_LLAMACPP_CACHES_MAX];
    uint32_t caches_count;
    struct kvc_llamacpp_heads *heads; /* different ones, as they first stand */
    uint32_t heads_count, heads_room;
    uint64_t context_tokens; /* n_ctx_train; 0: not stated */
    uint64_t window_tokens;
    uint32_t layers;     /* n_layer(): without draft layers */
    uint32_t layers_all; /* n_layer_all */
    bool is_causal;
    bool has_experts;
    bool types_are_one; /* K and V must have one type */
    bool flash_off;     /* grok */
    bool own_streams;   /* a stream a sequence, whatever kv_unified says */
    bool rolls_back;
    enum kvc_llamacpp_graph graph;
};

/* From the key-values of a file.  What cannot be said is put into the answer, and the model's arch is
 * NULL then. */
kvcap_code kvc_llamacpp_from_gguf(const struct kvc_facts *facts, uint32_t day,
                                  struct kvc_answer *answer, struct kvc_llamacpp_model *ret_model,
                                  kvcap_error *err);

/* From a shape, as the converter would write the file. */
kvcap_code kvc_llamacpp_from_shape(const struct kvc_engine_model *given, struct kvc_answer *answer,
                                   struct kvc_llamacpp_model *ret_model, kvcap_error *err);

/* Before compressed rows were known (PR 12801) the converter wrote the heads that they stand for, and they were
 * cached whole.  False where the file does not say what these heads are: then nothing changes. */
bool kvc_llamacpp_decompress(const struct kvc_engine_model *given,
                             struct kvc_llamacpp_model *model);

/* ---- For the two readers. */

struct kvc_llamacpp_cache *kvc_llamacpp_add(struct kvc_llamacpp_model *model,
                                            enum kvc_llamacpp_kind kind,
                                            enum kvc_llamacpp_announced announced);

/* Layers of a cache, in ascending order; false when the arena is full. */
bool kvc_llamacpp_put(struct kvc_arena *arena, struct kvc_llamacpp_cache *cache, uint32_t first,
                      uint32_t count, uint64_t k, uint64_t v);

/* Dimensions of a head, unless they stand there. */
bool kvc_llamacpp_put_heads(struct kvc_arena *arena, struct kvc_llamacpp_model *model, uint64_t k,
                            uint64_t v);

#endif /* KVC_ENGINE_LLAMACPP_CACHES_H */
