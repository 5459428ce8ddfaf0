/* seal.c - see seal.h for the room and its promises. */

#include "record/seal.h"

#include "bytes/elem.h"
#include "record/id.h"
#include "record/match.h"

struct sealing {
    const struct kvc_reading *reading;
    const struct kvc_naming *naming;
    struct kvc_value *tree;
    struct kvc_build build;
    struct kvc_reader r;
};

/* The record that a draft names and needs, or NULL with a refusal. */
static const struct kvc_record *needed(struct sealing *s, const char *key, enum kvc_kind kind)
{
    struct kvc_span id = kvc_read_id(&s->r, s->tree, key, kind);
    if (s->r.rc != KVCAP_OK)
        return NULL;
    const struct kvc_record *found = s->naming->find(s->naming->context, id);
    if (found == NULL)
        kvc_refuse_member(&s->r, KVC_RECORD_NOT_FOUND, s->tree, key,
                          "the draft takes members from a record that is not at hand");
    return found;
}

/* A text that becomes a member: copied, since what it is taken from need not outlive the call. */
static void put_copy(struct sealing *s, struct kvc_value *object, const char *key,
                     struct kvc_span text)
{
    struct kvc_span copy = kvc_arena_copy(s->reading->arena, text);
    if (copy.text == NULL)
        s->build.full = true;
    else
        kvc_build_text(&s->build, object, key, copy);
}

static void fill_digest(struct sealing *s)
{
    const struct kvc_value *architecture = kvc_value_member(s->tree, "architecture");
    char digest[KVC_DIGEST_ROOM];
    if (architecture == NULL || kvc_has(s->tree, "architecture_digest"))
        return;
    s->r.rc = kvc_digest_of(s->reading->sha, architecture, NULL, digest, s->r.err);
    if (s->r.rc == KVCAP_OK)
        put_copy(s, s->tree, "architecture_digest", kvc_span_of(digest));
}

/* A token of fp8_ds_mla has the size that the model's latent has. */
static uint64_t token_bytes_of(const struct kvc_shape *shape)
{
    for (uint32_t i = 0; i < shape->types_count; i++) {
        for (uint32_t j = 0; j < shape->types[i].states_count; j++) {
            const struct kvc_state *state = &shape->types[i].states[j];
            if (state->kind == KVC_STATE_LATENT)
                return kvc_ds_mla_token_bytes(state->latent_dim, state->rope_dim);
        }
    }
    return 0;
}

static void fill_layout(struct sealing *s, const char *key)
{
    struct kvc_value *object = kvc_value_member(kvc_value_member(s->tree, "cache"), key);
    const struct kvc_value *name = kvc_value_member(object, "format");
    enum kvc_format format;
    if (name == NULL || name->type != KVC_STRING || object->count != 1 ||
        !kvc_format_named(name->text, &format))
        return;
    if (format != KVC_FORMAT_FP8_DS_MLA) {
        kvc_format_build_layout(&s->build, object, format);
        return;
    }
    const struct kvc_record *model = needed(s, "model", KVC_KIND_MODEL);
    uint64_t token_bytes = model == NULL ? 0 : token_bytes_of(&model->model.shape);
    if (token_bytes != 0)
        kvc_build_u64(&s->build, object, "token_bytes", token_bytes);
    else if (s->r.rc == KVCAP_OK)
        kvc_refuse(&s->r, KVC_CONTRACT_FORMAT_STATE, object,
                   "fp8_ds_mla wants a model with a latent of 512 + 64 or 448 + 64");
}

static void fill_contract(struct sealing *s)
{
    if (!kvc_has(s->tree, "architecture_digest")) {
        const struct kvc_record *model = needed(s, "model", KVC_KIND_MODEL);
        if (model != NULL)
            put_copy(s, s->tree, "architecture_digest", model->model.architecture_digest);
    }
    fill_layout(s, "k");
    fill_layout(s, "v");
}

static void put_identity(struct sealing *s, struct kvc_value *parent, const char *key,
                         struct kvc_identity identity)
{
    struct kvc_value *object = kvc_build_object(&s->build, parent, key);
    put_copy(s, object, "name", identity.name);
    put_copy(s, object, "version", identity.version);
}

