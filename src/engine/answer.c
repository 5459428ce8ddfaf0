/* answer.c - see answer.h for the room and its promises. */

#include "engine/answer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void kvc_answer_begin(struct kvc_answer *answer, struct kvc_arena *arena, bool explain)
{
    memset(answer, 0, sizeof *answer);
    answer->arena = arena;
    answer->explain = explain;
    answer->notes.arena = arena;
}

/* Makes room for one more entry of `size` bytes and returns it zeroed; NULL once full. */
static void *one_more(struct kvc_answer *answer, void **list, uint32_t *count, uint32_t *room,
                      size_t size)
{
    if (*count == *room) {
        uint32_t wider = *room == 0 ? 4 : *room * 2;
        void *grown = kvc_arena_take(answer->arena, wider * size);
        if (grown == NULL) {
            answer->full = true;
            return NULL;
        }
        if (*count > 0)
            memcpy(grown, *list, *count * size);
        *list = grown;
        *room = wider;
    }
    return memset((char *)*list + (*count)++ * size, 0, size);
}

/* Once full, writes go to an entry that nobody reads. */
#define ENTRY(name, type, list)                                                                    \
    type *kvc_answer_##name(struct kvc_answer *answer)                                             \
    {                                                                                              \
        void *entries = answer->list;                                                              \
        type *entry = one_more(answer, &entries, &answer->list##_count, &answer->list##_room,      \
                               sizeof *entry);                                                     \
        answer->list = entries;                                                                    \
        return entry == NULL ? &answer->nobodys.name : entry;                                      \
    }

ENTRY(group, struct kvc_answer_group, groups)
ENTRY(pool, struct kvc_answer_pool, pools)
ENTRY(cache, struct kvc_answer_cache, caches)
ENTRY(device, struct kvc_answer_device, devices)
ENTRY(undetermined, struct kvc_answer_undetermined, undetermined)

static void put_unknown(struct kvc_answer *answer, const struct kvc_layer_type *type,
                        uint32_t layer)
{
    for (uint32_t i = 0; i < type->states_count; i++) {
        if (type->states[i].kind != KVC_STATE_UNKNOWN)
            continue;
        struct kvc_answer_undetermined *entry = kvc_answer_undetermined(answer);
        entry->layer = kvc_said(layer);
        entry->key = type->states[i].key;
        entry->reason = type->states[i].reason;
        answer->decision = KVC_DECISION_UNDETERMINED;
    }
}

static bool has_unknown(const struct kvc_layer_type *type)
{
    for (uint32_t i = 0; i < type->states_count; i++) {
        if (type->states[i].kind == KVC_STATE_UNKNOWN)
            return true;
    }
    return false;
}

void kvc_answer_unknown(struct kvc_answer *answer, const struct kvc_shape *shape)
{
    uint32_t layer = 0;
    for (uint32_t i = 0; i < shape->runs_count; i++) {
        const struct kvc_layer_type *type = &shape->types[shape->runs[i].type];
        for (uint32_t j = 0; has_unknown(type) && j < shape->runs[i].count; j++)
            put_unknown(answer, type, layer + j);
        layer += shape->runs[i].count;
    }
}

/* ---- Texts. */

#define TEXT_ROOM 1024

struct printing {
    char text[TEXT_ROOM];
    size_t length;
    bool is_plain; /* printable ASCII alone, so far */
};

/* What does not fit is cut off. */
static void append(struct printing *p, const char *text, size_t length)
{
    if (length > TEXT_ROOM - 1 - p->length)
        length = TEXT_ROOM - 1 - p->length;
    for (size_t i = 0; i < length; i++) {
        p->text[p->length + i] = text[i];
        p->is_plain = p->is_plain && text[i] >= 0x20 && text[i] < 0x7F;
    }
    p->length += length;
}

static void append_count(struct printing *p, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    append(p, &digits[at], sizeof digits - at);
}

/* The specifiers that lines are made of: %s, %.*s, %u, %lu, %llu.  At another one, `format` is where it
 * stands and nothing of it was printed. */
