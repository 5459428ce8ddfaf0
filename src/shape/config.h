/* config.h - looking things up in a config.json, and remembering what was looked at.
 *
 * Room:   shape/ - pure.
 * In:     the facts of a config.json.
 * Out:    counts, flags and lists with their origin, or a refusal that names the key.
 * Knows:  base/, json/, meta/.
 *
 * Keys are those of the object that describes the decoder: the file itself, or the member of a
 * wrapper (text_config).  "attn_config/kv_n_heads" goes one object deeper.
 *
 * Some keys bear on the cache.  Whoever looks one up has heeded it; one that says something and that
 * nobody looked up makes all layers unknown, since the model is more than its family's rule reads
 * (kvc_config_unread).
 */
#ifndef KVC_SHAPE_CONFIG_H
#define KVC_SHAPE_CONFIG_H

#include "meta/facts.h"
#include "shape/family.h"
#include "shape/found.h"

#define KVC_CACHE_KEYS_MAX 64

struct kvc_config {
    struct kvc_finder finder;
    const struct kvc_facts *facts;
    const struct kvc_value *text;    /* the object that describes the decoder */
    const struct kvc_family *family; /* of that object */
    bool heeded[KVC_CACHE_KEYS_MAX]; /* of the keys that bear on the cache */
};

/* The value at a key; NULL when it is absent or null. */
const struct kvc_value *kvc_config_said(struct kvc_config *config, const char *key);

/* Heeds a key that the family knows and that changes nothing here. */
void kvc_config_heed(struct kvc_config *config, const char *key);

/* Whether the key stands in the file, be it null. */
bool kvc_config_has(struct kvc_config *config, const char *key);

/* "config.json:/text_config/head_dim", for a key or for a value that was found. */
struct kvc_span kvc_config_place(struct kvc_config *config, const char *key);
struct kvc_span kvc_config_place_of(struct kvc_config *config, const struct kvc_value *value);

/* A refusal at a key. */
kvcap_code kvc_config_fail(struct kvc_config *config, enum kvc_slug slug, const char *key,
                           const char *sentence);

/* A count of 1 to 2^32-1.  _count refuses a key that is absent or null; _count_or takes the class's
 * default where it is absent, and refuses as well when that is 0; _count_of is for a value that was found.  A
 * nested config (of a wrapper) leaves out what its class has as default; a file of its own does not,
 * so there `class_default` is taken for what a person could leave out only - see kvc_config_size. */
kvcap_code kvc_config_count(struct kvc_config *config, const char *key,
                            struct kvc_origin *ret_origin);
kvcap_code kvc_config_count_or(struct kvc_config *config, const char *key, uint64_t class_default,
                               struct kvc_origin *ret_origin);
kvcap_code kvc_config_count_of(struct kvc_config *config, const struct kvc_value *value,
                               struct kvc_origin *ret_origin);

/* A size of the model itself (layers, heads, hidden size): the class's default is taken in a nested
 * config alone, for a file of its own that does not say it is cut short. */
kvcap_code kvc_config_size(struct kvc_config *config, const char *key, uint64_t class_default,
                           struct kvc_origin *ret_origin);

/* A whole number from 0, or `absent` where the key is absent or null. */
kvcap_code kvc_config_whole(struct kvc_config *config, const char *key, uint64_t absent,
                            uint64_t *ret_number);

/* true or false, or `absent`. */
kvcap_code kvc_config_flag(struct kvc_config *config, const char *key, bool absent, bool *ret_flag);

/* An element type by one of its names: "bfloat16", "torch.float16". */
kvcap_code kvc_config_format(struct kvc_config *config, const struct kvc_value *value,
                             enum kvc_format *ret_format, struct kvc_origin *ret_origin);

/* A list of exactly `count` elements of a type, or NULL where the key is absent or null. */
kvcap_code kvc_config_list(struct kvc_config *config, const char *key, uint64_t count,
                           enum kvc_type type, const struct kvc_value **ret_list);

/* A value that the class has, where the file is silent. */
struct kvc_origin kvc_config_default(struct kvc_config *config, const char *key, uint64_t value);

/* A value that follows from one or two keys. */
struct kvc_origin kvc_config_derived(struct kvc_config *config, uint64_t value, const char *key,
                                     const char *formula);

/* Which layers are of which type is said by a key, or by the class where the key is silent: adds it to
 * where their number comes from. */
void kvc_config_layers_by(struct kvc_config *config, struct kvc_origin *layers, const char *key);

/* The first key that bears on the cache, says something, and was not looked up; NULL: none. */
const char *kvc_config_unread(const struct kvc_config *config);

#endif /* KVC_SHAPE_CONFIG_H */
