/* from_gguf.h - a GGUF file to the shape of its model, by the rules of llama.cpp.
 *
 * Room:   shape/ - pure.
 * In:     the facts of a GGUF file.
 * Out:    the shape, the element type, and the source of each number.
 * Knows:  base/, json/, meta/.
 *
 * A GGUF file is llama.cpp's own, so its layers are what llama.cpp caches for them (gguf_arch.h):
 * also where it passes over a key of the file, or caches layers that it does not use.  An
 * architecture that has no row makes the layers `unknown`; one without a cache is refused.
 *
 * A file names no element type: its tensors have many.  The dtype, which is what a cache format
 * `auto` means, is f16, the type of a cache in llama.cpp when nothing else is asked for.  Recurrent
 * state names its own, f32.
 */
#ifndef KVC_SHAPE_FROM_GGUF_H
#define KVC_SHAPE_FROM_GGUF_H

#include "meta/facts.h"
#include "shape/found.h"

/* Everything comes from the arena or is borrowed from the facts, whose tree is one object of keys as
 * they stand in the file.  `weights_bytes` is the size of all tensors of all parts; 0: not known. */
kvcap_code kvc_shape_from_gguf(const struct kvc_facts *facts, uint64_t weights_bytes,
                               struct kvc_arena *arena, struct kvc_found *ret_found,
                               kvcap_error *err);

/* The same, but that an architecture which keeps no cache in llama.cpp has layers that keep nothing: for
 * whoever asks what an engine allocates, where nothing is an answer. */
kvcap_code kvc_shape_from_gguf_or_none(const struct kvc_facts *facts, uint64_t weights_bytes,
                                       struct kvc_arena *arena, struct kvc_found *ret_found,
                                       kvcap_error *err);

#endif /* KVC_SHAPE_FROM_GGUF_H */
