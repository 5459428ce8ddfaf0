/* vllm_groups.c - see vllm_groups.h for the room and its promises. */

#include "engine/vllm_groups.h"

#include <assert.h>
#include <string.h>

#include "engine/vllm_changes.h"

#define NONE UINT32_MAX

/* Specs of one bucket are grouped together; in a packed model each page size of it is a lane of its
 * own, and else a bucket is one lane. */
struct sorting {
    const struct kvc_vllm_layers *layers;
    const struct kvc_vllm_grouping_rules *rules;
    struct kvc_arena *arena;
    struct kvc_vllm_grouping *grouping;
    uint32_t *used; /* specs that occur, in the order of their first layer */
    uint32_t used_count;
    uint32_t *bucket_of, *lane_of; /* of each spec */
    uint32_t buckets_count, lanes_count;
    uint32_t *bucket_layers, *lane_layers;
    kvcap_error *err;
};

static kvcap_code no_memory(const struct sorting *s)
{
    return kvc_fail(s->err, KVC_MEMORY_FULL, "", "the groups of the model need more memory");
}

static uint32_t *numbers(struct sorting *s, size_t count)
{
    return kvc_arena_array(s->arena, count, sizeof(uint32_t));
}

/* ---- Which specs occur. */

static kvcap_code find_used(struct sorting *s)
{
    const struct kvc_vllm_layers *layers = s->layers;
    s->used = numbers(s, layers->specs_count + 1);
    s->bucket_of = numbers(s, layers->specs_count + 1);
    s->lane_of = numbers(s, layers->specs_count + 1);
    s->bucket_layers = numbers(s, layers->specs_count + 1);
    s->lane_layers = numbers(s, layers->specs_count + 1);
    s->grouping->specs =
        kvc_arena_array(s->arena, layers->specs_count + 1, sizeof *s->grouping->specs);
    if (s->used == NULL || s->bucket_of == NULL || s->lane_of == NULL || s->bucket_layers == NULL ||
        s->lane_layers == NULL || s->grouping->specs == NULL)
        return no_memory(s);
    memcpy(s->grouping->specs, layers->specs, layers->specs_count * sizeof *layers->specs);
    for (uint32_t i = 0; i < layers->specs_count; i++)
        s->bucket_of[i] = NONE;
    for (uint32_t w = 0; w < layers->workers_count; w++) {
        for (uint32_t r = 0; r < layers->workers[w].runs_count; r++) {
            uint32_t spec = layers->workers[w].runs[r].spec;
            if (s->bucket_of[spec] != NONE)
                continue;
            s->bucket_of[spec] = 0;
            s->used[s->used_count++] = spec;
        }
    }
    return KVCAP_OK;
}

static struct kvc_vllm_spec *used_spec(const struct sorting *s, uint32_t i)
{
    return &s->grouping->specs[s->used[i]];
}

/* ---- Promotion. */

/* Without the hybrid manager, layers that forget are accounted as layers that do not, wherever there are
 * some of those; each keeps the window that it had (unify_hybrid_kv_cache_specs). */
static void promote(struct sorting *s)
{
    const struct kvc_vllm_spec *full = NULL;
    for (uint32_t i = 0; i < s->used_count && full == NULL; i++)
        full = used_spec(s, i)->kind == KVC_VLLM_FULL ? used_spec(s, i) : NULL;
    if (full == NULL)
        return;
    for (uint32_t i = 0; i < s->used_count; i++) {
        struct kvc_vllm_spec *spec = used_spec(s, i);
        if (spec->kind != KVC_VLLM_SLIDING && spec->kind != KVC_VLLM_CHUNKED)
            continue;
        spec->kind = KVC_VLLM_FULL;
        spec->block_size = full->block_size;
    }
}

/* ---- Which specs are alike. */

/* Full attention merges across windows and chunks: the cache is the same, what is looked at is not. */
static bool differ_in_window_alone(const struct kvc_vllm_spec *a, const struct kvc_vllm_spec *b)
{
    struct kvc_vllm_spec like = *a;
    like.window = b->window;
    like.chunk = b->chunk;
    return a->kind == KVC_VLLM_FULL && kvc_vllm_spec_equal(&like, b);
}

