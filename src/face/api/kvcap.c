/* kvcap.c - include/kvcap.h, function by function: checks arguments, then calls a room. */

#include "kvcap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/unit.h"
#include "bytes/blocks.h"
#include "bytes/elem.h"
#include "face/api/handle.h"
#include "face/api/planning.h"
#include "face/api/verify.h"
#include "os/os.h"

static kvcap_code null_argument(kvcap_error *error, const char *name)
{
    return kvc_fail(error, KVC_USAGE_NULL, name, "%s must not be NULL", name);
}

static kvcap_code out_of_range(kvcap_error *error, const char *name, const char *bounds)
{
    return kvc_fail(error, KVC_USAGE_OUT_OF_RANGE, name, "%s must be %s", name, bounds);
}

static kvcap_code no_memory(kvcap_error *error)
{
    return kvc_fail(error, KVC_MEMORY_FULL, "", "the handle needs more memory");
}

static kvcap_code check_kind(const kvcap_record *record, enum kvc_kind kind, const char *name,
                             kvcap_error *error)
{
    if (record == NULL)
        return null_argument(error, name);
    if (record->record.kind != kind)
        return kvc_fail(error, KVC_USAGE_WRONG_KIND, name, "%s is a %s, not a %s", name,
                        kvc_kind_name(record->record.kind), kvc_kind_name(kind));
    return KVCAP_OK;
}

static kvcap_code check_size(uint32_t stated, size_t due, const char *name, kvcap_error *error)
{
    if (stated == due)
        return KVCAP_OK;
    return kvc_fail(error, KVC_USAGE_STRUCT_SIZE, name, "struct_size is %u where %zu is due",
                    (unsigned)stated, due);
}

/* ---- Errors. */

const char *kvcap_code_text(kvcap_code code)
{
    switch (code) {
#define XX(name, number, text)                                                                     \
    case number:                                                                                   \
        return text;
        KVCAP_CODE_MAP(XX)
#undef XX
    default:
        return "unknown code";
    }
}

const char *kvcap_advice(const kvcap_error *error)
{
    return error == NULL ? "" : kvc_slug_advice(error->slug);
}

const char *kvcap_version(void)
{
    return KVCAP_VERSION;
}

/* ---- Arithmetic. */

static bool is_width(uint32_t bytes)
{
    return bytes == 1 || bytes == 2 || bytes == 4;
}

static kvcap_code check_shape(const kvcap_cache_shape *shape, kvcap_error *error)
{
    const struct {
        const char *name;
        uint64_t value;
    } COUNTS[] = {
        { "layers", shape->layers },
        { "kv_heads", shape->kv_heads },
        { "key_dim", shape->key_dim },
        { "value_dim", shape->value_dim },
        { "block_tokens", shape->block_tokens },
        { "tokens", shape->tokens },
        { "sequences", shape->sequences },
    };
    for (size_t i = 0; i < sizeof COUNTS / sizeof COUNTS[0]; i++) {
        if (COUNTS[i].value == 0)
            return out_of_range(error, COUNTS[i].name, "at least 1");
    }
    if (!is_width(shape->key_bytes))
        return out_of_range(error, "key_bytes", "1, 2 or 4");
    if (!is_width(shape->value_bytes))
        return out_of_range(error, "value_bytes", "1, 2 or 4");
    return KVCAP_OK;
}

