/* Goal: nothing is guessed, rounded or repaired: what breaks a rule of doc/records.md is refused,
 * with the slug and the place that are due.
 * Method: test/broken/records.txt lists edits of good records, each with its refusal; the file tells
 * how it is read.  Every base is planned untouched first, and edits that lead nowhere are failures,
 * so that a case cannot pass for another reason.  What one line cannot say stands below: YAML, sizes,
 * streams. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/edit_json.h"
#include "support/fixture.h"

/* ---- The file. */

enum { EDITS_MAX = 12, TEXT_ROOM = 200000 };

struct edit {
    char letter, operation;
    char pointer[256];
    struct kvc_span raw; /* expanded; free it */
};

struct broken {
    unsigned line;
    struct edit edits[EDITS_MAX];
    unsigned edits_count;
    char stage; /* of the refusal: a letter, or '=' for evidence or plan */
    char slug[64], at[256];
};

static size_t put_byte(const char *hex, char *out)
{
    char digits[3] = { hex[0], hex[1], '\0' };
    *out = (char)strtoul(digits, NULL, 16);
    return 1;
}

/* \xHH and {3*ab}. */
static struct kvc_span expanded(const char *raw)
{
    char *text = malloc(TEXT_ROOM);
    size_t length = 0, repeat_begin = 0;
    unsigned long repeat = 0;
    while (*raw != '\0') {
        if (raw[0] == '\\' && raw[1] == 'x') {
            length += put_byte(raw + 2, text + length);
            raw += 4;
        } else if (raw[0] == '{' && isdigit((unsigned char)raw[1])) {
            char *star;
            repeat = strtoul(raw + 1, &star, 10);
            repeat_begin = length;
            raw = star + 1;
        } else if (repeat > 0 && raw[0] == '}' && raw[1] != ']' && raw[1] != ',' && raw[1] != '}') {
            size_t piece = length - repeat_begin;
            for (; repeat > 1; repeat--, length += piece)
                memcpy(text + length, text + repeat_begin, piece);
            repeat = 0;
            raw++;
        } else {
            text[length++] = *raw++;
        }
    }
    text[length] = '\0';
    return (struct kvc_span){ .text = text, .length = length };
}

static void read_edit(char *words, struct edit *edit)
{
    char pointer[256];
    int end = 0;
    if (sscanf(words, "%c %255s %c%n", &edit->letter, pointer, &edit->operation, &end) != 3)
        fail_msg("no edit: %s", words);
    snprintf(edit->pointer, sizeof edit->pointer, "%s", strcmp(pointer, ".") == 0 ? "" : pointer);
    edit->raw = expanded(words[end] == ' ' ? words + end + 1 : words + end);
}

static void read_due(const char *due, char letter, struct broken *broken)
{
    broken->stage = letter;
    if (strncmp(due, "plan: ", 6) == 0) {
        broken->stage = '=';
        due += 6;
    }
    broken->at[0] = '\0';
    if (sscanf(due, "%63s %255s", broken->slug, broken->at) < 1)
        fail_msg("line %u says nothing", broken->line);
    if (strcmp(broken->at, ".") == 0)
        broken->at[0] = '\0';
}

/* ---- Records of a base, as canonical texts. */

struct base {
    struct trio trio;
    kvcap_plan *plan;
    kvcap_record *fit;
};

static void free_base(struct base *base)
{
    trio_free(&base->trio);
    kvcap_plan_free(base->plan);
    kvcap_record_free(base->fit);
    *base = (struct base){ 0 };
}

static void read_base(const char *line, struct base *base)
{
    char folder[64], names[3][64], paths[3][200];
    if (sscanf(line, "[%63s %63s %63s %63[^]]", folder, names[0], names[1], names[2]) != 4)
        fail_msg("no base: %s", line);
    for (int i = 0; i < 3; i++)
        snprintf(paths[i], sizeof paths[i], "%.63s/%.63s", folder, names[i]);
    free_base(base);
    base->trio = fixture_trio(paths[0], paths[1], paths[2]);
    base->plan = trio_plan(&base->trio);
    base->fit = fixture_seal("fit/logical.yaml");
}

