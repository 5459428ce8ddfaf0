/* progress.c - see progress.h for the room and its promises. */

#include "face/cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "os/os.h"

#define SECOND_NS UINT64_C(1000000000)
#define EVERY_NS (SECOND_NS / 4)

void kvc_progress_begin(struct kvc_progress *progress, uint64_t bytes_total)
{
    *progress = (struct kvc_progress){ .bytes_total = bytes_total };
    progress->watched = bytes_total > 0 && isatty(STDERR_FILENO) == 1;
    if (progress->watched)
        progress->began_ns = progress->shown_ns = kvc_clock_ns();
}

static void show(struct kvc_progress *progress, uint64_t now_ns)
{
    uint64_t spent_ms = (now_ns - progress->began_ns) / 1000000 + 1;
    uint64_t per_second = progress->bytes_done * 1000 / spent_ms + 1;
    uint64_t left = progress->bytes_total - progress->bytes_done;
    fprintf(stderr, "\r%3" PRIu64 " %%  %" PRIu64 " MB/s  %" PRIu64 " s left ",
            progress->bytes_done * 100 / progress->bytes_total, per_second / 1000000,
            left / per_second);
    progress->shown = true;
    progress->shown_ns = now_ns;
}

void kvc_progress_add(struct kvc_progress *progress, uint64_t bytes)
{
    if (!progress->watched)
        return;
    progress->bytes_done += bytes;
    /* A file that grows while it is read has no percent. */
    if (progress->bytes_done > progress->bytes_total)
        progress->bytes_done = progress->bytes_total;
    uint64_t now_ns = kvc_clock_ns();
    if (now_ns - progress->shown_ns >= EVERY_NS)
        show(progress, now_ns);
}

void kvc_progress_end(struct kvc_progress *progress)
{
    if (progress->shown)
        fputs("\r                                        \r", stderr);
}
