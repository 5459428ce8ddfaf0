/* folder.c - see folder.h for the room and its promises. */

#include "meta/folder.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "meta/file_kind.h"
#include "meta/gguf_names.h"
#include "meta/gguf_set.h"
#include "meta/hf.h"
#include "meta/params.h"
#include "meta/reading.h"
#include "json/read.h"
#include "json/scan.h"

/* ---- Files. */

static enum kvc_file_kind kind_of(const char *name)
{
    return kvc_file_kind_of(kvc_span_of(name));
}

bool kvc_reading_is_beside(const char *name, enum kvc_file_kind kind)
{
    return kvc_file_is_beside(kvc_span_of(name)) && kind_of(name) == kind;
}

static bool has_beside(const struct kvc_reading *r, enum kvc_file_kind kind)
{
    for (size_t i = 0; i < r->count; i++) {
        if (kvc_reading_is_beside(r->files[i].name, kind))
            return true;
    }
    return false;
}

static struct kvc_folder_file *file_named(const struct kvc_reading *r, const char *name)
{
    for (size_t i = 0; i < r->count; i++) {
        if (strcmp(r->files[i].name, name) == 0)
            return &r->files[i];
    }
    return NULL;
}

static kvcap_code check_twins(const struct kvc_reading *r)
{
    struct kvc_mark mark = kvc_arena_mark(r->scratch);
    struct kvc_span *names = kvc_arena_array(r->scratch, r->count, sizeof *names);
    const uint32_t *order;
    uint32_t twin = KVC_NO_DUPLICATE;
    for (size_t i = 0; i < r->count && names != NULL; i++)
        names[i] = kvc_span_of(r->files[i].name);
    bool sorted = names != NULL && kvc_gguf_sort_names(r->scratch, names, sizeof *names,
                                                       (uint32_t)r->count, &order, &twin);
    kvc_arena_rewind(r->scratch, mark);
    if (!sorted)
        return kvc_fail(r->err, KVC_MEMORY_FULL, "", "the names need more memory");
    return twin == KVC_NO_DUPLICATE
               ? KVCAP_OK
               : kvc_fail(r->err, KVC_FOLDER_NAME, r->files[twin].name, "the file is given twice");
}

static kvcap_code check_names(const struct kvc_reading *r)
{
    if (r->count > KVC_FOLDER_FILES_MAX)
        return kvc_fail(r->err, KVC_FOLDER_TOO_MANY, "", "a folder has at most 4,096 files");
    for (size_t i = 0; i < r->count; i++) {
        const char *name = r->files[i].name;
        if (!kvc_span_is_utf8(kvc_span_of(name), NULL) ||
            !kvc_is_name(kvc_span_of(name), KVC_NAME_BYTES_MAX))
            return kvc_fail(r->err, KVC_FOLDER_NAME, name, "this is no name of a file");
    }
    return check_twins(r);
}

kvcap_code kvc_reading_in_file(const struct kvc_reading *r, const struct kvc_folder_file *file,
                               kvcap_code rc)
{
    if (rc != KVCAP_OK && r->count > 1)
        kvc_fail_add(r->err, ", in %s", file->name);
    return rc;
}

kvcap_code kvc_reading_whole(const struct kvc_reading *r, struct kvc_folder_file *file)
{
    if (file->bytes.length < file->file_bytes)
        return kvc_fail(r->err, KVC_FOLDER_HEAD, file->name,
                        "%zu bytes are at hand of the %" PRIu64 " that are needed",
                        file->bytes.length, file->file_bytes);
    file->read_bytes = file->bytes.length;
    return KVCAP_OK;
}

kvcap_code kvc_folder_needs(const struct kvc_folder_file *file, struct kvc_arena *scratch,
                            uint64_t *ret_bytes, kvcap_error *err)
{
    switch (kind_of(file->name)) {
    case KVC_FILE_GGUF:
    case KVC_FILE_PROJECTOR:
        return kvc_gguf_needs(file->bytes, file->file_bytes, scratch, ret_bytes, err);
    case KVC_FILE_TENSORS:
        return kvc_safetensors_needs(file->bytes, file->file_bytes, ret_bytes, err);
    default:
        *ret_bytes = file->file_bytes;
        return KVCAP_OK;
    }
}

/* ---- The model. */

