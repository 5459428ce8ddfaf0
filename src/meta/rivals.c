/* rivals.c - see rivals.h for the room and its promises. */

#include "meta/rivals.h"

#include "meta/file_kind.h"
#include "meta/hf.h"
#include "meta/params.h"

static const struct kvc_value *family_of(const struct kvc_facts *facts)
{
    /* A params.json has its family from us. */
    const struct kvc_value *type = kvc_value_member(facts->tree, "model_type");
    bool is_said = kvc_file_kind_of(kvc_span_of(facts->artefact)) == KVC_FILE_CONFIG &&
                   type != NULL && type->type == KVC_STRING;
    return is_said ? type : NULL;
}

static void compare_families(const struct kvc_facts *believed, const struct kvc_facts *rival,
                             struct kvc_notes *notes)
{
    const struct kvc_value *a = family_of(believed), *b = family_of(rival);
    if (a == NULL || b == NULL || kvc_span_equal(a->text, b->text))
        return;
    kvc_note_add(notes, "folder.model_type", rival->artefact,
                 "%s is of the family %.*s, %s of %.*s; the first is believed, since it is the "
                 "folder's own",
                 believed->artefact, (int)(a->text.length < 64 ? a->text.length : 64), a->text.text,
                 rival->artefact, (int)(b->text.length < 64 ? b->text.length : 64), b->text.text);
}

kvcap_code kvc_rival_read(const struct kvc_facts *believed, const char *name, struct kvc_span text,
                          struct kvc_arena *scratch, struct kvc_notes *notes,
                          struct kvc_facts *ret_facts, kvcap_error *err)
{
    kvcap_error refusal;
    bool is_params = kvc_file_kind_of(kvc_span_of(name)) == KVC_FILE_PARAMS;
    struct kvc_facts rival = { .tree = NULL };
    kvcap_code rc = is_params ? kvc_params_read(name, text, scratch, &rival, &refusal)
                              : kvc_hf_read(name, text, scratch, &rival, &refusal);
    if (rc == KVCAP_E_NOMEM) {
        if (err != NULL)
            *err = refusal;
        return rc;
    }
    if (rc == KVCAP_OK)
        compare_families(believed, &rival, notes);
    else
        kvc_note_add(notes, "folder.unread", name, "%s cannot be read and is passed over: %s", name,
                     refusal.text);
    *ret_facts = rival;
    return KVCAP_OK;
}
