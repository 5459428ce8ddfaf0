/* fetch.c - see fetch.h for the room and its promises. */

#include "face/net/fetch.h"

#include <stdio.h>
#include <string.h>

#include "face/net/cached.h"
#include "face/net/http.h"
#include "face/net/listing.h"
#include "face/net/url.h"
#include "face/net/wanted.h"

/* Files between two writings of the manifest, so that a fetch that is killed need not begin anew. */
#define FILES_A_SAVE 16

struct fetch {
    const struct kvc_net_settings *settings;
    const struct kvc_hub_name *name;
    struct kvc_arena *arena;
    struct kvc_http *http; /* NULL until it is needed */
    const char *folder;    /* of the repository in the cache */
    const char *path;      /* of the manifest */
    struct kvc_span commit;
    struct kvc_hub_manifest have; /* what an earlier fetch left */
    kvcap_error *err;
};

static kvcap_code no_memory(const struct fetch *f)
{
    return kvc_fail(f->err, KVC_MEMORY_FULL, "", "the fetch needs more memory");
}

/* ---- Progress: one line of a terminal that rewrites itself. */

static void tell(const struct fetch *f, size_t done, size_t count, struct kvc_span file)
{
    if (f->settings->progress < 0)
        return;
    int length = file.length < 48 ? (int)file.length : 48;
    dprintf(f->settings->progress, "\r%zu of %zu files  %-48.*s", done, count, length, file.text);
}

static void tell_end(const struct fetch *f)
{
    if (f->settings->progress >= 0)
        dprintf(f->settings->progress, "\r%72s\r", "");
}

/* ---- What the cache has. */

/* The manifest of a commit, as far as it is there.  *ret_done: nothing is missing. */
static kvcap_code look(struct fetch *f, struct kvc_span commit, bool *ret_done)
{
    f->commit = commit;
    f->path = kvc_cached_manifest_path(f->folder, commit, f->name->file, f->arena);
    if (f->path == NULL)
        return no_memory(f);
    bool found =
        kvc_cached_manifest(f->path, f->settings->cache, f->name, commit, f->arena, &f->have);
    if (!found)
        f->have = (struct kvc_hub_manifest){ 0 };
    *ret_done = found && f->have.complete;
    return KVCAP_OK;
}

static kvcap_code not_cached(const struct fetch *f)
{
    return kvc_fail(f->err, KVC_NET_OFFLINE, f->name->repository.text,
                    "the cache does not hold all of it at revision %.*s",
                    (int)f->name->revision.length, f->name->revision.text);
}

/* Without the network: a commit that is cached, or offline what a revision was last. */
static kvcap_code look_in_cache(struct fetch *f, bool *ret_done)
{
    bool offline = f->settings->offline;
    struct kvc_span commit = f->name->revision;
    *ret_done = false;
    if (!kvc_hub_is_commit(commit)) {
        if (!offline)
            return KVCAP_OK;
        commit = kvc_cached_ref(f->folder, f->name->revision, f->arena);
    }
    kvcap_code rc = commit.length == 0 ? KVCAP_OK : look(f, commit, ret_done);
    return rc == KVCAP_OK && offline && !*ret_done ? not_cached(f) : rc;
}

/* ---- What the hub has. */

static kvcap_code get_listing(struct fetch *f, struct kvc_listing *ret_listing,
                              const char **ret_url)
{
    struct kvc_body body = { 0 };
    struct kvc_about about;
    const char *url = kvc_url_of_revision(f->arena, f->settings->endpoint, f->name->repository,
                                          f->name->revision);
    if (url == NULL)
        return no_memory(f);
    struct kvc_wish wish = { .kind = KVC_WISH_LISTING, .url = url, .until = KVC_LISTING_BYTES_MAX };
    kvcap_code rc = kvc_http_get(f->http, &wish, &body, &about, f->err);
    if (rc == KVCAP_OK) {
        struct kvc_span text =
            kvc_arena_copy(f->arena, (struct kvc_span){ body.bytes, body.length });
        rc = text.text == NULL ? no_memory(f)
                               : kvc_listing_read(text, f->arena, url, ret_listing, f->err);
    }
    kvc_body_drop(&body);
    *ret_url = url;
    return rc;
}

