/* vllm_bind.c - vLLM bound by a contract: what a sequence holds of each group.  Declared in bind.h.
 *
 * All groups draw blocks from one pool by number, and a block of any of them takes the same bytes on a
 * worker (KVCacheManager, BlockPool; vllm/v1/core at 017e9f4).  So a group that has no layer on a stage
 * weighs there as much as one that has.
 *
 *   full, MLA      every token, and the slots that speculation looks ahead
 *   sliding        the window and what is in flight, from anywhere within a block
 *   chunked        the chunk and what is in flight, from a block's edge
 *   Mamba          a fixed number of blocks; of mode `all` one for each block of tokens beside
 *   cross          those of the encoder's tokens
 *
 * Start-up asks for max_model_len of it (vllm_pool.h); a sequence of a window is asked for its own
 * tokens, and holds no block that it never filled. */

#include "engine/bind.h"
#include "engine/vllm.h"
#include "engine/vllm_changes.h"

#define NAMES_MAX 10

static kvcap_code no_memory(kvcap_error *err)
{
    return kvc_fail(err, KVC_MEMORY_FULL, "", "the groups of the engine need more memory");
}

/* ---- Settings. */

/* auto is the model's own type. */
static const char *cache_word(const struct kvc_bind_question *q)
{
    enum kvc_format format = q->terms->cache_k;
    if (format == q->model->dtype)
        return "auto";
    switch (format) {
    case KVC_FORMAT_F32:
        return "float32";
    case KVC_FORMAT_F16:
        return "float16";
    case KVC_FORMAT_BF16:
        return "bfloat16";
    case KVC_FORMAT_FP8_E4M3:
        return "fp8";
    case KVC_FORMAT_INT8_TOKEN_HEAD:
        return "int8_per_token_head";
    case KVC_FORMAT_FP8_TOKEN_HEAD:
        return "fp8_per_token_head";
    case KVC_FORMAT_INT4_TOKEN_HEAD:
        return "int4_per_token_head";
    case KVC_FORMAT_FP8_E5M2:
    case KVC_FORMAT_FP8_DS_MLA:
    case KVC_FORMAT_NVFP4:
        return kvc_format_name(format);
    default:
        return NULL;
    }
}

static kvcap_code check_formats(const struct kvc_bind_terms *terms, const char *word,
                                kvcap_error *err)
{
    if (terms->cache_k != terms->cache_v)
        return kvc_fail(err, KVC_CONTRACT_SETTINGS, "/cache/v", "vLLM keeps K and V in one format");
    if (word == NULL)
        return kvc_fail(err, KVC_CONTRACT_SETTINGS, "/cache/k", "vLLM keeps no cache of %s",
                        kvc_format_name(terms->cache_k));
    return KVCAP_OK;
}

/* "16,16,17": as VLLM_PP_LAYER_PARTITION has it; NULL text when the arena is full. */
static struct kvc_span partition_of(const struct kvc_bind_terms *terms, struct kvc_answer *answer)
{
    struct kvc_span text = { "", 0 };
    for (uint32_t i = 0; i < terms->pp; i++)
        text = kvc_answer_text(answer, "%.*s%s%llu", (int)text.length, text.text, i == 0 ? "" : ",",
                               (unsigned long long)terms->pp_layers[i]);
    return text;
}

static void add(struct kvc_bind_setting *rows, size_t *count, const char *name, const char *member,
                uint64_t number, bool gives_way)
{
    rows[*count] = (struct kvc_bind_setting){
        .name = name, .member = member, .count = number, .gives_way = gives_way
    };
    *count += 1;
}

static void add_word(struct kvc_bind_setting *rows, size_t *count, const char *name,
                     const char *member, const char *word)
{
    rows[*count] = (struct kvc_bind_setting){ .name = name, .member = member, .word = word };
    *count += 1;
}

