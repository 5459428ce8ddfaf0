/* llamacpp_place.c - see llamacpp_place.h for the room and its promises. */

#include "engine/llamacpp_place.h"

#include <string.h>

static void add_device(struct kvc_llamacpp_places *places, struct kvc_span name,
                       uint64_t free_bytes, uint64_t total_bytes)
{
    struct kvc_llamacpp_place *place = &places->list[places->count++];
    *place = (struct kvc_llamacpp_place){ .name = name,
                                          .free_bytes = free_bytes,
                                          .total_bytes = total_bytes };
}

void kvc_llamacpp_find_places(const struct kvc_engine_memory *memory,
                              const struct kvc_llamacpp_split *split,
                              struct kvc_llamacpp_places *ret_places)
{
    ret_places->count = 0;
    ret_places->are_named = true;
    for (uint32_t i = 0; i < memory->devices_count && i < KVC_LLAMACPP_DEVICES_MAX; i++) {
        const struct kvc_engine_device *device = &memory->devices[i];
        if (!split->is_none || i == split->main_device)
            add_device(ret_places, device->name, device->free_bytes, device->total_bytes);
    }
    if (memory->devices_count == 0 && memory->device_total_bytes.said) {
        uint64_t total = memory->device_total_bytes.value;
        add_device(ret_places, kvc_span_of("device 0"),
                   memory->device_free_bytes.said ? memory->device_free_bytes.value : total, total);
        ret_places->are_named = false;
    }
    add_device(ret_places, kvc_span_of("CPU"),
               memory->host_total_bytes.said ? memory->host_total_bytes.value : 0,
               memory->host_total_bytes.said ? memory->host_total_bytes.value : 0);
}

/* ---- The split, in floats as the engine sums it. */

struct bounds {
    struct kvc_f32 of[KVC_LLAMACPP_DEVICES_MAX];
    uint32_t count;
};

static void find_bounds(const struct kvc_llamacpp_split *split,
                        const struct kvc_llamacpp_places *places, struct bounds *bounds)
{
    struct kvc_f32 sum = kvc_f32_from_u64(0);
    bounds->count = places->count - 1;
    for (uint32_t i = 0; i < bounds->count; i++) {
        struct kvc_f32 part =
            split->has_parts ? split->parts[i] : kvc_f32_from_u64(places->list[i].free_bytes);
        sum = kvc_f32_add(sum, part);
        bounds->of[i] = sum;
    }
    for (uint32_t i = 0; i < bounds->count; i++)
        bounds->of[i] = kvc_f32_divide(bounds->of[i], sum);
}

/* The first bound above a fraction (std::upper_bound); the last device where all are no numbers. */
static uint32_t device_at(const struct bounds *bounds, struct kvc_f32 fraction)
{
    for (uint32_t i = 0; i + 1 < bounds->count; i++) {
        if (kvc_f32_compare(bounds->of[i], fraction) == KVC_ORDER_GREATER)
            return i;
    }
    return bounds->count - 1;
}

static uint32_t place_of(const struct kvc_llamacpp_split *split, uint32_t layers_all,
                         const struct bounds *bounds, uint32_t layer)
{
    uint64_t all = (uint64_t)layers_all + 1;
    uint64_t moved = split->gpu_layers < all ? split->gpu_layers : all;
    if (bounds->count == 0 || layer < all - moved)
        return bounds->count;
    return device_at(
        bounds, kvc_f32_divide(kvc_f32_from_u64(layer - (all - moved)), kvc_f32_from_u64(moved)));
}

void kvc_llamacpp_place(const struct kvc_llamacpp_params *params,
                        const struct kvc_llamacpp_split *split,
                        const struct kvc_llamacpp_model *model,
                        const struct kvc_llamacpp_context *context,
                        const struct kvc_llamacpp_weights *weights, uint64_t weights_bytes,
                        struct kvc_llamacpp_places *places)
{
    struct bounds bounds;
    find_bounds(split, places, &bounds);
    for (uint32_t i = 0; i < places->count; i++) {
        struct kvc_llamacpp_place *place = &places->list[i];
        place->cache_bytes = place->weights_bytes = 0;
        place->layers = 0;
        memset(place->of_cache, 0, sizeof place->of_cache);
        memset(place->layers_of_cache, 0, sizeof place->layers_of_cache);
    }
    for (uint32_t layer = 0; layer <= model->layers_all; layer++) {
        uint32_t at = place_of(split, model->layers_all, &bounds, layer);
        struct kvc_llamacpp_place *place =
            &places->list[params->offload_kqv ? at : places->count - 1];
        places->list[at].layers++;
        for (uint32_t c = 0; c < weights->count && layer < model->layers_all; c++) {
            uint64_t bytes;
            if (!kvc_llamacpp_layer_bytes(params, context, &weights->list[c], layer, &bytes))
                continue;
            place->of_cache[c] += bytes;
            place->layers_of_cache[c]++;
            place->cache_bytes += bytes;
        }
    }
    for (uint32_t i = 0; i < places->count; i++)
        places->list[i].weights_bytes =
            (uint64_t)((kvc_u128)weights_bytes * places->list[i].layers /
                       ((uint64_t)model->layers_all + 1));
}
