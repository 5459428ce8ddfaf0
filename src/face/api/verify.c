/* verify.c - see verify.h for the room and its promises. */

#include "face/api/verify.h"

#include <stdio.h>
#include <string.h>

#include "bytes/logical.h"
#include "engine/paged.h"
#include "os/os.h"
#include "record/match.h"

static void settle(struct kvc_outcome *ret_outcome, int32_t outcome, const char *at)
{
    ret_outcome->outcome = outcome;
    snprintf(ret_outcome->at, sizeof ret_outcome->at, "%s", at);
}

/* The first member of `derived`, other than id and rules, that `stated` does not have alike; or the
 * first that only `stated` has. */
static bool follows(const struct kvc_value *stated, const struct kvc_value *derived,
                    char ret_at[KVC_POINTER_ROOM])
{
    const struct kvc_value *a = stated->first, *b = derived->first;
    while (a != NULL || b != NULL) {
        int order = a == NULL ? 1 : b == NULL ? -1 : kvc_key_compare(a->key, b->key);
        const struct kvc_value *differing = order < 0 ? a : b;
        bool passed_over =
            kvc_span_is(differing->key, "id") || kvc_span_is(differing->key, "rules");
        bool alike = order == 0 && kvc_value_equal(b, a, &differing);
        if (!passed_over && !alike) {
            kvc_value_pointer(differing, ret_at);
            return false;
        }
        a = order <= 0 ? a->next : a;
        b = order >= 0 ? b->next : b;
    }
    return true;
}

/* A record of this program's rules must follow; one of other rules may. */
static void judge(const struct kvc_record *record, const struct kvc_value *derived,
                  const char *rules, struct kvc_outcome *ret_outcome)
{
    char at[KVC_POINTER_ROOM];
    if (follows(record->tree, derived, at)) {
        settle(ret_outcome, KVCAP_INTACT, "");
        return;
    }
    bool same_rules = kvc_span_is(kvc_value_member(record->tree, "rules")->text, rules);
    settle(ret_outcome, same_rules ? KVCAP_ALTERED : KVCAP_INTACT_BUT_RULES_CHANGED, at);
}

void kvc_verify_plan(const struct kvc_record *plan, const struct kvc_record *derived,
                     struct kvc_outcome *ret_outcome)
{
    judge(plan, derived->tree, KVC_PAGED_RULES, ret_outcome);
}

/* ---- What a record names. */

static const struct kvcap_record *on_shelf(const struct kvc_shelf *shelf, struct kvc_span id)
{
    for (size_t i = 0; i < shelf->records_count; i++) {
        if (shelf->records[i] != NULL && kvc_span_is(id, shelf->records[i]->record.id))
            return shelf->records[i];
    }
    return NULL;
}

static const struct kvcap_record *named(const struct kvc_record *record, const char *key,
                                        const struct kvc_shelf *shelf,
                                        struct kvc_outcome *ret_outcome)
{
    const struct kvcap_record *found = on_shelf(shelf, kvc_value_member(record->tree, key)->text);
    char at[64];
    snprintf(at, sizeof at, "/%s", key);
    if (found == NULL)
        settle(ret_outcome, KVCAP_INCOMPLETE, at);
    return found;
}

/* A derivation that is refused for what the records say does not follow; one that is refused for
 * want of memory is no answer. */
static kvcap_code settle_refusal(kvcap_code rc, const kvcap_error *refusal, const char *at,
                                 struct kvc_outcome *ret_outcome, kvcap_error *err)
{
    if (rc == KVCAP_E_NOMEM) {
        if (err != NULL)
            *err = *refusal;
        return rc;
    }
    /* A place in the contract is none in the record that names it. */
    bool is_contracts = rc == KVCAP_E_CONTRACT && at == NULL;
    settle(ret_outcome, KVCAP_ALTERED, is_contracts ? "/contract" : at == NULL ? refusal->at : at);
    return KVCAP_OK;
}

