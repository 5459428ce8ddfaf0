/* window.h - what the requests of a window hold, summed as they come.
 *
 * Room:   plan/ - pure; memory is what it is handed.
 * In:     requests, one by one, and the distinct windows of kvc_stages.
 * Out:    sums: of the whole, and of each cohort.
 * Knows:  base/, bytes/, record/ (structs).
 *
 * Nothing is kept of a request but its share of the sums, so a window of millions costs what its
 * cohorts and its distinct prefixes cost.
 *
 * Counted prefixes: a request with a prefix holds floor(prefix_tokens / block_tokens) blocks of it
 * in groups that hold all.  Each of its sequences holds its blocks less those, and those are held
 * once for each (tenant, prefix_id), by the request that came first.  A window or a recurrent state
 * has moved on from its prefix and shares nothing.
 */
#ifndef KVC_PLAN_WINDOW_H
#define KVC_PLAN_WINDOW_H

#include "base/seen.h"
#include "plan/stages.h"

struct kvc_tally {
    struct ck requests, sequences, reserve_tokens;
    struct ck reserved_blocks; /* of sequences rounded up, a counted prefix once */
    struct ck *blocks;         /* by number of the window */
};

struct kvc_window {
    const struct kvc_stages *stages;
    bool counts_prefixes;
    struct kvc_arena *arena;
    struct kvc_sha256 *sha;
    struct kvc_seen prefixes; /* number: prefix_tokens */
    struct kvc_tally all;
    struct kvc_tally *cohorts; /* by number, cohorts_room of them */
    uint32_t cohorts_room;
};

/* `stages` and the arena are borrowed while the window lives; ends with kvc_window_drop. */
kvcap_code kvc_window_begin(struct kvc_window *window, const struct kvc_stages *stages,
                            const struct kvc_contract *contract, uint32_t cohorts_room,
                            const struct kvc_memory *memory, struct kvc_arena *arena,
                            struct kvc_sha256 *sha, kvcap_error *err);
void kvc_window_drop(struct kvc_window *window);

/* Adds the n-th request, of the cohort with this number. */
kvcap_code kvc_window_add(struct kvc_window *window, const struct kvc_request *request, uint64_t n,
                          uint32_t cohort, kvcap_error *err);

#endif /* KVC_PLAN_WINDOW_H */
