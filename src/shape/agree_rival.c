/* agree_rival.c - two descriptions of one model, each read by its own rules, layer by layer.  Declared
 * in agree.h. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "shape/agree.h"

/* The first thing in which two shapes differ. */
struct difference {
    char words[256];
    char ours[96], theirs[96]; /* the member of each kv-model whose source is the place */
};

/* ---- One state. */

static const struct {
    const char *field, *words;
    size_t offset;
} COUNTS[] = {
    { "kv_heads", "KV heads", offsetof(struct kvc_state, kv_heads) },
    { "key_dim", "elements a head", offsetof(struct kvc_state, key_dim) },
    { "value_dim", "elements a head of V", offsetof(struct kvc_state, value_dim) },
    { "latent_dim", "latent elements", offsetof(struct kvc_state, latent_dim) },
    { "rope_dim", "rotary elements", offsetof(struct kvc_state, rope_dim) },
    { "compress_ratio", "tokens a stored row", offsetof(struct kvc_state, compress_ratio) },
    { "index_dim", "index elements", offsetof(struct kvc_state, index_dim) },
};

static uint32_t count_at(const struct kvc_state *state, size_t offset)
{
    uint32_t count;
    memcpy(&count, (const char *)state + offset, sizeof count);
    return count;
}

/* Which of two names comes to which of two values. */
struct sides {
    const char *ours, *theirs; /* artefacts */
    uint32_t layer;            /* where they are compared */
    uint32_t ours_type, theirs_type;
};

static void state_words(const struct kvc_state *state, char *ret_words, size_t room)
{
    if (state->window_tokens > 0)
        snprintf(ret_words, room, "%s of %" PRIu64 " tokens", kvc_state_name(state->kind),
                 state->window_tokens);
    else
        snprintf(ret_words, room, "%s", kvc_state_name(state->kind));
}

static void differ_in_kind(const struct sides *sides, const struct kvc_state *a,
                           const struct kvc_state *b, struct difference *ret)
{
    char ours[48], theirs[48];
    state_words(a, ours, sizeof ours);
    state_words(b, theirs, sizeof theirs);
    snprintf(ret->words, sizeof ret->words, "layer %" PRIu32 " is %s by %.60s, %s by %.60s",
             sides->layer, ours, sides->ours, theirs, sides->theirs);
}

static void put_field(char ret_field[96], uint32_t type, uint32_t state, const char *field)
{
    snprintf(ret_field, 96, "/architecture/layer_types/%" PRIu32 "/states/%" PRIu32 "/%s", type,
             state, field);
}

static void put_layers(struct difference *ret)
{
    snprintf(ret->ours, sizeof ret->ours, "/architecture/layers");
    snprintf(ret->theirs, sizeof ret->theirs, "/architecture/layers");
}

static void state_differs(const struct sides *sides, uint32_t index, const struct kvc_state *a,
                          const struct kvc_state *b, struct difference *ret)
{
    const char *field = "window_tokens";
    bool is_told = false;
    if (a->kind != b->kind || a->window_tokens != b->window_tokens) {
        differ_in_kind(sides, a, b, ret);
        is_told = true;
    }
    for (size_t i = 0; i < sizeof COUNTS / sizeof COUNTS[0] && !is_told; i++) {
        uint32_t ours = count_at(a, COUNTS[i].offset), theirs = count_at(b, COUNTS[i].offset);
        if (ours == theirs)
            continue;
        snprintf(ret->words, sizeof ret->words,
                 "layer %" PRIu32 " has %" PRIu32 " %s by %.60s, %" PRIu32 " by %.60s",
                 sides->layer, ours, COUNTS[i].words, sides->ours, theirs, sides->theirs);
        field = COUNTS[i].field;
        is_told = true;
    }
    if (!is_told)
        snprintf(ret->words, sizeof ret->words,
                 "layer %" PRIu32 " keeps another %s state by %.60s than by %.60s", sides->layer,
                 kvc_state_name(a->kind), sides->ours, sides->theirs);
    put_field(ret->ours, sides->ours_type, index, field);
    put_field(ret->theirs, sides->theirs_type, index, field);
}

/* ---- All layers. */

static bool type_differs(const struct sides *sides, const struct kvc_layer_type *a,
                         const struct kvc_layer_type *b, struct difference *ret)
{
    for (uint32_t i = 0; i < a->states_count && i < b->states_count; i++) {
        if (kvc_state_equal(&a->states[i], &b->states[i]))
            continue;
        state_differs(sides, i, &a->states[i], &b->states[i], ret);
        return true;
    }
    if (a->states_count == b->states_count)
        return false;
    snprintf(ret->words, sizeof ret->words,
             "layer %" PRIu32 " keeps %" PRIu32 " states by %.60s, %" PRIu32 " by %.60s",
             sides->layer, a->states_count, sides->ours, b->states_count, sides->theirs);
    put_layers(ret);
    return true;
}

