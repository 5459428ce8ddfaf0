/* Goal: a call that makes no sense is refused by name, writes nothing and changes no handle.
 * Method: each argument of each function in turn is left out or is of the wrong kind, with results
 * that must stay as they were. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "support/fixture.h"

static struct {
    struct trio trio;
    kvcap_plan *plan;
    kvcap_record *fit, *plan_record;
} at_hand;

static char nothing;
#define UNTOUCHED ((void *)&nothing)

/* ---- Records from text. */

static void reading_wants_a_text_a_syntax_and_a_result(void **state)
{
    (void)state;
    static const int32_t SYNTAXES[] = { 0, 3, -1, 77, INT32_MAX, INT32_MIN };
    const char *json = kvcap_record_json(at_hand.trio.model);
    kvcap_record *record = UNTOUCHED;
    kvcap_error err;
    must_refuse(kvcap_record_read(NULL, 0, KVCAP_JSON, &record, &err), &err, "usage.null_argument",
                "text");
    must_refuse(kvcap_record_read(json, strlen(json), KVCAP_JSON, NULL, &err), &err,
                "usage.null_argument", "ret_record");
    must_refuse(kvcap_record_seal(NULL, 0, KVCAP_JSON, NULL, 0, &record, &err), &err,
                "usage.null_argument", "text");
    must_refuse(kvcap_record_seal(json, strlen(json), KVCAP_JSON, NULL, 0, NULL, &err), &err,
                "usage.null_argument", "ret_record");
    must_refuse(kvcap_record_seal(json, strlen(json), KVCAP_JSON, NULL, 1, &record, &err), &err,
                "usage.null_argument", "named");
    for (size_t i = 0; i < sizeof SYNTAXES / sizeof SYNTAXES[0]; i++) {
        must_refuse(kvcap_record_read(json, strlen(json), SYNTAXES[i], &record, &err), &err,
                    "usage.out_of_range", "syntax");
        must_refuse(kvcap_record_seal(json, strlen(json), SYNTAXES[i], NULL, 0, &record, &err),
                    &err, "usage.out_of_range", "syntax");
    }
    must_refuse(kvcap_record_read(json, 0, KVCAP_JSON, &record, &err), &err, "record.empty", "");
    assert_ptr_equal(record, UNTOUCHED);
}

static void the_length_is_believed_and_not_a_nul(void **state)
{
    (void)state;
    const char *json = kvcap_record_json(at_hand.trio.model);
    size_t length = strlen(json);
    kvcap_record *record = UNTOUCHED;
    kvcap_error err;
    char *exact = malloc(length); /* without a NUL: a sanitizer sees a step too far */
    memcpy(exact, json, length);
    assert_int_equal(kvcap_record_read(exact, length - 1, KVCAP_JSON, &record, &err),
                     KVCAP_E_RECORD);
    assert_string_equal(err.slug, "record.syntax");
    must(kvcap_record_read(exact, length, KVCAP_JSON, &record, &err), &err);
    memset(exact, 'x', length); /* the text need not outlive the call */
    assert_string_equal(kvcap_record_json(record), json);
    kvcap_record_free(record);
    must_refuse(kvcap_record_read(json, length + 1, KVCAP_JSON, &record, &err), &err,
                "record.trailing_bytes", "");
    free(exact);
}

static void a_config_wants_a_name(void **state)
{
    (void)state;
    static const char *const BAD[] = { "", "a\nb", "a\x7f", "\xC3", "\xC2\x85" };
    kvcap_record *model = UNTOUCHED;
    kvcap_error err;
    must_refuse(kvcap_model_from_config(NULL, 0, "n", "r", &model, &err), &err,
                "usage.null_argument", "text");
    must_refuse(kvcap_model_from_config("{}", 2, NULL, "r", &model, &err), &err,
                "usage.null_argument", "name");
    must_refuse(kvcap_model_from_config("{}", 2, "n", "r", NULL, &err), &err, "usage.null_argument",
                "ret_model");
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        must_refuse(kvcap_model_from_config("{}", 2, BAD[i], "r", &model, &err), &err,
                    "record.bad_name", "name");
        must_refuse(kvcap_model_from_config("{}", 2, "n", BAD[i], &model, &err), &err,
                    "record.bad_name", "revision");
    }
    char long_name[258];
    memset(long_name, 'n', 257);
    long_name[257] = '\0';
    must_refuse(kvcap_model_from_config("{}", 2, long_name, "r", &model, &err), &err,
                "record.bad_name", "name");
    assert_ptr_equal(model, UNTOUCHED);
}

/* ---- Plans. */

