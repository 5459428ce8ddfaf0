/* check.c - see check.h for the room and its promises. */

#include "shape/check.h"

#include <stdio.h>

#define AT_ROOM 96

static kvcap_code not_canonical(kvcap_error *err, const char *at, const char *what)
{
    return kvc_fail(err, KVC_MODEL_LAYERS_NOT_CANONICAL, at, "%s", what);
}

/* Types are met in the order 0, 1, 2 ...; *met counts those met so far. */
/* What a run has against it, or NULL.  `met`: types that runs before it have used. */
static const char *fault_of(const struct kvc_run *runs, uint32_t i, uint32_t met,
                            uint32_t types_count, uint32_t layers_left)
{
    if (runs[i].type >= types_count)
        return "the run names a layer type that is not listed";
    if (runs[i].type > met)
        return "layer types are not numbered by first use";
    if (i > 0 && runs[i].type == runs[i - 1].type)
        return "neighbouring runs are of one type";
    if (runs[i].count == 0 || runs[i].count > layers_left)
        return "a model has 1 to 4,096 layers";
    return NULL;
}

static kvcap_code check_runs(const struct kvc_run *runs, uint32_t runs_count, const char *member,
                             uint32_t *met, uint32_t types_count, uint32_t *ret_layers,
                             kvcap_error *err)
{
    uint32_t layers = 0;
    for (uint32_t i = 0; i < runs_count; i++) {
        const char *fault = fault_of(runs, i, *met, types_count, KVC_LAYERS_MAX - layers);
        char at[AT_ROOM];
        if (fault != NULL) {
            snprintf(at, sizeof at, "/architecture/%s/%u", member, (unsigned)i);
            return not_canonical(err, at, fault);
        }
        *met += runs[i].type == *met;
        layers += runs[i].count;
    }
    *ret_layers = layers;
    return KVCAP_OK;
}

static kvcap_code check_types_differ(const struct kvc_shape *shape, kvcap_error *err)
{
    for (uint32_t i = 1; i < shape->types_count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (!kvc_layer_type_equal(&shape->types[i], &shape->types[j]))
                continue;
            char at[AT_ROOM];
            snprintf(at, sizeof at, "/architecture/layer_types/%u", (unsigned)i);
            return not_canonical(err, at, "two layer types are equal");
        }
    }
    return KVCAP_OK;
}

/* What a shared state may read: another layer's own cache. */
static bool keeps_a_cache(const struct kvc_layer_type *type)
{
    for (uint32_t i = 0; i < type->states_count; i++) {
        enum kvc_state_kind kind = type->states[i].kind;
        if (kind == KVC_STATE_KV || kind == KVC_STATE_KV_WINDOW || kind == KVC_STATE_LATENT)
            return true;
    }
    return false;
}

static kvcap_code check_shared(const struct kvc_shape *shape, uint32_t layer, uint32_t type_index,
                               kvcap_error *err)
{
    const struct kvc_layer_type *type = &shape->types[type_index];
    for (uint32_t i = 0; i < type->states_count; i++) {
        if (type->states[i].kind != KVC_STATE_SHARED)
            continue;
        uint32_t named = type->states[i].layer;
        if (named < layer && named < shape->layers_count &&
            keeps_a_cache(kvc_shape_layer(shape, named)))
            continue;
        char at[AT_ROOM];
        snprintf(at, sizeof at, "/architecture/layer_types/%u/states/%u/layer",
                 (unsigned)type_index, (unsigned)i);
        return kvc_fail(err, KVC_MODEL_SHARED_LAYER, at,
                        "layer %u shares layer %u, which is no earlier layer with a cache",
                        (unsigned)layer, (unsigned)named);
    }
    return KVCAP_OK;
}

static kvcap_code check_all_shared(const struct kvc_shape *shape, const struct kvc_run *runs,
                                   uint32_t runs_count, uint32_t first_layer, kvcap_error *err)
{
    for (uint32_t i = 0; i < runs_count; i++) {
        kvcap_code rc = check_shared(shape, first_layer, runs[i].type, err);
        if (rc != KVCAP_OK)
            return rc;
        first_layer += runs[i].count;
    }
    return KVCAP_OK;
}

kvcap_code kvc_shape_check(struct kvc_shape *shape, kvcap_error *err)
{
    if (shape->types_count > KVC_TYPES_MAX)
        return not_canonical(err, "/architecture/layer_types",
                             "a model has at most 256 layer types");
    uint32_t met = 0, layers = 0, draft_layers = 0;
    kvcap_code rc = check_runs(shape->runs, shape->runs_count, "layers", &met, shape->types_count,
                               &layers, err);
    if (rc != KVCAP_OK)
        return rc;
    rc = check_runs(shape->draft_runs, shape->draft_runs_count, "draft_layers", &met,
                    shape->types_count, &draft_layers, err);
    if (rc != KVCAP_OK)
        return rc;
    if (layers == 0)
        return not_canonical(err, "/architecture/layers", "a model has at least one layer");
    if (met != shape->types_count)
        return not_canonical(err, "/architecture/layer_types", "a layer type is used by no layer");
    rc = check_types_differ(shape, err);
    if (rc != KVCAP_OK)
        return rc;

    shape->layers_count = layers;
    rc = check_all_shared(shape, shape->runs, shape->runs_count, 0, err);
    if (rc != KVCAP_OK)
        return rc;
    return check_all_shared(shape, shape->draft_runs, shape->draft_runs_count, layers, err);
}