static bool merge(const struct kvc_vllm_spec *a, const struct kvc_vllm_spec *b)
{
    return kvc_vllm_spec_equal(a, b) || differ_in_window_alone(a, b);
}

static bool all_merge(const struct sorting *s)
{
    for (uint32_t i = 1; i < s->used_count; i++) {
        if (!merge(used_spec(s, 0), used_spec(s, i)))
            return false;
    }
    return true;
}

/* Merged specs have at most one window and one chunk between them. */
static bool windows_differ(const struct sorting *s)
{
    uint64_t window = 0, chunk = 0;
    for (uint32_t i = 0; i < s->used_count; i++) {
        const struct kvc_vllm_spec *spec = used_spec(s, i);
        if (spec->kind != KVC_VLLM_FULL)
            continue;
        if ((spec->window != 0 && window != 0 && spec->window != window) ||
            (spec->chunk != 0 && chunk != 0 && spec->chunk != chunk))
            return true;
        window = spec->window != 0 ? spec->window : window;
        chunk = spec->chunk != 0 ? spec->chunk : chunk;
    }
    return false;
}

/* One type, whatever its heads: what it forgets, it forgets alike (UniformTypeKVCacheSpecs). */
static bool same_type(const struct kvc_vllm_spec *a, const struct kvc_vllm_spec *b)
{
    bool slides_a = a->kind == KVC_VLLM_SLIDING || a->kind == KVC_VLLM_SLIDING_MLA;
    bool slides_b = b->kind == KVC_VLLM_SLIDING || b->kind == KVC_VLLM_SLIDING_MLA;
    if (a->block_size != b->block_size)
        return false;
    if (kvc_vllm_is_full(a->kind))
        return kvc_vllm_is_full(b->kind);
    if (slides_a)
        return slides_b && a->window == b->window;
    if (a->kind == KVC_VLLM_MAMBA)
        return b->kind == KVC_VLLM_MAMBA && a->speculative_blocks == b->speculative_blocks;
    return a->kind == b->kind && a->chunk == b->chunk;
}

/* Before there were groups of unlike pages, a type was its kind, block, page and window (type_id). */
static bool same_type_id(const struct kvc_vllm_spec *a, const struct kvc_vllm_spec *b)
{
    struct ck page_a = kvc_vllm_page(a), page_b = kvc_vllm_page(b);
    return a->kind == b->kind && a->block_size == b->block_size && a->chunk == b->chunk &&
           (a->kind == KVC_VLLM_FULL || a->window == b->window) && page_a.value == page_b.value;
}

static bool all_same_type(const struct sorting *s)
{
    for (uint32_t i = 1; i < s->used_count; i++) {
        if (!same_type(used_spec(s, 0), used_spec(s, i)))
            return false;
    }
    return true;
}

static bool is_packed(const struct sorting *s)
{
    bool slides = false, pages_differ = false;
    for (uint32_t i = 0; i < s->used_count; i++) {
        slides = slides || used_spec(s, i)->kind == KVC_VLLM_SLIDING_MLA;
        pages_differ = pages_differ ||
                       kvc_vllm_page(used_spec(s, i)).value != kvc_vllm_page(used_spec(s, 0)).value;
    }
    return slides && pages_differ;
}

/* ---- Buckets and lanes. */

static bool same_packed_bucket(const struct kvc_vllm_spec *a, const struct kvc_vllm_spec *b)
{
    bool mla_a = a->kind == KVC_VLLM_MLA, mla_b = b->kind == KVC_VLLM_MLA;
    if (mla_a || mla_b)
        return mla_a && mla_b;
    return a->block_size == b->block_size && a->window == b->window;
}

static bool same_bucket(const struct sorting *s, const struct kvc_vllm_spec *a,
                        const struct kvc_vllm_spec *b)
{
    switch (s->grouping->form) {
    case KVC_VLLM_PACKED:
        return same_packed_bucket(a, b);
    case KVC_VLLM_SHARED:
        return kvc_vllm_since(s->rules->day, KVC_VLLM_UNIFORM_TYPE_GROUPS) ? merge(a, b)
                                                                           : same_type_id(a, b);
    default:
        return true;
    }
}

