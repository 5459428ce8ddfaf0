/* diff.c - the verb diff: what differs between two records, and what moved the capacity.
 *
 * Two plans are compared in what they follow from as well as in what they say.  Only some members of
 * an input bear on the capacity; a member of a list is one variable, whichever element it stands in.
 * Where one variable differs, it moved the capacity.  Where several do, no single one of them
 * explains the change, and the reader is warned. */

#include <inttypes.h>
#include <string.h>

#include "face/cli/verbs.h"
#include "json/write.h"

#define VARIABLES_MAX 16

struct differing {
    const struct kvc_call *call;
    unsigned found;                                  /* members printed so far */
    bool of_plans;                                   /* variables are collected */
    bool unknown;                                    /* an input was not at hand to compare */
    char variables[VARIABLES_MAX][KVC_POINTER_ROOM]; /* that bear on the capacity, "record:/a/b" */
    unsigned variables_count;
    bool all_equal;
};

static void put_stdout(void *context, const char *bytes, size_t length)
{
    (void)context;
    fwrite(bytes, 1, length, stdout);
}

/* A long value is cut for people: the pointer says where it is. */
static void print_value(const struct kvc_value *value)
{
    struct kvc_sink sink = { .put = put_stdout };
    if (value == NULL)
        printf("(absent)");
    else if (value->type == KVC_OBJECT || value->type == KVC_ARRAY)
        printf("%s of %u", value->type == KVC_OBJECT ? "object" : "list", (unsigned)value->count);
    else
        kvc_write(value, NULL, &sink);
}

static void print_json_value(const char *key, const struct kvc_value *value)
{
    struct kvc_sink sink = { .put = put_stdout };
    if (value == NULL)
        return;
    printf(",\"%s\":", key);
    kvc_write(value, NULL, &sink);
}

/* Members that a plan's numbers do not follow from, or that follow from another member; each stands
 * for all below it. */
static const char *const BYSTANDERS[] = {
    "model:/name",
    "model:/revision",
    "model:/artefact",
    "model:/family",
    "model:/sources",
    "model:/context_tokens",
    "model:/query_heads",
    "model:/weights_bytes",
    "contract:/cache/k/group_bytes",
    "contract:/cache/k/group_elements",
    "contract:/cache/k/head_bytes",
    "contract:/cache/k/token_bytes",
    "contract:/cache/v/group_bytes",
    "contract:/cache/v/group_elements",
    "contract:/cache/v/head_bytes",
    "contract:/cache/v/token_bytes",
    "contract:/name",
    "contract:/owners",
    "contract:/scheduler",
    "contract:/admission",
    "contract:/tolerances",
    "contract:/prefix_sharing/evidence",
    "contract:/prefix_sharing/invalidation",
    "contract:/release_lag_ns",
    "contract:/adopted",
    "contract:/parent",
    "contract:/pool/id",
    "contract:/parallel/ep",
    "contract:/bounds/requests_max",
    "contract:/bounds/sequences_per_request_max",
    "contract:/bounds/sequence_tokens_max",
    "contract:/bounds/window_bytes_max",
    "contract:/pool/devices",
    "evidence:/captured_by",
    "evidence:/window",
    "evidence:/requests/*/request_id",
    "evidence:/requests/*/cohort",
    "evidence:/reported/device_bytes",
};

static bool bears_on_capacity(const char *variable)
{
    if (strncmp(variable, "plan:", 5) == 0)
        return false;
    for (size_t i = 0; i < sizeof BYSTANDERS / sizeof BYSTANDERS[0]; i++) {
        size_t length = strlen(BYSTANDERS[i]);
        if (strncmp(variable, BYSTANDERS[i], length) == 0 &&
            (variable[length] == '\0' || variable[length] == '/'))
            return false;
    }
    return true;
}

