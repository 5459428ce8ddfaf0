/* Goal: verify tells a record that follows from one that does not, and where.
 * Method: every byte of good records is changed, which must be seen when they are read; every number
 * of good plans is changed and the plan sealed anew, so that its id is good and only derivation can
 * see it; the four outcomes are brought about one by one. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/os.h"
#include "support/edit_json.h"
#include "support/fixture.h"
#include "json/scan.h"

static struct trio window_trio(void)
{
    return fixture_trio("window/model.yaml", "window/contract.yaml", "window/evidence.yaml");
}

static struct trio reference_trio(void)
{
    return fixture_trio("reference/model.yaml", "reference/contract.yaml",
                        "reference/evidence.json");
}

static int32_t outcome_of(const kvcap_record *record, const kvcap_record *const *named,
                          size_t named_count, char ret_at[120])
{
    int32_t outcome = 0;
    kvcap_error err = { .code = 77 };
    assert_int_equal(kvcap_verify(record, named, named_count, &outcome, &err), KVCAP_OK);
    memcpy(ret_at, err.at, sizeof err.at);
    return outcome;
}

static void must_be(const kvcap_record *record, const struct trio *trio, int32_t outcome,
                    const char *at)
{
    const kvcap_record *named[] = { trio->model, trio->contract, trio->evidence };
    char found[120];
    int32_t is = outcome_of(record, named, 3, found);
    if (is != outcome || strcmp(found, at) != 0)
        fail_msg("outcome %d at \"%s\", where %d at \"%s\" is due", is, found, outcome, at);
}

/* ---- Every byte. */

static const char REPLACEMENTS[] = { ' ', '0', '7', '"', 'f', '\\', '\0', '\xC3' };

static void change_byte(const struct trio *trio, struct kvc_span text, size_t at, char byte)
{
    const kvcap_record *named[] = { trio->model, trio->contract, trio->evidence };
    char *changed = malloc(text.length);
    kvcap_record *record = NULL;
    memcpy(changed, text.text, text.length);
    changed[at] = byte;
    kvcap_code rc = kvcap_record_read(changed, text.length, KVCAP_JSON, &record, NULL);
    if (rc == KVCAP_OK) {
        char place[120];
        if (outcome_of(record, named, 3, place) == KVCAP_INTACT)
            fail_msg("byte %zu of %.40s... may be %d", at, text.text, byte);
    }
    kvcap_record_free(record);
    free(changed);
}

static void change_every_byte(const struct trio *trio, struct kvc_span text)
{
    for (size_t at = 0; at < text.length; at++) {
        change_byte(trio, text, at, (char)(text.text[at] ^ 1));
        for (size_t i = 0; i < sizeof REPLACEMENTS; i++) {
            if (REPLACEMENTS[i] != text.text[at])
                change_byte(trio, text, at, REPLACEMENTS[i]);
        }
    }
}

static void no_byte_of_a_record_may_change(void **state)
{
    (void)state;
    struct trio trio = window_trio();
    kvcap_plan *plan = trio_plan(&trio);
    kvcap_record *record = plan_record(plan);
    must_be(record, &trio, KVCAP_INTACT, "");
    must_be(trio.model, &trio, KVCAP_INTACT, "");
    must_be(trio.contract, &trio, KVCAP_INTACT, "");
    must_be(trio.evidence, &trio, KVCAP_INTACT, "");
    change_every_byte(&trio, kvc_span_of(kvcap_record_json(record)));
    change_every_byte(&trio, kvc_span_of(kvcap_record_json(trio.model)));
    change_every_byte(&trio, kvc_span_of(kvcap_record_json(trio.contract)));
    change_every_byte(&trio, kvc_span_of(kvcap_record_json(trio.evidence)));
    kvcap_record_free(record);
    kvcap_plan_free(plan);
    trio_free(&trio);
}

static void no_byte_of_a_stream_may_change(void **state)
{
    (void)state;
    struct trio trio = reference_trio();
    struct kvc_span stream = stream_text(trio.evidence, true);
    for (size_t at = 0; at < stream.length; at++) {
        if (stream.text[at] == '\n')
            continue;
        for (size_t i = 0; i < sizeof REPLACEMENTS; i++) {
            char *changed = (char *)stream.text, kept = changed[at];
            kvcap_window *window = NULL;
            kvcap_plan *plan = NULL;
            kvcap_error err;
            if (REPLACEMENTS[i] == kept)
                continue;
            changed[at] = REPLACEMENTS[i];
            must(kvcap_window_open(trio.model, trio.contract, &window, &err), &err);
            kvcap_code rc = kvcap_window_feed(window, changed, stream.length, &err);
            if (rc == KVCAP_OK)
                rc = kvcap_window_plan(window, &plan, &err);
            if (rc == KVCAP_OK)
                fail_msg("byte %zu of the stream may be %d", at, REPLACEMENTS[i]);
            assert_null(plan);
            kvcap_window_free(window);
            changed[at] = kept;
        }
    }
    free((char *)stream.text);
    trio_free(&trio);
}

