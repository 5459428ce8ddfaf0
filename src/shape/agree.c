/* agree.c - see agree.h for the room and its promises. */

#include "shape/agree.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/ck.h"
#include "shape/from_config.h"
#include "json/read.h"

static struct kvc_source *source_at(const struct kvc_found *found, const char *at)
{
    for (size_t i = 0; i < found->sources_count; i++) {
        if (kvc_span_is(found->sources[i].at, at))
            return &found->sources[i];
    }
    return NULL;
}

/* ---- Doubt. */

kvcap_code kvc_found_doubt(struct kvc_found *found, struct kvc_span key, struct kvc_span reason,
                           struct kvc_arena *arena, kvcap_error *err)
{
    struct kvc_finder finder;
    struct kvc_origin layers = { .value = found->shape.layers_count,
                                 .how = "default",
                                 .from = key };
    const struct kvc_source *counted = source_at(found, "/architecture/layers");
    if (counted != NULL) {
        layers.how = counted->how;
        layers.from = counted->from;
    }
    kvc_find_begin(&finder, arena, err);
    kvcap_code rc = KVCAP_OK;
    for (size_t i = 0; i < found->sources_count && rc == KVCAP_OK; i++) {
        const struct kvc_source *s = &found->sources[i];
        if (!kvc_span_starts(s->at, "/architecture/"))
            rc = kvc_find_source(&finder, s->at, s->how, s->from);
    }
    if (rc == KVCAP_OK)
        rc = kvc_find_all_unknown(&finder, &layers, key, reason, "/num_hidden_layers");
    if (rc != KVCAP_OK)
        return rc;
    found->shape = finder.found.shape;
    found->sources = finder.found.sources;
    found->sources_count = finder.found.sources_count;
    return KVCAP_OK;
}

/* ---- Descriptions in another format. */

static kvcap_code doubt_family(struct kvc_found *found, const struct kvc_facts *facts,
                               struct kvc_arena *arena, kvcap_error *err)
{
    char key[256], reason[256];
    struct kvc_span family = facts->other_family->text;
    bool is_name = kvc_is_name(family, 128);
    snprintf(key, sizeof key, "%.120s:/model_type", facts->artefact);
    snprintf(reason, sizeof reason, "a params.json of the family \"%.*s\" is not known",
             is_name ? (int)family.length : 0, is_name ? family.text : "");
    struct kvc_span kept[2] = { kvc_arena_copy(arena, kvc_span_of(key)),
                                kvc_arena_copy(arena, kvc_span_of(reason)) };
    if (kept[0].text == NULL || kept[1].text == NULL)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the shape of the model needs more memory");
    found->family = is_name ? family : kvc_span_of("unknown");
    return kvc_found_doubt(found, kept[0], kept[1], arena, err);
}

kvcap_code kvc_found_of_facts(const struct kvc_facts *facts, struct kvc_arena *arena,
                              struct kvc_found *ret_found, kvcap_error *err)
{
    struct kvc_found found;
    kvcap_code rc = kvc_shape_from_config(facts, arena, &found, err);
    struct kvc_source *dtype = rc == KVCAP_OK ? source_at(&found, "/dtype") : NULL;
    if (dtype != NULL && facts->no_dtype != NULL && strcmp(dtype->how, "default") == 0) {
        char from[256];
        snprintf(from, sizeof from, "%.120s (%s)", facts->artefact, facts->no_dtype);
        kvc_text_make_plain(from);
        dtype->from = kvc_arena_copy(arena, kvc_span_of(from));
        if (dtype->from.text == NULL)
            return kvc_fail(err, KVC_MEMORY_FULL, "", "the shape of the model needs more memory");
    }
    if (rc == KVCAP_OK && facts->other_family != NULL)
        rc = doubt_family(&found, facts, arena, err);
    if (rc == KVCAP_OK)
        *ret_found = found;
    return rc;
}

/* ---- Against the weights. */

