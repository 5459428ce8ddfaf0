/* value.c - see value.h for the room and its promises. */

#include "command/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/ck.h"
#include "base/decimal.h"
#include "json/scan.h"

#define OBJECT_BYTES_MAX ((size_t)64 * 1024)

static kvcap_code refuse(const struct kvc_command_value *value, const char *due)
{
    return kvc_fail(value->err, KVC_USAGE_BAD_VALUE, value->at, "%s is due: %s", due,
                    value->row->text);
}

/* ---- Truths. */

static bool is_any(struct kvc_span text, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (kvc_span_is(text, *words))
            return true;
    }
    return false;
}

bool kvc_command_truth(struct kvc_span text, bool *ret_truth)
{
    static const char *const YES[] = { "1", "true", "True", "on", "enabled", "yes", NULL };
    static const char *const NO[] = { "0", "false", "False", "off", "disabled", "no", NULL };
    *ret_truth = is_any(text, YES);
    return *ret_truth || is_any(text, NO);
}

/* ---- Counts. */

/* As int() of Python: "8_192", "+8", "008". */
static bool read_integer(struct kvc_span text, uint64_t *ret_number)
{
    uint64_t number = 0;
    size_t at = text.length > 0 && text.text[0] == '+' ? 1 : 0;
    bool was_digit = false;
    for (; at < text.length; at++) {
        char c = text.text[at];
        if (c == '_' && was_digit) {
            was_digit = false;
            continue;
        }
        if (c < '0' || c > '9' || number > KVC_SAFE_MAX / 10)
            return false;
        number = number * 10 + (uint64_t)(c - '0');
        was_digit = true;
    }
    *ret_number = number;
    return was_digit && number <= KVC_SAFE_MAX;
}

/* Digits with an optional fraction, and nothing else. */
static bool is_plain_decimal(struct kvc_span text, bool *ret_fraction)
{
    *ret_fraction = false;
    for (size_t i = 0; i < text.length; i++) {
        bool point = text.text[i] == '.' && i > 0 && i + 1 < text.length && !*ret_fraction;
        if (!point && (text.text[i] < '0' || text.text[i] > '9'))
            return false;
        *ret_fraction = *ret_fraction || point;
    }
    return text.length > 0;
}

/* k, m, g, t: the decimal number times 1000 and so on, as doubles, cut to an integer.  K, M, G, T: an
 * integer times 1024 and so on. */
static bool read_units(struct kvc_span text, uint64_t *ret_number)
{
    static const char UNITS[] = "kmgtKMGT";
    static const uint64_t DECIMAL[] = { 1000, 1000000, 1000000000, UINT64_C(1000000000000) };
    const char *unit =
        text.length < 2 ? NULL : memchr(UNITS, text.text[text.length - 1], sizeof UNITS - 1);
    struct kvc_span digits = { text.text, text.length - 1 };
    struct kvc_f64 number;
    uint64_t whole;
    bool has_fraction;
    if (unit == NULL || !is_plain_decimal(digits, &has_fraction))
        return false;
    size_t index = (size_t)(unit - UNITS);
    if (index < 4) {
        if (!kvc_f64_from_text(digits, &number))
            return false;
        number = kvc_f64_multiply(number, kvc_f64_from_u64(DECIMAL[index]));
        return kvc_f64_truncate(number, ret_number) && *ret_number <= KVC_SAFE_MAX;
    }
    if (has_fraction || !read_integer(digits, &whole))
        return false;
    struct ck product = ck_mul(ck_u64(whole), ck_u64(UINT64_C(1) << (10 * (index - 3))));
    *ret_number = product.value;
    return ck_is_safe(product);
}

/* Below 0 is a word of its own: -1, "auto", and of llama.cpp "all".  It stays as it was given. */
static bool is_word(const struct kvc_command_value *value)
{
    return value->row->type == KVC_SETTING_SIGNED &&
           (kvc_span_is(value->text, "-1") || kvc_span_is(value->text, "auto") ||
            (kvc_span_is(value->text, "all") && value->engine == KVC_ENGINE_LLAMACPP));
}

static kvcap_code put_count(const struct kvc_command_value *value, struct kvc_value *settings)
{
    const struct kvc_setting_row *row = value->row;
    uint64_t number;
    if (is_word(value)) {
        kvc_build_text(value->build, settings, row->name, value->text);
        return KVCAP_OK;
    }
    if (!read_integer(value->text, &number) && !(row->units && read_units(value->text, &number)))
        return refuse(value, row->units ? "a whole number, such as 8192, 8k (8,000) or 8K (8,192),"
                                        : "a whole number");
    if (number < row->min || number > row->max)
        return kvc_fail(value->err, KVC_USAGE_OUT_OF_RANGE, value->at,
                        "%" PRIu64 " is not within %" PRIu64 " and %" PRIu64, number, row->min,
                        row->max);
    kvc_build_u64(value->build, settings, row->name, number);
    return KVCAP_OK;
}

