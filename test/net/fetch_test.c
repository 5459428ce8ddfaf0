/* Goal: a fetch brings a model's configuration and headers into the cache and nothing else, once; what
 * anything has done to the cache is mended; what a hub or a disk does wrong is refused and leaves the
 * cache as good as it was.
 * Method: small models on a hub of our own; the manifest is read with jansson and its blobs are compared
 * with the files; requests are counted. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "face/net/fetch.h"
#include "os/os.h"
#include "support/fixture.h"
#include "support/gguf_writer.h"
#include "support/hub_model.h"
#include "support/hub_server.h"

#define SHA "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define WEIGHTS UINT64_C(5000000000)
#define TEXT(literal)                                                                              \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

static const char CONFIG[] = "{\"model_type\":\"llama\"}";

struct scene {
    struct hub_server *hub;
    struct kvc_net_settings settings;
    struct kvc_arena arena;
    kvcap_error err;
    const char *manifest;
    char cache[512];
};

/* Each test has a cache of its own. */
static struct scene begin(const struct hub_model *model)
{
    static int number;
    struct hub_answer answers[64];
    struct scene s;
    memset(&s, 0, sizeof s);
    s.hub = hub_server_start(answers, model == NULL ? 0 : hub_model_answers(model, answers, 64));
    const char *work = getenv("WORK");
    snprintf(s.cache, sizeof s.cache, "%s/cache-%d-%d", work == NULL ? "." : work, (int)getpid(),
             number++);
    kvc_arena_from(&s.arena, &kvc_os_memory, (size_t)1 << 30);
    s.settings = (struct kvc_net_settings){
        .cache = NULL,
        .progress = -1,
        .limits = { .connect_ms = 10000,
                    .stall_seconds = 30,
                    .stall_bytes = 1,
                    .total_seconds = 60 },
    };
    must(kvc_net_endpoint(hub_server_url(s.hub), &s.arena, &s.settings, &s.err), &s.err);
    return s;
}

static void end(struct scene *s)
{
    kvc_arena_drop(&s->arena);
    hub_server_stop(s->hub);
}

static kvcap_code fetch(struct scene *s, const char *word)
{
    struct kvc_hub_name name;
    s->settings.cache = s->cache; /* set here, for a scene is copied once */
    must(kvc_hub_name_read(word, &name, &s->err), &s->err);
    hub_server_forget(s->hub);
    s->manifest = NULL;
    return kvc_fetch(&s->settings, &name, &s->arena, &s->manifest, &s->err);
}

static void must_fetch(struct scene *s, const char *word, size_t requests)
{
    must(fetch(s, word), &s->err);
    if (hub_server_count(s->hub) != requests)
        fail_msg("%zu requests, where %zu are due", hub_server_count(s->hub), requests);
}

static void must_not_fetch(struct scene *s, const char *word, const char *slug)
{
    kvcap_code rc = fetch(s, word);
    if (rc == KVCAP_OK || strcmp(s->err.slug, slug) != 0)
        fail_msg("%s (%s), where %s is due", rc == KVCAP_OK ? "accepted" : s->err.slug,
                 rc == KVCAP_OK ? "" : s->err.text, slug);
    assert_null(s->manifest);
}

/* ---- Looking at the cache. */

static char *read_whole(const char *path, size_t *ret_length)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("%s is not there", path);
    char *bytes = malloc(1 << 24);
    *ret_length = fread(bytes, 1, 1 << 24, file);
    fclose(file);
    return bytes;
}

static void write_whole(const char *path, const char *bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(bytes, file);
    assert_int_equal(fclose(file), 0);
}

static json_t *manifest_of(const struct scene *s)
{
    json_error_t error;
    json_t *manifest = json_load_file(s->manifest, 0, &error);
    if (manifest == NULL)
        fail_msg("%s: %s", s->manifest, error.text);
    assert_true(json_is_true(json_object_get(manifest, "complete")));
    return manifest;
}

