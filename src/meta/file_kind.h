/* file_kind.h - which name is what: the one table of the files that say what a model is.
 *
 * Room:   meta/ - no I/O.
 * In:     the name of a file.
 * Out:    its kind, by the last part of the name.
 * Knows:  base/.
 */
#ifndef KVC_META_FILE_KIND_H
#define KVC_META_FILE_KIND_H

#include <stdbool.h>

#include "base/span.h"

enum kvc_file_kind {
    KVC_FILE_OTHER,     /* is not read */
    KVC_FILE_CONFIG,    /* config.json */
    KVC_FILE_PARAMS,    /* params.json: of Mistral's format, and of Meta's */
    KVC_FILE_QUANT,     /* hf_quant_config.json */
    KVC_FILE_INDEX,     /* *.safetensors.index.json */
    KVC_FILE_TENSORS,   /* *.safetensors */
    KVC_FILE_GGUF,      /* *.gguf */
    KVC_FILE_PROJECTOR, /* mmproj*.gguf: of images, beside a model and none itself */
    KVC_FILE_KIND_COUNT
};

enum kvc_file_kind kvc_file_kind_of(struct kvc_span name);

/* Whether it lies in the folder itself and in none below. */
bool kvc_file_is_beside(struct kvc_span name);

#endif /* KVC_META_FILE_KIND_H */
