/* request.h - one request line of a window, fast.
 *
 * Room:   record/ - no I/O.
 * In:     a line.
 * Out:    the request and its canonical text, when the line is plain; else "not plain".
 * Knows:  base/, json/.
 *
 * A window may hold millions of requests, so the usual line has a scanner of its own: members in
 * any order and spacing, strings of printable ASCII without escapes, small integers.  A line that
 * is anything else - other alphabets, escapes, or an error - is "not plain" and goes the general
 * way, which decides.  The two are held against each other by fuzzing.
 */
#ifndef KVC_RECORD_REQUEST_H
#define KVC_RECORD_REQUEST_H

#include "record/record.h"
#include "json/write.h"

/* Reads a plain line.  False: go the general way.  Spans borrow the line.  *ret_canonical tells that
 * the line is its own canonical text. */
bool kvc_request_scan(struct kvc_span line, struct kvc_request *ret_request, bool *ret_canonical);

/* The canonical text of a request. */
void kvc_request_write(const struct kvc_request *request, const struct kvc_sink *sink);

#endif /* KVC_RECORD_REQUEST_H */
