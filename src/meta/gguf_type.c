/* gguf_type.c - see gguf_type.h for the room and its promises. */

#include "meta/gguf_type.h"

#include <stddef.h>

static const unsigned char VALUE_BYTES[KVC_GGUF_TYPE_COUNT] = {
    [KVC_GGUF_U8] = 1,  [KVC_GGUF_I8] = 1,  [KVC_GGUF_U16] = 2, [KVC_GGUF_I16] = 2,
    [KVC_GGUF_U32] = 4, [KVC_GGUF_I32] = 4, [KVC_GGUF_F32] = 4, [KVC_GGUF_BOOL] = 1,
    [KVC_GGUF_U64] = 8, [KVC_GGUF_I64] = 8, [KVC_GGUF_F64] = 8,
};

unsigned kvc_gguf_type_bytes(enum kvc_gguf_type type)
{
    return VALUE_BYTES[type];
}

/* Numbers: enum ggml_type in ggml/include/ggml.h.  Blocks: type_traits in ggml/src/ggml.c and the
 * sizes of the structs in ggml/src/ggml-common.h.  All rows from ggml 0.23.0 (llama.cpp 0.4.0).
 * Numbers that are missing: 4 and 5 (q4_2, q4_3), 31 to 33 and 36 to 38 (repacked q4_0 and iq4_nl)
 * were removed. */
static const struct kvc_gguf_block BLOCKS[KVC_GGUF_TENSOR_TYPES] = {
    [0] = { "f32", 1, 4 },         /* GGML_TYPE_F32 */
    [1] = { "f16", 1, 2 },         /* GGML_TYPE_F16 */
    [2] = { "q4_0", 32, 18 },      /* block_q4_0: half d, 16 bytes */
    [3] = { "q4_1", 32, 20 },      /* block_q4_1: half d, m, 16 bytes */
    [6] = { "q5_0", 32, 22 },      /* block_q5_0: half d, 4 + 16 bytes */
    [7] = { "q5_1", 32, 24 },      /* block_q5_1: half d, m, 4 + 16 bytes */
    [8] = { "q8_0", 32, 34 },      /* block_q8_0: half d, 32 bytes */
    [9] = { "q8_1", 32, 36 },      /* block_q8_1: half d, s, 32 bytes */
    [10] = { "q2_K", 256, 84 },    /* block_q2_K */
    [11] = { "q3_K", 256, 110 },   /* block_q3_K */
    [12] = { "q4_K", 256, 144 },   /* block_q4_K */
    [13] = { "q5_K", 256, 176 },   /* block_q5_K */
    [14] = { "q6_K", 256, 210 },   /* block_q6_K */
    [15] = { "q8_K", 256, 292 },   /* block_q8_K: float d, 256 bytes, 16 sums */
    [16] = { "iq2_xxs", 256, 66 }, /* block_iq2_xxs */
    [17] = { "iq2_xs", 256, 74 },  /* block_iq2_xs */
    [18] = { "iq3_xxs", 256, 98 }, /* block_iq3_xxs */
    [19] = { "iq1_s", 256, 50 },   /* block_iq1_s */
    [20] = { "iq4_nl", 32, 18 },   /* block_iq4_nl: half d, 16 bytes */
    [21] = { "iq3_s", 256, 110 },  /* block_iq3_s */
    [22] = { "iq2_s", 256, 82 },   /* block_iq2_s */
    [23] = { "iq4_xs", 256, 136 }, /* block_iq4_xs */
    [24] = { "i8", 1, 1 },         /* GGML_TYPE_I8 */
    [25] = { "i16", 1, 2 },        /* GGML_TYPE_I16 */
    [26] = { "i32", 1, 4 },        /* GGML_TYPE_I32 */
    [27] = { "i64", 1, 8 },        /* GGML_TYPE_I64 */
    [28] = { "f64", 1, 8 },        /* GGML_TYPE_F64 */
    [29] = { "iq1_m", 256, 56 },   /* block_iq1_m */
    [30] = { "bf16", 1, 2 },       /* GGML_TYPE_BF16 */
    [34] = { "tq1_0", 256, 54 },   /* block_tq1_0 */
    [35] = { "tq2_0", 256, 66 },   /* block_tq2_0 */
    [39] = { "mxfp4", 32, 17 },    /* block_mxfp4: one scale byte, 16 bytes */
    [40] = { "nvfp4", 64, 36 },    /* block_nvfp4: 4 scale bytes, 32 bytes */
    [41] = { "q1_0", 128, 18 },    /* block_q1_0: half d, 16 bytes */
    [42] = { "q2_0", 64, 18 },     /* block_q2_0: half d, 16 bytes */
};

const struct kvc_gguf_block *kvc_gguf_block_of(uint32_t tensor_type)
{
    if (tensor_type >= KVC_GGUF_TENSOR_TYPES || BLOCKS[tensor_type].name == NULL)
        return NULL;
    return &BLOCKS[tensor_type];
}
