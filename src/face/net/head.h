/* head.h - the lines above an answer's body, as far as they matter here.
 *
 * Room:   face/net.
 * In:     header lines of one HTTP answer, from anybody.
 * Out:    lengths, ranges, digests; what is malformed is as if it were absent, or marked as bad.
 * Knows:  base/.
 */
#ifndef KVC_FACE_NET_HEAD_H
#define KVC_FACE_NET_HEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/span.h"

/* Content-Range: bytes FIRST-LAST/TOTAL */
enum kvc_range_kind {
    KVC_RANGE_ABSENT,
    KVC_RANGE_BAD, /* there, but not of that form, or it contradicts itself */
    KVC_RANGE_GOOD,
};

struct kvc_head {
    enum kvc_range_kind range;
    uint64_t first, last; /* of a good range */
    uint64_t total;       /* of a good range; 0 when it was given as * */
    bool has_length;
    uint64_t length; /* Content-Length */
    bool has_linked_bytes;
    uint64_t linked_bytes;           /* X-Linked-Size: of the whole file, wherever it lies */
    char linked[KVC_SHA256_HEX + 1]; /* X-Linked-ETag where it is a SHA-256, or "" */
    char etag[KVC_SHA256_HEX + 1];   /* ETag where it looks like one, or "" */
    char error[40];                  /* X-Error-Code: a word, or "" */
    char retry_after[40];            /* plain text, or "" */
    bool encoded;                    /* a Content-Encoding other than identity */
    uint64_t bytes;                  /* of all lines so far */
};

/* The next line, with or without its line end.  A status line begins anew, but `bytes` goes on. */
void kvc_head_line(struct kvc_head *head, struct kvc_span line);

#endif /* KVC_FACE_NET_HEAD_H */
