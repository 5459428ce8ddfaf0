/* Goal: a shape that was built keeps the one spelling, whatever the order in which its layers were
 * added; two states are equal when all that sizes them is; a layer has the type it was given.
 * Method: lists of layers drawn from one seed and kept as plain arrays, one type a layer: too
 * simple to be wrong.  Built layer by layer and again in pieces of chance length, the shape must
 * unfold to the list, pass kvc_shape_check and come out the same.  Equality: each field changed
 * alone. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <string.h>

#include "shape/check.h"
#include "shape/drawn.h"
#include "support/chance.h"

#define BUFFER_BYTES (8u << 20)

static char buffer[BUFFER_BYTES], second_buffer[BUFFER_BYTES];

/* ---- Lists of layers: the simple model ----------------------------------------------------- */

#define LAYERS_ROOM 64
#define PALETTE_ROOM 12

struct list {
    struct kvc_layer_type layers[LAYERS_ROOM];
    uint32_t count;
};

/* Runs are drawn too, so that neighbours of one type are common. */
static void draw_list(struct chance *chance, const struct kvc_layer_type *palette,
                      uint32_t palette_count, uint32_t layers, struct list *list)
{
    list->count = 0;
    while (list->count < layers) {
        const struct kvc_layer_type *type = &palette[drawn_below(chance, palette_count)];
        for (uint32_t n = 1 + drawn_below(chance, 4); n > 0 && list->count < layers; n--)
            list->layers[list->count++] = *type;
    }
}

static uint32_t equal_from(const struct list *list, uint32_t from)
{
    uint32_t end = from + 1;
    while (end < list->count && kvc_layer_type_equal(&list->layers[end], &list->layers[from]))
        end++;
    return end - from;
}

typedef bool add_function(struct kvc_shape_builder *, const struct kvc_layer_type *, uint32_t);

static void add_one_by_one(struct kvc_shape_builder *builder, add_function *add,
                           const struct list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        assert_true(add(builder, &list->layers[i], 1));
}

static void add_in_pieces(struct chance *chance, struct kvc_shape_builder *builder,
                          add_function *add, const struct list *list)
{
    for (uint32_t i = 0; i < list->count;) {
        uint32_t piece = 1 + drawn_below(chance, equal_from(list, i));
        assert_true(add(builder, &list->layers[i], piece));
        i += piece;
    }
}

static bool is_same_runs(const struct kvc_run *a, uint32_t a_count, const struct kvc_run *b,
                         uint32_t b_count)
{
    bool same = a_count == b_count;
    for (uint32_t i = 0; same && i < a_count; i++)
        same = a[i].count == b[i].count && a[i].type == b[i].type;
    return same;
}

static bool is_same_shape(const struct kvc_shape *a, const struct kvc_shape *b)
{
    bool same = a->types_count == b->types_count && a->layers_count == b->layers_count;
    for (uint32_t i = 0; same && i < a->types_count; i++)
        same = kvc_layer_type_equal(&a->types[i], &b->types[i]);
    return same && is_same_runs(a->runs, a->runs_count, b->runs, b->runs_count) &&
           is_same_runs(a->draft_runs, a->draft_runs_count, b->draft_runs, b->draft_runs_count);
}

static bool unfolds_to(const struct kvc_shape *shape, const struct list *list)
{
    bool same = shape->layers_count == list->count;
    for (uint32_t i = 0; same && i < list->count; i++)
        same = kvc_layer_type_equal(kvc_shape_layer(shape, i), &list->layers[i]);
    return same;
}

static bool drafts_unfold_to(const struct kvc_shape *shape, const struct list *list)
{
    uint32_t layer = 0;
    for (uint32_t i = 0; i < shape->draft_runs_count; i++) {
        const struct kvc_layer_type *type = &shape->types[shape->draft_runs[i].type];
        for (uint32_t n = 0; n < shape->draft_runs[i].count; n++, layer++) {
            if (layer == list->count || !kvc_layer_type_equal(type, &list->layers[layer]))
                return false;
        }
    }
    return layer == list->count;
}

/* ---- Building ------------------------------------------------------------------------------ */

