/* vllm_layers.c - see vllm_layers.h for the room and its promises. */

#include "engine/vllm_layers.h"

#include <string.h>

#include "bytes/elem.h"
#include "bytes/recurrent.h"
#include "engine/vllm_changes.h"
#include "engine/vllm_lines.h"

/* Specs of a layer type: one a state, and one for what compresses an indexer's keys. */
#define SLOTS (KVC_STATES_MAX + 1)
#define SLOT_INDEX_COMPRESSOR KVC_STATES_MAX

struct finding {
    const struct kvc_engine_model *model;
    const struct kvc_vllm_model_settings *set;
    struct kvc_arena *arena;
    struct kvc_answer *answer;
    struct kvc_vllm_layers_found *found;
    struct kvc_vllm_spec *specs;             /* KVC_STATES_MAX a layer type */
    bool *is_kept;                           /* whether a state of a type has a spec */
    const struct kvc_vllm_cache_type *cache; /* of the layers at hand */
    uint64_t block_size;                     /* of full attention, before and after it is aligned */
    kvcap_error *err;
};

static kvcap_code no_memory(const struct finding *f)
{
    return kvc_fail(f->err, KVC_MEMORY_FULL, "", "the layers of the model need more memory");
}

/* ---- A look at what there is. */

static void look_at(const struct kvc_state *state, struct kvc_vllm_layers_found *found)
{
    switch (state->kind) {
    case KVC_STATE_KV:
        found->has_attention = true;
        break;
    case KVC_STATE_KV_WINDOW:
        found->has_attention = true;
        found->has_chunk = found->has_chunk || state->chunked;
        found->has_window = found->has_window || !state->chunked;
        break;
    case KVC_STATE_LATENT:
        found->has_attention = found->has_latent = true;
        found->has_window = found->has_window || state->window_tokens != 0;
        found->has_compressed = found->has_compressed || state->compress_ratio > 1;
        break;
    case KVC_STATE_RECURRENT:
        found->has_mamba = true;
        break;
    case KVC_STATE_CROSS:
        found->has_cross = true;
        break;
    default:
        break;
    }
}

void kvc_vllm_look(const struct kvc_shape *shape, struct kvc_vllm_layers_found *ret_found)
{
    *ret_found = (struct kvc_vllm_layers_found){ .block_size = 0 };
    for (uint32_t t = 0; t < shape->types_count; t++) {
        for (uint32_t i = 0; i < shape->types[t].states_count; i++)
            look_at(&shape->types[t].states[i], ret_found);
    }
    if (ret_found->has_compressed) /* what recurs there is what compresses: windows of their own */
        ret_found->has_mamba = false;
}

/* ---- Heads. */

/* Integer division, then repetition: vLLM refuses no odd number of ranks here. */
static uint64_t heads_on_rank(const struct finding *f, uint64_t heads)
{
    uint64_t share = heads / f->set->tp;
    return share == 0 ? 1 : share;
}

/* Bytes of a slot and token: keys and values of one head, or those of one side. */
static uint64_t content_of(const struct kvc_vllm_cache_type *cache, uint64_t key_dim,
                           uint64_t value_dim)
{
    uint64_t key, value;
    switch (cache->pack) {
    case KVC_VLLM_PACK_TOKEN_HEAD:
        return key_dim + value_dim + 8; /* of compressed rows too */
    case KVC_VLLM_PACK_INT4:
        return key_dim / 2 + value_dim / 2 + 8;
    case KVC_VLLM_PACK_NVFP4:
        return key_dim / 2 + key_dim / 16;
    case KVC_VLLM_PACK_TURBO:
        key = cache->key_bits == 8 ? key_dim : (key_dim * cache->key_bits + 7) / 8 + 2;
        value = (value_dim * cache->value_bits + 7) / 8 + 4;
        return (key + value + 1) / 2 * 2;
    default:
        return (key_dim + value_dim) * cache->element_bytes;
    }
}

