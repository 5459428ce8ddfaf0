/* deployment.c - see deployment.h for what it is. */

#include "face/cli/deployment.h"

#include <string.h>

#include "engine/vllm.h"
#include "json/write.h"

const struct kvc_deployment kvc_deployment_plain = {
    .allocator = "paged",
    .allocator_version = "1",
    .scheduler = "unbound",
    .scheduler_version = "1",
    .tp = 1,
    .pp = 1,
    .dcp = 1,
    .sequences_max = 256,
    .step_tokens_max = 8192,
};

static kvcap_code no_memory(kvcap_error *err)
{
    return kvc_fail(err, KVC_MEMORY_FULL, "", "the contract needs more memory");
}

/* ---- Asking the engine. */

/* vLLM's defaults follow from the device's size.  What lies beside the cache is the contract's to say. */
static kvcap_code put_memory(struct kvc_asking *a, uint64_t device_bytes, kvcap_error *err)
{
    static const char *const TERMS[] = { "weights_bytes", "activation_bytes", "non_torch_bytes",
                                         "cuda_graph_bytes" };
    struct kvc_build b = { .arena = a->arena };
    struct kvc_value *memory = kvc_build_object(&b, NULL, NULL);
    if (a->question.release.engine != KVC_ENGINE_VLLM)
        return KVCAP_OK;
    kvc_build_u64(&b, memory, "device_total_bytes", device_bytes);
    for (size_t i = 0; i < sizeof TERMS / sizeof TERMS[0]; i++)
        kvc_build_u64(&b, memory, TERMS[i], 0);
    if (b.full)
        return no_memory(err);
    return kvc_fit_memory_read(memory, "/memory", a->arena, &a->question.memory, err);
}

static kvcap_code check_answer(const struct kvc_answer *answer, kvcap_error *err)
{
    if (answer->decision == KVC_DECISION_REFUSED)
        return kvc_fail(err, KVC_CONTRACT_ENGINE, "", "the engine would not start: %.*s",
                        (int)answer->refusal_text.length, answer->refusal_text.text);
    if (answer->decision != KVC_DECISION_UNDETERMINED || answer->undetermined_count == 0)
        return KVCAP_OK;
    const struct kvc_answer_undetermined *entry = &answer->undetermined[0];
    return kvc_fail(err, KVC_CONTRACT_ENGINE, "", "what the engine does cannot be said: %.*s: %.*s",
                    (int)entry->key.length, entry->key.text, (int)entry->reason.length,
                    entry->reason.text);
}

/* ---- Settings that stay. */

/* Those that are members of a contract, and what says how much memory there is. */
static bool is_member(struct kvc_span name)
{
    static const char *const MEMBERS[] = {
        "model",
        "tensor_parallel_size",
        "pipeline_parallel_size",
        "decode_context_parallel_size",
        "vllm_pp_layer_partition",
        "kv_cache_dtype",
        "block_size",
        "type_k",
        "type_v",
        "cache_type_k",
        "cache_type_v",
        "gpu_memory_utilization",
        "kv_cache_memory_bytes",
    };
    for (size_t i = 0; i < sizeof MEMBERS / sizeof MEMBERS[0]; i++) {
        if (kvc_span_is(name, MEMBERS[i]))
            return true;
    }
    return false;
}

static bool sizes(const struct kvc_engine *engine, struct kvc_span name)
{
    for (size_t i = 0; i < engine->settings_count; i++) {
        if (kvc_span_is(name, engine->settings[i].name))
            return engine->settings[i].sizes;
    }
    return false;
}

/* A record has integers, truths and text: a decimal, and an object or a list, is its text there. */
static kvcap_code put_setting(struct kvc_build *b, struct kvc_value *settings,
                              const struct kvc_value *given, kvcap_error *err)
{
    const char *key = kvc_arena_copy(b->arena, given->key).text;
    struct kvc_text text = { .arena = b->arena };
    struct kvc_sink sink = kvc_text_sink(&text);
    uint64_t number;
    if (key == NULL)
        return no_memory(err);
    switch (given->type) {
    case KVC_NULL:
        return KVCAP_OK;
    case KVC_TRUE:
    case KVC_FALSE:
        kvc_build_bool(b, settings, key, given->type == KVC_TRUE);
        return KVCAP_OK;
    case KVC_STRING:
        kvc_build_text(b, settings, key, given->text);
        return KVCAP_OK;
    case KVC_NUMBER:
        if (kvc_span_u64(given->text, &number))
            kvc_build_u64(b, settings, key, number);
        else
            kvc_build_text(b, settings, key, given->text);
        return KVCAP_OK;
    default:
        kvc_write(given, NULL, &sink);
        kvc_build_text(b, settings, key, (struct kvc_span){ text.text, text.length });
        return text.full ? no_memory(err) : KVCAP_OK;
    }
}

static kvcap_code keep_settings(const struct kvc_asking *a, const struct kvc_value **ret_settings,
                                kvcap_error *err)
{
    const struct kvc_engine *engine = kvc_engine_of(a->question.release.engine);
    struct kvc_build b = { .arena = a->arena };
    struct kvc_value *settings = kvc_build_object(&b, NULL, NULL);
    const struct kvc_value *given = a->question.settings;
    for (const struct kvc_value *e = given == NULL ? NULL : given->first; e != NULL; e = e->next) {
        if (is_member(e->key) || !sizes(engine, e->key))
            continue;
        kvcap_code rc = put_setting(&b, settings, e, err);
        if (rc != KVCAP_OK)
            return rc;
    }
    if (b.full)
        return no_memory(err);
    *ret_settings = settings->count == 0 ? NULL : settings;
    return KVCAP_OK;
}

