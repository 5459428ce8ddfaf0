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

/* Merged specs have one window between them, or one chunk, and not both: that is an assertion, which
 * means that they do not merge. */
static bool windows_agree(const struct kvc_vllm_spec *a, const struct kvc_vllm_spec *b)
{
    bool one_window = a->window == 0 || b->window == 0 || a->window == b->window;
    bool one_chunk = a->chunk == 0 || b->chunk == 0 || a->chunk == b->chunk;
    bool windows = a->window != 0 || b->window != 0, chunks = a->chunk != 0 || b->chunk != 0;
    return a->kind != KVC_VLLM_FULL || (one_window && one_chunk && !(windows && chunks));
}

static bool all_merge(const struct sorting *s)
{
    for (uint32_t i = 1; i < s->used_count; i++) {
        if (!merge(used_spec(s, 0), used_spec(s, i)))
            return false;
        for (uint32_t j = 0; j < i; j++) {
            if (!windows_agree(used_spec(s, j), used_spec(s, i)))
                return false;
        }
    }
    return true;
}

/* FullAttentionSpec.merge looks at the windows before it looks at anything else: two of them are a
 * ValueError, which nobody catches, whatever the heads. */
static bool windows_differ(const struct sorting *s)
{
    uint64_t window = 0, chunk = 0;
    if (used_spec(s, 0)->kind != KVC_VLLM_FULL)
        return false;
    for (uint32_t i = 0; i < s->used_count; i++) {
        const struct kvc_vllm_spec *spec = used_spec(s, i);
        if (spec->kind != KVC_VLLM_FULL && spec->kind != KVC_VLLM_SINK_FULL)
            return false;
    }
    for (uint32_t i = 0; i < s->used_count; i++) {
        const struct kvc_vllm_spec *spec = used_spec(s, i);
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

static bool all_same_type_id(const struct sorting *s)
{
    for (uint32_t i = 1; i < s->used_count; i++) {
        if (!same_type_id(used_spec(s, 0), used_spec(s, i)))
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

/* ---- Promotion. */

static bool is_local(enum kvc_vllm_kind kind)
{
    return kind == KVC_VLLM_SLIDING || kind == KVC_VLLM_SLIDING_MLA || kind == KVC_VLLM_CHUNKED;
}

/* The block that the layers of full attention have; 0 where there is none, or no single one. */
static uint64_t full_block_size(const struct sorting *s, bool *ret_has_full)
{
    uint64_t block_size = 0;
    bool differ = false;
    *ret_has_full = false;
    for (uint32_t i = 0; i < s->used_count; i++) {
        const struct kvc_vllm_spec *spec = used_spec(s, i);
        if (!kvc_vllm_is_full(spec->kind))
            continue;
        *ret_has_full = true;
        differ = differ || (block_size != 0 && block_size != spec->block_size);
        block_size = spec->block_size;
    }
    return differ ? 0 : block_size;
}

/* A page that was padded stays so, and grows where what it holds has outgrown it. */
static void promote_one(struct kvc_vllm_spec *spec, uint64_t block_size)
{
    spec->block_size = block_size == 0 ? spec->block_size : block_size;
    if (spec->kind == KVC_VLLM_SLIDING_MLA) {
        spec->kind = KVC_VLLM_MLA;
        spec->window = 0;
    } else {
        spec->kind = KVC_VLLM_FULL;
    }
    if (spec->padded_bytes == 0)
        return;
    struct kvc_vllm_spec bare = *spec;
    bare.padded_bytes = 0;
    struct ck page = kvc_vllm_page(&bare);
    if (!page.over && page.value > spec->padded_bytes)
        spec->padded_bytes = page.value;
}

/* Layers that forget are accounted as layers that do not, wherever there are some of those; each keeps
 * the window that it had (_promote_local_kv_cache_specs; until v0.11 unify_hybrid_kv_cache_specs).  False
 * where the layers are then still not of one type: vLLM raises a ValueError. */
static bool promote(struct sorting *s)
{
    bool uniform_types = kvc_vllm_since(s->rules->day, KVC_VLLM_UNIFORM_TYPE_GROUPS), has_full;
    bool (*one_type)(const struct sorting *) = uniform_types ? all_same_type : all_same_type_id;
    if (all_merge(s) || one_type(s))
        return true;
    uint64_t block_size = full_block_size(s, &has_full);
    for (uint32_t i = 0; has_full && i < s->used_count; i++) {
        if (is_local(used_spec(s, i)->kind))
            promote_one(used_spec(s, i), block_size);
    }
    return all_merge(s) || windows_differ(s) || one_type(s);
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
        return kvc_vllm_since(s->rules->day, KVC_VLLM_UNIFORM_TYPE_GROUPS)
                   ? merge(a, b) && windows_agree(a, b)
                   : same_type_id(a, b);
    default:
        return true;
    }
}

/* Whether a spec is like all earlier ones of a bucket. */
static bool joins(const struct sorting *s, uint32_t i, uint32_t bucket)
{
    for (uint32_t j = 0; j < i; j++) {
        if (s->bucket_of[s->used[j]] == bucket && !same_bucket(s, used_spec(s, j), used_spec(s, i)))
            return false;
    }
    return true;
}

/* A spec joins the first bucket whose specs are like it; the MLA of a packed model is bucket 0 wherever
 * it stands. */
static void find_buckets(struct sorting *s)
{
    s->buckets_count = 0;
    for (uint32_t i = 0; i < s->used_count; i++) {
        uint32_t bucket = 0;
        while (bucket < s->buckets_count && !joins(s, i, bucket))
            bucket++;
        s->bucket_of[s->used[i]] = bucket;
        s->buckets_count += bucket == s->buckets_count;
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

/* Mamba's pages are padded to the largest; attention's blocks grow to it, and where they do not divide it
 * the page is padded if its backend can read it so.  Before that, pages had to be of one size as they came. */
static void unify_pages(struct sorting *s)
{
    struct kvc_vllm_grouping *g = s->grouping;
    bool may_grow = kvc_vllm_since(s->rules->day, KVC_VLLM_UNIFY_PAGES);
    bool may_pad = kvc_vllm_since(s->rules->day, KVC_VLLM_PADDED_PAGES);
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
        bool is_mamba = spec->kind == KVC_VLLM_MAMBA;
        if (may_grow && !is_mamba && page > 0 && most % page == 0) {
            spec->block_size *= most / page;
            spec->padded_bytes = spec->padded_bytes == 0 ? 0 : most;
        } else if ((may_grow && is_mamba) || (may_pad && spec->may_be_padded)) {
            spec->padded_bytes = most;
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

static kvcap_code fall_back(struct sorting *s, bool *ret_fell)
{
    struct kvc_vllm_grouping *g = s->grouping;
    struct kvc_vllm_spec *unified =
        kvc_arena_array(s->arena, s->layers->specs_count + 1, sizeof *unified);
    if (unified == NULL)
        return no_memory(s);
    memcpy(unified, g->specs, s->layers->specs_count * sizeof *unified);
    memcpy(g->specs, s->layers->specs, s->layers->specs_count * sizeof *g->specs);
    *ret_fell = promote(s) && all_same_type(s);
    if (!*ret_fell) {
        memcpy(g->specs, unified, s->layers->specs_count * sizeof *unified);
        return KVCAP_OK;
    }
    g->form = KVC_VLLM_UNIFORM;
    g->objection = KVC_VLLM_NO_OBJECTION;
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

/* Layers of a lane that a group has on worker w; with w past the last, on all of them. */
static uint32_t lane_share(const struct sorting *s, const struct kvc_vllm_group *group,
                           uint32_t lane, uint32_t w)
{
    uint32_t position = 0, sum = 0;
    for (uint32_t i = 0; i < s->layers->workers_count; i++) {
        const struct kvc_vllm_worker *worker = &s->layers->workers[i];
        for (uint32_t r = 0; r < worker->runs_count; r++) {
            if (s->lane_of[worker->runs[r].spec] != lane)
                continue;
            if (i == w || w >= s->layers->workers_count)
                sum += share_of(s, group, position, worker->runs[r].count);
            position += worker->runs[r].count;
        }
    }
    return sum;
}

/* What the check of a worker counts: tuples of its own layers.  A group that has none of them there is
 * taken whole (_project_kv_cache_groups_to_worker leaves its specs as they are). */
static kvcap_code count_tuples_of(struct sorting *s, uint32_t w)
{
    struct kvc_vllm_grouping *g = s->grouping;
    struct ck bytes = ck_u64(0);
    for (uint32_t i = 0; i < g->groups_count; i++) {
        const struct kvc_vllm_group *group = &g->groups[i];
        uint32_t on = group->layers_of[w] == 0 ? s->layers->workers_count : w;
        for (uint32_t lane = 0; lane < s->lanes_count; lane++) {
            uint32_t k = 0;
            while (s->lane_of[s->used[k]] != lane)
                k++;
            if (s->bucket_of[s->used[k]] != group->bucket)
                continue;
            uint32_t share = lane_share(s, group, lane, on);
            if (share > g->tuples_of[w])
                g->tuples_of[w] = share;
            if (group->bucket == 0 && share > 0)
                bytes = ck_add(bytes, kvc_vllm_page(used_spec(s, k)));
        }
    }
    return ck_take(bytes, "a tuple of pages", &g->tuple_bytes_of[w], s->err);
}

static kvcap_code packed_groups(struct sorting *s)
{
    struct kvc_vllm_grouping *g = s->grouping;
    uint32_t *parts_of = numbers(s, s->used_count + 1), workers = s->layers->workers_count;
    g->tuples_of = numbers(s, workers + 1);
    g->tuple_bytes_of = kvc_arena_array(s->arena, workers + 1, sizeof *g->tuple_bytes_of);
    if (parts_of == NULL || g->tuples_of == NULL || g->tuple_bytes_of == NULL)
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
    if (rc == KVCAP_OK)
        rc = deal(s);
    for (uint32_t w = 0; w < workers && rc == KVCAP_OK; w++)
        rc = count_tuples_of(s, w);
    return rc;
}

/* ---- The decisions. */

static kvcap_code decide(struct sorting *s)
{
    struct kvc_vllm_grouping *g = s->grouping;
    bool uniform_types = kvc_vllm_since(s->rules->day, KVC_VLLM_UNIFORM_TYPE_GROUPS);
    if (windows_differ(s)) {
        g->form = KVC_VLLM_ONE;
        g->objection = KVC_VLLM_WINDOWS_DIFFER;
        return KVCAP_OK;
    }
    if (all_merge(s)) {
        g->form = KVC_VLLM_ONE;
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
    if (g->objection == KVC_VLLM_PAGES_DIFFER && uniform_types && falls_back(s)) {
        bool fell = false;
        kvcap_code rc = fall_back(s, &fell);
        if (rc != KVCAP_OK || fell)
            return rc;
    }
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
    if (rules->hybrid_manager_off && !promote(&s)) {
        ret_grouping->objection = KVC_VLLM_NOT_ONE_TYPE;
        return KVCAP_OK;
    }
    return decide(&s);
}
