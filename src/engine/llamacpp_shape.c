/* llamacpp_shape.c - the caches of a model without a GGUF file, as the converter would write it.
 * Declared in llamacpp_caches.h.
 *
 * A shape says what each layer of the model keeps.  What llama.cpp keeps is the architecture's: it does
 * not slide where the architecture has no window, it slides by its own number where it has one, and it
 * has a cache in layers that read another's.  Work goes by runs of layers, never by layers. */

#include "engine/llamacpp_caches.h"

#include "bytes/recurrent.h"
#include "engine/llamacpp_families.h"

struct reader {
    const struct kvc_shape *shape;
    const struct kvc_gguf_arch *arch;
    struct kvc_llamacpp_model *model;
    struct kvc_arena *arena;
    bool keeps_drafts, has_window, full;
};

/* ---- A layer's rows. */

struct rows {
    uint64_t k, v;
    uint64_t k_dim, v_dim; /* of a head */
    bool slides, is_latent;
};

static const struct kvc_state *state_of(const struct kvc_layer_type *type, enum kvc_state_kind kind)
{
    for (uint32_t i = 0; i < type->states_count; i++) {
        if (type->states[i].kind == kind)
            return &type->states[i];
    }
    return NULL;
}

/* Rows of a layer that attends; false for one that does not. */
static bool find_rows(const struct kvc_layer_type *type, struct rows *ret_rows)
{
    for (uint32_t i = 0; i < type->states_count; i++) {
        const struct kvc_state *state = &type->states[i];
        if (state->kind == KVC_STATE_KV || state->kind == KVC_STATE_KV_WINDOW) {
            *ret_rows = (struct rows){ .k = (uint64_t)state->kv_heads * state->key_dim,
                                       .v = (uint64_t)state->kv_heads * state->value_dim,
                                       .k_dim = state->key_dim,
                                       .v_dim = state->value_dim,
                                       .slides = state->kind == KVC_STATE_KV_WINDOW };
            return true;
        }
        if (state->kind == KVC_STATE_LATENT && state->compress_ratio <= 1) {
            uint64_t row = (uint64_t)state->latent_dim + state->rope_dim;
            *ret_rows = (struct rows){ .k = row,
                                       .v = state->latent_dim,
                                       .k_dim = row,
                                       .v_dim = state->latent_dim,
                                       .slides = state->window_tokens > 0,
                                       .is_latent = true };
            return true;
        }
    }
    return false;
}

/* A layer that reads another's cache has its dimensions: it counts among heads and widest values. */
static const struct kvc_layer_type *own_type(const struct reader *reader,
                                             const struct kvc_layer_type *type)
{
    const struct kvc_state *shared = state_of(type, KVC_STATE_SHARED);
    return shared == NULL ? type : kvc_shape_layer(reader->shape, shared->layer);
}

/* ---- Runs, main layers first, then draft layers where the file has them. */

struct run {
    const struct kvc_layer_type *type;
    uint32_t first, count;
    bool is_draft;
};

static uint32_t runs_count(const struct reader *reader)
{
    return reader->shape->runs_count + (reader->keeps_drafts ? reader->shape->draft_runs_count : 0);
}

static void next_run(const struct reader *reader, uint32_t i, struct run *run)
{
    const struct kvc_shape *shape = reader->shape;
    bool is_draft = i >= shape->runs_count;
    const struct kvc_run *from =
        is_draft ? &shape->draft_runs[i - shape->runs_count] : &shape->runs[i];
    *run = (struct run){ .type = &shape->types[from->type],
                         .first = i == 0 ? 0 : run->first + run->count,
                         .count = from->count,
                         .is_draft = is_draft };
}

/* ---- Caches of keys and values. */

enum which { ALL, FULL, SLIDING, INDEX };

/* Layers of a kind that have no rows in the file and count all the same: skipped attention of a plain
 * model.  Those of a hybrid are in the other cache. */
static bool counts_empty(const struct reader *reader)
{
    return reader->arch->recurs == KVC_GGUF_RECURS_NEVER;
}

static void look_at_value(struct kvc_llamacpp_cache *cache, uint64_t v, bool is_first)
{
    if (is_first)
        cache->v_widest = v;
    cache->v_varies = cache->v_varies || v != cache->v_widest;
    cache->v_widest = v > cache->v_widest ? v : cache->v_widest;
}

