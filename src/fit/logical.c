/* logical.c - what the mathematics needs, beside what an engine reserves.  Declared in fit.h. */

#include "bytes/logical.h"
#include "bytes/elem.h"
#include "fit/fit.h"

/* The format that a setting names; `absent` where there is none, or it says auto.  False: a format that
 * has no layout here. */
static bool setting_format(const struct kvc_fit *fit, const char *name, enum kvc_format absent,
                           enum kvc_format *ret_format)
{
    const struct kvc_setting_used *setting = kvc_setting_used(&fit->settings, name);
    *ret_format = absent;
    if (setting == NULL || setting->form != KVC_USED_TEXT || kvc_span_is(setting->text, "auto"))
        return true;
    return kvc_format_said(setting->text, ret_format);
}

/* The length of a sequence that the answer is for. */
static uint64_t tokens_of(const struct kvc_fit_question *question, const struct kvc_fit *fit)
{
    const struct kvc_engine *engine = kvc_engine_of(question->release.engine);
    const struct kvc_setting_used *setting =
        kvc_setting_used(&fit->settings, engine->context_setting);
    if (setting != NULL && setting->form == KVC_USED_COUNT && setting->count > 0)
        return setting->count;
    if (fit->answer.max_model_len.said)
        return fit->answer.max_model_len.value;
    return question->model.context_tokens;
}

static bool is_known(const struct kvc_shape *shape)
{
    uint32_t layer;
    return kvc_logical_unknown(shape, &layer) == NULL;
}

kvcap_code kvc_fit_put_logical(const struct kvc_fit_question *question, struct kvc_fit *fit,
                               kvcap_error *err)
{
    const struct kvc_engine_model *model = &question->model;
    struct kvc_cache cache = { .dtype = model->dtype };
    struct kvc_logical logical;
    enum kvc_format dtype;
    bool said = setting_format(fit, "dtype", model->dtype, &dtype);
    cache.dtype = dtype;
    said = said && setting_format(fit, "kv_cache_dtype", dtype, &cache.k);
    cache.v = cache.k;
    said = said && setting_format(fit, "type_k", cache.k, &cache.k);
    said = said && setting_format(fit, "type_v", cache.v, &cache.v);
    uint64_t tokens = tokens_of(question, fit);
    if (!said || tokens == 0 || !is_known(model->shape))
        return KVCAP_OK;
    /* A format whose groups do not divide a row has no logical size: an engine's own answer stands. */
    kvcap_code rc = kvc_logical_of(model->shape, &cache, tokens, &logical, err);
    if (rc != KVCAP_OK)
        return question->release.engine == KVC_ENGINE_LOGICAL ? rc : KVCAP_OK;
    fit->answer.logical_token_bytes = kvc_said(logical.token_bytes);
    fit->answer.logical_sequence_bytes = kvc_said(logical.sequence_bytes);
    return KVCAP_OK;
}
