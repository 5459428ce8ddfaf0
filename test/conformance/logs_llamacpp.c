/* logs_llamacpp.c - the cache lines that llama.cpp printed.  Declared in logs.h.
 *
 * A row tells of its model what the loader printed: architecture, layers, heads, widths of a row; these are made
 * key-values of a file and asked with the row's settings on the row's day.  A row often describes one of several
 * lines: it agrees where one predicted line has all its numbers.  Where no architecture is told, a built-in model
 * by its name is asked; and where neither is, the arithmetic of the line itself is left: layers x cells x rows. */

#include <stdio.h>
#include <string.h>

#include "engine/llamacpp_changes.h"
#include "face/api/handle.h"
#include "logs.h"

struct attempt {
    struct log_asker *asker;
    const struct log_row *row;
    const char *engine, *model;
    const char *inline_model;
    uint32_t day;
    const char *n_ubatch; /* where the row does not say; or NULL */
    struct log_outcome *outcome;
};

/* ---- Numbers and lists of a row. */

static bool element(const struct kvc_value *value, uint32_t index, uint64_t *ret_number)
{
    if (value != NULL && value->type == KVC_ARRAY)
        value = kvc_value_element(value, index);
    return value != NULL && value->type == KVC_NUMBER && kvc_span_u64(value->text, ret_number);
}

static uint64_t greatest(const struct kvc_value *value)
{
    uint64_t most = 0, number;
    uint32_t count = value != NULL && value->type == KVC_ARRAY ? value->count : 1;
    for (uint32_t i = 0; i < count; i++) {
        if (element(value, i, &number) && number > most)
            most = number;
    }
    return most;
}

/* "(48 layers)" of a model's name, where the loader's number is not told. */
static bool layers_of(const struct log_row *row, uint64_t *ret_layers)
{
    static const char WORD[] = " layers";
    if (log_count(row->inputs, "n_layer", ret_layers))
        return true;
    for (size_t i = 0; i + sizeof WORD - 1 <= row->model.length; i++) {
        size_t begin = i;
        if (memcmp(row->model.text + i, WORD, sizeof WORD - 1) != 0)
            continue;
        while (begin > 0 && row->model.text[begin - 1] >= '0' && row->model.text[begin - 1] <= '9')
            begin--;
        return kvc_span_u64((struct kvc_span){ row->model.text + begin, i - begin }, ret_layers);
    }
    return false;
}

/* ---- The model as key-values. */

static void put_key(struct log_text *text, const char *arch, const char *key)
{
    log_put(text, "%s\"%s.%s\":", text->length > 13 ? "," : "", arch, key);
}

/* Keys of recurrent layers, which a file has and no row tells.  A line of keys and values does not depend on them,
 * so any do; of a line of states nothing can be said. */
static void put_recurrent(struct log_text *text, const char *arch)
{
    static const char *const KEYS[] = {
        "ssm.conv_kernel",    "ssm.inner_size",  "ssm.state_size",
        "ssm.time_step_rank", "ssm.group_count", "shortconv.l_cache"
    };
    for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++) {
        put_key(text, arch, KEYS[i]);
        log_put(text, "16");
    }
}

/* One head whose key is its value and 64 for positions: a compressed row, of which a file has the heads' dimensions
 * too.  They size the graph alone. */
static void put_latent(struct log_text *text, const char *arch, uint64_t heads, uint64_t k,
                       uint64_t v)
{
    if (heads != 1 || k != v + 64)
        return;
    put_key(text, arch, "attention.kv_lora_rank");
    log_put(text, "%llu", (unsigned long long)v);
    put_key(text, arch, "attention.key_length_mla");
    log_put(text, "192");
    put_key(text, arch, "attention.value_length_mla");
    log_put(text, "128");
    put_key(text, arch, "rope.dimension_count");
    log_put(text, "64");
}

