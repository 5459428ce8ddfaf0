/* list.c - the engines that kvcap knows.  Declared in engine.h. */

#include "engine/engine.h"

const struct kvc_engine *kvc_engine_of(enum kvc_engine_id id)
{
    static const struct kvc_engine *const ENGINES[KVC_ENGINE_COUNT] = {
        [KVC_ENGINE_LOGICAL] = &kvc_engine_logical,
        [KVC_ENGINE_PAGED] = &kvc_engine_paged,
        [KVC_ENGINE_VLLM] = &kvc_engine_vllm,
        [KVC_ENGINE_LLAMACPP] = &kvc_engine_llamacpp,
    };
    return ENGINES[id];
}
