/* vllm_hybrid_test.c - Goal: a hybrid model's recurrent groups hold the blocks of the mode that its release, its
 * class and its settings come to, and the first engine keeps none of them.
 * Method: a Qwen3-Next and a Jamba of four layers, three of them recurrent; expected numbers are worked out
 * by hand beside them, from MambaModelConfig and _align_hybrid_block_size of vLLM. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/vllm_ask.h"

#define GIB (UINT64_C(1) << 30)

#define NOW "2026-08-17"
#define BATCH "\"max_num_batched_tokens\":2048"
#define ON ",\"enable_prefix_caching\":true"
#define OFF ",\"enable_prefix_caching\":false"

/* State: 3 * (2*4*64 + 8*64) + 8*64*64 = 35,840 elements, 71,680 bytes.  A token of attention: 2 * 128 * 2 =
 * 512 bytes, so 16 * ceil(71,680 / 8,192) = 144 tokens, 73,728 bytes; floor(2^30 / 73,728) = 14,563 blocks. */
static const char QWEN[] =
    "{\"model_type\":\"qwen3_next\",\"num_hidden_layers\":4,\"hidden_size\":512,"
    "\"num_attention_heads\":8,\"num_key_value_heads\":2,\"head_dim\":64,"
    "\"full_attention_interval\":4,\"linear_num_key_heads\":4,\"linear_num_value_heads\":8,"
    "\"linear_key_head_dim\":64,\"linear_value_head_dim\":64,\"linear_conv_kernel_dim\":4,"
    "\"torch_dtype\":\"bfloat16\",\"max_position_embeddings\":8192}";

/* State: 3 * 1,024 + 1,024 * 16 = 19,456 elements, 38,912 bytes: 80 tokens of 512 bytes. */
static const char JAMBA[] =
    "{\"model_type\":\"jamba\",\"num_hidden_layers\":4,\"hidden_size\":512,"
    "\"num_attention_heads\":8,\"num_key_value_heads\":2,\"attn_layer_period\":4,"
    "\"attn_layer_offset\":3,\"mamba_d_state\":16,\"mamba_d_conv\":4,\"mamba_expand\":2,"
    "\"mamba_dt_rank\":32,\"torch_dtype\":\"bfloat16\",\"max_position_embeddings\":8192}";

static const char FALCON_MAMBA[] =
    "{\"model_type\":\"falcon_mamba\",\"num_hidden_layers\":4,\"hidden_size\":512,"
    "\"intermediate_size\":1024,\"state_size\":16,\"conv_kernel\":4,\"torch_dtype\":\"bfloat16\"}";

/* Two blocks a recurrent group and ceil(8,192 / 144) = 57: 14,563 / 63.  Without: 14,563 / 60. */
static void prefixes_are_cached_by_default_since_028(void **state)
{
    (void)state;
    vllm_ask(NOW, QWEN, BATCH, GIB);
    vllm_has_pool(14563, 73728, 1893652, "231.16");
    vllm_has_group(0, "mamba", 1, 144, 73728, 2);
    vllm_has_group(3, "full", 1, 144, 73728, 57);
    vllm_ask("0.27.1", QWEN, BATCH, GIB);
    vllm_has_pool(14563, 73728, 1988334, "242.72");
    vllm_has_group(0, "mamba", 1, 8192, 73728, 1);
    vllm_ask("0.27.1", QWEN, BATCH ON, GIB);
    vllm_has_group(0, "mamba", 1, 144, 73728, 2);
}

static void the_mode_follows_prefix_caching(void **state)
{
    (void)state;
    vllm_ask(NOW, QWEN, BATCH OFF ",\"mamba_cache_mode\":\"align\"", GIB);
    vllm_has_group(0, "mamba", 1, 8192, 73728, 1);
    vllm_ask(NOW, QWEN, BATCH ",\"mamba_cache_mode\":\"none\"", GIB);
    vllm_has_group(0, "mamba", 1, 144, 73728, 2);
    vllm_ask(NOW, QWEN, BATCH ",\"mamba_cache_mode\":\"all\"", GIB); /* its class has no all */
    vllm_has_group(0, "mamba", 1, 144, 73728, 2);
}

