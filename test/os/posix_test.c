/* Goal: files are read whole or refused, and written whole or not at all.
 * Method: real files, folders, links and pipes in WORK, of sizes around every limit that is stated;
 * after each refusal the folder must hold what it held before. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/os.h"
#include "support/faulty_memory.h"

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

static void put_bytes(const char *name, size_t count)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    for (size_t i = 0; i < count; i++)
        fputc((int)(i % 251), file);
    assert_int_equal(fclose(file), 0);
}

static void put_text(const char *name, const char *text)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static bool holds(struct kvc_span text, size_t count)
{
    if (text.length != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        if ((unsigned char)text.text[i] != i % 251)
            return false;
    }
    return true;
}

static unsigned names_in_folder(void)
{
    struct kvc_arena arena;
    char **names;
    size_t count;
    kvc_arena_from(&arena, &kvc_os_memory, 1 << 20);
    assert_int_equal(kvc_folder_list(".", &arena, &names, &count, NULL), KVCAP_OK);
    kvc_arena_drop(&arena);
    return (unsigned)count;
}

static void must_refuse(kvcap_code rc, const kvcap_error *error, const char *slug, const char *at)
{
    assert_int_not_equal(rc, KVCAP_OK);
    assert_string_equal(error->slug, slug);
    assert_string_equal(error->at, at);
}

/* ---- Reading. */

static void a_file_is_read_whole_up_to_the_limit(void **state)
{
    static const size_t SIZES[] = { 0, 1, 2, 4095, 4096, 65535, 65536, 65537, 200000 };
    (void)state;
    for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
        struct kvc_arena arena;
        struct kvc_span text = { "untouched", 9 };
        kvcap_error error;
        bool more;
        put_bytes("file", SIZES[i]);
        kvc_arena_from(&arena, &kvc_os_memory, 1 << 22);
        for (size_t spare = 0; spare < 3; spare++) {
            size_t limit = SIZES[i] + spare;
            assert_int_equal(kvc_file_whole("file", limit, &arena, &text, &error), KVCAP_OK);
            assert_true(holds(text, SIZES[i]));
            assert_int_equal(kvc_file_head("file", limit, &arena, &text, &more, &error), KVCAP_OK);
            assert_true(holds(text, SIZES[i]) && !more);
        }
        for (size_t cut = 1; cut <= SIZES[i] && cut < 3; cut++) {
            size_t limit = SIZES[i] - cut;
            must_refuse(kvc_file_whole("file", limit, &arena, &text, &error), &error,
                        "record.too_large", "file");
            assert_int_equal(kvc_file_head("file", limit, &arena, &text, &more, &error), KVCAP_OK);
            assert_true(holds(text, limit) && more);
        }
        kvc_arena_drop(&arena);
    }
}

/* A pipe has no size beforehand: the room grows as it comes. */
static void a_pipe_is_read_whole_too(void **state)
{
    (void)state;
    for (size_t size = 0; size < 300000; size = size * 3 + 65533) {
        struct kvc_arena arena;
        struct kvc_span text;
        kvcap_error error;
        char command[96], path[32];
        put_bytes("file", size);
        snprintf(command, sizeof command, "cat file");
        FILE *pipe = popen(command, "r");
        assert_non_null(pipe);
        snprintf(path, sizeof path, "/dev/fd/%d", fileno(pipe));
        kvc_arena_from(&arena, &kvc_os_memory, 1 << 22);
        assert_int_equal(kvc_file_whole(path, 1 << 20, &arena, &text, &error), KVCAP_OK);
        assert_true(holds(text, size));
        kvc_arena_drop(&arena);
        assert_int_equal(pclose(pipe), 0);
    }
}

