/* folder.c - see folder.h for the room and its promises. */

#include "store/folder.h"

#include <stdio.h>
#include <string.h>

#include "os/os.h"
#include "store/stated.h"

bool kvc_path_is_yaml(const char *path)
{
    struct kvc_span span = kvc_span_of(path);
    return kvc_span_ends(span, ".yaml") || kvc_span_ends(span, ".yml");
}

static bool may_hold_records(const char *name)
{
    struct kvc_span span = kvc_span_of(name);
    return kvc_path_is_yaml(name) || kvc_span_ends(span, ".json") || kvc_span_ends(span, ".jsonl");
}

static const char *join(const char *folder, const char *name, struct kvc_arena *arena)
{
    size_t room = strlen(folder) + strlen(name) + 2;
    char *path = kvc_arena_take(arena, room);
    if (path != NULL)
        snprintf(path, room, "%s/%s", folder, name);
    return path;
}

/* A file that cannot be read states nothing, and a pipe is not waited for. */
static kvcap_code file_states(const char *path, struct kvc_span id, struct kvc_arena *scratch,
                              bool *ret_states, kvcap_error *err)
{
    *ret_states = false;
    if (!kvc_path_is_regular(path))
        return KVCAP_OK;
    struct kvc_mark mark = kvc_arena_mark(scratch);
    struct kvc_span text;
    bool more;
    kvcap_code rc = kvc_file_head(path, KVC_LOOK_BYTES, scratch, &text, &more, err);
    if (rc == KVCAP_OK)
        *ret_states = kvc_states_id(text, kvc_path_is_yaml(path), id);
    kvc_arena_rewind(scratch, mark);
    /* Want of memory says nothing of the file, so it is not passed over like an unreadable one. */
    return rc == KVCAP_E_NOMEM ? rc : KVCAP_OK;
}

kvcap_code kvc_folder_find(const char *folder, struct kvc_span id, struct kvc_arena *arena,
                           struct kvc_arena *scratch, const char **ret_path, kvcap_error *err)
{
    char **names = NULL;
    size_t count = 0;
    *ret_path = NULL;
    kvcap_code rc = kvc_folder_list(folder, arena, &names, &count, err);
    for (size_t i = 0; i < count && rc == KVCAP_OK && *ret_path == NULL; i++) {
        if (!may_hold_records(names[i]))
            continue;
        const char *path = join(folder, names[i], arena);
        if (path == NULL)
            rc = kvc_fail(err, KVC_MEMORY_FULL, folder, "looking in the folder needs more memory");
        else {
            bool states;
            rc = file_states(path, id, scratch, &states, err);
            *ret_path = states ? path : NULL;
        }
    }
    return rc;
}
