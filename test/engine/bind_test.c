/* Goal: an engine that a contract binds gives its own rules as plain numbers: groups, windows with what is
 * in flight, states, slots; and refuses a contract that says another thing than its settings.
 * Method: small models by hand, with the sum in the comment; a walk of every small window against the
 * allocator's own words; the longest sequence of a drawn model against what start-up asks for. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <string.h>

#include "engine/bind.h"
#include "engine/vllm.h"
#include "shape/shape.h"
#include "support/chance.h"

#define BUFFER_BYTES (8u << 20)

static char shape_buffer[BUFFER_BYTES], bind_buffer[BUFFER_BYTES];
static struct kvc_arena shape_arena, bind_arena;
static struct kvc_shape_builder builder;
static struct kvc_engine_model model;
static struct kvc_bind_terms terms;
static struct kvc_release release;
static struct kvc_bound bound;
static struct kvc_answer answer;
static kvcap_error err;

/* 512 bytes a token and KV head in f16: K and V of 128 */
static struct kvc_state kv(uint32_t heads)
{
    return (struct kvc_state){
        .kind = KVC_STATE_KV, .kv_heads = heads, .key_dim = 128, .value_dim = 128
    };
}

static struct kvc_state window(uint32_t heads, uint64_t tokens, bool chunked)
{
    struct kvc_state one = kv(heads);
    one.kind = KVC_STATE_KV_WINDOW;
    one.window_tokens = tokens;
    one.chunked = chunked;
    return one;
}

static void begin(const char *engine)
{
    kvc_arena_over(&shape_arena, shape_buffer, sizeof shape_buffer);
    kvc_shape_begin(&builder, &shape_arena);
    assert_int_equal(kvc_release_read(kvc_span_of(engine), "", &release, &err), KVCAP_OK);
    model = (struct kvc_engine_model){ .shape = &builder.shape,
                                       .family = kvc_span_of("llama"),
                                       .dtype = KVC_FORMAT_F16,
                                       .context_tokens = 131072,
                                       .query_heads = 32 };
    terms = (struct kvc_bind_terms){ .tp = 1,
                                     .pp = 1,
                                     .dcp = 1,
                                     .cache_k = KVC_FORMAT_F16,
                                     .cache_v = KVC_FORMAT_F16,
                                     .block_tokens = 16,
                                     .sequence_tokens_max = 32768,
                                     .step_tokens_max = 8192,
                                     .scheduler = kvc_span_of("test") };
}

static void add(struct kvc_state state, uint32_t count)
{
    struct kvc_layer_type type = { .states = { state }, .states_count = 1 };
    assert_true(kvc_shape_add(&builder, &type, count));
}

static kvcap_code try_bind(void)
{
    const struct kvc_bind_question question = { .model = &model,
                                                .release = &release,
                                                .day = release.day_min,
                                                .terms = &terms,
                                                .arena = &bind_arena };
    kvc_arena_over(&bind_arena, bind_buffer, sizeof bind_buffer);
    memset(&bound, 0, sizeof bound);
    memset(&err, 0, sizeof err);
    kvc_answer_begin(&answer, &bind_arena, false);
    return kvc_bind_of(release.engine)(&question, &answer, &bound, &err);
}

static void bind(void)
{
    if (try_bind() != KVCAP_OK)
        fail_msg("%s at %s: %s", err.slug, err.at, err.text);
    if (answer.decision != KVC_DECISION_NONE)
        fail_msg("%s: %.*s", kvc_decision_name(answer.decision),
                 answer.undetermined_count > 0 ? (int)answer.undetermined[0].reason.length : 0,
                 answer.undetermined_count > 0 ? answer.undetermined[0].reason.text : "");
}

/* ---- vLLM */

static void full_attention_holds_all(void **state)
{
    (void)state;
    begin("vllm@0.11.0");
    add(kv(8), 32);
    bind();
    assert_int_equal(bound.stages_count, 1);
    assert_int_equal(bound.stages[0].groups_count, 1);
    const struct kvc_group *group = &bound.stages[0].groups[0];
    assert_int_equal(group->rule.window_tokens, KVC_WINDOW_NONE);
    assert_int_equal(group->block_bytes, 32 * 16 * 8 * 512);
    assert_int_equal(group->token_bytes, 32 * 8 * 512);
    assert_int_equal(bound.stages[0].pool_block_bytes, group->block_bytes);
    assert_int_equal(bound.idle_blocks, 1); /* the null block */
    assert_false(bound.slots.said);
    assert_int_equal(bound.block_tokens, 16);
}

