/* Goal: each rule of recurrent state weighs what its layer keeps, on each of tp ranks.
 * Method: sums by hand of published models at several tp; all small dims of every rule against the
 * shapes of the tensors that a serving engine allocates, written as lists of factors; and the sum
 * over the ranks of what is divided, which must be the whole. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>

#include "bytes/recurrent.h"
#include "support/chance.h"

#define UNTOUCHED UINT64_C(0xDEADBEEF)

static struct kvc_state of_rule(enum kvc_rule rule, const uint32_t *dims)
{
    struct kvc_state one = { .kind = KVC_STATE_RECURRENT, .rule = rule };
    for (unsigned i = 0; i < KVC_RULE_DIMS_MAX; i++)
        one.dims[i] = dims[i];
    return one;
}

static void assert_refused(const struct kvc_state *one, enum kvc_format dtype, uint32_t tp,
                           kvcap_code code, const char *slug, const char *at)
{
    uint64_t bytes = UNTOUCHED;
    kvcap_error err = { 0 };
    assert_int_equal(kvc_recurrent_bytes(one, dtype, tp, &bytes, &err), code);
    assert_int_equal(err.code, code);
    assert_string_equal(err.slug, slug);
    assert_string_equal(err.at, at);
    assert_int_equal(kvc_recurrent_bytes(one, dtype, tp, &bytes, NULL), code);
    assert_int_equal(bytes, UNTOUCHED);
}

static void assert_uneven(const struct kvc_state *one, uint32_t tp)
{
    assert_refused(one, KVC_FORMAT_F16, tp, KVCAP_E_CONTRACT, "contract.tp_does_not_divide",
                   "/parallel/tp");
}

/* ---- By hand ------------------------------------------------------------------------------- */

/* Elements of one layer; conv kept in 2 bytes, state in 4, so that neither can pass for the
 * other. */