/* ---- Every number, under a good id. */

/* A record with one value changed and the id that it then has; NULL when it is refused for its form
 * alone. */
static kvcap_record *resealed(const char *json, const char *pointer, const char *raw)
{
    struct kvc_span draft = without_id(json);
    struct kvc_span changed = edit_replace(draft, pointer, kvc_span_of(raw));
    kvcap_record *record = NULL;
    assert_non_null(changed.text);
    kvcap_code rc =
        kvcap_record_seal(changed.text, changed.length, KVCAP_JSON, NULL, 0, &record, NULL);
    assert_true(rc == KVCAP_OK || record == NULL);
    free((char *)draft.text);
    free((char *)changed.text);
    return record;
}

static unsigned change_number(const struct trio *trio, const char *json,
                              const struct kvc_value *value, int64_t by)
{
    char pointer[KVC_POINTER_ROOM], raw[32];
    uint64_t number = 0;
    kvc_value_pointer(value, pointer);
    assert_true(kvc_span_u64(value->text, &number));
    if (number == 0 && by < 0)
        return 0;
    snprintf(raw, sizeof raw, "%" PRId64, (int64_t)number + by);
    kvcap_record *record = resealed(json, pointer, raw);
    if (record == NULL)
        return 0;
    must_be(record, trio, KVCAP_ALTERED, pointer);
    kvcap_record_free(record);
    return 1;
}

static unsigned change_numbers(const struct trio *trio, const char *json,
                               const struct kvc_value *value)
{
    unsigned changed = 0;
    if (value->type == KVC_NUMBER)
        changed = change_number(trio, json, value, 1) + change_number(trio, json, value, -1);
    for (const struct kvc_value *c = value->first; c != NULL; c = c->next)
        changed += change_numbers(trio, json, c);
    return changed;
}

static void no_number_of_a_plan_may_change_even_under_a_good_id(void **state)
{
    (void)state;
    static const char *const TRIOS[][3] = {
        { "window/model.yaml", "window/contract.yaml", "window/evidence.yaml" },
        { "reference/model.yaml", "exercise/contract.json", "exercise/evidence-70.json" },
        { "unknown/model.yaml", "unknown/contract.yaml", "unknown/evidence.yaml" },
    };
    static const unsigned LEAST[] = { 130, 60, 6 };
    for (size_t i = 0; i < 3; i++) {
        struct trio trio = fixture_trio(TRIOS[i][0], TRIOS[i][1], TRIOS[i][2]);
        kvcap_plan *plan = trio_plan(&trio);
        const char *json = kvcap_plan_json(plan);
        struct kvc_arena arena;
        struct kvc_value *tree = NULL;
        kvcap_error err;
        kvc_arena_from(&arena, &kvc_os_memory, SIZE_MAX);
        must(
            kvc_scan(&arena, kvc_span_of(json), KVC_RECORD_BYTES_MAX, KVC_SCAN_RECORD, &tree, &err),
            &err);
        unsigned changed = change_numbers(&trio, json, tree);
        if (changed < LEAST[i])
            fail_msg("only %u numbers were changed", changed);
        kvc_arena_drop(&arena);
        kvcap_plan_free(plan);
        trio_free(&trio);
    }
}

struct change {
    const char *pointer, *raw, *at;
    int32_t outcome;
};

static void make_changes(const char *json, const struct trio *trio, const struct change *list,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        kvcap_record *record = resealed(json, list[i].pointer, list[i].raw);
        if (record == NULL)
            fail_msg("%s = %s is refused", list[i].pointer, list[i].raw);
        must_be(record, trio, list[i].outcome, list[i].at);
        kvcap_record_free(record);
    }
}

#define ID_OF(kind) kind "@sha256:0000000000000000000000000000000000000000000000000000000000000000"

