/* memory.c - malloc and free, as the rooms below are handed them.  Declared in os.h. */

#define _DEFAULT_SOURCE /* madvise */

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "os/os.h"

/* A large piece is touched from its beginning on, and most of what that costs is the first touch of
 * each page: large pages, where the kernel has some, make it one touch in five hundred.  So a large
 * piece begins at one, and ends at one too unless that is for a small rest. */
#define LARGE_PAGE ((size_t)2 * 1024 * 1024)
#define LARGE_BYTES (2 * LARGE_PAGE)
#define SMALL_REST ((size_t)64 * 1024)

static void *get_large(size_t bytes)
{
    void *block;
    size_t rest = bytes % LARGE_PAGE, whole = bytes - rest;
    if (rest > SMALL_REST && whole <= SIZE_MAX - LARGE_PAGE)
        bytes = whole += LARGE_PAGE;
    if (posix_memalign(&block, LARGE_PAGE, bytes) != 0)
        return NULL;
#ifdef MADV_HUGEPAGE
    madvise(block, whole, MADV_HUGEPAGE); /* a wish: refusal changes nothing */
#endif
    return block;
}

static void *get(void *context, size_t bytes)
{
    (void)context;
    return bytes < LARGE_BYTES ? malloc(bytes) : get_large(bytes);
}

static void put(void *context, void *block, size_t bytes)
{
    (void)context;
    (void)bytes;
    free(block);
}

const struct kvc_memory kvc_os_memory = { get, put, NULL };
