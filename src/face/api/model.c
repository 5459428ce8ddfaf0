/* model.c - models from a publisher's files.  Declared in include/kvcap.h. */

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "face/api/handle.h"
#include "meta/folder.h"
#include "meta/rivals.h"
#include "os/os.h"
#include "record/describe.h"
#include "record/id.h"
#include "shape/agree.h"
#include "shape/from_gguf.h"

static kvcap_code null_argument(kvcap_error *error, const char *name)
{
    return kvc_fail(error, KVC_USAGE_NULL, name, "%s must not be NULL", name);
}

static kvcap_code no_memory(kvcap_error *error)
{
    return kvc_fail(error, KVC_MEMORY_FULL, "", "the model needs more memory");
}

/* What the caller gave, and memory until the call ends. */
struct given {
    struct kvc_folder_file *files;
    size_t count;
    struct kvc_arena *scratch;
};

/* ---- What the answer rests on, as one digest. */

static kvcap_code digest_of(struct kvc_sha256 *sha, const void *bytes, size_t length,
                            char ret_hex[KVC_SHA256_HEX + 1], kvcap_error *error)
{
    char digest[KVC_DIGEST_ROOM];
    kvc_sha256_begin(sha);
    kvc_sha256_feed(sha, bytes, length);
    kvcap_code rc = kvc_digest_end(sha, digest, error);
    if (rc == KVCAP_OK)
        memcpy(ret_hex, digest + strlen("sha256:"), KVC_SHA256_HEX + 1);
    return rc;
}

static kvcap_code digest_of_file(struct kvc_sha256 *sha, const struct kvc_folder_file *file,
                                 char ret_hex[KVC_SHA256_HEX + 1], kvcap_error *error)
{
    if (file->sha256 == NULL)
        return digest_of(sha, file->bytes.text, (size_t)file->read_bytes, ret_hex, error);
    memcpy(ret_hex, file->sha256, KVC_SHA256_HEX + 1);
    return KVCAP_OK;
}

/* The files that were read, sorted by name. */
static size_t read_files(const struct kvc_folder_file *files, size_t count,
                         const struct kvc_folder_file **ret_read)
{
    size_t read = 0;
    for (size_t i = 0; i < count; i++) {
        if (files[i].read_bytes == 0)
            continue;
        size_t at = read++;
        while (at > 0 && strcmp(ret_read[at - 1]->name, files[i].name) > 0) {
            ret_read[at] = ret_read[at - 1];
            at--;
        }
        ret_read[at] = &files[i];
    }
    return read;
}

/* Lines "<hex>  <name>\n", as sha256sum writes them. */
static kvcap_code digest_list(struct kvc_sha256 *sha, const struct kvc_folder_file *const *read,
                              size_t count, struct kvc_arena *scratch,
                              char ret_hex[KVC_SHA256_HEX + 1], kvcap_error *error)
{
    size_t room = 1, used = 0;
    for (size_t i = 0; i < count; i++)
        room += KVC_SHA256_HEX + 2 + strlen(read[i]->name) + 1;
    char *lines = kvc_arena_take(scratch, room);
    if (lines == NULL)
        return no_memory(error);
    for (size_t i = 0; i < count; i++) {
        char hex[KVC_SHA256_HEX + 1];
        kvcap_code rc = digest_of_file(sha, read[i], hex, error);
        if (rc != KVCAP_OK)
            return rc;
        used += (size_t)snprintf(lines + used, room - used, "%s  %s\n", hex, read[i]->name);
    }
    return digest_of(sha, lines, used, ret_hex, error);
}

