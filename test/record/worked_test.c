/* Goal: the worked records of doc/records.md come out with the ids that stand there, however they
 * are written down.
 * Method: the facts are entered again by hand, in another order and layout, as the drafts of
 * test/records; each is sealed, each plan made, and ids and lengths are compared with the list.  Then
 * every draft is spelled anew by chance as JSON, YAML and stream, which may not change its id. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "os/os.h"
#include "support/chance.h"
#include "support/fixture.h"
#include "support/random_json.h"
#include "json/scan.h"
#include "json/yaml.h"

/* ---- The list. */

struct worked {
    const char *draft;
    size_t bytes;
    const char *id;
};

static const struct worked RECORDS[] = {
    { "reference/model.yaml", 421,
      "kv-model@sha256:6c02bbbc94e3453c43ed72fc03ad8de6c804ff7b783a0f3fad27eaff14af73a9" },
    { "reference/contract.yaml", 1447,
      "kv-capacity-contract@sha256:"
      "8c10838b653856f5e5197f7b431b9bd7f47222627bfb4853e3045ef85473cb79" },
    { "reference/evidence.json", 938,
      "kv-reservation-evidence@sha256:"
      "648e7509f4ca9488dc31691c7da6441efd13f9a8b228e2f8470633a74dee49ac" },
    { "exercise/contract.json", 1409,
      "kv-capacity-contract@sha256:"
      "9541e9c765224938f4eb20b7c1792e4c6e37cf4ba0e76f9f01b2dbe193497e53" },
    { "exercise/evidence-64.yaml", 8816,
      "kv-reservation-evidence@sha256:"
      "1d6084223242fc7777f89ba866fb412ae89d74eaf8864fc85abe1b923ff5a7b8" },
    { "exercise/evidence-70.json", 9578,
      "kv-reservation-evidence@sha256:"
      "77df30da5c84dd934cd955f2c41bf59810dfcc0bc7a8b0014e8c4c007c8a66ed" },
    { "window/model.yaml", 787,
      "kv-model@sha256:a674c5391a3e71f4a85bda49d0d765b90ba39400030232294f8bc772da0d019c" },
    { "window/contract.yaml", 1586,
      "kv-capacity-contract@sha256:"
      "9650d91b6b722195aa97b8d342f9cace0e2cf21929193ef506517724609240fb" },
    { "window/evidence.yaml", 1304,
      "kv-reservation-evidence@sha256:"
      "28e4ab9801a88c7b9b7f651c02792c1702d942ec999931dae2b8ccb96db169b1" },
    { "lab/model.json", 421,
      "kv-model@sha256:0c16279ced0e830294c0e3d05f343fec057a957f3e3eb3145b57b406923758d9" },
    { "lab/contract.yaml", 1382,
      "kv-capacity-contract@sha256:"
      "760a82145c57601d390c50bbb9a0f823b7022ec4bebc5efedcdbe0e74fcab064" },
    { "lab/evidence-1.yaml", 797,
      "kv-reservation-evidence@sha256:"
      "a5c29c5b95021bac372cb42965cda180c1cedb97ca8b7a7fe67dec15e9785d55" },
    { "lab/evidence-4.json", 797,
      "kv-reservation-evidence@sha256:"
      "4e74c492dbcc0fa0a64368792697860dee110920312fa53e13cb1f487026506d" },
    { "unknown/model.yaml", 550,
      "kv-model@sha256:bacfceaaa5af1a2d869f30c7b59bae867322714737d7baf367e10f56c67880d2" },
    { "fit/logical.yaml", 377,
      "kv-fit@sha256:31e36e08321fb51501289d04a622b201bb6b70136cbcf86de16e67a816f897dc" },
};

static const struct worked_plan {
    const char *model, *contract, *evidence;
    struct worked plan;
} PLANS[] = {
    { "reference/model.yaml",
      "reference/contract.yaml",
      "reference/evidence.json",
      { NULL, 1547,
        "kv-capacity-plan@sha256:"
        "07913ecc27fee32f4834348ed824715826c05e63c68b2240a300adbb6d73062d" } },
    { "reference/model.yaml",
      "exercise/contract.json",
      "exercise/evidence-64.yaml",
      { NULL, 1404,
        "kv-capacity-plan@sha256:"
        "d72b87459deb383530bdcb80d129859e969ce58804eb0f1080edcb96bb7263eb" } },
    { "reference/model.yaml",
      "exercise/contract.json",
      "exercise/evidence-70.json",
      { NULL, 1417,
        "kv-capacity-plan@sha256:"
        "33920fcd8d2d84bdfeb4821e52f694427009bf743324fa48e2e4487d3ca0affe" } },
    { "window/model.yaml",
      "window/contract.yaml",
      "window/evidence.yaml",
      { NULL, 2431,
        "kv-capacity-plan@sha256:"
        "048a8563e567ffadb0cf7900be77e57a8415d0a212cf4f668e6a614e82949226" } },
    { "lab/model.json",
      "lab/contract.yaml",
      "lab/evidence-1.yaml",
      { NULL, 1358,
        "kv-capacity-plan@sha256:"
        "63e39a3b6c020f9514d3f8347aa27e7dc1498fc70238beb863d404ea2ac8b77c" } },
    { "lab/model.json",
      "lab/contract.yaml",
      "lab/evidence-4.json",
      { NULL, 1363,
        "kv-capacity-plan@sha256:"
        "34f890fd6723e417fd69bd57f1ec45cb70a2583d7ced5660473d02b6860aad75" } },
    { "unknown/model.yaml",
      "unknown/contract.yaml",
      "unknown/evidence.yaml",
      { NULL, 658,
        "kv-capacity-plan@sha256:"
        "551cc18e4ea95c2eac6251321cc74118d0ff717ba972e9e69ccf0a241beb9605" } },
};

