/* family.c - see family.h for the room and its promises. */

#include "shape/family.h"

#include <stdbool.h>
#include <stddef.h>

#include "shape/layers.h"

/* Defaults as in transformers at 008e574 (src/transformers/models/NAME/configuration_NAME.py), or
 * where a name has a colon as in the code that the model's repository brings.
 *
 * Draft layers: num_nextn_predict_layers is read by vLLM's vllm/config/speculative.py at 002e77c1
 * for each family that has the key here. */
#define NEXTN "num_nextn_predict_layers"

/* clang-format off */
static const struct kvc_family FAMILIES[] = {
    /* model_type         class                   layers hidden heads kv head  window                  default every  find draft ignores */
    /* Llama and what has its shape. */
    { "llama",            "LlamaConfig",             32, 4096, 32,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "mistral",          "MistralConfig",           32, 4096, 32,  8,   0, KVC_WINDOW_ALL,           4096,  0, NULL, NULL, NULL },
    { "mixtral",          "MixtralConfig",           32, 4096, 32,  8,   0, KVC_WINDOW_ALL,              0,  0, NULL, NULL, NULL },
    { "ministral",        "MinistralConfig",         32, 4096, 32,  8,   0, KVC_WINDOW_ALL,           4096,  0, NULL, NULL, NULL },
    { "ministral3",       "Ministral3Config",        34, 4096, 32,  8, 128, KVC_WINDOW_ALL,              0,  0, NULL, NULL, NULL },
    { "Yi",               "01-ai:YiConfig",           0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "aquila",           "BAAI:AquilaConfig",        0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "xverse",           "xverse:XverseConfig",      0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "orion",            "OrionStarAI:OrionConfig",  0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "skywork",          "Skywork:SkyworkConfig",    0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "baichuan",         "baichuan-inc:BaichuanConfig", 0, 0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "internlm",         "internlm:InternLMConfig",  0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "internlm2",        "internlm:InternLM2Config", 0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "internlm3",        "internlm:InternLM3Config", 0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "minicpm",          "openbmb:MiniCPMConfig",    0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "smollm3",          "SmolLM3Config",           36, 2048, 16,  4,   0, KVC_WINDOW_IF_USED_ALL,      0,  0, NULL, NULL, "no_rope_layers" },
    { "seed_oss",         "SeedOssConfig",           64, 4096, 80,  8, 128, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "arcee",            "ArceeConfig",             32, 2560, 32,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "apertus",          "ApertusConfig",           32, 4096, 32,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "helium",           "HeliumConfig",            24, 2560, 20, 20, 128, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "nemotron",         "NemotronConfig",          32, 6144, 48,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "diffllama",        "DiffLlamaConfig",         16, 2048, 32,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "doge",             "DogeConfig",              32, 1024,  8,  0,   0, KVC_WINDOW_ALL,              0,  0, NULL, NULL, NULL },
    { "jetmoe",           "JetMoeConfig",            12, 2048, 32, 16, 128, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "persimmon",        "PersimmonConfig",         36, 4096, 64,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "solar",            "upstage:SolarConfig",      0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },

    /* Qwen. */
    { "qwen",             "Qwen:QWenConfig",          0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "qwen2",            "Qwen2Config",             32, 4096, 32, 32,   0, KVC_WINDOW_IF_USED,       4096, 28, NULL, NULL, NULL },
    { "qwen2_moe",        "Qwen2MoeConfig",          24, 2048, 16, 16,   0, KVC_WINDOW_IF_USED_ODD,   4096, 28, NULL, NULL, NULL },
    { "qwen2_vl",         "Qwen2VLTextConfig",       80, 8192, 64,  8,   0, KVC_WINDOW_IF_USED,       4096, 80, NULL, NULL, NULL },
    { "qwen2_vl_text",    "Qwen2VLTextConfig",       80, 8192, 64,  8,   0, KVC_WINDOW_IF_USED,       4096, 80, NULL, NULL, NULL },
    { "qwen2_5_vl",       "Qwen2_5_VLTextConfig",    80, 8192, 64,  8,   0, KVC_WINDOW_IF_USED,       4096, 80, NULL, NULL, NULL },
    { "qwen2_5_vl_text",  "Qwen2_5_VLTextConfig",    80, 8192, 64,  8,   0, KVC_WINDOW_IF_USED,       4096, 80, NULL, NULL, NULL },
    { "qwen2_5_omni_text", "Qwen2_5OmniTextConfig",   28, 3584, 28,  4,   0, KVC_WINDOW_IF_USED,      32768, 28, NULL, NULL, NULL },
    { "qwen3",            "Qwen3Config",             32, 4096, 32, 32, 128, KVC_WINDOW_IF_USED,       4096, 28, NULL, NULL, NULL },
    { "qwen3_moe",        "Qwen3MoeConfig",          24, 2048, 32,  4,   0, KVC_WINDOW_IF_USED_ALL,   4096,  0, NULL, NULL, NULL },
    { "qwen3_vl_text",    "Qwen3VLTextConfig",       32, 4096, 32, 32, 128, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "qwen3_vl_moe_text", "Qwen3VLMoeTextConfig",    24, 2048, 16, 16,   0, KVC_WINDOW_NEVER,           0,  0, NULL, NULL, NULL },
    { "qwen3_omni_moe_text", "Qwen3OmniMoeTextConfig", 28, 2048, 28,  4,   0, KVC_WINDOW_IF_USED_ALL,  4096,  0, NULL, NULL, NULL },
    { "qwen3_next",       "Qwen3NextConfig",         48, 2048, 16,  2, 256, KVC_WINDOW_NEVER,            0,  0, kvc_find_gated_delta, NEXTN, NULL },
    { "qwen3_5_text",     "Qwen3_5TextConfig",       32, 4096, 16,  4, 256, KVC_WINDOW_NEVER,            0,  0, kvc_find_gated_delta, "mtp_num_hidden_layers", NULL },
    { "qwen3_5_moe_text", "Qwen3_5MoeTextConfig",    40, 2048, 16,  2, 256, KVC_WINDOW_NEVER,            0,  0, kvc_find_gated_delta, "mtp_num_hidden_layers", NULL },
    { "mimo",             "XiaomiMiMo:MiMoConfig",    0,    0,  0,  0,   0, KVC_WINDOW_IF_USED,       4096, 28, NULL, NEXTN, NULL },
    { "mimo_v2_flash",    "XiaomiMiMo:MiMoV2FlashConfig", 0, 0, 0,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_mimo_v2, NEXTN, "attention_chunk_size" },
    { "mimo_v2",          "XiaomiMiMo:MiMoV2Config",  0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_mimo_v2, NEXTN, "attention_chunk_size" },

    /* Gemma. */
    { "gemma",            "GemmaConfig",             28, 3072, 16, 16, 256, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "gemma2",           "Gemma2Config",            26, 2304,  8,  4, 256, KVC_WINDOW_PATTERN,       4096,  2, NULL, NULL, NULL },
    { "vaultgemma",       "VaultGemmaConfig",        26, 2304,  8,  4, 256, KVC_WINDOW_PATTERN,       4096,  2, NULL, NULL, NULL },
    { "gemma3_text",      "Gemma3TextConfig",        26, 2304,  8,  4, 256, KVC_WINDOW_PATTERN,       4096,  6, NULL, NULL, NULL },
    { "gemma3n_text",     "Gemma3nTextConfig",       35, 2048,  8,  2, 256, KVC_WINDOW_PATTERN,        512,  5, kvc_find_gemma3n, NULL, NULL },
    { "gemma4_text",      "Gemma4TextConfig",        30, 2304,  8,  4, 256, KVC_WINDOW_PATTERN,        512,  6, kvc_find_gemma4, NULL, NULL },

    /* Phi. */
    { "phi",              "PhiConfig",               24, 2048, 32,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "phi-msft",         "microsoft:PhiConfig",      0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "phi3",             "Phi3Config",              32, 3072, 32,  0,   0, KVC_WINDOW_ALL,              0,  0, NULL, NULL, NULL },
    { "phi3_v",           "microsoft:Phi3VConfig",    0,    0,  0,  0,   0, KVC_WINDOW_ALL,              0,  0, NULL, NULL, NULL },
    { "phi4mm",           "microsoft:Phi4MMConfig",   0,    0,  0,  0,   0, KVC_WINDOW_ALL,              0,  0, NULL, NULL, NULL },
    { "phi4_multimodal",  "Phi4MultimodalConfig",     0,    0,  0,  0,   0, KVC_WINDOW_ALL,              0,  0, NULL, NULL, NULL },
    { "phimoe",           "PhimoeConfig",            32, 4096, 32,  8,   0, KVC_WINDOW_ALL,              0,  0, NULL, NULL, NULL },

    /* GLM. */
    { "chatglm",          "THUDM:ChatGLMConfig",      0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_chatglm, NULL, NULL },
    { "glm",              "GlmConfig",               40, 4096, 32,  2, 128, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "glm4",             "Glm4Config",              40, 4096, 32,  2, 128, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "glm4v",            "Glm4vTextConfig",         40, 4096, 32,  2,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "glm4v_text",       "Glm4vTextConfig",         40, 4096, 32,  2,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "glm4_moe",         "Glm4MoeConfig",           46, 4096, 96,  8,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NEXTN, NULL },
    { "glm4v_moe",        "Glm4vMoeTextConfig",      46, 4096, 96,  8,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NEXTN, NULL },
    { "glm4v_moe_text",   "Glm4vMoeTextConfig",      46, 4096, 96,  8,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NEXTN, NULL },
    { "glm4_moe_lite",    "Glm4MoeLiteConfig",       47, 2048, 20, 20,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_latent, NEXTN, NULL },
    { "glm_moe_dsa",      "GlmMoeDsaConfig",         78, 6144, 64, 64,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_latent, NEXTN, NULL },

    /* DeepSeek, Kimi and other latents. */
    { "deepseek",         "deepseek-ai:DeepseekConfig", 0,  0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "deepseek_v2",      "DeepseekV2Config",        32, 4096, 32,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_latent, NEXTN, NULL },
    { "deepseek_v3",      "DeepseekV3Config",        61, 7168, 128, 128, 0, KVC_WINDOW_NEVER,            0,  0, kvc_find_latent, NEXTN, NULL },
    { "deepseek_v32",     "deepseek-ai:DeepseekV32Config", 0, 0, 0, 0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_latent, NEXTN, NULL },
    { "deepseek_mtp",     "DeepseekV3Config",         0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_latent, NULL, NEXTN },
    { "deepseek_v4",      "DeepseekV4Config",        43, 4096, 64,  1, 512, KVC_WINDOW_NEVER,          128,  0, kvc_find_compressed, NEXTN, NULL },
    { "deepseek_ref",     "deepseek-ai:ModelArgs",    0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_compressed, NEXTN, NULL },
    { "kimi_k2",          "moonshotai:DeepseekV3Config", 0, 0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_latent, NEXTN, NULL },
    { "kimi_linear",      "moonshotai:KimiLinearConfig", 0, 0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_kimi_linear, NEXTN, NULL },
    { "longcat_flash",    "LongcatFlashConfig",      28, 6144, 64,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_two_latents, NEXTN, NULL },
    { "pangu_ultra_moe",  "vllm:PanguUltraMoEConfig", 0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_latent, NEXTN, NULL },
    { "minicpm3",         "openbmb:MiniCPM3Config",   0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_expanded, NULL, NULL },

    /* Others that keep keys and values in every layer. */
    { "granite",          "GraniteConfig",           32, 4096, 32,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "granitemoe",       "GraniteMoeConfig",        32, 4096, 32,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "granitemoeshared", "GraniteMoeSharedConfig",  32, 4096, 32,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "starcoder2",       "Starcoder2Config",        30, 3072, 24,  2,   0, KVC_WINDOW_ALL,              0,  0, NULL, NULL, NULL },
    { "stablelm",         "StableLmConfig",          32, 2560, 32, 32,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "stablelm_epoch",   "stabilityai:StableLMEpochConfig", 0, 0, 0, 0, 0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "olmo",             "OlmoConfig",              32, 4096, 32,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "olmo2",            "Olmo2Config",             32, 4096, 32,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "olmo3",            "Olmo3Config",             32, 4096, 32,  0,   0, KVC_WINDOW_PATTERN,       4096,  4, NULL, NULL, NULL },
    { "olmoe",            "OlmoeConfig",             16, 2048, 16,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "flex_olmo",        "FlexOlmoConfig",          32, 4096, 32,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "cohere",           "CohereConfig",            40, 8192, 64,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "cohere2",          "Cohere2Config",           40, 8192, 64,  0,   0, KVC_WINDOW_PATTERN,       4096,  4, NULL, NULL, NULL },
    { "exaone",           "LGAI-EXAONE:ExaoneConfig", 0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "exaone4",          "Exaone4Config",           32, 4096, 32, 32,   0, KVC_WINDOW_PATTERN,       4096,  4, NULL, NULL, NULL },
    { "exaone_moe",       "ExaoneMoeConfig",         32, 4096, 32, 32,   0, KVC_WINDOW_PATTERN,       4096,  4, NULL, NEXTN, NULL },
    { "ernie4_5",         "Ernie4_5Config",          18, 1024, 16,  2, 128, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "ernie4_5_moe",     "Ernie4_5_MoeConfig",      28, 2560, 20,  4,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NEXTN, NULL },
    { "hunyuan_v1_dense", "HunYuanDenseV1Config",    32, 4096, 32,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_hunyuan, NULL, NULL },
    { "hunyuan_v1_moe",   "HunYuanMoEV1Config",      32, 4096, 32,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_hunyuan, NULL, NULL },
    { "hunyuan",          "tencent:HunYuanConfig",    0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_hunyuan, NULL, NULL },
    { "dots1",            "Dots1Config",             62, 4608, 32, 32,   0, KVC_WINDOW_FROM_LAYER,    4096, 62, NULL, NULL, NULL },
    { "gpt_oss",          "GptOssConfig",            36, 2880, 64,  8,  64, KVC_WINDOW_PATTERN,        128,  2, NULL, NULL, NULL },
    { "bailing_moe",      "inclusionAI:BailingMoeConfig", 0, 0, 0,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NEXTN, NULL },
    { "bailing_moe_v2",   "inclusionAI:BailingMoeV2Config", 0, 0, 0, 0,  0, KVC_WINDOW_NEVER,            0,  0, NULL, NEXTN, NULL },
    { "bailing_moe_linear", "inclusionAI:BailingMoeLinearConfig", 0, 0, 0, 0, 0, KVC_WINDOW_NEVER,       0,  0, kvc_find_grouped, NEXTN, NULL },
    { "bailing_hybrid",   "inclusionAI:BailingHybridConfig", 0, 0, 0, 0, 0, KVC_WINDOW_NEVER,            0,  0, kvc_find_grouped, NEXTN, NULL },
    { "step3p5",          "stepfun-ai:Step3p5Config", 0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_step3p5, NEXTN, NULL },
    { "minimax_m2",       "MiniMaxM2Config",         62, 3072, 48,  8, 128, KVC_WINDOW_NEVER,            0,  0, kvc_find_minimax_m2, NULL, "num_mtp_modules" },
    { "minimax_m3",       "MiniMaxM3VLTextConfig",   60, 6144, 64,  4, 128, KVC_WINDOW_NEVER,            0,  0, kvc_find_sparse, "num_mtp_modules", NEXTN },
    { "minimax_m3_vl_text", "MiniMaxM3VLTextConfig", 60, 6144, 64,  4, 128, KVC_WINDOW_NEVER,            0,  0, kvc_find_sparse, "num_mtp_modules", NEXTN },
    { "llama4_text",      "Llama4TextConfig",        48, 5120, 40,  8, 128, KVC_WINDOW_NEVER,            0,  0, kvc_find_chunked, NULL, NULL },

    /* Older names for the same counts. */
    { "gpt2",             "GPT2Config",              12,  768, 12,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "gptj",             "GPTJConfig",              28, 4096, 16,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "gpt_neox",         "GPTNeoXConfig",           44, 6144, 64,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "gpt_bigcode",      "GPTBigCodeConfig",        12,  768, 12,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_bigcode, NULL, NULL },
    { "bloom",            "BloomConfig",              2,   64,  8,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "opt",              "OPTConfig",               12,  768, 12,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "mpt",              "MptConfig",               24, 2048, 16,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_mpt, NULL, NULL },
    { "dbrx",             "DbrxConfig",              24, 2048, 16,  1,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "falcon",           "FalconConfig",            32, 4544, 71,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_falcon, NULL, NULL },
    { "RefinedWeb",       "FalconConfig",             0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_falcon, NULL, NULL },
    { "RefinedWebModel",  "FalconConfig",             0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_falcon, NULL, NULL },

    { "step3_text",       "stepfun-ai:Step3TextConfig", 0,  0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },

    { "codegen",          "CodeGenConfig",            0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "biogpt",           "BioGptConfig",            24, 1024, 16,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "jais",             "core42:JAISConfig",        0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "arctic",           "Snowflake:ArcticConfig",   0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "telechat",         "Tele-AI:TelechatConfig",   0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },
    { "hyperclovax",      "naver-hyperclovax:HyperCLOVAXConfig", 0, 0, 0, 0, 0, KVC_WINDOW_NEVER,        0,  0, NULL, NULL, NULL },
    { "ernie4_5_vl_moe",  "baidu:Ernie4_5_VLMoEConfig", 0,  0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, NULL, NULL, NULL },

    /* Heads by layer. */
    { "nemotron-nas",     "nvidia:DeciLMConfig",      0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_by_block, NULL, NULL },
    { "deci",             "Deci:DeciLMConfig",        0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_by_block, NULL, NULL },
    { "openelm",          "apple:OpenELMConfig",      0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_heads_listed, NULL, NULL },

    /* Recurrent, or mixed with attention. */
    { "mamba",            "MambaConfig",             32,  768,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_mamba, NULL, NULL },
    { "falcon_mamba",     "FalconMambaConfig",       32,  768,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_mamba, NULL, NULL },
    { "mamba2",           "Mamba2Config",            64, 4096,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_mamba2, NULL, NULL },
    { "jamba",            "JambaConfig",             32, 4096, 32,  8,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_jamba, NULL, NULL },
    { "bamba",            "BambaConfig",             32, 4096, 32,  8,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_mamba_hybrid, NULL, NULL },
    { "granitemoehybrid", "GraniteMoeHybridConfig",  32, 4096, 32,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_mamba_hybrid, NULL, NULL },
    { "falcon_h1",        "FalconH1Config",          32, 4096, 32,  8,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_falcon_h1, NULL, NULL },
    { "zamba2",           "Zamba2Config",            54, 2560, 32,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_zamba2, NULL, NULL },
    { "nemotron_h",       "NemotronHConfig",          0, 4096, 32,  8, 128, KVC_WINDOW_NEVER,            0,  0, kvc_find_nemotron_h, NEXTN, "mamba_num_heads|ssm_state_size" },
    { "lfm2",             "Lfm2Config",              32, 2560, 32,  8,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_lfm2, NULL, NULL },
    { "lfm2_moe",         "Lfm2MoeConfig",           32, 2048, 32,  8,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_lfm2_moe, NULL, NULL },
    { "minimax",          "MiniMaxConfig",           32, 4096, 32,  8,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_minimax, NULL, NULL },
    { "minimax_text_01",  "MiniMaxAI:MiniMaxText01Config", 0, 0, 0,  0,  0, KVC_WINDOW_NEVER,            0,  0, kvc_find_minimax_text, NULL, NULL },
    { "minimax_m1",       "MiniMaxAI:MiniMaxM1Config", 0,   0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_minimax_text, NULL, NULL },
    { "rwkv",             "RwkvConfig",              32, 4096,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_rwkv4, NULL, NULL },
    { "rwkv5",            "RWKV:Rwkv5Config",         0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_rwkv, NULL, NULL },
    { "rwkv6",            "RWKV:Rwkv6Config",         0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_rwkv, NULL, NULL },
    { "rwkv7",            "fla-hub:RWKV7Config",      0,    0,  0,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_rwkv, NULL, NULL },

    /* Encoder beside the decoder. */
    { "mllama_text_model", "MllamaTextConfig",       40, 4096, 32,  8,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_cross_layers, NULL, NULL },
    { "bart",             "BartConfig",              12, 1024, 16,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_encoder_decoder, NULL, NULL },
    { "mbart",            "MBartConfig",             12, 1024, 16,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_encoder_decoder, NULL, NULL },
    { "blenderbot",       "BlenderbotConfig",        24, 2560, 32,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_encoder_decoder, NULL, NULL },
    { "m2m_100",          "M2M100Config",            12, 1024, 16,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_encoder_decoder, NULL, NULL },
    { "pegasus",          "PegasusConfig",           12, 1024, 16,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_encoder_decoder, NULL, NULL },
    { "marian",           "MarianConfig",            12, 1024, 16,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_encoder_decoder, NULL, NULL },
    { "whisper",          "WhisperConfig",            4,  384,  6,  0,   0, KVC_WINDOW_NEVER,            0,  0, kvc_find_encoder_decoder, NULL, NULL },
    { "t5",               "T5Config",                 6,  512,  8,  0,  64, KVC_WINDOW_NEVER,            0,  0, kvc_find_t5, NULL, NULL },
    { "mt5",              "MT5Config",                8,  512,  6,  0,  64, KVC_WINDOW_NEVER,            0,  0, kvc_find_t5, NULL, NULL },
    { "umt5",             "UMT5Config",               8,  512,  6,  0,  64, KVC_WINDOW_NEVER,            0,  0, kvc_find_t5, NULL, NULL },
};
/* clang-format on */

