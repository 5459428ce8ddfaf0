/* llamacpp_families.h - which architecture of a GGUF file a model's family is converted to.
 *
 * Room:   engine/ - pure.
 * In:     a model_type of a config.json, or an architecture itself.
 * Out:    the architecture's row, and whether draft layers are written beside the others.
 * Knows:  base/, shape/.
 *
 * Rows were read in conversion/ of llama.cpp 0.4.0: the classes that each model class is registered for, and
 * what they do with block_count.
 */
#ifndef KVC_ENGINE_LLAMACPP_FAMILIES_H
#define KVC_ENGINE_LLAMACPP_FAMILIES_H

#include "shape/gguf_arch.h"

struct kvc_llamacpp_family {
    const struct kvc_gguf_arch *arch; /* NULL: no converter knows the family */
    bool keeps_drafts; /* draft layers are layers of the file, and cached with them */
};

struct kvc_llamacpp_family kvc_llamacpp_family_of(struct kvc_span family);

#endif /* KVC_ENGINE_LLAMACPP_FAMILIES_H */
