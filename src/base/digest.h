/* digest.h - SHA-256, for content ids.
 *
 * Room:   base/ - excused from the core: it calls libcrypto.
 * In:     bytes, in any number of pieces.
 * Out:    32 bytes, or their 64 lower-case hex digits.
 * Knows:  nothing.
 *
 * A running digest lives in memory of its own and takes no other, so that a message cannot fail for
 * want of it.
 */
#ifndef KVC_BASE_DIGEST_H
#define KVC_BASE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KVC_SHA256_BYTES 32
#define KVC_SHA256_HEX (2 * KVC_SHA256_BYTES)

struct kvc_sha256; /* a running digest */

/* NULL when there is no memory.  Ends with kvc_sha256_free. */
struct kvc_sha256 *kvc_sha256_new(void);
void kvc_sha256_free(struct kvc_sha256 *sha); /* NULL is fine */

/* Begins a message (again).  False when libcrypto refuses. */
bool kvc_sha256_begin(struct kvc_sha256 *sha);
void kvc_sha256_feed(struct kvc_sha256 *sha, const void *bytes, size_t length);
/* False when any step since begin failed; the digest is then not written. */
bool kvc_sha256_end(struct kvc_sha256 *sha, uint8_t ret_digest[KVC_SHA256_BYTES]);

/* Lower-case hex digits and a NUL. */
void kvc_sha256_hex(const uint8_t digest[KVC_SHA256_BYTES], char ret_hex[KVC_SHA256_HEX + 1]);

#endif /* KVC_BASE_DIGEST_H */