static void fill_scope(struct sealing *s)
{
    if (kvc_has(s->tree, "scope"))
        return;
    const struct kvc_record *found = needed(s, "contract", KVC_KIND_CONTRACT);
    if (found == NULL)
        return;
    const struct kvc_contract *contract = &found->contract;
    struct kvc_value *scope = kvc_build_object(&s->build, s->tree, "scope");
    put_copy(s, scope, "model", contract->model);
    put_copy(s, scope, "architecture_digest", contract->architecture_digest);
    put_copy(s, scope, "cache_k", kvc_span_of(kvc_format_name(contract->cache_k)));
    put_copy(s, scope, "cache_v", kvc_span_of(kvc_format_name(contract->cache_v)));
    put_copy(s, scope, "pool", contract->pool);
    put_identity(s, scope, "allocator", contract->allocator);
    put_identity(s, scope, "scheduler", contract->scheduler);
}

static kvcap_code fill(struct sealing *s)
{
    switch (kvc_kind_of(s->tree)) {
    case KVC_KIND_MODEL:
        fill_digest(s);
        break;
    case KVC_KIND_CONTRACT:
        fill_contract(s);
        break;
    case KVC_KIND_EVIDENCE:
        fill_scope(s);
        break;
    default:
        break;
    }
    if (s->r.rc == KVCAP_OK && s->build.full)
        return kvc_fail(s->r.err, KVC_MEMORY_FULL, "", "sealing needs more memory");
    return s->r.rc;
}

static kvcap_code begin(struct sealing *s, const struct kvc_reading *reading,
                        struct kvc_value *tree, const struct kvc_naming *naming)
{
    *s = (struct sealing){ .reading = reading,
                           .naming = naming,
                           .tree = tree,
                           .build = { .arena = reading->arena },
                           .r = { .rc = KVCAP_OK, .err = reading->err } };
    if (tree->type != KVC_OBJECT)
        kvc_refuse(&s->r, KVC_RECORD_WRONG_TYPE, tree, "a record is one object");
    else if (kvc_has(tree, "id"))
        kvc_refuse_member(&s->r, KVC_RECORD_NOT_A_DRAFT, tree, "id",
                          "this record has an id already");
    return s->r.rc;
}

kvcap_code kvc_seal_header(const struct kvc_reading *reading, struct kvc_value *tree,
                           const struct kvc_naming *naming)
{
    struct sealing s;
    kvcap_code rc = begin(&s, reading, tree, naming);
    return rc != KVCAP_OK ? rc : fill(&s);
}

kvcap_code kvc_seal_check_named(const struct kvc_reading *reading, const struct kvc_record *record,
                                const struct kvc_naming *naming)
{
    kvcap_code rc = KVCAP_OK;
    if (record->kind == KVC_KIND_CONTRACT) {
        const struct kvc_record *model = naming->find(naming->context, record->contract.model);
        if (model != NULL)
            rc = kvc_match_model(record, model, reading->err);
    }
    if (record->kind == KVC_KIND_EVIDENCE) {
        const struct kvc_record *contract =
            naming->find(naming->context, record->evidence.contract);
        if (contract != NULL)
            rc = kvc_match_evidence(&record->evidence, contract, reading->err);
        if (contract != NULL && rc == KVCAP_OK)
            rc = kvc_evidence_check_requests(reading, &record->evidence, &contract->contract);
    }
    return rc;
}

kvcap_code kvc_seal(const struct kvc_reading *reading, struct kvc_value *tree,
                    const struct kvc_naming *naming, struct kvc_record *ret_record)
{
    struct sealing s;
    kvcap_code rc = begin(&s, reading, tree, naming);
    if (rc == KVCAP_OK)
        rc = fill(&s);
    if (rc != KVCAP_OK)
        return rc;
    char id[KVC_ID_ROOM];
    rc = kvc_id_of(reading->sha, kvc_kind_of(tree), tree, id, reading->err);
    if (rc != KVCAP_OK)
        return rc;
    struct kvc_span kept = kvc_arena_copy(reading->arena, kvc_span_of(id));
    kvc_build_text(&s.build, tree, "id", kept);
    if (kept.text == NULL || s.build.full)
        return kvc_fail(reading->err, KVC_MEMORY_FULL, "", "sealing needs more memory");
    struct kvc_record record;
    rc = kvc_record_open(reading, tree, &record);
    if (rc == KVCAP_OK)
        rc = kvc_seal_check_named(reading, &record, naming);
    if (rc == KVCAP_OK)
        *ret_record = record;
    return rc;
}
