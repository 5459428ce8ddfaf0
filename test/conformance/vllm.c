/* vllm.c - accounting rows of vLLM: layers' specs and what is available in, the engine's own numbers out.
 *
 * vllm/accounting.jsonl holds the cases with the answers of main as it was read on 2026-08-17;
 * vllm/accounting-v*.jsonl holds, by the ids of the same cases, what that release's code made of them.
 * Every member of an answer is compared. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "engine/vllm_pool.h"
#include "os/os.h"
#include "suite.h"

#define MAIN_DAY 20260817
#define WORKERS_MAX 64

struct run {
    struct report *report;
    struct kvc_arena arena, scratch;
    struct kvc_span cases; /* the text of accounting.jsonl; NULL: there is none */
};

/* A case as the engine's rooms take it. */
struct asked {
    struct kvc_vllm_layers layers;
    struct kvc_vllm_worker workers[WORKERS_MAX];
    uint64_t available[WORKERS_MAX];
    struct kvc_vllm_pool_question question;
    bool hybrid_manager_off;
};

/* ---- Members of a row. */

static const struct kvc_value *member(const struct kvc_value *object, const char *key)
{
    const struct kvc_value *value = kvc_value_member(object, key);
    return value == NULL || value->type == KVC_NULL ? NULL : value;
}

static uint64_t number(const struct kvc_value *object, const char *key, uint64_t absent)
{
    const struct kvc_value *value = member(object, key);
    uint64_t count = absent;
    if (value != NULL && (value->type != KVC_NUMBER || !kvc_span_u64(value->text, &count)))
        broken("vllm/accounting.jsonl", key);
    return count;
}

static bool truth(const struct kvc_value *object, const char *key)
{
    const struct kvc_value *value = member(object, key);
    return value != NULL && value->type == KVC_TRUE;
}

static bool says(const struct kvc_value *object, const char *key, const char *word)
{
    const struct kvc_value *value = member(object, key);
    return value != NULL && kvc_span_is(value->text, word);
}

/* ---- Specs. */

static uint64_t dtype_bytes(struct kvc_span name)
{
    if (kvc_span_is(name, "float32"))
        return 4;
    return kvc_span_ends(name, "int8") || kvc_span_starts(name, "float8") ? 1 : 2;
}

static uint64_t state_bytes(const struct kvc_value *spec)
{
    const struct kvc_value *shapes = member(spec, "shapes"), *dtypes = member(spec, "dtypes");
    uint64_t sum = 0;
    for (const struct kvc_value *s = shapes->first; s != NULL; s = s->next) {
        uint64_t elements = 1, dim;
        for (const struct kvc_value *d = s->first; d != NULL; d = d->next)
            elements *= kvc_span_u64(d->text, &dim) ? dim : 0;
        sum += elements * dtype_bytes(kvc_value_element(dtypes, s->index)->text);
    }
    return sum;
}

static uint64_t hash_of(const struct kvc_value *value)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; value != NULL && i < value->text.length; i++)
        hash = (hash ^ (unsigned char)value->text.text[i]) * 1099511628211u;
    return hash;
}

static enum kvc_vllm_kind kind_of(const struct kvc_value *spec)
{
    for (int kind = KVC_VLLM_FULL; kind <= KVC_VLLM_MAMBA; kind++) {
        if (says(spec, "kind", kvc_vllm_kind_name((enum kvc_vllm_kind)kind)))
            return (enum kvc_vllm_kind)kind;
    }
    broken("vllm/accounting.jsonl", "a kind of spec is not known");
}

static enum kvc_vllm_mamba_mode mode_of(const struct kvc_value *spec)
{
    if (says(spec, "mamba_cache_mode", "align"))
        return KVC_VLLM_MAMBA_ALIGN;
    return says(spec, "mamba_cache_mode", "all") ? KVC_VLLM_MAMBA_ALL : KVC_VLLM_MAMBA_NONE;
}

