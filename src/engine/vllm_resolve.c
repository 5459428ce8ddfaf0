/* vllm_resolve.c - what vLLM makes of its settings for a model: defaults, and what follows from the file.
 * Declared in vllm.h. */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/ck.h"
#include "engine/vllm.h"
#include "engine/vllm_changes.h"

#define GIB (UINT64_C(1) << 30)

void kvc_vllm_cannot_say(struct kvc_vllm_fit *fit, const char *key, const char *format, ...)
{
    char text[240];
    va_list args;
    struct kvc_answer_undetermined *entry = kvc_answer_undetermined(fit->answer);
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    entry->key = kvc_span_of(key);
    entry->reason = kvc_answer_text(fit->answer, "%s", text);
    fit->answer->decision = KVC_DECISION_UNDETERMINED;
}

/* vLLM's own refusal, before anything is allocated. */
KVC_PRINTF(2, 3)
static void refuse(struct kvc_vllm_fit *fit, const char *format, ...)
{
    char text[240];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fit->refused = true;
    if (fit->answer->refusal_text.text == NULL)
        fit->answer->refusal_text = kvc_answer_text(fit->answer, "%s", text);
}

static uint64_t count(struct kvc_vllm_fit *fit, const char *name, uint64_t absent)
{
    return kvc_setting_count(fit->q->settings, name, absent);
}

uint64_t kvc_vllm_member(const struct kvc_value *object, const char *key, uint64_t absent)
{
    const struct kvc_value *value = kvc_value_member(object, key);
    uint64_t number = absent;
    if (value != NULL && value->type == KVC_NUMBER)
        kvc_span_u64(value->text, &number);
    return number;
}

/* The text configuration of a config.json; NULL: the model is a record, or of a GGUF file. */
const struct kvc_value *kvc_vllm_config(const struct kvc_vllm_fit *fit)
{
    const struct kvc_engine_model *model = fit->q->model;
    return model->facts == NULL || model->is_gguf ? NULL : kvc_facts_decoder(model->facts->tree);
}

bool kvc_vllm_is_family(const struct kvc_vllm_fit *fit, const char *const *families)
{
    for (; *families != NULL; families++) {
        if (kvc_span_is(fit->q->model->family, *families))
            return true;
    }
    return false;
}

static bool since(const struct kvc_vllm_fit *fit, enum kvc_vllm_change change)
{
    return kvc_vllm_since(fit->q->day, change);
}

/* ---- Which of the two engines, and on what. */

/* Families that vLLM has no class for, and layers whose blocks have not been read. */
static void resolve_family(struct kvc_vllm_fit *fit)
{
    const struct kvc_shape *shape = fit->q->model->shape;
    bool rwkv = false, indexed_heads = false, strange_ratio = false;
    for (uint32_t t = 0; t < shape->types_count; t++) {
        for (uint32_t i = 0; i < shape->types[t].states_count; i++) {
            const struct kvc_state *state = &shape->types[t].states[i];
            uint32_t ratio = kvc_state_ratio(state);
            rwkv = rwkv || (state->kind == KVC_STATE_RECURRENT && state->rule == KVC_RULE_RWKV);
            indexed_heads =
                indexed_heads || (state->kind == KVC_STATE_INDEX && !fit->found.has_latent);
            strange_ratio = strange_ratio || (ratio != 1 && ratio != 4 && ratio != 128);
        }
    }
    if (rwkv)
        kvc_vllm_cannot_say(fit, "model_type", "vLLM has no class for this family");
    if (indexed_heads && !kvc_setting_said(fit->q->settings, "block_size"))
        kvc_vllm_cannot_say(
            fit, "block_size",
            "the block of a backend with an indexer beside plain heads is not known");
    if (strange_ratio)
        kvc_vllm_cannot_say(fit, "compress_ratios", "vLLM compresses by 4 and by 128 alone");
}

#define TPU_LANES 128

/* A TPU pads heads to its lanes and chooses blocks of its own: where neither matters it is as any other. */
static bool fits_tpu(const struct kvc_vllm_fit *fit)
{
    const struct kvc_shape *shape = fit->q->model->shape;
    bool even = !fit->q->memory->given;
    for (uint32_t t = 0; t < shape->types_count; t++) {
        for (uint32_t i = 0; i < shape->types[t].states_count; i++)
            even = even && kvc_state_keeps_rows(&shape->types[t].states[i]) &&
                   shape->types[t].states[i].key_dim % TPU_LANES == 0;
    }
    return even;
}

/* V1 took over recurrent models between v0.10.0 and the end of V0; which one serves them there is not
 * known unless it is said. */