static struct kvc_vllm_spec heads_spec(const struct finding *f, const struct kvc_state *state,
                                       enum kvc_vllm_kind kind)
{
    const struct kvc_vllm_cache_type *cache = f->cache;
    uint64_t heads = heads_on_rank(f, state->kv_heads);
    return (struct kvc_vllm_spec){
        .kind = kind,
        .block_size = f->set->block_size,
        .head_slots = cache->pack == KVC_VLLM_PACK_NVFP4 ? 2 * heads : heads,
        .content_bytes = content_of(cache, state->key_dim, state->value_dim),
        .compress_ratio = 1,
        .alignment = 1,
        .heads = heads,
        .key_dim = state->key_dim,
        .value_dim = state->value_dim,
        .format = cache->pack * 8 + cache->element_bytes,
    };
}

static struct kvc_vllm_spec window_spec(const struct finding *f, const struct kvc_state *state)
{
    struct kvc_vllm_spec spec = heads_spec(f, state, KVC_VLLM_SLIDING);
    if ((f->set->no_windows && !state->chunked) || f->set->is_v0) {
        spec.kind = KVC_VLLM_FULL;
        return spec;
    }
    if (state->chunked) {
        spec.kind = KVC_VLLM_CHUNKED;
        spec.chunk = state->window_tokens;
    } else {
        spec.window = state->window_tokens;
        spec.block_size = f->set->window_block_size;
    }
    return spec;
}

/* ---- One compressed row a token. */

#define DS_MLA_ALIGNMENT 576 /* of V4's pages: fp8_ds_mla */
#define V4_ALIGNMENT 512     /* of any other format's */

/* Blocks of DeepSeek V4 that nothing moves (vllm/v1/attention/backends/mla/sparse_swa.py and
 * vllm/models/deepseek_v4/compressor.py): as many bytes as 64 rows of the latents compressed by 4. */
#define V4_WINDOW_BLOCK 64
#define V4_BLOCK_BY_4 4
#define V4_BLOCK_BY_128 8

/* Latents with an indexer beside them, and compressed ones, have a quantised form of their own. */
static bool is_ds_mla(const struct finding *f, const struct kvc_layer_type *type)
{
    bool indexed = false;
    for (uint32_t i = 0; i < type->states_count; i++)
        indexed = indexed || type->states[i].kind == KVC_STATE_INDEX ||
                  type->states[i].compress_ratio > 1;
    return f->set->cache.is_quantised && f->set->cache.pack == KVC_VLLM_PACK_PLAIN &&
           (indexed || f->found->has_compressed || f->set->ds_mla);
}

static struct kvc_vllm_spec latent_spec(const struct finding *f, const struct kvc_layer_type *type,
                                        const struct kvc_state *state)
{
    uint64_t dim = (uint64_t)state->latent_dim + state->rope_dim;
    if (f->set->latent_heads != 0) {
        struct kvc_state heads = { .kv_heads = (uint32_t)f->set->latent_heads,
                                   .key_dim = (uint32_t)f->set->latent_head_dim,
                                   .value_dim = (uint32_t)f->set->latent_head_dim };
        return heads_spec(f, &heads, KVC_VLLM_FULL);
    }
    bool ds_mla = is_ds_mla(f, type);
    struct kvc_vllm_spec spec = {
        .kind = state->window_tokens != 0 ? KVC_VLLM_SLIDING_MLA : KVC_VLLM_MLA,
        .block_size = f->set->block_size,
        .head_slots = 1,
        .content_bytes = content_of(&f->set->cache, dim, 0),
        .compress_ratio = state->compress_ratio,
        .alignment = 1,
        .window = state->window_tokens,
        .heads = 1,
        .key_dim = dim,
        .format = ds_mla,
    };
    if (f->found->has_compressed && state->window_tokens != 0)
        spec.block_size = V4_WINDOW_BLOCK;
    if (ds_mla)
        spec.content_bytes = kvc_ds_mla_token_bytes(state->latent_dim, state->rope_dim);
    if (f->found->has_compressed)
        spec.alignment = ds_mla ? DS_MLA_ALIGNMENT : V4_ALIGNMENT;
    return spec;
}

/* What compresses keeps the tokens of a row that is not full yet, keys and scores beside each other in f32;
 * by 4 rows overlap, so it is those of two. */
