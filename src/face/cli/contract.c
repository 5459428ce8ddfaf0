/* contract.c - the verb contract: flags, or an engine's command line and flags, to the contract and model
 * records of a deployment. */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/unit.h"
#include "engine/release.h"
#include "face/cli/deployment.h"
#include "face/cli/verbs.h"
#include "meta/devices.h"
#include "os/os.h"
#include "plan/bound.h"
#include "plan/budget.h"
#include "plan/stages.h"
#include "json/write.h"

/* A draft in the making; the first refusal ends it. */
struct drafting {
    const struct kvc_call *call;
    const struct kvcap_record *model;
    const struct kvc_deployment *deployment; /* what is so unless a flag says another */
    uint64_t device_bytes;
    uint64_t block_tokens; /* unless a flag says another */
    struct kvcap_record *handle;
    struct kvc_build b;
    struct kvc_value *tree;
    kvcap_code rc;
    kvcap_error *err;
};

/* What the shell hands on need not be UTF-8; what a record holds must be. */
static void check_utf8(struct drafting *d, const char *flag, const char *value)
{
    char at[40];
    snprintf(at, sizeof at, "--%s", flag);
    if (d->rc == KVCAP_OK && value != NULL && !kvc_span_is_utf8(kvc_span_of(value), NULL))
        d->rc = kvc_fail(d->err, KVC_USAGE_BAD_VALUE, at, "the text is not UTF-8");
}

static void put_text(struct drafting *d, struct kvc_value *parent, const char *key,
                     const char *flag, const char *absent)
{
    const char *value = kvc_value_of(d->call, flag);
    check_utf8(d, flag, value);
    kvc_build_text(&d->b, parent, key, kvc_span_of(value == NULL ? absent : value));
}

static uint64_t count_or(struct drafting *d, const char *flag, uint64_t absent)
{
    uint64_t value = absent;
    if (d->rc == KVCAP_OK)
        d->rc = kvc_count_flag(d->call, flag, 0, KVC_SAFE_MAX, &value, d->err);
    return value;
}

static void put_count(struct drafting *d, struct kvc_value *parent, const char *key,
                      const char *flag, uint64_t absent)
{
    kvc_build_u64(&d->b, parent, key, count_or(d, flag, absent));
}

static void put_bytes(struct drafting *d, struct kvc_value *parent, const char *key,
                      const char *flag, uint64_t absent)
{
    uint64_t value = absent;
    if (d->rc == KVCAP_OK)
        d->rc = kvc_bytes_flag(d->call, flag, KVC_SAFE_MAX, &value, d->err);
    kvc_build_u64(&d->b, parent, key, value);
}

/* ---- Lists in one value: "10,11,11". */

typedef kvcap_code (*read_quantity)(struct kvc_span text, const char *at, uint64_t *ret_value,
                                    kvcap_error *err);

static void put_list(struct drafting *d, struct kvc_value *parent, const char *key,
                     const char *flag, read_quantity read)
{
    struct kvc_value *list = kvc_build_array(&d->b, parent, key);
    const char *rest = kvc_value_of(d->call, flag);
    char at[48];
    snprintf(at, sizeof at, "--%s", flag);
    while (rest != NULL && d->rc == KVCAP_OK) {
        size_t length = strcspn(rest, ",");
        uint64_t value = 0;
        d->rc = read((struct kvc_span){ rest, length }, at, &value, d->err);
        if (d->rc == KVCAP_OK && value > KVC_SAFE_MAX)
            d->rc = kvc_fail(d->err, KVC_USAGE_OUT_OF_RANGE, at, "a number is past 2^53-1");
        kvc_build_u64(&d->b, list, NULL, value);
        rest = rest[length] == ',' ? rest + length + 1 : NULL;
    }
}

/* ---- The members. */

