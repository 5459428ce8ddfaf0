/* Goal: each way in which a GGUF file can be broken is refused by its slug, at the place where it
 * is.
 * Method: a small good file whose layout is written down below; a row changes numbers in it.  Files
 * that are longer or of another kind have a row of their own below.  The good file is read first, so
 * that each refusal is of what the row changed. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "meta/gguf.h"
#include "support/fixture.h"
#include "support/gguf_writer.h"

static char arena_room[1 << 16];

static kvcap_code read_file(struct kvc_span file, kvcap_error *err)
{
    struct kvc_arena arena;
    struct kvc_gguf gguf;
    uint64_t needed = 0;
    kvc_arena_over(&arena, arena_room, sizeof arena_room);
    kvcap_code rc = kvc_gguf_read(file, file.length, &arena, &gguf, &needed, err);
    assert_int_equal(needed, 0);
    return rc;
}

/* The good file, by offsets:
 *
 *     0  GGUF      4  version 3      8  2 tensors     16  3 key-values
 *    24  key "a"  33  u32           37  7
 *    41  key "b"  50  array         54  of bool       58  2 of them    66  1, 0
 *    68  key "c"  77  text          81  3 bytes       89  "xyz"
 *    92  "t1"    102  2 dims       106  32           114  2           122  f32     126  offset 0
 *   134  "t2"    144  2 dims       148  32           156  1           164  q8_0    168  offset 256
 *   176  header ends              192  256 bytes of t1, 34 of t2
 */
static void put_good(struct gguf_writer *w)
{
    static const uint64_t FLAGS[] = { 1, 0 };
    gguf_begin(w, 3);
    gguf_put(w, "a", KVC_GGUF_U32, 7);
    gguf_put_list(w, "b", KVC_GGUF_BOOL, FLAGS, 2);
    gguf_put_text(w, "c", "xyz");
    gguf_tensor(w, "t1", 0, 32, 2);
    gguf_tensor(w, "t2", 8, 32, 1);
    assert_int_equal(w->length, 176);
}

#define GOOD_BYTES (192 + 256 + 34)

struct change {
    size_t at;
    uint64_t value;
    unsigned width; /* 0: no change */
};

