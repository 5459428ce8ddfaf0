/* recorded.h - the question that a kv-fit answered.
 *
 * Room:   fit/ - no I/O.
 * In:     the tree of a kv-fit, and the model that it names.
 * Out:    the question: the settings that entered, the memory that was given.
 * Knows:  base/, json/, engine/.
 *
 * A record says every setting that entered, defaults and all, so the question asks for each by name: an
 * engine gives the same answer to its own defaults when they are stated.
 */
#ifndef KVC_FIT_RECORDED_H
#define KVC_FIT_RECORDED_H

#include "fit/fit.h"

kvcap_code kvc_fit_question_of(const struct kvc_value *fit, const struct kvc_engine_model *model,
                               struct kvc_arena *arena, struct kvc_fit_question *ret_question,
                               kvcap_error *err);

#endif /* KVC_FIT_RECORDED_H */
