/* settings.c - see settings.h for the room and its promises. */

#include "face/net/settings.h"

#include <stdlib.h>
#include <string.h>

#include "face/hub/cache.h"

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value == NULL || value[0] == '\0' ? NULL : value;
}

struct kvc_net_limits kvc_net_limits_usual(void)
{
    return (struct kvc_net_limits){ .connect_ms = 10000,
                                    .stall_seconds = 30,
                                    .stall_bytes = 100,
                                    .total_seconds = 900,
                                    .retries = 3,
                                    .backoff_ms = 500 };
}

static kvcap_code read_limits(struct kvc_net_limits *limits, kvcap_error *err)
{
    const struct {
        const char *name;
        uint32_t *value;
        uint32_t min;
    } ROWS[] = {
        { "KVCAP_NET_CONNECT_MS", &limits->connect_ms, 1 },
        { "KVCAP_NET_STALL_SECONDS", &limits->stall_seconds, 1 },
        { "KVCAP_NET_STALL_BYTES", &limits->stall_bytes, 1 },
        { "KVCAP_NET_TOTAL_SECONDS", &limits->total_seconds, 1 },
        { "KVCAP_NET_RETRIES", &limits->retries, 0 },
        { "KVCAP_NET_BACKOFF_MS", &limits->backoff_ms, 0 },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        const char *text = variable(ROWS[i].name);
        uint64_t value;
        if (text == NULL)
            continue;
        if (!kvc_span_u64(kvc_span_of(text), &value) || value < ROWS[i].min || value > 1000000)
            return kvc_fail(err, KVC_USAGE_BAD_VALUE, ROWS[i].name,
                            "a number within %u and 1000000 is due", (unsigned)ROWS[i].min);
        *ROWS[i].value = (uint32_t)value;
    }
    return KVCAP_OK;
}

/* ---- The endpoint. */

static bool is_host_byte(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           memchr("._-:[]", c, 6) != NULL;
}

static bool is_path_byte(char c)
{
    return is_host_byte(c) || memchr("~+/", c, 3) != NULL;
}

/* HOST[:PORT][/PATH] to the name of a folder: lower case, and + for a slash. */
static void write_host(char *out, struct kvc_span rest)
{
    for (size_t i = 0; i < rest.length; i++) {
        char c = rest.text[i];
        out[i] = c == '/' ? '+' : c;
        if (c >= 'A' && c <= 'Z')
            out[i] = (char)(c - 'A' + 'a');
    }
    out[rest.length] = '\0';
}

kvcap_code kvc_net_endpoint(const char *text, struct kvc_arena *arena,
                            struct kvc_net_settings *settings, kvcap_error *err)
{
    struct kvc_span whole = kvc_span_of(text);
    while (kvc_span_ends(whole, "/"))
        whole.length--;
    size_t scheme = kvc_span_starts(whole, "https://")  ? strlen("https://")
                    : kvc_span_starts(whole, "http://") ? strlen("http://")
                                                        : 0;
    struct kvc_span rest = { whole.text + scheme, whole.length - scheme };
    bool good = scheme > 0 && rest.length > 0 && rest.length <= 200 && rest.text[0] != '.' &&
                rest.text[0] != '/';
    for (size_t i = 0, in_path = 0; i < rest.length && good; i++) {
        in_path = in_path || rest.text[i] == '/';
        bool is_dots = i > 0 && rest.text[i] == '.' && rest.text[i - 1] == '.';
        good = (in_path ? is_path_byte(rest.text[i]) : is_host_byte(rest.text[i])) && !is_dots;
    }
    if (!good)
        return kvc_fail(err, KVC_NET_BAD_ENDPOINT, "HF_ENDPOINT", "this is no address of a hub");
    char *host = kvc_arena_take(arena, rest.length + 1);
    settings->endpoint = kvc_arena_copy(arena, whole).text;
    settings->host = host;
    if (settings->endpoint == NULL || host == NULL)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the settings need more memory");
    write_host(host, rest);
    return KVCAP_OK;
}

/* ---- The token: visible ASCII, or it would end the header line that holds it. */
static kvcap_code read_token(struct kvc_arena *arena, struct kvc_net_settings *settings,
                             kvcap_error *err)
{
    const char *text = variable("HF_TOKEN");
    if (text == NULL)
        return KVCAP_OK;
    text += strspn(text, " \t\r\n");
    struct kvc_span token = { .text = text, .length = strcspn(text, " \t\r\n") };
    bool good = strspn(text + token.length, " \t\r\n") == strlen(text + token.length) &&
                token.length <= 4096;
    for (size_t i = 0; i < token.length; i++)
        good = good && token.text[i] > 0x20 && token.text[i] < 0x7F;
    if (!good)
        return kvc_fail(err, KVC_NET_BAD_TOKEN, "HF_TOKEN", "it holds bytes that no token has");
    if (token.length == 0)
        return KVCAP_OK;
    settings->token = kvc_arena_copy(arena, token).text;
    return settings->token != NULL
               ? KVCAP_OK
               : kvc_fail(err, KVC_MEMORY_FULL, "", "the settings need more memory");
}

static bool is_yes(const char *text)
{
    static const char *const WORDS[] = { "1", "true", "True", "TRUE", "yes", "YES", "on", "ON" };
    for (size_t i = 0; text != NULL && i < sizeof WORDS / sizeof WORDS[0]; i++) {
        if (strcmp(text, WORDS[i]) == 0)
            return true;
    }
    return false;
}

kvcap_code kvc_net_settings_read(struct kvc_arena *arena, struct kvc_net_settings *ret_settings,
                                 kvcap_error *err)
{
    struct kvc_net_settings settings = { .progress = -1, .limits = kvc_net_limits_usual() };
    const char *endpoint = variable("HF_ENDPOINT");
    kvcap_code rc = read_limits(&settings.limits, err);
    if (rc == KVCAP_OK)
        rc =
            kvc_net_endpoint(endpoint == NULL ? KVC_NET_ENDPOINT : endpoint, arena, &settings, err);
    if (rc == KVCAP_OK)
        rc = read_token(arena, &settings, err);
    if (rc == KVCAP_OK)
        rc = kvc_hub_cache_folder(arena, &settings.cache, err);
    if (rc != KVCAP_OK)
        return rc;
    /* As curl and openssl themselves have it. */
    settings.ca_file = variable("CURL_CA_BUNDLE");
    if (settings.ca_file == NULL)
        settings.ca_file = variable("SSL_CERT_FILE");
    settings.offline = is_yes(variable("HF_HUB_OFFLINE"));
    *ret_settings = settings;
    return KVCAP_OK;
}
