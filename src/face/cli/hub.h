/* hub.h - a model named hf:ORG/NAME[@REV][/FILE], as files in memory.
 *
 * Room:   face/cli.
 * In:     the name; kvcap-net, which does the fetching; the cache, which it fills.
 * Out:    files with their names, beginnings, lengths and digests, as kvcap_model_from_files wants
 *         them; the commit as the model's revision.
 * Knows:  all.
 *
 * kvcap links no HTTP.  It runs kvcap-net as a child, as git runs its own: found beside the running
 * kvcap, then in ../libexec/kvcap, then on the PATH.  What the child refuses is refused here, with the
 * same slug, place and sentence.
 */
#ifndef KVC_FACE_CLI_HUB_H
#define KVC_FACE_CLI_HUB_H

#include "base/arena.h"
#include "base/fail.h"
#include "face/hub/name.h"

struct kvc_hub_file {
    const char *name;    /* as in the repository: "model-00001-of-00004.safetensors" */
    const void *bytes;   /* its beginning, or all of it */
    size_t length;       /* bytes at hand, at most file_bytes: a small file, or a header exactly */
    uint64_t file_bytes; /* of the whole file */
    const char *sha256;  /* of the bytes at hand, 64 hex digits: kvcap_model_file's sha256 */
    const char *file_sha256; /* of the whole file; NULL where the hub did not tell it */
};

struct kvc_hub_model {
    const char *repository; /* "ORG/NAME" */
    const char *revision;   /* the commit, 40 hex digits */
    const char *manifest;   /* path of the manifest in the cache */
    struct kvc_hub_file *files;
    size_t files_count; /* sorted by name */
};

/* Everything lives in the arena.  A bad name is refused without running anything.  `offline` is for
 * the cache alone; HF_HUB_OFFLINE is looked at by the child. */
kvcap_code kvc_hub_fetch(const char *word, bool offline, struct kvc_arena *arena,
                         struct kvc_hub_model *ret_model, kvcap_error *err);

/* The second half: the files of a manifest that a fetch left. */
kvcap_code kvc_hub_files(const char *manifest, struct kvc_arena *arena,
                         struct kvc_hub_model *ret_model, kvcap_error *err);

#endif /* KVC_FACE_CLI_HUB_H */
