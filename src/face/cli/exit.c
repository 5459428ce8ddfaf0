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

void kvc_show_json(FILE *out, const char *text)
{
    char shown[4096]; /* as long as a path can be */
    size_t bad;
    struct kvc_sink sink = { .put = put, .context = out };
    snprintf(shown, sizeof shown, "%s", text);
    while (!kvc_span_is_utf8(kvc_span_of(shown), &bad))
        shown[bad] = '?';
    kvc_write_string(kvc_span_of(shown), &sink);
}

static void print_json(const kvcap_error *error)
{
    fputs("{\"error\":{\"at\":", stderr);
    kvc_show_json(stderr, error->at);
    fputs(",\"code\":", stderr);
    kvc_show_json(stderr, error->slug);
    fputs(",\"text\":", stderr);
    kvc_show_json(stderr, error->text);
    fputs("}}\n", stderr);
}

/* U+0000-001F, U+007F-009F: a control character of a file must not steer somebody's terminal. */
static void show_printable(FILE *out, struct kvc_span text)
{
    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.text[i];
        bool is_c1 = c == 0xC2 && i + 1 < text.length && (unsigned char)text.text[i + 1] < 0xA0;
        fputc(c < 0x20 || c == 0x7F || is_c1 ? '?' : c, out);
        i += is_c1;
    }
}

void kvc_show(FILE *out, const char *text)
{
    struct kvc_span rest = kvc_span_of(text);
    size_t bad;
    while (!kvc_span_is_utf8(rest, &bad)) {
        show_printable(out, (struct kvc_span){ rest.text, bad });
        fputc('?', out);
        rest = (struct kvc_span){ rest.text + bad + 1, rest.length - bad - 1 };
    }
    show_printable(out, rest);
}

int kvc_refused(const struct kvc_call *call, const kvcap_error *error)
{
    if (call != NULL && call->json) {
        print_json(error);
        return kvc_exit_of_code(error->code);
    }
    const char *advice = kvcap_advice(error);
    fprintf(stderr, "%s: %s", kvc_program, error->slug);
    if (error->at[0] != '\0') {
        fputs(" at ", stderr);
        kvc_show(stderr, error->at);
    }
    fputs(": ", stderr);
    kvc_show(stderr, error->text);
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
