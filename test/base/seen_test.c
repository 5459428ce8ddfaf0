/* Goal: a name is new once, keeps its number, and costs no more memory than promised.
 * Method: names that are numbered, so that the model is a list of flags; a scope and a name that
 * touch, so that their border matters; memory that counts, and that refuses each of its requests in
 * turn. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/seen.h"
#include "support/chance.h"
#include "support/faulty_memory.h"

#define SCOPES 7

struct fixture {
    struct faulty_memory memory;
    struct kvc_sha256 *sha;
    struct kvc_seen seen;
};

static void begin(struct fixture *f, uint64_t refuse_at, bool with_numbers)
{
    faulty_memory_begin(&f->memory, refuse_at);
    f->sha = kvc_sha256_new();
    assert_non_null(f->sha);
    kvc_seen_begin(&f->seen, &f->memory.memory, with_numbers);
}

static void end(struct fixture *f)
{
    kvc_seen_drop(&f->seen);
    kvc_seen_drop(&f->seen);
    assert_int_equal(f->memory.blocks, 0);
    kvc_sha256_free(f->sha);
}

/* Name number i.  Scopes are "", "1", "11", ...; names are digits too: "1" with "12" and "11" with
 * "2" differ in nothing but their border. */
static enum kvc_seen_answer add(struct fixture *f, uint64_t i, uint64_t *number)
{
    char scope[SCOPES + 1], name[24];
    memset(scope, '1', sizeof scope);
    scope[i % SCOPES] = '\0';
    int length = snprintf(name, sizeof name, "%u", (unsigned)(i / SCOPES));
    return kvc_seen_add(&f->seen, f->sha, kvc_span_of(scope),
                        (struct kvc_span){ name, (size_t)length }, number);
}

static void answers_are_those_of_a_list(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int round = 0; round < 2; round++) {
        bool with_numbers = round == 1;
        enum { NAMES = 30000 };
        uint64_t *numbers = calloc(NAMES, sizeof *numbers); /* 0: not seen */
        assert_non_null(numbers);
        size_t used = 0;
        struct fixture f;
        begin(&f, 0, with_numbers);
        for (uint64_t step = 1; step <= 2 * NAMES; step++) {
            uint64_t i = chance_below(&chance, NAMES), number = step;
            enum kvc_seen_answer answer = add(&f, i, with_numbers ? &number : NULL);
            bool is_new = numbers[i] == 0;
            chance_check(&chance, answer == (is_new ? KVC_SEEN_NEW : KVC_SEEN_BEFORE));
            if (is_new)
                numbers[i] = step;
            chance_check(&chance, number == (with_numbers ? numbers[i] : step));
            used += is_new;
            chance_check(&chance, f.seen.used == used);
        }
        chance_check(&chance, used > NAMES * 3 / 4 && f.memory.gets > 4);
        end(&f);
        free(numbers);
    }
}

static void scope_and_name_are_two_parts(void **state)
{
    (void)state;
    static const char *const PAIRS[][2] = { { "", "ab" }, { "a", "b" }, { "ab", "" }, { "", "a" },
                                            { "a", "" },  { "", "" },   { "b", "a" }, { "", "b" } };
    struct fixture f;
    begin(&f, 0, false);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < sizeof PAIRS / sizeof PAIRS[0]; i++)
            assert_int_equal(kvc_seen_add(&f.seen, f.sha, kvc_span_of(PAIRS[i][0]),
                                          kvc_span_of(PAIRS[i][1]), NULL),
                             round == 0 ? KVC_SEEN_NEW : KVC_SEEN_BEFORE);
    }
    end(&f);
}

/* The peak is looked at whenever the table has grown: at that moment the old and the new table both
 * stood, for the names there were. */
static size_t bytes_a_name_at_worst(bool with_numbers)
{
    struct fixture f;
    begin(&f, 0, with_numbers);
    size_t worst = 0;
    uint64_t number = 0;
    for (uint64_t i = 0; i < 100000; i++) {
        uint64_t gets = f.memory.gets;
        assert_int_equal(add(&f, i, with_numbers ? &number : NULL), KVC_SEEN_NEW);
        if (f.memory.gets == gets || i == 0)
            continue;
        size_t each = (f.memory.bytes_peak + i) / (i + 1);
        worst = each > worst ? each : worst;
    }
    assert_true(f.memory.gets >= 7);
    assert_true(f.memory.bytes >= 100000 * 16); /* it was really counted */
    end(&f);
    return worst;
}

static void a_name_costs_at_most_64_bytes_at_the_worst_moment(void **state)
{
    (void)state;
    size_t plain = bytes_a_name_at_worst(false), numbered = bytes_a_name_at_worst(true);
    assert_true(plain > 16 && plain <= 64);
    assert_true(numbered > 24 && numbered <= 96);
}

static void names_ask_for_no_memory_but_to_grow(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 0, false);
    assert_int_equal(f.memory.gets, 0); /* an unused table costs nothing */
    for (uint64_t i = 0; i < 800; i++)
        assert_int_equal(add(&f, i, NULL), KVC_SEEN_NEW);
    assert_int_equal(f.memory.gets, 1);
    assert_int_equal(f.memory.blocks, 1);
    end(&f);
}

/* Every request for memory is refused once.  The name that met the refusal is not in; all others
 * are, with their numbers, and the table goes on. */
static void a_refusal_of_memory_leaves_it_usable(void **state)
{
    (void)state;
    enum { NAMES = 8000 };
    uint64_t refusals = 0;
    for (uint64_t refuse_at = 1;; refuse_at++) {
        struct fixture f;
        begin(&f, refuse_at, true);
        for (uint64_t i = 0; i < NAMES; i++) {
            uint64_t number = 10 * i;
            enum kvc_seen_answer answer = add(&f, i, &number);
            if (answer == KVC_SEEN_NO_MEMORY) {
                refusals++;
                assert_int_equal(f.memory.gets, refuse_at);
                assert_int_equal(f.seen.used, i);
                answer = add(&f, i, &number);
            }
            assert_int_equal(answer, KVC_SEEN_NEW);
        }
        for (uint64_t i = 0; i < NAMES; i++) {
            uint64_t number = 1;
            assert_int_equal(add(&f, i, &number), KVC_SEEN_BEFORE);
            assert_int_equal(number, 10 * i);
        }
        bool done = f.memory.gets < refuse_at;
        end(&f);
        if (done)
            break;
    }
    assert_true(refusals >= 4);
}

static void a_table_may_be_dropped_before_its_first_name(void **state)
{
    (void)state;
    struct kvc_seen none = { 0 };
    kvc_seen_drop(&none);
    struct fixture f;
    begin(&f, 1, false);
    assert_int_equal(add(&f, 0, NULL), KVC_SEEN_NO_MEMORY);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_a_list),
        cmocka_unit_test(scope_and_name_are_two_parts),
        cmocka_unit_test(a_name_costs_at_most_64_bytes_at_the_worst_moment),
        cmocka_unit_test(names_ask_for_no_memory_but_to_grow),
        cmocka_unit_test(a_refusal_of_memory_leaves_it_usable),
        cmocka_unit_test(a_table_may_be_dropped_before_its_first_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
