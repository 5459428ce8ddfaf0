/* llamacpp_fit.c - a context within memory: what the fit step takes back, and whether the rest fits.
 * Declared in llamacpp.h.
 *
 * The programs run common_fit_params (common/fit.cpp, 0.4.0; on by default since PR 16653) before a model
 * is loaded.  It measures the whole context of the model, and where less than the margin would stay free:
 *
 *   1. a context that nobody set shrinks, between --fit-ctx and the model's own, by what is missing
 *   2. layers that nobody placed go to the host
 *
 * It measures compute buffers too.  What they take follows from the graph, which is not known here: they
 * count as far as the question tells them (activation_bytes), and the answer says so. */

#include "engine/llamacpp.h"

#include "base/ck.h"
#include "engine/llamacpp_changes.h"

struct fitting {
    const struct kvc_engine_question *question;
    struct kvc_answer *answer;
    struct kvc_llamacpp_plan *plan;
    uint64_t weights_bytes, compute_bytes; /* 0: not known */
    kvcap_error *err;
};

static uint32_t devices_of(const struct fitting *fitting)
{
    return fitting->plan->has_places ? fitting->plan->places.count - 1 : 0;
}

/* ---- One context, weighed and placed. */

static kvcap_code measure(struct fitting *fitting, uint64_t n_ctx)
{
    struct kvc_llamacpp_plan *plan = fitting->plan;
    uint32_t day = fitting->question->day;
    plan->wanted.params.n_ctx = n_ctx;
    kvc_llamacpp_context_make(&plan->wanted.params, &plan->model, day, fitting->answer,
                              &plan->context);
    if (plan->context.is_refused)
        return KVCAP_OK;
    kvcap_code rc = kvc_llamacpp_weigh(&plan->wanted.params, &plan->model, &plan->context, day,
                                       &plan->weights, fitting->err);
    if (rc == KVCAP_OK && plan->has_places)
        kvc_llamacpp_place(&plan->wanted.params, &plan->wanted.split, &plan->model, &plan->context,
                           &plan->weights, fitting->weights_bytes, &plan->places);
    return rc;
}

static uint64_t used_of(const struct fitting *fitting, uint32_t i)
{
    const struct kvc_llamacpp_place *place = &fitting->plan->places.list[i];
    struct ck used = ck_add(ck_u64(place->weights_bytes), ck_u64(place->cache_bytes));
    used = ck_add(used, ck_u64(place->layers > 0 ? fitting->compute_bytes : 0));
    return used.over ? UINT64_MAX : used.value;
}

/* Devices where there are any, else the host. */
struct sums {
    kvc_u128 used, free, margins;
    bool is_enough; /* on each of them */
};

static struct sums sum_up(const struct fitting *fitting)
{
    uint32_t devices = devices_of(fitting), end = devices == 0 ? 1 : devices;
    struct sums sums = { .is_enough = true };
    for (uint32_t i = 0; i < end; i++) {
        uint64_t used = used_of(fitting, i), margin = fitting->plan->wanted.fit.margins[i];
        uint64_t room = fitting->plan->places.list[i].free_bytes;
        sums.used += used;
        sums.free += room;
        sums.margins += margin;
        sums.is_enough = sums.is_enough && used <= room && room - used >= margin;
    }
    return sums;
}

/* ---- Step 1: the context. */

static uint64_t no_more_than_u32(uint64_t tokens)
{
    return tokens < UINT32_MAX ? tokens : UINT32_MAX;
}

/* Sequences that each get a context of the model's own. */
static uint64_t fitted_streams(const struct fitting *fitting)
{
    const struct kvc_llamacpp_params *params = &fitting->plan->wanted.params;
    bool is_one = params->kv_unified ||
                  !kvc_llamacpp_since(fitting->question->day, KVC_LLAMACPP_FITS_STREAMS);
    return is_one || params->n_seq_max == 0 ? 1 : params->n_seq_max;
}

/* For several devices layers will not fill each: half a layer a device, and one more, is set aside. */
static kvc_u128 set_aside(const struct fitting *fitting, uint32_t devices)
{
    const struct kvc_llamacpp_model *model = &fitting->plan->model;
    uint64_t moved = fitting->plan->wanted.split.gpu_layers;
    uint64_t layers = moved < model->layers ? moved : model->layers;
    kvc_u128 weights = 0;
    if (devices < 2 || layers == 0)
        return 0;
    for (uint32_t i = 0; i < devices; i++)
        weights += fitting->plan->places.list[i].weights_bytes;
    return (devices + 1) * (weights / layers) / (model->has_experts ? 6 : 2);
}

