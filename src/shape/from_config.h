/* from_config.h - a config.json to the shape of its model; what is not known is said, never guessed.
 *
 * Room:   shape/ - pure.
 * In:     the facts of a config.json.
 * Out:    the shape, the element type, and the source of each number.
 * Knows:  base/, json/, meta/.
 *
 * A family that has no row, or a key that bears on the cache and that the family's rule does not
 * read, makes the layers `unknown` with that key: a plan of them is UNDETERMINED.  An encoder keeps
 * no cache and is refused.
 */
#ifndef KVC_SHAPE_FROM_CONFIG_H
#define KVC_SHAPE_FROM_CONFIG_H

#include "meta/facts.h"
#include "shape/found.h"

/* Everything comes from the arena or is borrowed from the facts. */
kvcap_code kvc_shape_from_config(const struct kvc_facts *facts, struct kvc_arena *arena,
                                 struct kvc_found *ret_found, kvcap_error *err);

#endif /* KVC_SHAPE_FROM_CONFIG_H */
