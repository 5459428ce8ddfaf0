/* nearest.c - see nearest.h for the room and its promises. */

#include "base/nearest.h"

#define LIMIT_MAX 8

unsigned kvc_nearest_limit(struct kvc_span word)
{
    return word.length / 2 < LIMIT_MAX ? (unsigned)(word.length / 2) : LIMIT_MAX;
}

struct kvc_nearest kvc_nearest_begin(struct kvc_span word)
{
    return (struct kvc_nearest){ .word = word,
                                 .best = { "", 0 },
                                 .distance = kvc_nearest_limit(word) + 1 };
}

void kvc_nearest_offer(struct kvc_nearest *near, struct kvc_span name)
{
    unsigned distance = kvc_span_distance(near->word, name);
    if (distance >= near->distance)
        return;
    near->distance = distance;
    near->best = name;
}