static struct kvc_vllm_spec spec_of(const struct kvc_value *spec)
{
    struct kvc_vllm_spec made = {
        .kind = kind_of(spec),
        .block_size = number(spec, "block_size", 0),
        .compress_ratio = number(spec, "compress_ratio", 1),
        .alignment = number(spec, "alignment", 1),
        .window = number(spec, "sliding_window", 0),
        .chunk = number(spec, "attention_chunk_size", 0),
        .padded_bytes = number(spec, "page_size_padded", 0),
        .heads = number(spec, "num_kv_heads", 0),
        .key_dim = number(spec, "head_size", 0),
        .format = hash_of(member(spec, "dtype")) ^ hash_of(member(spec, "kv_quant_mode")) ^
                  hash_of(member(spec, "cache_dtype_str")),
        .mark = number(spec, "sink_len", 0),
    };
    made.value_dim = number(spec, "head_size_v", made.key_dim);
    made.may_be_padded = truth(spec, "indexes_kv_by_block_stride");
    if (made.kind == KVC_VLLM_MAMBA) {
        made.state_bytes = state_bytes(spec);
        made.mode = mode_of(spec);
        made.speculative_blocks = number(spec, "num_speculative_blocks", 0);
        return made;
    }
    bool is_latent = made.kind == KVC_VLLM_MLA || made.kind == KVC_VLLM_SLIDING_MLA;
    bool is_fp8 = says(spec, "kv_quant_mode", "FP8_PER_TENSOR");
    uint64_t each = is_fp8 ? 1 : dtype_bytes(member(spec, "dtype")->text);
    made.head_slots = number(spec, "num_head_slots", made.heads);
    made.content_bytes = number(spec, "state_content_bytes",
                                (made.key_dim + (is_latent ? 0 : made.value_dim)) * each);
    return made;
}

static void read_case(struct run *run, const struct kvc_value *row, uint32_t day,
                      struct asked *asked)
{
    const struct kvc_value *specs = member(row, "specs"), *workers = member(row, "workers");
    const struct kvc_value *config = member(row, "config");
    struct kvc_vllm_spec *made = kvc_arena_array(&run->scratch, specs->count, sizeof *made);
    memset(asked, 0, sizeof *asked);
    for (const struct kvc_value *e = specs->first; e != NULL; e = e->next)
        made[e->index] = spec_of(e);
    if (workers->count > WORKERS_MAX)
        broken("vllm/accounting.jsonl", "more workers than the suite takes");
    for (const struct kvc_value *e = workers->first; e != NULL; e = e->next) {
        const struct kvc_value *layers = member(e, "layers");
        struct kvc_vllm_run *runs = kvc_arena_array(&run->scratch, layers->count, sizeof *runs);
        for (const struct kvc_value *p = layers->first; p != NULL; p = p->next) {
            uint64_t count = 0, spec = 0;
            if (!kvc_span_u64(p->first->text, &count) || !kvc_span_u64(p->last->text, &spec))
                broken("vllm/accounting.jsonl", "a run of layers is no pair of numbers");
            runs[p->index] = (struct kvc_vllm_run){ (uint32_t)count, (uint32_t)spec };
        }
        asked->workers[e->index] = (struct kvc_vllm_worker){ runs, layers->count };
        asked->available[e->index] = number(e, "available_bytes", 0);
    }
    asked->layers = (struct kvc_vllm_layers){ made, specs->count, asked->workers, workers->count };
    asked->hybrid_manager_off = truth(config, "disable_hybrid_kv_cache_manager");
    bool one_batch = day < 20260708;
    asked->question = (struct kvc_vllm_pool_question){
        .layers = &asked->layers,
        .day = day,
        .request = { .tokens = number(config, "max_model_len", 0),
                     .in_flight = number(
                         config, one_batch ? "max_num_batched_tokens" : "max_in_flight_tokens", 0),
                     .extra = truth(config, "multi_module_mtp")
                                  ? number(config, "num_speculative_tokens", 1) - 1
                                  : 0,
                     .dcp = number(config, "dcp", 1),
                     .encoder_tokens = number(config, "max_num_encoder_input_tokens", 0) },
        .available_bytes = asked->available,
        .auto_fit = truth(config, "auto_fit_max_model_len"),
        .prefix_caching = truth(config, "enable_prefix_caching"),
    };
    if (member(config, "num_gpu_blocks_override") != NULL)
        asked->question.override_blocks = kvc_said(number(config, "num_gpu_blocks_override", 0));
}

/* ---- Comparing: the first difference is told. */

struct compared {
    char expected[200], got[200]; /* "" while nothing differs */
};

static void differ(struct compared *c, const char *what, const char *expected, const char *got)
{
    if (c->expected[0] != '\0')
        return;
    snprintf(c->expected, sizeof c->expected, "%.60s %.120s", what, expected);
    snprintf(c->got, sizeof c->got, "%.120s", got);
}

