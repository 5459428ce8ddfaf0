/* Goal: of a folder whose files agree comes one model with the exact bytes of its weights; where two
 * disagree, either a note tells which is believed, or the model's layers are unknown - never a silent
 * pick.
 * Method: small folders of our own, in memory, through the public interface; then each broken or cut
 * file among them, by slug and place. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "meta/file_kind.h"
#include "meta/folder.h"
#include "os/os.h"
#include "support/fixture.h"
#include "support/tensor_file.h"

#define FILES_MAX 8

/* A file of a folder: a text, or the header of tensors and how many bytes follow it. */
struct given {
    const char *name, *text;
    uint64_t data_bytes;
};

struct files {
    kvcap_model_file list[FILES_MAX];
    struct tensor_file tensors[FILES_MAX];
    size_t count;
};

static bool holds_tensors(const char *name)
{
    return kvc_file_kind_of(kvc_span_of(name)) == KVC_FILE_TENSORS;
}

static void put_files(struct files *files, const struct given *given, size_t count)
{
    *files = (struct files){ .count = 0 };
    for (size_t i = 0; i < count && given[i].name != NULL; i++) {
        kvcap_model_file *file = &files->list[files->count];
        *file = (kvcap_model_file){ .struct_size = sizeof *file, .name = given[i].name };
        if (given[i].text == NULL) {
            /* is there, and cannot be read */
        } else if (holds_tensors(given[i].name)) {
            struct tensor_file *t = &files->tensors[files->count];
            *t = tensor_file(given[i].text, given[i].data_bytes);
            file->bytes = t->head.text;
            file->length = t->head.length;
            file->file_bytes = t->file_bytes;
        } else {
            file->bytes = given[i].text;
            file->length = file->file_bytes = strlen(given[i].text);
        }
        files->count++;
    }
}

static void free_files(struct files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free((char *)files->tensors[i].head.text);
}

static kvcap_code model_of(const struct given *given, size_t count, kvcap_record **ret_model,
                           kvcap_error *err)
{
    struct files files;
    put_files(&files, given, count);
    kvcap_code rc = kvcap_model_from_files(files.list, files.count, "tiny", NULL, ret_model, err);
    free_files(&files);
    return rc;
}

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static bool says(const kvcap_record *model, const char *text)
{
    return strstr(kvcap_record_json(model), text) != NULL;
}

/* The sentence of a note, or NULL. */
static const char *note_of(const kvcap_record *model, const char *code, const char *at)
{
    const char *code_found, *at_found, *text;
    for (size_t i = 0; (text = kvcap_record_note(model, i, &code_found, &at_found)) != NULL; i++) {
        if (strcmp(code, code_found) == 0 && strcmp(at, at_found) == 0)
            return text;
    }
    return NULL;
}

#define CONFIG(rest)                                                                               \
    "{\"model_type\":\"llama\",\"hidden_size\":64,\"num_attention_heads\":8," rest                 \
    "\"num_key_value_heads\":2,\"num_hidden_layers\":1,\"max_position_embeddings\":1024}"
#define CONFIG2                                                                                    \
    "{\"model_type\":\"llama\",\"hidden_size\":64,\"num_attention_heads\":8,\"num_key_value_"      \
    "heads\":"                                                                                     \
    "2,\"num_hidden_layers\":2,\"torch_dtype\":\"bfloat16\"}"
#define LLAMA CONFIG("\"torch_dtype\":\"bfloat16\",")

/* K and V of a layer, `rows` rows of 64 elements of two bytes each. */
#define PAIR(stack, k, v, type, k_shape, v_shape, a, b, c)                                         \
    "\"" stack k "\":{\"dtype\":\"" type "\",\"shape\":" k_shape ",\"data_offsets\":[" a "," b     \
    "]},\"" stack v "\":{\"dtype\":\"" type "\",\"shape\":" v_shape ",\"data_offsets\":[" b "," c  \
    "]}"
#define LAYER(stack, type)                                                                         \
    PAIR(stack, "self_attn.k_proj.weight", "self_attn.v_proj.weight", type, "[16,64]", "[16,64]",  \
         "0", "2048", "4096")
#define GOOD "{" LAYER("model.layers.0.", "BF16") "}"

/* ---- Folders that agree. */

static void a_config_alone_is_the_same_model_by_either_call(void **state)
{
    static const struct given GIVEN[] = { { "config.json", LLAMA, 0 } };
    (void)state;
    kvcap_record *a = NULL, *b = NULL;
    kvcap_error err;
    must(model_of(GIVEN, 1, &a, &err), &err);
    must(kvcap_model_from_config(LLAMA, strlen(LLAMA), "tiny", NULL, &b, &err), &err);
    assert_string_equal(kvcap_record_id(a), kvcap_record_id(b));
    assert_true(says(a, "\"format\":\"config_json\""));
    assert_null(kvcap_record_note(a, 0, NULL, NULL));
    kvcap_record_free(a);
    kvcap_record_free(b);
}

static void hex_of(const char *bytes, size_t length, char hex[65])
{
    unsigned char digest[32];
    unsigned size = sizeof digest;
    assert_int_equal(EVP_Digest(bytes, length, digest, &size, EVP_sha256(), NULL), 1);
    for (unsigned i = 0; i < 32; i++)
        snprintf(hex + 2 * (size_t)i, 3, "%02x", digest[i]);
}

static void weights_are_exact_and_the_digest_is_of_what_was_read(void **state)
{
    static const struct given GIVEN[] = { { "model.safetensors", GOOD, 4096 },
                                          { "tokenizer.json", "no JSON", 0 },
                                          { "config.json", LLAMA, 0 } };
    (void)state;
    kvcap_record *model = NULL;
    kvcap_error err;
    must(model_of(GIVEN, COUNT(GIVEN), &model, &err), &err);
    assert_true(says(model, "\"weights_bytes\":4096"));
    assert_true(says(model, "{\"at\":\"/weights_bytes\",\"from\":\"model.safetensors\",\"how\":"
                            "\"read\"}"));
    assert_true(says(model, "\"format\":\"folder\""));
    assert_string_equal(note_of(model, "folder.weights", "model.safetensors"),
                        "2 tensors of 4096 bytes in 1 file: BF16 4096");
    struct tensor_file file = tensor_file(GOOD, 4096);
    char hex[65], lines[400], due[128];
    hex_of(LLAMA, strlen(LLAMA), hex);
    snprintf(lines, sizeof lines, "%s  config.json\n", hex);
    hex_of(file.head.text, file.head.length, hex);
    snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "%s  model.safetensors\n", hex);
    hex_of(lines, strlen(lines), hex);
    snprintf(due, sizeof due,
             "\"artefact\":{\"bytes\":%zu,\"format\":\"folder\",\"sha256\":\"%s\"}",
             strlen(LLAMA) + file.head.length, hex);
    assert_true(says(model, due));
    free((char *)file.head.text);
    kvcap_record_free(model);
}

