/* Goal: the file that states an id is found by name, among whatever else a folder holds; what cannot
 * be read is passed over, and what is left of memory is given back.
 * Method: folders made for the purpose, in WORK; every refusal of memory in turn. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/os.h"
#include "store/folder.h"
#include "support/faulty_memory.h"

#define ID "kv-model@sha256:1111111111111111111111111111111111111111111111111111111111111111"
#define OTHER "kv-model@sha256:2222222222222222222222222222222222222222222222222222222222222222"

static void put_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) >= 0, 1);
    assert_int_equal(fclose(file), 0);
}

/* A folder of its own for each test, and the program in it. */
static int enter_folder(void **state)
{
    static int count = 0;
    char name[32];
    const char *work = getenv("WORK");
    (void)state;
    snprintf(name, sizeof name, "folder-%d", ++count);
    return work == NULL || chdir(work) != 0 || mkdir(name, 0777) != 0 || chdir(name) != 0;
}

static void expect_found(const char *folder, const char *path)
{
    struct kvc_arena arena, scratch;
    const char *found = "untouched";
    kvcap_error error;
    kvc_arena_from(&arena, &kvc_os_memory, 1 << 26);
    kvc_arena_from(&scratch, &kvc_os_memory, 1 << 26);
    assert_int_equal(kvc_folder_find(folder, kvc_span_of(ID), &arena, &scratch, &found, &error),
                     KVCAP_OK);
    if (path == NULL)
        assert_null(found);
    else
        assert_string_equal(found, path);
    kvc_arena_drop(&arena);
    kvc_arena_drop(&scratch);
}

static void the_first_by_name_is_taken(void **state)
{
    (void)state;
    put_file("c.json", "{\"id\":\"" ID "\"}");
    expect_found(".", "./c.json");
    put_file("b.jsonl", "{\"id\":\"" OTHER "\"}\n{\"id\":\"" ID "\"}\n");
    expect_found(".", "./b.jsonl");
    put_file("a.yaml", "kind: kv-model\nid: " ID "\n");
    expect_found(".", "./a.yaml");
    put_file("Z.yml", "id: '" ID "'\n"); /* by bytes: capitals come first */
    expect_found(".", "./Z.yml");
    put_file("0.json", "{\"id\":\"" OTHER "\"}");
    expect_found(".", "./Z.yml");
}

static void the_ending_says_how_a_file_is_read(void **state)
{
    (void)state;
    put_file("1.json", "id: " ID "\n");
    put_file("2.yaml", "[{\"id\":\"" ID "\"}]\n");
    put_file("3.txt", "{\"id\":\"" ID "\"}");
    put_file("4", "{\"id\":\"" ID "\"}");
    put_file("5.JSON", "{\"id\":\"" ID "\"}");
    put_file("6.json.bak", "{\"id\":\"" ID "\"}");
    put_file("json", "{\"id\":\"" ID "\"}");
    expect_found(".", NULL);
    put_file(".json", "{\"id\":\"" ID "\"}");
    expect_found(".", "./.json");
}

static void what_is_no_file_is_passed_over(void **state)
{
    (void)state;
    assert_int_equal(mkdir("0.json", 0777), 0);
    assert_int_equal(mkfifo("1.json", 0666), 0); /* nobody writes: opening it would wait for ever */
    assert_int_equal(symlink("nowhere", "2.json"), 0);
    assert_int_equal(symlink("3.json", "3.json"), 0);
    assert_int_equal(symlink("/dev/zero", "4.json"), 0);
    put_file("5.json", "");
    put_file("6.json", "{\"id\":\"" ID);
    expect_found(".", NULL);
    put_file("target", "{\"id\":\"" ID "\"}");
    assert_int_equal(symlink("target", "7.json"), 0);
    expect_found(".", "./7.json");
}

static void nothing_below_the_folder_is_looked_at(void **state)
{
    (void)state;
    assert_int_equal(mkdir("below", 0777), 0);
    put_file("below/a.json", "{\"id\":\"" ID "\"}");
    expect_found(".", NULL);
    expect_found("below", "below/a.json");
    expect_found("below/", "below//a.json");
}

