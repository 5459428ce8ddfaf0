/* Goal: a piece of memory is as long as was asked for, whichever way it is had.
 * Method: lengths on both sides of every step of memory.c, each written from its first byte to its
 * last, several at a time, so that a sanitizer sees one that is too short, and a piece that overlaps
 * another is seen without one. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "os/os.h"

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)

static const size_t LENGTHS[] = {
    1,       64 * KIB,           MIB,         4 * MIB - 1,    4 * MIB,     4 * MIB + 1,
    5 * MIB, 4 * MIB + 64 * KIB, 6 * MIB - 1, 8 * MIB + 4096, 8 * MIB + 1, 4 * MIB + 64 * KIB + 1,
};
enum { COUNT = sizeof LENGTHS / sizeof LENGTHS[0] };

static void pieces_are_whole_and_apart(void **state)
{
    (void)state;
    unsigned char *pieces[COUNT];
    for (unsigned i = 0; i < COUNT; i++) {
        pieces[i] = kvc_os_memory.get(kvc_os_memory.context, LENGTHS[i]);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % 16, 0);
        memset(pieces[i], (int)i + 1, LENGTHS[i]);
    }
    for (unsigned i = 0; i < COUNT; i++) {
        for (size_t at = 0; at < LENGTHS[i]; at += at + 512 < LENGTHS[i] ? 511 : 1)
            assert_int_equal(pieces[i][at], i + 1);
        kvc_os_memory.put(kvc_os_memory.context, pieces[i], LENGTHS[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_whole_and_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
