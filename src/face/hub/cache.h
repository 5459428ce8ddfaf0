/* cache.h - where in the cache things lie.
 *
 * Room:   face/hub - it reads the environment, and nothing else of the world.
 * In:     the environment; parts of a name that were checked.
 * Out:    paths, in an arena.
 * Knows:  base/.
 *
 *   CACHE/blobs/sha256/<64 hex>                     bytes, by what they are
 *   CACHE/hf/HOST/ORG/NAME/refs/REV                 the commit that REV was last
 *   CACHE/hf/HOST/ORG/NAME/<commit>/manifest.json   what that commit's model folder is made of
 *   CACHE/hf/HOST/ORG/NAME/<commit>/<64 hex>.json   the same for one file that was asked for
 *
 * An old model without ORG has + there, which no ORG can be.  HOST is that of the endpoint, with its
 * port and path where it has them.
 */
#ifndef KVC_FACE_HUB_CACHE_H
#define KVC_FACE_HUB_CACHE_H

#include "base/arena.h"
#include "base/fail.h"
#include "face/hub/name.h"

/* $KVCAP_CACHE, else $XDG_CACHE_HOME/kvcap, else $HOME/.cache/kvcap.  It need not exist. */
kvcap_code kvc_hub_cache_folder(struct kvc_arena *arena, const char **ret_folder, kvcap_error *err);

/* The parts joined by slashes, in the arena; NULL: no memory.  The list ends with NULL. */
const char *kvc_hub_path(struct kvc_arena *arena, const char *const *parts);

/* The blob of a digest; NULL: no memory. */
const char *kvc_hub_blob_path(struct kvc_arena *arena, const char *cache, const char *hex);

#endif /* KVC_FACE_HUB_CACHE_H */
