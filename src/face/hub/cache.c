/* cache.c - see cache.h for the room and its promises. */

#include "face/hub/cache.h"

#include <stdlib.h>
#include <string.h>

const char *kvc_hub_path(struct kvc_arena *arena, const char *const *parts)
{
    size_t length = 0;
    for (const char *const *part = parts; *part != NULL; part++)
        length += strlen(*part) + 1;
    char *path = kvc_arena_take(arena, length + 1), *at = path;
    if (path == NULL)
        return NULL;
    for (const char *const *part = parts; *part != NULL; part++) {
        size_t bytes = strlen(*part);
        if (part != parts)
            *at++ = '/';
        memcpy(at, *part, bytes);
        at += bytes;
    }
    *at = '\0';
    return path;
}

const char *kvc_hub_blob_path(struct kvc_arena *arena, const char *cache, const char *hex)
{
    return kvc_hub_path(arena, (const char *const[]){ cache, "blobs", "sha256", hex, NULL });
}

/* Set and not empty; only an absolute one where `absolute`, as XDG has it. */
static const char *variable(const char *name, bool absolute)
{
    const char *value = getenv(name);
    if (value == NULL || value[0] == '\0' || (absolute && value[0] != '/'))
        return NULL;
    return value;
}

kvcap_code kvc_hub_cache_folder(struct kvc_arena *arena, const char **ret_folder, kvcap_error *err)
{
    const char *own = variable("KVCAP_CACHE", false);
    const char *xdg = variable("XDG_CACHE_HOME", true);
    const char *home = variable("HOME", false);
    const char *path;
    if (own != NULL)
        path = kvc_hub_path(arena, (const char *const[]){ own, NULL });
    else if (xdg != NULL)
        path = kvc_hub_path(arena, (const char *const[]){ xdg, "kvcap", NULL });
    else if (home != NULL)
        path = kvc_hub_path(arena, (const char *const[]){ home, ".cache", "kvcap", NULL });
    else
        return kvc_fail(err, KVC_NET_NO_CACHE, "HOME",
                        "none of KVCAP_CACHE, XDG_CACHE_HOME and HOME is set");
    if (path == NULL)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the cache's path needs more memory");
    *ret_folder = path;
    return KVCAP_OK;
}
