/* verbs.h - one function a verb, one file a verb or two.
 *
 * Room:   face/cli.
 * Knows:  all.
 */
#ifndef KVC_FACE_CLI_VERBS_H
#define KVC_FACE_CLI_VERBS_H

#include "bytes/layer.h"
#include "face/api/handle.h"
#include "face/cli/cli.h"
#include "face/cli/library.h"

int kvc_verb_inspect(const struct kvc_call *call);
int kvc_verb_size(const struct kvc_call *call);
int kvc_verb_contract(const struct kvc_call *call);
int kvc_verb_evidence(const struct kvc_call *call);
int kvc_verb_seal(const struct kvc_call *call);
int kvc_verb_plan(const struct kvc_call *call);
int kvc_verb_verify(const struct kvc_call *call);
int kvc_verb_diff(const struct kvc_call *call);
int kvc_verb_export(const struct kvc_call *call);

/* A model, however it is given: config.json, a folder with one, or a kv-model record.  *ret_made
 * tells that the record was made just now and lies in no file. */
kvcap_code kvc_model_of(struct kvc_library *library, const char *path, const char *name,
                        const char *revision, struct kvc_entry **ret_entry, bool *ret_made,
                        kvcap_error *err);

/* Puts ids where the draft in `path` says file:NAME. */
kvcap_code kvc_seal_files(struct kvc_library *library, const char *path, struct kvc_value *tree,
                          kvcap_error *err);

/* --cache-type, --cache-k and --cache-v; what is absent or `auto` leaves the cache as it is. */
kvcap_code kvc_cache_flags(const struct kvc_call *call, struct kvc_cache *cache, kvcap_error *err);

/* Text and a line end into `path`, or standard output when it is NULL. */
kvcap_code kvc_write_text(const char *path, struct kvc_span text, kvcap_error *err);

#endif /* KVC_FACE_CLI_VERBS_H */
