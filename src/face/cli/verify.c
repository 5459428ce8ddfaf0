/* verify.c - the verb verify: is it intact, and does it still follow. */

#include <string.h>

#include "face/api/verify.h"
#include "face/cli/planner.h"
#include "face/cli/verbs.h"

static const char *const OUTCOMES[] = {
    [KVCAP_INTACT] = "INTACT",
    [KVCAP_INTACT_BUT_RULES_CHANGED] = "INTACT_BUT_RULES_CHANGED",
    [KVCAP_ALTERED] = "ALTERED",
    [KVCAP_INCOMPLETE] = "INCOMPLETE",
};

static int exit_of(int32_t outcome)
{
    return outcome == KVCAP_INTACT       ? KVC_EXIT_YES
           : outcome == KVCAP_INCOMPLETE ? KVC_EXIT_CANNOT_SAY
                                         : KVC_EXIT_NO;
}

static void print(const struct kvc_call *call, const struct kvc_entry *entry,
                  const struct kvc_outcome *outcome)
{
    const char *word = OUTCOMES[outcome->outcome];
    bool told = outcome->outcome != KVCAP_INTACT && outcome->at[0] != '\0';
    if (!call->json) {
        printf("%s ", word);
        kvc_show(stdout, entry->path);
        printf(" %s%s%s\n", entry->id, told ? " at=" : "", told ? outcome->at : "");
        return;
    }
    printf("{");
    if (told) {
        printf("\"at\":");
        kvc_show_json(stdout, outcome->at);
        printf(",");
    }
    printf("\"file\":");
    kvc_show_json(stdout, entry->path);
    printf(",\"id\":\"%s\",\"outcome\":\"%s\"}\n", entry->id, word);
}

static void settle(struct kvc_outcome *outcome, int32_t word, const char *at)
{
    outcome->outcome = word;
    snprintf(outcome->at, sizeof outcome->at, "%s", at);
}

/* Brings a record that is named into the library.  One that is altered or not at hand settles the
 * outcome; *ret_settled tells. */
static kvcap_code gather(struct kvc_library *library, const char *near,
                         const struct kvc_value *arrow, struct kvc_entry **ret_named,
                         struct kvc_outcome *outcome, bool *ret_settled, kvcap_error *err)
{
    char at[KVC_POINTER_ROOM];
    kvcap_error refusal;
    kvc_value_pointer(arrow, at);
    kvcap_code rc = kvc_library_find(library, arrow->text, near, ret_named, &refusal);
    if (rc == KVCAP_OK)
        return rc;
    *ret_settled = true;
    if (rc == KVCAP_E_ALTERED)
        settle(outcome, KVCAP_ALTERED, at);
    else if (rc == KVCAP_E_MISSING)
        settle(outcome, KVCAP_INCOMPLETE, at);
    else {
        *err = refusal;
        return rc;
    }
    return KVCAP_OK;
}

/* ---- Streams. */

static kvcap_code verify_plan_of_stream(const struct kvc_entry *plan,
                                        const struct kvc_entry **named, struct kvc_outcome *outcome,
                                        kvcap_error *err)
{
    kvcap_plan *derived;
    kvcap_code rc = kvc_plan_entry(named[0]->handle, named[1]->handle, named[2], &derived, err);
    if (rc == KVCAP_OK) {
        kvc_verify_plan(&plan->handle->record, &derived->record.record, outcome);
        kvcap_plan_free(derived);
        return KVCAP_OK;
    }
    bool follows_not = rc == KVCAP_E_ALTERED || rc == KVCAP_E_CONTRACT || rc == KVCAP_E_EVIDENCE ||
                       rc == KVCAP_E_PLAN || rc == KVCAP_E_RANGE;
    if (!follows_not)
        return rc;
    settle(outcome, KVCAP_ALTERED, rc == KVCAP_E_ALTERED ? "/evidence" : "");
    return KVCAP_OK;
}

static kvcap_code verify_stream(struct kvc_library *library, struct kvc_entry *entry,
                                struct kvc_outcome *outcome, kvcap_error *err)
{
    char id[KVC_ID_ROOM];
    kvcap_error refusal;
    struct kvc_entry *contract = NULL;
    kvcap_code found =
        kvc_library_find(library, kvc_span_of(entry->contract), entry->path, &contract, &refusal);
    if (found != KVCAP_OK && found != KVCAP_E_MISSING && found != KVCAP_E_ALTERED) {
        *err = refusal;
        return found;
    }
    kvcap_code rc =
        kvc_check_stream(entry, found == KVCAP_OK ? &contract->handle->record : NULL, id, err);
    if (rc == KVCAP_E_ALTERED)
        settle(outcome, KVCAP_ALTERED, "/id");
    else if (rc == KVCAP_E_EVIDENCE && found == KVCAP_OK)
        settle(outcome, KVCAP_ALTERED, err->at);
    else if (rc == KVCAP_E_CONTRACT && found == KVCAP_OK)
        settle(outcome, KVCAP_ALTERED, "/contract");
    else if (rc != KVCAP_OK)
        return rc;
    else if (found == KVCAP_OK)
        settle(outcome, KVCAP_INTACT, "");
    else
        settle(outcome, found == KVCAP_E_ALTERED ? KVCAP_ALTERED : KVCAP_INCOMPLETE, "/contract");
    return KVCAP_OK;
}

