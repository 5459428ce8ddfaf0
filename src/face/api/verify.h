/* verify.h - does a record still follow from what it names?
 *
 * Room:   face/api.
 * In:     a record whose id was found good, and what it names.
 * Out:    one of four outcomes, and where the first difference lies.
 * Knows:  all.
 */
#ifndef KVC_FACE_API_VERIFY_H
#define KVC_FACE_API_VERIFY_H

#include "face/api/handle.h"

struct kvc_outcome {
    int32_t outcome;           /* KVCAP_INTACT ... KVCAP_INCOMPLETE */
    char at[KVC_POINTER_ROOM]; /* the first difference, or the member that names what is missing */
};

/* Holds a plan against the same plan derived anew. */
void kvc_verify_plan(const struct kvc_record *plan, const struct kvc_record *derived,
                     struct kvc_outcome *ret_outcome);

/* Any other kind, by itself and with what it names.  A plan whose evidence is one object likewise.
 * Fails only for want of memory. */
kvcap_code kvc_verify(const struct kvcap_record *record, const struct kvc_shelf *shelf,
                      struct kvc_outcome *ret_outcome, kvcap_error *err);

#endif /* KVC_FACE_API_VERIFY_H */
