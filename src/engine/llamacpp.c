/* llamacpp.c - the engine `llama.cpp`: what a context allocates and prints.  Declared in engine.h.
 *
 *   facts or shape --> caches --> context --> bytes --> places, lines
 *
 * Rules were read in llama.cpp 0.4.0 (2026-09-12), and by the day before it. */

#include "engine/llamacpp.h"

#include "engine/llamacpp_changes.h"
#include "engine/llamacpp_lines.h"

/* ---- What the graph does not survive.  A context is reserved once it has its caches; there these two
 * assert (src/llama-context.cpp, sched_reserve). */

/* Whether attention has a layer that is not the last: there all rows of its output are added to what came
 * in, while of the last one those of the outputs are taken first (minimax-01.cpp). */
static bool attends_before_last(const struct kvc_llamacpp_model *model)
{
    for (uint32_t i = 0; i < model->caches_count; i++) {
        const struct kvc_llamacpp_cache *cache = &model->caches[i];
        if (cache->kind == KVC_LLAMACPP_KV && cache->rows_count > 0 &&
            cache->rows[0].first + 1 < model->layers)
            return true;
    }
    return false;
}

static uint64_t tokens_reserved(const struct kvc_llamacpp_context *context)
{
    return context->n_ctx < context->n_ubatch ? context->n_ctx : context->n_ubatch;
}

static bool asserts(const struct kvc_llamacpp_plan *plan)
{
    const struct kvc_llamacpp_context *context = &plan->context;
    if (plan->weights.is_undivided)
        return true;
    switch (plan->model.graph) {
    case KVC_LLAMACPP_GRAPH_T5: /* one bias of positions for all streams (t5.cpp) */
        return context->streams > 1;
    case KVC_LLAMACPP_GRAPH_MINIMAX_01: /* reserved again with one sequence in all streams */
        return tokens_reserved(context) % context->streams != 0 &&
               attends_before_last(&plan->model);
    default:
        return false;
    }
}

static void note_assertion(const struct kvc_llamacpp_plan *plan, struct kvc_answer *answer)
{
    if (!asserts(plan))
        return;
    answer->decision = KVC_DECISION_REFUSED;
    if (plan->weights.is_undivided) {
        answer->refusal_text = kvc_answer_text(
            answer, "GGML_ASSERT(view_src == NULL || data_size == 0 || data_size + view_offs <= "
                    "ggml_nbytes(view_src)) failed");
        kvc_answer_note(
            answer, "engine.assertion",
            "a row of a quantised type is no whole number of blocks: the engine aborts");
        return;
    }
    bool is_empty = plan->model.graph == KVC_LLAMACPP_GRAPH_MINIMAX_01 &&
                    tokens_reserved(&plan->context) < plan->context.streams; /* a stream has none */
    answer->refusal_text = kvc_answer_text(
        answer, is_empty ? "GGML_ASSERT(ggml_nelements(a) == ne0*ne1*ne2*ne3) failed"
                         : "GGML_ASSERT(ggml_can_repeat(b, a)) failed");
    kvc_answer_note(
        answer, "engine.assertion",
        "the graph of %s does not fit %u streams of sequences: the engine aborts while it "
        "reserves it",
        plan->model.arch, (unsigned)plan->context.streams);
}

/* ---- The answer's members. */

static void put_cache(struct kvc_answer *answer, const struct kvc_llamacpp_context *context,
                      const struct kvc_llamacpp_weight *weight)
{
    const struct kvc_llamacpp_cache *cache = weight->cache;
    if (cache->kind == KVC_LLAMACPP_STATE) {
        if (cache->layers == 0)
            return;
        struct kvc_answer_cache *entry = kvc_answer_cache(answer);
        entry->kind = "state";
        entry->bytes = kvc_said(weight->bytes);
        return;
    }
    struct kvc_answer_cache *entry = kvc_answer_cache(answer);
    entry->cells = kvc_said(weight->cells);
    if (cache->kind == KVC_LLAMACPP_KV) {
        entry->kind = "kv";
        entry->layers = kvc_said(cache->layers);
        entry->streams = kvc_said(context->streams);
        entry->k_bytes = kvc_said(weight->k_bytes);
        entry->v_bytes = kvc_said(weight->v_bytes);
        return;
    }
    entry->kind = "recurrent";
    entry->layers = kvc_said(cache->layers_logged);
    entry->r_bytes = kvc_said(weight->r_bytes);
    entry->s_bytes = kvc_said(weight->s_bytes);
    if (weight->p_bytes > 0) { /* the history of n-gram embeddings, in the same line */
        struct kvc_answer_cache *history = kvc_answer_cache(answer);
        history->kind = "state";
        history->bytes = kvc_said(weight->p_bytes);
    }
}

