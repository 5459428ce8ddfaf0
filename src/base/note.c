/* note.c - see note.h for the room and its promises. */

#include "base/note.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void kvc_text_make_plain(char *text)
{
    size_t bad, plain = kvc_span_plain_until(kvc_span_of(text), 0);
    if (text[plain] == '\0')
        return;
    while (!kvc_span_is_utf8(kvc_span_of(text), &bad))
        text[bad] = '?';
    for (char *c = text; *c != '\0'; c++) {
        bool is_c1 = (unsigned char)c[0] == 0xC2 && (unsigned char)c[1] < 0xA0;
        if ((unsigned char)*c < 0x20 || *c == 0x7F)
            *c = '?';
        else if (is_c1)
            c[0] = c[1] = '?';
    }
}

#define TEXT_ROOM ((size_t)512)
#define PLACE_ROOM ((size_t)400)

/* As much of it as such a room holds, with its end. */
static struct kvc_span first_of(const char *text, size_t room)
{
    size_t length = strlen(text);
    return (struct kvc_span){ text, length < room ? length : room - 1 };
}

static bool has_room(struct kvc_notes *notes)
{
    if (notes->count < notes->room)
        return true;
    size_t room = notes->room == 0 ? 8 : notes->room * 2;
    struct kvc_note *bigger = kvc_arena_array(notes->arena, room, sizeof *bigger);
    if (bigger == NULL)
        return false;
    if (notes->count > 0)
        memcpy(bigger, notes->list, notes->count * sizeof *bigger);
    notes->list = bigger;
    notes->room = room;
    return true;
}

void kvc_note_add_text(struct kvc_notes *notes, const char *code, const char *at, const char *text)
{
    if (notes->full || notes->count == KVC_NOTES_MAX)
        return;
    struct kvc_span kept_text = kvc_arena_copy(notes->arena, first_of(text, TEXT_ROOM));
    struct kvc_span kept_place = kvc_arena_copy(notes->arena, first_of(at, PLACE_ROOM));
    if (kept_text.text == NULL || kept_place.text == NULL || !has_room(notes)) {
        notes->full = true;
        return;
    }
    kvc_text_make_plain((char *)kept_text.text); /* the copy is ours */
    kvc_text_make_plain((char *)kept_place.text);
    notes->list[notes->count++] =
        (struct kvc_note){ .code = code, .at = kept_place.text, .text = kept_text.text };
}

void kvc_note_add(struct kvc_notes *notes, const char *code, const char *at, const char *format,
                  ...)
{
    char text[TEXT_ROOM];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    kvc_note_add_text(notes, code, at, text);
}
