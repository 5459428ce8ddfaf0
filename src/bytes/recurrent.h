/* recurrent.h - what a recurrent state weighs a sequence.
 *
 * Room:   bytes/ - pure.
 * In:     a recurrent state, the model's dtype, the tensor-parallel ranks.
 * Out:    bytes of one sequence on one rank.
 * Knows:  base/, shape/.
 *
 * With the fields of each rule by the letters of the literature and t = tp, elements are
 *
 *   rule              convolution                        state
 *   plain             conv_elements / t                  state_elements / t
 *   mamba1            (k-1) I/t                          I/t N
 *   mamba2            (k-1) (I + 2 g' N)/t               h/t d N      g' = g if t divides g, else t
 *   gated_delta_net   (k-1) (2 Hk Dk + Hv Dv)/t          Hv/t Dv Dk
 *   kda               (k-1) 3 h d/t                      h/t d d
 *   linear            -                                  h/t d d
 *   short_conv        (k-1) I/t                          -
 *   rwkv              s I                                I z          every rank keeps all
 *
 * as vllm/model_executor/layers/mamba/mamba_utils.py (017e9f4) shapes them.
 */
#ifndef KVC_BYTES_RECURRENT_H
#define KVC_BYTES_RECURRENT_H

#include <stdint.h>

#include "base/ck.h"
#include "shape/shape.h"

/* Elements of the two parts on one of `tp` ranks: of the convolution and of the state.  `uneven` where
 * the ranks do not divide one of them. */
struct kvc_recurrent_parts {
    struct ck conv, state;
    bool uneven;
};

struct kvc_recurrent_parts kvc_recurrent_elements(const struct kvc_state *state, uint32_t tp);

kvcap_code kvc_recurrent_bytes(const struct kvc_state *state, enum kvc_format dtype, uint32_t tp,
                               uint64_t *ret_bytes, kvcap_error *err);

#endif /* KVC_BYTES_RECURRENT_H */
