/* Goal: whatever lies in a cache as a manifest.json is a manifest or is refused as none.
 *
 * What must hold: what reads names files below the repository, sorted, no more stored than they have,
 * blobs by digests; written and read again it is the same, to the byte. */

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "face/hub/manifest.h"
#include "face/hub/name.h"
#include "os/os.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_entries(const struct kvc_hub_manifest *manifest)
{
    assert(manifest->entries_count <= KVC_HUB_FILES_MAX);
    for (size_t i = 0; i < manifest->entries_count; i++) {
        const struct kvc_hub_entry *entry = &manifest->entries[i];
        assert(kvc_hub_is_file_name(entry->name));
        assert(i == 0 || kvc_span_compare(entry[-1].name, entry->name) < 0);
        assert(entry->stored_bytes <= entry->file_bytes);
        assert(entry->stored_bytes <= KVC_HUB_STORED_BYTES_MAX);
        assert(kvc_hub_is_hex(kvc_span_of(entry->blob), KVC_SHA256_HEX));
        assert(entry->sha256[0] == '\0' ||
               kvc_hub_is_hex(kvc_span_of(entry->sha256), KVC_SHA256_HEX));
        assert(kvc_hub_manifest_find(manifest, entry->name) == entry);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kvc_arena arena;
    struct kvc_hub_manifest manifest, again;
    struct kvc_span text, second;
    kvcap_error err;
    kvc_arena_from(&arena, &kvc_os_memory, (size_t)64 << 20);
    kvcap_code rc = kvc_hub_manifest_read((struct kvc_span){ (const char *)data, size }, &arena,
                                          &manifest, &err);
    if (rc != KVCAP_OK) {
        assert(err.code == rc && strcmp(err.slug, "net.bad_manifest") == 0);
    } else {
        assert(kvc_hub_is_commit(manifest.commit) && manifest.repository.length > 0);
        check_entries(&manifest);
        assert(kvc_hub_manifest_write(&manifest, &arena, &text, &err) == KVCAP_OK);
        assert(kvc_hub_manifest_read(text, &arena, &again, &err) == KVCAP_OK);
        assert(again.entries_count == manifest.entries_count);
        assert(kvc_hub_manifest_write(&again, &arena, &second, &err) == KVCAP_OK);
        assert(kvc_span_equal(text, second));
    }
    kvc_arena_drop(&arena);
    return 0;
}
