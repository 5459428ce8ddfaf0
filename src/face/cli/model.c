/* model.c - a model however it is given, and the formats of its cache.  Declared in verbs.h. */

#include <stdlib.h>
#include <string.h>

#include "face/cli/folder.h"
#include "face/cli/hub.h"
#include "face/cli/verbs.h"
#include "meta/builtin.h"
#include "meta/hf.h"
#include "os/os.h"
#include "store/folder.h"

/* ---- Reading. */

/* The folder's name for NAME/config.json, else the file's without its ending. */
static struct kvc_span name_of(const char *path)
{
    struct kvc_span span = kvc_span_of(path);
    if (kvc_span_is(span, "config.json") || kvc_span_ends(span, "/config.json"))
        span.length -= strlen("config.json");
    while (span.length > 1 && span.text[span.length - 1] == '/')
        span.length--;
    size_t begin = span.length;
    while (begin > 0 && span.text[begin - 1] != '/')
        begin--;
    span = (struct kvc_span){ span.text + begin, span.length - begin };
    static const char *const ENDINGS[] = { ".json", ".safetensors", ".gguf" };
    for (size_t i = 0; i < sizeof ENDINGS / sizeof ENDINGS[0]; i++) {
        if (kvc_span_ends(span, ENDINGS[i]))
            span.length -= strlen(ENDINGS[i]);
    }
    bool says_something = span.length > 0 && !kvc_span_is(span, ".") && !kvc_span_is(span, "..");
    return says_something ? span : kvc_span_of("config");
}

/* Our own records say what they are; anything else in JSON is taken for a config.json. */
static bool is_record(struct kvc_span text, struct kvc_arena *scratch)
{
    struct kvc_mark mark = kvc_arena_mark(scratch);
    struct kvc_value *tree;
    bool is =
        kvc_scan(scratch, text, KVC_RECORD_BYTES_MAX, KVC_SCAN_FOREIGN, &tree, NULL) != KVCAP_OK
            ? false
            : kvc_kind_of(tree) != KVC_KIND_NONE;
    kvc_arena_rewind(scratch, mark);
    return is;
}

static kvcap_code add_made(struct kvc_library *library, const char *path, kvcap_record *handle,
                           struct kvc_entry **ret_entry, kvcap_error *err)
{
    struct kvc_entry *entry = kvc_library_add(library, path, handle);
    if (entry == NULL) {
        kvcap_record_free(handle);
        return kvc_fail(err, KVC_MEMORY_FULL, path, "the model needs more memory");
    }
    *ret_entry = entry;
    return KVCAP_OK;
}

/* A record that came through a pipe, and so cannot be read again. */
static kvcap_code from_pipe(struct kvc_library *library, const char *path, struct kvc_span text,
                            struct kvc_entry **ret_entry, kvcap_error *err)
{
    kvcap_record *handle;
    int32_t syntax = kvc_text_is_yaml(path, text) ? KVCAP_YAML : KVCAP_JSON;
    kvcap_code rc = kvcap_record_read(text.text, text.length, syntax, &handle, err);
    if (rc != KVCAP_OK)
        return kvc_in_file(path, 0, rc, err);
    if (handle->record.kind == KVC_KIND_MODEL)
        return add_made(library, path, handle, ret_entry, err);
    kvcap_record_free(handle);
    return kvc_fail(err, KVC_USAGE_WRONG_KIND, path, "the file holds no %s",
                    kvc_kind_name(KVC_KIND_MODEL));
}

static kvcap_code from_config(struct kvc_library *library, const char *path, struct kvc_span text,
                              const char *name, const char *revision, struct kvc_entry **ret_entry,
                              kvcap_error *err)
{
    kvcap_record *handle;
    struct kvc_span found = kvc_arena_copy(&library->arena, name_of(path));
    if (found.text == NULL)
        return kvc_fail(err, KVC_MEMORY_FULL, path, "the model needs more memory");
    kvcap_code rc = kvcap_model_from_config(
        text.text, text.length, name == NULL ? found.text : name, revision, &handle, err);
    if (rc != KVCAP_OK)
        return kvc_in_file(path, 0, rc, err);
    return add_made(library, path, handle, ret_entry, err);
}

