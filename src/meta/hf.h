/* hf.h - config.json of a Hugging Face model.
 *
 * Room:   meta/ - no I/O.
 * In:     its text.
 * Out:    its facts.
 * Knows:  base/, json/.
 */
#ifndef KVC_META_HF_H
#define KVC_META_HF_H

#include "base/arena.h"
#include "base/fail.h"
#include "meta/facts.h"

/* The largest config.json that was seen has 250 KiB. */
#define KVC_CONFIG_BYTES_MAX ((size_t)16 * 1024 * 1024)

/* `artefact` is what sources call the file, and is borrowed, as the text is; facts live as long as
 * the arena. */
kvcap_code kvc_hf_read(const char *artefact, struct kvc_span text, struct kvc_arena *arena,
                       struct kvc_facts *ret_facts, kvcap_error *err);

#endif /* KVC_META_HF_H */
