/* gguf_recurrent.c - which layers of a GGUF model recur, and what they keep.  Declared in
 * gguf_model.h.
 *
 * llama.cpp sizes a state from the keys alone (n_embd_r and n_embd_s, src/llama-hparams.cpp):
 *
 *   rwkv         token_shift_count E                          E wkv.head_size
 *   short conv   E (shortconv.l_cache - 1)                    -
 *   kda          3 (ssm.conv_kernel - 1) h[0] d               d d h[0]         d = kda.head_dim
 *   linear       -                                            k k h[0]         k = key_length
 *   others       (conv_kernel - 1) (inner + 2 groups state)   state inner      all ssm.*
 *
 * and keeps it in f32.  The rules below give the same numbers of elements by the layers' own
 * counts. */

#include "shape/gguf_model.h"

#define EMBEDDING "embedding_length"
#define CONV_KERNEL "ssm.conv_kernel"
#define INNER_DIM "ssm.inner_size"
#define STATE_DIM "ssm.state_size"
#define RANK "ssm.time_step_rank"
#define GROUPS "ssm.group_count"

/* A recurrent state of a rule, in f32 where the rule has the part. */
static struct kvc_state_found *add_state(struct kvc_layer_found *layer, enum kvc_rule rule)
{
    struct kvc_state_found *state = kvc_layer_state(layer, KVC_STATE_RECURRENT);
    const struct kvc_rule_row *row = kvc_rule_row(rule);
    state->state.rule = rule;
    if (row->has_conv)
        kvc_state_put_format(state, "conv_format", KVC_FORMAT_F32, KVC_GGUF_STATE_F32);
    if (row->has_state)
        kvc_state_put_format(state, "state_format", KVC_FORMAT_F32, KVC_GGUF_STATE_F32);
    return state;
}

/* ---- State-space layers and gated delta nets. */

struct ssm {
    struct kvc_origin conv_kernel, inner_dim, state_dim, heads, groups;
};

static kvcap_code find_ssm(struct kvc_gguf_model *model, struct ssm *ssm)
{
    ssm->groups = (struct kvc_origin){ .value = 0 };
    kvcap_code rc = kvc_gguf_at_least(model, CONV_KERNEL, 1, &ssm->conv_kernel);
    if (rc == KVCAP_OK)
        rc = kvc_gguf_at_least(model, INNER_DIM, 1, &ssm->inner_dim);
    if (rc == KVCAP_OK)
        rc = kvc_gguf_at_least(model, STATE_DIM, 1, &ssm->state_dim);
    if (rc == KVCAP_OK)
        rc = kvc_gguf_number(model, RANK, &ssm->heads);
    if (rc == KVCAP_OK && model->arch->recurrence != KVC_GGUF_MAMBA1)
        rc = kvc_gguf_number(model, GROUPS, &ssm->groups);
    return rc;
}

/* Elements as the engine counts them, where the counts of no rule come to them. */
static kvcap_code add_counted(struct kvc_gguf_model *model, const struct ssm *ssm)
{
    /* All four factors are below 2^32, so the channels are below 2^66: counted in 128 bits. */
    kvc_u128 channels =
        (kvc_u128)2 * ssm->groups.value * ssm->state_dim.value + ssm->inner_dim.value;
    kvc_u128 conv = channels * (ssm->conv_kernel.value - 1);
    uint64_t state = ssm->inner_dim.value * ssm->state_dim.value;
    if (conv > UINT32_MAX || conv == 0 || state > UINT32_MAX)
        return kvc_gguf_fail(model, KVC_METADATA_OUT_OF_RANGE, INNER_DIM,
                             "the state is not within 1 and 2^32-1 elements");
    struct kvc_state_found *found = add_state(&model->recurrent, KVC_RULE_PLAIN);
    struct kvc_origin origin = kvc_gguf_derived(
        model, (uint64_t)conv, ", ssm.state_size, ssm.group_count, ", CONV_KERNEL, INNER_DIM);
    kvc_state_put_dim(found, 0, &origin);
    origin = kvc_gguf_derived(model, state, " * ", STATE_DIM, INNER_DIM);
    kvc_state_put_dim(found, 1, &origin);
    return KVCAP_OK;
}

