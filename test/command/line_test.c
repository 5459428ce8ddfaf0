/* Goal: the words of a command line become the settings that the engine's own parser would have, or are
 * refused at their flag; a secret's value is nowhere afterwards.
 * Method: small tables of settings of our own, one line a case: the words, and the settings as canonical
 * JSON; refusals by slug and place. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "command/line.h"
#include "support/command_words.h"
#include "json/write.h"

/* ---- Tables ----------------------------------------------------------------------------------- */

static const char *const FORMATS[] = { "auto", "fp8", NULL };
static const char *const SWITCH[] = { "on", "off", "auto", NULL };
static const char *const ON_OFF[] = { "on", "off", NULL };

#define COUNT .type = KVC_SETTING_COUNT, .sizes = true, .takes_value = true
#define TRUTH .type = KVC_SETTING_TRUTH, .sizes = true
#define TEXT .type = KVC_SETTING_TEXT, .takes_value = true

static const struct kvc_setting_row VLLM[] = {
    { .name = "model", .flags = "--model", TEXT, .text = "model" },
    { .name = "max_model_len",
      .flags = "--max-model-len",
      .type = KVC_SETTING_SIGNED,
      .min = 1,
      .max = 1u << 30,
      .units = true,
      .sizes = true,
      .takes_value = true,
      .text = "tokens" },
    { .name = "max_num_seqs",
      .flags = "--max-num-seqs",
      COUNT,
      .min = 1,
      .max = 4096,
      .text = "sequences" },
    { .name = "tensor_parallel_size",
      .flags = "--tensor-parallel-size|-tp",
      COUNT,
      .min = 1,
      .max = 64,
      .text = "ranks" },
    { .name = "cache_bytes",
      .flags = "--cache-bytes",
      COUNT,
      .max = UINT64_C(9007199254740991),
      .units = true,
      .text = "bytes" },
    { .name = "kv_cache_dtype",
      .flags = "--kv-cache-dtype",
      TEXT,
      .words = FORMATS,
      .sizes = true,
      .text = "format" },
    { .name = "utilization",
      .flags = "--utilization",
      .type = KVC_SETTING_FRACTION,
      .sizes = true,
      .takes_value = true,
      .text = "share" },
    { .name = "enable_prefix_caching",
      .flags = "--enable-prefix-caching",
      .no_flags = "--no-enable-prefix-caching",
      TRUTH,
      .text = "prefixes" },
    { .name = "speculative_config",
      .flags = "--speculative-config|-sc",
      .type = KVC_SETTING_OBJECT,
      .sizes = true,
      .takes_value = true,
      .text = "drafts" },
    { .name = "skip_layers",
      .flags = "--skip-layers",
      .type = KVC_SETTING_LIST,
      .sizes = true,
      .takes_value = true,
      .takes_many = true,
      .text = "layers" },
    { .name = "use_v1", .flags = "env:VLLM_USE_V1", COUNT, .max = 1, .text = "which engine" },
    { .name = "port", .flags = "--port", TEXT, .text = "ignored" },
    { .name = "names",
      .flags = "--served-model-name",
      TEXT,
      .takes_many = true,
      .text = "ignored" },
    { .name = "enforce_eager",
      .flags = "--enforce-eager",
      .type = KVC_SETTING_TRUTH,
      .text = "ignored" },
    { .name = "compilation_config",
      .flags = "--compilation-config|-cc|-O",
      TEXT,
      .text = "ignored" },
    { .name = "api_key", .flags = "--api-key", TEXT, .text = "ignored" },
    { .name = "hf_token", .flags = "--hf-token", TEXT, .text = "ignored" },
    { .name = "config", .flags = "--config", TEXT, .text = "a file" },
};

