/* verify.c - see verify.h for the room and its promises. */

#include "face/api/verify.h"

#include <stdio.h>
#include <string.h>

#include "engine/paged.h"
#include "fit/record_json.h"
#include "fit/recorded.h"
#include "os/os.h"
#include "record/match.h"

static void settle(struct kvc_outcome *ret_outcome, int32_t outcome, const char *at)
{
    ret_outcome->outcome = outcome;
    snprintf(ret_outcome->at, sizeof ret_outcome->at, "%s", at);
}

/* What identifies a record, or was told beside it, and does not follow from what it names: a fit keeps
 * the command's words, which flags bear on nothing, and sentences for people. */
static bool is_beside(struct kvc_span key)
{
    static const char *const KEYS[] = { "id", "rules", "command", "ignored", "notes" };
    for (size_t i = 0; i < KVC_COUNT_OF(KEYS); i++) {
        if (kvc_span_is(key, KEYS[i]))
            return true;
    }
    return false;
}

/* The first member of `derived`, other than those, that `stated` does not have alike; or the
 * first that only `stated` has. */
static bool follows(const struct kvc_value *stated, const struct kvc_value *derived,
                    char ret_at[KVC_POINTER_ROOM])
{
    const struct kvc_value *a = stated->first, *b = derived->first;
    while (a != NULL || b != NULL) {
        int order = a == NULL ? 1 : b == NULL ? -1 : kvc_key_compare(a->key, b->key);
        const struct kvc_value *differing = order < 0 ? a : b;
        bool passed_over = is_beside(differing->key);
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
                  struct kvc_span rules, struct kvc_outcome *ret_outcome)
{
    char at[KVC_POINTER_ROOM];
    if (follows(record->tree, derived, at)) {
        settle(ret_outcome, KVCAP_INTACT, "");
        return;
    }
    bool same_rules = kvc_span_equal(kvc_value_member(record->tree, "rules")->text, rules);
    settle(ret_outcome, same_rules ? KVCAP_ALTERED : KVCAP_INTACT_BUT_RULES_CHANGED, at);
}

void kvc_verify_plan(const struct kvc_record *plan, const struct kvc_record *derived,
                     struct kvc_outcome *ret_outcome)
{
    judge(plan, derived->tree, kvc_value_member(derived->tree, "rules")->text, ret_outcome);
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

/* ---- kv-fit: asked again, with the settings that entered and the memory that was given. */

/* Whether the fit says that its engine read more of the model's file than its record holds. */
static bool rests_on_file(const struct kvc_record *fit)
{
    const struct kvc_value *notes = kvc_value_member(fit->tree, "notes");
    for (const struct kvc_value *e = notes->first; e != NULL; e = e->next) {
        if (kvc_span_is(kvc_value_member(e, "code")->text, KVC_FIT_BESIDE_RECORD))
            return true;
    }
    return false;
}

/* The same fit derived anew, as a tree without an id. */
static kvcap_code derive_fit(const struct kvc_record *fit, const struct kvcap_record *model,
                             struct kvc_arena *arena, struct kvc_value **ret_tree,
                             const char **ret_rules, kvcap_error *err)
{
    struct kvc_fit_question question;
    struct kvc_engine_model engine_model;
    struct kvc_fit_text text;
    struct kvc_fit *again = kvc_arena_array(arena, 1, sizeof *again);
    if (again == NULL)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "verifying needs more memory");
    kvc_fit_model_of_handle(model, &engine_model);
    engine_model.facts = NULL; /* what a record says does not depend on how it was come by */
    engine_model.asks = KVC_ASKS_NOTHING;
    kvcap_code rc = kvc_fit_question_of(fit->tree, &engine_model, arena, &question, err);
    if (rc == KVCAP_OK)
        *ret_rules = kvc_engine_of(question.release.engine)->rules;
    if (rc == KVCAP_OK)
        rc = kvc_fit_answer(&question, arena, again, err);
    if (rc != KVCAP_OK)
        return rc;
    struct kvc_fit_record record = { .model = kvc_value_member(fit->tree, "model")->text,
                                     .memory = kvc_value_member(fit->tree, "memory") };
    kvc_fit_text_begin(&text, arena);
    if (!kvc_fit_write_record(again, &question, &record, &text))
        return kvc_fail(err, KVC_RANGE_OVERFLOW, "", "a number of the answer is past 2^53-1");
    return kvc_scan(arena, (struct kvc_span){ text.text, text.length }, KVC_RECORD_BYTES_MAX,
                    KVC_SCAN_RECORD, ret_tree, err);
}

static kvcap_code verify_fit(const struct kvc_record *fit, const struct kvc_shelf *shelf,
                             struct kvc_outcome *ret_outcome, kvcap_error *err)
{
    const struct kvcap_record *model = named(fit, "model", shelf, ret_outcome);
    struct kvc_arena arena;
    struct kvc_value *derived = NULL;
    kvcap_error refusal;
    char at[KVC_POINTER_ROOM] = "/settings"; /* where asking again is refused */
    const char *rules = "";
    if (model == NULL)
        return KVCAP_OK;
    kvc_arena_from(&arena, &kvc_os_memory, KVC_HANDLE_BYTES_MAX);
    kvcap_code rc = derive_fit(fit, model, &arena, &derived, &rules, &refusal);
    if (rc == KVCAP_E_NOMEM && err != NULL)
        *err = refusal;
    if (rc == KVCAP_OK && follows(fit->tree, derived, at))
        settle(ret_outcome, KVCAP_INTACT, "");
    else if (rests_on_file(fit))
        settle(ret_outcome, KVCAP_INCOMPLETE, "/model");
    else if (kvc_span_is(kvc_value_member(fit->tree, "rules")->text, rules))
        settle(ret_outcome, KVCAP_ALTERED, at);
    else
        settle(ret_outcome, KVCAP_INTACT_BUT_RULES_CHANGED, at);
    kvc_arena_drop(&arena);
    return rc == KVCAP_E_NOMEM ? rc : KVCAP_OK;
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
        return verify_fit(&record->record, shelf, ret_outcome, err);
    default:
        settle(ret_outcome, KVCAP_INTACT, "");
        return KVCAP_OK;
    }
}
