/* gguf_typed.c - see gguf_typed.h for the room and its promises. */

#include "shape/gguf_typed.h"

#include "meta/gguf_facts.h"

struct reading {
    struct kvc_build build;
    kvcap_error *err;
};

/* ---- Types by their words. */

enum form { WHOLE, FLOAT, TRUTH, TEXT };

struct type {
    const char *word;
    enum form form;
    uint64_t least, most; /* WHOLE: how far below 0, how far above */
};

static const struct type TYPES[] = {
    { "u8", WHOLE, 0, UINT8_MAX },   { "i8", WHOLE, UINT64_C(1) << 7, INT8_MAX },
    { "u16", WHOLE, 0, UINT16_MAX }, { "i16", WHOLE, UINT64_C(1) << 15, INT16_MAX },
    { "u32", WHOLE, 0, UINT32_MAX }, { "i32", WHOLE, UINT64_C(1) << 31, INT32_MAX },
    { "u64", WHOLE, 0, UINT64_MAX }, { "i64", WHOLE, UINT64_C(1) << 63, INT64_MAX },
    { "f32", FLOAT, 0, 0 },          { "f64", FLOAT, 0, 0 },
    { "bool", TRUTH, 0, 0 },         { "str", TEXT, 0, 0 },
};

static const struct type *type_named(struct kvc_span word)
{
    for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++) {
        if (kvc_span_is(word, TYPES[i].word))
            return &TYPES[i];
    }
    return NULL;
}

/* ---- A value. */

static kvcap_code refuse(const struct reading *reading, const struct kvc_value *value,
                         enum kvc_slug slug, const char *sentence)
{
    char pointer[KVC_POINTER_ROOM];
    kvc_value_pointer(value, pointer);
    return kvc_fail(reading->err, slug, pointer, "%s", sentence);
}

/* "-12" within a type; what has a fraction or an exponent is no whole number. */
static bool is_whole(struct kvc_span text, const struct type *type)
{
    bool negative = text.length > 1 && text.text[0] == '-';
    uint64_t size;
    if (negative)
        text = (struct kvc_span){ .text = text.text + 1, .length = text.length - 1 };
    return kvc_span_u64(text, &size) && size <= (negative ? type->least : type->most);
}

static bool is_of(const struct kvc_value *value, const struct type *type)
{
    switch (type->form) {
    case WHOLE:
        return value->type == KVC_NUMBER && is_whole(value->text, type);
    case FLOAT:
        return value->type == KVC_NUMBER;
    case TRUTH:
        return value->type == KVC_TRUE || value->type == KVC_FALSE;
    default:
        return value->type == KVC_STRING;
    }
}

/* The type that a plain value shows. */
static const struct type *shown(const struct kvc_value *value)
{
    static const struct type SIGNED = { "i64", WHOLE, UINT64_C(1) << 63, UINT64_MAX };
    static const struct type REAL = { "f64", FLOAT, 0, 0 };
    static const struct type FLAG = { "bool", TRUTH, 0, 0 };
    static const struct type WORD = { "str", TEXT, 0, 0 };
    if (value->type == KVC_NUMBER)
        return is_whole(value->text, &SIGNED) ? &SIGNED : &REAL;
    if (value->type == KVC_TRUE || value->type == KVC_FALSE)
        return &FLAG;
    return value->type == KVC_STRING ? &WORD : NULL;
}

/* As gguf_facts.c has it: a float is null. */
static kvcap_code add_scalar(struct reading *reading, struct kvc_value *parent,
                             const struct kvc_value *value, const struct type *type,
                             struct kvc_span key)
{
    if (type == NULL)
        return refuse(reading, value, KVC_METADATA_WRONG_TYPE,
                      "a number, a text, a truth or a list of them is due");
    if (!is_of(value, type))
        return refuse(reading, value, KVC_METADATA_WRONG_TYPE, "the value is not of its type");
    struct kvc_value *node = kvc_build_node(&reading->build, NULL, NULL, KVC_NULL);
    if (node == NULL)
        return KVCAP_OK;
    if (type->form != FLOAT) {
        node->type = value->type;
        node->text = value->text;
    }
    node->key = key;
    kvc_value_append(parent, node);
    return KVCAP_OK;
}

