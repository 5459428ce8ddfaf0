/* gguf_split.h - a model in several GGUF files, as gguf-split writes them.
 *
 * Room:   meta/ - no I/O.
 * In:     the headers of the parts.
 * Out:    whether they are one model, and what its weights are.
 * Knows:  base/.
 *
 *   NAME-00001-of-00003.gguf   key-values of the model, split.no 0, its own tensors
 *   NAME-00002-of-00003.gguf   split.no 1, split.count, split.tensors.count, its own tensors
 *   NAME-00003-of-00003.gguf   split.no 2, ...
 *
 * Only the first says what the model is, so reading begins there, as in llama.cpp
 * (src/llama-model-loader.cpp, 0.4.0).
 */
#ifndef KVC_META_GGUF_SPLIT_H
#define KVC_META_GGUF_SPLIT_H

#include "meta/gguf.h"

/* Refuses a part other than the first, with the advice to give that one; anything that is no part
 * passes. */
kvcap_code kvc_gguf_must_be_first(const struct kvc_gguf *gguf, kvcap_error *err);

/* Sums the tensor bytes of all parts, given in order, the first included.  Refuses parts that do not
 * follow one another, are too many or too few, differ in what they say of the whole, name a tensor
 * twice, or hold another number of tensors than they say.  Places are "part N", N from 1. */
kvcap_code kvc_gguf_join(const struct kvc_gguf *const *parts, uint32_t parts_count,
                         struct kvc_arena *arena, uint64_t *ret_tensor_bytes, kvcap_error *err);

#endif /* KVC_META_GGUF_SPLIT_H */