#define V1_MAMBA_FIRST 20250724

static void resolve_engine(struct kvc_vllm_fit *fit)
{
    struct kvc_settings *settings = fit->q->settings;
    struct kvc_span device = kvc_setting_text(settings, "device", "auto");
    bool v1 = since(fit, KVC_VLLM_V1_DEFAULT), said = kvc_setting_said(settings, "vllm_use_v1");
    fit->is_cpu = kvc_span_is(device, "cpu");
    fit->is_rocm = kvc_span_is(device, "rocm");
    bool strange = kvc_span_is(device, "hpu") || kvc_span_is(device, "neuron");
    if (strange || (kvc_span_is(device, "tpu") && !fits_tpu(fit)))
        kvc_vllm_cannot_say(fit, "device", "%.*s accounts for its cache by rules of its own",
                            (int)device.length, device.text);
    if (fit->found.has_mamba && !said && v1 && !since(fit, KVC_VLLM_V1_ONLY)) {
        if (fit->q->day >= V1_MAMBA_FIRST)
            kvc_vllm_cannot_say(fit, "vllm_use_v1",
                                "which of the two engines serves recurrent models by default in "
                                "releases of that time is not known");
        v1 = false;
    }
    if (said && !since(fit, KVC_VLLM_V1_ONLY))
        v1 = count(fit, "vllm_use_v1", 1) == 1;
    fit->is_v0 = !v1;
}

/* ---- Element types. */

static uint64_t bytes_of_word(struct kvc_span word)
{
    return kvc_span_is(word, "float32") || kvc_span_is(word, "float") ? 4 : 2;
}

/* auto takes the checkpoint's type, but for f32, which becomes a type of two bytes (_resolve_auto_dtype). */
static void resolve_dtype(struct kvc_vllm_fit *fit)
{
    struct kvc_span word = kvc_setting_text(fit->q->settings, "dtype", "auto");
    fit->set.dtype_bytes = kvc_span_is(word, "auto") ? 2 : bytes_of_word(word);
}

static const struct {
    const char *word;
    struct kvc_vllm_cache_type type;
} CACHE_TYPES[] = {
    { "float16", { KVC_VLLM_PACK_PLAIN, 2, 0, 0, false } },
    { "half", { KVC_VLLM_PACK_PLAIN, 2, 0, 0, false } },
    { "bfloat16", { KVC_VLLM_PACK_PLAIN, 2, 0, 0, false } },
    { "float32", { KVC_VLLM_PACK_PLAIN, 4, 0, 0, false } },
    { "fp8", { KVC_VLLM_PACK_PLAIN, 1, 0, 0, true } },
    { "fp8_e4m3", { KVC_VLLM_PACK_PLAIN, 1, 0, 0, true } },
    { "fp8_e5m2", { KVC_VLLM_PACK_PLAIN, 1, 0, 0, true } },
    { "fp8_inc", { KVC_VLLM_PACK_PLAIN, 1, 0, 0, true } },
    { "fp8_ds_mla", { KVC_VLLM_PACK_PLAIN, 1, 0, 0, true } },
    { "nvfp4", { KVC_VLLM_PACK_NVFP4, 0, 0, 0, true } },
    { "int8_per_token_head", { KVC_VLLM_PACK_TOKEN_HEAD, 1, 0, 0, true } },
    { "fp8_per_token_head", { KVC_VLLM_PACK_TOKEN_HEAD, 1, 0, 0, true } },
    { "int4_per_token_head", { KVC_VLLM_PACK_INT4, 0, 0, 0, true } },
    { "turboquant_k8v4", { KVC_VLLM_PACK_TURBO, 0, 8, 4, true } },
    { "turboquant_4bit_nc", { KVC_VLLM_PACK_TURBO, 0, 4, 4, true } },
    { "turboquant_k3v4_nc", { KVC_VLLM_PACK_TURBO, 0, 3, 4, true } },
    { "turboquant_3bit_nc", { KVC_VLLM_PACK_TURBO, 0, 3, 3, true } },
};

/* auto is the model's own type, or what its checkpoint asks for. */
static const char *auto_cache_word(struct kvc_vllm_fit *fit)
{
    const struct kvc_engine_model *model = fit->q->model;
    if (model->asks == KVC_ASKS_STRANGE)
        kvc_vllm_cannot_say(fit, "kv_cache_dtype",
                            "the checkpoint asks for a cache format that is not known");
    if (model->asks != KVC_ASKS_FORMAT)
        return NULL;
    const char *word = model->asked == KVC_FORMAT_NVFP4      ? "nvfp4"
                       : model->asked == KVC_FORMAT_FP8_E4M3 ? "fp8"
                       : model->asked == KVC_FORMAT_FP8_E5M2 ? "fp8_e5m2"
                                                             : NULL;
    if (word != NULL)
        kvc_answer_note(fit->answer, "engine.checkpoint_cache",
                        "the checkpoint asks for a cache of %s, which auto heeds", word);
    return word;
}

