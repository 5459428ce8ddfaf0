#!/bin/sh
# self_test.sh - the comparison with llama.cpp itself can fail.
#
# Goal:   what kvcap would say wrongly of a context turns the comparison red.
# Method: kvcap's answers about one model are compared as they are, and then with one thing changed in one of
#         them: a byte count, the total, a line, a line less, a refusal's words, a refusal that is none.
set -eu

build=$(dirname "$KVCAP")
engine=$SOURCE/build-live/engine
model=llama-narrow

if [ ! -x "$build/live" ] || [ ! -e "$engine/version" ]; then
    echo "live: skipped, see live/engine"
    exit 77
fi

"$build/live" write "$WORK" --model=$model >"$WORK/questions.jsonl"
"$KVCAP" fit --batch <"$WORK/questions.jsonl" >"$WORK/answers.jsonl"

compare() {
    "$build/live" compare "$engine/lib" "$WORK" --model=$model <"$1" >"$WORK/table.txt"
}

fail() {
    cat "$WORK/table.txt"
    echo "self_test: $1"
    exit 1
}

compare "$WORK/answers.jsonl" || fail "what kvcap says is not equal, unchanged"

# What is changed, and by which command of sed; one context of the table has to become different.
turns_red() {
    sed "$2" "$WORK/answers.jsonl" >"$WORK/changed.jsonl"
    ! cmp -s "$WORK/answers.jsonl" "$WORK/changed.jsonl" || fail "$1: nothing was changed"
    ! compare "$WORK/changed.jsonl" || fail "$1: was not noticed"
    [ "$(grep -c ': DIFFERENT' "$WORK/table.txt")" = 1 ] || fail "$1: is not one difference"
}

turns_red "bytes of keys" '/ plain"/s/"k_bytes":\([0-9]*\)/"k_bytes":\11/'
turns_red "bytes in all" '/ slots"/s/"bytes_total":\([0-9]*\)/"bytes_total":\11/'
turns_red "a number in a line" '/ shared"/s/ cells, / cell, /'
turns_red "a line less" '/ odd"/s/"llama_context: n_ubatch[^"]*",//'
turns_red "other lines of a context" '/ many"/s/n_ctx_seq  /n_ctx_per_seq  /'
turns_red "the words of a refusal" '/ q8_0"/s/"text":"/"text":"not /'
turns_red "a refusal that is none" '/ too-many"/s/"refusal":/"note":/'
