/* settings.h - an engine's settings, by its own names, and which of them entered an answer.
 *
 * Room:   engine/ - pure.
 * In:     an object {"max_model_len": 8192, "kv_cache_dtype": "fp8"}, from a batch line, a record or a
 *         command line; the table of what the engine knows.
 * Out:    values within bounds; a list of every setting that was read, defaults included.
 * Knows:  base/, json/.
 *
 * Sticky, as json/read.h: after the first refusal every read gives the default, so that an engine
 * reads all it needs and looks once at `rc`.  Names are the engine's own with underscores; what a
 * name's flags are on a command line stands in its row, so that --help, the parser and the batch
 * read one table.
 */
#ifndef KVC_ENGINE_SETTINGS_H
#define KVC_ENGINE_SETTINGS_H

#include "base/arena.h"
#include "base/fail.h"
#include "json/tree.h"

enum kvc_setting_type {
    KVC_SETTING_COUNT, /* an integer within min and max; on a command line also "128k" where `units` */
    KVC_SETTING_SIGNED, /* the same, and -1 ("auto", "all"), which is read as KVC_SETTING_MINUS_ONE */
    KVC_SETTING_TRUTH,    /* true, false; on a command line there or not, or --no-... */
    KVC_SETTING_TEXT,     /* one of `words`, or any text where they are NULL */
    KVC_SETTING_FRACTION, /* decimal text, "0.92": exact, never through a double of ours */
    KVC_SETTING_OBJECT,   /* an object, or its JSON text: speculative_config, hf_overrides */
    KVC_SETTING_LIST,     /* a list of texts or integers, or text with commas */
};

#define KVC_SETTING_MINUS_ONE UINT64_MAX

struct kvc_setting_row {
    const char *name; /* "max_model_len" */
    const char
        *flags; /* "--max-model-len", further ones between bars: "-c|--ctx-size"; NULL: none */
    const char
        *no_flags; /* of a truth: those that make it false, "--no-kv-offload|-nkvo"; or NULL */
    enum kvc_setting_type type;
    uint64_t min, max;        /* COUNT, SIGNED */
    const char *const *words; /* TEXT: NULL-terminated list, or NULL */
    bool sizes;               /* enters the arithmetic; else a command line lists it as ignored */
    bool takes_value;         /* of what is ignored: whether a word follows the flag */
    bool takes_many;          /* and more than one may */
    bool units;               /* COUNT, SIGNED: on a command line also 8k and 8K */
    const char *text;         /* one line of help */
};

/* A setting that entered: as it is told in a record's `settings`. */
struct kvc_setting_used {
    const char *name;
    enum { KVC_USED_COUNT, KVC_USED_MINUS_ONE, KVC_USED_TRUTH, KVC_USED_TEXT, KVC_USED_NULL } form;
    uint64_t count;
    bool truth, given; /* given: not a default */
    struct kvc_span text;
};

#define KVC_SETTINGS_USED_MAX 96

struct kvc_settings {
    const struct kvc_value *given; /* an object, or NULL: nothing is */
    const struct kvc_setting_row *rows;
    size_t rows_count;
    const char *at; /* before a member's pointer in a refusal: "/settings", or "" */
    struct kvc_arena *arena;
    kvcap_code rc;
    kvcap_error *err;
    struct kvc_setting_used
        used[KVC_SETTINGS_USED_MAX]; /* each name once, in order of first read */
    size_t used_count;
};

/* Refuses a member that no row has (usage.unknown_setting, with the nearest name) or of a wrong type or
 * out of bounds. */
void kvc_settings_begin(struct kvc_settings *settings, const struct kvc_value *given,
                        const struct kvc_setting_row *rows, size_t rows_count, const char *at,
                        struct kvc_arena *arena, kvcap_error *err);

/* Whether it was given, and is not null. */
bool kvc_setting_said(const struct kvc_settings *settings, const char *name);

/* Each notes the setting as used, the default too.  `name` is static and has a row. */
uint64_t kvc_setting_count(struct kvc_settings *settings, const char *name, uint64_t absent);
bool kvc_setting_truth(struct kvc_settings *settings, const char *name, bool absent);
struct kvc_span kvc_setting_text(struct kvc_settings *settings, const char *name,
                                 const char *absent);
/* The value itself, for an object or a list; NULL when it is not given. */
const struct kvc_value *kvc_setting_value(struct kvc_settings *settings, const char *name);

/* What was noted of a setting; NULL: it did not enter. */
const struct kvc_setting_used *kvc_setting_used(const struct kvc_settings *settings,
                                                const char *name);

/* Notes a value that the engine worked out, in place of what was read: "max_model_len" auto. */
void kvc_setting_note_count(struct kvc_settings *settings, const char *name, uint64_t value);
void kvc_setting_note_text(struct kvc_settings *settings, const char *name, const char *value);

/* Refuses a setting for a reason of the engine's: usage.bad_setting at it. */
void kvc_setting_refuse(struct kvc_settings *settings, const char *name, const char *format, ...)
    KVC_PRINTF(3, 4);

#endif /* KVC_ENGINE_SETTINGS_H */
