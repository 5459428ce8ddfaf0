/* url.c - see url.h for the room and its promises. */

#include "face/net/url.h"

#include <string.h>
#include <strings.h>

#include <curl/curl.h>

/* ---- Building. */

static bool is_plain(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("-._~", c) != NULL);
}

/* Everything but what RFC 3986 calls unreserved is written as %XX; `slash` is left where it parts. */
static char *put_encoded(char *out, struct kvc_span text, bool keep_slash)
{
    static const char HEX[] = "0123456789ABCDEF";
    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.text[i];
        if (is_plain((char)c) || (c == '/' && keep_slash)) {
            *out++ = (char)c;
        } else {
            *out++ = '%';
            *out++ = HEX[c >> 4];
            *out++ = HEX[c & 15];
        }
    }
    return out;
}

static char *put_plain(char *out, const char *text)
{
    size_t length = strlen(text);
    memcpy(out, text, length);
    return out + length;
}

const char *kvc_url_of_revision(struct kvc_arena *arena, const char *endpoint,
                                struct kvc_span repository, struct kvc_span revision)
{
    static const char API[] = "/api/models/", REVISION[] = "/revision/";
    char *url = kvc_arena_take(arena, strlen(endpoint) + sizeof API + sizeof REVISION +
                                          3 * (repository.length + revision.length));
    if (url == NULL)
        return NULL;
    char *at = put_plain(url, endpoint);
    at = put_plain(at, API);
    at = put_encoded(at, repository, true);
    at = put_plain(at, REVISION);
    at = put_encoded(at, revision, false);
    *at = '\0';
    return url;
}

const char *kvc_url_of_file(struct kvc_arena *arena, const char *endpoint,
                            struct kvc_span repository, struct kvc_span commit,
                            struct kvc_span file)
{
    static const char RESOLVE[] = "/resolve/";
    char *url = kvc_arena_take(arena, strlen(endpoint) + sizeof RESOLVE + 4 +
                                          3 * (repository.length + commit.length + file.length));
    if (url == NULL)
        return NULL;
    char *at = put_plain(url, endpoint);
    *at++ = '/';
    at = put_encoded(at, repository, true);
    at = put_plain(at, RESOLVE);
    at = put_encoded(at, commit, false);
    *at++ = '/';
    at = put_encoded(at, file, true);
    *at = '\0';
    return url;
}

/* ---- Comparing. */

struct origin {
    char *scheme, *host, *port; /* of libcurl; NULL when the URL cannot be read */
};

static struct origin origin_of(const char *text)
{
    struct origin origin = { 0 };
    CURLU *url = curl_url();
    /* A scheme that libcurl does not know is read too, so that it can be named as such. */
    if (url != NULL &&
        curl_url_set(url, CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME | CURLU_DISALLOW_USER) ==
            CURLUE_OK &&
        (curl_url_get(url, CURLUPART_SCHEME, &origin.scheme, 0) != CURLUE_OK ||
         curl_url_get(url, CURLUPART_HOST, &origin.host, 0) != CURLUE_OK ||
         curl_url_get(url, CURLUPART_PORT, &origin.port, CURLU_DEFAULT_PORT) != CURLUE_OK)) {
        curl_free(origin.host);
        curl_free(origin.port);
        origin.host = origin.port = NULL;
    }
    curl_url_cleanup(url);
    return origin;
}

static void drop(struct origin *origin)
{
    curl_free(origin->scheme);
    curl_free(origin->host);
    curl_free(origin->port);
}

bool kvc_url_same_origin(const char *a, const char *b)
{
    struct origin x = origin_of(a), y = origin_of(b);
    bool same = x.port != NULL && y.port != NULL && strcasecmp(x.scheme, y.scheme) == 0 &&
                strcasecmp(x.host, y.host) == 0 && strcmp(x.port, y.port) == 0;
    drop(&x);
    drop(&y);
    return same;
}

kvcap_code kvc_url_may_follow(const char *from, const char *to, kvcap_error *err)
{
    struct origin x = origin_of(from), y = origin_of(to);
    kvcap_code rc = KVCAP_OK;
    bool is_http = y.scheme != NULL && strcasecmp(y.scheme, "http") == 0;
    bool is_https = y.scheme != NULL && strcasecmp(y.scheme, "https") == 0;
    if (!is_http && !is_https)
        rc = kvc_fail(err, KVC_NET_REDIRECT, "", "the server sends us to neither http nor https");
    else if (y.port == NULL)
        rc = kvc_fail(err, KVC_NET_REDIRECT, "", "the server sends us nowhere that can be read");
    else if (is_http && (x.scheme == NULL || strcasecmp(x.scheme, "http") != 0))
        rc = kvc_fail(err, KVC_NET_REDIRECT, "", "the server sends us from https to http");
    drop(&x);
    drop(&y);
    return rc;
}
