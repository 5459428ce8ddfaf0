/* llamacpp_lines.c - see llamacpp_lines.h for the room and its promises. */

#include "engine/llamacpp_lines.h"

#include <string.h>

#include "engine/llamacpp_changes.h"
#include "engine/llamacpp_line.h"

/* ---- What is printed. */

struct printing {
    const struct kvc_llamacpp_params *params;
    const struct kvc_llamacpp_model *model;
    const struct kvc_llamacpp_context *context;
    const struct kvc_llamacpp_weights *weights;
    const struct kvc_llamacpp_places *places;
    uint32_t day;
    struct kvc_answer *answer;
};

static bool since(const struct printing *printing, enum kvc_llamacpp_change change)
{
    return kvc_llamacpp_since(printing->day, change);
}

static void end(const struct printing *printing, const struct kvc_llamacpp_line *line)
{
    kvc_answer_line_of(printing->answer,
                       (struct kvc_span){ .text = line->text, .length = line->length });
}

/* ---- The geometry. */

static void begin_member(const struct printing *printing, const char *name,
                         struct kvc_llamacpp_line *line)
{
    line->length = 0;
    kvc_llamacpp_put_text(line, "llama_context: ");
    kvc_llamacpp_put_padded(line, name, since(printing, KVC_LLAMACPP_PLE) ? 21 : 13);
    kvc_llamacpp_put_text(line, " = ");
}

static void print_member(const struct printing *printing, const char *name, uint64_t value)
{
    struct kvc_llamacpp_line line;
    begin_member(printing, name, &line);
    kvc_llamacpp_put_count(&line, value, 0);
    end(printing, &line);
}

static void print_word(const struct printing *printing, const char *name, const char *word)
{
    struct kvc_llamacpp_line line;
    begin_member(printing, name, &line);
    kvc_llamacpp_put_text(&line, word);
    end(printing, &line);
}

static void print_training(const struct printing *printing)
{
    uint64_t sequence = printing->context->n_ctx_seq_printed,
             train = printing->model->context_tokens;
    struct kvc_llamacpp_line line;
    line.length = 0;
    const char *name = since(printing, KVC_LLAMACPP_PAD_NONE) ? "llama_context: n_ctx_seq ("
                                                              : "llama_context: n_ctx_per_seq (";
    if (sequence == train)
        return;
    kvc_llamacpp_put_text(&line, name);
    kvc_llamacpp_put_count(&line, sequence, 0);
    kvc_llamacpp_put_text(&line, sequence < train ? ") < n_ctx_train (" : ") > n_ctx_train (");
    kvc_llamacpp_put_count(&line, train, 0);
    kvc_llamacpp_put_text(&line, sequence < train
                                     ? ") -- the full capacity of the model will not be utilized"
                                     : ") -- possible training context overflow");
    end(printing, &line);
}

/* A warning that some of what was asked for is not there: it is told with the capacity. */
static void print_rounding(const struct printing *printing)
{
    struct kvc_llamacpp_line line;
    line.length = 0;
    if (!printing->context->is_rounded || !since(printing, KVC_LLAMACPP_PAD_NONE))
        return;
    kvc_llamacpp_put_text(&line,
                          "llama_context: n_ctx is not divisible by n_seq_max - rounding down to ");
    kvc_llamacpp_put_count(&line, printing->context->n_ctx, 0);
    end(printing, &line);
}

static void print_geometry(const struct printing *printing)
{
    static const char *const FLASH[] = { "disabled", "enabled", "auto" };
    const struct kvc_llamacpp_context *context = printing->context;
    print_member(printing, "n_seq_max", context->n_seq_max);
    print_member(printing, "n_ctx", context->n_ctx_printed);
    print_member(printing, since(printing, KVC_LLAMACPP_PAD_NONE) ? "n_ctx_seq" : "n_ctx_per_seq",
                 context->n_ctx_seq_printed);
    print_member(printing, "n_batch", context->n_batch);
    print_member(printing, "n_ubatch", context->n_ubatch);
    if (since(printing, KVC_LLAMACPP_FLASH_AUTO_DEFAULT))
        print_word(printing, "flash_attn", FLASH[context->flash]);
    else
        print_member(printing, "flash_attn", context->flash == KVC_LLAMACPP_FLASH_ON);
    if (since(printing, KVC_LLAMACPP_STREAMS))
        print_word(printing, "kv_unified", context->kv_unified ? "true" : "false");
    if (since(printing, KVC_LLAMACPP_ROLLBACK))
        print_member(printing, "n_rs_seq", context->n_rs_seq);
    print_training(printing);
}

