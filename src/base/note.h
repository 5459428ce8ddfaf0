/* note.h - what is told beside an answer, in the order in which it was found.
 *
 * Room:   base/ - pure.
 * In:     a code, a place, a sentence.
 * Out:    a list of them.
 * Knows:  nothing.
 *
 * A note is no refusal: the answer stands, and the reader should know.  The first full arena makes
 * every later step do nothing: look at `full` once.
 */
#ifndef KVC_BASE_NOTE_H
#define KVC_BASE_NOTE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/attr.h"

/* More are not kept: whoever reads a hundred notes will not read the next. */
#define KVC_NOTES_MAX 100

struct kvc_note {
    const char *code; /* "folder.dtype": stable; static */
    const char *at;   /* the file, or "file:/pointer" */
    const char *text; /* one sentence; UTF-8 without control characters */
};

struct kvc_notes {
    struct kvc_arena *arena;
    struct kvc_note *list;
    size_t count, room;
    bool full;
};

/* `at` is copied; the sentence is cut at 511 bytes. */
void kvc_note_add(struct kvc_notes *notes, const char *code, const char *at, const char *format,
                  ...) KVC_PRINTF(4, 5);
void kvc_note_add_text(struct kvc_notes *notes, const char *code, const char *at, const char *text);

/* Makes UTF-8 without control characters of any C string, in place: what is neither becomes '?'. */
void kvc_text_make_plain(char *text);

#endif /* KVC_BASE_NOTE_H */
