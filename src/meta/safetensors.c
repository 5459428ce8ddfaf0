/* safetensors.c - see safetensors.h for the room and its promises. */

#include "meta/safetensors.h"

#include <inttypes.h>
#include <string.h>

#include "json/scan.h"

#define LENGTH_BYTES 8

static const struct type_row {
    const char *name;
    unsigned bits;
} TYPES[KVC_TENSOR_TYPE_COUNT] = {
#define XX(name, bits) [KVC_TENSOR_##name] = { #name, bits },
    KVC_TENSOR_TYPE_MAP(XX)
#undef XX
};

const char *kvc_tensor_type_name(enum kvc_tensor_type type)
{
    return TYPES[type].name;
}

static bool type_named(struct kvc_span name, enum kvc_tensor_type *ret_type)
{
    if (kvc_span_is(name, "F8_E8M0FNU"))
        name = kvc_span_of("F8_E8M0");
    for (unsigned i = 0; i < KVC_TENSOR_TYPE_COUNT; i++) {
        if (kvc_span_is(name, TYPES[i].name)) {
            *ret_type = (enum kvc_tensor_type)i;
            return true;
        }
    }
    return false;
}

/* ---- The length. */

static kvcap_code read_length(struct kvc_span head, uint64_t file_bytes, uint64_t *ret_length,
                              kvcap_error *err)
{
    uint64_t length = 0;
    for (size_t i = LENGTH_BYTES; i-- > 0;)
        length = length << 8 | (unsigned char)head.text[i];
    /* A clone without Git LFS has a short text in the place of each large file. */
    if (memcmp(head.text, "version ", LENGTH_BYTES) == 0)
        return kvc_fail(err, KVC_SAFETENSORS_POINTER, "offset 0",
                        "this is a pointer of Git LFS, not the file itself");
    if (length > KVC_SAFETENSORS_HEADER_MAX)
        return kvc_fail(err, KVC_SAFETENSORS_LENGTH, "offset 0",
                        "a header of %" PRIu64 " bytes is past the format's limit of %" PRIu64,
                        length, KVC_SAFETENSORS_HEADER_MAX);
    if (length > file_bytes - LENGTH_BYTES)
        return kvc_fail(err, KVC_SAFETENSORS_LENGTH, "offset 0",
                        "a header of %" PRIu64 " bytes is past the end of a file of %" PRIu64,
                        length, file_bytes);
    *ret_length = length;
    return KVCAP_OK;
}

/* ---- One tensor. */

struct taking {
    struct kvc_arena *arena;
    struct kvc_span text; /* of the header */
    struct kvc_tensor *tensors;
    size_t count, room;
};

static kvcap_code no_memory(kvcap_error *err)
{
    return kvc_fail(err, KVC_MEMORY_FULL, "", "the header needs more memory");
}

static kvcap_code refuse(kvcap_error *err, enum kvc_slug slug, const struct kvc_value *value,
                         const char *what)
{
    char pointer[KVC_POINTER_ROOM];
    kvc_value_pointer(value, pointer);
    return kvc_fail(err, slug, pointer, "%s", what);
}

static kvcap_code read_type(const struct kvc_value *entry, enum kvc_tensor_type *ret_type,
                            kvcap_error *err)
{
    const struct kvc_value *value = kvc_value_member(entry, "dtype");
    if (value == NULL || value->type != KVC_STRING)
        return refuse(err, KVC_SAFETENSORS_ENTRY, value == NULL ? entry : value,
                      "a tensor states its dtype as text");
    return type_named(value->text, ret_type)
               ? KVCAP_OK
               : refuse(err, KVC_SAFETENSORS_DTYPE, value, "no dtype of the format is called so");
}

static kvcap_code read_shape(const struct kvc_value *entry, uint64_t dims[KVC_TENSOR_DIMS_MAX],
                             uint32_t *ret_count, kvcap_error *err)
{
    const struct kvc_value *shape = kvc_value_member(entry, "shape");
    if (shape == NULL || shape->type != KVC_ARRAY)
        return refuse(err, KVC_SAFETENSORS_ENTRY, shape == NULL ? entry : shape,
                      "a tensor states its shape as a list");
    if (shape->count > KVC_TENSOR_DIMS_MAX)
        return refuse(err, KVC_SAFETENSORS_ENTRY, shape, "a tensor has at most 64 dimensions");
    uint32_t count = 0;
    for (const struct kvc_value *dim = shape->first; dim != NULL; dim = dim->next) {
        if (dim->type != KVC_NUMBER || !kvc_span_u64(dim->text, &dims[count++]))
            return refuse(err, KVC_SAFETENSORS_ENTRY, dim, "a dimension is a whole number");
    }
    *ret_count = count;
    return KVCAP_OK;
}

