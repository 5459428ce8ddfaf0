/* flags.c - one parser for every verb, driven by its table of flags.  Declared in cli.h. */

#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/unit.h"
#include "face/cli/cli.h"

static const char *flag_name(const void *context, size_t index)
{
    const struct kvc_verb *verb = context;
    return index < verb->flags_count ? verb->flags[index].name : NULL;
}

const char *kvc_nearest(const char *word, const char *(*name)(const void *context, size_t index),
                        const void *context)
{
    struct kvc_nearest near = kvc_nearest_begin(kvc_span_of(word));
    const char *candidate;
    for (size_t i = 0; (candidate = name(context, i)) != NULL; i++)
        kvc_nearest_offer(&near, kvc_span_of(candidate));
    return near.best.length == 0 ? NULL : near.best.text;
}

static const struct kvc_flag *flag_named(const struct kvc_verb *verb, struct kvc_span name)
{
    for (size_t i = 0; i < verb->flags_count; i++) {
        if (kvc_span_is(name, verb->flags[i].name))
            return &verb->flags[i];
    }
    return NULL;
}

static kvcap_code unknown_flag(const struct kvc_verb *verb, const char *at, kvcap_error *err)
{
    const char *nearest = kvc_nearest(at + strspn(at, "-"), flag_name, verb);
    if (nearest == NULL)
        return kvc_fail(err, KVC_USAGE_UNKNOWN_FLAG, at, "%s %s has no such flag", kvc_program,
                        verb->name);
    return kvc_fail(err, KVC_USAGE_UNKNOWN_FLAG, at, "%s %s has no such flag; the nearest is %s%s",
                    kvc_program, verb->name, nearest[1] == '\0' ? "-" : "--", nearest);
}

static kvcap_code take_flag(struct kvc_call *call, const char *word, char **argv, int argc, int *at,
                            kvcap_error *err)
{
    char place[80]; /* the flag without its value */
    size_t length = strcspn(word, "=");
    size_t dashes = word[1] == '-' ? 2 : 1;
    snprintf(place, sizeof place, "%.*s", (int)length, word);
    struct kvc_span name = { .text = word + dashes,
                             .length = length > dashes ? length - dashes : 0 };
    const struct kvc_flag *flag = flag_named(call->verb, name);
    if (flag == NULL || (dashes == 1) != (name.length == 1))
        return unknown_flag(call->verb, place, err);

    const char *value = word[length] == '=' ? word + length + 1 : NULL;
    if (flag->value == NULL && value != NULL)
        return kvc_fail(err, KVC_USAGE_BAD_VALUE, place, "--%s takes no value", flag->name);
    if (flag->value != NULL && value == NULL) {
        /* What begins as a flag is one, and the value was forgotten. */
        if (*at + 1 >= argc || strncmp(argv[*at + 1], "--", 2) == 0)
            return kvc_fail(err, KVC_USAGE_MISSING_VALUE, place, "a value %s is due", flag->value);
        value = argv[++*at];
    }
    if (!flag->many && kvc_given(call, flag->name))
        return kvc_fail(err, KVC_USAGE_REPEATED_FLAG, place, "the flag is given twice");
    call->given[call->given_count++] = (struct kvc_given){ .flag = flag, .value = value };
    return KVCAP_OK;
}

static kvcap_code check_operands(const struct kvc_call *call, kvcap_error *err)
{
    const struct kvc_verb *verb = call->verb;
    if (kvc_given(call, "help") ||
        (call->words_count >= verb->operands_min && call->words_count <= verb->operands_max))
        return KVCAP_OK;
    bool few = call->words_count < verb->operands_min;
    return kvc_fail(err, KVC_USAGE_OPERANDS, few ? "" : call->words[verb->operands_max],
                    "the form is: %s %s%s%s", kvc_program, verb->name,
                    verb->operands[0] == '\0' ? "" : " ", verb->operands);
}