/* ---- What announces a cache. */

static const char *iswa_name(const struct printing *printing)
{
    return since(printing, KVC_LLAMACPP_NAMED_KV_CACHE) ? "llama_kv_cache_iswa: "
                                                        : "llama_kv_cache_unified_iswa: ";
}

static void announce_cells(const struct printing *printing, const char *function, const char *what,
                           uint64_t cells)
{
    struct kvc_llamacpp_line line;
    line.length = 0;
    kvc_llamacpp_put_text(&line, function);
    kvc_llamacpp_put_text(&line, "creating ");
    kvc_llamacpp_put_text(&line, what);
    kvc_llamacpp_put_text(&line, ", size = ");
    kvc_llamacpp_put_count(&line, cells, 0);
    kvc_llamacpp_put_text(&line, " cells");
    end(printing, &line);
}

static void announce_dsv4(const struct printing *printing, const struct kvc_llamacpp_cache *cache)
{
    static const char *const WHAT[] = { [KVC_LLAMACPP_DSV4_CSA] = "DSV4 CSA compressed KV cache",
                                        [KVC_LLAMACPP_DSV4_HCA] = "DSV4 HCA compressed KV cache",
                                        [KVC_LLAMACPP_DSV4_INDEX] =
                                            "DSV4 lightning-indexer KV cache" };
    uint64_t all = printing->context->n_ctx_seq; /* the line tells them before they are rounded */
    announce_cells(printing, "llama_kv_cache_dsv4: ", WHAT[cache->announced],
                   all == 0 ? 1 : (all + cache->ratio - 1) / cache->ratio);
}

static void announce(const struct printing *printing, const struct kvc_llamacpp_weight *weight)
{
    const struct kvc_llamacpp_cache *cache = weight->cache;
    switch (cache->announced) {
    case KVC_LLAMACPP_SILENT:
        return;
    case KVC_LLAMACPP_DSV4_RAW:
        kvc_answer_line(printing->answer, "llama_kv_cache_dsv4: creating DSV4 raw KV cache");
        announce_cells(printing, iswa_name(printing), "non-SWA KV cache", weight->cells);
        return;
    case KVC_LLAMACPP_ISWA_BASE:
        announce_cells(printing, iswa_name(printing), "non-SWA KV cache", weight->cells);
        return;
    case KVC_LLAMACPP_ISWA_WINDOW:
        announce_cells(printing, iswa_name(printing), "    SWA KV cache", weight->cells);
        return;
    case KVC_LLAMACPP_DSA_ISWA_MAIN:
        announce_cells(printing, "llama_kv_cache_dsa_iswa: ", "DSA KV cache", weight->cells);
        announce_cells(printing, "llama_kv_cache_dsa: ", "main KV cache", weight->cells);
        return;
    case KVC_LLAMACPP_DSA_ISWA_WINDOW:
        announce_cells(printing, "llama_kv_cache_dsa_iswa: ", "SWA KV cache", weight->cells);
        return;
    case KVC_LLAMACPP_DSA_MAIN:
        announce_cells(printing, "llama_kv_cache_dsa: ", "main KV cache", weight->cells);
        return;
    case KVC_LLAMACPP_DSA_INDEX:
        announce_cells(printing, "llama_kv_cache_dsa: ", "indexer KV cache", weight->cells);
        return;
    case KVC_LLAMACPP_MSA_MAIN:
        announce_cells(printing, "llama_kv_cache_msa: ", "main KV cache", weight->cells);
        return;
    case KVC_LLAMACPP_MSA_INDEX:
        announce_cells(printing, "llama_kv_cache_msa: ", "indexer KV cache", weight->cells);
        return;
    case KVC_LLAMACPP_HYBRID_INDEX:
        /* The name of a lambda (llama-memory-hybrid-idx.cpp). */
        announce_cells(printing, "operator(): ", "indexer KV cache", weight->cells);
        return;
    default:
        announce_dsv4(printing, cache);
        return;
    }
}

/* ---- A cache of keys and values. */

static const char *kv_name(const struct printing *printing)
{
    return since(printing, KVC_LLAMACPP_NAMED_KV_CACHE) ? "llama_kv_cache: "
                                                        : "llama_kv_cache_unified: ";
}

static void print_padding(const struct printing *printing, const struct kvc_llamacpp_cache *cache)
{
    struct kvc_llamacpp_line line;
    line.length = 0;
    if (!printing->context->is_v_widened || !cache->v_varies)
        return;
    kvc_llamacpp_put_text(&line, kv_name(printing));
    kvc_llamacpp_put_text(
        &line,
        "the V embeddings have different sizes across layers and FA is not enabled - padding "
        "V cache to ");
    kvc_llamacpp_put_count(&line, cache->v_widest, 0);
    end(printing, &line);
}

