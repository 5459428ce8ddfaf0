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

size_t kvc_engine_days(const struct kvc_release *release, uint32_t ret_days[KVC_ENGINE_DAYS_MAX])
{
    const struct kvc_engine *engine = kvc_engine_of(release->engine);
    size_t count = 0;
    ret_days[count++] = release->day_min;
    for (size_t i = 0; i < engine->changes_count && count < KVC_ENGINE_DAYS_MAX; i++) {
        uint32_t day = engine->changes[i].day;
        if (day > release->day_min && day <= release->day_max && day != ret_days[count - 1])
            ret_days[count++] = day;
    }
    return count;
}