static const struct kvc_setting_row LLAMA[] = {
    { .name = "model", .flags = "-m|--model|env:LLAMA_ARG_MODEL", TEXT, .text = "model" },
    { .name = "hf_repo", .flags = "-hf|--hf-repo|env:LLAMA_ARG_HF_REPO", TEXT, .text = "model" },
    { .name = "hf_file", .flags = "-hff|--hf-file", TEXT, .text = "model" },
    { .name = "n_ctx",
      .flags = "-c|--ctx-size|env:LLAMA_ARG_CTX_SIZE",
      COUNT,
      .max = INT32_MAX,
      .text = "cells" },
    { .name = "n_gpu_layers",
      .flags = "-ngl|--n-gpu-layers",
      .type = KVC_SETTING_SIGNED,
      .max = INT32_MAX,
      .sizes = true,
      .takes_value = true,
      .text = "layers" },
    { .name = "flash_attn",
      .flags = "-fa|--flash-attn|env:LLAMA_ARG_FLASH_ATTN",
      TEXT,
      .words = SWITCH,
      .sizes = true,
      .text = "switch" },
    { .name = "fit", .flags = "-fit|--fit", TEXT, .words = ON_OFF, .sizes = true, .text = "fit" },
    { .name = "tensor_split",
      .flags = "-ts|--tensor-split",
      .type = KVC_SETTING_LIST,
      .sizes = true,
      .takes_value = true,
      .text = "shares" },
    { .name = "offload_kqv",
      .flags = "-kvo|--kv-offload|env:LLAMA_ARG_KV_OFFLOAD",
      .no_flags = "-nkvo|--no-kv-offload",
      TRUTH,
      .text = "where" },
    { .name = "swa_full", .flags = "--swa-full|env:LLAMA_ARG_SWA_FULL", TRUTH, .text = "window" },
    { .name = "prompt", .flags = "-p|--prompt", TEXT, .text = "ignored" },
    { .name = "api_key", .flags = "--api-key|env:LLAMA_API_KEY", TEXT, .text = "ignored" },
};

/* ---- Reading ---------------------------------------------------------------------------------- */

static char buffer[1u << 18];

struct read {
    struct command_words words;
    struct kvc_arena arena;
    struct kvc_command command;
    kvcap_error error;
    kvcap_code rc;
};

static const struct kvc_command_env NO_ENV[1];

static void read_with(struct read *read, const char *text, bool allow_unknown,
                      const struct kvc_command_env *env, size_t env_count)
{
    struct kvc_program program;
    kvc_arena_over(&read->arena, buffer, sizeof buffer);
    command_words_split(&read->words, text);
    memset(&read->command, 0, sizeof read->command);
    read->rc = kvc_program_find(read->words.words, read->words.count, &read->arena, &program,
                                &read->error);
    assert_int_equal(read->rc, KVCAP_OK);
    bool is_vllm = program.engine == KVC_ENGINE_VLLM;
    struct kvc_command_line line = { .words = read->words.words,
                                     .count = read->words.count,
                                     .env = env,
                                     .env_count = env_count,
                                     .allow_unknown = allow_unknown,
                                     .rows = is_vllm ? VLLM : LLAMA,
                                     .rows_count = is_vllm ? sizeof VLLM / sizeof VLLM[0]
                                                           : sizeof LLAMA / sizeof LLAMA[0] };
    read->rc = kvc_command_read_line(&line, &program, &read->arena, &read->command, &read->error);
}

static void read_line(struct read *read, const char *text)
{
    read_with(read, text, false, NO_ENV, 0);
}

static const char *json_of(struct read *read)
{
    struct kvc_text text = { .arena = &read->arena };
    struct kvc_sink sink = kvc_text_sink(&text);
    kvc_write(read->command.settings, NULL, &sink);
    assert_false(text.full);
    return text.text;
}

static const char *joined(const struct kvc_span *spans, size_t count)
{
    static char text[1024];
    text[0] = '\0';
    for (size_t i = 0; i < count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%.*s", i == 0 ? "" : " ",
                 (int)spans[i].length, spans[i].text);
    return text;
}

/* ---- What is taken ---------------------------------------------------------------------------- */

#define S "vllm serve M "
#define A "llama-server -m F "

