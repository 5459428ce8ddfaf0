/* cached.c - see cached.h for the room and its promises. */

#include "face/net/cached.h"

#include <string.h>
#include <unistd.h>

#include "face/hub/cache.h"
#include "os/os.h"

static kvcap_code no_memory(kvcap_error *err)
{
    return kvc_fail(err, KVC_MEMORY_FULL, "", "the cache needs more memory");
}

/* ---- Digests. */

static bool digest_of(struct kvc_span bytes, char ret_hex[KVC_SHA256_HEX + 1])
{
    uint8_t digest[KVC_SHA256_BYTES];
    struct kvc_sha256 *sha = kvc_sha256_new();
    bool done = sha != NULL && kvc_sha256_begin(sha);
    if (done) {
        kvc_sha256_feed(sha, bytes.text, bytes.length);
        done = kvc_sha256_end(sha, digest);
    }
    kvc_sha256_free(sha);
    if (done)
        kvc_sha256_hex(digest, ret_hex);
    return done;
}

/* The whole of a blob within bounds has its name's digest. */
static bool is_whole(const char *path, const struct kvc_hub_entry *entry, struct kvc_arena *arena)
{
    struct kvc_mark mark = kvc_arena_mark(arena);
    struct kvc_span bytes;
    char hex[KVC_SHA256_HEX + 1];
    bool whole = kvc_path_is_regular(path) && kvc_path_bytes(path) == entry->stored_bytes &&
                 kvc_file_whole(path, KVC_HUB_STORED_BYTES_MAX, arena, &bytes, NULL) == KVCAP_OK &&
                 bytes.length == entry->stored_bytes && digest_of(bytes, hex) &&
                 strcmp(hex, entry->blob) == 0;
    kvc_arena_rewind(arena, mark);
    return whole;
}

/* ---- Files, whole or not at all. */

/* The folder of a path is made where it is missing. */
static kvcap_code write_file(const char *path, struct kvc_span bytes, struct kvc_arena *arena,
                             kvcap_error *err)
{
    const char *slash = strrchr(path, '/');
    struct kvc_span above = { .text = path, .length = (size_t)(slash - path) };
    const char *folder = kvc_arena_copy(arena, above).text;
    struct kvc_output *output;
    if (folder == NULL)
        return no_memory(err);
    kvcap_code rc = kvc_folder_make(folder, err);
    if (rc == KVCAP_OK)
        rc = kvc_output_open(path, &output, err);
    if (rc != KVCAP_OK)
        return rc;
    kvc_output_put(output, bytes.text, bytes.length);
    return kvc_output_keep(output, err);
}

/* ---- Blobs. */

bool kvc_cached_has(const char *cache, const struct kvc_hub_entry *entry, struct kvc_arena *arena)
{
    const char *path = kvc_hub_blob_path(arena, cache, entry->blob);
    if (path == NULL)
        return false;
    if (is_whole(path, entry, arena))
        return true;
    unlink(path);
    return false;
}

kvcap_code kvc_cached_put(const char *cache, struct kvc_span bytes, struct kvc_arena *arena,
                          char ret_hex[KVC_SHA256_HEX + 1], kvcap_error *err)
{
    struct kvc_hub_entry entry = { .stored_bytes = bytes.length };
    if (!digest_of(bytes, entry.blob))
        return no_memory(err);
    const char *path = kvc_hub_blob_path(arena, cache, entry.blob);
    if (path == NULL)
        return no_memory(err);
    kvcap_code rc = is_whole(path, &entry, arena) ? KVCAP_OK : write_file(path, bytes, arena, err);
    if (rc == KVCAP_OK)
        memcpy(ret_hex, entry.blob, sizeof entry.blob);
    return rc;
}

/* ---- Folders and refs. */

const char *kvc_cached_folder(const struct kvc_net_settings *settings,
                              const struct kvc_hub_name *name, struct kvc_arena *arena)
{
    struct kvc_span org = name->org.length > 0 ? name->org : kvc_span_of("+");
    const char *above = kvc_arena_copy(arena, org).text;
    const char *last = kvc_arena_copy(arena, name->name).text;
    if (above == NULL || last == NULL)
        return NULL;
    return kvc_hub_path(
        arena, (const char *const[]){ settings->cache, "hf", settings->host, above, last, NULL });
}

