/* Goal: kvc_shape_check accepts the one spelling of a shape and names each break of it by slug and
 * place.
 * Method: one good shape that has something of everything, spoilt in one way a case.  Each case
 * begins from the good one, so what it names is the one thing that was spoilt. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "shape/check.h"

#define CANONICAL "model.layers_not_canonical"
#define SHARED "model.shared_layer"

#define TYPES_ROOM 300
#define RUNS_ROOM 16

static struct kvc_layer_type types[TYPES_ROOM];
static struct kvc_run runs[RUNS_ROOM], draft_runs[RUNS_ROOM];

static struct kvc_layer_type only(struct kvc_state state)
{
    return (struct kvc_layer_type){ .states = { state }, .states_count = 1 };
}

static struct kvc_layer_type kv(uint32_t heads)
{
    return only((struct kvc_state){
        .kind = KVC_STATE_KV, .kv_heads = heads, .key_dim = 64, .value_dim = 64 });
}

static struct kvc_layer_type of_kind(enum kvc_state_kind kind)
{
    return only((struct kvc_state){ .kind = kind, .compress_ratio = 1 });
}

static struct kvc_layer_type reads(uint32_t layer)
{
    return only((struct kvc_state){ .kind = KVC_STATE_SHARED, .layer = layer });
}

/* Layers 0 1: kv of 8 heads; 2 3 4: kv of 2; 5: kv of 8 again; 6 7: read layer 4.
 * Draft layers: one more that reads layer 4, then two of a kind of their own. */
static struct kvc_shape good_shape(void)
{
    memset(types, 0, sizeof types);
    memset(runs, 0, sizeof runs);
    memset(draft_runs, 0, sizeof draft_runs);
    types[0] = kv(8);
    types[1] = kv(2);
    types[2] = reads(4);
    types[3] = kv(1);
    runs[0] = (struct kvc_run){ .count = 2, .type = 0 };
    runs[1] = (struct kvc_run){ .count = 3, .type = 1 };
    runs[2] = (struct kvc_run){ .count = 1, .type = 0 };
    runs[3] = (struct kvc_run){ .count = 2, .type = 2 };
    draft_runs[0] = (struct kvc_run){ .count = 1, .type = 2 };
    draft_runs[1] = (struct kvc_run){ .count = 2, .type = 3 };
    return (struct kvc_shape){ .types = types,
                               .types_count = 4,
                               .runs = runs,
                               .runs_count = 4,
                               .draft_runs = draft_runs,
                               .draft_runs_count = 2 };
}

static void assert_refused(struct kvc_shape *shape, const char *slug, const char *at)
{
    kvcap_error err = { 0 };
    assert_int_equal(kvc_shape_check(shape, &err), KVCAP_E_RECORD);
    assert_int_equal(err.code, KVCAP_E_RECORD);
    assert_string_equal(err.slug, slug);
    assert_string_equal(err.at, at);
    assert_true(err.text[0] != '\0');
    assert_int_equal(kvc_shape_check(shape, NULL), KVCAP_E_RECORD);
}

static void assert_good(struct kvc_shape *shape, uint32_t layers)
{
    kvcap_error err = { 0 };
    assert_int_equal(kvc_shape_check(shape, &err), KVCAP_OK);
    assert_int_equal(shape->layers_count, layers);
}

/* ---- The good shape, and the runs. */

static void the_good_shape_is_good_and_its_layers_are_counted_without_drafts(void **state)
{
    (void)state;
    struct kvc_shape shape = good_shape();
    assert_good(&shape, 8);
    shape.draft_runs_count = 0;
    shape.types_count = 3;
    assert_good(&shape, 8);
}

static void a_run_of_a_type_that_is_not_listed(void **state)
{
    (void)state;
    struct kvc_shape shape = good_shape();
    runs[3].type = 4;
    assert_refused(&shape, CANONICAL, "/architecture/layers/3");
    shape = good_shape();
    draft_runs[1].type = 4;
    assert_refused(&shape, CANONICAL, "/architecture/draft_layers/1");
    shape = good_shape();
    runs[1].type = UINT32_MAX;
    assert_refused(&shape, CANONICAL, "/architecture/layers/1");
    shape = good_shape();
    draft_runs[2] = (struct kvc_run){ .count = 1, .type = 4 }; /* all that are listed are met */
    shape.draft_runs_count = 3;
    assert_refused(&shape, CANONICAL, "/architecture/draft_layers/2");
}

static void types_that_are_not_numbered_by_first_use(void **state)
{
    (void)state;
    struct kvc_shape shape = good_shape();
    runs[0].type = 1;
    assert_refused(&shape, CANONICAL, "/architecture/layers/0");
    shape = good_shape();
    runs[1].type = 2;
    assert_refused(&shape, CANONICAL, "/architecture/layers/1");
}

/* The layers come first, then the draft layers. */
static void draft_layers_number_types_after_the_layers(void **state)
{
    (void)state;
    struct kvc_shape shape = good_shape();
    runs[3].type = 1; /* now type 2 is first used by a draft layer */
    assert_good(&shape, 8);
    draft_runs[0].type = 3;
    assert_refused(&shape, CANONICAL, "/architecture/draft_layers/0");
}