#define COUNT_OF(list) (sizeof(list) / sizeof((list)[0]))

static void compare(const struct worked *due, const char *id, const char *json)
{
    struct kvc_span canonical = without_id(json);
    assert_string_equal(id, due->id);
    assert_int_equal(canonical.length, due->bytes);
    free((char *)canonical.text);
}

static void every_draft_gets_its_id(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(RECORDS); i++) {
        kvcap_record *record = fixture_seal(RECORDS[i].draft);
        compare(&RECORDS[i], kvcap_record_id(record), kvcap_record_json(record));
        kvcap_record_free(record);
    }
}

static void every_plan_gets_its_id(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(PLANS); i++) {
        struct trio trio = fixture_trio(PLANS[i].model, PLANS[i].contract, PLANS[i].evidence);
        kvcap_plan *plan = trio_plan(&trio);
        compare(&PLANS[i].plan, kvcap_plan_id(plan), kvcap_plan_json(plan));
        kvcap_plan_free(plan);
        trio_free(&trio);
    }
}

/* ---- The texts. */

static void the_model_of_the_example_is_written_as_it_stands_in_the_documentation(void **state)
{
    (void)state;
    kvcap_record *record = fixture_seal("reference/model.yaml");
    struct kvc_span canonical = without_id(kvcap_record_json(record));
    assert_string_equal(
        canonical.text,
        "{\"architecture\":{\"layer_types\":[{\"states\":[{\"key_dim\":128,\"kv_heads\":8,"
        "\"state\":\"kv\",\"value_dim\":128}]}],\"layers\":[[32,0]]},\"architecture_digest\":"
        "\"sha256:83f58d8a49ed5a320bfaf5b3bb72fb437ade09fa1e9e24b6b8d41cc92eebf758\","
        "\"artefact\":{\"format\":\"hand\"},\"dtype\":\"f16\",\"family\":\"example\","
        "\"kind\":\"kv-model\",\"name\":\"example-32x8x128\",\"revision\":\"1\",\"sources\":"
        "[{\"at\":\"/architecture\",\"from\":\"example\",\"how\":\"declared\"}],\"version\":1}");
    free((char *)canonical.text);
    kvcap_record_free(record);
}

/* ---- Other spellings. */

static struct kvc_value *tree_of(struct kvc_arena *arena, struct kvc_span text, int32_t syntax)
{
    struct kvc_value *tree = NULL;
    kvcap_error err;
    kvcap_code rc = syntax == KVCAP_YAML
                        ? kvc_yaml(arena, text, KVC_RECORD_BYTES_MAX, &tree, &err)
                        : kvc_scan(arena, text, KVC_RECORD_BYTES_MAX, KVC_SCAN_RECORD, &tree, &err);
    must(rc, &err);
    return tree;
}

static struct kvc_span spelled_anew(struct chance *chance, const struct kvc_value *tree,
                                    int32_t syntax)
{
    struct spelled spelled;
    spelled_begin(&spelled);
    if (syntax == KVCAP_YAML)
        spell_yaml(chance, tree, spelled.out);
    else
        spell_json(chance, tree, spelled.out);
    return spelled_end(&spelled);
}

static const char *file_named_in(const char *draft)
{
    static const char *const NAMED[][2] = {
        { "reference/contract.yaml", "reference/model.yaml" },
        { "reference/evidence.json", "reference/contract.yaml" },
        { "exercise/contract.json", "reference/model.yaml" },
        { "exercise/evidence-64.yaml", "exercise/contract.json" },
        { "exercise/evidence-70.json", "exercise/contract.json" },
        { "window/contract.yaml", "window/model.yaml" },
        { "window/evidence.yaml", "window/contract.yaml" },
        { "lab/contract.yaml", "lab/model.json" },
        { "lab/evidence-1.yaml", "lab/contract.yaml" },
        { "lab/evidence-4.json", "lab/contract.yaml" },
        { "fit/logical.yaml", "reference/model.yaml" },
    };
    for (size_t i = 0; i < COUNT_OF(NAMED); i++) {
        if (strcmp(NAMED[i][0], draft) == 0)
            return NAMED[i][1];
    }
    return NULL;
}