kvcap_code kvcap_cache_bytes(const kvcap_cache_shape *shape, kvcap_cache_size *ret_size,
                             kvcap_error *error)
{
    if (shape == NULL)
        return null_argument(error, "shape");
    if (ret_size == NULL)
        return null_argument(error, "ret_size");
    kvcap_code rc = check_size(shape->struct_size, sizeof *shape, "shape", error);
    if (rc == KVCAP_OK)
        rc = check_size(ret_size->struct_size, sizeof *ret_size, "ret_size", error);
    if (rc == KVCAP_OK)
        rc = check_shape(shape, error);
    if (rc != KVCAP_OK)
        return rc;

    struct kvc_block_rule rule = { .block_tokens = shape->block_tokens,
                                   .window_tokens = KVC_WINDOW_NONE };
    struct ck key = ck_mul(ck_u64(shape->key_dim), ck_u64(shape->key_bytes));
    struct ck value = ck_mul(ck_u64(shape->value_dim), ck_u64(shape->value_bytes));
    struct ck heads = ck_mul(ck_u64(shape->layers), ck_u64(shape->kv_heads));
    struct ck token = ck_mul(heads, ck_add(key, value));
    struct ck block = ck_mul(token, ck_u64(shape->block_tokens));
    struct ck sequence = ck_mul(kvc_blocks_of_sequence(&rule, shape->tokens), block);
    struct ck total = ck_mul(sequence, ck_u64(shape->sequences));
    kvcap_cache_size size = { .struct_size = sizeof size };
    rc = ck_take(token, "bytes_per_token", &size.bytes_per_token, error);
    if (rc == KVCAP_OK)
        rc = ck_take(sequence, "bytes_per_sequence", &size.bytes_per_sequence, error);
    if (rc == KVCAP_OK)
        rc = ck_take(total, "bytes_total", &size.bytes_total, error);
    if (rc == KVCAP_OK)
        *ret_size = size;
    return rc;
}

kvcap_code kvcap_row_bytes(const char *format, uint32_t heads, uint32_t dim, uint64_t *ret_bytes,
                           kvcap_error *error)
{
    enum kvc_format named;
    if (format == NULL)
        return null_argument(error, "format");
    if (ret_bytes == NULL)
        return null_argument(error, "ret_bytes");
    if (!kvc_format_named(kvc_span_of(format), &named))
        return kvc_fail(error, KVC_RECORD_UNKNOWN_WORD, "format", "no format is called \"%.48s\"",
                        format);
    if (kvc_layout_of(named)->group_elements == 0)
        return kvc_fail(error, KVC_CONTRACT_FORMAT_STATE, "format",
                        "%s is a whole token of a latent, not a row of heads", format);
    if (heads == 0 || dim == 0)
        return out_of_range(error, heads == 0 ? "heads" : "dim", "at least 1");
    return kvc_row_bytes(named, heads, dim, "format", ret_bytes, error);
}

kvcap_code kvcap_sequences_max(uint64_t pool_bytes, uint64_t bytes_per_token, uint64_t block_tokens,
                               uint64_t sequence_tokens, uint64_t *ret_sequences,
                               kvcap_error *error)
{
    if (ret_sequences == NULL)
        return null_argument(error, "ret_sequences");
    if (bytes_per_token == 0)
        return out_of_range(error, "bytes_per_token", "at least 1");
    if (block_tokens == 0)
        return out_of_range(error, "block_tokens", "at least 1");
    if (sequence_tokens == 0)
        return out_of_range(error, "sequence_tokens", "at least 1");
    struct kvc_block_rule rule = { .block_tokens = block_tokens, .window_tokens = KVC_WINDOW_NONE };
    uint64_t block_bytes = 0, blocks = 0;
    kvcap_code rc = ck_take(ck_mul(ck_u64(bytes_per_token), ck_u64(block_tokens)),
                            "bytes of a block", &block_bytes, error);
    if (rc == KVCAP_OK)
        rc = ck_take(kvc_blocks_of_sequence(&rule, sequence_tokens), "blocks of a sequence",
                     &blocks, error);
    if (rc == KVCAP_OK)
        *ret_sequences = kvc_sequences_in_pool(kvc_blocks_in_pool(pool_bytes, block_bytes), blocks);
    return rc;
}

