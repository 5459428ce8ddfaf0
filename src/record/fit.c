/* fit.c - kv-fit: what an engine at a version will allocate, print and refuse.  Declared in record.h.
 *
 * The members of an answer are those of a batch line (doc/fit.md): what does not apply is absent.  What is
 * checked here is their form; that the numbers follow from model, settings and memory is for verify. */

#include <string.h>

#include "record/record.h"

static const struct kvc_key FIT_KEYS[] = {
    KVC_HEAD_KEYS,
    { "model", false },
    { "engine", false },
    { "engine_defaulted", false },
    { "rules", false },
    { "claim", false },
    { "command", true },
    { "settings", false },
    { "ignored", false },
    { "memory", true },
    { "decision", true },
    { "logical", true },
    { "reserved", true },
    { "pool", true },
    { "pools", true },
    { "caches", true },
    { "devices", true },
    { "tokens", true },
    { "tokens_range", true },
    { "max_concurrency", true },
    { "max_concurrency_ratio", true },
    { "max_model_len", true },
    { "max_running_requests", true },
    { "refusal", true },
    { "engine_lines", true },
    { "notes", false },
    { "undetermined", true },
};

#define LIST_MAX UINT16_MAX

static void read_flag(struct kvc_reader *r, const struct kvc_value *object, const char *key)
{
    const struct kvc_value *flag = kvc_value_member(object, key);
    if (r->rc == KVCAP_OK && flag != NULL && flag->type != KVC_TRUE && flag->type != KVC_FALSE)
        kvc_refuse(r, KVC_RECORD_WRONG_TYPE, flag, "true or false is due here");
}

static void read_optional_n0(struct kvc_reader *r, const struct kvc_value *object, const char *key)
{
    if (kvc_has(object, key))
        kvc_read_n0(r, object, key);
}

static void read_names(struct kvc_reader *r, const struct kvc_value *tree, const char *key,
                       size_t bytes_max)
{
    const struct kvc_value *list = kvc_read_array(r, tree, key, 0, LIST_MAX);
    if (list == NULL)
        return;
    for (const struct kvc_value *e = list->first; e != NULL && r->rc == KVCAP_OK; e = e->next)
        kvc_read_value_name(r, e, bytes_max);
}

/* An object whose members are counts, each of which may be absent; one of them at least is there. */
static void read_counts(struct kvc_reader *r, const struct kvc_value *object,
                        const struct kvc_key *keys, size_t keys_count)
{
    object = kvc_read_keys(r, object, keys, keys_count);
    if (object == NULL)
        return;
    for (const struct kvc_value *e = object->first; e != NULL && r->rc == KVCAP_OK; e = e->next)
        kvc_read_value_u64(r, e, 0, KVC_SAFE_MAX);
}

/* Two numbers, the first not above the second where they are a range. */
static void read_two(struct kvc_reader *r, const struct kvc_value *object, const char *key,
                     bool is_range)
{
    if (!kvc_has(object, key))
        return;
    const struct kvc_value *list = kvc_read_array(r, object, key, 2, 2);
    if (list == NULL)
        return;
    uint64_t first = kvc_read_value_u64(r, list->first, 0, KVC_SAFE_MAX);
    uint64_t second = kvc_read_value_u64(r, list->last, 0, KVC_SAFE_MAX);
    if (is_range && first > second)
        kvc_refuse(r, KVC_RECORD_OUT_OF_RANGE, list, "the least of a range stands first");
}

/* ---- What was asked. */

static void read_memory_entry(struct kvc_reader *r, const struct kvc_value *value)
{
    static const struct kvc_key DEVICE[] = { { "name", true },
                                             { "free_bytes", true },
                                             { "total_bytes", true } };
    if (value->type == KVC_OBJECT) {
        const struct kvc_value *device = kvc_read_keys(r, value, DEVICE, KVC_COUNT_OF(DEVICE));
        read_optional_n0(r, device, "free_bytes");
        read_optional_n0(r, device, "total_bytes");
        if (kvc_has(device, "name"))
            kvc_read_name(r, device, "name");
    } else if (value->type == KVC_STRING) {
        kvc_read_value_name(r, value, KVC_NAME_BYTES_MAX);
    } else {
        kvc_read_value_u64(r, value, 0, KVC_SAFE_MAX);
    }
}

