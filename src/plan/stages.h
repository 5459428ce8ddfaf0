/* stages.h - what each pipeline stage keeps, and the block rules that occur.
 *
 * Room:   plan/ - pure.
 * In:     a model and a contract.
 * Out:    the groups of each stage; or the layers whose state cannot be said.
 * Knows:  base/, shape/, bytes/, engine/, record/ (structs).
 *
 * Ranks of one stage keep the same, so a stage is worked out once.  How many blocks a request holds
 * depends on the window of a group alone; the distinct windows of all stages are numbered here, so
 * that a request is counted once a window and not once a group and rank.
 */
#ifndef KVC_PLAN_STAGES_H
#define KVC_PLAN_STAGES_H

#include "engine/group.h"
#include "record/record.h"

struct kvc_undetermined {
    uint32_t layer;
    struct kvc_span key, reason;
};

struct kvc_stages {
    struct kvc_stage *stages; /* pp of them; NULL when undetermined */
    uint32_t stages_count;
    uint64_t block_tokens;

    uint64_t *windows; /* distinct, KVC_WINDOW_NONE among them where a group holds all */
    uint32_t windows_count;
    bool any_holds_all; /* some group holds all tokens: only there can a prefix be shared */

    struct kvc_undetermined *undetermined; /* layers that stop the plan, or NULL */
    uint32_t undetermined_count;
};

/* Lists and stages come from the arena. */
kvcap_code kvc_stages_of(const struct kvc_model *model, const struct kvc_contract *contract,
                         struct kvc_arena *arena, struct kvc_stages *ret_stages, kvcap_error *err);

/* The number of a group's window. */
uint32_t kvc_stages_window(const struct kvc_stages *stages, const struct kvc_group *group);

#endif /* KVC_PLAN_STAGES_H */
