/* settings.c - see settings.h for the room and its promises. */

#include "engine/settings.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/nearest.h"

static const struct kvc_setting_row *row_named(const struct kvc_settings *settings,
                                               struct kvc_span name)
{
    char first = name.length == 0 ? '\0' : name.text[0]; /* most rows differ in it */
    for (size_t i = 0; i < settings->rows_count; i++) {
        if (settings->rows[i].name[0] == first && kvc_span_is(name, settings->rows[i].name))
            return &settings->rows[i];
    }
    return NULL;
}

/* The pointer of a member: "/settings/max_model_len". */
static void place(const struct kvc_settings *settings, struct kvc_span name, char ret_at[160])
{
    snprintf(ret_at, 160, "%.40s/%.*s", settings->at, (int)(name.length > 100 ? 100 : name.length),
             name.text);
}

static void refuse(struct kvc_settings *settings, enum kvc_slug slug, struct kvc_span name,
                   const char *sentence)
{
    char at[160];
    if (settings->rc != KVCAP_OK)
        return;
    place(settings, name, at);
    settings->rc = kvc_fail(settings->err, slug, at, "%s", sentence);
}

void kvc_setting_refuse(struct kvc_settings *settings, const char *name, const char *format, ...)
{
    char sentence[240];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    refuse(settings, KVC_USAGE_BAD_SETTING, kvc_span_of(name), sentence);
}

/* ---- What is given, against the table. */

static void refuse_unknown(struct kvc_settings *settings, struct kvc_span name)
{
    struct kvc_nearest near = kvc_nearest_begin(name);
    char sentence[240];
    for (size_t i = 0; i < settings->rows_count; i++)
        kvc_nearest_offer(&near, kvc_span_of(settings->rows[i].name));
    snprintf(sentence, sizeof sentence, "the engine has no setting of this name%s%.*s",
             near.best.length == 0 ? "" : "; the nearest is ", (int)near.best.length,
             near.best.text);
    refuse(settings, KVC_USAGE_UNKNOWN_SETTING, name, sentence);
}

static void refuse_type(struct kvc_settings *settings, const struct kvc_setting_row *row,
                        const char *due)
{
    kvc_setting_refuse(settings, row->name, "%s is due here", due);
}

/* -1, or the word for it; a record has it as text, for it has no negative numbers. */
static bool is_minus_one(const struct kvc_setting_row *row, const struct kvc_value *value)
{
    bool is_text = value->type == KVC_STRING || value->type == KVC_NUMBER;
    return row->type == KVC_SETTING_SIGNED && is_text &&
           (kvc_span_is(value->text, "-1") || kvc_span_is(value->text, "auto") ||
            kvc_span_is(value->text, "all"));
}

static void check_count(struct kvc_settings *settings, const struct kvc_setting_row *row,
                        const struct kvc_value *value)
{
    uint64_t count;
    if (is_minus_one(row, value))
        return;
    if (value->type != KVC_NUMBER || !kvc_span_u64(value->text, &count))
        refuse_type(settings, row, "a whole number");
    else if (count < row->min || count > row->max)
        kvc_setting_refuse(settings, row->name,
                           "%" PRIu64 " is not within %" PRIu64 " and %" PRIu64, count, row->min,
                           row->max);
}

static void refuse_word(struct kvc_settings *settings, const struct kvc_setting_row *row)
{
    char words[200] = "";
    for (size_t i = 0; row->words[i] != NULL; i++) {
        size_t length = strlen(words);
        snprintf(words + length, sizeof words - length, "%s%s", i == 0 ? "" : ", ", row->words[i]);
    }
    kvc_setting_refuse(settings, row->name, "one of these is due: %s", words);
}

static void check_word(struct kvc_settings *settings, const struct kvc_setting_row *row,
                       const struct kvc_value *value)
{
    if (value->type != KVC_STRING) {
        refuse_type(settings, row, "a text");
        return;
    }
    if (row->words == NULL)
        return;
    for (size_t i = 0; row->words[i] != NULL; i++) {
        if (kvc_span_is(value->text, row->words[i]))
            return;
    }
    refuse_word(settings, row);
}

/* A decimal, as a text or as a JSON number. */
static void check_fraction(struct kvc_settings *settings, const struct kvc_setting_row *row,
                           const struct kvc_value *value)
{
    struct kvc_f64 number;
    bool is_text = value->type == KVC_STRING || value->type == KVC_NUMBER;
    if (!is_text || !kvc_f64_from_text(value->text, &number))
        refuse_type(settings, row, "a decimal number");
}