static void same_number(struct compared *c, const char *what, uint64_t expected, uint64_t got)
{
    char a[24], b[24];
    if (expected == got)
        return;
    snprintf(a, sizeof a, "%" PRIu64, expected);
    snprintf(b, sizeof b, "%" PRIu64, got);
    differ(c, what, a, b);
}

static void same_member(struct compared *c, const struct kvc_value *expected, const char *key,
                        uint64_t got)
{
    if (member(expected, key) != NULL)
        same_number(c, key, number(expected, key, 0), got);
}

static void same_text(struct compared *c, const char *what, struct kvc_span expected,
                      const char *got)
{
    char text[160];
    snprintf(text, sizeof text, "%.*s", (int)expected.length, expected.text);
    if (strcmp(text, got) != 0)
        differ(c, what, text, got);
}

static void gib_text(uint64_t bytes, bool fixed, char ret_text[KVC_F64_FIXED_ROOM])
{
    struct kvc_f64 gib =
        kvc_f64_divide(kvc_f64_from_u64(bytes), kvc_f64_from_u64(UINT64_C(1) << 30));
    if (fixed)
        kvc_f64_fixed(gib, 2, ret_text);
    else
        kvc_f64_repr(kvc_f64_round(gib, 2), ret_text);
}

/* ---- Layers of groups on worker 0, as numbers counted from its first. */

static bool holds_layer(const struct kvc_vllm_group *group, uint32_t position)
{
    return position % group->parts == group->part;
}

/* The list of a group's layers, where the row gives one: those of its bucket at its own positions. */
static void same_layers(struct compared *c, const struct asked *asked,
                        const struct kvc_vllm_grouping *grouping, uint32_t index,
                        const struct kvc_value *due, const uint32_t *bucket_of)
{
    const struct kvc_vllm_group *group = &grouping->groups[index];
    const struct kvc_value *list = member(due, "layers_worker0");
    uint32_t layer = 0, position = 0;
    const struct kvc_value *next = list == NULL ? NULL : list->first;
    same_member(c, due, "n_layers_worker0", group->layers_of[0]);
    for (uint32_t r = 0; list != NULL && r < asked->workers[0].runs_count; r++) {
        for (uint32_t i = 0; i < asked->workers[0].runs[r].count; i++, layer++) {
            if (bucket_of[asked->workers[0].runs[r].spec] != group->bucket)
                continue;
            if (!holds_layer(group, position++))
                continue;
            uint64_t number_due = UINT64_MAX;
            if (next != NULL && kvc_span_u64(next->text, &number_due))
                next = next->next;
            same_number(c, "layers_worker0", number_due, layer);
        }
    }
    if (next != NULL)
        differ(c, "layers_worker0", "more layers", "fewer");
}

/* Which bucket each spec is in: of the groups that were made, the one whose spec it equals. */
static uint32_t *buckets_of(struct run *run, const struct asked *asked,
                            const struct kvc_vllm_grouping *grouping)
{
    uint32_t *bucket_of =
        kvc_arena_array(&run->scratch, asked->layers.specs_count, sizeof *bucket_of);
    for (uint32_t s = 0; s < asked->layers.specs_count; s++) {
        for (uint32_t g = 0; g < grouping->groups_count; g++) {
            struct kvc_vllm_spec like = grouping->groups[g].spec;
            like.window = grouping->specs[s].window;
            like.chunk = grouping->specs[s].chunk;
            if (kvc_vllm_spec_equal(&like, &grouping->specs[s]) &&
                (like.kind == KVC_VLLM_FULL ||
                 kvc_vllm_spec_equal(&grouping->groups[g].spec, &grouping->specs[s])))
                bucket_of[s] = grouping->groups[g].bucket;
        }
    }
    return bucket_of;
}

static void same_inner_kinds(struct compared *c, const struct kvc_vllm_group *group,
                             const struct kvc_value *due)
{
    const struct kvc_value *kinds = member(due, "inner_kinds");
    const char *first = kvc_vllm_kind_name(group->spec.kind);
    bool found = kinds == NULL;
    for (const struct kvc_value *e = kinds == NULL ? NULL : kinds->first; e != NULL; e = e->next)
        found = found || kvc_span_is(e->text, first);
    if (!found)
        differ(c, "inner_kinds", "others", first);
}

