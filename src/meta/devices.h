/* devices.h - accelerators: how much memory they are sold with, and how much of it programs see.
 *
 * Room:   meta/ - no I/O.
 * In:     a name, in any case.
 * Out:    a row; each number with the public place where it can be read.
 * Knows:  base/.
 *
 * Three numbers are called "the memory" of a device.  The vendor's is what it is sold as.  The driver's is
 * what nvidia-smi, rocm-smi or hl-smi print.  The runtime's (cudaMemGetInfo) is what an engine takes
 * its share of; it may be smaller than the driver's by most of a GiB, and is often printed rounded.
 * What no public place confirms is 0 here: not known, which is not none.  A source names its place:
 * a repository with its revision and file, a page of who sells or rents the device, or a thread with
 * a date.
 */
#ifndef KVC_META_DEVICES_H
#define KVC_META_DEVICES_H

#include <stddef.h>
#include <stdint.h>

#include "base/fail.h"
#include "base/span.h"

struct kvc_device {
    const char *name; /* product, form, memory: "A100 SXM4 80GB" */
    struct {
        const char *name; /* what the driver calls it; NULL: not known */
        const char *source;
    } called;
    const char *vendor;
    struct {
        uint32_t gb; /* as the vendor names it; 0: not one number */
        const char *source;
    } nominal;
    struct {
        const char *tool; /* who printed it */
        uint64_t bytes;   /* 0: not known */
        const char *source;
    } driver;
    struct {
        uint32_t gib_100; /* GiB times 100, as it was printed; 0: see bytes */
        uint64_t bytes;   /* exact; 0: not known */
        const char *source;
    } runtime;
    struct {
        uint32_t mb_per_s; /* 10^6 bytes a second; 0: not known */
        const char *source;
    } bandwidth;
    const char *note; /* or NULL */
};

/* The row, or NULL past the last one.  In the order of their names, case put aside. */
const struct kvc_device *kvc_device_at(size_t index);

/* The row that a name means; one that none has is refused (usage.unknown_name) with the nearest. */
kvcap_code kvc_device_find(struct kvc_span name, const struct kvc_device **ret_device,
                           kvcap_error *err);

/* The least and the most bytes that are printed as runtime.gib_100; both are runtime.bytes where that
 * is known, and 0 where nothing is. */
void kvc_device_runtime_bytes(const struct kvc_device *device, uint64_t *ret_least,
                              uint64_t *ret_most);

#endif /* KVC_META_DEVICES_H */