/* Two elements a byte and a scale for 16 of them (FlashInfer), of keys and values alike. */
static bool packs_as_nvfp4(const struct kvc_vllm_fit *fit)
{
    const struct kvc_shape *shape = fit->q->model->shape;
    bool even = !fit->found.has_latent;
    for (uint32_t t = 0; t < shape->types_count; t++) {
        for (uint32_t i = 0; i < shape->types[t].states_count; i++) {
            const struct kvc_state *state = &shape->types[t].states[i];
            if (state->kind == KVC_STATE_KV || state->kind == KVC_STATE_KV_WINDOW ||
                state->kind == KVC_STATE_CROSS)
                even = even && state->key_dim == state->value_dim && state->key_dim % 16 == 0;
        }
    }
    return even;
}

static void resolve_cache_type(struct kvc_vllm_fit *fit)
{
    struct kvc_span word = kvc_setting_text(fit->q->settings, "kv_cache_dtype", "auto");
    if (kvc_span_is(word, "auto")) {
        const char *asked = auto_cache_word(fit);
        word = kvc_span_of(asked == NULL ? "" : asked);
        if (asked != NULL) /* stated in the record, which has no checkpoint */
            kvc_setting_note_text(fit->q->settings, "kv_cache_dtype", asked);
    }
    fit->set.cache = (struct kvc_vllm_cache_type){ .pack = KVC_VLLM_PACK_PLAIN,
                                                   .element_bytes = fit->set.dtype_bytes };
    for (size_t i = 0; i < sizeof CACHE_TYPES / sizeof CACHE_TYPES[0]; i++) {
        if (kvc_span_is(word, CACHE_TYPES[i].word))
            fit->set.cache = CACHE_TYPES[i].type;
    }
    fit->set.ds_mla = kvc_span_is(word, "fp8_ds_mla");
    if (fit->set.ds_mla && !fit->found.has_latent)
        kvc_vllm_cannot_say(fit, "kv_cache_dtype", "fp8_ds_mla is a format of compressed rows");
    if (fit->set.cache.pack == KVC_VLLM_PACK_NVFP4 && !packs_as_nvfp4(fit))
        kvc_vllm_cannot_say(fit, "kv_cache_dtype",
                            "nvfp4 is of heads whose keys are as wide as their values, in groups "
                            "of 16, and of no others");
    if (fit->found.has_compressed && !fit->set.cache.is_quantised)
        kvc_vllm_cannot_say(fit, "kv_cache_dtype",
                            "compressed rows are kept as fp8 on FlashMLA, and pages of other "
                            "backends have not been read: give fp8");
    if (fit->is_cpu && fit->set.cache.is_quantised) {
        kvc_answer_note(fit->answer, "engine.cpu_cache",
                        "on a CPU a quantised cache falls back to the model's own type");
        fit->set.cache = (struct kvc_vllm_cache_type){ .pack = KVC_VLLM_PACK_PLAIN,
                                                       .element_bytes = fit->set.dtype_bytes };
    }
}

/* ---- Layers that keep the model's type. */

static bool add_skipped(struct kvc_vllm_fit *fit, struct kvc_span text)
{
    uint64_t layer = 0;
    if (!kvc_span_u64(text, &layer) || layer >= fit->q->model->shape->layers_count)
        return false;
    fit->set.skipped[layer] = true;
    return true;
}

/* The elements of a list, or the parts of a text between commas. */
static bool add_all_skipped(struct kvc_vllm_fit *fit, const struct kvc_value *list)
{
    bool good = true;
    if (list->type != KVC_STRING) {
        for (const struct kvc_value *e = list->first; e != NULL; e = e->next)
            good = add_skipped(fit, e->text) && good;
        return good;
    }
    for (size_t at = 0; at <= list->text.length;) {
        size_t end = at;
        while (end < list->text.length && list->text.text[end] != ',')
            end++;
        good = add_skipped(fit, (struct kvc_span){ list->text.text + at, end - at }) && good;
        at = end + 1;
    }
    return good;
}

#define BOUNDARY_LAYERS 2 /* at either end: TurboQuantConfig.get_boundary_skip_layers */

/* Of full attention only: a layer that slides and skips has a page of its own, and is padded, by rules that
 * have not been read.  turboquant keeps the first and last layers of dense models by itself. */
