/* holders.c - see holders.h for the room and its promises. */

#include "meta/holders.h"

#include <string.h>

#define ROOM_LEAST ((size_t)1024)
/* Of more tensors than a record of the largest model could name. */
#define HOLDERS_BYTES_MAX ((size_t)1024 * 1024 * 1024)

struct kvc_holder {
    const char *name;
    uint32_t length;
    uint16_t file;
    bool is_due; /* by the index; else it stands there */
};

static kvcap_code no_memory(kvcap_error *err)
{
    return kvc_fail(err, KVC_MEMORY_FULL, "", "the names of the tensors need more memory");
}

void kvc_holders_begin(struct kvc_holders *holders, const struct kvc_memory *memory)
{
    *holders = (struct kvc_holders){ .count = 0 };
    kvc_arena_from(&holders->arena, memory, HOLDERS_BYTES_MAX);
}

void kvc_holders_drop(struct kvc_holders *holders)
{
    kvc_arena_drop(&holders->arena);
    holders->list = NULL;
    holders->count = holders->room = 0;
}

/* ---- Adding. */

static bool make_room(struct kvc_holders *h, size_t more)
{
    size_t room = h->room == 0 ? ROOM_LEAST : h->room;
    if (more > SIZE_MAX / 4 / sizeof *h->list - h->count)
        return false;
    while (room < h->count + more)
        room *= 2;
    if (room == h->room)
        return true;
    struct kvc_holder *bigger = kvc_arena_take(&h->arena, room * sizeof *bigger);
    if (bigger == NULL)
        return false;
    if (h->count > 0)
        memcpy(bigger, h->list, h->count * sizeof *bigger);
    h->list = bigger;
    h->room = room;
    return true;
}

static bool lies_in(struct kvc_span part, struct kvc_span whole)
{
    uintptr_t begin = (uintptr_t)whole.text, at = (uintptr_t)part.text;
    return at >= begin && at - begin <= whole.length;
}

static void add(struct kvc_holders *h, struct kvc_span name, uint16_t file, bool is_due)
{
    h->list[h->count++] = (struct kvc_holder){
        .name = name.text, .length = (uint32_t)name.length, .file = file, .is_due = is_due
    };
}

kvcap_code kvc_holders_add(struct kvc_holders *holders, uint16_t file, struct kvc_span head,
                           const struct kvc_safetensors *header, kvcap_error *err)
{
    if (!make_room(holders, header->tensors_count))
        return no_memory(err);
    for (size_t i = 0; i < header->tensors_count; i++) {
        struct kvc_span name = header->tensors[i].name;
        if (!lies_in(name, head))
            name = kvc_arena_copy(&holders->arena, name);
        if (name.text == NULL)
            return no_memory(err);
        add(holders, name, file, false);
    }
    return KVCAP_OK;
}

/* For each file of the index its number, or files_count. */
static void number_files(const struct kvc_index *index, const char *const *files,
                         uint16_t files_count, uint16_t *ret_numbers)
{
    for (size_t i = 0; i < index->files_count; i++)
        ret_numbers[i] = files_count;
    for (uint16_t i = 0; i < files_count; i++) {
        const struct kvc_index_file *file = kvc_index_named(index, kvc_span_of(files[i]));
        if (file != NULL)
            ret_numbers[file - index->files] = i;
    }
}

kvcap_code kvc_holders_add_index(struct kvc_holders *holders, const struct kvc_index *index,
                                 const char *const *files, uint16_t files_count, kvcap_error *err)
{
    uint16_t *numbers = kvc_arena_take(&holders->arena, (index->files_count + 1) * sizeof *numbers);
    if (numbers == NULL || !make_room(holders, index->map->count))
        return no_memory(err);
    number_files(index, files, files_count, numbers);
    for (const struct kvc_value *t = index->map->first; t != NULL; t = t->next) {
        const struct kvc_index_file *file = kvc_index_named(index, t->text);
        uint16_t number = file == NULL ? files_count : numbers[file - index->files];
        if (number < files_count)
            add(holders, t->key, number, true);
    }
    return KVCAP_OK;
}

/* ---- Comparing. */

static int compare_names(const struct kvc_holder *a, const struct kvc_holder *b)
{
    return kvc_span_compare((struct kvc_span){ a->name, a->length },
                            (struct kvc_span){ b->name, b->length });
}

/* By name, then by file; what stands in a file before what is due there. */
static int compare(const struct kvc_holder *a, const struct kvc_holder *b)
{
    int by_name = compare_names(a, b);
    if (by_name != 0)
        return by_name;
    return a->file != b->file ? (a->file < b->file ? -1 : 1) : (int)a->is_due - (int)b->is_due;
}

static void merge(const struct kvc_holder *from, struct kvc_holder *to, size_t begin, size_t middle,
                  size_t end)
{
    size_t a = begin, b = middle;
    for (size_t i = begin; i < end; i++) {
        bool from_a = a < middle && (b >= end || compare(&from[a], &from[b]) <= 0);
        to[i] = from_a ? from[a++] : from[b++];
    }
}

static bool sort(struct kvc_holders *h)
{
    struct kvc_holder *spare = kvc_arena_take(&h->arena, (h->count + 1) * sizeof *spare);
    if (spare == NULL)
        return false;
    for (size_t width = 1; width < h->count; width *= 2) {
        for (size_t begin = 0; begin < h->count; begin += 2 * width) {
            size_t middle = begin + width < h->count ? begin + width : h->count;
            size_t end = middle + width < h->count ? middle + width : h->count;
            merge(h->list, spare, begin, middle, end);
        }
        struct kvc_holder *swapped = h->list;
        h->list = spare;
        spare = swapped;
    }
    return true;
}

/* All of one name, begin to end. */
static void compare_group(const struct kvc_holder *group, size_t count, struct kvc_held *held)
{
    struct kvc_span name = { group[0].name, group[0].length };
    const struct kvc_holder *first = NULL;
    bool is_twice = false;
    for (size_t i = 0; i < count; i++) {
        const struct kvc_holder *one = &group[i];
        bool is_absent = one->is_due && (i == 0 || one[-1].file != one->file || one[-1].is_due);
        if (is_absent && held->absent_count++ == 0) {
            held->absent = name;
            held->absent_from = one->file;
        }
        if (one->is_due || is_twice)
            continue;
        is_twice = first != NULL;
        if (is_twice && held->twice_count++ == 0) {
            held->twice = name;
            held->twice_in[0] = first->file;
            held->twice_in[1] = one->file;
        }
        first = first == NULL ? one : first;
    }
}

kvcap_code kvc_holders_compare(struct kvc_holders *holders, struct kvc_held *ret_held,
                               kvcap_error *err)
{
    struct kvc_held held = { .twice_count = 0 };
    if (!sort(holders))
        return no_memory(err);
    for (size_t begin = 0, end; begin < holders->count; begin = end) {
        for (end = begin + 1; end < holders->count; end++) {
            if (compare_names(&holders->list[begin], &holders->list[end]) != 0)
                break;
        }
        compare_group(&holders->list[begin], end - begin, &held);
    }
    *ret_held = held;
    return KVCAP_OK;
}