const struct kvc_family *kvc_family_named(struct kvc_span model_type)
{
    for (size_t i = 0; i < sizeof FAMILIES / sizeof FAMILIES[0]; i++) {
        if (kvc_span_is(model_type, FAMILIES[i].model_type))
            return &FAMILIES[i];
    }
    return NULL;
}

struct alias {
    const char *name, *model_type;
};

static const struct kvc_family *aliased(const struct alias *aliases, size_t count,
                                        struct kvc_span name)
{
    for (size_t i = 0; i < count; i++) {
        if (kvc_span_is(name, aliases[i].name))
            return kvc_family_named(kvc_span_of(aliases[i].model_type));
    }
    return NULL;
}

const struct kvc_family *kvc_family_of_class(struct kvc_span class_name)
{
    static const struct alias CLASSES[] = {
        { "LlamaForCausalLM", "llama" },
        { "MistralForCausalLM", "mistral" },
        { "MixtralForCausalLM", "mixtral" },
        { "Qwen2ForCausalLM", "qwen2" },
        { "Qwen2MoeForCausalLM", "qwen2_moe" },
        { "Qwen3ForCausalLM", "qwen3" },
        { "Qwen3MoeForCausalLM", "qwen3_moe" },
        { "GemmaForCausalLM", "gemma" },
        { "Gemma2ForCausalLM", "gemma2" },
        { "Gemma3ForCausalLM", "gemma3_text" },
        { "PhiForCausalLM", "phi" },
        { "Phi3ForCausalLM", "phi3" },
        { "DeepseekV2ForCausalLM", "deepseek_v2" },
        { "DeepseekV3ForCausalLM", "deepseek_v3" },
        { "GptOssForCausalLM", "gpt_oss" },
        { "GPT2LMHeadModel", "gpt2" },
        { "GPTNeoXForCausalLM", "gpt_neox" },
        { "GPTJForCausalLM", "gptj" },
        { "OPTForCausalLM", "opt" },
        { "BloomForCausalLM", "bloom" },
        { "FalconForCausalLM", "falcon" },
        { "MambaForCausalLM", "mamba" },
        { "T5ForConditionalGeneration", "t5" },
        { "BartForConditionalGeneration", "bart" },
        { "WhisperForConditionalGeneration", "whisper" },
    };
    return aliased(CLASSES, sizeof CLASSES / sizeof CLASSES[0], class_name);
}