/* As it was given: bytes are integers, printed GiB and the name of a device are text. */
static void read_memory(struct kvc_reader *r, const struct kvc_value *tree)
{
    static const struct kvc_key KEYS[] = {
        { "available_kv_bytes", true },
        { "available_kv_gib", true },
        { "budget_bytes", true },
        { "device_total_bytes", true },
        { "device_total_gib", true },
        { "device_free_bytes", true },
        { "device_free_gib", true },
        { "weights_bytes", true },
        { "weights_gib", true },
        { "activation_bytes", true },
        { "activation_gib", true },
        { "non_torch_bytes", true },
        { "non_torch_gib", true },
        { "cuda_graph_bytes", true },
        { "cuda_graph_gib", true },
        { "host_total_bytes", true },
        { "host_total_gib", true },
        { "devices", true },
        { "device", true },
    };
    if (!kvc_has(tree, "memory"))
        return;
    const struct kvc_value *memory = kvc_read_object(r, tree, "memory", KEYS, KVC_COUNT_OF(KEYS));
    if (memory == NULL)
        return;
    for (const struct kvc_value *e = memory->first; e != NULL && r->rc == KVCAP_OK; e = e->next) {
        if (e->type != KVC_ARRAY) {
            read_memory_entry(r, e);
            continue;
        }
        for (const struct kvc_value *f = e->first; f != NULL && r->rc == KVCAP_OK; f = f->next)
            read_memory_entry(r, f);
    }
}

/* ---- The answer. */

static void read_entry_list(struct kvc_reader *r, const struct kvc_value *object, const char *key,
                            void (*read_one)(struct kvc_reader *r, const struct kvc_value *value))
{
    if (!kvc_has(object, key))
        return;
    const struct kvc_value *list = kvc_read_array(r, object, key, 0, LIST_MAX);
    if (list == NULL)
        return;
    for (const struct kvc_value *e = list->first; e != NULL && r->rc == KVCAP_OK; e = e->next)
        read_one(r, e);
}

static void read_group(struct kvc_reader *r, const struct kvc_value *value)
{
    static const struct kvc_key KEYS[] = { { "kind", false },
                                           { "layers", false },
                                           { "block_tokens", false },
                                           { "page_bytes", false },
                                           { "blocks_per_request", true } };
    const struct kvc_value *group = kvc_read_keys(r, value, KEYS, KVC_COUNT_OF(KEYS));
    kvc_read_name(r, group, "kind");
    kvc_read_n0(r, group, "layers");
    kvc_read_n1(r, group, "block_tokens");
    kvc_read_n0(r, group, "page_bytes");
    read_optional_n0(r, group, "blocks_per_request");
}

static void read_pool(struct kvc_reader *r, const struct kvc_value *tree)
{
    static const struct kvc_key KEYS[] = { { "num_blocks", true },
                                           { "num_blocks_range", true },
                                           { "block_tokens", true },
                                           { "bytes_per_block", true },
                                           { "groups", false } };
    if (!kvc_has(tree, "pool"))
        return;
    const struct kvc_value *pool = kvc_read_object(r, tree, "pool", KEYS, KVC_COUNT_OF(KEYS));
    read_optional_n0(r, pool, "num_blocks");
    read_two(r, pool, "num_blocks_range", true);
    read_optional_n0(r, pool, "block_tokens");
    read_optional_n0(r, pool, "bytes_per_block");
    read_entry_list(r, pool, "groups", read_group);
}

/* An entry with a kind (or a name, a label) and counts. */
static void read_words_and_counts(struct kvc_reader *r, const struct kvc_value *entry,
                                  const struct kvc_key *keys, size_t keys_count)
{
    entry = kvc_read_keys(r, entry, keys, keys_count);
    if (entry == NULL)
        return;
    for (const struct kvc_value *e = entry->first; e != NULL && r->rc == KVCAP_OK; e = e->next) {
        if (kvc_span_is(e->key, "kind") || kvc_span_is(e->key, "name") ||
            kvc_span_is(e->key, "label"))
            kvc_read_value_name(r, e, KVC_NAME_BYTES_MAX);
        else
            kvc_read_value_u64(r, e, 0, KVC_SAFE_MAX);
    }
}

