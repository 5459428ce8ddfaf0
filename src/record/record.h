/* record.h - the kinds of record: what kvcap signs its name to.
 *
 * Room:   record/ - no I/O.  The structs are plain data and the core reads them; the text is not.
 * In:     a tree, from JSON or YAML.
 * Out:    a checked struct, the canonical text, the id.
 * Knows:  base/, json/, shape/, bytes/.
 *
 * Ids point one way: evidence names a contract; a plan names model, contract and evidence; nothing
 * that is named can name back.  A struct holds what arithmetic needs; members that are identity
 * alone are checked and stay in the tree.  doc/records.md lists every field with type and bound.
 */
#ifndef KVC_RECORD_RECORD_H
#define KVC_RECORD_RECORD_H

#include "base/digest.h"
#include "shape/shape.h"
#include "json/read.h"
#include "json/tree.h"

#define KVC_CONTRACT_VERSION "kv-capacity-plan-v2"
#define KVC_CLAIM_OF_PLAN "CAPACITY_ARITHMETIC_ONLY_REQUIRES_LOAD_VALIDATION"
#define KVC_CLAIM_OF_FIT "ENGINE_RULES_APPLIED_NOT_OBSERVED"

enum kvc_kind {
    KVC_KIND_NONE,
    KVC_KIND_MODEL,
    KVC_KIND_CONTRACT,
    KVC_KIND_EVIDENCE,
    KVC_KIND_PLAN,
    KVC_KIND_FIT,
    KVC_KIND_COUNT
};

/* The longest kind, "@sha256:", 64 digits and a NUL. */
#define KVC_ID_ROOM 104

/* ---- kv-model */

struct kvc_model {
    struct kvc_span name, family;
    enum kvc_format dtype;   /* what a cache format `auto` means */
    uint64_t context_tokens; /* 0: not stated */
    uint32_t query_heads;    /* 0: not stated */
    uint64_t weights_bytes;  /* 0: not known exactly */
    struct kvc_shape shape;
    struct kvc_span architecture_digest;
};

/* ---- kv-capacity-contract */

enum kvc_non_cache_form {
    KVC_NON_CACHE_BYTES,   /* bytes on every rank */
    KVC_NON_CACHE_BY_RANK, /* a number a rank */
    KVC_NON_CACHE_BPS,     /* basis points of device_bytes, rounded up */
};

/* Memory beside the cache, in the order of their names. */
enum { KVC_NON_CACHE_COUNT = 6 };
static inline const char *kvc_non_cache_name(size_t term)
{
    static const char *const NAMES[KVC_NON_CACHE_COUNT] = { "buffers",    "graphs",  "headroom",
                                                            "monitoring", "weights", "workspaces" };
    return NAMES[term];
}

struct kvc_non_cache {
    enum kvc_non_cache_form form;
    uint64_t amount;         /* bytes or basis points */
    const uint64_t *by_rank; /* tp * pp entries; only with BY_RANK */
};

struct kvc_identity {
    struct kvc_span name, version;
};

struct kvc_contract {
    struct kvc_span name;
    struct kvc_span model; /* id */
    struct kvc_span architecture_digest;
    enum kvc_format cache_k, cache_v;
    uint64_t latent_token_bytes; /* stated with fp8_ds_mla: 656 or 584; else 0 */
    struct kvc_identity allocator, scheduler;
    bool engine; /* the allocator is an engine's, and not paged */
    uint64_t block_tokens;
    uint64_t overhead_bps;            /* 0..100,000 */
    const struct kvc_value *settings; /* the engine's, an object; or NULL */
    uint64_t sequences_max, step_tokens_max;
    struct kvc_span pool;
    uint64_t device_bytes; /* of one device */
    uint32_t tp, pp, dcp;
    const uint64_t *pp_layers; /* pp entries, or NULL for equal stages */
    struct kvc_non_cache non_cache[KVC_NON_CACHE_COUNT];
    uint64_t requests_max, sequences_per_request_max, sequence_tokens_max, window_bytes_max;
    bool counts_prefixes;
};

/* Ranks are tp * pp and at most this many: a rank is a device in one deployment. */
#define KVC_RANKS_MAX 65536

/* ---- kv-reservation-evidence */

struct kvc_request {
    struct kvc_span request_id, cohort, tenant;
    uint64_t prompt_tokens, max_output_tokens, sequences;
    struct kvc_span prefix_id; /* NULL text: the request has no prefix */
    uint64_t prefix_tokens;
};

struct kvc_scope {
    struct kvc_span model, architecture_digest, cache_k, cache_v, pool;
    struct kvc_identity allocator, scheduler;
};

/* All of the evidence but its requests: the header line of a stream. */
struct kvc_evidence {
    struct kvc_span contract; /* id */
    struct kvc_scope scope;
    uint64_t device_bytes;
    const uint64_t *cache_bytes_by_rank;
    uint32_t ranks_count;
    const struct kvc_value *requests; /* the list; NULL in a stream */
};

/* Keys of the evidence that sort before `requests`, and so before it in the canonical text; the
 * rest sort after it.  The id of a stream rests on this. */
#define KVC_EVIDENCE_SPLIT "requests"

/* ---- Any of them */