static const struct {
    const char *slug;
    uint64_t offset;
    struct change changes[2];
    size_t file_bytes; /* 0: all of them */
} ROWS[] = {
    /* The start. */
    { "gguf.magic", 0, { { 3, 'L', 1 } }, 0 },
    { "gguf.magic", 0, { { 0, 'g', 1 } }, 0 },
    { "gguf.version_1", 4, { { 4, 1, 4 } }, 0 },
    { "gguf.version", 4, { { 4, 0, 4 } }, 0 },
    { "gguf.version", 4, { { 4, 4, 4 } }, 0 },
    { "gguf.version", 4, { { 4, 0x10003, 4 } }, 0 },
    { "gguf.big_endian", 4, { { 4, 0x03000000, 4 } }, 0 },
    { "gguf.big_endian", 4, { { 4, 0x02000000, 4 } }, 0 },
    { "gguf.count", 8, { { 8, UINT64_MAX, 8 } }, 0 },
    { "gguf.count", 8, { { 8, (GOOD_BYTES - 24) / 24 + 1, 8 } }, 0 },
    { "gguf.count", 16, { { 16, UINT64_C(1) << 63, 8 } }, 0 },
    { "gguf.count", 16, { { 16, (GOOD_BYTES - 24) / 14 + 1, 8 } }, 0 },
    /* Cut off. */
    { "gguf.truncated", 0, { { 0 } }, 3 },
    { "gguf.truncated", 4, { { 0 } }, 7 },
    { "gguf.truncated", 8, { { 0 } }, 15 },
    { "gguf.count", 8, { { 0 } }, 23 },
    { "gguf.count", 8, { { 0 } }, 60 },
    { "gguf.length_past_end", 8, { { 0 } }, 132 },
    { "gguf.truncated", 168, { { 0 } }, 175 },
    /* Keys. */
    { "gguf.key", 24, { { 24, 0, 8 } }, 0 },
    { "gguf.key", 24, { { 24, 65536, 8 } }, 0 },
    { "gguf.key", 24, { { 24, UINT64_MAX, 8 } }, 0 },
    { "gguf.length_past_end", 24, { { 24, GOOD_BYTES - 31, 8 } }, 0 },
    { "gguf.key", 24, { { 32, 0xFF, 1 } }, 0 },
    { "gguf.key", 41, { { 49, 0x00, 1 } }, 0 },
    { "gguf.key", 41, { { 49, 0x1F, 1 } }, 0 },
    { "gguf.key", 68, { { 76, 0x7F, 1 } }, 0 },
    { "gguf.key", 68, { { 76, 0x80, 1 } }, 0 },
    { "gguf.duplicate_key", 41, { { 49, 'a', 1 } }, 0 },
    { "gguf.duplicate_key", 68, { { 76, 'a', 1 } }, 0 },
    { "gguf.duplicate_key", 68, { { 76, 'b', 1 } }, 0 },
    /* Values. */
    { "gguf.value_type", 33, { { 33, 13, 4 } }, 0 },
    { "gguf.value_type", 33, { { 33, UINT32_MAX, 4 } }, 0 },
    { "gguf.value_type", 54, { { 54, 13, 4 } }, 0 },
    { "gguf.nested_array", 54, { { 54, 9, 4 } }, 0 },
    { "gguf.length_past_end", 58, { { 58, GOOD_BYTES - 65, 8 } }, 0 },
    { "gguf.length_past_end", 58, { { 58, UINT64_MAX, 8 } }, 0 },
    { "gguf.length_past_end", 58, { { 54, 12, 4 }, { 58, UINT64_C(1) << 61, 8 } }, 0 },
    { "gguf.length_past_end", 58, { { 54, 8, 4 }, { 58, UINT64_C(1) << 61, 8 } }, 0 },
    { "gguf.length_past_end", 81, { { 81, GOOD_BYTES - 88, 8 } }, 0 },
    { "gguf.length_past_end", 81, { { 81, UINT64_MAX - 88, 8 } }, 0 },
    { "gguf.truth_value", 66, { { 66, 2, 1 } }, 0 },
    { "gguf.truth_value", 67, { { 67, 255, 1 } }, 0 },
    /* Tensors. */
    { "gguf.tensor_name", 92, { { 92, 64, 8 } }, 0 },
    { "gguf.tensor_name", 92, { { 92, UINT64_MAX, 8 } }, 0 },
    { "gguf.tensor_name", 92, { { 101, 0xC3, 1 } }, 0 },
    { "gguf.tensor_name", 134, { { 143, 0x0A, 1 } }, 0 },
    { "gguf.duplicate_tensor", 134, { { 143, '1', 1 } }, 0 },
    { "gguf.dimensions", 102, { { 102, 5, 4 } }, 0 },
    { "gguf.dimensions", 102, { { 102, UINT32_MAX, 4 } }, 0 },
    { "gguf.dimensions", 106, { { 106, 0, 8 } }, 0 },
    { "gguf.dimensions", 106, { { 106, UINT64_MAX, 8 } }, 0 },
    { "gguf.dimensions", 114, { { 114, UINT64_C(1) << 63, 8 } }, 0 },
    { "gguf.dimensions", 102, { { 106, UINT64_C(1) << 32, 8 }, { 114, UINT64_C(1) << 31, 8 } }, 0 },
    { "gguf.dimensions", 102, { { 106, UINT64_C(1) << 40, 8 }, { 114, UINT64_C(1) << 40, 8 } }, 0 },
    { "gguf.dimensions", 122, { { 106, UINT64_C(1) << 62, 8 }, { 114, 1, 8 } }, 0 },
    { "gguf.tensor_type", 122, { { 122, 4, 4 } }, 0 },
    { "gguf.tensor_type", 122, { { 122, 5, 4 } }, 0 },
    { "gguf.tensor_type", 122, { { 122, 31, 4 } }, 0 },
    { "gguf.tensor_type", 122, { { 122, 38, 4 } }, 0 },
    { "gguf.tensor_type", 122, { { 122, 43, 4 } }, 0 },
    { "gguf.tensor_type", 122, { { 122, UINT32_MAX, 4 } }, 0 },
    { "gguf.block_does_not_divide", 164, { { 148, 31, 8 } }, 0 },
    { "gguf.block_does_not_divide", 122, { { 122, 12, 4 } }, 0 },
    { "gguf.offset", 126, { { 126, 32, 8 } }, 0 },
    { "gguf.offset", 168, { { 168, 255, 8 } }, 0 },
    { "gguf.offset", 168, { { 168, 0, 8 } }, 0 },
    { "gguf.offset", 168, { { 114, 3, 8 } }, 0 },
    { "gguf.offset_past_end", 134, { { 156, 2, 8 } }, 0 },
    { "gguf.offset_past_end", 134, { { 0 } }, GOOD_BYTES - 1 },
    { "gguf.offset_past_end", 92, { { 0 } }, 193 },
    { "gguf.offset_past_end", 126, { { 106, (UINT64_C(1) << 62) - 1, 8 }, { 114, 1, 8 } }, 0 },
};

static void a_change_is_refused_where_it_was_made(void **state)
{
    (void)state;
    struct gguf_writer w;
    kvcap_error err;
    put_good(&w);
    struct kvc_span file = gguf_bytes(&w, true);
    assert_int_equal(file.length, GOOD_BYTES);
    must(read_file(file, &err), &err);
    gguf_end(&w);
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        char at[32];
        snprintf(at, sizeof at, "offset %llu", (unsigned long long)ROWS[i].offset);
        put_good(&w);
        file = gguf_bytes(&w, true);
        for (size_t k = 0; k < 2; k++)
            gguf_patch(&w, ROWS[i].changes[k].at, ROWS[i].changes[k].value,
                       ROWS[i].changes[k].width);
        if (ROWS[i].file_bytes != 0)
            file.length = ROWS[i].file_bytes;
        kvcap_code rc = read_file(file, &err);
        if (rc == KVCAP_OK)
            fail_msg("row %zu (%s) was accepted", i, ROWS[i].slug);
        must_refuse(rc, &err, ROWS[i].slug, at);
        gguf_end(&w);
    }
}