static void neighbouring_runs_of_one_type(void **state)
{
    (void)state;
    struct kvc_shape shape = good_shape();
    runs[2].type = 1;
    assert_refused(&shape, CANONICAL, "/architecture/layers/2");
    shape = good_shape();
    draft_runs[1].type = 2;
    assert_refused(&shape, CANONICAL, "/architecture/draft_layers/1");
}

/* The last run of layers and the first of draft layers are no neighbours: the good shape has both
 * of type 2. */

static void a_run_of_no_layers(void **state)
{
    (void)state;
    struct kvc_shape shape = good_shape();
    runs[1].count = 0;
    assert_refused(&shape, CANONICAL, "/architecture/layers/1");
    shape = good_shape();
    draft_runs[0].count = 0;
    assert_refused(&shape, CANONICAL, "/architecture/draft_layers/0");
}

static void more_than_4096_layers(void **state)
{
    (void)state;
    struct kvc_shape shape = good_shape();
    runs[2].count = 4096 - 7;
    assert_good(&shape, 4096);
    runs[2].count++;
    assert_refused(&shape, CANONICAL, "/architecture/layers/3");
    runs[2].count = 4096 - 4;
    assert_refused(&shape, CANONICAL, "/architecture/layers/2");
    runs[2].count = UINT32_MAX; /* a sum of 32 bits would wrap to 6 */
    assert_refused(&shape, CANONICAL, "/architecture/layers/2");
}

static void more_than_4096_draft_layers(void **state)
{
    (void)state;
    struct kvc_shape shape = good_shape();
    draft_runs[1].count = 4095;
    assert_good(&shape, 8);
    draft_runs[1].count = 4096;
    assert_refused(&shape, CANONICAL, "/architecture/draft_layers/1");
}

static void no_layers_at_all(void **state)
{
    (void)state;
    struct kvc_shape shape = { 0 };
    assert_refused(&shape, CANONICAL, "/architecture/layers");
    shape = good_shape();
    types[0] = kv(3); /* draft layers make no model */
    draft_runs[0].type = 0;
    shape.runs_count = 0;
    shape.draft_runs_count = 1;
    shape.types_count = 1;
    assert_refused(&shape, CANONICAL, "/architecture/layers");
}

/* ---- The types. */

static void a_type_that_no_layer_uses(void **state)
{
    (void)state;
    struct kvc_shape shape = good_shape();
    shape.draft_runs_count = 1;
    assert_refused(&shape, CANONICAL, "/architecture/layer_types");
}

static void two_equal_types(void **state)
{
    (void)state;
    struct kvc_shape shape = good_shape();
    types[1] = types[0];
    assert_refused(&shape, CANONICAL, "/architecture/layer_types/1");
    shape = good_shape();
    types[3] = types[0];
    assert_refused(&shape, CANONICAL, "/architecture/layer_types/3");
    shape = good_shape();
    types[3] = types[2];
    assert_refused(&shape, CANONICAL, "/architecture/layer_types/3");
}

/* A reader may have taken more room than it filled. */
static void what_lies_past_the_lists_is_not_looked_at(void **state)
{
    (void)state;
    struct kvc_shape shape = good_shape();
    types[4] = types[0];
    runs[4] = (struct kvc_run){ .count = 0, .type = 9 };
    draft_runs[2] = runs[4];
    types[2].states[1] = (struct kvc_state){ .kind = KVC_STATE_SHARED, .layer = 99 };
    assert_good(&shape, 8);
}

static void more_than_256_types(void **state)
{
    (void)state;
    good_shape();
    static struct kvc_run each[TYPES_ROOM];
    for (uint32_t i = 0; i < TYPES_ROOM; i++) {
        types[i] = kv(i + 1);
        each[i] = (struct kvc_run){ .count = 1, .type = i };
    }
    struct kvc_shape shape = {
        .types = types, .types_count = 256, .runs = each, .runs_count = 256
    };
    assert_good(&shape, 256);
    shape.types_count = shape.runs_count = 257;
    assert_refused(&shape, CANONICAL, "/architecture/layer_types");
}

/* ---- Shared state. */

static void a_shared_state_reads_an_earlier_layer(void **state)
{
    (void)state;
    static const struct {
        uint32_t layer;
        bool fine;
    } CASES[] = { { 0, true },  { 4, true },  { 5, true },          { 6, false }, /* itself */
                  { 7, false }, { 8, false }, { UINT32_MAX, false } };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct kvc_shape shape = good_shape();
        types[2].states[0].layer = CASES[i].layer;
        if (CASES[i].fine)
            assert_good(&shape, 8);
        else
            assert_refused(&shape, SHARED, "/architecture/layer_types/2/states/0/layer");
    }
}

/* Its own keys and values are not those of an earlier layer. */
static void a_layer_that_keeps_a_cache_cannot_share_its_own(void **state)
{
    (void)state;
    struct kvc_shape shape = good_shape();
    types[2].states[1] = kv(8).states[0];
    types[2].states_count = 2;
    assert_good(&shape, 8);
    types[2].states[0].layer = 6;
    assert_refused(&shape, SHARED, "/architecture/layer_types/2/states/0/layer");
}

