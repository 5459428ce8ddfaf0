/* Goal: when memory is refused, at whichever request, the call says so, leaves its results alone and
 * gives back all it had.
 * Method: every call is made again and again with the first, second, third ... request refused -
 * of ours, of libyaml and of libcrypto - until it gets by with what it asks. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>

#include "support/faulty_malloc.h"
#include "support/fixture.h"

/* What the calls are made with; all of it is there before anything is refused. */
static struct {
    struct trio trio;
    kvcap_plan *plan;
    kvcap_record *plan_record, *fit;
    struct kvc_span yaml_draft, json_draft, config, stream;
} at_hand;

static char nothing; /* what a result points to while it was not written */
#define UNTOUCHED ((void *)&nothing)

static kvcap_code finish_record(kvcap_code rc, kvcap_record **record)
{
    if (rc != KVCAP_OK)
        assert_ptr_equal(*record, UNTOUCHED);
    else
        kvcap_record_free(*record);
    return rc;
}

static kvcap_code finish_plan(kvcap_code rc, kvcap_plan **plan)
{
    if (rc != KVCAP_OK) {
        assert_ptr_equal(*plan, UNTOUCHED);
    } else {
        assert_string_equal(kvcap_plan_id(*plan), kvcap_plan_id(at_hand.plan));
        kvcap_plan_free(*plan);
    }
    return rc;
}

static kvcap_code read_text(const char *json, kvcap_error *err)
{
    kvcap_record *record = UNTOUCHED;
    return finish_record(kvcap_record_read(json, strlen(json), KVCAP_JSON, &record, err), &record);
}

static kvcap_code read_model(kvcap_error *err)
{
    return read_text(kvcap_record_json(at_hand.trio.model), err);
}

static kvcap_code read_contract(kvcap_error *err)
{
    return read_text(kvcap_record_json(at_hand.trio.contract), err);
}

static kvcap_code read_evidence(kvcap_error *err)
{
    return read_text(kvcap_record_json(at_hand.trio.evidence), err);
}

static kvcap_code read_plan(kvcap_error *err)
{
    return read_text(kvcap_plan_json(at_hand.plan), err);
}

static kvcap_code read_yaml(kvcap_error *err)
{
    const char *json = kvcap_record_json(at_hand.trio.contract); /* JSON is YAML, too */
    kvcap_record *record = UNTOUCHED;
    return finish_record(kvcap_record_read(json, strlen(json), KVCAP_YAML, &record, err), &record);
}

static kvcap_code seal_draft(struct kvc_span text, int32_t syntax, const kvcap_record *named,
                             kvcap_error *err)
{
    kvcap_record *record = UNTOUCHED;
    return finish_record(kvcap_record_seal(text.text, text.length, syntax, &named, 1, &record, err),
                         &record);
}

static kvcap_code seal_yaml(kvcap_error *err)
{
    return seal_draft(at_hand.yaml_draft, KVCAP_YAML, at_hand.trio.model, err);
}

static kvcap_code seal_json(kvcap_error *err)
{
    return seal_draft(at_hand.json_draft, KVCAP_JSON, at_hand.trio.contract, err);
}

static kvcap_code make_model(kvcap_error *err)
{
    kvcap_record *model = UNTOUCHED;
    return finish_record(kvcap_model_from_config(at_hand.config.text, at_hand.config.length, "name",
                                                 NULL, &model, err),
                         &model);
}

static kvcap_code make_builtin(kvcap_error *err)
{
    kvcap_record *model = UNTOUCHED;
    return finish_record(kvcap_model_builtin("openai/gpt-oss-20b", &model, err), &model);
}

static kvcap_code make_plan(kvcap_error *err)
{
    kvcap_plan *plan = UNTOUCHED;
    return finish_plan(kvcap_plan_make(at_hand.trio.model, at_hand.trio.contract,
                                       at_hand.trio.evidence, &plan, err),
                       &plan);
}

static kvcap_code plan_stream(kvcap_error *err)
{
    kvcap_window *window = UNTOUCHED;
    kvcap_plan *plan = UNTOUCHED;
    kvcap_code rc = kvcap_window_open(at_hand.trio.model, at_hand.trio.contract, &window, err);
    if (rc != KVCAP_OK) {
        assert_ptr_equal(window, UNTOUCHED);
        return rc;
    }
    /* In pieces, so that lines are carried from one call to the next. */
    for (size_t at = 0; at < at_hand.stream.length && rc == KVCAP_OK; at += 100) {
        size_t left = at_hand.stream.length - at;
        rc = kvcap_window_feed(window, at_hand.stream.text + at, left < 100 ? left : 100, err);
    }
    if (rc == KVCAP_OK)
        rc = finish_plan(kvcap_window_plan(window, &plan, err), &plan);
    kvcap_window_free(window);
    return rc;
}

static kvcap_code verify_record(const kvcap_record *record, kvcap_error *err)
{
    const kvcap_record *named[] = { at_hand.trio.model, at_hand.trio.contract,
                                    at_hand.trio.evidence };
    int32_t outcome = 77;
    kvcap_code rc = kvcap_verify(record, named, 3, &outcome, err);
    assert_int_equal(outcome, rc == KVCAP_OK ? KVCAP_INTACT : 77);
    return rc;
}

static kvcap_code verify_plan(kvcap_error *err)
{
    return verify_record(at_hand.plan_record, err);
}

static kvcap_code verify_evidence(kvcap_error *err)
{
    return verify_record(at_hand.trio.evidence, err);
}

/* ---- The sweep. */

