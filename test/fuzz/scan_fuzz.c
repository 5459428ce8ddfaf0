/* Goal: whatever bytes come, the scanner keeps its promises in both modes.
 *
 * What must hold: a refusal leaves the result alone and has a slug of its mode; what a record may
 * hold, foreign text may hold, alike; the canonical text of what was accepted reads back as the same
 * tree and is written as the same bytes; every node is found by its pointer.  Built with
 * KVC_FUZZ_ORACLE (and jansson), jansson must agree, but for the list of support/jansson_oracle.h. */

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/scan.h"
#include "json/write.h"

#ifdef KVC_FUZZ_ORACLE
#include "support/jansson_oracle.h"
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
#ifndef KVC_FUZZ_ORACLE
    fprintf(stderr, "scan_fuzz: built without jansson, acceptance is not compared\n");
#endif
    return 0;
}

static void *get(void *context, size_t bytes)
{
    (void)context;
    return malloc(bytes);
}

static void put(void *context, void *block, size_t bytes)
{
    (void)context;
    (void)bytes;
    free(block);
}

static const struct kvc_memory MEMORY = { .get = get, .put = put };

static struct kvc_value UNTOUCHED;

struct result {
    kvcap_code rc;
    struct kvc_value *root;
    kvcap_error err;
};

static struct result scan(struct kvc_arena *arena, struct kvc_span text, enum kvc_scan_mode mode)
{
    struct result result = { .root = &UNTOUCHED };
    result.rc = kvc_scan(arena, text, KVC_RECORD_BYTES_MAX, mode, &result.root, &result.err);
    const char *class = mode == KVC_SCAN_RECORD ? "record." : "json.";
    if (result.rc != KVCAP_OK) {
        assert(result.root == &UNTOUCHED && result.rc == result.err.code);
        assert(result.rc == KVCAP_E_NOMEM || strncmp(result.err.slug, class, strlen(class)) == 0);
    }
    return result;
}

static struct kvc_span canonical(struct kvc_arena *arena, const struct kvc_value *value)
{
    struct kvc_text text = { .arena = arena };
    struct kvc_sink sink = kvc_text_sink(&text);
    kvc_write(value, NULL, &sink);
    assert(!text.full);
    return (struct kvc_span){ text.text, text.length };
}

static bool has_nul(struct kvc_span key)
{
    return key.length > 0 && memchr(key.text, '\0', key.length) != NULL;
}

/* A pointer that was cut, or shows a NUL, does not lead back. */
static void check_pointers(const struct kvc_value *root, const struct kvc_value *value)
{
    char pointer[KVC_POINTER_ROOM];
    kvc_value_pointer(value, pointer);
    assert(pointer[0] == '.' || kvc_value_at(root, kvc_span_of(pointer)) == value);
    for (const struct kvc_value *child = value->first; child != NULL; child = child->next) {
        if (!has_nul(child->key))
            check_pointers(root, child);
    }
}

static void check_accepted(struct kvc_arena *arena, const struct kvc_value *root,
                           enum kvc_scan_mode mode)
{
    const struct kvc_value *differing;
    struct kvc_span text = canonical(arena, root);
    struct result again = scan(arena, text, mode);
    if (again.rc != KVCAP_OK) /* escapes may make a text near the limit longer than it */
        assert(text.length > KVC_RECORD_BYTES_MAX);
    if (again.rc != KVCAP_OK)
        return;
    assert(kvc_value_equal(root, again.root, &differing));
    assert(kvc_value_equal(again.root, root, &differing));
    assert(kvc_span_equal(canonical(arena, again.root), text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kvc_span text = { (const char *)data, size };
    struct kvc_arena arena;
    const struct kvc_value *differing;
    kvc_arena_from(&arena, &MEMORY, SIZE_MAX);
    struct result record = scan(&arena, text, KVC_SCAN_RECORD);
    struct result foreign = scan(&arena, text, KVC_SCAN_FOREIGN);
    if (record.rc == KVCAP_OK) {
        assert(foreign.rc == KVCAP_OK);
        assert(kvc_value_equal(record.root, foreign.root, &differing));
        check_accepted(&arena, record.root, KVC_SCAN_RECORD);
    }
    if (foreign.rc == KVCAP_OK) {
        check_accepted(&arena, foreign.root, KVC_SCAN_FOREIGN);
        if (size < 4096)
            check_pointers(foreign.root, foreign.root);
    }
#ifdef KVC_FUZZ_ORACLE
    assert(jansson_verdict(text, KVC_SCAN_RECORD, record.rc, record.root, &record.err) !=
           ORACLE_DIFFERS);
    assert(jansson_verdict(text, KVC_SCAN_FOREIGN, foreign.rc, foreign.root, &foreign.err) !=
           ORACLE_DIFFERS);
#endif
    kvc_arena_drop(&arena);
    return 0;
}
