/* window.h - what the requests of a window hold, summed as they come.
 *
 * Room:   plan/ - pure; memory is the arena that it is handed.
 * In:     requests, one by one, and the distinct windows of kvc_stages.
 * Out:    sums: of the whole, and of each cohort.
 * Knows:  base/, bytes/, record/ (structs).
 *
 * Nothing is kept of a request but its share of the sums, so a window of millions costs what its
 * cohorts cost.
 *
 * Counted prefixes: a request with a prefix holds the whole blocks of its prefix_tokens in groups
 * that hold all.  Each of its sequences holds its blocks less those, and those are held once for
 * each (tenant, prefix_id), by the request that came first.  A window or a recurrent state has
 * moved on from its prefix and shares nothing.
 */
#ifndef KVC_PLAN_WINDOW_H
#define KVC_PLAN_WINDOW_H

#include "plan/stages.h"
#include "record/intake.h"

struct kvc_tally {
    struct ck requests, sequences, reserve_tokens;
    struct ck reserved_blocks; /* of sequences rounded up, a shared prefix once */
    struct ck *blocks;         /* by number of the rule */
};

struct kvc_window {
    const struct kvc_stages *stages;
    struct kvc_arena *arena;
    struct kvc_tally all;
    struct kvc_tally *cohorts; /* by number, KVC_COHORTS_MAX of them */
};

/* `stages` and the arena are borrowed while the window lives. */
kvcap_code kvc_window_begin(struct kvc_window *window, const struct kvc_stages *stages,
                            struct kvc_arena *arena, kvcap_error *err);

/* Adds a request that was taken in. */
kvcap_code kvc_window_add(struct kvc_window *window, const struct kvc_request *request,
                          const struct kvc_taken *taken, kvcap_error *err);

#endif /* KVC_PLAN_WINDOW_H */
