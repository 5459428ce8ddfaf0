/* logs_ask.c - a question to the library, the versions and the models that rows name.  Declared in logs.h. */

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "face/api/handle.h"
#include "logs.h"
#include "meta/builtin.h"
#include "os/os.h"

/* ---- Questions. */

void log_asker_begin(struct log_asker *asker)
{
    *asker = (struct log_asker){ .builtin = NULL };
    kvc_arena_from(&asker->arena, &kvc_os_memory, (size_t)1 << 30);
}

void log_asker_end(struct log_asker *asker)
{
    kvcap_record_free(asker->builtin);
    kvc_arena_drop(&asker->arena);
}

static kvcap_code open_builtin(struct log_asker *asker, const char *name,
                               struct kvc_engine_model *ret_model, kvcap_error *err)
{
    if (asker->builtin == NULL || strcmp(asker->builtin_name, name) != 0) {
        kvcap_record *model;
        kvcap_code rc = kvcap_model_builtin(name, &model, err);
        if (rc != KVCAP_OK)
            return rc;
        kvcap_record_free(asker->builtin);
        asker->builtin = model;
        snprintf(asker->builtin_name, sizeof asker->builtin_name, "%s", name);
    }
    kvc_fit_model_of_handle(asker->builtin, ret_model);
    return KVCAP_OK;
}

const struct kvc_fit *log_ask(struct log_asker *asker, const struct log_question *question)
{
    static struct log_text text;
    static struct kvc_releases_seen seen;
    struct kvc_fit_line line;
    kvcap_error err;
    kvc_arena_drop(&asker->arena);
    kvc_arena_from(&asker->arena, &kvc_os_memory, (size_t)1 << 30);
    text.length = 0;
    log_put(&text, "{\"engine\":\"%s\",\"model\":%s,\"settings\":%s,\"memory\":%s}",
            question->engine, question->model == NULL ? question->inline_model : "{\"name\":\"x\"}",
            question->settings, question->memory);
    struct kvc_fit *fit = kvc_arena_take(&asker->arena, sizeof *fit);
    if (fit == NULL)
        broken("logs", "no memory");
    kvcap_code rc = kvc_fit_line_read((struct kvc_span){ text.text, text.length }, &asker->arena,
                                      &seen, &line, &err);
    if (rc == KVCAP_OK && question->model != NULL)
        rc = open_builtin(asker, question->model, &line.question.model, &err);
    if (rc == KVCAP_OK && question->day != 0)
        rc = kvc_fit_at(&line.question, question->day, question->most, &asker->arena, fit, &err);
    else if (rc == KVCAP_OK)
        rc = kvc_fit_answer(&line.question, &asker->arena, fit, &err);
    if (rc == KVCAP_OK)
        return fit;
    snprintf(asker->refusal, sizeof asker->refusal, "%.60s at %.60s: %.150s", err.slug, err.at,
             err.text);
    return NULL;
}

/* ---- Versions. */

/* The first word of "0.9.x (2026-02 log)": up to what no version has. */
static struct kvc_span version_word(struct kvc_span text)
{
    size_t begin = 0, end;
    while (begin < text.length && !isdigit((unsigned char)text.text[begin]) &&
           !(text.text[begin] == 'b' && begin + 1 < text.length &&
             isdigit((unsigned char)text.text[begin + 1])))
        begin++;
    end = begin;
    while (end < text.length &&
           (isalnum((unsigned char)text.text[end]) || strchr(".+-_", text.text[end]) != NULL))
        end++;
    return (struct kvc_span){ text.text + begin, end - begin };
}

/* "2025-07-18" is when a log was shown; what it shows was built within the month before. */
static bool is_day(struct kvc_span word)
{
    return word.length == 10 && word.text[4] == '-' && word.text[7] == '-';
}

static uint32_t month_before(uint32_t day)
{
    return day / 100 % 100 == 1 ? day - 10000 + 1100 : day - 100;
}

