/* edit_json.h - a good JSON text with one place changed, as text.
 *
 * In:     a text that is known to be JSON, a pointer into it.
 * Out:    a new text, NUL-terminated, to be freed; NULL text when the pointer leads nowhere.
 *
 * It knows nothing of scan.c, and what is put in need not be JSON: that is what it is for.
 * Pointers here know no escapes.
 */
#ifndef KVC_TEST_EDIT_JSON_H
#define KVC_TEST_EDIT_JSON_H

#include <stdbool.h>

#include "base/span.h"

struct edit_place {
    size_t begin, end;   /* of the value */
    size_t member_begin; /* of its key, or of itself in a list */
};

bool edit_find(struct kvc_span text, const char *pointer, struct edit_place *ret_place);

/* The value becomes `raw`. */
struct kvc_span edit_replace(struct kvc_span text, const char *pointer, struct kvc_span raw);

/* The member or element goes, with one comma. */
struct kvc_span edit_remove(struct kvc_span text, const char *pointer);

/* `raw` becomes the last of an object or list. */
struct kvc_span edit_add(struct kvc_span text, const char *pointer, struct kvc_span raw);

#endif /* KVC_TEST_EDIT_JSON_H */