static const struct {
    const char *line, *model, *settings, *ignored;
} TAKEN[] = {
    /* models */
    { "vllm serve M", "M", "{}", "" },
    { "vllm serve --model M", "M", "{}", "" },
    { "vllm serve --model X M", "M", "{}", "" },
    { "vllm serve M --model X", "M", "{}", "" },
    { "vllm serve --port 80 M", "M", "{}", "--port" },
    { "python -m vllm.entrypoints.openai.api_server --model X --model Y", "Y", "{}", "" },
    { "vllm serve", NULL, "{}", "" },
    { "llama-server -m F", "F", "{}", "" },
    { "llama-server -hf O/N", "hf:O/N", "{}", "" },
    { "llama-server -hf O/N:Q4_K_M", "hf:O/N", "{}", "" },
    { "llama-server -hf O/N -hff n.gguf", "hf:O/N/n.gguf", "{}", "" },
    { "llama-server -hf O/N -m F", "F", "{}", "" },
    /* how flags are written */
    { S "--max-model-len 8192", "M", "{\"max_model_len\":8192}", "" },
    { S "--max-model-len=8192", "M", "{\"max_model_len\":8192}", "" },
    { S "--max_model_len 8192", "M", "{\"max_model_len\":8192}", "" },
    { S "--max_model-len=8192", "M", "{\"max_model_len\":8192}", "" },
    { S "--max-mod 8192", "M", "{\"max_model_len\":8192}", "" },
    { S "--tensor-parallel 2", "M", "{\"tensor_parallel_size\":2}", "" },
    { S "-tp 2", "M", "{\"tensor_parallel_size\":2}", "" },
    { S "-tp=2", "M", "{\"tensor_parallel_size\":2}", "" },
    { S "--kv-cache-dtype auto --kv-cache-dtype fp8", "M", "{\"kv_cache_dtype\":\"fp8\"}", "" },
    { A "--ctx_size 1", "F", "{\"n_ctx\":1}", "" },
    /* counts */
    { S "--max-model-len 1k", "M", "{\"max_model_len\":1000}", "" },
    { S "--max-model-len 1K", "M", "{\"max_model_len\":1024}", "" },
    { S "--max-model-len 128k", "M", "{\"max_model_len\":128000}", "" },
    { S "--max-model-len 25.6k", "M", "{\"max_model_len\":25600}", "" },
    { S "--max-model-len 1.0001k", "M", "{\"max_model_len\":1000}", "" },
    { S "--max-model-len 2.3m", "M", "{\"max_model_len\":2300000}", "" },
    { S "--cache-bytes 1.005g", "M", "{\"cache_bytes\":1004999999}", "" },
    { S "--cache-bytes 10G", "M", "{\"cache_bytes\":10737418240}", "" },
    { S "--cache-bytes 10g", "M", "{\"cache_bytes\":10000000000}", "" },
    { S "--cache-bytes 2T", "M", "{\"cache_bytes\":2199023255552}", "" },
    { S "--max-model-len 8_192", "M", "{\"max_model_len\":8192}", "" },
    { S "--max-model-len +08", "M", "{\"max_model_len\":8}", "" },
    { S "--max-model-len auto", "M", "{\"max_model_len\":\"auto\"}", "" },
    { S "--max-model-len -1", "M", "{\"max_model_len\":\"-1\"}", "" },
    { A "-c 0", "F", "{\"n_ctx\":0}", "" },
    { A "-ngl all", "F", "{\"n_gpu_layers\":\"all\"}", "" },
    { A "-ngl auto", "F", "{\"n_gpu_layers\":\"auto\"}", "" },
    { A "-ngl -1", "F", "{\"n_gpu_layers\":\"-1\"}", "" },
    { A "-ngl 99 -ngl 12", "F", "{\"n_gpu_layers\":12}", "" },
    /* truths and switches */
    { S "--enable-prefix-caching", "M", "{\"enable_prefix_caching\":true}", "" },
    { S "--no-enable-prefix-caching", "M", "{\"enable_prefix_caching\":false}", "" },
    { S "--enable-prefix-caching --no-enable-prefix-caching", "M",
      "{\"enable_prefix_caching\":false}", "" },
    { S "--enable-prefix-caching False", "M", "{\"enable_prefix_caching\":false}", "" },
    { S "--enable-prefix-caching=true", "M", "{\"enable_prefix_caching\":true}", "" },
    { A "-nkvo", "F", "{\"offload_kqv\":false}", "" },
    { A "--no-kv-offload -kvo", "F", "{\"offload_kqv\":true}", "" },
    { A "-fa", "F", "{\"flash_attn\":\"on\"}", "" },
    { A "-fa -c 1", "F", "{\"flash_attn\":\"on\",\"n_ctx\":1}", "" },
    { A "-fa off", "F", "{\"flash_attn\":\"off\"}", "" },
    { A "-fa auto", "F", "{\"flash_attn\":\"auto\"}", "" },
    { A "-fa 1", "F", "{\"flash_attn\":\"on\"}", "" },
    { A "-fa -1", "F", "{\"flash_attn\":\"auto\"}", "" },
    { A "-fit disabled", "F", "{\"fit\":\"off\"}", "" },
    /* others */
    { S "--utilization 0.92", "M", "{\"utilization\":\"0.92\"}", "" },
    { S "--utilization .9", "M", "{\"utilization\":\".9\"}", "" },
    { S "--skip-layers 0", "M", "{\"skip_layers\":\"0\"}", "" },
    { S "--skip-layers 0 1 sliding_window --port 1", "M",
      "{\"skip_layers\":\"0,1,sliding_window\"}", "--port" },
    { A "-ts 3,1", "F", "{\"tensor_split\":\"3,1\"}", "" },
    { S "--speculative-config '{\"method\":\"mtp\",\"n\":2,\"x\":0.5}'", "M",
      "{\"speculative_config\":{\"method\":\"mtp\",\"n\":2,\"x\":0.5}}", "" },
    { S "-sc '{}'", "M", "{\"speculative_config\":{}}", "" },
    { S "--speculative-config.method mtp --speculative_config.n=2", "M",
      "{\"speculative_config\":{\"method\":\"mtp\",\"n\":2}}", "" },
    { S "-sc.a.b true -sc.a.c null -sc.a.b '[1,2]'", "M",
      "{\"speculative_config\":{\"a\":{\"b\":[1,2],\"c\":null}}}", "" },
    { S "-sc.method x -sc '{\"n\":1}'", "M", "{\"speculative_config\":{\"method\":\"x\"}}", "" },
    { S "-sc '{\"n\":1}' -sc.method x", "M", "{\"speculative_config\":{\"method\":\"x\"}}", "" },
    { S "-sc.a x -sc.a.b 1", "M", "{\"speculative_config\":{\"a\":{\"b\":1}}}", "" },
    /* what sizes nothing */
    { S "--port 80 --enforce-eager", "M", "{}", "--port --enforce-eager" },
    { S "--port=80 --port 81", "M", "{}", "--port --port" },
    { S "--served-model-name a b c -tp 2", "M", "{\"tensor_parallel_size\":2}",
      "--served-model-name" },
    { S "-O3", "M", "{}", "-O3" },
    { S "-O 3", "M", "{}", "-O" },
    { S "-O.mode 3 -cc.x.y=1", "M", "{}", "-O.mode -cc.x.y" },
    { A "-p '- a list' -c 1", "F", "{\"n_ctx\":1}", "-p" },
    { A "-p -not-a-flag -c 1", "F", "{\"n_ctx\":1}", "-p" },
    /* variables */
    { "VLLM_USE_V1=0 " S, "M", "{\"use_v1\":0}", "" },
    { "VLLM_USE_V1= " S, "M", "{}", "VLLM_USE_V1" },
    { "CUDA_VISIBLE_DEVICES=0,1 " S, "M", "{}", "CUDA_VISIBLE_DEVICES" },
    { "LLAMA_ARG_CTX_SIZE=1 LLAMA_ARG_CTX_SIZE=2 " A, "F", "{\"n_ctx\":2}", "" },
    { "LLAMA_ARG_CTX_SIZE=1 " A "-c 3", "F", "{\"n_ctx\":3}", "" },
    { "LLAMA_ARG_MODEL=G llama-server", "G", "{}", "" },
    { "LLAMA_ARG_MODEL=G " A, "F", "{}", "" },
    { "LLAMA_ARG_HF_REPO=O/N llama-server", "hf:O/N", "{}", "" },
    { "LLAMA_ARG_SWA_FULL=1 " A, "F", "{\"swa_full\":true}", "" },
    { "LLAMA_ARG_SWA_FULL=off " A, "F", "{\"swa_full\":false}", "" },
    { "LLAMA_ARG_NO_KV_OFFLOAD=1 " A, "F", "{\"offload_kqv\":false}", "" },
    { "LLAMA_ARG_NO_SWA_FULL=1 " A, "F", "{}", "LLAMA_ARG_NO_SWA_FULL" },
    { "docker run -e VLLM_USE_V1=1 vllm/vllm-openai M -tp 2", "M",
      "{\"tensor_parallel_size\":2,\"use_v1\":1}", "" },
};

