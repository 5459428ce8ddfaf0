/* line.c - see line.h for the room and its promises. */

#include "fit/line.h"

#include <stdio.h>

#include "record/record.h"
#include "shape/from_config.h"
#include "shape/from_gguf.h"
#include "shape/gguf_typed.h"
#include "json/scan.h"

static kvcap_code no_memory(kvcap_error *err)
{
    return kvc_fail(err, KVC_MEMORY_FULL, "/model", "the model needs more memory");
}

void kvc_fit_model_asks(const struct kvc_quant *quant, struct kvc_engine_model *ret_model)
{
    bool known = quant->asked == KVC_ASKED_FORMAT &&
                 kvc_format_named(kvc_span_of(quant->format), &ret_model->asked);
    bool strange =
        quant->asked == KVC_ASKED_UNKNOWN || (quant->asked == KVC_ASKED_FORMAT && !known);
    ret_model->asks = known ? KVC_ASKS_FORMAT : strange ? KVC_ASKS_STRANGE : KVC_ASKS_NOTHING;
}

void kvc_fit_model_found(const struct kvc_found *found, const struct kvc_facts *facts, bool is_gguf,
                         struct kvc_engine_model *ret_model)
{
    *ret_model = (struct kvc_engine_model){
        .shape = &found->shape,
        .family = found->family,
        .dtype = found->dtype,
        .context_tokens = found->context_tokens,
        .query_heads = found->query_heads,
        .weights_bytes = found->weights_bytes,
        .facts = facts,
        .is_gguf = is_gguf,
    };
}

/* ---- Models that stand in the line.  Each value becomes a root of its own, so that a place in it is
 * told as in the file that it was taken from. */

static struct kvc_value *as_root(struct kvc_value *value)
{
    value->parent = NULL;
    value->key = (struct kvc_span){ NULL, 0 };
    return value;
}

static kvcap_code within(kvcap_code rc, const char *outer, kvcap_error *err)
{
    if (rc != KVCAP_OK)
        kvc_fail_within(err, outer);
    return rc;
}

static kvcap_code read_record(struct kvc_value *value, struct kvc_arena *arena,
                              struct kvc_engine_model *ret_model, kvcap_error *err)
{
    struct kvc_reader r = { KVCAP_OK, err };
    struct kvc_reading reading = { .arena = arena, .err = err };
    struct kvc_model *model = kvc_arena_array(arena, 1, sizeof *model);
    if (model == NULL)
        return no_memory(err);
    kvc_model_read_shape(&r, &reading, as_root(value), model);
    if (r.rc != KVCAP_OK)
        return within(r.rc, "/model/record", err);
    *ret_model = (struct kvc_engine_model){
        .shape = &model->shape,
        .family = model->family,
        .dtype = model->dtype,
        .context_tokens = model->context_tokens,
        .query_heads = model->query_heads,
        .weights_bytes = model->weights_bytes,
    };
    return KVCAP_OK;
}

static kvcap_code read_config(struct kvc_value *value, bool assume_plain, struct kvc_arena *arena,
                              struct kvc_engine_model *ret_model, kvcap_error *err)
{
    struct kvc_facts *facts = kvc_arena_array(arena, 1, sizeof *facts);
    struct kvc_found *found = kvc_arena_array(arena, 1, sizeof *found);
    if (facts == NULL || found == NULL)
        return no_memory(err);
    if (value->type != KVC_OBJECT)
        return kvc_fail(err, KVC_METADATA_NOT_A_MODEL, "/model/config_json",
                        "a config.json is one object");
    *facts = (struct kvc_facts){ .artefact = "config.json",
                                 .tree = as_root(value),
                                 .assume_plain = assume_plain };
    kvcap_code rc = kvc_shape_from_config(facts, arena, found, err);
    if (rc == KVCAP_OK) {
        struct kvc_quant quant;
        kvc_fit_model_found(found, facts, false, ret_model);
        kvc_quant_read(facts->tree, &quant);
        kvc_fit_model_asks(&quant, ret_model);
    }
    return within(rc, "/model/config_json", err);
}

static kvcap_code read_gguf_kv(struct kvc_value *value, struct kvc_arena *arena,
                               struct kvc_engine_model *ret_model, kvcap_error *err)
{
    struct kvc_facts *facts = kvc_arena_array(arena, 1, sizeof *facts);
    struct kvc_found *found = kvc_arena_array(arena, 1, sizeof *found);
    if (facts == NULL || found == NULL)
        return no_memory(err);
    kvcap_code rc = kvc_gguf_facts_of_json(as_root(value), arena, facts, err);
    if (rc == KVCAP_OK)
        rc = kvc_shape_from_gguf_or_none(facts, 0, arena, found, err);
    if (rc == KVCAP_OK)
        kvc_fit_model_found(found, facts, true, ret_model);
    return within(rc, "/model/gguf_kv/", err); /* a key of the file has no slash before it */
}