/* in_flight = 2 batches of 8,192 since the change of 2026-07-08, one before it; a window holds
 * window - 1 + in_flight tokens, and one block more for where it begins (engine/vllm_spec.h). */
static void a_window_holds_what_is_in_flight(void **state)
{
    static const struct {
        const char *engine;
        uint64_t window_tokens, blocks;
    } CASES[] = {
        { "vllm@0.11.0", 1024 + 8192, 1 + 576 },          /* 9,215 tokens in blocks of 16 */
        { "vllm@2026-08-17", 1024 + 2 * 8192, 1 + 1088 }, /* 17,407 tokens */
    };
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        begin(CASES[i].engine);
        add(window(8, 1024, false), 3);
        add(kv(8), 1);
        bind();
        assert_int_equal(bound.stages[0].groups_count, 4); /* one group a layer: 3 : 1 */
        uint32_t windows = 0;
        for (uint32_t g = 0; g < 4; g++) {
            const struct kvc_group *group = &bound.stages[0].groups[g];
            assert_int_equal(group->block_bytes, 16 * 8 * 512);
            if (group->rule.window_tokens == KVC_WINDOW_NONE)
                continue;
            windows++;
            assert_int_equal(group->rule.window_tokens, CASES[i].window_tokens);
            assert_int_equal(kvc_blocks_of_sequence(&group->rule, 32768).value, CASES[i].blocks);
            assert_int_equal(kvc_blocks_of_sequence(&group->rule, 100).value, 7);
        }
        assert_int_equal(windows, 3);
    }
}

/* A chunk begins on a block's edge: ceil((chunk + in_flight) / block), and never more than the tokens. */
static void chunks_hold_no_straddling_block(void **state)
{
    struct chance chance = chance_begin();
    (void)state;
    for (int i = 0; i < 300; i++) {
        uint64_t chunk = 1 + chance_below(&chance, 400), step = 1 + chance_below(&chance, 300);
        begin("vllm@0.11.0");
        terms.step_tokens_max = step;
        add(window(8, chunk, true), 1);
        add(kv(8), 1);
        bind();
        for (uint32_t g = 0; g < bound.stages[0].groups_count; g++) {
            const struct kvc_block_rule *rule = &bound.stages[0].groups[g].rule;
            if (rule->window_tokens == KVC_WINDOW_NONE)
                continue;
            for (uint64_t tokens = 1; tokens < 900; tokens += 1 + chance_below(&chance, 40)) {
                uint64_t kept = (chunk + step + 15) / 16, whole = (tokens + 15) / 16;
                chance_check(&chance, kvc_blocks_of_sequence(rule, tokens).value ==
                                          (whole < kept ? whole : kept));
            }
        }
    }
}

/* Speculation of 5 tokens: slots past the last, but never past max_model_len. */
static void speculation_looks_ahead(void **state)
{
    struct kvc_build b = { .arena = &shape_arena };
    (void)state;
    begin("vllm@0.11.0");
    add(kv(8), 2);
    struct kvc_value *settings = kvc_build_object(&b, NULL, NULL);
    kvc_build_text(&b, settings, "speculative_config",
                   kvc_span_of("{\"method\":\"ngram\",\"num_speculative_tokens\":5}"));
    terms.settings = settings;
    bind();
    const struct kvc_block_rule *rule = &bound.stages[0].groups[0].rule;
    assert_int_equal(rule->ahead_tokens, 5);
    assert_int_equal(kvc_blocks_of_sequence(rule, 16).value, 2);
    assert_int_equal(kvc_blocks_of_sequence(rule, 11).value, 1);
    assert_int_equal(kvc_blocks_of_sequence(rule, 32768).value, 2048);
}