/* An index becomes a star: sequences of request 7 and of request 8 are one variable. */
static void name_variable(const char *record, const char *pointer,
                          char ret_variable[KVC_POINTER_ROOM])
{
    char *out = ret_variable;
    const char *end = ret_variable + KVC_POINTER_ROOM - 1;
    out += snprintf(out, KVC_POINTER_ROOM, "%s:", record);
    for (const char *at = pointer; *at != '\0' && out < end;) {
        size_t digits = at[0] == '/' ? strspn(at + 1, "0123456789") : 0;
        bool is_index = digits > 0 && (at[1 + digits] == '\0' || at[1 + digits] == '/');
        if (is_index && out + 2 <= end) {
            *out++ = '/';
            *out++ = '*';
            at += 1 + digits;
            continue;
        }
        *out++ = *at++;
    }
    *out = '\0';
}

static void note_variable(struct differing *d, const char *record, const char *pointer)
{
    char variable[KVC_POINTER_ROOM];
    name_variable(record, pointer, variable);
    if (!d->of_plans || !bears_on_capacity(variable))
        return;
    for (unsigned i = 0; i < d->variables_count && i < VARIABLES_MAX; i++) {
        if (strcmp(d->variables[i], variable) == 0)
            return;
    }
    if (d->variables_count < VARIABLES_MAX)
        memcpy(d->variables[d->variables_count], variable, sizeof variable);
    d->variables_count++;
}

static void report(struct differing *d, const char *record, const struct kvc_value *a,
                   const struct kvc_value *b)
{
    char pointer[KVC_POINTER_ROOM];
    struct kvc_sink sink = { .put = put_stdout };
    kvc_value_pointer(a != NULL ? a : b, pointer);
    d->found++;
    note_variable(d, record, pointer);
    if (d->call->json) {
        printf("{\"at\":");
        kvc_write_string(kvc_span_of(pointer), &sink);
        printf(",\"record\":\"%s\"", record);
        print_json_value("a", a);
        print_json_value("b", b);
        printf("}\n");
        return;
    }
    printf("%s:%s  ", record, pointer);
    print_value(a);
    printf(" -> ");
    print_value(b);
    printf("\n");
}

static void compare(struct differing *d, const char *record, const struct kvc_value *a,
                    const struct kvc_value *b);

static void compare_members(struct differing *d, const char *record, const struct kvc_value *a,
                            const struct kvc_value *b)
{
    const struct kvc_value *x = a->first, *y = b->first;
    while (x != NULL || y != NULL) {
        int order = x == NULL ? 1 : y == NULL ? -1 : kvc_key_compare(x->key, y->key);
        if (order < 0)
            report(d, record, x, NULL);
        else if (order > 0)
            report(d, record, NULL, y);
        else
            compare(d, record, x, y);
        x = order <= 0 ? x->next : x;
        y = order >= 0 ? y->next : y;
    }
}

static void compare_elements(struct differing *d, const char *record, const struct kvc_value *a,
                             const struct kvc_value *b)
{
    const struct kvc_value *x = a->first, *y = b->first;
    for (; x != NULL && y != NULL; x = x->next, y = y->next)
        compare(d, record, x, y);
    for (; x != NULL; x = x->next)
        report(d, record, x, NULL);
    for (; y != NULL; y = y->next)
        report(d, record, NULL, y);
}

/* Ids follow from content, so at the top they are no difference of their own. */
static bool is_derived_member(const struct kvc_value *value)
{
    static const char *const KEYS[] = { "id",       "model", "contract",
                                        "evidence", "scope", "architecture_digest" };
    bool at_top = value->parent != NULL && value->parent->parent == NULL;
    for (size_t i = 0; at_top && i < sizeof KEYS / sizeof KEYS[0]; i++) {
        if (kvc_span_is(value->key, KEYS[i]))
            return true;
    }
    return false;
}

static void compare(struct differing *d, const char *record, const struct kvc_value *a,
                    const struct kvc_value *b)
{
    const struct kvc_value *differing;
    if (kvc_value_equal(a, b, &differing) || is_derived_member(a))
        return;
    if (a->type == KVC_OBJECT && b->type == KVC_OBJECT)
        compare_members(d, record, a, b);
    else if (a->type == KVC_ARRAY && b->type == KVC_ARRAY)
        compare_elements(d, record, a, b);
    else
        report(d, record, a, b);
}

