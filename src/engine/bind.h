/* bind.h - an engine bound by a contract: its rules for blocks as plain numbers, which a plan carries.
 *
 * Room:   engine/ - pure.
 * In:     a model, a day, what the contract says of ranks, formats and limits, and the engine's settings.
 * Out:    groups a stage; how many blocks of a pool serve; what is taken at start.
 * Knows:  base/, json/, shape/, bytes/, engine/.
 *
 * A contract says some things in members of its own that an engine calls settings (tp, the cache's format,
 * the longest sequence).  They become settings here, and a setting that says another thing is refused.
 * Nothing below asks the engine again: the plan, the ledger and the simulator run these numbers.
 */
#ifndef KVC_ENGINE_BIND_H
#define KVC_ENGINE_BIND_H

#include "engine/engine.h"
#include "engine/group.h"

struct kvc_bind_terms {
    uint32_t tp, pp, dcp;
    const uint64_t *pp_layers; /* pp entries, or NULL for equal stages */
    enum kvc_format cache_k, cache_v;
    uint64_t block_tokens, sequence_tokens_max;
    uint64_t
        step_tokens_max; /* of the scheduler: max_num_batched_tokens where no setting says it */
    struct kvc_span scheduler;        /* its name: "llama-server" brings that program's defaults */
    const struct kvc_value *settings; /* an object, or NULL */
};

struct kvc_bind_question {
    const struct kvc_engine_model *model;
    const struct kvc_release *release;
    uint32_t day; /* YYYYMMDD */
    const struct kvc_bind_terms *terms;
    struct kvc_arena *arena;
};

struct kvc_bound {
    struct kvc_stage *stages; /* pp of them, each as one of its tensor-parallel ranks has it */
    uint32_t stages_count;
    uint64_t block_tokens;        /* what the engine makes of the contract's */
    uint64_t sequence_tokens_max; /* the longest sequence that it serves */
    uint64_t idle_blocks;         /* of a pool: never given to a sequence */
    struct kvc_maybe blocks; /* of every rank's pool, where memory does not decide them alone */
    bool blocks_are_fixed;   /* they are all there are, or the engine does not start */
    struct kvc_maybe slots;  /* sequences that are held at once; not said: blocks decide */
    uint64_t
        *start_bytes; /* by stage: taken at start, whatever is asked for later; NULL: the pool */
    bool shares_prefixes; /* blocks that begin alike are held once */
};

/* What cannot be said goes into the answer, whose decision is then UNDETERMINED; what the engine refuses
 * makes it REFUSED.  `ret_bound` is filled with neither. */
typedef kvcap_code kvc_bind(const struct kvc_bind_question *question, struct kvc_answer *answer,
                            struct kvc_bound *ret_bound, kvcap_error *err);

/* The engines that a contract may bind; NULL for one that it may not. */
kvc_bind *kvc_bind_of(enum kvc_engine_id id);

kvc_bind kvc_vllm_bind, kvc_llamacpp_bind;

/* ---- For the engines: settings out of a contract's members. */

struct kvc_bind_setting {
    const char *name;
    const char *member; /* of the contract: "/parallel/tp" */
    uint64_t count;     /* where word is NULL */
    const char *word;
    bool gives_way; /* a setting that says another number is taken */
};

/* What the contract's settings say, and these where they say nothing.  An object stands in a record as its
 * JSON text, and is one here.  Refuses with contract.settings at the setting that contradicts. */
kvcap_code kvc_bind_settings(const struct kvc_engine *engine, const struct kvc_value *given,
                             const struct kvc_bind_setting *rows, size_t rows_count,
                             struct kvc_arena *arena, struct kvc_value **ret_settings,
                             kvcap_error *err);

#endif /* KVC_ENGINE_BIND_H */
