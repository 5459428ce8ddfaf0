/* logs_vllm.c - what vLLM printed at start: blocks, tokens, concurrency, refusals, budgets.  Declared in logs.h.
 *
 * Two ways lead to a prediction.  From memory: what was available, as printed, bounds the pool from both
 * sides.  From the pool: blocks or tokens that were printed name the pool, and the engine says what else is
 * printed of it.  What a row leaves open - which change of rules, which model of a name, the default of a
 * device that it does not name - is tried in turn, and a row passes when all its numbers agree in one try. */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/vllm_changes.h"
#include "logs.h"

/* A model of which nothing is known but that all its layers are alike: relations between tokens, length and
 * concurrency do not depend on more.  Any number of ranks divides its heads, which vLLM asks for. */
static const char PLAIN[] =
    "{\"config_json\":{\"model_type\":\"llama\",\"num_hidden_layers\":1,\"hidden_size\":64,"
    "\"num_attention_heads\":5040,\"head_dim\":64,\"num_key_value_heads\":1,"
    "\"torch_dtype\":\"bfloat16\","
    "\"max_position_embeddings\":1048576}}";

/* One try. */
struct attempt {
    struct log_asker *asker;
    const struct log_row *row;
    const char *engine;
    const char *model; /* NULL: a plain one */
    uint32_t day;
    const char *batched; /* max_num_batched_tokens, where the row does not say; or NULL */
    const char *cache;   /* kv_cache_dtype, the same */
    const char *block;   /* block_size, the same: a backend that is not told sets it */
    bool prefixes;       /* enable_prefix_caching, the same: recurrent models did not by default */
    const char *tp;      /* tensor_parallel_size, the same */
    bool is_v0;
    bool needs_alone;   /* memory is not told: what a request needs does not depend on it */
    bool other_caches;  /* formats that the row does not speak of are tried too */
    bool wants_batched; /* an answer depended on it */
    struct log_outcome *outcome;
};

/* ---- Settings. */

static const struct {
    const char *key, *name;
    bool is_word; /* only the first word of a text */
} SETTINGS[] = {
    { "tp", "tensor_parallel_size", false },
    { "pp", "pipeline_parallel_size", false },
    { "dp", "data_parallel_size", false },
    { "dcp", "decode_context_parallel_size", false },
    { "max_model_len", "max_model_len", false },
    { "block_size", "block_size", false },
    { "max_num_batched_tokens", "max_num_batched_tokens", false },
    { "max_num_seqs", "max_num_seqs", false },
    { "cpu_kvcache_space_gib", "vllm_cpu_kvcache_space", false },
    { "kv_cache_dtype", "kv_cache_dtype", true },
    { "dtype", "dtype", true },
    { "device", "device", true },
    { "gpu_memory_utilization", "gpu_memory_utilization", true },
    { "swap_space", "swap_space", true },
    { "swap_space_gib", "swap_space", true },
    { "mamba_cache_mode", "mamba_cache_mode", true },
    { "mamba_ssm_cache_dtype", "mamba_ssm_cache_dtype", true },
    { "attention_backend", "attention_backend", true },
};

static void put_name(struct log_text *text, const char *name)
{
    log_put(text, "%s\"%s\":", text->length > 1 ? "," : "", name);
}

static void put_word(struct log_text *text, const struct kvc_value *value)
{
    size_t length = 0;
    while (length < value->text.length && value->text.text[length] != ' ')
        length++;
    if (value->type == KVC_NUMBER)
        log_put_value(text, value);
    else if (length == 4 && memcmp(value->text.text, "bf16", 4) == 0)
        log_put(text, "\"bfloat16\"");
    else if (length == 4 && memcmp(value->text.text, "fp16", 4) == 0)
        log_put(text, "\"float16\"");
    else
        log_put(text, "\"%.*s\"", (int)length, value->text.text);
}

