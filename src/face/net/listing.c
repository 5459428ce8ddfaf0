/* listing.c - see listing.h for the room and its promises. */

#include "face/net/listing.h"

#include "face/hub/name.h"
#include "json/scan.h"

static kvcap_code bad(const char *at, const char *why, kvcap_error *err)
{
    return kvc_fail(err, KVC_NET_BAD_ANSWER, at, "%s", why);
}

static kvcap_code read_names(const struct kvc_value *siblings, struct kvc_arena *arena,
                             const char *at, struct kvc_listing *listing, kvcap_error *err)
{
    listing->names = kvc_arena_array(arena, siblings->count, sizeof *listing->names);
    if (listing->names == NULL)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the list of files needs more memory");
    for (const struct kvc_value *file = siblings->first; file != NULL; file = file->next) {
        const struct kvc_value *name = kvc_value_member(file, "rfilename");
        if (name == NULL || name->type != KVC_STRING)
            return bad(at, "a file of its list has no name", err);
        if (!kvc_hub_is_file_name(name->text))
            return bad(at, "its list has a file whose name leads elsewhere, or is none", err);
        listing->names[listing->names_count++] = name->text;
    }
    return KVCAP_OK;
}

kvcap_code kvc_listing_read(struct kvc_span text, struct kvc_arena *arena, const char *at,
                            struct kvc_listing *ret_listing, kvcap_error *err)
{
    kvcap_error inner;
    struct kvc_value *top;
    struct kvc_listing listing = { 0 };
    kvcap_code rc = kvc_scan(arena, text, KVC_LISTING_BYTES_MAX, KVC_SCAN_FOREIGN, &top, &inner);
    if (rc == KVCAP_E_NOMEM)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the list of files needs more memory");
    if (rc != KVCAP_OK)
        return kvc_fail(err, KVC_NET_BAD_ANSWER, at, "it is not the JSON that is due: %.120s",
                        inner.text);
    const struct kvc_value *sha = kvc_value_member(top, "sha");
    const struct kvc_value *siblings = kvc_value_member(top, "siblings");
    if (sha == NULL || sha->type != KVC_STRING || !kvc_hub_is_commit(sha->text))
        return bad(at, "it names no commit (\"sha\")", err);
    if (siblings == NULL || siblings->type != KVC_ARRAY)
        return bad(at, "it lists no files (\"siblings\")", err);
    listing.commit = sha->text;
    rc = read_names(siblings, arena, at, &listing, err);
    if (rc == KVCAP_OK)
        *ret_listing = listing;
    return rc;
}
