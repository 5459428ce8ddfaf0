/* reading.c - the weights of a folder; see reading.h for the room and its promises. */

#include "meta/reading.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "meta/holders.h"
#include "meta/index.h"
#include "meta/series.h"
#include "json/tree.h"

/* What is a model's own: no adapter on top of one. */
static bool is_weights(const char *name)
{
    return kvc_reading_is_beside(name, KVC_FILE_TENSORS) &&
           !kvc_span_starts(kvc_span_of(name), "adapter_");
}

static bool is_consolidated(const char *name)
{
    return kvc_span_starts(kvc_span_of(name), "consolidated");
}

/* The index of the format that is read. */
static struct kvc_folder_file *index_file(const struct kvc_reading *r)
{
    struct kvc_folder_file *first = NULL;
    for (size_t i = 0; i < r->count; i++) {
        const char *name = r->files[i].name;
        bool fits = kvc_reading_is_beside(name, KVC_FILE_INDEX) &&
                    is_consolidated(name) == (r->folder.kind == KVC_FOLDER_PARAMS);
        if (fits && (first == NULL || strcmp(name, "model.safetensors.index.json") == 0))
            first = &r->files[i];
    }
    return first;
}

/* Whether there are weights of both formats, so that, where no index tells, names do. */
static bool has_both_formats(const struct kvc_reading *r)
{
    bool both[2] = { false, false };
    for (size_t i = 0; i < r->count; i++) {
        if (is_weights(r->files[i].name))
            both[is_consolidated(r->files[i].name)] = true;
    }
    return both[0] && both[1];
}

static kvcap_code read_header(struct kvc_reading *r, struct kvc_folder_file *file,
                              const struct kvc_index_file *due)
{
    struct kvc_safetensors header;
    uint64_t needed;
    struct kvc_mark mark = kvc_arena_mark(r->scratch);
    kvcap_code rc =
        kvc_safetensors_read(file->bytes, file->file_bytes, r->scratch, &header, &needed, r->err);
    if (rc == KVCAP_OK && needed > file->bytes.length)
        return kvc_fail(r->err, KVC_FOLDER_HEAD, file->name,
                        "%zu bytes are at hand of the %" PRIu64 " that are needed",
                        file->bytes.length, needed);
    if (rc == KVCAP_OK)
        rc = kvc_weights_add(&r->folder.weights, file->name, &header, r->err);
    if (rc == KVCAP_OK && r->holders != NULL)
        rc = kvc_holders_add(r->holders, (uint16_t)(r->folder.weights.files_count - 1), file->bytes,
                             &header, r->err);
    if (rc != KVCAP_OK)
        return kvc_reading_in_file(r, file, rc);
    file->read_bytes = needed;
    if (due != NULL && due->tensors_count != header.tensors_count)
        kvc_note_add(r->notes, "folder.index_tensors", file->name,
                     "the index names %" PRIu64 " tensors in %s, which holds %zu; the file is "
                     "believed, since it is what is loaded",
                     due->tensors_count, file->name, header.tensors_count);
    kvc_arena_rewind(r->scratch, mark);
    return KVCAP_OK;
}

static void note_absent(struct kvc_reading *r, const struct kvc_folder_file *index_file_,
                        const struct kvc_index *index)
{
    const struct kvc_index_file *first = NULL;
    size_t absent = 0;
    for (size_t i = 0; i < index->files_count; i++) {
        struct kvc_folder_file *file = NULL;
        for (size_t j = 0; j < r->count && file == NULL; j++) {
            if (kvc_span_is(index->files[i].name, r->files[j].name))
                file = &r->files[j];
        }
        if (file != NULL)
            continue;
        first = first == NULL ? &index->files[i] : first;
        absent++;
    }
    if (absent == 0)
        return;
    r->folder.weights_whole = false;
    kvc_note_add(r->notes, "folder.file_missing", index_file_->name,
                 "%zu of %zu files that the index names are not here, the first is %.*s; the bytes "
                 "of the weights are not said",
                 absent, index->files_count, (int)first->name.length, first->name.text);
}

/* Where no index tells, the names do: of each series every number must be here. */
static void note_series(struct kvc_reading *r)
{
    const struct kvc_weights *w = &r->folder.weights;
    struct kvc_series before = { .is_part = false };
    for (size_t i = 0; i < w->files_count; i++) {
        struct kvc_series series = kvc_series_of(kvc_span_of(w->files[i]));
        bool was_told = kvc_series_same(&before, &series);
        before = series;
        if (was_told)
            continue;
        uint32_t missing = kvc_series_missing(&series, w->files, w->files_count);
        bool is_doubtful = kvc_series_is_doubtful(&series);
        if (missing == 0 && !is_doubtful)
            continue;
        r->folder.weights_whole = false;
        if (is_doubtful)
            kvc_note_add(r->notes, "folder.file_missing", w->files[i],
                         "%s is a part by its name, and no index says of what; the bytes of the "
                         "weights are not said",
                         w->files[i]);
        else
            kvc_note_add(r->notes, "folder.file_missing", w->files[i],
                         "number %" PRIu32 " of the %" PRIu32
                         " parts that %s is one of is not here, and no index says what it holds; "
                         "the bytes of the weights are not said",
                         missing, series.count, w->files[i]);
        return;
    }
}

