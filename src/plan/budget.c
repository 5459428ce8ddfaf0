/* budget.c - see budget.h for the room and its promises. */

#include "plan/budget.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/ck.h"

static uint64_t bytes_of(const struct kvc_non_cache *term, uint64_t device_bytes, uint32_t rank)
{
    switch (term->form) {
    case KVC_NON_CACHE_BY_RANK:
        return term->by_rank[rank];
    case KVC_NON_CACHE_BPS:
        /* At most ten times a number below 2^53: no overflow. */
        return ck_scale_ceil(ck_u64(device_bytes), term->amount, 10000).value;
    default:
        return term->amount;
    }
}

static kvcap_code check_reported(const struct kvc_budget *budget, uint32_t rank, kvcap_error *err)
{
    if (budget->reported_bytes <= budget->budget_bytes)
        return KVCAP_OK;
    char at[64];
    snprintf(at, sizeof at, "/reported/cache_bytes_by_rank/%u", (unsigned)rank);
    return kvc_fail(err, KVC_EVIDENCE_CAPACITY, at,
                    "%" PRIu64 " bytes are reported where the contract leaves %" PRIu64,
                    budget->reported_bytes, budget->budget_bytes);
}

kvcap_code kvc_budget_declared(const struct kvc_contract *contract, uint32_t rank,
                               struct kvc_budget *ret_budget, kvcap_error *err)
{
    struct kvc_budget budget = { .device_bytes = contract->device_bytes };
    struct ck sum = ck_u64(0);
    for (size_t i = 0; i < KVC_NON_CACHE_COUNT; i++) {
        budget.non_cache[i] = bytes_of(&contract->non_cache[i], contract->device_bytes, rank);
        sum = ck_add(sum, ck_u64(budget.non_cache[i]));
    }
    if (sum.over || sum.value > contract->device_bytes)
        return kvc_fail(err, KVC_CONTRACT_NO_CACHE_LEFT, "/non_cache",
                        "rank %u has %" PRIu64 " bytes, and more is declared beside the cache",
                        (unsigned)rank, contract->device_bytes);
    budget.budget_bytes = contract->device_bytes - sum.value;
    *ret_budget = budget;
    return KVCAP_OK;
}

kvcap_code kvc_budget_of_rank(const struct kvc_contract *contract,
                              const struct kvc_evidence *evidence, uint32_t rank,
                              struct kvc_budget *ret_budget, kvcap_error *err)
{
    struct kvc_budget budget = { 0 };
    kvcap_code rc = kvc_budget_declared(contract, rank, &budget, err);
    if (rc != KVCAP_OK)
        return rc;
    budget.reported_bytes = evidence->cache_bytes_by_rank[rank];
    rc = check_reported(&budget, rank, err);
    if (rc != KVCAP_OK)
        return rc;
    budget.available_bytes = budget.reported_bytes; /* which is not above the budget */
    *ret_budget = budget;
    return KVCAP_OK;
}

kvcap_code kvc_budgets_check(const struct kvc_contract *contract,
                             const struct kvc_evidence *evidence, kvcap_error *err)
{
    kvcap_code rc = KVCAP_OK;
    for (uint32_t rank = 0; rank < contract->tp * contract->pp && rc == KVCAP_OK; rank++) {
        struct kvc_budget budget;
        rc = kvc_budget_of_rank(contract, evidence, rank, &budget, err);
    }
    return rc;
}

/* ---- With an engine bound. */

/* All blocks were made at start; what is reported short of that is blocks that are not there. */
static kvcap_code fixed_blocks(const struct kvc_budget *budget, const struct kvc_stages *stages,
                               uint32_t rank, uint64_t start_bytes, uint64_t block_bytes,
                               uint64_t *ret_blocks, kvcap_error *err)
{
    if (budget->budget_bytes < start_bytes)
        return kvc_fail(err, KVC_CONTRACT_NO_CACHE_LEFT, "/pool/device_bytes",
                        "the engine takes %" PRIu64 " bytes at start, rank %u has %" PRIu64 " left",
                        start_bytes, (unsigned)rank, budget->budget_bytes);
    uint64_t missing =
        budget->reported_bytes < start_bytes ? start_bytes - budget->reported_bytes : 0;
    uint64_t lost = ck_div_ceil(ck_u64(missing), block_bytes).value;
    *ret_blocks = stages->blocks.value > lost ? stages->blocks.value - lost : 0;
    return KVCAP_OK;
}

static kvcap_code blocks_of_rank(const struct kvc_contract *contract,
                                 const struct kvc_evidence *evidence,
                                 const struct kvc_stages *stages, uint32_t rank,
                                 uint64_t *ret_blocks, kvcap_error *err)
{
    uint32_t stage = rank / contract->tp;
    uint64_t block_bytes = stages->stages[stage].pool_block_bytes;
    struct kvc_budget budget;
    kvcap_code rc = kvc_budget_of_rank(contract, evidence, rank, &budget, err);
    if (rc != KVCAP_OK)
        return rc;
    if (stages->blocks_are_fixed)
        return fixed_blocks(&budget, stages, rank, stages->start_bytes[stage], block_bytes,
                            ret_blocks, err);
    uint64_t blocks = kvc_blocks_in_pool(budget.available_bytes, block_bytes);
    bool fewer = stages->blocks.said && stages->blocks.value < blocks;
    *ret_blocks = fewer ? stages->blocks.value : blocks;
    return KVCAP_OK;
}

kvcap_code kvc_budget_blocks(const struct kvc_contract *contract,
                             const struct kvc_evidence *evidence, const struct kvc_stages *stages,
                             uint64_t *ret_blocks, kvcap_error *err)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t rank = 0; rank < contract->tp * contract->pp; rank++) {
        uint64_t blocks = 0;
        kvcap_code rc = blocks_of_rank(contract, evidence, stages, rank, &blocks, err);
        if (rc != KVCAP_OK)
            return rc;
        least = blocks < least ? blocks : least;
    }
    *ret_blocks = least > stages->idle_blocks ? least - stages->idle_blocks : 0;
    return KVCAP_OK;
}
