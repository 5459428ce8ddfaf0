/* seek.h - the largest that fits: context, sequences at once; the smallest device that is enough.
 *
 * Room:   fit/ - no I/O.
 * In:     a question with memory.
 * Out:    the number, and the answer that it gives.
 * Knows:  base/, json/, meta/, engine/.
 *
 * Nothing is solved for: the engine is asked again and again, since windows, blocks and padding make its
 * need a staircase.  It never falls as a sequence grows, which is what bisection needs.  It does fall as
 * sequences are added where each is padded (40,960 cells are 40 times 1,024 and 160 times 256, and 64
 * times 768 are more), so their number is sought from the top, one after the other.
 */
#ifndef KVC_FIT_SEEK_H
#define KVC_FIT_SEEK_H

#include "fit/fit.h"

enum kvc_seek { KVC_SEEK_NOTHING, KVC_SEEK_CONTEXT, KVC_SEEK_SEQUENCES, KVC_SEEK_DEVICE };

struct kvc_sought {
    bool found;
    bool unsure; /* an answer on the way could not be said, and is not counted as one that fits */
    uint64_t value;     /* tokens, sequences, or bytes of the device */
    uint64_t tried_max; /* the largest that was tried: the model's own context, say */
    const char *device; /* DEVICE: its name */
    struct kvc_fit fit; /* the answer at the value */
};

kvcap_code kvc_fit_seek(const struct kvc_fit_question *question, enum kvc_seek what,
                        struct kvc_arena *arena, struct kvc_sought *ret_sought, kvcap_error *err);

#endif /* KVC_FIT_SEEK_H */