static kvcap_code read_offsets(const struct kvc_value *entry, uint64_t *ret_begin,
                               uint64_t *ret_end, kvcap_error *err)
{
    const struct kvc_value *offsets = kvc_value_member(entry, "data_offsets");
    if (offsets == NULL || offsets->type != KVC_ARRAY || offsets->count != 2)
        return refuse(err, KVC_SAFETENSORS_ENTRY, offsets == NULL ? entry : offsets,
                      "a tensor states data_offsets as a list of two numbers");
    const struct kvc_value *begin = offsets->first, *end = offsets->last;
    if (begin->type != KVC_NUMBER || !kvc_span_u64(begin->text, ret_begin))
        return refuse(err, KVC_SAFETENSORS_ENTRY, begin, "an offset is a whole number");
    if (end->type != KVC_NUMBER || !kvc_span_u64(end->text, ret_end))
        return refuse(err, KVC_SAFETENSORS_ENTRY, end, "an offset is a whole number");
    return *ret_begin <= *ret_end
               ? KVCAP_OK
               : refuse(err, KVC_SAFETENSORS_OFFSETS, offsets, "a tensor ends before it begins");
}

/* Shape times type must be the bytes between the offsets, and whole ones. */
static kvcap_code check_bytes(const struct kvc_value *entry, const struct kvc_tensor *tensor,
                              const uint64_t *dims, kvcap_error *err)
{
    uint64_t product = 1, bits;
    bool over = false;
    for (uint32_t i = 0; i < tensor->dims_count && !over; i++)
        over = __builtin_mul_overflow(product, dims[i], &product);
    if (over || __builtin_mul_overflow(product, (uint64_t)TYPES[tensor->type].bits, &bits))
        return refuse(err, KVC_SAFETENSORS_SHAPE, kvc_value_member(entry, "shape"),
                      "the product of the shape does not fit in 64 bits");
    char pointer[KVC_POINTER_ROOM];
    if (bits % 8 == 0 && tensor->end - tensor->begin == bits / 8)
        return KVCAP_OK;
    kvc_value_pointer(entry, pointer);
    return kvc_fail(err, KVC_SAFETENSORS_BYTES, pointer,
                    "%" PRIu64 " elements of %s are %" PRIu64 " bits, the offsets hold %" PRIu64
                    " bytes",
                    product, TYPES[tensor->type].name, bits, tensor->end - tensor->begin);
}

/* An entry has about this many bytes, so that the list seldom grows. */
#define ENTRY_BYTES 128

static kvcap_code add_tensor(struct taking *t, struct kvc_tensor *tensor, const uint64_t *dims,
                             kvcap_error *err)
{
    if (t->count == t->room) {
        size_t room = t->room == 0 ? t->text.length / ENTRY_BYTES + 1 : t->room * 2;
        struct kvc_tensor *bigger = kvc_arena_take(t->arena, room * sizeof *bigger);
        if (bigger == NULL)
            return no_memory(err);
        if (t->count > 0)
            memcpy(bigger, t->tensors, t->count * sizeof *bigger);
        t->tensors = bigger;
        t->room = room;
    }
    if (tensor->dims_count > 0) {
        uint64_t *kept = kvc_arena_take(t->arena, tensor->dims_count * sizeof *kept);
        if (kept == NULL)
            return no_memory(err);
        memcpy(kept, dims, tensor->dims_count * sizeof *kept);
        tensor->dims = kept;
    }
    t->tensors[t->count++] = *tensor;
    return KVCAP_OK;
}

/* "__metadata__": texts by name, of no use here. */
static kvcap_code check_metadata(const struct kvc_value *metadata, kvcap_error *err)
{
    if (metadata->type != KVC_OBJECT)
        return refuse(err, KVC_SAFETENSORS_ENTRY, metadata, "__metadata__ is an object of texts");
    for (const struct kvc_value *m = metadata->first; m != NULL; m = m->next) {
        if (m->type != KVC_STRING)
            return refuse(err, KVC_SAFETENSORS_ENTRY, m, "__metadata__ is an object of texts");
    }
    return KVCAP_OK;
}

