/* claim.h - the figures of a plan as the members of its record.
 *
 * Room:   plan/ - pure.
 * In:     figures, and the ids of what they follow from.
 * Out:    the tree of a kv-capacity-plan without its id.
 * Knows:  base/, json/, record/ (structs).
 */
#ifndef KVC_PLAN_CLAIM_H
#define KVC_PLAN_CLAIM_H

#include "plan/plan.h"
#include "json/tree.h"

struct kvc_plan_names {
    struct kvc_span model, contract, evidence; /* ids, borrowed as long as the tree lives */
};

/* NULL when the arena is full.  The tree borrows the figures' names. */
struct kvc_value *kvc_claim(const struct kvc_plan_figures *figures,
                            const struct kvc_plan_names *names, struct kvc_arena *arena);

#endif /* KVC_PLAN_CLAIM_H */
