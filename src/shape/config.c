/* config.c - see config.h for the room and its promises. */

#include "shape/config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Keys that bear on the cache. */

/* One of these in a file says that layers keep something else, or more, than plain keys and values.
 * (That a plain count has another name is no such key: nothing is found without it.) */
static const char *const CACHE_KEYS[] = {
    "attention_chunk_size",
    "attention_k_eq_v",
    "attention_other_setting",
    "attention_types",
    "attn_layer_indices",
    "attn_layer_period",
    "attn_type_list",
    "block_configs",
    "compress_ratios",
    "conv_L_cache",
    "cross_attention_layers",
    "full_attention_interval",
    "full_attn_idxs",
    "global_head_dim",
    "hybrid_layer_ids",
    "hybrid_layer_pattern",
    "hybrid_override_pattern",
    "index_head_dim",
    "index_topk_pattern",
    "indexer_types",
    "is_encoder_decoder",
    "kv_lora_rank",
    "layer_group_size",
    "layer_types",
    "layers_block_type",
    "linear_attn_config",
    "linear_num_value_heads",
    "mamba_d_ssm",
    "mamba_d_state",
    "mamba_num_heads",
    "mtp_num_hidden_layers",
    "no_rope_layers",
    "num_global_key_value_heads",
    "num_key_value_heads_per_layer",
    "num_loops",
    "num_kv_shared_layers",
    "num_mtp_modules",
    "num_nextn_predict_layers",
    "sliding_window",
    "sliding_window_pattern",
    "sparse_attention_config",
    "ssm_cfg",
    "ssm_state_size",
    "swa_head_dim",
    "swa_num_key_value_heads",
    "swa_v_head_dim",
    "total_ut_steps",
    "use_cla",
    "use_mla",
    "v_head_dim",
    "window_size",
};

_Static_assert(sizeof CACHE_KEYS / sizeof CACHE_KEYS[0] <= KVC_CACHE_KEYS_MAX,
               "a flag for each key");

void kvc_config_heed(struct kvc_config *config, const char *key)
{
    for (size_t i = 0; i < sizeof CACHE_KEYS / sizeof CACHE_KEYS[0]; i++) {
        if (strcmp(CACHE_KEYS[i], key) == 0)
            config->heeded[i] = true;
    }
}

static bool says_something(const struct kvc_value *value)
{
    if (value == NULL || value->type == KVC_NULL || value->type == KVC_FALSE)
        return false;
    if (value->type == KVC_ARRAY || value->type == KVC_OBJECT)
        return value->count > 0;
    return !(value->type == KVC_NUMBER && kvc_span_is(value->text, "0"));
}

/* Whether a key is one of those between bars; NULL has none. */
static bool is_among(const char *keys, const char *key)
{
    size_t length = strlen(key);
    for (const char *at = keys; at != NULL;
         at = strchr(at, '|') == NULL ? NULL : strchr(at, '|') + 1) {
        if (strncmp(at, key, length) == 0 && (at[length] == '\0' || at[length] == '|'))
            return true;
    }
    return false;
}

const char *kvc_config_unread(const struct kvc_config *config)
{
    const struct kvc_value *used = kvc_value_member(config->text, "use_sliding_window");
    bool not_used = used != NULL && used->type == KVC_FALSE;
    for (size_t i = 0; i < sizeof CACHE_KEYS / sizeof CACHE_KEYS[0]; i++) {
        bool heeded = config->heeded[i] || is_among(config->family->ignores, CACHE_KEYS[i]) ||
                      (not_used && strcmp(CACHE_KEYS[i], "sliding_window") == 0);
        if (!heeded && says_something(kvc_value_member(config->text, CACHE_KEYS[i])))
            return CACHE_KEYS[i];
    }
    return NULL;
}

/* ---- Values. */

static const struct kvc_value *find(struct kvc_config *config, const char *key)
{
    const struct kvc_value *at = config->text;
    char step[64];
    kvc_config_heed(config, key);
    for (const char *slash; (slash = strchr(key, '/')) != NULL; key = slash + 1) {
        snprintf(step, sizeof step, "%.*s", (int)(slash - key), key);
        at = kvc_value_member(at, step);
    }
    return kvc_value_member(at, key);
}

const struct kvc_value *kvc_config_said(struct kvc_config *config, const char *key)
{
    const struct kvc_value *value = find(config, key);
    return value == NULL || value->type == KVC_NULL ? NULL : value;
}

bool kvc_config_has(struct kvc_config *config, const char *key)
{
    return find(config, key) != NULL;
}

