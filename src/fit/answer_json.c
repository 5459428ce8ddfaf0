/* answer_json.c - see answer_json.h for the room and its promises. */

#include "fit/answer_json.h"

static inline void put_maybe(struct kvc_fit_text *t, const char *key, struct kvc_maybe number)
{
    if (number.said)
        kvc_fit_put_u64(t, key, number.value);
}

static inline void put_word(struct kvc_fit_text *t, const char *key, const char *word)
{
    kvc_fit_put_text(t, key, kvc_span_of(word));
}

static void put_range(struct kvc_fit_text *t, const char *key, const struct kvc_fit_range *range)
{
    if (!range->said)
        return;
    kvc_fit_open(t, key, '[');
    kvc_fit_put_u64(t, NULL, range->least);
    kvc_fit_put_u64(t, NULL, range->most);
    kvc_fit_close(t, ']');
}

static void put_decision(struct kvc_fit_text *t, enum kvc_decision decision)
{
    if (decision != KVC_DECISION_NONE)
        put_word(t, "decision", kvc_decision_name(decision));
}

/* Two numbers that stand in an object of their own, which is absent where neither is said. */
static void put_pair(struct kvc_fit_text *t, const char *key, const char *first_key,
                     struct kvc_maybe first, const char *second_key, struct kvc_maybe second)
{
    if (!first.said && !second.said)
        return;
    kvc_fit_open(t, key, '{');
    put_maybe(t, first_key, first);
    put_maybe(t, second_key, second);
    kvc_fit_close(t, '}');
}

static void put_group(struct kvc_fit_text *t, const struct kvc_answer_group *group)
{
    kvc_fit_open(t, NULL, '{');
    put_word(t, "kind", group->kind);
    kvc_fit_put_u64(t, "layers", group->layers);
    kvc_fit_put_u64(t, "block_tokens", group->block_tokens);
    kvc_fit_put_u64(t, "page_bytes", group->page_bytes);
    put_maybe(t, "blocks_per_request", group->blocks_per_request);
    kvc_fit_close(t, '}');
}

static void put_pool(struct kvc_fit_text *t, const struct kvc_fit *fit)
{
    const struct kvc_answer *a = &fit->answer;
    if (a->groups_count == 0 && !a->num_blocks.said && !fit->num_blocks.said)
        return;
    kvc_fit_open(t, "pool", '{');
    put_maybe(t, "num_blocks", a->num_blocks);
    put_range(t, "num_blocks_range", &fit->num_blocks);
    put_maybe(t, "block_tokens", a->block_tokens);
    put_maybe(t, "bytes_per_block", a->block_bytes);
    kvc_fit_open(t, "groups", '[');
    for (uint32_t i = 0; i < a->groups_count; i++)
        put_group(t, &a->groups[i]);
    kvc_fit_close(t, ']');
    kvc_fit_close(t, '}');
}

static void put_pools(struct kvc_fit_text *t, const struct kvc_answer *a)
{
    if (a->pools_count == 0)
        return;
    kvc_fit_open(t, "pools", '[');
    for (uint32_t i = 0; i < a->pools_count; i++) {
        const struct kvc_answer_pool *pool = &a->pools[i];
        kvc_fit_open(t, NULL, '{');
        put_word(t, "kind", pool->kind);
        put_maybe(t, "tokens", pool->tokens);
        put_maybe(t, "page_tokens", pool->page_tokens);
        put_maybe(t, "slots", pool->slots);
        kvc_fit_put_u64(t, "bytes", pool->bytes);
        kvc_fit_close(t, '}');
    }
    kvc_fit_close(t, ']');
}

static void put_caches(struct kvc_fit_text *t, const struct kvc_answer *a)
{
    if (a->caches_count == 0)
        return;
    kvc_fit_open(t, "caches", '[');
    for (uint32_t i = 0; i < a->caches_count; i++) {
        const struct kvc_answer_cache *cache = &a->caches[i];
        kvc_fit_open(t, NULL, '{');
        put_word(t, "kind", cache->kind);
        put_maybe(t, "cells", cache->cells);
        put_maybe(t, "layers", cache->layers);
        put_maybe(t, "streams", cache->streams);
        put_maybe(t, "k_bytes", cache->k_bytes);
        put_maybe(t, "v_bytes", cache->v_bytes);
        put_maybe(t, "r_bytes", cache->r_bytes);
        put_maybe(t, "s_bytes", cache->s_bytes);
        put_maybe(t, "bytes", cache->bytes);
        kvc_fit_close(t, '}');
    }
    kvc_fit_close(t, ']');
}

static void put_devices(struct kvc_fit_text *t, const struct kvc_answer *a)
{
    static const char *const LABELS[] = { "declared", "derived", "estimated", "measured",
                                          "unknown" };
    if (a->devices_count == 0)
        return;
    kvc_fit_open(t, "devices", '[');
    for (uint32_t i = 0; i < a->devices_count; i++) {
        const struct kvc_answer_device *device = &a->devices[i];
        kvc_fit_open(t, NULL, '{');
        put_word(t, "name", device->name);
        put_maybe(t, "weights_bytes", device->weights_bytes);
        put_maybe(t, "cache_bytes", device->cache_bytes);
        put_maybe(t, "compute_bytes", device->compute_bytes);
        put_maybe(t, "total_bytes", device->total_bytes);
        put_maybe(t, "layers", device->layers);
        put_word(t, "label", LABELS[device->label]);
        kvc_fit_close(t, '}');
    }
    kvc_fit_close(t, ']');
}

