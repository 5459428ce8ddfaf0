/* line.c - see line.h for the room and its promises. */

#include "command/line.h"

#include <stdio.h>
#include <string.h>

#include "command/flag.h"
#include "command/secret.h"
#include "command/value.h"

#define AT_ROOM 80

struct reading {
    const struct kvc_command_line *line;
    const struct kvc_program *program;
    struct kvc_flag_rows rows;
    size_t at; /* the next word */
    struct kvc_build build;
    struct kvc_command *command;
    bool *by_member;           /* a row each: given as --row.member, which counts more than --row */
    bool model_is_operand;     /* a word without a flag named it, which counts more than --model */
    struct kvc_span hub, file; /* of a model on a hub, and which of its files */
    struct kvc_span passed;    /* the last word that was taken for the value of an unknown flag */
    kvcap_error *err;
};

/* One flag as it stands. */
struct given {
    const struct kvc_setting_row *row;
    struct kvc_span flag;   /* without its value */
    struct kvc_span member; /* of an object: "method"; NULL text: none */
    struct kvc_span text;   /* the value; NULL text: none yet */
    size_t word;            /* that holds the value */
    bool negated;
    char at[AT_ROOM]; /* the flag, in a refusal */
};

static kvcap_code no_memory(const struct reading *r)
{
    return kvc_fail(r->err, KVC_MEMORY_FULL, "", "the command line needs more memory");
}

static void place(struct kvc_span flag, char ret_at[AT_ROOM])
{
    snprintf(ret_at, AT_ROOM, "%.*s", (int)(flag.length > AT_ROOM - 1 ? AT_ROOM - 1 : flag.length),
             flag.text);
}

static bool is_vllm(const struct reading *r)
{
    return r->program->engine == KVC_ENGINE_VLLM;
}

static void ignore(struct reading *r, struct kvc_span flag)
{
    r->command->ignored[r->command->ignored_count++] = flag;
}

/* ---- Secrets. */

/* What was said of a word goes on being said, but for its value. */
static kvcap_code note_secret(struct reading *r, struct kvc_span name, struct kvc_span value,
                              size_t word)
{
    static const char HIDDEN[] = "***";
    struct kvc_span whole = r->command->words[word];
    size_t before = value.text == NULL ? whole.length : (size_t)(value.text - whole.text);
    struct kvc_span kept = kvc_arena_copy(r->build.arena, name);
    char *text = kvc_arena_take(r->build.arena, before + sizeof HIDDEN);
    if (kept.text == NULL || text == NULL)
        return no_memory(r);
    if (r->command->secret == NULL)
        r->command->secret = kept.text;
    if (value.text == NULL)
        return KVCAP_OK;
    memcpy(text, whole.text, before);
    memcpy(text + before, HIDDEN, sizeof HIDDEN);
    r->command->words[word] = (struct kvc_span){ text, before + strlen(HIDDEN) };
    return KVCAP_OK;
}

static bool is_secret(const struct given *given)
{
    struct kvc_span name = given->row == NULL ? given->flag : kvc_span_of(given->row->name);
    bool sizes = given->row != NULL && given->row->sizes;
    return (!sizes && (kvc_secret_name(given->flag) || kvc_secret_name(name))) ||
           (given->text.text != NULL && kvc_secret_word(given->text));
}

/* ---- Settings: a later one in place of an earlier. */

static void forget(struct reading *r, const char *name)
{
    struct kvc_value *before = kvc_value_member(r->command->settings, name);
    if (before != NULL)
        kvc_value_remove(r->command->settings, before);
}

static void put_truth(struct reading *r, const struct kvc_setting_row *row, bool truth)
{
    forget(r, row->name);
    kvc_build_bool(&r->build, r->command->settings, row->name, truth);
}

/* ORG/NAME:QUANT */
static void take_hub(struct reading *r, struct kvc_span text)
{
    const char *colon = text.length == 0 ? NULL : memchr(text.text, ':', text.length);
    r->hub = text;
    r->command->quant = (struct kvc_span){ NULL, 0 };
    if (colon == NULL)
        return;
    r->hub.length = (size_t)(colon - text.text);
    r->command->quant = (struct kvc_span){ colon + 1, text.length - r->hub.length - 1 };
}

/* Whether a row says which model it is, and not how it is served. */
static bool take_model(struct reading *r, const struct kvc_setting_row *row, struct kvc_span text)
{
    if (strcmp(row->name, "model") == 0) {
        if (!r->model_is_operand)
            r->command->model = text;
        return true;
    }
    if (!is_vllm(r) && strcmp(row->name, "hf_repo") == 0)
        take_hub(r, text);
    else if (!is_vllm(r) && strcmp(row->name, "hf_file") == 0)
        r->file = text;
    else
        return false;
    return true;
}

