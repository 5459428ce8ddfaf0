/* Goal: the allocator `paged` puts the layers of a stage into the right groups, in the right order,
 * with the right sums; however a model is cut into stages, they add up to the model.
 * Method: small models by hand, one for each sentence of the rule; shapes drawn at random against a
 * model that walks layer by layer and looks each state up in a list; random cuts. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>

#include "engine/paged.h"
#include "shape/check.h"
#include "shape/drawn.h"
#include "support/chance.h"

#define BUFFER_BYTES (4u << 20)

static char shape_buffer[BUFFER_BYTES], stage_buffer[BUFFER_BYTES];

static const struct kvc_cache F16 = { .k = KVC_FORMAT_F16,
                                      .v = KVC_FORMAT_F16,
                                      .dtype = KVC_FORMAT_F32 };

/* ---- States, in f16: kv of 1 head weighs 256 bytes a token ---------------------------------- */

static struct kvc_state kv(uint32_t heads)
{
    return (struct kvc_state){
        .kind = KVC_STATE_KV, .kv_heads = heads, .key_dim = 64, .value_dim = 64
    };
}

static struct kvc_state window(uint32_t heads, uint64_t tokens)
{
    struct kvc_state one = kv(heads);
    one.kind = KVC_STATE_KV_WINDOW;
    one.window_tokens = tokens;
    return one;
}

/* 1024 bytes a stored row */
static struct kvc_state latent(uint64_t window_tokens, uint32_t ratio)
{
    return (struct kvc_state){ .kind = KVC_STATE_LATENT,
                               .latent_dim = 448,
                               .rope_dim = 64,
                               .window_tokens = window_tokens,
                               .compress_ratio = ratio };
}

/* 132 bytes a stored row */
static struct kvc_state indexer(uint32_t ratio)
{
    return (struct kvc_state){
        .kind = KVC_STATE_INDEX, .index_dim = 128, .index_fp8 = true, .compress_ratio = ratio
    };
}

/* (3 * 8 + 8 * 2) * 4 = 160 bytes a sequence */
static struct kvc_state recurrent(void)
{
    return (struct kvc_state){ .kind = KVC_STATE_RECURRENT,
                               .rule = KVC_RULE_MAMBA1,
                               .dims = { 4, 8, 2 } };
}

static struct kvc_layer_type type_of(uint32_t count, struct kvc_state a, struct kvc_state b,
                                     struct kvc_state c)
{
    return (struct kvc_layer_type){ .states = { a, b, c }, .states_count = count };
}

static struct kvc_layer_type only(struct kvc_state one)
{
    return (struct kvc_layer_type){ .states = { one }, .states_count = 1 };
}

/* ---- A model under test --------------------------------------------------------------------- */

static struct kvc_arena shape_arena;
static struct kvc_shape_builder builder;
static struct kvc_paged paged;

static void begin_model(uint64_t block_tokens)
{
    kvc_arena_over(&shape_arena, shape_buffer, sizeof shape_buffer);
    kvc_shape_begin(&builder, &shape_arena);
    paged = (struct kvc_paged){
        .shape = &builder.shape, .cache = F16, .tp = 1, .block_tokens = block_tokens
    };
}

static void add(struct kvc_layer_type type, uint32_t count)
{
    assert_true(kvc_shape_add(&builder, &type, count));
}

static kvcap_code try_stage(uint32_t first, uint32_t layers, struct kvc_stage *ret_stage,
                            kvcap_error *err)
{
    struct kvc_arena arena;
    kvc_arena_over(&arena, stage_buffer, sizeof stage_buffer);
    return kvc_paged_stage(&paged, first, layers, &arena, ret_stage, err);
}

static struct kvc_stage stage_of(uint32_t first, uint32_t layers)
{
    struct kvc_stage stage = { 0 };
    kvcap_error err = { 0 };
    if (try_stage(first, layers, &stage, &err) != KVCAP_OK)
        fail_msg("%s at %s", err.text, err.at);
    return stage;
}

