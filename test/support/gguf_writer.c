/* gguf_writer.c - see gguf_writer.h for its promises. */

#include "support/gguf_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START_BYTES 24

void gguf_raw(struct gguf_writer *w, const void *bytes, size_t length)
{
    if (w->room - w->length < length) {
        w->room = (w->room + length) * 2;
        w->bytes = realloc(w->bytes, w->room);
        if (w->bytes == NULL)
            abort();
    }
    if (length > 0)
        memcpy(w->bytes + w->length, bytes, length);
    w->length += length;
}

void gguf_raw_number(struct gguf_writer *w, uint64_t value, unsigned width)
{
    unsigned char bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
    gguf_raw(w, bytes, width);
}

void gguf_raw_text(struct gguf_writer *w, const char *text)
{
    size_t length = strlen(text);
    gguf_raw_number(w, length, 8);
    gguf_raw(w, text, length);
}

void gguf_patch(struct gguf_writer *w, size_t offset, uint64_t value, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        w->bytes[offset + i] = (unsigned char)(value >> (8 * i));
}

void gguf_begin(struct gguf_writer *w, uint32_t version)
{
    *w = (struct gguf_writer){ .alignment = 32 };
    gguf_raw(w, "GGUF", 4);
    gguf_raw_number(w, version, 4);
    gguf_raw_number(w, 0, 8);
    gguf_raw_number(w, 0, 8);
}

void gguf_end(struct gguf_writer *w)
{
    free(w->bytes);
    *w = (struct gguf_writer){ 0 };
}

/* ---- Key-values. */

static void begin_value(struct gguf_writer *w, const char *key, enum kvc_gguf_type type)
{
    gguf_raw_text(w, key);
    gguf_raw_number(w, type, 4);
    w->kvs++;
}

static void begin_list(struct gguf_writer *w, const char *key, enum kvc_gguf_type type,
                       size_t count)
{
    begin_value(w, key, KVC_GGUF_ARRAY);
    gguf_raw_number(w, type, 4);
    gguf_raw_number(w, count, 8);
}

static unsigned width_of(enum kvc_gguf_type type)
{
    switch (type) {
    case KVC_GGUF_U8:
    case KVC_GGUF_I8:
    case KVC_GGUF_BOOL:
        return 1;
    case KVC_GGUF_U16:
    case KVC_GGUF_I16:
        return 2;
    case KVC_GGUF_U32:
    case KVC_GGUF_I32:
    case KVC_GGUF_F32:
        return 4;
    default:
        return 8;
    }
}

void gguf_put(struct gguf_writer *w, const char *key, enum kvc_gguf_type type, uint64_t value)
{
    begin_value(w, key, type);
    gguf_raw_number(w, value, width_of(type));
}

void gguf_put_list(struct gguf_writer *w, const char *key, enum kvc_gguf_type type,
                   const uint64_t *values, size_t count)
{
    begin_list(w, key, type, count);
    for (size_t i = 0; i < count; i++)
        gguf_raw_number(w, values[i], width_of(type));
}

void gguf_put_f32(struct gguf_writer *w, const char *key, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    gguf_put(w, key, KVC_GGUF_F32, bits);
}

void gguf_put_text(struct gguf_writer *w, const char *key, const char *text)
{
    begin_value(w, key, KVC_GGUF_TEXT);
    gguf_raw_text(w, text);
}

void gguf_put_texts(struct gguf_writer *w, const char *key, const char *const *texts, size_t count)
{
    begin_list(w, key, KVC_GGUF_TEXT, count);
    for (size_t i = 0; i < count; i++)
        gguf_raw_text(w, texts[i]);
}

void gguf_put_alignment(struct gguf_writer *w, uint32_t alignment)
{
    gguf_put(w, "general.alignment", KVC_GGUF_U32, alignment);
    w->alignment = alignment;
}

void gguf_put_split(struct gguf_writer *w, uint32_t no, uint32_t count, uint32_t tensors)
{
    gguf_put(w, "split.no", KVC_GGUF_U16, no);
    gguf_put(w, "split.count", KVC_GGUF_U16, count);
    gguf_put(w, "split.tensors.count", KVC_GGUF_I32, tensors);
}

/* ---- Tensors. */

/* Bytes of so many elements: only of the types that the tests write. */
static uint64_t bytes_of(uint32_t type, uint64_t elements)
{
    switch (type) {
    case 0:
        return elements * 4; /* f32 */
    case 1:
        return elements * 2; /* f16 */
    case 8:
        return elements / 32 * 34; /* q8_0 */
    case 12:
        return elements / 256 * 144; /* q4_K */
    default:
        abort();
    }
}

static uint64_t aligned(const struct gguf_writer *w, uint64_t offset)
{
    return (offset + w->alignment - 1) / w->alignment * w->alignment;
}