kvcap_code kvcap_gib_text(uint64_t bytes, char *ret_text, size_t room, kvcap_error *error)
{
    char text[KVC_UNIT_ROOM];
    if (ret_text == NULL)
        return null_argument(error, "ret_text");
    kvc_unit_gib(bytes, text);
    if (strlen(text) >= room)
        return kvc_fail(error, KVC_USAGE_BUFFER, "room", "%zu bytes of room are needed",
                        strlen(text) + 1);
    memcpy(ret_text, text, strlen(text) + 1);
    return KVCAP_OK;
}

/* ---- Records. */

static kvcap_code check_text(const char *text, int32_t syntax, const void *ret, kvcap_error *error)
{
    if (text == NULL)
        return null_argument(error, "text");
    if (ret == NULL)
        return null_argument(error, "ret_record");
    if (syntax != KVCAP_JSON && syntax != KVCAP_YAML)
        return out_of_range(error, "syntax", "KVCAP_JSON or KVCAP_YAML");
    return KVCAP_OK;
}

kvcap_code kvcap_record_read(const char *text, size_t length, int32_t syntax,
                             kvcap_record **ret_record, kvcap_error *error)
{
    kvcap_code rc = check_text(text, syntax, ret_record, error);
    return rc != KVCAP_OK ? rc
                          : kvc_handle_read((struct kvc_span){ text, length }, syntax, false,
                                            ret_record, error);
}

kvcap_code kvcap_record_seal(const char *text, size_t length, int32_t syntax,
                             const kvcap_record *const *named, size_t named_count,
                             kvcap_record **ret_record, kvcap_error *error)
{
    struct kvc_value *tree;
    struct kvc_shelf shelf = { .records = named, .records_count = named_count };
    struct kvc_naming naming = kvc_shelf_naming(&shelf);
    kvcap_code rc = check_text(text, syntax, ret_record, error);
    if (rc == KVCAP_OK && named == NULL && named_count > 0)
        rc = null_argument(error, "named");
    if (rc != KVCAP_OK)
        return rc;
    struct kvcap_record *handle = kvc_handle_new();
    if (handle == NULL)
        return no_memory(error);
    rc = kvc_handle_scan(handle, (struct kvc_span){ text, length }, syntax, &tree, error);
    if (rc == KVCAP_OK)
        rc = kvc_handle_seal(handle, tree, &naming, error);
    if (rc == KVCAP_OK)
        *ret_record = handle;
    else
        kvcap_record_free(handle);
    return rc;
}

int32_t kvcap_record_kind(const kvcap_record *record)
{
    static const int32_t KINDS[KVC_KIND_COUNT] = {
        [KVC_KIND_MODEL] = KVCAP_KIND_MODEL,       [KVC_KIND_CONTRACT] = KVCAP_KIND_CONTRACT,
        [KVC_KIND_EVIDENCE] = KVCAP_KIND_EVIDENCE, [KVC_KIND_PLAN] = KVCAP_KIND_PLAN,
        [KVC_KIND_FIT] = KVCAP_KIND_FIT,
    };
    return record == NULL ? 0 : KINDS[record->record.kind];
}

const char *kvcap_record_id(const kvcap_record *record)
{
    return record == NULL ? NULL : record->record.id;
}

const char *kvcap_record_json(const kvcap_record *record)
{
    return record == NULL ? NULL : record->json.text;
}

const char *kvcap_record_named(const kvcap_record *record, size_t index)
{
    return record == NULL || index >= record->named_count ? NULL : record->named[index];
}

/* ---- Plans. */

static kvcap_code plan_requests(struct kvc_planning *planning, const struct kvc_record *evidence,
                                kvcap_error *error)
{
    uint64_t n = 0;
    for (const struct kvc_value *e = evidence->evidence.requests->first; e != NULL; e = e->next) {
        struct kvc_reader r = { .rc = KVCAP_OK, .err = error };
        struct kvc_request request;
        kvc_request_read(&r, e, &request);
        kvcap_code rc =
            r.rc != KVCAP_OK ? r.rc : kvc_planning_request(planning, &request, n++, error);
        if (rc != KVCAP_OK)
            return rc;
    }
    return KVCAP_OK;
}

