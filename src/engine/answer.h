/* answer.h - what an engine at a version will allocate, print and refuse: the answer to a fit.
 *
 * Room:   engine/ - pure.
 * In:     numbers, as an engine's rules give them.
 * Out:    the members of a batch answer and of a kv-fit, under the same names (doc/fit.md).
 * Knows:  base/, shape/.
 *
 * What does not apply is absent, never zero: each part has a flag or a count.  Lists are in the arena.
 */
#ifndef KVC_ENGINE_ANSWER_H
#define KVC_ENGINE_ANSWER_H

#include "base/ieee.h"
#include "base/note.h"
#include "engine/decision.h"
#include "shape/shape.h"

/* A number that may be absent. */
struct kvc_maybe {
    uint64_t value;
    bool said;
};

static inline struct kvc_maybe kvc_said(uint64_t value)
{
    return (struct kvc_maybe){ .value = value, .said = true };
}

/* pool.groups */
struct kvc_answer_group {
    const char
        *kind; /* full, sliding_window, chunked_local, mla, mamba, cross, uniform_type, ... */
    uint32_t layers;
    uint64_t block_tokens, page_bytes;
    struct kvc_maybe blocks_per_request;
};

/* pools */
struct kvc_answer_pool {
    const char *kind; /* full, swa, state, host */
    struct kvc_maybe tokens, page_tokens, slots;
    uint64_t bytes;
};

/* caches: one a cache line that the engine prints, in its order */
struct kvc_answer_cache {
    const char *kind; /* kv, recurrent, state */
    struct kvc_maybe cells, layers, streams;
    struct kvc_maybe k_bytes, v_bytes; /* kv; of a cache without V: v_bytes 0 */
    struct kvc_maybe r_bytes, s_bytes; /* recurrent */
    struct kvc_maybe bytes;            /* state: what no cache line shows */
};

enum kvc_label {
    KVC_LABEL_DECLARED,
    KVC_LABEL_DERIVED,
    KVC_LABEL_ESTIMATED,
    KVC_LABEL_MEASURED,
    KVC_LABEL_UNKNOWN,
};

/* devices */
struct kvc_answer_device {
    const char *name; /* "rank 0", "CUDA0", "CPU" */
    struct kvc_maybe weights_bytes, cache_bytes, compute_bytes;
    struct kvc_maybe total_bytes; /* of the device, where it was told */
    enum kvc_label label;         /* of compute_bytes; the other two are derived or declared */
    struct kvc_maybe layers;      /* whose cache lies there */
};

struct kvc_answer_undetermined {
    struct kvc_maybe layer;
    struct kvc_span key, reason;
    struct kvc_span answers[2]; /* NULL text: none */
};

/* A step of the derivation, for --explain. */
struct kvc_answer_step {
    const char *name;        /* "num_blocks" */
    struct kvc_span value;   /* "25,600 blocks" */
    struct kvc_span formula; /* "floor(53,687,091,200 / 2,097,152)" */
    const char *source;      /* "vllm/v1/core/kv_cache_utils.py, get_num_blocks @ 017e9f4" */
};

struct kvc_answer {
    struct kvc_arena *arena;
    bool full;    /* memory was refused: the answer is not whole */
    bool explain; /* steps are wanted */

    enum kvc_decision decision;
    const char *rules; /* "vllm/1" */

    struct kvc_maybe logical_token_bytes, logical_sequence_bytes;
    struct kvc_maybe reserved_sequence_bytes, reserved_total_bytes;

    /* pool */
    struct kvc_maybe num_blocks, block_tokens, block_bytes;
    struct kvc_answer_group *groups;
    uint32_t groups_count, groups_room;

    struct kvc_answer_pool *pools;
    uint32_t pools_count, pools_room;
    struct kvc_answer_cache *caches;
    uint32_t caches_count, caches_room;
    struct kvc_answer_device *devices;
    uint32_t devices_count, devices_room;

    struct kvc_maybe tokens, max_model_len, max_running_requests;
    struct kvc_span max_concurrency;          /* as printed, "3.12"; NULL text: absent */
    struct kvc_maybe ratio_over, ratio_under; /* max_concurrency_ratio */

    /* refusal: text NULL: none */
    struct kvc_span refusal_text;
    struct kvc_maybe needed_bytes, available_bytes, estimated_max_model_len;

    struct kvc_span *lines; /* engine_lines */
    uint32_t lines_count, lines_room;
    struct kvc_answer_undetermined *undetermined;
    uint32_t undetermined_count, undetermined_room;
    struct kvc_answer_step *steps;
    uint32_t steps_count, steps_room;
    struct kvc_notes notes; /* `at` is "" here */

    union { /* what is written to once full, and never read */
        struct kvc_answer_group group;
        struct kvc_answer_pool pool;
        struct kvc_answer_cache cache;
        struct kvc_answer_device device;
        struct kvc_answer_undetermined undetermined;
    } nobodys;
};

/* An empty answer.  What follows grows its lists; with a full arena it does nothing and sets `full`. */
void kvc_answer_begin(struct kvc_answer *answer, struct kvc_arena *arena, bool explain);

/* A zeroed new entry at the end; never NULL (a dummy once full). */
struct kvc_answer_group *kvc_answer_group(struct kvc_answer *answer);
struct kvc_answer_pool *kvc_answer_pool(struct kvc_answer *answer);
struct kvc_answer_cache *kvc_answer_cache(struct kvc_answer *answer);
struct kvc_answer_device *kvc_answer_device(struct kvc_answer *answer);
struct kvc_answer_undetermined *kvc_answer_undetermined(struct kvc_answer *answer);

/* An entry for each layer and state that is unknown, and then the decision UNDETERMINED. */
void kvc_answer_unknown(struct kvc_answer *answer, const struct kvc_shape *shape);

/* printf into the arena; NULL text once full.  Integers take PRIu64 and the ' flag is not known. */
struct kvc_span kvc_answer_text(struct kvc_answer *answer, const char *format, ...)
    KVC_PRINTF(2, 3);
void kvc_answer_line(struct kvc_answer *answer, const char *format, ...) KVC_PRINTF(2, 3);
/* A line of these parts, the last of which is NULL. */
void kvc_answer_line_of_parts(struct kvc_answer *answer, const char *const *parts);
/* A line that is put together already; it is copied. */
void kvc_answer_line_of(struct kvc_answer *answer, struct kvc_span text);
/* `code` is static: "engine.assertion". */
void kvc_answer_note(struct kvc_answer *answer, const char *code, const char *format, ...)
    KVC_PRINTF(3, 4);
/* Does nothing unless the answer explains. */
void kvc_answer_step(struct kvc_answer *answer, const char *name, const char *source,
                     struct kvc_span value, const char *format, ...) KVC_PRINTF(5, 6);

/* "1,234,567". */
struct kvc_span kvc_answer_grouped(struct kvc_answer *answer, uint64_t value);

#endif /* KVC_ENGINE_ANSWER_H */
