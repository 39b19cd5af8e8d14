#!/bin/sh
# What CI cannot run for want of a GPU: the tests on CUDA and Vulkan devices, then the table of benchmarks/NOTES.md.
# Usage: scripts/gpu_check.sh [arguments of benchmarks.gpu], with PYTHON naming an interpreter that has myjit installed,
# and WORKERS the processes that run tests (8: each takes a gigabyte or two of the device).
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
export PYTHONPATH="$PWD${PYTHONPATH:+:$PYTHONPATH}"
# One test takes most of the device's memory: it runs alone.
alone=test_no_memory_is_torchs_own_error_and_the_device_goes_on
"$python" -m pytest -q -n auto --maxprocesses "${WORKERS:-8}" -k "not $alone" tests/targets tests/runtime tests/kernels \
  tests/transforms/test_keep_nan.py tests/transforms/test_exact_logarithms.py tests/transforms/test_exact_powers.py \
  tests/transforms/test_exact_trigonometry.py tests/transforms/test_keep_order.py \
  tests/transforms/test_separate_repeats.py tests/transforms/test_separate_results.py \
  tests/transforms/test_unhoist_updates.py tests/transforms/test_limit_bindings.py tests/transforms/test_group_numbers.py \
  tests/transforms/test_separate_negated.py tests/transforms/test_separate_unaligned.py \
  tests/transforms/test_scan_alone.py tests/transforms/test_unsigned_extremes.py \
  tests/transforms/test_merge_equals.py tests/transforms/test_separate_widened.py \
  tests/transforms/test_write_out_exponentials.py \
  tests/transforms/test_keep_roundings.py tests/transforms/test_keep_products.py tests/graph/test_narrow_sums.py \
  tests/graph/decompositions/test_average_windows.py tests/graph/decompositions/test_halves.py \
  tests/frontend/test_placement.py tests/frontend/test_recurrent_layer.py tests/frontend/test_recurrent.py \
  tests/e2e/test_targets.py tests/e2e/test_models_on_cuda.py tests/e2e/test_ddp.py
"$python" -m pytest -q -k "$alone" tests/runtime
"$python" -m benchmarks.gpu "$@"