/* What the loader printed, as the file had it.  False where a row does not say enough. */
static bool put_model(const struct log_row *row, struct log_text *text)
{
    const struct kvc_value *arch_value = log_member(row->inputs, "arch");
    const struct kvc_value *heads_value = log_member(row->inputs, "n_head_kv");
    uint64_t layers, heads = greatest(heads_value), window;
    uint64_t k = greatest(log_member(row->inputs, "n_embd_k_gqa"));
    uint64_t v = greatest(log_member(row->inputs, "n_embd_v_gqa"));
    char arch[40];
    if (log_member(row->inputs, "n_embd_k_gqa") == NULL ||
        log_member(row->inputs, "n_embd_v_gqa") == NULL)
        return false;
    if (arch_value == NULL || !layers_of(row, &layers) || heads == 0 || k % heads != 0 ||
        v % heads != 0)
        return false;
    snprintf(arch, sizeof arch, "%.*s", (int)arch_value->text.length, arch_value->text.text);
    text->length = 0;
    log_put(text, "{\"gguf_kv\":{\"general.architecture\":\"%s\"", arch);
    put_key(text, arch, "block_count");
    log_put(text, "%llu", (unsigned long long)layers);
    put_key(text, arch, "context_length");
    log_put(text, "1048576");
    put_key(text, arch, "embedding_length");
    log_put(text, "%llu", (unsigned long long)(k > 0 ? k : heads * 64));
    put_key(text, arch, "attention.head_count");
    log_put(text, "%llu", (unsigned long long)heads);
    put_key(text, arch, "attention.head_count_kv");
    log_put_value(text, heads_value);
    put_key(text, arch, "attention.key_length");
    log_put(text, "%llu", (unsigned long long)(k / heads));
    put_key(text, arch, "attention.value_length");
    log_put(text, "%llu", (unsigned long long)(v / heads));
    if (log_count(row->inputs, "n_swa", &window) && window > 0) {
        put_key(text, arch, "attention.sliding_window");
        log_put(text, "%llu", (unsigned long long)window);
    }
    put_latent(text, arch, heads, k, v);
    if (log_member(row->reported, "r_mib") == NULL)
        put_recurrent(text, arch);
    log_put(text, "}}");
    return true;
}

/* ---- Settings. */

static const struct {
    const char *key, *name;
} SETTINGS[] = {
    { "n_ctx", "n_ctx" },         { "n_batch", "n_batch" },       { "n_ubatch", "n_ubatch" },
    { "n_seq_max", "n_seq_max" }, { "n_parallel", "n_seq_max" },  { "type_k", "type_k" },
    { "type_v", "type_v" },       { "kv_unified", "kv_unified" }, { "unified", "kv_unified" },
    { "swa_full", "swa_full" },
};

/* "1", "0", and what a log ran together with the next line: "0llama_new_context". */
static const char *flash_word(const struct kvc_value *value)
{
    if (value == NULL || value->text.length == 0)
        return NULL;
    return value->text.text[0] == '1' ? "on" : value->text.text[0] == '0' ? "off" : NULL;
}

static void put_settings(const struct attempt *a, struct log_text *text)
{
    const struct kvc_value *settings = a->row->settings;
    const char *flash = flash_word(log_member(settings, "flash_attn"));
    uint64_t ubatch;
    text->length = 0;
    const struct kvc_value *full = log_member(settings, "swa_full");
    log_put(text, "{\"swa_full\":%s", full != NULL && full->type == KVC_TRUE ? "true" : "false");
    for (size_t i = 0; i < sizeof SETTINGS / sizeof SETTINGS[0]; i++) {
        const struct kvc_value *value = log_member(settings, SETTINGS[i].key);
        if (value == NULL || strcmp(SETTINGS[i].key, "swa_full") == 0)
            continue;
        log_put(text, ",\"%s\":", SETTINGS[i].name);
        log_put_value(text, value);
    }
    /* Until keys and values had types of their own (PR 4309) one was both's. */
    if (!kvc_llamacpp_since(a->day, KVC_LLAMACPP_KV_PARTS) &&
        log_member(settings, "type_v") == NULL && log_member(settings, "type_k") != NULL) {
        log_put(text, ",\"type_v\":");
        log_put_value(text, log_member(settings, "type_k"));
    }
    if (a->n_ubatch != NULL)
        log_put(text, ",\"n_ubatch\":%s", a->n_ubatch);
    /* A micro-batch that was printed was no wider than its batch. */
    if (log_count(settings, "n_ubatch", &ubatch) && log_member(settings, "n_batch") == NULL &&
        ubatch > 2048)
        log_put(text, ",\"n_batch\":%llu", (unsigned long long)ubatch);
    if (flash != NULL)
        log_put(text, ",\"flash_attn\":\"%s\"", flash);
    log_put(text, "}");
}

