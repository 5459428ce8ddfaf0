/* fit.h - the parts of the verb fit.
 *
 * Room:   face/cli.
 * Knows:  all.
 */
#ifndef KVC_FACE_CLI_FIT_H
#define KVC_FACE_CLI_FIT_H

#include "face/cli/verbs.h"
#include "fit/fit.h"

/* kvcap fit --batch: standard input to standard output. */
int kvc_fit_batch(const struct kvc_call *call);

/* The answer for people: the decision first, then what it rests on. */
struct kvc_fit_shown {
    const struct kvc_fit *fit;
    const struct kvc_fit_question *question;
    const char *model_name;
    const struct kvc_span *ignored; /* flags that do not touch memory */
    size_t ignored_count;
    bool explain;
};
void kvc_fit_show(const struct kvc_fit_shown *shown, FILE *out);

#endif /* KVC_FACE_CLI_FIT_H */
