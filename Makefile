# Everything here sets itself up: a bare machine needs python3, pip and make.

PYTHON ?= python3
VENV := .venv
WEIGHTS := $(CURDIR)/.weights
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
BENCHMARKS := book kills words_read small_window speed overhead parsers embedded recovery hints quotes growing shelf webnav \
  miniwob

.PHONY: demo test check bench weights browser clean

demo: $(VENV)/.installed  ## fetch the embedded reader, read the example story offline and ask about it
	$(BIN)/python examples/demo.py

test: $(VENV)/.tested weights browser  ## the whole suite
	READAGENT_TEST_WEIGHTS=$(WEIGHTS)/models $(BIN)/python -m pytest

weights: $(VENV)/.installed  ## the embedded reader's weights, which some tests need; those are skipped without them
	READAGENT_HOME=$(WEIGHTS) $(BIN)/readagent model pull || echo "the weights could not be fetched: their tests are skipped"

browser: $(VENV)/.tested  ## Chromium, which the tests of browsing need; those are skipped without it
	$(BIN)/python -c "from readagent.webnav.live.browser import find_browser; find_browser()" 2>/dev/null \
	|| { test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -qq --no-install-recommends chromium; } \
	|| echo "there is no Chromium here, and it cannot be installed: the tests of browsing are skipped"

check: $(VENV)/.checked test  ## the suite, and ruff, mypy strict and import-linter
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

bench: $(VENV)/.tested weights browser  ## every benchmark, in its quick form
	for name in $(BENCHMARKS); do echo "== $$name"; $(BIN)/python benchmarks/$$name.py --quick || exit 1; done

$(VENV)/.installed: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade 'pip>=25.1'
	$(PIP) --editable '.[local]' || $(PIP) --editable . numpy  # where xllamacpp has no wheel, answers are quotes
	touch $@

$(VENV)/.tested: $(VENV)/.installed
	$(PIP) --group test
	$(PIP) --no-deps 'miniwob>=1.1'  # only its pages are used: what its code needs (gymnasium, selenium) is left out
	touch $@

$(VENV)/.checked: $(VENV)/.tested
	$(PIP) --group check
	touch $@

clean:
	rm -rf $(VENV) .weights .demo
