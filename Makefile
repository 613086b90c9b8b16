# Everything runs in the project's own .venv; `make demo` and `make test` set it up on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEMO := $(VENV)/.demo
SITE := $(VENV)/.site
# What was installed when the suite last passed, so that a new machine gets the same; empty for the newest of everything.
CONSTRAINTS ?= constraints.txt
INSTALL = $(BIN)/python -m pip install --quiet $(if $(CONSTRAINTS),--constraint $(CONSTRAINTS)) --editable
# The quick part: what rests on arithmetic.
QUICK := tests/promise tests/noise tests/mechanism tests/statistic tests/direction tests/survey

.DEFAULT_GOAL := help
.PHONY: help demo test plain matrix wheel newest lock lint audit bench reproduce architecture docs clean

help:  ## List the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

# The demo needs none of the large libraries: it installs less than 1 GB.
$(DEMO): pyproject.toml $(CONSTRAINTS) | $(BIN)/python
	$(INSTALL) '.[report,figures,table]'
	touch $@

$(STAMP): pyproject.toml $(CONSTRAINTS) | $(BIN)/python
	$(INSTALL) '.[dev]'
	touch $@ $(DEMO)

# The site is written from the sources: nothing of the package is imported.
$(SITE): pyproject.toml $(CONSTRAINTS) | $(BIN)/python
	$(INSTALL) '.[docs]'
	touch $@

demo: $(DEMO)  ## Protect, attack, measure and report on shipped data
	$(BIN)/sfumato demo --out out/demo

test: $(STAMP) lint  ## Run the checks of style, types and layers, then the whole test suite
	$(BIN)/python -m pytest -n auto --dist loadfile

plain: $(STAMP)  ## Run the quick part of the suite with the processor's vector extensions switched off
	$(BIN)/python .ci/plain.py $(BIN)/python -m pytest -n auto --dist loadfile $(QUICK)

matrix:  ## Run the quick part with the lowest and the newest versions and other Pythons (ONLY="lowest newest", CORE=1 for less)
	$(PYTHON) .ci/matrix.py $(if $(CORE),--core) $(ONLY)

wheel: $(STAMP)  ## Install the wheel with each extra alone and run the examples that it promises (ONLY="table trace" for some)
	$(BIN)/python .ci/wheel.py $(ONLY)

newest:  ## Run the whole suite with the newest version of everything, in an environment of its own
	$(MAKE) test VENV=.matrix/whole CONSTRAINTS=

lock: $(STAMP)  ## Write the versions that are installed now to constraints.txt
	$(BIN)/python .ci/lock.py > constraints.txt.new
	mv constraints.txt.new constraints.txt

lint: $(STAMP)  ## Check style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

audit: $(STAMP)  ## Test every promise, and that every specimen is caught
	$(BIN)/sfumato audit
	$(BIN)/sfumato audit tests/specimens

reproduce: $(STAMP)  ## Write docs/reproduction.md: what is missing or outdated (ROOM=name, FRESH=1 for all, PLAN=1 to be told)
	$(if $(FRESH),SFUMATO_FRESH=1 )$(BIN)/python -m reproduction $(ROOM) $(if $(PLAN),--plan)

bench: $(STAMP)  ## Compare with the peers in one run (long)
	for file in benchmarks/bench_*.py; do $(BIN)/python $$file || exit 1; done

architecture: $(STAMP)  ## Draw docs/architecture.svg from the import graph
	$(BIN)/python docs/architecture.py

docs: $(SITE)  ## Write the pages of docs/ and a reference of every public name as a site, to out/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "The site: out/docs/index.html (for the search: $(BIN)/python -m http.server --directory out/docs)"

clean:  ## Remove the environment and all output
	rm -rf $(VENV) .bench .matrix out
