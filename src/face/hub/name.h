/* name.h - hf:ORG/NAME[@REV][/FILE]: how a model on a hub is called.
 *
 * Room:   face/hub - what kvcap and kvcap-net both know of hubs; no network here.
 * In:     a word of a command line; names of files that a server lists.
 * Out:    its parts, checked: nothing that passes can leave a URL's path or a folder.
 * Knows:  base/.
 *
 * Parts go into URLs and into paths of the cache, so they are checked before either is built: ORG,
 * NAME and REV are [A-Za-z0-9._-] without "..", not beginning with a dot or a dash.  REV may also be
 * refs/WORD/WORD, as pull requests are.  Old models have a NAME alone, without FILE unless @REV
 * stands between: hf:gpt2/config.json is the model config.json of gpt2.
 */
#ifndef KVC_FACE_HUB_NAME_H
#define KVC_FACE_HUB_NAME_H

#include "base/fail.h"
#include "base/span.h"

#define KVC_HUB_PREFIX "hf:"
#define KVC_HUB_PART_BYTES_MAX 96
#define KVC_HUB_FILE_BYTES_MAX 1024
#define KVC_HUB_COMMIT_HEX 40

/* All parts borrow the word. */
struct kvc_hub_name {
    struct kvc_span repository; /* "ORG/NAME", or "NAME" */
    struct kvc_span org;        /* length 0 for an old model */
    struct kvc_span name;
    struct kvc_span revision; /* "main" where none was given */
    struct kvc_span file;     /* length 0: the model as a folder */
};

/* Whether a word means a model on a hub: it begins with hf: */
bool kvc_hub_is_name(const char *word);

/* Refuses with KVC_NET_BAD_NAME. */
kvcap_code kvc_hub_name_read(const char *word, struct kvc_hub_name *ret_name, kvcap_error *err);

/* 40 lower-case hex digits: a revision that never moves. */
bool kvc_hub_is_commit(struct kvc_span revision);

/* Lower-case hex digits, exactly so many. */
bool kvc_hub_is_hex(struct kvc_span text, size_t digits);

/* A path below the repository: text without control characters or backslash, whose parts are neither
 * empty nor "." nor "..". */
bool kvc_hub_is_file_name(struct kvc_span name);

#endif /* KVC_FACE_HUB_NAME_H */