static kvcap_code add_ssm(struct kvc_gguf_model *model)
{
    struct ssm ssm;
    kvcap_code rc = find_ssm(model, &ssm);
    if (rc != KVCAP_OK)
        return rc;
    bool is_delta = model->arch->recurrence == KVC_GGUF_DELTA;
    if (!is_delta && ssm.groups.value == 0) {
        struct kvc_state_found *state = add_state(&model->recurrent, KVC_RULE_MAMBA1);
        kvc_state_put_dim(state, 0, &ssm.conv_kernel);
        kvc_state_put_dim(state, 1, &ssm.inner_dim);
        kvc_state_put_dim(state, 2, &ssm.state_dim);
        return KVCAP_OK;
    }
    if (ssm.groups.value == 0 || ssm.heads.value == 0 || ssm.inner_dim.value % ssm.heads.value != 0)
        return add_counted(model, &ssm);
    struct kvc_origin head_dim =
        kvc_gguf_derived(model, ssm.inner_dim.value / ssm.heads.value, " / ", INNER_DIM, RANK);
    struct kvc_state_found *state =
        add_state(&model->recurrent, is_delta ? KVC_RULE_GATED_DELTA_NET : KVC_RULE_MAMBA2);
    const struct kvc_origin *const DELTA[] = { &ssm.conv_kernel, &ssm.groups, &ssm.state_dim,
                                               &ssm.heads, &head_dim };
    const struct kvc_origin *const MAMBA2[] = { &ssm.conv_kernel, &ssm.inner_dim, &ssm.groups,
                                                &ssm.state_dim,   &ssm.heads,     &head_dim };
    for (unsigned i = 0; i < (is_delta ? 5 : 6); i++)
        kvc_state_put_dim(state, i, is_delta ? DELTA[i] : MAMBA2[i]);
    return KVCAP_OK;
}

/* ---- The others.  Where a factor is 0 the engine's rows are empty, and nothing is kept. */

static kvcap_code add_kda(struct kvc_gguf_model *model)
{
    struct kvc_origin kernel = { .value = 0 }, dim = { .value = 0 }, heads = model->heads.origin;
    heads.value = model->heads.of_layer[0];
    kvcap_code rc = kvc_gguf_number(model, CONV_KERNEL, &kernel);
    if (rc == KVCAP_OK)
        rc = kvc_gguf_number(model, "kda.head_dim", &dim);
    if (rc != KVCAP_OK || heads.value == 0 || dim.value == 0)
        return rc;
    if (kernel.value == 0)
        kernel = kvc_gguf_default(model, 4, CONV_KERNEL);
    struct kvc_state_found *state = add_state(&model->recurrent, KVC_RULE_KDA);
    kvc_state_put_dim(state, 0, &kernel);
    kvc_state_put_dim(state, 1, &heads);
    kvc_state_put_dim(state, 2, &dim);
    return KVCAP_OK;
}

static kvcap_code add_linear(struct kvc_gguf_model *model)
{
    struct kvc_origin heads = model->heads.origin;
    heads.value = model->heads.of_layer[0];
    if (heads.value == 0 || model->key_dim.value == 0)
        return KVCAP_OK;
    struct kvc_state_found *state = add_state(&model->recurrent, KVC_RULE_LINEAR);
    kvc_state_put_dim(state, 0, &heads);
    kvc_state_put_dim(state, 1, &model->key_dim);
    return KVCAP_OK;
}

static kvcap_code add_short_conv(struct kvc_gguf_model *model)
{
    struct kvc_origin kernel, embedding;
    kvcap_code rc = kvc_gguf_number(model, "shortconv.l_cache", &kernel);
    if (rc == KVCAP_OK)
        rc = kvc_gguf_at_least(model, EMBEDDING, 1, &embedding);
    if (rc != KVCAP_OK || kernel.value == 0)
        return rc;
    struct kvc_state_found *state = add_state(&model->recurrent, KVC_RULE_SHORT_CONV);
    kvc_state_put_dim(state, 0, &kernel);
    kvc_state_put_dim(state, 1, &embedding);
    return KVCAP_OK;
}

static kvcap_code add_rwkv(struct kvc_gguf_model *model)
{
    struct kvc_origin shifts, embedding, head_size;
    kvcap_code rc = kvc_gguf_at_least(model, "wkv.head_size", 1, &head_size);
    if (rc == KVCAP_OK)
        rc = kvc_gguf_at_least(model, EMBEDDING, 1, &embedding);
    if (rc == KVCAP_OK)
        rc = kvc_gguf_number_or(model, "token_shift_count", 2, &shifts);
    if (rc != KVCAP_OK)
        return rc;
    if (shifts.value == 0)
        return kvc_gguf_fail(model, KVC_METADATA_OUT_OF_RANGE, "token_shift_count",
                             "the number is not within 1 and 2^32-1");
    struct kvc_state_found *state = add_state(&model->recurrent, KVC_RULE_RWKV);
    kvc_state_put_dim(state, 0, &shifts);
    kvc_state_put_dim(state, 1, &embedding);
    kvc_state_put_dim(state, 2, &head_size);
    return KVCAP_OK;
}

static kvcap_code find_state(struct kvc_gguf_model *model)
{
    switch (model->arch->recurrence) {
    case KVC_GGUF_KDA:
        return add_kda(model);
    case KVC_GGUF_LINEAR:
        return add_linear(model);
    case KVC_GGUF_SHORT_CONV:
        return add_short_conv(model);
    case KVC_GGUF_RWKV:
        return add_rwkv(model);
    default:
        return add_ssm(model);
    }
}

/* ---- The second convolution of n-gram embeddings (qwen4exp.cpp; ple_conv_state). */