static kvcap_code put(struct reading *r, const struct kvc_setting_row *row, const char *at,
                      struct kvc_span text)
{
    struct kvc_command_value value = { .build = &r->build,
                                       .engine = r->program->engine,
                                       .row = row,
                                       .at = at,
                                       .text = text,
                                       .err = r->err };
    if (r->by_member[row - r->rows.rows])
        return KVCAP_OK;
    forget(r, row->name);
    return kvc_command_put(&value, r->command->settings);
}

/* The object that a member's last name stands in; members between are made. */
static struct kvc_value *object_of(struct reading *r, struct kvc_value *object,
                                   struct kvc_span *member)
{
    const char *dot;
    while (object != NULL && (dot = memchr(member->text, '.', member->length)) != NULL) {
        size_t length = (size_t)(dot - member->text);
        struct kvc_span key =
            kvc_arena_copy(r->build.arena, (struct kvc_span){ member->text, length });
        if (key.text == NULL)
            return NULL;
        struct kvc_value *inner = kvc_value_member(object, key.text);
        if (inner != NULL && inner->type != KVC_OBJECT) {
            kvc_value_remove(object, inner);
            inner = NULL;
        }
        object = inner != NULL ? inner : kvc_build_object(&r->build, object, key.text);
        member->text += length + 1;
        member->length -= length + 1;
    }
    return object;
}

/* --speculative-config.method mtp.  All members of a row are one object, in place of one that was given whole. */
static kvcap_code put_member(struct reading *r, const struct given *given)
{
    const struct kvc_setting_row *row = given->row;
    bool *by_member = &r->by_member[row - r->rows.rows];
    struct kvc_span member = given->member;
    if (!*by_member) {
        forget(r, row->name);
        kvc_build_object(&r->build, r->command->settings, row->name);
        *by_member = true;
    }
    struct kvc_value *object = kvc_value_member(r->command->settings, row->name);
    object = object_of(r, object, &member);
    struct kvc_span key = kvc_arena_copy(r->build.arena, member);
    if (object == NULL || key.text == NULL)
        return no_memory(r);
    if (key.length == 0 || key.text[key.length - 1] == '+')
        return kvc_fail(r->err, KVC_USAGE_BAD_VALUE, given->at,
                        "a member's name is due behind the point; lists are read in JSON alone");
    struct kvc_value *before = kvc_value_member(object, key.text);
    if (before != NULL)
        kvc_value_remove(object, before);
    return kvc_command_put_member(&r->build, object, key.text, given->text, r->err);
}

/* ---- Words behind a flag. */

/* As argparse sees it: what begins with a dash is a flag, but for a dash alone, a number, or words with a
 * blank in them. */
static bool looks_like_flag(const char *word)
{
    if (word[0] != '-' || word[1] == '\0' || strchr(word, ' ') != NULL)
        return false;
    for (const char *c = word + 1; *c != '\0'; c++) {
        if ((*c < '0' || *c > '9') && *c != '.')
            return true;
    }
    return false;
}

/* llama.cpp takes whatever comes; a flag that it has is none of what anybody means by a value. */
static bool is_value(const struct reading *r, const char *word)
{
    bool negated;
    if (is_vllm(r))
        return !looks_like_flag(word);
    return word[0] != '-' || kvc_flag_find(&r->rows, kvc_span_of(word), &negated) == NULL;
}

static bool next_value(struct reading *r, struct kvc_span *ret_text, size_t *ret_word)
{
    if (r->at >= r->line->count || !is_value(r, r->line->words[r->at]))
        return false;
    *ret_word = r->at;
    *ret_text = kvc_span_of(r->line->words[r->at++]);
    return true;
}

static bool has_word(const struct kvc_setting_row *row, const char *word)
{
    for (size_t i = 0; row->words != NULL && row->words[i] != NULL; i++) {
        if (strcmp(row->words[i], word) == 0)
            return true;
    }
    return false;
}

static bool is_truth_word(struct kvc_span text)
{
    bool truth;
    return kvc_command_truth(text, &truth);
}

/* A value that may be left out: of a truth, True or False as vLLM took them before 0.9; of llama.cpp's -fa,
 * which took none before it took three. */