/* The order in which files are given, and bytes past what is needed, change nothing. */
static void the_same_files_are_the_same_model(void **state)
{
    static const struct given GIVEN[] = { { "config.json", LLAMA, 0 },
                                          { "model.safetensors", GOOD, 4096 } };
    (void)state;
    kvcap_record *a = NULL, *b = NULL;
    kvcap_error err;
    struct files files;
    must(model_of(GIVEN, 2, &a, &err), &err);
    put_files(&files, GIVEN, 2);
    char *longer = calloc(1, files.tensors[1].head.length + 100);
    assert_non_null(longer);
    memcpy(longer, files.tensors[1].head.text, files.tensors[1].head.length);
    kvcap_model_file turned[2] = { files.list[1], files.list[0] };
    turned[0].bytes = longer;
    turned[0].length += 100;
    char hex[65];
    hex_of(LLAMA, strlen(LLAMA), hex);
    turned[1].sha256 = hex;
    must(kvcap_model_from_files(turned, 2, "tiny", "unknown", &b, &err), &err);
    assert_string_equal(kvcap_record_id(a), kvcap_record_id(b));
    free(longer);
    free_files(&files);
    kvcap_record_free(a);
    kvcap_record_free(b);
}

static void a_model_that_was_made_reads_again_without_notes(void **state)
{
    static const struct given GIVEN[] = { { "config.json", LLAMA, 0 },
                                          { "model.safetensors", GOOD, 4096 } };
    (void)state;
    kvcap_record *model = NULL, *again = NULL;
    kvcap_error err;
    must(model_of(GIVEN, 2, &model, &err), &err);
    const char *json = kvcap_record_json(model);
    must(kvcap_record_read(json, strlen(json), KVCAP_JSON, &again, &err), &err);
    assert_string_equal(kvcap_record_id(model), kvcap_record_id(again));
    assert_non_null(kvcap_record_note(model, 0, NULL, NULL));
    assert_null(kvcap_record_note(again, 0, NULL, NULL));
    assert_null(kvcap_record_note(NULL, 0, NULL, NULL));
    kvcap_record_free(model);
    kvcap_record_free(again);
}

/* ---- Folders that do not. */

#define INDEX(total, map) "{\"metadata\":{\"total_size\":" total "},\"weight_map\":{" map "}}"
#define K0 "\"model.layers.0.self_attn.k_proj.weight\""
#define V0 "\"model.layers.0.self_attn.v_proj.weight\""
/* A file of one tensor of two bytes. */
#define ONE(name) "{\"" name "\":{\"dtype\":\"BF16\",\"shape\":[1],\"data_offsets\":[0,2]}}"
#define PARAMS(layers, kv, dim, window)                                                            \
    "{\"dim\":64,\"n_heads\":8,\"n_layers\":" layers ",\"n_kv_heads\":" kv ",\"head_dim\":" dim    \
    "" window "}"

