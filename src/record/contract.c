/* contract.c - kv-capacity-contract: what is declared.  Declared in record.h. */

#include <inttypes.h>

#include "bytes/elem.h"
#include "record/record.h"

#define BPS_MAX 100000

static const struct kvc_key CONTRACT_KEYS[] = {
    KVC_HEAD_KEYS,
    { "contract_version", false },
    { "name", false },
    { "model", false },
    { "architecture_digest", false },
    { "cache", false },
    { "allocator", false },
    { "scheduler", false },
    { "reservation", false },
    { "pool", false },
    { "parallel", false },
    { "non_cache", false },
    { "bounds", false },
    { "owners", false },
    { "prefix_sharing", false },
    { "admission", false },
    { "tolerances", false },
    { "release_lag_ns", true },
    { "parent", true },
    { "adopted", true },
};

/* ---- Cache formats. */

void kvc_format_build_layout(struct kvc_build *build, struct kvc_value *object,
                             enum kvc_format format)
{
    const struct kvc_layout *layout = kvc_layout_of(format);
    if (layout->group_elements == 0)
        return;
    kvc_build_u64(build, object, "group_elements", layout->group_elements);
    kvc_build_u64(build, object, "group_bytes", layout->group_bytes);
    kvc_build_u64(build, object, "head_bytes", layout->head_bytes);
}

static void check_layout(struct kvc_reader *r, const struct kvc_value *object, const char *key,
                         uint64_t stated, uint64_t due)
{
    if (r->rc == KVCAP_OK && stated != due)
        kvc_refuse_member(r, KVC_CONTRACT_FORMAT_LAYOUT, object, key,
                          "the layout of this format has %" PRIu64 " here", due);
}

/* A format states its layout, so that a reader needs no table; it must be the table's. */
static enum kvc_format read_cache_format(struct kvc_reader *r, const struct kvc_value *cache,
                                         const char *key, uint64_t *ret_token_bytes)
{
    static const struct kvc_key GROUP_KEYS[] = { { "format", false },
                                                 { "group_elements", false },
                                                 { "group_bytes", false },
                                                 { "head_bytes", false } };
    static const struct kvc_key TOKEN_KEYS[] = { { "format", false }, { "token_bytes", false } };
    const struct kvc_value *object = kvc_value_member(cache, key);
    if (object != NULL && object->type != KVC_OBJECT)
        kvc_refuse(r, KVC_RECORD_WRONG_TYPE, object, "an object is due here");
    enum kvc_format format = kvc_read_format(r, r->rc == KVCAP_OK ? object : NULL, "format");
    if (r->rc != KVCAP_OK || object == NULL)
        return KVC_FORMAT_NONE;

    const struct kvc_layout *layout = kvc_layout_of(format);
    if (layout->group_elements == 0) {
        kvc_read_keys(r, object, TOKEN_KEYS, KVC_COUNT_OF(TOKEN_KEYS));
        *ret_token_bytes = kvc_read_n1(r, object, "token_bytes");
        if (r->rc == KVCAP_OK && *ret_token_bytes != kvc_ds_mla_token_bytes(512, 64) &&
            *ret_token_bytes != kvc_ds_mla_token_bytes(448, 64))
            kvc_refuse_member(r, KVC_CONTRACT_FORMAT_LAYOUT, object, "token_bytes",
                              "a token of fp8_ds_mla has 656 or 584 bytes");
        return format;
    }
    kvc_read_keys(r, object, GROUP_KEYS, KVC_COUNT_OF(GROUP_KEYS));
    check_layout(r, object, "group_elements", kvc_read_dim(r, object, "group_elements"),
                 layout->group_elements);
    check_layout(r, object, "group_bytes", kvc_read_dim(r, object, "group_bytes"),
                 layout->group_bytes);
    check_layout(r, object, "head_bytes", kvc_read_n0(r, object, "head_bytes"), layout->head_bytes);
    return format;
}