static bool next_choice(struct reading *r, struct given *given)
{
    if (r->at >= r->line->count)
        return false;
    struct kvc_span next = kvc_span_of(r->line->words[r->at]);
    bool truth = is_vllm(r) && given->row->type == KVC_SETTING_TRUTH && next.length > 1 &&
                 is_truth_word(next);
    bool of_switch =
        given->row->type == KVC_SETTING_TEXT &&
        (is_truth_word(next) || has_word(given->row, next.text) || kvc_span_is(next, "-1"));
    return (truth || of_switch) && next_value(r, &given->text, &given->word);
}

/* One word or several: --served-model-name a b. */
static kvcap_code take_more(struct reading *r, struct given *given)
{
    struct kvc_span next, joined = given->text;
    size_t word;
    kvcap_code rc = KVCAP_OK;
    while (rc == KVCAP_OK && next_value(r, &next, &word)) {
        if (kvc_secret_word(next)) {
            rc = note_secret(r, given->flag, next, word);
            continue;
        }
        char *text = kvc_arena_take(r->build.arena, joined.length + next.length + 2);
        if (text == NULL)
            return no_memory(r);
        memcpy(text, joined.text, joined.length);
        text[joined.length] = ',';
        memcpy(text + joined.length + 1, next.text, next.length + 1);
        joined = (struct kvc_span){ text, joined.length + next.length + 1 };
    }
    given->text = joined;
    return rc;
}

static kvcap_code take_value(struct reading *r, struct given *given)
{
    const struct kvc_setting_row *row = given->row;
    bool is_truth = row->type == KVC_SETTING_TRUTH && given->member.text == NULL;
    bool is_switch = !is_vllm(r) && has_word(row, "on") && has_word(row, "auto");
    if (given->negated && given->text.text != NULL)
        return kvc_fail(r->err, KVC_USAGE_BAD_VALUE, given->at, "this flag takes no value");
    if (given->negated)
        return KVCAP_OK;
    if (given->text.text == NULL && (is_truth || is_switch)) {
        if (!next_choice(r, given) && is_switch)
            given->text = kvc_span_of("on");
        return KVCAP_OK;
    }
    bool takes = row->sizes || row->takes_value;
    if (given->text.text == NULL && takes && !next_value(r, &given->text, &given->word) &&
        !is_secret(given))
        return kvc_fail(r->err, KVC_USAGE_MISSING_VALUE, given->at, "a value is due: %s",
                        row->text);
    return row->takes_many && given->text.text != NULL && !is_secret(given) ? take_more(r, given)
                                                                            : KVCAP_OK;
}

/* vLLM's --api-key may take several; before the model is known the next word is that. */
static kvcap_code take_secrets(struct reading *r, struct given *given)
{
    kvcap_code rc;
    bool may_be_model = r->program->takes_model && !r->model_is_operand;
    ignore(r, given->flag);
    do
        rc = note_secret(r, given->flag, given->text, given->word);
    while (rc == KVCAP_OK && is_vllm(r) && !may_be_model &&
           next_value(r, &given->text, &given->word));
    return rc;
}

/* ---- One flag. */

static kvcap_code take_known(struct reading *r, struct given *given)
{
    const struct kvc_setting_row *row = given->row;
    if (is_vllm(r) && strcmp(row->name, "config") == 0)
        return kvc_fail(r->err, KVC_USAGE_BAD_VALUE, given->at,
                        "a file of flags is not read: give its flags themselves");
    kvcap_code rc = take_value(r, given);
    if (rc != KVCAP_OK)
        return rc;
    if (is_secret(given))
        return take_secrets(r, given);
    if (given->text.text != NULL && given->member.text == NULL && take_model(r, row, given->text))
        return KVCAP_OK;
    if (!row->sizes) {
        ignore(r, given->flag);
        return KVCAP_OK;
    }
    if (given->member.text != NULL)
        return put_member(r, given);
    if (given->text.text != NULL)
        return put(r, row, given->at, given->text);
    put_truth(r, row, !given->negated);
    return KVCAP_OK;
}

static kvcap_code take_unknown(struct reading *r, struct given *given)
{
    if (!r->line->allow_unknown) {
        struct kvc_span nearest = kvc_flag_nearest(&r->rows, given->flag);
        return kvc_fail(r->err, KVC_USAGE_UNKNOWN_FLAG, given->at,
                        "%s is not known to have this flag%s%.*s; --allow-unknown passes over it",
                        kvc_engine_name(r->program->engine),
                        nearest.length == 0 ? "" : "; the nearest is ", (int)nearest.length,
                        nearest.text);
    }
    if (given->text.text == NULL && next_value(r, &given->text, &given->word))
        r->passed = given->text;
    if (is_secret(given)) {
        r->passed = (struct kvc_span){ NULL, 0 };
        return take_secrets(r, given);
    }
    ignore(r, given->flag);
    return KVCAP_OK;
}

