/* cached.h - what a fetch leaves behind, and what an earlier one left.
 *
 * Room:   face/net - files of the cache.
 * In:     bytes to keep; names of what may be there.
 * Out:    the same bytes, or nothing: what is there and is not what its name says is taken away.
 * Knows:  base/, os/, face/hub.
 *
 * Every file is written beside its place and then renamed, so two fetches at once do not disturb each
 * other and one that is killed leaves at most a hidden file of its own.  The folders are drawn in
 * face/hub/cache.h.
 */
#ifndef KVC_FACE_NET_CACHED_H
#define KVC_FACE_NET_CACHED_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/fail.h"
#include "face/hub/manifest.h"
#include "face/hub/name.h"
#include "face/net/settings.h"

/* Keeps bytes as a blob; its name is their SHA-256. */
kvcap_code kvc_cached_put(const char *cache, struct kvc_span bytes, struct kvc_arena *arena,
                          char ret_hex[KVC_SHA256_HEX + 1], kvcap_error *err);

/* Whether the entry's blob is there and whole.  One that is not is removed. */
bool kvc_cached_has(const char *cache, const struct kvc_hub_entry *entry, struct kvc_arena *arena);

/* CACHE/hf/HOST/ORG/NAME; NULL: no memory. */
const char *kvc_cached_folder(const struct kvc_net_settings *settings,
                              const struct kvc_hub_name *name, struct kvc_arena *arena);

/* The commit that a revision was last, or length 0. */
struct kvc_span kvc_cached_ref(const char *folder, struct kvc_span revision,
                               struct kvc_arena *arena);
kvcap_code kvc_cached_put_ref(const char *folder, struct kvc_span revision, struct kvc_span commit,
                              struct kvc_arena *arena, kvcap_error *err);

/* Where the manifest of a commit lies, of the model as a folder or of one file; NULL: no memory. */
const char *kvc_cached_manifest_path(const char *folder, struct kvc_span commit,
                                     struct kvc_span only, struct kvc_arena *arena);

/* The manifest that lies there, without entries whose blob is not whole (and then it is not
 * complete).  False when there is none that is good and of this commit. */
bool kvc_cached_manifest(const char *path, const char *cache, const struct kvc_hub_name *name,
                         struct kvc_span commit, struct kvc_arena *arena,
                         struct kvc_hub_manifest *ret_manifest);
kvcap_code kvc_cached_put_manifest(const char *path, const struct kvc_hub_manifest *manifest,
                                   struct kvc_arena *arena, kvcap_error *err);

#endif /* KVC_FACE_NET_CACHED_H */