static void same_group(struct run *run, struct compared *c, const struct asked *asked,
                       const struct kvc_vllm_grouping *grouping, const struct kvc_vllm_pool *pool,
                       uint32_t index, const struct kvc_value *due)
{
    const struct kvc_vllm_group *group = &grouping->groups[index];
    const char *kind = group->holds_several ? "uniform_type" : kvc_vllm_kind_name(group->spec.kind);
    same_text(c, "kind", member(due, "kind")->text, kind);
    same_member(c, due, "block_size", group->spec.block_size);
    same_member(c, due, "page_size_bytes",
                group->holds_several ? group->bytes_of[0] : kvc_vllm_page(&group->spec).value);
    same_member(c, due, "blocks_per_request", pool->blocks_per_request[index]);
    same_inner_kinds(c, group, due);
    if (group->holds_several)
        same_member(c, due, "n_layers_worker0", group->layers_of[0]);
    else
        same_layers(c, asked, grouping, index, due, buckets_of(run, asked, grouping));
}

/* Tensors: their bytes in all are whole blocks of the pool. */
static void same_tensors(struct compared *c, const struct kvc_vllm_pool *pool,
                         const struct kvc_value *expected)
{
    const struct kvc_value *tensors = member(expected, "tensors_worker0");
    uint64_t sum = 0, count, bytes;
    if (tensors == NULL || member(expected, "packed_block_stride") != NULL)
        return;
    for (const struct kvc_value *e = tensors->first; e != NULL; e = e->next) {
        if (kvc_span_u64(e->first->text, &count) && kvc_span_u64(e->last->text, &bytes))
            sum += count * bytes;
    }
    same_number(c, "tensors_worker0", sum, pool->num_blocks.value * pool->block_bytes[0]);
}

static void same_paddings(struct compared *c, const struct kvc_vllm_grouping *grouping,
                          const struct kvc_value *expected)
{
    const struct kvc_value *paddings = member(expected, "padding_warnings");
    uint32_t count = paddings == NULL ? 0 : paddings->count;
    same_number(c, "padding_warnings", count, grouping->paddings_count);
    for (uint32_t i = 0; i < count && i < grouping->paddings_count; i++) {
        const struct kvc_value *pair = kvc_value_element(paddings, i);
        const struct kvc_vllm_padding *padding = &grouping->paddings[i];
        char percent[KVC_F64_FIXED_ROOM];
        uint64_t layers = 0;
        struct kvc_f64 share = kvc_f64_divide(kvc_f64_from_u64(padding->layers),
                                              kvc_f64_from_u64(padding->bucket_layers));
        kvc_f64_fixed(kvc_f64_multiply(share, kvc_f64_from_u64(100)), 2, percent);
        kvc_span_u64(pair->first->text, &layers);
        same_number(c, "padding_warnings", layers, padding->layers);
        same_text(c, "padding_warnings", pair->last->text, percent);
    }
}

static void same_concurrency(struct compared *c, const struct kvc_vllm_pool *pool,
                             const struct kvc_value *expected)
{
    const struct kvc_value *exact = member(expected, "max_concurrency");
    struct kvc_f64 due;
    char text[KVC_F64_FIXED_ROOM];
    kvc_f64_fixed(pool->concurrency, 2, text);
    same_text(c, "max_concurrency_logged", member(expected, "max_concurrency_logged")->text, text);
    if (exact != NULL &&
        (!kvc_f64_from_text(exact->text, &due) || due.bits != pool->concurrency.bits))
        differ(c, "max_concurrency", "another double", text);
}

static void same_numbers(struct run *run, struct compared *c, const struct asked *asked,
                         const struct kvc_vllm_grouping *grouping, const struct kvc_vllm_pool *pool,
                         const struct kvc_value *expected)
{
    const struct kvc_value *groups = member(expected, "groups");
    same_member(c, expected, "num_blocks", pool->num_blocks.value);
    same_member(c, expected, "max_model_len", pool->max_model_len);
    same_member(c, expected, "kv_cache_size_tokens", pool->tokens);
    same_member(c, expected, "bytes_per_block_worker0", pool->block_bytes[0]);
    same_member(c, expected, "packed_block_stride", pool->block_bytes[0]);
    same_member(c, expected, "legacy_tokens_logged", pool->legacy_tokens);
    same_member(c, expected, "scheduler_block_size", pool->scheduler_block_size);
    same_member(c, expected, "hash_block_size", pool->hash_block_size);
    same_member(c, expected, "usable_blocks", pool->num_blocks.value - 1);
    same_concurrency(c, pool, expected);
    same_number(c, "groups", groups->count, grouping->groups_count);
    for (uint32_t i = 0; i < groups->count && i < grouping->groups_count; i++)
        same_group(run, c, asked, grouping, pool, i, kvc_value_element(groups, i));
    same_tensors(c, pool, expected);
    same_paddings(c, grouping, expected);
}