static void words_become_settings(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof TAKEN / sizeof TAKEN[0]; i++) {
        struct read read;
        read_line(&read, TAKEN[i].line);
        if (read.rc != KVCAP_OK)
            fail_msg("%s: %s: %s", TAKEN[i].line, read.error.at, read.error.text);
        const char *settings = json_of(&read);
        if (strcmp(settings, TAKEN[i].settings) != 0)
            fail_msg("%s: %s", TAKEN[i].line, settings);
        if (TAKEN[i].model == NULL ? read.command.model.text != NULL
                                   : !kvc_span_is(read.command.model, TAKEN[i].model))
            fail_msg("%s: the model is %.*s", TAKEN[i].line, (int)read.command.model.length,
                     read.command.model.text);
        const char *ignored = joined(read.command.ignored, read.command.ignored_count);
        if (strcmp(ignored, TAKEN[i].ignored) != 0)
            fail_msg("%s: ignored %s", TAKEN[i].line, ignored);
        assert_null(read.command.secret);
        assert_int_equal(read.command.words_count, read.words.count);
    }
}

static void a_quantisation_stands_behind_the_name_on_a_hub(void **state)
{
    (void)state;
    struct read read;
    read_line(&read, "llama-server -hf O/N:Q4_K_M");
    assert_true(kvc_span_is(read.command.quant, "Q4_K_M"));
    read_line(&read, "llama-server -hf O/N:Q4_K_M -hf O/N");
    assert_null(read.command.quant.text);
    read_line(&read, "llama-server -hf O/N:Q4_K_M -m F");
    assert_null(read.command.quant.text);
}

