/* answer_json.h - an answer as the members of a JSON object.
 *
 * Room:   fit/ - no I/O.
 * In:     a fit.
 * Out:    text: {"engine": ..., "decision": ..., "logical": {...}, ...}, as a batch line or for a record.
 * Knows:  base/, json/, engine/.
 *
 * Written straight to a buffer and not through a tree: a batch has hundreds of thousands of lines a
 * second, and none of them is looked at again here.
 */
#ifndef KVC_FIT_ANSWER_JSON_H
#define KVC_FIT_ANSWER_JSON_H

#include "fit/fit.h"
#include "fit/text.h"

/* What is written beside the answer's own members. */
struct kvc_fit_frame {
    struct kvc_span id;     /* of a batch line; NULL text: none */
    struct kvc_span engine; /* "vllm@0.11.0" */
    bool core;              /* without lines, notes and steps: what two answers are compared by */
};

/* The members without braces around them.  False: a number in it is past what JSON readers take. */
bool kvc_fit_write(const struct kvc_fit *fit, const struct kvc_fit_frame *frame,
                   struct kvc_fit_text *text);

/* A batch line's refusal: {"id": ..., "error": {...}}. */
void kvc_fit_write_error(struct kvc_span id, const kvcap_error *err, struct kvc_fit_text *text);

#endif /* KVC_FIT_ANSWER_JSON_H */
