/* read.c - see read.h for the room and its promises. */

#include "json/read.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static const char *const TYPE_NAMES[] = {
    [KVC_NULL] = "null",        [KVC_FALSE] = "a boolean", [KVC_TRUE] = "a boolean",
    [KVC_NUMBER] = "a number",  [KVC_STRING] = "text",     [KVC_ARRAY] = "a list",
    [KVC_OBJECT] = "an object",
};

static void refuse_at(struct kvc_reader *r, enum kvc_slug slug, const char *pointer,
                      const char *format, va_list args)
{
    char sentence[sizeof r->err->text];
    vsnprintf(sentence, sizeof sentence, format, args);
    r->rc = kvc_fail(r->err, slug, pointer, "%s", sentence);
}

void kvc_refuse(struct kvc_reader *r, enum kvc_slug slug, const struct kvc_value *at,
                const char *format, ...)
{
    if (r->rc != KVCAP_OK)
        return;
    char pointer[KVC_POINTER_ROOM];
    kvc_value_pointer(at, pointer);
    va_list args;
    va_start(args, format);
    refuse_at(r, slug, pointer, format, args);
    va_end(args);
}

void kvc_refuse_member(struct kvc_reader *r, enum kvc_slug slug, const struct kvc_value *object,
                       const char *key, const char *format, ...)
{
    if (r->rc != KVCAP_OK)
        return;
    char pointer[KVC_POINTER_ROOM];
    kvc_value_pointer_below(object, key, pointer);
    va_list args;
    va_start(args, format);
    refuse_at(r, slug, pointer, format, args);
    va_end(args);
}

static void refuse_type(struct kvc_reader *r, const struct kvc_value *value, const char *due)
{
    kvc_refuse(r, KVC_RECORD_WRONG_TYPE, value, "%s is due here, not %s", due,
               TYPE_NAMES[value->type]);
}

bool kvc_has(const struct kvc_value *object, const char *key)
{
    return kvc_value_member(object, key) != NULL;
}

static bool is_known(struct kvc_span key, const struct kvc_key *keys, size_t keys_count)
{
    for (size_t i = 0; i < keys_count; i++) {
        if (kvc_span_is(key, keys[i].name))
            return true;
    }
    return false;
}

const struct kvc_value *kvc_read_keys(struct kvc_reader *r, const struct kvc_value *value,
                                      const struct kvc_key *keys, size_t keys_count)
{
    if (r->rc != KVCAP_OK || value == NULL)
        return NULL;
    if (value->type != KVC_OBJECT) {
        refuse_type(r, value, "an object");
        return NULL;
    }
    for (const struct kvc_value *member = value->first; member != NULL; member = member->next) {
        if (!is_known(member->key, keys, keys_count))
            kvc_refuse(r, KVC_RECORD_UNKNOWN_KEY, member, "this key is not known here");
    }
    for (size_t i = 0; i < keys_count; i++) {
        if (!keys[i].optional && !kvc_has(value, keys[i].name))
            kvc_refuse_member(r, KVC_RECORD_MISSING_KEY, value, keys[i].name,
                              "the key %s is missing", keys[i].name);
    }
    return r->rc == KVCAP_OK ? value : NULL;
}

/* The member, or NULL with a refusal when it is due and absent. */
static const struct kvc_value *due(struct kvc_reader *r, const struct kvc_value *object,
                                   const char *key)
{
    if (r->rc != KVCAP_OK || object == NULL)
        return NULL;
    const struct kvc_value *member = kvc_value_member(object, key);
    if (member == NULL)
        kvc_refuse_member(r, KVC_RECORD_MISSING_KEY, object, key, "the key %s is missing", key);
    return member;
}

const struct kvc_value *kvc_read_object(struct kvc_reader *r, const struct kvc_value *object,
                                        const char *key, const struct kvc_key *keys,
                                        size_t keys_count)
{
    return kvc_read_keys(r, due(r, object, key), keys, keys_count);
}

