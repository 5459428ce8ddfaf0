/* Goal: every refusal can be told by a program and read by a person, whatever its length.
 * Method: walk the whole list of slugs; then places and sentences of every length around the limits,
 * held against what the limits promise. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"

#define AT_ROOM sizeof((kvcap_error *)NULL)->at
#define TEXT_ROOM sizeof((kvcap_error *)NULL)->text
#define SLUG_ROOM sizeof((kvcap_error *)NULL)->slug

/* How many characters of [a-z_][a-z0-9_]* begin the text: utf8 has a digit, no word begins so. */
static size_t word(const char *text)
{
    return isdigit((unsigned char)text[0]) ? 0
                                           : strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789");
}

static bool is_pinned(kvcap_code code)
{
    switch (code) {
#define XX(name, number, text) case KVCAP_##name:
        KVCAP_CODE_MAP(XX)
#undef XX
        return code != KVCAP_OK;
    default:
        return false;
    }
}

/* "abcdefg...": text in which no two places look alike for a while. */
static void fill(char *out, size_t length)
{
    for (size_t i = 0; i < length; i++)
        out[i] = (char)('!' + (i * 7 + i / 94) % 94);
    out[length] = '\0';
}

/* What a place must look like once it has been through a room of AT_ROOM. */
static void check_shortened(const char *at, const char *whole)
{
    size_t length = strlen(whole);
    if (length < AT_ROOM) {
        assert_string_equal(at, whole);
        return;
    }
    size_t head = (AT_ROOM - 4) / 2, tail = AT_ROOM - 4 - head;
    assert_int_equal(strlen(at), AT_ROOM - 1);
    assert_memory_equal(at, whole, head);
    assert_memory_equal(at + head, "...", 3);
    assert_string_equal(at + head + 3, whole + length - tail);
}

static void slugs_are_class_and_reason_and_fit(void **state)
{
    (void)state;
    for (int i = 0; i < KVC_SLUG_COUNT; i++) {
        const char *slug = kvc_slug_text((enum kvc_slug)i);
        assert_non_null(slug);
        size_t class = word(slug);
        assert_true(class > 0 && slug[class] == '.');
        size_t reason = word(slug + class + 1);
        assert_true(reason > 0 && slug[class + 1 + reason] == '\0');
        assert_true(strlen(slug) < SLUG_ROOM);
    }
}

static void slugs_are_unique(void **state)
{
    (void)state;
    for (int i = 0; i < KVC_SLUG_COUNT; i++) {
        for (int k = 0; k < i; k++)
            assert_string_not_equal(kvc_slug_text((enum kvc_slug)i),
                                    kvc_slug_text((enum kvc_slug)k));
    }
}

static void slugs_have_a_pinned_code_and_advice(void **state)
{
    (void)state;
    for (int i = 0; i < KVC_SLUG_COUNT; i++) {
        const char *advice = kvc_slug_advice(kvc_slug_text((enum kvc_slug)i));
        assert_true(is_pinned(kvc_slug_code((enum kvc_slug)i)));
        assert_true(strlen(advice) > 0);
        assert_true(advice[strlen(advice) - 1] != '.'); /* whoever prints it ends the sentence */
    }
    assert_string_equal(kvc_slug_advice("no.such_slug"), "");
    assert_string_equal(kvc_slug_advice(""), "");
    assert_string_equal(kvc_slug_advice("record.empty"), "give a file that holds a record");
}

/* A program that knows one slug of a class may treat the class; so json.* and record.* must pair. */
static void every_json_slug_is_a_record_slug_for_foreign_text(void **state)
{
    (void)state;
    int pairs = 0;
    for (int i = 0; i < KVC_SLUG_COUNT; i++) {
        const char *slug = kvc_slug_text((enum kvc_slug)i);
        if (strncmp(slug, "json.", 5) != 0)
            continue;
        char twin[SLUG_ROOM];
        snprintf(twin, sizeof twin, "record.%s", slug + 5);
        assert_string_not_equal(kvc_slug_advice(twin), "");
        assert_int_equal(kvc_slug_code((enum kvc_slug)i), KVCAP_E_METADATA);
        pairs++;
    }
    assert_int_equal(pairs, 8);
}

static void an_error_is_filled_whole(void **state)
{
    (void)state;
    kvcap_error err;
    memset(&err, 0x5A, sizeof err);
    kvcap_code rc = kvc_fail(&err, KVC_FILE_OPEN, "a.json", "cannot open %s (%d)", "a.json", 2);
    assert_int_equal(rc, KVCAP_E_IO);
    assert_int_equal(err.code, KVCAP_E_IO);
    assert_int_equal(err.reserved, 0);
    assert_string_equal(err.slug, "file.open");
    assert_string_equal(err.at, "a.json");
    assert_string_equal(err.text, "cannot open a.json (2)");
}

