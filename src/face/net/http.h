/* http.h - one GET: a whole small file, or some bytes of a large one, and never more.
 *
 * Room:   face/net - the door to the network; libcurl does the protocol.
 * In:     a URL on the endpoint, and which bytes are wanted.
 * Out:    those bytes, how long the whole file is, and its SHA-256 where the hub tells it.
 * Knows:  base/, os/, libcurl.
 *
 *   GET URL --> 302 --> GET (no token: another host) --> 206 bytes 0-65535/4976698672
 *                |                                        200: read what is wanted, then hang up
 *                X-Linked-ETag, X-Linked-Size: from the endpoint alone
 *
 * Redirects are followed here and not by libcurl, so that three things are ours: the token goes to
 * the endpoint's origin and to no other, https never becomes http, and ten are enough.  The digest
 * is believed from the endpoint alone: a store behind it has ETags of its own, which may look alike.
 */
#ifndef KVC_FACE_NET_HTTP_H
#define KVC_FACE_NET_HTTP_H

#include <stdbool.h>

#include "base/digest.h"
#include "base/fail.h"
#include "face/net/settings.h"

#define KVC_HTTP_REDIRECTS_MAX 10
#define KVC_HTTP_HEAD_BYTES_MAX (UINT64_C(256) * 1024)

struct kvc_http; /* a client, with its connections */

/* `settings` is borrowed while the client lives. */
kvcap_code kvc_http_open(const struct kvc_net_settings *settings, struct kvc_http **ret_http,
                         kvcap_error *err);
void kvc_http_close(struct kvc_http *http); /* NULL is fine */

/* Bytes from the beginning of a file, as they grow.  Zeroed to begin with. */
struct kvc_body {
    char *bytes; /* malloc'd */
    size_t length, room;
};
void kvc_body_drop(struct kvc_body *body);

enum kvc_wish_kind {
    KVC_WISH_LISTING, /* whole, and a 404 means the repository or the revision */
    KVC_WISH_WHOLE,   /* whole, no longer than `until` */
    KVC_WISH_PART,    /* the bytes from body.length on, before `until` or the file's end */
};

struct kvc_wish {
    enum kvc_wish_kind kind;
    const char *url;
    uint64_t until; /* above body.length */
};

struct kvc_about {
    uint64_t file_bytes;             /* of the whole file */
    char sha256[KVC_SHA256_HEX + 1]; /* of the whole file, or "" */
};

/* Adds what is wished for to `body`.  Refused, the body is as it was.  Failures of the server and
 * bodies that broke off are tried again, as settings say. */
kvcap_code kvc_http_get(struct kvc_http *http, const struct kvc_wish *wish, struct kvc_body *body,
                        struct kvc_about *ret_about, kvcap_error *err);

#endif /* KVC_FACE_NET_HTTP_H */
