/* llamacpp_params.c - see llamacpp_params.h for the room and its promises. */

#include "engine/llamacpp_params.h"

#include "base/decimal.h"
#include "engine/llamacpp_changes.h"

#define MIB (UINT64_C(1) << 20)

/* What stands where nothing is said. */
struct defaults {
    const char *preset;                           /* the switch that brings them; NULL: none does */
    uint64_t n_ctx, n_batch, n_ubatch, n_seq_max; /* n_seq_max 0: the program's own */
    bool is_embedding;
};

struct reader {
    struct kvc_settings *settings;
    uint32_t day;
    struct kvc_llamacpp_wanted *wanted;
    struct defaults defaults;
};

/* ---- A setting by the library's name, or by the long option where that is another. */

static const char *given_as(struct reader *reader, const char *name, const char *option)
{
    bool is_option = option != NULL && kvc_setting_said(reader->settings, option);
    if (is_option && kvc_setting_said(reader->settings, name))
        kvc_setting_refuse(reader->settings, option, "%s stands there as well: it is the same",
                           name);
    return is_option ? option : name;
}

static uint64_t count_of(struct reader *reader, const char *name, const char *option,
                         uint64_t absent)
{
    return kvc_setting_count(reader->settings, given_as(reader, name, option), absent);
}

static bool is_said(struct reader *reader, const char *name, const char *option)
{
    return kvc_setting_said(reader->settings, name) ||
           (option != NULL && kvc_setting_said(reader->settings, option));
}

static enum kvc_format format_of(struct reader *reader, const char *name, const char *option)
{
    enum kvc_format format = KVC_FORMAT_F16;
    struct kvc_span word =
        kvc_setting_text(reader->settings, given_as(reader, name, option), "f16");
    kvc_format_named(word, &format); /* the table's words are formats all */
    return format;
}

/* "on", "enabled", "1" and so on (common/arg.cpp; the numbers since PR 15746). */
static enum kvc_llamacpp_flash flash_of(struct reader *reader)
{
    bool is_auto = kvc_llamacpp_since(reader->day, KVC_LLAMACPP_FLASH_AUTO_DEFAULT);
    struct kvc_span word =
        kvc_setting_text(reader->settings, "flash_attn", is_auto ? "auto" : "off");
    if (kvc_span_is(word, "on") || kvc_span_is(word, "enabled") || kvc_span_is(word, "1"))
        return KVC_LLAMACPP_FLASH_ON;
    if (kvc_span_is(word, "off") || kvc_span_is(word, "disabled") || kvc_span_is(word, "0"))
        return KVC_LLAMACPP_FLASH_OFF;
    return is_auto ? KVC_LLAMACPP_FLASH_AUTO : KVC_LLAMACPP_FLASH_OFF;
}

/* ---- What both have. */

static void read_shared(struct reader *reader)
{
    struct kvc_llamacpp_params *params = &reader->wanted->params;
    params->n_batch = count_of(reader, "n_batch", "batch_size", reader->defaults.n_batch);
    params->n_ubatch = count_of(reader, "n_ubatch", "ubatch_size", reader->defaults.n_ubatch);
    params->type_k = format_of(reader, "type_k", "cache_type_k");
    params->type_v = format_of(reader, "type_v", "cache_type_v");
    params->flash = flash_of(reader);
    params->offload_kqv =
        kvc_setting_truth(reader->settings, given_as(reader, "offload_kqv", "kv_offload"), true);
    params->n_rs_seq = kvc_setting_count(reader->settings, "n_rs_seq", 0);
    reader->wanted->ctx_name = given_as(reader, "n_ctx", "ctx_size");
}

/* ---- How a model is split. */

