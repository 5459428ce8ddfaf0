/* Goal: a schema written as a list of reads tells the first thing wrong, where it is, and is silent
 * afterwards.
 * Method: one object with a member of each kind, read in every way; then random lists of reads, whose
 * answer must be that of their first read that fails alone. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "support/chance.h"
#include "support/faulty_memory.h"
#include "json/read.h"
#include "json/scan.h"

static const char TEXT[] =
    "{\"n\":null,\"f\":false,\"t\":true,\"zero\":0,\"one\":1,\"minus\":-1,\"dim\":4294967295,"
    "\"wide\":4294967296,\"safe\":9007199254740991,\"text\":\"some text\",\"empty\":\"\","
    "\"control\":\"a\\u0007\",\"c1\":\"a\\u0085\",\"list\":[1,2,3],\"none\":[],"
    "\"object\":{\"a\":1,\"b\":2},\"deep\":[{\"x\":{\"y\":\"z\"}}]}";

struct fixture {
    struct faulty_memory memory;
    struct kvc_arena arena;
    struct kvc_value *root;
    struct kvc_reader r;
    kvcap_error err;
};

static void begin(struct fixture *f)
{
    faulty_memory_begin(&f->memory, 0);
    kvc_arena_from(&f->arena, &f->memory.memory, SIZE_MAX);
    assert_int_equal(
        kvc_scan(&f->arena, kvc_span_of(TEXT), sizeof TEXT, KVC_SCAN_RECORD, &f->root, NULL),
        KVCAP_OK);
    memset(&f->err, 0, sizeof f->err);
    f->r = (struct kvc_reader){ .err = &f->err };
}

static void end(struct fixture *f)
{
    kvc_arena_drop(&f->arena);
}

/* ---- One read, of any kind, of any member. */

enum read {
    READ_DIM,
    READ_N0,
    READ_N1,
    READ_U64,
    READ_TEXT,
    READ_NAME,
    READ_SHORT_NAME,
    READ_WORD,
    READ_ARRAY,
    READ_OBJECT,
    READS_COUNT,
};

static const struct kvc_key KEYS[] = { { "a", false }, { "b", false }, { "c", true } };
static const char *const WORDS[] = { "other text", "some text" };

/* Whether the read gave anything but a zero. */
static bool read_one(struct kvc_reader *r, const struct kvc_value *object, enum read read,
                     const char *key)
{
    switch (read) {
    case READ_DIM:
        return kvc_read_dim(r, object, key) != 0;
    case READ_N0:
        return kvc_read_n0(r, object, key) != 0;
    case READ_N1:
        return kvc_read_n1(r, object, key) != 0;
    case READ_U64:
        return kvc_read_u64(r, object, key, 1, 3) != 0;
    case READ_TEXT:
        return kvc_read_text(r, object, key).length != 0;
    case READ_NAME:
        return kvc_read_name(r, object, key).length != 0;
    case READ_SHORT_NAME:
        return kvc_read_value_name(r, kvc_value_member(object, key), 8).length != 0;
    case READ_WORD:
        return kvc_read_word(r, object, key, WORDS, KVC_COUNT_OF(WORDS)) != 0;
    case READ_ARRAY:
        return kvc_read_array(r, object, key, 1, 3) != NULL;
    case READ_OBJECT:
        return kvc_read_object(r, object, key, KEYS, KVC_COUNT_OF(KEYS)) != NULL;
    case READS_COUNT:
        break;
    }
    return false;
}

/* ---- Each read alone. */

static void check_read(enum read read, const char *key, const char *slug)
{
    struct fixture f;
    begin(&f);
    bool something = read_one(&f.r, f.root, read, key);
    if (strcmp(f.err.slug, slug) != 0)
        fail_msg("read %d of %s: %s (%s), not %s", (int)read, key, f.err.slug, f.err.text, slug);
    assert_int_equal(f.r.rc, slug[0] == '\0' ? KVCAP_OK : KVCAP_E_RECORD);
    assert_int_equal(f.r.rc, f.err.code);
    if (slug[0] != '\0') {
        char at[64];
        snprintf(at, sizeof at, "/%s", key);
        assert_string_equal(f.err.at, at);
        assert_false(something && read != READ_SHORT_NAME && read != READ_NAME);
    }
    end(&f);
}