static kvcap_code shrink(struct fitting *fitting, uint64_t most, const struct sums *full)
{
    const struct kvc_llamacpp_fit *fit = &fitting->plan->wanted.fit;
    uint32_t devices = devices_of(fitting);
    uint64_t streams = fitted_streams(fitting);
    uint64_t least = no_more_than_u32(fit->least_ctx * streams), align = 256 * streams;
    kvc_u128 target = full->margins + set_aside(fitting, devices);
    target = full->free > target ? full->free - target : 0;
    if (fit->is_ctx_full || most <= least)
        return KVCAP_OK;
    kvcap_code rc = measure(fitting, least);
    if (rc != KVCAP_OK)
        return rc;
    struct sums small = sum_up(fitting);
    uint64_t ctx = least;
    if (target > small.used) {
        ctx += (uint64_t)((most - least) * (target - small.used) / (full->used - small.used));
        ctx -= ctx % align;
        ctx = ctx > least ? ctx : least;
        rc = measure(fitting, ctx);
    }
    if (rc == KVCAP_OK)
        kvc_answer_note(fitting->answer, "engine.fit_context",
                        "the fit step takes a context of %llu instead of %llu, as far as is known "
                        "without the compute buffers",
                        (unsigned long long)ctx, (unsigned long long)most);
    return rc;
}

/* ---- Step 2: layers, from the last device to the first, as many as fit. */

static bool is_within(const struct fitting *fitting, uint32_t i)
{
    uint64_t used = used_of(fitting, i), room = fitting->plan->places.list[i].free_bytes;
    return used <= room && room - used >= fitting->plan->wanted.fit.margins[i];
}

static kvcap_code move_layers(struct fitting *fitting, uint64_t n_ctx)
{
    struct kvc_llamacpp_split *split = &fitting->plan->wanted.split;
    uint32_t devices = devices_of(fitting);
    uint64_t all = (uint64_t)fitting->plan->model.layers + 1, given = 0;
    uint64_t shares[KVC_LLAMACPP_DEVICES_MAX] = { 0 };
    kvcap_code rc = KVCAP_OK;
    for (uint32_t i = devices; i > 0 && rc == KVCAP_OK; i--) {
        while (given < all && rc == KVCAP_OK) {
            shares[i - 1]++;
            split->gpu_layers = given + 1;
            split->has_parts = devices > 1;
            for (uint32_t d = 0; d < devices; d++)
                split->parts[d] = kvc_f32_from_u64(shares[d]);
            rc = measure(fitting, n_ctx);
            if (rc == KVCAP_OK && !is_within(fitting, i - 1)) {
                shares[i - 1]--;
                break;
            }
            given++;
        }
    }
    split->gpu_layers = given;
    for (uint32_t d = 0; d < devices; d++)
        split->parts[d] = kvc_f32_from_u64(shares[d]);
    split->has_parts = devices > 1 && given > 0;
    if (rc == KVCAP_OK)
        rc = measure(fitting, n_ctx);
    kvc_answer_note(
        fitting->answer, "engine.fit_layers",
        "the fit step leaves about %llu of %llu layers on devices: weights of a layer are "
        "taken to be equal, parts of layers are not moved",
        (unsigned long long)given, (unsigned long long)all);
    return rc;
}

static kvcap_code fit_step(struct fitting *fitting)
{
    struct kvc_llamacpp_plan *plan = fitting->plan;
    const struct kvc_llamacpp_fit *fit = &plan->wanted.fit;
    uint64_t most = plan->wanted.params.n_ctx;
    struct sums sums = sum_up(fitting);
    kvcap_code rc = KVCAP_OK;
    if (sums.is_enough)
        return KVCAP_OK;
    bool is_short = sums.used + sums.margins > sums.free;
    if (is_short && !fit->is_ctx_set)
        rc = shrink(fitting, most, &sums);
    if (rc != KVCAP_OK || devices_of(fitting) == 0 || fit->is_split_set)
        return rc;
    if (devices_of(fitting) == 1 && is_within(fitting, 0))
        return rc;
    return move_layers(fitting, plan->wanted.params.n_ctx);
}

/* ---- What is compared in the end. */

static void put_devices(const struct fitting *fitting)
{
    const struct kvc_llamacpp_places *places = &fitting->plan->places;
    for (uint32_t i = 0; i < places->count; i++) {
        const struct kvc_llamacpp_place *place = &places->list[i];
        struct kvc_answer_device *device = kvc_answer_device(fitting->answer);
        struct kvc_span name = kvc_arena_copy(fitting->answer->arena, place->name);
        device->name = name.text == NULL ? "" : name.text;
        fitting->answer->full = fitting->answer->full || name.text == NULL;
        device->cache_bytes = kvc_said(place->cache_bytes);
        if (fitting->weights_bytes > 0)
            device->weights_bytes = kvc_said(place->weights_bytes);
        device->label = KVC_LABEL_UNKNOWN;
        if (fitting->compute_bytes > 0 && place->layers > 0) {
            device->compute_bytes = kvc_said(fitting->compute_bytes);
            device->label = KVC_LABEL_DECLARED;
        }
        if (place->total_bytes > 0)
            device->total_bytes = kvc_said(place->total_bytes);
        uint32_t cached = 0;
        for (uint32_t c = 0; c < fitting->plan->weights.count; c++)
            cached += place->layers_of_cache[c];
        device->layers = kvc_said(cached);
    }
}