static kvcap_code verify_plan(const struct kvc_record *plan, const struct kvc_shelf *shelf,
                              struct kvc_outcome *ret_outcome, kvcap_error *err)
{
    const struct kvcap_record *model = named(plan, "model", shelf, ret_outcome);
    const struct kvcap_record *contract =
        model == NULL ? NULL : named(plan, "contract", shelf, ret_outcome);
    const struct kvcap_record *evidence =
        contract == NULL ? NULL : named(plan, "evidence", shelf, ret_outcome);
    if (evidence == NULL)
        return KVCAP_OK;
    kvcap_plan *derived;
    kvcap_error refusal;
    kvcap_code rc = kvcap_plan_make(model, contract, evidence, &derived, &refusal);
    if (rc != KVCAP_OK)
        return settle_refusal(rc, &refusal, "", ret_outcome, err);
    kvc_verify_plan(plan, &derived->record.record, ret_outcome);
    kvcap_plan_free(derived);
    return KVCAP_OK;
}

/* ---- The kinds. */

/* Everything that a record names must be at hand, though not all of it is computed with. */
static bool all_at_hand(const struct kvc_record *record, const struct kvc_shelf *shelf,
                        struct kvc_outcome *ret_outcome)
{
    const struct kvc_value *arrow;
    for (size_t i = 0; (arrow = kvc_record_arrow(record, i)) != NULL; i++) {
        if (on_shelf(shelf, arrow->text) != NULL)
            continue;
        ret_outcome->outcome = KVCAP_INCOMPLETE;
        kvc_value_pointer(arrow, ret_outcome->at);
        return false;
    }
    return true;
}

static kvcap_code verify_contract(const struct kvc_record *contract, const struct kvc_shelf *shelf,
                                  struct kvc_outcome *ret_outcome, kvcap_error *err)
{
    kvcap_error refusal;
    if (!all_at_hand(contract, shelf, ret_outcome))
        return KVCAP_OK;
    const struct kvcap_record *model = on_shelf(shelf, contract->contract.model);
    kvcap_code rc = kvc_match_model(contract, &model->record, &refusal);
    if (rc != KVCAP_OK)
        return settle_refusal(rc, &refusal, refusal.at, ret_outcome, err);
    settle(ret_outcome, KVCAP_INTACT, "");
    return KVCAP_OK;
}

static kvcap_code check_evidence(const struct kvc_record *evidence,
                                 const struct kvc_record *contract, kvcap_error *err)
{
    struct kvc_arena arena;
    struct kvc_reading reading = {
        .arena = &arena, .memory = &kvc_os_memory, .sha = kvc_sha256_new(), .err = err
    };
    if (reading.sha == NULL)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "verifying needs more memory");
    kvc_arena_from(&arena, &kvc_os_memory, KVC_HANDLE_BYTES_MAX);
    kvcap_code rc = kvc_match_evidence(&evidence->evidence, contract, err);
    if (rc == KVCAP_OK)
        rc = kvc_budgets_check(&contract->contract, &evidence->evidence, err);
    if (rc == KVCAP_OK)
        rc = kvc_evidence_check_requests(&reading, &evidence->evidence, &contract->contract);
    kvc_arena_drop(&arena);
    kvc_sha256_free(reading.sha);
    return rc;
}

static kvcap_code verify_evidence(const struct kvc_record *record, const struct kvc_shelf *shelf,
                                  struct kvc_outcome *ret_outcome, kvcap_error *err)
{
    const struct kvcap_record *contract = named(record, "contract", shelf, ret_outcome);
    if (contract == NULL)
        return KVCAP_OK;
    kvcap_error refusal;
    kvcap_code rc = check_evidence(record, &contract->record, &refusal);
    if (rc != KVCAP_OK)
        return settle_refusal(rc, &refusal, NULL, ret_outcome, err);
    settle(ret_outcome, KVCAP_INTACT, "");
    return KVCAP_OK;
}

/* ---- kv-fit of the engine `logical`. */

static bool settings_of(const struct kvc_record *fit, const struct kvc_model *model,
                        struct kvc_cache *cache, uint64_t *tokens)
{
    const struct kvc_value *settings = kvc_value_member(fit->tree, "settings");
    struct kvc_span dtype = kvc_value_member(settings, "kv_cache_dtype")->text;
    enum kvc_format format = model->dtype;
    if (!kvc_span_is(dtype, "auto") && !kvc_format_named(dtype, &format))
        return false;
    *cache = (struct kvc_cache){ .k = format, .v = format, .dtype = model->dtype };
    return kvc_span_u64(kvc_value_member(settings, "max_model_len")->text, tokens);
}

