/* Goal: a config.json of a plain family becomes the model that the family's class would build, each
 * number with its source; anything else becomes a state that is unknown, or a refusal - never a
 * guess.
 * Method: the facts of published models as short files of our own, with the architecture, element type
 * and sources that they must give; then one thing at a time left out, bent or added. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <openssl/evp.h>

#include "support/fixture.h"

static json_t *parsed(const char *text)
{
    json_error_t error;
    json_t *tree = json_loads(text, 0, &error);
    if (tree == NULL)
        fail_msg("%s: %s", error.text, text);
    return tree;
}

static kvcap_code model_of(const char *config, kvcap_record **ret_model, kvcap_error *err)
{
    return kvcap_model_from_config(config, strlen(config), "name", "main", ret_model, err);
}

static json_t *read_model(const char *config)
{
    kvcap_record *model = NULL;
    kvcap_error err;
    must(model_of(config, &model, &err), &err);
    json_t *tree = parsed(kvcap_record_json(model));
    kvcap_record_free(model);
    return tree;
}

static void has_source(const json_t *model, const char *at, const char *how, const char *from)
{
    json_t *source, *sources = json_object_get(model, "sources");
    size_t i;
    json_array_foreach(sources, i, source)
    {
        if (strcmp(json_string_value(json_object_get(source, "at")), at) != 0)
            continue;
        assert_string_equal(json_string_value(json_object_get(source, "how")), how);
        const char *found = json_string_value(json_object_get(source, "from"));
        if (strncmp(found, from, strlen(from)) != 0)
            fail_msg("%s comes from %s, not %s", at, found, from);
        return;
    }
    fail_msg("%s has no source", at);
}

static void has_architecture(const json_t *model, const char *due)
{
    json_t *architecture = parsed(due);
    if (!json_equal(json_object_get(model, "architecture"), architecture)) {
        char *found = json_dumps(json_object_get(model, "architecture"), JSON_SORT_KEYS);
        fail_msg("%s, where %s is due", found, due);
    }
    json_decref(architecture);
}

#define KV(heads, dim)                                                                             \
    "{\"states\":[{\"state\":\"kv\",\"kv_heads\":" #heads ",\"key_dim\":" #dim                     \
    ",\"value_dim\":" #dim "}]}"
#define WINDOW(heads, dim, tokens)                                                                 \
    "{\"states\":[{\"state\":\"kv_window\",\"kv_heads\":" #heads ",\"key_dim\":" #dim              \
    ",\"value_dim\":" #dim ",\"window\":\"sliding\",\"window_tokens\":" #tokens "}]}"
#define LAYERS(types, runs) "{\"layer_types\":[" types "],\"layers\":[" runs "]}"

/* ---- Published models. */

#define LLAMA_31_8B                                                                                \
    "\"model_type\":\"llama\",\"hidden_size\":4096,\"num_attention_heads\":32,"                    \
    "\"num_key_value_heads\":8,\"num_hidden_layers\":32,\"max_position_embeddings\":131072,"       \
    "\"torch_dtype\":\"bfloat16\",\"rope_theta\":500000.0,\"rope_scaling\":{\"factor\":8.0,"       \
    "\"rope_type\":\"llama3\"},\"rms_norm_eps\":1e-05,\"tie_word_embeddings\":false,"              \
    "\"architectures\":[\"LlamaForCausalLM\"],\"attention_bias\":false,\"vocab_size\":128256"
#define MISTRAL_7B                                                                                 \
    "\"model_type\":\"mistral\",\"hidden_size\":4096,\"num_attention_heads\":32,"                  \
    "\"num_key_value_heads\":8,\"num_hidden_layers\":32,\"max_position_embeddings\":32768,"        \
    "\"torch_dtype\":\"bfloat16\""
#define QWEN25_7B                                                                                  \
    "\"model_type\":\"qwen2\",\"hidden_size\":3584,\"num_attention_heads\":28,"                    \
    "\"num_key_value_heads\":4,\"num_hidden_layers\":28,\"max_position_embeddings\":131072,"       \
    "\"torch_dtype\":\"bfloat16\",\"sliding_window\":131072"
