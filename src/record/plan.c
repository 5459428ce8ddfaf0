/* plan.c - kv-capacity-plan: what is claimed, as a schema.  Declared in record.h.
 *
 * A plan that is read is never computed with: it is derived anew and compared.  So it is checked
 * member by member here, and kept as a tree. */

#include "record/record.h"

static const struct kvc_key HEAD_KEYS[] = {
    KVC_HEAD_KEYS,
    { "contract_version", false },
    { "claim", false },
    { "rules", false },
    { "model", false },
    { "contract", false },
    { "evidence", false },
    { "decision", false },
    { "requests", false },
    { "sequences", false },
    { "reserve_tokens", false },
};

static const struct kvc_key FIGURE_KEYS[] = {
    { "reserved_tokens", false }, { "raw_bytes", false },       { "required_bytes", false },
    { "available_bytes", false }, { "decided_by_rank", false }, { "ranks", false },
    { "cohorts", false },         { "prefixes", true },         { "slots", true },
};

static const char *const DECISIONS[] = { "FIT", "EXCEEDS_CAPACITY", "UNDETERMINED" };
enum { DECISION_UNDETERMINED = 2 };

static void read_all_n0(struct kvc_reader *r, const struct kvc_value *object,
                        const char *const *keys, size_t keys_count)
{
    for (size_t i = 0; i < keys_count; i++)
        kvc_read_n0(r, object, keys[i]);
}

static void read_group(struct kvc_reader *r, const struct kvc_value *value)
{
    static const struct kvc_key KEYS[] = {
        { "holds", false },       { "window_tokens", true },     { "compress_ratio", true },
        { "ahead_tokens", true }, { "slots_max", true },         { "block_tokens", false },
        { "layers", false },      { "bytes_per_token", false },  { "block_bytes", false },
        { "blocks", false },      { "pool_blocks_each", false },
    };
    static const char *const HOLDS[] = { "all", "window" };
    static const char *const NUMBERS[] = { "block_tokens", "layers", "bytes_per_token",
                                           "block_bytes",  "blocks", "pool_blocks_each" };
    const struct kvc_value *group = kvc_read_keys(r, value, KEYS, KVC_COUNT_OF(KEYS));
    bool is_window = kvc_read_word(r, group, "holds", HOLDS, 2) == 1;
    if (group == NULL)
        return;
    if (is_window)
        kvc_read_n1(r, group, "window_tokens");
    else if (kvc_has(group, "window_tokens"))
        kvc_refuse_member(r, KVC_RECORD_UNKNOWN_KEY, group, "window_tokens",
                          "a group that holds all has no window");
    if (kvc_has(group, "ahead_tokens") != kvc_has(group, "slots_max"))
        kvc_refuse(r, KVC_RECORD_MISSING_KEY, group, "ahead_tokens and slots_max stand together");
    if (kvc_has(group, "ahead_tokens")) {
        kvc_read_n1(r, group, "ahead_tokens");
        kvc_read_n1(r, group, "slots_max");
    }
    if (kvc_has(group, "compress_ratio"))
        kvc_read_dim(r, group, "compress_ratio");
    read_all_n0(r, group, NUMBERS, KVC_COUNT_OF(NUMBERS));
}

static void read_each(struct kvc_reader *r, const struct kvc_value *object, const char *key,
                      uint32_t least, void (*read)(struct kvc_reader *, const struct kvc_value *))
{
    const struct kvc_value *list = kvc_read_array(r, object, key, least, UINT32_MAX);
    if (list == NULL)
        return;
    for (const struct kvc_value *e = list->first; e != NULL && r->rc == KVCAP_OK; e = e->next)
        read(r, e);
}

static void read_rank(struct kvc_reader *r, const struct kvc_value *value)
{
    static const struct kvc_key KEYS[] = {
        { "count", false },          { "groups", false },
        { "non_cache", false },      { "state_bytes_per_sequence", false },
        { "raw_bytes", false },      { "required_bytes", false },
        { "device_bytes", false },   { "budget_bytes", false },
        { "reported_bytes", false }, { "available_bytes", false },
        { "pool_bytes", false },     { "pool_block_bytes", false },
        { "pool_blocks", false },    { "sequence_blocks_max", false },
        { "sequences_max", false },  { "free_bytes", true },
        { "short_bytes", true },
    };
    const struct kvc_value *rank = kvc_read_keys(r, value, KEYS, KVC_COUNT_OF(KEYS));
    if (rank == NULL)
        return;
    kvc_read_n1(r, rank, "count");
    read_each(r, rank, "groups", 0, read_group);
    struct kvc_key keys[KVC_NON_CACHE_COUNT];
    for (size_t i = 0; i < KVC_NON_CACHE_COUNT; i++)
        keys[i] = (struct kvc_key){ kvc_non_cache_name(i), false };
    const struct kvc_value *non_cache =
        kvc_read_object(r, rank, "non_cache", keys, KVC_NON_CACHE_COUNT);
    for (size_t i = 0; i < KVC_NON_CACHE_COUNT; i++)
        kvc_read_n0(r, non_cache, kvc_non_cache_name(i));
    for (size_t i = 3; i < KVC_COUNT_OF(KEYS); i++) {
        if (!KEYS[i].optional)
            kvc_read_n0(r, rank, KEYS[i].name);
    }
    bool has_free = kvc_has(rank, "free_bytes");
    if (has_free == kvc_has(rank, "short_bytes")) {
        kvc_refuse(r, has_free ? KVC_RECORD_UNKNOWN_KEY : KVC_RECORD_MISSING_KEY, rank,
                   "exactly one of free_bytes and short_bytes is due");
        return;
    }
    kvc_read_n0(r, rank, has_free ? "free_bytes" : "short_bytes");
}

