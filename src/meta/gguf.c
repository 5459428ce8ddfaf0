/* gguf.c - see gguf.h for the room and its promises. */

#include "meta/gguf.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/ck.h"
#include "meta/gguf_names.h"
#include "meta/gguf_value.h"

#define MAGIC UINT32_C(0x46554747) /* "GGUF" */
#define ALIGNMENT_DEFAULT 32
#define START_BYTES 24
#define KV_BYTES_LEAST 14     /* 8 and 1 of a key, 4 of a type, 1 of a value */
#define TENSOR_BYTES_LEAST 24 /* 8 of an empty name, 4 of no dims, 4 of a type, 8 of an offset */

/* A place in the head.  Once something was refused, or more bytes are needed, it stays there: every
 * later step does nothing, and the end of the whole asks once. */
struct cursor {
    const unsigned char *bytes;
    uint64_t at, length;
    uint64_t file_bytes;
    uint64_t end; /* where a header must have ended: of the file, or of what is read */
    uint64_t needed;
    kvcap_code rc;
    kvcap_error *err;
};

static bool goes_on(const struct cursor *c)
{
    return c->rc == KVCAP_OK && c->needed == 0;
}

static void refuse(struct cursor *c, enum kvc_slug slug, uint64_t offset, const char *format, ...)
    KVC_PRINTF(4, 5);

static void refuse(struct cursor *c, enum kvc_slug slug, uint64_t offset, const char *format, ...)
{
    char at[32], text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(at, sizeof at, "offset %" PRIu64, offset);
    c->rc = kvc_fail(c->err, slug, at, "%s", text);
}

static void refuse_memory(struct cursor *c)
{
    c->rc = kvc_fail(c->err, KVC_MEMORY_FULL, "", "the header needs more memory");
}

/* Refuses what would reach past the end: of the file, or of the longest header that is read. */
static void refuse_end(struct cursor *c, enum kvc_slug slug, uint64_t offset, const char *what)
{
    if (c->end < c->file_bytes)
        refuse(c, KVC_GGUF_TOO_LARGE, offset, "the header goes on past its first 256 MiB");
    else
        refuse(c, slug, offset, "%s goes on past the end of the file, which has %" PRIu64 " bytes",
               what, c->file_bytes);
}

/* Whether so many bytes are there.  If not, they are asked for, or refused. */
static bool have(struct cursor *c, uint64_t bytes, const char *what)
{
    if (!goes_on(c))
        return false;
    if (bytes <= c->length - c->at)
        return true;
    if (bytes > c->end - c->at)
        refuse_end(c, KVC_GGUF_TRUNCATED, c->at, what);
    else
        c->needed = c->at + bytes;
    return false;
}

/* The next integer, or 0. */
static uint64_t take(struct cursor *c, unsigned width, const char *what)
{
    if (!have(c, width, what))
        return 0;
    uint64_t value = kvc_gguf_load(c->bytes + c->at, width);
    c->at += width;
    return value;
}

/* Whether `count` things of at least `bytes_least` each can still come; if not, the number that
 * says so is refused. */
static bool can_hold(struct cursor *c, uint64_t count, uint64_t bytes_least, uint64_t said_at,
                     const char *what)
{
    if (!goes_on(c))
        return false;
    if (count <= (c->end - c->at) / bytes_least)
        return true;
    refuse_end(c, KVC_GGUF_LENGTH_PAST_END, said_at, what);
    return false;
}

/* ---- Names. */

static bool is_name(struct kvc_span name)
{
    for (size_t i = 0; i < name.length; i++) {
        if ((unsigned char)name.text[i] < 0x20 || name.text[i] == 0x7F)
            return false;
    }
    return kvc_span_is_utf8(name, NULL);
}

static struct kvc_span take_name(struct cursor *c, enum kvc_slug slug, uint64_t bytes_max,
                                 const char *what)
{
    struct kvc_span name = { .text = "", .length = 0 };
    uint64_t begin = c->at;
    uint64_t length = take(c, 8, what);
    if (goes_on(c) && length > bytes_max)
        refuse(c, slug, begin, "%s has %" PRIu64 " bytes, at most %" PRIu64 " are allowed", what,
               length, bytes_max);
    if (!can_hold(c, length, 1, begin, what) || !have(c, length, what))
        return name;
    name = (struct kvc_span){ .text = (const char *)c->bytes + c->at, .length = (size_t)length };
    if (!is_name(name))
        refuse(c, slug, begin, "%s is not UTF-8 text without control characters", what);
    c->at += length;
    return name;
}

