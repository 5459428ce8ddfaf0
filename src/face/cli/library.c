/* library.c - see library.h for the room and its promises. */

#include "face/cli/library.h"

#include <stdlib.h>
#include <string.h>

#include "face/cli/progress.h"
#include "os/os.h"
#include "store/folder.h"
#include "store/stated.h"

#define BUNDLE_BYTES_MAX ((size_t)64 * 1024 * 1024)
#define HEAD_BYTES ((size_t)256 * 1024)
#define FEED_BYTES ((size_t)256 * 1024)
#define ARENA_BYTES_MAX ((size_t)1024 * 1024 * 1024)

void kvc_library_open(struct kvc_library *library, const struct kvc_call *call)
{
    *library = (struct kvc_library){ .call = call };
    kvc_arena_from(&library->arena, &kvc_os_memory, ARENA_BYTES_MAX);
    kvc_arena_from(&library->scratch, &kvc_os_memory, ARENA_BYTES_MAX);
}

static void drop_entries(struct kvc_library *library, size_t from)
{
    while (library->entries_count > from) {
        struct kvc_entry *last = library->entries[--library->entries_count];
        kvcap_record_free(last->handle);
        kvcap_record_free(last->altered);
        free(last);
    }
}

void kvc_library_drop(struct kvc_library *library)
{
    drop_entries(library, 0);
    free(library->entries);
    kvc_arena_drop(&library->scratch);
    kvc_arena_drop(&library->arena);
}

static kvcap_code no_memory(const char *path, kvcap_error *err)
{
    return kvc_fail(err, KVC_MEMORY_FULL, path, "the file's records need more memory");
}

static struct kvc_entry *add_entry(struct kvc_library *library, const char *path)
{
    if (library->entries_count == library->entries_room) {
        size_t room = library->entries_room == 0 ? 16 : library->entries_room * 2;
        struct kvc_entry **bigger = realloc(library->entries, room * sizeof *bigger);
        if (bigger == NULL)
            return NULL;
        library->entries = bigger;
        library->entries_room = room;
    }
    struct kvc_entry *entry = calloc(1, sizeof *entry);
    if (entry == NULL)
        return NULL;
    entry->path = path;
    library->entries[library->entries_count++] = entry;
    return entry;
}

struct kvc_entry *kvc_library_add(struct kvc_library *library, const char *path,
                                  kvcap_record *handle)
{
    struct kvc_entry *entry = add_entry(library, path);
    if (entry == NULL)
        return NULL;
    entry->handle = handle;
    entry->kind = handle->record.kind;
    memcpy(entry->id, handle->record.id, sizeof entry->id);
    return entry;
}

kvcap_code kvc_in_file(const char *path, size_t line, kvcap_code rc, kvcap_error *err)
{
    if (line > 0)
        kvc_fail_add(err, ", in %s line %zu", path, line);
    else
        kvc_fail_add(err, ", in %s", path);
    return rc;
}

static void note_stated(struct kvc_entry *entry, struct kvc_span id)
{
    if (kvc_is_id(id, KVC_KIND_NONE))
        snprintf(entry->id, sizeof entry->id, "%.*s", (int)id.length, id.text);
}

/* One record from its text.  An altered one is an entry with a refusal, not a refusal. */
static kvcap_code add_record(struct kvc_library *library, const char *path, struct kvc_span text,
                             int32_t syntax, size_t line, kvcap_error *err)
{
    struct kvc_entry *entry = add_entry(library, path);
    kvcap_error refusal;
    if (entry == NULL)
        return no_memory(path, err);
    kvcap_code rc = kvcap_record_read(text.text, text.length, syntax, &entry->handle, &refusal);
    if (rc == KVCAP_OK) {
        entry->kind = entry->handle->record.kind;
        memcpy(entry->id, entry->handle->record.id, sizeof entry->id);
        return rc;
    }
    kvc_in_file(path, line, rc, &refusal);
    entry->refusal = refusal;
    note_stated(entry, syntax == KVCAP_YAML ? kvc_stated_yaml(text) : kvc_stated_json(text));
    if (rc == KVCAP_E_ALTERED)
        return kvc_handle_read(text, syntax, true, &entry->altered, err);
    if (err != NULL)
        *err = refusal;
    return rc;
}

