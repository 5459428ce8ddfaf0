/* flag.c - see flag.h for the room and its promises. */

#include "command/flag.h"

#include <string.h>

#include "base/nearest.h"

static const char VARIABLE[] = "env:";

/* The next of the flags between bars, or false. */
static bool next_flag(const char **flags, struct kvc_span *ret_flag)
{
    if (*flags == NULL || **flags == '\0')
        return false;
    const char *bar = strchr(*flags, '|');
    size_t length = bar == NULL ? strlen(*flags) : (size_t)(bar - *flags);
    *ret_flag = (struct kvc_span){ *flags, length };
    *flags += length + (bar != NULL);
    return true;
}

/* Whether `known` begins with what was given, and how much of it is left. */
static bool begins(struct kvc_span known, struct kvc_span given, size_t *ret_rest)
{
    bool is_long = given.length > 2 && given.text[0] == '-' && given.text[1] == '-';
    if (given.length > known.length)
        return false;
    for (size_t i = 0; i < given.length; i++) {
        char c = given.text[i];
        if (is_long && i > 1 && c == '_')
            c = '-';
        if (c != known.text[i])
            return false;
    }
    *ret_rest = known.length - given.length;
    return true;
}

enum fit { NOT, IN_PART, WHOLE };

static enum fit fits(const char *flags, struct kvc_span given)
{
    enum fit best = NOT;
    struct kvc_span known;
    size_t rest;
    while (next_flag(&flags, &known)) {
        if (!begins(known, given, &rest))
            continue;
        if (rest == 0)
            return WHOLE;
        best = IN_PART;
    }
    return best;
}

const struct kvc_setting_row *kvc_flag_find(const struct kvc_flag_rows *rows, struct kvc_span flag,
                                            bool *ret_negated)
{
    const struct kvc_setting_row *in_part = NULL;
    bool part_negated = false;
    size_t parts = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const struct kvc_setting_row *row = &rows->rows[i];
        enum fit yes = fits(row->flags, flag), no = fits(row->no_flags, flag);
        if (yes == WHOLE || no == WHOLE) {
            *ret_negated = yes != WHOLE;
            return row;
        }
        if (yes == NOT && no == NOT)
            continue;
        in_part = row;
        part_negated = yes == NOT;
        parts += yes != NOT;
        parts += no != NOT;
    }
    bool is_long = flag.length > 2 && flag.text[0] == '-' && flag.text[1] == '-';
    *ret_negated = part_negated;
    return rows->abbreviates && is_long && parts == 1 ? in_part : NULL;
}

const struct kvc_setting_row *kvc_flag_of_variable(const struct kvc_flag_rows *rows,
                                                   struct kvc_span name)
{
    for (size_t i = 0; i < rows->count; i++) {
        const char *flags = rows->rows[i].flags;
        struct kvc_span known;
        while (next_flag(&flags, &known)) {
            size_t prefix = strlen(VARIABLE);
            if (!kvc_span_starts(known, VARIABLE))
                continue;
            if (kvc_span_equal((struct kvc_span){ known.text + prefix, known.length - prefix },
                               name))
                return &rows->rows[i];
        }
    }
    return NULL;
}

/* One that begins as it does is meant before one that looks like it. */
struct kvc_span kvc_flag_nearest(const struct kvc_flag_rows *rows, struct kvc_span flag)
{
    struct kvc_nearest near = kvc_nearest_begin(flag);
    size_t rest;
    for (size_t i = 0; i < 2 * rows->count; i++) {
        const struct kvc_setting_row *row = &rows->rows[i / 2];
        const char *flags = i % 2 == 0 ? row->flags : row->no_flags;
        struct kvc_span known;
        while (next_flag(&flags, &known)) {
            if (flag.length > 3 && begins(known, flag, &rest))
                return known;
            if (known.length > 0 && known.text[0] == '-')
                kvc_nearest_offer(&near, known);
        }
    }
    return near.best;
}
