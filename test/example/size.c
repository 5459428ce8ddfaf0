/* size.c - how much memory does a cache take, and how many sequences fit?
 *
 *   cc -std=c99 size.c -lkvcap
 *
 * Plain arithmetic: no handle, nothing to free. */

#include <inttypes.h>
#include <stdio.h>

#include <kvcap.h>

static int tell(const kvcap_error *error)
{
    fprintf(stderr, "%s: %s (%s)\n", error->slug, error->text, kvcap_advice(error));
    return 1;
}

int main(void)
{
    kvcap_error error;

    /* 32 layers with 8 key-value heads of 128 elements, in 16 bits. */
    kvcap_cache_shape shape = { 0 };
    shape.struct_size = sizeof shape;
    shape.layers = 32;
    shape.kv_heads = 8;
    shape.key_dim = 128;
    shape.value_dim = 128;
    shape.key_bytes = 2;
    shape.value_bytes = 2;
    shape.block_tokens = 16;
    shape.tokens = 8000; /* of one sequence: the prompt and all that may be written */
    shape.sequences = 24;

    kvcap_cache_size size = { 0 };
    size.struct_size = sizeof size;
    if (kvcap_cache_bytes(&shape, &size, &error) != KVCAP_OK)
        return tell(&error);

    /* An accelerator of 40 GiB that is left for the cache. */
    const uint64_t pool_bytes = UINT64_C(40) << 30;
    uint64_t sequences;
    if (kvcap_sequences_max(pool_bytes, size.bytes_per_token, shape.block_tokens, shape.tokens,
                            &sequences, &error) != KVCAP_OK)
        return tell(&error);

    char total[16], pool[16];
    if (kvcap_gib_text(size.bytes_total, total, sizeof total, &error) != KVCAP_OK ||
        kvcap_gib_text(pool_bytes, pool, sizeof pool, &error) != KVCAP_OK)
        return tell(&error);
    printf("a token takes %" PRIu64 " bytes\n", size.bytes_per_token);
    printf("%" PRIu64 " sequences of %" PRIu64 " tokens take %s GiB\n", shape.sequences,
           shape.tokens, total);
    printf("%s GiB hold %" PRIu64 " of them\n", pool, sequences);
    return 0;
}
