/* Goal: kvcap-net prints a path and nothing else, or one refusal that never holds the token; its exit
 * says which; two at once do not disturb each other.
 * Method: the program itself, run beside a hub of our own, its outputs kept in files. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/hub_model.h"
#include "support/hub_server.h"

#define TOKEN "hf_TokenThatNobodyMaySee"
#define TEXT(literal)                                                                              \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

extern char **environ;

static char program[1024], kvcap[1024], work[1024];

struct outcome {
    int status;
    char out[4096], err[4096];
};

static void read_back(const char *path, char *out, size_t room)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t length = fread(out, 1, room - 1, file);
    out[length] = '\0';
    fclose(file);
}

static pid_t start_program(const char *which, const char *const *words, const char *name)
{
    char path[1200];
    const char *argv[16] = { which };
    for (size_t i = 0; words[i] != NULL; i++)
        argv[1 + i] = words[i];
    posix_spawn_file_actions_t actions;
    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    for (int i = 1; i <= 2; i++) {
        snprintf(path, sizeof path, "%s/%s-%d", work, name, i);
        assert_int_equal(
            posix_spawn_file_actions_addopen(&actions, i, path, O_WRONLY | O_CREAT | O_TRUNC, 0666),
            0);
    }
    pid_t pid;
    int failed = posix_spawn(&pid, which, &actions, NULL, (char *const *)argv, environ);
    if (failed != 0)
        fail_msg("%s: %s", which, strerror(failed));
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

static pid_t start(const char *const *words, const char *name)
{
    return start_program(program, words, name);
}

static struct outcome finish(pid_t pid, const char *name)
{
    struct outcome outcome;
    char path[1200];
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    outcome.status = WEXITSTATUS(status);
    snprintf(path, sizeof path, "%s/%s-1", work, name);
    read_back(path, outcome.out, sizeof outcome.out);
    snprintf(path, sizeof path, "%s/%s-2", work, name);
    read_back(path, outcome.err, sizeof outcome.err);
    assert_null(strstr(outcome.out, TOKEN));
    assert_null(strstr(outcome.err, TOKEN));
    return outcome;
}

#define RUN_KVCAP(...)                                                                             \
    finish(start_program(kvcap, (const char *const[]){ __VA_ARGS__, NULL }, "one"), "one")
#define RUN(...) finish(start((const char *const[]){ __VA_ARGS__, NULL }, "one"), "one")

static void must_say(struct outcome outcome, int status, const char *out, const char *err)
{
    if (outcome.status != status || strncmp(outcome.out, out, strlen(out)) != 0 ||
        strncmp(outcome.err, err, strlen(err)) != 0 ||
        (err[0] == '\0') != (outcome.err[0] == '\0') ||
        (out[0] == '\0') != (outcome.out[0] == '\0'))
        fail_msg("status %d, \"%s\", \"%s\"", outcome.status, outcome.out, outcome.err);
}

/* ---- A model, and the environment of a test. */

static struct hub_file files[3];

static struct hub_server *begin(const char *cache)
{
    char path[1200];
    struct hub_answer answers[8];
    files[0] = (struct hub_file){ .name = "config.json", .bytes = TEXT("{}") };
    files[1] = (struct hub_file){ .name = "a.safetensors", .bytes = hub_safetensors(100000) };
    files[2] = (struct hub_file){ .name = "b.safetensors", .bytes = hub_safetensors(100) };
    struct hub_model model = { "org/name", "main", HUB_COMMIT, HUB_RANGES, files, 3 };
    struct hub_server *hub = hub_server_start(answers, hub_model_answers(&model, answers, 8));
    snprintf(path, sizeof path, "%s/%s", work, cache);
    setenv("KVCAP_CACHE", path, 1);
    setenv("HF_ENDPOINT", hub_server_url(hub), 1);
    setenv("HF_TOKEN", TOKEN, 1);
    setenv("KVCAP_NET_BACKOFF_MS", "0", 1);
    unsetenv("HF_HUB_OFFLINE");
    unsetenv("XDG_CACHE_HOME");
    return hub;
}