static const struct kvc_answer *ask(struct attempt *a)
{
    static struct log_text settings;
    put_settings(a, &settings);
    struct log_question question = { .engine = a->engine,
                                     .model = a->model,
                                     .inline_model = a->inline_model,
                                     .settings = settings.text,
                                     .memory = "{}",
                                     .day = a->day };
    const struct kvc_fit *fit = log_ask(a->asker, &question);
    if (fit == NULL) {
        log_miss(a->outcome, "%s", a->asker->refusal);
        return NULL;
    }
    for (uint32_t i = 0; i < fit->answer.undetermined_count; i++) {
        const struct kvc_answer_undetermined *entry = &fit->answer.undetermined[i];
        log_miss(a->outcome, "%.*s: %.*s", (int)entry->key.length, entry->key.text,
                 (int)entry->reason.length, entry->reason.text);
    }
    return fit->answer.decision == KVC_DECISION_UNDETERMINED ? NULL : &fit->answer;
}

/* ---- A line. */

#define MIB 20

static void same_bytes(struct log_outcome *outcome, const struct kvc_value *reported,
                       const char *key, struct kvc_maybe bytes)
{
    const struct kvc_value *printed = log_member(reported, key);
    if (printed != NULL && bytes.said)
        log_compare_bytes(outcome, key, printed, MIB, bytes.value);
}

static void same_count(struct log_outcome *outcome, const struct kvc_value *reported,
                       const char *key, struct kvc_maybe count)
{
    uint64_t printed;
    if (count.said && log_count(reported, key, &printed))
        log_compare(outcome, key, printed, count.value, count.value);
}

static struct kvc_maybe sum(struct kvc_maybe a, struct kvc_maybe b)
{
    return (struct kvc_maybe){ a.value + b.value, a.said && b.said };
}

/* The names of a line's numbers in a row. */
struct names {
    const char *bytes, *first, *second, *cells, *layers;
};

static void compare_line(struct log_outcome *outcome, const struct kvc_value *reported,
                         const struct names *names, const struct kvc_answer_cache *cache)
{
    bool is_kv = cache->k_bytes.said;
    struct kvc_maybe first = is_kv ? cache->k_bytes : cache->r_bytes;
    struct kvc_maybe second = is_kv ? cache->v_bytes : cache->s_bytes;
    same_count(outcome, reported, names->cells, cache->cells);
    same_count(outcome, reported, names->layers, cache->layers);
    same_bytes(outcome, reported, names->first, first);
    same_bytes(outcome, reported, names->second, second);
    same_bytes(outcome, reported, names->bytes, sum(first, second));
}

static bool is_line_of(const struct kvc_answer_cache *cache, bool recurs)
{
    return recurs ? cache->r_bytes.said : cache->k_bytes.said;
}

/* One line of a kind that has all the numbers; else the differences of the one that has the most. */
static void compare_any(struct attempt *a, const struct kvc_answer *answer,
                        const struct names *names, bool recurs)
{
    struct log_outcome best = { .compared = 0 };
    for (uint32_t i = 0; i < answer->caches_count; i++) {
        struct log_outcome outcome = { .compared = 0 };
        if (!is_line_of(&answer->caches[i], recurs))
            continue;
        compare_line(&outcome, a->row->reported, names, &answer->caches[i]);
        if (log_is_better(&outcome, &best))
            best = outcome;
    }
    a->outcome->compared += best.compared;
    if (best.differs && !a->outcome->differs) {
        log_differ(a->outcome, "", best.expected, "%s", best.got);
        memcpy(a->outcome->what, best.what, sizeof best.what);
    }
}

/* Of the caches of a model that slides in some layers, the one that does not comes first. */
static void compare_both(struct attempt *a, const struct kvc_answer *answer)
{
    static const struct names FULL = { "non_swa_mib", "non_swa_k_mib", "non_swa_v_mib",
                                       "non_swa_cells", "non_swa_layers" };
    static const struct names SLIDING = { "swa_mib", "swa_k_mib", "swa_v_mib", "swa_cells",
                                          "swa_layers" };
    if (answer->caches_count < 2) {
        log_differ(a->outcome, "caches", "two", "%u", (unsigned)answer->caches_count);
        return;
    }
    compare_line(a->outcome, a->row->reported, &FULL, &answer->caches[0]);
    compare_line(a->outcome, a->row->reported, &SLIDING, &answer->caches[1]);
}

