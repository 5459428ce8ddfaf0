/* llamacpp_gguf.c - the caches of a GGUF file, by its key-values.  Declared in llamacpp_caches.h.
 *
 * What the keys mean, by architecture, is shape/gguf_model.h's; here is only what a cache set asks
 * beyond a shape: which layer stands in which cache, the widest row of values, and the heads. */

#include "engine/llamacpp_caches.h"

#include "bytes/recurrent.h"
#include "engine/llamacpp_changes.h"
#include "shape/gguf_model.h"

#define ARCHITECTURE "general.architecture"

/* Layers as the engine counts them: draft layers, a router and repetitions included. */
struct reader {
    struct kvc_gguf_model *gguf;
    struct kvc_llamacpp_model *model;
    struct kvc_arena *arena;
    bool full; /* the arena */
};

/* ---- A layer's rows. */

static bool is_router(const struct reader *reader, uint32_t i)
{
    return reader->gguf->arch->extra == KVC_GGUF_EXTRA_ROUTER && i == reader->model->layers;
}

/* The layer of the file that layer i repeats. */
static uint32_t in_file(const struct reader *reader, uint32_t i)
{
    bool repeats = reader->gguf->arch->extra == KVC_GGUF_EXTRA_LOOPS &&
                   reader->model->layers == reader->model->layers_all;
    return repeats ? i % reader->gguf->drafts_first : i;
}

static bool slides(const struct reader *reader, uint32_t i)
{
    return !is_router(reader, i) && reader->gguf->slides[in_file(reader, i)];
}

static uint64_t heads_of(const struct reader *reader, uint32_t i)
{
    return is_router(reader, i) ? 1 : reader->gguf->kv_heads.of_layer[in_file(reader, i)];
}

static uint64_t key_dim(const struct reader *reader, uint32_t i)
{
    return slides(reader, i) ? reader->gguf->sliding_key_dim.value : reader->gguf->key_dim.value;
}

static uint64_t value_dim(const struct reader *reader, uint32_t i)
{
    return slides(reader, i) ? reader->gguf->sliding_value_dim.value
                             : reader->gguf->value_dim.value;
}

/* ---- Caches of keys and values. */

/* An indexer keeps one head of its own key length; in a layer that slides, of that layer's, for only the
 * full one is set (llama_kv_cache_dsa, hparams_lid). */
enum rows { MAIN, INDEX, INDEX_ALL /* hparams_lid of deepseek4: all its lengths are set */ };

static uint64_t k_of(const struct reader *reader, enum rows rows, uint32_t i)
{
    if (rows == MAIN)
        return key_dim(reader, i) * heads_of(reader, i);
    if (rows == INDEX && slides(reader, i))
        return reader->gguf->sliding_key_dim.value;
    return reader->gguf->index_dim.value;
}

static uint64_t v_of(const struct reader *reader, enum rows rows, uint32_t i)
{
    if (rows == INDEX_ALL)
        return reader->gguf->index_dim.value;
    return value_dim(reader, i) * (rows == MAIN ? heads_of(reader, i) : 1);
}

/* n_embd_v_gqa_max and is_n_embd_v_gqa_variable (src/llama-hparams.cpp) look at all layers. */
static void look_at_values(const struct reader *reader, enum rows rows,
                           struct kvc_llamacpp_cache *cache)
{
    uint64_t first = v_of(reader, rows, 0);
    for (uint32_t i = 0; i < reader->model->layers_all; i++) {
        uint64_t v = v_of(reader, rows, i);
        cache->v_varies = cache->v_varies || v != first;
        if (v > cache->v_widest)
            cache->v_widest = v;
    }
}

static struct kvc_llamacpp_cache *add_kv(struct reader *reader,
                                         enum kvc_llamacpp_announced announced, enum rows rows,
                                         bool (*keeps)(const struct reader *, uint32_t))
{
    struct kvc_llamacpp_cache *cache = kvc_llamacpp_add(reader->model, KVC_LLAMACPP_KV, announced);
    cache->has_v = !reader->gguf->is_mla;
    cache->is_mla = !cache->has_v && reader->gguf->arch->keeps != KVC_GGUF_KEEPS_COMPRESSED;
    look_at_values(reader, rows, cache);
    for (uint32_t i = 0; i < reader->model->layers_all; i++) {
        if (keeps(reader, i) && !kvc_llamacpp_put(reader->arena, cache, i, 1, k_of(reader, rows, i),
                                                  v_of(reader, rows, i)))
            reader->full = true;
    }
    return cache;
}

/* ---- Which layers. */

