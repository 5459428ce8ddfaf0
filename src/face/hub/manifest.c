/* manifest.c - see manifest.h for the room and its promises. */

#include "face/hub/manifest.h"

#include <string.h>

#include "face/hub/name.h"
#include "json/read.h"
#include "json/scan.h"
#include "json/write.h"

#define KIND "kvcap-hub-manifest"

static const struct kvc_key TOP_KEYS[] = {
    { "commit", false }, { "complete", false },   { "files", false },   { "kind", false },
    { "only", false },   { "repository", false }, { "version", false },
};

static const struct kvc_key FILE_KEYS[] = {
    { "blob", false },  { "file_bytes", false },   { "name", false },
    { "sha256", true }, { "stored_bytes", false },
};

/* ---- Reading. */

static void read_hex(struct kvc_reader *r, const struct kvc_value *object, const char *key,
                     char ret_hex[KVC_SHA256_HEX + 1])
{
    struct kvc_span text = kvc_read_text(r, object, key);
    if (r->rc != KVCAP_OK)
        return;
    if (!kvc_hub_is_hex(text, KVC_SHA256_HEX)) {
        kvc_refuse_member(r, KVC_RECORD_BAD_DIGEST, object, key,
                          "64 lower-case hex digits are due");
        return;
    }
    memcpy(ret_hex, text.text, KVC_SHA256_HEX);
    ret_hex[KVC_SHA256_HEX] = '\0';
}

static void read_entry(struct kvc_reader *r, const struct kvc_value *value,
                       struct kvc_hub_entry *entry)
{
    if (kvc_read_keys(r, value, FILE_KEYS, KVC_COUNT_OF(FILE_KEYS)) == NULL)
        return;
    entry->name = kvc_read_text(r, value, "name");
    entry->file_bytes = kvc_read_n0(r, value, "file_bytes");
    entry->stored_bytes = kvc_read_u64(r, value, "stored_bytes", 0, KVC_HUB_STORED_BYTES_MAX);
    read_hex(r, value, "blob", entry->blob);
    if (kvc_has(value, "sha256"))
        read_hex(r, value, "sha256", entry->sha256);
    if (r->rc != KVCAP_OK)
        return;
    if (!kvc_hub_is_file_name(entry->name))
        kvc_refuse_member(r, KVC_RECORD_BAD_NAME, value, "name", "no file can be called so");
    else if (entry->stored_bytes > entry->file_bytes)
        kvc_refuse_member(r, KVC_RECORD_OUT_OF_RANGE, value, "stored_bytes",
                          "more is stored than the file has");
    else if (entry->stored_bytes == entry->file_bytes && entry->sha256[0] != '\0' &&
             strcmp(entry->sha256, entry->blob) != 0)
        kvc_refuse_member(r, KVC_RECORD_BAD_DIGEST, value, "sha256",
                          "all of the file is stored, but its digest is another");
}

static void read_entries(struct kvc_reader *r, const struct kvc_value *array,
                         struct kvc_arena *arena, struct kvc_hub_manifest *manifest)
{
    if (array == NULL)
        return;
    struct kvc_hub_entry *entries = kvc_arena_array(arena, array->count, sizeof *entries);
    if (entries == NULL) {
        r->rc = kvc_fail(r->err, KVC_MEMORY_FULL, "", "the manifest needs more memory");
        return;
    }
    size_t count = 0;
    for (const struct kvc_value *v = array->first; v != NULL && r->rc == KVCAP_OK; v = v->next) {
        read_entry(r, v, &entries[count]);
        if (count > 0 && r->rc == KVCAP_OK &&
            kvc_span_compare(entries[count - 1].name, entries[count].name) >= 0)
            kvc_refuse(r, KVC_RECORD_NOT_SORTED, v, "files stand sorted by name, each once");
        count++;
    }
    manifest->entries = entries;
    manifest->entries_count = count;
}

static void read_kind(struct kvc_reader *r, const struct kvc_value *top)
{
    static const char *const KINDS[] = { KIND };
    kvc_read_word(r, top, "kind", KINDS, KVC_COUNT_OF(KINDS));
    kvc_read_u64(r, top, "version", 1, 1);
}

/* "ORG/NAME" or "NAME", and nothing more. */
static bool is_repository(struct kvc_span text)
{
    char word[sizeof KVC_HUB_PREFIX + 2 * KVC_HUB_PART_BYTES_MAX + 1] = KVC_HUB_PREFIX;
    size_t prefix = strlen(KVC_HUB_PREFIX);
    struct kvc_hub_name name;
    if (text.length == 0 || text.length >= sizeof word - prefix)
        return false;
    memcpy(word + prefix, text.text, text.length);
    word[prefix + text.length] = '\0';
    return strlen(word) == prefix + text.length &&
           kvc_hub_name_read(word, &name, NULL) == KVCAP_OK &&
           name.repository.length == text.length;
}

