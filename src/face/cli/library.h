/* library.h - the records that a command was given, and those that they name.
 *
 * Room:   face/cli.
 * In:     files: a record, JSON Lines of several, a window as a stream.
 * Out:    records by file, by kind, by id.
 * Knows:  all.
 *
 * A named record is looked for among the files given, then in the folder of the file that names it,
 * then in each --records folder.  A record whose content does not have its stated id is kept as an
 * entry that says so: whoever needs it is refused, and verify tells.
 */
#ifndef KVC_FACE_CLI_LIBRARY_H
#define KVC_FACE_CLI_LIBRARY_H

#include "face/api/handle.h"
#include "face/cli/cli.h"
#include "record/stream.h"

struct kvc_entry {
    const char *path;
    kvcap_record *handle;  /* NULL for a stream, and for what was refused */
    kvcap_record *altered; /* what was refused for its id alone, or NULL */
    enum kvc_kind kind;    /* NONE when it was refused */
    char id[KVC_ID_ROOM];  /* computed; for a stream or an altered record, as stated */
    bool is_stream;
    char contract[KVC_ID_ROOM]; /* that a stream's header names; "" when it names none */
    struct kvc_span text;       /* of a stream that cannot be read twice; else length 0 */
    kvcap_error refusal;        /* code OK: none */
};

struct kvc_library {
    const struct kvc_call *call;
    struct kvc_arena arena;     /* paths, and texts that cannot be read twice */
    struct kvc_arena scratch;   /* of one file at a time */
    struct kvc_entry **entries; /* each stays where it is */
    size_t entries_count, entries_room;
};

/* Ends with kvc_library_drop. */
void kvc_library_open(struct kvc_library *library, const struct kvc_call *call);
void kvc_library_drop(struct kvc_library *library);

/* Reads a file.  Its entries are those from *ret_first to the last.  A file that cannot be read at
 * all, or holds something that is no record, is refused with its path in the sentence. */
kvcap_code kvc_library_load(struct kvc_library *library, const char *path, size_t *ret_first,
                            kvcap_error *err);

/* Whether a text is a window as JSON Lines with a header: sealed or a draft.  And whether a file is,
 * which a pipe never is, since it would be read twice. */
bool kvc_text_is_stream(struct kvc_library *library, const char *path, struct kvc_span text);
kvcap_code kvc_library_is_stream(struct kvc_library *library, const char *path, bool *ret_is,
                                 kvcap_error *err);

/* How a text is to be read: by the file's name, or where that says nothing by how it begins. */
bool kvc_text_is_yaml(const char *path, struct kvc_span text);

/* An entry for a record that was made just now; the library then owns it.  NULL: no memory. */
struct kvc_entry *kvc_library_add(struct kvc_library *library, const char *path,
                                  kvcap_record *handle);

/* The only record of a kind in a file; E_USAGE when it holds none or several, and the entry's own
 * refusal when it has one. */
kvcap_code kvc_library_take(struct kvc_library *library, const char *path, enum kvc_kind kind,
                            struct kvc_entry **ret_entry, kvcap_error *err);

/* The record with this id: in the files given, near the file that names it (or NULL), in a folder of
 * --records, or a model that is known by name. */
kvcap_code kvc_library_find(struct kvc_library *library, struct kvc_span id, const char *near,
                            struct kvc_entry **ret_entry, kvcap_error *err);

/* For sealing: finds by id near a file; records that are not at hand are NULL. */
struct kvc_shelf_near {
    struct kvc_library *library;
    const char *near;
    kvcap_error refusal; /* of a record that is at hand and was refused, such as an altered one */
};
struct kvc_naming kvc_library_naming(struct kvc_shelf_near *shelf);

/* What sealing came to: a named record that was refused goes before whatever followed from it. */
kvcap_code kvc_shelf_judge(const struct kvc_shelf_near *shelf, kvcap_code rc, kvcap_error *err);

/* Adds to a refusal which file it is of, and returns its code; line 0 says none.  The place stays
 * the pointer alone, so that a program can use it. */
kvcap_code kvc_in_file(const char *path, size_t line, kvcap_code rc, kvcap_error *err);

/* Leads a stream's bytes to its end. */
kvcap_code kvc_entry_feed(const struct kvc_entry *entry, struct kvc_stream *stream,
                          kvcap_error *err);

/* The same for any file. */
kvcap_code kvc_feed_file(const char *path,
                         kvcap_code (*feed)(void *context, const char *bytes, size_t length,
                                            kvcap_error *err),
                         void *context, kvcap_error *err);

#endif /* KVC_FACE_CLI_LIBRARY_H */