#define QWEN3_8B                                                                                   \
    "\"model_type\":\"qwen3\",\"hidden_size\":4096,\"num_attention_heads\":32,"                    \
    "\"num_key_value_heads\":8,\"num_hidden_layers\":36,\"max_position_embeddings\":40960,"        \
    "\"torch_dtype\":\"bfloat16\",\"head_dim\":128"

static const struct published {
    const char *name, *config, *architecture, *dtype;
    uint64_t context_tokens, query_heads;
    const char *heads_how, *dim_how; /* read, derived, default */
    const char *window_how;          /* NULL: no window in type 0 */
} PUBLISHED[] = {
    { "Llama-3.1-8B", "{" LLAMA_31_8B "}", LAYERS(KV(8, 128), "[32,0]"), "bf16", 131072, 32, "read",
      "derived", NULL },
    { "Llama-3.2-3B",
      "{\"model_type\":\"llama\",\"hidden_size\":3072,\"num_attention_heads\":24,\"head_dim\":128,"
      "\"num_key_value_heads\":8,\"num_hidden_layers\":28,\"max_position_embeddings\":131072,"
      "\"torch_dtype\":\"bfloat16\"}",
      LAYERS(KV(8, 128), "[28,0]"), "bf16", 131072, 24, "read", "read", NULL },
    { "Llama-2-7B: as many KV heads as heads",
      "{\"model_type\":\"llama\",\"hidden_size\":4096,\"num_attention_heads\":32,"
      "\"num_hidden_layers\":32,\"max_position_embeddings\":4096,\"torch_dtype\":\"float16\"}",
      LAYERS(KV(32, 128), "[32,0]"), "f16", 4096, 32, "derived", "derived", NULL },
    { "one KV head",
      "{\"model_type\":\"llama\",\"hidden_size\":2048,\"num_attention_heads\":8,"
      "\"num_key_value_heads\":1,\"num_hidden_layers\":18,\"dtype\":\"float32\"}",
      LAYERS(KV(1, 256), "[18,0]"), "f32", 0, 8, "read", "derived", NULL },
    { "Mistral-7B-v0.1", "{" MISTRAL_7B ",\"sliding_window\":4096}",
      LAYERS(WINDOW(8, 128, 4096), "[32,0]"), "bf16", 32768, 32, "read", "derived", "read" },
    { "Mistral-7B without the key: the class has a window", "{" MISTRAL_7B "}",
      LAYERS(WINDOW(8, 128, 4096), "[32,0]"), "bf16", 32768, 32, "read", "derived", "default" },
    { "Mistral-7B-v0.3", "{" MISTRAL_7B ",\"sliding_window\":null}", LAYERS(KV(8, 128), "[32,0]"),
      "bf16", 32768, 32, "read", "derived", NULL },
    { "Mistral-Nemo",
      "{\"model_type\":\"mistral\",\"hidden_size\":5120,\"num_attention_heads\":32,\"head_dim\":"
      "128,"
      "\"num_key_value_heads\":8,\"num_hidden_layers\":40,\"max_position_embeddings\":131072,"
      "\"torch_dtype\":\"bfloat16\",\"sliding_window\":null}",
      LAYERS(KV(8, 128), "[40,0]"), "bf16", 131072, 32, "read", "read", NULL },
    { "Qwen2.5-7B", "{" QWEN25_7B ",\"use_sliding_window\":false,\"max_window_layers\":28}",
      LAYERS(KV(4, 128), "[28,0]"), "bf16", 131072, 28, "read", "derived", NULL },
    { "Qwen2.5 with its window used from layer 21 on",
      "{" QWEN25_7B ",\"use_sliding_window\":true,\"max_window_layers\":21}",
      LAYERS(KV(4, 128) "," WINDOW(4, 128, 131072), "[21,0],[7,1]"), "bf16", 131072, 28, "read",
      "derived", NULL },
    { "Qwen2.5 with its window used in all layers",
      "{" QWEN25_7B ",\"use_sliding_window\":true,\"max_window_layers\":0}",
      LAYERS(WINDOW(4, 128, 131072), "[28,0]"), "bf16", 131072, 28, "read", "derived", "read" },
    { "Qwen3-8B",
      "{" QWEN3_8B ",\"sliding_window\":null,\"use_sliding_window\":false,"
      "\"max_window_layers\":36}",
      LAYERS(KV(8, 128), "[36,0]"), "bf16", 40960, 32, "read", "read", NULL },
    { "Phi-3-mini-4k",
      "{\"model_type\":\"phi3\",\"hidden_size\":3072,\"num_attention_heads\":32,"
      "\"num_key_value_heads\":32,\"num_hidden_layers\":32,\"max_position_embeddings\":4096,"
      "\"torch_dtype\":\"bfloat16\",\"sliding_window\":2047}",
      LAYERS(WINDOW(32, 96, 2047), "[32,0]"), "bf16", 4096, 32, "read", "derived", "read" },
    { "GLM-4-9B-0414",
      "{\"model_type\":\"glm4\",\"hidden_size\":4096,\"num_attention_heads\":32,\"head_dim\":128,"
      "\"num_key_value_heads\":2,\"num_hidden_layers\":40,\"max_position_embeddings\":32768,"
      "\"torch_dtype\":\"bfloat16\",\"partial_rotary_factor\":0.5}",
      LAYERS(KV(2, 128), "[40,0]"), "bf16", 32768, 32, "read", "read", NULL },
    { "GLM-4 of the class's defaults",
      "{\"model_type\":\"glm4\",\"hidden_size\":4096,\"num_attention_heads\":32,"
      "\"num_hidden_layers\":40,\"torch_dtype\":\"bfloat16\"}",
      LAYERS(KV(2, 128), "[40,0]"), "bf16", 0, 32, "default", "default", NULL },
};