/* ---- Files of another kind. */

static void must_be_refused(struct gguf_writer *w, const char *slug, const char *at)
{
    kvcap_error err;
    kvcap_code rc = read_file(gguf_bytes(w, true), &err);
    if (rc == KVCAP_OK)
        fail_msg("accepted, where %s at %s is due", slug, at);
    must_refuse(rc, &err, slug, at);
    gguf_end(w);
}

static void an_alignment_is_a_u32_and_a_power_of_two(void **state)
{
    (void)state;
    static const struct {
        enum kvc_gguf_type type;
        uint64_t value;
    } BAD[] = {
        { KVC_GGUF_U32, 0 },          { KVC_GGUF_U32, 3 },  { KVC_GGUF_U32, 48 },
        { KVC_GGUF_U32, 0xFFFFFFFF }, { KVC_GGUF_U64, 32 }, { KVC_GGUF_I32, 32 },
        { KVC_GGUF_U16, 32 },
    };
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        struct gguf_writer w;
        gguf_begin(&w, 3);
        gguf_put(&w, "general.alignment", BAD[i].type, BAD[i].value);
        must_be_refused(&w, "gguf.alignment", "offset 53");
    }
    struct gguf_writer w;
    gguf_begin(&w, 3);
    gguf_put_text(&w, "general.alignment", "32");
    must_be_refused(&w, "gguf.alignment", "offset 53");
}

/* Values stand at 44 (u16), 69 (u16) and 102 (i32), where all three keys come in this order. */
static void split_keys_are_numbers_that_agree(void **state)
{
    (void)state;
    struct gguf_writer w;
    gguf_begin(&w, 3);
    gguf_put(&w, "split.count", KVC_GGUF_U16, 2);
    must_be_refused(&w, "gguf.split", "offset 24");
    gguf_begin(&w, 3);
    gguf_put_split(&w, 2, 2, 1);
    must_be_refused(&w, "gguf.split", "offset 44");
    gguf_begin(&w, 3);
    gguf_put_split(&w, 0, 2, 0x80000000);
    must_be_refused(&w, "gguf.split", "offset 102");
    gguf_begin(&w, 3);
    gguf_put(&w, "split.no", KVC_GGUF_U16, 0);
    gguf_put(&w, "split.count", KVC_GGUF_U32, 65536);
    must_be_refused(&w, "gguf.split", "offset 69");
    gguf_begin(&w, 3);
    gguf_put_text(&w, "split.count", "2");
    must_be_refused(&w, "gguf.split", "offset 47");
}

/* Texts one after the other: the length of the third reaches past the end, or leaves no room for
 * those that must follow. */
static void a_list_of_texts_is_checked_text_by_text(void **state)
{
    (void)state;
    static const char *const TEXTS[] = { "aa", "bb", "cc", "dd" };
    for (unsigned past = 0; past <= 1; past++) {
        struct gguf_writer w;
        gguf_begin(&w, 3);
        gguf_put_texts(&w, "k", TEXTS, 4);
        /* 24, key 9, types 8, count 8; texts of 10 bytes at 49, 59, 69, 79. */
        gguf_patch(&w, 69, past ? 13 : 12, 8);
        must_be_refused(&w, past ? "gguf.length_past_end" : "gguf.truncated",
                        past ? "offset 69" : "offset 89");
    }
}

static void a_header_past_the_bound_is_refused(void **state)
{
    (void)state;
    struct gguf_writer w;
    struct kvc_arena arena;
    struct kvc_gguf gguf;
    uint64_t needed = 0;
    kvcap_error err;
    gguf_begin(&w, 3);
    gguf_raw_text(&w, "k");
    gguf_raw_number(&w, KVC_GGUF_ARRAY, 4);
    gguf_raw_number(&w, KVC_GGUF_U8, 4);
    gguf_raw_number(&w, KVC_GGUF_HEADER_BYTES_MAX, 8);
    gguf_patch(&w, 16, 1, 8);
    kvc_arena_over(&arena, arena_room, sizeof arena_room);
    must_refuse(kvc_gguf_read((struct kvc_span){ (const char *)w.bytes, w.length },
                              UINT64_C(1) << 40, &arena, &gguf, &needed, &err),
                &err, "gguf.header_too_large", "offset 41");
    gguf_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_is_refused_where_it_was_made),
        cmocka_unit_test(an_alignment_is_a_u32_and_a_power_of_two),
        cmocka_unit_test(split_keys_are_numbers_that_agree),
        cmocka_unit_test(a_list_of_texts_is_checked_text_by_text),
        cmocka_unit_test(a_header_past_the_bound_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