static bool is_in(const struct reader *reader, enum which which, const struct kvc_layer_type *type,
                  const struct rows *rows, bool attends)
{
    if (which == INDEX)
        return state_of(type, KVC_STATE_INDEX) != NULL;
    if (!attends)
        return counts_empty(reader) && which != SLIDING && type->states_count > 0 &&
               state_of(type, KVC_STATE_NONE) != NULL;
    return which == ALL || rows->slides == (which == SLIDING);
}

/* gemma3n keeps a cache in its first 20 layers, whatever the model shares. */
static uint32_t owned(const struct reader *reader, const struct run *run)
{
    if (reader->arch->shares != KVC_GGUF_SHARES_FROM_20)
        return state_of(run->type, KVC_STATE_SHARED) != NULL ? 0 : run->count;
    if (run->first >= 20)
        return 0;
    return run->first + run->count > 20 ? 20 - run->first : run->count;
}

static void put_run(struct reader *reader, struct kvc_llamacpp_cache *cache, enum which which,
                    const struct run *run, bool *is_first)
{
    struct rows rows = { .k = 0 };
    const struct kvc_layer_type *type = own_type(reader, run->type);
    bool attends = find_rows(type, &rows);
    uint64_t k = rows.k, v = rows.v;
    if (!reader->has_window)
        rows.slides = false;
    if (which == INDEX) {
        const struct kvc_state *index = state_of(type, KVC_STATE_INDEX);
        k = index == NULL ? 0 : index->index_dim;
        v = rows.v_dim;
    }
    /* One number of heads stands for all layers where an interval tells which recur. */
    if (attends || reader->arch->recurs != KVC_GGUF_RECURS_INTERVAL) {
        look_at_value(cache, v, *is_first);
        *is_first = false;
    }
    uint32_t count = owned(reader, run);
    if (count == 0 || !is_in(reader, which, type, &rows, attends))
        return;
    if (!kvc_llamacpp_put(reader->arena, cache, run->first, count, k, v))
        reader->full = true;
}

static struct kvc_llamacpp_cache *add_kv(struct reader *reader,
                                         enum kvc_llamacpp_announced announced, enum which which)
{
    struct kvc_llamacpp_cache *cache = kvc_llamacpp_add(reader->model, KVC_LLAMACPP_KV, announced);
    struct run run = { .first = 0 };
    bool is_first = true;
    cache->has_v = !reader->model->types_are_one;
    cache->is_mla = !cache->has_v && !reader->model->own_streams;
    for (uint32_t i = 0; i < runs_count(reader); i++) {
        next_run(reader, i, &run);
        put_run(reader, cache, which, &run, &is_first);
    }
    if (which == SLIDING)
        cache->cells = KVC_LLAMACPP_WINDOW;
    return cache;
}

/* ---- Recurrent state. */

/* A second one in a layer is the history of n-gram embeddings. */
static kvcap_code put_history(struct kvc_llamacpp_cache *cache, const struct run *run,
                              const struct kvc_state *first, kvcap_error *err)
{
    for (uint32_t i = 0; i < run->type->states_count; i++) {
        const struct kvc_state *state = &run->type->states[i];
        if (state == first || state->kind != KVC_STATE_RECURRENT)
            continue;
        cache->p_layers = run->count;
        cache->p_layer = run->first;
        return ck_take(kvc_recurrent_elements(state, 1).conv, "elements of a recurrent state",
                       &cache->p, err);
    }
    return KVCAP_OK;
}

static kvcap_code add_recurrent(struct reader *reader, kvcap_error *err)
{
    struct kvc_llamacpp_cache *cache =
        kvc_llamacpp_add(reader->model, KVC_LLAMACPP_RECURRENT, KVC_LLAMACPP_SILENT);
    struct run run = { .first = 0 };
    kvcap_code rc = KVCAP_OK;
    cache->layers_logged = reader->model->layers;
    for (uint32_t i = 0; i < reader->shape->runs_count && rc == KVCAP_OK; i++) {
        next_run(reader, i, &run);
        const struct kvc_state *state = state_of(run.type, KVC_STATE_RECURRENT);
        if (state == NULL)
            continue;
        struct kvc_recurrent_parts parts = kvc_recurrent_elements(state, 1);
        rc = ck_take(parts.conv, "elements of a recurrent state", &cache->r, err);
        if (rc == KVCAP_OK)
            rc = ck_take(parts.state, "elements of a recurrent state", &cache->s, err);
        if (rc == KVCAP_OK)
            rc = put_history(cache, &run, state, err);
        if (!kvc_llamacpp_put(reader->arena, cache, run.first, run.count, 0, 0))
            reader->full = true;
    }
    return rc;
}