/* All, of a chunk of 64: 64 * ceil(ceil(38,912 / 512) / 64) = 128 tokens, 65,536 bytes, 64 blocks each. */
static void the_class_has_the_mode_all(void **state)
{
    (void)state;
    vllm_ask("0.25.0", JAMBA, BATCH ON ",\"mamba_block_size\":64", GIB);
    vllm_has_pool(16384, 65536, 524288, "64.00");
    vllm_has_group(0, "mamba", 1, 128, 65536, 64);
    vllm_ask("0.11.1", JAMBA, BATCH ON ",\"mamba_block_size\":64", GIB);
    vllm_has_group(0, "mamba", 1, 128, 65536, 64);
    vllm_ask("0.11.0", JAMBA, BATCH ON ",\"mamba_block_size\":64", GIB);
    vllm_has_group(0, "mamba", 1, 8192, 40960, 1);
    vllm_ask(NOW, JAMBA, BATCH ",\"mamba_block_size\":64", GIB);
    vllm_has_group(0, "mamba", 1, 80, 40960, 2);
    vllm_ask("0.25.0", JAMBA, BATCH ON, GIB); /* Mamba 1 has no chunk: 2,048 tokens of 512 bytes */
    vllm_has_group(0, "mamba", 1, 2048, 1048576, 4);
}

static void without_attention_prefixes_are_not(void **state)
{
    (void)state;
    vllm_ask(NOW, FALCON_MAMBA, "\"max_model_len\":4096", GIB);
    vllm_has_group(0, "mamba", 4, 4096, 38912, 1);
    vllm_ask(NOW, FALCON_MAMBA, "", GIB); /* no key of a context: 2,048 */
    vllm_has_group(0, "mamba", 4, 2048, 38912, 1);
}

/* Its blocks are of attention alone: one layer of 8,192 bytes. */
static void the_first_engine_keeps_no_state_in_blocks(void **state)
{
    (void)state;
    vllm_ask("0.8.5", JAMBA, BATCH, GIB);
    vllm_has_pool(131072, 8192, 2097152, "256.00");
    vllm_has_groups(1);
    vllm_ask("0.10.2", JAMBA, BATCH, GIB);
    vllm_cannot_say("vllm_use_v1");
    vllm_ask("0.10.2", JAMBA, BATCH ",\"vllm_use_v1\":1", GIB);
    vllm_has_groups(4);
}

/* Layers of unlike heads: which of them it takes for all is not known. */
static void the_first_engine_weighs_all_layers_alike(void **state)
{
    static const char GEMMA4[] =
        "{\"model_type\":\"gemma4_text\",\"num_hidden_layers\":6,\"hidden_size\":512,"
        "\"num_attention_heads\":8,\"num_key_value_heads\":2,\"head_dim\":64,"
        "\"global_head_dim\":256,\"sliding_window\":512,"
        "\"layer_types\":[\"sliding_attention\",\"sliding_attention\",\"sliding_attention\","
        "\"sliding_attention\",\"sliding_attention\",\"full_attention\"],"
        "\"num_kv_shared_layers\":0,\"torch_dtype\":\"bfloat16\",\"max_position_embeddings\":8192}";
    (void)state;
    vllm_ask("0.6.6", GEMMA4, BATCH, GIB);
    vllm_cannot_say("vllm_use_v1");
}

static void without_the_hybrid_manager_it_does_not_start(void **state)
{
    (void)state;
    vllm_ask(NOW, JAMBA, BATCH ",\"disable_hybrid_kv_cache_manager\":true", GIB);
    vllm_refuses("failed to convert the KV cache specs to one unified type");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefixes_are_cached_by_default_since_028),
        cmocka_unit_test(the_mode_follows_prefix_caching),
        cmocka_unit_test(the_class_has_the_mode_all),
        cmocka_unit_test(without_attention_prefixes_are_not),
        cmocka_unit_test(the_first_engine_keeps_no_state_in_blocks),
        cmocka_unit_test(the_first_engine_weighs_all_layers_alike),
        cmocka_unit_test(without_the_hybrid_manager_it_does_not_start),
    };
    return cmocka_run_group_tests_name("engine/vllm_hybrid", tests, NULL, NULL);
}
