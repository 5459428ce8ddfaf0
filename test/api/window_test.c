/* Goal: a window that arrives as a stream is held to every rule that one object is held to, wherever
 * its bytes are cut, and to the order of the calls.
 * Method: streams are written from good evidence, then bent line by line; each refusal is compared by
 * slug, pointer and the line that it names.  Streams whose lines need the general reader must get the
 * id of the object. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/edit_json.h"
#include "support/fixture.h"

static struct trio trio;
static struct kvc_span stream; /* header, then two requests */

static kvcap_window *opened(void)
{
    kvcap_window *window = NULL;
    kvcap_error err;
    must(kvcap_window_open(trio.model, trio.contract, &window, &err), &err);
    return window;
}

/* What becomes of a whole stream, fed in pieces of `step` bytes. */
static kvcap_code fed(struct kvc_span text, size_t step, char ret_id[128], kvcap_error *err)
{
    kvcap_window *window = opened();
    kvcap_plan *plan = NULL;
    kvcap_code rc = KVCAP_OK;
    for (size_t at = 0; at < text.length && rc == KVCAP_OK; at += step) {
        size_t left = text.length - at;
        rc = kvcap_window_feed(window, text.text + at, left < step ? left : step, err);
    }
    if (rc == KVCAP_OK)
        rc = kvcap_window_plan(window, &plan, err);
    if (rc == KVCAP_OK)
        snprintf(ret_id, 128, "%s", kvcap_plan_id(plan));
    else
        assert_null(plan);
    kvcap_plan_free(plan);
    kvcap_window_free(window);
    return rc;
}

static void must_make(struct kvc_span text, const char *id)
{
    static const size_t STEPS[] = { SIZE_MAX / 2, 1, 7, 4096 };
    for (size_t i = 0; i < sizeof STEPS / sizeof STEPS[0]; i++) {
        char found[128];
        kvcap_error err;
        must(fed(text, STEPS[i], found, &err), &err);
        assert_string_equal(found, id);
    }
}

static void must_fail(struct kvc_span text, const char *slug, const char *at, const char *words)
{
    static const size_t STEPS[] = { SIZE_MAX / 2, 1, 7 };
    for (size_t i = 0; i < sizeof STEPS / sizeof STEPS[0]; i++) {
        char found[128];
        kvcap_error err;
        must_refuse(fed(text, STEPS[i], found, &err), &err, slug, at);
        if (words != NULL && strstr(err.text, words) == NULL)
            fail_msg("\"%s\" does not tell \"%s\"", err.text, words);
    }
}

static size_t line_begin(unsigned line)
{
    const char *at = stream.text;
    for (; line > 0; line--)
        at = strchr(at, '\n') + 1;
    return (size_t)(at - stream.text);
}

/* The stream with line `line` (0 is the header) replaced by a printf of the line. */
static struct kvc_span with_line(unsigned line, const char *format)
{
    char *text;
    size_t length, begin = line_begin(line);
    size_t end = begin + strcspn(stream.text + begin, "\n");
    char *kept = strndup(stream.text + begin, end - begin);
    FILE *out = open_memstream(&text, &length);
    fwrite(stream.text, 1, begin, out);
    const char *mark = strstr(format, "%s");
    fwrite(format, 1, mark == NULL ? strlen(format) : (size_t)(mark - format), out);
    if (mark != NULL)
        fprintf(out, "%s%s", kept, mark + 2);
    fputs(stream.text + end, out);
    fclose(out);
    free(kept);
    return (struct kvc_span){ text, length };
}

static void line_fails(unsigned line, const char *format, const char *slug, const char *at)
{
    char words[32];
    struct kvc_span text = with_line(line, format);
    snprintf(words, sizeof words, "line %u", line + 1);
    must_fail(text, slug, at, words);
    free((char *)text.text);
}

static void line_is_fine(unsigned line, const char *format)
{
    kvcap_plan *plan = trio_plan(&trio);
    struct kvc_span text = with_line(line, format);
    must_make(text, kvcap_plan_id(plan));
    free((char *)text.text);
    kvcap_plan_free(plan);
}

