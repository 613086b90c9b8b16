# Everything runs in the project's own .venv; `make demo` and `make test` set it up on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEMO := $(VENV)/.demo
SITE := $(VENV)/.site

.DEFAULT_GOAL := help
.PHONY: help demo test lint audit bench reproduce architecture docs clean

help:  ## List the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

# The demo needs none of the large libraries: it installs less than 1 GB.
$(DEMO): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[report,figures,table]'
	touch $@

$(STAMP): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@ $(DEMO)

$(SITE): $(STAMP)
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	touch $@

demo: $(DEMO)  ## Protect, attack, measure and report on shipped data
	$(BIN)/sfumato demo --out out/demo

test: $(STAMP) lint  ## Run the checks of style, types and layers, then the whole test suite
	$(BIN)/python -m pytest -n auto --dist loadfile

lint: $(STAMP)  ## Check style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

audit: $(STAMP)  ## Test every promise, and that every specimen is caught
	$(BIN)/sfumato audit
	$(BIN)/sfumato audit tests/specimens

reproduce: $(STAMP)  ## Write docs/reproduction.md (long; ROOM=name for one section)
	$(BIN)/python -m reproduction $(ROOM)

bench: $(STAMP)  ## Compare with the peers in one run (long)
	for file in benchmarks/bench_*.py; do $(BIN)/python $$file || exit 1; done

architecture: $(STAMP)  ## Draw docs/architecture.svg from the import graph
	$(BIN)/python docs/architecture.py

docs: $(SITE)  ## Write the pages of docs/ and a reference of every public name as a site, to out/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "The site: out/docs/index.html (for the search: $(BIN)/python -m http.server --directory out/docs)"

clean:  ## Remove the environment and all output
	rm -rf $(VENV) .bench out
