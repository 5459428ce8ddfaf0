/* moved.h - what moved the numbers from one fit to another: a setting, memory, or a rule of the engine.
 *
 * Room:   fit/ - no I/O.
 * In:     two questions about one engine.
 * Out:    the steps from the first to the second at which a number moved, each with what was changed.
 * Knows:  base/, json/, engine/.
 *
 * The way is walked one change at a time and the engine is asked after each: settings in the order of
 * their names, then memory, then the model, then the engine's dated rules one after the other, forwards
 * or backwards.  A step names the number that it moved most plainly: blocks, tokens, bytes.  What is
 * attributed depends on the order where changes act on each other; the order is this one, always.
 */
#ifndef KVC_FIT_MOVED_H
#define KVC_FIT_MOVED_H

#include "fit/fit.h"

#define KVC_MOVES_MAX 64

struct kvc_move {
    const char *kind;              /* "setting", "memory", "model", "rule" */
    const char *name;              /* of the setting, of the rule */
    const char *sentence, *source; /* of a rule; else NULL */
    struct kvc_span was, is;       /* of a setting: its values; NULL text: not given */
    uint32_t day;                  /* of a rule, YYYYMMDD; 0: none */
    bool backwards;                /* a rule that the second version does not have yet */
    struct kvc_answer *before, *after;
};

struct kvc_moves {
    struct kvc_move list[KVC_MOVES_MAX];
    size_t count;
    bool cut; /* there were more */
};

kvcap_code kvc_fit_moves(const struct kvc_fit_question *from, const struct kvc_fit_question *to,
                         struct kvc_arena *arena, struct kvc_moves *ret_moves, kvcap_error *err);

#endif /* KVC_FIT_MOVED_H */
