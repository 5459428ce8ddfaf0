/* Goal: whatever bytes begin a file, its header is read as the format has it, asked for, or refused.
 *
 * The input is a safetensors file's head; its data follow, as many bytes as the first two of the input
 * say.  What must hold: a header that was read accounts for every byte of the file once, and each
 * name stands once, in order; a refusal or a request for more leaves the answer alone; the same head
 * cut anywhere asks for no more than the whole. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "meta/safetensors.h"
#include "meta/weights.h"
#include "os/os.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition)
        abort();
}

static void check_tensors(const struct kvc_safetensors *got, uint64_t file_bytes, uint64_t needed)
{
    uint64_t sum = 0, types = 0;
    require(got->header_bytes == needed && got->data_bytes == file_bytes - needed);
    for (size_t i = 0; i < got->tensors_count; i++) {
        const struct kvc_tensor *t = &got->tensors[i];
        require(t->begin <= t->end && t->end <= got->data_bytes);
        require(t->dims_count <= KVC_TENSOR_DIMS_MAX);
        require(i == 0 || kvc_span_compare(got->tensors[i - 1].name, t->name) < 0);
        sum += t->end - t->begin;
    }
    for (unsigned i = 0; i < KVC_TENSOR_TYPE_COUNT; i++)
        types += got->type_bytes[i];
    require(sum == got->data_bytes && types == got->data_bytes);
}

static void add_to_weights(const struct kvc_safetensors *got, struct kvc_arena *arena)
{
    struct kvc_weights weights;
    char words[KVC_WEIGHTS_WORDS];
    kvc_weights_begin(&weights, arena);
    require(kvc_weights_add(&weights, "model.safetensors", got, NULL) == KVCAP_OK);
    require(weights.data_bytes == got->data_bytes);
    require(weights.layers_count <= KVC_WEIGHTS_LAYERS_MAX + 1);
    kvc_weights_words(&weights, words);
    require(strlen(words) < sizeof words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    struct kvc_span head = { (const char *)data + 2, size - 2 };
    uint64_t file_bytes = size - 2 + data[0] + ((uint64_t)data[1] << 8), needed = 0, less = 0;
    struct kvc_safetensors got = { .tensors_count = 77 };
    struct kvc_arena arena;
    kvcap_error err = { 0 };
    kvc_arena_from(&arena, &kvc_os_memory, (size_t)256 * 1024 * 1024);
    kvcap_code rc = kvc_safetensors_read(head, file_bytes, &arena, &got, &needed, &err);
    if (rc != KVCAP_OK)
        require(rc == KVCAP_E_METADATA && err.code == rc && err.slug[0] != '\0');
    if (rc != KVCAP_OK || needed > head.length)
        require(got.tensors_count == 77);
    else
        check_tensors(&got, file_bytes, needed);
    if (rc == KVCAP_OK && needed <= head.length)
        add_to_weights(&got, &arena);
    struct kvc_span half = { head.text, head.length / 2 };
    if (rc == KVCAP_OK && kvc_safetensors_needs(half, file_bytes, &less, &err) == KVCAP_OK)
        require(less <= needed);
    kvc_arena_drop(&arena);
    return 0;
}
