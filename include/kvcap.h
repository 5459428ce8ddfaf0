/* kvcap.h - the whole public interface of libkvcap.
 *
 * If it is not in this file it is not public.  Calls never keep a pointer you pass in, never
 * print, never exit, open no file, and never touch the network.  Every call that can fail returns
 * a kvcap_code and fills *error (which may be NULL); outputs (ret_...) are written on success only.
 * Handles are immutable once made, so one may be read by several threads at once.
 *
 * Three ways to use it, from simple to whole:
 *   1. arithmetic    kvcap_cache_bytes, kvcap_sequences_max, kvcap_gib_text: no handle, no memory
 *   2. records       kvcap_record_read or _seal, then kvcap_plan_make, then kvcap_plan_summary
 *   3. streams       kvcap_window_open, _feed as the bytes arrive, then kvcap_window_plan
 *
 * What a plan does not claim: that an engine was seen to behave so (that is an observation), that
 * latency will be good (that is a simulation), or anything of state it does not know (then the
 * decision is KVCAP_UNDETERMINED, and the plan names the layer and the key that stopped it).
 *
 * Units: bytes are bytes, tokens are tokens, counts are counts; every field says which.  Numbers
 * that enter a record lie within 0 and 2^53-1, so that any JSON reader has them exactly.
 */
#ifndef KVCAP_H
#define KVCAP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KVCAP_VERSION "0.1.0"

#define KVCAP_API __attribute__((visibility("default")))
#define KVCAP_MUST_USE __attribute__((warn_unused_result))

/* ---- Errors -------------------------------------------------------------------------------- */

/* Codes are pinned: a number is never reused.  The classes leave gaps to grow into. */
#define KVCAP_CODE_MAP(XX)                                                                         \
    XX(OK, 0, "success")                                                                           \
    XX(E_USAGE, 10, "the call or command was malformed")                                           \
    XX(E_CONTRACT, 20, "the contract contradicts itself or its model")                             \
    XX(E_RECORD, 21, "the text is not a record of the kind that is due")                           \
    XX(E_EVIDENCE, 22, "the evidence contradicts itself or its contract")                          \
    XX(E_PLAN, 23, "the plan is past a bound of its contract")                                     \
    XX(E_ALTERED, 24, "a record's content does not have the id it states")                         \
    XX(E_MISSING, 25, "a record that is named was not found")                                      \
    XX(E_METADATA, 30, "the model's metadata cannot be read")                                      \
    XX(E_RANGE, 40, "a quantity is too large to be said exactly")                                  \
    XX(E_NOMEM, 50, "memory was refused")                                                          \
    XX(E_IO, 70, "a file could not be read or written")

typedef int32_t kvcap_code; /* not an enum: an enum's size is the compiler's business */
enum {
#define XX(name, number, text) KVCAP_##name = number,
    KVCAP_CODE_MAP(XX)
#undef XX
};

typedef struct kvcap_error {
    kvcap_code code;
    uint32_t reserved;
    char slug[48];  /* class.reason, stable: match on this one */
    char at[120];   /* where: a JSON pointer, a flag, or "file:line"; "" is the whole input */
    char text[240]; /* what, in one sentence, for a person */
} kvcap_error;

/* One sentence for a code; "unknown code" for a number that is none.  Static. */
KVCAP_API const char *kvcap_code_text(kvcap_code code);

/* What to do about an error, from its slug; "" where there is nothing to add.  Static. */
KVCAP_API const char *kvcap_advice(const kvcap_error *error);

/* The version of the library that is linked, as KVCAP_VERSION was when it was built.  Static. */
KVCAP_API const char *kvcap_version(void);

/* ---- 1. Arithmetic ------------------------------------------------------------------------- */

/* A model whose layers are all alike and keep plain keys and values.  All counts are at least 1;
 * element widths are 1, 2 or 4 bytes (every other format has a layout, and so a name: see
 * kvcap_row_bytes). */