static json_t *file_of(const json_t *manifest, const char *name)
{
    json_t *file;
    size_t i;
    json_array_foreach(json_object_get(manifest, "files"), i, file)
    {
        if (strcmp(json_string_value(json_object_get(file, "name")), name) == 0)
            return file;
    }
    fail_msg("%s is not in the manifest", name);
    return NULL;
}

static void blob_path(const struct scene *s, const json_t *file, char *out, size_t room)
{
    snprintf(out, room, "%s/blobs/sha256/%s", s->cache,
             json_string_value(json_object_get(file, "blob")));
}

static void must_hold(const struct scene *s, const json_t *manifest, const char *name,
                      struct kvc_span bytes, uint64_t file_bytes, const char *sha256)
{
    const json_t *file = file_of(manifest, name);
    char path[1024];
    size_t length;
    blob_path(s, file, path, sizeof path);
    char *found = read_whole(path, &length);
    assert_int_equal(length, bytes.length);
    assert_memory_equal(found, bytes.text, length);
    free(found);
    assert_int_equal(json_integer_value(json_object_get(file, "stored_bytes")), bytes.length);
    assert_int_equal(json_integer_value(json_object_get(file, "file_bytes")), file_bytes);
    const char *known = json_string_value(json_object_get(file, "sha256"));
    if (sha256 == NULL)
        assert_null(known);
    else
        assert_string_equal(known, sha256);
}

static size_t files_in(const char *folder)
{
    size_t count = 0;
    DIR *at = opendir(folder);
    for (struct dirent *entry; at != NULL && (entry = readdir(at)) != NULL;)
        count += entry->d_name[0] != '.' || strncmp(entry->d_name, ".kvcap-", 7) == 0;
    if (at != NULL)
        closedir(at);
    return count;
}

/* ---- A model as people publish it. */

static struct hub_file FILES[] = {
    { .name = "README.md", .bytes = TEXT("words") },
    { .name = "model.safetensors.index.json", .bytes = TEXT("{\"weight_map\":{}}") },
    { .name = "model-00001-of-00002.safetensors",
      .zeros = WEIGHTS,
      .lines = "X-Linked-ETag: \"" SHA "\"\r\n" },
    { .name = "model-00002-of-00002.safetensors", .zeros = WEIGHTS },
    { .name = "config.json", .bytes = TEXT("{\"model_type\":\"llama\"}") },
    { .name = "generation_config.json", .bytes = TEXT("{}") },
    { .name = "hf_quant_config.json", .bytes = TEXT("{\"q\":1}") },
    { .name = "pytorch_model.bin", .zeros = WEIGHTS },
    { .name = "model-Q8_0.gguf", .zeros = WEIGHTS },
    { .name = "original/params.json", .bytes = TEXT("{}") },
    { .name = "onnx/model.safetensors", .zeros = WEIGHTS },
};

static struct hub_model published(enum hub_manner manner)
{
    FILES[2].bytes = hub_safetensors(1000);
    FILES[3].bytes = hub_safetensors(200000); /* more than is asked for at first */
    return (struct hub_model){ .repository = "org/name",
                               .revision = "main",
                               .commit = HUB_COMMIT,
                               .manner = manner,
                               .files = FILES,
                               .files_count = sizeof FILES / sizeof FILES[0] };
}

static void check_published(const struct scene *s)
{
    json_t *manifest = manifest_of(s);
    assert_int_equal(json_array_size(json_object_get(manifest, "files")), 5);
    assert_string_equal(json_string_value(json_object_get(manifest, "commit")), HUB_COMMIT);
    assert_string_equal(json_string_value(json_object_get(manifest, "repository")), "org/name");
    assert_string_equal(json_string_value(json_object_get(manifest, "only")), "");
    must_hold(s, manifest, "model-00001-of-00002.safetensors", FILES[2].bytes, 1008 + WEIGHTS, SHA);
    must_hold(s, manifest, "model-00002-of-00002.safetensors", FILES[3].bytes, 200008 + WEIGHTS,
              NULL);
    /* Of a file that is stored whole the digest is known: sha256sum of {"model_type":"llama"}. */
    must_hold(s, manifest, "config.json", FILES[4].bytes, 22,
              "fd11fd11fceeb9df51a63f347cec3af4051d086fccb030e78777a83a4d3289e8");
    json_decref(manifest);
}

