/* command.h - an engine's command line, as people have it, to its settings.
 *
 * Room:   command/ - pure.
 * In:     words, and the environment.
 * Out:    which engine, which model, a settings object by the engine's own names; what was passed over.
 * Knows:  base/, json/, engine/.
 *
 *   VLLM_MLA_DISABLE=1 /opt/bin/vllm serve MODEL -tp 2 --max-model-len 128k
 *   python3 -m vllm.entrypoints.openai.api_server --model MODEL ...
 *   docker run -e NAME=value vllm/vllm-openai:v0.11.0 MODEL ...
 *   [path/]llama-server -m FILE -c 8192 ...
 *
 *   words -> program.h: which engine, where its flags begin
 *         -> line.h:    each flag by the engine's own rules -> value.h: a setting
 *         -> secret.h:  what must not be repeated
 *
 * What a flag means stands in the engine's table of settings.  Flags that size nothing are listed; one
 * that no row has is refused with the nearest that is known.  As with the engines the last use of a
 * flag counts, and a flag counts more than a variable.
 */
#ifndef KVC_COMMAND_COMMAND_H
#define KVC_COMMAND_COMMAND_H

#include "engine/engine.h"

struct kvc_command {
    enum kvc_engine_id engine;
    struct kvc_span front; /* "llama-server", "llama-cli"; NULL text: none */
    struct kvc_span
        model; /* as the engine is told; "hf:ORG/NAME[/FILE]" of a flag that names a hub's; NULL
                              text: not stated */
    struct kvc_span quant;      /* llama.cpp, -hf ORG/NAME:QUANT; NULL text: not stated */
    struct kvc_value *settings; /* an object */
    struct kvc_span *ignored;   /* flags and variables, as given, that do not size the cache */
    size_t ignored_count;
    struct kvc_span *words; /* all of them, in order; a secret's value is "***" */
    size_t words_count;
    const char *secret; /* a flag or variable whose value is a token or key; NULL: none */
};

struct kvc_command_env {
    const char *name, *value;
};

/* Everything comes from the arena or is borrowed from the words and the environment.  `env` is the
 * environment of the process; variables that stand before the program count more. */
kvcap_code kvc_command_read(char *const *words, size_t count, const struct kvc_command_env *env,
                            size_t env_count, bool allow_unknown, struct kvc_arena *arena,
                            struct kvc_command *ret_command, kvcap_error *err);

#endif /* KVC_COMMAND_COMMAND_H */
