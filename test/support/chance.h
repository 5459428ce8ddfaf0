/* chance.h - chance from a seed, for tests that try many cases.
 *
 * In:     KVC_TEST_SEED in the environment, or the seed that is built in.
 * Out:    the same numbers on every machine; a failure that tells the seed.
 *
 * A test holds its own struct chance and begins it anew, so that any test can be repeated alone.
 */
#ifndef KVC_TEST_CHANCE_H
#define KVC_TEST_CHANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct chance {
    uint64_t seed;  /* what it began with */
    uint64_t state; /* splitmix64's */
};

struct chance chance_begin(void);

uint64_t chance_next(struct chance *chance);

/* Below `bound`, which is at least 1. */
uint64_t chance_below(struct chance *chance, uint64_t bound);

/* True once in `n`. */
bool chance_one_in(struct chance *chance, uint64_t n);

/* Integers of any width, leaning to where carries and limits are: near powers of two, near 2^64. */
uint64_t chance_edgy(struct chance *chance);

/* A Unicode scalar value (no surrogate), leaning to where encodings change. */
uint32_t chance_code_point(struct chance *chance);

/* UTF-8 of a scalar value; its length. */
size_t chance_put_utf8(uint32_t point, char ret_bytes[4]);

/* Fails the running test when the condition does not hold, and tells the seed. */
#define chance_check(chance, condition)                                                            \
    ((condition) ? (void)0 : chance_broken((chance), #condition, __FILE__, __LINE__))

void chance_broken(const struct chance *chance, const char *condition, const char *file, int line);

#endif /* KVC_TEST_CHANCE_H */