static void the_environment_of_the_process_counts_least(void **state)
{
    (void)state;
    static const struct kvc_command_env ENV[] = { { "HOME", "/root" },
                                                  { "HF_TOKEN", "abc" },
                                                  { "LLAMA_ARG_CTX_SIZE", "7" },
                                                  { "LLAMA_ARG_FLASH_ATTN", "0" } };
    struct read read;
    read_with(&read, "llama-server -m F", false, ENV, 4);
    assert_int_equal(read.rc, KVCAP_OK);
    assert_string_equal(json_of(&read), "{\"flash_attn\":\"off\",\"n_ctx\":7}");
    assert_null(read.command.secret);
    assert_int_equal(read.command.ignored_count, 0);
    read_with(&read, "LLAMA_ARG_CTX_SIZE=8 llama-server -m F -fa", false, ENV, 4);
    assert_string_equal(json_of(&read), "{\"flash_attn\":\"on\",\"n_ctx\":8}");
}

/* ---- What is refused -------------------------------------------------------------------------- */

static const struct {
    const char *line, *at, *says;
    enum kvc_slug slug;
} REFUSED[] = {
    { S "--max-model-length 1", "--max-model-length", "the nearest is --max-model-len;",
      KVC_USAGE_UNKNOWN_FLAG },
    { S "--zzzzzzzz", "--zzzzzzzz", "vllm is not known to have this flag; --allow",
      KVC_USAGE_UNKNOWN_FLAG },
    { S "--max-n", "--max-n", "a value is due", KVC_USAGE_MISSING_VALUE },
    { S "--max- 1", "--max-", "is not known", KVC_USAGE_UNKNOWN_FLAG },
    { S "-t 1", "-t", "is not known", KVC_USAGE_UNKNOWN_FLAG },
    { A "--ctx 1", "--ctx", "the nearest is", KVC_USAGE_UNKNOWN_FLAG },
    { S "--max-model-len", "--max-model-len", "a value is due: tokens", KVC_USAGE_MISSING_VALUE },
    { S "--max-model-len -tp 2", "--max-model-len", "a value is due", KVC_USAGE_MISSING_VALUE },
    { S "--port --enforce-eager", "--port", "a value is due", KVC_USAGE_MISSING_VALUE },
    { A "-c", "-c", "a value is due", KVC_USAGE_MISSING_VALUE },
    { A "-p -c 4096", "-p", "a value is due", KVC_USAGE_MISSING_VALUE },
    { S "--max-model-len=", "--max-model-len", "a whole number", KVC_USAGE_BAD_VALUE },
    { S "--max-model-len 8kk", "--max-model-len", "a whole number", KVC_USAGE_BAD_VALUE },
    { S "--max-model-len 1.5K", "--max-model-len", "a whole number", KVC_USAGE_BAD_VALUE },
    { S "--max-model-len 1.5", "--max-model-len", "a whole number", KVC_USAGE_BAD_VALUE },
    { S "--max-model-len all", "--max-model-len", "a whole number", KVC_USAGE_BAD_VALUE },
    { S "--max-model-len 1__0", "--max-model-len", "a whole number", KVC_USAGE_BAD_VALUE },
    { S "--max-model-len -2", "--max-model-len", "a whole number", KVC_USAGE_BAD_VALUE },
    { S "--max-num-seqs 1k", "--max-num-seqs", "a whole number is due: sequences",
      KVC_USAGE_BAD_VALUE },
    { S "--max-num-seqs auto", "--max-num-seqs", "a whole number", KVC_USAGE_BAD_VALUE },
    { A "-c 4k", "-c", "a whole number", KVC_USAGE_BAD_VALUE },
    { S "--max-num-seqs 0", "--max-num-seqs", "0 is not within 1 and 4096",
      KVC_USAGE_OUT_OF_RANGE },
    { S "-tp 65", "-tp", "65 is not within 1 and 64", KVC_USAGE_OUT_OF_RANGE },
    { S "--cache-bytes 9007199254740992", "--cache-bytes", "a whole number", KVC_USAGE_BAD_VALUE },
    { S "--cache-bytes 99999999T", "--cache-bytes", "a whole number", KVC_USAGE_BAD_VALUE },
    { S "--kv-cache-dtype fp7", "--kv-cache-dtype", "one of these is due: auto, fp8",
      KVC_USAGE_BAD_VALUE },
    { S "--utilization high", "--utilization", "a decimal number", KVC_USAGE_BAD_VALUE },
    { S "--utilization nan", "--utilization", "a decimal number", KVC_USAGE_BAD_VALUE },
    { S "--speculative-config mtp", "--speculative-config", "an object in JSON",
      KVC_USAGE_BAD_VALUE },
    { S "-sc '[1]'", "-sc", "an object in JSON", KVC_USAGE_BAD_VALUE },
    { S "-sc. 1", "-sc.", "a member's name", KVC_USAGE_BAD_VALUE },
    { S "-sc.a+ 1", "-sc.a+", "lists are read in JSON", KVC_USAGE_BAD_VALUE },
    { S "-sc.a", "-sc.a", "a value is due", KVC_USAGE_MISSING_VALUE },
    { S "--max-model-len.x 1", "--max-model-len.x", "is not known", KVC_USAGE_UNKNOWN_FLAG },
    { S "--no-enable-prefix-caching=1", "--no-enable-prefix-caching", "takes no value",
      KVC_USAGE_BAD_VALUE },
    { S "--enable-prefix-caching=maybe", "--enable-prefix-caching", "true or false",
      KVC_USAGE_BAD_VALUE },
    { S "--config f.yaml", "--config", "give its flags themselves", KVC_USAGE_BAD_VALUE },
    { S "N", "N", "no flag stands before this word", KVC_USAGE_OPERANDS },
    { S "''", "", "no flag stands before this word", KVC_USAGE_OPERANDS },
    { A "word", "word", "no flag stands before this word", KVC_USAGE_OPERANDS },
    { A "-fa maybe", "maybe", "no flag stands before this word", KVC_USAGE_OPERANDS },
    { A "-fa=maybe", "-fa", "one of these is due: on, off, auto", KVC_USAGE_BAD_VALUE },
    { "VLLM_USE_V1=2 " S, "VLLM_USE_V1", "2 is not within 0 and 1", KVC_USAGE_OUT_OF_RANGE },
    { "LLAMA_ARG_CTX_SIZE=x " A, "LLAMA_ARG_CTX_SIZE", "a whole number", KVC_USAGE_BAD_VALUE },
    { S "--port \xff", "", "word 5 of the command line is not UTF-8", KVC_USAGE_BAD_VALUE },
};

