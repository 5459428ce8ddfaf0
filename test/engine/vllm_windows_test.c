/* vllm_windows_test.c - Goal: who groups layers that slide or attend in chunks, and who holds them whole, goes by
 * the release, the platform, the connector and what was asked for.
 * Method: a Gemma 3 of six layers and a Llama 4 of four, one question each; expected numbers are worked out by
 * hand beside them, from VllmConfig.__post_init__ and vllm/v1/core/kv_cache_utils.py. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/vllm_ask.h"

#define GIB (UINT64_C(1) << 30)

#define NOW "2026-08-17"
#define BATCH "\"max_num_batched_tokens\":2048"
#define ALLOW ",\"vllm_allow_chunked_local_attn_with_hybrid_kv_cache\":"

/* A page of 16 tokens: 16 * 2 * (64 + 64) * 2 = 8,192 bytes. */
static const char GEMMA[] =
    "{\"model_type\":\"gemma3_text\",\"num_hidden_layers\":6,\"hidden_size\":512,"
    "\"num_attention_heads\":8,\"num_key_value_heads\":2,\"head_dim\":64,\"sliding_window\":512,"
    "\"torch_dtype\":\"bfloat16\",\"max_position_embeddings\":8192}";

static const char LLAMA4[] =
    "{\"model_type\":\"llama4_text\",\"num_hidden_layers\":4,\"hidden_size\":512,"
    "\"num_attention_heads\":8,\"num_key_value_heads\":2,\"head_dim\":64,"
    "\"attention_chunk_size\":1024,\"no_rope_layers\":[1,1,1,0],\"torch_dtype\":\"bfloat16\","
    "\"max_position_embeddings\":8192}";

/* 131,072 / (5 * 289 + 512); held whole: 2^30 / 49,152 = 21,845 blocks, over 512. */
static void windows_are_grouped_unless_told(void **state)
{
    (void)state;
    vllm_ask(NOW, GEMMA, BATCH, GIB);
    vllm_has_pool(131072, 8192, 548667, "66.98");
    vllm_ask(NOW, GEMMA, BATCH ",\"disable_hybrid_kv_cache_manager\":true", GIB);
    vllm_has_pool(21845, 49152, 349520, "42.67");
    vllm_has_group(0, "full", 6, 16, 8192, 512);
}

static void connectors_turned_it_off(void **state)
{
    (void)state;
    vllm_ask("0.12.0", GEMMA, BATCH ",\"kv_transfer_config\":{\"kv_connector\":\"A\"}", GIB);
    vllm_has_groups(1);
    vllm_ask(NOW, GEMMA, BATCH ",\"kv_transfer_config\":{\"kv_connector\":\"A\"}", GIB);
    vllm_cannot_say("kv_transfer_config");
    vllm_ask(NOW, GEMMA,
             BATCH ",\"kv_transfer_config\":{},\"disable_hybrid_kv_cache_manager\":false", GIB);
    vllm_has_groups(6);
}

/* min(1,024 + 4,096, 8,192) / 16 = 320 blocks each of three groups. */
static void chunks_are_grouped_by_the_day(void **state)
{
    (void)state;
    vllm_ask(NOW, LLAMA4, BATCH, GIB);
    vllm_has_group(0, "chunked_local", 1, 16, 8192, 320);
    vllm_has_groups(4);
    vllm_ask(NOW, LLAMA4, BATCH ALLOW "0", GIB);
    vllm_has_group(0, "full", 4, 16, 8192, 512);
    vllm_ask("0.11.0", LLAMA4, BATCH, GIB);
    vllm_has_group(0, "full", 4, 16, 8192, 512);
    vllm_ask("0.11.0", LLAMA4, BATCH ALLOW "1", GIB);
    vllm_has_groups(4);
    vllm_ask("0.10.0", LLAMA4, BATCH, GIB);
    vllm_has_groups(4);
    vllm_ask("0.13.0", LLAMA4, BATCH, GIB);
    vllm_cannot_say("vllm_allow_chunked_local_attn_with_hybrid_kv_cache");
}

static void asking_for_what_cannot_be_is_refused(void **state)
{
    (void)state;
    vllm_ask(NOW, LLAMA4, BATCH ALLOW "0,\"disable_hybrid_kv_cache_manager\":false", GIB);
    vllm_refuses("explicitly enabled but is not supported");
}

/* 2,048 tokens a step of a server on a CPU, which is not ahead: ceil(2,559 / 128) + 1 = 21. */
static void a_cpu_has_blocks_of_128(void **state)
{
    (void)state;
    vllm_ask(NOW, GEMMA, "\"device\":\"cpu\",\"vllm_cpu_kvcache_space\":1", 0);
    vllm_has_groups(6);
    vllm_has_group(5, "full", 1, 128, 65536, 64);
    vllm_ask("0.9.2", GEMMA, "\"device\":\"cpu\"", 0);
    vllm_cannot_say("block_size");
    vllm_ask("0.9.2", GEMMA, "\"device\":\"cpu\",\"block_size\":16", 0);
    vllm_has_pool(87381, 49152, 1398096, "170.67"); /* 4 GiB / 49,152 */
    vllm_ask(NOW, GEMMA, "\"device\":\"hpu\"," BATCH, GIB);
    vllm_cannot_say("device");
}

static void tokens_are_not_shared_out_where_layers_slide(void **state)
{
    (void)state;
    vllm_ask(NOW, GEMMA, BATCH ",\"tensor_parallel_size\":4,\"decode_context_parallel_size\":2",
             GIB);
    vllm_refuses("DCP not support sliding window");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_are_grouped_unless_told),
        cmocka_unit_test(connectors_turned_it_off),
        cmocka_unit_test(chunks_are_grouped_by_the_day),
        cmocka_unit_test(asking_for_what_cannot_be_is_refused),
        cmocka_unit_test(a_cpu_has_blocks_of_128),
        cmocka_unit_test(tokens_are_not_shared_out_where_layers_slide),
    };
    return cmocka_run_group_tests_name("engine/vllm_windows", tests, NULL, NULL);
}