/* So that the contract can be looked for before the requests are read. */
static void note_contract(struct kvc_library *library, struct kvc_entry *entry,
                          struct kvc_span header)
{
    struct kvc_value *tree;
    struct kvc_mark mark = kvc_arena_mark(&library->scratch);
    bool read = kvc_scan(&library->scratch, header, KVC_RECORD_BYTES_MAX, KVC_SCAN_RECORD, &tree,
                         NULL) == KVCAP_OK;
    const struct kvc_value *named = read ? kvc_value_member(tree, "contract") : NULL;
    if (named != NULL && named->type == KVC_STRING && kvc_is_id(named->text, KVC_KIND_CONTRACT))
        snprintf(entry->contract, sizeof entry->contract, "%.*s", (int)named->text.length,
                 named->text.text);
    kvc_arena_rewind(&library->scratch, mark);
}

static kvcap_code add_stream(struct kvc_library *library, const char *path, struct kvc_span header,
                             struct kvc_span text, kvcap_error *err)
{
    struct kvc_entry *entry = add_entry(library, path);
    if (entry == NULL)
        return no_memory(path, err);
    entry->kind = KVC_KIND_EVIDENCE;
    entry->is_stream = true;
    note_stated(entry, kvc_stated_json(header));
    note_contract(library, entry, header);
    if (!kvc_path_is_regular(path)) {
        entry->text = kvc_arena_copy(&library->arena, text);
        if (entry->text.text == NULL)
            return no_memory(path, err);
    }
    return KVCAP_OK;
}

/* ---- What kind of text a file holds. */

static struct kvc_span first_line(struct kvc_span text)
{
    const char *end = text.length == 0 ? NULL : memchr(text.text, '\n', text.length);
    return (struct kvc_span){ .text = text.text,
                              .length = end == NULL ? text.length : (size_t)(end - text.text) };
}

static bool is_blank(struct kvc_span text)
{
    for (size_t i = 0; i < text.length; i++) {
        if (memchr(" \t\r\n", text.text[i], 4) == NULL)
            return false;
    }
    return true;
}

/* Whether the line by itself is a whole value: then the file is JSON Lines, if more follows. */
static bool is_whole_value(struct kvc_library *library, struct kvc_span line, bool *ret_is_stream)
{
    struct kvc_mark mark = kvc_arena_mark(&library->scratch);
    struct kvc_value *tree;
    bool whole = kvc_scan(&library->scratch, line, KVC_RECORD_BYTES_MAX, KVC_SCAN_RECORD, &tree,
                          NULL) == KVCAP_OK;
    *ret_is_stream =
        whole && kvc_kind_of(tree) == KVC_KIND_EVIDENCE && !kvc_has(tree, KVC_EVIDENCE_SPLIT);
    kvc_arena_rewind(&library->scratch, mark);
    return whole;
}

static kvcap_code add_bundle(struct kvc_library *library, const char *path, struct kvc_span text,
                             kvcap_error *err)
{
    for (size_t number = 1; text.length > 0; number++) {
        struct kvc_span line = first_line(text);
        size_t taken = line.length + (line.length < text.length);
        if (!is_blank(line)) {
            kvcap_code rc = add_record(library, path, line, KVCAP_JSON, number, err);
            if (rc != KVCAP_OK)
                return rc;
        }
        text = (struct kvc_span){ .text = text.text + taken, .length = text.length - taken };
    }
    return KVCAP_OK;
}

