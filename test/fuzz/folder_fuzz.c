/* Goal: whatever files lie in a folder, they become one model or a refusal.
 *
 * The input is a list of files: a byte for the name, two for the length, two for how many bytes more
 * the file has, and its bytes.  What must hold: a model is made exactly when nothing is refused; it
 * reads again with the same id; its notes are plain text; the order of the files changes nothing. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/span.h"
#include "kvcap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FILES_MAX 8

static const char *const NAMES[] = {
    "config.json",
    "params.json",
    "hf_quant_config.json",
    "model.safetensors.index.json",
    "model.safetensors",
    "a.safetensors",
    "consolidated.safetensors",
    "original/params.json",
    "a.gguf",
    "a-00001-of-00002.gguf",
    "a-00002-of-00002.gguf",
};

static void require(int condition)
{
    if (!condition)
        abort();
}

static size_t split(const uint8_t *data, size_t size, kvcap_model_file files[FILES_MAX])
{
    size_t count = 0;
    while (size >= 5 && count < FILES_MAX) {
        size_t length = data[1] | (size_t)data[2] << 8;
        uint64_t more = data[3] | (uint64_t)data[4] << 8;
        if (length > size - 5)
            length = size - 5;
        files[count++] =
            (kvcap_model_file){ .struct_size = sizeof(kvcap_model_file),
                                .name = NAMES[data[0] % (sizeof NAMES / sizeof NAMES[0])],
                                .bytes = (const char *)data + 5,
                                .length = length,
                                .file_bytes = length + more };
        data += 5 + length;
        size -= 5 + length;
    }
    return count;
}

static void check_notes(const kvcap_record *model)
{
    const char *code, *at, *text;
    for (size_t i = 0; (text = kvcap_record_note(model, i, &code, &at)) != NULL; i++) {
        require(strncmp(code, "folder.", 7) == 0);
        require(kvc_span_is_utf8(kvc_span_of(text), NULL) &&
                kvc_span_is_utf8(kvc_span_of(at), NULL));
        for (const char *c = text; *c != '\0'; c++)
            require((unsigned char)*c >= 0x20 && *c != 0x7F);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kvcap_model_file files[FILES_MAX];
    kvcap_record *model = NULL, *again = NULL, *turned = NULL;
    kvcap_error err = { 0 };
    size_t count = split(data, size, files);
    kvcap_code rc = kvcap_model_from_files(files, count, "name", NULL, &model, &err);
    require((rc == KVCAP_OK) == (model != NULL));
    for (size_t i = 0; i < count; i++) {
        uint64_t needed = 0;
        if (kvcap_model_file_needs(&files[i], &needed, &err) == KVCAP_OK)
            require(needed <= files[i].file_bytes);
    }
    if (rc != KVCAP_OK) {
        require(rc == KVCAP_E_METADATA || rc == KVCAP_E_USAGE || rc == KVCAP_E_RANGE);
        return 0;
    }
    check_notes(model);
    const char *json = kvcap_record_json(model);
    require(kvcap_record_read(json, strlen(json), KVCAP_JSON, &again, &err) == KVCAP_OK);
    require(strcmp(kvcap_record_id(again), kvcap_record_id(model)) == 0);
    for (size_t i = 0; i < count / 2; i++) {
        kvcap_model_file swapped = files[i];
        files[i] = files[count - 1 - i];
        files[count - 1 - i] = swapped;
    }
    require(kvcap_model_from_files(files, count, "name", NULL, &turned, &err) == KVCAP_OK);
    require(strcmp(kvcap_record_id(turned), kvcap_record_id(model)) == 0);
    kvcap_record_free(turned);
    kvcap_record_free(again);
    kvcap_record_free(model);
    return 0;
}
