/* stream.c - see stream.h for the room and its promises. */

#include "record/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "record/id.h"
#include "record/request.h"
#include "json/scan.h"

#define HEADER_ARENA_BYTES ((size_t)16 * 1024 * 1024)
#define LINE_ARENA_BYTES ((size_t)16 * 1024 * 1024)

kvcap_code kvc_stream_begin(struct kvc_stream *stream, const struct kvc_stream_taker *taker,
                            const struct kvc_memory *memory, kvcap_error *err)
{
    *stream = (struct kvc_stream){ .taker = *taker, .memory = memory };
    kvc_arena_from(&stream->header_arena, memory, HEADER_ARENA_BYTES);
    kvc_arena_from(&stream->line_arena, memory, LINE_ARENA_BYTES);
    stream->sha = kvc_sha256_new();
    if (stream->sha == NULL)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the stream's digest needs more memory");
    return KVCAP_OK;
}

void kvc_stream_drop(struct kvc_stream *stream)
{
    kvc_arena_drop(&stream->header_arena);
    kvc_arena_drop(&stream->line_arena);
    kvc_sha256_free(stream->sha);
    stream->sha = NULL;
    if (stream->carried != NULL)
        stream->memory->put(stream->memory->context, stream->carried, stream->carried_room);
    stream->carried = NULL;
}

static void hash(struct kvc_stream *stream, const char *text)
{
    kvc_sha256_feed(stream->sha, text, strlen(text));
}

/* The header's members on one side of `requests`, as they stand in the canonical text. */
static void hash_members(struct kvc_stream *stream, bool before)
{
    struct kvc_sink sink = kvc_sha256_sink(stream->sha);
    const struct kvc_span split = kvc_span_of(KVC_EVIDENCE_SPLIT);
    for (const struct kvc_value *m = stream->header->first; m != NULL; m = m->next) {
        if (kvc_span_is(m->key, "id") || (kvc_key_compare(m->key, split) < 0) != before)
            continue;
        if (before) {
            kvc_write_string(m->key, &sink);
            hash(stream, ":");
            kvc_write(m, NULL, &sink);
            hash(stream, ",");
        } else {
            hash(stream, ",");
            kvc_write_string(m->key, &sink);
            hash(stream, ":");
            kvc_write(m, NULL, &sink);
        }
    }
}

void kvc_stream_header(struct kvc_stream *stream, struct kvc_value *tree)
{
    stream->header = tree;
    kvc_sha256_begin(stream->sha);
    hash(stream, "{");
    hash_members(stream, true);
    hash(stream, "\"" KVC_EVIDENCE_SPLIT "\":[");
}

static kvcap_code take_header(struct kvc_stream *stream, struct kvc_span line, kvcap_error *err)
{
    /* The tree outlives the line, so it is scanned from a copy. */
    struct kvc_span kept = kvc_arena_copy(&stream->header_arena, line);
    struct kvc_value *tree;
    if (kept.text == NULL)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the header line needs more memory");
    kvcap_code rc =
        kvc_scan(&stream->header_arena, kept, KVC_LINE_BYTES_MAX, KVC_SCAN_RECORD, &tree, err);
    if (rc == KVCAP_OK && tree->type != KVC_OBJECT)
        rc = kvc_fail(err, KVC_RECORD_WRONG_TYPE, "", "a header is one object");
    if (rc == KVCAP_OK)
        rc = stream->taker.header(stream->taker.context, tree, err);
    if (rc == KVCAP_OK)
        kvc_stream_header(stream, tree);
    return rc;
}

/* The digest and, where one is wanted, a copy of the text. */
struct both {
    struct kvc_sha256 *sha;
    const struct kvc_sink *text;
};

static void put_both(void *context, const char *bytes, size_t length)
{
    struct both *both = context;
    kvc_sha256_feed(both->sha, bytes, length);
    if (both->text != NULL)
        both->text->put(both->text->context, bytes, length);
}

static kvcap_code take_general(struct kvc_stream *stream, struct kvc_span line,
                               struct kvc_request *ret_request, const struct kvc_sink *sink,
                               kvcap_error *err)
{
    struct kvc_value *tree;
    kvcap_code rc =
        kvc_scan(&stream->line_arena, line, KVC_LINE_BYTES_MAX, KVC_SCAN_RECORD, &tree, err);
    if (rc == KVCAP_OK) {
        struct kvc_reader r = { .rc = KVCAP_OK, .err = err };
        kvc_request_read(&r, tree, ret_request);
        rc = r.rc;
    }
    if (rc == KVCAP_OK)
        kvc_write(tree, NULL, sink);
    return rc;
}

/* What comes of a request whose text was written. */
static kvcap_code pass_on(struct kvc_stream *stream, const struct kvc_request *request,
                          kvcap_error *err)
{
    return stream->taker.request(stream->taker.context, request, stream->requests_count++, err);
}

static kvcap_code take_request(struct kvc_stream *stream, struct kvc_span line, kvcap_error *err)
{
    struct both both = { .sha = stream->sha, .text = stream->taker.text };
    struct kvc_sink sink = { .put = put_both, .context = &both };
    struct kvc_request request;
    bool canonical;
    if (stream->requests_count > 0)
        hash(stream, ",");

    if (kvc_request_scan(line, &request, &canonical)) {
        if (canonical)
            put_both(&both, line.text, line.length);
        else
            kvc_request_write(&request, &sink);
        return pass_on(stream, &request, err);
    }

    struct kvc_mark mark = kvc_arena_mark(&stream->line_arena);
    kvcap_code rc = take_general(stream, line, &request, &sink, err);
    if (rc != KVCAP_OK) {
        char place[48];
        snprintf(place, sizeof place, "/requests/%" PRIu64, stream->requests_count);
        kvc_fail_within(err, place);
    } else {
        rc = pass_on(stream, &request, err);
    }
    kvc_arena_rewind(&stream->line_arena, mark);
    return rc;
}