static void a_plan_wants_the_three_kinds_in_order(void **state)
{
    (void)state;
    const kvcap_record *m = at_hand.trio.model, *c = at_hand.trio.contract;
    const kvcap_record *e = at_hand.trio.evidence;
    kvcap_plan *plan = UNTOUCHED;
    kvcap_error err;
    must_refuse(kvcap_plan_make(NULL, c, e, &plan, &err), &err, "usage.null_argument", "model");
    must_refuse(kvcap_plan_make(m, NULL, e, &plan, &err), &err, "usage.null_argument", "contract");
    must_refuse(kvcap_plan_make(m, c, NULL, &plan, &err), &err, "usage.null_argument", "evidence");
    must_refuse(kvcap_plan_make(m, c, e, NULL, &err), &err, "usage.null_argument", "ret_plan");
    const kvcap_record *all[] = { m, c, e, at_hand.plan_record, at_hand.fit };
    for (size_t i = 0; i < 5; i++) {
        if (i != 0)
            must_refuse(kvcap_plan_make(all[i], c, e, &plan, &err), &err, "usage.wrong_kind",
                        "model");
        if (i != 1)
            must_refuse(kvcap_plan_make(m, all[i], e, &plan, &err), &err, "usage.wrong_kind",
                        "contract");
        if (i != 2)
            must_refuse(kvcap_plan_make(m, c, all[i], &plan, &err), &err, "usage.wrong_kind",
                        "evidence");
    }
    assert_ptr_equal(plan, UNTOUCHED);
}

static void a_plan_wants_records_that_name_each_other(void **state)
{
    (void)state;
    struct trio other =
        fixture_trio("window/model.yaml", "window/contract.yaml", "window/evidence.yaml");
    kvcap_plan *plan = UNTOUCHED;
    kvcap_error err;
    must_refuse(
        kvcap_plan_make(other.model, at_hand.trio.contract, at_hand.trio.evidence, &plan, &err),
        &err, "contract.model", "/model");
    must_refuse(kvcap_plan_make(other.model, other.contract, at_hand.trio.evidence, &plan, &err),
                &err, "evidence.contract", "/contract");
    assert_ptr_equal(plan, UNTOUCHED);
    trio_free(&other);
}

static void a_summary_wants_its_size(void **state)
{
    (void)state;
    kvcap_summary summary, before;
    kvcap_error err;
    memset(&summary, 0x5A, sizeof summary);
    before = summary;
    must_refuse(kvcap_plan_summary(at_hand.plan, &summary, &err), &err, "usage.struct_size",
                "ret_summary");
    assert_memory_equal(&summary, &before, sizeof summary);
    summary.struct_size = before.struct_size = sizeof summary;
    /* A handle of another kind, in the place of a plan. */
    must_refuse(kvcap_plan_summary((const kvcap_plan *)at_hand.trio.model, &summary, &err), &err,
                "usage.wrong_kind", "plan");
    must_refuse(kvcap_plan_summary(NULL, &summary, &err), &err, "usage.null_argument", "plan");
    must_refuse(kvcap_plan_summary(at_hand.plan, NULL, &err), &err, "usage.null_argument",
                "ret_summary");
    assert_memory_equal(&summary, &before, sizeof summary);
    must(kvcap_plan_summary(at_hand.plan, &summary, &err), &err);
    assert_int_equal(summary.decision, KVCAP_FIT);
    assert_int_equal(summary.requests, 2);
    assert_int_equal(summary.sequences, 16);
}

static void the_figures_of_an_undetermined_plan_are_0(void **state)
{
    (void)state;
    struct trio trio =
        fixture_trio("unknown/model.yaml", "unknown/contract.yaml", "unknown/evidence.yaml");
    kvcap_plan *plan = trio_plan(&trio);
    kvcap_summary summary = { .struct_size = sizeof summary };
    const kvcap_summary due = {
        .struct_size = sizeof due, .decision = KVCAP_UNDETERMINED, .requests = 1, .sequences = 1
    };
    kvcap_error err;
    must(kvcap_plan_summary(plan, &summary, &err), &err);
    assert_memory_equal(&summary, &due, sizeof summary);
    kvcap_plan_free(plan);
    trio_free(&trio);
}

