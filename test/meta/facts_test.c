/* Goal: the object that describes the decoder is found, however a wrapper holds it.
 * Method: small files, with the pointer of the object that is due. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "meta/facts.h"
#include "json/scan.h"

static void the_decoder_is_found_within_its_wrappers(void **state)
{
    static const struct {
        const char *text, *at;
    } ROWS[] = {
        { "{\"model_type\":\"llama\"}", "" },
        { "{\"text_config\":{\"a\":1}}", "/text_config" },
        { "{\"text_config\":{}}", "" },
        { "{\"text_config\":[1]}", "" },
        { "{\"text_config\":null,\"llm_config\":{\"a\":1}}", "/llm_config" },
        { "{\"language_config\":{\"a\":1},\"vision_config\":{\"a\":1}}", "/language_config" },
        { "{\"thinker_config\":{\"a\":1,\"text_config\":{\"b\":1}}}",
          "/thinker_config/text_config" },
        { "{\"llm_config\":{\"a\":1},\"text_config\":{\"b\":1}}", "/text_config" },
        { "{\"vision_config\":{\"text_config\":{\"b\":1}}}", "" },
        { "[1]", "" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        static char buffer[8192];
        struct kvc_arena arena;
        struct kvc_value *tree;
        char pointer[KVC_POINTER_ROOM];
        kvcap_error err;
        kvc_arena_over(&arena, buffer, sizeof buffer);
        assert_int_equal(kvc_scan(&arena, kvc_span_of(ROWS[i].text), sizeof buffer,
                                  KVC_SCAN_FOREIGN, &tree, &err),
                         KVCAP_OK);
        kvc_value_pointer(kvc_facts_decoder(tree), pointer);
        assert_string_equal(pointer, ROWS[i].at);
        kvc_arena_drop(&arena);
    }
    assert_null(kvc_facts_decoder(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_decoder_is_found_within_its_wrappers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
