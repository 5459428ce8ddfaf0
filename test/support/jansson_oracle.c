/* jansson_oracle.c - see jansson_oracle.h. */

#include "support/jansson_oracle.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

/* ---- The same values. */

static bool same_value(const struct kvc_value *ours, const json_t *theirs);

static bool same_children(const struct kvc_value *ours, const json_t *theirs)
{
    bool object = ours->type == KVC_OBJECT;
    size_t count = object ? json_object_size(theirs) : json_array_size(theirs);
    if (ours->count != count)
        return false;
    for (const struct kvc_value *child = ours->first; child != NULL; child = child->next) {
        const json_t *twin = object ? json_object_getn(theirs, child->key.text, child->key.length)
                                    : json_array_get(theirs, child->index);
        if (twin == NULL || !same_value(child, twin))
            return false;
    }
    return true;
}

static bool is_whole(struct kvc_span number)
{
    for (size_t i = 0; i < number.length; i++) {
        if (number.text[i] != '-' && (number.text[i] < '0' || number.text[i] > '9'))
            return false;
    }
    return true;
}

/* The digits of a whole number up to 18 of them, or what jansson could not have read. */
static bool same_number(struct kvc_span ours, const json_t *theirs)
{
    if (!is_whole(ours))
        return json_is_real(theirs);
    char digits[32], written[32];
    if (ours.length >= sizeof digits || !json_is_integer(theirs))
        return false;
    memcpy(digits, ours.text, ours.length);
    digits[ours.length] = '\0';
    snprintf(written, sizeof written, "%" JSON_INTEGER_FORMAT, json_integer_value(theirs));
    return strcmp(strcmp(digits, "-0") == 0 ? "0" : digits, written) == 0;
}

static bool same_value(const struct kvc_value *ours, const json_t *theirs)
{
    switch (ours->type) {
    case KVC_NULL:
        return json_is_null(theirs);
    case KVC_TRUE:
        return json_is_true(theirs);
    case KVC_FALSE:
        return json_is_false(theirs);
    case KVC_NUMBER:
        return same_number(ours->text, theirs);
    case KVC_STRING:
        return json_is_string(theirs) && json_string_length(theirs) == ours->text.length &&
               (ours->text.length == 0 ||
                memcmp(json_string_value(theirs), ours->text.text, ours->text.length) == 0);
    case KVC_ARRAY:
        return json_is_array(theirs) && same_children(ours, theirs);
    case KVC_OBJECT:
        return json_is_object(theirs) && same_children(ours, theirs);
    }
    return false;
}

/* ---- What jansson read that we refused. */

#define SAFE_MAX INT64_C(9007199254740991)

static bool holds(const json_t *value, enum oracle_verdict what, unsigned depth)
{
    const char *key;
    json_t *child;
    size_t i;
    if (json_is_real(value) && what == ORACLE_FRACTION)
        return true;
    if (json_is_integer(value)) {
        json_int_t number = json_integer_value(value);
        return (what == ORACLE_NEGATIVE_ZERO && number == 0) ||
               (what == ORACLE_UNSAFE && (number > SAFE_MAX || number < -SAFE_MAX));
    }
    if ((json_is_array(value) || json_is_object(value)) && depth == KVC_DEPTH_MAX)
        return what == ORACLE_DEPTH;
    json_array_foreach(value, i, child)
    {
        if (holds(child, what, depth + 1))
            return true;
    }
    json_object_foreach((json_t *)value, key, child)
    {
        if (holds(child, what, depth + 1))
            return true;
    }
    return false;
}

#define FLAGS (JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL)

static bool is_letter_or_digit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Whether jansson reads the text as it reads it without the NULs that follow a letter or digit. */
static bool loses_nul(struct kvc_span text, const json_t *theirs)
{
    char *less = malloc(text.length + 1);
    size_t used = 0;
    for (size_t i = 0; less != NULL && i < text.length; i++) {
        if (text.text[i] != '\0' || used == 0 || !is_letter_or_digit(less[used - 1]))
            less[used++] = text.text[i];
    }
    json_t *again = used == text.length ? NULL : json_loadb(less, used, FLAGS, NULL);
    bool same = again != NULL && json_equal(again, theirs);
    json_decref(again);
    free(less);
    return same;
}

static enum oracle_verdict why_we_refused(struct kvc_span text, const json_t *theirs,
                                          const char *slug)
{
    static const struct {
        const char *slug;
        enum oracle_verdict verdict;
    } ROWS[] = {
        { "record.not_integer", ORACLE_FRACTION },
        { "record.negative_zero", ORACLE_NEGATIVE_ZERO },
        { "record.unsafe_integer", ORACLE_UNSAFE },
        { "record.too_deep", ORACLE_DEPTH },
        { "json.too_deep", ORACLE_DEPTH },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        if (strcmp(slug, ROWS[i].slug) == 0 && holds(theirs, ROWS[i].verdict, 0))
            return ROWS[i].verdict;
    }
    return loses_nul(text, theirs) ? ORACLE_NUL_LOST : ORACLE_DIFFERS;
}

/* ---- What we read that jansson refused. */

/* How far from 1 a real may lie, in decimal places: digits before the exponent and the exponent. */
static bool is_huge(struct kvc_span number)
{
    size_t i = 0;
    while (i < number.length && number.text[i] != 'e' && number.text[i] != 'E')
        i++;
    uint64_t places = i;
    i += i < number.length;
    i += i < number.length && number.text[i] == '+';
    uint64_t exponent = 0;
    for (; i < number.length && number.text[i] >= '0' && number.text[i] <= '9'; i++)
        exponent = exponent > 1000000 ? exponent : exponent * 10 + (uint64_t)(number.text[i] - '0');
    return places + exponent > 300;
}

static enum oracle_verdict why_number_was_refused(struct kvc_span number)
{
    if (memchr(number.text, 'N', number.length) != NULL ||
        memchr(number.text, 'I', number.length) != NULL)
        return ORACLE_NAN;
    if (!is_whole(number))
        return is_huge(number) ? ORACLE_HUGE_REAL : ORACLE_DIFFERS;
    return number.length >= 19 ? ORACLE_WIDE_INTEGER : ORACLE_DIFFERS;
}

static enum oracle_verdict why_they_refused(const struct kvc_value *ours, enum kvc_scan_mode mode)
{
    if (ours->key.length > 0 && memchr(ours->key.text, '\0', ours->key.length) != NULL)
        return ORACLE_NUL_IN_KEY;
    if (ours->type == KVC_NUMBER && mode == KVC_SCAN_FOREIGN)
        return why_number_was_refused(ours->text);
    for (const struct kvc_value *child = ours->first; child != NULL; child = child->next) {
        enum oracle_verdict verdict = why_they_refused(child, mode);
        if (verdict != ORACLE_DIFFERS)
            return verdict;
    }
    return ORACLE_DIFFERS;
}

enum oracle_verdict jansson_verdict(struct kvc_span text, enum kvc_scan_mode mode, kvcap_code rc,
                                    const struct kvc_value *root, const kvcap_error *err)
{
    json_t *theirs = json_loadb(text.length == 0 ? "" : text.text, text.length, FLAGS, NULL);
    enum oracle_verdict verdict = ORACLE_SAME;
    if (rc == KVCAP_OK && theirs == NULL)
        verdict = why_they_refused(root, mode);
    else if (rc != KVCAP_OK && theirs != NULL)
        verdict = why_we_refused(text, theirs, err->slug);
    else if (theirs != NULL && !same_value(root, theirs))
        verdict = ORACLE_DIFFERS;
    json_decref(theirs);
    return verdict;
}
