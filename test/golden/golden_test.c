/* Goal: kvcap gives the cache sizes that papers and model cards state, or that follow from the
 * dimensions they state, to the byte.
 * Method: each row re-enters a published model by hand, with its source and the sum beside it, and
 * is computed through the allocator `paged`.  A row names its layers by letters: the pattern is
 * repeated until the model has its layers, a is the first type, b the second. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bytes/elem.h"
#include "engine/paged.h"
#include "shape/check.h"

#define TYPES_ROOM 3

struct golden {
    const char *name;
    const char *pattern;
    uint32_t layers;
    struct kvc_layer_type types[TYPES_ROOM]; /* a, b, c */
    enum kvc_format cache, dtype;
    uint32_t tp;
    uint64_t tokens; /* of one sequence; blocks have 16 */

    /* by hand, on one rank */
    uint64_t token_bytes;        /* of layers that keep every token */
    uint64_t window_token_bytes; /* of layers with a window */
    uint64_t state_bytes;        /* of recurrent layers, a sequence */
    uint64_t sequence_bytes;     /* all of it at `tokens` */
};

#define BLOCK_TOKENS 16

/* clang-format off */
#define ONE(...) { { __VA_ARGS__ }, 1 }
#define TWO(...) { { __VA_ARGS__ }, 2 }
#define KV(heads, dim) { .kind = KVC_STATE_KV, .kv_heads = heads, .key_dim = dim, .value_dim = dim }
#define WINDOW(heads, dim, tokens) \
    { .kind = KVC_STATE_KV_WINDOW, .kv_heads = heads, .key_dim = dim, .value_dim = dim, \
      .window_tokens = tokens }
#define LATENT(width, rope) \
    { .kind = KVC_STATE_LATENT, .latent_dim = width, .rope_dim = rope, .compress_ratio = 1 }
#define INDEX_FP8(width) \
    { .kind = KVC_STATE_INDEX, .index_dim = width, .index_fp8 = true, .compress_ratio = 1 }
