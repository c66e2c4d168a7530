PYTHON ?= python3

.PHONY: install test bench demo

install:
	$(PYTHON) -m pip install -e '.[test]'

test:
	$(PYTHON) -m ruff check .
	$(PYTHON) -m mypy
	$(PYTHON) -m pytest -n auto

bench:
	$(PYTHON) -m tests.bench

demo:
	$(PYTHON) -m fixgw demo
