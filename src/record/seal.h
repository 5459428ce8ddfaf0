/* seal.h - a hand-written draft to a record.
 *
 * Room:   record/ - no I/O.
 * In:     a tree without id, and the records it may take members from.
 * Out:    the tree with its id, checked as strictly as any record.
 * Knows:  base/, json/, bytes/.
 *
 * A draft may leave out what follows from the rest: the digest of an architecture, the layout of a
 * format, a scope that is its contract's.  Nothing else is filled in, guessed or repaired.
 */
#ifndef KVC_RECORD_SEAL_H
#define KVC_RECORD_SEAL_H

#include "record/record.h"

/* Where a named record is looked up by id; NULL when it is not at hand. */
struct kvc_naming {
    const struct kvc_record *(*find)(void *context, struct kvc_span id);
    void *context;
};

kvcap_code kvc_seal(const struct kvc_reading *reading, struct kvc_value *tree,
                    const struct kvc_naming *naming, struct kvc_record *ret_record);

/* The same for the header of a stream: fills in its scope; the id is the stream's matter. */
kvcap_code kvc_seal_header(const struct kvc_reading *reading, struct kvc_value *tree,
                           const struct kvc_naming *naming);

/* What must hold between a record and those it names, as far as they are at hand. */
kvcap_code kvc_seal_check_named(const struct kvc_reading *reading, const struct kvc_record *record,
                                const struct kvc_naming *naming);

#endif /* KVC_RECORD_SEAL_H */