static void put_cache(struct drafting *d)
{
    const char *dtype = kvc_format_name(d->model->record.model.dtype);
    struct kvc_value *cache = kvc_build_object(&d->b, d->tree, "cache");
    static const char *const KEYS[] = { "k", "v" };
    static const char *const FLAGS[] = { "cache-k", "cache-v" };
    for (size_t i = 0; i < 2; i++) {
        const char *given = kvc_value_of(d->call, FLAGS[i]);
        if (given == NULL)
            given = kvc_value_of(d->call, "cache-type");
        bool is_auto = given == NULL || strcmp(given, "auto") == 0;
        enum kvc_format named;
        char at[16];
        snprintf(at, sizeof at, "--%s", kvc_given(d->call, FLAGS[i]) ? FLAGS[i] : "cache-type");
        if (!is_auto && !kvc_format_named(kvc_span_of(given), &named) && d->rc == KVCAP_OK)
            d->rc =
                kvc_fail(d->err, KVC_USAGE_BAD_VALUE, at,
                         "no format is called \"%.48s\"; there are %s", given, kvc_format_words());
        struct kvc_value *object = kvc_build_object(&d->b, cache, KEYS[i]);
        const char *absent = i == 0 ? d->deployment->cache_k : d->deployment->cache_v;
        if (absent == NULL || given != NULL)
            absent = dtype;
        kvc_build_text(&d->b, object, "format", kvc_span_of(is_auto ? absent : given));
    }
}

static void put_allocator(struct drafting *d)
{
    struct kvc_value *object = kvc_build_object(&d->b, d->tree, "allocator");
    put_text(d, object, "name", "allocator-name", d->deployment->allocator);
    put_text(d, object, "version", "allocator-version", d->deployment->allocator_version);
    put_count(d, object, "block_tokens", "block-tokens", d->block_tokens);
    put_count(d, object, "overhead_bps", "overhead-bps", 0);
    if (d->deployment->settings != NULL)
        kvc_build_copy(&d->b, object, "settings", d->deployment->settings);
}

static void put_scheduler(struct drafting *d)
{
    struct kvc_value *object = kvc_build_object(&d->b, d->tree, "scheduler");
    put_text(d, object, "name", "scheduler-name", d->deployment->scheduler);
    put_text(d, object, "version", "scheduler-version", d->deployment->scheduler_version);
    put_text(d, object, "policy", "scheduler-policy", "fcfs");
    put_count(d, object, "sequences_max", "sequences-max", d->deployment->sequences_max);
    put_count(d, object, "step_tokens_max", "step-tokens-max", d->deployment->step_tokens_max);
}

static void put_device(struct drafting *d)
{
    struct kvc_value *parallel = kvc_build_object(&d->b, d->tree, "parallel");
    put_count(d, parallel, "tp", "tp", d->deployment->tp);
    put_count(d, parallel, "pp", "pp", d->deployment->pp);
    put_count(d, parallel, "dcp", "dcp", d->deployment->dcp);
    put_count(d, parallel, "ep", "ep", 1);
    if (kvc_given(d->call, "pp-layers"))
        put_list(d, parallel, "pp_layers", "pp-layers", kvc_unit_count);

    uint64_t ranks = 0;
    if (__builtin_mul_overflow(count_or(d, "tp", d->deployment->tp),
                               count_or(d, "pp", d->deployment->pp), &ranks))
        ranks = 0;
    struct kvc_value *pool = kvc_build_object(&d->b, d->tree, "pool");
    put_text(d, pool, "id", "pool-id", "pool");
    put_count(d, pool, "devices", "devices", ranks);
    kvc_build_u64(&d->b, pool, "device_bytes", d->device_bytes);
}

/* One term: a number on every rank, one a rank, or a share of the device. */
static void put_term(struct drafting *d, struct kvc_value *non_cache, const char *name,
                     uint64_t absent)
{
    char share_flag[32];
    snprintf(share_flag, sizeof share_flag, "%s-bps", name);
    const char *amount = kvc_value_of(d->call, name);
    struct kvc_value *object = kvc_build_object(&d->b, non_cache, name);
    if (amount != NULL && kvc_given(d->call, share_flag) && d->rc == KVCAP_OK) {
        char at[40];
        snprintf(at, sizeof at, "--%s", share_flag);
        d->rc = kvc_fail(d->err, KVC_USAGE_CONFLICT, at, "--%s says the same term", name);
        return;
    }
    if (kvc_given(d->call, share_flag))
        put_count(d, object, "device_bps", share_flag, 0);
    else if (amount != NULL && strchr(amount, ',') != NULL)
        put_list(d, object, "bytes_by_rank", name, kvc_unit_bytes);
    else
        put_bytes(d, object, "bytes", name, absent);
}

static uint64_t model_number(const struct drafting *d, const char *key, uint64_t absent)
{
    const struct kvc_value *value = kvc_value_member(d->model->record.tree, key);
    uint64_t number = absent;
    if (value != NULL)
        kvc_span_u64(value->text, &number);
    return number;
}

