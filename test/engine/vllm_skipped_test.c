/* vllm_skipped_test.c - Goal: layers that keep the model's own type weigh what they weigh, and where it is not known
 * how their pages are padded nothing is said.
 * Method: a Llama of six layers and a Gemma 3, one question each; expected numbers are worked out by hand. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/vllm_ask.h"

#define GIB (UINT64_C(1) << 30)

#define NOW "2026-08-17"
#define SKIP ",\"kv_cache_dtype_skip_layers\":"

/* Pages of 16 tokens: 8,192 bytes, 4,096 of fp8. */
static const char LLAMA[] = "{\"model_type\":\"llama\",\"num_hidden_layers\":6,\"hidden_size\":512,"
                            "\"num_attention_heads\":8,\"num_key_value_heads\":2,\"head_dim\":64,"
                            "\"torch_dtype\":\"bfloat16\",\"max_position_embeddings\":4096}";

static const char GEMMA[] =
    "{\"model_type\":\"gemma3_text\",\"num_hidden_layers\":6,\"hidden_size\":512,"
    "\"num_attention_heads\":8,\"num_key_value_heads\":2,\"head_dim\":64,\"sliding_window\":512,"
    "\"torch_dtype\":\"bfloat16\",\"max_position_embeddings\":8192}";

/* 2 * 8,192 + 4 * 4,096 = 32,768, in one group of unlike pages. */
static void skipped_layers_weigh_more(void **state)
{
    (void)state;
    vllm_ask(NOW, LLAMA, "\"kv_cache_dtype\":\"fp8\"" SKIP "[0,\"5\"]", GIB);
    vllm_has_pool(32768, 32768, 524288, "128.00");
    vllm_has_group(0, "uniform_type", 6, 16, 32768, 256);
    vllm_ask(NOW, LLAMA, "\"kv_cache_dtype\":\"fp8\"" SKIP "\"0,5\"", GIB);
    vllm_has_pool(32768, 32768, 524288, "128.00");
    vllm_ask(NOW, LLAMA, "\"kv_cache_dtype\":\"fp8\"" SKIP "[0,5],\"pipeline_parallel_size\":2",
             GIB);
    vllm_has_pool(65536, 16384, 1048576, "256.00"); /* a stage: 8,192 + 2 * 4,096 */
    vllm_ask(NOW, LLAMA, &(SKIP "[0]")[1], GIB);    /* all have the model's type already */
    vllm_has_group(0, "full", 6, 16, 8192, 256);
}

static void members_are_layers(void **state)
{
    (void)state;
    vllm_ask(NOW, LLAMA, "\"kv_cache_dtype\":\"fp8\"" SKIP "[6]", GIB);
    vllm_cannot_say("kv_cache_dtype_skip_layers");
    vllm_ask(NOW, LLAMA, "\"kv_cache_dtype\":\"fp8\"" SKIP "[\"first\"]", GIB);
    vllm_cannot_say("kv_cache_dtype_skip_layers");
    vllm_ask(NOW, GEMMA,
             "\"max_num_batched_tokens\":2048,\"kv_cache_dtype\":\"fp8\"" SKIP
             "[\"sliding_window\"]",
             GIB);
    vllm_cannot_say("kv_cache_dtype_skip_layers");
}

/* Two at either end stay (TurboQuantConfig.get_boundary_skip_layers): 4 * 8,192; of a token and head the others
 * keep 64 + 64 / 2 + 4 = 100 bytes: 2 * 16 * 2 * 100 = 6,400. */
static void turboquant_skips_the_ends(void **state)
{
    (void)state;
    vllm_ask(NOW, LLAMA, "\"kv_cache_dtype\":\"turboquant_k8v4\"", GIB);
    vllm_has_group(0, "uniform_type", 6, 16, 39168, 256);
    vllm_ask(NOW, GEMMA, "\"max_num_batched_tokens\":2048,\"kv_cache_dtype\":\"turboquant_k8v4\"",
             GIB);
    vllm_cannot_say("kv_cache_dtype");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skipped_layers_weigh_more),
        cmocka_unit_test(members_are_layers),
        cmocka_unit_test(turboquant_skips_the_ends),
    };
    return cmocka_run_group_tests_name("engine/vllm_skipped", tests, NULL, NULL);
}
