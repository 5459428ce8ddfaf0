/* llamacpp.h - everything that the engine works out for one question.
 *
 * Room:   engine/ - pure.
 * In:     a question.
 * Out:    the plan beside the answer: what llama_context has, and what lies where.
 * Knows:  base/, json/, meta/, shape/, bytes/.
 */
#ifndef KVC_ENGINE_LLAMACPP_H
#define KVC_ENGINE_LLAMACPP_H

#include "engine/llamacpp_bytes.h"
#include "engine/llamacpp_params.h"
#include "engine/llamacpp_place.h"

struct kvc_llamacpp_plan {
    struct kvc_llamacpp_wanted wanted;
    struct kvc_llamacpp_model model;
    struct kvc_llamacpp_context context; /* is_refused: nothing below was made */
    struct kvc_llamacpp_weights weights;
    struct kvc_llamacpp_places places;
    bool has_places;
};

/* Settings, model, context, memory: in this order, and the answer's members.  The model's arch is NULL
 * where it cannot be said what is cached; the answer then says why. */
kvcap_code kvc_llamacpp_make(const struct kvc_engine_question *question, struct kvc_answer *answer,
                             struct kvc_llamacpp_plan *ret_plan, kvcap_error *err);

/* The engine's own entry. */
kvcap_code kvc_llamacpp_answer(const struct kvc_engine_question *question,
                               struct kvc_answer *answer, kvcap_error *err);

/* llamacpp_fit.c: the context, as far as it depends on memory, and whether it all fits.  Fills
 * everything of the plan below `model`. */
kvcap_code kvc_llamacpp_fit_to_memory(const struct kvc_engine_question *question,
                                      struct kvc_answer *answer, struct kvc_llamacpp_plan *plan,
                                      kvcap_error *err);

#endif /* KVC_ENGINE_LLAMACPP_H */
