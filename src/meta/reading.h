/* reading.h - a folder while it is read: what folder.c and its weights share.
 *
 * Room:   meta/ - no I/O.
 * In:     the files of a folder.
 * Out:    of its tensors what the headers and the index tell, and notes where they disagree.
 * Knows:  base/, json/.
 */
#ifndef KVC_META_READING_H
#define KVC_META_READING_H

#include "meta/file_kind.h"
#include "meta/folder.h"

struct kvc_holders;

struct kvc_reading {
    struct kvc_folder_file *files;
    size_t count;
    struct kvc_arena *arena, *scratch;
    struct kvc_notes *notes;
    struct kvc_folder folder;
    struct kvc_holders *holders; /* NULL: one file, of which nothing can be said */
    bool is_twice;               /* a tensor stands in two files */
    kvcap_error *err;
};

/* Whether a file of this kind lies in the folder itself. */
bool kvc_reading_is_beside(const char *name, enum kvc_file_kind kind);

/* Says of which file a refusal is; its place stays the pointer. */
kvcap_code kvc_reading_in_file(const struct kvc_reading *r, const struct kvc_folder_file *file,
                               kvcap_code rc);

/* A file that is read as a whole. */
kvcap_code kvc_reading_whole(const struct kvc_reading *r, struct kvc_folder_file *file);

/* Fills in weights and weights_whole of the folder, whose kind is known. */
kvcap_code kvc_reading_weights(struct kvc_reading *r);

/* What the weights are, as a note. */
void kvc_reading_note_weights(const struct kvc_reading *r);

#endif /* KVC_META_READING_H */