static struct kvc_stage whole(void)
{
    return stage_of(0, builder.shape.layers_count);
}

static void assert_group(const struct kvc_stage *stage, uint32_t index, uint64_t window_tokens,
                         uint32_t ratio, uint32_t layers, uint64_t token_bytes,
                         uint64_t block_bytes)
{
    assert_true(index < stage->groups_count);
    const struct kvc_group *group = &stage->groups[index];
    assert_int_equal(group->rule.window_tokens, window_tokens);
    assert_int_equal(group->rule.block_tokens, paged.block_tokens);
    assert_int_equal(group->compress_ratio, ratio);
    assert_int_equal(group->layers, layers);
    assert_int_equal(group->token_bytes, token_bytes);
    assert_int_equal(group->block_bytes, block_bytes);
}

static void assert_refused(uint32_t first, uint32_t layers, kvcap_code code, const char *slug,
                           const char *at)
{
    struct kvc_group mark;
    struct kvc_stage stage = { .groups = &mark, .groups_count = 77, .state_bytes = 88 };
    kvcap_error err = { 0 };
    assert_int_equal(try_stage(first, layers, &stage, &err), code);
    assert_int_equal(err.code, code);
    assert_string_equal(err.slug, slug);
    assert_string_equal(err.at, at);
    assert_int_equal(try_stage(first, layers, &stage, NULL), code);
    assert_ptr_equal(stage.groups, &mark);
    assert_int_equal(stage.groups_count, 77);
    assert_int_equal(stage.state_bytes, 88);
}

/* ---- Groups, by hand ------------------------------------------------------------------------ */

static void layers_that_are_alike_are_one_group(void **state)
{
    (void)state;
    begin_model(16);
    add(only(kv(8)), 32);
    struct kvc_stage stage = whole();
    assert_int_equal(stage.groups_count, 1);
    /* 32 layers * 8 heads * 256 */
    assert_group(&stage, 0, KVC_WINDOW_NONE, 1, 32, 65536, 1048576);
    assert_int_equal(stage.state_bytes, 0);
}

static void one_rule_is_one_group_whatever_its_layers_weigh(void **state)
{
    (void)state;
    begin_model(16);
    add(only(kv(8)), 3);
    add(only(kv(2)), 2);
    add(only(latent(0, 1)), 4);
    struct kvc_stage stage = whole();
    assert_int_equal(stage.groups_count, 1);
    /* 3 * 2048 + 2 * 512 + 4 * 1024 = 11264 */
    assert_group(&stage, 0, KVC_WINDOW_NONE, 1, 9, 11264, 180224);
}

static void groups_differ_by_window_and_by_ratio_and_are_in_order_of_first_layer(void **state)
{
    (void)state;
    begin_model(8);
    add(only(window(1, 512)), 2);
    add(only(latent(0, 4)), 1);
    add(only(kv(1)), 1);
    add(only(window(1, 256)), 1);
    add(only(latent(512, 4)), 1);
    add(only(window(2, 512)), 1);
    add(only(latent(512, 1)), 1); /* the rule of the first two layers */
    add(only(latent(0, 2)), 1);
    add(only(kv(2)), 2);
    struct kvc_stage stage = whole();
    assert_int_equal(stage.groups_count, 6);
    assert_group(&stage, 0, 512, 1, 4, 2 * 256 + 512 + 1024, 8 * 2048);
    assert_group(&stage, 1, KVC_WINDOW_NONE, 4, 1, 1024, 2 * 1024);
    assert_group(&stage, 2, KVC_WINDOW_NONE, 1, 3, 256 + 2 * 512, 8 * 1280);
    assert_group(&stage, 3, 256, 1, 1, 256, 8 * 256);
    assert_group(&stage, 4, 512, 4, 1, 1024, 2 * 1024);
    assert_group(&stage, 5, KVC_WINDOW_NONE, 2, 1, 1024, 4 * 1024);
}

