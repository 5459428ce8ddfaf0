/* digest.c - see digest.h for the room and its promises. */

/* libcrypto 3 deprecates the functions that name their algorithm, and keeps them.  Its new way, EVP,
 * builds a table of every algorithm in the library first, which costs a program that hashes one
 * small record more than all its other work. */
#define OPENSSL_SUPPRESS_DEPRECATED

#include "base/digest.h"

#include <stdlib.h>

#include <openssl/sha.h>

struct kvc_sha256 {
    SHA256_CTX context;
    bool begun;  /* a message was, and it has not ended */
    bool failed; /* some step since failed */
};

struct kvc_sha256 *kvc_sha256_new(void)
{
    return calloc(1, sizeof(struct kvc_sha256));
}

void kvc_sha256_free(struct kvc_sha256 *sha)
{
    free(sha);
}

bool kvc_sha256_begin(struct kvc_sha256 *sha)
{
    sha->begun = true;
    sha->failed = SHA256_Init(&sha->context) != 1;
    return !sha->failed;
}

void kvc_sha256_feed(struct kvc_sha256 *sha, const void *bytes, size_t length)
{
    if (!sha->begun || (length > 0 && SHA256_Update(&sha->context, bytes, length) != 1))
        sha->failed = true;
}

bool kvc_sha256_end(struct kvc_sha256 *sha, uint8_t ret_digest[KVC_SHA256_BYTES])
{
    bool whole = sha->begun && !sha->failed && SHA256_Final(ret_digest, &sha->context) == 1;
    sha->begun = false;
    return whole;
}

void kvc_sha256_hex(const uint8_t digest[KVC_SHA256_BYTES], char ret_hex[KVC_SHA256_HEX + 1])
{
    static const char DIGITS[] = "0123456789abcdef";
    for (size_t i = 0; i < KVC_SHA256_BYTES; i++) {
        ret_hex[2 * i] = DIGITS[digest[i] >> 4];
        ret_hex[2 * i + 1] = DIGITS[digest[i] & 15];
    }
    ret_hex[KVC_SHA256_HEX] = '\0';
}