static void pointer_to(const struct kvc_config *config, const char *key, char *ret_pointer)
{
    char outer[KVC_POINTER_ROOM];
    kvc_value_pointer(config->text, outer);
    snprintf(ret_pointer, KVC_POINTER_ROOM, "%.180s/%.200s", outer, key);
}

struct kvc_span kvc_config_place(struct kvc_config *config, const char *key)
{
    char pointer[KVC_POINTER_ROOM];
    pointer_to(config, key, pointer);
    return kvc_find_text(&config->finder, "%s:%s", config->facts->artefact, pointer);
}

struct kvc_span kvc_config_place_of(struct kvc_config *config, const struct kvc_value *value)
{
    char pointer[KVC_POINTER_ROOM];
    kvc_value_pointer(value, pointer);
    /* A name in a record has at most 256 bytes. */
    return kvc_find_text(&config->finder, "%s:%.200s", config->facts->artefact, pointer);
}

kvcap_code kvc_config_fail(struct kvc_config *config, enum kvc_slug slug, const char *key,
                           const char *sentence)
{
    char pointer[KVC_POINTER_ROOM];
    pointer_to(config, key, pointer);
    return kvc_fail(config->finder.err, slug, pointer, "%s", sentence);
}

/* What follows the last slash of a pointer. */
static const char *last_step(const char *pointer)
{
    const char *step = pointer[0] == '\0' ? "this" : pointer;
    for (; *pointer != '\0'; pointer++) {
        if (*pointer == '/')
            step = pointer + 1;
    }
    return step;
}

static kvcap_code fail_at(struct kvc_config *config, enum kvc_slug slug,
                          const struct kvc_value *value, const char *sentence)
{
    char pointer[KVC_POINTER_ROOM];
    kvc_value_pointer(value, pointer);
    return kvc_fail(config->finder.err, slug, pointer, "%s %s", last_step(pointer), sentence);
}

/* ---- Counts. */

kvcap_code kvc_config_count_of(struct kvc_config *config, const struct kvc_value *value,
                               struct kvc_origin *ret_origin)
{
    uint64_t count;
    if (value->type != KVC_NUMBER || !kvc_span_u64(value->text, &count))
        return fail_at(config, KVC_METADATA_WRONG_TYPE, value, "is not a whole number");
    if (count == 0 || count > UINT32_MAX)
        return fail_at(config, KVC_METADATA_OUT_OF_RANGE, value, "is not within 1 and 2^32-1");
    *ret_origin = (struct kvc_origin){ .value = count,
                                       .how = "read",
                                       .from = kvc_config_place_of(config, value) };
    return ret_origin->from.text == NULL ? kvc_find_no_memory(&config->finder) : KVCAP_OK;
}

static kvcap_code missing(struct kvc_config *config, const char *key)
{
    char sentence[120];
    snprintf(sentence, sizeof sentence, "the key %s is %s", key,
             kvc_config_has(config, key) ? "null" : "missing");
    return kvc_config_fail(config, KVC_METADATA_MISSING_KEY, key, sentence);
}

kvcap_code kvc_config_count(struct kvc_config *config, const char *key,
                            struct kvc_origin *ret_origin)
{
    const struct kvc_value *value = kvc_config_said(config, key);
    return value == NULL ? missing(config, key) : kvc_config_count_of(config, value, ret_origin);
}

kvcap_code kvc_config_count_or(struct kvc_config *config, const char *key, uint64_t class_default,
                               struct kvc_origin *ret_origin)
{
    if (kvc_config_has(config, key) || class_default == 0)
        return kvc_config_count(config, key, ret_origin);
    *ret_origin = kvc_config_default(config, key, class_default);
    return KVCAP_OK;
}

kvcap_code kvc_config_size(struct kvc_config *config, const char *key, uint64_t class_default,
                           struct kvc_origin *ret_origin)
{
    bool is_nested = config->text != config->facts->tree;
    return kvc_config_count_or(config, key, is_nested ? class_default : 0, ret_origin);
}

struct kvc_origin kvc_config_default(struct kvc_config *config, const char *key, uint64_t value)
{
    return (struct kvc_origin){
        .value = value,
        .how = "default",
        .from =
            kvc_find_text(&config->finder, "%s%s.%s",
                          strchr(config->family->config_class, ':') == NULL ? "transformers:" : "",
                          config->family->config_class, key)
    };
}

struct kvc_origin kvc_config_derived(struct kvc_config *config, uint64_t value, const char *key,
                                     const char *formula)
{
    char pointer[KVC_POINTER_ROOM];
    pointer_to(config, key, pointer);
    return (struct kvc_origin){ .value = value,
                                .how = "derived",
                                .from = kvc_find_text(&config->finder, "%s:%s%s%s",
                                                      config->facts->artefact, pointer,
                                                      formula[0] == '\0' ? "" : " ", formula) };
}