static kvcap_code describe_artefact(const struct kvc_folder *folder, const struct given *given,
                                    struct kvc_artefact *artefact, char ret_hex[KVC_SHA256_HEX + 1],
                                    kvcap_error *error)
{
    const struct kvc_folder_file **read =
        kvc_arena_array(given->scratch, given->count, sizeof *read);
    struct kvc_sha256 *sha = read == NULL ? NULL : kvc_sha256_new();
    if (sha == NULL)
        return no_memory(error);
    size_t read_count = read_files(given->files, given->count, read);
    assert(read_count > 0); /* a folder of which nothing was read is refused */
    bool is_list = read_count > 1 || folder->kind == KVC_FOLDER_PARAMS;
    artefact->format = is_list                              ? "folder"
                       : folder->kind == KVC_FOLDER_GGUF    ? "gguf"
                       : folder->kind == KVC_FOLDER_WEIGHTS ? "safetensors"
                                                            : "config_json";
    kvcap_code rc = is_list ? digest_list(sha, read, read_count, given->scratch, ret_hex, error)
                            : digest_of_file(sha, read[0], ret_hex, error);
    struct ck bytes = ck_u64(0);
    for (size_t i = 0; i < read_count; i++)
        bytes = ck_add(bytes, ck_u64(read[i]->read_bytes));
    kvc_sha256_free(sha);
    artefact->sha256 = kvc_span_of(ret_hex);
    return rc == KVCAP_OK ? ck_take(bytes, "bytes of the files", &artefact->bytes, error) : rc;
}

/* ---- The shape. */

static kvcap_code compare_rivals(const struct kvc_agree *agree, const struct given *given,
                                 const struct kvc_facts *believed, const struct kvc_found *said,
                                 struct kvc_found *found)
{
    kvcap_code rc = KVCAP_OK;
    for (size_t i = 0; i < given->count && rc == KVCAP_OK; i++) {
        const struct kvc_folder_file *file = &given->files[i];
        struct kvc_facts rival = { .tree = NULL };
        struct kvc_mark mark = kvc_arena_mark(given->scratch);
        if (!file->is_rival)
            continue;
        rc = kvc_rival_read(believed, file->name, file->bytes, given->scratch, agree->notes, &rival,
                            agree->err);
        if (rc == KVCAP_OK && rival.tree != NULL)
            rc = kvc_agree_with_rival(agree, believed->artefact, said, &rival, given->scratch,
                                      found);
        kvc_arena_rewind(given->scratch, mark);
    }
    return rc;
}

static kvcap_code find_shape(const struct kvc_folder *folder, const struct given *given,
                             struct kvc_notes *notes, struct kvc_found *found, kvcap_error *error)
{
    struct kvc_arena *arena = notes->arena;
    if (folder->kind == KVC_FOLDER_WEIGHTS)
        return kvc_found_of_weights(&folder->weights, folder->weights_whole, arena, found, error);
    if (folder->kind == KVC_FOLDER_GGUF)
        return kvc_shape_from_gguf(&folder->facts,
                                   folder->gguf_bytes <= KVC_SAFE_MAX ? folder->gguf_bytes : 0,
                                   arena, found, error);
    struct kvc_agree agree = { .weights = &folder->weights,
                               .is_whole = folder->weights_whole,
                               .is_quantised = folder->quant.method.length > 0,
                               .notes = notes,
                               .arena = arena,
                               .err = error };
    kvcap_code rc = kvc_found_of_facts(&folder->facts, arena, found, error);
    struct kvc_found said = *found;
    if (rc == KVCAP_OK)
        rc = kvc_agree_with_weights(&agree, found);
    return rc == KVCAP_OK ? compare_rivals(&agree, given, &folder->facts, &said, found) : rc;
}