static const struct by_hand {
    const char *name;
    enum kvc_rule rule;
    uint32_t dims[KVC_RULE_DIMS_MAX], tp;
    uint64_t conv, state;
} BY_HAND[] = {
    /* Nemotron-H-8B, mamba2: k 4, I 8192, g 8, N 128, h 128, d 64.  3 * (8192 + 2*8*128 = 10240);
     * 128 * 64 * 128. */
    { "Nemotron-H-8B", KVC_RULE_MAMBA2, { 4, 8192, 8, 128, 128, 64 }, 1, 30720, 1048576 },
    { "Nemotron-H-8B", KVC_RULE_MAMBA2, { 4, 8192, 8, 128, 128, 64 }, 2, 15360, 524288 },
    { "Nemotron-H-8B", KVC_RULE_MAMBA2, { 4, 8192, 8, 128, 128, 64 }, 4, 7680, 262144 },
    { "Nemotron-H-8B", KVC_RULE_MAMBA2, { 4, 8192, 8, 128, 128, 64 }, 8, 3840, 131072 },
    /* at 16 ranks 8 groups are kept as 16: 3 * (8192 + 2*16*128) / 16; 128/16 * 64 * 128 */
    { "Nemotron-H-8B", KVC_RULE_MAMBA2, { 4, 8192, 8, 128, 128, 64 }, 16, 2304, 65536 },
    /* Mamba-2 2.7B: I 5120, one group, h 80: 3 * (5120 + 256); 80 * 64 * 128 */
    { "mamba2-2.7b", KVC_RULE_MAMBA2, { 4, 5120, 1, 128, 80, 64 }, 1, 16128, 655360 },
    /* two ranks keep the group twice: 3 * (5120 + 2*2*128) / 2; 40 * 64 * 128 */
    { "mamba2-2.7b", KVC_RULE_MAMBA2, { 4, 5120, 1, 128, 80, 64 }, 2, 8448, 327680 },
    { "mamba2-2.7b", KVC_RULE_MAMBA2, { 4, 5120, 1, 128, 80, 64 }, 8, 2688, 81920 },
    /* 3 groups on 2 ranks: g' = 2, one each: 1 * (4 + 2*2*1) / 2; 1 * 1 * 1 */
    { "three groups", KVC_RULE_MAMBA2, { 2, 4, 3, 1, 2, 1 }, 2, 4, 1 },
    /* Qwen3-Next-80B-A3B: k 4, 16 key heads and 32 value heads of 128: 3 * (2*2048 + 4096);
     * 32 * 128 * 128 */
    { "Qwen3-Next", KVC_RULE_GATED_DELTA_NET, { 4, 16, 128, 32, 128 }, 1, 24576, 524288 },
    { "Qwen3-Next", KVC_RULE_GATED_DELTA_NET, { 4, 16, 128, 32, 128 }, 2, 12288, 262144 },
    { "Qwen3-Next", KVC_RULE_GATED_DELTA_NET, { 4, 16, 128, 32, 128 }, 4, 6144, 131072 },
    { "Qwen3-Next", KVC_RULE_GATED_DELTA_NET, { 4, 16, 128, 32, 128 }, 8, 3072, 65536 },
    /* unlike key and value: 2 * (2*3*5 + 4*7 = 58) / 2; 4/2 * 7 * 5 */
    { "unlike widths", KVC_RULE_GATED_DELTA_NET, { 3, 3, 5, 4, 7 }, 2, 58, 70 },
    /* Jamba v0.1, mamba1: k 4, I 2 * 4096, N 16: 3 * 8192; 8192 * 16 */
    { "Jamba", KVC_RULE_MAMBA1, { 4, 8192, 16 }, 1, 24576, 131072 },
    { "Jamba", KVC_RULE_MAMBA1, { 4, 8192, 16 }, 2, 12288, 65536 },
    { "Jamba", KVC_RULE_MAMBA1, { 4, 8192, 16 }, 4, 6144, 32768 },
    { "Jamba", KVC_RULE_MAMBA1, { 4, 8192, 16 }, 8, 3072, 16384 },
    /* Kimi-Linear-48B-A3B: k 4, 32 heads of 128: 3 * 3*4096; 32 * 128 * 128 */
    { "Kimi-Linear", KVC_RULE_KDA, { 4, 32, 128 }, 1, 36864, 524288 },
    { "Kimi-Linear", KVC_RULE_KDA, { 4, 32, 128 }, 2, 18432, 262144 },
    { "Kimi-Linear", KVC_RULE_KDA, { 4, 32, 128 }, 4, 9216, 131072 },
    { "Kimi-Linear", KVC_RULE_KDA, { 4, 32, 128 }, 8, 4608, 65536 },
    /* MiniMax-Text-01: 64 heads of 128: no convolution; 64 * 128 * 128 */
    { "MiniMax-Text-01", KVC_RULE_LINEAR, { 64, 128 }, 1, 0, 1048576 },
    { "MiniMax-Text-01", KVC_RULE_LINEAR, { 64, 128 }, 2, 0, 524288 },
    { "MiniMax-Text-01", KVC_RULE_LINEAR, { 64, 128 }, 4, 0, 262144 },
    { "MiniMax-Text-01", KVC_RULE_LINEAR, { 64, 128 }, 8, 0, 131072 },
    /* LFM2-1.2B: k 3, I 2048: 2 * 2048; no state */
    { "LFM2", KVC_RULE_SHORT_CONV, { 3, 2048 }, 1, 4096, 0 },
    { "LFM2", KVC_RULE_SHORT_CONV, { 3, 2048 }, 2, 2048, 0 },
    { "LFM2", KVC_RULE_SHORT_CONV, { 3, 2048 }, 4, 1024, 0 },
    { "LFM2", KVC_RULE_SHORT_CONV, { 3, 2048 }, 8, 512, 0 },
    /* RWKV-5-World-3B: two shifts of 2560; 2560 * 64.  Not divided. */
    { "RWKV-5-3B", KVC_RULE_RWKV, { 2, 2560, 64 }, 1, 5120, 163840 },
    { "RWKV-5-3B", KVC_RULE_RWKV, { 2, 2560, 64 }, 2, 5120, 163840 },
    { "RWKV-5-3B", KVC_RULE_RWKV, { 2, 2560, 64 }, 7, 5120, 163840 },
    /* counted by somebody */
    { "plain", KVC_RULE_PLAIN, { 120, 4800 }, 1, 120, 4800 },
    { "plain", KVC_RULE_PLAIN, { 120, 4800 }, 2, 60, 2400 },
    { "plain", KVC_RULE_PLAIN, { 120, 4800 }, 4, 30, 1200 },
    { "plain", KVC_RULE_PLAIN, { 120, 4800 }, 8, 15, 600 },
    /* a kernel of 1 looks at nothing before */
    { "kernel of 1", KVC_RULE_MAMBA1, { 1, 64, 16 }, 2, 0, 512 },
    { "kernel of 1", KVC_RULE_MAMBA2, { 1, 64, 2, 8, 4, 16 }, 2, 0, 256 },
    { "kernel of 1", KVC_RULE_GATED_DELTA_NET, { 1, 2, 8, 4, 16 }, 2, 0, 256 },
    { "kernel of 1", KVC_RULE_KDA, { 1, 4, 8 }, 2, 0, 128 },
    { "kernel of 1", KVC_RULE_SHORT_CONV, { 1, 64 }, 2, 0, 0 },
};