static void verify_wants_a_record_and_a_result(void **state)
{
    (void)state;
    const kvcap_record *named[] = { NULL, at_hand.trio.model, NULL };
    int32_t outcome = 77;
    kvcap_error err;
    must_refuse(kvcap_verify(NULL, named, 3, &outcome, &err), &err, "usage.null_argument",
                "record");
    must_refuse(kvcap_verify(at_hand.fit, NULL, 3, &outcome, &err), &err, "usage.null_argument",
                "named");
    must_refuse(kvcap_verify(at_hand.fit, named, 3, NULL, &err), &err, "usage.null_argument",
                "ret_outcome");
    assert_int_equal(outcome, 77);
    must(kvcap_verify(at_hand.fit, named, 3, &outcome, &err), &err); /* gaps in the list are fine */
    assert_int_equal(outcome, KVCAP_INTACT);
    assert_int_equal(kvcap_verify(at_hand.fit, named, 3, &outcome, NULL), KVCAP_OK);
}

/* ---- Streams. */

static void a_window_wants_a_model_and_its_contract(void **state)
{
    (void)state;
    const kvcap_record *m = at_hand.trio.model, *c = at_hand.trio.contract;
    struct trio other =
        fixture_trio("window/model.yaml", "window/contract.yaml", "window/evidence.yaml");
    kvcap_window *window = UNTOUCHED;
    kvcap_error err;
    must_refuse(kvcap_window_open(NULL, c, &window, &err), &err, "usage.null_argument", "model");
    must_refuse(kvcap_window_open(m, NULL, &window, &err), &err, "usage.null_argument", "contract");
    must_refuse(kvcap_window_open(m, c, NULL, &err), &err, "usage.null_argument", "ret_window");
    must_refuse(kvcap_window_open(c, m, &window, &err), &err, "usage.wrong_kind", "model");
    must_refuse(kvcap_window_open(m, m, &window, &err), &err, "usage.wrong_kind", "contract");
    must_refuse(kvcap_window_open(other.model, c, &window, &err), &err, "contract.model", "/model");
    assert_ptr_equal(window, UNTOUCHED);
    must_refuse(kvcap_window_feed(NULL, "x", 1, &err), &err, "usage.null_argument", "window");
    kvcap_plan *plan = UNTOUCHED;
    must_refuse(kvcap_window_plan(NULL, &plan, &err), &err, "usage.null_argument", "window");
    assert_ptr_equal(plan, UNTOUCHED);
    trio_free(&other);
}

/* ---- What NULL is. */

static void nothing_has_no_members_and_is_freed_for_nothing(void **state)
{
    (void)state;
    assert_int_equal(kvcap_record_kind(NULL), 0);
    assert_null(kvcap_record_id(NULL));
    assert_null(kvcap_record_json(NULL));
    assert_null(kvcap_record_named(NULL, 0));
    assert_null(kvcap_plan_json(NULL));
    assert_null(kvcap_plan_id(NULL));
    assert_string_equal(kvcap_advice(NULL), "");
    kvcap_record_free(NULL);
    kvcap_plan_free(NULL);
    kvcap_window_free(NULL);
}

static void members_are_what_they_are(void **state)
{
    (void)state;
    const struct {
        const kvcap_record *record;
        int32_t kind;
        const char *named[4];
    } DUE[] = {
        { at_hand.trio.model, KVCAP_KIND_MODEL, { NULL } },
        { at_hand.trio.contract, KVCAP_KIND_CONTRACT, { kvcap_record_id(at_hand.trio.model) } },
        { at_hand.trio.evidence, KVCAP_KIND_EVIDENCE, { kvcap_record_id(at_hand.trio.contract) } },
        { at_hand.plan_record,
          KVCAP_KIND_PLAN,
          { kvcap_record_id(at_hand.trio.model), kvcap_record_id(at_hand.trio.contract),
            kvcap_record_id(at_hand.trio.evidence) } },
        { at_hand.fit, KVCAP_KIND_FIT, { kvcap_record_id(at_hand.trio.model) } },
    };
    for (size_t i = 0; i < sizeof DUE / sizeof DUE[0]; i++) {
        assert_int_equal(kvcap_record_kind(DUE[i].record), DUE[i].kind);
        size_t n = 0;
        for (; DUE[i].named[n] != NULL; n++)
            assert_string_equal(kvcap_record_named(DUE[i].record, n), DUE[i].named[n]);
        assert_null(kvcap_record_named(DUE[i].record, n));
        assert_null(kvcap_record_named(DUE[i].record, 3));
        assert_null(kvcap_record_named(DUE[i].record, SIZE_MAX));
    }
}

static void codes_and_slugs_have_words(void **state)
{
    (void)state;
    static const kvcap_code CODES[] = {
#define XX(name, number, text) number,
        KVCAP_CODE_MAP(XX)
#undef XX
    };
    for (size_t i = 0; i < sizeof CODES / sizeof CODES[0]; i++) {
        assert_string_not_equal(kvcap_code_text(CODES[i]), "unknown code");
        assert_true(strlen(kvcap_code_text(CODES[i])) > 3);
    }
    assert_string_equal(kvcap_code_text(1), "unknown code");
    assert_string_equal(kvcap_code_text(-1), "unknown code");
    kvcap_error err = { .slug = "record.negative_zero" };
    assert_string_equal(kvcap_advice(&err), "write 0");
    strcpy(err.slug, "no.such_slug");
    assert_string_equal(kvcap_advice(&err), "");
    assert_string_equal(kvcap_version(), KVCAP_VERSION);
}