static struct kvc_vllm_spec compressor_spec(const struct kvc_layer_type *type, bool of_index)
{
    uint64_t dim = 0, ratio = 1;
    for (uint32_t i = 0; i < type->states_count; i++) {
        const struct kvc_state *state = &type->states[i];
        if (kvc_state_ratio(state) == 1 || (state->kind == KVC_STATE_INDEX) != of_index)
            continue;
        ratio = kvc_state_ratio(state);
        dim = of_index ? state->index_dim : (uint64_t)state->latent_dim + state->rope_dim;
    }
    uint64_t rows = ratio == 4 ? 2 : 1, width = 2 * rows * dim;
    return (struct kvc_vllm_spec){
        .kind = KVC_VLLM_SLIDING_MLA,
        .block_size = ratio == 4 ? V4_BLOCK_BY_4 : V4_BLOCK_BY_128,
        .head_slots = 1,
        .content_bytes = width * 4,
        .compress_ratio = 1,
        .alignment = DS_MLA_ALIGNMENT,
        .window = rows * ratio,
        .heads = 1,
        .key_dim = width,
        .mark = 2, /* no latent */
    };
}

static bool has_index_compressor(const struct finding *f, const struct kvc_layer_type *type)
{
    bool index = false, compressor = false;
    for (uint32_t i = 0; i < type->states_count; i++) {
        index = index ||
                (type->states[i].kind == KVC_STATE_INDEX && kvc_state_ratio(&type->states[i]) > 1);
        compressor = compressor || type->states[i].kind == KVC_STATE_RECURRENT;
    }
    return f->found->has_compressed && index && compressor;
}

static struct kvc_vllm_spec index_spec(const struct finding *f, const struct kvc_state *state)
{
    return (struct kvc_vllm_spec){
        .kind = KVC_VLLM_MLA,
        .block_size = f->set->block_size,
        .head_slots = 1,
        .content_bytes = state->index_fp8 ? kvc_index_fp8_bytes(state->index_dim)
                                          : state->index_dim * f->set->dtype_bytes,
        .compress_ratio = state->compress_ratio,
        .alignment = f->found->has_compressed ? DS_MLA_ALIGNMENT : 1,
        .heads = 1,
        .key_dim = state->index_dim,
        .mark = 1, /* an indexer's keys are not a latent of the same width */
    };
}

/* ---- Recurrent state. */

static uint64_t bytes_of(enum kvc_format format, uint64_t absent)
{
    switch (format) {
    case KVC_FORMAT_F32:
        return 4;
    case KVC_FORMAT_F16:
    case KVC_FORMAT_BF16:
        return 2;
    case KVC_FORMAT_NONE:
        return absent;
    default:
        return 1;
    }
}

/* Speculation keeps so many columns more of the convolution, in the families whose class adds them
 * (MambaStateShapeCalculator: num_spec). */
static struct ck conv_elements(const struct finding *f, const struct kvc_state *state,
                               struct ck elements)
{
    static const char *const ADD[] = { "mamba2",      "nemotron_h",      "nemotron_h_puzzle",
                                       "qwen3_next",  "qwen3_5",         "qwen3_5_text",
                                       "qwen3_5_moe", "qwen3_5_moe_text" };
    uint64_t columns = state->rule == KVC_RULE_LINEAR ? 0 : state->dims[0] - 1;
    bool adds = false;
    for (size_t i = 0; i < sizeof ADD / sizeof ADD[0]; i++)
        adds = adds || kvc_span_is(f->model->family, ADD[i]);
    if (!adds || f->set->speculative_tokens == 0 || columns == 0)
        return elements;
    return ck_div_floor(ck_mul(elements, ck_u64(columns + f->set->speculative_tokens)), columns);
}

