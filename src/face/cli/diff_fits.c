/* diff_fits.c - what moved the numbers between two fits: the way from one to the other, a change at a time.
 * Declared in verbs.h. */

#include <inttypes.h>
#include <string.h>

#include "base/unit.h"
#include "face/cli/verbs.h"
#include "fit/moved.h"
#include "fit/recorded.h"

static void put_number(const char *what, struct kvc_maybe was, struct kvc_maybe is)
{
    char before[KVC_UNIT_ROOM] = "none", after[KVC_UNIT_ROOM] = "none";
    if (was.said == is.said && was.value == is.value)
        return;
    if (was.said)
        kvc_unit_thousands(was.value, before);
    if (is.said)
        kvc_unit_thousands(is.value, after);
    printf("    %s  %s -> %s\n", what, before, after);
}

static void print_move(const struct kvc_move *move)
{
    printf("%s %s", move->kind, move->name);
    if (move->sentence != NULL)
        printf(" (%s%04" PRIu32 "-%02" PRIu32 "-%02" PRIu32 ", %s): %s",
               move->backwards ? "not yet: " : "", move->day / 10000, move->day / 100 % 100,
               move->day % 100, move->source, move->sentence);
    if (strcmp(move->kind, "setting") == 0)
        printf("  %.*s -> %.*s", move->was.text == NULL ? 9 : (int)move->was.length,
               move->was.text == NULL ? "not given" : move->was.text,
               move->is.text == NULL ? 9 : (int)move->is.length,
               move->is.text == NULL ? "not given" : move->is.text);
    printf("\n");
    const struct kvc_answer *a = move->before, *b = move->after;
    put_number("blocks", a->num_blocks, b->num_blocks);
    put_number("bytes of a block", a->block_bytes, b->block_bytes);
    put_number("tokens", a->tokens, b->tokens);
    put_number("bytes a sequence", a->reserved_sequence_bytes, b->reserved_sequence_bytes);
    put_number("bytes in all", a->reserved_total_bytes, b->reserved_total_bytes);
    put_number("longest sequence", a->max_model_len, b->max_model_len);
    if (a->decision != b->decision)
        printf("    decision  %s -> %s\n", kvc_decision_name(a->decision),
               kvc_decision_name(b->decision));
}

static void print_moves(const struct kvc_moves *moves)
{
    if (moves->count == 0)
        printf("nothing moved a number: the answers differ in words alone\n");
    for (size_t i = 0; i < moves->count; i++) {
        printf("moved by ");
        print_move(&moves->list[i]);
    }
    if (moves->cut)
        printf("warning: more than %d changes moved it; the later ones are not listed\n",
               KVC_MOVES_MAX);
}

/* The record by its id; else what --model names, if it has that id. */
static kvcap_code find_model(struct kvc_library *library, const struct kvc_entry *fit,
                             struct kvc_engine_model *ret_model, bool *ret_found, kvcap_error *err)
{
    struct kvc_entry *model;
    const char *word = kvc_value_of(library->call, "model");
    struct kvc_span id = kvc_value_member(fit->handle->record.tree, "model")->text;
    bool made;
    kvcap_code rc = kvc_library_find(library, id, fit->path, &model, err);
    if (rc == KVCAP_E_MISSING && word != NULL) {
        rc = kvc_model_of(library, word, NULL, NULL, &model, &made, err);
        if (rc == KVCAP_OK && !kvc_span_is(id, model->id))
            rc = KVCAP_E_MISSING;
    }
    *ret_found = rc == KVCAP_OK;
    if (rc == KVCAP_OK)
        kvc_fit_model_of_handle(model->handle, ret_model);
    return rc == KVCAP_E_MISSING ? KVCAP_OK : rc;
}

kvcap_code kvc_diff_fits(struct kvc_library *library, const struct kvc_entry *a,
                         const struct kvc_entry *b, kvcap_error *err)
{
    struct kvc_fit_question from, to;
    struct kvc_engine_model model_a, model_b;
    bool found_a = false, found_b = false;
    struct kvc_moves *moves = kvc_arena_array(&library->arena, 1, sizeof *moves);
    kvcap_code rc = moves == NULL
                        ? kvc_fail(err, KVC_MEMORY_FULL, "", "telling what moved needs more memory")
                        : find_model(library, a, &model_a, &found_a, err);
    if (rc == KVCAP_OK && found_a)
        rc = find_model(library, b, &model_b, &found_b, err);
    if (rc != KVCAP_OK)
        return rc;
    if (!found_a || !found_b) {
        printf("warning: the models are not at hand (--model), so what moved the numbers is not "
               "told\n");
        return KVCAP_OK;
    }
    rc = kvc_fit_question_of(a->handle->record.tree, &model_a, &library->arena, &from, err);
    if (rc == KVCAP_OK)
        rc = kvc_fit_question_of(b->handle->record.tree, &model_b, &library->arena, &to, err);
    if (rc == KVCAP_OK && from.release.engine != to.release.engine) {
        printf("they are of two engines: no change of rule leads from one to the other\n");
        return KVCAP_OK;
    }
    if (rc == KVCAP_OK)
        rc = kvc_fit_moves(&from, &to, &library->arena, moves, err);
    if (rc == KVCAP_OK)
        print_moves(moves);
    return rc;
}
