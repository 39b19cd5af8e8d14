# Everything a developer or CI runs. Each target first fills .venv with pinned versions (once, and
# again when requirements/ or pyproject.toml change), so that a fresh checkout needs only Python.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.NOTPARALLEL:

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip install --quiet --disable-pip-version-check

# The lit tests and the tools they call (filecheck, myjit) come from the environment.
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)

# Nothing here may reach for a model hub: models are built with random weights.
export HF_HUB_OFFLINE := 1
export TRANSFORMERS_OFFLINE := 1

DEPS := $(VENV)/.deps.stamp
READY := $(VENV)/.ready.stamp
BENCH := $(VENV)/.bench.stamp
BESIDE := iree-turbine,inductor,inductor frozen,myjit,myjit frozen

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: $(READY) ## Compile a small model and show what happened to it
	$(PY) examples/demo.py

# How many variants of each parametrized Python test run (0: all): with one, all tests end within 45 minutes.
VARIANTS ?= 1

.PHONY: test
test: lint types lit pytest ## Run everything CI runs: lint, types, lit, pytest (of each test one variant)

.PHONY: test-all
test-all: VARIANTS = 0
test-all: test ## Run the same with every variant: before a release, and overnight

.PHONY: check
check: lint types ## Run what takes seconds: lint, types

.PHONY: lint
lint: $(READY) ## Check style and formatting (ruff)
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .

.PHONY: format
format: $(READY) ## Mend style and formatting in place (ruff)
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

.PHONY: types
types: $(READY) ## Check types (pyright)
	$(PY) -m pyright --pythonpath $(PY)

.PHONY: lit
lit: $(READY) ## Run the FileCheck tests (lit)
	@if find lit -type f ! -name 'lit*.cfg*' ! -name '*.md' 2>/dev/null | grep -q .; \
	then echo "lit -sv lit"; lit -sv lit; \
	else echo "lit: no tests"; fi

.PHONY: pytest
pytest: $(READY) ## Run the Python tests (pytest); ARGS="-k name" narrows, VARIANTS=0 widens
	$(PY) -m pytest --variants $(VARIANTS) --numprocesses auto --maxprocesses 4 --durations 20 $(ARGS)

.PHONY: fuzz
fuzz: $(READY) ## Look for random programs that come out wrong; ARGS="--seeds 0:500 --dynamic"
	$(PY) scripts/fuzz.py $(ARGS)

.PHONY: bench
bench: $(BENCH) ## Measure kernels, models, training, the cost of a call, memory; draw plots (in build/)
	@mkdir -p build
	$(PY) -m benchmarks --runners "$(BESIDE)" --json build/bench.json $(ARGS)
	$(PY) -m benchmarks.plots build/bench.json build/plots
	$(PY) -m benchmarks.overhead
	$(PY) -m benchmarks.memory

.PHONY: venv
venv: $(READY) ## Fill .venv and do nothing else

.PHONY: clean
clean: ## Remove .venv, caches and build output
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .ruff_cache lit/Output
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +

# A change of pins starts from nothing, so that no package outlives its line.
$(DEPS): requirements/dev.txt requirements/torchvision_cpu.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "myjit needs Python 3.10 or newer: make PYTHON=/path/to/python3")'
	@echo "filling $(VENV) from requirements/dev.txt (a few minutes the first time)"
	@$(PYTHON) -m venv --clear $(VENV)
	@$(PIP) --requirement requirements/dev.txt
	@site=$$($(PY) -c 'import sysconfig; print(sysconfig.get_path("purelib"))') \
	&& cp requirements/torchvision_cpu.py "$$site" \
	&& echo 'import torchvision_cpu' > "$$site/torchvision_cpu.pth"
	@touch $@

$(READY): $(DEPS) pyproject.toml scripts/lavapipe.sh
	@scripts/lavapipe.sh
	@$(PIP) --no-deps --no-build-isolation --editable .
	@$(PY) -m pip check
	@touch $@

$(BENCH): $(READY) requirements/bench.txt
	@$(PIP) --requirement requirements/bench.txt
	@touch $@