/* ---- One case. */

static struct kvc_span edited(struct kvc_span text, const struct edit *edit, unsigned line)
{
    struct kvc_span result = { 0 };
    if (edit->operation == '=')
        result = edit_replace(text, edit->pointer, edit->raw);
    else if (edit->operation == '-')
        result = edit_remove(text, edit->pointer);
    else if (edit->operation == '+')
        result = edit_add(text, edit->pointer, edit->raw);
    else if (edit->operation == '~')
        result = edit_replace(text, "", (struct kvc_span){ "", 0 });
    if (result.text == NULL)
        fail_msg("line %u: %c %s leads nowhere", line, edit->letter, edit->pointer);
    if (edit->operation == '~') {
        free((char *)result.text);
        char *joined = malloc(text.length + edit->raw.length + 1);
        memcpy(joined, text.text, text.length);
        memcpy(joined + text.length, edit->raw.text, edit->raw.length + 1);
        result = (struct kvc_span){ joined, text.length + edit->raw.length };
    }
    return result;
}

/* All edits of one letter, one after the other.  Takes the text and gives another. */
static struct kvc_span apply(struct kvc_span text, const struct broken *broken, char letter,
                             bool *ret_changed)
{
    *ret_changed = false;
    for (unsigned i = 0; i < broken->edits_count; i++) {
        if (broken->edits[i].letter != letter)
            continue;
        struct kvc_span next = edited(text, &broken->edits[i], broken->line);
        free((char *)text.text);
        text = next;
        *ret_changed = true;
    }
    return text;
}

struct answer {
    kvcap_code rc;
    kvcap_error err;
    char stage;
};

static kvcap_record *seal_step(struct kvc_span text, char stage, const kvcap_record *named,
                               struct answer *answer)
{
    kvcap_record *record = NULL;
    if (answer->rc == KVCAP_OK) {
        answer->stage = stage;
        answer->rc =
            kvcap_record_seal(text.text, text.length, KVCAP_JSON, &named, 1, &record, &answer->err);
    }
    free((char *)text.text);
    return record;
}

static struct kvc_span replaced(struct kvc_span text, const char *pointer, const char *word)
{
    char raw[160];
    snprintf(raw, sizeof raw, "\"%s\"", word);
    struct kvc_span next = edit_replace(text, pointer, kvc_span_of(raw));
    assert_non_null(next.text);
    free((char *)text.text);
    return next;
}

static struct kvc_span removed(struct kvc_span text, const char *pointer)
{
    struct kvc_span next = edit_remove(text, pointer);
    assert_non_null(next.text);
    free((char *)text.text);
    return next;
}

/* Model, contract, evidence, plan: each takes the ids of those before it as they came out. */
static void seal_chain(const struct base *base, const struct broken *broken, struct answer *answer)
{
    struct trio trio = { 0 };
    kvcap_plan *plan = NULL;
    bool changed, rebased;
    struct kvc_span text = without_id(kvcap_record_json(base->trio.model));
    for (unsigned i = 0; i < broken->edits_count; i++) {
        if (broken->edits[i].letter == 'm' &&
            strcmp(broken->edits[i].pointer, "/architecture_digest") != 0 &&
            strncmp(broken->edits[i].pointer, "/arch", 5) == 0) {
            text = removed(text, "/architecture_digest");
            break;
        }
    }
    trio.model = seal_step(apply(text, broken, 'm', &rebased), 'm', NULL, answer);

    text = without_id(kvcap_record_json(base->trio.contract));
    if (rebased && trio.model != NULL) {
        text = replaced(text, "/model", kvcap_record_id(trio.model));
        text = removed(text, "/architecture_digest");
    }
    text = apply(text, broken, 'c', &changed);
    rebased = rebased || changed;
    trio.contract = seal_step(text, 'c', trio.model, answer);

    text = without_id(kvcap_record_json(base->trio.evidence));
    if (rebased && trio.contract != NULL) {
        text = replaced(text, "/contract", kvcap_record_id(trio.contract));
        text = removed(text, "/scope");
    }
    trio.evidence = seal_step(apply(text, broken, 'e', &changed), 'e', trio.contract, answer);

    if (answer->rc == KVCAP_OK) {
        answer->stage = '=';
        answer->rc = kvcap_plan_make(trio.model, trio.contract, trio.evidence, &plan, &answer->err);
    }
    kvcap_plan_free(plan);
    trio_free(&trio);
}

