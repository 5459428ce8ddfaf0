/* format.c - see format.h for the room and its promises. */

#include "shape/format.h"

static const char *const NAMES[KVC_FORMAT_COUNT] = { [KVC_FORMAT_NONE] = "none",
#define XX(name, text) [KVC_FORMAT_##name] = text,
                                                     KVC_FORMAT_MAP(XX)
#undef XX
};

const char *kvc_format_name(enum kvc_format format)
{
    return NAMES[format];
}

const char *kvc_format_words(void)
{
#define XX(name, text) " " text
    return &(KVC_FORMAT_MAP(XX))[1]; /* after the first space */
#undef XX
}

bool kvc_format_named(struct kvc_span name, enum kvc_format *ret_format)
{
    for (unsigned i = KVC_FORMAT_NONE + 1; i < KVC_FORMAT_COUNT; i++) {
        if (kvc_span_is(name, NAMES[i])) {
            *ret_format = (enum kvc_format)i;
            return true;
        }
    }
    return false;
}
