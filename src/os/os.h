/* os.h - the door to files; the memory that rooms below the faces are handed.
 *
 * Room:   os/ - world.
 * In:     paths.
 * Out:    bytes; whole files or errors, never half of one.
 * Knows:  base/.
 */
#ifndef KVC_OS_OS_H
#define KVC_OS_OS_H

#include "base/arena.h"
#include "base/fail.h"

/* malloc and free. */
extern const struct kvc_memory kvc_os_memory;

/* A file's bytes, read as they are needed. */
struct kvc_file;

/* Opens for reading: a regular file, a pipe, or "-" for standard input.  Directories are refused. */
kvcap_code kvc_file_open(const char *path, struct kvc_file **ret_file, kvcap_error *err);

/* The next bytes into the buffer; 0 at the end. */
kvcap_code kvc_file_read(struct kvc_file *file, char *buffer, size_t room, size_t *ret_bytes,
                         kvcap_error *err);
void kvc_file_close(struct kvc_file *file); /* NULL is fine */

/* The whole of a file into the arena, at most bytes_max of it; a longer one is refused with
 * KVC_RECORD_TOO_LARGE. */
kvcap_code kvc_file_whole(const char *path, size_t bytes_max, struct kvc_arena *arena,
                          struct kvc_span *ret_text, kvcap_error *err);

/* A clock that only runs forward, for durations. */
uint64_t kvc_clock_ns(void);

/* Bytes of a regular file; 0 for anything else. */
uint64_t kvc_path_bytes(const char *path);

/* Whether two paths lead to one file. */
bool kvc_path_same(const char *a, const char *b);

/* Whether there is anything of that name; a link counts, wherever it leads. */
bool kvc_path_exists(const char *path);
bool kvc_path_is_folder(const char *path);

/* Whether the path is a regular file: one that can be read twice and whose end comes. */
bool kvc_path_is_regular(const char *path);
kvcap_code kvc_path_need_regular(const char *path, kvcap_error *err); /* the same as a refusal */

/* The beginning of a file: at most bytes_max of it; *ret_more tells that there is more. */
kvcap_code kvc_file_head(const char *path, size_t bytes_max, struct kvc_arena *arena,
                         struct kvc_span *ret_text, bool *ret_more, kvcap_error *err);

/* Writes a file whole or not at all: beside it first, then in its place. */
struct kvc_output;

/* NULL or "-" is standard output. */
kvcap_code kvc_output_open(const char *path, struct kvc_output **ret_output, kvcap_error *err);
void kvc_output_put(struct kvc_output *output, const char *bytes, size_t length);
/* Puts the file in its place; false steps of _put are reported here.  Frees the output. */
kvcap_code kvc_output_keep(struct kvc_output *output, kvcap_error *err);
/* Leaves no trace.  NULL is fine. */
void kvc_output_discard(struct kvc_output *output);

/* The names in a folder, sorted by bytes, without . and .., as C strings in the arena. */
kvcap_code kvc_folder_list(const char *path, struct kvc_arena *arena, char ***ret_names,
                           size_t *ret_count, kvcap_error *err);

/* Makes a folder and those above it, as far as they are not there. */
kvcap_code kvc_folder_make(const char *path, kvcap_error *err);

#endif /* KVC_OS_OS_H */
