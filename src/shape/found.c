/* found.c - see found.h for the room and its promises. */

#include "shape/found.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "shape/check.h"

void kvc_find_begin(struct kvc_finder *finder, struct kvc_arena *arena, kvcap_error *err)
{
    *finder = (struct kvc_finder){ .arena = arena, .err = err };
    kvc_shape_begin(&finder->builder, arena);
}

kvcap_code kvc_find_no_memory(const struct kvc_finder *finder)
{
    return kvc_fail(finder->err, KVC_MEMORY_FULL, "", "the shape of the model needs more memory");
}

struct kvc_span kvc_find_text(struct kvc_finder *finder, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return kvc_arena_copy(finder->arena, kvc_span_of(text));
}

/* ---- Sources. */

static bool has_room(struct kvc_finder *finder)
{
    struct kvc_found *found = &finder->found;
    if (found->sources_count < finder->sources_room)
        return true;
    size_t room = finder->sources_room == 0 ? 32 : finder->sources_room * 2;
    struct kvc_source *bigger = kvc_arena_array(finder->arena, room, sizeof *bigger);
    if (bigger == NULL)
        return false;
    if (found->sources_count > 0)
        memcpy(bigger, found->sources, found->sources_count * sizeof *bigger);
    found->sources = bigger;
    finder->sources_room = room;
    return true;
}

kvcap_code kvc_find_source(struct kvc_finder *finder, struct kvc_span at, const char *how,
                           struct kvc_span from)
{
    struct kvc_found *found = &finder->found;
    if (at.text == NULL || from.text == NULL || !has_room(finder))
        return kvc_find_no_memory(finder);
    size_t i = found->sources_count;
    while (i > 0 && kvc_span_compare(found->sources[i - 1].at, at) > 0)
        i--;
    memmove(&found->sources[i + 1], &found->sources[i],
            (found->sources_count - i) * sizeof *found->sources);
    found->sources[i] = (struct kvc_source){ .at = at, .how = how, .from = from };
    found->sources_count++;
    return KVCAP_OK;
}

/* ---- Layers under construction. */

struct kvc_state_found *kvc_layer_state(struct kvc_layer_found *layer, enum kvc_state_kind kind)
{
    assert(layer->states_count < KVC_STATES_MAX);
    struct kvc_state_found *state = &layer->states[layer->states_count++];
    *state = (struct kvc_state_found){ .state.kind = kind };
    if (kind == KVC_STATE_LATENT || kind == KVC_STATE_INDEX)
        state->state.compress_ratio = 1;
    return state;
}

void kvc_state_from(struct kvc_state_found *state, const char *field,
                    const struct kvc_origin *origin)
{
    assert(state->fields_count < KVC_STATE_FIELDS_MAX);
    state->fields[state->fields_count].field = field;
    state->fields[state->fields_count].origin = *origin;
    state->fields_count++;
}

void kvc_state_put(struct kvc_state_found *state, const char *field, uint32_t *ret_number,
                   const struct kvc_origin *origin)
{
    assert(origin->value <= UINT32_MAX);
    *ret_number = (uint32_t)origin->value;
    kvc_state_from(state, field, origin);
}

static void remember_default(struct kvc_state_found *state, const char *field, const char *from)
{
    struct kvc_origin origin = { .how = "default", .from = kvc_span_of(from) };
    kvc_state_from(state, field, &origin);
}

void kvc_state_put_format(struct kvc_state_found *state, const char *part, enum kvc_format format,
                          const char *from)
{
    if (strcmp(part, "conv_format") == 0)
        state->state.conv_format = format;
    else
        state->state.state_format = format;
    remember_default(state, part, from);
}

void kvc_state_put_index_fp8(struct kvc_state_found *state, const char *from)
{
    state->state.index_fp8 = true;
    remember_default(state, "format", from);
}

void kvc_state_put_window(struct kvc_state_found *state, const struct kvc_origin *tokens)
{
    state->state.window_tokens = tokens->value;
    kvc_state_from(state, "window_tokens", tokens);
}

void kvc_state_put_dim(struct kvc_state_found *state, unsigned index,
                       const struct kvc_origin *origin)
{
    kvc_state_put(state, kvc_rule_row(state->state.rule)->fields[index], &state->state.dims[index],
                  origin);
}

