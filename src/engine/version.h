/* version.h - how versions of an engine stand to each other.
 *
 * Room:   engine/ - pure.
 * In:     "0.6.3.post1", "0.9.1rc2.dev5", "0.8.x", "b5400".
 * Out:    parsed words, and which of two is earlier.
 * Knows:  base/.
 *
 * The order is that of Python's packages (PEP 440): dev < a < b < rc < the release < post.  What
 * follows a + or a - (a commit, a platform) does not count.  A build (b5400) is of another kind than
 * a release, and the two are not compared.
 */
#ifndef KVC_ENGINE_VERSION_H
#define KVC_ENGINE_VERSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

#define KVC_VERSION_PARTS 5

struct kvc_version {
    bool is_build; /* b5400: one part */
    bool is_open;  /* "0.8.x": any release of 0.8 */
    bool is_dev;   /* so many commits behind the tag before it */
    uint32_t parts[KVC_VERSION_PARTS];
    unsigned parts_count;
    uint32_t
        before; /* 0: dev of no candidate; then a, b, rc and their numbers; UINT32_MAX: none of them */
    uint32_t post; /* 0: no post-release; else its number and 1 */
    uint32_t dev;  /* UINT32_MAX: no dev */
};

/* A leading v is passed over.  False for anything else than a version. */
bool kvc_version_read(struct kvc_span text, struct kvc_version *ret_version);

/* Below 0, 0, above 0.  Both are builds, or neither is. */
int kvc_version_compare(const struct kvc_version *a, const struct kvc_version *b);

/* Whether a version is one of those that an open one means. */
bool kvc_version_within(const struct kvc_version *version, const struct kvc_version *open);

#endif /* KVC_ENGINE_VERSION_H */
