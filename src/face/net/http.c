/* http.c - see http.h for the room and its promises. */

#include "face/net/http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <curl/curl.h>

#include "base/ck.h"
#include "face/net/head.h"
#include "face/net/status.h"
#include "face/net/url.h"

struct kvc_http {
    const struct kvc_net_settings *settings;
    CURL *curl;
    struct curl_slist *plain; /* header lines for anybody */
    struct curl_slist *own;   /* the same and the token, for the endpoint */
    char words[CURL_ERROR_SIZE];
};

/* One request and its answer; a redirect is followed by another. */
struct transfer {
    struct kvc_http *http;
    const struct kvc_wish *wish;
    struct kvc_body *body;
    struct kvc_head head;
    const char *url; /* asked now; the wish's at first */
    bool is_own;     /* of the endpoint's origin */
    bool begun;      /* the body's first bytes were seen */
    bool keeps;      /* 200 or 206: the body is what is wanted */
    bool enough;     /* hung up on purpose */
    uint64_t skip;   /* bytes of a 200 answer that are at hand already, or dropped */
    uint64_t taken;  /* bytes of this answer so far, skipped ones too */
    long status;
    kvcap_code rc; /* what was refused within a callback */
    kvcap_error *err;
};

void kvc_body_drop(struct kvc_body *body)
{
    free(body->bytes);
    *body = (struct kvc_body){ 0 };
}

/* ---- The client. */

static kvcap_code no_memory(kvcap_error *err)
{
    return kvc_fail(err, KVC_MEMORY_FULL, "", "the request needs more memory");
}

/* Adds a line; the list stays whole when there is no memory. */
static bool add_line(struct curl_slist **list, const char *line)
{
    struct curl_slist *longer = curl_slist_append(*list, line);
    if (longer == NULL)
        return false;
    *list = longer;
    return true;
}

static bool add_token(struct kvc_http *http)
{
    const char *token = http->settings->token;
    if (token == NULL)
        return true;
    size_t room = strlen(token) + sizeof "Authorization: Bearer ";
    char *line = malloc(room);
    if (line == NULL)
        return false;
    snprintf(line, room, "Authorization: Bearer %s", token);
    bool added = add_line(&http->own, line);
    free(line);
    return added;
}

static size_t take_head(char *bytes, size_t size, size_t count, void *context);
static size_t take_body(char *bytes, size_t size, size_t count, void *context);

/* What holds for every request.  False when libcurl refuses an option. */
static bool set_up(struct kvc_http *http)
{
    const struct kvc_net_limits *limits = &http->settings->limits;
    CURL *curl = http->curl;
    CURLcode rc = CURLE_OK;
#define SET(option, value)                                                                         \
    do {                                                                                           \
        if (rc == CURLE_OK)                                                                        \
            rc = curl_easy_setopt(curl, option, value);                                            \
    } while (0)
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_USERAGENT, "kvcap/" KVCAP_VERSION);
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long)limits->connect_ms);
    SET(CURLOPT_LOW_SPEED_LIMIT, (long)limits->stall_bytes);
    SET(CURLOPT_LOW_SPEED_TIME, (long)limits->stall_seconds);
    SET(CURLOPT_TIMEOUT, (long)limits->total_seconds);
    SET(CURLOPT_ERRORBUFFER, http->words);
    SET(CURLOPT_HEADERFUNCTION, take_head);
    SET(CURLOPT_WRITEFUNCTION, take_body);
    SET(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L); /* a proxy's own answer is not the hub's */
    if (http->settings->ca_file != NULL)
        SET(CURLOPT_CAINFO, http->settings->ca_file);
#undef SET
    return rc == CURLE_OK;
}

kvcap_code kvc_http_open(const struct kvc_net_settings *settings, struct kvc_http **ret_http,
                         kvcap_error *err)
{
    /* Bytes of the file as it is: a compressed answer has no ranges of it. */
    static const char IDENTITY[] = "Accept-Encoding: identity";
    struct kvc_http *http = calloc(1, sizeof *http);
    if (http == NULL)
        return no_memory(err);
    http->settings = settings;
    if (curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK)
        http->curl = curl_easy_init();
    if (http->curl == NULL || !add_line(&http->plain, IDENTITY) ||
        !add_line(&http->own, IDENTITY) || !add_token(http) || !set_up(http)) {
        kvc_http_close(http);
        return no_memory(err);
    }
    *ret_http = http;
    return KVCAP_OK;
}

