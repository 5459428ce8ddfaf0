/* Goal: a word names an engine and the days within which its code was cut, or is refused at its place.
 * Method: the tables are walked for their own order; words and their days, one a line; what is not sure
 * must hold on both sides of a rule's day (test of those that the notes of releases settle). */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "engine/release.h"
#include "engine/version.h"
#include "engine/vllm_changes.h"

static struct kvc_release read(const char *word)
{
    struct kvc_release release;
    kvcap_error error;
    kvcap_code rc = kvc_release_read(kvc_span_of(word), "--engine", &release, &error);
    if (rc != KVCAP_OK)
        fail_msg("%s: %s", word, error.text);
    return release;
}

/* ---- Tables ----------------------------------------------------------------------------------- */

static bool is_day(uint32_t day)
{
    return day >= 20230101 && day <= 20991231 && day / 100 % 100 >= 1 && day / 100 % 100 <= 12 &&
           day % 100 >= 1 && day % 100 <= 31;
}

static void walk(enum kvc_engine_id engine)
{
    struct kvc_version before = { .is_build = false }, now;
    uint32_t day = 0;
    size_t count;
    const struct kvc_release_row *rows = kvc_releases_of(engine, &count);
    assert_true(count > 10);
    assert_int_equal(kvc_release_first_day(engine), rows[0].day);
    for (size_t i = 0; i < count; i++) {
        assert_true(kvc_version_read(kvc_span_of(rows[i].version), &now));
        assert_false(now.is_open || now.is_dev);
        assert_true(is_day(rows[i].day));
        assert_true(rows[i].day_max == 0 ||
                    (is_day(rows[i].day_max) && rows[i].day_max > rows[i].day));
        assert_true((rows[i].day_max != 0 ? rows[i].day_max : rows[i].day) <=
                    kvc_release_last_day(engine));
        assert_true(strlen(rows[i].source) > 10);
        if (i == 0 || now.is_build != before.is_build)
            day = 0;
        else
            assert_true(kvc_version_compare(&before, &now) < 0);
        assert_true(rows[i].day >= day);
        day = rows[i].day;
        before = now;
    }
}

static void rows_ascend_in_version_and_in_day(void **state)
{
    (void)state;
    walk(KVC_ENGINE_VLLM);
    walk(KVC_ENGINE_LLAMACPP);
}

static void every_row_is_found_by_its_own_word(void **state)
{
    (void)state;
    for (int engine = 0; engine < KVC_ENGINE_COUNT; engine++) {
        size_t count;
        const struct kvc_release_row *rows = kvc_releases_of((enum kvc_engine_id)engine, &count);
        for (size_t i = 0; i < count; i++) {
            char word[KVC_ENGINE_WORD_ROOM];
            struct kvc_release release = { .engine = (enum kvc_engine_id)engine,
                                           .version = kvc_span_of(rows[i].version),
                                           .day_min = 1 };
            kvc_release_word(&release, word);
            release = read(word);
            assert_int_equal(release.day_min, rows[i].day);
            assert_int_equal(release.day_max, rows[i].day_max != 0 ? rows[i].day_max : rows[i].day);
        }
    }
}

static void engines_of_one_version_have_no_table(void **state)
{
    (void)state;
    size_t count = 7;
    assert_null(kvc_releases_of(KVC_ENGINE_LOGICAL, &count));
    assert_int_equal(count, 0);
    assert_int_equal(kvc_release_first_day(KVC_ENGINE_PAGED), 0);
}

/* ---- Words ------------------------------------------------------------------------------------ */