/* The header of a large file: its first bytes, and more as those tell of more. */
static kvcap_code get_header(struct fetch *f, const struct kvc_wanted *wanted,
                             struct kvc_wish *wish, struct kvc_body *body, struct kvc_about *about)
{
    struct kvc_about first = { 0 };
    uint64_t needed = wanted->first_bytes;
    while (needed > body->length) {
        size_t before = body->length;
        wish->kind = KVC_WISH_PART;
        wish->until = needed;
        kvcap_code rc = kvc_http_get(f->http, wish, body, about, f->err);
        if (rc != KVCAP_OK)
            return rc;
        if (before > 0 && about->file_bytes != first.file_bytes)
            return kvc_fail(f->err, KVC_NET_BAD_ANSWER, wish->url, "the file's length has changed");
        first = *about;
        rc = wanted->need((struct kvc_span){ body->bytes, body->length }, about->file_bytes,
                          f->arena, &needed, f->err);
        if (rc != KVCAP_OK) {
            /* "https://.../model.gguf: offset 8" */
            kvc_fail_within(f->err, ": ");
            kvc_fail_within(f->err, wish->url);
            return rc;
        }
        if (needed > wanted->bytes_max)
            return kvc_fail(f->err, KVC_NET_TOO_LARGE, wish->url,
                            "the header is longer than %llu bytes",
                            (unsigned long long)wanted->bytes_max);
        if (needed > about->file_bytes)
            return kvc_fail(f->err, KVC_NET_BAD_FILE, wish->url,
                            "the header is longer than the file");
    }
    body->length = (size_t)needed; /* what came beyond the header is not kept */
    return KVCAP_OK;
}

/* A small file, or the header of a large one, into `body`. */
static kvcap_code get_file(struct fetch *f, struct kvc_span file, const char *url,
                           struct kvc_body *body, struct kvc_about *about)
{
    const struct kvc_wanted *wanted = kvc_wanted_of(file);
    struct kvc_wish wish = { .kind = KVC_WISH_WHOLE, .url = url, .until = wanted->bytes_max };
    if (wanted->need != NULL)
        return get_header(f, wanted, &wish, body, about);
    return kvc_http_get(f->http, &wish, body, about, f->err);
}

/* The bytes at hand are all of the file: then its digest is known, or told and to be compared. */
static kvcap_code compare_digest(struct fetch *f, const char *url, struct kvc_hub_entry *entry)
{
    if (entry->stored_bytes != entry->file_bytes)
        return KVCAP_OK;
    if (entry->sha256[0] == '\0')
        memcpy(entry->sha256, entry->blob, sizeof entry->sha256);
    if (strcmp(entry->sha256, entry->blob) == 0)
        return KVCAP_OK;
    return kvc_fail(f->err, KVC_NET_BAD_ANSWER, url,
                    "the file does not have the digest it is said "
                    "to have");
}

static kvcap_code fetch_file(struct fetch *f, struct kvc_span file, struct kvc_hub_entry *ret_entry)
{
    struct kvc_body body = { 0 };
    struct kvc_about about = { 0 };
    struct kvc_hub_entry entry = { .name = file };
    const char *url =
        kvc_url_of_file(f->arena, f->settings->endpoint, f->name->repository, f->commit, file);
    kvcap_code rc = url == NULL ? no_memory(f) : get_file(f, file, url, &body, &about);
    if (rc == KVCAP_OK) {
        entry.file_bytes = about.file_bytes;
        entry.stored_bytes = body.length;
        memcpy(entry.sha256, about.sha256, sizeof entry.sha256);
        rc = kvc_cached_put(f->settings->cache, (struct kvc_span){ body.bytes, body.length },
                            f->arena, entry.blob, f->err);
    }
    if (rc == KVCAP_OK)
        rc = compare_digest(f, url, &entry);
    kvc_body_drop(&body);
    if (rc == KVCAP_OK)
        *ret_entry = entry;
    return rc;
}

