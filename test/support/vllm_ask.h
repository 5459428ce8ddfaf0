/* vllm_ask.h - a question to vLLM as a line of a batch, and its answer, for tests of rules.
 *
 * In:     a version, a config.json and settings as JSON, and what is available for the cache.
 * Out:    the answer of the library, which lies in `vllm` until the next question.
 *
 * A refusal of the question itself leaves its slug and place in `vllm.refusal`; everything else is an answer.
 */
#ifndef KVC_TEST_VLLM_ASK_H
#define KVC_TEST_VLLM_ASK_H

#include "fit/fit.h"

struct vllm_asked {
    struct kvc_fit *fit;             /* NULL: the question was refused */
    const struct kvc_answer *answer; /* of the fit */
    char refusal[160];               /* "usage.bad_setting at /settings/..." */
};

extern struct vllm_asked vllm;

/* `settings` without braces: "\"max_model_len\":8192"; `available` 0: no memory is told. */
void vllm_ask(const char *version, const char *config_json, const char *settings,
              uint64_t available);

/* What has to hold of the last answer; the running test fails where it does not. */
void vllm_has_pool(uint64_t num_blocks, uint64_t bytes_per_block, uint64_t tokens,
                   const char *concurrency);
void vllm_has_group(uint32_t index, const char *kind, uint32_t layers, uint64_t block_tokens,
                    uint64_t page_bytes, uint64_t blocks_per_request);
void vllm_has_groups(uint32_t count);
void vllm_cannot_say(
    const char *key); /* UNDETERMINED, the first entry with this key, and no pool */
void vllm_refuses(const char *part_of_words);
void vllm_rejects(const char *part_of_refusal);

#endif /* KVC_TEST_VLLM_ASK_H */
