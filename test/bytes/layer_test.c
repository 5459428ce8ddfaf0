/* Goal: each kind of state weighs on each rank what the records say, and what cannot be divided or
 * held is refused at its place.
 * Method: heads are dealt to ranks one by one, for all small counts; weights are sums by hand of
 * published layers; refusals are listed with slug and pointer. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>

#include "bytes/layer.h"

#define K "/cache/k"
#define V "/cache/v"

static const struct kvc_cache F16 = { .k = KVC_FORMAT_F16,
                                      .v = KVC_FORMAT_F16,
                                      .dtype = KVC_FORMAT_F16 };
static const struct kvc_cache DS_MLA = { .k = KVC_FORMAT_FP8_DS_MLA,
                                         .v = KVC_FORMAT_FP8_DS_MLA,
                                         .dtype = KVC_FORMAT_BF16 };

static struct kvc_cache cache_of(enum kvc_format k, enum kvc_format v)
{
    return (struct kvc_cache){ .k = k, .v = v, .dtype = KVC_FORMAT_BF16 };
}

static struct kvc_state kv(uint32_t kv_heads, uint32_t key_dim, uint32_t value_dim)
{
    return (struct kvc_state){
        .kind = KVC_STATE_KV, .kv_heads = kv_heads, .key_dim = key_dim, .value_dim = value_dim
    };
}

static struct kvc_state latent(uint32_t latent_dim, uint32_t rope_dim)
{
    return (struct kvc_state){ .kind = KVC_STATE_LATENT,
                               .latent_dim = latent_dim,
                               .rope_dim = rope_dim,
                               .compress_ratio = 1 };
}

static struct kvc_state indexer(uint32_t index_dim, bool fp8, uint32_t value_dim)
{
    return (struct kvc_state){ .kind = KVC_STATE_INDEX,
                               .index_dim = index_dim,
                               .index_fp8 = fp8,
                               .value_dim = value_dim,
                               .compress_ratio = 1 };
}

static struct kvc_weight weigh(struct kvc_state one, struct kvc_cache cache, uint32_t tp)
{
    struct kvc_weight weight = { 77, 88 };
    kvcap_error err = { 0 };
    if (kvc_state_weight(&one, &cache, tp, &weight, &err) != KVCAP_OK)
        fail_msg("%s at %s", err.text, err.at);
    return weight;
}

/* A state that keeps rows keeps nothing else. */
static uint64_t token_bytes(struct kvc_state one, struct kvc_cache cache, uint32_t tp)
{
    struct kvc_weight weight = weigh(one, cache, tp);
    assert_int_equal(weight.state_bytes, 0);
    return weight.token_bytes;
}

static void assert_refused(struct kvc_state one, struct kvc_cache cache, uint32_t tp,
                           kvcap_code code, const char *slug, const char *at)
{
    struct kvc_weight weight = { 77, 88 };
    kvcap_error err = { 0 };
    assert_int_equal(kvc_state_weight(&one, &cache, tp, &weight, &err), code);
    assert_int_equal(err.code, code);
    assert_string_equal(err.slug, slug);
    assert_string_equal(err.at, at);
    assert_int_equal(kvc_state_weight(&one, &cache, tp, &weight, NULL), code);
    assert_int_equal(weight.token_bytes, 77);
    assert_int_equal(weight.state_bytes, 88);
}

static void assert_contract(struct kvc_state one, struct kvc_cache cache, const char *slug,
                            const char *at)
{
    assert_refused(one, cache, 1, KVCAP_E_CONTRACT, slug, at);
}

#define NOT_FOR_STATE "contract.format_not_for_state"

/* ---- Heads and ranks ----------------------------------------------------------------------- */

#define HEADS_MAX 40

/* Ranks take a head each in turn, as often as it takes that no head is left over and no rank goes
 * without.  0: some rank would keep more heads than another, or one head more copies. */
