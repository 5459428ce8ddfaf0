/* planning.c - see planning.h for the room and its promises. */

#include "face/api/planning.h"

#include "os/os.h"
#include "plan/claim.h"
#include "record/id.h"
#include "record/match.h"

static kvcap_code no_memory(kvcap_error *err)
{
    return kvc_fail(err, KVC_MEMORY_FULL, "", "the plan needs more memory");
}

static struct kvc_arena *arena_of(const struct kvc_planning *planning)
{
    return &planning->plan->record.arena;
}

kvcap_code kvc_planning_begin(struct kvc_planning *planning, const struct kvc_record *model,
                              const struct kvc_record *contract, kvcap_error *err)
{
    *planning = (struct kvc_planning){ .model = model, .contract = contract };
    kvcap_code rc = kvc_match_model(contract, model, err);
    if (rc != KVCAP_OK)
        return rc;
    planning->plan = (struct kvcap_plan *)kvc_handle_new();
    planning->sha = kvc_sha256_new();
    if (planning->plan == NULL || planning->sha == NULL)
        return no_memory(err);
    kvc_intake_begin(&planning->intake, &contract->contract, &kvc_os_memory, arena_of(planning),
                     planning->sha);
    rc = kvc_stages_of(&model->model, &contract->contract, arena_of(planning), &planning->stages,
                       err);
    return rc != KVCAP_OK
               ? rc
               : kvc_window_begin(&planning->window, &planning->stages, arena_of(planning), err);
}

void kvc_planning_drop(struct kvc_planning *planning)
{
    kvc_intake_drop(&planning->intake);
    kvc_sha256_free(planning->sha);
    planning->sha = NULL;
    kvcap_plan_free(planning->plan);
    planning->plan = NULL;
}

kvcap_code kvc_planning_header(struct kvc_planning *planning, const struct kvc_evidence *evidence,
                               kvcap_error *err)
{
    planning->evidence = *evidence;
    return kvc_match_evidence(evidence, planning->contract, err);
}

kvcap_code kvc_planning_request(struct kvc_planning *planning, const struct kvc_request *request,
                                uint64_t n, kvcap_error *err)
{
    struct kvc_taken taken;
    kvcap_code rc = kvc_match_request(request, n, &planning->contract->contract, err);
    if (rc == KVCAP_OK)
        rc = kvc_intake_take(&planning->intake, request, &taken, err);
    if (rc == KVCAP_OK)
        rc = kvc_window_add(&planning->window, request, &taken, err);
    return rc;
}

static struct kvc_span kept_id(struct kvc_planning *planning, const char *id)
{
    return kvc_arena_copy(arena_of(planning), kvc_span_of(id));
}

/* The figures as a record of their own: the tree, its id in it, checked like any other. */
static kvcap_code make_record(struct kvc_planning *planning, const char *evidence_id,
                              kvcap_error *err)
{
    struct kvcap_plan *plan = planning->plan;
    struct kvc_reading reading = {
        .arena = arena_of(planning), .memory = &kvc_os_memory, .sha = planning->sha, .err = err
    };
    struct kvc_plan_names names = { .model = kept_id(planning, planning->model->id),
                                    .contract = kept_id(planning, planning->contract->id),
                                    .evidence = kept_id(planning, evidence_id) };
    if (names.model.text == NULL || names.contract.text == NULL || names.evidence.text == NULL)
        return no_memory(err);
    struct kvc_value *tree = kvc_claim(&plan->figures, &names, reading.arena);
    if (tree == NULL)
        return no_memory(err);
    /* A plan takes no member from what it names, so nothing needs to be found. */
    struct kvc_shelf empty = { 0 };
    struct kvc_naming naming = kvc_shelf_naming(&empty);
    kvcap_code rc = kvc_seal(&reading, tree, &naming, &plan->record.record);
    return rc == KVCAP_OK ? kvc_handle_finish(&plan->record, err) : rc;
}

/* Figures point into the stages, which lie in the struct: they move to the plan's own memory. */
static bool keep_stages(struct kvc_planning *planning)
{
    struct kvc_stages *kept = kvc_arena_take(arena_of(planning), sizeof *kept);
    if (kept == NULL)
        return false;
    *kept = planning->stages;
    planning->plan->figures.stages = kept;
    return true;
}

kvcap_code kvc_planning_finish(struct kvc_planning *planning, const char *evidence_id,
                               kvcap_plan **ret_plan, kvcap_error *err)
{
    struct kvc_plan_inputs inputs = { .contract = &planning->contract->contract,
                                      .evidence = &planning->evidence,
                                      .stages = &planning->stages,
                                      .window = &planning->window,
                                      .intake = &planning->intake };
    kvcap_code rc = kvc_plan_figure(&inputs, arena_of(planning), &planning->plan->figures, err);
    if (rc == KVCAP_OK && !keep_stages(planning))
        rc = no_memory(err);
    if (rc == KVCAP_OK)
        rc = make_record(planning, evidence_id, err);
    if (rc != KVCAP_OK)
        return rc;
    *ret_plan = planning->plan;
    planning->plan = NULL;
    return KVCAP_OK;
}

/* ---- As a stream's taker. */

static kvcap_code take_header(void *context, struct kvc_value *tree, kvcap_error *err)
{
    struct kvc_planning *planning = context;
    struct kvc_reading reading = {
        .arena = arena_of(planning), .memory = &kvc_os_memory, .sha = planning->sha, .err = err
    };
    struct kvc_evidence evidence;
    kvcap_code rc = kvc_evidence_header(&reading, tree, KVC_EVIDENCE_HEADER, &evidence);
    return rc == KVCAP_OK ? kvc_planning_header(planning, &evidence, err) : rc;
}

static kvcap_code take_request(void *context, const struct kvc_request *request, uint64_t n,
                               kvcap_error *err)
{
    return kvc_planning_request(context, request, n, err);
}

struct kvc_stream_taker kvc_planning_taker(struct kvc_planning *planning)
{
    return (struct kvc_stream_taker){ .header = take_header,
                                      .request = take_request,
                                      .context = planning };
}
