/* vllm_speculative_test.c - Goal: drafted tokens change what vLLM caches as their method does, and a draft
 * model that nobody has read is never counted.
 * Method: a DeepSeek of two layers and a Gemma 3 of six, one question each; expected numbers are worked
 * out by hand beside them, from vllm/config/speculative.py and the specs of 017e9f4. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/vllm_ask.h"

#define GIB (UINT64_C(1) << 30)

#define NOW "2026-08-17"

/* A page of 64 tokens: 64 * (512 + 64) * 2 = 73,728 bytes. */
static const char DEEPSEEK[] =
    "{\"model_type\":\"deepseek_v3\",\"num_hidden_layers\":2,\"hidden_size\":512,"
    "\"num_attention_heads\":8,\"num_key_value_heads\":8,\"kv_lora_rank\":512,"
    "\"qk_rope_head_dim\":64,\"qk_nope_head_dim\":128,\"v_head_dim\":128,"
    "\"num_nextn_predict_layers\":1,\"torch_dtype\":\"bfloat16\",\"max_position_embeddings\":8192}";

/* Five layers slide by 512, one does not; a page of 16 tokens: 16 * 2 * (64 + 64) * 2 = 8,192. */
static const char GEMMA[] =
    "{\"model_type\":\"gemma3_text\",\"num_hidden_layers\":6,\"hidden_size\":512,"
    "\"num_attention_heads\":8,\"num_key_value_heads\":2,\"head_dim\":64,\"sliding_window\":512,"
    "\"torch_dtype\":\"bfloat16\",\"max_position_embeddings\":8192}";

#define BATCH "\"max_num_batched_tokens\":2048"
#define DRAFTS(text) ",\"speculative_config\":{" text "}"

/* The model's own draft layer is one more in every block: 3 * 73,728. */
static void mtp_adds_its_layers(void **state)
{
    (void)state;
    vllm_ask(NOW, DEEPSEEK, BATCH, GIB);
    vllm_has_pool(7281, 147456, 465984, "56.88");
    vllm_ask(NOW, DEEPSEEK, BATCH DRAFTS("\"method\":\"mtp\",\"num_speculative_tokens\":1"), GIB);
    vllm_has_pool(4854, 221184, 310656, "37.92");
    vllm_has_group(0, "mla", 3, 64, 73728, 128);
    vllm_ask(NOW, DEEPSEEK,
             BATCH DRAFTS("\"method\":\"deepseek_mtp\",\"num_speculative_tokens\":1"), GIB);
    vllm_has_pool(4854, 221184, 310656, "37.92");
}

/* A window keeps 511 tokens and those in flight: of two batches 4,607 of 16 and one block more, 289; an
 * n-gram drafter on the host stops async scheduling, so of one batch 2,559, 161.  One on the device does not. */
static void ngram_stops_async_scheduling(void **state)
{
    (void)state;
    vllm_ask(NOW, GEMMA, BATCH, GIB);
    vllm_has_group(0, "sliding_window", 1, 16, 8192, 289);
    vllm_ask(NOW, GEMMA, BATCH DRAFTS("\"method\":\"ngram\",\"num_speculative_tokens\":2"), GIB);
    vllm_has_group(0, "sliding_window", 1, 16, 8192, 161);
    vllm_ask(NOW, GEMMA, BATCH DRAFTS("\"model\":\"[ngram]\",\"num_speculative_tokens\":2"), GIB);
    vllm_has_group(0, "sliding_window", 1, 16, 8192, 161);
    vllm_ask(NOW, GEMMA, BATCH DRAFTS("\"method\":\"ngram_gpu\",\"num_speculative_tokens\":2"),
             GIB);
    vllm_has_group(0, "sliding_window", 1, 16, 8192, 289);
    vllm_has_groups(6);
}

static void heads_have_no_cache(void **state)
{
    (void)state;
    vllm_ask(NOW, DEEPSEEK, BATCH DRAFTS("\"method\":\"medusa\",\"num_speculative_tokens\":3"),
             GIB);
    vllm_has_pool(7281, 147456, 465984, "56.88");
    vllm_ask(NOW, DEEPSEEK, BATCH DRAFTS("\"method\":\"suffix\",\"num_speculative_tokens\":3"),
             GIB);
    vllm_has_pool(7281, 147456, 465984, "56.88");
}

static void what_is_missing_is_named(void **state)
{
    (void)state;
    vllm_ask(NOW, GEMMA,
             BATCH DRAFTS("\"method\":\"eagle3\",\"model\":\"a/b\",\"num_speculative_tokens\":2"),
             GIB);
    vllm_cannot_say("speculative_config/model");
    vllm_ask(NOW, GEMMA, BATCH DRAFTS("\"model\":\"a/b\",\"num_speculative_tokens\":2"), GIB);
    vllm_cannot_say("speculative_config/method");
    vllm_ask(NOW, GEMMA, BATCH DRAFTS("\"method\":\"psychic\",\"num_speculative_tokens\":2"), GIB);
    vllm_cannot_say("speculative_config/method");
    vllm_ask(NOW, GEMMA, BATCH DRAFTS("\"method\":7,\"num_speculative_tokens\":2"), GIB);
    vllm_cannot_say("speculative_config/method");
    vllm_ask(NOW, GEMMA, BATCH DRAFTS("\"method\":\"mtp\",\"num_speculative_tokens\":2"), GIB);
    vllm_cannot_say("speculative_config");
    vllm_ask(NOW, DEEPSEEK,
             BATCH DRAFTS("\"method\":\"mtp\",\"model\":\"a/b\",\"num_speculative_tokens\":1"),
             GIB);
    vllm_cannot_say("speculative_config/model");
    vllm_ask(NOW, GEMMA, BATCH DRAFTS("\"method\":\"ngram\""), GIB);
    vllm_cannot_say("speculative_config/num_speculative_tokens");
}

static void numbers_are_numbers(void **state)
{
    (void)state;
    vllm_ask(NOW, GEMMA, BATCH DRAFTS("\"method\":\"ngram\",\"num_speculative_tokens\":\"2\""),
             GIB);
    vllm_rejects("usage.bad_setting at /settings/speculative_config");
    vllm_ask(NOW, GEMMA, BATCH DRAFTS("\"method\":\"ngram\",\"num_speculative_tokens\":0"), GIB);
    vllm_rejects("usage.bad_setting at /settings/speculative_config");
    vllm_ask(NOW, GEMMA, BATCH DRAFTS("\"method\":\"ngram\",\"num_speculative_tokens\":5000"), GIB);
    vllm_rejects("usage.bad_setting at /settings/speculative_config");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mtp_adds_its_layers), cmocka_unit_test(ngram_stops_async_scheduling),
        cmocka_unit_test(heads_have_no_cache), cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(numbers_are_numbers),
    };
    return cmocka_run_group_tests_name("engine/vllm_speculative", tests, NULL, NULL);
}