static uint32_t deal(uint32_t heads, uint32_t tp)
{
    uint32_t on_rank[HEADS_MAX] = { 0 }, copies[HEADS_MAX] = { 0 };
    uint32_t turns = heads > tp ? heads : tp;
    for (uint32_t turn = 0; turn < turns; turn++) {
        on_rank[turn % tp]++;
        copies[turn % heads]++;
    }
    for (uint32_t rank = 1; rank < tp; rank++) {
        if (on_rank[rank] != on_rank[0])
            return 0;
    }
    for (uint32_t head = 1; head < heads; head++) {
        if (copies[head] != copies[0])
            return 0;
    }
    return on_rank[0];
}

static void heads_are_dealt_evenly_or_refused(void **state)
{
    (void)state;
    for (uint32_t heads = 1; heads <= HEADS_MAX; heads++) {
        for (uint32_t tp = 1; tp <= HEADS_MAX; tp++) {
            uint32_t on_rank = 77, expected = deal(heads, tp);
            kvcap_error err = { 0 };
            kvcap_code rc = kvc_heads_on_rank(heads, tp, &on_rank, &err);
            if (expected > 0) {
                assert_int_equal(rc, KVCAP_OK);
                assert_int_equal(on_rank, expected);
            } else {
                assert_int_equal(rc, KVCAP_E_CONTRACT);
                assert_string_equal(err.slug, "contract.tp_does_not_divide");
                assert_string_equal(err.at, "/parallel/tp");
                assert_int_equal(on_rank, 77);
            }
        }
    }
}

static void more_heads_than_ranks_are_divided_and_fewer_are_repeated(void **state)
{
    (void)state;
    /* MHA, 32 heads of 128 in f16: 2 * 32 * 128 * 2 on one rank. */
    assert_int_equal(token_bytes(kv(32, 128, 128), F16, 1), 16384);
    assert_int_equal(token_bytes(kv(32, 128, 128), F16, 8), 2048);
    assert_int_equal(token_bytes(kv(32, 128, 128), F16, 32), 512);
    /* GQA, 8 heads: as many as the 8 ranks; at 16 each head is kept twice. */
    assert_int_equal(token_bytes(kv(8, 128, 128), F16, 1), 4096);
    assert_int_equal(token_bytes(kv(8, 128, 128), F16, 2), 2048);
    assert_int_equal(token_bytes(kv(8, 128, 128), F16, 8), 512);
    assert_int_equal(token_bytes(kv(8, 128, 128), F16, 16), 512);
    /* MQA, 1 head: every rank keeps it whole. */
    for (uint32_t tp = 1; tp <= 64; tp++)
        assert_int_equal(token_bytes(kv(1, 64, 64), F16, tp), 256);
    assert_refused(kv(8, 128, 128), F16, 3, KVCAP_E_CONTRACT, "contract.tp_does_not_divide",
                   "/parallel/tp");
    assert_refused(kv(4, 128, 128), F16, 6, KVCAP_E_CONTRACT, "contract.tp_does_not_divide",
                   "/parallel/tp");
}

static void the_sentence_names_both_counts(void **state)
{
    (void)state;
    uint32_t on_rank;
    kvcap_error err = { 0 };
    assert_int_equal(kvc_heads_on_rank(8, 3, &on_rank, &err), KVCAP_E_CONTRACT);
    assert_string_equal(err.text, "tp 3 neither divides 8 KV heads nor is a multiple of them");
}

/* ---- Keys and values ----------------------------------------------------------------------- */

