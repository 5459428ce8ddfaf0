/* builtin.c - the models of include/kvcap.h that are known by name. */

#include <stdio.h>

#include "face/api/handle.h"
#include "meta/builtin.h"
#include "meta/hf.h"
#include "record/describe.h"
#include "shape/from_config.h"

static kvcap_code no_memory(kvcap_error *error)
{
    return kvc_fail(error, KVC_MEMORY_FULL, "", "the handle needs more memory");
}

/* Says of the artefact as a whole where its facts were read: one more source, at its place in the
 * order. */
static kvcap_code add_artefact_source(const struct kvc_builtin_model *row, struct kvc_arena *arena,
                                      struct kvc_found *found, kvcap_error *error)
{
    char from[KVC_NAME_BYTES_MAX + 1];
    struct kvc_source own = { .at = kvc_span_of("/artefact"), .how = "declared" };
    struct kvc_source *sources = kvc_arena_array(arena, found->sources_count + 1, sizeof *sources);
    snprintf(from, sizeof from, "facts of huggingface.co/%s, %s%s", row->name,
             kvc_builtin_inferred(row) ? "" : "read at ", row->source);
    own.from = kvc_arena_copy(arena, kvc_span_of(from));
    if (sources == NULL || own.from.text == NULL)
        return no_memory(error);
    size_t i = 0;
    for (; i < found->sources_count && kvc_span_compare(found->sources[i].at, own.at) < 0; i++)
        sources[i] = found->sources[i];
    sources[i] = own;
    for (; i < found->sources_count; i++)
        sources[i + 1] = found->sources[i];
    found->sources = sources;
    found->sources_count++;
    return KVCAP_OK;
}

static kvcap_code make_model(struct kvcap_record *handle, const struct kvc_builtin_model *row,
                             kvcap_error *error)
{
    struct kvc_facts facts;
    struct kvc_found found;
    struct kvc_arena *arena = &handle->arena;
    struct kvc_artefact artefact = { .name = kvc_span_of(row->name),
                                     .revision = kvc_span_of("unknown"),
                                     .format = "built_in" };
    kvcap_code rc = kvc_hf_read("built_in", kvc_span_of(row->facts), arena, &facts, error);
    if (rc == KVCAP_OK)
        rc = kvc_shape_from_config(&facts, arena, &found, error);
    if (rc == KVCAP_OK)
        rc = add_artefact_source(row, arena, &found, error);
    if (rc != KVCAP_OK)
        return rc;
    struct kvc_value *tree = kvc_describe_model(&found, &artefact, arena);
    struct kvc_shelf empty = { 0 };
    struct kvc_naming naming = kvc_shelf_naming(&empty);
    rc = tree == NULL ? no_memory(error) : kvc_handle_seal(handle, tree, &naming, error);
    if (rc == KVCAP_OK)
        rc = kvc_handle_keep_facts(handle, &facts, false, error);
    if (rc == KVCAP_OK) {
        struct kvc_quant quant;
        kvc_quant_read(facts.tree, &quant);
        kvc_handle_keep_quant(handle, &quant);
    }
    return rc;
}

kvcap_code kvcap_model_builtin(const char *name, kvcap_record **ret_model, kvcap_error *error)
{
    const struct kvc_builtin_model *row;
    if (name == NULL)
        return kvc_fail(error, KVC_USAGE_NULL, "name", "name must not be NULL");
    if (ret_model == NULL)
        return kvc_fail(error, KVC_USAGE_NULL, "ret_model", "ret_model must not be NULL");
    kvcap_code rc = kvc_builtin_model_find(kvc_span_of(name), &row, error);
    if (rc != KVCAP_OK)
        return rc;
    struct kvcap_record *handle = kvc_handle_new();
    if (handle == NULL)
        return no_memory(error);
    rc = make_model(handle, row, error);
    if (rc == KVCAP_OK)
        *ret_model = handle;
    else
        kvcap_record_free(handle);
    return rc;
}

const char *kvcap_builtin_name(size_t index)
{
    const struct kvc_builtin_model *row = kvc_builtin_model_at(index);
    return row == NULL ? NULL : row->name;
}
