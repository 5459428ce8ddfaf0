/* stages.c - see stages.h for the room and its promises. */

#include "plan/stages.h"

#include <assert.h>
#include <inttypes.h>

#include "engine/paged.h"
#include "plan/bound.h"

static kvcap_code no_memory(kvcap_error *err)
{
    return kvc_fail(err, KVC_MEMORY_FULL, "", "the stages of the model need more memory");
}

/* ---- State that cannot be said. */

static bool stops(const struct kvc_state *state)
{
    return state->kind == KVC_STATE_UNKNOWN || state->kind == KVC_STATE_CROSS;
}

static struct kvc_undetermined entry_of(const struct kvc_state *state, uint32_t layer)
{
    struct kvc_undetermined entry = {
        .layer = layer, .of_layer = true, .key = state->key, .reason = state->reason
    };
    if (state->kind == KVC_STATE_CROSS) {
        entry.key = kvc_span_of("cross");
        entry.reason = kvc_span_of("encoder tokens are not declared");
    }
    return entry;
}

/* Fills `list` (NULL: only counts) with an entry for each layer and state that stops the plan. */
static uint32_t list_undetermined(const struct kvc_shape *shape, struct kvc_undetermined *list)
{
    uint32_t count = 0;
    for (uint32_t layer = 0; layer < shape->layers_count; layer++) {
        const struct kvc_layer_type *type = kvc_shape_layer(shape, layer);
        for (uint32_t i = 0; i < type->states_count; i++) {
            if (!stops(&type->states[i]))
                continue;
            if (list != NULL)
                list[count] = entry_of(&type->states[i], layer);
            count++;
        }
    }
    return count;
}

/* A plan outlives the model that it was made from, so it keeps the words itself. */
static bool keep_texts(struct kvc_stages *stages, struct kvc_arena *arena)
{
    for (uint32_t i = 0; i < stages->undetermined_count; i++) {
        struct kvc_undetermined *entry = &stages->undetermined[i];
        entry->key = kvc_arena_copy(arena, entry->key);
        entry->reason = kvc_arena_copy(arena, entry->reason);
        if (entry->key.text == NULL || entry->reason.text == NULL)
            return false;
    }
    return true;
}

/* ---- Stages. */

static kvcap_code check_layers(const struct kvc_contract *contract, uint32_t layers_count,
                               kvcap_error *err)
{
    if (contract->pp_layers == NULL && layers_count % contract->pp != 0)
        return kvc_fail(err, KVC_CONTRACT_PP_LAYERS, "/parallel/pp_layers",
                        "pp %u does not divide %u layers", (unsigned)contract->pp,
                        (unsigned)layers_count);
    struct ck sum = ck_u64(0);
    for (uint32_t i = 0; contract->pp_layers != NULL && i < contract->pp; i++)
        sum = ck_add(sum, ck_u64(contract->pp_layers[i]));
    if (contract->pp_layers != NULL && (sum.over || sum.value != layers_count))
        return kvc_fail(err, KVC_CONTRACT_PP_LAYERS, "/parallel/pp_layers",
                        "the stages add up to %" PRIu64 " layers, the model has %u", sum.value,
                        (unsigned)layers_count);
    return KVCAP_OK;
}

static kvcap_code work_out(const struct kvc_model *model, const struct kvc_contract *contract,
                           struct kvc_arena *arena, struct kvc_stages *stages, kvcap_error *err)
{
    struct kvc_paged paged = {
        .shape = &model->shape,
        .cache = { .k = contract->cache_k,
                   .v = contract->cache_v,
                   .dtype = model->dtype,
                   .latent_token_bytes = contract->latent_token_bytes },
        .tp = contract->tp,
        .block_tokens = contract->block_tokens,
    };
    uint32_t first = 0;
    for (uint32_t i = 0; i < stages->stages_count; i++) {
        uint32_t layers = contract->pp_layers != NULL ? (uint32_t)contract->pp_layers[i]
                                                      : model->shape.layers_count / contract->pp;
        struct kvc_stage *stage = &stages->stages[i];
        kvcap_code rc = kvc_paged_stage(&paged, first, layers, arena, stage, err);
        if (rc == KVCAP_E_RANGE)
            return kvc_fail(err, KVC_PLAN_TOTAL_OVERFLOW, "/ranks",
                            "a block or a state of stage %u is past 64 bits", (unsigned)i);
        if (rc != KVCAP_OK)
            return rc;
        first += layers;
    }
    return KVCAP_OK;
}

/* ---- Rules. */

