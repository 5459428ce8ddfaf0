/* bound.c - see bound.h for the room and its promises. */

#include "plan/bound.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static kvcap_code no_memory(kvcap_error *err)
{
    return kvc_fail(err, KVC_MEMORY_FULL, "", "the engine's rules need more memory");
}

/* ---- The release. */

static kvcap_code read_release(const struct kvc_contract *contract, struct kvc_arena *arena,
                               struct kvc_release *ret_release, kvcap_error *err)
{
    const struct kvc_identity *allocator = &contract->allocator;
    size_t length = allocator->name.length + 1 + allocator->version.length;
    char *word = kvc_arena_take(arena, length + 1);
    kvcap_error said;
    if (word == NULL)
        return no_memory(err);
    snprintf(word, length + 1, "%.*s@%.*s", (int)allocator->name.length, allocator->name.text,
             (int)allocator->version.length, allocator->version.text);
    kvcap_code rc = kvc_release_read((struct kvc_span){ word, length }, "/allocator/version",
                                     ret_release, &said);
    if (rc != KVCAP_OK)
        return kvc_fail(err, KVC_CONTRACT_ALLOCATOR, "/allocator/version", "%s", said.text);
    return KVCAP_OK;
}

/* ---- What cannot be said. */

static kvcap_code put_undetermined(struct kvc_stages *stages, const struct kvc_answer *answer,
                                   struct kvc_arena *arena, kvcap_error *err)
{
    stages->undetermined_count = answer->undetermined_count;
    stages->undetermined =
        kvc_arena_array(arena, answer->undetermined_count, sizeof *stages->undetermined);
    if (stages->undetermined == NULL)
        return no_memory(err);
    for (uint32_t i = 0; i < answer->undetermined_count; i++) {
        const struct kvc_answer_undetermined *entry = &answer->undetermined[i];
        stages->undetermined[i] = (struct kvc_undetermined){ .layer = (uint32_t)entry->layer.value,
                                                             .of_layer = entry->layer.said,
                                                             .key = entry->key,
                                                             .reason = entry->reason };
    }
    return KVCAP_OK;
}

static kvcap_code put_version(struct kvc_stages *stages, const char *reason,
                              struct kvc_arena *arena, kvcap_error *err)
{
    stages->undetermined = kvc_arena_array(arena, 1, sizeof *stages->undetermined);
    stages->undetermined_count = 1;
    if (stages->undetermined == NULL)
        return no_memory(err);
    stages->undetermined[0] = (struct kvc_undetermined){ .key = kvc_span_of("allocator.version"),
                                                         .reason = kvc_span_of(reason) };
    return KVCAP_OK;
}

/* ---- One day. */

struct binding {
    const struct kvc_engine_model *model;
    const struct kvc_contract *contract;
    const struct kvc_release *release;
    struct kvc_arena *arena;
    kvcap_error *err;
};

static kvcap_code refuse(const struct binding *b, const struct kvc_answer *answer)
{
    struct kvc_span words = answer->refusal_text;
    if (words.text == NULL)
        words = kvc_span_of("it gives no reason");
    return kvc_fail(b->err, KVC_CONTRACT_ENGINE, "/allocator", "the engine would not start: %.*s",
                    (int)words.length, words.text);
}

static kvcap_code bind_on(const struct binding *b, uint32_t day, struct kvc_answer *answer,
                          struct kvc_bound *ret_bound)
{
    const struct kvc_contract *contract = b->contract;
    const struct kvc_bind_terms terms = {
        .tp = contract->tp,
        .pp = contract->pp,
        .dcp = contract->dcp,
        .pp_layers = contract->pp_layers,
        .cache_k = contract->cache_k,
        .cache_v = contract->cache_v,
        .block_tokens = contract->block_tokens,
        .sequence_tokens_max = contract->sequence_tokens_max,
        .step_tokens_max = contract->step_tokens_max,
        .scheduler = contract->scheduler.name,
        .settings = contract->settings,
    };
    const struct kvc_bind_question question = {
        .model = b->model, .release = b->release, .day = day, .terms = &terms, .arena = b->arena
    };
    kvc_answer_begin(answer, b->arena, false);
    kvcap_code rc = kvc_bind_of(b->release->engine)(&question, answer, ret_bound, b->err);
    if (rc == KVCAP_OK && answer->full)
        return no_memory(b->err);
    if (rc == KVCAP_OK && answer->decision == KVC_DECISION_REFUSED)
        return refuse(b, answer);
    return rc;
}

static bool stage_equal(const struct kvc_stage *a, const struct kvc_stage *b)
{
    if (a->groups_count != b->groups_count || a->state_bytes != b->state_bytes)
        return false;
    for (uint32_t i = 0; i < a->groups_count; i++) {
        const struct kvc_group *x = &a->groups[i], *y = &b->groups[i];
        if (!kvc_block_rule_equal(&x->rule, &y->rule) || x->layers != y->layers ||
            x->compress_ratio != y->compress_ratio || x->token_bytes != y->token_bytes ||
            x->block_bytes != y->block_bytes)
            return false;
    }
    return true;
}

static bool maybe_equal(struct kvc_maybe a, struct kvc_maybe b)
{
    return a.said == b.said && (!a.said || a.value == b.value);
}