static void two_ways_to_add_the_same_layers_give_one_spelling(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    static struct list layers, drafts;
    for (int round = 0; round < 2000; round++) {
        struct kvc_layer_type palette[PALETTE_ROOM];
        uint32_t palette_count = 1 + drawn_below(&chance, PALETTE_ROOM);
        palette[0] = drawn_first_type();
        for (uint32_t i = 1; i < palette_count; i++)
            palette[i] = drawn_type(&chance);
        draw_list(&chance, palette, palette_count, 1 + drawn_below(&chance, LAYERS_ROOM), &layers);
        layers.layers[0] = palette[0];
        draw_list(&chance, palette, palette_count, drawn_below(&chance, 8), &drafts);

        struct kvc_arena arena, second_arena;
        struct kvc_shape_builder one, two;
        kvc_arena_over(&arena, buffer, sizeof buffer);
        kvc_arena_over(&second_arena, second_buffer, sizeof second_buffer);
        kvc_shape_begin(&one, &arena);
        add_one_by_one(&one, kvc_shape_add, &layers);
        add_one_by_one(&one, kvc_shape_add_draft, &drafts);
        kvc_shape_begin(&two, &second_arena);
        add_in_pieces(&chance, &two, kvc_shape_add, &layers);
        add_in_pieces(&chance, &two, kvc_shape_add_draft, &drafts);

        chance_check(&chance, is_same_shape(&one.shape, &two.shape));
        chance_check(&chance, unfolds_to(&one.shape, &layers));
        chance_check(&chance, drafts_unfold_to(&one.shape, &drafts));
        chance_check(&chance, kvc_shape_check(&one.shape, NULL) == KVCAP_OK);
        chance_check(&chance, one.shape.layers_count == layers.count);
    }
}

static struct kvc_layer_type kv(uint32_t heads)
{
    return (struct kvc_layer_type){
        .states = { { .kind = KVC_STATE_KV, .kv_heads = heads, .key_dim = 1, .value_dim = 1 } },
        .states_count = 1
    };
}

static void begin(struct kvc_shape_builder *builder, struct kvc_arena *arena)
{
    kvc_arena_over(arena, buffer, sizeof buffer);
    kvc_shape_begin(builder, arena);
}

static void a_model_has_1_to_4096_layers(void **state)
{
    (void)state;
    struct kvc_arena arena;
    struct kvc_shape_builder builder;
    struct kvc_layer_type type = kv(1), other = kv(2);
    begin(&builder, &arena);
    assert_false(kvc_shape_add(&builder, &type, 0));
    assert_false(kvc_shape_add(&builder, &type, 4097));
    begin(&builder, &arena);
    assert_true(kvc_shape_add(&builder, &type, 4096));
    assert_false(kvc_shape_add(&builder, &type, 1));
    assert_false(kvc_shape_add(&builder, &other, UINT32_MAX));
    begin(&builder, &arena);
    assert_true(kvc_shape_add(&builder, &type, 4000));
    assert_true(kvc_shape_add(&builder, &other, 96));
    assert_false(kvc_shape_add(&builder, &type, 1));
    assert_int_equal(builder.shape.layers_count, 4096);
}

static void draft_layers_have_the_same_limit_and_are_counted_apart(void **state)
{
    (void)state;
    struct kvc_arena arena;
    struct kvc_shape_builder builder;
    struct kvc_layer_type type = kv(1), other = kv(2);
    begin(&builder, &arena);
    assert_true(kvc_shape_add(&builder, &type, 4096));
    assert_false(kvc_shape_add_draft(&builder, &type, 0));
    assert_false(kvc_shape_add_draft(&builder, &type, 4097));
    assert_true(kvc_shape_add_draft(&builder, &type, 4000));
    assert_true(kvc_shape_add_draft(&builder, &other, 95));
    assert_false(kvc_shape_add_draft(&builder, &type, 2));
    assert_false(kvc_shape_add_draft(&builder, &type, UINT32_MAX));
    assert_true(kvc_shape_add_draft(&builder, &type, 1));
    assert_false(kvc_shape_add_draft(&builder, &type, 1));
    assert_int_equal(builder.shape.layers_count, 4096);
    assert_int_equal(kvc_shape_check(&builder.shape, NULL), KVCAP_OK);
}

