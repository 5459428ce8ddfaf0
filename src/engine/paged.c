/* paged.c - see paged.h for the room and its promises. */

#include "engine/paged.h"

#include <stdio.h>

static uint64_t window_of(const struct kvc_state *state)
{
    return state->window_tokens == 0 ? KVC_WINDOW_NONE : state->window_tokens;
}

/* The group of a state, a new one if it is the first of its rule; NULL when compression does not
 * divide the block. */
static struct kvc_group *group_of(struct kvc_stage *stage, const struct kvc_state *state,
                                  uint64_t block_tokens)
{
    for (uint32_t i = 0; i < stage->groups_count; i++) {
        struct kvc_group *group = &stage->groups[i];
        if (group->rule.window_tokens == window_of(state) &&
            group->compress_ratio == kvc_state_ratio(state))
            return group;
    }
    if (block_tokens % kvc_state_ratio(state) != 0)
        return NULL;
    struct kvc_group *group = &stage->groups[stage->groups_count++];
    *group = (struct kvc_group){ .rule = { .block_tokens = block_tokens,
                                           .window_tokens = window_of(state) },
                                 .compress_ratio = kvc_state_ratio(state) };
    return group;
}

/* A layer with two states in one group - a latent and its indexer - counts there once. */
static bool is_counted(struct kvc_stage *stage, const struct kvc_layer_type *type, uint32_t state,
                       const struct kvc_group *group, uint64_t block_tokens)
{
    for (uint32_t i = 0; i < state; i++) {
        if (kvc_state_keeps_rows(&type->states[i]) &&
            group_of(stage, &type->states[i], block_tokens) == group)
            return true;
    }
    return false;
}

static kvcap_code add_to(uint64_t *sum, uint64_t each, uint32_t layers, const char *what,
                         kvcap_error *err)
{
    struct ck more = ck_mul(ck_u64(each), ck_u64(layers));
    return ck_take(ck_add(ck_u64(*sum), more), what, sum, err);
}

static kvcap_code add_rows(const struct kvc_paged *paged, const struct kvc_layer_type *type,
                           uint32_t state, uint32_t layers, uint64_t token_bytes,
                           struct kvc_stage *stage, kvcap_error *err)
{
    struct kvc_group *group = group_of(stage, &type->states[state], paged->block_tokens);
    if (group == NULL)
        return kvc_fail(err, KVC_CONTRACT_BLOCK_DIVIDE, "/allocator/block_tokens",
                        "blocks of %llu tokens do not divide by a compress_ratio of %u",
                        (unsigned long long)paged->block_tokens,
                        (unsigned)kvc_state_ratio(&type->states[state]));
    if (!is_counted(stage, type, state, group, paged->block_tokens))
        group->layers += layers;
    return add_to(&group->token_bytes, token_bytes, layers, "bytes of a token", err);
}

/* A refusal of a state's own format knew its member alone: here it gets the pointer before it. */
static void place_in_model(const struct kvc_shape *shape, const struct kvc_layer_type *type,
                           uint32_t state, kvcap_error *err)
{
    char place[80];
    if (err == NULL || !kvc_span_ends(kvc_span_of(err->at), "_format"))
        return;
    snprintf(place, sizeof place, "/architecture/layer_types/%u/states/%u",
             (unsigned)(type - shape->types), (unsigned)state);
    kvc_fail_within(err, place);
}

static kvcap_code add_run(const struct kvc_paged *paged, const struct kvc_layer_type *type,
                          uint32_t layers, struct kvc_stage *stage, kvcap_error *err)
{
    for (uint32_t i = 0; i < type->states_count; i++) {
        struct kvc_weight weight = { 0 };
        kvcap_code rc = kvc_state_weight(&type->states[i], &paged->cache, paged->tp, &weight, err);
        if (rc == KVCAP_OK && kvc_state_keeps_rows(&type->states[i]))
            rc = add_rows(paged, type, i, layers, weight.token_bytes, stage, err);
        if (rc == KVCAP_OK)
            rc = add_to(&stage->state_bytes, weight.state_bytes, layers, "bytes of a state", err);
        if (rc != KVCAP_OK) {
            place_in_model(paged->shape, type, i, err);
            return rc;
        }
    }
    return KVCAP_OK;
}

static kvcap_code weigh_blocks(struct kvc_stage *stage, kvcap_error *err)
{
    for (uint32_t i = 0; i < stage->groups_count; i++) {
        struct kvc_group *group = &stage->groups[i];
        struct ck rows = ck_u64(group->rule.block_tokens / group->compress_ratio);
        kvcap_code rc = ck_take(ck_mul(rows, ck_u64(group->token_bytes)), "bytes of a block",
                                &group->block_bytes, err);
        if (rc != KVCAP_OK)
            return rc;
    }
    return KVCAP_OK;
}

kvcap_code kvc_paged_stage(const struct kvc_paged *paged, uint32_t first, uint32_t layers,
                           struct kvc_arena *arena, struct kvc_stage *ret_stage, kvcap_error *err)
{
    const struct kvc_shape *shape = paged->shape;
    size_t groups_max = (size_t)shape->types_count * KVC_STATES_MAX;
    struct kvc_stage stage = { .groups = kvc_arena_array(arena, groups_max, sizeof *stage.groups) };
    if (stage.groups == NULL)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the groups of a stage need more memory");

    uint32_t begin = 0, end = first + layers;
    for (uint32_t i = 0; i < shape->runs_count && begin < end; i++) {
        uint32_t from = begin > first ? begin : first;
        begin += shape->runs[i].count;
        uint32_t to = begin < end ? begin : end;
        if (from >= to)
            continue;
        kvcap_code rc = add_run(paged, &shape->types[shape->runs[i].type], to - from, &stage, err);
        if (rc != KVCAP_OK)
            return rc;
    }
    kvcap_code rc = weigh_blocks(&stage, err);
    if (rc == KVCAP_OK)
        *ret_stage = stage;
    return rc;
}
