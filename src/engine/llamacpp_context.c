/* llamacpp_context.c - see llamacpp_context.h for the room and its promises. */

#include "engine/llamacpp_context.h"

#include <inttypes.h>

#include "bytes/elem.h"
#include "engine/llamacpp_changes.h"

#define PAD 256 /* GGML_PAD(..., 256): src/llama-context.cpp, src/llama-kv-cache-iswa.cpp */

static uint64_t padded(uint64_t tokens, uint64_t unit)
{
    return (tokens + unit - 1) / unit * unit;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

bool kvc_llamacpp_is_quantized(enum kvc_format format)
{
    return kvc_layout_of(format)->group_elements > 1;
}

/* ---- llama_init_from_model: what is refused before a context is made, in its order. */

struct making {
    const struct kvc_llamacpp_params *params;
    const struct kvc_llamacpp_model *model;
    struct kvc_answer *answer;
    struct kvc_llamacpp_context *context;
    uint32_t day;
};

#define REFUSE(making, ...)                                                                        \
    do {                                                                                           \
        (making)->answer->decision = KVC_DECISION_REFUSED;                                         \
        (making)->answer->refusal_text = kvc_answer_text((making)->answer, __VA_ARGS__);           \
        (making)->context->is_refused = true;                                                      \
        return false;                                                                              \
    } while (0)

static bool check_zeros(const struct making *making)
{
    if (making->params->n_batch == 0 && making->params->n_ubatch == 0)
        REFUSE(making, "llama_init_from_model: n_batch and n_ubatch cannot both be zero");
    if (making->params->n_ctx == 0 && making->model->context_tokens == 0)
        REFUSE(making, "llama_init_from_model: n_ctx and model->hparams.n_ctx_train cannot both be "
                       "zero");
    return true;
}

/* Grok's attention has no kernel of this kind; a split by tensors needs it. */
static bool settle_flash(const struct making *making)
{
    enum kvc_llamacpp_flash *flash = &making->context->flash;
    if (making->model->flash_off && *flash != KVC_LLAMACPP_FLASH_OFF) {
        kvc_answer_line(making->answer,
                        "llama_init_from_model: flash_attn is not compatible with Grok - forcing "
                        "off");
        *flash = KVC_LLAMACPP_FLASH_OFF;
    }
    if (!making->params->split_by_tensor)
        return true;
    if (*flash == KVC_LLAMACPP_FLASH_AUTO)
        *flash = KVC_LLAMACPP_FLASH_ON;
    if (*flash != KVC_LLAMACPP_FLASH_ON)
        REFUSE(making,
               "llama_init_from_model: SPLIT_MODE_TENSOR requires flash_attn to be enabled");
    return true;
}

static bool check_types(const struct making *making)
{
    const struct kvc_llamacpp_params *params = making->params;
    enum kvc_llamacpp_flash *flash = &making->context->flash;
    if (making->model->types_are_one && params->type_k != params->type_v &&
        kvc_llamacpp_since(making->day, KVC_LLAMACPP_ONE_TYPE_MLA))
        REFUSE(making,
               "llama_init_from_model: model does not support different K (%s) and V (%s) cache "
               "types",
               kvc_format_name(params->type_k), kvc_format_name(params->type_v));
    if (!kvc_llamacpp_is_quantized(params->type_v) || *flash == KVC_LLAMACPP_FLASH_ON)
        return true;
    if (*flash == KVC_LLAMACPP_FLASH_OFF)
        REFUSE(making, "%s: %s",
               kvc_llamacpp_since(making->day, KVC_LLAMACPP_NAMED_INIT)
                   ? "llama_init_from_model"
                   : "llama_new_context_with_model",
               kvc_llamacpp_since(making->day, KVC_LLAMACPP_ONE_TYPE_MLA)
                   ? "quantized V cache requires flash_attn to be enabled"
                   : "V cache quantization requires flash_attn");
    if (kvc_llamacpp_since(making->day, KVC_LLAMACPP_ONE_TYPE_MLA))
        *flash = KVC_LLAMACPP_FLASH_ON;
    return true;
}

static bool check_heads(const struct making *making, char letter, enum kvc_format type)
{
    uint32_t block = kvc_layout_of(type)->group_elements;
    for (uint32_t i = 0; i < making->model->heads_count; i++) {
        const struct kvc_llamacpp_heads *heads = &making->model->heads[i];
        uint64_t dim = letter == 'K' ? heads->k : heads->v;
        if (dim % block == 0)
            continue;
        REFUSE(making,
               "llama_init_from_model: %c cache type %s with block size %u does not divide "
               "n_embd_head_%c=%llu",
               letter, kvc_format_name(type), (unsigned)block, letter == 'K' ? 'k' : 'v',
               (unsigned long long)dim);
    }
    return true;
}

static bool check_blocks(const struct making *making)
{
    const struct kvc_llamacpp_params *params = making->params;
    if (making->context->flash == KVC_LLAMACPP_FLASH_OFF ||
        !kvc_llamacpp_since(making->day, KVC_LLAMACPP_FLASH_AUTO_DEFAULT))
        return true;
    if (kvc_llamacpp_is_quantized(params->type_k) && !check_heads(making, 'K', params->type_k))
        return false;
    return !kvc_llamacpp_is_quantized(params->type_v) || check_heads(making, 'V', params->type_v);
}

static bool check_sequences(const struct making *making)
{
    unsigned most = kvc_llamacpp_since(making->day, KVC_LLAMACPP_SEQ_MAX_256)
                        ? KVC_LLAMACPP_SEQ_MAX
                        : KVC_LLAMACPP_SEQ_MAX / 4;
    if (making->params->n_seq_max > most)
        REFUSE(making,
               "llama_init_from_model: failed to initialize the context: n_seq_max must be <= %u",
               most);
    return true;
}

/* ---- llama_context::llama_context: what is rounded. */

static void make_batches(const struct making *making)
{
    const struct kvc_llamacpp_params *params = making->params;
    struct kvc_llamacpp_context *context = making->context;
    bool is_causal = making->model->is_causal && !params->is_embedding;
    context->n_batch = is_causal ? least(context->n_ctx, params->n_batch) : params->n_batch;
    context->n_ubatch =
        least(context->n_batch, params->n_ubatch == 0 ? params->n_batch : params->n_ubatch);
}

/* Until per-sequence streams were there, one pool served all; later its size was rounded by what flash
 * attention wants, then not at all, then always to 256. */
static uint64_t unit_of(const struct making *making)
{
    if (kvc_llamacpp_since(making->day, KVC_LLAMACPP_PAD_256))
        return PAD;
    if (kvc_llamacpp_since(making->day, KVC_LLAMACPP_PAD_NONE))
        return 1;
    if (!kvc_llamacpp_since(making->day, KVC_LLAMACPP_PAD_FIRST))
        return 1;
    if (!kvc_llamacpp_since(making->day, KVC_LLAMACPP_PAD_BY_FLASH))
        return PAD;
    return making->context->flash == KVC_LLAMACPP_FLASH_OFF ? 32 : PAD;
}

static bool make_cells(const struct making *making)
{
    struct kvc_llamacpp_context *context = making->context;
    uint64_t unit = unit_of(making), asked;
    bool rounds_first = kvc_llamacpp_since(making->day, KVC_LLAMACPP_PAD_256);
    asked = rounds_first ? padded(context->n_ctx, unit) : context->n_ctx;
    context->n_ctx_printed = context->n_ctx;
    context->n_ctx_seq_printed = context->n_ctx / context->n_seq_max;
    if (context->kv_unified) {
        context->n_ctx = context->n_ctx_seq = padded(asked, unit);
        return true;
    }
    bool divides_up = !kvc_llamacpp_since(making->day, KVC_LLAMACPP_PAD_NONE);
    context->n_ctx_seq =
        padded((asked + (divides_up ? context->n_seq_max - 1 : 0)) / context->n_seq_max, unit);
    if (context->n_ctx_seq == 0)
        REFUSE(making, "llama_init_from_model: failed to initialize the context: n_ctx_seq == 0");
    context->n_ctx = context->n_ctx_seq * context->n_seq_max;
    context->is_rounded = context->n_ctx != asked;
    return true;
}

/* The buffer of outputs is made before any cache: llama_context::output_reserve.  With an encoder it has
 * the batch, whatever was asked for. */
static bool check_outputs(const struct making *making)
{
    const struct kvc_llamacpp_context *context = making->context;
    bool follows_batch =
        making->params->n_outputs_max == 0 || making->model->graph == KVC_LLAMACPP_GRAPH_T5;
    uint64_t most = follows_batch ? context->n_batch : making->params->n_outputs_max;
    if (context->n_seq_max <= most || !kvc_llamacpp_since(making->day, KVC_LLAMACPP_OUTPUTS_MAX))
        return true;
    kvc_answer_note(making->answer, "engine.assertion",
                    "%u sequences have an output each, and a batch holds %llu: the engine aborts",
                    (unsigned)context->n_seq_max, (unsigned long long)most);
    REFUSE(making, "GGML_ASSERT(n_outputs_max <= cparams.n_outputs_max) failed");
}

void kvc_llamacpp_context_make(const struct kvc_llamacpp_params *params,
                               const struct kvc_llamacpp_model *model, uint32_t day,
                               struct kvc_answer *answer, struct kvc_llamacpp_context *ret_context)
{
    struct kvc_llamacpp_context *context = ret_context;
    struct making making = {
        .params = params, .model = model, .answer = answer, .context = context, .day = day
    };
    *context = (struct kvc_llamacpp_context){
        .flash = params->flash,
        .n_seq_max = params->n_seq_max == 0 ? 1 : (uint32_t)params->n_seq_max,
        .n_rs_seq = model->rolls_back && kvc_llamacpp_since(day, KVC_LLAMACPP_ROLLBACK)
                        ? (uint32_t)params->n_rs_seq
                        : 0,
        .n_ctx = params->n_ctx == 0 ? model->context_tokens : params->n_ctx,
    };
    if (!check_zeros(&making) || !settle_flash(&making) || !check_types(&making) ||
        !check_blocks(&making) || !check_sequences(&making))
        return;
    context->kv_unified =
        params->kv_unified || !kvc_llamacpp_since(day, KVC_LLAMACPP_STREAMS_ALWAYS);
    context->is_v_kept = !kvc_llamacpp_since(day, KVC_LLAMACPP_NO_V_IN_MLA);
    context->is_v_transposed = context->flash == KVC_LLAMACPP_FLASH_OFF;
    context->is_v_widened =
        context->is_v_transposed && kvc_llamacpp_since(day, KVC_LLAMACPP_STREAMS);
    make_batches(&making);
    if (!make_cells(&making) || !check_outputs(&making))
        return;
    if (kvc_llamacpp_since(day, KVC_LLAMACPP_PAD_NONE)) {
        context->n_ctx_printed = context->n_ctx;
        context->n_ctx_seq_printed = context->n_ctx_seq;
    }
    context->streams = context->kv_unified && !model->own_streams ? 1 : context->n_seq_max;
}

uint64_t kvc_llamacpp_cells_of(const struct kvc_llamacpp_cache *cache,
                               const struct kvc_llamacpp_params *params,
                               const struct kvc_llamacpp_model *model,
                               const struct kvc_llamacpp_context *context, uint32_t day)
{
    uint64_t all = context->n_ctx_seq;
    if (cache->cells == KVC_LLAMACPP_RATIO)
        return padded(all == 0 ? 1 : (all + cache->ratio - 1) / cache->ratio, PAD);
    if (cache->cells == KVC_LLAMACPP_ALL || params->swa_full ||
        !kvc_llamacpp_since(day, KVC_LLAMACPP_WINDOWS))
        return all;
    uint64_t sequences = context->streams == 1 ? context->n_seq_max : 1;
    uint64_t window = model->window_tokens * sequences + context->n_ubatch;
    if (kvc_llamacpp_since(day, KVC_LLAMACPP_PAD_256))
        return padded(least(all, window), PAD);
    return least(all, padded(window, kvc_llamacpp_since(day, KVC_LLAMACPP_PAD_NONE) ? 1
                                     : context->is_v_transposed                     ? 32
                                                                                    : PAD));
}