/* `with_block`: the contract's block is asked for; else it is the engine's to choose. */
static kvcap_code make_settings(const struct kvc_bind_question *q, bool with_block,
                                struct kvc_answer *answer, struct kvc_value **ret_settings,
                                kvcap_error *err)
{
    const struct kvc_bind_terms *terms = q->terms;
    struct kvc_bind_setting rows[NAMES_MAX];
    size_t count = 0;
    const char *word = cache_word(q);
    kvcap_code rc = check_formats(terms, word, err);
    if (rc != KVCAP_OK)
        return rc;
    add(rows, &count, "tensor_parallel_size", "/parallel/tp", terms->tp, false);
    add(rows, &count, "pipeline_parallel_size", "/parallel/pp", terms->pp, false);
    add(rows, &count, "decode_context_parallel_size", "/parallel/dcp", terms->dcp, false);
    add(rows, &count, "max_model_len", "/bounds/sequence_tokens_max", terms->sequence_tokens_max,
        true);
    add(rows, &count, "max_num_batched_tokens", "/scheduler/step_tokens_max",
        terms->step_tokens_max, true);
    if (with_block)
        add(rows, &count, "block_size", "/allocator/block_tokens", terms->block_tokens, true);
    add_word(rows, &count, "kv_cache_dtype", "/cache", word);
    if (terms->pp_layers != NULL) {
        struct kvc_span partition = partition_of(terms, answer);
        if (answer->full)
            return no_memory(err);
        add_word(rows, &count, "vllm_pp_layer_partition", "/parallel/pp_layers", partition.text);
    }
    return kvc_bind_settings(&kvc_engine_vllm, terms->settings, rows, count, q->arena, ret_settings,
                             err);
}

/* ---- Groups. */

struct held {
    bool by_tokens; /* under `rule`; else only the constant */
    struct kvc_block_rule rule;
    uint64_t blocks; /* of every sequence, whatever its length */
};

/* A window that moves by whole blocks never straddles one more: blocks = ceil(kept / block).  As a rule
 * of a window that does, it is one block less a token shorter. */
static uint64_t as_straddling(struct ck kept, uint64_t block_tokens)
{
    return kept.value <= block_tokens ? 1 : kept.value - block_tokens + 1;
}

static kvcap_code hold(const struct kvc_vllm_spec *spec, const struct kvc_vllm_request *request,
                       uint64_t ahead, struct held *ret_held, kvcap_error *err)
{
    struct ck block = ck_u64(spec->block_size), window = ck_u64(KVC_WINDOW_NONE), fixed = ck_u64(0);
    bool by_tokens = true;
    switch (spec->kind) {
    case KVC_VLLM_SLIDING:
    case KVC_VLLM_SLIDING_MLA:
        window = ck_add(ck_u64(spec->window),
                        ck_add(ck_u64(request->extra), ck_u64(request->in_flight)));
        break;
    case KVC_VLLM_CHUNKED:
        window = ck_add(ck_u64(spec->chunk), ck_u64(request->in_flight));
        window.value = as_straddling(window, spec->block_size);
        break;
    case KVC_VLLM_CROSS:
    case KVC_VLLM_ENCODER_ONLY:
        by_tokens = false;
        fixed = kvc_vllm_blocks(spec, request);
        break;
    case KVC_VLLM_MAMBA:
        by_tokens = spec->mode == KVC_VLLM_MAMBA_ALL;
        fixed = by_tokens ? ck_u64(spec->speculative_blocks) : kvc_vllm_blocks(spec, request);
        ahead = 0; /* its own speculative blocks are there for that */
        break;
    default: /* ranks that share a sequence's tokens fill a block of theirs together */
        block = ck_mul(block, ck_u64(request->dcp));
        break;
    }
    ret_held->by_tokens = by_tokens;
    ret_held->rule.ahead_tokens = ahead;
    ret_held->rule.slots_max = ahead == 0 ? 0 : request->tokens;
    kvcap_code rc = ck_take(block, "tokens of a block", &ret_held->rule.block_tokens, err);
    if (rc == KVCAP_OK)
        rc = ck_take(window, "tokens of a window", &ret_held->rule.window_tokens, err);
    return rc == KVCAP_OK ? ck_take(fixed, "blocks of a state", &ret_held->blocks, err) : rc;
}