static void spell_one(struct chance *chance, const struct worked *due)
{
    int32_t syntax;
    struct kvc_arena arena;
    kvc_arena_from(&arena, &kvc_os_memory, SIZE_MAX);
    struct kvc_span draft = fixture_draft(due->draft, &syntax);
    const struct kvc_value *tree = tree_of(&arena, draft, syntax);
    const char *named_path = file_named_in(due->draft);
    kvcap_record *named = named_path == NULL ? NULL : fixture_seal(named_path);
    for (int i = 0; i < 12; i++) {
        int32_t other = i % 2 == 0 ? KVCAP_JSON : KVCAP_YAML;
        struct kvc_span text = spelled_anew(chance, tree, other);
        kvcap_record *record = seal_text(text, other, named, NULL);
        chance_check(chance, strcmp(kvcap_record_id(record), due->id) == 0);
        kvcap_record_free(record);
        free((char *)text.text);
    }
    kvcap_record_free(named);
    free((char *)draft.text);
    kvc_arena_drop(&arena);
}

static void spelling_does_not_change_an_id(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (size_t i = 0; i < COUNT_OF(RECORDS); i++)
        spell_one(&chance, &RECORDS[i]);
}

/* ---- The stream. */

static kvcap_plan *plan_of_stream(const struct trio *trio, struct kvc_span stream)
{
    kvcap_window *window = NULL;
    kvcap_plan *plan = NULL;
    kvcap_error err;
    must(kvcap_window_open(trio->model, trio->contract, &window, &err), &err);
    must(kvcap_window_feed(window, stream.text, stream.length, &err), &err);
    must(kvcap_window_plan(window, &plan, &err), &err);
    kvcap_window_free(window);
    return plan;
}

static void the_stream_has_the_id_of_the_object(void **state)
{
    (void)state;
    struct trio trio = fixture_trio(PLANS[0].model, PLANS[0].contract, PLANS[0].evidence);
    struct kvc_span stream = fixture_text("test/records/reference/evidence.jsonl");
    kvcap_plan *plan = plan_of_stream(&trio, stream);
    assert_string_equal(kvcap_plan_id(plan), PLANS[0].plan.id);
    kvcap_plan_free(plan);
    free((char *)stream.text);
    trio_free(&trio);
}

static void every_evidence_written_as_a_stream_makes_the_same_plan(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(PLANS); i++) {
        struct trio trio = fixture_trio(PLANS[i].model, PLANS[i].contract, PLANS[i].evidence);
        struct kvc_span stream = stream_text(trio.evidence, true);
        kvcap_plan *plan = plan_of_stream(&trio, stream);
        assert_string_equal(kvcap_plan_id(plan), PLANS[i].plan.id);
        kvcap_plan_free(plan);
        free((char *)stream.text);
        trio_free(&trio);
    }
}

/* ---- Figures that the documentation states. */

static void the_figures_that_are_stated_come_out(void **state)
{
    (void)state;
    static const struct {
        size_t plan;
        int32_t decision;
        uint64_t required_bytes, available_bytes, pool_blocks, sequences_max;
    } DUE[] = {
        { 0, KVCAP_FIT, UINT64_C(14817637172), UINT64_C(42949672960), 17808, 8 },
        { 1, KVCAP_FIT, UINT64_C(17179869184), UINT64_C(18683107737), 8908, 4 },
        { 2, KVCAP_EXCEEDS_CAPACITY, UINT64_C(18790481920), UINT64_C(18683107737), 8908, 4 },
        { 3, KVCAP_FIT, 2 * UINT64_C(44311552), UINT64_C(30923764531), 14680064, 345 },
        { 4, KVCAP_FIT, 150994944, UINT64_C(17179869184), 29127, 14 },
        { 5, KVCAP_FIT, 603979776, UINT64_C(17179869184), 29127, 14 },
    };
    for (size_t i = 0; i < COUNT_OF(DUE); i++) {
        const struct worked_plan *worked = &PLANS[DUE[i].plan];
        struct trio trio = fixture_trio(worked->model, worked->contract, worked->evidence);
        kvcap_plan *plan = trio_plan(&trio);
        kvcap_summary summary = { .struct_size = sizeof summary };
        kvcap_error err;
        must(kvcap_plan_summary(plan, &summary, &err), &err);
        assert_int_equal(summary.decision, DUE[i].decision);
        assert_int_equal(summary.required_bytes, DUE[i].required_bytes);
        assert_int_equal(summary.available_bytes, DUE[i].available_bytes);
        assert_int_equal(summary.pool_blocks, DUE[i].pool_blocks);
        assert_int_equal(summary.sequences_max, DUE[i].sequences_max);
        kvcap_plan_free(plan);
        trio_free(&trio);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_draft_gets_its_id),
        cmocka_unit_test(every_plan_gets_its_id),
        cmocka_unit_test(the_model_of_the_example_is_written_as_it_stands_in_the_documentation),
        cmocka_unit_test(spelling_does_not_change_an_id),
        cmocka_unit_test(the_stream_has_the_id_of_the_object),
        cmocka_unit_test(every_evidence_written_as_a_stream_makes_the_same_plan),
        cmocka_unit_test(the_figures_that_are_stated_come_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
