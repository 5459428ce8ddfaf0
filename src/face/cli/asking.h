/* asking.h - what is gathered before an engine can be asked: words of its command line, and flags beside them.
 *
 * Room:   face/cli.
 * Knows:  all.
 *
 *   words behind --  ->  command/   settings, model, engine --+
 *   flags before --  ->  version, --set, memory --------------+-> a question of fit/
 *
 * The verbs fit and contract ask alike; each step needs those before it.
 */
#ifndef KVC_FACE_CLI_ASKING_H
#define KVC_FACE_CLI_ASKING_H

#include "command/command.h"
#include "face/cli/verbs.h"
#include "fit/fit.h"

struct kvc_asking {
    const struct kvc_call *call;
    const char *name_flag, *revision_flag; /* of a model whose record is made here */
    struct kvc_library *library;
    struct kvc_arena *arena; /* the library's */
    struct kvc_command command;
    bool has_command;
    const struct kvc_value *memory; /* as an object, for the record */
    struct kvc_entry *model;
    bool model_was_made; /* here, and so lies in no file yet */
    struct kvc_fit_question question;
};

kvcap_code kvc_ask_command(struct kvc_asking *asking, kvcap_error *err);
/* --engine says the version; without it the command line says the engine, at its newest profile. */
kvcap_code kvc_ask_engine(struct kvc_asking *asking, kvcap_error *err);
/* --model says where the model's files are; else the command line's own word is looked for. */
kvcap_code kvc_ask_model(struct kvc_asking *asking, kvcap_error *err);
/* The command line's settings, and --set over them. */
kvcap_code kvc_ask_settings(struct kvc_asking *asking, kvcap_error *err);

#endif /* KVC_FACE_CLI_ASKING_H */
