/* gguf.h - the header of a GGUF file: key-values and tensor table, every offset checked.
 *
 * Room:   meta/ - no I/O.
 * In:     the beginning of a file, and how long the whole file is.
 * Out:    where each value and each tensor lies; or how much more of the beginning is wanted.
 * Knows:  base/.
 *
 *   magic version tensors kvs | key type value | ... | name dims type offset | ... |pad| data
 *   <-------- 24 bytes -----> <----- kvs -----------> <------ tensors ------------->    ^data_offset
 *
 * Versions 2 and 3, little-endian.  Values stay where they are, in the input: an array of 150,000
 * texts costs a hop a text and no memory.  What is refused is what ggml (gguf.cpp, 0.23.0) refuses,
 * and besides: names that are no text, truth values other than 0 and 1, tensors without elements,
 * data past the end of the file, headers past a bound.  A file that ends where its data would begin
 * is a header that was cut out on purpose, and is read.
 */
#ifndef KVC_META_GGUF_H
#define KVC_META_GGUF_H

#include "base/arena.h"
#include "base/fail.h"
#include "meta/gguf_type.h"

/* The longest header that is read; the largest that was seen have 20 MiB. */
#define KVC_GGUF_HEADER_BYTES_MAX (UINT64_C(256) * 1024 * 1024)
#define KVC_GGUF_KEY_BYTES_MAX 65535 /* as the specification has it */
#define KVC_GGUF_NAME_BYTES_MAX 63   /* of a tensor: GGML_MAX_NAME and its NUL */
#define KVC_GGUF_DIMS_MAX 4

struct kvc_gguf_kv {
    struct kvc_span key;
    enum kvc_gguf_type type;
    enum kvc_gguf_type element_type; /* of an array; as type otherwise */
    uint64_t count;                  /* elements of an array; 1 otherwise */
    const unsigned char *bytes;      /* the value, little-endian; texts with their lengths before */
    uint64_t bytes_length;
    uint64_t offset; /* of the value in the file */
};

struct kvc_gguf_tensor {
    struct kvc_span name;
    uint64_t dims[KVC_GGUF_DIMS_MAX]; /* fastest first; 1 past dims_count */
    uint32_t dims_count;
    uint32_t type;   /* kvc_gguf_block_of has it */
    uint64_t offset; /* from data_offset */
    uint64_t bytes;
};

struct kvc_gguf {
    uint32_t version;
    uint32_t alignment;
    const struct kvc_gguf_kv *kvs; /* in the order of the file */
    const uint32_t *kvs_by_key;    /* their indexes, sorted by key */
    uint32_t kvs_count;
    const struct kvc_gguf_tensor *tensors; /* in the order of the file */
    uint32_t tensors_count;
    uint64_t header_bytes; /* to the end of the tensor table */
    uint64_t data_offset;  /* header_bytes, rounded up to the alignment where there are tensors */
    uint64_t tensor_bytes; /* of all tensors, without padding */
    uint64_t tensor_bytes_by_type[KVC_GGUF_TENSOR_TYPES];
    bool is_header_alone; /* the file ends with its header: somebody cut the data off on purpose */
    bool is_split;
    uint32_t split_no, split_count,
        split_tensors; /* of a split file: this part, parts, all tensors */
};

/* Reads the header from `head`, the first bytes of a file of `file_bytes`.
 *
 * *ret_needed is 0 when all of it was there: then *ret_gguf borrows `head` and lives as long as the
 * arena.  Otherwise it is above head.length and the header has at least so many bytes; nothing else
 * is returned, the arena is as it was, and the caller calls again with a longer head.  Where the
 * file has no more bytes, it is refused.  Places of refusals are "offset N". */
kvcap_code kvc_gguf_read(struct kvc_span head, uint64_t file_bytes, struct kvc_arena *arena,
                         struct kvc_gguf *ret_gguf, uint64_t *ret_needed, kvcap_error *err);

#endif /* KVC_META_GGUF_H */
