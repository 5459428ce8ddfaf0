/* logs_row.c - reading the printed numbers of a row, and comparing them.  Declared in logs.h. */

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "logs.h"

/* ---- Members. */

const struct kvc_value *log_member(const struct kvc_value *object, const char *key)
{
    const struct kvc_value *value = kvc_value_member(object, key);
    return value == NULL || value->type == KVC_NULL ? NULL : value;
}

bool log_count(const struct kvc_value *object, const char *key, uint64_t *ret_count)
{
    const struct kvc_value *value = log_member(object, key);
    size_t digits = 0;
    if (value == NULL || (value->type != KVC_NUMBER && value->type != KVC_STRING))
        return false;
    while (digits < value->text.length && isdigit((unsigned char)value->text.text[digits]))
        digits++;
    if (value->type == KVC_NUMBER && digits != value->text.length)
        return false;
    return kvc_span_u64((struct kvc_span){ value->text.text, digits }, ret_count);
}

bool log_hundredths(struct kvc_span text, uint64_t *ret_hundredths)
{
    uint64_t digits = 0;
    unsigned places = 0;
    bool point = false, any = false;
    for (size_t i = 0; i < text.length; i++) {
        if (text.text[i] == '.' && !point) {
            point = true;
            continue;
        }
        if (!isdigit((unsigned char)text.text[i]) || digits > UINT64_C(1000000000000000))
            return false;
        digits = digits * 10 + (uint64_t)(text.text[i] - '0');
        places += point;
        any = true;
    }
    if (!any || places > 2)
        return false;
    for (; places < 2; places++)
        digits *= 10;
    *ret_hundredths = digits;
    return true;
}

bool log_printed(const struct kvc_value *value, unsigned unit_shift,
                 struct kvc_bytes_range *ret_range)
{
    unsigned down = 30 - unit_shift;
    if (value == NULL || value->type != KVC_NUMBER || !kvc_fit_printed_gib(value->text, ret_range))
        return false;
    ret_range->least = (ret_range->least + (UINT64_C(1) << down) - 1) >> down;
    ret_range->most >>= down;
    return true;
}

/* ---- Comparing. */

void log_differ(struct log_outcome *outcome, const char *what, const char *expected,
                const char *got_format, ...)
{
    va_list args;
    if (outcome->differs)
        return;
    outcome->differs = true;
    snprintf(outcome->what, sizeof outcome->what, "%s", what);
    snprintf(outcome->expected, sizeof outcome->expected, "%.60s %.150s", what, expected);
    va_start(args, got_format);
    vsnprintf(outcome->got, sizeof outcome->got, got_format, args);
    va_end(args);
}

void log_compare(struct log_outcome *outcome, const char *what, uint64_t printed, uint64_t least,
                 uint64_t most)
{
    char expected[40];
    if (printed >= least && printed <= most) {
        outcome->compared++;
        return;
    }
    snprintf(expected, sizeof expected, "%llu", (unsigned long long)printed);
    log_differ(outcome, what, expected, "%llu to %llu", (unsigned long long)least,
               (unsigned long long)most);
}

void log_compare_bytes(struct log_outcome *outcome, const char *what,
                       const struct kvc_value *printed, unsigned unit_shift, uint64_t bytes)
{
    struct kvc_bytes_range range;
    char expected[60];
    if (!log_printed(printed, unit_shift, &range)) {
        log_miss(outcome, "%s is no printed decimal", what);
        return;
    }
    if (bytes >= range.least && bytes <= range.most) {
        outcome->compared++;
        return;
    }
    snprintf(expected, sizeof expected, "%.*s", (int)printed->text.length, printed->text.text);
    log_differ(outcome, what, expected, "%llu bytes", (unsigned long long)bytes);
}

void log_compare_truth(struct log_outcome *outcome, const char *what, bool printed, bool predicted)
{
    if (printed == predicted)
        outcome->compared++;
    else
        log_differ(outcome, what, printed ? "true" : "false", "%s", predicted ? "true" : "false");
}

void log_excuse(struct log_outcome *outcome, const char *setting)
{
    char what[sizeof outcome->what];
    memcpy(what, outcome->what, sizeof what);
    *outcome = (struct log_outcome){ .compared = 0 };
    log_miss(outcome, "%s: it is not told, and %s is another than by its default", setting, what);
}

void log_miss(struct log_outcome *outcome, const char *format, ...)
{
    va_list args;
    if (outcome->missing[0] != '\0')
        return;
    va_start(args, format);
    vsnprintf(outcome->missing, sizeof outcome->missing, format, args);
    va_end(args);
}

bool log_is_better(const struct log_outcome *one, const struct log_outcome *other)
{
    bool good = one->compared > 0 && !one->differs,
         other_good = other->compared > 0 && !other->differs;
    bool any = one->compared > 0 || one->differs, other_any = other->compared > 0 || other->differs;
    if (good != other_good)
        return good;
    if (any != other_any)
        return any;
    return one->compared > other->compared;
}

/* ---- Text. */

void log_put(struct log_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length =
        vsnprintf(text->text + text->length, sizeof text->text - text->length, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof text->text - text->length)
        broken("logs", "a row is longer than the suite has room for");
    text->length += (size_t)length;
}

static void put_string(struct log_text *text, struct kvc_span string)
{
    log_put(text, "\"");
    for (size_t i = 0; i < string.length; i++) {
        unsigned char c = (unsigned char)string.text[i];
        if (c == '"' || c == '\\')
            log_put(text, "\\%c", c);
        else if (c < ' ')
            log_put(text, "\\u%04x", c);
        else
            log_put(text, "%c", c);
    }
    log_put(text, "\"");
}

/* Flat values, and lists of them: rows have no others where they are settings. */
void log_put_value(struct log_text *text, const struct kvc_value *value)
{
    switch (value->type) {
    case KVC_STRING:
        put_string(text, value->text);
        break;
    case KVC_NUMBER:
        log_put(text, "%.*s", (int)value->text.length, value->text.text);
        break;
    case KVC_TRUE:
        log_put(text, "true");
        break;
    case KVC_FALSE:
        log_put(text, "false");
        break;
    case KVC_ARRAY:
        for (const struct kvc_value *e = value->first; e != NULL; e = e->next) {
            log_put(text, e == value->first ? "[" : ",");
            log_put_value(text, e);
        }
        log_put(text, value->first == NULL ? "[]" : "]");
        break;
    case KVC_OBJECT:
        for (const struct kvc_value *e = value->first; e != NULL; e = e->next) {
            log_put(text, e == value->first ? "{" : ",");
            put_string(text, e->key);
            log_put(text, ":");
            log_put_value(text, e);
        }
        log_put(text, value->first == NULL ? "{}" : "}");
        break;
    default:
        log_put(text, "null");
    }
}
