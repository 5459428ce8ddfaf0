/* fixture.c - see fixture.h. */

#include "support/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/edit_json.h"

void must(kvcap_code rc, const kvcap_error *err)
{
    if (rc != KVCAP_OK)
        fail_msg("refused: %s at \"%s\": %s", err->slug, err->at, err->text);
}

void must_refuse(kvcap_code rc, const kvcap_error *err, const char *slug, const char *at)
{
    if (rc == KVCAP_OK)
        fail_msg("accepted, where %s at \"%s\" is due", slug, at);
    if (strcmp(err->slug, slug) != 0 || strcmp(err->at, at) != 0)
        fail_msg("%s at \"%s\" (%s), where %s at \"%s\" is due", err->slug, err->at, err->text,
                 slug, at);
    assert_int_equal(err->code, rc);
}

struct kvc_span fixture_text(const char *path)
{
    char whole[1024];
    const char *source = getenv("SOURCE");
    snprintf(whole, sizeof whole, "%s/%s", source == NULL ? "." : source, path);
    FILE *file = fopen(whole, "rb");
    if (file == NULL)
        fail_msg("%s cannot be opened", whole);
    size_t room = 1 << 20, length = 0;
    char *text = malloc(room);
    length = fread(text, 1, room - 1, file);
    assert_true(feof(file));
    fclose(file);
    text[length] = '\0';
    return (struct kvc_span){ .text = text, .length = length };
}

static int32_t syntax_of(const char *path)
{
    size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".yaml") == 0 ? KVCAP_YAML : KVCAP_JSON;
}

/* "window/contract.yaml" and "../x.yaml" to "window/../x.yaml". */
static void beside(const char *path, struct kvc_span name, char *ret_path, size_t room)
{
    const char *slash = strrchr(path, '/');
    int folder = slash == NULL ? 0 : (int)(slash - path) + 1;
    snprintf(ret_path, room, "%.*s%.*s", folder, path, (int)name.length, name.text);
}

static struct kvc_span file_named(struct kvc_span text)
{
    const char *at = strstr(text.text, "file:");
    if (at == NULL)
        return (struct kvc_span){ 0 };
    return (struct kvc_span){ .text = at, .length = strcspn(at, "\" \n\r,}") };
}

static kvcap_record *named_by(const char *path, struct kvc_span text)
{
    struct kvc_span named = file_named(text);
    char other[512];
    if (named.text == NULL)
        return NULL;
    struct kvc_span name = { .text = named.text + 5, .length = named.length - 5 };
    beside(path, name, other, sizeof other);
    return fixture_seal(other);
}

static struct kvc_span with_id_of(struct kvc_span text, const kvcap_record *named)
{
    struct kvc_span file = file_named(text);
    if (named == NULL)
        return text;
    const char *id = kvcap_record_id(named);
    size_t before = (size_t)(file.text - text.text);
    size_t after = text.length - before - file.length;
    char *whole = malloc(before + strlen(id) + after + 1);
    memcpy(whole, text.text, before);
    memcpy(whole + before, id, strlen(id));
    memcpy(whole + before + strlen(id), file.text + file.length, after + 1);
    free((char *)text.text);
    return (struct kvc_span){ .text = whole, .length = before + strlen(id) + after };
}

static struct kvc_span draft_naming(const char *path, kvcap_record **ret_named)
{
    char whole[512];
    snprintf(whole, sizeof whole, "test/records/%s", path);
    struct kvc_span text = fixture_text(whole);
    *ret_named = named_by(path, text);
    return with_id_of(text, *ret_named);
}

struct kvc_span fixture_draft(const char *path, int32_t *ret_syntax)
{
    kvcap_record *named;
    struct kvc_span text = draft_naming(path, &named);
    kvcap_record_free(named);
    *ret_syntax = syntax_of(path);
    return text;
}

kvcap_record *fixture_seal(const char *path)
{
    kvcap_record *named;
    struct kvc_span text = draft_naming(path, &named);
    kvcap_record *sealed = seal_text(text, syntax_of(path), named, NULL);
    kvcap_record_free(named);
    free((char *)text.text);
    return sealed;
}

kvcap_record *seal_text(struct kvc_span text, int32_t syntax, const kvcap_record *named,
                        const kvcap_record *also)
{
    const kvcap_record *shelf[] = { named, also };
    kvcap_record *sealed = NULL;
    kvcap_error err;
    must(kvcap_record_seal(text.text, text.length, syntax, shelf, 2, &sealed, &err), &err);
    return sealed;
}

struct trio fixture_trio(const char *model, const char *contract, const char *evidence)
{
    return (struct trio){ .model = fixture_seal(model),
                          .contract = fixture_seal(contract),
                          .evidence = fixture_seal(evidence) };
}

void trio_free(struct trio *trio)
{
    kvcap_record_free(trio->model);
    kvcap_record_free(trio->contract);
    kvcap_record_free(trio->evidence);
    *trio = (struct trio){ 0 };
}

kvcap_plan *trio_plan(const struct trio *trio)
{
    kvcap_plan *plan = NULL;
    kvcap_error err;
    must(kvcap_plan_make(trio->model, trio->contract, trio->evidence, &plan, &err), &err);
    return plan;
}

kvcap_record *plan_record(const kvcap_plan *plan)
{
    const char *json = kvcap_plan_json(plan);
    kvcap_record *record = NULL;
    kvcap_error err;
    must(kvcap_record_read(json, strlen(json), KVCAP_JSON, &record, &err), &err);
    return record;
}

struct kvc_span without_id(const char *json)
{
    struct kvc_span text = edit_remove(kvc_span_of(json), "/id");
    assert_non_null(text.text);
    return text;
}

struct kvc_span stream_text(const kvcap_record *evidence, bool with_id)
{
    const char *json = kvcap_record_json(evidence);
    char *stream;
    size_t length;
    FILE *out = open_memstream(&stream, &length);
    struct kvc_span whole = with_id ? kvc_span_of(strdup(json)) : without_id(json);
    struct kvc_span header = edit_remove(whole, "/requests");
    fprintf(out, "%s\n", header.text);
    for (unsigned i = 0;; i++) {
        char pointer[40];
        struct edit_place place;
        snprintf(pointer, sizeof pointer, "/requests/%u", i);
        if (!edit_find(whole, pointer, &place))
            break;
        fprintf(out, "%.*s\n", (int)(place.end - place.begin), whole.text + place.begin);
    }
    fclose(out);
    free((char *)header.text);
    free((char *)whole.text);
    return (struct kvc_span){ .text = stream, .length = length };
}