/* Bytes of one stored token over the group's layers on a stage; padding is the block's. */
static struct ck token_bytes(const struct kvc_vllm_group *group, uint32_t stage)
{
    const struct kvc_vllm_spec *spec = &group->spec;
    uint64_t rows = spec->block_size / spec->compress_ratio;
    if (group->bytes_of != NULL)
        return ck_u64(group->bytes_of[stage] / (rows == 0 ? 1 : rows));
    return ck_mul(ck_mul(ck_u64(spec->head_slots), ck_u64(spec->content_bytes)),
                  ck_u64(group->layers_of[stage]));
}

static kvcap_code add_group(const struct kvc_vllm_group *group, const struct held *held,
                            uint32_t number, uint64_t block_bytes, struct kvc_stage *stage,
                            kvcap_error *err)
{
    struct ck state =
        ck_add(ck_u64(stage->state_bytes), ck_mul(ck_u64(held->blocks), ck_u64(block_bytes)));
    kvcap_code rc = ck_take(state, "bytes of a state", &stage->state_bytes, err);
    if (rc != KVCAP_OK || !held->by_tokens)
        return rc;
    struct kvc_group *entry = &stage->groups[stage->groups_count++];
    *entry = (struct kvc_group){ .rule = held->rule,
                                 .compress_ratio = group->spec.kind == KVC_VLLM_MAMBA
                                                       ? 1
                                                       : (uint32_t)group->spec.compress_ratio,
                                 .layers = group->layers_of[number],
                                 .block_bytes = block_bytes };
    if (group->spec.kind == KVC_VLLM_MAMBA) /* its rows are states, and no token's */
        return KVCAP_OK;
    return ck_take(token_bytes(group, number), "bytes of a token", &entry->token_bytes, err);
}

static kvcap_code make_stages(struct kvc_vllm_fit *fit, const struct kvc_vllm_grouping *grouping,
                              const struct kvc_vllm_request *request,
                              const struct kvc_vllm_pool *pool, struct kvc_bound *bound)
{
    struct kvc_arena *arena = fit->q->arena;
    uint32_t stages = (uint32_t)fit->set.pp;
    bound->stages = kvc_arena_array(arena, stages, sizeof *bound->stages);
    bound->stages_count = stages;
    if (bound->stages == NULL)
        return no_memory(fit->err);
    for (uint32_t i = 0; i < stages; i++) {
        struct kvc_stage *stage = &bound->stages[i];
        stage->pool_block_bytes = pool->block_bytes[i];
        stage->groups = kvc_arena_array(arena, grouping->groups_count, sizeof *stage->groups);
        if (stage->groups == NULL)
            return no_memory(fit->err);
        for (uint32_t g = 0; g < grouping->groups_count && pool->block_bytes[i] > 0; g++) {
            struct held held = { 0 };
            kvcap_code rc = hold(&grouping->groups[g].spec, request, fit->set.speculative_tokens,
                                 &held, fit->err);
            if (rc == KVCAP_OK)
                rc = add_group(&grouping->groups[g], &held, i, pool->block_bytes[i], stage,
                               fit->err);
            if (rc != KVCAP_OK)
                return rc;
        }
    }
    return KVCAP_OK;
}

static uint64_t least_block(const struct kvc_vllm_grouping *grouping)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < grouping->groups_count; i++) {
        if (grouping->groups[i].spec.block_size < least)
            least = grouping->groups[i].spec.block_size;
    }
    return least;
}

/* ---- The whole. */