static const struct folder {
    const char *what;
    struct given given[4];
    const char *code, *at; /* of the note; NULL: none but folder.weights */
    const char *says;      /* in its sentence */
    bool unknown;          /* the layers cannot be said */
    const char *record;    /* in the record; NULL: anything */
} FOLDERS[] = {
    { "tensors of another type than config.json's",
      { { "config.json", LLAMA, 0 },
        { "model.safetensors", "{" LAYER("model.layers.0.", "F16") "}", 4096 } },
      "folder.dtype",
      "config.json:/torch_dtype",
      "bf16, the attention's tensors are F16; the first is believed",
      false,
      "\"dtype\":\"bf16\"" },
    { "the same of a quantised checkpoint",
      { { "config.json",
          CONFIG(
              "\"torch_dtype\":\"bfloat16\",\"quantization_config\":{\"quant_method\":\"fp8\"},"),
          0 },
        { "model.safetensors", "{" LAYER("model.layers.0.", "F16") "}", 4096 } },
      NULL,
      NULL,
      NULL,
      false,
      "\"dtype\":\"bf16\"" },
    { "no element type but the tensors'",
      { { "config.json", CONFIG(""), 0 }, { "model.safetensors", GOOD, 4096 } },
      "folder.dtype_from_weights",
      "model.safetensors:model.layers.*",
      "BF16, which is believed",
      false,
      "\"dtype\":\"bf16\"" },
    { "no element type at all",
      { { "config.json", CONFIG(""), 0 },
        { "model.safetensors", "{" LAYER("model.layers.0.", "I16") "}", 4096 } },
      "folder.dtype_not_said",
      "transformers:PretrainedConfig.dtype (absent: float32)",
      "f32 is taken: transformers:PretrainedConfig.dtype (absent: float32)",
      false,
      "\"dtype\":\"f32\"" },
    { "K of more rows",
      { { "config.json", LLAMA, 0 },
        { "model.safetensors",
          "{" PAIR("model.layers.0.", "self_attn.k_proj.weight", "self_attn.v_proj.weight", "BF16",
                   "[32,64]", "[16,64]", "0", "4096", "6144") "}",
          6144 } },
      "folder.kv_rows",
      "config.json:/num_key_value_heads",
      "2 heads of 8 make 16 rows, model.layers.0.self_attn.k_proj.weight in model.safetensors has "
      "32; neither is believed",
      true,
      "\"weights_bytes\":6144" },
    { "V of fewer rows",
      { { "config.json", LLAMA, 0 },
        { "model.safetensors",
          "{" PAIR("model.layers.0.", "self_attn.k_proj.weight", "self_attn.v_proj.weight", "BF16",
                   "[16,64]", "[8,64]", "0", "2048", "3072") "}",
          3072 } },
      "folder.kv_rows",
      "config.json:/num_key_value_heads",
      "v_proj.weight in model.safetensors has 8",
      true,
      NULL },
    { "four-bit weights as one column: rows say nothing",
      { { "config.json", LLAMA, 0 },
        { "model.safetensors",
          "{" PAIR("model.layers.0.", "self_attn.k_proj.weight", "self_attn.v_proj.weight", "U8",
                   "[512,1]", "[512,1]", "0", "512", "1024") "}",
          1024 } },
      NULL,
      NULL,
      NULL,
      false,
      "\"weights_bytes\":1024" },
    { "four-bit weights in pairs: rows are whole",
      { { "config.json", LLAMA, 0 },
        { "model.safetensors",
          "{" PAIR("model.layers.0.", "self_attn.k_proj.weight_packed",
                   "self_attn.v_proj.weight_packed", "U8", "[32,32]", "[16,32]", "0", "1024",
                   "1536") "}",
          1536 } },
      "folder.kv_rows",
      "config.json:/num_key_value_heads",
      "k_proj.weight_packed in model.safetensors has 32",
      true,
      NULL },
    { "an indexer's own K is no K of the layer",
      { { "config.json", LLAMA, 0 },
        { "model.safetensors",
          "{" PAIR("model.layers.0.", "self_attn.indexer.k_proj.weight",
                   "self_attn.indexer.wk.weight", "BF16", "[4,64]", "[4,64]", "0", "512",
                   "1024") "}",
          1024 } },
      NULL,
      NULL,
      NULL,
      false,
      NULL },
    { "one layer too many",
      { { "config.json", LLAMA, 0 },
        { "model.safetensors", "{" LAYER("model.layers.1.", "BF16") "}", 4096 } },
      "folder.layers",
      "config.json:/num_hidden_layers",
      "says 1 layers, the tensors are of 2 (model.layers.0 to model.layers.1)",
      true,
      NULL },
    { "layers beyond all bounds",
      { { "config.json", LLAMA, 0 },
        { "model.safetensors", "{" LAYER("model.layers.18446744073709551615.", "BF16") "}",
          4096 } },
      "folder.layers",
      "config.json:/num_hidden_layers",
      "the tensors are of 4097",
      true,
      NULL },
    { "a tower of another kind has other layers",
      { { "config.json", LLAMA, 0 },
        { "model.safetensors",
          "{" LAYER("model.layers.0.",
                    "BF16") ",\"visual.blocks.31.attn.k_proj.weight\":{\"dtype\":"
                            "\"U8\",\"shape\":[0],\"data_offsets\":[4096,4096]}}",
          4096 } },
      NULL,
      NULL,
      NULL,
      false,
      NULL },
    { "two stacks: nothing is said",
      { { "config.json", LLAMA, 0 },
        { "model.safetensors",
          "{" LAYER("model.layers.7.",
                    "BF16") ",\"layers.31.attention.wk.weight\":{\"dtype\":"
                            "\"U8\",\"shape\":[0],\"data_offsets\":[4096,4096]}}",
          4096 } },
      NULL,
      NULL,
      NULL,
      false,
      NULL },
    { "an index with another sum",
      { { "config.json", LLAMA, 0 },
        { "model.safetensors.index.json",
          INDEX("5000", K0 ":\"a.safetensors\"," V0 ":\"a.safetensors\""), 0 },
        { "a.safetensors", GOOD, 4096 } },
      "folder.total_size",
      "model.safetensors.index.json:/metadata/total_size",
      "5000 bytes of weights, the headers hold 4096; the headers are believed",
      false,
      "\"weights_bytes\":4096" },
    { "an index with files that are not here",
      { { "config.json", LLAMA, 0 },
        { "model.safetensors.index.json",
          INDEX("4096", K0 ":\"a.safetensors\"," V0 ":\"b.safetensors\""), 0 },
        { "a.safetensors", GOOD, 4096 } },
      "folder.file_missing",
      "model.safetensors.index.json",
      "1 of 2 files that the index names are not here, the first is b.safetensors",
      false,
      NULL },
    { "one of two parts, and no index",
      { { "config.json", CONFIG2, 0 }, { "model-00001-of-00002.safetensors", GOOD, 4096 } },
      "folder.file_missing",
      "model-00001-of-00002.safetensors",
      "number 2 of the 2 parts that model-00001-of-00002.safetensors is one of is not here",
      false,
      NULL },
    { "the other of two, and a file of a model of its own",
      { { "config.json", CONFIG2, 0 },
        { "model-00002-of-00002.safetensors", GOOD, 4096 },
        { "model.safetensors", "{}", 0 } },
      "folder.file_missing",
      "model-00002-of-00002.safetensors",
      "number 1 of the 2 parts",
      false,
      NULL },
    { "both parts, and no index",
      { { "config.json", CONFIG2, 0 },
        { "model-00001-of-00002.safetensors", GOOD, 4096 },
        { "model-00002-of-00002.safetensors", "{" LAYER("model.layers.1.", "BF16") "}", 4096 } },
      NULL,
      NULL,
      NULL,
      false,
      "\"weights_bytes\":8192" },
    { "parts of two series, neither whole",
      { { "config.json", CONFIG2, 0 },
        { "a-00001-of-00002.safetensors", GOOD, 4096 },
        { "b-00002-of-00002.safetensors", "{" LAYER("model.layers.1.", "BF16") "}", 4096 } },
      "folder.file_missing",
      "a-00001-of-00002.safetensors",
      "number 2 of the 2 parts",
      false,
      NULL },
    { "a part whose number is written otherwise",
      { { "config.json", CONFIG2, 0 }, { "model-1-of-61.safetensors", GOOD, 4096 } },
      "folder.file_missing",
      "model-1-of-61.safetensors",
      "is a part by its name",
      false,
      NULL },
    { "a part alone",
      { { "model-00001-of-00002.safetensors", GOOD, 4096 } },
      "folder.file_missing",
      "model-00001-of-00002.safetensors",
      "number 2 of the 2 parts",
      true,
      "{\"at\":\"/architecture/layers\",\"from\":\"model-00001-of-00002.safetensors\",\"how\":"
      "\"default\"}" },
    { "an index with other tensors than the file",
      { { "config.json", LLAMA, 0 },
        { "model.safetensors.index.json", INDEX("4096", K0 ":\"a.safetensors\""), 0 },
        { "a.safetensors", GOOD, 4096 } },
      "folder.index_tensors",
      "a.safetensors",
      "names 1 tensors in a.safetensors, which holds 2; the file is believed",
      false,
      NULL },
    { "an index that looks for two tensors in each other's file",
      { { "config.json", LLAMA, 0 },
        { "model.safetensors.index.json",
          INDEX("4", "\"x\":\"a.safetensors\",\"y\":\"b.safetensors\""), 0 },
        { "a.safetensors", ONE("y"), 2 },
        { "b.safetensors", ONE("\\u0078"), 2 } },
      "folder.index_tensors",
      "model.safetensors.index.json",
      "2 tensors are not in the file that the index names for them, the first is x, by the index "
      "in a.safetensors",
      false,
      "\"weights_bytes\":4" },
    { "a tensor in two files, and no index",
      { { "config.json", LLAMA, 0 },
        { "a.safetensors", ONE("x"), 2 },
        { "b.safetensors", ONE("\\u0078"), 2 } },
      "folder.tensor_twice",
      "b.safetensors",
      "1 tensors stand in more than one file, the first is x, in a.safetensors and b.safetensors",
      false,
      NULL },
    { "a tensor in two files of the index",
      { { "config.json", LLAMA, 0 },
        { "model.safetensors.index.json",
          INDEX("4", "\"x\":\"a.safetensors\",\"y\":\"b.safetensors\""), 0 },
        { "a.safetensors", ONE("x"), 2 },
        { "b.safetensors",
          "{\"x\":{\"dtype\":\"BF16\",\"shape\":[1],\"data_offsets\":[0,2]},"
          "\"y\":{\"dtype\":\"BF16\",\"shape\":[1],\"data_offsets\":[2,4]}}",
          4 } },
      "folder.tensor_twice",
      "b.safetensors",
      "the first is x",
      false,
      NULL },
    { "a second index",
      { { "config.json", LLAMA, 0 },
        { "a.safetensors.index.json", INDEX("2", "\"x\":\"b.safetensors\""), 0 },
        { "model.safetensors.index.json", INDEX("2", "\"x\":\"a.safetensors\""), 0 },
        { "a.safetensors", ONE("x"), 2 } },
      "folder.index_not_read",
      "a.safetensors.index.json",
      "a.safetensors.index.json is not read, but model.safetensors.index.json",
      false,
      "\"weights_bytes\":2" },
    { "an index of the other format",
      { { "config.json", LLAMA, 0 },
        { "consolidated.safetensors.index.json", INDEX("2", "\"x\":\"consolidated.safetensors\""),
          0 },
        { "a.safetensors", ONE("x"), 2 } },
      "folder.index_not_read",
      "consolidated.safetensors.index.json",
      "is not read: consolidated* go with params.json",
      false,
      "\"weights_bytes\":2" },
    { "tensors that cannot be read",
      { { "config.json", LLAMA, 0 },
        { "model-00001-of-00002.safetensors", ONE("x"), 2 },
        { "model-00002-of-00002.safetensors", NULL, 0 } },
      "folder.unreadable",
      "model-00002-of-00002.safetensors",
      "1 file of tensors cannot be read, the first is model-00002-of-00002.safetensors",
      false,
      NULL },
    { "tensors that cannot be read, and that the index names",
      { { "config.json", LLAMA, 0 },
        { "model.safetensors.index.json",
          INDEX("4", "\"x\":\"a.safetensors\",\"y\":\"b.safetensors\""), 0 },
        { "a.safetensors", ONE("x"), 2 },
        { "b.safetensors", NULL, 0 } },
      "folder.unreadable",
      "b.safetensors",
      "the bytes of the weights are not said",
      false,
      NULL },
    { "a model in two formats",
      { { "config.json", LLAMA, 0 },
        { "consolidated.safetensors", "{" LAYER("layers.9.", "F16") "}", 4096 },
        { "model.safetensors", GOOD, 4096 } },
      "folder.file_not_named",
      "consolidated.safetensors",
      "1 file with tensors is not read, the first is consolidated.safetensors: by their names, "
      "consolidated* go with params.json, and all others with config.json",
      false,
      "\"weights_bytes\":4096" },
    { "an adapter is no part of the model",
      { { "config.json", LLAMA, 0 },
        { "adapter_model.safetensors", "{" LAYER("model.layers.9.", "F16") "}", 4096 },
        { "model.safetensors", GOOD, 4096 } },
      NULL,
      NULL,
      NULL,
      false,
      "\"weights_bytes\":4096" },
    { "config.json and GGUF",
      { { "config.json", LLAMA, 0 }, { "tiny.gguf", "GGUF", 0 } },
      "folder.gguf_beside",
      "tiny.gguf",
      "config.json is believed",
      false,
      "\"format\":\"config_json\"" },
    { "a projector beside config.json is no model in itself",
      { { "config.json", LLAMA, 0 }, { "mmproj-tiny.gguf", "GGUF", 0 } },
      NULL,
      NULL,
      NULL,
      false,
      "\"format\":\"config_json\"" },
    { "params.json with other heads",
      { { "config.json", LLAMA, 0 }, { "params.json", PARAMS("1", "8", "8", ""), 0 } },
      "folder.params",
      "config.json:/num_key_value_heads",
      "layer 0 has 2 KV heads by config.json, 8 by params.json; neither is believed",
      true,
      "\"reason\":\"layer 0 has 2 KV heads by config.json, 8 by params.json\"" },
    { "params.json with other layers",
      { { "config.json", LLAMA, 0 }, { "params.json", PARAMS("2", "2", "8", ""), 0 } },
      "folder.params",
      "config.json:/num_hidden_layers",
      "config.json has 1 layers, params.json has 2",
      true,
      NULL },
    { "params.json with another head size",
      { { "config.json", LLAMA, 0 }, { "params.json", PARAMS("1", "2", "16", ""), 0 } },
      "folder.params",
      "config.json:/hidden_size / /num_attention_heads",
      "layer 0 has 8 elements a head by config.json, 16 by params.json",
      true,
      NULL },
    { "params.json with a window",
      { { "config.json", LLAMA, 0 },
        { "params.json", PARAMS("1", "2", "8", ",\"sliding_window\":4096"), 0 } },
      "folder.params",
      "params.json:/sliding_window",
      "layer 0 is kv by config.json, kv_window of 4096 tokens by params.json",
      true,
      NULL },
    { "params.json with a window in every other layer",
      { { "config.json", CONFIG2, 0 },
        { "params.json", PARAMS("2", "2", "8", ",\"sliding_window\":[null,16]"), 0 } },
      "folder.params",
      "params.json:/sliding_window",
      "layer 1 is kv by config.json, kv_window of 16 tokens by params.json",
      true,
      NULL },
    { "a size that config.json's class has and params.json says",
      { { "config.json",
          "{\"model_type\":\"gemma\",\"hidden_size\":64,\"num_attention_heads\":8,"
          "\"num_key_value_heads\":2,\"num_hidden_layers\":1,\"torch_dtype\":\"bfloat16\"}",
          0 },
        { "params.json", PARAMS("1", "2", "256", ""), 0 } },
      NULL,
      NULL,
      NULL,
      false,
      "\"key_dim\":256" },
    { "KV heads that config.json's class has, and others",
      { { "config.json",
          "{\"model_type\":\"mistral\",\"hidden_size\":64,\"num_attention_heads\":8,"
          "\"sliding_window\":null,\"num_hidden_layers\":1,\"torch_dtype\":\"bfloat16\"}",
          0 },
        { "params.json", PARAMS("1", "4", "8", ""), 0 } },
      "folder.params",
      "transformers:MistralConfig.num_key_value_heads",
      "layer 0 has 8 KV heads by config.json, 4 by params.json",
      true,
      NULL },
    { "params.json of layers that are not known",
      { { "config.json", LLAMA, 0 },
        { "params.json", PARAMS("1", "2", "8", ",\"kv_lora_rank\":512"), 0 } },
      "folder.unread",
      "params.json",
      "does not say what layers keep and is passed over: the family mistral is not known",
      false,
      NULL },
    { "an encoder in a folder below",
      { { "config.json", LLAMA, 0 }, { "tower/config.json", "{\"model_type\":\"bert\"}", 0 } },
      "folder.unread",
      "tower/config.json",
      "is passed over: bert is an encoder",
      false,
      NULL },
    { "params.json that says the same",
      { { "config.json", LLAMA, 0 }, { "params.json", PARAMS("1", "2", "8", ""), 0 } },
      NULL,
      NULL,
      NULL,
      false,
      NULL },
    { "a params.json in another folder",
      { { "config.json", LLAMA, 0 }, { "original/params.json", PARAMS("2", "2", "8", ""), 0 } },
      "folder.params",
      "config.json:/num_hidden_layers",
      "the first is believed, since loaders of this folder do not read the other",
      false,
      NULL },
    { "a config.json of another family in another folder",
      { { "config.json", LLAMA, 0 }, { "draft/config.json", "{\"model_type\":\"qwen3\"}", 0 } },
      "folder.model_type",
      "draft/config.json",
      "config.json is of the family llama, draft/config.json of qwen3; the first is believed",
      false,
      NULL },
    { "a params.json that is none",
      { { "config.json", LLAMA, 0 }, { "original/params.json", "{", 0 } },
      "folder.unread",
      "original/params.json",
      "cannot be read and is passed over",
      false,
      NULL },
    { "a cache format that is asked for",
      { { "config.json", LLAMA, 0 },
        { "hf_quant_config.json", "{\"quantization\":{\"kv_cache_quant_algo\":\"FP8\"}}", 0 } },
      "folder.cache_format",
      "hf_quant_config.json:/quantization/kv_cache_quant_algo",
      "asks for a cache of fp8_e4m3",
      false,
      "\"format\":\"folder\"" },
    { "two that are asked for",
      { { "config.json",
          CONFIG(
              "\"torch_dtype\":\"bfloat16\",\"quantization_config\":{\"kv_cache_scheme\":null},"),
          0 },
        { "hf_quant_config.json", "{\"quantization\":{\"kv_cache_quant_algo\":\"FP8\"}}", 0 } },
      "folder.cache_format_disagrees",
      "config.json:/quantization_config/kv_cache_scheme",
      "config.json asks for an unquantised cache, hf_quant_config.json for fp8_e4m3; the first is "
      "believed",
      false,
      NULL },
};

