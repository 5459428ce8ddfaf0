/* vllm_groups.h - which layers of a model share block tables, by the rules of a day.
 *
 * Room:   engine/ - pure.
 * In:     the specs of all layers, as runs, one list a worker (a pipeline stage).
 * Out:    groups; how many layers of each lie on each worker; how the pool's block is made up.
 * Knows:  base/, engine/.
 *
 * The order of decisions is that of get_kv_cache_groups in vllm/v1/core/kv_cache_utils.py, read at
 * 017e9f4 (2026-08-17), with what earlier days did otherwise (vllm_changes.h).
 *
 *   one       all specs merge: one group
 *   uniform   all are of one type and block size, pages differ: one group, a block is the sum of its pages
 *   packed    sliding-window MLA of several page sizes: tuples of layers in one packed slab
 *   shared    any mix, once all pages have one size: groups of equal size, padded, share one pool
 */
#ifndef KVC_ENGINE_VLLM_GROUPS_H
#define KVC_ENGINE_VLLM_GROUPS_H

#include "base/arena.h"
#include "engine/vllm_spec.h"

struct kvc_vllm_run {
    uint32_t count; /* layers, at least 1 */
    uint32_t spec;
};

struct kvc_vllm_worker {
    const struct kvc_vllm_run *runs;
    uint32_t runs_count;
};

struct kvc_vllm_layers {
    const struct kvc_vllm_spec *specs;
    uint32_t specs_count;
    const struct kvc_vllm_worker *workers; /* in the order of their layers */
    uint32_t workers_count;
};

enum kvc_vllm_form {
    KVC_VLLM_NOTHING, /* no layer keeps a cache */
    KVC_VLLM_ONE,
    KVC_VLLM_UNIFORM,
    KVC_VLLM_PACKED,
    KVC_VLLM_SHARED,
};

struct kvc_vllm_group {
    struct kvc_vllm_spec spec; /* of UNIFORM and PACKED: of its first layer */
    uint32_t bucket, part,
        parts;           /* layers part, part + parts, ... of its bucket; or a run of them */
    uint32_t layers;     /* over all workers */
    uint32_t *layers_of; /* on each worker */
    uint64_t *bytes_of;  /* UNIFORM, PACKED: sum of pages on each worker */
    bool holds_several;  /* UNIFORM, PACKED: told as uniform_type */
};

/* Why vLLM refuses to group; its words are vllm_lines.h's. */
enum kvc_vllm_objection {
    KVC_VLLM_NO_OBJECTION,
    KVC_VLLM_WINDOWS_DIFFER, /* ValueError: promoted layers of two windows do not merge */
    KVC_VLLM_PAGES_DIFFER,   /* NotImplementedError: page sizes cannot be unified */
    KVC_VLLM_NOT_ONE_TYPE, /* ValueError: without the hybrid manager all layers must be of one type */
};

/* Layers that a group is padded by: of a bucket, once. */
struct kvc_vllm_padding {
    uint32_t layers;        /* that are added */
    uint32_t bucket_layers; /* of which the percentage is told */
};

struct kvc_vllm_grouping {
    enum kvc_vllm_form form;
    struct kvc_vllm_group *groups;
    uint32_t groups_count;
    uint64_t page_bytes;  /* ONE, SHARED: of every layer */
    uint64_t tuple_bytes; /* PACKED: sum of the distinct pages of the MLA group */
    uint32_t tuples;      /* PACKED */
    /* PACKED, on each worker: the same two of the layers that it has, which is what its check counts. */
    uint64_t *tuple_bytes_of;
    uint32_t *tuples_of;
    bool is_packed_by_slab; /* PACKED: the block is the widest group, and not whole tuples */
    uint32_t group_size;    /* SHARED: layers of a group */
    struct kvc_vllm_padding *paddings;
    uint32_t paddings_count;
    enum kvc_vllm_objection objection;
    uint32_t objection_layer; /* PAGES_DIFFER: the first layer whose page does not divide */
    /* The specs as the rules left them: promoted, with unified pages. */
    struct kvc_vllm_spec *specs;
};

struct kvc_vllm_grouping_rules {
    uint32_t day;
    bool hybrid_manager_off; /* windows and chunks are promoted to full attention */
};

/* Everything comes from the arena. */
kvcap_code kvc_vllm_group(const struct kvc_vllm_layers *layers,
                          const struct kvc_vllm_grouping_rules *rules, struct kvc_arena *arena,
                          struct kvc_vllm_grouping *ret_grouping, kvcap_error *err);

#endif /* KVC_ENGINE_VLLM_GROUPS_H */