/* ---- A folder, or a file of tensors. */

/* The folder without a slash at its end, or the config.json in it. */
static const char *path_within(struct kvc_library *library, const char *folder, bool is_config)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    char *path = kvc_arena_take(&library->arena, length + sizeof "/config.json");
    if (path != NULL)
        snprintf(path, length + sizeof "/config.json", "%.*s%s", (int)length, folder,
                 is_config ? "/config.json" : "");
    return path;
}

static kvcap_code from_gathered(struct kvc_library *library, const char *path,
                                const struct kvc_gathered *gathered, const char *name,
                                const char *revision, struct kvc_entry **ret_entry,
                                kvcap_error *err)
{
    kvcap_record *handle;
    struct kvc_span found = kvc_arena_copy(&library->arena, name_of(path));
    if (found.text == NULL)
        return kvc_fail(err, KVC_MEMORY_FULL, path, "the model needs more memory");
    kvcap_code rc = kvcap_model_from_files(
        gathered->files, gathered->count, name == NULL ? found.text : name, revision, &handle, err);
    return rc != KVCAP_OK ? kvc_in_file(path, 0, rc, err)
                          : add_made(library, path, handle, ret_entry, err);
}

/* A record of ours as a folder's config.json; NULL: there is none. */
struct own {
    const char *config; /* its path */
    const char *beside; /* the first of the files that are then passed over, or NULL */
    size_t beside_count;
};

static kvcap_code find_own(struct kvc_library *library, const char *path,
                           const struct kvc_gathered *gathered, struct own *ret_own,
                           kvcap_error *err)
{
    *ret_own = (struct own){ .config = path, .beside_count = gathered->count - 1 };
    for (size_t i = 0; i < gathered->count && ret_own->beside == NULL; i++) {
        if (strcmp(gathered->files[i].name, "config.json") == 0)
            continue;
        ret_own->beside =
            kvc_arena_copy(&library->arena, kvc_span_of(gathered->files[i].name)).text;
        if (ret_own->beside == NULL)
            return kvc_fail(err, KVC_MEMORY_FULL, path, "the model needs more memory");
    }
    return KVCAP_OK;
}

/* The record is the whole answer; that files lie beside it, which say more, is told. */
static kvcap_code tell_beside(const struct own *own, struct kvcap_record *handle, kvcap_error *err)
{
    struct kvc_notes notes = { .arena = &handle->arena };
    if (own->beside == NULL || handle->notes_count > 0)
        return KVCAP_OK;
    kvc_note_add(
        &notes, "folder.record", "config.json",
        "it is a record of kvcap's own, and all that was read: %zu file%s beside it %s not "
        "looked at, the first is %.120s",
        own->beside_count, own->beside_count == 1 ? "" : "s",
        own->beside_count == 1 ? "was" : "were", own->beside);
    if (notes.full)
        return kvc_fail(err, KVC_MEMORY_FULL, own->config, "the notes need more memory");
    handle->notes = notes.list;
    handle->notes_count = notes.count;
    return KVCAP_OK;
}

/* *ret_own is set instead when the folder's config.json is a record of ours. */
static kvcap_code from_folder(struct kvc_library *library, const char *path, const char *name,
                              const char *revision, struct kvc_entry **ret_entry,
                              struct own *ret_own, kvcap_error *err)
{
    struct kvc_arena arena;
    struct kvc_gathered gathered = { .count = 0 };
    *ret_own = (struct own){ .config = NULL };
    kvc_arena_from(&arena, &kvc_os_memory, KVC_HANDLE_BYTES_MAX);
    kvcap_code rc = kvc_path_is_folder(path) ? kvc_gather_folder(path, &arena, &gathered, err)
                                             : kvc_gather_file(path, &arena, &gathered, err);
    const kvcap_model_file *config = kvc_gathered_named(&gathered, "config.json");
    bool ours =
        config != NULL &&
        is_record((struct kvc_span){ config->bytes, (size_t)config->length }, &library->scratch);
    const char *within =
        path_within(library, path, ours || (config != NULL && gathered.count == 1));
    if (rc == KVCAP_OK && within == NULL)
        rc = kvc_fail(err, KVC_MEMORY_FULL, path, "the model needs more memory");
    if (rc == KVCAP_OK && ours)
        rc = find_own(library, within, &gathered, ret_own, err);
    else if (rc == KVCAP_OK)
        rc = from_gathered(library, within, &gathered, name, revision, ret_entry, err);
    kvc_arena_drop(&arena);
    return rc;
}

