/* line.h - one line of a batch: a question as JSON.
 *
 * Room:   fit/ - no I/O.
 * In:     {"id": ..., "engine": "vllm@0.11.0", "model": {...}, "settings": {...}, "memory": {...}}.
 * Out:    the question, but for a model that lies in a file or has a name: who asked opens those.
 * Knows:  base/, json/, meta/, shape/, engine/, record/.
 *
 * Read as foreign text: a config.json may lie inside, whose numbers are no integers of ours.
 */
#ifndef KVC_FIT_LINE_H
#define KVC_FIT_LINE_H

#include "fit/fit.h"
#include "meta/quant.h"
#include "shape/found.h"

#define KVC_FIT_LINE_BYTES_MAX ((size_t)16 * 1024 * 1024)

enum kvc_fit_model_form {
    KVC_FIT_MODEL_INLINE, /* the question's model is filled in */
    KVC_FIT_MODEL_CONFIG, /* a path: config.json, or a folder */
    KVC_FIT_MODEL_GGUF,   /* a path */
    KVC_FIT_MODEL_NAME,   /* of the built-in table */
};

struct kvc_fit_line {
    struct kvc_span id; /* NULL text: none was given */
    struct kvc_fit_question question;
    enum kvc_fit_model_form form;
    struct kvc_span model; /* the path or the name */
    bool assume_plain;
};

/* Everything comes from the arena or is borrowed from the text.  `ret_line->id` is filled in as far as
 * the line could be read, also when it is refused.  `seen` is kept from one line to the next. */
kvcap_code kvc_fit_line_read(struct kvc_span text, struct kvc_arena *arena,
                             struct kvc_releases_seen *seen, struct kvc_fit_line *ret_line,
                             kvcap_error *err);

/* What a checkpoint asks for, from what its quantisation says. */
void kvc_fit_model_asks(const struct kvc_quant *quant, struct kvc_engine_model *ret_model);

/* What a reader found, as a model for an engine. */
void kvc_fit_model_found(const struct kvc_found *found, const struct kvc_facts *facts, bool is_gguf,
                         struct kvc_engine_model *ret_model);

#endif /* KVC_FIT_LINE_H */