static kvcap_code mamba_spec(const struct finding *f, const struct kvc_state *state,
                             struct kvc_vllm_spec *ret_spec)
{
    struct kvc_recurrent_parts parts = kvc_recurrent_elements(state, (uint32_t)f->set->tp);
    const struct kvc_rule_row *row = kvc_rule_row(state->rule);
    uint64_t dtype = f->set->dtype_bytes, page = 0;
    uint64_t conv =
        f->set->conv_bytes != 0 ? f->set->conv_bytes : bytes_of(state->conv_format, dtype);
    uint64_t each =
        f->set->state_bytes != 0 ? f->set->state_bytes : bytes_of(state->state_format, conv);
    if (parts.uneven)
        return kvc_fail(f->err, KVC_CONTRACT_TP, "tensor_parallel_size",
                        "the ranks do not divide a %s state", row->name);
    struct ck bytes = ck_u64(0);
    if (row->has_conv)
        bytes = ck_add(bytes, ck_mul(conv_elements(f, state, parts.conv), ck_u64(conv)));
    if (row->has_state)
        bytes = ck_add(bytes, ck_mul(parts.state, ck_u64(each)));
    kvcap_code rc = ck_take(bytes, "bytes of a recurrent state", &page, f->err);
    if (rc != KVCAP_OK)
        return rc;
    *ret_spec = (struct kvc_vllm_spec){
        .kind = KVC_VLLM_MAMBA,
        .block_size = f->set->block_size,
        .compress_ratio = 1,
        .alignment = 1,
        .state_bytes = page,
        .mode = f->set->mamba_mode,
        .speculative_blocks = f->set->speculative_tokens,
        .mark = state->rule,
    };
    return KVCAP_OK;
}

/* ---- The specs of each layer type. */

static kvcap_code spec_of_state(struct finding *f, const struct kvc_layer_type *type,
                                const struct kvc_state *state, struct kvc_vllm_spec *ret_spec,
                                bool *ret_kept)
{
    *ret_kept = true;
    switch (state->kind) {
    case KVC_STATE_KV:
        *ret_spec = heads_spec(f, state, KVC_VLLM_FULL);
        return KVCAP_OK;
    case KVC_STATE_KV_WINDOW:
        *ret_spec = window_spec(f, state);
        return KVCAP_OK;
    case KVC_STATE_LATENT:
        *ret_spec = latent_spec(f, type, state);
        return KVCAP_OK;
    case KVC_STATE_INDEX:
        *ret_spec = index_spec(f, state);
        return KVCAP_OK;
    case KVC_STATE_RECURRENT:
        if (f->found->has_compressed) {
            *ret_spec = compressor_spec(type, false);
            return KVCAP_OK;
        }
        *ret_kept = !f->set->is_v0;
        return f->set->is_v0 ? KVCAP_OK : mamba_spec(f, state, ret_spec);
    case KVC_STATE_CROSS:
        /* The first engine counts layers, each once. */
        *ret_spec = heads_spec(f, state, f->set->is_v0 ? KVC_VLLM_FULL : KVC_VLLM_CROSS);
        *ret_kept = !f->set->is_v0 || type->states_count == 1;
        return KVCAP_OK;
    default:
        *ret_kept = false;
        return KVCAP_OK;
    }
}

/* The specs of all types, and behind them, where layers are skipped, those that skip. */
static kvcap_code find_specs(struct finding *f)
{
    const struct kvc_shape *shape = f->model->shape;
    const struct kvc_vllm_cache_type own = { .pack = KVC_VLLM_PACK_PLAIN,
                                             .element_bytes = f->set->dtype_bytes };
    size_t half = (size_t)shape->types_count * SLOTS;
    size_t count = f->set->skipped == NULL ? half : 2 * half;
    f->specs = kvc_arena_array(f->arena, count + 1, sizeof *f->specs);
    f->is_kept = kvc_arena_array(f->arena, count + 1, sizeof *f->is_kept);
    if (f->specs == NULL || f->is_kept == NULL)
        return no_memory(f);
    for (size_t at = 0; at < count; at++) {
        size_t of = at % half;
        const struct kvc_layer_type *type = &shape->types[of / SLOTS];
        if (of % SLOTS == SLOT_INDEX_COMPRESSOR) {
            f->is_kept[at] = has_index_compressor(f, type);
            f->specs[at] = f->is_kept[at] ? compressor_spec(type, true) : f->specs[at];
        }
        if (of % SLOTS >= type->states_count)
            continue;
        f->cache = at < half ? &f->set->cache : &own;
        kvcap_code rc =
            spec_of_state(f, type, &type->states[of % SLOTS], &f->specs[at], &f->is_kept[at]);
        if (rc != KVCAP_OK)
            return rc;
    }
    f->found->layers.specs = f->specs;
    f->found->layers.specs_count = (uint32_t)count;
    return KVCAP_OK;
}

