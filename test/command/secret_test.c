/* Goal: what holds a token or key is known by its name or its looks, and what does not is left alone.
 * Method: one line each. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>

#include "command/secret.h"
#include "engine/engine.h"

static void names_of_secrets_are_known(void **state)
{
    (void)state;
    static const char *const SECRET[] = { "--api-key",
                                          "--hf-token",
                                          "-hft",
                                          "HF_TOKEN",
                                          "api_key",
                                          "VLLM_API_KEY",
                                          "HUGGING_FACE_HUB_TOKEN",
                                          "AWS_SECRET_ACCESS_KEY",
                                          "--ssl-keyfile-password",
                                          "DB_PASSWORD",
                                          "--x.token" };
    static const char *const OPEN[] = { "--max-num-batched-tokens",
                                        "--tokenizer",
                                        "--ssl-keyfile",
                                        "--api-key-file",
                                        "--cache-type-k",
                                        "TOKENIZERS_PARALLELISM",
                                        "--keep",
                                        "--monkey",
                                        "",
                                        "-h" };
    for (size_t i = 0; i < sizeof SECRET / sizeof SECRET[0]; i++)
        assert_true(kvc_secret_name(kvc_span_of(SECRET[i])));
    for (size_t i = 0; i < sizeof OPEN / sizeof OPEN[0]; i++)
        assert_false(kvc_secret_name(kvc_span_of(OPEN[i])));
}

static void words_that_look_like_secrets_are_known(void **state)
{
    (void)state;
    static const char *const SECRET[] = { "hf_abcdefghijklmnopqrstuvwxyz",
                                          "sk-proj-0123456789abcdefgh",
                                          "https://user:pass@host/path", "http://u:@h" };
    static const char *const OPEN[] = { "hf_transfer",
                                        "hf_abcdefghijklmnopqrst/uvw",
                                        "sk-1",
                                        "https://host:8000/a@b",
                                        "https://user@host/",
                                        "a:b@c",
                                        "",
                                        "://",
                                        "s3://bucket/x:y@z" };
    for (size_t i = 0; i < sizeof SECRET / sizeof SECRET[0]; i++)
        assert_true(kvc_secret_word(kvc_span_of(SECRET[i])));
    for (size_t i = 0; i < sizeof OPEN / sizeof OPEN[0]; i++)
        assert_false(kvc_secret_word(kvc_span_of(OPEN[i])));
}

/* Else its value would never reach the settings. */
static void no_setting_that_sizes_is_called_like_a_secret(void **state)
{
    (void)state;
    for (int id = 0; id < KVC_ENGINE_COUNT; id++) {
        const struct kvc_engine *engine = kvc_engine_of((enum kvc_engine_id)id);
        for (size_t i = 0; i < engine->settings_count; i++)
            assert_false(engine->settings[i].sizes &&
                         kvc_secret_name(kvc_span_of(engine->settings[i].name)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_secrets_are_known),
        cmocka_unit_test(words_that_look_like_secrets_are_known),
        cmocka_unit_test(no_setting_that_sizes_is_called_like_a_secret),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