typedef struct kvcap_cache_shape {
    uint32_t struct_size; /* you set: sizeof(kvcap_cache_shape) */
    uint32_t layers;
    uint32_t kv_heads;
    uint32_t key_dim;     /* elements of one head's key */
    uint32_t value_dim;   /* elements of one head's value */
    uint32_t key_bytes;   /* bytes of one key element: 1, 2 or 4 */
    uint32_t value_bytes; /* bytes of one value element: 1, 2 or 4 */
    uint32_t
        block_tokens; /* tokens are rounded up to whole blocks of this many; 1 rounds nothing */
    uint64_t tokens;  /* of one sequence */
    uint64_t sequences;
} kvcap_cache_shape;

typedef struct kvcap_cache_size {
    uint32_t struct_size; /* you set: sizeof(kvcap_cache_size) */
    uint32_t reserved;
    uint64_t
        bytes_per_token; /* layers * kv_heads * (key_dim * key_bytes + value_dim * value_bytes) */
    uint64_t bytes_per_sequence; /* of its tokens, rounded up to whole blocks */
    uint64_t bytes_total;        /* of all sequences */
} kvcap_cache_size;

KVCAP_API KVCAP_MUST_USE kvcap_code kvcap_cache_bytes(const kvcap_cache_shape *shape,
                                                      kvcap_cache_size *ret_size,
                                                      kvcap_error *error);

/* Bytes of one token's row of `heads` heads of `dim` elements in a named cache format ("f16",
 * "q8_0", "nvfp4", ...).  A row that the format's group does not divide is refused. */
KVCAP_API KVCAP_MUST_USE kvcap_code kvcap_row_bytes(const char *format, uint32_t heads,
                                                    uint32_t dim, uint64_t *ret_bytes,
                                                    kvcap_error *error);

/* How many sequences of `sequence_tokens` tokens a pool holds: whole blocks in the pool, divided by
 * whole blocks of a sequence.  All arguments but pool_bytes are at least 1. */
KVCAP_API KVCAP_MUST_USE kvcap_code
kvcap_sequences_max(uint64_t pool_bytes, uint64_t bytes_per_token, uint64_t block_tokens,
                    uint64_t sequence_tokens, uint64_t *ret_sequences, kvcap_error *error);

/* Bytes as GiB text with three decimals, rounded to nearest, ties to even, computed in integers:
 * 14817637172 is "13.800".  16 bytes of room hold any value.  Text informs, bytes decide. */
KVCAP_API KVCAP_MUST_USE kvcap_code kvcap_gib_text(uint64_t bytes, char *ret_text, size_t room,
                                                   kvcap_error *error);

/* ---- 2. Records ---------------------------------------------------------------------------- */

typedef struct kvcap_record kvcap_record; /* opaque; immutable once made */
typedef struct kvcap_plan kvcap_plan;     /* opaque; immutable once made */

enum { /* kvcap_record_kind */
       KVCAP_KIND_MODEL = 1,
       KVCAP_KIND_CONTRACT = 2,
       KVCAP_KIND_EVIDENCE = 3,
       KVCAP_KIND_PLAN = 4,
       KVCAP_KIND_FIT = 5
};

enum { /* how a text is written */
       KVCAP_JSON = 1,
       KVCAP_YAML = 2
};

/* Reads one record: strictly, with its id recomputed and compared (KVCAP_E_ALTERED when they
 * differ).  `text` is `length` bytes of UTF-8, at most 16 MiB; it need not outlive the call. */
KVCAP_API KVCAP_MUST_USE kvcap_code kvcap_record_read(const char *text, size_t length,
                                                      int32_t syntax, kvcap_record **ret_record,
                                                      kvcap_error *error);

/* Checks a hand-written record without id (a draft), fills in what a draft may leave out, and adds
 * the id.  A draft that takes members from another record (a contract's architecture_digest, an
 * evidence's scope) finds it among `named` by id; `named` may be NULL when named_count is 0. */
