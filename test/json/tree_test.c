/* Goal: every node can be named and found by its name; members stand in the order of RFC 8785; two
 * trees are equal when they would be written alike, and when not, the place is the first that differs.
 * Method: RFC 6901's own document; random trees; keys as UTF-16 units, compared as plain numbers; one
 * change made to a copy of a tree, at a place that is known. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "support/chance.h"
#include "support/faulty_memory.h"
#include "support/random_json.h"
#include "json/scan.h"
#include "json/tree.h"
#include "json/write.h"

struct fixture {
    struct faulty_memory memory;
    struct kvc_arena arena;
    struct kvc_build build;
};

static void begin(struct fixture *f)
{
    faulty_memory_begin(&f->memory, 0);
    kvc_arena_from(&f->arena, &f->memory.memory, SIZE_MAX);
    f->build = (struct kvc_build){ .arena = &f->arena };
}

static void end(struct fixture *f)
{
    kvc_arena_drop(&f->arena);
    assert_int_equal(f->memory.blocks, 0);
}

static struct kvc_value *scanned(struct fixture *f, const char *text)
{
    struct kvc_value *root = NULL;
    kvcap_error err;
    assert_int_equal(kvc_scan(&f->arena, kvc_span_of(text), 100000, KVC_SCAN_RECORD, &root, &err),
                     KVCAP_OK);
    return root;
}

/* ---- Pointers. */

static void pointers_of_rfc_6901_name_what_it_says(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    const struct kvc_value *root =
        scanned(&f, "{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,\"g|h\":4,"
                    "\"i\\\\j\":5,\"k\\\"l\":6,\" \":7,\"m~n\":8}");
    static const char *const ROWS[][2] = {
        { "/foo/0", "bar" }, { "/", "0" },     { "/a~1b", "1" }, { "/c%d", "2" }, { "/e^f", "3" },
        { "/g|h", "4" },     { "/i\\j", "5" }, { "/k\"l", "6" }, { "/ ", "7" },   { "/m~0n", "8" },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        const struct kvc_value *value = kvc_value_at(root, kvc_span_of(ROWS[i][0]));
        assert_non_null(value);
        assert_true(kvc_span_is(value->text, ROWS[i][1]));
        char pointer[KVC_POINTER_ROOM];
        kvc_value_pointer(value, pointer);
        assert_string_equal(pointer, ROWS[i][0]);
    }
    assert_ptr_equal(kvc_value_at(root, kvc_span_of("")), root);
    assert_int_equal(kvc_value_at(root, kvc_span_of("/foo"))->type, KVC_ARRAY);
    end(&f);
}

static void pointers_that_name_nothing_find_nothing(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    const struct kvc_value *root =
        scanned(&f, "{\"a\":[10,11,{\"~\":1,\"/\":2,\"~1\":3}],\"s\":\"t\",\"0\":{},\"long\":1}");
    static const char *const NONE[] = {
        "a",
        "/b",
        "/a/3",
        "/a/-",
        "/a/00",
        "/a/01",
        "/a/+1",
        "/a/1 ",
        "/a/",
        "/a//1",
        "/s/0",
        "/s/",
        "/0/0",
        "/0/",
        "//a",
        "/a/0/0",
        "/A",
        "/aa",
        "/a/2/~",
        "/a/2/~2",
        "/a/2/~0~",
        "/a/2//",
        "/a/2/~10",
        "/a/4294967296",
        "/a/18446744073709551616",
        "#/a",
        "/lon",
        "/longe",
        "/",
        "a/0",
    };
    for (size_t i = 0; i < sizeof NONE / sizeof NONE[0]; i++)
        assert_null(kvc_value_at(root, kvc_span_of(NONE[i])));
    assert_true(kvc_span_is(kvc_value_at(root, kvc_span_of("/a/2/~0"))->text, "1"));
    assert_true(kvc_span_is(kvc_value_at(root, kvc_span_of("/a/2/~1"))->text, "2"));
    assert_true(kvc_span_is(kvc_value_at(root, kvc_span_of("/a/2/~01"))->text, "3"));
    end(&f);
}

