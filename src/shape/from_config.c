/* from_config.c - see from_config.h for the room and its promises. */

#include "shape/from_config.h"

#include "shape/layers.h"

/* ---- Which object describes the decoder, and of which family it is. */

/* Text that a record can carry as the name of a family: short, and without control characters. */
static bool is_family_name(const struct kvc_value *value)
{
    if (value == NULL || value->type != KVC_STRING)
        return false;
    for (size_t i = 0; i < value->text.length;) {
        uint32_t point = kvc_span_code_point(value->text, &i);
        if (point < 0x20 || (point >= 0x7F && point <= 0x9F))
            return false;
    }
    return value->text.length >= 1 && value->text.length <= 128;
}

/* What the file calls its family: model_type; where there is none the class that it names; and for a
 * nested config without either what the wrapper is called. */
static const struct kvc_value *family_value(const struct kvc_config *config)
{
    const struct kvc_value *model_type = kvc_value_member(config->text, "model_type");
    const struct kvc_value *wrapper = kvc_value_member(config->facts->tree, "model_type");
    if (is_family_name(model_type))
        return model_type;
    if (is_family_name(wrapper) && kvc_family_within(wrapper->text) != NULL)
        return wrapper;
    const struct kvc_value *classes = kvc_value_member(config->text, "architectures");
    const struct kvc_value *first = kvc_value_element(classes, 0);
    bool silent = model_type == NULL || model_type->type == KVC_NULL;
    return silent && is_family_name(first) ? first : NULL;
}

static const struct kvc_family *family_of(const struct kvc_config *config,
                                          const struct kvc_value *value)
{
    if (!kvc_span_is(value->key, "model_type"))
        return kvc_family_of_class(value->text);
    return value->parent == config->text ? kvc_family_named(value->text)
                                         : kvc_family_within(value->text);
}

/* ---- All layers unknown, for one reason. */

static kvcap_code find_unknown(struct kvc_config *config, struct kvc_span key,
                               struct kvc_span reason)
{
    static const struct kvc_family NO_FAMILY = { .config_class = "PretrainedConfig" };
    struct kvc_span family = config->finder.found.family;
    struct kvc_origin layers;
    kvc_find_begin(&config->finder, config->finder.arena, config->finder.err);
    config->finder.found.family = family;
    if (config->family == NULL)
        config->family = &NO_FAMILY;
    /* How many there are is said where the file says it. */
    kvcap_error ignored, *err = config->finder.err;
    config->finder.err = &ignored;
    if (kvc_find_layers_count(config, &layers) != KVCAP_OK)
        layers = (struct kvc_origin){ .value = 1, .how = "default", .from = key };
    config->finder.err = err;
    return kvc_find_all_unknown(&config->finder, &layers, key, reason, "/num_hidden_layers");
}

/* ---- Layers. */

/* A file that leaves out what its family needs does not say what its layers keep, and one that has what
 * the family is not known to have says something that nobody here understands. */
static kvcap_code find_of_family(struct kvc_config *config)
{
    kvcap_error refusal = { .code = KVCAP_OK }, *err = config->finder.err;
    config->finder.err = &refusal;
    kvcap_code rc =
        config->family->find == NULL ? kvc_find_plain(config) : config->family->find(config);
    config->finder.err = err;
    if (rc != KVCAP_OK && (kvc_fail_is(&refusal, KVC_METADATA_MISSING_KEY) ||
                           kvc_fail_is(&refusal, KVC_METADATA_NOT_KNOWN)))
        return find_unknown(
            config, kvc_find_text(&config->finder, "%s:%s", config->facts->artefact, refusal.at),
            kvc_find_text(&config->finder, "%s", refusal.text));
    if (rc != KVCAP_OK) {
        if (err != NULL)
            *err = refusal;
        return rc;
    }
    const char *key = kvc_config_unread(config);
    return key == NULL ? KVCAP_OK
                       : find_unknown(config, kvc_config_place(config, key),
                                      kvc_find_text(&config->finder,
                                                    "the family %s is not known to have this key",
                                                    config->family->model_type));
}

/* Nobody knows the family, and who asks says that it is plain: its keys are read as such, and one that
 * bears on the cache in some family and is not plain still stops it. */
static const struct kvc_family ASSUMED_PLAIN = { .model_type = "(assumed plain)",
                                                 .config_class = "PretrainedConfig" };