static kvcap_code resolve_skipped(struct kvc_vllm_fit *fit)
{
    const struct kvc_value *list =
        kvc_setting_value(fit->q->settings, "kv_cache_dtype_skip_layers");
    uint32_t layers = fit->q->model->shape->layers_count;
    bool turbo = fit->set.cache.pack == KVC_VLLM_PACK_TURBO;
    if (!fit->set.cache.is_quantised || (list == NULL && !turbo))
        return KVCAP_OK;
    fit->set.skipped = kvc_arena_array(fit->q->arena, (size_t)layers + 1, sizeof(bool));
    if (fit->set.skipped == NULL)
        return kvc_fail(fit->err, KVC_MEMORY_FULL, "", "the layers need more memory");
    bool plain = !fit->found.has_window && !fit->found.has_chunk && !fit->found.has_mamba &&
                 !fit->found.has_latent && !fit->found.has_cross;
    if (turbo && !plain)
        kvc_vllm_cannot_say(fit, "kv_cache_dtype",
                            "turboquant keeps layers at the ends of dense models alone, and "
                            "how it packs others is not known");
    if (list != NULL && !plain) {
        kvc_vllm_cannot_say(fit, "kv_cache_dtype_skip_layers",
                            "how pages of skipped layers are padded beside windows, latents or "
                            "recurrent states is not known");
        return KVCAP_OK;
    }
    if (list != NULL && !add_all_skipped(fit, list))
        kvc_vllm_cannot_say(fit, "kv_cache_dtype_skip_layers",
                            "its members are layers, counted from 0, of a model of %u",
                            (unsigned)layers);
    uint32_t ends = turbo ? BOUNDARY_LAYERS : 0;
    ends = ends < layers / 2 ? ends : layers / 2;
    for (uint32_t i = 0; i < ends; i++)
        fit->set.skipped[i] = fit->set.skipped[layers - 1 - i] = true;
    return KVCAP_OK;
}

/* ---- Blocks. */

static const struct {
    const char *backend;
    uint64_t block_size;
} BACKENDS[] = {
    { "TRITON_MLA", 16 },           { "FLASHMLA", 64 },
    { "FLASHMLA_SPARSE", 64 },      { "CUTLASS_MLA", 128 },
    { "FLASHINFER_MLA", 32 },       { "FLASH_ATTN_MLA", 16 },
    { "ROCM_AITER_MLA", 1 },        { "FLASHINFER_MLA_SPARSE", 64 },
    { "TRITON_MLA_VLLM_V1", 16 },   { "FLASHMLA_VLLM_V1", 64 },
    { "CUTLASS_MLA_VLLM_V1", 128 }, { "ROCM_AITER_UNIFIED_ATTN", 64 },
};

#define BLOCK_DEFAULT 16
#define BLOCK_FLASHMLA 64
#define BLOCK_V4 256
#define BLOCK_CPU 128

/* What a backend prefers where nothing is asked for: FlashMLA is taken for compressed rows.  A CPU had
 * blocks of 16 or of 128 by its libraries until v0.11.1 (vllm/platforms/cpu.py), and of 128 since. */
static void resolve_block_size(struct kvc_vllm_fit *fit)
{
    struct kvc_span backend = kvc_setting_text(fit->q->settings, "attention_backend", NULL);
    uint64_t block_size = BLOCK_DEFAULT;
    bool assumed = false;
    bool said = kvc_setting_said(fit->q->settings, "block_size"), known = backend.text == NULL;
    if (fit->is_cpu) {
        block_size = BLOCK_CPU;
        if (!said && !since(fit, KVC_VLLM_CPU_BLOCKS))
            kvc_vllm_cannot_say(fit, "block_size",
                                "on a CPU it is 16 or 128 by the libraries that are there");
    } else if (fit->found.has_compressed) {
        block_size = BLOCK_V4;
    } else if (fit->found.has_latent && !fit->keeps_heads) {
        block_size = BLOCK_FLASHMLA;
        assumed = backend.text == NULL;
        if (assumed && fit->is_rocm && !said)
            kvc_vllm_cannot_say(fit, "attention_backend",
                                "which backend serves compressed rows on ROCm is not known, and "
                                "it sets the block");
    }
    for (size_t i = 0; i < sizeof BACKENDS / sizeof BACKENDS[0]; i++) {
        if (backend.text == NULL || !kvc_span_is(backend, BACKENDS[i].backend))
            continue;
        block_size = BACKENDS[i].block_size;
        known = true;
    }
    if (!known && fit->found.has_latent && !fit->keeps_heads && !fit->is_cpu && !said)
        kvc_vllm_cannot_say(fit, "attention_backend",
                            "the block of compressed rows in this backend is not known: give "
                            "block_size");
    if (assumed && !said)
        kvc_answer_note(fit->answer, "engine.backend",
                        "FlashMLA is assumed, whose blocks have 64 tokens; attention_backend or "
                        "block_size say otherwise");
    fit->set.block_said = said;
    fit->set.block_size = count(fit, "block_size", block_size);
    fit->set.window_block_size =
        since(fit, KVC_VLLM_WINDOW_BLOCKS) ? BLOCK_DEFAULT : fit->set.block_size;
}

