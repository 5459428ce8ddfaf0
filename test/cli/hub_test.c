/* Goal: what kvcap-net brings, kvcap has as files in memory; what it refuses is refused with the same
 * slug and class; a child that misbehaves is told and never hangs or crashes us.
 * Method: kvcap-net itself beside a hub of our own; then scripts of that name that do what it never
 * should. */

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

#include "face/cli/hub.h"
#include "os/os.h"
#include "support/fixture.h"
#include "support/hub_model.h"
#include "support/hub_server.h"

#define SHA "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define WEIGHTS UINT64_C(5000000000)
#define TEXT(literal)                                                                              \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

static char path_before[8192], work[1024];

struct scene {
    struct hub_server *hub;
    struct kvc_arena arena;
    struct kvc_hub_model model;
    kvcap_error err;
};

static struct hub_file files[] = {
    { .name = "config.json", .bytes = TEXT("{}") },
    { .name = "model.safetensors", .zeros = WEIGHTS, .lines = "X-Linked-ETag: " SHA "\r\n" },
    { .name = "params.json", .bytes = TEXT("") },
    { .name = "z.safetensors", .zeros = WEIGHTS },
};

/* The PATH leads to the real program. */
static struct scene begin(const char *cache)
{
    char path[16384];
    struct hub_answer answers[8];
    files[1].bytes = hub_safetensors(1000);
    files[3].bytes = hub_safetensors(10);
    struct hub_model model = { "org/name", "main", HUB_COMMIT, HUB_RANGES, files, 4 };
    struct scene s;
    memset(&s, 0, sizeof s);
    s.hub = hub_server_start(answers, hub_model_answers(&model, answers, 8));
    kvc_arena_from(&s.arena, &kvc_os_memory, (size_t)1 << 28);
    snprintf(path, sizeof path, "%s/%s", work, cache);
    setenv("KVCAP_CACHE", path, 1);
    setenv("HF_ENDPOINT", hub_server_url(s.hub), 1);
    setenv("KVCAP_NET_RETRIES", "0", 1);
    unsetenv("HF_HUB_OFFLINE");
    const char *kvcap = getenv("KVCAP");
    snprintf(path, sizeof path, "%s", kvcap == NULL ? "build/kvcap" : kvcap);
    *strrchr(path, '/') = '\0';
    size_t length = strlen(path);
    snprintf(path + length, sizeof path - length, ":%s", path_before);
    setenv("PATH", path, 1);
    return s;
}

static void end(struct scene *s)
{
    kvc_arena_drop(&s->arena);
    hub_server_stop(s->hub);
}

static kvcap_code fetch(struct scene *s, const char *word, bool offline)
{
    return kvc_hub_fetch(word, offline, &s->arena, &s->model, &s->err);
}

static void must_be_refused(struct scene *s, kvcap_code rc, kvcap_code code, const char *slug)
{
    if (rc != code || s->err.code != code || strcmp(s->err.slug, slug) != 0)
        fail_msg("%d %s at %s: %s", (int)rc, s->err.slug, s->err.at, s->err.text);
}