kvcap_code kvcap_plan_make(const kvcap_record *model, const kvcap_record *contract,
                           const kvcap_record *evidence, kvcap_plan **ret_plan, kvcap_error *error)
{
    kvcap_code rc = check_kind(model, KVC_KIND_MODEL, "model", error);
    if (rc == KVCAP_OK)
        rc = check_kind(contract, KVC_KIND_CONTRACT, "contract", error);
    if (rc == KVCAP_OK)
        rc = check_kind(evidence, KVC_KIND_EVIDENCE, "evidence", error);
    if (rc == KVCAP_OK && ret_plan == NULL)
        rc = null_argument(error, "ret_plan");
    if (rc != KVCAP_OK)
        return rc;
    struct kvc_planning planning;
    rc = kvc_planning_begin(&planning, &model->record, &contract->record, error);
    if (rc == KVCAP_OK)
        rc = kvc_planning_header(&planning, &evidence->record.evidence, error);
    if (rc == KVCAP_OK)
        rc = plan_requests(&planning, &evidence->record, error);
    if (rc == KVCAP_OK)
        rc = kvc_planning_finish(&planning, evidence->record.id, ret_plan, error);
    kvc_planning_drop(&planning);
    return rc;
}

kvcap_code kvcap_plan_summary(const kvcap_plan *plan, kvcap_summary *ret_summary,
                              kvcap_error *error)
{
    if (plan == NULL)
        return null_argument(error, "plan");
    if (ret_summary == NULL)
        return null_argument(error, "ret_summary");
    /* Every handle has room for a plan; only one that was planned has a decision. */
    if (plan->record.record.kind != KVC_KIND_PLAN || plan->figures.decision == 0)
        return kvc_fail(error, KVC_USAGE_WRONG_KIND, "plan", "plan is no plan that was made here");
    kvcap_code rc = check_size(ret_summary->struct_size, sizeof *ret_summary, "ret_summary", error);
    if (rc != KVCAP_OK)
        return rc;
    const struct kvc_plan_figures *figures = &plan->figures;
    kvcap_summary summary = { .struct_size = sizeof summary,
                              .decision = (int32_t)figures->decision,
                              .requests = figures->requests,
                              .sequences = figures->sequences,
                              .required_bytes = figures->required_bytes,
                              .available_bytes = figures->available_bytes };
    if (figures->decision != KVC_DECISION_UNDETERMINED) {
        const struct kvc_rank_figures *rank = &figures->ranks[figures->decided_by];
        summary.pool_bytes = rank->pool_bytes;
        summary.pool_blocks = rank->pool_blocks;
        summary.sequence_blocks_max = rank->sequence_blocks_max;
        summary.sequences_max = rank->sequences_max;
    }
    *ret_summary = summary;
    return KVCAP_OK;
}

const char *kvcap_plan_json(const kvcap_plan *plan)
{
    return plan == NULL ? NULL : plan->record.json.text;
}

const char *kvcap_plan_id(const kvcap_plan *plan)
{
    return plan == NULL ? NULL : plan->record.record.id;
}

void kvcap_plan_free(kvcap_plan *plan)
{
    if (plan != NULL)
        kvcap_record_free(&plan->record);
}

kvcap_code kvcap_verify(const kvcap_record *record, const kvcap_record *const *named,
                        size_t named_count, int32_t *ret_outcome, kvcap_error *error)
{
    if (record == NULL)
        return null_argument(error, "record");
    if (named == NULL && named_count > 0)
        return null_argument(error, "named");
    if (ret_outcome == NULL)
        return null_argument(error, "ret_outcome");
    struct kvc_shelf shelf = { .records = named, .records_count = named_count };
    struct kvc_outcome outcome;
    kvcap_code rc = kvc_verify(record, &shelf, &outcome, error);
    if (rc != KVCAP_OK)
        return rc;
    *ret_outcome = outcome.outcome;
    if (error != NULL) {
        *error = (kvcap_error){ .code = KVCAP_OK };
        snprintf(error->at, sizeof error->at, "%.*s", (int)sizeof error->at - 1, outcome.at);
    }
    return KVCAP_OK;
}

