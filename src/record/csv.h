/* csv.h - a window of requests as a table.
 *
 * Room:   record/ - no I/O: bytes are fed, cut anywhere.
 * In:     comma-separated text (RFC 4180) whose first line names the fields of a request.
 * Out:    requests, one by one.
 * Knows:  base/.
 *
 * The columns are the words of a request, in any order; the two of a prefix may be absent, and are
 * empty together in a row without one.  Nothing else is in the table.
 */
#ifndef KVC_RECORD_CSV_H
#define KVC_RECORD_CSV_H

#include "record/record.h"

#define KVC_CSV_COLUMNS_MAX 8
#define KVC_CSV_ROW_BYTES_MAX KVC_LINE_BYTES_MAX

struct kvc_csv {
    kvcap_code (*take)(void *context, const struct kvc_request *request, uint64_t n,
                       kvcap_error *err);
    void *context;
    char *row; /* decoded cells of the row at hand, one after the other */
    size_t row_bytes;
    size_t ends[KVC_CSV_COLUMNS_MAX + 1]; /* where each cell ends */
    unsigned cells;
    unsigned columns[KVC_CSV_COLUMNS_MAX]; /* which field a column holds */
    unsigned columns_count;                /* 0: the header is still to come */
    bool carriage;                         /* a carriage return stands before */
    bool in_quotes, quote_before, cell_was_quoted, row_began;
    uint64_t line, rows;
    const struct kvc_memory *memory;
};

/* Ends with kvc_csv_drop. */
kvcap_code kvc_csv_begin(struct kvc_csv *csv, const struct kvc_memory *memory,
                         kvcap_code (*take)(void *context, const struct kvc_request *request,
                                            uint64_t n, kvcap_error *err),
                         void *context, kvcap_error *err);
kvcap_code kvc_csv_feed(struct kvc_csv *csv, const char *bytes, size_t length, kvcap_error *err);
kvcap_code kvc_csv_end(struct kvc_csv *csv, kvcap_error *err);
void kvc_csv_drop(struct kvc_csv *csv);

#endif /* KVC_RECORD_CSV_H */