size_t log_days(const char *engine, struct kvc_span version, uint32_t ret_days[LOG_DAYS_MAX],
                char ret_engine[LOG_ENGINE_ROOM])
{
    struct kvc_span word = version_word(version);
    struct kvc_release release;
    kvcap_error err;
    size_t count = 0;
    if (word.length == 0 || word.length > 40)
        return 0;
    snprintf(ret_engine, LOG_ENGINE_ROOM, "%s@%.*s", engine, (int)word.length, word.text);
    if (kvc_release_read(kvc_span_of(ret_engine), "", &release, &err) != KVCAP_OK)
        return 0;
    const struct kvc_engine *rules = kvc_engine_of(release.engine);
    if (is_day(word))
        release.day_min = month_before(release.day_min);
    ret_days[count++] = release.day_min;
    for (size_t i = 0; i < rules->changes_count && count < LOG_DAYS_MAX; i++) {
        uint32_t day = rules->changes[i].day;
        if (day > release.day_min && day <= release.day_max && day != ret_days[count - 1])
            ret_days[count++] = day;
    }
    return count;
}

/* ---- Names of models.  A name is its parts: letters and digits with the points within numbers; what stands
 * between is put aside, and so is case. */

#define PARTS_MAX 40
#define PART_ROOM 24

struct parts {
    char list[PARTS_MAX][PART_ROOM];
    size_t count;
};

static void split(struct kvc_span text, struct parts *parts)
{
    size_t length = 0;
    parts->count = 0;
    for (size_t i = 0; i <= text.length && parts->count < PARTS_MAX; i++) {
        char c = i < text.length ? text.text[i] : ' ';
        bool point = c == '.' && length > 0 && i + 1 < text.length &&
                     isalnum((unsigned char)text.text[i + 1]);
        if ((isalnum((unsigned char)c) || point) && length < PART_ROOM - 1) {
            parts->list[parts->count][length++] = (char)tolower((unsigned char)c);
            continue;
        }
        if (length > 0)
            parts->list[parts->count++][length] = '\0';
        length = 0;
    }
}

/* "7b", "0.6b", "a3b", "135m", "8x7b". */
static bool is_size(const char *part)
{
    size_t i = part[0] == 'a' ? 1 : 0, digits = 0, length = strlen(part);
    for (; i + 1 < length; i++) {
        if (!isdigit((unsigned char)part[i]) && part[i] != '.' && part[i] != 'x' && part[i] != '_')
            return false;
        digits += isdigit((unsigned char)part[i]) != 0;
    }
    return digits > 0 && (part[length - 1] == 'b' || part[length - 1] == 'm');
}

/* The owner is no part of a model's name. */
static struct kvc_span without_owner(struct kvc_span name)
{
    size_t words = 0;
    while (words < name.length && name.text[words] != '/' && name.text[words] != ' ')
        words++;
    if (words < name.length && name.text[words] == '/')
        return (struct kvc_span){ name.text + words + 1, name.length - words - 1 };
    return name;
}

/* "3.x" stands for any that begins so. */
static bool same_part(const char *asked, const char *part)
{
    size_t length = strlen(asked);
    if (length > 2 && strcmp(asked + length - 2, ".x") == 0)
        return strncmp(asked, part, length - 1) == 0;
    return strcmp(asked, part) == 0;
}

static bool stands_at(const struct parts *text, size_t at, const struct parts *name, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (at + i >= text->count || !same_part(text->list[at + i], name->list[i]))
            return false;
    }
    return count > 0;
}

/* The parts of a name up to its last size; all of a name without one. */
static size_t key_length(const struct parts *name)
{
    for (size_t i = name->count; i > 0; i--) {
        if (is_size(name->list[i - 1]))
            return i;
    }
    return name->count;
}

