/* record_json.h - a fit as a kv-fit: the text of a draft, to be sealed.
 *
 * Room:   fit/ - no I/O.
 * In:     a fit, its question, the model's id, the words of a command line.
 * Out:    JSON with the members of a batch answer and those that identify what was asked.
 * Knows:  base/, json/, engine/.
 */
#ifndef KVC_FIT_RECORD_JSON_H
#define KVC_FIT_RECORD_JSON_H

#include "fit/answer_json.h"

struct kvc_fit_record {
    struct kvc_span model;        /* id */
    const struct kvc_span *words; /* of the command line; NULL: there was none */
    size_t words_count;
    const struct kvc_span *ignored;
    size_t ignored_count;
    const struct kvc_value *memory; /* the object as it was given, or NULL */
};

/* The code of the note by which a fit says that it rests on more of the model's file than its record. */
#define KVC_FIT_BESIDE_RECORD "fit.beside_record"

/* False: a number is past what a record says, or the text is full. */
bool kvc_fit_write_record(const struct kvc_fit *fit, const struct kvc_fit_question *question,
                          const struct kvc_fit_record *record, struct kvc_fit_text *text);

#endif /* KVC_FIT_RECORD_JSON_H */
