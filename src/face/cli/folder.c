/* folder.c - see folder.h for the room and its promises. */

#include "face/cli/folder.h"

#include <stdio.h>
#include <string.h>

#include "meta/file_kind.h"
#include "meta/folder.h"
#include "meta/series.h"
#include "os/os.h"

/* Most headers end within this. */
#define FIRST_BYTES ((size_t)64 * 1024)
/* More than any file says of itself that is not broken, or was made to be read for ever. */
#define NEEDED_BYTES_MAX ((uint64_t)256 * 1024 * 1024)

static kvcap_code no_memory(const char *path, kvcap_error *err)
{
    return kvc_fail(err, KVC_MEMORY_FULL, path, "the files of the model need more memory");
}

/* A projector of images says nothing of what a model keeps. */
static bool matters(const char *name)
{
    enum kvc_file_kind kind = kvc_file_kind_of(kvc_span_of(name));
    return kind != KVC_FILE_OTHER && kind != KVC_FILE_PROJECTOR;
}

static char *join(const char *folder, const char *name, struct kvc_arena *arena)
{
    size_t room = strlen(folder) + strlen(name) + 2;
    char *path = kvc_arena_take(arena, room);
    if (path != NULL)
        snprintf(path, room, "%s/%s", folder, name);
    return path;
}

/* ---- One file. */

/* A file's beginning, growing as its header says piece by piece that it is longer. */
struct beginning {
    struct kvc_file *file;
    struct kvc_arena *arena;
    char *bytes;
    size_t length, room;
};

/* Room for so many bytes, with what is there.  What is asked for grows in steps, or is all there is,
 * so there is no room beside it: a folder may have 4,096 such files. */
static kvcap_code make_room(struct beginning *b, const char *path, size_t bytes, kvcap_error *err)
{
    if (bytes <= b->room)
        return KVCAP_OK;
    char *bigger = kvc_arena_take(b->arena, bytes);
    if (bigger == NULL)
        return no_memory(path, err);
    if (b->length > 0)
        memcpy(bigger, b->bytes, b->length);
    b->bytes = bigger;
    b->room = bytes;
    return KVCAP_OK;
}

static kvcap_code read_to(struct beginning *b, const char *path, size_t bytes, kvcap_error *err)
{
    kvcap_code rc = make_room(b, path, bytes, err);
    while (rc == KVCAP_OK && b->length < bytes) {
        size_t got;
        rc = kvc_file_read(b->file, b->bytes + b->length, bytes - b->length, &got, err);
        if (rc == KVCAP_OK && got == 0)
            rc = kvc_fail(err, KVC_FILE_CHANGED, path, "the file became shorter while it was read");
        b->length += rc == KVCAP_OK ? got : 0;
    }
    return rc;
}

/* Reads as much as the library asks for.  With all of the file at hand there is nothing to ask, and
 * one reading of a long header less. */
static kvcap_code read_needed(struct beginning *b, const char *path, kvcap_model_file *file,
                              kvcap_error *err)
{
    uint64_t needed = file->file_bytes < FIRST_BYTES ? file->file_bytes : FIRST_BYTES;
    for (;;) {
        if (needed > NEEDED_BYTES_MAX)
            return kvc_fail(err, KVC_JSON_TOO_LARGE, path,
                            "more than %u MiB of the file would be needed",
                            (unsigned)(NEEDED_BYTES_MAX / 1024 / 1024));
        kvcap_code rc = read_to(b, path, (size_t)needed, err);
        if (rc != KVCAP_OK)
            return rc;
        file->bytes = b->length > 0 ? b->bytes : ""; /* NULL would say that nothing can be read */
        file->length = b->length;
        if (file->length == file->file_bytes)
            return KVCAP_OK;
        rc = kvcap_model_file_needs(file, &needed, err);
        /* What is wrong with the file is told by whoever reads all of them. */
        if (rc != KVCAP_OK || needed <= file->length)
            return rc == KVCAP_E_NOMEM ? rc : KVCAP_OK;
    }
}

static kvcap_code read_beginning(const char *path, struct kvc_arena *arena, kvcap_model_file *file,
                                 kvcap_error *err)
{
    struct beginning b = { .arena = arena };
    kvcap_code rc = kvc_file_open(path, &b.file, err);
    if (rc != KVCAP_OK)
        return rc;
    rc = read_needed(&b, path, file, err);
    kvc_file_close(b.file);
    return rc;
}

static kvcap_code add_file(struct kvc_gathered *gathered, const char *path, const char *name,
                           struct kvc_arena *arena, kvcap_error *err)
{
    kvcap_model_file file = { .struct_size = sizeof file,
                              .name = name,
                              .file_bytes = kvc_path_bytes(path) };
    /* To open a pipe would wait for somebody who writes to it. */
    kvcap_code rc = kvc_path_need_regular(path, err);
    if (rc == KVCAP_OK)
        rc = read_beginning(path, arena, &file, err);
    if (rc == KVCAP_OK)
        gathered->files[gathered->count++] = file;
    return rc;
}

/* ---- A folder. */

