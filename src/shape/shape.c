/* shape.c - see shape.h for the room and its promises. */

#include "shape/shape.h"

#include <assert.h>

static const char *const NAMES[KVC_STATE_KIND_COUNT] = {
    [KVC_STATE_KV] = "kv",           [KVC_STATE_KV_WINDOW] = "kv_window",
    [KVC_STATE_LATENT] = "latent",   [KVC_STATE_INDEX] = "index",
    [KVC_STATE_CROSS] = "cross",     [KVC_STATE_RECURRENT] = "recurrent",
    [KVC_STATE_NONE] = "none",       [KVC_STATE_SHARED] = "shared",
    [KVC_STATE_UNKNOWN] = "unknown",
};

const char *kvc_state_name(enum kvc_state_kind kind)
{
    return NAMES[kind];
}

const struct kvc_layer_type *kvc_shape_layer(const struct kvc_shape *shape, uint32_t layer)
{
    assert(layer < shape->layers_count);
    const struct kvc_run *run = shape->runs;
    while (layer >= run->count) {
        layer -= run->count;
        run++;
    }
    return &shape->types[run->type];
}

bool kvc_state_keeps_rows(const struct kvc_state *state)
{
    return state->kind == KVC_STATE_KV || state->kind == KVC_STATE_KV_WINDOW ||
           state->kind == KVC_STATE_LATENT || state->kind == KVC_STATE_INDEX;
}

uint32_t kvc_state_ratio(const struct kvc_state *state)
{
    if (state->kind != KVC_STATE_LATENT && state->kind != KVC_STATE_INDEX)
        return 1;
    assert(state->compress_ratio > 0);
    return state->compress_ratio;
}

static bool recurrent_equal(const struct kvc_state *a, const struct kvc_state *b)
{
    for (unsigned i = 0; i < KVC_RULE_DIMS_MAX; i++) {
        if (a->dims[i] != b->dims[i])
            return false;
    }
    return a->rule == b->rule && a->conv_format == b->conv_format &&
           a->state_format == b->state_format;
}

/* Fields that a kind does not use are 0 in both, so all may be compared. */
bool kvc_state_equal(const struct kvc_state *a, const struct kvc_state *b)
{
    return a->kind == b->kind && a->kv_heads == b->kv_heads && a->key_dim == b->key_dim &&
           a->value_dim == b->value_dim && a->window_tokens == b->window_tokens &&
           a->chunked == b->chunked && a->latent_dim == b->latent_dim &&
           a->rope_dim == b->rope_dim && a->compress_ratio == b->compress_ratio &&
           a->index_dim == b->index_dim && a->index_fp8 == b->index_fp8 && a->layer == b->layer &&
           recurrent_equal(a, b) && kvc_span_equal(a->key, b->key) &&
           kvc_span_equal(a->reason, b->reason);
}

bool kvc_layer_type_equal(const struct kvc_layer_type *a, const struct kvc_layer_type *b)
{
    if (a->states_count != b->states_count)
        return false;
    for (uint32_t i = 0; i < a->states_count; i++) {
        if (!kvc_state_equal(&a->states[i], &b->states[i]))
            return false;
    }
    return true;
}

void kvc_shape_begin(struct kvc_shape_builder *builder, struct kvc_arena *arena)
{
    *builder = (struct kvc_shape_builder){ .arena = arena };
}

/* Room for one more of a list that doubles; the old list stays in the arena. */
static void *room_for_one(struct kvc_arena *arena, void *list, uint32_t count, size_t size)
{
    bool full = count == 0 || (count >= 8 && (count & (count - 1)) == 0);
    if (!full)
        return list;
    char *bigger = kvc_arena_array(arena, count == 0 ? 8 : (size_t)count * 2, size);
    for (size_t i = 0; bigger != NULL && i < count * size; i++)
        bigger[i] = ((char *)list)[i];
    return bigger;
}

static bool type_index(struct kvc_shape_builder *builder, const struct kvc_layer_type *type,
                       uint32_t *ret_index)
{
    struct kvc_shape *shape = &builder->shape;
    for (uint32_t i = 0; i < shape->types_count; i++) {
        if (kvc_layer_type_equal(&shape->types[i], type)) {
            *ret_index = i;
            return true;
        }
    }
    if (shape->types_count == KVC_TYPES_MAX)
        return false;
    struct kvc_layer_type *types =
        room_for_one(builder->arena, shape->types, shape->types_count, sizeof *types);
    if (types == NULL)
        return false;
    shape->types = types;
    *ret_index = shape->types_count;
    shape->types[shape->types_count++] = *type;
    return true;
}

static bool add_run(struct kvc_shape_builder *builder, const struct kvc_layer_type *type,
                    uint32_t count, struct kvc_run **runs, uint32_t *runs_count)
{
    uint32_t index;
    if (count == 0 || !type_index(builder, type, &index))
        return false;
    if (*runs_count > 0 && (*runs)[*runs_count - 1].type == index) {
        (*runs)[*runs_count - 1].count += count;
        return true;
    }
    struct kvc_run *list = room_for_one(builder->arena, *runs, *runs_count, sizeof *list);
    if (list == NULL)
        return false;
    *runs = list;
    (*runs)[(*runs_count)++] = (struct kvc_run){ .count = count, .type = index };
    return true;
}

bool kvc_shape_add(struct kvc_shape_builder *builder, const struct kvc_layer_type *type,
                   uint32_t count)
{
    struct kvc_shape *shape = &builder->shape;
    assert(shape->draft_runs_count == 0); /* or types would not be numbered by first use */
    if (count > KVC_LAYERS_MAX - shape->layers_count ||
        !add_run(builder, type, count, &shape->runs, &shape->runs_count))
        return false;
    shape->layers_count += count;
    return true;
}

bool kvc_shape_add_draft(struct kvc_shape_builder *builder, const struct kvc_layer_type *type,
                         uint32_t count)
{
    struct kvc_shape *shape = &builder->shape;
    uint32_t layers = 0;
    for (uint32_t i = 0; i < shape->draft_runs_count; i++)
        layers += shape->draft_runs[i].count;
    return count <= KVC_LAYERS_MAX - layers &&
           add_run(builder, type, count, &shape->draft_runs, &shape->draft_runs_count);
}
