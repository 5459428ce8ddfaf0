/* vllm_refusal_test.c - Goal: where a context does not fit vLLM refuses in the words of its release.
 * Method: a Llama whose cache needs 16 GiB, with less; the words are those of logs of the time: issue 16118
 * (v0.8.3), issue 27508 (v0.11.0), issue 34076 (v0.15.2rc1), and kv_cache_utils.py of July 2026. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/vllm_ask.h"

#define GIB (UINT64_C(1) << 30)

/* 131,072 tokens of 4 layers, 8 heads, 2 * 1,024 elements of 2 bytes: 16 GiB. */
static const char LLAMA[] =
    "{\"model_type\":\"llama\",\"num_hidden_layers\":4,\"hidden_size\":4096,"
    "\"num_attention_heads\":8,\"num_key_value_heads\":8,\"head_dim\":1024,"
    "\"torch_dtype\":\"bfloat16\",\"max_position_embeddings\":131072}";

#define SEE " See https://docs.vllm.ai/en/latest/configuration/conserving_memory/ for more details."

static void refuses(const char *version, uint64_t available, const char *words)
{
    vllm_ask(version, LLAMA, "", available);
    assert_non_null(vllm.answer);
    assert_int_equal(vllm.answer->decision, KVC_DECISION_EXCEEDS_CAPACITY);
    assert_string_equal(vllm.answer->refusal_text.text, words);
}

static void words_are_of_the_release(void **state)
{
    (void)state;
    refuses("0.8.3", 5 * GIB,
            "To serve at least one request with the models's max seq len (131072), (16.00 GiB KV "
            "cache is needed, which is larger than the available KV cache memory (5.00 GiB). Try "
            "increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing "
            "the engine.");
    refuses("0.11.0", 5 * GIB,
            "To serve at least one request with the models's max seq len (131072), (16.00 GiB KV "
            "cache is needed, which is larger than the available KV cache memory (5.00 GiB). Based "
            "on the available memory, the estimated maximum model length is 40960. Try increasing "
            "`gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.");
    refuses("0.15.0", 5 * GIB,
            "To serve at least one request with the models's max seq len (131072), (16.0 GiB KV "
            "cache is needed, which is larger than the available KV cache memory (5.0 GiB). Based "
            "on the available memory, the estimated maximum model length is 40960. Try increasing "
            "`gpu_memory_utilization` or decreasing `max_model_len` when initializing the "
            "engine." SEE);
    refuses("0.27.1", 5 * GIB,
            "To serve at least one request with the model's max seq len (131072), (16.0 GiB KV "
            "cache is needed, which is larger than the available KV cache memory (5.0 GiB). Based "
            "on the available memory, the estimated maximum model length is 40960. Try increasing "
            "`gpu_memory_utilization` (which also controls CPU memory on the CPU backend) or "
            "decreasing `max_model_len` when initializing the engine." SEE);
}

/* Less than a block: there is no length to name. */
static void without_a_length_none_is_named(void **state)
{
    (void)state;
    refuses("0.11.0", 1,
            "To serve at least one request with the models's max seq len (131072), (16.00 GiB KV "
            "cache is needed, which is larger than the available KV cache memory (0.00 GiB). Try "
            "increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing "
            "the engine.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_of_the_release),
        cmocka_unit_test(without_a_length_none_is_named),
    };
    return cmocka_run_group_tests_name("engine/vllm_refusal", tests, NULL, NULL);
}