/* A layer with a cache of its own, of the context that is no draft's. */
static bool attends(const struct reader *reader, uint32_t i)
{
    const struct kvc_gguf_model *gguf = reader->gguf;
    if (is_router(reader, i))
        return true;
    uint32_t layer = in_file(reader, i);
    if (i >= gguf->sharing_first && gguf->sharing_first < gguf->layers_count)
        return false;
    if (gguf->arch->drafts_apart && i >= reader->model->layers)
        return false;
    switch (gguf->arch->recurs) {
    case KVC_GGUF_RECURS_ALL:
        return false;
    case KVC_GGUF_RECURS_BESIDE:
        return true;
    case KVC_GGUF_RECURS_NO_HEADS_NO_FF:
        return !gguf->recurs[layer] && gguf->feed_forward.of_layer[layer] == 0;
    default:
        return !gguf->recurs[layer];
    }
}

static bool attends_to_all(const struct reader *reader, uint32_t i)
{
    return attends(reader, i) && !slides(reader, i);
}

static bool attends_to_window(const struct reader *reader, uint32_t i)
{
    return attends(reader, i) && slides(reader, i);
}

static bool has_index(const struct reader *reader, uint32_t i)
{
    return reader->gguf->indexed[i];
}

static bool slides_at_all(const struct reader *reader, uint32_t i)
{
    return slides(reader, i);
}

static bool slides_not(const struct reader *reader, uint32_t i)
{
    return !slides(reader, i);
}

static bool has_ratio_4(const struct reader *reader, uint32_t i)
{
    return reader->gguf->ratios.of_layer[i] == 4;
}

static bool has_ratio_128(const struct reader *reader, uint32_t i)
{
    return reader->gguf->ratios.of_layer[i] == 128;
}

/* ---- Sets. */

static void add_pair(struct reader *reader)
{
    add_kv(reader, KVC_LLAMACPP_ISWA_BASE, MAIN, attends_to_all);
    add_kv(reader, KVC_LLAMACPP_ISWA_WINDOW, MAIN, attends_to_window)->cells = KVC_LLAMACPP_WINDOW;
}

static kvcap_code add_recurrent(struct reader *reader, kvcap_error *err)
{
    const struct kvc_gguf_model *gguf = reader->gguf;
    struct kvc_llamacpp_cache *cache =
        kvc_llamacpp_add(reader->model, KVC_LLAMACPP_RECURRENT, KVC_LLAMACPP_SILENT);
    kvcap_code rc = KVCAP_OK;
    cache->layers_logged = reader->model->layers;
    for (uint32_t i = 0; i < reader->model->layers; i++) {
        if (gguf->recurs[i] && !kvc_llamacpp_put(reader->arena, cache, i, 1, 0, 0))
            reader->full = true;
    }
    if (gguf->recurrent.states_count > 0) {
        struct kvc_recurrent_parts parts =
            kvc_recurrent_elements(&gguf->recurrent.states[0].state, 1);
        rc = ck_take(parts.conv, "elements of a recurrent state", &cache->r, err);
        if (rc == KVCAP_OK)
            rc = ck_take(parts.state, "elements of a recurrent state", &cache->s, err);
    }
    if (rc == KVCAP_OK && gguf->ngrams.states_count > 0) {
        cache->p_layers = 1;
        cache->p_layer = gguf->ngram_layer;
        rc = ck_take(kvc_recurrent_elements(&gguf->ngrams.states[0].state, 1).conv,
                     "elements of a recurrent state", &cache->p, err);
    }
    return rc;
}

static void add_state(struct reader *reader, const char *name, uint64_t width, uint64_t rows,
                      bool (*keeps)(const struct reader *, uint32_t))
{
    struct kvc_llamacpp_cache *cache =
        kvc_llamacpp_add(reader->model, KVC_LLAMACPP_STATE, KVC_LLAMACPP_SILENT);
    cache->state = name;
    cache->ratio = keeps == has_ratio_4 ? 4 : 128;
    for (uint32_t i = 0; i < reader->model->layers; i++) {
        if (keeps(reader, i) && !kvc_llamacpp_put(reader->arena, cache, i, 1, width, rows))
            reader->full = true;
    }
}

static void add_compressed(struct reader *reader, enum kvc_llamacpp_announced announced,
                           enum rows rows, bool (*keeps)(const struct reader *, uint32_t),
                           uint32_t ratio)
{
    struct kvc_llamacpp_cache *cache = add_kv(reader, announced, rows, keeps);
    cache->cells = KVC_LLAMACPP_RATIO;
    cache->ratio = ratio;
}

