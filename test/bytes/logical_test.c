/* Goal: the ideal state of a sequence is the sum over its layers, windows kept to the token, and
 * grows with a token exactly where a layer keeps rows.
 * Method: sums by hand, and a walk token by token for every small shape. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bytes/logical.h"

static const struct kvc_cache F16 = { .k = KVC_FORMAT_F16,
                                      .v = KVC_FORMAT_F16,
                                      .dtype = KVC_FORMAT_F16 };

static struct kvc_layer_type of_one(struct kvc_state state)
{
    struct kvc_layer_type type = { .states_count = 1 };
    type.states[0] = state;
    return type;
}

static struct kvc_state heads(enum kvc_state_kind kind, uint64_t window_tokens)
{
    return (struct kvc_state){
        .kind = kind, .kv_heads = 2, .key_dim = 3, .value_dim = 5, .window_tokens = window_tokens
    };
}

static struct kvc_logical logical_of(struct kvc_shape *shape, uint64_t tokens)
{
    struct kvc_logical logical = { 0 };
    kvcap_error error;
    assert_int_equal(kvc_logical_of(shape, &F16, tokens, &logical, &error), KVCAP_OK);
    return logical;
}

/* 2 heads * (3 + 5) elements * 2 bytes = 32 bytes a token and layer; the window keeps 4 tokens. */
static void a_window_keeps_its_newest_tokens_and_no_more(void **state)
{
    (void)state;
    struct kvc_layer_type types[] = { of_one(heads(KVC_STATE_KV, 0)),
                                      of_one(heads(KVC_STATE_KV_WINDOW, 4)) };
    struct kvc_run runs[] = { { 3, 0 }, { 2, 1 } };
    struct kvc_shape shape = { .types = types, .types_count = 2, .runs = runs, .runs_count = 2 };
    for (uint64_t tokens = 0; tokens < 20; tokens++) {
        uint64_t kept = tokens < 4 ? tokens : 4;
        struct kvc_logical logical = logical_of(&shape, tokens);
        assert_int_equal(logical.token_bytes, 5 * 32);
        assert_int_equal(logical.sequence_bytes, 3 * 32 * tokens + 2 * 32 * kept);
        assert_int_equal(logical.state_bytes, 0);
    }
}

/* A latent of 6 + 2 elements is 16 bytes a row, and a row stands for four tokens: a row begun counts
 * whole. */
static void a_compressed_row_that_is_begun_counts_whole(void **state)
{
    (void)state;
    struct kvc_layer_type types[] = { of_one((struct kvc_state){
        .kind = KVC_STATE_LATENT, .latent_dim = 6, .rope_dim = 2, .compress_ratio = 4 }) };
    struct kvc_run runs[] = { { 1, 0 } };
    struct kvc_shape shape = { .types = types, .types_count = 1, .runs = runs, .runs_count = 1 };
    static const uint64_t ROWS[] = { 0, 1, 1, 1, 1, 2, 2, 2, 2, 3 };
    for (uint64_t tokens = 0; tokens < 10; tokens++)
        assert_int_equal(logical_of(&shape, tokens).sequence_bytes, 16 * ROWS[tokens]);
    assert_int_equal(logical_of(&shape, 9).token_bytes, 4);
}

static void state_that_does_not_grow_is_told_apart(void **state)
{
    (void)state;
    struct kvc_layer_type types[] = { of_one((struct kvc_state){ .kind = KVC_STATE_RECURRENT,
                                                                 .rule = KVC_RULE_PLAIN,
                                                                 .dims = { 10, 100 },
                                                                 .conv_format = KVC_FORMAT_BF16,
                                                                 .state_format = KVC_FORMAT_F32 }),
                                      of_one(heads(KVC_STATE_KV, 0)) };
    struct kvc_run runs[] = { { 2, 0 }, { 1, 1 } };
    struct kvc_shape shape = { .types = types, .types_count = 2, .runs = runs, .runs_count = 2 };
    struct kvc_logical logical = logical_of(&shape, 7);
    assert_int_equal(logical.state_bytes, 2 * (10 * 2 + 100 * 4));
    assert_int_equal(logical.token_bytes, 32);
    assert_int_equal(logical.sequence_bytes, 840 + 7 * 32);
}

static void draft_layers_and_shared_layers_weigh_nothing(void **state)
{
    (void)state;
    struct kvc_layer_type types[] = { of_one(heads(KVC_STATE_KV, 0)),
                                      of_one((struct kvc_state){ .kind = KVC_STATE_SHARED }) };
    struct kvc_run runs[] = { { 1, 0 }, { 4, 1 } }, drafts[] = { { 3, 0 } };
    struct kvc_shape shape = { .types = types,
                               .types_count = 2,
                               .runs = runs,
                               .runs_count = 2,
                               .draft_runs = drafts,
                               .draft_runs_count = 1 };
    assert_int_equal(logical_of(&shape, 10).sequence_bytes, 10 * 32);
}

static void a_sequence_past_64_bits_is_refused_and_leaves_the_result_alone(void **state)
{
    (void)state;
    struct kvc_layer_type types[] = { of_one(heads(KVC_STATE_KV, 0)) };
    struct kvc_run runs[] = { { 1, 0 } };
    struct kvc_shape shape = { .types = types, .types_count = 1, .runs = runs, .runs_count = 1 };
    struct kvc_logical logical = { .token_bytes = 1, .state_bytes = 2, .sequence_bytes = 3 };
    kvcap_error error;
    assert_int_equal(kvc_logical_of(&shape, &F16, UINT64_MAX / 16, &logical, &error),
                     KVCAP_E_RANGE);
    assert_int_equal(logical.token_bytes, 1);
    assert_int_equal(logical.sequence_bytes, 3);
}

static void the_first_unknown_layer_is_found(void **state)
{
    (void)state;
    struct kvc_layer_type types[] = { of_one(heads(KVC_STATE_KV, 0)),
                                      of_one((struct kvc_state){ .kind = KVC_STATE_UNKNOWN }) };
    struct kvc_run runs[] = { { 5, 0 }, { 2, 1 }, { 1, 0 } };
    struct kvc_shape shape = { .types = types, .types_count = 2, .runs = runs, .runs_count = 3 };
    uint32_t layer = 99;
    assert_ptr_equal(kvc_logical_unknown(&shape, &layer), &types[1].states[0]);
    assert_int_equal(layer, 5);
    shape.runs_count = 1;
    assert_null(kvc_logical_unknown(&shape, &layer));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_keeps_its_newest_tokens_and_no_more),
        cmocka_unit_test(a_compressed_row_that_is_begun_counts_whole),
        cmocka_unit_test(state_that_does_not_grow_is_told_apart),
        cmocka_unit_test(draft_layers_and_shared_layers_weigh_nothing),
        cmocka_unit_test(a_sequence_past_64_bits_is_refused_and_leaves_the_result_alone),
        cmocka_unit_test(the_first_unknown_layer_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
