# Everything here sets itself up: a bare machine needs python3, pip and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test check bench clean

demo: $(VENV)/.installed  ## read the example story offline and ask about it
	$(BIN)/python examples/demo.py

test: $(VENV)/.tested  ## the whole suite
	$(BIN)/python -m pytest

check: $(VENV)/.checked test  ## the suite, and ruff, mypy strict and import-linter
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

bench: $(VENV)/.tested  ## every benchmark, in its quick form
	for script in benchmarks/[a-z]*.py; do echo "== $$script"; $(BIN)/python $$script --quick || exit 1; done

$(VENV)/.installed: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/.tested: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group test
	touch $@

$(VENV)/.checked: $(VENV)/.tested
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group check
	touch $@

clean:
	rm -rf $(VENV)
