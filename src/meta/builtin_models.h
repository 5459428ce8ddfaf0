/* builtin_models.h - the table behind builtin.h: models that are widely served, a row each.
 *
 * Room:   meta/ - data, no code.
 * In:     -
 * Out:    rows in the order of their names, case put aside.
 * Knows:  nothing.
 *
 * `facts` is a config.json that holds only what bears on the cache, the context and the element
 * type; it is read by the same reader as a user's file, so there is one set of rules.  To add a
 * model: a row, with the public place where its facts can be read.
 */
#ifndef KVC_META_BUILTIN_MODELS_H
#define KVC_META_BUILTIN_MODELS_H

#include <stddef.h>

struct kvc_builtin_model {
    const char *name;   /* OWNER/MODEL, as on the hub huggingface.co */
    const char *source; /* where its facts can be read, and what was not seen there */
    const char *facts;  /* JSON */
};

/* Other names by which a row is known. */
struct kvc_builtin_alias {
    const char *alias;
    const char *name; /* of a row */
};

extern const struct kvc_builtin_model kvc_builtin_models[];
extern const size_t kvc_builtin_models_count;
extern const struct kvc_builtin_alias kvc_builtin_aliases[];
extern const size_t kvc_builtin_aliases_count;

#endif /* KVC_META_BUILTIN_MODELS_H */
