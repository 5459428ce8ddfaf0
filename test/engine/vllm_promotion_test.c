/* vllm_promotion_test.c - Goal: layers that forget are promoted, merged and refused as vLLM's
 * _promote_local_kv_cache_specs, FullAttentionSpec.merge and get_kv_cache_groups do it; a packed model is checked
 * by the tuples of each worker.
 * Method: specs of a few layers, grouped without a model; expected pages and blocks are worked out by hand. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/vllm_pool.h"

#define NOW 20260817
#define LAYERS_MAX 16

static char room[1 << 20];
static struct kvc_arena arena;
static struct kvc_vllm_run runs[LAYERS_MAX];
static struct kvc_vllm_worker workers[2];
static struct kvc_vllm_layers layers;
static struct kvc_vllm_grouping grouping;
static kvcap_error err;

/* Heads of 128 elements of two bytes: a page is 16 tokens * heads * 512 bytes. */
static struct kvc_vllm_spec heads(enum kvc_vllm_kind kind, uint64_t block_size, uint64_t count)
{
    return (struct kvc_vllm_spec){ .kind = kind,
                                   .block_size = block_size,
                                   .head_slots = count,
                                   .content_bytes = 512,
                                   .compress_ratio = 1,
                                   .alignment = 1,
                                   .heads = count,
                                   .key_dim = 128,
                                   .value_dim = 128 };
}

static struct kvc_vllm_spec sliding(uint64_t block_size, uint64_t count, uint64_t window)
{
    struct kvc_vllm_spec spec = heads(KVC_VLLM_SLIDING, block_size, count);
    spec.window = window;
    return spec;
}

static struct kvc_vllm_spec chunked(uint64_t count, uint64_t chunk)
{
    struct kvc_vllm_spec spec = heads(KVC_VLLM_CHUNKED, 16, count);
    spec.chunk = chunk;
    return spec;
}

static struct kvc_vllm_spec latent(enum kvc_vllm_kind kind, uint64_t block_size, uint64_t bytes,
                                   uint64_t window)
{
    return (struct kvc_vllm_spec){ .kind = kind,
                                   .block_size = block_size,
                                   .head_slots = 1,
                                   .content_bytes = bytes,
                                   .compress_ratio = 1,
                                   .alignment = 1,
                                   .window = window,
                                   .heads = 1,
                                   .key_dim = bytes };
}

/* One layer of each spec, on one worker. */
static void group(const struct kvc_vllm_spec *specs, uint32_t count, bool manager_off)
{
    struct kvc_vllm_grouping_rules rules = { NOW, manager_off };
    kvc_arena_over(&arena, room, sizeof room);
    for (uint32_t i = 0; i < count; i++)
        runs[i] = (struct kvc_vllm_run){ 1, i };
    workers[0] = (struct kvc_vllm_worker){ runs, count };
    layers = (struct kvc_vllm_layers){ specs, count, workers, 1 };
    assert_int_equal(kvc_vllm_group(&layers, &rules, &arena, &grouping, &err), KVCAP_OK);
}

static void promoted_layers_take_the_block_of_full_attention(void **state)
{
    (void)state;
    const struct kvc_vllm_spec specs[] = { heads(KVC_VLLM_FULL, 64, 2), sliding(16, 2, 512) };
    group(specs, 2, true);
    assert_int_equal(grouping.objection, KVC_VLLM_NO_OBJECTION);
    assert_int_equal(grouping.form, KVC_VLLM_ONE);
    assert_int_equal(grouping.groups_count, 1);
    assert_int_equal(grouping.groups[0].layers, 2);
    assert_int_equal(grouping.specs[1].block_size, 64);
    assert_int_equal(grouping.page_bytes, 65536);
}

/* Of two blocks of full attention none is taken, and then the layers are of no one type. */
static void two_blocks_of_full_attention_cannot_be_met(void **state)
{
    (void)state;
    const struct kvc_vllm_spec specs[] = { heads(KVC_VLLM_FULL, 64, 2), heads(KVC_VLLM_FULL, 32, 2),
                                           sliding(16, 2, 512) };
    group(specs, 3, true);
    assert_int_equal(grouping.objection, KVC_VLLM_NOT_ONE_TYPE);
}

