/* stages.h - what each pipeline stage keeps, and the block rules that occur.
 *
 * Room:   plan/ - pure.
 * In:     a model and a contract.
 * Out:    the groups of each stage; or what stops the plan: a layer whose state cannot be said, a version
 *         whose rules cannot.
 * Knows:  base/, shape/, bytes/, engine/, record/ (structs).
 *
 * Ranks of one stage keep the same, so a stage is worked out once.  How many blocks a request holds
 * depends on the rule of a group alone; the distinct rules of all stages are numbered here, so
 * that a request is counted once a rule and not once a group and rank.
 */
#ifndef KVC_PLAN_STAGES_H
#define KVC_PLAN_STAGES_H

#include "engine/bind.h"
#include "record/record.h"

struct kvc_undetermined {
    uint32_t layer;
    bool of_layer; /* else of the whole: a setting, or the engine's version */
    struct kvc_span key, reason;
};

struct kvc_stages {
    const char *rules;        /* "paged/1", "vllm/1" */
    struct kvc_stage *stages; /* pp of them; NULL when undetermined */
    uint32_t stages_count;
    uint64_t block_tokens; /* of the group with the largest blocks */

    struct kvc_block_rule *by_rule; /* distinct rules of all groups */
    uint32_t rules_count;
    bool shares_prefixes; /* some group holds all tokens, and its blocks can be held in common */

    /* With an engine bound (engine/bind.h): */
    uint64_t idle_blocks;
    struct kvc_maybe blocks, slots;
    bool blocks_are_fixed;
    uint64_t *start_bytes; /* by stage, or NULL */
    bool is_bound;

    struct kvc_undetermined *undetermined; /* layers that stop the plan, or NULL */
    uint32_t undetermined_count;
};

/* Lists and stages come from the arena. */
kvcap_code kvc_stages_of(const struct kvc_model *model, const struct kvc_contract *contract,
                         struct kvc_arena *arena, struct kvc_stages *ret_stages, kvcap_error *err);

/* The number of a group's rule. */
uint32_t kvc_stages_rule(const struct kvc_stages *stages, const struct kvc_group *group);

#endif /* KVC_PLAN_STAGES_H */
