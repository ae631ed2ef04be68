# `make run` reproduces the success frontier at laptop scale, `make open` shows it in the browser, `make play` trains
# in front of you, `make test` tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := $(VENV)/.installed
DEV := $(VENV)/.installed-dev
BENCH := $(VENV)/.installed-bench
CLUSTER := $(VENV)/.installed-cluster
DOCS := $(VENV)/.installed-docs
# Where nothing can be installed, name a Python that has JAX for its GPU and the rest: make gpu GPU_PYTHON=python3
GPU_PYTHON ?= $(BIN)/python
# Studies at smoke scale mostly compile, one core each: as many at a time as there are cores, on one GPU.
GPU_WORKERS ?= $(shell nproc 2>/dev/null || echo 4)
GPU := $(if $(filter $(BIN)/python,$(GPU_PYTHON)),$(VENV)/.installed-gpu)

.PHONY: run open play test docs browser cluster faults gpu lint bench clean help

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

run: $(RUN)  ## reproduce the success frontier at laptop scale: progress, claims, figures, a report
	$(BIN)/glassware reproduce pareto/success-frontier
	$(BIN)/glassware report pareto/success-frontier -o results/report.html

open: $(RUN)  ## look at results/store in the browser: studies, sweeps, every run
	$(BIN)/glassware open results/store

play: $(RUN)  ## ten networks train in front of you, in the browser
	$(BIN)/glassware play

test: $(DEV) lint  ## lint, types, every test, the README's code blocks
	$(BIN)/python -m pytest -n 2 --dist worksteal

# With the pages of one's own results, where `glassware report --all` has written them. Its pages open from disk;
# searching them needs a server, as `python3 -m http.server -d build/site`.
docs: $(DOCS)  ## the documentation site, in build/site: begin with index.html
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

lint: $(DEV)  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

cluster: $(CLUSTER)  ## stores on a local S3 server, and Ray on this machine: installs both, runs their tests
	$(BIN)/python -m pytest tests/cluster

faults: $(CLUSTER)  ## an hour or two: 200 kills on disk and on S3 (FAULTS='--kills 20'), flipped bits, 125,000 fuzzed inputs
	$(BIN)/python -W ignore -m tests.cluster.faults $(FAULTS) --store disk
	$(BIN)/python -W ignore -m tests.cluster.faults $(FAULTS) --store s3
	$(BIN)/python -W ignore -m tests.cluster.flips --flips 1000
	$(BIN)/python -m tests.fuzz --specs 100000 --texts 20000 --lines 5000

# A Chromium of the system's packages (Debian, Ubuntu, as root); elsewhere any that is on the PATH is used.
browser: $(DEV)  ## get what the tests of the page in a browser need, which 'make test' runs where they find it
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --prefer-binary -e '.[dev,browser]'
	@command -v chromium chromium-browser google-chrome >/dev/null \
	  || { apt-get update -qq && apt-get install -y -qq chromium; } \
	  || echo "no Chromium could be installed here: the tests of the page in a browser will be skipped, and say so"

gpu: $(GPU)  ## on a machine with a GPU: every study at smoke scale, kernels against the reference
	XLA_FLAGS= XLA_PYTHON_CLIENT_PREALLOCATE=false $(GPU_PYTHON) -m pytest tests/gpu -n $(GPU_WORKERS) --dist worksteal -p no:benchmark

bench: $(BENCH)  ## model-steps per second beside PyTorch and plain JAX
	$(BIN)/glassware bench

clean:  ## remove the virtual environment and caches (results stay)
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# --prefer-binary: a wheel of a slightly older release beats compiling the newest one.
$(RUN): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --prefer-binary -e '.[tabular]'
	@touch $@

$(DEV): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --prefer-binary -e '.[dev]'
	@touch $@ $(RUN)

$(VENV)/.installed-gpu: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --prefer-binary -e '.[dev,gpu]'
	@touch $@ $(RUN) $(DEV)

$(CLUSTER): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --prefer-binary -e '.[cluster]'
	@touch $@ $(RUN) $(DEV)

$(DOCS): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --prefer-binary -e '.[dev,docs]'
	@touch $@ $(RUN) $(DEV)

$(BENCH): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --prefer-binary -e '.[tabular,bench]'
	@touch $@ $(RUN)
