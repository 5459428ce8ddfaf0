/* faulty_memory.c - see faulty_memory.h. */

#include "support/faulty_memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define GARBAGE 0xA5

/* Its size stands before each block, and the alignment of malloc is kept. */
struct head {
    _Alignas(16) size_t bytes;
};

static void *get(void *context, size_t bytes)
{
    struct faulty_memory *faulty = context;
    if (++faulty->gets == faulty->refuse_at)
        return NULL;
    struct head *head = malloc(sizeof *head + bytes);
    assert(head != NULL);
    head->bytes = bytes;
    memset(head + 1, GARBAGE, bytes);
    faulty->blocks++;
    faulty->bytes += bytes;
    if (faulty->bytes > faulty->bytes_peak)
        faulty->bytes_peak = faulty->bytes;
    return head + 1;
}

static void put(void *context, void *block, size_t bytes)
{
    struct faulty_memory *faulty = context;
    struct head *head = (struct head *)block - 1;
    assert(head->bytes == bytes);
    assert(faulty->blocks > 0 && faulty->bytes >= bytes);
    faulty->blocks--;
    faulty->bytes -= bytes;
    memset(block, GARBAGE, bytes);
    free(head);
}

void faulty_memory_begin(struct faulty_memory *faulty, uint64_t refuse_at)
{
    *faulty = (struct faulty_memory){ .memory = { .get = get, .put = put, .context = faulty },
                                      .refuse_at = refuse_at };
}
