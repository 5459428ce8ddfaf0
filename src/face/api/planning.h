/* planning.h - from two records and a window, however it arrives, to a plan.
 *
 * Room:   face/api - the one place that leads requests through the rooms.
 * In:     model and contract; an evidence's header; its requests one by one.
 * Out:    a plan handle.
 * Knows:  all.
 *
 *   request --> intake (once each? which cohort?) --> match (within bounds?) --> window (sums)
 */
#ifndef KVC_FACE_API_PLANNING_H
#define KVC_FACE_API_PLANNING_H

#include "face/api/handle.h"
#include "plan/window.h"
#include "record/intake.h"
#include "record/stream.h"

struct kvc_planning {
    const struct kvc_record *model, *contract; /* borrowed while it lives */
    struct kvcap_plan *plan;                   /* in the making; owns all memory */
    struct kvc_evidence evidence;
    struct kvc_sha256 *sha;
    struct kvc_stages stages;
    struct kvc_window window;
    struct kvc_intake intake;
};

/* Checks that the contract names the model, and works out what the model keeps.  Ends with
 * kvc_planning_drop, after which the plan that was made lives on. */
kvcap_code kvc_planning_begin(struct kvc_planning *planning, const struct kvc_record *model,
                              const struct kvc_record *contract, kvcap_error *err);

/* The evidence without its requests. */
kvcap_code kvc_planning_header(struct kvc_planning *planning, const struct kvc_evidence *evidence,
                               kvcap_error *err);
kvcap_code kvc_planning_request(struct kvc_planning *planning, const struct kvc_request *request,
                                uint64_t n, kvcap_error *err);
kvcap_code kvc_planning_finish(struct kvc_planning *planning, const char *evidence_id,
                               kvcap_plan **ret_plan, kvcap_error *err);
void kvc_planning_drop(struct kvc_planning *planning);

/* A stream's taker that leads it through a planning.  Drafts are refused: sealing is another way. */
struct kvc_stream_taker kvc_planning_taker(struct kvc_planning *planning);

#endif /* KVC_FACE_API_PLANNING_H */
