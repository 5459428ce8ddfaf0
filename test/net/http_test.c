/* Goal: a GET brings the bytes that were wished for and never more, or a refusal that names what went
 * wrong; the token reaches the endpoint and nobody else.
 * Method: a server of our own on 127.0.0.1 that answers as each test tells it, rightly and wrongly; one
 * request a test, and then what came, what was refused, and what the server saw. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "face/net/http.h"
#include "support/fixture.h"
#include "support/hub_server.h"

#define TOKEN "hf_TokenThatNobodyMaySee"
#define SHA "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define OTHER_SHA "ff112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

/* A label of more than 63 bytes is no host anywhere, and nobody needs to be asked. */
#define NO_HOST "no-host-0123456789-0123456789-0123456789-0123456789-0123456789-0123456789"

static const char ALPHABET[] = "abcdefghijklmnopqrstuvwxyz";

struct scene {
    struct hub_server *hub;
    struct kvc_net_settings settings;
    struct kvc_http *http;
    struct kvc_body body;
    struct kvc_about about;
    kvcap_error err;
    char url[256];
};

static struct scene begin(const struct hub_answer *answers, size_t count)
{
    struct scene s = { .hub = hub_server_start(answers, count) };
    s.settings = (struct kvc_net_settings){
        .endpoint = hub_server_url(s.hub),
        .token = TOKEN,
        .progress = -1,
        .limits = { .connect_ms = 10000,
                    .stall_seconds = 30,
                    .stall_bytes = 1,
                    .total_seconds = 60,
                    .retries = 2 },
    };
    snprintf(s.url, sizeof s.url, "%s/file", s.settings.endpoint);
    return s;
}

static void end(struct scene *s)
{
    kvc_http_close(s->http);
    kvc_body_drop(&s->body);
    hub_server_stop(s->hub);
}

static kvcap_code get(struct scene *s, enum kvc_wish_kind kind, uint64_t until)
{
    struct kvc_wish wish = { .kind = kind, .url = s->url, .until = until };
    if (s->http == NULL)
        must(kvc_http_open(&s->settings, &s->http, &s->err), &s->err);
    return kvc_http_get(s->http, &wish, &s->body, &s->about, &s->err);
}

static void must_get(struct scene *s, enum kvc_wish_kind kind, uint64_t until)
{
    must(get(s, kind, until), &s->err);
}

static void must_have(const struct scene *s, const char *bytes)
{
    assert_int_equal(s->body.length, strlen(bytes));
    assert_memory_equal(s->body.bytes, bytes, strlen(bytes));
}

/* Refused with the slug, at the URL that was wished for; without the token in any part. */
static void must_be_refused(struct scene *s, kvcap_code rc, const char *slug)
{
    must_refuse(rc, &s->err, slug, s->url);
    assert_null(strstr(s->err.text, TOKEN));
    assert_int_equal(s->body.length, 0);
}

static void refuse_one(struct hub_answer answer, enum kvc_wish_kind kind, uint64_t until,
                       const char *slug)
{
    struct scene s = begin(&answer, 1);
    must_be_refused(&s, get(&s, kind, until), slug);
    end(&s);
}

/* ---- What is wished for. */

static void a_whole_file_comes_whole(void **state)
{
    (void)state;
    static const enum hub_manner MANNERS[] = { HUB_WHOLE, HUB_RANGES, HUB_CHUNKED, HUB_DRIP };
    for (size_t i = 0; i < sizeof MANNERS / sizeof MANNERS[0]; i++) {
        struct scene s = begin(
            &(struct hub_answer){ .target = "/file", .body = ALPHABET, .manner = MANNERS[i] }, 1);
        must_get(&s, KVC_WISH_WHOLE, 26);
        must_have(&s, ALPHABET);
        assert_int_equal(s.about.file_bytes, 26);
        assert_string_equal(s.about.sha256, "");
        assert_string_equal(hub_server_request(s.hub, 0).range, "");
        end(&s);
    }
}

static void an_empty_file_comes_empty(void **state)
{
    (void)state;
    struct scene s = begin(&(struct hub_answer){ .body = "" }, 1);
    must_get(&s, KVC_WISH_WHOLE, 26);
    must_have(&s, "");
    assert_int_equal(s.about.file_bytes, 0);
    end(&s);
}

