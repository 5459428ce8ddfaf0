/* value.h - the words behind a flag, as a setting's value.
 *
 * Room:   command/ - pure.
 * In:     text, and the row of the setting.
 * Out:    a member of the settings, or a refusal at the flag.
 * Knows:  base/, json/, engine/.
 *
 * What an engine's own parser takes is taken: vLLM's units of counts (1k is 1000, 1K is 1024, 25.6k is
 * 25600: human_readable_int, vllm/engine/arg_utils.py), llama.cpp's words for on and off
 * (common/arg.cpp).
 */
#ifndef KVC_COMMAND_VALUE_H
#define KVC_COMMAND_VALUE_H

#include "engine/release.h"
#include "engine/settings.h"

struct kvc_command_value {
    struct kvc_build *build;
    enum kvc_engine_id engine;
    const struct kvc_setting_row *row;
    const char *at; /* the flag, in a refusal */
    struct kvc_span text;
    kvcap_error *err;
};

/* Puts a member of the row's name; there is none of it yet. */
kvcap_code kvc_command_put(const struct kvc_command_value *value, struct kvc_value *settings);

/* "true", "1", "on" and so on; false: it is none of them. */
bool kvc_command_truth(struct kvc_span text, bool *ret_truth);

/* What a member of an object is given as: --speculative-config.method mtp.  JSON where it is JSON, else
 * text, as in FlexibleArgumentParser (vllm/utils). */
kvcap_code kvc_command_put_member(struct kvc_build *build, struct kvc_value *object,
                                  const char *key, struct kvc_span text, kvcap_error *err);

#endif /* KVC_COMMAND_VALUE_H */