static kvcap_code read_model(const struct kvc_value *model, struct kvc_arena *arena,
                             struct kvc_fit_line *line, kvcap_error *err)
{
    static const struct {
        const char *key;
        enum kvc_fit_model_form form;
    } FORMS[] = {
        { "config", KVC_FIT_MODEL_CONFIG },
        { "gguf", KVC_FIT_MODEL_GGUF },
        { "name", KVC_FIT_MODEL_NAME },
    };
    if (model == NULL || model->type != KVC_OBJECT || model->count != 1)
        return kvc_fail(
            err, KVC_USAGE_BAD_VALUE, "/model",
            "an object with one of config, gguf, name, record, config_json, gguf_kv is due");
    struct kvc_value *only = model->first;
    struct kvc_engine_model *ret = &line->question.model;
    line->form = KVC_FIT_MODEL_INLINE;
    if (kvc_span_is(only->key, "record"))
        return read_record(only, arena, ret, err);
    if (kvc_span_is(only->key, "config_json"))
        return read_config(only, line->assume_plain, arena, ret, err);
    if (kvc_span_is(only->key, "gguf_kv"))
        return read_gguf_kv(only, arena, ret, err);
    for (size_t i = 0; i < sizeof FORMS / sizeof FORMS[0]; i++) {
        if (!kvc_span_is(only->key, FORMS[i].key))
            continue;
        if (only->type != KVC_STRING || only->text.length == 0)
            return kvc_fail(err, KVC_USAGE_BAD_VALUE, "/model", "a path or a name is text");
        line->form = FORMS[i].form;
        line->model = only->text;
        return KVCAP_OK;
    }
    return kvc_fail(
        err, KVC_USAGE_BAD_VALUE, "/model",
        "an object with one of config, gguf, name, record, config_json, gguf_kv is due");
}

/* ---- The line. */

static kvcap_code check_members(const struct kvc_value *tree, kvcap_error *err)
{
    static const char *const KNOWN[] = { "id",     "engine", "model",        "settings",
                                         "memory", "front",  "assume_plain", "explain" };
    for (const struct kvc_value *e = tree->first; e != NULL; e = e->next) {
        size_t i = 0;
        while (i < sizeof KNOWN / sizeof KNOWN[0] && !kvc_span_is(e->key, KNOWN[i]))
            i++;
        if (i < sizeof KNOWN / sizeof KNOWN[0])
            continue;
        char pointer[KVC_POINTER_ROOM];
        kvc_value_pointer(e, pointer);
        return kvc_fail(err, KVC_USAGE_UNKNOWN_SETTING, pointer,
                        "a batch line has id, engine, model, settings, memory, front, assume_plain "
                        "and explain");
    }
    return KVCAP_OK;
}

static kvcap_code read_truth(const struct kvc_value *tree, const char *key, const char *at,
                             bool *ret_truth, kvcap_error *err)
{
    const struct kvc_value *value = kvc_value_member(tree, key);
    *ret_truth = value != NULL && value->type == KVC_TRUE;
    if (value != NULL && value->type != KVC_TRUE && value->type != KVC_FALSE)
        return kvc_fail(err, KVC_USAGE_BAD_VALUE, at, "true or false is due");
    return KVCAP_OK;
}

static kvcap_code read_front(const struct kvc_value *tree, struct kvc_fit_question *question,
                             kvcap_error *err)
{
    const struct kvc_value *front = kvc_value_member(tree, "front");
    if (front == NULL || front->type == KVC_NULL)
        return KVCAP_OK;
    if (!kvc_span_is(front->text, "llama-server") && !kvc_span_is(front->text, "llama-cli"))
        return kvc_fail(err, KVC_USAGE_BAD_VALUE, "/front", "a front is llama-server or llama-cli");
    question->front = front->text;
    return KVCAP_OK;
}

static kvcap_code read_engine(const struct kvc_value *tree, struct kvc_releases_seen *seen,
                              struct kvc_fit_question *question, kvcap_error *err)
{
    const struct kvc_value *engine = kvc_value_member(tree, "engine");
    if (engine == NULL || engine->type != KVC_STRING)
        return kvc_fail(err, KVC_USAGE_UNKNOWN_ENGINE, "/engine",
                        "the engine is due, such as \"vllm@0.11.0\"");
    return kvc_release_read_seen(seen, engine->text, "/engine", &question->release, err);
}

kvcap_code kvc_fit_line_read(struct kvc_span text, struct kvc_arena *arena,
                             struct kvc_releases_seen *seen, struct kvc_fit_line *ret_line,
                             kvcap_error *err)
{
    struct kvc_fit_question *question = &ret_line->question;
    struct kvc_value *tree;
    *ret_line = (struct kvc_fit_line){ .question = { .settings_at = "/settings" } };
    kvcap_code rc = kvc_scan(arena, text, KVC_FIT_LINE_BYTES_MAX, KVC_SCAN_FOREIGN, &tree, err);
    if (rc != KVCAP_OK)
        return rc;
    if (tree->type != KVC_OBJECT)
        return kvc_fail(err, KVC_USAGE_BAD_VALUE, "", "a batch line is one object");
    const struct kvc_value *id = kvc_value_member(tree, "id");
    if (id != NULL && id->type == KVC_STRING)
        ret_line->id = id->text;
    else if (id != NULL && id->type != KVC_NULL)
        return kvc_fail(err, KVC_USAGE_BAD_VALUE, "/id", "an id is text");
    rc = check_members(tree, err);
    if (rc == KVCAP_OK)
        rc = read_truth(tree, "assume_plain", "/assume_plain", &ret_line->assume_plain, err);
    if (rc == KVCAP_OK)
        rc = read_truth(tree, "explain", "/explain", &question->explain, err);
    if (rc == KVCAP_OK)
        rc = read_front(tree, question, err);
    if (rc == KVCAP_OK)
        rc = read_engine(tree, seen, question, err);
    if (rc == KVCAP_OK)
        rc = read_model(kvc_value_member(tree, "model"), arena, ret_line, err);
    if (rc == KVCAP_OK)
        rc = kvc_fit_memory_read(kvc_value_member(tree, "memory"), "/memory", arena,
                                 &question->memory, err);
    const struct kvc_value *settings = kvc_value_member(tree, "settings");
    if (settings != NULL && settings->type != KVC_NULL)
        question->settings = settings;
    return rc;
}
