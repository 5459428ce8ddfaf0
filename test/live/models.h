/* models.h - tiny models of many architectures, as a table.
 *
 * A model is a few sizes, each called by one letter; its keys and its tensors are formulas of them:
 *
 *   sizes    "D=16 K=1"                 after those of SIZES in models.c, which it overrides
 *   keys     "attention.head_count=H"   without the architecture before them; a number is u32, `f1e-5`
 *                                       f32, `true` and `false` bool, `[K,0,K]` a list of u32,
 *                                       `w[K,K]` one of u64
 *   tensors  "attn_q[E,H*D]"            ".weight" is added, unless the name has a dot at its end
 *                                       (nothing is added) or ends in .bias, .scale or .weight
 *   plan     "abba"                     a letter a layer: layers[0] is a's tensors, layers[1] b's;
 *                                       their names get "blk.N." before them
 *
 * Formulas know + - * / and brackets, and L, the number of layers.  All tensors are f32 zeros.
 *
 * Names and shapes were read in src/models/ and src/llama-arch.cpp of llama.cpp 0.4.0; the engine loads each of
 * these files, so it agrees.
 */
#ifndef KVC_TEST_LIVE_MODELS_H
#define KVC_TEST_LIVE_MODELS_H

#include <stddef.h>

struct live_model {
    const char *name; /* of the file */
    const char *arch;
    const char *sizes;
    const char *keys;
    const char *whole; /* tensors of no layer */
    const char *plan;
    const char *layers[4];
};

extern const char *const live_sizes;
extern const struct live_model live_models[];
extern const size_t live_models_count;

#endif /* KVC_TEST_LIVE_MODELS_H */
