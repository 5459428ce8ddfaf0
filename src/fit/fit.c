/* fit.c - see fit.h for the room and its promises. */

#include "fit/fit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fit/answer_json.h"

static kvcap_code no_memory(kvcap_error *err)
{
    return kvc_fail(err, KVC_MEMORY_FULL, "", "the answer needs more memory");
}

kvcap_code kvc_fit_at(const struct kvc_fit_question *question, uint32_t day, bool most,
                      struct kvc_arena *arena, struct kvc_fit *ret_fit, kvcap_error *err)
{
    const struct kvc_engine *engine = kvc_engine_of(question->release.engine);
    struct kvc_engine_memory memory;
    kvcap_code rc = kvc_fit_memory_end(&question->memory, most, arena, &memory, err);
    if (rc != KVCAP_OK)
        return rc;
    ret_fit->tokens = ret_fit->num_blocks = (struct kvc_fit_range){ .said = false };
    ret_fit->available_bytes = ret_fit->estimated_max_model_len = ret_fit->tokens;
    ret_fit->rules = engine->rules;
    kvc_settings_begin(&ret_fit->settings, question->settings, engine->settings,
                       engine->settings_count, question->settings_at, arena, err);
    kvc_answer_begin(&ret_fit->answer, arena, question->explain);
    struct kvc_engine_question asked = {
        .model = &question->model,
        .day = day,
        .release = &question->release,
        .settings = &ret_fit->settings,
        .memory = &memory,
        .front = question->front,
        .arena = arena,
    };
    rc = ret_fit->settings.rc;
    if (rc == KVCAP_OK)
        rc = engine->fit(&asked, &ret_fit->answer, err);
    if (rc == KVCAP_OK)
        rc = ret_fit->settings.rc;
    if (rc == KVCAP_OK && ret_fit->answer.full)
        rc = no_memory(err);
    return rc;
}

/* ---- Ends that differ. */

/* The answer without its words, for comparing. */
static kvcap_code core_of(const struct kvc_fit *fit, struct kvc_arena *arena,
                          struct kvc_span *ret_core, kvcap_error *err)
{
    struct kvc_fit_text text;
    struct kvc_fit_frame frame = { .core = true };
    kvc_fit_text_begin(&text, arena);
    kvc_fit_write(fit, &frame, &text);
    if (text.full)
        return no_memory(err);
    *ret_core = (struct kvc_span){ text.text, text.length };
    return KVCAP_OK;
}

static bool same_lines(const struct kvc_answer *a, const struct kvc_answer *b)
{
    if (a->lines_count != b->lines_count)
        return false;
    for (uint32_t i = 0; i < a->lines_count; i++) {
        if (!kvc_span_equal(a->lines[i], b->lines[i]))
            return false;
    }
    return true;
}

/* A few words of an answer, for a reader who has to choose between two. */
static struct kvc_span summary_of(struct kvc_answer *into, const struct kvc_answer *a, uint32_t day)
{
    char numbers[240] = "";
    size_t length = 0;
#define PUT(maybe, unit)                                                                           \
    if ((maybe).said)                                                                              \
        length += (size_t)snprintf(numbers + length, sizeof numbers - length,                      \
                                   ", %" PRIu64 " " unit, (maybe).value);
    PUT(a->num_blocks, "blocks")
    PUT(a->tokens, "tokens")
    PUT(a->reserved_sequence_bytes, "bytes a sequence")
    PUT(a->reserved_total_bytes, "bytes in all")
#undef PUT
    return kvc_answer_text(into, "rules of %04" PRIu32 "-%02" PRIu32 "-%02" PRIu32 "%s%s%s",
                           day / 10000, day / 100 % 100, day % 100, numbers,
                           a->decision == KVC_DECISION_NONE ? "" : ", ",
                           kvc_decision_name(a->decision));
}

/* Nothing of the two is the answer: what is left is that there are two. */
static void make_undetermined(struct kvc_fit *fit, const struct kvc_fit *other, struct kvc_span key,
                              struct kvc_span reason, uint32_t day, uint32_t other_day)
{
    struct kvc_answer *a = &fit->answer;
    struct kvc_span answers[2] = { summary_of(a, a, day),
                                   summary_of(a, &other->answer, other_day) };
    struct kvc_answer bare;
    kvc_answer_begin(&bare, a->arena, a->explain);
    bare.full = a->full;
    bare.decision = KVC_DECISION_UNDETERMINED;
    bare.notes = a->notes;
    bare.logical_token_bytes = a->logical_token_bytes;
    bare.logical_sequence_bytes = a->logical_sequence_bytes;
    struct kvc_answer_undetermined *entry = kvc_answer_undetermined(&bare);
    entry->key = key;
    entry->reason = reason;
    memcpy(entry->answers, answers, sizeof answers);
    fit->answer = bare;
    fit->tokens = fit->num_blocks = (struct kvc_fit_range){ .said = false };
    fit->available_bytes = fit->estimated_max_model_len = fit->tokens;
}

/* ---- Days. */

static const char *change_on(const struct kvc_release *release, uint32_t day)
{
    const struct kvc_engine *engine = kvc_engine_of(release->engine);
    for (size_t i = 0; i < engine->changes_count; i++) {
        if (engine->changes[i].day == day)
            return engine->changes[i].name;
    }
    return "a change of rule";
}