/* "%10s KV buffer size = %8.2f MiB", one a device that holds some of it. */
static void print_buffers(const struct printing *printing, const char *function, const char *what,
                          uint32_t cache)
{
    const struct kvc_llamacpp_places *places = printing->places;
    if (places == NULL || !since(printing, KVC_LLAMACPP_BUFFER_LINE))
        return;
    for (uint32_t i = 0; i < places->count; i++) {
        /* By the name of the buffer, in the order of bytes: the host, which stands last here, first. */
        const struct kvc_llamacpp_place *place = &places->list[i == 0 ? places->count - 1 : i - 1];
        struct kvc_llamacpp_line line;
        line.length = 0;
        if (place->layers_of_cache[cache] == 0)
            continue;
        kvc_llamacpp_put_text(&line, function);
        for (size_t w = place->name.length; w < 10; w++)
            kvc_llamacpp_put_text(&line, " ");
        char name[64];
        size_t length = place->name.length < 63 ? place->name.length : 63;
        memcpy(name, place->name.text, length);
        name[length] = '\0';
        kvc_llamacpp_put_text(&line, name);
        kvc_llamacpp_put_text(&line, what);
        kvc_llamacpp_put_mib(&line, place->of_cache[cache], 8);
        kvc_llamacpp_put_text(&line, " MiB");
        end(printing, &line);
    }
}

static bool is_recurrent(const struct printing *printing)
{
    return printing->weights->count == 1 &&
           printing->weights->list[0].cache->kind == KVC_LLAMACPP_RECURRENT;
}

static void put_parts(struct kvc_llamacpp_line *line, const struct printing *printing, uint64_t k,
                      uint64_t v)
{
    bool is_f32 = is_recurrent(printing); /* whose parts stood in the place of keys and values */
    kvc_llamacpp_put_text(line, "K (");
    kvc_llamacpp_put_text(line, is_f32 ? "f32" : kvc_format_name(printing->params->type_k));
    kvc_llamacpp_put_text(line, "): ");
    kvc_llamacpp_put_float_mib(line, k);
    kvc_llamacpp_put_text(line, " MiB, V (");
    kvc_llamacpp_put_text(line, is_f32 ? "f32" : kvc_format_name(printing->params->type_v));
    kvc_llamacpp_put_text(line, "): ");
    kvc_llamacpp_put_float_mib(line, v);
    kvc_llamacpp_put_text(line, " MiB");
}

/* "1 seqs", later "1/ 1 seqs", then "1/1 seqs". */
static void put_sequences(struct kvc_llamacpp_line *line, const struct printing *printing)
{
    kvc_llamacpp_put_count(line, printing->context->n_seq_max, 2);
    if (since(printing, KVC_LLAMACPP_STREAMS)) {
        kvc_llamacpp_put_text(line, "/");
        kvc_llamacpp_put_count(line, printing->context->streams,
                               since(printing, KVC_LLAMACPP_STREAMS_ALWAYS) ? 0 : 2);
    }
    kvc_llamacpp_put_text(line, " seqs");
}

static void print_kv(const struct printing *printing, const struct kvc_llamacpp_weight *weight)
{
    struct kvc_llamacpp_line line;
    line.length = 0;
    kvc_llamacpp_put_text(&line, kv_name(printing));
    kvc_llamacpp_put_text(&line, "size = ");
    kvc_llamacpp_put_float_mib(&line, weight->bytes);
    kvc_llamacpp_put_text(&line, " MiB (");
    kvc_llamacpp_put_count(&line, weight->cells, 6);
    kvc_llamacpp_put_text(&line, " cells, ");
    kvc_llamacpp_put_count(&line, weight->cache->layers, 3);
    kvc_llamacpp_put_text(&line, " layers, ");
    put_sequences(&line, printing);
    kvc_llamacpp_put_text(&line, "), ");
    put_parts(&line, printing, weight->k_bytes, weight->v_bytes);
    end(printing, &line);
}

/* ---- Recurrent state. */

static void put_part(struct kvc_llamacpp_line *line, const char *name, uint64_t bytes)
{
    kvc_llamacpp_put_text(line, name);
    kvc_llamacpp_put_text(line, " (f32): ");
    kvc_llamacpp_put_float_mib(line, bytes);
    kvc_llamacpp_put_text(line, " MiB");
}

