/* Goal: what a description says is held against tensors and against another description, layer by layer:
 * where they agree nothing changes, where they differ the first difference is told, and the layers are
 * unknown.
 * Method: small configs in our own words with tensors named one by one, whole or as one shard of
 * several; for two descriptions lists of layers by chance, where a plain loop finds the first that
 * differs; every amount of memory. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "meta/hf.h"
#include "shape/agree.h"
#include "support/chance.h"
#include "support/fixture.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define BUFFER_BYTES ((size_t)1 << 20)

static char buffer[BUFFER_BYTES], spare[BUFFER_BYTES];

/* ---- What is compared. */

#define SIZES "\"hidden_size\":64,\"num_attention_heads\":8,\"torch_dtype\":\"bfloat16\""
#define LLAMA                                                                                      \
    "{\"model_type\":\"llama\",\"num_hidden_layers\":2,\"num_key_value_heads\":2," SIZES "}"
#define WRAPPED "{\"model_type\":\"llava\",\"text_config\":" LLAMA "}"
#define LATENT                                                                                     \
    "{\"model_type\":\"deepseek_v3\",\"num_hidden_layers\":2,\"kv_lora_rank\":32,"                 \
    "\"qk_rope_head_dim\":16,\"num_key_value_heads\":8,\"num_nextn_predict_layers\":1," SIZES "}"

#define TENSORS_MAX 6

/* A tensor of BF16 with 64 columns; name NULL: no more. */
struct tensor {
    const char *name;
    uint64_t rows;
};

static kvcap_code add_tensors(struct kvc_weights *weights, const char *file,
                              const struct tensor *given, size_t count, kvcap_error *err)
{
    struct kvc_tensor tensors[TENSORS_MAX];
    uint64_t dims[TENSORS_MAX][2];
    struct kvc_safetensors header = { .tensors = tensors };
    for (size_t i = 0; i < count && given[i].name != NULL; i++) {
        uint64_t bytes = given[i].rows * 64 * 2;
        dims[i][0] = given[i].rows;
        dims[i][1] = 64;
        tensors[i] = (struct kvc_tensor){ .name = kvc_span_of(given[i].name),
                                          .dims = dims[i],
                                          .dims_count = 2,
                                          .type = KVC_TENSOR_BF16,
                                          .begin = header.data_bytes,
                                          .end = header.data_bytes + bytes };
        header.tensors_count++;
        header.data_bytes += bytes;
        header.type_bytes[KVC_TENSOR_BF16] += bytes;
    }
    return kvc_weights_add(weights, file, &header, err);
}

/* ---- Tensors. */

#define K(layer, rows)                                                                             \
    {                                                                                              \
        "model.layers." layer ".self_attn.k_proj.weight", rows                                     \
    }
#define V(layer, rows)                                                                             \
    {                                                                                              \
        "model.layers." layer ".self_attn.v_proj.weight", rows                                     \
    }
#define KV_A(layer, rows)                                                                          \
    {                                                                                              \
        "model.layers." layer ".self_attn.kv_a_proj_with_mqa.weight", rows                         \
    }