kvcap_code kvc_stream_request(struct kvc_stream *stream, const struct kvc_request *request,
                              kvcap_error *err)
{
    struct both both = { .sha = stream->sha, .text = stream->taker.text };
    struct kvc_sink sink = { .put = put_both, .context = &both };
    if (stream->requests_count > 0)
        hash(stream, ",");
    kvc_request_write(request, &sink);
    return pass_on(stream, request, err);
}

static struct kvc_span without_line_end(struct kvc_span line)
{
    while (line.length > 0 &&
           (line.text[line.length - 1] == '\r' || line.text[line.length - 1] == ' ' ||
            line.text[line.length - 1] == '\t'))
        line.length--;
    return line;
}

static kvcap_code take_line(struct kvc_stream *stream, struct kvc_span line, kvcap_error *err)
{
    stream->lines_count++;
    line = without_line_end(line);
    if (line.length == 0)
        return KVCAP_OK;
    bool is_header = stream->header == NULL;
    kvcap_code rc = is_header ? take_header(stream, line, err) : take_request(stream, line, err);
    if (rc != KVCAP_OK)
        kvc_fail_add(err, " (line %" PRIu64 ")", stream->lines_count);
    return rc;
}

static kvcap_code line_too_long(const struct kvc_stream *stream, kvcap_error *err)
{
    return kvc_fail(err, KVC_EVIDENCE_LINE_TOO_LONG, "", "line %" PRIu64 " is longer than 64 KiB",
                    stream->lines_count + 1);
}

/* Keeps a piece of a line until the rest comes. */
static kvcap_code carry(struct kvc_stream *stream, const char *bytes, size_t length,
                        kvcap_error *err)
{
    if (length > KVC_LINE_BYTES_MAX - stream->carried_bytes)
        return line_too_long(stream, err);
    size_t wanted = stream->carried_bytes + length;
    if (wanted > stream->carried_room) {
        size_t room = stream->carried_room == 0 ? 4096 : stream->carried_room;
        while (room < wanted)
            room *= 2;
        char *bigger = stream->memory->get(stream->memory->context, room);
        if (bigger == NULL)
            return kvc_fail(err, KVC_MEMORY_FULL, "", "a line needs more memory");
        if (stream->carried != NULL) {
            memcpy(bigger, stream->carried, stream->carried_bytes);
            stream->memory->put(stream->memory->context, stream->carried, stream->carried_room);
        }
        stream->carried = bigger;
        stream->carried_room = room;
    }
    if (length > 0)
        memcpy(stream->carried + stream->carried_bytes, bytes, length);
    stream->carried_bytes = wanted;
    return KVCAP_OK;
}

/* A whole line whose end lies in these bytes. */
static kvcap_code end_line(struct kvc_stream *stream, const char *bytes, size_t length,
                           kvcap_error *err)
{
    struct kvc_span line = { .text = bytes, .length = length };
    if (stream->carried_bytes > 0) {
        kvcap_code rc = carry(stream, bytes, length, err);
        if (rc != KVCAP_OK)
            return rc;
        line = (struct kvc_span){ .text = stream->carried, .length = stream->carried_bytes };
        stream->carried_bytes = 0;
    }
    if (line.length > KVC_LINE_BYTES_MAX)
        return line_too_long(stream, err);
    return take_line(stream, line, err);
}

kvcap_code kvc_stream_feed(struct kvc_stream *stream, const char *bytes, size_t length,
                           kvcap_error *err)
{
    while (length > 0) {
        const char *line_end = memchr(bytes, '\n', length);
        if (line_end == NULL)
            return carry(stream, bytes, length, err);
        size_t line_bytes = (size_t)(line_end - bytes);
        kvcap_code rc = end_line(stream, bytes, line_bytes, err);
        if (rc != KVCAP_OK)
            return rc;
        bytes += line_bytes + 1;
        length -= line_bytes + 1;
    }
    return KVCAP_OK;
}

kvcap_code kvc_stream_end(struct kvc_stream *stream, char ret_id[KVC_ID_ROOM], kvcap_error *err)
{
    kvcap_code rc = stream->carried_bytes == 0 ? KVCAP_OK : end_line(stream, "", 0, err);
    if (rc != KVCAP_OK)
        return rc;
    if (stream->header == NULL)
        return kvc_fail(err, KVC_RECORD_EMPTY, "", "the stream holds no header line");
    if (stream->requests_count == 0)
        return kvc_fail(err, KVC_EVIDENCE_EMPTY, "/requests", "the window holds no request");
    hash(stream, "]");
    hash_members(stream, false);
    hash(stream, "}");

    char digest[KVC_DIGEST_ROOM];
    rc = kvc_digest_end(stream->sha, digest, err);
    if (rc != KVCAP_OK)
        return rc;
    kvc_id_join(KVC_KIND_EVIDENCE, digest, ret_id);
    const struct kvc_value *stated = kvc_value_member(stream->header, "id");
    if (stated != NULL && !kvc_span_is(stated->text, ret_id))
        return kvc_fail(err, KVC_RECORD_ID_MISMATCH, "/id",
                        "the content of this record has another id");
    return KVCAP_OK;
}
