/* Goal: notes come back in order, as plain text; what does not fit is left out, never half kept.
 * Method: texts of every troublesome kind; too many notes; every amount of memory. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/note.h"

static char room[64 * 1024];

static void notes_keep_their_order_and_their_words(void **state)
{
    struct kvc_arena arena;
    (void)state;
    kvc_arena_over(&arena, room, sizeof room);
    struct kvc_notes notes = { .arena = &arena };
    for (int i = 0; i < 20; i++)
        kvc_note_add(&notes, "a.b", "config.json:/k", "number %d of %s", i, "some");
    assert_false(notes.full);
    assert_int_equal(notes.count, 20);
    assert_string_equal(notes.list[0].text, "number 0 of some");
    assert_string_equal(notes.list[19].text, "number 19 of some");
    assert_string_equal(notes.list[19].code, "a.b");
    assert_string_equal(notes.list[19].at, "config.json:/k");
    kvc_arena_drop(&arena);
}

static void text_becomes_plain(void **state)
{
    static const char *const ROWS[][2] = {
        { "plain", "plain" },
        { "", "" },
        { "a\nb\x1B[1m\x7F", "a?b?[1m?" },
        { "\xC2\x9B"
          "31m",
          "??31m" },
        { "\xC3\xA9\xE2\x82\xAC", "\xC3\xA9\xE2\x82\xAC" },
        { "\xFF\xC3", "??" },
        { "\xC2\xA0", "\xC2\xA0" },
        { "cut \xE2\x82", "cut ??" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s", ROWS[i][0]);
        kvc_text_make_plain(text);
        assert_string_equal(text, ROWS[i][1]);
    }
}

static void long_texts_are_cut_and_stay_text(void **state)
{
    struct kvc_arena arena;
    char longer[2000];
    (void)state;
    kvc_arena_over(&arena, room, sizeof room);
    struct kvc_notes notes = { .arena = &arena };
    for (size_t i = 0; i + 2 < sizeof longer; i += 2)
        memcpy(longer + i, "\xC3\xA9", 2);
    longer[sizeof longer - 2] = '\0';
    kvc_note_add(&notes, "a.b", longer, "x%s", longer);
    assert_int_equal(strlen(notes.list[0].text), 511);
    assert_true(kvc_span_is_utf8(kvc_span_of(notes.list[0].text), NULL));
    assert_true(kvc_span_is_utf8(kvc_span_of(notes.list[0].at), NULL));
    kvc_arena_drop(&arena);
}

static void a_hundred_are_kept_and_no_more(void **state)
{
    struct kvc_arena arena;
    (void)state;
    kvc_arena_over(&arena, room, sizeof room);
    struct kvc_notes notes = { .arena = &arena };
    for (int i = 0; i < 200; i++)
        kvc_note_add(&notes, "a.b", "", "%d", i);
    assert_int_equal(notes.count, KVC_NOTES_MAX);
    assert_string_equal(notes.list[99].text, "99");
    assert_false(notes.full);
    kvc_arena_drop(&arena);
}

static void a_full_arena_is_remembered(void **state)
{
    bool enough = false;
    (void)state;
    for (size_t bytes = 0; bytes < 8192; bytes += 16) {
        struct kvc_arena arena;
        kvc_arena_over(&arena, room, bytes);
        struct kvc_notes notes = { .arena = &arena };
        for (int i = 0; i < 10; i++)
            kvc_note_add(&notes, "a.b", "at", "text");
        assert_true(notes.full || notes.count == 10);
        for (size_t i = 0; i < notes.count; i++)
            assert_string_equal(notes.list[i].text, "text");
        enough = !notes.full;
        kvc_arena_drop(&arena);
    }
    assert_true(enough);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notes_keep_their_order_and_their_words),
        cmocka_unit_test(text_becomes_plain),
        cmocka_unit_test(long_texts_are_cut_and_stay_text),
        cmocka_unit_test(a_hundred_are_kept_and_no_more),
        cmocka_unit_test(a_full_arena_is_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