/* What is earlier than the second run is not always earlier than the first. */
static void each_run_of_a_type_that_shares_is_looked_at(void **state)
{
    (void)state;
    struct kvc_shape shape = good_shape();
    types[1] = reads(5); /* layers 2 3 4: 5 is later */
    types[2] = kv(4);
    assert_refused(&shape, SHARED, "/architecture/layer_types/1/states/0/layer");
    types[1] = reads(1);
    assert_good(&shape, 8);
    types[1] = kv(2);
    types[0] = reads(2); /* layer 5 could, layer 0 cannot */
    assert_refused(&shape, SHARED, "/architecture/layer_types/0/states/0/layer");
}

static void a_shared_state_reads_a_layer_that_keeps_keys_values_or_a_latent(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < KVC_STATE_KIND_COUNT; kind++) {
        struct kvc_shape shape = good_shape();
        types[1] = of_kind((enum kvc_state_kind)kind); /* of layer 4, which type 2 reads */
        switch (kind) {
        case KVC_STATE_KV:
        case KVC_STATE_KV_WINDOW:
        case KVC_STATE_LATENT:
            assert_good(&shape, 8);
            break;
        case KVC_STATE_SHARED:
            types[1].states[0].layer = 0;
            assert_refused(&shape, SHARED, "/architecture/layer_types/2/states/0/layer");
            break;
        default:
            assert_refused(&shape, SHARED, "/architecture/layer_types/2/states/0/layer");
        }
    }
}

static void any_state_of_the_layer_that_is_read_may_keep_the_cache(void **state)
{
    (void)state;
    struct kvc_shape shape = good_shape();
    types[1] = (struct kvc_layer_type){
        .states = { { .kind = KVC_STATE_INDEX, .index_dim = 128, .compress_ratio = 1 },
                    { .kind = KVC_STATE_RECURRENT },
                    { .kind = KVC_STATE_KV, .kv_heads = 1, .key_dim = 1, .value_dim = 1 } },
        .states_count = 3
    };
    assert_good(&shape, 8);
    types[1].states_count = 2;
    assert_refused(&shape, SHARED, "/architecture/layer_types/2/states/0/layer");
}

static void the_pointer_names_the_state_that_shares(void **state)
{
    (void)state;
    struct kvc_shape shape = good_shape();
    types[2] = (struct kvc_layer_type){ .states = { { .kind = KVC_STATE_RECURRENT },
                                                    { .kind = KVC_STATE_SHARED, .layer = 1 },
                                                    { .kind = KVC_STATE_SHARED, .layer = 7 } },
                                        .states_count = 3 };
    assert_refused(&shape, SHARED, "/architecture/layer_types/2/states/2/layer");
    types[2].states[2].layer = 3;
    assert_good(&shape, 8);
}

/* Draft layers have no numbers that a shared state could name. */
static void a_draft_layer_reads_layers_of_the_model_only(void **state)
{
    (void)state;
    struct kvc_shape shape = good_shape();
    types[3] = reads(5);
    assert_good(&shape, 8);
    types[3] = reads(8);
    assert_refused(&shape, SHARED, "/architecture/layer_types/3/states/0/layer");
    types[3] = reads(9);
    assert_refused(&shape, SHARED, "/architecture/layer_types/3/states/0/layer");
    shape = good_shape();
    runs[3].type = 1; /* of the types that share only draft layers are left */
    types[2] = reads(7);
    assert_good(&shape, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_good_shape_is_good_and_its_layers_are_counted_without_drafts),
        cmocka_unit_test(a_run_of_a_type_that_is_not_listed),
        cmocka_unit_test(types_that_are_not_numbered_by_first_use),
        cmocka_unit_test(draft_layers_number_types_after_the_layers),
        cmocka_unit_test(neighbouring_runs_of_one_type),
        cmocka_unit_test(a_run_of_no_layers),
        cmocka_unit_test(more_than_4096_layers),
        cmocka_unit_test(more_than_4096_draft_layers),
        cmocka_unit_test(no_layers_at_all),
        cmocka_unit_test(a_type_that_no_layer_uses),
        cmocka_unit_test(two_equal_types),
        cmocka_unit_test(what_lies_past_the_lists_is_not_looked_at),
        cmocka_unit_test(more_than_256_types),
        cmocka_unit_test(a_shared_state_reads_an_earlier_layer),
        cmocka_unit_test(a_layer_that_keeps_a_cache_cannot_share_its_own),
        cmocka_unit_test(each_run_of_a_type_that_shares_is_looked_at),
        cmocka_unit_test(a_shared_state_reads_a_layer_that_keeps_keys_values_or_a_latent),
        cmocka_unit_test(any_state_of_the_layer_that_is_read_may_keep_the_cache),
        cmocka_unit_test(the_pointer_names_the_state_that_shares),
        cmocka_unit_test(a_draft_layer_reads_layers_of_the_model_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