#define WRONG_TYPE "record.wrong_type"
#define OUT_OF_RANGE "record.out_of_range"
#define BAD_NAME "record.bad_name"

static void integers_have_a_type_and_bounds(void **state)
{
    (void)state;
    static const char *const OTHERS[] = { "n", "f", "t", "text", "empty", "list", "object" };
    for (int read = READ_DIM; read <= READ_U64; read++) {
        for (size_t i = 0; i < KVC_COUNT_OF(OTHERS); i++)
            check_read((enum read)read, OTHERS[i], WRONG_TYPE);
        check_read((enum read)read, "minus", OUT_OF_RANGE);
        check_read((enum read)read, "one", "");
        check_read((enum read)read, "nowhere", "record.missing_key");
    }
    check_read(READ_DIM, "zero", OUT_OF_RANGE);
    check_read(READ_DIM, "dim", "");
    check_read(READ_DIM, "wide", OUT_OF_RANGE);
    check_read(READ_N0, "zero", "");
    check_read(READ_N0, "safe", "");
    check_read(READ_N1, "zero", OUT_OF_RANGE);
    check_read(READ_N1, "safe", "");
    check_read(READ_U64, "zero", OUT_OF_RANGE);
    check_read(READ_U64, "dim", OUT_OF_RANGE);
}

static void texts_have_a_type_and_names_have_more(void **state)
{
    (void)state;
    static const char *const OTHERS[] = { "n", "f", "t", "one", "list", "object" };
    for (int read = READ_TEXT; read <= READ_WORD; read++) {
        for (size_t i = 0; i < KVC_COUNT_OF(OTHERS); i++)
            check_read((enum read)read, OTHERS[i], WRONG_TYPE);
        if (read != READ_SHORT_NAME)
            check_read((enum read)read, "nowhere", "record.missing_key");
    }
    check_read(READ_TEXT, "text", "");
    check_read(READ_TEXT, "empty", "");
    check_read(READ_TEXT, "control", "");
    check_read(READ_NAME, "text", "");
    check_read(READ_NAME, "empty", BAD_NAME);
    check_read(READ_NAME, "control", BAD_NAME);
    check_read(READ_NAME, "c1", BAD_NAME);
    check_read(READ_SHORT_NAME, "text", BAD_NAME); /* nine bytes, eight are allowed */
    check_read(READ_WORD, "text", "");
    check_read(READ_WORD, "empty", "record.unknown_word");
}

static void lists_have_a_type_and_a_length(void **state)
{
    (void)state;
    static const char *const OTHERS[] = { "n", "f", "t", "one", "text", "object" };
    for (size_t i = 0; i < KVC_COUNT_OF(OTHERS); i++)
        check_read(READ_ARRAY, OTHERS[i], WRONG_TYPE);
    check_read(READ_ARRAY, "list", "");
    check_read(READ_ARRAY, "none", OUT_OF_RANGE);
    check_read(READ_ARRAY, "nowhere", "record.missing_key");
    struct fixture f;
    begin(&f);
    assert_non_null(kvc_read_array(&f.r, f.root, "none", 0, 0));
    assert_null(kvc_read_array(&f.r, f.root, "list", 0, 2));
    assert_string_equal(f.err.slug, OUT_OF_RANGE);
    end(&f);
}

static void values_come_out_as_they_stand(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    assert_true(kvc_read_n0(&f.r, f.root, "safe") == KVC_SAFE_MAX);
    assert_true(kvc_read_dim(&f.r, f.root, "dim") == UINT32_MAX);
    assert_int_equal(kvc_read_n0(&f.r, f.root, "zero"), 0);
    assert_true(kvc_span_is(kvc_read_text(&f.r, f.root, "text"), "some text"));
    assert_true(kvc_span_is(kvc_read_name(&f.r, f.root, "text"), "some text"));
    assert_int_equal(kvc_read_word(&f.r, f.root, "text", WORDS, 2), 1);
    assert_int_equal(kvc_read_array(&f.r, f.root, "list", 3, 3)->count, 3);
    assert_int_equal(kvc_read_value_u64(&f.r, kvc_value_element(f.root->last, 0), 0, 9), 0);
    assert_true(kvc_has(f.root, "n") && !kvc_has(f.root, "nowhere") && !kvc_has(NULL, "n"));
    assert_int_equal(f.r.rc, KVCAP_OK);
    assert_int_equal(f.err.slug[0], '\0');
    end(&f);
}

