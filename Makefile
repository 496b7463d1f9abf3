# One word a chore. `make demo` and `make test` set up what they need and run without network after that.
PYTHON ?= python3
# Where torch's CPU build comes from, if not from your pip's own index (see the README).
TORCH_INDEX ?=
VENV := .venv
INSTALL := -m pip install --quiet --disable-pip-version-check --constraint
PIP := $(VENV)/bin/python $(INSTALL) constraints.txt
# What `make bench` measures: parts of training decoding startup length, and options; all if empty.
BENCH ?=

.PHONY: demo test check fix bench bench-data bench-foundation clean

demo: $(VENV)/installed  ## train on the embedded corpus, translate, look at the attention
	$(VENV)/bin/regard demo

test: $(VENV)/installed-dev  ## the tests
	$(VENV)/bin/python -m pytest

check: $(VENV)/installed-dev  ## ruff and mypy
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

fix: $(VENV)/installed-dev  ## what ruff can mend, and the generated page of settings
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .
	$(VENV)/bin/python docs/make_settings.py

bench: bench-data $(VENV)/installed .venv-joeynmt/installed .venv-ctranslate2/installed  ## regard beside its peers
	$(VENV)/bin/python bench/peers/run.py $(BENCH)

bench-data:
	@$(PYTHON) bench/peers/run.py --check $(BENCH)

bench-foundation: $(VENV)/installed  ## what the recurrent models reach
	$(VENV)/bin/python bench/foundation.py

clean:
	rm -rf $(VENV) .venv-joeynmt .venv-ctranslate2 runs/demo runs/bench

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("regard needs Python 3.11 or newer, this is " + sys.version.split()[0] + ": make PYTHON=python3.12 …") if sys.version_info < (3, 11) else 0'
	$(PYTHON) -m venv $(VENV)

# torch first and alone, so that only it is taken from TORCH_INDEX
$(VENV)/torch: constraints.txt | $(VENV)/bin/python
	$(PIP) $(if $(TORCH_INDEX),--index-url $(TORCH_INDEX)) torch
	touch $@

$(VENV)/installed: pyproject.toml $(VENV)/torch
	$(PIP) --editable .
	touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(PIP) --editable '.[dev]'
	touch $@

# Peers have environments of their own, with the same torch as ours.
.venv-joeynmt/installed: bench/peers/constraints-joeynmt.txt
	$(PYTHON) -m venv .venv-joeynmt
	.venv-joeynmt/bin/python $(INSTALL) $< $(if $(TORCH_INDEX),--index-url $(TORCH_INDEX)) torch
	.venv-joeynmt/bin/python $(INSTALL) $< joeynmt importlib_metadata
	touch $@

.venv-ctranslate2/installed: bench/peers/constraints-ctranslate2.txt
	$(PYTHON) -m venv .venv-ctranslate2
	.venv-ctranslate2/bin/python $(INSTALL) $< ctranslate2
	touch $@
