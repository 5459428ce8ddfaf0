/* suite.h - reference data from elsewhere, run through the library.
 *
 *   conformance DIR [suite...]
 *
 * DIR is laid out as README.md beside this file says.  A suite knows some files below DIR; it runs
 * every case that it finds in them and counts.  What no suite knows is named as skipped, so that
 * nobody takes silence for success.
 */
#ifndef KVC_TEST_CONFORMANCE_SUITE_H
#define KVC_TEST_CONFORMANCE_SUITE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "json/tree.h"

#define FAILURES_KEPT 10

struct failure {
    char id[160], expected[240], got[320];
};

struct report {
    const char *dir;
    size_t passed, failed;
    struct failure failures[FAILURES_KEPT]; /* the first ones */
    char detail[200];                       /* what the passes were; "" says no more */
};

struct suite {
    const char *name;
    void (*run)(struct report *report);
    bool (*knows)(const char *path); /* whether a file, named from DIR, is one of its */
};

extern const struct suite CONFIGS_SUITE, GGUF_SUITE, VLLM_SUITE, LLAMACPP_SUITE, ARCHS_TINY_SUITE,
    LOGS_SUITE;

void pass(struct report *report);
void fail(struct report *report, const char *id, const char *expected, const char *got_format, ...)
    __attribute__((format(printf, 4, 5)));

/* A failure where `got` is not what is due; a pass elsewhere. */
void judge(struct report *report, const char *id, bool is_due, const char *expected,
           const char *got);

/* ---- Files below DIR.  What cannot be read ends the program with status 4. */

/* Ends the program with status 4: the reference data itself is broken. */
void broken(const char *path, const char *what) __attribute__((noreturn));

/* A file's text in the arena; one that is not there has the text NULL, and what is there and is no
 * file is broken. */
struct kvc_span file_text(struct kvc_arena *arena, const char *dir, const char *path);

/* Every file of a folder with an ending, sorted; a folder that is not there has none, and what is there
 * and is no folder is broken. */
void each_file(struct kvc_arena *arena, const char *dir, const char *folder, const char *ending,
               void (*visit)(void *context, const char *name), void *context);

/* The next line of a text that is not empty, without its end; false past the last. */
bool next_line(struct kvc_span *rest, struct kvc_span *ret_line);

/* A foreign JSON text; a broken one ends the program. */
const struct kvc_value *parsed(struct kvc_arena *arena, const char *path, struct kvc_span text);

bool starts(const char *text, const char *with);
bool ends(const char *text, const char *with);

#endif /* KVC_TEST_CONFORMANCE_SUITE_H */