static void what_cannot_be_read_is_refused_by_name(void **state)
{
    struct kvc_file *file = NULL;
    kvcap_error error;
    (void)state;
    put_text("plain", "");
    assert_int_equal(symlink("nowhere", "dangling"), 0);
    assert_int_equal(symlink("loop", "loop"), 0);
    static const char *const PATHS[] = { "nowhere", "dangling", "loop", "plain/x", "" };
    for (size_t i = 0; i < sizeof PATHS / sizeof PATHS[0]; i++)
        must_refuse(kvc_file_open(PATHS[i], &file, &error), &error, "file.open", PATHS[i]);
    must_refuse(kvc_file_open(".", &file, &error), &error, "file.not_regular", ".");
    assert_null(file);
    kvc_file_close(NULL);
}

static void only_a_file_is_regular(void **state)
{
    kvcap_error error;
    (void)state;
    put_text("plain", "");
    put_text("-", "");
    assert_int_equal(symlink("plain", "link"), 0);
    assert_int_equal(mkfifo("pipe", 0666), 0);
    assert_true(kvc_path_is_regular("plain"));
    assert_true(kvc_path_is_regular("link"));
    assert_true(kvc_path_is_regular("./-"));
    assert_false(kvc_path_is_regular("-")); /* standard input, whatever lies here */
    assert_false(kvc_path_is_regular("pipe"));
    assert_false(kvc_path_is_regular("."));
    assert_false(kvc_path_is_regular("/dev/null"));
    assert_false(kvc_path_is_regular("nowhere"));
    assert_int_equal(kvc_path_need_regular("plain", &error), KVCAP_OK);
    must_refuse(kvc_path_need_regular("pipe", &error), &error, "file.not_regular", "pipe");
    must_refuse(kvc_path_need_regular("-", &error), &error, "file.not_regular", "-");
    must_refuse(kvc_path_need_regular("nowhere", &error), &error, "file.open", "nowhere");
}

static void without_memory_a_file_is_refused(void **state)
{
    (void)state;
    put_bytes("file", 100000);
    bool all_went_well = false;
    for (uint64_t refuse_at = 1; !all_went_well && refuse_at < 100; refuse_at++) {
        struct faulty_memory faulty;
        struct kvc_arena arena;
        struct kvc_span text;
        kvcap_error error;
        faulty_memory_begin(&faulty, refuse_at);
        kvc_arena_from(&arena, &faulty.memory, 1 << 22);
        kvcap_code rc = kvc_file_whole("file", 1 << 20, &arena, &text, &error);
        all_went_well = faulty.gets < refuse_at;
        if (all_went_well)
            assert_true(rc == KVCAP_OK && holds(text, 100000));
        else
            must_refuse(rc, &error, "memory.full", "file");
        kvc_arena_drop(&arena);
        assert_int_equal(faulty.blocks, 0);
    }
    assert_true(all_went_well);
}

/* ---- Writing. */

static void expect_text(const char *path, const char *text)
{
    struct kvc_arena arena;
    struct kvc_span found;
    kvc_arena_from(&arena, &kvc_os_memory, 1 << 20);
    assert_int_equal(kvc_file_whole(path, 1 << 19, &arena, &found, NULL), KVCAP_OK);
    if (!kvc_span_is(found, text))
        fail_msg("%s holds \"%.*s\", not \"%s\"", path, (int)found.length, found.text, text);
    kvc_arena_drop(&arena);
}

static void a_file_is_there_once_it_is_kept(void **state)
{
    struct kvc_output *output;
    kvcap_error error;
    (void)state;
    assert_int_equal(kvc_output_open("new", &output, &error), KVCAP_OK);
    kvc_output_put(output, "one ", 4);
    kvc_output_put(output, "", 0);
    kvc_output_put(output, "two", 3);
    assert_int_not_equal(access("new", F_OK), 0);
    assert_int_equal(kvc_output_keep(output, &error), KVCAP_OK);
    expect_text("new", "one two");
    assert_int_equal(names_in_folder(), 1);
}