static void within_a_layer_groups_are_in_order_of_the_state(void **state)
{
    (void)state;
    begin_model(8);
    add(type_of(3, latent(128, 1), latent(0, 4), indexer(4)), 2);
    struct kvc_stage stage = whole();
    assert_int_equal(stage.groups_count, 2);
    assert_group(&stage, 0, 128, 1, 2, 2048, 16384);
    assert_group(&stage, 1, KVC_WINDOW_NONE, 4, 2, 2312, 4624); /* 2 * (1024 + 132); 2 rows */
    begin_model(8);
    add(type_of(3, indexer(4), latent(128, 1), latent(0, 4)), 2);
    stage = whole();
    assert_int_equal(stage.groups_count, 2);
    assert_group(&stage, 0, KVC_WINDOW_NONE, 4, 2, 2312, 4624);
    assert_group(&stage, 1, 128, 1, 2, 2048, 16384);
}

static void a_layer_with_two_states_in_a_group_counts_there_once(void **state)
{
    (void)state;
    begin_model(16);
    add(type_of(2, latent(0, 1), indexer(1), kv(0)), 5);
    add(only(latent(0, 1)), 1);
    add(type_of(3, indexer(1), indexer(1), latent(0, 1)), 2);
    struct kvc_stage stage = whole();
    assert_int_equal(stage.groups_count, 1);
    /* 5 * 1156 + 1024 + 2 * 1288 = 9380 */
    assert_group(&stage, 0, KVC_WINDOW_NONE, 1, 8, 9380, 150080);
    begin_model(16); /* something else lies between them */
    add(type_of(3, latent(0, 1), recurrent(), indexer(1)), 5);
    stage = whole();
    assert_int_equal(stage.groups_count, 1);
    assert_group(&stage, 0, KVC_WINDOW_NONE, 1, 5, 5780, 92480);
    begin_model(16); /* the other group does not count for this one */
    add(type_of(3, latent(128, 1), latent(0, 1), indexer(1)), 5);
    stage = whole();
    assert_group(&stage, 0, 128, 1, 5, 5120, 81920);
    assert_group(&stage, 1, KVC_WINDOW_NONE, 1, 5, 5780, 92480);
}

static void recurrent_state_is_summed_beside_the_groups(void **state)
{
    (void)state;
    begin_model(16);
    add(only(recurrent()), 3);
    add(type_of(2, kv(1), recurrent(), kv(0)), 2);
    struct kvc_stage stage = whole();
    assert_int_equal(stage.groups_count, 1);
    assert_group(&stage, 0, KVC_WINDOW_NONE, 1, 2, 512, 8192);
    assert_int_equal(stage.state_bytes, 5 * 160);
    stage = stage_of(0, 3);
    assert_int_equal(stage.groups_count, 0);
    assert_int_equal(stage.state_bytes, 3 * 160);
}

static void what_keeps_nothing_makes_no_group(void **state)
{
    (void)state;
    begin_model(16);
    add(only(kv(1)), 2);
    add(only((struct kvc_state){ .kind = KVC_STATE_SHARED, .layer = 1 }), 10);
    add(only((struct kvc_state){ .kind = KVC_STATE_NONE }), 3);
    struct kvc_stage stage = whole();
    assert_int_equal(stage.groups_count, 1);
    assert_group(&stage, 0, KVC_WINDOW_NONE, 1, 2, 512, 8192);
    stage = stage_of(2, 13);
    assert_int_equal(stage.groups_count, 0);
    assert_int_equal(stage.state_bytes, 0);
}

static void draft_layers_are_in_no_sum(void **state)
{
    (void)state;
    begin_model(16);
    add(only(kv(1)), 2);
    struct kvc_layer_type draft = type_of(2, window(1, 64), recurrent(), kv(0));
    assert_true(kvc_shape_add_draft(&builder, &draft, 4));
    struct kvc_stage stage = whole();
    assert_int_equal(stage.groups_count, 1);
    assert_group(&stage, 0, KVC_WINDOW_NONE, 1, 2, 512, 8192);
    assert_int_equal(stage.state_bytes, 0);
}

