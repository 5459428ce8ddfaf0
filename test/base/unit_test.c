/* Goal: what people write becomes exactly the integer it says, or is refused; what we write of an
 * integer is the nearest text, or reads back as it.
 * Method: quantities composed from their parts, whose value is known beforehand; GiB text by long
 * division in decimal, one digit at a time, with the rounding done on the digits. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "base/unit.h"
#include "support/chance.h"

#define GIB (UINT64_C(1) << 30)

/* ---- On the way out. */

/* Adds one to the last digit of a decimal text, with its carries. */
static void count_up(char *text)
{
    size_t i = strlen(text);
    while (i-- > 0) {
        if (text[i] == '.')
            continue;
        if (text[i] != '9') {
            text[i]++;
            return;
        }
        text[i] = '0';
    }
    memmove(text + 1, text, strlen(text) + 1);
    text[0] = '1';
}

static void gib_slowly(uint64_t bytes, char text[KVC_UNIT_ROOM])
{
    uint64_t rest = bytes % GIB;
    int length = snprintf(text, KVC_UNIT_ROOM, "%" PRIu64 ".", bytes / GIB);
    for (int i = 0; i < 3; i++) {
        rest *= 10;
        text[length++] = (char)('0' + rest / GIB);
        rest %= GIB;
    }
    text[length] = '\0';
    bool odd = (text[length - 1] - '0') % 2 == 1;
    if (rest > GIB / 2 || (rest == GIB / 2 && odd))
        count_up(text);
}

static void check_gib(const struct chance *chance, uint64_t bytes)
{
    char ours[KVC_UNIT_ROOM], due[KVC_UNIT_ROOM];
    kvc_unit_gib(bytes, ours);
    gib_slowly(bytes, due);
    chance_check(chance, strcmp(ours, due) == 0);
}

static void gib_text_is_the_nearest(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 200000; i++)
        check_gib(&chance, chance_edgy(&chance));
    check_gib(&chance, UINT64_MAX);
    check_gib(&chance, 0);
}

/* bytes * 1000 / 2^30 ends in a half when bytes is an odd multiple of 2^26. */
static void ties_of_gib_text_go_to_even(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 20000; i++) {
        uint64_t tie = ((chance_next(&chance) >> 27) | 1) << 26;
        for (int aside = -1; aside <= 1; aside++)
            check_gib(&chance, tie + (uint64_t)(int64_t)aside);
    }
    char text[KVC_UNIT_ROOM];
    kvc_unit_gib(UINT64_C(1) << 26, text); /* 0.0625 */
    assert_string_equal(text, "0.062");
    kvc_unit_gib(UINT64_C(3) << 26, text); /* 0.1875 */
    assert_string_equal(text, "0.188");
}

static void gib_text_of_known_numbers(void **state)
{
    (void)state;
    char text[KVC_UNIT_ROOM];
    kvc_unit_gib(UINT64_C(14817637172), text);
    assert_string_equal(text, "13.800");
    kvc_unit_gib(GIB - 1, text);
    assert_string_equal(text, "1.000");
    kvc_unit_gib(80 * GIB, text);
    assert_string_equal(text, "80.000");
    kvc_unit_gib(UINT64_MAX, text);
    assert_string_equal(text, "17179869184.000");
}

static void exact_text_reads_back_and_has_the_largest_unit(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 100000; i++) {
        uint64_t bytes = chance_edgy(&chance) << chance_below(&chance, 50), read = 1;
        char text[KVC_UNIT_ROOM];
        kvc_unit_exact(bytes, text);
        chance_check(&chance, kvc_unit_bytes(kvc_span_of(text), "", &read, NULL) == KVCAP_OK);
        chance_check(&chance, read == bytes);
        uint64_t number = 0;
        char unit[4] = "";
        chance_check(&chance, sscanf(text, "%" SCNu64 " %3s", &number, unit) == 2);
        chance_check(&chance, bytes == 0 || number % 1024 != 0 || strcmp(unit, "TiB") == 0);
    }
    char text[KVC_UNIT_ROOM];
    kvc_unit_exact(0, text);
    assert_string_equal(text, "0 B");
    kvc_unit_exact(603979776, text);
    assert_string_equal(text, "576 MiB");
    kvc_unit_exact(1000, text);
    assert_string_equal(text, "1000 B");
}

static void thousands_are_parted_in_threes(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 50000; i++) {
        uint64_t value = chance_edgy(&chance);
        char ours[KVC_UNIT_ROOM], due[KVC_UNIT_ROOM], digits[KVC_UNIT_ROOM];
        kvc_unit_thousands(value, ours);
        size_t from = KVC_UNIT_ROOM - 1, placed = 0; /* written from the end */
        due[from] = '\0';
        snprintf(digits, sizeof digits, "%" PRIu64, value);
        for (size_t k = strlen(digits); k-- > 0; placed++) {
            if (placed > 0 && placed % 3 == 0)
                due[--from] = ',';
            due[--from] = digits[k];
        }
        chance_check(&chance, strcmp(ours, due + from) == 0);
    }
    char text[KVC_UNIT_ROOM];
    kvc_unit_thousands(1677721600, text);
    assert_string_equal(text, "1,677,721,600");
}