static void other_words_are_refused_at_their_flag(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof REFUSED / sizeof REFUSED[0]; i++) {
        struct read read;
        read_line(&read, REFUSED[i].line);
        if (read.rc != KVCAP_E_USAGE || !kvc_fail_is(&read.error, REFUSED[i].slug) ||
            strcmp(read.error.at, REFUSED[i].at) != 0 ||
            strstr(read.error.text, REFUSED[i].says) == NULL)
            fail_msg("%s: %s at \"%s\": %s", REFUSED[i].line,
                     read.rc == KVCAP_OK ? "taken" : read.error.slug, read.error.at,
                     read.error.text);
        assert_null(read.command.settings);
    }
}

static const struct {
    const char *line, *model, *ignored;
} PASSED[] = {
    { S "--new-flag", "M", "--new-flag" },
    { S "--new-flag value -tp 2", "M", "--new-flag" },
    { S "--new-flag=value", "M", "--new-flag" },
    { "vllm serve --new-flag M", "M", "--new-flag" },
    { "vllm serve --new-flag value M", "M", "--new-flag" },
    { A "--new-flag 1", "F", "--new-flag" },
};

static void unknown_flags_can_be_passed_over(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof PASSED / sizeof PASSED[0]; i++) {
        struct read read;
        read_with(&read, PASSED[i].line, true, NO_ENV, 0);
        if (read.rc != KVCAP_OK)
            fail_msg("%s: %s", PASSED[i].line, read.error.text);
        assert_true(kvc_span_is(read.command.model, PASSED[i].model));
        assert_string_equal(joined(read.command.ignored, read.command.ignored_count),
                            PASSED[i].ignored);
    }
}