KVCAP_API KVCAP_MUST_USE kvcap_code kvcap_record_seal(const char *text, size_t length,
                                                      int32_t syntax,
                                                      const kvcap_record *const *named,
                                                      size_t named_count, kvcap_record **ret_record,
                                                      kvcap_error *error);

/* A kv-model from a model's config.json.  `name` and `revision` are as the publisher writes them;
 * revision may be NULL for "unknown".  State that kvcap does not know becomes a layer state
 * `unknown` with the key that says so: the record is made, and every plan of it is UNDETERMINED. */
KVCAP_API KVCAP_MUST_USE kvcap_code kvcap_model_from_config(const char *text, size_t length,
                                                            const char *name, const char *revision,
                                                            kvcap_record **ret_model,
                                                            kvcap_error *error);

/* A kv-model that needs no file: kvcap knows widely served models by the names of their repositories,
 * "meta-llama/Llama-3.1-8B-Instruct", in any case, with or without the owner.  Its sources say where
 * the facts were read. */
KVCAP_API KVCAP_MUST_USE kvcap_code kvcap_model_builtin(const char *name, kvcap_record **ret_model,
                                                        kvcap_error *error);

/* The names of those models, one by one: index 0, 1, ... until NULL.  Static. */
KVCAP_API const char *kvcap_builtin_name(size_t index);
/* A file of a model's folder, or as much of its beginning as is needed. */
typedef struct kvcap_model_file {
    uint32_t struct_size; /* you set: sizeof(kvcap_model_file) */
    uint32_t reserved;    /* you set: 0 */
    const char *name;     /* within the folder: "config.json", "model-00001-of-00002.safetensors" */
    const char *bytes;    /* the first `length` bytes of the file; need not outlive the call.  NULL
                             with length and file_bytes 0: it is there, and cannot be read */
    uint64_t length;
    uint64_t file_bytes; /* of the whole file */
    const char *sha256; /* of what is read of it (below) as 64 lower-case hex digits, or NULL: it is
                           computed */
} kvcap_model_file;

/* How many bytes of the file's beginning kvcap_model_from_files needs: all of a JSON file, the header
 * of a *.safetensors or *.gguf file.  More than file->length means: give so many, and ask again.  A
 * GGUF header tells its length only as it is read, so that this may be more than it turns out to have;
 * it is never more than the file has, and a handful of questions is enough for any file. */
KVCAP_API KVCAP_MUST_USE kvcap_code kvcap_model_file_needs(const kvcap_model_file *file,
                                                           uint64_t *ret_bytes, kvcap_error *error);

/* A kv-model from the files of a folder: config.json or Mistral's params.json, beside it what is
 * there of hf_quant_config.json, *.safetensors.index.json and *.safetensors; else a GGUF file, or all
 * parts of one.  Files of other names may be given and are passed over.  Where two files contradict
 * each other, a note tells which is believed and why; where that decides the size of the cache,
 * neither is, and every plan of the model is UNDETERMINED.  Tensors alone give their bytes, and a
 * shape that is unknown.
 *
 * weights_bytes is exact, from the headers, and absent unless all of them were given: those that the
 * index names, or else every number of "-00001-of-00002"; absent too where a tensor stands in two of
 * them, or one of them cannot be read.
 *
 * The artefact's sha256 and bytes are of the one file that was read, or of the lines "<sha256 of the
 * file>  <name>" of all that were read, sorted by name, and of their sum; of *.safetensors and *.gguf
 * files the header is read, and the digest is of the header's bytes.
 *
 * count is 1 to 4,096.  KVCAP_E_USAGE: an argument, or a file's member, is not as it is said here, a
 * name stands twice, or fewer bytes were given than are needed; KVCAP_E_METADATA: no file says what
 * the model is, there are more than 4,096, or one cannot be read; KVCAP_E_RANGE: the bytes of all are
 * past what a record says; KVCAP_E_RECORD: the name or the revision cannot stand in a record. */
