/* logs_calculator.c - what calculators said of a model's cache, beside ours.  Declared in logs.h.
 *
 * Where a row has the correct size of the cache, ours is compared with it: the state of one sequence of the model's
 * own context, or of the context that is set, in the format that is set or two bytes.  They say GB and mean GiB. */

#include <inttypes.h>
#include <stdio.h>

#include "logs.h"

#define GIB 30

static void put_settings(const struct log_row *row, struct log_text *text)
{
    const struct kvc_value *format = log_member(row->settings, "type_k");
    uint64_t tokens;
    bool has_context = log_count(row->settings, "n_ctx", &tokens);
    text->length = 0;
    log_put(text, "{");
    if (has_context)
        log_put(text, "\"max_model_len\":%" PRIu64, tokens);
    if (format != NULL)
        log_put(text, "%s\"kv_cache_dtype\":\"%.*s\"", has_context ? "," : "",
                (int)format->text.length, format->text.text);
    log_put(text, "}");
}

static bool our_bytes(struct log_asker *asker, const struct log_row *row, const char *name,
                      uint64_t *ret_bytes)
{
    static struct log_text settings;
    put_settings(row, &settings);
    struct log_question question = {
        .engine = "logical", .model = name, .settings = settings.text, .memory = "{}"
    };
    const struct kvc_fit *fit = log_ask(asker, &question);
    if (fit == NULL || !fit->answer.logical_sequence_bytes.said)
        return false;
    *ret_bytes = fit->answer.logical_sequence_bytes.value;
    return true;
}

/* The first of these that a row has, with the name that it is told by. */
static const struct kvc_value *one_of(const struct kvc_value *reported, const char *const *keys)
{
    for (; *keys != NULL; keys++) {
        if (log_member(reported, *keys) != NULL)
            return log_member(reported, *keys);
    }
    return NULL;
}

static int shown(const struct kvc_value *value)
{
    return value == NULL ? 0 : (int)value->text.length;
}

void log_calculator_row(struct log_asker *asker, const struct log_row *row,
                        struct log_outcome *outcome, char ret_told[240])
{
    static const char *const ESTIMATES[] = { "estimate_gb", "estimate_gib", "kv_gib_est", NULL };
    static const char *const CORRECT[] = { "correct_gb", "correct_gib", "kv_gib", NULL };
    const struct kvc_value *estimate = one_of(row->reported, ESTIMATES);
    const struct kvc_value *correct = one_of(row->reported, CORRECT);
    const char *names[LOG_MODELS_MAX];
    bool is_loose;
    uint64_t bytes;
    size_t count = log_models(row->model, names, &is_loose);
    if (count == 0 || is_loose || !our_bytes(asker, row, names[0], &bytes)) {
        snprintf(ret_told, 240,
                 "the calculator said %.*s, ours is not known: no model of this name",
                 shown(estimate), estimate == NULL ? "" : estimate->text.text);
        return;
    }
    uint64_t hundredths = (bytes * 25 + (UINT64_C(1) << 27)) >> 28;
    snprintf(ret_told, 240,
             "ours is %" PRIu64 ".%02" PRIu64 " GiB; the calculator said %.*s, correct is %.*s",
             hundredths / 100, hundredths % 100, shown(estimate),
             estimate == NULL ? "" : estimate->text.text, correct == NULL ? 8 : shown(correct),
             correct == NULL ? "not told" : correct->text.text);
    if (correct != NULL)
        log_compare_bytes(outcome, "the correct size", correct, GIB, bytes);
}