/* ---- Hybrid models: attention's block grows until its page is no smaller than Mamba's. */

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#define MLA_BLOCK_MIN 128

/* What a block was a multiple of while backends were not known at this time
 * (HybridAttentionMambaModelConfig, vllm/model_executor/models/config.py). */
#define BLOCK_UNIT 16
#define MLA_BLOCK_UNIT 64
#define CUTLASS_BLOCK_UNIT 128

static uint64_t mla_unit(const struct finding *f)
{
    return f->set->block_size == CUTLASS_BLOCK_UNIT ? CUTLASS_BLOCK_UNIT : MLA_BLOCK_UNIT;
}

static kvcap_code align_blocks(struct finding *f)
{
    const struct kvc_vllm_spec *attention = NULL;
    uint64_t page = 0, least = f->set->block_size;
    size_t count = f->found->layers.specs_count;
    for (size_t i = 0; i < count; i++) {
        if (!f->is_kept[i])
            continue;
        if (f->specs[i].kind == KVC_VLLM_MAMBA)
            page = f->specs[i].state_bytes > page ? f->specs[i].state_bytes : page;
        else if (attention == NULL && f->specs[i].kind != KVC_VLLM_CROSS)
            attention = &f->specs[i];
    }
    if (page == 0)
        return KVCAP_OK;
    uint64_t block_size = f->set->block_size, token_bytes = 0;
    if (attention != NULL) {
        token_bytes = attention->head_slots * attention->content_bytes;
        if (token_bytes == 0)
            return kvc_fail(f->err, KVC_RANGE_OVERFLOW, "", "a token of attention weighs nothing");
        bool after_load = kvc_vllm_since(f->set->day, KVC_VLLM_ALIGNED_AFTER_LOAD);
        least = after_load ? least : BLOCK_UNIT;
        if (attention->kind == KVC_VLLM_MLA)
            least = after_load && least < MLA_BLOCK_MIN ? MLA_BLOCK_MIN
                    : after_load                        ? least
                                                        : mla_unit(f);
        struct ck tokens = ck_div_ceil(ck_u64(page), token_bytes);
        uint64_t unit = least;
        if (f->set->mamba_mode == KVC_VLLM_MAMBA_ALL) {
            uint64_t chunk = f->set->mamba_chunk;
            unit = chunk / greatest_divisor(chunk, least) * least;
        }
        struct ck aligned = ck_mul(ck_div_ceil(tokens, unit), ck_u64(unit));
        kvcap_code rc = ck_take(aligned, "a block of attention", &aligned.value, f->err);
        if (rc != KVCAP_OK)
            return rc;
        /* Before, no block was set at this time unless it was asked for. */
        if (aligned.value > block_size ||
            (!after_load && !f->set->block_said && aligned.value == block_size))
            kvc_vllm_put_attention_block(f->answer, aligned.value);
        block_size = aligned.value > block_size ? aligned.value : block_size;
        struct ck bytes = ck_mul(ck_u64(block_size), ck_u64(token_bytes));
        if (!bytes.over && bytes.value > page && bytes.value - page <= UINT64_MAX / 100)
            kvc_vllm_put_state_padding(f->answer, page, bytes.value);
    }
    f->found->block_size = block_size;
    for (size_t i = 0; i < count; i++) {
        struct kvc_vllm_spec *spec = &f->specs[i];
        if (!f->is_kept[i])
            continue;
        if (spec->kind != KVC_VLLM_MAMBA) {
            spec->block_size = spec->kind == KVC_VLLM_SLIDING ? spec->block_size : block_size;
            continue;
        }
        spec->block_size =
            f->set->mamba_mode == KVC_VLLM_MAMBA_NONE ? f->set->max_model_len : block_size;
        struct ck padded = ck_mul(ck_u64(block_size), ck_u64(token_bytes));
        if (attention != NULL && !padded.over && padded.value >= spec->state_bytes)
            spec->padded_bytes = padded.value;
    }
    return KVCAP_OK;
}

/* ---- Stages. */

