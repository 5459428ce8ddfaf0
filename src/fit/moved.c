/* moved.c - see moved.h for the room and its promises. */

#include "fit/moved.h"

#include <stdio.h>
#include <string.h>

#include "fit/answer_json.h"

struct walk {
    struct kvc_fit_question at; /* where we stand */
    struct kvc_fit *fit;        /* and what is answered there */
    struct kvc_arena *arena;
    struct kvc_moves *moves;
    kvcap_error *err;
};

static kvcap_code no_memory(kvcap_error *err)
{
    return kvc_fail(err, KVC_MEMORY_FULL, "", "telling what moved needs more memory");
}

static bool same_number(struct kvc_maybe a, struct kvc_maybe b)
{
    return a.said == b.said && (!a.said || a.value == b.value);
}

/* Whether the numbers are the same; words are not looked at. */
static kvcap_code same_core(const struct walk *walk, const struct kvc_fit *other, bool *ret_same)
{
    struct kvc_fit_frame frame = { .core = true };
    struct kvc_fit_text a, b;
    kvc_fit_text_begin(&a, walk->arena);
    kvc_fit_text_begin(&b, walk->arena);
    kvc_fit_write(walk->fit, &frame, &a);
    kvc_fit_write(other, &frame, &b);
    if (a.full || b.full)
        return no_memory(walk->err);
    *ret_same = kvc_span_equal((struct kvc_span){ a.text, a.length },
                               (struct kvc_span){ b.text, b.length }) &&
                same_number(walk->fit->answer.num_blocks, other->answer.num_blocks);
    return KVCAP_OK;
}

/* One step: the question after it is asked, and the move kept if a number moved. */
static kvcap_code step(struct walk *walk, const struct kvc_fit_question *next, struct kvc_move move)
{
    struct kvc_fit *fit = kvc_arena_array(walk->arena, 1, sizeof *fit);
    bool same = true;
    if (fit == NULL)
        return no_memory(walk->err);
    kvcap_code rc = kvc_fit_answer(next, walk->arena, fit, walk->err);
    if (rc == KVCAP_OK)
        rc = same_core(walk, fit, &same);
    if (rc != KVCAP_OK)
        return rc;
    if (!same && walk->moves->count == KVC_MOVES_MAX)
        walk->moves->cut = true;
    else if (!same) {
        move.before = &walk->fit->answer;
        move.after = &fit->answer;
        walk->moves->list[walk->moves->count++] = move;
    }
    walk->at = *next;
    walk->fit = fit;
    return KVCAP_OK;
}

/* ---- Settings. */

static struct kvc_value *copy_settings(const struct kvc_value *settings, struct kvc_arena *arena)
{
    struct kvc_build build = { .arena = arena };
    struct kvc_value *list = kvc_build_array(&build, NULL, NULL);
    if (list == NULL)
        return NULL;
    if (settings == NULL)
        kvc_build_object(&build, list, NULL);
    else
        kvc_build_copy(&build, list, NULL, settings);
    if (build.full)
        return NULL;
    list->first->parent = NULL;
    return list->first;
}

static kvcap_code move_setting(struct walk *walk, const char *name, const struct kvc_value *was,
                               const struct kvc_value *is)
{
    struct kvc_build build = { .arena = walk->arena };
    struct kvc_fit_question next = walk->at;
    struct kvc_value *settings = copy_settings(walk->at.settings, walk->arena);
    const struct kvc_value *differing;
    struct kvc_move move = { .kind = "setting", .name = name };
    if (was != NULL && is != NULL && kvc_value_equal(was, is, &differing))
        return KVCAP_OK;
    if (settings == NULL)
        return no_memory(walk->err);
    struct kvc_value *before = kvc_value_member(settings, name);
    if (before != NULL)
        kvc_value_remove(settings, before);
    if (is != NULL)
        kvc_build_copy(&build, settings, name, is);
    if (build.full)
        return no_memory(walk->err);
    static const char *const TRUTHS[] = { [KVC_FALSE] = "false", [KVC_TRUE] = "true" };
    if (was != NULL)
        move.was = was->text.text != NULL
                       ? was->text
                       : kvc_span_of(TRUTHS[was->type == KVC_TRUE ? KVC_TRUE : KVC_FALSE]);
    if (is != NULL)
        move.is = is->text.text != NULL
                      ? is->text
                      : kvc_span_of(TRUTHS[is->type == KVC_TRUE ? KVC_TRUE : KVC_FALSE]);
    next.settings = settings;
    return step(walk, &next, move);
}

