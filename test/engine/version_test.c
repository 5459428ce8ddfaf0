/* Goal: versions are read as people and builds write them, and stand in the order in which they were made.
 * Method: one long line of versions in order, each compared with each; words that are none. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>

#include "engine/version.h"

/* As packages are ordered in PEP 440, with an example of every kind and number that has two digits. */
static const char *const IN_ORDER[] = {
    "0.1.0",      "0.6.3",       "0.6.3.post1.dev4", "0.6.3.post1",   "0.6.3.post2",
    "0.6.4.dev1", "0.6.4.dev18", "0.6.4a1",          "0.6.4b1",       "0.6.4rc1.dev2",
    "0.6.4rc1",   "0.6.4rc2",    "0.6.4rc10",        "0.6.4",         "0.6.4.1",
    "0.9.0",      "0.9.0.1",     "0.9.1.dev287",     "0.9.1rc2.dev5", "0.9.1rc2",
    "0.9.1",      "0.10.0",      "0.10.0.post1",     "0.10.1",        "1.0.0rc1",
    "1.0.0",
};
#define COUNT (sizeof IN_ORDER / sizeof IN_ORDER[0])

static struct kvc_version read(const char *text)
{
    struct kvc_version version;
    assert_true(kvc_version_read(kvc_span_of(text), &version));
    return version;
}

static int compare(const char *a, const char *b)
{
    struct kvc_version one = read(a), other = read(b);
    return kvc_version_compare(&one, &other);
}

static void versions_stand_in_the_order_of_their_making(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t k = 0; k < COUNT; k++) {
            int order = compare(IN_ORDER[i], IN_ORDER[k]);
            assert_int_equal(order < 0, i < k);
            assert_int_equal(order > 0, i > k);
        }
    }
}

static void other_ways_to_write_one_version_are_that_version(void **state)
{
    (void)state;
    assert_int_equal(compare("v0.11.0", "0.11.0"), 0);
    assert_int_equal(compare("0.11", "0.11.0"), 0);
    assert_int_equal(compare("0.11.0+cu121", "0.11.0"), 0);
    assert_int_equal(compare("0.25.1-aarch64", "0.25.1"), 0);
    assert_int_equal(compare("0.9.1.dev18+g7c0d3f1.d20250522", "0.9.1.dev18"), 0);
    assert_int_equal(compare("0.9.1.rc2", "0.9.1rc2"), 0);
    assert_int_equal(compare("0.6.3post1", "0.6.3.post1"), 0);
}

static void builds_are_numbers_of_their_own(void **state)
{
    (void)state;
    assert_true(read("b5400").is_build);
    assert_false(read("0.4.0").is_build);
    assert_true(compare("b999", "b5400") < 0);
    assert_int_equal(compare("b5400-1-gabcdef", "b5400"), 0);
}

static void an_open_version_has_its_releases_within(void **state)
{
    (void)state;
    struct kvc_version open = read("0.8.x"), in = read("0.8.5.post1"), out = read("0.18.0");
    assert_true(open.is_open);
    assert_false(in.is_open);
    assert_true(kvc_version_within(&in, &open));
    assert_false(kvc_version_within(&out, &open));
}

static void other_words_are_no_versions(void **state)
{
    (void)state;
    static const char *const WORDS[] = {
        "",       "v",        "b",           "bb5",       "main",        "0.",    ".8",
        "0..8",   "0.8.",     "0.8.xx",      "x",         "0.8 ",        "0.8_1", "-0.8",
        "0.8rcx", "0.8.devx", "1.2.3.4.5.6", "100000000", "0.8.5(main)", "b54x"
    };
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        struct kvc_version version = { .parts_count = 77 };
        assert_false(kvc_version_read(kvc_span_of(WORDS[i]), &version));
        assert_int_equal(version.parts_count, 77);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_stand_in_the_order_of_their_making),
        cmocka_unit_test(other_ways_to_write_one_version_are_that_version),
        cmocka_unit_test(builds_are_numbers_of_their_own),
        cmocka_unit_test(an_open_version_has_its_releases_within),
        cmocka_unit_test(other_words_are_no_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