/* A contradiction: told as a note, and the reason why the layers are unknown. */
static kvcap_code contradict(const struct kvc_agree *a, struct kvc_found *found, const char *code,
                             struct kvc_span key, const char *contradiction)
{
    char reason[256], at[256];
    snprintf(reason, sizeof reason, "%s", contradiction);
    kvc_text_make_plain(reason);
    snprintf(at, sizeof at, "%.*s", (int)key.length, key.text);
    kvc_note_add(a->notes, code, at,
                 "%s; neither is believed: an engine sizes the cache by the first and loads the "
                 "second",
                 reason);
    struct kvc_span kept = kvc_arena_copy(a->arena, kvc_span_of(reason));
    if (kept.text == NULL)
        return kvc_fail(a->err, KVC_MEMORY_FULL, "", "the shape of the model needs more memory");
    return kvc_found_doubt(found, key, kept, a->arena, a->err);
}

/* ---- Layers. */

static kvcap_code compare_layers(const struct kvc_agree *a, struct kvc_found *found,
                                 bool *ret_doubt)
{
    const struct kvc_weights *w = a->weights;
    const struct kvc_source *source = source_at(found, "/architecture/layers");
    uint64_t layers = found->shape.layers_count, drafts = 0;
    for (uint32_t i = 0; i < found->shape.draft_runs_count; i++)
        drafts += found->shape.draft_runs[i].count;
    if (!a->is_whole || source == NULL ||
        (w->layers_count >= layers && w->layers_count <= layers + drafts))
        return KVCAP_OK;
    char words[256];
    snprintf(words, sizeof words,
             "the description says %" PRIu64 " layers%s, the tensors are of %" PRIu32
             " (%s0 to %s%" PRIu32 ")",
             layers, drafts > 0 ? " and draft layers" : "", w->layers_count, w->stack, w->stack,
             w->layers_count - 1);
    *ret_doubt = true;
    return contradict(a, found, "folder.layers", source->from, words);
}

/* ---- Rows. */

/* What a projection must have: so many heads of so many elements, or latent and rotary elements. */
struct due {
    enum kvc_part part;
    uint64_t rows, first, second;
    const char *field; /* whose source is the place */
};

static bool differs(const struct kvc_agree *a, uint32_t layer, const struct due *due)
{
    uint64_t rows = a->weights->layers[layer].rows[due->part];
    return rows != 0 && rows != due->rows;
}

/* What a state's projections must have, at most two of them. */
static unsigned dues_of(const struct kvc_state *s, struct due ret_dues[2])
{
    if (s->kind == KVC_STATE_LATENT && s->compress_ratio <= 1) {
        ret_dues[0] = (struct due){ .part = KVC_PART_LATENT,
                                    .rows = (uint64_t)s->latent_dim + s->rope_dim,
                                    .first = s->latent_dim,
                                    .second = s->rope_dim,
                                    .field = "latent_dim" };
        return 1;
    }
    if (s->kind != KVC_STATE_KV && s->kind != KVC_STATE_KV_WINDOW)
        return 0;
    struct due heads = { .first = s->kv_heads, .field = "kv_heads" };
    ret_dues[0] = ret_dues[1] = heads;
    ret_dues[0].part = KVC_PART_KEY;
    ret_dues[0].second = s->key_dim;
    ret_dues[0].rows = (uint64_t)s->kv_heads * s->key_dim;
    ret_dues[1].part = KVC_PART_VALUE;
    ret_dues[1].second = s->value_dim;
    ret_dues[1].rows = (uint64_t)s->kv_heads * s->value_dim;
    return 2;
}