void gguf_tensor_of(struct gguf_writer *w, const char *name, uint32_t type, const uint64_t *dims,
                    uint32_t dims_count)
{
    uint64_t elements = 1;
    gguf_raw_text(w, name);
    gguf_raw_number(w, dims_count, 4);
    for (uint32_t i = 0; i < dims_count; i++) {
        gguf_raw_number(w, dims[i], 8);
        elements *= dims[i];
    }
    gguf_raw_number(w, type, 4);
    gguf_raw_number(w, w->next_offset, 8);
    w->data_bytes = w->next_offset + bytes_of(type, elements);
    w->next_offset = aligned(w, w->data_bytes);
    w->tensors++;
}

void gguf_tensor(struct gguf_writer *w, const char *name, uint32_t type, uint64_t columns,
                 uint64_t rows)
{
    const uint64_t dims[] = { columns, rows };
    gguf_tensor_of(w, name, type, dims, 2);
}

struct kvc_span gguf_bytes(struct gguf_writer *w, bool with_data)
{
    static const unsigned char ZEROS[4096];
    gguf_patch(w, 8, w->tensors, 8);
    gguf_patch(w, 16, w->kvs, 8);
    uint64_t end = w->tensors == 0 ? w->length : aligned(w, w->length);
    end += with_data ? w->data_bytes : 0;
    while (w->length < end) {
        uint64_t missing = end - w->length;
        gguf_raw(w, ZEROS, missing < sizeof ZEROS ? (size_t)missing : sizeof ZEROS);
    }
    return (struct kvc_span){ .text = (const char *)w->bytes, .length = w->length };
}

/* ---- The large one: Qwen2.5-3B-Instruct's counts, with made-up words of its words' lengths. */

#define TOKENS 151936
#define MERGES 151387
#define BLOCKS 36

static void put_words(struct gguf_writer *w, const char *key, unsigned count, unsigned length)
{
    begin_list(w, key, KVC_GGUF_TEXT, count);
    for (unsigned i = 0; i < count; i++) {
        char word[32];
        int used = snprintf(word, sizeof word, "%0*u", (int)(length + i % 5), i);
        gguf_raw_number(w, (uint64_t)used, 8);
        gguf_raw(w, word, (size_t)used);
    }
}

void gguf_put_large(struct gguf_writer *w)
{
    static const struct {
        const char *name;
        uint32_t type;
        uint64_t columns, rows;
    } PARTS[] = {
        { "attn_norm.weight", 0, 2048, 1 },   { "attn_q.weight", 12, 2048, 2048 },
        { "attn_q.bias", 0, 2048, 1 },        { "attn_k.weight", 12, 2048, 256 },
        { "attn_k.bias", 0, 256, 1 },         { "attn_v.weight", 12, 2048, 256 },
        { "attn_v.bias", 0, 256, 1 },         { "attn_output.weight", 12, 2048, 2048 },
        { "ffn_norm.weight", 0, 2048, 1 },    { "ffn_gate.weight", 12, 2048, 11008 },
        { "ffn_up.weight", 12, 2048, 11008 }, { "ffn_down.weight", 12, 11008, 2048 },
    };
    gguf_put_text(w, "general.architecture", "qwen2");
    gguf_put_text(w, "general.name", "large");
    gguf_put(w, "qwen2.block_count", KVC_GGUF_U32, BLOCKS);
    gguf_put(w, "qwen2.context_length", KVC_GGUF_U32, 32768);
    gguf_put(w, "qwen2.embedding_length", KVC_GGUF_U32, 2048);
    gguf_put(w, "qwen2.feed_forward_length", KVC_GGUF_U32, 11008);
    gguf_put(w, "qwen2.attention.head_count", KVC_GGUF_U32, 16);
    gguf_put(w, "qwen2.attention.head_count_kv", KVC_GGUF_U32, 2);
    gguf_put_f32(w, "qwen2.attention.layer_norm_rms_epsilon", 1e-6f);
    gguf_put_text(w, "tokenizer.ggml.model", "gpt2");
    put_words(w, "tokenizer.ggml.tokens", TOKENS, 4);
    begin_list(w, "tokenizer.ggml.token_type", KVC_GGUF_I32, TOKENS);
    for (unsigned i = 0; i < TOKENS; i++)
        gguf_raw_number(w, 1, 4);
    put_words(w, "tokenizer.ggml.merges", MERGES, 7);
    gguf_tensor(w, "token_embd.weight", 12, 2048, TOKENS);
    for (unsigned block = 0; block < BLOCKS; block++) {
        for (size_t i = 0; i < sizeof PARTS / sizeof PARTS[0]; i++) {
            char name[64];
            snprintf(name, sizeof name, "blk.%u.%s", block, PARTS[i].name);
            gguf_tensor(w, name, PARTS[i].type, PARTS[i].columns, PARTS[i].rows);
        }
    }
    gguf_tensor(w, "output_norm.weight", 0, 2048, 1);
}
