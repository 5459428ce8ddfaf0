/* folder.h - which file of a model folder is believed, and why, when two disagree.
 *
 * Room:   meta/ - no I/O: it is given the files, or as much of each as it asks for.
 * In:     files by name: config.json, hf_quant_config.json, params.json, *.safetensors and their
 *         index, *.gguf.
 * Out:    the facts that are believed, what the weights tell, notes on whatever disagrees.
 * Knows:  base/, json/.
 *
 * | what                | believed                                      | because                                    |
 * |---------------------|-----------------------------------------------|--------------------------------------------|
 * | the model           | config.json, then params.json, then a GGUF    | it is what loaders of a folder look for    |
 * | its weights         | the files that the index names, else all but  | a folder may hold one model in two         |
 * |                     | consolidated*, which belong to params.json    | formats, and is loaded from one            |
 * | bytes of weights    | the headers, not the index's total_size       | they are what lies in the files            |
 * | a tensor in 2 files | neither: the bytes of the weights are not said| loaders differ in which they take          |
 * | what the cache asks | config.json, then hf_quant_config.json        | so do vLLM and SGLang                      |
 * | element type        | config.json; the tensors where it says none   | loaders convert to what config.json says   |
 * | layers, K and V rows| neither (shape/agree.h): the answer is unknown| an engine allocates by one, loads the other|
 *
 * A params.json beside config.json whose layers keep anything else makes the answer unknown too
 * (shape/agree.h), since some engines read the one and some the other.  One in another folder
 * (original/) is no file that a loader of this folder reads: config.json is believed, and a note
 * tells.
 */
#ifndef KVC_META_FOLDER_H
#define KVC_META_FOLDER_H

#include "base/note.h"
#include "meta/facts.h"
#include "meta/quant.h"
#include "meta/weights.h"

#define KVC_FOLDER_FILES_MAX 4096

struct kvc_folder_file {
    const char *name;      /* within the folder: "config.json", "original/params.json" */
    struct kvc_span bytes; /* its beginning, or all of it; NULL, of 0 bytes: it cannot be read */
    uint64_t file_bytes;
    const char *sha256;  /* of what is read of it, 64 hex digits; NULL: not known */
    uint64_t read_bytes; /* answer: how much of its beginning the answer rests on; 0: none */
    bool is_rival;       /* answer: another description of the model, to be compared (rivals.h) */
};

enum kvc_folder_kind {
    KVC_FOLDER_CONFIG,  /* facts of config.json */
    KVC_FOLDER_PARAMS,  /* facts of params.json, as if of config.json */
    KVC_FOLDER_GGUF,    /* facts of one GGUF file, or of the first of a set */
    KVC_FOLDER_WEIGHTS, /* tensors alone: no facts, the shape cannot be said */
};

struct kvc_folder {
    enum kvc_folder_kind kind;
    struct kvc_facts facts;
    struct kvc_weights weights;
    bool weights_whole;  /* every file of weights was read that the index, or else the names of a
                           series (series.h), call for, and no tensor stands in two of them */
    uint64_t gguf_bytes; /* GGUF: of all tensors; 0: not known */
    struct kvc_quant quant;
};

/* How much of a file's beginning must be at hand.  *ret_bytes is more than file->bytes.length when
 * there is more to give: then give it and ask again. */
kvcap_code kvc_folder_needs(const struct kvc_folder_file *file, struct kvc_arena *scratch,
                            uint64_t *ret_bytes, kvcap_error *err);

/* Facts of a JSON file, names and notes lie in `arena`; facts of a GGUF file in `scratch`, and borrow
 * it.  The files are borrowed as long as the answer. */
kvcap_code kvc_folder_read(struct kvc_folder_file *files, size_t files_count,
                           struct kvc_arena *arena, struct kvc_arena *scratch,
                           struct kvc_notes *notes, struct kvc_folder *ret_folder,
                           kvcap_error *err);

#endif /* KVC_META_FOLDER_H */