static void published_models_weigh_the_sums_done_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof BY_HAND / sizeof *BY_HAND; i++) {
        const struct by_hand *row = &BY_HAND[i];
        struct kvc_state one = of_rule(row->rule, row->dims);
        one.conv_format = KVC_FORMAT_BF16;
        one.state_format = KVC_FORMAT_F32;
        uint64_t bytes = UNTOUCHED;
        assert_int_equal(kvc_recurrent_bytes(&one, KVC_FORMAT_Q8_0, row->tp, &bytes, NULL),
                         KVCAP_OK);
        if (bytes != row->conv * 2 + row->state * 4)
            fail_msg("%s at tp %u: %llu", row->name, (unsigned)row->tp, (unsigned long long)bytes);
    }
}

static void tp_that_does_not_divide_is_refused(void **state)
{
    (void)state;
    static const struct {
        enum kvc_rule rule;
        uint32_t dims[KVC_RULE_DIMS_MAX], tp;
    } CASES[] = {
        { KVC_RULE_PLAIN, { 3, 4 }, 2 },              /* conv */
        { KVC_RULE_PLAIN, { 4, 3 }, 2 },              /* state */
        { KVC_RULE_MAMBA1, { 4, 8192, 16 }, 3 },      /* I */
        { KVC_RULE_MAMBA2, { 4, 9, 2, 1, 2, 1 }, 2 }, /* I + 2 g N = 13 */
        { KVC_RULE_MAMBA2, { 4, 8, 2, 1, 3, 1 }, 2 }, /* h */
        { KVC_RULE_MAMBA2, { 4, 8192, 8, 128, 128, 64 }, 3 },
        { KVC_RULE_GATED_DELTA_NET, { 4, 1, 1, 2, 1 }, 4 }, /* h, the channels divide: 4 */
        { KVC_RULE_GATED_DELTA_NET, { 4, 1, 1, 3, 1 }, 3 }, /* the channels, 5 */
        { KVC_RULE_GATED_DELTA_NET, { 4, 16, 128, 32, 128 }, 5 },
        { KVC_RULE_KDA, { 4, 3, 128 }, 2 }, /* heads, though 3 * 128 divides */
        { KVC_RULE_LINEAR, { 3, 128 }, 2 },
        { KVC_RULE_SHORT_CONV, { 3, 2049 }, 2 },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct kvc_state one = of_rule(CASES[i].rule, CASES[i].dims);
        assert_uneven(&one, CASES[i].tp);
    }
}

static void the_sentence_names_tp_and_the_first_count_it_does_not_divide(void **state)
{
    (void)state;
    static const uint32_t DIMS[] = { 7, 8, 0, 0, 0, 0 };
    struct kvc_state one = of_rule(KVC_RULE_PLAIN, DIMS);
    uint64_t bytes;
    kvcap_error err = { 0 };
    assert_int_equal(kvc_recurrent_bytes(&one, KVC_FORMAT_F16, 3, &bytes, &err), KVCAP_E_CONTRACT);
    assert_string_equal(err.text, "tp 3 does not divide 7 of a plain state");
}

/* ---- Against the shapes of the tensors ------------------------------------------------------ */

/* A tensor as its extents; one of them is divided among the ranks, unless none is. */
struct tensor {
    uint64_t extents[3]; /* 0 ends them */
    bool is_divided;     /* the first extent is */
};