static void a_model_has_at_most_256_types(void **state)
{
    (void)state;
    struct kvc_arena arena;
    struct kvc_shape_builder builder;
    begin(&builder, &arena);
    for (uint32_t i = 1; i <= 256; i++) {
        struct kvc_layer_type type = kv(i);
        assert_true(kvc_shape_add(&builder, &type, 1));
    }
    assert_int_equal(kvc_shape_check(&builder.shape, NULL), KVCAP_OK);
    struct kvc_layer_type type = kv(257), known = kv(3);
    assert_false(kvc_shape_add(&builder, &type, 1));
    assert_false(kvc_shape_add_draft(&builder, &type, 1));
    assert_int_equal(builder.shape.types_count, 256);
    assert_true(kvc_shape_add(&builder, &known, 1));
    assert_true(kvc_shape_add_draft(&builder, &known, 1));
    assert_int_equal(kvc_shape_check(&builder.shape, NULL), KVCAP_OK);
}

/* Sixty layers of twenty types: both lists grow several times. */
static bool build_within(size_t bytes)
{
    struct kvc_arena arena;
    struct kvc_shape_builder builder;
    kvc_arena_over(&arena, buffer, bytes);
    kvc_shape_begin(&builder, &arena);
    for (uint32_t i = 0; i < 60; i++) {
        struct kvc_layer_type type = kv(1 + i % 20);
        if (!kvc_shape_add(&builder, &type, 1))
            return false;
    }
    assert_int_equal(kvc_shape_check(&builder.shape, NULL), KVCAP_OK);
    return true;
}

static void a_full_arena_is_said_and_nothing_is_written_past_it(void **state)
{
    (void)state;
    size_t enough = 0;
    while (!build_within(enough))
        enough += 16;
    assert_true(enough > 60 * sizeof(struct kvc_run) + 20 * sizeof(struct kvc_layer_type));
    assert_true(build_within(enough + 16));
    memset(buffer, 0x5a, sizeof buffer);
    assert_false(build_within(enough - 16));
    for (size_t i = 0; i < 4096; i++)
        assert_int_equal(buffer[enough - 16 + i], 0x5a);
}

/* ---- Layers -------------------------------------------------------------------------------- */

static void a_layer_has_the_type_of_the_run_it_lies_in(void **state)
{
    (void)state;
    struct kvc_layer_type types[] = { kv(1), kv(2), kv(3) };
    struct kvc_run runs[] = { { 2, 0 }, { 1, 1 }, { 3, 0 }, { 1, 2 } };
    static const uint32_t EXPECTED[] = { 0, 0, 1, 0, 0, 0, 2 };
    struct kvc_shape shape = {
        .types = types, .types_count = 3, .runs = runs, .runs_count = 4, .layers_count = 7
    };
    for (uint32_t i = 0; i < 7; i++)
        assert_ptr_equal(kvc_shape_layer(&shape, i), &types[EXPECTED[i]]);
}

/* ---- States -------------------------------------------------------------------------------- */

static void states_have_the_names_of_the_records(void **state)
{
    (void)state;
    static const struct {
        enum kvc_state_kind kind;
        const char *name;
        bool keeps_rows;
    } KINDS[] = {
        { KVC_STATE_KV, "kv", true },
        { KVC_STATE_KV_WINDOW, "kv_window", true },
        { KVC_STATE_LATENT, "latent", true },
        { KVC_STATE_INDEX, "index", true },
        { KVC_STATE_RECURRENT, "recurrent", false },
        { KVC_STATE_CROSS, "cross", false },
        { KVC_STATE_SHARED, "shared", false },
        { KVC_STATE_NONE, "none", false },
        { KVC_STATE_UNKNOWN, "unknown", false },
    };
    assert_int_equal(sizeof KINDS / sizeof *KINDS, KVC_STATE_KIND_COUNT);
    for (size_t i = 0; i < KVC_STATE_KIND_COUNT; i++) {
        struct kvc_state one = { .kind = KINDS[i].kind };
        assert_string_equal(kvc_state_name(KINDS[i].kind), KINDS[i].name);
        assert_int_equal(kvc_state_keeps_rows(&one), KINDS[i].keeps_rows);
    }
}

static const struct kvc_state EVERYTHING = {
    .kind = KVC_STATE_KV_WINDOW,
    .kv_heads = 1,
    .key_dim = 2,
    .value_dim = 3,
    .window_tokens = 4,
    .latent_dim = 5,
    .rope_dim = 6,
    .compress_ratio = 7,
    .index_dim = 8,
    .rule = KVC_RULE_KDA,
    .dims = { 9, 10, 11, 12, 13, 14 },
    .conv_format = KVC_FORMAT_F16,
    .state_format = KVC_FORMAT_F32,
    .layer = 15,
    .key = { "key", 3 },
    .reason = { "reason", 6 },
};