static void read_pools_entry(struct kvc_reader *r, const struct kvc_value *value)
{
    static const struct kvc_key KEYS[] = { { "kind", false },
                                           { "tokens", true },
                                           { "page_tokens", true },
                                           { "slots", true },
                                           { "bytes", false } };
    read_words_and_counts(r, value, KEYS, KVC_COUNT_OF(KEYS));
}

static void read_cache(struct kvc_reader *r, const struct kvc_value *value)
{
    static const struct kvc_key KEYS[] = { { "kind", false },   { "cells", true },
                                           { "layers", true },  { "streams", true },
                                           { "k_bytes", true }, { "v_bytes", true },
                                           { "r_bytes", true }, { "s_bytes", true },
                                           { "bytes", true } };
    read_words_and_counts(r, value, KEYS, KVC_COUNT_OF(KEYS));
}

static void read_device(struct kvc_reader *r, const struct kvc_value *value)
{
    static const struct kvc_key KEYS[] = {
        { "name", false },         { "weights_bytes", true }, { "cache_bytes", true },
        { "compute_bytes", true }, { "total_bytes", true },   { "layers", true },
        { "label", false },
    };
    static const char *const LABELS[] = { "declared", "derived", "estimated", "measured",
                                          "unknown" };
    read_words_and_counts(r, value, KEYS, KVC_COUNT_OF(KEYS));
    kvc_read_word(r, value, "label", LABELS, KVC_COUNT_OF(LABELS));
}

static void read_refusal(struct kvc_reader *r, const struct kvc_value *tree)
{
    static const struct kvc_key KEYS[] = { { "text", true },
                                           { "needed_bytes", true },
                                           { "available_bytes", true },
                                           { "available_bytes_range", true },
                                           { "estimated_max_model_len", true },
                                           { "estimated_max_model_len_range", true } };
    if (!kvc_has(tree, "refusal"))
        return;
    const struct kvc_value *refusal = kvc_read_object(r, tree, "refusal", KEYS, KVC_COUNT_OF(KEYS));
    if (kvc_has(refusal, "text"))
        kvc_read_value_name(r, kvc_value_member(refusal, "text"), KVC_LONG_TEXT_BYTES_MAX);
    read_optional_n0(r, refusal, "needed_bytes");
    read_optional_n0(r, refusal, "available_bytes");
    read_optional_n0(r, refusal, "estimated_max_model_len");
    read_two(r, refusal, "available_bytes_range", true);
    read_two(r, refusal, "estimated_max_model_len_range", true);
}

static void read_note(struct kvc_reader *r, const struct kvc_value *value)
{
    static const struct kvc_key KEYS[] = { { "code", false }, { "text", false } };
    const struct kvc_value *note = kvc_read_keys(r, value, KEYS, KVC_COUNT_OF(KEYS));
    kvc_read_name(r, note, "code");
    kvc_read_value_name(r, kvc_value_member(note, "text"), KVC_LONG_TEXT_BYTES_MAX);
}

static void read_undetermined_entry(struct kvc_reader *r, const struct kvc_value *value)
{
    static const struct kvc_key KEYS[] = {
        { "layer", true }, { "key", false }, { "reason", false }, { "answers", true }
    };
    const struct kvc_value *entry = kvc_read_keys(r, value, KEYS, KVC_COUNT_OF(KEYS));
    read_optional_n0(r, entry, "layer");
    kvc_read_name(r, entry, "key");
    kvc_read_name(r, entry, "reason");
    if (kvc_has(entry, "answers"))
        read_names(r, entry, "answers", KVC_LONG_TEXT_BYTES_MAX);
}

static void read_concurrency(struct kvc_reader *r, const struct kvc_value *tree)
{
    if (kvc_has(tree, "max_concurrency"))
        kvc_read_name(r, tree, "max_concurrency");
    read_two(r, tree, "max_concurrency_ratio", false);
}

/* UNDETERMINED goes with a list of what cannot be said, and nothing else does. */
static void read_decision(struct kvc_reader *r, const struct kvc_value *tree)
{
    static const char *const DECISIONS[] = { "FIT", "EXCEEDS_CAPACITY", "REFUSED", "UNDETERMINED" };
    bool undetermined = false;
    if (kvc_has(tree, "decision"))
        undetermined = kvc_read_word(r, tree, "decision", DECISIONS, 4) == 3;
    if (r->rc == KVCAP_OK && kvc_has(tree, "undetermined") != undetermined)
        kvc_refuse_member(r, KVC_RECORD_UNKNOWN_KEY, tree, "undetermined",
                          "it stands beside the decision UNDETERMINED, and there it must");
    read_entry_list(r, tree, "undetermined", read_undetermined_entry);
}