void kvc_http_close(struct kvc_http *http)
{
    if (http == NULL)
        return;
    curl_slist_free_all(http->plain);
    curl_slist_free_all(http->own);
    curl_easy_cleanup(http->curl);
    curl_global_cleanup();
    free(http);
}

/* ---- What arrives. */

static size_t take_head(char *bytes, size_t size, size_t count, void *context)
{
    struct transfer *t = context;
    size_t length = size * count; /* size is 1, says libcurl */
    kvc_head_line(&t->head, (struct kvc_span){ .text = bytes, .length = length });
    if (t->head.bytes <= KVC_HTTP_HEAD_BYTES_MAX)
        return length;
    t->rc = kvc_fail(t->err, KVC_NET_BAD_ANSWER, t->wish->url, "its header does not end");
    return 0;
}

static kvcap_code bad_answer(struct transfer *t, const char *why)
{
    return kvc_fail(t->err, KVC_NET_BAD_ANSWER, t->wish->url, "%s", why);
}

static kvcap_code too_large(struct transfer *t)
{
    return kvc_fail(t->err, KVC_NET_TOO_LARGE, t->wish->url, "the file is longer than %llu bytes",
                    (unsigned long long)t->wish->until);
}

static bool is_part(const struct transfer *t)
{
    return t->wish->kind == KVC_WISH_PART;
}

/* A range as it was asked for: from there, no further than to there, and to the end if shorter. */
static kvcap_code check_range(struct transfer *t)
{
    const struct kvc_head *head = &t->head;
    if (!is_part(t))
        return bad_answer(t, "a range came that was not asked for");
    if (head->range != KVC_RANGE_GOOD || head->first != t->body->length ||
        head->last >= t->wish->until)
        return bad_answer(t, "the range that came is not the one that was asked for");
    uint64_t total = head->total != 0 ? head->total : head->linked_bytes;
    if (total == 0 || head->last >= total)
        return bad_answer(t, "the server does not say how long the file is");
    if (head->last + 1 < t->wish->until && head->last + 1 < total)
        return bad_answer(t, "the range that came is shorter than the one that was asked for");
    if (head->has_length && head->length != head->last - head->first + 1)
        return bad_answer(t, "the range that came is not as long as it says");
    return KVCAP_OK;
}

static kvcap_code begin_body(struct transfer *t)
{
    t->begun = true;
    if (curl_easy_getinfo(t->http->curl, CURLINFO_RESPONSE_CODE, &t->status) != CURLE_OK)
        return bad_answer(t, "it has no status");
    t->keeps = t->status == 200 || t->status == 206;
    if (!t->keeps)
        return KVCAP_OK;
    if (t->head.encoded)
        return bad_answer(t, "the body is encoded, which was not asked for");
    if (t->status == 206)
        return check_range(t);
    if (is_part(t))
        t->skip = t->body->length; /* a server without ranges begins at the beginning */
    else if (t->head.has_length && t->head.length > t->wish->until)
        return too_large(t);
    return KVCAP_OK;
}

/* The body grows with what has come, never with what was announced. */
static bool add_bytes(struct kvc_body *body, const char *bytes, size_t length)
{
    if (length > body->room - body->length) {
        size_t room = body->room < 16384 ? 16384 : body->room;
        while (room - body->length < length)
            room *= 2;
        char *bigger = realloc(body->bytes, room);
        if (bigger == NULL)
            return false;
        body->bytes = bigger;
        body->room = room;
    }
    memcpy(body->bytes + body->length, bytes, length);
    body->length += length;
    return true;
}

/* Of a body that is kept: past what is at hand, up to what is wanted. */
static kvcap_code keep_bytes(struct transfer *t, const char *bytes, size_t length)
{
    if (t->skip >= length) {
        t->skip -= length;
        return KVCAP_OK;
    }
    bytes += t->skip;
    length -= (size_t)t->skip;
    t->skip = 0;
    uint64_t room = t->wish->until - t->body->length;
    if (length > room) {
        if (!is_part(t))
            return too_large(t);
        if (t->status == 206)
            return bad_answer(t, "more came than the range that was asked for");
        length = (size_t)room;
        t->enough = true;
    }
    if (!add_bytes(t->body, bytes, length))
        return no_memory(t->err);
    /* Of a 200 answer to a range nothing more is wanted, were it a whole model. */
    t->enough = t->enough || (is_part(t) && t->status == 200 && t->body->length == t->wish->until);
    return KVCAP_OK;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *context)
{
    struct transfer *t = context;
    size_t length = size * count;
    if (!t->begun)
        t->rc = begin_body(t);
    t->taken += length;
    if (t->rc == KVCAP_OK && t->keeps)
        t->rc = keep_bytes(t, bytes, length);
    else if (t->rc == KVCAP_OK && t->taken > KVC_HTTP_HEAD_BYTES_MAX)
        t->enough = true; /* the words to an error are not read, and need not end */
    return t->rc == KVCAP_OK && !t->enough ? length : 0;
}

