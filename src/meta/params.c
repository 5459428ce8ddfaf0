/* params.c - see params.h for the room and its promises. */

#include "meta/params.h"

#include "meta/hf.h"
#include "json/scan.h"

#define LAYERS_MAX 4096

/* mistral-inference (transformer.py, Transformer.from_folder: load_state_dict with assign, then
 * to(dtype=None)) keeps the tensors' type.  Of a file alone no bound but the widest is sure. */
static const char NO_DTYPE[] = "no dtype: loaders take the tensors' own, float32 is the widest";

static bool says(const struct kvc_value *tree, const char *key)
{
    const struct kvc_value *value = kvc_value_member(tree, key);
    return value != NULL && value->type != KVC_NULL;
}

static kvcap_code refuse(kvcap_error *err, enum kvc_slug slug, const struct kvc_value *value,
                         const char *what)
{
    char pointer[KVC_POINTER_ROOM];
    kvc_value_pointer(value, pointer);
    return kvc_fail(err, slug, pointer, "%s", what);
}

/* ---- The family. */

static const char *family_of(const struct kvc_value *tree)
{
    if (says(tree, "moe"))
        return "mixtral";
    /* Meta's files say how the feed-forward width is rounded (meta-llama/llama, llama/model.py,
     * ModelArgs.multiple_of); Mistral's have no such key (mistral-inference, args.py,
     * TransformerArgs).  Both keep the same. */
    return says(tree, "multiple_of") ? "llama" : "mistral";
}

/* A params.json that names a family of its own ("mamba") has other keys than that family's
 * config.json, so it must not be read as one: the name is taken out and handed over beside it. */
static kvcap_code set_family(struct kvc_build *build, struct kvc_value *tree,
                             const struct kvc_value **ret_other, kvcap_error *err)
{
    struct kvc_value *type = kvc_value_member(tree, "model_type");
    bool is_own = type == NULL || type->type == KVC_NULL;
    if (!is_own && type->type != KVC_STRING)
        return refuse(err, KVC_METADATA_WRONG_TYPE, type, "model_type is not text");
    if (!is_own && !kvc_span_is(type->text, "transformer"))
        *ret_other = type;
    if (type != NULL)
        kvc_value_remove(tree, type);
    if (*ret_other == NULL)
        kvc_build_text(build, tree, "model_type", kvc_span_of(family_of(tree)));
    return KVCAP_OK;
}

/* ---- Windows. */

static kvcap_code layers_of(const struct kvc_value *tree, uint64_t *ret_layers, kvcap_error *err)
{
    const struct kvc_value *layers = kvc_value_member(tree, "n_layers");
    if (layers == NULL)
        return kvc_fail(err, KVC_METADATA_MISSING_KEY, "/n_layers", "the key n_layers is missing");
    if (layers->type != KVC_NUMBER || !kvc_span_u64(layers->text, ret_layers))
        return refuse(err, KVC_METADATA_WRONG_TYPE, layers, "n_layers is not a whole number");
    return *ret_layers >= 1 && *ret_layers <= LAYERS_MAX
               ? KVCAP_OK
               : refuse(err, KVC_METADATA_OUT_OF_RANGE, layers, "a model has 1 to 4,096 layers");
}

/* The one window that the list has; a null in it is a layer without one. */
static kvcap_code window_of(const struct kvc_value *list, const struct kvc_value **ret_window,
                            kvcap_error *err)
{
    *ret_window = NULL;
    for (const struct kvc_value *e = list->first; e != NULL; e = e->next) {
        if (e->type == KVC_NULL)
            continue;
        if (e->type != KVC_NUMBER)
            return refuse(err, KVC_METADATA_WRONG_TYPE, e, "a window is a number or null");
        if (*ret_window != NULL && !kvc_span_equal((*ret_window)->text, e->text))
            return refuse(err, KVC_METADATA_OUT_OF_RANGE, e,
                          "windows of two sizes are not known of this format");
        *ret_window = e;
    }
    return KVCAP_OK;
}

static kvcap_code spread_windows(struct kvc_build *build, struct kvc_value *tree,
                                 struct kvc_value *list, kvcap_error *err)
{
    uint64_t layers;
    const struct kvc_value *window;
    kvcap_code rc = layers_of(tree, &layers, err);
    if (rc == KVCAP_OK)
        rc = window_of(list, &window, err);
    if (rc != KVCAP_OK)
        return rc;
    if (list->count == 0 || layers % list->count != 0)
        return refuse(err, KVC_METADATA_OUT_OF_RANGE, list,
                      "the windows do not repeat evenly over the layers");
    if (kvc_value_member(tree, "layer_types") != NULL)
        return refuse(err, KVC_METADATA_OUT_OF_RANGE, list,
                      "the windows are listed twice, here and in layer_types");
    struct kvc_value *types = kvc_build_array(build, tree, "layer_types");
    for (uint64_t i = 0; i < layers && types != NULL; i++) {
        const struct kvc_value *e = kvc_value_element(list, (uint32_t)(i % list->count));
        kvc_build_text(build, types, NULL,
                       kvc_span_of(e->type == KVC_NULL ? "full_attention" : "sliding_attention"));
    }
    /* What was a list is the window itself now; its place stays. */
    list->type = window == NULL ? KVC_NULL : KVC_NUMBER;
    if (window != NULL)
        list->text = window->text;
    list->first = list->last = NULL;
    list->count = 0;
    return KVCAP_OK;
}

static void say_null(struct kvc_build *build, struct kvc_value *tree, const char *key)
{
    if (kvc_value_member(tree, key) == NULL)
        kvc_build_node(build, tree, key, KVC_NULL);
}

kvcap_code kvc_params_read(const char *artefact, struct kvc_span text, struct kvc_arena *arena,
                           struct kvc_facts *ret_facts, kvcap_error *err)
{
    struct kvc_value *tree;
    const struct kvc_value *other = NULL;
    struct kvc_build build = { .arena = arena };
    kvcap_code rc = kvc_scan(arena, text, KVC_CONFIG_BYTES_MAX, KVC_SCAN_FOREIGN, &tree, err);
    if (rc != KVCAP_OK)
        return rc;
    if (tree->type != KVC_OBJECT || !says(tree, "n_layers") || !says(tree, "dim"))
        return kvc_fail(err, KVC_METADATA_NOT_A_MODEL, "",
                        "a params.json of a model is an object with n_layers and dim");
    rc = set_family(&build, tree, &other, err);
    struct kvc_value *window = kvc_value_member(tree, "sliding_window");
    if (rc == KVCAP_OK && window != NULL && window->type == KVC_ARRAY)
        rc = spread_windows(&build, tree, window, err);
    say_null(&build, tree, "num_key_value_heads");
    say_null(&build, tree, "head_dim");
    say_null(&build, tree, "sliding_window");
    if (rc == KVCAP_OK && build.full)
        rc = kvc_fail(err, KVC_MEMORY_FULL, "", "the facts of the model need more memory");
    if (rc == KVCAP_OK)
        *ret_facts = (struct kvc_facts){
            .artefact = artefact, .tree = tree, .other_family = other, .no_dtype = NO_DTYPE
        };
    return rc;
}
