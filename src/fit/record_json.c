/* record_json.c - see record_json.h for the room and its promises. */

#include "fit/record_json.h"

#include "record/record.h"
#include "json/write.h"

static void put_setting(struct kvc_fit_text *t, const struct kvc_setting_used *setting)
{
    switch (setting->form) {
    case KVC_USED_COUNT:
        kvc_fit_put_u64(t, setting->name, setting->count);
        break;
    case KVC_USED_MINUS_ONE:
        kvc_fit_put_text(t, setting->name, kvc_span_of("-1"));
        break;
    case KVC_USED_TRUTH:
        kvc_fit_put_bool(t, setting->name, setting->truth);
        break;
    case KVC_USED_TEXT:
        kvc_fit_put_text(t, setting->name, setting->text);
        break;
    case KVC_USED_NULL:
        break;
    }
}

static void put_list(struct kvc_fit_text *t, const char *key, const struct kvc_span *list,
                     size_t count)
{
    kvc_fit_open(t, key, '[');
    for (size_t i = 0; i < count; i++)
        kvc_fit_put_text(t, NULL, list[i]);
    kvc_fit_close(t, ']');
}

static void put(void *context, const char *bytes, size_t length)
{
    kvc_fit_put(context, bytes, length);
}

bool kvc_fit_write_record(const struct kvc_fit *fit, const struct kvc_fit_question *question,
                          const struct kvc_fit_record *record, struct kvc_fit_text *t)
{
    char engine[KVC_ENGINE_WORD_ROOM];
    kvc_release_word(&question->release, engine);
    struct kvc_fit_frame frame = { .engine = kvc_span_of(engine) };
    kvc_fit_open(t, NULL, '{');
    kvc_fit_put_text(t, "kind", kvc_span_of(kvc_kind_name(KVC_KIND_FIT)));
    kvc_fit_put_u64(t, "version", 1);
    kvc_fit_put_text(t, "model", record->model);
    kvc_fit_put_bool(t, "engine_defaulted", question->release.defaulted);
    kvc_fit_put_text(t, "rules", kvc_span_of(fit->rules));
    kvc_fit_put_text(t, "claim", kvc_span_of(KVC_CLAIM_OF_FIT));
    if (record->words != NULL)
        put_list(t, "command", record->words, record->words_count);
    kvc_fit_open(t, "settings", '{');
    for (size_t i = 0; i < fit->settings.used_count; i++)
        put_setting(t, &fit->settings.used[i]);
    kvc_fit_close(t, '}');
    put_list(t, "ignored", record->ignored, record->ignored_count);
    if (record->memory != NULL) {
        struct kvc_sink sink = { put, t };
        kvc_fit_put_key(t, "memory");
        kvc_write(record->memory, NULL, &sink);
    }
    bool safe = kvc_fit_write(fit, &frame, t);
    kvc_fit_close(t, '}');
    return safe && !t->full;
}