static void check_model(const struct scene *s)
{
    const struct kvc_hub_model *model = &s->model;
    assert_string_equal(model->repository, "org/name");
    assert_string_equal(model->revision, HUB_COMMIT);
    assert_int_equal(model->files_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(model->files[i].name, files[i].name);
        assert_int_equal(model->files[i].length, files[i].bytes.length);
        assert_memory_equal(model->files[i].bytes, files[i].bytes.text, files[i].bytes.length);
        assert_int_equal(model->files[i].file_bytes, files[i].bytes.length + files[i].zeros);
    }
    /* printf '{}' | sha256sum, and of nothing */
    static const char EMPTY[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    static const char BRACES[] = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
    assert_string_equal(model->files[0].sha256, BRACES);
    assert_string_equal(model->files[0].file_sha256, BRACES);
    assert_string_equal(model->files[1].file_sha256, SHA);
    assert_string_not_equal(model->files[1].sha256, SHA);
    assert_string_equal(model->files[2].sha256, EMPTY);
    assert_string_equal(model->files[2].file_sha256, EMPTY);
    assert_null(model->files[3].file_sha256);
}

static void a_model_comes_into_memory(void **state)
{
    (void)state;
    struct scene s = begin("memory");
    must(fetch(&s, "hf:org/name", false), &s.err);
    check_model(&s);
    hub_server_forget(s.hub);
    must(fetch(&s, "hf:org/name", true), &s.err);
    check_model(&s);
    assert_int_equal(hub_server_count(s.hub), 0);
    must(kvc_hub_files(s.model.manifest, &s.arena, &s.model, &s.err), &s.err);
    check_model(&s);
    end(&s);
}

static void refusals_of_the_child_are_ours(void **state)
{
    (void)state;
    struct scene s = begin("refusals");
    char at[256];
    kvcap_code rc = fetch(&s, "hf:org/name", true);
    must_be_refused(&s, rc, KVCAP_E_IO, "net.offline");
    hub_server_answer(s.hub, &(struct hub_answer){ .status = 403, .body = "" }, 1);
    rc = fetch(&s, "hf:org/name", false);
    must_be_refused(&s, rc, KVCAP_E_IO, "net.forbidden");
    snprintf(at, sizeof at, "%s/api/models/org/name/revision/main", hub_server_url(s.hub));
    assert_string_equal(s.err.at, at);
    assert_non_null(strstr(s.err.text, "(403)"));
    hub_server_answer(s.hub, &(struct hub_answer){ .body = "[]" }, 1);
    rc = fetch(&s, "hf:org/name", false);
    must_be_refused(&s, rc, KVCAP_E_METADATA, "net.bad_answer");
    setenv("HF_ENDPOINT", "nowhere", 1);
    rc = fetch(&s, "hf:org/name", false);
    must_be_refused(&s, rc, KVCAP_E_USAGE, "net.bad_endpoint");
    end(&s);
}

static void a_bad_name_runs_nothing(void **state)
{
    (void)state;
    struct scene s = begin("bad");
    setenv("PATH", "/nowhere", 1);
    kvcap_code rc = fetch(&s, "hf:../name", false);
    must_be_refused(&s, rc, KVCAP_E_USAGE, "net.bad_name");
    rc = fetch(&s, "hf:org/name", false);
    must_be_refused(&s, rc, KVCAP_E_IO, "net.no_program");
    assert_true(kvc_hub_is_name("hf:org/name"));
    assert_false(kvc_hub_is_name("hf/org"));
    end(&s);
}

static void damage(const char *path, const char *bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(bytes, file);
    fclose(file);
}

static void a_manifest_that_was_damaged_is_refused(void **state)
{
    (void)state;
    struct scene s = begin("damaged");
    struct kvc_span text;
    must(fetch(&s, "hf:org/name", false), &s.err);
    const char *manifest = s.model.manifest;
    must(kvc_file_whole(manifest, 1 << 20, &s.arena, &text, &s.err), &s.err);
    char *whole = strndup(text.text, text.length);
    damage(manifest, "{}");
    must_be_refused(&s, kvc_hub_files(manifest, &s.arena, &s.model, &s.err), KVCAP_E_IO,
                    "net.bad_manifest");
    memcpy(strstr(whole, "\"complete\":true"), "\"complete\":null", 15);
    damage(manifest, whole);
    must_be_refused(&s, kvc_hub_files(manifest, &s.arena, &s.model, &s.err), KVCAP_E_IO,
                    "net.bad_manifest");
    must_be_refused(&s, kvc_hub_files("/nowhere", &s.arena, &s.model, &s.err), KVCAP_E_IO,
                    "file.open");
    free(whole);
    end(&s);
}

static void a_blob_of_another_length_is_refused(void **state)
{
    (void)state;
    static const char CONFIG[] =
        "/blobs/sha256/44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
    struct scene s = begin("blob");
    char path[2048];
    must(fetch(&s, "hf:org/name", false), &s.err);
    const char *manifest = s.model.manifest;
    snprintf(path, sizeof path, "%s%s", getenv("KVCAP_CACHE"), CONFIG);
    damage(path, "{");
    must_be_refused(&s, kvc_hub_files(manifest, &s.arena, &s.model, &s.err), KVCAP_E_IO,
                    "net.bad_manifest");
    damage(path, "{ }");
    must_be_refused(&s, kvc_hub_files(manifest, &s.arena, &s.model, &s.err), KVCAP_E_IO,
                    "net.bad_manifest");
    unlink(path);
    must_be_refused(&s, kvc_hub_files(manifest, &s.arena, &s.model, &s.err), KVCAP_E_IO,
                    "file.open");
    end(&s);
}

/* ---- Children that misbehave. */

static void play(const char *script, const char *slug, const char *words)
{
    struct scene s = begin("scripts");
    char path[2048], line[16384];
    snprintf(path, sizeof path, "%s/bin", work);
    mkdir(path, 0777);
    snprintf(line, sizeof line, "%s:%s", path, path_before);
    setenv("PATH", line, 1);
    snprintf(path, sizeof path, "%s/bin/kvcap-net", work);
    snprintf(line, sizeof line, "#!/bin/sh\n%s\n", script);
    damage(path, line);
    assert_int_equal(chmod(path, 0755), 0);
    kvcap_code rc = fetch(&s, "hf:org/name", false);
    must_be_refused(&s, rc, s.err.code, slug);
    if (strstr(s.err.text, words) == NULL)
        fail_msg("\"%s\" does not tell \"%s\"", s.err.text, words);
    unlink(path);
    end(&s);
}

static void children_that_misbehave_are_told(void **state)
{
    (void)state;
    play("exit 0", "net.program", "no path");
    play("echo", "net.program", "no path");
    play("printf /path/without/end", "net.program", "no path");
    play("echo /one; echo /two", "net.program", "no path");
    play("printf '/a\\000b\\n'", "net.program", "no path");
    play("echo /nowhere/manifest.json", "file.open", "");
    play("exit 3", "net.program", "status 3");
    play("echo lost my library >&2; exit 127", "net.program", "status 127: lost my library");
    play("kill -9 $$", "net.program", "signal 9");
    play("kill -11 $$", "net.program", "signal 11");
    play("echo '{\"error\":{\"code\":\"no.such_slug\",\"at\":\"\",\"text\":\"\"}}' >&2; exit 4",
         "net.program", "status 4");
    play("echo '{\"error\":{\"code\":7,\"at\":\"\",\"text\":\"\"}}' >&2; exit 4", "net.program",
         "status 4");
    play("echo '{\"error\":[]}' >&2; exit 4", "net.program", "status 4");
    play("echo a warning >&2; "
         "echo '{\"error\":{\"code\":\"net.server\",\"at\":\"x\",\"text\":\"y\\u001bz\"}}' >&2; "
         "exit 4",
         "net.server", "y?z");
    /* More than a pipe holds, on both outputs. */
    play(
        "i=0; while [ $i -lt 3000 ]; do echo 0123456789012345678901234567890123456789012345678901"
        "234567890123456789; echo 012345678901234567890123456789012345678901234567890123456789 >&2;"
        " i=$((i + 1)); done; exit 1",
        "net.program", "status 1");
    /* It reads nothing from us. */
    play("cat; echo read >&2; exit 5", "net.program", "status 5: read");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_comes_into_memory),
        cmocka_unit_test(refusals_of_the_child_are_ours),
        cmocka_unit_test(a_bad_name_runs_nothing),
        cmocka_unit_test(a_manifest_that_was_damaged_is_refused),
        cmocka_unit_test(a_blob_of_another_length_is_refused),
        cmocka_unit_test(children_that_misbehave_are_told),
    };
    const char *path = getenv("PATH"), *folder = getenv("WORK");
    snprintf(path_before, sizeof path_before, "%s", path == NULL ? "/usr/bin:/bin" : path);
    snprintf(work, sizeof work, "%s", folder == NULL ? "." : folder);
    setenv("no_proxy", "*", 1);
    unsetenv("HF_TOKEN");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
