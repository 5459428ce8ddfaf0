/* recurrent.c - see recurrent.h for the room and its promises. */

#include "shape/recurrent.h"

static const struct kvc_rule_row ROWS[KVC_RULE_COUNT] = {
    [KVC_RULE_PLAIN] = { "plain", { "conv_elements", "state_elements" }, true, true },
    [KVC_RULE_MAMBA1] = { "mamba1", { "conv_kernel", "inner_dim", "state_dim" }, true, true },
    [KVC_RULE_MAMBA2] = { "mamba2",
                          { "conv_kernel", "inner_dim", "groups", "state_dim", "heads",
                            "head_dim" },
                          true,
                          true },
    [KVC_RULE_GATED_DELTA_NET] = { "gated_delta_net",
                                   { "conv_kernel", "key_heads", "key_dim", "value_heads",
                                     "value_dim" },
                                   true,
                                   true },
    [KVC_RULE_KDA] = { "kda", { "conv_kernel", "heads", "head_dim" }, true, true },
    [KVC_RULE_LINEAR] = { "linear", { "heads", "head_dim" }, false, true },
    [KVC_RULE_SHORT_CONV] = { "short_conv", { "conv_kernel", "inner_dim" }, true, false },
    [KVC_RULE_RWKV] = { "rwkv", { "shift_count", "inner_dim", "head_size" }, true, true },
};

const struct kvc_rule_row *kvc_rule_row(enum kvc_rule rule)
{
    return &ROWS[rule];
}

bool kvc_rule_named(struct kvc_span name, enum kvc_rule *ret_rule)
{
    for (unsigned i = 0; i < KVC_RULE_COUNT; i++) {
        if (kvc_span_is(name, ROWS[i].name)) {
            *ret_rule = (enum kvc_rule)i;
            return true;
        }
    }
    return false;
}
