/* engines.c - the verb engines: which engines are known, of which days, and by what settings.  Declared in
 * verbs.h. */

#include "face/cli/engines.h"

#include <inttypes.h>
#include <string.h>

#include "face/cli/verbs.h"
#include "os/os.h"

static void write_day(uint32_t day, char text[KVC_DAY_ROOM])
{
    snprintf(text, KVC_DAY_ROOM, "%04u-%02u-%02u", (unsigned)(day / 10000) % 10000,
             (unsigned)(day / 100 % 100), (unsigned)(day % 100));
}

void kvc_write_days(uint32_t first, uint32_t last, char ret_text[KVC_DAY_ROOM])
{
    char other[KVC_DAY_ROOM];
    write_day(first, ret_text);
    if (last == 0 || last == first)
        return;
    write_day(last, other);
    snprintf(ret_text + strlen(ret_text), KVC_DAY_ROOM - strlen(ret_text), " to %.10s", other);
}

void kvc_write_flags(const char *flags, bool variables, const char *before, const char *after,
                     FILE *out)
{
    while (flags != NULL && *flags != '\0') {
        size_t length = strcspn(flags, "|");
        bool is_variable = strncmp(flags, "env:", 4) == 0;
        const char *text = is_variable ? flags + 4 : flags;
        if (is_variable == variables)
            fprintf(out, "%s%.*s%s", before, (int)(flags + length - text), text, after);
        flags += length + (flags[length] == '|');
    }
}

static size_t sizing(const struct kvc_engine *engine)
{
    size_t count = 0;
    for (size_t i = 0; i < engine->settings_count; i++)
        count += engine->settings[i].sizes;
    return count;
}

/* ---- All engines, a line each. */

static void print_engines(void)
{
    printf("%-10s  %-12s  %8s  %-22s  %-10s  %7s  %8s\n", "engine", "rules", "releases", "from, to",
           "read until", "changes", "settings");
    for (int id = 0; id < KVC_ENGINE_COUNT; id++) {
        const struct kvc_engine *engine = kvc_engine_of((enum kvc_engine_id)id);
        size_t count;
        const struct kvc_release_row *rows = kvc_releases_of(engine->id, &count);
        char span[48] = "one version, 1", until[KVC_DAY_ROOM] = "-";
        if (count > 0) {
            snprintf(span, sizeof span, "%.20s, %.20s", rows[0].version, rows[count - 1].version);
            write_day(kvc_release_last_day(engine->id), until);
        }
        printf("%-10s  %-12s  %8zu  %-22s  %-10s  %7zu  %8zu\n", kvc_engine_name(engine->id),
               engine->rules, count, span, until, engine->changes_count, sizing(engine));
    }
    printf(
        "\nkvcap engines NAME tells releases, dated changes and settings; --explain where each was "
        "read\n");
}

/* ---- One engine. */

static void print_releases(const struct kvc_engine *engine, bool explained)
{
    size_t count;
    const struct kvc_release_row *rows = kvc_releases_of(engine->id, &count);
    if (count == 0)
        return;
    if (explained)
        printf("\n%-14s  %-24s  source\n", "release", "main until");
    else
        printf("\n%-14s  main until\n", "release");
    for (size_t i = 0; i < count; i++) {
        char days[KVC_DAY_ROOM];
        kvc_write_days(rows[i].day, rows[i].day_max, days);
        if (explained)
            printf("%-14s  %-24s  %s\n", rows[i].version, days, rows[i].source);
        else
            printf("%-14s  %s\n", rows[i].version, days);
    }
}

static void print_changes(const struct kvc_engine *engine, bool explained)
{
    if (engine->changes_count == 0)
        return;
    printf("\n%-10s  %s\n", "since", "change of rule");
    for (size_t i = 0; i < engine->changes_count; i++) {
        const struct kvc_engine_change *change = &engine->changes[i];
        char day[KVC_DAY_ROOM];
        write_day(change->day, day);
        printf("%-10s  %s: %s\n", day, change->name, change->sentence);
        if (explained)
            printf("%-10s  %s\n", "", change->source);
    }
}

static void print_settings(const struct kvc_engine *engine, bool explained)
{
    size_t passed = engine->settings_count - sizing(engine);
    printf("\n%-32s  %s\n", "setting", "flags, or variables of the environment");
    for (size_t i = 0; i < engine->settings_count; i++) {
        const struct kvc_setting_row *row = &engine->settings[i];
        if (!row->sizes)
            continue;
        printf(row->flags == NULL ? "%s" : "%-32s ", row->name);
        kvc_write_flags(row->flags, false, " ", "", stdout);
        kvc_write_flags(row->no_flags, false, " ", "", stdout);
        kvc_write_flags(row->flags, true, " ", "=", stdout);
        printf("\n");
        if (explained)
            printf("    %s\n", row->text);
    }
    if (passed > 0)
        printf("\n%zu more flags size nothing and are passed over; --json and doc/engines.md list "
               "them\n",
               passed);
}

