/* arena.c - see arena.h for the room and its promises. */

#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define KVC_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KVC_ASAN 1
#endif
#endif

#ifdef KVC_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(at, bytes) __asan_poison_memory_region((at), (bytes))
#define UNPOISON(at, bytes) __asan_unpoison_memory_region((at), (bytes))
#define GAP_BYTES ((size_t)16)
#else
#define POISON(at, bytes) ((void)(at), (void)(bytes))
#define UNPOISON(at, bytes) ((void)(at), (void)(bytes))
#define GAP_BYTES ((size_t)0)
#endif

#define ALIGNMENT ((size_t)16)
#define CHUNK_BYTES_LEAST ((size_t)32 * 1024)
#define CHUNK_BYTES_USUAL ((size_t)1024 * 1024)
#define CHUNK_BYTES_MOST ((size_t)32 * 1024 * 1024)

struct kvc_chunk {
    struct kvc_chunk *older;
    size_t bytes; /* of the whole chunk, this header included */
};

static size_t round_up(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static char *chunk_begin(struct kvc_chunk *chunk)
{
    return (char *)chunk + round_up(sizeof *chunk);
}

void kvc_arena_over(struct kvc_arena *arena, void *buffer, size_t bytes)
{
    *arena = (struct kvc_arena){ 0 };
    char *begin = buffer;
    size_t skew = (ALIGNMENT - (uintptr_t)begin % ALIGNMENT) % ALIGNMENT;
    arena->at = bytes < skew ? begin : begin + skew;
    arena->end = begin + bytes;
}

void kvc_arena_from(struct kvc_arena *arena, const struct kvc_memory *memory, size_t limit_bytes)
{
    *arena = (struct kvc_arena){ .memory = memory, .limit_bytes = limit_bytes };
}

static void drop_newest(struct kvc_arena *arena)
{
    struct kvc_chunk *chunk = arena->newest;
    arena->newest = chunk->older;
    arena->held_bytes -= chunk->bytes;
    UNPOISON(chunk, chunk->bytes);
    arena->memory->put(arena->memory->context, chunk, chunk->bytes);
}

void kvc_arena_drop(struct kvc_arena *arena)
{
    while (arena->newest != NULL)
        drop_newest(arena);
    arena->at = arena->end = NULL;
}

/* Chunks double until they are of the usual size, so that a small record costs one small chunk; in an
 * arena that holds many, one is a quarter of all before it, so that memory can come in large pages. */
static size_t chunk_bytes(const struct kvc_arena *arena)
{
    size_t bytes = arena->newest == NULL ? CHUNK_BYTES_LEAST : arena->newest->bytes * 2;
    size_t most = arena->held_bytes / 4;
    if (most < CHUNK_BYTES_USUAL || most > arena->limit_bytes - arena->held_bytes)
        most = CHUNK_BYTES_USUAL;
    if (most > CHUNK_BYTES_MOST)
        most = CHUNK_BYTES_MOST;
    return bytes < most ? bytes : most;
}

static bool add_chunk(struct kvc_arena *arena, size_t piece)
{
    if (arena->memory == NULL)
        return false;
    size_t bytes = chunk_bytes(arena);
    size_t header = round_up(sizeof(struct kvc_chunk));
    if (piece > SIZE_MAX - header)
        return false;
    if (bytes < piece + header)
        bytes = piece + header;
    if (bytes > arena->limit_bytes - arena->held_bytes)
        return false;
    struct kvc_chunk *chunk = arena->memory->get(arena->memory->context, bytes);
    if (chunk == NULL)
        return false;
    *chunk = (struct kvc_chunk){ .older = arena->newest, .bytes = bytes };
    arena->newest = chunk;
    arena->held_bytes += bytes;
    arena->at = chunk_begin(chunk);
    arena->end = (char *)chunk + bytes;
    POISON(arena->at, (size_t)(arena->end - arena->at));
    return true;
}

void *kvc_arena_take(struct kvc_arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    size_t piece = round_up(bytes + GAP_BYTES);
    if (piece == 0)
        piece = ALIGNMENT; /* nothing, but not NULL */
    if ((size_t)(arena->end - arena->at) < piece && !add_chunk(arena, piece))
        return NULL;
    char *taken = arena->at;
    arena->at += piece;
    UNPOISON(taken, bytes);
    return taken;
}

void *kvc_arena_array(struct kvc_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    void *taken = kvc_arena_take(arena, bytes);
    if (taken != NULL)
        memset(taken, 0, bytes);
    return taken;
}

struct kvc_span kvc_arena_copy(struct kvc_arena *arena, struct kvc_span text)
{
    char *copy = text.length == SIZE_MAX ? NULL : kvc_arena_take(arena, text.length + 1);
    if (copy == NULL)
        return (struct kvc_span){ 0 };
    if (text.length > 0)
        memcpy(copy, text.text, text.length);
    copy[text.length] = '\0';
    return (struct kvc_span){ .text = copy, .length = text.length };
}

struct kvc_mark kvc_arena_mark(const struct kvc_arena *arena)
{
    return (struct kvc_mark){ .newest = arena->newest, .at = arena->at };
}

void kvc_arena_rewind(struct kvc_arena *arena, struct kvc_mark mark)
{
    while (arena->newest != mark.newest)
        drop_newest(arena);
    arena->at = mark.at;
    if (arena->memory != NULL)
        arena->end = mark.newest == NULL ? NULL : (char *)mark.newest + mark.newest->bytes;
    if (arena->at != NULL)
        POISON(arena->at, (size_t)(arena->end - arena->at));
}