/* Keeps what is at hand so far.  A failure to do so is told only where nothing else went wrong. */
static kvcap_code save(struct fetch *f, struct kvc_hub_manifest *now, bool complete)
{
    now->complete = complete;
    struct kvc_mark mark = kvc_arena_mark(f->arena);
    kvcap_code rc = kvc_cached_put_manifest(f->path, now, f->arena, complete ? f->err : NULL);
    kvc_arena_rewind(f->arena, mark);
    return complete ? rc : KVCAP_OK;
}

static kvcap_code fetch_files(struct fetch *f, const struct kvc_span *files, size_t count)
{
    struct kvc_hub_manifest now = { .repository = f->name->repository,
                                    .commit = f->commit,
                                    .only = f->name->file };
    kvcap_code rc = KVCAP_OK;
    size_t fetched = 0;
    now.entries = kvc_arena_array(f->arena, count, sizeof *now.entries);
    if (now.entries == NULL)
        return no_memory(f);
    for (size_t i = 0; i < count && rc == KVCAP_OK; i++) {
        const struct kvc_hub_entry *old = kvc_hub_manifest_find(&f->have, files[i]);
        tell(f, i, count, files[i]);
        if (old != NULL)
            now.entries[i] = *old;
        else
            rc = fetch_file(f, files[i], &now.entries[i]);
        now.entries_count += rc == KVCAP_OK;
        fetched += old == NULL;
        if (rc == KVCAP_OK && old == NULL && fetched % FILES_A_SAVE == 0)
            rc = save(f, &now, false);
    }
    tell_end(f);
    if (rc == KVCAP_OK)
        return save(f, &now, true);
    if (now.entries_count > 0)
        save(f, &now, false);
    return rc;
}

static kvcap_code fetch_from_hub(struct fetch *f)
{
    struct kvc_listing listing = { 0 };
    struct kvc_span *files;
    size_t count;
    bool done;
    const char *url = NULL;
    kvcap_code rc = get_listing(f, &listing, &url);
    if (rc != KVCAP_OK)
        return rc;
    if (kvc_hub_is_commit(f->name->revision) && !kvc_span_equal(f->name->revision, listing.commit))
        return kvc_fail(f->err, KVC_NET_BAD_ANSWER, url, "it is about another commit");
    rc = look(f, listing.commit, &done);
    if (rc == KVCAP_OK && !done) {
        rc = kvc_wanted_choose(listing.names, listing.names_count, f->name->file, f->arena,
                               f->name->repository.text, &files, &count, f->err);
        if (rc == KVCAP_OK)
            rc = fetch_files(f, files, count);
    }
    /* Last, so that a revision never leads to what is not there. */
    if (rc == KVCAP_OK)
        rc = kvc_cached_put_ref(f->folder, f->name->revision, listing.commit, f->arena, f->err);
    return rc;
}

kvcap_code kvc_fetch(const struct kvc_net_settings *settings, const struct kvc_hub_name *name,
                     struct kvc_arena *arena, const char **ret_manifest, kvcap_error *err)
{
    struct fetch f = { .settings = settings, .name = name, .arena = arena, .err = err };
    bool done = false;
    f.folder = kvc_cached_folder(settings, name, arena);
    if (f.folder == NULL)
        return no_memory(&f);
    kvcap_code rc = look_in_cache(&f, &done);
    if (rc == KVCAP_OK && !done) {
        rc = kvc_http_open(settings, &f.http, err);
        if (rc == KVCAP_OK)
            rc = fetch_from_hub(&f);
        kvc_http_close(f.http);
    }
    if (rc == KVCAP_OK)
        *ret_manifest = f.path;
    return rc;
}
