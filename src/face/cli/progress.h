/* progress.h - how far a long file is, for somebody who watches.
 *
 * Room:   face/cli.
 * In:     bytes done, of how many.
 * Out:    one line on standard error that rewrites itself: rate, percent, time left.  Nothing when
 *         standard error is no terminal, and nothing for work that is soon done.
 * Knows:  os/.
 */
#ifndef KVC_FACE_CLI_PROGRESS_H
#define KVC_FACE_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct kvc_progress {
    bool watched; /* standard error is a terminal, and the length is known */
    bool shown;
    uint64_t bytes_done, bytes_total;
    uint64_t began_ns, shown_ns;
};

void kvc_progress_begin(struct kvc_progress *progress, uint64_t bytes_total);
void kvc_progress_add(struct kvc_progress *progress, uint64_t bytes);
void kvc_progress_end(struct kvc_progress *progress); /* wipes the line */

#endif /* KVC_FACE_CLI_PROGRESS_H */