/* ---- Lines. */

static void spacing_and_line_ends_do_not_matter(void **state)
{
    (void)state;
    line_is_fine(0, "  %s \t\r");
    line_is_fine(1, "\n\n\r\n   \n%s\r\n\r");
    line_is_fine(2, "\t%s");
    line_is_fine(2, "%s\n\n \n");
    struct kvc_span unended = { stream.text, stream.length - 1 };
    kvcap_plan *plan = trio_plan(&trio);
    must_make(unended, kvcap_plan_id(plan));
    kvcap_plan_free(plan);
}

#define REQUEST(members)                                                                           \
    "{\"request_id\":\"example-0002\",\"cohort\":\"long\",\"tenant\":\"example\","                 \
    "\"prompt_tokens\":6144,\"max_output_tokens\":2048" members "}"

static void the_order_and_spelling_of_members_does_not_matter(void **state)
{
    (void)state;
    line_is_fine(2, REQUEST(",\"sequences\":8"));
    line_is_fine(2, REQUEST(" , \"sequences\"\t: 8 "));
    line_is_fine(2, REQUEST(",\"sequence\\u0073\":8"));
}

static void broken_lines_are_refused_in_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *line, *slug, *at;
    } CASES[] = {
        { REQUEST(",\"sequences\":0"), "record.out_of_range", "/requests/1/sequences" },
        { REQUEST(",\"sequences\":true"), "record.wrong_type", "/requests/1/sequences" },
        { REQUEST(",\"sequences\":8.0"), "record.not_integer", "/requests/1/sequences" },
        { REQUEST(",\"sequences\":1e3"), "record.not_integer", "/requests/1/sequences" },
        { REQUEST(",\"sequences\":-0"), "record.negative_zero", "/requests/1/sequences" },
        { REQUEST(",\"sequences\":9007199254740992"), "record.unsafe_integer",
          "/requests/1/sequences" },
        { REQUEST(",\"sequences\":9007199254740991"), "evidence.past_bound",
          "/requests/1/sequences" },
        { REQUEST(",\"sequences\":65"), "evidence.past_bound", "/requests/1/sequences" },
        { REQUEST(""), "record.missing_key", "/requests/1/sequences" },
        { REQUEST(",\"sequences\":8,\"sequences\":8"), "record.duplicate_key",
          "/requests/1/sequences" },
        { REQUEST(",\"sequences\":8,\"id\":\"x\""), "record.unknown_key", "/requests/1/id" },
        { REQUEST(",\"sequences\":8,\"prefix_id\":\"p\""), "evidence.prefix",
          "/requests/1/prefix_tokens" },
        { REQUEST(",\"sequences\":8,\"prefix_tokens\":1"), "evidence.prefix",
          "/requests/1/prefix_id" },
        { REQUEST(",\"sequences\":8,\"prefix_id\":\"p\",\"prefix_tokens\":6145"), "evidence.prefix",
          "/requests/1/prefix_tokens" },
        { REQUEST(",\"sequences\":8,\"prefix_id\":\"p\",\"prefix_tokens\":0"),
          "record.out_of_range", "/requests/1/prefix_tokens" },
        { REQUEST(",\"sequences\":08"), "record.syntax", "/requests/1/sequences" },
        { REQUEST(",\"sequences\":8,"), "record.syntax", "/requests/1" },
        { REQUEST(",\"sequences\":8") "x", "record.trailing_bytes", "/requests/1" },
        { REQUEST(",\"sequences\":8") "{}", "record.trailing_bytes", "/requests/1" },
        { "[]", "record.wrong_type", "/requests/1" },
        { "7", "record.wrong_type", "/requests/1" },
        { "{}", "record.missing_key", "/requests/1/request_id" },
        { "{", "record.syntax", "/requests/1" },
        { "%s,", "record.trailing_bytes", "/requests/1" },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++)
        line_fails(2, CASES[i].line, CASES[i].slug, CASES[i].at);
}

