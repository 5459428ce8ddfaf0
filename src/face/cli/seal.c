/* seal.c - the verb seal: a draft to a record. */

#include <string.h>

#include "face/cli/capture.h"
#include "face/cli/verbs.h"
#include "os/os.h"
#include "store/folder.h"

/* ---- file:NAME beside the draft. */

static kvcap_code seal_path(struct kvc_library *library, const char *path, unsigned depth,
                            kvcap_record **ret_record, kvcap_error *err);

static const char *beside(struct kvc_library *library, const char *path, struct kvc_span name)
{
    const char *slash = strrchr(path, '/');
    size_t folder = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    char *joined = kvc_arena_take(&library->arena, folder + name.length + 1);
    if (joined == NULL)
        return NULL;
    memcpy(joined, path, folder);
    memcpy(joined + folder, name.text, name.length);
    joined[folder + name.length] = '\0';
    return joined;
}

/* The record of a file that a draft points at, sealed in memory where it is a draft itself. */
static kvcap_code sealed_id(struct kvc_library *library, const char *path, enum kvc_kind kind,
                            unsigned depth, struct kvc_span *ret_id, kvcap_error *err)
{
    struct kvc_entry *entry;
    kvcap_error refusal;
    kvcap_code rc = kvc_library_take(library, path, kind, &entry, &refusal);
    if (rc != KVCAP_OK && strcmp(refusal.slug, kvc_slug_text(KVC_RECORD_DRAFT)) == 0) {
        kvcap_record *made;
        rc = seal_path(library, path, depth + 1, &made, err);
        entry = rc == KVCAP_OK ? kvc_library_add(library, path, made) : NULL;
        if (rc == KVCAP_OK && entry == NULL) {
            kvcap_record_free(made);
            return kvc_fail(err, KVC_MEMORY_FULL, path, "sealing needs more memory");
        }
    } else if (rc != KVCAP_OK && err != NULL) {
        *err = refusal;
    }
    if (rc == KVCAP_OK)
        *ret_id = kvc_span_of(entry->id);
    return rc;
}

static kvcap_code resolve(struct kvc_library *library, const char *path, unsigned depth,
                          struct kvc_value *tree, const char *key, enum kvc_kind kind,
                          kvcap_error *err)
{
    struct kvc_value *member = kvc_value_member(tree, key);
    if (member == NULL || member->type != KVC_STRING || !kvc_span_starts(member->text, "file:"))
        return KVCAP_OK;
    char at[32];
    snprintf(at, sizeof at, "/%s", key);
    struct kvc_span name = { member->text.text + 5, member->text.length - 5 };
    bool is_name = kvc_is_name(name, KVC_NAME_BYTES_MAX) &&
                   memchr(name.text, '/', name.length) == NULL && !kvc_span_is(name, "-");
    kvcap_code rc = KVCAP_OK;
    if (!is_name)
        rc = kvc_fail(err, KVC_RECORD_BAD_NAME, at, "file: wants the name of a file beside");
    else if (depth >= 4)
        rc = kvc_fail(err, KVC_RECORD_TOO_DEEP, at, "drafts point at drafts in a circle");
    if (rc != KVCAP_OK)
        return kvc_in_file(path, 0, rc, err);
    const char *named = beside(library, path, name);
    if (named == NULL)
        return kvc_fail(err, KVC_MEMORY_FULL, at, "sealing needs more memory");
    return sealed_id(library, named, kind, depth, &member->text, err);
}

static kvcap_code resolve_all(struct kvc_library *library, const char *path, unsigned depth,
                              struct kvc_value *tree, kvcap_error *err)
{
    enum kvc_kind kind = kvc_kind_of(tree);
    if (kind == KVC_KIND_CONTRACT || kind == KVC_KIND_FIT)
        return resolve(library, path, depth, tree, "model", KVC_KIND_MODEL, err);
    if (kind == KVC_KIND_EVIDENCE)
        return resolve(library, path, depth, tree, "contract", KVC_KIND_CONTRACT, err);
    return KVCAP_OK;
}

