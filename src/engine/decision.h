/* decision.h - what an answer comes to: the same words for a plan and for a fit.
 *
 * Room:   engine/ - pure.
 * In:     -
 * Out:    the decisions, with the numbers of include/kvcap.h.
 * Knows:  nothing.
 */
#ifndef KVC_ENGINE_DECISION_H
#define KVC_ENGINE_DECISION_H

enum kvc_decision {
    KVC_DECISION_NONE = 0, /* a fit without memory: nothing was compared */
    KVC_DECISION_FIT = 1,
    KVC_DECISION_EXCEEDS_CAPACITY = 2,
    KVC_DECISION_UNDETERMINED = 3,
    KVC_DECISION_REFUSED = 4, /* a fit alone: the engine would not start */
    KVC_DECISION_COUNT
};

/* "EXCEEDS_CAPACITY"; "" of NONE.  Static. */
const char *kvc_decision_name(enum kvc_decision decision);

#endif /* KVC_ENGINE_DECISION_H */