/* A spec joins the bucket of the first earlier one that is like it; the MLA of a packed model is bucket
 * 0 wherever it stands. */
static void find_buckets(struct sorting *s)
{
    s->buckets_count = 0;
    for (uint32_t i = 0; i < s->used_count; i++) {
        uint32_t j = 0;
        while (j < i && !same_bucket(s, used_spec(s, j), used_spec(s, i)))
            j++;
        s->bucket_of[s->used[i]] = j < i ? s->bucket_of[s->used[j]] : s->buckets_count++;
    }
    if (s->grouping->form != KVC_VLLM_PACKED)
        return;
    uint32_t mla = 0;
    for (uint32_t i = 0; i < s->used_count; i++)
        mla = used_spec(s, i)->kind == KVC_VLLM_MLA ? s->bucket_of[s->used[i]] : mla;
    for (uint32_t i = 0; i < s->used_count; i++) {
        uint32_t *bucket = &s->bucket_of[s->used[i]];
        *bucket = *bucket == mla ? 0 : *bucket < mla ? *bucket + 1 : *bucket;
    }
}

static void find_lanes(struct sorting *s)
{
    bool by_page = s->grouping->form == KVC_VLLM_PACKED;
    s->lanes_count = 0;
    for (uint32_t i = 0; i < s->used_count; i++) {
        uint32_t j = 0;
        for (; j < i; j++) {
            bool together = s->bucket_of[s->used[j]] == s->bucket_of[s->used[i]];
            if (together && (!by_page || kvc_vllm_page(used_spec(s, j)).value ==
                                             kvc_vllm_page(used_spec(s, i)).value))
                break;
        }
        s->lane_of[s->used[i]] = j < i ? s->lane_of[s->used[j]] : s->lanes_count++;
    }
}

static void count_layers(struct sorting *s)
{
    for (uint32_t w = 0; w < s->layers->workers_count; w++) {
        const struct kvc_vllm_worker *worker = &s->layers->workers[w];
        for (uint32_t r = 0; r < worker->runs_count; r++) {
            s->bucket_layers[s->bucket_of[worker->runs[r].spec]] += worker->runs[r].count;
            s->lane_layers[s->lane_of[worker->runs[r].spec]] += worker->runs[r].count;
        }
    }
}

static void sort_out(struct sorting *s)
{
    find_buckets(s);
    find_lanes(s);
    count_layers(s);
}

/* ---- One size for all pages. */

/* Mamba's pages are padded to the largest; attention's blocks grow to it.  Before that, pages had to be
 * of one size as they came. */
static void unify_pages(struct sorting *s)
{
    struct kvc_vllm_grouping *g = s->grouping;
    bool may_grow = kvc_vllm_since(s->rules->day, KVC_VLLM_UNIFY_PAGES);
    uint64_t most = 0;
    for (uint32_t i = 0; i < s->used_count; i++) {
        struct ck page = kvc_vllm_page(used_spec(s, i));
        most = !page.over && page.value > most ? page.value : most;
    }
    g->page_bytes = most;
    for (uint32_t i = 0; i < s->used_count; i++) {
        struct kvc_vllm_spec *spec = used_spec(s, i);
        uint64_t page = kvc_vllm_page(spec).value;
        if (page == most)
            continue;
        if (may_grow && spec->kind == KVC_VLLM_MAMBA) {
            spec->padded_bytes = most;
        } else if (may_grow && page > 0 && most % page == 0) {
            spec->block_size *= most / page;
            spec->padded_bytes = spec->padded_bytes == 0 ? 0 : most;
        } else if (g->objection == KVC_VLLM_NO_OBJECTION) {
            g->objection = KVC_VLLM_PAGES_DIFFER;
            g->objection_layer = s->used[i];
        }
    }
}

/* ---- Groups. */