static void no_word_of_a_plan_may_change_either(void **state)
{
    (void)state;
    static const struct change CHANGES[] = {
        { "/decision", "\"EXCEEDS_CAPACITY\"", "/decision", KVCAP_ALTERED },
        { "/cohorts/0/cohort", "\"batch \"", "/cohorts/0/cohort", KVCAP_ALTERED },
        { "/ranks/0/groups/0",
          "{\"holds\":\"all\",\"block_bytes\":87040,\"block_tokens\":16,"
          "\"blocks\":279,\"bytes_per_token\":5440,\"layers\":10,"
          "\"pool_blocks_each\":85}",
          "/ranks/0/groups/0/holds", KVCAP_ALTERED },
        { "/ranks/1/groups", "[]", "/ranks/1/groups", KVCAP_ALTERED },
        { "/model", "\"" ID_OF("kv-model") "\"", "/model", KVCAP_INCOMPLETE },
        { "/contract", "\"" ID_OF("kv-capacity-contract") "\"", "/contract", KVCAP_INCOMPLETE },
        { "/evidence", "\"" ID_OF("kv-reservation-evidence") "\"", "/evidence", KVCAP_INCOMPLETE },
        { "/rules", "\"paged/2\"", "", KVCAP_INTACT },
    };
    struct trio trio = window_trio();
    kvcap_plan *plan = trio_plan(&trio);
    make_changes(kvcap_plan_json(plan), &trio, CHANGES, sizeof CHANGES / sizeof CHANGES[0]);
    kvcap_plan_free(plan);
    trio_free(&trio);
}

static void a_plan_that_lacks_a_member_or_has_one_too_many_is_altered(void **state)
{
    (void)state;
    struct trio trio = window_trio(), other = reference_trio();
    kvcap_plan *plan = trio_plan(&trio), *plain = trio_plan(&other);
    struct kvc_span draft = without_id(kvcap_plan_json(plan));
    struct kvc_span less = edit_remove(draft, "/prefixes");
    kvcap_record *record = seal_text(less, KVCAP_JSON, NULL, NULL);
    must_be(record, &trio, KVCAP_ALTERED, "/prefixes");
    kvcap_record_free(record);
    free((char *)draft.text);
    free((char *)less.text);

    draft = without_id(kvcap_plan_json(plain));
    struct kvc_span more = edit_add(draft, "", kvc_span_of("\"prefixes\":0"));
    record = seal_text(more, KVCAP_JSON, NULL, NULL);
    must_be(record, &other, KVCAP_ALTERED, "/prefixes");
    kvcap_record_free(record);
    free((char *)draft.text);
    free((char *)more.text);
    kvcap_plan_free(plan);
    kvcap_plan_free(plain);
    trio_free(&trio);
    trio_free(&other);
}

/* ---- Other rules. */

static void other_numbers_by_other_rules_are_told_apart(void **state)
{
    (void)state;
    struct trio trio = window_trio();
    kvcap_plan *plan = trio_plan(&trio);
    kvcap_record *other = resealed(kvcap_plan_json(plan), "/rules", "\"paged/2\"");
    static const struct change CHANGES[] = {
        { "/raw_bytes", "88623105", "/raw_bytes", KVCAP_INTACT_BUT_RULES_CHANGED },
        { "/ranks/1/sequences_max", "344", "/ranks/1/sequences_max",
          KVCAP_INTACT_BUT_RULES_CHANGED },
        { "/decision", "\"EXCEEDS_CAPACITY\"", "/decision", KVCAP_INTACT_BUT_RULES_CHANGED },
    };
    make_changes(kvcap_record_json(other), &trio, CHANGES, 3);
    kvcap_record_free(other);
    kvcap_plan_free(plan);
    trio_free(&trio);
}

/* ---- What is named. */

static void what_is_missing_is_named(void **state)
{
    (void)state;
    struct trio trio = window_trio();
    kvcap_plan *plan = trio_plan(&trio);
    kvcap_record *record = plan_record(plan);
    struct trio no_model = { NULL, trio.contract, trio.evidence };
    struct trio no_contract = { trio.model, NULL, trio.evidence };
    struct trio no_evidence = { trio.model, trio.contract, NULL };
    must_be(record, &no_model, KVCAP_INCOMPLETE, "/model");
    must_be(record, &no_contract, KVCAP_INCOMPLETE, "/contract");
    must_be(record, &no_evidence, KVCAP_INCOMPLETE, "/evidence");
    must_be(trio.contract, &no_model, KVCAP_INCOMPLETE, "/model");
    must_be(trio.evidence, &no_contract, KVCAP_INCOMPLETE, "/contract");
    must_be(trio.model, &(struct trio){ 0 }, KVCAP_INTACT, "");
    char at[120];
    assert_int_equal(outcome_of(record, NULL, 0, at), KVCAP_INCOMPLETE);
    kvcap_record_free(record);
    kvcap_plan_free(plan);
    trio_free(&trio);
}

