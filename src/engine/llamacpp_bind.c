/* llamacpp_bind.c - llama.cpp bound by a contract: what a sequence holds.  Declared in bind.h.
 *
 * A context is made at start and never grows, so its bytes are taken whatever comes.  What can run out is
 *
 *   unified    cells: a sequence takes one a token, from all that there are.  Windows and recurrent state
 *              have room for every slot from the start, and do not run out before the slots do.
 *   else       slots: each has a stream of its own, n_ctx_seq cells, which nobody else can use.
 */

#include "engine/bind.h"
#include "engine/llamacpp.h"

static kvcap_code no_memory(kvcap_error *err)
{
    return kvc_fail(err, KVC_MEMORY_FULL, "", "the caches of the engine need more memory");
}

/* ---- Settings. */

static kvcap_code check_parallel(const struct kvc_bind_terms *terms, kvcap_error *err)
{
    if (terms->tp != 1)
        return kvc_fail(err, KVC_CONTRACT_SETTINGS, "/parallel/tp",
                        "llama.cpp gives whole layers to devices: tp is 1, and pp the devices");
    if (terms->dcp != 1)
        return kvc_fail(err, KVC_CONTRACT_DCP, "/parallel/dcp",
                        "llama.cpp does not divide a sequence among devices");
    return KVCAP_OK;
}

static bool is_program(struct kvc_span name)
{
    return kvc_span_is(name, "llama-server") || kvc_span_is(name, "llama-cli");
}

/* ---- What of the caches can run out. */

static bool has_cells(const struct kvc_llamacpp_plan *plan)
{
    for (uint32_t i = 0; i < plan->weights.count; i++) {
        const struct kvc_llamacpp_cache *cache = plan->weights.list[i].cache;
        if (cache->kind == KVC_LLAMACPP_KV && cache->cells == KVC_LLAMACPP_ALL &&
            cache->rows_count > 0)
            return true;
    }
    return false;
}

/* A cell of one cache for several of another: what is left of one does not help the other. */
static bool has_ratio(const struct kvc_llamacpp_plan *plan)
{
    for (uint32_t i = 0; i < plan->weights.count; i++) {
        if (plan->weights.list[i].cache->cells == KVC_LLAMACPP_RATIO)
            return true;
    }
    return false;
}

static bool is_shared(const struct kvc_llamacpp_plan *plan)
{
    return plan->context.streams == 1 && plan->context.n_seq_max > 1 && has_cells(plan);
}

/* ---- Stages. */

struct stage_bytes {
    struct ck all, cells; /* of all caches; of those with a cell a token */
    uint32_t layers;      /* that keep a cell a token, or of slots: any */
};

static void add_layer(const struct kvc_llamacpp_plan *plan, uint32_t layer, bool shared,
                      struct stage_bytes *sum)
{
    bool counted = false;
    for (uint32_t i = 0; i < plan->weights.count; i++) {
        const struct kvc_llamacpp_weight *weight = &plan->weights.list[i];
        uint64_t bytes = 0;
        if (!kvc_llamacpp_layer_bytes(&plan->wanted.params, &plan->context, weight, layer, &bytes))
            continue;
        bool runs_out = !shared || (weight->cache->kind == KVC_LLAMACPP_KV &&
                                    weight->cache->cells == KVC_LLAMACPP_ALL);
        sum->all = ck_add(sum->all, ck_u64(bytes));
        if (runs_out)
            sum->cells = ck_add(sum->cells, ck_u64(bytes));
        counted = counted || runs_out;
    }
    sum->layers += counted;
}

static kvcap_code make_stage(const struct stage_bytes *bytes, uint64_t blocks,
                             uint64_t block_tokens, struct kvc_arena *arena,
                             struct kvc_stage *stage, kvcap_error *err)
{
    uint64_t all = 0;
    kvcap_code rc = ck_take(bytes->cells, "bytes of a stage", &all, err);
    if (rc != KVCAP_OK || all == 0)
        return rc;
    stage->groups = kvc_arena_array(arena, 1, sizeof *stage->groups);
    if (stage->groups == NULL)
        return no_memory(err);
    stage->groups_count = 1;
    stage->pool_block_bytes = all / blocks;
    /* Every cell and every stream weighs the same: both divisions come out even. */
    stage->groups[0] = (struct kvc_group){
        .rule = { .block_tokens = block_tokens, .window_tokens = KVC_WINDOW_NONE },
        .compress_ratio = 1,
        .layers = bytes->layers,
        .token_bytes = all / blocks / block_tokens,
        .block_bytes = all / blocks,
    };
    return KVCAP_OK;
}