static size_t sizes_of(const struct parts *parts, size_t from, size_t count)
{
    size_t sizes = 0;
    for (size_t i = from; i < from + count && i < parts->count; i++)
        sizes += is_size(parts->list[i]);
    return sizes;
}

/* How well a name is that of the text: 0 where it is not.  The longer key wins; among names with one key the
 * one that shares more of the rest, then the shorter. */
static size_t closeness(const struct parts *text, struct kvc_span name)
{
    struct parts parts;
    split(without_owner(name), &parts);
    size_t key = key_length(&parts), shared = 0;
    for (size_t at = 0; at < text->count; at++) {
        if (!stands_at(text, at, &parts, key) ||
            sizes_of(text, 0, text->count) != sizes_of(text, at, key))
            continue;
        for (size_t i = key; i < parts.count; i++) {
            for (size_t j = at + key; j < text->count; j++)
                shared += strcmp(parts.list[i], text->list[j]) == 0;
        }
        return key * 10000 + shared * 100 + (PARTS_MAX - parts.count);
    }
    return 0;
}

/* Into a list that is sorted, the best first; what is worse than all of a full list is left out. */
static size_t keep(const char *name, size_t score, const char **names, size_t *scores, size_t count)
{
    size_t at = count;
    if (count == LOG_MODELS_MAX && score <= scores[count - 1])
        return count;
    if (count == LOG_MODELS_MAX)
        at = --count;
    while (at > 0 && scores[at - 1] < score) {
        scores[at] = scores[at - 1];
        names[at] = names[at - 1];
        at--;
    }
    scores[at] = score;
    names[at] = name;
    return count + 1;
}

/* Where a word stands among the parts; their number where it does not. */
static size_t index_of(const struct parts *parts, const char *word)
{
    size_t i = 0;
    while (i < parts->count && strcmp(parts->list[i], word) != 0)
        i++;
    return i;
}

/* "DeepSeek-V4 class": names that begin with what stands before the word, of at least two parts. */
static size_t of_class(const struct parts *text, const char *names[LOG_MODELS_MAX])
{
    size_t until = index_of(text, "class"), count = 0;
    if (until == text->count || until < 2)
        return 0;
    for (size_t i = 0; i < kvc_builtin_models_count && count < LOG_MODELS_MAX; i++) {
        struct parts parts;
        split(without_owner(kvc_span_of(kvc_builtin_models[i].name)), &parts);
        if (parts.count > until && stands_at(&parts, 0, text, until))
            names[count++] = kvc_builtin_models[i].name;
    }
    return count;
}

size_t log_models(struct kvc_span text, const char *ret_names[LOG_MODELS_MAX], bool *ret_loose)
{
    struct parts parts;
    size_t scores[LOG_MODELS_MAX], count = 0, best = 0;
    split(without_owner(text), &parts);
    size_t either = index_of(&parts, "or");
    *ret_loose = either < parts.count;
    parts.count = either; /* the first of those that it may be */
    for (size_t i = 0; i < kvc_builtin_models_count + kvc_builtin_aliases_count; i++) {
        bool is_row = i < kvc_builtin_models_count;
        size_t alias = i - kvc_builtin_models_count;
        const char *name = is_row ? kvc_builtin_models[i].name : kvc_builtin_aliases[alias].alias;
        size_t score = closeness(&parts, kvc_span_of(name));
        if (score > 0)
            count = keep(name, score, ret_names, scores, count);
    }
    /* Only those whose key is as long as the best one's. */
    while (best < count && scores[best] / 10000 == scores[0] / 10000)
        best++;
    if (best > 0)
        return best;
    *ret_loose = true;
    return of_class(&parts, ret_names);
}

bool log_names(struct kvc_span text, const char *word)
{
    struct parts parts;
    split(text, &parts);
    for (size_t i = 0; i < parts.count; i++) {
        if (strcmp(parts.list[i], word) == 0)
            return true;
    }
    return false;
}