static kvcap_code make_groups(struct sorting *s, const uint32_t *parts_of)
{
    struct kvc_vllm_grouping *g = s->grouping;
    uint32_t count = 0, workers = s->layers->workers_count;
    for (uint32_t b = 0; b < s->buckets_count; b++)
        count += parts_of[b];
    g->groups = kvc_arena_array(s->arena, count, sizeof *g->groups);
    uint32_t *layers = numbers(s, (size_t)count * workers);
    uint64_t *bytes = kvc_arena_array(s->arena, (size_t)count * workers, sizeof *bytes);
    if (g->groups == NULL || layers == NULL || bytes == NULL)
        return no_memory(s);
    for (uint32_t b = 0; b < s->buckets_count; b++) {
        for (uint32_t part = 0; part < parts_of[b]; part++) {
            struct kvc_vllm_group *group = &g->groups[g->groups_count];
            *group = (struct kvc_vllm_group){
                .bucket = b,
                .part = part,
                .parts = parts_of[b],
                .layers_of = &layers[(size_t)g->groups_count * workers],
                .bytes_of = &bytes[(size_t)g->groups_count * workers],
                .holds_several = g->form == KVC_VLLM_UNIFORM || g->form == KVC_VLLM_PACKED,
            };
            g->groups_count++;
        }
    }
    return KVCAP_OK;
}

/* Of the layers `first` to first + count - 1 of a lane, those that belong to a part. */
static uint32_t share_of(const struct sorting *s, const struct kvc_vllm_group *group,
                         uint32_t first, uint32_t count)
{
    bool strided = s->grouping->form == KVC_VLLM_PACKED ||
                   kvc_vllm_since(s->rules->day, KVC_VLLM_STRIDED_GROUPS);
    uint32_t part = group->part, parts = group->parts, end = first + count;
    if (strided) {
        /* x in [first, end) with x mod parts = part */
        uint32_t below_end = (end + parts - 1 - part) / parts;
        uint32_t below_first = (first + parts - 1 - part) / parts;
        return below_end - below_first;
    }
    uint32_t size = s->grouping->group_size == 0 ? end : s->grouping->group_size;
    uint32_t from = part * size, to = from + size;
    from = from < first ? first : from;
    to = to > end ? end : to;
    return to > from ? to - from : 0;
}

/* Deals the layers of every worker out to the groups, a run at a time. */
static kvcap_code deal(struct sorting *s)
{
    struct kvc_vllm_grouping *g = s->grouping;
    uint32_t *at = numbers(s, s->lanes_count + 1);
    bool *begun = kvc_arena_array(s->arena, g->groups_count + 1, sizeof *begun);
    struct ck sum = ck_u64(0);
    if (at == NULL || begun == NULL)
        return no_memory(s);
    for (uint32_t w = 0; w < s->layers->workers_count; w++) {
        const struct kvc_vllm_worker *worker = &s->layers->workers[w];
        for (uint32_t r = 0; r < worker->runs_count; r++) {
            const struct kvc_vllm_run *run = &worker->runs[r];
            const struct kvc_vllm_spec *spec = &g->specs[run->spec];
            struct ck page = kvc_vllm_page(spec);
            uint32_t *position = &at[s->lane_of[run->spec]];
            for (uint32_t i = 0; i < g->groups_count; i++) {
                struct kvc_vllm_group *group = &g->groups[i];
                if (group->bucket != s->bucket_of[run->spec])
                    continue;
                uint32_t share = share_of(s, group, *position, run->count);
                if (share == 0)
                    continue;
                if (!begun[i])
                    group->spec = *spec;
                begun[i] = true;
                group->layers += share;
                group->layers_of[w] += share;
                sum = ck_add(ck_u64(group->bytes_of[w]), ck_mul(page, ck_u64(share)));
                if (sum.over)
                    return kvc_fail(s->err, KVC_RANGE_OVERFLOW, "",
                                    "a page does not fit in 64 bits");
                group->bytes_of[w] = sum.value;
            }
            *position += run->count;
        }
    }
    return KVCAP_OK;
}

static kvcap_code one_group(struct sorting *s)
{
    static const uint32_t ONE[] = { 1 };
    sort_out(s);
    kvcap_code rc = make_groups(s, ONE);
    if (rc == KVCAP_OK && s->grouping->form == KVC_VLLM_ONE)
        s->grouping->page_bytes = kvc_vllm_page(used_spec(s, 0)).value;
    return rc == KVCAP_OK ? deal(s) : rc;
}

