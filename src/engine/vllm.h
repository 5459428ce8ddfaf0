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

struct kvc_vllm_budget {
    uint64_t *available_bytes; /* one a stage; NULL: nothing to compare with */
    bool refused;              /* at start already: the answer has the words */
};

/* Memory to what is available on each stage. */
kvcap_code kvc_vllm_find_budget(struct kvc_vllm_fit *fit, struct kvc_vllm_budget *ret_budget);

/* Where the bytes are, a device each. */
void kvc_vllm_put_devices(struct kvc_vllm_fit *fit, const struct kvc_vllm_pool *pool);

#endif /* KVC_ENGINE_VLLM_H */
