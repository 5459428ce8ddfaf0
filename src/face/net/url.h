/* url.h - addresses on a hub, and where an answer may lead.
 *
 * Room:   face/net.
 * In:     an endpoint and parts of names that were checked; where a server sends us.
 * Out:    URLs; whether two have the same origin; whether a redirect may be followed.
 * Knows:  base/, libcurl's reading of URLs.
 */
#ifndef KVC_FACE_NET_URL_H
#define KVC_FACE_NET_URL_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/fail.h"
#include "base/span.h"

/* {endpoint}/api/models/{repository}/revision/{revision}; NULL: no memory. */
const char *kvc_url_of_revision(struct kvc_arena *arena, const char *endpoint,
                                struct kvc_span repository, struct kvc_span revision);

/* {endpoint}/{repository}/resolve/{commit}/{file}; NULL: no memory. */
const char *kvc_url_of_file(struct kvc_arena *arena, const char *endpoint,
                            struct kvc_span repository, struct kvc_span commit,
                            struct kvc_span file);

/* Scheme, host and port are the same: a token meant for one may go to the other.  False when either
 * cannot be read. */
bool kvc_url_same_origin(const char *a, const char *b);

/* An answer of `from` sends us to `to` (absolute).  Refuses with KVC_NET_REDIRECT what is neither
 * http nor https, and what leads from https to http; never prints `to`, which may hold a secret. */
kvcap_code kvc_url_may_follow(const char *from, const char *to, kvcap_error *err);

#endif /* KVC_FACE_NET_URL_H */
