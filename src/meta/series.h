/* series.h - NAME-00002-of-00009.ENDING: one model in several files.
 *
 * Room:   meta/ - no I/O.
 * In:     names of files.
 * Out:    which file is which part, and which parts are missing.
 * Knows:  base/.
 *
 * Both llama.cpp (llama_split_path) and transformers and safetensors write the numbers with five
 * digits, from 1.  What is written otherwise is no part.
 */
#ifndef KVC_META_SERIES_H
#define KVC_META_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct kvc_series {
    struct kvc_span stem;   /* "d/NAME"; of a file that is no part its whole name */
    struct kvc_span ending; /* ".gguf"; length 0 of a file that is no part */
    uint32_t number, count; /* 2 of 9; a file that is no part is 1 of 1 */
    bool is_part;
};

/* Borrows the name. */
struct kvc_series kvc_series_of(struct kvc_span name);

/* Whether both are parts of the same; a file that is no part has no other of its series. */
bool kvc_series_same(const struct kvc_series *a, const struct kvc_series *b);

/* The lowest number that none of the names has, which must each stand there once; 0: the series is
 * whole. */
uint32_t kvc_series_missing(const struct kvc_series *series, const char *const *names,
                            size_t names_count);

/* Whether a name that is no part looks like one: "-of-" and a digit.  "model-1-of-61.safetensors" is
 * not a whole model, but of what numbers stand there nothing is sure. */
bool kvc_series_is_doubtful(const struct kvc_series *series);

#endif /* KVC_META_SERIES_H */
