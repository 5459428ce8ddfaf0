/* llamacpp_bytes.c - see llamacpp_bytes.h for the room and its promises. */

#include "engine/llamacpp_bytes.h"

#include "base/ck.h"
#include "bytes/elem.h"

/* Bytes of a tensor of `planes` times `cells` rows (ggml_nbytes, ggml/src/ggml.c): the stride between
 * rows is of whole blocks, and the last row counts in full. */
static struct ck tensor_bytes(enum kvc_format type, uint64_t elements, uint64_t cells,
                              uint64_t planes)
{
    const struct kvc_layout *layout = kvc_layout_of(type);
    if (elements == 0 || cells == 0 || planes == 0)
        return ck_u64(0);
    struct ck stride =
        ck_mul(ck_u64(elements / layout->group_elements), ck_u64(layout->group_bytes));
    struct ck last =
        ck_div_floor(ck_mul(ck_u64(elements), ck_u64(layout->group_bytes)), layout->group_elements);
    struct ck rows = ck_mul(ck_u64(cells), ck_u64(planes));
    rows.value -= 1;
    return ck_add(ck_mul(stride, rows), last);
}

/* The engine views each stream as a tensor of its own, which asserts that it lies within the whole: not
 * so once the piece of a block weighs a byte. */
static bool is_undivided(enum kvc_format type, uint64_t elements)
{
    const struct kvc_layout *layout = kvc_layout_of(type);
    return elements % layout->group_elements * layout->group_bytes >= layout->group_elements;
}

/* One layer. */
struct layer_bytes {
    struct ck k, v;
};

uint64_t kvc_llamacpp_v_elements(const struct kvc_llamacpp_cache *cache,
                                 const struct kvc_llamacpp_context *context,
                                 const struct kvc_llamacpp_rows *rows)
{
    if (!cache->has_v && !(context->is_v_kept && cache->is_mla))
        return 0;
    return context->is_v_widened ? cache->v_widest : rows->v;
}

static struct layer_bytes kv_layer(const struct kvc_llamacpp_params *params,
                                   const struct kvc_llamacpp_context *context,
                                   const struct kvc_llamacpp_weight *weight,
                                   const struct kvc_llamacpp_rows *rows)
{
    uint64_t v = kvc_llamacpp_v_elements(weight->cache, context, rows);
    return (struct layer_bytes){
        .k = tensor_bytes(params->type_k, rows->k, weight->cells, context->streams),
        .v = tensor_bytes(params->type_v, v, weight->cells, context->streams),
    };
}

static kvcap_code weigh_kv(const struct kvc_llamacpp_params *params,
                           const struct kvc_llamacpp_context *context,
                           struct kvc_llamacpp_weight *weight, bool *is_odd, kvcap_error *err)
{
    struct ck k = ck_u64(0), v = ck_u64(0);
    for (uint32_t i = 0; i < weight->cache->rows_count; i++) {
        const struct kvc_llamacpp_rows *rows = &weight->cache->rows[i];
        struct layer_bytes each = kv_layer(params, context, weight, rows);
        k = ck_add(k, ck_mul(each.k, ck_u64(rows->count)));
        v = ck_add(v, ck_mul(each.v, ck_u64(rows->count)));
        *is_odd =
            *is_odd || is_undivided(params->type_k, rows->k) ||
            is_undivided(params->type_v, kvc_llamacpp_v_elements(weight->cache, context, rows));
    }
    kvcap_code rc = ck_take(k, "bytes of keys", &weight->k_bytes, err);
    if (rc == KVCAP_OK)
        rc = ck_take(v, "bytes of values", &weight->v_bytes, err);
    return rc == KVCAP_OK ? ck_take(ck_add(k, v), "bytes of a cache", &weight->bytes, err) : rc;
}

/* Rows of f32, one a sequence and one more for each step that can be taken back. */
static kvcap_code weigh_recurrent(const struct kvc_llamacpp_context *context,
                                  struct kvc_llamacpp_weight *weight, kvcap_error *err)
{
    const struct kvc_llamacpp_cache *cache = weight->cache;
    struct ck rows = ck_u64(UINT64_C(4) * context->n_seq_max * (1 + (uint64_t)context->n_rs_seq));
    struct ck all = ck_mul(rows, ck_u64(cache->layers));
    struct ck r = ck_mul(all, ck_u64(cache->r)), s = ck_mul(all, ck_u64(cache->s));
    struct ck p = ck_mul(ck_mul(rows, ck_u64(cache->p_layers)), ck_u64(cache->p));
    kvcap_code rc =
        ck_take(ck_add(ck_add(r, s), p), "bytes of recurrent state", &weight->bytes, err);
    weight->r_bytes = r.value;
    weight->s_bytes = s.value;
    weight->p_bytes = p.value;
    return rc;
}

