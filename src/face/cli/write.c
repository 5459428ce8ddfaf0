/* write.c - text to a file or to standard output.  Declared in verbs.h. */

#include "json/write.h"
#include "face/cli/verbs.h"
#include "os/os.h"

kvcap_code kvc_write_text(const char *path, struct kvc_span text, kvcap_error *err)
{
    struct kvc_output *output;
    kvcap_code rc = kvc_output_open(path, &output, err);
    if (rc != KVCAP_OK)
        return rc;
    kvc_output_put(output, text.text, text.length);
    kvc_output_put(output, "\n", 1);
    return kvc_output_keep(output, err);
}

kvcap_code kvc_print_value(const struct kvc_value *value, struct kvc_arena *scratch,
                           kvcap_error *err)
{
    struct kvc_text text = { .arena = scratch };
    struct kvc_sink sink = kvc_text_sink(&text);
    kvc_write(value, NULL, &sink);
    if (text.full)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the text needs more memory");
    return kvc_write_text(NULL, (struct kvc_span){ text.text, text.length }, err);
}
