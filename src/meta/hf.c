/* hf.c - see hf.h for the room and its promises. */

#include "meta/hf.h"

#include "json/scan.h"

static size_t count_values(const struct kvc_value *value)
{
    size_t count = 0;
    for (const struct kvc_value *child = value->first; child != NULL; child = child->next)
        count += 1 + count_values(child);
    return count;
}

static struct kvc_fact fact_of(const struct kvc_value *value)
{
    static const enum kvc_fact_type TYPES[] = {
        [KVC_NULL] = KVC_FACT_NULL,     [KVC_FALSE] = KVC_FACT_FALSE, [KVC_TRUE] = KVC_FACT_TRUE,
        [KVC_NUMBER] = KVC_FACT_NUMBER, [KVC_STRING] = KVC_FACT_TEXT, [KVC_ARRAY] = KVC_FACT_LIST,
        [KVC_OBJECT] = KVC_FACT_OBJECT,
    };
    struct kvc_fact fact = { .type = TYPES[value->type], .text = value->text };
    if (value->type == KVC_ARRAY)
        fact.count = value->count;
    if (value->type == KVC_NUMBER && kvc_span_u64(value->text, &fact.count))
        fact.type = KVC_FACT_COUNT;
    return fact;
}

/* Depth first, so that a list's elements stand behind it. */
static bool list_children(const struct kvc_value *parent, struct kvc_arena *arena,
                          struct kvc_fact **at)
{
    for (const struct kvc_value *child = parent->first; child != NULL; child = child->next) {
        char pointer[KVC_POINTER_ROOM];
        kvc_value_pointer(child, pointer);
        struct kvc_fact *fact = (*at)++;
        *fact = fact_of(child);
        fact->key = kvc_arena_copy(arena, kvc_span_of(pointer));
        if (fact->key.text == NULL || !list_children(child, arena, at))
            return false;
    }
    return true;
}

kvcap_code kvc_hf_read(struct kvc_span text, struct kvc_arena *arena, struct kvc_facts *ret_facts,
                       kvcap_error *err)
{
    struct kvc_value *tree;
    kvcap_code rc = kvc_scan(arena, text, KVC_CONFIG_BYTES_MAX, KVC_SCAN_FOREIGN, &tree, err);
    if (rc != KVCAP_OK)
        return rc;
    if (tree->type != KVC_OBJECT)
        return kvc_fail(err, KVC_METADATA_NOT_A_MODEL, "", "a config.json is one object");
    size_t count = count_values(tree);
    struct kvc_fact *list = kvc_arena_array(arena, count, sizeof *list);
    struct kvc_fact *at = list;
    if (list == NULL || !list_children(tree, arena, &at))
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the facts of the model need more memory");
    *ret_facts = (struct kvc_facts){ .artefact = "config.json", .list = list, .list_count = count };
    return KVCAP_OK;
}