static void check_published(const struct published *due)
{
    static const char TYPE[] = "/architecture/layer_types/0/states/0";
    char at[120];
    json_t *model = read_model(due->config);
    has_architecture(model, due->architecture);
    assert_string_equal(json_string_value(json_object_get(model, "dtype")), due->dtype);
    assert_int_equal(json_integer_value(json_object_get(model, "context_tokens")),
                     due->context_tokens);
    assert_int_equal(json_integer_value(json_object_get(model, "query_heads")), due->query_heads);
    snprintf(at, sizeof at, "%s/kv_heads", TYPE);
    has_source(model, at, due->heads_how,
               strcmp(due->heads_how, "default") == 0 ? "transformers:"
               : strcmp(due->heads_how, "read") == 0  ? "config.json:/num_key_value_heads"
                                                      : "config.json:/num_attention_heads");
    const char *dim_from = strcmp(due->dim_how, "default") == 0 ? "transformers:"
                           : strcmp(due->dim_how, "read") == 0  ? "config.json:/head_dim"
                                                                : "config.json:/hidden_size";
    snprintf(at, sizeof at, "%s/key_dim", TYPE);
    has_source(model, at, due->dim_how, dim_from);
    snprintf(at, sizeof at, "%s/value_dim", TYPE);
    has_source(model, at, due->dim_how, dim_from);
    snprintf(at, sizeof at, "%s/window_tokens", TYPE);
    if (due->window_how != NULL)
        has_source(model, at, due->window_how,
                   strcmp(due->window_how, "read") == 0 ? "config.json:/sliding_window"
                                                        : "transformers:MistralConfig");
    has_source(model, "/architecture/layers", "read", "config.json:/num_hidden_layers");
    has_source(model, "/query_heads", "read", "config.json:/num_attention_heads");
    has_source(model, "/dtype", "read", "config.json:/");
    if (due->context_tokens > 0)
        has_source(model, "/context_tokens", "read", "config.json:/max_position_embeddings");
    json_decref(model);
}

static void published_models_are_read_as_their_class_reads_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof PUBLISHED / sizeof PUBLISHED[0]; i++) {
        fprintf(stderr, "%s\n", PUBLISHED[i].name);
        check_published(&PUBLISHED[i]);
    }
}