/* A pointer written forwards from the way down, beside ours that is written backwards. */
static void check_pointers_below(const struct chance *chance, const struct kvc_value *root,
                                 const struct kvc_value *value, const char *due)
{
    char pointer[KVC_POINTER_ROOM];
    kvc_value_pointer(value, pointer);
    chance_check(chance, strcmp(pointer, due) == 0);
    chance_check(chance, kvc_value_at(root, kvc_span_of(pointer)) == value);
    uint32_t index = 0;
    for (const struct kvc_value *child = value->first; child != NULL; child = child->next) {
        char below[KVC_POINTER_ROOM], *out = below + strlen(due);
        memcpy(below, due, strlen(due));
        *out++ = '/';
        if (value->type == KVC_ARRAY)
            out += snprintf(out, 12, "%u", (unsigned)index++);
        for (size_t i = 0; i < child->key.length; i++) {
            char c = child->key.text[i];
            if (c == '~' || c == '/')
                *out++ = '~';
            *out++ = c == '~' ? '0' : c == '/' ? '1' : c;
        }
        *out = '\0';
        check_pointers_below(chance, root, child, below);
    }
}

static void every_node_is_found_by_its_pointer(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 2000; i++) {
        struct fixture f;
        begin(&f);
        const struct kvc_value *root = random_tree(&chance, &f.arena, 5);
        check_pointers_below(&chance, root, root, "");
        end(&f);
    }
}

static void a_member_that_is_not_there_has_a_pointer_too(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    const struct kvc_value *root = scanned(&f, "{\"a/b\":[{}]}");
    const struct kvc_value *object = kvc_value_at(root, kvc_span_of("/a~1b/0"));
    char pointer[KVC_POINTER_ROOM];
    kvc_value_pointer_below(object, "c~/", pointer);
    assert_string_equal(pointer, "/a~1b/0/c~0~1");
    kvc_value_pointer_below(root, "", pointer);
    assert_string_equal(pointer, "/");
    kvc_value_pointer(NULL, pointer);
    assert_string_equal(pointer, "");
    end(&f);
}

/* Goal: a pointer that is too long ends with what it ends with, and stays within its room.
 * Method: keys of every length around the room, two levels deep. */
static void a_long_pointer_keeps_its_end(void **state)
{
    (void)state;
    for (size_t length = KVC_POINTER_ROOM - 20; length < KVC_POINTER_ROOM + 20; length++) {
        struct fixture f;
        begin(&f);
        char key[KVC_POINTER_ROOM + 24];
        memset(key, 'k', length);
        key[length] = '\0';
        struct kvc_value *root = kvc_build_object(&f.build, NULL, NULL);
        struct kvc_value *inner = kvc_build_object(&f.build, root, key);
        struct kvc_value *last = kvc_build_object(&f.build, inner, "z~");
        char pointer[KVC_POINTER_ROOM + 1];
        memset(pointer, 'X', sizeof pointer);
        kvc_value_pointer(last, pointer);
        assert_int_equal(pointer[KVC_POINTER_ROOM], 'X');
        size_t written = strlen(pointer);
        assert_true(written < KVC_POINTER_ROOM);
        assert_string_equal(pointer + written - 5, "k/z~0");
        bool whole = pointer[0] == '/';
        assert_true(whole ? written == length + 5 : strncmp(pointer, "...k", 4) == 0);
        assert_true(whole || written > KVC_POINTER_ROOM - 8);
        end(&f);
    }
}

static void a_nul_in_a_key_is_shown_and_cuts_nothing(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    const struct kvc_value *root = scanned(&f, "{\"a\\u0000b\":{\"c\":1}}");
    char pointer[KVC_POINTER_ROOM];
    kvc_value_pointer(root->first->first, pointer);
    assert_string_equal(pointer, "/a\\u0000b/c");
    end(&f);
}

/* ---- Look-up. */