/* ---- What became of it. */

/* Nothing that is printed holds the token, though no word of ours does: a server that has it could
 * send it back as the host of a redirect. */
static void scrub(const struct kvc_http *http, char *text)
{
    const char *token = http->settings->token;
    size_t length = token == NULL ? 0 : strlen(token);
    for (char *at = text; length > 0 && (at = strstr(at, token)) != NULL; at += length)
        memset(at, '*', length);
}

/* libcurl's words: hosts, ports and limits, but no header and no path. */
static kvcap_code failed(struct transfer *t, enum kvc_slug slug, CURLcode code)
{
    scrub(t->http, t->http->words);
    const char *words = t->http->words[0] != '\0' ? t->http->words : curl_easy_strerror(code);
    return kvc_fail(t->err, slug, t->wish->url, "%.160s", words);
}

static kvcap_code of_curl(struct transfer *t, CURLcode code)
{
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
        return failed(t, KVC_NET_HOST, code);
    case CURLE_OPERATION_TIMEDOUT:
        return failed(t, KVC_NET_TIMEOUT, code);
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        return failed(t, KVC_NET_TLS, code);
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
        return failed(t, KVC_NET_TRUNCATED, code);
    case CURLE_OUT_OF_MEMORY:
        return no_memory(t->err);
    case CURLE_COULDNT_CONNECT:
    case CURLE_PROXY:
        return failed(t, KVC_NET_CONNECT, code);
    default:
        return failed(t, KVC_NET_BAD_ANSWER, code);
    }
}

/* How long the whole file is, and that all came which was due. */
static kvcap_code finish_body(struct transfer *t, struct kvc_about *about)
{
    const struct kvc_head *head = &t->head;
    uint64_t total = t->taken;
    if (t->status == 206) {
        total = head->total != 0 ? head->total : head->linked_bytes;
        if (t->taken != head->last - head->first + 1)
            return kvc_fail(t->err, KVC_NET_TRUNCATED, t->wish->url, "the range broke off");
    } else if (t->enough) {
        if (!head->has_length && !head->has_linked_bytes)
            return bad_answer(t, "the server does not say how long the file is");
        total = head->has_length ? head->length : head->linked_bytes;
        if (total < t->body->length)
            return bad_answer(t, "more came than the file has");
    } else if (head->has_linked_bytes && head->linked_bytes != total) {
        return kvc_fail(t->err, KVC_NET_TRUNCATED, t->wish->url, "the file broke off");
    }
    about->file_bytes = total;
    return KVCAP_OK;
}

/* Only the endpoint's own word counts; a hub redirects with X-Linked-ETag what it stores elsewhere. */
static void note_digest(const struct transfer *t, struct kvc_about *about)
{
    if (!t->is_own || about->sha256[0] != '\0')
        return;
    if (t->head.linked[0] != '\0')
        memcpy(about->sha256, t->head.linked, sizeof about->sha256);
    else if (t->keeps)
        memcpy(about->sha256, t->head.etag, sizeof about->sha256);
}

/* ---- Asking. */

static bool prepare(struct transfer *t)
{
    CURL *curl = t->http->curl;
    char range[64];
    snprintf(range, sizeof range, "%llu-%llu", (unsigned long long)t->body->length,
             (unsigned long long)(t->wish->until - 1));
    t->http->words[0] = '\0';
    return curl_easy_setopt(curl, CURLOPT_URL, t->url) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_HTTPHEADER, t->is_own ? t->http->own : t->http->plain) ==
               CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_RANGE, is_part(t) ? range : NULL) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_HEADERDATA, t) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_WRITEDATA, t) == CURLE_OK;
}

