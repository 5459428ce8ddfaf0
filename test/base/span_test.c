/* Goal: what counts as UTF-8, as an integer, as equal or as near is what the words mean.
 * Method: slow models - a decoder that computes the code point and looks at it afterwards, digits
 * compared as text, loops over bytes, the definition of the edit distance as a recursion - over all
 * short texts or random ones. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/span.h"
#include "support/chance.h"

/* ---- UTF-8. */

/* The length of the sequence at the beginning, by decoding whatever it is and then asking whether
 * that is a scalar value whose shortest form has this length; 0 when it is not. */
static size_t decode_slowly(const unsigned char *bytes, size_t length)
{
    unsigned ones = 0;
    while (ones < 8 && (bytes[0] >> (7 - ones) & 1) != 0)
        ones++;
    if (ones == 0)
        return 1;
    if (ones == 1 || ones > 4 || ones > length)
        return 0;
    uint64_t point = bytes[0] % (1u << (7 - ones));
    for (unsigned i = 1; i < ones; i++) {
        if (bytes[i] < 128 || bytes[i] > 191)
            return 0;
        point = point * 64 + bytes[i] % 64;
    }
    if (point > 0x10FFFF || (point >= 0xD800 && point < 0xE000))
        return 0;
    char shortest[4];
    return chance_put_utf8((uint32_t)point, shortest) == ones ? ones : 0;
}

static bool is_utf8_slowly(const unsigned char *bytes, size_t length, size_t *ret_bad)
{
    for (size_t i = 0; i < length;) {
        size_t step = decode_slowly(bytes + i, length - i);
        *ret_bad = i;
        if (step == 0)
            return false;
        i += step;
    }
    return true;
}

static bool agrees(const unsigned char *bytes, size_t length)
{
    size_t ours = SIZE_MAX, theirs = 0;
    struct kvc_span text = { (const char *)bytes, length };
    bool valid = kvc_span_is_utf8(text, &ours);
    if (valid != kvc_span_is_utf8(text, NULL) || valid != is_utf8_slowly(bytes, length, &theirs))
        return false;
    return valid ? ours == SIZE_MAX : ours == theirs;
}

static void utf8_of_one_and_two_bytes_is_known(void **state)
{
    (void)state;
    for (unsigned first = 0; first < 256; first++) {
        unsigned char bytes[2] = { (unsigned char)first };
        assert_true(agrees(bytes, 1));
        for (unsigned second = 0; second < 256; second++) {
            bytes[1] = (unsigned char)second;
            assert_true(agrees(bytes, 2));
        }
    }
    assert_true(kvc_span_is_utf8((struct kvc_span){ NULL, 0 }, NULL));
}

static void utf8_of_three_bytes_is_known(void **state)
{
    (void)state;
    for (unsigned first = 0x7F; first < 256; first++) {
        for (unsigned rest = 0; rest < 65536; rest += first == 0xE0 || first == 0xED ? 1 : 3) {
            unsigned char bytes[3] = { (unsigned char)first, (unsigned char)(rest >> 8),
                                       (unsigned char)rest };
            assert_true(agrees(bytes, 3));
        }
    }
}

/* Bytes that mean something to a decoder, and any others. */
static unsigned char some_byte(struct chance *chance)
{
    static const unsigned char EDGES[] = { 0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF,
                                           0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xED, 0xEE, 0xEF,
                                           0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF8, 0xFE, 0xFF };
    return chance_one_in(chance, 2) ? EDGES[chance_below(chance, sizeof EDGES)]
                                    : (unsigned char)chance_next(chance);
}

static void utf8_of_random_bytes_is_known(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    int accepted = 0, cases = 400000;
    for (int i = 0; i < cases; i++) {
        unsigned char bytes[12];
        size_t length = chance_below(&chance, sizeof bytes - 4), used = 0;
        while (used < length) {
            if (chance_one_in(&chance, 3))
                used += chance_put_utf8(chance_code_point(&chance), (char *)bytes + used);
            else
                bytes[used++] = some_byte(&chance);
        }
        chance_check(&chance, agrees(bytes, used));
        size_t bad;
        accepted += is_utf8_slowly(bytes, used, &bad);
    }
    chance_check(&chance, accepted > cases / 20 && accepted < cases / 2);
}

