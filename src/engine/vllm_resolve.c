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

static uint64_t count(struct kvc_vllm_fit *fit, const char *name, uint64_t absent)
{
    return kvc_setting_count(fit->q->settings, name, absent);
}

static bool since(const struct kvc_vllm_fit *fit, enum kvc_vllm_change change)
{
    return kvc_vllm_since(fit->q->day, change);
}

/* ---- Which of the two engines, and on what. */

static void resolve_engine(struct kvc_vllm_fit *fit)
{
    struct kvc_settings *settings = fit->q->settings;
    bool v1 = since(fit, KVC_VLLM_V1_DEFAULT);
    fit->is_cpu = kvc_span_is(kvc_setting_text(settings, "device", "auto"), "cpu");
    if (kvc_setting_said(settings, "vllm_use_v1") && !since(fit, KVC_VLLM_V1_ONLY))
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
    if (kvc_setting_value(fit->q->settings, "kv_cache_dtype_skip_layers") != NULL)
        kvc_vllm_cannot_say(fit, "kv_cache_dtype_skip_layers",
                            "layers that keep the model's type are not modelled");
}

/* ---- Blocks. */

static const struct {
    const char *backend;
    uint64_t block_size;
} BACKENDS[] = {
    { "TRITON_MLA", 16 },      { "FLASHMLA", 64 },
    { "FLASHMLA_SPARSE", 64 }, { "CUTLASS_MLA", 128 },
    { "FLASHINFER_MLA", 32 },  { "FLASH_ATTN_MLA", 16 },
    { "ROCM_AITER_MLA", 1 },   { "FLASHINFER_MLA_SPARSE", 64 },
};

#define BLOCK_DEFAULT 16
#define BLOCK_FLASHMLA 64
#define BLOCK_V4 256

/* What a backend prefers where nothing is asked for: FlashMLA is taken for compressed rows. */
static void resolve_block_size(struct kvc_vllm_fit *fit)
{
    struct kvc_span backend = kvc_setting_text(fit->q->settings, "attention_backend", NULL);
    uint64_t block_size = BLOCK_DEFAULT;
    bool assumed = false;
    if (fit->found.has_compressed) {
        block_size = BLOCK_V4;
    } else if (fit->found.has_latent && !fit->is_cpu) {
        block_size = BLOCK_FLASHMLA;
        assumed = backend.text == NULL;
    }
    for (size_t i = 0; i < sizeof BACKENDS / sizeof BACKENDS[0]; i++) {
        if (backend.text != NULL && kvc_span_is(backend, BACKENDS[i].backend))
            block_size = BACKENDS[i].block_size;
    }
    if (assumed && !kvc_setting_said(fit->q->settings, "block_size"))
        kvc_answer_note(fit->answer, "engine.backend",
                        "FlashMLA is assumed, whose blocks have 64 tokens; attention_backend or "
                        "block_size say otherwise");
    fit->set.block_size = count(fit, "block_size", block_size);
    fit->set.window_block_size =
        since(fit, KVC_VLLM_WINDOW_BLOCKS) ? BLOCK_DEFAULT : fit->set.block_size;
}

/* ---- Speculation. */

static uint64_t member_count(const struct kvc_value *object, const char *key, uint64_t absent)
{
    const struct kvc_value *value = kvc_value_member(object, key);
    uint64_t number = absent;
    if (value != NULL && value->type == KVC_NUMBER)
        kvc_span_u64(value->text, &number);
    return number;
}

/* Methods that keep no cache of their own. */
static bool is_cacheless(struct kvc_span method)
{
    return kvc_span_is(method, "ngram") || kvc_span_is(method, "[ngram]") ||
           kvc_span_is(method, "ngram_gpu") || kvc_span_is(method, "suffix") ||
           kvc_span_is(method, "medusa") || kvc_span_is(method, "mlp_speculator");
}

static void resolve_speculation(struct kvc_vllm_fit *fit)
{
    struct kvc_settings *settings = fit->q->settings;
    const struct kvc_value *config = kvc_setting_value(settings, "speculative_config");
    fit->set.speculative_tokens = kvc_setting_said(settings, "num_speculative_tokens")
                                      ? count(fit, "num_speculative_tokens", 0)
                                      : 0;
    if (config == NULL && !kvc_setting_said(settings, "speculative_model"))
        return;
    const struct kvc_value *method = kvc_value_member(config, "method");
    struct kvc_span word = method == NULL ? (struct kvc_span){ NULL, 0 } : method->text;
    fit->set.speculative_tokens =
        member_count(config, "num_speculative_tokens", fit->set.speculative_tokens);
    kvc_setting_note_count(settings, "num_speculative_tokens", fit->set.speculative_tokens);
    if (word.text != NULL && is_cacheless(word))
        return;
    bool is_mtp = word.text != NULL && (kvc_span_is(word, "mtp") || kvc_span_ends(word, "_mtp"));
    if (is_mtp && fit->q->model->shape->draft_runs_count > 0)
        fit->set.loads_drafts = true;
    else if (is_mtp)
        kvc_vllm_cannot_say(fit, "speculative_config",
                            "the model's record has no draft layers to load");
    else
        kvc_vllm_cannot_say(fit, "speculative_config",
                            "the layers of the draft model are in another file");
}