static void keys_and_values_have_their_own_widths_and_formats(void **state)
{
    (void)state;
    /* 16 heads of 192 + 128 elements (multi-head DeepSeek): 16 * 320 * 2 */
    assert_int_equal(token_bytes(kv(16, 192, 128), F16, 1), 10240);
    /* K f32: 16 * 192 * 4 = 12288; V fp8: 16 * 128 = 2048 */
    assert_int_equal(
        token_bytes(kv(16, 192, 128), cache_of(KVC_FORMAT_F32, KVC_FORMAT_FP8_E4M3), 1), 14336);
    /* the other way round: 3072 + 8192 */
    assert_int_equal(
        token_bytes(kv(16, 192, 128), cache_of(KVC_FORMAT_FP8_E4M3, KVC_FORMAT_F32), 1), 11264);
    /* 8 heads of 128: q8_0 32 * 34 = 1088, q4_0 32 * 18 = 576 */
    assert_int_equal(token_bytes(kv(8, 128, 128), cache_of(KVC_FORMAT_Q8_0, KVC_FORMAT_Q4_0), 1),
                     1664);
    /* scales go with the heads of the rank: 2 * (4 * 128 + 4 * 4) */
    assert_int_equal(token_bytes(kv(8, 128, 128),
                                 cache_of(KVC_FORMAT_INT8_TOKEN_HEAD, KVC_FORMAT_FP8_TOKEN_HEAD),
                                 2),
                     1056);
}

static void a_window_changes_no_row(void **state)
{
    (void)state;
    struct kvc_state window = kv(16, 128, 128);
    window.kind = KVC_STATE_KV_WINDOW;
    window.window_tokens = 1024;
    assert_int_equal(token_bytes(window, F16, 1), 8192);
    assert_int_equal(token_bytes(window, F16, 4), 2048);
    window.chunked = true;
    assert_int_equal(token_bytes(window, F16, 4), 2048);
}

static void a_row_that_the_format_does_not_divide_is_refused_where_it_was_named(void **state)
{
    (void)state;
    struct kvc_cache q8 = cache_of(KVC_FORMAT_Q8_0, KVC_FORMAT_Q8_0);
    assert_contract(kv(1, 80, 128), q8, "contract.format_does_not_divide", K);
    assert_contract(kv(1, 128, 80), q8, "contract.format_does_not_divide", V);
    assert_contract(latent(512, 65), q8, "contract.format_does_not_divide", K);
    assert_contract(indexer(65, false, 0), q8, "contract.format_does_not_divide", K);
    assert_contract(indexer(65, false, 64), q8, "contract.format_does_not_divide", K);
    assert_contract(indexer(64, false, 65), q8, "contract.format_does_not_divide", V);
    /* 2 heads of 80 are whole groups, 1 is not: what a rank keeps decides */
    assert_int_equal(token_bytes(kv(2, 80, 80), q8, 1), 340);
    assert_refused(kv(2, 80, 80), q8, 2, KVCAP_E_CONTRACT, "contract.format_does_not_divide", K);
}

static void fp8_ds_mla_holds_no_keys_and_values_by_heads(void **state)
{
    (void)state;
    struct kvc_cache k_only = cache_of(KVC_FORMAT_FP8_DS_MLA, KVC_FORMAT_F16);
    struct kvc_cache v_only = cache_of(KVC_FORMAT_F16, KVC_FORMAT_FP8_DS_MLA);
    assert_contract(kv(8, 128, 128), DS_MLA, NOT_FOR_STATE, K);
    assert_contract(kv(8, 128, 128), k_only, NOT_FOR_STATE, K);
    assert_contract(kv(8, 128, 128), v_only, NOT_FOR_STATE, V);
    struct kvc_state window = kv(8, 128, 128);
    window.kind = KVC_STATE_KV_WINDOW;
    window.window_tokens = 128;
    assert_contract(window, v_only, NOT_FOR_STATE, V);
}

/* ---- Latents and indexers ------------------------------------------------------------------ */

static void a_latent_is_one_row_of_k_and_whole_on_every_rank(void **state)
{
    (void)state;
    for (uint32_t tp = 1; tp <= 16; tp++) {
        assert_int_equal(token_bytes(latent(512, 64), F16, tp), 1152); /* 576 * 2 */
        assert_int_equal(token_bytes(latent(512, 0), F16, tp), 1024);
        assert_int_equal(token_bytes(latent(512, 64), DS_MLA, tp), 656);
        assert_int_equal(token_bytes(latent(448, 64), DS_MLA, tp), 584);
    }
    /* V names another format and adds nothing; one head has one scale. */
    assert_int_equal(token_bytes(latent(512, 64), cache_of(KVC_FORMAT_FP8_E4M3, KVC_FORMAT_F32), 2),
                     576);
    assert_int_equal(
        token_bytes(latent(512, 64), cache_of(KVC_FORMAT_INT8_TOKEN_HEAD, KVC_FORMAT_F32), 2), 580);
    struct kvc_state compressed = latent(512, 64);
    compressed.compress_ratio = 4; /* a stored row is whole: the ratio is the group's */
    compressed.window_tokens = 128;
    assert_int_equal(token_bytes(compressed, F16, 1), 1152);
}

