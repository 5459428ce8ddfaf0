/* cli.h - what the verbs share: flags, refusals, exits.
 *
 * Room:   face/cli - the only place that prints.
 * In:     words of a command line.
 * Out:    text on standard output, refusals on standard error, an exit status.
 * Knows:  all.
 */
#ifndef KVC_FACE_CLI_CLI_H
#define KVC_FACE_CLI_CLI_H

#include <stdio.h>

#include "base/fail.h"
#include "base/span.h"

struct kvc_call;

/* ---- Flags, by a table: the parser, the help, the man page and the completion read the same one. */

struct kvc_flag {
    const char *name;  /* "tokens" for --tokens */
    const char *value; /* what is given, "N"; NULL for a flag that is there or not */
    const char *text;  /* one line of help */
    bool many;         /* may be given more than once */
};

struct kvc_verb {
    const char *name;
    const char *sentence; /* the question it answers */
    const char *operands; /* "CONTRACT EVIDENCE", for the usage line */
    unsigned operands_min, operands_max;
    const char *example; /* whole command lines, one a line */
    const char *notes;   /* paragraphs behind the flags; NULL: none */
    const struct kvc_flag *flags;
    size_t flags_count;
    int (*run)(const struct kvc_call *call);
};

#define KVC_OPERANDS_ANY 4096

/* A parsed command line. */
struct kvc_call {
    const struct kvc_verb *verb;
    char **words; /* operands, in order */
    unsigned words_count;
    struct kvc_given {
        const struct kvc_flag *flag;
        const char *value;
    } * given;
    size_t given_count;
    bool json; /* --json */
};

/* Of the program that is built: each main.c has its own. */
extern const char kvc_program[];
extern const struct kvc_verb kvc_verbs[];
extern const size_t kvc_verbs_count;

/* Parses the words after the verb.  The call's lists are malloc'd; see kvc_call_drop. */
kvcap_code kvc_call_parse(const struct kvc_verb *verb, int argc, char **argv,
                          struct kvc_call *ret_call, kvcap_error *err);
void kvc_call_drop(struct kvc_call *call);

bool kvc_given(const struct kvc_call *call, const char *flag);
/* The value, or NULL when the flag is absent.  `index` counts the uses of one that may be many. */
const char *kvc_value_of(const struct kvc_call *call, const char *flag);
const char *kvc_nth_value_of(const struct kvc_call *call, const char *flag, size_t index);

/* A flag's value as a quantity within bounds; *value is left as it is when the flag is absent. */
kvcap_code kvc_count_flag(const struct kvc_call *call, const char *flag, uint64_t min, uint64_t max,
                          uint64_t *value, kvcap_error *err);
/* Says on standard error what a count with a unit came to: "--tokens 128k is 131,072". */
void kvc_tell_count(const struct kvc_call *call, const char *flag, uint64_t value);
kvcap_code kvc_bytes_flag(const struct kvc_call *call, const char *flag, uint64_t max,
                          uint64_t *value, kvcap_error *err);
kvcap_code kvc_need_flag(const struct kvc_call *call, const char *flag, kvcap_error *err);

/* ---- Exits: the only place that knows the numbers. */

enum kvc_exit {
    KVC_EXIT_YES = 0,
    KVC_EXIT_NO = 1,
    KVC_EXIT_INPUT = 2,
    KVC_EXIT_CANNOT_SAY = 3,
    KVC_EXIT_WORLD = 4,
};

int kvc_exit_of_code(kvcap_code code);

/* Of several inputs, the first present of 4, 2, 1, 3, 0. */
int kvc_exit_worse(int a, int b);

/* Prints a refusal to standard error, as a sentence or as JSON, and gives its exit. */
int kvc_refused(const struct kvc_call *call, const kvcap_error *error);

/* Text from outside, such as a path, for people: control characters and bytes that are not UTF-8 are
 * shown as '?'.  And as a JSON string, where the former are escaped. */
void kvc_show(FILE *out, const char *text);
void kvc_show_json(FILE *out, const char *text);

/* Flushes what was printed; a full disk or a closed pipe is a refusal of its own. */
int kvc_finish_output(const struct kvc_call *call, int exit_status);

/* ---- Help. */

void kvc_help_program(FILE *out);
void kvc_help_verb(const struct kvc_verb *verb, FILE *out);
void kvc_help_man(FILE *out);        /* kvcap.1, as roff */
void kvc_help_completion(FILE *out); /* for bash */

/* The nearest of the names to a word that is none of them, or NULL when none is near. */
const char *kvc_nearest(const char *word, const char *(*name)(const void *context, size_t index),
                        const void *context);

#endif /* KVC_FACE_CLI_CLI_H */