static void layers_of_one_type_stay_as_they_are(void **state)
{
    (void)state;
    const struct kvc_vllm_spec specs[] = { sliding(16, 2, 512), sliding(16, 4, 512) };
    group(specs, 2, true);
    assert_int_equal(grouping.form, KVC_VLLM_UNIFORM);
    assert_int_equal(grouping.groups[0].spec.kind, KVC_VLLM_SLIDING);
    const struct kvc_vllm_spec two[] = { sliding(16, 2, 512), sliding(16, 2, 1024) };
    group(two, 2, true); /* nothing to promote them to */
    assert_int_equal(grouping.objection, KVC_VLLM_NOT_ONE_TYPE);
}

static void compressed_windows_become_latents(void **state)
{
    (void)state;
    const struct kvc_vllm_spec specs[] = { latent(KVC_VLLM_MLA, 64, 1152, 0),
                                           latent(KVC_VLLM_SLIDING_MLA, 16, 1152, 128) };
    group(specs, 2, true);
    assert_int_equal(grouping.form, KVC_VLLM_ONE);
    assert_int_equal(grouping.specs[1].kind, KVC_VLLM_MLA);
    assert_int_equal(grouping.specs[1].window, 0);
}

/* A padded page grows with its block where what it holds outgrows it: 64 tokens * 2 * 512 bytes. */
static void padded_pages_grow(void **state)
{
    (void)state;
    struct kvc_vllm_spec specs[] = { heads(KVC_VLLM_FULL, 64, 2), sliding(16, 2, 512) };
    specs[1].padded_bytes = 20000;
    group(specs, 2, true);
    assert_int_equal(kvc_vllm_page(&grouping.specs[1]).value, 65536);
    specs[1].padded_bytes = 70000;
    group(specs, 2, true);
    assert_int_equal(kvc_vllm_page(&grouping.specs[1]).value, 70000);
    assert_int_equal(grouping.form, KVC_VLLM_UNIFORM);
}

/* The windows are looked at before the heads are. */
static void two_windows_are_refused_whatever_the_heads(void **state)
{
    (void)state;
    const struct kvc_vllm_spec specs[] = { heads(KVC_VLLM_FULL, 16, 2), sliding(16, 2, 512),
                                           sliding(16, 4, 1024) };
    group(specs, 3, true);
    assert_int_equal(grouping.objection, KVC_VLLM_WINDOWS_DIFFER);
}

/* A window and a chunk do not merge, and are of one type all the same. */
static void windows_and_chunks_make_one_group_of_unlike_layers(void **state)
{
    (void)state;
    const struct kvc_vllm_spec specs[] = { heads(KVC_VLLM_FULL, 16, 2), sliding(16, 2, 512),
                                           chunked(2, 1024) };
    group(specs, 3, true);
    assert_int_equal(grouping.objection, KVC_VLLM_NO_OBJECTION);
    assert_int_equal(grouping.form, KVC_VLLM_UNIFORM);
    assert_int_equal(grouping.groups[0].bytes_of[0], 3 * 16384);
}

/* 16 * 3 * 512 = 24,576 does not divide 32,768: the page is padded where the backend can read it. */
static void pages_are_padded_where_the_backend_can(void **state)
{
    (void)state;
    struct kvc_vllm_spec specs[] = { heads(KVC_VLLM_FULL, 16, 3), sliding(16, 4, 512) };
    group(specs, 2, false);
    assert_int_equal(grouping.objection, KVC_VLLM_PAGES_DIFFER);
    assert_int_equal(grouping.objection_layer, 0);
    specs[0].may_be_padded = true;
    group(specs, 2, false);
    assert_int_equal(grouping.objection, KVC_VLLM_NO_OBJECTION);
    assert_int_equal(grouping.page_bytes, 32768);
    assert_int_equal(grouping.specs[0].block_size, 16);
    assert_int_equal(kvc_vllm_page(&grouping.specs[0]).value, 32768);
}

/* Beside latents of several blocks windows cannot be held whole, so that their pages differ stays. */
static void falling_back_wants_one_block(void **state)
{
    (void)state;
    const struct kvc_vllm_spec one[] = { latent(KVC_VLLM_MLA, 64, 1152, 0), sliding(16, 8, 512) };
    group(one, 2, false);
    assert_int_equal(grouping.objection, KVC_VLLM_NO_OBJECTION);
    assert_int_equal(grouping.form, KVC_VLLM_UNIFORM);
    assert_int_equal(grouping.groups[0].bytes_of[0], 64 * 1152 + 64 * 8 * 512);
    const struct kvc_vllm_spec two[] = { latent(KVC_VLLM_MLA, 64, 1152, 0),
                                         latent(KVC_VLLM_MLA, 32, 1000, 0), sliding(16, 8, 512) };
    group(two, 3, false);
    assert_int_equal(grouping.objection, KVC_VLLM_PAGES_DIFFER);
}