static void every_code_point_comes_back(void **state)
{
    (void)state;
    for (uint32_t point = 0; point <= 0x10FFFF; point++) {
        if (point >= 0xD800 && point <= 0xDFFF)
            continue;
        char bytes[6] = { 'x', 0, 0, 0, 0, 0 };
        size_t offset = 1, length = chance_put_utf8(point, bytes + 1);
        struct kvc_span text = { bytes, 1 + length };
        assert_true(kvc_span_is_utf8(text, NULL));
        assert_true(kvc_span_code_point(text, &offset) == point);
        assert_int_equal(offset, 1 + length);
    }
}

/* ---- Integers. */

/* Digits without leading zero up to the largest, compared as text. */
static bool is_u64_slowly(const char *text, size_t length)
{
    static const char LARGEST[] = "18446744073709551615";
    if (length == 0 || strspn(text, "0123456789") < length || (text[0] == '0' && length > 1))
        return false;
    return length < 20 || (length == 20 && memcmp(text, LARGEST, 20) <= 0);
}

static void written_integers_are_read_back(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 100000; i++) {
        uint64_t value = chance_edgy(&chance), read = 0;
        char text[24];
        snprintf(text, sizeof text, "%" PRIu64, value);
        chance_check(&chance, kvc_span_u64(kvc_span_of(text), &read) && read == value);
    }
}

static void other_text_is_no_integer_and_leaves_the_result_alone(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    static const char LETTERS[] = "0123456789990184 +-./:eEx_";
    int refused = 0;
    for (int i = 0; i < 300000; i++) {
        char text[26];
        size_t length = chance_below(&chance, 24);
        bool digits = chance_one_in(&chance, 2);
        for (size_t k = 0; k < length; k++)
            text[k] = LETTERS[chance_below(&chance, digits ? 10 : sizeof LETTERS - 1)];
        if (chance_one_in(&chance, 4))
            length = (size_t)snprintf(text, sizeof text, "1844674407370955%04u",
                                      (unsigned)chance_below(&chance, 10000));
        text[length] = '\0';
        uint64_t value = 77;
        bool due = is_u64_slowly(text, length);
        chance_check(&chance, kvc_span_u64((struct kvc_span){ text, length }, &value) == due);
        chance_check(&chance, due || value == 77);
        refused += !due;
    }
    chance_check(&chance, refused > 1000);
    uint64_t value;
    assert_false(kvc_span_u64((struct kvc_span){ "1\0", 2 }, &value));
    assert_false(kvc_span_u64((struct kvc_span){ NULL, 0 }, &value));
}

/* ---- Comparisons. */

static int sign(int value)
{
    return (value > 0) - (value < 0);
}

static int compare_slowly(struct kvc_span a, struct kvc_span b)
{
    for (size_t i = 0; i < a.length && i < b.length; i++) {
        if (a.text[i] != b.text[i])
            return (unsigned char)a.text[i] < (unsigned char)b.text[i] ? -1 : 1;
    }
    return a.length == b.length ? 0 : a.length < b.length ? -1 : 1;
}

/* A short text of few letters, one of them a NUL and one above 127, in a buffer without an end. */
static struct kvc_span short_text(struct chance *chance, char room[4])
{
    struct kvc_span text = { room, chance_below(chance, 5) };
    for (size_t i = 0; i < text.length; i++)
        room[i] = "ab\0\xE9"[chance_below(chance, 4)];
    return text;
}

static void spans_compare_by_bytes_then_length(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 200000; i++) {
        char left[4], right[4];
        struct kvc_span a = short_text(&chance, left), b = short_text(&chance, right);
        int order = compare_slowly(a, b);
        chance_check(&chance, sign(kvc_span_compare(a, b)) == order);
        chance_check(&chance, kvc_span_equal(a, b) == (order == 0));
    }
}

static void beginnings_and_ends_are_found(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 200000; i++) {
        char left[4], right[5] = { 0 };
        struct kvc_span a = short_text(&chance, left);
        short_text(&chance, right);
        size_t length = strlen(right);
        struct kvc_span b = { right, length }, head = a, tail = a;
        head.length = tail.length = a.length < length ? a.length : length;
        tail.text += a.length - tail.length;
        chance_check(&chance, kvc_span_starts(a, right) == (compare_slowly(head, b) == 0));
        chance_check(&chance, kvc_span_ends(a, right) == (compare_slowly(tail, b) == 0));
        chance_check(&chance, kvc_span_is(a, right) == (compare_slowly(a, b) == 0));
    }
}