/* "3,1", "3/1", [3, 1]: at most as many as there can be devices. */
static void read_parts(struct reader *reader)
{
    struct kvc_llamacpp_split *split = &reader->wanted->split;
    const struct kvc_value *value = kvc_setting_value(reader->settings, "tensor_split");
    uint32_t count = 0;
    if (value == NULL)
        return;
    struct kvc_span rest = value->text;
    const struct kvc_value *element = value->type == KVC_ARRAY ? value->first : NULL;
    bool is_text = value->type == KVC_STRING;
    while ((is_text ? rest.length > 0 : element != NULL) && count < KVC_LLAMACPP_DEVICES_MAX) {
        struct kvc_span part = is_text ? rest : element->text;
        if (is_text) {
            for (part.length = 0; part.length < rest.length && rest.text[part.length] != ',' &&
                                  rest.text[part.length] != '/';)
                part.length++;
            size_t used = part.length < rest.length ? part.length + 1 : part.length;
            rest = (struct kvc_span){ rest.text + used, rest.length - used };
        } else {
            element = element->next;
        }
        if (!kvc_f32_from_text(part, &split->parts[count])) {
            kvc_setting_refuse(reader->settings, "tensor_split",
                               "a list of numbers is due, a share of each device");
            return;
        }
        /* The engine takes the model apart by free memory where all shares are 0. */
        split->has_parts =
            split->has_parts ||
            kvc_f32_compare(split->parts[count], kvc_f32_from_u64(0)) == KVC_ORDER_GREATER;
        count++;
    }
}

/* -ngl: "auto", or nothing, leaves layers to the fit step; "all" is somebody's word. */
static bool read_layers(struct reader *reader)
{
    bool goes_far = kvc_llamacpp_since(reader->day, KVC_LLAMACPP_FLASH_AUTO_DEFAULT);
    const char *name = given_as(reader, "n_gpu_layers", "gpu_layers");
    const struct kvc_value *value = kvc_setting_value(reader->settings, name);
    reader->wanted->split.gpu_layers =
        kvc_setting_count(reader->settings, name, goes_far ? KVC_SETTING_MINUS_ONE : 0);
    return value != NULL && !kvc_span_is(value->text, "auto") && !kvc_span_is(value->text, "-1");
}

static void read_split(struct reader *reader)
{
    struct kvc_llamacpp_split *split = &reader->wanted->split;
    bool is_set = read_layers(reader);
    struct kvc_span mode = kvc_setting_text(reader->settings, "split_mode", "layer");
    split->is_none = kvc_span_is(mode, "none");
    split->by_row = kvc_span_is(mode, "row");
    reader->wanted->params.split_by_tensor = kvc_span_is(mode, "tensor");
    split->main_device = (uint32_t)kvc_setting_count(reader->settings, "main_gpu", 0);
    read_parts(reader);
    reader->wanted->fit.is_split_set = is_set || split->has_parts ||
                                       kvc_setting_said(reader->settings, "override_tensor") ||
                                       kvc_setting_truth(reader->settings, "cpu_moe", false) ||
                                       kvc_setting_count(reader->settings, "n_cpu_moe", 0) > 0;
}

/* ---- The library: llama_context_default_params. */

static void read_library(struct reader *reader)
{
    struct kvc_llamacpp_params *params = &reader->wanted->params;
    params->n_ctx = count_of(reader, "n_ctx", "ctx_size", reader->defaults.n_ctx);
    params->n_seq_max = count_of(reader, "n_seq_max", "parallel", 1);
    params->kv_unified = kvc_setting_truth(reader->settings, "kv_unified", false);
    params->swa_full = kvc_setting_truth(reader->settings, "swa_full", true);
    read_shared(reader);
    read_split(reader);
}

/* ---- Speculation: kinds that draft several tokens take recurrent state back (need_n_rs_seq,
 * common/common.h). */

static bool is_word_of(struct kvc_span list, const char *word)
{
    struct kvc_span rest = list;
    while (rest.length > 0) {
        struct kvc_span part = rest;
        for (part.length = 0; part.length < rest.length && rest.text[part.length] != ',';)
            part.length++;
        if (kvc_span_is(part, word))
            return true;
        size_t used = part.length < rest.length ? part.length + 1 : part.length;
        rest = (struct kvc_span){ rest.text + used, rest.length - used };
    }
    return false;
}

static bool names(const struct kvc_value *value, const char *word)
{
    if (value->type != KVC_ARRAY)
        return is_word_of(value->text, word);
    for (const struct kvc_value *e = value->first; e != NULL; e = e->next) {
        if (kvc_span_is(e->text, word))
            return true;
    }
    return false;
}