/* ---- deepseek4: what a layer keeps beside its window goes by its ratio. */

static const struct kvc_state *compressed(const struct kvc_layer_type *type, uint32_t ratio,
                                          enum kvc_state_kind kind)
{
    for (uint32_t i = 0; i < type->states_count; i++) {
        if (type->states[i].kind == kind && type->states[i].compress_ratio == ratio)
            return &type->states[i];
    }
    return NULL;
}

static void add_compressed(struct reader *reader, enum kvc_llamacpp_announced announced,
                           uint32_t ratio, enum kvc_state_kind kind)
{
    struct kvc_llamacpp_cache *cache = kvc_llamacpp_add(reader->model, KVC_LLAMACPP_KV, announced);
    struct run run = { .first = 0 };
    cache->cells = KVC_LLAMACPP_RATIO;
    cache->ratio = ratio;
    for (uint32_t i = 0; i < runs_count(reader); i++) {
        next_run(reader, i, &run);
        const struct kvc_state *state = compressed(run.type, ratio, kind);
        if (state == NULL)
            continue;
        uint64_t k = kind == KVC_STATE_INDEX ? state->index_dim
                                             : (uint64_t)state->latent_dim + state->rope_dim;
        if (!kvc_llamacpp_put(reader->arena, cache, run.first, run.count, k, 0))
            reader->full = true;
    }
}

/* Twice the row in 8 rows for ratio 4, the row in 128 rows for ratio 128. */
static void add_state(struct reader *reader, const char *name, const struct kvc_llamacpp_cache *of)
{
    struct kvc_llamacpp_cache *cache =
        kvc_llamacpp_add(reader->model, KVC_LLAMACPP_STATE, KVC_LLAMACPP_SILENT);
    cache->state = name;
    cache->ratio = of->ratio;
    for (uint32_t i = 0; i < of->rows_count; i++) {
        const struct kvc_llamacpp_rows *rows = &of->rows[i];
        if (!kvc_llamacpp_put(reader->arena, cache, rows->first, rows->count,
                              of->ratio == 4 ? 2 * rows->k : rows->k, of->ratio == 4 ? 8 : 128))
            reader->full = true;
    }
}

static void add_deepseek4(struct reader *reader)
{
    struct kvc_llamacpp_model *model = reader->model;
    add_kv(reader, KVC_LLAMACPP_DSV4_RAW, FULL);
    add_kv(reader, KVC_LLAMACPP_ISWA_WINDOW, SLIDING);
    add_compressed(reader, KVC_LLAMACPP_DSV4_CSA, 4, KVC_STATE_LATENT);
    add_compressed(reader, KVC_LLAMACPP_DSV4_HCA, 128, KVC_STATE_LATENT);
    add_compressed(reader, KVC_LLAMACPP_DSV4_INDEX, 4, KVC_STATE_INDEX);
    add_state(reader, "csa", &model->caches[2]);
    add_state(reader, "hca", &model->caches[3]);
    add_state(reader, "lid", &model->caches[4]);
}

/* ---- Sets, as llamacpp_gguf.c has them. */