static void the_record_names_the_file_by_its_digest(void **state)
{
    (void)state;
    static const char CONFIG[] = "{" LLAMA_31_8B "}";
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    char hex[65];
    assert_int_equal(EVP_Digest(CONFIG, strlen(CONFIG), digest, &length, EVP_sha256(), NULL), 1);
    for (unsigned i = 0; i < 32; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    json_t *model = read_model(CONFIG);
    const json_t *artefact = json_object_get(model, "artefact");
    assert_string_equal(json_string_value(json_object_get(artefact, "format")), "config_json");
    assert_string_equal(json_string_value(json_object_get(artefact, "sha256")), hex);
    assert_int_equal(json_integer_value(json_object_get(artefact, "bytes")), strlen(CONFIG));
    assert_string_equal(json_string_value(json_object_get(model, "family")), "llama");
    assert_string_equal(json_string_value(json_object_get(model, "name")), "name");
    assert_string_equal(json_string_value(json_object_get(model, "revision")), "main");
    json_decref(model);
}

static void layers_that_are_listed_are_as_listed(void **state)
{
    (void)state;
    json_t *model = read_model(
        "{\"model_type\":\"qwen3\",\"hidden_size\":64,\"num_attention_heads\":2,\"head_dim\":32,"
        "\"num_key_value_heads\":2,\"num_hidden_layers\":4,\"use_sliding_window\":true,"
        "\"sliding_window\":16,\"max_window_layers\":4,\"layer_types\":[\"sliding_attention\","
        "\"full_attention\",\"full_attention\",\"sliding_attention\"]}");
    has_architecture(model, LAYERS(WINDOW(2, 32, 16) "," KV(2, 32), "[1,0],[2,1],[1,0]"));
    json_decref(model);
}

/* ---- Element types. */

static void element_types_have_several_names(void **state)
{
    (void)state;
    static const char *const NAMES[][3] = {
        { "torch_dtype", "bfloat16", "bf16" }, { "torch_dtype", "float16", "f16" },
        { "torch_dtype", "float32", "f32" },   { "dtype", "bfloat16", "bf16" },
        { "dtype", "torch.float16", "f16" },   { "dtype", "half", "f16" },
    };
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        char config[512];
        snprintf(config, sizeof config,
                 "{\"model_type\":\"llama\",\"hidden_size\":64,\"num_attention_heads\":2,"
                 "\"num_hidden_layers\":4,\"%s\":\"%s\"}",
                 NAMES[i][0], NAMES[i][1]);
        json_t *model = read_model(config);
        assert_string_equal(json_string_value(json_object_get(model, "dtype")), NAMES[i][2]);
        json_decref(model);
    }
    json_t *model = read_model("{\"model_type\":\"llama\",\"hidden_size\":64,"
                               "\"num_attention_heads\":2,\"num_hidden_layers\":4}");
    assert_string_equal(json_string_value(json_object_get(model, "dtype")), "f32");
    has_source(model, "/dtype", "default", "transformers:");
    json_decref(model);
}

static void the_file_s_own_type_goes_before_its_decoder_s(void **state)
{
    (void)state;
    json_t *model = read_model(
        "{\"model_type\":\"llava\",\"torch_dtype\":\"float16\",\"text_config\":{\"model_type\":"
        "\"llama\",\"torch_dtype\":\"float32\",\"hidden_size\":64,\"num_attention_heads\":2,"
        "\"num_hidden_layers\":4}}");
    assert_string_equal(json_string_value(json_object_get(model, "dtype")), "f16");
    json_decref(model);
    model = read_model("{\"model_type\":\"llama\",\"torch_dtype\":\"auto\",\"hidden_size\":64,"
                       "\"num_attention_heads\":2,\"num_hidden_layers\":4}");
    has_source(model, "/dtype", "default", "transformers:");
    json_decref(model);
}

static void the_longest_context_that_is_stated_counts(void **state)
{
    (void)state;
    json_t *model = read_model(
        "{\"model_type\":\"cohere\",\"hidden_size\":64,\"num_attention_heads\":2,"
        "\"num_hidden_layers\":4,\"max_position_embeddings\":8192,\"model_max_length\":131072}");
    assert_int_equal(json_integer_value(json_object_get(model, "context_tokens")), 131072);
    has_source(model, "/context_tokens", "read", "config.json:/model_max_length");
    json_decref(model);
}