static void a_model_comes_as_configuration_and_headers(void **state)
{
    (void)state;
    struct hub_model model = published(HUB_RANGES);
    struct scene s = begin(&model);
    must_fetch(&s, "hf:org/name", 1 + 5 + 1);
    check_published(&s);
    /* Never more than the headers: what the sockets took is known to the server. */
    hub_server_settle(s.hub);
    uint64_t sent = 0;
    for (size_t i = 0; i < hub_server_count(s.hub); i++)
        sent += hub_server_request(s.hub, i).sent;
    assert_true(sent < 300000);
    end(&s);
}

static void a_server_without_ranges_does_as_well(void **state)
{
    (void)state;
    struct hub_model model = published(HUB_WHOLE);
    struct scene s = begin(&model);
    must_fetch(&s, "hf:org/name", 1 + 5 + 1);
    check_published(&s);
    end(&s);
}

static void a_model_is_fetched_once(void **state)
{
    (void)state;
    struct hub_model model = published(HUB_RANGES);
    struct scene s = begin(&model);
    must_fetch(&s, "hf:org/name", 7);
    char first[1024];
    snprintf(first, sizeof first, "%s", s.manifest);
    must_fetch(&s, "hf:org/name", 1);
    assert_string_equal(hub_server_request(s.hub, 0).target, "/api/models/org/name/revision/main");
    assert_string_equal(s.manifest, first);
    must_fetch(&s, "hf:org/name@" HUB_COMMIT, 0);
    assert_string_equal(s.manifest, first);
    s.settings.offline = true;
    must_fetch(&s, "hf:org/name", 0);
    must_fetch(&s, "hf:org/name@main", 0);
    must_fetch(&s, "hf:org/name@" HUB_COMMIT, 0);
    assert_string_equal(s.manifest, first);
    check_published(&s);
    must_not_fetch(&s, "hf:org/name@other", "net.offline");
    must_not_fetch(&s, "hf:org/name@" HUB_NEXT_COMMIT, "net.offline");
    must_not_fetch(&s, "hf:org/other", "net.offline");
    must_not_fetch(&s, "hf:org/name/config.json", "net.offline");
    assert_int_equal(hub_server_count(s.hub), 0);
    end(&s);
}

static void a_branch_that_moves_is_followed(void **state)
{
    (void)state;
    struct hub_model model = published(HUB_RANGES);
    struct scene s = begin(&model);
    must_fetch(&s, "hf:org/name", 7);
    struct hub_answer answers[64];
    model.commit = HUB_NEXT_COMMIT;
    hub_server_answer(s.hub, answers, hub_model_answers(&model, answers, 64));
    must_fetch(&s, "hf:org/name", 7);
    json_t *manifest = manifest_of(&s);
    assert_string_equal(json_string_value(json_object_get(manifest, "commit")), HUB_NEXT_COMMIT);
    json_decref(manifest);
    s.settings.offline = true;
    must_fetch(&s, "hf:org/name", 0);
    assert_non_null(strstr(s.manifest, HUB_NEXT_COMMIT));
    must_fetch(&s, "hf:org/name@" HUB_COMMIT, 0);
    assert_non_null(strstr(s.manifest, HUB_COMMIT));
    end(&s);
}

static void a_commit_is_what_it_says(void **state)
{
    (void)state;
    struct hub_model model = published(HUB_RANGES);
    model.revision = HUB_NEXT_COMMIT;
    struct scene s = begin(&model);
    must_not_fetch(&s, "hf:org/name@" HUB_NEXT_COMMIT, "net.bad_answer");
    end(&s);
}

