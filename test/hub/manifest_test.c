/* Goal: a manifest that reads says nothing impossible, and writes as it was read; anything else is
 * refused at its place.
 * Method: one good manifest, as text; then one thing at a time bent. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "face/hub/manifest.h"
#include "os/os.h"
#include "support/fixture.h"

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define COMMIT "0123456789abcdef0123456789abcdef01234567"

static const char GOOD[] =
    "{\"commit\":\"" COMMIT "\",\"complete\":true,\"files\":["
    "{\"blob\":\"" A "\",\"file_bytes\":2,\"name\":\"config.json\",\"sha256\":\"" A
    "\",\"stored_bytes\":2},"
    "{\"blob\":\"" B "\",\"file_bytes\":5000,\"name\":\"m.safetensors\",\"stored_bytes\":10}],"
    "\"kind\":\"kvcap-hub-manifest\",\"only\":\"\",\"repository\":\"org/name\",\"version\":1}";

static void a_manifest_reads_and_writes_as_it_stands(void **state)
{
    (void)state;
    struct kvc_arena arena;
    struct kvc_hub_manifest manifest;
    struct kvc_span text;
    kvcap_error err;
    kvc_arena_from(&arena, &kvc_os_memory, 1 << 20);
    must(kvc_hub_manifest_read(kvc_span_of(GOOD), &arena, &manifest, &err), &err);
    assert_true(kvc_span_is(manifest.repository, "org/name"));
    assert_true(kvc_span_is(manifest.commit, COMMIT));
    assert_true(manifest.complete && manifest.only.length == 0);
    assert_int_equal(manifest.entries_count, 2);
    assert_string_equal(manifest.entries[0].sha256, A);
    assert_string_equal(manifest.entries[1].blob, B);
    assert_string_equal(manifest.entries[1].sha256, "");
    assert_int_equal(manifest.entries[1].file_bytes, 5000);
    assert_int_equal(manifest.entries[1].stored_bytes, 10);
    must(kvc_hub_manifest_write(&manifest, &arena, &text, &err), &err);
    assert_string_equal(text.text, GOOD);
    assert_ptr_equal(kvc_hub_manifest_find(&manifest, kvc_span_of("m.safetensors")),
                     &manifest.entries[1]);
    assert_ptr_equal(kvc_hub_manifest_find(&manifest, kvc_span_of("config.json")),
                     &manifest.entries[0]);
    assert_null(kvc_hub_manifest_find(&manifest, kvc_span_of("config.jso")));
    assert_null(kvc_hub_manifest_find(&manifest, kvc_span_of("z")));
    kvc_arena_drop(&arena);
}

static void refuse(const char *from, const char *to, const char *at)
{
    char text[2048];
    const char *found = strstr(GOOD, from);
    struct kvc_arena arena;
    struct kvc_hub_manifest manifest;
    kvcap_error err;
    assert_non_null(found);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(found - GOOD), GOOD, to, found + strlen(from));
    kvc_arena_from(&arena, &kvc_os_memory, 1 << 20);
    must_refuse(kvc_hub_manifest_read(kvc_span_of(text), &arena, &manifest, &err), &err,
                "net.bad_manifest", at);
    assert_int_equal(err.code, KVCAP_E_IO);
    kvc_arena_drop(&arena);
}

static void what_is_bent_is_refused(void **state)
{
    (void)state;
    refuse("\"version\":1", "\"version\":2", "/version");
    refuse("kvcap-hub-manifest", "kv-model", "/kind");
    refuse("\"complete\":true", "\"complete\":1", "/complete");
    refuse(COMMIT, "main", "/commit");
    refuse("org/name", "org/../name", "/repository");
    refuse("org/name", "org/name@main", "/repository");
    refuse("org/name", "org/name/file", "/repository");
    refuse("org/name", "", "/repository");
    refuse("org/name", "org/name\\u0000", "/repository");
    refuse("\"only\":\"\"", "\"only\":\"../x\"", "/only");
    refuse("\"only\":\"\",", "", "/only");
    refuse("\"only\"", "\"also\"", "/also");
    refuse("config.json", "../config.json", "/files/0/name");
    refuse("config.json", "z", "/files/1");
    refuse("config.json", "m.safetensors", "/files/1");
    refuse("\"blob\":\"" A, "\"blob\":\"" B, "/files/0/sha256");
    refuse("\"blob\":\"" A, "\"blob\":\"..", "/files/0/blob");
    refuse("\"sha256\":\"" A, "\"sha256\":\"A", "/files/0/sha256");
    refuse("\"stored_bytes\":2", "\"stored_bytes\":3", "/files/0/stored_bytes");
    refuse("\"stored_bytes\":2", "\"stored_bytes\":-1", "/files/0/stored_bytes");
    refuse("\"file_bytes\":5000,", "", "/files/1/file_bytes");
    refuse("\"file_bytes\":5000", "\"file_bytes\":9007199254740992", "/files/1/file_bytes");
}

static void what_is_stored_has_a_bound(void **state)
{
    (void)state;
    refuse("\"stored_bytes\":10", "\"stored_bytes\":268435457", "/files/1/stored_bytes");
    refuse("{\"commit\"", "", "");
    refuse("{\"commit\"", "[\"commit\"", "");
}

static void want_of_memory_is_told_as_such(void **state)
{
    (void)state;
    kvcap_error err;
    bool read_once = false;
    for (size_t room = 0; room < 16384 && !read_once; room += 64) {
        char *buffer = malloc(room + 1);
        struct kvc_arena arena;
        struct kvc_hub_manifest manifest;
        kvc_arena_over(&arena, buffer, room);
        kvcap_code rc = kvc_hub_manifest_read(kvc_span_of(GOOD), &arena, &manifest, &err);
        assert_true(rc == KVCAP_OK || rc == KVCAP_E_NOMEM);
        read_once = rc == KVCAP_OK;
        free(buffer);
    }
    assert_true(read_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_manifest_reads_and_writes_as_it_stands),
        cmocka_unit_test(what_is_bent_is_refused),
        cmocka_unit_test(what_is_stored_has_a_bound),
        cmocka_unit_test(want_of_memory_is_told_as_such),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
