/* Goal: a name is split as it is written, and nothing that could leave a URL's path or a folder is taken
 * for one.
 * Method: names with their parts; then single bytes of every value in each place, against the rule said
 * in other words. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "face/hub/name.h"

static void part_is(struct kvc_span part, const char *due, const char *word)
{
    if (!kvc_span_is(part, due))
        fail_msg("%s: \"%.*s\", where \"%s\" is due", word, (int)part.length, part.text, due);
}

static void names_have_parts(void **state)
{
    (void)state;
    static const struct {
        const char *word, *repository, *org, *name, *revision, *file;
    } ROWS[] = {
        { "hf:Qwen/Qwen3-8B", "Qwen/Qwen3-8B", "Qwen", "Qwen3-8B", "main", "" },
        { "hf:gpt2", "gpt2", "", "gpt2", "main", "" },
        { "hf:gpt2@v1.0", "gpt2", "", "gpt2", "v1.0", "" },
        { "hf:gpt2@main/config.json", "gpt2", "", "gpt2", "main", "config.json" },
        { "hf:gpt2/config.json", "gpt2/config.json", "gpt2", "config.json", "main", "" },
        { "hf:a/b/c", "a/b", "a", "b", "main", "c" },
        { "hf:a/b/c/d@e f.gguf", "a/b", "a", "b", "main", "c/d@e f.gguf" },
        { "hf:a/b@c/d/e", "a/b", "a", "b", "c", "d/e" },
        { "hf:a/b@refs/pr/7", "a/b", "a", "b", "refs/pr/7", "" },
        { "hf:a/b@refs/pr/7/d/e", "a/b", "a", "b", "refs/pr/7", "d/e" },
        { "hf:a/b@refs", "a/b", "a", "b", "refs", "" },
        { "hf:_a-1.x/B_2-y.z", "_a-1.x/B_2-y.z", "_a-1.x", "B_2-y.z", "main", "" },
        { "hf:a/b/\xE4\xBD\xA0.gguf", "a/b", "a", "b", "main", "\xE4\xBD\xA0.gguf" },
        { "hf:a/b/...", "a/b", "a", "b", "main", "..." },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        struct kvc_hub_name name;
        kvcap_error err;
        if (kvc_hub_name_read(ROWS[i].word, &name, &err) != KVCAP_OK)
            fail_msg("%s: %s", ROWS[i].word, err.text);
        part_is(name.repository, ROWS[i].repository, ROWS[i].word);
        part_is(name.org, ROWS[i].org, ROWS[i].word);
        part_is(name.name, ROWS[i].name, ROWS[i].word);
        part_is(name.revision, ROWS[i].revision, ROWS[i].word);
        part_is(name.file, ROWS[i].file, ROWS[i].word);
    }
}

static void parts_are_of_plain_bytes(void **state)
{
    (void)state;
    for (int byte = 1; byte < 256; byte++) {
        char c = (char)byte, word[32];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     c == '.' || c == '-' || c == '_';
        struct kvc_hub_name name;
        snprintf(word, sizeof word, "hf:o%co/nn", c);
        bool good = kvc_hub_name_read(word, &name, NULL) == KVCAP_OK;
        assert_true(good == (plain || c == '/' || c == '@'));
        /* What is taken at all has only plain parts. */
        for (size_t i = 0; good && i < name.org.length; i++)
            assert_non_null(
                strchr("o.-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
                       name.org.text[i]));
        snprintf(word, sizeof word, "hf:o/nn@r%cr", c);
        assert_true((kvc_hub_name_read(word, &name, NULL) == KVCAP_OK) == (plain || c == '/'));
        snprintf(word, sizeof word, "hf:o/%cn", c);
        good = kvc_hub_name_read(word, &name, NULL) == KVCAP_OK;
        assert_true(good == (plain && c != '.' && c != '-'));
    }
}

static void parts_have_a_longest_length(void **state)
{
    (void)state;
    char word[512];
    struct kvc_hub_name name;
    for (int length = 95; length <= 97; length++) {
        bool due = length <= KVC_HUB_PART_BYTES_MAX;
        snprintf(word, sizeof word, "hf:o/%0*d", length, 1);
        assert_true((kvc_hub_name_read(word, &name, NULL) == KVCAP_OK) == due);
        snprintf(word, sizeof word, "hf:%0*d/n", length, 1);
        assert_true((kvc_hub_name_read(word, &name, NULL) == KVCAP_OK) == due);
        snprintf(word, sizeof word, "hf:o/n@%0*d", length, 1);
        assert_true((kvc_hub_name_read(word, &name, NULL) == KVCAP_OK) == due);
    }
    char longest[KVC_HUB_FILE_BYTES_MAX + 1];
    memset(longest, 'x', sizeof longest);
    assert_true(kvc_hub_is_file_name((struct kvc_span){ longest, sizeof longest - 1 }));
    assert_false(kvc_hub_is_file_name((struct kvc_span){ longest, sizeof longest }));
}

/* The rule in other words: cut at slashes, no part is "", "." or "..". */
static bool stays_below(const char *path)
{
    char copy[16];
    snprintf(copy, sizeof copy, "/%s/", path);
    return strstr(copy, "//") == NULL && strstr(copy, "/./") == NULL &&
           strstr(copy, "/../") == NULL;
}

static void file_names_stay_below_the_repository(void **state)
{
    (void)state;
    static const char BYTES[] = "a./";
    for (int number = 0; number < 3 * 3 * 3 * 3 * 3 * 3; number++) {
        char path[7];
        for (int i = 0, rest = number; i < 6; i++, rest /= 3)
            path[i] = BYTES[rest % 3];
        for (int length = 1; length <= 6; length++) {
            char cut[7];
            snprintf(cut, sizeof cut, "%.*s", length, path);
            assert_true(kvc_hub_is_file_name(kvc_span_of(cut)) == stays_below(cut));
        }
    }
    assert_false(kvc_hub_is_file_name((struct kvc_span){ "a\0b", 3 }));
    assert_false(kvc_hub_is_file_name((struct kvc_span){ "", 0 }));
    assert_false(kvc_hub_is_file_name((struct kvc_span){ NULL, 0 }));
}

static void commits_are_forty_hex_digits(void **state)
{
    (void)state;
    static const char HEX[] = "0123456789abcdef0123456789abcdef012345678";
    assert_true(kvc_hub_is_commit((struct kvc_span){ HEX, 40 }));
    assert_false(kvc_hub_is_commit((struct kvc_span){ HEX, 39 }));
    assert_false(kvc_hub_is_commit((struct kvc_span){ HEX, 41 }));
    assert_false(kvc_hub_is_commit(kvc_span_of("0123456789abcdef0123456789abcdef0123456g")));
    assert_false(kvc_hub_is_commit(kvc_span_of("0123456789ABCDEF0123456789abcdef01234567")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_have_parts),
        cmocka_unit_test(parts_are_of_plain_bytes),
        cmocka_unit_test(parts_have_a_longest_length),
        cmocka_unit_test(file_names_stay_below_the_repository),
        cmocka_unit_test(commits_are_forty_hex_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
