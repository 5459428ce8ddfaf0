/* check.h - what must hold of any shape, whoever described it.
 *
 * Room:   shape/ - pure.
 * In:     a shape, from a record, a reader or a hand.
 * Out:    its count of layers, or which rule it breaks and where.
 * Knows:  base/.
 */
#ifndef KVC_SHAPE_CHECK_H
#define KVC_SHAPE_CHECK_H

#include "base/fail.h"
#include "shape/shape.h"

/* The one spelling, the limits, and that every shared state names an earlier layer that keeps rows.
 * Pointers in a refusal are those of a kv-model.  Fills in shape->layers_count. */
kvcap_code kvc_shape_check(struct kvc_shape *shape, kvcap_error *err);

#endif /* KVC_SHAPE_CHECK_H */
