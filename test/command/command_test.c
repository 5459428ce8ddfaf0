/* Goal: command lines that people run are read by the engines' own tables, whole.
 * Method: one of each kind, with the settings that it comes to, and how many flags are passed over. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <string.h>

#include "command/command.h"
#include "support/command_words.h"
#include "json/write.h"

static char buffer[1u << 18];

static const struct {
    const char *line, *settings;
    size_t ignored;
} LINES[] = {
    { "vllm serve ORG/MOE --enable-expert-parallel --tensor-parallel-size 8 --served-model-name "
      "moe "
      "--trust-remote-code --max-num-seqs 256 --gpu-memory-utilization 0.95 --tool-call-parser t "
      "--enable-auto-tool-choice --chat-template t.jinja",
      "{\"gpu_memory_utilization\":\"0.95\",\"max_num_seqs\":256,\"tensor_parallel_size\":8}", 6 },
    { "vllm serve ORG/HYBRID -tp 4 --speculative-config "
      "'{\"method\":\"mtp\",\"num_speculative_tokens\":2}' "
      "--no-enable-chunked-prefill --mamba-cache-mode align",
      "{\"enable_chunked_prefill\":false,\"mamba_cache_mode\":\"align\",\"speculative_config\":"
      "{\"method\":\"mtp\",\"num_speculative_tokens\":2},\"tensor_parallel_size\":4}",
      0 },
    { "vllm serve ORG/M --data-parallel-size 8 --data-parallel-size-local 4 "
      "--data-parallel-address 10.0.0.1 "
      "--data-parallel-rpc-port 13345 --headless --enable-eplb --all2all-backend "
      "deepep_low_latency",
      "{\"data_parallel_size\":8}", 6 },
    { "VLLM_ATTENTION_BACKEND=FLASHINFER vllm serve ORG/M --max-model-len 32K --cuda-graph-sizes 1 "
      "2 4 -O3 "
      "--limit-mm-per-prompt.image 0 --kv-cache-memory-bytes 4G --async-scheduling",
      "{\"async_scheduling\":true,\"attention_backend\":\"FLASHINFER\",\"kv_cache_memory_bytes\":"
      "4294967296,"
      "\"max_model_len\":32768}",
      3 },
    { "python -m vllm.entrypoints.openai.api_server --model ORG/M --swap-space 0 --dtype half "
      "--block-size 32 "
      "--enable-lora --lora-modules a=b c=d --max-loras 4 --quantization awq --seed 0",
      "{\"block_size\":32,\"dtype\":\"half\",\"swap_space\":\"0\"}", 5 },
    { "llama-server -m m.gguf --host 0.0.0.0 --port 8080 -c 32768 -ngl 99 -fa on -ctk q8_0 -ctv "
      "q8_0 --jinja "
      "-np 4 -b 2048 -ub 512 -t 16 --no-mmap --temp 0.7 --slots --metrics --mlock -a name",
      "{\"flash_attn\":\"on\",\"n_batch\":2048,\"n_ctx\":32768,\"n_gpu_layers\":99,\"n_seq_max\":4,"
      "\"n_ubatch\":512,\"type_k\":\"q8_0\",\"type_v\":\"q8_0\"}",
      10 },
    { "llama-server -hf ORG/N-GGUF --ctx-size 0 -ub 2048 -b 2048 --n-cpu-moe 12 -sm row -mg 0 -ts "
      "1,1 "
      "--chat-template-kwargs '{\"a\":\"b\"}'",
      "{\"main_gpu\":0,\"n_batch\":2048,\"n_cpu_moe\":12,\"n_ctx\":0,\"n_ubatch\":2048,\"split_"
      "mode\":\"row\","
      "\"tensor_split\":\"1,1\"}",
      1 },
    { "./main -m m.gguf -p 'Hello - world' -n 128 -no-cnv --color -i -ngl all -nkvo --override-kv "
      "x=int:3",
      "{\"n_gpu_layers\":\"all\",\"offload_kqv\":false}", 6 },
};

static void lines_that_people_run_are_read_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof LINES / sizeof LINES[0]; i++) {
        struct command_words words;
        struct kvc_command command;
        struct kvc_arena arena;
        kvcap_error error;
        kvc_arena_over(&arena, buffer, sizeof buffer);
        command_words_split(&words, LINES[i].line);
        if (kvc_command_read(words.words, words.count, NULL, 0, false, &arena, &command, &error) !=
            KVCAP_OK)
            fail_msg("%s: %s: %s", LINES[i].line, error.at, error.text);
        struct kvc_text text = { .arena = &arena };
        struct kvc_sink sink = kvc_text_sink(&text);
        kvc_write(command.settings, NULL, &sink);
        assert_string_equal(text.text, LINES[i].settings);
        assert_int_equal(command.ignored_count, LINES[i].ignored);
        assert_non_null(command.model.text);
        assert_null(command.secret);
    }
}

static void a_program_that_is_none_is_refused_before_its_flags(void **state)
{
    (void)state;
    struct command_words words;
    struct kvc_command command;
    struct kvc_arena arena;
    kvcap_error error;
    kvc_arena_over(&arena, buffer, sizeof buffer);
    command_words_split(&words, "sglang serve --no-such-flag");
    assert_int_equal(
        kvc_command_read(words.words, words.count, NULL, 0, true, &arena, &command, &error),
        KVCAP_E_USAGE);
    assert_true(kvc_fail_is(&error, KVC_USAGE_UNKNOWN_ENGINE));
    assert_string_equal(error.at, "sglang");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_that_people_run_are_read_whole),
        cmocka_unit_test(a_program_that_is_none_is_refused_before_its_flags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