/* ---- What is unknown. */

#define SMALL                                                                                      \
    "\"model_type\":\"llama\",\"hidden_size\":64,\"num_attention_heads\":2,"                       \
    "\"num_key_value_heads\":2,\"num_hidden_layers\":3,\"torch_dtype\":\"float16\""

static void must_be_unknown(const char *config, const char *key)
{
    kvcap_record *record = NULL;
    kvcap_error err;
    must(model_of(config, &record, &err), &err);
    json_t *model = parsed(kvcap_record_json(record));
    json_t *type =
        json_array_get(json_object_get(json_object_get(model, "architecture"), "layer_types"), 0);
    json_t *kept = json_array_get(json_object_get(type, "states"), 0);
    assert_string_equal(json_string_value(json_object_get(kept, "state")), "unknown");
    assert_string_equal(json_string_value(json_object_get(kept, "key")), key);
    json_decref(model);
    kvcap_record_free(record);
}

static void a_family_that_is_not_known_is_unknown(void **state)
{
    (void)state;
    must_be_unknown("{\"model_type\":\"newer\",\"num_hidden_layers\":3}",
                    "config.json:/model_type");
    must_be_unknown("{\"num_hidden_layers\":3}", "config.json:/model_type");
    must_be_unknown("{\"model_type\":7}", "config.json:/model_type");
    must_be_unknown("{\"model_type\":null,\"num_hidden_layers\":2}", "config.json:/model_type");
    must_be_unknown("{\"model_type\":\"\"}", "config.json:/model_type");
    must_be_unknown("{\"model_type\":\"lla\x7Fma\"}", "config.json:/model_type");
    must_be_unknown("{\"model_type\":\"lla\\u0000ma\"}", "config.json:/model_type");
    must_be_unknown("{\"model_type\":\"lla\\u0085ma\"}", "config.json:/model_type");
    must_be_unknown("{\"model_type\":\"Llama\",\"num_hidden_layers\":3}",
                    "config.json:/model_type");
    json_t *model = read_model("{\"model_type\":\"newer\",\"num_hidden_layers\":3}");
    json_t *runs = json_object_get(json_object_get(model, "architecture"), "layers");
    assert_int_equal(json_integer_value(json_array_get(json_array_get(runs, 0), 0)), 3);
    json_decref(model);
}

static void a_file_that_leaves_out_a_count_is_unknown(void **state)
{
    (void)state;
    must_be_unknown("{\"model_type\":\"llama\"}", "config.json:/num_hidden_layers");
    must_be_unknown("{\"model_type\":\"llama\",\"num_hidden_layers\":null}",
                    "config.json:/num_hidden_layers");
    must_be_unknown("{\"model_type\":\"llama\",\"num_hidden_layers\":3}",
                    "config.json:/num_attention_heads");
    must_be_unknown("{\"model_type\":\"llama\",\"num_hidden_layers\":3,\"num_attention_heads\":2}",
                    "config.json:/hidden_size");
}

static void a_key_that_the_family_does_not_read_makes_it_unknown(void **state)
{
    (void)state;
    static const char *const KEYS[][2] = {
        { "kv_lora_rank", "512" },
        { "attention_chunk_size", "8192" },
        { "layers_block_type", "[\"mamba\"]" },
        { "num_kv_shared_layers", "10" },
        { "sliding_window", "4096" },
        { "sliding_window_pattern", "6" },
        { "num_nextn_predict_layers", "1" },
        { "cross_attention_layers", "[3]" },
        { "index_head_dim", "128" },
        { "mamba_d_state", "16" },
        { "hybrid_override_pattern", "\"M-\"" },
    };
    static const char *const NOTHING[] = { "null", "0", "false", "[]" };
    for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++) {
        char config[512], key[64];
        snprintf(config, sizeof config, "{" SMALL ",\"%s\":%s}", KEYS[i][0], KEYS[i][1]);
        snprintf(key, sizeof key, "config.json:/%s", KEYS[i][0]);
        must_be_unknown(config, key);
        for (size_t j = 0; j < 4 && strcmp(KEYS[i][0], "sliding_window") != 0; j++) {
            snprintf(config, sizeof config, "{" SMALL ",\"%s\":%s}", KEYS[i][0], NOTHING[j]);
            json_t *model = read_model(config);
            has_architecture(model, LAYERS(KV(2, 32), "[3,0]"));
            json_decref(model);
        }
    }
}

