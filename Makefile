# Everything here sets itself up: a bare machine needs python3, pip and make.

PYTHON ?= python3
VENV := .venv
ADAPTERS := $(VENV)/adapters
RAY := $(VENV)/ray
DOCS := .venv-docs
# Where the site goes; versions that were built there before are kept.
SITE ?= build/docs
WEIGHTS := $(CURDIR)/.weights
BIN := $(VENV)/bin
PACKAGES := --editable packages/readagent-browse --editable packages/readagent-bench
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Test processes: one for each core.
WORKERS ?= logical
PYTEST := $(BIN)/python -m pytest --numprocesses $(WORKERS) --durations 40
BENCHMARKS := find long_questions small_window very_long one_pass offline \
  real_web real_files serve proxy miniwob postgres corpus

.PHONY: help demo test test-slow test-all test-adapters test-ray lint check check-release docs notebooks screenshots bench weights browser clean
.DEFAULT_GOAL := help
# The tests start hundreds of processes: compiling every module in each of them takes longer than the tests.
unexport PYTHONDONTWRITEBYTECODE

help:  ## this list
	@sed -n "s/^\\([a-z-]*\\):.*##  */\\1: /p" Makefile

demo: $(VENV)/.installed  ## download the offline reader, read the example story and ask about it
	$(BIN)/python examples/demo.py

test: $(VENV)/.tested  ## the quick tests: no browser, no weights, nothing downloaded but Python packages
	READAGENT_TEST_WEIGHTS= $(PYTEST) --snapshot-warn-unused --hypothesis-profile quick -m 'not (weights or browser or slow or release)'

test-slow: $(VENV)/.tested weights browser docs  ## what `make test` leaves out, without the tests for a release
	READAGENT_TEST_WEIGHTS="$(WEIGHTS)/models" $(PYTEST) --dist worksteal -m '(weights or browser or slow) and not release'

test-all: test test-slow  ## both

test-adapters: $(ADAPTERS)/.installed  ## adapters, proxy and articles with the packages they are for, in an environment of its own
	$(ADAPTERS)/bin/mypy -p readagent.adapters
	$(ADAPTERS)/bin/python -m pytest --numprocesses $(WORKERS) -W 'ignore:Unclosed <MemoryObject:ResourceWarning' -k 'not (curl or strict_mode)' \
	  tests/adapters/test_langchain.py tests/adapters/test_llama_index.py tests/adapters/test_llm_plugin.py tests/adapters/test_tool_forms.py \
	  tests/doors/test_proxy_clients.py tests/loaders/test_html_articles.py::test_the_extra_reads_articles_too \
	  'tests/docs/test_command_lines.py::test_the_blocks_of_a_page_run[docs/adapters.md]'

test-ray: $(RAY)/.installed  ## shelves filled on a Ray cluster, in stores and Parquet manifests, in an environment of its own
	$(RAY)/bin/python -m pytest -m 'not release' -k 'ray or parquet' tests/filling/test_ray.py tests/filling/test_sources.py

lint: $(VENV)/.checked  ## ruff, mypy and import-linter
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

check: lint test-slow test-adapters test-ray  ## what must pass before a change is merged, besides `make test`

check-release: test check  ## every test, also those for a release: an hour
	READAGENT_TEST_WEIGHTS="$(WEIGHTS)/models" $(PYTEST) -m release
	$(RAY)/bin/python -m pytest -m release tests/filling/test_ray.py

docs: $(DOCS)/.installed  ## the documentation as a site, in build/docs; a broken link is an error
	$(DOCS)/bin/python docs/site/build.py $(SITE)

notebooks: $(DOCS)/.installed  ## run the notebooks in examples/notebooks and store their outputs
	$(DOCS)/bin/python scripts/run_notebooks.py

screenshots: $(VENV)/.tested weights browser  ## the pictures of `readagent serve` in docs/images
	$(BIN)/python scripts/screenshots.py

weights: $(VENV)/.installed  ## the embedded reader's weights and a small GGUF model; without them their tests are skipped
	READAGENT_HOME="$(WEIGHTS)" $(BIN)/readagent model pull && $(BIN)/python scripts/get_test_model.py "$(WEIGHTS)/models" \
	|| { test -z "$$CI" && echo "the weights could not be downloaded: their tests are skipped"; }

browser: $(VENV)/.tested  ## Chromium; without it the tests of browsing are skipped
	$(BIN)/python -c "from readagent_browse.live.browser import find_browser; find_browser()" 2>/dev/null \
	|| { test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -qq --no-install-recommends chromium; } \
	|| { test -z "$$CI" && echo "there is no Chromium here, and it cannot be installed: its tests are skipped"; }

bench: $(VENV)/.tested weights browser  ## every benchmark, in its quick form
	for name in $(BENCHMARKS); do echo "== $$name"; $(BIN)/python benchmarks/$$name.py --quick || exit 1; done

$(VENV)/.installed: pyproject.toml $(wildcard packages/*/pyproject.toml)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade 'pip>=25.1'
	$(PIP) --editable '.[local]' $(PACKAGES) || $(PIP) --editable . $(PACKAGES)  # where xllamacpp has no wheel, no GGUF file can be used
	touch $@

$(VENV)/.tested: $(VENV)/.installed
	$(PIP) --group test
	$(PIP) --no-deps 'miniwob>=1.1'  # only its pages are used: what its code needs (gymnasium, selenium) is left out
	touch $@

$(VENV)/.checked: $(VENV)/.tested
	$(PIP) --group check
	touch $@

$(ADAPTERS)/.installed: pyproject.toml
	test -x $(ADAPTERS)/bin/python || $(PYTHON) -m venv $(ADAPTERS)
	$(ADAPTERS)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(ADAPTERS)/bin/python -m pip install --quiet --disable-pip-version-check \
	  --editable '.[articles,langchain,llama-index,llm,serve]' \
	  --editable packages/readagent-browse --editable packages/readagent-bench --group adapters
	npm install --silent --no-audit --no-fund --prefix $(ADAPTERS)/claude @anthropic-ai/claude-code@2 \
	|| echo "Claude Code could not be installed: its test is skipped"
	touch $@

$(RAY)/.installed: pyproject.toml
	test -x $(RAY)/bin/python || $(PYTHON) -m venv $(RAY)
	$(RAY)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(RAY)/bin/python -m pip install --quiet --disable-pip-version-check \
	  --editable '.[parquet,ray,stores]' --group ray
	touch $@

$(DOCS)/.installed: pyproject.toml
	test -x $(DOCS)/bin/python || $(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(DOCS)/bin/python -m pip install --quiet --disable-pip-version-check \
	  --editable . $(PACKAGES) --group docs
	touch $@

clean:  ## remove the virtual environments, the site, the weights and the demo's library
	rm -rf $(VENV) $(DOCS) build .weights .demo