/* ---- Length. */

static uint64_t windows_least(const struct kvc_shape *shape)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t t = 0; t < shape->types_count; t++) {
        for (uint32_t i = 0; i < shape->types[t].states_count; i++) {
            const struct kvc_state *state = &shape->types[t].states[i];
            if (state->kind == KVC_STATE_KV_WINDOW && !state->chunked &&
                state->window_tokens < least)
                least = state->window_tokens;
        }
    }
    return least;
}

#define CONTEXT_DEFAULT 2048 /* where config.json has no key of one (_get_and_verify_max_len) */

static kvcap_code resolve_length(struct kvc_vllm_fit *fit)
{
    struct kvc_settings *settings = fit->q->settings;
    uint64_t derived = fit->q->model->context_tokens;
    if (derived == 0 && kvc_vllm_config(fit) != NULL) {
        derived = CONTEXT_DEFAULT;
        kvc_answer_note(fit->answer, "engine.max_model_len",
                        "the model states no context: vLLM takes 2,048");
    }
    uint64_t length = count(fit, "max_model_len", derived);
    fit->auto_fit = length == KVC_SETTING_MINUS_ONE;
    if (fit->auto_fit && !since(fit, KVC_VLLM_CHECK_BY_GROUPS))
        kvc_setting_refuse(settings, "max_model_len",
                           "that -1 stands for what fits came with v0.14");
    if (fit->auto_fit)
        length = derived;
    fit->set.no_windows = kvc_setting_truth(settings, "disable_sliding_window", false);
    if (fit->set.no_windows && windows_least(fit->q->model->shape) < length)
        length = windows_least(fit->q->model->shape);
    if (length == 0)
        return kvc_fail(fit->err, KVC_USAGE_MISSING_FLAG, "max_model_len",
                        "the model states no context: give max_model_len");
    if (derived != 0 && length > derived)
        kvc_answer_note(fit->answer, "engine.max_model_len",
                        "the model states a context of %llu tokens; vLLM refuses more unless its "
                        "rope scaling or VLLM_ALLOW_LONG_MAX_MODEL_LEN allows it",
                        (unsigned long long)derived);
    fit->set.max_model_len = length;
    return KVCAP_OK;
}

/* ---- Ranks. */

static kvcap_code read_partition(struct kvc_vllm_fit *fit, struct kvc_span text)
{
    uint64_t *layers = kvc_arena_array(fit->q->arena, (size_t)fit->set.pp, sizeof *layers);
    uint64_t stage = 0, sum = 0;
    if (layers == NULL)
        return kvc_fail(fit->err, KVC_MEMORY_FULL, "", "the stages need more memory");
    size_t at = 0;
    for (; at <= text.length && stage < fit->set.pp; stage++) {
        size_t end = at;
        while (end < text.length && text.text[end] != ',')
            end++;
        if (!kvc_span_u64((struct kvc_span){ text.text + at, end - at }, &layers[stage]))
            break;
        sum += layers[stage];
        at = end + 1;
    }
    if (stage != fit->set.pp || at <= text.length || sum != fit->q->model->shape->layers_count)
        return kvc_fail(fit->err, KVC_USAGE_BAD_SETTING, "vllm_pp_layer_partition",
                        "a number for each stage is due, which add up to the model's layers");
    fit->set.pp_layers = layers;
    return KVCAP_OK;
}

/* Heads of the first layer that keeps some; 0: none does. */
static uint64_t kv_heads_of(const struct kvc_shape *shape)
{
    for (uint32_t t = 0; t < shape->types_count; t++) {
        for (uint32_t i = 0; i < shape->types[t].states_count; i++) {
            if (shape->types[t].states[i].kind == KVC_STATE_KV)
                return shape->types[t].states[i].kv_heads;
        }
    }
    return 0;
}

/* Ranks that share the tokens of attention; those of prefill only while that was so.  What vLLM asserts of
 * them stands in ModelConfig.verify_with_parallel_config and SlidingWindowSpec. */
