/* settings.h - what the environment says of hubs.
 *
 * Room:   face/net - it reads the environment.
 * In:     HF_ENDPOINT, HF_TOKEN, HF_HUB_OFFLINE, KVCAP_CACHE and the limits KVCAP_NET_*.
 * Out:    one struct that all else is handed: nothing below asks the environment again.
 * Knows:  base/, face/hub.
 */
#ifndef KVC_FACE_NET_SETTINGS_H
#define KVC_FACE_NET_SETTINGS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/fail.h"

#define KVC_NET_ENDPOINT "https://huggingface.co"

/* Of one request.  Each is the environment's KVCAP_NET_<NAME>, where that is set. */
struct kvc_net_limits {
    uint32_t connect_ms;    /* CONNECT_MS: until the connection stands, TLS included */
    uint32_t stall_seconds; /* STALL_SECONDS: slower than stall_bytes for so long ends it */
    uint32_t stall_bytes;   /* STALL_BYTES: a second */
    uint32_t total_seconds; /* TOTAL_SECONDS: from beginning to end */
    uint32_t retries;       /* RETRIES: after a server's failure or a body that broke off */
    uint32_t backoff_ms;    /* BACKOFF_MS: before the first retry; twice that before the next */
};

struct kvc_net_settings {
    const char *endpoint; /* "https://HOST[:PORT][/PATH]", without a slash at its end */
    const char *host;     /* the endpoint as the name of a folder */
    const char *token;    /* NULL: none.  Never printed. */
    const char *cache;    /* folder; need not exist */
    const char *ca_file;  /* certificates to trust, or NULL for the system's */
    bool offline;
    int progress; /* descriptor of a terminal that is told how far it is, or -1 */
    struct kvc_net_limits limits;
};

/* Texts live in the arena, or borrow the environment.  `progress` is -1. */
kvcap_code kvc_net_settings_read(struct kvc_arena *arena, struct kvc_net_settings *ret_settings,
                                 kvcap_error *err);

/* The defaults of the limits. */
struct kvc_net_limits kvc_net_limits_usual(void);

/* Checks an endpoint and writes it and its folder's name as they are kept. */
kvcap_code kvc_net_endpoint(const char *text, struct kvc_arena *arena,
                            struct kvc_net_settings *settings, kvcap_error *err);

#endif /* KVC_FACE_NET_SETTINGS_H */
