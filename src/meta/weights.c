/* weights.c - see weights.h for the room and its promises. */

#include "meta/weights.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Names. */

/* Where the layers of a decoder stand, as published checkpoints name them.  Towers of other kinds
 * (visual.blocks., vision_tower., mtp.layers., model.encoder.layers.) are not among them. */
static const char *const STACKS[] = {
    "model.layers.",
    "model.language_model.layers.",
    "model.text_model.layers.",
    "language_model.model.layers.",
    "language_model.layers.",
    "thinker.model.layers.",
    "llm.model.layers.",
    "backbone.layers.",
    "transformer.h.",
    "transformer.blocks.",
    "transformer.encoder.layers.",
    "gpt_neox.layers.",
    "layers.",
};

enum { OTHER_PART = KVC_PART_COUNT };

/* What stands behind the layer's number.  Rows are told of the first three; any of them tells the
 * element type of the attention. */
static const struct {
    const char *name;
    unsigned part;
} PARTS[] = {
    { "self_attn.k_proj.weight", KVC_PART_KEY },
    { "self_attn.v_proj.weight", KVC_PART_VALUE },
    { "self_attn.kv_a_proj_with_mqa.weight", KVC_PART_LATENT },
    { "self_attn.q_proj.weight", OTHER_PART },
    { "self_attn.qkv_proj.weight", OTHER_PART },
    { "self_attn.k_proj.weight_packed", KVC_PART_KEY },
    { "self_attn.v_proj.weight_packed", KVC_PART_VALUE },
    { "attention.wk.weight", KVC_PART_KEY },
    { "attention.wv.weight", KVC_PART_VALUE },
    { "attention.wkv_a_with_mqa.weight", KVC_PART_LATENT },
    { "attention.wq.weight", OTHER_PART },
    { "mixer.k_proj.weight", KVC_PART_KEY },
    { "mixer.v_proj.weight", KVC_PART_VALUE },
    { "attn.k_proj.weight", KVC_PART_KEY },
    { "attn.v_proj.weight", KVC_PART_VALUE },
    { "attn.c_attn.weight", OTHER_PART },
    { "self_attention.query_key_value.weight", OTHER_PART },
    { "attention.query_key_value.weight", OTHER_PART },
    { "attention.wqkv.weight", OTHER_PART },
    { "self_attn.W_pack.weight", OTHER_PART },
};

static const char *stack_of(struct kvc_span name)
{
    for (size_t i = 0; i < sizeof STACKS / sizeof STACKS[0]; i++) {
        if (kvc_span_starts(name, STACKS[i]))
            return STACKS[i];
    }
    return NULL;
}

/* The number behind the stack, and what stands behind it. */
static bool split(struct kvc_span name, const char *stack, uint64_t *ret_layer,
                  struct kvc_span *ret_rest)
{
    size_t begin = strlen(stack), end = begin;
    while (end < name.length && name.text[end] != '.')
        end++;
    if (end == name.length ||
        !kvc_span_u64((struct kvc_span){ name.text + begin, end - begin }, ret_layer))
        return false;
    *ret_rest = (struct kvc_span){ name.text + end + 1, name.length - end - 1 };
    return true;
}

/* ---- Adding. */

void kvc_weights_begin(struct kvc_weights *weights, struct kvc_arena *arena)
{
    *weights = (struct kvc_weights){ .arena = arena };
}

static kvcap_code no_memory(kvcap_error *err)
{
    return kvc_fail(err, KVC_MEMORY_FULL, "", "the weights of the model need more memory");
}

static kvcap_code add_file(struct kvc_weights *w, const char *name, kvcap_error *err)
{
    if (w->files_count == UINT16_MAX)
        return kvc_fail(err, KVC_FOLDER_TOO_MANY, "", "a model has at most 65,535 files");
    if (w->files_count == w->files_room) {
        uint16_t room = w->files_room == 0               ? 16
                        : w->files_room > UINT16_MAX / 2 ? UINT16_MAX
                                                         : (uint16_t)(w->files_room * 2);
        const char **bigger = kvc_arena_take(w->arena, room * sizeof *bigger);
        if (bigger == NULL)
            return no_memory(err);
        if (w->files_count > 0)
            memcpy(bigger, w->files, w->files_count * sizeof *bigger);
        w->files = bigger;
        w->files_room = room;
    }
    w->files[w->files_count++] = name;
    return KVCAP_OK;
}