/* Only latent and index have a ratio: the field is 0, or 1 as the reader of records leaves it. */
static void keys_and_values_are_not_compressed_whatever_the_field_says(void **state)
{
    (void)state;
    begin_model(16);
    struct kvc_state read = kv(1), wild = window(1, 64);
    read.compress_ratio = 1;
    wild.compress_ratio = 5;
    add(only(kv(1)), 1);
    add(only(read), 1);
    add(only(wild), 1);
    struct kvc_stage stage = whole();
    assert_int_equal(stage.groups_count, 2);
    assert_group(&stage, 0, KVC_WINDOW_NONE, 1, 2, 512, 8192);
    assert_group(&stage, 1, 64, 1, 1, 256, 4096);
}

static void ranks_divide_heads_and_repeat_latents(void **state)
{
    (void)state;
    begin_model(16);
    add(only(kv(8)), 2);
    add(type_of(3, latent(0, 1), indexer(1), recurrent()), 1);
    static const struct {
        uint32_t tp;
        uint64_t token_bytes, state_bytes;
    } CASES[] = { { 1, 2 * 2048 + 1156, 160 },
                  { 2, 2 * 1024 + 1156, 80 },
                  { 4, 2 * 512 + 1156, 40 },
                  { 8, 2 * 256 + 1156, 20 } };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        paged.tp = CASES[i].tp;
        struct kvc_stage stage = whole();
        assert_group(&stage, 0, KVC_WINDOW_NONE, 1, 3, CASES[i].token_bytes,
                     16 * CASES[i].token_bytes);
        assert_int_equal(stage.state_bytes, CASES[i].state_bytes);
    }
}

static void the_formats_of_the_contract_are_used(void **state)
{
    (void)state;
    begin_model(16);
    add(only(kv(1)), 1);
    add(only(recurrent()), 1);
    paged.cache =
        (struct kvc_cache){ .k = KVC_FORMAT_Q8_0, .v = KVC_FORMAT_Q4_0, .dtype = KVC_FORMAT_F16 };
    struct kvc_stage stage = whole();
    assert_group(&stage, 0, KVC_WINDOW_NONE, 1, 1, 68 + 36, 16 * 104);
    assert_int_equal(stage.state_bytes, 80);
}

/* ---- Stages, by hand ------------------------------------------------------------------------ */

static void a_stage_has_the_layers_between_its_ends(void **state)
{
    (void)state;
    begin_model(16);
    add(only(window(1, 64)), 2);             /* layers 0 1 */
    add(only(kv(1)), 3);                     /* 2 3 4 */
    add(only(window(1, 64)), 1);             /* 5 */
    struct kvc_stage stage = stage_of(2, 3); /* at the ends of a run */
    assert_int_equal(stage.groups_count, 1);
    assert_group(&stage, 0, KVC_WINDOW_NONE, 1, 3, 768, 12288);
    stage = stage_of(3, 1); /* within a run */
    assert_int_equal(stage.groups_count, 1);
    assert_group(&stage, 0, KVC_WINDOW_NONE, 1, 1, 256, 4096);
    stage = stage_of(4, 2); /* order is that of the stage */
    assert_int_equal(stage.groups_count, 2);
    assert_group(&stage, 0, KVC_WINDOW_NONE, 1, 1, 256, 4096);
    assert_group(&stage, 1, 64, 1, 1, 256, 4096);
    stage = stage_of(1, 5);
    assert_int_equal(stage.groups_count, 2);
    assert_group(&stage, 0, 64, 1, 2, 512, 8192);
    assert_group(&stage, 1, KVC_WINDOW_NONE, 1, 3, 768, 12288);
    for (uint32_t first = 0; first <= 6; first++)
        assert_int_equal(stage_of(first, 0).groups_count, 0);
}

