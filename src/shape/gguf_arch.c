/* gguf_arch.c - see gguf_arch.h for the room and its promises. */

#include "shape/gguf_arch.h"

#include <stddef.h>

/* clang-format off */
#define P(text) { .name = (text) }

static const struct kvc_gguf_arch ARCHS[] = {
    /* ---- Keys and values of every token in every layer. */
    P("apertus"), P("arcee"), P("arctic"), P("baichuan"), P("bailingmoe"), P("bailingmoe2"),
    P("bitnet"), P("bloom"), P("chameleon"), P("chatglm"), P("codeshell"), P("cogvlm"),
    P("command-r"), P("dbrx"), P("deci"), P("deepseek"), P("deepseek2-ocr"), P("dots1"),
    P("eagle3"), P("ernie4_5"), P("ernie4_5-moe"), P("exaone"), P("falcon"), P("gemma"),
    P("glm4"), P("glm4moe"), P("gpt2"), P("gptneox"), P("granite"), P("granitemoe"),
    P("grok"), P("grovemoe"), P("hunyuan-dense"), P("hunyuan-moe"), P("hunyuan_vl"),
    P("internlm2"), P("jais"), P("jais2"), P("llama"), P("llama-embed"), P("maincoder"),
    P("minicpm"), P("minicpm3"), P("minimax-m2"), P("mistral3"), P("mpt"), P("nemotron"),
    P("olmo"), P("olmoe"), P("openelm"), P("orion"), P("paddleocr"), P("pangu-embedded"),
    P("phi2"), P("phi3"), P("phimoe"), P("plamo"), P("plm"), P("pockettts"), P("qwen"),
    P("qwen2"), P("qwen2moe"), P("qwen2vl"), P("qwen3"), P("qwen3moe"), P("qwen3tts"),
    P("qwen3vl"), P("qwen3vlmoe"), P("refact"), P("seed_oss"), P("smollm3"), P("stablelm"),
    P("starcoder"), P("starcoder2"), P("talkie"), P("xverse"),
    /* Encoder rows are cached over the same layers; what the decoder reads of them is not. */
    P("t5"), P("t5encoder"),
    /* NextN layers belong to a context of their own (create_memory). */
    { .name = "hy_v3", .drafts_apart = true },
    { .name = "graniteswitch", .extra = KVC_GGUF_EXTRA_ROUTER },
    { .name = "nanbeige", .extra = KVC_GGUF_EXTRA_LOOPS },

    /* ---- Windows. */
    { .name = "afmoe", .window = KVC_GGUF_WINDOW_IF_SAID, .every = 4 },
    { .name = "cohere2", .window = KVC_GGUF_WINDOW_SAID, .every = 4 },
    { .name = "cohere2moe", .window = KVC_GGUF_WINDOW_SAID, .slides = KVC_GGUF_SLIDES_EITHER,
      .dense_first = true },
    { .name = "dflash", .window = KVC_GGUF_WINDOW_IF_SAID, .slides = KVC_GGUF_SLIDES_LIST,
      .extra = KVC_GGUF_EXTRA_HYPER },
    { .name = "exaone-moe", .window = KVC_GGUF_WINDOW_SAID, .every = 4 },
    { .name = "exaone4", .window = KVC_GGUF_WINDOW_OR_DEFAULT, .window_tokens = 4096, .every = 4,
      .window_layers = 64 },
    { .name = "gemma2", .window = KVC_GGUF_WINDOW_OR_DEFAULT, .window_tokens = 4096, .every = 2 },
    { .name = "gemma3", .window = KVC_GGUF_WINDOW_IF_SAID, .every = 6 },
    { .name = "gemma3n", .window = KVC_GGUF_WINDOW_SAID, .every = 5, .shares = KVC_GGUF_SHARES_FROM_20 },
    { .name = "gemma4", .window = KVC_GGUF_WINDOW_SAID, .slides = KVC_GGUF_SLIDES_FLAGS,
      .shares = KVC_GGUF_SHARES_LAST },
    { .name = "gpt-oss", .window = KVC_GGUF_WINDOW_SAID, .every = 2 },
    { .name = "granite_swa", .window = KVC_GGUF_WINDOW_SAID, .slides = KVC_GGUF_SLIDES_LIST },
    { .name = "laguna", .window = KVC_GGUF_WINDOW_IF_SAID, .every = 4, .dense_first = true },
    { .name = "llama4", .window = KVC_GGUF_WINDOW_FIXED, .window_tokens = 8192, .chunked = true,
      .every = 4 },
    { .name = "mellum", .window = KVC_GGUF_WINDOW_IF_SAID, .slides = KVC_GGUF_SLIDES_EITHER },
    { .name = "mimo2", .window = KVC_GGUF_WINDOW_SAID, .slides = KVC_GGUF_SLIDES_FLAGS,
      .drafts_apart = true },
    { .name = "muse-glimmer", .window = KVC_GGUF_WINDOW_SAID, .slides = KVC_GGUF_SLIDES_EITHER },
    { .name = "olmo2", .window = KVC_GGUF_WINDOW_IF_SAID, .every = 4 },
    { .name = "plamo3", .window = KVC_GGUF_WINDOW_IF_SAID, .every = 8 },
    { .name = "smallthinker", .window = KVC_GGUF_WINDOW_FIXED_IF_SAID, .window_tokens = 4096, .every = 4,
      .dense_first = true },
    { .name = "step35", .window = KVC_GGUF_WINDOW_SAID, .slides = KVC_GGUF_SLIDES_FLAGS_ALL,
      .drafts_apart = true },

    /* ---- Compressed rows, indexers. */
    { .name = "deepseek2", .mla = KVC_GGUF_MLA_IF_SAID },
    { .name = "deepseek32", .mla = KVC_GGUF_MLA_IF_SAID, .index = KVC_GGUF_INDEX_ALL,
      .drafts_apart = true },
    { .name = "deepseek4", .keeps = KVC_GGUF_KEEPS_COMPRESSED, .window = KVC_GGUF_WINDOW_SAID,
      .slides = KVC_GGUF_SLIDES_ALWAYS,
      .rolls_back = true },
    { .name = "dots3note", .window = KVC_GGUF_WINDOW_SAID, .slides = KVC_GGUF_SLIDES_LIST,
      .mla = KVC_GGUF_MLA_SAID, .index = KVC_GGUF_INDEX_TYPES, .drafts_apart = true },
    { .name = "glm-dsa", .mla = KVC_GGUF_MLA_IF_SAID, .index = KVC_GGUF_INDEX_TYPES_GLM,
      .drafts_apart = true },
    { .name = "minimax-m3", .index = KVC_GGUF_INDEX_AFTER_DENSE },
    { .name = "mistral4", .mla = KVC_GGUF_MLA_IF_SAID },

    /* ---- Recurrent layers alone, and among others. */
    { .name = "mamba", .recurs = KVC_GGUF_RECURS_ALL, .recurrence = KVC_GGUF_MAMBA1 },
    { .name = "mamba2", .recurs = KVC_GGUF_RECURS_ALL, .recurrence = KVC_GGUF_MAMBA2 },
    { .name = "rwkv6", .recurs = KVC_GGUF_RECURS_ALL, .recurrence = KVC_GGUF_RWKV },
    { .name = "rwkv6qwen2", .recurs = KVC_GGUF_RECURS_ALL, .recurrence = KVC_GGUF_RWKV },
    { .name = "rwkv7", .recurs = KVC_GGUF_RECURS_ALL, .recurrence = KVC_GGUF_RWKV },
    { .name = "arwkv7", .recurs = KVC_GGUF_RECURS_ALL, .recurrence = KVC_GGUF_RWKV },
    { .name = "bailingmoe3", .recurs = KVC_GGUF_RECURS_NO_HEADS, .recurrence = KVC_GGUF_KDA,
      .mla = KVC_GGUF_MLA_SAID,
      .rolls_back = true },
    { .name = "falcon-h1", .recurs = KVC_GGUF_RECURS_BESIDE, .recurrence = KVC_GGUF_MAMBA2 },
    { .name = "granitehybrid", .recurs = KVC_GGUF_RECURS_NO_HEADS, .recurrence = KVC_GGUF_MAMBA2 },
    { .name = "jamba", .recurs = KVC_GGUF_RECURS_NO_HEADS, .recurrence = KVC_GGUF_MAMBA1 },
    { .name = "kimi-k3", .recurs = KVC_GGUF_RECURS_NO_HEADS, .recurrence = KVC_GGUF_KDA,
      .mla = KVC_GGUF_MLA_SAID },
    { .name = "kimi-linear", .recurs = KVC_GGUF_RECURS_NO_HEADS, .recurrence = KVC_GGUF_KDA,
      .mla = KVC_GGUF_MLA_SAID },
    { .name = "lfm2", .recurs = KVC_GGUF_RECURS_NO_HEADS, .recurrence = KVC_GGUF_SHORT_CONV,
      .window = KVC_GGUF_WINDOW_IF_SAID, .slides = KVC_GGUF_SLIDES_ATTENDING,
      .rolls_back = true },
    { .name = "lfm2moe", .recurs = KVC_GGUF_RECURS_NO_HEADS, .recurrence = KVC_GGUF_SHORT_CONV,
      .rolls_back = true },
    { .name = "minimax-01", .recurs = KVC_GGUF_RECURS_INTERVAL, .full_every = 8,
      .recurrence = KVC_GGUF_LINEAR, .drafts_apart = true },
    { .name = "nemotron_h", .recurs = KVC_GGUF_RECURS_NO_HEADS_NO_FF, .recurrence = KVC_GGUF_MAMBA2,
      .rolls_back = true },
    { .name = "nemotron_h_moe", .recurs = KVC_GGUF_RECURS_NO_HEADS_NO_FF, .recurrence = KVC_GGUF_MAMBA2,
      .rolls_back = true },
    { .name = "plamo2", .recurs = KVC_GGUF_RECURS_NO_HEADS, .recurrence = KVC_GGUF_MAMBA2 },
    { .name = "qwen3next", .recurs = KVC_GGUF_RECURS_INTERVAL, .full_every = 4,
      .recurrence = KVC_GGUF_DELTA, .drafts_apart = true },
    { .name = "qwen35", .recurs = KVC_GGUF_RECURS_INTERVAL, .full_every = 4,
      .recurrence = KVC_GGUF_DELTA, .drafts_apart = true,
      .rolls_back = true },
    { .name = "qwen35moe", .recurs = KVC_GGUF_RECURS_INTERVAL, .full_every = 4,
      .recurrence = KVC_GGUF_DELTA, .drafts_apart = true,
      .rolls_back = true },
    { .name = "qwen4exp", .recurs = KVC_GGUF_RECURS_INTERVAL, .full_every = 4,
      .recurrence = KVC_GGUF_DELTA, .index = KVC_GGUF_INDEX_ATTENDING,
      .extra = KVC_GGUF_EXTRA_NGRAMS, .drafts_apart = true,
      .rolls_back = true },

    /* ---- No cache: create_memory returns none, or (clip) no model decodes with it. */
    { .name = "bert", .keeps = KVC_GGUF_KEEPS_NOTHING },
    { .name = "clip", .keeps = KVC_GGUF_KEEPS_NOTHING },
    { .name = "dream", .keeps = KVC_GGUF_KEEPS_NOTHING },
    { .name = "eurobert", .keeps = KVC_GGUF_KEEPS_NOTHING },
    { .name = "gemma-embedding", .keeps = KVC_GGUF_KEEPS_NOTHING },
    { .name = "jina-bert-v2", .keeps = KVC_GGUF_KEEPS_NOTHING },
    { .name = "jina-bert-v3", .keeps = KVC_GGUF_KEEPS_NOTHING },
    { .name = "llada", .keeps = KVC_GGUF_KEEPS_NOTHING },
    { .name = "llada-moe", .keeps = KVC_GGUF_KEEPS_NOTHING },
    { .name = "modern-bert", .keeps = KVC_GGUF_KEEPS_NOTHING },
    { .name = "neo-bert", .keeps = KVC_GGUF_KEEPS_NOTHING },
    { .name = "nomic-bert", .keeps = KVC_GGUF_KEEPS_NOTHING },
    { .name = "nomic-bert-moe", .keeps = KVC_GGUF_KEEPS_NOTHING },
    { .name = "rnd1", .keeps = KVC_GGUF_KEEPS_NOTHING },
    { .name = "wavtokenizer-dec", .keeps = KVC_GGUF_KEEPS_NOTHING },
    { .name = "gemma4-assistant", .keeps = KVC_GGUF_KEEPS_IN_TARGET },
};
/* clang-format on */

const struct kvc_gguf_arch *kvc_gguf_arch_named(struct kvc_span name)
{
    char first = name.length == 0 ? '\0' : name.text[0]; /* most rows differ in it */
    for (size_t i = 0; i < sizeof ARCHS / sizeof ARCHS[0]; i++) {
        if (ARCHS[i].name[0] == first && kvc_span_is(name, ARCHS[i].name))
            return &ARCHS[i];
    }
    return NULL;
}
