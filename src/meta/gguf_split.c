/* gguf_split.c - see gguf_split.h for the room and its promises. */

#include "meta/gguf_split.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/ck.h"
#include "meta/gguf_names.h"

static kvcap_code refuse(kvcap_error *err, enum kvc_slug slug, uint32_t no, const char *format, ...)
    KVC_PRINTF(4, 5);

static kvcap_code refuse(kvcap_error *err, enum kvc_slug slug, uint32_t no, const char *format, ...)
{
    char at[32], text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(at, sizeof at, "part %" PRIu64, (uint64_t)no + 1);
    return kvc_fail(err, slug, at, "%s", text);
}

kvcap_code kvc_gguf_must_be_first(const struct kvc_gguf *gguf, kvcap_error *err)
{
    if (!gguf->is_split || gguf->split_no == 0)
        return KVCAP_OK;
    return refuse(err, KVC_GGUF_SPLIT_FIRST, gguf->split_no,
                  "the file is part %" PRIu32 " of %" PRIu32 ", and the first part says what the "
                  "model is",
                  gguf->split_no + 1, gguf->split_count);
}

static kvcap_code check_part(const struct kvc_gguf *const *parts, uint32_t no, uint32_t parts_count,
                             kvcap_error *err)
{
    const struct kvc_gguf *part = parts[no], *first = parts[0];
    if (!part->is_split)
        return refuse(err, KVC_GGUF_SPLIT, no, "the file is no part of a split model");
    if (part->split_no != no)
        return refuse(err, KVC_GGUF_SPLIT, no, "split.no is %" PRIu32 ", not %" PRIu32,
                      part->split_no, no);
    if (part->split_count != parts_count)
        return refuse(err, KVC_GGUF_SPLIT, no, "the model has %" PRIu32 " parts, not %" PRIu32,
                      part->split_count, parts_count);
    if (part->split_tensors != first->split_tensors)
        return refuse(err, KVC_GGUF_SPLIT, no,
                      "the model has %" PRIu32 " tensors here, %" PRIu32 " in the first part",
                      part->split_tensors, first->split_tensors);
    return KVCAP_OK;
}

/* A tensor's name, and whose it is; the name first, as the sorting wants it. */
struct owned_name {
    struct kvc_span name;
    uint32_t part;
};

static kvcap_code check_names(const struct kvc_gguf *const *parts, uint32_t parts_count,
                              uint32_t tensors, struct kvc_arena *arena, kvcap_error *err)
{
    const uint32_t *order;
    uint32_t duplicate, at = 0;
    struct owned_name *names = kvc_arena_array(arena, tensors, sizeof *names);
    for (uint32_t no = 0; no < parts_count && names != NULL; no++) {
        for (uint32_t i = 0; i < parts[no]->tensors_count; i++)
            names[at++] = (struct owned_name){ .name = parts[no]->tensors[i].name, .part = no };
    }
    if (names == NULL ||
        !kvc_gguf_sort_names(arena, names, sizeof *names, tensors, &order, &duplicate))
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the names of the tensors need more memory");
    if (duplicate == KVC_NO_DUPLICATE)
        return KVCAP_OK;
    struct owned_name *twice = &names[duplicate];
    return refuse(err, KVC_GGUF_DUPLICATE_TENSOR, twice->part,
                  "an earlier part has a tensor %.*s too", (int)twice->name.length,
                  twice->name.text);
}

kvcap_code kvc_gguf_join(const struct kvc_gguf *const *parts, uint32_t parts_count,
                         struct kvc_arena *arena, uint64_t *ret_tensor_bytes, kvcap_error *err)
{
    assert(parts_count > 0);
    struct ck bytes = ck_u64(0), tensors = ck_u64(0);
    for (uint32_t no = 0; no < parts_count; no++) {
        kvcap_code rc = check_part(parts, no, parts_count, err);
        if (rc != KVCAP_OK)
            return rc;
        bytes = ck_add(bytes, ck_u64(parts[no]->tensor_bytes));
        tensors = ck_add(tensors, ck_u64(parts[no]->tensors_count));
    }
    if (tensors.value != parts[0]->split_tensors)
        return refuse(err, KVC_GGUF_SPLIT, 0,
                      "the model has %" PRIu32 " tensors, and its parts hold %" PRIu64,
                      parts[0]->split_tensors, tensors.value);
    struct kvc_mark mark = kvc_arena_mark(arena);
    kvcap_code rc = check_names(parts, parts_count, (uint32_t)tensors.value, arena, err);
    kvc_arena_rewind(arena, mark);
    return rc != KVCAP_OK ? rc : ck_take(bytes, "bytes of all tensors", ret_tensor_bytes, err);
}
