/* slow_planner.c - see slow_planner.h. */

#include "support/slow_planner.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

/* ---- The tables of doc/records.md. */

struct slow_format {
    const char *name;
    uint64_t elements, bytes, head_bytes;
};

static const struct slow_format FORMATS[] = {
    { "f32", 1, 4, 0 },
    { "f16", 1, 2, 0 },
    { "bf16", 1, 2, 0 },
    { "fp8_e4m3", 1, 1, 0 },
    { "fp8_e5m2", 1, 1, 0 },
    { "q8_0", 32, 34, 0 },
    { "q5_1", 32, 24, 0 },
    { "q5_0", 32, 22, 0 },
    { "q4_1", 32, 20, 0 },
    { "q4_0", 32, 18, 0 },
    { "iq4_nl", 32, 18, 0 },
    { "nvfp4", 16, 9, 0 },
    { "int8_token_head", 1, 1, 4 },
    { "fp8_token_head", 1, 1, 4 },
    { "int4_token_head", 2, 1, 4 },
    { "fp8_ds_mla", 0, 0, 0 },
};
enum { FORMATS_PLAIN = 5, FORMATS_ELEMENTS = 12, FORMATS_ROWS = 15 };

struct slow_rule {
    const char *name;
    const char *fields[6];
    bool conv, state;
};

enum { PLAIN, MAMBA1, MAMBA2, GATED, KDA, LINEAR, SHORT_CONV, RWKV, RULES };

static const struct slow_rule RULE_ROWS[] = {
    [PLAIN] = { "plain", { "conv_elements", "state_elements" }, true, true },
    [MAMBA1] = { "mamba1", { "conv_kernel", "inner_dim", "state_dim" }, true, true },
    [MAMBA2] = { "mamba2",
                 { "conv_kernel", "inner_dim", "groups", "state_dim", "heads", "head_dim" },
                 true,
                 true },
    [GATED] = { "gated_delta_net",
                { "conv_kernel", "key_heads", "key_dim", "value_heads", "value_dim" },
                true,
                true },
    [KDA] = { "kda", { "conv_kernel", "heads", "head_dim" }, true, true },
    [LINEAR] = { "linear", { "heads", "head_dim" }, false, true },
    [SHORT_CONV] = { "short_conv", { "conv_kernel", "inner_dim" }, true, false },
    [RWKV] = { "rwkv", { "shift_count", "inner_dim", "head_size" }, true, true },
};

static const char *const NON_CACHE[SLOW_NON_CACHE] = { "weights", "workspaces", "buffers",
                                                       "graphs",  "monitoring", "headroom" };

/* ---- Refusals, gathered. */

struct verdict {
    char *slugs; /* NULL: nobody asks */
};

static void refuse(struct verdict *verdict, const char *slug)
{
    if (verdict->slugs != NULL && strstr(verdict->slugs, slug) == NULL)
        strcat(strcat(verdict->slugs, slug), " ");
}

/* ---- What a state weighs on one tensor rank. */

static uint64_t row_bytes(int format, uint64_t heads, uint64_t dim, struct verdict *verdict)
{
    const struct slow_format *f = &FORMATS[format];
    if (f->elements == 0) {
        refuse(verdict, " contract.format_not_for_state");
        return 0;
    }
    if (heads * dim % f->elements != 0) {
        refuse(verdict, " contract.format_does_not_divide");
        return 0;
    }
    return heads * dim / f->elements * f->bytes + heads * f->head_bytes;
}

static uint64_t heads_on_rank(uint64_t kv_heads, uint64_t tp, struct verdict *verdict)
{
    if (kv_heads % tp == 0)
        return kv_heads / tp;
    if (tp % kv_heads == 0)
        return 1;
    refuse(verdict, " contract.tp_does_not_divide");
    return 1;
}

static uint64_t latent_bytes(const struct slow_case *slow, const struct slow_state *state,
                             struct verdict *verdict)
{
    if (slow->cache_k != SLOW_DS_MLA)
        return row_bytes(slow->cache_k, 1, state->latent_dim + state->rope_dim, verdict);
    if (state->rope_dim == 64 && state->latent_dim == 512)
        return 656;
    if (state->rope_dim == 64 && state->latent_dim == 448)
        return 584;
    refuse(verdict, " contract.format_not_for_state");
    return 0;
}

static uint64_t index_bytes(const struct slow_case *slow, const struct slow_state *state,
                            struct verdict *verdict)
{
    uint64_t bytes = state->fp8_index ? state->index_dim + 4 * ((state->index_dim + 127) / 128)
                                      : row_bytes(slow->cache_k, 1, state->index_dim, verdict);
    if (state->value_dim > 0)
        bytes += row_bytes(slow->cache_v, 1, state->value_dim, verdict);
    return bytes;
}

static uint64_t token_bytes(const struct slow_case *slow, const struct slow_state *state,
                            struct verdict *verdict)
{
    switch (state->kind) {
    case SLOW_KV:
    case SLOW_KV_WINDOW: {
        uint64_t heads = heads_on_rank(state->kv_heads, slow->tp, verdict);
        return row_bytes(slow->cache_k, heads, state->key_dim, verdict) +
               row_bytes(slow->cache_v, heads, state->value_dim, verdict);
    }
    case SLOW_LATENT:
        return latent_bytes(slow, state, verdict);
    case SLOW_INDEX:
        return index_bytes(slow, state, verdict);
    default:
        return 0;
    }
}

static uint64_t part(uint64_t whole, uint64_t tp, struct verdict *verdict)
{
    if (whole % tp != 0)
        refuse(verdict, " contract.tp_does_not_divide");
    return whole / tp;
}

static uint64_t elements_bytes(int format, int dtype, uint64_t elements, struct verdict *verdict)
{
    const struct slow_format *f = &FORMATS[format < 0 ? dtype : format];
    if (elements % f->elements != 0)
        refuse(verdict, " contract.format_does_not_divide");
    return elements / f->elements * f->bytes;
}