static void put_steps(const struct kvc_llamacpp_plan *plan, struct kvc_answer *answer)
{
    const struct kvc_llamacpp_context *context = &plan->context;
    if (!answer->explain)
        return;
    kvc_answer_step(answer, "n_ctx", "src/llama-context.cpp @ 0.4.0",
                    kvc_answer_grouped(answer, context->n_ctx), "%s",
                    context->kv_unified ? "asked for, up to a multiple of 256"
                                        : "n_ctx_seq * n_seq_max");
    kvc_answer_step(answer, "n_ctx_seq", "src/llama-context.cpp @ 0.4.0",
                    kvc_answer_grouped(answer, context->n_ctx_seq), "%s",
                    context->kv_unified ? "n_ctx: one pool serves all"
                                        : "n_ctx / n_seq_max, up to a multiple of 256");
    for (uint32_t i = 0; i < plan->weights.count; i++) {
        const struct kvc_llamacpp_weight *weight = &plan->weights.list[i];
        const struct kvc_llamacpp_cache *cache = weight->cache;
        if (cache->kind == KVC_LLAMACPP_KV)
            kvc_answer_step(answer, "cache", "src/llama-kv-cache.cpp @ 0.4.0",
                            kvc_answer_grouped(answer, weight->bytes),
                            "rows of %u layers * %llu cells * %u streams", (unsigned)cache->layers,
                            (unsigned long long)weight->cells, (unsigned)context->streams);
        else if (cache->kind == KVC_LLAMACPP_RECURRENT)
            kvc_answer_step(answer, "recurrent", "src/llama-memory-recurrent.cpp @ 0.4.0",
                            kvc_answer_grouped(answer, weight->bytes),
                            "4 bytes * (%llu + %llu) * %u layers * %u sequences * %u",
                            (unsigned long long)cache->r, (unsigned long long)cache->s,
                            (unsigned)cache->layers, (unsigned)context->n_seq_max,
                            1 + (unsigned)context->n_rs_seq);
        else
            kvc_answer_step(answer, cache->state, "src/llama-kv-cache-dsv4.cpp @ 0.4.0",
                            kvc_answer_grouped(answer, weight->bytes),
                            "two tensors of f32 in each of %u layers", (unsigned)cache->layers);
    }
    kvc_answer_step(answer, "context", "the sum", kvc_answer_grouped(answer, plan->weights.bytes),
                    "all caches");
}

/* Slots of the server see no more than the model was trained with, memory or not. */
static uint64_t sequence_tokens(const struct kvc_llamacpp_plan *plan)
{
    uint64_t tokens = plan->context.n_ctx_seq;
    if (!plan->wanted.is_server)
        return tokens;
    if (plan->wanted.slot_ctx > 0 && plan->wanted.slot_ctx < tokens)
        tokens = plan->wanted.slot_ctx;
    return plan->model.context_tokens > 0 && plan->model.context_tokens < tokens
               ? plan->model.context_tokens
               : tokens;
}

/* Before there were windows one cache held all layers. */
static void put_one_cache(const struct kvc_llamacpp_plan *plan, struct kvc_answer *answer)
{
    struct kvc_llamacpp_cache all = { .kind = KVC_LLAMACPP_KV };
    struct kvc_llamacpp_weight sum = { .cache = &all, .cells = plan->context.n_ctx };
    for (uint32_t i = 0; i < plan->weights.count; i++) {
        const struct kvc_llamacpp_weight *weight = &plan->weights.list[i];
        if (weight->cache->kind != KVC_LLAMACPP_KV) {
            put_cache(answer, &plan->context, weight);
            continue;
        }
        all.layers += weight->cache->layers;
        sum.k_bytes += weight->k_bytes;
        sum.v_bytes += weight->v_bytes;
    }
    if (all.layers > 0)
        put_cache(answer, &plan->context, &sum);
}

static void put_answer(const struct kvc_llamacpp_plan *plan, uint32_t day,
                       struct kvc_answer *answer)
{
    bool is_one = !kvc_llamacpp_since(day, KVC_LLAMACPP_WINDOWS);
    if (is_one)
        put_one_cache(plan, answer);
    for (uint32_t i = 0; i < plan->weights.count && !is_one; i++)
        put_cache(answer, &plan->context, &plan->weights.list[i]);
    answer->reserved_total_bytes = kvc_said(plan->weights.bytes);
    answer->reserved_sequence_bytes =
        kvc_said(plan->weights.bytes / (plan->context.kv_unified ? 1 : plan->context.n_seq_max));
    answer->tokens = kvc_said(plan->context.n_ctx);
    answer->max_model_len = kvc_said(sequence_tokens(plan));
    answer->max_running_requests = kvc_said(plan->context.n_seq_max);
}

