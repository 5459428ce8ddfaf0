/* name.h - names that people type: found whatever their case, and the nearest told when not.
 *
 * Room:   meta/ - no I/O.
 * In:     a word, and the names of a table, one by one.
 * Out:    whether they match; a refusal that names up to three that are near.
 * Knows:  base/.
 *
 * Case is put aside for the letters of ASCII alone: names of models and devices have no others.
 */
#ifndef KVC_META_NAME_H
#define KVC_META_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fail.h"
#include "base/span.h"

bool kvc_name_equal(struct kvc_span a, struct kvc_span b);

/* Whether `part` stands anywhere in `name`; an empty part does. */
bool kvc_name_has(struct kvc_span name, struct kvc_span part);

/* Below 0, 0, above 0: the order of the tables. */
int kvc_name_compare(struct kvc_span a, struct kvc_span b);

#define KVC_NEAR_MAX 3

/* The names nearest to a word so far: those that contain it first, then by edits. */
struct kvc_near {
    struct kvc_span word;
    struct {
        const char *name; /* borrowed */
        unsigned distance;
    } best[KVC_NEAR_MAX];
    size_t count;
};

/* Compares the word with `text`, which is `name` or another way to say it. */
void kvc_near_offer(struct kvc_near *near, const char *name, struct kvc_span text);

/* usage.unknown_name: "no <what> is called ...", with the nearest names. */
kvcap_code kvc_near_refuse(const struct kvc_near *near, const char *what, kvcap_error *err);

#endif /* KVC_META_NAME_H */
