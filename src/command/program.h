/* program.h - which engine a command line starts.
 *
 * Room:   command/ - pure.
 * In:     words.
 * Out:    the engine, its front, how many words lead to its own flags; variables set before it.
 * Knows:  base/, engine/.
 *
 * Before a program there may be variables, and words that start what follows them: env, sudo, uv run,
 * numactl, docker run.  What those take themselves is passed over.
 */
#ifndef KVC_COMMAND_PROGRAM_H
#define KVC_COMMAND_PROGRAM_H

#include "base/arena.h"
#include "engine/release.h"

struct kvc_program {
    enum kvc_engine_id engine;
    struct kvc_span front; /* "llama-server", "llama-cli"; NULL text: none */
    size_t words;          /* before its flags */
    bool takes_model;      /* as a word without a flag */
    size_t *variables;     /* which words before it hold "NAME=value" */
    size_t variables_count;
};

/* An engine that kvcap does not know is named in the refusal; so is a program that is none. */
kvcap_code kvc_program_find(char *const *words, size_t count, struct kvc_arena *arena,
                            struct kvc_program *ret_program, kvcap_error *err);

/* NAME=value, split: from where the name begins in a word ("--env=NAME=value" too).  False: it is none. */
bool kvc_program_variable(const char *word, struct kvc_span *ret_name, struct kvc_span *ret_value);

#endif /* KVC_COMMAND_PROGRAM_H */
