/* exit.c - codes to exit statuses, and refusals as people and programs read them.
 * Declared in cli.h. */

#include <errno.h>
#include <string.h>

#include "face/cli/cli.h"
#include "json/write.h"

int kvc_exit_of_code(kvcap_code code)
{
    switch (code) {
    case KVCAP_OK:
        return KVC_EXIT_YES;
    case KVCAP_E_MISSING:
        return KVC_EXIT_CANNOT_SAY;
    case KVCAP_E_NOMEM:
    case KVCAP_E_IO:
        return KVC_EXIT_WORLD;
    default:
        return KVC_EXIT_INPUT;
    }
}

int kvc_exit_worse(int a, int b)
{
    static const int ORDER[] = { KVC_EXIT_WORLD, KVC_EXIT_INPUT, KVC_EXIT_NO, KVC_EXIT_CANNOT_SAY };
    for (size_t i = 0; i < sizeof ORDER / sizeof ORDER[0]; i++) {
        if (a == ORDER[i] || b == ORDER[i])
            return ORDER[i];
    }
    return KVC_EXIT_YES;
}

static void put(void *context, const char *bytes, size_t length)
{
    fwrite(bytes, 1, length, context);
}

/* Text that came from outside may hold bytes that are not UTF-8: they are shown as '?'. */
static void put_safely(const char *text, const struct kvc_sink *sink)
{
    char shown[sizeof((kvcap_error *)0)->text];
    size_t bad;
    snprintf(shown, sizeof shown, "%s", text);
    while (!kvc_span_is_utf8(kvc_span_of(shown), &bad))
        shown[bad] = '?';
    kvc_write_string(kvc_span_of(shown), sink);
}

static void print_json(const kvcap_error *error)
{
    struct kvc_sink sink = { .put = put, .context = stderr };
    fputs("{\"error\":{\"at\":", stderr);
    put_safely(error->at, &sink);
    fputs(",\"code\":", stderr);
    put_safely(error->slug, &sink);
    fputs(",\"text\":", stderr);
    put_safely(error->text, &sink);
    fputs("}}\n", stderr);
}

/* A control character of a file must not steer somebody's terminal. */
static void print_plainly(const char *text)
{
    for (const char *c = text; *c != '\0'; c++)
        fputc((unsigned char)*c < 0x20 || *c == 0x7F ? '?' : *c, stderr);
}

int kvc_refused(const struct kvc_call *call, const kvcap_error *error)
{
    if (call != NULL && call->json) {
        print_json(error);
        return kvc_exit_of_code(error->code);
    }
    const char *advice = kvcap_advice(error);
    fprintf(stderr, "kvcap: %s", error->slug);
    if (error->at[0] != '\0') {
        fputs(" at ", stderr);
        print_plainly(error->at);
    }
    fputs(": ", stderr);
    print_plainly(error->text);
    fprintf(stderr, "%s%s\n", advice[0] == '\0' ? "" : "; ", advice);
    return kvc_exit_of_code(error->code);
}

int kvc_finish_output(const struct kvc_call *call, int exit_status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return exit_status;
    kvcap_error error;
    kvc_fail(&error, KVC_FILE_WRITE, "standard output", "%s",
             errno == 0 ? "the output was refused" : strerror(errno));
    return kvc_exit_worse(exit_status, kvc_refused(call, &error));
}
