/* vllm_pool.c - see vllm_pool.h for the room and its promises. */

#include "engine/vllm_pool.h"

#include "engine/vllm_changes.h"

struct working {
    const struct kvc_vllm_pool_question *q;
    const struct kvc_vllm_grouping *g;
    struct kvc_vllm_pool *pool;
    struct kvc_arena *arena;
    kvcap_error *err;
};

static kvcap_code no_memory(const struct working *w)
{
    return kvc_fail(w->err, KVC_MEMORY_FULL, "", "the pool needs more memory");
}

/* ---- A block. */

/* Layers of the widest group on a worker. */
static uint32_t width_of(const struct kvc_vllm_grouping *g, uint32_t worker)
{
    uint32_t widest = 0;
    for (uint32_t i = 0; i < g->groups_count; i++)
        widest = g->groups[i].layers_of[worker] > widest ? g->groups[i].layers_of[worker] : widest;
    return widest;
}

static struct ck block_bytes_of(const struct kvc_vllm_grouping *g, uint32_t worker)
{
    uint64_t widest = 0;
    if (g->form == KVC_VLLM_ONE || g->form == KVC_VLLM_SHARED)
        return ck_mul(ck_u64(g->page_bytes), ck_u64(width_of(g, worker)));
    if (g->form == KVC_VLLM_PACKED && !g->is_packed_by_slab)
        return ck_mul(ck_u64(g->tuple_bytes), ck_u64(g->tuples));
    for (uint32_t i = 0; i < g->groups_count; i++)
        widest = g->groups[i].bytes_of[worker] > widest ? g->groups[i].bytes_of[worker] : widest;
    return ck_u64(widest);
}

/* ---- Blocks of a request. */

/* Of a group whose layers have several specs, the most that any needs. */
static struct ck blocks_of_group(const struct working *w, uint32_t group,
                                 const struct kvc_vllm_request *request)
{
    const struct kvc_vllm_group *entry = &w->g->groups[group];
    struct ck most = kvc_vllm_blocks(&entry->spec, request);
    if (w->g->form != KVC_VLLM_UNIFORM)
        return most;
    for (uint32_t i = 0; i < w->q->layers->workers_count; i++) {
        const struct kvc_vllm_worker *worker = &w->q->layers->workers[i];
        for (uint32_t r = 0; r < worker->runs_count; r++) {
            struct ck blocks = kvc_vllm_blocks(&w->g->specs[worker->runs[r].spec], request);
            most.over = most.over || blocks.over;
            most.value = blocks.value > most.value ? blocks.value : most.value;
        }
    }
    return most;
}

static struct ck request_blocks(const struct working *w, const struct kvc_vllm_request *request)
{
    struct ck sum = ck_u64(0);
    for (uint32_t i = 0; i < w->g->groups_count; i++)
        sum = ck_add(sum, blocks_of_group(w, i, request));
    return sum;
}

/* ---- What one request needs on a worker. */

/* The sum over layers, each by its own blocks.  Until the check saw groups it was this, of the layers as
 * the model writes them down: without promotion and padding. */
static struct ck needed_of_layers(const struct working *w, uint32_t worker,
                                  const struct kvc_vllm_request *request)
{
    bool raw = !kvc_vllm_since(w->q->day, KVC_VLLM_CHECK_BY_GROUPS);
    const struct kvc_vllm_worker *layers = &w->q->layers->workers[worker];
    struct ck sum = ck_u64(0);
    for (uint32_t r = 0; r < layers->runs_count; r++) {
        const struct kvc_vllm_spec *spec =
            raw ? &w->q->layers->specs[layers->runs[r].spec] : &w->g->specs[layers->runs[r].spec];
        struct ck bytes = ck_mul(kvc_vllm_blocks(spec, request), kvc_vllm_page(spec));
        sum = ck_add(sum, ck_mul(bytes, ck_u64(layers->runs[r].count)));
    }
    return sum;
}

