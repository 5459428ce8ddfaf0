/* folder.h - the files of a model's folder, as far as they are needed.
 *
 * Room:   face/cli.
 * In:     a folder, or one *.safetensors or *.gguf file.
 * Out:    the files that say what the model is: JSON whole, of tensors and GGUF files the header.
 * Knows:  all.
 */
#ifndef KVC_FACE_CLI_FOLDER_H
#define KVC_FACE_CLI_FOLDER_H

#include "base/arena.h"
#include "base/fail.h"

struct kvc_gathered {
    kvcap_model_file *files; /* names and bytes lie in the arena */
    size_t count;
};

/* Files of a folder, by name; others than those that matter are passed over. */
kvcap_code kvc_gather_folder(const char *path, struct kvc_arena *arena,
                             struct kvc_gathered *ret_gathered, kvcap_error *err);

/* One file; of a GGUF file in parts also the others that lie beside it. */
kvcap_code kvc_gather_file(const char *path, struct kvc_arena *arena,
                           struct kvc_gathered *ret_gathered, kvcap_error *err);

/* The file of that name, or NULL. */
const kvcap_model_file *kvc_gathered_named(const struct kvc_gathered *gathered, const char *name);

#endif /* KVC_FACE_CLI_FOLDER_H */
