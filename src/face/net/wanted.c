/* wanted.c - see wanted.h for the room and its promises. */

#include "face/net/wanted.h"

#include <stdlib.h>
#include <string.h>

#include "face/hub/manifest.h"
#include "meta/file_kind.h"
#include "meta/gguf_set.h"
#include "meta/safetensors.h"
#include "meta/series.h"

/* Most headers come with the first request: tens of KiB a safetensors shard, 5 to 6 MiB a GGUF file
 * with a tokenizer of 150,000 tokens. */
#define SAFETENSORS_FIRST_BYTES (UINT64_C(64) * 1024)
#define GGUF_FIRST_BYTES (UINT64_C(4) * 1024 * 1024)

/* ---- How long a header is. */

static kvcap_code need_of_safetensors(struct kvc_span head, uint64_t file_bytes,
                                      struct kvc_arena *scratch, uint64_t *ret_needed,
                                      kvcap_error *err)
{
    (void)scratch;
    return kvc_safetensors_needs(head, file_bytes, ret_needed, err);
}

/* ---- The table. */

static const struct kvc_wanted ROWS[KVC_FILE_KIND_COUNT] = {
    [KVC_FILE_CONFIG] = { NULL, 0, KVC_WHOLE_BYTES_MAX },
    [KVC_FILE_QUANT] = { NULL, 0, KVC_WHOLE_BYTES_MAX },
    [KVC_FILE_PARAMS] = { NULL, 0, KVC_WHOLE_BYTES_MAX },
    [KVC_FILE_INDEX] = { NULL, 0, KVC_WHOLE_BYTES_MAX },
    [KVC_FILE_TENSORS] = { need_of_safetensors, SAFETENSORS_FIRST_BYTES, KVC_HUB_STORED_BYTES_MAX },
    [KVC_FILE_GGUF] = { kvc_gguf_needs, GGUF_FIRST_BYTES, KVC_HUB_STORED_BYTES_MAX },
    [KVC_FILE_PROJECTOR] = { kvc_gguf_needs, GGUF_FIRST_BYTES, KVC_HUB_STORED_BYTES_MAX },
};

const struct kvc_wanted *kvc_wanted_of(struct kvc_span file)
{
    enum kvc_file_kind kind = kvc_file_kind_of(file);
    return kind == KVC_FILE_OTHER ? NULL : &ROWS[kind];
}

/* ---- Choosing. */

static bool is_same_series(struct kvc_span a, struct kvc_span b)
{
    struct kvc_series one = kvc_series_of(a), other = kvc_series_of(b);
    return kvc_span_equal(a, b) || kvc_series_same(&one, &other);
}

static bool is_gguf(struct kvc_span file)
{
    return kvc_file_kind_of(file) == KVC_FILE_GGUF;
}

static int by_bytes(const void *a, const void *b)
{
    return kvc_span_compare(*(const struct kvc_span *)a, *(const struct kvc_span *)b);
}

/* With one of these a folder is read, and its GGUF files are models of their own. */
static bool is_model_without_gguf(struct kvc_span file)
{
    enum kvc_file_kind kind = kvc_file_kind_of(file);
    return kind == KVC_FILE_CONFIG || kind == KVC_FILE_PARAMS || kind == KVC_FILE_TENSORS;
}

/* Keeps the files that are of the one GGUF model, or of none where they would not be read. */
static kvcap_code choose_gguf(struct kvc_span *files, size_t *count, const char *at,
                              kvcap_error *err)
{
    size_t kept = 0;
    bool has_model = false;
    const struct kvc_span *first = NULL;
    for (size_t i = 0; i < *count; i++)
        has_model = has_model || is_model_without_gguf(files[i]);
    for (size_t i = 0; i < *count; i++) {
        if (kvc_file_kind_of(files[i]) == KVC_FILE_PROJECTOR || (is_gguf(files[i]) && has_model))
            continue;
        if (is_gguf(files[i]) && first != NULL && !is_same_series(*first, files[i]))
            return kvc_fail(err, KVC_NET_SEVERAL_MODELS, at,
                            "the repository holds several GGUF models, such as %.*s and %.*s",
                            first->length < 64 ? (int)first->length : 64, first->text,
                            files[i].length < 64 ? (int)files[i].length : 64, files[i].text);
        files[kept++] = files[i];
        if (is_gguf(files[i]) && first == NULL)
            first = &files[kept - 1];
    }
    *count = kept;
    return KVCAP_OK;
}

static kvcap_code check_only(const struct kvc_span *names, size_t names_count, struct kvc_span only,
                             const char *at, kvcap_error *err)
{
    if (kvc_wanted_of(only) == NULL)
        return kvc_fail(err, KVC_NET_FILE_KIND, at, "this file says nothing of what a model keeps");
    for (size_t i = 0; i < names_count; i++) {
        if (kvc_span_equal(names[i], only))
            return KVCAP_OK;
    }
    return kvc_fail(err, KVC_NET_NO_FILE, at, "the repository has no such file");
}

static size_t without_twins(struct kvc_span *files, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || !kvc_span_equal(files[kept - 1], files[i]))
            files[kept++] = files[i];
    }
    return kept;
}

kvcap_code kvc_wanted_choose(const struct kvc_span *names, size_t names_count, struct kvc_span only,
                             struct kvc_arena *arena, const char *at, struct kvc_span **ret_files,
                             size_t *ret_count, kvcap_error *err)
{
    struct kvc_span *files = kvc_arena_array(arena, names_count + 1, sizeof *files);
    size_t count = 0;
    if (files == NULL)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the list of files needs more memory");
    kvcap_code rc = only.length == 0 ? KVCAP_OK : check_only(names, names_count, only, at, err);
    if (rc != KVCAP_OK)
        return rc;
    for (size_t i = 0; i < names_count; i++) {
        bool chosen = only.length == 0
                          ? kvc_file_is_beside(names[i]) && kvc_wanted_of(names[i]) != NULL
                          : is_same_series(names[i], only);
        if (chosen)
            files[count++] = names[i];
    }
    qsort(files, count, sizeof *files, by_bytes);
    count = without_twins(files, count);
    if (only.length == 0)
        rc = choose_gguf(files, &count, at, err);
    if (rc == KVCAP_OK && count == 0)
        rc = kvc_fail(err, KVC_NET_NO_MODEL, at, "the repository holds no file of a model");
    if (rc == KVCAP_OK && count > KVC_HUB_FILES_MAX)
        rc = kvc_fail(err, KVC_NET_TOO_LARGE, at, "the repository has more than %d model files",
                      KVC_HUB_FILES_MAX);
    if (rc != KVCAP_OK)
        return rc;
    *ret_files = files;
    *ret_count = count;
    return KVCAP_OK;
}