static void fp8_ds_mla_holds_two_latents_and_no_other(void **state)
{
    (void)state;
    assert_contract(latent(512, 0), DS_MLA, NOT_FOR_STATE, K);
    assert_contract(latent(576, 0), DS_MLA, NOT_FOR_STATE, K);
    assert_contract(latent(256, 64), DS_MLA, NOT_FOR_STATE, K);
}

static void token_bytes_that_were_declared_must_be_those_of_the_latent(void **state)
{
    (void)state;
    struct kvc_cache declared = DS_MLA;
    declared.latent_token_bytes = 656;
    assert_int_equal(token_bytes(latent(512, 64), declared, 1), 656);
    assert_contract(latent(448, 64), declared, "contract.format_layout", "/cache/k/token_bytes");
    declared.latent_token_bytes = 584;
    assert_int_equal(token_bytes(latent(448, 64), declared, 1), 584);
    assert_contract(latent(512, 64), declared, "contract.format_layout", "/cache/k/token_bytes");
    declared.k = KVC_FORMAT_F16; /* of no concern to a format of groups */
    assert_int_equal(token_bytes(latent(512, 64), declared, 1), 1152);
}

static void an_indexer_keeps_keys_and_may_keep_values_of_one_head(void **state)
{
    (void)state;
    for (uint32_t tp = 1; tp <= 8; tp++) {
        assert_int_equal(token_bytes(indexer(128, false, 0), F16, tp), 256);
        assert_int_equal(token_bytes(indexer(128, true, 0), F16, tp), 132);
        assert_int_equal(token_bytes(indexer(128, false, 64), F16, tp), 384); /* 256 + 128 */
        assert_int_equal(token_bytes(indexer(128, true, 64), F16, tp), 260);  /* 132 + 128 */
    }
    assert_int_equal(token_bytes(indexer(128, false, 1), F16, 1), 258); /* the least value */
    struct kvc_cache mixed = cache_of(KVC_FORMAT_F32, KVC_FORMAT_FP8_E5M2);
    assert_int_equal(token_bytes(indexer(128, false, 64), mixed, 1), 576); /* 512 + 64 */
}

static void an_indexer_beside_fp8_ds_mla_needs_its_own_format(void **state)
{
    (void)state;
    assert_int_equal(token_bytes(indexer(128, true, 0), DS_MLA, 1), 132);
    assert_contract(indexer(128, false, 0), DS_MLA, NOT_FOR_STATE, K);
    assert_contract(indexer(128, true, 64), DS_MLA, NOT_FOR_STATE, V);
    assert_contract(indexer(128, true, 1), DS_MLA, NOT_FOR_STATE, V);
    struct kvc_cache k_only = cache_of(KVC_FORMAT_FP8_DS_MLA, KVC_FORMAT_F16);
    struct kvc_cache v_only = cache_of(KVC_FORMAT_F16, KVC_FORMAT_FP8_DS_MLA);
    assert_contract(indexer(128, false, 64), k_only, NOT_FOR_STATE, K);
    assert_contract(indexer(128, false, 64), v_only, NOT_FOR_STATE, V);
    assert_int_equal(token_bytes(indexer(128, true, 64), k_only, 1), 260);
    assert_int_equal(token_bytes(indexer(128, false, 0), v_only, 1), 256); /* V is not asked */
}

/* ---- The other kinds ----------------------------------------------------------------------- */

