#!/bin/sh
# cross - what one build plans, another verifies: test/cross.sh A/kvcap B/kvcap
#
# Goal: ids do not depend on the compiler.
# Method: each program seals the fixtures and plans them; the other verifies; the files are compared
# byte for byte.
set -eu
first=$1
second=$2
records=$SOURCE/test/records

# plan_with PROGRAM FOLDER: every fixture that has a model, a contract and evidence
plan_with() {
    mkdir -p "$2"
    "$1" plan --example --json >"$2/example.json"
    "$1" plan --example --bundle "$2/bundle.jsonl" >"$2/example.txt"
    for config in "$records"/*/config.json; do
        [ -e "$config" ] || continue
        "$1" inspect "$config" --json >"$2/$(basename "$(dirname "$config")").model.json"
    done
    for draft in "$records"/*/*.yaml "$records"/*/*.json; do
        [ -e "$draft" ] || continue
        name=$(basename "$(dirname "$draft")")-$(basename "$draft")
        "$1" seal "$draft" >"$2/$name" 2>/dev/null || rm -f "$2/$name"
    done
}

plan_with "$first" "$WORK/first"
plan_with "$second" "$WORK/second"
diff -r "$WORK/first" "$WORK/second"
"$second" verify "$WORK/first/bundle.jsonl" >/dev/null
"$first" verify "$WORK/second/bundle.jsonl" >/dev/null
echo "cross: $(find "$WORK/first" -type f | wc -l) files alike, verified both ways"