static const struct {
    const char *word, *version;
    uint32_t day_min, day_max;
    bool past;
} WORDS[] = {
    { "vllm@0.11.0", "0.11.0", 20251002, 20251002, false },
    { "vllm@v0.11.0", "0.11.0", 20251002, 20251002, false },
    { "vllm@0.10.0", "0.10.0", 20250724, 20250724, false },
    { "vllm@0.11", "0.11", 20251002, 20251002, false },
    { "vllm@0.6.3.post1", "0.6.3.post1", 20241017, 20241017, false },
    { "vllm@0.8.5+cu126", "0.8.5+cu126", 20250428, 20250428, false },
    /* between two rows */
    { "vllm@0.11.0rc2", "0.11.0rc2", 20250913, 20251002, false },
    { "vllm@0.10.3", "0.10.3", 20250913, 20251002, false },
    { "vllm@0.26.1", "0.26.1", 20260709, 20260810, false },
    { "vllm@0.26.1rc1", "0.26.1rc1", 20260709, 20260810, false },
    { "vllm@0.0.1", "0.0.1", 20230620, 20230620, false },
    /* any of several */
    { "vllm@0.8.x", "0.8.x", 20250318, 20250428, false },
    { "vllm@0.1.x", "0.1.x", 20230620, 20230911, false },
    { "vllm@0.x", "0.x", 20230620, 20260817, false },
    /* commits past a tag: 1,067 are 17 to 107 days of main, 18 up to 2, 5 up to 1 */
    { "vllm@0.7.4.dev1067", "0.7.4.dev1067", 20250309, 20250607, false },
    { "vllm@0.9.1.dev18", "0.9.1.dev18", 20250528, 20250610, false },
    { "vllm@0.9.1rc2.dev5", "0.9.1rc2.dev5", 20250528, 20250610, false },
    { "vllm@0.9.1.dev287+g4719460.d20250623", "0.9.1.dev287+g4719460.d20250623", 20250601, 20250626,
      false },
    { "vllm@0.6.6.post2.dev103", "0.6.6.post2.dev103", 20241228, 20250127, false },
    { "vllm@0.26.1rc1.dev1219", "0.26.1rc1.dev1219", 20260729, 20260817, false },
    { "vllm@0.28.1rc1.dev99999999", "0.28.1rc1.dev99999999", 20260817, 20260817, true },
    /* past the last day that was read */
    { "vllm@0.28.0", "0.28.0", 20260817, 20260817, true },
    { "vllm@0.33.0", "0.33.0", 20260817, 20260817, true },
    { "vllm@1.0.0", "1.0.0", 20260817, 20260817, true },
    { "vllm@2026-09-01", "2026-09-01", 20260817, 20260817, true },
    { "vllm@2027", "2027", 20260817, 20260817, true },
    /* days */
    { "vllm@2026-08-17", "2026-08-17", 20260817, 20260817, false },
    { "vllm@2023-06-20", "2023-06-20", 20230620, 20230620, false },
    { "vllm@2024-02-29", "2024-02-29", 20240229, 20240229, false },
    { "vllm@2024-02", "2024-02", 20240201, 20240229, false },
    { "vllm@2025-02", "2025-02", 20250201, 20250228, false },
    { "vllm@2025", "2025", 20250101, 20251231, false },
    { "vllm@2023", "2023", 20230620, 20231231, false },
    { "vllm@2026-08", "2026-08", 20260801, 20260817, false },
    { "vllm@main", "main", 20260817, 20260817, false },
    { "vllm@latest", "latest", 20260817, 20260817, false },
    /* llama.cpp */
    { "llama.cpp@0.4.0", "0.4.0", 20260904, 20260904, false },
    { "llama.cpp@v0.4.0", "0.4.0", 20260904, 20260904, false },
    { "llama.cpp@0.5.0", "0.5.0", 20260904, 20260912, true },
    { "llama.cpp@0.3.5", "0.3.5", 20260814, 20260904, false },
    { "llama.cpp@b1", "b1", 20230310, 20230310, false },
    { "llama.cpp@b6497", "b6497", 20250917, 20250917, false },
    { "llama.cpp@b6500", "b6500", 20250917, 20250926, false },
    { "llama.cpp@b5400", "b5400", 20250507, 20250519, false },
    { "llama.cpp@b11429", "b11429", 20260907, 20260912, true },
    { "llama.cpp@2025-04", "2025-04", 20250401, 20250430, false },
    { "llama.cpp@2025", "2025", 20250101, 20251231, false },
    { "llama.cpp@2026-12-01", "2026-12-01", 20260912, 20260912, true },
    { "llama.cpp@master", "master", 20260912, 20260912, false },
    /* one version */
    { "paged@1", "1", 0, 0, false },
    { "logical@1", "1", 0, 0, false },
};

static void words_have_their_days(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        struct kvc_release release = read(WORDS[i].word);
        if (release.day_min != WORDS[i].day_min || release.day_max != WORDS[i].day_max ||
            release.is_past_known != WORDS[i].past)
            fail_msg("%s: %u to %u%s", WORDS[i].word, release.day_min, release.day_max,
                     release.is_past_known ? ", past" : "");
        assert_true(kvc_span_is(release.version, WORDS[i].version));
        assert_false(release.defaulted);
    }
}

