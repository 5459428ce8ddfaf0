/* id.h - canonical bytes to "kv-capacity-plan@sha256:..." and back.
 *
 * Room:   record/ - no I/O.
 * In:     a tree, with or without its id.
 * Out:    the id of its content.
 * Knows:  base/, json/.
 *
 * The digest covers the canonical text without the member `id`.  Kind and version lie inside it, so
 * one kind can never pass for another.
 */
#ifndef KVC_RECORD_ID_H
#define KVC_RECORD_ID_H

#include "record/record.h"
#include "json/write.h"

/* A sink that feeds a digest which was begun. */
struct kvc_sink kvc_sha256_sink(struct kvc_sha256 *sha);

/* "sha256:<hex>" of the canonical text of a value, as `digest` is written in records. */
#define KVC_DIGEST_ROOM (7 + KVC_SHA256_HEX + 1)
kvcap_code kvc_digest_of(struct kvc_sha256 *sha, const struct kvc_value *value, const char *without,
                         char ret_digest[KVC_DIGEST_ROOM], kvcap_error *err);

/* Ends a begun digest as "sha256:<hex>". */
kvcap_code kvc_digest_end(struct kvc_sha256 *sha, char ret_digest[KVC_DIGEST_ROOM],
                          kvcap_error *err);

void kvc_id_join(enum kvc_kind kind, const char *digest, char ret_id[KVC_ID_ROOM]);

kvcap_code kvc_id_of(struct kvc_sha256 *sha, enum kvc_kind kind, const struct kvc_value *tree,
                     char ret_id[KVC_ID_ROOM], kvcap_error *err);

#endif /* KVC_RECORD_ID_H */