/* ---- Secrets ---------------------------------------------------------------------------------- */

static const struct {
    const char *line, *secret, *words;
} HIDDEN[] = {
    { S "--api-key XYZZY", "--api-key", "vllm serve M --api-key ***" },
    { S "--api-key=XYZZY -tp 2", "--api-key", "vllm serve M --api-key=*** -tp 2" },
    { S "--api_key XYZZY XYZZY2", "--api_key", "vllm serve M --api_key *** ***" },
    { "vllm serve --api-key XYZZY M", "--api-key", "vllm serve --api-key *** M" },
    { S "--hf-token XYZZY --api-key XYZZY", "--hf-token",
      "vllm serve M --hf-token *** --api-key ***" },
    { S "--hf-token", "--hf-token", "vllm serve M --hf-token" },
    { "HF_TOKEN=XYZZY " S, "HF_TOKEN", "HF_TOKEN=*** vllm serve M" },
    { "docker run --env=HF_TOKEN=XYZZY vllm/vllm-openai M", "HF_TOKEN",
      "docker run --env=HF_TOKEN=*** vllm/vllm-openai M" },
    { "LLAMA_API_KEY=XYZZY " A, "LLAMA_API_KEY", "LLAMA_API_KEY=*** llama-server -m F" },
    { A "--api-key XYZZY", "--api-key", "llama-server -m F --api-key ***" },
    { S "--port http://a:XYZZY@b", "--port", "vllm serve M --port ***" },
    { S "--served-model-name a sk-XYZZY0123456789abcdef b", "--served-model-name",
      "vllm serve M --served-model-name a *** b" },
    { "vllm serve https://a:XYZZY@b/c", "the model", "vllm serve ***" },
    { S "--model https://a:XYZZY@b/c", "--model", "vllm serve M --model ***" },
    { S "-sc.x hf_XYZZY0123456789abcdefgh", "-sc.x", "vllm serve M -sc.x ***" },
};

