/* Goal: the digest is SHA-256, however the message is cut and whatever went before.
 * Method: the examples of FIPS 180-4; the same message in pieces of chance; a context used again and
 * again, also when a message was begun and left. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/digest.h"
#include "support/chance.h"

static const struct {
    const char *message, *hex;
} EXAMPLES[] = {
    { "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
    { "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
    { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
    { "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopq"
      "klmnopqrlmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1" },
};

#define MILLION_A "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"

static void hex_of(struct kvc_sha256 *sha, char hex[KVC_SHA256_HEX + 1])
{
    uint8_t digest[KVC_SHA256_BYTES];
    assert_true(kvc_sha256_end(sha, digest));
    kvc_sha256_hex(digest, hex);
}

static void examples_of_fips_180_come_out(void **state)
{
    (void)state;
    struct kvc_sha256 *sha = kvc_sha256_new();
    assert_non_null(sha);
    for (size_t i = 0; i < sizeof EXAMPLES / sizeof EXAMPLES[0]; i++) {
        char hex[KVC_SHA256_HEX + 1];
        assert_true(kvc_sha256_begin(sha));
        kvc_sha256_feed(sha, EXAMPLES[i].message, strlen(EXAMPLES[i].message));
        hex_of(sha, hex);
        assert_string_equal(hex, EXAMPLES[i].hex);
    }
    kvc_sha256_free(sha);
}

static void a_million_a_in_any_pieces(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    static char piece[5000];
    memset(piece, 'a', sizeof piece);
    struct kvc_sha256 *sha = kvc_sha256_new();
    assert_non_null(sha);
    for (int round = 0; round < 5; round++) {
        assert_true(kvc_sha256_begin(sha));
        for (size_t left = 1000000; left > 0;) {
            size_t bytes = chance_below(&chance, chance_one_in(&chance, 2) ? 130 : sizeof piece);
            bytes = bytes < left ? bytes : left;
            kvc_sha256_feed(sha, bytes == 0 ? NULL : piece, bytes);
            left -= bytes;
        }
        char hex[KVC_SHA256_HEX + 1];
        hex_of(sha, hex);
        assert_string_equal(hex, MILLION_A);
    }
    kvc_sha256_free(sha);
}

static void a_message_that_was_left_does_not_show(void **state)
{
    (void)state;
    struct kvc_sha256 *sha = kvc_sha256_new();
    assert_non_null(sha);
    char hex[KVC_SHA256_HEX + 1];
    assert_true(kvc_sha256_begin(sha));
    kvc_sha256_feed(sha, "left", 4);
    assert_true(kvc_sha256_begin(sha));
    kvc_sha256_feed(sha, "abc", 3);
    hex_of(sha, hex);
    assert_string_equal(hex, EXAMPLES[1].hex);
    kvc_sha256_free(sha);
    kvc_sha256_free(NULL);
}

static void hex_digits_are_lower_case_and_high_digit_first(void **state)
{
    (void)state;
    uint8_t digest[KVC_SHA256_BYTES];
    for (unsigned i = 0; i < KVC_SHA256_BYTES; i++)
        digest[i] = (uint8_t)(i * 8 + i / 4);
    char hex[KVC_SHA256_HEX + 1];
    memset(hex, 0x5A, sizeof hex);
    kvc_sha256_hex(digest, hex);
    assert_string_equal(hex, "0008101821293139424a525a636b737b848c949ca5adb5bdc6ced6dee7eff7ff");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_of_fips_180_come_out),
        cmocka_unit_test(a_million_a_in_any_pieces),
        cmocka_unit_test(a_message_that_was_left_does_not_show),
        cmocka_unit_test(hex_digits_are_lower_case_and_high_digit_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
