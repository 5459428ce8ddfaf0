/* series.c - see series.h for the room and its promises. */

#include "meta/series.h"

#include <string.h>

static const char OF[] = "-of-";

enum { DIGITS = 5 };

static bool number_at(const char *text, uint32_t *ret_number)
{
    *ret_number = 0;
    for (unsigned i = 0; i < DIGITS; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        *ret_number = *ret_number * 10 + (uint32_t)(text[i] - '0');
    }
    return true;
}

struct kvc_series kvc_series_of(struct kvc_span name)
{
    static const size_t TAIL = 1 + DIGITS + (sizeof OF - 1) + DIGITS; /* "-00002-of-00009" */
    struct kvc_series whole = { .stem = name, .number = 1, .count = 1 };
    size_t end = name.length; /* where the ending begins */
    while (end > 0 && name.text[end - 1] != '.' && name.text[end - 1] != '/')
        end--;
    if (end == 0 || name.text[end - 1] != '.' || end - 1 < TAIL)
        return whole;
    end--;
    const char *at = name.text + end - TAIL;
    uint32_t number, count;
    if (at[0] != '-' || !number_at(at + 1, &number) ||
        memcmp(at + 1 + DIGITS, OF, sizeof OF - 1) != 0 ||
        !number_at(at + DIGITS + sizeof OF, &count) || number == 0 || number > count)
        return whole;
    return (struct kvc_series){ .stem = { name.text, end - TAIL },
                                .ending = { name.text + end, name.length - end },
                                .number = number,
                                .count = count,
                                .is_part = true };
}

bool kvc_series_same(const struct kvc_series *a, const struct kvc_series *b)
{
    return a->is_part && b->is_part && a->count == b->count && kvc_span_equal(a->stem, b->stem) &&
           kvc_span_equal(a->ending, b->ending);
}

static bool has_number(const struct kvc_series *series, const char *const *names, size_t count,
                       uint32_t number)
{
    for (size_t i = 0; i < count; i++) {
        struct kvc_series other = kvc_series_of(kvc_span_of(names[i]));
        if (other.number == number && kvc_series_same(series, &other))
            return true;
    }
    return false;
}

uint32_t kvc_series_missing(const struct kvc_series *series, const char *const *names,
                            size_t names_count)
{
    uint32_t here = 0, number = 1;
    if (!series->is_part)
        return 0;
    for (size_t i = 0; i < names_count; i++) {
        struct kvc_series other = kvc_series_of(kvc_span_of(names[i]));
        here += kvc_series_same(series, &other) ? 1 : 0;
    }
    if (here >= series->count)
        return 0;
    /* Ends at here + 1 at the latest: so many numbers cannot all be taken. */
    while (has_number(series, names, names_count, number))
        number++;
    return number;
}

bool kvc_series_is_doubtful(const struct kvc_series *series)
{
    for (size_t i = 0; !series->is_part && i + sizeof OF <= series->stem.length; i++) {
        const char *at = series->stem.text + i;
        char digit = at[sizeof OF - 1];
        if (memcmp(at, OF, sizeof OF - 1) == 0 && digit >= '0' && digit <= '9')
            return true;
    }
    return false;
}
