/* handle.h - what stands behind the opaque handles of include/kvcap.h.
 *
 * Room:   face/api - between the public interface and the rooms.
 * Knows:  all.
 *
 * A handle owns one arena and all that lies in it.  It is filled once and never changed.
 */
#ifndef KVC_FACE_API_HANDLE_H
#define KVC_FACE_API_HANDLE_H

#include "base/note.h"
#include "engine/model.h"
#include "meta/facts.h"
#include "meta/quant.h"
#include "plan/plan.h"
#include "record/record.h"
#include "record/seal.h"
#include "json/scan.h"

/* Most memory of one record: its values at a hundred bytes each, its text, and as much again. */
#define KVC_HANDLE_BYTES_MAX ((size_t)1024 * 1024 * 1024)

struct kvcap_record {
    struct kvc_arena arena;
    struct kvc_record record;
    struct kvc_span json; /* canonical, with id, NUL after it */
    const char **named;   /* ids as C strings, in the order of the arrows */
    size_t named_count;
    const struct kvc_note *notes; /* of a model that was made from files; no part of the record */
    size_t notes_count;
    const struct kvc_facts
        *facts; /* of a model that was made from a file: what engines read beside it */
    bool facts_are_gguf;
    enum kvc_asks asks; /* what the checkpoint says of its cache */
    enum kvc_format asked;
};

struct kvcap_plan {
    struct kvcap_record record;
    struct kvc_plan_figures figures;
};

/* A new handle with an empty arena; NULL when there is no memory.  Ends with kvcap_record_free. */
struct kvcap_record *kvc_handle_new(void);

/* Fills in json and named from a checked record.  The last step of making a handle. */
kvcap_code kvc_handle_finish(struct kvcap_record *handle, kvcap_error *err);

/* Text to a tree in the handle's arena, in either syntax.  The text is copied. */
kvcap_code kvc_handle_scan(struct kvcap_record *handle, struct kvc_span text, int32_t syntax,
                           struct kvc_value **ret_tree, kvcap_error *err);

/* A record from its text.  With any_id a stated id that is not its content's is let pass. */
kvcap_code kvc_handle_read(struct kvc_span text, int32_t syntax, bool any_id,
                           struct kvcap_record **ret_handle, kvcap_error *err);

/* The handle whose tree this is, sealed. */
kvcap_code kvc_handle_seal(struct kvcap_record *handle, struct kvc_value *tree,
                           const struct kvc_naming *naming, kvcap_error *err);

/* Keeps a copy of a file's words with the model that was made from it. */
kvcap_code kvc_handle_keep_facts(struct kvcap_record *handle, const struct kvc_facts *facts,
                                 bool are_gguf, kvcap_error *err);

/* Keeps what the checkpoint asks for. */
void kvc_handle_keep_quant(struct kvcap_record *handle, const struct kvc_quant *quant);

/* A model's record, and what was kept beside it, for an engine. */
void kvc_fit_model_of_handle(const struct kvcap_record *handle, struct kvc_engine_model *ret_model);

/* Looking up among handles. */
struct kvc_shelf {
    const kvcap_record *const *records;
    size_t records_count;
};
struct kvc_naming kvc_shelf_naming(struct kvc_shelf *shelf);

#endif /* KVC_FACE_API_HANDLE_H */