/* Settings that other programs or words name, in the engine's own. */
static void put_settings(const struct attempt *a, struct log_text *text)
{
    const struct kvc_value *settings = a->row->settings, *inputs = a->row->inputs, *value;
    uint64_t count;
    log_put(text, "{");
    for (size_t i = 0; i < sizeof SETTINGS / sizeof SETTINGS[0]; i++) {
        value = log_member(settings, SETTINGS[i].key);
        if (value == NULL)
            continue;
        if (SETTINGS[i].is_word && (value->type == KVC_STRING || value->type == KVC_NUMBER)) {
            put_name(text, SETTINGS[i].name);
            put_word(text, value);
        } else if (log_count(settings, SETTINGS[i].key, &count)) {
            put_name(text, SETTINGS[i].name);
            log_put(text, "%llu", (unsigned long long)count);
        }
    }
    if (log_count(inputs, "cpu_kv_space_gib", &count) &&
        log_member(settings, "cpu_kvcache_space_gib") == NULL) {
        put_name(text, "vllm_cpu_kvcache_space");
        log_put(text, "%llu", (unsigned long long)count);
    }
    if (log_member(settings, "kv_connector") != NULL) {
        put_name(text, "kv_transfer_config");
        log_put(text, "{}");
    }
    if (a->batched != NULL) {
        put_name(text, "max_num_batched_tokens");
        log_put(text, "%s", a->batched);
    }
    if (a->cache != NULL) {
        put_name(text, "kv_cache_dtype");
        log_put(text, "\"%s\"", a->cache);
    }
    if (a->tp != NULL) {
        put_name(text, "tensor_parallel_size");
        log_put(text, "%s", a->tp);
    }
    if (a->block != NULL) {
        put_name(text, "block_size");
        log_put(text, "%s", a->block);
    }
    if (a->prefixes) {
        put_name(text, "enable_prefix_caching");
        log_put(text, "true");
    }
    put_name(text, "vllm_use_v1");
    log_put(text, "%d", !a->is_v0);
}

/* ---- Asking. */

/* The answer with a pool of so many blocks (0: as memory has it), and memory as an object. */
static const struct kvc_answer *ask(struct attempt *a, uint64_t blocks, const char *memory,
                                    bool most)
{
    static struct log_text settings;
    settings.length = 0;
    put_settings(a, &settings);
    if (blocks > 0)
        log_put(&settings, ",\"num_gpu_blocks_override\":%llu", (unsigned long long)blocks);
    log_put(&settings, "}");
    struct log_question question = { .engine = a->engine,
                                     .model = a->model,
                                     .inline_model = PLAIN,
                                     .settings = settings.text,
                                     .memory = memory,
                                     .day = a->day,
                                     .most = most };
    const struct kvc_fit *fit = log_ask(a->asker, &question);
    if (fit == NULL) {
        log_miss(a->outcome, "%s", a->asker->refusal);
        return NULL;
    }
    if (fit->answer.decision != KVC_DECISION_UNDETERMINED)
        return &fit->answer;
    for (uint32_t i = 0; i < fit->answer.undetermined_count; i++) {
        const struct kvc_answer_undetermined *entry = &fit->answer.undetermined[i];
        a->wants_batched = a->wants_batched || kvc_span_is(entry->key, "max_num_batched_tokens");
        log_miss(a->outcome, "%.*s: %.*s", (int)entry->key.length, entry->key.text,
                 (int)entry->reason.length, entry->reason.text);
    }
    return NULL;
}

/* ---- Numbers of an answer. */

struct numbers {
    struct kvc_maybe blocks, tokens, concurrency, cpu_blocks, estimated, needed;
    bool starts;
};

static struct kvc_maybe cpu_blocks_of(const struct kvc_answer *answer)
{
    static const char WORDS[] = "# CPU blocks: ";
    for (uint32_t i = 0; i < answer->lines_count; i++) {
        char line[200];
        snprintf(line, sizeof line, "%.*s", (int)answer->lines[i].length, answer->lines[i].text);
        const char *at = strstr(line, WORDS);
        if (at != NULL)
            return kvc_said(strtoull(at + sizeof WORDS - 1, NULL, 10));
    }
    return (struct kvc_maybe){ .said = false };
}

static bool numbers_of(const struct kvc_answer *answer, struct numbers *ret_numbers)
{
    uint64_t hundredths;
    if (answer == NULL)
        return false;
    *ret_numbers = (struct numbers){ .blocks = answer->num_blocks,
                                     .tokens = answer->tokens,
                                     .cpu_blocks = cpu_blocks_of(answer),
                                     .estimated = answer->estimated_max_model_len,
                                     .needed = answer->needed_bytes,
                                     .starts = answer->decision == KVC_DECISION_FIT ||
                                               answer->decision == KVC_DECISION_NONE };
    if (answer->max_concurrency.text != NULL &&
        log_hundredths(answer->max_concurrency, &hundredths))
        ret_numbers->concurrency = kvc_said(hundredths);
    return true;
}