static void help_is_printed(void **state)
{
    (void)state;
    must_say(RUN("--help"), 0, "kvcap-net: ", "");
    must_say(finish(start((const char *const[]){ NULL }, "one"), "one"), 0, "kvcap-net: ", "");
    must_say(RUN("--version"), 0, "kvcap-net 0.", "");
    must_say(RUN("fetch", "--help"), 0, "  $ kvcap-net fetch hf:", "");
    must_say(RUN("fetsh"), 2, "", "kvcap-net: usage.unknown_verb at fetsh");
    must_say(RUN("fetch"), 2, "", "kvcap-net: usage.operands");
    must_say(RUN("fetch", "--of"), 2, "", "kvcap-net: usage.unknown_flag at --of");
}

static void names_are_checked_before_anything_is_asked(void **state)
{
    (void)state;
    static const char *const NAMES[] = {
        "hf:",        "hf:/",           "hf:a/",       "hf:/b",       "hf:a/../b",  "hf:..",
        "hf:../b",    "hf:a/b@",        "hf:a/b@/c",   "hf:a/b@..",   "hf:a b/c",   "hf:a/b?c",
        "hf:a/b#c",   "hf:a/b@m%2Fn",   "hf:a/b/../c", "hf:a/b//c",   "hf:a/b/",    "hf:a/b/./c",
        "hf:-a/b",    "hf:.a/b",        "a/b",         "HF:a/b",      "hf:a/b/c\n", "hf:a/\xC3\xBC",
        "hf:a@b@c/d", "hf:a/b@refs/x/", "hf:a/b/\xFF", "hf:a/b/c\\d", "",
    };
    struct hub_server *hub = begin("names");
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        fprintf(stderr, "name %zu\n", i);
        must_say(RUN("fetch", NAMES[i]), 2, "", "kvcap-net: net.bad_name");
    }
    char longest[256];
    snprintf(longest, sizeof longest, "hf:a/%0120d", 7);
    must_say(RUN("fetch", longest), 2, "", "kvcap-net: net.bad_name");
    assert_int_equal(hub_server_count(hub), 0);
    hub_server_stop(hub);
}

static void a_fetch_prints_a_path_and_nothing_else(void **state)
{
    (void)state;
    struct hub_server *hub = begin("path");
    struct outcome one = RUN("fetch", "hf:org/name");
    must_say(one, 0, work, "");
    size_t length = strlen(one.out);
    assert_true(length > 15 && strcmp(one.out + length - 15, "/manifest.json\n") == 0);
    assert_string_equal(hub_server_request(hub, 0).authorization, "Bearer " TOKEN);
    struct outcome again = RUN("fetch", "--json", "hf:org/name", "--offline");
    must_say(again, 0, one.out, "");
    setenv("HF_HUB_OFFLINE", "1", 1);
    must_say(RUN("fetch", "hf:org/name"), 0, one.out, "");
    must_say(RUN("fetch", "hf:org/other"), 4, "", "kvcap-net: net.offline at org/other: ");
    hub_server_stop(hub);
}

static void the_cache_lies_where_the_environment_says(void **state)
{
    (void)state;
    struct hub_server *hub = begin("xdg");
    char folder[1100], due[1200];
    snprintf(folder, sizeof folder, "%s/folder", work);
    snprintf(due, sizeof due, "%s/folder/kvcap/hf/127.0.0.1:", work);
    unsetenv("KVCAP_CACHE");
    setenv("XDG_CACHE_HOME", folder, 1);
    must_say(RUN("fetch", "hf:org/name"), 0, due, "");
    snprintf(due, sizeof due, "%s/folder/.cache/kvcap/hf/127.0.0.1:", work);
    setenv("XDG_CACHE_HOME", "not/absolute", 1);
    char *home = strdup(getenv("HOME") == NULL ? "" : getenv("HOME"));
    setenv("HOME", folder, 1);
    must_say(RUN("fetch", "hf:org/name"), 0, due, "");
    unsetenv("HOME");
    must_say(RUN("fetch", "hf:org/name"), 4, "", "kvcap-net: net.no_cache_folder at HOME: ");
    setenv("HOME", home, 1);
    free(home);
    hub_server_stop(hub);
}