static void an_empty_span_may_have_no_text(void **state)
{
    (void)state;
    struct kvc_span none = { NULL, 0 }, some = { "a", 1 };
    assert_true(kvc_span_equal(none, none) && kvc_span_is(none, ""));
    assert_true(kvc_span_starts(none, "") && kvc_span_ends(none, ""));
    assert_false(kvc_span_starts(none, "a") || kvc_span_ends(none, "a"));
    assert_true(kvc_span_compare(none, some) < 0 && kvc_span_compare(some, none) > 0);
    assert_int_equal(kvc_span_compare(none, none), 0);
    assert_int_equal(kvc_span_distance(none, some), 1);
}

/* ---- Distance. */

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* The definition: the last letters are kept, replaced, inserted, deleted or swapped. */
static unsigned distance_slowly(const char *a, size_t i, const char *b, size_t j)
{
    if (i == 0 || j == 0)
        return (unsigned)(i + j);
    unsigned best = distance_slowly(a, i - 1, b, j - 1) + (a[i - 1] != b[j - 1]);
    best = least(best, distance_slowly(a, i - 1, b, j) + 1);
    best = least(best, distance_slowly(a, i, b, j - 1) + 1);
    if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        best = least(best, distance_slowly(a, i - 2, b, j - 2) + 1);
    return best;
}

static void distance_counts_edits(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 10000; i++) {
        char a[6], b[6];
        struct kvc_span left = { a, chance_below(&chance, 6) };
        struct kvc_span right = { b, chance_below(&chance, 6) };
        for (size_t k = 0; k < 6; k++) {
            a[k] = "abc"[chance_below(&chance, 3)];
            b[k] = "abc"[chance_below(&chance, 3)];
        }
        unsigned due = distance_slowly(a, left.length, b, right.length);
        chance_check(&chance, kvc_span_distance(left, right) == due);
        chance_check(&chance, kvc_span_distance(right, left) == due);
    }
    assert_int_equal(kvc_span_distance(kvc_span_of("block_tokens"), kvc_span_of("blok_tokens")), 1);
    assert_int_equal(kvc_span_distance(kvc_span_of("layers"), kvc_span_of("layesr")), 1);
}

static void long_texts_are_far_apart(void **state)
{
    (void)state;
    char text[65];
    memset(text, 'a', sizeof text);
    struct kvc_span fits = { text, 64 }, longer = { text, 65 }, none = { text, 0 };
    assert_int_equal(kvc_span_distance(fits, fits), 0);
    assert_int_equal(kvc_span_distance(fits, none), 64);
    assert_int_equal(kvc_span_distance(none, fits), 64);
    assert_int_equal(kvc_span_distance(longer, longer), 64);
    assert_int_equal(kvc_span_distance(fits, longer), 64);
    assert_int_equal(kvc_span_distance(longer, fits), 64);
}

/* Every byte, at every place of texts of up to three words of the machine, against its definition. */
static void plain_text_ends_at_the_first_byte_that_is_not(void **state)
{
    (void)state;
    char text[24];
    for (size_t length = 1; length <= sizeof text; length++) {
        for (size_t at = 0; at < length; at++) {
            for (unsigned byte = 0; byte < 256; byte++) {
                bool is_plain = byte >= 0x20 && byte <= 0x7E && byte != '"' && byte != '\\';
                memset(text, at % 2 == 0 ? ' ' : '~', sizeof text); /* the ends of what is plain */
                text[at] = (char)byte;
                struct kvc_span span = { text, length };
                assert_int_equal(kvc_span_plain_until(span, 0), is_plain ? length : at);
                assert_int_equal(kvc_span_plain_until(span, at), is_plain ? length : at);
                assert_int_equal(kvc_span_plain_until(span, at + 1), length);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8_of_one_and_two_bytes_is_known),
        cmocka_unit_test(utf8_of_three_bytes_is_known),
        cmocka_unit_test(utf8_of_random_bytes_is_known),
        cmocka_unit_test(every_code_point_comes_back),
        cmocka_unit_test(written_integers_are_read_back),
        cmocka_unit_test(other_text_is_no_integer_and_leaves_the_result_alone),
        cmocka_unit_test(spans_compare_by_bytes_then_length),
        cmocka_unit_test(beginnings_and_ends_are_found),
        cmocka_unit_test(an_empty_span_may_have_no_text),
        cmocka_unit_test(distance_counts_edits),
        cmocka_unit_test(long_texts_are_far_apart),
        cmocka_unit_test(plain_text_ends_at_the_first_byte_that_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
