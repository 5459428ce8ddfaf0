/* safetensors.h - the header of a safetensors file: which tensors, of what type, shape and bytes.
 *
 * Room:   meta/ - no I/O.
 * In:     the beginning of a file, and how long the file is.
 * Out:    its tensors, and the exact bytes of its weights; or what is wrong with it, and where.
 * Knows:  base/, json/.
 *
 *   0        8              8 + N                                          file_bytes
 *   +--------+---------------+-----------+-----------+-- ... --+-----------+
 *   | N, LE  | JSON, N bytes | tensor    | tensor    |         | tensor    |
 *   +--------+---------------+-----------+-----------+-- ... --+-----------+
 *                            0        the tensors fill this without hole or overlap
 *
 * What the format's own reader refuses is refused, by huggingface/safetensors, safetensors/src/
 * tensor.rs (version 0.6): the limit of N, offsets that do not lie end to end, bytes that are not
 * shape times type, a file that is longer or shorter than its tensors.  Beyond it, a name that stands
 * twice is refused, and F8_E8M0FNU is taken for F8_E8M0, as some publishers write it.
 */
#ifndef KVC_META_SAFETENSORS_H
#define KVC_META_SAFETENSORS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/fail.h"

/* The format's own limit of N. */
#define KVC_SAFETENSORS_HEADER_MAX UINT64_C(100000000)
/* More than any framework's tensors have. */
#define KVC_TENSOR_DIMS_MAX 64

/* name, bits of an element */
#define KVC_TENSOR_TYPE_MAP(XX)                                                                    \
    XX(BOOL, 8)                                                                                    \
    XX(F4, 4)                                                                                      \
    XX(F6_E2M3, 6)                                                                                 \
    XX(F6_E3M2, 6)                                                                                 \
    XX(U8, 8)                                                                                      \
    XX(I8, 8)                                                                                      \
    XX(F8_E5M2, 8)                                                                                 \
    XX(F8_E4M3, 8)                                                                                 \
    XX(F8_E8M0, 8)                                                                                 \
    XX(F8_E4M3FNUZ, 8)                                                                             \
    XX(F8_E5M2FNUZ, 8)                                                                             \
    XX(I16, 16)                                                                                    \
    XX(U16, 16)                                                                                    \
    XX(F16, 16)                                                                                    \
    XX(BF16, 16)                                                                                   \
    XX(I32, 32)                                                                                    \
    XX(U32, 32)                                                                                    \
    XX(F32, 32)                                                                                    \
    XX(C64, 64)                                                                                    \
    XX(F64, 64)                                                                                    \
    XX(I64, 64)                                                                                    \
    XX(U64, 64)

enum kvc_tensor_type {
#define XX(name, bits) KVC_TENSOR_##name,
    KVC_TENSOR_TYPE_MAP(XX)
#undef XX
        KVC_TENSOR_TYPE_COUNT
};

const char *kvc_tensor_type_name(enum kvc_tensor_type type);

struct kvc_tensor {
    struct kvc_span name;
    const uint64_t *dims; /* NULL when there are none: a scalar */
    uint32_t dims_count;
    enum kvc_tensor_type type;
    uint64_t begin, end; /* bytes, from the end of the header */
};

struct kvc_safetensors {
    struct kvc_tensor *tensors; /* by name, each name once */
    size_t tensors_count;
    uint64_t header_bytes; /* 8 + N */
    uint64_t data_bytes;   /* of all tensors, exactly */
    uint64_t type_bytes[KVC_TENSOR_TYPE_COUNT];
};

/* How much of a file's beginning must be at hand: 8 bytes first, then the whole header. */
kvcap_code kvc_safetensors_needs(struct kvc_span head, uint64_t file_bytes, uint64_t *ret_needed,
                                 kvcap_error *err);

/* `head` is the beginning of a file of `file_bytes`.  When *ret_needed is more than head.length,
 * nothing else is written and the caller comes again with more.  Names borrow `head` where they have
 * no escapes. */
kvcap_code kvc_safetensors_read(struct kvc_span head, uint64_t file_bytes, struct kvc_arena *arena,
                                struct kvc_safetensors *ret, uint64_t *ret_needed,
                                kvcap_error *err);

#endif /* KVC_META_SAFETENSORS_H */
