/* status.h - what an answer that brings nothing means.
 *
 * Room:   face/net.
 * In:     a status other than 200 and 206, its header, what was asked for.
 * Out:    a refusal; whether it may pass by itself.
 * Knows:  base/, face/net.
 */
#ifndef KVC_FACE_NET_STATUS_H
#define KVC_FACE_NET_STATUS_H

#include <stdbool.h>

#include "base/fail.h"
#include "face/net/head.h"

struct kvc_asked {
    const char *url; /* of the first request, which names no secret */
    bool listing;    /* the repository itself, not one of its files */
    bool with_token;
};

kvcap_code kvc_status_refuse(long status, const struct kvc_head *head,
                             const struct kvc_asked *asked, kvcap_error *err);

/* 301, 302, 303, 307, 308. */
bool kvc_status_redirects(long status);

/* A failure of the server's own, which may pass: 500, 502, 503, 504. */
bool kvc_status_may_pass(long status);

#endif /* KVC_FACE_NET_STATUS_H */