/* Draft layers are in no sum unless an engine loads them, and a params.json says none. */
static bool shape_differs(struct sides *sides, const struct kvc_shape *a, const struct kvc_shape *b,
                          struct difference *ret)
{
    if (a->layers_count != b->layers_count) {
        snprintf(ret->words, sizeof ret->words, "%.60s has %" PRIu32 " layers, %.60s has %" PRIu32,
                 sides->ours, a->layers_count, sides->theirs, b->layers_count);
        put_layers(ret);
        return true;
    }
    const struct kvc_run *ours = a->runs, *theirs = b->runs;
    uint32_t ours_end = ours->count, theirs_end = theirs->count;
    for (;;) {
        sides->ours_type = ours->type;
        sides->theirs_type = theirs->type;
        if (type_differs(sides, &a->types[ours->type], &b->types[theirs->type], ret))
            return true;
        sides->layer = ours_end < theirs_end ? ours_end : theirs_end;
        if (sides->layer == a->layers_count)
            return false;
        if (sides->layer == ours_end)
            ours_end += (++ours)->count;
        if (sides->layer == theirs_end)
            theirs_end += (++theirs)->count;
    }
}

/* ---- The answer. */

static const struct kvc_state *unknown_state(const struct kvc_shape *shape)
{
    for (uint32_t i = 0; i < shape->types_count; i++) {
        for (uint32_t j = 0; j < shape->types[i].states_count; j++) {
            if (shape->types[i].states[j].kind == KVC_STATE_UNKNOWN)
                return &shape->types[i].states[j];
        }
    }
    return NULL;
}

static const struct kvc_source *source_at(const struct kvc_found *found, const char *at)
{
    for (size_t i = 0; i < found->sources_count; i++) {
        if (kvc_span_is(found->sources[i].at, at))
            return &found->sources[i];
    }
    return NULL;
}

static void pass_over(const struct kvc_agree *a, const char *name, struct kvc_span reason)
{
    kvc_note_add(a->notes, "folder.unread", name,
                 "%s does not say what layers keep and is passed over: %.*s", name,
                 (int)(reason.length < 240 ? reason.length : 240), reason.text);
}

static kvcap_code tell(const struct kvc_agree *a, struct kvc_found *found, const char *rival,
                       struct kvc_span place, struct difference *difference)
{
    /* A file beside the other may be what an engine reads; one in a folder below is not. */
    bool is_beside = strchr(rival, '/') == NULL;
    char at[256];
    snprintf(at, sizeof at, "%.*s", (int)place.length, place.text);
    kvc_text_make_plain(at);
    kvc_text_make_plain(difference->words);
    kvc_note_add(a->notes, "folder.params", at, "%s; %s", difference->words,
                 is_beside ? "neither is believed, since some engines read the one and some the "
                             "other"
                           : "the first is believed, since loaders of this folder do not read the "
                             "other");
    if (!is_beside || unknown_state(&found->shape) != NULL)
        return KVCAP_OK;
    struct kvc_span key = kvc_arena_copy(a->arena, kvc_span_of(at));
    struct kvc_span reason = kvc_arena_copy(a->arena, kvc_span_of(difference->words));
    if (key.text == NULL || reason.text == NULL)
        return kvc_fail(a->err, KVC_MEMORY_FULL, "", "the shape of the model needs more memory");
    return kvc_found_doubt(found, key, reason, a->arena, a->err);
}

kvcap_code kvc_agree_with_rival(const struct kvc_agree *agree, const char *artefact,
                                const struct kvc_found *said, const struct kvc_facts *rival,
                                struct kvc_arena *scratch, struct kvc_found *found)
{
    struct kvc_found other;
    kvcap_error refusal;
    struct difference difference;
    if (unknown_state(&said->shape) != NULL)
        return KVCAP_OK;
    kvcap_code rc = kvc_found_of_facts(rival, scratch, &other, &refusal);
    if (rc == KVCAP_E_NOMEM) {
        if (agree->err != NULL)
            *agree->err = refusal;
        return rc;
    }
    if (rc != KVCAP_OK) {
        pass_over(agree, rival->artefact, kvc_span_of(refusal.text));
        return KVCAP_OK;
    }
    const struct kvc_state *unknown = unknown_state(&other.shape);
    if (unknown != NULL) {
        pass_over(agree, rival->artefact, unknown->reason);
        return KVCAP_OK;
    }
    struct sides sides = { .ours = artefact, .theirs = rival->artefact };
    if (!shape_differs(&sides, &said->shape, &other.shape, &difference))
        return KVCAP_OK;
    const struct kvc_source *source = source_at(said, difference.ours);
    if (source == NULL)
        source = source_at(&other, difference.theirs);
    return tell(agree, found, rival->artefact,
                source != NULL ? source->from : kvc_span_of(artefact), &difference);
}
