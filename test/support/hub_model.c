/* hub_model.c - see hub_model.h. */

#include "support/hub_model.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Texts that live until the program ends, in one list, so that they are not taken for lost. */
struct kept {
    struct kept *next;
    char text[];
};

static char *text_of(size_t room)
{
    static struct kept *all;
    struct kept *kept = malloc(sizeof *kept + room);
    assert_non_null(kept);
    kept->next = all;
    all = kept;
    return kept->text;
}

struct kvc_span hub_safetensors(size_t length)
{
    char *bytes = text_of(8 + length);
    for (size_t i = 0; i < 8; i++)
        bytes[i] = (char)(length >> (8 * i) & 0xFF);
    memset(bytes + 8, ' ', length);
    if (length >= 2)
        memcpy(bytes + 8, "{}", 2);
    return (struct kvc_span){ .text = bytes, .length = 8 + length };
}

static const char *listing(const struct hub_model *model)
{
    size_t room = 4096 + model->files_count * 1200, used;
    char *text = text_of(room);
    used =
        (size_t)snprintf(text, room, "{\"id\":\"%s\",\"likes\":1.5e3,\"sha\":\"%s\",\"siblings\":[",
                         model->repository, model->commit);
    for (size_t i = 0; i < model->files_count; i++)
        used += (size_t)snprintf(text + used, room - used, "%s{\"rfilename\":\"%s\"}",
                                 i == 0 ? "" : ",", model->files[i].name);
    snprintf(text + used, room - used, "]}");
    return text;
}

size_t hub_model_answers(const struct hub_model *model, struct hub_answer *ret_answers, size_t room)
{
    assert_true(room >= model->files_count + 1);
    char *target = text_of(512);
    snprintf(target, 512, "/api/models/%s/revision/%s", model->repository, model->revision);
    ret_answers[0] = (struct hub_answer){ .target = target, .body = listing(model) };
    for (size_t i = 0; i < model->files_count; i++) {
        const struct hub_file *file = &model->files[i];
        target = text_of(2048);
        snprintf(target, 2048, "/%s/resolve/%s/%s", model->repository, model->commit,
                 file->escaped == NULL ? file->name : file->escaped);
        ret_answers[1 + i] = (struct hub_answer){ .target = target,
                                                  .body = file->bytes.text,
                                                  .length = file->bytes.length,
                                                  .zeros = file->zeros,
                                                  .lines = file->lines,
                                                  .manner = model->manner };
    }
    return model->files_count + 1;
}
