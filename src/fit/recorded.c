/* recorded.c - see recorded.h for the room and its promises. */

#include "fit/recorded.h"

/* Which of llama.cpp's programs the command was for; NULL text: none. */
static struct kvc_span front_of(const struct kvc_value *fit)
{
    static const char *const FRONTS[] = { "llama-server", "llama-cli" };
    const struct kvc_value *command = kvc_value_member(fit, "command");
    for (const struct kvc_value *e = command == NULL ? NULL : command->first; e != NULL;
         e = e->next) {
        for (size_t i = 0; i < 2; i++) {
            if (kvc_span_ends(e->text, FRONTS[i]))
                return kvc_span_of(FRONTS[i]);
        }
    }
    return (struct kvc_span){ NULL, 0 };
}

kvcap_code kvc_fit_question_of(const struct kvc_value *fit, const struct kvc_engine_model *model,
                               struct kvc_arena *arena, struct kvc_fit_question *ret_question,
                               kvcap_error *err)
{
    struct kvc_fit_question question = {
        .model = *model,
        .front = front_of(fit),
        .settings = kvc_value_member(fit, "settings"),
        .settings_at = "/settings",
    };
    kvcap_code rc =
        kvc_release_read(kvc_value_member(fit, "engine")->text, "/engine", &question.release, err);
    question.release.defaulted = kvc_value_member(fit, "engine_defaulted")->type == KVC_TRUE;
    if (rc == KVCAP_OK)
        rc = kvc_fit_memory_read(kvc_value_member(fit, "memory"), "/memory", arena,
                                 &question.memory, err);
    if (rc == KVCAP_OK)
        *ret_question = question;
    return rc;
}