kvcap_code kvc_seal_files(struct kvc_library *library, const char *path, struct kvc_value *tree,
                          kvcap_error *err)
{
    return resolve_all(library, path, 0, tree, err);
}

/* ---- One object. */

static kvcap_code seal_object(struct kvc_library *library, const char *path, unsigned depth,
                              struct kvcap_record *handle, kvcap_error *err)
{
    struct kvc_span text;
    struct kvc_value *tree;
    struct kvc_shelf_near shelf = { .library = library, .near = path };
    struct kvc_naming naming = kvc_library_naming(&shelf);
    kvcap_code rc = kvc_file_whole(path, KVC_RECORD_BYTES_MAX, &handle->arena, &text, err);
    if (rc != KVCAP_OK)
        return rc;
    if (!kvc_path_is_regular(path) && kvc_text_is_stream(library, path, text))
        return kvc_fail(err, KVC_FILE_NOT_REGULAR, path,
                        "a stream is read twice, which only a file allows");
    int32_t syntax = kvc_text_is_yaml(path, text) ? KVCAP_YAML : KVCAP_JSON;
    rc = kvc_handle_scan(handle, text, syntax, &tree, err);
    if (rc != KVCAP_OK)
        return kvc_in_file(path, 0, rc, err);
    rc = resolve_all(library, path, depth, tree, err);
    if (rc != KVCAP_OK)
        return rc;
    rc = kvc_handle_seal(handle, tree, &naming, err);
    if (rc != KVCAP_OK)
        kvc_in_file(path, 0, rc, err);
    return kvc_shelf_judge(&shelf, rc, err);
}

static kvcap_code seal_path(struct kvc_library *library, const char *path, unsigned depth,
                            kvcap_record **ret_record, kvcap_error *err)
{
    struct kvcap_record *handle = kvc_handle_new();
    if (handle == NULL)
        return kvc_fail(err, KVC_MEMORY_FULL, path, "sealing needs more memory");
    kvcap_code rc = seal_object(library, path, depth, handle, err);
    if (rc == KVCAP_OK)
        *ret_record = handle;
    else
        kvcap_record_free(handle);
    return rc;
}

/* ---- A stream. */

static kvcap_code seal_stream(struct kvc_library *library, const char *path, kvcap_error *err)
{
    struct kvc_capture capture = { .library = library, .path = path, .form = KVC_CAPTURE_STREAM };
    kvcap_code rc = kvc_capture_check(&capture, err);
    if (rc == KVCAP_OK)
        rc = kvc_capture_write(&capture, kvc_value_of(library->call, "o"), true, err);
    kvc_capture_drop(&capture);
    return rc;
}

static kvcap_code seal(struct kvc_library *library, kvcap_error *err)
{
    const struct kvc_call *call = library->call;
    const char *path = call->words[0];
    const char *output = kvc_value_of(call, "o");
    bool is_stream;
    kvcap_record *record;
    if (output != NULL && kvc_path_same(path, output))
        return kvc_fail(err, KVC_USAGE_CONFLICT, "-o", "the draft itself is never overwritten");
    kvcap_code rc = kvc_library_is_stream(library, path, &is_stream, err);
    if (rc != KVCAP_OK)
        return rc;
    if (is_stream)
        return seal_stream(library, path, err);
    rc = seal_path(library, path, 0, &record, err);
    if (rc != KVCAP_OK)
        return rc;
    rc = kvc_write_text(output, record->json, err);
    kvcap_record_free(record);
    return rc;
}

int kvc_verb_seal(const struct kvc_call *call)
{
    struct kvc_library library;
    kvcap_error error;
    kvc_library_open(&library, call);
    kvcap_code rc = seal(&library, &error);
    int status = rc == KVCAP_OK ? KVC_EXIT_YES : kvc_refused(call, &error);
    kvc_library_drop(&library);
    return status;
}