static void a_layer_type_that_is_not_known_is_unknown_alone(void **state)
{
    (void)state;
    json_t *model = read_model("{" SMALL ",\"layer_types\":[\"full_attention\",\"full_attention\","
                               "\"linear_attention\"]}");
    const json_t *architecture = json_object_get(model, "architecture");
    json_t *type = json_array_get(json_object_get(architecture, "layer_types"), 1);
    json_t *kept = json_array_get(json_object_get(type, "states"), 0);
    assert_string_equal(json_string_value(json_object_get(kept, "state")), "unknown");
    assert_string_equal(json_string_value(json_object_get(kept, "key")),
                        "config.json:/layer_types/2");
    json_t *runs = parsed("[[2,0],[1,1]]");
    assert_true(json_equal(json_object_get(architecture, "layers"), runs));
    json_decref(runs);
    json_decref(model);
    /* A window that the family does not have is no window. */
    must_be_unknown("{" SMALL ",\"layer_types\":[\"sliding_attention\",\"full_attention\","
                    "\"full_attention\"]}",
                    "config.json:/layer_types/0");
}

/* ---- Refusals. */

static void what_is_missing_or_bent_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *config, *slug, *at;
    } CASES[] = {
        { "{}", "metadata.not_a_model", "" },
        { "{\"foo\":1,\"model_type\":null}", "metadata.not_a_model", "" },
        { "{\"model_type\":\"llama\",\"num_hidden_layers\":\"3\"}", "metadata.wrong_type",
          "/num_hidden_layers" },
        { "{\"model_type\":\"llama\",\"num_hidden_layers\":3.0}", "metadata.wrong_type",
          "/num_hidden_layers" },
        { "{\"model_type\":\"llama\",\"num_hidden_layers\":-3}", "metadata.wrong_type",
          "/num_hidden_layers" },
        { "{\"model_type\":\"llama\",\"num_hidden_layers\":true}", "metadata.wrong_type",
          "/num_hidden_layers" },
        { "{\"model_type\":\"llama\",\"num_hidden_layers\":0}", "metadata.out_of_range",
          "/num_hidden_layers" },
        { "{\"model_type\":\"llama\",\"num_hidden_layers\":4097}", "metadata.out_of_range",
          "/num_hidden_layers" },
        { "{\"model_type\":\"llama\",\"num_hidden_layers\":4294967296}", "metadata.out_of_range",
          "/num_hidden_layers" },
        { "{\"model_type\":\"llama\",\"hidden_size\":65,\"num_attention_heads\":2,"
          "\"num_hidden_layers\":3}",
          "metadata.out_of_range", "/hidden_size" },
        { "{\"model_type\":\"llama\",\"hidden_size\":64,\"num_attention_heads\":0,"
          "\"num_hidden_layers\":3}",
          "metadata.out_of_range", "/num_attention_heads" },
        { "{\"model_type\":\"llama\",\"hidden_size\":64,\"num_attention_heads\":4,"
          "\"num_key_value_heads\":3,\"num_hidden_layers\":3}",
          "metadata.out_of_range", "/num_key_value_heads" },
        { "{\"model_type\":\"kimi_linear\",\"hidden_size\":64,\"num_attention_heads\":2,"
          "\"num_hidden_layers\":3,\"linear_attn_config\":{\"kda_layers\":[1,2],"
          "\"full_attn_layers\":[2,3],\"num_heads\":2,\"head_dim\":32,"
          "\"short_conv_kernel_size\":4}}",
          "metadata.out_of_range", "/linear_attn_config/full_attn_layers" },
        { "{" SMALL ",\"head_dim\":\"32\"}", "metadata.wrong_type", "/head_dim" },
        { "{" SMALL ",\"dtype\":\"int8\",\"torch_dtype\":null}", "json.duplicate_key",
          "/torch_dtype" },
        { "{\"model_type\":\"llama\",\"hidden_size\":64,\"num_attention_heads\":2,"
          "\"num_hidden_layers\":3,\"torch_dtype\":\"int8\"}",
          "metadata.wrong_type", "/torch_dtype" },
        { "{\"model_type\":\"llama\",\"hidden_size\":64,\"num_attention_heads\":2,"
          "\"num_hidden_layers\":3,\"dtype\":16}",
          "metadata.wrong_type", "/dtype" },
        { "{" SMALL ",\"layer_types\":[\"full_attention\"]}", "metadata.out_of_range",
          "/layer_types" },
        { "{" SMALL ",\"layer_types\":{\"0\":\"full_attention\"}}", "metadata.wrong_type",
          "/layer_types" },
        { "{" SMALL ",\"layer_types\":[\"full_attention\",1,\"full_attention\"]}",
          "metadata.wrong_type", "/layer_types" },
        { "{" SMALL ",\"layer_types\":[[],\"full_attention\",\"full_attention\"]}",
          "metadata.wrong_type", "/layer_types" },
        { "{" MISTRAL_7B ",\"sliding_window\":\"4096\"}", "metadata.wrong_type",
          "/sliding_window" },
        { "{" MISTRAL_7B ",\"sliding_window\":4096.5}", "metadata.wrong_type", "/sliding_window" },
        { "{" QWEN25_7B ",\"use_sliding_window\":1}", "metadata.wrong_type",
          "/use_sliding_window" },
        { "{" QWEN25_7B ",\"use_sliding_window\":true,\"max_window_layers\":\"21\"}",
          "metadata.wrong_type", "/max_window_layers" },
        { "[]", "metadata.not_a_model", "" },
        { "7", "metadata.not_a_model", "" },
        { "", "json.empty", "" },
        { "{\"a\":1,\"a\":2}", "json.duplicate_key", "/a" },
        { "{\"a\":{\"b\":1,\"b\":2}}", "json.duplicate_key", "/a/b" },
        { "{\"a\":\"\xC3\"}", "json.bad_utf8", "/a" },
        { "{\"a\":\"\\ud800\"}", "json.lone_surrogate", "/a" },
        { "{} {}", "json.trailing_bytes", "" },
        { "{\"a\":nan}", "json.syntax", "/a" },
        { "{'a':1}", "json.syntax", "" },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        kvcap_record *model = NULL;
        kvcap_error err;
        kvcap_code rc = model_of(CASES[i].config, &model, &err);
        if (rc == KVCAP_OK)
            fail_msg("accepted: %s", CASES[i].config);
        must_refuse(rc, &err, CASES[i].slug, CASES[i].at);
        assert_null(model);
    }
}

