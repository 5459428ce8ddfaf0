/* Goal: whatever bytes come as a stream, it does not matter how they are cut or which reader reads.
 *
 * Two bytes say where the stream is cut.  What must hold: a line that the fast scanner takes, the
 * general reader takes, too, with the same request and the same canonical text; a stream ends the
 * same way wherever it is cut; a stream that is accepted has the id of the object that holds the
 * same. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "os/os.h"
#include "record/id.h"
#include "record/request.h"
#include "record/stream.h"
#include "json/scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

/* ---- One line, two readers. */

static bool same_request(const struct kvc_request *a, const struct kvc_request *b)
{
    return kvc_span_equal(a->request_id, b->request_id) && kvc_span_equal(a->cohort, b->cohort) &&
           kvc_span_equal(a->tenant, b->tenant) && a->prompt_tokens == b->prompt_tokens &&
           a->max_output_tokens == b->max_output_tokens && a->sequences == b->sequences &&
           (a->prefix_id.text == NULL) == (b->prefix_id.text == NULL) &&
           (a->prefix_id.text == NULL || kvc_span_equal(a->prefix_id, b->prefix_id)) &&
           a->prefix_tokens == b->prefix_tokens;
}

static struct kvc_span written(struct kvc_arena *arena, const struct kvc_value *tree,
                               const struct kvc_request *request)
{
    struct kvc_text text = { .arena = arena };
    struct kvc_sink sink = kvc_text_sink(&text);
    if (tree != NULL)
        kvc_write(tree, NULL, &sink);
    else
        kvc_request_write(request, &sink);
    require(!text.full);
    return (struct kvc_span){ .text = text.text, .length = text.length };
}

static void read_line(struct kvc_arena *arena, struct kvc_span line)
{
    struct kvc_request fast, general;
    struct kvc_value *tree = NULL;
    bool canonical = false;
    kvcap_error err;
    bool is_plain = kvc_request_scan(line, &fast, &canonical);
    kvcap_code rc = kvc_scan(arena, line, KVC_LINE_BYTES_MAX, KVC_SCAN_RECORD, &tree, &err);
    struct kvc_reader r = { .rc = rc, .err = &err };
    if (rc == KVCAP_OK)
        kvc_request_read(&r, tree, &general);
    require(r.rc == KVCAP_OK || !is_plain);
    if (r.rc != KVCAP_OK)
        return;
    struct kvc_span due = written(arena, tree, NULL);
    require(kvc_span_equal(due, written(arena, NULL, &general)));
    if (!is_plain)
        return;
    require(same_request(&fast, &general));
    require(kvc_span_equal(due, written(arena, NULL, &fast)));
    require(!canonical || kvc_span_equal(due, line));
}

static struct kvc_span next_line(struct kvc_span *rest)
{
    const char *end = rest->length == 0 ? NULL : memchr(rest->text, '\n', rest->length);
    size_t length = end == NULL ? rest->length : (size_t)(end - rest->text);
    size_t passed = length + (end != NULL);
    struct kvc_span line = { .text = rest->text, .length = length };
    *rest = (struct kvc_span){ .text = rest->text + passed, .length = rest->length - passed };
    return line;
}

static void read_lines(struct kvc_arena *arena, struct kvc_span rest)
{
    while (rest.length > 0) {
        struct kvc_mark mark = kvc_arena_mark(arena);
        struct kvc_span line = next_line(&rest);
        if (line.length <= KVC_LINE_BYTES_MAX)
            read_line(arena, line);
        kvc_arena_rewind(arena, mark);
    }
}

/* ---- One stream, cut here and there. */

struct ending {
    kvcap_code rc;
    kvcap_error err;
    char id[KVC_ID_ROOM];
    uint64_t requests_count;
};

/* Any header passes but one that holds requests already, which an evidence's schema refuses. */
static kvcap_code take_header(void *context, struct kvc_value *tree, kvcap_error *err)
{
    (void)context;
    if (kvc_has(tree, "requests"))
        return kvc_fail(err, KVC_RECORD_UNKNOWN_KEY, "/requests", "a header has no requests");
    const struct kvc_value *id = kvc_value_member(tree, "id");
    if (id != NULL && id->type != KVC_STRING)
        return kvc_fail(err, KVC_RECORD_WRONG_TYPE, "/id", "an id is text");
    return KVCAP_OK;
}

