/* plan.h - contract and window in, claim out.
 *
 * Room:   plan/ - pure.
 * In:     stages, sums of a window, budgets.
 * Out:    every figure of a plan, as plain numbers.
 * Knows:  base/, bytes/, engine/, record/ (structs).
 *
 * For each rank, with sums over its groups:
 *
 *   raw       = sum of blocks * block_bytes + sequences * state_bytes
 *   required  = ceil(raw * (10000 + overhead_bps) / 10000)
 *   pool      = floor(available * 10000 / (10000 + overhead_bps))
 *   FIT      <=>  required <= available on every rank; equality fits
 *
 * required <= available holds exactly when raw <= pool: with c = 10000 + overhead, ceil(raw c / 10000)
 * <= a iff raw c <= 10000 a iff raw <= floor(10000 a / c), since a and raw are integers.  So a
 * ledger that counts the pool's blocks never disagrees with the plan.
 */
#ifndef KVC_PLAN_PLAN_H
#define KVC_PLAN_PLAN_H

#include "engine/decision.h"
#include "plan/budget.h"
#include "plan/stages.h"
#include "plan/window.h"

struct kvc_rank_figures {
    uint32_t count; /* neighbouring ranks that are alike */
    uint32_t first; /* the first of them */
    uint32_t stage;
    struct kvc_budget budget;
    const uint64_t *blocks;           /* by group of the stage: held by the whole window */
    const uint64_t *pool_blocks_each; /* by group of the stage: pool blocks of one block */
    uint64_t raw_bytes, required_bytes;
    uint64_t pool_bytes, pool_block_bytes, pool_blocks;
    uint64_t sequence_blocks_max, sequences_max;
};

struct kvc_cohort_figures {
    struct kvc_span cohort;
    uint64_t requests, sequences, reserve_tokens, reserved_tokens, raw_bytes;
};

struct kvc_plan_figures {
    enum kvc_decision decision;
    uint64_t requests, sequences, reserve_tokens;
    const struct kvc_stages *stages; /* with the undetermined layers, if that is the decision */

    /* All below only when something could be determined. */
    uint64_t reserved_tokens;
    uint64_t raw_bytes, required_bytes, available_bytes; /* sums over ranks */
    uint32_t decided_by_rank; /* the first with the least available - required */
    uint32_t decided_by;      /* its entry in ranks */
    struct kvc_rank_figures *ranks;
    uint32_t ranks_count; /* entries, not ranks */
    struct kvc_cohort_figures *cohorts;
    uint32_t cohorts_count;
    bool counts_prefixes;
    uint64_t prefixes; /* distinct (tenant, prefix_id) */
};

struct kvc_plan_inputs {
    const struct kvc_contract *contract;
    const struct kvc_evidence *evidence;
    const struct kvc_stages *stages;
    const struct kvc_window *window;
    const struct kvc_intake *intake; /* names of cohorts, and how many prefixes */
};

/* Lists come from the arena; names are borrowed. */
kvcap_code kvc_plan_figure(const struct kvc_plan_inputs *inputs, struct kvc_arena *arena,
                           struct kvc_plan_figures *ret_figures, kvcap_error *err);

#endif /* KVC_PLAN_PLAN_H */
