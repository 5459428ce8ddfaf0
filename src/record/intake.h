/* intake.h - requests of one window, as they come in.
 *
 * Room:   record/ - no I/O.
 * In:     requests, one by one, from an object or a stream.
 * Out:    each one's number and cohort, or why the window cannot be.
 * Knows:  base/.
 *
 * What must hold of a window as a whole is kept here: no request_id twice, at most 1,024 cohorts and,
 * where the contract counts prefixes, one length for each (tenant, prefix_id).  Whatever a request
 * is used for then counts by the cohort's number and needs no names.
 */
#ifndef KVC_RECORD_INTAKE_H
#define KVC_RECORD_INTAKE_H

#include "base/seen.h"
#include "record/record.h"

#define KVC_COHORTS_MAX 1024

struct kvc_intake {
    struct kvc_arena *arena; /* keeps the cohorts' names */
    struct kvc_sha256 *sha;
    struct kvc_seen seen;
    bool counts_prefixes;
    struct kvc_seen prefixes; /* by tenant and prefix_id; number: prefix_tokens */
    uint64_t requests_count;
    struct kvc_span cohorts[KVC_COHORTS_MAX]; /* in the order met */
    uint32_t cohorts_count;
    uint32_t cohort_before;
    uint16_t places[4 * KVC_COHORTS_MAX]; /* open table: cohort number + 1, or 0 */
};

/* The contract in force, or NULL when it is not at hand. */
void kvc_intake_begin(struct kvc_intake *intake, const struct kvc_contract *contract,
                      const struct kvc_memory *memory, struct kvc_arena *arena,
                      struct kvc_sha256 *sha);
void kvc_intake_drop(struct kvc_intake *intake);

/* What is known of a request besides itself. */
struct kvc_taken {
    uint32_t cohort;     /* its number */
    bool counts_prefix;  /* it has a prefix, and the contract counts it */
    bool carries_prefix; /* it is the first of its prefix */
};

/* Takes the next request.  A refusal's pointer is /requests/<n>/... */
kvcap_code kvc_intake_take(struct kvc_intake *intake, const struct kvc_request *request,
                           struct kvc_taken *ret_taken, kvcap_error *err);

#endif /* KVC_RECORD_INTAKE_H */