/* ---- Lists: one number a rank, or a number alone. */

static uint32_t count_of(const struct kvc_value *value)
{
    return value == NULL ? 0 : value->type == KVC_ARRAY ? value->count : 1;
}

static const struct kvc_value *number_at(const struct kvc_value *value, uint32_t index)
{
    return value != NULL && value->type == KVC_ARRAY ? kvc_value_element(value, index) : value;
}

static bool least_of(const struct kvc_value *value, uint64_t *ret_least)
{
    *ret_least = UINT64_MAX;
    for (uint32_t i = 0; i < count_of(value); i++) {
        uint64_t number;
        if (!kvc_span_u64(number_at(value, i)->text, &number))
            return false;
        *ret_least = number < *ret_least ? number : *ret_least;
    }
    return value != NULL;
}

static bool least_hundredths(const struct kvc_value *value, uint64_t *ret_least)
{
    *ret_least = UINT64_MAX;
    for (uint32_t i = 0; i < count_of(value); i++) {
        uint64_t number;
        if (!log_hundredths(number_at(value, i)->text, &number))
            return false;
        *ret_least = number < *ret_least ? number : *ret_least;
    }
    return value != NULL;
}

/* ---- From memory. */

static bool is_negative(const struct kvc_value *value)
{
    return value->text.length > 0 && value->text.text[0] == '-';
}

static uint64_t ranks_of(const struct attempt *a, const char *key)
{
    uint64_t ranks = 1;
    if (a->tp != NULL && strcmp(key, "tp") == 0)
        return (uint64_t)(a->tp[0] - '0');
    log_count(a->row->settings, key, &ranks);
    return ranks;
}

/* Whether each worker's memory was printed: else another one may have had less. */
static bool every_rank_is_told(const struct attempt *a)
{
    return count_of(log_member(a->row->inputs, "available_kv_gib")) >=
           ranks_of(a, "tp") * ranks_of(a, "pp");
}

static void put_gib(struct log_text *text, const struct kvc_value *printed)
{
    log_put(text, "\"%.*s\"", (int)printed->text.length, printed->text.text);
}

/* Of one stage the least of what its ranks printed, for the least binds.  What is below zero is nothing. */
static bool put_least(struct log_text *text, const struct kvc_value *value)
{
    const struct kvc_value *least = NULL;
    struct kvc_bytes_range range, other;
    for (uint32_t i = 0; i < count_of(value); i++) {
        const struct kvc_value *entry = number_at(value, i);
        if (entry->type == KVC_NUMBER && is_negative(entry)) {
            log_put(text, "{\"available_kv_bytes\":0}");
            return true;
        }
        if (!log_printed(entry, 30, &other))
            return false;
        if (least == NULL || other.least < range.least) {
            least = entry;
            range = other;
        }
    }
    if (least == NULL)
        return false;
    log_put(text, "{\"available_kv_gib\":");
    put_gib(text, least);
    log_put(text, "}");
    return true;
}

/* Stages weigh differently, so each has its own: one number a stage, or one a rank. */
static bool put_stages(struct log_text *text, const struct kvc_value *value, uint64_t tp,
                       uint64_t pp)
{
    struct kvc_bytes_range range;
    if (count_of(value) != pp && count_of(value) != tp * pp)
        return false;
    log_put(text, "{\"available_kv_gib\":[");
    for (uint32_t i = 0; i < count_of(value); i++) {
        if (!log_printed(number_at(value, i), 30, &range))
            return false;
        log_put(text, "%s", i == 0 ? "" : ",");
        put_gib(text, number_at(value, i));
    }
    log_put(text, "]}");
    return true;
}

static bool put_available(const struct attempt *a, struct log_text *text)
{
    const struct kvc_value *value = log_member(a->row->inputs, "available_kv_gib");
    uint64_t pp = ranks_of(a, "pp");
    text->length = 0;
    return pp > 1 ? put_stages(text, value, ranks_of(a, "tp"), pp) : put_least(text, value);
}

