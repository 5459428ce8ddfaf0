#!/bin/sh
# Goal: the conformance runner counts what it ran, and a wrong expected value turns it red.
# Method: a folder of reference data of our own - a config, a side file, GGUF headers with a row
# each, vLLM's view of the config - that passes; then one expected value after the other is changed.
# With CORPUS, the folder that it names passes as well.
set -u
run=$(dirname "$KVCAP")/conformance
data=$WORK/data
failed=0
bad() {
    echo "FAIL $1"
    failed=1
}

# ---- A small corpus.

# Little-endian numbers below 256, and text with its length before it.
u32() { printf "\\$(printf %03o "$1")\\0\\0\\0"; }
u64() { u32 "$1"; printf '\0\0\0\0'; }
text() { u64 ${#1}; printf %s "$1"; }
key_u32() { text "$1"; u32 4; u32 "$2"; }
key_text() { text "$1"; u32 8; text "$2"; }

header() {
    printf GGUF; u32 3; u64 0; u64 5
    key_text general.architecture llama
    key_u32 llama.block_count 2
    key_u32 llama.embedding_length 128
    key_u32 llama.attention.head_count "$1"
    key_u32 llama.context_length 64
}

fill() {
    rm -rf "$data"
    mkdir -p "$data/configs/drafts" "$data/gguf" "$data/llamacpp" "$data/traces"
    header 4 >"$data/gguf/toy.gguf"
    header 8 >"$data/gguf/other.gguf"
    header 4 | head -c 60 >"$data/gguf/bad-cut.gguf"
    cat >"$data/llamacpp/models.jsonl" <<'EOF'
{"id": "toy", "kv": {"general.architecture": {"t": "str", "v": "llama"}, "llama.block_count": {"t": "u32", "v": 2}, "llama.embedding_length": {"t": "u32", "v": 128}, "llama.attention.head_count": {"t": "u32", "v": 4}, "llama.context_length": {"t": "u32", "v": 64}}}
EOF
    cat >"$data/llamacpp/golden.jsonl" <<'EOF'
{"model": "toy", "arch": "llama", "opt": {"n_ctx": 1000, "n_seq_max": 3}, "ok": true, "n_ctx": 1536, "n_ctx_seq": 512, "n_seq_max": 3, "n_batch": 1000, "n_ubatch": 512, "n_rs_seq": 0, "caches": [{"kind": "kv", "line": "llama_kv_cache: size =    1.50 MiB (   512 cells,   2 layers,  3/3 seqs), K (f16):    0.75 MiB, V (f16):    0.75 MiB", "cells": 512, "layers": 2, "seqs": 3, "streams": 3, "type_k": "f16", "type_v": "f16", "k_bytes": 786432, "v_bytes": 786432, "k_row": 128, "v_row": [128, 128]}], "context_bytes": 1572864, "warnings": ["llama_context: n_ctx is not divisible by n_seq_max - rounding down to 1536"]}
{"model": "toy", "arch": "llama", "opt": {"type_v": "q8_0", "flash_attn": "off"}, "ok": false, "error": ["llama_init_from_model: quantized V cache requires flash_attn to be enabled"]}
EOF
    cat >"$data/llamacpp/archs_tiny.jsonl" <<'EOF'
{"id": "mamba.tiny", "arch": "mamba", "kv": {"general.architecture": {"t": "str", "v": "mamba"}, "mamba.block_count": {"t": "u32", "v": 2}, "mamba.context_length": {"t": "u32", "v": 64}, "mamba.embedding_length": {"t": "u32", "v": 32}, "mamba.ssm.conv_kernel": {"t": "u32", "v": 4}, "mamba.ssm.inner_size": {"t": "u32", "v": 64}, "mamba.ssm.state_size": {"t": "u32", "v": 16}, "mamba.ssm.time_step_rank": {"t": "u32", "v": 2}}, "results": [{"opt": {"n_ctx": 256, "n_seq_max": 2, "kv_unified": 1}, "ok": true, "n_ctx": 256, "n_ctx_seq": 256, "caches": [{"kind": "recurrent", "cells": 2, "layers_logged": 2, "layers": 2, "r_bytes": 3072, "s_bytes": 16384, "p_bytes": 0, "rows": 2, "r_row": 192, "s_row": 1024}], "context_bytes": 19456, "extra_state_bytes": 5}]}
EOF
    cat >"$data/configs/us__toy.json" <<'EOF'
{"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 128, "num_attention_heads": 4,
 "num_key_value_heads": 2, "torch_dtype": "bfloat16", "limits": [NaN, Infinity]}
EOF
    echo '{"quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8"}}' \
        >"$data/configs/us__toy.hf_quant_config.json"
    echo '{"model_type": "novel", "num_hidden_layers": 2}' >"$data/configs/drafts/novel.json"
    echo '{"model_type": "bert", "num_hidden_layers": 2}' >"$data/configs/us__encoder.json"
    cat >"$data/vllm_model_arch_groundtruth.json" <<'EOF'
{"us/toy": {"total_num_hidden_layers": 2, "head_size": 32, "total_num_kv_heads": 2,
 "is_deepseek_mla": false}, "us/absent": {"total_num_hidden_layers": 9}}
EOF
    mkdir -p "$data/logs"
    cat >"$data/logs/rows.jsonl" <<'EOF'
{"id": "v0", "engine": "vllm", "engine_version": "0.6.2", "model": "someone/Meta-Llama-3-8B-Instruct-AWQ", "settings": {"engine": "V0", "tp": 1, "dtype": "float16", "max_model_len": 8192}, "inputs": {"budget_gib": 20.5, "weights_gib": 5.35, "non_torch_gib": 0.05, "activation_peak_gib": 1.1, "available_kv_gib": 14.0}, "reported": {"blocks": 7168, "cpu_blocks": 2048, "max_concurrency": 14.0}}
{"id": "v1", "engine": "vllm", "engine_version": "0.8.x (2025-04)", "model": "Qwen2.5-7B class (name not told)", "settings": {"engine": "V1", "max_model_len": 4096}, "inputs": {"available_kv_gib": 3.3}, "reported": {"tokens": 61776, "max_concurrency": 15.08}}
{"id": "refused", "engine": "vllm", "engine_version": "0.10.0", "model": "Qwen3-8B", "settings": {"engine": "V1", "max_model_len": 40960}, "inputs": {"available_kv_gib": 2.0}, "reported": {"needed_kv_gib": 5.62, "estimated_max_model_len": 14560, "started": false}}
{"id": "line", "engine": "llama.cpp", "engine_version": "2025-03-05", "model": "toy", "settings": {"n_ctx": 4096, "flash_attn": "1", "type_k": "q8_0", "type_v": "f16"}, "inputs": {"arch": "llama", "n_layer": 32, "n_head_kv": 8, "n_embd_k_gqa": 1024, "n_embd_v_gqa": 1024}, "reported": {"kv_mib": 392.0, "k_mib": 136.0, "v_mib": 256.0}}
{"id": "latent", "engine": "ik_llama.cpp", "engine_version": "2025", "model": "toy", "settings": {"n_ctx": 2048, "type_k": "f16"}, "inputs": {"n_layer": 61}, "reported": {"kv_mib": 137.25, "ckv_mib": 137.25}}
{"id": "told", "engine": "calculator", "engine_version": "", "model": "Qwen3-0.6B", "settings": {}, "inputs": {}, "reported": {"estimate_gb": 2.19, "correct_gb": 4.38}}
{"id": "nothing", "engine": "vllm", "engine_version": "0.9.1", "model": "Qwen3-8B", "settings": {}, "inputs": {}, "reported": {"started": false}}
{"id": "other", "engine": "sglang", "engine_version": "0.5", "model": "Qwen3-8B", "settings": {}, "inputs": {}, "reported": {"tokens": 1}}
EOF
    echo "file	model_id" >"$data/configs/INDEX.tsv"
    echo "arrival" >"$data/traces/a.csv"
}

# ---- What is right passes, and what nobody knows is named.

says() { # STATUS TEXT [suite...]: runs, and wants that status and that text in what is printed
    status=$1 text=$2
    shift 2
    "$run" "$data" "$@" >"$WORK/out" 2>&1
    got=$?
    [ "$got" = "$status" ] || bad "status $got, $status is due, with: $(cat "$WORK/out")"
    grep -qF -e "$text" "$WORK/out" || bad "\"$text\" is not in: $(cat "$WORK/out")"
}

fill
says 0 "configs: 4 passed, 0 failed of 4"
says 0 "gguf: 3 passed, 0 failed of 3"
says 0 "llamacpp: 2 passed, 0 failed of 2"
says 0 "archs_tiny: 1 passed, 0 failed of 1"
says 0 "logs: 6 passed, 0 failed of 6"
says 0 "undetermined: nothing: no number that is told bounds another" logs
says 0 "determined: 4 of 5 rows of vLLM and llama.cpp (80 %), 1 of 1 of ik_llama.cpp; not yet known: 1 sglang" logs
says 0 "told: ours is 4.38 GiB; the calculator said 2.19, correct is 4.38" logs
says 0 "skipped: traces/a.csv"
says 0 "no config of us/absent"
says 0 "gguf: 3 passed, 0 failed of 3" gguf
says 0 "1 shapes (1 held against vLLM's), 1 unknown, 1 refused, 1 side files" configs
says 0 "gguf: 3 passed, 0 failed of 3" gguf
[ "$("$run" "$data" gguf 2>/dev/null | wc -l)" = 1 ] || bad "more than its own line"
says 2 "no suite is called nothing; there are configs gguf" nothing

# ---- What is wrong does not.

red() { # FILE FROM TO TEXT: with the file edited, one case fails and says so
    fill
    sed -i "s/$2/$3/" "$data/$1"
    says 1 "$4"
    says 1 "1 failed of"
}

red vllm_model_arch_groundtruth.json '"head_size": 32' '"head_size": 64' \
    "configs/us__toy.json: expected 2 layers, head size 64, 2 KV heads, MLA 0, got 2 layers, head size 32"
red vllm_model_arch_groundtruth.json '"total_num_hidden_layers": 2' '"total_num_hidden_layers": 3' \
    "expected 3 layers"
red vllm_model_arch_groundtruth.json '"total_num_kv_heads": 2' '"total_num_kv_heads": 4' \
    "expected 2 layers, head size 32, 4 KV heads"
red vllm_model_arch_groundtruth.json '"is_deepseek_mla": false' '"is_deepseek_mla": true' "MLA 1"
red llamacpp/models.jsonl '"v": 128' '"v": 127' "gguf/toy.gguf: expected llama.embedding_length"
red llamacpp/models.jsonl '"v": "llama"' '"v": "gemma"' "expected general.architecture"
red llamacpp/models.jsonl '{"t": "u32", "v": 64}' '{"t": "u64", "v": 64}' \
    "expected llama.context_length, got another value or type"
red llamacpp/models.jsonl 'llama.context_length' 'llama.context' "got no such key"
red llamacpp/models.jsonl ', "llama.context_length": {"t": "u32", "v": 64}' '' "more keys"
red configs/us__toy.json '"num_hidden_layers": 2' '"num_hidden_layers": "2"' \
    "expected a shape, UNDETERMINED, or a refusal at a key of the file, got metadata.wrong_type"
red configs/us__toy.hf_quant_config.json '"FP8"}' '"FP3"}' "a cache format that is known"

# Each member of a row of llama.cpp: a number, a list, a text, a truth.
one_more() { # FILE MEMBER: with every number of that member raised by one, one case fails
    fill
    sed -i "s/\"$2\": \\([0-9][0-9]*\\)/\"$2\": 1\\1/" "$data/llamacpp/$1"
    says 1 "expected $2"
    says 1 "1 failed of"
}
for member in n_ctx_seq n_rs_seq n_batch n_ubatch cells layers seqs streams k_bytes v_bytes k_row \
    context_bytes; do
    one_more golden.jsonl $member
done
for member in n_ctx_seq cells layers_logged layers r_bytes s_bytes p_bytes rows r_row s_row context_bytes; do
    one_more archs_tiny.jsonl $member
done
red llamacpp/golden.jsonl '"ok": true, "n_ctx": 1536' '"ok": true, "n_ctx": 1537' "expected n_ctx 1537, got 1536"
red llamacpp/golden.jsonl '"n_ctx_seq": 512, "n_seq_max": 3' '"n_ctx_seq": 512, "n_seq_max": 4' "expected n_seq_max"
red llamacpp/golden.jsonl '"v_row": \[128, 128\]' '"v_row": [128, 129]' "expected v_row 129, got 128"
red llamacpp/golden.jsonl '"v_row": \[128, 128\]' '"v_row": [128]' "expected v_row a number a layer"
red llamacpp/golden.jsonl '"v_row": \[128, 128\]' '"v_row": 128, "layer_ids": [0, 2]' "expected layer_ids 2, got 1"
red llamacpp/golden.jsonl '"kind": "kv"' '"kind": "recurrent"' "expected kind recurrent, got kv"
red llamacpp/golden.jsonl '"type_k": "f16"' '"type_k": "f32"' "expected type_k f32, got f16"
red llamacpp/golden.jsonl '3\/3 seqs' '3\/1 seqs' "expected line"
red llamacpp/golden.jsonl 'K (f16):    0.75' 'K (f16):    0.76' "expected line"
red llamacpp/golden.jsonl 'down to 1536' 'down to 1535' "expected warning"
red llamacpp/golden.jsonl ', "warnings": \[.*\]' '' "expected warnings no other"
red llamacpp/golden.jsonl '"quantized V\|quantized V cache' 'quantised V cache' "expected refusal"
red llamacpp/golden.jsonl '"error": \[' '"error": ["a line before", ' "expected line before the refusal"
red llamacpp/golden.jsonl '\["llama_init_from_model.*"\]' '["crash signal 6"]' "expected note engine.assertion"
red llamacpp/golden.jsonl '"caches": \[{' '"caches": [{"kind": "kv"}, {' "expected"
red llamacpp/archs_tiny.jsonl '"caches": \[.*\], "context' '"caches": [], "context' "expected caches no more"

# Each number of a row of a log.
red logs/rows.jsonl '"blocks": 7168' '"blocks": 7175' "v0: expected blocks 7175"
red logs/rows.jsonl '"cpu_blocks": 2048' '"cpu_blocks": 2049' "expected cpu_blocks 2049, got 2048"
red logs/rows.jsonl '"max_concurrency": 14.0' '"max_concurrency": 14.05' "expected max_concurrency in hundredths 1405"
red logs/rows.jsonl '"activation_peak_gib": 1.1' '"activation_peak_gib": 1.2' "expected available_kv_gib what the terms leave"
red logs/rows.jsonl '"tokens": 61776' '"tokens": 61777' "no pool of whole blocks has them"
red logs/rows.jsonl '"tokens": 61776' '"tokens": 62000' "v1: expected tokens 62000"
red logs/rows.jsonl '"max_concurrency": 15.08' '"max_concurrency": 15.09' "expected max_concurrency in hundredths 1509"
red logs/rows.jsonl '"needed_kv_gib": 5.62' '"needed_kv_gib": 5.64' "refused: expected needed_kv_gib 5.64"
red logs/rows.jsonl '"estimated_max_model_len": 14560' '"estimated_max_model_len": 14720' "expected estimated_max_model_len 14720"
red logs/rows.jsonl '14560, "started": false' '14560, "started": true' "expected started true, got false"
red logs/rows.jsonl '"kv_mib": 392.0' '"kv_mib": 392.01' "line:"
red logs/rows.jsonl '"k_mib": 136.0' '"k_mib": 137.0' "k_mib 137.0"
red logs/rows.jsonl '"v_mib": 256.0' '"v_mib": 128.0' "v_mib 128.0"
red logs/rows.jsonl '"ckv_mib": 137.25' '"ckv_mib": 137.27' "ckv_mib 137.27"
red logs/rows.jsonl '"correct_gb": 4.38' '"correct_gb": 4.39' "told: expected the correct size 4.39"
# Numbers that a setting explains which the row does not tell are no failure; told, they are.
fill
sed -i 's/"tokens": 61776, "max_concurrency": 15.08/"tokens": 123552/' "$data/logs/rows.jsonl"
says 0 "undetermined: v1: tensor_parallel_size: it is not told" logs
sed -i 's/"max_model_len": 4096}/"max_model_len": 4096, "tp": 1}/' "$data/logs/rows.jsonl"
says 0 "undetermined: v1: kv_cache_dtype: it is not told" logs
sed -i 's/"tp": 1}, "inputs": {"available/"tp": 1, "kv_cache_dtype": "auto"}, "inputs": {"available/' "$data/logs/rows.jsonl"
says 1 "v1: expected tokens 123552" logs
fill
sed -i 's/"reported": {"tokens": 1}/"printed": 1/' "$data/logs/rows.jsonl"
says 4 "rows.jsonl: reported"

# A row with a member that nobody compares, and one of a model that is not there.
fill
sed -i 's/"n_rs_seq": 0/"n_rs_seq": 0, "n_new": 1/' "$data/llamacpp/golden.jsonl"
says 4 "a member that the suite does not compare"
fill
sed -i 's/"model": "toy"/"model": "other"/' "$data/llamacpp/golden.jsonl"
says 4 "a model that models.jsonl has not"
fill
sed -i 's/{"t": "u32", "v": 64}/{"t": "u32", "v": "x"}/' "$data/llamacpp/archs_tiny.jsonl"
says 4 "not of its type"

# A header that should have been refused, and one that should not.
fill
header 4 >"$data/gguf/bad-cut.gguf"
says 1 "gguf/bad-cut.gguf: expected a refusal, got a header"
fill
header 4 | head -c 60 >"$data/gguf/toy.gguf"
says 1 "gguf/toy.gguf: expected a header, got gguf."
fill
echo '{' >"$data/configs/us__toy.json"
says 1 "configs/us__toy.json: expected a shape"

# Reference data that is broken is not passed over.
fill
echo '[]' >"$data/vllm_model_arch_groundtruth.json"
says 4 "an object of models is due"
fill
sed -i 's/"is_deepseek_mla": false/"is_deepseek_mla": "no"/' "$data/vllm_model_arch_groundtruth.json"
says 4 "neither true nor false"
fill
: >"$data/llamacpp/models.jsonl"
says 4 "it holds no line"
fill
cat "$data/llamacpp/models.jsonl" "$data/llamacpp/models.jsonl" >"$data/twice"
mv "$data/twice" "$data/llamacpp/models.jsonl"
says 4 "two lines have one id"
fill
sed -i 's/"id": "toy"/"id": 7/' "$data/llamacpp/models.jsonl"
says 4 "an id that is text"
fill
rm -r "$data/configs"
ln -s nowhere "$data/configs"
says 4 "is no folder"
fill
rm "$data/llamacpp/models.jsonl"
mkdir "$data/llamacpp/models.jsonl"
says 4 "is no file"

# Nothing to run is no success.
rm -rf "$data"
mkdir -p "$data"
says 1 "no case was found"
fill
rm "$data"/gguf/*
says 1 "gguf: 0 passed, 0 failed of 0" gguf

# ---- The reference data, where it is at hand.
if [ -n "${CORPUS:-}" ]; then
    "$run" "$CORPUS" >"$WORK/out" 2>&1 || bad "$(grep -v '^skipped' "$WORK/out")"
    grep -v '^skipped' "$WORK/out"
fi
exit $failed