static void an_old_file_stays_until_the_new_one_is_kept(void **state)
{
    struct kvc_output *output;
    kvcap_error error;
    (void)state;
    put_text("file", "old");
    assert_int_equal(link("file", "other"), 0);
    assert_int_equal(kvc_output_open("file", &output, &error), KVCAP_OK);
    kvc_output_put(output, "new", 3);
    expect_text("file", "old");
    assert_int_equal(kvc_output_keep(output, &error), KVCAP_OK);
    expect_text("file", "new");
    expect_text("other", "old");
    assert_int_equal(names_in_folder(), 2);
}

static void what_is_discarded_leaves_no_trace(void **state)
{
    struct kvc_output *output;
    kvcap_error error;
    (void)state;
    put_text("file", "old");
    assert_int_equal(kvc_output_open("file", &output, &error), KVCAP_OK);
    kvc_output_put(output, "new", 3);
    kvc_output_discard(output);
    expect_text("file", "old");
    assert_int_equal(names_in_folder(), 1);
    assert_int_equal(kvc_output_open("new", &output, &error), KVCAP_OK);
    kvc_output_discard(output);
    assert_int_equal(names_in_folder(), 1);
    kvc_output_discard(NULL);
}

static void what_cannot_be_written_is_refused_and_leaves_no_trace(void **state)
{
    struct kvc_output *output = NULL;
    kvcap_error error;
    char name[300];
    (void)state;
    put_text("plain", "old");
    assert_int_equal(mkdir("folder", 0777), 0);
    static const char *const PATHS[] = { "nowhere/x", "plain/x", "" };
    for (size_t i = 0; i < 2; i++)
        must_refuse(kvc_output_open(PATHS[i], &output, &error), &error, "file.write", PATHS[i]);
    assert_null(output);
    for (int i = 0; i < 2; i++) { /* seen only when the file is put in its place */
        const char *path = i == 0 ? "folder" : "";
        assert_int_equal(kvc_output_open(path, &output, &error), KVCAP_OK);
        kvc_output_put(output, "new", 3);
        must_refuse(kvc_output_keep(output, &error), &error, "file.write", path);
        assert_int_equal(names_in_folder(), 2);
    }
    memset(name, 'a', 256);
    name[256] = '\0';
    assert_int_equal(kvc_output_open(name, &output, &error), KVCAP_OK);
    assert_int_equal(kvc_output_keep(output, &error), KVCAP_E_IO);
    assert_int_equal(names_in_folder(), 2);
    name[255] = '\0'; /* as long as a name can be */
    assert_int_equal(kvc_output_open(name, &output, &error), KVCAP_OK);
    assert_int_equal(kvc_output_keep(output, &error), KVCAP_OK);
    assert_int_equal(access(name, F_OK), 0);
}

/* A file that grows past a full device is refused at the end, also when the first write failed long
 * before it. */
static void a_full_device_is_told(void **state)
{
    static char many[1 << 20];
    struct kvc_output *output;
    kvcap_error error;
    (void)state;
    assert_int_equal(kvc_output_open("/dev/full", &output, &error), KVCAP_OK);
    kvc_output_put(output, many, sizeof many); /* leaves nothing for the end to fail with */
    must_refuse(kvc_output_keep(output, &error), &error, "file.write", "/dev/full");
    for (int puts = 1; puts < 20000; puts *= 20) {
        assert_int_equal(kvc_output_open("/dev/full", &output, &error), KVCAP_OK);
        for (int i = 0; i < puts; i++)
            kvc_output_put(output, "0123456789", 10);
        must_refuse(kvc_output_keep(output, &error), &error, "file.write", "/dev/full");
    }
}