#define NOTHING { .kind = KVC_STATE_NONE }
#define RECURRENT(name, conv, state, ...) \
    { .kind = KVC_STATE_RECURRENT, .rule = KVC_RULE_##name, .dims = { __VA_ARGS__ }, \
      .conv_format = KVC_FORMAT_##conv, .state_format = KVC_FORMAT_##state }
#define CACHE(format) KVC_FORMAT_##format, KVC_FORMAT_BF16

static const struct golden ROWS[] = {
    /* ---- Every head keeps its own keys and values. */

    /* Kwon et al. 2023, "Efficient Memory Management for Large Language Model Serving with
     * PagedAttention", section 3: a token of OPT-13B takes 2 (key and value) * 5120 (hidden) * 40
     * (layers) * 2 (bytes of f16) = 819,200 bytes, 800 KiB; 2,048 tokens 1.6 GB. */
    { "OPT-13B", "a", 40, { ONE(KV(40, 128)) }, CACHE(F16), 1, 2048,
      819200, 0, 0, UINT64_C(1677721600) },

    /* Sheng et al. 2023, "FlexGen", section 3: 4 l h1 (s + n) bytes a sequence of OPT-175B, 96
     * layers of 12,288; s + n = 512 + 32 = 544 tokens.
     * 4 * 96 * 12,288 = 4,718,592 a token; * 544 = 2,566,914,048. */
    { "OPT-175B", "a", 96, { ONE(KV(96, 128)) }, CACHE(F16), 1, 544,
      4718592, 0, 0, UINT64_C(2566914048) },

    /* Touvron et al. 2023, "Llama 2", and the model card: 32 layers, 32 heads of 128, context
     * 4,096.
     * 2 * 32 * 32 * 128 * 2 = 524,288, 512 KiB; * 4096 = 2 GiB. */
    { "Llama-2-7B", "a", 32, { ONE(KV(32, 128)) }, CACHE(F16), 1, 4096,
      524288, 0, 0, UINT64_C(2147483648) },

    /* Lieber et al. 2024, "Jamba", table 1: the cache of Llama-2 6.7B at 256K tokens in 16 bits is
     * 128GB: 524,288 * 262,144 = 2^37. */
    { "Llama-2-7B at 256K", "a", 32, { ONE(KV(32, 128)) }, CACHE(F16), 1, 262144,
      524288, 0, 0, UINT64_C(137438953472) },

    /* Llama 2, the same: 40 layers, 40 heads of 128.  2 * 40 * 40 * 128 * 2 = 819,200;
     * * 4096 = 3,355,443,200. */
    { "Llama-2-13B", "a", 40, { ONE(KV(40, 128)) }, CACHE(F16), 1, 4096,
      819200, 0, 0, UINT64_C(3355443200) },

    /* Abdin et al. 2024, "Phi-3 Technical Report", phi-3-mini: 32 layers, 32 heads, hidden 3072, so
     * heads of 96.  2 * 32 * 32 * 96 * 2 = 393,216; * 4096 = 1.5 GiB. */
    { "Phi-3-mini-4k", "a", 32, { ONE(KV(32, 96)) }, CACHE(BF16), 1, 4096,
      393216, 0, 0, UINT64_C(1610612736) },

    /* ---- Groups of query heads share keys and values. */

    /* Llama 2, the same: 80 layers, 8 KV heads of 128.  2 * 80 * 8 * 128 * 2 = 327,680, 320 KiB;
     * * 4096 = 1,342,177,280. */
    { "Llama-2-70B", "a", 80, { ONE(KV(8, 128)) }, CACHE(F16), 1, 4096,
      327680, 0, 0, UINT64_C(1342177280) },

    /* Grattafiori et al. 2024, "The Llama 3 Herd of Models", table 3: 32, 80 and 126 layers, 8 KV
     * heads, heads of 128 (4096 / 32, 8192 / 64, 16384 / 128), context 128K.
     * 2 * 32 * 8 * 128 * 2 = 131,072, 128 KiB; * 131,072 = 16 GiB. */
    { "Llama-3.1-8B", "a", 32, { ONE(KV(8, 128)) }, CACHE(BF16), 1, 131072,
      131072, 0, 0, UINT64_C(17179869184) },
    /* 2 * 80 * 8 * 128 * 2 = 327,680; * 131,072 = 40 GiB. */
    { "Llama-3.1-70B", "a", 80, { ONE(KV(8, 128)) }, CACHE(BF16), 1, 131072,
      327680, 0, 0, UINT64_C(42949672960) },
    /* On each of 8 ranks one KV head: an eighth, 40,960; * 131,072 = 5 GiB. */
    { "Llama-3.1-70B, 8 ranks", "a", 80, { ONE(KV(8, 128)) }, CACHE(BF16), 8, 131072,
      40960, 0, 0, UINT64_C(5368709120) },
    /* 2 * 126 * 8 * 128 * 2 = 516,096; * 131,072 = 63 GiB. */
    { "Llama-3.1-405B", "a", 126, { ONE(KV(8, 128)) }, CACHE(BF16), 1, 131072,
      516096, 0, 0, UINT64_C(67645734912) },
    /* On 16 ranks each of the 8 heads is kept twice: 2 * 126 * 1 * 128 * 2 = 64,512, no sixteenth;
     * * 131,072 = 8,455,716,864. */
    { "Llama-3.1-405B, 16 ranks", "a", 126, { ONE(KV(8, 128)) }, CACHE(BF16), 16, 131072,
      64512, 0, 0, UINT64_C(8455716864) },

    /* Zhao et al. 2025, "Insights into DeepSeek-V3", table 1: Qwen-2.5 72B keeps 327.680 KB a token
     * (and Llama-3.1 405B 516.096 KB, above).  80 layers, 8 KV heads of 128; one token is one block
     * of 16: 5,242,880. */
    { "Qwen2.5-72B", "a", 80, { ONE(KV(8, 128)) }, CACHE(BF16), 1, 1,
      327680, 0, 0, 5242880 },

    /* Model cards of Qwen2.5: 7B has 28 layers, 4 KV heads of 128: 2 * 28 * 4 * 128 * 2 = 57,344;
     * * 32,768 = 1.75 GiB. */
    { "Qwen2.5-7B", "a", 28, { ONE(KV(4, 128)) }, CACHE(BF16), 1, 32768,
      57344, 0, 0, UINT64_C(1879048192) },
    /* 0.5B: 24 layers, 2 KV heads of 64: 2 * 24 * 2 * 64 * 2 = 12,288; * 32,768 = 384 MiB. */
    { "Qwen2.5-0.5B", "a", 24, { ONE(KV(2, 64)) }, CACHE(BF16), 1, 32768,
      12288, 0, 0, UINT64_C(402653184) },
    /* 3B: 36 layers, 2 KV heads of 128: 2 * 36 * 2 * 128 * 2 = 36,864; * 4,096 = 144 MiB. */
    { "Qwen2.5-3B", "a", 36, { ONE(KV(2, 128)) }, CACHE(F16), 1, 4096,
      36864, 0, 0, 150994944 },

    /* Yang et al. 2025, "Qwen3 Technical Report", table 1: 32B has 64 layers, 8 KV heads; config:
     * heads of 128.  2 * 64 * 8 * 128 * 2 = 262,144; * 40,960 (config) = 10 GiB. */
    { "Qwen3-32B", "a", 64, { ONE(KV(8, 128)) }, CACHE(BF16), 1, 40960,
      262144, 0, 0, UINT64_C(10737418240) },

    /* Model card of GLM-4-9B-0414: 40 layers, 2 KV heads of 128, context 32,768.
     * 2 * 40 * 2 * 128 * 2 = 40,960; * 32,768 = 1.25 GiB. */
    { "GLM-4-9B-0414", "a", 40, { ONE(KV(2, 128)) }, CACHE(BF16), 1, 32768,
      40960, 0, 0, UINT64_C(1342177280) },

    /* Jiang et al. 2024, "Mixtral of Experts": 32 layers, 8 KV heads of 128; experts keep nothing.
     * Jamba, table 1: 32GB at 256K tokens.  131,072 * 262,144 = 2^35. */
    { "Mixtral-8x7B at 256K", "a", 32, { ONE(KV(8, 128)) }, CACHE(BF16), 1, 262144,
      131072, 0, 0, UINT64_C(34359738368) },

    /* Almazrouei et al. 2023, "The Falcon Series": 7B has 32 layers and one KV head of 64 for 71
     * query heads (Shazeer 2019).  2 * 32 * 1 * 64 * 2 = 8,192; * 2,048 = 16 MiB. */
    { "Falcon-7B", "a", 32, { ONE(KV(1, 64)) }, CACHE(BF16), 1, 2048,
      8192, 0, 0, 16777216 },
    /* ... which every rank keeps. */
    { "Falcon-7B, 2 ranks", "a", 32, { ONE(KV(1, 64)) }, CACHE(BF16), 2, 2048,
      8192, 0, 0, 16777216 },

    /* ---- Quantised: ggml-common.h keeps 32 elements of q8_0 in 34 bytes, of q4_0 in 18. */

    /* Llama-3.1-8B, a row of 8 * 128 = 1,024 elements, 32 groups: 2 * 32 layers * 32 * 34 = 69,632;
     * * 131,072 = 8.5 GiB. */
    { "Llama-3.1-8B in q8_0", "a", 32, { ONE(KV(8, 128)) }, CACHE(Q8_0), 1, 131072,
      69632, 0, 0, UINT64_C(9126805504) },
    /* 2 * 32 layers * 32 * 18 = 36,864; * 131,072 = 4.5 GiB. */
    { "Llama-3.1-8B in q4_0", "a", 32, { ONE(KV(8, 128)) }, CACHE(Q4_0), 1, 131072,
      36864, 0, 0, UINT64_C(4831838208) },

    /* ---- Windows.  Of w tokens, in blocks of 16: at most 1 + ceil((w - 1) / 16). */

    /* Jiang et al. 2023, "Mistral 7B", table 1: 32 layers, 8 KV heads of 128, window 4,096.  32K
     * tokens hold 1 + 256 = 257 blocks: 257 * 16 * 131,072 = 538,968,064; without the window
     * 2,048 blocks, eight times as many ("reduces the cache memory usage by 8x"). */
    { "Mistral-7B-v0.1", "a", 32, { ONE(WINDOW(8, 128, 4096)) }, CACHE(BF16), 1, 32768,
      0, 131072, 0, UINT64_C(538968064) },

    /* Gemma Team 2025, "Gemma 3 Technical Report", and config: 27B has 62 layers, five of window
     * 1,024 to each full one, so 10 full and 52 sliding; 16 KV heads of 128: a row of
     * 2 * 16 * 128 * 2 = 8,192.  Full 10 * 8,192 = 81,920, * 131,072 = 10,737,418,240; sliding
     * 52 * 8,192 = 425,984, 1 + 64 = 65 blocks * 16 * 425,984 = 443,023,360. */
    { "Gemma-3-27B", "bbbbba", 62, { ONE(KV(16, 128)), ONE(WINDOW(16, 128, 1024)) }, CACHE(BF16), 1,
      131072, 81920, 425984, 0, UINT64_C(11180441600) },
    /* At 1,024 tokens nothing has slid: 1,024 * (81,920 + 425,984). */
    { "Gemma-3-27B, short", "bbbbba", 62, { ONE(KV(16, 128)), ONE(WINDOW(16, 128, 1024)) },
      CACHE(BF16), 1, 1024, 81920, 425984, 0, UINT64_C(520093696) },

    /* OpenAI 2025, "gpt-oss-120b & gpt-oss-20b Model Card": 20b has 24 layers, alternately window
     * 128 and full, 8 KV heads of 64: a row of 2 * 8 * 64 * 2 = 2,048; 12 of each: 24,576.
     * 24,576 * 131,072 + (1 + 8) * 16 * 24,576 = 3,221,225,472 + 3,538,944. */
    { "gpt-oss-20b", "ba", 24, { ONE(KV(8, 64)), ONE(WINDOW(8, 64, 128)) }, CACHE(BF16), 1, 131072,
      24576, 24576, 0, UINT64_C(3224764416) },

    /* ---- Latents. */

    /* DeepSeek-AI 2024, "DeepSeek-V2", sections 2.1 and 3.1.2: (d_c + d_h^R) l elements a token,
     * with d_c 512, d_h^R 64, l 60.
     * 576 * 60 = 34,560, in bf16 69,120; * 131,072 = 9,059,696,640. */
    { "DeepSeek-V2", "a", 60, { ONE(LATENT(512, 64)) }, CACHE(BF16), 1, 131072,
      69120, 0, 0, UINT64_C(9059696640) },
    /* Insights into DeepSeek-V3, table 1: 70.272 KB a token.  576 * 61 * 2 = 70,272;
     * * 4,096 = 287,834,112.  Every rank keeps the latent whole. */
    { "DeepSeek-V3, 8 ranks", "a", 61, { ONE(LATENT(512, 64)) }, CACHE(BF16), 8, 4096,
      70272, 0, 0, UINT64_C(287834112) },
    /* FlashMLA's fp8 token: 512 bytes of fp8, 4 scales of 4, 64 rope elements of 2: 656.
     * 61 * 656 = 40,016; * 4,096 = 163,905,536. */
    { "DeepSeek-V3 in fp8_ds_mla", "a", 61, { ONE(LATENT(512, 64)) }, CACHE(FP8_DS_MLA), 1, 4096,
      40016, 0, 0, UINT64_C(163905536) },
    /* DeepSeek-AI 2025, "DeepSeek-V3.2-Exp": beside it an indexer of 128 elements in fp8 and a
     * scale of 4 bytes: 61 * (656 + 132) = 48,068; * 4,096 = 196,886,528. */
    { "DeepSeek-V3.2", "a", 61, { TWO(LATENT(512, 64), INDEX_FP8(128)) }, CACHE(FP8_DS_MLA), 1,
      4096, 48068, 0, 0, UINT64_C(196886528) },

    /* ---- Recurrent state, with and without attention. */

    /* Dao and Gu 2024, "Transformers are SSMs", and the model card of mamba2-2.7b: 64 layers, model
     * 2,560, so I 5,120 and 80 heads of 64, N 128, one group, kernel 4.
     * (3 * (5120 + 256) * 2 + 80 * 64 * 128 * 4) = 32,256 + 2,621,440; * 64 = 169,836,544, however
     * long the sequence. */
    { "mamba2-2.7b", "a", 64, { ONE(RECURRENT(MAMBA2, BF16, F32, 4, 5120, 1, 128, 80, 64)) },
      CACHE(BF16), 1, 1000000, 0, 0, 169836544, 169836544 },

    /* NVIDIA 2025, "Nemotron-H", and config of 8B: 52 layers M-M-M-M*-..., 24 Mamba-2 (128 heads of
     * 64, 8 groups, N 128, kernel 4), 4 attention (8 KV heads of 128), 24 MLP.
     * 4 * 2 * 8 * 128 * 2 = 16,384; 24 * (3 * 10,240 + 128 * 64 * 128) * 2 = 51,806,208;
     * 8,192 * 16,384 = 134,217,728 beside it. */
    { "Nemotron-H-8B", "bcbcbcbacbcbcbcbcbacbcbcbcbcbacbcbcbcbcbacbcbcbcbcbc", 52,
      { ONE(KV(8, 128)), ONE(RECURRENT(MAMBA2, NONE, NONE, 4, 8192, 8, 128, 128, 64)),
        ONE(NOTHING) },
      CACHE(BF16), 1, 8192, 16384, 0, 51806208, 186023936 },

    /* Jamba, section 3.1, table 1 and config of v0.1: 32 layers, one in eight attention (8 KV heads
     * of 128), the others Mamba (I 8,192, N 16, kernel 4).  4 * 2 * 8 * 128 * 2 = 16,384;
     * * 262,144 = 4 GiB, the 4GB of the table.
     * State: 28 * (3 * 8192 + 8192 * 16) * 2 = 8,716,288. */
    { "Jamba-v0.1 at 256K", "bbbbabbb", 32,
      { ONE(KV(8, 128)), ONE(RECURRENT(MAMBA1, NONE, NONE, 4, 8192, 16)) }, CACHE(BF16), 1, 262144,
      16384, 0, 8716288, UINT64_C(4303683584) },

    /* Model card of Qwen3-Next-80B-A3B and config: 48 layers, 3 gated delta nets (16 key and 32
     * value heads of 128, kernel 4) to 1 full (2 KV heads of 256).  12 * 2 * 2 * 256 * 2 = 24,576;
     * 36 * (3 * 8,192 + 32 * 128 * 128) * 2 = 39,518,208; 262,144 * 24,576 = 6 GiB. */
    { "Qwen3-Next-80B-A3B", "bbba", 48,
      { ONE(KV(2, 256)), ONE(RECURRENT(GATED_DELTA_NET, NONE, NONE, 4, 16, 128, 32, 128)) },
      CACHE(BF16), 1, 262144, 24576, 0, 39518208, UINT64_C(6481969152) },
    /* On 2 ranks: one KV head each, 12,288; half the state; 3 GiB and 19,759,104. */
    { "Qwen3-Next-80B-A3B, 2 ranks", "bbba", 48,
      { ONE(KV(2, 256)), ONE(RECURRENT(GATED_DELTA_NET, NONE, NONE, 4, 16, 128, 32, 128)) },
      CACHE(BF16), 2, 262144, 12288, 0, 19759104, UINT64_C(3240984576) },

    /* Kimi Team 2025, "Kimi Linear", and config of 48B-A3B: 27 layers, the 4th, 8th, ... 24th and
     * the last with a latent of 512 + 64, 20 KDA (32 heads of 128, kernel 4; state in f32).
     * 7 * 576 * 2 = 8,064; 20 * (3 * 12,288 * 2 + 32 * 128 * 128 * 4) = 43,417,600;
     * 1,048,576 * 8,064 = 8,455,716,864. */
    { "Kimi-Linear-48B-A3B", "bbbabbbabbbabbbabbbabbbabba", 27,
      { ONE(LATENT(512, 64)), ONE(RECURRENT(KDA, BF16, F32, 4, 32, 128)) }, CACHE(BF16), 1, 1048576,
      8064, 0, 43417600, UINT64_C(8499134464) },

    /* MiniMax 2025, "MiniMax-01", and config: 80 layers, softmax (64 heads of 128, 8 KV heads)
     * after every 7 lightning attention (64 heads of 128; state in f32).
     * 10 * 2 * 8 * 128 * 2 = 40,960; 70 * 64 * 128 * 128 * 4 = 293,601,280;
     * 1,048,576 * 40,960 = 40 GiB. */
    { "MiniMax-Text-01", "bbbbbbba", 80,
      { ONE(KV(8, 128)), ONE(RECURRENT(LINEAR, NONE, F32, 64, 128)) }, CACHE(BF16), 1, 1048576,
      40960, 0, 293601280, UINT64_C(43243274240) },

    /* Model card of LFM2-1.2B and config: 16 layers, 10 short convolutions (width 2,048, kernel 3),
     * 6 attention (8 KV heads of 64).  6 * 2 * 8 * 64 * 2 = 12,288; 10 * 2 * 2,048 * 2 = 81,920;
     * 32,768 * 12,288 = 402,653,184. */
    { "LFM2-1.2B", "bbabbabbabababab", 16,
      { ONE(KV(8, 64)), ONE(RECURRENT(SHORT_CONV, NONE, NONE, 3, 2048)) }, CACHE(BF16), 1, 32768,
      12288, 0, 81920, 402735104 },
};
/* clang-format on */

#define ROWS_COUNT (sizeof ROWS / sizeof *ROWS)

/* ---- Computing a row ------------------------------------------------------------------------ */

static char buffer[1u << 20];

static struct kvc_shape build(const struct golden *row, struct kvc_arena *arena)
{
    struct kvc_shape_builder builder;
    kvc_shape_begin(&builder, arena);
    size_t period = strlen(row->pattern);
    for (uint32_t layer = 0; layer < row->layers; layer++) {
        int type = row->pattern[layer % period] - 'a';
        assert_in_range(type, 0, TYPES_ROOM - 1);
        assert_true(kvc_shape_add(&builder, &row->types[type], 1));
    }
    assert_int_equal(kvc_shape_check(&builder.shape, NULL), KVCAP_OK);
    return builder.shape;
}

static struct kvc_stage compute(const struct golden *row, struct kvc_arena *arena)
{
    struct kvc_shape shape = build(row, arena);
    struct kvc_paged paged = { .shape = &shape,
                               .cache = { .k = row->cache, .v = row->cache, .dtype = row->dtype },
                               .tp = row->tp,
                               .block_tokens = BLOCK_TOKENS };
    struct kvc_stage stage = { 0 };
    kvcap_error err = { 0 };
    if (kvc_paged_stage(&paged, 0, shape.layers_count, arena, &stage, &err) != KVCAP_OK)
        fail_msg("%s: %s at %s", row->name, err.text, err.at);
    return stage;
}

static void a_row_is_as_published(void **state)
{
    const struct golden *row = *state;
    struct kvc_arena arena;
    kvc_arena_over(&arena, buffer, sizeof buffer);
    struct kvc_stage stage = compute(row, &arena);
    uint64_t token_bytes = 0, window_token_bytes = 0, sequence_bytes = stage.state_bytes;
    for (uint32_t i = 0; i < stage.groups_count; i++) {
        const struct kvc_group *group = &stage.groups[i];
        if (group->rule.window_tokens == KVC_WINDOW_NONE)
            token_bytes += group->token_bytes;
        else
            window_token_bytes += group->token_bytes;
        struct ck blocks = kvc_blocks_of_sequence(&group->rule, row->tokens);
        assert_false(blocks.over);
        sequence_bytes += blocks.value * group->block_bytes;
    }
    assert_int_equal(token_bytes, row->token_bytes);
    assert_int_equal(window_token_bytes, row->window_token_bytes);
    assert_int_equal(stage.state_bytes, row->state_bytes);
    assert_int_equal(sequence_bytes, row->sequence_bytes);
}

/* ---- Laws that papers state ----------------------------------------------------------------- */

/* Ainslie et al. 2023, "GQA": from multi-head (64 KV heads) through groups to multi-query (1), the
 * cache shrinks in proportion.  80 layers, heads of 128, f16: 2 * 80 * 128 * 2 = 40,960 a KV
 * head. */
static void width_is_linear_in_kv_heads(void **state)
{
    (void)state;
    for (uint32_t heads = 1; heads <= 64; heads *= 2) {
        struct golden row = { .name = "GQA",
                              .pattern = "a",
                              .layers = 80,
                              .types = { ONE(KV(heads, 128)) },
                              .cache = KVC_FORMAT_F16,
                              .dtype = KVC_FORMAT_F16,
                              .tp = 1 };
        struct kvc_arena arena;
        kvc_arena_over(&arena, buffer, sizeof buffer);
        assert_int_equal(compute(&row, &arena).groups[0].token_bytes, heads * UINT64_C(40960));
    }
}

/* DeepSeek-V2, table 1: with 128 heads of 128, multi-head attention keeps 2 * 128 * 128 = 32,768
 * elements a token and layer, the latent 576, "equal to GQA with only 2.25 groups". */
static void a_latent_is_as_wide_as_gqa_with_2_25_groups(void **state)
{
    (void)state;
    uint64_t heads, group, latent;
    assert_int_equal(kvc_row_bytes(KVC_FORMAT_FP8_E4M3, 128, 128, "", &heads, NULL), KVCAP_OK);
    assert_int_equal(kvc_row_bytes(KVC_FORMAT_FP8_E4M3, 1, 128, "", &group, NULL), KVCAP_OK);
    assert_int_equal(kvc_row_bytes(KVC_FORMAT_FP8_E4M3, 1, 576, "", &latent, NULL), KVCAP_OK);
    assert_int_equal(2 * heads, 32768);
    assert_int_equal(latent, 576);
    assert_int_equal(4 * latent, 9 * 2 * group);
}

/* FlexGen, section 3: a batch of 512 such sequences of OPT-175B takes 1.2 TB:
 * 512 * 544 * 4,718,592 = 1,314,259,992,576 bytes, 1.195 TiB. */
static void a_batch_of_opt_175b_takes_the_1_2_tb_of_flexgen(void **state)
{
    (void)state;
    const struct golden *opt = &ROWS[1];
    assert_string_equal(opt->name, "OPT-175B");
    struct kvc_arena arena;
    kvc_arena_over(&arena, buffer, sizeof buffer);
    struct kvc_stage stage = compute(opt, &arena);
    struct ck blocks = kvc_blocks_of_sequence(&stage.groups[0].rule, 544);
    assert_int_equal(512 * blocks.value * stage.groups[0].block_bytes, UINT64_C(1314259992576));
}

static const struct CMUnitTest LAWS[] = {
    cmocka_unit_test(width_is_linear_in_kv_heads),
    cmocka_unit_test(a_latent_is_as_wide_as_gqa_with_2_25_groups),
    cmocka_unit_test(a_batch_of_opt_175b_takes_the_1_2_tb_of_flexgen),
};

#define LAWS_COUNT (sizeof LAWS / sizeof *LAWS)

int main(void)
{
    struct CMUnitTest tests[ROWS_COUNT + LAWS_COUNT] = { 0 };
    struct golden rows[ROWS_COUNT]; /* cmocka hands out pointers to what may be changed */
    memcpy(rows, ROWS, sizeof rows);
    for (size_t i = 0; i < ROWS_COUNT; i++)
        tests[i] = (struct CMUnitTest){ .name = rows[i].name,
                                        .test_func = a_row_is_as_published,
                                        .initial_state = &rows[i] };
    memcpy(tests + ROWS_COUNT, LAWS, sizeof LAWS);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
