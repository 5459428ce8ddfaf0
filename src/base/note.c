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

void kvc_note_add(struct kvc_notes *notes, const char *code, const char *at, const char *format,
                  ...)
{
    char text[512], place[400];
    va_list args;
    if (notes->full || notes->count == KVC_NOTES_MAX)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    size_t at_length = strlen(at) < sizeof place ? strlen(at) : sizeof place - 1;
    memcpy(place, at, at_length);
    place[at_length] = '\0';
    kvc_text_make_plain(text);
    kvc_text_make_plain(place);
    struct kvc_span kept_text = kvc_arena_copy(notes->arena, kvc_span_of(text));
    struct kvc_span kept_place = kvc_arena_copy(notes->arena, kvc_span_of(place));
    if (kept_text.text == NULL || kept_place.text == NULL || !has_room(notes)) {
        notes->full = true;
        return;
    }
    notes->list[notes->count++] =
        (struct kvc_note){ .code = code, .at = kept_place.text, .text = kept_text.text };
}