static kvcap_code refuse_rows(const struct kvc_agree *a, struct kvc_found *found, uint32_t layer,
                              uint32_t type, uint32_t state, const struct due *due)
{
    const struct kvc_layer_weights *w = &a->weights->layers[layer];
    char at[96], words[256];
    snprintf(at, sizeof at, "/architecture/layer_types/%u/states/%u/%s", (unsigned)type,
             (unsigned)state, due->field);
    const struct kvc_source *source = source_at(found, at);
    struct kvc_span key = source != NULL ? source->from : kvc_span_of("config.json");
    snprintf(words, sizeof words,
             "%" PRIu64 " %s %" PRIu64 " make %" PRIu64 " rows, %s%" PRIu32
             ".%s in %.60s has %" PRIu64,
             due->first, due->part == KVC_PART_LATENT ? "and" : "heads of", due->second, due->rows,
             a->weights->stack, layer, w->names[due->part], a->weights->files[w->files[due->part]],
             w->rows[due->part]);
    return contradict(a, found, "folder.kv_rows", key, words);
}

static kvcap_code compare_rows(const struct kvc_agree *a, struct kvc_found *found)
{
    uint32_t layer = 0;
    for (uint32_t r = 0; r < found->shape.runs_count; r++) {
        uint32_t type = found->shape.runs[r].type;
        uint32_t end = layer + found->shape.runs[r].count;
        for (; layer < end && layer < a->weights->layers_count; layer++) {
            for (uint32_t s = 0; s < found->shape.types[type].states_count; s++) {
                struct due dues[2];
                unsigned count = dues_of(&found->shape.types[type].states[s], dues);
                for (unsigned d = 0; d < count; d++) {
                    if (differs(a, layer, &dues[d]))
                        return refuse_rows(a, found, layer, type, s, &dues[d]);
                }
            }
        }
    }
    return KVCAP_OK;
}

/* ---- Element type. */

static bool float_type(const char *name, enum kvc_format *ret_format)
{
    static const struct {
        const char *name;
        enum kvc_format format;
    } TYPES[] = { { "F32", KVC_FORMAT_F32 },
                  { "F16", KVC_FORMAT_F16 },
                  { "BF16", KVC_FORMAT_BF16 } };
    for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++) {
        if (name != NULL && strcmp(name, TYPES[i].name) == 0) {
            *ret_format = TYPES[i].format;
            return true;
        }
    }
    return false;
}

static kvcap_code take_type(const struct kvc_agree *a, struct kvc_found *found,
                            struct kvc_source *source, enum kvc_format format)
{
    char from[256];
    snprintf(from, sizeof from, "%.150s:%s*", a->weights->files[0], a->weights->stack);
    kvc_text_make_plain(from);
    struct kvc_span kept = kvc_arena_copy(a->arena, kvc_span_of(from));
    if (kept.text == NULL)
        return kvc_fail(a->err, KVC_MEMORY_FULL, "", "the shape of the model needs more memory");
    found->dtype = format;
    source->how = "read";
    source->from = kept;
    kvc_note_add(a->notes, "folder.dtype_from_weights", from,
                 "the description says no element type, the attention's tensors are %s, which is "
                 "believed",
                 a->weights->attention_type);
    return KVCAP_OK;
}

static kvcap_code compare_types(const struct kvc_agree *a, struct kvc_found *found)
{
    struct kvc_source *source = source_at(found, "/dtype");
    enum kvc_format format;
    bool is_float = float_type(a->weights->attention_type, &format);
    if (source == NULL)
        return KVCAP_OK;
    char at[256];
    snprintf(at, sizeof at, "%.*s", (int)source->from.length, source->from.text);
    if (strcmp(source->how, "default") == 0 && is_float)
        return take_type(a, found, source, format);
    if (strcmp(source->how, "default") == 0)
        kvc_note_add(a->notes, "folder.dtype_not_said", at,
                     "neither the description nor the attention's tensors say the element type; %s "
                     "is taken: %s",
                     kvc_format_name(found->dtype), at);
    else if (is_float && format != found->dtype && !a->is_quantised)
        kvc_note_add(a->notes, "folder.dtype", at,
                     "the description says %s, the attention's tensors are %s; the first is "
                     "believed, since loaders convert to it",
                     kvc_format_name(found->dtype), a->weights->attention_type);
    return KVCAP_OK;
}

/* ---- Bytes. */

/* Exact or not at all: a record holds what any JSON reader has exactly.  The source comes last in the
 * order of places. */
