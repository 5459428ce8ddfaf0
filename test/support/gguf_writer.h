/* gguf_writer.h - GGUF files in memory, well-formed ones and others.
 *
 * In:     key-values and tensors, one after the other.
 * Out:    the bytes of a file.
 *
 * Values come first, then tensors; gguf_bytes puts the counts in and adds the padding and, if asked,
 * tensor data of zeros.  It is written from the specification (ggml/docs/gguf.md) and shares nothing
 * with the reader but the numbers of the types.  No memory ends the program.
 */
#ifndef KVC_TEST_GGUF_WRITER_H
#define KVC_TEST_GGUF_WRITER_H

#include <stdbool.h>

#include "base/span.h"
#include "meta/gguf_type.h"

struct gguf_writer {
    unsigned char *bytes; /* the file so far */
    size_t length, room;
    uint64_t kvs, tensors;
    uint64_t alignment;
    uint64_t next_offset; /* of the next tensor's data */
    uint64_t data_bytes;  /* to the end of the last tensor's */
};

void gguf_begin(struct gguf_writer *w, uint32_t version);
void gguf_end(struct gguf_writer *w);

/* Numbers of any integer type, and flags; in two's complement where they are negative. */
void gguf_put(struct gguf_writer *w, const char *key, enum kvc_gguf_type type, uint64_t value);
void gguf_put_list(struct gguf_writer *w, const char *key, enum kvc_gguf_type type,
                   const uint64_t *values, size_t count);
void gguf_put_f32(struct gguf_writer *w, const char *key, float value);
void gguf_put_text(struct gguf_writer *w, const char *key, const char *text);
void gguf_put_texts(struct gguf_writer *w, const char *key, const char *const *texts, size_t count);

/* general.alignment, which later tensors follow. */
void gguf_put_alignment(struct gguf_writer *w, uint32_t alignment);
void gguf_put_split(struct gguf_writer *w, uint32_t no, uint32_t count, uint32_t tensors);

/* A tensor at the offset that is due. */
void gguf_tensor(struct gguf_writer *w, const char *name, uint32_t type, uint64_t columns,
                 uint64_t rows);
/* The same of any shape, the fastest dimension first. */
void gguf_tensor_of(struct gguf_writer *w, const char *name, uint32_t type, const uint64_t *dims,
                    uint32_t dims_count);

/* The whole file; the writer owns it.  Nothing may be put afterwards. */
struct kvc_span gguf_bytes(struct gguf_writer *w, bool with_data);

/* For files that are broken: bytes as they are, at the end. */
void gguf_raw(struct gguf_writer *w, const void *bytes, size_t length);
void gguf_raw_number(struct gguf_writer *w, uint64_t value, unsigned width);
void gguf_raw_text(struct gguf_writer *w, const char *text); /* with its length before it */
/* Writes over what is there. */
void gguf_patch(struct gguf_writer *w, size_t offset, uint64_t value, unsigned width);

/* The header of a model of 3 G parameters as large ones are: 151,936 tokens, 151,387 merges, 434
 * tensors, 5.3 MB. */
void gguf_put_large(struct gguf_writer *w);

#endif /* KVC_TEST_GGUF_WRITER_H */