static void the_code_comes_without_an_error_too(void **state)
{
    (void)state;
    assert_int_equal(kvc_fail(NULL, KVC_MEMORY_FULL, NULL, "no"), KVCAP_E_NOMEM);
    kvc_fail_within(NULL, "/a");
    kvc_fail_add(NULL, "more");
}

static void no_place_is_the_whole_input(void **state)
{
    (void)state;
    kvcap_error err;
    memset(&err, 0x5A, sizeof err);
    kvc_fail(&err, KVC_RECORD_EMPTY, NULL, "nothing");
    assert_string_equal(err.at, "");
}

static void long_places_keep_both_ends(void **state)
{
    (void)state;
    for (size_t length = 0; length < 4 * AT_ROOM; length++) {
        char place[4 * AT_ROOM];
        fill(place, length);
        kvcap_error err;
        memset(&err, 0x5A, sizeof err);
        kvc_fail(&err, KVC_RECORD_SYNTAX, place, "wrong");
        check_shortened(err.at, place);
        assert_string_equal(err.text, "wrong");
    }
}

/* Whoever passes an error on may use its own place again. */
static void the_place_may_be_the_error_s_own(void **state)
{
    (void)state;
    kvcap_error err;
    kvc_fail(&err, KVC_RECORD_SYNTAX, "/a/b", "wrong");
    kvc_fail(&err, KVC_RECORD_EMPTY, err.at, "anew");
    assert_string_equal(err.at, "/a/b");
}

static void long_sentences_end_in_dots(void **state)
{
    (void)state;
    for (size_t length = 0; length < 2 * TEXT_ROOM; length++) {
        char sentence[2 * TEXT_ROOM];
        fill(sentence, length);
        kvcap_error err;
        memset(&err, 0x5A, sizeof err);
        kvc_fail(&err, KVC_RECORD_SYNTAX, "", "%s", sentence);
        if (length < TEXT_ROOM) {
            assert_string_equal(err.text, sentence);
            continue;
        }
        assert_int_equal(strlen(err.text), TEXT_ROOM - 1);
        assert_memory_equal(err.text, sentence, TEXT_ROOM - 4);
        assert_string_equal(err.text + TEXT_ROOM - 4, "...");
    }
}

static void an_outer_place_stands_before_the_inner_one(void **state)
{
    (void)state;
    for (size_t outer = 0; outer < 3 * AT_ROOM; outer++) {
        for (size_t inner = 0; inner < AT_ROOM; inner += 17) {
            char whole[4 * AT_ROOM], place[3 * AT_ROOM];
            fill(whole, outer + inner);
            memcpy(place, whole, outer);
            place[outer] = '\0';
            kvcap_error err;
            kvc_fail(&err, KVC_RECORD_SYNTAX, whole + outer, "wrong");
            kvc_fail_within(&err, place);
            check_shortened(err.at, whole);
        }
    }
}

static void added_words_stand_at_the_end_as_far_as_there_is_room(void **state)
{
    (void)state;
    for (size_t length = 0; length < TEXT_ROOM; length++) {
        char sentence[TEXT_ROOM], whole[2 * TEXT_ROOM];
        fill(sentence, length);
        kvcap_error err;
        kvc_fail(&err, KVC_RECORD_SYNTAX, "/a", "%s", sentence);
        kvc_fail_add(&err, " (line %d)", 5);
        int written = snprintf(whole, sizeof whole, "%s (line 5)", sentence);
        assert_true(written > 0);
        whole[TEXT_ROOM - 1] = '\0';
        assert_string_equal(err.text, whole);
        assert_string_equal(err.at, "/a");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slugs_are_class_and_reason_and_fit),
        cmocka_unit_test(slugs_are_unique),
        cmocka_unit_test(slugs_have_a_pinned_code_and_advice),
        cmocka_unit_test(every_json_slug_is_a_record_slug_for_foreign_text),
        cmocka_unit_test(an_error_is_filled_whole),
        cmocka_unit_test(the_code_comes_without_an_error_too),
        cmocka_unit_test(no_place_is_the_whole_input),
        cmocka_unit_test(long_places_keep_both_ends),
        cmocka_unit_test(the_place_may_be_the_error_s_own),
        cmocka_unit_test(long_sentences_end_in_dots),
        cmocka_unit_test(an_outer_place_stands_before_the_inner_one),
        cmocka_unit_test(added_words_stand_at_the_end_as_far_as_there_is_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
