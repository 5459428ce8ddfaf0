/* capture.c - see capture.h for the room and its promises. */

#include "face/cli/capture.h"

#include <string.h>

#include "face/cli/verbs.h"
#include "os/os.h"
#include "plan/budget.h"
#include "record/csv.h"
#include "record/match.h"

/* One leading of the file through a stream. */
struct pass {
    struct kvc_capture *capture;
    struct kvc_stream stream;
    struct kvc_output *output; /* NULL: only check */
    bool as_stream;
    bool between; /* the next byte begins a request that has one before it */
    struct kvc_sink text;
};

static kvcap_code no_memory(kvcap_error *err)
{
    return kvc_fail(err, KVC_MEMORY_FULL, "", "the window needs more memory");
}

/* ---- What the stream hands on. */

static kvcap_code check_header(struct kvc_capture *capture, struct kvc_value *tree,
                               kvcap_error *err)
{
    struct kvc_reading reading = {
        .arena = &capture->arena, .memory = &kvc_os_memory, .sha = capture->sha, .err = err
    };
    const struct kvc_record *contract = capture->contract;
    capture->intake->counts_prefixes = contract != NULL && contract->contract.counts_prefixes;
    kvcap_code rc = kvc_evidence_header(&reading, tree, KVC_EVIDENCE_DRAFT, &capture->evidence);
    if (rc == KVCAP_OK && contract != NULL)
        rc = kvc_match_evidence(&capture->evidence, contract, err);
    if (rc == KVCAP_OK && contract != NULL)
        rc = kvc_budgets_check(&contract->contract, &capture->evidence, err);
    return rc;
}

/* A draft's header is filled in and kept; the second pass knows it already. */
static kvcap_code take_header(void *context, struct kvc_value *tree, kvcap_error *err)
{
    struct pass *pass = context;
    struct kvc_capture *capture = pass->capture;
    struct kvc_shelf_near shelf = { .library = capture->library, .near = capture->path };
    struct kvc_naming naming = kvc_library_naming(&shelf);
    struct kvc_reading reading = {
        .arena = &capture->arena, .memory = &kvc_os_memory, .sha = capture->sha, .err = err
    };
    kvcap_code rc = kvc_seal_files(capture->library, capture->path, tree, err);
    if (rc != KVCAP_OK)
        return rc;
    const struct kvc_value *named = kvc_value_member(tree, "contract");
    if (capture->contract == NULL && named != NULL && named->type == KVC_STRING)
        capture->contract = naming.find(naming.context, named->text);
    rc = kvc_shelf_judge(&shelf, kvc_seal_header(&reading, tree, &naming), err);
    if (rc == KVCAP_OK)
        rc = check_header(capture, tree, err);
    if (rc != KVCAP_OK || capture->header != NULL)
        return rc;
    struct kvc_build b = { .arena = &capture->arena };
    struct kvc_value *kept = kvc_build_array(&b, NULL, NULL);
    kvc_build_copy(&b, kept, NULL, tree);
    if (b.full)
        return no_memory(err);
    capture->header = kept->first;
    capture->header->parent = NULL;
    return KVCAP_OK;
}

static kvcap_code take_request(void *context, const struct kvc_request *request, uint64_t n,
                               kvcap_error *err)
{
    struct pass *pass = context;
    struct kvc_capture *capture = pass->capture;
    struct kvc_taken taken;
    pass->between = true;
    if (pass->output != NULL) {
        if (pass->as_stream)
            kvc_output_put(pass->output, "\n", 1);
        return KVCAP_OK;
    }
    kvcap_code rc = capture->contract == NULL
                        ? KVCAP_OK
                        : kvc_match_request(request, n, &capture->contract->contract, err);
    return rc == KVCAP_OK ? kvc_intake_take(capture->intake, request, &taken, err) : rc;
}

static void take_text(void *context, const char *bytes, size_t length)
{
    struct pass *pass = context;
    pass->capture->text_bytes += pass->output == NULL ? length : 0;
    if (pass->output == NULL)
        return;
    if (pass->between && !pass->as_stream)
        kvc_output_put(pass->output, ",", 1);
    pass->between = false;
    kvc_output_put(pass->output, bytes, length);
}

/* ---- Leading the file through. */

static kvcap_code feed_lines(void *context, const char *bytes, size_t length, kvcap_error *err)
{
    struct pass *pass = context;
    return kvc_stream_feed(&pass->stream, bytes, length, err);
}

static kvcap_code feed_table(void *context, const char *bytes, size_t length, kvcap_error *err)
{
    return kvc_csv_feed(context, bytes, length, err);
}

static kvcap_code take_row(void *context, const struct kvc_request *request, uint64_t n,
                           kvcap_error *err)
{
    struct pass *pass = context;
    (void)n;
    return kvc_stream_request(&pass->stream, request, err);
}

static kvcap_code lead_table(struct pass *pass, kvcap_error *err)
{
    struct kvc_csv csv;
    kvcap_code rc = kvc_csv_begin(&csv, &kvc_os_memory, take_row, pass, err);
    if (rc == KVCAP_OK)
        rc = kvc_feed_file(pass->capture->path, feed_table, &csv, err);
    if (rc == KVCAP_OK && (rc = kvc_csv_end(&csv, err)) != KVCAP_OK)
        kvc_in_file(pass->capture->path, 0, rc, err);
    kvc_csv_drop(&csv);
    return rc;
}

