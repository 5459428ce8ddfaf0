/* plan.c - the verb plan: may this window run. */

#include <inttypes.h>
#include <string.h>

#include "base/unit.h"
#include "face/cli/planner.h"
#include "face/cli/verbs.h"
#include "os/os.h"
#include "plan/why.h"
#include "json/write.h"

/* ---- For people. */

static void print_line(const char *key, struct kvc_span value)
{
    printf("%s=%.*s\n", key, (int)value.length, value.text);
}

static void print_gib(const char *key, uint64_t bytes)
{
    char text[KVC_UNIT_ROOM];
    kvc_unit_gib(bytes, text);
    printf("%s=%s\n", key, text);
}

static void print_block(const kvcap_plan *plan)
{
    const struct kvc_value *tree = plan->record.record.tree;
    const struct kvc_plan_figures *figures = &plan->figures;
    bool determined = figures->decision != KVC_DECISION_UNDETERMINED;
    print_line("contract_version", kvc_span_of(KVC_CONTRACT_VERSION));
    print_line("model_content_id", kvc_value_member(tree, "model")->text);
    print_line("evidence_content_id", kvc_value_member(tree, "evidence")->text);
    printf("requests=%" PRIu64 "\nsequences=%" PRIu64 "\n", figures->requests, figures->sequences);
    if (determined) {
        printf("reserved_tokens=%" PRIu64 "\n", figures->reserved_tokens);
        print_gib("required_cache_gib", figures->required_bytes);
        print_gib("available_cache_gib", figures->available_bytes);
    }
    print_line("decision", kvc_span_of(kvc_decision_name(figures->decision)));
    print_line("plan_content_id", kvc_span_of(plan->record.record.id));
    print_line("claim", kvc_span_of(KVC_CLAIM_OF_PLAN));
}

/* Beside the block, not in it: its keys are the same for every plan.  Layers that follow each other
 * and are alike are told once. */
static void tell_undetermined(const struct kvc_stages *stages)
{
    for (uint32_t i = 0; i < stages->undetermined_count;) {
        const struct kvc_undetermined *entry = &stages->undetermined[i];
        uint32_t last = i++;
        while (entry->of_layer && i < stages->undetermined_count &&
               stages->undetermined[i].of_layer &&
               stages->undetermined[i].layer == stages->undetermined[last].layer + 1 &&
               kvc_span_equal(stages->undetermined[i].key, entry->key) &&
               kvc_span_equal(stages->undetermined[i].reason, entry->reason))
            last = i++;
        fprintf(stderr, "kvcap: undetermined: ");
        if (entry->of_layer)
            fprintf(stderr, "layer %u", (unsigned)entry->layer);
        if (stages->undetermined[last].layer != entry->layer)
            fprintf(stderr, " to %u", (unsigned)stages->undetermined[last].layer);
        fprintf(stderr, "%s%.*s: %.*s\n", entry->of_layer ? ", " : "", (int)entry->key.length,
                entry->key.text, (int)entry->reason.length, entry->reason.text);
    }
}

static void print_step(void *context, const struct kvc_step *step)
{
    char value[KVC_UNIT_ROOM];
    (void)context;
    kvc_unit_thousands(step->value, value);
    printf("%*s%s = %s  %s%s\n", (int)(2 * step->depth), "", step->name, value,
           step->formula[0] != '\0' ? step->formula : "from ", step->source);
}

/* ---- For programs. */

struct listing {
    struct kvc_sink sink;
    bool first;
};

static void put(const struct kvc_sink *sink, const char *text)
{
    sink->put(sink->context, text, strlen(text));
}

static void list_step(void *context, const struct kvc_step *step)
{
    struct listing *listing = context;
    char value[32];
    snprintf(value, sizeof value, "%" PRIu64, step->value);
    put(&listing->sink, listing->first ? "{\"depth\":" : ",{\"depth\":");
    listing->first = false;
    char depth[16];
    snprintf(depth, sizeof depth, "%u", step->depth);
    put(&listing->sink, depth);
    put(&listing->sink, ",\"formula\":");
    kvc_write_string(kvc_span_of(step->formula), &listing->sink);
    put(&listing->sink, ",\"name\":");
    kvc_write_string(kvc_span_of(step->name), &listing->sink);
    put(&listing->sink, ",\"source\":");
    kvc_write_string(kvc_span_of(step->source), &listing->sink);
    put(&listing->sink, ",\"value\":");
    put(&listing->sink, value);
    put(&listing->sink, "}");
}

