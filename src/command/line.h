/* line.h - a command line by a given table of settings.
 *
 * Room:   command/ - pure.
 * In:     words, variables, rows.
 * Out:    the command.
 * Knows:  base/, json/, engine/.
 *
 * This is what command.h does once it is known whose table counts; tests bring tables of their own.
 */
#ifndef KVC_COMMAND_LINE_H
#define KVC_COMMAND_LINE_H

#include "command/command.h"
#include "command/program.h"

struct kvc_command_line {
    char *const *words;
    size_t count;
    const struct kvc_command_env *env;
    size_t env_count;
    bool allow_unknown;
    const struct kvc_setting_row *rows;
    size_t rows_count;
};

kvcap_code kvc_command_read_line(const struct kvc_command_line *line,
                                 const struct kvc_program *program, struct kvc_arena *arena,
                                 struct kvc_command *ret_command, kvcap_error *err);

#endif /* KVC_COMMAND_LINE_H */
