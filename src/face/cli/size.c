/* size.c - the verb size: layers * row bytes * tokens * sequences, and no more. */

#include "base/unit.h"
#include "bytes/blocks.h"
#include "bytes/elem.h"
#include "face/cli/verbs.h"

struct question {
    uint64_t layers, kv_heads, key_dim, value_dim, tokens, sequences, block_tokens;
    struct kvc_cache cache;
};

struct answer {
    uint64_t token_bytes, sequence_bytes, total_bytes;
};

static kvcap_code dims(const struct kvc_call *call, struct question *q, kvcap_error *err)
{
    kvcap_code rc = kvc_count_flag(call, "head-dim", 1, KVC_DIM_MAX, &q->key_dim, err);
    q->value_dim = q->key_dim;
    if (rc == KVCAP_OK)
        rc = kvc_count_flag(call, "key-dim", 1, KVC_DIM_MAX, &q->key_dim, err);
    if (rc == KVCAP_OK)
        rc = kvc_count_flag(call, "value-dim", 1, KVC_DIM_MAX, &q->value_dim, err);
    if (rc == KVCAP_OK && (q->key_dim == 0 || q->value_dim == 0))
        rc = kvc_need_flag(call, "head-dim", err);
    return rc;
}

static kvcap_code ask(const struct kvc_call *call, struct question *q, kvcap_error *err)
{
    static const char *const NEEDED[] = { "layers", "kv-heads", "tokens" };
    *q = (struct question){ .sequences = 1,
                            .block_tokens = 1,
                            .cache = { KVC_FORMAT_F16, KVC_FORMAT_F16, KVC_FORMAT_F16, 0 } };
    kvcap_code rc = KVCAP_OK;
    for (size_t i = 0; i < 3 && rc == KVCAP_OK; i++)
        rc = kvc_need_flag(call, NEEDED[i], err);
    if (rc == KVCAP_OK)
        rc = kvc_count_flag(call, "layers", 1, KVC_DIM_MAX, &q->layers, err);
    if (rc == KVCAP_OK)
        rc = kvc_count_flag(call, "kv-heads", 1, KVC_DIM_MAX, &q->kv_heads, err);
    if (rc == KVCAP_OK)
        rc = dims(call, q, err);
    if (rc == KVCAP_OK)
        rc = kvc_count_flag(call, "tokens", 1, KVC_SAFE_MAX, &q->tokens, err);
    if (rc == KVCAP_OK)
        rc = kvc_count_flag(call, "sequences", 1, KVC_SAFE_MAX, &q->sequences, err);
    if (rc == KVCAP_OK)
        rc = kvc_count_flag(call, "block-tokens", 1, KVC_SAFE_MAX, &q->block_tokens, err);
    return rc == KVCAP_OK ? kvc_cache_flags(call, &q->cache, err) : rc;
}

static kvcap_code take(struct ck number, const char *what, uint64_t *ret_number, kvcap_error *err)
{
    if (!ck_is_safe(number))
        return kvc_fail(err, KVC_RANGE_OVERFLOW, what, "%s is past 2^53-1", what);
    *ret_number = number.value;
    return KVCAP_OK;
}

static kvcap_code solve(const struct question *q, struct answer *a, kvcap_error *err)
{
    struct kvc_state layer = { .kind = KVC_STATE_KV,
                               .kv_heads = (uint32_t)q->kv_heads,
                               .key_dim = (uint32_t)q->key_dim,
                               .value_dim = (uint32_t)q->value_dim };
    struct kvc_block_rule rule = { .block_tokens = q->block_tokens,
                                   .window_tokens = KVC_WINDOW_NONE };
    struct kvc_weight weight = { 0 };
    kvcap_code rc = kvc_state_weight(&layer, &q->cache, 1, &weight, err);
    if (rc != KVCAP_OK)
        return rc;
    struct ck token = ck_mul(ck_u64(q->layers), ck_u64(weight.token_bytes));
    struct ck rounded = ck_mul(kvc_blocks_of_sequence(&rule, q->tokens), ck_u64(q->block_tokens));
    struct ck sequence = ck_mul(token, rounded);
    rc = take(token, "bytes_per_token", &a->token_bytes, err);
    if (rc == KVCAP_OK)
        rc = take(sequence, "bytes_per_sequence", &a->sequence_bytes, err);
    if (rc == KVCAP_OK)
        rc = take(ck_mul(sequence, ck_u64(q->sequences)), "bytes_total", &a->total_bytes, err);
    return rc;
}

static void print_row(const char *name, uint64_t bytes)
{
    char thousands[KVC_UNIT_ROOM], exact[KVC_UNIT_ROOM];
    kvc_unit_thousands(bytes, thousands);
    kvc_unit_exact(bytes, exact);
    printf("%-20s %22s   %s\n", name, thousands, exact);
}

static void print_explained(const struct question *q)
{
    printf("\nbytes_per_token    = layers %llu * (row of K + row of V)\n"
           "  row of K         = %llu heads * %llu elements as %s\n"
           "  row of V         = %llu heads * %llu elements as %s\n"
           "bytes_per_sequence = bytes_per_token * %llu tokens, rounded up to blocks of %llu\n"
           "bytes_total        = bytes_per_sequence * %llu sequences\n",
           (unsigned long long)q->layers, (unsigned long long)q->kv_heads,
           (unsigned long long)q->key_dim, kvc_format_name(q->cache.k),
           (unsigned long long)q->kv_heads, (unsigned long long)q->value_dim,
           kvc_format_name(q->cache.v), (unsigned long long)q->tokens,
           (unsigned long long)q->block_tokens, (unsigned long long)q->sequences);
}

int kvc_verb_size(const struct kvc_call *call)
{
    struct question q;
    struct answer a = { 0 };
    kvcap_error error;
    kvcap_code rc = ask(call, &q, &error);
    if (rc == KVCAP_OK)
        rc = solve(&q, &a, &error);
    if (rc != KVCAP_OK)
        return kvc_refused(call, &error);
    if (call->json) {
        printf("{\"bytes_per_sequence\":%llu,\"bytes_per_token\":%llu,\"bytes_total\":%llu}\n",
               (unsigned long long)a.sequence_bytes, (unsigned long long)a.token_bytes,
               (unsigned long long)a.total_bytes);
        return KVC_EXIT_YES;
    }
    kvc_tell_count(call, "tokens", q.tokens);
    print_row("bytes_per_token", a.token_bytes);
    print_row("bytes_per_sequence", a.sequence_bytes);
    print_row("bytes_total", a.total_bytes);
    if (kvc_given(call, "explain"))
        print_explained(&q);
    return KVC_EXIT_YES;
}
