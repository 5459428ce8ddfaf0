/* gguf_typed.h - key-values of a GGUF file that were written down as JSON, as the facts of a file.
 *
 * Room:   shape/ - pure.
 * In:     an object, {"llama.block_count": 32} or {"llama.block_count": {"t": "u32", "v": 32}}, or both
 *         ways within one.
 * Out:    the same facts that meta/gguf_facts.h makes of the file.
 * Knows:  base/, json/, meta/.
 *
 * A plain value has the type that it shows.  A typed one is within its type or refused.
 */
#ifndef KVC_SHAPE_GGUF_TYPED_H
#define KVC_SHAPE_GGUF_TYPED_H

#include "base/fail.h"
#include "meta/facts.h"

/* Facts borrow the object's texts and live as long as the arena.  A refusal is at the pointer of the
 * value. */
kvcap_code kvc_gguf_facts_of_json(const struct kvc_value *object, struct kvc_arena *arena,
                                  struct kvc_facts *ret_facts, kvcap_error *err);

#endif /* KVC_SHAPE_GGUF_TYPED_H */
