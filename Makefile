# Anser: every command sets itself up. `make help` lists them.
# Needs make and a Python >= 3.11; take another with `make PYTHON=python3.12 …` (after `make clean`).

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test check conform crosshair campaign bench honker clean

NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11 python3.14; do \
	"$$python" -c '$(NEW_ENOUGH)' 2>/dev/null && echo "$$python" && break; done)
BIN := .venv/bin

WORKERS ?= 2
MINUTES ?= 10
SEED ?= 0

help:  ## list the commands
	@awk -F':.*## ' '/^[a-z]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile

# Built again when pyproject.toml changes. The stamp is written last, so a build that broke off is taken up again.
.venv/stamp: pyproject.toml
	@[[ -n "$(PYTHON)" ]] && "$(PYTHON)" -c '$(NEW_ENOUGH)' || \
		{ echo "make: Anser needs Python >= 3.11 and found none; install one, or name it: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	@$(BIN)/python -c '$(NEW_ENOUGH)' 2>/dev/null && $(BIN)/python -m pip --version >/dev/null 2>&1 || \
		"$(PYTHON)" -m venv --clear .venv || \
		{ echo "make: $(PYTHON) cannot make a virtual environment; on Debian, install python3-venv" >&2; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

# The published honker 0.5.0, laid beside the project and never imported into our own process.
.honker/stamp: spec/anser_spec/targets/honker/lay.py | .venv/stamp
	$(BIN)/python -m anser_spec.targets.honker.lay .honker || [[ $$? == 3 ]]  # 3: none for this platform, said in why-not
	@touch $@

honker: .honker/stamp  ## lay the published honker into .honker/

demo: .venv/stamp .honker/stamp  ## a story in under a minute: orders, jobs, a killed worker, a dead letter, the conformance run
	$(BIN)/python tests/demo/orders.py

test: .venv/stamp .honker/stamp  ## every test, in the gate's form
	$(BIN)/python -m pytest -n $(WORKERS) --rule-trace out/trace
	$(BIN)/python -m anser_spec.trace out/trace

check: .venv/stamp  ## format, lint, types, tidy, unit and behaviour: green before you stop
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n $(WORKERS) $(wildcard tests/tidy tests/unit tests/behavior)

conform: .venv/stamp .honker/stamp  ## hold Anser against the rules, then honker 0.5 against the model with its quirks
	$(BIN)/anser-spec run --target sqlite
	$(BIN)/anser-spec run --target honker --profile honker-0.5

crosshair: .venv/stamp  ## prove the contracts of the pure parts; a downgrade fails
	$(BIN)/python -m anser_spec.crosshair

campaign: .venv/stamp  ## crashes, power loss, races, long random runs: make campaign MINUTES=30 SEED=0
	$(BIN)/anser-spec campaign --minutes $(MINUTES) --seed $(SEED)

bench: .venv/stamp .honker/stamp  ## Anser, honker and bare sqlite3 side by side, on one file system
	$(BIN)/python benchmarks/run.py

clean:  ## remove what make built
	rm -rf .venv .honker dist build out .benchmarks .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