static void print_engine(const struct kvc_engine *engine, bool explained)
{
    char until[KVC_DAY_ROOM];
    write_day(kvc_release_last_day(engine->id), until);
    printf("%s, rules %s", kvc_engine_name(engine->id), engine->rules);
    if (kvc_release_last_day(engine->id) != 0)
        printf(", read until %s", until);
    printf("\n");
    print_releases(engine, explained);
    print_changes(engine, explained);
    print_settings(engine, explained);
}

/* ---- One version: the days whose rules it has. */

static void print_release(const struct kvc_release *release)
{
    const struct kvc_engine *engine = kvc_engine_of(release->engine);
    char word[KVC_ENGINE_WORD_ROOM], days[KVC_DAY_ROOM];
    size_t in_force = 0;
    kvc_release_word(release, word);
    printf("%s", word);
    if (release->day_min == 0) {
        printf(": has one version\n");
        return;
    }
    kvc_write_days(release->day_min, release->day_max, days);
    while (in_force < engine->changes_count && engine->changes[in_force].day <= release->day_min)
        in_force++;
    printf(": the rules of %s%s\n", days,
           release->is_past_known ? ", the last that were read: it is later" : "");
    printf("%zu of %zu changes of rule are in force\n", in_force, engine->changes_count);
    for (size_t i = in_force;
         i < engine->changes_count && engine->changes[i].day <= release->day_max; i++)
        printf("may be: %s: %s\n", engine->changes[i].name, engine->changes[i].sentence);
}

static void build_release(const struct kvc_release *release, struct kvc_build *build,
                          struct kvc_value *object)
{
    const struct kvc_engine *engine = kvc_engine_of(release->engine);
    struct kvc_value *lists[2];
    kvc_build_text(build, object, "engine", kvc_span_of(kvc_engine_name(release->engine)));
    kvc_build_bool(build, object, "is_past_known", release->is_past_known);
    if (release->day_min == 0)
        return;
    kvc_build_u64(build, object, "day_max", release->day_max);
    kvc_build_u64(build, object, "day_min", release->day_min);
    kvc_build_text(build, object, "version", release->version);
    lists[0] = kvc_build_array(build, object, "changes_in_force");
    lists[1] = kvc_build_array(build, object, "changes_undetermined");
    for (size_t i = 0; i < engine->changes_count && engine->changes[i].day <= release->day_max; i++)
        kvc_build_text(build, lists[engine->changes[i].day > release->day_min], NULL,
                       kvc_span_of(engine->changes[i].name));
}

/* ---- The verb. */

static kvcap_code print_json(const struct kvc_release *release, bool has_version, kvcap_error *err)
{
    struct kvc_arena arena;
    kvc_arena_from(&arena, &kvc_os_memory, KVC_HANDLE_BYTES_MAX);
    struct kvc_build build = { .arena = &arena };
    struct kvc_value *root =
        has_version ? kvc_build_object(&build, NULL, NULL) : kvc_build_array(&build, NULL, NULL);
    if (root != NULL && has_version)
        build_release(release, &build, root);
    for (int id = 0; root != NULL && !has_version && id < KVC_ENGINE_COUNT; id++) {
        if (release == NULL || release->engine == (enum kvc_engine_id)id)
            kvc_engine_build(kvc_engine_of((enum kvc_engine_id)id), &build, root);
    }
    kvcap_code rc = build.full ? kvc_fail(err, KVC_MEMORY_FULL, "", "the table needs memory")
                               : kvc_print_value(root, &arena, err);
    kvc_arena_drop(&arena);
    return rc;
}

int kvc_verb_engines(const struct kvc_call *call)
{
    const char *word = call->words_count == 0 ? NULL : call->words[0];
    bool has_version = word != NULL && strchr(word, '@') != NULL;
    struct kvc_release release = { .defaulted = false };
    kvcap_error error;
    kvcap_code rc = KVCAP_OK;
    if (word != NULL)
        rc = kvc_release_read(kvc_span_of(word), "", &release, &error);
    if (rc == KVCAP_OK && word != NULL && kvc_given(call, "markdown"))
        rc = kvc_fail(&error, KVC_USAGE_CONFLICT, "--markdown",
                      "the whole of doc/engines.md is printed");
    if (rc == KVCAP_OK && call->json)
        rc = print_json(word == NULL ? NULL : &release, has_version, &error);
    else if (rc == KVCAP_OK && kvc_given(call, "markdown"))
        kvc_engines_markdown(stdout);
    else if (rc == KVCAP_OK && has_version)
        print_release(&release);
    else if (rc == KVCAP_OK && word != NULL)
        print_engine(kvc_engine_of(release.engine), kvc_given(call, "explain"));
    else if (rc == KVCAP_OK)
        print_engines();
    return rc == KVCAP_OK ? KVC_EXIT_YES : kvc_refused(call, &error);
}
