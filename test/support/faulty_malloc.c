/* faulty_malloc.c - see faulty_malloc.h. */

#include "support/faulty_malloc.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include <openssl/crypto.h>

/* What --wrap makes of malloc and its sisters. */
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *block, size_t bytes);
void __real_free(void *block);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *block, size_t bytes);
void __wrap_free(void *block);

#define EXPORTED __attribute__((visibility("default")))
EXPORTED void *yaml_malloc(size_t bytes);
EXPORTED void *yaml_realloc(void *block, size_t bytes);
EXPORTED void yaml_free(void *block);
EXPORTED unsigned char *yaml_strdup(const unsigned char *text);

static bool active;
static uint64_t refuse_at;
static struct faulty_tally tally;
static int64_t crypto_blocks;

/* Blocks asked since begin: frees of older ones are nobody's business. */
enum { OUT_MAX = 1 << 16 };
static struct {
    void *block;
    enum faulty_owner owner;
} out[OUT_MAX];
static size_t out_count;

static bool is_refused(enum faulty_owner owner)
{
    if (!active || ++tally.asked != refuse_at)
        return false;
    tally.refused = owner;
    return true;
}

static void *noted(void *block, enum faulty_owner owner)
{
    if (active && block != NULL) {
        assert(out_count < OUT_MAX);
        out[out_count].block = block;
        out[out_count++].owner = owner;
    }
    return block;
}

static void forget(void *block)
{
    for (size_t i = out_count; active && block != NULL && i-- > 0;) {
        if (out[i].block != block)
            continue;
        out[i] = out[--out_count];
        return;
    }
}

static void *get(size_t bytes, enum faulty_owner owner)
{
    return is_refused(owner) ? NULL : noted(__real_malloc(bytes), owner);
}

static void *get_again(void *block, size_t bytes, enum faulty_owner owner)
{
    if (is_refused(owner))
        return NULL;
    forget(block);
    return noted(__real_realloc(block, bytes), owner);
}

static void put(void *block)
{
    forget(block);
    __real_free(block);
}

void *__wrap_malloc(size_t bytes)
{
    return get(bytes, FAULTY_OURS);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return is_refused(FAULTY_OURS) ? NULL : noted(__real_calloc(count, bytes), FAULTY_OURS);
}

void *__wrap_realloc(void *block, size_t bytes)
{
    return get_again(block, bytes, FAULTY_OURS);
}

void __wrap_free(void *block)
{
    put(block);
}

/* ---- libyaml: its own four, which it calls through the dynamic linker. */

void *yaml_malloc(size_t bytes)
{
    return get(bytes > 0 ? bytes : 1, FAULTY_YAML);
}

void *yaml_realloc(void *block, size_t bytes)
{
    return get_again(block, bytes > 0 ? bytes : 1, FAULTY_YAML);
}

void yaml_free(void *block)
{
    put(block);
}

unsigned char *yaml_strdup(const unsigned char *text)
{
    if (text == NULL)
        return NULL;
    size_t bytes = strlen((const char *)text) + 1;
    void *copy = get(bytes, FAULTY_YAML);
    return copy == NULL ? NULL : memcpy(copy, text, bytes);
}

/* ---- libcrypto. */

static void *crypto_get(size_t bytes, const char *file, int line)
{
    (void)file;
    (void)line;
    void *block = is_refused(FAULTY_CRYPTO) ? NULL : __real_malloc(bytes);
    crypto_blocks += block != NULL;
    return block;
}

static void crypto_put(void *block, const char *file, int line)
{
    (void)file;
    (void)line;
    crypto_blocks -= block != NULL;
    __real_free(block);
}

static void *crypto_get_again(void *block, size_t bytes, const char *file, int line)
{
    if (block == NULL)
        return crypto_get(bytes, file, line);
    if (bytes == 0) {
        crypto_put(block, file, line);
        return NULL;
    }
    return is_refused(FAULTY_CRYPTO) ? NULL : __real_realloc(block, bytes);
}

void faulty_malloc_install(void)
{
    int done = CRYPTO_set_mem_functions(crypto_get, crypto_get_again, crypto_put);
    assert(done == 1);
    (void)done;
}

int64_t faulty_malloc_crypto_blocks(void)
{
    return crypto_blocks;
}

/* ---- A stretch of time. */

void faulty_malloc_begin(uint64_t at)
{
    tally = (struct faulty_tally){ 0 };
    out_count = 0;
    refuse_at = at;
    active = true;
}

struct faulty_tally faulty_malloc_end(void)
{
    active = false;
    for (size_t i = 0; i < out_count; i++) {
        tally.ours += out[i].owner == FAULTY_OURS;
        tally.yaml += out[i].owner == FAULTY_YAML;
    }
    return tally;
}
