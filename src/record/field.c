/* field.c - the types of field that several kinds share: ids, digests, formats, instants.
 * Declared in record.h. */

#include <string.h>

#include "record/record.h"

static bool is_hex64(struct kvc_span text)
{
    if (text.length != KVC_SHA256_HEX)
        return false;
    for (size_t i = 0; i < text.length; i++) {
        char c = text.text[i];
        if ((c < '0' || c > '9') && (c < 'a' || c > 'f'))
            return false;
    }
    return true;
}

static struct kvc_span after(struct kvc_span text, size_t skipped)
{
    return (struct kvc_span){ .text = text.text + skipped, .length = text.length - skipped };
}

bool kvc_is_digest(struct kvc_span text)
{
    return kvc_span_starts(text, "sha256:") && is_hex64(after(text, 7));
}

/* A kind of a later program is still an id: lower-case words before the @. */
static bool is_kind_like(struct kvc_span kind)
{
    for (size_t i = 0; i < kind.length; i++) {
        if ((kind.text[i] < 'a' || kind.text[i] > 'z') && kind.text[i] != '-')
            return false;
    }
    return kvc_span_starts(kind, "kv-") && kind.length < 40;
}

bool kvc_is_id(struct kvc_span text, enum kvc_kind kind)
{
    const char *at = text.length == 0 ? NULL : memchr(text.text, '@', text.length);
    if (at == NULL)
        return false;
    struct kvc_span stated = { .text = text.text, .length = (size_t)(at - text.text) };
    bool fits =
        kind == KVC_KIND_NONE ? is_kind_like(stated) : kvc_span_is(stated, kvc_kind_name(kind));
    return fits && kvc_is_digest(after(text, stated.length + 1));
}

struct kvc_span kvc_read_id(struct kvc_reader *r, const struct kvc_value *object, const char *key,
                            enum kvc_kind kind)
{
    struct kvc_span text = kvc_read_text(r, object, key);
    if (r->rc == KVCAP_OK && object != NULL && !kvc_is_id(text, kind))
        kvc_refuse_member(r, KVC_RECORD_BAD_ID, object, key, "this is not an id of %s",
                          kind == KVC_KIND_NONE ? "a record" : kvc_kind_name(kind));
    return text;
}

struct kvc_span kvc_read_digest(struct kvc_reader *r, const struct kvc_value *object,
                                const char *key)
{
    struct kvc_span text = kvc_read_text(r, object, key);
    if (r->rc == KVCAP_OK && object != NULL && !kvc_is_digest(text))
        kvc_refuse_member(r, KVC_RECORD_BAD_DIGEST, object, key, "this is not a digest");
    return text;
}

struct kvc_identity kvc_read_identity(struct kvc_reader *r, const struct kvc_value *object)
{
    return (struct kvc_identity){ .name = kvc_read_name(r, object, "name"),
                                  .version = kvc_read_name(r, object, "version") };
}

enum kvc_format kvc_read_format(struct kvc_reader *r, const struct kvc_value *object,
                                const char *key)
{
    struct kvc_span name = kvc_read_text(r, object, key);
    enum kvc_format format = KVC_FORMAT_NONE;
    if (r->rc == KVCAP_OK && object != NULL && !kvc_format_named(name, &format))
        kvc_refuse_member(r, KVC_RECORD_UNKNOWN_WORD, object, key, "no format is called \"%.*s\"",
                          (int)(name.length < 48 ? name.length : 48), name.text);
    return format;
}

const uint64_t *kvc_read_u64_list(struct kvc_reader *r, const struct kvc_reading *reading,
                                  const struct kvc_value *object, const char *key, uint64_t min,
                                  uint32_t count_max, uint32_t *ret_count)
{
    const struct kvc_value *array = kvc_read_array(r, object, key, 1, count_max);
    if (array == NULL)
        return NULL;
    uint64_t *list = kvc_arena_array(reading->arena, array->count, sizeof *list);
    if (list == NULL) {
        kvc_refuse(r, KVC_MEMORY_FULL, array, "the list needs more memory");
        return NULL;
    }
    uint32_t i = 0;
    for (const struct kvc_value *e = array->first; e != NULL; e = e->next)
        list[i++] = kvc_read_value_u64(r, e, min, KVC_SAFE_MAX);
    *ret_count = array->count;
    return list;
}