static uint64_t state_bytes(const struct slow_case *slow, const struct slow_state *state,
                            struct verdict *verdict)
{
    const uint64_t *n = state->dims, t = slow->tp;
    uint64_t conv = 0, kept = 0;
    if (state->kind != SLOW_RECURRENT)
        return 0;
    switch (state->rule) {
    case PLAIN:
        conv = part(n[0], t, verdict);
        kept = part(n[1], t, verdict);
        break;
    case MAMBA1: /* (k-1) I/t; I/t N */
        conv = (n[0] - 1) * part(n[1], t, verdict);
        kept = part(n[1], t, verdict) * n[2];
        break;
    case MAMBA2: { /* (k-1) (I + 2 g' N)/t; h/t d N */
        uint64_t groups = n[2] % t == 0 ? n[2] : t;
        conv = (n[0] - 1) * part(n[1] + 2 * groups * n[3], t, verdict);
        kept = part(n[4], t, verdict) * n[5] * n[3];
        break;
    }
    case GATED: /* (k-1) (2 Hk Dk + Hv Dv)/t; Hv/t Dv Dk */
        conv = (n[0] - 1) * part(2 * n[1] * n[2] + n[3] * n[4], t, verdict);
        kept = part(n[3], t, verdict) * n[4] * n[2];
        break;
    case KDA: /* (k-1) 3 h d/t; h/t d d */
        conv = (n[0] - 1) * 3 * part(n[1], t, verdict) * n[2];
        kept = part(n[1], t, verdict) * n[2] * n[2];
        break;
    case LINEAR:
        kept = part(n[0], t, verdict) * n[1] * n[1];
        break;
    case SHORT_CONV:
        conv = (n[0] - 1) * part(n[1], t, verdict);
        break;
    case RWKV: /* not divided */
        conv = n[0] * n[1];
        kept = n[1] * n[2];
        break;
    }
    uint64_t bytes = 0;
    if (RULE_ROWS[state->rule].conv)
        bytes += elements_bytes(state->conv_format, slow->dtype, conv, verdict);
    if (RULE_ROWS[state->rule].state)
        bytes += elements_bytes(state->state_format, slow->dtype, kept, verdict);
    return bytes;
}

/* ---- Blocks, token by token. */

static uint64_t blocks_touched(uint64_t first, uint64_t tokens, uint64_t block_tokens)
{
    uint64_t blocks = 0, last = UINT64_MAX;
    for (uint64_t token = first; token < first + tokens; token++) {
        blocks += token / block_tokens != last;
        last = token / block_tokens;
    }
    return blocks;
}

/* Window 0 never forgets.  Otherwise the worst moment while the sequence grows to its length. */
static uint64_t blocks_of(uint64_t tokens, uint64_t window, uint64_t block_tokens)
{
    uint64_t most = 0;
    if (window == 0 || tokens <= window)
        return blocks_touched(0, tokens, block_tokens);
    for (uint64_t first = 0; first + window <= tokens; first++) {
        uint64_t blocks = blocks_touched(first, window, block_tokens);
        most = blocks > most ? blocks : most;
    }
    return most;
}

/* ---- The groups of a rank. */

struct slow_group {
    uint64_t window, ratio, layers, bytes_per_token, block_bytes;
};

struct slow_rank {
    struct slow_group groups[4 * SLOW_LAYERS];
    unsigned groups_count;
    uint64_t state_bytes;
    uint64_t non_cache[SLOW_NON_CACHE];
};

static bool grows(const struct slow_state *state)
{
    return state->kind == SLOW_KV || state->kind == SLOW_KV_WINDOW || state->kind == SLOW_LATENT ||
           state->kind == SLOW_INDEX;
}

static struct slow_group *group_with(struct slow_rank *rank, const struct slow_state *state)
{
    uint64_t ratio = state->ratio == 0 ? 1 : state->ratio;
    for (unsigned i = 0; i < rank->groups_count; i++) {
        if (rank->groups[i].window == state->window_tokens && rank->groups[i].ratio == ratio)
            return &rank->groups[i];
    }
    struct slow_group *group = &rank->groups[rank->groups_count++];
    *group = (struct slow_group){ .window = state->window_tokens, .ratio = ratio };
    return group;
}

static void add_layer(const struct slow_case *slow, const struct slow_type *type,
                      struct slow_rank *rank, struct verdict *verdict)
{
    bool counted[4 * SLOW_LAYERS] = { false };
    for (unsigned i = 0; i < type->states_count; i++) {
        const struct slow_state *state = &type->states[i];
        rank->state_bytes += state_bytes(slow, state, verdict);
        if (!grows(state))
            continue;
        struct slow_group *group = group_with(rank, state);
        if (slow->block_tokens % group->ratio != 0)
            refuse(verdict, " contract.block_does_not_divide");
        group->bytes_per_token += token_bytes(slow, state, verdict);
        group->layers += !counted[group - rank->groups];
        counted[group - rank->groups] = true;
    }
}

static unsigned stage_of_layer(const struct slow_case *slow, unsigned layer)
{
    if (!slow->lists_pp_layers)
        return layer / (slow->layers_count / slow->pp);
    unsigned stage = 0;
    for (uint64_t end = slow->pp_layers[0]; layer >= end; end += slow->pp_layers[stage])
        stage++;
    return stage;
}

static uint64_t term_bytes(const struct slow_case *slow, const struct slow_non_cache *term,
                           unsigned rank)
{
    if (term->form == SLOW_BY_RANK)
        return term->by_rank[rank];
    if (term->form == SLOW_BYTES)
        return term->amount;
    return (uint64_t)(((wide)slow->device_bytes * term->amount + 9999) / 10000);
}

static struct slow_rank look_at(const struct slow_case *slow, unsigned number,
                                struct verdict *verdict)
{
    struct slow_rank rank = { .groups_count = 0 };
    for (unsigned layer = 0; layer < slow->layers_count; layer++) {
        if (stage_of_layer(slow, layer) == number / slow->tp)
            add_layer(slow, &slow->layers[layer], &rank, verdict);
    }
    for (unsigned i = 0; i < rank.groups_count; i++)
        rank.groups[i].block_bytes =
            slow->block_tokens / rank.groups[i].ratio * rank.groups[i].bytes_per_token;
    for (unsigned i = 0; i < SLOW_NON_CACHE; i++)
        rank.non_cache[i] = term_bytes(slow, &slow->non_cache[i], number);
    if (rank.groups_count == 0 && rank.state_bytes == 0)
        refuse(verdict, " contract.nothing_held");
    return rank;
}

uint64_t slow_budget_bytes(const struct slow_case *slow, unsigned number)
{
    uint64_t left = slow->device_bytes;
    for (unsigned i = 0; i < SLOW_NON_CACHE; i++) {
        uint64_t term = term_bytes(slow, &slow->non_cache[i], number);
        left = term > left ? 0 : left - term;
    }
    return left;
}

