# Two commands do everything: `make run` (the success frontier at laptop scale) and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := $(VENV)/.installed
DEV := $(VENV)/.installed-dev
BENCH := $(VENV)/.installed-bench

.PHONY: run test lint bench clean help

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

run: $(RUN)  ## reproduce the success frontier at laptop scale: progress, claims, figures
	$(BIN)/glassware run pareto/success-frontier

test: $(DEV) lint  ## lint, types, every test, the README's code blocks
	$(BIN)/python -m pytest -n 2 --dist worksteal

lint: $(DEV)  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(BENCH)  ## model-steps a second beside PyTorch and plain JAX
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

$(BENCH): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --prefer-binary -e '.[tabular,bench]'
	@touch $@ $(RUN)