/* ---- How far ahead the scheduler may be. */

static void resolve_async(struct kvc_vllm_fit *fit)
{
    struct kvc_settings *settings = fit->q->settings;
    bool on = since(fit, KVC_VLLM_ASYNC_DEFAULT);
    if (on && fit->set.speculative_tokens > 0)
        on = since(fit, KVC_VLLM_ASYNC_SPECULATIVE);
    fit->async = kvc_setting_truth(settings, "async_scheduling", on && !fit->is_cpu);
}

/* vLLM compares the driver's name without case. */
static bool is_a100(const char *name)
{
    const char *wanted = "a100";
    for (; name != NULL && *name != '\0'; name++) {
        size_t same = 0;
        while (wanted[same] != '\0' && (name[same] | 0x20) == (wanted[same] | 0x20))
            same++;
        if (wanted[same] == '\0')
            return true;
    }
    return false;
}

/* By the memory of the device; where that is not known, neither is this. */
static uint64_t default_batched_tokens(const struct kvc_vllm_fit *fit)
{
    struct kvc_maybe total = fit->q->memory->device_total_bytes;
    if (!total.said)
        return 0;
    if (total.value >= 160 * GIB)
        return 16384;
    return total.value >= 70 * GIB && !is_a100(fit->q->memory->device_name) ? 8192 : 2048;
}