static void check_folder(const struct folder *folder)
{
    kvcap_record *model = NULL;
    kvcap_error err;
    kvcap_code rc = model_of(folder->given, 4, &model, &err);
    if (rc != KVCAP_OK)
        fail_msg("%s: %s at %s: %s", folder->what, err.slug, err.at, err.text);
    const char *code, *at;
    const char *text = folder->code == NULL ? NULL : note_of(model, folder->code, folder->at);
    if (folder->code == NULL && kvcap_record_note(model, 0, &code, &at) != NULL &&
        strcmp(code, "folder.weights") != 0)
        fail_msg("%s: a note %s at %s", folder->what, code, at);
    if (folder->code != NULL && (text == NULL || strstr(text, folder->says) == NULL)) {
        for (size_t i = 0; (text = kvcap_record_note(model, i, &code, &at)) != NULL; i++)
            print_message("%s at %s: %s\n", code, at, text);
        fail_msg("%s: no such note", folder->what);
    }
    if (says(model, "\"state\":\"unknown\"") != folder->unknown)
        fail_msg("%s: %s", folder->what, kvcap_record_json(model));
    static const char *const NO_BYTES[] = { "folder.file_missing", "folder.tensor_twice",
                                            "folder.unreadable" };
    bool is_missing = false;
    for (size_t i = 0; i < COUNT(NO_BYTES) && folder->code != NULL; i++)
        is_missing = is_missing || strcmp(folder->code, NO_BYTES[i]) == 0;
    if (is_missing && says(model, "weights_bytes"))
        fail_msg("%s: the bytes of what is not here", folder->what);
    if (folder->record != NULL && !says(model, folder->record))
        fail_msg("%s: %s", folder->what, kvcap_record_json(model));
    kvcap_record_free(model);
}