static kvcap_code add_caches(struct reader *reader, kvcap_error *err)
{
    const struct kvc_gguf_arch *arch = reader->arch;
    if (arch->keeps == KVC_GGUF_KEEPS_COMPRESSED) {
        add_deepseek4(reader);
        return KVCAP_OK;
    }
    if (arch->recurs == KVC_GGUF_RECURS_ALL)
        return add_recurrent(reader, err);
    if (arch->index == KVC_GGUF_INDEX_TYPES) {
        add_kv(reader, KVC_LLAMACPP_DSA_ISWA_MAIN, FULL);
        add_kv(reader, KVC_LLAMACPP_DSA_INDEX, INDEX);
        add_kv(reader, KVC_LLAMACPP_DSA_ISWA_WINDOW, SLIDING);
        return KVCAP_OK;
    }
    if (arch->index == KVC_GGUF_INDEX_AFTER_DENSE) {
        add_kv(reader, KVC_LLAMACPP_MSA_MAIN, ALL);
        add_kv(reader, KVC_LLAMACPP_MSA_INDEX, INDEX);
        return KVCAP_OK;
    }
    if (arch->index == KVC_GGUF_INDEX_ALL || arch->index == KVC_GGUF_INDEX_TYPES_GLM) {
        add_kv(reader, KVC_LLAMACPP_DSA_MAIN, ALL);
        add_kv(reader, KVC_LLAMACPP_DSA_INDEX, INDEX);
        return KVCAP_OK;
    }
    if (reader->has_window) {
        add_kv(reader, KVC_LLAMACPP_ISWA_BASE, FULL);
        add_kv(reader, KVC_LLAMACPP_ISWA_WINDOW, SLIDING);
    } else {
        add_kv(reader, KVC_LLAMACPP_SILENT, ALL);
    }
    kvcap_code rc = arch->recurs == KVC_GGUF_RECURS_NEVER ? KVCAP_OK : add_recurrent(reader, err);
    if (arch->index == KVC_GGUF_INDEX_ATTENDING)
        add_kv(reader, KVC_LLAMACPP_HYBRID_INDEX, INDEX);
    return rc;
}

/* ---- What the types say together. */

static uint64_t window_of(const struct kvc_layer_type *type)
{
    for (uint32_t i = 0; i < type->states_count; i++) {
        const struct kvc_state *state = &type->states[i];
        if (state->kind == KVC_STATE_KV_WINDOW ||
            (state->kind == KVC_STATE_LATENT && state->window_tokens > 0))
            return state->window_tokens;
    }
    return 0;
}

/* The window of the architecture, where it has one and the model slides; several windows are none that
 * a file could tell. */
static bool find_window(struct reader *reader, bool *ret_is_one)
{
    const struct kvc_gguf_arch *arch = reader->arch;
    uint64_t window = 0;
    *ret_is_one = true;
    for (uint32_t i = 0; i < reader->shape->types_count; i++) {
        uint64_t tokens = window_of(&reader->shape->types[i]);
        *ret_is_one = *ret_is_one && (tokens == 0 || window == 0 || tokens == window);
        window = tokens == 0 ? window : tokens;
    }
    if (window == 0 || arch->window == KVC_GGUF_WINDOW_NEVER ||
        (arch->window_layers != 0 && arch->window_layers != reader->model->layers)) {
        *ret_is_one = true;
        return false;
    }
    bool is_fixed =
        arch->window == KVC_GGUF_WINDOW_FIXED || arch->window == KVC_GGUF_WINDOW_FIXED_IF_SAID;
    reader->model->window_tokens = is_fixed ? arch->window_tokens : window;
    return true;
}

static void put_types(struct reader *reader)
{
    struct run run = { .first = 0 };
    for (uint32_t i = 0; i < runs_count(reader); i++) {
        struct rows rows;
        next_run(reader, i, &run);
        if (!find_rows(own_type(reader, run.type), &rows))
            continue;
        reader->model->types_are_one = reader->model->types_are_one || rows.is_latent;
        if (!run.is_draft &&
            !kvc_llamacpp_put_heads(reader->arena, reader->model, rows.k_dim, rows.v_dim))
            reader->full = true;
    }
}

static void put_counts(struct reader *reader)
{
    struct run run = { .first = 0 };
    for (uint32_t i = 0; i < runs_count(reader); i++) {
        next_run(reader, i, &run);
        reader->model->layers_all += run.count;
        reader->model->layers += run.is_draft ? 0 : run.count;
    }
}

/* ---- What cannot be said. */

static kvcap_code cannot_say(struct kvc_answer *answer, const char *format, struct kvc_span family)
{
    struct kvc_answer_undetermined *entry = kvc_answer_undetermined(answer);
    answer->decision = KVC_DECISION_UNDETERMINED;
    entry->key = kvc_span_of("/family");
    entry->reason = kvc_answer_text(answer, format, (int)family.length, family.text);
    return KVCAP_OK;
}