/* ---- Instants: YYYY-MM-DDThh:mm:ss[.f]Z, f of 1 to 9 digits without trailing zero. */

static bool two_digits(struct kvc_span text, size_t at, unsigned min, unsigned max,
                       unsigned *ret_value)
{
    unsigned tens = (unsigned)(unsigned char)text.text[at] - '0';
    unsigned ones = (unsigned)(unsigned char)text.text[at + 1] - '0';
    if (tens > 9 || ones > 9)
        return false;
    *ret_value = tens * 10 + ones;
    return *ret_value >= min && *ret_value <= max;
}

static unsigned days_of(unsigned year, unsigned month)
{
    static const unsigned DAYS[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return DAYS[month - 1] + (month == 2 && leap);
}

static bool is_date_and_time(struct kvc_span text)
{
    unsigned century, year, month, day, hour, minute, second;
    return two_digits(text, 0, 0, 99, &century) && two_digits(text, 2, 0, 99, &year) &&
           two_digits(text, 5, 1, 12, &month) &&
           two_digits(text, 8, 1, days_of(century * 100 + year, month), &day) &&
           two_digits(text, 11, 0, 23, &hour) && two_digits(text, 14, 0, 59, &minute) &&
           two_digits(text, 17, 0, 59, &second);
}

static bool is_fraction(struct kvc_span digits)
{
    for (size_t i = 0; i < digits.length; i++) {
        if (digits.text[i] < '0' || digits.text[i] > '9')
            return false;
    }
    return digits.length >= 1 && digits.length <= 9 && digits.text[digits.length - 1] != '0';
}

static bool is_instant(struct kvc_span text)
{
    static const char FORM[] = "0000-00-00T00:00:00";
    const size_t whole = sizeof FORM - 1;
    if (text.length < whole + 1 || text.text[text.length - 1] != 'Z')
        return false;
    for (size_t i = 0; i < whole; i++) {
        if (FORM[i] != '0' && text.text[i] != FORM[i])
            return false;
    }
    struct kvc_span rest = { .text = text.text + whole, .length = text.length - whole - 1 };
    bool fraction_ok = rest.length == 0 || (rest.text[0] == '.' && is_fraction(after(rest, 1)));
    return fraction_ok && is_date_and_time(text);
}

struct kvc_span kvc_read_instant(struct kvc_reader *r, const struct kvc_value *object,
                                 const char *key)
{
    struct kvc_span text = kvc_read_text(r, object, key);
    if (r->rc == KVCAP_OK && object != NULL && !is_instant(text))
        kvc_refuse_member(r, KVC_RECORD_BAD_INSTANT, object, key, "this is not an instant");
    return text;
}

const struct kvc_value *kvc_read_settings(struct kvc_reader *r, const struct kvc_value *object)
{
    const struct kvc_value *settings = kvc_value_member(object, "settings");
    if (r->rc != KVCAP_OK)
        return NULL;
    if (settings == NULL || settings->type != KVC_OBJECT) {
        kvc_refuse_member(r, KVC_RECORD_WRONG_TYPE, object, "settings", "an object is due here");
        return NULL;
    }
    for (const struct kvc_value *e = settings->first; e != NULL && r->rc == KVCAP_OK; e = e->next) {
        if (e->type == KVC_NUMBER)
            kvc_read_value_u64(r, e, 0, KVC_SAFE_MAX);
        else if (e->type == KVC_STRING)
            kvc_read_value_name(r, e, KVC_LONG_TEXT_BYTES_MAX);
        else if (e->type != KVC_TRUE && e->type != KVC_FALSE)
            kvc_refuse(r, KVC_RECORD_WRONG_TYPE, e, "a setting is an integer, a truth or text");
    }
    return settings;
}