static kvcap_code take_request(void *context, const struct kvc_request *request, uint64_t n,
                               kvcap_error *err)
{
    uint64_t *count = context;
    (void)err;
    require(n == (*count)++ && request->sequences > 0 && request->prompt_tokens > 0);
    return KVCAP_OK;
}

static struct ending fed(struct kvc_span text, const size_t cuts[2])
{
    struct ending ending = { .rc = KVCAP_OK };
    struct kvc_stream stream;
    struct kvc_stream_taker taker = { .header = take_header,
                                      .request = take_request,
                                      .context = &ending.requests_count };
    require(kvc_stream_begin(&stream, &taker, &kvc_os_memory, NULL) == KVCAP_OK);
    size_t places[] = { 0, cuts[0], cuts[1], text.length };
    for (size_t i = 0; i < 3 && ending.rc == KVCAP_OK; i++)
        ending.rc =
            kvc_stream_feed(&stream, text.text + places[i], places[i + 1] - places[i], &ending.err);
    if (ending.rc == KVCAP_OK)
        ending.rc = kvc_stream_end(&stream, ending.id, &ending.err);
    kvc_stream_drop(&stream);
    return ending;
}

static void must_end_alike(const struct ending *a, const struct ending *b)
{
    require(a->rc == b->rc && a->requests_count == b->requests_count);
    if (a->rc == KVCAP_OK)
        require(strcmp(a->id, b->id) == 0);
    else
        require(strcmp(a->err.slug, b->err.slug) == 0 && strcmp(a->err.at, b->err.at) == 0 &&
                strcmp(a->err.text, b->err.text) == 0);
}

/* ---- The same as one object. */

static bool is_blank(struct kvc_span line)
{
    for (size_t i = 0; i < line.length; i++) {
        if (strchr(" \t\r", line.text[i]) == NULL || line.text[i] == '\0')
            return false;
    }
    return true;
}

static size_t append(char *out, size_t length, struct kvc_span text)
{
    if (text.length > 0)
        memcpy(out + length, text.text, text.length);
    return length + text.length;
}

static size_t write_object(struct kvc_span rest, char *out)
{
    struct kvc_span header;
    do
        header = next_line(&rest);
    while (is_blank(header));
    while (header.text[header.length - 1] != '}')
        header.length--;
    header.length--; /* its closing brace */
    size_t begin = 0;
    while (header.text[begin] != '{')
        begin++;
    bool empty = true;
    for (size_t i = begin + 1; i < header.length; i++)
        empty = empty && strchr(" \t\r", header.text[i]) != NULL;
    size_t length = append(out, 0, header);
    length = append(out, length, kvc_span_of(empty ? "\"requests\":[" : ",\"requests\":["));
    bool first = true;
    while (rest.length > 0) {
        struct kvc_span line = next_line(&rest);
        if (is_blank(line))
            continue;
        length = append(out, length, kvc_span_of(first ? "" : ","));
        length = append(out, length, line);
        first = false;
    }
    return append(out, length, kvc_span_of("]}"));
}

static void must_be_the_object(struct kvc_arena *arena, struct kvc_span text, const char *id)
{
    char *out = malloc(2 * text.length + 64);
    size_t length = write_object(text, out);
    struct kvc_sha256 *sha = kvc_sha256_new();
    struct kvc_value *tree;
    char due[KVC_ID_ROOM];
    kvcap_error err;
    require(kvc_scan(arena, (struct kvc_span){ out, length }, KVC_RECORD_BYTES_MAX, KVC_SCAN_RECORD,
                     &tree, &err) == KVCAP_OK);
    require(kvc_id_of(sha, KVC_KIND_EVIDENCE, tree, due, &err) == KVCAP_OK);
    require(strcmp(due, id) == 0);
    kvc_sha256_free(sha);
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    struct kvc_arena arena;
    struct kvc_span text = { .text = (const char *)data + 2, .length = size - 2 };
    size_t a = data[0] * (text.length + 1) / 256, b = data[1] * (text.length + 1) / 256;
    const size_t cuts[] = { a < b ? a : b, a < b ? b : a }, whole[] = { 0, 0 };
    kvc_arena_from(&arena, &kvc_os_memory, SIZE_MAX);
    read_lines(&arena, text);
    struct ending ending = fed(text, whole), other = fed(text, cuts);
    must_end_alike(&ending, &other);
    if (ending.rc == KVCAP_OK)
        must_be_the_object(&arena, text, ending.id);
    kvc_arena_drop(&arena);
    return 0;
}
