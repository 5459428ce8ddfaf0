/* gguf_set.c - see gguf_set.h for the room and its promises. */

#include "meta/gguf_set.h"

#include <inttypes.h>
#include <string.h>

#include "meta/file_kind.h"
#include "meta/gguf_facts.h"
#include "meta/gguf_split.h"
#include "meta/series.h"

static bool is_model(const char *name)
{
    struct kvc_span span = kvc_span_of(name);
    return kvc_file_is_beside(span) && kvc_file_kind_of(span) == KVC_FILE_GGUF;
}

/* The set of the first model; every other model must be of it. */
static kvcap_code one_set(const char *const *names, size_t names_count, size_t first,
                          kvcap_error *err)
{
    struct kvc_series set = kvc_series_of(kvc_span_of(names[first]));
    for (size_t i = first + 1; i < names_count; i++) {
        struct kvc_series part = kvc_series_of(kvc_span_of(names[i]));
        if (!is_model(names[i]) || kvc_series_same(&set, &part))
            continue;
        kvcap_code rc = kvc_fail(err, KVC_FOLDER_SEVERAL_GGUF, "", "several models are here: %.60s",
                                 names[first]);
        for (size_t j = i; j < names_count; j++) {
            if (is_model(names[j]))
                kvc_fail_add(err, ", %.60s", names[j]);
        }
        return rc;
    }
    return KVCAP_OK;
}

static kvcap_code collect(const char *const *names, size_t names_count, size_t first,
                          size_t *indices, kvcap_error *err)
{
    struct kvc_series set = kvc_series_of(kvc_span_of(names[first]));
    uint32_t missing = kvc_series_missing(&set, names, names_count);
    if (missing > 0)
        return kvc_fail(err, KVC_FOLDER_GGUF_PART, "",
                        "part %" PRIu32 " of %" PRIu32 " is missing of the set of %.120s", missing,
                        set.count, names[first]);
    for (size_t i = first; i < names_count; i++) {
        if (is_model(names[i]))
            indices[kvc_series_of(kvc_span_of(names[i])).number - 1] = i;
    }
    return KVCAP_OK;
}

kvcap_code kvc_gguf_choose(const char *const *names, size_t names_count, struct kvc_arena *arena,
                           size_t **ret_indices, size_t *ret_count, kvcap_error *err)
{
    size_t first = 0;
    while (first < names_count && !is_model(names[first]))
        first++;
    if (first == names_count) {
        *ret_count = 0;
        return KVCAP_OK;
    }
    kvcap_code rc = one_set(names, names_count, first, err);
    if (rc != KVCAP_OK)
        return rc;
    uint32_t parts = kvc_series_of(kvc_span_of(names[first])).count;
    size_t *indices = kvc_arena_take(arena, parts * sizeof *indices);
    if (indices == NULL)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the list of parts needs more memory");
    rc = collect(names, names_count, first, indices, err);
    if (rc == KVCAP_OK) {
        *ret_indices = indices;
        *ret_count = parts;
    }
    return rc;
}

/* ---- Headers. */

/* Where a header's end is not known yet.  Parts without a tokenizer mostly end within the first or
 * the second piece, almost all others within the third. */
static const uint64_t PIECES[] = { UINT64_C(64) * 1024, UINT64_C(512) * 1024,
                                   UINT64_C(8) * 1024 * 1024 };

/* A header tells its length a key and a tensor at a time, and each question reads it from its
 * beginning: to the byte, N keys would cost N readings.  So more is asked for, in pieces that grow:
 * together they cost less than two readings of what was asked for last. */
static uint64_t next_piece(uint64_t needed, uint64_t have, uint64_t file_bytes)
{
    uint64_t most = file_bytes < KVC_GGUF_HEADER_BYTES_MAX ? file_bytes : KVC_GGUF_HEADER_BYTES_MAX;
    uint64_t piece = 2 * have;
    for (size_t i = 0; i < sizeof PIECES / sizeof PIECES[0]; i++) {
        if (PIECES[i] > have && PIECES[i] >= needed) {
            piece = PIECES[i];
            break;
        }
    }
    if (piece > most)
        piece = most;
    return piece > needed ? piece : needed;
}

kvcap_code kvc_gguf_needs(struct kvc_span head, uint64_t file_bytes, struct kvc_arena *scratch,
                          uint64_t *ret_needed, kvcap_error *err)
{
    struct kvc_gguf gguf;
    uint64_t needed;
    struct kvc_mark mark = kvc_arena_mark(scratch);
    kvcap_code rc = kvc_gguf_read(head, file_bytes, scratch, &gguf, &needed, err);
    if (rc == KVCAP_OK)
        *ret_needed = needed == 0 ? gguf.header_bytes : next_piece(needed, head.length, file_bytes);
    kvc_arena_rewind(scratch, mark);
    return rc;
}

static kvcap_code read_part(struct kvc_gguf_part *part, struct kvc_arena *arena,
                            struct kvc_gguf *ret_gguf, kvcap_error *err)
{
    uint64_t needed;
    kvcap_code rc = kvc_gguf_read(part->head, part->file_bytes, arena, ret_gguf, &needed, err);
    if (rc != KVCAP_OK)
        return rc;
    if (needed > 0)
        return kvc_fail(err, KVC_FOLDER_HEAD, part->name,
                        "%zu bytes are at hand of the %" PRIu64 " that are needed",
                        part->head.length, needed);
    part->read_bytes = ret_gguf->header_bytes;
    return KVCAP_OK;
}

kvcap_code kvc_gguf_set_read(struct kvc_gguf_part *parts, size_t parts_count,
                             struct kvc_arena *arena, struct kvc_facts *ret_facts,
                             uint64_t *ret_tensor_bytes, kvcap_error *err)
{
    struct kvc_gguf *all = kvc_arena_array(arena, parts_count, sizeof *all);
    const struct kvc_gguf **list = kvc_arena_array(arena, parts_count, sizeof *list);
    if (all == NULL || list == NULL)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the parts need more memory");
    for (size_t i = 0; i < parts_count; i++) {
        list[i] = &all[i];
        kvcap_code rc = read_part(&parts[i], arena, &all[i], err);
        if (rc != KVCAP_OK) {
            if (parts_count > 1)
                kvc_fail_add(err, ", in %s", parts[i].name);
            return rc;
        }
    }
    uint64_t bytes = all[0].tensor_bytes;
    kvcap_code rc = kvc_gguf_must_be_first(&all[0], err);
    if (rc == KVCAP_OK && parts_count > 1)
        rc = kvc_gguf_join(list, (uint32_t)parts_count, arena, &bytes, err);
    if (rc == KVCAP_OK)
        rc = kvc_gguf_facts(&all[0], arena, ret_facts, err);
    bool is_part_alone = parts_count == 1 && all[0].is_split && all[0].split_count > 1;
    if (rc == KVCAP_OK)
        *ret_tensor_bytes = is_part_alone ? 0 : bytes;
    return rc;
}
