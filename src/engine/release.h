/* release.h - an engine at a version, and the day whose rules that version follows.
 *
 * Room:   engine/ - pure.
 * In:     "vllm@0.11.0", "vllm@v0.25.1", "vllm@2026-08-17", "llama.cpp@0.4.0", "llama.cpp@b5400",
 *         "logical", "vllm".
 * Out:    the engine, the words, and the span of days within which its code was cut.
 * Knows:  base/.
 *
 * Rules change upstream on days, so rules are kept by the day (YYYYMMDD as an integer) on which the
 * change came to main, and a release follows the rules of the day on which it was cut.  Of a release
 * that the table names, that day is known.  Of one that lies between two that it names, it lies
 * between their days: where the answers of both ends agree it does not matter, and where they do not
 * nobody can say (fit/ then answers UNDETERMINED with both).
 */
#ifndef KVC_ENGINE_RELEASE_H
#define KVC_ENGINE_RELEASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fail.h"
#include "base/span.h"

enum kvc_engine_id {
    KVC_ENGINE_LOGICAL, /* the ideal state, without an allocator */
    KVC_ENGINE_PAGED,   /* plain blocks */
    KVC_ENGINE_VLLM,
    KVC_ENGINE_LLAMACPP,
    KVC_ENGINE_COUNT
};

/* A release whose day is known.  Rows stand in ascending order. */
struct kvc_release_row {
    const char *version; /* "0.11.0", "b5400": without a v */
    uint32_t day;        /* YYYYMMDD: main followed until then */
    uint32_t day_max;    /* where that is known only as a span, its end; else 0 */
    const char *source;  /* where the day can be read */
};

struct kvc_release {
    enum kvc_engine_id engine;
    struct kvc_span version;   /* as given, without a v; of a defaulted one the newest row's */
    bool defaulted;            /* no version was given: the newest profile */
    bool is_past_known;        /* later than what was read: the newest rules are taken */
    uint32_t day_min, day_max; /* YYYYMMDD; equal where the day is known.  0 of logical and paged */
};

#define KVC_ENGINE_WORD_ROOM 80

const char *kvc_engine_name(enum kvc_engine_id engine); /* "vllm", "llama.cpp" */

/* The releases of an engine, ascending; the last is the newest profile. */
const struct kvc_release_row *kvc_releases_of(enum kvc_engine_id engine, size_t *ret_count);

/* The last day whose rules were read, and the first. */
uint32_t kvc_release_last_day(enum kvc_engine_id engine);
uint32_t kvc_release_first_day(enum kvc_engine_id engine);

/* `at` names the place in a refusal: "--engine", "/engine".  An unknown engine is named with the nearest. */
kvcap_code kvc_release_read(struct kvc_span word, const char *at, struct kvc_release *ret_release,
                            kvcap_error *err);

/* Words that were read before, since a batch asks for a few releases a million times.  All zeros: none. */
#define KVC_RELEASES_SEEN 32

struct kvc_releases_seen {
    struct kvc_release_seen {
        char word[KVC_ENGINE_WORD_ROOM];
        uint32_t length;  /* of the word; 0: nothing is kept here */
        uint32_t skipped; /* bytes before the version, where that is part of the word */
        struct kvc_release release;
    } list[KVC_RELEASES_SEEN];
};

/* The same as kvc_release_read().  The words of the release are the given word's. */
kvcap_code kvc_release_read_seen(struct kvc_releases_seen *seen, struct kvc_span word,
                                 const char *at, struct kvc_release *ret_release, kvcap_error *err);

/* "vllm@0.11.0", "logical". */
void kvc_release_word(const struct kvc_release *release, char ret_word[KVC_ENGINE_WORD_ROOM]);

#endif /* KVC_ENGINE_RELEASE_H */