static kvcap_code add_list(struct reading *reading, struct kvc_value *tree,
                           const struct kvc_value *list, const struct type *type,
                           struct kvc_span key)
{
    kvcap_code rc = KVCAP_OK;
    if (list->count > KVC_GGUF_LIST_MAX)
        return KVCAP_OK;
    struct kvc_value *node = kvc_build_node(&reading->build, NULL, NULL, KVC_ARRAY);
    if (node == NULL)
        return KVCAP_OK;
    for (const struct kvc_value *e = list->first; e != NULL && rc == KVCAP_OK; e = e->next)
        rc = add_scalar(reading, node, e, type == NULL ? shown(e) : type,
                        (struct kvc_span){ .text = NULL });
    node->key = key;
    kvc_value_append(tree, node);
    return rc;
}

/* {"t": "u32", "v": 32}, {"t": "arr:u32", "v": [...]}. */
static kvcap_code add_typed(struct reading *reading, struct kvc_value *tree,
                            const struct kvc_value *object)
{
    const struct kvc_value *t = kvc_value_member(object, "t"), *v = kvc_value_member(object, "v");
    if (object->count != 2 || t == NULL || v == NULL || t->type != KVC_STRING)
        return refuse(reading, object, KVC_METADATA_WRONG_TYPE,
                      "an object has a type \"t\" and a value \"v\"");
    struct kvc_span word = t->text;
    bool is_list = kvc_span_starts(word, "arr:");
    if (is_list)
        word = (struct kvc_span){ .text = word.text + 4, .length = word.length - 4 };
    const struct type *type = type_named(word);
    if (type == NULL)
        return refuse(reading, t, KVC_METADATA_OUT_OF_RANGE,
                      "a GGUF file has no value of this type");
    if (!is_list)
        return add_scalar(reading, tree, v, type, object->key);
    if (v->type != KVC_ARRAY)
        return refuse(reading, v, KVC_METADATA_WRONG_TYPE, "a list is due");
    return add_list(reading, tree, v, type, object->key);
}

static kvcap_code add_member(struct reading *reading, struct kvc_value *tree,
                             const struct kvc_value *member)
{
    if (kvc_span_starts(member->key, "tokenizer."))
        return KVCAP_OK;
    if (member->type == KVC_OBJECT)
        return add_typed(reading, tree, member);
    if (member->type == KVC_ARRAY)
        return add_list(reading, tree, member, NULL, member->key);
    return add_scalar(reading, tree, member, shown(member), member->key);
}

kvcap_code kvc_gguf_facts_of_json(const struct kvc_value *object, struct kvc_arena *arena,
                                  struct kvc_facts *ret_facts, kvcap_error *err)
{
    struct reading reading = { .build = { .arena = arena }, .err = err };
    struct kvc_value *tree = kvc_build_object(&reading.build, NULL, NULL);
    kvcap_code rc = KVCAP_OK;
    if (object->type != KVC_OBJECT)
        return refuse(&reading, object, KVC_METADATA_WRONG_TYPE,
                      "an object of keys and values is due");
    for (const struct kvc_value *e = object->first; e != NULL && rc == KVCAP_OK; e = e->next)
        rc = tree == NULL ? KVCAP_OK : add_member(&reading, tree, e);
    if (rc != KVCAP_OK)
        return rc;
    if (reading.build.full)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the facts of the model need more memory");
    kvc_value_sort(tree);
    *ret_facts = (struct kvc_facts){ .artefact = "gguf", .tree = tree };
    return KVCAP_OK;
}