static const struct row {
    const char *what, *config;
    struct tensor first[TENSORS_MAX], second[TENSORS_MAX]; /* files; the second may be empty */
    bool is_whole;
    const char *code, *says; /* of the one note; NULL: none, and the shape is as it was */
    uint64_t bytes;
} ROWS[] = {
    { "all layers of one file",
      LLAMA,
      { K("0", 16), V("0", 16), K("1", 16), V("1", 16) },
      { { NULL, 0 } },
      true,
      NULL,
      NULL,
      UINT64_C(4) * 16 * 128 },
    { "the same of two",
      LLAMA,
      { K("0", 16), V("1", 16) },
      { K("1", 16), V("0", 16) },
      true,
      NULL,
      NULL,
      UINT64_C(4) * 16 * 128 },
    { "half of them, as a whole",
      LLAMA,
      { K("0", 16), V("0", 16) },
      { { NULL, 0 } },
      true,
      "folder.layers",
      "says 2 layers, the tensors are of 1",
      UINT64_C(2) * 16 * 128 },
    { "half of them, as one shard",
      LLAMA,
      { K("0", 16), V("0", 16) },
      { { NULL, 0 } },
      false,
      NULL,
      NULL,
      0 },
    { "the other half", LLAMA, { K("1", 16), V("1", 16) }, { { NULL, 0 } }, false, NULL, NULL, 0 },
    { "one shard, with other rows",
      LLAMA,
      { K("1", 16), V("1", 32) },
      { { NULL, 0 } },
      false,
      "folder.kv_rows",
      "2 heads of 8 make 16 rows, model.layers.1.self_attn.v_proj.weight in a has "
      "32",
      0 },
    { "the file is named that differs",
      LLAMA,
      { K("0", 16), V("0", 16) },
      { K("1", 8) },
      true,
      "folder.kv_rows",
      "model.layers.1.self_attn.k_proj.weight in b has 8",
      UINT64_C(2) * 16 * 128 + UINT64_C(8) * 128 },
    { "a decoder within a wrapper",
      WRAPPED,
      { { "language_model.model.layers.0.self_attn.k_proj.weight", 16 },
        { "language_model.model.layers.1.self_attn.k_proj.weight", 24 } },
      { { NULL, 0 } },
      true,
      "folder.kv_rows",
      "layers.1.self_attn.k_proj.weight in a has 24",
      UINT64_C(40) * 128 },
    { "latent rows",
      LATENT,
      { KV_A("0", 48), KV_A("1", 48), KV_A("2", 48) },
      { { NULL, 0 } },
      true,
      NULL,
      NULL,
      UINT64_C(144) * 128 },
    { "no draft layer among them",
      LATENT,
      { KV_A("0", 48), KV_A("1", 48) },
      { { NULL, 0 } },
      true,
      NULL,
      NULL,
      UINT64_C(96) * 128 },
    { "two draft layers where one is said",
      LATENT,
      { KV_A("0", 48), KV_A("3", 48) },
      { { NULL, 0 } },
      true,
      "folder.layers",
      "says 2 layers and draft layers, the tensors are of 4",
      UINT64_C(96) * 128 },
    { "latent rows without the rotary ones",
      LATENT,
      { KV_A("0", 32), KV_A("1", 48) },
      { { NULL, 0 } },
      true,
      "folder.kv_rows",
      "32 and 16 make 48 rows",
      UINT64_C(80) * 128 },
    { "two stacks",
      LLAMA,
      { K("0", 99), { "layers.0.attention.wk.weight", 16 } },
      { { NULL, 0 } },
      true,
      NULL,
      NULL,
      UINT64_C(115) * 128 },
    { "no stack", LLAMA, { { "lm_head.weight", 10 } }, { { NULL, 0 } }, true, NULL, NULL, 1280 },
};

static kvcap_code read_config(const char *name, const char *text, struct kvc_arena *arena,
                              struct kvc_facts *facts, struct kvc_found *found, kvcap_error *err)
{
    kvcap_code rc = kvc_hf_read(name, kvc_span_of(text), arena, facts, err);
    return rc == KVCAP_OK ? kvc_found_of_facts(facts, arena, found, err) : rc;
}

static kvcap_code agree_row(const struct row *row, struct kvc_arena *arena, struct kvc_notes *notes,
                            struct kvc_found *found, kvcap_error *err)
{
    struct kvc_facts facts;
    struct kvc_weights weights;
    struct kvc_agree agree = {
        .weights = &weights, .is_whole = row->is_whole, .notes = notes, .arena = arena, .err = err
    };
    kvcap_code rc = read_config("config.json", row->config, arena, &facts, found, err);
    kvc_weights_begin(&weights, arena);
    if (rc == KVCAP_OK)
        rc = add_tensors(&weights, "a", row->first, TENSORS_MAX, err);
    if (rc == KVCAP_OK && row->second[0].name != NULL)
        rc = add_tensors(&weights, "b", row->second, TENSORS_MAX, err);
    return rc == KVCAP_OK ? kvc_agree_with_weights(&agree, found) : rc;
}

static bool is_unknown(const struct kvc_found *found)
{
    return found->shape.types[0].states[0].kind == KVC_STATE_UNKNOWN;
}

static void check(const struct row *row)
{
    struct kvc_arena arena;
    struct kvc_found found;
    kvcap_error err;
    kvc_arena_over(&arena, buffer, sizeof buffer);
    struct kvc_notes notes = { .arena = &arena };
    must(agree_row(row, &arena, &notes, &found, &err), &err);
    if (notes.count != (row->code == NULL ? 0u : 1u) || is_unknown(&found) != (row->code != NULL))
        fail_msg("%s: %zu notes, first: %s", row->what, notes.count,
                 notes.count == 0 ? "" : notes.list[0].text);
    if (row->code != NULL && (strcmp(notes.list[0].code, row->code) != 0 ||
                              strstr(notes.list[0].text, row->says) == NULL))
        fail_msg("%s: %s: %s", row->what, notes.list[0].code, notes.list[0].text);
    if (found.weights_bytes != row->bytes)
        fail_msg("%s: %" PRIu64 " bytes", row->what, found.weights_bytes);
    assert_int_equal(found.shape.layers_count, 2);
    kvc_arena_drop(&arena);
}

static void tensors_agree_or_make_the_layers_unknown(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(ROWS); i++)
        check(&ROWS[i]);
}

/* ---- Tensors alone. */