static void same_refusal(struct compared *c, const struct kvc_vllm_grouping *grouping,
                         const struct kvc_vllm_pool *pool, const struct kvc_value *expected,
                         bool fixed)
{
    char needed[KVC_F64_FIXED_ROOM], available[KVC_F64_FIXED_ROOM];
    static const char *const OBJECTIONS[] = { "none", "value_error", "cannot_unify_page_size",
                                              "value_error" };
    bool is_length = says(expected, "error", "max_seq_len_does_not_fit");
    bool is_short = pool->start != KVC_VLLM_STARTS;
    /* A release's rows call every ValueError by the name of the usual one; such a row has no numbers. */
    if (!is_length || member(expected, "needed_gib") == NULL) {
        const char *due = says(expected, "error", "not_implemented") ? OBJECTIONS[2]
                          : is_length                                ? OBJECTIONS[1]
                                                                     : NULL;
        if (due == NULL)
            same_text(c, "error", member(expected, "error")->text, OBJECTIONS[grouping->objection]);
        else if (strcmp(due, OBJECTIONS[grouping->objection]) != 0)
            differ(c, "error", due, OBJECTIONS[grouping->objection]);
        return;
    }
    if (!is_short) {
        differ(c, "error", "max_seq_len_does_not_fit", "it starts, or objects");
        return;
    }
    gib_text(pool->needed_bytes, fixed, needed);
    gib_text(pool->available_bytes, fixed, available);
    same_text(c, "needed_gib", member(expected, "needed_gib")->text, needed);
    same_text(c, "available_gib", member(expected, "available_gib")->text, available);
    if (member(expected, "estimated_max_model_len") == NULL)
        same_number(c, "estimated_max_model_len", 0, pool->estimated.said);
    else
        same_member(c, expected, "estimated_max_model_len", pool->estimated.value);
}

/* ---- A case. */

static bool answered(struct run *run, struct asked *asked, struct kvc_vllm_grouping *grouping,
                     struct kvc_vllm_pool *pool, const char *id)
{
    struct kvc_vllm_grouping_rules rules = { asked->question.day, asked->hybrid_manager_off };
    kvcap_error err;
    kvcap_code rc = kvc_vllm_group(&asked->layers, &rules, &run->scratch, grouping, &err);
    asked->question.grouping = grouping;
    if (rc == KVCAP_OK)
        rc = kvc_vllm_pool(&asked->question, &run->scratch, pool, &err);
    if (rc != KVCAP_OK)
        fail(run->report, id, "an answer", "%s at %s: %s", err.slug, err.at, err.text);
    return rc == KVCAP_OK;
}

static void settle(struct run *run, const char *id, const struct compared *c)
{
    if (c->expected[0] == '\0')
        pass(run->report);
    else
        fail(run->report, id, c->expected, "%s", c->got);
}

static void main_case(struct run *run, const struct kvc_value *row, const char *id)
{
    const struct kvc_value *expected = member(row, "expected");
    struct kvc_vllm_grouping grouping;
    struct kvc_vllm_pool pool = { .start = KVC_VLLM_STARTS };
    struct compared c = { "", "" };
    struct asked asked;
    read_case(run, row, MAIN_DAY, &asked);
    if (!answered(run, &asked, &grouping, &pool, id))
        return;
    if (member(expected, "error") != NULL)
        same_refusal(&c, &grouping, &pool, expected, false);
    else if (grouping.objection != KVC_VLLM_NO_OBJECTION || pool.start != KVC_VLLM_STARTS)
        differ(&c, "an answer", "numbers", "a refusal");
    else
        same_numbers(run, &c, &asked, &grouping, &pool, expected);
    settle(run, id, &c);
}

/* ---- A release's own answers to the same cases. */

static const struct kvc_value *case_named(struct run *run, struct kvc_span id)
{
    struct kvc_span rest = run->cases, line;
    while (next_line(&rest, &line)) {
        const struct kvc_value *row = parsed(&run->scratch, "vllm/accounting.jsonl", line);
        if (kvc_span_equal(member(row, "id")->text, id))
            return row;
    }
    return NULL;
}