static kvcap_code make_stages(const struct kvc_bind_question *q,
                              const struct kvc_llamacpp_plan *plan, bool shared,
                              struct kvc_bound *bound, kvcap_error *err)
{
    const struct kvc_bind_terms *terms = q->terms;
    uint32_t first = 0;
    bound->stages_count = terms->pp;
    bound->stages = kvc_arena_array(q->arena, terms->pp, sizeof *bound->stages);
    bound->start_bytes = kvc_arena_array(q->arena, terms->pp, sizeof *bound->start_bytes);
    if (bound->stages == NULL || bound->start_bytes == NULL)
        return no_memory(err);
    for (uint32_t i = 0; i < terms->pp; i++) {
        struct stage_bytes bytes = { ck_u64(0), ck_u64(0), 0 };
        uint32_t layers = terms->pp_layers != NULL ? (uint32_t)terms->pp_layers[i]
                                                   : q->model->shape->layers_count / terms->pp;
        /* Draft layers stand behind the others, and so with the last. */
        uint32_t end = i + 1 == terms->pp ? plan->model.layers_all : first + layers;
        for (uint32_t layer = first; layer < end; layer++)
            add_layer(plan, layer, shared, &bytes);
        first = end;
        kvcap_code rc = make_stage(&bytes, bound->blocks.value, bound->block_tokens, q->arena,
                                   &bound->stages[i], err);
        if (rc == KVCAP_OK)
            rc = ck_take(bytes.all, "bytes of a stage", &bound->start_bytes[i], err);
        if (rc != KVCAP_OK)
            return rc;
    }
    return KVCAP_OK;
}

static void cannot_say(struct kvc_answer *answer, const char *key, const char *reason)
{
    struct kvc_answer_undetermined *entry = kvc_answer_undetermined(answer);
    answer->decision = KVC_DECISION_UNDETERMINED;
    entry->key = kvc_span_of(key);
    entry->reason = kvc_span_of(reason);
}

static kvcap_code bind_plan(const struct kvc_bind_question *q, const struct kvc_llamacpp_plan *plan,
                            struct kvc_answer *answer, struct kvc_bound *bound, kvcap_error *err)
{
    const struct kvc_llamacpp_context *context = &plan->context;
    bool shared = is_shared(plan);
    if (shared && has_ratio(plan)) {
        cannot_say(answer, "kv_unified",
                   "caches with one cell for several tokens run out at other times than the rest: "
                   "give kv_unified false");
        return KVCAP_OK;
    }
    if (plan->weights.bytes == 0)
        return kvc_fail(err, KVC_CONTRACT_NOTHING_HELD, "/model",
                        "no layer of this model keeps a cache");
    bound->sequence_tokens_max = answer->max_model_len.value;
    bound->blocks_are_fixed = true;
    bound->slots = kvc_said(context->n_seq_max);
    bound->blocks = kvc_said(shared ? context->n_ctx : context->n_seq_max);
    bound->block_tokens = shared ? 1 : context->n_ctx_seq;
    return make_stages(q, plan, shared, bound, err);
}

kvcap_code kvc_llamacpp_bind(const struct kvc_bind_question *q, struct kvc_answer *answer,
                             struct kvc_bound *ret_bound, kvcap_error *err)
{
    static const struct kvc_engine_memory NO_MEMORY = { .given = false };
    const struct kvc_bind_setting rows[] = {
        { .name = "type_k", .member = "/cache/k", .word = kvc_format_name(q->terms->cache_k) },
        { .name = "type_v", .member = "/cache/v", .word = kvc_format_name(q->terms->cache_v) },
    };
    const struct kvc_engine *engine = &kvc_engine_llamacpp;
    struct kvc_llamacpp_plan *plan = kvc_arena_take(q->arena, sizeof *plan);
    struct kvc_settings *settings = kvc_arena_take(q->arena, sizeof *settings);
    struct kvc_value *given = NULL;
    if (plan == NULL || settings == NULL)
        return no_memory(err);
    kvcap_code rc = check_parallel(q->terms, err);
    if (rc == KVCAP_OK)
        rc = kvc_bind_settings(engine, q->terms->settings, rows, sizeof rows / sizeof rows[0],
                               q->arena, &given, err);
    if (rc != KVCAP_OK)
        return rc;
    kvc_settings_begin(settings, given, engine->settings, engine->settings_count,
                       "/allocator/settings", q->arena, err);
    struct kvc_engine_question question = { .model = q->model,
                                            .day = q->day,
                                            .release = q->release,
                                            .settings = settings,
                                            .memory = &NO_MEMORY,
                                            .arena = q->arena };
    if (is_program(q->terms->scheduler))
        question.front = q->terms->scheduler;
    rc = settings->rc;
    if (rc == KVCAP_OK) {
        kvc_answer_unknown(answer, q->model->shape);
        rc = kvc_llamacpp_make(&question, answer, plan, err);
    }
    if (rc == KVCAP_OK)
        rc = settings->rc;
    if (rc != KVCAP_OK || answer->decision == KVC_DECISION_UNDETERMINED ||
        answer->decision == KVC_DECISION_REFUSED || plan->model.arch == NULL)
        return rc;
    return bind_plan(q, plan, answer, ret_bound, err);
}
