/* chance.c - see chance.h. */

#include "support/chance.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdlib.h>

#define SEED UINT64_C(20240611)

struct chance chance_begin(void)
{
    const char *wish = getenv("KVC_TEST_SEED");
    uint64_t seed = wish != NULL ? strtoull(wish, NULL, 10) : SEED;
    return (struct chance){ .seed = seed, .state = seed };
}

uint64_t chance_next(struct chance *chance)
{
    uint64_t z = chance->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

uint64_t chance_below(struct chance *chance, uint64_t bound)
{
    return chance_next(chance) % bound;
}

bool chance_one_in(struct chance *chance, uint64_t n)
{
    return chance_below(chance, n) == 0;
}

uint64_t chance_edgy(struct chance *chance)
{
    uint64_t wide = chance_next(chance) >> chance_below(chance, 64);
    uint64_t power = UINT64_C(1) << chance_below(chance, 64);
    switch (chance_below(chance, 6)) {
    case 0:
        return wide;
    case 1:
        return power + chance_below(chance, 3);
    case 2:
        return power - 1 - chance_below(chance, 3);
    case 3:
        return UINT64_MAX - chance_below(chance, 4);
    case 4:
        return chance_below(chance, 20);
    default:
        return wide & ~(power - 1);
    }
}

uint32_t chance_code_point(struct chance *chance)
{
    static const uint32_t EDGES[] = { 0x00,   0x1F,    0x20,    0x22,    0x2F,    0x5C,   0x7E,
                                      0x7F,   0x80,    0x85,    0x9F,    0xA0,    0x7FF,  0x800,
                                      0x2028, 0xD7FF,  0xE000,  0xFEFF,  0xFFFD,  0xFFFE, 0xFFFF,
                                      0xFB33, 0x10000, 0x1F600, 0xFFFFF, 0x10FFFF };
    uint32_t point;
    switch (chance_below(chance, 4)) {
    case 0:
        return EDGES[chance_below(chance, sizeof EDGES / sizeof EDGES[0])];
    case 1:
        return 0x20 + (uint32_t)chance_below(chance, 0x5F);
    case 2:
        point = (uint32_t)chance_below(chance, 0x10000);
        break;
    default:
        point = (uint32_t)chance_below(chance, 0x110000);
        break;
    }
    return point >= 0xD800 && point <= 0xDFFF ? point - 0xD800 : point;
}

size_t chance_put_utf8(uint32_t point, char ret_bytes[4])
{
    unsigned char *out = (unsigned char *)ret_bytes;
    if (point < 0x80) {
        out[0] = (unsigned char)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (unsigned char)(0xC0 + point / 64);
        out[1] = (unsigned char)(0x80 + point % 64);
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (unsigned char)(0xE0 + point / 4096);
        out[1] = (unsigned char)(0x80 + point / 64 % 64);
        out[2] = (unsigned char)(0x80 + point % 64);
        return 3;
    }
    out[0] = (unsigned char)(0xF0 + point / 262144);
    out[1] = (unsigned char)(0x80 + point / 4096 % 64);
    out[2] = (unsigned char)(0x80 + point / 64 % 64);
    out[3] = (unsigned char)(0x80 + point % 64);
    return 4;
}

void chance_broken(const struct chance *chance, const char *condition, const char *file, int line)
{
    print_error("%s\nnot with KVC_TEST_SEED=%" PRIu64 "\n", condition, chance->seed);
    _fail(file, line);
}
