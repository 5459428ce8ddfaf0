/* program.c - see program.h for the room and its promises. */

#include "command/program.h"

#include <string.h>

/* ---- Words. */

/* The name without the folders before it, and without .exe. */
static struct kvc_span base_name(const char *word)
{
    struct kvc_span name = kvc_span_of(word);
    for (size_t i = name.length; i > 0; i--) {
        if (word[i - 1] == '/' || word[i - 1] == '\\') {
            name = (struct kvc_span){ word + i, name.length - i };
            break;
        }
    }
    if (kvc_span_ends(name, ".exe"))
        name.length -= strlen(".exe");
    return name;
}

static bool contains(const char *word, const char *part)
{
    size_t length = strlen(part);
    for (; *word != '\0'; word++) {
        if (strncmp(word, part, length) == 0)
            return true;
    }
    return false;
}

static bool is_one_of(struct kvc_span name, const char *const *names)
{
    for (; *names != NULL; names++) {
        if (kvc_span_is(name, *names))
            return true;
    }
    return false;
}

bool kvc_program_variable(const char *word, struct kvc_span *ret_name, struct kvc_span *ret_value)
{
    if (strncmp(word, "--env=", strlen("--env=")) == 0)
        word += strlen("--env=");
    size_t length = 0;
    for (; word[length] != '=' && word[length] != '\0'; length++) {
        char c = word[length];
        bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
        if (!letter && (length == 0 || c < '0' || c > '9'))
            return false;
    }
    if (length == 0 || word[length] != '=')
        return false;
    *ret_name = (struct kvc_span){ word, length };
    *ret_value = kvc_span_of(word + length + 1);
    return true;
}

/* ---- Engines. */

/* Words that start what follows them. */
static const char *const LAUNCHERS[] = {
    "env",     "exec",    "nohup",   "sudo",       "doas",        "time",   "nice",     "ionice",
    "taskset", "numactl", "stdbuf",  "setsid",     "timeout",     "uv",     "uvx",      "poetry",
    "pipenv",  "pixi",    "conda",   "micromamba", "srun",        "mpirun", "xvfb-run", "chrt",
    "docker",  "podman",  "nerdctl", "apptainer",  "singularity", NULL,
};

static const char *const SERVERS[] = { "llama-server", "server", NULL };
static const char *const CLIS[] = { "llama-cli", "main", NULL };

/* Programs and modules of engines that kvcap knows by name alone. */
static const struct {
    const char *program, *module, *image, *engine;
} OTHERS[] = {
    { "sglang", "sglang.", "lmsysorg/sglang", "SGLang" },
    { "trtllm-serve", "tensorrt_llm.", "tensorrt-llm", "TensorRT-LLM" },
    { "text-generation-launcher", "text_generation_server", "text-generation-inference", "TGI" },
    { "lmdeploy", "lmdeploy", "openmmlab/lmdeploy", "LMDeploy" },
    { "ollama", NULL, "ollama/ollama", "Ollama" },
    { "mlx_lm.server", "mlx_lm", NULL, "MLX" },
    { "koboldcpp", NULL, NULL, "KoboldCpp" },
    { "llamafile", NULL, NULL, "llamafile" },
    { "tabbyapi", NULL, NULL, "TabbyAPI" },
};

static kvcap_code refuse_other(const char *word, const char *engine, kvcap_error *err)
{
    return kvc_fail(err, KVC_USAGE_UNKNOWN_ENGINE, word,
                    "this version of kvcap does not know the rules of %s", engine);
}

static kvcap_code refuse(const char *word, kvcap_error *err)
{
    if (kvc_span_starts(base_name(word), "llama-"))
        return kvc_fail(err, KVC_USAGE_UNKNOWN_ENGINE, word,
                        "of the programs of llama.cpp, llama-server and llama-cli are known here");
    return kvc_fail(err, KVC_USAGE_UNKNOWN_ENGINE, word,
                    "this is no engine's program: vllm serve, python -m "
                    "vllm.entrypoints.openai.api_server, llama-server and llama-cli are");
}

/* ---- What a word begins.  Each leaves `words` at 0 where it begins nothing. */

static void begin_vllm(struct kvc_program *program, size_t words, bool takes_model)
{
    program->engine = KVC_ENGINE_VLLM;
    program->front = (struct kvc_span){ NULL, 0 };
    program->takes_model = takes_model;
    program->words = words;
}

static void begin_llama(struct kvc_program *program, size_t words, const char *front)
{
    program->engine = KVC_ENGINE_LLAMACPP;
    program->front = kvc_span_of(front);
    program->words = words;
}

