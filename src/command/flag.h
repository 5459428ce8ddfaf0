/* flag.h - flags as they stand in a row of an engine's settings: "-c|--ctx-size|env:LLAMA_ARG_CTX_SIZE".
 *
 * Room:   command/ - pure.
 * In:     rows, a flag as given.
 * Out:    the row that has it.
 * Knows:  base/, engine/.
 *
 * Both engines take --max_model_len for --max-model-len (FlexibleArgumentParser in vllm/utils, common_params_parse
 * in common/arg.cpp); vLLM, by argparse, also --max-model for it, as long as no other flag begins so.
 */
#ifndef KVC_COMMAND_FLAG_H
#define KVC_COMMAND_FLAG_H

#include "base/fail.h"
#include "engine/settings.h"

struct kvc_flag_rows {
    const struct kvc_setting_row *rows;
    size_t count;
    bool abbreviates; /* flags may be cut short */
};

/* NULL: no row has it. */
const struct kvc_setting_row *kvc_flag_find(const struct kvc_flag_rows *rows, struct kvc_span flag,
                                            bool *ret_negated);

/* The row of a variable of the environment, or NULL. */
const struct kvc_setting_row *kvc_flag_of_variable(const struct kvc_flag_rows *rows,
                                                   struct kvc_span name);

/* The flag that is nearest to one that no row has; of length 0: none is near. */
struct kvc_span kvc_flag_nearest(const struct kvc_flag_rows *rows, struct kvc_span flag);

#endif /* KVC_COMMAND_FLAG_H */