static void within(struct log_outcome *outcome, const char *what, uint64_t printed,
                   struct kvc_maybe least, struct kvc_maybe most, bool from_below)
{
    if (least.said && most.said)
        log_compare(outcome, what, printed, from_below ? least.value : 0, most.value);
}

static void compare_pool_ends(struct attempt *a, const struct numbers *least,
                              const struct numbers *most, bool from_below)
{
    const struct kvc_value *reported = a->row->reported;
    uint64_t printed;
    if (least_of(log_member(reported, "blocks"), &printed))
        within(a->outcome, "blocks", printed, least->blocks, most->blocks, from_below);
    if (least_of(log_member(reported, "tokens"), &printed))
        within(a->outcome, "tokens", printed, least->tokens, most->tokens, from_below);
    if (least_of(log_member(reported, "max_storable_tokens"), &printed))
        within(a->outcome, "max_storable_tokens", printed, least->tokens, most->tokens, from_below);
    if (least_hundredths(log_member(reported, "max_concurrency"), &printed))
        within(a->outcome, "max_concurrency in hundredths", printed, least->concurrency,
               most->concurrency, from_below);
}

static void compare_refusal_ends(struct attempt *a, const struct numbers *least,
                                 const struct numbers *most, bool from_below)
{
    const struct kvc_value *reported = a->row->reported;
    const struct kvc_value *started = log_member(reported, "started");
    const struct kvc_value *needed = log_member(reported, "needed_kv_gib");
    uint64_t printed;
    if (started != NULL && !a->needs_alone && least->starts == most->starts &&
        (from_below || !most->starts))
        log_compare_truth(a->outcome, "started", started->type == KVC_TRUE, most->starts);
    if (needed != NULL && most->needed.said)
        log_compare_bytes(a->outcome, "needed_kv_gib", needed, 30, most->needed.value);
    if (!a->needs_alone && log_count(reported, "estimated_max_model_len", &printed))
        within(a->outcome, "estimated_max_model_len", printed, least->estimated, most->estimated,
               true);
}

static bool is_cpu(const struct attempt *a)
{
    const struct kvc_value *device = log_member(a->row->settings, "device");
    return device != NULL && kvc_span_is(device->text, "cpu");
}

/* The budget of a device, as its terms were printed. */
static bool terms_of(const struct attempt *a, struct log_text *ret_memory)
{
    static const struct {
        const char *key, *name;
        bool needed;
    } TERMS[] = { { "total_gpu_gib", "device_total_gib", true },
                  { "weights_gib", "weights_gib", true },
                  { "activation_peak_gib", "activation_gib", true },
                  { "non_torch_gib", "non_torch_gib", true },
                  { "cuda_graph_gib", "cuda_graph_gib", false } };
    log_put(ret_memory, "{");
    for (size_t i = 0; i < sizeof TERMS / sizeof TERMS[0]; i++) {
        const struct kvc_value *value = log_member(a->row->inputs, TERMS[i].key);
        struct kvc_bytes_range range;
        if (value == NULL && !TERMS[i].needed)
            continue;
        if (!log_printed(value, 30, &range))
            return false;
        put_name(ret_memory, TERMS[i].name);
        log_put(ret_memory, "\"%.*s\"", (int)value->text.length, value->text.text);
    }
    log_put(ret_memory, "}");
    return log_member(a->row->settings, "gpu_memory_utilization") != NULL;
}

static void compare_at_ends(struct attempt *a, const char *memory, bool from_below)
{
    struct numbers least, most;
    if (a->model == NULL || !numbers_of(ask(a, 0, memory, false), &least) ||
        !numbers_of(ask(a, 0, memory, true), &most))
        return;
    if (!a->needs_alone)
        compare_pool_ends(a, &least, &most, from_below);
    compare_refusal_ends(a, &least, &most, from_below);
}

static void compare_from_memory(struct attempt *a)
{
    static struct log_text terms, available;
    terms.length = 0;
    /* Terms are of one rank: of several another one may have had less. */
    if (terms_of(a, &terms))
        compare_at_ends(a, terms.text, ranks_of(a, "tp") * ranks_of(a, "pp") == 1);
    if (put_available(a, &available))
        compare_at_ends(a, available.text, every_rank_is_told(a));
    else if (is_cpu(a))
        compare_at_ends(a, "{}", true);
    else if (log_member(a->row->reported, "needed_kv_gib") != NULL) {
        a->needs_alone = true;
        compare_at_ends(a, "{\"available_kv_bytes\":1073741824}", true);
        a->needs_alone = false;
    }
}

