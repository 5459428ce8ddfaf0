/* fit.c - kv-fit: what an engine will allocate, print and refuse.  Declared in record.h.
 *
 * This program knows the engine `logical`, the ideal state without an allocator; a record of any
 * other engine is refused by name rather than half read. */

#include "record/record.h"

static const struct kvc_key FIT_KEYS[] = {
    KVC_HEAD_KEYS,        { "model", false },   { "engine", false }, { "engine_defaulted", false },
    { "rules", false },   { "claim", false },   { "command", true }, { "settings", false },
    { "ignored", false }, { "decision", true }, { "logical", true }, { "undetermined", true },
    { "notes", false },
};

static void read_flag(struct kvc_reader *r, const struct kvc_value *object, const char *key)
{
    const struct kvc_value *flag = kvc_value_member(object, key);
    if (r->rc == KVCAP_OK && flag != NULL && flag->type != KVC_TRUE && flag->type != KVC_FALSE)
        kvc_refuse(r, KVC_RECORD_WRONG_TYPE, flag, "true or false is due here");
}

static void read_names(struct kvc_reader *r, const struct kvc_value *tree, const char *key)
{
    const struct kvc_value *list = kvc_read_array(r, tree, key, 0, UINT16_MAX);
    if (list == NULL)
        return;
    for (const struct kvc_value *e = list->first; e != NULL && r->rc == KVCAP_OK; e = e->next)
        kvc_read_value_name(r, e, KVC_NAME_BYTES_MAX);
}

static void read_settings(struct kvc_reader *r, const struct kvc_value *tree)
{
    static const struct kvc_key KEYS[] = { { "kv_cache_dtype", false },
                                           { "max_model_len", false } };
    const struct kvc_value *settings =
        kvc_read_object(r, tree, "settings", KEYS, KVC_COUNT_OF(KEYS));
    struct kvc_span dtype = kvc_read_text(r, settings, "kv_cache_dtype");
    if (r->rc == KVCAP_OK && settings != NULL && !kvc_span_is(dtype, "auto"))
        kvc_read_format(r, settings, "kv_cache_dtype");
    kvc_read_n1(r, settings, "max_model_len");
}

static void read_notes(struct kvc_reader *r, const struct kvc_value *tree)
{
    static const struct kvc_key KEYS[] = { { "code", false }, { "text", false } };
    const struct kvc_value *list = kvc_read_array(r, tree, "notes", 0, UINT16_MAX);
    if (list == NULL)
        return;
    for (const struct kvc_value *e = list->first; e != NULL && r->rc == KVCAP_OK; e = e->next) {
        const struct kvc_value *note = kvc_read_keys(r, e, KEYS, KVC_COUNT_OF(KEYS));
        kvc_read_name(r, note, "code");
        kvc_read_value_name(r, kvc_value_member(note, "text"), KVC_LONG_TEXT_BYTES_MAX);
    }
}

static void read_undetermined(struct kvc_reader *r, const struct kvc_value *tree)
{
    static const struct kvc_key ENTRY[] = { { "layer", true },
                                            { "key", false },
                                            { "reason", false } };
    const struct kvc_value *list = kvc_read_array(r, tree, "undetermined", 1, UINT16_MAX);
    if (list == NULL)
        return;
    for (const struct kvc_value *e = list->first; e != NULL && r->rc == KVCAP_OK; e = e->next) {
        const struct kvc_value *entry = kvc_read_keys(r, e, ENTRY, KVC_COUNT_OF(ENTRY));
        if (kvc_has(entry, "layer"))
            kvc_read_n0(r, entry, "layer");
        kvc_read_name(r, entry, "key");
        kvc_read_name(r, entry, "reason");
    }
}

/* Either the sizes, or why there are none. */
static void read_answer(struct kvc_reader *r, const struct kvc_value *tree)
{
    static const struct kvc_key LOGICAL[] = { { "bytes_per_token", false },
                                              { "bytes_per_sequence", false } };
    static const char *const DECISIONS[] = { "UNDETERMINED" };
    bool undetermined = kvc_has(tree, "decision");
    const char *excluded = undetermined ? "logical" : "undetermined";
    if (r->rc == KVCAP_OK && kvc_has(tree, excluded))
        kvc_refuse_member(r, KVC_RECORD_UNKNOWN_KEY, tree, excluded,
                          "%s does not stand %s a decision", excluded,
                          undetermined ? "beside" : "without");
    if (undetermined) {
        kvc_read_word(r, tree, "decision", DECISIONS, 1);
        read_undetermined(r, tree);
        return;
    }
    const struct kvc_value *logical =
        kvc_read_object(r, tree, "logical", LOGICAL, KVC_COUNT_OF(LOGICAL));
    kvc_read_n0(r, logical, "bytes_per_token");
    kvc_read_n0(r, logical, "bytes_per_sequence");
}

void kvc_fit_read(struct kvc_reader *r, const struct kvc_value *tree)
{
    static const char *const CLAIMS[] = { KVC_CLAIM_OF_FIT };
    struct kvc_span engine = kvc_read_name(r, tree, "engine");
    if (r->rc == KVCAP_OK && !kvc_span_is(engine, "logical"))
        kvc_refuse_member(r, KVC_FIT_ENGINE, tree, "engine", "this program knows no such engine");
    tree = kvc_read_keys(r, tree, FIT_KEYS, KVC_COUNT_OF(FIT_KEYS));
    kvc_read_id(r, tree, "model", KVC_KIND_MODEL);
    read_flag(r, tree, "engine_defaulted");
    kvc_read_name(r, tree, "rules");
    kvc_read_word(r, tree, "claim", CLAIMS, 1);
    if (kvc_has(tree, "command"))
        read_names(r, tree, "command");
    read_settings(r, tree);
    read_names(r, tree, "ignored");
    read_answer(r, tree);
    read_notes(r, tree);
}