/* ---- Refusals ------------------------------------------------------------------------------- */

static void a_ratio_must_divide_the_block(void **state)
{
    (void)state;
    static const char SLUG[] = "contract.block_does_not_divide";
    static const char AT[] = "/allocator/block_tokens";
    for (uint64_t block_tokens = 1; block_tokens <= 40; block_tokens++) {
        for (uint32_t ratio = 1; ratio <= 40; ratio++) {
            begin_model(block_tokens);
            add(only(kv(1)), 2);
            add(only(latent(0, ratio)), 1);
            if (block_tokens % ratio != 0) {
                assert_refused(0, 3, KVCAP_E_CONTRACT, SLUG, AT);
                assert_int_equal(stage_of(0, 2).groups_count, 1); /* a stage without that layer */
                continue;
            }
            struct kvc_stage stage = whole();
            assert_int_equal(stage.groups_count, ratio == 1 ? 1 : 2);
            if (ratio > 1)
                assert_group(&stage, 1, KVC_WINDOW_NONE, ratio, 1, 1024,
                             block_tokens / ratio * 1024);
        }
    }
    begin_model(16);
    add(type_of(2, latent(0, 4), indexer(3), kv(0)), 1);
    assert_refused(0, 1, KVCAP_E_CONTRACT, SLUG, AT);
}

static void what_a_layer_refuses_the_stage_refuses(void **state)
{
    (void)state;
    begin_model(16);
    add(only(kv(8)), 2);
    add(only(recurrent()), 1);
    paged.tp = 3;
    assert_refused(0, 2, KVCAP_E_CONTRACT, "contract.tp_does_not_divide", "/parallel/tp");
    assert_refused(2, 1, KVCAP_E_CONTRACT, "contract.tp_does_not_divide", "/parallel/tp");
    paged.tp = 1;
    paged.cache.v = KVC_FORMAT_FP8_DS_MLA;
    assert_refused(0, 3, KVCAP_E_CONTRACT, "contract.format_not_for_state", "/cache/v");
}

static void sums_past_64_bits_are_refused(void **state)
{
    (void)state;
    struct kvc_state wide = {
        .kind = KVC_STATE_KV, .kv_heads = UINT32_MAX, .key_dim = 1u << 20, .value_dim = 1u << 20
    }; /* nearly 2^54 bytes in f16 */
    begin_model(1);
    add(only(wide), 4096);
    assert_int_equal(stage_of(0, 1024).groups[0].token_bytes, (UINT64_C(1) << 32) * UINT32_MAX);
    assert_refused(0, 1025, KVCAP_E_RANGE, "range.overflow", "bytes of a token");
    paged.block_tokens = 2;
    assert_refused(0, 1024, KVCAP_E_RANGE, "range.overflow", "bytes of a block");
    struct kvc_state big = { .kind = KVC_STATE_RECURRENT,
                             .rule = KVC_RULE_SHORT_CONV,
                             .dims = { 1u << 30, UINT32_MAX } }; /* nearly 2^64 bytes in f32 */
    begin_model(1);
    add(only(big), 2);
    assert_int_equal(stage_of(0, 1).state_bytes,
                     (UINT64_C(1) << 30) * 4 * UINT32_MAX - UINT64_C(4) * UINT32_MAX);
    assert_refused(0, 2, KVCAP_E_RANGE, "range.overflow", "bytes of a state");
}

