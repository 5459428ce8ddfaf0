/* engines_form.c - the tables of engines for programs, as JSON, and as doc/engines.md.  Declared in
 * engines.h. */

#include <inttypes.h>
#include <string.h>

#include "face/cli/engines.h"

static const char *const TYPES[] = {
    [KVC_SETTING_COUNT] = "count",      [KVC_SETTING_SIGNED] = "count or -1",
    [KVC_SETTING_TRUTH] = "truth",      [KVC_SETTING_TEXT] = "text",
    [KVC_SETTING_FRACTION] = "decimal", [KVC_SETTING_OBJECT] = "object",
    [KVC_SETTING_LIST] = "list",
};

/* ---- JSON. */

static void build_text(struct kvc_build *b, struct kvc_value *object, const char *key,
                       const char *text)
{
    kvc_build_text(b, object, key, kvc_span_of(text));
}

static void build_flags(struct kvc_build *b, struct kvc_value *object, const char *key,
                        const char *flags, bool variables)
{
    struct kvc_value *list = NULL;
    while (flags != NULL && *flags != '\0') {
        size_t length = strcspn(flags, "|");
        bool is_variable = strncmp(flags, "env:", 4) == 0;
        size_t skipped = is_variable ? 4 : 0;
        if (is_variable == variables) {
            list = list == NULL ? kvc_build_array(b, object, key) : list;
            kvc_build_text(b, list, NULL, (struct kvc_span){ flags + skipped, length - skipped });
        }
        flags += length + (flags[length] == '|');
    }
}

static void build_setting(struct kvc_build *b, struct kvc_value *list,
                          const struct kvc_setting_row *row)
{
    struct kvc_value *object = kvc_build_object(b, list, NULL), *words = NULL;
    build_flags(b, object, "flags", row->flags, false);
    build_flags(b, object, "flags_false", row->no_flags, false);
    build_flags(b, object, "variables", row->flags, true);
    if (row->sizes && (row->type == KVC_SETTING_COUNT || row->type == KVC_SETTING_SIGNED)) {
        kvc_build_u64(b, object, "max", row->max);
        kvc_build_u64(b, object, "min", row->min);
    }
    build_text(b, object, "name", row->name);
    kvc_build_bool(b, object, "sizes", row->sizes);
    build_text(b, object, "text", row->text);
    build_text(b, object, "type", TYPES[row->type]);
    for (size_t i = 0; row->words != NULL && row->words[i] != NULL; i++) {
        words = words == NULL ? kvc_build_array(b, object, "words") : words;
        kvc_build_text(b, words, NULL, kvc_span_of(row->words[i]));
    }
}

static void build_change(struct kvc_build *b, struct kvc_value *list,
                         const struct kvc_engine_change *change)
{
    struct kvc_value *object = kvc_build_object(b, list, NULL);
    kvc_build_u64(b, object, "day", change->day);
    build_text(b, object, "name", change->name);
    build_text(b, object, "sentence", change->sentence);
    build_text(b, object, "source", change->source);
}

static void build_row(struct kvc_build *b, struct kvc_value *list,
                      const struct kvc_release_row *row)
{
    struct kvc_value *object = kvc_build_object(b, list, NULL);
    kvc_build_u64(b, object, "day_max", row->day_max != 0 ? row->day_max : row->day);
    kvc_build_u64(b, object, "day_min", row->day);
    build_text(b, object, "source", row->source);
    build_text(b, object, "version", row->version);
}

void kvc_engine_build(const struct kvc_engine *engine, struct kvc_build *build,
                      struct kvc_value *list)
{
    size_t count;
    const struct kvc_release_row *rows = kvc_releases_of(engine->id, &count);
    struct kvc_value *object = kvc_build_object(build, list, NULL);
    struct kvc_value *changes = kvc_build_array(build, object, "changes");
    for (size_t i = 0; i < engine->changes_count; i++)
        build_change(build, changes, &engine->changes[i]);
    if (count > 0) {
        kvc_build_u64(build, object, "day_first", kvc_release_first_day(engine->id));
        kvc_build_u64(build, object, "day_last", kvc_release_last_day(engine->id));
    }
    build_text(build, object, "name", kvc_engine_name(engine->id));
    struct kvc_value *releases = kvc_build_array(build, object, "releases");
    for (size_t i = 0; i < count; i++)
        build_row(build, releases, &rows[i]);
    build_text(build, object, "rules", engine->rules);
    struct kvc_value *settings = kvc_build_array(build, object, "settings");
    for (size_t i = 0; i < engine->settings_count; i++)
        build_setting(build, settings, &engine->settings[i]);
}