/* refs/pr/1 is one name: its slashes are written as + */
static const char *ref_path(const char *folder, struct kvc_span revision, struct kvc_arena *arena)
{
    struct kvc_span copy = kvc_arena_copy(arena, revision);
    if (copy.text == NULL)
        return NULL;
    for (char *c = (char *)copy.text; *c != '\0'; c++)
        *c = *c == '/' ? '+' : *c;
    return kvc_hub_path(arena, (const char *const[]){ folder, "refs", copy.text, NULL });
}

struct kvc_span kvc_cached_ref(const char *folder, struct kvc_span revision,
                               struct kvc_arena *arena)
{
    struct kvc_span text, none = { 0 };
    const char *path = ref_path(folder, revision, arena);
    if (path == NULL || !kvc_path_is_regular(path) ||
        kvc_file_whole(path, 256, arena, &text, NULL) != KVCAP_OK)
        return none;
    if (text.length == KVC_HUB_COMMIT_HEX + 1 && text.text[KVC_HUB_COMMIT_HEX] == '\n')
        text.length--;
    return kvc_hub_is_commit(text) ? text : none;
}

kvcap_code kvc_cached_put_ref(const char *folder, struct kvc_span revision, struct kvc_span commit,
                              struct kvc_arena *arena, kvcap_error *err)
{
    char line[KVC_HUB_COMMIT_HEX + 1];
    const char *path = ref_path(folder, revision, arena);
    if (path == NULL)
        return no_memory(err);
    memcpy(line, commit.text, KVC_HUB_COMMIT_HEX);
    line[KVC_HUB_COMMIT_HEX] = '\n';
    return write_file(path, (struct kvc_span){ .text = line, .length = sizeof line }, arena, err);
}

/* ---- Manifests. */

const char *kvc_cached_manifest_path(const char *folder, struct kvc_span commit,
                                     struct kvc_span only, struct kvc_arena *arena)
{
    /* A file's name can be longer than that of a file here, and has slashes: its digest is neither. */
    char name[KVC_SHA256_HEX + sizeof ".json"] = "manifest";
    const char *above = kvc_arena_copy(arena, commit).text;
    if (above == NULL || (only.length > 0 && !digest_of(only, name)))
        return NULL;
    memcpy(name + strlen(name), ".json", sizeof ".json");
    return kvc_hub_path(arena, (const char *const[]){ folder, above, name, NULL });
}

static void drop_broken(struct kvc_hub_manifest *manifest, const char *cache,
                        struct kvc_arena *arena)
{
    size_t kept = 0;
    for (size_t i = 0; i < manifest->entries_count; i++) {
        if (kvc_cached_has(cache, &manifest->entries[i], arena))
            manifest->entries[kept++] = manifest->entries[i];
        else
            manifest->complete = false;
    }
    manifest->entries_count = kept;
}

bool kvc_cached_manifest(const char *path, const char *cache, const struct kvc_hub_name *name,
                         struct kvc_span commit, struct kvc_arena *arena,
                         struct kvc_hub_manifest *ret_manifest)
{
    struct kvc_span text;
    struct kvc_hub_manifest manifest;
    if (!kvc_path_is_regular(path) ||
        kvc_file_whole(path, KVC_HUB_MANIFEST_BYTES_MAX, arena, &text, NULL) != KVCAP_OK ||
        kvc_hub_manifest_read(text, arena, &manifest, NULL) != KVCAP_OK ||
        !kvc_span_equal(manifest.repository, name->repository) ||
        !kvc_span_equal(manifest.commit, commit) || !kvc_span_equal(manifest.only, name->file))
        return false;
    drop_broken(&manifest, cache, arena);
    *ret_manifest = manifest;
    return true;
}

kvcap_code kvc_cached_put_manifest(const char *path, const struct kvc_hub_manifest *manifest,
                                   struct kvc_arena *arena, kvcap_error *err)
{
    struct kvc_span text;
    kvcap_code rc = kvc_hub_manifest_write(manifest, arena, &text, err);
    return rc != KVCAP_OK ? rc : write_file(path, text, arena, err);
}