static kvcap_code add_text(struct kvc_library *library, const char *path, struct kvc_span text,
                           kvcap_error *err)
{
    struct kvc_span line = first_line(text);
    struct kvc_span rest = { .text = text.text + line.length, .length = text.length - line.length };
    bool is_stream;
    if (is_blank(rest) || !is_whole_value(library, line, &is_stream))
        return add_record(library, path, text, KVCAP_JSON, 0, err);
    return is_stream ? add_stream(library, path, line, text, err)
                     : add_bundle(library, path, text, err);
}

bool kvc_text_is_yaml(const char *path, struct kvc_span text)
{
    struct kvc_span span = kvc_span_of(path);
    if (kvc_path_is_yaml(path))
        return true;
    if (kvc_span_ends(span, ".json") || kvc_span_ends(span, ".jsonl"))
        return false;
    size_t i = 0;
    while (i < text.length && memchr(" \t\r\n", text.text[i], 4) != NULL)
        i++;
    return i < text.length && text.text[i] != '{';
}

/* A long window is recognised by its first line, so that it is not read into memory for nothing. */
static kvcap_code load(struct kvc_library *library, const char *path, kvcap_error *err)
{
    struct kvc_span text;
    bool more, is_stream = false;
    bool rereadable = kvc_path_is_regular(path);
    kvcap_code rc = kvc_file_head(path, rereadable ? HEAD_BYTES : BUNDLE_BYTES_MAX,
                                  &library->scratch, &text, &more, err);
    if (rc != KVCAP_OK)
        return rc;
    if (more && rereadable) {
        struct kvc_span line = first_line(text);
        if (line.length < text.length && is_whole_value(library, line, &is_stream) && is_stream)
            return add_stream(library, path, line, text, err);
        rc = kvc_file_head(path, BUNDLE_BYTES_MAX, &library->scratch, &text, &more, err);
        if (rc != KVCAP_OK)
            return rc;
    }
    if (more)
        return kvc_fail(err, KVC_RECORD_TOO_LARGE, path, "the file is longer than 64 MiB");
    if (kvc_text_is_yaml(path, text))
        return add_record(library, path, text, KVCAP_YAML, 0, err);
    return add_text(library, path, text, err);
}

bool kvc_text_is_stream(struct kvc_library *library, const char *path, struct kvc_span text)
{
    struct kvc_span line = first_line(text);
    struct kvc_span rest = { text.text + line.length, text.length - line.length };
    bool is_stream;
    return !kvc_text_is_yaml(path, text) && !is_blank(rest) &&
           is_whole_value(library, line, &is_stream) && is_stream;
}

kvcap_code kvc_library_is_stream(struct kvc_library *library, const char *path, bool *ret_is,
                                 kvcap_error *err)
{
    struct kvc_mark mark = kvc_arena_mark(&library->scratch);
    struct kvc_span text;
    bool more;
    *ret_is = false;
    if (!kvc_path_is_regular(path))
        return KVCAP_OK;
    kvcap_code rc = kvc_file_head(path, KVC_RECORD_BYTES_MAX, &library->scratch, &text, &more, err);
    if (rc == KVCAP_OK)
        *ret_is = kvc_text_is_stream(library, path, text);
    kvc_arena_rewind(&library->scratch, mark);
    return rc;
}

kvcap_code kvc_library_load(struct kvc_library *library, const char *path, size_t *ret_first,
                            kvcap_error *err)
{
    for (size_t i = 0; i < library->entries_count; i++) {
        if (strcmp(library->entries[i]->path, path) == 0 &&
            (i == 0 || strcmp(library->entries[i - 1]->path, path) != 0)) {
            *ret_first = i;
            return KVCAP_OK;
        }
    }
    struct kvc_mark mark = kvc_arena_mark(&library->scratch);
    size_t first = library->entries_count;
    kvcap_code rc = load(library, path, err);
    kvc_arena_rewind(&library->scratch, mark);
    if (rc == KVCAP_OK)
        *ret_first = first;
    else
        drop_entries(library, first); /* a refused file leaves no half of itself */
    return rc;
}

