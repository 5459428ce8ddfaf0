/* answer.c - see answer.h for the room and its promises. */

#include "engine/answer.h"

#include <assert.h>
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

static bool has_unknown_state(const struct kvc_layer_type *type)
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
        bool has_unknown = has_unknown_state(type); /* hardly ever; a run may be long */
        for (uint32_t j = 0; has_unknown && j < shape->runs[i].count; j++)
            put_unknown(answer, type, layer + j);
        layer += shape->runs[i].count;
    }
}

/* ---- Texts. */

static struct kvc_span print(struct kvc_answer *answer, const char *format, va_list args)
{
    char text[1024];
    int length = vsnprintf(text, sizeof text, format, args);
    if (length < 0)
        length = 0;
    if ((size_t)length >= sizeof text)
        length = (int)sizeof text - 1;
    text[length] = '\0';
    kvc_text_make_plain(text); /* a line that was cut within a character is plain again */
    struct kvc_span copy = kvc_arena_copy(answer->arena, kvc_span_of(text));
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

void kvc_answer_line_of_parts(struct kvc_answer *answer, const char *const *parts)
{
    char line[512];
    size_t length = 0;
    for (size_t i = 0; parts[i] != NULL; i++) {
        size_t part = strlen(parts[i]);
        assert(part < sizeof line - length);
        memcpy(line + length, parts[i], part);
        length += part;
    }
    kvc_answer_line_of(answer, (struct kvc_span){ line, length });
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
        kvc_note_add_text(&answer->notes, code, "", text.text);
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
