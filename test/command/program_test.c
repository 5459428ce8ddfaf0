/* Goal: whatever stands before an engine's program, its flags begin where they begin, and an engine that
 * is not known is named.
 * Method: command lines as people have them; the first word that is the engine's own. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <string.h>

#include "command/program.h"
#include "support/command_words.h"

static char buffer[16384];

static kvcap_code find(const char *line, struct command_words *words, struct kvc_program *program,
                       kvcap_error *error)
{
    struct kvc_arena arena;
    kvc_arena_over(&arena, buffer, sizeof buffer);
    command_words_split(words, line);
    return kvc_program_find(words->words, words->count, &arena, program, error);
}

#define V KVC_ENGINE_VLLM
#define L KVC_ENGINE_LLAMACPP

static const struct {
    const char *line;
    enum kvc_engine_id engine;
    const char *front;
    size_t words, variables;
    bool takes_model;
} KNOWN[] = {
    { "vllm serve MODEL", V, NULL, 2, 0, true },
    { "/opt/venv/bin/vllm serve MODEL", V, NULL, 2, 0, true },
    { "python -m vllm.entrypoints.openai.api_server --model M", V, NULL, 3, 0, false },
    { "python3 -m vllm.entrypoints.openai.api_server", V, NULL, 3, 0, false },
    { "/usr/bin/python3.12 -u -m vllm.entrypoints.api_server", V, NULL, 4, 0, false },
    { "python -m vllm.entrypoints.cli.main serve MODEL", V, NULL, 4, 0, true },
    { "A=1 B_2=x=y vllm serve MODEL", V, NULL, 4, 2, true },
    { "env A=1 vllm serve MODEL", V, NULL, 4, 1, true },
    { "env -u HOME A= vllm serve MODEL", V, NULL, 6, 1, true },
    { "sudo -E numactl -N 0 vllm serve MODEL", V, NULL, 7, 0, true },
    { "uv run --with vllm vllm serve MODEL", V, NULL, 6, 0, true },
    { "nohup python -m vllm.entrypoints.openai.api_server", V, NULL, 4, 0, false },
    { "docker run --gpus all -e A=1 --env B=2 --env=C=3 vllm/vllm-openai:v0.11.0 MODEL", V, NULL,
      10, 3, true },
    { "docker run vllm/vllm-openai vllm serve MODEL", V, NULL, 5, 0, true },
    { "podman run -d docker.io/vllm/vllm-openai:latest --model M", V, NULL, 4, 0, true },
    { "llama-server -m F", L, "llama-server", 1, 0, false },
    { "./build/bin/llama-server -m F", L, "llama-server", 1, 0, false },
    { "C:\\llama\\llama-server.exe -m F", L, "llama-server", 1, 0, false },
    { "./server -m F", L, "llama-server", 1, 0, false },
    { "llama-cli -m F", L, "llama-cli", 1, 0, false },
    { "./main -m F", L, "llama-cli", 1, 0, false },
    { "CUDA_VISIBLE_DEVICES=0 taskset -c 0-7 llama-server -m F", L, "llama-server", 5, 1, false },
    { "docker run -v /m:/m ghcr.io/ggml-org/llama.cpp:server-cuda -m F", L, "llama-server", 5, 0,
      false },
    { "docker run ghcr.io/ggml-org/llama.cpp:light -m F", L, "llama-cli", 3, 0, false },
};

static void flags_begin_behind_the_program(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof KNOWN / sizeof KNOWN[0]; i++) {
        struct command_words words;
        struct kvc_program program;
        kvcap_error error;
        if (find(KNOWN[i].line, &words, &program, &error) != KVCAP_OK)
            fail_msg("%s: %s", KNOWN[i].line, error.text);
        if (program.words != KNOWN[i].words || program.variables_count != KNOWN[i].variables ||
            program.engine != KNOWN[i].engine || program.takes_model != KNOWN[i].takes_model)
            fail_msg("%s: %zu words, %zu variables", KNOWN[i].line, program.words,
                     program.variables_count);
        if (KNOWN[i].front == NULL)
            assert_null(program.front.text);
        else
            assert_true(kvc_span_is(program.front, KNOWN[i].front));
    }
}

static const struct {
    const char *line, *at, *says;
    enum kvc_slug slug;
} REFUSED[] = {
    { "", "", "an engine's command line is due", KVC_USAGE_OPERANDS },
    { "A=1 B=2", "", "an engine's command line is due", KVC_USAGE_OPERANDS },
    { "nginx -g", "nginx", "this is no engine's program", KVC_USAGE_UNKNOWN_ENGINE },
    { "vllm", "vllm", "this is no engine's program: vllm serve", KVC_USAGE_UNKNOWN_ENGINE },
    { "vllm bench serve", "vllm", "this is no engine's program: vllm serve",
      KVC_USAGE_UNKNOWN_ENGINE },
    { "env A=1", "env", "this is no engine's program", KVC_USAGE_UNKNOWN_ENGINE },
    { "python serve.py", "python", "this is no engine's program", KVC_USAGE_UNKNOWN_ENGINE },
    { "python -m http.server", "http.server", "this is no engine's program",
      KVC_USAGE_UNKNOWN_ENGINE },
    { "nginx vllm serve MODEL", "nginx", "this is no engine's program", KVC_USAGE_UNKNOWN_ENGINE },
    { "llama-bench -m F", "llama-bench", "llama-server and llama-cli are known",
      KVC_USAGE_UNKNOWN_ENGINE },
    { "sglang serve M", "sglang", "the rules of SGLang", KVC_USAGE_UNKNOWN_ENGINE },
    { "python -m sglang.launch_server --model-path M", "sglang.launch_server",
      "the rules of SGLang", KVC_USAGE_UNKNOWN_ENGINE },
    { "A=1 python3 -m sglang.launch_server", "sglang.launch_server", "SGLang",
      KVC_USAGE_UNKNOWN_ENGINE },
    { "trtllm-serve M", "trtllm-serve", "the rules of TensorRT-LLM", KVC_USAGE_UNKNOWN_ENGINE },
    { "text-generation-launcher --model-id M", "text-generation-launcher", "the rules of TGI",
      KVC_USAGE_UNKNOWN_ENGINE },
    { "lmdeploy serve api_server M", "lmdeploy", "the rules of LMDeploy",
      KVC_USAGE_UNKNOWN_ENGINE },
    { "ollama run M", "ollama", "the rules of Ollama", KVC_USAGE_UNKNOWN_ENGINE },
    { "docker run lmsysorg/sglang:latest python", "lmsysorg/sglang:latest", "SGLang",
      KVC_USAGE_UNKNOWN_ENGINE },
    { "docker run ghcr.io/huggingface/text-generation-inference:3 --model-id M",
      "ghcr.io/huggingface/text-generation-inference:3", "TGI", KVC_USAGE_UNKNOWN_ENGINE },
};

static void others_are_refused_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof REFUSED / sizeof REFUSED[0]; i++) {
        struct command_words words;
        struct kvc_program program = { .words = 77 };
        kvcap_error error;
        assert_int_equal(find(REFUSED[i].line, &words, &program, &error), KVCAP_E_USAGE);
        if (!kvc_fail_is(&error, REFUSED[i].slug) || strcmp(error.at, REFUSED[i].at) != 0 ||
            strstr(error.text, REFUSED[i].says) == NULL)
            fail_msg("%s: %s at %s: %s", REFUSED[i].line, error.slug, error.at, error.text);
        assert_int_equal(program.words, 77);
    }
}

static void a_variable_has_a_name_and_a_value(void **state)
{
    (void)state;
    struct kvc_span name, value;
    assert_true(kvc_program_variable("A_1=b=c", &name, &value));
    assert_true(kvc_span_is(name, "A_1"));
    assert_true(kvc_span_is(value, "b=c"));
    assert_true(kvc_program_variable("--env=A=", &name, &value));
    assert_true(kvc_span_is(name, "A"));
    assert_int_equal(value.length, 0);
    assert_false(kvc_program_variable("=b", &name, &value));
    assert_false(kvc_program_variable("1A=b", &name, &value));
    assert_false(kvc_program_variable("A", &name, &value));
    assert_false(kvc_program_variable("A-B=c", &name, &value));
    assert_false(kvc_program_variable("--a=b", &name, &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_begin_behind_the_program),
        cmocka_unit_test(others_are_refused_by_name),
        cmocka_unit_test(a_variable_has_a_name_and_a_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
