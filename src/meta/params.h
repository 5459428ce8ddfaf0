/* params.h - params.json: the model in the words of Mistral's own format, and of Meta's.
 *
 * Room:   meta/ - no I/O.
 * In:     its text.
 * Out:    facts in the words that shape/ reads; values keep their places.
 * Knows:  base/, json/.
 *
 * The keys are kept (dim, n_layers, n_heads, n_kv_heads, head_dim, max_seq_len), and what the format
 * leaves unsaid is added, as vLLM does (vllm/transformers_utils/configs/mistral.py):
 *
 *   model_type       mistral; mixtral with `moe`; llama with Meta's `multiple_of`.  A family that
 *                    the file names itself, but for "transformer", has keys that are not known:
 *                    facts.other_family
 *   num_key_value_heads, head_dim, sliding_window      null where they are absent: none of them has
 *                    the default of the Hugging Face class of that name
 *   sliding_window   a list is one window a layer, repeated to all layers: it becomes layer_types
 */
#ifndef KVC_META_PARAMS_H
#define KVC_META_PARAMS_H

#include "base/arena.h"
#include "base/fail.h"
#include "meta/facts.h"

/* As kvc_hf_read. */
kvcap_code kvc_params_read(const char *artefact, struct kvc_span text, struct kvc_arena *arena,
                           struct kvc_facts *ret_facts, kvcap_error *err);

#endif /* KVC_META_PARAMS_H */