static kvcap_code seal_model(struct kvcap_record *handle, const struct kvc_folder *folder,
                             const struct given *given, const struct kvc_artefact *artefact,
                             struct kvc_notes *notes, kvcap_error *error)
{
    struct kvc_found found = { .weights_bytes = 0 };
    struct kvc_shelf empty = { 0 };
    struct kvc_naming naming = kvc_shelf_naming(&empty);
    kvcap_code rc = find_shape(folder, given, notes, &found, error);
    if (rc != KVCAP_OK)
        return rc;
    /* What a GGUF file says of its family lies in the caller's bytes. */
    found.family = kvc_arena_copy(&handle->arena, found.family);
    struct kvc_value *tree =
        found.family.text == NULL ? NULL : kvc_describe_model(&found, artefact, &handle->arena);
    if (tree == NULL || notes->full)
        return no_memory(error);
    rc = kvc_handle_seal(handle, tree, &naming, error);
    if (rc == KVCAP_OK && folder->kind != KVC_FOLDER_WEIGHTS)
        rc = kvc_handle_keep_facts(handle, &folder->facts, folder->kind == KVC_FOLDER_GGUF, error);
    if (rc == KVCAP_OK)
        kvc_handle_keep_quant(handle, &folder->quant);
    handle->notes = notes->list;
    handle->notes_count = notes->count;
    return rc;
}

static kvcap_code make_model(struct kvcap_record *handle, const struct given *given,
                             const char *name, const char *revision, kvcap_error *error)
{
    struct kvc_folder folder = { .kind = KVC_FOLDER_CONFIG };
    char *hex = kvc_arena_take(&handle->arena, KVC_SHA256_HEX + 1);
    struct kvc_notes notes = { .arena = &handle->arena };
    struct kvc_artefact artefact = {
        .name = kvc_arena_copy(&handle->arena, kvc_span_of(name)),
        .revision =
            kvc_arena_copy(&handle->arena, kvc_span_of(revision == NULL ? "unknown" : revision)),
    };
    if (artefact.name.text == NULL || artefact.revision.text == NULL || hex == NULL)
        return no_memory(error);
    kvcap_code rc = kvc_folder_read(given->files, given->count, &handle->arena, given->scratch,
                                    &notes, &folder, error);
    if (rc == KVCAP_OK)
        rc = describe_artefact(&folder, given, &artefact, hex, error);
    return rc == KVCAP_OK ? seal_model(handle, &folder, given, &artefact, &notes, error) : rc;
}

/* ---- The interface. */

static kvcap_code check_name(const char *text, const char *argument, kvcap_error *error)
{
    if (kvc_span_is_utf8(kvc_span_of(text), NULL) &&
        kvc_is_name(kvc_span_of(text), KVC_NAME_BYTES_MAX))
        return KVCAP_OK;
    return kvc_fail(error, KVC_RECORD_BAD_NAME, argument, "this is no name of a %s",
                    argument[0] == 'n' ? "model" : argument);
}

static bool is_hex(const char *sha256)
{
    size_t length = 0;
    while (length <= KVC_SHA256_HEX && sha256[length] != '\0') {
        char c = sha256[length++];
        if ((c < '0' || c > '9') && (c < 'a' || c > 'f'))
            return false;
    }
    return length == KVC_SHA256_HEX;
}

static kvcap_code check_file(const kvcap_model_file *file, struct kvc_folder_file *ret_file,
                             kvcap_error *error)
{
    if (file->struct_size != sizeof *file)
        return kvc_fail(error, KVC_USAGE_STRUCT_SIZE, "files", "struct_size is %u where %zu is due",
                        (unsigned)file->struct_size, sizeof *file);
    if (file->reserved != 0)
        return kvc_fail(error, KVC_USAGE_OUT_OF_RANGE, "reserved", "reserved must be 0");
    if (file->name == NULL)
        return null_argument(error, "name");
    if (file->bytes == NULL && file->length > 0)
        return null_argument(error, "bytes");
    if (file->length > file->file_bytes || file->length > SIZE_MAX / 2)
        return kvc_fail(error, KVC_USAGE_OUT_OF_RANGE, "length",
                        "length must be at most file_bytes");
    if (file->sha256 != NULL && !is_hex(file->sha256))
        return kvc_fail(error, KVC_USAGE_OUT_OF_RANGE, "sha256",
                        "sha256 must be 64 lower-case hex digits");
    *ret_file = (struct kvc_folder_file){ .name = file->name,
                                          .bytes = { file->bytes, (size_t)file->length },
                                          .file_bytes = file->file_bytes,
                                          .sha256 = file->sha256 };
    return KVCAP_OK;
}