static void print_recurrent(const struct printing *printing,
                            const struct kvc_llamacpp_weight *weight)
{
    struct kvc_llamacpp_line line;
    line.length = 0;
    if (!since(printing, KVC_LLAMACPP_HYBRID)) {
        kvc_llamacpp_put_text(&line, "llama_kv_cache_recurrent: KV self size  = ");
        kvc_llamacpp_put_float_mib(&line, weight->bytes);
        kvc_llamacpp_put_text(&line, " MiB, ");
        put_parts(&line, printing, weight->r_bytes, weight->s_bytes);
        end(printing, &line);
        return;
    }
    kvc_llamacpp_put_text(&line, "llama_memory_recurrent: size = ");
    kvc_llamacpp_put_float_mib(&line, weight->bytes);
    kvc_llamacpp_put_text(&line, " MiB (");
    kvc_llamacpp_put_count(&line, weight->cells, 6);
    kvc_llamacpp_put_text(&line, " cells, ");
    kvc_llamacpp_put_count(&line, weight->cache->layers_logged, 3);
    kvc_llamacpp_put_text(&line, " layers, ");
    kvc_llamacpp_put_count(&line, printing->context->n_seq_max, 2);
    kvc_llamacpp_put_text(&line, " seqs");
    if (since(printing, KVC_LLAMACPP_ROLLBACK)) {
        kvc_llamacpp_put_text(&line, " ");
        kvc_llamacpp_put_count(&line, printing->context->n_rs_seq, 2);
        kvc_llamacpp_put_text(&line, " rs_seq");
    }
    kvc_llamacpp_put_text(&line, "), ");
    put_part(&line, "R", weight->r_bytes);
    put_part(&line, ", S", weight->s_bytes);
    if (since(printing, KVC_LLAMACPP_PLE))
        put_part(&line, ", P", weight->p_bytes);
    end(printing, &line);
}

/* ---- A compressor's state: total_size()/1024.0/1024.0, in doubles. */

static const char *long_name_of(const char *state)
{
    static const char *const NAMES[][2] = { { "csa", "CSA" },
                                            { "hca", "HCA" },
                                            { "lid", "lightning-indexer" } };
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        if (strcmp(state, NAMES[i][0]) == 0)
            return NAMES[i][1];
    }
    return state;
}

static void print_state(const struct printing *printing, const struct kvc_llamacpp_weight *weight)
{
    const struct kvc_llamacpp_cache *cache = weight->cache;
    struct kvc_llamacpp_line line;
    line.length = 0;
    uint64_t width = cache->rows_count == 0 ? 0 : cache->rows[0].k;
    uint64_t rows = cache->rows_count == 0 ? 0 : cache->rows[0].v;
    if (cache->rows_count == 0)
        return;
    kvc_llamacpp_put_text(&line, "llama_kv_cache_dsv4: creating DSV4 ");
    kvc_llamacpp_put_text(&line, long_name_of(cache->state));
    kvc_llamacpp_put_text(&line, " compressor state");
    end(printing, &line);
    line.length = 0;
    kvc_llamacpp_put_text(&line, "llama_dsv4_comp_state: ");
    kvc_llamacpp_put_text(&line, cache->state);
    kvc_llamacpp_put_text(&line, " ratio = ");
    kvc_llamacpp_put_count(&line, cache->ratio, 0);
    kvc_llamacpp_put_text(&line, ", state = ");
    kvc_llamacpp_put_count(&line, rows, 0);
    kvc_llamacpp_put_text(&line, " x ");
    kvc_llamacpp_put_count(&line, width, 0);
    kvc_llamacpp_put_text(&line, ", streams = ");
    kvc_llamacpp_put_count(&line, printing->context->streams, 0);
    kvc_llamacpp_put_text(&line, ", rs_seq = ");
    kvc_llamacpp_put_count(&line, printing->context->n_rs_seq, 0);
    kvc_llamacpp_put_text(&line, ", layers = ");
    kvc_llamacpp_put_count(&line, cache->layers, 0);
    kvc_llamacpp_put_text(&line, ", size = ");
    kvc_llamacpp_put_mib(&line, weight->bytes, 7);
    kvc_llamacpp_put_text(&line, " MiB");
    end(printing, &line);
}