static void read_sizes(struct kvc_reader *r, const struct kvc_value *tree, const char *key,
                       const char *first, const char *second)
{
    const struct kvc_key keys[] = { { first, true }, { second, true } };
    if (kvc_has(tree, key))
        read_counts(r, kvc_value_member(tree, key), keys, 2);
}

/* The engine `logical` has two settings and one answer: each is there. */
static void read_logical(struct kvc_reader *r, const struct kvc_value *tree)
{
    const struct kvc_value *settings = kvc_value_member(tree, "settings");
    enum kvc_format format;
    if (r->rc != KVCAP_OK || !kvc_span_is(kvc_value_member(tree, "engine")->text, "logical"))
        return;
    struct kvc_span dtype = kvc_read_text(r, settings, "kv_cache_dtype");
    if (r->rc == KVCAP_OK && !kvc_span_is(dtype, "auto") && !kvc_format_said(dtype, &format))
        kvc_refuse_member(r, KVC_RECORD_UNKNOWN_WORD, settings, "kv_cache_dtype",
                          "no format has this name");
    kvc_read_n1(r, settings, "max_model_len");
    if (r->rc == KVCAP_OK && !kvc_has(tree, "undetermined") && !kvc_has(tree, "logical"))
        kvc_refuse_member(r, KVC_RECORD_MISSING_KEY, tree, "logical", "the key logical is missing");
}

static void read_engine(struct kvc_reader *r, const struct kvc_value *tree)
{
    static const char *const ENGINES[] = { "logical", "paged", "vllm@", "llama.cpp@" };
    struct kvc_span engine = kvc_read_name(r, tree, "engine");
    bool known = kvc_span_is(engine, ENGINES[0]) || kvc_span_is(engine, ENGINES[1]) ||
                 kvc_span_starts(engine, ENGINES[2]) || kvc_span_starts(engine, ENGINES[3]);
    if (r->rc == KVCAP_OK && !known)
        kvc_refuse_member(r, KVC_FIT_ENGINE, tree, "engine", "this program knows no such engine");
}

void kvc_fit_read(struct kvc_reader *r, const struct kvc_value *tree)
{
    static const char *const CLAIMS[] = { KVC_CLAIM_OF_FIT };
    read_engine(r, tree);
    tree = kvc_read_keys(r, tree, FIT_KEYS, KVC_COUNT_OF(FIT_KEYS));
    kvc_read_id(r, tree, "model", KVC_KIND_MODEL);
    read_flag(r, tree, "engine_defaulted");
    kvc_read_name(r, tree, "rules");
    kvc_read_word(r, tree, "claim", CLAIMS, 1);
    if (kvc_has(tree, "command"))
        read_names(r, tree, "command", KVC_LONG_TEXT_BYTES_MAX);
    kvc_read_settings(r, tree);
    read_logical(r, tree);
    read_names(r, tree, "ignored", KVC_LONG_TEXT_BYTES_MAX);
    read_memory(r, tree);
    read_decision(r, tree);
    read_sizes(r, tree, "logical", "bytes_per_token", "bytes_per_sequence");
    read_sizes(r, tree, "reserved", "bytes_per_sequence", "bytes_total");
    read_pool(r, tree);
    read_entry_list(r, tree, "pools", read_pools_entry);
    read_entry_list(r, tree, "caches", read_cache);
    read_entry_list(r, tree, "devices", read_device);
    read_optional_n0(r, tree, "tokens");
    read_two(r, tree, "tokens_range", true);
    read_concurrency(r, tree);
    read_optional_n0(r, tree, "max_model_len");
    read_optional_n0(r, tree, "max_running_requests");
    read_refusal(r, tree);
    if (kvc_has(tree, "engine_lines"))
        read_names(r, tree, "engine_lines", KVC_LONG_TEXT_BYTES_MAX);
    read_entry_list(r, tree, "notes", read_note);
}