const struct kvc_family *kvc_family_within(struct kvc_span model_type)
{
    static const struct alias WRAPPERS[] = {
        { "gemma3", "gemma3_text" },
        { "deepseek_vl_v2", "deepseek_v2" },
        { "DeepseekOCR", "deepseek_v2" },
        { "gemma3n", "gemma3n_text" },
        { "gemma4", "gemma4_text" },
        { "llama4", "llama4_text" },
        { "llava", "llama" },
        { "llava_next", "llama" },
        { "mistral3", "mistral" },
        { "mllama", "mllama_text_model" },
        { "minimax_m3_vl", "minimax_m3_vl_text" },
        { "paligemma", "gemma" },
        { "lfm2_vl", "lfm2" },
        { "internvl", "qwen2" },
        { "qwen2_audio", "qwen2" },
        { "llava_onevision", "qwen2" },
        { "aya_vision", "cohere2" },
        { "voxtral", "llama" },
        { "qwen2_vl", "qwen2_vl_text" },
        { "qwen2_5_vl", "qwen2_5_vl_text" },
        { "qwen3_5", "qwen3_5_text" },
        { "qwen3_5_moe", "qwen3_5_moe_text" },
        { "qwen3_vl", "qwen3_vl_text" },
        { "qwen3_vl_moe", "qwen3_vl_moe_text" },
        { "glm4v", "glm4v_text" },
        { "glm4v_moe", "glm4v_moe_text" },
    };
    return aliased(WRAPPERS, sizeof WRAPPERS / sizeof WRAPPERS[0], model_type);
}