/* The record alone; with --explain an object that holds it and the steps. */
static kvcap_code print_json(const struct kvc_call *call, const kvcap_plan *plan,
                             const struct kvc_contract *contract, kvcap_error *err)
{
    if (!kvc_given(call, "explain"))
        return kvc_write_text(NULL, plan->record.json, err);
    struct kvc_arena arena;
    struct kvc_text text = { .arena = &arena };
    struct listing listing = { .sink = kvc_text_sink(&text), .first = true };
    kvc_arena_from(&arena, &kvc_os_memory, KVC_HANDLE_BYTES_MAX);
    put(&listing.sink, "{\"record\":");
    listing.sink.put(listing.sink.context, plan->record.json.text, plan->record.json.length);
    put(&listing.sink, ",\"why\":[");
    kvc_why(&plan->figures, contract, list_step, &listing);
    put(&listing.sink, "]}");
    kvcap_code rc = text.full
                        ? kvc_fail(err, KVC_MEMORY_FULL, "", "the derivation needs more memory")
                        : kvc_write_text(NULL, (struct kvc_span){ text.text, text.length }, err);
    kvc_arena_drop(&arena);
    return rc;
}

/* One rank decides, and the totals of the block may hide it. */
static void tell_short(const struct kvc_plan_figures *figures)
{
    if (figures->decision != KVC_DECISION_EXCEEDS_CAPACITY)
        return;
    const struct kvc_rank_figures *rank = &figures->ranks[figures->decided_by];
    const struct kvc_maybe slots = figures->stages->slots;
    if (slots.said && figures->sequences > slots.value)
        fprintf(stderr,
                "kvcap: the engine holds %" PRIu64 " sequences at once, the window has %" PRIu64
                "\n",
                slots.value, figures->sequences);
    if (rank->required_bytes <= rank->budget.available_bytes)
        return;
    fprintf(stderr,
            "kvcap: rank %u is short of %" PRIu64 " bytes: it requires %" PRIu64 " and has %" PRIu64
            "\n",
            (unsigned)rank->first, rank->required_bytes - rank->budget.available_bytes,
            rank->required_bytes, rank->budget.available_bytes);
}

/* A cache of another precision than the model's is another model, in a way that is not looked at. */
static void tell_precision(const struct kvc_contract *contract, enum kvc_format dtype)
{
    if (contract->cache_k == dtype && contract->cache_v == dtype)
        return;
    fprintf(stderr,
            "kvcap: capacity only: quality, kernel support and latency of a %s/%s cache are not "
            "assessed\n",
            kvc_format_name(contract->cache_k), kvc_format_name(contract->cache_v));
}

static kvcap_code show(const struct kvc_call *call, const kvcap_plan *plan,
                       const kvcap_record *const records[3], kvcap_error *err)
{
    const struct kvc_contract *contract = &records[1]->record.contract;
    if (kvc_given(call, "o"))
        return kvc_write_text(kvc_value_of(call, "o"), plan->record.json, err);
    if (call->json)
        return print_json(call, plan, contract, err);
    if (kvc_given(call, "example"))
        printf("example=illustrative_only\n");
    print_block(plan);
    tell_undetermined(plan->figures.stages);
    tell_short(&plan->figures);
    tell_precision(contract, records[0]->record.model.dtype);
    if (kvc_given(call, "explain")) {
        printf("\n");
        kvc_why(&plan->figures, contract, print_step, NULL);
    }
    return KVCAP_OK;
}

/* ---- The verb. */