static void resolve_context_ranks(struct kvc_vllm_fit *fit)
{
    struct kvc_settings *settings = fit->q->settings;
    fit->set.dcp = count(fit, "decode_context_parallel_size", 1);
    uint64_t prefill = count(fit, "prefill_context_parallel_size", 1);
    uint64_t ranks = fit->set.dcp;
    if (fit->set.dcp > 1 && fit->set.tp % fit->set.dcp != 0)
        kvc_setting_refuse(settings, "decode_context_parallel_size",
                           "it must divide tensor_parallel_size");
    if (since(fit, KVC_VLLM_PREFILL_CONTEXT) && !since(fit, KVC_VLLM_TOKENS_FROM_CONCURRENCY))
        fit->set.dcp *= prefill;
    uint64_t kv_heads = kv_heads_of(fit->q->model->shape);
    if (fit->set.dcp > 1 && (fit->found.has_window || fit->found.has_chunk))
        refuse(fit, "DCP not support sliding window.");
    else if (ranks > 1 && kv_heads > 0 && fit->set.tp <= kv_heads)
        refuse(
            fit,
            "tensor parallel size %u must be greater than total num kv heads %u when enable decode "
            "context parallel for GQA/MQA",
            (unsigned)fit->set.tp, (unsigned)kv_heads);
    else if (ranks > 1 && kv_heads > 0 && ranks > fit->set.tp / kv_heads)
        refuse(
            fit,
            "decode context parallel size must less than or equal to (tensor parallel size %u // "
            "total num kv heads %u) = %u, but got %u",
            (unsigned)fit->set.tp, (unsigned)kv_heads, (unsigned)(fit->set.tp / kv_heads),
            (unsigned)ranks);
}

static kvcap_code resolve_ranks(struct kvc_vllm_fit *fit)
{
    struct kvc_span partition = kvc_setting_text(fit->q->settings, "vllm_pp_layer_partition", NULL);
    uint32_t query_heads = fit->q->model->query_heads;
    fit->set.tp = count(fit, "tensor_parallel_size", 1);
    fit->set.pp = count(fit, "pipeline_parallel_size", 1);
    fit->data_parallel = count(fit, "data_parallel_size", 1);
    resolve_context_ranks(fit);
    if (query_heads % fit->set.tp != 0)
        refuse(fit,
               "Total number of attention heads (%u) must be divisible by tensor parallel "
               "size (%u).",
               (unsigned)query_heads, (unsigned)fit->set.tp);
    return partition.text == NULL ? KVCAP_OK : read_partition(fit, partition);
}

/* ---- Mamba. */

static uint64_t state_type_bytes(struct kvc_vllm_fit *fit, const char *name)
{
    struct kvc_span word = kvc_setting_text(fit->q->settings, name, "auto");
    return kvc_span_is(word, "auto") ? 0 : bytes_of_word(word);
}

/* Families whose class declares SupportsMambaPrefixCaching, and so knows the mode all. */
static const char *const KEEPS_ALL[] = {
    "mamba",      "falcon_mamba",      "mamba2", "jamba",
    "bamba",      "falcon_h1",         "zamba2", "granitemoehybrid",
    "nemotron_h", "nemotron_h_puzzle", NULL
};

/* The mode, from what is asked for (MambaModelConfig.verify_and_update_config).  Without prefix caching it
 * is none whatever is said; with it none stands for the default. */
static enum kvc_vllm_mamba_mode mamba_mode(struct kvc_vllm_fit *fit)
{
    struct kvc_span word = kvc_setting_text(fit->q->settings, "mamba_cache_mode", "none");
    bool keeps_all = kvc_vllm_is_family(fit, KEEPS_ALL);
    if (!fit->prefix_caching)
        return KVC_VLLM_MAMBA_NONE;
    if (!since(fit, KVC_VLLM_MAMBA_ALIGN_MODE))
        return keeps_all && since(fit, KVC_VLLM_MAMBA_ALL_MODE) ? KVC_VLLM_MAMBA_ALL
                                                                : KVC_VLLM_MAMBA_NONE;
    if (kvc_span_is(word, "align"))
        return KVC_VLLM_MAMBA_ALIGN;
    if (kvc_span_is(word, "all"))
        return keeps_all ? KVC_VLLM_MAMBA_ALL : KVC_VLLM_MAMBA_ALIGN;
    bool aligns = since(fit, KVC_VLLM_HYBRID_PREFIX_CACHING) ||
                  (since(fit, KVC_VLLM_ALIGN_WITH_DRAFTS) && fit->set.speculative_tokens > 0) ||
                  !keeps_all;
    return aligns ? KVC_VLLM_MAMBA_ALIGN : KVC_VLLM_MAMBA_ALL;
}