static const char *text_of_base(const struct base *base, char letter)
{
    switch (toupper((unsigned char)letter)) {
    case 'M':
        return kvcap_record_json(base->trio.model);
    case 'C':
        return kvcap_record_json(base->trio.contract);
    case 'E':
        return kvcap_record_json(base->trio.evidence);
    case 'P':
        return kvcap_plan_json(base->plan);
    default:
        return kvcap_record_json(base->fit);
    }
}

/* A plan or fit to be sealed, or any record to be read. */
static void take_alone(const struct base *base, const struct broken *broken, char letter,
                       struct answer *answer)
{
    kvcap_record *record = NULL;
    bool changed, reads = isupper((unsigned char)letter);
    const char *json = text_of_base(base, letter);
    struct kvc_span text = reads ? kvc_span_of(strdup(json)) : without_id(json);
    text = apply(text, broken, letter, &changed);
    answer->stage = letter;
    answer->rc =
        reads
            ? kvcap_record_read(text.text, text.length, KVCAP_JSON, &record, &answer->err)
            : kvcap_record_seal(text.text, text.length, KVCAP_JSON, NULL, 0, &record, &answer->err);
    assert_true((record != NULL) == (answer->rc == KVCAP_OK));
    kvcap_record_free(record);
    free((char *)text.text);
}

static bool is_due(const struct broken *broken, const struct answer *answer)
{
    if (strcmp(broken->slug, "ok") == 0)
        return answer->rc == KVCAP_OK;
    bool stage = answer->stage == broken->stage || (broken->stage == '=' && answer->stage == 'e');
    if (answer->rc == KVCAP_OK || answer->rc != answer->err.code || !stage)
        return false;
    bool slug = strcmp(broken->slug, "*") == 0 || strcmp(broken->slug, answer->err.slug) == 0;
    bool at = strcmp(broken->at, "*") == 0 || strcmp(broken->slug, "*") == 0 ||
              strcmp(broken->at, answer->err.at) == 0;
    return slug && at && answer->err.text[0] != '\0';
}

/* Tells instead of failing, so that one run shows all. */
static bool try_case(const struct base *base, struct broken *broken)
{
    struct answer answer = { .rc = KVCAP_OK };
    char letter = broken->edits[broken->edits_count - 1].letter;
    if (strchr("mce", letter) != NULL)
        seal_chain(base, broken, &answer);
    else
        take_alone(base, broken, letter, &answer);
    bool good = is_due(broken, &answer);
    if (!good)
        fprintf(stderr, "records.txt:%u: due %c %s \"%s\", found %c %s \"%s\" %s\n", broken->line,
                broken->stage, broken->slug, broken->at, answer.stage,
                answer.rc == KVCAP_OK ? "ok" : answer.err.slug, answer.err.at, answer.err.text);
    for (unsigned i = 0; i < broken->edits_count; i++)
        free((char *)broken->edits[i].raw.text);
    broken->edits_count = 0;
    return good;
}

