/* manifest.h - what a fetch brought: which files of one commit, and where their beginnings lie.
 *
 * Room:   face/hub.
 * In:     the text of a manifest.json in the cache, which anything may have happened to.
 * Out:    its entries, checked; or its text, canonical.
 * Knows:  base/, json/.
 *
 *   {"commit":"<40 hex>","complete":true,
 *    "files":[{"blob":"<64 hex>","file_bytes":N,"name":"model.safetensors","sha256":"<64 hex>",
 *              "stored_bytes":N}, ...],
 *    "kind":"kvcap-hub-manifest","only":"","repository":"ORG/NAME","version":1}
 *
 * Of most files only the beginning is stored: stored_bytes of file_bytes.  `blob` is the SHA-256 of
 * what is stored, and the name of its file; `sha256` that of the whole file, where the hub told it.
 * `only` is the one file that was asked for, or "".  Files stand sorted by name, each once.
 * `complete` is false while a fetch goes on, and after one that was broken off.
 */
#ifndef KVC_FACE_HUB_MANIFEST_H
#define KVC_FACE_HUB_MANIFEST_H

#include "base/arena.h"
#include "base/digest.h"
#include "base/fail.h"

#define KVC_HUB_MANIFEST_BYTES_MAX ((size_t)16 * 1024 * 1024)
#define KVC_HUB_FILES_MAX 4096
#define KVC_HUB_STORED_BYTES_MAX (UINT64_C(256) * 1024 * 1024)

struct kvc_hub_entry {
    struct kvc_span name;
    uint64_t file_bytes;
    uint64_t stored_bytes;           /* at most file_bytes */
    char blob[KVC_SHA256_HEX + 1];   /* of the stored bytes */
    char sha256[KVC_SHA256_HEX + 1]; /* of the whole file; "" where it is not known */
};

struct kvc_hub_manifest {
    struct kvc_span repository;
    struct kvc_span commit;
    struct kvc_span only;
    bool complete;
    struct kvc_hub_entry *entries;
    size_t entries_count;
};

/* Entries live in the arena; texts borrow the text or live there too.  Refuses with
 * KVC_NET_BAD_MANIFEST at a JSON pointer. */
kvcap_code kvc_hub_manifest_read(struct kvc_span text, struct kvc_arena *arena,
                                 struct kvc_hub_manifest *ret_manifest, kvcap_error *err);

/* The canonical text, in the arena.  The entries must be sorted. */
kvcap_code kvc_hub_manifest_write(const struct kvc_hub_manifest *manifest, struct kvc_arena *arena,
                                  struct kvc_span *ret_text, kvcap_error *err);

/* The entry of a name, or NULL. */
const struct kvc_hub_entry *kvc_hub_manifest_find(const struct kvc_hub_manifest *manifest,
                                                  struct kvc_span name);

#endif /* KVC_FACE_HUB_MANIFEST_H */