static void a_part_comes_by_range_and_grows(void **state)
{
    (void)state;
    static const enum hub_manner MANNERS[] = { HUB_RANGES, HUB_DRIP };
    for (size_t i = 0; i < 2; i++) {
        struct scene s = begin(&(struct hub_answer){ .body = ALPHABET, .manner = MANNERS[i] }, 1);
        must_get(&s, KVC_WISH_PART, 5);
        must_have(&s, "abcde");
        assert_int_equal(s.about.file_bytes, 26);
        must_get(&s, KVC_WISH_PART, 12);
        must_have(&s, "abcdefghijkl");
        must_get(&s, KVC_WISH_PART, 1000);
        must_have(&s, ALPHABET);
        assert_int_equal(s.about.file_bytes, 26);
        assert_string_equal(hub_server_request(s.hub, 0).range, "0-4");
        assert_string_equal(hub_server_request(s.hub, 1).range, "5-11");
        assert_string_equal(hub_server_request(s.hub, 2).range, "12-999");
        end(&s);
    }
}

static void a_server_without_ranges_is_hung_up_on(void **state)
{
    (void)state;
    /* As long as a model's weights; what the sockets hold on the way is a few MiB at most. */
    struct scene s =
        begin(&(struct hub_answer){ .body = ALPHABET, .zeros = UINT64_C(20000000000) }, 1);
    must_get(&s, KVC_WISH_PART, 5);
    must_have(&s, "abcde");
    assert_int_equal(s.about.file_bytes, UINT64_C(20000000026));
    must_get(&s, KVC_WISH_PART, 20);
    must_have(&s, "abcdefghijklmnopqrst");
    hub_server_settle(s.hub);
    assert_int_equal(hub_server_count(s.hub), 2);
    for (size_t i = 0; i < 2; i++)
        assert_true(hub_server_request(s.hub, i).sent < UINT64_C(64) * 1024 * 1024);
    end(&s);
}

static void nothing_is_waited_for_that_is_not_wanted(void **state)
{
    (void)state;
    /* What is wanted, and then no more of what was announced. */
    struct scene s =
        begin(&(struct hub_answer){ .body = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabcde",
                                    .manner = HUB_RAW },
              1);
    must_get(&s, KVC_WISH_PART, 5);
    must_have(&s, "abcde");
    assert_int_equal(s.about.file_bytes, 1000);
    end(&s);
}

static void a_short_file_from_a_server_without_ranges_ends_early(void **state)
{
    (void)state;
    static const enum hub_manner MANNERS[] = { HUB_WHOLE, HUB_CHUNKED };
    for (size_t i = 0; i < 2; i++) {
        struct scene s = begin(&(struct hub_answer){ .body = ALPHABET, .manner = MANNERS[i] }, 1);
        must_get(&s, KVC_WISH_PART, 1000);
        must_have(&s, ALPHABET);
        assert_int_equal(s.about.file_bytes, 26);
        end(&s);
    }
}

static void a_length_that_is_not_said_is_taken_from_the_hub_or_refused(void **state)
{
    (void)state;
    struct hub_answer answer = { .body = ALPHABET, .manner = HUB_CHUNKED };
    refuse_one(answer, KVC_WISH_PART, 5, "net.bad_answer");
    answer.lines = "X-Linked-Size: 26\r\n";
    struct scene s = begin(&answer, 1);
    must_get(&s, KVC_WISH_PART, 5);
    must_have(&s, "abcde");
    assert_int_equal(s.about.file_bytes, 26);
    end(&s);
}

/* ---- Digests. */