static bool leaves_something(const struct slow_case *slow, unsigned number)
{
    wide sum = 0;
    for (unsigned i = 0; i < SLOW_NON_CACHE; i++)
        sum += term_bytes(slow, &slow->non_cache[i], number);
    return sum <= slow->device_bytes;
}

/* ---- What the requests hold. */

static bool first_with_prefix(const struct slow_case *slow, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (slow->requests[i].prefix == slow->requests[n].prefix &&
            slow->requests[i].tenant == slow->requests[n].tenant)
            return false;
    }
    return true;
}

/* Blocks of request n: those of each sequence that are its own, and the prefix's by the first. */
static uint64_t blocks_of_request(const struct slow_case *slow, unsigned n, uint64_t window)
{
    const struct slow_request *request = &slow->requests[n];
    uint64_t tokens = request->prompt_tokens + request->max_output_tokens;
    uint64_t blocks = blocks_of(tokens, window, slow->block_tokens);
    if (window != 0 || !slow->counts_prefixes || request->prefix == 0)
        return request->sequences * blocks;
    uint64_t own = 0, common = 0;
    for (uint64_t block = 0; block < blocks; block++) {
        bool within = (block + 1) * slow->block_tokens <= request->prefix_tokens;
        own += !within;
        common += within;
    }
    return request->sequences * own + (first_with_prefix(slow, n) ? common : 0);
}

static uint64_t raw_of_request(const struct slow_case *slow, unsigned n,
                               const struct slow_rank *rank)
{
    uint64_t raw = slow->requests[n].sequences * rank->state_bytes;
    for (unsigned i = 0; i < rank->groups_count; i++)
        raw += blocks_of_request(slow, n, rank->groups[i].window) * rank->groups[i].block_bytes;
    return raw;
}

static uint64_t raw_of_rank(const struct slow_case *slow, const struct slow_rank *rank)
{
    uint64_t raw = 0;
    for (unsigned n = 0; n < slow->requests_count; n++)
        raw += raw_of_request(slow, n, rank);
    return raw;
}

static uint64_t with_overhead(const struct slow_case *slow, uint64_t raw)
{
    return (uint64_t)(((wide)raw * (10000 + slow->overhead_bps) + 9999) / 10000);
}

uint64_t slow_required_bytes(const struct slow_case *slow, unsigned number)
{
    struct verdict nobody = { NULL };
    struct slow_rank rank = look_at(slow, number, &nobody);
    return with_overhead(slow, raw_of_rank(slow, &rank));
}

static uint64_t available_bytes(const struct slow_case *slow, unsigned number)
{
    uint64_t budget = slow_budget_bytes(slow, number);
    return slow->reported[number] < budget ? slow->reported[number] : budget;
}

/* ---- Refusals of the whole. */

static bool stops(const struct slow_state *state)
{
    return state->kind == SLOW_UNKNOWN || state->kind == SLOW_CROSS;
}

static bool is_undetermined(const struct slow_case *slow)
{
    for (unsigned i = 0; i < slow->layers_count; i++) {
        for (unsigned j = 0; j < slow->layers[i].states_count; j++) {
            if (stops(&slow->layers[i].states[j]))
                return true;
        }
    }
    return false;
}

static bool stages_add_up(const struct slow_case *slow)
{
    uint64_t sum = 0;
    if (!slow->lists_pp_layers)
        return slow->layers_count % slow->pp == 0;
    for (unsigned i = 0; i < slow->pp; i++)
        sum += slow->pp_layers[i];
    return sum == slow->layers_count;
}

static void refuse_requests(const struct slow_case *slow, struct verdict *verdict)
{
    for (unsigned n = 0; n < slow->requests_count; n++) {
        const struct slow_request *request = &slow->requests[n];
        if (request->prompt_tokens + request->max_output_tokens > slow->sequence_tokens_max)
            refuse(verdict, " evidence.past_bound");
        for (unsigned i = 0; i < n && slow->counts_prefixes && request->prefix != 0; i++) {
            if (slow->requests[i].prefix == request->prefix &&
                slow->requests[i].tenant == request->tenant &&
                slow->requests[i].prefix_tokens != request->prefix_tokens)
                refuse(verdict, " evidence.prefix_disagrees");
        }
    }
}

const char *slow_refusals(const struct slow_case *slow)
{
    static char slugs[512];
    struct verdict verdict = { slugs };
    unsigned ranks = slow->tp * slow->pp;
    uint64_t required = 0;
    slugs[0] = '\0';
    for (unsigned rank = 0; rank < ranks; rank++) {
        if (!leaves_something(slow, rank))
            refuse(&verdict, " contract.no_cache_left");
        else if (slow->reported[rank] > slow_budget_bytes(slow, rank))
            refuse(&verdict, " evidence.capacity_above_contract");
    }
    refuse_requests(slow, &verdict);
    if (is_undetermined(slow))
        return slugs;
    if (!stages_add_up(slow)) {
        refuse(&verdict, " contract.pp_layers");
        return slugs;
    }
    for (unsigned rank = 0; rank < ranks; rank++)
        (void)look_at(slow, rank, &verdict);
    for (unsigned rank = 0; rank < ranks && slugs[0] == '\0'; rank++)
        required += slow_required_bytes(slow, rank);
    if (required > slow->window_bytes_max)
        refuse(&verdict, " plan.past_bound");
    return slugs;
}

/* ---- The plan. */