static void what_disagrees_is_told_or_unknown(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(FOLDERS); i++)
        check_folder(&FOLDERS[i]);
}

/* DeepSeek-V3's draft layer has the number behind the last one. */
static void draft_layers_beyond_the_last_are_no_disagreement(void **state)
{
#define GLM(drafts)                                                                                \
    "{\"model_type\":\"glm4_moe\",\"hidden_size\":64,\"num_attention_heads\":8,\"head_dim\":8,"    \
    "\"num_key_value_heads\":2,\"num_hidden_layers\":1,\"torch_dtype\":\"bfloat16\","              \
    "\"num_nextn_predict_layers\":" drafts "}"
    static const struct folder WITH = { "a draft layer",
                                        { { "config.json", GLM("1"), 0 },
                                          { "model.safetensors",
                                            "{" LAYER("model.layers.1.", "BF16") "}", 4096 } },
                                        NULL,
                                        NULL,
                                        NULL,
                                        false,
                                        NULL };
    static const struct folder WITHOUT = { "none",
                                           { { "config.json", GLM("0"), 0 },
                                             { "model.safetensors",
                                               "{" LAYER("model.layers.1.", "BF16") "}", 4096 } },
                                           "folder.layers",
                                           "config.json:/num_hidden_layers",
                                           "the tensors are of 2",
                                           true,
                                           NULL };
    (void)state;
    check_folder(&WITH);
    check_folder(&WITHOUT);
}

/* ---- params.json. */

