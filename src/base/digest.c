/* digest.c - see digest.h for the room and its promises. */

#include "base/digest.h"

#include <stdlib.h>

#include <openssl/evp.h>

struct kvc_sha256 {
    EVP_MD_CTX *context;
    EVP_MD *algorithm;
    bool failed; /* sticky since begin */
};

struct kvc_sha256 *kvc_sha256_new(void)
{
    struct kvc_sha256 *sha = calloc(1, sizeof *sha);
    if (sha == NULL)
        return NULL;
    sha->algorithm = EVP_MD_fetch(NULL, "SHA256", NULL);
    sha->context = EVP_MD_CTX_new();
    if (sha->algorithm == NULL || sha->context == NULL) {
        kvc_sha256_free(sha);
        return NULL;
    }
    return sha;
}

void kvc_sha256_free(struct kvc_sha256 *sha)
{
    if (sha == NULL)
        return;
    EVP_MD_CTX_free(sha->context);
    EVP_MD_free(sha->algorithm);
    free(sha);
}

bool kvc_sha256_begin(struct kvc_sha256 *sha)
{
    sha->failed = EVP_DigestInit_ex2(sha->context, sha->algorithm, NULL) != 1;
    return !sha->failed;
}

void kvc_sha256_feed(struct kvc_sha256 *sha, const void *bytes, size_t length)
{
    /* A context that could not begin must not be touched. */
    if (!sha->failed && length > 0 && EVP_DigestUpdate(sha->context, bytes, length) != 1)
        sha->failed = true;
}

bool kvc_sha256_end(struct kvc_sha256 *sha, uint8_t ret_digest[KVC_SHA256_BYTES])
{
    if (sha->failed || EVP_DigestFinal_ex(sha->context, ret_digest, NULL) != 1)
        return false;
    return true;
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