static kvcap_code take_bytes(const struct kvc_weights *w, struct kvc_arena *arena,
                             struct kvc_found *found, kvcap_error *err)
{
    char from[200];
    if (w->data_bytes == 0 || w->data_bytes > KVC_SAFE_MAX)
        return KVCAP_OK;
    snprintf(from, sizeof from, w->files_count == 1 ? "%.120s" : "%.120s and %u more", w->files[0],
             (unsigned)w->files_count - 1);
    kvc_text_make_plain(from);
    struct kvc_span kept = kvc_arena_copy(arena, kvc_span_of(from));
    struct kvc_source *bigger = kvc_arena_array(arena, found->sources_count + 1, sizeof *bigger);
    if (kept.text == NULL || bigger == NULL)
        return kvc_fail(err, KVC_MEMORY_FULL, "", "the shape of the model needs more memory");
    if (found->sources_count > 0)
        memcpy(bigger, found->sources, found->sources_count * sizeof *bigger);
    bigger[found->sources_count] =
        (struct kvc_source){ .at = kvc_span_of("/weights_bytes"), .how = "read", .from = kept };
    found->sources = bigger;
    found->sources_count++;
    found->weights_bytes = w->data_bytes;
    return KVCAP_OK;
}

static bool is_unknown(const struct kvc_shape *shape)
{
    for (uint32_t i = 0; i < shape->types_count; i++) {
        for (uint32_t j = 0; j < shape->types[i].states_count; j++) {
            if (shape->types[i].states[j].kind == KVC_STATE_UNKNOWN)
                return true;
        }
    }
    return false;
}

kvcap_code kvc_agree_with_weights(const struct kvc_agree *agree, struct kvc_found *found)
{
    const struct kvc_weights *w = agree->weights;
    if (w->files_count == 0)
        return KVCAP_OK;
    bool doubt = false;
    kvcap_code rc = compare_types(agree, found);
    if (rc == KVCAP_OK && agree->is_whole)
        rc = take_bytes(w, agree->arena, found, agree->err);
    /* Of two stacks it is not known which is the decoder; of an unknown shape nothing is due. */
    if (rc != KVCAP_OK || w->stack == NULL || w->also_stack != NULL || is_unknown(&found->shape))
        return rc;
    rc = compare_layers(agree, found, &doubt);
    return rc != KVCAP_OK || doubt ? rc : compare_rows(agree, found);
}

/* ---- Tensors alone. */

kvcap_code kvc_found_of_weights(const struct kvc_weights *weights, bool is_whole,
                                struct kvc_arena *arena, struct kvc_found *ret_found,
                                kvcap_error *err)
{
    struct kvc_finder finder;
    kvc_find_begin(&finder, arena, err);
    char name[256];
    snprintf(name, sizeof name, "%s", weights->files[0]);
    kvc_text_make_plain(name);
    struct kvc_span key = kvc_find_text(&finder, "%s", name);
    bool counted = is_whole && weights->stack != NULL && weights->also_stack == NULL &&
                   weights->layers_count <= KVC_LAYERS_MAX;
    struct kvc_origin layers = { .value = counted ? weights->layers_count : 1,
                                 .how = counted ? "read" : "default",
                                 .from = key };
    finder.found.family = kvc_span_of("unknown");
    finder.found.dtype = KVC_FORMAT_F32;
    bool typed = float_type(weights->attention_type, &finder.found.dtype);
    kvcap_code rc =
        kvc_find_source(&finder, kvc_span_of("/dtype"), typed ? "read" : "default", key);
    if (rc == KVCAP_OK)
        rc = kvc_find_all_unknown(&finder, &layers, key,
                                  kvc_span_of("tensors do not say what each layer keeps: give the "
                                              "folder, with config.json"),
                                  "");
    if (rc == KVCAP_OK && is_whole)
        rc = take_bytes(weights, arena, &finder.found, err);
    if (rc == KVCAP_OK)
        *ret_found = finder.found;
    return rc;
}