struct sweep {
    uint64_t refused[FAULTY_CRYPTO + 1]; /* by whose request */
    uint64_t got_by;                     /* libcrypto managed without */
};

static bool refuse_one(kvcap_code (*call)(kvcap_error *err), uint64_t n, struct sweep *sweep)
{
    kvcap_error err = { .code = 0 };
    faulty_malloc_begin(n);
    kvcap_code rc = call(&err);
    struct faulty_tally tally = faulty_malloc_end();
    ERR_clear_error();
    assert_int_equal(tally.ours, 0);
    assert_int_equal(tally.yaml, 0);
    if (tally.refused == FAULTY_NOBODY) {
        must(rc, &err);
        assert_true(tally.asked < n);
        return false;
    }
    sweep->refused[tally.refused]++;
    if (rc == KVCAP_OK) {
        /* A cache of libcrypto that could not be filled is no reason to fail. */
        assert_int_equal(tally.refused, FAULTY_CRYPTO);
        sweep->got_by++;
        return true;
    }
    assert_int_equal(rc, KVCAP_E_NOMEM);
    assert_int_equal(err.code, KVCAP_E_NOMEM);
    assert_string_equal(err.slug, "memory.full");
    return true;
}

static struct sweep refuse_each(kvcap_code (*call)(kvcap_error *err))
{
    struct sweep sweep = { { 0 }, 0 };
    kvcap_error err;
    must(call(&err), &err);
    ERR_clear_error(); /* libcrypto sets itself up at the first call, and keeps that */
    int64_t before = faulty_malloc_crypto_blocks();
    for (uint64_t n = 1; refuse_one(call, n, &sweep); n++)
        ;
    must(call(&err), &err);
    int64_t after = faulty_malloc_crypto_blocks();
    fprintf(stderr, "refused: ours %d, libyaml %d, libcrypto %d (%d got by), kept %d\n",
            (int)sweep.refused[FAULTY_OURS], (int)sweep.refused[FAULTY_YAML],
            (int)sweep.refused[FAULTY_CRYPTO], (int)sweep.got_by, (int)(after - before));
    assert_true(after - before < 8);
    return sweep;
}

static void reading_survives(void **state)
{
    (void)state;
    kvcap_code (*const CALLS[])(kvcap_error *) = { read_model, read_contract, read_evidence,
                                                   read_plan };
    for (size_t i = 0; i < sizeof CALLS / sizeof CALLS[0]; i++) {
        struct sweep sweep = refuse_each(CALLS[i]);
        /* A digest lives in our memory alone, as digest.h says. */
        assert_true(sweep.refused[FAULTY_OURS] >= 3 && sweep.refused[FAULTY_CRYPTO] == 0);
    }
}

static void reading_yaml_survives(void **state)
{
    (void)state;
    assert_true(refuse_each(read_yaml).refused[FAULTY_YAML] > 100);
}

static void sealing_survives(void **state)
{
    (void)state;
    assert_true(refuse_each(seal_yaml).refused[FAULTY_YAML] > 100);
    assert_true(refuse_each(seal_json).refused[FAULTY_OURS] >= 3);
}

static void reading_a_config_survives(void **state)
{
    (void)state;
    assert_true(refuse_each(make_model).refused[FAULTY_OURS] >= 3);
    assert_true(refuse_each(make_builtin).refused[FAULTY_OURS] >= 3);
}

static void planning_survives(void **state)
{
    (void)state;
    assert_true(refuse_each(make_plan).refused[FAULTY_OURS] >= 4);
    assert_true(refuse_each(plan_stream).refused[FAULTY_OURS] >= 10);
}

static void verifying_survives(void **state)
{
    (void)state;
    assert_true(refuse_each(verify_plan).refused[FAULTY_OURS] >= 4);
    (void)refuse_each(verify_evidence);
}

static const char CONFIG[] =
    "{\"model_type\": \"llama\", \"hidden_size\": 4096, \"num_attention_heads\": 32,"
    " \"num_hidden_layers\": 32, \"num_key_value_heads\": 8, \"torch_dtype\": \"bfloat16\","
    " \"max_position_embeddings\": 131072, \"rope_theta\": 500000.0}";

static int take_at_hand(void **state)
{
    (void)state;
    int32_t syntax;
    at_hand.trio =
        fixture_trio("window/model.yaml", "window/contract.yaml", "window/evidence.yaml");
    at_hand.plan = trio_plan(&at_hand.trio);
    at_hand.plan_record = plan_record(at_hand.plan);
    at_hand.yaml_draft = fixture_draft("window/contract.yaml", &syntax);
    at_hand.json_draft = without_id(kvcap_record_json(at_hand.trio.evidence));
    at_hand.config = kvc_span_of(CONFIG);
    at_hand.stream = stream_text(at_hand.trio.evidence, true);
    return 0;
}

static int put_away(void **state)
{
    (void)state;
    kvcap_record_free(at_hand.plan_record);
    kvcap_plan_free(at_hand.plan);
    trio_free(&at_hand.trio);
    free((char *)at_hand.yaml_draft.text);
    free((char *)at_hand.json_draft.text);
    free((char *)at_hand.stream.text);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_survives),  cmocka_unit_test(reading_yaml_survives),
        cmocka_unit_test(sealing_survives),  cmocka_unit_test(reading_a_config_survives),
        cmocka_unit_test(planning_survives), cmocka_unit_test(verifying_survives),
    };
    faulty_malloc_install();
    return cmocka_run_group_tests(tests, take_at_hand, put_away);
}
