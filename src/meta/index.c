/* index.c - see index.h for the room and its promises. */

#include "meta/index.h"

#include <string.h>

#include "json/read.h"
#include "json/scan.h"

/* Where the file stands in the sorted list, or should. */
static size_t place_of(const struct kvc_index *index, struct kvc_span name)
{
    size_t begin = 0, end = index->files_count;
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (kvc_span_compare(index->files[middle].name, name) < 0)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

const struct kvc_index_file *kvc_index_named(const struct kvc_index *index, struct kvc_span name)
{
    size_t i = place_of(index, name);
    return i < index->files_count && kvc_span_equal(index->files[i].name, name) ? &index->files[i]
                                                                                : NULL;
}

static kvcap_code refuse(kvcap_error *err, const struct kvc_value *value, const char *what)
{
    char pointer[KVC_POINTER_ROOM];
    kvc_value_pointer(value, pointer);
    return kvc_fail(err, KVC_SAFETENSORS_INDEX, pointer, "%s", what);
}

/* A file beside the index: it leads to no other folder. */
static bool is_file_name(struct kvc_span name)
{
    return kvc_is_name(name, KVC_NAME_BYTES_MAX) && memchr(name.text, '/', name.length) == NULL &&
           memchr(name.text, '\\', name.length) == NULL;
}

static kvcap_code add_tensor(struct kvc_index *index, const struct kvc_value *tensor,
                             kvcap_error *err)
{
    if (tensor->type != KVC_STRING || !is_file_name(tensor->text))
        return refuse(err, tensor, "a tensor lies in a file beside the index");
    size_t i = place_of(index, tensor->text);
    if (i == index->files_count || !kvc_span_equal(index->files[i].name, tensor->text)) {
        if (index->files_count == KVC_INDEX_FILES_MAX)
            return refuse(err, tensor, "the index names more than 4,096 files");
        memmove(&index->files[i + 1], &index->files[i],
                (index->files_count - i) * sizeof *index->files);
        index->files[i] = (struct kvc_index_file){ .name = tensor->text };
        index->files_count++;
    }
    index->files[i].tensors_count++;
    return KVCAP_OK;
}

kvcap_code kvc_index_read(struct kvc_span text, struct kvc_arena *arena,
                          struct kvc_index *ret_index, kvcap_error *err)
{
    struct kvc_value *tree;
    kvcap_code rc = kvc_scan(arena, text, KVC_INDEX_BYTES_MAX, KVC_SCAN_FOREIGN, &tree, err);
    if (rc != KVCAP_OK)
        return rc;
    const struct kvc_value *map = kvc_value_member(tree, "weight_map");
    if (map == NULL || map->type != KVC_OBJECT)
        return refuse(err, map == NULL ? tree : map, "an index has an object weight_map");
    struct kvc_index index = { .map = map };
    size_t room = map->count < KVC_INDEX_FILES_MAX ? map->count : KVC_INDEX_FILES_MAX;
    index.files = kvc_arena_array(arena, room, sizeof *index.files);
    if (index.files == NULL)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the index needs more memory");
    for (const struct kvc_value *t = map->first; t != NULL && rc == KVCAP_OK; t = t->next)
        rc = add_tensor(&index, t, err);
    const struct kvc_value *total =
        kvc_value_member(kvc_value_member(tree, "metadata"), "total_size");
    index.has_total =
        total != NULL && total->type == KVC_NUMBER && kvc_span_u64(total->text, &index.total_bytes);
    if (rc == KVCAP_OK)
        *ret_index = index;
    return rc;
}