/* Each of the layers that are left over goes to a stage before the last (get_pp_indices). */
static uint64_t layers_of_stage(const struct finding *f, uint64_t stage, uint64_t layers)
{
    uint64_t pp = f->set->pp, rest = layers % pp;
    if (f->set->pp_layers != NULL)
        return f->set->pp_layers[stage];
    bool has_one_more = rest > 0 && stage + 1 < pp && pp - 1 - stage <= rest;
    return layers / pp + has_one_more;
}

struct runs {
    struct kvc_vllm_run *list;
    uint32_t count;
};

static void add_run(const struct finding *f, struct runs *runs, const struct kvc_run *run,
                    uint32_t count, bool skips)
{
    uint32_t behind = skips ? f->model->shape->types_count * SLOTS : 0;
    for (uint32_t i = 0; i < SLOTS; i++) {
        uint32_t spec = behind + run->type * SLOTS + i;
        if (f->is_kept[spec] && count > 0)
            runs->list[runs->count++] = (struct kvc_vllm_run){ count, spec };
    }
}

/* Layers first to first + count - 1 of the model. */
static void add_layers(const struct finding *f, struct runs *runs, uint64_t first, uint64_t count)
{
    const struct kvc_shape *shape = f->model->shape;
    uint64_t begin = 0, end = first + count;
    for (uint32_t i = 0; i < shape->runs_count && begin < end; i++) {
        uint64_t stop = begin + shape->runs[i].count;
        uint64_t from = begin > first ? begin : first, to = stop < end ? stop : end;
        while (from < to) {
            uint64_t at = from + 1;
            bool skips = f->set->skipped != NULL && f->set->skipped[from];
            while (at < to && (f->set->skipped == NULL || f->set->skipped[at] == skips))
                at++;
            add_run(f, runs, &shape->runs[i], (uint32_t)(at - from), skips);
            from = at;
        }
        begin = stop;
    }
}

static kvcap_code find_stages(struct finding *f)
{
    const struct kvc_shape *shape = f->model->shape;
    uint64_t pp = f->set->pp, first = 0;
    size_t split = f->set->skipped == NULL ? shape->runs_count : shape->layers_count;
    size_t room = (split + pp + shape->draft_runs_count) * SLOTS;
    struct kvc_vllm_worker *workers = kvc_arena_array(f->arena, (size_t)pp, sizeof *workers);
    struct runs runs = { kvc_arena_array(f->arena, room + 1, sizeof *runs.list), 0 };
    if (workers == NULL || runs.list == NULL)
        return no_memory(f);
    if (f->set->pp_layers == NULL && shape->layers_count < pp)
        return kvc_fail(f->err, KVC_USAGE_BAD_SETTING, "pipeline_parallel_size",
                        "%u layers are fewer than the stages", (unsigned)shape->layers_count);
    for (uint64_t stage = 0; stage < pp; stage++) {
        uint32_t begun = runs.count;
        uint64_t layers = layers_of_stage(f, stage, shape->layers_count);
        add_layers(f, &runs, first, layers);
        first += layers;
        for (uint32_t i = 0; f->set->loads_drafts && stage + 1 == pp && i < shape->draft_runs_count;
             i++)
            add_run(f, &runs, &shape->draft_runs[i], shape->draft_runs[i].count, false);
        workers[stage] = (struct kvc_vllm_worker){ &runs.list[begun], runs.count - begun };
    }
    f->found->layers.workers = workers;
    f->found->layers.workers_count = (uint32_t)pp;
    return KVCAP_OK;
}

kvcap_code kvc_vllm_find_layers(const struct kvc_engine_model *model,
                                const struct kvc_vllm_model_settings *settings,
                                struct kvc_arena *arena, struct kvc_answer *answer,
                                struct kvc_vllm_layers_found *ret_found, kvcap_error *err)
{
    struct finding f = { .model = model,
                         .set = settings,
                         .arena = arena,
                         .answer = answer,
                         .found = ret_found,
                         .err = err };
    kvc_vllm_look(model->shape, ret_found);
    ret_found->block_size = settings->block_size;
    kvcap_code rc = find_specs(&f);
    if (rc == KVCAP_OK)
        rc = align_blocks(&f);
    return rc == KVCAP_OK ? find_stages(&f) : rc;
}