static void put(json_t *object, const char *key, uint64_t value)
{
    json_object_set_new(object, key, json_integer((json_int_t)value));
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

static json_t *plan_group(const struct slow_case *slow, const struct slow_group *group,
                          uint64_t pool_block_bytes)
{
    json_t *object = json_object();
    uint64_t blocks = 0;
    for (unsigned n = 0; n < slow->requests_count; n++)
        blocks += blocks_of_request(slow, n, group->window);
    json_object_set_new(object, "holds", json_string(group->window == 0 ? "all" : "window"));
    if (group->window != 0)
        put(object, "window_tokens", group->window);
    if (group->ratio > 1)
        put(object, "compress_ratio", group->ratio);
    put(object, "block_tokens", slow->block_tokens);
    put(object, "layers", group->layers);
    put(object, "bytes_per_token", group->bytes_per_token);
    put(object, "block_bytes", group->block_bytes);
    put(object, "blocks", blocks);
    put(object, "pool_blocks_each", group->block_bytes / pool_block_bytes);
    return object;
}

/* The members that follow from what is available and what the pool is cut into. */
static void put_pool(const struct slow_case *slow, const struct slow_rank *rank,
                     uint64_t pool_block_bytes, uint64_t available, json_t *object)
{
    uint64_t pool = (uint64_t)((wide)available * 10000 / (10000 + slow->overhead_bps));
    uint64_t longest = rank->state_bytes / pool_block_bytes;
    for (unsigned i = 0; i < rank->groups_count; i++)
        longest +=
            blocks_of(slow->sequence_tokens_max, rank->groups[i].window, slow->block_tokens) *
            (rank->groups[i].block_bytes / pool_block_bytes);
    put(object, "pool_bytes", pool);
    put(object, "pool_block_bytes", pool_block_bytes);
    put(object, "pool_blocks", pool / pool_block_bytes);
    put(object, "sequence_blocks_max", longest);
    put(object, "sequences_max", pool / pool_block_bytes / longest);
}

static json_t *plan_rank(const struct slow_case *slow, unsigned number)
{
    struct verdict nobody = { NULL };
    struct slow_rank rank = look_at(slow, number, &nobody);
    uint64_t raw = raw_of_rank(slow, &rank), required = with_overhead(slow, raw);
    uint64_t available = available_bytes(slow, number);
    uint64_t pool_block_bytes = rank.state_bytes;
    json_t *object = json_object(), *groups = json_array(), *non_cache = json_object();
    for (unsigned i = 0; i < rank.groups_count; i++)
        pool_block_bytes = common_divisor(pool_block_bytes, rank.groups[i].block_bytes);
    for (unsigned i = 0; i < rank.groups_count; i++)
        json_array_append_new(groups, plan_group(slow, &rank.groups[i], pool_block_bytes));
    for (unsigned i = 0; i < SLOW_NON_CACHE; i++)
        put(non_cache, NON_CACHE[i], rank.non_cache[i]);
    json_object_set_new(object, "groups", groups);
    json_object_set_new(object, "non_cache", non_cache);
    put(object, "state_bytes_per_sequence", rank.state_bytes);
    put(object, "raw_bytes", raw);
    put(object, "required_bytes", required);
    put(object, "device_bytes", slow->device_bytes);
    put(object, "budget_bytes", slow_budget_bytes(slow, number));
    put(object, "reported_bytes", slow->reported[number]);
    put(object, "available_bytes", available);
    put_pool(slow, &rank, pool_block_bytes, available, object);
    put(object, required <= available ? "free_bytes" : "short_bytes",
        required <= available ? available - required : required - available);
    return object;
}

/* Neighbours that are alike become one entry with a count. */
static json_t *plan_ranks(const struct slow_case *slow)
{
    json_t *list = json_array(), *before = NULL;
    unsigned count = 0;
    for (unsigned number = 0; number < slow->tp * slow->pp; number++) {
        json_t *rank = plan_rank(slow, number);
        if (before != NULL && json_equal(before, rank)) {
            json_decref(rank);
        } else {
            if (before != NULL) {
                put(before, "count", count);
                json_array_append_new(list, before);
            }
            before = rank;
            count = 0;
        }
        count++;
    }
    put(before, "count", count);
    json_array_append_new(list, before);
    return list;
}

/* Where no rank has a group that holds all tokens, nothing of a prefix is shared. */
static uint64_t reserved_blocks_of_request(const struct slow_case *slow, unsigned n)
{
    const struct slow_request *request = &slow->requests[n];
    struct verdict nobody = { NULL };
    for (unsigned number = 0; number < slow->tp * slow->pp; number++) {
        struct slow_rank rank = look_at(slow, number, &nobody);
        for (unsigned i = 0; i < rank.groups_count; i++) {
            if (rank.groups[i].window == 0)
                return blocks_of_request(slow, n, 0);
        }
    }
    uint64_t tokens = request->prompt_tokens + request->max_output_tokens;
    return request->sequences * blocks_of(tokens, 0, slow->block_tokens);
}

static json_t *plan_cohort(const struct slow_case *slow, unsigned cohort)
{
    uint64_t requests = 0, sequences = 0, reserve = 0, blocks = 0, raw = 0;
    struct verdict nobody = { NULL };
    for (unsigned n = 0; n < slow->requests_count; n++) {
        const struct slow_request *request = &slow->requests[n];
        if (request->cohort != cohort)
            continue;
        requests++;
        sequences += request->sequences;
        reserve += request->sequences * (request->prompt_tokens + request->max_output_tokens);
        blocks += reserved_blocks_of_request(slow, n);
        for (unsigned number = 0; number < slow->tp * slow->pp; number++) {
            struct slow_rank rank = look_at(slow, number, &nobody);
            raw += raw_of_request(slow, n, &rank);
        }
    }
    if (requests == 0)
        return NULL;
    char name[24];
    snprintf(name, sizeof name, "cohort-%c", 'a' + (int)cohort);
    json_t *object = json_pack("{s:s}", "cohort", name);
    put(object, "requests", requests);
    put(object, "sequences", sequences);
    put(object, "reserve_tokens", reserve);
    put(object, "reserved_tokens", blocks * slow->block_tokens);
    put(object, "raw_bytes", raw);
    return object;
}

static json_t *plan_undetermined(const struct slow_case *slow)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < slow->layers_count; i++) {
        for (unsigned j = 0; j < slow->layers[i].states_count; j++) {
            if (stops(&slow->layers[i].states[j]))
                json_array_append_new(list, json_pack("{s:i}", "layer", (int)i));
        }
    }
    return list;
}

static void put_decision(const struct slow_case *slow, json_t *plan)
{
    unsigned decided_by = 0;
    int64_t least = INT64_MAX;
    for (unsigned number = 0; number < slow->tp * slow->pp; number++) {
        int64_t slack =
            (int64_t)available_bytes(slow, number) - (int64_t)slow_required_bytes(slow, number);
        if (slack < least) {
            least = slack;
            decided_by = number;
        }
    }
    put(plan, "decided_by_rank", decided_by);
    json_object_set_new(plan, "decision", json_string(least >= 0 ? "FIT" : "EXCEEDS_CAPACITY"));
}

