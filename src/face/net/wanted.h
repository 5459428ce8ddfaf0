/* wanted.h - which files say what a model keeps, and how much of each.
 *
 * Room:   face/net - a table; no network.
 * In:     the names of a repository's files; the beginning of one.
 * Out:    which of them are fetched; how many of a file's first bytes its header is.
 * Knows:  base/, meta/, face/hub.
 *
 * Never weights.  Of a model as a folder: its configuration, its safetensors headers and their
 * index; where it has no config.json, params.json or safetensors, the header of its GGUF file, of all
 * its parts; beside those a GGUF file is not read (meta/folder.h).  Several GGUF models in one
 * repository are then refused: the user names one.
 */
#ifndef KVC_FACE_NET_WANTED_H
#define KVC_FACE_NET_WANTED_H

#include <stddef.h>

#include "base/arena.h"
#include "base/fail.h"
#include "base/span.h"

#define KVC_WHOLE_BYTES_MAX (UINT64_C(64) * 1024 * 1024)

/* How long the header is that begins with `head`: when that is within head.length, all of it is
 * there.  Otherwise how much to fetch before the next question.  Places of refusals are within the
 * file.  `scratch` is as before afterwards. */
typedef kvcap_code kvc_need(struct kvc_span head, uint64_t file_bytes, struct kvc_arena *scratch,
                            uint64_t *ret_needed, kvcap_error *err);

struct kvc_wanted {
    kvc_need *need;       /* NULL: the whole file is wanted */
    uint64_t first_bytes; /* that are asked for before anything is known of a header */
    uint64_t bytes_max;   /* of the file, or of its header */
};

/* The row of a file, or NULL: it is not read. */
const struct kvc_wanted *kvc_wanted_of(struct kvc_span file);

/* Puts the files to fetch of `names` into a list of its own in the arena, sorted, each once.  `only`
 * is the file that was asked for, or of length 0.  `at` is the place of refusals. */
kvcap_code kvc_wanted_choose(const struct kvc_span *names, size_t names_count, struct kvc_span only,
                             struct kvc_arena *arena, const char *at, struct kvc_span **ret_files,
                             size_t *ret_count, kvcap_error *err);

#endif /* KVC_FACE_NET_WANTED_H */