static void the_environment_is_checked(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value, *slug;
    } ROWS[] = {
        { "HF_ENDPOINT", "huggingface.co", "net.bad_endpoint" },
        { "HF_ENDPOINT", "file:///etc", "net.bad_endpoint" },
        { "HF_ENDPOINT", "http://", "net.bad_endpoint" },
        { "HF_ENDPOINT", "http://a@b", "net.bad_endpoint" },
        { "HF_ENDPOINT", "http://a?b", "net.bad_endpoint" },
        { "HF_ENDPOINT", "http://a/../b", "net.bad_endpoint" },
        { "HF_ENDPOINT", "http://a b", "net.bad_endpoint" },
        { "HF_TOKEN", "two words", "net.bad_token" },
        { "HF_TOKEN", TOKEN "\r\nX-Line: 1", "net.bad_token" },
        { "HF_TOKEN", TOKEN "\x01", "net.bad_token" },
        { "KVCAP_NET_RETRIES", "many", "usage.bad_value" },
        { "KVCAP_NET_RETRIES", "-1", "usage.bad_value" },
        { "KVCAP_NET_CONNECT_MS", "0", "usage.bad_value" },
        { "KVCAP_NET_STALL_SECONDS", "99999999999999999999", "usage.bad_value" },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        struct hub_server *hub = begin("environment");
        char due[256];
        fprintf(stderr, "row %zu\n", i);
        snprintf(due, sizeof due, "kvcap-net: %s at %s: ", ROWS[i].slug, ROWS[i].name);
        setenv(ROWS[i].name, ROWS[i].value, 1);
        must_say(RUN("fetch", "hf:org/name"), 2, "", due);
        assert_int_equal(hub_server_count(hub), 0);
        unsetenv(ROWS[i].name);
        hub_server_stop(hub);
    }
}

static void a_token_with_a_line_end_is_the_token(void **state)
{
    (void)state;
    struct hub_server *hub = begin("line-end");
    setenv("HF_TOKEN", "  " TOKEN "\n", 1); /* as $(cat FILE) or a file of secrets leaves it */
    must_say(RUN("fetch", "hf:org/name"), 0, work, "");
    assert_string_equal(hub_server_request(hub, 0).authorization, "Bearer " TOKEN);
    hub_server_stop(hub);
}

static void refusals_are_text_or_json(void **state)
{
    (void)state;
    struct hub_server *hub = begin("refusals");
    char due[512];
    hub_server_answer(hub, &(struct hub_answer){ .status = 401, .body = "" }, 1);
    snprintf(due, sizeof due,
             "{\"error\":{\"at\":\"%s/api/models/org/name/revision/main\","
             "\"code\":\"net.unauthorized\",\"text\":\"the token of HF_TOKEN was not accepted "
             "(401)\"}}\n",
             hub_server_url(hub));
    struct outcome outcome = RUN("fetch", "--json", "hf:org/name");
    assert_int_equal(outcome.status, 4);
    assert_string_equal(outcome.err, due);
    assert_string_equal(outcome.out, "");
    snprintf(due, sizeof due,
             "kvcap-net: net.unauthorized at %s/api/models/org/name/revision/main: ",
             hub_server_url(hub));
    must_say(RUN("fetch", "hf:org/name"), 4, "", due);
    hub_server_answer(hub, &(struct hub_answer){ .body = "<html>" }, 1);
    must_say(RUN("fetch", "hf:org/name"), 2, "", "kvcap-net: net.bad_answer at http://127.0.0.1:");
    hub_server_stop(hub);
}

static void progress_goes_where_it_is_told(void **state)
{
    (void)state;
    struct hub_server *hub = begin("progress");
    struct outcome outcome = RUN("fetch", "--progress", "2", "hf:org/name");
    assert_int_equal(outcome.status, 0);
    assert_non_null(strstr(outcome.err, "\r1 of 3 files  b.safetensors"));
    must_say(RUN("fetch", "--progress", "0", "hf:org/name"), 2, "",
             "kvcap-net: usage.out_of_range at --progress");
    hub_server_stop(hub);
}

