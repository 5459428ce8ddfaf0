/* nearest.h - which known name was probably meant by one that is not known.
 *
 * Room:   base/ - pure.
 * In:     a word, and known names one after the other.
 * Out:    the nearest of them, if any is near.
 * Knows:  base/span.h.
 *
 * A name is near when at most half of the word's letters, and at most eight, have to change.
 */
#ifndef KVC_BASE_NEAREST_H
#define KVC_BASE_NEAREST_H

#include "base/span.h"

struct kvc_nearest {
    struct kvc_span word;
    struct kvc_span best; /* borrowed; of length 0: none is near */
    unsigned distance;    /* of the best; before there is one, the first that is too far */
};

struct kvc_nearest kvc_nearest_begin(struct kvc_span word);

/* Of names that are as near, the first offered stays. */
void kvc_nearest_offer(struct kvc_nearest *near, struct kvc_span name);

/* As many edits as still make a word near, which is what `kvc_nearest_begin` starts from. */
unsigned kvc_nearest_limit(struct kvc_span word);

#endif /* KVC_BASE_NEAREST_H */
