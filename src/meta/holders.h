/* holders.h - which file holds which tensor, and whether the index says the same.
 *
 * Room:   meta/ - no I/O.
 * In:     the tensors of each header, and the index where there is one.
 * Out:    tensors that stand in two files, tensors that the index looks for in another.
 * Knows:  base/, json/.
 *
 * Sixteen bytes a tensor, sorted once: as long in the worst case, which a file may be made for, as in
 * the best.
 */
#ifndef KVC_META_HOLDERS_H
#define KVC_META_HOLDERS_H

#include "meta/index.h"
#include "meta/safetensors.h"

struct kvc_holder; /* a tensor in a file, or due in one */

struct kvc_holders {
    struct kvc_arena arena;
    struct kvc_holder *list;
    size_t count, room;
};

struct kvc_held {
    uint64_t twice_count;   /* tensors that stand in more than one file */
    struct kvc_span twice;  /* the first of them */
    uint16_t twice_in[2];   /* two of its files */
    uint64_t absent_count;  /* tensors that the index says are in a file that does not hold them */
    struct kvc_span absent; /* the first of them */
    uint16_t absent_from;   /* the file */
};

/* Memory is asked of `memory`, and given back by kvc_holders_drop. */
void kvc_holders_begin(struct kvc_holders *holders, const struct kvc_memory *memory);
void kvc_holders_drop(struct kvc_holders *holders); /* harmless on a zeroed one */

/* The tensors of file number `file`.  Names that lie in `head`, the file's bytes, are borrowed. */
kvcap_code kvc_holders_add(struct kvc_holders *holders, uint16_t file, struct kvc_span head,
                           const struct kvc_safetensors *header, kvcap_error *err);

/* What the index says of the files; the number of a file is its place in `files`.  Of files that are
 * not there nothing is kept.  Names are borrowed. */
kvcap_code kvc_holders_add_index(struct kvc_holders *holders, const struct kvc_index *index,
                                 const char *const *files, uint16_t files_count, kvcap_error *err);

/* Last. */
kvcap_code kvc_holders_compare(struct kvc_holders *holders, struct kvc_held *ret_held,
                               kvcap_error *err);

#endif /* KVC_META_HOLDERS_H */