static bool borrows(struct kvc_span part, struct kvc_span whole)
{
    return part.text >= whole.text && part.text < whole.text + whole.length;
}

static kvcap_code take_entry(void *context, const struct kvc_value *entry, struct kvc_mark mark,
                             kvcap_error *err)
{
    struct taking *t = context;
    uint64_t dims[KVC_TENSOR_DIMS_MAX];
    struct kvc_tensor tensor = { .name = entry->key };
    if (kvc_span_is(entry->key, "__metadata__")) {
        kvcap_code checked = check_metadata(entry, err);
        kvc_arena_rewind(t->arena, mark);
        return checked;
    }
    if (entry->type != KVC_OBJECT)
        return refuse(err, KVC_SAFETENSORS_ENTRY, entry, "a tensor is an object");
    kvcap_code rc = read_type(entry, &tensor.type, err);
    if (rc == KVCAP_OK)
        rc = read_shape(entry, dims, &tensor.dims_count, err);
    if (rc == KVCAP_OK)
        rc = read_offsets(entry, &tensor.begin, &tensor.end, err);
    if (rc == KVCAP_OK)
        rc = check_bytes(entry, &tensor, dims, err);
    if (rc != KVCAP_OK)
        return rc;
    /* A decoded name lies after the mark, so its entry stays; names with escapes are hardly seen. */
    if (borrows(tensor.name, t->text))
        kvc_arena_rewind(t->arena, mark);
    return add_tensor(t, &tensor, dims, err);
}

/* ---- All tensors. */

typedef int compare_tensors(const struct kvc_tensor *a, const struct kvc_tensor *b);

static int by_name(const struct kvc_tensor *a, const struct kvc_tensor *b)
{
    return kvc_span_compare(a->name, b->name);
}

static int by_offsets(const struct kvc_tensor *a, const struct kvc_tensor *b)
{
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return a->end < b->end ? -1 : a->end > b->end;
}

static void merge(const struct kvc_tensor *from, struct kvc_tensor *to, size_t begin, size_t middle,
                  size_t end, compare_tensors *compare)
{
    size_t a = begin, b = middle;
    for (size_t i = begin; i < end; i++) {
        bool from_a = a < middle && (b >= end || compare(&from[a], &from[b]) <= 0);
        to[i] = from_a ? from[a++] : from[b++];
    }
}

/* Merge sort: steady in the worst case, which a file may be made for; and where the order is right
 * already, as the format's own writer leaves it, one comparison a tensor. */
static struct kvc_tensor *sort(struct kvc_tensor *list, struct kvc_tensor *spare, size_t count,
                               compare_tensors *compare)
{
    bool sorted = true;
    for (size_t i = 1; i < count && sorted; i++)
        sorted = compare(&list[i - 1], &list[i]) <= 0;
    for (size_t width = 1; width < count && !sorted; width *= 2) {
        for (size_t begin = 0; begin < count; begin += 2 * width) {
            size_t middle = begin + width < count ? begin + width : count;
            size_t end = middle + width < count ? middle + width : count;
            merge(list, spare, begin, middle, end, compare);
        }
        struct kvc_tensor *swapped = list;
        list = spare;
        spare = swapped;
    }
    return list;
}

static kvcap_code refuse_tensor(kvcap_error *err, enum kvc_slug slug,
                                const struct kvc_tensor *tensor, const char *what, uint64_t where)
{
    struct kvc_value root = { .type = KVC_OBJECT };
    struct kvc_value entry = { .key = tensor->name, .parent = &root };
    char pointer[KVC_POINTER_ROOM];
    kvc_value_pointer(&entry, pointer);
    return kvc_fail(err, slug, pointer, "%s %" PRIu64, what, where);
}

