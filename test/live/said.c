/* said.c - see said.h. */

#include "live/said.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What the engine said. */

/* Who says the lines that an answer has.  Of the caches those are all but some, of a context the ones
 * of its geometry. */
static const char *const CACHES[] = { "llama_kv_cache", "llama_memory_", "llama_dsv4_",
                                      "operator(): " };
static const char *const CACHES_BUT[] = { " buffer size = ", ": attn_rot_",
                                          ": using full-size SWA" };
static const char *const GEOMETRY[] = {
    "n_ctx ",    "n_ctx_seq ",  "n_seq_max ",  "n_batch ",
    "n_ubatch ", "flash_attn ", "kv_unified ", "n_rs_seq ",
};

static bool starts_with_one(struct kvc_span line, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (kvc_span_starts(line, words[i]))
            return true;
    }
    return false;
}

static bool has_one(struct kvc_span line, const char *const *words, size_t count)
{
    for (; line.length > 0; line.text++, line.length--) {
        if (starts_with_one(line, words, count))
            return true;
    }
    return false;
}

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static bool is_predicted(struct kvc_span line)
{
    static const char CONTEXT[] = "llama_context: ";
    if (starts_with_one(line, CACHES, COUNT(CACHES)))
        return !has_one(line, CACHES_BUT, COUNT(CACHES_BUT));
    if (!kvc_span_starts(line, CONTEXT))
        return false;
    line.text += strlen(CONTEXT);
    line.length -= strlen(CONTEXT);
    return starts_with_one(line, GEOMETRY, COUNT(GEOMETRY));
}

static void add_line(struct live_lines *lines, struct kvc_span line)
{
    if (lines->count == LIVE_LINES_MAX) {
        fprintf(stderr, "live: more than %d lines\n", LIVE_LINES_MAX);
        exit(2);
    }
    lines->at[lines->count++] = line;
}

/* A refusal is the last that was said; an assertion is said with the place in the engine's source
 * before it. */
static struct kvc_span refusal_of(const struct live_report *report, struct kvc_span last)
{
    const char *assertion = strstr(last.text, "GGML_ASSERT(");
    if (report->outcome == LIVE_ENDED && assertion != NULL) {
        last.length -= (size_t)(assertion - last.text);
        last.text = assertion;
    }
    return last;
}

void live_hear_engine(const struct live_report *report, struct live_said *said)
{
    struct kvc_span line = { .text = report->log }, last = line;
    *said = (struct live_said){ .is_refused = report->outcome != LIVE_MADE };
    for (const char *end; (end = strchr(line.text, '\n')) != NULL; line.text = end + 1) {
        line.length = (size_t)(end - line.text);
        last = line;
        if (said->is_refused)
            continue;
        if (is_predicted(line))
            add_line(&said->lines, line);
        else if (kvc_span_starts(line, LIVE_BYTES))
            add_line(&said->bytes, line);
    }
    if (said->is_refused)
        add_line(&said->lines, refusal_of(report, last));
}

/* ---- What kvcap said. */

static struct kvc_span number(const struct kvc_value *object, const char *key)
{
    const struct kvc_value *value = kvc_value_member(object, key);
    return value != NULL ? value->text : kvc_span_of("0");
}

/* The same as the engine's lines of bytes; false where there are none. */
static bool write_bytes(const struct kvc_value *cache, char *text, size_t room)
{
    static const char *const KEYS[][2] = { { "k_bytes", "v_bytes" }, { "r_bytes", "s_bytes" } };
    struct kvc_span kind = kvc_value_member(cache, "kind")->text;
    if (kvc_span_is(kind, "state")) {
        struct kvc_span all = number(cache, "bytes");
        snprintf(text, room, LIVE_BYTES "state %.*s", (int)all.length, all.text);
        return !kvc_span_is(all, "0");
    }
    const char *const *keys = KEYS[kvc_span_is(kind, "recurrent")];
    struct kvc_span a = number(cache, keys[0]), b = number(cache, keys[1]);
    snprintf(text, room, LIVE_BYTES "%.*s %c=%.*s %c=%.*s", (int)kind.length, kind.text, keys[0][0],
             (int)a.length, a.text, keys[1][0], (int)b.length, b.text);
    return !kvc_span_is(a, "0") || !kvc_span_is(b, "0");
}

void live_hear_kvcap(const struct kvc_value *answer, struct kvc_arena *arena,
                     struct live_said *said)
{
    const struct kvc_value *text = kvc_value_member(kvc_value_member(answer, "refusal"), "text");
    const struct kvc_value *lines = kvc_value_member(answer, "engine_lines");
    const struct kvc_value *caches = kvc_value_member(answer, "caches");
    *said = (struct live_said){ .is_refused = text != NULL };
    if (text != NULL) {
        add_line(&said->lines, text->text);
        return;
    }
    for (const struct kvc_value *line = lines ? lines->first : NULL; line; line = line->next)
        add_line(&said->lines, line->text);
    for (const struct kvc_value *cache = caches ? caches->first : NULL; cache;
         cache = cache->next) {
        char bytes[256];
        if (write_bytes(cache, bytes, sizeof bytes))
            add_line(&said->bytes, kvc_arena_copy(arena, kvc_span_of(bytes)));
    }
    struct kvc_span all = number(kvc_value_member(answer, "reserved"), "bytes_total");
    char total[64];
    snprintf(total, sizeof total, LIVE_BYTES "all %.*s", (int)all.length, all.text);
    add_line(&said->bytes, kvc_arena_copy(arena, kvc_span_of(total)));
}

/* ---- Both. */

static bool same_lines(const struct live_lines *a, const struct live_lines *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        if (!kvc_span_equal(a->at[i], b->at[i]))
            return false;
    }
    return true;
}

bool live_same(const struct live_said *a, const struct live_said *b)
{
    return a->is_refused == b->is_refused && a->lines.count > 0 &&
           same_lines(&a->lines, &b->lines) && same_lines(&a->bytes, &b->bytes);
}
