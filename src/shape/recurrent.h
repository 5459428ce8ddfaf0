/* recurrent.h - the kinds of recurrent state: what they are called and which counts they have.
 *
 * Room:   shape/ - pure.
 * In:     words of a record.
 * Out:    a rule and the names of its fields; bytes/recurrent.h says what they weigh.
 * Knows:  base/.
 *
 * A recurrent layer keeps up to two parts for a sequence, whatever its length: the last inputs of
 * a convolution, and a state.  The fields of each rule are the published layer's own.
 */
#ifndef KVC_SHAPE_RECURRENT_H
#define KVC_SHAPE_RECURRENT_H

#include <stdbool.h>

#include "base/span.h"

enum kvc_rule {
    KVC_RULE_PLAIN,           /* two numbers of elements, as somebody counted them */
    KVC_RULE_MAMBA1,          /* selective state space: Mamba, Jamba */
    KVC_RULE_MAMBA2,          /* state-space duality: Mamba-2, Nemotron-H, Granite 4, Falcon-H1 */
    KVC_RULE_GATED_DELTA_NET, /* Qwen3-Next, Qwen3.5 */
    KVC_RULE_KDA,             /* Kimi delta attention: Kimi-Linear */
    KVC_RULE_LINEAR,          /* lightning attention: MiniMax-01, Bailing */
    KVC_RULE_SHORT_CONV,      /* LFM2 */
    KVC_RULE_RWKV,            /* RWKV 4 to 7: token shift and a matrix a head */
    KVC_RULE_COUNT
};

#define KVC_RULE_DIMS_MAX 6

struct kvc_rule_row {
    const char *name;
    const char *fields[KVC_RULE_DIMS_MAX]; /* in the order of kvc_state.dims; NULL ends them */
    bool has_conv, has_state;
};

/* The row of a rule.  Static. */
const struct kvc_rule_row *kvc_rule_row(enum kvc_rule rule);

bool kvc_rule_named(struct kvc_span name, enum kvc_rule *ret_rule);

#endif /* KVC_SHAPE_RECURRENT_H */
