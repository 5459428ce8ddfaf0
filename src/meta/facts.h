/* facts.h - what an artefact says: keys, values, and where each was read.
 *
 * Room:   meta/ - no I/O.
 * In:     -
 * Out:    a flat list of facts that any reader of an artefact can make.
 * Knows:  base/.
 *
 * A key is the place of the value in its artefact, as a JSON pointer: "/text_config/head_dim".
 */
#ifndef KVC_META_FACTS_H
#define KVC_META_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

enum kvc_fact_type {
    KVC_FACT_NULL,
    KVC_FACT_FALSE,
    KVC_FACT_TRUE,
    KVC_FACT_COUNT,  /* a whole number from 0 */
    KVC_FACT_NUMBER, /* any other number, as text */
    KVC_FACT_TEXT,
    KVC_FACT_LIST,   /* its elements follow as facts of their own */
    KVC_FACT_OBJECT, /* likewise its members */
};

struct kvc_fact {
    struct kvc_span key;
    enum kvc_fact_type type;
    uint64_t count;       /* of a COUNT; of the elements of a LIST */
    struct kvc_span text; /* of a TEXT or a NUMBER */
};

struct kvc_facts {
    const char *artefact; /* "config.json": what the sources of a record say before the key */
    const struct kvc_fact *list;
    size_t list_count;
};

#endif /* KVC_META_FACTS_H */
