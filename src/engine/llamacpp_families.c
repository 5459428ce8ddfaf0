/* llamacpp_families.c - see llamacpp_families.h for the room and its promises. */

#include "engine/llamacpp_families.h"

struct row {
    const char *family, *arch;
    bool keeps_drafts;
};

/* Families whose name is the architecture's need no row. */
static const struct row ROWS[] = {
    { "mistral", "llama", false },
    { "mixtral", "llama", false },
    { "Yi", "llama", false },
    { "internlm3", "llama", false },
    { "ministral3", "mistral3", false },
    { "qwen2_moe", "qwen2moe", false },
    { "qwen2_vl", "qwen2vl", false },
    { "qwen2_vl_text", "qwen2vl", false },
    { "qwen2_5_vl", "qwen2vl", false },
    { "qwen2_5_vl_text", "qwen2vl", false },
    { "qwen2_5_omni_text", "qwen2vl", false },
    { "qwen3_moe", "qwen3moe", false },
    { "qwen3_vl_text", "qwen3vl", false },
    { "qwen3_vl_moe_text", "qwen3vlmoe", false },
    { "qwen3_next", "qwen3next", false },
    { "qwen3_5_text", "qwen35", false },
    { "qwen3_5_moe_text", "qwen35moe", false },
    { "mimo_v2_flash", "mimo2", false },
    { "mimo_v2", "mimo2", false },
    { "gemma3_text", "gemma3", false },
    { "gemma3n_text", "gemma3n", false },
    { "gemma4_text", "gemma4", false },
    { "phi", "phi2", false },
    { "glm", "chatglm", false },
    { "glm4v", "glm4", false },
    { "glm4v_text", "glm4", false },
    { "glm4_moe", "glm4moe", true },
    { "glm4v_moe", "glm4moe", true },
    { "glm4v_moe_text", "glm4moe", true },
    { "glm4_moe_lite", "deepseek2", true },
    { "glm_moe_dsa", "glm-dsa", false },
    { "deepseek_v2", "deepseek2", false },
    { "deepseek_v3", "deepseek2", false },
    { "kimi_k2", "deepseek2", false },
    { "deepseek_v32", "deepseek32", false },
    { "deepseek_v4", "deepseek4", false },
    { "deepseek_ref", "deepseek4", false },
    { "kimi_linear", "kimi-linear", false },
    { "granitemoeshared", "granitemoe", false },
    { "granitemoehybrid", "granitehybrid", false },
    { "bamba", "granitehybrid", false },
    { "olmo3", "olmo2", false },
    { "cohere", "command-r", false },
    { "exaone_moe", "exaone-moe", true },
    { "ernie4_5_moe", "ernie4_5-moe", false },
    { "hunyuan_v1_dense", "hunyuan-dense", false },
    { "hunyuan_v1_moe", "hunyuan-moe", false },
    { "gpt_oss", "gpt-oss", false },
    { "bailing_moe", "bailingmoe", false },
    { "bailing_moe_v2", "bailingmoe2", true },
    { "step3p5", "step35", false },
    { "minimax_m2", "minimax-m2", false },
    { "minimax_m3", "minimax-m3", false },
    { "minimax_m3_vl_text", "minimax-m3", false },
    { "minimax_text_01", "minimax-01", false },
    { "minimax_m1", "minimax-01", false },
    { "llama4_text", "llama4", false },
    { "gpt_neox", "gptneox", false },
    { "gpt_bigcode", "starcoder", false },
    { "RefinedWeb", "falcon", false },
    { "RefinedWebModel", "falcon", false },
    { "nemotron-nas", "deci", false },
    { "falcon_mamba", "mamba", false },
    { "falcon_h1", "falcon-h1", false },
    { "lfm2_moe", "lfm2moe", false },
    { "phi-msft", "phi2", false },
    { "stablelm_epoch", "stablelm", false },
    { "mt5", "t5", false },
    { "umt5", "t5", false },
    /* Vision and audio models, of which the decoder is converted. */
    { "llava", "llama", false },
    { "voxtral", "llama", false },
    { "qwen2_audio", "qwen2", false },
    { "qwen2_5_omni", "qwen2vl", false },
    { "qwen3_vl", "qwen3vl", false },
    { "qwen3_vl_moe", "qwen3vlmoe", false },
    { "qwen3_5", "qwen35", false },
    { "qwen3_5_moe", "qwen35moe", false },
    { "kimi_vl", "deepseek2", false },
    { "kimi_k25", "deepseek2", false },
    { "minimax_m3_vl", "minimax-m3", false },
    { "lfm2_vl", "lfm2", false },
    { "exaone4_5", "exaone4", true },
};

struct kvc_llamacpp_family kvc_llamacpp_family_of(struct kvc_span family)
{
    const char *name = NULL;
    struct kvc_llamacpp_family found = { .arch = NULL };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0] && family.length > 0; i++) {
        if (ROWS[i].family[0] == family.text[0] && kvc_span_is(family, ROWS[i].family)) {
            name = ROWS[i].arch;
            found.keeps_drafts = ROWS[i].keeps_drafts;
        }
    }
    found.arch = kvc_gguf_arch_named(name == NULL ? family : kvc_span_of(name));
    return found;
}