/* Where windows of plain heads stand beside MLA and pages cannot be unified, the windows are held whole
 * and all layers make one group. */
static bool falls_back(const struct sorting *s)
{
    bool mla = false, slides = false;
    for (uint32_t i = 0; i < s->used_count; i++) {
        enum kvc_vllm_kind kind = used_spec(s, i)->kind;
        mla = mla || kind == KVC_VLLM_MLA;
        slides = slides || kind == KVC_VLLM_SLIDING;
        if (kind != KVC_VLLM_MLA && kind != KVC_VLLM_SLIDING && kind != KVC_VLLM_FULL)
            return false;
    }
    return mla && slides;
}

static kvcap_code fall_back(struct sorting *s)
{
    struct kvc_vllm_grouping *g = s->grouping;
    uint64_t block_size = 0;
    g->form = KVC_VLLM_UNIFORM;
    g->objection = KVC_VLLM_NO_OBJECTION;
    memcpy(g->specs, s->layers->specs, s->layers->specs_count * sizeof *g->specs);
    for (uint32_t i = s->used_count; i-- > 0;) {
        if (kvc_vllm_is_full(used_spec(s, i)->kind))
            block_size = used_spec(s, i)->block_size;
    }
    for (uint32_t i = 0; i < s->used_count; i++) {
        struct kvc_vllm_spec *spec = used_spec(s, i);
        if (spec->kind != KVC_VLLM_SLIDING)
            continue;
        spec->kind = KVC_VLLM_FULL;
        spec->block_size = block_size;
    }
    return one_group(s);
}

/* ---- SHARED: groups of one size. */

/* The smallest bucket, or the largest where that pads little (_get_kv_cache_groups_uniform_page_size). */
static uint32_t group_size_of(const struct sorting *s)
{
    uint32_t least = UINT32_MAX, most = 0, day = s->rules->day;
    for (uint32_t b = 0; b < s->buckets_count; b++) {
        least = s->bucket_layers[b] < least ? s->bucket_layers[b] : least;
        most = s->bucket_layers[b] > most ? s->bucket_layers[b] : most;
    }
    bool pads_little = false;
    if (kvc_vllm_since(day, KVC_VLLM_GROUPING_1_5))
        pads_little = (uint64_t)most * 2 < (uint64_t)least * 3;
    else if (kvc_vllm_since(day, KVC_VLLM_GROUPING_1_25))
        pads_little = (uint64_t)most * 4 < (uint64_t)least * 5;
    return pads_little ? most : least;
}

static kvcap_code pad_groups(struct sorting *s, uint32_t *parts_of)
{
    struct kvc_vllm_grouping *g = s->grouping;
    g->paddings = kvc_arena_array(s->arena, s->buckets_count + 1, sizeof *g->paddings);
    if (g->paddings == NULL)
        return no_memory(s);
    for (uint32_t b = 0; b < s->buckets_count; b++) {
        uint32_t layers = s->bucket_layers[b], size = g->group_size;
        parts_of[b] = (layers + size - 1) / size;
        if (layers % size != 0)
            g->paddings[g->paddings_count++] =
                (struct kvc_vllm_padding){ size - layers % size, layers };
    }
    return KVCAP_OK;
}

static kvcap_code shared_groups(struct sorting *s)
{
    uint32_t *parts_of = numbers(s, s->used_count + 1);
    if (parts_of == NULL)
        return no_memory(s);
    sort_out(s);
    s->grouping->group_size = group_size_of(s);
    kvcap_code rc = pad_groups(s, parts_of);
    if (rc == KVCAP_OK)
        rc = make_groups(s, parts_of);
    return rc == KVCAP_OK ? deal(s) : rc;
}

/* ---- PACKED: tuples of layers. */

/* Layers of the most common page size of a bucket. */
static uint32_t tuples_of(const struct sorting *s, uint32_t bucket)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < s->used_count; i++) {
        uint32_t spec = s->used[i], layers = s->lane_layers[s->lane_of[spec]];
        if (s->bucket_of[spec] == bucket && layers > most)
            most = layers;
    }
    return most;
}

/* The number of tuples, from that of the MLA group up, at which rounding every group up to a multiple
 * of it adds least; of equals the largest. */