static void members_and_elements_are_found(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    const struct kvc_value *root = scanned(&f, "{\"b\":[1,2,3],\"a\":2,\"\":3}");
    const struct kvc_value *array = kvc_value_member(root, "b");
    assert_int_equal(array->type, KVC_ARRAY);
    assert_true(kvc_span_is(kvc_value_member(root, "")->text, "3"));
    assert_null(kvc_value_member(root, "c"));
    assert_null(kvc_value_member(array, "0"));
    assert_null(kvc_value_member(NULL, "a"));
    assert_true(kvc_span_is(kvc_value_element(array, 0)->text, "1"));
    assert_true(kvc_span_is(kvc_value_element(array, 2)->text, "3"));
    assert_null(kvc_value_element(array, 3));
    assert_null(kvc_value_element(array, UINT32_MAX));
    assert_null(kvc_value_element(root, 0));
    assert_null(kvc_value_element(NULL, 0));
    end(&f);
}

/* ---- Order. */

/* A key as UTF-16; how many units it has. */
static size_t units_of(struct kvc_span key, uint16_t units[64])
{
    size_t used = 0;
    for (size_t i = 0; i < key.length;) {
        uint32_t point = kvc_span_code_point(key, &i);
        if (point >= 0x10000)
            units[used++] = (uint16_t)(0xD7C0 + (point >> 10));
        units[used++] = (uint16_t)(point >= 0x10000 ? 0xDC00 + (point & 0x3FF) : point);
    }
    return used;
}

static int compare_by_units(struct kvc_span a, struct kvc_span b)
{
    uint16_t left[64], right[64];
    size_t left_count = units_of(a, left), right_count = units_of(b, right);
    for (size_t i = 0; i < left_count && i < right_count; i++) {
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    }
    return left_count == right_count ? 0 : left_count < right_count ? -1 : 1;
}

/* Few code points, so that long beginnings are shared and the difference lies in any byte. */
static struct kvc_span some_key(struct chance *chance, char room[24])
{
    static const uint32_t NEAR[] = { 'a',    'b',     0xE9,    0xEA,    0x129,
                                     0x20AC, 0x20AD,  0xD7FF,  0xE000,  0xFB33,
                                     0xFFFF, 0x10000, 0x10001, 0x1F600, 0x10FFFF };
    size_t used = 0;
    for (uint64_t left = chance_below(chance, 5); left > 0; left--) {
        uint32_t point = chance_one_in(chance, 6)
                             ? chance_code_point(chance)
                             : NEAR[chance_below(chance, sizeof NEAR / sizeof NEAR[0])];
        used += chance_put_utf8(point, room + used);
    }
    return (struct kvc_span){ room, used };
}

static int sign(int value)
{
    return (value > 0) - (value < 0);
}

static void keys_compare_by_utf16_units(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 300000; i++) {
        char left[24], right[24];
        struct kvc_span a = some_key(&chance, left), b = some_key(&chance, right);
        if (chance_one_in(&chance, 3)) { /* the same up to somewhere */
            b = a;
            b.length = 0;
            for (uint64_t n = chance_below(&chance, 4); n > 0 && b.length < a.length; n--)
                kvc_span_code_point(a, &b.length);
        }
        chance_check(&chance, sign(kvc_key_compare(a, b)) == compare_by_units(a, b));
    }
}

/* Members in the order given, with the place they were given in as their text. */
static struct kvc_value *unsorted(struct chance *chance, struct fixture *f, uint64_t count,
                                  uint64_t keys)
{
    struct kvc_value *object = kvc_build_object(&f->build, NULL, NULL);
    for (uint64_t i = 0; i < count; i++) {
        struct kvc_value *member = kvc_arena_array(&f->arena, 1, sizeof *member);
        char digits[24];
        uint64_t key = chance_below(chance, keys);
        int length = snprintf(digits, sizeof digits, "%05u", (unsigned)key);
        member->type = KVC_NUMBER;
        member->offset = (uint32_t)i;
        member->key = kvc_arena_copy(&f->arena, (struct kvc_span){ digits, (size_t)length });
        kvc_value_append(object, member);
    }
    return object;
}