/* Every name that stands in either; what both have alike is passed over there. */
static kvcap_code move_settings(struct walk *walk, const struct kvc_value *to)
{
    const struct kvc_value *from = walk->at.settings;
    const struct kvc_value *a = from == NULL ? NULL : from->first;
    const struct kvc_value *b = to == NULL ? NULL : to->first;
    while (a != NULL || b != NULL) {
        int order = a == NULL ? 1 : b == NULL ? -1 : kvc_key_compare(a->key, b->key);
        const struct kvc_value *named = order <= 0 ? a : b;
        const char *name = kvc_arena_copy(walk->arena, named->key).text;
        if (name == NULL)
            return no_memory(walk->err);
        kvcap_code rc = move_setting(walk, name, order <= 0 ? a : NULL, order >= 0 ? b : NULL);
        if (rc != KVCAP_OK)
            return rc;
        a = order <= 0 ? a->next : a;
        b = order >= 0 ? b->next : b;
    }
    return KVCAP_OK;
}

/* ---- Rules, a day at a time. */

static kvcap_code move_rule(struct walk *walk, const struct kvc_engine_change *change, uint32_t day,
                            bool backwards)
{
    struct kvc_fit_question next = walk->at;
    next.release.day_min = next.release.day_max = day;
    return step(walk, &next,
                (struct kvc_move){ .kind = "rule",
                                   .name = change->name,
                                   .sentence = change->sentence,
                                   .source = change->source,
                                   .day = change->day,
                                   .backwards = backwards });
}

static uint32_t day_before(uint32_t day)
{
    return day - 1; /* days are compared alone: that 20260700 is no day of July does not matter */
}

/* From the earlier version to the later all changes between, or back from the last to the first. */
static kvcap_code move_rules(struct walk *walk, const struct kvc_release *to)
{
    const struct kvc_engine *engine = kvc_engine_of(to->engine);
    uint32_t from_day = walk->at.release.day_min, to_day = to->day_min;
    kvcap_code rc = KVCAP_OK;
    for (size_t i = 0; i < engine->changes_count && rc == KVCAP_OK && from_day < to_day; i++) {
        uint32_t day = engine->changes[i].day;
        if (day > from_day && day <= to_day)
            rc = move_rule(walk, &engine->changes[i], day, false);
    }
    for (size_t i = engine->changes_count; i-- > 0 && rc == KVCAP_OK && from_day > to_day;) {
        uint32_t day = engine->changes[i].day;
        if (day <= from_day && day > to_day)
            rc = move_rule(walk, &engine->changes[i], day_before(day), true);
    }
    return rc;
}

kvcap_code kvc_fit_moves(const struct kvc_fit_question *from, const struct kvc_fit_question *to,
                         struct kvc_arena *arena, struct kvc_moves *ret_moves, kvcap_error *err)
{
    struct walk walk = { .at = *from, .arena = arena, .moves = ret_moves, .err = err };
    *ret_moves = (struct kvc_moves){ .count = 0 };
    walk.fit = kvc_arena_array(arena, 1, sizeof *walk.fit);
    if (walk.fit == NULL)
        return no_memory(err);
    kvcap_code rc = kvc_fit_answer(from, arena, walk.fit, err);
    if (rc == KVCAP_OK)
        rc = move_settings(&walk, to->settings);
    if (rc == KVCAP_OK) {
        struct kvc_fit_question next = walk.at;
        next.memory = to->memory;
        rc = step(&walk, &next, (struct kvc_move){ .kind = "memory", .name = "memory" });
    }
    if (rc == KVCAP_OK) {
        struct kvc_fit_question next = walk.at;
        next.model = to->model;
        rc = step(&walk, &next, (struct kvc_move){ .kind = "model", .name = "model" });
    }
    return rc == KVCAP_OK ? move_rules(&walk, &to->release) : rc;
}
