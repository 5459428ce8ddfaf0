/* verbs.h - one function a verb, one file a verb or two.
 *
 * Room:   face/cli.
 * Knows:  all.
 */
#ifndef KVC_FACE_CLI_VERBS_H
#define KVC_FACE_CLI_VERBS_H

#include <stdio.h>

#include "bytes/layer.h"
#include "face/api/handle.h"
#include "face/cli/cli.h"
#include "face/cli/library.h"

int kvc_verb_inspect(const struct kvc_call *call);
int kvc_verb_size(const struct kvc_call *call);
int kvc_verb_fit(const struct kvc_call *call);
int kvc_verb_contract(const struct kvc_call *call);
int kvc_verb_evidence(const struct kvc_call *call);
int kvc_verb_seal(const struct kvc_call *call);
int kvc_verb_plan(const struct kvc_call *call);
int kvc_verb_verify(const struct kvc_call *call);
int kvc_verb_diff(const struct kvc_call *call);
int kvc_verb_export(const struct kvc_call *call);
int kvc_verb_models(const struct kvc_call *call);
int kvc_verb_devices(const struct kvc_call *call);
int kvc_verb_engines(const struct kvc_call *call);

/* A model, however it is given: a file or folder that exists goes before hf:ORG/NAME and before a
 * built-in name.  *ret_made tells that the record was made just now and lies in no file. */
kvcap_code kvc_model_of(struct kvc_library *library, const char *word, const char *name,
                        const char *revision, struct kvc_entry **ret_entry, bool *ret_made,
                        kvcap_error *err);

/* What else its files said, a line each: contradictions, the cache that a checkpoint asks for. */
void kvc_print_notes(const kvcap_record *model, FILE *out);

/* Where a member of a model's record comes from, and how; lengths 0 where it has no source. */
struct kvc_span kvc_source_of(const kvcap_record *model, const char *at, struct kvc_span *ret_how);

/* Puts ids where the draft in `path` says file:NAME. */
kvcap_code kvc_seal_files(struct kvc_library *library, const char *path, struct kvc_value *tree,
                          kvcap_error *err);

/* What moved the numbers between two fits, printed; their models are looked for by id, then at --model. */
kvcap_code kvc_diff_fits(struct kvc_library *library, const struct kvc_entry *a,
                         const struct kvc_entry *b, kvcap_error *err);

/* --cache-type, --cache-k and --cache-v; what is absent or `auto` leaves the cache as it is. */
kvcap_code kvc_cache_flags(const struct kvc_call *call, struct kvc_cache *cache, kvcap_error *err);

/* Text and a line end into `path`, or standard output when it is NULL. */
kvcap_code kvc_write_text(const char *path, struct kvc_span text, kvcap_error *err);

/* The canonical text of a value to standard output; `scratch` holds it meanwhile. */
kvcap_code kvc_print_value(const struct kvc_value *value, struct kvc_arena *scratch,
                           kvcap_error *err);

#endif /* KVC_FACE_CLI_VERBS_H */
