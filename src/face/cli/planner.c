/* planner.c - see planner.h for the room and its promises. */

#include "face/cli/planner.h"

#include <string.h>

#include "face/api/planning.h"
#include "os/os.h"
#include "plan/budget.h"
#include "record/intake.h"
#include "record/match.h"

static kvcap_code plan_stream(struct kvc_planning *planning, const struct kvc_entry *evidence,
                              kvcap_plan **ret_plan, kvcap_error *err)
{
    struct kvc_stream stream;
    struct kvc_stream_taker taker = kvc_planning_taker(planning);
    char id[KVC_ID_ROOM];
    kvcap_code rc = kvc_stream_begin(&stream, &taker, &kvc_os_memory, err);
    if (rc == KVCAP_OK)
        rc = kvc_entry_feed(evidence, &stream, err);
    if (rc == KVCAP_OK && (rc = kvc_stream_end(&stream, id, err)) != KVCAP_OK)
        kvc_in_file(evidence->path, 0, rc, err);
    if (rc == KVCAP_OK)
        rc = kvc_planning_finish(planning, id, ret_plan, err);
    kvc_stream_drop(&stream);
    return rc;
}

kvcap_code kvc_plan_entry(const kvcap_record *model, const kvcap_record *contract,
                          const struct kvc_entry *evidence, kvcap_plan **ret_plan, kvcap_error *err)
{
    if (!evidence->is_stream)
        return kvcap_plan_make(model, contract, evidence->handle, ret_plan, err);
    struct kvc_planning planning;
    kvcap_code rc = kvc_planning_begin(&planning, &model->record, &contract->record, err);
    if (rc == KVCAP_OK)
        rc = plan_stream(&planning, evidence, ret_plan, err);
    kvc_planning_drop(&planning);
    return rc;
}

/* ---- A stream by itself. */

struct checking {
    const struct kvc_record *contract;
    struct kvc_arena arena;
    struct kvc_sha256 *sha;
    struct kvc_intake *intake;
};

static kvcap_code check_header(void *context, struct kvc_value *tree, kvcap_error *err)
{
    struct checking *checking = context;
    struct kvc_reading reading = {
        .arena = &checking->arena, .memory = &kvc_os_memory, .sha = checking->sha, .err = err
    };
    struct kvc_evidence evidence;
    kvcap_code rc = kvc_evidence_header(&reading, tree, KVC_EVIDENCE_HEADER, &evidence);
    if (rc == KVCAP_OK && checking->contract != NULL)
        rc = kvc_match_evidence(&evidence, checking->contract, err);
    if (rc == KVCAP_OK && checking->contract != NULL)
        rc = kvc_budgets_check(&checking->contract->contract, &evidence, err);
    return rc;
}

static kvcap_code check_request(void *context, const struct kvc_request *request, uint64_t n,
                                kvcap_error *err)
{
    struct checking *checking = context;
    struct kvc_taken taken;
    kvcap_code rc = checking->contract == NULL
                        ? KVCAP_OK
                        : kvc_match_request(request, n, &checking->contract->contract, err);
    return rc == KVCAP_OK ? kvc_intake_take(checking->intake, request, &taken, err) : rc;
}

static kvcap_code lead(struct checking *checking, const struct kvc_entry *evidence,
                       char ret_id[KVC_ID_ROOM], kvcap_error *err)
{
    struct kvc_stream stream;
    struct kvc_stream_taker taker = { .header = check_header,
                                      .request = check_request,
                                      .context = checking };
    kvc_intake_begin(checking->intake,
                     checking->contract == NULL ? NULL : &checking->contract->contract,
                     &kvc_os_memory, &checking->arena, checking->sha);
    kvcap_code rc = kvc_stream_begin(&stream, &taker, &kvc_os_memory, err);
    if (rc == KVCAP_OK)
        rc = kvc_entry_feed(evidence, &stream, err);
    if (rc == KVCAP_OK && (rc = kvc_stream_end(&stream, ret_id, err)) != KVCAP_OK)
        kvc_in_file(evidence->path, 0, rc, err);
    kvc_stream_drop(&stream);
    kvc_intake_drop(checking->intake);
    return rc;
}

kvcap_code kvc_check_stream(const struct kvc_entry *evidence, const struct kvc_record *contract,
                            char ret_id[KVC_ID_ROOM], kvcap_error *err)
{
    struct checking checking = { .contract = contract, .sha = kvc_sha256_new() };
    kvc_arena_from(&checking.arena, &kvc_os_memory, KVC_HANDLE_BYTES_MAX);
    checking.intake = kvc_arena_take(&checking.arena, sizeof *checking.intake);
    kvcap_code rc = checking.sha == NULL || checking.intake == NULL
                        ? kvc_fail(err, KVC_MEMORY_FULL, "", "the stream needs more memory")
                        : lead(&checking, evidence, ret_id, err);
    kvc_sha256_free(checking.sha);
    kvc_arena_drop(&checking.arena);
    return rc;
}

