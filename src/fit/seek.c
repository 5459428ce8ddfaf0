/* seek.c - see seek.h for the room and its promises. */

#include "fit/seek.h"

#include <stdio.h>
#include <string.h>

#include "base/ck.h"
#include "meta/devices.h"

#define SEQUENCES_MAX UINT64_C(1024) /* llama.cpp itself takes no more than LLAMA_MAX_SEQ, 256 */

/* ---- The question with one setting put in place of what was given. */

static kvcap_code with_setting(const struct kvc_fit_question *question, const char *name,
                               uint64_t value, struct kvc_arena *arena,
                               struct kvc_fit_question *ret_question, kvcap_error *err)
{
    struct kvc_build build = { .arena = arena };
    struct kvc_value *settings = kvc_build_object(&build, NULL, NULL);
    const struct kvc_value *given = question->settings;
    for (const struct kvc_value *e = given == NULL ? NULL : given->first; e != NULL; e = e->next) {
        char *key = kvc_arena_take(arena, e->key.length + 1);
        if (key == NULL || build.full)
            return kvc_fail(err, KVC_MEMORY_FULL, "", "the settings need more memory");
        memcpy(key, e->key.text, e->key.length);
        key[e->key.length] = '\0';
        if (strcmp(key, name) != 0)
            kvc_build_copy(&build, settings, key, e);
    }
    kvc_build_u64(&build, settings, name, value);
    if (build.full)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the settings need more memory");
    *ret_question = *question;
    ret_question->settings = settings;
    return KVCAP_OK;
}

static bool fits(const struct kvc_fit *fit)
{
    return fit->answer.decision == KVC_DECISION_FIT;
}

/* ---- Bisection: the largest number at which the answer is FIT. */

struct search {
    const struct kvc_fit_question *question;
    struct kvc_arena *arena;
    struct kvc_sought *sought;
    kvcap_error *err;
    /* The question at a number. */
    kvcap_code (*put)(const struct search *search, uint64_t value,
                      struct kvc_fit_question *ret_question);
};

/* Keeps the answer where it is FIT; the rest of what was made is given back. */
static kvcap_code probe(const struct search *search, uint64_t value, bool *ret_fits)
{
    struct kvc_fit_question asked;
    struct kvc_fit fit;
    struct kvc_mark mark = kvc_arena_mark(search->arena);
    kvcap_code rc = search->put(search, value, &asked);
    if (rc == KVCAP_OK)
        rc = kvc_fit_answer(&asked, search->arena, &fit, search->err);
    if (rc != KVCAP_OK)
        return rc;
    *ret_fits = fits(&fit);
    if (*ret_fits) {
        search->sought->fit = fit;
        search->sought->value = value;
        search->sought->found = true;
    } else {
        if (fit.answer.decision == KVC_DECISION_UNDETERMINED)
            search->sought->unsure = true;
        kvc_arena_rewind(search->arena, mark);
    }
    return KVCAP_OK;
}

static kvcap_code bisect(const struct search *search, uint64_t least, uint64_t most)
{
    bool fits_here;
    kvcap_code rc = probe(search, most, &fits_here);
    search->sought->tried_max = most;
    while (rc == KVCAP_OK && !fits_here && least < most) {
        uint64_t middle = least + (most - least) / 2;
        bool middle_fits;
        rc = probe(search, middle, &middle_fits);
        if (rc != KVCAP_OK)
            break;
        if (middle_fits)
            least = middle + 1;
        else
            most = middle;
    }
    return rc;
}

static kvcap_code from_the_top(const struct search *search, uint64_t most)
{
    bool fits_here = false;
    kvcap_code rc = KVCAP_OK;
    search->sought->tried_max = most;
    for (uint64_t value = most; value > 0 && !fits_here && rc == KVCAP_OK; value--)
        rc = probe(search, value, &fits_here);
    return rc;
}

static kvcap_code put_context(const struct search *search, uint64_t value,
                              struct kvc_fit_question *ret_question)
{
    const struct kvc_engine *engine = kvc_engine_of(search->question->release.engine);
    return with_setting(search->question, engine->context_setting, value, search->arena,
                        ret_question, search->err);
}

static kvcap_code put_sequences(const struct search *search, uint64_t value,
                                struct kvc_fit_question *ret_question)
{
    const struct kvc_engine *engine = kvc_engine_of(search->question->release.engine);
    return with_setting(search->question, engine->sequences_setting, value, search->arena,
                        ret_question, search->err);
}

/* ---- Devices, by what their runtime reports. */

static kvcap_code seek_device(const struct kvc_fit_question *question, struct kvc_arena *arena,
                              struct kvc_sought *sought, kvcap_error *err)
{
    const struct kvc_device *device;
    for (size_t i = 0; (device = kvc_device_at(i)) != NULL; i++) {
        struct kvc_fit_question asked = *question;
        struct kvc_bytes_range total = { .said = true };
        struct kvc_fit fit;
        kvc_device_runtime_bytes(device, &total.least, &total.most);
        if (total.most == 0 || (sought->found && total.least >= sought->value))
            continue;
        struct kvc_engine_device *one = kvc_arena_array(arena, 1, sizeof *one);
        if (one == NULL)
            return kvc_fail(err, KVC_MEMORY_FULL, "", "the devices need more memory");
        *one = (struct kvc_engine_device){ kvc_span_of(device->name), total.least, total.least };
        asked.memory.given = true;
        asked.memory.device_total = total;
        if (question->release.engine == KVC_ENGINE_LLAMACPP) {
            asked.memory.devices = one;
            asked.memory.devices_count = 1;
        }
        kvcap_code rc = kvc_fit_answer(&asked, arena, &fit, err);
        if (rc != KVCAP_OK)
            return rc;
        if (fit.answer.decision == KVC_DECISION_UNDETERMINED)
            sought->unsure = true;
        if (!fits(&fit))
            continue;
        *sought = (struct kvc_sought){
            .found = true,
            .unsure = sought->unsure,
            .value = total.least,
            .device = device->name,
            .fit = fit,
        };
    }
    return KVCAP_OK;
}

kvcap_code kvc_fit_seek(const struct kvc_fit_question *question, enum kvc_seek what,
                        struct kvc_arena *arena, struct kvc_sought *ret_sought, kvcap_error *err)
{
    const struct kvc_engine *engine = kvc_engine_of(question->release.engine);
    struct kvc_sought sought = { .found = false };
    struct search search = { .question = question, .arena = arena, .sought = &sought, .err = err };
    uint64_t context = question->model.context_tokens;
    kvcap_code rc;
    if (what != KVC_SEEK_DEVICE && !question->memory.given)
        return kvc_fail(err, KVC_USAGE_MISSING_FLAG, "--seek",
                        "what fits depends on memory, and none was given");
    if (what == KVC_SEEK_DEVICE) {
        rc = seek_device(question, arena, &sought, err);
    } else if (what == KVC_SEEK_CONTEXT) {
        search.put = put_context;
        if (context == 0)
            return kvc_fail(err, KVC_USAGE_CONFLICT, "--seek",
                            "the model states no context to seek within");
        rc = bisect(&search, 1, context);
    } else {
        search.put = put_sequences;
        if (engine->sequences_setting == NULL)
            return kvc_fail(err, KVC_USAGE_CONFLICT, "--seek",
                            "%s has no setting for sequences at once", kvc_engine_name(engine->id));
        rc = from_the_top(&search, SEQUENCES_MAX);
    }
    if (rc == KVCAP_OK)
        *ret_sought = sought;
    return rc;
}