/* ---- No file: a name on a hub, or one that kvcap knows. */

static kvcap_code files_of(const struct kvc_hub_model *hub, struct kvc_arena *arena,
                           kvcap_model_file **ret_files, kvcap_error *err)
{
    kvcap_model_file *files = kvc_arena_array(arena, hub->files_count, sizeof *files);
    if (files == NULL)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the model needs more memory");
    for (size_t i = 0; i < hub->files_count; i++) {
        files[i] = (kvcap_model_file){ .struct_size = sizeof files[i],
                                       .name = hub->files[i].name,
                                       .bytes = hub->files[i].bytes,
                                       .length = hub->files[i].length,
                                       .file_bytes = hub->files[i].file_bytes };
    }
    *ret_files = files;
    return KVCAP_OK;
}

static kvcap_code from_hub(struct kvc_library *library, const char *word, const char *name,
                           const char *revision, struct kvc_entry **ret_entry, kvcap_error *err)
{
    struct kvc_arena arena;
    struct kvc_hub_model hub;
    kvcap_model_file *files = NULL;
    kvcap_record *handle;
    kvc_arena_from(&arena, &kvc_os_memory, KVC_HANDLE_BYTES_MAX);
    kvcap_code rc = kvc_hub_fetch(word, false, &arena, &hub, err);
    if (rc == KVCAP_OK)
        rc = files_of(&hub, &arena, &files, err);
    if (rc == KVCAP_OK) {
        rc = kvcap_model_from_files(files, hub.files_count, name == NULL ? hub.repository : name,
                                    revision == NULL ? hub.revision : revision, &handle, err);
        if (rc != KVCAP_OK)
            kvc_in_file(word, 0, rc, err);
    }
    if (rc == KVCAP_OK)
        rc = add_made(library, word, handle, ret_entry, err);
    kvc_arena_drop(&arena);
    return rc;
}

static kvcap_code from_name(struct kvc_library *library, const char *word,
                            struct kvc_entry **ret_entry, kvcap_error *err)
{
    kvcap_record *handle;
    kvcap_error unknown;
    kvcap_code rc = kvcap_model_builtin(word, &handle, &unknown);
    if (rc == KVCAP_OK)
        return add_made(library, word, handle, ret_entry, err);
    if (kvc_fail_is(&unknown, KVC_USAGE_UNKNOWN_NAME))
        return kvc_fail(err, KVC_USAGE_UNKNOWN_NAME, unknown.at, "no file and %s", unknown.text);
    *err = unknown;
    return rc;
}

/* Whether a word that is no file is meant as one: it begins or ends as paths do. */
static bool is_meant_as_path(const char *word)
{
    static const char *const ENDINGS[] = { ".json", ".jsonl",       ".yaml", ".yml",
                                           ".gguf", ".safetensors", "/" };
    struct kvc_span span = kvc_span_of(word);
    for (size_t i = 0; i < sizeof ENDINGS / sizeof ENDINGS[0]; i++) {
        if (kvc_span_ends(span, ENDINGS[i]))
            return true;
    }
    return word[0] == '/' || word[0] == '.' || word[0] == '~' || strcmp(word, "-") == 0;
}

/* ---- Any of them. */

static bool is_of_tensors(const char *path)
{
    return kvc_span_ends(kvc_span_of(path), ".safetensors") ||
           kvc_span_ends(kvc_span_of(path), ".gguf");
}

static kvcap_code from_file(struct kvc_library *library, const char *path, const char *name,
                            const char *revision, struct kvc_entry **ret_entry, bool *ret_made,
                            kvcap_error *err)
{
    struct kvc_span text;
    if (kvc_path_is_yaml(path) || kvc_span_ends(kvc_span_of(path), ".jsonl"))
        return kvc_library_take(library, path, KVC_KIND_MODEL, ret_entry, err);
    kvcap_code rc = kvc_file_whole(path, KVC_CONFIG_BYTES_MAX, &library->arena, &text, err);
    if (rc != KVCAP_OK)
        return rc;
    bool ours = kvc_text_is_yaml(path, text) || is_record(text, &library->scratch);
    if (ours && kvc_path_is_regular(path))
        return kvc_library_take(library, path, KVC_KIND_MODEL, ret_entry, err);
    *ret_made = true;
    return ours ? from_pipe(library, path, text, ret_entry, err)
                : from_config(library, path, text, name, revision, ret_entry, err);
}

