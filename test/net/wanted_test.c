/* Goal: of a repository exactly those files are fetched that say what its model keeps.
 * Method: lists of names as repositories have them, with what is due of each. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "face/net/wanted.h"
#include "os/os.h"

#define NAMES_MAX 16

/* "a b c" to a list. */
static size_t split(const char *text, struct kvc_span *names)
{
    size_t count = 0;
    while (*text != '\0') {
        assert_true(count < NAMES_MAX);
        names[count++] = (struct kvc_span){ .text = text, .length = strcspn(text, " ") };
        text += names[count - 1].length;
        text += *text == ' ';
    }
    return count;
}

static const struct row {
    const char *names, *only, *due; /* due: files, or a slug */
} ROWS[] = {
    { "README.md config.json model.safetensors tokenizer.json", "",
      "config.json model.safetensors" },
    { "params.json consolidated.safetensors consolidated.safetensors.index.json", "",
      "consolidated.safetensors consolidated.safetensors.index.json params.json" },
    { "b.safetensors a.safetensors b.safetensors", "", "a.safetensors b.safetensors" },
    { "config.json", "", "config.json" },
    { "pytorch_model.bin pytorch_model.bin.index.json", "", "net.no_model" },
    { "my-config.json config.json.bak .safetensors .gguf", "", "net.no_model" },
    { "", "", "net.no_model" },
    { "config.json unet/config.json unet/model.safetensors", "", "config.json" },
    { "config.json m.gguf", "", "config.json" },
    { "config.json m-Q4.gguf m-Q8.gguf", "", "config.json" },
    { "params.json m-Q4.gguf m-Q8.gguf", "", "params.json" },
    { "model.safetensors m-Q4.gguf m-Q8.gguf", "", "model.safetensors" },
    { "config.json m-Q4.gguf m-Q8.gguf", "m-Q8.gguf", "m-Q8.gguf" },
    { "hf_quant_config.json m.gguf", "", "hf_quant_config.json m.gguf" },
    { "sub/config.json m.gguf", "", "m.gguf" },
    { "config.json m.gguf n.gguf model.safetensors", "", "config.json model.safetensors" },
    { "m.gguf mmproj-m.gguf", "", "m.gguf" },
    { "mmproj-m.gguf", "", "net.no_model" },
    { "m-Q4.gguf m-Q8.gguf", "", "net.several_models" },
    { "m-Q4.gguf m-Q8.gguf", "m-Q8.gguf", "m-Q8.gguf" },
    { "m-Q4.gguf m-Q8.gguf", "m-Q9.gguf", "net.no_file" },
    { "m-00001-of-00002.gguf m-00002-of-00002.gguf", "",
      "m-00001-of-00002.gguf m-00002-of-00002.gguf" },
    { "m-00001-of-00002.gguf m-00002-of-00002.gguf m-00001-of-00003.gguf", "",
      "net.several_models" },
    { "d/m-00001-of-00002.gguf d/m-00002-of-00002.gguf e/m-00002-of-00002.gguf",
      "d/m-00002-of-00002.gguf", "d/m-00001-of-00002.gguf d/m-00002-of-00002.gguf" },
    { "m-0001-of-0002.gguf m-0002-of-0002.gguf", "", "net.several_models" },
    { "m-00000-of-00002.gguf m-00001-of-00002.gguf", "", "net.several_models" },
    { "m-00001-of-00002.gguf m-00002-of-00002.safetensors", "m-00001-of-00002.gguf",
      "m-00001-of-00002.gguf" },
    { "-00001-of-00002.gguf x-00001-of-00002.gguf", "-00001-of-00002.gguf",
      "-00001-of-00002.gguf" },
    { "README.md", "README.md", "net.file_kind" },
    { "mmproj-m.gguf", "mmproj-m.gguf", "mmproj-m.gguf" },
    { "x.safetensors.index.json", "x.safetensors.index.json", "x.safetensors.index.json" },
};

static void check(const struct row *row)
{
    struct kvc_span names[NAMES_MAX], due[NAMES_MAX], *files = NULL;
    size_t names_count = split(row->names, names), count = 0;
    struct kvc_arena arena;
    kvcap_error err;
    kvc_arena_from(&arena, &kvc_os_memory, 1 << 20);
    kvcap_code rc = kvc_wanted_choose(names, names_count, kvc_span_of(row->only), &arena, "at",
                                      &files, &count, &err);
    if (strncmp(row->due, "net.", 4) == 0) {
        if (rc == KVCAP_OK || strcmp(err.slug, row->due) != 0)
            fail_msg("\"%s\" of \"%s\": no %s", row->only, row->names, row->due);
    } else {
        size_t due_count = split(row->due, due);
        bool same = rc == KVCAP_OK && count == due_count;
        for (size_t i = 0; i < count && same; i++)
            same = kvc_span_equal(files[i], due[i]);
        if (!same)
            fail_msg("\"%s\" of \"%s\": %s", row->only, row->names,
                     rc == KVCAP_OK ? "other files" : err.text);
    }
    kvc_arena_drop(&arena);
}

static void what_is_wanted_is_chosen(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++)
        check(&ROWS[i]);
}

static uint64_t need(const char *file, struct kvc_span head, uint64_t file_bytes)
{
    uint64_t needed = 0;
    const struct kvc_wanted *wanted = kvc_wanted_of(kvc_span_of(file));
    struct kvc_arena scratch;
    assert_non_null(wanted);
    kvc_arena_from(&scratch, &kvc_os_memory, 1 << 20);
    kvcap_code rc = wanted->need(head, file_bytes, &scratch, &needed, NULL);
    kvc_arena_drop(&scratch);
    return rc == KVCAP_OK ? needed : 0;
}

static void safetensors_say_how_long_they_are(void **state)
{
    (void)state;
    struct kvc_span ten = { "\x0A\0\0\0\0\0\0\0", 8 };
    assert_int_equal(need("a.safetensors", (struct kvc_span){ ten.text, 7 }, 1000), 8);
    assert_int_equal(need("a.safetensors", ten, 1000), 18);
    assert_int_equal(need("a.safetensors", ten, 18), 18);
    assert_int_equal(need("a.safetensors", ten, 17), 0);
    assert_int_equal(need("a.safetensors", ten, 7), 0);
    /* 100,000,000 and one more */
    struct kvc_span most = { "\x00\xE1\xF5\x05\0\0\0\0", 8 },
                    more = { "\x01\xE1\xF5\x05\0\0\0\0", 8 };
    assert_int_equal(need("a.safetensors", most, UINT64_C(1) << 40), 100000008);
    assert_int_equal(need("a.safetensors", more, UINT64_C(1) << 40), 0);
    struct kvc_span huge = { "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 8 };
    assert_int_equal(need("a.safetensors", huge, UINT64_MAX), 0);
}

static void small_files_are_wanted_whole(void **state)
{
    (void)state;
    assert_null(kvc_wanted_of(kvc_span_of("config.json"))->need);
    assert_null(kvc_wanted_of(kvc_span_of("d/model.safetensors.index.json"))->need);
    assert_int_equal(kvc_wanted_of(kvc_span_of("config.json"))->bytes_max, 64 << 20);
    assert_null(kvc_wanted_of(kvc_span_of("generation_config.json")));
    assert_null(kvc_wanted_of(kvc_span_of("config.json/x")));
    assert_null(kvc_wanted_of(kvc_span_of("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wanted_is_chosen),
        cmocka_unit_test(safetensors_say_how_long_they_are),
        cmocka_unit_test(small_files_are_wanted_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