static bool is_written_anywhere(struct read *read)
{
    const struct kvc_command *command = &read->command;
    if (strstr(json_of(read), "XYZZY") != NULL ||
        strstr(joined(command->ignored, command->ignored_count), "XYZZY") != NULL ||
        strstr(joined(command->words, command->words_count), "XYZZY") != NULL)
        return true;
    return command->model.text != NULL && strstr(command->model.text, "XYZZY") != NULL;
}

static void the_value_of_a_secret_goes_nowhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof HIDDEN / sizeof HIDDEN[0]; i++) {
        struct read read;
        read_line(&read, HIDDEN[i].line);
        if (read.rc != KVCAP_OK)
            fail_msg("%s: %s", HIDDEN[i].line, read.error.text);
        if (is_written_anywhere(&read))
            fail_msg("%s is written", HIDDEN[i].line);
        assert_string_equal(read.command.secret, HIDDEN[i].secret);
        assert_string_equal(joined(read.command.words, read.command.words_count), HIDDEN[i].words);
    }
    struct read read;
    read_with(&read, S "--other-token XYZZY", true, NO_ENV, 0);
    assert_int_equal(read.rc, KVCAP_OK);
    assert_false(is_written_anywhere(&read));
    assert_string_equal(read.command.secret, "--other-token");
}

/* ---- Memory ----------------------------------------------------------------------------------- */

static void without_memory_it_is_refused(void **state)
{
    (void)state;
    struct command_words words;
    struct kvc_command command;
    kvcap_error error;
    command_words_split(&words, "HF_TOKEN=a vllm serve M --max-model-len 8k -tp 2 --api-key=k "
                                "--speculative-config.method mtp --served-model-name a b");
    bool taken = false;
    for (size_t bytes = 0; bytes < sizeof buffer && !taken; bytes += 16) {
        struct kvc_arena arena;
        kvc_arena_over(&arena, buffer, bytes);
        kvcap_code rc =
            kvc_command_read(words.words, words.count, NO_ENV, 0, false, &arena, &command, &error);
        taken = rc == KVCAP_OK;
        if (!taken && rc != KVCAP_E_NOMEM)
            fail_msg("%zu bytes: %s: %s", bytes, error.at, error.text);
    }
    assert_true(taken);
}

/* ---- The engines' own tables ------------------------------------------------------------------ */

static void every_flag_of_an_engine_leads_to_its_own_row(void **state)
{
    (void)state;
    for (int id = 0; id < KVC_ENGINE_COUNT; id++) {
        const struct kvc_engine *engine = kvc_engine_of((enum kvc_engine_id)id);
        for (size_t i = 0; i < engine->settings_count; i++) {
            for (size_t k = i + 1; k < engine->settings_count; k++)
                assert_string_not_equal(engine->settings[i].name, engine->settings[k].name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_become_settings),
        cmocka_unit_test(a_quantisation_stands_behind_the_name_on_a_hub),
        cmocka_unit_test(the_environment_of_the_process_counts_least),
        cmocka_unit_test(other_words_are_refused_at_their_flag),
        cmocka_unit_test(unknown_flags_can_be_passed_over),
        cmocka_unit_test(the_value_of_a_secret_goes_nowhere),
        cmocka_unit_test(without_memory_it_is_refused),
        cmocka_unit_test(every_flag_of_an_engine_leads_to_its_own_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
