#!/bin/sh
# What CI cannot run for want of a GPU: the CUDA tests, then the table of benchmarks/NOTES.md.
# Usage: scripts/gpu_check.sh [arguments of benchmarks.gpu], with PYTHON naming the interpreter.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
export PYTHONPATH="$PWD${PYTHONPATH:+:$PYTHONPATH}"
"$python" -m pytest -q tests/targets tests/runtime tests/kernels tests/e2e/test_targets.py tests/frontend/test_placement.py
"$python" -m benchmarks.gpu "$@"
