/* bind.c - see bind.h for the room and its promises. */

#include "engine/bind.h"

#include <stdio.h>

#include "json/scan.h"

#define OBJECT_BYTES_MAX ((size_t)64 * 1024)

kvc_bind *kvc_bind_of(enum kvc_engine_id id)
{
    switch (id) {
    case KVC_ENGINE_VLLM:
        return kvc_vllm_bind;
    case KVC_ENGINE_LLAMACPP:
        return kvc_llamacpp_bind;
    default:
        return NULL;
    }
}

/* ---- Settings. */

static bool says_the_same(const struct kvc_value *value, const struct kvc_bind_setting *row)
{
    uint64_t count;
    if (row->word == NULL)
        return value->type == KVC_NUMBER && kvc_span_u64(value->text, &count) &&
               count == row->count;
    enum kvc_format one, other;
    if (value->type != KVC_STRING)
        return false;
    /* Words for one format, as "fp8" and "fp8_e4m3", say the same. */
    return kvc_span_is(value->text, row->word) ||
           (kvc_format_said(value->text, &one) && kvc_format_said(kvc_span_of(row->word), &other) &&
            one == other);
}

static kvcap_code contradicts(const struct kvc_bind_setting *row, kvcap_error *err)
{
    char at[96];
    snprintf(at, sizeof at, "/allocator/settings/%s", row->name);
    if (row->word != NULL)
        return kvc_fail(err, KVC_CONTRACT_SETTINGS, at, "%s of this contract comes to \"%s\"",
                        row->member, row->word);
    return kvc_fail(err, KVC_CONTRACT_SETTINGS, at, "%s of this contract comes to %llu",
                    row->member, (unsigned long long)row->count);
}

static bool is_said(const struct kvc_value *value)
{
    return value != NULL && value->type != KVC_NULL;
}

static bool is_object(const struct kvc_engine *engine, struct kvc_span name)
{
    for (size_t i = 0; i < engine->settings_count; i++) {
        if (kvc_span_is(name, engine->settings[i].name))
            return engine->settings[i].type == KVC_SETTING_OBJECT;
    }
    return false;
}

static kvcap_code copy_setting(const struct kvc_engine *engine, const struct kvc_value *given,
                               struct kvc_arena *arena, struct kvc_value *settings,
                               kvcap_error *err)
{
    struct kvc_value *copy = NULL;
    kvcap_error said;
    char at[96];
    if (given->type == KVC_STRING && is_object(engine, given->key)) {
        if (kvc_scan(arena, given->text, OBJECT_BYTES_MAX, KVC_SCAN_FOREIGN, &copy, &said) !=
            KVCAP_OK) {
            snprintf(at, sizeof at, "/allocator/settings/%.*s", (int)given->key.length,
                     given->key.text);
            return kvc_fail(err, KVC_CONTRACT_SETTINGS, at, "no JSON object: %s", said.text);
        }
        copy->key = given->key;
    } else {
        copy = kvc_arena_take(arena, sizeof *copy);
        if (copy == NULL)
            return kvc_fail(err, KVC_MEMORY_FULL, "", "the settings need more memory");
        *copy = *given;
    }
    copy->next = NULL;
    kvc_value_append(settings, copy);
    return KVCAP_OK;
}

kvcap_code kvc_bind_settings(const struct kvc_engine *engine, const struct kvc_value *given,
                             const struct kvc_bind_setting *rows, size_t rows_count,
                             struct kvc_arena *arena, struct kvc_value **ret_settings,
                             kvcap_error *err)
{
    struct kvc_build b = { .arena = arena };
    struct kvc_value *settings = kvc_build_object(&b, NULL, NULL);
    for (const struct kvc_value *e = given == NULL ? NULL : given->first; e != NULL && !b.full;
         e = e->next) {
        kvcap_code rc = copy_setting(engine, e, arena, settings, err);
        if (rc != KVCAP_OK)
            return rc;
    }
    for (size_t i = 0; i < rows_count; i++) {
        const struct kvc_value *value = kvc_value_member(given, rows[i].name);
        if (is_said(value) && !rows[i].gives_way && !says_the_same(value, &rows[i]))
            return contradicts(&rows[i], err);
        if (is_said(value))
            continue;
        if (rows[i].word != NULL)
            kvc_build_text(&b, settings, rows[i].name, kvc_span_of(rows[i].word));
        else
            kvc_build_u64(&b, settings, rows[i].name, rows[i].count);
    }
    if (b.full)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the settings need more memory");
    *ret_settings = settings;
    return KVCAP_OK;
}