static kvcap_code read_facts(struct kvc_reading *r, struct kvc_folder_file *file, bool is_config)
{
    kvcap_code rc = kvc_reading_whole(r, file);
    if (rc != KVCAP_OK)
        return rc;
    struct kvc_span text = kvc_arena_copy(r->arena, file->bytes);
    struct kvc_span name = kvc_arena_copy(r->arena, kvc_span_of(file->name));
    if (text.text == NULL || name.text == NULL)
        return kvc_fail(r->err, KVC_MEMORY_FULL, "", "the facts of the model need more memory");
    rc = is_config ? kvc_hf_read(name.text, text, r->arena, &r->folder.facts, r->err)
                   : kvc_params_read(name.text, text, r->arena, &r->folder.facts, r->err);
    return kvc_reading_in_file(r, file, rc);
}

/* The one GGUF file, or the one set of parts. */
static kvcap_code read_gguf(struct kvc_reading *r)
{
    const char **names = kvc_arena_array(r->scratch, r->count, sizeof *names);
    size_t *indices, count;
    if (names == NULL)
        return kvc_fail(r->err, KVC_MEMORY_FULL, "", "the names need more memory");
    for (size_t i = 0; i < r->count; i++)
        names[i] = r->files[i].name;
    kvcap_code rc = kvc_gguf_choose(names, r->count, r->scratch, &indices, &count, r->err);
    if (rc != KVCAP_OK)
        return rc;
    if (count == 0)
        return kvc_fail(r->err, KVC_FOLDER_NO_MODEL, "",
                        "no file says what the model is: neither config.json nor params.json, "
                        "GGUF or safetensors");
    struct kvc_gguf_part *parts = kvc_arena_array(r->scratch, count, sizeof *parts);
    if (parts == NULL)
        return kvc_fail(r->err, KVC_MEMORY_FULL, "", "the parts need more memory");
    for (size_t i = 0; i < count; i++) {
        const struct kvc_folder_file *file = &r->files[indices[i]];
        parts[i] = (struct kvc_gguf_part){ .name = file->name,
                                           .head = file->bytes,
                                           .file_bytes = file->file_bytes };
    }
    rc = kvc_gguf_set_read(parts, count, r->scratch, &r->folder.facts, &r->folder.gguf_bytes,
                           r->err);
    for (size_t i = 0; i < count && rc == KVCAP_OK; i++)
        r->files[indices[i]].read_bytes = parts[i].read_bytes;
    r->folder.kind = KVC_FOLDER_GGUF;
    return rc;
}

static kvcap_code choose_model(struct kvc_reading *r)
{
    struct kvc_folder_file *config = file_named(r, "config.json");
    struct kvc_folder_file *params = file_named(r, "params.json");
    r->folder.kind = config != NULL   ? KVC_FOLDER_CONFIG
                     : params != NULL ? KVC_FOLDER_PARAMS
                                      : KVC_FOLDER_WEIGHTS;
    if (config != NULL)
        return read_facts(r, config, true);
    if (params != NULL)
        return read_facts(r, params, false);
    return has_beside(r, KVC_FILE_TENSORS) && !has_beside(r, KVC_FILE_GGUF) ? KVCAP_OK
                                                                            : read_gguf(r);
}

/* ---- What the cache is asked to be. */

static void note_asked(const struct kvc_reading *r, const char *name, const struct kvc_quant *quant)
{
    char words[KVC_QUANT_WORDS], pointer[KVC_POINTER_ROOM], at[KVC_POINTER_ROOM + 64];
    if (quant->asked != KVC_ASKED_FORMAT && quant->asked != KVC_ASKED_UNKNOWN)
        return;
    kvc_quant_words(quant, words);
    kvc_value_pointer(quant->at, pointer);
    snprintf(at, sizeof at, "%.60s:%s", name, pointer);
    kvc_note_add(r->notes, "folder.cache_format", at,
                 "the checkpoint asks for a cache of %s; what `auto` makes of that is the engine's "
                 "rule",
                 words);
}

static void compare_asked(const struct kvc_reading *r, const struct kvc_quant *main,
                          const struct kvc_quant *side)
{
    char main_words[KVC_QUANT_WORDS], side_words[KVC_QUANT_WORDS], pointer[KVC_POINTER_ROOM];
    char at[KVC_POINTER_ROOM + 64];
    if (kvc_quant_agree(main, side))
        return;
    kvc_quant_words(main, main_words);
    kvc_quant_words(side, side_words);
    kvc_value_pointer(main->at, pointer);
    snprintf(at, sizeof at, "%.60s:%s", r->folder.facts.artefact, pointer);
    kvc_note_add(r->notes, "folder.cache_format_disagrees", at,
                 "%s asks for %s, hf_quant_config.json for %s; the first is believed, as vLLM and "
                 "SGLang read the other only without it, but TensorRT-LLM reads the other",
                 r->folder.facts.artefact, main_words, side_words);
}