static void digests_are_believed_where_they_are_digests(void **state)
{
    (void)state;
    static const struct {
        const char *lines, *sha256;
    } ROWS[] = {
        { "X-Linked-ETag: \"" SHA "\"\r\n", SHA },
        { "x-linked-etag: " SHA "\r\n", SHA },
        { "ETag: \"" SHA "\"\r\n", SHA },
        { "ETag: W/\"" SHA "\"\r\n", SHA },
        { "ETag: \"" OTHER_SHA "\"\r\nX-Linked-ETag: \"" SHA "\"\r\n", SHA },
        { "ETag: \"00112233445566778899aabbccddeeff00112233\"\r\n", "" }, /* of git, a SHA-1 */
        { "ETag: \"" SHA "0\"\r\n", "" },
        { "ETag: \"z0112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"\r\n", "" },
        { "ETag:\r\n", "" },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        struct scene s = begin(
            &(struct hub_answer){ .body = ALPHABET, .manner = HUB_RANGES, .lines = ROWS[i].lines },
            1);
        must_get(&s, KVC_WISH_PART, 5);
        assert_string_equal(s.about.sha256, ROWS[i].sha256);
        end(&s);
    }
}

/* ---- Redirects. */

static void redirects_on_the_hub_keep_the_token(void **state)
{
    (void)state;
    static const int STATUSES[] = { 301, 302, 303, 307, 308 };
    for (size_t i = 0; i < sizeof STATUSES / sizeof STATUSES[0]; i++) {
        struct hub_answer answers[] = {
            { .target = "/file",
              .status = STATUSES[i],
              .lines = "Location: /there?x=1\r\n",
              .body = "words to people" },
            { .target = "/there?x=1", .body = ALPHABET, .manner = HUB_RANGES },
        };
        struct scene s = begin(answers, 2);
        must_get(&s, KVC_WISH_PART, 5);
        must_have(&s, "abcde");
        assert_int_equal(hub_server_count(s.hub), 2);
        for (size_t k = 0; k < 2; k++) {
            assert_string_equal(hub_server_request(s.hub, k).authorization, "Bearer " TOKEN);
            assert_string_equal(hub_server_request(s.hub, k).range, "0-4");
        }
        end(&s);
    }
}

static void another_host_gets_no_token_and_its_digests_do_not_count(void **state)
{
    (void)state;
    char lines[512];
    struct hub_server *store = hub_server_start(
        &(struct hub_answer){ .body = ALPHABET,
                              .manner = HUB_RANGES,
                              .lines = "ETag: \"" OTHER_SHA "\"\r\nX-Linked-ETag: \"" OTHER_SHA
                                       "\"\r\n" },
        1);
    snprintf(lines, sizeof lines,
             "Location: %s/store?signature=secret\r\nX-Linked-ETag: \"" SHA "\"\r\n"
             "ETag: \"" OTHER_SHA "\"\r\n",
             hub_server_url(store));
    struct scene s = begin(&(struct hub_answer){ .status = 302, .lines = lines, .body = "" }, 1);
    must_get(&s, KVC_WISH_PART, 5);
    must_have(&s, "abcde");
    assert_string_equal(s.about.sha256, SHA);
    assert_string_equal(hub_server_request(s.hub, 0).authorization, "Bearer " TOKEN);
    assert_string_equal(hub_server_request(store, 0).authorization, "");
    assert_string_equal(hub_server_request(store, 0).range, "0-4");
    /* Without the hub's word there is none. */
    snprintf(lines, sizeof lines, "Location: %s/store\r\n", hub_server_url(store));
    kvc_body_drop(&s.body);
    must_get(&s, KVC_WISH_PART, 5);
    assert_string_equal(s.about.sha256, "");
    end(&s);
    hub_server_stop(store);
}

static void a_token_comes_back_to_nobody_by_way_of_a_third(void **state)
{
    (void)state;
    /* hub -> store -> hub: each hop is judged by itself. */
    char there[256], back[256];
    struct hub_server *store = hub_server_start(NULL, 0);
    struct hub_answer answers[] = {
        { .target = "/file", .status = 302, .lines = there, .body = "" },
        { .target = "/again", .body = ALPHABET },
    };
    struct scene s = begin(answers, 2);
    snprintf(there, sizeof there, "Location: %s/\r\n", hub_server_url(store));
    snprintf(back, sizeof back, "Location: %s/again\r\n", hub_server_url(s.hub));
    hub_server_answer(store, &(struct hub_answer){ .status = 302, .lines = back, .body = "" }, 1);
    must_get(&s, KVC_WISH_WHOLE, 100);
    assert_string_equal(hub_server_request(s.hub, 0).authorization, "Bearer " TOKEN);
    assert_string_equal(hub_server_request(store, 0).authorization, "");
    assert_string_equal(hub_server_request(s.hub, 1).authorization, "Bearer " TOKEN);
    end(&s);
    hub_server_stop(store);
}

static void without_a_token_none_is_sent(void **state)
{
    (void)state;
    struct scene s = begin(&(struct hub_answer){ .body = ALPHABET }, 1);
    s.settings.token = NULL;
    must_get(&s, KVC_WISH_WHOLE, 100);
    assert_string_equal(hub_server_request(s.hub, 0).authorization, "");
    end(&s);
}

static void redirects_end(void **state)
{
    (void)state;
    struct scene s =
        begin(&(struct hub_answer){ .status = 302, .lines = "Location: /file\r\n", .body = "" }, 1);
    must_be_refused(&s, get(&s, KVC_WISH_PART, 5), "net.redirect");
    assert_int_equal(hub_server_count(s.hub), 1 + KVC_HTTP_REDIRECTS_MAX);
    end(&s);
}

static void redirects_lead_to_http_alone(void **state)
{
    (void)state;
    static const char *const LINES[] = {
        "Location: ftp://127.0.0.1/file\r\n",     "Location: file:///etc/passwd\r\n",
        "Location: gopher://127.0.0.1:1/\r\n",    "Location: http://\r\n",
        "Location: http://user:x@127.0.0.1/\r\n", "X-Location: /elsewhere\r\n",
    };
    for (size_t i = 0; i < sizeof LINES / sizeof LINES[0]; i++)
        refuse_one((struct hub_answer){ .status = 302, .lines = LINES[i], .body = "" },
                   KVC_WISH_PART, 5, "net.redirect");
}

static void a_token_that_comes_back_in_a_redirect_is_not_printed(void **state)
{
    (void)state;
    struct scene s = begin(&(struct hub_answer){ .status = 302,
                                                 .lines = "Location: http://" TOKEN ".invalid/\r\n",
                                                 .body = "" },
                           1);
    kvcap_code rc = get(&s, KVC_WISH_PART, 5);
    assert_int_equal(rc, KVCAP_E_IO);
    assert_string_equal(s.err.slug, "net.host_not_found");
    assert_null(strstr(s.err.text, TOKEN));
    assert_null(strstr(s.err.at, TOKEN));
    end(&s);
    refuse_one(
        (struct hub_answer){ .status = 429, .lines = "Retry-After: " TOKEN "\r\n", .body = TOKEN },
        KVC_WISH_PART, 5, "net.too_many_requests");
}

/* ---- Refusals of the server. */

static void statuses_have_slugs(void **state)
{
    (void)state;
    static const struct {
        int status;
        const char *lines;
        enum kvc_wish_kind kind;
        const char *slug, *words;
    } ROWS[] = {
        { 401, "", KVC_WISH_PART, "net.unauthorized", "HF_TOKEN was not accepted" },
        { 401, "X-Error-Code: GatedRepo\r\n", KVC_WISH_PART, "net.unauthorized", "gated" },
        { 403, "", KVC_WISH_PART, "net.forbidden", "may not read" },
        { 403, "X-Error-Code: GatedRepo\r\n", KVC_WISH_WHOLE, "net.forbidden", "may not read" },
        { 404, "", KVC_WISH_LISTING, "net.no_repository", "repository or revision" },
        { 404, "", KVC_WISH_PART, "net.no_file", "no such file" },
        { 404, "X-Error-Code: RepoNotFound\r\n", KVC_WISH_PART, "net.no_repository", "" },
        { 404, "X-Error-Code: RevisionNotFound\r\n", KVC_WISH_LISTING, "net.no_revision", "" },
        { 404, "X-Error-Code: EntryNotFound\r\n", KVC_WISH_WHOLE, "net.no_file", "" },
        { 416, "", KVC_WISH_PART, "net.range", "416" },
        { 429, "Retry-After: 37\r\n", KVC_WISH_PART, "net.too_many_requests", "Retry-After: 37" },
        { 429, "", KVC_WISH_PART, "net.too_many_requests", "429" },
        { 451, "", KVC_WISH_PART, "net.status", "451" },
        { 204, "", KVC_WISH_PART, "net.status", "204" },
        { 304, "", KVC_WISH_PART, "net.status", "304" },
        { 501, "", KVC_WISH_PART, "net.server", "501" },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        struct scene s = begin(
            &(struct hub_answer){ .status = ROWS[i].status, .lines = ROWS[i].lines, .body = "" },
            1);
        must_be_refused(&s, get(&s, ROWS[i].kind, 5), ROWS[i].slug);
        if (strstr(s.err.text, ROWS[i].words) == NULL)
            fail_msg("\"%s\" does not tell \"%s\"", s.err.text, ROWS[i].words);
        assert_int_equal(hub_server_count(s.hub), 1);
        end(&s);
    }
}

static void who_sent_no_token_is_told_so(void **state)
{
    (void)state;
    struct scene s = begin(&(struct hub_answer){ .status = 401, .body = "" }, 1);
    s.settings.token = NULL;
    must_be_refused(&s, get(&s, KVC_WISH_PART, 5), "net.unauthorized");
    assert_non_null(strstr(s.err.text, "HF_TOKEN is not set"));
    end(&s);
}

static void failures_of_the_server_are_tried_again(void **state)
{
    (void)state;
    static const int STATUSES[] = { 500, 502, 503, 504 };
    for (size_t i = 0; i < sizeof STATUSES / sizeof STATUSES[0]; i++) {
        struct hub_answer answers[] = {
            { .status = STATUSES[i], .times = 2, .body = "" },
            { .body = ALPHABET, .manner = HUB_RANGES },
        };
        struct scene s = begin(answers, 2);
        must_get(&s, KVC_WISH_PART, 5);
        must_have(&s, "abcde");
        assert_int_equal(hub_server_count(s.hub), 3);
        end(&s);
        s = begin(&(struct hub_answer){ .status = STATUSES[i], .body = "" }, 1);
        must_be_refused(&s, get(&s, KVC_WISH_PART, 5), "net.server");
        assert_int_equal(hub_server_count(s.hub), 3);
        end(&s);
    }
}

/* ---- Answers that break off, or never come. */

static void a_body_that_breaks_off_is_tried_again_and_then_refused(void **state)
{
    (void)state;
    struct hub_answer answers[] = {
        { .body = ALPHABET, .manner = HUB_CUT, .times = 1 },
        { .body = ALPHABET, .manner = HUB_RANGES },
    };
    struct scene s = begin(answers, 2);
    must_get(&s, KVC_WISH_PART, 10);
    must_have(&s, "abcdefghij");
    end(&s);
    refuse_one((struct hub_answer){ .body = ALPHABET, .manner = HUB_CUT }, KVC_WISH_PART, 10,
               "net.truncated");
    refuse_one((struct hub_answer){ .body = ALPHABET, .manner = HUB_CUT }, KVC_WISH_WHOLE, 100,
               "net.truncated");
    /* Nothing at all; half a header; chunks without an end. */
    refuse_one((struct hub_answer){ .body = "", .manner = HUB_RAW }, KVC_WISH_WHOLE, 100,
               "net.truncated");
    refuse_one((struct hub_answer){ .body = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                            "5\r\nab",
                                    .manner = HUB_RAW },
               KVC_WISH_WHOLE, 100, "net.truncated");
    /* A range without a length that ends with the connection, before its end. */
    refuse_one((struct hub_answer){ .body = "HTTP/1.1 206 OK\r\nContent-Range: bytes 0-4/26\r\n\r\n"
                                            "abc",
                                    .manner = HUB_RAW },
               KVC_WISH_PART, 5, "net.truncated");
}

static void a_refused_second_part_leaves_the_first(void **state)
{
    (void)state;
    struct hub_answer answers[] = {
        { .body = ALPHABET, .manner = HUB_RANGES, .times = 1 },
        { .body = ALPHABET, .manner = HUB_CUT },
    };
    struct scene s = begin(answers, 2);
    must_get(&s, KVC_WISH_PART, 5);
    kvcap_code rc = get(&s, KVC_WISH_PART, 20);
    must_refuse(rc, &s.err, "net.truncated", s.url);
    must_have(&s, "abcde");
    end(&s);
}

static void silence_is_ended(void **state)
{
    (void)state;
    struct scene s = begin(&(struct hub_answer){ .body = ALPHABET, .manner = HUB_STALL }, 1);
    s.settings.limits.stall_seconds = 1;
    s.settings.limits.stall_bytes = 1000; /* the few that came are soon no speed any more */
    must_be_refused(&s, get(&s, KVC_WISH_PART, 10), "net.timeout");
    assert_int_equal(hub_server_count(s.hub), 1);
    end(&s);
    s = begin(&(struct hub_answer){ .body = ALPHABET, .manner = HUB_STALL }, 1);
    s.settings.limits.total_seconds = 1;
    must_be_refused(&s, get(&s, KVC_WISH_WHOLE, 100), "net.timeout");
    end(&s);
}

static void nobody_there_is_told(void **state)
{
    (void)state;
    struct scene s = begin(NULL, 0);
    char gone[64];
    snprintf(gone, sizeof gone, "%s", hub_server_url(s.hub));
    hub_server_stop(s.hub);
    s.hub = NULL;
    s.settings.endpoint = gone;
    must_be_refused(&s, get(&s, KVC_WISH_PART, 5), "net.no_connection");
    s.settings.endpoint = "http://" NO_HOST;
    snprintf(s.url, sizeof s.url, "%s/file", s.settings.endpoint);
    must_be_refused(&s, get(&s, KVC_WISH_PART, 5), "net.host_not_found");
    end(&s);
}

static void who_speaks_no_tls_is_told(void **state)
{
    (void)state;
    struct scene s = begin(&(struct hub_answer){ .body = ALPHABET }, 1);
    char https[64];
    snprintf(https, sizeof https, "https%s", strchr(hub_server_url(s.hub), ':'));
    s.settings.endpoint = https;
    snprintf(s.url, sizeof s.url, "%s/file", https);
    must_be_refused(&s, get(&s, KVC_WISH_PART, 5), "net.tls");
    end(&s);
    s = begin(NULL, 0);
    s.settings.ca_file = "/there/is/no/such/file";
    snprintf(https, sizeof https, "https%s", strchr(hub_server_url(s.hub), ':'));
    s.settings.endpoint = https;
    snprintf(s.url, sizeof s.url, "%s/file", https);
    must_be_refused(&s, get(&s, KVC_WISH_PART, 5), "net.tls");
    end(&s);
}

/* ---- Nonsense. */

#define RAW(text) ((struct hub_answer){ .body = text, .manner = HUB_RAW })
#define PARTIAL(range)                                                                             \
    "HTTP/1.1 206 OK\r\nContent-Length: 5\r\nContent-Range: " range "\r\n\r\nabcde"

static void ranges_that_were_not_asked_for_are_refused(void **state)
{
    (void)state;
    static const char *const RAWS[] = {
        PARTIAL("bytes 1-5/26"),
        PARTIAL("bytes 0-5/26"),
        PARTIAL("bytes 0-3/26"),
        PARTIAL("bytes 0-4/4"),
        PARTIAL("bytes 0-4/*"),
        PARTIAL("bytes */26"),
        PARTIAL("lines 0-4/26"),
        PARTIAL("bytes 4-0/26"),
        PARTIAL("bytes 0-4"),
        PARTIAL("bytes -4/26"),
        PARTIAL("bytes 00-4/26"),
        PARTIAL("bytes 0-4/99999999999999999999999"),
        PARTIAL("bytes 0-4/ 26"),
        PARTIAL(""),
        PARTIAL("bytes 0-4/26\r\nContent-Range: bytes 0-4/27"),
        PARTIAL("bytes 0-4/9007199254740992"),
        "HTTP/1.1 206 OK\r\nContent-Length: 4\r\nContent-Range: bytes 1-4/26\r\n\r\nbcde",
        "HTTP/1.1 206 OK\r\nContent-Length: 5\r\n\r\nabcde",
        "HTTP/1.1 206 OK\r\nContent-Length: 9\r\nContent-Range: bytes 0-4/26\r\n\r\nabcdefghi",
        "HTTP/1.1 206 OK\r\nContent-Range: bytes 0-4/26\r\n\r\nabcdefghi",
        ("HTTP/1.1 206 OK\r\nContent-Length: 5\r\nContent-Encoding: gzip\r\n"
         "Content-Range: bytes 0-4/26\r\n\r\nabcde"),
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Encoding: br\r\n\r\nabcde",
        "not HTTP at all\r\n\r\n",
    };
    for (size_t i = 0; i < sizeof RAWS / sizeof RAWS[0]; i++) {
        fprintf(stderr, "answer %zu\n", i);
        refuse_one(RAW(RAWS[i]), KVC_WISH_PART, 5, "net.bad_answer");
    }
    refuse_one(RAW(PARTIAL("bytes 0-4/26")), KVC_WISH_WHOLE, 5, "net.bad_answer");
    /* The same form, rightly. */
    struct scene s = begin(&RAW(PARTIAL("bytes 0-4/26")), 1);
    must_get(&s, KVC_WISH_PART, 5);
    must_have(&s, "abcde");
    end(&s);
}

static void a_length_past_the_bound_is_refused_before_it_comes(void **state)
{
    (void)state;
    refuse_one(RAW("HTTP/1.1 200 OK\r\nContent-Length: 9000000000000000\r\n\r\nabc"),
               KVC_WISH_WHOLE, 100, "net.too_large");
    refuse_one((struct hub_answer){ .body = ALPHABET }, KVC_WISH_WHOLE, 25, "net.too_large");
    /* Without a length it is refused where it passes the bound. */
    refuse_one((struct hub_answer){ .body = ALPHABET, .manner = HUB_CHUNKED }, KVC_WISH_WHOLE, 25,
               "net.too_large");
    refuse_one((struct hub_answer){ .body = ALPHABET, .manner = HUB_CHUNKED }, KVC_WISH_LISTING, 25,
               "net.too_large");
    refuse_one(RAW("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999999\r\n\r\nabc"),
               KVC_WISH_PART, 2, "net.bad_answer");
}

static void a_header_without_end_is_refused(void **state)
{
    (void)state;
    size_t length = 0, room = 600 * 1024;
    char *text = malloc(room);
    length += (size_t)snprintf(text, room, "HTTP/1.1 200 OK\r\n");
    while (length + 64 < room)
        length += (size_t)snprintf(text + length, room - length, "X-Line-%zu: x\r\n", length);
    refuse_one((struct hub_answer){ .body = text, .length = length, .manner = HUB_RAW },
               KVC_WISH_WHOLE, 100, "net.bad_answer");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_file_comes_whole),
        cmocka_unit_test(an_empty_file_comes_empty),
        cmocka_unit_test(a_part_comes_by_range_and_grows),
        cmocka_unit_test(a_server_without_ranges_is_hung_up_on),
        cmocka_unit_test(nothing_is_waited_for_that_is_not_wanted),
        cmocka_unit_test(a_short_file_from_a_server_without_ranges_ends_early),
        cmocka_unit_test(a_length_that_is_not_said_is_taken_from_the_hub_or_refused),
        cmocka_unit_test(digests_are_believed_where_they_are_digests),
        cmocka_unit_test(redirects_on_the_hub_keep_the_token),
        cmocka_unit_test(another_host_gets_no_token_and_its_digests_do_not_count),
        cmocka_unit_test(a_token_comes_back_to_nobody_by_way_of_a_third),
        cmocka_unit_test(without_a_token_none_is_sent),
        cmocka_unit_test(redirects_end),
        cmocka_unit_test(redirects_lead_to_http_alone),
        cmocka_unit_test(a_token_that_comes_back_in_a_redirect_is_not_printed),
        cmocka_unit_test(statuses_have_slugs),
        cmocka_unit_test(who_sent_no_token_is_told_so),
        cmocka_unit_test(failures_of_the_server_are_tried_again),
        cmocka_unit_test(a_body_that_breaks_off_is_tried_again_and_then_refused),
        cmocka_unit_test(a_refused_second_part_leaves_the_first),
        cmocka_unit_test(silence_is_ended),
        cmocka_unit_test(nobody_there_is_told),
        cmocka_unit_test(who_speaks_no_tls_is_told),
        cmocka_unit_test(ranges_that_were_not_asked_for_are_refused),
        cmocka_unit_test(a_length_past_the_bound_is_refused_before_it_comes),
        cmocka_unit_test(a_header_without_end_is_refused),
    };
    setenv("no_proxy", "*", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