static void a_request_that_came_before_is_refused(void **state)
{
    (void)state;
    const char *line = REQUEST(",\"sequences\":8");
    char both[1024];
    snprintf(both, sizeof both, "%s\n%s", line, line);
    struct kvc_span text = with_line(2, both);
    must_fail(text, "evidence.duplicate_request", "/requests/2/request_id", "line 4");
    free((char *)text.text);
}

static void the_header_is_held_to_the_schema(void **state)
{
    (void)state;
    static const struct {
        const char *pointer, *raw, *slug, *at;
    } CASES[] = {
        { "/kind", "\"kv-model\"", "record.unknown_kind", "/kind" },
        { "/version", "2", "record.bad_version", "/version" },
        { "/id", "\"kv-reservation-evidence@sha256:0\"", "record.bad_id", "/id" },
        { "/contract",
          "\"kv-capacity-contract@sha256:"
          "0000000000000000000000000000000000000000000000000000000000000000\"",
          "evidence.contract", "/contract" },
        { "/scope/pool", "\"other\"", "evidence.stale_scope", "/scope/pool" },
        { "/reported/device_bytes", "85899345921", "evidence.capacity_above_contract",
          "/reported/device_bytes" },
        { "/reported/cache_bytes_by_rank", "[1,2]", "evidence.ranks",
          "/reported/cache_bytes_by_rank" },
        { "/window/end", "\"2026-08-11T09:00:00Z\"", "evidence.window", "/window" },
        { "/captured_by", "\"\"", "record.bad_name", "/captured_by" },
        { "/captured_by", "\"x\",\"requests\":[]", "record.unknown_key", "/requests" },
        { "/captured_by", "\"x\",\"captured_by\":\"x\"", "record.duplicate_key", "/captured_by" },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct kvc_span header = { stream.text, line_begin(1) - 1 };
        struct kvc_span bent = edit_replace(header, CASES[i].pointer, kvc_span_of(CASES[i].raw));
        assert_non_null(bent.text);
        line_fails(0, bent.text, CASES[i].slug, CASES[i].at);
        free((char *)bent.text);
    }
    line_fails(0, "[]", "record.wrong_type", "");
    line_fails(0, "%s x", "record.trailing_bytes", "");
    struct kvc_span draft = stream_text(trio.evidence, false);
    must_fail(draft, "record.draft", "/id", "line 1");
    free((char *)draft.text);
}

static void a_rank_that_reports_too_much_is_seen_in_the_end(void **state)
{
    (void)state;
    struct kvc_span header = { stream.text, line_begin(1) - 1 };
    struct kvc_span bent =
        edit_replace(header, "/reported/cache_bytes_by_rank/0", kvc_span_of("42949672961"));
    struct kvc_span text = with_line(0, bent.text);
    char id[128];
    kvcap_error err;
    /* The id is compared first: what was tampered with is not discussed. */
    must_refuse(fed(text, 100, id, &err), &err, "record.id_mismatch", "/id");
    free((char *)text.text);
    free((char *)bent.text);
}

/* ---- What was cut off, or added. */

static void a_stream_cut_at_a_line_end_is_seen(void **state)
{
    (void)state;
    must_fail((struct kvc_span){ stream.text, line_begin(2) }, "record.id_mismatch", "/id", NULL);
    must_fail((struct kvc_span){ stream.text, line_begin(2) - 1 }, "record.id_mismatch", "/id",
              NULL);
    must_fail((struct kvc_span){ stream.text, line_begin(1) }, "evidence.empty_window", "/requests",
              NULL);
    must_fail((struct kvc_span){ stream.text, 0 }, "record.empty", "", NULL);
    must_fail((struct kvc_span){ "\n \r\n", 4 }, "record.empty", "", NULL);
    struct kvc_span more = with_line(2, "%s\n{\"request_id\":\"x\",\"cohort\":\"long\",\"tenant\":"
                                        "\"example\",\"prompt_tokens\":1,\"max_output_tokens\":1,"
                                        "\"sequences\":1}");
    must_fail(more, "record.id_mismatch", "/id", NULL);
    free((char *)more.text);
}

