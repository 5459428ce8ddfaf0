/* main.c - runs the suites over a folder of reference data and prints a line for each. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/os.h"
#include "suite.h"

static const struct suite *const SUITES[] = { &CONFIGS_SUITE,  &GGUF_SUITE,       &VLLM_SUITE,
                                              &LLAMACPP_SUITE, &ARCHS_TINY_SUITE, &LOGS_SUITE };
#define SUITES_COUNT (sizeof SUITES / sizeof SUITES[0])

static const struct suite *suite_named(const char *name)
{
    for (size_t i = 0; i < SUITES_COUNT; i++) {
        if (strcmp(SUITES[i]->name, name) == 0)
            return SUITES[i];
    }
    fprintf(stderr, "conformance: no suite is called %s; there are", name);
    for (size_t i = 0; i < SUITES_COUNT; i++)
        fprintf(stderr, " %s", SUITES[i]->name);
    fprintf(stderr, "\n");
    exit(2);
}

/* The counts, and the first failures with what was expected and what came. */
static void print(const struct suite *suite, const struct report *report)
{
    size_t kept = report->failed < FAILURES_KEPT ? report->failed : FAILURES_KEPT;
    printf("%s: %zu passed, %zu failed of %zu\n", suite->name, report->passed, report->failed,
           report->passed + report->failed);
    if (report->detail[0] != '\0')
        fprintf(stderr, "  %s\n", report->detail);
    for (size_t i = 0; i < kept; i++)
        printf("  %s: expected %s, got %s\n", report->failures[i].id, report->failures[i].expected,
               report->failures[i].got);
    if (report->failed > kept)
        printf("  and %zu more\n", report->failed - kept);
    fflush(stdout);
}

/* ---- What no suite knows. */

static bool is_known(const char *path)
{
    for (size_t i = 0; i < SUITES_COUNT; i++) {
        if (SUITES[i]->knows(path))
            return true;
    }
    return false;
}

static void name_skipped(struct kvc_arena *arena, const char *dir, const char *below,
                         unsigned depth)
{
    char whole[4096], path[4096];
    char **names;
    size_t count;
    snprintf(whole, sizeof whole, "%s/%s", dir, below);
    if (kvc_folder_list(whole, arena, &names, &count, NULL) != KVCAP_OK)
        return;
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%.2000s%s%.1000s", below, below[0] == '\0' ? "" : "/",
                 names[i]);
        snprintf(whole, sizeof whole, "%.2000s/%.2000s", dir, path);
        if (kvc_path_is_folder(whole) && depth < 8)
            name_skipped(arena, dir, path, depth + 1);
        else if (!is_known(path))
            printf("skipped: %s\n", path);
    }
}

int main(int argc, char **argv)
{
    struct kvc_arena arena;
    size_t cases = 0, failed = 0;
    if (argc < 2 || argv[1][0] == '-') {
        fprintf(stderr, "usage: conformance DIR [suite...]\n");
        return 2;
    }
    if (!kvc_path_is_folder(argv[1])) {
        fprintf(stderr, "conformance: %s is no folder\n", argv[1]);
        return 4;
    }
    for (size_t i = 0; i < (argc > 2 ? (size_t)argc - 2 : SUITES_COUNT); i++) {
        struct report report = { .dir = argv[1] };
        const struct suite *suite = argc > 2 ? suite_named(argv[2 + i]) : SUITES[i];
        suite->run(&report);
        print(suite, &report);
        cases += report.passed + report.failed;
        failed += report.failed;
        /* Asked for by name, a suite without a case has not been run. */
        if (argc > 2 && report.passed + report.failed == 0)
            failed++;
    }
    kvc_arena_from(&arena, &kvc_os_memory, (size_t)1 << 30);
    if (argc == 2)
        name_skipped(&arena, argv[1], "", 0);
    kvc_arena_drop(&arena);
    if (cases == 0)
        fprintf(stderr, "conformance: no case was found\n");
    return failed > 0 || cases == 0;
}