/* What is to be folded and its scores: two tensors of f32. */
static struct ck state_layer(const struct kvc_llamacpp_context *context,
                             const struct kvc_llamacpp_rows *rows)
{
    struct ck planes = ck_mul(ck_u64(context->streams), ck_u64(1 + (uint64_t)context->n_rs_seq));
    return ck_mul(ck_mul(ck_u64(8), ck_mul(ck_u64(rows->k), ck_u64(rows->v))), planes);
}

static kvcap_code weigh_state(const struct kvc_llamacpp_context *context,
                              struct kvc_llamacpp_weight *weight, kvcap_error *err)
{
    struct ck sum = ck_u64(0);
    for (uint32_t i = 0; i < weight->cache->rows_count; i++) {
        const struct kvc_llamacpp_rows *rows = &weight->cache->rows[i];
        sum = ck_add(sum, ck_mul(state_layer(context, rows), ck_u64(rows->count)));
    }
    return ck_take(sum, "bytes of a compressor's state", &weight->bytes, err);
}

kvcap_code kvc_llamacpp_weigh(const struct kvc_llamacpp_params *params,
                              const struct kvc_llamacpp_model *model,
                              const struct kvc_llamacpp_context *context, uint32_t day,
                              struct kvc_llamacpp_weights *ret_weights, kvcap_error *err)
{
    struct kvc_llamacpp_weights *weights = ret_weights;
    struct ck sum = ck_u64(0);
    weights->count = model->caches_count;
    weights->is_undivided = false;
    for (uint32_t i = 0; i < model->caches_count; i++) {
        struct kvc_llamacpp_weight *weight = &weights->list[i];
        kvcap_code rc;
        *weight = (struct kvc_llamacpp_weight){ .cache = &model->caches[i] };
        if (weight->cache->kind == KVC_LLAMACPP_KV) {
            weight->cells = kvc_llamacpp_cells_of(weight->cache, params, model, context, day);
            rc = weigh_kv(params, context, weight, &weights->is_undivided, err);
        } else if (weight->cache->kind == KVC_LLAMACPP_RECURRENT) {
            weight->cells = context->n_seq_max;
            rc = weigh_recurrent(context, weight, err);
        } else {
            rc = weigh_state(context, weight, err);
        }
        if (rc != KVCAP_OK)
            return rc;
        sum = ck_add(sum, ck_u64(weight->bytes));
    }
    return ck_take(sum, "bytes of a context", &weights->bytes, err);
}

static uint64_t bytes_in(const struct kvc_llamacpp_params *params,
                         const struct kvc_llamacpp_context *context,
                         const struct kvc_llamacpp_weight *weight,
                         const struct kvc_llamacpp_rows *rows, uint32_t layer)
{
    const struct kvc_llamacpp_cache *cache = weight->cache;
    if (cache->kind == KVC_LLAMACPP_STATE)
        return state_layer(context, rows).value;
    if (cache->kind == KVC_LLAMACPP_RECURRENT)
        return UINT64_C(4) * context->n_seq_max * (1 + (uint64_t)context->n_rs_seq) *
               (cache->r + cache->s +
                (cache->p_layers > 0 && layer == cache->p_layer ? cache->p : 0));
    struct layer_bytes each = kv_layer(params, context, weight, rows);
    return each.k.value + each.v.value;
}

bool kvc_llamacpp_layer_bytes(const struct kvc_llamacpp_params *params,
                              const struct kvc_llamacpp_context *context,
                              const struct kvc_llamacpp_weight *weight, uint32_t layer,
                              uint64_t *ret_bytes)
{
    for (uint32_t i = 0; i < weight->cache->rows_count; i++) {
        const struct kvc_llamacpp_rows *rows = &weight->cache->rows[i];
        if (layer < rows->first || layer - rows->first >= rows->count)
            continue;
        *ret_bytes = bytes_in(params, context, weight, rows, layer);
        return true;
    }
    return false;
}
