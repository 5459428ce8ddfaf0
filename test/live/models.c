/* models.c - see models.h for what the words mean. */

#include "live/models.h"

/* V tokens, E embedding, H heads, K heads of keys and values, D of each, F feed-forward, X experts of G,
 * U of them used, W window, I inner of a state space, N its state, C its convolution, T its steps or
 * heads, J its groups, M tokens as trained. */
const char *const live_sizes =
    "V=32 E=128 H=4 K=2 D=32 F=64 X=4 U=2 G=32 W=512 I=256 N=16 C=4 T=8 J=2 M=8192";

/* ---- Keys that many have. */

#define HEADS "attention.head_count=H attention.head_count_kv=K "
#define GQA HEADS "attention.key_length=D attention.value_length=D "
#define EXPERTS "expert_count=X expert_used_count=U expert_feed_forward_length=G "
#define SSM_KEYS "ssm.conv_kernel=C ssm.inner_size=I ssm.state_size=N ssm.time_step_rank=T "
#define GROUPS "ssm.group_count=J "
#define WINDOW "attention.sliding_window=W "

/* ---- Tensors that many have. */

#define TIED "token_embd[E,V] output_norm[E] "
#define WHOLE TIED "output[E,V] "
#define WHOLE_BIAS WHOLE "output_norm.bias[E] "
#define NORM "attn_norm[E] "
#define NORM_BIAS NORM "attn_norm.bias[E] "
#define QKV "attn_q[E,H*D] attn_k[E,K*D] attn_v[E,K*D] "
#define OUT "attn_output[H*D,E] "
#define QKV_BIAS "attn_q.bias[H*D] attn_k.bias[K*D] attn_v.bias[K*D] "
#define HEAD_NORMS "attn_q_norm[D] attn_k_norm[D] "
#define WIDE_NORMS "attn_q_norm[H*D] attn_k_norm[K*D] "
#define POST_NORMS "post_attention_norm[E] post_ffw_norm[E] "
#define GATED "ffn_gate[E,F] ffn_up[E,F] ffn_down[F,E] "
#define FFN "ffn_norm[E] " GATED
#define UP_DOWN "ffn_up[E,F] ffn_down[F,E] "
#define UP_DOWN_BIAS UP_DOWN "ffn_up.bias[F] ffn_down.bias[E] "
#define NORM_2_BIAS "ffn_norm[E] ffn_norm.bias[E] "
#define ROUTED "ffn_gate_inp[E,X] ffn_gate_exps[E,G,X] ffn_up_exps[E,G,X] ffn_down_exps[G,E,X] "
#define MOE "ffn_norm[E] " ROUTED
#define SHARED "ffn_gate_shexp[E,G] ffn_up_shexp[E,G] ffn_down_shexp[G,E] "
#define NEXTN "nextn.eh_proj[2*E,E] nextn.enorm[E] nextn.hnorm[E] "

#define SSM_1                                                                                      \
    "ssm_in[E,2*I] ssm_conv1d[C,I] ssm_conv1d.bias[I] ssm_x[I,T+2*N] ssm_dt[T,I] ssm_dt.bias[I] "  \
    "ssm_a.[N,I] ssm_d.[I] ssm_out[I,E] "
#define SSM_2                                                                                      \
    "ssm_in[E,2*I+2*J*N+T] ssm_conv1d[C,I+2*J*N] ssm_conv1d.bias[I+2*J*N] ssm_dt.bias[T] "         \
    "ssm_a.[1,T] ssm_d.[1,T] ssm_norm[I/J,J] ssm_out[I,E] "
#define DELTA "ssm_conv1d[C,2*J*N+T*N] ssm_dt.bias[T] ssm_a.[T] ssm_norm[N] ssm_out[T*N,E] "

/* MLA: Q and R the ranks of queries and of keys, P and O what is turned and what is not, B of values. */
#define MLA_SIZES "K=1 Q=32 R=64 P=32 O=32 B=32 D=R+P "
#define MLA_KEYS                                                                                   \
    HEADS "attention.key_length=D attention.value_length=R attention.key_length_mla=O+P "          \
          "attention.value_length_mla=B attention.q_lora_rank=Q attention.kv_lora_rank=R "         \
          "rope.dimension_count=P "
#define MLA                                                                                        \
    "attn_q_a[E,Q] attn_q_a_norm[Q] attn_q_b[Q,H*(O+P)] attn_kv_a_mqa[E,R+P] attn_kv_a_norm[R] "   \
    "attn_k_b[O,R,H] attn_v_b[R,B,H] attn_output[H*B,E] "

/* Rows of an indexer beside MLA: A heads of S. */
#define INDEXER_KEYS                                                                               \
    "attention.indexer.head_count=A attention.indexer.key_length=S attention.indexer.top_k=8 "
#define INDEXER                                                                                    \
    "indexer.k_norm[S] indexer.k_norm.bias[S] indexer.proj[E,A] indexer.attn_k[E,S] "              \
    "indexer.attn_q_b[Q,A*S] "
