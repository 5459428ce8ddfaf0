/* rivals.h - a second description of the model beside the one that is believed.
 *
 * Room:   meta/ - no I/O.
 * In:     the facts that are believed, and the text of another config.json or params.json.
 * Out:    its facts, read as if it stood alone; a note where it is of another family or not to be read.
 * Knows:  base/, json/.
 *
 * What the two say of layers is compared by their shapes (shape/agree.h), so that each is read by the
 * rules of its own family.
 */
#ifndef KVC_META_RIVALS_H
#define KVC_META_RIVALS_H

#include "base/fail.h"
#include "base/note.h"
#include "meta/facts.h"

/* The facts of a file whose name is of the kind CONFIG or PARAMS; they borrow name and text, and lie
 * in `scratch`.  One that cannot be read is told of and passed over: then ret_facts->tree is NULL.
 * Only want of memory is refused. */
kvcap_code kvc_rival_read(const struct kvc_facts *believed, const char *name, struct kvc_span text,
                          struct kvc_arena *scratch, struct kvc_notes *notes,
                          struct kvc_facts *ret_facts, kvcap_error *err);

#endif /* KVC_META_RIVALS_H */
