#!/bin/sh
# engine_test.sh - kvcap's lines, bytes and refusals against those of llama.cpp itself: see main.c.
#
# The engine is what tools/live/fetch brought; where it is not there this is skipped, but for CI=true and
# KVCAP_LIVE=required.  LIVE_HOW is more words for the program, as in main.c.
set -eu

build=$(dirname "$KVCAP")
engine=$SOURCE/build-live/engine

if [ ! -x "$build/live" ] || [ ! -e "$engine/version" ]; then
    if [ "${CI:-}" = true ] || [ "${KVCAP_LIVE:-}" = required ]; then
        echo "live: the engine has to be here, and it is not, or $build was configured without it"
        exit 1
    fi
    echo "live: skipped, the engine is not here, or $build was configured without it; make live brings it"
    exit 77
fi

# shellcheck disable=SC2086 # words
"$build/live" write "$WORK" ${LIVE_HOW:-} >"$WORK/questions.jsonl"
"$KVCAP" fit --batch <"$WORK/questions.jsonl" >"$WORK/answers.jsonl"
# shellcheck disable=SC2086
"$build/live" compare "$engine/lib" "$WORK" ${LIVE_HOW:-} <"$WORK/answers.jsonl"