static void put_figures(const struct slow_case *slow, json_t *plan)
{
    struct verdict nobody = { NULL };
    uint64_t raw = 0, required = 0, available = 0, blocks = 0, prefixes = 0;
    json_t *cohorts = json_array();
    for (unsigned number = 0; number < slow->tp * slow->pp; number++) {
        struct slow_rank rank = look_at(slow, number, &nobody);
        raw += raw_of_rank(slow, &rank);
        required += slow_required_bytes(slow, number);
        available += available_bytes(slow, number);
    }
    for (unsigned n = 0; n < slow->requests_count; n++) {
        blocks += reserved_blocks_of_request(slow, n);
        prefixes += slow->requests[n].prefix != 0 && first_with_prefix(slow, n);
    }
    for (unsigned cohort = 0; cohort < 26; cohort++) {
        json_t *object = plan_cohort(slow, cohort);
        if (object != NULL)
            json_array_append_new(cohorts, object);
    }
    put(plan, "reserved_tokens", blocks * slow->block_tokens);
    put(plan, "raw_bytes", raw);
    put(plan, "required_bytes", required);
    put(plan, "available_bytes", available);
    put_decision(slow, plan);
    json_object_set_new(plan, "ranks", plan_ranks(slow));
    json_object_set_new(plan, "cohorts", cohorts);
    if (slow->counts_prefixes)
        put(plan, "prefixes", prefixes);
}

json_t *slow_plan(const struct slow_case *slow)
{
    json_t *plan = json_object();
    uint64_t sequences = 0, reserve = 0;
    for (unsigned n = 0; n < slow->requests_count; n++) {
        const struct slow_request *request = &slow->requests[n];
        sequences += request->sequences;
        reserve += request->sequences * (request->prompt_tokens + request->max_output_tokens);
    }
    json_object_set_new(plan, "contract_version", json_string("kv-capacity-plan-v2"));
    json_object_set_new(plan, "claim",
                        json_string("CAPACITY_ARITHMETIC_ONLY_REQUIRES_LOAD_VALIDATION"));
    json_object_set_new(plan, "rules", json_string("paged/1"));
    put(plan, "requests", slow->requests_count);
    put(plan, "sequences", sequences);
    put(plan, "reserve_tokens", reserve);
    if (is_undetermined(slow)) {
        json_object_set_new(plan, "decision", json_string("UNDETERMINED"));
        json_object_set_new(plan, "undetermined", plan_undetermined(slow));
    } else {
        put_figures(slow, plan);
    }
    return plan;
}

/* ---- Drafts. */

static void write_number(FILE *out, const char *key, uint64_t value)
{
    fprintf(out, ", \"%s\": %" PRIu64, key, value);
}

static void write_optional(FILE *out, const char *key, uint64_t value)
{
    if (value != 0)
        write_number(out, key, value);
}

static const char *format_word(int format)
{
    return format < 0 ? "model" : FORMATS[format].name;
}

static void write_heads(const struct slow_state *state, FILE *out)
{
    write_number(out, "kv_heads", state->kv_heads);
    write_number(out, "key_dim", state->key_dim);
    write_number(out, "value_dim", state->value_dim);
}

static void write_recurrent(const struct slow_state *state, FILE *out)
{
    const struct slow_rule *rule = &RULE_ROWS[state->rule];
    fprintf(out, ", \"rule\": \"%s\"", rule->name);
    for (unsigned i = 0; i < 6 && rule->fields[i] != NULL; i++)
        write_number(out, rule->fields[i], state->dims[i]);
    if (rule->conv)
        fprintf(out, ", \"conv_format\": \"%s\"", format_word(state->conv_format));
    if (rule->state)
        fprintf(out, ", \"state_format\": \"%s\"", format_word(state->state_format));
}

static void write_state(const struct slow_state *state, FILE *out)
{
    static const char *const NAMES[] = { "kv",     "kv_window", "latent",  "index", "recurrent",
                                         "shared", "none",      "unknown", "cross" };
    fprintf(out, "{\"state\": \"%s\"", NAMES[state->kind]);
    switch (state->kind) {
    case SLOW_KV:
    case SLOW_CROSS:
        write_heads(state, out);
        break;
    case SLOW_KV_WINDOW:
        write_heads(state, out);
        write_number(out, "window_tokens", state->window_tokens);
        fprintf(out, ", \"window\": \"%s\"", state->chunked ? "chunked" : "sliding");
        break;
    case SLOW_LATENT:
        write_number(out, "latent_dim", state->latent_dim);
        write_optional(out, "rope_dim", state->rope_dim);
        write_optional(out, "window_tokens", state->window_tokens);
        write_optional(out, "compress_ratio", state->ratio);
        break;
    case SLOW_INDEX:
        write_number(out, "index_dim", state->index_dim);
        fprintf(out, ", \"format\": \"%s\"", state->fp8_index ? "fp8_index" : "cache_k");
        write_optional(out, "value_dim", state->value_dim);
        write_optional(out, "compress_ratio", state->ratio);
        break;
    case SLOW_RECURRENT:
        write_recurrent(state, out);
        break;
    case SLOW_SHARED:
        write_number(out, "layer", state->layer);
        break;
    case SLOW_UNKNOWN:
        fprintf(out, ", \"key\": \"some key\", \"reason\": \"some reason\"");
        break;
    default:
        break;
    }
    fputc('}', out);
}

static void write_type(const struct slow_type *type, FILE *out)
{
    fprintf(out, "{\"states\": [");
    for (unsigned i = 0; i < type->states_count; i++) {
        fputs(i > 0 ? ", " : "", out);
        write_state(&type->states[i], out);
    }
    fprintf(out, "]}");
}

/* Each distinct type once, numbered by first use; then the runs. */
static void write_architecture(const struct slow_case *slow, FILE *out)
{
    unsigned number[SLOW_LAYERS], types = 0;
    fprintf(out, "{\"layer_types\": [");
    for (unsigned i = 0; i < slow->layers_count; i++) {
        unsigned same = 0;
        while (memcmp(&slow->layers[same], &slow->layers[i], sizeof slow->layers[i]) != 0)
            same++;
        number[i] = same < i ? number[same] : types;
        if (same < i)
            continue;
        fputs(types++ > 0 ? ", " : "", out);
        write_type(&slow->layers[i], out);
    }
    fprintf(out, "], \"layers\": [");
    for (unsigned begin = 0, end; begin < slow->layers_count; begin = end) {
        for (end = begin; end < slow->layers_count && number[end] == number[begin];)
            end++;
        fprintf(out, "%s[%u, %u]", begin > 0 ? ", " : "", end - begin, number[begin]);
    }
    fprintf(out, "]}");
}