static void an_id_is_seen_only_near_enough_to_the_beginning(void **state)
{
    (void)state;
    FILE *file = fopen("a.json", "wb");
    assert_non_null(file);
    fprintf(file, "{\"a\":\"%*s\"", (int)KVC_LOOK_BYTES, "");
    fprintf(file, ",\"id\":\"%s\"}", ID);
    assert_int_equal(fclose(file), 0);
    expect_found(".", NULL);
    file = fopen("b.json", "wb");
    assert_non_null(file);
    fprintf(file, "{\"id\":\"%s\",\"a\":\"%*s\"}", ID, (int)KVC_LOOK_BYTES, "");
    assert_int_equal(fclose(file), 0);
    expect_found(".", "./b.json");
}

static void a_folder_that_cannot_be_listed_is_refused(void **state)
{
    struct kvc_arena arena, scratch;
    const char *found = "untouched";
    kvcap_error error;
    (void)state;
    put_file("file", "");
    kvc_arena_from(&arena, &kvc_os_memory, 1 << 20);
    kvc_arena_from(&scratch, &kvc_os_memory, 1 << 20);
    static const char *const PATHS[] = { "nowhere", "file", "" };
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(
            kvc_folder_find(PATHS[i], kvc_span_of(ID), &arena, &scratch, &found, &error),
            KVCAP_E_IO);
        assert_string_equal(error.slug, "file.open");
        assert_string_equal(error.at, PATHS[i]);
    }
    kvc_arena_drop(&arena);
    kvc_arena_drop(&scratch);
}

/* Without memory for a path there is no answer; without memory to look into a file, it is passed
 * over.  Either way the answer is the file, or none, or a refusal. */
static void every_want_of_memory_is_survived(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        char name[32];
        snprintf(name, sizeof name, "%03d.json", i);
        put_file(name, "{\"id\":\"" OTHER "\"}");
    }
    put_file("999.json", "{\"id\":\"" ID "\"}");
    bool all_went_well = false;
    for (uint64_t refuse_at = 1; !all_went_well && refuse_at < 10000; refuse_at++) {
        struct faulty_memory faulty;
        struct kvc_arena arena, scratch;
        const char *found = NULL;
        kvcap_error error;
        faulty_memory_begin(&faulty, refuse_at);
        kvc_arena_from(&arena, &faulty.memory, 1 << 20);
        kvc_arena_from(&scratch, &faulty.memory, 1 << 20);
        struct kvc_mark before = kvc_arena_mark(&scratch);
        kvcap_code rc = kvc_folder_find(".", kvc_span_of(ID), &arena, &scratch, &found, &error);
        all_went_well = faulty.gets < refuse_at;
        if (rc == KVCAP_OK)
            assert_true(found == NULL || strcmp(found, "./999.json") == 0);
        else
            assert_string_equal(error.slug, "memory.full");
        if (all_went_well)
            assert_non_null(found);
        struct kvc_mark after = kvc_arena_mark(&scratch);
        assert_memory_equal(&before, &after, sizeof before);
        kvc_arena_drop(&arena);
        kvc_arena_drop(&scratch);
        assert_int_equal(faulty.blocks, 0);
    }
    assert_true(all_went_well);
}

static void a_name_says_whether_it_is_yaml(void **state)
{
    (void)state;
    assert_true(kvc_path_is_yaml("a.yaml"));
    assert_true(kvc_path_is_yaml("a/b.yml"));
    assert_true(kvc_path_is_yaml(".yml"));
    assert_false(kvc_path_is_yaml("a.json"));
    assert_false(kvc_path_is_yaml("yaml"));
    assert_false(kvc_path_is_yaml("a.yaml/b"));
    assert_false(kvc_path_is_yaml("a.YAML"));
    assert_false(kvc_path_is_yaml(""));
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup(test, enter_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(the_first_by_name_is_taken),
        IN_A_FOLDER(the_ending_says_how_a_file_is_read),
        IN_A_FOLDER(what_is_no_file_is_passed_over),
        IN_A_FOLDER(nothing_below_the_folder_is_looked_at),
        IN_A_FOLDER(an_id_is_seen_only_near_enough_to_the_beginning),
        IN_A_FOLDER(a_folder_that_cannot_be_listed_is_refused),
        IN_A_FOLDER(every_want_of_memory_is_survived),
        cmocka_unit_test(a_name_says_whether_it_is_yaml),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
