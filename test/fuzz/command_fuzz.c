/* Goal: whatever words somebody types, a command line is read or refused, and what is read holds.
 *
 * What must hold: no crash; a refusal has a slug of the caller's; settings are canonical, each has a row
 * that sizes, and the engine's own check of them takes what the parser took; flags that were passed over
 * begin as flags or name a variable; of a secret that we put in nothing is left.
 *
 * The input is words, parted by newlines; one that begins with 0x01 is an environment's NAME=value. */

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define WORDS_MAX 64
#define ENV_MAX 8
#define SECRET "XyZzYsEcReT"

static char arena_buffer[1u << 20];

struct input {
    char *text; /* NUL after each word */
    char *words[WORDS_MAX + 3];
    size_t count;
    struct kvc_command_env env[ENV_MAX];
    size_t env_count;
};

static void take(struct input *input, char *word)
{
    char *equals = strchr(word, '=');
    if (word[0] != 1) {
        if (input->count < WORDS_MAX)
            input->words[input->count++] = word;
        return;
    }
    if (equals == NULL || input->env_count == ENV_MAX)
        return;
    *equals = '\0';
    input->env[input->env_count++] = (struct kvc_command_env){ word + 1, equals + 1 };
}

static void split(struct input *input, const uint8_t *data, size_t size)
{
    input->text = malloc(size + 1);
    assert(input->text != NULL);
    if (size > 0)
        memcpy(input->text, data, size);
    input->text[size] = '\0';
    for (size_t i = 0; i < size; i++) {
        if (input->text[i] == '\n')
            input->text[i] = '\0';
    }
    for (size_t at = 0; at < size; at += strlen(input->text + at) + 1)
        take(input, input->text + at);
}

static bool holds(struct kvc_span text, const char *part)
{
    for (size_t i = 0; i + strlen(part) <= text.length; i++) {
        if (memcmp(text.text + i, part, strlen(part)) == 0)
            return true;
    }
    return false;
}

static void check_settings(const struct kvc_command *command, struct kvc_arena *arena)
{
    static struct kvc_settings settings;
    const struct kvc_engine *engine = kvc_engine_of(command->engine);
    kvcap_error error;
    kvc_settings_begin(&settings, command->settings, engine->settings, engine->settings_count, "",
                       arena, &error);
    assert(settings.rc == KVCAP_OK);
    for (const struct kvc_value *e = command->settings->first; e != NULL; e = e->next) {
        bool sizes = false;
        for (size_t i = 0; i < engine->settings_count; i++)
            sizes = sizes ||
                    (kvc_span_is(e->key, engine->settings[i].name) && engine->settings[i].sizes);
        assert(sizes && !holds(e->text, SECRET));
        assert(e->next == NULL || kvc_key_compare(e->key, e->next->key) < 0);
    }
}

static void check(const struct kvc_command *command, size_t count, struct kvc_arena *arena)
{
    assert(command->words_count == count && command->ignored_count <= count);
    for (size_t i = 0; i < command->ignored_count; i++)
        assert(command->ignored[i].length > 0 && !holds(command->ignored[i], SECRET));
    check_settings(command, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char api_key[] = "--api-key", secret[] = SECRET;
    struct input input = { .count = 0 };
    struct kvc_arena arena;
    struct kvc_command command = { .words_count = 77 };
    kvcap_error error;
    if (holds((struct kvc_span){ (const char *)data, size },
              SECRET)) /* it would be found where it stands */
        return 0;
    split(&input, data, size);
    for (int with_secret = 0; with_secret < 2; with_secret++) {
        if (with_secret) {
            input.words[input.count++] = api_key;
            input.words[input.count++] = secret;
        }
        kvc_arena_over(&arena, arena_buffer, sizeof arena_buffer);
        kvcap_code rc = kvc_command_read(input.words, input.count, input.env, input.env_count,
                                         size % 2 == 0, &arena, &command, &error);
        if (rc == KVCAP_OK)
            check(&command, input.count, &arena);
        else
            assert(rc == KVCAP_E_USAGE || rc == KVCAP_E_NOMEM);
        if (rc == KVCAP_OK && with_secret)
            assert(command.secret != NULL && !holds(command.words[input.count - 1], SECRET));
    }
    free(input.text);
    return 0;
}
