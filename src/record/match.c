/* match.c - see match.h for the room and its promises. */

#include "record/match.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/ck.h"
#include "record/intake.h"

kvcap_code kvc_match_model(const struct kvc_record *contract, const struct kvc_record *model,
                           kvcap_error *err)
{
    if (!kvc_span_is(contract->contract.model, model->id))
        return kvc_fail(err, KVC_CONTRACT_MODEL, "/model", "the contract names another model");
    if (!kvc_span_equal(contract->contract.architecture_digest, model->model.architecture_digest))
        return kvc_fail(err, KVC_CONTRACT_DIGEST, "/architecture_digest",
                        "the model that is named has another architecture");
    return KVCAP_OK;
}

/* ---- Scope. */

struct scope_pair {
    const char *at;
    struct kvc_span captured, declared;
};

static kvcap_code match_scope(const struct kvc_scope *scope, const struct kvc_contract *contract,
                              kvcap_error *err)
{
    const struct scope_pair PAIRS[] = {
        { "/scope/model", scope->model, contract->model },
        { "/scope/architecture_digest", scope->architecture_digest, contract->architecture_digest },
        { "/scope/cache_k", scope->cache_k, kvc_span_of(kvc_format_name(contract->cache_k)) },
        { "/scope/cache_v", scope->cache_v, kvc_span_of(kvc_format_name(contract->cache_v)) },
        { "/scope/allocator/name", scope->allocator.name, contract->allocator.name },
        { "/scope/allocator/version", scope->allocator.version, contract->allocator.version },
        { "/scope/scheduler/name", scope->scheduler.name, contract->scheduler.name },
        { "/scope/scheduler/version", scope->scheduler.version, contract->scheduler.version },
        { "/scope/pool", scope->pool, contract->pool },
    };
    for (size_t i = 0; i < KVC_COUNT_OF(PAIRS); i++) {
        if (!kvc_span_equal(PAIRS[i].captured, PAIRS[i].declared))
            return kvc_fail(err, KVC_EVIDENCE_STALE_SCOPE, PAIRS[i].at,
                            "captured under \"%.*s\", where the contract says \"%.*s\"",
                            (int)(PAIRS[i].captured.length < 80 ? PAIRS[i].captured.length : 80),
                            PAIRS[i].captured.text,
                            (int)(PAIRS[i].declared.length < 80 ? PAIRS[i].declared.length : 80),
                            PAIRS[i].declared.text);
    }
    return KVCAP_OK;
}

kvcap_code kvc_match_evidence(const struct kvc_evidence *evidence,
                              const struct kvc_record *contract, kvcap_error *err)
{
    const struct kvc_contract *declared = &contract->contract;
    if (!kvc_span_is(evidence->contract, contract->id))
        return kvc_fail(err, KVC_EVIDENCE_CONTRACT, "/contract",
                        "the evidence was captured under another contract, not %s", contract->id);
    kvcap_code rc = match_scope(&evidence->scope, declared, err);
    if (rc != KVCAP_OK)
        return rc;
    if (evidence->device_bytes > declared->device_bytes)
        return kvc_fail(err, KVC_EVIDENCE_CAPACITY, "/reported/device_bytes",
                        "%" PRIu64 " bytes are reported of a device declared with %" PRIu64,
                        evidence->device_bytes, declared->device_bytes);
    uint64_t ranks = (uint64_t)declared->tp * declared->pp;
    if (evidence->ranks_count != ranks)
        return kvc_fail(err, KVC_EVIDENCE_RANKS, "/reported/cache_bytes_by_rank",
                        "%u entries stand for %" PRIu64 " ranks", (unsigned)evidence->ranks_count,
                        ranks);
    return KVCAP_OK;
}

/* ---- Requests. */

static kvcap_code past_bound(uint64_t n, const char *member, const char *bound, uint64_t limit,
                             kvcap_error *err)
{
    char at[64];
    snprintf(at, sizeof at, "/requests/%" PRIu64 "%s", n, member);
    return kvc_fail(err, KVC_EVIDENCE_PAST_BOUND, at, "the contract allows %s of %" PRIu64, bound,
                    limit);
}

kvcap_code kvc_match_request(const struct kvc_request *request, uint64_t n,
                             const struct kvc_contract *contract, kvcap_error *err)
{
    if (n >= contract->requests_max)
        return past_bound(n, "", "requests_max", contract->requests_max, err);
    if (request->sequences > contract->sequences_per_request_max)
        return past_bound(n, "/sequences", "sequences_per_request_max",
                          contract->sequences_per_request_max, err);
    if (request->prompt_tokens > contract->sequence_tokens_max)
        return past_bound(n, "/prompt_tokens", "sequence_tokens_max", contract->sequence_tokens_max,
                          err);
    if (request->max_output_tokens > contract->sequence_tokens_max - request->prompt_tokens)
        return past_bound(n, "/max_output_tokens", "sequence_tokens_max",
                          contract->sequence_tokens_max, err);
    return KVCAP_OK;
}

static kvcap_code take_all(const struct kvc_reading *reading, const struct kvc_evidence *evidence,
                           const struct kvc_contract *contract, struct kvc_intake *intake)
{
    uint64_t n = 0;
    for (const struct kvc_value *e = evidence->requests->first; e != NULL; e = e->next) {
        struct kvc_reader r = { .rc = KVCAP_OK, .err = reading->err };
        struct kvc_request request;
        struct kvc_taken taken;
        kvc_request_read(&r, e, &request);
        if (r.rc == KVCAP_OK && contract != NULL)
            r.rc = kvc_match_request(&request, n, contract, reading->err);
        if (r.rc == KVCAP_OK)
            r.rc = kvc_intake_take(intake, &request, &taken, reading->err);
        if (r.rc != KVCAP_OK)
            return r.rc;
        n++;
    }
    return KVCAP_OK;
}

kvcap_code kvc_evidence_check_requests(const struct kvc_reading *reading,
                                       const struct kvc_evidence *evidence,
                                       const struct kvc_contract *contract)
{
    struct kvc_mark mark = kvc_arena_mark(reading->arena);
    struct kvc_intake *intake = kvc_arena_take(reading->arena, sizeof *intake);
    if (intake == NULL)
        return kvc_fail(reading->err, KVC_MEMORY_FULL, "", "the requests need more memory");
    kvc_intake_begin(intake, contract, reading->memory, reading->arena, reading->sha);
    kvcap_code rc = take_all(reading, evidence, contract, intake);
    kvc_intake_drop(intake);
    kvc_arena_rewind(reading->arena, mark);
    return rc;
}