/* ---- Key-values. */

static enum kvc_gguf_type take_type(struct cursor *c)
{
    uint64_t begin = c->at;
    uint64_t type = take(c, 4, "a value's type");
    if (type < KVC_GGUF_TYPE_COUNT)
        return (enum kvc_gguf_type)type;
    refuse(c, KVC_GGUF_VALUE_TYPE, begin, "%" PRIu64 " is no type of a value", type);
    return KVC_GGUF_U8;
}

/* One text, whose length is checked against all that must still come after it. */
static bool pass_text(struct cursor *c, uint64_t texts_left)
{
    uint64_t begin = c->at;
    uint64_t length = take(c, 8, "a text");
    if (!can_hold(c, length, 1, begin, "a text"))
        return false;
    if (length <= c->length - c->at) {
        c->at += length;
        return true;
    }
    uint64_t after = (texts_left - 1) * 8; /* below end: the count was checked */
    if (after > c->end - c->at - length)
        refuse_end(c, KVC_GGUF_TRUNCATED, begin, "a list of texts");
    else
        c->needed = c->at + length + after;
    return false;
}

/* The usual text is all there: two comparisons and a load.  `at` is a copy so that it lies in a
 * register. */
static void pass_texts(struct cursor *c, uint64_t count)
{
    while (count > 0) {
        uint64_t at = c->at;
        while (count > 0 && c->length - at >= 8) {
            uint64_t length = kvc_gguf_load_8(c->bytes + at);
            if (length > c->length - at - 8)
                break;
            at += 8 + length;
            count--;
        }
        c->at = at;
        if (count == 0 || !pass_text(c, count))
            return;
        count--;
    }
}

static void pass_truths(struct cursor *c, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        if (c->bytes[c->at + i] > 1) {
            refuse(c, KVC_GGUF_TRUTH, c->at + i, "a truth value is %u, neither 0 nor 1",
                   c->bytes[c->at + i]);
            return;
        }
    }
    c->at += count;
}

/* `said_at` is where the count stands. */
static void pass_values(struct cursor *c, enum kvc_gguf_type type, uint64_t count, uint64_t said_at)
{
    unsigned width = type == KVC_GGUF_TEXT ? 8 : kvc_gguf_type_bytes(type);
    if (!can_hold(c, count, width, said_at, "a value") || !have(c, count * width, "a value"))
        return;
    if (type == KVC_GGUF_TEXT)
        pass_texts(c, count);
    else if (type == KVC_GGUF_BOOL)
        pass_truths(c, count);
    else
        c->at += count * width;
}

static void take_kv(struct cursor *c, struct kvc_gguf_kv *kv)
{
    uint64_t begin = c->at, said_at;
    kv->key = take_name(c, KVC_GGUF_KEY, KVC_GGUF_KEY_BYTES_MAX, "a key");
    if (goes_on(c) && kv->key.length == 0)
        refuse(c, KVC_GGUF_KEY, begin, "a key is empty");
    said_at = c->at;
    kv->type = kv->element_type = take_type(c);
    kv->count = 1;
    if (kv->type == KVC_GGUF_ARRAY) {
        uint64_t type_at = c->at;
        kv->element_type = take_type(c);
        if (goes_on(c) && kv->element_type == KVC_GGUF_ARRAY)
            refuse(c, KVC_GGUF_NESTED_ARRAY, type_at, "the value is a list of lists");
        said_at = c->at;
        kv->count = take(c, 8, "a list's count");
    }
    if (!goes_on(c))
        return;
    kv->offset = c->at;
    kv->bytes = c->bytes + c->at;
    pass_values(c, kv->element_type, kv->count, said_at);
    kv->bytes_length = c->at - kv->offset;
}

/* Offset of the key, which its value follows at once. */
static uint64_t offset_of_name(const struct cursor *c, struct kvc_span name)
{
    return (uint64_t)((const unsigned char *)name.text - c->bytes) - 8;
}