/* ---- On the way in. */

struct unit {
    const char *name;
    uint64_t value;
};

static const struct unit BYTES[] = {
    { "", 1 },
    { "B", 1 },
    { "KiB", 1024 },
    { "MiB", 1048576 },
    { "GiB", 1073741824 },
    { "TiB", UINT64_C(1099511627776) },
    { "KB", 1000 },
    { "MB", 1000000 },
    { "GB", 1000000000 },
    { "TB", UINT64_C(1000000000000) },
};

static const struct unit COUNTS[] = {
    { "", 1 }, { "k", 1024 }, { "K", 1024 }, { "m", 1048576 }, { "M", 1048576 },
};

static const uint64_t TENS[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000 };

typedef kvcap_code parser(struct kvc_span, const char *, uint64_t *, kvcap_error *);

/* `whole`.`fraction` in `places` digits, times the unit: exact, or nothing. */
static void check_quantity(struct chance *chance, parser *parse, const struct unit *unit)
{
    uint64_t whole = chance_edgy(chance) >> chance_below(chance, 64);
    uint64_t places = unit->value == 1 ? 0 : chance_below(chance, 9);
    uint64_t fraction = chance_below(chance, TENS[places]);
    if (chance_one_in(chance, 2)) /* such as a binary unit takes */
        fraction = TENS[places] / 8 * chance_below(chance, 8);
    char text[64], decimals[24] = "";
    if (places > 0)
        snprintf(decimals, sizeof decimals, ".%0*" PRIu64, (int)places, fraction);
    const char *space = unit->name[0] != '\0' && chance_one_in(chance, 3) ? " " : "";
    snprintf(text, sizeof text, "%" PRIu64 "%s%s%s", whole, decimals, space, unit->name);

    kvc_u128 parts = (kvc_u128)fraction * unit->value;
    kvc_u128 total = (kvc_u128)whole * unit->value + parts / TENS[places];
    bool due = parts % TENS[places] == 0 && total <= UINT64_MAX;
    uint64_t read = 77;
    kvcap_error err = { .code = -1 };
    kvcap_code rc = parse(kvc_span_of(text), "--pool", &read, &err);
    chance_check(chance, rc == (due ? KVCAP_OK : KVCAP_E_USAGE));
    chance_check(chance, read == (due ? (uint64_t)total : 77));
    chance_check(chance, err.code == (due ? -1 : KVCAP_E_USAGE));
    chance_check(chance, due || strcmp(err.at, "--pool") == 0);
}

static void quantities_are_exact_or_refused(void **state)
{
    (void)state;
    struct chance chance = chance_begin();
    for (int i = 0; i < 200000; i++) {
        check_quantity(&chance, kvc_unit_bytes,
                       &BYTES[chance_below(&chance, sizeof BYTES / sizeof BYTES[0])]);
        check_quantity(&chance, kvc_unit_count,
                       &COUNTS[chance_below(&chance, sizeof COUNTS / sizeof COUNTS[0])]);
    }
}

static void known_quantities_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } ROWS[] = {
        { "80GiB", UINT64_C(85899345920) },
        { "1.5GiB", UINT64_C(1610612736) },
        { "0.5KiB", 512 },
        { "0.001KB", 1 },
        { "4096", 4096 },
        { "4096B", 4096 },
        { "24 GiB", UINT64_C(25769803776) },
        { "0", 0 },
        { "0TiB", 0 },
        { "18446744073709551615", UINT64_MAX },
        { "18446744073709551.615KB", UINT64_MAX },
        { "0.500000000000000000GiB", UINT64_C(536870912) },
        { "16777215.5TiB", UINT64_C(18446743523953737728) },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        uint64_t read = 77;
        assert_int_equal(kvc_unit_bytes(kvc_span_of(ROWS[i].text), "", &read, NULL), KVCAP_OK);
        assert_true(read == ROWS[i].bytes);
    }
    uint64_t read = 77;
    assert_int_equal(kvc_unit_count(kvc_span_of("128k"), "", &read, NULL), KVCAP_OK);
    assert_int_equal(read, 131072);
    assert_int_equal(kvc_unit_count(kvc_span_of("1M"), "", &read, NULL), KVCAP_OK);
    assert_int_equal(read, 1048576);
}