static void requests_in_another_order_have_another_id(void **state)
{
    (void)state;
    char *text;
    size_t length, first = line_begin(1), second = line_begin(2);
    FILE *out = open_memstream(&text, &length);
    fwrite(stream.text, 1, first, out);
    fwrite(stream.text + second, 1, stream.length - second, out);
    fwrite(stream.text + first, 1, second - first, out);
    fclose(out);
    must_fail((struct kvc_span){ text, length }, "record.id_mismatch", "/id", NULL);
    free(text);
}

/* ---- Long lines. */

static struct kvc_span padded(unsigned line, size_t bytes)
{
    size_t begin = line_begin(line), kept = strcspn(stream.text + begin, "\n");
    char *format = malloc(bytes + 3);
    memset(format, ' ', bytes - kept);
    strcpy(format + bytes - kept, "%s");
    struct kvc_span text = with_line(line, format);
    free(format);
    return text;
}

static void a_line_has_at_most_64_kib(void **state)
{
    (void)state;
    kvcap_plan *plan = trio_plan(&trio);
    struct kvc_span most = padded(2, 65536), more = padded(2, 65537);
    must_make(most, kvcap_plan_id(plan));
    must_fail(more, "evidence.line_too_long", "", "line 3");
    free((char *)most.text);
    free((char *)more.text);
    most = padded(0, 65536); /* a header is a line, too */
    more = padded(0, 65537);
    must_make(most, kvcap_plan_id(plan));
    must_fail(more, "evidence.line_too_long", "", "line 1");
    free((char *)most.text);
    free((char *)more.text);
    kvcap_plan_free(plan);
}

/* ---- Lines that only the general reader reads. */

static void any_text_in_a_request_gives_the_id_of_the_object(void **state)
{
    (void)state;
    static const char *const NAMES[] = {
        "\"Gr\\u00fc\\u00dfe\"",   /* as escapes */
        "\"Gr\xC3\xBC\xC3\x9F.\"", /* as UTF-8 */
        "\"a\\\"b\\\\c\\/d\"",     "\"\\ud83d\\ude00\"", "\"\xF0\x9F\x98\x80\"",
        "\"\xE2\x80\xA8\"",        "\"{\\u007b,]\"",     "\"\\u0041\"",
    };
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        struct kvc_span draft = without_id(kvcap_record_json(trio.evidence));
        struct kvc_span changed = edit_replace(draft, "/requests/1/cohort", kvc_span_of(NAMES[i]));
        struct trio other = { trio.model, trio.contract,
                              seal_text(changed, KVCAP_JSON, trio.contract, NULL) };
        kvcap_plan *plan = trio_plan(&other);
        struct kvc_span as_stream = stream_text(other.evidence, true);
        must_make(as_stream, kvcap_plan_id(plan));

        /* And with the name as it was written, which is not its canonical spelling. */
        char line[1024];
        snprintf(line, sizeof line,
                 "{\"request_id\":\"example-0002\",\"cohort\":%s,\"tenant\":\"example\","
                 "\"prompt_tokens\":6144,\"max_output_tokens\":2048,\"sequences\":8}\n",
                 NAMES[i]);
        char *text;
        size_t length, cut = 0;
        FILE *out = open_memstream(&text, &length);
        for (unsigned n = 0; n < 2; n++)
            cut += strcspn(as_stream.text + cut, "\n") + 1;
        fwrite(as_stream.text, 1, cut, out);
        fputs(line, out);
        fclose(out);
        must_make((struct kvc_span){ text, length }, kvcap_plan_id(plan));
        free(text);
        free((char *)as_stream.text);
        free((char *)changed.text);
        free((char *)draft.text);
        kvcap_plan_free(plan);
        kvcap_record_free(other.evidence);
    }
}