static void a_contract_that_adopted_wants_its_parent_and_what_it_adopted(void **state)
{
    (void)state;
    struct trio trio = window_trio();
    struct kvc_span draft = without_id(kvcap_record_json(trio.contract));
    char more[512];
    snprintf(more, sizeof more,
             "\"parent\":\"%s\",\"adopted\":[{\"at\":\"/non_cache/weights\",\"record\":\"%s\","
             "\"reason\":\"measured\"}]",
             kvcap_record_id(trio.contract), kvcap_record_id(trio.evidence));
    struct kvc_span child_text = edit_add(draft, "", kvc_span_of(more));
    kvcap_record *child = seal_text(child_text, KVCAP_JSON, trio.model, NULL);
    assert_string_equal(kvcap_record_named(child, 0), kvcap_record_id(trio.model));
    assert_string_equal(kvcap_record_named(child, 1), kvcap_record_id(trio.contract));
    assert_string_equal(kvcap_record_named(child, 2), kvcap_record_id(trio.evidence));
    assert_null(kvcap_record_named(child, 3));
    must_be(child, &trio, KVCAP_INTACT, "");
    struct trio no_parent = { trio.model, NULL, trio.evidence };
    struct trio no_adopted = { trio.model, trio.contract, NULL };
    must_be(child, &no_parent, KVCAP_INCOMPLETE, "/parent");
    must_be(child, &no_adopted, KVCAP_INCOMPLETE, "/adopted/0/record");
    kvcap_record_free(child);
    free((char *)child_text.text);
    free((char *)draft.text);
    trio_free(&trio);
}

static void records_that_contradict_what_they_name_are_altered(void **state)
{
    (void)state;
    struct trio trio = window_trio();
    static const struct change CONTRACT[] = {
        { "/architecture_digest",
          "\"sha256:0000000000000000000000000000000000000000000000000000000000000000\"",
          "/architecture_digest", KVCAP_ALTERED },
        { "/model", "\"" ID_OF("kv-model") "\"", "/model", KVCAP_INCOMPLETE },
    };
    static const struct change EVIDENCE[] = {
        { "/scope/pool", "\"elsewhere\"", "/scope/pool", KVCAP_ALTERED },
        { "/scope/scheduler/version", "\"2\"", "/scope/scheduler/version", KVCAP_ALTERED },
        { "/reported/device_bytes", "25769803777", "/reported/device_bytes", KVCAP_ALTERED },
        { "/reported/cache_bytes_by_rank/1", "15891374900", "/reported/cache_bytes_by_rank/1",
          KVCAP_ALTERED },
        { "/reported/cache_bytes_by_rank", "[1]", "/reported/cache_bytes_by_rank", KVCAP_ALTERED },
        { "/requests/0/sequences", "65", "/requests/0/sequences", KVCAP_ALTERED },
        { "/requests/3/prompt_tokens", "32769", "/requests/3/prompt_tokens", KVCAP_ALTERED },
        { "/requests/3/max_output_tokens", "32469", "/requests/3/max_output_tokens",
          KVCAP_ALTERED },
        { "/captured_by", "\"somebody else\"", "", KVCAP_INTACT },
    };
    make_changes(kvcap_record_json(trio.contract), &trio, CONTRACT, 2);
    make_changes(kvcap_record_json(trio.evidence), &trio, EVIDENCE,
                 sizeof EVIDENCE / sizeof EVIDENCE[0]);
    trio_free(&trio);
}

/* ---- kv-fit. */

