/* quant.c - see quant.h for the room and its promises. */

#include "meta/quant.h"

#include "meta/facts.h"

#include <stdio.h>
#include <string.h>

/* ---- Where it stands. */

/* Members that hold how a checkpoint is quantised: config.json's own, the older name of
 * compressed-tensors, and those of hf_quant_config.json and params.json. */
static const char *const HOLDERS[] = { "quantization_config", "compression_config",
                                       "quantization" };
static const struct kvc_value *object_at(const struct kvc_value *object, const char *key)
{
    const struct kvc_value *member = kvc_value_member(object, key);
    return member == NULL || member->type != KVC_OBJECT || member->count == 0 ? NULL : member;
}

static const struct kvc_value *holder_in(const struct kvc_value *object)
{
    for (size_t i = 0; i < sizeof HOLDERS / sizeof HOLDERS[0]; i++) {
        const struct kvc_value *holder = object_at(object, HOLDERS[i]);
        if (holder != NULL)
            return holder;
    }
    return NULL;
}

/* In a wrapper of a vision or audio model it may stand beside the decoder's other keys, or between. */
static const struct kvc_value *holder_of(const struct kvc_value *tree)
{
    const struct kvc_value *holder = holder_in(tree);
    const struct kvc_value *at = kvc_facts_decoder(tree);
    for (; at != tree && holder == NULL; at = at->parent)
        holder = holder_in(at);
    return holder;
}

/* ---- What it says. */

/* The same letters, whatever their case. */
static bool is_word(struct kvc_span text, const char *word)
{
    if (text.length != strlen(word))
        return false;
    for (size_t i = 0; i < text.length; i++) {
        char c = text.text[i];
        if ((c >= 'A' && c <= 'Z' ? (char)(c + 32) : c) != word[i])
            return false;
    }
    return true;
}

static void read_word(const struct kvc_value *value, struct kvc_quant *quant)
{
    static const struct {
        const char *word, *format;
    } WORDS[] = {
        { "fp8", "fp8_e4m3" },      { "float8", "fp8_e4m3" }, { "fp8_e4m3", "fp8_e4m3" },
        { "fp8_e5m2", "fp8_e5m2" }, { "nvfp4", "nvfp4" },     { "fp4", "nvfp4" },
        { "float4", "nvfp4" },      { "int8", "int8" },
    };
    quant->said = value->text;
    quant->asked = KVC_ASKED_UNKNOWN;
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        if (is_word(value->text, WORDS[i].word)) {
            quant->asked = KVC_ASKED_FORMAT;
            quant->format = WORDS[i].format;
        }
    }
    if (is_word(value->text, "none") || is_word(value->text, "auto") || value->text.length == 0)
        quant->asked = KVC_ASKED_NONE;
}

static bool is_number(const struct kvc_value *value, const char *number)
{
    return value != NULL && value->type == KVC_NUMBER && kvc_span_is(value->text, number);
}

/* {"num_bits": 8, "type": "float", ...}, as compressed-tensors writes it and ModelOpt after it. */
static void read_scheme(const struct kvc_value *scheme, struct kvc_quant *quant)
{
    const struct kvc_value *bits = kvc_value_member(scheme, "num_bits");
    const struct kvc_value *type = kvc_value_member(scheme, "type");
    bool is_float = type != NULL && type->type == KVC_STRING && is_word(type->text, "float");
    bool is_int = type != NULL && type->type == KVC_STRING && is_word(type->text, "int");
    quant->said = kvc_span_of("an object");
    quant->asked = KVC_ASKED_FORMAT;
    if (is_float && is_number(bits, "8"))
        quant->format = "fp8_e4m3";
    else if (is_int && is_number(bits, "8"))
        quant->format = "int8";
    else if (is_float && is_number(bits, "4") &&
             is_number(kvc_value_member(scheme, "group_size"), "16"))
        quant->format = "nvfp4";
    else
        quant->asked = KVC_ASKED_UNKNOWN;
}

static void read_asked(const struct kvc_value *value, struct kvc_quant *quant)
{
    quant->at = value;
    switch (value->type) {
    case KVC_NULL:
    case KVC_FALSE:
        quant->asked = KVC_ASKED_NONE;
        break;
    case KVC_STRING:
        read_word(value, quant);
        break;
    case KVC_OBJECT:
        read_scheme(value, quant);
        break;
    default:
        quant->asked = KVC_ASKED_UNKNOWN;
        quant->said = value->type == KVC_ARRAY ? kvc_span_of("a list") : value->text;
    }
}

/* The names of the modules whose output Quark quantises for the cache; in what format stands with
 * each of them, which is not read here. */
static void read_quark(const struct kvc_value *holder, struct kvc_quant *quant)
{
    const struct kvc_value *group = kvc_value_member(holder, "kv_cache_group");
    if (group == NULL)
        group = kvc_value_member(kvc_value_member(holder, "export"), "kv_cache_group");
    if (group == NULL || group->type != KVC_ARRAY)
        return;
    quant->at = group;
    quant->said = kvc_span_of("a list");
    quant->asked = group->count == 0 ? KVC_ASKED_NONE : KVC_ASKED_UNKNOWN;
}

static struct kvc_span method_of(const struct kvc_value *holder)
{
    static const char *const KEYS[] = { "quant_method", "quant_algo", "qformat_weight" };
    for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++) {
        const struct kvc_value *value = kvc_value_member(holder, KEYS[i]);
        if (value != NULL && value->type == KVC_STRING && value->text.length > 0)
            return value->text;
    }
    return kvc_span_of("unnamed");
}

void kvc_quant_read(const struct kvc_value *tree, struct kvc_quant *ret_quant)
{
    static const char *const KEYS[] = { "kv_cache_scheme", "kv_cache_quant_algo",
                                        "kv_cache_dtype" };
    struct kvc_quant quant = { .asked = KVC_ASKED_NOTHING };
    const struct kvc_value *holder = holder_of(tree);
    if (holder != NULL) {
        quant.method = method_of(holder);
        read_quark(holder, &quant);
    }
    /* A null beside a key that asks for something is the older of two spellings. */
    for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0] && quant.asked <= KVC_ASKED_NONE; i++) {
        const struct kvc_value *value = kvc_value_member(holder, KEYS[i]);
        if (value != NULL && (quant.at == NULL || value->type != KVC_NULL))
            read_asked(value, &quant);
    }
    *ret_quant = quant;
}

bool kvc_quant_agree(const struct kvc_quant *a, const struct kvc_quant *b)
{
    if (a->asked == KVC_ASKED_NOTHING || b->asked == KVC_ASKED_NOTHING)
        return true;
    if (a->asked != b->asked)
        return false;
    if (a->asked == KVC_ASKED_FORMAT)
        return strcmp(a->format, b->format) == 0;
    return a->asked == KVC_ASKED_NONE || kvc_span_equal(a->said, b->said);
}

void kvc_quant_words(const struct kvc_quant *quant, char ret_words[KVC_QUANT_WORDS])
{
    if (quant->asked == KVC_ASKED_FORMAT)
        snprintf(ret_words, KVC_QUANT_WORDS, "%s", quant->format);
    else if (quant->asked == KVC_ASKED_UNKNOWN)
        snprintf(ret_words, KVC_QUANT_WORDS, "\"%.*s\", which is not known",
                 (int)(quant->said.length < 64 ? quant->said.length : 64), quant->said.text);
    else
        snprintf(ret_words, KVC_QUANT_WORDS, "an unquantised cache");
}