static uint32_t best_tuples(const struct sorting *s)
{
    uint32_t least = tuples_of(s, 0), most = least, best = least;
    uint64_t best_padding = UINT64_MAX;
    for (uint32_t b = 1; b < s->buckets_count; b++)
        most = tuples_of(s, b) > most ? tuples_of(s, b) : most;
    for (uint32_t t = least; t <= most; t++) {
        uint64_t padding = 0;
        for (uint32_t b = 0; b < s->buckets_count; b++)
            padding += (t - tuples_of(s, b) % t) % t;
        if (padding <= best_padding) {
            best_padding = padding;
            best = t;
        }
    }
    return best;
}

/* The sum of the distinct pages of the MLA group: what one tuple of it takes. */
static struct ck tuple_bytes_of(const struct sorting *s)
{
    struct ck sum = ck_u64(0);
    for (uint32_t i = 0; i < s->used_count; i++) {
        uint32_t j = 0;
        if (s->bucket_of[s->used[i]] != 0)
            continue;
        while (j < i && s->lane_of[s->used[j]] != s->lane_of[s->used[i]])
            j++;
        if (j == i)
            sum = ck_add(sum, kvc_vllm_page(used_spec(s, i)));
    }
    return sum;
}

static kvcap_code packed_groups(struct sorting *s)
{
    struct kvc_vllm_grouping *g = s->grouping;
    uint32_t *parts_of = numbers(s, s->used_count + 1);
    if (parts_of == NULL)
        return no_memory(s);
    sort_out(s);
    struct ck tuple = tuple_bytes_of(s);
    kvcap_code rc = ck_take(tuple, "a tuple of pages", &g->tuple_bytes, s->err);
    if (rc != KVCAP_OK)
        return rc;
    g->tuples = best_tuples(s);
    g->is_packed_by_slab = kvc_vllm_since(s->rules->day, KVC_VLLM_V4_PACKED);
    for (uint32_t b = 0; b < s->buckets_count; b++)
        parts_of[b] = b == 0 ? 1 : (tuples_of(s, b) + g->tuples - 1) / g->tuples;
    rc = make_groups(s, parts_of);
    return rc == KVCAP_OK ? deal(s) : rc;
}

/* ---- The decisions. */

static kvcap_code decide(struct sorting *s)
{
    struct kvc_vllm_grouping *g = s->grouping;
    bool uniform_types = kvc_vllm_since(s->rules->day, KVC_VLLM_UNIFORM_TYPE_GROUPS);
    if (all_merge(s)) {
        g->form = KVC_VLLM_ONE;
        if (windows_differ(s))
            g->objection = KVC_VLLM_WINDOWS_DIFFER;
        return one_group(s);
    }
    if (uniform_types && all_same_type(s)) {
        g->form = KVC_VLLM_UNIFORM;
        return one_group(s);
    }
    if (is_packed(s)) {
        g->form = KVC_VLLM_PACKED;
        return packed_groups(s);
    }
    g->form = KVC_VLLM_SHARED;
    unify_pages(s);
    if (g->objection == KVC_VLLM_PAGES_DIFFER && uniform_types && falls_back(s))
        return fall_back(s);
    return shared_groups(s);
}

kvcap_code kvc_vllm_group(const struct kvc_vllm_layers *layers,
                          const struct kvc_vllm_grouping_rules *rules, struct kvc_arena *arena,
                          struct kvc_vllm_grouping *ret_grouping, kvcap_error *err)
{
    struct sorting s = {
        .layers = layers, .rules = rules, .arena = arena, .grouping = ret_grouping, .err = err
    };
    *ret_grouping = (struct kvc_vllm_grouping){ .form = KVC_VLLM_NOTHING };
    kvcap_code rc = find_used(&s);
    if (rc != KVCAP_OK || s.used_count == 0)
        return rc;
    for (uint32_t i = 0; i < s.used_count; i++) {
        if (kvc_vllm_page(used_spec(&s, i)).over)
            return kvc_fail(err, KVC_RANGE_OVERFLOW, "", "a page does not fit in 64 bits");
    }
    if (rules->hybrid_manager_off)
        promote(&s);
    return decide(&s);
}