static kvcap_code find_layers(struct kvc_config *config)
{
    const struct kvc_value *tree = config->facts->tree;
    const struct kvc_value *value = family_value(config);
    struct kvc_origin layers;
    kvcap_error ignored, *err = config->finder.err;
    if (value == NULL) {
        static const struct kvc_family NO_FAMILY = { .config_class = "PretrainedConfig" };
        config->family = &NO_FAMILY;
        config->finder.err = &ignored;
        bool says_layers = kvc_find_layers_count(config, &layers) == KVCAP_OK;
        config->finder.err = err;
        config->family = NULL;
        const struct kvc_value *model_type = kvc_value_member(config->text, "model_type");
        if (says_layers && config->facts->assume_plain) {
            config->finder.found.family = kvc_span_of("unknown");
            config->family = &ASSUMED_PLAIN;
            return find_of_family(config);
        }
        if (!says_layers && (model_type == NULL || model_type->type == KVC_NULL))
            return kvc_fail(err, KVC_METADATA_NOT_A_MODEL, "",
                            "neither model_type nor num_hidden_layers stands in the file");
        config->finder.found.family = kvc_span_of("unknown");
        return find_unknown(config, kvc_config_place(config, "model_type"),
                            kvc_span_of("the file does not say its model_type"));
    }
    config->finder.found.family = value->text;
    const struct kvc_value *decodes = kvc_value_member(config->text, "is_decoder");
    bool is_decoder = decodes != NULL && decodes->type == KVC_TRUE;
    if (kvc_family_is_encoder(value->text) && !is_decoder) {
        char pointer[KVC_POINTER_ROOM];
        kvc_value_pointer(value, pointer);
        return kvc_fail(err, KVC_METADATA_NO_CACHE, pointer,
                        "%.*s is an encoder: it decodes nothing and keeps no cache",
                        (int)value->text.length, value->text.text);
    }
    config->family = family_of(config, value);
    if (config->family != NULL) {
        const struct kvc_value *root_type = kvc_value_member(tree, "model_type");
        if (config->text != tree && is_family_name(root_type))
            config->finder.found.family = root_type->text;
        return find_of_family(config);
    }
    if (config->facts->assume_plain) {
        config->family = &ASSUMED_PLAIN;
        return find_of_family(config);
    }
    return find_unknown(config, kvc_config_place_of(config, value),
                        kvc_find_text(&config->finder, "the family \"%.*s\" is not known",
                                      (int)value->text.length, value->text.text));
}

/* ---- The rest of the record. */

/* In the file first, then in the decoder's object: so do vLLM (ModelConfig, _find_dtype) and
 * transformers.  "auto" says nothing. */
static const struct kvc_value *dtype_value(const struct kvc_config *config)
{
    static const char *const KEYS[] = { "torch_dtype", "dtype", "params_dtype" };
    const struct kvc_value *const OBJECTS[] = { config->facts->tree, config->text };
    for (size_t o = 0; o < 2; o++) {
        for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++) {
            const struct kvc_value *value = kvc_value_member(OBJECTS[o], KEYS[i]);
            if (value != NULL && value->type != KVC_NULL && !kvc_span_is(value->text, "auto"))
                return value;
        }
    }
    return NULL;
}

static kvcap_code find_dtype(struct kvc_config *config)
{
    struct kvc_finder *finder = &config->finder;
    const struct kvc_value *value = dtype_value(config);
    struct kvc_origin origin;
    if (value == NULL) {
        finder->found.dtype = KVC_FORMAT_F32;
        return kvc_find_source(
            finder, kvc_span_of("/dtype"), "default",
            kvc_span_of("transformers:PretrainedConfig.dtype (absent: float32)"));
    }
    kvcap_code rc = kvc_config_format(config, value, &finder->found.dtype, &origin);
    return rc == KVCAP_OK ? kvc_find_source(finder, kvc_span_of("/dtype"), origin.how, origin.from)
                          : rc;
}

static kvcap_code find_context(struct kvc_config *config)
{
    static const char *const KEYS[] = {
        "model_max_length", /* goes before all others where it stands */
        "max_position_embeddings", "n_positions", "max_seq_len",          "seq_length",
        "context_length",          "n_ctx",       "max_target_positions", "max_sequence_length",
        "max_seq_length",          "seq_len",     "max_context_length",
    };
    struct kvc_origin origin;
    for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++) {
        const struct kvc_value *value = kvc_config_said(config, KEYS[i]);
        if (value == NULL || value->type != KVC_NUMBER)
            continue;
        uint64_t tokens;
        if (!kvc_span_u64(value->text, &tokens) || tokens == 0 || tokens > UINT32_MAX)
            continue;
        kvcap_code rc = kvc_config_count_of(config, value, &origin);
        if (rc != KVCAP_OK)
            return rc;
        config->finder.found.context_tokens = origin.value;
        return kvc_find_source(&config->finder, kvc_span_of("/context_tokens"), origin.how,
                               origin.from);
    }
    return KVCAP_OK;
}

kvcap_code kvc_shape_from_config(const struct kvc_facts *facts, struct kvc_arena *arena,
                                 struct kvc_found *ret_found, kvcap_error *err)
{
    struct kvc_config config = { .facts = facts, .text = kvc_facts_decoder(facts->tree) };
    kvc_find_begin(&config.finder, arena, err);
    kvcap_code rc = find_layers(&config);
    if (rc == KVCAP_OK)
        rc = find_dtype(&config);
    if (rc == KVCAP_OK)
        rc = find_context(&config);
    if (rc == KVCAP_OK)
        *ret_found = config.finder.found;
    return rc;
}
