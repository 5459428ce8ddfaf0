/* random_json.h - values made by chance, and many ways to write one down.
 *
 * In:     a struct chance.
 * Out:    trees of the builder; their spelling as JSON or YAML with everything free left to chance;
 *         texts that are nearly JSON.
 *
 * The spellings know nothing of scan.c and write.c: they are what those two are held against.
 */
#ifndef KVC_TEST_RANDOM_JSON_H
#define KVC_TEST_RANDOM_JSON_H

#include <stdio.h>

#include "support/chance.h"
#include "json/tree.h"

/* A value of a record: integers within +-(2^53-1), texts of any content, keys without NUL, nested
 * up to `depth_max`.  It lives in the arena, which must not run full. */
struct kvc_value *random_tree(struct chance *chance, struct kvc_arena *arena, unsigned depth_max);

/* The value as JSON: members in any order, any white space, any escapes. */
void spell_json(struct chance *chance, const struct kvc_value *value, FILE *out);

/* The value as YAML: block or flow, texts in double quotes or single or plain. */
void spell_yaml(struct chance *chance, const struct kvc_value *value, FILE *out);

/* Changes a text in one to three places, sometimes into another that is still JSON.  `room` bounds
 * it; returns the new length. */
size_t mutate_text(struct chance *chance, char *text, size_t length, size_t room);

/* Collects what is written to `out` until spelled_end, which returns it; free it. */
struct spelled {
    FILE *out;
    char *text;
    size_t length;
};

void spelled_begin(struct spelled *spelled);
struct kvc_span spelled_end(struct spelled *spelled);

#endif /* KVC_TEST_RANDOM_JSON_H */