void kvc_config_layers_by(struct kvc_config *config, struct kvc_origin *layers, const char *key)
{
    char pointer[KVC_POINTER_ROOM];
    pointer_to(config, key, pointer);
    layers->from =
        kvc_config_said(config, key) != NULL
            ? kvc_find_text(&config->finder, "%.*s by %s", (int)layers->from.length,
                            layers->from.text, pointer)
            : kvc_find_text(&config->finder, "%.*s by %.*s", (int)layers->from.length,
                            layers->from.text, (int)kvc_config_default(config, key, 0).from.length,
                            kvc_config_default(config, key, 0).from.text);
}

/* ---- Other values. */

kvcap_code kvc_config_whole(struct kvc_config *config, const char *key, uint64_t absent,
                            uint64_t *ret_number)
{
    const struct kvc_value *value = kvc_config_said(config, key);
    if (value == NULL) {
        *ret_number = absent;
        return KVCAP_OK;
    }
    if (value->type != KVC_NUMBER || !kvc_span_u64(value->text, ret_number))
        return fail_at(config, KVC_METADATA_WRONG_TYPE, value, "is not a whole number");
    return *ret_number > UINT32_MAX
               ? fail_at(config, KVC_METADATA_OUT_OF_RANGE, value, "is not within 0 and 2^32-1")
               : KVCAP_OK;
}

kvcap_code kvc_config_flag(struct kvc_config *config, const char *key, bool absent, bool *ret_flag)
{
    const struct kvc_value *value = kvc_config_said(config, key);
    if (value != NULL && value->type != KVC_TRUE && value->type != KVC_FALSE)
        return fail_at(config, KVC_METADATA_WRONG_TYPE, value, "is not true or false");
    *ret_flag = value == NULL ? absent : value->type == KVC_TRUE;
    return KVCAP_OK;
}

kvcap_code kvc_config_format(struct kvc_config *config, const struct kvc_value *value,
                             enum kvc_format *ret_format, struct kvc_origin *ret_origin)
{
    static const struct {
        const char *name;
        enum kvc_format format;
    } NAMES[] = {
        { "float32", KVC_FORMAT_F32 },       { "float16", KVC_FORMAT_F16 },
        { "bfloat16", KVC_FORMAT_BF16 },     { "torch.float32", KVC_FORMAT_F32 },
        { "torch.float16", KVC_FORMAT_F16 }, { "torch.bfloat16", KVC_FORMAT_BF16 },
        { "half", KVC_FORMAT_F16 },          { "float", KVC_FORMAT_F32 },
    };
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0] && value->type == KVC_STRING; i++) {
        if (!kvc_span_is(value->text, NAMES[i].name))
            continue;
        *ret_format = NAMES[i].format;
        *ret_origin =
            (struct kvc_origin){ .how = "read", .from = kvc_config_place_of(config, value) };
        return KVCAP_OK;
    }
    char pointer[KVC_POINTER_ROOM];
    kvc_value_pointer(value, pointer);
    return kvc_fail(config->finder.err, KVC_METADATA_WRONG_TYPE, pointer,
                    "the element type is none of float32, float16 and bfloat16");
}

kvcap_code kvc_config_list(struct kvc_config *config, const char *key, uint64_t count,
                           enum kvc_type type, const struct kvc_value **ret_list)
{
    static const char *const WORDS[] = {
        [KVC_NULL] = "null",        [KVC_FALSE] = "false", [KVC_TRUE] = "true",
        [KVC_NUMBER] = "a number",  [KVC_STRING] = "text", [KVC_ARRAY] = "a list",
        [KVC_OBJECT] = "an object",
    };
    const struct kvc_value *list = kvc_config_said(config, key);
    *ret_list = NULL;
    if (list == NULL)
        return KVCAP_OK;
    if (list->type != KVC_ARRAY)
        return fail_at(config, KVC_METADATA_WRONG_TYPE, list, "is not a list");
    if (list->count != count) {
        char sentence[120];
        snprintf(sentence, sizeof sentence, "has %u entries for %" PRIu64 " layers",
                 (unsigned)list->count, count);
        return fail_at(config, KVC_METADATA_OUT_OF_RANGE, list, sentence);
    }
    for (const struct kvc_value *e = list->first; e != NULL; e = e->next) {
        char sentence[80];
        if (e->type == type)
            continue;
        snprintf(sentence, sizeof sentence, "has an entry %u that is not %s", (unsigned)e->index,
                 WORDS[type]);
        return fail_at(config, KVC_METADATA_WRONG_TYPE, list, sentence);
    }
    *ret_list = list;
    return KVCAP_OK;
}