#define INDEXER_QK "indexer.q_proj[E,A*S] indexer.k_proj[E,S] indexer.q_norm[S] indexer.k_norm[S] "
#define SHARED_KEYS "expert_shared_count=1 "
#define LEAD_1 "leading_dense_block_count=1 "
#define PROBS "exp_probs_b.bias[X] "

/* Delta attention of A each head. */
#define KDA                                                                                        \
    "ssm_conv1d_q[C,1,A*H] ssm_conv1d_k[C,1,A*H] ssm_conv1d_v[C,1,A*H] attn_q[E,A*H] "             \
    "attn_k[E,A*H] attn_v[E,A*H] ssm_beta[E,H] ssm_dt.bias[A*H] ssm_norm[A] attn_output[A*H,E] "
#define KDA_KEYS "ssm.conv_kernel=C kda.head_dim=A "
#define MLA_ROWS                                                                                   \
    "attention.head_count=H attention.key_length=D attention.value_length=R "                      \
    "attention.key_length_mla=O+P attention.value_length_mla=B attention.kv_lora_rank=R "          \
    "rope.dimension_count=P "
#define MLA_WHOLE_Q                                                                                \
    "attn_q[E,H*(O+P)] attn_kv_a_mqa[E,R+P] attn_kv_a_norm[R] attn_k_b[O,R,H] attn_v_b[R,B,H] "    \
    "attn_output[H*B,E] "

/* DeepSeek 4: Y streams of hyper-connections, Z groups of outputs of rank R, an indexer of A heads of S. */
#define DSV4                                                                                       \
    NORM "attn_sinks[H] attn_q_a[E,Q] attn_q_a_norm[Q] attn_q_b[Q,H*D] attn_kv[E,D] "              \
         "attn_kv_a_norm[D] attn_output_a[H*D/Z,R,Z] attn_output_b[Z*R,E] "                        \
         "hc_attn_fn[Y*E,(2+Y)*Y] hc_attn_base[(2+Y)*Y] hc_attn_scale[3] "                         \
         "hc_ffn_fn[Y*E,(2+Y)*Y] hc_ffn_base[(2+Y)*Y] hc_ffn_scale[3] " MOE SHARED PROBS
#define DSV4_RATIO_4                                                                               \
    DSV4 "attn_compressor_kv[E,2*D] attn_compressor_gate[E,2*D] attn_compressor_ape[2*D,4] "       \
         "attn_compressor_norm[D] indexer.proj[E,A] indexer.attn_q_b[Q,A*S] "                      \
         "indexer_compressor_kv[E,2*S] indexer_compressor_gate[E,2*S] "                            \
         "indexer_compressor_ape[2*S,4] indexer_compressor_norm[S] "
#define DSV4_RATIO_128                                                                             \
    DSV4 "attn_compressor_kv[E,D] attn_compressor_gate[E,D] attn_compressor_ape[D,128] "           \
         "attn_compressor_norm[D] "

/* Hyper-connections of Y streams and rank Z, before attention and before the experts. */
#define HYPER                                                                                      \
    "hc_attn_norm[Y*E] hc_attn_down[Y*E,Z] hc_attn_up[Z,Y*E] hc_attn_inject[Y*E,Y] "               \
    "hc_ffn_norm[Y*E] hc_ffn_down[Y*E,Z] hc_ffn_up[Z,Y*E] hc_ffn_inject[Y*E,Y] "
#define GATED_DELTA "attn_qkv[E,2*J*N+T*N] attn_gate[E,T*N] ssm_beta[E,T] ssm_alpha[E,T] " DELTA