/* ---- One file, one series, one GGUF. */

static void one_file_comes_alone(void **state)
{
    (void)state;
    struct hub_model model = published(HUB_RANGES);
    struct scene s = begin(&model);
    must_fetch(&s, "hf:org/name/original/params.json", 2);
    json_t *manifest = manifest_of(&s);
    assert_int_equal(json_array_size(json_object_get(manifest, "files")), 1);
    assert_string_equal(json_string_value(json_object_get(manifest, "only")),
                        "original/params.json");
    json_decref(manifest);
    must_fetch(&s, "hf:org/name@main/model-00002-of-00002.safetensors", 1 + 3);
    manifest = manifest_of(&s);
    assert_int_equal(json_array_size(json_object_get(manifest, "files")), 2);
    json_decref(manifest);
    must_fetch(&s, "hf:org/name@" HUB_COMMIT "/original/params.json", 0);
    must_not_fetch(&s, "hf:org/name/missing/config.json", "net.no_file");
    must_not_fetch(&s, "hf:org/name/README.md", "net.file_kind");
    must_not_fetch(&s, "hf:org/name/pytorch_model.bin", "net.file_kind");
    end(&s);
}

/* The header alone: of a file larger than the first request, and of one far smaller. */
static void a_gguf_comes_as_its_header(void **state)
{
    (void)state;
    struct gguf_writer large, small;
    gguf_begin(&large, 3);
    gguf_put_large(&large);
    gguf_begin(&small, 3);
    gguf_put_text(&small, "general.architecture", "llama");
    gguf_tensor(&small, "t", 0, 1000, 1);
    struct kvc_span header = gguf_bytes(&large, false), whole = gguf_bytes(&small, true);
    struct hub_file files[] = {
        { .name = "m-00001-of-00002.gguf", .bytes = header, .zeros = WEIGHTS },
        { .name = "m-00002-of-00002.gguf", .bytes = whole },
        { .name = "mmproj-m.gguf", .bytes = whole },
    };
    struct hub_model model = { "org/name", "main", HUB_COMMIT, HUB_RANGES, files, 3 };
    struct scene s = begin(&model);
    assert_true(header.length > 4 << 20);
    must_fetch(&s, "hf:org/name", 1 + 2 + 1);
    json_t *manifest = manifest_of(&s);
    assert_int_equal(json_array_size(json_object_get(manifest, "files")), 2);
    const json_t *first = file_of(manifest, "m-00001-of-00002.gguf");
    json_int_t stored = json_integer_value(json_object_get(first, "stored_bytes"));
    /* Padding stands between the header and the data: less than one alignment of 32. */
    assert_true(stored <= (json_int_t)header.length && stored > (json_int_t)header.length - 32);
    must_hold(&s, manifest, "m-00001-of-00002.gguf",
              (struct kvc_span){ header.text, (size_t)stored }, header.length + WEIGHTS, NULL);
    const json_t *second = file_of(manifest, "m-00002-of-00002.gguf");
    assert_true(json_integer_value(json_object_get(second, "stored_bytes")) < 200);
    assert_int_equal(json_integer_value(json_object_get(second, "file_bytes")), whole.length);
    json_decref(manifest);
    must_fetch(&s, "hf:org/name/mmproj-m.gguf", 2);
    end(&s);
    gguf_end(&large);
    gguf_end(&small);
}

static void several_ggufs_are_for_the_user_to_choose_from(void **state)
{
    (void)state;
    struct gguf_writer w;
    gguf_begin(&w, 3);
    struct kvc_span bytes = gguf_bytes(&w, false);
    struct hub_file files[] = {
        { .name = "m-Q4_K_M.gguf", .bytes = bytes },
        { .name = "m-Q8_0.gguf", .bytes = bytes },
    };
    struct hub_model model = { "org/name", "main", HUB_COMMIT, HUB_RANGES, files, 2 };
    struct scene s = begin(&model);
    must_not_fetch(&s, "hf:org/name", "net.several_models");
    assert_int_equal(hub_server_count(s.hub), 1);
    must_fetch(&s, "hf:org/name/m-Q8_0.gguf", 2);
    end(&s);
    gguf_end(&w);
}

