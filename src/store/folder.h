/* folder.h - where among files a named record lies.
 *
 * Room:   store/ - world.
 * In:     a folder and an id.
 * Out:    the path of the file that states it.
 * Knows:  base/, os/.
 */
#ifndef KVC_STORE_FOLDER_H
#define KVC_STORE_FOLDER_H

#include "base/arena.h"
#include "base/fail.h"

/* How a file is written, by its name; text decides for names that say nothing. */
bool kvc_path_is_yaml(const char *path);

/* How much of a file is looked at: a whole record, or the header and more of a stream. */
#define KVC_LOOK_BYTES ((size_t)16 * 1024 * 1024)

/* The first file by name, of *.json, *.jsonl, *.yaml, *.yml in the folder (not below it), that
 * states the id; *ret_path is NULL when none does.  Files that cannot be read are passed over.  The
 * path lives in the arena; `scratch` is as before afterwards. */
kvcap_code kvc_folder_find(const char *folder, struct kvc_span id, struct kvc_arena *arena,
                           struct kvc_arena *scratch, const char **ret_path, kvcap_error *err);

#endif /* KVC_STORE_FOLDER_H */
