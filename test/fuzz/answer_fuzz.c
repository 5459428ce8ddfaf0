/* Goal: whatever a hub answers - the lines of a header, a listing, the first bytes of a file - is read
 * within its bounds.
 *
 * What must hold: a range that is good is one; texts are printable and digests are digests; names of a
 * listing stay below the repository, and what is chosen of them is sorted and of kinds that are read; a
 * header never needs more than the file has, nor than its format allows. */

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "face/hub/manifest.h"
#include "face/hub/name.h"
#include "face/net/head.h"
#include "face/net/listing.h"
#include "face/net/wanted.h"
#include "os/os.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_printable(const char *text, size_t room)
{
    assert(memchr(text, '\0', room) != NULL);
    for (; *text != '\0'; text++)
        assert(*text >= 0x20 && *text < 0x7F);
}

static void check_digest(const char *hex)
{
    assert(hex[0] == '\0' || kvc_hub_is_hex(kvc_span_of(hex), KVC_SHA256_HEX));
}

static void check_head(struct kvc_span text)
{
    struct kvc_head head = { 0 };
    size_t bytes = text.length;
    while (text.length > 0) {
        const char *end = memchr(text.text, '\n', text.length);
        size_t length = end == NULL ? text.length : (size_t)(end - text.text) + 1;
        kvc_head_line(&head, (struct kvc_span){ text.text, length });
        text = (struct kvc_span){ text.text + length, text.length - length };
    }
    assert(head.bytes == bytes);
    if (head.range == KVC_RANGE_GOOD)
        assert(head.first <= head.last && (head.total == 0 || head.last < head.total));
    check_digest(head.linked);
    check_digest(head.etag);
    check_printable(head.error, sizeof head.error);
    check_printable(head.retry_after, sizeof head.retry_after);
}

static void check_choice(const struct kvc_listing *listing, struct kvc_span only,
                         struct kvc_arena *arena)
{
    struct kvc_span *files;
    size_t count;
    if (kvc_wanted_choose(listing->names, listing->names_count, only, arena, "", &files, &count,
                          NULL) != KVCAP_OK)
        return;
    assert(count > 0 && count <= KVC_HUB_FILES_MAX);
    for (size_t i = 0; i < count; i++) {
        assert(kvc_wanted_of(files[i]) != NULL);
        assert(i == 0 || kvc_span_compare(files[i - 1], files[i]) < 0);
    }
}

static void check_listing(struct kvc_span text)
{
    struct kvc_arena arena;
    struct kvc_listing listing;
    kvc_arena_from(&arena, &kvc_os_memory, (size_t)64 << 20);
    if (kvc_listing_read(text, &arena, "", &listing, NULL) == KVCAP_OK) {
        assert(kvc_hub_is_commit(listing.commit));
        for (size_t i = 0; i < listing.names_count; i++)
            assert(kvc_hub_is_file_name(listing.names[i]));
        check_choice(&listing, (struct kvc_span){ 0 }, &arena);
        if (listing.names_count > 0)
            check_choice(&listing, listing.names[0], &arena);
    }
    kvc_arena_drop(&arena);
}

static void check_need(const char *file, struct kvc_span head)
{
    const struct kvc_wanted *wanted = kvc_wanted_of(kvc_span_of(file));
    for (uint64_t more = 0; more <= UINT64_C(1) << 40; more = more * 1024 + 1) {
        uint64_t needed, file_bytes = head.length + more;
        struct kvc_arena scratch;
        kvc_arena_from(&scratch, &kvc_os_memory, (size_t)64 << 20);
        if (wanted->need(head, file_bytes, &scratch, &needed, NULL) == KVCAP_OK)
            assert(needed <= file_bytes && needed <= wanted->bytes_max);
        kvc_arena_drop(&scratch);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kvc_span text = { (const char *)data, size };
    check_head(text);
    check_listing(text);
    check_need("a.safetensors", text);
    check_need("a.gguf", text);
    return 0;
}
