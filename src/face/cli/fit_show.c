/* fit_show.c - a fit for people: the decision, then what it rests on.  Declared in fit.h. */

#include <inttypes.h>
#include <string.h>

#include "base/unit.h"
#include "face/cli/fit.h"

static void thousands(FILE *out, const char *format, uint64_t value)
{
    char text[KVC_UNIT_ROOM];
    kvc_unit_thousands(value, text);
    fprintf(out, format, text);
}

/* Bytes for reading and to the byte: "4.906 GiB (5,268,045,824 bytes)". */
static void bytes(FILE *out, uint64_t value)
{
    char readable[KVC_UNIT_ROOM];
    kvc_unit_readable(value, readable);
    fprintf(out, "%s", readable);
    thousands(out, " (%s bytes)", value);
}

/* A column of it: right-aligned, or "-". */
static void column(FILE *out, int width, struct kvc_maybe number, bool as_bytes)
{
    char text[KVC_UNIT_ROOM] = "-";
    if (number.said && as_bytes)
        kvc_unit_readable(number.value, text);
    else if (number.said)
        kvc_unit_thousands(number.value, text);
    fprintf(out, "  %*s", width, text);
}

/* ---- The first line. */

static void print_decision(const struct kvc_answer *a, FILE *out)
{
    const char *word = kvc_decision_name(a->decision);
    if (a->decision == KVC_DECISION_NONE)
        word = "no memory was given: nothing is compared";
    fprintf(out, "%s%s", a->decision == KVC_DECISION_NONE ? "" : "decision=", word);
    if (a->max_concurrency.text != NULL && a->max_model_len.said) {
        fprintf(out, ": %s sequences", a->max_concurrency.text);
        thousands(out, " of %s tokens at once", a->max_model_len.value);
    } else if (a->needed_bytes.said && a->available_bytes.said) {
        char needed[KVC_UNIT_ROOM], available[KVC_UNIT_ROOM];
        kvc_unit_readable(a->needed_bytes.value, needed);
        kvc_unit_readable(a->available_bytes.value, available);
        fprintf(out, ": %s are needed, %s are available", needed, available);
    }
    fprintf(out, "\n");
}

static void put_days(const struct kvc_release *release, FILE *out)
{
    uint32_t a = release->day_min, b = release->day_max;
    fprintf(out,
            "; cut between %04" PRIu32 "-%02" PRIu32 "-%02" PRIu32 " and %04" PRIu32 "-%02" PRIu32
            "-%02" PRIu32,
            a / 10000, a / 100 % 100, a % 100, b / 10000, b / 100 % 100, b % 100);
}

static void print_question(const struct kvc_fit_shown *shown, FILE *out)
{
    char word[KVC_ENGINE_WORD_ROOM];
    const struct kvc_release *release = &shown->question->release;
    kvc_release_word(release, word);
    fprintf(out, "engine   %s%s, rules %s", word,
            release->defaulted ? " (no version was given: the newest profile)" : "",
            shown->fit->rules);
    if (release->day_min != release->day_max)
        put_days(release, out);
    fprintf(out, "\nmodel    ");
    kvc_show(out, shown->model_name);
    fprintf(out, "\n");
}

/* ---- The two numbers side by side. */

static void print_sizes(const struct kvc_answer *a, FILE *out)
{
    if (!a->logical_token_bytes.said && !a->reserved_sequence_bytes.said &&
        !a->reserved_total_bytes.said)
        return;
    fprintf(out, "\n  %-12s  %14s  %14s\n", "", "logical", "reserved");
    fprintf(out, "  %-12s", "a token");
    column(out, 14, a->logical_token_bytes, true);
    column(out, 14, (struct kvc_maybe){ .said = false }, true);
    fprintf(out, "\n  %-12s", "a sequence");
    column(out, 14, a->logical_sequence_bytes, true);
    column(out, 14, a->reserved_sequence_bytes, true);
    fprintf(out, "\n  %-12s", "in all");
    column(out, 14, (struct kvc_maybe){ .said = false }, true);
    column(out, 14, a->reserved_total_bytes, true);
    fprintf(out, "\n");
}

