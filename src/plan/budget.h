/* budget.h - device memory, less what is declared beside the cache, to what the cache may take.
 *
 * Room:   plan/ - pure.
 * In:     a contract, and what the evidence reports of a rank.
 * Out:    each term in bytes, the budget, and what is available.
 * Knows:  base/, record/ (structs).
 *
 * Every term is named; there is no silent margin.  Rounding is against the requester: a share of
 * the device is rounded up.
 */
#ifndef KVC_PLAN_BUDGET_H
#define KVC_PLAN_BUDGET_H

#include "plan/stages.h"
#include "record/record.h"

struct kvc_budget {
    uint64_t device_bytes;
    uint64_t non_cache[KVC_NON_CACHE_COUNT];
    uint64_t budget_bytes;    /* device_bytes less their sum */
    uint64_t reported_bytes;  /* what the engine says its cache has */
    uint64_t available_bytes; /* the smaller of the two */
};

/* The budget of a rank.  Refuses a contract that leaves nothing, and evidence that reports more
 * than the contract leaves. */
kvcap_code kvc_budget_of_rank(const struct kvc_contract *contract,
                              const struct kvc_evidence *evidence, uint32_t rank,
                              struct kvc_budget *ret_budget, kvcap_error *err);

/* What the contract alone says of a rank: all but what is reported and available. */
kvcap_code kvc_budget_declared(const struct kvc_contract *contract, uint32_t rank,
                               struct kvc_budget *ret_budget, kvcap_error *err);

/* The budgets of every rank, for their refusals alone. */
kvcap_code kvc_budgets_check(const struct kvc_contract *contract,
                             const struct kvc_evidence *evidence, kvcap_error *err);

/* With an engine bound: blocks that serve on every rank, for the engine gives all the same number.  The
 * fewest that the memory of a rank holds, or what the engine's settings say, less those that stay idle.
 * Refuses a contract that has no room for what the engine takes at start. */
kvcap_code kvc_budget_blocks(const struct kvc_contract *contract,
                             const struct kvc_evidence *evidence, const struct kvc_stages *stages,
                             uint64_t *ret_blocks, kvcap_error *err);

#endif /* KVC_PLAN_BUDGET_H */
