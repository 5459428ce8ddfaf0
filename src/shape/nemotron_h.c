/* nemotron_h.c - Nemotron-H: a letter or a word a layer.  Declared in layers.h.
 *
 *   M mamba       Mamba-2        * attention     keys and values
 *   - mlp         nothing        E moe           nothing
 *
 * The pattern's length is the count of layers: the class warns where num_hidden_layers differs, and
 * goes by the pattern (transformers at 13923c6).  A draft module has a pattern of its own. */

#include "shape/mamba2.h"

enum { ATTENTION, MAMBA, NOTHING };

/* The layers that a key lists, by letters or by words; kinds NULL: it says nothing. */
struct pattern {
    uint8_t *kinds;
    size_t count;
    const char *key;
};

static uint8_t kind_of_letter(char letter)
{
    switch (letter) {
    case '*':
        return ATTENTION;
    case 'M':
        return MAMBA;
    case '-':
    case 'E':
        return NOTHING;
    default:
        return KVC_KIND_STRANGE;
    }
}

static uint8_t kind_of_word(struct kvc_span word)
{
    static const struct {
        const char *word;
        uint8_t kind;
    } WORDS[] = {
        { "attention", ATTENTION }, { "full_attention", ATTENTION },
        { "mamba", MAMBA },         { "linear_attention", MAMBA },
        { "mlp", NOTHING },         { "moe", NOTHING },
    };
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        if (kvc_span_is(word, WORDS[i].word))
            return WORDS[i].kind;
    }
    return KVC_KIND_STRANGE;
}

static kvcap_code read_pattern(struct kvc_config *config, const char *key,
                               struct pattern *ret_pattern)
{
    const struct kvc_value *value = kvc_config_said(config, key);
    *ret_pattern = (struct pattern){ .key = key };
    if (value == NULL)
        return KVCAP_OK;
    if (value->type != KVC_STRING && value->type != KVC_ARRAY)
        return kvc_config_fail(config, KVC_METADATA_WRONG_TYPE, key,
                               "the pattern is neither text nor a list");
    ret_pattern->count = value->type == KVC_STRING ? value->text.length : value->count;
    if (ret_pattern->count == 0 || ret_pattern->count > KVC_LAYERS_MAX)
        return kvc_config_fail(config, KVC_METADATA_OUT_OF_RANGE, key,
                               "a pattern has 1 to 4,096 layers");
    ret_pattern->kinds = kvc_arena_array(config->finder.arena, ret_pattern->count, 1);
    if (ret_pattern->kinds == NULL)
        return kvc_find_no_memory(&config->finder);
    for (size_t i = 0; value->type == KVC_STRING && i < ret_pattern->count; i++)
        ret_pattern->kinds[i] = kind_of_letter(value->text.text[i]);
    for (const struct kvc_value *e = value->first; e != NULL; e = e->next)
        ret_pattern->kinds[e->index] = kind_of_word(e->text);
    return KVCAP_OK;
}

/* The first of several keys that says something. */
static kvcap_code read_first(struct kvc_config *config, const char *const *keys, size_t keys_count,
                             struct pattern *ret_pattern)
{
    kvcap_code rc = KVCAP_OK;
    for (size_t i = 0; i < keys_count; i++) {
        rc = read_pattern(config, keys[i], ret_pattern);
        if (rc != KVCAP_OK || ret_pattern->kinds != NULL)
            return rc;
    }
    return rc;
}

typedef kvcap_code add_layers(struct kvc_finder *, const struct kvc_layer_found *, uint64_t,
                              const char *);

static kvcap_code add_pattern(struct kvc_config *config, const struct pattern *pattern,
                              const struct kvc_layer_found *kinds, add_layers *add)
{
    struct kvc_layer_found strange = { .states_count = 0 };
    kvc_layer_unknown(&strange, kvc_config_place(config, pattern->key),
                      kvc_span_of("the pattern has a layer that is not known"));
    for (size_t i = 0; i < pattern->count; i++) {
        uint8_t kind = pattern->kinds[i];
        /* A draft may name a kind that the model itself does not have. */
        bool is_known = kind != KVC_KIND_STRANGE && kinds[kind].states_count > 0;
        kvcap_code rc = add(&config->finder, is_known ? &kinds[kind] : &strange, 1, pattern->key);
        if (rc != KVCAP_OK)
            return rc;
    }
    return KVCAP_OK;
}

static bool has_mamba(const struct pattern *pattern)
{
    for (size_t i = 0; i < pattern->count; i++) {
        if (pattern->kinds[i] == MAMBA)
            return true;
    }
    return false;
}

/* "*E" is the class's pattern of a draft module. */
static kvcap_code add_drafts(struct kvc_config *config, const struct kvc_layer_found *kinds,
                             struct kvc_origin *ret_drafts)
{
    static const char *const KEYS[] = { "mtp_hybrid_override_pattern", "mtp_layers_block_type" };
    static uint8_t DEFAULT[] = { ATTENTION, NOTHING };
    struct pattern pattern;
    kvcap_code rc = kvc_find_drafts_count(config, ret_drafts);
    if (rc == KVCAP_OK && ret_drafts->value > 0)
        rc = read_first(config, KEYS, 2, &pattern);
    if (rc != KVCAP_OK || ret_drafts->value == 0)
        return rc;
    if (pattern.kinds == NULL)
        pattern = (struct pattern){ DEFAULT, 2, KEYS[0] };
    for (uint64_t i = 0; i < ret_drafts->value && rc == KVCAP_OK; i++)
        rc = add_pattern(config, &pattern, kinds, kvc_find_draft_layers);
    return rc;
}

kvcap_code kvc_find_nemotron_h(struct kvc_config *config)
{
    static const char *const PATTERNS[] = { "hybrid_override_pattern", "layers_block_type",
                                            "layer_types" };
    static const struct kvc_mamba2_keys KEYS = {
        .kernel = "conv_kernel",
        .groups = "n_groups",
        .state = "ssm_state_size",
        .heads = "mamba_num_heads",
        .head_dim = "mamba_head_dim",
        .groups_default = 8,
        .state_default = 128,
        .heads_make_inner = true,
    };
    struct pattern pattern;
    struct kvc_heads heads = { 0 };
    struct kvc_origin layers, drafts = { .value = 0 };
    struct kvc_layer_found kinds[3] = { { .states_count = 0 } };
    kvcap_code rc = read_first(config, PATTERNS, 3, &pattern);
    if (rc == KVCAP_OK && pattern.kinds == NULL)
        rc = kvc_config_fail(config, KVC_METADATA_MISSING_KEY, PATTERNS[0],
                             "the key hybrid_override_pattern is missing");
    if (rc == KVCAP_OK)
        rc = kvc_find_heads(config, &heads);
    if (rc != KVCAP_OK)
        return rc;
    layers = kvc_config_derived(config, pattern.count, pattern.key, "(its length)");
    kvc_layer_of_heads(&kinds[ATTENTION], &heads, NULL);
    kvc_layer_none(&kinds[NOTHING]);
    if (has_mamba(&pattern))
        rc = kvc_put_mamba2(config, &KEYS, KVC_FORMAT_F32, &kinds[MAMBA]);
    if (rc == KVCAP_OK)
        rc = add_pattern(config, &pattern, kinds, kvc_find_layers);
    if (rc == KVCAP_OK)
        rc = add_drafts(config, kinds, &drafts);
    return rc == KVCAP_OK ? kvc_find_end(&config->finder, &layers, &drafts) : rc;
}