/* llama_kv_cache_dsv4: two f32 tensors a compressor and layer, of twice the ratio or the ratio rows. */
static void add_deepseek4(struct reader *reader)
{
    uint64_t key = key_dim(reader, 0);
    add_kv(reader, KVC_LLAMACPP_DSV4_RAW, MAIN, slides_not);
    add_kv(reader, KVC_LLAMACPP_ISWA_WINDOW, MAIN, slides_at_all)->cells = KVC_LLAMACPP_WINDOW;
    add_compressed(reader, KVC_LLAMACPP_DSV4_CSA, MAIN, has_ratio_4, 4);
    add_compressed(reader, KVC_LLAMACPP_DSV4_HCA, MAIN, has_ratio_128, 128);
    add_compressed(reader, KVC_LLAMACPP_DSV4_INDEX, INDEX_ALL, has_ratio_4, 4);
    add_state(reader, "csa", 2 * key, 8, has_ratio_4);
    add_state(reader, "hca", key, 128, has_ratio_128);
    add_state(reader, "lid", 2 * reader->gguf->index_dim.value, 8, has_ratio_4);
}

static kvcap_code add_caches(struct reader *reader, kvcap_error *err)
{
    const struct kvc_gguf_arch *arch = reader->gguf->arch;
    bool has_window = reader->gguf->window.value > 0;
    if (arch->keeps == KVC_GGUF_KEEPS_COMPRESSED) {
        add_deepseek4(reader);
        return KVCAP_OK;
    }
    if (arch->recurs == KVC_GGUF_RECURS_ALL)
        return add_recurrent(reader, err);
    if (arch->index == KVC_GGUF_INDEX_TYPES) {
        add_kv(reader, KVC_LLAMACPP_DSA_ISWA_MAIN, MAIN, attends_to_all);
        add_kv(reader, KVC_LLAMACPP_DSA_INDEX, INDEX, has_index);
        add_kv(reader, KVC_LLAMACPP_DSA_ISWA_WINDOW, MAIN, attends_to_window)->cells =
            KVC_LLAMACPP_WINDOW;
        return KVCAP_OK;
    }
    if (arch->index == KVC_GGUF_INDEX_AFTER_DENSE) {
        add_kv(reader, KVC_LLAMACPP_MSA_MAIN, MAIN, attends);
        add_kv(reader, KVC_LLAMACPP_MSA_INDEX, INDEX, has_index);
        return KVCAP_OK;
    }
    if (arch->index == KVC_GGUF_INDEX_ALL || arch->index == KVC_GGUF_INDEX_TYPES_GLM) {
        add_kv(reader, KVC_LLAMACPP_DSA_MAIN, MAIN, attends);
        add_kv(reader, KVC_LLAMACPP_DSA_INDEX, INDEX, has_index);
        return KVCAP_OK;
    }
    if (has_window)
        add_pair(reader);
    else
        add_kv(reader, KVC_LLAMACPP_SILENT, MAIN, attends);
    kvcap_code rc = arch->recurs == KVC_GGUF_RECURS_NEVER ? KVCAP_OK : add_recurrent(reader, err);
    if (arch->index == KVC_GGUF_INDEX_ATTENDING)
        add_kv(reader, KVC_LLAMACPP_HYBRID_INDEX, INDEX, has_index);
    return rc;
}

/* ---- The rest of a model. */

static kvcap_code count_layers(struct reader *reader)
{
    const struct kvc_gguf_model *gguf = reader->gguf;
    uint64_t loops = 1;
    kvcap_code rc = kvc_gguf_find_loops(reader->gguf, &loops);
    reader->model->layers = gguf->drafts_first;
    reader->model->layers_all = gguf->layers_count;
    if (gguf->arch->extra == KVC_GGUF_EXTRA_ROUTER)
        reader->model->layers_all = gguf->drafts_first + 1;
    if (loops > 1)
        reader->model->layers = reader->model->layers_all = (uint32_t)(gguf->drafts_first * loops);
    return rc;
}

/* attention.causal; and architectures that never look back alone, whatever the file says. */
static bool is_causal(const struct kvc_gguf_model *gguf)
{
    static const char *const NEVER[] = { "gemma-embedding", "rnd1", "dream", "llada", "llada-moe" };
    const struct kvc_value *said = kvc_gguf_said(gguf, "attention.causal");
    for (size_t i = 0; i < sizeof NEVER / sizeof NEVER[0]; i++) {
        if (kvc_span_is(kvc_span_of(gguf->arch->name), NEVER[i]))
            return false;
    }
    return said == NULL || said->type != KVC_FALSE;
}

static void put_traits(const struct kvc_gguf_model *gguf, struct kvc_llamacpp_model *model)
{
    struct kvc_span name = kvc_span_of(gguf->arch->name);
    model->arch = gguf->arch->name;
    model->is_causal = is_causal(gguf);
    model->types_are_one = gguf->is_mla;
    model->flash_off = kvc_span_is(name, "grok");
    model->own_streams = gguf->arch->keeps == KVC_GGUF_KEEPS_COMPRESSED;
    model->rolls_back = gguf->arch->rolls_back;
    model->window_tokens = gguf->window.value;
    if (kvc_span_is(name, "t5"))
        model->graph = KVC_LLAMACPP_GRAPH_T5;
    else if (kvc_span_is(name, "minimax-01"))
        model->graph = KVC_LLAMACPP_GRAPH_MINIMAX_01;
}