static void assert_differs(struct kvc_state changed)
{
    assert_false(kvc_state_equal(&changed, &EVERYTHING));
    assert_false(kvc_state_equal(&EVERYTHING, &changed));
    assert_true(kvc_state_equal(&changed, &changed));
}

#define ASSERT_COUNTS(member, other)                                                               \
    do {                                                                                           \
        struct kvc_state changed = EVERYTHING;                                                     \
        changed.member = other;                                                                    \
        assert_differs(changed);                                                                   \
    } while (0)

static void states_differ_when_any_field_does(void **state)
{
    (void)state;
    ASSERT_COUNTS(kind, KVC_STATE_KV);
    ASSERT_COUNTS(kv_heads, 99);
    ASSERT_COUNTS(key_dim, 99);
    ASSERT_COUNTS(value_dim, 99);
    ASSERT_COUNTS(window_tokens, 99);
    ASSERT_COUNTS(window_tokens, UINT64_C(0x100000004)); /* the low 32 bits are the same */
    ASSERT_COUNTS(chunked, true);
    ASSERT_COUNTS(latent_dim, 99);
    ASSERT_COUNTS(rope_dim, 99);
    ASSERT_COUNTS(compress_ratio, 99);
    ASSERT_COUNTS(index_dim, 99);
    ASSERT_COUNTS(index_fp8, true);
    ASSERT_COUNTS(rule, KVC_RULE_MAMBA1);
    ASSERT_COUNTS(conv_format, KVC_FORMAT_BF16);
    ASSERT_COUNTS(state_format, KVC_FORMAT_NONE);
    ASSERT_COUNTS(layer, 99);
    ASSERT_COUNTS(key.text, "kEy");
    ASSERT_COUNTS(key.length, 2);
    ASSERT_COUNTS(reason.text, "rEason");
    ASSERT_COUNTS(reason.length, 5);
    for (unsigned i = 0; i < KVC_RULE_DIMS_MAX; i++)
        ASSERT_COUNTS(dims[i], 99);
}

static void texts_are_compared_by_what_they_say(void **state)
{
    (void)state;
    char key[] = "key", reason[] = "reason";
    struct kvc_state same = EVERYTHING;
    same.key.text = key;
    same.reason.text = reason;
    assert_true(kvc_state_equal(&same, &EVERYTHING));
}

static void types_are_equal_when_their_states_are_in_order(void **state)
{
    (void)state;
    struct kvc_state other = EVERYTHING;
    other.key_dim = 99;
    struct kvc_layer_type a = { .states = { EVERYTHING, other }, .states_count = 2 };
    struct kvc_layer_type b = a;
    assert_true(kvc_layer_type_equal(&a, &b));
    b.states[2].kv_heads = 99; /* past the states */
    assert_true(kvc_layer_type_equal(&a, &b));
    b.states_count = 1;
    assert_false(kvc_layer_type_equal(&a, &b));
    assert_false(kvc_layer_type_equal(&b, &a));
    b = (struct kvc_layer_type){ .states = { other, EVERYTHING }, .states_count = 2 };
    assert_false(kvc_layer_type_equal(&a, &b));
    b = (struct kvc_layer_type){ .states = { EVERYTHING, EVERYTHING }, .states_count = 2 };
    assert_false(kvc_layer_type_equal(&a, &b));
    for (uint32_t i = 0; i < KVC_STATES_MAX; i++) {
        a = (struct kvc_layer_type){ .states_count = KVC_STATES_MAX };
        b = a;
        b.states[i].layer = 1;
        assert_false(kvc_layer_type_equal(&a, &b));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_ways_to_add_the_same_layers_give_one_spelling),
        cmocka_unit_test(a_model_has_1_to_4096_layers),
        cmocka_unit_test(draft_layers_have_the_same_limit_and_are_counted_apart),
        cmocka_unit_test(a_model_has_at_most_256_types),
        cmocka_unit_test(a_full_arena_is_said_and_nothing_is_written_past_it),
        cmocka_unit_test(a_layer_has_the_type_of_the_run_it_lies_in),
        cmocka_unit_test(states_have_the_names_of_the_records),
        cmocka_unit_test(states_differ_when_any_field_does),
        cmocka_unit_test(texts_are_compared_by_what_they_say),
        cmocka_unit_test(types_are_equal_when_their_states_are_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