static void a_full_arena_is_said(void **state)
{
    (void)state;
    begin_model(16);
    add(type_of(3, latent(128, 1), latent(0, 4), latent(256, 2)), 1);
    add(type_of(3, latent(64, 1), latent(32, 1), window(1, 16)), 1);
    add(type_of(3, latent(64, 2), latent(32, 2), latent(16, 2)), 1);
    struct kvc_stage stage = { 0 };
    size_t bytes = 0;
    for (;; bytes += 16) {
        struct kvc_arena arena;
        kvcap_error err = { 0 };
        kvc_arena_over(&arena, stage_buffer, bytes);
        kvcap_code rc = kvc_paged_stage(&paged, 0, 3, &arena, &stage, &err);
        if (rc == KVCAP_OK)
            break;
        assert_int_equal(rc, KVCAP_E_NOMEM);
        assert_string_equal(err.slug, "memory.full");
        assert_null(stage.groups);
    }
    assert_int_equal(stage.groups_count, 9);
    assert_true(bytes >= 9 * sizeof(struct kvc_group));
}

/* ---- Shapes drawn at random, against a walk -------------------------------------------------- */

#define PAIRS_ROOM 16

struct pair {
    uint64_t window_tokens;
    uint32_t ratio, layers, last_layer;
    uint64_t token_bytes;
};

struct walk {
    struct pair pairs[PAIRS_ROOM];
    uint32_t pairs_count;
    uint64_t state_bytes;
};

static struct pair *pair_of(struct walk *walk, uint64_t window_tokens, uint32_t ratio)
{
    for (uint32_t i = 0; i < walk->pairs_count; i++) {
        if (walk->pairs[i].window_tokens == window_tokens && walk->pairs[i].ratio == ratio)
            return &walk->pairs[i];
    }
    struct pair *pair = &walk->pairs[walk->pairs_count++];
    *pair =
        (struct pair){ .window_tokens = window_tokens, .ratio = ratio, .last_layer = UINT32_MAX };
    return pair;
}

/* One layer after the other, one state after the other; nothing is multiplied. */
static struct walk walk_layers(uint32_t first, uint32_t layers)
{
    struct walk walk = { 0 };
    for (uint32_t layer = first; layer < first + layers; layer++) {
        const struct kvc_layer_type *type = kvc_shape_layer(&builder.shape, layer);
        for (uint32_t i = 0; i < type->states_count; i++) {
            const struct kvc_state *one = &type->states[i];
            struct kvc_weight weight = { 0 };
            assert_int_equal(kvc_state_weight(one, &paged.cache, paged.tp, &weight, NULL),
                             KVCAP_OK);
            walk.state_bytes += weight.state_bytes;
            if (weight.token_bytes == 0)
                continue;
            struct pair *pair =
                pair_of(&walk, one->window_tokens > 0 ? one->window_tokens : UINT64_MAX,
                        one->compress_ratio > 0 ? one->compress_ratio : 1);
            pair->token_bytes += weight.token_bytes;
            if (pair->last_layer != layer)
                pair->layers++;
            pair->last_layer = layer;
        }
    }
    return walk;
}

static bool is_walked(const struct kvc_stage *stage, const struct walk *walk)
{
    bool same = stage->state_bytes == walk->state_bytes && stage->groups_count == walk->pairs_count;
    for (uint32_t i = 0; same && i < walk->pairs_count; i++) {
        const struct kvc_group *group = &stage->groups[i];
        const struct pair *pair = &walk->pairs[i];
        same = group->rule.window_tokens == pair->window_tokens &&
               group->rule.block_tokens == paged.block_tokens &&
               group->compress_ratio == pair->ratio && group->layers == pair->layers &&
               group->token_bytes == pair->token_bytes &&
               group->block_bytes * pair->ratio == paged.block_tokens * pair->token_bytes;
    }
    return same;
}

static void draw_model(struct chance *chance)
{
    begin_model(UINT64_C(4) << drawn_below(chance, 4));
    paged.tp = 1u << drawn_below(chance, 4);
    struct kvc_layer_type palette[6] = { drawn_first_type() };
    for (size_t i = 1; i < 6; i++)
        palette[i] = drawn_type(chance);
    add(palette[0], 1);
    for (uint32_t n = drawn_below(chance, 40); n > 0; n--)
        add(palette[drawn_below(chance, 6)], 1 + drawn_below(chance, 3));
    chance_check(chance, kvc_shape_check(&builder.shape, NULL) == KVCAP_OK);
}

