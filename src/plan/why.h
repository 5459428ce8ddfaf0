/* why.h - the derivation of a plan: every number with its formula, its inputs and their sources.
 *
 * Room:   plan/ - pure.
 * In:     the figures of a plan, and the contract that they follow from.
 * Out:    steps, one by one, to whoever shows them.
 * Knows:  base/, json/ (a text to write formulas into), record/ (structs).
 */
#ifndef KVC_PLAN_WHY_H
#define KVC_PLAN_WHY_H

#include "plan/plan.h"

struct kvc_step {
    unsigned depth;   /* 0 for what decides, deeper for what it follows from */
    const char *name; /* the member of the plan, "required_bytes" */
    uint64_t value;
    const char *formula; /* with the numbers that went in; "" for an input */
    const char *source;  /* "contract:/pool/device_bytes" for an input; "" for a result */
};

/* Calls `show` for each step, from the decision down.  Texts live for the call. */
void kvc_why(const struct kvc_plan_figures *figures, const struct kvc_contract *contract,
             void (*show)(void *context, const struct kvc_step *step), void *context);

#endif /* KVC_PLAN_WHY_H */
