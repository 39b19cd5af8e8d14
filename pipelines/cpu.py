"""The CPU pipeline: FX graph to linalg through torch-mlir, then IREE's llvm-cpu code generator."""

from __future__ import annotations

from myjit.passes.base import Decompositions
from myjit.passes.pipeline import Pipeline, Stage
from myjit.pipelines._stages import ABI, CORRECTNESS_FLAGS, TORCH_BACKEND, TORCH_TO_LINALG

PIPELINE = Pipeline(
    name="cpu",
    stages=(
        Stage("decompose", "fx", (Decompositions(base="torch-mlir"),)),
        TORCH_BACKEND,
        TORCH_TO_LINALG,
        ABI,
    ),
    flags=CORRECTNESS_FLAGS,
    safer_flags=(("--iree-llvmcpu-stack-allocation-limit=262144",),),
)