static void put_non_cache(struct drafting *d)
{
    struct kvc_value *non_cache = kvc_build_object(&d->b, d->tree, "non_cache");
    /* How several ranks share the weights is their engine's business, so somebody has to say it. */
    bool one_rank = !kvc_given(d->call, "tp") && !kvc_given(d->call, "pp") &&
                    d->deployment->tp == 1 && d->deployment->pp == 1;
    uint64_t weights = one_rank ? model_number(d, "weights_bytes", 0) : 0;
    bool says_weights =
        weights > 0 || kvc_given(d->call, "weights") || kvc_given(d->call, "weights-bps");
    if (!says_weights && d->rc == KVCAP_OK && !one_rank && model_number(d, "weights_bytes", 0) > 0)
        d->rc = kvc_fail(d->err, KVC_USAGE_MISSING_FLAG, "--weights",
                         "the model's weights are known as a whole, not each rank's share");
    if (!says_weights && d->rc == KVCAP_OK)
        d->rc = kvc_need_flag(d->call, "weights", d->err);
    for (size_t i = 0; i < KVC_NON_CACHE_COUNT; i++) {
        const char *name = kvc_non_cache_name(i);
        bool is_weights = strcmp(name, "weights") == 0, is_headroom = strcmp(name, "headroom") == 0;
        put_term(d, non_cache, name,
                 is_weights    ? weights
                 : is_headroom ? d->deployment->headroom_bytes
                               : 0);
    }
}

static void put_bounds(struct drafting *d)
{
    struct kvc_value *object = kvc_build_object(&d->b, d->tree, "bounds");
    uint64_t context = d->deployment->sequence_tokens_max;
    if (context == 0)
        context = model_number(d, "context_tokens", 0);
    if (context == 0 && !kvc_given(d->call, "sequence-tokens-max") && d->rc == KVCAP_OK)
        d->rc = kvc_need_flag(d->call, "sequence-tokens-max", d->err);
    put_count(d, object, "requests_max", "requests-max", 1000000);
    put_count(d, object, "sequences_per_request_max", "sequences-per-request-max", 64);
    put_count(d, object, "sequence_tokens_max", "sequence-tokens-max", context);
    put_bytes(d, object, "window_bytes_max", "window-bytes-max", UINT64_C(1) << 50);
}

static void put_sharing(struct drafting *d)
{
    struct kvc_value *object = kvc_build_object(&d->b, d->tree, "prefix_sharing");
    const char *policy = kvc_value_of(d->call, "prefix-sharing");
    put_text(d, object, "policy", "prefix-sharing", "none");
    if (policy == NULL || strcmp(policy, "none") == 0)
        return;
    if (strcmp(policy, "counted") != 0 && d->rc == KVCAP_OK)
        d->rc = kvc_fail(d->err, KVC_USAGE_BAD_VALUE, "--prefix-sharing",
                         "\"%.48s\" is neither none nor counted", policy);
    kvc_build_text(&d->b, object, "scope", kvc_span_of("tenant"));
    if (d->rc == KVCAP_OK)
        d->rc = kvc_need_flag(d->call, "prefix-evidence", d->err);
    put_text(d, object, "invalidation", "prefix-invalidation", "model-revision");
    put_text(d, object, "evidence", "prefix-evidence", "");
}

static void put_owners(struct drafting *d)
{
    struct kvc_value *object = kvc_build_object(&d->b, d->tree, "owners");
    put_text(d, object, "model", "owner-model", "unassigned");
    put_text(d, object, "capacity", "owner-capacity", "unassigned");
    put_text(d, object, "workload", "owner-workload", "unassigned");
}

static void put_admission(struct drafting *d)
{
    struct kvc_value *object = kvc_build_object(&d->b, d->tree, "admission");
    put_count(d, object, "evidence_max_age_ns", "evidence-max-age-ns", UINT64_C(3600000000000));
    put_count(d, object, "lease_ns", "lease-ns", UINT64_C(30000000000));
    put_count(d, object, "idempotency_window_ns", "idempotency-window-ns", UINT64_C(600000000000));
    put_count(d, object, "drift_max_blocks", "drift-max-blocks", 64);
}

