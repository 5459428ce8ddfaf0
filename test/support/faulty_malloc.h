/* faulty_malloc.h - the allocators that the library calls, refusing on demand.
 *
 * In:     which request to refuse.
 * Out:    what was asked, and what was not given back.
 *
 * It stands before malloc of our own objects (linked with --wrap), before libyaml's yaml_malloc, and
 * before libcrypto's (CRYPTO_set_mem_functions).  A program that wants it is linked with
 * --wrap in CMakeLists.txt.  Outside of begin and end everything is given.
 */
#ifndef KVC_TEST_FAULTY_MALLOC_H
#define KVC_TEST_FAULTY_MALLOC_H

#include <stdbool.h>
#include <stdint.h>

enum faulty_owner { FAULTY_NOBODY, FAULTY_OURS, FAULTY_YAML, FAULTY_CRYPTO };

/* Before anything else uses libcrypto: the first thing in main. */
void faulty_malloc_install(void);

/* From here on, the `refuse_at`-th request from 1 is refused; 0: none. */
void faulty_malloc_begin(uint64_t refuse_at);

struct faulty_tally {
    uint64_t asked;            /* requests, the refused one included */
    enum faulty_owner refused; /* whose request was refused */
    int64_t ours, yaml;        /* blocks asked since begin and not given back */
};

struct faulty_tally faulty_malloc_end(void);

/* Blocks that libcrypto holds now.  It keeps what it found out once, so this settles. */
int64_t faulty_malloc_crypto_blocks(void);

#endif /* KVC_TEST_FAULTY_MALLOC_H */