static void names_are_escaped_in_urls(void **state)
{
    (void)state;
    struct hub_file files[] = {
        { .name = "a b/\xC3\xBC?%#.safetensors",
          .escaped = "a%20b/%C3%BC%3F%25%23.safetensors",
          .bytes = hub_safetensors(10) },
    };
    struct hub_model model = { "gpt2", "refs%2Fpr%2F1", HUB_COMMIT, HUB_RANGES, files, 1 };
    struct scene s = begin(&model);
    must_fetch(&s, "hf:gpt2@refs/pr/1/a b/\xC3\xBC?%#.safetensors", 2);
    s.settings.offline = true;
    must_fetch(&s, "hf:gpt2@refs/pr/1/a b/\xC3\xBC?%#.safetensors", 0);
    end(&s);
}

/* ---- Nonsense from a hub. */

static void refuse_listing(const char *listing, const char *slug)
{
    struct scene s = begin(NULL);
    hub_server_answer(s.hub, &(struct hub_answer){ .body = listing }, 1);
    must_not_fetch(&s, "hf:org/name", slug);
    assert_int_equal(hub_server_count(s.hub), 1);
    assert_int_equal(files_in(s.cache), 0);
    end(&s);
}

#define LISTING(files) "{\"sha\":\"" HUB_COMMIT "\",\"siblings\":[" files "]}"
#define NAMED(name) LISTING("{\"rfilename\":\"config.json\"},{\"rfilename\":\"" name "\"}")

static void listings_that_are_none_are_refused(void **state)
{
    (void)state;
    static const char *const LISTINGS[] = {
        "",
        "<html>Please log in</html>",
        "[]",
        "null",
        "{\"sha\":\"" HUB_COMMIT "\"}",
        "{\"sha\":\"" HUB_COMMIT "\",\"siblings\":{}}",
        "{\"siblings\":[]}",
        "{\"sha\":\"main\",\"siblings\":[]}",
        "{\"sha\":\"../../../../../../../../etc/passwd/////\",\"siblings\":[]}",
        "{\"sha\":\"0123456789ABCDEF0123456789abcdef01234567\",\"siblings\":[]}",
        "{\"sha\":17,\"siblings\":[]}",
        LISTING("{}"),
        LISTING("\"config.json\""),
        LISTING("{\"rfilename\":1}"),
        LISTING("{\"rfilename\":\"config.json\"}") "}",
        NAMED("../config.json"),
        NAMED("a/../../config.json"),
        NAMED("/etc/config.json"),
        NAMED(".."),
        NAMED("a//config.json"),
        NAMED("a/"),
        NAMED("./config.json"),
        NAMED(""),
        NAMED("a\\nconfig.json"),
        NAMED("a\\u0000/config.json"),
        NAMED("a\\u009b/config.json"),
        NAMED("..\\\\config.json"),
    };
    for (size_t i = 0; i < sizeof LISTINGS / sizeof LISTINGS[0]; i++) {
        fprintf(stderr, "%s\n", LISTINGS[i]);
        refuse_listing(LISTINGS[i], "net.bad_answer");
    }
    refuse_listing(LISTING(""), "net.no_model");
    refuse_listing(LISTING("{\"rfilename\":\"README.md\"}"), "net.no_model");
}

static void refuse_file(const char *name, struct kvc_span bytes, const char *lines,
                        const char *slug)
{
    struct hub_file file = { .name = name, .bytes = bytes, .lines = lines };
    struct hub_model model = { "org/name", "main", HUB_COMMIT, HUB_RANGES, &file, 1 };
    struct scene s = begin(&model);
    must_not_fetch(&s, "hf:org/name", slug);
    s.settings.offline = true;
    must_not_fetch(&s, "hf:org/name", "net.offline");
    end(&s);
}