/* ---- From the pool. */

#define BLOCKS_MAX (UINT64_C(1) << 36)

static uint64_t tokens_with(struct attempt *a, uint64_t blocks, bool *ret_asked)
{
    struct numbers numbers;
    *ret_asked = numbers_of(ask(a, blocks, "{}", false), &numbers);
    return *ret_asked && numbers.tokens.said ? numbers.tokens.value : 0;
}

/* The least number of blocks with so many tokens at least; more blocks never hold less. */
static uint64_t blocks_for(struct attempt *a, uint64_t tokens, bool *ret_asked)
{
    uint64_t low = 0, high = 1;
    while (high < BLOCKS_MAX && tokens_with(a, high, ret_asked) < tokens && *ret_asked) {
        low = high;
        high *= 2;
    }
    while (low + 1 < high && *ret_asked) {
        uint64_t middle = low + (high - low) / 2;
        if (tokens_with(a, middle, ret_asked) < tokens)
            low = middle;
        else
            high = middle;
    }
    return high;
}

struct pool {
    uint64_t least, most; /* blocks */
};

/* The pools of which so many tokens are printed. */
static bool pool_of_tokens(struct attempt *a, uint64_t tokens, const char *what,
                           struct pool *ret_pool)
{
    bool asked = true;
    char expected[40];
    uint64_t least = blocks_for(a, tokens, &asked);
    if (!asked)
        return false;
    uint64_t got = tokens_with(a, least, &asked);
    if (got != tokens) {
        snprintf(expected, sizeof expected, "%llu", (unsigned long long)tokens);
        log_differ(a->outcome, what, expected,
                   "no pool of whole blocks has them: %llu blocks have %llu",
                   (unsigned long long)least, (unsigned long long)got);
        return false;
    }
    a->outcome->compared++;
    *ret_pool = (struct pool){ least, blocks_for(a, tokens + 1, &asked) - 1 };
    return asked;
}

static bool concurrency_of(struct attempt *a, struct pool pool, uint64_t *ret_least,
                           uint64_t *ret_most)
{
    struct numbers least, most;
    if (!numbers_of(ask(a, pool.least, "{}", false), &least) ||
        !numbers_of(ask(a, pool.most, "{}", false), &most) || !least.concurrency.said)
        return false;
    *ret_least = least.concurrency.value;
    *ret_most = most.concurrency.value;
    return true;
}

/* Of several printed pools each concurrency is one's; one alone is of the least. */
static void compare_concurrency(struct attempt *a, const struct pool *pools, uint32_t count,
                                uint32_t least_at)
{
    const struct kvc_value *printed = log_member(a->row->reported, "max_concurrency");
    for (uint32_t i = 0; i < count_of(printed); i++) {
        uint64_t hundredths, least, most;
        bool found = false;
        if (!log_hundredths(number_at(printed, i)->text, &hundredths))
            return;
        for (uint32_t j = 0; j < count && !found; j++) {
            bool is_due = count_of(printed) > 1 || j == least_at;
            found = is_due && concurrency_of(a, pools[j], &least, &most) && hundredths >= least &&
                    hundredths <= most;
        }
        if (found)
            a->outcome->compared++;
        else if (concurrency_of(a, pools[least_at], &least, &most))
            log_compare(a->outcome, "max_concurrency in hundredths", hundredths, least, most);
    }
}

static void compare_with_pool(struct attempt *a, struct pool pool)
{
    const struct kvc_value *reported = a->row->reported;
    const struct kvc_value *started = log_member(reported, "started");
    struct numbers least, most;
    uint64_t printed;
    if (!numbers_of(ask(a, pool.least, "{}", false), &least) ||
        !numbers_of(ask(a, pool.most, "{}", false), &most))
        return;
    if (log_count(reported, "blocks", &printed))
        log_compare(a->outcome, "blocks", printed, pool.least, pool.most);
    if (log_count(reported, "tokens", &printed))
        within(a->outcome, "tokens", printed, least.tokens, most.tokens, true);
    if (log_count(reported, "max_storable_tokens", &printed))
        within(a->outcome, "max_storable_tokens", printed, least.tokens, most.tokens, true);
    if (started != NULL && a->is_v0 && least.starts == most.starts)
        log_compare_truth(a->outcome, "started", started->type == KVC_TRUE, least.starts);
}

