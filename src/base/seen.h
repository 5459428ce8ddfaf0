/* seen.h - which names a window has used, and a number for each.
 *
 * Room:   base/ - pure; memory is what it is handed.
 * In:     names, by the million.
 * Out:    whether each is new, and the number that came with it first.
 * Knows:  base/.
 *
 * An open table of 16-byte digests (the first half of SHA-256: an adversary who could make two ids
 * meet could break the content ids too), at most seven eighths full.  While it doubles, the old
 * and the new table stand side by side: 16 * (1 + 2) / (7/8) = 55 bytes a name at the worst moment,
 * 18 to 37 at rest.  With numbers it is half as much again.
 */
#ifndef KVC_BASE_SEEN_H
#define KVC_BASE_SEEN_H

#include "base/arena.h"
#include "base/digest.h"

struct kvc_seen {
    const struct kvc_memory *memory;
    uint64_t *places;    /* words_each words a place; the first two 0: an empty one */
    size_t places_count; /* a power of two, or 0 */
    size_t used;
    size_t words_each; /* 2, or 3 with a number */
};

void kvc_seen_begin(struct kvc_seen *seen, const struct kvc_memory *memory, bool with_numbers);

/* Gives the memory back.  Harmless on a zeroed table. */
void kvc_seen_drop(struct kvc_seen *seen);

enum kvc_seen_answer {
    KVC_SEEN_NEW,
    KVC_SEEN_BEFORE,
    KVC_SEEN_NO_MEMORY,
};

/* Adds a name of two parts, neither of which may hold a NUL; a name of one part has an empty scope.
 * *number (NULL in a table without numbers) is kept when the name is new, and becomes what was kept
 * when it is not.  The digest context is borrowed and between messages before and after. */
enum kvc_seen_answer kvc_seen_add(struct kvc_seen *seen, struct kvc_sha256 *sha,
                                  struct kvc_span scope, struct kvc_span name, uint64_t *number);

#endif /* KVC_BASE_SEEN_H */
