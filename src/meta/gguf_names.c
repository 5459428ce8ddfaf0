/* gguf_names.c - see gguf_names.h for the room and its promises. */

#include "meta/gguf_names.h"

struct names {
    const char *structs;
    size_t stride;
};

static int compare(const struct names *names, uint32_t a, uint32_t b)
{
    const void *one = names->structs + names->stride * a;
    const void *other = names->structs + names->stride * b;
    return kvc_span_compare(*(const struct kvc_span *)one, *(const struct kvc_span *)other);
}

/* from[begin, middle) and from[middle, end) become to[begin, end); of equal names the left one
 * comes first, so that equal names stay in the order of the file. */
static void merge(const struct names *names, const uint32_t *from, uint32_t *to, size_t begin,
                  size_t middle, size_t end)
{
    size_t left = begin, right = middle;
    for (size_t at = begin; at < end; at++) {
        bool take_left =
            left < middle && (right == end || compare(names, from[left], from[right]) <= 0);
        to[at] = take_left ? from[left++] : from[right++];
    }
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Sorts by merging runs of 1, 2, 4, ... from one array into the other; the one that holds the
 * answer. */
static uint32_t *sort(const struct names *names, uint32_t *order, uint32_t *other, size_t count)
{
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t begin = 0; begin < count; begin += 2 * width)
            merge(names, order, other, begin, least(begin + width, count),
                  least(begin + 2 * width, count));
        uint32_t *sorted = other;
        other = order;
        order = sorted;
    }
    return order;
}

static uint32_t first_duplicate(const struct names *names, const uint32_t *order, uint32_t count)
{
    uint32_t first = KVC_NO_DUPLICATE;
    for (uint32_t i = 1; i < count; i++) {
        if (order[i] < first && compare(names, order[i - 1], order[i]) == 0)
            first = order[i];
    }
    return first;
}

bool kvc_gguf_sort_names(struct kvc_arena *arena, const void *structs, size_t stride,
                         uint32_t count, const uint32_t **ret_order, uint32_t *ret_duplicate)
{
    struct names names = { .structs = structs, .stride = stride };
    uint32_t *order = kvc_arena_array(arena, count, sizeof *order);
    uint32_t *other = kvc_arena_array(arena, count, sizeof *other);
    if (order == NULL || other == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    order = sort(&names, order, other, count);
    *ret_duplicate = first_duplicate(&names, order, count);
    *ret_order = order;
    return true;
}
