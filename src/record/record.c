/* record.c - any record from its tree.  Declared in record.h. */

#include "record/record.h"

#include "record/id.h"
#include "record/match.h"

static const char *const KIND_NAMES[KVC_KIND_COUNT] = {
    [KVC_KIND_NONE] = "record",
    [KVC_KIND_MODEL] = "kv-model",
    [KVC_KIND_CONTRACT] = "kv-capacity-contract",
    [KVC_KIND_EVIDENCE] = "kv-reservation-evidence",
    [KVC_KIND_PLAN] = "kv-capacity-plan",
    [KVC_KIND_FIT] = "kv-fit",
};

const char *kvc_kind_name(enum kvc_kind kind)
{
    return KIND_NAMES[kind];
}

enum kvc_kind kvc_kind_of(const struct kvc_value *tree)
{
    const struct kvc_value *kind = kvc_value_member(tree, "kind");
    if (kind == NULL || kind->type != KVC_STRING)
        return KVC_KIND_NONE;
    for (unsigned i = KVC_KIND_NONE + 1; i < KVC_KIND_COUNT; i++) {
        if (kvc_span_is(kind->text, KIND_NAMES[i]))
            return (enum kvc_kind)i;
    }
    return KVC_KIND_NONE;
}

enum kvc_kind kvc_record_read_head(struct kvc_reader *r, const struct kvc_value *tree,
                                   enum kvc_kind due)
{
    if (r->rc != KVCAP_OK)
        return KVC_KIND_NONE;
    if (tree->type != KVC_OBJECT) {
        kvc_refuse(r, KVC_RECORD_WRONG_TYPE, tree, "a record is one object");
        return KVC_KIND_NONE;
    }
    kvc_read_text(r, tree, "kind");
    enum kvc_kind kind = kvc_kind_of(tree);
    if (r->rc == KVCAP_OK && kind == KVC_KIND_NONE)
        kvc_refuse_member(r, KVC_RECORD_UNKNOWN_KIND, tree, "kind",
                          "this program reads no such kind");
    if (r->rc == KVCAP_OK && due != KVC_KIND_NONE && kind != due)
        kvc_refuse_member(r, KVC_RECORD_UNKNOWN_KIND, tree, "kind", "a %s is due here",
                          kvc_kind_name(due));
    uint64_t version = kvc_read_n0(r, tree, "version");
    if (r->rc == KVCAP_OK && version != 1)
        kvc_refuse_member(r, KVC_RECORD_BAD_VERSION, tree, "version",
                          "this program reads version 1 of this kind");
    return kind;
}

static void read_body(struct kvc_reader *r, const struct kvc_reading *reading,
                      const struct kvc_value *tree, struct kvc_record *record)
{
    switch (record->kind) {
    case KVC_KIND_MODEL:
        kvc_model_read(r, reading, tree, &record->model);
        break;
    case KVC_KIND_CONTRACT:
        kvc_contract_read(r, reading, tree, &record->contract);
        break;
    case KVC_KIND_EVIDENCE:
        kvc_evidence_read(r, reading, tree, KVC_EVIDENCE_WHOLE, &record->evidence);
        if (r->rc == KVCAP_OK)
            r->rc = kvc_evidence_check_requests(reading, &record->evidence, NULL);
        break;
    case KVC_KIND_PLAN:
        kvc_plan_read(r, tree);
        break;
    case KVC_KIND_FIT:
        kvc_fit_read(r, tree);
        break;
    default:
        break;
    }
}

static void check_id(struct kvc_reader *r, const struct kvc_reading *reading,
                     struct kvc_record *record)
{
    struct kvc_span stated = kvc_read_id(r, record->tree, "id", record->kind);
    if (r->rc != KVCAP_OK)
        return;
    r->rc = kvc_id_of(reading->sha, record->kind, record->tree, record->id, r->err);
    if (r->rc == KVCAP_OK && !reading->any_id && !kvc_span_is(stated, record->id))
        kvc_refuse_member(r, KVC_RECORD_ID_MISMATCH, record->tree, "id",
                          "the content of this record has another id");
}

kvcap_code kvc_record_open(const struct kvc_reading *reading, struct kvc_value *tree,
                           struct kvc_record *ret_record)
{
    struct kvc_reader r = { .rc = KVCAP_OK, .err = reading->err };
    struct kvc_record record = { .tree = tree };
    record.kind = kvc_record_read_head(&r, tree, KVC_KIND_NONE);
    if (r.rc == KVCAP_OK && !kvc_has(tree, "id"))
        kvc_refuse_member(&r, KVC_RECORD_DRAFT, tree, "id", "this record is a draft: it has no id");
    if (r.rc == KVCAP_OK)
        read_body(&r, reading, tree, &record);
    check_id(&r, reading, &record);
    /* After the id: who edited an architecture has altered the record, and is told so. */
    bool altered = r.rc == KVCAP_OK && !kvc_span_is(kvc_value_member(tree, "id")->text, record.id);
    if (r.rc == KVCAP_OK && record.kind == KVC_KIND_MODEL && !altered)
        kvc_model_check_digest(&r, reading, tree, &record.model);
    if (r.rc == KVCAP_OK)
        *ret_record = record;
    return r.rc;
}

const char *kvc_kind_arrow(enum kvc_kind kind, size_t index)
{
    static const char *const ARROWS[KVC_KIND_COUNT][3] = {
        [KVC_KIND_CONTRACT] = { "model", "parent" },
        [KVC_KIND_EVIDENCE] = { "contract" },
        [KVC_KIND_PLAN] = { "model", "contract", "evidence" },
        [KVC_KIND_FIT] = { "model" },
    };
    return index < 3 ? ARROWS[kind][index] : NULL;
}

/* What a contract names besides: records that were adopted, and the sources of its terms. */
static const struct kvc_value *contract_arrow(const struct kvc_value *tree, size_t index)
{
    const struct kvc_value *adopted = kvc_value_member(tree, "adopted");
    for (const struct kvc_value *e = adopted == NULL ? NULL : adopted->first; e != NULL;
         e = e->next) {
        if (index-- == 0)
            return kvc_value_member(e, "record");
    }
    const struct kvc_value *non_cache = kvc_value_member(tree, "non_cache");
    for (const struct kvc_value *term = non_cache->first; term != NULL; term = term->next) {
        const struct kvc_value *source = kvc_value_member(term, "source");
        if (source != NULL && index-- == 0)
            return source;
    }
    const struct kvc_value *lag = kvc_value_member(tree, "release_lag_ns");
    return lag != NULL && index == 0 ? kvc_value_member(lag, "source") : NULL;
}

const struct kvc_value *kvc_record_arrow(const struct kvc_record *record, size_t index)
{
    const char *key;
    for (size_t i = 0; (key = kvc_kind_arrow(record->kind, i)) != NULL; i++) {
        const struct kvc_value *named = kvc_value_member(record->tree, key);
        if (named != NULL && index-- == 0)
            return named;
    }
    return record->kind == KVC_KIND_CONTRACT ? contract_arrow(record->tree, index) : NULL;
}