/* ---- Looking up. */

static bool is_of_file(const struct kvc_entry *entry, const char *path)
{
    return strcmp(entry->path, path) == 0;
}

static kvcap_code own_refusal(const struct kvc_entry *entry, kvcap_error *err)
{
    if (entry->refusal.code != KVCAP_OK && err != NULL)
        *err = entry->refusal;
    return entry->refusal.code;
}

kvcap_code kvc_library_take(struct kvc_library *library, const char *path, enum kvc_kind kind,
                            struct kvc_entry **ret_entry, kvcap_error *err)
{
    size_t first;
    kvcap_code rc = kvc_library_load(library, path, &first, err);
    if (rc != KVCAP_OK)
        return rc;
    struct kvc_entry *found = NULL;
    for (size_t i = first; i < library->entries_count && is_of_file(library->entries[i], path);
         i++) {
        struct kvc_entry *entry = library->entries[i];
        if (entry->refusal.code != KVCAP_OK)
            return own_refusal(entry, err);
        if (entry->kind != kind)
            continue;
        if (found != NULL)
            return kvc_fail(err, KVC_USAGE_WRONG_KIND, path, "the file holds more than one %s",
                            kvc_kind_name(kind));
        found = entry;
    }
    if (found == NULL)
        return kvc_fail(err, KVC_USAGE_WRONG_KIND, path, "the file holds no %s",
                        kvc_kind_name(kind));
    *ret_entry = found;
    return KVCAP_OK;
}

static struct kvc_entry *at_hand(const struct kvc_library *library, struct kvc_span id)
{
    for (size_t i = 0; i < library->entries_count; i++) {
        if (kvc_span_is(id, library->entries[i]->id))
            return library->entries[i];
    }
    return NULL;
}

static const char *folder_of(struct kvc_library *library, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return ".";
    size_t length = slash == path ? 1 : (size_t)(slash - path);
    return kvc_arena_copy(&library->arena, (struct kvc_span){ path, length }).text;
}

/* Looks in one folder, and loads the file that states the id. */
static kvcap_code find_in(struct kvc_library *library, const char *folder, struct kvc_span id,
                          struct kvc_entry **ret_entry, kvcap_error *err)
{
    const char *path;
    size_t first;
    kvcap_code rc = kvc_folder_find(folder, id, &library->arena, &library->scratch, &path, err);
    if (rc != KVCAP_OK || path == NULL)
        return rc;
    rc = kvc_library_load(library, path, &first, err);
    if (rc == KVCAP_OK)
        *ret_entry = at_hand(library, id);
    return rc;
}

/* A model that this program knows by name lies in no file.  All of them are made to see which it is: a few
 * milliseconds, and only for an id that nothing else states. */
static kvcap_code find_builtin(struct kvc_library *library, struct kvc_span id,
                               struct kvc_entry **ret_entry, kvcap_error *err)
{
    const char *name;
    if (!kvc_span_starts(id, "kv-model@"))
        return KVCAP_OK;
    for (size_t i = 0; (name = kvcap_builtin_name(i)) != NULL; i++) {
        kvcap_record *handle;
        kvcap_code rc = kvcap_model_builtin(name, &handle, err);
        if (rc != KVCAP_OK)
            return rc;
        if (!kvc_span_is(id, kvcap_record_id(handle))) {
            kvcap_record_free(handle);
            continue;
        }
        *ret_entry = kvc_library_add(library, name, handle);
        return *ret_entry == NULL ? no_memory(name, err) : KVCAP_OK;
    }
    return KVCAP_OK;
}

