/* name.c - see name.h for the room and its promises. */

#include "meta/name.h"

#include <limits.h>

#include "base/nearest.h"

static char folded(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

int kvc_name_compare(struct kvc_span a, struct kvc_span b)
{
    for (size_t i = 0; i < a.length && i < b.length; i++) {
        int difference = (unsigned char)folded(a.text[i]) - (unsigned char)folded(b.text[i]);
        if (difference != 0)
            return difference;
    }
    return (a.length > b.length) - (a.length < b.length);
}

bool kvc_name_equal(struct kvc_span a, struct kvc_span b)
{
    return a.length == b.length && kvc_name_compare(a, b) == 0;
}

bool kvc_name_has(struct kvc_span name, struct kvc_span part)
{
    for (size_t i = 0; i + part.length <= name.length; i++) {
        if (kvc_name_equal((struct kvc_span){ name.text + i, part.length }, part))
            return true;
    }
    return false;
}

/* ---- The nearest. */

#define COMPARED_MAX 64 /* kvc_span_distance takes longer texts for far apart */
#define FAR UINT_MAX

static struct kvc_span fold_into(char *room, struct kvc_span text)
{
    struct kvc_span copy = { .text = room, .length = text.length };
    for (size_t i = 0; i < text.length; i++)
        room[i] = folded(text.text[i]);
    return copy;
}

/* 0 when the name contains the word, FAR when it is not near at all. */
static unsigned distance_of(struct kvc_span word, struct kvc_span text)
{
    char a[COMPARED_MAX], b[COMPARED_MAX];
    if (word.length > 0 && kvc_name_has(text, word))
        return 0;
    if (word.length > COMPARED_MAX || text.length > COMPARED_MAX)
        return FAR;
    unsigned distance = kvc_span_distance(fold_into(a, word), fold_into(b, text));
    return distance <= kvc_nearest_limit(word) ? distance : FAR;
}

/* Takes the name out if it was offered in another way that was no nearer; false when it was. */
static bool make_way(struct kvc_near *near, const char *name, unsigned distance)
{
    size_t i = 0;
    while (i < near->count && near->best[i].name != name)
        i++;
    if (i == near->count)
        return true;
    if (near->best[i].distance <= distance)
        return false;
    near->count--;
    for (; i < near->count; i++)
        near->best[i] = near->best[i + 1];
    return true;
}

void kvc_near_offer(struct kvc_near *near, const char *name, struct kvc_span text)
{
    unsigned distance = distance_of(near->word, text);
    if (distance == FAR || !make_way(near, name, distance))
        return;
    size_t at = near->count;
    while (at > 0 && near->best[at - 1].distance > distance)
        at--;
    if (at == KVC_NEAR_MAX)
        return;
    if (near->count < KVC_NEAR_MAX)
        near->count++;
    for (size_t i = near->count - 1; i > at; i--)
        near->best[i] = near->best[i - 1];
    near->best[at].name = name;
    near->best[at].distance = distance;
}

kvcap_code kvc_near_refuse(const struct kvc_near *near, const char *what, kvcap_error *err)
{
    int length = near->word.length > 64 ? 64 : (int)near->word.length;
    kvcap_code rc = kvc_fail(err, KVC_USAGE_UNKNOWN_NAME, "", "no %s is called \"%.*s\"", what,
                             length, near->word.text);
    for (size_t i = 0; i < near->count; i++)
        kvc_fail_add(err, "%s%s", i == 0 ? "; near it is " : ", ", near->best[i].name);
    return rc;
}