static void sorting_is_complete_stable_and_in_place(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int round = 0; round < 1500; round++) {
        struct fixture f;
        begin(&f);
        uint64_t count = chance_below(&chance, 70), sum = 0, due = 0;
        uint64_t keys = chance_one_in(&chance, 2) ? 30 : 50000;
        struct kvc_value *object = unsorted(&chance, &f, count, keys);
        size_t bytes = f.memory.bytes;
        const char *at = f.arena.at;
        kvc_value_sort(object);
        chance_check(&chance, f.memory.bytes == bytes && f.arena.at == at);
        const struct kvc_value *last = NULL;
        for (const struct kvc_value *m = object->first; m != NULL; last = m, m = m->next) {
            sum += m->offset + 1;
            if (last == NULL)
                continue;
            int order = kvc_span_compare(last->key, m->key);
            chance_check(&chance, order < 0 || (order == 0 && last->offset < m->offset));
        }
        for (uint64_t i = 0; i < count; i++)
            due += i + 1;
        chance_check(&chance, sum == due && object->last == last && object->count == count);
        end(&f);
    }
}

static void the_later_of_two_equal_keys_is_the_duplicate(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    int found = 0;
    for (int round = 0; round < 1500; round++) {
        struct fixture f;
        begin(&f);
        struct kvc_value *object = unsorted(&chance, &f, chance_below(&chance, 12), 60);
        bool due = false;
        for (const struct kvc_value *a = object->first; a != NULL; a = a->next) {
            for (const struct kvc_value *b = a->next; b != NULL; b = b->next)
                due = due || kvc_span_equal(a->key, b->key);
        }
        kvc_value_sort(object);
        const struct kvc_value *duplicate = kvc_value_duplicate(object);
        chance_check(&chance, (duplicate != NULL) == due);
        uint64_t earlier = 0;
        for (const struct kvc_value *m = object->first; due && m != NULL; m = m->next)
            earlier += kvc_span_equal(m->key, duplicate->key) && m->offset < duplicate->offset;
        chance_check(&chance, !due || earlier == 1);
        found += due;
        end(&f);
    }
    chance_check(&chance, found > 200);
}

/* ---- Equality. */

static const struct kvc_value *difference(const struct kvc_value *a, const struct kvc_value *b)
{
    const struct kvc_value *differing = NULL;
    return kvc_value_equal(a, b, &differing) ? NULL : differing;
}

static void check_difference(const char *a, const char *b, const char *due)
{
    struct fixture f;
    begin(&f);
    const struct kvc_value *differing = difference(scanned(&f, a), scanned(&f, b));
    char pointer[KVC_POINTER_ROOM] = "equal";
    if (differing != NULL)
        kvc_value_pointer(differing, pointer);
    assert_string_equal(pointer, due);
    end(&f);
}

static void the_differing_place_is_the_first_one(void **state)
{
    (void)state;
    check_difference("{\"a\":1}", "{\"a\":1}", "equal");
    check_difference("{\"a\":1,\"b\":[1,2]}", "{ \"b\" : [ 1 , 2 ] , \"\\u0061\" : 1 }", "equal");
    check_difference("1", "2", "");
    check_difference("1", "\"1\"", "");
    check_difference("true", "false", "");
    check_difference("null", "[]", "");
    check_difference("[]", "{}", "");
    check_difference("{\"a\":1}", "{\"a\":2}", "/a");
    check_difference("{\"a\":{\"b\":[0,1,2]}}", "{\"a\":{\"b\":[0,1,3]}}", "/a/b/2");
    check_difference("[{\"a\":1},2]", "[{\"a\":3},4]", "/0/a");
    check_difference("{\"a\":\"x\"}", "{\"a\":\"X\"}", "/a");
}

