/* logs.h - what the files of the suite `logs` share: a row, what came of it, and asking the library.
 *
 * A row says what somebody's engine printed.  Its settings, inputs, version and model go in; each number
 * that follows from them and from the other printed numbers is predicted and compared, within the rounding
 * of what was printed.  A row from which nothing follows is undetermined: it neither passes nor fails. */
#ifndef KVC_TEST_CONFORMANCE_LOGS_H
#define KVC_TEST_CONFORMANCE_LOGS_H

#include "fit/line.h"
#include "suite.h"

struct log_row {
    char id[120];
    struct kvc_span version, model;
    const struct kvc_value *settings, *inputs, *reported;
};

/* What came of a row, or of one attempt at it. */
struct log_outcome {
    unsigned compared; /* numbers that were predicted */
    bool differs;
    char what[60]; /* the number that differs first */
    char expected[240],
        got[320];      /* of the first that differs: what was printed, what is predicted */
    char missing[200]; /* what would have to be said for more */
};

/* ---- Members.  NULL is absent. */

const struct kvc_value *log_member(const struct kvc_value *object, const char *key);

/* A count: a number, or text that begins with one, "2096 (inferred)". */
bool log_count(const struct kvc_value *object, const char *key, uint64_t *ret_count);

/* A printed decimal as hundredths: 9.3 is 930.  False where it has more places, a sign, or is none. */
bool log_hundredths(struct kvc_span text, uint64_t *ret_hundredths);

/* The bytes that are printed so; unit_shift 30 for GiB, 20 for MiB. */
bool log_printed(const struct kvc_value *value, unsigned unit_shift,
                 struct kvc_bytes_range *ret_range);

/* ---- Comparing. */

/* A number that was printed, against the least and the most that may come out. */
void log_compare(struct log_outcome *outcome, const char *what, uint64_t printed, uint64_t least,
                 uint64_t most);
/* Bytes against what was printed of them. */
void log_compare_bytes(struct log_outcome *outcome, const char *what,
                       const struct kvc_value *printed, unsigned unit_shift, uint64_t bytes);
void log_compare_truth(struct log_outcome *outcome, const char *what, bool printed, bool predicted);
void log_differ(struct log_outcome *outcome, const char *what, const char *expected,
                const char *got_format, ...) __attribute__((format(printf, 4, 5)));
/* What differs does so for a setting that the row does not tell: the row is undetermined by it. */
void log_excuse(struct log_outcome *outcome, const char *setting);
/* The first reason stays. */
void log_miss(struct log_outcome *outcome, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether `one` says more for the row than `other`: it compared something and differs nowhere, or else
 * compared more before it did. */
bool log_is_better(const struct log_outcome *one, const struct log_outcome *other);

/* ---- Text that grows; what does not fit makes it not whole. */

struct log_text {
    char text[49152];
    size_t length;
};

void log_put(struct log_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A value as JSON. */
void log_put_value(struct log_text *text, const struct kvc_value *value);

/* ---- Asking. */

struct log_question {
    const char *engine;            /* "vllm@0.8.x" */
    const char *model;             /* a built-in name; NULL: `inline_model` */
    const char *inline_model;      /* {"config_json": {...}} */
    const char *settings, *memory; /* objects */
    uint32_t day;                  /* 0: whatever the release says */
    bool most;
};

struct log_asker {
    struct kvc_arena arena; /* of one question */
    kvcap_record *builtin;
    char builtin_name[160];
    char refusal[300]; /* of the last question, where it was refused */
};

void log_asker_begin(struct log_asker *asker);
void log_asker_end(struct log_asker *asker);

/* The answer, good until the next question; NULL where it was refused. */
const struct kvc_fit *log_ask(struct log_asker *asker, const struct log_question *question);

/* The days on which the rules of the version's span begin, the first one included; 0: no such version.
 * `ret_engine` is the word to ask with. */
#define LOG_DAYS_MAX 64
#define LOG_ENGINE_ROOM 80
size_t log_days(const char *engine, struct kvc_span version, uint32_t ret_days[LOG_DAYS_MAX],
                char ret_engine[LOG_ENGINE_ROOM]);

/* ---- Built-in models that a free text names: "neuralmagic/Meta-Llama-3-8B-Instruct-FP8".  Those whose name,
 * up to its size, stands in the text, and no other size beside it; the closest first.  Of "DeepSeek-V4 class"
 * and "9B or 27B" those that it may be: `ret_loose`, and where none of them agrees nothing is shown. */
#define LOG_MODELS_MAX 12
size_t log_models(struct kvc_span text, const char *ret_names[LOG_MODELS_MAX], bool *ret_loose);

/* Whether the text has the word, case put aside. */
bool log_names(struct kvc_span text, const char *word);

/* ---- The engines. */

void log_vllm_row(struct log_asker *asker, const struct log_row *row, struct log_outcome *outcome);
void log_llamacpp_row(struct log_asker *asker, const struct log_row *row,
                      struct log_outcome *outcome);
void log_ik_row(struct log_asker *asker, const struct log_row *row, struct log_outcome *outcome);
/* Tells our number beside the printed ones in `ret_told`. */
void log_calculator_row(struct log_asker *asker, const struct log_row *row,
                        struct log_outcome *outcome, char ret_told[240]);

#endif /* KVC_TEST_CONFORMANCE_LOGS_H */
