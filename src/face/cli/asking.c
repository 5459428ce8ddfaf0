/* asking.c - see asking.h for what it gathers. */

#include "face/cli/asking.h"

#include <stdlib.h>
#include <string.h>

#include "base/unit.h"
#include "fit/line.h"
#include "shape/from_config.h"

extern char **environ;

static kvcap_code no_memory(kvcap_error *err)
{
    return kvc_fail(err, KVC_MEMORY_FULL, "", "the question needs more memory");
}

/* ---- Settings. */

/* NAME=VALUE: an integer, true, false, or text. */
static kvcap_code put_set(struct kvc_build *build, struct kvc_value *settings, const char *text,
                          kvcap_error *err)
{
    const char *equals = strchr(text, '=');
    uint64_t number;
    if (equals == NULL || equals == text)
        return kvc_fail(err, KVC_USAGE_BAD_VALUE, "--set", "NAME=VALUE is due");
    const char *key =
        kvc_arena_copy(build->arena, (struct kvc_span){ text, (size_t)(equals - text) }).text;
    struct kvc_span value = kvc_span_of(equals + 1);
    if (key == NULL)
        return no_memory(err);
    struct kvc_value *before = kvc_value_member(settings, key);
    if (before != NULL)
        kvc_value_remove(settings, before);
    if (kvc_span_is(value, "true") || kvc_span_is(value, "false"))
        kvc_build_bool(build, settings, key, kvc_span_is(value, "true"));
    else if (kvc_span_u64(value, &number) && number <= KVC_SAFE_MAX)
        kvc_build_u64(build, settings, key, number);
    else
        kvc_build_text(build, settings, key, value);
    return KVCAP_OK;
}

kvcap_code kvc_ask_settings(struct kvc_asking *a, kvcap_error *err)
{
    struct kvc_build build = { .arena = a->arena };
    struct kvc_value *settings = a->has_command && a->command.settings != NULL
                                     ? a->command.settings
                                     : kvc_build_object(&build, NULL, NULL);
    const char *set;
    kvcap_code rc = settings == NULL ? no_memory(err) : KVCAP_OK;
    for (size_t i = 0; rc == KVCAP_OK && (set = kvc_nth_value_of(a->call, "set", i)) != NULL; i++)
        rc = put_set(&build, settings, set, err);
    if (rc == KVCAP_OK && build.full)
        rc = no_memory(err);
    a->question.settings = settings;
    a->question.settings_at = "";
    return rc;
}

/* ---- Engine, command line, model. */

static kvcap_code environment_of(struct kvc_arena *arena, struct kvc_command_env **ret_env,
                                 size_t *ret_count, kvcap_error *err)
{
    size_t count = 0;
    while (environ[count] != NULL)
        count++;
    struct kvc_command_env *env = kvc_arena_array(arena, count, sizeof *env);
    if (env == NULL && count > 0)
        return no_memory(err);
    for (size_t i = 0; i < count; i++) {
        const char *equals = strchr(environ[i], '=');
        size_t length = equals == NULL ? strlen(environ[i]) : (size_t)(equals - environ[i]);
        env[i].name = kvc_arena_copy(arena, (struct kvc_span){ environ[i], length }).text;
        env[i].value = equals == NULL ? "" : equals + 1;
        if (env[i].name == NULL)
            return no_memory(err);
    }
    *ret_env = env;
    *ret_count = count;
    return KVCAP_OK;
}

kvcap_code kvc_ask_command(struct kvc_asking *a, kvcap_error *err)
{
    struct kvc_command_env *env = NULL;
    size_t env_count = 0;
    if (a->call->words_count == 0)
        return KVCAP_OK;
    kvcap_code rc = environment_of(a->arena, &env, &env_count, err);
    if (rc == KVCAP_OK)
        rc = kvc_command_read(a->call->words, a->call->words_count, env, env_count,
                              kvc_given(a->call, "allow-unknown"), a->arena, &a->command, err);
    a->has_command = rc == KVCAP_OK;
    return rc;
}

kvcap_code kvc_ask_engine(struct kvc_asking *a, kvcap_error *err)
{
    const char *word = kvc_value_of(a->call, "engine");
    struct kvc_release *release = &a->question.release;
    if (word == NULL && !a->has_command)
        return kvc_fail(err, KVC_USAGE_MISSING_FLAG, "--engine",
                        "give an engine's command line behind --, or --engine and --set");
    if (word == NULL)
        word = kvc_engine_name(a->command.engine);
    kvcap_code rc = kvc_release_read(kvc_span_of(word), "--engine", release, err);
    if (rc == KVCAP_OK && a->has_command && release->engine != a->command.engine)
        return kvc_fail(err, KVC_USAGE_CONFLICT, "--engine",
                        "the command line is one of %s, and --engine says %s",
                        kvc_engine_name(a->command.engine), kvc_engine_name(release->engine));
    if (rc == KVCAP_OK && a->has_command)
        a->question.front = a->command.front;
    return rc;
}

/* The caller says that plain keys mean plain attention: the file is read once more under that word.  The
 * model's record does not hold it, and a fit says that it is more than the record. */
static kvcap_code assume_plain(struct kvc_asking *a, kvcap_error *err)
{
    const struct kvcap_record *handle = a->model->handle;
    struct kvc_facts *facts = kvc_arena_take(a->arena, sizeof *facts);
    struct kvc_found *found = kvc_arena_take(a->arena, sizeof *found);
    struct kvc_engine_model plain;
    if (facts == NULL || found == NULL)
        return no_memory(err);
    if (handle->facts == NULL || handle->facts_are_gguf)
        return KVCAP_OK; /* only a config.json leaves it open */
    *facts = *handle->facts;
    facts->assume_plain = true;
    kvcap_code rc = kvc_shape_from_config(facts, a->arena, found, err);
    if (rc != KVCAP_OK)
        return rc;
    kvc_fit_model_found(found, facts, false, &plain);
    plain.weights_bytes = a->question.model.weights_bytes;
    plain.asks = a->question.model.asks;
    plain.asked = a->question.model.asked;
    a->question.model = plain;
    return KVCAP_OK;
}

kvcap_code kvc_ask_model(struct kvc_asking *a, kvcap_error *err)
{
    const char *word = kvc_value_of(a->call, "model");
    if (word == NULL && a->has_command && a->command.model.text != NULL)
        word = kvc_arena_copy(a->arena, a->command.model).text;
    if (word == NULL)
        return kvc_fail(err, KVC_USAGE_MISSING_FLAG, "--model",
                        "neither --model nor the command line names a model");
    kvcap_code rc =
        kvc_model_of(a->library, word, kvc_value_of(a->call, a->name_flag),
                     kvc_value_of(a->call, a->revision_flag), &a->model, &a->model_was_made, err);
    if (rc != KVCAP_OK)
        return rc;
    kvc_fit_model_of_handle(a->model->handle, &a->question.model);
    return kvc_given(a->call, "assume-plain") ? assume_plain(a, err) : KVCAP_OK;
}