/* Parts of one line on two devices add up to it, each within its rounding. */
static void compare_parts(struct attempt *a, const struct kvc_answer *answer, const char *cpu,
                          const char *gpu, bool recurs)
{
    struct kvc_bytes_range one, other;
    if (!log_printed(log_member(a->row->reported, cpu), MIB, &one) ||
        !log_printed(log_member(a->row->reported, gpu), MIB, &other))
        return;
    for (uint32_t i = 0; i < answer->caches_count; i++) {
        const struct kvc_answer_cache *cache = &answer->caches[i];
        if (!is_line_of(cache, recurs))
            continue;
        uint64_t whole = recurs ? cache->r_bytes.value + cache->s_bytes.value
                                : cache->k_bytes.value + cache->v_bytes.value;
        log_compare(a->outcome, recurs ? "bytes of a recurrent line" : "bytes of a line", whole,
                    one.least + other.least, one.most + other.most);
        return;
    }
}

static void compare_seqs(struct attempt *a, const struct kvc_answer *answer)
{
    same_count(a->outcome, a->row->reported, "seqs", answer->max_running_requests);
}

static void compare_answer(struct attempt *a, const struct kvc_answer *answer)
{
    static const struct names KV = { "kv_mib", "k_mib", "v_mib", "cells", "layers" };
    static const struct names STATE = { "rs_mib", "r_mib", "s_mib", "rs_cells", "rs_layers" };
    static const struct names STATE_ALONE = { "kv_mib", "r_mib", "s_mib", "cells", "layers" };
    const struct kvc_value *reported = a->row->reported;
    bool has_state =
        log_member(reported, "r_mib") != NULL || log_member(reported, "rs_mib") != NULL;
    bool is_state_alone = has_state && log_member(reported, "rs_mib") == NULL;
    compare_seqs(a, answer);
    if (log_member(reported, "non_swa_cells") != NULL || log_member(reported, "swa_cells") != NULL)
        compare_both(a, answer);
    if (is_state_alone)
        compare_any(a, answer, &STATE_ALONE, true);
    else if (has_state)
        compare_any(a, answer, &STATE, true);
    if (!is_state_alone && log_member(reported, "kv_mib") != NULL)
        compare_any(a, answer, &KV, false);
    compare_parts(a, answer, "kv_cpu_mib", "kv_gpu_mib", false);
    compare_parts(a, answer, "rs_cpu_mib", "rs_gpu_mib", true);
}

/* ---- The arithmetic of a line, where no model can be asked. */

/* A list has a width for each layer of the model.  Of a line with fewer layers they are those that have one. */
static bool is_list_of(const struct kvc_value *widths, uint64_t layers)
{
    uint64_t width, with_width = 0;
    if (widths->type != KVC_ARRAY || widths->count == layers)
        return true;
    for (uint32_t i = 0; i < widths->count; i++)
        with_width += element(widths, i, &width) && width > 0;
    return with_width == layers;
}

/* Bytes of a row of the format, for all of its layers. */
static bool rows_bytes(const struct kvc_value *format, const struct kvc_value *widths,
                       uint64_t layers, uint64_t *ret_bytes)
{
    uint64_t bytes = 0;
    char name[24];
    if (format == NULL || widths == NULL || !is_list_of(widths, layers))
        return false;
    if (widths->type == KVC_ARRAY)
        layers = widths->count;
    snprintf(name, sizeof name, "%.*s", (int)format->text.length, format->text.text);
    for (uint32_t i = 0; i < layers; i++) {
        uint64_t width, row;
        if (!element(widths, i, &width) || width > UINT32_MAX)
            return false;
        if (width == 0)
            continue;
        if (kvcap_row_bytes(name, 1, (uint32_t)width, &row, NULL) != KVCAP_OK)
            return false;
        bytes += row;
    }
    *ret_bytes = bytes;
    return layers > 0;
}

struct line {
    const struct kvc_value *k_format, *v_format, *k_widths, *v_widths;
    uint64_t layers, cells;
};

static void compare_arithmetic(struct log_outcome *outcome, const struct kvc_value *reported,
                               const struct names *names, const struct line *line)
{
    uint64_t k, v;
    bool has_k = rows_bytes(line->k_format, line->k_widths, line->layers, &k);
    bool has_v = rows_bytes(line->v_format, line->v_widths, line->layers, &v);
    if (has_k)
        same_bytes(outcome, reported, names->first, kvc_said(k * line->cells));
    if (has_v)
        same_bytes(outcome, reported, names->second, kvc_said(v * line->cells));
    if (has_k && has_v)
        same_bytes(outcome, reported, names->bytes, kvc_said((k + v) * line->cells));
}

static struct line line_of(const struct log_row *row)
{
    return (struct line){ .k_format = log_member(row->settings, "type_k"),
                          .v_format = log_member(row->settings, "type_v"),
                          .k_widths = log_member(row->inputs, "n_embd_k_gqa"),
                          .v_widths = log_member(row->inputs, "n_embd_v_gqa") };
}