static bool elements_of(const struct tensor *tensor, uint32_t tp, uint64_t *ret_elements)
{
    uint64_t elements = tensor->extents[0];
    if (tensor->is_divided && elements % tp != 0)
        return false;
    if (tensor->is_divided)
        elements /= tp;
    for (size_t i = 1; i < 3; i++)
        elements *= tensor->extents[i];
    *ret_elements = elements;
    return true;
}

/* What a layer of the rule allocates: the inputs that its convolution looks back at, and its
 * state. */
static void tensors_of(enum kvc_rule rule, const uint32_t *d, uint32_t tp, struct tensor *conv,
                       struct tensor *state)
{
    const struct tensor nothing = { { 0, 1, 1 }, false };
    uint64_t groups = rule == KVC_RULE_MAMBA2 && d[2] % tp != 0 ? tp : d[2];
    *conv = *state = nothing;
    switch (rule) {
    case KVC_RULE_MAMBA1:
        *conv = (struct tensor){ { d[1], d[0] - 1, 1 }, true };
        *state = (struct tensor){ { d[1], d[2], 1 }, true };
        break;
    case KVC_RULE_MAMBA2:
        *conv = (struct tensor){ { d[1] + 2 * groups * d[3], d[0] - 1, 1 }, true };
        *state = (struct tensor){ { d[4], d[5], d[3] }, true };
        break;
    case KVC_RULE_GATED_DELTA_NET:
        *conv = (struct tensor){ { 2 * d[1] * d[2] + d[3] * d[4], d[0] - 1, 1 }, true };
        *state = (struct tensor){ { d[3], d[4], d[2] }, true };
        break;
    case KVC_RULE_KDA:
        *conv = (struct tensor){ { d[1], d[2] * 3, d[0] - 1 }, true };
        *state = (struct tensor){ { d[1], d[2], d[2] }, true };
        break;
    case KVC_RULE_LINEAR:
        *state = (struct tensor){ { d[0], d[1], d[1] }, true };
        break;
    case KVC_RULE_SHORT_CONV:
        *conv = (struct tensor){ { d[1], d[0] - 1, 1 }, true };
        break;
    case KVC_RULE_RWKV:
        *conv = (struct tensor){ { d[0], d[1], 1 }, false };
        *state = (struct tensor){ { d[1], d[2], 1 }, false };
        break;
    default:
        *conv = (struct tensor){ { d[0], 1, 1 }, true };
        *state = (struct tensor){ { d[1], 1, 1 }, true };
    }
}

static void check_against_tensors(enum kvc_rule rule, const uint32_t *dims, uint32_t tp)
{
    struct kvc_state one = of_rule(rule, dims);
    one.conv_format = KVC_FORMAT_F16;
    one.state_format = KVC_FORMAT_F32;
    struct tensor conv, kept;
    uint64_t conv_elements, kept_elements, bytes = UNTOUCHED;
    tensors_of(rule, dims, tp, &conv, &kept);
    if (!elements_of(&conv, tp, &conv_elements) || !elements_of(&kept, tp, &kept_elements)) {
        assert_uneven(&one, tp);
        return;
    }
    assert_int_equal(kvc_recurrent_bytes(&one, KVC_FORMAT_F32, tp, &bytes, NULL), KVCAP_OK);
    assert_int_equal(bytes, conv_elements * 2 + kept_elements * 4);
}

/* Counts `dims` on, each from 1 to `most`; false when all have been. */
static bool next_dims(uint32_t *dims, unsigned count, uint32_t most)
{
    for (unsigned i = 0; i < count; i++) {
        if (++dims[i] <= most)
            return true;
        dims[i] = 1;
    }
    return false;
}

static void all_small_dims_weigh_what_their_tensors_do_or_are_refused(void **state)
{
    (void)state;
    static const unsigned FIELDS[KVC_RULE_COUNT] = { 2, 3, 6, 5, 3, 2, 2, 3 };
    for (unsigned rule = 0; rule < KVC_RULE_COUNT; rule++) {
        uint32_t most = FIELDS[rule] >= 5 ? 4 : 9;
        for (uint32_t tp = 1; tp <= 6; tp++) {
            uint32_t dims[KVC_RULE_DIMS_MAX] = { 1, 1, 1, 1, 1, 1 };
            do
                check_against_tensors((enum kvc_rule)rule, dims, tp);
            while (next_dims(dims, FIELDS[rule], most));
        }
    }
}