static void files_that_are_not_what_their_names_say_are_refused(void **state)
{
    (void)state;
    refuse_file("model.safetensors", (struct kvc_span){ "1234567", 7 }, "",
                "safetensors.too_short");
    refuse_file("model.safetensors", (struct kvc_span){ "\x0A\0\0\0\0\0\0\0{}", 10 }, "",
                "safetensors.header_length");
    refuse_file("model.safetensors", (struct kvc_span){ "version https://git-lfs", 23 }, "",
                "safetensors.lfs_pointer");
    refuse_file("model.safetensors", (struct kvc_span){ "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF{}", 10 },
                "", "safetensors.header_length");
    refuse_file("model.gguf", (struct kvc_span){ "GGML and more than a few bytes", 30 }, "",
                "gguf.magic");
    refuse_file("model.gguf", (struct kvc_span){ "GGUF\3\0\0\0", 8 }, "", "gguf.truncated");
    refuse_file("config.json", (struct kvc_span){ CONFIG, 22 }, "X-Linked-ETag: \"" SHA "\"\r\n",
                "net.bad_answer");
}

static void a_refused_file_is_named_with_the_place_in_it(void **state)
{
    (void)state;
    struct hub_file file = { .name = "model.gguf",
                             .bytes = { "GGML and more than a few bytes", 30 } };
    struct hub_model model = { "org/name", "main", HUB_COMMIT, HUB_RANGES, &file, 1 };
    struct scene s = begin(&model);
    must_not_fetch(&s, "hf:org/name", "gguf.magic");
    assert_non_null(strstr(s.err.at, "/model.gguf: offset 0"));
    end(&s);
}

static void a_file_that_changes_its_length_is_refused(void **state)
{
    (void)state;
    struct hub_file file = { .name = "model.safetensors", .bytes = hub_safetensors(200000) };
    struct hub_model model = { "org/name", "main", HUB_COMMIT, HUB_RANGES, &file, 1 };
    struct hub_answer answers[3];
    assert_int_equal(hub_model_answers(&model, answers, 3), 2);
    answers[2] = answers[1];
    answers[1].times = 1;
    answers[2].zeros = 1;
    struct scene s = begin(NULL);
    hub_server_answer(s.hub, answers, 3);
    must_not_fetch(&s, "hf:org/name", "net.bad_answer");
    end(&s);
}

static void a_listing_that_does_not_end_is_refused(void **state)
{
    (void)state;
    struct scene s = begin(NULL);
    hub_server_answer(s.hub, &(struct hub_answer){ .body = "{", .zeros = WEIGHTS }, 1);
    must_not_fetch(&s, "hf:org/name", "net.too_large");
    end(&s);
}

/* ---- What happens to caches. */

static void damage(const struct scene *s, const char *name, const char *bytes)
{
    char path[1024];
    json_t *manifest = manifest_of(s);
    blob_path(s, file_of(manifest, name), path, sizeof path);
    json_decref(manifest);
    if (bytes == NULL)
        assert_int_equal(unlink(path), 0);
    else
        write_whole(path, bytes);
}