static void resolve_batch(struct kvc_vllm_fit *fit)
{
    struct kvc_settings *settings = fit->q->settings;
    uint64_t batched = default_batched_tokens(fit);
    struct kvc_span mode = kvc_setting_text(settings, "performance_mode", "balanced");
    bool chunked = kvc_setting_truth(settings, "enable_chunked_prefill", true);
    if (kvc_setting_said(settings, "max_num_batched_tokens")) {
        fit->batched_tokens = count(fit, "max_num_batched_tokens", 0);
        return;
    }
    if (batched == 0)
        return;
    if (kvc_span_is(mode, "throughput"))
        batched *= 2;
    if (!chunked && batched < fit->set.max_model_len)
        batched = fit->set.max_model_len;
    uint64_t sequences = count(fit, "max_num_seqs", batched >= 8192 ? 1024 : 256);
    if (sequences * fit->set.max_model_len < batched)
        batched = sequences * fit->set.max_model_len;
    fit->batched_tokens = batched;
    kvc_setting_note_count(settings, "max_num_batched_tokens", batched);
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

static kvcap_code resolve_length(struct kvc_vllm_fit *fit)
{
    struct kvc_settings *settings = fit->q->settings;
    uint64_t derived = fit->q->model->context_tokens;
    uint64_t length = count(fit, "max_model_len", derived);
    fit->auto_fit = length == KVC_SETTING_MINUS_ONE;
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
    for (size_t at = 0; at <= text.length && stage < fit->set.pp; stage++) {
        size_t end = at;
        while (end < text.length && text.text[end] != ',')
            end++;
        if (!kvc_span_u64((struct kvc_span){ text.text + at, end - at }, &layers[stage]))
            break;
        sum += layers[stage];
        at = end + 1;
    }
    if (stage != fit->set.pp || sum != fit->q->model->shape->layers_count)
        return kvc_fail(fit->err, KVC_USAGE_BAD_SETTING, "vllm_pp_layer_partition",
                        "a number for each stage is due, which add up to the model's layers");
    fit->set.pp_layers = layers;
    return KVCAP_OK;
}

static kvcap_code resolve_ranks(struct kvc_vllm_fit *fit)
{
    struct kvc_span partition = kvc_setting_text(fit->q->settings, "vllm_pp_layer_partition", NULL);
    fit->set.tp = count(fit, "tensor_parallel_size", 1);
    fit->set.pp = count(fit, "pipeline_parallel_size", 1);
    fit->set.dcp = count(fit, "decode_context_parallel_size", 1);
    fit->data_parallel = count(fit, "data_parallel_size", 1);
    return partition.text == NULL ? KVCAP_OK : read_partition(fit, partition);
}

/* ---- Mamba. */

static uint64_t state_type_bytes(struct kvc_vllm_fit *fit, const char *name)
{
    struct kvc_span word = kvc_setting_text(fit->q->settings, name, "auto");
    return kvc_span_is(word, "auto") ? 0 : bytes_of_word(word);
}

static void resolve_mamba(struct kvc_vllm_fit *fit)
{
    struct kvc_settings *settings = fit->q->settings;
    bool aligns = fit->prefix_caching && since(fit, KVC_VLLM_MAMBA_ALIGN_MODE);
    if (!fit->found.has_mamba)
        return;
    struct kvc_span mode =
        kvc_setting_text(settings, "mamba_cache_mode", aligns ? "align" : "none");
    fit->set.mamba_mode = kvc_span_is(mode, "align") ? KVC_VLLM_MAMBA_ALIGN
                          : kvc_span_is(mode, "all") ? KVC_VLLM_MAMBA_ALL
                                                     : KVC_VLLM_MAMBA_NONE;
    fit->set.conv_bytes = state_type_bytes(fit, "mamba_cache_dtype");
    fit->set.state_bytes = state_type_bytes(fit, "mamba_ssm_cache_dtype");
    if (fit->set.mamba_mode != KVC_VLLM_MAMBA_ALL)
        return;
    const struct kvc_facts *facts = fit->q->model->facts;
    const struct kvc_value *text = facts == NULL ? NULL : kvc_facts_decoder(facts->tree);
    uint64_t chunk = member_count(text, "mamba_chunk_size", member_count(text, "chunk_size", 0));
    fit->set.mamba_chunk = kvc_setting_said(settings, "mamba_block_size")
                               ? count(fit, "mamba_block_size", chunk)
                               : chunk;
    if (fit->set.mamba_chunk == 0)
        kvc_vllm_cannot_say(fit, "mamba_block_size",
                            "the mode all keeps a state a chunk, and how long one is is not said");
}

/* ---- Encoders, the hybrid manager. */

/* Of Whisper and its like: as many as the file has positions for. */
static void resolve_encoder(struct kvc_vllm_fit *fit)
{
    const struct kvc_facts *facts = fit->q->model->facts;
    uint64_t stated = facts == NULL ? 0 : member_count(facts->tree, "max_source_positions", 0);
    if (!fit->found.has_cross)
        return;
    fit->encoder_tokens = count(fit, "max_num_encoder_input_tokens", stated);
    if (fit->encoder_tokens == 0)
        kvc_vllm_cannot_say(fit, "max_num_encoder_input_tokens",
                            "how many encoder tokens a request has is not said");
}

static void resolve_manager(struct kvc_vllm_fit *fit)
{
    struct kvc_settings *settings = fit->q->settings;
    bool chunks_apart = fit->found.has_chunk &&
                        count(fit, "vllm_allow_chunked_local_attn_with_hybrid_kv_cache", 0) == 1;
    bool off = (fit->found.has_chunk && !chunks_apart) || fit->is_cpu ||
               !since(fit, KVC_VLLM_HYBRID_MANAGER);
    fit->has_connector = kvc_setting_value(settings, "kv_transfer_config") != NULL;
    if (fit->found.has_window || fit->found.has_chunk)
        off = kvc_setting_truth(settings, "disable_hybrid_kv_cache_manager", off) ||
              !since(fit, KVC_VLLM_HYBRID_MANAGER);
    fit->hybrid_manager_off = off;
}

kvcap_code kvc_vllm_resolve(struct kvc_vllm_fit *fit)
{
    struct kvc_settings *settings = fit->q->settings;
    kvc_vllm_look(fit->q->model->shape, &fit->found);
    resolve_engine(fit);
    resolve_dtype(fit);
    resolve_cache_type(fit);
    resolve_block_size(fit);
    kvcap_code rc = resolve_ranks(fit);
    if (rc == KVCAP_OK)
        rc = resolve_length(fit);
    if (rc != KVCAP_OK)
        return rc;
    fit->prefix_caching = kvc_setting_truth(settings, "enable_prefix_caching", !fit->is_v0);
    resolve_speculation(fit);
    resolve_async(fit);
    resolve_batch(fit);
    resolve_mamba(fit);
    resolve_encoder(fit);
    resolve_manager(fit);
    if (kvc_setting_said(settings, "vllm_mla_disable") && count(fit, "vllm_mla_disable", 0) == 1 &&
        fit->found.has_latent)
        kvc_vllm_cannot_say(fit, "vllm_mla_disable",
                            "the heads that would be kept are not in the model's record");
    return settings->rc;
}