/* ---- Plans: their inputs first. */

static void not_compared(struct differing *d, const struct kvc_value *a, const struct kvc_value *b,
                         const char *why)
{
    d->unknown = true;
    if (d->call->json)
        report(d, "plan", a, b);
    else
        printf("%.*s: not the same, and %s\n", (int)a->key.length, a->key.text, why);
    d->found++;
}

static kvcap_code compare_named(struct kvc_library *library, struct differing *d,
                                struct kvc_entry *a, struct kvc_entry *b, const char *key,
                                kvcap_error *err)
{
    struct kvc_entry *x, *y;
    const struct kvc_value *id_a = kvc_value_member(a->handle->record.tree, key);
    const struct kvc_value *id_b = kvc_value_member(b->handle->record.tree, key);
    if (kvc_span_equal(id_a->text, id_b->text))
        return KVCAP_OK;
    kvcap_code rc = kvc_library_find(library, id_a->text, a->path, &x, err);
    if (rc == KVCAP_OK)
        rc = kvc_library_find(library, id_b->text, b->path, &y, err);
    if (rc == KVCAP_E_MISSING)
        not_compared(d, id_a, id_b, "not both at hand to compare");
    else if (rc == KVCAP_OK && (x->handle == NULL || y->handle == NULL))
        not_compared(d, id_a, id_b, "a stream is not compared member by member");
    else if (rc == KVCAP_OK)
        compare(d, key, x->handle->record.tree, y->handle->record.tree);
    return rc == KVCAP_E_MISSING ? KVCAP_OK : rc;
}

static bool moved(const struct kvc_entry *a, const struct kvc_entry *b, const char *key)
{
    const struct kvc_value *x = kvc_value_member(a->handle->record.tree, key);
    const struct kvc_value *y = kvc_value_member(b->handle->record.tree, key);
    const struct kvc_value *differing;
    return (x == NULL) != (y == NULL) || (x != NULL && !kvc_value_equal(x, y, &differing));
}

static void print_variables(const struct differing *d)
{
    for (unsigned i = 0; i < d->variables_count && i < VARIABLES_MAX; i++)
        printf("%s%s", i == 0 ? "" : ", ", d->variables[i]);
    if (d->variables_count > VARIABLES_MAX)
        printf(" and %u more", d->variables_count - VARIABLES_MAX);
}

/* The last line for programs: what moved, and whether one member alone explains it. */
static void conclude_json(const struct differing *d, bool capacity)
{
    struct kvc_sink sink = { .put = put_stdout };
    printf("{\"capacity_moved\":%s,\"inputs_at_hand\":%s,\"moved\":[", capacity ? "true" : "false",
           d->unknown ? "false" : "true");
    for (unsigned i = 0; i < d->variables_count && i < VARIABLES_MAX; i++) {
        if (i > 0)
            printf(",");
        kvc_write_string(kvc_span_of(d->variables[i]), &sink);
    }
    printf("]}\n");
}

static void conclude(const struct differing *d, const struct kvc_entry *a,
                     const struct kvc_entry *b)
{
    bool capacity =
        moved(a, b, "available_bytes") || moved(a, b, "required_bytes") || moved(a, b, "decision");
    if (d->call->json) {
        conclude_json(d, capacity);
        return;
    }
    if (!capacity) {
        printf("nothing moved the capacity: required, available and decision are the same\n");
        return;
    }
    if (d->variables_count == 0 && !d->unknown) {
        printf("the capacity moved, and no input did: the rules are others\n");
        return;
    }
    if (d->unknown) {
        printf("warning: the inputs are not all at hand, so what moved the capacity is not told\n");
        return;
    }
    printf(d->variables_count == 1
               ? "moved the capacity: "
               : "warning: several variables moved at once, and no single one of "
                 "them explains the change: ");
    print_variables(d);
    printf("\n");
}