static const char *class_of(enum kvc_vllm_kind kind)
{
    switch (kind) {
    case KVC_VLLM_SLIDING:
        return "SlidingWindowSpec";
    case KVC_VLLM_CHUNKED:
        return "ChunkedLocalAttentionSpec";
    case KVC_VLLM_MAMBA:
        return "MambaSpec";
    case KVC_VLLM_CROSS:
        return "CrossAttentionSpec";
    default:
        return "FullAttentionSpec"; /* MLA was a flag of it */
    }
}

static void same_classes(struct compared *c, const struct kvc_vllm_grouping *grouping,
                         const struct kvc_value *expected)
{
    const struct kvc_value *groups = member(expected, "groups");
    same_member(c, expected, "n_groups", grouping->groups_count);
    for (uint32_t i = 0; groups != NULL && i < groups->count && i < grouping->groups_count; i++) {
        const struct kvc_value *pair = kvc_value_element(groups, i);
        uint64_t layers = 0;
        kvc_span_u64(pair->last->text, &layers);
        same_text(c, "groups", pair->first->text, class_of(grouping->groups[i].spec.kind));
        same_number(c, "groups", layers, grouping->groups[i].layers);
    }
}

/* "v0.10.0" was cut on 2025-07-24. */
static uint32_t day_of(const struct kvc_value *row)
{
    if (says(row, "vllm", "v0.10.0"))
        return 20250724;
    broken("vllm/accounting-*.jsonl", "a release whose day the suite does not know");
}

static void release_case(struct run *run, const struct kvc_value *row, const char *id)
{
    const struct kvc_value *expected = member(row, "expected");
    const struct kvc_value *origin = case_named(run, member(row, "id")->text);
    struct kvc_vllm_grouping grouping;
    struct kvc_vllm_pool pool = { .start = KVC_VLLM_STARTS };
    struct compared c = { "", "" };
    struct asked asked;
    char name[160];
    snprintf(name, sizeof name, "%.100s of %.*s", id, (int)member(row, "vllm")->text.length,
             member(row, "vllm")->text.text);
    if (origin == NULL) {
        fail(run->report, name, "a case of this id in accounting.jsonl", "none");
        return;
    }
    read_case(run, origin, day_of(row), &asked);
    if (!answered(run, &asked, &grouping, &pool, name))
        return;
    if (member(expected, "error") != NULL) {
        same_refusal(&c, &grouping, &pool, expected, true);
    } else if (grouping.objection != KVC_VLLM_NO_OBJECTION || pool.start != KVC_VLLM_STARTS) {
        differ(&c, "an answer", "numbers", "a refusal");
    } else {
        same_member(&c, expected, "num_blocks", pool.num_blocks.value);
        same_member(&c, expected, "kv_cache_size_tokens", pool.legacy_tokens);
        same_concurrency(&c, &pool, expected);
        same_classes(&c, &grouping, expected);
    }
    settle(run, name, &c);
}

/* ---- Files. */

static void visit(void *context, const char *name)
{
    struct run *run = context;
    char path[300], id[120];
    if (!starts(name, "accounting"))
        return;
    bool is_release = starts(name, "accounting-v");
    snprintf(path, sizeof path, "vllm/%.200s", name);
    struct kvc_span rest = file_text(&run->arena, run->report->dir, path), line;
    while (next_line(&rest, &line)) {
        struct kvc_mark mark = kvc_arena_mark(&run->scratch);
        const struct kvc_value *row = parsed(&run->scratch, path, line);
        if (member(row, "id") == NULL || member(row, "expected") == NULL)
            broken(path, "each line is due an id and what is expected");
        snprintf(id, sizeof id, "%.*s", (int)member(row, "id")->text.length,
                 member(row, "id")->text.text);
        if (is_release)
            release_case(run, row, id);
        else
            main_case(run, row, id);
        kvc_arena_rewind(&run->scratch, mark);
    }
}

static void run_vllm(struct report *report)
{
    struct run run = { .report = report };
    kvc_arena_from(&run.arena, &kvc_os_memory, (size_t)1 << 30);
    kvc_arena_from(&run.scratch, &kvc_os_memory, (size_t)1 << 30);
    run.cases = file_text(&run.arena, report->dir, "vllm/accounting.jsonl");
    each_file(&run.arena, report->dir, "vllm", ".jsonl", visit, &run);
    kvc_arena_drop(&run.scratch);
    kvc_arena_drop(&run.arena);
}

static bool knows(const char *path)
{
    return starts(path, "vllm/accounting") && ends(path, ".jsonl");
}

const struct suite VLLM_SUITE = { "vllm", run_vllm, knows };
