/* Goal: every number of every plan is the one that doc/records.md defines.
 * Method: models, contracts and windows are drawn by chance; support/slow_planner.c works each out
 * rank by rank, layer by layer and token by token from the words alone, and the whole record is
 * compared, member by member, by jansson.  Refusals must be among those that are due. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "support/edit_json.h"
#include "support/fixture.h"
#include "support/slow_planner.h"

struct written {
    char *text;
    size_t length;
    FILE *out;
};

static void begin(struct written *w)
{
    w->out = open_memstream(&w->text, &w->length);
    assert_non_null(w->out);
}

static struct kvc_span end(struct written *w)
{
    fclose(w->out);
    return (struct kvc_span){ w->text, w->length };
}

static struct trio seal_case(const struct slow_case *slow)
{
    struct trio trio = { 0 };
    struct written w;
    begin(&w);
    slow_write_model(slow, w.out);
    trio.model = seal_text(end(&w), KVCAP_JSON, NULL, NULL);
    free(w.text);
    begin(&w);
    slow_write_contract(slow, kvcap_record_id(trio.model), w.out);
    trio.contract = seal_text(end(&w), KVCAP_JSON, trio.model, NULL);
    free(w.text);
    return trio;
}

/* Sealing the evidence already holds its requests against the contract's bounds. */
static kvcap_code seal_evidence(const struct slow_case *slow, struct trio *trio, kvcap_error *err)
{
    struct written w;
    const kvcap_record *shelf[] = { trio->contract };
    begin(&w);
    slow_write_evidence(slow, kvcap_record_id(trio->contract), w.out);
    struct kvc_span text = end(&w);
    kvcap_code rc =
        kvcap_record_seal(text.text, text.length, KVCAP_JSON, shelf, 1, &trio->evidence, err);
    free(w.text);
    return rc;
}

static json_t *parsed(const char *text)
{
    json_error_t error;
    json_t *tree = json_loads(text, 0, &error);
    assert_non_null(tree);
    return tree;
}

/* Takes off what the slow planner does not say, and checks it by itself. */
static void strip(json_t *plan, const struct trio *trio)
{
    assert_string_equal(json_string_value(json_object_get(plan, "model")),
                        kvcap_record_id(trio->model));
    assert_string_equal(json_string_value(json_object_get(plan, "contract")),
                        kvcap_record_id(trio->contract));
    assert_string_equal(json_string_value(json_object_get(plan, "evidence")),
                        kvcap_record_id(trio->evidence));
    assert_string_equal(json_string_value(json_object_get(plan, "kind")), "kv-capacity-plan");
    assert_int_equal(json_integer_value(json_object_get(plan, "version")), 1);
    static const char *const TAKEN[] = { "id", "kind", "version", "model", "contract", "evidence" };
    for (size_t i = 0; i < sizeof TAKEN / sizeof TAKEN[0]; i++)
        json_object_del(plan, TAKEN[i]);
    json_t *entry, *list = json_object_get(plan, "undetermined");
    size_t i;
    json_array_foreach(list, i, entry)
    {
        assert_true(json_string_length(json_object_get(entry, "key")) > 0);
        assert_true(json_string_length(json_object_get(entry, "reason")) > 0);
        json_object_del(entry, "key");
        json_object_del(entry, "reason");
    }
}

static void compare(const struct chance *chance, json_t *due, json_t *made)
{
    if (json_equal(due, made))
        return;
    char *a = json_dumps(due, JSON_SORT_KEYS | JSON_INDENT(1));
    char *b = json_dumps(made, JSON_SORT_KEYS | JSON_INDENT(1));
    fprintf(stderr, "due: %s\nmade: %s\n", a, b);
    free(a);
    free(b);
    chance_check(chance, false);
}

/* What a ledger rests on: it counts pool blocks where the plan compares bytes. */
static void check_pool(const struct chance *chance, json_t *plan)
{
    json_t *rank;
    size_t i;
    json_array_foreach(json_object_get(plan, "ranks"), i, rank)
    {
        json_int_t required = json_integer_value(json_object_get(rank, "required_bytes"));
        json_int_t available = json_integer_value(json_object_get(rank, "available_bytes"));
        json_int_t raw = json_integer_value(json_object_get(rank, "raw_bytes"));
        json_int_t pool = json_integer_value(json_object_get(rank, "pool_bytes"));
        chance_check(chance, (required <= available) == (raw <= pool));
    }
}

