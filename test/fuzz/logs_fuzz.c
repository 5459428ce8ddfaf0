/* Goal: whatever a row of a log says, it is compared or left undetermined: no number of it breaks the reader.
 *
 * The input is a row as the conformance suite `logs` reads it; what has not the members of one is passed
 * over, as the suite refuses it.  A row that compared nothing says what is missing, and one that differs says
 * what was expected. */

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "conformance/logs.h"
#include "json/scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char arena_buffer[4u << 20];

static struct kvc_span text_of(const struct kvc_value *row, const char *key)
{
    const struct kvc_value *value = kvc_value_member(row, key);
    return value == NULL || value->type != KVC_STRING ? (struct kvc_span){ NULL, 0 } : value->text;
}

static const struct kvc_value *object_of(const struct kvc_value *row, const char *key)
{
    const struct kvc_value *value = kvc_value_member(row, key);
    return value == NULL || value->type != KVC_OBJECT ? NULL : value;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct log_asker asker;
    static bool is_open;
    struct kvc_arena arena;
    struct kvc_value *tree;
    struct log_outcome outcome = { .compared = 0 };
    kvc_arena_over(&arena, arena_buffer, sizeof arena_buffer);
    if (kvc_scan(&arena, (struct kvc_span){ (const char *)data, size }, size, KVC_SCAN_FOREIGN,
                 &tree, NULL) != KVCAP_OK ||
        tree->type != KVC_OBJECT)
        return 0;
    struct log_row row = { .id = "row",
                           .version = text_of(tree, "engine_version"),
                           .model = text_of(tree, "model"),
                           .settings = object_of(tree, "settings"),
                           .inputs = object_of(tree, "inputs"),
                           .reported = object_of(tree, "reported") };
    if (row.version.text == NULL || row.model.text == NULL || row.settings == NULL ||
        row.inputs == NULL || row.reported == NULL)
        return 0;
    if (!is_open)
        log_asker_begin(&asker);
    is_open = true;
    struct kvc_span engine = text_of(tree, "engine");
    if (kvc_span_is(engine, "llama.cpp"))
        log_llamacpp_row(&asker, &row, &outcome);
    else if (kvc_span_is(engine, "ik_llama.cpp"))
        log_ik_row(&asker, &row, &outcome);
    else
        log_vllm_row(&asker, &row, &outcome);
    assert(!outcome.differs || outcome.expected[0] != '\0');
    assert(outcome.compared > 0 || outcome.differs || outcome.missing[0] != '\0');
    return 0;
}
