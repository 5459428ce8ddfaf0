/* said.h - what each side says of a context, in the same words: lines, bytes of caches, or a refusal.
 *
 * Of what the engine logs the lines are picked that an answer of kvcap has: all that its caches log, but
 * for a few (said.c), and those of the context's geometry. */
#ifndef KVC_TEST_LIVE_SAID_H
#define KVC_TEST_LIVE_SAID_H

#include "base/arena.h"
#include "live/engine.h"
#include "json/tree.h"

#define LIVE_LINES_MAX 256

struct live_lines {
    struct kvc_span at[LIVE_LINES_MAX];
    size_t count;
};

struct live_said {
    bool is_refused;
    struct live_lines lines; /* of a refusal: one */
    struct live_lines bytes; /* of each cache that has any, and of all */
};

/* What is said lies in the report. */
void live_hear_engine(const struct live_report *report, struct live_said *said);

/* A line of `kvcap fit --batch`.  What is said lies in it and in the arena. */
void live_hear_kvcap(const struct kvc_value *answer, struct kvc_arena *arena,
                     struct live_said *said);

/* Something, and the same: all lines in their order, all bytes; or one refusal. */
bool live_same(const struct live_said *a, const struct live_said *b);

#endif /* KVC_TEST_LIVE_SAID_H */