static void a_broken_blob_is_fetched_anew(void **state)
{
    (void)state;
    static const char *const BYTES[] = { "{\"model_type\":\"mamba\"}", "", "{", NULL };
    struct hub_model model = published(HUB_RANGES);
    struct scene s = begin(&model);
    must_fetch(&s, "hf:org/name", 7);
    for (size_t i = 0; i < sizeof BYTES / sizeof BYTES[0]; i++) {
        damage(&s, "config.json", BYTES[i]);
        s.settings.offline = true;
        must_not_fetch(&s, "hf:org/name@" HUB_COMMIT, "net.offline");
        s.settings.offline = false;
        must(fetch(&s, "hf:org/name"), &s.err);
        assert_int_equal(hub_server_count(s.hub), 2); /* the revision, and that one file */
        check_published(&s);
        damage(&s, "config.json", BYTES[i]);
        struct hub_answer answers[64];
        model.revision = HUB_COMMIT;
        hub_server_answer(s.hub, answers, hub_model_answers(&model, answers, 64));
        must_fetch(&s, "hf:org/name@" HUB_COMMIT, 2);
        check_published(&s);
        model.revision = "main";
        hub_server_answer(s.hub, answers, hub_model_answers(&model, answers, 64));
    }
    end(&s);
}

static void a_broken_manifest_is_fetched_anew(void **state)
{
    (void)state;
    static const char *const TEXTS[] = { "", "{", "{}", "[]", "\0" };
    struct hub_model model = published(HUB_RANGES);
    struct scene s = begin(&model);
    must_fetch(&s, "hf:org/name", 7);
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
        write_whole(s.manifest, TEXTS[i]);
        s.settings.offline = true;
        must_not_fetch(&s, "hf:org/name", "net.offline");
        s.settings.offline = false;
        must_fetch(&s, "hf:org/name", 7);
        check_published(&s);
    }
    end(&s);
}

static void a_manifest_of_another_model_does_not_count(void **state)
{
    (void)state;
    struct hub_model model = published(HUB_RANGES);
    struct scene s = begin(&model);
    must_fetch(&s, "hf:org/name", 7);
    char *other = strdup(s.manifest);
    size_t length;
    char *text = read_whole(other, &length);
    text[length] = '\0';
    memcpy(strstr(text, "org/name"), "org/same", 8);
    write_whole(other, text);
    must_fetch(&s, "hf:org/name", 7);
    check_published(&s);
    free(text);
    free(other);
    end(&s);
}

static void a_broken_ref_is_no_ref(void **state)
{
    (void)state;
    static const char *const TEXTS[] = { "", "main\n", HUB_COMMIT "0\n", "../../x\n" };
    struct hub_model model = published(HUB_RANGES);
    struct scene s = begin(&model);
    must_fetch(&s, "hf:org/name", 7);
    char path[1024];
    snprintf(path, sizeof path, "%s/hf/%s/org/name/refs/main", s.cache, s.settings.host);
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
        write_whole(path, TEXTS[i]);
        s.settings.offline = true;
        must_not_fetch(&s, "hf:org/name", "net.offline");
        s.settings.offline = false;
        must_fetch(&s, "hf:org/name", 1);
    }
    end(&s);
}

static void a_fetch_that_is_broken_off_goes_on_where_it_was(void **state)
{
    (void)state;
    struct hub_model model = published(HUB_RANGES);
    struct hub_answer answers[64];
    size_t count = hub_model_answers(&model, answers, 64);
    struct scene s = begin(NULL);
    answers[4].status = 503; /* of model-00002-of-00002.safetensors */
    hub_server_answer(s.hub, answers, count);
    must_not_fetch(&s, "hf:org/name", "net.server");
    s.settings.offline = true;
    must_not_fetch(&s, "hf:org/name@" HUB_COMMIT, "net.offline");
    s.settings.offline = false;
    answers[4].status = 0;
    hub_server_answer(s.hub, answers, count);
    /* The revision; the file that failed, in two parts; the index, which comes after it by name. */
    must_fetch(&s, "hf:org/name", 1 + 2 + 1);
    check_published(&s);
    end(&s);
}

