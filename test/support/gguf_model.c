/* gguf_model.c - see gguf_model.h for its promises. */

#include "support/gguf_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "shape/from_gguf.h"
#include "support/fixture.h"
#include "json/scan.h"

static char arena_room[1 << 22];

struct kvc_facts gguf_model_facts(const char *arch, const char *members, struct kvc_arena *arena)
{
    struct kvc_build build = { .arena = arena };
    struct kvc_value *tree;
    kvcap_error err;
    char text[4096], key[256];
    int length = snprintf(text, sizeof text, "{%s}", members);
    assert_true(length > 0 && length < (int)sizeof text);
    struct kvc_span copy = kvc_arena_copy(arena, kvc_span_of(text));
    must(kvc_scan(arena, copy, sizeof text, KVC_SCAN_FOREIGN, &tree, &err), &err);
    for (struct kvc_value *member = tree->first; member != NULL; member = member->next) {
        snprintf(key, sizeof key, "%s.%.*s", arch, (int)member->key.length, member->key.text);
        member->key = kvc_arena_copy(arena, kvc_span_of(key));
    }
    kvc_build_text(&build, tree, "general.architecture", kvc_span_of(arch));
    kvc_value_sort(tree);
    return (struct kvc_facts){ .artefact = "gguf", .tree = tree };
}

kvcap_code gguf_model_find(const char *arch, const char *members, struct kvc_found *ret_found,
                           kvcap_error *err)
{
    struct kvc_arena arena;
    kvc_arena_over(&arena, arena_room, sizeof arena_room);
    struct kvc_facts facts = gguf_model_facts(arch, members, &arena);
    return kvc_shape_from_gguf(&facts, 0, &arena, ret_found, err);
}
