/* facts.h - what a config.json says: its values, and what to call it.
 *
 * Room:   meta/ - no I/O.
 * In:     -
 * Out:    the tree that a reader made and that shape/ reads; where in it the decoder is described.
 * Knows:  base/, json/.
 *
 * The place of a value is its JSON pointer in the artefact: "config.json:/text_config/head_dim".
 */
#ifndef KVC_META_FACTS_H
#define KVC_META_FACTS_H

#include "json/tree.h"

struct kvc_facts {
    const char *artefact;         /* "config.json": what the sources of a record say before a key */
    const struct kvc_value *tree; /* an object */

    /* Of a file in another format than config.json's, whose keys the tree has been given in the words of
     * one; NULL of a config.json. */
    const struct kvc_value
        *other_family;    /* text that names a family whose keys are not known in that
                                             format; it stands no longer in the tree */
    const char *no_dtype; /* what is taken as element type where the file says none, and why */

    bool
        assume_plain; /* who asks says so: a family that is not known keeps plain keys and values, as far
                          as the file has no key that says otherwise */
};

/* The member of a wrapper that describes its decoder, or NULL.  Here, and not in a file of its own, so
 * that pure rooms may call it. */
static inline const struct kvc_value *kvc_facts_decoder_in(const struct kvc_value *object)
{
    static const char *const KEYS[] = { "text_config", "llm_config", "language_config",
                                        "thinker_config" };
    for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++) {
        const struct kvc_value *member = kvc_value_member(object, KEYS[i]);
        if (member != NULL && member->type == KVC_OBJECT && member->count > 0)
            return member;
    }
    return NULL;
}

/* The object that describes the decoder: the file's, or the member of a wrapper (a vision or audio
 * model) that holds the config of its decoder, however deep. */
static inline const struct kvc_value *kvc_facts_decoder(const struct kvc_value *tree)
{
    const struct kvc_value *at = tree;
    for (const struct kvc_value *in = kvc_facts_decoder_in(at); in != NULL;
         in = kvc_facts_decoder_in(in))
        at = in;
    return at;
}

#endif /* KVC_META_FACTS_H */
