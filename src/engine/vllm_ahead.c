/* vllm_ahead.c - how far ahead vLLM's scheduler may be: drafted tokens, async scheduling, tokens of a step.
 * Declared in vllm.h.
 *
 * Read in vllm/config/speculative.py, vllm/config/vllm.py (async scheduling) and vllm/engine/arg_utils.py
 * (get_batch_defaults) at 017e9f4 (2026-08-17), with what earlier days did otherwise (vllm_changes.h). */

#include "base/ck.h"
#include "engine/vllm.h"
#include "engine/vllm_changes.h"

#define GIB (UINT64_C(1) << 30)

static uint64_t count(struct kvc_vllm_fit *fit, const char *name, uint64_t absent)
{
    return kvc_setting_count(fit->q->settings, name, absent);
}

static bool since(const struct kvc_vllm_fit *fit, enum kvc_vllm_change change)
{
    return kvc_vllm_since(fit->q->day, change);
}

/* ---- Speculation. */

enum drafts {
    DRAFTS_NOTHING,
    DRAFTS_NGRAM,     /* of the prompt, on the host */
    DRAFTS_NGRAM_GPU, /* the same, on the device */
    DRAFTS_HEADS,     /* heads beside the model, without a cache: Medusa, an MLP, suffixes */
    DRAFTS_MTP,       /* layers of the model's own checkpoint */
    DRAFTS_EAGLE,     /* layers of another checkpoint, which read the model's hidden states */
    DRAFTS_MODEL,     /* another model */
};

static const struct {
    const char *method;
    enum drafts drafts;
} METHODS[] = {
    { "ngram", DRAFTS_NGRAM },  { "[ngram]", DRAFTS_NGRAM }, { "ngram_gpu", DRAFTS_NGRAM_GPU },
    { "suffix", DRAFTS_HEADS }, { "medusa", DRAFTS_HEADS },  { "mlp_speculator", DRAFTS_HEADS },
    { "mtp", DRAFTS_MTP },      { "eagle", DRAFTS_EAGLE },   { "eagle3", DRAFTS_EAGLE },
    { "dflash", DRAFTS_EAGLE }, { "dspark", DRAFTS_EAGLE },  { "draft_model", DRAFTS_MODEL },
};

static struct kvc_span text_of(const struct kvc_value *config, const char *key)
{
    const struct kvc_value *value = kvc_value_member(config, key);
    bool is_text = value != NULL && value->type == KVC_STRING;
    return is_text ? value->text : (struct kvc_span){ NULL, 0 };
}

static bool find_drafts(struct kvc_span word, enum drafts *ret_drafts)
{
    if (word.text == NULL)
        return false;
    for (size_t i = 0; i < sizeof METHODS / sizeof METHODS[0]; i++) {
        if (kvc_span_is(word, METHODS[i].method)) {
            *ret_drafts = METHODS[i].drafts;
            return true;
        }
    }
    *ret_drafts = DRAFTS_MTP; /* "deepseek_mtp", "qwen3_next_mtp", ...: other names for mtp */
    return kvc_span_ends(word, "_mtp");
}

/* Layers that drafts bring along are cached in every block; the last stage has them. */
static void load_drafts(struct kvc_vllm_fit *fit, struct kvc_span draft_model)
{
    const struct kvc_shape *shape = fit->q->model->shape;
    uint32_t layers = 0;
    for (uint32_t i = 0; i < shape->draft_runs_count; i++)
        layers += shape->draft_runs[i].count;
    fit->set.loads_drafts = layers > 0 && draft_model.text == NULL;
    fit->unsure_extra = layers > 1 && fit->set.speculative_tokens > 1;
    if (draft_model.text != NULL)
        kvc_vllm_cannot_say(
            fit, "speculative_config/model", "the layers that %.*s adds are in its own config.json",
            (int)(draft_model.length < 120 ? draft_model.length : 120), draft_model.text);
    else if (layers == 0)
        kvc_vllm_cannot_say(fit, "speculative_config",
                            "the model's record has no draft layers to load: "
                            "num_nextn_predict_layers or its like");
}

static void resolve_method(struct kvc_vllm_fit *fit, const struct kvc_value *config,
                           enum drafts *ret_drafts)
{
    struct kvc_span method = text_of(config, "method"), model = text_of(config, "model");
    if (config == NULL)
        model = kvc_setting_text(fit->q->settings, "speculative_model", NULL);
    bool known = find_drafts(method, ret_drafts);
    if (method.text == NULL && (kvc_span_is(model, "ngram") || kvc_span_is(model, "[ngram]"))) {
        *ret_drafts = DRAFTS_NGRAM;
        known = true;
    }
    fit->drafts_like_eagle = known && (*ret_drafts == DRAFTS_MTP || *ret_drafts == DRAFTS_EAGLE);
    if (!known)
        kvc_vllm_cannot_say(fit, "speculative_config/method", "%s, and what it caches is not known",
                            method.text != NULL  ? "it is not one that is known"
                            : model.text == NULL ? "neither it nor a model is given"
                                                 : "it depends on the draft model's own file");
    else if (*ret_drafts == DRAFTS_MTP)
        load_drafts(fit, model);
    else if (*ret_drafts == DRAFTS_EAGLE || *ret_drafts == DRAFTS_MODEL)
        kvc_vllm_cannot_say(fit, "speculative_config/model",
                            "the layers of the draft model %.*s are in its own config.json",
                            model.text == NULL           ? 0
                            : model.length < (size_t)120 ? (int)model.length
                                                         : 120,
                            model.text == NULL ? "" : model.text);
}