static void read_speculation(struct reader *reader)
{
    static const char *const TAKING_BACK[] = { "draft-mtp", "draft-eagle3", "draft-dflash",
                                               "draft-dspark" };
    const struct kvc_value *types = kvc_setting_value(reader->settings, "spec_type");
    uint64_t most = kvc_setting_count(reader->settings, "spec_draft_n_max", 3);
    reader->wanted->drafts = kvc_setting_said(reader->settings, "spec_draft_model");
    for (size_t i = 0; types != NULL && i < sizeof TAKING_BACK / sizeof TAKING_BACK[0]; i++) {
        if (!names(types, TAKING_BACK[i]))
            continue;
        reader->wanted->params.n_rs_seq = most;
        reader->wanted->drafts = true;
    }
}

/* ---- The programs: common_params and what each makes of it. */

static void read_margins(struct reader *reader)
{
    struct kvc_llamacpp_fit *fit = &reader->wanted->fit;
    const struct kvc_value *value = kvc_setting_value(reader->settings, "fit_target");
    for (uint32_t i = 0; i < KVC_LLAMACPP_DEVICES_MAX; i++)
        fit->margins[i] = 1024 * MIB;
    if (value == NULL)
        return;
    uint32_t count = 0;
    struct kvc_span rest = value->text;
    const struct kvc_value *element = value->type == KVC_ARRAY ? value->first : NULL;
    bool is_text = value->type != KVC_ARRAY;
    while ((is_text ? rest.length > 0 : element != NULL) && count < KVC_LLAMACPP_DEVICES_MAX) {
        struct kvc_span part = is_text ? rest : element->text;
        uint64_t mib = 0;
        if (is_text) {
            for (part.length = 0; part.length < rest.length && rest.text[part.length] != ',';)
                part.length++;
            size_t used = part.length < rest.length ? part.length + 1 : part.length;
            rest = (struct kvc_span){ rest.text + used, rest.length - used };
        } else {
            element = element->next;
        }
        if (!kvc_span_u64(part, &mib) || mib > UINT64_MAX / MIB) {
            kvc_setting_refuse(reader->settings, "fit_target", "whole numbers of MiB are due");
            return;
        }
        fit->margins[count++] = mib * MIB;
    }
    for (uint32_t i = 1; i < KVC_LLAMACPP_DEVICES_MAX && count == 1; i++)
        fit->margins[i] = fit->margins[0];
}

static void read_fit(struct reader *reader)
{
    struct kvc_llamacpp_fit *fit = &reader->wanted->fit;
    bool has_fit = kvc_llamacpp_since(reader->day, KVC_LLAMACPP_FITS);
    struct kvc_span word = kvc_setting_text(reader->settings, "fit", has_fit ? "on" : "off");
    fit->on = has_fit &&
              (kvc_span_is(word, "on") || kvc_span_is(word, "enabled") || kvc_span_is(word, "1"));
    fit->least_ctx = kvc_setting_count(reader->settings, "fit_ctx", 4096);
    fit->is_ctx_set = reader->wanted->params.n_ctx != 0;
    fit->is_ctx_full = is_said(reader, "n_ctx", "ctx_size") && !fit->is_ctx_set;
    read_margins(reader);
}

/* No number of slots: four that share one pool; with a number each has its part. */
static void read_slots(struct reader *reader)
{
    struct kvc_llamacpp_params *params = &reader->wanted->params;
    bool is_auto =
        kvc_llamacpp_since(reader->day, KVC_LLAMACPP_SLOTS_AUTO) && reader->defaults.n_seq_max == 0;
    uint64_t one = reader->defaults.n_seq_max == 0 ? 1 : reader->defaults.n_seq_max;
    uint64_t slots =
        count_of(reader, "n_seq_max", "parallel", is_auto ? KVC_SETTING_MINUS_ONE : one);
    params->kv_unified =
        kvc_setting_truth(reader->settings, "kv_unified", slots == KVC_SETTING_MINUS_ONE);
    if (slots == KVC_SETTING_MINUS_ONE) {
        slots = 4;
        params->kv_unified = true; /* even against --no-kv-unified (tools/server/server.cpp) */
    }
    if (slots == 0)
        kvc_setting_refuse(reader->settings, "n_seq_max", "at least one slot is due");
    params->n_seq_max = slots;
    kvc_setting_note_count(reader->settings, given_as(reader, "n_seq_max", "parallel"), slots);
}