/* ---- The order of calls. */

static void calls_out_of_order_are_refused(void **state)
{
    (void)state;
    char nothing;
    kvcap_plan *untouched = (kvcap_plan *)(void *)&nothing, *plan = untouched;
    kvcap_window *window = opened();
    kvcap_error err;
    must(kvcap_window_feed(window, NULL, 0, &err), &err);
    must_refuse(kvcap_window_feed(window, NULL, 1, &err), &err, "usage.null_argument", "bytes");
    must_refuse(kvcap_window_plan(window, NULL, &err), &err, "usage.null_argument", "ret_plan");
    must(kvcap_window_feed(window, stream.text, stream.length, &err), &err);
    must(kvcap_window_plan(window, &plan, &err), &err);
    kvcap_plan_free(plan);
    plan = untouched;
    must_refuse(kvcap_window_plan(window, &plan, &err), &err, "usage.call_order", "window");
    must_refuse(kvcap_window_feed(window, "x", 1, &err), &err, "usage.call_order", "window");
    kvcap_window_free(window);

    window = opened();
    must_refuse(kvcap_window_feed(window, "x\n", 2, &err), &err, "record.syntax", "");
    must_refuse(kvcap_window_feed(window, stream.text, stream.length, &err), &err,
                "usage.call_order", "window");
    must_refuse(kvcap_window_plan(window, &plan, &err), &err, "usage.call_order", "window");
    kvcap_window_free(window);

    window = opened();
    must_refuse(kvcap_window_plan(window, &plan, &err), &err, "record.empty", "");
    must_refuse(kvcap_window_plan(window, &plan, &err), &err, "usage.call_order", "window");
    assert_ptr_equal(plan, untouched);
    kvcap_window_free(window);
}

static void the_records_need_not_outlive_the_opening(void **state)
{
    (void)state;
    struct trio own =
        fixture_trio("reference/model.yaml", "reference/contract.yaml", "reference/evidence.json");
    kvcap_window *window = NULL;
    kvcap_plan *plan = NULL;
    kvcap_error err;
    must(kvcap_window_open(own.model, own.contract, &window, &err), &err);
    trio_free(&own);
    must(kvcap_window_feed(window, stream.text, stream.length, &err), &err);
    must(kvcap_window_plan(window, &plan, &err), &err);
    kvcap_window_free(window); /* nor the window the plan */
    kvcap_plan *due = trio_plan(&trio);
    assert_string_equal(kvcap_plan_json(plan), kvcap_plan_json(due));
    kvcap_plan_free(due);
    kvcap_plan_free(plan);
}

static int take_at_hand(void **state)
{
    (void)state;
    trio =
        fixture_trio("reference/model.yaml", "reference/contract.yaml", "reference/evidence.json");
    stream = stream_text(trio.evidence, true);
    return 0;
}

static int put_away(void **state)
{
    (void)state;
    free((char *)stream.text);
    trio_free(&trio);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spacing_and_line_ends_do_not_matter),
        cmocka_unit_test(the_order_and_spelling_of_members_does_not_matter),
        cmocka_unit_test(broken_lines_are_refused_in_their_place),
        cmocka_unit_test(a_request_that_came_before_is_refused),
        cmocka_unit_test(the_header_is_held_to_the_schema),
        cmocka_unit_test(a_rank_that_reports_too_much_is_seen_in_the_end),
        cmocka_unit_test(a_stream_cut_at_a_line_end_is_seen),
        cmocka_unit_test(requests_in_another_order_have_another_id),
        cmocka_unit_test(a_line_has_at_most_64_kib),
        cmocka_unit_test(any_text_in_a_request_gives_the_id_of_the_object),
        cmocka_unit_test(calls_out_of_order_are_refused),
        cmocka_unit_test(the_records_need_not_outlive_the_opening),
    };
    return cmocka_run_group_tests(tests, take_at_hand, put_away);
}
