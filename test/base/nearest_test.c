/* Goal: a word that is almost a known name finds it, and one that is not finds none.
 * Method: one line a word. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/nearest.h"

static struct kvc_span nearest_to(const char *word)
{
    static const char *const NAMES[] = { "--max-model-len", "--max-num-seqs", "-c", "vllm",
                                         "paged" };
    struct kvc_nearest near = kvc_nearest_begin(kvc_span_of(word));
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
        kvc_nearest_offer(&near, kvc_span_of(NAMES[i]));
    return near.best;
}

static void a_word_finds_the_name_that_it_almost_is(void **state)
{
    (void)state;
    assert_true(kvc_span_is(nearest_to("--max-model-length"), "--max-model-len"));
    assert_true(kvc_span_is(nearest_to("--max-num-seq"), "--max-num-seqs"));
    assert_true(kvc_span_is(nearest_to("vlm"), "vllm"));
    assert_true(kvc_span_is(nearest_to("pagde"), "paged"));
    assert_true(kvc_span_is(nearest_to("-d"), "-c"));
}

static void a_word_that_is_far_from_all_finds_none(void **state)
{
    (void)state;
    assert_int_equal(nearest_to("").length, 0);
    assert_int_equal(nearest_to("x").length, 0);
    assert_int_equal(nearest_to("temperature").length, 0);
    assert_int_equal(nearest_to("tgi").length, 0);
}

static void the_first_of_equals_stays(void **state)
{
    (void)state;
    struct kvc_nearest near = kvc_nearest_begin(kvc_span_of("cat"));
    kvc_nearest_offer(&near, kvc_span_of("hat"));
    kvc_nearest_offer(&near, kvc_span_of("bat"));
    assert_true(kvc_span_is(near.best, "hat"));
    kvc_nearest_offer(&near, kvc_span_of("cat"));
    assert_true(kvc_span_is(near.best, "cat"));
}

static void half_of_a_word_may_differ_and_eight_letters_at_most(void **state)
{
    (void)state;
    assert_int_equal(kvc_nearest_limit(kvc_span_of("abcde")), 2);
    assert_int_equal(kvc_nearest_limit(kvc_span_of("abcdefghijklmnop")), 8);
    assert_int_equal(kvc_nearest_limit(kvc_span_of("abcdefghijklmnopqrstuvwxyz")), 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_finds_the_name_that_it_almost_is),
        cmocka_unit_test(a_word_that_is_far_from_all_finds_none),
        cmocka_unit_test(the_first_of_equals_stays),
        cmocka_unit_test(half_of_a_word_may_differ_and_eight_letters_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