struct tally {
    unsigned fit, exceeds, undetermined, refused;
};

static void count_decision(struct tally *tally, json_t *plan)
{
    const char *decision = json_string_value(json_object_get(plan, "decision"));
    tally->fit += strcmp(decision, "FIT") == 0;
    tally->exceeds += strcmp(decision, "EXCEEDS_CAPACITY") == 0;
    tally->undetermined += strcmp(decision, "UNDETERMINED") == 0;
}

static void must_be_due(const struct chance *chance, const kvcap_error *err, const char *due)
{
    char slug[64];
    snprintf(slug, sizeof slug, " %s ", err->slug);
    if (strstr(due, slug) == NULL)
        fprintf(stderr, "refused with %s at %s, due:%s\n", err->slug, err->at, due);
    chance_check(chance, strstr(due, slug) != NULL);
}

static void plan_one(const struct chance *chance, const struct slow_case *slow, struct tally *tally)
{
    struct trio trio = seal_case(slow);
    const char *refusals = slow_refusals(slow);
    kvcap_plan *plan = NULL;
    kvcap_error err;
    kvcap_code rc = seal_evidence(slow, &trio, &err);
    if (rc == KVCAP_OK)
        rc = kvcap_plan_make(trio.model, trio.contract, trio.evidence, &plan, &err);
    if (rc != KVCAP_OK) {
        must_be_due(chance, &err, refusals);
        tally->refused++;
    } else {
        chance_check(chance, refusals[0] == '\0');
        json_t *due = slow_plan(slow), *made = parsed(kvcap_plan_json(plan));
        strip(made, &trio);
        compare(chance, due, made);
        check_pool(chance, made);
        count_decision(tally, made);
        json_decref(due);
        json_decref(made);
    }
    kvcap_plan_free(plan);
    trio_free(&trio);
}

static void plans_are_what_the_words_say(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    struct tally tally = { 0 };
    static struct slow_case slow;
    for (unsigned i = 0; i < 3000; i++) {
        slow_draw(&chance, &slow);
        plan_one(&chance, &slow, &tally);
    }
    fprintf(stderr, "fit %u, exceeds %u, undetermined %u, refused %u\n", tally.fit, tally.exceeds,
            tally.undetermined, tally.refused);
    assert_true(tally.fit > 300 && tally.exceeds > 300 && tally.undetermined > 20);
    assert_true(tally.refused > 100 && tally.refused < 1500);
}

/* Chance seldom draws stages that are alike but for one number. */
static void stages_that_differ_in_one_thing_are_told_apart(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    struct tally tally = { 0 };
    static struct slow_case slow;
    for (unsigned difference = 0; difference < 6; difference++) {
        memset(&slow, 0, sizeof slow);
        slow.layers_count = slow.pp = 2;
        slow.tp = 1;
        slow.block_tokens = 16;
        slow.device_bytes = slow.reported[0] = slow.reported[1] = 1 << 20;
        slow.sequence_tokens_max = 400;
        slow.window_bytes_max = 1 << 30;
        slow.requests[0] = (struct slow_request){ .prompt_tokens = 100, .sequences = 1 };
        slow.requests_count = 1;
        for (unsigned layer = 0; layer < 2; layer++) {
            slow.layers[layer].states_count = 2;
            slow.layers[layer].states[0].kind = SLOW_LATENT;
            slow.layers[layer].states[0].latent_dim = 64;
            slow.layers[layer].states[0].ratio = 2;
            slow.layers[layer].states[1].kind = SLOW_INDEX;
            slow.layers[layer].states[1].index_dim = 64;
        }
        struct slow_state *other = &slow.layers[1].states[0];
        other->ratio = difference == 1 ? 4 : 2;
        other->window_tokens = difference == 2 ? 33 : 0;
        other->latent_dim = difference == 3 ? 128 : 64;
        slow.layers[1].states_count = difference == 4 ? 1 : 2;
        slow.reported[1] -= difference == 5;
        plan_one(&chance, &slow, &tally);
    }
    assert_int_equal(tally.fit, 6);
}