static void print_server(const struct kvc_llamacpp_plan *plan, uint32_t day,
                         struct kvc_answer *answer)
{
    if (!plan->wanted.is_server || !kvc_llamacpp_since(day, KVC_LLAMACPP_FITS))
        return;
    kvc_answer_line(
        answer,
        "srv    load_model: initializing, n_slots = %u, n_ctx_slot = %llu, kv_unified = "
        "'%s'",
        (unsigned)plan->context.n_seq_max, (unsigned long long)sequence_tokens(plan),
        plan->context.kv_unified ? "true" : "false");
}

/* ---- What the engine of that day could not read yet. */

static const char *unread(const struct kvc_llamacpp_model *model, uint32_t day)
{
    bool has_rows = false, recurs = false, has_mla = false;
    for (uint32_t i = 0; i < model->caches_count; i++) {
        const struct kvc_llamacpp_cache *cache = &model->caches[i];
        has_rows = has_rows || cache->kind == KVC_LLAMACPP_KV;
        recurs = recurs || cache->kind == KVC_LLAMACPP_RECURRENT;
        has_mla = has_mla || cache->is_mla;
    }
    if (has_mla && !kvc_llamacpp_since(day, KVC_LLAMACPP_MLA))
        return "compressed rows came with PR 12801, after that day";
    if (has_rows && recurs && !kvc_llamacpp_since(day, KVC_LLAMACPP_HYBRID))
        return "layers that attend beside layers that recur came with PR 13979, after that day";
    return NULL;
}

static bool can_read(const struct kvc_llamacpp_model *model, uint32_t day,
                     struct kvc_answer *answer)
{
    const char *reason = unread(model, day);
    if (reason == NULL)
        return true;
    struct kvc_answer_undetermined *entry = kvc_answer_undetermined(answer);
    answer->decision = KVC_DECISION_UNDETERMINED;
    entry->key = kvc_span_of("general.architecture");
    entry->reason = kvc_span_of(reason);
    return false;
}

/* ---- The whole. */

static kvcap_code read_model(const struct kvc_engine_question *question, struct kvc_answer *answer,
                             struct kvc_llamacpp_model *model, kvcap_error *err)
{
    if (question->model->is_gguf && question->model->facts != NULL)
        return kvc_llamacpp_from_gguf(question->model->facts, question->day, answer, model, err);
    return kvc_llamacpp_from_shape(question->model, answer, model, err);
}

kvcap_code kvc_llamacpp_make(const struct kvc_engine_question *question, struct kvc_answer *answer,
                             struct kvc_llamacpp_plan *ret_plan, kvcap_error *err)
{
    struct kvc_llamacpp_plan *plan = ret_plan;
    kvcap_code rc = kvc_llamacpp_read_params(question, &plan->wanted);
    if (rc == KVCAP_OK)
        rc = read_model(question, answer, &plan->model, err);
    if (rc == KVCAP_OK && !kvc_llamacpp_since(question->day, KVC_LLAMACPP_MLA))
        (void)kvc_llamacpp_decompress(question->model, &plan->model);
    if (rc != KVCAP_OK || plan->model.arch == NULL ||
        !can_read(&plan->model, question->day, answer))
        return rc;
    rc = kvc_llamacpp_fit_to_memory(question, answer, plan, err);
    if (rc != KVCAP_OK || plan->context.is_refused)
        return rc;
    kvc_setting_note_count(question->settings, plan->wanted.ctx_name, plan->context.n_ctx);
    put_answer(plan, question->day, answer);
    kvc_llamacpp_print(&plan->wanted.params, &plan->model, &plan->context, &plan->weights,
                       plan->has_places && plan->places.are_named ? &plan->places : NULL,
                       question->day, answer);
    print_server(plan, question->day, answer);
    note_assertion(plan, answer);
    put_steps(plan, answer);
    return KVCAP_OK;
}

kvcap_code kvc_llamacpp_answer(const struct kvc_engine_question *question,
                               struct kvc_answer *answer, kvcap_error *err)
{
    struct kvc_llamacpp_plan *plan = kvc_arena_take(question->arena, sizeof *plan);
    if (plan == NULL)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the caches of the model need more memory");
    return kvc_llamacpp_make(question, answer, plan, err);
}
