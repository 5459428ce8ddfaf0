/* vllm.h - one question to vLLM, step by step; what its files share.
 *
 * Room:   engine/ - pure.
 * Knows:  base/, json/, meta/, shape/, bytes/, engine/.
 *
 *   settings + model  ->  vllm_resolve.c  ->  specs (vllm_layers)  ->  groups (vllm_groups)
 *   memory            ->  vllm_memory.c   ->  pool (vllm_pool)     ->  lines (vllm_lines)
 */
#ifndef KVC_ENGINE_VLLM_H
#define KVC_ENGINE_VLLM_H

#include "engine/vllm_layers.h"
#include "engine/vllm_pool.h"

struct kvc_vllm_fit {
    const struct kvc_engine_question *q;
    struct kvc_answer *answer;
    kvcap_error *err;

    bool is_v0;
    bool auto_fit; /* max_model_len was auto */
    bool hybrid_manager_off;
    bool async, prefix_caching, has_connector;
    bool is_cpu;
    uint64_t batched_tokens; /* 0: not known */
    bool batched_tokens_matter;
    uint64_t encoder_tokens;
    uint64_t data_parallel;
    struct kvc_vllm_model_settings set;
    struct kvc_vllm_layers_found found;
};

kvcap_code kvc_vllm_fit(const struct kvc_engine_question *question, struct kvc_answer *answer,
                        kvcap_error *err);

/* What the settings and the model come to.  What cannot be said is put into the answer. */
kvcap_code kvc_vllm_resolve(struct kvc_vllm_fit *fit);

/* An entry of what cannot be said; the decision is then UNDETERMINED. */
void kvc_vllm_cannot_say(struct kvc_vllm_fit *fit, const char *key, const char *format, ...)
    KVC_PRINTF(3, 4);

/* What one request of max_model_len holds.  Only what forgets depends on what is in flight; where that
 * matters and is not known, nothing can be said. */
struct kvc_vllm_request kvc_vllm_request_of(struct kvc_vllm_fit *fit,
                                            const struct kvc_vllm_grouping *grouping);

/* Why it would not start: the answer is REFUSED, with its words. */
void kvc_vllm_put_objection(struct kvc_vllm_fit *fit, const struct kvc_vllm_grouping *grouping);

struct kvc_vllm_budget {
    uint64_t *available_bytes; /* one a stage; NULL: nothing to compare with */
    bool refused;              /* at start already: the answer has the words */
};

/* The share of a device that the engine takes, as doubles come to it; false where it is no share. */
bool kvc_vllm_requested(struct kvc_span utilization, uint32_t day, uint64_t device_bytes,
                        uint64_t *ret_requested);

/* Memory to what is available on each stage. */
kvcap_code kvc_vllm_find_budget(struct kvc_vllm_fit *fit, struct kvc_vllm_budget *ret_budget);

/* Where the bytes are, a device each. */
void kvc_vllm_put_devices(struct kvc_vllm_fit *fit, const struct kvc_vllm_pool *pool);

#endif /* KVC_ENGINE_VLLM_H */
