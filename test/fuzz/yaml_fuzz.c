/* Goal: whatever bytes come, YAML becomes a value that JSON could have held, or is refused.
 *
 * What must hold: a refusal leaves the result alone and has a slug of ours; the canonical text of
 * what was accepted is a record's JSON and reads back as the same tree; what JSON's reader takes,
 * YAML's takes alike, or refuses for a reason that is known. */

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "json/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

static void check_refusal(kvcap_code rc, const struct kvc_value *root, const kvcap_error *err)
{
    assert(root == &UNTOUCHED && rc == err->code && rc == KVCAP_E_RECORD);
    assert(strncmp(err->slug, "record.", 7) == 0 || strncmp(err->slug, "yaml.", 5) == 0);
}

static void check_accepted(struct kvc_arena *arena, const struct kvc_value *root)
{
    struct kvc_text text = { .arena = arena };
    struct kvc_sink sink = kvc_text_sink(&text);
    kvc_write(root, NULL, &sink);
    assert(!text.full);
    struct kvc_value *again = NULL;
    const struct kvc_value *differing;
    struct kvc_span written = { text.text, text.length };
    kvcap_code rc = kvc_scan(arena, written, KVC_RECORD_BYTES_MAX, KVC_SCAN_RECORD, &again, NULL);
    assert(rc == KVCAP_OK || written.length > KVC_RECORD_BYTES_MAX);
    assert(rc != KVCAP_OK || kvc_value_equal(root, again, &differing));
}

/* Plain ASCII, in which YAML has no line breaks and no rules that JSON does not know. */
static bool is_plain(struct kvc_span text)
{
    for (size_t i = 0; i < text.length; i++) {
        if (text.text[i] < 0x20 || text.text[i] > 0x7E)
            return false;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kvc_span text = { (const char *)data, size };
    struct kvc_arena arena;
    kvc_arena_from(&arena, &MEMORY, SIZE_MAX);
    struct kvc_value *root = &UNTOUCHED, *json = NULL;
    const struct kvc_value *differing;
    kvcap_error err;
    kvcap_code rc = kvc_yaml(&arena, text, KVC_LINE_BYTES_MAX, &root, &err);
    if (rc != KVCAP_OK)
        check_refusal(rc, root, &err);
    else
        check_accepted(&arena, root);
    if (rc == KVCAP_OK && is_plain(text) &&
        kvc_scan(&arena, text, KVC_LINE_BYTES_MAX, KVC_SCAN_RECORD, &json, NULL) == KVCAP_OK)
        assert(kvc_value_equal(json, root, &differing));
    kvc_arena_drop(&arena);
    return 0;
}