static kvcap_code read_asked(struct kvc_reading *r)
{
    struct kvc_folder_file *file = file_named(r, "hf_quant_config.json");
    struct kvc_quant side = { .asked = KVC_ASKED_NOTHING };
    kvc_quant_read(r->folder.facts.tree, &r->folder.quant);
    if (file != NULL) {
        struct kvc_value *tree;
        kvcap_code rc = kvc_reading_whole(r, file);
        if (rc != KVCAP_OK)
            return rc;
        rc = kvc_scan(r->scratch, file->bytes, KVC_CONFIG_BYTES_MAX, KVC_SCAN_FOREIGN, &tree,
                      r->err);
        if (rc != KVCAP_OK)
            return kvc_reading_in_file(r, file, rc);
        kvc_quant_read(tree, &side);
    }
    compare_asked(r, &r->folder.quant, &side);
    bool by_side = r->folder.quant.asked == KVC_ASKED_NOTHING && side.asked != KVC_ASKED_NOTHING;
    note_asked(r, by_side ? file->name : r->folder.facts.artefact,
               by_side ? &side : &r->folder.quant);
    if (r->folder.quant.method.length == 0)
        r->folder.quant.method = side.method;
    return KVCAP_OK;
}

/* ---- All of it. */

static void note_gguf(const struct kvc_reading *r)
{
    if (r->folder.kind == KVC_FOLDER_GGUF)
        return;
    for (size_t i = 0; i < r->count; i++) {
        if (!kvc_reading_is_beside(r->files[i].name, KVC_FILE_GGUF))
            continue;
        kvc_note_add(r->notes, "folder.gguf_beside", r->files[i].name,
                     "%s is a model in itself and is not read: of a folder, %s is believed, since "
                     "it is what loaders of a folder look for; name the GGUF file to read it",
                     r->files[i].name, r->folder.facts.artefact);
        return;
    }
}

static bool is_description(const char *name)
{
    return kind_of(name) == KVC_FILE_CONFIG || kind_of(name) == KVC_FILE_PARAMS;
}

/* All of them must be at hand, since the answer rests on them. */
static kvcap_code take_rivals(const struct kvc_reading *r)
{
    kvcap_code rc = KVCAP_OK;
    for (size_t i = 0; i < r->count && rc == KVCAP_OK; i++) {
        struct kvc_folder_file *file = &r->files[i];
        file->is_rival =
            strcmp(file->name, r->folder.facts.artefact) != 0 && is_description(file->name);
        rc = file->is_rival ? kvc_reading_whole(r, file) : KVCAP_OK;
    }
    return rc;
}

kvcap_code kvc_folder_read(struct kvc_folder_file *files, size_t files_count,
                           struct kvc_arena *arena, struct kvc_arena *scratch,
                           struct kvc_notes *notes, struct kvc_folder *ret_folder, kvcap_error *err)
{
    struct kvc_reading r = { .files = files,
                             .count = files_count,
                             .arena = arena,
                             .scratch = scratch,
                             .notes = notes,
                             .err = err };
    kvcap_code rc = check_names(&r);
    for (size_t i = 0; i < files_count; i++)
        files[i].read_bytes = 0, files[i].is_rival = false;
    if (rc == KVCAP_OK)
        rc = choose_model(&r);
    bool is_gguf = r.folder.kind == KVC_FOLDER_GGUF;
    if (rc == KVCAP_OK && !is_gguf)
        rc = read_asked(&r);
    if (rc == KVCAP_OK && !is_gguf)
        rc = kvc_reading_weights(&r);
    if (rc != KVCAP_OK)
        return rc;
    kvc_reading_note_weights(&r);
    note_gguf(&r);
    if (r.folder.kind == KVC_FOLDER_CONFIG || r.folder.kind == KVC_FOLDER_PARAMS)
        rc = take_rivals(&r);
    if (rc == KVCAP_OK && notes->full)
        rc = kvc_fail(err, KVC_MEMORY_FULL, "", "the notes need more memory");
    if (rc == KVCAP_OK)
        *ret_folder = r.folder;
    return rc;
}