/* ---- The ranks together --------------------------------------------------------------------- */

static uint64_t bytes_on_rank(struct chance *chance, const struct kvc_state *one, uint32_t tp)
{
    uint64_t bytes = 0;
    chance_check(chance, kvc_recurrent_bytes(one, KVC_FORMAT_F16, tp, &bytes, NULL) == KVCAP_OK);
    return bytes;
}

/* But for rwkv, which every rank keeps whole, and for the groups of mamba2 where ranks must repeat
 * them. */
static void what_is_divided_adds_up_to_the_whole(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 20000; i++) {
        uint32_t tp = 1 + (uint32_t)chance_below(&chance, 16), dims[KVC_RULE_DIMS_MAX];
        for (unsigned d = 0; d < KVC_RULE_DIMS_MAX; d++)
            dims[d] = tp * (1 + (uint32_t)chance_below(&chance, 200));
        enum kvc_rule rule = (enum kvc_rule)chance_below(&chance, KVC_RULE_COUNT);
        struct kvc_state one = of_rule(rule, dims);
        uint64_t whole = bytes_on_rank(&chance, &one, 1), part = bytes_on_rank(&chance, &one, tp);
        chance_check(&chance, rule == KVC_RULE_RWKV ? part == whole : part * tp == whole);
    }
}

static void groups_that_ranks_must_repeat_make_the_sum_larger(void **state)
{
    (void)state;
    static const uint32_t DIMS[] = { 4, 8192, 8, 128, 128, 64 };
    struct kvc_state one = of_rule(KVC_RULE_MAMBA2, DIMS);
    uint64_t whole = 0, part = 0;
    assert_int_equal(kvc_recurrent_bytes(&one, KVC_FORMAT_F16, 1, &whole, NULL), KVCAP_OK);
    assert_int_equal(kvc_recurrent_bytes(&one, KVC_FORMAT_F16, 16, &part, NULL), KVCAP_OK);
    /* 8 groups more, of two times 128 channels, three rows deep, 2 bytes */
    assert_int_equal(part * 16, whole + 8 * 2 * 128 * 3 * 2);
}

/* ---- Formats -------------------------------------------------------------------------------- */

static void each_part_has_its_own_format_or_the_models(void **state)
{
    (void)state;
    static const uint32_t DIMS[] = { 2, 64, 3, 0, 0, 0 }; /* 64 and 192 elements */
    static const struct {
        enum kvc_format conv, state, dtype;
        uint64_t bytes;
    } CASES[] = {
        { KVC_FORMAT_NONE, KVC_FORMAT_NONE, KVC_FORMAT_BF16, 128 + 384 },
        { KVC_FORMAT_NONE, KVC_FORMAT_NONE, KVC_FORMAT_F32, 256 + 768 },
        { KVC_FORMAT_F32, KVC_FORMAT_NONE, KVC_FORMAT_BF16, 256 + 384 },
        { KVC_FORMAT_NONE, KVC_FORMAT_F32, KVC_FORMAT_BF16, 128 + 768 },
        { KVC_FORMAT_FP8_E4M3, KVC_FORMAT_Q8_0, KVC_FORMAT_F32, 64 + 204 },
        { KVC_FORMAT_Q4_0, KVC_FORMAT_F16, KVC_FORMAT_F32, 36 + 384 },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct kvc_state one = of_rule(KVC_RULE_MAMBA1, DIMS);
        one.conv_format = CASES[i].conv;
        one.state_format = CASES[i].state;
        uint64_t bytes = UNTOUCHED;
        assert_int_equal(kvc_recurrent_bytes(&one, CASES[i].dtype, 1, &bytes, NULL), KVCAP_OK);
        assert_int_equal(bytes, CASES[i].bytes);
    }
}

static void a_format_that_does_not_divide_a_part_is_refused_there(void **state)
{
    (void)state;
    static const uint32_t DIMS[] = { 33, 65, 0, 0, 0, 0 };
    struct kvc_state one = of_rule(KVC_RULE_PLAIN, DIMS);
    one.conv_format = KVC_FORMAT_Q8_0;
    assert_refused(&one, KVC_FORMAT_F16, 1, KVCAP_E_CONTRACT, "contract.format_does_not_divide",
                   "/conv_format");
    one.conv_format = KVC_FORMAT_NONE;
    one.state_format = KVC_FORMAT_Q8_0;
    assert_refused(&one, KVC_FORMAT_F16, 1, KVCAP_E_CONTRACT, "contract.format_does_not_divide",
                   "/state_format");
}

