/* vllm_ask.c - see vllm_ask.h. */

#include "vllm_ask.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fit/line.h"

struct vllm_asked vllm;

static char room[8 << 20];
static struct kvc_arena arena;

void vllm_ask(const char *version, const char *config_json, const char *settings,
              uint64_t available)
{
    static char text[16384], memory[80];
    struct kvc_fit_line line;
    kvcap_error err;
    memory[0] = '\0';
    if (available > 0)
        snprintf(memory, sizeof memory, ",\"memory\":{\"available_kv_bytes\":%llu}",
                 (unsigned long long)available);
    int length =
        snprintf(text, sizeof text,
                 "{\"engine\":\"vllm@%s\",\"model\":{\"config_json\":%s},\"settings\":{%s}%s}",
                 version, config_json, settings, memory);
    assert_in_range(length, 1, sizeof text - 1);
    static struct kvc_releases_seen seen;
    kvc_arena_over(&arena, room, sizeof room);
    vllm = (struct vllm_asked){ .fit = kvc_arena_take(&arena, sizeof *vllm.fit) };
    assert_non_null(vllm.fit);
    kvcap_code rc = kvc_fit_line_read(kvc_span_of(text), &arena, &seen, &line, &err);
    if (rc == KVCAP_OK)
        rc = kvc_fit_answer(&line.question, &arena, vllm.fit, &err);
    if (rc != KVCAP_OK) {
        snprintf(vllm.refusal, sizeof vllm.refusal, "%.40s at %.80s", err.slug, err.at);
        vllm.fit = NULL;
        return;
    }
    vllm.answer = &vllm.fit->answer;
}

static const struct kvc_answer *answered(void)
{
    if (vllm.answer == NULL)
        fail_msg("the question was refused: %s", vllm.refusal);
    if (vllm.answer->undetermined_count > 0)
        fail_msg("not said: %.*s", (int)vllm.answer->undetermined[0].reason.length,
                 vllm.answer->undetermined[0].reason.text);
    return vllm.answer;
}

void vllm_has_pool(uint64_t num_blocks, uint64_t bytes_per_block, uint64_t tokens,
                   const char *concurrency)
{
    const struct kvc_answer *a = answered();
    assert_true(a->num_blocks.said);
    assert_int_equal(a->num_blocks.value, num_blocks);
    assert_int_equal(a->block_bytes.value, bytes_per_block);
    assert_int_equal(a->tokens.value, tokens);
    assert_string_equal(a->max_concurrency.text, concurrency);
}

void vllm_has_group(uint32_t index, const char *kind, uint32_t layers, uint64_t block_tokens,
                    uint64_t page_bytes, uint64_t blocks_per_request)
{
    const struct kvc_answer *a = answered();
    assert_in_range(index + 1, 1, a->groups_count);
    assert_string_equal(a->groups[index].kind, kind);
    assert_int_equal(a->groups[index].layers, layers);
    assert_int_equal(a->groups[index].block_tokens, block_tokens);
    assert_int_equal(a->groups[index].page_bytes, page_bytes);
    assert_int_equal(a->groups[index].blocks_per_request.value, blocks_per_request);
}

void vllm_has_groups(uint32_t count)
{
    assert_int_equal(answered()->groups_count, count);
}

void vllm_cannot_say(const char *key)
{
    assert_non_null(vllm.answer);
    assert_int_equal(vllm.answer->decision, KVC_DECISION_UNDETERMINED);
    assert_true(vllm.answer->undetermined_count > 0);
    assert_true(kvc_span_is(vllm.answer->undetermined[0].key, key));
    assert_false(vllm.answer->num_blocks.said);
    assert_false(vllm.answer->tokens.said);
    assert_int_equal(vllm.answer->groups_count, 0);
}

void vllm_refuses(const char *part_of_words)
{
    const struct kvc_answer *a = answered();
    assert_int_equal(a->decision, KVC_DECISION_REFUSED);
    assert_non_null(a->refusal_text.text);
    assert_non_null(strstr(a->refusal_text.text, part_of_words));
    assert_false(a->num_blocks.said);
}

void vllm_rejects(const char *part_of_refusal)
{
    assert_null(vllm.answer);
    assert_non_null(strstr(vllm.refusal, part_of_refusal));
}
