/* Goal: pieces are aligned, apart, and last; when there is no room the arena is as it was; all that
 * was asked for is given back.
 * Method: random takes, marks and rewinds, each piece filled with its own byte and looked at again;
 * memory that counts, refuses on demand and hands out garbage. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "support/chance.h"
#include "support/faulty_memory.h"

#if defined(__SANITIZE_ADDRESS__)
#define WITH_GAPS true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_GAPS true
#endif
#endif
#ifndef WITH_GAPS
#define WITH_GAPS false
#endif

#define PIECES_MAX 3000
#define MARKS_MAX 40

struct piece {
    unsigned char *at;
    size_t bytes;
};

/* What an arena must still hold: a stack of pieces, and of marks with the pieces before them. */
struct model {
    struct piece pieces[PIECES_MAX];
    struct kvc_mark marks[MARKS_MAX];
    size_t pieces_at_mark[MARKS_MAX];
    size_t pieces_count, marks_count;
};

static unsigned char byte_of(size_t piece)
{
    return (unsigned char)(piece * 37 + 11);
}

/* A piece that overlaps another, or was handed out twice, no longer holds its own byte. */
static void check_pieces(const struct chance *chance, const struct model *model)
{
    for (size_t i = 0; i < model->pieces_count; i++) {
        const struct piece *piece = &model->pieces[i];
        for (size_t k = 0; k < piece->bytes; k++)
            chance_check(chance, piece->at[k] == byte_of(i));
    }
}

static bool take(struct chance *chance, struct model *model, struct kvc_arena *arena, size_t bytes)
{
    unsigned char *at = kvc_arena_take(arena, bytes);
    if (at == NULL)
        return false;
    chance_check(chance, (uintptr_t)at % 16 == 0);
    memset(at, byte_of(model->pieces_count), bytes);
    model->pieces[model->pieces_count++] = (struct piece){ .at = at, .bytes = bytes };
    return true;
}

static size_t some_bytes(struct chance *chance)
{
    if (chance_one_in(chance, 40))
        return chance_below(chance, 200000);
    return chance_below(chance, chance_one_in(chance, 3) ? 3000 : 100);
}

static void mark_or_rewind(struct chance *chance, struct model *model, struct kvc_arena *arena)
{
    if (model->marks_count < MARKS_MAX && chance_one_in(chance, 2)) {
        model->marks[model->marks_count] = kvc_arena_mark(arena);
        model->pieces_at_mark[model->marks_count++] = model->pieces_count;
    } else if (model->marks_count > 0) {
        model->marks_count -= 1 + chance_below(chance, model->marks_count) / 4;
        kvc_arena_rewind(arena, model->marks[model->marks_count]);
        model->pieces_count = model->pieces_at_mark[model->marks_count];
    }
}

static void play(struct chance *chance, struct kvc_arena *arena)
{
    struct model *model = calloc(1, sizeof *model);
    assert_non_null(model);
    for (int step = 0; step < 2500; step++) {
        if (chance_one_in(chance, 12)) {
            mark_or_rewind(chance, model, arena);
        } else {
            struct kvc_arena before = *arena;
            if (!take(chance, model, arena, some_bytes(chance)))
                chance_check(chance, memcmp(&before, arena, sizeof before) == 0);
        }
        if (step % 250 == 0)
            check_pieces(chance, model);
    }
    check_pieces(chance, model);
    free(model);
}

static void pieces_are_aligned_apart_and_last_until_rewound(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int round = 0; round < 10; round++) {
        struct faulty_memory memory;
        faulty_memory_begin(&memory, 0);
        struct kvc_arena arena;
        kvc_arena_from(&arena, &memory.memory, SIZE_MAX);
        play(&chance, &arena);
        chance_check(&chance, arena.held_bytes == memory.bytes);
        kvc_arena_drop(&arena);
        chance_check(&chance, memory.blocks == 0 && memory.gets > 3);
    }
}

static void a_limit_is_never_passed_and_a_refusal_changes_nothing(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int round = 0; round < 20; round++) {
        size_t limit = chance_below(&chance, 500000);
        struct faulty_memory memory;
        faulty_memory_begin(&memory, 0);
        struct kvc_arena arena;
        kvc_arena_from(&arena, &memory.memory, limit);
        play(&chance, &arena);
        chance_check(&chance, memory.bytes_peak <= limit);
        kvc_arena_drop(&arena);
        chance_check(&chance, memory.blocks == 0 && arena.held_bytes == 0);
    }
}

