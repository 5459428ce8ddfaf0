/* Goal: each name is of the one kind that all of kvcap takes it for.
 * Method: names as folders and repositories have them, with their kinds. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "meta/file_kind.h"

static void a_name_has_one_kind(void **state)
{
    static const struct {
        const char *name;
        enum kvc_file_kind kind;
    } ROWS[] = {
        { "config.json", KVC_FILE_CONFIG },
        { "sub/config.json", KVC_FILE_CONFIG },
        { "my-config.json", KVC_FILE_OTHER },
        { "config.json/x", KVC_FILE_OTHER },
        { "generation_config.json", KVC_FILE_OTHER },
        { "original/params.json", KVC_FILE_PARAMS },
        { "hf_quant_config.json", KVC_FILE_QUANT },
        { "model.safetensors.index.json", KVC_FILE_INDEX },
        { ".safetensors.index.json", KVC_FILE_OTHER },
        { "model-00001-of-00002.safetensors", KVC_FILE_TENSORS },
        { ".safetensors", KVC_FILE_OTHER },
        { "d/.safetensors", KVC_FILE_OTHER },
        { "m.gguf", KVC_FILE_GGUF },
        { "d/.gguf", KVC_FILE_OTHER },
        { "mmproj-m.gguf", KVC_FILE_PROJECTOR },
        { "d/mmproj.gguf", KVC_FILE_PROJECTOR },
        { "mmproj.safetensors", KVC_FILE_TENSORS },
        { "m-mmproj.gguf", KVC_FILE_GGUF },
        { "mmproj/m.gguf", KVC_FILE_GGUF },
        { "", KVC_FILE_OTHER },
        { "config.json/", KVC_FILE_OTHER },
    };
    (void)state;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        if (kvc_file_kind_of(kvc_span_of(ROWS[i].name)) != ROWS[i].kind)
            fail_msg("%s", ROWS[i].name);
    }
}

static void a_slash_leads_elsewhere(void **state)
{
    (void)state;
    assert_true(kvc_file_is_beside(kvc_span_of("config.json")));
    assert_false(kvc_file_is_beside(kvc_span_of("sub/config.json")));
    assert_false(kvc_file_is_beside(kvc_span_of("/config.json")));
    assert_false(kvc_file_is_beside(kvc_span_of("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_has_one_kind),
        cmocka_unit_test(a_slash_leads_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
