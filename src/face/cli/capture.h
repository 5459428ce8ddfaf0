/* capture.h - a window of requests, from whatever file, to sealed evidence.
 *
 * Room:   face/cli.
 * In:     a table, request lines, or a draft stream; and the contract in force.
 * Out:    the evidence as one object or as a stream, with its id.
 * Knows:  all.
 *
 * The id stands before the requests and is known after them, so the file is led through twice:
 * once to check and hash, once to write.  Memory does not grow with the window.
 */
#ifndef KVC_FACE_CLI_CAPTURE_H
#define KVC_FACE_CLI_CAPTURE_H

#include "face/cli/library.h"
#include "record/intake.h"

enum kvc_capture_form {
    KVC_CAPTURE_CSV,    /* a table */
    KVC_CAPTURE_LINES,  /* request lines without a header */
    KVC_CAPTURE_STREAM, /* a header line without id, then request lines */
};

struct kvc_capture {
    struct kvc_library *library;
    const char *path;
    enum kvc_capture_form form;
    struct kvc_value *header;          /* without id; of a STREAM made by the first pass */
    const struct kvc_record *contract; /* in force; NULL when it is not at hand */

    struct kvc_arena arena;
    struct kvc_sha256 *sha;
    struct kvc_evidence evidence;
    struct kvc_intake *intake;
    char id[KVC_ID_ROOM];
    uint64_t text_bytes; /* of all requests as canonical text */
};

/* The first pass: checks everything and finds the id.  Ends with kvc_capture_drop. */
kvcap_code kvc_capture_check(struct kvc_capture *capture, kvcap_error *err);

/* After the first pass: how long the evidence is as one object, with its line end. */
size_t kvc_capture_object_bytes(const struct kvc_capture *capture);

/* The second: writes it.  A file that changed meanwhile is refused, and nothing is kept. */
kvcap_code kvc_capture_write(struct kvc_capture *capture, const char *path, bool as_stream,
                             kvcap_error *err);
void kvc_capture_drop(struct kvc_capture *capture);

#endif /* KVC_FACE_CLI_CAPTURE_H */