const struct kvc_value *kvc_read_array(struct kvc_reader *r, const struct kvc_value *object,
                                       const char *key, uint32_t count_min, uint32_t count_max)
{
    const struct kvc_value *array = due(r, object, key);
    if (array == NULL)
        return NULL;
    if (array->type != KVC_ARRAY)
        refuse_type(r, array, "a list");
    else if (array->count < count_min || array->count > count_max)
        kvc_refuse(r, KVC_RECORD_OUT_OF_RANGE, array,
                   "the list has %" PRIu32 " entries, not %" PRIu32 " to %" PRIu32, array->count,
                   count_min, count_max);
    return r->rc == KVCAP_OK ? array : NULL;
}

uint64_t kvc_read_value_u64(struct kvc_reader *r, const struct kvc_value *value, uint64_t min,
                            uint64_t max)
{
    if (r->rc != KVCAP_OK || value == NULL)
        return 0;
    if (value->type != KVC_NUMBER) {
        refuse_type(r, value, "an integer");
        return 0;
    }
    uint64_t number;
    if (!kvc_span_u64(value->text, &number) || number < min || number > max) {
        kvc_refuse(r, KVC_RECORD_OUT_OF_RANGE, value, "%.*s is not within %" PRIu64 " and %" PRIu64,
                   (int)(value->text.length < 24 ? value->text.length : 24), value->text.text, min,
                   max);
        return 0;
    }
    return number;
}

uint64_t kvc_read_u64(struct kvc_reader *r, const struct kvc_value *object, const char *key,
                      uint64_t min, uint64_t max)
{
    return kvc_read_value_u64(r, due(r, object, key), min, max);
}

uint32_t kvc_read_dim(struct kvc_reader *r, const struct kvc_value *object, const char *key)
{
    return (uint32_t)kvc_read_u64(r, object, key, 1, KVC_DIM_MAX);
}

uint64_t kvc_read_n0(struct kvc_reader *r, const struct kvc_value *object, const char *key)
{
    return kvc_read_u64(r, object, key, 0, KVC_SAFE_MAX);
}

uint64_t kvc_read_n1(struct kvc_reader *r, const struct kvc_value *object, const char *key)
{
    return kvc_read_u64(r, object, key, 1, KVC_SAFE_MAX);
}

bool kvc_is_name(struct kvc_span text, size_t bytes_max)
{
    if (text.length == 0 || text.length > bytes_max)
        return false;
    for (size_t i = 0; i < text.length;) {
        uint32_t point = kvc_span_code_point(text, &i);
        if (point < 0x20 || (point >= 0x7F && point <= 0x9F))
            return false;
    }
    return true;
}

static struct kvc_span text_of(struct kvc_reader *r, const struct kvc_value *value)
{
    struct kvc_span none = { .text = "", .length = 0 };
    if (r->rc != KVCAP_OK || value == NULL)
        return none;
    if (value->type != KVC_STRING) {
        refuse_type(r, value, "text");
        return none;
    }
    return value->text;
}

struct kvc_span kvc_read_text(struct kvc_reader *r, const struct kvc_value *object, const char *key)
{
    return text_of(r, due(r, object, key));
}

struct kvc_span kvc_read_value_name(struct kvc_reader *r, const struct kvc_value *value,
                                    size_t bytes_max)
{
    struct kvc_span text = text_of(r, value);
    if (r->rc == KVCAP_OK && value != NULL && !kvc_is_name(text, bytes_max))
        kvc_refuse(r, KVC_RECORD_BAD_NAME, value,
                   "this text is not 1 to %zu bytes without control characters", bytes_max);
    return text;
}

struct kvc_span kvc_read_name(struct kvc_reader *r, const struct kvc_value *object, const char *key)
{
    return kvc_read_value_name(r, due(r, object, key), KVC_NAME_BYTES_MAX);
}

size_t kvc_read_word(struct kvc_reader *r, const struct kvc_value *object, const char *key,
                     const char *const *words, size_t words_count)
{
    struct kvc_span text = kvc_read_text(r, object, key);
    if (r->rc != KVCAP_OK)
        return 0;
    for (size_t i = 0; i < words_count; i++) {
        if (kvc_span_is(text, words[i]))
            return i;
    }
    kvc_refuse_member(r, KVC_RECORD_UNKNOWN_WORD, object, key,
                      "the word \"%.*s\" is not known here",
                      (int)(text.length < 48 ? text.length : 48), text.text);
    return 0;
}