static const char *append_all(struct printing *p, const char *format, va_list *args)
{
    for (;;) {
        const char *percent = strchr(format, '%');
        size_t plain = percent == NULL ? strlen(format) : (size_t)(percent - format);
        append(p, format, plain);
        format += plain;
        if (percent == NULL)
            return format;
        if (strncmp(format, "%s", 2) == 0) {
            const char *text = va_arg(*args, const char *);
            append(p, text, strlen(text));
            format += 2;
        } else if (strncmp(format, "%.*s", 4) == 0) {
            int most = va_arg(*args, int); /* of spans, and so not below 0 */
            const char *text = va_arg(*args, const char *);
            const char *end = most > 0 ? memchr(text, '\0', (size_t)most) : text;
            append(p, text, end == NULL ? (size_t)most : (size_t)(end - text));
            format += 4;
        } else if (strncmp(format, "%u", 2) == 0) {
            append_count(p, va_arg(*args, unsigned));
            format += 2;
        } else if (strncmp(format, "%lu", 3) == 0) {
            append_count(p, va_arg(*args, unsigned long));
            format += 3;
        } else if (strncmp(format, "%llu", 4) == 0) {
            append_count(p, va_arg(*args, unsigned long long));
            format += 4;
        } else {
            return format;
        }
    }
}

/* vsnprintf for what few lines need; most are texts and counts, which it takes three times as long for. */
static struct kvc_span print(struct kvc_answer *answer, const char *format, va_list args)
{
    struct printing p;
    va_list rest;
    p.length = 0;
    p.is_plain = true;
    va_copy(rest, args);
    format = append_all(&p, format, &rest);
    if (*format != '\0') {
        int length = vsnprintf(p.text + p.length, TEXT_ROOM - p.length, format, rest);
        p.is_plain = false;
        p.length += length < 0 ? 0 : (size_t)length;
        p.length = p.length >= TEXT_ROOM ? TEXT_ROOM - 1 : p.length;
    }
    va_end(rest);
    p.text[p.length] = '\0';
    if (!p.is_plain || p.length == TEXT_ROOM - 1)
        kvc_text_make_plain(p.text); /* also a line that was cut within a character */
    struct kvc_span copy = kvc_arena_copy(answer->arena, (struct kvc_span){ p.text, p.length });
    answer->full = answer->full || copy.text == NULL;
    return copy;
}

struct kvc_span kvc_answer_text(struct kvc_answer *answer, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct kvc_span text = print(answer, format, args);
    va_end(args);
    return text;
}

void kvc_answer_line_of(struct kvc_answer *answer, struct kvc_span text)
{
    void *lines = answer->lines;
    struct kvc_span copy = kvc_arena_copy(answer->arena, text);
    struct kvc_span *line =
        one_more(answer, &lines, &answer->lines_count, &answer->lines_room, sizeof *line);
    answer->lines = lines;
    answer->full = answer->full || copy.text == NULL;
    if (line != NULL)
        *line = copy;
}

void kvc_answer_line(struct kvc_answer *answer, const char *format, ...)
{
    void *lines = answer->lines;
    va_list args;
    va_start(args, format);
    struct kvc_span text = print(answer, format, args);
    va_end(args);
    struct kvc_span *line =
        one_more(answer, &lines, &answer->lines_count, &answer->lines_room, sizeof *line);
    answer->lines = lines;
    if (line != NULL)
        *line = text;
}

void kvc_answer_note(struct kvc_answer *answer, const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct kvc_span text = print(answer, format, args);
    va_end(args);
    if (text.text != NULL)
        kvc_note_add(&answer->notes, code, "", "%s", text.text);
    answer->full = answer->full || answer->notes.full;
}

void kvc_answer_step(struct kvc_answer *answer, const char *name, const char *source,
                     struct kvc_span value, const char *format, ...)
{
    if (!answer->explain)
        return;
    void *steps = answer->steps;
    va_list args;
    va_start(args, format);
    struct kvc_span formula = print(answer, format, args);
    va_end(args);
    struct kvc_answer_step *step =
        one_more(answer, &steps, &answer->steps_count, &answer->steps_room, sizeof *step);
    answer->steps = steps;
    if (step != NULL)
        *step = (struct kvc_answer_step){
            .name = name, .value = value, .formula = formula, .source = source
        };
}

struct kvc_span kvc_answer_grouped(struct kvc_answer *answer, uint64_t value)
{
    char text[32];
    size_t at = sizeof text - 1, digits = 0;
    text[at] = '\0';
    do {
        if (digits > 0 && digits % 3 == 0)
            text[--at] = ',';
        text[--at] = (char)('0' + value % 10);
        value /= 10;
        digits++;
    } while (value > 0);
    struct kvc_span copy = kvc_arena_copy(answer->arena, kvc_span_of(&text[at]));
    answer->full = answer->full || copy.text == NULL;
    return copy;
}