static void recurrent_state_weighs_a_sequence_and_no_token(void **state)
{
    (void)state;
    struct kvc_state mamba = { .kind = KVC_STATE_RECURRENT,
                               .rule = KVC_RULE_MAMBA1,
                               .dims = { 4, 64, 16 } };
    struct kvc_weight weight = weigh(mamba, F16, 2);
    assert_int_equal(weight.token_bytes, 0);
    assert_int_equal(weight.state_bytes, 1216); /* (3 * 32 + 32 * 16) * 2 */
    weight = weigh(mamba, cache_of(KVC_FORMAT_Q8_0, KVC_FORMAT_Q8_0), 2);
    assert_int_equal(weight.state_bytes, 1216); /* of the dtype, bf16, not of the cache */
    assert_refused(mamba, F16, 3, KVCAP_E_CONTRACT, "contract.tp_does_not_divide", "/parallel/tp");
}

static void state_that_keeps_nothing_here_weighs_nothing(void **state)
{
    (void)state;
    static const enum kvc_state_kind KINDS[] = { KVC_STATE_CROSS, KVC_STATE_SHARED, KVC_STATE_NONE,
                                                 KVC_STATE_UNKNOWN };
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        struct kvc_state one = kv(8, 128, 128);
        one.kind = KINDS[i];
        struct kvc_weight weight = weigh(one, DS_MLA, 3); /* nothing to divide, nothing to hold */
        assert_int_equal(weight.token_bytes, 0);
        assert_int_equal(weight.state_bytes, 0);
    }
}

/* ---- The edge of 64 bits ------------------------------------------------------------------- */

static void rows_past_64_bits_are_refused(void **state)
{
    (void)state;
    const uint32_t most = UINT32_MAX; /* most * most = 2^64 - 2^33 + 1 */
    struct kvc_cache fp8 = cache_of(KVC_FORMAT_FP8_E4M3, KVC_FORMAT_FP8_E4M3);
    assert_refused(kv(most, most, 1), F16, 1, KVCAP_E_RANGE, "range.overflow", "bytes of a row");
    assert_refused(kv(most, 1, most), F16, 1, KVCAP_E_RANGE, "range.overflow", "bytes of a row");
    assert_refused(kv(most, most, most), fp8, 1, KVCAP_E_RANGE, "range.overflow",
                   "bytes of a token");
    assert_int_equal(token_bytes(kv(most, most, 1), fp8, 1),
                     UINT64_MAX - 2 * (UINT64_C(1) << 32) + 2 + most);
    /* 2 * (2^32 - 1) elements of 4 bytes: no sum of 32 bits */
    assert_int_equal(token_bytes(latent(most, most), cache_of(KVC_FORMAT_F32, KVC_FORMAT_F32), 1),
                     UINT64_C(8) * most);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_are_dealt_evenly_or_refused),
        cmocka_unit_test(more_heads_than_ranks_are_divided_and_fewer_are_repeated),
        cmocka_unit_test(the_sentence_names_both_counts),
        cmocka_unit_test(keys_and_values_have_their_own_widths_and_formats),
        cmocka_unit_test(a_window_changes_no_row),
        cmocka_unit_test(a_row_that_the_format_does_not_divide_is_refused_where_it_was_named),
        cmocka_unit_test(fp8_ds_mla_holds_no_keys_and_values_by_heads),
        cmocka_unit_test(a_latent_is_one_row_of_k_and_whole_on_every_rank),
        cmocka_unit_test(fp8_ds_mla_holds_two_latents_and_no_other),
        cmocka_unit_test(token_bytes_that_were_declared_must_be_those_of_the_latent),
        cmocka_unit_test(an_indexer_keeps_keys_and_may_keep_values_of_one_head),
        cmocka_unit_test(an_indexer_beside_fp8_ds_mla_needs_its_own_format),
        cmocka_unit_test(recurrent_state_weighs_a_sequence_and_no_token),
        cmocka_unit_test(state_that_keeps_nothing_here_weighs_nothing),
        cmocka_unit_test(rows_past_64_bits_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