kvcap_code kvc_library_find(struct kvc_library *library, struct kvc_span id, const char *near,
                            struct kvc_entry **ret_entry, kvcap_error *err)
{
    struct kvc_entry *found = at_hand(library, id);
    kvcap_code rc = KVCAP_OK;
    if (found == NULL && near != NULL && strcmp(near, "-") != 0)
        rc = find_in(library, folder_of(library, near), id, &found, err);
    const char *folder;
    for (size_t i = 0; found == NULL && rc == KVCAP_OK &&
                       (folder = kvc_nth_value_of(library->call, "records", i)) != NULL;
         i++)
        rc = find_in(library, folder, id, &found, err);
    if (rc == KVCAP_OK && found == NULL)
        rc = find_builtin(library, id, &found, err);
    if (rc != KVCAP_OK)
        return rc;
    if (found == NULL)
        return kvc_fail(err, KVC_RECORD_NOT_FOUND, "", "no file at hand states the id %.*s",
                        (int)id.length, id.text);
    *ret_entry = found;
    return own_refusal(found, err);
}

static const struct kvc_record *find_near(void *context, struct kvc_span id)
{
    struct kvc_shelf_near *shelf = context;
    struct kvc_entry *entry;
    kvcap_error refusal;
    kvcap_code rc = kvc_library_find(shelf->library, id, shelf->near, &entry, &refusal);
    if (rc != KVCAP_OK && rc != KVCAP_E_MISSING && shelf->refusal.code == KVCAP_OK)
        shelf->refusal = refusal;
    return rc == KVCAP_OK && entry->handle != NULL ? &entry->handle->record : NULL;
}

kvcap_code kvc_shelf_judge(const struct kvc_shelf_near *shelf, kvcap_code rc, kvcap_error *err)
{
    if (shelf->refusal.code == KVCAP_OK)
        return rc;
    if (err != NULL)
        *err = shelf->refusal;
    return shelf->refusal.code;
}

struct kvc_naming kvc_library_naming(struct kvc_shelf_near *shelf)
{
    return (struct kvc_naming){ .find = find_near, .context = shelf };
}

/* ---- Streams. */

typedef kvcap_code (*feed_function)(void *context, const char *bytes, size_t length,
                                    kvcap_error *err);

static kvcap_code feed_all(struct kvc_file *file, char *buffer, struct kvc_progress *progress,
                           feed_function feed, void *context, kvcap_error *err)
{
    for (;;) {
        size_t got = 0;
        kvcap_code rc = kvc_file_read(file, buffer, FEED_BYTES, &got, err);
        if (rc != KVCAP_OK || got == 0)
            return rc;
        rc = feed(context, buffer, got, err);
        if (rc != KVCAP_OK)
            return rc;
        kvc_progress_add(progress, got);
    }
}

kvcap_code kvc_feed_file(const char *path, feed_function feed, void *context, kvcap_error *err)
{
    struct kvc_file *file;
    struct kvc_progress progress;
    char *buffer = malloc(FEED_BYTES);
    if (buffer == NULL)
        return no_memory(path, err);
    kvcap_code rc = kvc_file_open(path, &file, err);
    if (rc == KVCAP_OK) {
        kvc_progress_begin(&progress, kvc_path_bytes(path));
        rc = feed_all(file, buffer, &progress, feed, context, err);
        kvc_progress_end(&progress);
        kvc_file_close(file);
        if (rc != KVCAP_OK && rc != KVCAP_E_IO)
            kvc_in_file(path, 0, rc, err);
    }
    free(buffer);
    return rc;
}

static kvcap_code feed_stream(void *context, const char *bytes, size_t length, kvcap_error *err)
{
    return kvc_stream_feed(context, bytes, length, err);
}

kvcap_code kvc_entry_feed(const struct kvc_entry *entry, struct kvc_stream *stream,
                          kvcap_error *err)
{
    if (entry->text.length == 0)
        return kvc_feed_file(entry->path, feed_stream, stream, err);
    kvcap_code rc = kvc_stream_feed(stream, entry->text.text, entry->text.length, err);
    return rc == KVCAP_OK ? rc : kvc_in_file(entry->path, 0, rc, err);
}