const struct live_model live_models[] = {
    { "llama", "llama", "", GQA, WHOLE, "aaaa", { NORM QKV OUT FFN } },
    { "llama-narrow", "llama", "D=20 K=4", GQA, TIED, "aaa", { NORM QKV OUT FFN } },
    { "llama-moe", "llama", "G=F", GQA EXPERTS, WHOLE, "aa", { NORM QKV OUT MOE } },
    { "qwen2", "qwen2", "", HEADS, WHOLE, "aaaa", { NORM QKV QKV_BIAS OUT FFN } },
    { "qwen3", "qwen3", "D=64 K=1", GQA, TIED, "aaa", { NORM QKV OUT HEAD_NORMS FFN } },
    { "qwen3moe", "qwen3moe", "", GQA EXPERTS, WHOLE, "aaaa", { NORM QKV OUT HEAD_NORMS MOE } },
    { "gemma2", "gemma2", "", GQA WINDOW, TIED, "aaaaa", { NORM QKV OUT POST_NORMS FFN } },
    { "gemma3",
      "gemma3",
      "",
      GQA WINDOW,
      TIED,
      "aaaaaaa",
      { NORM QKV OUT HEAD_NORMS POST_NORMS FFN } },
    { "gemma3n",
      "gemma3n",
      "E=64 H=2 K=1",
      GQA WINDOW,
      TIED "altup_proj[E,E,3] altup_unembd_proj[E,E,3] per_layer_token_embd[256*L,V] "
           "per_layer_model_proj[E,256*L] per_layer_proj_norm[256] ",
      "aaaaaaaaaaaaaaaaaaaaaaaaa",
      { NORM QKV OUT HEAD_NORMS POST_NORMS FFN
        "inp_gate[E,256] proj[256,E] post_norm[E] "
        "altup_correct_coef[4,4] altup_correct_scale[E] altup_predict_coef[4,16] altup_router[E,4] "
        "altup_router_norm[E] laurel_l[E,64] laurel_r[64,E] laurel_post_norm[E] " } },
    { "gemma4",
      "gemma4",
      "D=64 B=32 S=32",
      GQA WINDOW
      "attention.sliding_window_pattern=[1,1,1,0,1,0] attention.shared_kv_layers=2 "
      "attention.key_length_swa=B attention.value_length_swa=B embedding_length_per_layer_input=S "
      "rope.freq_base_swa=f1e4 ",
      TIED "per_layer_token_embd[S*L,V] per_layer_model_proj[E,S*L] per_layer_proj_norm[S] "
           "rope_freqs[D/2] ",
      "aaabab",
      { NORM "attn_q[E,H*B] attn_k[E,K*B] attn_v[E,K*B] attn_output[H*B,E] attn_q_norm[B] "
             "attn_k_norm[B] " POST_NORMS FFN "inp_gate[E,S] proj[S,E] post_norm[E] ",
        NORM QKV OUT HEAD_NORMS POST_NORMS FFN "inp_gate[E,S] proj[S,E] post_norm[E] " } },
    { "gpt-oss",
      "gpt-oss",
      "W=128",
      GQA WINDOW EXPERTS,
      WHOLE,
      "aaaa",
      { NORM QKV QKV_BIAS OUT "attn_output.bias[E] attn_sinks[H] post_attention_norm[E] " ROUTED
                              "ffn_gate_inp.bias[X] ffn_gate_exps.bias[G,X] ffn_up_exps.bias[G,X] "
                              "ffn_down_exps.bias[E,X] " } },
    { "phi3",
      "phi3",
      "",
      GQA WINDOW,
      WHOLE,
      "aaaa",
      { NORM "attn_qkv[E,(H+2*K)*D] " OUT "ffn_norm[E] ffn_up[E,2*F] ffn_down[F,E] " } },
    { "cohere2",
      "cohere2",
      "",
      GQA WINDOW "logit_scale=f1.0 ",
      TIED,
      "aaaaaaaa",
      { NORM QKV OUT GATED } },
    { "olmo2", "olmo2", "K=4", GQA, WHOLE, "aaa", { QKV OUT WIDE_NORMS POST_NORMS GATED } },
    { "olmo3",
      "olmo2",
      "K=4 W=1024",
      GQA WINDOW,
      WHOLE,
      "aaaaaaaa",
      { QKV OUT WIDE_NORMS POST_NORMS GATED } },
    { "exaone4", "exaone4", "", GQA WINDOW, TIED, "aaaa", { QKV OUT HEAD_NORMS POST_NORMS GATED } },
    { "exaone4-64",
      "exaone4",
      "E=64 F=32 H=2 K=1",
      GQA WINDOW,
      TIED,
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
      { QKV OUT HEAD_NORMS POST_NORMS GATED } },
    { "llama4",
      "llama4",
      "M=32768",
      GQA EXPERTS "interleave_moe_layer_step=2 ",
      WHOLE,
      "abababab",
      { NORM QKV OUT FFN, NORM QKV OUT MOE SHARED } },
    { "deepseek2",
      "deepseek2",
      MLA_SIZES,
      MLA_KEYS EXPERTS "expert_shared_count=1 leading_dense_block_count=1 ",
      WHOLE,
      "abb",
      { NORM MLA FFN, NORM MLA MOE SHARED } },
    { "deepseek2-old",
      "deepseek2",
      MLA_SIZES "K=4 D=O+P ",
      HEADS "attention.key_length=D attention.value_length=B attention.q_lora_rank=Q "
            "attention.kv_lora_rank=R rope.dimension_count=P " EXPERTS
            "expert_shared_count=1 leading_dense_block_count=1 ",
      WHOLE,
      "ab",
      { NORM
        "attn_q_a[E,Q] attn_q_a_norm[Q] attn_q_b[Q,H*D] attn_kv_a_mqa[E,R+P] attn_kv_a_norm[R] "
        "attn_kv_b[R,H*(O+B)] attn_output[H*B,E] " FFN,
        NORM
        "attn_q_a[E,Q] attn_q_a_norm[Q] attn_q_b[Q,H*D] attn_kv_a_mqa[E,R+P] attn_kv_a_norm[R] "
        "attn_kv_b[R,H*(O+B)] attn_output[H*B,E] " MOE SHARED } },
    { "glm4moe",
      "glm4moe",
      "",
      GQA EXPERTS "expert_shared_count=1 leading_dense_block_count=1 nextn_predict_layers=1 "
                  "expert_weights_scale=f1.0 ",
      WHOLE,
      "abbc",
      { NORM QKV QKV_BIAS OUT HEAD_NORMS "post_attention_norm[E] " GATED,
        NORM QKV QKV_BIAS OUT HEAD_NORMS
        "post_attention_norm[E] exp_probs_b.bias[X] " ROUTED SHARED,
        NORM QKV QKV_BIAS OUT HEAD_NORMS
        "post_attention_norm[E] exp_probs_b.bias[X] " ROUTED SHARED NEXTN } },
    { "mamba", "mamba", "", SSM_KEYS, TIED, "aaaa", { NORM SSM_1 } },
    { "mamba2", "mamba2", "", SSM_KEYS GROUPS, TIED, "aaaa", { NORM SSM_2 } },
    { "jamba",
      "jamba",
      "",
      SSM_KEYS "attention.head_count=H attention.head_count_kv=[0,K,0,0] ",
      WHOLE,
      "abaa",
      { NORM SSM_1 "ssm_dt_norm[T] ssm_b_norm[N] ssm_c_norm[N] " FFN, NORM QKV OUT FFN } },
    { "falcon-h1",
      "falcon-h1",
      "",
      GQA SSM_KEYS GROUPS,
      WHOLE,
      "aaaa",
      { NORM QKV OUT SSM_2 "ffn_norm.[E] " GATED } },
    { "granitehybrid",
      "granitehybrid",
      "",
      SSM_KEYS GROUPS "attention.head_count=H attention.head_count_kv=[0,0,K,0,0,K] ",
      TIED,
      "aabaab",
      { NORM SSM_2 FFN, NORM QKV OUT FFN } },
    { "nemotron_h",
      "nemotron_h",
      "",
      SSM_KEYS GROUPS
      "attention.head_count=H attention.head_count_kv=[0,0,K,0,0] feed_forward_length=[0,F,0,0,F] ",
      WHOLE,
      "acbac",
      { NORM SSM_2, NORM QKV OUT, NORM UP_DOWN } },
    { "qwen3next",
      "qwen3next",
      "N=32",
      GQA EXPERTS SSM_KEYS GROUPS "expert_shared_feed_forward_length=G ",
      TIED,
      "aaabaaab",
      { NORM "post_attention_norm[E] ssm_in[E,2*(J*N+T*N)] ssm_ba[E,2*T] " DELTA ROUTED SHARED
             "ffn_gate_inp_shexp[E] ",
        NORM "post_attention_norm[E] attn_q[E,2*H*D] attn_k[E,K*D] attn_v[E,K*D] " OUT HEAD_NORMS
            ROUTED SHARED "ffn_gate_inp_shexp[E] " } },
    { "qwen35",
      "qwen35",
      "N=32",
      GQA SSM_KEYS GROUPS "rope.dimension_sections=[8,4,4,0] full_attention_interval=2 ",
      WHOLE,
      "abab",
      { NORM "post_attention_norm[E] attn_qkv[E,2*J*N+T*N] attn_gate[E,T*N] ssm_beta[E,T] "
             "ssm_alpha[E,T] " DELTA GATED,
        NORM "post_attention_norm[E] attn_q[E,2*H*D] attn_k[E,K*D] attn_v[E,K*D] " OUT HEAD_NORMS
            GATED } },
    { "rwkv7",
      "rwkv7",
      "R=16",
      "wkv.head_size=D attention.decay_lora_rank=R attention.iclr_lora_rank=R "
      "attention.value_residual_mix_lora_rank=R attention.gate_lora_rank=R ",
      WHOLE_BIAS "token_embd_norm[E] token_embd_norm.bias[E] ",
      "aaaa",
      { NORM_BIAS
        "attn_norm_2[E] attn_norm_2.bias[E] time_mix_w0[E] time_mix_w1[E,R] time_mix_w2[R,E] "
        "time_mix_a0[E] time_mix_a1[E,R] time_mix_a2[R,E] time_mix_v0[E] time_mix_v1[E,R] "
        "time_mix_v2[R,E] "
        "time_mix_g1[E,R] time_mix_g2[R,E] time_mix_lerp_fused[E,1,1,6] time_mix_k_k[E] "
        "time_mix_k_a[E] "
        "time_mix_r_k[E] time_mix_key[E,E] time_mix_value[E,E] time_mix_receptance[E,E] "
        "time_mix_ln[E] "
        "time_mix_ln.bias[E] time_mix_output[E,E] channel_mix_lerp_k[E] channel_mix_key[E,F] "
        "channel_mix_value[F,E] " } },
    { "lfm2",
      "lfm2",
      "",
      "shortconv.l_cache=3 attention.head_count=H attention.head_count_kv=[0,0,K,0,K] ",
      "token_embd[E,V] token_embd_norm[E] ",
      "aabab",
      { NORM "shortconv.conv[3,E] shortconv.in_proj[E,3*E] shortconv.out_proj[E,E] " FFN,
        NORM QKV OUT HEAD_NORMS FFN } },
    { "plamo2",
      "plamo2",
      "",
      SSM_KEYS "ssm.group_count=0 attention.key_length=D attention.value_length=D "
               "attention.head_count=[0,H,0,H] attention.head_count_kv=[0,K,0,K] ",
      TIED,
      "abab",
      { NORM "ssm_in[E,2*I] ssm_conv1d[C,I] ssm_x[I,64+2*N] ssm_dt[64,T] ssm_dt.bias[T] ssm_a.[T] "
             "ssm_d.[T] "
             "ssm_out[I,E] ssm_dt_norm.[64] ssm_b_norm.[N] ssm_c_norm.[N] post_attention_norm.[E] "
             "ffn_norm[E] "
             "ffn_up[E,2*F] ffn_down[F,E] post_ffw_norm.[E] ",
        NORM "attn_qkv[E,(H+2*K)*D] attn_q_norm[D,H] attn_k_norm[D,K] " OUT
             "post_attention_norm.[E] ffn_norm[E] "
             "ffn_up[E,2*F] ffn_down[F,E] post_ffw_norm.[E] " } },
    { "minimax-m2",
      "minimax-m2",
      "G=F",
      GQA EXPERTS "expert_gating_func=2 ",
      WHOLE,
      "aaa",
      { NORM QKV OUT WIDE_NORMS "exp_probs_b.bias[X] " MOE } },
    { "smallthinker",
      "smallthinker",
      "",
      GQA WINDOW EXPERTS "expert_gating_func=2 ",
      WHOLE,
      "aaaaaaaa",
      { NORM QKV OUT MOE } },
    { "stablelm",
      "stablelm",
      "",
      HEADS "use_parallel_residual=true rope.dimension_count=8 ",
      WHOLE_BIAS,
      "aaa",
      { NORM_BIAS QKV OUT NORM_2_BIAS GATED } },
    { "starcoder2",
      "starcoder2",
      "",
      HEADS,
      TIED "output_norm.bias[E] ",
      "aaa",
      { NORM_BIAS QKV QKV_BIAS OUT "attn_output.bias[E] " NORM_2_BIAS UP_DOWN_BIAS } },
    { "bloom",
      "bloom",
      "K=4",
      HEADS,
      TIED "output_norm.bias[E] token_embd_norm[E] token_embd_norm.bias[E] ",
      "aaa",
      { NORM_BIAS "attn_qkv[E,3*E] attn_qkv.bias[3*E] " OUT
                  "attn_output.bias[E] " NORM_2_BIAS UP_DOWN_BIAS } },
    { "gptneox",
      "gptneox",
      "K=4",
      HEADS "use_parallel_residual=true ",
      WHOLE_BIAS,
      "aaa",
      { NORM_BIAS "attn_qkv[E,3*E] attn_qkv.bias[3*E] " OUT
                  "attn_output.bias[E] " NORM_2_BIAS UP_DOWN_BIAS } },
    { "phi2",
      "phi2",
      "D=80 E=320 K=4",
      HEADS,
      WHOLE_BIAS "output.bias[V] ",
      "aa",
      { NORM_BIAS QKV QKV_BIAS OUT "attn_output.bias[E] " UP_DOWN_BIAS } },
    { "granite", "granite", "", GQA "logit_scale=f1.0 ", TIED, "aaa", { NORM QKV OUT FFN } },
    { "t5",
      "t5",
      "K=4",
      GQA "attention.relative_buckets_count=8 ",
      "token_embd[E,V] enc.output_norm[E] dec.output_norm[E] output[E,V] ",
      "aaa",
      { "enc.attn_norm[E] enc.attn_rel_b[H,8] enc.attn_q[E,H*D] enc.attn_k[E,H*D] "
        "enc.attn_v[E,H*D] "
        "enc.attn_o[H*D,E] enc.ffn_norm[E] enc.ffn_up[E,F] enc.ffn_down[F,E] dec.attn_norm[E] "
        "dec.attn_rel_b[H,8] "
        "dec.attn_q[E,H*D] dec.attn_k[E,H*D] dec.attn_v[E,H*D] dec.attn_o[H*D,E] "
        "dec.cross_attn_norm[E] "
        "dec.cross_attn_q[E,H*D] dec.cross_attn_k[E,H*D] dec.cross_attn_v[E,H*D] "
        "dec.cross_attn_o[H*D,E] "
        "dec.ffn_norm[E] dec.ffn_up[E,F] dec.ffn_down[F,E] " } },
    { "openelm",
      "openelm",
      "",
      "attention.head_count=[4,8,8] attention.head_count_kv=[1,2,2] "
      "attention.key_length=D attention.value_length=D feed_forward_length=[F,2*F,2*F] ",
      TIED,
      "abb",
      { NORM "attn_qkv[E,6*D] attn_output[4*D,E] " HEAD_NORMS FFN,
        NORM "attn_qkv[E,12*D] attn_output[8*D,E] " HEAD_NORMS
             "ffn_norm[E] ffn_gate[E,2*F] ffn_up[E,2*F] "
             "ffn_down[2*F,E] " } },
    { "deepseek32",
      "deepseek32",
      MLA_SIZES "A=4 S=64 ",
      MLA_KEYS EXPERTS INDEXER_KEYS SHARED_KEYS LEAD_1
      "expert_gating_func=2 nextn_predict_layers=1 ",
      WHOLE,
      "abbc",
      { NORM MLA INDEXER FFN, NORM MLA INDEXER MOE SHARED PROBS,
        NORM MLA INDEXER MOE SHARED PROBS NEXTN } },
    { "glm-dsa",
      "glm-dsa",
      MLA_SIZES "A=4 S=64 ",
      MLA_KEYS EXPERTS INDEXER_KEYS SHARED_KEYS LEAD_1
      "attention.indexer.types=[1,0,1,0,0] nextn_predict_layers=1 ",
      WHOLE,
      "abcbbd",
      { NORM MLA INDEXER FFN, NORM MLA MOE SHARED, NORM MLA INDEXER MOE SHARED,
        NORM MLA INDEXER MOE SHARED NEXTN } },
    { "dots3note",
      "dots3note",
      MLA_SIZES "A=4 S=64 C=32 N=16 T=24 W=256 ",
      MLA_KEYS EXPERTS INDEXER_KEYS SHARED_KEYS LEAD_1 WINDOW
      "expert_gating_func=2 attention.kv_lora_rank_swa=C attention.key_length_swa=C+P "
      "attention.value_length_swa=C attention.key_length_mla_swa=N+P "
      "attention.value_length_mla_swa=T "
      "rope.freq_base_swa=f1e4 attention.sliding_window_pattern=[0,1,1,0,1] "
      "attention.indexer.types=[1,0,0,1,0] ",
      WHOLE,
      "abbcb",
      { NORM MLA INDEXER FFN "attn_k_norm[P] attn_gate[E,H] ",
        NORM
        "attn_q_a[E,Q] attn_q_a_norm[Q] attn_q_b[Q,H*(N+P)] attn_kv_a_mqa[E,C+P] attn_kv_a_norm[C] "
        "attn_k_b[N,C,H] attn_v_b[C,T,H] attn_output[H*T,E] attn_k_norm[P] attn_gate[E,H] " MOE
            SHARED PROBS,
        NORM MLA INDEXER "attn_k_norm[P] attn_gate[E,H] " MOE SHARED PROBS } },
    { "minimax-m3",
      "minimax-m3",
      "A=2 S=64 ",
      GQA EXPERTS INDEXER_KEYS SHARED_KEYS LEAD_1
      "rope.dimension_count=16 expert_gating_func=2 attention.indexer.block_size=4 "
      "attention.indexer.local_blocks=1 ",
      WHOLE,
      "abb",
      { NORM QKV OUT HEAD_NORMS FFN, NORM QKV OUT HEAD_NORMS INDEXER_QK MOE SHARED PROBS } },
    { "minimax-01",
      "minimax-01",
      "G=F",
      GQA EXPERTS "residual_scale=f3.5 full_attention_interval=4 ",
      WHOLE,
      "aaabaaab",
      { NORM "attn_norm_2[H*D] attn_qkv[E,3*H*D] attn_gate[E,H*D] " OUT MOE, NORM QKV OUT MOE } },
    { "minimax-01-last",
      "minimax-01",
      "G=F",
      GQA EXPERTS "residual_scale=f3.5 full_attention_interval=4 ",
      WHOLE,
      "aaab",
      { NORM "attn_norm_2[H*D] attn_qkv[E,3*H*D] attn_gate[E,H*D] " OUT MOE, NORM QKV OUT MOE } },
    { "kimi-linear",
      "kimi-linear",
      MLA_SIZES "A=32 ",
      MLA_ROWS KDA_KEYS EXPERTS SHARED_KEYS LEAD_1
      "expert_gating_func=2 attention.head_count_kv=[0,0,0,1] ",
      WHOLE,
      "abbc",
      { NORM KDA "ssm_f_a[E,A] ssm_f_b[A,A*H] ssm_a.[1,H] ssm_g_a[E,A] ssm_g_b[A,A*H] " FFN,
        NORM KDA
        "ssm_f_a[E,A] ssm_f_b[A,A*H] ssm_a.[1,H] ssm_g_a[E,A] ssm_g_b[A,A*H] " MOE SHARED PROBS,
        NORM MLA_WHOLE_Q MOE SHARED PROBS } },
    { "kimi-k3",
      "kimi-k3",
      MLA_SIZES "A=32 ",
      MLA_ROWS KDA_KEYS EXPERTS SHARED_KEYS LEAD_1
      "expert_gating_func=2 attention.head_count_kv=[0,0,0,1] "
      "attn_res.block_size=12 activation.situ_beta=f4.0 activation.situ_linear_beta=f25.0 ",
      WHOLE "output_res_score[E] ",
      "abbc",
      { NORM KDA "ssm_f_a[E,A] ssm_f_b[A,A*H] ssm_a.[H] ssm_g[E,A*H] attn_res_score[E] "
                 "ffn_res_score[E] " FFN,
        NORM KDA
        "ssm_f_a[E,A] ssm_f_b[A,A*H] ssm_a.[H] ssm_g[E,A*H] attn_res_score[E] ffn_res_score[E] " MOE
            SHARED PROBS,
        NORM MLA_WHOLE_Q "attn_res_score[E] ffn_res_score[E] " MOE SHARED PROBS } },
    { "bailingmoe3",
      "bailingmoe3",
      MLA_SIZES "A=32 ",
      MLA_ROWS KDA_KEYS EXPERTS SHARED_KEYS LEAD_1
      "expert_gating_func=2 attention.head_count_kv=[0,0,1,0,1] "
      "kda.gate_lower_bound=f-5.0 nextn_predict_layers=1 ",
      WHOLE,
      "abcbd",
      { NORM KDA "ssm_f_a[E,A*H] ssm_a.[1,H] ssm_g_a[E,A*H] " FFN,
        NORM KDA "ssm_f_a[E,A*H] ssm_a.[1,H] ssm_g_a[E,A*H] " MOE SHARED PROBS,
        NORM MLA_WHOLE_Q "attn_gate[E,H] " MOE SHARED PROBS,
        NORM MLA_WHOLE_Q "attn_gate[E,H] " MOE SHARED PROBS NEXTN "layer_output_norm[E] " } },
    { "deepseek4",
      "deepseek4",
      "K=1 D=64 Q=32 R=16 W=128 A=4 S=64 Y=4 Z=2 ",
      GQA WINDOW EXPERTS INDEXER_KEYS SHARED_KEYS
      "rope.dimension_count=D/2 attention.q_lora_rank=Q expert_weights_scale=f1.0 "
      "expert_weights_norm=true "
      "expert_gating_func=4 swiglu_clamp_exp=f10.0 attention.output_group_count=Z "
      "attention.output_lora_rank=R "
      "attention.compress_rope_freq_base=f160000.0 hyper_connection.count=Y "
      "hyper_connection.sinkhorn_iterations=2 "
      "hyper_connection.epsilon=f1e-6 hash_layer_count=0 "
      "attention.compress_ratios=[0,4,128,4,128,0] ",
      WHOLE "output_hc_fn[Y*E,Y] output_hc_base[Y] output_hc_scale[1] ",
      "abcbca",
      { DSV4, DSV4_RATIO_4, DSV4_RATIO_128 } },
    { "qwen4exp",
      "qwen4exp",
      "N=32 A=4 S=32 Y=4 Z=8 P=E/4 ",
      GQA EXPERTS SSM_KEYS GROUPS INDEXER_KEYS
      "expert_shared_feed_forward_length=G rope.dimension_sections=[8,4,4,0] "
      "full_attention_interval=4 "
      "hyper_connection.count=Y hyper_connection.low_rank=Z attention.compress_ratios=[4,4,4,4] "
      "embedding_length_per_layer_input=P ple.layers=[0] ple.ngram_size=3 ple.heads_per_ngram=2 "
      "ple.conv_kernel=4 ple.eos_token_id=0 ple.layer_multipliers=w[1,3,5] "
      "ple.head_offsets=w[0,V,2*V,3*V] ple.head_vocab_sizes=w[V,V,V,V] ",
      "token_embd[E,V] output_hc_norm[Y*E] output_hc_down[Y*E,Z] output_hc_up[Z,Y*E] "
      "per_layer_token_embd[P,4*V] ",
      "abbc",
      { HYPER GATED_DELTA
        "ple_key[E,Y*E] ple_value[E,E] ple_norm_key[Y*E] ple_norm_query[Y*E] ple_norm_conv[Y*E] "
        "ple_conv1d[4,Y*E] " ROUTED SHARED "ffn_gate_inp_shexp[E] ",
        HYPER GATED_DELTA ROUTED SHARED "ffn_gate_inp_shexp[E] ",
        HYPER "attn_q[E,2*H*D] attn_k[E,K*D] attn_v[E,K*D] " OUT HEAD_NORMS INDEXER_QK ROUTED SHARED
              "ffn_gate_inp_shexp[E] " } },
    { "granite_swa",
      "granite_swa",
      "",
      GQA WINDOW "logit_scale=f1.0 attention.sliding_window_pattern=[1,1,0,1,1] ",
      TIED,
      "aaaaa",
      { NORM QKV OUT "attn_sinks[H] " FFN } },
    { "mimo2",
      "mimo2",
      "D=48 B=32 W=128 ",
      "attention.head_count=4 attention.head_count_kv=[1,2,2,1,2] attention.key_length=D "
      "attention.value_length=B " EXPERTS WINDOW
      "attention.sliding_window_pattern=[0,1,1,0] nextn_predict_layers=1 ",
      WHOLE,
      "abbcd",
      { NORM "attn_q[E,4*D] attn_k[E,D] attn_v[E,B] attn_output[4*B,E] " FFN,
        NORM "attn_q[E,4*D] attn_k[E,2*D] attn_v[E,2*B] attn_output[4*B,E] attn_sinks[4] " MOE,
        NORM "attn_q[E,4*D] attn_k[E,D] attn_v[E,B] attn_output[4*B,E] " MOE,
        NORM "attn_q[E,4*D] attn_k[E,2*D] attn_v[E,2*B] attn_output[4*B,E] " FFN NEXTN } },
    { "step35",
      "step35",
      "",
      "attention.head_count=[4,6,6,4,6] attention.head_count_kv=2 attention.key_length=D "
      "attention.value_length=D " EXPERTS WINDOW
      "attention.sliding_window_pattern=[0,1,1,0,1] expert_shared_feed_forward_length=G "
      "nextn_predict_layers=1 ",
      WHOLE,
      "abbcd",
      { NORM "attn_q[E,4*D] attn_k[E,2*D] attn_v[E,2*D] attn_output[4*D,E] " HEAD_NORMS FFN,
        NORM "attn_q[E,6*D] attn_k[E,2*D] attn_v[E,2*D] attn_output[6*D,E] " HEAD_NORMS MOE SHARED,
        NORM "attn_q[E,4*D] attn_k[E,2*D] attn_v[E,2*D] attn_output[4*D,E] " HEAD_NORMS MOE SHARED,
        NORM
        "attn_q[E,6*D] attn_k[E,2*D] attn_v[E,2*D] attn_output[6*D,E] " HEAD_NORMS FFN NEXTN } },
    { "rwkv6",
      "rwkv6",
      "R=8 ",
      "wkv.head_size=D time_mix_extra_dim=R time_decay_extra_dim=2*R ",
      WHOLE_BIAS "token_embd_norm[E] token_embd_norm.bias[E] ",
      "aaa",
      { NORM_BIAS "attn_norm_2[E] attn_norm_2.bias[E] time_mix_w1[E,5*R] time_mix_w2[R,E,5] "
                  "time_mix_lerp_x[E,1,1] "
                  "time_mix_lerp_fused[E,1,1,5] time_mix_first[D,E/D] time_mix_decay[E] "
                  "time_mix_decay_w1[E,2*R] "
                  "time_mix_decay_w2[2*R,E] time_mix_key[E,E] time_mix_value[E,E] "
                  "time_mix_receptance[E,E] time_mix_gate[E,E] "
                  "time_mix_ln[E] time_mix_ln.bias[E] time_mix_output[E,E] "
                  "channel_mix_lerp_k[E,1,1] channel_mix_lerp_r[E,1,1] "
                  "channel_mix_key[E,F] channel_mix_value[F,E] channel_mix_receptance[E,E] " } },
    { "arwkv7",
      "arwkv7",
      "R=8 ",
      "wkv.head_size=D token_shift_count=1 attention.decay_lora_rank=R attention.iclr_lora_rank=R "
      "attention.value_residual_mix_lora_rank=R attention.gate_lora_rank=R ",
      WHOLE,
      "aaa",
      { NORM "time_mix_w0[E] time_mix_w1[E,R] time_mix_w2[R,E] time_mix_a0[E] time_mix_a1[E,R] "
             "time_mix_a2[R,E] "
             "time_mix_v0[E] time_mix_v1[E,R] time_mix_v2[R,E] time_mix_g1[E,R] time_mix_g2[R,E] "
             "time_mix_lerp_fused[E,1,1,6] "
             "time_mix_k_k[E] time_mix_k_a[E] time_mix_r_k[E] time_mix_key[E,E] "
             "time_mix_value[E,E] time_mix_receptance[E,E] "
             "time_mix_ln[E] time_mix_ln.bias[E] time_mix_output[E,E] " FFN } },
    { "afmoe",
      "afmoe",
      "",
      GQA EXPERTS WINDOW SHARED_KEYS LEAD_1,
      WHOLE,
      "abbbb",
      { NORM QKV OUT HEAD_NORMS POST_NORMS "attn_gate[E,H*D] " FFN,
        NORM QKV OUT HEAD_NORMS POST_NORMS "attn_gate[E,H*D] " MOE SHARED PROBS } },
    { "laguna",
      "laguna",
      "",
      GQA EXPERTS WINDOW SHARED_KEYS LEAD_1,
      WHOLE,
      "abbbb",
      { NORM QKV OUT HEAD_NORMS "attn_gate[E,H] " FFN,
        NORM QKV OUT HEAD_NORMS "attn_gate[E,H] " MOE SHARED PROBS } },
    { "plamo3",
      "plamo3",
      "",
      GQA WINDOW,
      TIED,
      "aaaaaaaaa",
      { NORM
        "attn_qkv[E,(H+2*K)*D] " OUT HEAD_NORMS
        "post_attention_norm.[E] ffn_norm[E] ffn_up[E,2*F] ffn_down[F,E] post_ffw_norm.[E] " } },
    { "nanbeige", "nanbeige", "", GQA "num_loops=3 ", TIED, "aa", { NORM QKV OUT FFN } },
    { "exaone-moe",
      "exaone-moe",
      "",
      GQA EXPERTS WINDOW SHARED_KEYS LEAD_1 "expert_gating_func=2 nextn_predict_layers=1 ",
      WHOLE,
      "abbbbc",
      { NORM QKV OUT HEAD_NORMS FFN, NORM QKV OUT HEAD_NORMS MOE SHARED PROBS,
        NORM QKV OUT HEAD_NORMS FFN NEXTN } },
    { "lfm2-swa",
      "lfm2",
      "",
      "shortconv.l_cache=3 attention.head_count=H attention.head_count_kv=[0,0,K,0,K] " WINDOW,
      "token_embd[E,V] token_embd_norm[E] ",
      "aabab",
      { NORM "shortconv.conv[3,E] shortconv.in_proj[E,3*E] shortconv.out_proj[E,E] " FFN,
        NORM QKV OUT HEAD_NORMS FFN } },
};

const size_t live_models_count = sizeof live_models / sizeof live_models[0];
