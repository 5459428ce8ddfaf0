/* scan.h - JSON text to a tree.  Trust in content ids rests on this file.
 *
 * Room:   json/ - pure; memory is the caller's arena and nothing else.
 * In:     bytes from anybody.
 * Out:    a tree, or the slug, the pointer and the byte of the first thing wrong.
 * Knows:  base/.
 *
 * One scanner, two modes.  A *record* is ours: integers within +-(2^53-1) and nothing else for a
 * number, refusals named record.*.  *Foreign* text is somebody's config.json: fractions, exponents
 * and Python's NaN and Infinity are kept as text, refusals are named json.*.  Both refuse duplicate
 * keys, bad UTF-8, lone surrogates, nesting past 64, trailing bytes and text past the limits.
 *
 * The scanner accepts what RFC 8259 accepts, less those; jansson is held against it by fuzzing.
 */
#ifndef KVC_JSON_SCAN_H
#define KVC_JSON_SCAN_H

#include <stdint.h>

#include "base/fail.h"
#include "json/tree.h"

enum kvc_scan_mode {
    KVC_SCAN_RECORD,
    KVC_SCAN_FOREIGN,
};

#define KVC_DEPTH_MAX 64
#define KVC_RECORD_BYTES_MAX ((size_t)16 * 1024 * 1024)
#define KVC_LINE_BYTES_MAX ((size_t)64 * 1024)

/* Values in one text.  Every value costs about a hundred bytes, so that this and not the length of
 * the text bounds the memory of a text made to cost much. */
#define KVC_VALUES_MAX UINT32_C(4194304)

/* Reads the one value that is the text.  Strings without escapes borrow `text`, which must outlive
 * the tree.  `bytes_max` is the stated limit for this kind of text. */
kvcap_code kvc_scan(struct kvc_arena *arena, struct kvc_span text, size_t bytes_max,
                    enum kvc_scan_mode mode, struct kvc_value **ret_root, kvcap_error *err);

/* Who takes the members of one object, one by one.  A member knows its parent, so its place can be
 * told, but stands in no list of it.  Whoever needs nothing more of the member rewinds the arena to
 * `mark`, which was taken before it; but a key with escapes, decoded, lies after the mark too. */
struct kvc_member_taker {
    kvcap_code (*take)(void *context, const struct kvc_value *member, struct kvc_mark mark,
                       kvcap_error *err);
    void *context;
};

/* As kvc_scan of a text that is one object with too many members for a tree.  The limit of values is
 * that of one member; that a key stands twice is for the taker to see.  `not_object` is the refusal
 * of any other value. */
kvcap_code kvc_scan_members(struct kvc_arena *arena, struct kvc_span text, size_t bytes_max,
                            enum kvc_scan_mode mode, enum kvc_slug not_object,
                            const struct kvc_member_taker *taker, kvcap_error *err);

/* The rules that a number's text must meet in a record; the node is for the error's place. */
kvcap_code kvc_scan_check_integer(const struct kvc_value *number, kvcap_error *err);

/* What closes an object, whoever read it: its members are sorted, and no key stands twice. */
kvcap_code kvc_scan_close_object(struct kvc_value *object, enum kvc_scan_mode mode,
                                 kvcap_error *err);

#endif /* KVC_JSON_SCAN_H */