static kvcap_code diff_plans(struct kvc_library *library, struct differing *d, struct kvc_entry *a,
                             struct kvc_entry *b, kvcap_error *err)
{
    d->of_plans = true;
    for (size_t i = 0; kvc_kind_arrow(KVC_KIND_PLAN, i) != NULL; i++) {
        kvcap_code rc = compare_named(library, d, a, b, kvc_kind_arrow(KVC_KIND_PLAN, i), err);
        if (rc != KVCAP_OK)
            return rc;
    }
    compare(d, "plan", a->handle->record.tree, b->handle->record.tree);
    conclude(d, a, b);
    return KVCAP_OK;
}

static kvcap_code diff_fits(struct kvc_library *library, struct differing *d, struct kvc_entry *a,
                            struct kvc_entry *b, kvcap_error *err)
{
    compare(d, "fit", a->handle->record.tree, b->handle->record.tree);
    return d->call->json ? KVCAP_OK : kvc_diff_fits(library, a, b, err);
}

/* ---- The verb. */

/* The record of a file.  Of a bundle, what the others lead to: its plan, else its evidence, else its
 * contract. */
static kvcap_code take_one(struct kvc_library *library, const char *path,
                           struct kvc_entry **ret_entry, kvcap_error *err)
{
    static const enum kvc_kind LAST_FIRST[] = { KVC_KIND_PLAN, KVC_KIND_EVIDENCE, KVC_KIND_CONTRACT,
                                                KVC_KIND_FIT, KVC_KIND_MODEL };
    size_t first;
    kvcap_code rc = kvc_library_load(library, path, &first, err);
    for (size_t i = 0; i < sizeof LAST_FIRST / sizeof LAST_FIRST[0] && rc == KVCAP_OK; i++) {
        for (size_t j = first; j < library->entries_count; j++) {
            struct kvc_entry *entry = library->entries[j];
            if (strcmp(entry->path, path) == 0 && entry->kind == LAST_FIRST[i] && !entry->is_stream)
                return kvc_library_take(library, path, LAST_FIRST[i], ret_entry, err);
        }
    }
    if (rc == KVCAP_OK && library->entries[first]->refusal.code != KVCAP_OK) {
        *err = library->entries[first]->refusal;
        return err->code;
    }
    return rc != KVCAP_OK ? rc
                          : kvc_fail(err, KVC_USAGE_WRONG_KIND, path,
                                     "a stream is not compared member by member");
}

static kvcap_code diff(struct kvc_library *library, struct differing *d, kvcap_error *err)
{
    struct kvc_entry *a, *b;
    kvcap_code rc = take_one(library, d->call->words[0], &a, err);
    if (rc == KVCAP_OK)
        rc = take_one(library, d->call->words[1], &b, err);
    if (rc != KVCAP_OK)
        return rc;
    if (a->kind != b->kind)
        return kvc_fail(err, KVC_USAGE_WRONG_KIND, d->call->words[1],
                        "a %s is not compared with a %s", kvc_kind_name(a->kind),
                        kvc_kind_name(b->kind));
    d->all_equal = strcmp(a->id, b->id) == 0;
    if (d->all_equal)
        return KVCAP_OK;
    if (a->kind == KVC_KIND_PLAN)
        return diff_plans(library, d, a, b, err);
    if (a->kind == KVC_KIND_FIT)
        return diff_fits(library, d, a, b, err);
    compare(d, kvc_kind_name(a->kind), a->handle->record.tree, b->handle->record.tree);
    if (d->found == 0 && !d->call->json)
        printf("they differ in the records that they name, and in nothing else\n");
    return KVCAP_OK;
}

int kvc_verb_diff(const struct kvc_call *call)
{
    struct kvc_library library;
    struct differing d = { .call = call };
    kvcap_error error;
    kvc_library_open(&library, call);
    kvcap_code rc = diff(&library, &d, &error);
    int status = rc != KVCAP_OK ? kvc_refused(call, &error)
                 : d.all_equal  ? KVC_EXIT_YES
                                : KVC_EXIT_NO;
    if (rc == KVCAP_OK && d.all_equal && !call->json)
        printf("equal\n");
    kvc_library_drop(&library);
    return status;
}