/* A format where the rule has no such part is meaningless: nvfp4 divides no row of 3. */
static void a_part_that_the_rule_lacks_is_not_weighed(void **state)
{
    (void)state;
    static const uint32_t DIMS[] = { 3, 3, 0, 0, 0, 0 };
    uint64_t bytes = UNTOUCHED;
    struct kvc_state one = of_rule(KVC_RULE_LINEAR, DIMS);
    one.conv_format = KVC_FORMAT_NVFP4;
    assert_int_equal(kvc_recurrent_bytes(&one, KVC_FORMAT_F16, 1, &bytes, NULL), KVCAP_OK);
    assert_int_equal(bytes, 54); /* 3 * 3 * 3 * 2 */
    one = of_rule(KVC_RULE_SHORT_CONV, DIMS);
    one.state_format = KVC_FORMAT_NVFP4;
    assert_int_equal(kvc_recurrent_bytes(&one, KVC_FORMAT_F16, 1, &bytes, NULL), KVCAP_OK);
    assert_int_equal(bytes, 12); /* 2 * 3 * 2 */
}

/* ---- The edge of 64 bits -------------------------------------------------------------------- */

static void state_past_64_bits_is_refused(void **state)
{
    (void)state;
    const uint32_t most = UINT32_MAX;
    static const char ELEMENTS[] = "elements of a recurrent state";
    static const char OVERFLOW[] = "range.overflow";
    uint32_t dims[] = { most, most, most, most, most, most };
    static const enum kvc_rule CUBES[] = { KVC_RULE_MAMBA2, KVC_RULE_GATED_DELTA_NET, KVC_RULE_KDA,
                                           KVC_RULE_LINEAR };
    for (size_t i = 0; i < sizeof CUBES / sizeof *CUBES; i++) {
        struct kvc_state one = of_rule(CUBES[i], dims);
        assert_refused(&one, KVC_FORMAT_FP8_E4M3, 1, KVCAP_E_RANGE, OVERFLOW, ELEMENTS);
    }
    /* most * most bytes fit, but twice that do not, nor two such parts together. */
    struct kvc_state one = of_rule(KVC_RULE_SHORT_CONV, dims);
    uint64_t bytes = UNTOUCHED;
    assert_int_equal(kvc_recurrent_bytes(&one, KVC_FORMAT_FP8_E4M3, 1, &bytes, NULL), KVCAP_OK);
    assert_int_equal(bytes, (uint64_t)(most - 1) * most);
    assert_refused(&one, KVC_FORMAT_F16, 1, KVCAP_E_RANGE, OVERFLOW, "bytes of a row");
    one = of_rule(KVC_RULE_MAMBA1, dims);
    assert_refused(&one, KVC_FORMAT_FP8_E4M3, 1, KVCAP_E_RANGE, OVERFLOW,
                   "bytes of a recurrent state");
    one = of_rule(KVC_RULE_RWKV, dims);
    assert_refused(&one, KVC_FORMAT_FP8_E4M3, 1, KVCAP_E_RANGE, OVERFLOW,
                   "bytes of a recurrent state");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_models_weigh_the_sums_done_by_hand),
        cmocka_unit_test(tp_that_does_not_divide_is_refused),
        cmocka_unit_test(the_sentence_names_tp_and_the_first_count_it_does_not_divide),
        cmocka_unit_test(all_small_dims_weigh_what_their_tensors_do_or_are_refused),
        cmocka_unit_test(what_is_divided_adds_up_to_the_whole),
        cmocka_unit_test(groups_that_ranks_must_repeat_make_the_sum_larger),
        cmocka_unit_test(each_part_has_its_own_format_or_the_models),
        cmocka_unit_test(a_format_that_does_not_divide_a_part_is_refused_there),
        cmocka_unit_test(a_part_that_the_rule_lacks_is_not_weighed),
        cmocka_unit_test(state_past_64_bits_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