static void take_kvs(struct cursor *c, struct kvc_arena *arena, struct kvc_gguf *gguf)
{
    /* So much is in the head, so the list is in proportion to what was read, not to a number. */
    if (!have(c, (uint64_t)gguf->kvs_count * KV_BYTES_LEAST, "the list of key-values"))
        return;
    struct kvc_gguf_kv *kvs = kvc_arena_array(arena, gguf->kvs_count, sizeof *kvs);
    if (kvs == NULL)
        refuse_memory(c);
    for (uint32_t i = 0; i < gguf->kvs_count && goes_on(c); i++)
        take_kv(c, &kvs[i]);
    gguf->kvs = kvs;
    uint32_t duplicate = KVC_NO_DUPLICATE;
    if (goes_on(c) && !kvc_gguf_sort_names(arena, kvs, sizeof *kvs, gguf->kvs_count,
                                           &gguf->kvs_by_key, &duplicate))
        refuse_memory(c);
    if (duplicate != KVC_NO_DUPLICATE)
        refuse(c, KVC_GGUF_DUPLICATE_KEY, offset_of_name(c, kvs[duplicate].key),
               "the key %.*s comes twice", (int)kvs[duplicate].key.length, kvs[duplicate].key.text);
}

static void find_alignment(struct cursor *c, struct kvc_gguf *gguf)
{
    gguf->alignment = ALIGNMENT_DEFAULT;
    const struct kvc_gguf_kv *kv = goes_on(c) ? kvc_gguf_find(gguf, "general.alignment") : NULL;
    if (kv == NULL)
        return;
    uint64_t value = 0;
    if (kv->type == KVC_GGUF_U32)
        kvc_gguf_u64(kv, &value);
    if (value == 0 || (value & (value - 1)) != 0)
        refuse(c, KVC_GGUF_ALIGNMENT, kv->offset, "general.alignment is no u32 power of two");
    gguf->alignment = (uint32_t)value;
}

/* ---- Split files. */

static uint32_t split_number(struct cursor *c, const struct kvc_gguf *gguf, const char *key,
                             uint64_t most)
{
    const struct kvc_gguf_kv *kv = kvc_gguf_find(gguf, key);
    uint64_t value = 0;
    if (!goes_on(c))
        return 0;
    if (kv == NULL)
        refuse(c, KVC_GGUF_SPLIT, START_BYTES, "a split file has no key %s", key);
    else if (!kvc_gguf_u64(kv, &value) || value > most)
        refuse(c, KVC_GGUF_SPLIT, kv->offset, "%s is no number from 0 to %" PRIu64, key, most);
    return (uint32_t)value;
}

/* A count of 1 is no split: llama.cpp looks at the other keys from 2 on. */
static void find_split(struct cursor *c, struct kvc_gguf *gguf)
{
    if (!goes_on(c) || kvc_gguf_find(gguf, "split.count") == NULL)
        return;
    uint32_t count = split_number(c, gguf, "split.count", UINT16_MAX);
    if (!goes_on(c) || count < 2)
        return;
    gguf->is_split = true;
    gguf->split_count = count;
    gguf->split_no = split_number(c, gguf, "split.no", count - 1);
    gguf->split_tensors = split_number(c, gguf, "split.tensors.count", INT32_MAX);
}

/* ---- Tensors. */

/* The elements of a tensor; 0 when they were refused. */
static uint64_t take_dims(struct cursor *c, struct kvc_gguf_tensor *tensor)
{
    uint64_t begin = c->at;
    uint64_t count = take(c, 4, "a tensor's dimensions");
    if (count > KVC_GGUF_DIMS_MAX)
        refuse(c, KVC_GGUF_DIMENSIONS, begin, "a tensor has %" PRIu64 " dimensions", count);
    struct ck elements = ck_u64(1);
    for (uint32_t i = 0; i < KVC_GGUF_DIMS_MAX; i++) {
        uint64_t dim_at = c->at;
        tensor->dims[i] = 1;
        if (i >= count || !goes_on(c))
            continue;
        tensor->dims[i] = take(c, 8, "a tensor's dimensions");
        if (goes_on(c) && (tensor->dims[i] == 0 || tensor->dims[i] > INT64_MAX))
            refuse(c, KVC_GGUF_DIMENSIONS, dim_at, "a dimension is not within 1 and 2^63-1");
        elements = ck_mul(elements, ck_u64(tensor->dims[i]));
    }
    if (goes_on(c) && (elements.over || elements.value > INT64_MAX))
        refuse(c, KVC_GGUF_DIMENSIONS, begin, "a tensor has 2^63 elements or more");
    tensor->dims_count = (uint32_t)count;
    return goes_on(c) ? elements.value : 0;
}