/* ---- Streams. */

struct kvcap_window {
    struct kvcap_record *model, *contract; /* copies: the caller's need not live on */
    struct kvc_planning planning;
    struct kvc_stream stream;
    bool closed; /* by a refusal or by its plan */
};

static kvcap_code open_window(kvcap_window *window, const kvcap_record *model,
                              const kvcap_record *contract, kvcap_error *error)
{
    kvcap_code rc =
        kvcap_record_read(model->json.text, model->json.length, KVCAP_JSON, &window->model, error);
    if (rc == KVCAP_OK)
        rc = kvcap_record_read(contract->json.text, contract->json.length, KVCAP_JSON,
                               &window->contract, error);
    if (rc == KVCAP_OK)
        rc = kvc_planning_begin(&window->planning, &window->model->record,
                                &window->contract->record, error);
    if (rc != KVCAP_OK)
        return rc;
    struct kvc_stream_taker taker = kvc_planning_taker(&window->planning);
    return kvc_stream_begin(&window->stream, &taker, &kvc_os_memory, error);
}

kvcap_code kvcap_window_open(const kvcap_record *model, const kvcap_record *contract,
                             kvcap_window **ret_window, kvcap_error *error)
{
    kvcap_code rc = check_kind(model, KVC_KIND_MODEL, "model", error);
    if (rc == KVCAP_OK)
        rc = check_kind(contract, KVC_KIND_CONTRACT, "contract", error);
    if (rc == KVCAP_OK && ret_window == NULL)
        rc = null_argument(error, "ret_window");
    if (rc != KVCAP_OK)
        return rc;
    kvcap_window *window = calloc(1, sizeof *window);
    if (window == NULL)
        return no_memory(error);
    rc = open_window(window, model, contract, error);
    if (rc == KVCAP_OK)
        *ret_window = window;
    else
        kvcap_window_free(window);
    return rc;
}

static kvcap_code check_open(const kvcap_window *window, kvcap_error *error)
{
    if (window == NULL)
        return null_argument(error, "window");
    if (window->closed)
        return kvc_fail(error, KVC_USAGE_ORDER, "window",
                        "the window was refused or has made its plan");
    return KVCAP_OK;
}

kvcap_code kvcap_window_feed(kvcap_window *window, const char *bytes, size_t length,
                             kvcap_error *error)
{
    kvcap_code rc = check_open(window, error);
    if (rc == KVCAP_OK && bytes == NULL && length > 0)
        rc = null_argument(error, "bytes");
    if (rc != KVCAP_OK)
        return rc;
    rc = kvc_stream_feed(&window->stream, bytes, length, error);
    window->closed = rc != KVCAP_OK;
    return rc;
}

kvcap_code kvcap_window_plan(kvcap_window *window, kvcap_plan **ret_plan, kvcap_error *error)
{
    char id[KVC_ID_ROOM];
    kvcap_code rc = check_open(window, error);
    if (rc == KVCAP_OK && ret_plan == NULL)
        rc = null_argument(error, "ret_plan");
    if (rc != KVCAP_OK)
        return rc;
    window->closed = true;
    rc = kvc_stream_end(&window->stream, id, error);
    return rc == KVCAP_OK ? kvc_planning_finish(&window->planning, id, ret_plan, error) : rc;
}

void kvcap_window_free(kvcap_window *window)
{
    if (window == NULL)
        return;
    kvc_stream_drop(&window->stream);
    kvc_planning_drop(&window->planning);
    kvcap_record_free(window->contract);
    kvcap_record_free(window->model);
    free(window);
}