static char *next_line(char **rest)
{
    char *line = *rest;
    if (*line == '\0')
        return NULL;
    *rest += strcspn(line, "\n");
    if (**rest == '\n')
        *(*rest)++ = '\0';
    return line;
}

static void every_broken_record_is_refused_in_its_place(void **state)
{
    (void)state;
    struct kvc_span file = fixture_text("test/broken/records.txt");
    struct base base = { 0 };
    static struct broken broken;
    unsigned cases = 0, bad = 0, refusals = 0;
    char *rest = (char *)file.text, *line;
    broken = (struct broken){ 0 };
    while ((line = next_line(&rest)) != NULL) {
        broken.line++;
        if (line[0] == '[')
            read_base(line, &base);
        if (line[0] == '#' || line[0] == '\0' || line[0] == '[')
            continue;
        char *due = NULL;
        for (char *at = strstr(line, " > "); at != NULL; at = strstr(at + 1, " > "))
            due = at;
        if (line[0] == '&') {
            read_edit(line + 2, &broken.edits[broken.edits_count++]);
            continue;
        }
        assert_non_null(due);
        *due = '\0';
        read_edit(line, &broken.edits[broken.edits_count++]);
        read_due(due + 3, broken.edits[broken.edits_count - 1].letter, &broken);
        refusals += strcmp(broken.slug, "ok") != 0;
        cases++;
        bad += !try_case(&base, &broken);
    }
    free_base(&base);
    free((char *)file.text);
    fprintf(stderr, "%u cases, %u of them refusals\n", cases, refusals);
    assert_true(refusals >= 100);
    assert_int_equal(bad, 0);
}

/* ---- YAML. */

static void yaml_that_is_more_than_plain_values_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *slug, *at;
    } CASES[] = {
        { "", "record.empty", "" },
        { "# nothing\n", "record.empty", "" },
        { "kind: &k kv-model\n", "yaml.anchor", "/kind" },
        { "kind: *k\n", "yaml.alias", "/kind" },
        { "a: &a 1\nb: *a\n", "yaml.anchor", "/a" },
        { "kind: !!str kv-model\n", "yaml.tag", "/kind" },
        { "!model\nkind: kv-model\n", "yaml.tag", "" },
        { "kind: kv-model\n<<: {version: 1}\n", "yaml.merge_key", "" },
        { "? [a]\n: b\n", "yaml.key_not_text", "" },
        { "kind: kv-model\n---\nkind: kv-model\n", "yaml.several_documents", "" },
        { "kind: [\n", "yaml.syntax", NULL },
        { "kind: 'x\n", "yaml.syntax", NULL },
        { "\tkind: x\n", "yaml.syntax", NULL },
        { "kind: kv-model\nkind: kv-model\n", "record.duplicate_key", "/kind" },
        { "kind: kv-model\nversion: 1.0\n", "record.wrong_type", "/version" },
        { "kind: kv-model\nversion: 0x1\n", "record.wrong_type", "/version" },
        { "kind: kv-model\nversion: 1_0\n", "record.wrong_type", "/version" },
        { "kind: kv-model\nversion: +1\n", "record.wrong_type", "/version" },
        { "kind: kv-model\nversion: 01\n", "record.wrong_type", "/version" },
        { "kind: kv-model\nversion: 1e0\n", "record.wrong_type", "/version" },
        { "kind: kv-model\nversion: '1'\n", "record.wrong_type", "/version" },
        { "kind: kv-model\nversion: yes\n", "record.wrong_type", "/version" },
        { "kind: kv-model\nversion: true\n", "record.wrong_type", "/version" },
        { "kind: kv-model\nversion: ~\n", "record.wrong_type", "/version" },
        { "kind: kv-model\nversion:\n", "record.wrong_type", "/version" },
        { "kind: kv-model\nversion: -0\n", "record.negative_zero", "/version" },
        { "kind: kv-model\nversion: 9007199254740992\n", "record.unsafe_integer", "/version" },
        { "kind: kv-model\nversion: 2026-08-11\n", "record.wrong_type", "/version" },
        { "kind: \"\\ud800\"\n", "record.lone_surrogate", NULL },
        { "kind: \xC3\n", "record.bad_utf8", NULL },
        { "kind: true\n", "record.wrong_type", "/kind" },
        { "- kv-model\n", "record.wrong_type", "" },
        { "kv-model\n", "record.wrong_type", "" },
    };
    unsigned bad = 0;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        kvcap_record *record = NULL;
        kvcap_error err = { .slug = "" };
        kvcap_code rc = kvcap_record_seal(CASES[i].text, strlen(CASES[i].text), KVCAP_YAML, NULL, 0,
                                          &record, &err);
        bool good = rc != KVCAP_OK && strcmp(err.slug, CASES[i].slug) == 0 &&
                    (CASES[i].at == NULL || strcmp(err.at, CASES[i].at) == 0);
        if (!good)
            fprintf(stderr, "%s: due %s, found %s \"%s\" %s\n", CASES[i].text, CASES[i].slug,
                    err.slug, err.at, err.text);
        bad += !good;
    }
    assert_int_equal(bad, 0);
}