/* ---- Members. */

static const struct kvc_setting_used *used(const struct kvc_fit *fit, const char *name)
{
    for (size_t i = 0; i < fit->settings.used_count; i++) {
        if (strcmp(fit->settings.used[i].name, name) == 0)
            return &fit->settings.used[i];
    }
    return NULL;
}

static uint64_t count_of(const struct kvc_fit *fit, const char *name, uint64_t absent)
{
    const struct kvc_setting_used *setting = used(fit, name);
    return setting != NULL && setting->form == KVC_USED_COUNT ? setting->count : absent;
}

/* NULL where the model's dtype is meant. */
static kvcap_code format_of(const struct kvc_fit *fit, const char *name, const char **ret_format,
                            kvcap_error *err)
{
    const struct kvc_setting_used *setting = used(fit, name);
    enum kvc_format format;
    *ret_format = NULL;
    if (setting == NULL || setting->form != KVC_USED_TEXT || kvc_span_is(setting->text, "auto"))
        return KVCAP_OK;
    if (!kvc_format_said(setting->text, &format))
        return kvc_fail(err, KVC_CONTRACT_SETTINGS, name,
                        "a contract has no name for a cache of %.*s", (int)setting->text.length,
                        setting->text.text);
    *ret_format = kvc_format_name(format);
    return KVCAP_OK;
}

static kvcap_code take_vllm(const struct kvc_asking *a, const struct kvc_fit *fit,
                            uint64_t device_bytes, struct kvc_deployment *d, kvcap_error *err)
{
    const struct kvc_setting_used *share = used(fit, "gpu_memory_utilization");
    uint64_t requested = device_bytes;
    d->tp = count_of(fit, "tensor_parallel_size", 1);
    d->pp = count_of(fit, "pipeline_parallel_size", 1);
    d->dcp = count_of(fit, "decode_context_parallel_size", 1);
    d->sequences_max = count_of(fit, "max_num_seqs", d->sequences_max);
    d->step_tokens_max = count_of(fit, "max_num_batched_tokens", d->step_tokens_max);
    if (share != NULL && share->form == KVC_USED_TEXT &&
        !kvc_vllm_requested(share->text, a->question.release.day_min, device_bytes, &requested))
        return kvc_fail(err, KVC_USAGE_BAD_SETTING, "gpu_memory_utilization",
                        "a share between 0 and 1 is due");
    d->headroom_bytes = device_bytes - requested;
    kvcap_code rc = format_of(fit, "kv_cache_dtype", &d->cache_k, err);
    d->cache_v = d->cache_k;
    return rc;
}

static kvcap_code take_llamacpp(const struct kvc_asking *a, const struct kvc_fit *fit,
                                struct kvc_deployment *d, kvcap_error *err)
{
    const char *k = used(fit, "cache_type_k") != NULL ? "cache_type_k" : "type_k";
    const char *v = used(fit, "cache_type_v") != NULL ? "cache_type_v" : "type_v";
    if (a->question.front.text != NULL)
        d->scheduler = kvc_arena_copy(a->arena, a->question.front).text;
    if (d->scheduler == NULL)
        return no_memory(err);
    d->sequences_max = fit->answer.max_running_requests.value;
    d->step_tokens_max = count_of(fit, "n_batch", count_of(fit, "batch_size", 2048));
    kvcap_code rc = format_of(fit, k, &d->cache_k, err);
    return rc == KVCAP_OK ? format_of(fit, v, &d->cache_v, err) : rc;
}

kvcap_code kvc_deployment_of(struct kvc_asking *a, uint64_t device_bytes,
                             struct kvc_deployment *ret_deployment, kvcap_error *err)
{
    struct kvc_deployment d = kvc_deployment_plain;
    struct kvc_fit *fit = kvc_arena_take(a->arena, sizeof *fit);
    if (fit == NULL)
        return no_memory(err);
    kvcap_code rc = put_memory(a, device_bytes, err);
    if (rc == KVCAP_OK)
        rc = kvc_fit_answer(&a->question, a->arena, fit, err);
    if (rc == KVCAP_OK)
        rc = check_answer(&fit->answer, err);
    if (rc == KVCAP_OK)
        rc = keep_settings(a, &d.settings, err);
    if (rc != KVCAP_OK)
        return rc;
    d.is_engine = true;
    d.allocator = d.scheduler = kvc_engine_name(a->question.release.engine);
    d.allocator_version = d.scheduler_version =
        kvc_arena_copy(a->arena, a->question.release.version).text;
    if (d.allocator_version == NULL)
        return no_memory(err);
    d.sequence_tokens_max = fit->answer.max_model_len.value;
    rc = a->question.release.engine == KVC_ENGINE_LLAMACPP
             ? take_llamacpp(a, fit, &d, err)
             : take_vllm(a, fit, device_bytes, &d, err);
    if (rc == KVCAP_OK)
        *ret_deployment = d;
    return rc;
}
