/* gguf_model.h - facts of a GGUF model from a few words.
 *
 * In:     an architecture, and members of a JSON object: its keys without the architecture before
 *         them.
 * Out:    the facts that a file with these key-values has.
 *
 * Anything that goes wrong fails the running test.
 */
#ifndef KVC_TEST_GGUF_MODEL_H
#define KVC_TEST_GGUF_MODEL_H

#include "meta/facts.h"
#include "shape/found.h"

struct kvc_facts gguf_model_facts(const char *arch, const char *members, struct kvc_arena *arena);

/* The same, and their shape; the arena is begun anew over memory of the whole program. */
kvcap_code gguf_model_find(const char *arch, const char *members, struct kvc_found *ret_found,
                           kvcap_error *err);

/* Members that many models of the tests have: an embedding of 64, 4 heads, 2 KV heads of 16. */
#define SIZES "\"embedding_length\":64,\"attention.head_count\":4"
#define BASE(layers) "\"block_count\":" #layers "," SIZES ",\"attention.head_count_kv\":2"
#define NO_HEADS(layers) "\"block_count\":" #layers ",\"embedding_length\":64"
#define KV_HEADS(layers, list)                                                                     \
    "\"block_count\":" #layers "," SIZES ",\"attention.head_count_kv\":" list
#define WINDOW(tokens) ",\"attention.sliding_window\":" #tokens
#define PATTERN(value) ",\"attention.sliding_window_pattern\":" value
#define DRAFTS(count) ",\"nextn_predict_layers\":" #count
#define INDEXER(dim) ",\"attention.indexer.key_length\":" #dim
#define MLA(layers)                                                                                \
    "\"block_count\":" #layers "," SIZES                                                           \
    ",\"attention.head_count_kv\":1,\"attention.key_length\":48,"                                  \
    "\"attention.value_length\":32,\"attention.kv_lora_rank\":32,"                                 \
    "\"attention.key_length_mla\":24,\"attention.value_length_mla\":16"
#define SSM                                                                                        \
    ",\"ssm.conv_kernel\":4,\"ssm.inner_size\":128,\"ssm.state_size\":16,"                         \
    "\"ssm.time_step_rank\":8"
#define GROUPS(count) ",\"ssm.group_count\":" #count

#endif /* KVC_TEST_GGUF_MODEL_H */
