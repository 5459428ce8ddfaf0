/* describe.c - see describe.h for the room and its promises. */

#include "record/describe.h"

static void put_text(struct kvc_build *b, struct kvc_value *parent, const char *key,
                     const char *text)
{
    kvc_build_text(b, parent, key, kvc_span_of(text));
}

static const char *format_word(enum kvc_format format)
{
    return format == KVC_FORMAT_NONE ? "model" : kvc_format_name(format);
}

static void put_heads(struct kvc_build *b, struct kvc_value *object, const struct kvc_state *state)
{
    kvc_build_u64(b, object, "kv_heads", state->kv_heads);
    kvc_build_u64(b, object, "key_dim", state->key_dim);
    kvc_build_u64(b, object, "value_dim", state->value_dim);
}

static void put_recurrent(struct kvc_build *b, struct kvc_value *object,
                          const struct kvc_state *state)
{
    const struct kvc_rule_row *row = kvc_rule_row(state->rule);
    put_text(b, object, "rule", row->name);
    for (size_t i = 0; i < KVC_RULE_DIMS_MAX && row->fields[i] != NULL; i++)
        kvc_build_u64(b, object, row->fields[i], state->dims[i]);
    if (row->has_conv)
        put_text(b, object, "conv_format", format_word(state->conv_format));
    if (row->has_state)
        put_text(b, object, "state_format", format_word(state->state_format));
}

static void put_optional(struct kvc_build *b, struct kvc_value *object, const char *key,
                         uint64_t value, uint64_t absent)
{
    if (value != absent)
        kvc_build_u64(b, object, key, value);
}

static void put_state(struct kvc_build *b, struct kvc_value *list, const struct kvc_state *state)
{
    struct kvc_value *object = kvc_build_object(b, list, NULL);
    put_text(b, object, "state", kvc_state_name(state->kind));
    switch (state->kind) {
    case KVC_STATE_KV:
    case KVC_STATE_CROSS:
        put_heads(b, object, state);
        break;
    case KVC_STATE_KV_WINDOW:
        put_heads(b, object, state);
        kvc_build_u64(b, object, "window_tokens", state->window_tokens);
        put_text(b, object, "window", state->chunked ? "chunked" : "sliding");
        break;
    case KVC_STATE_LATENT:
        kvc_build_u64(b, object, "latent_dim", state->latent_dim);
        put_optional(b, object, "rope_dim", state->rope_dim, 0);
        put_optional(b, object, "window_tokens", state->window_tokens, 0);
        put_optional(b, object, "compress_ratio", state->compress_ratio, 1);
        break;
    case KVC_STATE_INDEX:
        kvc_build_u64(b, object, "index_dim", state->index_dim);
        put_text(b, object, "format", state->index_fp8 ? "fp8_index" : "cache_k");
        put_optional(b, object, "value_dim", state->value_dim, 0);
        put_optional(b, object, "compress_ratio", state->compress_ratio, 1);
        break;
    case KVC_STATE_RECURRENT:
        put_recurrent(b, object, state);
        break;
    case KVC_STATE_SHARED:
        kvc_build_u64(b, object, "layer", state->layer);
        break;
    case KVC_STATE_UNKNOWN:
        kvc_build_text(b, object, "key", state->key);
        kvc_build_text(b, object, "reason", state->reason);
        break;
    default:
        break;
    }
}

static void put_runs(struct kvc_build *b, struct kvc_value *parent, const char *key,
                     const struct kvc_run *runs, uint32_t runs_count)
{
    struct kvc_value *list = kvc_build_array(b, parent, key);
    for (uint32_t i = 0; i < runs_count; i++) {
        struct kvc_value *pair = kvc_build_array(b, list, NULL);
        kvc_build_u64(b, pair, NULL, runs[i].count);
        kvc_build_u64(b, pair, NULL, runs[i].type);
    }
}

void kvc_describe_architecture(struct kvc_build *b, struct kvc_value *parent,
                               const struct kvc_shape *shape)
{
    struct kvc_value *architecture = kvc_build_object(b, parent, "architecture");
    struct kvc_value *types = kvc_build_array(b, architecture, "layer_types");
    for (uint32_t i = 0; i < shape->types_count; i++) {
        struct kvc_value *type = kvc_build_object(b, types, NULL);
        struct kvc_value *states = kvc_build_array(b, type, "states");
        for (uint32_t j = 0; j < shape->types[i].states_count; j++)
            put_state(b, states, &shape->types[i].states[j]);
    }
    put_runs(b, architecture, "layers", shape->runs, shape->runs_count);
    if (shape->draft_runs_count > 0)
        put_runs(b, architecture, "draft_layers", shape->draft_runs, shape->draft_runs_count);
}

static void put_artefact(struct kvc_build *b, struct kvc_value *model,
                         const struct kvc_artefact *artefact)
{
    struct kvc_value *object = kvc_build_object(b, model, "artefact");
    put_text(b, object, "format", artefact->format);
    if (artefact->sha256.text == NULL)
        return;
    kvc_build_text(b, object, "sha256", artefact->sha256);
    kvc_build_u64(b, object, "bytes", artefact->bytes);
}

static void put_sources(struct kvc_build *b, struct kvc_value *model, const struct kvc_found *found)
{
    struct kvc_value *list = kvc_build_array(b, model, "sources");
    for (size_t i = 0; i < found->sources_count; i++) {
        struct kvc_value *source = kvc_build_object(b, list, NULL);
        kvc_build_text(b, source, "at", found->sources[i].at);
        put_text(b, source, "how", found->sources[i].how);
        kvc_build_text(b, source, "from", found->sources[i].from);
    }
}

struct kvc_value *kvc_describe_model(const struct kvc_found *found,
                                     const struct kvc_artefact *artefact, struct kvc_arena *arena)
{
    struct kvc_build b = { .arena = arena };
    struct kvc_value *model = kvc_build_object(&b, NULL, NULL);
    put_text(&b, model, "kind", "kv-model");
    kvc_build_u64(&b, model, "version", 1);
    kvc_build_text(&b, model, "name", artefact->name);
    kvc_build_text(&b, model, "revision", artefact->revision);
    put_artefact(&b, model, artefact);
    kvc_build_text(&b, model, "family", found->family);
    put_text(&b, model, "dtype", kvc_format_name(found->dtype));
    put_optional(&b, model, "context_tokens", found->context_tokens, 0);
    put_optional(&b, model, "query_heads", found->query_heads, 0);
    put_optional(&b, model, "weights_bytes", found->weights_bytes, 0);
    kvc_describe_architecture(&b, model, &found->shape);
    put_sources(&b, model, found);
    return b.full ? NULL : model;
}
