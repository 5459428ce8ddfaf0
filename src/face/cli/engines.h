/* engines.h - what the verb engines shows, in its three forms.
 *
 * Room:   face/cli.
 * Knows:  all.
 */
#ifndef KVC_FACE_CLI_ENGINES_H
#define KVC_FACE_CLI_ENGINES_H

#include <stdio.h>

#include "engine/engine.h"
#include "json/tree.h"

#define KVC_DAY_ROOM 32

/* "2025-10-02", or of a span "2026-07-09 to 2026-07-21". */
void kvc_write_days(uint32_t first, uint32_t last, char ret_text[KVC_DAY_ROOM]);

/* One engine as an object: versions, changes and settings, each with what is known of it. */
void kvc_engine_build(const struct kvc_engine *engine, struct kvc_build *build,
                      struct kvc_value *list);

/* All engines as doc/engines.md. */
void kvc_engines_markdown(FILE *out);

/* The flags of a row that are flags, or that are variables of the environment, each between `before` and
 * `after`. */
void kvc_write_flags(const char *flags, bool variables, const char *before, const char *after,
                     FILE *out);

#endif /* KVC_FACE_CLI_ENGINES_H */
