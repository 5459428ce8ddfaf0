/* llamacpp_params.h - from settings to context parameters: the library's, or the server's and its
 * defaults.
 *
 * Room:   engine/ - pure.
 * In:     settings by the library's names or by long options, the program in front, the day.
 * Out:    context parameters, how a model is split, what the server adds.
 * Knows:  base/, json/.
 */
#ifndef KVC_ENGINE_LLAMACPP_PARAMS_H
#define KVC_ENGINE_LLAMACPP_PARAMS_H

#include "engine/engine.h"
#include "engine/llamacpp_context.h"
#include "engine/llamacpp_place.h"

/* The step that fits what was not set (common/fit.cpp). */
struct kvc_llamacpp_fit {
    bool on;
    bool is_ctx_set;                            /* by a number: the context is left alone */
    bool is_ctx_full;                           /* by -c 0: no smaller one is taken */
    bool is_split_set;                          /* -ngl, -ts, -ot: layers are left alone */
    uint64_t least_ctx;                         /* --fit-ctx */
    uint64_t margins[KVC_LLAMACPP_DEVICES_MAX]; /* bytes, --fit-target */
};

struct kvc_llamacpp_wanted {
    struct kvc_llamacpp_params params;
    struct kvc_llamacpp_split split;
    struct kvc_llamacpp_fit fit;
    bool is_server, is_program; /* a program of the repository is in front, with its defaults */
    const char *ctx_name;       /* the setting that told n_ctx, or would have */
    uint64_t slot_ctx;          /* --kv-unified-per-slot; 0: none */
    uint64_t cache_ram_mib;     /* KVC_SETTING_MINUS_ONE: no limit */
    uint64_t checkpoints;
    bool drafts; /* speculation with a draft model or head, which has a context of its own */
};

kvcap_code kvc_llamacpp_read_params(const struct kvc_engine_question *question,
                                    struct kvc_llamacpp_wanted *ret_wanted);

#endif /* KVC_ENGINE_LLAMACPP_PARAMS_H */