static void a_params_json_is_read_in_its_own_words(void **state)
{
    static const struct {
        const char *text, *says;
    } ROWS[] = {
        { PARAMS("4", "2", "8", ""), "{\"layer_types\":[{\"states\":[{\"key_dim\":8,\"kv_heads\":2,"
                                     "\"state\":\"kv\",\"value_dim\":8}]}],\"layers\":[[4,0]]}" },
        { PARAMS("4", "2", "8", ",\"sliding_window\":32"), "\"window_tokens\":32}]}],\"layers\":"
                                                           "[[4,0]]}" },
        { PARAMS("4", "2", "8", ",\"sliding_window\":[null,16]"),
          "\"layers\":[[1,0],[1,1],[1,0],[1,1]]}" },
        { PARAMS("4", "2", "8", ",\"sliding_window\":[null,null]"), "\"layers\":[[4,0]]}" },
        { PARAMS("4", "2", "8", ",\"max_seq_len\":128000"), "\"context_tokens\":128000" },
        { PARAMS("4", "2", "8", ",\"hidden_dim\":128,\"moe\":{\"num_experts\":8}"),
          "\"family\":\"mixtral\"" },
        /* Meta's: as many KV heads as heads, the head's size by division */
        { "{\"dim\":64,\"multiple_of\":256,\"n_heads\":8,\"n_layers\":4}",
          "{\"key_dim\":8,\"kv_heads\":8,\"state\":\"kv\",\"value_dim\":8}" },
        { "{\"dim\":64,\"multiple_of\":256,\"n_heads\":8,\"n_layers\":4}", "\"family\":\"llama\"" },
        { PARAMS("4", "2", "8", ",\"kv_lora_rank\":512"), "\"state\":\"unknown\"" },
        { "{\"dim\":64,\"hidden_dim\":128,\"multiple_of\":256,\"n_heads\":8,\"n_layers\":4}",
          "\"family\":\"llama\"" },
        { PARAMS("4", "2", "8", ",\"model_type\":\"mamba\""), "\"family\":\"mamba\"" },
        { PARAMS("4", "2", "8", ",\"model_type\":\"mamba\""),
          "{\"key\":\"params.json:/model_type\",\"reason\":\"a params.json of the family "
          "\\\"mamba\\\" "
          "is not known\",\"state\":\"unknown\"}]}],\"layers\":[[4,0]]}" },
        { PARAMS("4", "2", "8", ",\"model_type\":\"llama\""), "\"state\":\"unknown\"" },
        { PARAMS("4", "2", "8", ",\"model_type\":\"bert\""), "\"family\":\"bert\"" },
        { PARAMS("4", "2", "8", ",\"model_type\":\"a\\u0007\""), "\"family\":\"unknown\"" },
        { PARAMS("4", "2", "8", ",\"dtype\":\"bfloat16\""),
          "{\"at\":\"/dtype\",\"from\":\"params.json:/dtype\",\"how\":\"read\"}" },
        { PARAMS("4", "2", "8", ""), "{\"at\":\"/dtype\",\"from\":\"params.json (no dtype: loaders "
                                     "take the tensors' own, float32 "
                                     "is the widest)\",\"how\":\"default\"}" },
        { PARAMS("4", "2", "8", ",\"model_type\":\"transformer\""), "\"family\":\"mistral\"" },
        { PARAMS("4", "2", "8", ""), "\"from\":\"params.json:/n_kv_heads\"" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        struct given given = { "params.json", ROWS[i].text, 0 };
        kvcap_record *model = NULL;
        kvcap_error err;
        must(model_of(&given, 1, &model, &err), &err);
        if (!says(model, ROWS[i].says))
            fail_msg("%s: %s", ROWS[i].text, kvcap_record_json(model));
        kvcap_record_free(model);
    }
}

static void tensors_of_mistrals_format_go_with_its_params(void **state)
{
    static const struct folder FOLDER = {
        "params.json and consolidated.safetensors",
        { { "params.json", PARAMS("1", "2", "8", ""), 0 },
          { "consolidated.safetensors",
            "{" PAIR("layers.0.", "attention.wk.weight", "attention.wv.weight", "BF16", "[16,64]",
                     "[16,64]", "0", "2048", "4096") "}",
            4096 },
          { "model.safetensors", "{" LAYER("model.layers.9.", "F16") "}", 4096 } },
        "folder.dtype_from_weights",
        "consolidated.safetensors:layers.*",
        "BF16",
        false,
        "\"weights_bytes\":4096"
    };
    static const struct folder OTHERS = { "the same, and the tensors beside it",
                                          { { "params.json", PARAMS("1", "2", "8", ""), 0 },
                                            { "consolidated.safetensors", GOOD, 4096 },
                                            { "model.safetensors", GOOD, 4096 } },
                                          "folder.file_not_named",
                                          "model.safetensors",
                                          "and all others with config.json",
                                          false,
                                          "\"weights_bytes\":4096" };
    static const struct folder QUANTISED = {
        "params.json and tensors of a type that no cache has",
        { { "params.json", PARAMS("1", "2", "8", ""), 0 },
          { "consolidated.safetensors",
            "{" PAIR("layers.0.", "attention.wk.weight", "attention.wv.weight", "F8_E4M3",
                     "[16,64]", "[16,64]", "0", "1024", "2048") "}",
            2048 } },
        "folder.dtype_not_said",
        "params.json (no dtype: loaders take the tensors' own, float32 is the widest)",
        "f32 is taken: params.json (no dtype",
        false,
        "\"dtype\":\"f32\""
    };
    (void)state;
    check_folder(&FOLDER);
    check_folder(&OTHERS);
    check_folder(&QUANTISED);
}

/* ---- What is refused. */

#define BESIDE(name, text, slug, at)                                                               \
    {                                                                                              \
        { { "config.json", LLAMA, 0 }, { name, text, 4096 } }, slug, at                            \
    }
#define AN_INDEX "model.safetensors.index.json"

static const struct {
    struct given given[3];
    const char *slug, *at;
} REFUSED[] = {
    { { { "tokenizer.json", "{}", 0 } }, "folder.no_model", "" },
    { { { "config.json", "", 0 } }, "json.empty", "" },
    { { { "config.json", "[]", 0 } }, "metadata.not_a_model", "" },
    { { { "config.json", LLAMA, 0 }, { "config.json", LLAMA, 0 } },
      "folder.bad_name",
      "config.json" },
    { { { "config.json", LLAMA, 0 }, { "", "", 0 } }, "folder.bad_name", "" },
    { { { "params.json", "{}", 0 } }, "metadata.not_a_model", "" },
    { { { "params.json", "[1]", 0 } }, "metadata.not_a_model", "" },
    { { { "params.json", PARAMS("4", "2", "8", ",\"sliding_window\":[1,2]"), 0 } },
      "metadata.out_of_range",
      "/sliding_window/1" },
    { { { "params.json", PARAMS("4", "2", "8", ",\"sliding_window\":[]"), 0 } },
      "metadata.out_of_range",
      "/sliding_window" },
    { { { "params.json", PARAMS("4", "2", "8", ",\"sliding_window\":[16,null,null]"), 0 } },
      "metadata.out_of_range",
      "/sliding_window" },
    { { { "params.json", PARAMS("4", "2", "8", ",\"sliding_window\":[true]"), 0 } },
      "metadata.wrong_type",
      "/sliding_window/0" },
    { { { "params.json", PARAMS("99999", "2", "8", ",\"sliding_window\":[16]"), 0 } },
      "metadata.out_of_range",
      "/n_layers" },
    { { { "params.json", PARAMS("\"4\"", "2", "8", ",\"sliding_window\":[16]"), 0 } },
      "metadata.wrong_type",
      "/n_layers" },
    { { { "params.json", PARAMS("4", "2", "8", ",\"sliding_window\":[16],\"layer_types\":[]"),
          0 } },
      "metadata.out_of_range",
      "/sliding_window" },
    { { { "params.json", PARAMS("4", "2", "8", ",\"model_type\":7"), 0 } },
      "metadata.wrong_type",
      "/model_type" },
    BESIDE("hf_quant_config.json", "{", "json.syntax", ""),
    BESIDE(AN_INDEX, "", "json.empty", ""),
    BESIDE(AN_INDEX, "[]", "safetensors.bad_index", ""),
    BESIDE(AN_INDEX, "{}", "safetensors.bad_index", ""),
    BESIDE(AN_INDEX, "{\"weight_map\":[]}", "safetensors.bad_index", "/weight_map"),
    BESIDE(AN_INDEX, "{\"weight_map\":{\"w\":1}}", "safetensors.bad_index", "/weight_map/w"),
    BESIDE(AN_INDEX, "{\"weight_map\":{\"w\":\"\"}}", "safetensors.bad_index", "/weight_map/w"),
    BESIDE(AN_INDEX, "{\"weight_map\":{\"w\":\"../a.safetensors\"}}", "safetensors.bad_index",
           "/weight_map/w"),
    BESIDE(AN_INDEX, "{\"weight_map\":{\"w\":\"a\\u0000b\"}}", "safetensors.bad_index",
           "/weight_map/w"),
    BESIDE(AN_INDEX, "{\"weight_map\":{\"w\":\"a\",\"w\":\"b\"}}", "json.duplicate_key",
           "/weight_map/w"),
    BESIDE("model.safetensors", "[]", "safetensors.not_object", "offset 8"),
    BESIDE("model.safetensors", "{}", "safetensors.trailing_bytes", ""),
    BESIDE("model.safetensors", "{\"w\":{\"dtype\":\"X\"}}", "safetensors.unknown_dtype",
           "/w/dtype"),
    { { { "a.gguf", "GGUF", 0 }, { "b.gguf", "GGUF", 0 } }, "folder.several_gguf", "" },
    { { { "a-00002-of-00002.gguf", "GGUF", 0 } }, "folder.gguf_part_missing", "" },
    { { { "a-00001-of-00002.gguf", "GGUF", 0 }, { "b-00002-of-00002.gguf", "GGUF", 0 } },
      "folder.several_gguf",
      "" },
    { { { "adapter_model.safetensors", GOOD, 4096 } }, "folder.no_model", "" },
    { { { "a.safetensors", GOOD, 4096 }, { AN_INDEX, INDEX("4096", K0 ":\"b.safetensors\""), 0 } },
      "folder.no_model",
      "" },
    { { { "a.safetensors", GOOD, 4096 }, { AN_INDEX, INDEX("0", ""), 0 } }, "folder.no_model", "" },
    { { { "a.safetensors", NULL, 0 } }, "folder.no_model", "" },
    { { { "adapter_model.safetensors", GOOD, 4096 },
        { "hf_quant_config.json", "{\"quantization\":{\"kv_cache_quant_algo\":\"FP8\"}}", 0 } },
      "folder.no_model",
      "" },
    { { { "mmproj-a.gguf", "GGUF", 0 } }, "folder.no_model", "" },
    { { { "a.gguf", "GGUX", 0 } }, "gguf.magic", "offset 0" },
};

static void each_broken_folder_is_refused_by_slug_and_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(REFUSED); i++) {
        kvcap_record *model = NULL;
        kvcap_error err = { 0 };
        kvcap_code rc = model_of(REFUSED[i].given, 3, &model, &err);
        if (rc == KVCAP_OK || strcmp(err.slug, REFUSED[i].slug) != 0)
            fail_msg("row %zu: %s at %s: %s", i, err.slug, err.at, err.text);
        must_refuse(rc, &err, REFUSED[i].slug, REFUSED[i].at);
        assert_null(model);
    }
}