static void two_fetches_at_once_both_succeed(void **state)
{
    (void)state;
    struct hub_server *hub = begin("both");
    const char *const words[] = { "fetch", "hf:org/name", NULL };
    char name[8][8];
    pid_t pids[8];
    for (int i = 0; i < 8; i++) {
        snprintf(name[i], sizeof name[i], "both%d", i);
        pids[i] = start(words, name[i]);
    }
    for (int i = 0; i < 8; i++)
        must_say(finish(pids[i], name[i]), 0, work, "");
    must_say(RUN("fetch", "--offline", "hf:org/name"), 0, work, "");
    hub_server_stop(hub);
}

/* The whole way: kvcap, its child, the hub, and a record. */
static void kvcap_reads_a_model_by_its_name(void **state)
{
    (void)state;
    static struct hub_file file = {
        .name = "config.json",
        .bytes = TEXT("{\"model_type\":\"llama\",\"hidden_size\":64,\"num_attention_heads\":2,"
                      "\"num_key_value_heads\":2,\"num_hidden_layers\":3,"
                      "\"torch_dtype\":\"float16\"}")
    };
    struct hub_server *hub = begin("kvcap");
    struct hub_answer answers[2];
    struct hub_model model = { "org/name", "main", HUB_COMMIT, HUB_RANGES, &file, 1 };
    hub_server_answer(hub, answers, hub_model_answers(&model, answers, 2));
    must_say(RUN_KVCAP("inspect", "hf:org/name"), 0,
             "org/name: 3 layers, family llama, dtype f16\n", "");
    struct outcome outcome = RUN_KVCAP("inspect", "hf:org/name", "--json");
    assert_int_equal(outcome.status, 0);
    assert_non_null(strstr(outcome.out, "\"name\":\"org/name\""));
    assert_non_null(strstr(outcome.out, "\"revision\":\"" HUB_COMMIT "\""));
    hub_server_answer(hub, &(struct hub_answer){ .status = 401, .body = "" }, 1);
    must_say(RUN_KVCAP("inspect", "hf:org/name"), 4, "", "kvcap: net.unauthorized at http://");
    must_say(RUN_KVCAP("inspect", "hf:org/name", "--json"), 4, "", "{\"error\":{\"at\":\"http://");
    must_say(RUN_KVCAP("inspect", "hf:../name"), 2, "", "kvcap: net.bad_name at hf:../name: ");
    setenv("HF_HUB_OFFLINE", "1", 1);
    must_say(RUN_KVCAP("inspect", "hf:org/name"), 0, "org/name: 3 layers", "");
    must_say(RUN_KVCAP("inspect", "hf:org/other"), 4, "", "kvcap: net.offline at org/other: ");
    hub_server_stop(hub);
}

static void an_output_that_is_full_is_told(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    struct hub_server *hub = begin("full");
    char command[2200];
    snprintf(command, sizeof command, "'%s' fetch hf:org/name >/dev/full 2>'%s/full'", program,
             work);
    int status = system(command);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 4);
    hub_server_stop(hub);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_is_printed),
        cmocka_unit_test(names_are_checked_before_anything_is_asked),
        cmocka_unit_test(a_fetch_prints_a_path_and_nothing_else),
        cmocka_unit_test(the_cache_lies_where_the_environment_says),
        cmocka_unit_test(the_environment_is_checked),
        cmocka_unit_test(a_token_with_a_line_end_is_the_token),
        cmocka_unit_test(refusals_are_text_or_json),
        cmocka_unit_test(progress_goes_where_it_is_told),
        cmocka_unit_test(two_fetches_at_once_both_succeed),
        cmocka_unit_test(kvcap_reads_a_model_by_its_name),
        cmocka_unit_test(an_output_that_is_full_is_told),
    };
    const char *given = getenv("KVCAP"), *folder = getenv("WORK");
    snprintf(kvcap, sizeof kvcap, "%s", given == NULL ? "build/kvcap" : given);
    snprintf(program, sizeof program, "%.1000s-net", kvcap);
    snprintf(work, sizeof work, "%s", folder == NULL ? "." : folder);
    setenv("no_proxy", "*", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