/* What `b` has too much is its first node that differs; for what it lacks, its parent stands. */
static void a_member_too_many_or_too_few_is_told(void **state)
{
    (void)state;
    check_difference("{\"a\":1}", "{\"a\":1,\"b\":2}", "/b");
    check_difference("{\"b\":1}", "{\"a\":1,\"b\":1}", "/a");
    check_difference("[1]", "[1,2]", "/1");
    check_difference("{\"a\":1,\"b\":2}", "{\"a\":1}", "");
    check_difference("[1,2]", "[1]", "");
    check_difference("{\"x\":{\"a\":1,\"b\":2}}", "{\"x\":{\"b\":2}}", "/x");
    check_difference("{\"x\":{\"a\":1,\"c\":2}}", "{\"x\":{\"b\":1,\"c\":2}}", "/x");
    check_difference("{\"x\":{\"b\":1,\"c\":2}}", "{\"x\":{\"a\":1,\"c\":2}}", "/x/a");
}

static void order_of_writing_and_of_building_are_no_difference(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    const struct kvc_value *text =
        scanned(&f, "{\"t\":true,\"f\":false,\"n\":null,\"u\":18,\"s\":\"x\",\"l\":[true,null]}");
    struct kvc_value *built = kvc_build_object(&f.build, NULL, NULL);
    kvc_build_text(&f.build, built, "s", kvc_span_of("x"));
    kvc_build_u64(&f.build, built, "u", 18);
    kvc_build_bool(&f.build, built, "t", true);
    kvc_build_bool(&f.build, built, "f", false);
    kvc_build_node(&f.build, built, "n", KVC_NULL);
    struct kvc_value *list = kvc_build_array(&f.build, built, "l");
    kvc_build_bool(&f.build, list, NULL, true);
    kvc_build_node(&f.build, list, NULL, KVC_NULL);
    assert_null(difference(text, built));
    assert_null(difference(built, text));
    end(&f);
}

/* The node number `n` of a tree, root first. */
static struct kvc_value *nth(struct kvc_value *value, uint64_t *n)
{
    if ((*n)-- == 0)
        return value;
    struct kvc_value *found = NULL;
    for (struct kvc_value *child = value->first; child != NULL && found == NULL;
         child = child->next)
        found = nth(child, n);
    return found;
}

static void one_change_is_found_where_it_was_made(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    int changed = 0;
    for (int i = 0; i < 3000; i++) {
        struct fixture f;
        begin(&f);
        struct kvc_value *a = random_tree(&chance, &f.arena, 4);
        struct kvc_value *holder = kvc_build_array(&f.build, NULL, NULL);
        kvc_build_copy(&f.build, holder, NULL, a);
        struct kvc_value *b = holder->first;
        chance_check(&chance, difference(a, b) == NULL && difference(b, a) == NULL);
        uint64_t n = chance_below(&chance, 12);
        struct kvc_value *victim = nth(b, &n);
        if (victim != NULL) {
            changed++;
            if (victim->type == KVC_NUMBER || victim->type == KVC_STRING)
                victim->text = kvc_span_of("9876543210");
            else
                *victim =
                    (struct kvc_value){ .key = victim->key,
                                        .parent = victim->parent,
                                        .next = victim->next,
                                        .index = victim->index,
                                        .type = victim->type == KVC_NULL ? KVC_TRUE : KVC_NULL };
            chance_check(&chance, difference(a, b) == victim);
        }
        end(&f);
    }
    chance_check(&chance, changed > 1000);
}

/* ---- Building. */

static void check_links(const struct chance *chance, const struct kvc_value *value)
{
    uint32_t count = 0;
    const struct kvc_value *last = NULL;
    for (const struct kvc_value *child = value->first; child != NULL; child = child->next) {
        chance_check(chance, child->parent == value);
        chance_check(chance, value->type != KVC_ARRAY || child->index == count);
        chance_check(chance, value->type != KVC_OBJECT || last == NULL ||
                                 compare_by_units(last->key, child->key) < 0);
        check_links(chance, child);
        last = child;
        count++;
    }
    chance_check(chance, value->count == count && value->last == last);
}

