/* gguf_window.c - which layers of a GGUF model slide, and how far.  Declared in gguf_model.h. */

#include "shape/gguf_model.h"

#define WINDOW "attention.sliding_window"
#define PATTERN "attention.sliding_window_pattern"

/* ---- The window. */

static struct kvc_origin none(void)
{
    return (struct kvc_origin){ .value = 0, .how = "default" };
}

/* The engine's number, where the key stands there and is not 0 - or is absent, if `even_absent`. */
static kvcap_code find_fixed(struct kvc_gguf_model *model, bool even_absent,
                             struct kvc_origin *ret_window)
{
    struct kvc_origin said = none();
    bool is_said = kvc_gguf_said(model, WINDOW) != NULL;
    kvcap_code rc = is_said ? kvc_gguf_number(model, WINDOW, &said) : KVCAP_OK;
    bool has_window = is_said ? said.value > 0 : even_absent;
    *ret_window =
        has_window ? kvc_gguf_default(model, model->arch->window_tokens, "n_swa") : none();
    return rc;
}

static kvcap_code find_window(struct kvc_gguf_model *model)
{
    const struct kvc_gguf_arch *arch = model->arch;
    bool is_said = kvc_gguf_said(model, WINDOW) != NULL;
    model->window = none();
    if (arch->window_layers != 0 && arch->window_layers != model->drafts_first)
        return KVCAP_OK;
    switch (arch->window) {
    case KVC_GGUF_WINDOW_SAID:
        return kvc_gguf_at_least(model, WINDOW, 1, &model->window);
    case KVC_GGUF_WINDOW_IF_SAID:
        return is_said ? kvc_gguf_number(model, WINDOW, &model->window) : KVCAP_OK;
    case KVC_GGUF_WINDOW_OR_DEFAULT:
        if (is_said)
            return kvc_gguf_at_least(model, WINDOW, 1, &model->window);
        model->window = kvc_gguf_default(model, arch->window_tokens, "n_swa");
        return KVCAP_OK;
    case KVC_GGUF_WINDOW_FIXED_IF_SAID:
        return find_fixed(model, false, &model->window);
    case KVC_GGUF_WINDOW_FIXED:
        return find_fixed(model, true, &model->window);
    default:
        return KVCAP_OK;
    }
}

/* ---- Which layers. */

/* llama_hparams::set_swa_pattern: draft layers are full. */
static void slide_by_pattern(struct kvc_gguf_model *model, uint64_t every)
{
    for (uint32_t i = 0; i < model->drafts_first; i++) {
        if (every == 0)
            model->slides[i] = true;
        else
            model->slides[i] = model->arch->dense_first ? i % every != 0 : i % every < every - 1;
    }
}

/* A list at the key of the pattern is passed over where a number is looked for. */
static kvcap_code find_pattern(struct kvc_gguf_model *model)
{
    const struct kvc_value *said = kvc_gguf_said(model, PATTERN);
    struct kvc_origin every = { .value = model->arch->every };
    if (said != NULL && said->type != KVC_ARRAY) {
        kvcap_code rc = kvc_gguf_number(model, PATTERN, &every);
        if (rc != KVCAP_OK)
            return rc;
    }
    slide_by_pattern(model, every.value);
    return KVCAP_OK;
}

static kvcap_code find_flags(struct kvc_gguf_model *model, uint32_t count, bool exact)
{
    struct kvc_gguf_per_layer flags;
    kvcap_code rc = kvc_gguf_per_layer(model, PATTERN, count, exact, &flags);
    if (rc != KVCAP_OK)
        return rc;
    if (flags.of_layer == NULL)
        return kvc_gguf_fail(model, KVC_METADATA_MISSING_KEY, PATTERN, "the key is missing");
    if (!exact && !flags.is_list)
        return kvc_gguf_fail(model, KVC_METADATA_WRONG_TYPE, PATTERN, "this is no list");
    for (uint32_t i = 0; i < count; i++)
        model->slides[i] = flags.of_layer[i] != 0;
    return KVCAP_OK;
}

static kvcap_code find_slides(struct kvc_gguf_model *model)
{
    const struct kvc_value *said = kvc_gguf_said(model, PATTERN);
    switch (model->arch->slides) {
    case KVC_GGUF_SLIDES_FLAGS:
        return find_flags(model, model->drafts_first, true);
    case KVC_GGUF_SLIDES_FLAGS_ALL:
        return find_flags(model, model->layers_count, true);
    case KVC_GGUF_SLIDES_LIST:
        return find_flags(model, model->layers_count, false);
    case KVC_GGUF_SLIDES_EITHER:
        return said != NULL && said->type != KVC_ARRAY
                   ? find_pattern(model)
                   : find_flags(model, model->drafts_first, true);
    case KVC_GGUF_SLIDES_ALWAYS:
        for (uint32_t i = 0; i < model->layers_count; i++)
            model->slides[i] = true;
        return KVCAP_OK;
    case KVC_GGUF_SLIDES_ATTENDING:
        for (uint32_t i = 0; i < model->drafts_first; i++)
            model->slides[i] = !model->recurs[i];
        return KVCAP_OK;
    default:
        return find_pattern(model);
    }
}

/* A draft model for hyper-connected targets slides in every layer, by a window that must be there
 * (dflash.cpp). */
static kvcap_code find_hyper(struct kvc_gguf_model *model, bool *ret_is_hyper)
{
    struct kvc_origin count = none();
    *ret_is_hyper = false;
    if (model->arch->extra != KVC_GGUF_EXTRA_HYPER)
        return KVCAP_OK;
    kvcap_code rc = kvc_gguf_number_or(model, "hyper_connection.count", 0, &count);
    if (rc != KVCAP_OK || count.value == 0)
        return rc;
    *ret_is_hyper = true;
    for (uint32_t i = 0; i < model->layers_count; i++)
        model->slides[i] = true;
    return kvc_gguf_at_least(model, WINDOW, 1, &model->window);
}

kvcap_code kvc_gguf_find_windows(struct kvc_gguf_model *model)
{
    bool is_hyper;
    model->slides = kvc_gguf_flags(model);
    if (model->slides == NULL)
        return kvc_find_no_memory(&model->finder);
    kvcap_code rc = find_hyper(model, &is_hyper);
    if (rc != KVCAP_OK || is_hyper)
        return rc;
    rc = find_window(model);
    return rc == KVCAP_OK && model->window.value > 0 ? find_slides(model) : rc;
}