static void a_buffer_is_used_within_its_ends_and_no_further(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    enum { EDGE = 64, ROOM = 70000 };
    for (int round = 0; round < 20; round++) {
        size_t skew = chance_below(&chance, 20), bytes = chance_below(&chance, ROOM);
        unsigned char *buffer = malloc(2 * EDGE + ROOM + 20);
        assert_non_null(buffer);
        memset(buffer, 0xEE, 2 * EDGE + ROOM + 20);
        struct kvc_arena arena;
        kvc_arena_over(&arena, buffer + EDGE + skew, bytes);
        struct kvc_mark begin = kvc_arena_mark(&arena);
        play(&chance, &arena);
        for (size_t i = 0; i < EDGE; i++) {
            chance_check(&chance, buffer[i] == 0xEE);
            chance_check(&chance, buffer[EDGE + skew + bytes + i] == 0xEE);
        }
        kvc_arena_rewind(&arena, begin);
        free(buffer);
    }
}

static void a_full_buffer_leaves_the_arena_as_before(void **state)
{
    (void)state;
    _Alignas(16) char buffer[256];
    struct kvc_arena arena;
    kvc_arena_over(&arena, buffer, sizeof buffer);
    assert_ptr_equal(kvc_arena_take(&arena, 100), buffer);
    struct kvc_arena before = arena;
    assert_null(kvc_arena_take(&arena, 145));
    assert_null(kvc_arena_array(&arena, 29, 5));
    assert_null(kvc_arena_copy(&arena, (struct kvc_span){ buffer, 144 }).text);
    assert_memory_equal(&before, &arena, sizeof arena);
    assert_non_null(kvc_arena_take(&arena, 100));
}

static void a_buffer_gives_all_of_its_aligned_room(void **state)
{
    (void)state;
    if (WITH_GAPS)
        skip();
    _Alignas(16) char buffer[200];
    for (size_t skew = 0; skew < 20; skew++) {
        struct kvc_arena arena;
        kvc_arena_over(&arena, buffer + skew, 160);
        size_t pieces = 0;
        while (kvc_arena_take(&arena, 1) != NULL)
            pieces++;
        assert_int_equal(pieces, skew % 16 == 0 ? 10 : 9);
    }
    struct kvc_arena arena;
    kvc_arena_over(&arena, buffer + 1, 3); /* too small to hold even one aligned byte */
    assert_null(kvc_arena_take(&arena, 0));
    kvc_arena_over(&arena, NULL, 0);
    assert_null(kvc_arena_take(&arena, 0));
}

static void nothing_is_a_piece_of_its_own(void **state)
{
    (void)state;
    _Alignas(16) char buffer[256];
    struct kvc_arena arena;
    kvc_arena_over(&arena, buffer, sizeof buffer);
    char *first = kvc_arena_take(&arena, 0);
    char *second = kvc_arena_array(&arena, 0, 8);
    char *third = kvc_arena_array(&arena, 8, 0);
    assert_true(first != NULL && second != NULL && third != NULL);
    assert_true(first != second && second != third && first != third);
}

static void impossible_sizes_are_refused(void **state)
{
    (void)state;
    struct faulty_memory memory;
    faulty_memory_begin(&memory, 0);
    struct kvc_arena arena;
    kvc_arena_from(&arena, &memory.memory, SIZE_MAX);
    static const size_t SIZES[] = { SIZE_MAX,      SIZE_MAX - 1,  SIZE_MAX - 15,
                                    SIZE_MAX - 16, SIZE_MAX - 40, SIZE_MAX / 2 + 1 };
    for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
        assert_null(kvc_arena_take(&arena, SIZES[i]));
        assert_null(kvc_arena_copy(&arena, (struct kvc_span){ "", SIZES[i] }).text);
        assert_null(kvc_arena_array(&arena, SIZES[i], 2));
        assert_null(kvc_arena_array(&arena, 3, SIZES[i]));
    }
    assert_null(kvc_arena_array(&arena, SIZE_MAX / 2 + 2, 2)); /* the product is 2 when it wraps */
    assert_int_equal(memory.gets, 0);
}

static void arrays_are_zero_whatever_memory_held(void **state)
{
    (void)state;
    struct faulty_memory memory;
    faulty_memory_begin(&memory, 0);
    struct kvc_arena arena;
    kvc_arena_from(&arena, &memory.memory, SIZE_MAX);
    for (size_t count = 1; count < 300; count++) {
        const unsigned char *array = kvc_arena_array(&arena, count, 7);
        for (size_t i = 0; i < count * 7; i++)
            assert_int_equal(array[i], 0);
    }
    kvc_arena_drop(&arena);
}