static void built_trees_are_linked_and_ordered(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 1500; i++) {
        struct fixture f;
        begin(&f);
        struct kvc_value *root = random_tree(&chance, &f.arena, 5);
        check_links(&chance, root);
        for (int k = 0; k < 6 && root->type == KVC_OBJECT && root->count > 0; k++) {
            uint64_t n = 0, which = chance_below(&chance, root->count);
            struct kvc_value *victim = root->first;
            for (; n < which; n++)
                victim = victim->next;
            kvc_value_remove(root, victim);
            check_links(&chance, root);
        }
        end(&f);
    }
}

static void a_copy_outlives_changes_of_its_original(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    struct kvc_value *original = scanned(&f, "{\"a\":{\"b\":[1,{\"c\":\"d\"}]},\"e\":null}");
    struct kvc_value *holder = kvc_build_object(&f.build, NULL, NULL);
    kvc_build_copy(&f.build, holder, "copy", original);
    kvc_value_remove(original, original->first);
    const struct kvc_value *deep = kvc_value_at(holder, kvc_span_of("/copy/a/b/1/c"));
    assert_true(deep != NULL && kvc_span_is(deep->text, "d"));
    assert_int_equal(holder->first->count, 2);
    end(&f);
}

static struct kvc_value *build_something(struct kvc_build *build)
{
    struct kvc_value *root = kvc_build_object(build, NULL, NULL);
    struct kvc_value *list = kvc_build_array(build, root, "list");
    kvc_build_u64(build, list, NULL, UINT64_MAX);
    kvc_build_bool(build, root, "b", false);
    kvc_build_text(build, list, NULL, kvc_span_of("x"));
    if (root != NULL && !build->full)
        kvc_build_copy(build, root, "copy", list);
    struct kvc_value *more = kvc_build_object(build, root, "more");
    kvc_build_u64(build, more, "n", 1);
    return root;
}

/* Goal: a full arena stops a building once and for all, wherever it becomes full.
 * Method: buffers of every size, until one is large enough. */
static void a_full_arena_stops_the_building_and_says_so(void **state)
{
    (void)state;
    static _Alignas(16) char buffer[8192];
    int full = 0;
    for (size_t bytes = 0;; bytes += 16) {
        assert_true(bytes < sizeof buffer);
        struct kvc_arena arena;
        kvc_arena_over(&arena, buffer, bytes);
        struct kvc_build build = { .arena = &arena };
        const struct kvc_value *root = build_something(&build);
        if (!build.full) {
            assert_true(kvc_span_is(kvc_value_at(root, kvc_span_of("/more/n"))->text, "1"));
            assert_true(kvc_span_is(kvc_value_at(root, kvc_span_of("/copy/1"))->text, "x"));
            break;
        }
        full++;
    }
    assert_true(full > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pointers_of_rfc_6901_name_what_it_says),
        cmocka_unit_test(pointers_that_name_nothing_find_nothing),
        cmocka_unit_test(every_node_is_found_by_its_pointer),
        cmocka_unit_test(a_member_that_is_not_there_has_a_pointer_too),
        cmocka_unit_test(a_long_pointer_keeps_its_end),
        cmocka_unit_test(a_nul_in_a_key_is_shown_and_cuts_nothing),
        cmocka_unit_test(members_and_elements_are_found),
        cmocka_unit_test(keys_compare_by_utf16_units),
        cmocka_unit_test(sorting_is_complete_stable_and_in_place),
        cmocka_unit_test(the_later_of_two_equal_keys_is_the_duplicate),
        cmocka_unit_test(the_differing_place_is_the_first_one),
        cmocka_unit_test(a_member_too_many_or_too_few_is_told),
        cmocka_unit_test(order_of_writing_and_of_building_are_no_difference),
        cmocka_unit_test(one_change_is_found_where_it_was_made),
        cmocka_unit_test(built_trees_are_linked_and_ordered),
        cmocka_unit_test(a_copy_outlives_changes_of_its_original),
        cmocka_unit_test(a_full_arena_stops_the_building_and_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
