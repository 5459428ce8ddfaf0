/* seen.c - see seen.h for the room and its promises. */

#include "base/seen.h"

#include <string.h>

#define PLACES_LEAST ((size_t)1024)

void kvc_seen_begin(struct kvc_seen *seen, const struct kvc_memory *memory, bool with_numbers)
{
    *seen = (struct kvc_seen){ .memory = memory, .words_each = with_numbers ? 3 : 2 };
}

static size_t bytes_of(const struct kvc_seen *seen)
{
    return seen->places_count * seen->words_each * sizeof *seen->places;
}

void kvc_seen_drop(struct kvc_seen *seen)
{
    if (seen->places != NULL)
        seen->memory->put(seen->memory->context, seen->places, bytes_of(seen));
    seen->places = NULL;
    seen->places_count = seen->used = 0;
}

static bool is_empty(const uint64_t *place)
{
    return place[0] == 0 && place[1] == 0;
}

/* The place of a digest, or the empty place where it would stand. */
static uint64_t *find(const struct kvc_seen *seen, const uint64_t digest[2])
{
    size_t i = digest[1] & (seen->places_count - 1);
    for (;;) {
        uint64_t *place = &seen->places[i * seen->words_each];
        if (is_empty(place) || (place[0] == digest[0] && place[1] == digest[1]))
            return place;
        i = (i + 1) & (seen->places_count - 1);
    }
}

static bool grow(struct kvc_seen *seen)
{
    struct kvc_seen bigger = *seen;
    bigger.places_count = seen->places_count == 0 ? PLACES_LEAST : seen->places_count * 2;
    bigger.places = seen->memory->get(seen->memory->context, bytes_of(&bigger));
    if (bigger.places == NULL)
        return false;
    memset(bigger.places, 0, bytes_of(&bigger));
    for (size_t i = 0; i < seen->places_count; i++) {
        const uint64_t *place = &seen->places[i * seen->words_each];
        if (!is_empty(place))
            memcpy(find(&bigger, place), place, seen->words_each * sizeof *place);
    }
    kvc_seen_drop(seen);
    *seen = bigger;
    return true;
}

enum kvc_seen_answer kvc_seen_add(struct kvc_seen *seen, struct kvc_sha256 *sha,
                                  struct kvc_span scope, struct kvc_span name, uint64_t *number)
{
    uint8_t bytes[KVC_SHA256_BYTES];
    uint64_t digest[2];
    kvc_sha256_begin(sha);
    if (scope.length > 0)
        kvc_sha256_feed(sha, scope.text, scope.length);
    if (scope.length > 0)
        kvc_sha256_feed(sha, "", 1);
    kvc_sha256_feed(sha, name.text, name.length);
    if (!kvc_sha256_end(sha, bytes))
        return KVC_SEEN_NO_MEMORY;
    memcpy(digest, bytes, sizeof digest);
    if (is_empty(digest))
        digest[1] = 1;

    if (seen->used >= seen->places_count / 8 * 7 && !grow(seen))
        return KVC_SEEN_NO_MEMORY;
    uint64_t *place = find(seen, digest);
    if (!is_empty(place)) {
        if (number != NULL)
            *number = place[2];
        return KVC_SEEN_BEFORE;
    }
    memcpy(place, digest, sizeof digest);
    if (number != NULL)
        place[2] = *number;
    seen->used++;
    return KVC_SEEN_NEW;
}
