/* elem.c - see elem.h for the room and its promises. */

#include "bytes/elem.h"

#include <assert.h>

#include "base/ck.h"

/* Group layouts of the quantised formats are ggml's blocks (ggml-common.h): 32 elements with one or
 * two f16 scales, and for q5 a further 4 bytes of fifth bits.  nvfp4: 16 elements of 4 bits and one
 * fp8 scale.  The token_head formats: vLLM's one fp32 scale a head and token
 * (vllm/v1/kv_cache_interface.py at 017e9f4). */
static const struct kvc_layout LAYOUTS[KVC_FORMAT_COUNT] = {
    [KVC_FORMAT_F32] = { 1, 4, 0 },
    [KVC_FORMAT_F16] = { 1, 2, 0 },
    [KVC_FORMAT_BF16] = { 1, 2, 0 },
    [KVC_FORMAT_FP8_E4M3] = { 1, 1, 0 },
    [KVC_FORMAT_FP8_E5M2] = { 1, 1, 0 },
    [KVC_FORMAT_NVFP4] = { 16, 9, 0 },
    [KVC_FORMAT_INT8_TOKEN_HEAD] = { 1, 1, 4 },
    [KVC_FORMAT_FP8_TOKEN_HEAD] = { 1, 1, 4 },
    [KVC_FORMAT_INT4_TOKEN_HEAD] = { 2, 1, 4 },
    [KVC_FORMAT_Q8_0] = { 32, 34, 0 },
    [KVC_FORMAT_Q5_1] = { 32, 24, 0 },
    [KVC_FORMAT_Q5_0] = { 32, 22, 0 },
    [KVC_FORMAT_Q4_1] = { 32, 20, 0 },
    [KVC_FORMAT_Q4_0] = { 32, 18, 0 },
    [KVC_FORMAT_IQ4_NL] = { 32, 18, 0 },
};

const struct kvc_layout *kvc_layout_of(enum kvc_format format)
{
    return &LAYOUTS[format];
}

static kvcap_code groups_bytes(enum kvc_format format, struct ck elements, const char *at,
                               struct ck extra, uint64_t *ret_bytes, kvcap_error *err)
{
    const struct kvc_layout *layout = &LAYOUTS[format];
    assert(layout->group_elements > 0);
    if (!elements.over && elements.value % layout->group_elements != 0)
        return kvc_fail(err, KVC_CONTRACT_FORMAT_DIVIDE, at,
                        "%s keeps %u elements together, which do not divide a row of %llu",
                        kvc_format_name(format), (unsigned)layout->group_elements,
                        (unsigned long long)elements.value);
    struct ck groups = ck_div_floor(elements, layout->group_elements);
    struct ck bytes = ck_add(ck_mul(groups, ck_u64(layout->group_bytes)), extra);
    return ck_take(bytes, "bytes of a row", ret_bytes, err);
}

kvcap_code kvc_row_bytes(enum kvc_format format, uint64_t heads, uint64_t dim, const char *at,
                         uint64_t *ret_bytes, kvcap_error *err)
{
    struct ck scales = ck_mul(ck_u64(heads), ck_u64(LAYOUTS[format].head_bytes));
    return groups_bytes(format, ck_mul(ck_u64(heads), ck_u64(dim)), at, scales, ret_bytes, err);
}

kvcap_code kvc_elements_bytes(enum kvc_format format, uint64_t elements, const char *at,
                              uint64_t *ret_bytes, kvcap_error *err)
{
    return groups_bytes(format, ck_u64(elements), at, ck_u64(0), ret_bytes, err);
}

uint64_t kvc_ds_mla_token_bytes(uint32_t latent_dim, uint32_t rope_dim)
{
    if (rope_dim != 64)
        return 0;
    return latent_dim == 512 ? 656 : latent_dim == 448 ? 584 : 0;
}

uint64_t kvc_index_fp8_bytes(uint32_t index_dim)
{
    uint64_t scales = index_dim / 128 + (index_dim % 128 != 0);
    return index_dim + 4 * scales;
}
