/* listing.h - what a hub says of a revision: its commit and its files.
 *
 * Room:   face/net - no network.
 * In:     the answer of /api/models/ORG/NAME/revision/REV, from anybody.
 * Out:    the commit, and names of files that are safe to put behind a folder or a URL.
 * Knows:  base/, json/, face/hub.
 */
#ifndef KVC_FACE_NET_LISTING_H
#define KVC_FACE_NET_LISTING_H

#include "base/arena.h"
#include "base/fail.h"

#define KVC_LISTING_BYTES_MAX ((size_t)16 * 1024 * 1024)

struct kvc_listing {
    struct kvc_span commit; /* 40 lower-case hex digits */
    struct kvc_span *names;
    size_t names_count;
};

/* Names borrow the text or live in the arena.  One name that leads out of the repository makes the
 * whole answer nonsense.  `at` is the place of refusals. */
kvcap_code kvc_listing_read(struct kvc_span text, struct kvc_arena *arena, const char *at,
                            struct kvc_listing *ret_listing, kvcap_error *err);

#endif /* KVC_FACE_NET_LISTING_H */
