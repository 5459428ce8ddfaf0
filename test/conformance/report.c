/* report.c - counting, and reading the files that suites know.  Declared in suite.h. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "os/os.h"
#include "suite.h"
#include "json/scan.h"

void pass(struct report *report)
{
    report->passed++;
}

void fail(struct report *report, const char *id, const char *expected, const char *got_format, ...)
{
    if (report->failed < FAILURES_KEPT) {
        struct failure *failure = &report->failures[report->failed];
        va_list args;
        snprintf(failure->id, sizeof failure->id, "%s", id);
        snprintf(failure->expected, sizeof failure->expected, "%s", expected);
        va_start(args, got_format);
        vsnprintf(failure->got, sizeof failure->got, got_format, args);
        va_end(args);
    }
    report->failed++;
}

void judge(struct report *report, const char *id, bool is_due, const char *expected,
           const char *got)
{
    if (is_due)
        pass(report);
    else
        fail(report, id, expected, "%s", got);
}

bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

bool ends(const char *text, const char *with)
{
    size_t length = strlen(text), tail = strlen(with);
    return length >= tail && strcmp(text + length - tail, with) == 0;
}

void broken(const char *path, const char *what)
{
    fprintf(stderr, "conformance: %s: %s\n", path, what);
    exit(4);
}

/* Whether something of that name lies there, be it a link to nothing. */
static bool lies_there(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0;
}

static void give_up(const kvcap_error *err)
{
    fprintf(stderr, "conformance: %s: %s at %s\n", err->slug, err->text, err->at);
    exit(4);
}

#define FILE_BYTES_MAX ((size_t)512 * 1024 * 1024)

struct kvc_span file_text(struct kvc_arena *arena, const char *dir, const char *path)
{
    char whole[4096];
    kvcap_error err;
    struct kvc_span text;
    snprintf(whole, sizeof whole, "%s/%s", dir, path);
    if (!kvc_path_is_regular(whole) && lies_there(whole))
        broken(whole, "is no file");
    if (!kvc_path_is_regular(whole))
        return (struct kvc_span){ NULL, 0 };
    if (kvc_file_whole(whole, FILE_BYTES_MAX, arena, &text, &err) != KVCAP_OK)
        give_up(&err);
    return text;
}

void each_file(struct kvc_arena *arena, const char *dir, const char *folder, const char *ending,
               void (*visit)(void *context, const char *name), void *context)
{
    char whole[4096];
    char **names;
    size_t count;
    kvcap_error err;
    snprintf(whole, sizeof whole, "%s/%s", dir, folder);
    if (!kvc_path_is_folder(whole) && lies_there(whole))
        broken(whole, "is no folder");
    if (!kvc_path_is_folder(whole))
        return;
    if (kvc_folder_list(whole, arena, &names, &count, &err) != KVCAP_OK)
        give_up(&err);
    for (size_t i = 0; i < count; i++) {
        if (ends(names[i], ending))
            visit(context, names[i]);
    }
}

const struct kvc_value *parsed(struct kvc_arena *arena, const char *path, struct kvc_span text)
{
    struct kvc_value *tree;
    kvcap_error err;
    if (kvc_scan(arena, text, FILE_BYTES_MAX, KVC_SCAN_FOREIGN, &tree, &err) != KVCAP_OK) {
        fprintf(stderr, "conformance: %s: ", path);
        give_up(&err);
    }
    return tree;
}

bool next_line(struct kvc_span *rest, struct kvc_span *ret_line)
{
    while (rest->length > 0) {
        const char *end = memchr(rest->text, '\n', rest->length);
        size_t length = end == NULL ? rest->length : (size_t)(end - rest->text);
        *ret_line = (struct kvc_span){ rest->text, length };
        rest->text += length + (end != NULL);
        rest->length -= length + (end != NULL);
        if (length > 0)
            return true;
    }
    return false;
}
