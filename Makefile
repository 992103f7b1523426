# The front door: everything that a person or a CI job does with this project. `make help`.
#
# Variables: JOBS (compilers and tests at once), DB (database of results), OUT (folder of reports),
# RUN (the run that a report shows; of publish-reports one or more), ARGS (further arguments of nsop),
# PRESET (the build that measures), TESTS (a word: only tests with it in their names), STEPS (of
# test-full: dev, asan, tsan, fuzz, arm, wasm, tidy), BASE (what a gate compares with), GATE (the file of a gate) and
# HEAD_SHA (the commit that it must be of), HISTORY (folder of nights; of site reports/history unless it is
# given), SITE (folder of the site), PACKAGES (folder of packages).

SHELL := /bin/bash
.DEFAULT_GOAL := help
.NOTPARALLEL:

JOBS ?= $(shell nproc)
DB ?= nsop.db
OUT ?= build/reports
RUN ?= @last
ARGS ?=
TESTS ?=
STEPS ?=
PRESET ?= release
BASE ?= main
GATE ?= build/gate/gate.ndjson
HEAD_SHA ?=
HISTORY ?= build/nsop-data
PACKAGES ?= build/package
SITE ?= build/site
SITE_HISTORY := $(if $(filter file,$(origin HISTORY)),reports/history,$(value HISTORY))

export JOBS TESTS
# What is in a variable is never read as make's language: it would be where it goes to the environment.
override BASE := $(value BASE)
override GATE := $(value GATE)
override HEAD_SHA := $(value HEAD_SHA)
override HISTORY := $(value HISTORY)
override PACKAGES := $(value PACKAGES)
override SITE := $(value SITE)
# A variable as one word of the shell, whatever is in it: branches have names of anybody's choosing.
shell_word = '$(subst ','\'',$(value $(1)))'
NSOP := build/$(PRESET)/bin/nsop
# A release build measures; only the others carry tests.
BUILD_OPTIONS := $(if $(filter release,$(PRESET)),-DNSOP_TESTS=OFF)

.PHONY: help setup build package peers dev test test-full test-faults check format lint coverage check-arm check-wasm bench-quick \
  bench-comprehensive bench-full thresholds report publish-reports track-releases gate gate-report \
  perf-nightly check-generated \
  site judge-eval judge-eval-full judge-live-build judge-live learn-2048 clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-20s %s\n", $$1, $$2}' Makefile

setup: ## Install the Debian packages that are missing (asks sudo unless root)
	tools/setup.sh core test

build: ## Build what is measured: build/release/bin/nsop
	tools/setup.sh core
	tools/build.sh $(PRESET) $(BUILD_OPTIONS)

package: ## Make the Debian packages nsop and libnsop-dev of what is checked out, in build/package
	tools/setup.sh core package
	tools/package.sh $(call shell_word,PACKAGES)

peers: ## Install the libraries that reports compare with and build their workers
	tools/setup.sh core peers
	tools/build.sh $(PRESET) $(BUILD_OPTIONS)

dev: ## Build with assertions and tests: build/dev
	tools/setup.sh core test
	tools/build.sh dev

test: dev ## Run the tests (C++, Python, shell, documentation); 20 minutes on 2 cores with the build
	tools/test.sh dev

test-full: ## The same with slow and fault-injection tests, under asan with ubsan, tsan; clang-tidy (2 hours on 2 cores)
	tools/setup.sh core test check package arm wasm device
	tools/test_full.sh $(STEPS)

test-faults: ## Faults on purpose: failing disks, kills, rogue workers, random texts for parsers (20 minutes)
	tools/setup.sh core test check
	tools/build.sh dev
	tools/build.sh fuzz
	tools/test_faults.sh

check: ## What a change must pass: format, lints, include order, generated reports, tests
	tools/setup.sh core test check
	tools/lint/lint.sh
	$(MAKE) test
	$(MAKE) check-generated

format: ## Rewrite C++ with clang-format and Python with black
	tools/setup.sh core check
	tools/lint/format.sh --fix

lint: ## All lints, clang-tidy included (some minutes)
	tools/setup.sh core test check
	tools/lint/lint.sh --tidy

coverage: ## Line coverage of our own sources; fails under 90 %
	tools/setup.sh core test check
	tools/build.sh coverage
	tools/coverage.sh

check-arm: ## Cross-compile the worker for aarch64 and compare it with the oracle under QEMU
	tools/setup.sh core arm
	TARGET=nsop tools/build.sh dev
	tools/cross/check_arm.sh build/dev/bin/nsop $(ARGS)

check-wasm: ## Compile the worker for WebAssembly and compare it with the oracle under node
	tools/setup.sh core wasm
	TARGET=nsop tools/build.sh dev
	tools/cross/check_wasm.sh build/dev/bin/nsop $(ARGS)

# Measuring leaves the checkout as it is: reports go to OUT, build/reports unless it is given. The
# committed ones in reports/generated are what publish-reports writes and, with OUT=reports/generated
# only, judge-eval, judge-live and learn-2048 (judge and dqn_learning).
bench-quick: build ## Measure the cases tagged quick (under a minute), then report into OUT (build/reports)
	$(NSOP) run --profile quick --db $(DB) $(ARGS)
	$(NSOP) report @last --db $(DB) --out $(OUT)