static kvcap_code bind_groups(struct kvc_vllm_fit *fit, struct kvc_bound *bound)
{
    struct kvc_vllm_grouping grouping;
    struct kvc_vllm_pool pool;
    kvcap_code rc = kvc_vllm_find_groups(fit, false, &grouping);
    if (rc != KVCAP_OK || fit->answer->decision != KVC_DECISION_NONE)
        return rc;
    if (grouping.form == KVC_VLLM_NOTHING)
        return kvc_fail(fit->err, KVC_CONTRACT_NOTHING_HELD, "/model",
                        "no layer of this model keeps a cache");
    struct kvc_vllm_request request = kvc_vllm_request_of(fit, &grouping);
    struct kvc_vllm_pool_question question = {
        .grouping = &grouping, .layers = &fit->found.layers, .day = fit->q->day, .request = request
    };
    if (fit->answer->decision == KVC_DECISION_UNDETERMINED)
        return KVCAP_OK;
    rc = kvc_vllm_pool(&question, fit->q->arena, &pool, fit->err);
    if (rc == KVCAP_OK)
        rc = make_stages(fit, &grouping, &request, &pool, bound);
    if (rc != KVCAP_OK)
        return rc;
    bound->block_tokens = least_block(&grouping);
    bound->sequence_tokens_max = fit->set.max_model_len;
    bound->idle_blocks = fit->is_v0 ? 0 : 1; /* block 0 is the null block */
    bound->shares_prefixes = fit->prefix_caching;
    if (kvc_setting_said(fit->q->settings, "num_gpu_blocks_override"))
        bound->blocks = kvc_said(kvc_setting_count(fit->q->settings, "num_gpu_blocks_override", 0));
    return KVCAP_OK;
}

static kvcap_code bind_with(const struct kvc_bind_question *q, bool with_block,
                            struct kvc_answer *answer, struct kvc_bound *ret_bound,
                            kvcap_error *err)
{
    static const struct kvc_engine_memory NO_MEMORY = { .given = false };
    const struct kvc_engine *engine = &kvc_engine_vllm;
    struct kvc_settings *settings = kvc_arena_take(q->arena, sizeof *settings);
    struct kvc_value *given = NULL;
    kvcap_code rc = make_settings(q, with_block, answer, &given, err);
    if (rc != KVCAP_OK)
        return rc;
    if (settings == NULL)
        return no_memory(err);
    kvc_settings_begin(settings, given, engine->settings, engine->settings_count,
                       "/allocator/settings", q->arena, err);
    struct kvc_engine_question question = { .model = q->model,
                                            .day = q->day,
                                            .release = q->release,
                                            .settings = settings,
                                            .memory = &NO_MEMORY,
                                            .arena = q->arena };
    struct kvc_vllm_fit fit = { .q = &question, .answer = answer, .err = err };
    rc = settings->rc;
    if (rc == KVCAP_OK)
        rc = kvc_vllm_find(&fit);
    if (rc == KVCAP_OK)
        rc = settings->rc;
    if (rc == KVCAP_OK && answer->decision == KVC_DECISION_NONE)
        rc = bind_groups(&fit, ret_bound);
    return rc;
}

/* A contract says the block that the engine has in the end; whether one that was asked for leads there, or
 * only the engine's own choice, is tried. */
kvcap_code kvc_vllm_bind(const struct kvc_bind_question *q, struct kvc_answer *answer,
                         struct kvc_bound *ret_bound, kvcap_error *err)
{
    struct kvc_bound bound = { .stages = NULL };
    struct kvc_answer first;
    kvcap_error unheard;
    kvc_answer_begin(&first, q->arena, false);
    kvcap_code rc = bind_with(q, true, &first, &bound, &unheard);
    if (rc == KVCAP_OK && first.decision == KVC_DECISION_NONE &&
        bound.block_tokens == q->terms->block_tokens) {
        *ret_bound = bound;
        return KVCAP_OK;
    }
    bound = (struct kvc_bound){ .stages = NULL };
    rc = bind_with(q, false, answer, &bound, err);
    if (rc == KVCAP_OK)
        *ret_bound = bound;
    return rc;
}