static void copies_are_equal_and_end_in_nul(void **state)
{
    (void)state;
    struct faulty_memory memory;
    faulty_memory_begin(&memory, 0);
    struct kvc_arena arena;
    kvc_arena_from(&arena, &memory.memory, SIZE_MAX);
    struct kvc_span text = { "a\0b", 3 };
    struct kvc_span copy = kvc_arena_copy(&arena, text);
    assert_true(copy.text != text.text && kvc_span_equal(copy, text));
    assert_int_equal(copy.text[3], '\0');
    copy = kvc_arena_copy(&arena, (struct kvc_span){ NULL, 0 });
    assert_true(copy.text != NULL && copy.length == 0 && copy.text[0] == '\0');
    kvc_arena_drop(&arena);
}

/* Goal: any refusal of memory is survived.  Method: refuse the first, the second, ... request of one
 * course of takes, and go on: the arena must serve again at once, and give all back. */
static void a_refused_chunk_is_survived(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    uint64_t refused = 0;
    for (uint64_t refuse_at = 1;; refuse_at++) {
        struct faulty_memory memory;
        faulty_memory_begin(&memory, refuse_at);
        struct kvc_arena arena;
        kvc_arena_from(&arena, &memory.memory, SIZE_MAX);
        for (size_t bytes = 1; bytes < 500000; bytes = bytes * 5 / 3 + 1) {
            if (kvc_arena_take(&arena, bytes) != NULL)
                continue;
            refused++;
            chance_check(&chance, memory.gets == refuse_at);
            chance_check(&chance, kvc_arena_take(&arena, bytes) != NULL);
        }
        kvc_arena_drop(&arena);
        chance_check(&chance, memory.blocks == 0);
        if (memory.gets < refuse_at)
            break;
    }
    chance_check(&chance, refused >= 4);
}

static void many_small_pieces_need_few_chunks(void **state)
{
    (void)state;
    struct faulty_memory memory;
    faulty_memory_begin(&memory, 0);
    struct kvc_arena arena;
    kvc_arena_from(&arena, &memory.memory, SIZE_MAX);
    assert_non_null(kvc_arena_take(&arena, 1));
    assert_true(memory.bytes <= 64 * 1024); /* a small record costs little */
    for (size_t taken = 0; taken < 8 * 1024 * 1024; taken += 64)
        assert_non_null(kvc_arena_take(&arena, 64));
    assert_true(memory.gets <= 20);
    kvc_arena_drop(&arena);
    assert_int_equal(memory.blocks, 0);
}

static void an_arena_can_be_dropped_empty_and_used_after(void **state)
{
    (void)state;
    struct kvc_arena none = { 0 };
    kvc_arena_drop(&none);
    assert_null(kvc_arena_take(&none, 1));
    struct faulty_memory memory;
    faulty_memory_begin(&memory, 0);
    struct kvc_arena arena;
    kvc_arena_from(&arena, &memory.memory, 64 * 1024);
    for (int round = 0; round < 3; round++) {
        assert_non_null(kvc_arena_take(&arena, 1000));
        kvc_arena_drop(&arena);
        kvc_arena_drop(&arena);
        assert_int_equal(memory.blocks, 0);
    }
}

static void a_mark_before_the_first_chunk_gives_all_back(void **state)
{
    (void)state;
    struct faulty_memory memory;
    faulty_memory_begin(&memory, 0);
    struct kvc_arena arena;
    kvc_arena_from(&arena, &memory.memory, SIZE_MAX);
    struct kvc_mark begin = kvc_arena_mark(&arena);
    assert_non_null(kvc_arena_take(&arena, 100000));
    kvc_arena_rewind(&arena, begin);
    assert_int_equal(memory.blocks, 0);
    assert_non_null(kvc_arena_take(&arena, 1));
    kvc_arena_drop(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_aligned_apart_and_last_until_rewound),
        cmocka_unit_test(a_limit_is_never_passed_and_a_refusal_changes_nothing),
        cmocka_unit_test(a_buffer_is_used_within_its_ends_and_no_further),
        cmocka_unit_test(a_full_buffer_leaves_the_arena_as_before),
        cmocka_unit_test(a_buffer_gives_all_of_its_aligned_room),
        cmocka_unit_test(nothing_is_a_piece_of_its_own),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(arrays_are_zero_whatever_memory_held),
        cmocka_unit_test(copies_are_equal_and_end_in_nul),
        cmocka_unit_test(a_refused_chunk_is_survived),
        cmocka_unit_test(many_small_pieces_need_few_chunks),
        cmocka_unit_test(an_arena_can_be_dropped_empty_and_used_after),
        cmocka_unit_test(a_mark_before_the_first_chunk_gives_all_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