/* "cache_bytes=200"; the record wants them sorted, the command line takes them as they come. */
static void put_tolerance(struct drafting *d, struct kvc_value *list, const char *text)
{
    const char *equals = strrchr(text, '=');
    uint64_t bps = 0;
    check_utf8(d, "tolerance", text);
    if (d->rc != KVCAP_OK)
        return;
    if (equals == NULL || !kvc_span_u64(kvc_span_of(equals + 1), &bps)) {
        d->rc = kvc_fail(d->err, KVC_USAGE_BAD_VALUE, "--tolerance",
                         "\"%.48s\" is not SIGNAL=BPS, such as cache_bytes=200", text);
        return;
    }
    struct kvc_value *object = kvc_build_object(&d->b, list, NULL);
    kvc_build_text(&d->b, object, "signal", (struct kvc_span){ text, (size_t)(equals - text) });
    kvc_build_u64(&d->b, object, "bps", bps);
}

static struct kvc_span signal_of(const char *text)
{
    const char *equals = strrchr(text, '=');
    return (struct kvc_span){ text, equals == NULL ? strlen(text) : (size_t)(equals - text) };
}

static int by_signal(const void *a, const void *b)
{
    return kvc_span_compare(signal_of(*(const char *const *)a), signal_of(*(const char *const *)b));
}

static void put_tolerances(struct drafting *d)
{
    struct kvc_value *list = kvc_build_array(&d->b, d->tree, "tolerances");
    const char **texts = kvc_arena_array(d->b.arena, d->call->given_count + 1, sizeof *texts);
    size_t count = 0;
    if (texts == NULL)
        return;
    for (const char *text; (text = kvc_nth_value_of(d->call, "tolerance", count)) != NULL;)
        texts[count++] = text;
    qsort(texts, count, sizeof *texts, by_signal);
    for (size_t i = 0; i < count; i++)
        put_tolerance(d, list, texts[i]);
}

static void draft_contract(struct drafting *d)
{
    const struct kvc_model *model = &d->model->record.model;
    d->tree = kvc_build_object(&d->b, NULL, NULL);
    kvc_build_text(&d->b, d->tree, "kind", kvc_span_of("kv-capacity-contract"));
    kvc_build_u64(&d->b, d->tree, "version", 1);
    kvc_build_text(&d->b, d->tree, "contract_version", kvc_span_of(KVC_CONTRACT_VERSION));
    const char *name = kvc_value_of(d->call, "name");
    check_utf8(d, "name", name);
    kvc_build_text(&d->b, d->tree, "name", name == NULL ? model->name : kvc_span_of(name));
    kvc_build_text(&d->b, d->tree, "model", kvc_span_of(d->model->record.id));
    struct kvc_value *reservation = kvc_build_object(&d->b, d->tree, "reservation");
    kvc_build_text(&d->b, reservation, "policy", kvc_span_of("full-declared-growth"));
    kvc_build_text(&d->b, reservation, "version", kvc_span_of("1"));
    put_cache(d);
    put_allocator(d);
    put_scheduler(d);
    put_device(d);
    put_non_cache(d);
    put_bounds(d);
    put_owners(d);
    put_sharing(d);
    put_admission(d);
    put_tolerances(d);
}

/* ---- The verb. */

/* What the contract is made of. */
struct making {
    struct kvc_library *library;
    struct kvc_entry *model;
    bool made; /* the model's record lies in no file yet */
    struct kvc_deployment deployment;
    uint64_t device_bytes;
};

static kvcap_code make_contract(const struct making *making, uint64_t block_tokens,
                                kvcap_record **ret_contract, kvcap_error *err)
{
    struct drafting d = { .call = making->library->call,
                          .model = making->model->handle,
                          .deployment = &making->deployment,
                          .device_bytes = making->device_bytes,
                          .block_tokens = block_tokens,
                          .handle = kvc_handle_new(),
                          .err = err };
    if (d.handle == NULL)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the contract needs more memory");
    d.b.arena = &d.handle->arena;
    draft_contract(&d);
    struct kvc_shelf_near shelf = { .library = making->library, .near = NULL };
    struct kvc_naming naming = kvc_library_naming(&shelf);
    if (d.rc == KVCAP_OK && d.b.full)
        d.rc = kvc_fail(err, KVC_MEMORY_FULL, "", "the contract needs more memory");
    if (d.rc == KVCAP_OK)
        d.rc = kvc_handle_seal(d.handle, d.tree, &naming, err);
    if (d.rc == KVCAP_OK)
        *ret_contract = d.handle;
    else
        kvcap_record_free(d.handle);
    return d.rc;
}