static kvcap_code find_ngram_layer(struct kvc_gguf_model *model)
{
    const struct kvc_value *list = kvc_gguf_said(model, "ple.layers");
    uint64_t layer = 0;
    if (list == NULL || (list->type == KVC_ARRAY && list->count == 0))
        return KVCAP_OK;
    if (list->type != KVC_ARRAY || list->count != 1 || list->first->type != KVC_NUMBER)
        return kvc_gguf_fail(model, KVC_METADATA_WRONG_TYPE, "ple.layers",
                             "this is no list of one layer");
    if (!kvc_span_u64(list->first->text, &layer) || layer >= model->layers_count ||
        !model->recurs[layer])
        return kvc_gguf_fail(model, KVC_METADATA_OUT_OF_RANGE, "ple.layers",
                             "this is no recurrent layer of the model");
    model->ngram_layer = (uint32_t)layer;
    return KVCAP_OK;
}

static kvcap_code find_ngrams(struct kvc_gguf_model *model)
{
    struct kvc_origin kernel, ngram, hyper, embedding;
    kvcap_code rc = find_ngram_layer(model);
    if (rc != KVCAP_OK || model->ngram_layer == model->layers_count)
        return rc;
    rc = kvc_gguf_at_least(model, "ple.conv_kernel", 1, &kernel);
    if (rc == KVCAP_OK)
        rc = kvc_gguf_at_least(model, "ple.ngram_size", 1, &ngram);
    if (rc == KVCAP_OK)
        rc = kvc_gguf_at_least(model, "hyper_connection.count", 1, &hyper);
    if (rc == KVCAP_OK)
        rc = kvc_gguf_at_least(model, EMBEDDING, 1, &embedding);
    if (rc != KVCAP_OK)
        return rc;
    kvc_u128 width = (kvc_u128)ngram.value * hyper.value * embedding.value;
    if (width > UINT32_MAX)
        return kvc_gguf_fail(model, KVC_METADATA_OUT_OF_RANGE, "ple.ngram_size",
                             "the state is past 2^32-1 elements");
    struct kvc_origin inner = kvc_gguf_derived(model, (uint64_t)width, " * embedding_length * ",
                                               "ple.ngram_size", "hyper_connection.count");
    struct kvc_state_found *state = add_state(&model->ngrams, KVC_RULE_SHORT_CONV);
    kvc_state_put_dim(state, 0, &kernel);
    kvc_state_put_dim(state, 1, &inner);
    return KVCAP_OK;
}

/* ---- Which layers. */

static kvcap_code find_interval(struct kvc_gguf_model *model)
{
    struct kvc_gguf_per_layer flags;
    struct kvc_origin every;
    kvcap_code rc =
        kvc_gguf_per_layer(model, "attention.recurrent_layers", model->layers_count, true, &flags);
    if (rc == KVCAP_OK && flags.of_layer == NULL)
        rc = kvc_gguf_number_or(model, "full_attention_interval", model->arch->full_every, &every);
    if (rc != KVCAP_OK)
        return rc;
    if (flags.of_layer == NULL && every.value == 0)
        return kvc_gguf_fail(model, KVC_METADATA_OUT_OF_RANGE, "full_attention_interval",
                             "the number is not within 1 and 2^32-1");
    for (uint32_t i = 0; i < model->drafts_first; i++)
        model->recurs[i] =
            flags.of_layer != NULL ? flags.of_layer[i] != 0 : (i + UINT64_C(1)) % every.value != 0;
    return KVCAP_OK;
}

static bool recurs(const struct kvc_gguf_model *model, uint32_t i)
{
    bool no_heads = model->kv_heads.of_layer[i] == 0;
    switch (model->arch->recurs) {
    case KVC_GGUF_RECURS_ALL:
    case KVC_GGUF_RECURS_BESIDE:
        return true;
    case KVC_GGUF_RECURS_NO_HEADS:
        return no_heads;
    case KVC_GGUF_RECURS_NO_HEADS_NO_FF:
        return no_heads && model->feed_forward.of_layer[i] == 0;
    default:
        return false;
    }
}

kvcap_code kvc_gguf_find_recurrent(struct kvc_gguf_model *model)
{
    model->recurs = kvc_gguf_flags(model);
    model->ngram_layer = model->layers_count;
    if (model->recurs == NULL)
        return kvc_find_no_memory(&model->finder);
    if (model->arch->recurs == KVC_GGUF_RECURS_NEVER)
        return KVCAP_OK;
    kvcap_code rc = KVCAP_OK;
    if (model->arch->recurs == KVC_GGUF_RECURS_INTERVAL)
        rc = find_interval(model);
    else
        for (uint32_t i = 0; i < model->drafts_first; i++)
            model->recurs[i] = recurs(model, i);
    if (rc == KVCAP_OK)
        rc = find_state(model);
    if (rc == KVCAP_OK && model->arch->extra == KVC_GGUF_EXTRA_NGRAMS)
        rc = find_ngrams(model);
    return rc;
}
