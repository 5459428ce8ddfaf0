#!/bin/sh
# drawn_test.sh - the same as engine_test.sh, for contexts that are drawn: of KVC_TEST_SEED, or always the same.
set -eu
LIVE_HOW=--seed=${KVC_TEST_SEED:-1} exec sh "$SOURCE/test/live/engine_test.sh"
