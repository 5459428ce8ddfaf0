/* broken_texts.h - texts that are no record, with the slug and the place of each refusal.
 *
 * Read by scan_test.c in record mode.  They are entered with their length, since some hold a NUL.
 */
#ifndef KVC_TEST_JSON_BROKEN_TEXTS_H
#define KVC_TEST_JSON_BROKEN_TEXTS_H

#include <stddef.h>

struct broken_text {
    const char *text;
    size_t length;
    const char *slug, *at;
};

#define BROKEN(text, slug, at)                                                                     \
    {                                                                                              \
        text, sizeof(text) - 1, "record." slug, at                                                 \
    }

/* clang-format off */
static const struct broken_text BROKEN_TEXTS[] = {
    /* Nothing. */
    BROKEN("", "empty", ""),
    BROKEN(" \t\r\n ", "empty", ""),

    /* Brackets, commas and colons. */
    BROKEN("{", "syntax", ""),
    BROKEN("[", "syntax", "/0"),
    BROKEN("}", "syntax", ""),
    BROKEN("]", "syntax", ""),
    BROKEN(",", "syntax", ""),
    BROKEN(":", "syntax", ""),
    BROKEN("[1", "syntax", ""),
    BROKEN("[1,", "syntax", "/1"),
    BROKEN("[1,]", "syntax", "/1"),
    BROKEN("[,1]", "syntax", "/0"),
    BROKEN("[1,,2]", "syntax", "/1"),
    BROKEN("[1 2]", "syntax", ""),
    BROKEN("[1:2]", "syntax", ""),
    BROKEN("[1}", "syntax", ""),
    BROKEN("{,}", "syntax", ""),
    BROKEN("{\"a\"", "syntax", "/a"),
    BROKEN("{\"a\"}", "syntax", "/a"),
    BROKEN("{\"a\":", "syntax", "/a"),
    BROKEN("{\"a\":}", "syntax", "/a"),
    BROKEN("{\"a\",1}", "syntax", "/a"),
    BROKEN("{\"a\" 1}", "syntax", "/a"),
    BROKEN("{\"a\"::1}", "syntax", "/a"),
    BROKEN("{\"a\":1", "syntax", ""),
    BROKEN("{\"a\":1]", "syntax", ""),
    BROKEN("{\"a\":1,}", "syntax", ""),
    BROKEN("{\"a\":1 \"b\":2}", "syntax", ""),
    BROKEN("{\"x\":[{\"a\":1 \"b\":2}]}", "syntax", "/x/0"),
    BROKEN("{a:1}", "syntax", ""),
    BROKEN("{'a':1}", "syntax", ""),
    BROKEN("{1:1}", "syntax", ""),
    BROKEN("{null:1}", "syntax", ""),
    BROKEN("{{}:1}", "syntax", ""),
    BROKEN("{\"a\":1,2}", "syntax", ""),

    /* Words that JSON does not know. */
    BROKEN("tru", "syntax", ""),
    BROKEN("True", "syntax", ""),
    BROKEN("NULL", "syntax", ""),
    BROKEN("nil", "syntax", ""),
    BROKEN("undefined", "syntax", ""),
    BROKEN("NaN", "syntax", ""),
    BROKEN("[Infinity]", "syntax", "/0"),
    BROKEN("{\"a\":-Infinity}", "syntax", "/a"),
    BROKEN("// remark\n1", "syntax", ""),
    BROKEN("/* remark */ 1", "syntax", ""),
    BROKEN("\xEF\xBB\xBF{}", "syntax", ""),
    BROKEN("\xFF\xFE{\0}\0", "syntax", ""),
    BROKEN("\xC3\xA9", "syntax", ""),
    BROKEN("\0", "syntax", ""),
    BROKEN("[\0]", "syntax", "/0"),
    BROKEN("[\f1]", "syntax", "/0"),
    BROKEN("[\v1]", "syntax", "/0"),
    BROKEN("[\xC2\xA0" "1]", "syntax", "/0"),

    /* What follows the value. */
    BROKEN("1 2", "trailing_bytes", ""),
    BROKEN("{} {}", "trailing_bytes", ""),
    BROKEN("{}x", "trailing_bytes", ""),
    BROKEN("{},", "trailing_bytes", ""),
    BROKEN("[]]", "trailing_bytes", ""),
    BROKEN("\"a\"\"b\"", "trailing_bytes", ""),
    BROKEN("truefalse", "trailing_bytes", ""),
    BROKEN("nullx", "trailing_bytes", ""),
    BROKEN("{}\0", "trailing_bytes", ""),
    BROKEN("0x10", "trailing_bytes", ""),
    BROKEN("1_000", "trailing_bytes", ""),
    BROKEN("1,000", "trailing_bytes", ""),
    BROKEN("1.5.5", "not_integer", ""), /* the number is read, and refused, before what follows */

    /* Numbers that JSON does not know. */
    BROKEN("+1", "syntax", ""),
    BROKEN("-", "syntax", ""),
    BROKEN("--1", "syntax", ""),
    BROKEN("-x", "syntax", ""),
    BROKEN("- 1", "syntax", ""),
    BROKEN(".5", "syntax", ""),
    BROKEN("-.5", "syntax", ""),
    BROKEN("00", "syntax", ""),
    BROKEN("01", "syntax", ""),
    BROKEN("-01", "syntax", ""),
    BROKEN("{\"a\":007}", "syntax", "/a"),
    BROKEN("1.", "syntax", ""),
    BROKEN("1.e5", "syntax", ""),
    BROKEN("1.x", "syntax", ""),
    BROKEN("1e", "syntax", ""),
    BROKEN("1e+", "syntax", ""),
    BROKEN("1E-", "syntax", ""),
    BROKEN("[0x10]", "syntax", ""),
    BROKEN("[1_000]", "syntax", ""),

    /* Numbers that JSON knows and a record does not. */
    BROKEN("1.5", "not_integer", ""),
    BROKEN("1.0", "not_integer", ""),
    BROKEN("1e3", "not_integer", ""),
    BROKEN("1E+2", "not_integer", ""),
    BROKEN("10e-1", "not_integer", ""),
    BROKEN("-0.0", "not_integer", ""),
    BROKEN("-0e1", "not_integer", ""),
    BROKEN("{\"a\":[1,2.0]}", "not_integer", "/a/1"),
    BROKEN("-0", "negative_zero", ""),
    BROKEN("{\"a\":{\"b\":-0}}", "negative_zero", "/a/b"),
    BROKEN("9007199254740992", "unsafe_integer", ""),
    BROKEN("-9007199254740992", "unsafe_integer", ""),
    BROKEN("[0,9007199254740993]", "unsafe_integer", "/1"),
    BROKEN("9223372036854775807", "unsafe_integer", ""),
    BROKEN("18446744073709551615", "unsafe_integer", ""),
    BROKEN("18446744073709551616", "unsafe_integer", ""),
    BROKEN("36893488147419103233", "unsafe_integer", ""), /* 1 in 64 bits that wrapped twice */
    BROKEN("{\"n\":100000000000000000000000000000000000000000}", "unsafe_integer", "/n"),

    /* Texts. */
    BROKEN("\"", "syntax", ""),
    BROKEN("\"abc", "syntax", ""),
    BROKEN("\"abc\\", "syntax", ""),
    BROKEN("\"abc\\\"", "syntax", ""),
    BROKEN("{\"a", "syntax", ""),
    BROKEN("{\"a\":\"b}", "syntax", "/a"),
    BROKEN("\"\0\"", "syntax", ""),
    BROKEN("\"\x01\"", "syntax", ""),
    BROKEN("\"\x1F\"", "syntax", ""),
    BROKEN("\"\n\"", "syntax", ""),
    BROKEN("\"\t\"", "syntax", ""),
    BROKEN("{\"a\r\":1}", "syntax", ""),
    BROKEN("[0,\"a\x02\"]", "syntax", "/1"),
    BROKEN("\"\\a\"", "syntax", ""),
    BROKEN("\"\\0\"", "syntax", ""),
    BROKEN("\"\\'\"", "syntax", ""),
    BROKEN("\"\\x41\"", "syntax", ""),
    BROKEN("\"\\U0041\"", "syntax", ""),
    BROKEN("\"\\\0\"", "syntax", ""),
    BROKEN("\"\\\x01\"", "syntax", ""),
    BROKEN("\"\\\n\"", "syntax", ""),
    BROKEN("\"\\\xC3\xA9\"", "syntax", ""),
    BROKEN("\"\\u\"", "syntax", ""),
    BROKEN("\"\\u004\"", "syntax", ""),
    BROKEN("\"\\u12G4\"", "syntax", ""),
    BROKEN("\"\\u 041\"", "syntax", ""),
    BROKEN("\"\\u+041\"", "syntax", ""),
    BROKEN("\"\\u00`1\"", "syntax", ""),
    BROKEN("\"\\u00@1\"", "syntax", ""),
    BROKEN("\"\\u00:1\"", "syntax", ""),

    /* Surrogates that stand alone. */
    BROKEN("\"\\ud800\"", "lone_surrogate", ""),
    BROKEN("\"\\uDBFF\"", "lone_surrogate", ""),
    BROKEN("\"\\udc00\"", "lone_surrogate", ""),
    BROKEN("\"\\uDFFF\"", "lone_surrogate", ""),
    BROKEN("\"\\ud800x\"", "lone_surrogate", ""),
    BROKEN("\"\\ud800\\n\"", "lone_surrogate", ""),
    BROKEN("\"\\ud800\\u0041\"", "lone_surrogate", ""),
    BROKEN("\"\\ud800\\ud800\"", "lone_surrogate", ""),
    BROKEN("\"\\ud800\\udbff\"", "lone_surrogate", ""),
    BROKEN("\"\\ud800\\ue000\"", "lone_surrogate", ""),
    BROKEN("\"\\udc00\\ud800\"", "lone_surrogate", ""),
    BROKEN("\"\\udc00\\udc00\"", "lone_surrogate", ""),
    BROKEN("\"\\ud83d\\ude00\\ud83d\"", "lone_surrogate", ""),
    BROKEN("\"\\ud83d \\ude00\"", "lone_surrogate", ""),
    BROKEN("\"\\ud83d\\\\ude00\"", "lone_surrogate", ""),
    BROKEN("\"\\ud800\\udc0\"", "syntax", ""),
    BROKEN("\"\\ud800\\u\"", "syntax", ""),
    BROKEN("[{\"a\":\"\\ud800\"}]", "lone_surrogate", "/0/a"),
    BROKEN("{\"x\":{\"\\udc00\":1}}", "lone_surrogate", "/x"), /* a key that cannot be named */

    /* Bytes that are not UTF-8. */
    BROKEN("\"\x80\"", "bad_utf8", ""),
    BROKEN("\"a\xBF\"", "bad_utf8", ""),
    BROKEN("\"\xC3\"", "bad_utf8", ""),
    BROKEN("\"\xC3(\"", "bad_utf8", ""),
    BROKEN("\"\xE2\x82\"", "bad_utf8", ""),
    BROKEN("\"\xF0\x9F\x98\"", "bad_utf8", ""),
    BROKEN("\"\xC0\xAF\"", "bad_utf8", ""),
    BROKEN("\"\xC1\xBF\"", "bad_utf8", ""),
    BROKEN("\"\xE0\x9F\xBF\"", "bad_utf8", ""),
    BROKEN("\"\xF0\x8F\xBF\xBF\"", "bad_utf8", ""),
    BROKEN("\"\xED\xA0\x80\"", "bad_utf8", ""),
    BROKEN("\"\xED\xA0\xBD\xED\xB8\x80\"", "bad_utf8", ""),
    BROKEN("\"\xF4\x90\x80\x80\"", "bad_utf8", ""),
    BROKEN("\"\xF5\x80\x80\x80\"", "bad_utf8", ""),
    BROKEN("\"\xF8\x88\x80\x80\x80\"", "bad_utf8", ""),
    BROKEN("\"\xFE\"", "bad_utf8", ""),
    BROKEN("\"\xFF\"", "bad_utf8", ""),
    BROKEN("[1,[\"\xFF\"]]", "bad_utf8", "/1/0"),
    BROKEN("{\"a\":{\"\xFF\":1}}", "bad_utf8", "/a"),

    /* Keys that stand twice. */
    BROKEN("{\"a\":1,\"a\":1}", "duplicate_key", "/a"),
    BROKEN("{\"a\":1,\"b\":2,\"a\":3}", "duplicate_key", "/a"),
    BROKEN("{\"b\":1,\"a\":2,\"b\":3,\"a\":4}", "duplicate_key", "/a"),
    BROKEN("{\"a\":1,\"a\":2,\"a\":3}", "duplicate_key", "/a"),
    BROKEN("{\"\":1,\"\":2}", "duplicate_key", "/"),
    BROKEN("{\"a\":1,\"\\u0061\":2}", "duplicate_key", "/a"),
    BROKEN("{\"\\n\":1,\"\\u000a\":2}", "duplicate_key", "/\n"),
    BROKEN("{\"a/b\":1,\"a\\/b\":2}", "duplicate_key", "/a~1b"),
    BROKEN("{\"~\":1,\"\\u007e\":2}", "duplicate_key", "/~0"),
    BROKEN("{\"\xC3\xA9\":1,\"\\u00E9\":2}", "duplicate_key", "/\xC3\xA9"),
    BROKEN("{\"\xF0\x9F\x98\x80\":1,\"\\ud83d\\ude00\":2}", "duplicate_key", "/\xF0\x9F\x98\x80"),
    BROKEN("{\"\\u0000\":1,\"\\u0000\":2}", "duplicate_key", "/\\u0000"),
    BROKEN("{\"x\":{\"a\":1,\"b\":2,\"a\":3}}", "duplicate_key", "/x/a"),
    BROKEN("[{\"a\":0},{\"b\":0,\"b\":0}]", "duplicate_key", "/1/b"),
    BROKEN("{\"a\":{\"a\":{\"a\":{\"k\":1,\"k\":1}}}}", "duplicate_key", "/a/a/a/k"),
    BROKEN("{\"a\":{\"k\":1,\"k\":1},\"a\":2}", "duplicate_key", "/a/k"), /* the inner closes first */
    BROKEN("{\"a\":1,\"a\":2", "syntax", ""), /* an object that never closes is never compared */
};
/* clang-format on */

#define BROKEN_TEXTS_COUNT (sizeof BROKEN_TEXTS / sizeof BROKEN_TEXTS[0])

#endif /* KVC_TEST_JSON_BROKEN_TEXTS_H */