#define BLOCK_TOKENS 16 /* of plain blocks; an engine has its own */

/* An engine's block follows from all the rest, so the rest is made first. */
static kvcap_code make_with_block(const struct making *making, kvcap_record **ret_contract,
                                  kvcap_error *err)
{
    struct kvc_arena arena;
    uint64_t block_tokens = 0;
    kvcap_code rc = make_contract(making, BLOCK_TOKENS, ret_contract, err);
    if (rc != KVCAP_OK || !(*ret_contract)->record.contract.engine ||
        kvc_given(making->library->call, "block-tokens"))
        return rc;
    kvc_arena_from(&arena, &kvc_os_memory, KVC_HANDLE_BYTES_MAX);
    rc = kvc_bound_block_tokens(&making->model->handle->record.model,
                                &(*ret_contract)->record.contract, &arena, &block_tokens, err);
    kvc_arena_drop(&arena);
    if (rc == KVCAP_OK && block_tokens != 0 && block_tokens != BLOCK_TOKENS) {
        kvcap_record_free(*ret_contract);
        *ret_contract = NULL;
        rc = make_contract(making, block_tokens, ret_contract, err);
    }
    return rc;
}

/* What no window could be planned under is refused here, where its flags are at hand. */
static kvcap_code check_plannable(const kvcap_record *model, const kvcap_record *contract,
                                  kvcap_error *err)
{
    struct kvc_arena arena;
    struct kvc_stages stages;
    const struct kvc_contract *declared = &contract->record.contract;
    kvc_arena_from(&arena, &kvc_os_memory, KVC_HANDLE_BYTES_MAX);
    kvcap_code rc = kvc_stages_of(&model->record.model, declared, &arena, &stages, err);
    for (uint32_t rank = 0; rank < declared->tp * declared->pp && rc == KVCAP_OK; rank++) {
        struct kvc_budget budget;
        rc = kvc_budget_declared(declared, rank, &budget, err);
    }
    kvc_arena_drop(&arena);
    return rc;
}

/* The model's record goes before the contract where it lies in no file yet. */
static kvcap_code write_both(const struct kvc_call *call, const kvcap_record *model,
                             const kvcap_record *contract, kvcap_error *err)
{
    struct kvc_arena arena;
    struct kvc_text text = { .arena = &arena };
    struct kvc_sink sink = kvc_text_sink(&text);
    kvc_arena_from(&arena, &kvc_os_memory, KVC_HANDLE_BYTES_MAX);
    if (model != NULL) {
        sink.put(sink.context, model->json.text, model->json.length);
        sink.put(sink.context, "\n", 1);
    }
    sink.put(sink.context, contract->json.text, contract->json.length);
    kvcap_code rc = text.full ? kvc_fail(err, KVC_MEMORY_FULL, "", "the records need more memory")
                              : kvc_write_text(kvc_value_of(call, "o"),
                                               (struct kvc_span){ text.text, text.length }, err);
    kvc_arena_drop(&arena);
    return rc;
}

/* An element type that nobody stated decides the bytes of a contract only where nobody is looking. */
static void note_assumed_type(const struct kvc_call *call, const kvcap_record *model)
{
    struct kvc_span how, from = kvc_source_of(model, "/dtype", &how);
    bool says_both =
        kvc_given(call, "cache-type") || (kvc_given(call, "cache-k") && kvc_given(call, "cache-v"));
    if (kvc_span_is(how, "default") && !says_both)
        fprintf(stderr, "note: the model states no dtype: %s by %.*s; --cache-type says another\n",
                kvc_format_name(model->record.model.dtype), (int)from.length, from.text);
}

/* --device-bytes, or what the runtime reports of --device; 0: nothing was said. */
static kvcap_code find_device(const struct kvc_call *call, uint64_t *ret_bytes, kvcap_error *err)
{
    const char *name = kvc_value_of(call, "device");
    const struct kvc_device *device;
    uint64_t least, most;
    *ret_bytes = 0;
    if (name == NULL)
        return kvc_bytes_flag(call, "device-bytes", KVC_SAFE_MAX, ret_bytes, err);
    if (kvc_given(call, "device-bytes"))
        return kvc_fail(err, KVC_USAGE_CONFLICT, "--device", "--device-bytes says it too");
    kvcap_code rc = kvc_device_find(kvc_span_of(name), &device, err);
    if (rc != KVCAP_OK)
        return rc;
    kvc_device_runtime_bytes(device, &least, &most);
    if (least == 0)
        least = device->driver.bytes;
    if (least == 0)
        return kvc_fail(err, KVC_USAGE_BAD_VALUE, "--device",
                        "what this device reports is not known: give --device-bytes");
    *ret_bytes = least; /* of a printed GiB the least that it can be */
    return KVCAP_OK;
}