static void read_cache(struct kvc_reader *r, const struct kvc_value *tree,
                       struct kvc_contract *contract)
{
    static const struct kvc_key KEYS[] = { { "k", false }, { "v", false } };
    const struct kvc_value *cache = kvc_read_object(r, tree, "cache", KEYS, KVC_COUNT_OF(KEYS));
    contract->cache_k = read_cache_format(r, cache, "k", &contract->latent_token_bytes);
    contract->cache_v = read_cache_format(r, cache, "v", &contract->latent_token_bytes);
    bool k_is_token = contract->cache_k == KVC_FORMAT_FP8_DS_MLA;
    bool v_is_token = contract->cache_v == KVC_FORMAT_FP8_DS_MLA;
    if (r->rc == KVCAP_OK && k_is_token != v_is_token)
        kvc_refuse_member(r, KVC_CONTRACT_FORMAT_STATE, cache, k_is_token ? "v" : "k",
                          "fp8_ds_mla is a whole token: K and V both name it");
    if (r->rc == KVCAP_OK && k_is_token) {
        const struct kvc_value *differing;
        if (!kvc_value_equal(kvc_value_member(cache, "k"), kvc_value_member(cache, "v"),
                             &differing))
            kvc_refuse(r, KVC_CONTRACT_FORMAT_LAYOUT, differing,
                       "K and V state one token of fp8_ds_mla");
    }
}

/* ---- Engine, device, ranks. */

/* Engines whose rules may be bound; their versions are for whoever knows the releases. */
static const char *const ENGINES[] = { "vllm", "llama.cpp" };

static bool is_engine(struct kvc_span name)
{
    for (size_t i = 0; i < KVC_COUNT_OF(ENGINES); i++) {
        if (kvc_span_is(name, ENGINES[i]))
            return true;
    }
    return false;
}

static void read_allocator(struct kvc_reader *r, const struct kvc_value *tree,
                           struct kvc_contract *contract)
{
    static const struct kvc_key KEYS[] = { { "name", false },
                                           { "version", false },
                                           { "block_tokens", false },
                                           { "overhead_bps", false },
                                           { "settings", true } };
    const struct kvc_value *allocator =
        kvc_read_object(r, tree, "allocator", KEYS, KVC_COUNT_OF(KEYS));
    contract->allocator = kvc_read_identity(r, allocator);
    contract->block_tokens = kvc_read_n1(r, allocator, "block_tokens");
    contract->overhead_bps = kvc_read_u64(r, allocator, "overhead_bps", 0, BPS_MAX);
    if (r->rc != KVCAP_OK)
        return;
    contract->engine = is_engine(contract->allocator.name);
    if (contract->engine) {
        contract->settings =
            kvc_has(allocator, "settings") ? kvc_read_settings(r, allocator) : NULL;
        return;
    }
    if (!kvc_span_is(contract->allocator.name, "paged"))
        kvc_refuse_member(r, KVC_CONTRACT_ALLOCATOR, allocator, "name",
                          "this program knows no such allocator");
    if (!kvc_span_is(contract->allocator.version, "1"))
        kvc_refuse_member(r, KVC_CONTRACT_ALLOCATOR, allocator, "version",
                          "this program knows version 1 of paged");
    if (kvc_has(allocator, "settings"))
        kvc_refuse_member(r, KVC_CONTRACT_SETTINGS, allocator, "settings",
                          "settings are an engine's; paged has none");
}

static void read_scheduler(struct kvc_reader *r, const struct kvc_value *tree,
                           struct kvc_contract *contract)
{
    static const struct kvc_key KEYS[] = { { "name", false },
                                           { "version", false },
                                           { "policy", false },
                                           { "sequences_max", false },
                                           { "step_tokens_max", false } };
    const struct kvc_value *scheduler =
        kvc_read_object(r, tree, "scheduler", KEYS, KVC_COUNT_OF(KEYS));
    contract->scheduler = kvc_read_identity(r, scheduler);
    kvc_read_name(r, scheduler, "policy");
    contract->sequences_max = kvc_read_n1(r, scheduler, "sequences_max");
    contract->step_tokens_max = kvc_read_n1(r, scheduler, "step_tokens_max");
}

static void read_reservation(struct kvc_reader *r, const struct kvc_value *tree)
{
    static const struct kvc_key KEYS[] = { { "policy", false }, { "version", false } };
    const struct kvc_value *reservation =
        kvc_read_object(r, tree, "reservation", KEYS, KVC_COUNT_OF(KEYS));
    struct kvc_span policy = kvc_read_name(r, reservation, "policy");
    struct kvc_span version = kvc_read_name(r, reservation, "version");
    if (r->rc != KVCAP_OK)
        return;
    if (!kvc_span_is(policy, "full-declared-growth"))
        kvc_refuse_member(r, KVC_CONTRACT_RESERVATION, reservation, "policy",
                          "this program knows no such reservation policy");
    if (!kvc_span_is(version, "1"))
        kvc_refuse_member(r, KVC_CONTRACT_RESERVATION, reservation, "version",
                          "this program knows version 1 of full-declared-growth");
}

