/* memory.h - the memory that a fit is held against, as it was given: points, and ranges of printed GiB.
 *
 * Room:   fit/ - no I/O.
 * In:     {"available_kv_bytes": N}, {"available_kv_gib": "5.69"}, {"device": "H100 SXM5 80GB",
 *         "weights_bytes": N}, {"devices": [...], "host_total_bytes": N}.
 * Out:    for each term the least and the most bytes that it may be.
 * Knows:  base/, json/, meta/, engine/.
 *
 * An engine's printed GiB was rounded to two decimals: "5.69" is anything that is printed so, and an
 * answer from it is a range too.  Bytes are exact.  A device by name has the bytes that its runtime
 * reports, which may be a range for the same reason.
 */
#ifndef KVC_FIT_MEMORY_H
#define KVC_FIT_MEMORY_H

#include "engine/engine.h"

struct kvc_bytes_range {
    uint64_t least, most;
    bool said;
};

#define KVC_FIT_WORKERS_MAX 4096
#define KVC_FIT_DEVICES_MAX 1024

struct kvc_fit_memory {
    bool given;
    struct kvc_bytes_range *available; /* one for all workers, or one a worker */
    uint32_t available_count;
    struct kvc_bytes_range device_total, device_free, weights, activation, non_torch, cuda_graph,
        host_total;
    struct kvc_engine_device *devices;
    uint32_t devices_count;
    const char *device_name; /* of the built-in table, or NULL */
};

/* `value` is the object, or NULL: nothing is given.  `at` is its pointer. */
kvcap_code kvc_fit_memory_read(const struct kvc_value *value, const char *at,
                               struct kvc_arena *arena, struct kvc_fit_memory *ret_memory,
                               kvcap_error *err);

/* "5.69": the least and the most bytes that are printed so, at two decimals or as many as there are. */
bool kvc_fit_printed_gib(struct kvc_span text, struct kvc_bytes_range *ret_range);

/* Whether some term is a range of more than one number. */
bool kvc_fit_memory_is_range(const struct kvc_fit_memory *memory);

/* The memory in which an engine has the least to give, or the most: what it may use at the one end, what
 * is taken from it at the other. */
kvcap_code kvc_fit_memory_end(const struct kvc_fit_memory *memory, bool most,
                              struct kvc_arena *arena, struct kvc_engine_memory *ret_memory,
                              kvcap_error *err);

#endif /* KVC_FIT_MEMORY_H */