static void put_traits(const struct reader *reader, const struct kvc_engine_model *given)
{
    struct kvc_llamacpp_model *model = reader->model;
    struct kvc_span name = kvc_span_of(reader->arch->name);
    model->arch = reader->arch->name;
    model->context_tokens = given->context_tokens;
    model->is_causal = true;
    model->flash_off = kvc_span_is(name, "grok");
    model->own_streams = reader->arch->keeps == KVC_GGUF_KEEPS_COMPRESSED;
    model->types_are_one = model->types_are_one || model->own_streams;
    model->rolls_back = reader->arch->rolls_back;
    if (kvc_span_is(name, "t5"))
        model->graph = KVC_LLAMACPP_GRAPH_T5;
    else if (kvc_span_is(name, "minimax-01"))
        model->graph = KVC_LLAMACPP_GRAPH_MINIMAX_01;
}

kvcap_code kvc_llamacpp_from_shape(const struct kvc_engine_model *given, struct kvc_answer *answer,
                                   struct kvc_llamacpp_model *ret_model, kvcap_error *err)
{
    struct kvc_llamacpp_family family = kvc_llamacpp_family_of(given->family);
    struct reader reader = { .shape = given->shape,
                             .arch = family.arch,
                             .model = ret_model,
                             .arena = answer->arena,
                             .keeps_drafts = family.keeps_drafts };
    bool has_one_window;
    *ret_model = (struct kvc_llamacpp_model){ .arch = NULL };
    kvc_answer_unknown(answer, given->shape);
    if (answer->decision == KVC_DECISION_UNDETERMINED)
        return KVCAP_OK;
    if (family.arch == NULL || family.arch->keeps == KVC_GGUF_KEEPS_IN_TARGET)
        return cannot_say(
            answer, "it is not known what llama.cpp's converter writes for the family \"%.*s\"",
            given->family);
    put_counts(&reader);
    reader.has_window = find_window(&reader, &has_one_window);
    if (!has_one_window)
        return cannot_say(answer, "\"%.*s\" has windows of several sizes, which no GGUF file tells",
                          given->family);
    put_types(&reader);
    put_traits(&reader, given);
    kvcap_code rc =
        family.arch->keeps == KVC_GGUF_KEEPS_NOTHING ? KVCAP_OK : add_caches(&reader, err);
    if (rc == KVCAP_OK && reader.full)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the caches of the model need more memory");
    kvc_answer_note(answer, "engine.converted",
                    "a GGUF file as the converter of 0.4.0 writes it is taken for granted: %s",
                    family.arch->name);
    return rc;
}

/* ---- Compressed rows, decompressed (DeepseekV2Model of convert_hf_to_gguf.py before PR 12801: key_length is
 * qk_nope_head_dim + qk_rope_head_dim, value_length v_head_dim, of each head). */

static uint64_t stated(const struct kvc_value *text, const char *key)
{
    const struct kvc_value *value = kvc_value_member(text, key);
    uint64_t number;
    bool is_sane = value != NULL && value->type == KVC_NUMBER &&
                   kvc_span_u64(value->text, &number) && number <= UINT16_MAX;
    return is_sane ? number : 0;
}

bool kvc_llamacpp_decompress(const struct kvc_engine_model *given, struct kvc_llamacpp_model *model)
{
    const struct kvc_value *text =
        given->facts == NULL || given->is_gguf ? NULL : kvc_facts_decoder(given->facts->tree);
    uint64_t heads = stated(text, "num_attention_heads");
    uint64_t k = stated(text, "qk_nope_head_dim") + stated(text, "qk_rope_head_dim");
    uint64_t v = stated(text, "v_head_dim");
    if (heads == 0 || k == 0 || v == 0)
        return false;
    for (uint32_t i = 0; i < model->caches_count; i++) {
        struct kvc_llamacpp_cache *cache = &model->caches[i];
        if (!cache->is_mla)
            continue;
        cache->is_mla = false;
        cache->has_v = true;
        cache->v_widest = heads * v;
        for (uint32_t j = 0; j < cache->rows_count; j++) {
            cache->rows[j].k = heads * k;
            cache->rows[j].v = heads * v;
        }
    }
    for (uint32_t i = 0; i < model->heads_count; i++)
        model->heads[i] = (struct kvc_llamacpp_heads){ k, v };
    model->types_are_one = false;
    return true;
}