#define POOLS_MAX 64

static void compare_from_pool(struct attempt *a)
{
    const struct kvc_value *reported = a->row->reported;
    const char *what = log_member(reported, "blocks") != NULL   ? "blocks"
                       : log_member(reported, "tokens") != NULL ? "tokens"
                                                                : "max_storable_tokens";
    const struct kvc_value *printed = log_member(reported, what);
    bool are_blocks = strcmp(what, "blocks") == 0;
    struct pool pools[POOLS_MAX];
    uint32_t count = count_of(printed), least_at = 0;
    if (count == 0 || count > POOLS_MAX)
        return;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t number;
        if (!kvc_span_u64(number_at(printed, i)->text, &number) || number == 0)
            return;
        if (are_blocks)
            pools[i] = (struct pool){ number, number };
        else if (!pool_of_tokens(a, number, what, &pools[i]))
            return;
        least_at = pools[i].least < pools[least_at].least ? i : least_at;
    }
    compare_concurrency(a, pools, count, least_at);
    /* Of one pool alone the blocks are no prediction; what else is printed of it is. */
    if (!are_blocks || log_member(reported, "tokens") != NULL ||
        log_member(reported, "max_storable_tokens") != NULL)
        compare_with_pool(a, pools[least_at]);
}

/* Host memory for swapped blocks is a setting, so their number follows from the model alone. */
static void compare_cpu_blocks(struct attempt *a)
{
    struct numbers numbers;
    uint64_t printed;
    if (a->model == NULL || !log_count(a->row->reported, "cpu_blocks", &printed))
        return;
    if (numbers_of(ask(a, 1, "{}", false), &numbers) && numbers.cpu_blocks.said)
        log_compare(a->outcome, "cpu_blocks", printed, numbers.cpu_blocks.value,
                    numbers.cpu_blocks.value);
}

/* ---- Blocks of hybrid models. */

/* The number after some words of a line, in hundredths. */
static bool line_number(const struct kvc_answer *answer, const char *words,
                        uint64_t *ret_hundredths)
{
    for (uint32_t i = 0; answer != NULL && i < answer->lines_count; i++) {
        char line[240];
        snprintf(line, sizeof line, "%.*s", (int)answer->lines[i].length, answer->lines[i].text);
        const char *at = strstr(line, words);
        size_t digits = 0;
        if (at == NULL)
            continue;
        at += strlen(words);
        while (isdigit((unsigned char)at[digits]) || at[digits] == '.')
            digits++;
        return log_hundredths((struct kvc_span){ at, digits }, ret_hundredths);
    }
    return false;
}

static void compare_hybrid(struct attempt *a)
{
    const struct kvc_value *reported = a->row->reported;
    const struct kvc_value *padding = log_member(reported, "mamba_padding_percent");
    uint64_t block, percent, predicted;
    bool has_block = log_count(reported, "attention_block_size", &block);
    if (a->model == NULL || (!has_block && padding == NULL))
        return;
    const struct kvc_answer *answer = ask(a, 1000000, "{}", false);
    if (has_block && line_number(answer, "Setting attention block size to ", &predicted))
        log_compare(a->outcome, "attention_block_size", block, predicted / 100, predicted / 100);
    if (padding != NULL && log_hundredths(padding->text, &percent) &&
        line_number(answer, "Padding mamba page size by ", &predicted))
        log_compare(a->outcome, "mamba_padding_percent in hundredths", percent, predicted,
                    predicted);
}

/* ---- The budget: available is what is left of a share of the device. */

static bool term(const struct kvc_value *inputs, const char *key, uint32_t index,
                 struct kvc_bytes_range *ret_range)
{
    return log_printed(number_at(log_member(inputs, key), index), 30, ret_range);
}