static void read_parallel(struct kvc_reader *r, const struct kvc_reading *reading,
                          const struct kvc_value *tree, struct kvc_contract *contract)
{
    static const struct kvc_key KEYS[] = {
        { "tp", false }, { "pp", false }, { "dcp", false }, { "ep", false }, { "pp_layers", true }
    };
    const struct kvc_value *parallel =
        kvc_read_object(r, tree, "parallel", KEYS, KVC_COUNT_OF(KEYS));
    contract->tp = (uint32_t)kvc_read_u64(r, parallel, "tp", 1, KVC_RANKS_MAX);
    contract->pp = (uint32_t)kvc_read_u64(r, parallel, "pp", 1, KVC_RANKS_MAX);
    kvc_read_dim(r, parallel, "ep");
    contract->dcp = kvc_read_dim(r, parallel, "dcp");
    if (r->rc == KVCAP_OK && contract->dcp != 1 && !contract->engine)
        kvc_refuse_member(r, KVC_CONTRACT_DCP, parallel, "dcp",
                          "paged does not divide a sequence among ranks");
    if (!kvc_has(parallel, "pp_layers"))
        return;
    uint32_t stages = 0;
    contract->pp_layers =
        kvc_read_u64_list(r, reading, parallel, "pp_layers", 1, KVC_LAYERS_MAX, &stages);
    if (r->rc == KVCAP_OK && stages != contract->pp)
        kvc_refuse_member(r, KVC_CONTRACT_PP_LAYERS, parallel, "pp_layers",
                          "%u stages are listed for pp %u", (unsigned)stages,
                          (unsigned)contract->pp);
}

static void read_pool(struct kvc_reader *r, const struct kvc_value *tree,
                      struct kvc_contract *contract)
{
    static const struct kvc_key KEYS[] = { { "id", false },
                                           { "devices", false },
                                           { "device_bytes", false } };
    const struct kvc_value *pool = kvc_read_object(r, tree, "pool", KEYS, KVC_COUNT_OF(KEYS));
    contract->pool = kvc_read_name(r, pool, "id");
    uint64_t devices = kvc_read_n1(r, pool, "devices");
    contract->device_bytes = kvc_read_n1(r, pool, "device_bytes");
    uint64_t ranks = (uint64_t)contract->tp * contract->pp;
    if (r->rc == KVCAP_OK && devices != ranks)
        kvc_refuse_member(r, KVC_CONTRACT_DEVICES, pool, "devices",
                          "tp * pp is %" PRIu64 ", not %" PRIu64, ranks, devices);
    if (r->rc == KVCAP_OK && ranks > KVC_RANKS_MAX)
        kvc_refuse_member(r, KVC_RECORD_OUT_OF_RANGE, pool, "devices",
                          "a deployment has at most 65,536 ranks");
}

/* ---- Memory beside the cache. */

static void read_non_cache_term(struct kvc_reader *r, const struct kvc_reading *reading,
                                const struct kvc_value *non_cache, const char *key, uint64_t ranks,
                                struct kvc_non_cache *term)
{
    static const struct kvc_key KEYS[] = {
        { "bytes", true }, { "bytes_by_rank", true }, { "device_bps", true }, { "source", true }
    };
    const struct kvc_value *object = kvc_read_object(r, non_cache, key, KEYS, KVC_COUNT_OF(KEYS));
    if (object == NULL)
        return;
    int forms =
        kvc_has(object, "bytes") + kvc_has(object, "bytes_by_rank") + kvc_has(object, "device_bps");
    if (forms != 1) {
        kvc_refuse(r, forms == 0 ? KVC_RECORD_MISSING_KEY : KVC_RECORD_UNKNOWN_KEY, object,
                   "exactly one of bytes, bytes_by_rank and device_bps is due");
        return;
    }
    if (kvc_has(object, "source"))
        kvc_read_id(r, object, "source", KVC_KIND_NONE);
    if (kvc_has(object, "bytes")) {
        term->form = KVC_NON_CACHE_BYTES;
        term->amount = kvc_read_n0(r, object, "bytes");
    } else if (kvc_has(object, "device_bps")) {
        term->form = KVC_NON_CACHE_BPS;
        term->amount = kvc_read_u64(r, object, "device_bps", 0, BPS_MAX);
    } else {
        uint32_t count = 0;
        term->form = KVC_NON_CACHE_BY_RANK;
        term->by_rank =
            kvc_read_u64_list(r, reading, object, "bytes_by_rank", 0, KVC_RANKS_MAX, &count);
        if (r->rc == KVCAP_OK && count != ranks)
            kvc_refuse_member(r, KVC_CONTRACT_RANKS, object, "bytes_by_rank",
                              "%u entries stand for %" PRIu64 " ranks", (unsigned)count, ranks);
    }
}