/* Room for a layer; all up to it are then counted. */
static kvcap_code reach_layer(struct kvc_weights *w, uint32_t layer, kvcap_error *err)
{
    if (layer < w->layers_count)
        return KVCAP_OK;
    if (layer >= w->layers_room) {
        uint32_t room = w->layers_room == 0 ? 64 : w->layers_room;
        while (room <= layer)
            room *= 2;
        struct kvc_layer_weights *bigger = kvc_arena_array(w->arena, room, sizeof *bigger);
        if (bigger == NULL)
            return no_memory(err);
        if (w->layers_count > 0)
            memcpy(bigger, w->layers, w->layers_count * sizeof *bigger);
        w->layers = bigger;
        w->layers_room = room;
    }
    w->layers_count = layer + 1;
    return KVCAP_OK;
}

static void note_type(struct kvc_weights *w, const struct kvc_tensor *tensor)
{
    const char *name = kvc_tensor_type_name(tensor->type);
    if (w->attention_type == NULL && !w->attention_mixed)
        w->attention_type = name;
    if (w->attention_type != NULL && strcmp(w->attention_type, name) != 0) {
        w->attention_type = NULL;
        w->attention_mixed = true;
    }
}

static void note_part(struct kvc_weights *w, uint32_t layer, struct kvc_span rest,
                      const struct kvc_tensor *tensor)
{
    for (size_t i = 0; i < sizeof PARTS / sizeof PARTS[0]; i++) {
        if (!kvc_span_is(rest, PARTS[i].name))
            continue;
        /* bitsandbytes keeps a matrix as one column: its rows say nothing. */
        if (tensor->dims_count != 2 || tensor->dims[1] <= 1)
            return;
        note_type(w, tensor);
        if (PARTS[i].part == OTHER_PART)
            return;
        struct kvc_layer_weights *at = &w->layers[layer];
        at->rows[PARTS[i].part] = tensor->dims[0];
        at->names[PARTS[i].part] = PARTS[i].name;
        at->files[PARTS[i].part] = (uint16_t)(w->files_count - 1);
        return;
    }
}

static kvcap_code add_tensor(struct kvc_weights *w, const struct kvc_tensor *tensor,
                             kvcap_error *err)
{
    uint64_t layer;
    struct kvc_span rest;
    const char *stack = stack_of(tensor->name);
    if (stack == NULL || !split(tensor->name, stack, &layer, &rest))
        return KVCAP_OK;
    if (w->stack != NULL && w->stack != stack) {
        w->also_stack = stack;
        return KVCAP_OK;
    }
    w->stack = stack;
    /* One past the limit tells as much as any number beyond. */
    if (layer >= KVC_WEIGHTS_LAYERS_MAX)
        layer = KVC_WEIGHTS_LAYERS_MAX;
    kvcap_code rc = reach_layer(w, (uint32_t)layer, err);
    if (rc == KVCAP_OK)
        note_part(w, (uint32_t)layer, rest, tensor);
    return rc;
}

kvcap_code kvc_weights_add(struct kvc_weights *weights, const char *name,
                           const struct kvc_safetensors *header, kvcap_error *err)
{
    kvcap_code rc = add_file(weights, name, err);
    if (rc == KVCAP_OK &&
        __builtin_add_overflow(weights->data_bytes, header->data_bytes, &weights->data_bytes))
        return kvc_fail(err, KVC_RANGE_OVERFLOW, "", "the bytes of all weights pass 64 bits");
    for (unsigned i = 0; i < KVC_TENSOR_TYPE_COUNT; i++)
        weights->type_bytes[i] += header->type_bytes[i];
    weights->tensors_count += header->tensors_count;
    for (size_t i = 0; i < header->tensors_count && rc == KVCAP_OK; i++)
        rc = add_tensor(weights, &header->tensors[i], err);
    return rc;
}

/* ---- In words. */

void kvc_weights_words(const struct kvc_weights *weights, char ret_words[KVC_WEIGHTS_WORDS])
{
    bool told[KVC_TENSOR_TYPE_COUNT] = { false };
    size_t used = 0;
    ret_words[0] = '\0';
    for (;;) {
        unsigned most = KVC_TENSOR_TYPE_COUNT;
        for (unsigned i = 0; i < KVC_TENSOR_TYPE_COUNT; i++) {
            bool is_more =
                most == KVC_TENSOR_TYPE_COUNT || weights->type_bytes[i] > weights->type_bytes[most];
            if (!told[i] && weights->type_bytes[i] > 0 && is_more)
                most = i;
        }
        if (most == KVC_TENSOR_TYPE_COUNT)
            return;
        told[most] = true;
        int length = snprintf(
            ret_words + used, KVC_WEIGHTS_WORDS - used, "%s%s %" PRIu64, used == 0 ? "" : ", ",
            kvc_tensor_type_name((enum kvc_tensor_type)most), weights->type_bytes[most]);
        if (length < 0 || (size_t)length >= KVC_WEIGHTS_WORDS - used)
            return;
        used += (size_t)length;
    }
}