void slow_write_model(const struct slow_case *slow, FILE *out)
{
    fprintf(out,
            "{\"kind\": \"kv-model\", \"version\": 1, \"name\": \"drawn\", \"revision\": \"1\","
            " \"artefact\": {\"format\": \"hand\"}, \"family\": \"drawn\", \"dtype\": \"%s\","
            " \"sources\": [{\"at\": \"/architecture\", \"how\": \"declared\","
            " \"from\": \"chance\"}], \"architecture\": ",
            FORMATS[slow->dtype].name);
    write_architecture(slow, out);
    fputc('}', out);
}

static void write_list(FILE *out, const uint64_t *list, unsigned count)
{
    fputc('[', out);
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "%s%" PRIu64, i > 0 ? ", " : "", list[i]);
    fputc(']', out);
}

static void write_format(const struct slow_case *slow, const char *key, int format, FILE *out)
{
    fprintf(out, "\"%s\": {\"format\": \"%s\"", key, FORMATS[format].name);
    if (format == SLOW_DS_MLA)
        write_number(out, "token_bytes", slow->latent_token_bytes);
    fputc('}', out);
}

static void write_non_cache(const struct slow_case *slow, FILE *out)
{
    fprintf(out, ", \"non_cache\": {");
    for (unsigned i = 0; i < SLOW_NON_CACHE; i++) {
        const struct slow_non_cache *term = &slow->non_cache[i];
        fprintf(out, "%s\"%s\": {", i > 0 ? ", " : "", NON_CACHE[i]);
        if (term->form == SLOW_BY_RANK) {
            fprintf(out, "\"bytes_by_rank\": ");
            write_list(out, term->by_rank, slow->tp * slow->pp);
        } else {
            fprintf(out, "\"%s\": %" PRIu64, term->form == SLOW_BPS ? "device_bps" : "bytes",
                    term->amount);
        }
        fputc('}', out);
    }
    fputc('}', out);
}

static void write_parallel(const struct slow_case *slow, FILE *out)
{
    fprintf(out, ", \"parallel\": {\"tp\": %u, \"pp\": %u, \"dcp\": 1, \"ep\": 3", slow->tp,
            slow->pp);
    if (slow->lists_pp_layers) {
        fprintf(out, ", \"pp_layers\": ");
        write_list(out, slow->pp_layers, slow->pp);
    }
    fprintf(out, "}, \"pool\": {\"id\": \"p\", \"devices\": %u, \"device_bytes\": %" PRIu64 "}",
            slow->tp * slow->pp, slow->device_bytes);
}

void slow_write_contract(const struct slow_case *slow, const char *model_id, FILE *out)
{
    fprintf(out,
            "{\"kind\": \"kv-capacity-contract\", \"version\": 1, \"contract_version\":"
            " \"kv-capacity-plan-v2\", \"name\": \"drawn\", \"model\": \"%s\", \"cache\": {",
            model_id);
    write_format(slow, "k", slow->cache_k, out);
    fputs(", ", out);
    write_format(slow, "v", slow->cache_v, out);
    fprintf(out, "}, \"allocator\": {\"name\": \"paged\", \"version\": \"1\"");
    write_number(out, "block_tokens", slow->block_tokens);
    write_number(out, "overhead_bps", slow->overhead_bps);
    fprintf(out, "}, \"scheduler\": {\"name\": \"s\", \"version\": \"2\", \"policy\": \"fcfs\","
                 " \"sequences_max\": 8, \"step_tokens_max\": 64}, \"reservation\": {\"policy\":"
                 " \"full-declared-growth\", \"version\": \"1\"}");
    write_parallel(slow, out);
    write_non_cache(slow, out);
    fprintf(out, ", \"bounds\": {\"requests_max\": 100, \"sequences_per_request_max\": 100");
    write_number(out, "sequence_tokens_max", slow->sequence_tokens_max);
    write_number(out, "window_bytes_max", slow->window_bytes_max);
    fprintf(out, "}, \"owners\": {\"model\": \"m\", \"capacity\": \"c\", \"workload\": \"w\"},"
                 " \"admission\": {\"evidence_max_age_ns\": 1, \"lease_ns\": 1,"
                 " \"idempotency_window_ns\": 1, \"drift_max_blocks\": 0}, \"tolerances\": [],"
                 " \"prefix_sharing\": ");
    if (slow->counts_prefixes)
        fprintf(out,
                "{\"policy\": \"counted\", \"scope\": \"tenant\", \"invalidation\": \"none\","
                " \"evidence\": \"sha256:%064d\"}}",
                7);
    else
        fprintf(out, "{\"policy\": \"none\"}}");
}

static void write_request(const struct slow_request *request, FILE *out)
{
    fprintf(out, "{\"request_id\": \"r-%u\", \"cohort\": \"cohort-%c\", \"tenant\": \"tenant-%u\"",
            request->number, 'a' + (int)request->cohort, request->tenant);
    write_number(out, "prompt_tokens", request->prompt_tokens);
    write_number(out, "max_output_tokens", request->max_output_tokens);
    write_number(out, "sequences", request->sequences);
    if (request->prefix != 0) {
        fprintf(out, ", \"prefix_id\": \"prefix-%u\"", request->prefix);
        write_number(out, "prefix_tokens", request->prefix_tokens);
    }
    fputc('}', out);
}

void slow_write_evidence(const struct slow_case *slow, const char *contract_id, FILE *out)
{
    fprintf(out,
            "{\"kind\": \"kv-reservation-evidence\", \"version\": 1, \"contract\": \"%s\","
            " \"captured_by\": \"chance\", \"window\": {\"start\": \"2026-01-01T00:00:00Z\","
            " \"end\": \"2026-01-01T00:00:00.5Z\"}, \"reported\": {\"device_bytes\": %" PRIu64
            ", \"cache_bytes_by_rank\": ",
            contract_id, slow->device_bytes);
    write_list(out, slow->reported, slow->tp * slow->pp);
    fprintf(out, "}, \"requests\": [");
    for (unsigned i = 0; i < slow->requests_count; i++) {
        fputs(i > 0 ? ", " : "", out);
        write_request(&slow->requests[i], out);
    }
    fprintf(out, "]}");
}