static void read_cohort(struct kvc_reader *r, const struct kvc_value *value)
{
    static const struct kvc_key KEYS[] = {
        { "cohort", false },         { "requests", false },        { "sequences", false },
        { "reserve_tokens", false }, { "reserved_tokens", false }, { "raw_bytes", false },
    };
    const struct kvc_value *cohort = kvc_read_keys(r, value, KEYS, KVC_COUNT_OF(KEYS));
    kvc_read_name(r, cohort, "cohort");
    for (size_t i = 1; i < KVC_COUNT_OF(KEYS); i++)
        kvc_read_n0(r, cohort, KEYS[i].name);
}

static void read_undetermined(struct kvc_reader *r, const struct kvc_value *value)
{
    static const struct kvc_key KEYS[] = { { "layer", true },
                                           { "key", false },
                                           { "reason", false } };
    const struct kvc_value *entry = kvc_read_keys(r, value, KEYS, KVC_COUNT_OF(KEYS));
    if (kvc_has(entry, "layer"))
        kvc_read_n0(r, entry, "layer");
    kvc_read_name(r, entry, "key");
    kvc_read_name(r, entry, "reason");
}

static void read_figures(struct kvc_reader *r, const struct kvc_value *plan)
{
    static const char *const NUMBERS[] = { "raw_bytes", "required_bytes", "available_bytes",
                                           "decided_by_rank" };
    kvc_read_n1(r, plan, "reserved_tokens");
    read_all_n0(r, plan, NUMBERS, KVC_COUNT_OF(NUMBERS));
    read_each(r, plan, "ranks", 1, read_rank);
    read_each(r, plan, "cohorts", 1, read_cohort);
    if (kvc_has(plan, "prefixes"))
        kvc_read_n0(r, plan, "prefixes");
    if (kvc_has(plan, "slots"))
        kvc_read_n1(r, plan, "slots");
}

void kvc_plan_read(struct kvc_reader *r, const struct kvc_value *tree)
{
    static const char *const VERSIONS[] = { KVC_CONTRACT_VERSION };
    static const char *const CLAIMS[] = { KVC_CLAIM_OF_PLAN };
    size_t decision = kvc_read_word(r, tree, "decision", DECISIONS, KVC_COUNT_OF(DECISIONS));
    bool undetermined = decision == DECISION_UNDETERMINED;

    struct kvc_key keys[KVC_COUNT_OF(HEAD_KEYS) + KVC_COUNT_OF(FIGURE_KEYS)];
    size_t count = 0;
    for (size_t i = 0; i < KVC_COUNT_OF(HEAD_KEYS); i++)
        keys[count++] = HEAD_KEYS[i];
    for (size_t i = 0; i < KVC_COUNT_OF(FIGURE_KEYS) && !undetermined; i++)
        keys[count++] = FIGURE_KEYS[i];
    if (undetermined)
        keys[count++] = (struct kvc_key){ "undetermined", false };
    const struct kvc_value *plan = kvc_read_keys(r, tree, keys, count);

    kvc_read_word(r, plan, "contract_version", VERSIONS, 1);
    kvc_read_word(r, plan, "claim", CLAIMS, 1);
    kvc_read_name(r, plan, "rules");
    kvc_read_id(r, plan, "model", KVC_KIND_MODEL);
    kvc_read_id(r, plan, "contract", KVC_KIND_CONTRACT);
    kvc_read_id(r, plan, "evidence", KVC_KIND_EVIDENCE);
    kvc_read_n1(r, plan, "requests");
    kvc_read_n1(r, plan, "sequences");
    kvc_read_n1(r, plan, "reserve_tokens");
    if (undetermined)
        read_each(r, plan, "undetermined", 1, read_undetermined);
    else
        read_figures(r, plan);
}