#define MAMBA_CHUNK_DEFAULT 2048 /* where config.json has none: ModelConfig.get_mamba_chunk_size */

static void resolve_mamba(struct kvc_vllm_fit *fit)
{
    if (!fit->found.has_mamba || fit->is_v0)
        return;
    fit->set.mamba_mode = mamba_mode(fit);
    fit->set.conv_bytes = state_type_bytes(fit, "mamba_cache_dtype");
    fit->set.state_bytes = state_type_bytes(fit, "mamba_ssm_cache_dtype");
    if (fit->set.mamba_mode != KVC_VLLM_MAMBA_ALL)
        return;
    const struct kvc_value *text = kvc_vllm_config(fit);
    uint64_t by_class = text == NULL ? 0 : MAMBA_CHUNK_DEFAULT;
    uint64_t chunk =
        kvc_vllm_member(text, "mamba_chunk_size", kvc_vllm_member(text, "chunk_size", by_class));
    fit->set.mamba_chunk = kvc_setting_said(fit->q->settings, "mamba_block_size")
                               ? count(fit, "mamba_block_size", chunk)
                               : chunk;
    if (fit->set.mamba_chunk == 0)
        kvc_vllm_cannot_say(fit, "mamba_block_size",
                            "the mode all keeps a state a chunk, and how long one is is not said");
}

/* Whoever names a mode and is silent of prefix caching has it on: the mode means nothing without. */
static bool asks_for_a_mode(const struct kvc_vllm_fit *fit)
{
    const struct kvc_value *mode = kvc_setting_value(fit->q->settings, "mamba_cache_mode");
    return fit->found.has_mamba && !fit->is_v0 && since(fit, KVC_VLLM_MAMBA_ALIGN_MODE) &&
           mode != NULL && !kvc_span_is(mode->text, "none") &&
           !kvc_setting_said(fit->q->settings, "enable_prefix_caching");
}

/* Prompts that begin alike: by default where the model's class supports it.  Recurrent models did not until
 * 0.28, those without attention and those with an encoder do not (ModelConfig.is_prefix_caching_supported). */
static void resolve_prefix_caching(struct kvc_vllm_fit *fit)
{
    bool on = !fit->is_v0 && !fit->found.has_cross;
    if (fit->found.has_mamba)
        on = on && fit->found.has_attention && since(fit, KVC_VLLM_HYBRID_PREFIX_CACHING);
    if (!on && asks_for_a_mode(fit)) {
        on = true;
        kvc_answer_note(
            fit->answer, "engine.mamba_cache_mode",
            "a mode of Mamba's cache is asked for, so prefix caching is taken to be on: "
            "where enable_prefix_caching is off, as it is here by default, vLLM sets the "
            "mode to none");
    }
    fit->prefix_caching = kvc_setting_truth(fit->q->settings, "enable_prefix_caching", on);
}

/* ---- Encoders, the hybrid manager. */

/* Of Whisper and its like: as many as the file has positions for. */
static void resolve_encoder(struct kvc_vllm_fit *fit)
{
    const struct kvc_facts *facts = fit->q->model->facts;
    uint64_t stated = facts == NULL ? 0 : kvc_vllm_member(facts->tree, "max_source_positions", 0);
    if (!fit->found.has_cross || fit->is_v0)
        return;
    fit->encoder_tokens = count(fit, "max_num_encoder_input_tokens", stated);
    if (fit->encoder_tokens == 0)
        kvc_vllm_cannot_say(fit, "max_num_encoder_input_tokens",
                            "how many encoder tokens a request has is not said");
}

#define CHUNKS_UNSURE_FROM 20251127 /* the day of the pull request that changed it */

/* Whether chunks are grouped apart; with drafts of EAGLE's kind they never are. */
static bool chunks_apart(struct kvc_vllm_fit *fit)
{
    const char *name = "vllm_allow_chunked_local_attn_with_hybrid_kv_cache";
    bool by_default = !since(fit, KVC_VLLM_CHUNKS_TOGETHER) || since(fit, KVC_VLLM_CHUNKS_APART);
    if (fit->drafts_like_eagle)
        return false;
    if (!kvc_setting_said(fit->q->settings, name) && fit->q->day >= CHUNKS_UNSURE_FROM &&
        !since(fit, KVC_VLLM_CHUNKS_APART) &&
        !kvc_setting_said(fit->q->settings, "disable_hybrid_kv_cache_manager"))
        kvc_vllm_cannot_say(fit, name, "its default changed about this time");
    return count(fit, name, by_default) == 1;
}

