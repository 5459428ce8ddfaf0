/* fail.h - how everything below the faces says no.
 *
 * Room:   base/ - pure.
 * In:     a slug, a place, one sentence.
 * Out:    a filled kvcap_error and its code.
 * Knows:  include/kvcap.h and the one list of slugs, base/slug.h.
 *
 * A refusal has three parts that a program can rely on - the code (its class), the slug (its
 * reason, stable) and the place - and one sentence for a person.  What to do about it belongs to
 * the slug, not to the call, so it stands once in the list and kvcap_advice() reads it there.
 */
#ifndef KVC_BASE_FAIL_H
#define KVC_BASE_FAIL_H

#include <stdbool.h>

#include "base/attr.h"
#include "base/slug.h"
#include "kvcap.h"

enum kvc_slug {
#define XX(name, text, code, advice) KVC_##name,
    KVC_SLUG_MAP(XX)
#undef XX
        KVC_SLUG_COUNT
};

/* Fills *err (which may be NULL) and returns the slug's code.  `at` may be NULL or "" for "the
 * whole thing"; one too long for the struct keeps its two ends and loses its middle.  Both texts are
 * UTF-8 afterwards, whatever went in, and the sentence has no control character. */
kvcap_code kvc_fail(kvcap_error *err, enum kvc_slug slug, const char *at, const char *format, ...)
    KVC_PRINTF(4, 5);

/* Says anew where an error lies: the caller knows where its text stands in a larger one, the callee
 * knew the pointer within it.  "/requests/3" before "/tenant"; err may be NULL. */
void kvc_fail_within(kvcap_error *err, const char *outer);

/* Adds words at the end of the sentence, as far as there is room: " (line 5)". */
void kvc_fail_add(kvcap_error *err, const char *format, ...) KVC_PRINTF(2, 3);

/* Whether an error is of this slug. */
bool kvc_fail_is(const kvcap_error *err, enum kvc_slug slug);

const char *kvc_slug_text(enum kvc_slug slug);
kvcap_code kvc_slug_code(enum kvc_slug slug);

/* What to do about a refusal, by its slug's text; "" when there is nothing to add. */
const char *kvc_slug_advice(const char *slug_text);

#endif /* KVC_BASE_FAIL_H */
