/* slow_planner.h - the arithmetic of a plan once more, written from doc/records.md alone.
 *
 * In:     a model, a contract and a window in structs of its own.
 * Out:    the three records as drafts; the plan that they must make, or the refusals that are due.
 *
 * It is too simple to be wrong: it looks at every rank, every layer and every token, one by one, and
 * shares no code and no struct with src/.  Only the words of records are the same.
 */
#ifndef KVC_TEST_SLOW_PLANNER_H
#define KVC_TEST_SLOW_PLANNER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "support/chance.h"

enum slow_kind {
    SLOW_KV,
    SLOW_KV_WINDOW,
    SLOW_LATENT,
    SLOW_INDEX,
    SLOW_RECURRENT,
    SLOW_SHARED,
    SLOW_NONE,
    SLOW_UNKNOWN,
    SLOW_CROSS,
};

struct slow_state {
    enum slow_kind kind;
    uint64_t kv_heads, key_dim, value_dim; /* value_dim of an index may be 0: absent */
    uint64_t window_tokens;                /* of a latent may be 0: absent */
    bool chunked;
    uint64_t latent_dim, rope_dim; /* rope_dim may be 0: absent */
    uint64_t ratio;                /* 0: absent */
    uint64_t index_dim;
    bool fp8_index;
    unsigned rule; /* of the table in slow_planner.c */
    uint64_t dims[6];
    int conv_format, state_format; /* of the table of formats; -1: the model's dtype */
    uint64_t layer;
};

struct slow_type {
    struct slow_state states[4];
    unsigned states_count;
};

enum { SLOW_LAYERS = 16, SLOW_RANKS = 16, SLOW_REQUESTS = 12, SLOW_NON_CACHE = 6 };

enum slow_form { SLOW_BYTES, SLOW_BY_RANK, SLOW_BPS };

struct slow_non_cache {
    enum slow_form form;
    uint64_t amount, by_rank[SLOW_RANKS];
};

struct slow_request {
    unsigned number; /* its request_id */
    unsigned cohort, tenant;
    uint64_t prompt_tokens, max_output_tokens, sequences;
    unsigned prefix; /* 0: none */
    uint64_t prefix_tokens;
};

struct slow_case {
    struct slow_type layers[SLOW_LAYERS];
    unsigned layers_count;
    int dtype, cache_k, cache_v; /* of the table of formats */
    uint64_t latent_token_bytes; /* with fp8_ds_mla, whose number is SLOW_DS_MLA */
    uint64_t block_tokens, overhead_bps, device_bytes;
    unsigned tp, pp;
    uint64_t pp_layers[SLOW_RANKS];
    bool lists_pp_layers;
    struct slow_non_cache non_cache[SLOW_NON_CACHE];
    uint64_t sequence_tokens_max, window_bytes_max;
    bool counts_prefixes;
    uint64_t reported[SLOW_RANKS];
    struct slow_request requests[SLOW_REQUESTS];
    unsigned requests_count;
};

#define SLOW_DS_MLA 15 /* the format that is a whole token */

/* A case by chance; most of them can be planned. */
void slow_draw(struct chance *chance, struct slow_case *ret_case);

/* Drafts.  Ids are of what is named. */
void slow_write_model(const struct slow_case *slow, FILE *out);
void slow_write_contract(const struct slow_case *slow, const char *model_id, FILE *out);
void slow_write_evidence(const struct slow_case *slow, const char *contract_id, FILE *out);

/* The slugs for which the plan of this case may be refused, spaces around each; "" when it must be
 * made. */
const char *slow_refusals(const struct slow_case *slow);

/* The plan's members, without kind, version and the ids; `undetermined` without key and reason.
 * Free it with json_decref. */
json_t *slow_plan(const struct slow_case *slow);

/* What a rank requires, before it is held against anything. */
uint64_t slow_required_bytes(const struct slow_case *slow, unsigned rank);
uint64_t slow_budget_bytes(const struct slow_case *slow, unsigned rank);

#endif /* KVC_TEST_SLOW_PLANNER_H */