static bool bound_equal(const struct kvc_bound *a, const struct kvc_bound *b)
{
    if (a->stages_count != b->stages_count || a->block_tokens != b->block_tokens ||
        a->sequence_tokens_max != b->sequence_tokens_max || a->idle_blocks != b->idle_blocks ||
        a->shares_prefixes != b->shares_prefixes || !maybe_equal(a->blocks, b->blocks) ||
        !maybe_equal(a->slots, b->slots))
        return false;
    for (uint32_t i = 0; i < a->stages_count; i++) {
        if (!stage_equal(&a->stages[i], &b->stages[i]))
            return false;
        if (a->start_bytes != NULL && a->start_bytes[i] != b->start_bytes[i])
            return false;
    }
    return true;
}

/* ---- What the contract says of the engine, against what it has. */

static kvcap_code check_terms(const struct kvc_contract *contract, const struct kvc_bound *bound,
                              kvcap_error *err)
{
    if (bound->block_tokens != contract->block_tokens)
        return kvc_fail(err, KVC_CONTRACT_BLOCK_TOKENS, "/allocator/block_tokens",
                        "the engine has blocks of %" PRIu64 " tokens here, not %" PRIu64,
                        bound->block_tokens, contract->block_tokens);
    if (bound->sequence_tokens_max < contract->sequence_tokens_max)
        return kvc_fail(err, KVC_CONTRACT_SETTINGS, "/bounds/sequence_tokens_max",
                        "the engine serves sequences of %" PRIu64 " tokens, not %" PRIu64,
                        bound->sequence_tokens_max, contract->sequence_tokens_max);
    return KVCAP_OK;
}

static void take_bound(const struct kvc_bound *bound, struct kvc_stages *stages)
{
    stages->stages = bound->stages;
    stages->stages_count = bound->stages_count;
    stages->block_tokens = bound->block_tokens;
    stages->shares_prefixes = bound->shares_prefixes;
    stages->idle_blocks = bound->idle_blocks;
    stages->blocks = bound->blocks;
    stages->blocks_are_fixed = bound->blocks_are_fixed;
    stages->slots = bound->slots;
    stages->start_bytes = bound->start_bytes;
}

/* Every day on which the release may have been cut. */
static kvcap_code bind_all(const struct binding *b, struct kvc_stages *stages)
{
    uint32_t days[KVC_ENGINE_DAYS_MAX];
    size_t days_count = kvc_engine_days(b->release, days);
    struct kvc_bound bound = { .stages = NULL }, other;
    struct kvc_answer answer;
    kvcap_code rc = bind_on(b, days[0], &answer, &bound);
    if (rc != KVCAP_OK)
        return rc;
    if (answer.decision == KVC_DECISION_UNDETERMINED)
        return put_undetermined(stages, &answer, b->arena, b->err);
    for (size_t i = 1; i < days_count; i++) {
        memset(&other, 0, sizeof other);
        rc = bind_on(b, days[i], &answer, &other);
        if (rc != KVCAP_OK)
            return rc;
        if (answer.decision == KVC_DECISION_UNDETERMINED || !bound_equal(&bound, &other))
            return put_version(stages,
                               "the version lies between two whose rules differ for this model",
                               b->arena, b->err);
    }
    rc = check_terms(b->contract, &bound, b->err);
    if (rc == KVCAP_OK)
        take_bound(&bound, stages);
    return rc;
}

static struct kvc_engine_model engine_model(const struct kvc_model *model)
{
    return (struct kvc_engine_model){
        .shape = &model->shape,
        .family = model->family,
        .dtype = model->dtype,
        .context_tokens = model->context_tokens,
        .query_heads = model->query_heads,
        .weights_bytes = model->weights_bytes,
    };
}

kvcap_code kvc_bind_contract(const struct kvc_model *model, const struct kvc_contract *contract,
                             struct kvc_arena *arena, struct kvc_stages *stages, kvcap_error *err)
{
    const struct kvc_engine_model told = engine_model(model);
    struct kvc_release release;
    kvcap_code rc = read_release(contract, arena, &release, err);
    if (rc != KVCAP_OK)
        return rc;
    const struct binding b = {
        .model = &told, .contract = contract, .release = &release, .arena = arena, .err = err
    };
    stages->rules = kvc_engine_of(release.engine)->rules;
    if (release.is_past_known)
        return put_version(stages, "later than the rules that this program has read", arena, err);
    return bind_all(&b, stages);
}

kvcap_code kvc_bound_block_tokens(const struct kvc_model *model,
                                  const struct kvc_contract *contract, struct kvc_arena *arena,
                                  uint64_t *ret_block_tokens, kvcap_error *err)
{
    const struct kvc_engine_model told = engine_model(model);
    struct kvc_release release;
    struct kvc_bound bound = { .stages = NULL };
    struct kvc_answer answer;
    kvcap_code rc = read_release(contract, arena, &release, err);
    if (rc != KVCAP_OK)
        return rc;
    const struct binding b = {
        .model = &told, .contract = contract, .release = &release, .arena = arena, .err = err
    };
    rc = bind_on(&b, release.day_min, &answer, &bound);
    if (rc == KVCAP_OK)
        *ret_block_tokens = bound.block_tokens;
    return rc;
}