static void print_range(FILE *out, const char *what, struct kvc_maybe number,
                        const struct kvc_fit_range *range)
{
    if (number.said)
        thousands(out, "%s", number.value);
    else if (range->said) {
        thousands(out, "%s to ", range->least);
        thousands(out, "%s", range->most);
    } else {
        return;
    }
    fprintf(out, " %s", what);
}

static void print_pool(const struct kvc_fit *fit, FILE *out)
{
    const struct kvc_answer *a = &fit->answer;
    if (a->groups_count == 0)
        return;
    fprintf(out, "\npool     ");
    print_range(out, "blocks", a->num_blocks, &fit->num_blocks);
    if (a->block_bytes.said) {
        fprintf(out, "%s", a->num_blocks.said || fit->num_blocks.said ? ", a block " : "a block ");
        bytes(out, a->block_bytes.value);
    }
    fprintf(out, "\n");
    if (a->tokens.said || fit->tokens.said) {
        fprintf(out, "         ");
        print_range(out, "tokens as the engine counts them", a->tokens, &fit->tokens);
        fprintf(out, "\n");
    }
    fprintf(out, "  %-16s  %8s  %12s  %14s  %18s\n", "group", "layers", "block tokens", "page",
            "blocks a request");
    for (uint32_t i = 0; i < a->groups_count; i++) {
        const struct kvc_answer_group *group = &a->groups[i];
        fprintf(out, "  %-16s", group->kind);
        column(out, 8, kvc_said(group->layers), false);
        column(out, 12, kvc_said(group->block_tokens), false);
        column(out, 14, kvc_said(group->page_bytes), true);
        column(out, 18, group->blocks_per_request, false);
        fprintf(out, "\n");
    }
}

static void print_caches(const struct kvc_answer *a, FILE *out)
{
    if (a->caches_count == 0)
        return;
    fprintf(out, "\n  %-10s  %10s  %7s  %8s  %14s  %14s\n", "cache", "cells", "layers", "streams",
            "K or R", "V or S");
    for (uint32_t i = 0; i < a->caches_count; i++) {
        const struct kvc_answer_cache *cache = &a->caches[i];
        fprintf(out, "  %-10s", cache->kind);
        column(out, 10, cache->cells, false);
        column(out, 7, cache->layers, false);
        column(out, 8, cache->streams, false);
        column(out, 14,
               cache->k_bytes.said   ? cache->k_bytes
               : cache->r_bytes.said ? cache->r_bytes
                                     : cache->bytes,
               true);
        column(out, 14, cache->v_bytes.said ? cache->v_bytes : cache->s_bytes, true);
        fprintf(out, "\n");
    }
}

static void print_devices(const struct kvc_answer *a, FILE *out)
{
    static const char *const LABELS[] = { "declared", "derived", "estimated", "measured",
                                          "unknown" };
    if (a->devices_count == 0)
        return;
    fprintf(out, "\n  %-12s  %14s  %14s  %14s  %s\n", "device", "weights", "cache", "compute",
            "compute is");
    for (uint32_t i = 0; i < a->devices_count; i++) {
        const struct kvc_answer_device *device = &a->devices[i];
        fprintf(out, "  %-12s", device->name);
        column(out, 14, device->weights_bytes, true);
        column(out, 14, device->cache_bytes, true);
        column(out, 14, device->compute_bytes, true);
        fprintf(out, "  %s\n", LABELS[device->label]);
    }
}

/* ---- Words. */