static kvcap_code need_device(const struct making *making, kvcap_error *err)
{
    return making->device_bytes > 0 ? KVCAP_OK
                                    : kvc_need_flag(making->library->call, "device-bytes", err);
}

/* An allocator that a flag names is at its newest known version, unless another flag says. */
static kvcap_code name_newest(struct making *making, kvcap_error *err)
{
    const char *name = kvc_value_of(making->library->call, "allocator-name");
    struct kvc_release release;
    kvcap_error unheard;
    if (name == NULL || strcmp(name, "paged") == 0 ||
        kvc_release_read(kvc_span_of(name), "", &release, &unheard) != KVCAP_OK)
        return KVCAP_OK;
    struct kvc_span version = kvc_arena_copy(&making->library->arena, release.version);
    if (version.text == NULL)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the contract needs more memory");
    making->deployment.allocator_version = version.text;
    return KVCAP_OK;
}

static kvcap_code gather_plain(struct making *making, kvcap_error *err)
{
    const struct kvc_call *call = making->library->call;
    making->deployment = kvc_deployment_plain;
    kvcap_code rc = kvc_need_flag(call, "model", err);
    if (rc == KVCAP_OK)
        rc = need_device(making, err);
    if (rc == KVCAP_OK)
        rc = kvc_model_of(making->library, kvc_value_of(call, "model"),
                          kvc_value_of(call, "model-name"), kvc_value_of(call, "model-revision"),
                          &making->model, &making->made, err);
    return rc == KVCAP_OK ? name_newest(making, err) : rc;
}

static kvcap_code gather_asked(struct making *making, kvcap_error *err)
{
    struct kvc_asking asking = { .call = making->library->call,
                                 .name_flag = "model-name",
                                 .revision_flag = "model-revision",
                                 .library = making->library,
                                 .arena = &making->library->arena };
    kvcap_code rc = kvc_ask_command(&asking, err);
    if (rc == KVCAP_OK)
        rc = kvc_ask_engine(&asking, err);
    if (rc == KVCAP_OK)
        rc = kvc_ask_model(&asking, err);
    if (rc == KVCAP_OK)
        rc = kvc_ask_settings(&asking, err);
    if (rc == KVCAP_OK)
        rc = need_device(making, err);
    if (rc == KVCAP_OK)
        rc = kvc_deployment_of(&asking, making->device_bytes, &making->deployment, err);
    making->model = asking.model;
    making->made = asking.model_was_made;
    return rc;
}

static bool asks_engine(const struct kvc_call *call)
{
    return call->words_count > 0 || kvc_given(call, "engine") || kvc_given(call, "set");
}

static kvcap_code contract(struct kvc_library *library, kvcap_error *err)
{
    const struct kvc_call *call = library->call;
    struct making making = { .library = library };
    kvcap_record *made_contract = NULL;
    kvcap_code rc = find_device(call, &making.device_bytes, err);
    if (rc == KVCAP_OK)
        rc = asks_engine(call) ? gather_asked(&making, err) : gather_plain(&making, err);
    if (rc == KVCAP_OK)
        rc = make_with_block(&making, &made_contract, err);
    if (rc == KVCAP_OK)
        rc = check_plannable(making.model->handle, made_contract, err);
    if (rc == KVCAP_OK)
        rc = write_both(call, making.made ? making.model->handle : NULL, made_contract, err);
    if (rc == KVCAP_OK)
        kvc_print_notes(making.model->handle, stderr);
    if (rc == KVCAP_OK)
        note_assumed_type(call, making.model->handle);
    kvcap_record_free(made_contract);
    return rc;
}

int kvc_verb_contract(const struct kvc_call *call)
{
    struct kvc_library library;
    kvcap_error error;
    kvc_library_open(&library, call);
    kvcap_code rc = contract(&library, &error);
    int status = rc == KVCAP_OK ? KVC_EXIT_YES : kvc_refused(call, &error);
    kvc_library_drop(&library);
    return status;
}