/* Whether an entry of `undetermined` says what this state of this layer says. */
static bool entry_follows(const struct kvc_value *entry, const struct kvc_state *state,
                          uint32_t layer)
{
    const struct kvc_value *stated = kvc_value_member(entry, "layer");
    uint64_t number;
    return stated != NULL && kvc_span_u64(stated->text, &number) && number == layer &&
           kvc_span_equal(state->key, kvc_value_member(entry, "key")->text) &&
           kvc_span_equal(state->reason, kvc_value_member(entry, "reason")->text);
}

/* The list has one entry for each unknown state of each layer, in their order, and no other. */
static bool undetermined_follows(const struct kvc_record *fit, const struct kvc_shape *shape)
{
    const struct kvc_value *entry = kvc_value_member(fit->tree, "undetermined")->first;
    for (uint32_t layer = 0; layer < shape->layers_count; layer++) {
        const struct kvc_layer_type *type = kvc_shape_layer(shape, layer);
        for (uint32_t i = 0; i < type->states_count; i++) {
            if (type->states[i].kind != KVC_STATE_UNKNOWN)
                continue;
            if (entry == NULL || !entry_follows(entry, &type->states[i], layer))
                return false;
            entry = entry->next;
        }
    }
    return entry == NULL;
}

static bool logical_follows(const struct kvc_record *fit, const struct kvc_model *model,
                            const char **ret_at)
{
    const struct kvc_value *stated = kvc_value_member(fit->tree, "logical");
    uint32_t layer;
    bool unknown = kvc_logical_unknown(&model->shape, &layer) != NULL;
    *ret_at = unknown && stated == NULL ? "/undetermined" : "/decision";
    if (unknown || stated == NULL)
        return unknown && stated == NULL && undetermined_follows(fit, &model->shape);

    struct kvc_cache cache;
    uint64_t tokens, per_token, per_sequence;
    struct kvc_logical logical = { 0 };
    *ret_at = "/settings";
    if (!settings_of(fit, model, &cache, &tokens) ||
        kvc_logical_of(&model->shape, &cache, tokens, &logical, NULL) != KVCAP_OK)
        return false;
    *ret_at = "/logical/bytes_per_token";
    if (!kvc_span_u64(kvc_value_member(stated, "bytes_per_token")->text, &per_token) ||
        per_token != logical.token_bytes)
        return false;
    *ret_at = "/logical/bytes_per_sequence";
    return kvc_span_u64(kvc_value_member(stated, "bytes_per_sequence")->text, &per_sequence) &&
           per_sequence == logical.sequence_bytes;
}

static void verify_fit(const struct kvc_record *fit, const struct kvc_shelf *shelf,
                       struct kvc_outcome *ret_outcome)
{
    const struct kvcap_record *model = named(fit, "model", shelf, ret_outcome);
    if (model == NULL)
        return;
    const char *at;
    bool same_rules = kvc_span_is(kvc_value_member(fit->tree, "rules")->text, KVC_LOGICAL_RULES);
    if (logical_follows(fit, &model->record.model, &at))
        settle(ret_outcome, KVCAP_INTACT, "");
    else
        settle(ret_outcome, same_rules ? KVCAP_ALTERED : KVCAP_INTACT_BUT_RULES_CHANGED, at);
}

kvcap_code kvc_verify(const struct kvcap_record *record, const struct kvc_shelf *shelf,
                      struct kvc_outcome *ret_outcome, kvcap_error *err)
{
    switch (record->record.kind) {
    case KVC_KIND_PLAN:
        return verify_plan(&record->record, shelf, ret_outcome, err);
    case KVC_KIND_CONTRACT:
        return verify_contract(&record->record, shelf, ret_outcome, err);
    case KVC_KIND_EVIDENCE:
        return verify_evidence(&record->record, shelf, ret_outcome, err);
    case KVC_KIND_FIT:
        verify_fit(&record->record, shelf, ret_outcome);
        return KVCAP_OK;
    default:
        settle(ret_outcome, KVCAP_INTACT, "");
        return KVCAP_OK;
    }
}
