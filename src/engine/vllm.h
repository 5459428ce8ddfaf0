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
    bool is_cpu, is_rocm;
    bool refused;            /* by vLLM, before anything is allocated: the answer has its words */
    bool keeps_heads;        /* compressed rows are not: MLA is off, or not there yet */
    bool drafts_like_eagle;  /* EAGLE, EAGLE3, MTP */
    bool unsure_extra;       /* whether windows keep more for the modules of MTP is not known */
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

/* Of these, how far ahead the scheduler may be: drafts, async scheduling, the tokens of a step. */
void kvc_vllm_resolve_ahead(struct kvc_vllm_fit *fit);

/* A number that an object has. */
uint64_t kvc_vllm_member(const struct kvc_value *object, const char *key, uint64_t absent);

/* The text configuration of a config.json; NULL: the model is a record, or of a GGUF file. */
const struct kvc_value *kvc_vllm_config(const struct kvc_vllm_fit *fit);

/* Whether the model's family is one of a list that NULL ends. */
bool kvc_vllm_is_family(const struct kvc_vllm_fit *fit, const char *const *families);

/* An entry of what cannot be said; the decision is then UNDETERMINED. */
void kvc_vllm_cannot_say(struct kvc_vllm_fit *fit, const char *key, const char *format, ...)
    KVC_PRINTF(3, 4);

/* What one request of max_model_len holds.  Only what forgets depends on what is in flight; where that
 * matters and is not known, nothing can be said. */
struct kvc_vllm_request kvc_vllm_request_of(struct kvc_vllm_fit *fit,
                                            const struct kvc_vllm_grouping *grouping);

/* Settings and layers of the question.  What cannot be said, and why it would not start, is in the
 * answer's decision. */
kvcap_code kvc_vllm_find(struct kvc_vllm_fit *fit);

/* And their groups.  Where memory is compared, earlier days looked at it before they objected: then the
 * objection stays in the grouping. */
kvcap_code kvc_vllm_find_groups(struct kvc_vllm_fit *fit, bool compares,
                                struct kvc_vllm_grouping *ret_grouping);

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
