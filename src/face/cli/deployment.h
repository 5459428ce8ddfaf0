/* deployment.h - what an engine's command line says of a contract.
 *
 * Room:   face/cli.
 * Knows:  all.
 *
 * A contract has members of its own for what several engines share: ranks, formats, limits.  The rest of
 * what was given stays a setting by the engine's own name.  Without an engine these are the defaults of the
 * flags of `kvcap contract`.
 */
#ifndef KVC_FACE_CLI_DEPLOYMENT_H
#define KVC_FACE_CLI_DEPLOYMENT_H

#include "face/cli/asking.h"

struct kvc_deployment {
    const char *allocator, *allocator_version, *scheduler, *scheduler_version;
    const char *cache_k, *cache_v;    /* names of formats; NULL: the model's dtype */
    const struct kvc_value *settings; /* an object, or NULL */
    uint64_t tp, pp, dcp;
    uint64_t sequences_max, step_tokens_max;
    uint64_t sequence_tokens_max; /* 0: the model's context */
    uint64_t headroom_bytes;      /* of the device, which the engine leaves alone */
    bool is_engine;
};

extern const struct kvc_deployment kvc_deployment_plain;

/* Of what was asked: command, engine, model and settings are gathered.  Refuses what the engine would not
 * start under, and what nobody can say.  Texts live in the library's arena. */
kvcap_code kvc_deployment_of(struct kvc_asking *asking, uint64_t device_bytes,
                             struct kvc_deployment *ret_deployment, kvcap_error *err);

#endif /* KVC_FACE_CLI_DEPLOYMENT_H */
