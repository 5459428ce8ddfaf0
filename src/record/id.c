/* id.c - see id.h for the room and its promises. */

#include "record/id.h"

#include <stdio.h>
#include <string.h>

static void feed(void *context, const char *bytes, size_t length)
{
    kvc_sha256_feed(context, bytes, length);
}

struct kvc_sink kvc_sha256_sink(struct kvc_sha256 *sha)
{
    return (struct kvc_sink){ .put = feed, .context = sha };
}

kvcap_code kvc_digest_end(struct kvc_sha256 *sha, char ret_digest[KVC_DIGEST_ROOM],
                          kvcap_error *err)
{
    uint8_t digest[KVC_SHA256_BYTES];
    if (!kvc_sha256_end(sha, digest))
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the digest could not be computed");
    memcpy(ret_digest, "sha256:", 7);
    kvc_sha256_hex(digest, ret_digest + 7);
    return KVCAP_OK;
}

kvcap_code kvc_digest_of(struct kvc_sha256 *sha, const struct kvc_value *value, const char *without,
                         char ret_digest[KVC_DIGEST_ROOM], kvcap_error *err)
{
    struct kvc_sink sink = kvc_sha256_sink(sha);
    kvc_sha256_begin(sha);
    kvc_write(value, without, &sink);
    return kvc_digest_end(sha, ret_digest, err);
}

void kvc_id_join(enum kvc_kind kind, const char *digest, char ret_id[KVC_ID_ROOM])
{
    snprintf(ret_id, KVC_ID_ROOM, "%s@%s", kvc_kind_name(kind), digest);
}

kvcap_code kvc_id_of(struct kvc_sha256 *sha, enum kvc_kind kind, const struct kvc_value *tree,
                     char ret_id[KVC_ID_ROOM], kvcap_error *err)
{
    char digest[KVC_DIGEST_ROOM];
    kvcap_code rc = kvc_digest_of(sha, tree, "id", digest, err);
    if (rc == KVCAP_OK)
        kvc_id_join(kind, digest, ret_id);
    return rc;
}