struct kvc_record {
    enum kvc_kind kind;
    struct kvc_value *tree;
    char id[KVC_ID_ROOM]; /* "" for a draft */
    union {
        struct kvc_model model;
        struct kvc_contract contract;
        struct kvc_evidence evidence;
    };
};

/* What reading needs beside the text. */
struct kvc_reading {
    struct kvc_arena *arena;         /* results live as long as it */
    const struct kvc_memory *memory; /* for the set of request ids, given back at once */
    struct kvc_sha256 *sha;
    kvcap_error *err;
    bool any_id; /* a stated id is not compared: for telling where an altered record differs */
};

const char *kvc_kind_name(enum kvc_kind kind);

/* The kind that a tree states, or KVC_KIND_NONE. */
enum kvc_kind kvc_kind_of(const struct kvc_value *tree);

/* Checks a tree as a record of whatever kind it states, and its id. */
kvcap_code kvc_record_open(const struct kvc_reading *reading, struct kvc_value *tree,
                           struct kvc_record *ret_record);

/* The members at the top by which a kind names other records, in order; NULL after the last. */
const char *kvc_kind_arrow(enum kvc_kind kind, size_t index);

/* The members that hold an id which the record names: its kind's arrows first, then what a contract
 * adopted and the sources of its terms.  NULL after the last. */
const struct kvc_value *kvc_record_arrow(const struct kvc_record *record, size_t index);

/* ---- The schemas, for record.c and stream.c.  Each checks what can be checked in the record by
 * itself; what needs the record it names is checked by match.h. */

void kvc_model_read(struct kvc_reader *r, const struct kvc_reading *reading,
                    const struct kvc_value *tree, struct kvc_model *ret_model);
/* As much of a kv-model as arithmetic needs: dtype and architecture must be there, what identifies it or
 * says where its numbers come from may be left out and is not looked at. */
void kvc_model_read_shape(struct kvc_reader *r, const struct kvc_reading *reading,
                          const struct kvc_value *tree, struct kvc_model *ret_model);
/* Whether the digest that the model states is that of its architecture. */
void kvc_model_check_digest(struct kvc_reader *r, const struct kvc_reading *reading,
                            const struct kvc_value *tree, const struct kvc_model *model);
void kvc_contract_read(struct kvc_reader *r, const struct kvc_reading *reading,
                       const struct kvc_value *tree, struct kvc_contract *ret_contract);

enum kvc_evidence_form {
    KVC_EVIDENCE_WHOLE,  /* one object */
    KVC_EVIDENCE_HEADER, /* a stream's first line: all but the requests */
    KVC_EVIDENCE_DRAFT,  /* the same without id */
};
void kvc_evidence_read(struct kvc_reader *r, const struct kvc_reading *reading,
                       const struct kvc_value *tree, enum kvc_evidence_form form,
                       struct kvc_evidence *ret_evidence);

/* A stream's header by itself: kind, version, members and, unless it is a draft, an id. */
kvcap_code kvc_evidence_header(const struct kvc_reading *reading, const struct kvc_value *tree,
                               enum kvc_evidence_form form, struct kvc_evidence *ret_evidence);
void kvc_request_read(struct kvc_reader *r, const struct kvc_value *tree,
                      struct kvc_request *ret_request);
void kvc_plan_read(struct kvc_reader *r, const struct kvc_value *tree);
void kvc_fit_read(struct kvc_reader *r, const struct kvc_value *tree);

/* kind and version, with which every kind begins.  `due` NONE: any kind that this program reads. */
enum kvc_kind kvc_record_read_head(struct kvc_reader *r, const struct kvc_value *tree,
                                   enum kvc_kind due);

/* What the schemas share. */
#define KVC_HEAD_KEYS                                                                              \
    { "id", false }, { "kind", false },                                                            \
    {                                                                                              \
        "version", false                                                                           \
    }

/* `settings`: an engine's own names, each an integer, a truth or text. */
const struct kvc_value *kvc_read_settings(struct kvc_reader *r, const struct kvc_value *object);

struct kvc_span kvc_read_id(struct kvc_reader *r, const struct kvc_value *object, const char *key,
                            enum kvc_kind kind);
struct kvc_span kvc_read_digest(struct kvc_reader *r, const struct kvc_value *object,
                                const char *key);
struct kvc_identity kvc_read_identity(struct kvc_reader *r, const struct kvc_value *object);
enum kvc_format kvc_read_format(struct kvc_reader *r, const struct kvc_value *object,
                                const char *key);
struct kvc_span kvc_read_instant(struct kvc_reader *r, const struct kvc_value *object,
                                 const char *key);

/* A list of integers into the arena. */
const uint64_t *kvc_read_u64_list(struct kvc_reader *r, const struct kvc_reading *reading,
                                  const struct kvc_value *object, const char *key, uint64_t min,
                                  uint32_t count_max, uint32_t *ret_count);

bool kvc_is_id(struct kvc_span text, enum kvc_kind kind); /* NONE: of any kind */
bool kvc_is_digest(struct kvc_span text);

/* The layout of a cache format as its members, in a contract. */
void kvc_format_build_layout(struct kvc_build *build, struct kvc_value *object,
                             enum kvc_format format);

#endif /* KVC_RECORD_RECORD_H */