/* ---- The order of requests. */

static void shuffle(struct chance *chance, struct slow_case *slow)
{
    for (unsigned i = slow->requests_count; i > 1; i--) {
        unsigned j = (unsigned)chance_below(chance, i);
        struct slow_request moved = slow->requests[i - 1];
        slow->requests[i - 1] = slow->requests[j];
        slow->requests[j] = moved;
    }
}

/* The plan without ids and, where a prefix may be carried by another request, without cohorts. */
static json_t *figures_of(const struct slow_case *slow, char ret_id[128])
{
    struct trio trio = seal_case(slow);
    kvcap_error err;
    must(seal_evidence(slow, &trio, &err), &err);
    kvcap_plan *plan = trio_plan(&trio);
    json_t *made = parsed(kvcap_plan_json(plan));
    snprintf(ret_id, 128, "%s", kvcap_record_id(trio.evidence));
    strip(made, &trio);
    if (slow->counts_prefixes)
        json_object_del(made, "cohorts");
    kvcap_plan_free(plan);
    trio_free(&trio);
    return made;
}

static void the_order_of_requests_moves_no_figure_but_carried_prefixes(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    static struct slow_case slow;
    for (unsigned left = 150; left > 0;) {
        char id[128], other_id[128];
        slow_draw(&chance, &slow);
        if (slow_refusals(&slow)[0] != '\0' || slow.requests_count < 3)
            continue;
        json_t *before = figures_of(&slow, id);
        shuffle(&chance, &slow);
        json_t *after = figures_of(&slow, other_id);
        compare(&chance, before, after);
        json_decref(before);
        json_decref(after);
        left--;
    }
}

/* ---- Draft layers. */

static json_t *window_plan(const char *draft_type)
{
    struct trio trio =
        fixture_trio("window/model.yaml", "window/contract.yaml", "window/evidence.yaml");
    struct kvc_span text = without_id(kvcap_record_json(trio.model));
    if (draft_type != NULL) {
        struct kvc_span typed =
            edit_add(text, "/architecture/layer_types", kvc_span_of(draft_type));
        struct kvc_span listed =
            edit_add(typed, "/architecture", kvc_span_of("\"draft_layers\":[[1,4],[2,0]]"));
        free((char *)text.text);
        free((char *)typed.text);
        text = edit_remove(listed, "/architecture_digest");
        free((char *)listed.text);
    }
    struct trio other = { .model = seal_text(text, KVCAP_JSON, NULL, NULL) };
    free((char *)text.text);

    char id[160];
    snprintf(id, sizeof id, "\"%s\"", kvcap_record_id(other.model));
    struct kvc_span contract = without_id(kvcap_record_json(trio.contract));
    struct kvc_span named = edit_replace(contract, "/model", kvc_span_of(id));
    struct kvc_span undigested = edit_remove(named, "/architecture_digest");
    other.contract = seal_text(undigested, KVCAP_JSON, other.model, NULL);
    free((char *)contract.text);
    free((char *)named.text);
    free((char *)undigested.text);

    snprintf(id, sizeof id, "\"%s\"", kvcap_record_id(other.contract));
    struct kvc_span evidence = without_id(kvcap_record_json(trio.evidence));
    struct kvc_span scoped = edit_replace(evidence, "/contract", kvc_span_of(id));
    struct kvc_span unscoped = edit_remove(scoped, "/scope");
    other.evidence = seal_text(unscoped, KVCAP_JSON, other.contract, NULL);
    free((char *)evidence.text);
    free((char *)scoped.text);
    free((char *)unscoped.text);

    kvcap_plan *plan = trio_plan(&other);
    json_t *made = parsed(kvcap_plan_json(plan));
    strip(made, &other);
    kvcap_plan_free(plan);
    trio_free(&other);
    trio_free(&trio);
    return made;
}