/* ---- Keys. */

static void check_keys(const char *pointer, const struct kvc_key *keys, size_t count,
                       const char *slug, const char *at)
{
    struct fixture f;
    begin(&f);
    const struct kvc_value *value = kvc_value_at(f.root, kvc_span_of(pointer));
    const struct kvc_value *result = kvc_read_keys(&f.r, value, keys, count);
    assert_ptr_equal(result, slug[0] == '\0' ? value : NULL);
    assert_string_equal(f.err.slug, slug);
    assert_string_equal(f.err.at, at);
    end(&f);
}

static void objects_have_exactly_their_keys(void **state)
{
    (void)state;
    static const struct kvc_key EXACT[] = { { "b", false }, { "a", false } };
    static const struct kvc_key MORE[] = { { "a", false }, { "b", true }, { "c", true } };
    static const struct kvc_key LACKS[] = { { "a", false }, { "b", false }, { "~/", false } };
    static const struct kvc_key FEWER[] = { { "a", false } };
    static const struct kvc_key BOTH[] = { { "a", false }, { "z", false } };
    check_keys("/object", EXACT, 2, "", "");
    check_keys("/object", MORE, 3, "", "");
    check_keys("/object", LACKS, 3, "record.missing_key", "/object/~0~1");
    check_keys("/object", FEWER, 1, "record.unknown_key", "/object/b");
    check_keys("/object", BOTH, 2, "record.unknown_key", "/object/b"); /* what stands there first */
    check_keys("/object", NULL, 0, "record.unknown_key", "/object/a");
    check_keys("/deep/0/x", FEWER, 1, "record.unknown_key", "/deep/0/x/y");
    check_keys("/list", EXACT, 2, "record.wrong_type", "/list");
    check_keys("/list/1", EXACT, 2, "record.wrong_type", "/list/1");
    check_keys("/text", EXACT, 2, "record.wrong_type", "/text");
}

/* ---- Stickiness. */

static void nothing_is_read_from_nothing(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    for (int read = 0; read < READS_COUNT; read++) {
        if (read != READ_WORD) /* which finds that "" is none of its words */
            assert_false(read_one(&f.r, NULL, (enum read)read, "a"));
    }
    assert_null(kvc_read_keys(&f.r, NULL, KEYS, KVC_COUNT_OF(KEYS)));
    assert_int_equal(f.r.rc, KVCAP_OK); /* whoever made the NULL has told already */
    end(&f);
}

static void the_first_refusal_wins_and_later_reads_give_zeroes(void **state)
{
    (void)state;
    static const char *const MEMBERS[] = { "n",    "f",      "zero", "one",     "minus",
                                           "dim",  "wide",   "text", "empty",   "list",
                                           "none", "object", "deep", "control", "nowhere" };
    struct chance chance = chance_begin();
    uint64_t refused = 0;
    for (int i = 0; i < 4000; i++) {
        struct fixture f;
        begin(&f);
        kvcap_error first = { .slug = "" };
        for (uint64_t left = 1 + chance_below(&chance, 3); left > 0; left--) {
            enum read read = (enum read)chance_below(&chance, READS_COUNT);
            const char *key = MEMBERS[chance_below(&chance, KVC_COUNT_OF(MEMBERS))];
            kvcap_error alone = { .slug = "" };
            struct kvc_reader fresh = { .err = &alone };
            bool due = read_one(&fresh, f.root, read, key);
            bool over = f.r.rc != KVCAP_OK, got = read_one(&f.r, f.root, read, key);
            chance_check(&chance, got == (over ? false : due));
            if (!over)
                first = alone;
            chance_check(&chance, f.r.rc == first.code);
            chance_check(&chance, memcmp(&f.err, &first, sizeof first) == 0);
        }
        kvc_refuse(&f.r, KVC_RECORD_DRAFT, f.root, "late");
        kvc_refuse_member(&f.r, KVC_RECORD_DRAFT, f.root, "a", "late");
        chance_check(&chance,
                     (strcmp(f.err.slug, "record.draft") == 0) == (first.code == KVCAP_OK));
        refused += first.code != KVCAP_OK;
        end(&f);
    }
    chance_check(&chance, refused > 1000 && refused < 3950);
}