/* Three latents of 64,000 and three windows of 1,000 bytes, in stages of two and one of each: a stage is
 * checked by tuples of its own, 2 and 1, each of 64,000 bytes: a request of 64 tokens holds one block and
 * min(7 + 0, 64) / 1 + 1 = 8. */
static void tuples_are_those_of_the_worker(void **state)
{
    (void)state;
    const struct kvc_vllm_spec specs[] = { latent(KVC_VLLM_MLA, 64, 1000, 0),
                                           latent(KVC_VLLM_SLIDING_MLA, 1, 1000, 8) };
    struct kvc_vllm_grouping_rules rules = { NOW, false };
    struct kvc_vllm_pool pool;
    uint64_t available[] = { 2 * 64000 * 9, 64000 * 9 - 1 };
    kvc_arena_over(&arena, room, sizeof room);
    runs[0] = (struct kvc_vllm_run){ 2, 0 };
    runs[1] = (struct kvc_vllm_run){ 2, 1 };
    runs[2] = (struct kvc_vllm_run){ 1, 0 };
    runs[3] = (struct kvc_vllm_run){ 1, 1 };
    workers[0] = (struct kvc_vllm_worker){ runs, 2 };
    workers[1] = (struct kvc_vllm_worker){ runs + 2, 2 };
    layers = (struct kvc_vllm_layers){ specs, 2, workers, 2 };
    assert_int_equal(kvc_vllm_group(&layers, &rules, &arena, &grouping, &err), KVCAP_OK);
    assert_int_equal(grouping.form, KVC_VLLM_PACKED);
    struct kvc_vllm_pool_question question = { .grouping = &grouping,
                                               .layers = &layers,
                                               .day = NOW,
                                               .request = { .tokens = 64, .dcp = 1 },
                                               .available_bytes = available };
    assert_int_equal(kvc_vllm_pool(&question, &arena, &pool, &err), KVCAP_OK);
    assert_int_equal(pool.start, KVC_VLLM_TOO_LONG);
    assert_int_equal(pool.deciding_worker, 1);
    assert_int_equal(pool.needed_bytes, 64000 * 9);
    available[1]++;
    assert_int_equal(kvc_vllm_pool(&question, &arena, &pool, &err), KVCAP_OK);
    assert_int_equal(pool.start, KVC_VLLM_STARTS);
}

/* Until 2025-12-23 layers were checked before they were grouped: want of memory came first. */
static void want_of_memory_came_before_groups(void **state)
{
    (void)state;
    const struct kvc_vllm_spec specs[] = { heads(KVC_VLLM_FULL, 16, 3), sliding(16, 4, 512) };
    struct kvc_vllm_pool pool;
    uint64_t available = 100;
    group(specs, 2, false);
    assert_int_equal(grouping.objection, KVC_VLLM_PAGES_DIFFER);
    struct kvc_vllm_pool_question question = { .grouping = &grouping,
                                               .layers = &layers,
                                               .day = 20251222,
                                               .request = { .tokens = 64, .dcp = 1 },
                                               .available_bytes = &available };
    assert_int_equal(kvc_vllm_pool(&question, &arena, &pool, &err), KVCAP_OK);
    assert_int_equal(pool.start, KVC_VLLM_TOO_LONG);
    assert_int_equal(pool.needed_bytes,
                     4 * 24576 + 5 * 32768); /* 64 of 16; min(511, 64) / 16 + 1 */
    question.day = 20251223;
    assert_int_equal(kvc_vllm_pool(&question, &arena, &pool, &err), KVCAP_OK);
    assert_int_equal(pool.start, KVC_VLLM_STARTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(promoted_layers_take_the_block_of_full_attention),
        cmocka_unit_test(two_blocks_of_full_attention_cannot_be_met),
        cmocka_unit_test(layers_of_one_type_stay_as_they_are),
        cmocka_unit_test(compressed_windows_become_latents),
        cmocka_unit_test(padded_pages_grow),
        cmocka_unit_test(two_windows_are_refused_whatever_the_heads),
        cmocka_unit_test(windows_and_chunks_make_one_group_of_unlike_layers),
        cmocka_unit_test(pages_are_padded_where_the_backend_can),
        cmocka_unit_test(falling_back_wants_one_block),
        cmocka_unit_test(tuples_are_those_of_the_worker),
        cmocka_unit_test(want_of_memory_came_before_groups),
    };
    return cmocka_run_group_tests_name("engine/vllm_promotion", tests, NULL, NULL);
}