/* The answer of every day on which the release may have been cut, if it is one. */
static kvcap_code over_days(const struct kvc_fit_question *question, bool most,
                            struct kvc_arena *arena, struct kvc_fit *ret_fit, kvcap_error *err)
{
    uint32_t days[KVC_ENGINE_DAYS_MAX];
    struct kvc_span core, other_core;
    struct kvc_fit other;
    kvcap_code rc = kvc_fit_at(question, question->release.day_min, most, arena, ret_fit, err);
    if (rc != KVCAP_OK || question->release.day_min == question->release.day_max)
        return rc;
    size_t days_count = kvc_engine_days(&question->release, days);
    rc = core_of(ret_fit, arena, &core, err);
    for (size_t i = 1; i < days_count && rc == KVCAP_OK; i++) {
        rc = kvc_fit_at(question, days[i], most, arena, &other, err);
        if (rc == KVCAP_OK)
            rc = core_of(&other, arena, &other_core, err);
        if (rc != KVCAP_OK)
            return rc;
        if (!kvc_span_equal(core, other_core)) {
            struct kvc_span reason = kvc_answer_text(
                &ret_fit->answer,
                "the version lies between two whose rules differ for this model: %s",
                change_on(&question->release, days[i]));
            make_undetermined(ret_fit, &other, kvc_span_of("engine"), reason, days[0], days[i]);
            return ret_fit->answer.full ? no_memory(err) : KVCAP_OK;
        }
        if (!same_lines(&ret_fit->answer, &other.answer)) {
            ret_fit->answer.lines_count = 0;
            kvc_answer_note(&ret_fit->answer, "engine.lines",
                            "the words of the log changed between the versions around this one: no "
                            "lines are given");
        }
    }
    return rc;
}

/* ---- Memory. */

/* Words that hold a number of one end are no words of the engine; they are told as what they are. */
static void merge_refusals(struct kvc_answer *a, const struct kvc_answer *b)
{
    struct kvc_span least = a->refusal_text, most = b->refusal_text;
    if (kvc_span_equal(least, most))
        return;
    a->refusal_text = (struct kvc_span){ NULL, 0 };
    if (least.text != NULL)
        kvc_answer_note(a, "engine.refusal_least", "at the least that it can be: %.*s",
                        (int)least.length, least.text);
    if (most.text != NULL)
        kvc_answer_note(a, "engine.refusal_most", "at the most: %.*s", (int)most.length, most.text);
}

static void keep_same_lines(struct kvc_answer *a, const struct kvc_answer *b)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < a->lines_count && a->lines_count == b->lines_count; i++) {
        if (kvc_span_equal(a->lines[i], b->lines[i]))
            a->lines[kept++] = a->lines[i];
    }
    a->lines_count = kept;
}

/* What both ends agree on stays; tokens and blocks become ranges; the rest is not said. */
static void merge_ends(struct kvc_fit *fit, const struct kvc_fit *most)
{
    struct kvc_answer *a = &fit->answer;
    const struct kvc_answer *b = &most->answer;
#define RANGE(part)                                                                                \
    if (a->part.said && b->part.said && a->part.value != b->part.value) {                          \
        fit->part = (struct kvc_fit_range){ a->part.value, b->part.value, true };                  \
        a->part.said = false;                                                                      \
    }
    RANGE(num_blocks)
    RANGE(tokens)
    RANGE(available_bytes)
    RANGE(estimated_max_model_len)
#undef RANGE
#define AGREE(part) a->part.said = a->part.said && b->part.said && a->part.value == b->part.value;
    AGREE(reserved_total_bytes)
    AGREE(max_running_requests)
    AGREE(ratio_over)
    AGREE(ratio_under)
    AGREE(max_model_len)
    AGREE(needed_bytes)
#undef AGREE
    if (!kvc_span_equal(a->max_concurrency, b->max_concurrency))
        a->max_concurrency = (struct kvc_span){ NULL, 0 };
    merge_refusals(a, b);
    keep_same_lines(a, b);
    for (uint32_t i = 0; i < a->devices_count && i < b->devices_count; i++) {
        a->devices[i].cache_bytes.said =
            a->devices[i].cache_bytes.said &&
            a->devices[i].cache_bytes.value == b->devices[i].cache_bytes.value;
    }
}

static kvcap_code over_memory(const struct kvc_fit_question *question, struct kvc_arena *arena,
                              struct kvc_fit *ret_fit, kvcap_error *err)
{
    struct kvc_fit most;
    kvcap_code rc = over_days(question, false, arena, ret_fit, err);
    if (rc != KVCAP_OK || !kvc_fit_memory_is_range(&question->memory))
        return rc;
    rc = over_days(question, true, arena, &most, err);
    if (rc != KVCAP_OK)
        return rc;
    if (ret_fit->answer.decision == most.answer.decision) {
        merge_ends(ret_fit, &most);
        return KVCAP_OK;
    }
    make_undetermined(
        ret_fit, &most, kvc_span_of("memory"),
        kvc_span_of("a printed GiB is a range, and its two ends are decided differently"),
        question->release.day_min, question->release.day_min);
    return ret_fit->answer.full ? no_memory(err) : KVCAP_OK;
}

kvcap_code kvc_fit_answer(const struct kvc_fit_question *question, struct kvc_arena *arena,
                          struct kvc_fit *ret_fit, kvcap_error *err)
{
    kvcap_code rc = over_memory(question, arena, ret_fit, err);
    if (rc == KVCAP_OK && question->release.is_past_known)
        kvc_answer_note(&ret_fit->answer, "engine.past_known",
                        "the version is later than what was read of the engine: its newest known "
                        "rules are applied");
    return rc == KVCAP_OK ? kvc_fit_put_logical(question, ret_fit, err) : rc;
}
