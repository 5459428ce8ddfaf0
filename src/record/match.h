/* match.h - what must hold between a record and the one it names.
 *
 * Room:   record/ - no I/O.
 * In:     two checked records.
 * Out:    whether the one was made under the other.
 * Knows:  base/.
 *
 * Evidence is used only under the contract that was in force when it was captured: each member of
 * its scope is compared, and what it reports may not be more than the contract declares.
 */
#ifndef KVC_RECORD_MATCH_H
#define KVC_RECORD_MATCH_H

#include "record/record.h"

/* The contract names this model, and states its architecture's digest. */
kvcap_code kvc_match_model(const struct kvc_record *contract, const struct kvc_record *model,
                           kvcap_error *err);

/* The evidence names this contract, was captured under what it declares, and reports one entry a
 * rank within the device.  The budget of a rank is plan/budget.h's to compare. */
kvcap_code kvc_match_evidence(const struct kvc_evidence *evidence,
                              const struct kvc_record *contract, kvcap_error *err);

/* Every request of evidence that is one object: by itself, together and, where the contract is at
 * hand, within its bounds. */
kvcap_code kvc_evidence_check_requests(const struct kvc_reading *reading,
                                       const struct kvc_evidence *evidence,
                                       const struct kvc_contract *contract);

/* A request, the n-th from 0, within the contract's bounds. */
kvcap_code kvc_match_request(const struct kvc_request *request, uint64_t n,
                             const struct kvc_contract *contract, kvcap_error *err);

#endif /* KVC_RECORD_MATCH_H */