static void read_non_cache(struct kvc_reader *r, const struct kvc_reading *reading,
                           const struct kvc_value *tree, struct kvc_contract *contract)
{
    struct kvc_key keys[KVC_NON_CACHE_COUNT];
    for (size_t i = 0; i < KVC_NON_CACHE_COUNT; i++)
        keys[i] = (struct kvc_key){ kvc_non_cache_name(i), false };
    const struct kvc_value *non_cache =
        kvc_read_object(r, tree, "non_cache", keys, KVC_NON_CACHE_COUNT);
    uint64_t ranks = (uint64_t)contract->tp * contract->pp;
    for (size_t i = 0; i < KVC_NON_CACHE_COUNT; i++)
        read_non_cache_term(r, reading, non_cache, kvc_non_cache_name(i), ranks,
                            &contract->non_cache[i]);
}

/* ---- Bounds, owners, sharing, admission, tolerances. */

static void read_bounds(struct kvc_reader *r, const struct kvc_value *tree,
                        struct kvc_contract *contract)
{
    static const struct kvc_key KEYS[] = { { "requests_max", false },
                                           { "sequences_per_request_max", false },
                                           { "sequence_tokens_max", false },
                                           { "window_bytes_max", false } };
    const struct kvc_value *bounds = kvc_read_object(r, tree, "bounds", KEYS, KVC_COUNT_OF(KEYS));
    contract->requests_max = kvc_read_n1(r, bounds, "requests_max");
    contract->sequences_per_request_max = kvc_read_n1(r, bounds, "sequences_per_request_max");
    contract->sequence_tokens_max = kvc_read_n1(r, bounds, "sequence_tokens_max");
    contract->window_bytes_max = kvc_read_n1(r, bounds, "window_bytes_max");
}

static void read_owners(struct kvc_reader *r, const struct kvc_value *tree)
{
    static const struct kvc_key KEYS[] = { { "model", false },
                                           { "capacity", false },
                                           { "workload", false } };
    const struct kvc_value *owners = kvc_read_object(r, tree, "owners", KEYS, KVC_COUNT_OF(KEYS));
    for (size_t i = 0; i < KVC_COUNT_OF(KEYS); i++)
        kvc_read_name(r, owners, KEYS[i].name);
}

static void read_prefix_sharing(struct kvc_reader *r, const struct kvc_value *tree,
                                struct kvc_contract *contract)
{
    static const struct kvc_key NONE_KEYS[] = { { "policy", false } };
    static const struct kvc_key COUNTED_KEYS[] = {
        { "policy", false }, { "scope", false }, { "invalidation", false }, { "evidence", false }
    };
    static const char *const POLICIES[] = { "none", "counted" };
    static const char *const SCOPES[] = { "tenant" };
    const struct kvc_value *sharing = kvc_value_member(tree, "prefix_sharing");
    if (r->rc != KVCAP_OK || sharing == NULL)
        return;
    if (sharing->type != KVC_OBJECT) {
        kvc_refuse(r, KVC_RECORD_WRONG_TYPE, sharing, "an object is due here");
        return;
    }
    contract->counts_prefixes = kvc_read_word(r, sharing, "policy", POLICIES, 2) == 1;
    if (!contract->counts_prefixes) {
        kvc_read_keys(r, sharing, NONE_KEYS, KVC_COUNT_OF(NONE_KEYS));
        return;
    }
    kvc_read_keys(r, sharing, COUNTED_KEYS, KVC_COUNT_OF(COUNTED_KEYS));
    kvc_read_word(r, sharing, "scope", SCOPES, 1);
    kvc_read_name(r, sharing, "invalidation");
    struct kvc_span evidence = kvc_read_text(r, sharing, "evidence");
    if (r->rc == KVCAP_OK && !kvc_is_digest(evidence) && !kvc_is_id(evidence, KVC_KIND_NONE))
        kvc_refuse_member(r, KVC_RECORD_BAD_ID, sharing, "evidence",
                          "an id, or the digest of a document, is due");
}

static void read_admission(struct kvc_reader *r, const struct kvc_value *tree)
{
    static const struct kvc_key KEYS[] = { { "evidence_max_age_ns", false },
                                           { "lease_ns", false },
                                           { "idempotency_window_ns", false },
                                           { "drift_max_blocks", false } };
    const struct kvc_value *admission =
        kvc_read_object(r, tree, "admission", KEYS, KVC_COUNT_OF(KEYS));
    kvc_read_n1(r, admission, "evidence_max_age_ns");
    kvc_read_n1(r, admission, "lease_ns");
    kvc_read_n1(r, admission, "idempotency_window_ns");
    kvc_read_n0(r, admission, "drift_max_blocks");
}