static void a_refusal_needs_nobody_to_tell(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    struct kvc_reader silent = { .err = NULL };
    kvc_read_dim(&silent, f.root, "text");
    assert_int_equal(silent.rc, KVCAP_E_RECORD);
    end(&f);
}

static void refusals_say_what_they_were_told(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    const struct kvc_value *deep = kvc_value_at(f.root, kvc_span_of("/deep/0/x"));
    kvc_refuse(&f.r, KVC_RECORD_BAD_ID, deep, "%s is %d", "this", 5);
    assert_string_equal(f.err.slug, "record.bad_id");
    assert_string_equal(f.err.at, "/deep/0/x");
    assert_string_equal(f.err.text, "this is 5");
    f.r.rc = KVCAP_OK;
    kvc_refuse_member(&f.r, KVC_CONTRACT_TP, deep, "no/where", "%s", "that");
    assert_int_equal(f.r.rc, KVCAP_E_CONTRACT);
    assert_string_equal(f.err.at, "/deep/0/x/no~1where");
    f.r.rc = KVCAP_OK;
    char sentence[400];
    memset(sentence, 's', sizeof sentence - 1);
    sentence[sizeof sentence - 1] = '\0';
    kvc_refuse(&f.r, KVC_RECORD_BAD_ID, deep, "100%% %s", sentence);
    assert_int_equal(strlen(f.err.text), sizeof f.err.text - 1);
    assert_memory_equal(f.err.text, "100% sss", 8);
    end(&f);
}

/* ---- Names. */

static bool is_name_slowly(struct kvc_span text, size_t bytes_max)
{
    bool good = text.length >= 1 && text.length <= bytes_max;
    for (size_t i = 0; good && i < text.length;) {
        uint32_t point = kvc_span_code_point(text, &i);
        good = point > 0x1F && !(point > 0x7E && point < 0xA0);
    }
    return good;
}

static void names_hold_no_control_characters_and_have_a_length(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    int names = 0;
    for (int i = 0; i < 100000; i++) {
        char bytes[64];
        size_t used = 0, limit = chance_below(&chance, 30);
        for (uint64_t left = chance_below(&chance, 8); left > 0; left--)
            used += chance_put_utf8(chance_code_point(&chance), bytes + used);
        struct kvc_span text = { bytes, used };
        bool due = is_name_slowly(text, limit);
        chance_check(&chance, kvc_is_name(text, limit) == due);
        names += due;
    }
    chance_check(&chance, names > 10000 && names < 90000);
    char longest[KVC_NAME_BYTES_MAX + 1];
    memset(longest, 'a', sizeof longest);
    assert_true(kvc_is_name((struct kvc_span){ longest, 256 }, KVC_NAME_BYTES_MAX));
    assert_false(kvc_is_name((struct kvc_span){ longest, 257 }, KVC_NAME_BYTES_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_have_a_type_and_bounds),
        cmocka_unit_test(texts_have_a_type_and_names_have_more),
        cmocka_unit_test(lists_have_a_type_and_a_length),
        cmocka_unit_test(values_come_out_as_they_stand),
        cmocka_unit_test(objects_have_exactly_their_keys),
        cmocka_unit_test(nothing_is_read_from_nothing),
        cmocka_unit_test(the_first_refusal_wins_and_later_reads_give_zeroes),
        cmocka_unit_test(a_refusal_needs_nobody_to_tell),
        cmocka_unit_test(refusals_say_what_they_were_told),
        cmocka_unit_test(names_hold_no_control_characters_and_have_a_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