/* ---- Records. */

static kvcap_code verify_record(struct kvc_library *library, struct kvc_entry *entry,
                                struct kvc_outcome *outcome, kvcap_error *err)
{
    const struct kvc_record *record = &entry->handle->record;
    size_t count = entry->handle->named_count;
    const struct kvc_entry **named = kvc_arena_array(&library->arena, count, sizeof *named);
    const kvcap_record **handles = kvc_arena_array(&library->arena, count, sizeof *handles);
    bool settled = false;
    if (named == NULL || handles == NULL)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "verifying needs more memory");
    for (size_t i = 0; i < count && !settled; i++) {
        struct kvc_entry *found = NULL;
        kvcap_code rc = gather(library, entry->path, kvc_record_arrow(record, i), &found, outcome,
                               &settled, err);
        if (rc != KVCAP_OK)
            return rc;
        named[i] = found;
        handles[i] = settled ? NULL : found->handle;
    }
    if (settled)
        return KVCAP_OK;
    if (entry->kind == KVC_KIND_PLAN && named[2]->is_stream)
        return verify_plan_of_stream(entry, named, outcome, err);
    struct kvc_shelf shelf = { .records = handles, .records_count = count };
    return kvc_verify(entry->handle, &shelf, outcome, err);
}

/* An altered plan whose inputs are at hand tells where it differs from the one that they give. */
static kvcap_code verify_altered(struct kvc_library *library, const struct kvc_entry *entry,
                                 struct kvc_outcome *outcome, kvcap_error *err)
{
    struct kvc_outcome told;
    struct kvc_entry opened = { .path = entry->path,
                                .handle = entry->altered,
                                .kind = entry->altered->record.kind };
    settle(outcome, KVCAP_ALTERED, "/id");
    if (opened.kind != KVC_KIND_PLAN)
        return KVCAP_OK;
    kvcap_code rc = verify_record(library, &opened, &told, err);
    bool differs = rc == KVCAP_OK && (told.outcome == KVCAP_ALTERED ||
                                      told.outcome == KVCAP_INTACT_BUT_RULES_CHANGED);
    if (differs && told.at[0] != '\0')
        settle(outcome, KVCAP_ALTERED, told.at);
    return rc == KVCAP_E_NOMEM ? rc : KVCAP_OK;
}

static kvcap_code verify_entry(struct kvc_library *library, struct kvc_entry *entry,
                               struct kvc_outcome *outcome, kvcap_error *err)
{
    if (entry->refusal.code == KVCAP_E_ALTERED)
        return verify_altered(library, entry, outcome, err);
    return entry->is_stream ? verify_stream(library, entry, outcome, err)
                            : verify_record(library, entry, outcome, err);
}

/* A line a record of the file.  The library may grow meanwhile, by what the records name. */
static int verify_file(struct kvc_library *library, size_t first)
{
    const char *path = library->entries[first]->path;
    int status = KVC_EXIT_YES;
    for (size_t i = first;
         i < library->entries_count && strcmp(library->entries[i]->path, path) == 0; i++) {
        struct kvc_outcome outcome;
        kvcap_error error;
        if (verify_entry(library, library->entries[i], &outcome, &error) != KVCAP_OK) {
            status = kvc_exit_worse(status, kvc_refused(library->call, &error));
            continue;
        }
        print(library->call, library->entries[i], &outcome);
        status = kvc_exit_worse(status, exit_of(outcome.outcome));
    }
    return status;
}

/* All files are read before one is judged: what one names may lie in another. */
static int verify_all(struct kvc_library *library, size_t *firsts)
{
    const struct kvc_call *call = library->call;
    int status = KVC_EXIT_YES;
    for (unsigned i = 0; i < call->words_count; i++) {
        kvcap_error error;
        firsts[i] = SIZE_MAX;
        if (kvc_library_load(library, call->words[i], &firsts[i], &error) != KVCAP_OK)
            status = kvc_exit_worse(status, kvc_refused(call, &error));
    }
    for (unsigned i = 0; i < call->words_count; i++) {
        if (firsts[i] != SIZE_MAX)
            status = kvc_exit_worse(status, verify_file(library, firsts[i]));
    }
    return status;
}

int kvc_verb_verify(const struct kvc_call *call)
{
    struct kvc_library library;
    int status;
    kvc_library_open(&library, call);
    size_t *firsts = kvc_arena_array(&library.arena, call->words_count, sizeof *firsts);
    if (firsts == NULL) {
        kvcap_error error;
        kvc_fail(&error, KVC_MEMORY_FULL, "", "the list of files needs more memory");
        status = kvc_refused(call, &error);
    } else {
        status = verify_all(&library, firsts);
    }
    kvc_library_drop(&library);
    return status;
}
