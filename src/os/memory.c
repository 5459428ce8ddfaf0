/* memory.c - malloc and free behind the table that everything below is handed.
 * Declared in os.h. */

#include <stdlib.h>

#include "os/os.h"

static void *get(void *context, size_t bytes)
{
    (void)context;
    return malloc(bytes);
}

static void put(void *context, void *block, size_t bytes)
{
    (void)context;
    (void)bytes;
    free(block);
}

const struct kvc_memory kvc_os_memory = { .get = get, .put = put };
