/* diff.c - the verb diff: what differs between two records, and what moved the capacity.
 *
 * Two plans are compared in what they follow from as well as in what they say.  Where one input
 * differs, it moved the capacity.  Where several do, each is put alone into the first plan's records
 * would need the other records sealed anew; instead the reader is told that several moved at once,
 * and which, since no single one of them explains the change. */

#include <inttypes.h>
#include <string.h>

#include "face/cli/verbs.h"
#include "json/write.h"

struct differing {
    const struct kvc_call *call;
    unsigned found;  /* members printed so far */
    unsigned inputs; /* of them, members of records that a plan follows from */
    unsigned named_before;
    char moved[256]; /* the inputs' pointers, for the last line */
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

static void report(struct differing *d, const char *record, const struct kvc_value *a,
                   const struct kvc_value *b)
{
    char pointer[KVC_POINTER_ROOM];
    struct kvc_sink sink = { .put = put_stdout };
    kvc_value_pointer(a != NULL ? a : b, pointer);
    d->found++;
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
    static const char *const KEYS[] = { "id", "model", "contract", "evidence", "scope",
                                        "architecture_digest" };
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

static void note_input(struct differing *d, const char *record, unsigned before)
{
    if (d->found == before)
        return;
    d->inputs += d->found - before;
    size_t used = strlen(d->moved);
    snprintf(d->moved + used, sizeof d->moved - used, "%s%s (%u member%s)", used == 0 ? "" : ", ",
             record, d->found - before, d->found - before == 1 ? "" : "s");
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
    if (rc == KVCAP_E_MISSING) {
        if (!d->call->json)
            printf("%s: not the same, and not both at hand to compare\n", key);
        d->found++;
        d->inputs += 2; /* more than one member may have moved */
        return KVCAP_OK;
    }
    if (rc != KVCAP_OK)
        return rc;
    unsigned before = d->found;
    if (x->handle != NULL && y->handle != NULL)
        compare(d, key, x->handle->record.tree, y->handle->record.tree);
    else
        d->found++;
    note_input(d, key, before);
    return KVCAP_OK;
}

static bool moved(const struct kvc_entry *a, const struct kvc_entry *b, const char *key)
{
    const struct kvc_value *x = kvc_value_member(a->handle->record.tree, key);
    const struct kvc_value *y = kvc_value_member(b->handle->record.tree, key);
    const struct kvc_value *differing;
    return (x == NULL) != (y == NULL) || (x != NULL && !kvc_value_equal(x, y, &differing));
}

static void conclude(const struct differing *d, const struct kvc_entry *a,
                     const struct kvc_entry *b)
{
    bool capacity = moved(a, b, "available_bytes") || moved(a, b, "required_bytes") ||
                    moved(a, b, "decision");
    if (d->call->json || d->inputs == 0)
        return;
    if (!capacity)
        printf("none of this moved the capacity: required, available and decision are the same\n");
    else if (d->inputs == 1)
        printf("this moved the capacity: %s\n", d->moved);
    else
        printf("warning: several inputs moved at once (%s); no single one of them explains the "
               "change\n",
               d->moved[0] == '\0' ? "not all at hand" : d->moved);
}

static kvcap_code diff_plans(struct kvc_library *library, struct differing *d,
                             struct kvc_entry *a, struct kvc_entry *b, kvcap_error *err)
{
    for (size_t i = 0; kvc_kind_arrow(KVC_KIND_PLAN, i) != NULL; i++) {
        kvcap_code rc = compare_named(library, d, a, b, kvc_kind_arrow(KVC_KIND_PLAN, i), err);
        if (rc != KVCAP_OK)
            return rc;
    }
    compare(d, "plan", a->handle->record.tree, b->handle->record.tree);
    conclude(d, a, b);
    return KVCAP_OK;
}

/* ---- The verb. */

/* The only record of a file, or of a bundle its plan. */
static kvcap_code take_one(struct kvc_library *library, const char *path,
                           struct kvc_entry **ret_entry, kvcap_error *err)
{
    size_t first;
    kvcap_code rc = kvc_library_load(library, path, &first, err);
    if (rc != KVCAP_OK)
        return rc;
    struct kvc_entry *entry = library->entries[first];
    if (first + 1 < library->entries_count &&
        strcmp(library->entries[first + 1]->path, path) == 0)
        return kvc_library_take(library, path, KVC_KIND_PLAN, ret_entry, err);
    if (entry->refusal.code != KVCAP_OK) {
        *err = entry->refusal;
        return err->code;
    }
    if (entry->is_stream)
        return kvc_fail(err, KVC_USAGE_WRONG_KIND, path,
                        "a stream is not compared member by member");
    *ret_entry = entry;
    return KVCAP_OK;
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