static void compare_budget(struct attempt *a)
{
    const struct kvc_value *inputs = a->row->inputs;
    uint32_t count = count_of(log_member(inputs, "available_kv_gib"));
    for (uint32_t i = 0; i < count; i++) {
        struct kvc_bytes_range budget, weights, outside, activation, left;
        if (!term(inputs, "budget_gib", i, &budget) || !term(inputs, "weights_gib", i, &weights) ||
            !term(inputs, "non_torch_gib", i, &outside) ||
            !term(inputs, "activation_peak_gib", i, &activation) ||
            !term(inputs, "available_kv_gib", i, &left))
            return;
        uint64_t least = weights.least + outside.least + activation.least;
        uint64_t most = weights.most + outside.most + activation.most;
        bool meets = budget.most >= least + left.least && budget.least <= most + left.most;
        if (meets)
            a->outcome->compared++;
        else
            log_differ(a->outcome, "available_kv_gib", "what the terms leave of the budget",
                       "another number");
    }
}

/* ---- Tries. */

static void try_one(struct attempt *a)
{
    compare_budget(a);
    compare_from_memory(a);
    compare_from_pool(a);
    compare_cpu_blocks(a);
    compare_hybrid(a);
}

/* A checkpoint in eight bits or less may ask for a cache in eight bits; a row that names such a checkpoint and no
 * format leaves that open. */
static bool may_ask_for_fp8(const struct log_row *row)
{
    const struct kvc_value *cache = log_member(row->settings, "kv_cache_dtype");
    if (cache != NULL && !kvc_span_is(cache->text, "auto"))
        return false;
    return cache == NULL && (log_names(row->model, "nvfp4") || log_names(row->model, "fp8"));
}

/* Why nothing can follow, before anything is asked. */
static const char *out_of_reach(const struct log_row *row)
{
    const struct kvc_value *device = log_member(row->settings, "device");
    if (device != NULL && kvc_span_is(device->text, "metal"))
        return "device: vllm-metal is a plugin with rules of its own";
    if (log_member(row->settings, "speculative") != NULL)
        return "speculative_config: the layers of the draft model are not said";
    if (row->reported->count == 0 && log_member(row->inputs, "budget_gib") == NULL)
        return "reported: no number is";
    return NULL;
}

/* One day with one guess; whether the row is settled. */
static bool try_guess(struct attempt *a, bool is_guess, struct log_outcome *best)
{
    struct log_outcome outcome = { .compared = 0 };
    a->outcome = &outcome;
    try_one(a);
    /* What a row does not say may be another value yet: a guess shows nothing by differing. */
    if (!(is_guess && outcome.differs) && log_is_better(&outcome, best))
        *best = outcome;
    if (best->missing[0] == '\0')
        memcpy(best->missing, outcome.missing, sizeof best->missing);
    return best->compared > 0 && !best->differs;
}

/* The defaults of max_num_batched_tokens are those of devices by their memory (EngineArgs,
 * vllm/engine/arg_utils.py), and are tried where an answer wants them. */
static bool try_batches(struct attempt *a, bool is_guess, struct log_outcome *best)
{
    static const char *const BATCHED[] = { NULL, "2048", "8192", "16384" };
    a->wants_batched = false;
    for (size_t i = 0; i < 4 && (i == 0 || a->wants_batched); i++) {
        a->batched = BATCHED[i];
        if (try_guess(a, is_guess || i > 0, best))
            return true;
    }
    return false;
}

/* What the row does not say, first as the engine has it, then as it may be. */
static void try_days(struct attempt *a, const uint32_t *days, size_t days_count,
                     struct log_outcome *best)
{
    static const char *const BLOCKS[] = { NULL, "16", "32", "64", "128" };
    static const char *const CACHES[] = { NULL, "fp8" };
    /* Of a model that is not known tokens are blocks of one; whatever they were, they are whole. */
    bool has_block = log_member(a->row->settings, "block_size") != NULL;
    size_t blocks_count = has_block || a->model == NULL ? 1 : 5;
    size_t caches_count = a->other_caches || may_ask_for_fp8(a->row) ? 2 : 1;
    for (size_t i = 0; i < 2 * blocks_count * caches_count; i++) {
        a->cache = CACHES[i / 2 % caches_count];
        a->block = a->model == NULL && !has_block ? "1" : BLOCKS[i / 2 / caches_count];
        a->prefixes = i % 2 == 1;
        for (size_t d = 0; d < days_count; d++) {
            a->day = days[d];
            if (try_batches(a, i > 0, best))
                return;
        }
    }
}

