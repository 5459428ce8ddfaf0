/* gguf_type.h - the types of values and of tensors in a GGUF file, as tables.
 *
 * Room:   meta/ - no I/O.
 * In:     a type's number.
 * Out:    its name and what it weighs; nothing for one that no file may hold.
 * Knows:  base/.
 *
 * Quantised tensors weigh blocks: so many elements in so many bytes, and a row is whole blocks.
 */
#ifndef KVC_META_GGUF_TYPE_H
#define KVC_META_GGUF_TYPE_H

#include <stdint.h>

/* Of a value; the numbers are those of the file. */
enum kvc_gguf_type {
    KVC_GGUF_U8,
    KVC_GGUF_I8,
    KVC_GGUF_U16,
    KVC_GGUF_I16,
    KVC_GGUF_U32,
    KVC_GGUF_I32,
    KVC_GGUF_F32,
    KVC_GGUF_BOOL, /* one byte, 0 or 1 */
    KVC_GGUF_TEXT, /* u64 length, bytes */
    KVC_GGUF_ARRAY,
    KVC_GGUF_U64,
    KVC_GGUF_I64,
    KVC_GGUF_F64,
    KVC_GGUF_TYPE_COUNT
};

/* Bytes of one value: 1 to 8; 0 for texts and arrays, which say their own. */
unsigned kvc_gguf_type_bytes(enum kvc_gguf_type type);

/* One more than the largest number of a tensor type. */
#define KVC_GGUF_TENSOR_TYPES 43

struct kvc_gguf_block {
    const char *name; /* as ggml prints it; NULL: removed, or never given out */
    uint32_t elements, bytes;
};

/* The block of a tensor type; NULL when files may not hold it.  Static. */
const struct kvc_gguf_block *kvc_gguf_block_of(uint32_t tensor_type);

#endif /* KVC_META_GGUF_TYPE_H */
