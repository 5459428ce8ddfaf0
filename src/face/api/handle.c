/* handle.c - see handle.h for the room and its promises. */

#include "face/api/handle.h"

#include <stdlib.h>
#include <string.h>

#include "fit/line.h"
#include "os/os.h"
#include "json/write.h"
#include "json/yaml.h"

struct kvcap_record *kvc_handle_new(void)
{
    /* Room for either: a plan begins with its record. */
    struct kvcap_plan *handle = calloc(1, sizeof *handle);
    if (handle == NULL)
        return NULL;
    kvc_arena_from(&handle->record.arena, &kvc_os_memory, KVC_HANDLE_BYTES_MAX);
    return &handle->record;
}

void kvcap_record_free(kvcap_record *record)
{
    if (record == NULL)
        return;
    kvc_arena_drop(&record->arena);
    free(record);
}

static kvcap_code no_memory(kvcap_error *err)
{
    return kvc_fail(err, KVC_MEMORY_FULL, "", "the record needs more memory");
}

kvcap_code kvc_handle_keep_facts(struct kvcap_record *handle, const struct kvc_facts *facts,
                                 bool are_gguf, kvcap_error *err)
{
    struct kvc_build build = { .arena = &handle->arena };
    struct kvc_value *root = kvc_build_array(&build, NULL, NULL);
    struct kvc_facts *copy = kvc_arena_array(&handle->arena, 1, sizeof *copy);
    const char *artefact = kvc_arena_copy(&handle->arena, kvc_span_of(facts->artefact)).text;
    if (root != NULL)
        kvc_build_copy(&build, root, NULL, facts->tree);
    if (root == NULL || copy == NULL || artefact == NULL || build.full)
        return no_memory(err);
    copy->artefact = artefact;
    copy->tree = root->first;
    root->first->parent = NULL; /* a root of its own, so that places are told as in the file */
    handle->facts = copy;
    handle->facts_are_gguf = are_gguf;
    return KVCAP_OK;
}

void kvc_handle_keep_quant(struct kvcap_record *handle, const struct kvc_quant *quant)
{
    struct kvc_engine_model model = { .asks = KVC_ASKS_NOTHING };
    kvc_fit_model_asks(quant, &model);
    handle->asks = model.asks;
    handle->asked = model.asked;
}

kvcap_code kvc_handle_finish(struct kvcap_record *handle, kvcap_error *err)
{
    struct kvc_text text = { .arena = &handle->arena };
    struct kvc_sink sink = kvc_text_sink(&text);
    kvc_write(handle->record.tree, NULL, &sink);
    if (text.full)
        return no_memory(err);
    if (text.length > KVC_RECORD_BYTES_MAX)
        return kvc_fail(err, KVC_RECORD_TOO_LARGE, "",
                        "the record would be longer than the 16 MiB that can be read");
    handle->json = (struct kvc_span){ .text = text.text, .length = text.length };
    size_t count = 0;
    while (kvc_record_arrow(&handle->record, count) != NULL)
        count++;
    handle->named = kvc_arena_array(&handle->arena, count + 1, sizeof *handle->named);
    for (size_t i = 0; i < count && handle->named != NULL; i++) {
        struct kvc_span id = kvc_record_arrow(&handle->record, i)->text;
        handle->named[i] = kvc_arena_copy(&handle->arena, id).text;
        if (handle->named[i] == NULL)
            return no_memory(err);
    }
    if (handle->named == NULL)
        return no_memory(err);
    handle->named_count = count;
    return KVCAP_OK;
}

kvcap_code kvc_handle_scan(struct kvcap_record *handle, struct kvc_span text, int32_t syntax,
                           struct kvc_value **ret_tree, kvcap_error *err)
{
    if (syntax == KVCAP_YAML)
        return kvc_yaml(&handle->arena, text, KVC_RECORD_BYTES_MAX, ret_tree, err);
    if (text.length <= KVC_RECORD_BYTES_MAX) {
        text = kvc_arena_copy(&handle->arena, text);
        if (text.text == NULL)
            return no_memory(err);
    }
    return kvc_scan(&handle->arena, text, KVC_RECORD_BYTES_MAX, KVC_SCAN_RECORD, ret_tree, err);
}

static kvcap_code open_tree(struct kvcap_record *handle, struct kvc_value *tree, bool any_id,
                            kvcap_error *err)
{
    struct kvc_reading reading = { .arena = &handle->arena,
                                   .memory = &kvc_os_memory,
                                   .sha = kvc_sha256_new(),
                                   .err = err,
                                   .any_id = any_id };
    if (reading.sha == NULL)
        return no_memory(err);
    kvcap_code rc = kvc_record_open(&reading, tree, &handle->record);
    kvc_sha256_free(reading.sha);
    return rc == KVCAP_OK ? kvc_handle_finish(handle, err) : rc;
}

kvcap_code kvc_handle_read(struct kvc_span text, int32_t syntax, bool any_id,
                           struct kvcap_record **ret_handle, kvcap_error *err)
{
    struct kvc_value *tree;
    struct kvcap_record *handle = kvc_handle_new();
    if (handle == NULL)
        return no_memory(err);
    kvcap_code rc = kvc_handle_scan(handle, text, syntax, &tree, err);
    if (rc == KVCAP_OK)
        rc = open_tree(handle, tree, any_id, err);
    if (rc == KVCAP_OK)
        *ret_handle = handle;
    else
        kvcap_record_free(handle);
    return rc;
}

/* The part of sealing that is plan/'s to say: what is reported against what the contract leaves. */
static kvcap_code check_budgets(const struct kvc_record *evidence, const struct kvc_naming *naming,
                                kvcap_error *err)
{
    const struct kvc_record *contract = naming->find(naming->context, evidence->evidence.contract);
    return contract == NULL ? KVCAP_OK
                            : kvc_budgets_check(&contract->contract, &evidence->evidence, err);
}

kvcap_code kvc_handle_seal(struct kvcap_record *handle, struct kvc_value *tree,
                           const struct kvc_naming *naming, kvcap_error *err)
{
    struct kvc_reading reading = {
        .arena = &handle->arena, .memory = &kvc_os_memory, .sha = kvc_sha256_new(), .err = err
    };
    if (reading.sha == NULL)
        return no_memory(err);
    kvcap_code rc = kvc_seal(&reading, tree, naming, &handle->record);
    if (rc == KVCAP_OK && handle->record.kind == KVC_KIND_EVIDENCE)
        rc = check_budgets(&handle->record, naming, err);
    kvc_sha256_free(reading.sha);
    return rc == KVCAP_OK ? kvc_handle_finish(handle, err) : rc;
}

static const struct kvc_record *find_on_shelf(void *context, struct kvc_span id)
{
    const struct kvc_shelf *shelf = context;
    for (size_t i = 0; i < shelf->records_count; i++) {
        if (shelf->records[i] != NULL && kvc_span_is(id, shelf->records[i]->record.id))
            return &shelf->records[i]->record;
    }
    return NULL;
}

struct kvc_naming kvc_shelf_naming(struct kvc_shelf *shelf)
{
    return (struct kvc_naming){ .find = find_on_shelf, .context = shelf };
}