static void tensors_alone_count_layers_only_when_all_are_there(void **state)
{
    (void)state;
    static const struct tensor TENSORS[TENSORS_MAX] = { K("0", 16), K("4", 16) };
    for (int is_whole = 0; is_whole < 2; is_whole++) {
        struct kvc_arena arena;
        struct kvc_weights weights;
        struct kvc_found found;
        kvcap_error err;
        kvc_arena_over(&arena, buffer, sizeof buffer);
        kvc_weights_begin(&weights, &arena);
        must(add_tensors(&weights, "a", TENSORS, TENSORS_MAX, &err), &err);
        must(kvc_found_of_weights(&weights, is_whole == 1, &arena, &found, &err), &err);
        assert_true(is_unknown(&found));
        assert_int_equal(found.shape.layers_count, is_whole == 1 ? 5 : 1);
        assert_int_equal(found.weights_bytes, is_whole == 1 ? 32 * 128 : 0);
        assert_int_equal(found.dtype, KVC_FORMAT_BF16);
        kvc_arena_drop(&arena);
    }
}

/* ---- Two descriptions. */

#define LAYERS_MAX 12

/* A config of layers that slide or do not. */
static void put_config(char *text, size_t room, const bool *slides, unsigned layers)
{
    int used =
        snprintf(text, room,
                 "{\"model_type\":\"mistral\",\"sliding_window\":16,\"num_hidden_layers\":%u,"
                 "\"num_key_value_heads\":2," SIZES ",\"layer_types\":[",
                 layers);
    for (unsigned i = 0; i < layers; i++)
        used += snprintf(text + used, room - (size_t)used, "%s\"%s_attention\"", i == 0 ? "" : ",",
                         slides[i] ? "sliding" : "full");
    snprintf(text + used, room - (size_t)used, "]}");
}

static kvcap_code compare(const char *ours, const char *name, const char *theirs,
                          struct kvc_arena *arena, struct kvc_arena *scratch,
                          struct kvc_notes *notes, struct kvc_found *found, kvcap_error *err)
{
    struct kvc_facts believed, rival;
    struct kvc_agree agree = { .notes = notes, .arena = arena, .err = err };
    kvcap_code rc = read_config("config.json", ours, arena, &believed, found, err);
    struct kvc_found said = *found;
    if (rc == KVCAP_OK)
        rc = kvc_hf_read(name, kvc_span_of(theirs), scratch, &rival, err);
    return rc == KVCAP_OK
               ? kvc_agree_with_rival(&agree, "config.json", &said, &rival, scratch, found)
               : rc;
}

/* The sentence that is due, by a loop over both lists; false: they are the same. */
static bool differ(const bool *ours, unsigned ours_count, const bool *theirs, unsigned theirs_count,
                   char *ret_words, size_t room)
{
    static const char *const KINDS[] = { "kv", "kv_window of 16 tokens" };
    unsigned i = 0;
    if (ours_count != theirs_count) {
        snprintf(ret_words, room, "config.json has %u layers, other.json has %u; ", ours_count,
                 theirs_count);
        return true;
    }
    while (i < ours_count && ours[i] == theirs[i])
        i++;
    if (i == ours_count)
        return false;
    snprintf(ret_words, room, "layer %u is %s by config.json, %s by other.json; ", i,
             KINDS[ours[i]], KINDS[theirs[i]]);
    return true;
}

static void the_first_layer_that_differs_is_told(void **state)
{
    struct chance chance = chance_begin();
    unsigned same = 0, other = 0;
    (void)state;
    for (unsigned round = 0; round < 2000; round++) {
        char ours[2048], theirs[2048], due[160];
        bool a[LAYERS_MAX], b[LAYERS_MAX];
        unsigned a_count = 1 + (unsigned)chance_below(&chance, LAYERS_MAX), b_count = a_count;
        for (unsigned i = 0; i < a_count; i++)
            a[i] = b[i] = chance_below(&chance, 2) == 1;
        if (chance_below(&chance, 2) == 1)
            b[chance_below(&chance, a_count)] ^= true;
        if (chance_below(&chance, 8) == 0)
            b_count = 1 + (unsigned)chance_below(&chance, a_count);
        put_config(ours, sizeof ours, a, a_count);
        put_config(theirs, sizeof theirs, b, b_count);
        struct kvc_arena arena, scratch;
        struct kvc_found found;
        kvcap_error err;
        kvc_arena_over(&arena, buffer, sizeof buffer);
        kvc_arena_over(&scratch, spare, sizeof spare);
        struct kvc_notes notes = { .arena = &arena };
        must(compare(ours, "other.json", theirs, &arena, &scratch, &notes, &found, &err), &err);
        bool differs = differ(a, a_count, b, b_count, due, sizeof due);
        if (notes.count != (differs ? 1u : 0u) || is_unknown(&found) != differs ||
            (differs && strncmp(notes.list[0].text, due, strlen(due)) != 0))
            fail_msg("%s\n%s\n%s", ours, theirs, notes.count == 0 ? "" : notes.list[0].text);
        assert_int_equal(found.shape.layers_count, a_count);
        same += !differs;
        other += differs;
        kvc_arena_drop(&arena);
        kvc_arena_drop(&scratch);
    }
    assert_true(same > 400 && other > 400);
}