static void compare_total(const struct kvc_reading *r, const struct kvc_folder_file *index_file_,
                          const struct kvc_index *index)
{
    char at[KVC_POINTER_ROOM];
    if (!index->has_total || !r->folder.weights_whole ||
        index->total_bytes == r->folder.weights.data_bytes)
        return;
    snprintf(at, sizeof at, "%s:/metadata/total_size", index_file_->name);
    kvc_note_add(r->notes, "folder.total_size", at,
                 "the index states %" PRIu64 " bytes of weights, the headers hold %" PRIu64
                 "; the headers are believed, since they are what lies in the files",
                 index->total_bytes, r->folder.weights.data_bytes);
}

/* A model's own files that nothing can be read of: their headers cannot be asked. */
static bool is_unreadable(const struct kvc_folder_file *file)
{
    return file->bytes.text == NULL && file->file_bytes == 0;
}

struct passed {
    const char *first;
    size_t count;
};

static void pass(struct passed *passed, const char *name)
{
    passed->first = passed->count++ == 0 ? name : passed->first;
}

static void note_passed(const struct kvc_reading *r, const struct passed *passed, bool has_index)
{
    if (passed->count == 0)
        return;
    kvc_note_add(r->notes, "folder.file_not_named", passed->first,
                 "%zu file%s with tensors %s not read, the first is %s: %s", passed->count,
                 passed->count == 1 ? "" : "s", passed->count == 1 ? "is" : "are", passed->first,
                 has_index ? "the index does not name it"
                           : "by their names, consolidated* go with params.json, and all others "
                             "with config.json");
}

static void note_unreadable(struct kvc_reading *r, const struct passed *unreadable)
{
    if (unreadable->count == 0)
        return;
    r->folder.weights_whole = false;
    kvc_note_add(
        r->notes, "folder.unreadable", unreadable->first,
        "%zu file%s of tensors cannot be read, the first is %.120s; the bytes of the weights "
        "are not said",
        unreadable->count, unreadable->count == 1 ? "" : "s", unreadable->first);
}

/* transformers takes model.safetensors where it is there (modeling_utils.py, version 4.57,
 * _get_resolved_checkpoint_files), vLLM every file without an index (weight_utils.py, version 0.11,
 * filter_duplicate_safetensors_files). */
static void note_held(struct kvc_reading *r, const struct kvc_folder_file *by,
                      const struct kvc_held *held)
{
    const char **files = r->folder.weights.files;
    int length = held->twice.length < 120 ? (int)held->twice.length : 120;
    if (held->twice_count > 0) {
        r->is_twice = true;
        r->folder.weights_whole = false;
        kvc_note_add(r->notes, "folder.tensor_twice", files[held->twice_in[1]],
                     "%" PRIu64 " tensors stand in more than one file, the first is %.*s, in %.60s "
                     "and %.60s; loaders differ (transformers: model.safetensors alone where it is "
                     "there, vLLM: all), so the bytes of the weights are not said",
                     held->twice_count, length, held->twice.text, files[held->twice_in[0]],
                     files[held->twice_in[1]]);
    }
    length = held->absent.length < 120 ? (int)held->absent.length : 120;
    if (held->absent_count > 0)
        kvc_note_add(r->notes, "folder.index_tensors", by->name,
                     "%" PRIu64 " tensors are not in the file that the index names for them, the "
                     "first is %.*s, by the index in %.120s; the files are believed, since they "
                     "are what is loaded",
                     held->absent_count, length, held->absent.text, files[held->absent_from]);
}

static kvcap_code compare_held(struct kvc_reading *r, const struct kvc_folder_file *by,
                               const struct kvc_index *index)
{
    const struct kvc_weights *w = &r->folder.weights;
    struct kvc_held held;
    kvcap_code rc = KVCAP_OK;
    if (by != NULL)
        rc = kvc_holders_add_index(r->holders, index, w->files, w->files_count, r->err);
    if (rc == KVCAP_OK)
        rc = kvc_holders_compare(r->holders, &held, r->err);
    if (rc == KVCAP_OK)
        note_held(r, by, &held);
    return rc;
}