static enum drafts resolve_speculation(struct kvc_vllm_fit *fit)
{
    struct kvc_settings *settings = fit->q->settings;
    const struct kvc_value *config = kvc_setting_value(settings, "speculative_config");
    const struct kvc_value *number = kvc_value_member(config, "num_speculative_tokens");
    bool said = kvc_setting_said(settings, "num_speculative_tokens");
    enum drafts drafts = DRAFTS_NOTHING;
    fit->set.speculative_tokens = said ? count(fit, "num_speculative_tokens", 0) : 0;
    if (config == NULL && !kvc_setting_said(settings, "speculative_model"))
        return DRAFTS_NOTHING;
    if (number != NULL &&
        (number->type != KVC_NUMBER || !kvc_span_u64(number->text, &fit->set.speculative_tokens) ||
         fit->set.speculative_tokens == 0 || fit->set.speculative_tokens > 4096))
        kvc_setting_refuse(settings, "speculative_config",
                           "num_speculative_tokens is due a number from 1 to 4,096");
    else if (number == NULL && !said)
        kvc_vllm_cannot_say(fit, "speculative_config/num_speculative_tokens",
                            "how many tokens are drafted is not said");
    kvc_setting_note_count(settings, "num_speculative_tokens", fit->set.speculative_tokens);
    resolve_method(fit, config, &drafts);
    return drafts;
}

/* ---- How far ahead the scheduler may be. */

/* Drafts on the host, heads, and an unpadded batch of drafts keep it from being ahead; so does a CPU. */
static void resolve_async(struct kvc_vllm_fit *fit, enum drafts drafts)
{
    struct kvc_settings *settings = fit->q->settings;
    const struct kvc_value *config = kvc_setting_value(settings, "speculative_config");
    const struct kvc_value *unpadded = kvc_value_member(config, "disable_padded_drafter_batch");
    bool on = since(fit, KVC_VLLM_ASYNC_DEFAULT);
    if (on && drafts != DRAFTS_NOTHING)
        on = since(fit, KVC_VLLM_ASYNC_SPECULATIVE) && drafts != DRAFTS_NGRAM &&
             drafts != DRAFTS_HEADS && (unpadded == NULL || unpadded->type != KVC_TRUE);
    fit->async = kvc_setting_truth(settings, "async_scheduling", on && !fit->is_cpu);
    if (fit->is_cpu)
        fit->async = false;
}

/* ---- Tokens of a step. */

/* vLLM compares the driver's name without case. */
static bool is_named(const char *name, const char *wanted)
{
    for (; name != NULL && *name != '\0'; name++) {
        size_t same = 0;
        while (wanted[same] != '\0' && (name[same] | 0x20) == (wanted[same] | 0x20))
            same++;
        if (wanted[same] == '\0')
            return true;
    }
    return false;
}

struct step {
    uint64_t tokens; /* 0: not known */
    uint64_t sequences;
};

/* A server's defaults, by the memory of the device; where that is not known, neither are they. */
static struct step default_step(const struct kvc_vllm_fit *fit)
{
    struct kvc_maybe total = fit->q->memory->device_total_bytes;
    const char *name = fit->q->memory->device_name;
    uint64_t world = fit->set.tp * fit->set.pp;
    if (fit->is_cpu)
        return (struct step){ 2048 * world, 128 * world };
    if (!total.said)
        return (struct step){ 0, 0 };
    if (since(fit, KVC_VLLM_BATCH_OF_160_GIB) && total.value >= 160 * GIB)
        return (struct step){ 16384, 1024 };
    if (total.value < 70 * GIB || is_named(name, "a100"))
        return (struct step){ 2048, 256 };
    if (!since(fit, KVC_VLLM_BATCH_BY_MEMORY)) /* by names that changed from release to release */
        return (struct step){ 0, 0 };
    return (struct step){ 8192, 1024 };
}

static void resolve_batch(struct kvc_vllm_fit *fit)
{
    struct kvc_settings *settings = fit->q->settings;
    struct step step = default_step(fit);
    struct kvc_span mode = kvc_setting_text(settings, "performance_mode", "balanced");
    bool chunked = kvc_setting_truth(settings, "enable_chunked_prefill", true);
    if (kvc_setting_said(settings, "max_num_batched_tokens")) {
        fit->batched_tokens = count(fit, "max_num_batched_tokens", 0);
        return;
    }
    if (step.tokens == 0)
        return;
    uint64_t times = kvc_span_is(mode, "throughput") ? 2 : 1, batched = step.tokens * times;
    if (!chunked && batched < fit->set.max_model_len)
        batched = fit->set.max_model_len;
    struct ck most = ck_mul(ck_u64(count(fit, "max_num_seqs", step.sequences * times)),
                            ck_u64(fit->set.max_model_len));
    if (!most.over && most.value < batched)
        batched = most.value;
    fit->batched_tokens = batched;
    kvc_setting_note_count(settings, "max_num_batched_tokens", batched);
}

void kvc_vllm_resolve_ahead(struct kvc_vllm_fit *fit)
{
    enum drafts drafts = resolve_speculation(fit);
    resolve_async(fit, drafts);
    resolve_batch(fit);
}
