/* file_kind.c - see file_kind.h for the room and its promises. */

#include "meta/file_kind.h"

#include <string.h>

/* The first row that fits.  A name that begins with a point is an ending, and something stands before
 * it. */
static const struct {
    const char *starts, *name;
    enum kvc_file_kind kind;
} NAMES[] = {
    { "", "config.json", KVC_FILE_CONFIG },
    { "", "params.json", KVC_FILE_PARAMS },
    { "", "hf_quant_config.json", KVC_FILE_QUANT },
    { "", ".safetensors.index.json", KVC_FILE_INDEX },
    { "", ".safetensors", KVC_FILE_TENSORS },
    { "mmproj", ".gguf", KVC_FILE_PROJECTOR },
    { "", ".gguf", KVC_FILE_GGUF },
};

static struct kvc_span last_part(struct kvc_span name)
{
    size_t begin = name.length;
    while (begin > 0 && name.text[begin - 1] != '/')
        begin--;
    return (struct kvc_span){ .text = name.text + begin, .length = name.length - begin };
}

enum kvc_file_kind kvc_file_kind_of(struct kvc_span name)
{
    struct kvc_span last = last_part(name);
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        bool is_ending = NAMES[i].name[0] == '.';
        bool fits = is_ending
                        ? kvc_span_ends(last, NAMES[i].name) && last.length > strlen(NAMES[i].name)
                        : kvc_span_is(last, NAMES[i].name);
        if (fits && kvc_span_starts(last, NAMES[i].starts))
            return NAMES[i].kind;
    }
    return KVC_FILE_OTHER;
}

bool kvc_file_is_beside(struct kvc_span name)
{
    return name.length > 0 && memchr(name.text, '/', name.length) == NULL;
}
