# Everything runs in a virtual environment of its own, made by the first target that needs it.
PYTHON ?= python3
VENV ?= .venv
RUN = $(VENV)/bin/python

SEEDS ?= 1000

.PHONY: install test simulate bench demo compiled compiled-test

install: $(VENV)/installed

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	@echo "Installing into $(VENV); compiling quickfix takes about five minutes, once."
	$(RUN) -m pip install --quiet --editable '.[test]'
	touch $@

test: install
	$(RUN) -m compileall -q engine fixgw acceptance tests
	$(RUN) -m ruff check .
	$(RUN) -m mypy
	$(RUN) -m pytest -n auto

# The venue with all that can go wrong around it: see docs/simulation.md.
simulate: install
	$(RUN) -m tests.simulation --seeds $(SEEDS)

bench: install
	$(RUN) -m tests.bench

demo: install
	$(RUN) -m fixgw demo

# The engine as machine code, in build/compiled: see scripts/compile_engine.py.
compiled: install
	$(RUN) scripts/compile_engine.py

# The tests of the engine against it: what comes out is compared with that of the Python engine, byte for byte.
compiled-test: compiled
	PYTHONPATH=build/compiled:. $(RUN) -P -m pytest -n auto --import-mode=append tests/engine \
		--ignore tests/engine/test_purity.py --ignore tests/engine/test_versions.py