/* Ranks that share a sequence's tokens fill one block of theirs together. */
static void context_parallel_ranks_share_tokens(void **state)
{
    (void)state;
    begin("vllm@0.11.0");
    add(kv(2), 4);
    terms.tp = 4;
    terms.dcp = 2;
    bind();
    const struct kvc_group *group = &bound.stages[0].groups[0];
    assert_int_equal(group->rule.block_tokens, 32);
    assert_int_equal(kvc_blocks_of_sequence(&group->rule, 33).value, 2);
    assert_int_equal(group->block_bytes, 4 * 16 * 1 * 512);
}

static void stages_have_their_layers(void **state)
{
    static const uint64_t LAYERS[] = { 3, 1 };
    (void)state;
    begin("vllm@0.11.0");
    add(kv(8), 4);
    terms.pp = 2;
    terms.pp_layers = LAYERS;
    bind();
    assert_int_equal(bound.stages_count, 2);
    assert_int_equal(bound.stages[0].groups[0].block_bytes, 3 * 16 * 8 * 512);
    assert_int_equal(bound.stages[1].groups[0].block_bytes, 1 * 16 * 8 * 512);
}

/* What a sequence of max_model_len holds by the rules is what start-up asks for, but for the block that a
 * window straddles where it is not yet full. */
static void the_longest_sequence_is_what_start_up_asks_for(void **state)
{
    struct chance chance = chance_begin();
    static const char *const ENGINES[] = { "vllm@0.9.0", "vllm@0.11.0", "vllm@2026-08-17" };
    (void)state;
    for (int i = 0; i < 300; i++) {
        begin(ENGINES[chance_below(&chance, 3)]);
        uint64_t kept = 64 + chance_below(&chance, 4096);
        terms.step_tokens_max = 1 + chance_below(&chance, 8192);
        uint32_t unit = 1 + (uint32_t)chance_below(&chance, 3);
        add(window(8, kept, false), unit * (1 + (uint32_t)chance_below(&chance, 4)));
        add(kv(8), unit);
        bind();
        uint64_t sum = 0;
        for (uint32_t g = 0; g < bound.stages[0].groups_count; g++)
            sum +=
                kvc_blocks_of_sequence(&bound.stages[0].groups[g].rule, terms.sequence_tokens_max)
                    .value;

        struct kvc_build b = { .arena = &bind_arena };
        struct kvc_value *given = kvc_build_object(&b, NULL, NULL);
        kvc_build_u64(&b, given, "max_model_len", terms.sequence_tokens_max);
        kvc_build_u64(&b, given, "max_num_batched_tokens", terms.step_tokens_max);
        struct kvc_settings *settings = kvc_arena_take(&bind_arena, sizeof *settings);
        struct kvc_engine_memory memory = { .given = false };
        kvc_settings_begin(settings, given, kvc_engine_vllm.settings,
                           kvc_engine_vllm.settings_count, "", &bind_arena, &err);
        struct kvc_engine_question question = { .model = &model,
                                                .day = release.day_min,
                                                .release = &release,
                                                .settings = settings,
                                                .memory = &memory,
                                                .arena = &bind_arena };
        kvc_answer_begin(&answer, &bind_arena, false);
        assert_int_equal(kvc_engine_vllm.fit(&question, &answer, &err), KVCAP_OK);
        chance_check(&chance, answer.reserved_sequence_bytes.said);
        chance_check(&chance, answer.reserved_sequence_bytes.value ==
                                  sum * bound.stages[0].pool_block_bytes);
    }
}

/* ---- Refusals */

static void assert_refused(const char *slug, const char *at)
{
    assert_int_not_equal(try_bind(), KVCAP_OK);
    assert_string_equal(err.slug, slug);
    assert_string_equal(err.at, at);
}

