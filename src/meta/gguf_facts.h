/* gguf_facts.h - what a GGUF header says of a model, as facts.
 *
 * Room:   meta/ - no I/O.
 * In:     a header that was read.
 * Out:    one object whose members are its key-values: "llama.block_count": 32.
 * Knows:  base/, json/.
 *
 * Left out is what cannot bear on a shape: the tokenizer, and lists that are too long to have an
 * entry a layer.  Integers, truths and UTF-8 texts become what they are; any other value is null,
 * which a GGUF file has no value for, so a reader can tell it from an absent key.
 */
#ifndef KVC_META_GGUF_FACTS_H
#define KVC_META_GGUF_FACTS_H

#include "meta/facts.h"
#include "meta/gguf.h"

#define KVC_GGUF_LIST_MAX 4096 /* elements of a list that is taken */

/* Facts borrow the header's input and live as long as the arena; their artefact is "gguf". */
kvcap_code kvc_gguf_facts(const struct kvc_gguf *gguf, struct kvc_arena *arena,
                          struct kvc_facts *ret_facts, kvcap_error *err);

#endif /* KVC_META_GGUF_FACTS_H */
