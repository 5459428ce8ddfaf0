/* stated.h - which id a text states, without reading it whole.
 *
 * Room:   store/ - world, though this file only looks at bytes.
 * In:     the text of a file that may or may not be a record.
 * Out:    the id at its top level, if it has one.
 * Knows:  base/.
 *
 * A folder holds other files too, some of them broken.  Only the file that states the wanted id is
 * read as a record; of all others nothing is asked but this, and nothing they hold is an error.
 */
#ifndef KVC_STORE_STATED_H
#define KVC_STORE_STATED_H

#include "base/span.h"

/* The text value of the member "id" of an object, one level deep.  Brackets and strings are
 * followed, nothing else is checked.  Length 0: it states none. */
struct kvc_span kvc_stated_json(struct kvc_span text);

/* The value of the first line `id: ...` at the left edge; a text that begins with `{` is taken for
 * JSON. */
struct kvc_span kvc_stated_yaml(struct kvc_span text);

/* Whether the text, a record or JSON Lines of several, states the id. */
bool kvc_states_id(struct kvc_span text, bool is_yaml, struct kvc_span id);

#endif /* KVC_STORE_STATED_H */
