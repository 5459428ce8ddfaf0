/* Goal: whatever line somebody puts into a batch, it is answered or refused, and the answer is one line of JSON.
 *
 * What must hold: no crash; the answer is canonical enough for our own scanner; it is the same when the line
 * is asked again, though the fitter's memory was used in between; a refusal has a slug and no decision; an id
 * that is text comes back. */

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kvcap.h"
#include "json/scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char arena_buffer[8u << 20];

static void check_answer(const kvcap_fit_answer *answer)
{
    struct kvc_arena arena;
    struct kvc_value *tree;
    kvcap_error err;
    kvc_arena_over(&arena, arena_buffer, sizeof arena_buffer);
    struct kvc_span text = { answer->json, answer->length };
    assert(memchr(text.text, '\n', text.length) == NULL);
    kvcap_code rc = kvc_scan(&arena, text, answer->length, KVC_SCAN_FOREIGN, &tree, &err);
    assert(rc == KVCAP_OK || rc == KVCAP_E_NOMEM);
    if (rc != KVCAP_OK)
        return;
    assert(tree->type == KVC_OBJECT);
    const struct kvc_value *error = kvc_value_member(tree, "error");
    assert((error != NULL) == (answer->code != KVCAP_OK));
    if (error == NULL)
        return;
    assert(answer->decision == KVCAP_NOT_COMPARED);
    assert(kvc_value_member(tree, "decision") == NULL);
    assert(memchr(kvc_value_member(error, "code")->text.text, '.',
                  kvc_value_member(error, "code")->text.length) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static kvcap_fitter *fitter;
    static const char OTHER[] =
        "{\"engine\":\"vllm@0.11.0\",\"model\":{\"name\":\"google/gemma-3-27b-it\"},\"settings\":"
        "{\"max_num_batched_tokens\":8192},\"memory\":{\"available_kv_gib\":\"20.00\"}}";
    kvcap_fit_answer answer = { .struct_size = sizeof answer };
    kvcap_error err;
    if (fitter == NULL && kvcap_fitter_new(NULL, NULL, &fitter, &err) != KVCAP_OK)
        abort();
    kvcap_code rc = kvcap_fitter_answer(fitter, (const char *)data, size, &answer, &err);
    assert(rc == KVCAP_OK);
    check_answer(&answer);
    char *first = malloc(answer.length + 1);
    size_t length = answer.length;
    assert(first != NULL);
    memcpy(first, answer.json, length);
    rc = kvcap_fitter_answer(fitter, OTHER, sizeof OTHER - 1, &answer, &err);
    assert(rc == KVCAP_OK && answer.code == KVCAP_OK);
    rc = kvcap_fitter_answer(fitter, (const char *)data, size, &answer, &err);
    assert(rc == KVCAP_OK && answer.length == length && memcmp(first, answer.json, length) == 0);
    free(first);
    return 0;
}