static void print_refusal(const struct kvc_fit *fit, FILE *out)
{
    const struct kvc_answer *a = &fit->answer;
    const struct kvc_fit_range *range = &fit->estimated_max_model_len;
    if (a->refusal_text.text != NULL) {
        fprintf(out, "\nthe engine refuses to start:\n  ");
        kvc_show(out, a->refusal_text.text);
        fprintf(out, "\n");
    }
    if (a->estimated_max_model_len.said)
        thousands(out, "  its longest context would be %s tokens\n",
                  a->estimated_max_model_len.value);
    if (range->said) {
        thousands(out, "\nthe longest context that starts is %s", range->least);
        thousands(out, " to %s tokens\n", range->most);
    }
}

static void print_lines(const struct kvc_answer *a, FILE *out)
{
    if (a->lines_count == 0)
        return;
    fprintf(out, "\nthe engine prints:\n");
    for (uint32_t i = 0; i < a->lines_count; i++) {
        fprintf(out, "  ");
        kvc_show(out, a->lines[i].text);
        fprintf(out, "\n");
    }
}

static void print_undetermined(const struct kvc_answer *a, FILE *out)
{
    for (uint32_t i = 0; i < a->undetermined_count; i++) {
        const struct kvc_answer_undetermined *entry = &a->undetermined[i];
        fprintf(out, "%scannot be said: ", i == 0 ? "\n" : "");
        if (entry->layer.said)
            fprintf(out, "layer %" PRIu64 ", ", entry->layer.value);
        fprintf(out, "%.*s: %.*s\n", (int)entry->key.length, entry->key.text,
                (int)entry->reason.length, entry->reason.text);
        for (size_t j = 0; j < 2 && entry->answers[0].text != NULL; j++)
            fprintf(out, "  either: %s\n", entry->answers[j].text);
    }
}

static void print_steps(const struct kvc_answer *a, FILE *out)
{
    if (a->steps_count > 0)
        fprintf(out, "\nhow it follows:\n");
    for (uint32_t i = 0; i < a->steps_count; i++) {
        const struct kvc_answer_step *step = &a->steps[i];
        fprintf(out, "  %s = %s\n      = %s\n      %s\n", step->name, step->value.text,
                step->formula.text, step->source);
    }
}

static void print_settings(const struct kvc_fit *fit, FILE *out)
{
    fprintf(out, "\nsettings that entered (* as given, the others are the engine's defaults):\n");
    for (size_t i = 0; i < fit->settings.used_count; i++) {
        const struct kvc_setting_used *used = &fit->settings.used[i];
        fprintf(out, "  %c %s = ", used->given ? '*' : ' ', used->name);
        switch (used->form) {
        case KVC_USED_COUNT:
            thousands(out, "%s\n", used->count);
            break;
        case KVC_USED_TRUTH:
            fprintf(out, "%s\n", used->truth ? "true" : "false");
            break;
        case KVC_USED_TEXT:
            fprintf(out, "%.*s\n", (int)used->text.length, used->text.text);
            break;
        default:
            fprintf(out, "%s\n", used->form == KVC_USED_NULL ? "none" : "-1");
            break;
        }
    }
}

static void print_ignored(const struct kvc_fit_shown *shown, FILE *out)
{
    if (shown->ignored_count == 0)
        return;
    fprintf(out, "\nflags that do not touch this memory:");
    for (size_t i = 0; i < shown->ignored_count; i++)
        fprintf(out, " %.*s", (int)shown->ignored[i].length, shown->ignored[i].text);
    fprintf(out, "\n");
}

void kvc_fit_show(const struct kvc_fit_shown *shown, FILE *out)
{
    const struct kvc_answer *a = &shown->fit->answer;
    print_decision(a, out);
    print_question(shown, out);
    print_undetermined(a, out);
    print_sizes(a, out);
    print_pool(shown->fit, out);
    print_caches(a, out);
    print_devices(a, out);
    print_refusal(shown->fit, out);
    print_lines(a, out);
    if (shown->explain) {
        print_steps(a, out);
        print_settings(shown->fit, out);
    }
    print_ignored(shown, out);
    for (size_t i = 0; i < a->notes.count; i++)
        fprintf(out, "note: %s\n", a->notes.list[i].text);
}