/* ---- Texts. */

static bool has_word(const struct kvc_setting_row *row, const char *word)
{
    for (size_t i = 0; row->words != NULL && row->words[i] != NULL; i++) {
        if (strcmp(row->words[i], word) == 0)
            return true;
    }
    return false;
}

/* llama.cpp has several words for on, off and auto. */
static struct kvc_span switch_word(const struct kvc_command_value *value)
{
    bool truth;
    if (value->engine != KVC_ENGINE_LLAMACPP || !has_word(value->row, "on"))
        return value->text;
    if (kvc_span_is(value->text, "-1") && has_word(value->row, "auto"))
        return kvc_span_of("auto");
    if (!kvc_command_truth(value->text, &truth))
        return value->text;
    return kvc_span_of(truth ? "on" : "off");
}

static kvcap_code put_word(const struct kvc_command_value *value, struct kvc_value *settings)
{
    const struct kvc_setting_row *row = value->row;
    struct kvc_span text = switch_word(value);
    char words[200] = "";
    bool known = row->words == NULL;
    for (size_t i = 0; row->words != NULL && row->words[i] != NULL; i++) {
        size_t length = strlen(words);
        known = known || kvc_span_is(text, row->words[i]);
        snprintf(words + length, sizeof words - length, "%s%s", i == 0 ? "" : ", ", row->words[i]);
    }
    if (!known)
        return kvc_fail(value->err, KVC_USAGE_BAD_VALUE, value->at, "one of these is due: %s",
                        words);
    kvc_build_text(value->build, settings, row->name, text);
    return KVCAP_OK;
}

static kvcap_code put_object(const struct kvc_command_value *value, struct kvc_value *settings)
{
    struct kvc_value *tree;
    kvcap_error error;
    kvcap_code rc = kvc_scan(value->build->arena, value->text, OBJECT_BYTES_MAX, KVC_SCAN_FOREIGN,
                             &tree, &error);
    if (rc == KVCAP_E_NOMEM)
        return kvc_fail(value->err, KVC_MEMORY_FULL, "", "the command line needs more memory");
    if (rc != KVCAP_OK)
        return kvc_fail(value->err, KVC_USAGE_BAD_VALUE, value->at,
                        "an object in JSON is due: %.120s", error.text);
    if (tree->type != KVC_OBJECT)
        return refuse(value, "an object in JSON");
    kvc_build_copy(value->build, settings, value->row->name, tree);
    return KVCAP_OK;
}

static kvcap_code put_fraction(const struct kvc_command_value *value, struct kvc_value *settings)
{
    struct kvc_f64 number;
    if (!kvc_f64_from_text(value->text, &number))
        return refuse(value, "a decimal number");
    kvc_build_text(value->build, settings, value->row->name, value->text);
    return KVCAP_OK;
}

static kvcap_code put_truth(const struct kvc_command_value *value, struct kvc_value *settings)
{
    bool truth;
    if (!kvc_command_truth(value->text, &truth))
        return refuse(value, "true or false");
    kvc_build_bool(value->build, settings, value->row->name, truth);
    return KVCAP_OK;
}

kvcap_code kvc_command_put(const struct kvc_command_value *value, struct kvc_value *settings)
{
    switch (value->row->type) {
    case KVC_SETTING_COUNT:
    case KVC_SETTING_SIGNED:
        return put_count(value, settings);
    case KVC_SETTING_TRUTH:
        return put_truth(value, settings);
    case KVC_SETTING_OBJECT:
        return put_object(value, settings);
    case KVC_SETTING_FRACTION:
        return put_fraction(value, settings);
    case KVC_SETTING_LIST:
        kvc_build_text(value->build, settings, value->row->name, value->text);
        return KVCAP_OK;
    case KVC_SETTING_TEXT:
        break;
    }
    return put_word(value, settings);
}

kvcap_code kvc_command_put_member(struct kvc_build *build, struct kvc_value *object,
                                  const char *key, struct kvc_span text, kvcap_error *err)
{
    struct kvc_value *tree;
    kvcap_code rc = kvc_scan(build->arena, text, OBJECT_BYTES_MAX, KVC_SCAN_FOREIGN, &tree, NULL);
    if (rc == KVCAP_E_NOMEM)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the command line needs more memory");
    if (rc == KVCAP_OK)
        kvc_build_copy(build, object, key, tree);
    else
        kvc_build_text(build, object, key, text);
    return KVCAP_OK;
}