static struct ck needed_bytes(const struct working *w, uint32_t worker,
                              const struct kvc_vllm_request *request)
{
    const struct kvc_vllm_grouping *g = w->g;
    if (g->form == KVC_VLLM_UNIFORM || !kvc_vllm_since(w->q->day, KVC_VLLM_CHECK_BY_GROUPS))
        return needed_of_layers(w, worker, request);
    struct ck blocks = request_blocks(w, request);
    if (g->form == KVC_VLLM_PACKED)
        return ck_mul(ck_mul(ck_u64(g->tuple_bytes_of[worker]), ck_u64(g->tuples_of[worker])),
                      blocks);
    return ck_mul(block_bytes_of(g, worker), blocks);
}

/* The longest context that fits, by the engine's own bisection; 0: none does. */
static uint64_t longest_fitting(const struct working *w, uint32_t worker, uint64_t available)
{
    struct kvc_vllm_request request = w->q->request;
    uint64_t low = 1, high = request.tokens, longest = 0;
    while (low <= high) {
        uint64_t middle = low + (high - low) / 2;
        request.tokens = middle;
        struct ck needed = needed_bytes(w, worker, &request);
        if (!needed.over && needed.value <= available) {
            longest = middle;
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
    return longest;
}

/* ---- Does it start? */

/* With an override the check takes what so many blocks weigh for what is available. */
static uint64_t checked_bytes(const struct working *w, uint32_t worker)
{
    uint64_t available = w->q->available_bytes == NULL ? 0 : w->q->available_bytes[worker];
    bool by_override =
        w->q->override_blocks.said && kvc_vllm_since(w->q->day, KVC_VLLM_TOKENS_FROM_CONCURRENCY);
    if (!by_override)
        return available;
    struct ck bytes =
        ck_mul(ck_u64(w->q->override_blocks.value), ck_u64(w->pool->block_bytes[worker]));
    return bytes.over ? UINT64_MAX : bytes.value;
}

/* Reduces max_model_len to what every worker can hold; 0: none can hold a token. */
static uint64_t fitted_length(const struct working *w)
{
    uint64_t least = w->q->request.tokens;
    for (uint32_t i = 0; i < w->q->layers->workers_count; i++) {
        uint64_t longest = longest_fitting(w, i, checked_bytes(w, i));
        least = longest < least ? longest : least;
    }
    return least;
}

static void refuse(struct working *w, uint32_t worker, enum kvc_vllm_start start, uint64_t needed,
                   uint64_t available)
{
    uint64_t longest = start == KVC_VLLM_TOO_LONG ? longest_fitting(w, worker, available) : 0;
    w->pool->start = start;
    w->pool->deciding_worker = worker;
    w->pool->needed_bytes = needed;
    w->pool->available_bytes = available;
    if (longest > 0)
        w->pool->estimated = kvc_said(longest);
}

/* max_model_len is auto, and not one token fits: told before anything else is checked. */
static void refuse_all(struct working *w)
{
    struct kvc_vllm_request one = w->q->request;
    one.tokens = 1;
    for (uint32_t i = 0; i < w->q->layers->workers_count; i++) {
        uint64_t available = checked_bytes(w, i);
        struct ck needed = needed_bytes(w, i, &one);
        if (!needed.over && needed.value <= available)
            continue;
        refuse(w, i, KVC_VLLM_NO_TOKEN, needed.value, available);
        return;
    }
}

static kvcap_code check_start(struct working *w, const struct kvc_vllm_request *request)
{
    for (uint32_t i = 0; i < w->q->layers->workers_count; i++) {
        struct ck needed = needed_bytes(w, i, request);
        uint64_t available = checked_bytes(w, i);
        if (needed.over)
            return kvc_fail(w->err, KVC_RANGE_OVERFLOW, "", "a request does not fit in 64 bits");
        if (i == 0 || available < w->pool->available_bytes) {
            w->pool->needed_bytes = needed.value;
            w->pool->available_bytes = available;
        }
        if (available == 0 || needed.value > available) {
            refuse(w, i, available == 0 ? KVC_VLLM_NO_MEMORY : KVC_VLLM_TOO_LONG, needed.value,
                   available);
            return KVCAP_OK;
        }
    }
    return KVCAP_OK;
}

/* ---- Blocks of the pool. */

static void count_blocks(struct working *w)
{
    struct kvc_vllm_pool *pool = w->pool;
    if (w->q->override_blocks.said) {
        pool->num_blocks = w->q->override_blocks;
        return;
    }
    for (uint32_t i = 0; i < w->q->layers->workers_count && w->q->available_bytes != NULL; i++) {
        if (pool->block_bytes[i] == 0)
            continue;
        uint64_t blocks = w->q->available_bytes[i] / pool->block_bytes[i];
        if (!pool->num_blocks.said || blocks < pool->num_blocks.value)
            pool->deciding_worker = i;
        if (!pool->num_blocks.said || blocks < pool->num_blocks.value)
            pool->num_blocks = kvc_said(blocks);
    }
}

/* ---- Concurrency. */

/* Of one request, in blocks of the first group's page: what was divided by until blocks were counted
 * group by group.  Where groups have one page it comes to the same. */
static struct ck blocks_by_bytes(const struct working *w, const struct kvc_vllm_request *request)
{
    struct ck sum = ck_u64(0);
    for (uint32_t i = 0; i < w->g->groups_count; i++)
        sum = ck_add(sum,
                     ck_mul(blocks_of_group(w, i, request), kvc_vllm_page(&w->g->groups[i].spec)));
    uint64_t page = kvc_vllm_page(&w->g->groups[0].spec).value;
    return page == 0 ? ck_u64(0) : ck_div_ceil(sum, page);
}

static uint64_t least_block(const struct kvc_vllm_grouping *g)
{
    uint64_t least = g->groups[0].spec.block_size;
    for (uint32_t i = 1; i < g->groups_count; i++)
        least = g->groups[i].spec.block_size < least ? g->groups[i].spec.block_size : least;
    return least;
}

static kvcap_code count_tokens(struct working *w, const struct kvc_vllm_request *request)
{
    struct kvc_vllm_pool *pool = w->pool;
    bool by_groups = w->g->form == KVC_VLLM_UNIFORM || w->g->form == KVC_VLLM_PACKED ||
                     kvc_vllm_since(w->q->day, KVC_VLLM_CONCURRENCY_FROM_BLOCKS);
    struct ck blocks = by_groups ? ck_u64(pool->request_blocks) : blocks_by_bytes(w, request);
    if (blocks.over)
        return kvc_fail(w->err, KVC_RANGE_OVERFLOW, "", "a request does not fit in 64 bits");
    struct kvc_f64 tokens = kvc_f64_from_u64(0);
    pool->concurrency = kvc_f64_from_u64(0);
    if (blocks.value > 0)
        pool->concurrency = kvc_f64_divide(kvc_f64_from_u64(pool->num_blocks.value),
                                           kvc_f64_from_u64(blocks.value));
    tokens = kvc_f64_multiply(pool->concurrency, kvc_f64_from_u64(request->tokens));
    if (!kvc_f64_truncate(tokens, &pool->tokens))
        return kvc_fail(w->err, KVC_RANGE_OVERFLOW, "", "the tokens do not fit in 64 bits");
    struct ck legacy = ck_mul(ck_u64(pool->num_blocks.value / w->g->groups_count),
                              ck_mul(ck_u64(least_block(w->g)), ck_u64(w->q->request.dcp)));
    return ck_take(legacy, "tokens of the pool", &pool->legacy_tokens, w->err);
}

/* ---- Blocks of the scheduler and of the hash. */

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static struct ck common_multiple(struct ck a, uint64_t b)
{
    return a.over ? a : ck_mul(ck_u64(a.value / greatest_divisor(a.value, b)), ck_u64(b));
}

/* Decode context parallelism spreads a block of attention over its ranks; Mamba is on each whole. */
static uint64_t managed_block(const struct working *w, const struct kvc_vllm_spec *spec)
{
    return spec->kind == KVC_VLLM_MAMBA ? spec->block_size : spec->block_size * w->q->request.dcp;
}

static void find_block_sizes(struct working *w)
{
    const struct kvc_vllm_grouping *g = w->g;
    struct ck scheduler = ck_u64(1);
    uint64_t hash = 0;
    bool unaligned = false;
    for (uint32_t i = 0; i < g->groups_count; i++) {
        const struct kvc_vllm_spec *spec = &g->groups[i].spec;
        scheduler = common_multiple(scheduler, managed_block(w, spec));
        hash = greatest_divisor(managed_block(w, spec), hash);
        unaligned =
            unaligned || (spec->kind == KVC_VLLM_MAMBA && spec->mode != KVC_VLLM_MAMBA_ALIGN);
    }
    w->pool->scheduler_block_size = scheduler.over ? 0 : scheduler.value;
    bool by_scheduler =
        g->groups_count == 1 || unaligned || (!w->q->prefix_caching && !w->q->has_connector);
    if (!by_scheduler && w->q->prefix_match_unit != 0)
        hash = w->q->prefix_match_unit;
    w->pool->hash_block_size = by_scheduler ? w->pool->scheduler_block_size : hash;
}

/* ---- All of it. */

static kvcap_code weigh_blocks(struct working *w)
{
    uint32_t workers = w->q->layers->workers_count;
    w->pool->block_bytes = kvc_arena_array(w->arena, workers + 1, sizeof *w->pool->block_bytes);
    w->pool->blocks_per_request =
        kvc_arena_array(w->arena, w->g->groups_count + 1, sizeof *w->pool->blocks_per_request);
    if (w->pool->block_bytes == NULL || w->pool->blocks_per_request == NULL)
        return no_memory(w);
    for (uint32_t i = 0; i < workers; i++) {
        kvcap_code rc =
            ck_take(block_bytes_of(w->g, i), "bytes of a block", &w->pool->block_bytes[i], w->err);
        if (rc != KVCAP_OK)
            return rc;
    }
    return KVCAP_OK;
}

static kvcap_code count_request(struct working *w, const struct kvc_vllm_request *request)
{
    for (uint32_t i = 0; i < w->g->groups_count; i++) {
        kvcap_code rc = ck_take(blocks_of_group(w, i, request), "blocks of a request",
                                &w->pool->blocks_per_request[i], w->err);
        if (rc != KVCAP_OK)
            return rc;
    }
    return ck_take(request_blocks(w, request), "blocks of a request", &w->pool->request_blocks,
                   w->err);
}

kvcap_code kvc_vllm_pool(const struct kvc_vllm_pool_question *question, struct kvc_arena *arena,
                         struct kvc_vllm_pool *ret_pool, kvcap_error *err)
{
    struct working w = {
        .q = question, .g = question->grouping, .pool = ret_pool, .arena = arena, .err = err
    };
    struct kvc_vllm_request request = question->request;
    *ret_pool = (struct kvc_vllm_pool){ .start = KVC_VLLM_STARTS };
    if (w.g->objection != KVC_VLLM_NO_OBJECTION) /* the check of layers came before groups */
        return question->available_bytes == NULL ||
                       kvc_vllm_since(question->day, KVC_VLLM_CHECK_BY_GROUPS)
                   ? KVCAP_OK
                   : check_start(&w, &request);
    kvcap_code rc = weigh_blocks(&w);
    bool compares = question->available_bytes != NULL ||
                    (question->override_blocks.said &&
                     kvc_vllm_since(question->day, KVC_VLLM_TOKENS_FROM_CONCURRENCY));
    if (rc == KVCAP_OK && question->auto_fit && compares) {
        uint64_t fitted = fitted_length(&w);
        request.tokens = fitted == 0 ? request.tokens : fitted;
        if (fitted == 0)
            refuse_all(&w);
    }
    ret_pool->max_model_len = request.tokens;
    if (rc == KVCAP_OK)
        rc = count_request(&w, &request);
    if (rc == KVCAP_OK && compares && ret_pool->start == KVC_VLLM_STARTS)
        rc = check_start(&w, &request);
    if (rc != KVCAP_OK)
        return rc;
    find_block_sizes(&w);
    if (ret_pool->start != KVC_VLLM_STARTS)
        return KVCAP_OK;
    count_blocks(&w);
    return ret_pool->num_blocks.said ? count_tokens(&w, &request) : KVCAP_OK;
}
