/* vllm_latents_test.c - Goal: compressed rows are kept as the release, the backend and VLLM_MLA_DISABLE have it, and
 * DeepSeek V4's windows and compressors in blocks of their own.
 * Method: a DeepSeek V3 of two layers and a V4 of four, one question each; expected numbers are worked out by
 * hand beside them, from vllm/models/deepseek_v4/ and DeepseekV2Attention. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/vllm_ask.h"

#define GIB (UINT64_C(1) << 30)

#define NOW "2026-08-17"
#define BATCH "\"max_num_batched_tokens\":2048"

static const char DEEPSEEK[] =
    "{\"model_type\":\"deepseek_v3\",\"num_hidden_layers\":2,\"hidden_size\":512,"
    "\"num_attention_heads\":8,\"num_key_value_heads\":8,\"kv_lora_rank\":512,"
    "\"qk_rope_head_dim\":64,\"qk_nope_head_dim\":128,\"v_head_dim\":128,"
    "\"torch_dtype\":\"bfloat16\",\"max_position_embeddings\":8192}";

/* Layers: a window alone, compressed by 4 with an indexer, by 128, by 4. */
static const char V4[] =
    "{\"model_type\":\"deepseek_v4\",\"num_hidden_layers\":4,\"hidden_size\":512,"
    "\"num_attention_heads\":8,\"num_key_value_heads\":1,\"head_dim\":512,\"qk_rope_head_dim\":64,"
    "\"q_lora_rank\":64,\"o_lora_rank\":64,\"index_head_dim\":128,\"index_n_heads\":8,"
    "\"index_topk\":512,\"sliding_window\":128,\"compress_ratios\":[0,4,128,4],"
    "\"num_nextn_predict_layers\":0,\"torch_dtype\":\"bfloat16\",\"max_position_embeddings\":"
    "65536}";

/* 64 * 576 * 2 = 73,728; heads instead: 16 * 8 * (192 + 192) * 2 = 98,304; before v0.7.1, padded to 256:
 * 16 * 8 * 512 * 2 = 131,072. */
static void heads_are_kept_without_mla(void **state)
{
    (void)state;
    vllm_ask(NOW, DEEPSEEK, BATCH, GIB);
    vllm_has_group(0, "mla", 2, 64, 73728, 128);
    vllm_ask(NOW, DEEPSEEK, BATCH ",\"vllm_mla_disable\":1", GIB);
    vllm_has_group(0, "full", 2, 16, 98304, 512);
    vllm_ask(NOW, DEEPSEEK, BATCH ",\"vllm_mla_disable\":1,\"tensor_parallel_size\":8", GIB);
    vllm_has_group(0, "full", 2, 16, 12288, 512);
    vllm_ask("0.6.6", DEEPSEEK, BATCH, GIB);
    vllm_has_group(0, "full", 2, 16, 131072, 512);
}

static void backends_set_the_block(void **state)
{
    (void)state;
    vllm_ask(NOW, DEEPSEEK, BATCH ",\"attention_backend\":\"CUTLASS_MLA\"", GIB);
    vllm_has_group(0, "mla", 2, 128, 147456, 64);
    vllm_ask(NOW, DEEPSEEK, BATCH ",\"attention_backend\":\"FLASHINFER_MLA\"", GIB);
    vllm_has_group(0, "mla", 2, 32, 36864, 256);
    vllm_ask(NOW, DEEPSEEK, BATCH ",\"attention_backend\":\"SOMEBODYS\"", GIB);
    vllm_cannot_say("attention_backend");
    vllm_ask(NOW, DEEPSEEK, BATCH ",\"attention_backend\":\"SOMEBODYS\",\"block_size\":64", GIB);
    vllm_has_group(0, "mla", 2, 64, 73728, 128);
    vllm_ask(NOW, DEEPSEEK, BATCH ",\"device\":\"rocm\"", GIB);
    vllm_cannot_say("attention_backend");
}

/* Rounded up to 576: latents by 4: 64 * 584 -> 37,440; by 128: 2 * 584 -> 1,728; keys of the indexer: 64 * 132 ->
 * 8,640; windows 64 * 584 -> 37,440.  Compressors: 4 * 2,048 * 4 -> 32,832, of the indexer 4 * 512 * 4 -> 8,640,
 * by 128: 8 * 1,024 * 4 -> 32,832.  Groups: MLA 2 * 37,440 + 1,728 + 2 * 8,640 = 93,888; windows four, of which
 * two a group; by 4 two of each; by 128 one.  In flight 4,096: ceil(4,223 / 64) + 1 = 67, ceil(4,103 / 4) + 1 =
 * 1,027, ceil(4,223 / 8) + 1 = 529. */
static void v4_has_blocks_of_its_own(void **state)
{
    (void)state;
    vllm_ask(NOW, V4, BATCH ",\"kv_cache_dtype\":\"fp8\"", GIB);
    vllm_has_groups(5);
    vllm_has_group(0, "uniform_type", 5, 256, 93888, 256);
    vllm_has_group(1, "uniform_type", 2, 64, 74880, 67);
    vllm_has_group(2, "uniform_type", 2, 64, 74880, 67);
    vllm_has_group(3, "uniform_type", 4, 4, 82944, 1027);
    vllm_has_group(4, "uniform_type", 1, 8, 32832, 529);
    assert_int_equal(vllm.answer->num_blocks.value, GIB / 93888);
    vllm_ask(NOW, V4, BATCH, GIB);
    vllm_cannot_say("kv_cache_dtype");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_are_kept_without_mla),
        cmocka_unit_test(backends_set_the_block),
        cmocka_unit_test(v4_has_blocks_of_its_own),
    };
    return cmocka_run_group_tests_name("engine/vllm_latents", tests, NULL, NULL);
}
