/* fetch.h - a model's metadata from a hub into the cache.
 *
 * Room:   face/net.
 * In:     a name that was checked, and settings.
 * Out:    the path of a manifest whose every blob is in the cache and whole.
 * Knows:  base/, os/, face/hub, face/net.
 *
 *   REV --cache?--> commit --cache?--> manifest --blobs whole?--> done, without the network
 *    |                                    |
 *    +-- GET the revision: commit, names -+-- GET what is missing: small files, headers
 *
 * A commit never changes, so what is cached of one is never asked for again.  A branch is asked for
 * once a fetch.  Offline, what REV was last is good enough.
 */
#ifndef KVC_FACE_NET_FETCH_H
#define KVC_FACE_NET_FETCH_H

#include "base/arena.h"
#include "base/fail.h"
#include "face/hub/name.h"
#include "face/net/settings.h"

/* The path lives in the arena. */
kvcap_code kvc_fetch(const struct kvc_net_settings *settings, const struct kvc_hub_name *name,
                     struct kvc_arena *arena, const char **ret_manifest, kvcap_error *err);

#endif /* KVC_FACE_NET_FETCH_H */