/* python [-u] -m MODULE */
static kvcap_code find_module(char *const *words, size_t count, size_t at,
                              struct kvc_program *program, kvcap_error *err)
{
    while (at < count && strcmp(words[at], "-m") != 0 && words[at][0] == '-')
        at++;
    if (at + 1 >= count || strcmp(words[at], "-m") != 0)
        return KVCAP_OK;
    const char *module = words[at + 1];
    for (size_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; i++) {
        if (OTHERS[i].module != NULL && kvc_span_starts(kvc_span_of(module), OTHERS[i].module))
            return refuse_other(module, OTHERS[i].engine, err);
    }
    if (strcmp(module, "vllm.entrypoints.openai.api_server") == 0 ||
        strcmp(module, "vllm.entrypoints.api_server") == 0)
        begin_vllm(program, at + 2, false);
    else if (strcmp(module, "vllm.entrypoints.cli.main") == 0 && at + 2 < count &&
             strcmp(words[at + 2], "serve") == 0)
        begin_vllm(program, at + 3, true);
    else
        return refuse(module, err);
    return KVCAP_OK;
}

/* docker run ... IMAGE: what an image starts is in its name. */
static kvcap_code find_image(const char *word, size_t at, struct kvc_program *program,
                             kvcap_error *err)
{
    if (word[0] == '-')
        return KVCAP_OK;
    for (size_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; i++) {
        if (OTHERS[i].image != NULL && contains(word, OTHERS[i].image))
            return refuse_other(word, OTHERS[i].engine, err);
    }
    if (contains(word, "vllm-openai"))
        begin_vllm(program, at + 1, true);
    else if (contains(word, "llama.cpp:server"))
        begin_llama(program, at + 1, "llama-server");
    else if (contains(word, "llama.cpp:light"))
        begin_llama(program, at + 1, "llama-cli");
    return KVCAP_OK;
}

static kvcap_code find_at(char *const *words, size_t count, size_t at, bool in_container,
                          struct kvc_program *program, kvcap_error *err)
{
    struct kvc_span name = base_name(words[at]);
    for (size_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; i++) {
        if (kvc_span_is(name, OTHERS[i].program))
            return refuse_other(words[at], OTHERS[i].engine, err);
    }
    if (kvc_span_is(name, "vllm") && at + 1 < count && strcmp(words[at + 1], "serve") == 0)
        begin_vllm(program, at + 2, true);
    else if (is_one_of(name, SERVERS))
        begin_llama(program, at + 1, "llama-server");
    else if (is_one_of(name, CLIS))
        begin_llama(program, at + 1, "llama-cli");
    else if (kvc_span_starts(name, "python"))
        return find_module(words, count, at + 1, program, err);
    else if (in_container)
        return find_image(words[at], at, program, err);
    return KVCAP_OK;
}

/* An image's own entry point may be named again behind it: IMAGE vllm serve MODEL. */
static void pass_repeated(char *const *words, size_t count, struct kvc_program *program)
{
    size_t at = program->words;
    if (program->engine == KVC_ENGINE_VLLM && at + 1 < count && strcmp(words[at], "vllm") == 0 &&
        strcmp(words[at + 1], "serve") == 0)
        program->words += 2;
    if (program->engine == KVC_ENGINE_LLAMACPP && at < count &&
        is_one_of(base_name(words[at]), SERVERS))
        program->words += 1;
}

kvcap_code kvc_program_find(char *const *words, size_t count, struct kvc_arena *arena,
                            struct kvc_program *ret_program, kvcap_error *err)
{
    struct kvc_program program = { .variables = kvc_arena_array(arena, count + 1, sizeof(size_t)) };
    struct kvc_span name, value;
    bool launched = false, in_container = false;
    kvcap_code rc = KVCAP_OK;
    size_t at = 0, first = count;
    if (program.variables == NULL)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the command line needs more memory");
    for (; at < count && program.words == 0 && rc == KVCAP_OK; at++) {
        if (kvc_program_variable(words[at], &name, &value)) {
            program.variables[program.variables_count++] = at;
            continue;
        }
        first = first == count ? at : first;
        rc = find_at(words, count, at, in_container, &program, err);
        struct kvc_span base = base_name(words[at]);
        launched = launched || is_one_of(base, LAUNCHERS);
        in_container = in_container || kvc_span_is(base, "docker") || kvc_span_is(base, "podman") ||
                       kvc_span_is(base, "nerdctl");
        if (!launched)
            break;
    }
    if (rc == KVCAP_OK && first == count)
        return kvc_fail(err, KVC_USAGE_OPERANDS, "", "an engine's command line is due");
    if (rc == KVCAP_OK && program.words == 0)
        return refuse(words[first], err);
    if (rc != KVCAP_OK)
        return rc;
    pass_repeated(words, count, &program);
    *ret_program = program;
    return KVCAP_OK;
}