static void read_tolerances(struct kvc_reader *r, const struct kvc_value *tree)
{
    static const struct kvc_key KEYS[] = { { "signal", false }, { "bps", false } };
    const struct kvc_value *list = kvc_read_array(r, tree, "tolerances", 0, UINT16_MAX);
    if (list == NULL)
        return;
    struct kvc_span before = { 0 };
    for (const struct kvc_value *e = list->first; e != NULL && r->rc == KVCAP_OK; e = e->next) {
        const struct kvc_value *tolerance = kvc_read_keys(r, e, KEYS, KVC_COUNT_OF(KEYS));
        struct kvc_span signal = kvc_read_name(r, tolerance, "signal");
        kvc_read_u64(r, tolerance, "bps", 0, BPS_MAX);
        if (r->rc == KVCAP_OK && e != list->first && kvc_span_compare(before, signal) >= 0)
            kvc_refuse(r, KVC_RECORD_NOT_SORTED, e, "tolerances are sorted by signal, each once");
        before = signal;
    }
}

static void read_release_lag(struct kvc_reader *r, const struct kvc_value *tree)
{
    static const struct kvc_key KEYS[] = { { "ns", false }, { "source", false } };
    if (!kvc_has(tree, "release_lag_ns"))
        return;
    const struct kvc_value *lag =
        kvc_read_object(r, tree, "release_lag_ns", KEYS, KVC_COUNT_OF(KEYS));
    kvc_read_n0(r, lag, "ns");
    kvc_read_id(r, lag, "source", KVC_KIND_NONE);
}

static void read_parentage(struct kvc_reader *r, const struct kvc_value *tree)
{
    static const struct kvc_key KEYS[] = { { "at", false },
                                           { "record", false },
                                           { "reason", false } };
    bool has_parent = kvc_has(tree, "parent");
    if (has_parent != kvc_has(tree, "adopted")) {
        kvc_refuse_member(r, KVC_CONTRACT_PARENT, tree, has_parent ? "adopted" : "parent",
                          "parent and adopted stand together");
        return;
    }
    if (!has_parent)
        return;
    kvc_read_id(r, tree, "parent", KVC_KIND_CONTRACT);
    const struct kvc_value *list = kvc_read_array(r, tree, "adopted", 1, UINT16_MAX);
    if (list == NULL)
        return;
    for (const struct kvc_value *e = list->first; e != NULL && r->rc == KVCAP_OK; e = e->next) {
        const struct kvc_value *adopted = kvc_read_keys(r, e, KEYS, KVC_COUNT_OF(KEYS));
        struct kvc_span at = kvc_read_text(r, adopted, "at");
        kvc_read_id(r, adopted, "record", KVC_KIND_NONE);
        kvc_read_name(r, adopted, "reason");
        if (r->rc == KVCAP_OK && (at.length == 0 || kvc_value_at(tree, at) == NULL))
            kvc_refuse_member(r, KVC_CONTRACT_ADOPTED, adopted, "at",
                              "no member of this record lies there");
    }
}

void kvc_contract_read(struct kvc_reader *r, const struct kvc_reading *reading,
                       const struct kvc_value *tree, struct kvc_contract *ret_contract)
{
    static const char *const VERSIONS[] = { KVC_CONTRACT_VERSION };
    struct kvc_contract contract = { 0 };
    tree = kvc_read_keys(r, tree, CONTRACT_KEYS, KVC_COUNT_OF(CONTRACT_KEYS));
    kvc_read_word(r, tree, "contract_version", VERSIONS, 1);
    contract.name = kvc_read_name(r, tree, "name");
    contract.model = kvc_read_id(r, tree, "model", KVC_KIND_MODEL);
    contract.architecture_digest = kvc_read_digest(r, tree, "architecture_digest");
    read_cache(r, tree, &contract);
    read_allocator(r, tree, &contract);
    read_scheduler(r, tree, &contract);
    read_reservation(r, tree);
    read_parallel(r, reading, tree, &contract);
    read_pool(r, tree, &contract);
    read_non_cache(r, reading, tree, &contract);
    read_bounds(r, tree, &contract);
    read_owners(r, tree);
    read_prefix_sharing(r, tree, &contract);
    read_admission(r, tree);
    read_tolerances(r, tree);
    read_release_lag(r, tree);
    read_parentage(r, tree);
    *ret_contract = contract;
}
