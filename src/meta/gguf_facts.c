/* gguf_facts.c - see gguf_facts.h for the room and its promises. */

#include "meta/gguf_facts.h"

#include <inttypes.h>
#include <stdio.h>

#include "meta/gguf_value.h"

static bool is_taken(const struct kvc_gguf_kv *kv)
{
    return kv->count <= KVC_GGUF_LIST_MAX && !kvc_span_starts(kv->key, "tokenizer.");
}

static struct kvc_span text_of_number(const struct kvc_gguf_kv *kv, uint64_t i,
                                      struct kvc_build *build)
{
    char text[24];
    uint64_t value;
    if (kvc_gguf_element_u64(kv, i, &value))
        snprintf(text, sizeof text, "%" PRIu64, value);
    else
        snprintf(text, sizeof text, "%" PRId64, kvc_gguf_element_i64(kv, i));
    struct kvc_span copy = kvc_arena_copy(build->arena, kvc_span_of(text));
    build->full = build->full || copy.text == NULL;
    return copy;
}

/* Element i of a list, or the one value, as a node without key.  *at is where a text stands, and is
 * moved to the next: a list of them is read in one pass. */
static struct kvc_value *node_of(struct kvc_build *build, const struct kvc_gguf_kv *kv, uint64_t i,
                                 const unsigned char **at)
{
    struct kvc_value *node = kvc_build_node(build, NULL, NULL, KVC_NULL);
    bool truth;
    if (node == NULL)
        return NULL;
    if (kvc_gguf_is_integer(kv->element_type)) {
        node->type = KVC_NUMBER;
        node->text = text_of_number(kv, i, build);
    } else if (kvc_gguf_element_bool(kv, i, &truth)) {
        node->type = truth ? KVC_TRUE : KVC_FALSE;
    } else if (kv->element_type == KVC_GGUF_TEXT) {
        node->text = (struct kvc_span){ .text = (const char *)*at + 8,
                                        .length = (size_t)kvc_gguf_load_8(*at) };
        node->type = kvc_span_is_utf8(node->text, NULL) ? KVC_STRING : KVC_NULL;
        *at += 8 + node->text.length;
    }
    return node;
}

static struct kvc_value *member_of(struct kvc_build *build, const struct kvc_gguf_kv *kv)
{
    const unsigned char *at = kv->bytes;
    if (kv->type != KVC_GGUF_ARRAY)
        return node_of(build, kv, 0, &at);
    struct kvc_value *list = kvc_build_node(build, NULL, NULL, KVC_ARRAY);
    for (uint64_t i = 0; i < kv->count && !build->full; i++) {
        struct kvc_value *element = node_of(build, kv, i, &at);
        if (element != NULL)
            kvc_value_append(list, element);
    }
    return list;
}

kvcap_code kvc_gguf_facts(const struct kvc_gguf *gguf, struct kvc_arena *arena,
                          struct kvc_facts *ret_facts, kvcap_error *err)
{
    struct kvc_build build = { .arena = arena };
    struct kvc_value *tree = kvc_build_object(&build, NULL, NULL);
    for (uint32_t i = 0; i < gguf->kvs_count && !build.full; i++) {
        /* In order already, but for keys past U+FFFF, which sort otherwise in an object. */
        const struct kvc_gguf_kv *kv = &gguf->kvs[gguf->kvs_by_key[i]];
        struct kvc_value *member = is_taken(kv) ? member_of(&build, kv) : NULL;
        if (member == NULL)
            continue;
        member->key = kv->key;
        member->offset = (uint32_t)kv->offset;
        kvc_value_append(tree, member);
    }
    if (build.full)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the facts of the model need more memory");
    kvc_value_sort(tree);
    *ret_facts = (struct kvc_facts){ .artefact = "gguf", .tree = tree };
    return KVCAP_OK;
}