static void a_fit_is_derived_anew(void **state)
{
    (void)state;
    static const struct change CHANGES[] = {
        { "/logical/bytes_per_token", "131073", "/logical/bytes_per_token", KVCAP_ALTERED },
        { "/logical/bytes_per_sequence", "536870911", "/logical/bytes_per_sequence",
          KVCAP_ALTERED },
        { "/settings/max_model_len", "4097", "/logical/bytes_per_sequence", KVCAP_ALTERED },
        { "/settings/kv_cache_dtype", "\"f32\"", "/logical/bytes_per_sequence", KVCAP_ALTERED },
        { "/settings/kv_cache_dtype", "\"fp8_ds_mla\"", "/settings", KVCAP_ALTERED },
        { "/settings/kv_cache_dtype", "\"auto\"", "", KVCAP_INTACT },
        { "/settings/kv_cache_dtype", "\"bf16\"", "", KVCAP_INTACT },
        { "/rules", "\"logical/0\"", "", KVCAP_INTACT },
        { "/model", "\"" ID_OF("kv-model") "\"", "/model", KVCAP_INCOMPLETE },
    };
    kvcap_record *model = fixture_seal("reference/model.yaml");
    kvcap_record *fit = fixture_seal("fit/logical.yaml");
    struct trio trio = { .model = model };
    must_be(fit, &trio, KVCAP_INTACT, "");
    make_changes(kvcap_record_json(fit), &trio, CHANGES, sizeof CHANGES / sizeof CHANGES[0]);
    kvcap_record *other = resealed(kvcap_record_json(fit), "/rules", "\"logical/0\"");
    static const struct change OTHER[] = { { "/logical/bytes_per_token", "131073",
                                             "/logical/bytes_per_token",
                                             KVCAP_INTACT_BUT_RULES_CHANGED } };
    make_changes(kvcap_record_json(other), &trio, OTHER, 1);
    kvcap_record_free(other);
    kvcap_record_free(fit);
    kvcap_record_free(model);
}

static void a_fit_of_an_unknown_state_has_no_bytes(void **state)
{
    (void)state;
    kvcap_record *unknown = fixture_seal("unknown/model.yaml");
    kvcap_record *fit = fixture_seal("fit/logical.yaml");
    char raw[160];
    snprintf(raw, sizeof raw, "\"%s\"", kvcap_record_id(unknown));
    kvcap_record *of_unknown = resealed(kvcap_record_json(fit), "/model", raw);
    struct trio trio = { .model = unknown };
    must_be(of_unknown, &trio, KVCAP_ALTERED, "/decision");

    struct kvc_span draft = without_id(kvcap_record_json(of_unknown));
    struct kvc_span less = edit_remove(draft, "/logical");
    struct kvc_span said = edit_add(
        less, "",
        kvc_span_of("\"decision\":\"UNDETERMINED\",\"undetermined\":[{\"layer\":31,\"key\":"
                    "\"config.json:/layer_types/31\",\"reason\":"
                    "\"layer type \\\"novel_attention\\\" is not known\"}]"));
    static const struct change CHANGES[] = {
        { "/undetermined/0/layer", "30", "/undetermined/0/layer", KVCAP_ALTERED },
        { "/undetermined/0/layer", "32", "/undetermined/0/layer", KVCAP_ALTERED },
        { "/undetermined/0/key", "\"another\"", "/undetermined/0/key", KVCAP_ALTERED },
        { "/undetermined/0/reason", "\"another\"", "/undetermined/0/reason", KVCAP_ALTERED },
        { "/undetermined/0", "{\"key\":\"k\",\"reason\":\"r\"}", "/undetermined/0/key",
          KVCAP_ALTERED },
    };
    kvcap_record *undetermined = seal_text(said, KVCAP_JSON, NULL, NULL);
    must_be(undetermined, &trio, KVCAP_INTACT, "");
    make_changes(kvcap_record_json(undetermined), &trio, CHANGES, 5);
    kvcap_record_free(undetermined);
    free((char *)draft.text);
    free((char *)less.text);
    free((char *)said.text);
    kvcap_record_free(of_unknown);
    kvcap_record_free(fit);
    kvcap_record_free(unknown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_byte_of_a_record_may_change),
        cmocka_unit_test(no_byte_of_a_stream_may_change),
        cmocka_unit_test(no_number_of_a_plan_may_change_even_under_a_good_id),
        cmocka_unit_test(no_word_of_a_plan_may_change_either),
        cmocka_unit_test(a_plan_that_lacks_a_member_or_has_one_too_many_is_altered),
        cmocka_unit_test(other_numbers_by_other_rules_are_told_apart),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(a_contract_that_adopted_wants_its_parent_and_what_it_adopted),
        cmocka_unit_test(records_that_contradict_what_they_name_are_altered),
        cmocka_unit_test(a_fit_is_derived_anew),
        cmocka_unit_test(a_fit_of_an_unknown_state_has_no_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