static void what_contradicts_is_named(void **state)
{
    struct kvc_build b = { .arena = &shape_arena };
    (void)state;
    begin("vllm@0.11.0");
    add(kv(8), 2);
    struct kvc_value *settings = kvc_build_object(&b, NULL, NULL);
    kvc_build_u64(&b, settings, "tensor_parallel_size", 2);
    terms.settings = settings;
    assert_refused("contract.settings", "/allocator/settings/tensor_parallel_size");

    settings = kvc_build_object(&b, NULL, NULL);
    kvc_build_text(&b, settings, "kv_cache_dtype", kvc_span_of("fp8"));
    terms.settings = settings;
    assert_refused("contract.settings", "/allocator/settings/kv_cache_dtype");
    terms.cache_k = terms.cache_v = KVC_FORMAT_FP8_E4M3; /* by its other name */
    bind();
    assert_int_equal(bound.stages[0].groups[0].token_bytes, 2 * 8 * 256);

    settings = kvc_build_object(&b, NULL, NULL);
    kvc_build_u64(&b, settings, "max_model_length", 4096);
    terms.settings = settings;
    assert_refused("usage.unknown_setting", "/allocator/settings/max_model_length");

    terms.settings = NULL;
    terms.cache_v = KVC_FORMAT_F16;
    assert_refused("contract.settings", "/cache/v");
    terms.cache_k = terms.cache_v = KVC_FORMAT_Q8_0;
    assert_refused("contract.settings", "/cache/k");
}

/* ---- llama.cpp */

static void settings_of(uint64_t n_ctx, uint64_t n_seq_max, bool unified)
{
    struct kvc_build b = { .arena = &shape_arena };
    struct kvc_value *settings = kvc_build_object(&b, NULL, NULL);
    kvc_build_u64(&b, settings, "n_ctx", n_ctx);
    kvc_build_u64(&b, settings, "n_seq_max", n_seq_max);
    kvc_build_bool(&b, settings, "kv_unified", unified);
    terms.settings = settings;
}

/* One pool: a cell a token, from n_ctx of them. */
static void unified_cells_are_shared(void **state)
{
    (void)state;
    begin("llama.cpp@0.4.0");
    add(kv(8), 4);
    settings_of(8192, 4, true);
    bind();
    assert_int_equal(bound.blocks.value, 8192);
    assert_int_equal(bound.block_tokens, 1);
    assert_int_equal(bound.slots.value, 4);
    assert_int_equal(bound.stages[0].groups[0].block_bytes, 4 * 8 * 512);
    assert_int_equal(bound.start_bytes[0], UINT64_C(8192) * 4 * 8 * 512);
    assert_int_equal(bound.sequence_tokens_max, 8192);
}

/* Else a sequence has a stream of n_ctx / n_seq_max cells to itself, whatever it holds. */
static void streams_are_whole(void **state)
{
    (void)state;
    begin("llama.cpp@0.4.0");
    add(kv(8), 4);
    settings_of(8192, 4, false);
    bind();
    assert_int_equal(bound.blocks.value, 4);
    assert_int_equal(bound.block_tokens, 2048);
    assert_int_equal(bound.stages[0].groups[0].block_bytes, UINT64_C(2048) * 4 * 8 * 512);
    assert_int_equal(kvc_blocks_of_sequence(&bound.stages[0].groups[0].rule, 1).value, 1);
    assert_int_equal(bound.sequence_tokens_max, 2048);
}

static void layers_lie_whole_on_devices(void **state)
{
    static const uint64_t LAYERS[] = { 3, 1 };
    (void)state;
    begin("llama.cpp@0.4.0");
    add(kv(8), 4);
    settings_of(8192, 4, true);
    terms.pp = 2;
    terms.pp_layers = LAYERS;
    bind();
    assert_int_equal(bound.stages[0].groups[0].block_bytes, 3 * 8 * 512);
    assert_int_equal(bound.stages[1].groups[0].block_bytes, 1 * 8 * 512);
    terms.pp = 1;
    terms.pp_layers = NULL;
    terms.tp = 2;
    assert_refused("contract.settings", "/parallel/tp");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_attention_holds_all),
        cmocka_unit_test(a_window_holds_what_is_in_flight),
        cmocka_unit_test(chunks_hold_no_straddling_block),
        cmocka_unit_test(speculation_looks_ahead),
        cmocka_unit_test(context_parallel_ranks_share_tokens),
        cmocka_unit_test(stages_have_their_layers),
        cmocka_unit_test(the_longest_sequence_is_what_start_up_asks_for),
        cmocka_unit_test(what_contradicts_is_named),
        cmocka_unit_test(unified_cells_are_shared),
        cmocka_unit_test(streams_are_whole),
        cmocka_unit_test(layers_lie_whole_on_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