static void a_stage_is_what_a_walk_over_its_layers_finds(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int round = 0; round < 2000; round++) {
        draw_model(&chance);
        uint32_t all = builder.shape.layers_count;
        for (int i = 0; i < 8; i++) {
            uint32_t first = i == 0 ? 0 : drawn_below(&chance, all + 1);
            uint32_t layers = i == 0 ? all : drawn_below(&chance, all - first + 1);
            struct kvc_stage stage = stage_of(first, layers);
            struct walk walk = walk_layers(first, layers);
            chance_check(&chance, is_walked(&stage, &walk));
        }
    }
}

/* Takes a stage from what a walk over the whole model found, of which nothing must be left in the
 * end.  *met groups have been seen: a new one must be the next of the whole model's order. */
static bool take_away(struct walk *left, const struct kvc_stage *stage, uint32_t *met)
{
    if (stage->state_bytes > left->state_bytes)
        return false;
    left->state_bytes -= stage->state_bytes;
    for (uint32_t i = 0; i < stage->groups_count; i++) {
        const struct kvc_group *group = &stage->groups[i];
        struct pair *pair = pair_of(left, group->rule.window_tokens, group->compress_ratio);
        uint32_t index = (uint32_t)(pair - left->pairs);
        if (index > *met || group->token_bytes > pair->token_bytes || group->layers > pair->layers)
            return false;
        *met += index == *met;
        pair->token_bytes -= group->token_bytes;
        pair->layers -= group->layers;
    }
    return true;
}

static void stages_cut_anywhere_add_up_to_the_model(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int round = 0; round < 2000; round++) {
        draw_model(&chance);
        uint32_t all = builder.shape.layers_count, first = 0, met = 0;
        struct walk left = walk_layers(0, all);
        uint32_t pairs = left.pairs_count;
        while (first < all) {
            uint32_t layers = 1 + drawn_below(&chance, all - first);
            struct kvc_stage stage = stage_of(first, layers);
            chance_check(&chance, take_away(&left, &stage, &met));
            first += layers;
        }
        chance_check(&chance, met == pairs && left.pairs_count == pairs);
        chance_check(&chance, left.state_bytes == 0);
        for (uint32_t i = 0; i < pairs; i++)
            chance_check(&chance, left.pairs[i].token_bytes == 0 && left.pairs[i].layers == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_that_are_alike_are_one_group),
        cmocka_unit_test(one_rule_is_one_group_whatever_its_layers_weigh),
        cmocka_unit_test(groups_differ_by_window_and_by_ratio_and_are_in_order_of_first_layer),
        cmocka_unit_test(within_a_layer_groups_are_in_order_of_the_state),
        cmocka_unit_test(a_layer_with_two_states_in_a_group_counts_there_once),
        cmocka_unit_test(recurrent_state_is_summed_beside_the_groups),
        cmocka_unit_test(what_keeps_nothing_makes_no_group),
        cmocka_unit_test(draft_layers_are_in_no_sum),
        cmocka_unit_test(keys_and_values_are_not_compressed_whatever_the_field_says),
        cmocka_unit_test(ranks_divide_heads_and_repeat_latents),
        cmocka_unit_test(the_formats_of_the_contract_are_used),
        cmocka_unit_test(a_stage_has_the_layers_between_its_ends),
        cmocka_unit_test(a_ratio_must_divide_the_block),
        cmocka_unit_test(what_a_layer_refuses_the_stage_refuses),
        cmocka_unit_test(sums_past_64_bits_are_refused),
        cmocka_unit_test(a_full_arena_is_said),
        cmocka_unit_test(a_stage_is_what_a_walk_over_its_layers_finds),
        cmocka_unit_test(stages_cut_anywhere_add_up_to_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