static void what_is_no_model_is_told_by_its_name(void **state)
{
    static const struct {
        struct given given[2];
        const char *text;
    } ROWS[] = {
        { { { "adapter_model.safetensors", GOOD, 4096 } },
          "no file says what the model is: adapter_model.safetensors is an adapter on top of a "
          "model" },
        { { { "model.safetensors", GOOD, 4096 }, { AN_INDEX, INDEX("0", ""), 0 } },
          "no file says what the model is, and model.safetensors.index.json names no file" },
        { { { "a.safetensors", GOOD, 4096 },
            { AN_INDEX, INDEX("4096", K0 ":\"b.safetensors\""), 0 } },
          "no file says what the model is, and model.safetensors.index.json names no file that is "
          "here" },
        { { { "adapter_model.safetensors", GOOD, 4096 }, { "model.safetensors", NULL, 0 } },
          "no file says what the model is: model.safetensors cannot be read" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        kvcap_record *model = NULL;
        kvcap_error err = { 0 };
        must_refuse(model_of(ROWS[i].given, 2, &model, &err), &err, "folder.no_model", "");
        assert_string_equal(err.text, ROWS[i].text);
    }
}

static void a_refusal_names_the_file(void **state)
{
    static const struct given GIVEN[] = {
        { "config.json", LLAMA, 0 },
        { AN_INDEX, INDEX("4096", K0 ":\"a.safetensors\"," V0 ":\"b.safetensors\""), 0 },
        { "a.safetensors", GOOD, 4096 },
        { "b.safetensors", GOOD, 4095 },
    };
    (void)state;
    kvcap_record *model = NULL;
    kvcap_error err;
    kvcap_code rc = model_of(GIVEN, COUNT(GIVEN), &model, &err);
    must_refuse(rc, &err, "safetensors.past_file", "/model.layers.0.self_attn.v_proj.weight");
    assert_non_null(strstr(err.text, ", in b.safetensors"));
}

/* Each file cut at each byte, as if that were all that is at hand: it is asked for, or refused. */
static void a_beginning_that_is_too_short_is_asked_for(void **state)
{
    static const struct given GIVEN[] = {
        { "config.json", LLAMA, 0 },
        { AN_INDEX, INDEX("4096", K0 ":\"a.safetensors\"," V0 ":\"a.safetensors\""), 0 },
        { "a.safetensors", GOOD, 4096 },
        { "hf_quant_config.json", "{}", 0 },
        { "params.json", PARAMS("1", "2", "8", ""), 0 },
    };
    (void)state;
    struct files files;
    put_files(&files, GIVEN, COUNT(GIVEN));
    for (size_t i = 0; i < files.count; i++) {
        kvcap_model_file whole = files.list[i];
        for (uint64_t length = 0; length < whole.length; length++) {
            kvcap_record *model = NULL;
            kvcap_error err;
            uint64_t needed = 0;
            files.list[i].length = length;
            must(kvcap_model_file_needs(&files.list[i], &needed, &err), &err);
            assert_true(needed > length && needed <= whole.length);
            kvcap_code rc =
                kvcap_model_from_files(files.list, files.count, "tiny", NULL, &model, &err);
            must_refuse(rc, &err, "folder.head_too_short", whole.name);
        }
        files.list[i] = whole;
        uint64_t needed = 0;
        kvcap_error err;
        must(kvcap_model_file_needs(&files.list[i], &needed, &err), &err);
        assert_int_equal(needed, whole.length);
    }
    free_files(&files);
}

/* Each JSON file cut at each byte, as if it ended there: a model comes of none but the whole. */
static void a_file_that_was_cut_is_refused(void **state)
{
    static const struct given GIVEN[] = {
        { "config.json", LLAMA, 0 },
        { AN_INDEX, INDEX("4096", K0 ":\"a.safetensors\"," V0 ":\"a.safetensors\""), 0 },
        { "a.safetensors", GOOD, 4096 },
    };
    (void)state;
    struct files files;
    put_files(&files, GIVEN, COUNT(GIVEN));
    for (size_t i = 0; i < files.count; i++) {
        kvcap_model_file whole = files.list[i];
        for (uint64_t length = 0; length < whole.length; length++) {
            kvcap_record *model = NULL;
            kvcap_error err;
            files.list[i].length = files.list[i].file_bytes = length;
            kvcap_code rc =
                kvcap_model_from_files(files.list, files.count, "tiny", NULL, &model, &err);
            assert_int_equal(rc, KVCAP_E_METADATA);
            assert_null(model);
        }
        files.list[i] = whole;
    }
    free_files(&files);
}

static void calls_that_are_none_are_refused(void **state)
{
    (void)state;
    kvcap_record *model = NULL;
    kvcap_error err;
    uint64_t needed;
    kvcap_model_file file = { .struct_size = sizeof file,
                              .name = "config.json",
                              .bytes = LLAMA,
                              .length = strlen(LLAMA),
                              .file_bytes = strlen(LLAMA) };
#define REFUSE(files, count, name, rev, ret, slug, at)                                             \
    must_refuse(kvcap_model_from_files(files, count, name, rev, ret, &err), &err, slug, at)
    REFUSE(NULL, 1, "n", NULL, &model, "usage.null_argument", "files");
    REFUSE(&file, 1, NULL, NULL, &model, "usage.null_argument", "name");
    REFUSE(&file, 1, "n", NULL, NULL, "usage.null_argument", "ret_model");
    REFUSE(&file, 0, "n", NULL, &model, "folder.no_model", "");
    REFUSE(&file, 4097, "n", NULL, &model, "folder.too_many_files", "");
    REFUSE(&file, 1, "", NULL, &model, "record.bad_name", "name");
    REFUSE(&file, 1, "n", "\n", &model, "record.bad_name", "revision");
    kvcap_model_file bad = file;
    bad.struct_size = 8;
    REFUSE(&bad, 1, "n", NULL, &model, "usage.struct_size", "files");
    bad = file;
    bad.reserved = 1;
    REFUSE(&bad, 1, "n", NULL, &model, "usage.out_of_range", "reserved");
    must_refuse(kvcap_model_file_needs(&bad, &needed, &err), &err, "usage.out_of_range",
                "reserved");
    bad = file;
    bad.name = NULL;
    REFUSE(&bad, 1, "n", NULL, &model, "usage.null_argument", "name");
    bad = file;
    bad.bytes = NULL;
    REFUSE(&bad, 1, "n", NULL, &model, "usage.null_argument", "bytes");
    bad = file;
    bad.file_bytes--;
    REFUSE(&bad, 1, "n", NULL, &model, "usage.out_of_range", "length");
    bad = file;
    bad.sha256 = "0123";
    REFUSE(&bad, 1, "n", NULL, &model, "usage.out_of_range", "sha256");
    bad.sha256 = "0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef";
    REFUSE(&bad, 1, "n", NULL, &model, "usage.out_of_range", "sha256");
    must_refuse(kvcap_model_file_needs(NULL, &needed, &err), &err, "usage.null_argument", "file");
    must_refuse(kvcap_model_file_needs(&file, NULL, &err), &err, "usage.null_argument",
                "ret_bytes");
    assert_null(model);
}

/* Every amount of memory, for what stays and for what does not: refused as such, or read. */
static void want_of_memory_is_told_as_such(void **state)
{
    static char keep[64 * 1024], spare[64 * 1024];
    (void)state;
    struct tensor_file tensors = tensor_file(GOOD, 4096);
    bool read = false;
    for (size_t i = 0; i < 2; i++) {
        for (size_t bytes = 0; bytes <= sizeof keep; bytes += 64) {
            struct kvc_folder_file files[] = {
                { "config.json", { LLAMA, strlen(LLAMA) }, strlen(LLAMA), NULL, 0, false },
                { "model.safetensors", tensors.head, tensors.file_bytes, NULL, 0, false },
                { "original/params.json", { "{\"n_layers\":2}", 14 }, 14, NULL, 0, false },
            };
            struct kvc_arena arena, scratch;
            struct kvc_folder folder;
            kvcap_error err;
            kvc_arena_over(&arena, keep, i == 0 ? bytes : sizeof keep);
            kvc_arena_over(&scratch, spare, i == 1 ? bytes : sizeof spare);
            struct kvc_notes notes = { .arena = &arena };
            kvcap_code rc =
                kvc_folder_read(files, COUNT(files), &arena, &scratch, &notes, &folder, &err);
            if (rc != KVCAP_OK)
                assert_string_equal(err.slug, "memory.full");
            else
                assert_int_equal(folder.weights.data_bytes, 4096);
            read = rc == KVCAP_OK;
            kvc_arena_drop(&arena);
            kvc_arena_drop(&scratch);
        }
        assert_true(read);
    }
    free((char *)tensors.head.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_config_alone_is_the_same_model_by_either_call),
        cmocka_unit_test(weights_are_exact_and_the_digest_is_of_what_was_read),
        cmocka_unit_test(the_same_files_are_the_same_model),
        cmocka_unit_test(a_model_that_was_made_reads_again_without_notes),
        cmocka_unit_test(what_disagrees_is_told_or_unknown),
        cmocka_unit_test(draft_layers_beyond_the_last_are_no_disagreement),
        cmocka_unit_test(a_params_json_is_read_in_its_own_words),
        cmocka_unit_test(tensors_of_mistrals_format_go_with_its_params),
        cmocka_unit_test(each_broken_folder_is_refused_by_slug_and_place),
        cmocka_unit_test(what_is_no_model_is_told_by_its_name),
        cmocka_unit_test(a_refusal_names_the_file),
        cmocka_unit_test(a_beginning_that_is_too_short_is_asked_for),
        cmocka_unit_test(a_file_that_was_cut_is_refused),
        cmocka_unit_test(calls_that_are_none_are_refused),
        cmocka_unit_test(want_of_memory_is_told_as_such),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