static void take_tensor_type(struct cursor *c, struct kvc_gguf_tensor *tensor, uint64_t elements)
{
    uint64_t begin = c->at;
    tensor->type = (uint32_t)take(c, 4, "a tensor's type");
    if (!goes_on(c))
        return;
    const struct kvc_gguf_block *block = kvc_gguf_block_of(tensor->type);
    if (block == NULL) {
        bool was_removed = tensor->type < KVC_GGUF_TENSOR_TYPES;
        refuse(c, KVC_GGUF_TENSOR_TYPE, begin, "%" PRIu32 " is %s type of a tensor", tensor->type,
               was_removed ? "a removed" : "no");
        return;
    }
    struct ck bytes = ck_mul(ck_u64(elements / block->elements), ck_u64(block->bytes));
    if (tensor->dims[0] % block->elements != 0)
        refuse(c, KVC_GGUF_BLOCK, begin, "rows of %" PRIu64 " elements are no whole %s blocks",
               tensor->dims[0], block->name);
    else if (bytes.over)
        refuse(c, KVC_GGUF_DIMENSIONS, begin, "a tensor has 2^64 bytes or more");
    tensor->bytes = bytes.value;
}

/* *next_offset is where the data of this tensor must lie, and becomes that of the next. */
static void take_tensor(struct cursor *c, struct kvc_gguf_tensor *tensor, uint64_t alignment,
                        uint64_t *next_offset)
{
    tensor->name = take_name(c, KVC_GGUF_TENSOR_NAME, KVC_GGUF_NAME_BYTES_MAX, "a tensor's name");
    uint64_t elements = take_dims(c, tensor);
    take_tensor_type(c, tensor, elements);
    uint64_t begin = c->at;
    tensor->offset = take(c, 8, "a tensor's offset");
    if (!goes_on(c))
        return;
    struct ck end = ck_add(ck_u64(*next_offset), ck_u64(tensor->bytes));
    struct ck next = ck_mul(ck_div_ceil(end, alignment), ck_u64(alignment));
    if (tensor->offset != *next_offset)
        refuse(c, KVC_GGUF_OFFSET, begin,
               "the data of %.*s is said to lie at %" PRIu64 ", and lies at %" PRIu64,
               (int)tensor->name.length, tensor->name.text, tensor->offset, *next_offset);
    else if (next.over)
        refuse(c, KVC_GGUF_OFFSET_PAST_END, begin, "the tensors have 2^64 bytes or more");
    *next_offset = next.value;
}

static void check_tensor_names(struct cursor *c, struct kvc_arena *arena,
                               const struct kvc_gguf *gguf)
{
    struct kvc_mark mark = kvc_arena_mark(arena);
    const uint32_t *order;
    uint32_t duplicate = KVC_NO_DUPLICATE;
    if (goes_on(c) && !kvc_gguf_sort_names(arena, gguf->tensors, sizeof *gguf->tensors,
                                           gguf->tensors_count, &order, &duplicate))
        refuse_memory(c);
    kvc_arena_rewind(arena, mark);
    if (duplicate == KVC_NO_DUPLICATE)
        return;
    struct kvc_span name = gguf->tensors[duplicate].name;
    refuse(c, KVC_GGUF_DUPLICATE_TENSOR, offset_of_name(c, name), "two tensors are named %.*s",
           (int)name.length, name.text);
}

/* Offsets only rise, so the first tensor that reaches past the end is the one to name. */
static void check_data(struct cursor *c, struct kvc_gguf *gguf)
{
    gguf->is_header_alone = gguf->tensors_count > 0 && c->file_bytes <= gguf->data_offset;
    for (uint32_t i = 0; i < gguf->tensors_count && goes_on(c); i++) {
        const struct kvc_gguf_tensor *tensor = &gguf->tensors[i];
        struct ck begin = ck_add(ck_u64(gguf->data_offset), ck_u64(tensor->offset));
        struct ck end = ck_add(begin, ck_u64(tensor->bytes));
        gguf->tensor_bytes += tensor->bytes;
        gguf->tensor_bytes_by_type[tensor->type] += tensor->bytes;
        if (end.over || (end.value > c->file_bytes && !gguf->is_header_alone))
            refuse(c, KVC_GGUF_OFFSET_PAST_END, offset_of_name(c, tensor->name),
                   "the data of %.*s ends past the end of the file, which has %" PRIu64 " bytes",
                   (int)tensor->name.length, tensor->name.text, c->file_bytes);
    }
}