static void what_is_no_quantity_is_refused(void **state)
{
    (void)state;
    static const char *const NEITHER[] = {
        "",
        " ",
        "B",
        "GiB",
        ".",
        ".5GiB",
        "1.GiB",
        "1..5GiB",
        "-1",
        "+1",
        "-1GiB",
        "01",
        "00",
        "01GiB",
        "1e3",
        "0x10",
        "1_000",
        "1,000",
        " 1",
        "1 ",
        "1  GiB",
        "1 GiB ",
        "1GiBs",
        "1gib",
        "1GIB",
        "1g",
        "1G",
        "1T",
        "1PiB",
        "1b",
        "1\tGiB",
        "1.5",
        "0.3KiB",
        "1.1B",
        "1/2GiB",
        "NaN",
        "inf",
        "1.5.5",
        "1.-5GiB",
        "1.5 ",
        "\xEF\xBC\x91",
        "18446744073709551616",
        "99999999999999999999999999999999",
        "16777216TiB",
        "17179869184GiB",
        "18446744073709552KB",
        "18446744073709551.616KB",
        "0.5000000000000000000GiB",
        "0.50000000000000000000GiB",
        "0.0000000000000000001GiB",
        "0.000000000931322574615478515625GiB",
        "16777215.99999999999999999TiB",
    };
    for (size_t i = 0; i < sizeof NEITHER / sizeof NEITHER[0]; i++) {
        uint64_t read = 77;
        kvcap_error err = { .code = -1 };
        struct kvc_span text = kvc_span_of(NEITHER[i]);
        assert_int_equal(kvc_unit_bytes(text, "--pool", &read, &err), KVCAP_E_USAGE);
        assert_string_equal(err.slug, "usage.bad_value");
        assert_string_equal(err.at, "--pool");
        assert_int_equal(kvc_unit_count(text, "--ctx", &read, &err), KVCAP_E_USAGE);
        assert_string_equal(err.at, "--ctx");
        assert_int_equal(read, 77);
    }
}

static void bytes_know_no_k_and_counts_no_b(void **state)
{
    (void)state;
    uint64_t read = 77;
    assert_int_equal(kvc_unit_bytes(kvc_span_of("128k"), "", &read, NULL), KVCAP_E_USAGE);
    assert_int_equal(kvc_unit_bytes(kvc_span_of("1M"), "", &read, NULL), KVCAP_E_USAGE);
    assert_int_equal(kvc_unit_count(kvc_span_of("1KiB"), "", &read, NULL), KVCAP_E_USAGE);
    assert_int_equal(kvc_unit_count(kvc_span_of("1B"), "", &read, NULL), KVCAP_E_USAGE);
    assert_int_equal(read, 77);
}

static void a_nul_or_no_text_is_no_quantity(void **state)
{
    (void)state;
    uint64_t read = 77;
    assert_int_equal(kvc_unit_bytes((struct kvc_span){ "1\0", 2 }, "", &read, NULL), KVCAP_E_USAGE);
    assert_int_equal(kvc_unit_bytes((struct kvc_span){ "1GiB\0", 5 }, "", &read, NULL),
                     KVCAP_E_USAGE);
    assert_int_equal(kvc_unit_bytes((struct kvc_span){ NULL, 0 }, "", &read, NULL), KVCAP_E_USAGE);
    assert_int_equal(kvc_unit_count((struct kvc_span){ NULL, 0 }, "", &read, NULL), KVCAP_E_USAGE);
    assert_int_equal(read, 77);
}

static void a_refusal_shows_what_was_written_up_to_forty_bytes(void **state)
{
    (void)state;
    kvcap_error err;
    uint64_t read;
    char text[100];
    memset(text, 'z', sizeof text);
    kvc_unit_bytes((struct kvc_span){ text, sizeof text }, "", &read, &err);
    assert_int_equal(strspn(strchr(err.text, 'z'), "z"), 40);
    kvc_unit_bytes(kvc_span_of("12parsecs"), "", &read, &err);
    assert_non_null(strstr(err.text, "\"12parsecs\""));
}

/* Worked with bc: bytes / 1024^n, to nearest, ties to even. */
static void readable_text_has_the_largest_unit_and_three_decimals(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        const char *text;
    } ROWS[] = {
        { 0, "0 B" },
        { 1023, "1023 B" },
        { 1024, "1 KiB" },
        { 1536, "1.5 KiB" },
        { 1879048192, "1.75 GiB" },
        { 562135040, "536.094 MiB" },
        { 10266083328, "9.561 GiB" },
        { 1048575, "1023.999 KiB" },
        { UINT64_C(3) << 50, "3072 TiB" },
        { UINT64_MAX, "16777216 TiB" },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        char text[KVC_UNIT_ROOM];
        kvc_unit_readable(ROWS[i].bytes, text);
        assert_string_equal(text, ROWS[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readable_text_has_the_largest_unit_and_three_decimals),
        cmocka_unit_test(gib_text_is_the_nearest),
        cmocka_unit_test(ties_of_gib_text_go_to_even),
        cmocka_unit_test(gib_text_of_known_numbers),
        cmocka_unit_test(exact_text_reads_back_and_has_the_largest_unit),
        cmocka_unit_test(thousands_are_parted_in_threes),
        cmocka_unit_test(quantities_are_exact_or_refused),
        cmocka_unit_test(known_quantities_are_read),
        cmocka_unit_test(what_is_no_quantity_is_refused),
        cmocka_unit_test(bytes_know_no_k_and_counts_no_b),
        cmocka_unit_test(a_nul_or_no_text_is_no_quantity),
        cmocka_unit_test(a_refusal_shows_what_was_written_up_to_forty_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