/* ---- Sizes. */

static void a_record_past_16_mib_is_refused(void **state)
{
    (void)state;
    const size_t limit = (size_t)16 * 1024 * 1024;
    kvcap_record *model = fixture_seal("reference/model.yaml"), *record = NULL;
    const char *json = kvcap_record_json(model);
    char *text = malloc(limit + 1);
    kvcap_error err;
    memset(text, ' ', limit + 1);
    memcpy(text, json, strlen(json));
    must(kvcap_record_read(text, limit, KVCAP_JSON, &record, &err), &err);
    kvcap_record_free(record);
    must_refuse(kvcap_record_read(text, limit + 1, KVCAP_JSON, &record, &err), &err,
                "record.too_large", "");
    must_refuse(kvcap_record_read(text, limit + 1, KVCAP_YAML, &record, &err), &err,
                "record.too_large", "");
    free(text);
    kvcap_record_free(model);
}

static struct kvc_span with_cohorts(const kvcap_record *evidence, unsigned count)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    fputc('[', out);
    for (unsigned i = 0; i < count; i++)
        fprintf(out,
                "%s{\"request_id\":\"r%u\",\"cohort\":\"c%u\",\"tenant\":\"t\",\"prompt_tokens\":1,"
                "\"max_output_tokens\":0,\"sequences\":1}",
                i > 0 ? "," : "", i, i * 7919 % count);
    fputc(']', out);
    fclose(out);
    struct kvc_span draft = without_id(kvcap_record_json(evidence));
    struct kvc_span whole = edit_replace(draft, "/requests", (struct kvc_span){ text, length });
    free((char *)draft.text);
    free(text);
    return whole;
}

static void the_1025th_cohort_is_refused(void **state)
{
    (void)state;
    struct trio trio =
        fixture_trio("reference/model.yaml", "reference/contract.yaml", "reference/evidence.json");
    struct kvc_span most = with_cohorts(trio.evidence, 1024),
                    more = with_cohorts(trio.evidence, 1025);
    kvcap_record *record = seal_text(most, KVCAP_JSON, NULL, NULL);
    kvcap_error err;
    kvcap_record_free(record);
    must_refuse(kvcap_record_seal(more.text, more.length, KVCAP_JSON, NULL, 0, &record, &err), &err,
                "evidence.too_many_cohorts", "/requests/1024/cohort");
    free((char *)most.text);
    free((char *)more.text);
    trio_free(&trio);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_broken_record_is_refused_in_its_place),
        cmocka_unit_test(yaml_that_is_more_than_plain_values_is_refused),
        cmocka_unit_test(a_record_past_16_mib_is_refused),
        cmocka_unit_test(the_1025th_cohort_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