static void what_a_killed_fetch_leaves_is_harmless(void **state)
{
    (void)state;
    struct hub_model model = published(HUB_RANGES);
    struct scene s = begin(&model);
    must_fetch(&s, "hf:org/name", 7);
    char path[1200], folder[1024];
    snprintf(folder, sizeof folder, "%s", s.manifest);
    *strrchr(folder, '/') = '\0';
    snprintf(path, sizeof path, "%s/.kvcap-abcdef", folder);
    write_whole(path, "{\"half");
    snprintf(path, sizeof path, "%s/blobs/sha256/.kvcap-abcdef", s.cache);
    write_whole(path, "half");
    must_fetch(&s, "hf:org/name", 1);
    must_fetch(&s, "hf:org/name@" HUB_COMMIT, 0);
    check_published(&s);
    end(&s);
}

static void a_fetch_leaves_no_file_of_its_own_behind(void **state)
{
    (void)state;
    struct hub_model model = published(HUB_RANGES);
    struct scene s = begin(&model);
    char path[1024];
    must_fetch(&s, "hf:org/name", 7);
    snprintf(path, sizeof path, "%s/blobs/sha256", s.cache);
    assert_int_equal(files_in(path), 5);
    snprintf(path, sizeof path, "%s/hf/%s/org/name/" HUB_COMMIT, s.cache, s.settings.host);
    assert_int_equal(files_in(path), 1);
    end(&s);
}

/* ---- Disks. */

static void a_cache_that_cannot_be_written_is_told(void **state)
{
    (void)state;
    struct hub_model model = published(HUB_RANGES);
    struct scene s = begin(&model);
    write_whole(s.cache, "a file where a folder is due");
    must_not_fetch(&s, "hf:org/name", "file.write");
    assert_int_equal(s.err.code, KVCAP_E_IO);
    unlink(s.cache);
    end(&s);
}

static void a_full_disk_is_told_and_nothing_half_is_left(void **state)
{
    (void)state;
    struct hub_model model = published(HUB_RANGES);
    struct scene s = begin(&model);
    struct rlimit before, small;
    char path[1024];
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 100000; /* the second header has 200,008 bytes */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    kvcap_code rc = fetch(&s, "hf:org/name");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(rc, KVCAP_E_IO);
    assert_string_equal(s.err.slug, "file.write");
    snprintf(path, sizeof path, "%s/blobs/sha256", s.cache);
    assert_int_equal(files_in(path), 3);
    must_fetch(&s, "hf:org/name", 1 + 2 + 1);
    check_published(&s);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_comes_as_configuration_and_headers),
        cmocka_unit_test(a_server_without_ranges_does_as_well),
        cmocka_unit_test(a_model_is_fetched_once),
        cmocka_unit_test(a_branch_that_moves_is_followed),
        cmocka_unit_test(a_commit_is_what_it_says),
        cmocka_unit_test(one_file_comes_alone),
        cmocka_unit_test(a_gguf_comes_as_its_header),
        cmocka_unit_test(several_ggufs_are_for_the_user_to_choose_from),
        cmocka_unit_test(names_are_escaped_in_urls),
        cmocka_unit_test(listings_that_are_none_are_refused),
        cmocka_unit_test(files_that_are_not_what_their_names_say_are_refused),
        cmocka_unit_test(a_refused_file_is_named_with_the_place_in_it),
        cmocka_unit_test(a_file_that_changes_its_length_is_refused),
        cmocka_unit_test(a_listing_that_does_not_end_is_refused),
        cmocka_unit_test(a_broken_blob_is_fetched_anew),
        cmocka_unit_test(a_broken_manifest_is_fetched_anew),
        cmocka_unit_test(a_manifest_of_another_model_does_not_count),
        cmocka_unit_test(a_broken_ref_is_no_ref),
        cmocka_unit_test(a_fetch_that_is_broken_off_goes_on_where_it_was),
        cmocka_unit_test(what_a_killed_fetch_leaves_is_harmless),
        cmocka_unit_test(a_fetch_leaves_no_file_of_its_own_behind),
        cmocka_unit_test(a_cache_that_cannot_be_written_is_told),
        cmocka_unit_test(a_full_disk_is_told_and_nothing_half_is_left),
    };
    setenv("no_proxy", "*", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
