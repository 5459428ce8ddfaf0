/* gguf_set.h - the GGUF file of a folder, or the set of them that is one model.
 *
 * Room:   meta/ - no I/O.
 * In:     names of files; then the beginnings of those that were chosen.
 * Out:    the one file, or the one set of parts in order, or a refusal that lists what there is; and
 *         the facts of the model.
 * Knows:  base/, json/.
 *
 * A set is NAME-00001-of-00003.gguf and so on, all of them (series.h).  Projectors of images are
 * passed over (file_kind.h).
 */
#ifndef KVC_META_GGUF_SET_H
#define KVC_META_GGUF_SET_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/fail.h"
#include "meta/facts.h"

/* Indices into `names` of the file, or of its parts in order; the list is the arena's.  count 0: no
 * name is a model's GGUF file. */
kvcap_code kvc_gguf_choose(const char *const *names, size_t names_count, struct kvc_arena *arena,
                           size_t **ret_indices, size_t *ret_count, kvcap_error *err);

struct kvc_gguf_part {
    const char *name;
    struct kvc_span head;
    uint64_t file_bytes;
    uint64_t read_bytes; /* answer: of its header */
};

/* How much of a GGUF file's beginning must be at hand.  At most head.length when all of the header is
 * there: then it is the header's length.  Otherwise above it, within the file, and maybe more than the
 * header turns out to have: pieces grow, so that a header takes few questions however it is made. */
kvcap_code kvc_gguf_needs(struct kvc_span head, uint64_t file_bytes, struct kvc_arena *scratch,
                          uint64_t *ret_needed, kvcap_error *err);

/* The parts of one model, in order.  Facts borrow the first part's head and lie in the arena.
 * *ret_tensor_bytes is 0 where parts are not at hand. */
kvcap_code kvc_gguf_set_read(struct kvc_gguf_part *parts, size_t parts_count,
                             struct kvc_arena *arena, struct kvc_facts *ret_facts,
                             uint64_t *ret_tensor_bytes, kvcap_error *err);

#endif /* KVC_META_GGUF_SET_H */
