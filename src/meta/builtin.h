/* builtin.h - models that kvcap knows by name.
 *
 * Room:   meta/ - no I/O.
 * In:     a name, with or without its owner, in any case.
 * Out:    a row of meta/builtin_models.h.
 * Knows:  base/.
 */
#ifndef KVC_META_BUILTIN_H
#define KVC_META_BUILTIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fail.h"
#include "base/span.h"
#include "meta/builtin_models.h"

/* Whether the facts of a row were inferred from another model; its source says so first. */
bool kvc_builtin_inferred(const struct kvc_builtin_model *row);

/* The row, or NULL past the last one. */
const struct kvc_builtin_model *kvc_builtin_model_at(size_t index);

/* The row that a name means: OWNER/MODEL, an alias of it, or MODEL alone; NULL when none does. */
const struct kvc_builtin_model *kvc_builtin_model_named(struct kvc_span name);

/* The same; a name that none has is refused (usage.unknown_name) with the nearest. */
kvcap_code kvc_builtin_model_find(struct kvc_span name, const struct kvc_builtin_model **ret_model,
                                  kvcap_error *err);

#endif /* KVC_META_BUILTIN_H */