static void read_server(struct reader *reader)
{
    struct kvc_llamacpp_wanted *wanted = reader->wanted;
    struct kvc_llamacpp_params *params = &wanted->params;
    read_slots(reader);
    wanted->slot_ctx = kvc_setting_count(reader->settings, "kv_unified_per_slot", 0);
    if (wanted->slot_ctx > 0 && params->n_ctx == 0 && !is_said(reader, "n_ctx", "ctx_size"))
        params->n_ctx = params->n_seq_max * wanted->slot_ctx;
    params->is_embedding = false;
    if (kvc_setting_truth(reader->settings, "embedding", reader->defaults.is_embedding) &&
        params->n_batch > params->n_ubatch)
        params->n_batch = params->n_ubatch;
    wanted->cache_ram_mib = kvc_llamacpp_since(reader->day, KVC_LLAMACPP_PROMPT_CACHE)
                                ? kvc_setting_count(reader->settings, "cache_ram", 8192)
                                : 0;
    wanted->checkpoints = kvc_setting_count(reader->settings, "ctx_checkpoints", 32);
}

/* Switches that set several options at once (the end of common/arg.cpp).  An option that is given beside
 * one stands, as it does on a command line where it comes later. */
static void read_preset(struct reader *reader)
{
    static const struct defaults PRESETS[] = {
        { "embd_gemma_default", 2048 * 32, 2048, 2048, 32, true },
        { "fim_qwen_1_5b_default", 0, 1024, 1024, 0, false },
        { "fim_qwen_3b_default", 0, 1024, 1024, 0, false },
        { "fim_qwen_7b_default", 0, 1024, 1024, 0, false },
        { "fim_qwen_7b_spec", 0, 1024, 1024, 0, false },
        { "fim_qwen_14b_spec", 0, 1024, 1024, 0, false },
        { "fim_qwen_30b_default", 0, 1024, 1024, 0, false },
        { "gpt_oss_20b_default", 131072 * 2, 32768, 2048, 2, false },
        { "gpt_oss_120b_default", 131072 * 2, 32768, 2048, 2, false },
    };
    reader->defaults = (struct defaults){ .n_ctx = 0, .n_batch = 2048, .n_ubatch = 512 };
    for (size_t i = 0; i < sizeof PRESETS / sizeof PRESETS[0]; i++) {
        if (kvc_setting_said(reader->settings, PRESETS[i].preset) &&
            kvc_setting_truth(reader->settings, PRESETS[i].preset, false))
            reader->defaults = PRESETS[i];
    }
}

/* The programs take the model's own context where none is given. */
static void read_program(struct reader *reader)
{
    struct kvc_llamacpp_params *params = &reader->wanted->params;
    read_preset(reader);
    params->n_ctx = count_of(reader, "n_ctx", "ctx_size", reader->defaults.n_ctx);
    params->swa_full = kvc_setting_truth(reader->settings, "swa_full", false);
    read_shared(reader);
    if (reader->wanted->is_server) {
        read_server(reader);
    } else {
        params->n_seq_max =
            count_of(reader, "n_seq_max", "parallel",
                     reader->defaults.n_seq_max == 0 ? 1 : reader->defaults.n_seq_max);
        params->kv_unified = kvc_setting_truth(reader->settings, "kv_unified", false);
    }
    read_speculation(reader);
    read_split(reader);
    read_fit(reader);
}

kvcap_code kvc_llamacpp_read_params(const struct kvc_engine_question *question,
                                    struct kvc_llamacpp_wanted *ret_wanted)
{
    struct reader reader = { .settings = question->settings,
                             .day = question->day,
                             .wanted = ret_wanted,
                             .defaults = { .n_ctx = 512, .n_batch = 2048, .n_ubatch = 512 } };
    *ret_wanted = (struct kvc_llamacpp_wanted){ .is_program = question->front.length > 0 };
    ret_wanted->is_server = ret_wanted->is_program && kvc_span_is(question->front, "llama-server");
    if (ret_wanted->is_program)
        read_program(&reader);
    else
        read_library(&reader);
    /* The server has an output for each slot and its drafts, as far as its batch allows, and always one:
     * common_speculative_get_output_limits, server_output_limits. */
    struct kvc_llamacpp_params *params = &ret_wanted->params;
    if (ret_wanted->is_server)
        params->n_outputs_max = params->n_batch == 0 ? 1 : params->n_batch;
    return question->settings->rc;
}