static void check(struct kvc_settings *settings, const struct kvc_setting_row *row,
                  const struct kvc_value *value)
{
    if (value->type == KVC_NULL) /* as Python's None: not given */
        return;
    switch (row->type) {
    case KVC_SETTING_COUNT:
    case KVC_SETTING_SIGNED:
        check_count(settings, row, value);
        break;
    case KVC_SETTING_TRUTH:
        if (value->type != KVC_TRUE && value->type != KVC_FALSE)
            refuse_type(settings, row, "true or false");
        break;
    case KVC_SETTING_TEXT:
        check_word(settings, row, value);
        break;
    case KVC_SETTING_FRACTION:
        check_fraction(settings, row, value);
        break;
    case KVC_SETTING_OBJECT:
        if (value->type != KVC_OBJECT)
            refuse_type(settings, row, "an object");
        break;
    case KVC_SETTING_LIST:
        if (value->type != KVC_ARRAY && value->type != KVC_STRING)
            refuse_type(settings, row, "a list");
        break;
    }
}

void kvc_settings_begin(struct kvc_settings *settings, const struct kvc_value *given,
                        const struct kvc_setting_row *rows, size_t rows_count, const char *at,
                        struct kvc_arena *arena, kvcap_error *err)
{
    settings->given = given;
    settings->rows = rows;
    settings->rows_count = rows_count;
    settings->at = at;
    settings->arena = arena;
    settings->rc = KVCAP_OK;
    settings->err = err;
    settings->used_count = 0;
    if (given == NULL)
        return;
    if (given->type != KVC_OBJECT) {
        settings->rc = kvc_fail(err, KVC_USAGE_BAD_SETTING, at, "settings are an object");
        return;
    }
    for (const struct kvc_value *e = given->first; e != NULL && settings->rc == KVCAP_OK;
         e = e->next) {
        const struct kvc_setting_row *row = row_named(settings, e->key);
        if (row == NULL)
            refuse_unknown(settings, e->key);
        else
            check(settings, row, e);
    }
}

/* ---- Reading.  What was checked above needs no second refusal. */

static const struct kvc_value *said(const struct kvc_settings *settings, const char *name)
{
    const struct kvc_value *value =
        settings->rc == KVCAP_OK ? kvc_value_member(settings->given, name) : NULL;
    return value == NULL || value->type == KVC_NULL ? NULL : value;
}

bool kvc_setting_said(const struct kvc_settings *settings, const char *name)
{
    return said(settings, name) != NULL;
}

const struct kvc_setting_used *kvc_setting_used(const struct kvc_settings *settings,
                                                const char *name)
{
    for (size_t i = 0; i < settings->used_count; i++) {
        const char *is =
            settings->used[i].name; /* mostly another, and mostly at its first letter */
        if (is == name || (is[0] == name[0] && strcmp(is, name) == 0))
            return &settings->used[i];
    }
    return NULL;
}

static struct kvc_setting_used *used(struct kvc_settings *settings, const char *name)
{
    const struct kvc_setting_used *found = kvc_setting_used(settings, name);
    if (found != NULL)
        return &settings->used[found - settings->used];
    assert(settings->used_count < KVC_SETTINGS_USED_MAX);
    struct kvc_setting_used *entry = &settings->used[settings->used_count++];
    *entry = (struct kvc_setting_used){ .name = name };
    return entry;
}

uint64_t kvc_setting_count(struct kvc_settings *settings, const char *name, uint64_t absent)
{
    const struct kvc_value *value = said(settings, name);
    struct kvc_setting_used *entry = used(settings, name);
    uint64_t count = absent;
    if (value != NULL && !kvc_span_u64(value->text, &count))
        count = KVC_SETTING_MINUS_ONE;
    entry->form = count == KVC_SETTING_MINUS_ONE ? KVC_USED_MINUS_ONE : KVC_USED_COUNT;
    entry->count = count;
    entry->given = value != NULL;
    return count;
}

bool kvc_setting_truth(struct kvc_settings *settings, const char *name, bool absent)
{
    const struct kvc_value *value = said(settings, name);
    struct kvc_setting_used *entry = used(settings, name);
    entry->form = KVC_USED_TRUTH;
    entry->truth = value == NULL ? absent : value->type == KVC_TRUE;
    entry->given = value != NULL;
    return entry->truth;
}

struct kvc_span kvc_setting_text(struct kvc_settings *settings, const char *name,
                                 const char *absent)
{
    const struct kvc_value *value = said(settings, name);
    struct kvc_setting_used *entry = used(settings, name);
    struct kvc_span text = { NULL, 0 };
    if (value != NULL)
        text = value->text;
    else if (absent != NULL)
        text = kvc_span_of(absent);
    entry->form = text.text == NULL ? KVC_USED_NULL : KVC_USED_TEXT;
    entry->text = text;
    entry->given = value != NULL;
    return text;
}

const struct kvc_value *kvc_setting_value(struct kvc_settings *settings, const char *name)
{
    return said(settings, name);
}

void kvc_setting_note_count(struct kvc_settings *settings, const char *name, uint64_t value)
{
    struct kvc_setting_used *entry = used(settings, name);
    entry->form = KVC_USED_COUNT;
    entry->count = value;
}

void kvc_setting_note_text(struct kvc_settings *settings, const char *name, const char *value)
{
    struct kvc_setting_used *entry = used(settings, name);
    entry->form = KVC_USED_TEXT;
    entry->text = kvc_span_of(value);
}
