/* gguf_names.h - names in order, and the first that comes twice.
 *
 * Room:   meta/ - no I/O.
 * In:     structs that begin with a struct kvc_span.
 * Out:    their indexes, sorted by that span.
 * Knows:  base/.
 *
 * A merge sort: n log n comparisons whatever a file holds, where a table of hashes has an input that
 * makes it quadratic.
 */
#ifndef KVC_META_GGUF_NAMES_H
#define KVC_META_GGUF_NAMES_H

#include "base/arena.h"

#define KVC_NO_DUPLICATE UINT32_MAX

/* `stride` is the size of one struct.  *ret_duplicate is the lowest index whose name an earlier one
 * has, or KVC_NO_DUPLICATE.  False when the arena is full. */
bool kvc_gguf_sort_names(struct kvc_arena *arena, const void *structs, size_t stride,
                         uint32_t count, const uint32_t **ret_order, uint32_t *ret_duplicate);

#endif /* KVC_META_GGUF_NAMES_H */
