/* faulty_memory.h - memory that refuses on demand and keeps count.
 *
 * In:     which request to refuse.
 * Out:    a struct kvc_memory over malloc; how many blocks and bytes are out, and were at most.
 *
 * What it gives is filled with garbage, so that nothing relies on zeroes; what it takes back must
 * be told with the size it had, and be whole.
 */
#ifndef KVC_TEST_FAULTY_MEMORY_H
#define KVC_TEST_FAULTY_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct faulty_memory {
    struct kvc_memory memory; /* hand out the address of this one; the struct must stay in place */
    uint64_t refuse_at;       /* the get, from 1, that returns NULL; 0: none */
    uint64_t gets;            /* asked so far, the refused one included */
    size_t blocks, bytes;     /* out now */
    size_t bytes_peak;        /* out at most */
};

void faulty_memory_begin(struct faulty_memory *faulty, uint64_t refuse_at);

#endif /* KVC_TEST_FAULTY_MEMORY_H */
