/* stream.h - evidence as JSON Lines: a header line, then one request a line.
 *
 * Room:   record/ - no I/O: bytes are fed, cut anywhere.
 * In:     the bytes of a stream.
 * Out:    the header, the requests one by one, and the id that the same evidence has as one object.
 * Knows:  base/, json/.
 *
 * The id needs no second pass.  The canonical text of the whole object is
 *
 *   {"captured_by":...,"reported":...   header members before "requests", without id
 *   ,"requests":[                       then each request's canonical text, commas between
 *   ],"scope":...,"window":...}         header members after it
 *
 * and each piece is hashed as it comes.  Line ends, spacing and the order of members do not matter;
 * the order of requests does.  Lines of white space alone are passed over.
 */
#ifndef KVC_RECORD_STREAM_H
#define KVC_RECORD_STREAM_H

#include "record/record.h"
#include "json/write.h"

/* Who takes what the stream holds.  Each call may refuse, which ends the stream. */
struct kvc_stream_taker {
    /* The header's tree, before it is hashed: the taker checks it, and may fill in a draft. */
    kvcap_code (*header)(void *context, struct kvc_value *tree, kvcap_error *err);
    /* The n-th request from 0; its spans live for the call. */
    kvcap_code (*request)(void *context, const struct kvc_request *request, uint64_t n,
                          kvcap_error *err);
    /* The same request's canonical text, in pieces; may be NULL. */
    const struct kvc_sink *text;
    void *context;
};

struct kvc_stream {
    struct kvc_stream_taker taker;
    struct kvc_sha256 *sha;
    struct kvc_arena header_arena, line_arena;
    struct kvc_value *header; /* NULL until the first line is read */
    char *carried;            /* the beginning of a line that was cut */
    size_t carried_bytes, carried_room;
    const struct kvc_memory *memory;
    uint64_t lines_count, requests_count;
};

/* Ends with kvc_stream_drop. */
kvcap_code kvc_stream_begin(struct kvc_stream *stream, const struct kvc_stream_taker *taker,
                            const struct kvc_memory *memory, kvcap_error *err);
kvcap_code kvc_stream_feed(struct kvc_stream *stream, const char *bytes, size_t length,
                           kvcap_error *err);

/* For a window that does not arrive as JSON Lines: the header (once, checked by the caller; the tree
 * lives as long as the stream), then each request. */
void kvc_stream_header(struct kvc_stream *stream, struct kvc_value *tree);
kvcap_code kvc_stream_request(struct kvc_stream *stream, const struct kvc_request *request,
                              kvcap_error *err);

/* The end of the stream.  Refuses an id that is stated and is not this one. */
kvcap_code kvc_stream_end(struct kvc_stream *stream, char ret_id[KVC_ID_ROOM], kvcap_error *err);
void kvc_stream_drop(struct kvc_stream *stream); /* harmless on a zeroed stream */

#endif /* KVC_RECORD_STREAM_H */