/* Cells and layers of each line are printed with it. */
static void compare_printed_lines(const struct log_row *row, struct log_outcome *outcome)
{
    static const struct names LINES[] = {
        { "kv_mib", "k_mib", "v_mib", "cells", "layers" },
        { "non_swa_mib", "non_swa_k_mib", "non_swa_v_mib", "non_swa_cells", "non_swa_layers" },
        { "swa_mib", "swa_k_mib", "swa_v_mib", "swa_cells", "swa_layers" },
    };
    struct line line = line_of(row);
    bool is_state =
        log_member(row->reported, "r_mib") != NULL && log_member(row->reported, "rs_mib") == NULL;
    if (is_state) /* a line of states has no keys and values */
        return;
    for (size_t i = 0; i < sizeof LINES / sizeof LINES[0]; i++) {
        if (log_count(row->reported, LINES[i].cells, &line.cells) &&
            log_count(row->reported, LINES[i].layers, &line.layers))
            compare_arithmetic(outcome, row->reported, &LINES[i], &line);
    }
}

/* Where the context is not told, the bytes of keys say how many cells there are, and those of values follow. */
static void compare_by_keys(const struct log_row *row, struct log_outcome *outcome)
{
    static const struct names KV = { "kv_mib", "k_mib", "v_mib", "cells", "layers" };
    struct line line = line_of(row);
    struct kvc_bytes_range printed;
    uint64_t row_bytes;
    if (log_member(row->settings, "n_ctx") != NULL || !layers_of(row, &line.layers) ||
        !log_printed(log_member(row->reported, "k_mib"), MIB, &printed) ||
        !rows_bytes(line.k_format, line.k_widths, line.layers, &row_bytes) || row_bytes == 0)
        return;
    line.cells = printed.most / row_bytes;
    if (line.v_format == NULL) /* the default of both is one */
        line.v_format = line.k_format;
    if (line.cells * row_bytes < printed.least)
        log_differ(outcome, "k_mib", "whole cells", "a part of one");
    else if (line.cells == (printed.least + row_bytes - 1) / row_bytes)
        compare_arithmetic(outcome, row->reported, &KV, &line);
}

/* ---- Tries. */

/* Where a line has cells of a window and the row no micro-batch, which they depend on. */
static bool wants_ubatch(const struct log_row *row)
{
    return log_member(row->reported, "swa_cells") != NULL &&
           log_member(row->settings, "n_ubatch") == NULL;
}

static void try_days(struct attempt *a, const uint32_t *days, size_t days_count,
                     struct log_outcome *best)
{
    static const char *const UBATCHES[] = { NULL, "128", "256", "1024", "2048", "4096" };
    for (size_t u = 0; u < (wants_ubatch(a->row) ? 6 : 1); u++) {
        for (size_t d = 0; d < days_count; d++) {
            struct log_outcome outcome = { .compared = 0 };
            a->outcome = &outcome;
            a->n_ubatch = UBATCHES[u];
            a->day = days[d];
            const struct kvc_answer *answer = ask(a);
            if (answer != NULL)
                compare_answer(a, answer);
            if (log_is_better(&outcome, best))
                *best = outcome;
            if (best->missing[0] == '\0')
                memcpy(best->missing, outcome.missing, sizeof best->missing);
            if (best->compared > 0 && !best->differs)
                return;
        }
    }
}

/* Whether a built-in model has the layers that the row tells. */
static bool has_layers(const struct attempt *a, const char *name)
{
    uint64_t layers;
    kvcap_record *model;
    if (!layers_of(a->row, &layers))
        return true;
    if (kvcap_model_builtin(name, &model, NULL) != KVCAP_OK)
        return false;
    bool same = model->record.model.shape.layers_count == layers;
    kvcap_record_free(model);
    return same;
}

static void ask_models(struct attempt *a, const uint32_t *days, size_t days_count,
                       struct log_outcome *outcome)
{
    const char *names[LOG_MODELS_MAX];
    bool is_loose;
    size_t count = log_models(a->row->model, names, &is_loose);
    for (size_t i = 0; i < count && (outcome->compared == 0 || outcome->differs); i++) {
        if (!has_layers(a, names[i]))
            continue;
        a->model = names[i];
        try_days(a, days, days_count, outcome);
    }
    if (outcome->differs && is_loose) {
        *outcome = (struct log_outcome){ .compared = 0 };
        log_miss(outcome, "model: which of its class it is is not said, or a setting of it");
    }
}

