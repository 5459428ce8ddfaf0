/* drawn.h - layers drawn at random, for tests of shapes and of those who read them.
 *
 * The menu is short, so that equal types come back and groups have several layers, and it has every
 * kind of state that a plan can weigh.  Heads and widths divide by 8.
 */
#ifndef KVC_TEST_SHAPE_DRAWN_H
#define KVC_TEST_SHAPE_DRAWN_H

#include <stdint.h>

#include "shape/shape.h"
#include "support/chance.h"

static inline uint32_t drawn_below(struct chance *chance, uint32_t bound)
{
    return (uint32_t)chance_below(chance, bound);
}

static inline struct kvc_state drawn_state(struct chance *chance)
{
    static const uint32_t RATIOS[] = { 1, 2, 4 };
    struct kvc_state kv = { .kind = KVC_STATE_KV,
                            .kv_heads = 8u << drawn_below(chance, 3),
                            .key_dim = 64,
                            .value_dim = 64u + 64u * drawn_below(chance, 2) };
    uint32_t ratio = RATIOS[drawn_below(chance, 3)];
    uint64_t window = 128u << drawn_below(chance, 2);
    switch (drawn_below(chance, 9)) {
    case 0:
    case 1:
        kv.kind = KVC_STATE_KV_WINDOW;
        kv.window_tokens = window;
        return kv;
    case 2:
        return (struct kvc_state){ .kind = KVC_STATE_LATENT,
                                   .latent_dim = 512,
                                   .rope_dim = 64 * drawn_below(chance, 2),
                                   .compress_ratio = ratio };
    case 3:
        return (struct kvc_state){ .kind = KVC_STATE_LATENT,
                                   .latent_dim = 448,
                                   .window_tokens = window,
                                   .compress_ratio = ratio };
    case 4:
        return (struct kvc_state){ .kind = KVC_STATE_INDEX,
                                   .index_dim = 128,
                                   .index_fp8 = drawn_below(chance, 2) == 1,
                                   .compress_ratio = ratio };
    case 5:
        return (struct kvc_state){ .kind = KVC_STATE_RECURRENT,
                                   .rule = KVC_RULE_MAMBA1,
                                   .dims = { 4, 64, 8 + drawn_below(chance, 2) } };
    case 6:
        return (struct kvc_state){ .kind = KVC_STATE_SHARED }; /* reads layer 0 */
    default:
        return kv;
    }
}

/* The type of the first layer of a model: shared states of the menu read it. */
static inline struct kvc_layer_type drawn_first_type(void)
{
    return (struct kvc_layer_type){
        .states = { { .kind = KVC_STATE_KV, .kv_heads = 8, .key_dim = 64, .value_dim = 64 } },
        .states_count = 1
    };
}

static inline struct kvc_layer_type drawn_type(struct chance *chance)
{
    static const uint32_t COUNTS[] = { 1, 1, 1, 1, 2, 2, 3, 4 };
    struct kvc_layer_type type = { .states_count = COUNTS[drawn_below(chance, 8)] };
    if (drawn_below(chance, 12) == 0) {
        type.states_count = 1;
        type.states[0].kind = KVC_STATE_NONE;
        return type;
    }
    for (uint32_t i = 0; i < type.states_count; i++)
        type.states[i] = drawn_state(chance);
    return type;
}

#endif /* KVC_TEST_SHAPE_DRAWN_H */