static void print_cache(const struct printing *printing, uint32_t i)
{
    const struct kvc_llamacpp_weight *weight = &printing->weights->list[i];
    if (weight->cache->kind == KVC_LLAMACPP_RECURRENT) {
        print_buffers(printing, "llama_memory_recurrent: ", " RS buffer size = ", i);
        print_recurrent(printing, weight);
        return;
    }
    if (weight->cache->kind == KVC_LLAMACPP_STATE) {
        print_state(printing, weight);
        return;
    }
    announce(printing, weight);
    print_padding(printing, weight->cache);
    print_buffers(printing, kv_name(printing), " KV buffer size = ", i);
    print_kv(printing, weight);
}

/* ---- Before there was a line a cache: one sum of all. */

static const char *sum_name(const struct printing *printing)
{
    if (since(printing, KVC_LLAMACPP_SPLIT_RECURRENT))
        return is_recurrent(printing) ? "llama_kv_cache_recurrent: " : "llama_kv_cache_unified: ";
    if (since(printing, KVC_LLAMACPP_NAMED_CONTEXT))
        return "llama_context: ";
    if (since(printing, KVC_LLAMACPP_NAMED_INIT))
        return "llama_init_from_model: ";
    return since(printing, KVC_LLAMACPP_NAMED_NEW_CONTEXT) ? "llama_new_context_with_model: "
                                                           : "llama_init_from_file: ";
}

static const char *sum_buffers_name(const struct printing *printing)
{
    if (since(printing, KVC_LLAMACPP_SPLIT_RECURRENT))
        return sum_name(printing);
    return since(printing, KVC_LLAMACPP_NAMED_CONTEXT) ? "init: " : "llama_kv_cache_init: ";
}

/* Cells, types and layers stood in a line of their own for some weeks (PR 12799 to PR 13194). */
static void print_cells(const struct printing *printing)
{
    struct kvc_llamacpp_line line;
    line.length = 0;
    if (!since(printing, KVC_LLAMACPP_SPLIT_RECURRENT) || is_recurrent(printing))
        return;
    kvc_llamacpp_put_text(&line, "llama_kv_cache_unified: kv_size = ");
    kvc_llamacpp_put_count(&line, printing->context->n_ctx, 0);
    kvc_llamacpp_put_text(&line, ", type_k = '");
    kvc_llamacpp_put_text(&line, kvc_format_name(printing->params->type_k));
    kvc_llamacpp_put_text(&line, "', type_v = '");
    kvc_llamacpp_put_text(&line, kvc_format_name(printing->params->type_v));
    kvc_llamacpp_put_text(&line, "', n_layer = ");
    kvc_llamacpp_put_count(&line, printing->model->layers_all, 0);
    kvc_llamacpp_put_text(&line, ", can_shift = 1, padding = ");
    kvc_llamacpp_put_count(&line, printing->context->is_v_transposed ? 32 : 256, 0);
    end(printing, &line);
}

static void print_sum(const struct printing *printing)
{
    struct kvc_llamacpp_line line;
    line.length = 0;
    bool has_parts = since(printing, KVC_LLAMACPP_KV_PARTS);
    uint64_t k = 0, v = 0;
    print_cells(printing);
    for (uint32_t i = 0; i < printing->weights->count; i++) {
        const struct kvc_llamacpp_weight *weight = &printing->weights->list[i];
        k += weight->k_bytes + weight->r_bytes;
        v += weight->v_bytes + weight->s_bytes;
        print_buffers(printing, sum_buffers_name(printing), " KV buffer size = ", i);
    }
    kvc_llamacpp_put_text(&line, sum_name(printing));
    kvc_llamacpp_put_text(&line, has_parts ? "KV self size  = " : "kv self size  = ");
    kvc_llamacpp_put_float_mib(&line, k + v);
    kvc_llamacpp_put_text(&line, since(printing, KVC_LLAMACPP_MIB) ? " MiB" : " MB");
    if (has_parts) {
        kvc_llamacpp_put_text(&line, ", ");
        put_parts(&line, printing, k, v);
    }
    end(printing, &line);
}

void kvc_llamacpp_print(const struct kvc_llamacpp_params *params,
                        const struct kvc_llamacpp_model *model,
                        const struct kvc_llamacpp_context *context,
                        const struct kvc_llamacpp_weights *weights,
                        const struct kvc_llamacpp_places *places, uint32_t day,
                        struct kvc_answer *answer)
{
    struct printing printing = { params, model, context, weights, places, day, answer };
    if (since(&printing, KVC_LLAMACPP_NAMED_CONTEXT)) {
        print_rounding(&printing);
        if (answer->explain)
            print_geometry(&printing);
    }
    if (!since(&printing, KVC_LLAMACPP_WINDOWS)) {
        print_sum(&printing);
        return;
    }
    for (uint32_t i = 0; i < weights->count; i++)
        print_cache(&printing, i);
}
