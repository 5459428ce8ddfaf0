/* fit.c - fits of include/kvcap.h: a question as a line of JSON, and its answer as another. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "face/api/handle.h"
#include "fit/answer_json.h"
#include "fit/line.h"
#include "os/os.h"

struct kvcap_fitter {
    kvcap_model_opener opener;
    void *context;
    struct kvc_arena arena; /* of one question; begun anew with the next */
    struct kvc_mark empty;
    struct kvc_releases_seen seen;
    kvcap_record *builtin; /* the last one that a question named */
    char builtin_name[256];
};

static kvcap_code no_memory(kvcap_error *error)
{
    return kvc_fail(error, KVC_MEMORY_FULL, "", "the answer needs more memory");
}

kvcap_code kvcap_fitter_new(kvcap_model_opener opener, void *context, kvcap_fitter **ret_fitter,
                            kvcap_error *error)
{
    if (ret_fitter == NULL)
        return kvc_fail(error, KVC_USAGE_NULL, "ret_fitter", "ret_fitter must not be NULL");
    struct kvcap_fitter *fitter = calloc(1, sizeof *fitter);
    if (fitter == NULL)
        return no_memory(error);
    fitter->opener = opener;
    fitter->context = context;
    kvc_arena_from(&fitter->arena, &kvc_os_memory, KVC_HANDLE_BYTES_MAX);
    /* A first piece, so that the arena keeps its first chunk from one question to the next. */
    if (kvc_arena_take(&fitter->arena, 1) == NULL) {
        free(fitter);
        return no_memory(error);
    }
    fitter->empty = kvc_arena_mark(&fitter->arena);
    *ret_fitter = fitter;
    return KVCAP_OK;
}

void kvcap_fitter_free(kvcap_fitter *fitter)
{
    if (fitter == NULL)
        return;
    kvcap_record_free(fitter->builtin);
    kvc_arena_drop(&fitter->arena);
    free(fitter);
}

/* ---- Models that do not stand in the line. */

/* Made from a GGUF file, now or when its record was. */
static bool is_gguf(const struct kvcap_record *handle)
{
    const struct kvc_value *artefact = kvc_value_member(handle->record.tree, "artefact");
    const struct kvc_value *format = kvc_value_member(artefact, "format");
    return format != NULL && kvc_span_is(format->text, "gguf");
}

void kvc_fit_model_of_handle(const struct kvcap_record *handle, struct kvc_engine_model *ret_model)
{
    const struct kvc_model *model = &handle->record.model;
    *ret_model = (struct kvc_engine_model){
        .shape = &model->shape,
        .family = model->family,
        .dtype = model->dtype,
        .context_tokens = model->context_tokens,
        .query_heads = model->query_heads,
        .weights_bytes = model->weights_bytes,
        .facts = handle->facts,
        .is_gguf = is_gguf(handle),
        .asks = handle->asks,
        .asked = handle->asked,
    };
}

static kvcap_code open_builtin(struct kvcap_fitter *fitter, const char *name,
                               const kvcap_record **ret_model, kvcap_error *error)
{
    if (fitter->builtin == NULL || strcmp(fitter->builtin_name, name) != 0) {
        kvcap_record *model;
        kvcap_code rc = kvcap_model_builtin(name, &model, error);
        if (rc != KVCAP_OK)
            return rc;
        kvcap_record_free(fitter->builtin);
        fitter->builtin = model;
        snprintf(fitter->builtin_name, sizeof fitter->builtin_name, "%s", name);
    }
    *ret_model = fitter->builtin;
    return KVCAP_OK;
}