/* VllmConfig.__post_init__: what turns it off unasked; that one asks for it nonetheless is refused. */
static void resolve_manager(struct kvc_vllm_fit *fit)
{
    struct kvc_settings *settings = fit->q->settings;
    const char *name = "disable_hybrid_kv_cache_manager";
    bool matters = fit->found.has_window || fit->found.has_chunk || fit->found.has_mamba;
    bool said = kvc_setting_said(settings, name);
    fit->has_connector = kvc_setting_value(settings, "kv_transfer_config") != NULL;
    fit->hybrid_manager_off = !since(fit, KVC_VLLM_HYBRID_MANAGER);
    if (!matters || fit->hybrid_manager_off)
        return;
    bool must = (fit->is_cpu && !since(fit, KVC_VLLM_CPU_BLOCKS)) ||
                (fit->found.has_chunk && !chunks_apart(fit));
    bool by_default = must || fit->has_connector;
    if (fit->has_connector && !said && since(fit, KVC_VLLM_CONNECTOR_KEEPS_GROUPS))
        kvc_vllm_cannot_say(fit, "kv_transfer_config",
                            "whether this connector supports groups of layers is not known: give "
                            "disable_hybrid_kv_cache_manager");
    fit->hybrid_manager_off = kvc_setting_truth(settings, name, by_default) ||
                              (must && !since(fit, KVC_VLLM_PREFILL_CONTEXT));
    if (said && must && !fit->hybrid_manager_off)
        refuse(fit,
               "Hybrid KV cache manager was explicitly enabled but is not supported in this "
               "configuration. Consider omitting the --no-disable-hybrid-kv-cache-manager flag "
               "to let vLLM decide automatically.");
}

/* ---- Heads in place of latents. */

static const char *const DEEPSEEK[] = { "deepseek_v2", "deepseek_v3", "kimi_k2", NULL };

/* DeepseekV2Attention caches keys and values of every head, both as wide as a key; until v0.7.1 that
 * was padded to 256 (vllm/config.py, get_head_size), and since rows can be compressed it is not. */
#define HEAD_PADDED 256

static void resolve_latents(struct kvc_vllm_fit *fit)
{
    struct kvc_settings *settings = fit->q->settings;
    const struct kvc_value *text = kvc_vllm_config(fit);
    bool before = !since(fit, KVC_VLLM_LATENTS);
    bool disabled =
        kvc_setting_said(settings, "vllm_mla_disable") && count(fit, "vllm_mla_disable", 0) == 1;
    if (!fit->found.has_latent || (!before && !disabled))
        return;
    uint64_t heads = kvc_vllm_member(text, "num_attention_heads", 0);
    uint64_t nope = kvc_vllm_member(text, "qk_nope_head_dim", 0);
    uint64_t rope = kvc_vllm_member(text, "qk_rope_head_dim", 0);
    fit->keeps_heads = true;
    if (!kvc_vllm_is_family(fit, DEEPSEEK) || heads == 0 || nope + rope == 0 ||
        heads > UINT32_MAX || nope > UINT32_MAX || rope > UINT32_MAX) {
        kvc_vllm_cannot_say(fit, "vllm_mla_disable",
                            "the heads that are kept in place of compressed rows follow from "
                            "num_attention_heads, qk_nope_head_dim and qk_rope_head_dim of a "
                            "DeepSeek model, which are not in the model's record");
        return;
    }
    fit->set.latent_heads = heads;
    fit->set.latent_head_dim = before ? HEAD_PADDED : nope + rope;
}

kvcap_code kvc_vllm_resolve(struct kvc_vllm_fit *fit)
{
    struct kvc_settings *settings = fit->q->settings;
    kvc_vllm_look(fit->q->model->shape, &fit->found);
    resolve_family(fit);
    resolve_engine(fit);
    fit->set.is_v0 = fit->is_v0;
    fit->set.day = fit->q->day;
    resolve_dtype(fit);
    resolve_cache_type(fit);
    resolve_latents(fit);
    resolve_block_size(fit);
    kvcap_code rc = resolve_ranks(fit);
    if (rc == KVCAP_OK)
        rc = resolve_length(fit);
    if (rc == KVCAP_OK)
        rc = resolve_skipped(fit);
    if (rc != KVCAP_OK)
        return rc;
    resolve_prefix_caching(fit);
    kvc_vllm_resolve_ahead(fit);
    resolve_mamba(fit);
    resolve_encoder(fit);
    resolve_manager(fit);
    return settings->rc;
}
