/* wide.c - see wide.h for the room and its promises. */

#include "base/wide.h"

#include <string.h>

/* ---- 128 bits ------------------------------------------------------------------------------ */

uint32_t kvc_wide_width(kvc_u128 value)
{
    uint64_t high = (uint64_t)(value >> 64), low = (uint64_t)value;
    if (high != 0)
        return 128 - (uint32_t)__builtin_clzll(high);
    return low == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(low);
}

kvc_u128 kvc_wide_shift_to_nearest(kvc_u128 value, uint32_t shift)
{
    if (shift == 0)
        return value;
    if (shift > 127) /* below 2^127 / 2^128, so under one half */
        return 0;
    kvc_u128 kept = value >> shift;
    kvc_u128 rest = value - (kept << shift);
    kvc_u128 half = (kvc_u128)1 << (shift - 1);
    bool up = rest > half || (rest == half && (kept & 1) != 0);
    return kept + up;
}

kvc_u128 kvc_wide_divide_and_jam(kvc_u128 value, uint64_t divisor)
{
    kvc_u128 quotient = value / divisor;
    return quotient | (value != quotient * divisor);
}

/* ---- Big integers -------------------------------------------------------------------------- */

void kvc_big_set(struct kvc_big *a, kvc_u128 value)
{
    a->limb[0] = (uint64_t)value;
    a->limb[1] = (uint64_t)(value >> 64);
    a->count = a->limb[1] != 0 ? 2 : a->limb[0] != 0;
}

void kvc_big_copy(struct kvc_big *to, const struct kvc_big *from)
{
    to->count = from->count;
    memcpy(to->limb, from->limb, from->count * sizeof from->limb[0]);
}

void kvc_big_multiply_add(struct kvc_big *a, uint64_t factor, uint64_t addend)
{
    kvc_u128 carry = addend;
    for (uint32_t i = 0; i < a->count; i++) {
        carry += (kvc_u128)a->limb[i] * factor;
        a->limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
    if (carry != 0)
        a->limb[a->count++] = (uint64_t)carry;
}

void kvc_big_shift_left(struct kvc_big *a, uint32_t bits)
{
    uint32_t limbs = bits / 64;
    if (a->count == 0)
        return;
    for (uint32_t i = a->count; limbs > 0 && i > 0; i--)
        a->limb[i - 1 + limbs] = a->limb[i - 1];
    memset(a->limb, 0, limbs * sizeof a->limb[0]);
    a->count += limbs;
    kvc_big_multiply_add(a, UINT64_C(1) << (bits % 64), 0);
}

uint32_t kvc_big_width(const struct kvc_big *a)
{
    return a->count == 0 ? 0 : (a->count - 1) * 64 + kvc_wide_width(a->limb[a->count - 1]);
}

int kvc_big_compare(const struct kvc_big *a, const struct kvc_big *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (uint32_t i = a->count; i > 0; i--)
        if (a->limb[i - 1] != b->limb[i - 1])
            return a->limb[i - 1] < b->limb[i - 1] ? -1 : 1;
    return 0;
}

void kvc_big_add(struct kvc_big *a, const struct kvc_big *b)
{
    kvc_u128 carry = 0;
    for (uint32_t i = 0; i < a->count || i < b->count || carry != 0; i++) {
        carry += i < a->count ? a->limb[i] : 0;
        carry += i < b->count ? b->limb[i] : 0;
        a->limb[i] = (uint64_t)carry;
        carry >>= 64;
        if (i >= a->count)
            a->count = i + 1;
    }
}

void kvc_big_subtract(struct kvc_big *a, const struct kvc_big *b)
{
    uint64_t borrow = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        kvc_u128 take = (kvc_u128)(i < b->count ? b->limb[i] : 0) + borrow;
        borrow = take > a->limb[i];
        a->limb[i] -= (uint64_t)take;
    }
    while (a->count > 0 && a->limb[a->count - 1] == 0)
        a->count--;
}

uint64_t kvc_big_divide(struct kvc_big *a, uint64_t divisor)
{
    kvc_u128 rest = 0;
    for (uint32_t i = a->count; i > 0; i--) {
        rest = rest << 64 | a->limb[i - 1];
        a->limb[i - 1] = (uint64_t)(rest / divisor);
        rest -= (kvc_u128)a->limb[i - 1] * divisor;
    }
    while (a->count > 0 && a->limb[a->count - 1] == 0)
        a->count--;
    return (uint64_t)rest;
}