static void take_tensors(struct cursor *c, struct kvc_arena *arena, struct kvc_gguf *gguf)
{
    if (!can_hold(c, gguf->tensors_count, TENSOR_BYTES_LEAST, 8, "the list of tensors") ||
        !have(c, (uint64_t)gguf->tensors_count * TENSOR_BYTES_LEAST, "the list of tensors"))
        return;
    struct kvc_gguf_tensor *tensors = kvc_arena_array(arena, gguf->tensors_count, sizeof *tensors);
    if (tensors == NULL)
        refuse_memory(c);
    uint64_t next_offset = 0;
    for (uint32_t i = 0; i < gguf->tensors_count && goes_on(c); i++)
        take_tensor(c, &tensors[i], gguf->alignment, &next_offset);
    gguf->tensors = tensors;
    check_tensor_names(c, arena, gguf);
    gguf->header_bytes = gguf->data_offset = c->at;
    if (gguf->tensors_count > 0)
        gguf->data_offset = (c->at + gguf->alignment - 1) / gguf->alignment * gguf->alignment;
    check_data(c, gguf);
}

/* ---- The start. */

static void take_version(struct cursor *c, struct kvc_gguf *gguf)
{
    gguf->version = (uint32_t)take(c, 4, "the version");
    if (!goes_on(c) || gguf->version == 2 || gguf->version == 3)
        return;
    if (gguf->version == 1)
        refuse(c, KVC_GGUF_VERSION_1, 4, "the file is of version 1");
    else if (gguf->version != 0 && (gguf->version & 0xFFFF) == 0)
        refuse(c, KVC_GGUF_BIG_ENDIAN, 4, "the file is big-endian");
    else
        refuse(c, KVC_GGUF_VERSION, 4, "the file is of version %" PRIu32, gguf->version);
}

static uint32_t take_count(struct cursor *c, uint64_t bytes_least, const char *what)
{
    uint64_t begin = c->at;
    uint64_t count = take(c, 8, what);
    uint64_t most = c->end < START_BYTES ? 0 : (c->end - START_BYTES) / bytes_least;
    if (goes_on(c) && count > most)
        refuse(c, KVC_GGUF_COUNT, begin,
               "the file cannot hold %" PRIu64 " %s: it has %" PRIu64 " bytes", count, what,
               c->file_bytes);
    return goes_on(c) ? (uint32_t)count : 0;
}

static void take_start(struct cursor *c, struct kvc_gguf *gguf)
{
    if (take(c, 4, "the magic") != MAGIC && goes_on(c))
        refuse(c, KVC_GGUF_MAGIC, 0, "the file does not begin with GGUF");
    take_version(c, gguf);
    gguf->tensors_count = take_count(c, TENSOR_BYTES_LEAST, "tensors");
    gguf->kvs_count = take_count(c, KV_BYTES_LEAST, "key-values");
}

kvcap_code kvc_gguf_read(struct kvc_span head, uint64_t file_bytes, struct kvc_arena *arena,
                         struct kvc_gguf *ret_gguf, uint64_t *ret_needed, kvcap_error *err)
{
    assert(head.length <= file_bytes);
    struct kvc_gguf gguf = { 0 };
    struct kvc_mark mark = kvc_arena_mark(arena);
    struct cursor c = { .bytes = (const unsigned char *)head.text,
                        .length = head.length,
                        .file_bytes = file_bytes,
                        .end = file_bytes < KVC_GGUF_HEADER_BYTES_MAX ? file_bytes
                                                                      : KVC_GGUF_HEADER_BYTES_MAX,
                        .rc = KVCAP_OK,
                        .err = err };
    if (c.length > c.end)
        c.length = c.end;
    take_start(&c, &gguf);
    take_kvs(&c, arena, &gguf);
    find_alignment(&c, &gguf);
    find_split(&c, &gguf);
    take_tensors(&c, arena, &gguf);

    if (!goes_on(&c))
        kvc_arena_rewind(arena, mark);
    if (c.rc != KVCAP_OK)
        return c.rc;
    *ret_needed = c.needed;
    if (c.needed == 0)
        *ret_gguf = gguf;
    return KVCAP_OK;
}
