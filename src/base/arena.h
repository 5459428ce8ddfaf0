/* arena.h - a bump allocator; the only way that pure rooms get memory.
 *
 * Room:   base/ - pure: it never calls malloc, it is handed somebody who does, or a buffer.
 * In:     a buffer, or a struct kvc_memory to ask for chunks.
 * Out:    aligned pieces that live as long as the arena.
 * Knows:  nothing.
 *
 *   chunk (newest)                      chunk (older)
 *   +--------+-----+----+-----+------+  +--------+-----+-----+----+
 *   | header |piece|gap |piece| free |  | header |piece|piece|rest|
 *   +--------+-----+----+-----+------+  +--------+-----+-----+----+
 *                             ^at    ^end
 *
 * When no room is left and no chunk can be had, kvc_arena_take returns NULL and the arena is as it
 * was.  Pieces are never given back one by one: kvc_arena_rewind gives back all that came after a
 * mark.  Under AddressSanitizer a poisoned gap follows each piece and free space is poisoned.
 */
#ifndef KVC_BASE_ARENA_H
#define KVC_BASE_ARENA_H

#include <stddef.h>

#include "base/span.h"

/* Where memory comes from.  get returns NULL when there is none; put takes back what get gave,
 * with the same size. */
struct kvc_memory {
    void *(*get)(void *context, size_t bytes);
    void (*put)(void *context, void *block, size_t bytes);
    void *context;
};

struct kvc_chunk; /* the header at the start of a chunk */

struct kvc_arena {
    const struct kvc_memory *memory; /* NULL: the one buffer is all there is */
    struct kvc_chunk *newest;
    char *at, *end;
    size_t held_bytes;  /* asked of memory so far */
    size_t limit_bytes; /* most that is asked of memory */
};

struct kvc_mark {
    struct kvc_chunk *newest;
    char *at;
};

/* An arena over the caller's buffer alone. */
void kvc_arena_over(struct kvc_arena *arena, void *buffer, size_t bytes);

/* An arena that asks `memory` (borrowed while the arena lives) for chunks, up to a limit.  Ends
 * with kvc_arena_drop. */
void kvc_arena_from(struct kvc_arena *arena, const struct kvc_memory *memory, size_t limit_bytes);

/* Gives every chunk back.  All pieces are gone.  Harmless on a zeroed arena. */
void kvc_arena_drop(struct kvc_arena *arena);

/* A piece of at least `bytes`, aligned for any type, not zeroed; NULL when there is no room. */
void *kvc_arena_take(struct kvc_arena *arena, size_t bytes);

/* count * size zeroed bytes; NULL when there is no room or the product overflows. */
void *kvc_arena_array(struct kvc_arena *arena, size_t count, size_t size);

/* A copy of the text that lives as long as the arena, with a NUL after it.  NULL text: no room. */
struct kvc_span kvc_arena_copy(struct kvc_arena *arena, struct kvc_span text);

struct kvc_mark kvc_arena_mark(const struct kvc_arena *arena);
void kvc_arena_rewind(struct kvc_arena *arena, struct kvc_mark mark);

#endif /* KVC_BASE_ARENA_H */