static kvcap_code lead(struct pass *pass, char ret_id[KVC_ID_ROOM], kvcap_error *err)
{
    struct kvc_capture *capture = pass->capture;
    pass->text = (struct kvc_sink){ .put = take_text, .context = pass };
    struct kvc_stream_taker taker = {
        .header = take_header, .request = take_request, .text = &pass->text, .context = pass
    };
    kvcap_code rc = kvc_stream_begin(&pass->stream, &taker, &kvc_os_memory, err);
    if (rc == KVCAP_OK && capture->form != KVC_CAPTURE_STREAM)
        kvc_stream_header(&pass->stream, capture->header);
    if (rc == KVCAP_OK)
        rc = capture->form == KVC_CAPTURE_CSV ? lead_table(pass, err)
                                              : kvc_feed_file(capture->path, feed_lines, pass, err);
    if (rc == KVCAP_OK && (rc = kvc_stream_end(&pass->stream, ret_id, err)) != KVCAP_OK)
        kvc_in_file(capture->path, 0, rc, err);
    kvc_stream_drop(&pass->stream);
    return rc;
}

kvcap_code kvc_capture_check(struct kvc_capture *capture, kvcap_error *err)
{
    struct pass pass = { .capture = capture };
    capture->sha = kvc_sha256_new();
    kvc_arena_from(&capture->arena, &kvc_os_memory, KVC_HANDLE_BYTES_MAX);
    capture->intake = kvc_arena_take(&capture->arena, sizeof *capture->intake);
    if (capture->sha == NULL || capture->intake == NULL) {
        capture->intake = NULL;
        return no_memory(err);
    }
    kvc_intake_begin(capture->intake, NULL, &kvc_os_memory, &capture->arena, capture->sha);
    kvcap_code rc = kvc_path_need_regular(capture->path, err);
    if (rc == KVCAP_OK && capture->form != KVC_CAPTURE_STREAM)
        rc = check_header(capture, capture->header, err);
    return rc == KVCAP_OK ? lead(&pass, capture->id, err) : rc;
}

void kvc_capture_drop(struct kvc_capture *capture)
{
    if (capture->intake != NULL)
        kvc_intake_drop(capture->intake);
    kvc_sha256_free(capture->sha);
    kvc_arena_drop(&capture->arena);
}

/* ---- Writing. */

static void put_output(void *context, const char *bytes, size_t length)
{
    kvc_output_put(context, bytes, length);
}

/* The header's members on one side of `requests`, each with a comma. */
static void put_members(const struct kvc_value *header, bool before, const struct kvc_sink *sink)
{
    const struct kvc_span split = kvc_span_of(KVC_EVIDENCE_SPLIT);
    for (const struct kvc_value *m = header->first; m != NULL; m = m->next) {
        if ((kvc_key_compare(m->key, split) < 0) != before)
            continue;
        if (!before)
            sink->put(sink->context, ",", 1);
        kvc_write_string(m->key, sink);
        sink->put(sink->context, ":", 1);
        kvc_write(m, NULL, sink);
        if (before)
            sink->put(sink->context, ",", 1);
    }
}

static void count(void *context, const char *bytes, size_t length)
{
    (void)bytes;
    *(size_t *)context += length;
}

size_t kvc_capture_object_bytes(const struct kvc_capture *capture)
{
    size_t bytes = 0;
    struct kvc_sink sink = { .put = count, .context = &bytes };
    kvc_write(capture->header, NULL, &sink);
    bytes += strlen(",\"id\":\"\"") + strlen(capture->id);
    bytes += strlen(",\"requests\":[]\n");
    /* A comma before each request but the first. */
    return bytes + capture->text_bytes + capture->intake->requests_count - 1;
}

static kvcap_code write_all(struct pass *pass, const struct kvc_value *header, kvcap_error *err)
{
    char id[KVC_ID_ROOM];
    struct kvc_sink sink = { .put = put_output, .context = pass->output };
    if (pass->as_stream) {
        kvc_write(header, NULL, &sink);
        kvc_output_put(pass->output, "\n", 1);
    } else {
        kvc_output_put(pass->output, "{", 1);
        put_members(header, true, &sink);
        kvc_output_put(pass->output, "\"requests\":[", strlen("\"requests\":["));
    }
    kvcap_code rc = lead(pass, id, err);
    if (rc == KVCAP_OK && strcmp(id, pass->capture->id) != 0)
        rc = kvc_fail(err, KVC_FILE_CHANGED, pass->capture->path,
                      "the window changed while it was read");
    if (rc == KVCAP_OK && !pass->as_stream) {
        kvc_output_put(pass->output, "]", 1);
        put_members(header, false, &sink);
        kvc_output_put(pass->output, "}\n", 2);
    }
    return rc;
}

kvcap_code kvc_capture_write(struct kvc_capture *capture, const char *path, bool as_stream,
                             kvcap_error *err)
{
    struct pass pass = { .capture = capture, .as_stream = as_stream };
    struct kvc_build b = { .arena = &capture->arena };
    struct kvc_value *holder = kvc_build_array(&b, NULL, NULL);
    kvc_build_copy(&b, holder, NULL, capture->header);
    if (!b.full)
        kvc_build_text(&b, holder->first, "id", kvc_span_of(capture->id));
    if (b.full)
        return no_memory(err);
    kvcap_code rc = kvc_output_open(path, &pass.output, err);
    if (rc != KVCAP_OK)
        return rc;
    rc = write_all(&pass, holder->first, err);
    if (rc == KVCAP_OK)
        return kvc_output_keep(pass.output, err);
    kvc_output_discard(pass.output);
    return rc;
}