/* Whether a refusal is of this one file, which is there and cannot be read. */
static bool is_of_file(const kvcap_error *err)
{
    return kvc_fail_is(err, KVC_FILE_OPEN) || kvc_fail_is(err, KVC_FILE_READ) ||
           kvc_fail_is(err, KVC_FILE_NOT_REGULAR);
}

/* With config.json or params.json at hand a GGUF file is told of, and not read; tensors that cannot
 * be read are told of, since the rest stands without them. */
static kvcap_code add_named(struct kvc_gathered *gathered, const char *path, const char *name,
                            bool has_facts, struct kvc_arena *arena, kvcap_error *err)
{
    kvcap_model_file untouched = { .struct_size = sizeof untouched, .name = name };
    enum kvc_file_kind kind = kvc_file_kind_of(kvc_span_of(name));
    if (has_facts && kind == KVC_FILE_GGUF) {
        untouched.file_bytes = kvc_path_bytes(path);
        gathered->files[gathered->count++] = untouched;
        return KVCAP_OK;
    }
    kvcap_error refusal;
    kvcap_code rc = add_file(gathered, path, name, arena, &refusal);
    if (rc == KVCAP_OK)
        return rc;
    if (has_facts && kind == KVC_FILE_TENSORS && is_of_file(&refusal)) {
        gathered->files[gathered->count++] = untouched;
        return KVCAP_OK;
    }
    *err = refusal;
    return rc;
}

/* The names that matter move to the front. */
static size_t choose(char **names, size_t count, bool *ret_has_facts)
{
    size_t chosen = 0;
    *ret_has_facts = false;
    for (size_t i = 0; i < count; i++) {
        if (!matters(names[i]))
            continue;
        enum kvc_file_kind kind = kvc_file_kind_of(kvc_span_of(names[i]));
        *ret_has_facts = *ret_has_facts || kind == KVC_FILE_CONFIG || kind == KVC_FILE_PARAMS;
        names[chosen++] = names[i];
    }
    return chosen;
}

kvcap_code kvc_gather_folder(const char *path, struct kvc_arena *arena,
                             struct kvc_gathered *ret_gathered, kvcap_error *err)
{
    static const char META_PARAMS[] = "original/params.json";
    char **names;
    size_t count;
    bool has_facts;
    struct kvc_gathered gathered = { .count = 0 };
    kvcap_code rc = kvc_folder_list(path, arena, &names, &count, err);
    if (rc != KVCAP_OK)
        return rc;
    count = choose(names, count, &has_facts);
    if (count >= KVC_FOLDER_FILES_MAX)
        return kvc_fail(err, KVC_FOLDER_TOO_MANY, path, "the folder has 4,096 such files or more");
    gathered.files = kvc_arena_array(arena, count + 1, sizeof *gathered.files);
    if (gathered.files == NULL)
        return no_memory(path, err);
    for (size_t i = 0; i <= count && rc == KVCAP_OK; i++) {
        const char *name = i < count ? names[i] : META_PARAMS;
        const char *file = join(path, name, arena);
        if (file == NULL)
            return no_memory(path, err);
        if (i < count || kvc_path_exists(file))
            rc = add_named(&gathered, file, name, has_facts, arena, err);
    }
    if (rc == KVCAP_OK)
        *ret_gathered = gathered;
    return rc;
}

/* ---- One file alone. */

/* The other parts of the same model. */
static bool is_same_set(const char *a, const char *b)
{
    struct kvc_series one = kvc_series_of(kvc_span_of(a)), other = kvc_series_of(kvc_span_of(b));
    return kvc_series_same(&one, &other);
}

kvcap_code kvc_gather_file(const char *path, struct kvc_arena *arena,
                           struct kvc_gathered *ret_gathered, kvcap_error *err)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    struct kvc_span folder = { path, slash == NULL ? 0 : (size_t)(slash - path) };
    const char *in = slash == NULL ? "." : slash == path ? "/" : kvc_arena_copy(arena, folder).text;
    char **names = NULL;
    size_t count = 0;
    if (in == NULL)
        return no_memory(path, err);
    kvcap_code rc = kvc_path_need_regular(path, err);
    if (rc == KVCAP_OK && kvc_file_kind_of(kvc_span_of(name)) == KVC_FILE_GGUF)
        rc = kvc_folder_list(in, arena, &names, &count, err);
    if (rc != KVCAP_OK)
        return rc;
    struct kvc_gathered gathered = { .files = kvc_arena_array(arena, count + 1,
                                                              sizeof(kvcap_model_file)) };
    if (gathered.files == NULL)
        return no_memory(path, err);
    rc = add_file(&gathered, path, name, arena, err);
    for (size_t i = 0; i < count && rc == KVCAP_OK; i++) {
        if (strcmp(names[i], name) == 0 || !is_same_set(names[i], name))
            continue;
        const char *part = join(in, names[i], arena);
        rc = part == NULL ? no_memory(path, err) : add_file(&gathered, part, names[i], arena, err);
    }
    if (rc == KVCAP_OK)
        *ret_gathered = gathered;
    return rc;
}

const kvcap_model_file *kvc_gathered_named(const struct kvc_gathered *gathered, const char *name)
{
    for (size_t i = 0; i < gathered->count; i++) {
        if (strcmp(gathered->files[i].name, name) == 0)
            return &gathered->files[i];
    }
    return NULL;
}