kvcap_code kvc_call_parse(const struct kvc_verb *verb, int argc, char **argv,
                          struct kvc_call *ret_call, kvcap_error *err)
{
    struct kvc_call call = { .verb = verb };
    call.words = calloc((size_t)argc + 1, sizeof *call.words);
    call.given = calloc((size_t)argc + 1, sizeof *call.given);
    kvcap_code rc = KVCAP_OK;
    if (call.words == NULL || call.given == NULL)
        rc = kvc_fail(err, KVC_MEMORY_FULL, "", "the command line needs more memory");
    bool only_operands = false;
    for (int at = 0; at < argc && rc == KVCAP_OK; at++) {
        const char *word = strcmp(argv[at], "-h") == 0 ? "--help" : argv[at];
        if (!only_operands && strcmp(word, "--") == 0)
            only_operands = true;
        else if (!only_operands && word[0] == '-' && word[1] != '\0')
            rc = take_flag(&call, word, argv, argc, &at, err);
        else
            call.words[call.words_count++] = argv[at];
    }
    call.json = kvc_given(&call, "json");
    if (rc == KVCAP_OK)
        rc = check_operands(&call, err);
    *ret_call = call; /* on refusal too: it says whether --json was given */
    return rc;
}

void kvc_call_drop(struct kvc_call *call)
{
    free(call->words);
    free(call->given);
}

const char *kvc_nth_value_of(const struct kvc_call *call, const char *flag, size_t index)
{
    for (size_t i = 0; i < call->given_count; i++) {
        if (strcmp(call->given[i].flag->name, flag) == 0 && index-- == 0)
            return call->given[i].value;
    }
    return NULL;
}

const char *kvc_value_of(const struct kvc_call *call, const char *flag)
{
    return kvc_nth_value_of(call, flag, 0);
}

bool kvc_given(const struct kvc_call *call, const char *flag)
{
    for (size_t i = 0; i < call->given_count; i++) {
        if (strcmp(call->given[i].flag->name, flag) == 0)
            return true;
    }
    return false;
}

kvcap_code kvc_need_flag(const struct kvc_call *call, const char *flag, kvcap_error *err)
{
    if (kvc_given(call, flag))
        return KVCAP_OK;
    char at[64];
    snprintf(at, sizeof at, "--%s", flag);
    return kvc_fail(err, KVC_USAGE_MISSING_FLAG, at, "%s %s needs %s", kvc_program,
                    call->verb->name, at);
}

kvcap_code kvc_count_flag(const struct kvc_call *call, const char *flag, uint64_t min, uint64_t max,
                          uint64_t *value, kvcap_error *err)
{
    const char *text = kvc_value_of(call, flag);
    uint64_t count;
    char at[64];
    if (text == NULL)
        return KVCAP_OK;
    snprintf(at, sizeof at, "--%s", flag);
    kvcap_code rc = kvc_unit_count(kvc_span_of(text), at, &count, err);
    if (rc != KVCAP_OK)
        return rc;
    if (count < min || count > max)
        return kvc_fail(err, KVC_USAGE_OUT_OF_RANGE, at, "%s is not within %llu and %llu", text,
                        (unsigned long long)min, (unsigned long long)max);
    *value = count;
    return KVCAP_OK;
}

void kvc_tell_count(const struct kvc_call *call, const char *flag, uint64_t value)
{
    char thousands[KVC_UNIT_ROOM];
    const char *text = kvc_value_of(call, flag);
    if (text == NULL || strspn(text, "0123456789") == strlen(text))
        return;
    kvc_unit_thousands(value, thousands);
    fprintf(stderr, "kvcap: --%s %s is %s\n", flag, text, thousands);
}

kvcap_code kvc_bytes_flag(const struct kvc_call *call, const char *flag, uint64_t max,
                          uint64_t *value, kvcap_error *err)
{
    const char *text = kvc_value_of(call, flag);
    uint64_t bytes;
    char at[64];
    if (text == NULL)
        return KVCAP_OK;
    snprintf(at, sizeof at, "--%s", flag);
    kvcap_code rc = kvc_unit_bytes(kvc_span_of(text), at, &bytes, err);
    if (rc != KVCAP_OK)
        return rc;
    if (bytes > max)
        return kvc_fail(err, KVC_USAGE_OUT_OF_RANGE, at, "%s is past %llu bytes", text,
                        (unsigned long long)max);
    *value = bytes;
    return KVCAP_OK;
}
