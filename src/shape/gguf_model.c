/* gguf_model.c - see gguf_model.h for the room and its promises. */

#include "shape/gguf_model.h"

#include <inttypes.h>
#include <stdio.h>

void kvc_gguf_key(const struct kvc_gguf_model *model, const char *suffix,
                  char ret_key[KVC_GGUF_KEY_ROOM])
{
    snprintf(ret_key, KVC_GGUF_KEY_ROOM, "%s.%s", model->arch->name, suffix);
}

const struct kvc_value *kvc_gguf_said(const struct kvc_gguf_model *model, const char *suffix)
{
    char key[KVC_GGUF_KEY_ROOM];
    kvc_gguf_key(model, suffix, key);
    return kvc_value_member(model->facts->tree, key);
}

kvcap_code kvc_gguf_fail(const struct kvc_gguf_model *model, enum kvc_slug slug, const char *suffix,
                         const char *sentence)
{
    char key[KVC_GGUF_KEY_ROOM];
    kvc_gguf_key(model, suffix, key);
    return kvc_fail(model->finder.err, slug, key, "%s: %s", key, sentence);
}

static struct kvc_span place_of(struct kvc_gguf_model *model, const char *suffix)
{
    return kvc_find_text(&model->finder, "%s:%s.%s", model->facts->artefact, model->arch->name,
                         suffix);
}

/* ---- Numbers. */

static bool is_number(const struct kvc_value *value, uint64_t *ret_number)
{
    return value->type == KVC_NUMBER && kvc_span_u64(value->text, ret_number) &&
           *ret_number <= UINT32_MAX;
}

kvcap_code kvc_gguf_at_least(struct kvc_gguf_model *model, const char *suffix, uint64_t least,
                             struct kvc_origin *ret_origin)
{
    const struct kvc_value *value = kvc_gguf_said(model, suffix);
    uint64_t number;
    if (value == NULL)
        return kvc_gguf_fail(model, KVC_METADATA_MISSING_KEY, suffix, "the key is missing");
    if (value->type != KVC_NUMBER)
        return kvc_gguf_fail(model, KVC_METADATA_WRONG_TYPE, suffix, "this is no whole number");
    if (!is_number(value, &number) || number < least)
        return kvc_gguf_fail(model, KVC_METADATA_OUT_OF_RANGE, suffix,
                             least == 0 ? "the number is not within 0 and 2^32-1"
                                        : "the number is not within 1 and 2^32-1");
    *ret_origin =
        (struct kvc_origin){ .value = number, .how = "read", .from = place_of(model, suffix) };
    return ret_origin->from.text == NULL ? kvc_find_no_memory(&model->finder) : KVCAP_OK;
}

kvcap_code kvc_gguf_number(struct kvc_gguf_model *model, const char *suffix,
                           struct kvc_origin *ret_origin)
{
    return kvc_gguf_at_least(model, suffix, 0, ret_origin);
}

kvcap_code kvc_gguf_number_or(struct kvc_gguf_model *model, const char *suffix, uint64_t absent,
                              struct kvc_origin *ret_origin)
{
    if (kvc_gguf_said(model, suffix) != NULL)
        return kvc_gguf_number(model, suffix, ret_origin);
    *ret_origin = kvc_gguf_default(model, absent, suffix);
    return KVCAP_OK;
}

struct kvc_origin kvc_gguf_default(struct kvc_gguf_model *model, uint64_t value, const char *what)
{
    return (struct kvc_origin){ .value = value,
                                .how = "default",
                                .from = kvc_find_text(&model->finder, "llama.cpp 0.4.0:%s %s",
                                                      model->arch->name, what) };
}

struct kvc_origin kvc_gguf_derived(struct kvc_gguf_model *model, uint64_t value,
                                   const char *formula, const char *suffix,
                                   const char *other_suffix)
{
    struct kvc_span from =
        other_suffix == NULL
            ? kvc_find_text(&model->finder, "gguf:%s.%s%s", model->arch->name, suffix, formula)
            : kvc_find_text(&model->finder, "gguf:%s.%s%s%s.%s", model->arch->name, suffix, formula,
                            model->arch->name, other_suffix);
    return (struct kvc_origin){ .value = value, .how = "derived", .from = from };
}

/* ---- A number for each layer. */

static kvcap_code put_entry(struct kvc_gguf_model *model, const char *suffix,
                            const struct kvc_value *value, uint32_t *ret_number)
{
    uint64_t number = value->type == KVC_TRUE;
    bool is_flag = value->type == KVC_TRUE || value->type == KVC_FALSE;
    if (!is_flag && value->type != KVC_NUMBER)
        return kvc_gguf_fail(model, KVC_METADATA_WRONG_TYPE, suffix,
                             "an entry is neither a whole number nor a flag");
    if (!is_flag && !is_number(value, &number))
        return kvc_gguf_fail(model, KVC_METADATA_OUT_OF_RANGE, suffix,
                             "an entry is not within 0 and 2^32-1");
    *ret_number = (uint32_t)number;
    return KVCAP_OK;
}

static kvcap_code put_list(struct kvc_gguf_model *model, const char *suffix,
                           const struct kvc_value *list, uint32_t count, bool exact,
                           uint32_t *ret_numbers)
{
    if (exact && list->count != count)
        return kvc_gguf_fail(model, KVC_METADATA_OUT_OF_RANGE, suffix,
                             "the list does not have one entry a layer");
    uint32_t i = 0;
    for (const struct kvc_value *value = list->first; value != NULL && i < count;
         value = value->next) {
        kvcap_code rc = put_entry(model, suffix, value, &ret_numbers[i++]);
        if (rc != KVCAP_OK)
            return rc;
    }
    return KVCAP_OK;
}

kvcap_code kvc_gguf_per_layer(struct kvc_gguf_model *model, const char *suffix, uint32_t count,
                              bool exact, struct kvc_gguf_per_layer *ret_numbers)
{
    const struct kvc_value *value = kvc_gguf_said(model, suffix);
    *ret_numbers = (struct kvc_gguf_per_layer){ .of_layer = NULL };
    if (value == NULL)
        return KVCAP_OK;
    uint32_t *numbers =
        kvc_arena_array(model->finder.arena, KVC_GGUF_LAYERS_MAX + 1, sizeof *numbers);
    struct kvc_origin origin = { .how = "read", .from = place_of(model, suffix) };
    if (numbers == NULL || origin.from.text == NULL)
        return kvc_find_no_memory(&model->finder);
    ret_numbers->origin = origin;
    ret_numbers->is_list = value->type == KVC_ARRAY;
    ret_numbers->of_layer = numbers;
    if (ret_numbers->is_list)
        return put_list(model, suffix, value, count, exact, numbers);
    kvcap_code rc = put_entry(model, suffix, value, &numbers[0]);
    for (uint32_t i = 1; i < count && rc == KVCAP_OK; i++)
        numbers[i] = numbers[0];
    return rc;
}

bool *kvc_gguf_flags(struct kvc_gguf_model *model)
{
    return kvc_arena_array(model->finder.arena, KVC_GGUF_LAYERS_MAX + 1, sizeof(bool));
}
