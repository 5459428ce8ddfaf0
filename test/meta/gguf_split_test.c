/* Goal: parts of a split model are taken for one model exactly when they are.
 * Method: three good parts; each test spoils one thing. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "meta/gguf_split.h"
#include "support/fixture.h"
#include "support/gguf_writer.h"

#define PARTS 3

static char arena_room[1 << 16];

struct parts {
    struct gguf_writer writers[PARTS];
    struct kvc_gguf read[PARTS];
    const struct kvc_gguf *list[PARTS];
    struct kvc_arena arena;
};

struct part {
    uint32_t no, count, tensors;
    const char *name; /* of its one tensor */
};

static const struct part GOOD[PARTS] = {
    { 0, 3, 3, "blk.0" },
    { 1, 3, 3, "blk.1" },
    { 2, 3, 3, "blk.2" },
};

static void begin(struct parts *parts, const struct part *stated)
{
    kvc_arena_over(&parts->arena, arena_room, sizeof arena_room);
    for (size_t i = 0; i < PARTS; i++) {
        struct gguf_writer *w = &parts->writers[i];
        uint64_t needed = 0;
        kvcap_error err;
        gguf_begin(w, 3);
        if (stated[i].count > 0)
            gguf_put_split(w, stated[i].no, stated[i].count, stated[i].tensors);
        gguf_tensor(w, stated[i].name, 1, 100, i + 1);
        struct kvc_span file = gguf_bytes(w, true);
        must(kvc_gguf_read(file, file.length, &parts->arena, &parts->read[i], &needed, &err), &err);
        parts->list[i] = &parts->read[i];
    }
}

static void end(struct parts *parts)
{
    for (size_t i = 0; i < PARTS; i++)
        gguf_end(&parts->writers[i]);
}

static void parts_of_one_model_are_summed(void **state)
{
    (void)state;
    struct parts parts;
    kvcap_error err;
    uint64_t bytes = 0;
    begin(&parts, GOOD);
    must(kvc_gguf_join(parts.list, PARTS, &parts.arena, &bytes, &err), &err);
    assert_int_equal(bytes, 200 + 400 + 600);
    assert_true(parts.read[1].is_split);
    assert_int_equal(parts.read[1].split_no, 1);
    must(kvc_gguf_must_be_first(parts.list[0], &err), &err);
    must_refuse(kvc_gguf_must_be_first(parts.list[2], &err), &err, "gguf.split_first", "part 3");
    assert_string_equal(kvcap_advice(&err),
                        "give the first part, whose name ends in -00001-of-NNNNN.gguf");
    end(&parts);
}

static void parts_that_do_not_agree_are_refused(void **state)
{
    (void)state;
    static const struct {
        unsigned changed;
        struct part part;
        const char *slug, *at;
    } ROWS[] = {
        { 0, { 1, 3, 3, "blk.0" }, "gguf.split", "part 1" },
        { 1, { 2, 3, 3, "blk.1" }, "gguf.split", "part 2" },
        { 2, { 0, 3, 3, "blk.2" }, "gguf.split", "part 3" },
        { 1, { 1, 4, 3, "blk.1" }, "gguf.split", "part 2" },
        { 2, { 0, 0, 0, "blk.2" }, "gguf.split", "part 3" },
        { 2, { 2, 3, 4, "blk.2" }, "gguf.split", "part 3" },
        { 0, { 0, 3, 4, "blk.0" }, "gguf.split", "part 2" },
        { 2, { 2, 3, 3, "blk.0" }, "gguf.duplicate_tensor", "part 3" },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        struct part stated[PARTS];
        struct parts parts;
        kvcap_error err;
        uint64_t bytes = 0;
        memcpy(stated, GOOD, sizeof stated);
        stated[ROWS[i].changed] = ROWS[i].part;
        begin(&parts, stated);
        must_refuse(kvc_gguf_join(parts.list, PARTS, &parts.arena, &bytes, &err), &err,
                    ROWS[i].slug, ROWS[i].at);
        end(&parts);
    }
}

static void a_part_too_few_or_a_tensor_too_few_is_refused(void **state)
{
    (void)state;
    static const struct part MORE[PARTS] = {
        { 0, 3, 4, "blk.0" },
        { 1, 3, 4, "blk.1" },
        { 2, 3, 4, "blk.2" },
    };
    struct parts parts;
    kvcap_error err;
    uint64_t bytes = 0;
    begin(&parts, GOOD);
    must_refuse(kvc_gguf_join(parts.list, PARTS - 1, &parts.arena, &bytes, &err), &err,
                "gguf.split", "part 1");
    end(&parts);
    begin(&parts, MORE);
    must_refuse(kvc_gguf_join(parts.list, PARTS, &parts.arena, &bytes, &err), &err, "gguf.split",
                "part 1");
    kvc_arena_over(&parts.arena, arena_room, 0);
    end(&parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_one_model_are_summed),
        cmocka_unit_test(parts_that_do_not_agree_are_refused),
        cmocka_unit_test(a_part_too_few_or_a_tensor_too_few_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