/* ---- The reference example: 32 layers of 8 KV heads of 128, f16; 40 GiB of an 80 GiB device; eight
 * sequences of 4,096 tokens and eight of 8,192. */

static const char MODEL[] = "kind: kv-model\nversion: 1\nname: example-32x8x128\nrevision: '1'\n"
                            "artefact: {format: hand}\nfamily: example\ndtype: f16\n"
                            "architecture:\n  layer_types:\n"
                            "  - states: [{state: kv, kv_heads: 8, key_dim: 128, value_dim: 128}]\n"
                            "  layers: [[32, 0]]\n"
                            "sources: [{at: /architecture, how: declared, from: example}]\n";

static const char CONTRACT[] =
    "kind: kv-capacity-contract\nversion: 1\ncontract_version: kv-capacity-plan-v2\n"
    "name: example\nmodel: %s\ncache: {k: {format: f16}, v: {format: f16}}\n"
    "allocator: {name: paged, version: '1', block_tokens: 16, overhead_bps: 1500}\n"
    "scheduler: {name: continuous-batching, version: '1', policy: fcfs, sequences_max: 256, "
    "step_tokens_max: 8192}\n"
    "reservation: {policy: full-declared-growth, version: '1'}\n"
    "pool: {id: example-pool, devices: 1, device_bytes: 85899345920}\n"
    "parallel: {tp: 1, pp: 1, dcp: 1, ep: 1}\n"
    "non_cache:\n  weights: {bytes: 17179869184}\n  workspaces: {bytes: 8589934592}\n"
    "  buffers: {bytes: 2147483648}\n  graphs: {bytes: 4294967296}\n"
    "  monitoring: {bytes: 2147483648}\n  headroom: {device_bps: 1000}\n"
    "bounds: {requests_max: 1000, sequences_per_request_max: 64, sequence_tokens_max: 32768, "
    "window_bytes_max: 1125899906842624}\n"
    "owners: {model: model-owner, capacity: capacity-owner, workload: workload-owner}\n"
    "prefix_sharing: {policy: none}\n"
    "admission: {evidence_max_age_ns: 3600000000000, lease_ns: 30000000000, "
    "idempotency_window_ns: 600000000000, drift_max_blocks: 64}\n"
    "tolerances: [{signal: cache_bytes, bps: 200}]\n";

static const char EVIDENCE[] =
    "kind: kv-reservation-evidence\nversion: 1\ncontract: %s\n"
    "reported: {device_bytes: 85899345920, cache_bytes_by_rank: [42949672960]}\n"
    "window: {start: '2026-08-11T09:00:00Z', end: '2026-08-11T09:05:00Z'}\n"
    "captured_by: example\nrequests:\n"
    "- {request_id: example-0001, cohort: short, tenant: example, prompt_tokens: 3072, "
    "max_output_tokens: 1024, sequences: 8}\n"
    "- {request_id: example-0002, cohort: long, tenant: example, prompt_tokens: 6144, "
    "max_output_tokens: 2048, sequences: 8}\n";

static kvcap_code seal_naming(const char *draft, size_t at, size_t gap, kvcap_record **records,
                              size_t records_count, kvcap_error *err)
{
    char text[4096];
    const char *id = records_count == 0 ? "" : kvcap_record_id(records[records_count - 1]);
    int length = snprintf(text, sizeof text, "%.*s%s%s", (int)at, draft, id, draft + at + gap);
    const kvcap_record *const *named = (const kvcap_record *const *)records;
    return kvcap_record_seal(text, (size_t)length, KVCAP_YAML, named, records_count,
                             &records[records_count], err);
}

kvcap_code kvc_example(kvcap_record *ret_records[3], kvcap_error *err)
{
    static const char *const DRAFTS[] = { MODEL, CONTRACT, EVIDENCE };
    kvcap_record *records[3] = { NULL, NULL, NULL };
    kvcap_code rc = KVCAP_OK;
    for (size_t i = 0; i < 3 && rc == KVCAP_OK; i++) {
        const char *gap = strstr(DRAFTS[i], "%s");
        size_t at = gap == NULL ? strlen(DRAFTS[i]) : (size_t)(gap - DRAFTS[i]);
        rc = seal_naming(DRAFTS[i], at, gap == NULL ? 0 : 2, records, i, err);
    }
    for (size_t i = 0; i < 3; i++) {
        if (rc == KVCAP_OK)
            ret_records[i] = records[i];
        else
            kvcap_record_free(records[i]);
    }
    return rc;
}