static bool is_listed(const struct kvc_stages *stages, const struct kvc_block_rule *rule)
{
    for (uint32_t i = 0; i < stages->rules_count; i++) {
        if (kvc_block_rule_equal(&stages->by_rule[i], rule))
            return true;
    }
    return false;
}

static kvcap_code list_rules(struct kvc_stages *stages, struct kvc_arena *arena, kvcap_error *err)
{
    size_t groups = 0;
    bool holds_all = false;
    for (uint32_t i = 0; i < stages->stages_count; i++)
        groups += stages->stages[i].groups_count;
    stages->by_rule = kvc_arena_array(arena, groups, sizeof *stages->by_rule);
    if (stages->by_rule == NULL)
        return no_memory(err);
    for (uint32_t i = 0; i < stages->stages_count; i++) {
        for (uint32_t j = 0; j < stages->stages[i].groups_count; j++) {
            const struct kvc_block_rule *rule = &stages->stages[i].groups[j].rule;
            if (!is_listed(stages, rule))
                stages->by_rule[stages->rules_count++] = *rule;
            holds_all = holds_all || rule->window_tokens == KVC_WINDOW_NONE;
            if (rule->block_tokens > stages->block_tokens)
                stages->block_tokens = rule->block_tokens;
        }
    }
    stages->shares_prefixes = stages->shares_prefixes && holds_all;
    return KVCAP_OK;
}

uint32_t kvc_stages_rule(const struct kvc_stages *stages, const struct kvc_group *group)
{
    uint32_t i = 0;
    while (i < stages->rules_count && !kvc_block_rule_equal(&stages->by_rule[i], &group->rule))
        i++;
    assert(i < stages->rules_count);
    return i;
}

/* ---- The plain allocator. */

static kvcap_code plain_stages(const struct kvc_model *model, const struct kvc_contract *contract,
                               struct kvc_arena *arena, struct kvc_stages *stages, kvcap_error *err)
{
    stages->rules = KVC_PAGED_RULES;
    stages->shares_prefixes = true;
    stages->undetermined_count = list_undetermined(&model->shape, NULL);
    if (stages->undetermined_count > 0) {
        stages->undetermined =
            kvc_arena_array(arena, stages->undetermined_count, sizeof *stages->undetermined);
        if (stages->undetermined == NULL)
            return no_memory(err);
        list_undetermined(&model->shape, stages->undetermined);
        return KVCAP_OK;
    }
    kvcap_code rc = check_layers(contract, model->shape.layers_count, err);
    if (rc != KVCAP_OK)
        return rc;
    stages->stages = kvc_arena_array(arena, contract->pp, sizeof *stages->stages);
    stages->stages_count = contract->pp;
    if (stages->stages == NULL)
        return no_memory(err);
    return work_out(model, contract, arena, stages, err);
}

static kvcap_code bound_stages(const struct kvc_model *model, const struct kvc_contract *contract,
                               struct kvc_arena *arena, struct kvc_stages *stages, kvcap_error *err)
{
    kvcap_code rc = check_layers(contract, model->shape.layers_count, err);
    if (rc == KVCAP_OK)
        rc = kvc_bind_contract(model, contract, arena, stages, err);
    return rc;
}

static kvcap_code check_held(const struct kvc_stages *stages, kvcap_error *err)
{
    for (uint32_t i = 0; i < stages->stages_count; i++) {
        const struct kvc_stage *stage = &stages->stages[i];
        if (stage->groups_count == 0 && stage->state_bytes == 0)
            return kvc_fail(err, KVC_CONTRACT_NOTHING_HELD, "/parallel/pp",
                            "no layer of stage %u keeps any cache", (unsigned)i);
    }
    return KVCAP_OK;
}

kvcap_code kvc_stages_of(const struct kvc_model *model, const struct kvc_contract *contract,
                         struct kvc_arena *arena, struct kvc_stages *ret_stages, kvcap_error *err)
{
    struct kvc_stages stages = { .is_bound = contract->engine,
                                 .block_tokens = contract->block_tokens };
    kvcap_code rc = contract->engine ? bound_stages(model, contract, arena, &stages, err)
                                     : plain_stages(model, contract, arena, &stages, err);
    if (rc == KVCAP_OK && stages.undetermined_count == 0)
        rc = check_held(&stages, err);
    if (rc == KVCAP_OK && stages.undetermined_count == 0)
        rc = list_rules(&stages, arena, err);
    if (rc == KVCAP_OK && !keep_texts(&stages, arena))
        rc = no_memory(err);
    if (rc == KVCAP_OK)
        *ret_stages = stages;
    return rc;
}