static void without_a_version_it_is_the_newest_and_says_so(void **state)
{
    (void)state;
    struct kvc_release release = read("vllm");
    char word[KVC_ENGINE_WORD_ROOM];
    assert_true(release.defaulted);
    assert_false(release.is_past_known);
    assert_int_equal(release.day_min, 20260817);
    kvc_release_word(&release, word);
    assert_string_equal(word, "vllm@2026-08-17");
    release = read("llama.cpp");
    assert_true(release.defaulted);
    kvc_release_word(&release, word);
    assert_string_equal(word, "llama.cpp@0.4.0");
    release = read("logical");
    assert_false(release.defaulted);
    kvc_release_word(&release, word);
    assert_string_equal(word, "logical");
}

/* ---- What the notes and logs of releases settle ----------------------------------------------- */

static const struct {
    const char *word;
    enum kvc_vllm_change change;
    bool has;
} SETTLED[] = {
    { "vllm@0.14.0", KVC_VLLM_ASYNC_SPECULATIVE, true }, /* its notes */
    { "vllm@0.14.1", KVC_VLLM_MAMBA_ALIGN_MODE, false }, /* a patch of 0.14.0 */
    { "vllm@0.15.0", KVC_VLLM_MAMBA_ALIGN_MODE, true },  /* its notes name PR 30877 */
    { "vllm@0.17.1", KVC_VLLM_GRAPH_ESTIMATE_OPT_IN, false },
    { "vllm@0.18.0", KVC_VLLM_GRAPH_ESTIMATE_OPT_IN, true }, /* its notes name PR 30515 */
    { "vllm@0.18.0", KVC_VLLM_GROUPING_1_5, true },
    { "vllm@0.19.1", KVC_VLLM_UTILIZATION_092, false },
    { "vllm@0.20.0", KVC_VLLM_UTILIZATION_092, true },          /* its notes name PR 38284 */
    { "vllm@0.20.0", KVC_VLLM_TOKENS_FROM_CONCURRENCY, false }, /* vLLM issue 43308 */
    { "vllm@0.20.1", KVC_VLLM_TOKENS_FROM_CONCURRENCY, true },  /* its notes name PR 41069 */
    { "vllm@0.21.0", KVC_VLLM_UTILIZATION_092, true },
    { "vllm@0.21.0", KVC_VLLM_TOKENS_FROM_CONCURRENCY, true }, /* vLLM issue 43308 */
    { "vllm@0.25.1", KVC_VLLM_IN_FLIGHT_BATCHES, false },
    { "vllm@0.26.0", KVC_VLLM_IN_FLIGHT_BATCHES, true },
    { "vllm@0.26.0", KVC_VLLM_V4_PACKED, false },
    { "vllm@0.11.2", KVC_VLLM_GROUPING_1_25, false },
    { "vllm@0.12.0", KVC_VLLM_GROUPING_1_25, true },
};

static void a_release_lies_on_the_side_of_a_change_that_its_notes_tell(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof SETTLED / sizeof SETTLED[0]; i++) {
        struct kvc_release release = read(SETTLED[i].word);
        if (kvc_vllm_since(release.day_min, SETTLED[i].change) != SETTLED[i].has ||
            kvc_vllm_since(release.day_max, SETTLED[i].change) != SETTLED[i].has)
            fail_msg("%s and the change of %u", SETTLED[i].word, (unsigned)SETTLED[i].change);
    }
}

/* ---- Refusals --------------------------------------------------------------------------------- */