static kvcap_code find_context(struct kvc_gguf_model *gguf, struct kvc_llamacpp_model *model)
{
    struct kvc_origin tokens, experts;
    kvcap_code rc = kvc_gguf_number_or(gguf, "context_length", 0, &tokens);
    if (rc == KVCAP_OK)
        rc = kvc_gguf_number_or(gguf, "expert_count", 0, &experts);
    if (rc != KVCAP_OK)
        return rc;
    model->context_tokens = tokens.value;
    model->has_experts = experts.value > 0;
    return KVCAP_OK;
}

static kvcap_code cannot_say(const struct kvc_facts *facts, struct kvc_answer *answer,
                             const char *format, struct kvc_span family)
{
    struct kvc_answer_undetermined *entry = kvc_answer_undetermined(answer);
    answer->decision = KVC_DECISION_UNDETERMINED;
    entry->key = kvc_answer_text(answer, "%s:" ARCHITECTURE, facts->artefact);
    entry->reason = kvc_answer_text(answer, format, (int)family.length, family.text);
    return KVCAP_OK;
}

static kvcap_code read_parts(struct reader *reader, kvcap_error *err)
{
    kvcap_code rc = kvc_gguf_find_parts(reader->gguf);
    if (rc == KVCAP_OK)
        rc = count_layers(reader);
    if (rc != KVCAP_OK)
        return rc;
    if (reader->gguf->arch->keeps == KVC_GGUF_KEEPS_COMPRESSED)
        rc = kvc_gguf_at_least(reader->gguf, "attention.indexer.key_length", 1,
                               &reader->gguf->index_dim);
    for (uint32_t i = 0; i < reader->model->layers; i++) {
        if (!kvc_llamacpp_put_heads(reader->arena, reader->model, key_dim(reader, i),
                                    value_dim(reader, i)))
            reader->full = true;
    }
    if (rc == KVCAP_OK)
        rc = add_caches(reader, err);
    if (rc == KVCAP_OK && reader->full)
        return kvc_find_no_memory(&reader->gguf->finder);
    return rc;
}

/* The encoders of those days; what came later never had one. */
static bool keeps_nothing(const struct kvc_gguf_arch *arch, uint32_t day)
{
    static const char *const ENCODERS[] = { "bert", "jina-bert-v2", "nomic-bert",
                                            "nomic-bert-moe" };
    if (arch->keeps != KVC_GGUF_KEEPS_NOTHING || kvc_llamacpp_since(day, KVC_LLAMACPP_CACHELESS))
        return arch->keeps == KVC_GGUF_KEEPS_NOTHING;
    for (size_t i = 0; i < sizeof ENCODERS / sizeof ENCODERS[0]; i++) {
        if (kvc_span_is(kvc_span_of(arch->name), ENCODERS[i]))
            return false;
    }
    return true;
}

kvcap_code kvc_llamacpp_from_gguf(const struct kvc_facts *facts, uint32_t day,
                                  struct kvc_answer *answer, struct kvc_llamacpp_model *ret_model,
                                  kvcap_error *err)
{
    struct kvc_gguf_model gguf = { .facts = facts };
    struct reader reader = { .gguf = &gguf, .model = ret_model, .arena = answer->arena };
    const struct kvc_value *name = kvc_value_member(facts->tree, ARCHITECTURE);
    *ret_model = (struct kvc_llamacpp_model){ .arch = NULL };
    if (name == NULL)
        return kvc_fail(err, KVC_METADATA_MISSING_KEY, ARCHITECTURE,
                        "the file does not say its architecture");
    if (name->type != KVC_STRING)
        return kvc_fail(err, KVC_METADATA_WRONG_TYPE, ARCHITECTURE, "the architecture is no text");
    gguf.arch = kvc_gguf_arch_named(name->text);
    if (gguf.arch == NULL)
        return cannot_say(facts, answer, "the architecture \"%.*s\" is not known", name->text);
    if (gguf.arch->keeps == KVC_GGUF_KEEPS_IN_TARGET)
        return cannot_say(facts, answer, "%.*s is a draft model that reads the cache of its target",
                          name->text);
    kvc_find_begin(&gguf.finder, answer->arena, err);
    kvcap_code rc = find_context(&gguf, ret_model);
    if (rc == KVCAP_OK && !keeps_nothing(gguf.arch, day))
        rc = read_parts(&reader, err);
    if (rc == KVCAP_OK)
        put_traits(&gguf, ret_model);
    return rc;
}