static void read_top(struct kvc_reader *r, const struct kvc_value *top, struct kvc_arena *arena,
                     struct kvc_hub_manifest *manifest)
{
    if (kvc_read_keys(r, top, TOP_KEYS, KVC_COUNT_OF(TOP_KEYS)) == NULL)
        return;
    read_kind(r, top);
    manifest->repository = kvc_read_text(r, top, "repository");
    manifest->commit = kvc_read_text(r, top, "commit");
    manifest->only = kvc_read_text(r, top, "only");
    if (r->rc != KVCAP_OK)
        return;
    const struct kvc_value *complete = kvc_value_member(top, "complete");
    manifest->complete = complete->type == KVC_TRUE;
    if (complete->type != KVC_TRUE && complete->type != KVC_FALSE)
        kvc_refuse(r, KVC_RECORD_WRONG_TYPE, complete, "a boolean is due here");
    if (!is_repository(manifest->repository))
        kvc_refuse_member(r, KVC_RECORD_BAD_NAME, top, "repository", "ORG/NAME is due here");
    if (!kvc_hub_is_commit(manifest->commit))
        kvc_refuse_member(r, KVC_RECORD_BAD_NAME, top, "commit", "40 hex digits are due here");
    if (manifest->only.length > 0 && !kvc_hub_is_file_name(manifest->only))
        kvc_refuse_member(r, KVC_RECORD_BAD_NAME, top, "only", "no file can be called so");
    read_entries(r, kvc_read_array(r, top, "files", 0, KVC_HUB_FILES_MAX), arena, manifest);
}

kvcap_code kvc_hub_manifest_read(struct kvc_span text, struct kvc_arena *arena,
                                 struct kvc_hub_manifest *ret_manifest, kvcap_error *err)
{
    kvcap_error inner;
    struct kvc_value *top;
    struct kvc_reader reader = { .err = &inner };
    struct kvc_hub_manifest manifest = { 0 };
    reader.rc = kvc_scan(arena, text, KVC_HUB_MANIFEST_BYTES_MAX, KVC_SCAN_RECORD, &top, &inner);
    if (reader.rc == KVCAP_OK)
        read_top(&reader, top, arena, &manifest);
    if (reader.rc == KVCAP_E_NOMEM) {
        if (err != NULL)
            *err = inner;
        return reader.rc;
    }
    if (reader.rc != KVCAP_OK)
        return kvc_fail(err, KVC_NET_BAD_MANIFEST, inner.at, "%s", inner.text);
    *ret_manifest = manifest;
    return KVCAP_OK;
}

/* ---- Writing. */

static void build_entry(struct kvc_build *build, struct kvc_value *files,
                        const struct kvc_hub_entry *entry)
{
    struct kvc_value *file = kvc_build_object(build, files, NULL);
    kvc_build_text(build, file, "name", entry->name);
    kvc_build_u64(build, file, "file_bytes", entry->file_bytes);
    kvc_build_u64(build, file, "stored_bytes", entry->stored_bytes);
    kvc_build_text(build, file, "blob", kvc_span_of(entry->blob));
    if (entry->sha256[0] != '\0')
        kvc_build_text(build, file, "sha256", kvc_span_of(entry->sha256));
}

kvcap_code kvc_hub_manifest_write(const struct kvc_hub_manifest *manifest, struct kvc_arena *arena,
                                  struct kvc_span *ret_text, kvcap_error *err)
{
    struct kvc_build build = { .arena = arena };
    struct kvc_text text = { .arena = arena };
    struct kvc_value *top = kvc_build_object(&build, NULL, NULL);
    kvc_build_text(&build, top, "kind", kvc_span_of(KIND));
    kvc_build_u64(&build, top, "version", 1);
    kvc_build_text(&build, top, "repository", manifest->repository);
    kvc_build_text(&build, top, "commit", manifest->commit);
    kvc_build_text(&build, top, "only", manifest->only);
    kvc_build_bool(&build, top, "complete", manifest->complete);
    struct kvc_value *files = kvc_build_array(&build, top, "files");
    for (size_t i = 0; i < manifest->entries_count; i++)
        build_entry(&build, files, &manifest->entries[i]);
    if (!build.full) {
        struct kvc_sink sink = kvc_text_sink(&text);
        kvc_write(top, NULL, &sink);
    }
    if (build.full || text.full)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the manifest needs more memory");
    *ret_text = (struct kvc_span){ .text = text.text, .length = text.length };
    return KVCAP_OK;
}

const struct kvc_hub_entry *kvc_hub_manifest_find(const struct kvc_hub_manifest *manifest,
                                                  struct kvc_span name)
{
    for (size_t low = 0, high = manifest->entries_count; low < high;) {
        size_t middle = low + (high - low) / 2;
        int order = kvc_span_compare(name, manifest->entries[middle].name);
        if (order == 0)
            return &manifest->entries[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}