void kvc_layer_none(struct kvc_layer_found *layer)
{
    layer->states_count = 0;
    kvc_layer_state(layer, KVC_STATE_NONE);
}

void kvc_layer_unknown(struct kvc_layer_found *layer, struct kvc_span key, struct kvc_span reason)
{
    layer->states_count = 0;
    struct kvc_state *state = &kvc_layer_state(layer, KVC_STATE_UNKNOWN)->state;
    state->key = key;
    state->reason = reason;
}

/* ---- Adding. */

static kvcap_code add_type_sources(struct kvc_finder *finder, const struct kvc_layer_found *layer,
                                   uint32_t type)
{
    for (uint32_t i = 0; i < layer->states_count; i++) {
        const struct kvc_state_found *state = &layer->states[i];
        for (size_t j = 0; j < state->fields_count; j++) {
            struct kvc_span at = kvc_find_text(finder, "/architecture/layer_types/%u/states/%u/%s",
                                               (unsigned)type, (unsigned)i, state->fields[j].field);
            kvcap_code rc = kvc_find_source(finder, at, state->fields[j].origin.how,
                                            state->fields[j].origin.from);
            if (rc != KVCAP_OK)
                return rc;
        }
    }
    return KVCAP_OK;
}

static kvcap_code add(struct kvc_finder *finder, const struct kvc_layer_found *layer,
                      uint64_t count, const char *where,
                      bool (*to)(struct kvc_shape_builder *, const struct kvc_layer_type *,
                                 uint32_t))
{
    struct kvc_layer_type type = { .states_count = layer->states_count };
    uint32_t types = finder->builder.shape.types_count;
    for (uint32_t i = 0; i < layer->states_count; i++) {
        type.states[i] = layer->states[i].state;
        if (type.states[i].kind == KVC_STATE_UNKNOWN &&
            (type.states[i].key.text == NULL || type.states[i].reason.text == NULL))
            return kvc_find_no_memory(finder);
    }
    if (count > KVC_LAYERS_MAX - finder->builder.shape.layers_count)
        return kvc_fail(finder->err, KVC_METADATA_OUT_OF_RANGE, where,
                        "a model has at most 4,096 layers");
    if (count > 0 && !to(&finder->builder, &type, (uint32_t)count))
        return finder->builder.shape.types_count == KVC_TYPES_MAX
                   ? kvc_fail(finder->err, KVC_METADATA_OUT_OF_RANGE, where,
                              "a model has at most 256 types of layer")
                   : kvc_find_no_memory(finder);
    return finder->builder.shape.types_count > types ? add_type_sources(finder, layer, types)
                                                     : KVCAP_OK;
}

kvcap_code kvc_find_layers(struct kvc_finder *finder, const struct kvc_layer_found *layer,
                           uint64_t count, const char *where)
{
    return add(finder, layer, count, where, kvc_shape_add);
}

kvcap_code kvc_find_draft_layers(struct kvc_finder *finder, const struct kvc_layer_found *layer,
                                 uint64_t count, const char *where)
{
    return add(finder, layer, count, where, kvc_shape_add_draft);
}

kvcap_code kvc_find_end(struct kvc_finder *finder, const struct kvc_origin *layers,
                        const struct kvc_origin *drafts)
{
    finder->found.shape = finder->builder.shape;
    kvcap_code rc =
        kvc_find_source(finder, kvc_span_of("/architecture/layers"), layers->how, layers->from);
    if (rc == KVCAP_OK && finder->found.shape.draft_runs_count > 0)
        rc = kvc_find_source(finder, kvc_span_of("/architecture/draft_layers"), drafts->how,
                             drafts->from);
    return rc == KVCAP_OK ? kvc_shape_check(&finder->found.shape, finder->err) : rc;
}

kvcap_code kvc_find_all_unknown(struct kvc_finder *finder, const struct kvc_origin *layers,
                                struct kvc_span key, struct kvc_span reason, const char *where)
{
    struct kvc_layer_found layer = { .states_count = 0 };
    kvc_layer_unknown(&layer, key, reason);
    kvcap_code rc = kvc_find_layers(finder, &layer, layers->value, where);
    return rc == KVCAP_OK ? kvc_find_end(finder, layers, NULL) : rc;
}
