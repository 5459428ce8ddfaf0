/* vllm_ranks_test.c - Goal: ranks divide heads, layers and tokens as vLLM lets them, and it refuses the rest.
 * Method: a Llama of four layers, one question each; expected numbers are worked out by hand beside them. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/vllm_ask.h"

#define GIB (UINT64_C(1) << 30)

#define NOW "2026-08-17"

/* A page of 16 tokens: 16 * 2 * (64 + 64) * 2 = 8,192 bytes, a block 32,768. */
static const char LLAMA[] = "{\"model_type\":\"llama\",\"num_hidden_layers\":4,\"hidden_size\":512,"
                            "\"num_attention_heads\":8,\"num_key_value_heads\":2,\"head_dim\":64,"
                            "\"torch_dtype\":\"bfloat16\",\"max_position_embeddings\":4096}";

static void query_heads_are_divided_evenly(void **state)
{
    (void)state;
    vllm_ask(NOW, LLAMA, "\"tensor_parallel_size\":8", GIB);
    vllm_has_group(0, "full", 4, 16, 4096, 256); /* one KV head, repeated */
    vllm_ask(NOW, LLAMA, "\"tensor_parallel_size\":3", GIB);
    vllm_refuses("Total number of attention heads (8) must be divisible");
    vllm_ask(NOW, LLAMA, "\"tensor_parallel_size\":16", GIB);
    vllm_refuses("Total number of attention heads (8) must be divisible");
}

static void ranks_share_the_tokens_of_attention(void **state)
{
    (void)state;
    vllm_ask(NOW, LLAMA, "\"tensor_parallel_size\":8,\"decode_context_parallel_size\":2", GIB);
    vllm_has_group(0, "full", 4, 16, 4096, 128);
    vllm_ask(NOW, LLAMA, "\"tensor_parallel_size\":2,\"decode_context_parallel_size\":2", GIB);
    vllm_refuses("must be greater than total num kv heads 2");
    vllm_ask(NOW, LLAMA, "\"tensor_parallel_size\":8,\"decode_context_parallel_size\":8", GIB);
    vllm_refuses("= 4, but got 8");
    vllm_ask(NOW, LLAMA, "\"tensor_parallel_size\":8,\"decode_context_parallel_size\":3", GIB);
    vllm_rejects("usage.bad_setting at /settings/decode_context_parallel_size");
}

/* Ranks of prefill divided them too, and were counted in the tokens, from 2025-11 to 2026-04-28. */
static void ranks_of_prefill_did_for_a_while(void **state)
{
    (void)state;
    vllm_ask("2026-02-20", LLAMA, "\"prefill_context_parallel_size\":2", GIB);
    vllm_has_pool(32768, 32768, 1048576, "256.00");
    vllm_ask(NOW, LLAMA, "\"prefill_context_parallel_size\":2", GIB);
    vllm_has_pool(32768, 32768, 524288, "128.00");
}

static void stages_are_as_they_are_told(void **state)
{
    (void)state;
    vllm_ask(NOW, LLAMA, "\"pipeline_parallel_size\":2,\"vllm_pp_layer_partition\":\"1,3\"", GIB);
    vllm_has_pool(43690, 24576, 699040, "170.66"); /* 2^30 / (3 * 8,192) */
    vllm_ask(NOW, LLAMA, "\"pipeline_parallel_size\":2,\"vllm_pp_layer_partition\":\"1,3,0\"", GIB);
    vllm_rejects("vllm_pp_layer_partition");
    vllm_ask(NOW, LLAMA, "\"pipeline_parallel_size\":2,\"vllm_pp_layer_partition\":\"1,2\"", GIB);
    vllm_rejects("vllm_pp_layer_partition");
    vllm_ask(NOW, LLAMA, "\"pipeline_parallel_size\":2,\"vllm_pp_layer_partition\":\"4\"", GIB);
    vllm_rejects("vllm_pp_layer_partition");
}

/* max_model_len -1 came on 2025-12-23. */
static void what_fits_is_sought(void **state)
{
    (void)state;
    vllm_ask(NOW, LLAMA, "\"max_model_len\":-1", 100 * 32768);
    vllm_has_pool(100, 32768, 1600, "1.00");
    vllm_ask("0.13.0", LLAMA, "\"max_model_len\":-1", GIB);
    vllm_rejects("usage.bad_setting at /settings/max_model_len");
    vllm_ask(NOW, LLAMA, "\"max_model_len\":-1", 32767);
    assert_non_null(vllm.answer);
    assert_int_equal(vllm.answer->decision, KVC_DECISION_EXCEEDS_CAPACITY);
    assert_int_equal(vllm.answer->needed_bytes.value, 32768);
    assert_false(vllm.answer->estimated_max_model_len.said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(query_heads_are_divided_evenly),
        cmocka_unit_test(ranks_share_the_tokens_of_attention),
        cmocka_unit_test(ranks_of_prefill_did_for_a_while),
        cmocka_unit_test(stages_are_as_they_are_told),
        cmocka_unit_test(what_fits_is_sought),
    };
    return cmocka_run_group_tests_name("engine/vllm_ranks", tests, NULL, NULL);
}
