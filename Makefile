# Everything here sets itself up: a bare machine needs python3, pip and make.

PYTHON ?= python3
VENV := .venv
WEIGHTS := $(CURDIR)/.weights
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
BENCHMARKS := book kills words_read overhead parsers embedded recovery hints quotes

.PHONY: demo test check bench weights clean

demo: $(VENV)/.installed  ## fetch the embedded reader, read the example story offline and ask about it
	$(BIN)/python examples/demo.py

test: $(VENV)/.tested weights  ## the whole suite
	READAGENT_TEST_WEIGHTS=$(WEIGHTS)/models $(BIN)/python -m pytest

weights: $(VENV)/.installed  ## the embedded reader's weights, which some tests need; those are skipped without them
	READAGENT_HOME=$(WEIGHTS) $(BIN)/readagent model pull || echo "the weights could not be fetched: their tests are skipped"

check: $(VENV)/.checked test  ## the suite, and ruff, mypy strict and import-linter
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

bench: $(VENV)/.tested weights  ## every benchmark, in its quick form
	for name in $(BENCHMARKS); do echo "== $$name"; $(BIN)/python benchmarks/$$name.py --quick || exit 1; done

$(VENV)/.installed: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade 'pip>=25.1'
	$(PIP) --editable '.[local]' || $(PIP) --editable . numpy bm25s  # where xllamacpp has no wheel, answers are quotes
	touch $@

$(VENV)/.tested: $(VENV)/.installed
	$(PIP) --group test
	touch $@

$(VENV)/.checked: $(VENV)/.tested
	$(PIP) --group check
	touch $@

clean:
	rm -rf $(VENV) .weights .demo