/* Whether caches, weights and what is known of compute buffers are there at all. */
static void compare(const struct fitting *fitting)
{
    const struct kvc_llamacpp_places *places = &fitting->plan->places;
    struct kvc_answer *answer = fitting->answer;
    struct kvc_answer_undetermined *unknown;
    bool is_compared = false;
    for (uint32_t i = 0; i < places->count; i++) {
        const struct kvc_llamacpp_place *place = &places->list[i];
        uint64_t used = used_of(fitting, i);
        is_compared = is_compared || place->free_bytes > 0;
        if (place->free_bytes == 0 || used <= place->free_bytes)
            continue;
        answer->decision = KVC_DECISION_EXCEEDS_CAPACITY;
        answer->needed_bytes = kvc_said(used);
        answer->available_bytes = kvc_said(place->free_bytes);
        return;
    }
    if (fitting->weights_bytes > 0 && is_compared) {
        answer->decision = KVC_DECISION_FIT;
        return;
    }
    answer->decision = KVC_DECISION_UNDETERMINED;
    unknown = kvc_answer_undetermined(answer);
    unknown->key = kvc_span_of(is_compared ? "weights_bytes" : "devices");
    unknown->reason = kvc_span_of(is_compared ? "the weights are not known, and lie there as well"
                                              : "no device and no host memory is told");
}

/* Room for the cache alone, as it was told: the smallest of several. */
static void compare_told(const struct fitting *fitting)
{
    const struct kvc_engine_memory *memory = fitting->question->memory;
    uint64_t room = UINT64_MAX, needed = fitting->plan->weights.bytes;
    for (uint32_t i = 0; i < memory->available_count; i++)
        room = memory->available_bytes[i] < room ? memory->available_bytes[i] : room;
    fitting->answer->decision = needed <= room ? KVC_DECISION_FIT : KVC_DECISION_EXCEEDS_CAPACITY;
    fitting->answer->needed_bytes = kvc_said(needed);
    fitting->answer->available_bytes = kvc_said(room);
}

static void note_unknown(const struct fitting *fitting)
{
    if (fitting->compute_bytes == 0)
        kvc_answer_note(fitting->answer, "engine.compute_unknown",
                        "compute and output buffers are not counted: they follow from the graph");
    if (fitting->weights_bytes > 0)
        kvc_answer_note(fitting->answer, "engine.weights_estimated",
                        "weights are shared out among places in proportion to their layers");
    if (fitting->plan->wanted.drafts)
        kvc_answer_note(fitting->answer, "engine.draft_apart",
                        "the draft's weights and context are not counted");
}

/* The server keeps prompts and checkpoints of slots in host memory, beside the context. */
static void note_host_copies(const struct fitting *fitting)
{
    const struct kvc_llamacpp_wanted *wanted = &fitting->plan->wanted;
    if (!wanted->is_server || wanted->cache_ram_mib == 0)
        return;
    if (wanted->cache_ram_mib == KVC_SETTING_MINUS_ONE)
        kvc_answer_note(fitting->answer, "engine.prompt_cache",
                        "the server keeps prompts of idle slots in host memory, without a limit");
    else
        kvc_answer_note(fitting->answer, "engine.prompt_cache",
                        "the server keeps prompts of idle slots in host memory, up to %llu MiB",
                        (unsigned long long)wanted->cache_ram_mib);
}

/* ---- The whole. */

static struct fitting begin(const struct kvc_engine_question *question, struct kvc_answer *answer,
                            struct kvc_llamacpp_plan *plan, kvcap_error *err)
{
    const struct kvc_engine_memory *memory = question->memory;
    struct fitting fitting = { question, answer, plan, question->model->weights_bytes, 0, err };
    if (memory == NULL || !memory->given)
        return fitting;
    if (memory->weights_bytes.said)
        fitting.weights_bytes = memory->weights_bytes.value;
    if (memory->activation_bytes.said)
        fitting.compute_bytes = memory->activation_bytes.value;
    return fitting;
}

kvcap_code kvc_llamacpp_fit_to_memory(const struct kvc_engine_question *question,
                                      struct kvc_answer *answer, struct kvc_llamacpp_plan *plan,
                                      kvcap_error *err)
{
    struct fitting fitting = begin(question, answer, plan, err);
    bool has_memory = question->memory != NULL && question->memory->given;
    uint64_t n_ctx = plan->wanted.params.n_ctx;
    plan->has_places = has_memory && question->memory->available_count == 0;
    if (plan->has_places)
        kvc_llamacpp_find_places(question->memory, &plan->wanted.split, &plan->places);
    if (plan->wanted.fit.on && n_ctx == 0)
        n_ctx = no_more_than_u32(plan->model.context_tokens * fitted_streams(&fitting));
    kvcap_code rc = measure(&fitting, n_ctx);
    if (rc != KVCAP_OK || plan->context.is_refused)
        return rc;
    if (plan->has_places && plan->wanted.fit.on && fitting.weights_bytes > 0)
        rc = fit_step(&fitting);
    if (rc != KVCAP_OK)
        return rc;
    note_host_copies(&fitting);
    if (has_memory && !plan->has_places)
        compare_told(&fitting);
    if (!plan->has_places)
        return KVCAP_OK;
    put_devices(&fitting);
    compare(&fitting);
    note_unknown(&fitting);
    return KVCAP_OK;
}