static const struct {
    const char *word, *says;
} REFUSED[] = {
    { "", "no engine is called" },
    { "vlm", "the nearest is vllm" },
    { "VLLM", "no engine is called \"VLLM\"" },
    { "llamacpp", "the nearest is llama.cpp" },
    { "@0.11.0", "no engine is called \"\"" },
    { "sglang", "does not know the rules of sglang" },
    { "sglang@0.5.2", "does not know the rules of sglang" },
    { "tensorrt-llm@1.0.0", "does not know the rules of tensorrt-llm" },
    { "tgi", "does not know the rules of tgi" },
    { "lmdeploy", "does not know the rules of lmdeploy" },
    { "ollama", "does not know the rules of ollama" },
    { "ik_llama.cpp@b100", "does not know the rules of ik_llama.cpp" },
    { "vllm@", "a version is due after the @" },
    { "vllm@0.11.0@1", "a version is due" },
    { "vllm@0.11 .0", "a version is due" },
    { "vllm@b5400", "a version of vllm is a release" },
    { "vllm@new", "a version of vllm is a release" },
    { "vllm@2023-06-19", "no release by that day" },
    { "vllm@2022", "no release by that day" },
    { "vllm@2025-02-29", "a day is written" },
    { "vllm@2025-13", "a day is written" },
    { "vllm@2025-00-01", "a day is written" },
    { "vllm@2025-4", "a day is written" },
    { "vllm@2025-04-", "a day is written" },
    { "vllm@2025-04-01x", "a day is written" },
    { "llama.cpp@2023-03-09", "no release by that day" },
    { "llama.cpp@bx", "a build (b5400)" },
    { "paged@2", "paged has the version 1" },
    { "logical@0.1", "logical has the version 1" },
};

static void what_is_none_is_refused_and_leaves_the_result_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof REFUSED / sizeof REFUSED[0]; i++) {
        struct kvc_release release = { .day_min = 77 };
        kvcap_error error;
        assert_int_equal(
            kvc_release_read(kvc_span_of(REFUSED[i].word), "/engine", &release, &error),
            KVCAP_E_USAGE);
        assert_true(kvc_fail_is(&error, KVC_USAGE_UNKNOWN_ENGINE));
        assert_string_equal(error.at, "/engine");
        if (strstr(error.text, REFUSED[i].says) == NULL)
            fail_msg("%s: %s", REFUSED[i].word, error.text);
        assert_int_equal(release.day_min, 77);
    }
}

/* The same place is had by many words in turn, and by each twice. */
static void words_that_were_read_before_are_read_as_before(void **state)
{
    (void)state;
    static struct kvc_releases_seen seen;
    struct kvc_release release;
    kvcap_error error;
    char words[2][KVC_ENGINE_WORD_ROOM + 20];
    for (unsigned i = 0; i < 400; i++) {
        char *word = words[i % 2]; /* the bytes that were read first are gone */
        memset(words, 0, sizeof words);
        snprintf(word, sizeof words[0], i / 2 % 3 == 0 ? "vllm@0.%u.%u" : "vllm@v0.%u.%u",
                 i / 2 % 30, i / 60);
        struct kvc_release due = read(word);
        assert_int_equal(
            kvc_release_read_seen(&seen, kvc_span_of(word), "/engine", &release, &error), KVCAP_OK);
        assert_int_equal(release.day_min, due.day_min);
        assert_int_equal(release.day_max, due.day_max);
        assert_int_equal(release.is_past_known, due.is_past_known);
        assert_true(kvc_span_equal(release.version, due.version));
    }
    static const char *const OTHERS[] = { "vllm", "paged", "llama.cpp@b5400", "logical@1" };
    for (unsigned i = 0; i < 8; i++) {
        char copy[KVC_ENGINE_WORD_ROOM], again[KVC_ENGINE_WORD_ROOM];
        snprintf(copy, sizeof copy, "%s", OTHERS[i % 4]);
        struct kvc_release due = read(copy);
        assert_int_equal(
            kvc_release_read_seen(&seen, kvc_span_of(copy), "/engine", &release, &error), KVCAP_OK);
        assert_int_equal(release.engine, due.engine);
        assert_int_equal(release.defaulted, due.defaulted);
        kvc_release_word(&release, again);
        kvc_release_word(&due, copy);
        assert_string_equal(again, copy);
    }
    char *word = words[0];
    memset(word, 'x', sizeof words[0] - 1);
    word[sizeof words[0] - 1] = '\0';
    assert_int_equal(kvc_release_read_seen(&seen, kvc_span_of(word), "/engine", &release, &error),
                     KVCAP_E_USAGE);
    assert_string_equal(error.at, "/engine");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_ascend_in_version_and_in_day),
        cmocka_unit_test(every_row_is_found_by_its_own_word),
        cmocka_unit_test(engines_of_one_version_have_no_table),
        cmocka_unit_test(words_have_their_days),
        cmocka_unit_test(without_a_version_it_is_the_newest_and_says_so),
        cmocka_unit_test(a_release_lies_on_the_side_of_a_change_that_its_notes_tell),
        cmocka_unit_test(what_is_none_is_refused_and_leaves_the_result_alone),
        cmocka_unit_test(words_that_were_read_before_are_read_as_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