KVCAP_API KVCAP_MUST_USE kvcap_code kvcap_model_from_files(const kvcap_model_file *files,
                                                           size_t count, const char *name,
                                                           const char *revision,
                                                           kvcap_record **ret_model,
                                                           kvcap_error *error);

/* What else the files of a model said: contradictions, the cache format that a checkpoint asks for.
 * One sentence each, index 0, 1, ... until NULL.  No part of the record: one that is read again has
 * none.  *ret_code ("folder.dtype", stable) and *ret_at (file, or file:/pointer) may be NULL; all
 * are borrowed from record. */
KVCAP_API const char *kvcap_record_note(const kvcap_record *record, size_t index,
                                        const char **ret_code, const char **ret_at);

KVCAP_API int32_t kvcap_record_kind(const kvcap_record *record);   /* 0 for NULL */
KVCAP_API const char *kvcap_record_id(const kvcap_record *record); /* borrowed from record */

/* The canonical text (RFC 8785) with its id, without a line end.  Borrowed from record. */
KVCAP_API const char *kvcap_record_json(const kvcap_record *record);

/* The ids that a record names, one by one: index 0, 1, ... until NULL.  Borrowed from record. */
KVCAP_API const char *kvcap_record_named(const kvcap_record *record, size_t index);

KVCAP_API void kvcap_record_free(kvcap_record *record); /* NULL is fine */

/* What a plan says.  Not an error: "does not fit" is a good answer to a good question. */
enum { KVCAP_FIT = 1, KVCAP_EXCEEDS_CAPACITY = 2, KVCAP_UNDETERMINED = 3 };

/* What a plan says in numbers.  With KVCAP_UNDETERMINED only requests and sequences are said, and the
 * rest is 0. */
typedef struct kvcap_summary {
    uint32_t struct_size; /* you set: sizeof(kvcap_summary); another size is refused */
    int32_t decision;
    uint64_t pool_bytes;          /* of the deciding rank, less the allocator's overhead */
    uint64_t pool_blocks;         /* of the deciding rank */
    uint64_t sequence_blocks_max; /* pool blocks of one sequence of the contract's longest length */
    uint64_t sequences_max;       /* such sequences that the pool holds */
    uint64_t requests;            /* of the window */
    uint64_t sequences;           /* of the window */
    uint64_t required_bytes;      /* over all ranks */
    uint64_t available_bytes;     /* over all ranks */
} kvcap_summary;

/* The plan of one window: a pure function of the three records. */
KVCAP_API KVCAP_MUST_USE kvcap_code kvcap_plan_make(const kvcap_record *model,
                                                    const kvcap_record *contract,
                                                    const kvcap_record *evidence,
                                                    kvcap_plan **ret_plan, kvcap_error *error);

KVCAP_API KVCAP_MUST_USE kvcap_code kvcap_plan_summary(const kvcap_plan *plan,
                                                       kvcap_summary *ret_summary,
                                                       kvcap_error *error);

KVCAP_API const char *kvcap_plan_json(const kvcap_plan *plan); /* borrowed from plan */
KVCAP_API const char *kvcap_plan_id(const kvcap_plan *plan);   /* borrowed from plan */
KVCAP_API void kvcap_plan_free(kvcap_plan *plan);              /* NULL is fine */

enum { /* what became of a record */
       KVCAP_INTACT = 1,
       KVCAP_INTACT_BUT_RULES_CHANGED = 2,
       KVCAP_ALTERED = 3,
       KVCAP_INCOMPLETE = 4
};

/* Derives a record anew from what it names, found by id among `named`.  An id that did not match
 * was already refused when the record was read (KVCAP_E_ALTERED); this tells whether the numbers
 * still follow.  *error, when not NULL, gets the pointer of the first difference, or of the member that names what is missing,
 * even though the call succeeds. */
