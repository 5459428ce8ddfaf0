# A few words for people; each of them calls CMake, which knows the build.  `make help` lists them.

.DEFAULT_GOAL := build
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules --no-print-directory

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
WERROR ?= OFF
PREFIX ?= /usr/local
SECONDS ?= 60
SEED ?= 0# of the fuzzers; 0 is a new one each time

CTEST := ctest --output-on-failure --no-tests=error -j$(JOBS)
SOURCES = $$(find src include test -path test/fuzz/corpus -prune -o -name '*.[ch]' -print | sort)

.PHONY: help demo build debug setup-test test live conformance lint style tidy cppcheck rooms pure core san clang \
        cross fuzz fuzz-corpus cover bench install format clean

help: ## these words
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

demo: ## install what is missing, build, and show what kvcap does
	@tools/setup build
	@$(MAKE) build
	@sh tools/demo build/kvcap

# ---- Building ------------------------------------------------------------------------------------

build: ## build/kvcap and the libraries, by gcc
	@cmake --preset dev -DKVCAP_WERROR=$(WERROR) >/dev/null
	@cmake --build build -j$(JOBS)

debug: ## the same for a debugger, in build-debug/
	@cmake --preset debug >/dev/null
	@cmake --build build-debug -j$(JOBS)

install: ## to PREFIX (/usr/local), below DESTDIR
	@cmake --preset dev -DCMAKE_INSTALL_PREFIX=$(PREFIX) >/dev/null
	@cmake --build build -j$(JOBS)
	@cmake --install build

clean: ## remove what was built
	rm -rf build build-debug build-clang build-san build-fuzz build-cover build-ci build-live

# ---- Tests ---------------------------------------------------------------------------------------

# The engine itself is 46 MB to fetch, once.  Where it is not to be had, its test is skipped: doc/live.md.
setup-test:
	@tools/setup test
	@tools/live/fetch build-live/engine || [ $$? = 77 ]

test: setup-test ## all tests; CORPUS=folder adds those that need reference data
	@cmake --preset dev -DKVCAP_WERROR=$(WERROR) -DKVCAP_TESTS=ON >/dev/null
	@cmake --build build -j$(JOBS)
	@$(CTEST) --test-dir build

live: ## kvcap against llama.cpp itself: a table (HOW: doc/live.md)
	@tools/setup live
	@KVCAP_LIVE=required tools/live/fetch build-live/engine
	@$(MAKE) build
	@rm -rf build/scratch/live && mkdir -p build/scratch/live
	@KVCAP="$(CURDIR)/build/kvcap" SOURCE="$(CURDIR)" WORK="$(CURDIR)/build/scratch/live" \
	    KVCAP_LIVE=required LIVE_HOW="$(HOW)" sh test/live/engine_test.sh

conformance: build ## every case below CORPUS that a suite knows, through the library
	@[ -n "$(CORPUS)" ] || { echo "conformance: set CORPUS to a folder of reference data" >&2; exit 2; }
	@build/conformance "$(CORPUS)" $(SUITES)

clang: ## build by clang, and all tests, in build-clang/
	@cmake --preset clang -DKVCAP_WERROR=$(WERROR) >/dev/null
	@cmake --build build-clang -j$(JOBS)
	@$(CTEST) --test-dir build-clang

san: ## all tests under AddressSanitizer and UndefinedBehaviorSanitizer, in build-san/
	@cmake --preset san -DKVCAP_WERROR=$(WERROR) >/dev/null
	@cmake --build build-san -j$(JOBS)
	@$(CTEST) --test-dir build-san

cross: build ## what the gcc build plans, the clang build verifies
	@cmake --preset clang -DKVCAP_WERROR=$(WERROR) >/dev/null
	@cmake --build build-clang -j$(JOBS)
	@rm -rf build/scratch/cross && mkdir -p build/scratch/cross
	@SOURCE="$(CURDIR)" WORK="$(CURDIR)/build/scratch/cross" \
	    sh test/cross.sh build/kvcap build-clang/kvcap

# Each target runs on a copy of its kept seeds; what breaks it is left in build-fuzz/found/.
fuzz: ## each fuzz target for SECONDS (60), in build-fuzz/
	@cmake --preset fuzz >/dev/null
	@cmake --build build-fuzz -j$(JOBS) --target fuzzers
	@mkdir -p build-fuzz/found; failed=0; \
	for source in test/fuzz/*_fuzz.c; do \
	    [ -e "$$source" ] || { echo "fuzz: no targets yet"; break; }; \
	    name=$$(basename "$$source" _fuzz.c); \
	    work=build-fuzz/scratch/$$name; log=build-fuzz/$$name.log; \
	    rm -rf "$$work"; mkdir -p "$$work"; \
	    [ ! -d "test/fuzz/corpus/$$name" ] || cp -R "test/fuzz/corpus/$$name/." "$$work"; \
	    if build-fuzz/fuzz/$$name -max_total_time=$(SECONDS) -seed=$(SEED) -rss_limit_mb=4096 \
	        -timeout=30 -print_final_stats=1 -artifact_prefix="build-fuzz/found/$$name-" \
	        "$$work" >"$$log" 2>&1; \
	    then echo "fuzz $$name: ok"; \
	    else tail -n 40 "$$log"; echo "fuzz $$name: FAILED, see $$log"; failed=1; \
	    fi; \
	done; exit $$failed

# One seed: what it says of a change, it says again.  Searching is for `make fuzz`, whose seed is new each time.
fuzz-corpus: ## each fuzz target for ten seconds on the kept seeds
	@$(MAKE) fuzz SECONDS=10 SEED=1

cover: ## which lines the tests run, in build-cover/
	@cmake --preset cover >/dev/null
	@cmake --build build-cover -j$(JOBS)
	@find build-cover -name '*.gcda' -exec rm -f {} +
	@$(CTEST) --test-dir build-cover
	@gcovr --root . --filter src/ --txt --html-details build-cover/cover.html build-cover

bench: build ## how fast: lines, and build/bench.json
	build/kvcap-bench build/kvcap build/bench.json

# ---- Looking at the source -----------------------------------------------------------------------

lint: style rooms pure cppcheck tidy ## layout, rooms, purity, cppcheck, clang-tidy

style:
	@clang-format --dry-run -Werror $(SOURCES)
	@echo "style: ok"

rooms: ## the staircase of ARCHITECTURE.md, dead headers, banned words and calls
	@tools/rooms

core:
	@cmake --preset dev -DKVCAP_WERROR=$(WERROR) >/dev/null
	@cmake --build build -j$(JOBS) --target kvcap_core

pure: core ## what the pure rooms call: memory and string functions, nothing else
	@tools/pure build/libkvcap_core.a

cppcheck:
	@mkdir -p build/cppcheck
	@cppcheck --quiet --std=c11 --language=c --platform=unix64 -j$(JOBS) \
	    --cppcheck-build-dir=build/cppcheck --enable=warning,performance,portability \
	    --inline-suppr --error-exitcode=1 --suppress=missingIncludeSystem \
	    -D_POSIX_C_SOURCE=200809L -I include -I src src
	@echo "cppcheck: ok"

tidy: core
	@find src -name '*.c' | sort | xargs -P$(JOBS) -n4 clang-tidy --quiet -p build 2>build/tidy.log \
	    || { cat build/tidy.log; exit 1; }
	@echo "clang-tidy: ok"

format: ## lay out all C files
	@clang-format -i $(SOURCES)