static const struct pair {
    const char *ours, *name, *theirs, *at, *says;
    bool unknown;
} PAIRS[] = {
    { LATENT, "sub/config.json",
      "{\"model_type\":\"deepseek_v3\",\"num_hidden_layers\":2,\"kv_lora_rank\":32,"
      "\"qk_rope_head_dim\":8,\"num_key_value_heads\":8," SIZES "}",
      "config.json:/qk_rope_head_dim",
      "layer 0 has 16 rotary elements by config.json, 8 by sub/config.json; the first is believed",
      false },
    { LLAMA, "other.json", LATENT, "config.json",
      "layer 0 is kv by config.json, latent by other.json; neither is believed", true },
    { LATENT, "other.json", LATENT, NULL, NULL, false },
    { WRAPPED, "other.json", LLAMA, NULL, NULL, false },
    { "{\"model_type\":\"mamba\",\"num_hidden_layers\":2,\"hidden_size\":64,\"state_size\":8,"
      "\"conv_kernel\":4,\"expand\":2,\"intermediate_size\":128}",
      "other.json",
      "{\"model_type\":\"mamba\",\"num_hidden_layers\":2,\"hidden_size\":64,\"state_size\":16,"
      "\"conv_kernel\":4,\"expand\":2,\"intermediate_size\":128}",
      "config.json", "layer 0 keeps another recurrent state by config.json than by other.json",
      true },
    { LLAMA, "other.json", "{\"model_type\":\"no such family\",\"num_hidden_layers\":9}",
      "other.json", "does not say what layers keep and is passed over", false },
    { LLAMA, "other.json", "{}", "other.json", "is passed over: neither model_type", false },
};

static void a_difference_is_told_with_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(PAIRS); i++) {
        const struct pair *p = &PAIRS[i];
        struct kvc_arena arena, scratch;
        struct kvc_found found;
        kvcap_error err;
        kvc_arena_over(&arena, buffer, sizeof buffer);
        kvc_arena_over(&scratch, spare, sizeof spare);
        struct kvc_notes notes = { .arena = &arena };
        must(compare(p->ours, p->name, p->theirs, &arena, &scratch, &notes, &found, &err), &err);
        if (notes.count != (p->at == NULL ? 0u : 1u) ||
            (p->at != NULL &&
             (strcmp(notes.list[0].at, p->at) != 0 || strstr(notes.list[0].text, p->says) == NULL)))
            fail_msg("pair %zu: %s: %s", i, notes.count == 0 ? "" : notes.list[0].at,
                     notes.count == 0 ? "" : notes.list[0].text);
        assert_int_equal(is_unknown(&found), p->unknown);
        kvc_arena_drop(&arena);
        kvc_arena_drop(&scratch);
    }
}

/* ---- Memory. */

static void want_of_memory_is_told_as_such(void **state)
{
    bool read = false;
    (void)state;
    for (size_t bytes = 0; bytes <= (size_t)32 * 1024; bytes += 64) {
        for (unsigned what = 0; what < 3; what++) {
            struct kvc_arena arena, scratch;
            struct kvc_found found;
            kvcap_error err;
            kvc_arena_over(&arena, buffer, what == 2 ? sizeof buffer : bytes);
            kvc_arena_over(&scratch, spare, what == 2 ? bytes : sizeof spare);
            struct kvc_notes notes = { .arena = &arena };
            kvcap_code rc = what == 0 ? agree_row(&ROWS[2], &arena, &notes, &found, &err)
                                      : compare(LLAMA, "other.json", LATENT, &arena, &scratch,
                                                &notes, &found, &err);
            if (rc != KVCAP_OK)
                assert_string_equal(err.slug, "memory.full");
            else
                assert_true(is_unknown(&found));
            read = rc == KVCAP_OK;
            kvc_arena_drop(&arena);
            kvc_arena_drop(&scratch);
        }
    }
    assert_true(read);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_agree_or_make_the_layers_unknown),
        cmocka_unit_test(tensors_alone_count_layers_only_when_all_are_there),
        cmocka_unit_test(the_first_layer_that_differs_is_told),
        cmocka_unit_test(a_difference_is_told_with_its_place),
        cmocka_unit_test(want_of_memory_is_told_as_such),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
