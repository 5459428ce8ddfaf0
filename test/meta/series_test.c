/* Goal: a part of a series is known by its name, with the number that stands there, and nothing else
 * is a part.
 * Method: names as they are published, and each of them spoilt at one place. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "meta/series.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static void a_part_is_known_by_its_name(void **state)
{
    static const struct {
        const char *name, *stem, *ending;
        uint32_t number, count; /* 0: no part */
    } ROWS[] = {
        { "m-00001-of-00002.gguf", "m", ".gguf", 1, 2 },
        { "m-00002-of-00002.safetensors", "m", ".safetensors", 2, 2 },
        { "d.e/m-00030-of-12345.gguf", "d.e/m", ".gguf", 30, 12345 },
        { "-00001-of-00001.x", "", ".x", 1, 1 },
        { "m-00001-of-00002-00003-of-00004.gguf", "m-00001-of-00002", ".gguf", 3, 4 },
        { "m-00000-of-00002.gguf", NULL, NULL, 0, 0 },
        { "m-00003-of-00002.gguf", NULL, NULL, 0, 0 },
        { "m-0001-of-0002.gguf", NULL, NULL, 0, 0 },
        { "m-000001-of-000002.gguf", NULL, NULL, 0, 0 },
        { "m-0000a-of-00002.gguf", NULL, NULL, 0, 0 },
        { "m-00001-of-0000:.gguf", NULL, NULL, 0, 0 },
        { "m-00001-on-00002.gguf", NULL, NULL, 0, 0 },
        { "m_00001-of-00002.gguf", NULL, NULL, 0, 0 },
        { "m-00001-of-00002", NULL, NULL, 0, 0 },
        { "m.d-00001-of-00002/x", NULL, NULL, 0, 0 },
        { "00001-of-00002.gguf", NULL, NULL, 0, 0 },
        { ".gguf", NULL, NULL, 0, 0 },
        { "", NULL, NULL, 0, 0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        struct kvc_series s = kvc_series_of(kvc_span_of(ROWS[i].name));
        if (s.is_part != (ROWS[i].count > 0))
            fail_msg("%s", ROWS[i].name);
        assert_true(kvc_span_is(s.stem, s.is_part ? ROWS[i].stem : ROWS[i].name));
        assert_true(kvc_span_is(s.ending, s.is_part ? ROWS[i].ending : ""));
        assert_int_equal(s.number, s.is_part ? ROWS[i].number : 1);
        assert_int_equal(s.count, s.is_part ? ROWS[i].count : 1);
    }
}

static void only_parts_of_one_name_and_count_are_of_one_series(void **state)
{
    static const char *const OTHERS[] = { "n-00001-of-00002.gguf", "m-00002-of-00003.gguf",
                                          "m-00002-of-00002.bin", "m.gguf" };
    (void)state;
    struct kvc_series a = kvc_series_of(kvc_span_of("m-00001-of-00002.gguf"));
    struct kvc_series b = kvc_series_of(kvc_span_of("m-00002-of-00002.gguf"));
    assert_true(kvc_series_same(&a, &b));
    for (size_t i = 0; i < COUNT(OTHERS); i++) {
        struct kvc_series other = kvc_series_of(kvc_span_of(OTHERS[i]));
        assert_false(kvc_series_same(&a, &other));
    }
    struct kvc_series alone = kvc_series_of(kvc_span_of("m.gguf"));
    assert_false(kvc_series_same(&alone, &alone));
}

static void the_lowest_number_that_is_missing_is_told(void **state)
{
    static const char *const NAMES[] = { "m-00003-of-00003.gguf", "m.gguf", "m-00001-of-00003.gguf",
                                         "n-00002-of-00003.gguf", "m-00002-of-00003.gguf" };
    (void)state;
    struct kvc_series m = kvc_series_of(kvc_span_of(NAMES[0]));
    assert_int_equal(kvc_series_missing(&m, NAMES, 0), 1);
    assert_int_equal(kvc_series_missing(&m, NAMES, 1), 1);
    assert_int_equal(kvc_series_missing(&m, NAMES, 4), 2);
    assert_int_equal(kvc_series_missing(&m, NAMES, 5), 0);
    struct kvc_series most = kvc_series_of(kvc_span_of("m-00001-of-99999.gguf"));
    assert_int_equal(kvc_series_missing(&most, NAMES, 5), 1);
    struct kvc_series alone = kvc_series_of(kvc_span_of("m.gguf"));
    assert_int_equal(kvc_series_missing(&alone, NAMES, 5), 0);
}

static void what_looks_like_a_part_is_doubtful(void **state)
{
    static const char *const DOUBTFUL[] = { "m-1-of-61.safetensors", "m-00000-of-00002.gguf",
                                            "-of-1" };
    static const char *const PLAIN[] = { "m.safetensors", "m-00001-of-00002.gguf",
                                         "best-of-breed.gguf", "m-of-", "" };
    (void)state;
    for (size_t i = 0; i < COUNT(DOUBTFUL); i++) {
        struct kvc_series s = kvc_series_of(kvc_span_of(DOUBTFUL[i]));
        assert_true(kvc_series_is_doubtful(&s));
    }
    for (size_t i = 0; i < COUNT(PLAIN); i++) {
        struct kvc_series s = kvc_series_of(kvc_span_of(PLAIN[i]));
        assert_false(kvc_series_is_doubtful(&s));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_is_known_by_its_name),
        cmocka_unit_test(only_parts_of_one_name_and_count_are_of_one_series),
        cmocka_unit_test(the_lowest_number_that_is_missing_is_told),
        cmocka_unit_test(what_looks_like_a_part_is_doubtful),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