static void put_refusal(struct kvc_fit_text *t, const struct kvc_fit *fit)
{
    const struct kvc_answer *a = &fit->answer;
    bool is_no =
        a->decision == KVC_DECISION_EXCEEDS_CAPACITY || a->decision == KVC_DECISION_REFUSED;
    if (!is_no || (a->refusal_text.text == NULL && !a->needed_bytes.said))
        return;
    kvc_fit_open(t, "refusal", '{');
    if (a->refusal_text.text != NULL)
        kvc_fit_put_text(t, "text", a->refusal_text);
    put_maybe(t, "needed_bytes", a->needed_bytes);
    put_maybe(t, "available_bytes", a->available_bytes);
    put_range(t, "available_bytes_range", &fit->available_bytes);
    put_maybe(t, "estimated_max_model_len", a->estimated_max_model_len);
    put_range(t, "estimated_max_model_len_range", &fit->estimated_max_model_len);
    kvc_fit_close(t, '}');
}

static void put_lines(struct kvc_fit_text *t, const struct kvc_answer *a)
{
    if (a->lines_count == 0)
        return;
    kvc_fit_open(t, "engine_lines", '[');
    for (uint32_t i = 0; i < a->lines_count; i++)
        kvc_fit_put_text(t, NULL, a->lines[i]);
    kvc_fit_close(t, ']');
}

static void put_notes(struct kvc_fit_text *t, const struct kvc_answer *a)
{
    kvc_fit_open(t, "notes", '[');
    for (size_t i = 0; i < a->notes.count; i++) {
        kvc_fit_open(t, NULL, '{');
        put_word(t, "code", a->notes.list[i].code);
        put_word(t, "text", a->notes.list[i].text);
        kvc_fit_close(t, '}');
    }
    kvc_fit_close(t, ']');
}

static void put_undetermined(struct kvc_fit_text *t, const struct kvc_answer *a)
{
    if (a->undetermined_count == 0)
        return;
    kvc_fit_open(t, "undetermined", '[');
    for (uint32_t i = 0; i < a->undetermined_count; i++) {
        const struct kvc_answer_undetermined *entry = &a->undetermined[i];
        kvc_fit_open(t, NULL, '{');
        put_maybe(t, "layer", entry->layer);
        kvc_fit_put_text(t, "key", entry->key);
        kvc_fit_put_text(t, "reason", entry->reason);
        if (entry->answers[0].text != NULL) {
            kvc_fit_open(t, "answers", '[');
            kvc_fit_put_text(t, NULL, entry->answers[0]);
            kvc_fit_put_text(t, NULL, entry->answers[1]);
            kvc_fit_close(t, ']');
        }
        kvc_fit_close(t, '}');
    }
    kvc_fit_close(t, ']');
}

static void put_concurrency(struct kvc_fit_text *t, const struct kvc_answer *a)
{
    if (a->max_concurrency.text != NULL)
        kvc_fit_put_text(t, "max_concurrency", a->max_concurrency);
    if (!a->ratio_over.said || !a->ratio_under.said)
        return;
    kvc_fit_open(t, "max_concurrency_ratio", '[');
    kvc_fit_put_u64(t, NULL, a->ratio_over.value);
    kvc_fit_put_u64(t, NULL, a->ratio_under.value);
    kvc_fit_close(t, ']');
}

bool kvc_fit_write(const struct kvc_fit *fit, const struct kvc_fit_frame *frame,
                   struct kvc_fit_text *t)
{
    const struct kvc_answer *a = &fit->answer;
    if (frame->id.text != NULL)
        kvc_fit_put_text(t, "id", frame->id);
    if (frame->engine.text != NULL)
        kvc_fit_put_text(t, "engine", frame->engine);
    put_decision(t, a->decision);
    put_pair(t, "logical", "bytes_per_token", a->logical_token_bytes, "bytes_per_sequence",
             a->logical_sequence_bytes);
    put_pair(t, "reserved", "bytes_per_sequence", a->reserved_sequence_bytes, "bytes_total",
             a->reserved_total_bytes);
    put_pool(t, fit);
    put_pools(t, a);
    put_caches(t, a);
    put_devices(t, a);
    put_maybe(t, "tokens", a->tokens);
    put_range(t, "tokens_range", &fit->tokens);
    put_concurrency(t, a);
    put_maybe(t, "max_model_len", a->max_model_len);
    put_maybe(t, "max_running_requests", a->max_running_requests);
    put_refusal(t, fit);
    if (!frame->core)
        put_lines(t, a);
    if (!frame->core)
        put_notes(t, a);
    put_undetermined(t, a);
    return !t->unsafe;
}

void kvc_fit_write_error(struct kvc_span id, const kvcap_error *err, struct kvc_fit_text *t)
{
    kvc_fit_open(t, NULL, '{');
    if (id.text != NULL)
        kvc_fit_put_text(t, "id", id);
    kvc_fit_open(t, "error", '{');
    put_word(t, "code", err->slug);
    put_word(t, "at", err->at);
    put_word(t, "text", err->text);
    kvc_fit_close(t, '}');
    kvc_fit_close(t, '}');
}
