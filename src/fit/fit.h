/* fit.h - a fit: what an engine at a version does with a model, settings and memory.
 *
 * Room:   fit/ - no I/O.
 * In:     a question.
 * Out:    the answer; and, where something in the question is a span, what holds at both of its ends.
 * Knows:  base/, json/, meta/, shape/, bytes/, engine/.
 *
 * An engine answers for one day and one number a term.  Two things may be spans: the day on which a
 * release was cut, and bytes that were printed as GiB.  Both are asked at their ends (a day also at each
 * change of rule between): what comes out alike is the answer, and what does not is a range, or
 * UNDETERMINED with the answers of both ends.
 */
#ifndef KVC_FIT_FIT_H
#define KVC_FIT_FIT_H

#include "engine/engine.h"
#include "fit/memory.h"

struct kvc_fit_question {
    struct kvc_release release;
    struct kvc_engine_model model;
    struct kvc_span front;            /* "llama-server", or NULL text */
    const struct kvc_value *settings; /* an object, or NULL */
    const char *settings_at;          /* before a setting's name in a refusal */
    struct kvc_fit_memory memory;
    bool explain;
};

/* Two ends; `said` where it is a range. */
struct kvc_fit_range {
    uint64_t least, most;
    bool said;
};

struct kvc_fit {
    struct kvc_answer answer;
    struct kvc_settings settings; /* what entered; its `given` is the question's */
    struct kvc_fit_range tokens, num_blocks;
    struct kvc_fit_range available_bytes, estimated_max_model_len; /* of a refusal */
    const char *rules;
};

/* Everything comes from the arena or is borrowed from the question. */
kvcap_code kvc_fit_answer(const struct kvc_fit_question *question, struct kvc_arena *arena,
                          struct kvc_fit *ret_fit, kvcap_error *err);

/* The engine at one day with one end of the memory, and nothing beside it. */
kvcap_code kvc_fit_at(const struct kvc_fit_question *question, uint32_t day, bool most,
                      struct kvc_arena *arena, struct kvc_fit *ret_fit, kvcap_error *err);

/* Fills in what the mathematics needs, in the formats and for the length of the answer. */
kvcap_code kvc_fit_put_logical(const struct kvc_fit_question *question, struct kvc_fit *fit,
                               kvcap_error *err);

#endif /* KVC_FIT_FIT_H */