/* One is read; of the others it is told. */
static void note_other_index(const struct kvc_reading *r, const struct kvc_folder_file *by)
{
    for (size_t i = 0; i < r->count; i++) {
        const char *name = r->files[i].name;
        if (&r->files[i] == by || !kvc_reading_is_beside(name, KVC_FILE_INDEX))
            continue;
        if (by != NULL)
            kvc_note_add(r->notes, "folder.index_not_read", name,
                         "%s is not read, but %s: a model has one index", name, by->name);
        else
            kvc_note_add(r->notes, "folder.index_not_read", name,
                         "%s is not read: consolidated* go with params.json, and all others with "
                         "config.json",
                         name);
    }
}

static kvcap_code no_tensors(const struct kvc_reading *r, const struct kvc_folder_file *by,
                             const struct kvc_index *index)
{
    const char *name = ""; /* some file is there, or nobody would have come here */
    for (size_t i = 0; i < r->count; i++) {
        bool is_first =
            name[0] == '\0' && kvc_reading_is_beside(r->files[i].name, KVC_FILE_TENSORS);
        if (is_first || is_weights(r->files[i].name))
            name = r->files[i].name;
    }
    if (by != NULL)
        return kvc_fail(r->err, KVC_FOLDER_NO_MODEL, "",
                        "no file says what the model is, and %.120s names %s", by->name,
                        index->files_count == 0 ? "no file" : "no file that is here");
    return kvc_fail(r->err, KVC_FOLDER_NO_MODEL, "", "no file says what the model is: %.120s %s",
                    name, is_weights(name) ? "cannot be read" : "is an adapter on top of a model");
}

static kvcap_code read_files(struct kvc_reading *r, const struct kvc_folder_file *by,
                             const struct kvc_index *index)
{
    struct passed passed = { .count = 0 }, unreadable = { .count = 0 };
    bool must_choose = by == NULL && has_both_formats(r);
    bool wants_consolidated = r->folder.kind == KVC_FOLDER_PARAMS;
    kvcap_code rc = KVCAP_OK;
    for (size_t i = 0; i < r->count && rc == KVCAP_OK; i++) {
        struct kvc_folder_file *file = &r->files[i];
        if (!is_weights(file->name))
            continue;
        const struct kvc_index_file *due =
            by == NULL ? NULL : kvc_index_named(index, kvc_span_of(file->name));
        bool is_of_format = !must_choose || is_consolidated(file->name) == wants_consolidated;
        if (by == NULL ? !is_of_format : due == NULL)
            pass(&passed, file->name);
        else if (is_unreadable(file))
            pass(&unreadable, file->name);
        else
            rc = read_header(r, file, due);
    }
    if (rc != KVCAP_OK)
        return rc;
    note_passed(r, &passed, by != NULL);
    r->folder.weights_whole = r->folder.weights.files_count > 0;
    note_unreadable(r, &unreadable);
    if (by == NULL && unreadable.count == 0)
        note_series(r);
    if (by != NULL)
        note_absent(r, by, index);
    if (r->holders != NULL)
        rc = compare_held(r, by, index);
    if (rc == KVCAP_OK && by != NULL)
        compare_total(r, by, index);
    return rc;
}

kvcap_code kvc_reading_weights(struct kvc_reading *r)
{
    struct kvc_folder_file *by = index_file(r);
    struct kvc_index index = { .files = NULL };
    struct kvc_holders holders;
    kvcap_code rc = KVCAP_OK;
    kvc_weights_begin(&r->folder.weights, r->arena);
    if (by != NULL) {
        rc = kvc_reading_whole(r, by);
        if (rc == KVCAP_OK)
            rc = kvc_reading_in_file(r, by, kvc_index_read(by->bytes, r->scratch, &index, r->err));
    }
    if (rc != KVCAP_OK)
        return rc;
    size_t own = 0;
    for (size_t i = 0; i < r->count; i++)
        own += is_weights(r->files[i].name) ? 1 : 0;
    kvc_holders_begin(&holders, r->scratch->memory);
    r->holders = by != NULL || own > 1 ? &holders : NULL;
    rc = read_files(r, by, &index);
    kvc_holders_drop(&holders);
    r->holders = NULL;
    if (rc != KVCAP_OK)
        return rc;
    note_other_index(r, by);
    return r->folder.kind == KVC_FOLDER_WEIGHTS && r->folder.weights.files_count == 0
               ? no_tensors(r, by, &index)
               : KVCAP_OK;
}

void kvc_reading_note_weights(const struct kvc_reading *r)
{
    char words[KVC_WEIGHTS_WORDS];
    const struct kvc_weights *weights = &r->folder.weights;
    if (weights->files_count == 0)
        return;
    kvc_weights_words(weights, words);
    kvc_note_add(r->notes, "folder.weights", weights->files[0],
                 "%" PRIu64 " tensors of %" PRIu64 " bytes in %u file%s: %s%s",
                 weights->tensors_count, weights->data_bytes, (unsigned)weights->files_count,
                 weights->files_count == 1 ? "" : "s", words,
                 r->is_twice               ? " (some twice)"
                 : r->folder.weights_whole ? ""
                                           : " (not all)");
}