/* "--flag.member.of.it": the row of what stands before the point. */
static void find_member(struct reading *r, struct given *given)
{
    const char *dot = memchr(given->flag.text, '.', given->flag.length);
    if (dot == NULL)
        return;
    size_t length = (size_t)(dot - given->flag.text);
    given->row =
        kvc_flag_find(&r->rows, (struct kvc_span){ given->flag.text, length }, &given->negated);
    if (given->row != NULL && given->row->sizes && given->row->type != KVC_SETTING_OBJECT)
        given->row = NULL;
    given->member = (struct kvc_span){ dot + 1, given->flag.length - length - 1 };
}

/* "-O3": the one flag that has its value glued on. */
static void find_level(struct reading *r, struct given *given)
{
    struct kvc_span flag = { given->flag.text, 2 };
    if (!is_vllm(r) || given->flag.length != 3 || !kvc_span_is(flag, "-O") ||
        given->flag.text[2] < '0' || given->flag.text[2] > '9')
        return;
    given->row = kvc_flag_find(&r->rows, flag, &given->negated);
    given->text = kvc_span_of(given->flag.text + 2);
}

/* "--flag", "--flag=value", "--flag.member". */
static kvcap_code take_flag(struct reading *r)
{
    struct given given = { .word = r->at };
    const char *word = r->line->words[r->at++];
    const char *equals = strchr(word, '=');
    given.flag = kvc_span_of(word);
    if (equals != NULL) {
        given.flag.length = (size_t)(equals - word);
        given.text = kvc_span_of(equals + 1);
    }
    place(given.flag, given.at);
    given.row = kvc_flag_find(&r->rows, given.flag, &given.negated);
    if (given.row == NULL)
        find_member(r, &given);
    if (given.row == NULL)
        find_level(r, &given);
    return given.row == NULL ? take_unknown(r, &given) : take_known(r, &given);
}

/* The one word that is no flag: vllm serve's model. */
static kvcap_code take_operand(struct reading *r)
{
    struct kvc_span word = kvc_span_of(r->line->words[r->at]);
    char at[AT_ROOM];
    place(word, at);
    if (!r->program->takes_model || r->model_is_operand || word.length == 0)
        return kvc_fail(r->err, KVC_USAGE_OPERANDS, at, "no flag stands before this word");
    if (kvc_secret_word(word)) {
        r->at++;
        return note_secret(r, kvc_span_of("the model"), word, r->at - 1);
    }
    r->at++;
    r->command->model = word;
    r->model_is_operand = true;
    return KVCAP_OK;
}

/* ---- The environment. */

/* LLAMA_ARG_NO_X makes false what LLAMA_ARG_X makes true, whatever it holds (common/arg.cpp). */
static const struct kvc_setting_row *row_of_negation(const struct reading *r, struct kvc_span name)
{
    static const char ARG[] = "LLAMA_ARG_", NO[] = "LLAMA_ARG_NO_";
    char positive[AT_ROOM];
    if (is_vllm(r) || !kvc_span_starts(name, NO) || name.length >= AT_ROOM)
        return NULL;
    snprintf(positive, sizeof positive, "%s%.*s", ARG, (int)(name.length - strlen(NO)),
             name.text + strlen(NO));
    const struct kvc_setting_row *row = kvc_flag_of_variable(&r->rows, kvc_span_of(positive));
    return row != NULL && row->type == KVC_SETTING_TRUTH && row->no_flags != NULL ? row : NULL;
}

static kvcap_code take_variable(struct reading *r, struct kvc_span name, struct kvc_span value,
                                bool *ret_counts)
{
    char at[AT_ROOM];
    const struct kvc_setting_row *row = kvc_flag_of_variable(&r->rows, name);
    const struct kvc_setting_row *negated = row == NULL ? row_of_negation(r, name) : NULL;
    place(name, at);
    *ret_counts = true;
    if (negated != NULL && negated->sizes)
        put_truth(r, negated, false);
    else if (row != NULL && value.length > 0 && take_model(r, row, value))
        return KVCAP_OK;
    else if (row != NULL && row->sizes && value.length > 0)
        return put(r, row, at, value);
    else
        *ret_counts = false;
    return KVCAP_OK;
}