bool kvc_family_is_encoder(struct kvc_span model_type)
{
    /* clang-format off */
    static const char *const ENCODERS[] = {
        "albert", "align", "audio-spectrogram-transformer", "autoformer", "beit", "bert",
        "big_bird", "bros", "camembert", "canine", "clap", "clip", "clip_text_model",
        "clip_vision_model", "convbert", "convnext", "convnextv2", "cvt", "data2vec-audio",
        "data2vec-text", "data2vec-vision", "deberta", "deberta-v2", "deit",
        "depth_anything", "detr", "dinov2", "dinov2_with_registers", "dinov3_vit",
        "distilbert", "dpr", "dpt", "efficientnet", "electra", "ernie", "ernie_m", "esm",
        "eurobert", "flaubert", "fnet", "focalnet", "funnel", "groupvit", "gte", "hiera",
        "hubert", "ibert", "jina_bert", "layoutlm", "layoutlmv2", "layoutlmv3", "levit",
        "lilt", "longformer", "luke", "markuplm", "mask2former", "maskformer",
        "megatron-bert", "mobilebert", "mobilenet_v2", "mobilevit", "modernbert", "mpnet",
        "mra", "neobert", "new", "nezha", "nomic_bert", "nystromformer", "owlv2", "owlvit",
        "patchtst", "poolformer", "pvt", "qdqbert", "regnet", "rembert", "resnet",
        "roberta", "roberta-prelayernorm", "roc_bert", "roformer", "rt_detr", "sam",
        "segformer", "sew", "sew-d", "siglip", "siglip2", "siglip_text_model",
        "siglip_vision_model", "splinter", "squeezebert", "superpoint", "swin", "swin2sr",
        "swinv2", "table-transformer", "tapas", "timesformer", "timm_wrapper", "unispeech",
        "unispeech-sat", "upernet", "videomae", "vilt", "visual_bert", "vit", "vit_mae",
        "vit_msn", "vitdet", "vivit", "wav2vec2", "wav2vec2-bert", "wav2vec2-conformer",
        "wavlm", "xclip", "xlm-roberta", "xlm-roberta-xl", "xmod", "yolos", "yoso",
        "zoedepth",
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof ENCODERS / sizeof ENCODERS[0]; i++) {
        if (kvc_span_is(model_type, ENCODERS[i]))
            return true;
    }
    return false;
}
