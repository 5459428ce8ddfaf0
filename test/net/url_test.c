/* Goal: a redirect never leads from https to http, nor to what is neither; two URLs are of one origin
 * exactly when a token for one may go to the other.
 * Method: pairs, with what is due. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "face/net/url.h"
#include "os/os.h"

static void redirects_never_lose_tls(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
        bool due;
    } ROWS[] = {
        { "https://hub/a", "https://hub/b", true },
        { "https://hub/a", "https://store.example:8443/b?sign=1", true },
        { "https://hub/a", "HTTPS://STORE/b", true },
        { "http://hub/a", "http://store/b", true },
        { "http://hub/a", "https://store/b", true },
        { "https://hub/a", "http://hub/a", false },
        { "https://hub/a", "HTTP://hub/a", false },
        { "https://hub/a", "http://hub:443/a", false },
        { "https://hub/a", "ftp://hub/a", false },
        { "https://hub/a", "file:///etc/passwd", false },
        { "https://hub/a", "scp://hub/a", false },
        { "https://hub/a", "unheard://hub/a", false },
        { "https://hub/a", "https://user@hub/a", false },
        { "https://hub/a", "https://user:word@hub/a", false },
        { "https://hub/a", "https://", false },
        { "https://hub/a", "", false },
        { "http://hub/a", "file:///etc/passwd", false },
        { "http://hub/a", "gopher://hub:70/1", false },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        kvcap_error err;
        kvcap_code rc = kvc_url_may_follow(ROWS[i].from, ROWS[i].to, &err);
        if ((rc == KVCAP_OK) != ROWS[i].due)
            fail_msg("%s to %s: %s", ROWS[i].from, ROWS[i].to, ROWS[i].due ? err.text : "taken");
        assert_true(rc == KVCAP_OK || strcmp(err.slug, "net.redirect") == 0);
    }
}

static void an_origin_is_scheme_host_and_port(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        bool due;
    } ROWS[] = {
        { "https://hub", "https://hub/a/b?c", true },
        { "https://hub", "https://HUB:443/a", true },
        { "http://hub:80", "http://hub/a", true },
        { "http://127.0.0.1:1234/x", "http://127.0.0.1:1234/y", true },
        { "http://[::1]:1234", "http://[::1]:1234/y", true },
        { "https://hub", "http://hub/a", false },
        { "https://hub", "https://hub:444/a", false },
        { "https://hub", "https://hub.example/a", false },
        { "https://hub", "https://hubb/a", false },
        { "https://hub", "https://sub.hub/a", false },
        { "https://hub", "https://hub@other/a", false },
        { "https://hub", "https://other/hub", false },
        { "https://hub", "https://other#https://hub", false },
        { "http://127.0.0.1:1234", "http://127.0.0.1:1235", false },
        { "http://127.0.0.1:1234", "http://localhost:1234", false },
        { "nonsense://", "nonsense://", false },
        { "", "", false },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        if (kvc_url_same_origin(ROWS[i].a, ROWS[i].b) != ROWS[i].due ||
            kvc_url_same_origin(ROWS[i].b, ROWS[i].a) != ROWS[i].due)
            fail_msg("%s and %s", ROWS[i].a, ROWS[i].b);
    }
}

static void urls_are_built_from_escaped_parts(void **state)
{
    (void)state;
    struct kvc_arena arena;
    kvc_arena_from(&arena, &kvc_os_memory, 1 << 20);
    assert_string_equal(
        kvc_url_of_revision(&arena, "https://hub", kvc_span_of("o/n"), kvc_span_of("refs/pr/1")),
        "https://hub/api/models/o/n/revision/refs%2Fpr%2F1");
    assert_string_equal(kvc_url_of_file(&arena, "http://h:1/p", kvc_span_of("n"), kvc_span_of("c"),
                                        kvc_span_of("a b/\xC3\xA9?&#%+~.x")),
                        "http://h:1/p/n/resolve/c/a%20b/%C3%A9%3F%26%23%25%2B~.x");
    kvc_arena_drop(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redirects_never_lose_tls),
        cmocka_unit_test(an_origin_is_scheme_host_and_port),
        cmocka_unit_test(urls_are_built_from_escaped_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
