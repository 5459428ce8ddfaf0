/* builtin.c - see builtin.h for the room and its promises. */

#include "meta/builtin.h"

#include <string.h>

#include "meta/name.h"

bool kvc_builtin_inferred(const struct kvc_builtin_model *row)
{
    static const char WORD[] = "inferred: ";
    return strncmp(row->source, WORD, sizeof WORD - 1) == 0;
}

const struct kvc_builtin_model *kvc_builtin_model_at(size_t index)
{
    return index < kvc_builtin_models_count ? &kvc_builtin_models[index] : NULL;
}

/* MODEL of OWNER/MODEL. */
static struct kvc_span without_owner(struct kvc_span name)
{
    size_t begin = name.length;
    while (begin > 0 && name.text[begin - 1] != '/')
        begin--;
    return (struct kvc_span){ name.text + begin, name.length - begin };
}

static bool means(struct kvc_span word, const char *name)
{
    struct kvc_span whole = kvc_span_of(name);
    return kvc_name_equal(word, whole) || kvc_name_equal(word, without_owner(whole));
}

static const struct kvc_builtin_model *row_named(const char *name)
{
    struct kvc_span whole = kvc_span_of(name);
    for (size_t i = 0; i < kvc_builtin_models_count; i++) {
        if (kvc_span_is(whole, kvc_builtin_models[i].name))
            return &kvc_builtin_models[i];
    }
    return NULL;
}

const struct kvc_builtin_model *kvc_builtin_model_named(struct kvc_span name)
{
    for (size_t i = 0; i < kvc_builtin_models_count; i++) {
        if (means(name, kvc_builtin_models[i].name))
            return &kvc_builtin_models[i];
    }
    for (size_t i = 0; i < kvc_builtin_aliases_count; i++) {
        if (means(name, kvc_builtin_aliases[i].alias))
            return row_named(kvc_builtin_aliases[i].name);
    }
    return NULL;
}

kvcap_code kvc_builtin_model_find(struct kvc_span name, const struct kvc_builtin_model **ret_model,
                                  kvcap_error *err)
{
    const struct kvc_builtin_model *row = kvc_builtin_model_named(name);
    struct kvc_near near = { .word = name };
    if (row != NULL) {
        *ret_model = row;
        return KVCAP_OK;
    }
    for (size_t i = 0; i < kvc_builtin_models_count; i++) {
        const char *row_name = kvc_builtin_models[i].name;
        kvc_near_offer(&near, row_name, kvc_span_of(row_name));
        kvc_near_offer(&near, row_name, without_owner(kvc_span_of(row_name)));
    }
    return kvc_near_refuse(&near, "built-in model", err);
}