static void python_s_numbers_and_large_ones_are_passed_over(void **state)
{
    (void)state;
    json_t *model = read_model("{" SMALL ",\"a\":NaN,\"b\":Infinity,\"c\":-Infinity,\"d\":1e999,"
                               "\"e\":123456789012345678901234567890,\"f\":-0,\"g\":[1.5,true]}");
    has_architecture(model, LAYERS(KV(2, 32), "[3,0]"));
    json_decref(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_models_are_read_as_their_class_reads_them),
        cmocka_unit_test(the_record_names_the_file_by_its_digest),
        cmocka_unit_test(layers_that_are_listed_are_as_listed),
        cmocka_unit_test(element_types_have_several_names),
        cmocka_unit_test(the_file_s_own_type_goes_before_its_decoder_s),
        cmocka_unit_test(the_longest_context_that_is_stated_counts),
        cmocka_unit_test(a_family_that_is_not_known_is_unknown),
        cmocka_unit_test(a_file_that_leaves_out_a_count_is_unknown),
        cmocka_unit_test(a_key_that_the_family_does_not_read_makes_it_unknown),
        cmocka_unit_test(a_layer_type_that_is_not_known_is_unknown_alone),
        cmocka_unit_test(what_is_missing_or_bent_is_refused),
        cmocka_unit_test(python_s_numbers_and_large_ones_are_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