kvcap_code kvc_model_of(struct kvc_library *library, const char *word, const char *name,
                        const char *revision, struct kvc_entry **ret_entry, bool *ret_made,
                        kvcap_error *err)
{
    struct own own;
    bool is_there = kvc_path_exists(word);
    *ret_made = !is_there;
    if (!is_there && kvc_span_starts(kvc_span_of(word), "hf:"))
        return from_hub(library, word, name, revision, ret_entry, err);
    if (!is_there && !is_meant_as_path(word) && (name != NULL || revision != NULL))
        return kvc_fail(err, KVC_USAGE_CONFLICT, name != NULL ? "--name" : "--revision",
                        "%.80s is no file, and a built-in model has its own name", word);
    if (!is_there && !is_meant_as_path(word))
        return from_name(library, word, ret_entry, err);
    if (!kvc_path_is_folder(word) && !is_of_tensors(word))
        return from_file(library, word, name, revision, ret_entry, ret_made, err);
    kvcap_code rc = from_folder(library, word, name, revision, ret_entry, &own, err);
    *ret_made = rc == KVCAP_OK && own.config == NULL;
    if (rc == KVCAP_OK && own.config != NULL) {
        rc = from_file(library, own.config, name, revision, ret_entry, ret_made, err);
        if (rc == KVCAP_OK)
            rc = tell_beside(&own, (*ret_entry)->handle, err);
    }
    return rc;
}

struct kvc_span kvc_source_of(const kvcap_record *model, const char *at, struct kvc_span *ret_how)
{
    const struct kvc_value *sources = kvc_value_member(model->record.tree, "sources");
    *ret_how = (struct kvc_span){ NULL, 0 };
    for (const struct kvc_value *s = sources->first; s != NULL; s = s->next) {
        if (!kvc_span_is(kvc_value_member(s, "at")->text, at))
            continue;
        *ret_how = kvc_value_member(s, "how")->text;
        return kvc_value_member(s, "from")->text;
    }
    return *ret_how;
}

void kvc_print_notes(const kvcap_record *model, FILE *out)
{
    const char *at, *text;
    for (size_t i = 0; (text = kvcap_record_note(model, i, NULL, &at)) != NULL; i++)
        fprintf(out, "note: %s: %s\n", at, text);
}

/* ---- Formats of the cache. */

static kvcap_code format_flag(const struct kvc_call *call, const char *flag,
                              enum kvc_format *format, kvcap_error *err)
{
    const char *value = kvc_value_of(call, flag);
    char at[40];
    if (value == NULL || strcmp(value, "auto") == 0)
        return KVCAP_OK;
    snprintf(at, sizeof at, "--%s", flag);
    if (!kvc_format_named(kvc_span_of(value), format))
        return kvc_fail(err, KVC_USAGE_BAD_VALUE, at, "no format is called \"%.48s\"; there are %s",
                        value, kvc_format_words());
    return KVCAP_OK;
}

kvcap_code kvc_cache_flags(const struct kvc_call *call, struct kvc_cache *cache, kvcap_error *err)
{
    if (kvc_given(call, "cache-type") && kvc_given(call, "cache-k") && kvc_given(call, "cache-v"))
        return kvc_fail(err, KVC_USAGE_CONFLICT, "--cache-type",
                        "--cache-k and --cache-v say all that --cache-type says");
    kvcap_code rc = format_flag(call, "cache-type", &cache->k, err);
    cache->v = kvc_given(call, "cache-type") ? cache->k : cache->v;
    if (rc == KVCAP_OK)
        rc = format_flag(call, "cache-k", &cache->k, err);
    return rc == KVCAP_OK ? format_flag(call, "cache-v", &cache->v, err) : rc;
}