static kvcap_code check_files(const kvcap_model_file *files, size_t count,
                              struct kvc_arena *scratch, struct kvc_folder_file **ret_files,
                              kvcap_error *error)
{
    if (count == 0)
        return kvc_fail(error, KVC_FOLDER_NO_MODEL, "",
                        "no file says what the model is: neither config.json nor params.json, "
                        "GGUF or safetensors");
    if (count > KVC_FOLDER_FILES_MAX)
        return kvc_fail(error, KVC_FOLDER_TOO_MANY, "", "a folder has at most 4,096 files");
    *ret_files = kvc_arena_array(scratch, count, sizeof **ret_files);
    kvcap_code rc = *ret_files == NULL ? no_memory(error) : KVCAP_OK;
    for (size_t i = 0; i < count && rc == KVCAP_OK; i++)
        rc = check_file(&files[i], &(*ret_files)[i], error);
    return rc;
}

kvcap_code kvcap_model_from_files(const kvcap_model_file *files, size_t count, const char *name,
                                  const char *revision, kvcap_record **ret_model,
                                  kvcap_error *error)
{
    struct kvc_arena scratch;
    struct kvc_folder_file *checked = NULL;
    if (files == NULL)
        return null_argument(error, "files");
    if (name == NULL)
        return null_argument(error, "name");
    if (ret_model == NULL)
        return null_argument(error, "ret_model");
    kvcap_code rc = check_name(name, "name", error);
    if (rc == KVCAP_OK && revision != NULL)
        rc = check_name(revision, "revision", error);
    if (rc != KVCAP_OK)
        return rc;
    struct kvcap_record *handle = kvc_handle_new();
    if (handle == NULL)
        return no_memory(error);
    kvc_arena_from(&scratch, &kvc_os_memory, KVC_HANDLE_BYTES_MAX);
    rc = check_files(files, count, &scratch, &checked, error);
    struct given given = { .files = checked, .count = count, .scratch = &scratch };
    if (rc == KVCAP_OK)
        rc = make_model(handle, &given, name, revision, error);
    kvc_arena_drop(&scratch);
    if (rc == KVCAP_OK)
        *ret_model = handle;
    else
        kvcap_record_free(handle);
    return rc;
}

kvcap_code kvcap_model_from_config(const char *text, size_t length, const char *name,
                                   const char *revision, kvcap_record **ret_model,
                                   kvcap_error *error)
{
    kvcap_model_file file = { .struct_size = sizeof file,
                              .name = "config.json",
                              .bytes = text,
                              .length = length,
                              .file_bytes = length };
    if (text == NULL)
        return null_argument(error, "text");
    return kvcap_model_from_files(&file, 1, name, revision, ret_model, error);
}

kvcap_code kvcap_model_file_needs(const kvcap_model_file *file, uint64_t *ret_bytes,
                                  kvcap_error *error)
{
    struct kvc_folder_file checked;
    struct kvc_arena scratch;
    if (file == NULL)
        return null_argument(error, "file");
    if (ret_bytes == NULL)
        return null_argument(error, "ret_bytes");
    kvc_arena_from(&scratch, &kvc_os_memory, KVC_HANDLE_BYTES_MAX);
    kvcap_code rc = check_file(file, &checked, error);
    if (rc == KVCAP_OK)
        rc = kvc_folder_needs(&checked, &scratch, ret_bytes, error);
    kvc_arena_drop(&scratch);
    return rc;
}

const char *kvcap_record_note(const kvcap_record *record, size_t index, const char **ret_code,
                              const char **ret_at)
{
    if (record == NULL || index >= record->notes_count)
        return NULL;
    const struct kvc_note *note = &record->notes[index];
    if (ret_code != NULL)
        *ret_code = note->code;
    if (ret_at != NULL)
        *ret_at = note->at;
    return note->text;
}
