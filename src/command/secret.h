/* secret.h - which words of a command line are a token or key.
 *
 * Room:   command/ - pure.
 * In:     names of flags and variables; words.
 * Out:    whether what they hold must not be repeated.
 * Knows:  base/.
 *
 * By its name (--api-key, HF_TOKEN), and by what it looks like (a hub's token, a URL with a password),
 * for a secret may stand anywhere.
 */
#ifndef KVC_COMMAND_SECRET_H
#define KVC_COMMAND_SECRET_H

#include "base/span.h"

/* "--api-key", "hf_token", "VLLM_API_KEY": the last part of the name tells. */
bool kvc_secret_name(struct kvc_span name);

/* "hf_...", "sk-...", "https://user:password@host". */
bool kvc_secret_word(struct kvc_span word);

#endif /* KVC_COMMAND_SECRET_H */
