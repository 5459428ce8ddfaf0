/* release.c - see release.h for the room and its promises.
 *
 *   rows      0.10.2            0.11.0              0.12.0
 *   days  ------+-----------------+-------------------+-----> 2026-08-17, the last that was read
 *                                 ^         0.11.3: between the two around it
 *                              0.11.0: this one
 */

#include "engine/release.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "engine/version.h"

static const char *const NAMES[KVC_ENGINE_COUNT] = { "logical", "paged", "vllm", "llama.cpp" };

/* Engines that people run and whose rules are not here. */
static const char *const OTHERS[] = { "sglang",    "tensorrt-llm", "trtllm",    "trt-llm",
                                      "tgi",       "lmdeploy",     "ollama",    "mlx",
                                      "mlx-lm",    "ik_llama.cpp", "exllamav2", "exllamav3",
                                      "koboldcpp", "lmstudio" };

const char *kvc_engine_name(enum kvc_engine_id engine)
{
    return NAMES[engine];
}

/* ---- Days. */

static bool is_leap(uint32_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static uint32_t days_in(uint32_t year, uint32_t month)
{
    static const uint8_t DAYS[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    return (uint32_t)DAYS[month - 1] + (month == 2 && is_leap(year) ? 1u : 0u);
}

/* A day so many days later, as YYYYMMDD; far fewer steps than days. */
static uint32_t later(uint32_t day, uint32_t days)
{
    uint32_t year = day / 10000, month = day / 100 % 100, of_month = day % 100 + days;
    while (of_month > days_in(year, month)) {
        of_month -= days_in(year, month);
        month = month == 12 ? 1 : month + 1;
        year += month == 1;
    }
    return year * 10000 + month * 100 + of_month;
}

static bool number_at(struct kvc_span text, size_t at, size_t digits, uint32_t *ret_number)
{
    uint32_t number = 0;
    if (at + digits > text.length)
        return false;
    for (size_t i = at; i < at + digits; i++) {
        if (text.text[i] < '0' || text.text[i] > '9')
            return false;
        number = number * 10 + (uint32_t)(text.text[i] - '0');
    }
    *ret_number = number;
    return true;
}

/* Four digits, or four and what begins as a month. */
static bool looks_like_date(struct kvc_span text)
{
    uint32_t year;
    return number_at(text, 0, 4, &year) && (text.length == 4 || text.text[4] == '-');
}

/* "2026-08-17", "2026-08", "2026": a day, or the span of a month or a year. */
static bool read_date(struct kvc_span text, uint32_t *ret_first, uint32_t *ret_last)
{
    uint32_t year, month, day;
    if (!number_at(text, 0, 4, &year))
        return false;
    *ret_first = year * 10000 + 101;
    *ret_last = year * 10000 + 1231;
    if (text.length == 4)
        return true;
    if (text.text[4] != '-' || !number_at(text, 5, 2, &month) || month < 1 || month > 12)
        return false;
    *ret_first = year * 10000 + month * 100 + 1;
    *ret_last = year * 10000 + month * 100 + days_in(year, month);
    if (text.length == 7)
        return true;
    if (text.length != 10 || text.text[7] != '-' || !number_at(text, 8, 2, &day) || day < 1 ||
        day > days_in(year, month))
        return false;
    *ret_first = *ret_last = year * 10000 + month * 100 + day;
    return true;
}

/* Within what was read: what is later has the last rules.  False: nothing was released by then. */
static bool clip(uint32_t first, uint32_t last, struct kvc_release *release)
{
    uint32_t earliest = kvc_release_first_day(release->engine);
    uint32_t latest = kvc_release_last_day(release->engine);
    if (last < earliest)
        return false;
    first = first < earliest ? earliest : first;
    release->is_past_known = first > latest;
    release->day_min = first > latest ? latest : first;
    release->day_max = last > latest ? latest : last;
    return true;
}

/* ---- Versions, between the rows around them. */

struct around {
    const struct kvc_release_row *at, *below, *above; /* NULL: none */
    const struct kvc_release_row *first, *last;       /* of those that an open version means */
};

static uint32_t end_of(const struct kvc_release_row *row)
{
    return row->day_max != 0 ? row->day_max : row->day;
}

static struct around look_around(const struct kvc_version *version, enum kvc_engine_id engine)
{
    size_t count;
    struct around around = { .at = NULL };
    const struct kvc_release_row *rows = kvc_releases_of(engine, &count);
    for (size_t i = 0; i < count; i++) {
        struct kvc_version row;
        bool is_version = kvc_version_read(kvc_span_of(rows[i].version), &row);
        assert(is_version);
        if (row.is_build != version->is_build)
            continue;
        int order = kvc_version_compare(&row, version);
        if (version->is_open && kvc_version_within(&row, version)) {
            around.first = around.first == NULL ? &rows[i] : around.first;
            around.last = &rows[i];
        } else if (order == 0) {
            around.at = &rows[i];
        } else if (order < 0) {
            around.below = &rows[i];
        } else if (around.above == NULL) {
            around.above = &rows[i];
        }
    }
    return around;
}

/* Between so many commits a day main of vLLM grew from 2024 to 2026: 0.7.4.dev1067 was main of 50 days
 * after 0.7.3 (vLLM issue 16521), 0.19.2rc1.dev212 of 9 days after 0.19.1. */
#define COMMITS_A_DAY_MIN 10
#define COMMITS_A_DAY_MAX 60

/* A dev version counts commits of main since the tag that it could see; main sees no tag of a branch, so
 * that the day may be past that of releases with higher numbers. */
static void place_dev(const struct kvc_version *version, const struct around *around,
                      struct kvc_release *release)
{
    uint32_t fewest = version->dev / COMMITS_A_DAY_MAX;
    uint32_t most = version->dev / COMMITS_A_DAY_MIN + 1;
    uint32_t latest = kvc_release_last_day(release->engine);
    uint32_t first = later(around->below->day, fewest < 3650 ? fewest : 3650);
    uint32_t last = later(end_of(around->below), most < 3650 ? most : 3650);
    if (around->above != NULL && end_of(around->above) > last)
        last = end_of(around->above);
    release->day_min = first > latest ? latest : first;
    release->day_max = last > latest ? latest : last;
    release->is_past_known = first > latest;
}

static void place(const struct kvc_version *version, struct kvc_release *release)
{
    struct around around = look_around(version, release->engine);
    if (around.first != NULL) {
        release->day_min = around.first->day;
        release->day_max = end_of(around.last);
    } else if (around.at != NULL) {
        release->day_min = around.at->day;
        release->day_max = end_of(around.at);
    } else if (version->is_dev && around.below != NULL) {
        place_dev(version, &around, release);
        return;
    } else {
        release->day_min =
            around.below == NULL ? kvc_release_first_day(release->engine) : around.below->day;
        release->day_max =
            around.above == NULL ? kvc_release_last_day(release->engine) : end_of(around.above);
    }
    /* Past all rows; and a row that was published after the last day that was read. */
    release->is_past_known =
        around.above == NULL && around.first == NULL &&
        (around.at == NULL || around.at->day == kvc_release_last_day(release->engine));
}

/* ---- Words. */

static kvcap_code refuse_engine(struct kvc_span name, const char *at, kvcap_error *err)
{
    struct kvc_nearest near = kvc_nearest_begin(name);
    for (size_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; i++) {
        if (kvc_span_is(name, OTHERS[i]))
            return kvc_fail(err, KVC_USAGE_UNKNOWN_ENGINE, at,
                            "this version of kvcap does not know the rules of %s", OTHERS[i]);
    }
    for (size_t i = 0; i < KVC_ENGINE_COUNT; i++)
        kvc_nearest_offer(&near, kvc_span_of(NAMES[i]));
    return kvc_fail(err, KVC_USAGE_UNKNOWN_ENGINE, at, "no engine is called \"%.*s\"%s%.*s",
                    (int)(name.length > 40 ? 40 : name.length), name.text,
                    near.best.length == 0 ? "" : "; the nearest is ", (int)near.best.length,
                    near.best.text);
}

static bool is_newest(struct kvc_span version)
{
    return kvc_span_is(version, "main") || kvc_span_is(version, "master") ||
           kvc_span_is(version, "latest") || kvc_span_is(version, "newest") ||
           kvc_span_is(version, "nightly");
}

static kvcap_code read_words(struct kvc_span version, const char *at, struct kvc_release *release,
                             kvcap_error *err)
{
    struct kvc_version parsed;
    uint32_t first, last;
    release->version = version;
    if (version.length > 1 && version.text[0] == 'v')
        release->version = (struct kvc_span){ version.text + 1, version.length - 1 };
    if (is_newest(version)) {
        release->day_min = release->day_max = kvc_release_last_day(release->engine);
        return KVCAP_OK;
    }
    if (looks_like_date(version)) {
        if (!read_date(version, &first, &last))
            return kvc_fail(err, KVC_USAGE_UNKNOWN_ENGINE, at,
                            "a day is written 2026-08-17, a month 2026-08, a year 2026");
        if (!clip(first, last, release))
            return kvc_fail(err, KVC_USAGE_UNKNOWN_ENGINE, at, "%s had no release by that day",
                            NAMES[release->engine]);
        return KVCAP_OK;
    }
    if (!kvc_version_read(version, &parsed) ||
        (parsed.is_build && release->engine != KVC_ENGINE_LLAMACPP))
        return kvc_fail(
            err, KVC_USAGE_UNKNOWN_ENGINE, at,
            "a version of %s is a release (%s) or a day (2026-08-17)", NAMES[release->engine],
            release->engine == KVC_ENGINE_LLAMACPP ? "0.4.0), a build (b5400" : "0.11.0");
    place(&parsed, release);
    return KVCAP_OK;
}

/* A word that a record or a line can carry as the version. */
static bool is_plain(struct kvc_span version)
{
    for (size_t i = 0; i < version.length; i++) {
        if (version.text[i] <= ' ' || version.text[i] > '~' || version.text[i] == '@')
            return false;
    }
    return version.length > 0 && version.length <= 48;
}

/* The newest profile: of vLLM main, of llama.cpp the newest release. */
static void place_newest(struct kvc_release *release)
{
    release->defaulted = true;
    release->version = kvc_span_of(release->engine == KVC_ENGINE_VLLM ? "2026-08-17" : "0.4.0");
    release->day_min = release->day_max = kvc_release_last_day(release->engine);
}

kvcap_code kvc_release_read(struct kvc_span word, const char *at, struct kvc_release *ret_release,
                            kvcap_error *err)
{
    const char *sign = word.length == 0 ? NULL : memchr(word.text, '@', word.length);
    struct kvc_span name = { word.text, sign == NULL ? word.length : (size_t)(sign - word.text) };
    struct kvc_span version = { sign == NULL ? NULL : sign + 1,
                                sign == NULL ? 0 : word.length - name.length - 1 };
    struct kvc_release release = { .version = version };
    kvcap_code rc = KVCAP_OK;
    size_t i = 0;
    while (i < KVC_ENGINE_COUNT && !kvc_span_is(name, NAMES[i]))
        i++;
    if (i == KVC_ENGINE_COUNT)
        return refuse_engine(name, at, err);
    release.engine = (enum kvc_engine_id)i;
    if (sign != NULL && !is_plain(version))
        return kvc_fail(err, KVC_USAGE_UNKNOWN_ENGINE, at, "a version is due after the @");
    if (kvc_release_last_day(release.engine) == 0 && sign != NULL && !kvc_span_is(version, "1"))
        return kvc_fail(err, KVC_USAGE_UNKNOWN_ENGINE, at, "%s has the version 1", NAMES[i]);
    if (kvc_release_last_day(release.engine) != 0 && sign == NULL)
        place_newest(&release);
    else if (kvc_release_last_day(release.engine) != 0)
        rc = read_words(version, at, &release, err);
    if (rc == KVCAP_OK)
        *ret_release = release;
    return rc;
}

/* Which place a word has: the ends of versions differ most. */
static struct kvc_release_seen *place_of(struct kvc_releases_seen *seen, struct kvc_span word)
{
    uint32_t hash = 0;
    for (size_t i = 0; i < word.length; i++)
        hash = hash * 31 + (unsigned char)word.text[i];
    return &seen->list[hash % KVC_RELEASES_SEEN];
}

static bool is_within(const char *text, struct kvc_span word)
{
    return text != NULL && (uintptr_t)text >= (uintptr_t)word.text &&
           (uintptr_t)text <= (uintptr_t)word.text + word.length;
}

kvcap_code kvc_release_read_seen(struct kvc_releases_seen *seen, struct kvc_span word,
                                 const char *at, struct kvc_release *ret_release, kvcap_error *err)
{
    if (word.length == 0 || word.length > KVC_ENGINE_WORD_ROOM)
        return kvc_release_read(word, at, ret_release, err);
    struct kvc_release_seen *place = place_of(seen, word);
    if (place->length != word.length || memcmp(place->word, word.text, word.length) != 0) {
        kvcap_code rc = kvc_release_read(word, at, ret_release, err);
        if (rc != KVCAP_OK)
            return rc;
        memcpy(place->word, word.text, word.length);
        place->length = (uint32_t)word.length;
        place->release = *ret_release;
        bool is_given = is_within(ret_release->version.text, word);
        place->skipped = is_given ? (uint32_t)(ret_release->version.text - word.text) : 0;
        return KVCAP_OK;
    }
    *ret_release = place->release;
    if (place->skipped > 0)
        ret_release->version.text = word.text + place->skipped;
    return KVCAP_OK;
}

void kvc_release_word(const struct kvc_release *release, char ret_word[KVC_ENGINE_WORD_ROOM])
{
    const char *name = NAMES[release->engine];
    size_t length = strlen(name), version = release->version.length;
    memcpy(ret_word, name, length);
    if (release->day_min != 0) {
        assert(length + 1 + version < KVC_ENGINE_WORD_ROOM);
        ret_word[length++] = '@';
        memcpy(ret_word + length, release->version.text, version);
        length += version;
    }
    ret_word[length] = '\0';
}