static void a_new_file_is_as_open_as_the_mask_allows(void **state)
{
    static const mode_t MASKS[] = { 022, 027, 077, 0 };
    (void)state;
    for (size_t i = 0; i < sizeof MASKS / sizeof MASKS[0]; i++) {
        struct kvc_output *output;
        struct stat about;
        mode_t before = umask(MASKS[i]);
        assert_int_equal(kvc_output_open("file", &output, NULL), KVCAP_OK);
        assert_int_equal(kvc_output_keep(output, NULL), KVCAP_OK);
        assert_int_equal(umask(before), MASKS[i]);
        assert_int_equal(stat("file", &about), 0);
        assert_int_equal(about.st_mode & 0777, 0666 & ~MASKS[i]);
    }
}

/* ---- Folders. */

static void names_are_listed_sorted_by_bytes(void **state)
{
    struct kvc_arena arena;
    char **names;
    size_t count;
    (void)state;
    for (int i = 0; i < 300; i++) { /* more than the first room for them */
        char name[16];
        snprintf(name, sizeof name, "%03d", (i * 7919) % 300);
        put_text(name, "");
    }
    put_text("A", "");
    put_text("a", "");
    put_text("\xC3\xA9", "");
    put_text(".hidden", "");
    kvc_arena_from(&arena, &kvc_os_memory, 1 << 20);
    assert_int_equal(kvc_folder_list(".", &arena, &names, &count, NULL), KVCAP_OK);
    assert_int_equal(count, 304);
    assert_string_equal(names[0], ".hidden");
    for (int i = 0; i < 300; i++)
        assert_int_equal(atoi(names[i + 1]), i);
    assert_string_equal(names[301], "A");
    assert_string_equal(names[302], "a");
    assert_string_equal(names[303], "\xC3\xA9");
    kvc_arena_drop(&arena);
}

static void a_folder_is_made_with_those_above_it(void **state)
{
    (void)state;
    kvcap_error err;
    char path[4096];
    assert_int_equal(kvc_folder_make("a/b/c", &err), KVCAP_OK);
    assert_true(kvc_path_is_folder("a/b/c"));
    assert_int_equal(kvc_folder_make("a/b/c", &err), KVCAP_OK);
    assert_int_equal(kvc_folder_make("a/./b/../b//d/", &err), KVCAP_OK);
    assert_true(kvc_path_is_folder("a/b/d"));
    assert_non_null(getcwd(path, sizeof path - 8));
    memcpy(path + strlen(path), "/e/f", 5);
    assert_int_equal(kvc_folder_make(path, &err), KVCAP_OK);
    assert_true(kvc_path_is_folder("e/f"));
    put_text("file", "");
    static const char *const PATHS[] = { "file", "file/a", "a/b/c/", "" };
    for (size_t i = 0; i < sizeof PATHS / sizeof PATHS[0]; i++) {
        kvcap_code due = strcmp(PATHS[i], "a/b/c/") == 0 ? KVCAP_OK : KVCAP_E_IO;
        assert_int_equal(kvc_folder_make(PATHS[i], &err), due);
        if (due != KVCAP_OK)
            assert_string_equal(err.slug, "file.write");
    }
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup(test, enter_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(a_file_is_read_whole_up_to_the_limit),
        IN_A_FOLDER(a_pipe_is_read_whole_too),
        IN_A_FOLDER(what_cannot_be_read_is_refused_by_name),
        IN_A_FOLDER(only_a_file_is_regular),
        IN_A_FOLDER(without_memory_a_file_is_refused),
        IN_A_FOLDER(a_file_is_there_once_it_is_kept),
        IN_A_FOLDER(an_old_file_stays_until_the_new_one_is_kept),
        IN_A_FOLDER(what_is_discarded_leaves_no_trace),
        IN_A_FOLDER(what_cannot_be_written_is_refused_and_leaves_no_trace),
        IN_A_FOLDER(a_full_device_is_told),
        IN_A_FOLDER(a_new_file_is_as_open_as_the_mask_allows),
        IN_A_FOLDER(names_are_listed_sorted_by_bytes),
        IN_A_FOLDER(a_folder_is_made_with_those_above_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