static kvcap_code open_model(struct kvcap_fitter *fitter, struct kvc_fit_line *line,
                             kvcap_error *error)
{
    static const int32_t HOW[] = { [KVC_FIT_MODEL_CONFIG] = KVCAP_MODEL_CONFIG,
                                   [KVC_FIT_MODEL_GGUF] = KVCAP_MODEL_GGUF,
                                   [KVC_FIT_MODEL_NAME] = KVCAP_MODEL_NAME };
    const kvcap_record *model = NULL;
    const char *name = kvc_arena_copy(&fitter->arena, line->model).text;
    kvcap_code rc;
    if (name == NULL)
        return no_memory(error);
    if (strlen(name) != line->model.length)
        return kvc_fail(error, KVC_USAGE_BAD_VALUE, "/model", "a path or a name has no NUL in it");
    if (fitter->opener != NULL)
        rc = fitter->opener(fitter->context, HOW[line->form], name, &model, error);
    else if (line->form == KVC_FIT_MODEL_NAME)
        rc = open_builtin(fitter, name, &model, error);
    else
        rc = kvc_fail(error, KVC_USAGE_BAD_VALUE, "/model", "no file is opened here");
    if (rc != KVCAP_OK)
        return rc;
    if (model == NULL || model->record.kind != KVC_KIND_MODEL)
        return kvc_fail(error, KVC_USAGE_WRONG_KIND, "/model", "it is no kv-model");
    kvc_fit_model_of_handle(model, &line->question.model);
    return KVCAP_OK;
}

/* ---- Answers. */

static kvcap_code write_fit(const struct kvc_fit_line *line, const struct kvc_fit *fit,
                            struct kvc_fit_text *text, kvcap_error *error)
{
    char engine[KVC_ENGINE_WORD_ROOM];
    kvc_release_word(&line->question.release, engine);
    struct kvc_fit_frame frame = { .id = line->id, .engine = kvc_span_of(engine) };
    kvc_fit_open(text, NULL, '{');
    bool safe = kvc_fit_write(fit, &frame, text);
    kvc_fit_close(text, '}');
    return safe ? KVCAP_OK
                : kvc_fail(error, KVC_RANGE_OVERFLOW, "", "a number of the answer is past 2^53-1");
}

static kvcap_code answer(struct kvcap_fitter *fitter, struct kvc_fit_line *line,
                         struct kvc_span text, struct kvc_fit_text *out, int32_t *ret_decision,
                         kvcap_error *error)
{
    struct kvc_fit *fit = kvc_arena_take(&fitter->arena, sizeof *fit);
    if (fit == NULL)
        return no_memory(error);
    kvcap_code rc = kvc_fit_line_read(text, &fitter->arena, &fitter->seen, line, error);
    if (rc == KVCAP_OK && line->form != KVC_FIT_MODEL_INLINE)
        rc = open_model(fitter, line, error);
    if (rc == KVCAP_OK)
        rc = kvc_fit_answer(&line->question, &fitter->arena, fit, error);
    if (rc == KVCAP_OK)
        rc = write_fit(line, fit, out, error);
    if (rc == KVCAP_OK)
        *ret_decision = (int32_t)fit->answer.decision;
    return rc;
}

kvcap_code kvcap_fitter_answer(kvcap_fitter *fitter, const char *line, size_t length,
                               kvcap_fit_answer *ret_answer, kvcap_error *error)
{
    struct kvc_fit_line read = { .id = { NULL, 0 } };
    struct kvc_fit_text text;
    kvcap_error refusal;
    int32_t decision = KVCAP_NOT_COMPARED;
    if (fitter == NULL || line == NULL || ret_answer == NULL)
        return kvc_fail(error, KVC_USAGE_NULL, "", "no argument but error may be NULL");
    if (ret_answer->struct_size != sizeof *ret_answer)
        return kvc_fail(error, KVC_USAGE_STRUCT_SIZE, "ret_answer",
                        "struct_size is %u where %zu is due", (unsigned)ret_answer->struct_size,
                        sizeof *ret_answer);
    kvc_arena_rewind(&fitter->arena, fitter->empty);
    kvc_fit_text_begin(&text, &fitter->arena);
    kvcap_code rc =
        answer(fitter, &read, (struct kvc_span){ line, length }, &text, &decision, &refusal);
    if (rc != KVCAP_OK) {
        kvc_fit_text_begin(&text, &fitter->arena);
        kvc_fit_write_error(read.id, &refusal, &text);
        decision = KVCAP_NOT_COMPARED;
    }
    kvc_fit_put(&text, "", 1);
    if (text.full)
        return no_memory(error);
    ret_answer->decision = decision;
    ret_answer->code = rc;
    ret_answer->json = text.text;
    ret_answer->length = text.length - 1;
    return KVCAP_OK;
}
