/* index.h - *.safetensors.index.json: which file holds which tensor.
 *
 * Room:   meta/ - no I/O.
 * In:     its text.
 * Out:    the files that it names, how many tensors each should hold, and the sum that it states.
 * Knows:  base/, json/.
 */
#ifndef KVC_META_INDEX_H
#define KVC_META_INDEX_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/fail.h"
#include "json/tree.h"

/* The largest that was seen, of 200,000 tensors, has 20 MiB. */
#define KVC_INDEX_BYTES_MAX ((size_t)256 * 1024 * 1024)
#define KVC_INDEX_FILES_MAX 4096

struct kvc_index_file {
    struct kvc_span name;
    uint64_t tensors_count;
};

struct kvc_index {
    struct kvc_index_file *files; /* by name */
    size_t files_count;
    const struct kvc_value *map; /* weight_map: name to name; lives in the arena too */
    bool has_total;
    uint64_t total_bytes; /* metadata.total_size */
};

/* Names live as long as the arena. */
kvcap_code kvc_index_read(struct kvc_span text, struct kvc_arena *arena,
                          struct kvc_index *ret_index, kvcap_error *err);

/* The file of that name, or NULL. */
const struct kvc_index_file *kvc_index_named(const struct kvc_index *index, struct kvc_span name);

#endif /* KVC_META_INDEX_H */