bench-comprehensive: build ## Measure all suites but those that only bench-full has (15 minutes), then report
	$(NSOP) run --profile comprehensive --db $(DB) $(ARGS)
	$(NSOP) report @last --db $(DB) --out $(OUT)

bench-full: build ## Measure every suite and all sweeps, however long that takes, then report
	$(NSOP) run --profile full --db $(DB) $(ARGS)
	$(NSOP) report @last --db $(DB) --out $(OUT)

# The header is source, and so is what each machine said, from which it is made: both are written where
# they are committed, the report into OUT. To commit them, publish the run: ARGS="--suite threads".
thresholds: build ## Measure from which size on threads pay, write kernels/runtime/thresholds.h and its data, build (8 quiet minutes)
	$(NSOP) run --suite threads --profile full --db $(DB) $(ARGS)
	$(NSOP) report @last --suite threads --db $(DB) --out $(OUT)
	$$(tools/find_python.sh) tools/thresholds.py --write $(OUT)/threads.json
	tools/build.sh $(PRESET) $(BUILD_OPTIONS)

report: build ## Render the reports of RUN (default: the last run) into OUT
	$(NSOP) report $(RUN) --db $(DB) --out $(OUT) $(ARGS)

publish-reports: build ## Render the stored run(s) RUN of DB into reports/generated, the reports that are committed
	$$(tools/find_python.sh) tools/kept_runs.py --nsop $(NSOP) --db $(DB) import
	for run in $(RUN); do \
	  $(NSOP) report $$run --db $(DB) --out reports/generated $(ARGS) || exit 1; done
	PYTHONPATH=reports $$(tools/find_python.sh jinja2) -m nsop_report --index reports/generated --count-ages
	$$(tools/find_python.sh) tools/readme_table.py
	$$(tools/find_python.sh) tools/kept_runs.py --nsop $(NSOP) --db $(DB) keep $(RUN)

track-releases: build ## Measure the releases of nsop-releases.toml that DB lacks, for the report tracking (a build and 2 minutes each)
	$$(tools/find_python.sh) tools/kept_runs.py --nsop $(NSOP) --db $(DB) import
	$(NSOP) run --suite tracking --releases --db $(DB) $(ARGS)

gate: build ## Measure HEAD against its merge base with BASE (default main), into build/gate
	mkdir -p build/gate
	rm -f build/gate/*
	$(NSOP) gate --base $(call shell_word,BASE) --merge-base --db build/gate/gate.db $(ARGS) || [[ $$? == [13] ]]
	$(NSOP) export @last --db build/gate/gate.db --out build/gate/gate.ndjson

gate-report: ## Judge the file GATE again and report it into build/gate; fails if a row is worse
	tools/setup.sh core
	TARGET=nsop tools/build.sh $(PRESET) $(BUILD_OPTIONS)
	tools/gate_report.sh $(NSOP) $(call shell_word,GATE) build/gate $(call shell_word,HEAD_SHA)

perf-nightly: build ## Compare HEAD with the nights in the folder HISTORY; exit 1 on an open alert
	tools/perf_nightly.sh $(NSOP) $(call shell_word,HISTORY) $(ARGS)

site: build ## Write the offline site of the kept runs and of the nights in HISTORY into SITE (build/site)
	$$(tools/find_python.sh) tools/kept_runs.py --nsop $(NSOP) --db build/site.db import
	$(NSOP) site $(call shell_word,SITE) --db build/site.db --history $(call shell_word,SITE_HISTORY) $(ARGS)

judge-eval: build ## Score the judge's rules on synthetic and recorded data into OUT (minutes; OUT=reports/generated publishes)
	$$(tools/find_python.sh scipy) -m harness.judge.evaluation --out $(OUT) $(ARGS)

judge-eval-full: build judge-live-build ## The same with more copies, and live on this machine (hours)
	$$(tools/find_python.sh scipy) -m harness.judge.evaluation --full --out $(OUT)
	$$(tools/find_python.sh scipy) -m harness.judge.evaluation --live --out $(OUT) $(ARGS)

judge-live-build: build ## Build what judge-live measures, kept by commit: slower workers, link orders (minutes)
	$$(tools/find_python.sh scipy) -m harness.judge.evaluation --build-only --out $(OUT) $(ARGS)

judge-live: build ## Measure these: false alarms and power of gates on this machine; goes on where it was
	$$(tools/find_python.sh scipy) -m harness.judge.evaluation --live --out $(OUT) $(ARGS)

learn-2048: build ## Learn 2048 from three seeds (2 minutes of one core), then report into OUT (=reports/generated publishes)
	for seed in 1 2 3; do \
	  build/$(PRESET)/bin/nsop-dqn2048 learn --seed $$seed --out build/learn-2048-$$seed.json || exit 1; \
	done
	$$(tools/find_python.sh matplotlib) reports/nsop_report/learning.py --out $(OUT) \
	  build/learn-2048-[123].json

check-generated: ## Fail if a committed report is not what its JSON renders to, or a document quotes other numbers
	$$(tools/find_python.sh) tools/check_generated.py
	$$(tools/find_python.sh) tools/check_quoted_numbers.py

clean: ## Remove build/ with the reports in it; databases and committed reports stay
	rm -rf build