/* ---- Nothing changes a handle. */

static void a_record_is_the_same_before_and_after_it_is_used(void **state)
{
    (void)state;
    const kvcap_record *all[] = { at_hand.trio.model, at_hand.trio.contract, at_hand.trio.evidence,
                                  at_hand.plan_record, at_hand.fit };
    char *before[5], ids[5][128];
    const char *texts[5];
    for (size_t i = 0; i < 5; i++) {
        texts[i] = kvcap_record_json(all[i]);
        before[i] = strdup(texts[i]);
        strcpy(ids[i], kvcap_record_id(all[i]));
    }
    for (size_t i = 0; i < 5; i++) {
        int32_t outcome;
        kvcap_record *sealed = NULL;
        struct kvc_span draft = without_id(texts[i]);
        (void)!kvcap_verify(all[i], all, 5, &outcome, NULL);
        (void)!kvcap_record_seal(draft.text, draft.length, KVCAP_JSON, all, 5, &sealed, NULL);
        assert_string_equal(kvcap_record_id(sealed), ids[i]);
        kvcap_record_free(sealed);
        free((char *)draft.text);
    }
    kvcap_plan *plan = trio_plan(&at_hand.trio);
    kvcap_plan_free(plan);
    for (size_t i = 0; i < 5; i++) {
        assert_ptr_equal(kvcap_record_json(all[i]), texts[i]);
        assert_string_equal(texts[i], before[i]);
        assert_string_equal(kvcap_record_id(all[i]), ids[i]);
        free(before[i]);
    }
}

static void records_outlive_what_they_were_made_from(void **state)
{
    (void)state;
    struct trio trio =
        fixture_trio("window/model.yaml", "window/contract.yaml", "window/evidence.yaml");
    kvcap_plan *plan = trio_plan(&trio);
    char *json = strdup(kvcap_plan_json(plan));
    kvcap_record_free(trio.model);
    trio.model = NULL;
    struct kvc_span draft = without_id(kvcap_record_json(trio.evidence));
    assert_string_equal(kvcap_plan_json(plan), json);
    kvcap_summary summary = { .struct_size = sizeof summary };
    kvcap_error err;
    trio_free(&trio);
    must(kvcap_plan_summary(plan, &summary, &err), &err);
    assert_int_equal(summary.sequences_max, 345);
    assert_string_equal(kvcap_plan_json(plan), json);
    free(json);
    free((char *)draft.text);
    kvcap_plan_free(plan);
}

static int take_at_hand(void **state)
{
    (void)state;
    at_hand.trio =
        fixture_trio("reference/model.yaml", "reference/contract.yaml", "reference/evidence.json");
    at_hand.plan = trio_plan(&at_hand.trio);
    at_hand.plan_record = plan_record(at_hand.plan);
    at_hand.fit = fixture_seal("fit/logical.yaml");
    return 0;
}

static int put_away(void **state)
{
    (void)state;
    kvcap_record_free(at_hand.plan_record);
    kvcap_record_free(at_hand.fit);
    kvcap_plan_free(at_hand.plan);
    trio_free(&at_hand.trio);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_wants_a_text_a_syntax_and_a_result),
        cmocka_unit_test(the_length_is_believed_and_not_a_nul),
        cmocka_unit_test(a_config_wants_a_name),
        cmocka_unit_test(a_plan_wants_the_three_kinds_in_order),
        cmocka_unit_test(a_plan_wants_records_that_name_each_other),
        cmocka_unit_test(a_summary_wants_its_size),
        cmocka_unit_test(the_figures_of_an_undetermined_plan_are_0),
        cmocka_unit_test(verify_wants_a_record_and_a_result),
        cmocka_unit_test(a_window_wants_a_model_and_its_contract),
        cmocka_unit_test(nothing_has_no_members_and_is_freed_for_nothing),
        cmocka_unit_test(members_are_what_they_are),
        cmocka_unit_test(codes_and_slugs_have_words),
        cmocka_unit_test(a_record_is_the_same_before_and_after_it_is_used),
        cmocka_unit_test(records_outlive_what_they_were_made_from),
    };
    return cmocka_run_group_tests(tests, take_at_hand, put_away);
}