/* The tensors, by offset, must fill the rest of the file. */
static kvcap_code check_filled(const struct kvc_tensor *tensors, size_t count, uint64_t room_bytes,
                               kvcap_error *err)
{
    uint64_t at = 0;
    for (size_t i = 0; i < count; i++) {
        if (tensors[i].begin > at)
            return refuse_tensor(err, KVC_SAFETENSORS_HOLE, &tensors[i],
                                 "before the tensor nothing is said of the data from byte", at);
        if (tensors[i].begin < at)
            return refuse_tensor(err, KVC_SAFETENSORS_OVERLAP, &tensors[i],
                                 "the tensor begins before another ends, at byte", at);
        if (tensors[i].end > room_bytes)
            return refuse_tensor(err, KVC_SAFETENSORS_PAST_FILE, &tensors[i],
                                 "the tensor ends past the file, whose data end at byte",
                                 room_bytes);
        at = tensors[i].end;
    }
    if (at < room_bytes)
        return kvc_fail(err, KVC_SAFETENSORS_TRAILING, "",
                        "the tensors end at byte %" PRIu64 " of %" PRIu64 " bytes of data", at,
                        room_bytes);
    return KVCAP_OK;
}

static kvcap_code check_names(const struct kvc_tensor *tensors, size_t count, kvcap_error *err)
{
    for (size_t i = 1; i < count; i++) {
        if (kvc_span_equal(tensors[i - 1].name, tensors[i].name))
            return refuse_tensor(err, KVC_SAFETENSORS_TWICE, &tensors[i],
                                 "the name stands twice, once for the data from byte",
                                 tensors[i].begin);
    }
    return KVCAP_OK;
}

static kvcap_code finish(struct taking *t, uint64_t room_bytes, struct kvc_safetensors *ret,
                         kvcap_error *err)
{
    struct kvc_tensor *spare = kvc_arena_take(t->arena, t->count * sizeof *spare);
    if (spare == NULL)
        return no_memory(err);
    struct kvc_tensor *list = sort(t->tensors, spare, t->count, by_offsets);
    spare = list == t->tensors ? spare : t->tensors;
    kvcap_code rc = check_filled(list, t->count, room_bytes, err);
    list = sort(list, spare, t->count, by_name);
    if (rc == KVCAP_OK)
        rc = check_names(list, t->count, err);
    if (rc != KVCAP_OK)
        return rc;
    *ret = (struct kvc_safetensors){ .tensors = list,
                                     .tensors_count = t->count,
                                     .header_bytes = LENGTH_BYTES + t->text.length,
                                     .data_bytes = room_bytes };
    /* No sum can overflow: they are pieces of the file. */
    for (size_t i = 0; i < t->count; i++)
        ret->type_bytes[list[i].type] += list[i].end - list[i].begin;
    return KVCAP_OK;
}

kvcap_code kvc_safetensors_needs(struct kvc_span head, uint64_t file_bytes, uint64_t *ret_needed,
                                 kvcap_error *err)
{
    uint64_t length = 0;
    if (file_bytes < LENGTH_BYTES)
        return kvc_fail(err, KVC_SAFETENSORS_SHORT, "offset 0",
                        "a safetensors file has at least 8 bytes, this one %" PRIu64, file_bytes);
    if (head.length >= LENGTH_BYTES) {
        kvcap_code rc = read_length(head, file_bytes, &length, err);
        if (rc != KVCAP_OK)
            return rc;
    }
    *ret_needed = LENGTH_BYTES + length;
    return KVCAP_OK;
}

kvcap_code kvc_safetensors_read(struct kvc_span head, uint64_t file_bytes, struct kvc_arena *arena,
                                struct kvc_safetensors *ret, uint64_t *ret_needed, kvcap_error *err)
{
    kvcap_code rc = kvc_safetensors_needs(head, file_bytes, ret_needed, err);
    if (rc != KVCAP_OK || head.length < *ret_needed)
        return rc;
    struct taking t = { .arena = arena,
                        .text = { head.text + LENGTH_BYTES, (size_t)*ret_needed - LENGTH_BYTES } };
    if (t.text.length == 0 || t.text.text[0] != '{')
        return kvc_fail(err, KVC_SAFETENSORS_NOT_OBJECT, "offset 8",
                        "a header begins with an opening brace");
    struct kvc_member_taker taker = { .take = take_entry, .context = &t };
    rc = kvc_scan_members(arena, t.text, KVC_SAFETENSORS_HEADER_MAX, KVC_SCAN_FOREIGN,
                          KVC_SAFETENSORS_NOT_OBJECT, &taker, err);
    return rc != KVCAP_OK ? rc : finish(&t, file_bytes - *ret_needed, ret, err);
}