KVCAP_API KVCAP_MUST_USE kvcap_code kvcap_verify(const kvcap_record *record,
                                                 const kvcap_record *const *named,
                                                 size_t named_count, int32_t *ret_outcome,
                                                 kvcap_error *error);

/* ---- 3. Streams ---------------------------------------------------------------------------- */

typedef struct kvcap_window kvcap_window; /* opaque; one thread at a time */

/* Begins to read a window of requests as JSON Lines (a header line, then one request a line).  The
 * two records need not outlive the call. */
KVCAP_API KVCAP_MUST_USE kvcap_code kvcap_window_open(const kvcap_record *model,
                                                      const kvcap_record *contract,
                                                      kvcap_window **ret_window,
                                                      kvcap_error *error);

/* The next bytes, cut anywhere.  After a refusal the window can only be freed. */
KVCAP_API KVCAP_MUST_USE kvcap_code kvcap_window_feed(kvcap_window *window, const char *bytes,
                                                      size_t length, kvcap_error *error);

/* The end of the stream: compares the id that the header states, and makes the plan.  Once. */
KVCAP_API KVCAP_MUST_USE kvcap_code kvcap_window_plan(kvcap_window *window, kvcap_plan **ret_plan,
                                                      kvcap_error *error);

KVCAP_API void kvcap_window_free(kvcap_window *window); /* NULL is fine */

/* ---- 4. Fits -------------------------------------------------------------------------------- */

/* What an engine at a version will allocate, print and refuse.  The question and the answer are JSON
 * objects, a line each: doc/fit.md has their members. */
typedef struct kvcap_fitter
    kvcap_fitter; /* opaque; memory that is used again; one thread at a time */

enum {                         /* how a question names a model that does not stand in it */
       KVCAP_MODEL_CONFIG = 1, /* "config": a path */
       KVCAP_MODEL_GGUF = 2,   /* "gguf": a path */
       KVCAP_MODEL_NAME = 3    /* "name" */
};

/* Opens such a model: the library opens no file.  The record must live until the answer is made.  A
 * refusal becomes the answer's error. */
typedef kvcap_code (*kvcap_model_opener)(void *context, int32_t how, const char *name,
                                         const kvcap_record **ret_model, kvcap_error *error);

/* With an opener of NULL, built-in names are known and paths are refused. */
KVCAP_API KVCAP_MUST_USE kvcap_code kvcap_fitter_new(kvcap_model_opener opener, void *context,
                                                     kvcap_fitter **ret_fitter, kvcap_error *error);

enum { /* what a fit says beside KVCAP_FIT, KVCAP_EXCEEDS_CAPACITY and KVCAP_UNDETERMINED */
       KVCAP_NOT_COMPARED = 0, /* no memory was given */
       KVCAP_REFUSED = 4       /* the engine would not start, whatever the memory */
};

typedef struct kvcap_fit_answer {
    uint32_t struct_size; /* you set: sizeof(kvcap_fit_answer) */
    int32_t decision;
    kvcap_code code; /* KVCAP_OK, or why the question was refused: then json holds the error */
    uint32_t reserved;
    const char *json; /* an object, NUL after it, without a line end; until the next call */
    uint64_t length;  /* of json */
} kvcap_fit_answer;

/* Answers one question: `line` is `length` bytes of UTF-8, at most 16 MiB.  A question that is refused
 * is answered with its error, and the call is KVCAP_OK. */
KVCAP_API KVCAP_MUST_USE kvcap_code kvcap_fitter_answer(kvcap_fitter *fitter, const char *line,
                                                        size_t length, kvcap_fit_answer *ret_answer,
                                                        kvcap_error *error);

KVCAP_API void kvcap_fitter_free(kvcap_fitter *fitter); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif /* KVCAP_H */
