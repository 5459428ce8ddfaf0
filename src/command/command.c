/* command.c - see command.h for the room and its promises. */

#include "command/command.h"

#include "command/line.h"

kvcap_code kvc_command_read(char *const *words, size_t count, const struct kvc_command_env *env,
                            size_t env_count, bool allow_unknown, struct kvc_arena *arena,
                            struct kvc_command *ret_command, kvcap_error *err)
{
    struct kvc_program program;
    kvcap_code rc = kvc_program_find(words, count, arena, &program, err);
    if (rc != KVCAP_OK)
        return rc;
    const struct kvc_engine *engine = kvc_engine_of(program.engine);
    struct kvc_command_line line = { .words = words,
                                     .count = count,
                                     .env = env,
                                     .env_count = env_count,
                                     .allow_unknown = allow_unknown,
                                     .rows = engine->settings,
                                     .rows_count = engine->settings_count };
    return kvc_command_read_line(&line, &program, arena, ret_command, err);
}