/* The setting on which the number that differs depends, where it is not told; or NULL. */
static const char *untold(const struct log_row *row, const char *what)
{
    const struct kvc_value *settings = row->settings;
    size_t length = strlen(what);
    bool is_bytes = length > 4 && strcmp(what + length - 4, "_mib") == 0;
    bool is_state = strncmp(what, "r", 1) == 0 || strncmp(what, "s_", 2) == 0;
    bool has_sequences =
        log_member(settings, "n_seq_max") != NULL || log_member(settings, "n_parallel") != NULL;
    if (is_bytes && !is_state && log_member(settings, "type_k") == NULL)
        return "type_k";
    if (is_bytes && !is_state && log_member(settings, "type_v") == NULL &&
        strstr(what, "k_mib") == NULL)
        return "type_v";
    if (!has_sequences && (!is_bytes || is_state))
        return "n_seq_max";
    bool is_window = strstr(what, "cells") != NULL || strstr(what, "layers") != NULL;
    if (is_window && log_member(row->inputs, "arch") != NULL &&
        log_member(row->inputs, "n_swa") == NULL)
        return "n_swa";
    if (!is_bytes && !is_state && strstr(what, "cells") != NULL &&
        log_member(settings, "kv_unified") == NULL && log_member(settings, "unified") == NULL)
        return "kv_unified";
    return NULL;
}

void log_llamacpp_row(struct log_asker *asker, const struct log_row *row,
                      struct log_outcome *outcome)
{
    static struct log_text model;
    uint32_t days[LOG_DAYS_MAX];
    char engine[LOG_ENGINE_ROOM];
    size_t days_count = log_days("llama.cpp", row->version, days, engine);
    struct attempt attempt = { .asker = asker, .row = row, .engine = engine };
    bool has_context = log_member(row->settings, "n_ctx") != NULL;
    if (days_count > 0 && has_context && put_model(row, &model)) {
        attempt.inline_model = model.text;
        try_days(&attempt, days, days_count, outcome);
        attempt.inline_model = NULL;
    }
    if (days_count > 0 && has_context && outcome->compared == 0 && !outcome->differs)
        ask_models(&attempt, days, days_count, outcome);
    if (outcome->compared == 0 && !outcome->differs)
        compare_printed_lines(row, outcome);
    if (outcome->compared == 0 && !outcome->differs)
        compare_by_keys(row, outcome);
    if (outcome->differs && untold(row, outcome->what) != NULL)
        log_excuse(outcome, untold(row, outcome->what));
    if (!has_context)
        log_miss(outcome, "n_ctx: it is not told, and no width of a row to find it by");
    log_miss(outcome,
             "arch, n_head_kv: the model's rows are not told, nor is it known by this name");
}

/* ---- ik_llama.cpp: its lines are held against themselves. */

#define LATENT "576" /* of DeepSeek-V2 and V3: 512 compressed and 64 for positions */

void log_ik_row(struct log_asker *asker, const struct log_row *row, struct log_outcome *outcome)
{
    static const struct names KV = { "kv_mib", "k_mib", "v_mib", "cells", "layers" };
    static const struct names LATENT_ONLY = { "kv_mib", "ckv_mib", "", "", "" };
    struct line line = line_of(row);
    struct kvc_value latent = { .type = KVC_NUMBER, .text = kvc_span_of(LATENT) };
    (void)asker;
    if (!layers_of(row, &line.layers) || !log_count(row->settings, "n_ctx", &line.cells)) {
        log_miss(outcome, "n_ctx, n_layer: one of them is not told");
        return;
    }
    if (log_member(row->reported, "ckv_mib") != NULL) {
        uint64_t bytes;
        line.k_widths = &latent;
        compare_arithmetic(outcome, row->reported, &LATENT_ONLY, &line);
        if (rows_bytes(line.k_format, line.k_widths, line.layers, &bytes))
            same_bytes(outcome, row->reported, "kv_mib", kvc_said(bytes * line.cells));
    } else {
        compare_arithmetic(outcome, row->reported, &KV, &line);
    }
    if (outcome->compared > 0) {
        uint64_t sequences;
        same_count(outcome, row->reported, "cells", kvc_said(line.cells));
        same_count(outcome, row->reported, "layers", kvc_said(line.layers));
        if (log_count(row->settings, "n_seq_max", &sequences))
            same_count(outcome, row->reported, "seqs", kvc_said(sequences));
    }
    log_miss(outcome, "type_k, n_embd_k_gqa: a format or a width is not told or not known");
}