/* Of a model that is not known tokens and concurrency are in one relation where all its layers are in one group, as
 * they were before groups; and again since tokens are told as concurrency times length.  Between the two nobody
 * can say. */
static bool plain_can_say(const struct log_row *row, bool is_v0, const uint32_t *days,
                          size_t days_count)
{
    const struct kvc_value *started = log_member(row->reported, "started");
    if (started != NULL || log_member(row->reported, "max_concurrency") == NULL ||
        log_member(row->settings, "max_model_len") == NULL)
        return is_v0 && log_member(row->reported, "max_storable_tokens") != NULL;
    for (size_t i = 0; i < days_count && !is_v0; i++) {
        if (days[i] >= KVC_VLLM_HYBRID_MANAGER && days[i] < KVC_VLLM_TOKENS_FROM_CONCURRENCY)
            return false;
    }
    return true;
}

/* Whether the numbers agree with other values of what the row does not tell. */
static bool agrees_with(struct attempt *a, const char *tp, bool other_caches, const uint32_t *days,
                        size_t days_count)
{
    struct log_outcome other = { .compared = 0 };
    a->tp = tp;
    a->other_caches = other_caches;
    try_days(a, days, days_count, &other);
    a->tp = NULL;
    a->other_caches = false;
    return other.compared > 0 && !other.differs;
}

/* A setting that is not told may have been given.  A row that another value of one explains does not tell
 * enough; one that none explains is wrong, or we are. */
static void excuse(struct attempt *a, const uint32_t *days, size_t days_count,
                   struct log_outcome *outcome)
{
    const struct kvc_value *settings = a->row->settings;
    static const char *const RANKS[] = { "2", "4", "8" };
    bool has_ranks = log_member(settings, "tp") != NULL || is_cpu(a) || a->model == NULL;
    for (size_t i = 0; i < 3 && !has_ranks; i++) {
        if (agrees_with(a, RANKS[i], false, days, days_count)) {
            log_excuse(outcome, "tensor_parallel_size");
            return;
        }
    }
    if (log_member(settings, "max_model_len") == NULL &&
        strncmp(outcome->what, "max_concurrency", strlen("max_concurrency")) == 0) {
        log_excuse(outcome, "max_model_len");
        return;
    }
    if (log_member(settings, "kv_cache_dtype") == NULL && a->model != NULL &&
        agrees_with(a, NULL, true, days, days_count))
        log_excuse(outcome, "kv_cache_dtype");
}

void log_vllm_row(struct log_asker *asker, const struct log_row *row, struct log_outcome *outcome)
{
    const struct kvc_value *which = log_member(row->settings, "engine");
    const char *names[LOG_MODELS_MAX], *why = out_of_reach(row);
    uint32_t days[LOG_DAYS_MAX];
    char engine[LOG_ENGINE_ROOM];
    bool is_loose;
    size_t days_count = log_days("vllm", row->version, days, engine);
    size_t names_count = log_models(row->model, names, &is_loose);
    struct attempt attempt = { .asker = asker, .row = row, .engine = engine };
    attempt.is_v0 = which != NULL && kvc_span_is(which->text, "V0");
    if (why != NULL || days_count == 0) {
        log_miss(outcome, "%s", why != NULL ? why : "engine_version: no release or day is named");
        return;
    }
    for (size_t i = 0; i < names_count && (outcome->compared == 0 || outcome->differs); i++) {
        attempt.model = names[i];
        try_days(&attempt, days, days_count, outcome);
    }
    if (outcome->differs && !is_loose)
        excuse(&attempt, days, days_count, outcome);
    if (outcome->differs && is_loose) {
        *outcome = (struct log_outcome){ .compared = 0 };
        log_miss(outcome, "model: which of its class it is is not said, or a setting of it");
    }
    if (names_count == 0 && plain_can_say(row, attempt.is_v0, days, days_count)) {
        attempt.model = NULL;
        try_days(&attempt, days, days_count, outcome);
    }
    log_miss(outcome, "%s",
             names_count == 0 ? "model: it is not known by this name"
                              : "no number that is told bounds another");
}
