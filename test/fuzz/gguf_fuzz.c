/* Goal: whatever bytes come as a GGUF file, they become layers or are refused as metadata.
 *
 * Text that begins with '{' is taken for the key-values themselves, so that the rules of the
 * architectures are reached without the container.  Otherwise the file is read as it comes over a
 * wire: a first piece, then as much as is asked for.
 *
 * What must hold: a piece asks for more than it is, the file is never asked for more than it has,
 * and pieces and the whole agree; what is accepted lies within the file; each state that is found
 * can be weighed or is refused as out of range. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/layer.h"
#include "meta/gguf_facts.h"
#include "meta/gguf_value.h"
#include "shape/from_gguf.h"
#include "json/scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ARENA_BYTES_MAX ((size_t)64 << 20)

static void require(int condition)
{
    if (!condition)
        abort();
}

static void *get(void *context, size_t bytes)
{
    (void)context;
    return malloc(bytes);
}

static void put(void *context, void *block, size_t bytes)
{
    (void)context;
    (void)bytes;
    free(block);
}

static const struct kvc_memory MEMORY = { .get = get, .put = put };

static void weigh(const struct kvc_found *found)
{
    static const struct kvc_cache CACHE = { KVC_FORMAT_F16, KVC_FORMAT_F16, KVC_FORMAT_F16, 0 };
    require(found->shape.layers_count >= 1 && found->shape.layers_count <= KVC_LAYERS_MAX);
    for (uint32_t i = 0; i < found->shape.types_count; i++) {
        const struct kvc_layer_type *type = &found->shape.types[i];
        require(type->states_count >= 1 && type->states_count <= KVC_STATES_MAX);
        for (uint32_t k = 0; k < type->states_count; k++) {
            struct kvc_weight weight;
            kvcap_error err;
            kvcap_code rc = kvc_state_weight(&type->states[k], &CACHE, 1, &weight, &err);
            require(rc == KVCAP_OK || rc == KVCAP_E_RANGE);
        }
    }
}

static void find(const struct kvc_facts *facts, struct kvc_arena *arena)
{
    struct kvc_found found;
    kvcap_error err;
    kvcap_code rc = kvc_shape_from_gguf(facts, 1, arena, &found, &err);
    require(rc == KVCAP_OK || rc == KVCAP_E_METADATA || rc == KVCAP_E_NOMEM);
    if (rc == KVCAP_OK)
        weigh(&found);
    else
        require(err.slug[0] != '\0');
}

static void find_in_text(struct kvc_span text, struct kvc_arena *arena)
{
    struct kvc_value *tree;
    kvcap_error err;
    if (kvc_scan(arena, text, text.length, KVC_SCAN_FOREIGN, &tree, &err) == KVCAP_OK)
        find(&(struct kvc_facts){ .artefact = "gguf", .tree = tree }, arena);
}

static void check_inside(struct kvc_span file, const struct kvc_gguf *gguf)
{
    require(gguf->header_bytes <= file.length && gguf->data_offset >= gguf->header_bytes);
    for (uint32_t i = 0; i < gguf->kvs_count; i++) {
        const struct kvc_gguf_kv *kv = &gguf->kvs[i];
        struct kvc_span text;
        require(kv->offset + kv->bytes_length <= gguf->header_bytes);
        if (kvc_gguf_element_text(kv, kv->count - (kv->count > 0), &text))
            require(text.text + text.length <= file.text + gguf->header_bytes);
    }
    uint64_t sum = 0;
    for (uint32_t i = 0; i < gguf->tensors_count; i++) {
        sum += gguf->tensors[i].bytes;
        require(gguf->is_header_alone ||
                gguf->data_offset + gguf->tensors[i].offset + gguf->tensors[i].bytes <=
                    file.length);
    }
    require(sum == gguf->tensor_bytes);
}

/* The same answer, whatever pieces it is read in. */
static void check_pieces(struct kvc_span file, kvcap_code due, struct kvc_arena *arena)
{
    size_t length = file.length < 24 ? file.length : 24;
    for (;;) {
        struct kvc_gguf gguf;
        uint64_t needed = 0;
        kvcap_error err;
        kvcap_code rc = kvc_gguf_read((struct kvc_span){ file.text, length }, file.length, arena,
                                      &gguf, &needed, &err);
        if (rc != KVCAP_OK || needed == 0) {
            require(rc == due);
            return;
        }
        require(needed > length && needed <= file.length);
        length = (size_t)needed;
    }
}

static void find_in_file(struct kvc_span file, struct kvc_arena *arena)
{
    struct kvc_gguf gguf;
    struct kvc_facts facts;
    uint64_t needed = 0;
    kvcap_error err;
    kvcap_code rc = kvc_gguf_read(file, file.length, arena, &gguf, &needed, &err);
    require(needed == 0);
    require(rc == KVCAP_OK || rc == KVCAP_E_METADATA || rc == KVCAP_E_NOMEM);
    require(rc == KVCAP_OK || rc == KVCAP_E_NOMEM || strncmp(err.at, "offset ", 7) == 0);
    if (rc == KVCAP_E_NOMEM)
        return;
    check_pieces(file, rc, arena);
    if (rc != KVCAP_OK)
        return;
    check_inside(file, &gguf);
    if (kvc_gguf_facts(&gguf, arena, &facts, &err) == KVCAP_OK)
        find(&facts, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kvc_arena arena;
    struct kvc_span input = { .text = (const char *)data, .length = size };
    kvc_arena_from(&arena, &MEMORY, ARENA_BYTES_MAX);
    if (size > 0 && data[0] == '{')
        find_in_text(input, &arena);
    else
        find_in_file(input, &arena);
    kvc_arena_drop(&arena);
    return 0;
}