/* ---- Chance. */

static uint64_t one_of(struct chance *chance, const uint64_t *list, size_t count)
{
    return list[chance_below(chance, count)];
}

#define ONE_OF(chance, ...)                                                                        \
    one_of((chance), (const uint64_t[]){ __VA_ARGS__ },                                            \
           sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static uint64_t within(struct chance *chance, uint64_t least, uint64_t most)
{
    return least + chance_below(chance, most - least + 1);
}

static void draw_heads(struct chance *chance, struct slow_state *state)
{
    state->kv_heads = ONE_OF(chance, 1, 2, 4, 4, 8, 12);
    state->key_dim = ONE_OF(chance, 32, 64, 64, 128, 192);
    state->value_dim = chance_one_in(chance, 3) ? ONE_OF(chance, 32, 64, 128) : state->key_dim;
}

static void draw_recurrent(struct chance *chance, const struct slow_case *slow,
                           struct slow_state *state)
{
    state->rule = (unsigned)chance_below(chance, RULES);
    bool even = !chance_one_in(chance, 12);
    for (unsigned i = 0; i < 6 && RULE_ROWS[state->rule].fields[i] != NULL; i++)
        state->dims[i] =
            within(chance, 1, 5) * (even ? slow->tp : 1) * (chance_one_in(chance, 2) ? 32 : 4);
    if (state->rule == MAMBA2)
        state->dims[2] = within(chance, 1, 8); /* groups need not divide by tp */
    state->conv_format = RULE_ROWS[state->rule].conv && chance_one_in(chance, 2)
                             ? (int)chance_below(chance, FORMATS_PLAIN)
                             : -1;
    state->state_format = !RULE_ROWS[state->rule].state || chance_one_in(chance, 2) ? -1
                          : chance_one_in(chance, 4) ? (int)chance_below(chance, FORMATS_ELEMENTS)
                                                     : (int)chance_below(chance, FORMATS_PLAIN);
}

static uint64_t draw_ratio(struct chance *chance, const struct slow_case *slow)
{
    if (chance_one_in(chance, 2))
        return 0;
    for (uint64_t ratio = within(chance, 2, 8); ratio >= 2; ratio--) {
        if (slow->block_tokens % ratio == 0 || chance_one_in(chance, 200))
            return ratio;
    }
    return 0;
}

static struct slow_state draw_state(struct chance *chance, const struct slow_case *slow)
{
    static const enum slow_kind KINDS[] = { SLOW_KV,     SLOW_KV,    SLOW_KV_WINDOW,
                                            SLOW_LATENT, SLOW_INDEX, SLOW_RECURRENT };
    struct slow_state state;
    memset(&state, 0, sizeof state);
    state.kind = KINDS[chance_below(chance, sizeof KINDS / sizeof KINDS[0])];
    switch (state.kind) {
    case SLOW_KV_WINDOW:
        state.window_tokens = ONE_OF(chance, 1, 7, 16, 17, 64, 100);
        state.chunked = chance_one_in(chance, 3);
        draw_heads(chance, &state);
        break;
    case SLOW_LATENT:
        state.latent_dim = ONE_OF(chance, 64, 448, 512);
        state.rope_dim = ONE_OF(chance, 0, 64, 64);
        state.window_tokens = ONE_OF(chance, 0, 0, 16, 33);
        state.ratio = draw_ratio(chance, slow);
        break;
    case SLOW_INDEX:
        state.index_dim = ONE_OF(chance, 64, 128, 160);
        state.fp8_index = chance_one_in(chance, 2);
        state.value_dim = ONE_OF(chance, 0, 0, 64);
        state.ratio = draw_ratio(chance, slow);
        break;
    case SLOW_RECURRENT:
        draw_recurrent(chance, slow, &state);
        break;
    default:
        draw_heads(chance, &state);
        break;
    }
    return state;
}

/* States of a model whose cache is whole tokens. */
static struct slow_state draw_mla_state(const struct slow_case *slow, bool index)
{
    struct slow_state state;
    memset(&state, 0, sizeof state);
    state.kind = index ? SLOW_INDEX : SLOW_LATENT;
    state.latent_dim = index ? 0 : slow->latent_token_bytes == 656 ? 512 : 448;
    state.rope_dim = index ? 0 : 64;
    state.index_dim = index ? 128 : 0;
    state.fp8_index = index;
    return state;
}

static void draw_type(struct chance *chance, const struct slow_case *slow, struct slow_type *type)
{
    memset(type, 0, sizeof *type);
    if (slow->cache_k == SLOW_DS_MLA) {
        type->states_count = 1 + (unsigned)chance_below(chance, 2);
        for (unsigned i = 0; i < type->states_count; i++)
            type->states[i] = draw_mla_state(slow, i > 0);
        return;
    }
    type->states_count = chance_one_in(chance, 4) ? (unsigned)within(chance, 2, 4) : 1;
    for (unsigned i = 0; i < type->states_count; i++)
        type->states[i] = draw_state(chance, slow);
}

static bool keeps_a_cache(const struct slow_type *type)
{
    for (unsigned i = 0; i < type->states_count; i++) {
        if (type->states[i].kind == SLOW_KV || type->states[i].kind == SLOW_KV_WINDOW ||
            type->states[i].kind == SLOW_LATENT)
            return true;
    }
    return false;
}

static void single(struct slow_type *type, enum slow_kind kind, uint64_t layer)
{
    memset(type, 0, sizeof *type);
    type->states_count = 1;
    type->states[0].kind = kind;
    type->states[0].layer = layer;
}

static void draw_layers(struct chance *chance, struct slow_case *slow)
{
    struct slow_type types[3];
    slow->layers_count = (unsigned)within(chance, 1, SLOW_LAYERS);
    for (unsigned i = 0; i < 3; i++)
        draw_type(chance, slow, &types[i]);
    unsigned kinds = (unsigned)within(chance, 1, 3);
    for (unsigned i = 0; i < slow->layers_count; i++)
        slow->layers[i] = types[chance_one_in(chance, 2) ? 0 : chance_below(chance, kinds)];
    for (unsigned i = 1; i < slow->layers_count && chance_one_in(chance, 3); i++) {
        unsigned earlier = (unsigned)chance_below(chance, i);
        if (keeps_a_cache(&slow->layers[earlier]))
            single(&slow->layers[i], SLOW_SHARED, earlier);
        else if (chance_one_in(chance, 2))
            single(&slow->layers[i], SLOW_NONE, 0);
    }
    struct slow_type *odd = &slow->layers[chance_below(chance, slow->layers_count)];
    if (chance_one_in(chance, 40) && !keeps_a_cache(odd))
        single(odd, SLOW_UNKNOWN, 0);
    else if (chance_one_in(chance, 40) && odd->states_count < 4 && odd->states[0].kind == SLOW_KV) {
        odd->states[odd->states_count] = odd->states[0];
        odd->states[odd->states_count++].kind = SLOW_CROSS;
    }
}

static void draw_formats(struct chance *chance, struct slow_case *slow)
{
    slow->dtype = (int)chance_below(chance, 3);
    slow->cache_k =
        (int)chance_below(chance, chance_one_in(chance, 2) ? FORMATS_PLAIN : FORMATS_ROWS);
    slow->cache_v =
        chance_one_in(chance, 3) ? (int)chance_below(chance, FORMATS_ROWS) : slow->cache_k;
    if (chance_one_in(chance, 10)) {
        slow->cache_k = slow->cache_v = SLOW_DS_MLA;
        slow->latent_token_bytes = ONE_OF(chance, 656, 584);
    }
}

static void draw_stages(struct chance *chance, struct slow_case *slow)
{
    slow->pp = (unsigned)ONE_OF(chance, 1, 1, 1, 2, 3, 4);
    if (slow->pp > slow->layers_count)
        slow->pp = 1;
    slow->lists_pp_layers = slow->layers_count % slow->pp != 0 || chance_one_in(chance, 4);
    unsigned left = slow->layers_count;
    for (unsigned i = 0; i < slow->pp; i++) {
        unsigned most = left - (slow->pp - 1 - i);
        slow->pp_layers[i] = i + 1 == slow->pp ? left : within(chance, 1, most);
        left -= (unsigned)slow->pp_layers[i];
    }
    if (chance_one_in(chance, 60))
        slow->pp_layers[0]++;
    if (chance_one_in(chance, 60))
        slow->lists_pp_layers = false;
}

static void draw_requests(struct chance *chance, struct slow_case *slow)
{
    slow->requests_count = (unsigned)within(chance, 1, SLOW_REQUESTS);
    for (unsigned i = 0; i < slow->requests_count; i++) {
        struct slow_request *request = &slow->requests[i];
        *request = (struct slow_request){ .number = i,
                                          .cohort = (unsigned)chance_below(chance, 4),
                                          .tenant = (unsigned)chance_below(chance, 2),
                                          .prompt_tokens = within(chance, 1, 160),
                                          .max_output_tokens = chance_below(chance, 80),
                                          .sequences = within(chance, 1, 3) };
        if (!chance_one_in(chance, 2))
            continue;
        request->prefix = 1 + (unsigned)chance_below(chance, 3);
        request->prefix_tokens = 11 * request->prefix * (1 + request->tenant);
        if (chance_one_in(chance, 100))
            request->prefix_tokens++;
        if (request->prompt_tokens < request->prefix_tokens)
            request->prompt_tokens = request->prefix_tokens + chance_below(chance, 20);
    }
}

static void draw_non_cache(struct chance *chance, struct slow_case *slow)
{
    for (unsigned i = 0; i < SLOW_NON_CACHE; i++) {
        struct slow_non_cache *term = &slow->non_cache[i];
        term->form = (enum slow_form)chance_below(chance, 3);
        term->amount = term->form == SLOW_BPS ? chance_below(chance, 1500)
                                              : chance_below(chance, slow->device_bytes / 8 + 1);
        for (unsigned rank = 0; rank < SLOW_RANKS; rank++)
            term->by_rank[rank] = chance_one_in(chance, 2)
                                      ? term->amount
                                      : chance_below(chance, slow->device_bytes / 8 + 1);
    }
    if (chance_one_in(chance, 60))
        slow->non_cache[0] = (struct slow_non_cache){ .form = SLOW_BPS, .amount = 10001 };
}

/* Around what is required, so that both decisions and the edge between them come up. */
static void draw_reported(struct chance *chance, struct slow_case *slow)
{
    bool plannable = slow_refusals(slow)[0] == '\0' && !is_undetermined(slow);
    for (unsigned rank = 0; rank < slow->tp * slow->pp; rank++) {
        uint64_t budget = slow_budget_bytes(slow, rank);
        uint64_t wish = budget;
        if (plannable && chance_one_in(chance, 2))
            wish = slow_required_bytes(slow, rank) - 1 + chance_below(chance, 3);
        else if (chance_one_in(chance, 3))
            wish = chance_below(chance, budget + 1);
        slow->reported[rank] = wish > budget ? budget : wish;
        if (rank > 0 && chance_one_in(chance, 2) && slow->reported[rank - 1] <= budget)
            slow->reported[rank] = slow->reported[rank - 1];
    }
    if (chance_one_in(chance, 60))
        slow->reported[0] = slow_budget_bytes(slow, 0) + 1;
}

void slow_draw(struct chance *chance, struct slow_case *slow)
{
    memset(slow, 0, sizeof *slow);
    slow->tp = (unsigned)ONE_OF(chance, 1, 1, 1, 2, 2, 3, 4);
    slow->block_tokens = ONE_OF(chance, 1, 2, 3, 8, 16, 16, 24, 64);
    slow->overhead_bps = ONE_OF(chance, 0, 0, 1, 1500, 3333, 100000);
    draw_formats(chance, slow);
    draw_layers(chance, slow);
    draw_stages(chance, slow);
    slow->device_bytes = UINT64_C(1) << within(chance, 20, 33);
    slow->device_bytes -= chance_below(chance, 3);
    draw_non_cache(chance, slow);
    slow->sequence_tokens_max = chance_one_in(chance, 40) ? 200 : within(chance, 260, 400);
    slow->window_bytes_max = chance_one_in(chance, 40) ? 100000 : UINT64_C(1) << 50;
    slow->counts_prefixes = chance_one_in(chance, 2);
    draw_requests(chance, slow);
    draw_reported(chance, slow);
}