/* One request.  KVCAP_OK with a status that redirects is for the caller to follow. */
static kvcap_code ask(struct transfer *t, struct kvc_about *about)
{
    if (!prepare(t))
        return no_memory(t->err);
    CURLcode code = curl_easy_perform(t->http->curl);
    if (t->rc == KVCAP_OK && !t->begun && code == CURLE_OK)
        t->rc = begin_body(t); /* an answer without a body */
    if (t->rc != KVCAP_OK)
        return t->rc;
    if (code != CURLE_OK && !t->enough)
        return of_curl(t, code);
    scrub(t->http, t->head.retry_after);
    note_digest(t, about);
    if (t->keeps)
        return finish_body(t, about);
    if (kvc_status_redirects(t->status))
        return KVCAP_OK;
    return kvc_status_refuse(
        t->status, &t->head,
        &(struct kvc_asked){ .url = t->wish->url,
                             .listing = t->wish->kind == KVC_WISH_LISTING,
                             .with_token = t->is_own && t->http->settings->token != NULL },
        t->err);
}

/* Where the answer leads; the text is the caller's to free. */
static kvcap_code next_place(struct transfer *t, char **ret_place)
{
    const char *place = NULL;
    curl_easy_getinfo(t->http->curl, CURLINFO_REDIRECT_URL, &place);
    if (place == NULL)
        return kvc_fail(t->err, KVC_NET_REDIRECT, t->wish->url,
                        "the server sends us on and does not say where");
    kvcap_code rc = kvc_url_may_follow(t->url, place, t->err);
    if (rc != KVCAP_OK) {
        kvc_fail_within(t->err, t->wish->url);
        return rc;
    }
    *ret_place = strdup(place);
    return *ret_place != NULL ? KVCAP_OK : no_memory(t->err);
}

/* A request and what it redirects to. */
static kvcap_code follow(struct kvc_http *http, const struct kvc_wish *wish, struct kvc_body *body,
                         struct kvc_about *about, bool *ret_may_pass, kvcap_error *err)
{
    char *place = NULL;
    kvcap_code rc = KVCAP_OK;
    *about = (struct kvc_about){ 0 };
    *ret_may_pass = false;
    for (unsigned hops = 0;; hops++) {
        const char *url = place == NULL ? wish->url : place;
        struct transfer t = { .http = http,
                              .wish = wish,
                              .body = body,
                              .url = url,
                              .err = err,
                              .is_own = kvc_url_same_origin(url, http->settings->endpoint) };
        char *next = NULL;
        rc = ask(&t, about);
        if (rc == KVCAP_OK && !t.keeps && hops == KVC_HTTP_REDIRECTS_MAX)
            rc = kvc_fail(err, KVC_NET_REDIRECT, wish->url, "the server sends us on and on");
        else if (rc == KVCAP_OK && !t.keeps)
            rc = next_place(&t, &next);
        *ret_may_pass = !t.keeps && kvc_status_may_pass(t.status);
        free(place);
        place = next;
        if (rc != KVCAP_OK || t.keeps)
            break;
    }
    free(place);
    return rc;
}

static void pause_ms(uint64_t ms)
{
    struct timespec rest = { .tv_sec = (time_t)(ms / 1000),
                             .tv_nsec = (long)(ms % 1000) * 1000000 };
    nanosleep(&rest, NULL);
}

kvcap_code kvc_http_get(struct kvc_http *http, const struct kvc_wish *wish, struct kvc_body *body,
                        struct kvc_about *ret_about, kvcap_error *err)
{
    const struct kvc_net_limits *limits = &http->settings->limits;
    size_t before = body->length;
    uint64_t pause = limits->backoff_ms;
    assert(wish->until > before);
    for (uint32_t tries = 0;; tries++) {
        struct kvc_about about;
        kvcap_error inner;
        bool may_pass;
        kvcap_code rc = follow(http, wish, body, &about, &may_pass, &inner);
        if (rc == KVCAP_OK) {
            *ret_about = about;
            return KVCAP_OK;
        }
        body->length = before;
        may_pass = may_pass || strcmp(inner.slug, kvc_slug_text(KVC_NET_TRUNCATED)) == 0;
        if (!may_pass || tries >= limits->retries) {
            if (err != NULL)
                *err = inner;
            return rc;
        }
        if (pause > 0)
            pause_ms(pause);
        pause = pause * 2 < 60000 ? pause * 2 : 60000;
    }
}