/* ---- Markdown. */

/* A bar would end a cell. */
static void put_cell(const char *text, FILE *out)
{
    for (; *text != '\0'; text++) {
        if (*text == '|')
            fputc('\\', out);
        fputc(*text, out);
    }
}

static void put_releases(const struct kvc_engine *engine, FILE *out)
{
    size_t count;
    const struct kvc_release_row *rows = kvc_releases_of(engine->id, &count);
    if (count == 0)
        return;
    fprintf(out, "\n### Releases\n\n| release | main until | source |\n|---|---|---|\n");
    for (size_t i = 0; i < count; i++) {
        char days[KVC_DAY_ROOM];
        kvc_write_days(rows[i].day, rows[i].day_max, days);
        fprintf(out, "| %s | %s | ", rows[i].version, days);
        put_cell(rows[i].source, out);
        fprintf(out, " |\n");
    }
}

static void put_changes(const struct kvc_engine *engine, FILE *out)
{
    if (engine->changes_count == 0)
        return;
    fprintf(out, "\n### Changes of rule\n\n| since | name | what | source |\n|---|---|---|---|\n");
    for (size_t i = 0; i < engine->changes_count; i++) {
        const struct kvc_engine_change *change = &engine->changes[i];
        char day[KVC_DAY_ROOM];
        kvc_write_days(change->day, 0, day);
        fprintf(out, "| %s | `%s` | ", day, change->name);
        put_cell(change->sentence, out);
        fprintf(out, " | ");
        put_cell(change->source, out);
        fprintf(out, " |\n");
    }
}

static void put_settings(const struct kvc_engine *engine, FILE *out)
{
    fprintf(out, "\n### Settings\n\n| name | is | flags, variables | what |\n|---|---|---|---|\n");
    for (size_t i = 0; i < engine->settings_count; i++) {
        const struct kvc_setting_row *row = &engine->settings[i];
        if (!row->sizes)
            continue;
        fprintf(out, "| `%s` | %s |", row->name, TYPES[row->type]);
        kvc_write_flags(row->flags, false, " `", "`", out);
        kvc_write_flags(row->no_flags, false, " `", "`", out);
        kvc_write_flags(row->flags, true, " `", "=`", out);
        fprintf(out, " | ");
        put_cell(row->text, out);
        fprintf(out, " |\n");
    }
}

static void put_passed(const struct kvc_engine *engine, FILE *out)
{
    bool any = false;
    for (size_t i = 0; i < engine->settings_count; i++) {
        const struct kvc_setting_row *row = &engine->settings[i];
        if (row->sizes || row->flags == NULL)
            continue;
        fprintf(out, any ? "\n-" : "\nPassed over, for they size nothing here:\n\n-");
        any = true;
        kvc_write_flags(row->flags, false, " `", "`", out);
        kvc_write_flags(row->no_flags, false, " `", "`", out);
    }
    fprintf(out, any ? "\n" : "");
}

void kvc_engines_markdown(FILE *out)
{
    fprintf(
        out,
        "# Engines\n\n"
        "Printed by `kvcap engines --markdown`; a test holds this file equal to it.  Rules change "
        "upstream on days, and a\nrelease follows those of the day on which it was cut from main.  "
        "Where that is known only as a span, the answers of\nboth ends are compared.  A version "
        "between two rows lies between their days.\n");
    for (int id = 0; id < KVC_ENGINE_COUNT; id++) {
        const struct kvc_engine *engine = kvc_engine_of((enum kvc_engine_id)id);
        fprintf(out, "\n## %s\n\nRules `%s`", kvc_engine_name(engine->id), engine->rules);
        if (kvc_release_last_day(engine->id) != 0) {
            char until[KVC_DAY_ROOM];
            kvc_write_days(kvc_release_last_day(engine->id), 0, until);
            fprintf(out, ", read until %s", until);
        }
        fprintf(out, ".\n");
        put_releases(engine, out);
        put_changes(engine, out);
        put_settings(engine, out);
        put_passed(engine, out);
    }
}