static int exit_of(const kvcap_plan *plan)
{
    switch (plan->figures.decision) {
    case KVC_DECISION_FIT:
        return KVC_EXIT_YES;
    case KVC_DECISION_EXCEEDS_CAPACITY:
        return KVC_EXIT_NO;
    default:
        return KVC_EXIT_CANNOT_SAY;
    }
}

static kvcap_code write_bundle(const struct kvc_call *call, const kvcap_record *const records[3],
                               const kvcap_plan *plan, kvcap_error *err)
{
    const char *path = kvc_value_of(call, "bundle");
    struct kvc_output *output;
    kvcap_code rc = kvc_output_open(path, &output, err);
    if (rc != KVCAP_OK)
        return rc;
    for (size_t i = 0; i < 4; i++) {
        struct kvc_span json = i < 3 ? records[i]->json : plan->record.json;
        kvc_output_put(output, json.text, json.length);
        kvc_output_put(output, "\n", 1);
    }
    return kvc_output_keep(output, err);
}

static kvcap_code plan_files(struct kvc_library *library, int *ret_status, kvcap_error *err)
{
    const struct kvc_call *call = library->call;
    struct kvc_entry *contract = NULL, *evidence = NULL, *model = NULL;
    kvcap_plan *plan = NULL;
    kvcap_code rc = kvc_library_take(library, call->words[0], KVC_KIND_CONTRACT, &contract, err);
    if (rc == KVCAP_OK)
        rc = kvc_library_take(library, call->words[1], KVC_KIND_EVIDENCE, &evidence, err);
    if (rc == KVCAP_OK)
        rc = kvc_library_find(library, contract->handle->record.contract.model, contract->path,
                              &model, err);
    if (rc == KVCAP_OK && evidence->is_stream && kvc_given(call, "bundle"))
        rc = kvc_fail(err, KVC_USAGE_CONFLICT, "--bundle",
                      "a stream of evidence is a file of its own and enters no bundle");
    if (rc == KVCAP_OK)
        rc = kvc_plan_entry(model->handle, contract->handle, evidence, &plan, err);
    if (rc != KVCAP_OK)
        return rc;
    const kvcap_record *const records[3] = { model->handle, contract->handle, evidence->handle };
    if (kvc_given(call, "bundle"))
        rc = write_bundle(call, records, plan, err);
    if (rc == KVCAP_OK)
        rc = show(call, plan, records, err);
    *ret_status = exit_of(plan);
    kvcap_plan_free(plan);
    return rc;
}

static kvcap_code plan_example(const struct kvc_call *call, int *ret_status, kvcap_error *err)
{
    kvcap_record *records[3];
    kvcap_plan *plan = NULL;
    kvcap_code rc = kvc_example(records, err);
    if (rc != KVCAP_OK)
        return rc;
    rc = kvcap_plan_make(records[0], records[1], records[2], &plan, err);
    if (rc == KVCAP_OK) {
        const kvcap_record *const named[3] = { records[0], records[1], records[2] };
        if (kvc_given(call, "bundle"))
            rc = write_bundle(call, named, plan, err);
        if (rc == KVCAP_OK)
            rc = show(call, plan, named, err);
        *ret_status = exit_of(plan);
        kvcap_plan_free(plan);
    }
    for (size_t i = 0; i < 3; i++)
        kvcap_record_free(records[i]);
    return rc;
}

int kvc_verb_plan(const struct kvc_call *call)
{
    kvcap_error error;
    int status = KVC_EXIT_YES;
    kvcap_code rc;
    if (kvc_given(call, "example") != (call->words_count == 0) || call->words_count == 1) {
        kvc_fail(&error, KVC_USAGE_OPERANDS, "",
                 "the form is: kvcap plan CONTRACT EVIDENCE, or "
                 "kvcap plan --example");
        return kvc_refused(call, &error);
    }
    if (kvc_given(call, "example")) {
        rc = plan_example(call, &status, &error);
    } else {
        struct kvc_library library;
        kvc_library_open(&library, call);
        rc = plan_files(&library, &status, &error);
        kvc_library_drop(&library);
    }
    return rc == KVCAP_OK ? status : kvc_refused(call, &error);
}