static void draft_layers_are_in_no_sum_and_stop_no_plan(void **state)
{
    (void)state;
    static const char *const TYPES[] = {
        "{\"states\":[{\"state\":\"kv\",\"kv_heads\":5,\"key_dim\":7,\"value_dim\":7}]}",
        "{\"states\":[{\"state\":\"unknown\",\"key\":\"k\",\"reason\":\"r\"}]}",
        "{\"states\":[{\"state\":\"shared\",\"layer\":11}]}",
    };
    json_t *due = window_plan(NULL);
    for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++) {
        json_t *made = window_plan(TYPES[i]);
        assert_true(json_equal(due, made));
        json_decref(made);
    }
    json_decref(due);
}

/* ---- Streams. */

static void feed_cut(const struct trio *trio, struct kvc_span stream, size_t cut, const char *id)
{
    kvcap_window *window = NULL;
    kvcap_plan *plan = NULL;
    kvcap_error err;
    must(kvcap_window_open(trio->model, trio->contract, &window, &err), &err);
    must(kvcap_window_feed(window, stream.text, cut, &err), &err);
    must(kvcap_window_feed(window, stream.text + cut, stream.length - cut, &err), &err);
    must(kvcap_window_plan(window, &plan, &err), &err);
    assert_string_equal(kvcap_plan_id(plan), id);
    kvcap_plan_free(plan);
    kvcap_window_free(window);
}

static void a_stream_cut_at_any_byte_makes_the_same_plan(void **state)
{
    (void)state;
    struct trio trio =
        fixture_trio("window/model.yaml", "window/contract.yaml", "window/evidence.yaml");
    kvcap_plan *plan = trio_plan(&trio);
    struct kvc_span stream = stream_text(trio.evidence, true);
    for (size_t cut = 0; cut <= stream.length; cut++)
        feed_cut(&trio, stream, cut, kvcap_plan_id(plan));
    kvcap_plan_free(plan);
    free((char *)stream.text);
    trio_free(&trio);
}

static void a_stream_fed_byte_by_byte_makes_the_same_plan(void **state)
{
    (void)state;
    struct trio trio =
        fixture_trio("reference/model.yaml", "reference/contract.yaml", "reference/evidence.json");
    kvcap_plan *plan = trio_plan(&trio), *streamed = NULL;
    struct kvc_span stream = fixture_text("test/records/reference/evidence.jsonl");
    kvcap_window *window = NULL;
    kvcap_error err;
    must(kvcap_window_open(trio.model, trio.contract, &window, &err), &err);
    for (size_t i = 0; i < stream.length; i++)
        must(kvcap_window_feed(window, stream.text + i, 1, &err), &err);
    must(kvcap_window_plan(window, &streamed, &err), &err);
    assert_string_equal(kvcap_plan_json(streamed), kvcap_plan_json(plan));
    kvcap_window_free(window);
    kvcap_plan_free(streamed);
    kvcap_plan_free(plan);
    free((char *)stream.text);
    trio_free(&trio);
}

static void drawn_windows_make_the_same_plan_as_streams(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    static struct slow_case slow;
    for (unsigned left = 100; left > 0;) {
        slow_draw(&chance, &slow);
        if (slow_refusals(&slow)[0] != '\0')
            continue;
        struct trio trio = seal_case(&slow);
        kvcap_error err;
        must(seal_evidence(&slow, &trio, &err), &err);
        kvcap_plan *plan = trio_plan(&trio);
        struct kvc_span stream = stream_text(trio.evidence, true);
        for (unsigned i = 0; i < 5; i++)
            feed_cut(&trio, stream, chance_below(&chance, stream.length + 1), kvcap_plan_id(plan));
        kvcap_plan_free(plan);
        free((char *)stream.text);
        trio_free(&trio);
        left--;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_are_what_the_words_say),
        cmocka_unit_test(stages_that_differ_in_one_thing_are_told_apart),
        cmocka_unit_test(the_order_of_requests_moves_no_figure_but_carried_prefixes),
        cmocka_unit_test(draft_layers_are_in_no_sum_and_stop_no_plan),
        cmocka_unit_test(a_stream_cut_at_any_byte_makes_the_same_plan),
        cmocka_unit_test(a_stream_fed_byte_by_byte_makes_the_same_plan),
        cmocka_unit_test(drawn_windows_make_the_same_plan_as_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
