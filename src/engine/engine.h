/* engine.h - one engine: its table of settings, its dated changes, and the one question it answers.
 *
 * Room:   engine/ - pure.
 * In:     a model, a day, settings, memory as plain numbers.
 * Out:    an answer.
 * Knows:  base/, json/, meta/, shape/, bytes/.
 *
 * An engine sees one day and one number for each term of memory.  Spans - a release between two known
 * days, a GiB that was printed rounded - are fit/'s: it asks twice.
 */
#ifndef KVC_ENGINE_ENGINE_H
#define KVC_ENGINE_ENGINE_H

#include "engine/answer.h"
#include "engine/model.h"
#include "engine/release.h"
#include "engine/settings.h"

/* Memory as it was given: what is absent is not said. */
struct kvc_engine_memory {
    bool given;
    const uint64_t
        *available_bytes; /* of the cache, one for all workers or one a worker; NULL: not said */
    uint32_t available_count;
    struct kvc_maybe device_total_bytes; /* of one device, as the runtime reports it */
    struct kvc_maybe device_free_bytes;  /* at start; not said: all of it */
    struct kvc_maybe weights_bytes;      /* of one worker */
    struct kvc_maybe activation_bytes, non_torch_bytes, cuda_graph_bytes;
    struct kvc_maybe host_total_bytes;
    struct kvc_engine_device {
        struct kvc_span name;
        uint64_t free_bytes, total_bytes;
    } const *devices; /* llama.cpp */
    uint32_t devices_count;
    const char *device_name; /* of the built-in table, or NULL */
};

/* A change of rule upstream.  Rows stand in ascending order of day. */
struct kvc_engine_change {
    uint32_t day;         /* YYYYMMDD: rules of that day and later */
    const char *name;     /* "in_flight_batches": stable, for `kvcap diff` */
    const char *sentence; /* what changed */
    const char *source;   /* "PR 47728" */
};

struct kvc_engine_question {
    const struct kvc_engine_model *model;
    uint32_t day; /* YYYYMMDD */
    const struct kvc_release
        *release; /* for words in lines that depend on them, never for arithmetic */
    struct kvc_settings *settings;
    const struct kvc_engine_memory *memory;
    struct kvc_span front; /* "llama-server", "llama-cli", or NULL text: the library */
    struct kvc_arena *arena;
};

struct kvc_engine {
    enum kvc_engine_id id;
    const char *rules; /* "vllm/1": raised whenever a released rule gives another number */
    const struct kvc_setting_row *settings;
    size_t settings_count;
    const struct kvc_engine_change *changes;
    size_t changes_count;
    const char *context_setting; /* the setting that bounds a sequence: "max_model_len", "n_ctx" */
    const char
        *sequences_setting; /* that makes room for more of them: "n_seq_max"; NULL: none does */
    /* Fills the answer, which has begun.  Refusals are of bad input alone: that the engine would not
     * start is an answer.  What cannot be said is one too. */
    kvcap_code (*fit)(const struct kvc_engine_question *question, struct kvc_answer *answer,
                      kvcap_error *err);
};

/* The engines, one file each. */
extern const struct kvc_engine kvc_engine_vllm, kvc_engine_llamacpp, kvc_engine_logical,
    kvc_engine_paged;

const struct kvc_engine *kvc_engine_of(enum kvc_engine_id id); /* list.c */

#define KVC_ENGINE_DAYS_MAX 128 /* more than an engine has changes */

/* The days on which a release may have followed rules that differ: its first, and that of each change
 * until its last. */
size_t kvc_engine_days(const struct kvc_release *release, uint32_t ret_days[KVC_ENGINE_DAYS_MAX]);

/* The words for a cache format that `logical` and `paged` take; NULL ends them. */
extern const char *const kvc_logical_formats[];

#endif /* KVC_ENGINE_ENGINE_H */