/* A variable that stands before the program; its word is one of those that a record holds. */
static kvcap_code take_given_variable(struct reading *r, size_t word)
{
    struct kvc_span name, value;
    bool counts = false;
    kvcap_code rc = KVCAP_OK;
    bool is_variable = kvc_program_variable(r->line->words[word], &name, &value);
    if (!is_variable)
        return KVCAP_OK;
    bool secret = kvc_secret_name(name) || kvc_secret_word(value);
    if (!secret)
        rc = take_variable(r, name, value, &counts);
    if (rc == KVCAP_OK && secret)
        rc = note_secret(r, name, value, word);
    if (rc == KVCAP_OK && !counts)
        ignore(r, name);
    return rc;
}

static kvcap_code take_environment(struct reading *r)
{
    kvcap_code rc = KVCAP_OK;
    bool counts;
    for (size_t i = 0; i < r->line->env_count && rc == KVCAP_OK; i++)
        rc = take_variable(r, kvc_span_of(r->line->env[i].name), kvc_span_of(r->line->env[i].value),
                           &counts);
    for (size_t i = 0; i < r->program->variables_count && rc == KVCAP_OK; i++)
        rc = take_given_variable(r, r->program->variables[i]);
    return rc;
}

/* ---- All of it. */

static kvcap_code begin(struct reading *r)
{
    struct kvc_command *command = r->command;
    size_t room = r->line->count + 1;
    command->words = kvc_arena_array(r->build.arena, room, sizeof *command->words);
    command->ignored = kvc_arena_array(r->build.arena, room, sizeof *command->ignored);
    command->settings = kvc_build_object(&r->build, NULL, NULL);
    r->by_member = kvc_arena_array(r->build.arena, r->rows.count + 1, sizeof *r->by_member);
    if (command->words == NULL || command->ignored == NULL || command->settings == NULL ||
        r->by_member == NULL)
        return no_memory(r);
    command->engine = r->program->engine;
    command->front = r->program->front;
    command->words_count = r->line->count;
    r->at = r->program->words;
    for (size_t i = 0; i < r->line->count; i++) {
        command->words[i] = kvc_span_of(r->line->words[i]);
        if (!kvc_span_is_utf8(command->words[i], NULL))
            return kvc_fail(r->err, KVC_USAGE_BAD_VALUE, "",
                            "word %u of the command line is not UTF-8", (unsigned)i + 1);
    }
    return KVCAP_OK;
}

/* A model on a hub, where no file was named; and the operand that an unknown flag seemed to take. */
static kvcap_code close_model(struct reading *r)
{
    struct kvc_command *command = r->command;
    if (command->model.text == NULL && r->program->takes_model && r->passed.text != NULL)
        command->model = r->passed;
    if (r->hub.text == NULL || command->model.text != NULL) {
        command->quant = (struct kvc_span){ NULL, 0 };
        return KVCAP_OK;
    }
    size_t room = r->hub.length + r->file.length + sizeof "hf:/";
    char *text = kvc_arena_take(r->build.arena, room);
    if (text == NULL)
        return no_memory(r);
    snprintf(text, room, "hf:%.*s%s%.*s", (int)r->hub.length, r->hub.text,
             r->file.length == 0 ? "" : "/", (int)r->file.length,
             r->file.length == 0 ? "" : r->file.text);
    command->model = kvc_span_of(text);
    return KVCAP_OK;
}

kvcap_code kvc_command_read_line(const struct kvc_command_line *line,
                                 const struct kvc_program *program, struct kvc_arena *arena,
                                 struct kvc_command *ret_command, kvcap_error *err)
{
    struct kvc_command command = { .secret = NULL };
    struct reading r = { .line = line,
                         .program = program,
                         .rows = { line->rows, line->rows_count,
                                   program->engine == KVC_ENGINE_VLLM },
                         .build = { .arena = arena },
                         .command = &command,
                         .err = err };
    kvcap_code rc = begin(&r);
    if (rc == KVCAP_OK)
        rc = take_environment(&r);
    while (rc == KVCAP_OK && r.at < line->count)
        rc = line->words[r.at][0] == '-' && line->words[r.at][1] != '\0' ? take_flag(&r)
                                                                         : take_operand(&r);
    if (rc == KVCAP_OK)
        rc = close_model(&r);
    if (rc == KVCAP_OK && r.build.full)
        rc = no_memory(&r);
    if (rc == KVCAP_OK)
        *ret_command = command;
    return rc;
}
